//! Fresh schemas on a Postgres server, gone when the bench ends, and the bare loop on a copy of them.
//!
//! The bare loop is one connection with prepared statements. It sends a whole transaction, from
//! `BEGIN` to `COMMIT`, in one go and waits for the answers, so that it makes one trip to the server
//! for each. Nothing is read, no hint is given, and the rows are those of the product, its change rows
//! included; the counter of a workspace is set once in a transaction, as its writer does.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::Context as _;
use dormouse_adapters::OsEntropy;
use dormouse_store::Db;
use dormouse_store::backend::postgres::{self, Options, Postgres, Time};
use dormouse_types::port::{Clock, Entropy};
use futures_util::future::{BoxFuture, FutureExt as _, poll_immediate};
use serde::Serialize;
use tokio::task::JoinSet;
use tokio_postgres::{Client, NoTls};

use crate::clock::ShiftedClock;
use crate::place::{Engine, Opened};
use crate::raw::{Counting, Round, Statement};

/// Two schemas that nobody else uses, and a connection that is not the product's.
pub struct Server {
    url: String,
    prefix: String,
    client: Client,
    /// What moves the bytes of the connection, until this is dropped.
    _mover: JoinSet<Result<(), tokio_postgres::Error>>,
}

/// The server that figures were taken on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct About {
    /// As it names itself.
    pub version: String,
    /// Whether it waits for its disk: `off` makes figures of no use.
    pub fsync: String,
}

/// Writes to a server what a round of wakes wrote.
pub struct Replay {
    transactions: Vec<Vec<(tokio_postgres::Statement, Statement)>>,
}

impl Server {
    /// Connects, and chooses names for the schemas. None is made yet.
    ///
    /// Errors: the URL asks for TLS, nobody answers.
    pub async fn new(url: &str) -> anyhow::Result<Self> {
        anyhow::ensure!(
            !url.contains("sslmode=require") && !url.contains("sslmode=verify-full"),
            "the bare loop speaks no TLS: name a server that takes connections without it"
        );
        let (client, connection) = tokio_postgres::connect(url, NoTls)
            .await
            .context("the bench cannot connect to the server of --database-url")?;
        let mut mover = JoinSet::new();
        mover.spawn(connection);
        let mut random = [0; 6];
        OsEntropy::open()?.fill(&mut random);
        let mut prefix = String::from("bench_");
        for byte in random {
            write!(prefix, "{byte:02x}")?;
        }
        prefix.push('_');
        let server = Self { url: url.to_owned(), prefix, client, _mover: mover };
        let durable = "SELECT set_config('synchronous_commit', 'on', false)
            WHERE current_setting('synchronous_commit') = 'off'";
        server.client.batch_execute(durable).await?;
        Ok(server)
    }

    /// Connects so many nodes to the same schemas; they share the clock.
    ///
    /// Errors: as [`Postgres::connect`].
    pub async fn open(&self, n: usize) -> anyhow::Result<Vec<Opened>> {
        let clock = ShiftedClock::default();
        let as_clock: Arc<dyn Clock> = Arc::new(clock.clone());
        let entropy: Arc<dyn Entropy> = Arc::new(OsEntropy::open()?);
        let mut nodes = Vec::new();
        for _ in 0..n {
            let options = Options {
                url: self.url.clone(),
                prefix: self.prefix.clone(),
                // A merge window is closed by moving this clock.
                time: Time::Clock(as_clock.clone()),
                clock: as_clock.clone(),
            };
            let postgres = Arc::new(Postgres::connect(options, &*entropy).await?);
            let engine = Engine::Postgres(postgres);
            nodes.push(Opened::on(engine, clock.clone(), as_clock.clone(), entropy.clone()));
        }
        Ok(nodes)
    }

    fn schema(&self, db: Db) -> String {
        format!("{}{}", self.prefix, db.name())
    }

    fn copy_of(&self, db: Db) -> String {
        format!("{}raw_{}", self.prefix, db.name())
    }

    /// What it is.
    ///
    /// Errors: it does not say.
    pub async fn about(&self) -> anyhow::Result<About> {
        let sql = "SELECT version(), current_setting('fsync')";
        let row = self.client.query_one(sql, &[]).await?;
        Ok(About { version: row.try_get(0)?, fsync: row.try_get(1)? })
    }

    /// Units: bytes. Tables and indexes of both schemas.
    ///
    /// Errors: the server fails.
    pub async fn bytes(&self) -> anyhow::Result<u64> {
        let sql = "SELECT COALESCE(SUM(pg_total_relation_size(c.oid)), 0)::BIGINT
            FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
            WHERE c.relkind = 'r' AND n.nspname = ANY($1)";
        let schemas = Db::ALL.map(|db| self.schema(db)).to_vec();
        let bytes: i64 = self.client.query_one(sql, &[&schemas]).await?.try_get(0)?;
        Ok(u64::try_from(bytes)?)
    }

    /// Copies both schemas as they stand, in place of the copy before; cleans up and counts the rows
    /// of original and copy. Nobody writes meanwhile.
    ///
    /// Errors: the disk of the server is full.
    pub async fn copy(&self) -> anyhow::Result<()> {
        for db in Db::ALL {
            let (of, to) = (self.schema(db), self.copy_of(db));
            let mut sql = format!("DROP SCHEMA IF EXISTS {to} CASCADE; CREATE SCHEMA {to};");
            let tables = self.tables(&of).await?;
            for table in &tables {
                write!(
                    sql,
                    "CREATE TABLE {to}.{table} (LIKE {of}.{table} INCLUDING ALL);
                     INSERT INTO {to}.{table} SELECT * FROM {of}.{table};"
                )?;
            }
            self.client.batch_execute(&sql).await?;
            for table in &tables {
                for schema in [&of, &to] {
                    let clean = format!("VACUUM (ANALYZE) {schema}.{table}");
                    self.client.batch_execute(&clean).await?;
                }
            }
        }
        Ok(())
    }

    async fn tables(&self, schema: &str) -> anyhow::Result<Vec<String>> {
        let sql = "SELECT tablename::TEXT FROM pg_tables WHERE schemaname = $1 ORDER BY 1";
        let rows = self.client.query(sql, &[&schema]).await?;
        Ok(rows.iter().map(|row| row.try_get(0)).collect::<Result<_, _>>()?)
    }

    /// Makes what a round wrote ready to be written to the copy.
    ///
    /// Errors: a statement cannot be prepared.
    pub(crate) async fn replay(&self, round: &Round<'_>) -> anyhow::Result<Replay> {
        self.enter(round.db).await?;
        let mut known = BTreeMap::new();
        let mut transactions = Vec::new();
        for statements in round.transactions(Counting::EachTransaction)? {
            let mut ready = Vec::with_capacity(statements.len());
            for statement in statements {
                let prepared = match known.get(statement.sql) {
                    Some(prepared) => tokio_postgres::Statement::clone(prepared),
                    None => {
                        let sql = postgres::statement(statement.sql);
                        let prepared = self.client.prepare(&sql).await?;
                        known.insert(statement.sql, prepared.clone());
                        prepared
                    }
                };
                ready.push((prepared, statement));
            }
            transactions.push(ready);
        }
        Ok(Replay { transactions })
    }

    /// Lets names mean the copy of a database.
    async fn enter(&self, db: Db) -> anyhow::Result<()> {
        let sql = format!("SET search_path TO {}", self.copy_of(db));
        Ok(self.client.batch_execute(&sql).await?)
    }

    /// Writes everything.
    ///
    /// Errors: a statement fails, or changes other rows than it did when the product ran it.
    pub async fn run(&self, replay: &Replay) -> anyhow::Result<()> {
        for transaction in &replay.transactions {
            let mut sent = vec![self.control("BEGIN")];
            for (prepared, statement) in transaction {
                let write = async move {
                    let changed = self.client.execute_raw(prepared, &statement.values).await?;
                    statement.expect(usize::try_from(changed)?)
                };
                sent.push(write.boxed());
            }
            sent.push(self.control("COMMIT"));
            in_one_go(sent).await?;
        }
        Ok(())
    }

    fn control(&self, sql: &'static str) -> BoxFuture<'_, anyhow::Result<()>> {
        async move { Ok(self.client.batch_execute(sql).await?) }.boxed()
    }

    /// Removes the schemas and the copy of them. No node is connected any more.
    ///
    /// Errors: the server fails; then it says which schemas are left.
    pub async fn remove(&self) -> anyhow::Result<()> {
        for schema in Db::ALL.into_iter().flat_map(|db| [self.schema(db), self.copy_of(db)]) {
            let sql = format!("DROP SCHEMA IF EXISTS {schema} CASCADE");
            self.client.batch_execute(&sql).await.with_context(|| {
                format!("schema {schema} of this bench is left on the server: drop it by hand")
            })?;
        }
        Ok(())
    }
}

/// Sends everything in order before it waits for the first answer.
async fn in_one_go(sent: Vec<BoxFuture<'_, anyhow::Result<()>>>) -> anyhow::Result<()> {
    let mut waiting = Vec::with_capacity(sent.len());
    for mut one in sent {
        match poll_immediate(&mut one).await {
            Some(answer) => answer?,
            None => waiting.push(one),
        }
    }
    for one in waiting {
        one.await?;
    }
    Ok(())
}
