//! `read_task_log`: reads what earlier runs did.

use dormouse_changes::{ModelTool, Refused, Tool};
use dormouse_types::WorkId;
use schemars::JsonSchema;
use serde::Deserialize;

use super::arguments::invalid;
use super::reading::Reading;
use super::tool::{Policy, RunTool};

/// The tool as a model calls it.
pub static TOOL: ModelTool<Policy> = Policy::reads::<ReadTaskLog>();

#[derive(Deserialize, JsonSchema)]
struct Args {
    /// The id of the agent work, task-…; your own if left out.
    #[serde(default, rename = "taskId", alias = "task_id")]
    task_id: Option<String>,
}

struct ReadTaskLog;

impl Tool for ReadTaskLog {
    type Args = Args;
    const NAME: &'static str = "read_task_log";
    const ALIASES: &'static [&'static str] = &[];
    const DESCRIPTION: &'static str =
        "Read what the runs of an agent work did, with their calls and results, oldest first.";
    const EXAMPLE: Option<&'static str> = Some(r#"{"taskId": "task-…"}"#);
}

impl RunTool for ReadTaskLog {
    type Meaning = Reading;

    fn check(args: Args) -> Result<Reading, Refused> {
        let work = args.task_id.map(|id| id.parse::<WorkId>()).transpose();
        Ok(Reading::Log { work: work.map_err(|e| invalid(e.to_string()))? })
    }
}
