//! `update_task_due_date`: proposes the day the task is due.

use dormouse_journal::Edit;
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::model::TaskState;
use dormouse_types::task::Field;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::tool::{Checked, ModelTool, Proposal, Refused, Target, Tool, given, strict_day};

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool::proposal(&UpdateTaskDueDate);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(deny_unknown_fields)]
struct Args {
    /// A real calendar day, YYYY-MM-DD.
    #[schemars(with = "String")]
    due_date: Day,
}

/// Strict: no time, no other spelling.
#[derive(Clone, Copy, Serialize)]
struct Day(Date);

impl<'de> Deserialize<'de> for Day {
    fn deserialize<D: Deserializer<'de>>(field: D) -> Result<Self, D::Error> {
        let given = given(field)?;
        given.as_str().and_then(|text| strict_day(text.trim())).map(Self).ok_or_else(|| {
            D::Error::custom(format!(
                "dueDate is {given}; give a real calendar day as YYYY-MM-DD, for example 2026-03-15"
            ))
        })
    }
}

struct UpdateTaskDueDate;

impl Tool for UpdateTaskDueDate {
    type Args = Args;
    const NAME: &'static str = "update_task_due_date";
    const ALIASES: &'static [&'static str] = &["set_task_due_date"];
    const DESCRIPTION: &'static str =
        "Propose the day the task is due. Never the day of a release, a meeting or an incident.";
    const EXAMPLE: Option<&'static str> = None;
}

impl Proposal for UpdateTaskDueDate {
    fn check(args: Args, task: &TaskState) -> Result<Checked<Args>, Refused> {
        let Day(due) = args.due_date;
        if task.due_on == Some(due) {
            return Err(Refused::Redundant(format!("the task is already due on {due}")));
        }
        Ok(Checked { args, edits: vec![Edit::DueOn(Some(due))] })
    }

    fn target(_args: &Args) -> Target {
        Target::field(Field::DueDate)
    }

    fn summary(args: &Args, _task: Option<&TaskState>) -> String {
        format!("Set due date to {}", args.due_date.0)
    }

    fn prompt_args(args: &Args, _task: &TaskState) -> String {
        args.due_date.0.to_string()
    }

    fn change(args: &Args, task: Option<&TaskState>) -> Option<FieldChange> {
        let value = |on| FieldValue::Day { on };
        Some(FieldChange {
            field: FieldRef::DueDate,
            from: task.and_then(|task| task.due_on).map(value),
            to: Some(value(args.due_date.0)),
        })
    }
}
