//! A store and rules for the product in its year: what a mistake changes about the store, and how often the
//! rules were called.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use dormouse_runs::RunError;
use dormouse_store::backend::sqlite::Sqlite;
use dormouse_store::{
    Backend, Commit, CommitError, Committed, Db, Engine, Hints, Op, Param, ReadError, Row, Value,
};
use dormouse_testkit::ManualClock;
use dormouse_types::built_in_work::{
    InstructionReader, Known, ReadInstruction, RefusedInstruction, Template, WorkRules,
};
use dormouse_types::port::{BoxFuture, Clock as _};
use dormouse_types::work_facts::{LastRun, WorkspaceFacts};
use dormouse_types::work_kind::WorkParameters;
use dormouse_types::work_outcome::{BuiltInOutcome, NothingReason};
use dormouse_types::{HostId, Seq, WorkId, WorkRunId, WorkspaceId};
use dormouse_work::Facts;
use futures_util::future::FutureExt as _;
use jiff::civil::date;
use jiff::{SignedDuration, Timestamp};

/// A mistake of a product.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mistake {
    /// The digits of a RECURRENCE-ID in UTC are compared with those of the series.
    RecurrenceIdAsText,
    /// An override is matched by SEQUENCE, so that the occurrence is due at its old time as well.
    OverrideBySequence,
    /// A schedule that is resumed goes on where it was paused.
    CatchUpIgnoresPause,
    /// Whether a run may start was read before its claim, and is no condition of it.
    ApprovalReadBeforeClaim,
    /// A run begins before its claim is durable, and its node dies.
    FiredBeforeCommitted,
    /// Nothing makes the row of an occurrence unique, and nobody asks whether it is there.
    NoUniqueOccurrence,
}

/// What a store in memory does at once.
#[track_caller]
pub fn now<F: Future>(future: F) -> F::Output {
    future.now_or_never().expect("a store in memory answers at once")
}

/// Whether somebody woke a task.
struct Bell(AtomicBool);

impl Wake for Bell {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Polls once, and as long as it goes on by itself. `None` if it waits for something.
pub fn poll<F: Future>(future: F) -> Option<F::Output> {
    let bell = Arc::new(Bell(AtomicBool::new(true)));
    let waker = Waker::from(bell.clone());
    let mut future = std::pin::pin!(future);
    while bell.0.swap(false, Ordering::SeqCst) {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return Some(output);
        }
    }
    None
}

/// How long runs last: what ends one is written no earlier. A run whose process dies goes on where it was.
#[derive(Default)]
pub struct LongRuns {
    /// How long the runs of each definition last.
    lasts: Mutex<BTreeMap<String, SignedDuration>>,
    /// When each run that is under way ends, or ended.
    ends: Mutex<BTreeMap<String, Timestamp>>,
    /// What is left of runs whose process died.
    left: Mutex<BTreeMap<String, SignedDuration>>,
    /// How often a run went on after its process had died.
    pub n_resumed: AtomicUsize,
}

impl LongRuns {
    pub fn put(&self, work: &WorkId, lasts: SignedDuration) {
        locked(&self.lasts).insert(work.to_string(), lasts);
    }

    /// The end of the run that ends next.
    pub fn next_end(&self, after: Timestamp) -> Option<Timestamp> {
        locked(&self.ends).values().copied().filter(|end| *end > after).min()
    }

    /// Lets all processes die.
    pub fn die(&self, at: Timestamp) {
        let ends = std::mem::take(&mut *locked(&self.ends));
        let left = ends.into_iter().filter(|(_, end)| *end > at);
        locked(&self.left).extend(left.map(|(run, end)| (run, end.duration_since(at))));
    }

    /// When the run may end whose end a commit is.
    fn end_of(&self, commit: &Commit, now: Timestamp) -> Option<Timestamp> {
        let texts = || {
            commit.ops.iter().flat_map(|op| &op.params).filter_map(|param| match param {
                Param::Value(Value::Text(text)) => Some(text.as_str()),
                _ => None,
            })
        };
        let lasts = texts().find_map(|text| locked(&self.lasts).get(text).copied())?;
        let run = texts().find(|text| text.parse::<WorkRunId>().is_ok())?;
        let end = *locked(&self.ends).entry(run.to_owned()).or_insert_with(|| {
            let left = locked(&self.left).remove(run);
            self.n_resumed.fetch_add(usize::from(left.is_some()), Ordering::SeqCst);
            now + left.unwrap_or(lasts)
        });
        (end > now).then_some(end)
    }
}

/// A store, as far as it is honest.
pub struct Wire {
    pub sqlite: Arc<Sqlite>,
    pub clock: ManualClock,
    pub long_runs: LongRuns,
    pub mistake: Option<Mistake>,
    /// Whether the commit under way resumes a definition.
    pub resumes: AtomicBool,
    pub claims: AtomicUsize,
    /// Whether a node is at work, and not a person.
    pub drains: AtomicBool,
    /// Runs whose claim was said to be durable.
    pub fired: Mutex<BTreeSet<String>>,
}

pub fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The run that a commit claims.
fn claimed(commit: &Commit) -> Option<String> {
    let op = commit.ops.iter().find(|op| op.sql.starts_with("UPDATE wake_queue SET owner = ?3"))?;
    match op.params.get(1) {
        Some(Param::Value(Value::Text(run))) => Some(run.clone()),
        _ => None,
    }
}

fn rewritten(op: &mut Op, from: &str, to: &str) {
    if op.sql.contains(from) {
        // There are few statements.
        op.sql = op.sql.replace(from, to).leak();
    }
}

impl Backend for Wire {
    fn read<'a>(
        &'a self,
        db: Db,
        sql: &'static str,
        params: Vec<Value>,
    ) -> BoxFuture<'a, Result<Vec<Row>, ReadError>> {
        let forgets = self.mistake == Some(Mistake::NoUniqueOccurrence);
        if forgets && sql.contains("FROM work_runs WHERE ws = ?1 AND original_start IN (") {
            return Box::pin(std::future::ready(Ok(Vec::new())));
        }
        if self.mistake != Some(Mistake::FiredBeforeCommitted) || !sql.contains("FROM work_runs") {
            return self.sqlite.read(db, sql, params);
        }
        Box::pin(async move {
            let mut rows = self.sqlite.read(db, sql, params).await?;
            let fired = locked(&self.fired);
            for Row(values) in &mut rows {
                if values.iter().any(|it| matches!(it, Value::Text(id) if fired.contains(id))) {
                    let queued =
                        values.iter_mut().filter(|it| **it == Value::Text("queued".into()));
                    queued.for_each(|it| *it = Value::Text("running".into()));
                }
            }
            Ok(rows)
        })
    }

    fn commit(&self, mut commit: Commit) -> BoxFuture<'_, Result<Committed, CommitError>> {
        match self.mistake {
            Some(Mistake::CatchUpIgnoresPause) if self.resumes.load(Ordering::SeqCst) => {
                for op in &mut commit.ops {
                    rewritten(op, "position = ?12", "position = COALESCE(position, ?12)");
                }
                // Nothing was left out.
                commit.ops.retain(|op| !op.sql.contains("INTO work_runs"));
            }
            Some(Mistake::ApprovalReadBeforeClaim) if commit.label == "run.claim" => {
                for op in &mut commit.ops {
                    rewritten(op, "AND id = ?2 AND revision = ?3", "AND id = ?2 AND ?3 = ?3");
                    rewritten(op, "AND id = ?2 AND state = ?3", "AND id = ?2 AND ?3 = ?3");
                }
            }
            Some(Mistake::NoUniqueOccurrence) if commit.label == "work.plan" => {
                for op in &mut commit.ops {
                    rewritten(op, "AND id = ?2 AND revision = ?3", "AND id = ?2 AND ?3 = ?3");
                }
            }
            Some(Mistake::FiredBeforeCommitted) if commit.label == "run.claim" => {
                if self.drains.load(Ordering::SeqCst)
                    && let Some(run) = claimed(&commit)
                    && !locked(&self.fired).remove(&run)
                    && self.claims.fetch_add(1, Ordering::SeqCst) % 20 == 19
                {
                    locked(&self.fired).insert(run);
                    let said = Committed { seq: Seq(0), replayed: None };
                    return Box::pin(std::future::ready(Ok(said)));
                }
            }
            _ => {}
        }
        if commit.label == "work.final"
            && let Some(end) = self.long_runs.end_of(&commit, self.clock.now().to_jiff())
        {
            return Box::pin(async move {
                self.clock.sleep_until(dormouse_types::Timestamp::from_jiff(end)).await;
                self.sqlite.commit(commit).await
            });
        }
        self.sqlite.commit(commit)
    }

    fn host(&self, db: Db) -> HostId {
        self.sqlite.host(db)
    }

    fn engine(&self) -> Engine {
        self.sqlite.engine()
    }

    fn changes(&self) -> Hints {
        self.sqlite.changes()
    }
}

/// Rules that come to nothing, and count.
#[derive(Default)]
pub struct Counted(Mutex<BTreeMap<WorkId, usize>>);

impl Counted {
    pub fn of(&self, work: &WorkId) -> usize {
        locked(&self.0).get(work).copied().unwrap_or(0)
    }
}

impl WorkRules for Counted {
    fn gallery(&self, _: &str) -> Vec<Template> {
        Vec::new()
    }

    fn read(
        &self,
        _: &str,
        _: &Known,
        _: &InstructionReader,
    ) -> Result<ReadInstruction, RefusedInstruction> {
        Err(RefusedInstruction("nothing is read here".into()))
    }

    fn say(&self, _: &WorkParameters, _: Option<&str>, _: &InstructionReader) -> String {
        "An agenda.".into()
    }

    fn language(&self, _: &str) -> &'static str {
        "en"
    }

    fn run(&self, _: &WorkspaceFacts, _: &WorkParameters, _: &str) -> BuiltInOutcome {
        BuiltInOutcome::Nothing { why: NothingReason::NothingThere }
    }
}

impl Facts for Counted {
    fn names(&self, _: WorkspaceId) -> BoxFuture<'_, Result<Known, RunError>> {
        Box::pin(std::future::ready(Ok(Known::default())))
    }

    fn gather<'a>(
        &'a self,
        _: WorkspaceId,
        work: &'a WorkId,
        _: &'a WorkParameters,
        last_run: Option<LastRun>,
    ) -> BoxFuture<'a, Result<WorkspaceFacts, RunError>> {
        *locked(&self.0).entry(work.clone()).or_default() += 1;
        let facts = WorkspaceFacts {
            today: date(2026, 3, 2),
            zone: "Europe/Berlin".into(),
            last_run,
            since: date(2026, 3, 1),
            tasks: Vec::new(),
            attention: Vec::new(),
            events: Vec::new(),
            verdicts: Vec::new(),
        };
        Box::pin(std::future::ready(Ok(facts)))
    }
}
