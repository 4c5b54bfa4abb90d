//! Every limit, in one table. The docs page `docs/limits.md` and the tests at limit-1, limit and
//! limit+1 come from it.

/// A limit with the problem a person meets beyond it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Its name in the table and in problems.
    pub name: &'static str,
    /// The largest value that is accepted.
    pub max: usize,
    /// What is counted.
    pub unit: &'static str,
    /// The problem type beyond it.
    pub problem: &'static str,
}

/// A value beyond a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{} is {actual} {}, at most {} are accepted", .limit.name, .limit.unit, .limit.max)]
pub struct Beyond {
    /// Which limit.
    pub limit: Limit,
    /// The value as given.
    pub actual: usize,
}

impl Limit {
    /// Accepts a value up to the limit.
    pub fn check(&self, actual: usize) -> Result<(), Beyond> {
        if actual <= self.max { Ok(()) } else { Err(Beyond { limit: *self, actual }) }
    }
}

macro_rules! limits {
    ($($(#[$doc:meta])* $id:ident = $name:literal, $max:expr, $unit:literal, $problem:literal;)*) => {
        $($(#[$doc])* pub const $id: Limit =
            Limit { name: $name, max: $max, unit: $unit, problem: $problem };)*
        /// The whole table.
        pub const ALL: &[Limit] = &[$($id),*];
    };
}

limits! {
    /// JSON body of a request.
    BODY = "request body", 1024 * 1024, "bytes", "payload-too-large";
    /// One imported file.
    IMPORT_FILE = "imported file", 50 * 1024 * 1024, "bytes", "payload-too-large";
    /// Title of a task.
    TITLE = "title", 500, "characters", "validation-failed";
    /// Text of one entry.
    ENTRY_TEXT = "entry text", 100 * 1024, "bytes", "validation-failed";
    /// Title of a checklist item.
    ITEM_TITLE = "item title", 400, "characters", "validation-failed";
    /// A label's name.
    LABEL_NAME = "label", 60, "characters", "validation-failed";
    /// A reason: of a status, a rejection, a retraction.
    REASON = "reason", 1000, "characters", "validation-failed";
    /// A person's words to an agent.
    MESSAGE = "message", 32 * 1024, "bytes", "validation-failed";
    /// Items of one task.
    ITEMS_PER_TASK = "checklist items per task", 500, "items", "limit-reached";
    /// Labels of one task.
    LABELS_PER_TASK = "labels per task", 50, "labels", "limit-reached";
    /// Estimate of a task.
    ESTIMATE = "estimate", 1440, "minutes", "validation-failed";
    /// Open items of one set shown at once.
    ITEMS_SHOWN = "open items shown", 10, "items", "limit-reached";
    /// Proposals of one wake.
    ITEMS_PER_WAKE = "proposals per wake", 50, "items", "limit-reached";
    /// Items of one tool call.
    ITEMS_PER_CALL = "items per call", 20, "items", "validation-failed";
    /// Labels of one tool call.
    LABELS_PER_CALL = "labels per call", 3, "labels", "validation-failed";
    /// Evidence quote of a proposal.
    QUOTE = "evidence quote", 200, "characters", "validation-failed";
    /// TLDR of a report.
    TLDR = "tldr", 400, "characters", "validation-failed";
    /// Content of a report, links included.
    REPORT = "report", 32 * 1024, "bytes", "validation-failed";
    /// One observation.
    OBSERVATION = "observation", 2 * 1024, "bytes", "validation-failed";
    /// Observations of one wake.
    OBSERVATIONS_PER_WAKE = "observations per wake", 10, "observations", "validation-failed";
    /// Arguments of one tool call.
    TOOL_ARGS = "tool arguments", 64 * 1024, "bytes", "validation-failed";
    /// Tool calls of one wake.
    CALLS_PER_WAKE = "tool calls per wake", 50, "calls", "limit-reached";
    /// Turns of one wake.
    TURNS = "turns per wake", 10, "turns", "limit-reached";
    /// Idempotency key.
    IDEMPOTENCY_KEY = "idempotency key", 128, "characters", "validation-failed";
    /// Page size.
    PAGE = "page size", 200, "items", "validation-failed";
}

/// Units: seconds. How long an open proposal stays open once it was shown.
pub const PROPOSAL_AGE_SECONDS: u64 = 7 * 24 * 3600;
/// Entries of the decision history in a prompt.
pub const DECISIONS_IN_PROMPT: usize = 20;
/// Units: tokens, estimated as bytes / 4. Of the decision history in a prompt.
pub const DECISION_TOKENS_IN_PROMPT: usize = 500;
/// Failed runs in a row after which an agent goes dormant.
pub const FAILURES_TO_DORMANT: i64 = 5;
/// Crashes of one run after which it is abandoned.
pub const CRASHES_TO_ABANDON: i64 = 3;
/// Units: seconds. A run that lasts longer fails.
pub const WAKE_SECONDS: u64 = 600;
/// Units: seconds. One question to a model.
pub const MODEL_SECONDS: u64 = 300;
/// Units: seconds. A lease without a heartbeat for this long may be taken over.
pub const LEASE_SECONDS: u64 = 60;
/// Units: seconds. How often rows are looked at that no deadline and no hint points to.
pub const SWEEP_SECONDS: u64 = 30;
/// Units: seconds. A node whose changes wait longer to be routed says that it is not ready.
pub const ROUTING_LAG_SECONDS: u64 = 60;
/// Wakes of one node at once, by default and at most.
pub const CONCURRENCY: usize = 3;
/// The most wakes of one node at once.
pub const CONCURRENCY_MAX: usize = 64;
/// Failures of a provider within [`BREAKER_WINDOW_SECONDS`] that open its breaker.
pub const BREAKER_FAILURES: i64 = 5;
/// Units: seconds. Failures longer ago than this are forgotten.
pub const BREAKER_WINDOW_SECONDS: u64 = 60;
/// Units: seconds. How long a breaker stays open at first; doubled with each probe that fails.
pub const BREAKER_SECONDS: u64 = 60;
/// Units: seconds. The longest that a breaker stays open before a probe.
pub const BREAKER_MAX_SECONDS: u64 = 30 * 60;
