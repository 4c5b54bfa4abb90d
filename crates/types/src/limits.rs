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
    /// The headers of a request: their names, their values and four bytes for each.
    HEADERS = "size of the headers", 32 * 1024, "bytes", "headers-too-large";
    /// The address of a request, with its query.
    URL = "length of the address", 8 * 1024, "bytes", "url-too-long";
    /// How deep arrays and objects of a body stand in each other.
    JSON_DEPTH = "depth of a JSON body", 32, "levels", "malformed-json";
    /// Members of all objects and items of all arrays of a body.
    JSON_MEMBERS = "members of a JSON body", 10_000, "members", "malformed-json";
    /// One string of a body, as it is written.
    JSON_STRING = "string of a JSON body", 256 * 1024, "bytes", "malformed-json";
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
    /// What persons said to one agent and it has not heard.
    UNHEARD_MESSAGES = "messages an agent has not heard", 50, "messages", "limit-reached";
    /// The text of those messages.
    UNHEARD_TEXT = "text of messages an agent has not heard", 128 * 1024, "bytes", "limit-reached";
    /// Items of one task.
    ITEMS_PER_TASK = "checklist items per task", 500, "items", "limit-reached";
    /// Labels of one task.
    LABELS_PER_TASK = "labels per task", 50, "labels", "limit-reached";
    /// Links of one task, those that reach it included.
    LINKS_PER_TASK = "links per task", 200, "links", "limit-reached";
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
    /// A token's name.
    TOKEN_NAME = "token name", 60, "characters", "validation-failed";
    /// How long a token may last.
    TOKEN_DAYS = "life of a token", 3650, "days", "validation-failed";
    /// Tokens of a workspace that are neither revoked nor expired.
    TOKENS = "live tokens", 200, "tokens", "limit-reached";
    /// Tickets that were given out and not used yet.
    TICKETS = "waiting tickets", 1000, "tickets", "limit-reached";
    /// Words to look for in tasks.
    SEARCH = "search text", 200, "characters", "validation-failed";
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
/// Units: seconds. A change row younger than this is there for whoever resumes a stream of events.
pub const CHANGES_SECONDS: u64 = 30 * 24 * 3600;
/// So many change rows of a database stay, however old they are.
pub const CHANGES_KEPT: i64 = 100_000;
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
/// Units: seconds. A request that reads is answered within this time.
pub const READ_SECONDS: u64 = 10;
/// Units: seconds. A request that writes is answered within this time.
pub const WRITE_SECONDS: u64 = 30;
/// Units: seconds. An import or an export begins to answer, and then ends, within this time.
pub const TRANSFER_SECONDS: u64 = 600;
/// Units: seconds. The head of a request comes within this time, or its connection is closed.
pub const HEAD_SECONDS: u64 = 10;
/// Units: requests per second. What one token may send for as long as it likes.
pub const REQUESTS_PER_SECOND: u32 = 50;
/// Units: requests. What one token may send at once.
pub const REQUESTS_AT_ONCE: u32 = 200;
/// Connections of one listener at once; whoever comes then waits.
pub const CONNECTIONS: usize = 4096;
/// Sockets of one process at once.
pub const SOCKETS: usize = 200;
/// Sockets of one token at once.
pub const SOCKETS_PER_TOKEN: usize = 20;
/// Events that a socket may be behind; beyond this it is closed, and resumes with its cursor.
pub const SOCKET_EVENTS: usize = 1000;
/// Units: bytes. What a socket may be behind.
pub const SOCKET_BYTES: usize = 1024 * 1024;
/// Units: bytes. A message from the other side of a socket; a larger one closes it.
pub const SOCKET_MESSAGE: usize = 64 * 1024;
/// Units: seconds. How often the other side of a socket is asked whether it is there.
pub const SOCKET_PING_SECONDS: u64 = 30;
/// Units: seconds. How long a socket that resumes may take to read what it missed, page by page.
pub const SOCKET_STALL_SECONDS: u64 = 30;
/// Units: seconds. How long a one-time code can be exchanged.
pub const CODE_SECONDS: u64 = 600;
/// Units: seconds. How long a ticket for a socket can be used.
pub const TICKET_SECONDS: u64 = 30;
/// Units: days. How long a token lasts that a page got for a one-time code.
pub const PAGE_TOKEN_DAYS: u32 = 90;
/// Units: days. How long a token that is revoked or expired stays in the list.
pub const TOKEN_KEPT_DAYS: u32 = 30;
/// Units: seconds. The last use of a token is noted at most this often.
pub const TOKEN_USE_SECONDS: u64 = 60;
/// Failed logins of one address within [`LOGIN_WINDOW_SECONDS`] that are answered at once.
pub const LOGIN_FAILURES: u32 = 10;
/// Units: seconds. Failed logins are forgotten after this.
pub const LOGIN_WINDOW_SECONDS: u64 = 15 * 60;
/// Units: seconds. How long an address waits after the next failed login; doubled with each.
pub const LOGIN_DELAY_SECONDS: u64 = 1;
/// Units: seconds. The longest that an address waits after a failed login.
pub const LOGIN_DELAY_MAX_SECONDS: u64 = 60;
/// Addresses whose failed logins are remembered at once.
pub const LOGIN_ADDRESSES: usize = 1000;
/// Failed logins that are written to the audit log within [`LOGIN_WINDOW_SECONDS`].
pub const LOGIN_NOTES: u32 = 100;
