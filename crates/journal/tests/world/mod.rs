//! A journal on a store in memory.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dormouse_journal::{
    Edit, EditCtx, Edited, Filter, Journal, JournalError, NewTask, TaskView, state,
};
use dormouse_store::backend::sqlite::Sqlite;
use dormouse_store::{
    Backend, Commit, CommitError, Committed, Db, Hints, Op, Query, ReadError, Row, Store, Value,
    change_log, receipt,
};
use dormouse_testkit::{CountingEntropy, ManualClock};
use dormouse_types::change::Change;
use dormouse_types::model::TaskState;
use dormouse_types::port::{BoxFuture, Clock, NoFaults};
use dormouse_types::{
    Actor, AgentId, HostId, Id as _, Origin, Seq, TaskId, Timestamp, WorkspaceId,
};
use jiff::tz::TimeZone;

pub use dormouse_testkit::now;

pub const WS: WorkspaceId = WorkspaceId(1);

pub struct World {
    pub journal: Journal,
    pub store: Store,
    pub clock: ManualClock,
    pub engine: Arc<Engine>,
}

type Action = Box<dyn FnOnce() + Send>;

/// A store in memory whose receipts cannot be read while a flag is set, and that lets another writer come
/// right before a commit.
pub struct Engine {
    under: Sqlite,
    hides_receipts: AtomicBool,
    before_commit: Mutex<Option<Action>>,
}

impl Engine {
    pub fn hide_receipts(&self, hides: bool) {
        self.hides_receipts.store(hides, Ordering::SeqCst);
    }

    /// Runs an action after all was read for the next commit, right before it.
    pub fn before_next_commit(&self, action: impl FnOnce() + Send + 'static) {
        *self.before_commit.lock().expect("one thread") = Some(Box::new(action));
    }
}

impl Backend for Engine {
    fn read<'a>(
        &'a self,
        db: Db,
        sql: &'static str,
        params: Vec<Value>,
    ) -> BoxFuture<'a, Result<Vec<Row>, ReadError>> {
        let is_receipt = sql == receipt::by_id(db, WS, "").sql;
        if is_receipt && self.hides_receipts.load(Ordering::SeqCst) {
            let detail = "the disk is away".to_owned();
            return Box::pin(async move { Err(ReadError::Engine { db: db.name(), detail }) });
        }
        self.under.read(db, sql, params)
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, CommitError>> {
        let action = self.before_commit.lock().expect("one thread").take();
        if let Some(action) = action {
            action();
        }
        self.under.commit(commit)
    }

    fn host(&self, db: Db) -> HostId {
        self.under.host(db)
    }

    fn engine(&self) -> dormouse_store::Engine {
        self.under.engine()
    }

    fn changes(&self) -> Hints {
        self.under.changes()
    }
}

pub fn person() -> EditCtx {
    EditCtx::new(Origin::Person { via: None }, Actor::Owner)
}

pub fn agent() -> EditCtx {
    let agent = AgentId::fresh(Timestamp::from_micros(0), &CountingEntropy::seeded(99));
    EditCtx::new(Origin::Agent { agent }, Actor::Other("agent:test".into()))
}

impl World {
    pub fn new() -> Self {
        let clock = ManualClock::at("2026-01-05T09:00:00Z");
        let port: Arc<dyn Clock> = Arc::new(clock.clone());
        let entropy = Arc::new(CountingEntropy::seeded(1));
        let under = Sqlite::memory(&port, &*entropy).expect("a store in memory");
        let engine = Arc::new(Engine {
            under,
            hides_receipts: AtomicBool::new(false),
            before_commit: Mutex::default(),
        });
        let store = Store::new(engine.clone(), Arc::new(NoFaults));
        let journal = Journal::new(store.clone(), port, entropy);
        Self { journal, store, clock, engine }
    }

    /// Creates a task one minute after the previous action.
    pub fn task(&self, title: &str, edits: Vec<Edit>) -> TaskId {
        self.clock.advance(Duration::from_secs(60));
        let new = NewTask { title: title.into(), edits };
        now(self.journal.create(WS, &new, &person())).expect("the task is accepted").task
    }

    /// Edits as the person, one minute after the previous action.
    pub fn edit(&self, task: &TaskId, edits: &[Edit]) -> Result<Edited, JournalError> {
        self.edit_as(task, edits, &person())
    }

    pub fn edit_as(
        &self,
        task: &TaskId,
        edits: &[Edit],
        ctx: &EditCtx,
    ) -> Result<Edited, JournalError> {
        self.clock.advance(Duration::from_secs(60));
        now(self.journal.edit(WS, task, edits, ctx))
    }

    pub fn view(&self, task: &TaskId) -> TaskView {
        now(self.journal.task(WS, task)).expect("the task is there")
    }

    /// Everything in a view that comes from rows.
    pub fn rendered(&self, view: &TaskView) -> String {
        let values = |texts: Vec<String>| texts.join("\n");
        let TaskView { task, revision, checklists, items, removed_items, entries, .. } = view;
        values(vec![
            format!("{revision} {:?} {:?}", task.value, state(view, &TimeZone::UTC)),
            values(checklists.iter().map(|doc| format!("{:?}", doc.value)).collect()),
            values(
                items.iter().chain(removed_items).map(|doc| format!("{:?}", doc.value)).collect(),
            ),
            values(
                entries
                    .iter()
                    .chain(&view.deleted_entries)
                    .map(|doc| format!("{:?}", doc.value))
                    .collect(),
            ),
            values(
                view.links
                    .iter()
                    .map(|edge| format!("{:?} {:?}", edge.doc.value, edge.other))
                    .collect(),
            ),
        ])
    }

    pub fn state(&self, task: &TaskId) -> TaskState {
        state(&self.view(task), &TimeZone::UTC)
    }

    pub fn titles(&self, filter: &Filter) -> Vec<String> {
        let page = now(self.journal.tasks(WS, filter, 50, None)).expect("a page");
        page.items.into_iter().map(|task| task.title).collect()
    }

    pub fn changes(&self) -> Vec<Change> {
        now(self.store.all(change_log::after(WS, Seq(0), 1000))).expect("the change log")
    }

    pub fn ids_of_items(&self, task: &TaskId) -> Vec<dormouse_types::ItemId> {
        self.view(task).items.iter().map(|item| item.value.id.clone()).collect()
    }

    /// Runs a statement directly on the store.
    pub fn raw(&self, sql: &'static str, id: &str, text: &str) {
        let op = Op::any(sql, dormouse_store::params![WS.0, id, text]);
        now(self.store.commit(Commit::new("test.raw", Db::Journal, WS).op(op))).expect("raw write");
    }

    /// The first column of a query with one text argument.
    pub fn texts(&self, sql: &'static str, argument: &str) -> Vec<String> {
        let query = Query {
            db: Db::Journal,
            sql,
            params: vec![Value::Int(WS.0), Value::Text(argument.into())],
            decode: |row| Ok(row.text(0).expect("a text column").to_owned()),
        };
        now(self.store.all(query)).expect("rows")
    }

    pub fn stored(&self, id: &str) -> String {
        self.texts("SELECT serialized FROM journal WHERE ws = ?1 AND id = ?2", id).remove(0)
    }
}
