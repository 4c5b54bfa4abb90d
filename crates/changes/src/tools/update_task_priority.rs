//! `update_task_priority`: proposes how urgent the task is.

use dormouse_journal::Edit;
use dormouse_types::model::TaskState;
use dormouse_types::task::Priority;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Checked, EvidenceArg, ItemTool, ModelTool, Policy, Refused, Target, schema};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the schema; arguments are read leniently")]
struct Args {
    /// P0 urgent, P1 high, P2 medium, P3 low.
    priority: Priority,
    evidence: Option<EvidenceArg>,
    /// Why, in a few words.
    rationale: Option<String>,
}

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool {
    name: "update_task_priority",
    aliases: &["set_task_priority"],
    description: "Propose the priority of the task itself, never of a finding or an item.",
    policy: Policy::Deferred,
    schema: schema::<Args>,
    item: Some(&UpdateTaskPriority),
};

/// The tool as a change item stores it.
pub struct UpdateTaskPriority;

fn words(priority: Priority) -> String {
    let meaning = match priority {
        Priority::P0 => "urgent",
        Priority::P1 => "high",
        Priority::P2 => "medium",
        Priority::P3 => "low",
    };
    format!("{priority} ({meaning})")
}

impl ItemTool for UpdateTaskPriority {
    fn name(&self) -> &'static str {
        "update_task_priority"
    }

    fn check(&self, args: &Value, task: &TaskState) -> Result<Checked, Refused> {
        let given = args["priority"].as_str().unwrap_or_default();
        let priority: Priority = given
            .parse()
            .map_err(|e: dormouse_types::task::NotListed| Refused::Invalid(e.to_string()))?;
        // An unranked task counts as P2, so proposing P2 would change nothing.
        if task.priority.unwrap_or_default() == priority {
            return Err(Refused::Redundant(format!("the priority is already {}", words(priority))));
        }
        Ok(Checked {
            args: json!({ "priority": priority }),
            edits: vec![Edit::Priority(Some(priority))],
        })
    }

    fn target(&self, _args: &Value) -> Target {
        Target { key: "priority".into(), single: true }
    }

    fn is_destructive(&self, _args: &Value) -> bool {
        false
    }

    fn summary(&self, args: &Value, _task: Option<&TaskState>) -> String {
        format!("Set priority to {}", self.proposed(args))
    }

    fn now(&self, _args: &Value, task: &TaskState) -> Option<String> {
        task.priority.map(words)
    }

    fn proposed(&self, args: &Value) -> String {
        let given = args["priority"].as_str().unwrap_or_default();
        given.parse().map_or_else(|_| given.to_owned(), words)
    }
}
