//! What a database must hold after a cut, and whether it does.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use dormouse_store::{Db, Query, ReadError, Row, Store, Value, change_log};

use crate::load::{Kind, Outcome, Plan, WS, wait};

/// What was sent to one database, in the order in which it is applied.
#[derive(Debug, Clone)]
pub struct Ledger {
    db: Db,
    lines: Vec<Line>,
}

#[derive(Debug, Clone)]
struct Line {
    plan: Plan,
    /// Commits of one transaction stand or fall together.
    transaction: usize,
    seq: i64,
    /// How long the tape was when its caller was answered.
    answered_at: usize,
}

/// How a promise was broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrong {
    /// The database cannot be opened or read, or it is not whole.
    Damaged,
    /// A commit that was acknowledged is not there.
    Lost,
    /// A part of a commit, or of a transaction, is there.
    Half,
    /// A position was given twice, or is another one than was answered.
    Position,
    /// Another commit or another order than was sent.
    Stray,
    /// What comes after the cut does not go on as it should.
    NextCommit,
}

/// One broken promise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broken {
    /// How.
    pub wrong: Wrong,
    /// What exactly.
    pub what: String,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.wrong, self.what)
    }
}

impl Broken {
    /// A promise broken in one way.
    pub fn new(wrong: Wrong, what: impl Into<String>) -> Self {
        Self { wrong, what: what.into() }
    }
}

fn damaged(e: &ReadError) -> Broken {
    Broken::new(Wrong::Damaged, e.to_string())
}

impl Ledger {
    /// Nothing was sent yet.
    pub fn new(db: Db) -> Self {
        Self { db, lines: Vec::new() }
    }

    /// How many commits were acknowledged.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether nothing was acknowledged.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// The lengths of the tape at which callers were answered.
    pub fn answered_at(&self) -> impl Iterator<Item = usize> + '_ {
        self.lines.iter().map(|line| line.answered_at)
    }

    /// Notes the outcome of the commits of one transaction.
    ///
    /// Errors: one was refused that should not be, or the other way round.
    pub fn answered(
        &mut self,
        plans: &[Plan],
        outcomes: &[Outcome],
        at: usize,
    ) -> Result<(), Broken> {
        let transaction = self.lines.last().map_or(0, |line| line.transaction) + 1;
        for (plan, outcome) in plans.iter().zip(outcomes) {
            match (plan.kind, outcome) {
                (Kind::Small | Kind::Bulk, Ok(done)) if done.replayed.is_none() => {
                    let line = Line { plan: *plan, transaction, seq: done.seq.0, answered_at: at };
                    self.lines.push(line);
                }
                (Kind::Refused, Err(e)) if e.refusal().is_some() => {}
                (Kind::Small | Kind::Bulk | Kind::Refused, _) => {
                    let what = format!("{} {plan:?}: {outcome:?}", self.db.name());
                    return Err(Broken::new(Wrong::Stray, what));
                }
            }
        }
        Ok(())
    }

    /// What a cut left, as the beginning of further work.
    pub fn onwards(&self, kept: usize) -> Self {
        let lines = self.lines.iter().take(kept);
        let lines =
            lines.map(|line| Line { answered_at: 0, transaction: 0, ..line.clone() }).collect();
        Self { db: self.db, lines }
    }

    /// Holds a database against what was sent until the tape had a length, and returns the number
    /// of commits in it.
    pub fn check(&self, store: &Store, at: usize) -> Result<usize, Broken> {
        let whole = raw(store, self.db, "PRAGMA integrity_check")?;
        if whole != [Row(vec![Value::from("ok")])] {
            let what = format!("{}: integrity check: {whole:?}", self.db.name());
            return Err(Broken::new(Wrong::Damaged, what));
        }
        let there = self.there(store)?;
        let due = self.lines.iter().take_while(|line| line.answered_at <= at).count();
        let expected = |n: usize| self.lines[..n].iter().map(|line| (line.seq, line.plan.id()));
        let found: BTreeSet<&(i64, String)> = there.iter().collect();
        if let Some(lost) = expected(due).find(|line| !found.contains(line)) {
            let last = there.last();
            let what = format!(
                "{} {lost:?} was acknowledged; {} of {due} are there, the last is {last:?}",
                self.db.name(),
                there.len()
            );
            let moved = there.iter().any(|(_, id)| *id == lost.1);
            let wrong = if moved { Wrong::Position } else { Wrong::Lost };
            return Err(Broken::new(wrong, what));
        }
        let n = there.len();
        if n > self.lines.len() || !expected(n).eq(there.iter().cloned()) {
            let what = format!("{}: nobody sent this in this order: {there:?}", self.db.name());
            return Err(Broken::new(Wrong::Stray, what));
        }
        if n > 0
            && let (Some(last), Some(next)) = (self.lines.get(n - 1), self.lines.get(n))
            && last.transaction == next.transaction
            && last.transaction > 0
        {
            let what = format!("{}: a transaction ends after {:?}", self.db.name(), last.plan);
            return Err(Broken::new(Wrong::Half, what));
        }
        let head = wait(store.first(change_log::head(self.db, WS))).map_err(|e| damaged(&e))?;
        let head = head.map_or(0, |seq| seq.0);
        let last = there.last().map_or(0, |(seq, _)| *seq);
        if head != last {
            let what = format!("{}: the counter is {head}, not {last}", self.db.name());
            return Err(Broken::new(Wrong::Position, what));
        }
        Ok(n)
    }

    /// The positions and receipts that are there, with all rows that belong to them.
    fn there(&self, store: &Store) -> Result<Vec<(i64, String)>, Broken> {
        let db = self.db;
        let receipts =
            raw(store, db, "SELECT seq, id, answer FROM applied_operations ORDER BY seq")?;
        let there: Vec<(i64, String)> = pairs(&receipts)?;
        let sent: BTreeMap<String, Plan> =
            self.lines.iter().map(|line| (line.plan.id(), line.plan)).collect();
        let plans: Vec<Plan> = there.iter().filter_map(|(_, id)| sent.get(id).copied()).collect();
        if plans.len() != there.len() {
            let what = format!("{}: a receipt that nobody wrote: {there:?}", db.name());
            return Err(Broken::new(Wrong::Stray, what));
        }
        let seqs = there.iter().map(|(seq, _)| Value::Int(*seq));
        let by_seq = |what: fn(Plan) -> String| -> Vec<Row> {
            let texts = plans.iter().map(|plan| Value::Text(what(*plan)));
            seqs.clone().zip(texts).map(|(seq, text)| Row(vec![seq, text])).collect()
        };
        let same = |sql: &'static str, expected: Vec<Row>| -> Result<(), Broken> {
            let found = raw(store, db, sql)?;
            if found == expected {
                return Ok(());
            }
            let first = found.iter().zip(&expected).position(|(a, b)| a != b);
            let what = format!(
                "{}: {sql}: {} rows for {} receipts, the first that differs is {first:?}",
                db.name(),
                found.len(),
                expected.len()
            );
            Err(Broken::new(Wrong::Half, what))
        };
        same("SELECT seq, subject FROM change_log ORDER BY seq", by_seq(Plan::id))?;
        same("SELECT seq, object FROM audit_log ORDER BY seq, n", by_seq(Plan::id))?;
        same("SELECT seq, answer FROM applied_operations ORDER BY seq", by_seq(Plan::answer))?;
        let bulk = plans.iter().rfind(|plan| plan.kind == Kind::Bulk).map(|plan| plan.bulk());
        let bulk: Vec<Row> = bulk.into_iter().map(|text| Row(vec![text.into()])).collect();
        match db {
            Db::Journal => {
                same("SELECT seq, task_id FROM touched_tasks ORDER BY seq", by_seq(Plan::task))?;
                same(
                    "SELECT clock_counter, serialized ->> '$.title' FROM journal
                     ORDER BY clock_counter",
                    by_seq(Plan::text),
                )?;
                let last = plans.last().map(|plan| Row(vec![plan.id().into()]));
                same("SELECT value FROM settings WHERE key = 'last'", Vec::from_iter(last))?;
                same("SELECT value FROM settings WHERE key = 'bulk'", bulk)?;
            }
            Db::Agent => {
                let mut lines: Vec<(i64, String)> =
                    plans.iter().map(|plan| (plan.n, plan.text())).collect();
                lines.sort();
                same(
                    "SELECT l.n, t.text FROM log_lines l
                     LEFT JOIN texts t ON t.ws = l.ws AND t.sha256 = l.sha256 ORDER BY l.n",
                    lines.into_iter().map(|(n, text)| Row(vec![n.into(), text.into()])).collect(),
                )?;
                same("SELECT text FROM texts WHERE sha256 = 'bulk'", bulk)?;
            }
        }
        Ok(there)
    }

    /// Goes on as a client does that was cut off: sends the last commit that is there and the first
    /// that is not.
    pub fn go_on(&self, store: &Store, kept: usize) -> Result<(), Broken> {
        let wrong = |what: String| Broken::new(Wrong::NextCommit, what);
        if let Some(line) = kept.checked_sub(1).and_then(|n| self.lines.get(n)) {
            let again = wait(store.commit(line.plan.commit()));
            let answered = again.as_ref().ok().map(|done| (done.seq.0, done.replayed.clone()));
            if answered != Some((line.seq, Some(line.plan.answer()))) {
                return Err(wrong(format!("{line:?} was sent again: {again:?}")));
            }
        }
        let fresh = Plan { db: self.db, n: i64::from(u32::MAX), kind: Kind::Small };
        let next = self.lines.get(kept).map_or(fresh, |line| line.plan);
        let done = wait(store.commit(next.commit()));
        let last = self.lines[..kept].last().map_or(0, |line| line.seq);
        match &done {
            Ok(done) if done.replayed.is_none() && done.seq.0 > last => Ok(()),
            Ok(_) | Err(_) => Err(wrong(format!("{next:?} after position {last}: {done:?}"))),
        }
    }
}

fn raw(store: &Store, db: Db, sql: &'static str) -> Result<Vec<Row>, Broken> {
    let query = Query { db, sql, params: Vec::new(), decode: |row| Ok(row.clone()) };
    wait(store.all(query)).map_err(|e| damaged(&e))
}

fn pairs(rows: &[Row]) -> Result<Vec<(i64, String)>, Broken> {
    rows.iter()
        .map(|row| Ok((row.int(0)?, row.text(1)?.to_owned())))
        .collect::<Result<_, dormouse_store::value::ColumnError>>()
        .map_err(|e| Broken::new(Wrong::Damaged, e.to_string()))
}
