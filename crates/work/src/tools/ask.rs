//! `ask`: asks the person, and ends the run until they answer.

use dormouse_changes::{ModelTool, Refused, Tool};
use dormouse_types::limits;
use schemars::JsonSchema;
use serde::Deserialize;

use super::arguments::{bytes, characters, within};
use super::tool::{End, Policy, RunTool};

/// The tool as a model calls it.
pub static TOOL: ModelTool<Policy> = Policy::ends::<Ask>();

#[derive(Deserialize, JsonSchema)]
struct Args {
    /// One question that the person can answer without knowing what you have seen.
    question: String,
    /// Up to ten answers to choose from; the person may give another one.
    #[serde(default)]
    options: Vec<String>,
}

struct Ask;

impl Tool for Ask {
    type Args = Args;
    const NAME: &'static str = "ask";
    const ALIASES: &'static [&'static str] = &[];
    const DESCRIPTION: &'static str = "Ask the person and stop here: you go on with the answer later. Only for what you cannot find out or decide, and never in prose.";
    const EXAMPLE: Option<&'static str> = Some(r#"{"question": "…", "options": ["…"]}"#);
}

impl RunTool for Ask {
    type Meaning = End;

    fn check(args: Args) -> Result<End, Refused> {
        let question = bytes(&args.question, "question", limits::WORK_QUESTION)?;
        within(limits::WORK_OPTIONS.check(args.options.len()))?;
        let option = |option: &String| characters(option, "option", limits::WORK_OPTION);
        let options = args.options.iter().map(option).collect::<Result<_, _>>()?;
        Ok(End::Ask { question, options })
    }
}
