//! Why a command failed, and what to do about it.

use axum::body::Bytes;
use serde::Deserialize;
use serde_json::Value;

use crate::terminal::line;

/// A command that failed.
#[derive(Debug)]
pub struct Failure {
    /// The exit code: 1 for refused or failed, 2 for not understood.
    pub code: u8,
    /// What failed, naming the thing.
    pub message: String,
    /// Further lines, such as candidates.
    pub more: Vec<String>,
    /// What to do.
    pub hint: Option<String>,
    /// The problem from the API, for `--json`.
    pub body: Option<Bytes>,
}

impl Failure {
    /// Refused or failed.
    pub fn failed(message: impl Into<String>) -> Self {
        Self { code: 1, message: message.into(), more: Vec::new(), hint: None, body: None }
    }

    /// The command line is invalid.
    pub fn usage(message: impl Into<String>) -> Self {
        Self { code: 2, ..Self::failed(message) }
    }

    /// Adds a hint on what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// Whether the API refused with this type of problem.
    pub fn is(&self, slug: &str) -> bool {
        self.member("type").is_some_and(|kind| kind.as_str() == Some(&format!("/problems/{slug}")))
    }

    /// A member of the problem that the API refused with.
    pub fn member(&self, name: &str) -> Option<Value> {
        let problem: Value = serde_json::from_slice(self.body.as_ref()?).ok()?;
        problem.get(name).cloned()
    }

    /// Parses an error response of the API.
    pub fn refused(status: u16, body: Bytes) -> Self {
        let (message, hint) = match serde_json::from_slice::<Problem>(&body) {
            Ok(problem) => (line(&problem.detail), problem.hint()),
            Err(_) => {
                (format!("the response has status {status} and is not a problem document"), None)
            }
        };
        Self { hint, body: Some(body), ..Self::failed(message) }
    }
}

/// A problem document.
#[derive(Debug, Clone, Deserialize)]
pub struct Problem {
    #[serde(rename = "type")]
    kind: String,
    /// What happened, and often what to do.
    pub detail: String,
}

impl Problem {
    /// The command to suggest; `None` if the detail already says what to do.
    fn hint(&self) -> Option<String> {
        let slug = self.kind.rsplit('/').next().unwrap_or_default();
        HINTS.iter().find(|(name, _)| *name == slug).map(|(_, hint)| (*hint).to_owned())
    }
}

/// (problem type, the command that helps).
const HINTS: &[(&str, &str)] = &[
    ("not-found", "`dormouse task list` and `dormouse agent list` show what exists"),
    ("link-exists", "`dormouse task show` lists the links of a task"),
    ("agent-exists", "`dormouse agent list` shows it; a task has only one agent at a time"),
    ("already-decided", "`dormouse change undo SET:ITEM` undoes a decision"),
    (
        "change-set-expired",
        "it is proposed again only if a newer entry asks for it; to change it now, edit the task",
    ),
    ("task-deleted", "`dormouse task restore TASK` restores the task and its proposals"),
    ("task-closed", "`dormouse task edit TASK --status open` reopens the task and its proposals"),
    ("damaged-row", "other tasks still work; restore this one from a backup of the data folder"),
    ("store-failed", "check the disk and the permissions of the data folder, then try again"),
    ("payload-too-large", "split the text: several notes are fine"),
];
