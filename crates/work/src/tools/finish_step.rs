//! `finish_step`: marks a step of the run as done.

use dormouse_changes::{ModelTool, Refused, Tool};
use dormouse_types::limits;
use schemars::JsonSchema;
use serde::Deserialize;

use super::arguments::characters;
use super::tool::{Policy, RunTool, StepCall};

/// The tool as a model calls it.
pub static TOOL: ModelTool<Policy> = Policy::steps::<FinishStep>();

#[derive(Deserialize, JsonSchema)]
struct Args {
    /// The number of the step.
    step: i64,
    /// What you did, in one sentence; may be left out.
    #[serde(default)]
    note: Option<String>,
}

struct FinishStep;

impl Tool for FinishStep {
    type Args = Args;
    const NAME: &'static str = "finish_step";
    const ALIASES: &'static [&'static str] = &[];
    const DESCRIPTION: &'static str = "Mark one of your steps as done. If it has a check, the result that you published last is checked.";
    const EXAMPLE: Option<&'static str> = Some(r#"{"step": 1, "note": "…"}"#);
}

impl RunTool for FinishStep {
    type Meaning = StepCall;

    fn check(args: Args) -> Result<StepCall, Refused> {
        let note = args.note.filter(|note| !note.trim().is_empty());
        let note = note.map(|note| characters(&note, "note", limits::WORK_STEP)).transpose()?;
        Ok(StepCall::Finish { n: args.step, note })
    }
}
