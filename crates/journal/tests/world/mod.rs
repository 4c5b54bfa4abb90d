//! A journal on a store in memory.

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use dormouse_journal::{Edit, EditCtx, Edited, Filter, JournalError, TaskView, state};
use dormouse_store::{
    Backend, Commit, CommitError, Committed, Db, Query, ReadError, Row, Value, change_log, receipt,
};
use dormouse_testkit::CountingEntropy;
use dormouse_types::change::Change;
use dormouse_types::model::TaskState;
use dormouse_types::port::BoxFuture;
use dormouse_types::{AgentId, Id as _, Seq, TaskId, Timestamp};
use dormouse_world::{Layer, Rooms, as_agent};
use jiff::tz::TimeZone;

pub use dormouse_testkit::now;
pub use dormouse_world::{WS, person};

pub struct World {
    rooms: Rooms,
    pub engine: Arc<Engine>,
}

impl Deref for World {
    type Target = Rooms;

    fn deref(&self) -> &Rooms {
        &self.rooms
    }
}

type Action = Box<dyn FnOnce() + Send>;

/// A layer in which receipts cannot be read while a flag is set, and that lets another writer come right
/// before a commit or a read.
pub struct Engine {
    below: Arc<dyn Backend>,
    hides_receipts: AtomicBool,
    before_commit: Mutex<Option<Action>>,
    before_touches: Mutex<Option<Action>>,
}

impl Engine {
    pub fn hide_receipts(&self, hides: bool) {
        self.hides_receipts.store(hides, Ordering::SeqCst);
    }

    /// Runs an action after all was read for the next commit, right before it.
    pub fn before_next_commit(&self, action: impl FnOnce() + Send + 'static) {
        *self.before_commit.lock().expect("one thread") = Some(Box::new(action));
    }

    /// Runs an action right before the next read of what touched a task.
    pub fn before_next_read_of_touches(&self, action: impl FnOnce() + Send + 'static) {
        *self.before_touches.lock().expect("one thread") = Some(Box::new(action));
    }
}

impl Layer for Engine {
    fn below(&self) -> &dyn Backend {
        &*self.below
    }

    fn read<'a>(
        &'a self,
        db: Db,
        sql: &'static str,
        params: Vec<Value>,
    ) -> BoxFuture<'a, Result<Vec<Row>, ReadError>> {
        if sql.contains("FROM touched_tasks t JOIN change_log c") && sql.contains("effects") {
            let action = self.before_touches.lock().expect("one thread").take();
            if let Some(action) = action {
                action();
            }
        }
        let is_receipt = sql == receipt::by_id(db, WS, "").sql;
        if is_receipt && self.hides_receipts.load(Ordering::SeqCst) {
            let detail = "the disk is away".to_owned();
            return Box::pin(async move { Err(ReadError::Engine { db: db.name(), detail }) });
        }
        self.below.read(db, sql, params)
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, CommitError>> {
        let action = self.before_commit.lock().expect("one thread").take();
        if let Some(action) = action {
            action();
        }
        self.below.commit(commit)
    }
}

pub fn agent() -> EditCtx {
    let agent = AgentId::fresh(Timestamp::from_micros(0), &CountingEntropy::seeded(99));
    as_agent(&agent)
}

impl World {
    pub fn new() -> Self {
        let (builder, engine) = Rooms::at("2026-01-05T09:00:00Z").under(|below| Engine {
            below,
            hides_receipts: AtomicBool::new(false),
            before_commit: Mutex::default(),
            before_touches: Mutex::default(),
        });
        Self { rooms: builder.build(), engine }
    }

    /// Creates a task one minute after the previous action.
    pub fn task(&self, title: &str, edits: Vec<Edit>) -> TaskId {
        self.later(60);
        self.create_task(title, edits)
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
        self.later(60);
        now(self.journal.edit(WS, task, edits, ctx))
    }

    pub fn view(&self, task: &TaskId) -> TaskView {
        self.task_view(task)
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
        self.task_state(task)
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
        self.write_directly(Db::Journal, sql, dormouse_store::params![WS.0, id, text]);
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
