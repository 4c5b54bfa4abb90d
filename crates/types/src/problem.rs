//! The kinds of problems, with what each always says.

use crate::closed_list;

closed_list! {
    /// What kind of problem a request led to: the last part of the `type` of RFC 9457.
    pub enum ProblemKind, "kind of problem" {
        /// Not found.
        NotFound = "not-found",
        /// Invalid value.
        ValidationFailed = "validation-failed",
        /// Limit reached.
        LimitReached = "limit-reached",
        /// The body is too large.
        PayloadTooLarge = "payload-too-large",
        /// The file cannot be imported.
        ImportFailed = "import-failed",
        /// The plan has changed.
        PlanChanged = "plan-changed",
        /// The provider of the model did not answer.
        ModelUnavailable = "model-unavailable",
        /// The text is not understood as a date.
        DateNotUnderstood = "date-not-understood",
        /// The token lacks a scope.
        ScopeMissing = "scope-missing",
        /// The one-time code is not valid.
        CodeRefused = "code-refused",
        /// Conflicting change.
        Conflict = "conflict",
        /// The resource has changed.
        PreconditionFailed = "precondition-failed",
        /// The idempotency key was used for another request.
        IdempotencyMismatch = "idempotency-mismatch",
        /// The task already has an agent.
        AgentExists = "agent-exists",
        /// Not allowed in the agent's current state.
        AgentState = "agent-state",
        /// The template is in use.
        TemplateInUse = "template-in-use",
        /// Not possible in the current state of the template.
        TemplateState = "template-state",
        /// The rule already exists.
        RuleExists = "rule-exists",
        /// The template already has a session.
        EvolutionActive = "evolution-active",
        /// The run has already ended.
        RunEnded = "run-ended",
        /// Not possible in the current state of the work.
        WorkState = "work-state",
        /// The call of the hook is refused.
        HookRefused = "hook-refused",
        /// A call with this id had another body.
        DeliveryChanged = "delivery-changed",
        /// The hourly limit of the hook is reached.
        HookBusy = "hook-busy",
        /// The encryption key for hook secrets is unavailable.
        SealingKey = "sealing-key",
        /// The question is closed.
        QuestionClosed = "question-closed",
        /// The tasks are already linked this way.
        LinkExists = "link-exists",
        /// The task is deleted.
        TaskDeleted = "task-deleted",
        /// The task is closed.
        TaskClosed = "task-closed",
        /// The value has changed since the proposal.
        ValueChanged = "value-changed",
        /// The proposal belongs to another one.
        ParentFirst = "parent-first",
        /// The proposal must be confirmed on its own.
        ConfirmAlone = "confirm-alone",
        /// The proposal has already been decided.
        AlreadyDecided = "already-decided",
        /// The proposal has expired.
        ChangeSetExpired = "change-set-expired",
        /// The proposal cannot be applied.
        ChangeRetracted = "change-retracted",
        /// The decision cannot be undone.
        UndoRefused = "undo-refused",
        /// A stored row cannot be read.
        DamagedRow = "damaged-row",
        /// The database cannot be used.
        StoreFailed = "store-failed",
        /// The body is not valid JSON.
        MalformedJson = "malformed-json",
        /// Method not allowed.
        MethodNotAllowed = "method-not-allowed",
        /// The request has no valid token.
        TokenMissing = "token-missing",
        /// The URL contains a token.
        TokenInUrl = "token-in-url",
        /// The request is meant for another server.
        MisdirectedRequest = "misdirected-request",
        /// The request comes from another page.
        OriginRefused = "origin-refused",
        /// Unsupported media type.
        UnsupportedMediaType = "unsupported-media-type",
        /// The URL is too long.
        UrlTooLong = "url-too-long",
        /// The headers are too large.
        HeadersTooLarge = "headers-too-large",
        /// Too many requests.
        RateLimited = "rate-limited",
        /// The request timed out.
        Timeout = "timeout",
        /// Internal error.
        Internal = "internal",
    }
}

closed_list! {
    /// Whether sending the same request again may help.
    pub enum Retry, "retry" {
        /// The same request never succeeds.
        Never = "never",
        /// The same request may succeed later.
        Later = "later",
        /// After the user changes something.
        AfterUser = "afterUser",
    }
}

/// What a kind of problem always says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProblemFacts {
    /// HTTP status.
    pub status: u16,
    /// The kind in words.
    pub title: &'static str,
    /// Whether retrying helps.
    pub retry: Retry,
}

impl ProblemKind {
    /// Its address, which is the path of the page about it.
    pub fn address(self) -> String {
        format!("/problems/{self}")
    }

    /// What this kind always says.
    pub fn facts(self) -> ProblemFacts {
        use Retry::{AfterUser, Later, Never};
        let (status, title, retry) = match self {
            Self::NotFound => (404, "Not found", Never),
            Self::ValidationFailed => (422, "Invalid value", AfterUser),
            Self::LimitReached => (409, "Limit reached", AfterUser),
            Self::PayloadTooLarge => (413, "The body is too large", AfterUser),
            Self::ImportFailed => (422, "The file cannot be imported", AfterUser),
            Self::PlanChanged => (409, "The plan has changed", AfterUser),
            Self::ModelUnavailable => (502, "The provider of the model did not answer", Later),
            Self::DateNotUnderstood => (422, "The text is not understood as a date", AfterUser),
            Self::ScopeMissing => (403, "The token lacks a scope", AfterUser),
            Self::CodeRefused => (401, "The one-time code is not valid", AfterUser),
            Self::Conflict => (409, "Conflicting change", Later),
            Self::PreconditionFailed => (412, "The resource has changed", AfterUser),
            Self::IdempotencyMismatch => {
                (422, "The idempotency key was used for another request", AfterUser)
            }
            Self::AgentExists => (409, "The task already has an agent", AfterUser),
            Self::AgentState => (409, "Not allowed in the agent's current state", AfterUser),
            Self::TemplateInUse => (409, "The template is in use", AfterUser),
            Self::TemplateState => {
                (409, "Not possible in the current state of the template", AfterUser)
            }
            Self::RuleExists => (409, "The rule already exists", Never),
            Self::EvolutionActive => (409, "The template already has a session", AfterUser),
            Self::RunEnded => (409, "The run has already ended", Never),
            Self::WorkState => (409, "Not possible in the current state of the work", AfterUser),
            Self::HookRefused => (403, "The call of the hook is refused", AfterUser),
            Self::DeliveryChanged => (409, "A call with this id had another body", Never),
            Self::HookBusy => (429, "The hourly limit of the hook is reached", Later),
            Self::SealingKey => {
                (503, "The encryption key for hook secrets is unavailable", AfterUser)
            }
            Self::QuestionClosed => (409, "The question is closed", Never),
            Self::LinkExists => (409, "The tasks are already linked this way", Never),
            Self::TaskDeleted => (409, "The task is deleted", AfterUser),
            Self::TaskClosed => (409, "The task is closed", AfterUser),
            Self::ValueChanged => (409, "The value has changed since the proposal", AfterUser),
            Self::ParentFirst => (409, "The proposal belongs to another one", AfterUser),
            Self::ConfirmAlone => (409, "The proposal must be confirmed on its own", AfterUser),
            Self::AlreadyDecided => (409, "The proposal has already been decided", Never),
            Self::ChangeSetExpired => (410, "The proposal has expired", Never),
            Self::ChangeRetracted => (409, "The proposal cannot be applied", Never),
            Self::UndoRefused => (409, "The decision cannot be undone", Never),
            Self::DamagedRow => (500, "A stored row cannot be read", Never),
            Self::StoreFailed => (503, "The database cannot be used", Later),
            Self::MalformedJson => (400, "The body is not valid JSON", AfterUser),
            Self::MethodNotAllowed => (405, "Method not allowed", Never),
            Self::TokenMissing => (401, "The request has no valid token", AfterUser),
            Self::TokenInUrl => (400, "The URL contains a token", AfterUser),
            Self::MisdirectedRequest => (421, "The request is meant for another server", AfterUser),
            Self::OriginRefused => (403, "The request comes from another page", AfterUser),
            Self::UnsupportedMediaType => (415, "Unsupported media type", AfterUser),
            Self::UrlTooLong => (414, "The URL is too long", AfterUser),
            Self::HeadersTooLarge => (431, "The headers are too large", AfterUser),
            Self::RateLimited => (429, "Too many requests", Later),
            Self::Timeout => (503, "The request timed out", Later),
            Self::Internal => (500, "Internal error", Never),
        };
        ProblemFacts { status, title, retry }
    }
}
