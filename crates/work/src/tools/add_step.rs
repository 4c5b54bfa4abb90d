//! `add_step`: adds a step to those of the run.

use dormouse_changes::{ModelTool, Refused, Tool};
use dormouse_types::limits;
use schemars::JsonSchema;
use serde::Deserialize;

use super::arguments::characters;
use super::tool::{Policy, RunTool, StepCall};

/// The tool as a model calls it.
pub static TOOL: ModelTool<Policy> = Policy::steps::<AddStep>();

#[derive(Deserialize, JsonSchema)]
struct Args {
    /// What is to be done besides, on one line.
    text: String,
}

struct AddStep;

impl Tool for AddStep {
    type Args = Args;
    const NAME: &'static str = "add_step";
    const ALIASES: &'static [&'static str] = &[];
    const DESCRIPTION: &'static str = "Add a step to those of this run, if there is more to do than they say. None can be removed.";
    const EXAMPLE: Option<&'static str> = Some(r#"{"text": "…"}"#);
}

impl RunTool for AddStep {
    type Meaning = StepCall;

    fn check(args: Args) -> Result<StepCall, Refused> {
        let text = args.text.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(StepCall::Add { text: characters(&text, "text", limits::WORK_STEP)? })
    }
}
