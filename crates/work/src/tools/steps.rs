//! How a run says what it has done of its steps.

use dormouse_types::limits;
use dormouse_types::model::{ToolCall, ToolSpec};
use schemars::JsonSchema;
use serde::Deserialize;

use super::arguments::{arguments, characters, spec};

/// Marks a step as done.
pub const FINISH_STEP: &str = "finish_step";
/// Adds a step.
pub const ADD_STEP: &str = "add_step";

/// A call about the steps of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepCall {
    /// `finish_step`.
    Finish {
        /// Its number.
        n: i64,
        /// What the run says about it.
        note: Option<String>,
    },
    /// `add_step`.
    Add {
        /// What is to be done.
        text: String,
    },
}

#[derive(Deserialize, JsonSchema)]
struct FinishStepArgs {
    /// The number of the step.
    step: i64,
    /// What you did, in one sentence; may be left out.
    #[serde(default)]
    note: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct AddStepArgs {
    /// What is to be done besides, on one line.
    text: String,
}

pub(super) fn specs() -> Vec<ToolSpec> {
    vec![
        spec::<FinishStepArgs>(
            FINISH_STEP,
            "Mark one of your steps as done. If it has a check, the result that you published last is checked.",
        ),
        spec::<AddStepArgs>(
            ADD_STEP,
            "Add a step to those of this run, if there is more to do than they say. None can be removed.",
        ),
    ]
}

/// Reads a call; `None` if it is of another tool.
///
/// Errors: what is wrong with it and what was expected, for the model to read.
pub(super) fn read(call: &ToolCall) -> Option<Result<StepCall, String>> {
    Some(match call.name.as_str() {
        FINISH_STEP => finish(call),
        ADD_STEP => add(call),
        _ => return None,
    })
}

fn finish(call: &ToolCall) -> Result<StepCall, String> {
    let args: FinishStepArgs = arguments(&call.args, r#"{"step": 1, "note": "…"}"#)?;
    let note = args.note.filter(|note| !note.trim().is_empty());
    let note = note.map(|note| characters(&note, "note", limits::WORK_STEP)).transpose()?;
    Ok(StepCall::Finish { n: args.step, note })
}

fn add(call: &ToolCall) -> Result<StepCall, String> {
    let args: AddStepArgs = arguments(&call.args, r#"{"text": "…"}"#)?;
    let text = args.text.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(StepCall::Add { text: characters(&text, "text", limits::WORK_STEP)? })
}
