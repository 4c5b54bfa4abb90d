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
use dormouse_types::missing_provider::HowToAdd;
use dormouse_types::problem::{ProblemFacts, ProblemKind, Retry};
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
    /// A provider of models that was not added.
    #[error("there is no provider {name}: {}", how.advice())]
    NoProvider {
        /// As given.
        name: String,
        /// What to do.
        how: HowToAdd,
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

/// An error as in RFC 9457, without the wire format.
#[derive(Debug, Clone)]
pub struct Problem {
    /// Its kind; the page about it is `docs/errors/<kind>.md`.
    pub kind: ProblemKind,
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
    /// What kind of problem it is.
    pub fn kind(&self) -> ProblemKind {
        match self {
            Self::ScopeMissing { .. } => ProblemKind::ScopeMissing,
            Self::CodeRefused => ProblemKind::CodeRefused,
            Self::Invalid { .. } | Self::WorkRefused { .. } => ProblemKind::ValidationFailed,
            Self::Beyond(beyond) => beyond.limit.problem,
            Self::NotFound { .. } | Self::NoProvider { .. } => ProblemKind::NotFound,
            Self::ConfirmAlone { .. } => ProblemKind::ConfirmAlone,
            Self::Import(
                ImportError::Text(MarkdownError::TooLarge { .. })
                | ImportError::Other(OtherError::TooLarge { .. }),
            ) => ProblemKind::PayloadTooLarge,
            Self::Import(_) => ProblemKind::ImportFailed,
            Self::Correction { source: CorrectionError::Limit { source, .. }, .. } => {
                source.limit.problem
            }
            Self::Correction { .. } => ProblemKind::ValidationFailed,
            Self::PlanChanged { .. } => ProblemKind::PlanChanged,
            Self::Model(_) => ProblemKind::ModelUnavailable,
            Self::Ended { .. } => ProblemKind::Internal,
            Self::Date(_) => ProblemKind::DateNotUnderstood,
            Self::DeletedTask { .. } => ProblemKind::TaskDeleted,
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
        self.kind() == ProblemKind::DamagedRow
    }

    /// The error as a problem.
    pub fn problem(&self) -> Problem {
        let kind = self.kind();
        let ProblemFacts { status, title, retry } = kind.facts();
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
        Problem { kind, status, title: title.to_owned(), detail: chain(self), retry, extra }
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

fn journal(error: &JournalError) -> ProblemKind {
    use dormouse_journal::EditError;
    match error {
        JournalError::NoTask { .. } => ProblemKind::NotFound,
        JournalError::Edit(EditError::Deleted { .. }) => ProblemKind::TaskDeleted,
        JournalError::Edit(EditError::Beyond { beyond, .. }) => beyond.limit.problem,
        JournalError::Edit(
            EditError::NoItem { .. }
            | EditError::NoEntry { .. }
            | EditError::NoLabel { .. }
            | EditError::NoCategory { .. }
            | EditError::NoOtherTask { .. }
            | EditError::NoLink { .. },
        ) => ProblemKind::NotFound,
        JournalError::Edit(EditError::OtherDeleted { .. }) => ProblemKind::TaskDeleted,
        JournalError::Edit(EditError::LinkExists { .. }) => ProblemKind::LinkExists,
        JournalError::Edit(_) | JournalError::Cursor { .. } | JournalError::Zone { .. } => {
            ProblemKind::ValidationFailed
        }
        JournalError::Changed(_) => ProblemKind::UndoRefused,
        JournalError::Precondition { .. } => ProblemKind::PreconditionFailed,
        JournalError::Conflict { .. } | JournalError::Fenced { .. } => ProblemKind::Conflict,
        JournalError::Reused { .. } => ProblemKind::IdempotencyMismatch,
        JournalError::Stored { .. } => ProblemKind::DamagedRow,
        JournalError::Read(error) => read(error),
        JournalError::Commit(error) => commit(error),
    }
}

fn decide(error: &DecideError) -> ProblemKind {
    match error {
        DecideError::NotFound { .. } | DecideError::OfOtherTask { .. } => ProblemKind::NotFound,
        DecideError::DigestDiffers { .. } | DecideError::NotShown { .. } => {
            ProblemKind::PreconditionFailed
        }
        DecideError::ValueChanged { .. } => ProblemKind::ValueChanged,
        DecideError::ParentFirst { .. } => ProblemKind::ParentFirst,
        DecideError::TaskDeleted { .. } => ProblemKind::TaskDeleted,
        DecideError::TaskClosed { .. } => ProblemKind::TaskClosed,
        DecideError::AlreadyDecided { .. } => ProblemKind::AlreadyDecided,
        DecideError::Expired { .. } => ProblemKind::ChangeSetExpired,
        DecideError::Retracted { .. } => ProblemKind::ChangeRetracted,
        DecideError::Changed { .. }
        | DecideError::Begun { .. }
        | DecideError::NothingToUndo { .. } => ProblemKind::UndoRefused,
        DecideError::Reason(beyond) => beyond.limit.problem,
        DecideError::Busy { .. } | DecideError::NotApplied { .. } => ProblemKind::Conflict,
        DecideError::Journal(error) => journal(error),
        DecideError::Read(error) => read(error),
        DecideError::Commit(error) => commit(error),
        DecideError::Broken(_) => ProblemKind::Internal,
    }
}

fn agent(error: &AgentError) -> ProblemKind {
    match error {
        AgentError::NotFound { .. } | AgentError::NoRun { .. } | AgentError::NoLine { .. } => {
            ProblemKind::NotFound
        }
        AgentError::Exists { .. } => ProblemKind::AgentExists,
        AgentError::TaskDeleted { .. } | AgentError::NoTask { .. } => ProblemKind::TaskDeleted,
        AgentError::State { .. } | AgentError::ReaderAtWork(_) => ProblemKind::AgentState,
        AgentError::RunEnded { .. } => ProblemKind::RunEnded,
        AgentError::Beyond(beyond) | AgentError::Unheard { beyond, .. } => beyond.limit.problem,
        AgentError::BlankMessage => ProblemKind::ValidationFailed,
        AgentError::Reused { .. } => ProblemKind::IdempotencyMismatch,
        AgentError::Busy { .. } => ProblemKind::Conflict,
        AgentError::Template(error) => template(error),
        AgentError::Rule(error) => rule(error),
        AgentError::Journal(error) => journal(error),
        AgentError::Changes(error) => decide(error),
        AgentError::Work(RunError::Read(error)) | AgentError::Read(error) => read(error),
        AgentError::Work(RunError::Commit(error)) | AgentError::Commit(error) => commit(error),
        AgentError::Work(RunError::TooLarge(_)) => ProblemKind::LimitReached,
        AgentError::Work(RunError::Broken(_)) => ProblemKind::Internal,
    }
}

fn rule(error: &RuleError) -> ProblemKind {
    match error {
        RuleError::UnknownTool { .. }
        | RuleError::Everything
        | RuleError::NeverByItself { .. }
        | RuleError::OfAgentWork
        | RuleError::Condition(_)
        | RuleError::WrongHolder { .. } => ProblemKind::ValidationFailed,
        RuleError::NoHolder { .. } | RuleError::NotFound { .. } => ProblemKind::NotFound,
        RuleError::TaskDeleted { .. } => ProblemKind::TaskDeleted,
        RuleError::Exists => ProblemKind::RuleExists,
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

fn template(error: &TemplateError) -> ProblemKind {
    match error {
        TemplateError::NotFound { .. }
        | TemplateError::NoVersion { .. }
        | TemplateError::NoEvolution { .. }
        | TemplateError::NoSession { .. } => ProblemKind::NotFound,
        TemplateError::Changed { .. } | TemplateError::Moved { .. } => {
            ProblemKind::PreconditionFailed
        }
        TemplateError::EvolutionActive { .. } => ProblemKind::EvolutionActive,
        TemplateError::InUse { .. } | TemplateError::IsDefault { .. } => ProblemKind::TemplateInUse,
        TemplateError::Archived { .. }
        | TemplateError::NotActive { .. }
        | TemplateError::NoActive { .. }
        | TemplateError::NoProposal { .. }
        | TemplateError::WrongKind { .. } => ProblemKind::TemplateState,
        TemplateError::NoCategory { .. }
        | TemplateError::Text { .. }
        | TemplateError::EmptyMessage => ProblemKind::ValidationFailed,
        TemplateError::Busy { .. } => ProblemKind::Conflict,
    }
}

fn work(error: &WorkError) -> ProblemKind {
    match error {
        WorkError::NotFound { .. }
        | WorkError::NoRun { .. }
        | WorkError::NoQuestion { .. }
        | WorkError::NoConversation { .. }
        | WorkError::NoOccurrence { .. }
        | WorkError::NoHook { .. }
        | WorkError::HookRefused(HookRefusal::Unknown) => ProblemKind::NotFound,
        WorkError::HookRefused(
            HookRefusal::Malformed | HookRefusal::Forged | HookRefusal::Late,
        ) => ProblemKind::HookRefused,
        WorkError::HookRefused(HookRefusal::Altered) => ProblemKind::DeliveryChanged,
        WorkError::HookRefused(HookRefusal::Inactive) => ProblemKind::WorkState,
        WorkError::HookRefused(HookRefusal::TooMany) => ProblemKind::HookBusy,
        WorkError::HookRefused(HookRefusal::Unreadable) | WorkError::NoSealingKey(_) => {
            ProblemKind::SealingKey
        }
        WorkError::Beyond(beyond) => beyond.limit.problem,
        WorkError::Schedule(_) | WorkError::NothingToCome { .. } => ProblemKind::DateNotUnderstood,
        WorkError::Blank { .. }
        | WorkError::Filter(_)
        | WorkError::HookSecret(_)
        | WorkError::Step(_)
        | WorkError::NeedsLanguageModel { .. }
        | WorkError::NothingFollows { .. }
        | WorkError::Parameter(_) => ProblemKind::ValidationFailed,
        WorkError::State { .. }
        | WorkError::NoCorrections { .. }
        | WorkError::RunState { .. }
        | WorkError::Occurrence { .. } => ProblemKind::WorkState,
        WorkError::NeedsDecide { .. } => ProblemKind::ScopeMissing,
        WorkError::Answered { .. } | WorkError::Closed { .. } => ProblemKind::QuestionClosed,
        WorkError::Reused { .. } => ProblemKind::IdempotencyMismatch,
        WorkError::Busy { .. } => ProblemKind::Conflict,
        WorkError::Run(RunError::Read(error)) | WorkError::Read(error) => read(error),
        WorkError::Run(RunError::Commit(error)) | WorkError::Commit(error) => commit(error),
        WorkError::Run(RunError::TooLarge(_)) => ProblemKind::LimitReached,
        WorkError::Run(RunError::Broken(_)) => ProblemKind::Internal,
    }
}

fn read(error: &ReadError) -> ProblemKind {
    match error {
        ReadError::Engine { .. } => ProblemKind::StoreFailed,
        ReadError::Corrupt { .. } => ProblemKind::DamagedRow,
    }
}

fn commit(error: &CommitError) -> ProblemKind {
    match error {
        CommitError::Refused { .. } => ProblemKind::Conflict,
        CommitError::Mismatch { .. } => ProblemKind::IdempotencyMismatch,
        CommitError::Unknown { .. } | CommitError::Broken { .. } => ProblemKind::StoreFailed,
    }
}
