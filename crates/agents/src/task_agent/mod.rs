//! The run handler of a task agent: context, calls, memory. [`dormouse_runs`] drives it.

mod wake_input;
mod log_parts;
mod window;
mod folding;
mod accepted;
mod recall;
mod deleted;
mod run_context;
mod calls;
mod finalize;
mod failure;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use dormouse_runs::clearance::{Clearance, clearance};
use dormouse_runs::gate::Draft;
use dormouse_runs::{
    AppliedCall, ClosingTools, Deleted, ExecutedCalls, FoldPiece, Folded, Lease, RunError,
    RunHandler, RunLog, RunOutput, StopReason, ToolSet, TurnContext,
};
use dormouse_store::agent::agent_entity::Lifecycle;
use dormouse_store::agent::message::Chain;
use dormouse_store::agent::source::Source;
use dormouse_store::{ChangeRow, Op, ReadError};
use dormouse_types::agent::Initiator;
use dormouse_types::kept_back::KeptBackReason;
use dormouse_types::memory::Room;
use dormouse_types::model::{Entry, FragmentData, FragmentKind, ToolCall};
use dormouse_types::port::BoxFuture;
use dormouse_types::{AgentId, CategoryId, EntryId};

use crate::context::render;
use crate::tools;
use crate::wake::holder::wake_event;
use crate::wake::policy::is_automatic;
use crate::{AgentError, Agents};

use self::log_parts::FoldState;
use self::wake_input::{TaskContext, WakeInput};

/// A task agent during one run.
pub struct TaskAgent<'a> {
    agents: &'a Agents,
    agent: AgentId,
    lease: &'a Lease,
    /// What was read when the run began; `None` before its first step.
    input: Option<Arc<WakeInput>>,
    /// The category of the task when the run began: the one that its tools may act in. `None` before
    /// its first step.
    began_in: Option<Option<CategoryId>>,
    fold: FoldState,
    /// The entries of the task when this process gathered the first prompt; none if it did not.
    gathered: BTreeSet<EntryId>,
    /// What the first prompt of the run shares its window with; `None` before it is gathered, and for a
    /// model without a window.
    room: Option<Room>,
    mode: Mode,
}

/// A task as the model of a run may see it.
struct ShownTask<'t> {
    task: Cow<'t, TaskContext>,
    /// The entries that it may not see.
    hidden: Vec<(EntryId, KeptBackReason)>,
}

/// What the handler may do while it gathers a context.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Mode {
    /// It drives a run.
    Run,
    /// It only shows what a run would send, and writes nothing.
    Preview {
        /// What the person would say to the agent.
        message: Option<String>,
    },
}

impl<'a> TaskAgent<'a> {
    /// Creates the handler for one lease; each lease needs a new one.
    pub fn new(agents: &'a Agents, agent: AgentId, lease: &'a Lease) -> Self {
        let (input, began_in, fold) = (None, None, FoldState::default());
        let (gathered, room, mode) = (BTreeSet::new(), None, Mode::Run);
        Self { agents, agent, lease, input, began_in, fold, gathered, room, mode }
    }

    /// Creates the handler for a run that is not started: its context writes nothing.
    pub fn previewing(
        agents: &'a Agents,
        agent: AgentId,
        lease: &'a Lease,
        message: Option<&str>,
    ) -> Self {
        let mode = Mode::Preview { message: message.map(ToOwned::to_owned) };
        Self { mode, ..Self::new(agents, agent, lease) }
    }

    /// Returns the task without entries that the run's model may not see, so that no answer to a call
    /// says anything about them, and the entries that were taken out.
    async fn as_shown<'t>(&self, task: &'t TaskContext) -> Result<ShownTask<'t>, RunError> {
        let Lease { ws, run, .. } = self.lease;
        let source = |entry: &Entry| Source::Entry(entry.id.clone());
        let requested = task.task.iter().flat_map(|task| &task.entries).map(source).collect();
        let model = self.agents.driver.models().named(run.model.as_deref());
        let store = &self.agents.store;
        let clearance = clearance(store, *ws, &run.holder, &*model, requested).await?;
        let mut shown = ShownTask { task: Cow::Borrowed(task), hidden: Vec::new() };
        if matches!(clearance, Clearance::Only(_))
            && let Some(state) = &mut shown.task.to_mut().task
        {
            state.entries.retain(|entry| {
                let refusal = clearance.refusal(&[source(entry)]);
                shown.hidden.extend(refusal.map(|reason| (entry.id.clone(), reason)));
                refusal.is_none()
            });
        }
        Ok(shown)
    }

    /// Returns what the run has read, reading it on first use.
    async fn input(&mut self) -> Result<Arc<WakeInput>, RunError> {
        if let Some(input) = &self.input {
            return Ok(input.clone());
        }
        let passed_over = self.fold.passed_over;
        let input = WakeInput::read(self.agents, &self.agent, self.lease, passed_over).await?;
        let input = Arc::new(input);
        self.began_in.get_or_insert_with(|| input.task.category.clone());
        self.input = Some(input.clone());
        Ok(input)
    }

    /// Returns the same with the present task, which may have changed while the model was thinking.
    async fn input_with_present_task(&mut self) -> Result<Arc<WakeInput>, RunError> {
        let mut input = self.input().await?;
        self.input = None;
        let forgotten = input.task.forgotten.clone();
        Arc::make_mut(&mut input).task =
            TaskContext::read(self.agents, self.lease.ws, &input.task_id, forgotten).await?;
        self.input = Some(input.clone());
        Ok(input)
    }
}

impl RunHandler for TaskAgent<'_> {
    fn announce(&self) -> ChangeRow {
        wake_event(&self.agent, self.lease.run.key.as_str())
    }

    fn block_reason(&mut self) -> BoxFuture<'_, Result<Option<StopReason>, RunError>> {
        Box::pin(async move {
            let Lease { ws, run, .. } = self.lease;
            // Read again: a person may have paused the agent since the run began, and nothing is sent
            // after that.
            let agent = self.agents.agent(*ws, &self.agent).await?.doc.value;
            let class = self.agents.model_of(&agent).class();
            let by_itself = run.initiator == Initiator::Automation;
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

    fn deleted(&mut self) -> BoxFuture<'_, Result<Option<Deleted>, RunError>> {
        Box::pin(self.what_is_deleted())
    }

    fn closing(&mut self) -> BoxFuture<'_, Result<Option<ClosingTools>, RunError>> {
        Box::pin(async move {
            let input = self.input().await?;
            let is_required = self.instruction(&input, ToolSet::All).report_due;
            Ok(Some(ClosingTools { names: tools::closing_names(), is_required }))
        })
    }

    fn is_closed(&self, log: &RunLog) -> bool {
        accepted::accepted_report(log).is_some()
    }

    fn is_over(&self, log: &RunLog) -> bool {
        self.is_closed(log) && accepted::only_repeats(log)
    }

    fn checkpoint_sources(&mut self) -> BoxFuture<'_, Result<Vec<Source>, RunError>> {
        Box::pin(async move {
            let input = self.input().await?;
            let sources = input.checkpoint.as_ref().map(|found| found.checkpoint.sources.clone());
            Ok(sources.unwrap_or_default())
        })
    }

    fn piece_to_fold<'a>(
        &'a mut self,
        may_see: &'a Clearance,
    ) -> BoxFuture<'a, Result<Option<FoldPiece>, RunError>> {
        Box::pin(self.next_piece(may_see))
    }

    fn folded<'a>(
        &'a mut self,
        folded: Folded<'a>,
        chain: &'a mut Chain,
    ) -> BoxFuture<'a, Result<Option<Vec<Op>>, RunError>> {
        Box::pin(self.keep_folded(folded, chain))
    }

    fn context(&mut self) -> BoxFuture<'_, Result<TurnContext, RunError>> {
        Box::pin(self.gather_context())
    }

    fn followup_context(&mut self, tools: ToolSet) -> BoxFuture<'_, Result<TurnContext, RunError>> {
        Box::pin(async move {
            let input = self.input().await?;
            let instruction = self.instruction(&input, tools);
            let mut fragments = vec![Draft {
                kind: FragmentKind::Instruction,
                parts: render::instruction(&instruction, input.reported_by().as_ref()),
                data: FragmentData::Instruction(instruction),
                data_sources: Vec::new(),
                tainted: false,
            }];
            // The built-in model reads data: it writes a missing report from the present task. Entries were
            // shown to others in the first turn.
            let task = match tools {
                ToolSet::Closing => input.task.task.clone(),
                ToolSet::All => None,
            };
            if let Some(task) = task {
                let parts = render::task_state(&task, &[]);
                let entries = task.entries.iter();
                let sources = entries.map(|entry| Source::Entry(entry.id.clone())).collect();
                let data = FragmentData::TaskState(Box::new(task));
                fragments.push(Draft {
                    data_sources: sources,
                    ..Draft::tainted(FragmentKind::TaskState, parts, data)
                });
            }
            Ok(TurnContext::of(fragments, tools::offer()))
        })
    }

    fn execute<'a>(
        &'a mut self,
        calls: &'a [ToolCall],
        tools: ToolSet,
    ) -> BoxFuture<'a, Result<ExecutedCalls, RunError>> {
        Box::pin(async move {
            let input = self.input_with_present_task().await?;
            let shown = self.as_shown(&input.task).await?;
            self.execute_calls(calls, tools, &shown, input.window).await
        })
    }

    fn apply_call<'a>(
        &'a mut self,
        call: &'a ToolCall,
    ) -> BoxFuture<'a, Result<AppliedCall, RunError>> {
        Box::pin(async move {
            let task = self.input().await?.task_id.clone();
            let applied = self.edit_journal(call, &task).await?;
            self.input_with_present_task().await?;
            Ok(applied)
        })
    }

    fn finalize<'a>(
        &'a mut self,
        log: &'a RunLog,
        chain: &'a Chain,
    ) -> BoxFuture<'a, Result<RunOutput, RunError>> {
        Box::pin(async move {
            let input = self.input().await?;
            self.finalize_ops(&input, log, chain).await
        })
    }

    fn discard<'a>(&'a mut self) -> BoxFuture<'a, Result<Vec<Op>, RunError>> {
        Box::pin(self.discarded())
    }

    fn fail<'a>(&'a mut self, _error: &'a str) -> BoxFuture<'a, Result<RunOutput, RunError>> {
        Box::pin(async move {
            match self.agents.failure_ops(self.lease.ws, &self.agent).await {
                // A damaged agent has no counter to raise; the failed run itself reports the
                // damage.
                Err(AgentError::Read(ReadError::Corrupt { .. })) => Ok(RunOutput::default()),
                ops => Ok(RunOutput { ops: ops?, ..RunOutput::default() }),
            }
        })
    }
}
