//! Postgres: two schemas of one database, shared by any number of nodes.
//!
//! Each node has one writer per schema with group commit, its own readers, and a listener for hints
//! from other nodes. A workspace's row in `counters` stays locked until COMMIT, so positions rise
//! in commit order whichever node commits.

mod apply;
mod listener;
mod open;
mod readers;
mod session;
mod value;
mod writer;

use std::sync::Arc;

use dormouse_types::port::{BoxFuture, Clock, Entropy};
use dormouse_types::{HostId, Timestamp, limits};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::commit::{Commit, CommitError, Committed, Db};
use crate::store::{Backend, Engine, ReadError};
use crate::value::{Row, Value};

use listener::{Changes, Listener};
use readers::Readers;
use session::{Address, Session};
use writer::{Ended, Writer};

pub use apply::Time;
pub use open::OpenError;
pub use value::statement;

/// Where the database is and how it is used.
#[derive(Clone)]
pub struct Options {
    /// `postgres://user:password@host:port/database`, with `sslmode=require` to encrypt the
    /// connection.
    pub url: String,
    /// A prefix for the names of the two schemas; usually empty.
    pub prefix: String,
    /// Which time `Now` uses.
    pub time: Time,
    /// Times the pauses before a lost connection is reopened.
    pub clock: Arc<dyn Clock>,
}

/// Both databases on a Postgres server.
pub struct Postgres {
    journal: Half,
    agent: Half,
    changes: Arc<Changes>,
    listener: JoinHandle<()>,
    ended: Arc<Ended>,
    time: Time,
}

struct Half {
    host: HostId,
    db: Db,
    readers: Readers,
    writer: writer::Handle,
}

/// A longer prefix could lead to names that the server truncates.
const LONGEST_PREFIX: usize = 40;

/// Units: seconds. The server ends a transaction that its node has left alone for so long. A transaction that
/// writes holds the counter of its workspace, so a node that stands still inside one stops the writes of all
/// others: they wait less than a write may take, and less than a lease. One that reads stops nobody.
const IDLE_WRITE_SECONDS: u64 = 5;
const IDLE_READ_SECONDS: u64 = 30;
const _: () = assert!(IDLE_WRITE_SECONDS * 3 <= limits::WRITE_SECONDS);

/// Settings of every connection. An acknowledged commit is durable whatever the server's default,
/// and a node that hangs inside a transaction does not block the others for long.
fn setup(schema: &str, reads_only: bool) -> String {
    let (read_only, idle) =
        if reads_only { ("on", IDLE_READ_SECONDS) } else { ("off", IDLE_WRITE_SECONDS) };
    format!(
        "SET search_path TO \"{schema}\";
         SET client_min_messages = warning;
         SET default_transaction_read_only = {read_only};
         SET idle_in_transaction_session_timeout = '{idle}s';
         SELECT set_config('synchronous_commit', 'on', false)
           WHERE current_setting('synchronous_commit') = 'off';"
    )
}

impl Postgres {
    /// Connects, migrates both schemas to the current version, and starts the writers and the
    /// listener on the current runtime.
    ///
    /// A schema that does not match what the other remembers of it continues under a new id, see
    /// [`crate::identity`]; both do after a standby took over or the server was restored.
    ///
    /// Errors: the URL cannot be used, the server cannot be reached, the schemas cannot be written,
    /// one of them is missing, or a newer version wrote them.
    pub async fn connect(options: Options, entropy: &dyn Entropy) -> Result<Self, OpenError> {
        Self::accepting(options, None, entropy).await
    }

    /// Connects when a schema is missing, and recreates it.
    ///
    /// Errors: as for [`Postgres::connect`]; and the schema is not missing.
    pub async fn connect_without(
        missing: Db,
        options: Options,
        entropy: &dyn Entropy,
    ) -> Result<Self, OpenError> {
        Self::accepting(options, Some(missing), entropy).await
    }

    async fn accepting(
        options: Options,
        accepted: Option<Db>,
        entropy: &dyn Entropy,
    ) -> Result<Self, OpenError> {
        let Options { url, prefix, time, clock } = options;
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if !prefix.chars().all(is_plain) || prefix.len() > LONGEST_PREFIX {
            let detail = format!(
                "the prefix of its schemas is not of at most {LONGEST_PREFIX} small letters, \
                 digits and underscores"
            );
            return Err(OpenError::Url { detail });
        }
        let address = Arc::new(open::address(&url)?);
        let journal = Opening::new(&address, &prefix, Db::Journal).await?;
        let agent = Opening::new(&address, &prefix, Db::Agent).await?;
        let schemas = [journal.schema.clone(), agent.schema.clone()];
        open::refuse_missing(&journal.session, &schemas, accepted).await?;
        for opening in [&journal, &agent] {
            let Opening { session, db, schema, .. } = opening;
            open::prepare(session, *db, schema, clock.now(), entropy).await?;
        }
        let unreachable = |e: session::Failure| OpenError::Unreachable { detail: e.detail };
        let timeline = open::timeline(&journal.session).await.map_err(unreachable)?;
        let of = timeline.as_deref();
        let [of_journal, of_agent] =
            open::recognise(&journal.session, &schemas, accepted, of, clock.now(), entropy).await?;
        let (changes, ended) = (Arc::new(Changes::new()), Arc::new(Ended::default()));
        let (clock_of_ports, hints) = (clock.clone(), changes.clone());
        let ports = Ports {
            time: time.clone(),
            clock: clock_of_ports,
            changes: hints,
            timeline,
            ended: ended.clone(),
        };
        let journal = journal.half(of_journal, &schemas[1], &ports);
        let agent = agent.half(of_agent, &schemas[0], &ports);
        let listener = Listener {
            address: address.clone(),
            channel: format!("{prefix}dormouse_changes"),
            clock,
            changes: changes.clone(),
        };
        let listener = address.runtime.spawn(listener.run());
        Ok(Self { journal, agent, changes, listener, ended, time })
    }

    /// Returns the number of transactions this node's writer of a database has ended since it
    /// started.
    pub fn n_transactions(&self, db: Db) -> u64 {
        self.half(db).writer.n_transactions()
    }

    fn half(&self, db: Db) -> &Half {
        match db {
            Db::Journal => &self.journal,
            Db::Agent => &self.agent,
        }
    }
}

/// What the writers of both databases share.
struct Ports {
    time: Time,
    clock: Arc<dyn Clock>,
    changes: Arc<Changes>,
    timeline: Option<String>,
    ended: Arc<Ended>,
}

/// A database whose version this program can read; nothing has been written to it yet.
struct Opening {
    address: Arc<Address>,
    db: Db,
    schema: String,
    session: Session,
}

impl Opening {
    async fn new(address: &Arc<Address>, prefix: &str, db: Db) -> Result<Self, OpenError> {
        let schema = format!("{prefix}{}", db.name());
        let session = address.open(&setup(&schema, false), None).await;
        let session = session.map_err(|e| OpenError::Unreachable { detail: e.detail })?;
        open::refuse_newer(&session, db, &schema).await?;
        Ok(Self { address: address.clone(), db, schema, session })
    }

    fn half(self, host: HostId, other: &str, ports: &Ports) -> Half {
        let Self { address, db, schema, session } = self;
        let writer = Writer {
            address: address.clone(),
            setup: setup(&schema, false),
            db,
            host: host.clone(),
            time: ports.time.clone(),
            clock: ports.clock.clone(),
            changes: ports.changes.clone(),
            session: Some(session),
            set_counter: apply::set_counter(other),
            timeline: ports.timeline.clone(),
            ended: ports.ended.clone(),
        };
        let readers = Readers::new(address, setup(&schema, true));
        Half { host, db, readers, writer: writer.start() }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.listener.abort();
    }
}

impl Backend for Postgres {
    fn read<'a>(
        &'a self,
        db: Db,
        sql: &'static str,
        params: Vec<Value>,
    ) -> BoxFuture<'a, Result<Vec<Row>, ReadError>> {
        Box::pin(async move {
            let half = self.half(db);
            let rows = half.readers.read(sql, &params).await;
            rows.map_err(|e| ReadError::Engine { db: half.db.name(), detail: e.detail })
        })
    }

    fn commit(&self, commit: Commit) -> BoxFuture<'_, Result<Committed, CommitError>> {
        Box::pin(self.half(commit.db).writer.commit(commit))
    }

    fn host(&self, db: Db) -> HostId {
        self.half(db).host.clone()
    }

    fn engine(&self) -> Engine {
        Engine::Postgres
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    fn time(&self) -> BoxFuture<'_, Result<Option<Timestamp>, ReadError>> {
        Box::pin(async move {
            if let Time::Clock(clock) = &self.time {
                return Ok(Some(clock.now()));
            }
            let rows = self.read(Db::Agent, apply::TIME, Vec::new()).await?;
            let column = |e| ReadError::column(Db::Agent, "time", &e);
            rows.first().map(|row| row.time(0).map_err(column)).transpose()
        })
    }

    fn clean_files(&self) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move {
            for half in [&self.agent, &self.journal] {
                let cleaned = half.readers.vacuum(half.db).await;
                cleaned.map_err(|e| format!("{}: {e}", half.db.name()))?;
            }
            Ok(())
        })
    }

    fn writing_ended(&self) -> Option<String> {
        self.ended.why()
    }
}
