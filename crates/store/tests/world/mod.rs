//! A store on one engine, with a stopped clock and repeatable ids.

use std::path::Path;
use std::sync::Arc;

use dormouse_store::backend::postgres::{OpenError, Options, Postgres, Time};
use dormouse_store::backend::sqlite::Sqlite;
use dormouse_store::{
    Backend, Commit, CommitError, Committed, Db, Op, Query, ReadError, Refusal, Row, Store,
};
use dormouse_testkit::postgres::Server;
use dormouse_testkit::{CountingEntropy, ManualClock};
use dormouse_types::port::{Clock, NoFaults};
use dormouse_types::{Id, Timestamp, WorkspaceId};
use tempfile::TempDir;

pub use dormouse_testkit::postgres::connections;
pub use dormouse_testkit::wait;

pub const WS: WorkspaceId = WorkspaceId(1);
pub const OTHER_WS: WorkspaceId = WorkspaceId(2);

/// The time the clock shows at first.
pub const MONDAY: &str = "2026-01-05T09:00:00Z";

/// Makes one test per engine from each case.
macro_rules! each_engine {
    ($($story:ident),* $(,)?) => {
        mod sqlite_in_memory {
            $(#[test] fn $story() { super::$story(&$crate::world::World::in_memory()); })*
        }
        mod sqlite_in_a_folder {
            $(#[test] fn $story() { super::$story(&$crate::world::World::in_a_folder()); })*
        }
        mod postgres {
            $(#[test] fn $story() { super::$story(&$crate::world::World::on_postgres()); })*
        }
    };
}

/// A node on a server, with a clock that determines `Now`.
pub fn node(
    url: String,
    prefix: &str,
    clock: &Arc<dyn Clock>,
    seed: u64,
) -> Result<Postgres, OpenError> {
    let time = Time::Clock(clock.clone());
    let options = Options { url, prefix: prefix.to_owned(), time, clock: clock.clone() };
    connections().block_on(Postgres::connect(options, &CountingEntropy::seeded(seed)))
}

/// A connection to the shared server, separate from the engine.
pub fn raw_client() -> tokio_postgres::Client {
    connections().block_on(async {
        let url = Server::shared().url();
        let (client, connection) =
            tokio_postgres::connect(&url, tokio_postgres::NoTls).await.expect("a server");
        connections().spawn(connection);
        client
    })
}

/// A store on a Postgres engine without faults.
pub fn store(engine: Postgres) -> Store {
    Store::new(Arc::new(engine), Arc::new(NoFaults))
}

/// A point in time, in microseconds after Monday morning.
pub fn at(micros: i64) -> Timestamp {
    Timestamp::from_micros(ManualClock::at(MONDAY).now().micros() + micros)
}

/// A store on the files of a folder.
pub fn open(folder: &Path, clock: &Arc<dyn Clock>, seed: u64) -> Store {
    let engine = Sqlite::open(folder, clock, &CountingEntropy::seeded(seed));
    Store::new(Arc::new(engine.expect("a folder of this version")), Arc::new(NoFaults))
}

/// The stopped clock of a world.
pub fn still() -> Arc<dyn Clock> {
    Arc::new(ManualClock::at(MONDAY))
}

pub struct World {
    pub store: Store,
    pub clock: ManualClock,
    entropy: CountingEntropy,
    folder: Option<TempDir>,
    prefix: Option<String>,
}

impl World {
    pub fn in_memory() -> Self {
        Self::of(None, None, |clock, entropy| {
            Arc::new(Sqlite::memory(clock, entropy).expect("a store in memory"))
        })
    }

    pub fn in_a_folder() -> Self {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().to_owned();
        Self::of(Some(folder), None, |clock, entropy| {
            Arc::new(Sqlite::open(&path, clock, entropy).expect("a folder of this version"))
        })
    }

    /// Two fresh schemas on this process's server.
    pub fn on_postgres() -> Self {
        let server = Server::shared();
        let prefix = server.prefix();
        Self::of(None, Some(prefix.clone()), |clock, _| {
            Arc::new(node(server.url(), &prefix, clock, 1).expect("two schemas of this version"))
        })
    }

    fn of(
        folder: Option<TempDir>,
        prefix: Option<String>,
        engine: impl FnOnce(&Arc<dyn Clock>, &CountingEntropy) -> Arc<dyn Backend>,
    ) -> Self {
        let clock = ManualClock::at(MONDAY);
        let port: Arc<dyn Clock> = Arc::new(clock.clone());
        let engine = engine(&port, &CountingEntropy::seeded(1));
        let store = Store::new(engine, Arc::new(NoFaults));
        Self { store, clock, entropy: CountingEntropy::seeded(2), folder, prefix }
    }

    /// The prefix of the two schemas' names; `None` on SQLite.
    pub fn prefix(&self) -> Option<&str> {
        self.prefix.as_deref()
    }

    /// The file of a database; only for a world in a folder.
    pub fn file(&self, db: Db) -> std::path::PathBuf {
        let folder = self.folder.as_ref().expect("a world in a folder");
        folder.path().join(format!("{}.sqlite", db.name()))
    }

    pub fn id<T: Id>(&self) -> T {
        T::fresh(self.clock.now(), &self.entropy)
    }

    pub fn send(&self, commit: Commit) -> Result<Committed, CommitError> {
        wait(self.store.commit(commit))
    }

    /// Applies a commit that must be accepted.
    #[track_caller]
    pub fn apply(&self, commit: Commit) -> Committed {
        self.send(commit).expect("the commit is accepted")
    }

    /// Why a commit is refused.
    #[track_caller]
    pub fn refusal(&self, commit: Commit) -> Refusal {
        let error = self.send(commit).expect_err("the commit is refused");
        error.refusal().unwrap_or_else(|| panic!("refused for another reason: {error}"))
    }

    /// Applies ops to the agent store.
    #[track_caller]
    pub fn agent(&self, ops: impl IntoIterator<Item = Op>) -> Committed {
        self.apply(agent_commit(ops))
    }

    /// Why the agent store refuses ops.
    #[track_caller]
    pub fn agent_refusal(&self, ops: impl IntoIterator<Item = Op>) -> Refusal {
        self.refusal(agent_commit(ops))
    }

    /// Applies ops to the journal.
    #[track_caller]
    pub fn journal(&self, ops: impl IntoIterator<Item = Op>) -> Committed {
        self.apply(journal_commit(ops))
    }

    pub fn try_all<T>(&self, query: Query<T>) -> Result<Vec<T>, ReadError> {
        wait(self.store.all(query))
    }

    #[track_caller]
    pub fn all<T>(&self, query: Query<T>) -> Vec<T> {
        self.try_all(query).expect("the rows can be read")
    }

    #[track_caller]
    pub fn first<T>(&self, query: Query<T>) -> Option<T> {
        wait(self.store.first(query)).expect("the row can be read")
    }

    /// The only row of a query.
    #[track_caller]
    pub fn only<T>(&self, query: Query<T>) -> T {
        let mut rows = self.all(query);
        assert_eq!(rows.len(), 1, "one row is expected");
        rows.remove(0)
    }

    /// The rows of a statement as stored.
    #[track_caller]
    pub fn raw(&self, db: Db, sql: &'static str) -> Vec<Row> {
        raw(&self.store, db, sql)
    }

    /// Everything a commit can write except the counter, which may have gaps.
    #[track_caller]
    pub fn everything(&self, db: Db) -> Vec<Vec<Row>> {
        everything(&self.store, db)
    }
}

/// Everything a commit can write except the counter, for any store.
#[track_caller]
pub fn everything(store: &Store, db: Db) -> Vec<Vec<Row>> {
    let tables = match db {
        Db::Journal => JOURNAL,
        Db::Agent => AGENT,
    };
    BOTH.iter().chain(tables).map(|sql| raw(store, db, sql)).collect()
}

/// The rows of a statement as stored.
#[track_caller]
pub fn raw(store: &Store, db: Db, sql: &'static str) -> Vec<Row> {
    let query = Query { db, sql, params: Vec::new(), decode: |row| Ok(row.clone()) };
    wait(store.all(query)).expect("the rows can be read")
}

/// Ops for the agent store as one commit.
pub fn agent_commit(ops: impl IntoIterator<Item = Op>) -> Commit {
    Commit::new("test.agent", Db::Agent, WS).ops(ops)
}

/// Ops for the journal as one commit.
pub fn journal_commit(ops: impl IntoIterator<Item = Op>) -> Commit {
    Commit::new("test.journal", Db::Journal, WS).ops(ops)
}

const BOTH: &[&str] = &[
    "SELECT * FROM applied_operations ORDER BY 1, 2",
    "SELECT * FROM change_log ORDER BY 1, 2",
    "SELECT * FROM audit_log ORDER BY 1, 2, 3",
];
const JOURNAL: &[&str] = &[
    "SELECT * FROM journal ORDER BY 1, 2",
    "SELECT * FROM linked_entries ORDER BY 1, 2",
    "SELECT * FROM touched_tasks ORDER BY 1, 2, 3",
    "SELECT * FROM label_tasks ORDER BY 1, 2, 3",
    "SELECT * FROM field_says ORDER BY 1, 2, 3",
    "SELECT * FROM imported ORDER BY 1, 2",
    "SELECT * FROM import_corrections ORDER BY 1, 2",
    "SELECT * FROM settings ORDER BY 1, 2",
    "SELECT * FROM fence ORDER BY 1, 2",
    "SELECT * FROM tokens ORDER BY 1, 2",
    "SELECT * FROM access_codes ORDER BY 1, 2",
];
const AGENT: &[&str] = &[
    "SELECT * FROM agent_entities ORDER BY 1, 2",
    "SELECT * FROM agent_links ORDER BY 1, 2",
    "SELECT * FROM subscriptions ORDER BY 1, 2, 3",
    "SELECT * FROM feed_position ORDER BY 1",
    "SELECT * FROM wake_queue ORDER BY 1, 2",
    "SELECT * FROM outdated_agents ORDER BY 1, 2",
    "SELECT * FROM timers ORDER BY 1, 2, 3",
    "SELECT * FROM breakers ORDER BY 1, 2",
    "SELECT * FROM wake_run_log ORDER BY 1, 2",
    "SELECT * FROM wake_requests ORDER BY 1, 2, 3",
    "SELECT * FROM texts ORDER BY 1, 2",
    "SELECT * FROM log_lines ORDER BY 1, 2, 3",
    "SELECT ws, id, area, kind, at, sha256, sources, words FROM search_index ORDER BY 1, 2, 3",
    "SELECT * FROM search_backlog ORDER BY 1, 2",
    "SELECT * FROM checkpoints ORDER BY 1, 2, 3",
    "SELECT * FROM forgotten_entries ORDER BY 1, 2, 3",
    "SELECT * FROM purges ORDER BY 1, 2",
    "SELECT * FROM work_definitions ORDER BY 1, 2",
    "SELECT * FROM work_versions ORDER BY 1, 2, 3",
    "SELECT * FROM work_runs ORDER BY 1, 2",
    "SELECT * FROM work_questions ORDER BY 1, 2",
    "SELECT * FROM work_corrections ORDER BY 1, 2, 3",
    "SELECT * FROM work_summaries ORDER BY 1, 2, 3",
    "SELECT * FROM work_filters ORDER BY 1, 2",
    "SELECT * FROM work_hooks ORDER BY 1, 2",
    "SELECT * FROM acknowledgements ORDER BY 1, 2",
    "SELECT * FROM work_hook_calls ORDER BY 1, 2",
    "SELECT * FROM work_hook_hours ORDER BY 1, 2, 3",
    "SELECT * FROM conversations ORDER BY 1, 2",
    "SELECT * FROM conversation_turns ORDER BY 1, 2, 3",
    "SELECT * FROM conversation_work ORDER BY 1, 2, 3",
    "SELECT * FROM work_steps ORDER BY 1, 2",
    "SELECT * FROM work_result_tasks ORDER BY 1, 2",
    "SELECT * FROM work_results ORDER BY 1, 2, 3",
    "SELECT * FROM work_statuses ORDER BY 1, 2, 3",
    "SELECT * FROM work_run_steps ORDER BY 1, 2, 3",
    "SELECT * FROM deliveries ORDER BY 1, 2",
    "SELECT * FROM change_items ORDER BY 1, 2, 3",
    "SELECT * FROM saga_log ORDER BY 1, 2",
    "SELECT * FROM provider_states ORDER BY 1, 2, 3",
    "SELECT * FROM model_calls ORDER BY 1, 2, 3, 4",
    "SELECT * FROM spend ORDER BY 1, 2, 3, 4",
    "SELECT * FROM model_settings ORDER BY 1",
];
