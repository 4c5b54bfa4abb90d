//! `search_memory`: finds what the agent's memory folded away.

use dormouse_changes::tool::{CallContext, Effect, Immediate, ModelTool, Refused, Tool};
use dormouse_types::limits;
use dormouse_types::search_words::WordQuery;
use schemars::JsonSchema;
use serde::Deserialize;

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool::immediate(&SearchMemory);

/// How many results a call without a limit gets.
const RESULTS: usize = 5;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Args {
    /// Words that must all be there, each from its beginning; case and accents make no difference.
    query: String,
    /// The most results: 1 to 20, 5 if left out.
    #[serde(default)]
    #[schemars(!default)]
    limit: Option<usize>,
}

/// The tool.
pub(crate) struct SearchMemory;

impl Tool for SearchMemory {
    type Args = Args;
    const NAME: &'static str = "search_memory";
    const ALIASES: &'static [&'static str] = &["recall"];
    const DESCRIPTION: &'static str = "Search the older part of your task log that is folded into a summary: entries, changes, your notes, earlier summaries. Answers with dates and excerpts, newest first. What the log above shows need not be searched.";
    const EXAMPLE: Option<&'static str> = Some("{\"query\": \"van price\", \"limit\": 5}");
}

impl Immediate for SearchMemory {
    fn run(args: Args, _context: &CallContext<'_>) -> Result<Effect, Refused> {
        let (query, limit) = args.checked()?;
        Ok(Effect::Search { query, limit })
    }
}

impl Args {
    /// Returns the words to look for, and the most results.
    pub(crate) fn checked(self) -> Result<(WordQuery, usize), Refused> {
        let limit = self.limit.unwrap_or(RESULTS).min(limits::MEMORY_RESULTS.max);
        limits::MEMORY_QUERY
            .check(self.query.chars().count())
            .map_err(|beyond| Refused::Invalid(beyond.to_string()))?;
        if limit == 0 {
            return Err(Refused::Invalid("limit is 0; ask for at least one result".into()));
        }
        let query = WordQuery::of(&self.query).ok_or_else(|| {
            Refused::Invalid("the query has no word; give words to look for".into())
        })?;
        Ok((query, limit))
    }
}
