//! `read_task`: reads one task of the person.

use dormouse_changes::{ModelTool, Refused, Tool};
use dormouse_types::TaskId;
use schemars::JsonSchema;
use serde::Deserialize;

use super::arguments::invalid;
use super::reading::Reading;
use super::tool::{Policy, RunTool};

/// The tool as a model calls it.
pub static TOOL: ModelTool<Policy> = Policy::reads::<ReadTask>();

#[derive(Deserialize, JsonSchema)]
struct Args {
    /// The id of the task, jt-…, as search and list_tasks give it.
    #[serde(rename = "taskId", alias = "task_id")]
    task_id: String,
}

struct ReadTask;

impl Tool for ReadTask {
    type Args = Args;
    const NAME: &'static str = "read_task";
    const ALIASES: &'static [&'static str] = &[];
    const DESCRIPTION: &'static str =
        "Read one task of the person: its fields, its checklist and its entries.";
    const EXAMPLE: Option<&'static str> = Some(r#"{"taskId": "jt-…"}"#);
}

impl RunTool for ReadTask {
    type Meaning = Reading;

    fn check(args: Args) -> Result<Reading, Refused> {
        let task = args.task_id.trim().parse::<TaskId>();
        Ok(Reading::Task { task: task.map_err(|e| invalid(e.to_string()))? })
    }
}
