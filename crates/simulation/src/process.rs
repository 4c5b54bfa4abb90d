//! A process on one machine, as everybody in a play sees it.

use std::sync::Arc;

use dormouse::{Dormouse, Store};
use dormouse_agents::Agents;
use tokio::sync::oneshot;

use crate::hints::NodeHints;

/// A process that was started.
pub(crate) struct Node {
    pub(crate) owner: String,
    pub(crate) machine: usize,
    pub(crate) is_alive: bool,
    pub(crate) is_frozen: bool,
    pub(crate) hints: Arc<NodeHints>,
    pub(crate) stop: Option<oneshot::Sender<()>>,
    pub(crate) access: NodeAccess,
}

/// What a person can reach through a node.
#[derive(Clone)]
pub(crate) struct NodeAccess {
    /// The group of the node's tasks.
    pub(crate) group: usize,
    pub(crate) dormouse: Dormouse,
    /// What the facade does not show.
    pub(crate) agents: Agents,
    pub(crate) store: Store,
}
