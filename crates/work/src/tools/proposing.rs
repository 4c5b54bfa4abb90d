//! What a run of agent work may propose about the person's tasks: the tools of the changes room, each with
//! the task that it is about.

use dormouse_changes::tool::recovered;
use dormouse_changes::tools::start_agent_work;
use dormouse_changes::{ModelTool, tools};
use dormouse_types::TaskId;
use dormouse_types::model::{ToolCall, ToolSpec};
use serde_json::{Value, json};

/// A proposal about a task.
#[derive(Clone)]
pub struct Proposal {
    pub task: TaskId,
    pub tool: &'static ModelTool,
    /// The call without the task.
    pub call: ToolCall,
}

impl std::fmt::Debug for Proposal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Proposal({}, {:?})", self.task, self.call)
    }
}

impl PartialEq for Proposal {
    fn eq(&self, other: &Self) -> bool {
        self.task == other.task && self.call == other.call
    }
}

impl Eq for Proposal {}

/// The tools of the changes room that a run is offered.
pub fn all() -> impl Iterator<Item = &'static ModelTool> {
    tools::TOOLS
        .iter()
        .copied()
        .filter(|tool| tool.item().is_some() && tool.name != start_agent_work::TOOL.name)
        .filter(|tool| !tools::is_of_groups(tool))
}

pub(super) fn specs() -> Vec<ToolSpec> {
    let of_run = |tool: &ModelTool| {
        let mut spec = tool.spec();
        let parameters = &mut spec.parameters;
        parameters["properties"]["taskId"] = json!({
            "type": "string",
            "description": "The task, jt-…, as search and list_tasks give it.",
        });
        let required = parameters["required"].as_array().cloned().unwrap_or_default();
        let required = std::iter::once(json!("taskId")).chain(required);
        parameters["required"] = Value::Array(required.collect());
        spec
    };
    all().map(of_run).collect()
}

/// Reads a call; `None` if it is of another tool.
///
/// Errors: it names no task.
pub(super) fn read(call: &ToolCall) -> Option<Result<Proposal, String>> {
    let tool = all().find(|tool| tool.answers_to(&call.name))?;
    let mut args = recovered(&call.args);
    let map = args.as_object_mut();
    let task = map.and_then(|map| map.remove("taskId").or_else(|| map.remove("task_id")));
    let task = task.as_ref().and_then(Value::as_str).unwrap_or_default().trim();
    Some(match task.parse::<TaskId>() {
        Ok(task) => {
            let call = ToolCall { args, ..call.clone() };
            Ok(Proposal { task, tool, call })
        }
        Err(error) => Err(format!(
            "taskId: {error}; expected the id of the task, {{\"taskId\": \"jt-…\", …}}"
        )),
    })
}
