//! What everybody in a play shares: time, chance, weather, the store, and the notes of what happened.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use dormouse_store::backend::sqlite::Sqlite;
use dormouse_store::{Backend as _, Db, Row, Value};
use dormouse_testkit::ManualClock;
use dormouse_types::port::{BoxFuture, Clock as _};
use dormouse_types::{TaskId, Timestamp};
use futures_util::future::FutureExt as _;

use crate::chance::Chance;
use crate::faults::{Fault, FaultRates, Tally};
use crate::locks::lock;
use crate::mutation::Mutation;
use crate::oracle_memory::Oracle;
use crate::process::Node;
use crate::terms::Terms;
use crate::time::SkewedClock;
use crate::work_known::Known;

/// The group of tasks that no crash ends: the person, the weather, the database.
pub(crate) const OUTSIDE: usize = 0;

/// A task that waits to be taken up.
pub(crate) struct Fresh {
    pub(crate) group: usize,
    pub(crate) name: String,
    pub(crate) future: BoxFuture<'static, ()>,
}

/// What everybody shares.
pub(crate) struct SimState {
    pub(crate) clock: ManualClock,
    pub(crate) sqlite: Arc<Sqlite>,
    pub(crate) mutation: Option<Mutation>,
    /// Where the model of this play runs, and what it costs.
    pub(crate) terms: Terms,
    /// Balances as a dishonest store remembers them, by agent and account.
    pub(crate) stale: Mutex<BTreeMap<(String, String), i64>>,
    /// The clock of each machine.
    pub(crate) dials: Vec<SkewedClock>,
    /// Every process that was started, dead ones included; its group is its place and one.
    pub(crate) nodes: Mutex<Vec<Node>>,
    pub(crate) oracle: Mutex<Oracle>,
    /// The task of the chores, in a play that has a second kind of run.
    pub(crate) house: OnceLock<TaskId>,
    /// What is known of agent work, in a play that has some.
    pub(crate) work: Mutex<Known>,
    /// Starts a process on a machine. The play knows how: a process knows what everybody shares.
    pub(crate) start: fn(&Arc<SimState>, usize),
    notes: Mutex<Notes>,
}

struct Notes {
    dawn: Timestamp,
    chance: Chance,
    weather: FaultRates,
    tally: Tally,
    trace: Vec<String>,
    wrong: Option<String>,
    fresh: Vec<Fresh>,
    people: usize,
}

/// What is left of a play.
pub(crate) struct PlayResult {
    pub(crate) tally: Tally,
    pub(crate) trace: Vec<String>,
    pub(crate) wrong: Option<String>,
}

impl SimState {
    pub(crate) fn new(
        clock: ManualClock,
        sqlite: Arc<Sqlite>,
        mut chance: Chance,
        mutation: Option<Mutation>,
        start: fn(&Arc<SimState>, usize),
    ) -> Self {
        let n_machines = 1 + chance.place(3);
        let mut dials = Vec::new();
        for _ in 0..n_machines {
            let skew = i64::try_from(chance.below(4_000_000)).unwrap_or(0) - 2_000_000;
            dials.push(SkewedClock::new(&clock, skew));
        }
        let terms = Terms::drawn(&mut chance);
        let notes = Notes {
            dawn: clock.now(),
            weather: FaultRates::drawn(&mut chance),
            chance,
            tally: Tally::default(),
            trace: Vec::new(),
            wrong: None,
            fresh: Vec::new(),
            people: 0,
        };
        Self {
            dials,
            clock,
            sqlite,
            mutation,
            terms,
            stale: Mutex::default(),
            nodes: Mutex::default(),
            oracle: Mutex::default(),
            house: OnceLock::new(),
            work: Mutex::default(),
            start,
            notes: Mutex::new(notes),
        }
    }

    /// Whether there is one machine: then a folder lock proves that earlier processes are dead.
    pub(crate) fn is_alone(&self) -> bool {
        self.dials.len() == 1
    }

    /// Draws from the chance of this play.
    pub(crate) fn draw<T>(&self, draw: impl FnOnce(&mut Chance) -> T) -> T {
        draw(&mut lock(&self.notes).chance)
    }

    /// Whether a fault strikes on this occasion; it is noted if it does.
    pub(crate) fn strikes(&self, fault: Fault) -> bool {
        let notes = &mut *lock(&self.notes);
        let strikes = notes.weather.strikes(fault, &mut notes.chance);
        if strikes {
            notes.tally.note(format!("{fault:?}"));
        }
        strikes
    }

    /// Counts something that a batch of plays must have seen.
    pub(crate) fn count(&self, what: &str) {
        lock(&self.notes).tally.note(what);
    }

    /// Writes a line of the trace.
    pub(crate) fn trace(&self, line: impl std::fmt::Display) {
        let now = self.clock.now();
        let mut notes = lock(&self.notes);
        let millis = (now.micros() - notes.dawn.micros()) / 1000;
        let line = format!("{:>9}.{:03} {line}", millis / 1000, (millis % 1000).abs());
        notes.trace.push(line);
    }

    /// Notes a broken promise; the first one ends the play.
    pub(crate) fn report_violation(&self, what: impl Into<String>) {
        let what = what.into();
        self.trace(format_args!("WRONG {what}"));
        lock(&self.notes).wrong.get_or_insert(what);
    }

    pub(crate) fn is_wrong(&self) -> bool {
        lock(&self.notes).wrong.is_some()
    }

    /// From here on nothing goes wrong.
    pub(crate) fn calm_down(&self) {
        lock(&self.notes).weather = FaultRates::calm();
    }

    /// How many lines the trace has: what happened before and after something.
    pub(crate) fn moment(&self) -> usize {
        lock(&self.notes).trace.len()
    }

    /// A person comes, or one leaves.
    pub(crate) fn come(&self) {
        lock(&self.notes).people += 1;
    }

    pub(crate) fn leave(&self) {
        lock(&self.notes).people -= 1;
    }

    pub(crate) fn is_empty_of_people(&self) -> bool {
        lock(&self.notes).people == 0
    }

    /// Hands a task to the executor.
    pub(crate) fn spawn(
        &self,
        group: usize,
        name: impl Into<String>,
        future: impl Future<Output = ()> + Send + 'static,
    ) {
        let fresh = Fresh { group, name: name.into(), future: Box::pin(future) };
        lock(&self.notes).fresh.push(fresh);
    }

    pub(crate) fn take_fresh(&self) -> Vec<Fresh> {
        std::mem::take(&mut lock(&self.notes).fresh)
    }

    pub(crate) fn take_left(&self) -> PlayResult {
        let mut notes = lock(&self.notes);
        PlayResult {
            tally: std::mem::take(&mut notes.tally),
            trace: std::mem::take(&mut notes.trace),
            wrong: notes.wrong.take(),
        }
    }

    /// The rows as they are, past every fault.
    pub(crate) fn rows(&self, db: Db, sql: &'static str, params: Vec<Value>) -> Vec<Row> {
        let read = self.sqlite.read(db, sql, params).now_or_never();
        match read {
            Some(Ok(rows)) => rows,
            Some(Err(error)) => {
                self.report_violation(format!("the store cannot be read: {error}"));
                Vec::new()
            }
            None => Vec::new(),
        }
    }

    /// The first column of the first row as a number; 0 without one.
    pub(crate) fn number(&self, db: Db, sql: &'static str, params: Vec<Value>) -> i64 {
        self.rows(db, sql, params).first().and_then(|row| row.int(0).ok()).unwrap_or(0)
    }

    /// The lifecycle of an agent by its row.
    pub(crate) fn lifecycle(&self, agent: &str) -> String {
        let sql = "SELECT json_extract(serialized, '$.lifecycle') FROM agent_entities
                   WHERE ws = 1 AND id = ?1";
        let rows = self.rows(Db::Agent, sql, vec![agent.into()]);
        rows.first().and_then(|row| row.text(0).ok()).unwrap_or_default().to_owned()
    }

    /// The run in the queue row of an agent.
    pub(crate) fn run_of(&self, agent: &str) -> Option<String> {
        let sql = "SELECT run_key FROM wake_queue WHERE ws = 1 AND agent_id = ?1";
        let rows = self.rows(Db::Agent, sql, vec![agent.into()]);
        Some(rows.first()?.text(0).ok()?.to_owned())
    }

    /// Lets time pass for the caller.
    pub(crate) async fn wait(&self, time: Duration) {
        self.clock.sleep_until(self.clock.now() + time).await;
    }

    /// Ends the circle between what is shared and the nodes that hold it.
    pub(crate) fn close(&self) {
        lock(&self.notes).fresh.clear();
        let nodes = std::mem::take(&mut *lock(&self.nodes));
        drop(nodes);
    }
}
