//! `finish`: ends a run.

use dormouse_changes::{ModelTool, Refused, Tool};
use dormouse_types::limits;
use dormouse_types::work::WorkOutcome;
use schemars::JsonSchema;
use serde::Deserialize;

use super::arguments::characters;
use super::tool::{End, Policy, RunTool};

/// The tool as a model calls it.
pub static TOOL: ModelTool<Policy> = Policy::ends::<Finish>();

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Outcome {
    /// You did what you were told to do.
    Done,
    /// There was nothing to do.
    NoOp,
    /// You could not do it.
    Failed,
}

#[derive(Deserialize, JsonSchema)]
struct Args {
    /// done: you did what you were told to do. no_op: there was nothing to do. failed: you could not do
    /// it.
    outcome: Outcome,
    /// What you did and found, in one to five sentences, for the person and for your later runs.
    summary: String,
}

struct Finish;

impl Tool for Finish {
    type Args = Args;
    const NAME: &'static str = "finish";
    const ALIASES: &'static [&'static str] = &[];
    const DESCRIPTION: &'static str = "End this run. Call it once, last, when everything is done. Publish first what the person is to get.";
    const EXAMPLE: Option<&'static str> = Some(r#"{"outcome": "done", "summary": "…"}"#);
}

impl RunTool for Finish {
    type Meaning = End;

    fn check(args: Args) -> Result<End, Refused> {
        let outcome = match args.outcome {
            Outcome::Done => WorkOutcome::Done,
            Outcome::NoOp => WorkOutcome::NoOp,
            Outcome::Failed => WorkOutcome::Failed,
        };
        let summary = characters(&args.summary, "summary", limits::WORK_SUMMARY)?;
        Ok(End::Finish { outcome, summary })
    }
}
