//! `set_task_status`: proposes a status. Only the person can close a task.

use dormouse_journal::Edit;
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::limits;
use dormouse_types::model::TaskState;
use dormouse_types::task::{Field, NotListed, Status};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::tool::{Checked, ModelTool, Proposal, Refused, Target, Tool, given, text};
use crate::words;

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool::proposal(&SetTaskStatus);

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Args {
    /// OPEN, GROOMED, IN PROGRESS, BLOCKED or ON HOLD. DONE and REJECTED are the person's.
    #[schemars(with = "String")]
    status: Proposable,
    /// Needed for BLOCKED and ON HOLD: what it waits for.
    #[serde(default, deserialize_with = "text", skip_serializing_if = "Option::is_none")]
    #[schemars(!default, !skip_serializing_if)]
    reason: Option<String>,
}

/// A status that an agent may propose, in any spelling that the list of statuses knows.
#[derive(Clone, Copy, Serialize)]
struct Proposable(Status);

impl<'de> Deserialize<'de> for Proposable {
    fn deserialize<D: Deserializer<'de>>(field: D) -> Result<Self, D::Error> {
        let given = given(field)?;
        let parsed: Result<Status, NotListed> = given.as_str().unwrap_or_default().parse();
        match parsed {
            Ok(status) if status.is_terminal() => Err(D::Error::custom(format!(
                "{status} is set by the person only; you may propose {}",
                allowed()
            ))),
            Ok(status) => Ok(Self(status)),
            // The full list would name statuses that only the person may set.
            Err(e) => Err(D::Error::custom(format!(
                "unknown {} `{}`; you may propose {}",
                e.what,
                e.given,
                allowed()
            ))),
        }
    }
}

fn allowed() -> String {
    let live = Status::ALL.iter().filter(|status| !status.is_terminal());
    live.map(|status| status.name()).collect::<Vec<_>>().join(", ")
}

struct SetTaskStatus;

impl Tool for SetTaskStatus {
    type Args = Args;
    const NAME: &'static str = "set_task_status";
    const ALIASES: &'static [&'static str] = &["update_task_status"];
    const DESCRIPTION: &'static str =
        "Propose a status of the task as a whole. BLOCKED and ON HOLD need a reason.";
    const EXAMPLE: Option<&'static str> = None;
}

impl Proposal for SetTaskStatus {
    fn check(args: Args, task: &TaskState) -> Result<Checked<Args>, Refused> {
        let Proposable(status) = args.status;
        let reason = args.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
        if status.needs_reason() && reason.is_none() {
            return Err(Refused::Invalid(format!(
                "{status} needs a reason: say what the task waits for"
            )));
        }
        let reason = reason.filter(|_| status.needs_reason()).map(ToOwned::to_owned);
        if let Some(reason) = &reason {
            limits::REASON
                .check(reason.chars().count())
                .map_err(|beyond| Refused::Invalid(beyond.to_string()))?;
        }
        if task.status.is_terminal() {
            return Err(Refused::Redundant(format!(
                "the person closed the task as {}; leave its status",
                task.status
            )));
        }
        if task.status == status && (reason.is_none() || task.status_reason == reason) {
            return Err(Refused::Redundant(format!("the status is already {status}")));
        }
        let edits = vec![Edit::Status { status, reason: reason.clone() }];
        Ok(Checked { args: Args { status: args.status, reason }, edits })
    }

    fn target(_args: &Args) -> Target {
        Target::field(Field::Status)
    }

    fn summary(args: &Args, _task: Option<&TaskState>) -> String {
        format!("Set status to {}", words::status(args.status.0, args.reason.as_deref()))
    }

    fn change(args: &Args, task: Option<&TaskState>) -> Option<FieldChange> {
        let value =
            |status, reason: &Option<String>| FieldValue::Status { status, reason: reason.clone() };
        Some(FieldChange {
            field: FieldRef::Status,
            from: task.map(|task| value(task.status, &task.status_reason)),
            to: Some(value(args.status.0, &args.reason)),
        })
    }
}
