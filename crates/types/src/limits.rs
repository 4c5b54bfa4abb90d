//! Every limit, in one table. The docs page `docs/limits.md` and the tests at limit-1, limit and
//! limit+1 are derived from it.

use crate::problem::ProblemKind;

/// A limit and the problem reported beyond it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// Its name in the table and in problems.
    pub name: &'static str,
    /// The largest value that is accepted.
    pub max: usize,
    /// What is counted.
    pub unit: &'static str,
    /// The problem type beyond it.
    pub problem: ProblemKind,
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
    ($($(#[$doc:meta])* $id:ident = $name:literal, $max:expr, $unit:literal, $problem:ident;)*) => {
        $($(#[$doc])* pub const $id: Limit =
            Limit { name: $name, max: $max, unit: $unit, problem: ProblemKind::$problem };)*
        /// The whole table.
        pub const ALL: &[Limit] = &[$($id),*];
    };
}

limits! {
    /// JSON body of a request.
    BODY = "request body", 1024 * 1024, "bytes", PayloadTooLarge;
    /// The headers of a request: their names and values, plus four bytes each.
    HEADERS = "size of the headers", 32 * 1024, "bytes", HeadersTooLarge;
    /// The address of a request, with its query.
    URL = "length of the address", 8 * 1024, "bytes", UrlTooLong;
    /// The nesting depth of arrays and objects in a body.
    JSON_DEPTH = "depth of a JSON body", 32, "levels", MalformedJson;
    /// The members of all objects and the items of all arrays of a body.
    JSON_MEMBERS = "members of a JSON body", 10_000, "members", MalformedJson;
    /// One string of a body, as written. The longest text of a field fits, also if it is written in escapes.
    JSON_STRING = "string of a JSON body", 320 * 1024, "bytes", MalformedJson;
    /// One imported file.
    IMPORT_FILE = "imported file", 50 * 1024 * 1024, "bytes", PayloadTooLarge;
    /// An imported text as JSON, with a person's corrections.
    IMPORT_BODY = "imported text with corrections", 2 * 50 * 1024 * 1024, "bytes", PayloadTooLarge;
    /// Corrections of the plan of an import.
    CORRECTIONS = "corrections of a plan", 10_000, "corrections", ValidationFailed;
    /// Title of a task.
    TITLE = "title", 500, "characters", ValidationFailed;
    /// Text of one entry.
    ENTRY_TEXT = "entry text", 100 * 1024, "bytes", ValidationFailed;
    /// Title of a checklist item.
    ITEM_TITLE = "item title", 400, "characters", ValidationFailed;
    /// A label's name.
    LABEL_NAME = "label", 60, "characters", ValidationFailed;
    /// A directive of a template.
    DIRECTIVE = "directive", 12 * 1024, "bytes", ValidationFailed;
    /// The name of a template.
    TEMPLATE_NAME = "name of a template", 100, "characters", ValidationFailed;
    /// The name of the model or of the profile of a template version.
    TEMPLATE_SETTING = "model or profile of a template", 200, "characters", ValidationFailed;
    /// Templates of a workspace that are not deleted.
    TEMPLATES = "templates", 200, "templates", LimitReached;
    /// Versions of one template.
    TEMPLATE_VERSIONS = "versions of a template", 1000, "versions", LimitReached;
    /// Rules in force about one task, agent or template.
    RULES = "rules of a task, agent or template", 100, "rules", LimitReached;
    /// What a person says at once in a session about a template.
    EVOLUTION_MESSAGE = "message in a session about a template", 8 * 1024, "bytes", ValidationFailed;
    /// What one session about a template holds: what was said, proposed and decided.
    EVOLUTION_MESSAGES = "messages of a session about a template", 200, "messages", LimitReached;
    /// What a model answers at once in a session about a template. What is longer is cut.
    EVOLUTION_ANSWER = "answer in a session about a template", 16 * 1024, "bytes", ValidationFailed;
    /// The reason for proposed directives.
    EVOLUTION_RATIONALE = "rationale of proposed directives", 2000, "characters", ValidationFailed;
    /// What a model notes about a template for later sessions.
    EVOLUTION_NOTE = "note about a template", 2000, "characters", ValidationFailed;
    /// A reason: of a status, a rejection, a retraction.
    REASON = "reason", 1000, "characters", ValidationFailed;
    /// A user message to an agent.
    MESSAGE = "message", 32 * 1024, "bytes", ValidationFailed;
    /// User messages that no run of an agent has taken in yet.
    UNHEARD_MESSAGES = "messages an agent has not heard", 50, "messages", LimitReached;
    /// The text of those messages.
    UNHEARD_TEXT = "text of messages an agent has not heard", 128 * 1024, "bytes", LimitReached;
    /// Items of one task.
    ITEMS_PER_TASK = "checklist items per task", 500, "items", LimitReached;
    /// Labels of one task.
    LABELS_PER_TASK = "labels per task", 50, "labels", LimitReached;
    /// What older lines of a log are folded into.
    CHECKPOINT = "checkpoint", 16 * 1024, "bytes", ValidationFailed;
    /// Links of one task, in both directions.
    LINKS_PER_TASK = "links per task", 200, "links", LimitReached;
    /// Estimate of a task.
    ESTIMATE = "estimate", 1440, "minutes", ValidationFailed;
    /// Open items of one set shown at once.
    ITEMS_SHOWN = "open items shown", 10, "items", LimitReached;
    /// Proposals of one wake.
    ITEMS_PER_WAKE = "proposals per wake", 50, "items", LimitReached;
    /// Items of one tool call.
    ITEMS_PER_CALL = "items per call", 20, "items", ValidationFailed;
    /// Labels of one tool call.
    LABELS_PER_CALL = "labels per call", 3, "labels", ValidationFailed;
    /// Evidence quote of a proposal.
    QUOTE = "evidence quote", 200, "characters", ValidationFailed;
    /// TLDR of a report.
    TLDR = "tldr", 400, "characters", ValidationFailed;
    /// Content of a report, links included.
    REPORT = "report", 32 * 1024, "bytes", ValidationFailed;
    /// One observation.
    OBSERVATION = "observation", 2 * 1024, "bytes", ValidationFailed;
    /// Observations of one wake.
    OBSERVATIONS_PER_WAKE = "observations per wake", 10, "observations", ValidationFailed;
    /// A query for what an agent remembers.
    MEMORY_QUERY = "query of a memory", 200, "characters", ValidationFailed;
    /// Results of one call that searches an agent's memory.
    MEMORY_RESULTS = "results of a memory search", 20, "results", ValidationFailed;
    /// What a call that searches an agent's memory answers.
    MEMORY_ANSWER = "answer of a memory search", 8 * 1024, "bytes", ValidationFailed;
    /// Arguments of one tool call.
    TOOL_ARGS = "tool arguments", 64 * 1024, "bytes", ValidationFailed;
    /// Tool calls of one wake.
    CALLS_PER_WAKE = "tool calls per wake", 50, "calls", LimitReached;
    /// Turns of one wake.
    TURNS = "turns per wake", 10, "turns", LimitReached;
    /// What a definition of agent work tells its runs to do.
    WORK_INSTRUCTIONS = "instructions", 32 * 1024, "bytes", ValidationFailed;
    /// A correction of agent work.
    WORK_CORRECTION = "correction", 8 * 1024, "bytes", ValidationFailed;
    /// A question that a run of agent work asks.
    WORK_QUESTION = "question", 2 * 1024, "bytes", ValidationFailed;
    /// The answers that a question offers.
    WORK_OPTIONS = "options of a question", 10, "options", ValidationFailed;
    /// One answer that a question offers.
    WORK_OPTION = "option of a question", 200, "characters", ValidationFailed;
    /// An answer of a person to a question.
    WORK_ANSWER = "answer", 8 * 1024, "bytes", ValidationFailed;
    /// How a run of agent work sums up what it did.
    WORK_SUMMARY = "summary of a run", 2000, "characters", ValidationFailed;
    /// The result that a run of agent work publishes.
    WORK_RESULT = "result of a run", 100 * 1024, "bytes", ValidationFailed;
    /// A turn of a conversation that a person or another program adds.
    CONVERSATION_TURN = "turn of a conversation", 32 * 1024, "bytes", ValidationFailed;
    /// Definitions of agent work in a workspace that are not deleted.
    WORK_DEFINITIONS = "definitions of agent work", 1000, "definitions", LimitReached;
    /// How late a missed occurrence of agent work may be and still run.
    WORK_CATCH_UP_HOURS = "age of a missed occurrence", 720, "hours", ValidationFailed;
    /// Steps of one definition or one run of agent work.
    WORK_STEPS = "steps of agent work", 20, "steps", ValidationFailed;
    /// What is to be done in one step, or what a run says about it.
    WORK_STEP = "step", 300, "characters", ValidationFailed;
    /// The schema that a step checks a result against.
    WORK_SCHEMA = "schema of a step", 8 * 1024, "bytes", ValidationFailed;
    /// Filters of changes that start one definition.
    WORK_FILTERS = "filters of agent work", 20, "filters", ValidationFailed;
    /// Hooks of a definition of agent work.
    HOOKS = "hooks of agent work", 20, "hooks", LimitReached;
    /// The name of a hook.
    HOOK_NAME = "name of a hook", 100, "characters", ValidationFailed;
    /// The body of a call of a hook.
    HOOK_BODY = "body of a call of a hook", 64 * 1024, "bytes", PayloadTooLarge;
    /// The id that a call of a hook carries.
    HOOK_DELIVERY_ID = "id of a call of a hook", 200, "bytes", ValidationFailed;
    /// Idempotency key.
    IDEMPOTENCY_KEY = "idempotency key", 128, "characters", ValidationFailed;
    /// A token's name.
    TOKEN_NAME = "token name", 60, "characters", ValidationFailed;
    /// The lifetime of a token.
    TOKEN_DAYS = "life of a token", 3650, "days", ValidationFailed;
    /// Tokens of a workspace that are neither revoked nor expired.
    TOKENS = "live tokens", 200, "tokens", LimitReached;
    /// Tickets that were issued and not used yet.
    TICKETS = "waiting tickets", 1000, "tickets", LimitReached;
    /// Of those, the tickets of one caller: who takes them without end takes none from others.
    TICKETS_EACH = "waiting tickets of one caller", 50, "tickets", LimitReached;
    /// The search text for tasks.
    SEARCH = "search text", 200, "characters", ValidationFailed;
    /// Page size.
    PAGE = "page size", 200, "items", ValidationFailed;
}

/// Units: seconds. How long an open proposal stays open after it was first shown.
pub const PROPOSAL_AGE_SECONDS: u64 = 7 * 24 * 3600;
/// Entries of the decision history in a prompt.
pub const DECISIONS_IN_PROMPT: usize = 20;
/// Units: tokens, estimated as bytes / 4. The size of the decision history in a prompt.
pub const DECISION_TOKENS_IN_PROMPT: usize = 500;
/// Failed runs in a row after which an agent goes dormant.
pub const FAILURES_TO_DORMANT: i64 = 5;
/// Crashes of one run after which it is abandoned.
pub const CRASHES_TO_ABANDON: i64 = 3;
/// Units: seconds. A run that lasts longer fails.
pub const WAKE_SECONDS: u64 = 600;
/// Units: seconds. One request to a model.
pub const MODEL_SECONDS: u64 = 300;
/// Units: seconds. Until the first word of a model on a machine of one's own.
pub const LOCAL_FIRST_SECONDS: u64 = 8 * 60;
/// Units: seconds. Between two words of a model on a machine of one's own.
pub const LOCAL_BETWEEN_SECONDS: u64 = 2 * 60;
/// Units: seconds. A run with a model on a machine of one's own that lasts longer fails.
pub const LOCAL_WAKE_SECONDS: u64 = 30 * 60;
/// Units: tokens. The output of one turn of a model. A report with its proposals needs about half of
/// it; what a call may cost is reserved for all of it.
pub const MODEL_OUTPUT_TOKENS: u32 = 4096;
/// Units: seconds. A server has to answer a request for its models within this time.
pub const MODEL_LIST_SECONDS: u64 = 30;
/// Units: seconds. A model server that is looked for on this machine has to answer within this time.
pub const LOCAL_DISCOVERY_SECONDS: u64 = 2;
/// Calls of one turn of a model.
pub const CALLS_PER_TURN: usize = 64;
/// Units: bytes. The arguments of one call, as a model writes them.
pub const CALL_ARGS_BYTES: usize = 256 * 1024;
/// Units: bytes. The text of one turn of a model.
pub const TURN_TEXT_BYTES: usize = 1024 * 1024;
/// Units: bytes. What a provider wants back with one turn.
pub const PROVIDER_STATE_BYTES: usize = 512 * 1024;
/// Units: bytes. The headers of an answer of a provider.
pub const ANSWER_HEAD_BYTES: usize = 64 * 1024;
/// The headers of an answer of a provider.
pub const ANSWER_HEAD_FIELDS: usize = 100;
/// Units: bytes. An answer of a provider that is not a stream.
pub const ANSWER_BYTES: usize = 4 * 1024 * 1024;
/// Units: bytes. An answer of a provider that is a stream of events.
pub const ANSWER_STREAM_BYTES: usize = 64 * 1024 * 1024;
/// Units: bytes. One event of such a stream.
pub const ANSWER_EVENT_BYTES: usize = 4 * 1024 * 1024;
/// Units: seconds. A lease may be taken over after this long without a heartbeat.
pub const LEASE_SECONDS: u64 = 60;
/// Units: seconds. Change rows are kept at least this long, for clients that resume an event
/// stream.
pub const CHANGES_SECONDS: u64 = 30 * 24 * 3600;
/// Units: seconds. The body of a call of a hook is kept this long, and longer while its run has not ended.
pub const HOOK_BODY_SECONDS: u64 = CHANGES_SECONDS;
/// Units: seconds. A delivery is kept this long after the person read it.
pub const READ_DELIVERY_SECONDS: u64 = CHANGES_SECONDS;
/// The most recent change rows of a database that are kept regardless of age.
pub const CHANGES_KEPT: i64 = 100_000;
/// Units: seconds. How often to check for rows that no deadline or hint announces.
pub const SWEEP_SECONDS: u64 = 30;
/// Units: seconds. A node whose changes wait longer to be routed reports that it is not ready.
pub const ROUTING_LAG_SECONDS: u64 = 60;
/// Concurrent wakes of one node by default.
pub const CONCURRENCY: usize = 3;
/// The most concurrent wakes of one node that can be configured.
pub const CONCURRENCY_MAX: usize = 64;
/// Provider failures within [`BREAKER_WINDOW_SECONDS`] that open its breaker.
pub const BREAKER_FAILURES: i64 = 5;
/// Units: seconds. Failures longer ago than this are forgotten.
pub const BREAKER_WINDOW_SECONDS: u64 = 60;
/// Units: seconds. How long a breaker first stays open; doubled after each failed probe.
pub const BREAKER_SECONDS: u64 = 60;
/// Units: seconds. The longest time a breaker stays open before a probe.
pub const BREAKER_MAX_SECONDS: u64 = 30 * 60;
/// Units: seconds. How long it may take to connect to a model's server; until then nothing is sent.
pub const CONNECT_SECONDS: u64 = 30;
/// Units: seconds. The time limit of a read request.
pub const READ_SECONDS: u64 = 10;
/// Units: seconds. The time limit of a write request.
pub const WRITE_SECONDS: u64 = 30;
/// Units: seconds. The time limit of an import or export: first to start its answer, then to finish
/// it.
pub const TRANSFER_SECONDS: u64 = 600;
/// Units: seconds. The time within which the head of a request must arrive.
pub const HEAD_SECONDS: u64 = 10;
/// Units: requests per second. The sustained rate of one token.
pub const REQUESTS_PER_SECOND: u32 = 50;
/// Units: requests. The burst of one token.
pub const REQUESTS_AT_ONCE: u32 = 200;
/// Concurrent connections of one listener; further ones wait.
pub const CONNECTIONS: usize = 4096;
/// Concurrent sockets of one process.
pub const SOCKETS: usize = 200;
/// Concurrent sockets of one token.
pub const SOCKETS_PER_TOKEN: usize = 20;
/// The events queued for one socket; beyond this it is closed and can resume with its cursor.
pub const SOCKET_EVENTS: usize = 1000;
/// Units: bytes. The size of the events queued for one socket.
pub const SOCKET_BYTES: usize = 1024 * 1024;
/// Units: bytes. A message from a socket's client; a larger one closes the socket.
pub const SOCKET_MESSAGE: usize = 64 * 1024;
/// Units: seconds. How often a socket's client is pinged.
pub const SOCKET_PING_SECONDS: u64 = 30;
/// Units: seconds. How long a resuming socket may take to read each page of missed events.
pub const SOCKET_STALL_SECONDS: u64 = 30;
/// Units: seconds. How long a one-time code is valid.
pub const CODE_SECONDS: u64 = 600;
/// Units: seconds. How long a socket ticket is valid.
pub const TICKET_SECONDS: u64 = 30;
/// Units: days. The lifetime of a token that a page got for a one-time code.
pub const PAGE_TOKEN_DAYS: u32 = 90;
/// Units: days. How long a revoked or expired token stays in the list.
pub const TOKEN_KEPT_DAYS: u32 = 30;
/// Units: seconds. The last use of a token is recorded at most this often.
pub const TOKEN_USE_SECONDS: u64 = 60;
/// Failed logins of one address within [`LOGIN_WINDOW_SECONDS`] that are answered without delay.
pub const LOGIN_FAILURES: u32 = 10;
/// Units: seconds. Failed logins are forgotten after this.
pub const LOGIN_WINDOW_SECONDS: u64 = 15 * 60;
/// Units: seconds. The delay after the next failed login of an address; doubled with each one.
pub const LOGIN_DELAY_SECONDS: u64 = 1;
/// Units: seconds. The longest delay after a failed login.
pub const LOGIN_DELAY_MAX_SECONDS: u64 = 60;
/// Addresses whose failed logins are remembered at once.
pub const LOGIN_ADDRESSES: usize = 1000;
/// Failed logins written to the audit log within [`LOGIN_WINDOW_SECONDS`].
pub const LOGIN_NOTES: u32 = 100;
/// Concurrent runs of agent work of one node, in addition to its wakes.
pub const WORK_SLOTS: usize = 2;
/// Turns of one attempt of a run of agent work, after which it may only end.
pub const WORK_TURNS: usize = 40;
/// Tool calls of one attempt of a run of agent work.
pub const WORK_CALLS: usize = 200;
/// Units: seconds. An attempt of a run of agent work that lasts longer ends.
pub const WORK_RUN_SECONDS: u64 = 30 * 60;
/// Attempts of a run of agent work that may fail before the run does.
pub const WORK_ATTEMPTS: i64 = 3;
/// Crashes of one run of agent work after which it does not resume by itself.
pub const WORK_CRASHES: i64 = 2;
/// Units: seconds. An occurrence that starts later than this was missed.
pub const WORK_LATE_SECONDS: u64 = 120;
/// Units: hours. A missed occurrence that is older than this never runs, unless its work says otherwise.
pub const WORK_CATCH_UP_USUAL_HOURS: i64 = 24;
/// Units: seconds. How long a question of a run waits for its answer.
pub const WORK_QUESTION_SECONDS: u64 = 7 * 24 * 3600;
/// Occurrences of one definition that one commit decides about.
pub const WORK_OCCURRENCES: usize = 100;
/// Runs of one definition that changes of tasks start within an hour; what is beyond is left out.
pub const WORK_EVENTS_AN_HOUR: usize = 20;
/// Results of agent work that led to one another, after which a change starts nothing more.
pub const WORK_EVENT_DEPTH: i64 = 3;
/// How far the time of a signed call of a hook may be from that of the database. Units: seconds.
pub const HOOK_TOLERANCE_SECONDS: i64 = 5 * 60;
/// The most runs that calls of one hook start within an hour.
pub const HOOK_RUNS_AN_HOUR: i64 = 60;
/// How long the old secret of a hook is accepted after a new one was made. Units: seconds.
pub const HOOK_ROTATION_SECONDS: i64 = 24 * 3600;
/// The most secrets of a hook that are accepted at the same time.
pub const HOOK_SECRETS: usize = 5;
/// Earlier runs of a definition that a prompt shows in full.
pub const WORK_RUNS_IN_FULL: usize = 9;
/// Units: tokens, estimated as bytes / 4. The most that earlier runs take of a prompt in full.
pub const WORK_TOKENS_IN_FULL: usize = 50_000;
