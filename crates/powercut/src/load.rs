//! The work during which the power goes: commits of both databases, several at a time, in an order
//! that a seed decides.

use std::collections::VecDeque;
use std::future::Future;
use std::pin::Pin;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;

use dormouse_store::agent::log_line;
use dormouse_store::journal::task::{StatusEntry, Task};
use dormouse_store::journal::{row, setting, touched};
use dormouse_store::{
    Audit, ChangeRow, Commit, CommitError, Committed, Db, Once, Op, Refusal, Store, params, text,
};
use dormouse_types::audit::AuditAction;
use dormouse_types::caller::By;
use dormouse_types::port::{BoxFuture, Clock};
use dormouse_types::task::{Flags, Status};
use dormouse_types::{
    Actor, AgentId, EventKind, Origin, RunKey, TaskId, Timestamp, WorkspaceId, hash,
};

/// The workspace of all commits.
pub const WS: WorkspaceId = WorkspaceId(1);

/// The agent of all log lines.
const AGENT: &str = "ag-01j00000000000000000000001";

/// One commit to be made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    /// Where.
    pub db: Db,
    /// Its number, used once per database.
    pub n: i64,
    /// What is special about it.
    pub kind: Kind,
}

/// What is special about a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A few rows.
    Small,
    /// It rewrites many pages as well.
    Bulk,
    /// Its last write is refused, so nothing of it may stand.
    Refused,
}

impl Plan {
    /// The id of its receipt.
    pub fn id(self) -> String {
        format!("op-{}", self.n)
    }

    /// What its caller is answered.
    pub fn answer(self) -> String {
        format!("answer-{}", self.n)
    }

    /// The text it writes.
    pub fn text(self) -> String {
        format!("{}|{}", self.n, "text ".repeat(20))
    }

    /// The text with which a bulk commit overwrites the one before it.
    pub fn bulk(self) -> String {
        format!("{} fills many pages ", self.n).repeat(4_500)
    }

    /// The task it makes.
    pub fn task(self) -> String {
        format!("jt-01j{:023}", self.n)
    }

    /// The commit itself.
    pub fn commit(self) -> Commit {
        let id = self.id();
        let mut change = match self.db {
            Db::Journal => ChangeRow::journal(Origin::Import, Vec::new(), Vec::new()),
            Db::Agent => ChangeRow::agent(Origin::Import, EventKind::AgentChanged, None, ""),
        };
        change.subject = Some(id.clone());
        let once = Once {
            id: id.clone(),
            request: hash::sha256(format!("request-{}", self.n)),
            answer: self.answer(),
            effects: None,
        };
        let audit = Audit {
            actor: Actor::Owner,
            action: AuditAction::TaskEdit,
            object: id,
            detail: String::new(),
        };
        let commit = Commit::new("powercut.write", self.db, WS)
            .once(once)
            .change(change)
            .audit(audit)
            .ops(self.rows());
        match self.kind {
            Kind::Small => commit,
            Kind::Bulk => commit.op(self.bulk_op()),
            Kind::Refused => {
                let sql = "UPDATE counters SET seq = seq WHERE ws = ?1";
                commit.op(Op::one(sql, params![-1], Refusal::Missing))
            }
        }
    }

    fn rows(self) -> Vec<Op> {
        match self.db {
            Db::Journal => {
                let task: TaskId = self.task().parse().expect("an id of the right form");
                let at = Timestamp::from_micros(self.n);
                let open = StatusEntry { status: Status::Open, reason: None, created_at: at };
                let value = Task {
                    id: task.clone(),
                    title: self.text(),
                    status: open.clone(),
                    status_history: vec![open],
                    priority: None,
                    due_on: None,
                    estimate_minutes: None,
                    language_code: None,
                    language_source: By::default(),
                    category_id: None,
                    label_ids: Vec::new(),
                    ai_suppressed_label_ids: Vec::new(),
                    flags: Flags::NONE,
                    created_at: at,
                    updated_at: at,
                    deleted_at: None,
                    absences: Vec::new(),
                };
                vec![
                    row::insert(WS, &value),
                    touched::insert(WS, &task),
                    setting::put(WS, "last", &self.id()),
                ]
            }
            Db::Agent => {
                let agent: AgentId = AGENT.parse().expect("an id of the right form");
                let run = RunKey(self.id());
                log_line::append(WS, &agent, self.n, &self.text(), (&[], None), &run).into()
            }
        }
    }

    fn bulk_op(self) -> Op {
        match self.db {
            Db::Journal => setting::put(WS, "bulk", &self.bulk()),
            Db::Agent => Op::any(
                "INSERT INTO texts (ws, sha256, text) VALUES (?1, 'bulk', ?2)
                 ON CONFLICT (ws, sha256) DO UPDATE SET text = excluded.text",
                params![WS.0, self.bulk()],
            ),
        }
    }
}

/// Waits for a future on this thread.
pub fn wait<F: Future>(future: F) -> F::Output {
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    runtime.expect("a runtime without drivers").block_on(future)
}

/// A clock that never advances and can block its readers: a writer looks once for each
/// transaction, so what waits for it is decided and does not depend on which thread runs first.
#[derive(Default)]
pub struct Gate {
    holds: Mutex<VecDeque<(Sender<()>, Receiver<()>)>>,
}

/// A look at the clock that is held until it is let go.
struct Hold {
    reached: Receiver<()>,
    go_on: Sender<()>,
}

impl Hold {
    fn wait(&self) {
        self.reached.recv().expect("the writer looks at the clock");
    }

    fn release(self) {
        self.go_on.send(()).expect("the writer is held");
    }
}

impl Gate {
    fn hold(&self) -> Hold {
        let (reach, reached) = channel();
        let (go_on, going_on) = channel();
        let mut holds = self.holds.lock().unwrap_or_else(PoisonError::into_inner);
        holds.push_back((reach, going_on));
        Hold { reached, go_on }
    }
}

impl Clock for Gate {
    fn now(&self) -> Timestamp {
        let hold = self.holds.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
        if let Some((reach, going_on)) = hold {
            reach.send(()).expect("the driver waits for the look");
            going_on.recv().expect("the driver lets the writer go on");
        }
        Timestamp::from_micros(1_767_603_600_000_000)
    }

    fn sleep_until(&self, _at: Timestamp) -> BoxFuture<'static, ()> {
        Box::pin(async {})
    }
}

/// The outcome of a commit.
pub type Outcome = Result<Committed, CommitError>;

/// Makes one commit, and all others in the transaction after it. Calls `acknowledged` after each of the
/// two transactions, while no writer is at work.
pub fn step(
    store: &Store,
    gate: &Arc<Gate>,
    first: Plan,
    rest: &[Plan],
    mut acknowledged: impl FnMut(&[Plan], &[Outcome]),
) {
    wait(async {
        let hold = gate.hold();
        let mut leading = Box::pin(store.commit(first.commit()));
        send(&mut leading).await;
        hold.wait();
        let mut following: Vec<_> =
            rest.iter().map(|plan| Box::pin(store.commit(plan.commit()))).collect();
        for commit in &mut following {
            send(commit).await;
        }
        let next = (!rest.is_empty()).then(|| gate.hold());
        hold.release();
        let outcome = leading.await;
        if let Some(next) = &next {
            next.wait();
        }
        acknowledged(&[first], &[outcome]);
        if let Some(next) = next {
            next.release();
            let mut outcomes = Vec::new();
            for commit in following {
                outcomes.push(commit.await);
            }
            acknowledged(rest, &outcomes);
        }
    });
}

/// Looks at a commit once: that sends it to the writer.
async fn send<F: Future + ?Sized>(commit: &mut Pin<Box<F>>) {
    std::future::poll_fn(|context| {
        let poll = commit.as_mut().poll(context);
        assert!(poll.is_pending(), "the writer is held: nothing is answered yet");
        Poll::Ready(())
    })
    .await;
}

/// Reads a text by its digest, so that readers are open while the writer works.
pub fn read_something(store: &Store, plan: Plan) -> Result<(), dormouse_store::ReadError> {
    match plan.db {
        Db::Journal => wait(store.first(setting::by_key(WS, "last"))).map(drop),
        Db::Agent => wait(store.first(text::by_digest(WS, &hash::sha256(plan.text())))).map(drop),
    }
}
