//! Bodies of requests. Values on closed lists are text here, so that every wrong one is named.

mod change;
mod read;
mod task;

pub(crate) use change::{AgentParams, AgentPatch, DecisionParams, VerdictParams, WakeParams};
pub(crate) use read::Reading;
pub(crate) use task::{
    EntryParams, EntryPatch, ItemParams, ItemPatch, LabelParams, TaskParams, TaskPatch, TimeParams,
};
