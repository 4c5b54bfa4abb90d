//! Why an operation on agent work failed.

use dormouse_formats::recurrence::ScheduleError;
use dormouse_runs::RunError;
use dormouse_scheduler::{HandlerError, SchedulerError};
use dormouse_store::{CommitError, MaybeRefused, ReadError, Refusal};
use dormouse_types::limits::Beyond;
use dormouse_types::work::{RunState, WorkState};
use dormouse_types::work_filter::FilterError;
use dormouse_types::work_hook::HookRefusal;
use dormouse_types::work_kind::ParameterError;
use dormouse_types::work_step::StepError;
use dormouse_types::{ConversationId, HookId, QuestionId, TemplateId, WorkId, WorkRunId};

/// Why an operation on agent work failed.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    /// There is no such definition, or it is deleted. Retry: never.
    #[error("there is no agent work {work}: list it for its ids")]
    NotFound {
        /// The id as given.
        work: WorkId,
    },
    /// There is no such run. Retry: never.
    #[error("there is no run {run}: list the runs of its agent work for their ids")]
    NoRun {
        /// The id as given.
        run: WorkRunId,
    },
    /// No such occurrence is to come. Retry: never.
    #[error("`{key}` names no occurrence to come of {work}: list its occurrences for their keys")]
    NoOccurrence {
        /// The definition.
        work: WorkId,
        /// The key as given.
        key: String,
    },
    /// Not possible for this occurrence now. Retry: after following the hint.
    #[error("`{key}` {hint}")]
    Occurrence {
        /// The key of the occurrence.
        key: String,
        /// Why, and what the person can do.
        hint: &'static str,
    },
    /// There is no such question. Retry: never.
    #[error("there is no question {question}: show the run that asks for its questions")]
    NoQuestion {
        /// The id as given.
        question: QuestionId,
    },
    /// There is no such conversation. Retry: never.
    #[error("there is no conversation {conversation}: list the conversations for their ids")]
    NoConversation {
        /// The id as given.
        conversation: ConversationId,
    },
    /// A text is empty. Retry: with text.
    #[error("{}", empty(what))]
    Blank {
        /// Which text.
        what: &'static str,
    },
    /// A value exceeds its limit. Retry: with a smaller one.
    #[error(transparent)]
    Beyond(#[from] Beyond),
    /// A filter of changes passes nothing. Retry: with another one.
    #[error("{0}")]
    Filter(#[source] FilterError),
    /// A step that no run can do. Retry: with other steps.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The words are no schedule. Retry: with other words.
    #[error(transparent)]
    Schedule(#[from] ScheduleError),
    /// The schedule has no time that is still to come. Retry: with another one.
    #[error("`{words}` has no time that is still to come: write when it happens next")]
    NothingToCome {
        /// The words as given.
        words: String,
    },
    /// The model does not read instructions. Retry: with a language model.
    #[error(
        "{model} reads no instructions: agent work of this kind needs a language model. Choose one with `--model`, \
         or with `dormouse models use` for all; `dormouse models add` adds a provider"
    )]
    NeedsLanguageModel {
        /// The name of the model.
        model: String,
    },
    /// A parameter that no run can use. Retry: with another one.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// Not possible in the present state of the definition. Retry: after following the hint.
    #[error("agent work {work} is {state}: {hint}", state = .state.name())]
    State {
        /// The definition.
        work: WorkId,
        state: WorkState,
        /// What the person can do.
        hint: &'static str,
    },
    /// It has no language model that would read a correction. Retry: never.
    #[error(
        "no language model reads corrections of agent work {work}; edit its instructions or parameters"
    )]
    NoCorrections {
        /// The definition.
        work: WorkId,
    },
    /// Not possible in the present state of the run. Retry: never, unless the run moves.
    #[error("run {run} is {state}: {hint}", state = .state.name())]
    RunState {
        run: WorkRunId,
        state: RunState,
        /// What that means.
        hint: &'static str,
    },
    /// It needs the person, in whose place the caller may not decide. Retry: never, with this token.
    #[error(
        "agent work {work} needs the person, and to end that needs the scope `decide`: leave it to them"
    )]
    NeedsDecide { work: WorkId },
    /// The question has an answer. Retry: never.
    #[error("question {question} was answered already: {answer}")]
    Answered {
        question: QuestionId,
        /// The first answer.
        answer: String,
    },
    /// The question is closed. Retry: never.
    #[error("question {question} is closed: retry its run to be asked again")]
    Closed { question: QuestionId },
    /// The definition has no such hook. Retry: never.
    #[error("there is no hook {hook}: list the hooks of its agent work for their ids")]
    NoHook {
        /// The id as given.
        hook: HookId,
    },
    /// A secret that was given is none that calls can be signed with. Retry: with another one.
    #[error("{0}")]
    HookSecret(&'static str),
    /// The encryption key for hook secrets is unavailable. Retry: after following the text.
    #[error("the secret of a hook cannot be kept: {0}")]
    NoSealingKey(String),
    /// A call of a hook started nothing. Retry: as the reason says.
    #[error("{}", refusal_text(*.0))]
    HookRefused(HookRefusal),
    /// The work needs no language model, so nothing would follow a template. Retry: with a model.
    #[error(
        "work that needs no language model follows no template: choose a model for it, or leave out template {template}"
    )]
    NothingFollows { template: TemplateId },
    /// The idempotency key was used for a different request. Retry: with a fresh key.
    #[error("the id {id} was already used for a different request: use a fresh one")]
    Reused {
        /// The reused key.
        id: String,
    },
    /// Other writers keep changing it. Retry: later.
    #[error("agent work {work} is being changed by others: try again")]
    Busy {
        /// The definition.
        work: WorkId,
    },
    /// A run failed.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Rows cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A commit failed.
    #[error(transparent)]
    Commit(CommitError),
}

impl WorkError {
    /// Returns whether the error is damage to rows that only one definition needs, so that others can
    /// continue.
    pub fn is_damage(&self) -> bool {
        match self {
            Self::NotFound { .. }
            | Self::NoRun { .. }
            | Self::Read(ReadError::Corrupt { .. })
            | Self::Run(RunError::Read(ReadError::Corrupt { .. }) | RunError::Broken(_)) => true,
            Self::NoQuestion { .. }
            | Self::NoHook { .. }
            | Self::HookSecret(_)
            | Self::NoSealingKey(_)
            | Self::HookRefused(_)
            | Self::NoConversation { .. }
            | Self::NoOccurrence { .. }
            | Self::Occurrence { .. }
            | Self::Blank { .. }
            | Self::Beyond(_)
            | Self::Filter(_)
            | Self::Step(_)
            | Self::Schedule(_)
            | Self::NothingToCome { .. }
            | Self::NeedsLanguageModel { .. }
            | Self::NothingFollows { .. }
            | Self::Parameter(_)
            | Self::State { .. }
            | Self::NoCorrections { .. }
            | Self::RunState { .. }
            | Self::NeedsDecide { .. }
            | Self::Answered { .. }
            | Self::Closed { .. }
            | Self::Reused { .. }
            | Self::Busy { .. }
            | Self::Run(_)
            | Self::Read(_)
            | Self::Commit(_) => false,
        }
    }
}

impl MaybeRefused for WorkError {
    fn refusal(&self) -> Option<Refusal> {
        match self {
            Self::Commit(error) => error.refusal(),
            Self::Run(error) => error.refusal(),
            _ => None,
        }
    }
}

impl From<CommitError> for WorkError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Mismatch { id, .. } => Self::Reused { id },
            other @ (CommitError::Refused { .. }
            | CommitError::Unknown { .. }
            | CommitError::Broken { .. }) => Self::Commit(other),
        }
    }
}

impl From<SchedulerError> for WorkError {
    fn from(error: SchedulerError) -> Self {
        match error {
            SchedulerError::Read(error) => Self::Read(error),
            SchedulerError::Commit(error) => error.into(),
            error @ (SchedulerError::NoHandler { .. }
            | SchedulerError::Status(_)
            | SchedulerError::Handler(_)) => broken(error),
        }
    }
}

impl From<WorkError> for RunError {
    fn from(error: WorkError) -> Self {
        match error {
            WorkError::Read(error) => Self::Read(error),
            WorkError::Commit(error) => Self::Commit(error),
            WorkError::Run(error) => error,
            other => Self::Broken(other.to_string()),
        }
    }
}

impl From<WorkError> for HandlerError {
    fn from(error: WorkError) -> Self {
        Self { is_damage: error.is_damage(), source: Box::new(error) }
    }
}

/// What the sender of a refused call reads.
fn refusal_text(refusal: HookRefusal) -> &'static str {
    match refusal {
        HookRefusal::Unknown => "no hook has this address: list the hooks of the agent work",
        HookRefusal::Malformed => {
            "the call lacks a header that this form of hook needs, or its body is not UTF-8 text: see how a \
             test is sent on the page of the agent work"
        }
        HookRefusal::Forged => {
            "no secret of this hook made the signature: check the secret, and that the body is signed as it \
             is sent"
        }
        HookRefusal::Late => {
            "the call is signed for another time: check the clock of the sender, and sign each attempt again"
        }
        HookRefusal::Altered => {
            "an earlier call had this id and another body: give each call an id of its own"
        }
        HookRefusal::Inactive => "the agent work may not start runs: resume it first",
        HookRefusal::TooMany => {
            "this hook has started as many runs within the hour as it may: try again later"
        }
        HookRefusal::Unreadable => {
            "the secrets of this hook cannot be opened, because their key is missing or another one: bring \
             the key back, or rotate the secret"
        }
    }
}

/// Returns the error for a broken invariant.
pub(crate) fn broken(error: impl std::fmt::Display) -> WorkError {
    RunError::Broken(error.to_string()).into()
}

/// Returns whether a commit was refused because its occurrence has a run.
pub(crate) fn exists_already(error: &CommitError) -> bool {
    error.refusal() == Some(Refusal::Exists)
}

fn empty(what: &str) -> String {
    match what {
        "instructions" => "the instructions are empty: write some".to_owned(),
        one => format!("the {one} is empty: write one"),
    }
}
