//! Bodies of requests, and of the few answers that are not views. Values on closed lists are text
//! here, so that every wrong one is named.

mod access;
mod change;
mod export;
mod import;
mod read;
mod task;

pub(crate) use access::{CodeParams, TokenParams};
pub(crate) use change::{
    AgentParams, AgentPatch, ConfirmAllParams, Decided, DecisionParams, ShownParams, VerdictName,
    VerdictParams, WakeParams, Wanted, over,
};
pub(crate) use export::Export;
pub(crate) use import::{ImportLine, Stopped};
pub(crate) use read::Reading;
pub(crate) use task::{
    EntryParams, EntryPatch, ItemParams, ItemPatch, LabelParams, LinkParams, TaskParams, TaskPatch,
    TimeParams,
};
