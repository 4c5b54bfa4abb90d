//! The run handler of a task agent: context, calls, memory. [`dormouse_runs`] drives it.

mod run_context;
mod calls;
mod finalize;
mod failure;

use std::sync::OnceLock;

use dormouse_journal::JournalError;
use dormouse_runs::{
    AppliedCall, ExecutedCalls, Lease, RunError, RunHandler, RunLog, RunOutput, StopReason,
    TurnContext,
};
use dormouse_store::agent::agent_entity::Lifecycle;
use dormouse_store::agent::message::Chain;
use dormouse_store::{Op, ReadError};
use dormouse_types::TaskId;
use dormouse_types::model::{Delta, Fragment, FragmentData, FragmentKind, ToolCall};
use dormouse_types::port::BoxFuture;

use crate::context::render;
use crate::memory::report::Latest;
use crate::tools;
use crate::wake::claim::AUTOMATION;
use crate::wake::route::is_automatic;
use crate::{AgentError, Agents};

/// A task agent during one run.
pub struct TaskAgent<'a> {
    agents: &'a Agents,
    held: RunCache,
}

/// Rows that only the owner of the lease writes, cached for the run. If the lease is lost they may
/// be stale, but then the run can no longer commit anything based on them.
#[derive(Default)]
struct RunCache {
    /// The agent's task, which never changes.
    task: OnceLock<TaskId>,
    /// The report before this run, with its head.
    report: OnceLock<Option<Latest>>,
    /// The last log line before this run.
    log_upto: OnceLock<i64>,
    /// The changes in the run's interval.
    delta: OnceLock<Delta>,
    /// Whether the agent has not reported since a database was restored.
    outdated: OnceLock<bool>,
}

impl From<AgentError> for RunError {
    fn from(error: AgentError) -> Self {
        match error {
            AgentError::Read(error) => Self::Read(error),
            AgentError::Commit(error) => Self::Commit(error),
            AgentError::Work(error) => error,
            AgentError::Journal(error) => from_journal(error),
            AgentError::Changes(error) => from_changes(error),
            other => Self::Broken(other.to_string()),
        }
    }
}

fn from_journal(error: JournalError) -> RunError {
    match error {
        JournalError::Read(error) => RunError::Read(error),
        JournalError::Commit(error) => RunError::Commit(error),
        other => RunError::Broken(other.to_string()),
    }
}

fn from_changes(error: dormouse_changes::DecideError) -> RunError {
    use dormouse_changes::DecideError;
    match error {
        DecideError::Read(error) => RunError::Read(error),
        DecideError::Commit(error) => RunError::Commit(error),
        DecideError::Journal(error) => from_journal(error),
        other => RunError::Broken(other.to_string()),
    }
}

impl<'a> TaskAgent<'a> {
    /// Creates the handler for one lease; each lease needs a new one.
    pub fn new(agents: &'a Agents) -> Self {
        Self { agents, held: RunCache::default() }
    }
}

impl RunHandler for TaskAgent<'_> {
    fn block_reason<'a>(
        &'a self,
        lease: &'a Lease,
    ) -> BoxFuture<'a, Result<Option<StopReason>, RunError>> {
        Box::pin(async move {
            let agent = self.agents.agent(lease.ws, &lease.run.agent).await?.doc.value;
            let class = self.agents.driver.model().class();
            let by_itself = lease.run.initiator == AUTOMATION;
            let reason = match agent.lifecycle {
                Lifecycle::Dormant => "the agent was paused",
                Lifecycle::Destroyed => "the agent was destroyed",
                Lifecycle::Created | Lifecycle::Active
                    if by_itself && !is_automatic(&agent, class) =>
                {
                    "its automation was switched off"
                }
                Lifecycle::Created | Lifecycle::Active => return Ok(None),
            };
            Ok(Some(StopReason { reason, is_final: agent.lifecycle == Lifecycle::Destroyed }))
        })
    }

    fn context<'a>(&'a self, lease: &'a Lease) -> BoxFuture<'a, Result<TurnContext, RunError>> {
        Box::pin(self.context(lease))
    }

    fn followup_context<'a>(
        &'a self,
        lease: &'a Lease,
        report_only: bool,
    ) -> BoxFuture<'a, Result<TurnContext, RunError>> {
        Box::pin(async move {
            let instruction = self.instruction(lease, report_only).await?;
            let report_due = instruction.report_due;
            let mut fragments = vec![Fragment {
                kind: FragmentKind::Instruction,
                text: render::instruction(&instruction),
                data: FragmentData::Instruction(instruction),
                tainted: false,
            }];
            // The built-in model reads data: it writes a missing report from the present task.
            let task = match report_only {
                true => self.task_now(lease, &self.task_id(lease).await?).await?,
                false => None,
            };
            if let Some(task) = task {
                fragments.push(Fragment {
                    kind: FragmentKind::TaskState,
                    text: render::task_state(&task, true),
                    data: FragmentData::TaskState(Box::new(task)),
                    tainted: true,
                });
            }
            Ok(TurnContext {
                fragments,
                log_upto: 0,
                tools: tools::offer(report_only),
                report_due,
                nothing_changed: false,
            })
        })
    }

    fn execute<'a>(
        &'a self,
        lease: &'a Lease,
        calls: &'a [ToolCall],
        report_only: bool,
    ) -> BoxFuture<'a, Result<ExecutedCalls, RunError>> {
        Box::pin(self.execute_calls(lease, calls, report_only))
    }

    fn apply_call<'a>(
        &'a self,
        lease: &'a Lease,
        call: &'a ToolCall,
    ) -> BoxFuture<'a, Result<AppliedCall, RunError>> {
        Box::pin(self.set_language(lease, call))
    }

    fn reported(&self, log: &RunLog) -> bool {
        finalize::accepted_report(log).is_some()
    }

    fn finalize<'a>(
        &'a self,
        lease: &'a Lease,
        log: &'a RunLog,
        trail: &'a Chain,
    ) -> BoxFuture<'a, Result<RunOutput, RunError>> {
        Box::pin(self.finalize_ops(lease, log, trail))
    }

    fn fail<'a>(
        &'a self,
        lease: &'a Lease,
        _error: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Op>, RunError>> {
        Box::pin(async move {
            match self.agents.failure_ops(lease.ws, &lease.run.agent).await {
                // A damaged agent has no counter to raise; the failed run itself reports the
                // damage.
                Err(AgentError::Read(ReadError::Corrupt { .. })) => Ok(Vec::new()),
                other => Ok(other?),
            }
        })
    }
}
