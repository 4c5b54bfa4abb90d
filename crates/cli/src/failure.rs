//! Why a command failed, and what to do about it.

use axum::body::Bytes;
use dormouse::ProblemKind;
use dormouse_types::closed_list::Listed;
use dormouse_types::work_kind::WorkRefusal;
use serde::Deserialize;
use serde_json::Value;

use crate::terminal::line;

/// A command that failed.
#[derive(Debug)]
pub struct Failure {
    /// The exit code: 1 for refused, failed or not agreed to, 2 for not understood.
    pub code: u8,
    /// Whether the person did not agree to what they requested; that is no error.
    pub is_declined: bool,
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
        Self {
            code: 1,
            is_declined: false,
            message: message.into(),
            more: Vec::new(),
            hint: None,
            body: None,
        }
    }

    /// The person was asked, and did not agree.
    pub fn declined(message: impl Into<String>) -> Self {
        Self { is_declined: true, ..Self::failed(message) }
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
    pub fn is(&self, kind: ProblemKind) -> bool {
        self.member("type").is_some_and(|address| address.as_str() == Some(&kind.address()))
    }

    /// A member of the problem that the API refused with.
    pub fn member(&self, name: &str) -> Option<Value> {
        let problem: Value = serde_json::from_slice(self.body.as_ref()?).ok()?;
        problem.get(name).cloned()
    }

    /// Parses an error response of the API.
    pub fn refused(status: u16, body: Bytes) -> Self {
        let (message, hint) = match serde_json::from_slice::<Problem>(&body) {
            Ok(problem) => (problem.message(), problem.hint()),
            Err(_) => {
                (format!("the response has status {status} and is not a problem document"), None)
            }
        };
        let refused = Self { hint, body: Some(body), ..Self::failed(message) };
        // What is not understood is a mistake of the command line.
        let code = if refused.is(ProblemKind::DateNotUnderstood) { 2 } else { refused.code };
        Self { code, ..refused }
    }
}

/// A problem document.
#[derive(Debug, Clone, Deserialize)]
pub struct Problem {
    #[serde(rename = "type")]
    kind: String,
    /// What happened, and often what to do.
    pub detail: String,
    /// Why agent work is not switched on.
    refusal: Option<Listed<WorkRefusal>>,
}

impl Problem {
    /// What happened; in words of the terminal where the reason is on a list.
    fn message(&self) -> String {
        let refusal = self.refusal.as_ref().and_then(Listed::known);
        refusal.map_or_else(|| line(&self.detail), |one| describe_work_refusal(one).to_owned())
    }

    /// The command to suggest; `None` if the detail already says what to do.
    fn hint(&self) -> Option<String> {
        let slug = self.kind.rsplit('/').next().unwrap_or_default();
        // Of a provider it names the command that adds it.
        if slug == ProblemKind::NotFound.name() && self.detail.contains("`dormouse ") {
            return None;
        }
        HINTS.iter().find(|(kind, _)| kind.name() == slug).map(|(_, hint)| (*hint).to_owned())
    }
}

/// Says why agent work is not switched on, and what to do. `work.cannotSwitchOn` in
/// `web/src/i18n/en/work.ts` has the words of the page.
fn describe_work_refusal(refusal: WorkRefusal) -> &'static str {
    match refusal {
        WorkRefusal::MakesTasks => {
            "agent work does not create a task from nothing; it can copy a task, or reset a checklist: say which"
        }
        WorkRefusal::TaskGone => {
            "the task that it repeats does not exist any more; `dormouse task list` lists the tasks"
        }
        WorkRefusal::NoTitle => "the task that it creates has no title; write one in quotes",
        WorkRefusal::OutOfRange => "a number of days or tasks is too small or too large",
        WorkRefusal::NoList => "it would never say anything; name at least one thing to report",
    }
}

/// (kind of a problem, the command that helps).
const HINTS: &[(ProblemKind, &str)] = &[
    (
        ProblemKind::NotFound,
        "`dormouse task list`, and `list` of agent, work, template and models, show what exists",
    ),
    (ProblemKind::LinkExists, "`dormouse task show` lists the links of a task"),
    (
        ProblemKind::AgentExists,
        "`dormouse agent list` shows it; a task has only one agent at a time",
    ),
    (ProblemKind::AlreadyDecided, "`dormouse change undo SET:ITEM` undoes a decision"),
    (
        ProblemKind::ChangeSetExpired,
        "it is proposed again only if a newer entry asks for it; to change it now, edit the task",
    ),
    (ProblemKind::TaskDeleted, "`dormouse task restore TASK` restores the task and its proposals"),
    (
        ProblemKind::TaskClosed,
        "`dormouse task edit TASK --status open` reopens the task and its proposals",
    ),
    (
        ProblemKind::DamagedRow,
        "other tasks still work; restore this one from a backup of the data folder",
    ),
    (
        ProblemKind::StoreFailed,
        "check the disk and the permissions of the data folder, then try again",
    ),
    (ProblemKind::PayloadTooLarge, "split the text: several notes are fine"),
];

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn hint_of(refusal: &str) -> String {
        let problem = json!({
            "type": "/problems/validation-failed",
            "detail": "parameters: as the server says it",
            "refusal": refusal,
        });
        Failure::refused(422, Bytes::from(problem.to_string())).message
    }

    #[test]
    fn each_reason_why_work_is_not_switched_on_has_a_sentence_of_its_own() {
        let all: Vec<String> = WorkRefusal::ALL.iter().map(|one| hint_of(one.name())).collect();
        for (place, sentence) in all.iter().enumerate() {
            assert!(!sentence.contains("parameters"), "{sentence}");
            assert!(!all[..place].contains(sentence), "said twice: {sentence}");
        }
    }

    #[test]
    fn a_date_that_is_not_understood_is_a_mistake_of_the_command_line() {
        let code = |slug: &str| {
            let problem = json!({ "type": format!("/problems/{slug}"), "detail": "refused" });
            Failure::refused(422, Bytes::from(problem.to_string())).code
        };
        assert_eq!((code("date-not-understood"), code("validation-failed")), (2, 1));
    }

    #[test]
    fn a_reason_of_a_newer_server_is_shown_in_the_words_of_that_server() {
        assert_eq!(hint_of("ofTomorrow"), "parameters: as the server says it");
    }
}
