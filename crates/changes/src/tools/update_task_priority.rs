//! `update_task_priority`: proposes how urgent the task is.

use dormouse_journal::Edit;
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::model::TaskState;
use dormouse_types::task::{Field, Priority};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::tool::{Checked, ModelTool, Proposal, Refused, Target, Tool, given};
use crate::words;

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool::proposal(&UpdateTaskPriority);

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Args {
    /// P0 urgent, P1 high, P2 medium, P3 low.
    #[schemars(with = "Priority")]
    priority: Ranked,
}

/// In any spelling that the list of priorities knows.
#[derive(Clone, Copy, Serialize)]
struct Ranked(Priority);

impl<'de> Deserialize<'de> for Ranked {
    fn deserialize<D: Deserializer<'de>>(field: D) -> Result<Self, D::Error> {
        let given = given(field)?;
        given.as_str().unwrap_or_default().parse().map(Self).map_err(D::Error::custom)
    }
}

struct UpdateTaskPriority;

impl Tool for UpdateTaskPriority {
    type Args = Args;
    const NAME: &'static str = "update_task_priority";
    const ALIASES: &'static [&'static str] = &["set_task_priority"];
    const DESCRIPTION: &'static str =
        "Propose the priority of the task itself, never of a finding or an item.";
    const EXAMPLE: Option<&'static str> = None;
}

impl Proposal for UpdateTaskPriority {
    fn check(args: Args, task: &TaskState) -> Result<Checked<Args>, Refused> {
        let Ranked(priority) = args.priority;
        // An unranked task counts as P2, so proposing P2 would change nothing.
        if task.priority.unwrap_or_default() == priority {
            return Err(Refused::Redundant(format!(
                "the priority is already {}",
                words::priority(priority)
            )));
        }
        Ok(Checked { args, edits: vec![Edit::Priority(Some(priority))] })
    }

    fn target(_args: &Args) -> Target {
        Target::field(Field::Priority)
    }

    fn summary(args: &Args, _task: Option<&TaskState>) -> String {
        format!("Set priority to {}", words::priority(args.priority.0))
    }

    fn prompt_args(args: &Args, _task: &TaskState) -> String {
        args.priority.0.to_string()
    }

    fn change(args: &Args, task: Option<&TaskState>) -> Option<FieldChange> {
        let value = |priority| FieldValue::Priority { priority };
        Some(FieldChange {
            field: FieldRef::Priority,
            from: task.and_then(|task| task.priority).map(value),
            to: Some(value(args.priority.0)),
        })
    }
}
