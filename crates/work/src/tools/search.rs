//! `search`: finds tasks by their words.

use dormouse_changes::{ModelTool, Refused, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::arguments::invalid;
use super::reading::{Reading, at_most, words};
use super::tool::{Policy, RunTool};

/// The tool as a model calls it.
pub static TOOL: ModelTool<Policy> = Policy::reads::<Search>();

#[derive(Deserialize, JsonSchema)]
struct Args {
    /// One to four words that must all be there; case and accents make no difference.
    query: String,
    /// The most tasks: 1 to 50, 20 if left out.
    #[serde(default)]
    limit: Option<usize>,
}

struct Search;

impl Tool for Search {
    type Args = Args;
    const NAME: &'static str = "search";
    const ALIASES: &'static [&'static str] = &[];
    const DESCRIPTION: &'static str = "Find tasks of the person by words in their title, checklist or entries, with the passages that match.";
    const EXAMPLE: Option<&'static str> = Some(r#"{"query": "van price"}"#);
}

impl RunTool for Search {
    type Meaning = Reading;

    fn check(args: Args) -> Result<Reading, Refused> {
        let words = words(&args.query)?;
        if words.is_empty() {
            return Err(invalid("the query has no word; give words to look for"));
        }
        Ok(Reading::Search { words, limit: at_most(args.limit)? })
    }
}
