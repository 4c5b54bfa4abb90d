//! Request bodies, and the few response bodies that are not views. Values from closed lists are
//! plain text here, so that every invalid one can be reported.

mod access;
mod attention;
mod change;
mod conversation;
mod delivery;
mod export;
mod hook;
mod import;
mod read;
mod task;
mod template;
mod rule;
mod settings;
mod evolution;
mod work;

pub(crate) use access::{CodeParams, TokenParams};
pub(crate) use attention::AcknowledgementParams;
pub(crate) use change::{
    AgentParams, AgentPatch, ConfirmAllParams, Decided, DecidedItems, DecisionParams,
    PreviewParams, ShownParams, VerdictParams, WakeParams, Wanted, known_value,
};
pub(crate) use conversation::{ConversationParams, TurnParams};
pub(crate) use delivery::DeliveryMarkParams;
pub(crate) use evolution::{
    ApprovalParams, EvolutionMessageParams, EvolutionParams, RejectionParams,
};
pub(crate) use export::Exported;
pub(crate) use hook::{HookParams, HookRotationParams};
pub(crate) use import::{ImportLine, ImportTextParams, Stopped};
pub(crate) use read::Reading;
pub(crate) use rule::{RuleFilter, RuleParams, SuggestionFilter, ToolPolicyParams};
pub(crate) use settings::SettingsParams;
pub(crate) use task::{
    EntryParams, ItemParams, LabelParams, LinkParams, TaskParams, TaskPatch, TimeParams,
};
pub(crate) use template::{DuplicateParams, TemplateParams, TemplatePatch};
pub(crate) use work::{
    WorkAnswerParams, WorkChange, WorkCorrectionParams, WorkMoveParams, WorkParams, WorkPatch,
    WorkReadParams, WorkReviewParams, WorkSuspendParams, WorkTryParams,
};
