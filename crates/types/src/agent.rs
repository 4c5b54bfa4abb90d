//! Closed lists of agent values: life, automation, runs, proposals, verdicts, operations.

use crate::closed_list;

closed_list! {
    /// The kind of an agent.
    pub enum AgentKind, "agent kind" {
        /// Works on one task.
        TaskAgent = "taskAgent",
    }
}

closed_list! {
    /// How an agent works.
    pub enum AgentMode, "agent mode" {
        /// Wakes on its own, proposes, and writes its own report.
        Autonomous = "autonomous",
    }
}

closed_list! {
    /// Where an agent is in its life.
    pub enum Lifecycle, "lifecycle" {
        /// Created, never run.
        Created = "created",
        /// Watching its task.
        Active = "active",
        /// Not woken until it is resumed.
        Dormant = "dormant",
        /// Ended; its history stays.
        Destroyed = "destroyed",
    }
}

closed_list! {
    /// Why an agent is dormant.
    pub enum DormantReason, "reason" {
        /// Paused by the user.
        Paused = "paused",
        /// Too many runs failed in a row.
        Failures = "failures",
        /// Its task was deleted.
        TaskDeleted = "taskDeleted",
        /// Its budget is spent.
        Budget = "budget",
    }
}

closed_list! {
    /// Why a wake waits that could otherwise run. Each ends by itself; a change of the settings of
    /// models makes the wake due at once.
    pub enum PutOff, "reason to wait" {
        /// The provider of its model does not work, or its model is not set up rightly.
        Provider = "provider",
        /// The budget of its agent for the day has no room for the next call.
        AgentBudget = "agentBudget",
        /// The budget of all agents for the day has no room for the next call.
        WorkspaceBudget = "workspaceBudget",
        /// Calls that cost money are switched off.
        PaidCalls = "paidCalls",
    }
}

closed_list! {
    /// Whether changes wake an agent automatically.
    #[derive(Default)]
    pub enum Automation, "automation" {
        /// On if the model costs nothing or the user created the agent explicitly.
        #[default]
        Auto = "auto",
        /// Changes wake it.
        On = "on",
        /// Changes only mark its report as out of date; the user wakes it.
        Off = "off",
    }
}

closed_list! {
    /// What an agent is doing.
    pub enum AgentActivity, "activity" {
        /// Nothing; no wake is due within about a minute.
        Asleep = "asleep",
        /// It wakes within about a minute.
        Queued = "queued",
        /// A run is under way.
        Running = "running",
    }
}

closed_list! {
    /// The status of a run.
    pub enum RunStatus, "run status" {
        /// Interrupted, waiting to be resumed.
        Queued = "queued",
        /// Claimed.
        Started = "started",
        /// Ended successfully; it becomes part of memory.
        Completed = "completed",
        /// Nothing had changed, so no model was called.
        Skipped = "skipped",
        /// Ended with an error.
        Failed = "failed",
        /// Abandoned after too many crashes.
        Abandoned = "abandoned",
    }
}

closed_list! {
    /// A failure of a run that the program treats in a way of its own. Others have a text only.
    pub enum RunFailure, "failure" {
        /// A person cancelled it. It counts as a failure of nothing.
        Cancelled = "cancelled",
    }
}

closed_list! {
    /// What a report is for. An agent has one that it keeps up to date.
    pub enum ReportScope, "scope" {
        /// The report that a person reads.
        Current = "current",
    }
}

closed_list! {
    /// Why an agent is woken, weakest first. The strongest pending reason names the run.
    pub enum WakeReason, "reason" {
        /// A change to its task.
        Subscription = "subscription",
        /// A time was reached: back-off, a due date, "wake me at".
        Timer = "timer",
        /// The agent was created.
        Creation = "creation",
        /// A person asks for a full fresh analysis.
        Reanalysis = "reanalysis",
        /// A person asks for a run or sends a message.
        UserInitiated = "userInitiated",
    }
}

impl WakeReason {
    /// Its bit in a set of reasons.
    pub fn bit(self) -> i64 {
        match self {
            Self::Subscription => 1,
            Self::Timer => 2,
            Self::Creation => 4,
            Self::Reanalysis => 8,
            Self::UserInitiated => 16,
        }
    }

    /// Whether it arises without a person asking; `sleep_until` holds such wakes back.
    pub fn is_automatic(self) -> bool {
        matches!(self, Self::Subscription | Self::Timer | Self::Creation)
    }

    /// Its place in the claim order; smaller means sooner.
    pub fn priority(self) -> i64 {
        match self {
            Self::UserInitiated | Self::Reanalysis => 0,
            Self::Creation => 1,
            Self::Timer => 2,
            Self::Subscription => 3,
        }
    }

    /// The reasons in a set of bits, weakest first.
    pub fn of_bits(bits: i64) -> Vec<Self> {
        Self::ALL.iter().copied().filter(|reason| bits & reason.bit() != 0).collect()
    }
}

closed_list! {
    /// What started a run.
    pub enum Initiator, "initiator" {
        /// A person requested it.
        Person = "person",
        /// A change, a timer or the creation of the agent.
        Automation = "automation",
    }
}

closed_list! {
    /// What a timer is for.
    pub enum TimerKind, "timer" {
        /// The task's due date is near.
        DueDate = "dueDate",
        /// A person set the time.
        WakeAt = "wakeAt",
    }
}

closed_list! {
    /// The status of a proposed change.
    pub enum ItemStatus, "status" {
        /// Waiting for the person.
        Pending = "pending",
        /// Put off by the person.
        Deferred = "deferred",
        /// Confirmed, being applied.
        Applying = "applying",
        /// Applied.
        Confirmed = "confirmed",
        /// Rejected by the person.
        Rejected = "rejected",
        /// Withdrawn: by its agent, or because it can never succeed.
        Retracted = "retracted",
        /// Not decided in time.
        Expired = "expired",
    }
}

impl ItemStatus {
    /// Whether it is still undecided or being applied.
    pub fn is_open(self) -> bool {
        matches!(self, Self::Pending | Self::Deferred | Self::Applying)
    }
}

closed_list! {
    /// The status of a change set, derived from its items.
    pub enum SetStatus, "status" {
        /// No item is decided.
        Pending = "pending",
        /// Some items are decided.
        PartiallyResolved = "partiallyResolved",
        /// All items are decided.
        Resolved = "resolved",
        /// The last open items expired.
        Expired = "expired",
    }
}

closed_list! {
    /// A person's verdict as it is recorded.
    pub enum DecisionVerdict, "verdict" {
        /// Apply it.
        Confirmed = "confirmed",
        /// Do not apply it.
        Rejected = "rejected",
        /// Decide later.
        Deferred = "deferred",
    }
}

closed_list! {
    /// The outcome of a verdict.
    pub enum VerdictOutcome, "outcome" {
        /// Not known yet.
        Applying = "applying",
        /// Applied.
        Applied = "applied",
        /// It failed and may be retried.
        Failed = "failed",
        /// It can never succeed.
        Retracted = "retracted",
    }
}

closed_list! {
    /// How far an operation that spans both databases has progressed.
    pub enum OperationPhase, "phase" {
        /// The journal may not have applied it yet.
        JournalPending = "journal_pending",
        /// The journal has its receipt.
        JournalDone = "journal_done",
        /// Both databases have its outcome.
        AgentDone = "agent_done",
    }
}

closed_list! {
    /// The status of an operation that spans both databases.
    pub enum OperationStatus, "status" {
        /// Not finished.
        Pending = "pending",
        /// Finished.
        Completed = "completed",
        /// Closed without effect.
        Failed = "failed",
    }
}

closed_list! {
    /// What a link between entities of the agent store, or to the journal, says.
    pub enum AgentLinkKind, "kind of link" {
        /// Agent to its state.
        State = "agent_state",
        /// Agent to its newest message.
        HeadMessage = "agent_head_message",
        /// Message to the one before it.
        MessagePrev = "message_prev",
        /// Message to its payload.
        MessagePayload = "message_payload",
        /// Agent to its report head.
        ReportHead = "agent_report_head",
        /// Report to the first and last message it was written from.
        ReportSourceSpan = "report_source_span",
        /// Tool result to a journal entity it touched.
        ToolEffect = "tool_effect",
        /// Agent to the task it watches.
        Task = "agent_task",
    }
}

closed_list! {
    /// The kind of a message in an agent's history.
    pub enum MessageKind, "kind" {
        /// A private note of the agent.
        Observation = "observation",
        /// A message from the user.
        User = "user",
        /// The model's text in a turn.
        Thought = "thought",
        /// A tool call, or the application of a decision.
        Action = "action",
        /// The result of an action.
        ToolResult = "toolResult",
        /// What older lines of the agent's log were folded into.
        Summary = "summary",
    }
}
