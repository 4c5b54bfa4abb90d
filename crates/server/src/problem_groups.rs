//! Groups of problems that a handler names in its annotation, because they depend on its subject.
//!
//! Those that follow from an operation's path, parameters and body are not listed here: the
//! document adds them to every operation, and files each problem under its status.

use std::collections::BTreeMap;

use utoipa::IntoResponses;
use utoipa::openapi::{RefOr, Response};

macro_rules! problems {
    ($($(#[$doc:meta])* $name:ident = [$($slug:literal),* $(,)?];)*) => {$(
        $(#[$doc])*
        pub(crate) struct $name;

        impl IntoResponses for $name {
            fn responses() -> BTreeMap<String, RefOr<Response>> {
                [$($slug),*].map(|slug| (slug.to_owned(), Response::new("").into())).into()
            }
        }
    )*};
}

problems! {
    /// A query refers to something that may not exist.
    Finds = ["not-found"];
    /// The operation writes.
    Writes = ["conflict"];
    /// A task is created.
    NewTask = ["conflict", "limit-reached"];
    /// A task is changed.
    Edits = ["conflict", "task-deleted"];
    /// Something is added to a task.
    Adds = ["conflict", "task-deleted", "limit-reached"];
    /// Two tasks are linked.
    Links = ["conflict", "task-deleted", "limit-reached", "link-exists"];
    /// A code is exchanged.
    Codes = ["code-refused", "limit-reached", "conflict"];
    /// The operation hands out something of limited number.
    Tickets = ["limit-reached", "conflict"];
    /// Tasks are written in a format.
    Exports = ["not-found", "task-deleted"];
    /// A task is shown as a page.
    Pages = ["task-deleted"];
    /// A text is read as a date.
    Dates = ["date-not-understood"];
    /// A file is read.
    Imports = ["import-failed", "plan-changed"];
    /// A file is decoded.
    ImportTexts = ["import-failed"];
    /// Providers and models are changed.
    Models = ["not-found", "conflict"];
    /// A provider is called.
    AsksProvider = ["not-found", "conflict", "model-unavailable"];
    /// A task gets an agent.
    NewAgent = ["conflict", "task-deleted", "agent-exists"];
    /// An agent does something.
    Agents = ["conflict", "agent-state", "task-deleted"];
    /// The settings of an agent are changed, perhaps to a model or a template.
    AgentEdits = ["conflict", "agent-state", "task-deleted", "not-found", "template-state"];
    /// A template is made, perhaps for a model of some provider.
    NewTemplates = ["conflict", "limit-reached", "not-found"];
    /// A template is changed, perhaps to a model of some provider.
    TemplateEdits = ["conflict", "limit-reached", "template-state", "template-in-use"];
    /// A rule is made.
    NewRules = ["conflict", "limit-reached", "task-deleted", "rule-exists", "not-found"];
    /// A tool gets another policy.
    ToolPolicies = ["conflict", "template-state"];
    /// A session about a template is started.
    NewEvolutions = ["conflict", "evolution-active", "template-state"];
    /// Something happens in a session about a template.
    Evolutions = ["conflict", "limit-reached", "template-state"];
    /// A proposal of a session is approved.
    EvolutionApprovals = ["conflict", "limit-reached", "template-state", "precondition-failed"];
    /// A template is deleted.
    TemplateDeletes = ["conflict", "template-in-use"];
    /// Agent work is made, perhaps for a model of some provider.
    NewWork = ["conflict", "limit-reached", "not-found", "date-not-understood"];
    /// Agent work does something.
    Work = ["conflict", "work-state"];
    /// Agent work is edited.
    WorkEdits = ["conflict", "work-state", "date-not-understood"];
    /// A question of agent work is answered.
    Questions = ["conflict", "question-closed"];
    /// A hook of agent work gets a secret.
    NewHooks = ["conflict", "work-state", "limit-reached", "sealing-key"];
    /// A program outside calls a hook.
    Hooks = ["conflict", "hook-refused", "delivery-changed", "work-state", "hook-busy", "sealing-key"];
    /// Words are removed.
    Forgets = ["conflict", "agent-state"];
    /// A run is cancelled.
    Cancels = ["conflict", "run-ended"];
    /// The user decides.
    Decides = [
        "conflict",
        "precondition-failed",
        "already-decided",
        "change-set-expired",
        "change-retracted",
        "undo-refused",
        "task-deleted",
        "task-closed",
        "value-changed",
        "parent-first",
    ];
}
