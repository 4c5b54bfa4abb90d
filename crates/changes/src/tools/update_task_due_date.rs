//! `update_task_due_date`: proposes the day the task is due.

use dormouse_journal::Edit;
use dormouse_types::model::TaskState;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Checked, EvidenceArg, ItemTool, ModelTool, Policy, Refused, Target, schema};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(dead_code, reason = "the schema; arguments are read strictly by hand")]
struct Args {
    /// A real calendar day, YYYY-MM-DD.
    due_date: String,
    evidence: Option<EvidenceArg>,
    /// Why, in a few words.
    rationale: Option<String>,
}

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool {
    name: "update_task_due_date",
    aliases: &["set_task_due_date"],
    description: "Propose the day the task is due. Never the day of a release, a meeting or an incident.",
    policy: Policy::Deferred,
    schema: schema::<Args>,
    item: Some(&UpdateTaskDueDate),
};

/// The tool as a change item stores it.
pub struct UpdateTaskDueDate;

fn day(text: &str) -> Option<Date> {
    // Strict: no time, no other spelling. `Date` refuses days that do not exist.
    let shape = text.len() == 10
        && text.bytes().enumerate().all(|(n, byte)| match n {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    shape.then(|| text.parse().ok()).flatten()
}

impl ItemTool for UpdateTaskDueDate {
    fn name(&self) -> &'static str {
        "update_task_due_date"
    }

    fn check(&self, args: &Value, task: &TaskState) -> Result<Checked, Refused> {
        let given = &args["dueDate"];
        let due = given.as_str().and_then(|text| day(text.trim())).ok_or_else(|| {
            Refused::Invalid(format!(
                "dueDate is {given}; give a real calendar day as YYYY-MM-DD, for example 2026-03-15"
            ))
        })?;
        if task.due_on == Some(due) {
            return Err(Refused::Redundant(format!("the task is already due on {due}")));
        }
        Ok(Checked {
            args: json!({ "dueDate": due.to_string() }),
            edits: vec![Edit::DueOn(Some(due))],
        })
    }

    fn target(&self, _args: &Value) -> Target {
        Target { key: "dueDate".into(), single: true }
    }

    fn is_destructive(&self, _args: &Value) -> bool {
        false
    }

    fn summary(&self, args: &Value, _task: Option<&TaskState>) -> String {
        format!("Set due date to {}", self.proposed(args))
    }

    fn now(&self, _args: &Value, task: &TaskState) -> Option<String> {
        task.due_on.map(|due| due.to_string())
    }

    fn proposed(&self, args: &Value) -> String {
        args["dueDate"].as_str().unwrap_or_default().to_owned()
    }
}
