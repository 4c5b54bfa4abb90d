//! A second kind of run in the same play: chores of a house, in a workspace of their own.
//!
//! A timer wakes a chore. Its run asks a model once, and the model calls a tool that proposes and
//! one that writes. The same scheduler claims, drives and takes over these runs; nothing below this
//! file knows what they are.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use dormouse_journal::{Edit, EditCtx, Journal, JournalError, NewTask, OnceKey};
use dormouse_runs::gate::Draft;
use dormouse_runs::request::Offer;
use dormouse_runs::run_log::operation;
use dormouse_runs::{
    AppliedCall, ClosingTools, Driver, ExecutedCalls, Models, RunError, RunHandler, RunLog,
    RunOutput, StopReason, ToolSet, TurnContext,
};
use dormouse_scheduler::{
    Admission, Capacity, Due, End, Handler, HandlerError, HolderKind, Lease, Slots, Stop,
};
use dormouse_store::agent::change_item::{self, Item, State};
use dormouse_store::agent::message::Chain;
use dormouse_store::agent::timer::{self, Kind};
use dormouse_store::agent::wake_queue::{self, Reason};
use dormouse_store::agent::wake_run::{Run, Status};
use dormouse_store::{ChangeRow, Commit, CommitError, Db, Op, Refusal, Store};
use dormouse_testkit::CountingEntropy;
use dormouse_types::agent::Initiator;
use dormouse_types::closed_list::Listed;
use dormouse_types::model::{
    FragmentData, FragmentKind, ModelError, Request, ToolCall, ToolResult, ToolSpec, TurnEvent,
    Usage,
};
use dormouse_types::port::{BoxFuture, BoxStream, Clock, Entropy, Model, ModelClass, NoFaults};
use dormouse_types::{
    Actor, ChangeSetId, Fingerprint, HolderId, Id as _, Origin, RunKey, Seq, TaskId, ThreadId,
    WorkspaceId, hash,
};
use futures_util::stream;
use serde_json::json;

use crate::sim_state::SimState;

/// The workspace of the chores; people and agents live in another.
const WS: WorkspaceId = WorkspaceId(2);
const TITLE: &str = "The house";
const PROPOSE: &str = "propose_priority";
const WRITE: &str = "write_note";
/// Chores of a play.
const N_CHORES: u64 = 3;

/// The tools of a chore.
static TOOLS: LazyLock<Arc<Offer>> = LazyLock::new(|| {
    let tool = |name: &str| ToolSpec {
        name: name.into(),
        description: format!("{name} of the house"),
        parameters: json!({ "type": "object" }),
    };
    Arc::new(Offer::new(vec![tool(PROPOSE), tool(WRITE)]))
});

/// Creates the chores, each with a timer, and returns the task of the house.
pub(crate) async fn prepare(sim: &SimState) -> anyhow::Result<TaskId> {
    let store = Store::new(sim.sqlite.clone(), Arc::new(NoFaults));
    let clock: Arc<dyn Clock> = Arc::new(sim.clock.clone());
    let journal = Journal::new(store.clone(), clock.clone(), Arc::new(CountingEntropy::seeded(3)));
    let new = NewTask { title: TITLE.into(), edits: Vec::new() };
    let person = EditCtx::new(Origin::Person { via: None }, Actor::Owner);
    let task = journal.create(WS, &new, &person).await?.task;
    for n in 0..N_CHORES {
        let holder: HolderId = format!("chore-{n:0>26}").parse()?;
        let at = clock.now() + Duration::from_secs(sim.draw(|chance| chance.below(240)));
        let commit = Commit::new("chore.create", Db::Agent, WS)
            .op(wake_queue::insert(WS, &holder, None, clock.now()))
            .op(timer::set(WS, &holder, Kind::WakeAt, at, None));
        store.commit(commit).await?;
    }
    Ok(task)
}

/// What a node needs to run chores.
pub(crate) fn handler(
    store: Store,
    journal: Journal,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    task: TaskId,
) -> Arc<dyn Handler> {
    let models = Models::new(Arc::new(TwoCalls));
    let driver = Driver::new(store.clone(), clock.clone(), entropy.clone(), models);
    Arc::new(House { journal, driver, clock, entropy, task })
}

/// What must hold when nothing is due any more: each chore was done once, or given up.
pub(crate) fn inspect(sim: &SimState) {
    let count = |db, sql: &'static str| sim.number(db, sql, Vec::new());
    let runs = "SELECT COUNT(*) FROM wake_run_log WHERE ws = 2";
    let completed = "SELECT COUNT(*) FROM wake_run_log WHERE ws = 2 AND status = 'completed'";
    let open = "SELECT COUNT(*) FROM wake_run_log WHERE ws = 2 AND status IN ('queued', 'started')";
    let items = "SELECT COUNT(*) FROM change_items WHERE ws = 2";
    let notes = "SELECT COUNT(*) FROM journal WHERE ws = 2 AND type = 'entry'";
    let (runs, completed, open) =
        (count(Db::Agent, runs), count(Db::Agent, completed), count(Db::Agent, open));
    let (items, notes) = (count(Db::Agent, items), count(Db::Journal, notes));
    let expected = i64::try_from(N_CHORES).unwrap_or(i64::MAX);
    (0..completed).for_each(|_| sim.count("completed chore"));
    if runs != expected || open != 0 {
        sim.report_violation(format!("chores: {runs} runs, {open} of them without an end"));
    }
    let is_between = |n: i64| (completed..=runs).contains(&n);
    if !is_between(items) || !is_between(notes) {
        sim.report_violation(format!(
            "chores: {completed} of {runs} completed, with {items} proposals and {notes} notes"
        ));
    }
}

/// Calls both tools in one turn.
struct TwoCalls;

impl Model for TwoCalls {
    fn name(&self) -> &str {
        "two calls"
    }

    fn class(&self) -> ModelClass {
        ModelClass::Free
    }

    fn ask<'a>(&'a self, _: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        let call = |name: &str| {
            TurnEvent::Call(ToolCall { id: name.into(), name: name.into(), args: json!({}) })
        };
        let events = [call(PROPOSE), call(WRITE), TurnEvent::End { ended: true }];
        Box::pin(stream::iter(events.map(Ok)))
    }
}

/// Runs chores.
struct House {
    journal: Journal,
    driver: Driver,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    task: TaskId,
}

fn failed(error: impl std::error::Error + Send + Sync + 'static) -> HandlerError {
    HandlerError { is_damage: false, source: Box::new(error) }
}

fn moved(subject: &str) -> ChangeRow {
    ChangeRow::agent(Origin::Person { via: None }, Listed::named("chore:run"), None, subject)
}

impl Handler for House {
    fn kind(&self) -> HolderKind {
        HolderKind { prefix: "chore", noun: "chore", slots: Slots::Shared }
    }

    fn capacity(&self, _: WorkspaceId) -> BoxFuture<'_, Result<Capacity, HandlerError>> {
        Box::pin(async { Ok(Capacity::Free) })
    }

    fn admit<'a>(&'a self, due: Due<'a>) -> BoxFuture<'a, Result<Admission, HandlerError>> {
        Box::pin(async move {
            if due.waiting.is_some() {
                return Ok(Admission::Resume { ops: Vec::new() });
            }
            let (row, now) = (due.entry, self.clock.now());
            let run = Run {
                key: RunKey(hash::joined(&[row.holder.as_str(), "the run"]).0),
                holder: row.holder.clone(),
                reason: Reason::Timer.into(),
                reason_id: None,
                initiator: Initiator::Automation.into(),
                thread: ThreadId::fresh(now, &*self.entropy),
                status: Status::Started,
                logical_change_key: None,
                processed: Seq(0),
                upto: Seq(0),
                heard_upto: Seq(0),
                epoch: row.epoch + 1,
                crashes: 0,
                model: None,
                cut: false,
                created_at: now,
                started_at: Some(now),
                completed_at: None,
                error: None,
                failure: None,
                usage: Usage::default(),
            };
            let (ops, if_repeated) = (Vec::new(), Vec::new());
            Ok(Admission::Start { run: Box::new(run), ops, if_repeated })
        })
    }

    fn run<'a>(
        &'a self,
        lease: &'a Lease,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<End, HandlerError>> {
        Box::pin(async move {
            let mut run = HouseRun { house: self, lease };
            self.driver.stopping_on(stop.clone()).drive(&mut run, lease).await.map_err(failed)
        })
    }

    fn give_up<'a>(
        &'a self,
        _: WorkspaceId,
        _: &'a HolderId,
    ) -> BoxFuture<'a, Result<Vec<Op>, HandlerError>> {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn announce(&self, _: &HolderId, subject: &str) -> Option<ChangeRow> {
        Some(moved(subject))
    }
}

/// One run of a chore.
struct HouseRun<'a> {
    house: &'a House,
    lease: &'a Lease,
}

impl HouseRun<'_> {
    fn proposal(&self, call: &ToolCall) -> Item {
        let now = self.house.clock.now();
        let entropy = &*self.house.entropy;
        Item {
            set: ChangeSetId::fresh(now, entropy),
            index: 1,
            task: self.house.task.clone(),
            proposer: self.lease.holder().clone(),
            tool: call.name.clone(),
            args: "{}".into(),
            fingerprint: Fingerprint(hash::sha256(self.lease.holder().as_str()).0),
            evidence: None,
            rationale: None,
            change: None,
            before: None,
            state: State::Pending,
            round: 0,
            operation: operation(self.lease.run.key.as_str(), call),
            error: None,
            shown_at: None,
            created_at: now,
            decided_at: None,
        }
    }
}

impl RunHandler for HouseRun<'_> {
    fn announce(&self) -> ChangeRow {
        moved(self.lease.run.key.as_str())
    }

    fn block_reason(&mut self) -> BoxFuture<'_, Result<Option<StopReason>, RunError>> {
        Box::pin(async { Ok(None) })
    }

    fn closing(&mut self) -> BoxFuture<'_, Result<Option<ClosingTools>, RunError>> {
        Box::pin(async { Ok(None) })
    }

    fn is_closed(&self, _: &RunLog) -> bool {
        false
    }

    fn context(&mut self) -> BoxFuture<'_, Result<TurnContext, RunError>> {
        self.followup_context(ToolSet::All)
    }

    fn followup_context(&mut self, _: ToolSet) -> BoxFuture<'_, Result<TurnContext, RunError>> {
        Box::pin(async {
            let (kind, data) = (FragmentKind::Instruction, FragmentData::None);
            let fragment = Draft::fixed(kind, "Do the chore.", data);
            let (fragments, tools) = (vec![fragment], TOOLS.clone());
            Ok(TurnContext::of(fragments, tools))
        })
    }

    fn execute<'a>(
        &'a mut self,
        calls: &'a [ToolCall],
        _: ToolSet,
    ) -> BoxFuture<'a, Result<ExecutedCalls, RunError>> {
        Box::pin(async move {
            let mut done = ExecutedCalls::default();
            for call in calls {
                // The other tool writes the journal, after this turn.
                done.results.push((call.name == PROPOSE).then(|| ToolResult {
                    call_id: call.id.clone(),
                    refused: false,
                    text: "proposed".into(),
                }));
                if call.name == PROPOSE {
                    let item = self.proposal(call);
                    done.ops.push(change_item::insert(WS, &item));
                }
            }
            Ok(done)
        })
    }

    fn apply_call<'a>(
        &'a mut self,
        call: &'a ToolCall,
    ) -> BoxFuture<'a, Result<AppliedCall, RunError>> {
        Box::pin(async move {
            let lease = self.lease;
            let id = operation(lease.run.key.as_str(), call).to_string();
            let mut ctx = EditCtx::new(
                Origin::Person { via: None },
                Actor::Other(format!("chore:{}", lease.holder())),
            );
            ctx.once = Some(OnceKey { id, request: hash::sha256(WRITE) });
            ctx.fence = Some((lease.holder().to_string(), lease.run.epoch));
            let note = format!("{} is done.", lease.holder());
            match self.house.journal.edit(WS, &self.house.task, &[Edit::note(&note)], &ctx).await {
                Ok(_) => {}
                Err(JournalError::Fenced { .. }) => {
                    let (label, refusal) = ("journal.edit", Refusal::LeaseLost);
                    return Err(RunError::Commit(CommitError::Refused { label, refusal }));
                }
                Err(JournalError::Read(error)) => return Err(RunError::Read(error)),
                Err(JournalError::Commit(error)) => return Err(RunError::Commit(error)),
                Err(other) => return Err(RunError::Broken(other.to_string())),
            }
            let result =
                ToolResult { call_id: call.id.clone(), refused: false, text: "written".into() };
            Ok(AppliedCall { result, ops: Vec::new(), touched: Vec::new() })
        })
    }

    fn finalize<'a>(
        &'a mut self,
        _: &'a RunLog,
        _: &'a Chain,
    ) -> BoxFuture<'a, Result<RunOutput, RunError>> {
        Box::pin(async { Ok(RunOutput::default()) })
    }

    fn fail<'a>(&'a mut self, _: &'a str) -> BoxFuture<'a, Result<RunOutput, RunError>> {
        Box::pin(async { Ok(RunOutput::default()) })
    }
}
