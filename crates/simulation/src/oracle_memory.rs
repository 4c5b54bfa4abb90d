//! What the oracle remembers of a play: only data, which its parts read and write.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_types::spend::Budgets;

/// What the oracle remembers.
#[derive(Default)]
pub(crate) struct Oracle {
    /// The epoch of the last commit of a run of each agent.
    pub(crate) epochs: BTreeMap<String, i64>,
    /// The highest epoch under which each agent was claimed.
    pub(crate) claimed: BTreeMap<String, i64>,
    /// Ids under which the journal was written.
    pub(crate) operations: BTreeSet<String>,
    /// By owner and run: the epoch under which a request was recorded last, and when.
    pub(crate) requests: BTreeMap<(String, String), (i64, usize)>,
    /// By owner and run: the epoch under which a run was claimed, and when it last went on.
    pub(crate) holds: BTreeMap<(String, String), (i64, usize)>,
    /// Questions under way.
    pub(crate) asks: Vec<Ask>,
    pub(crate) n_asks: u64,
    /// Since when a person knows that an agent asks no more.
    pub(crate) held: BTreeMap<String, usize>,
    /// How far the feed was routed when the wake of an agent was cancelled.
    pub(crate) cancelled: BTreeMap<String, i64>,
    /// Texts whose writing was acknowledged: task and text.
    pub(crate) acknowledged: Vec<(String, String)>,
    /// What people said to agents.
    pub(crate) messages: MessageLedger,
    /// When agents and persons wrote to a task, to the microsecond.
    pub(crate) writes: BTreeMap<(String, i64), (bool, bool)>,
    /// Who was marked, and how far the feed was routed.
    pub(crate) marks: Marks,
    /// The requests that were sent to models, and what is recorded of their answers.
    pub(crate) turns: Turns,
    pub(crate) spent: Spent,
    /// What models were shown of the logs that they fold, by run.
    pub(crate) folding: BTreeMap<String, String>,
}

/// The requests that were sent to models, and what is recorded of their answers.
#[derive(Default)]
pub(crate) struct Turns {
    /// How many turns of a run are recorded.
    pub(crate) recorded: BTreeMap<String, u32>,
    /// How often a turn of a run was requested.
    pub(crate) requests: BTreeMap<(String, u32), i64>,
}

/// What the oracle knows of money.
#[derive(Default)]
pub(crate) struct Spent {
    /// The largest budgets so far; people only raise them. `None` until they are set.
    pub(crate) budgets: Option<Budgets>,
    /// The largest reservation so far.
    pub(crate) largest: i64,
    /// Since when a person knows that no paid call begins.
    pub(crate) is_off: Option<usize>,
    /// When the last call of a run was reserved.
    pub(crate) reserved_at: BTreeMap<String, usize>,
}

/// A question that is under way.
pub(crate) struct Ask {
    pub(crate) number: u64,
    pub(crate) agent: String,
    pub(crate) owner: String,
    pub(crate) run: String,
    pub(crate) epoch: i64,
}

/// What was said, and whether it was heard.
#[derive(Default)]
pub(crate) struct MessageLedger {
    /// Messages whose sending was acknowledged, by agent.
    pub(crate) acknowledged: BTreeMap<String, Vec<String>>,
    /// The newest position that is heard or withdrawn, by agent, as the last commit left it.
    pub(crate) marks: BTreeMap<String, i64>,
    /// Positions that cancelled wakes took back: after the first, up to the second.
    pub(crate) withdrawn: BTreeMap<String, Vec<(i64, i64)>>,
    /// Positions up to which words wait, by agent: a run was cancelled, and none has ended since.
    pub(crate) waiting: BTreeMap<String, i64>,
    /// Cancelled wakes less the answers to them, by agent.
    pub(crate) unanswered: BTreeMap<String, i64>,
    /// Words that an answer to a cancellation named.
    pub(crate) named: BTreeSet<String>,
}

/// What the oracle remembers of the last commit.
#[derive(Default)]
pub(crate) struct Marks {
    /// Up to where each journal was ever routed.
    pub(crate) furthest: BTreeMap<String, i64>,
    /// How far it was routed before the commit that is being applied.
    pub(crate) routed: i64,
    /// Who was marked as changed before it.
    pub(crate) marked: Vec<String>,
}
