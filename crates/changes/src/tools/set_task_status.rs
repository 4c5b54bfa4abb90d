//! `set_task_status`: proposes a status. Only the person can close a task.

use dormouse_journal::Edit;
use dormouse_types::limits;
use dormouse_types::model::TaskState;
use dormouse_types::task::Status;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Checked, EvidenceArg, ItemTool, ModelTool, Policy, Refused, Target, schema};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the schema; arguments are read leniently")]
struct Args {
    /// OPEN, GROOMED, IN PROGRESS, BLOCKED or ON HOLD. DONE and REJECTED are the person's.
    status: String,
    /// Needed for BLOCKED and ON HOLD: what it waits for.
    reason: Option<String>,
    evidence: Option<EvidenceArg>,
    /// Why, in a few words.
    rationale: Option<String>,
}

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool {
    name: "set_task_status",
    aliases: &["update_task_status"],
    description: "Propose a status of the task as a whole. BLOCKED and ON HOLD need a reason.",
    policy: Policy::Deferred,
    schema: schema::<Args>,
    item: Some(&SetTaskStatus),
};

/// The tool as a change item stores it.
pub struct SetTaskStatus;

impl ItemTool for SetTaskStatus {
    fn name(&self) -> &'static str {
        "set_task_status"
    }

    fn check(&self, args: &Value, task: &TaskState) -> Result<Checked, Refused> {
        let given = args["status"].as_str().unwrap_or_default();
        let allowed = || {
            let live = Status::ALL.iter().filter(|status| !status.is_terminal());
            live.map(|status| status.name()).collect::<Vec<_>>().join(", ")
        };
        let status: Status = given.parse().map_err(|e: dormouse_types::task::NotListed| {
            // The full list would name statuses that only the person may set.
            Refused::Invalid(format!(
                "unknown {} `{}`; you may propose {}",
                e.what,
                e.given,
                allowed()
            ))
        })?;
        if status.is_terminal() {
            return Err(Refused::Invalid(format!(
                "{status} is set by the person only; you may propose {}",
                allowed()
            )));
        }
        let reason = args["reason"].as_str().map(str::trim).filter(|reason| !reason.is_empty());
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
        let args = match &reason {
            Some(reason) => json!({ "status": status, "reason": reason }),
            None => json!({ "status": status }),
        };
        Ok(Checked { args, edits: vec![Edit::Status { status, reason }] })
    }

    fn target(&self, _args: &Value) -> Target {
        Target { key: "status".into(), single: true }
    }

    fn is_destructive(&self, _args: &Value) -> bool {
        false
    }

    fn summary(&self, args: &Value, _task: Option<&TaskState>) -> String {
        format!("Set status to {}", self.proposed(args))
    }

    fn now(&self, _args: &Value, task: &TaskState) -> Option<String> {
        Some(match &task.status_reason {
            Some(reason) => format!("{} ({reason})", task.status),
            None => task.status.to_string(),
        })
    }

    fn proposed(&self, args: &Value) -> String {
        let status = args["status"].as_str().unwrap_or_default();
        match args["reason"].as_str() {
            Some(reason) => format!("{status} ({reason})"),
            None => status.to_owned(),
        }
    }
}
