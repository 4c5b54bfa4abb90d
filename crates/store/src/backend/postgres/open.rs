//! Reads the URL, checks and migrates the two schemas.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use dormouse_types::port::Entropy;
use dormouse_types::{HostId, Id as _, Timestamp};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use tokio::runtime::Handle;
use tokio_postgres::Config;
use tokio_postgres::error::SqlState;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::session::{Address, Failure, Session};
use super::value;
use crate::backend::sqlite::open::{self as sqlite, Found, migrations, of_engine};
use crate::commit::Db;
use crate::identity::{self, Known, Reason};
use crate::store::Engine;
use crate::value::Value;

/// Why a Postgres database could not be opened. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The URL is not one this program can use.
    #[error("the database URL cannot be used: {detail}")]
    Url {
        /// What is wrong with it; never includes the password.
        detail: String,
    },
    /// A newer version wrote it.
    #[error(
        "schema {schema} of the database was written by a newer Dormouse (schema {found}, this one \
         knows {known}): use that version, or another database"
    )]
    Newer {
        /// The Postgres schema.
        schema: String,
        /// Its version.
        found: i64,
        /// The newest version this program knows.
        known: i64,
    },
    /// The server does not answer, or refuses the connection.
    #[error(
        "the database cannot be reached: {detail}. Check that the server runs and that host, port, \
         user, password and database in the URL are right"
    )]
    Unreachable {
        /// The engine's error message.
        detail: String,
    },
    /// It cannot be written.
    #[error(
        "schema {schema} of the database cannot be written: {detail}. Grant CREATE on the database \
         to the user of the URL"
    )]
    ReadOnly {
        /// The Postgres schema.
        schema: String,
        /// The engine's error message.
        detail: String,
    },
    /// It does not exist, although the other schema has been written to.
    #[error(
        "schema {schema} is missing, and the other one is there. Restore it from a backup of the database; \
         `dormouse doctor --accept-missing {}` goes on without it, for good", .db.name()
    )]
    Missing {
        /// The Postgres schema.
        schema: String,
        /// Which database.
        db: Db,
    },
    /// A person confirmed that they want to recreate a schema that exists.
    #[error("schema {schema} is not missing: nothing was changed")]
    Present {
        /// The Postgres schema.
        schema: String,
    },
    /// The schema exists, but is not one this program created.
    #[error(
        "schema {schema} of the database is not readable: {detail}. Restore it from a backup, or \
         use another database"
    )]
    Damaged {
        /// The Postgres schema.
        schema: String,
        /// What is wrong with it.
        detail: String,
    },
}

/// The longest wait for one attempt to connect.
/// How long a connection may be silent before it counts as lost.
const SILENCE: Duration = Duration::from_secs(30);
/// How long a connection may take to open.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Reads a URL. `sslmode` is `disable` (the default), `require` or `verify-full`. Unlike in libpq,
/// `require` also checks the server's certificate, against `sslrootcert` or the system's roots.
pub(super) fn address(url: &str) -> Result<Address, OpenError> {
    let bad = |detail: String| OpenError::Url { detail };
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        return Err(bad("it does not begin with postgres://".to_owned()));
    }
    let (place, query) = url.split_once('?').unwrap_or((url, ""));
    let (mut mode, mut roots, mut rest) = ("disable", None, Vec::new());
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        match pair.split_once('=') {
            Some(("sslmode", value)) => mode = value,
            Some(("sslrootcert", value)) => roots = Some(Path::new(value)),
            Some(_) | None => rest.push(pair),
        }
    }
    let mut config: Config = match rest.is_empty() {
        true => place.parse(),
        false => format!("{place}?{}", rest.join("&")).parse(),
    }
    .map_err(|e: tokio_postgres::Error| bad(Failure::from(e).detail))?;
    let tls = match mode {
        "disable" => {
            config.ssl_mode(tokio_postgres::config::SslMode::Disable);
            None
        }
        "require" | "verify-full" => {
            config.ssl_mode(tokio_postgres::config::SslMode::Require);
            Some(tls(roots).map_err(bad)?)
        }
        other => {
            let detail = format!("sslmode={other} is not one of disable, require, verify-full");
            return Err(bad(detail));
        }
    };
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(CONNECT_TIMEOUT);
    }
    if config.get_tcp_user_timeout().is_none() {
        // A dead connection is reported as lost, not waited for.
        config.tcp_user_timeout(SILENCE).keepalives_idle(SILENCE);
    }
    if config.get_application_name().is_none() {
        config.application_name("dormouse");
    }
    let runtime = Handle::try_current().map_err(|_| OpenError::Unreachable {
        detail: "no async runtime is active to drive the connections".to_owned(),
    })?;
    Ok(Address { config, tls, runtime })
}

fn tls(roots: Option<&Path>) -> Result<MakeRustlsConnect, String> {
    let mut store = rustls::RootCertStore::empty();
    let certificates = match roots {
        Some(path) => CertificateDer::pem_file_iter(path)
            .and_then(Iterator::collect)
            .map_err(|e| format!("sslrootcert {} cannot be read: {e}", path.display()))?,
        None => rustls_native_certs::load_native_certs().certs,
    };
    let (_, _) = store.add_parsable_certificates(certificates);
    if store.is_empty() {
        let hint = "set sslrootcert to a file with the server's root certificate";
        return Err(format!("there is no root certificate to check the server against: {hint}"));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|e| e.to_string())?
        .with_root_certificates(store)
        .with_no_client_auth();
    Ok(MakeRustlsConnect::new(config))
}

/// The version of a schema; 0 if it does not exist yet.
async fn version(session: &Session, schema: &str) -> Result<i64, OpenError> {
    let damaged = |detail: String| OpenError::Damaged { schema: schema.to_owned(), detail };
    let fail = |e: Failure| failed(schema, e);
    let tables = session
        .rows(
            "SELECT CAST(COUNT(*) AS BIGINT),
               CAST(COUNT(*) FILTER (WHERE c.relname = 'meta') AS BIGINT)
             FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE CAST(n.nspname AS TEXT) = ?1",
            &[schema.into()],
        )
        .await
        .map_err(fail)?;
    let count = |column| tables[0].int(column).map_err(|e| damaged(e.to_string()));
    if count(0)? == 0 {
        return Ok(0);
    }
    if count(1)? == 0 {
        return Err(damaged("it holds tables, but none named meta".to_owned()));
    }
    let sql = format!("SELECT value FROM \"{schema}\".meta WHERE key = 'schema'");
    let rows = session.rows(&sql, &[]).await.map_err(fail)?;
    let found = rows.first().map(|row| row.text(0)).transpose().map_err(|e| damaged(e.to_string()));
    match found?.map(str::parse) {
        Some(Ok(version)) => Ok(version),
        Some(Err(_)) | None => Err(damaged("meta holds no version".to_owned())),
    }
}

fn newest(db: Db) -> i64 {
    i64::try_from(migrations(db).len()).unwrap_or(i64::MAX)
}

fn failed(schema: &str, failure: Failure) -> OpenError {
    let forbidden = [SqlState::INSUFFICIENT_PRIVILEGE, SqlState::READ_ONLY_SQL_TRANSACTION];
    let schema = schema.to_owned();
    match failure.code {
        _ if failure.lost => OpenError::Unreachable { detail: failure.detail },
        Some(code) if forbidden.contains(&code) => {
            OpenError::ReadOnly { schema, detail: failure.detail }
        }
        Some(_) | None => OpenError::Damaged { schema, detail: failure.detail },
    }
}

/// Refuses a schema that a newer version wrote, before anything is written.
pub(super) async fn refuse_newer(session: &Session, db: Db, schema: &str) -> Result<(), OpenError> {
    let (found, known) = (version(session, schema).await?, newest(db));
    if found > known {
        return Err(OpenError::Newer { schema: schema.to_owned(), found, known });
    }
    Ok(())
}

/// Migrates a schema to the current version.
///
/// Each step is one transaction under its own lock: when several nodes start together, one runs it
/// and the others find it done. An interrupted step leaves the old schema intact.
pub(super) async fn prepare(
    session: &Session,
    db: Db,
    schema: &str,
    now: Timestamp,
    entropy: &dyn Entropy,
) -> Result<(), OpenError> {
    let fail = |e: Failure| failed(schema, e);
    loop {
        session.run("BEGIN").await.map_err(fail)?;
        let made = step(session, db, schema, now, entropy).await;
        let end = if matches!(made, Ok(true)) { "COMMIT" } else { "ROLLBACK" };
        let ended = session.run(end).await;
        if !made? {
            break;
        }
        ended.map_err(fail)?;
    }
    Ok(())
}

/// Runs the next step; returns whether there was one.
async fn step(
    session: &Session,
    db: Db,
    schema: &str,
    now: Timestamp,
    entropy: &dyn Entropy,
) -> Result<bool, OpenError> {
    let fail = |e: Failure| failed(schema, e);
    // The rows of this statement are empty; it is run because it waits for the lock.
    session
        .rows(
            "SELECT 1 FROM pg_advisory_xact_lock(hashtextextended('dormouse schema ' || ?1, 0))",
            &[schema.into()],
        )
        .await
        .map_err(fail)?;
    let (found, known) = (version(session, schema).await?, newest(db));
    if found > known {
        return Err(OpenError::Newer { schema: schema.to_owned(), found, known });
    }
    let Some((n, sql)) = (1i64..).zip(migrations(db)).find(|(n, _)| *n > found) else {
        return Ok(false);
    };
    if n == 1 {
        let is_there = session
            .rows("SELECT 1 FROM pg_namespace WHERE CAST(nspname AS TEXT) = ?1", &[schema.into()])
            .await
            .map_err(fail)?;
        if is_there.is_empty() {
            session.run(&format!("CREATE SCHEMA \"{schema}\"")).await.map_err(fail)?;
        }
    }
    session.run(&value::schema(sql)).await.map_err(fail)?;
    let own = of_engine(db, n, Engine::Postgres);
    session.run(&value::schema(own)).await.map_err(fail)?;
    let put = "INSERT INTO meta (key, value) VALUES (?1, ?2)
               ON CONFLICT (key) DO UPDATE SET value = excluded.value";
    let meta = async |key: &str, value: String| {
        let params = [Value::from(key), Value::from(value)];
        let statement = session.prepare(put).await?;
        session.execute(&statement, &params).await
    };
    meta("schema", n.to_string()).await.map_err(fail)?;
    if n == 1 {
        meta("host", HostId::fresh(now, entropy).to_string()).await.map_err(fail)?;
    }
    Ok(true)
}

/// The server's timeline: it changes when a standby takes over or the server is restored to an
/// earlier point. `None` if the server does not report it.
pub(super) async fn timeline(session: &Session) -> Result<Option<String>, Failure> {
    // The first eight digits name the timeline being written, even right after a promotion, when
    // the last checkpoint still belongs to the previous one.
    let sql = "SELECT substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)";
    match session.rows(sql, &[]).await {
        Ok(rows) => Ok(rows.first().and_then(|row| row.text(0).ok()).map(ToOwned::to_owned)),
        Err(failure) if failure.lost => Err(failure),
        Err(failure) => {
            tracing::debug!(%failure, "the server does not report its timeline");
            Ok(None)
        }
    }
}

/// What exists of a schema before it is prepared.
async fn found(session: &Session, schema: &str) -> Result<Found, OpenError> {
    if version(session, schema).await? == 0 {
        return Ok(Found::Nothing);
    }
    let sql = format!("SELECT CAST(COUNT(*) AS BIGINT) FROM \"{schema}\".counters");
    let rows = session.rows(&sql, &[]).await.map_err(|e| failed(schema, e))?;
    let n_counters = rows.first().and_then(|row| row.int(0).ok()).unwrap_or(0);
    Ok(if n_counters > 0 { Found::Written } else { Found::Empty })
}

/// Refuses to continue when one of the two schemas is missing, unless a person accepted its loss.
pub(super) async fn refuse_missing(
    session: &Session,
    schemas: &[String; 2],
    accepted: Option<Db>,
) -> Result<(), OpenError> {
    let [journal, agent] = schemas;
    let schema = |db: Db| if db == Db::Journal { journal.clone() } else { agent.clone() };
    let mut missing = None;
    // Twice: a node starting for the first time may create both between the two checks.
    for _ in 0..2 {
        let of_agent = found(session, agent).await?;
        missing = sqlite::missing(found(session, journal).await?, of_agent);
        if missing.is_none() {
            break;
        }
    }
    match (missing, accepted) {
        (Some(db), accepted) if accepted != Some(db) => {
            Err(OpenError::Missing { schema: schema(db), db })
        }
        (None, Some(db)) => Err(OpenError::Present { schema: schema(db) }),
        (Some(_) | None, _) => Ok(()),
    }
}

/// Gives a new id to a schema that does not match what the other remembers of it, and to both after
/// the server was restored or a standby took over; returns the ids under which they are open.
///
/// All of it is one transaction under its own lock, so when several nodes start together one does
/// it. It waits for commits in progress; later ones meet the new id and are refused.
pub(super) async fn recognise(
    session: &Session,
    schemas: &[String; 2],
    accepted: Option<Db>,
    timeline: Option<&str>,
    now: Timestamp,
    entropy: &dyn Entropy,
) -> Result<[HostId; 2], OpenError> {
    session.run("BEGIN").await.map_err(|e| failed(&schemas[0], e))?;
    let hosts = recognised(session, schemas, accepted, timeline, now, entropy).await;
    let end = if hosts.is_ok() { "COMMIT" } else { "ROLLBACK" };
    let ended = session.run(end).await;
    let hosts = hosts?;
    ended.map_err(|e| failed(&schemas[0], e))?;
    Ok(hosts)
}

async fn recognised(
    session: &Session,
    schemas: &[String; 2],
    accepted: Option<Db>,
    timeline: Option<&str>,
    now: Timestamp,
    entropy: &dyn Entropy,
) -> Result<[HostId; 2], OpenError> {
    let fail = |e: Failure| failed(&schemas[0], e);
    let lock = "SELECT 1 FROM pg_advisory_xact_lock(hashtextextended('dormouse id ' || ?1, 0))";
    session.rows(lock, &[schemas[0].as_str().into()]).await.map_err(fail)?;
    for schema in schemas {
        let sql = format!("SELECT ws FROM \"{schema}\".counters ORDER BY ws FOR UPDATE");
        session.rows(&sql, &[]).await.map_err(fail)?;
    }
    let (mut known, mut timelines) = (Vec::new(), Vec::new());
    for (db, schema) in Db::ALL.into_iter().zip(schemas) {
        let (one, timeline) = known_of(session, db, schema).await?;
        known.push(one);
        timelines.push(timeline);
    }
    let mut hosts = Vec::new();
    for (at, db) in Db::ALL.into_iter().enumerate() {
        let (own, other, schema) = (&known[at], &known[1 - at], &schemas[at]);
        let has_moved =
            |before: &String| timeline.is_some_and(|timeline| timeline != before.as_str());
        let why = match identity::lost(own, other) {
            _ if accepted == Some(db) => Some(Reason::Missing),
            Some(_) => Some(Reason::Older),
            None if timelines[at].as_ref().is_some_and(has_moved) => Some(Reason::Timeline),
            None => None,
        };
        let mut meta = Vec::new();
        if timelines[at].as_deref() != timeline {
            meta.extend(timeline.map(|timeline| ("timeline".to_owned(), timeline.to_owned())));
        }
        let host = match why {
            None => own.host.clone(),
            Some(why) => {
                let renewal = identity::renewal(own, other, HostId::fresh(now, entropy), now, why);
                tracing::warn!(schema, why = why.describe(), "it goes on under another id");
                meta.push(("host".to_owned(), renewal.host.to_string()));
                meta.push((renewal.key(), renewal.value()));
                renewal.host
            }
        };
        let put = format!(
            "INSERT INTO \"{schema}\".meta (key, value) VALUES (?1, ?2)
             ON CONFLICT (key) DO UPDATE SET value = excluded.value"
        );
        for (key, value) in meta {
            let statement = session.prepare(&put).await.map_err(fail)?;
            session.execute(&statement, &[key.into(), value.into()]).await.map_err(fail)?;
        }
        hosts.push(host);
    }
    let [journal, agent] = <[HostId; 2]>::try_from(hosts).expect("one for each database");
    Ok([journal, agent])
}

/// What is known of a schema, and the timeline on which it was last open.
async fn known_of(
    session: &Session,
    db: Db,
    schema: &str,
) -> Result<(Known, Option<String>), OpenError> {
    let damaged = |detail: String| OpenError::Damaged { schema: schema.to_owned(), detail };
    let qualified = |sql: &str| {
        sql.replace("FROM meta", &format!("FROM \"{schema}\".meta"))
            .replace("FROM counters", &format!("FROM \"{schema}\".counters"))
    };
    let rows =
        async |sql: &str| session.rows(&qualified(sql), &[]).await.map_err(|e| failed(schema, e));
    let text = async |sql: &str| -> Result<Option<String>, OpenError> {
        let rows = rows(sql).await?;
        let text = rows.first().map(|row| row.text(0)).transpose();
        Ok(text.map_err(|e| damaged(e.to_string()))?.map(ToOwned::to_owned))
    };
    let host = text("SELECT value FROM meta WHERE key = 'host'").await?;
    let host = host.ok_or_else(|| damaged("meta holds no host".to_owned()))?;
    let (renewals, marks) = (identity::id_changes(db), identity::counter_memories(db));
    let of_renewals: Result<Vec<_>, _> =
        rows(renewals.sql).await?.iter().map(renewals.decode).collect();
    let of_marks: Result<Vec<_>, _> = rows(marks.sql).await?.iter().map(marks.decode).collect();
    let known = Known {
        host: host.parse().map_err(|e| damaged(format!("{e}")))?,
        renewals: of_renewals.map_err(|e| damaged(e.to_string()))?,
        marks: of_marks.map_err(|e| damaged(e.to_string()))?,
    };
    Ok((known, text("SELECT value FROM meta WHERE key = 'timeline'").await?))
}
