//! Groups of problems that a handler names in its annotation, because they depend on its subject.
//!
//! Those that follow from an operation's path, parameters and body are not listed here: the
//! document adds them to every operation, and files each problem under its status.

use std::collections::BTreeMap;

use dormouse_types::problem::ProblemKind;
use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response};

macro_rules! problems {
    ($($(#[$doc:meta])* $name:ident = [$($kind:ident),* $(,)?];)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;

        impl IntoResponses for $name {
            fn responses() -> BTreeMap<String, RefOr<Response>> {
                [$(ProblemKind::$kind),*].map(|kind| (kind.to_string(), Response::new("").into())).into()
            }
        }
    )*};
}

problems! {
    /// A query refers to something that may not exist.
    Finds = [NotFound];
    /// The operation writes.
    Writes = [Conflict];
    /// A task is created.
    NewTask = [Conflict, LimitReached];
    /// A task is changed.
    Edits = [Conflict, TaskDeleted];
    /// Something is added to a task.
    Adds = [Conflict, TaskDeleted, LimitReached];
    /// Two tasks are linked.
    Links = [Conflict, TaskDeleted, LimitReached, LinkExists];
    /// A code is exchanged.
    Codes = [CodeRefused, LimitReached, Conflict];
    /// The operation hands out something of limited number.
    Tickets = [LimitReached, Conflict];
    /// Tasks are written in a format.
    Exports = [NotFound, TaskDeleted];
    /// A task is shown as a page.
    Pages = [TaskDeleted];
    /// A text is read as a date.
    Dates = [DateNotUnderstood];
    /// A file is read.
    Imports = [ImportFailed, PlanChanged];
    /// A file is decoded.
    ImportTexts = [ImportFailed];
    /// Providers and models are changed.
    Models = [NotFound, Conflict];
    /// A provider is called.
    AsksProvider = [NotFound, Conflict, ModelUnavailable];
    /// A task gets an agent.
    NewAgent = [Conflict, TaskDeleted, AgentExists];
    /// An agent does something.
    Agents = [Conflict, AgentState, TaskDeleted];
    /// The settings of an agent are changed, perhaps to a model or a template.
    AgentEdits = [Conflict, AgentState, TaskDeleted, NotFound, TemplateState];
    /// A template is made, perhaps for a model of some provider.
    NewTemplates = [Conflict, LimitReached, NotFound];
    /// A template is changed, perhaps to a model of some provider.
    TemplateEdits = [Conflict, LimitReached, TemplateState, TemplateInUse];
    /// A rule is made.
    NewRules = [Conflict, LimitReached, TaskDeleted, RuleExists, NotFound];
    /// A tool gets another policy.
    ToolPolicies = [Conflict, TemplateState];
    /// A session about a template is started.
    NewEvolutions = [Conflict, EvolutionActive, TemplateState];
    /// Something happens in a session about a template.
    Evolutions = [Conflict, LimitReached, TemplateState];
    /// A proposal of a session is approved.
    EvolutionApprovals = [Conflict, LimitReached, TemplateState, PreconditionFailed];
    TemplateDeletes = [Conflict, TemplateInUse];
    /// Agent work is made, perhaps for a model of some provider.
    NewWork = [Conflict, LimitReached, NotFound, DateNotUnderstood];
    /// Agent work does something.
    Work = [Conflict, WorkState];
    /// Agent work is edited.
    WorkEdits = [Conflict, WorkState, DateNotUnderstood];
    /// A question of agent work is answered.
    Questions = [Conflict, QuestionClosed];
    /// A hook of agent work gets a secret.
    NewHooks = [Conflict, WorkState, LimitReached, SealingKey];
    /// A program outside calls a hook.
    Hooks = [Conflict, HookRefused, DeliveryChanged, WorkState, HookBusy, SealingKey];
    /// Words are removed.
    Forgets = [Conflict, AgentState];
    /// A run is cancelled.
    Cancels = [Conflict, RunEnded];
    /// The user decides.
    Decides = [
        Conflict,
        PreconditionFailed,
        AlreadyDecided,
        ChangeSetExpired,
        ChangeRetracted,
        UndoRefused,
        TaskDeleted,
        TaskClosed,
        ValueChanged,
        ParentFirst,
    ];
}
