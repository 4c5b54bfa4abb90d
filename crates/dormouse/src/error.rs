//! The errors of the facade, and their problems with a stable type.

use dormouse_access::AccessError;
use dormouse_agents::AgentError;
use dormouse_agents::template::TemplateError;
use dormouse_changes::DecideError;
use dormouse_changes::rule::service::RuleError;
use dormouse_formats::intake::ReadError as OtherError;
use dormouse_formats::markdown::ReadError as MarkdownError;
use dormouse_formats::plan::{CorrectionError, Error as ImportError};
use dormouse_formats::recurrence::ScheduleError;
use dormouse_formats::when::NotUnderstood;
use dormouse_journal::JournalError;
use dormouse_queries::QueryError;
use dormouse_runs::RunError;
use dormouse_store::{CommitError, ReadError};
use dormouse_store::{MaybeRefused, Refusal};
use dormouse_types::TaskId;
use dormouse_types::limits::Beyond;
use dormouse_types::work_hook::HookRefusal;
use dormouse_types::work_kind::WorkRefusal;
use dormouse_types::work_step::StepError;
use dormouse_work::WorkError;
use serde_json::{Map, Value, json};

/// Why a request failed. Nothing is partly written.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The caller lacks a scope.
    #[error("this needs the scope `{scope}`")]
    ScopeMissing {
        /// The name.
        scope: &'static str,
    },
    /// An invalid one-time code. The error does not reveal the reason.
    #[error(
        "the code was used, has expired or never existed: `dormouse open` prints a link with a new one"
    )]
    CodeRefused,
    /// A value that is not acceptable.
    #[error("{field}: {message}")]
    Invalid {
        /// The name.
        field: &'static str,
        /// What is wrong, and what would be right.
        message: String,
    },
    /// Parameters of agent work that cannot be switched on.
    #[error("parameters: {message}")]
    WorkRefused {
        /// Why not.
        refusal: WorkRefusal,
        /// What is wrong, and what would be right.
        message: String,
    },
    /// A value beyond a limit.
    #[error(transparent)]
    Beyond(#[from] Beyond),
    /// A resource that does not exist.
    #[error("there is no {what} {id}")]
    NotFound {
        /// What kind of thing.
        what: &'static str,
        /// As given.
        id: String,
    },
    /// A proposal that removes something, in a list of several.
    #[error("proposal {item} removes something: confirm it on its own")]
    ConfirmAlone {
        /// `SET:ITEM`.
        item: String,
    },
    /// A provider of models did not answer as it should.
    #[error("{0}")]
    Model(String),
    /// A file that cannot be imported; nothing was written.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A correction of a plan that is not possible.
    #[error("{source}")]
    Correction {
        /// Which of the corrections of the request it is, if it is one of them.
        index: Option<usize>,
        /// Why.
        source: CorrectionError,
    },
    /// The plan that the person saw is not the plan of this import.
    #[error(
        "the plan of {file} is out of date: its text, its format, or the corrections of an \
         earlier import have changed; read the plan again"
    )]
    PlanChanged {
        /// The name of the file.
        file: String,
    },
    /// A computation ended without a result.
    #[error(
        "{what} ended without a result: try again; if it fails again, `dormouse doctor` may know"
    )]
    Ended {
        /// What it was.
        what: &'static str,
    },
    /// A text that is not understood as a date.
    #[error(transparent)]
    Date(#[from] NotUnderstood),
    /// A deleted task, for a file that holds none.
    #[error(
        "task {task} is deleted: restore it first, or export it without a format, which includes deleted tasks"
    )]
    DeletedTask {
        /// The task.
        task: TaskId,
    },
    /// About a task.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// About a proposal.
    #[error(transparent)]
    Decide(#[from] DecideError),
    /// About an agent.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// About a rule.
    #[error(transparent)]
    Rule(#[from] RuleError),
    /// About agent work.
    #[error(transparent)]
    Work(#[from] WorkError),
    /// Rows cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A commit failed.
    #[error(transparent)]
    Commit(#[from] CommitError),
}

/// Whether retrying helps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Retry {
    /// The same request never succeeds.
    Never,
    /// The same request may succeed later.
    Later,
    /// After the user changes something.
    AfterUser,
}

/// An error as in RFC 9457, without the wire format.
#[derive(Debug, Clone)]
pub struct Problem {
    /// The slug of its type; its page is `docs/errors/<slug>.md`.
    pub kind: &'static str,
    /// HTTP status.
    pub status: u16,
    /// The same for every problem of this type.
    pub title: String,
    /// What happened this time, and what to do.
    pub detail: String,
    /// Whether retrying helps.
    pub retry: Retry,
    /// Further members.
    pub extra: Map<String, Value>,
}

/// Every problem type: slug, HTTP status, title, whether retrying helps.
pub const PROBLEMS: &[(&str, u16, &str, Retry)] = &[
    ("not-found", 404, "Not found", Retry::Never),
    ("validation-failed", 422, "Invalid value", Retry::AfterUser),
    ("limit-reached", 409, "Limit reached", Retry::AfterUser),
    ("payload-too-large", 413, "The body is too large", Retry::AfterUser),
    ("import-failed", 422, "The file cannot be imported", Retry::AfterUser),
    ("plan-changed", 409, "The plan has changed", Retry::AfterUser),
    ("model-unavailable", 502, "The provider of the model did not answer", Retry::Later),
    ("date-not-understood", 422, "The text is not understood as a date", Retry::AfterUser),
    ("scope-missing", 403, "The token lacks a scope", Retry::AfterUser),
    ("code-refused", 401, "The one-time code is not valid", Retry::AfterUser),
    ("conflict", 409, "Conflicting change", Retry::Later),
    ("precondition-failed", 412, "The resource has changed", Retry::AfterUser),
    (
        "idempotency-mismatch",
        422,
        "The idempotency key was used for another request",
        Retry::AfterUser,
    ),
    ("agent-exists", 409, "The task already has an agent", Retry::AfterUser),
    ("agent-state", 409, "Not allowed in the agent's current state", Retry::AfterUser),
    ("template-in-use", 409, "The template is in use", Retry::AfterUser),
    ("template-state", 409, "Not possible in the current state of the template", Retry::AfterUser),
    ("rule-exists", 409, "The rule already exists", Retry::Never),
    ("evolution-active", 409, "The template already has a session", Retry::AfterUser),
    ("run-ended", 409, "The run has already ended", Retry::Never),
    ("work-state", 409, "Not possible in the current state of the work", Retry::AfterUser),
    ("hook-refused", 403, "The call of the hook is refused", Retry::AfterUser),
    ("delivery-changed", 409, "A call with this id had another body", Retry::Never),
    ("hook-busy", 429, "The hourly limit of the hook is reached", Retry::Later),
    ("sealing-key", 503, "The encryption key for hook secrets is unavailable", Retry::AfterUser),
    ("question-closed", 409, "The question is closed", Retry::Never),
    ("link-exists", 409, "The tasks are already linked this way", Retry::Never),
    ("task-deleted", 409, "The task is deleted", Retry::AfterUser),
    ("task-closed", 409, "The task is closed", Retry::AfterUser),
    ("value-changed", 409, "The value has changed since the proposal", Retry::AfterUser),
    ("parent-first", 409, "The proposal belongs to another one", Retry::AfterUser),
    ("confirm-alone", 409, "The proposal must be confirmed on its own", Retry::AfterUser),
    ("already-decided", 409, "The proposal has already been decided", Retry::Never),
    ("change-set-expired", 410, "The proposal has expired", Retry::Never),
    ("change-retracted", 409, "The proposal cannot be applied", Retry::Never),
    ("undo-refused", 409, "The decision cannot be undone", Retry::Never),
    ("damaged-row", 500, "A stored row cannot be read", Retry::Never),
    ("store-failed", 503, "The database cannot be used", Retry::Later),
    ("internal", 500, "Internal error", Retry::Never),
];

impl From<AccessError> for Error {
    fn from(error: AccessError) -> Self {
        match error {
            AccessError::ScopeMissing { scope } => Self::ScopeMissing { scope },
            AccessError::CodeRefused => Self::CodeRefused,
            AccessError::Invalid { field, message } => Self::Invalid { field, message },
            AccessError::Beyond(beyond) => Self::Beyond(beyond),
            AccessError::NoToken { id } => Self::NotFound { what: "token", id: id.to_string() },
            AccessError::Read(error) => Self::Read(error),
            AccessError::Commit(error) => Self::Commit(error),
        }
    }
}

impl From<QueryError> for Error {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Invalid { field, message } => Self::Invalid { field, message },
            QueryError::Beyond(beyond) => Self::Beyond(beyond),
            QueryError::NotFound { what, id } => Self::NotFound { what, id },
            QueryError::Journal(error) => Self::Journal(error),
            QueryError::Agent(error) => Self::Agent(error),
            QueryError::Read(error) => Self::Read(error),
        }
    }
}

impl Error {
    /// The slug of the problem type.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::ScopeMissing { .. } => "scope-missing",
            Self::CodeRefused => "code-refused",
            Self::Invalid { .. } | Self::WorkRefused { .. } => "validation-failed",
            Self::Beyond(beyond) => beyond.limit.problem,
            Self::NotFound { .. } => "not-found",
            Self::ConfirmAlone { .. } => "confirm-alone",
            Self::Import(
                ImportError::Text(MarkdownError::TooLarge { .. })
                | ImportError::Other(OtherError::TooLarge { .. }),
            ) => "payload-too-large",
            Self::Import(_) => "import-failed",
            Self::Correction { source: CorrectionError::Limit { source, .. }, .. } => {
                source.limit.problem
            }
            Self::Correction { .. } => "validation-failed",
            Self::PlanChanged { .. } => "plan-changed",
            Self::Model(_) => "model-unavailable",
            Self::Ended { .. } => "internal",
            Self::Date(_) => "date-not-understood",
            Self::DeletedTask { .. } => "task-deleted",
            Self::Journal(error) => journal(error),
            Self::Decide(error) => decide(error),
            Self::Agent(error) => agent(error),
            Self::Rule(error) => rule(error),
            Self::Work(error) => work(error),
            Self::Read(error) => read(error),
            Self::Commit(error) => commit(error),
        }
    }

    /// Whether a stored row cannot be read; lists skip such a row.
    pub(crate) fn is_damage(&self) -> bool {
        self.kind() == "damaged-row"
    }

    /// The error as a problem.
    pub fn problem(&self) -> Problem {
        let slug = self.kind();
        let (kind, status, title, retry) = PROBLEMS
            .iter()
            .find(|(kind, ..)| *kind == slug)
            .unwrap_or(&PROBLEMS[PROBLEMS.len() - 1]);
        let mut extra = Map::new();
        if let Some(beyond) = self.beyond() {
            extra.insert("limit".into(), json!(beyond.limit.max));
            extra.insert("actual".into(), json!(beyond.actual));
            extra.insert("unit".into(), json!(beyond.limit.unit));
        }
        if let Self::Decide(DecideError::ValueChanged { now, current, .. }) = self {
            extra.insert("now".into(), json!(now));
            extra.insert("current".into(), json!(current));
        }
        if let Self::Decide(DecideError::ParentFirst { parent, .. }) = self {
            extra.insert("parent".into(), json!(parent));
        }
        if let Self::Agent(AgentError::Template(TemplateError::EvolutionActive {
            session, ..
        })) = self
        {
            extra.insert("session".into(), json!(session));
        }
        if let Self::WorkRefused { refusal, .. } = self {
            extra.insert("refusal".into(), json!(refusal));
        }
        if let Some(part) = self.part_not_understood() {
            extra.insert("part".into(), json!(part));
        }
        if let Some(field) = self.field() {
            // A parameter is named as in the URL, a value by its place in the body.
            let pointer = match self {
                Self::Correction { index: Some(index), .. } => format!("/{field}/{index}"),
                _ if field.starts_with('?') => field.to_owned(),
                _ => format!("/{field}"),
            };
            let error = json!({ "pointer": pointer, "code": kind, "message": chain(self) });
            extra.insert("errors".into(), json!([error]));
        }
        Problem {
            kind,
            status: *status,
            title: (*title).to_owned(),
            detail: chain(self),
            retry: *retry,
            extra,
        }
    }

    fn beyond(&self) -> Option<&Beyond> {
        use dormouse_journal::EditError;
        match self {
            Self::Beyond(beyond)
            | Self::Correction { source: CorrectionError::Limit { source: beyond, .. }, .. }
            | Self::Decide(DecideError::Reason(beyond))
            | Self::Rule(RuleError::TooMany(beyond))
            | Self::Agent(AgentError::Beyond(beyond) | AgentError::Unheard { beyond, .. })
            | Self::Work(WorkError::Beyond(beyond) | WorkError::Step(StepError::Beyond(beyond)))
            | Self::Journal(JournalError::Edit(EditError::Beyond { beyond, .. })) => Some(beyond),
            _ => None,
        }
    }

    fn part_not_understood(&self) -> Option<&str> {
        match self {
            Self::Date(error) | Self::Work(WorkError::Schedule(ScheduleError::Words(error))) => {
                error.part()
            }
            Self::Work(WorkError::Schedule(ScheduleError::NotRead { part, .. })) => Some(part),
            _ => None,
        }
    }

    fn field(&self) -> Option<&'static str> {
        match self {
            Self::Invalid { field, .. } => Some(field),
            Self::WorkRefused { .. } => Some("parameters"),
            Self::Date(_) => Some("?text"),
            Self::Journal(JournalError::Edit(error)) => Some(error.field()),
            Self::Journal(JournalError::Zone { .. }) => Some("timeZone"),
            Self::Agent(
                AgentError::BlankMessage | AgentError::Template(TemplateError::EmptyMessage),
            ) => Some("message"),
            Self::Agent(AgentError::Rule(error)) | Self::Rule(error) => rule_field(error),
            Self::Agent(AgentError::Template(TemplateError::Text { field, .. })) => Some(field),
            Self::Agent(AgentError::Template(TemplateError::NoCategory { .. })) => {
                Some("categoryIds")
            }
            Self::Work(WorkError::Blank { what }) => Some(what),
            Self::Work(WorkError::Schedule(_) | WorkError::NothingToCome { .. }) => {
                Some("schedule")
            }
            Self::Work(WorkError::NeedsLanguageModel { .. }) => Some("model"),
            Self::Work(WorkError::Parameter(_)) => Some("parameters"),
            Self::Work(WorkError::Filter(_)) => Some("events"),
            Self::Work(WorkError::HookSecret(_)) => Some("secret"),
            Self::Work(WorkError::Step(_)) => Some("steps"),
            Self::Work(WorkError::NothingFollows { .. }) => Some("templateId"),
            Self::Correction { .. } => Some("corrections"),
            _ => None,
        }
    }
}

/// The whole chain in one line: a message never repeats its source.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let next = error.to_string();
        if !text.contains(&next) {
            text.push_str(": ");
            text.push_str(&next);
        }
        source = error.source();
    }
    text
}

impl MaybeRefused for Error {
    fn refusal(&self) -> Option<Refusal> {
        match self {
            Self::Journal(error) => error.refusal(),
            _ => None,
        }
    }
}

fn journal(error: &JournalError) -> &'static str {
    use dormouse_journal::EditError;
    match error {
        JournalError::NoTask { .. } => "not-found",
        JournalError::Edit(EditError::Deleted { .. }) => "task-deleted",
        JournalError::Edit(EditError::Beyond { beyond, .. }) => beyond.limit.problem,
        JournalError::Edit(
            EditError::NoItem { .. }
            | EditError::NoEntry { .. }
            | EditError::NoLabel { .. }
            | EditError::NoCategory { .. }
            | EditError::NoOtherTask { .. }
            | EditError::NoLink { .. },
        ) => "not-found",
        JournalError::Edit(EditError::OtherDeleted { .. }) => "task-deleted",
        JournalError::Edit(EditError::LinkExists { .. }) => "link-exists",
        JournalError::Edit(_) | JournalError::Cursor { .. } | JournalError::Zone { .. } => {
            "validation-failed"
        }
        JournalError::Changed(_) => "undo-refused",
        JournalError::Precondition { .. } => "precondition-failed",
        JournalError::Conflict { .. } | JournalError::Fenced { .. } => "conflict",
        JournalError::Reused { .. } => "idempotency-mismatch",
        JournalError::Stored { .. } => "damaged-row",
        JournalError::Read(error) => read(error),
        JournalError::Commit(error) => commit(error),
    }
}

fn decide(error: &DecideError) -> &'static str {
    match error {
        DecideError::NotFound { .. } | DecideError::OfOtherTask { .. } => "not-found",
        DecideError::DigestDiffers { .. } | DecideError::NotShown { .. } => "precondition-failed",
        DecideError::ValueChanged { .. } => "value-changed",
        DecideError::ParentFirst { .. } => "parent-first",
        DecideError::TaskDeleted { .. } => "task-deleted",
        DecideError::TaskClosed { .. } => "task-closed",
        DecideError::AlreadyDecided { .. } => "already-decided",
        DecideError::Expired { .. } => "change-set-expired",
        DecideError::Retracted { .. } => "change-retracted",
        DecideError::Changed { .. }
        | DecideError::Begun { .. }
        | DecideError::NothingToUndo { .. } => "undo-refused",
        DecideError::Reason(beyond) => beyond.limit.problem,
        DecideError::Busy { .. } | DecideError::NotApplied { .. } => "conflict",
        DecideError::Journal(error) => journal(error),
        DecideError::Read(error) => read(error),
        DecideError::Commit(error) => commit(error),
        DecideError::Broken(_) => "internal",
    }
}

fn agent(error: &AgentError) -> &'static str {
    match error {
        AgentError::NotFound { .. } | AgentError::NoRun { .. } | AgentError::NoLine { .. } => {
            "not-found"
        }
        AgentError::Exists { .. } => "agent-exists",
        AgentError::TaskDeleted { .. } | AgentError::NoTask { .. } => "task-deleted",
        AgentError::State { .. } | AgentError::ReaderAtWork(_) => "agent-state",
        AgentError::RunEnded { .. } => "run-ended",
        AgentError::Beyond(beyond) | AgentError::Unheard { beyond, .. } => beyond.limit.problem,
        AgentError::BlankMessage => "validation-failed",
        AgentError::Reused { .. } => "idempotency-mismatch",
        AgentError::Busy { .. } => "conflict",
        AgentError::Template(error) => template(error),
        AgentError::Rule(error) => rule(error),
        AgentError::Journal(error) => journal(error),
        AgentError::Changes(error) => decide(error),
        AgentError::Work(RunError::Read(error)) | AgentError::Read(error) => read(error),
        AgentError::Work(RunError::Commit(error)) | AgentError::Commit(error) => commit(error),
        AgentError::Work(RunError::TooLarge(_)) => "limit-reached",
        AgentError::Work(RunError::Broken(_)) => "internal",
    }
}

fn rule(error: &RuleError) -> &'static str {
    match error {
        RuleError::UnknownTool { .. }
        | RuleError::Everything
        | RuleError::NeverByItself { .. }
        | RuleError::OfAgentWork
        | RuleError::Condition(_)
        | RuleError::WrongHolder { .. } => "validation-failed",
        RuleError::NoHolder { .. } | RuleError::NotFound { .. } => "not-found",
        RuleError::TaskDeleted { .. } => "task-deleted",
        RuleError::Exists => "rule-exists",
        RuleError::TooMany(beyond) => beyond.limit.problem,
        RuleError::Read(error) => read(error),
        RuleError::Commit(error) => commit(error),
    }
}

/// The field of a request that makes a rule refused.
fn rule_field(error: &RuleError) -> Option<&'static str> {
    match error {
        RuleError::UnknownTool { .. } | RuleError::Everything => Some("tool"),
        RuleError::NeverByItself { .. } | RuleError::OfAgentWork => Some("policy"),
        RuleError::Condition(_) => Some("condition"),
        RuleError::WrongHolder { .. } => Some("holder"),
        _ => None,
    }
}

fn template(error: &TemplateError) -> &'static str {
    match error {
        TemplateError::NotFound { .. }
        | TemplateError::NoVersion { .. }
        | TemplateError::NoEvolution { .. }
        | TemplateError::NoSession { .. } => "not-found",
        TemplateError::Changed { .. } | TemplateError::Moved { .. } => "precondition-failed",
        TemplateError::EvolutionActive { .. } => "evolution-active",
        TemplateError::InUse { .. } | TemplateError::IsDefault { .. } => "template-in-use",
        TemplateError::Archived { .. }
        | TemplateError::NotActive { .. }
        | TemplateError::NoActive { .. }
        | TemplateError::NoProposal { .. }
        | TemplateError::WrongKind { .. } => "template-state",
        TemplateError::NoCategory { .. }
        | TemplateError::Text { .. }
        | TemplateError::EmptyMessage => "validation-failed",
        TemplateError::Busy { .. } => "conflict",
    }
}

fn work(error: &WorkError) -> &'static str {
    match error {
        WorkError::NotFound { .. }
        | WorkError::NoRun { .. }
        | WorkError::NoQuestion { .. }
        | WorkError::NoConversation { .. }
        | WorkError::NoOccurrence { .. }
        | WorkError::NoHook { .. }
        | WorkError::HookRefused(HookRefusal::Unknown) => "not-found",
        WorkError::HookRefused(
            HookRefusal::Malformed | HookRefusal::Forged | HookRefusal::Late,
        ) => "hook-refused",
        WorkError::HookRefused(HookRefusal::Altered) => "delivery-changed",
        WorkError::HookRefused(HookRefusal::Inactive) => "work-state",
        WorkError::HookRefused(HookRefusal::TooMany) => "hook-busy",
        WorkError::HookRefused(HookRefusal::Unreadable) | WorkError::NoSealingKey(_) => {
            "sealing-key"
        }
        WorkError::Beyond(beyond) => beyond.limit.problem,
        WorkError::Schedule(_) | WorkError::NothingToCome { .. } => "date-not-understood",
        WorkError::Blank { .. }
        | WorkError::Filter(_)
        | WorkError::HookSecret(_)
        | WorkError::Step(_)
        | WorkError::NeedsLanguageModel { .. }
        | WorkError::NothingFollows { .. }
        | WorkError::Parameter(_) => "validation-failed",
        WorkError::State { .. }
        | WorkError::NoCorrections { .. }
        | WorkError::RunState { .. }
        | WorkError::Occurrence { .. } => "work-state",
        WorkError::NeedsDecide { .. } => "scope-missing",
        WorkError::Answered { .. } | WorkError::Closed { .. } => "question-closed",
        WorkError::Reused { .. } => "idempotency-mismatch",
        WorkError::Busy { .. } => "conflict",
        WorkError::Run(RunError::Read(error)) | WorkError::Read(error) => read(error),
        WorkError::Run(RunError::Commit(error)) | WorkError::Commit(error) => commit(error),
        WorkError::Run(RunError::TooLarge(_)) => "limit-reached",
        WorkError::Run(RunError::Broken(_)) => "internal",
    }
}

fn read(error: &ReadError) -> &'static str {
    match error {
        ReadError::Engine { .. } => "store-failed",
        ReadError::Corrupt { .. } => "damaged-row",
    }
}

fn commit(error: &CommitError) -> &'static str {
    match error {
        CommitError::Refused { .. } => "conflict",
        CommitError::Mismatch { .. } => "idempotency-mismatch",
        CommitError::Unknown { .. } | CommitError::Broken { .. } => "store-failed",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slugs_are_unique() {
        let mut slugs: Vec<_> = PROBLEMS.iter().map(|(slug, ..)| *slug).collect();
        slugs.sort_unstable();
        slugs.dedup();
        assert_eq!(slugs.len(), PROBLEMS.len());
    }
}
