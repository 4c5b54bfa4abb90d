//! One attempt of a run of agent work: its context, its calls, and what its end means.
//! [`dormouse_runs`] drives it.

mod calls;
mod context;
mod deleted;
mod ending;
mod folding;
mod reading;
mod steps;
mod turn_steps;

use std::time::Duration;

use dormouse_runs::clearance::Clearance;
use dormouse_runs::step::Limits;
use dormouse_runs::{
    AppliedCall, ClosingTools, Deleted, ExecutedCalls, FoldPiece, Folded, Lease, RunError,
    RunHandler, RunLog, RunOutput, StopReason, ToolSet, TurnContext,
};
use dormouse_store::agent::message::Chain;
use dormouse_store::agent::work::run::Run;
use dormouse_store::agent::work::step;
use dormouse_store::{ChangeRow, Op};
use dormouse_types::model::ToolCall;
use dormouse_types::port::BoxFuture;
use dormouse_types::work::{RunEvent, RunState};
use dormouse_types::work_step::StepState;
use dormouse_types::{EventKind, Id as _, WorkRunId, limits};

use self::turn_steps::StepsOfTurn;
use crate::attempt::TurnPlace;
use crate::folding::FoldedRuns;
use crate::snapshot::Snapshot;
use crate::tools::{self, Call};
use crate::{Work, WorkError, event};

/// A run of agent work during one attempt.
pub struct WorkRun<'a> {
    work: &'a Work,
    lease: &'a Lease,
    id: WorkRunId,
    /// The definition and its runs when the attempt began or resumed.
    snapshot: Snapshot,
    run: Run,
    /// The earlier runs that a model is folding.
    piece: Option<FoldedRuns>,
    /// Whether a summary could not be used.
    gave_up_folding: bool,
    /// Whether the check of a step failed for the last time: no further request follows.
    has_failed_step: bool,
    /// Whether a task that the run is about was deleted while it ran.
    is_task_deleted: bool,
    /// The steps as the last turn left them; `None` before the first turn of this process.
    last_turn: Option<StepsOfTurn>,
    corrections: CorrectionsRead,
}

/// Which corrections a run has seen in this process, by their numbers.
#[derive(Debug, Clone, Copy, Default)]
struct CorrectionsRead {
    /// The newest that the closing request shows; 0 if it shows none.
    in_closing: i64,
    /// The newest that was known when the calls of the last turn were decided.
    known: Option<i64>,
}

impl<'a> WorkRun<'a> {
    /// Reads what an attempt is about; each lease needs a new one.
    pub async fn read(work: &'a Work, id: WorkRunId, lease: &'a Lease) -> Result<Self, WorkError> {
        let run = work.run(lease.ws, &id).await?;
        let snapshot = work.snapshot(lease.ws, &run.work).await?;
        let (piece, gave_up_folding) = (None, false);
        let steps = work.store.all(step::of_run(lease.ws, &id)).await?;
        let has_failed_step = steps.iter().any(|one| one.state == StepState::Failed);
        Ok(Self {
            work,
            lease,
            id,
            snapshot,
            run,
            piece,
            gave_up_folding,
            has_failed_step,
            is_task_deleted: false,
            last_turn: None,
            corrections: CorrectionsRead::default(),
        })
    }

    /// Reads the run and its definition again, to decide on what is there now.
    async fn read_again(&self) -> Result<(Snapshot, Run), RunError> {
        let ws = self.lease.ws;
        let snapshot = self.work.snapshot(ws, &self.run.work).await?;
        let run = self.work.run(ws, &self.id).await?;
        Ok((snapshot, run))
    }
}

/// The accepted calls of a run, oldest first.
fn accepted(log: &RunLog) -> impl Iterator<Item = Call> {
    log.turns.iter().flat_map(|turn| {
        turn.calls.iter().zip(&turn.results).filter_map(|(call, result)| {
            let is_accepted = result.as_ref().is_some_and(|result| !result.refused);
            if is_accepted { tools::read(call).ok() } else { None }
        })
    })
}

impl RunHandler for WorkRun<'_> {
    fn announce(&self) -> ChangeRow {
        event(EventKind::WorkStatus, self.id.as_str())
    }

    fn announce_turn(&self, turn: u32) -> Option<ChangeRow> {
        let subject = TurnPlace { run: self.id.clone(), attempt: self.run.attempt, turn };
        Some(event(EventKind::WorkLog, &subject.to_string()))
    }

    fn block_reason(&mut self) -> BoxFuture<'_, Result<Option<StopReason>, RunError>> {
        Box::pin(async move {
            let run = self.work.run(self.lease.ws, &self.id).await?;
            // A run moves only with its lease taken; only a restored store says otherwise.
            let is_running = run.state == RunState::Running;
            let reason = "it is not under way any more";
            Ok((!is_running).then_some(StopReason { reason, is_final: true }))
        })
    }

    fn deleted(&mut self) -> BoxFuture<'_, Result<Option<Deleted>, RunError>> {
        Box::pin(self.what_is_deleted())
    }

    fn closing(&mut self) -> BoxFuture<'_, Result<Option<ClosingTools>, RunError>> {
        let closing = ClosingTools { names: tools::closing_names(), is_required: true };
        Box::pin(std::future::ready(Ok(Some(closing))))
    }

    fn is_closed(&self, log: &RunLog) -> bool {
        self.has_failed_step || accepted(log).any(|call| call.ends())
    }

    fn is_over(&self, log: &RunLog) -> bool {
        self.is_closed(log)
    }

    fn limits(&self) -> Limits {
        Limits { turns: limits::WORK_TURNS, calls: limits::WORK_CALLS }
    }

    fn time_limit(&self) -> Option<Duration> {
        Some(Duration::from_secs(limits::WORK_RUN_SECONDS))
    }

    fn requeue(&self) -> BoxFuture<'_, Result<Vec<Op>, RunError>> {
        Box::pin(async move {
            let (snapshot, run) = self.read_again().await?;
            let now = self.work.clock.now();
            let mut step = snapshot.step();
            step.move_run(&run, RunEvent::Requeued, now, |_| {})?;
            Ok(step.ops(self.lease.ws, now))
        })
    }

    fn piece_to_fold<'a>(
        &'a mut self,
        _may_see: &'a Clearance,
    ) -> BoxFuture<'a, Result<Option<FoldPiece>, RunError>> {
        Box::pin(self.next_piece())
    }

    fn folded<'a>(
        &'a mut self,
        folded: Folded<'a>,
        chain: &'a mut Chain,
    ) -> BoxFuture<'a, Result<Option<Vec<Op>>, RunError>> {
        let kept = self.keep_folded(folded, chain);
        Box::pin(std::future::ready(Ok(kept)))
    }

    fn context(&mut self) -> BoxFuture<'_, Result<TurnContext, RunError>> {
        Box::pin(self.gather_context())
    }

    fn followup_context(&mut self, tools: ToolSet) -> BoxFuture<'_, Result<TurnContext, RunError>> {
        Box::pin(self.followup(tools))
    }

    fn execute<'a>(
        &'a mut self,
        calls: &'a [ToolCall],
        tools: ToolSet,
    ) -> BoxFuture<'a, Result<ExecutedCalls, RunError>> {
        Box::pin(self.execute_calls(calls, tools))
    }

    fn apply_call<'a>(
        &'a mut self,
        call: &'a ToolCall,
    ) -> BoxFuture<'a, Result<AppliedCall, RunError>> {
        let error = RunError::Broken(format!("{} writes nothing after its turn", call.name));
        Box::pin(std::future::ready(Err(error)))
    }

    fn finalize<'a>(
        &'a mut self,
        log: &'a RunLog,
        _chain: &'a Chain,
    ) -> BoxFuture<'a, Result<RunOutput, RunError>> {
        Box::pin(self.end(log))
    }

    fn fail<'a>(&'a mut self, error: &'a str) -> BoxFuture<'a, Result<RunOutput, RunError>> {
        Box::pin(self.attempt_failed(error))
    }
}
