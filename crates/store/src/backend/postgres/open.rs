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
use crate::backend::sqlite::open::migrations;
use crate::commit::Db;
use crate::value::Value;

/// Why a Postgres database could not be opened. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OpenError {
    /// The URL is not one this program can use.
    #[error("the database URL cannot be used: {detail}")]
    Url {
        /// What is wrong with it; never the password.
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
    /// Nobody answers, or the server lets nobody in.
    #[error(
        "the database cannot be reached: {detail}. Check that the server runs and that host, port, \
         user, password and database in the URL are right"
    )]
    Unreachable {
        /// What the engine says.
        detail: String,
    },
    /// It may not be written.
    #[error(
        "schema {schema} of the database cannot be written: {detail}. Grant CREATE on the database \
         to the user of the URL"
    )]
    ReadOnly {
        /// The Postgres schema.
        schema: String,
        /// What the engine says.
        detail: String,
    },
    /// The schema is there, but not as this program makes it.
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
/// How long a line may be silent before it counts as lost.
const SILENCE: Duration = Duration::from_secs(30);
/// How long a connection may take to open.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Reads a URL. `sslmode` is `disable` (the default), `require` or `verify-full`; the last two both
/// check the server's certificate, against `sslrootcert` or the roots of the system.
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
        // A line that is dead without a word is told as lost, not waited for.
        config.tcp_user_timeout(SILENCE).keepalives_idle(SILENCE);
    }
    if config.get_application_name().is_none() {
        config.application_name("dormouse");
    }
    let runtime = Handle::try_current().map_err(|_| OpenError::Unreachable {
        detail: "connections need a runtime to live on, and none is entered".to_owned(),
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
        let hint = "name a file with the root certificate of the server in sslrootcert";
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

/// The version of a schema; 0 where there is none yet.
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
    let sql = "SELECT value FROM meta WHERE key = 'schema'";
    let rows = session.rows(sql, &[]).await.map_err(fail)?;
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

/// Brings a schema to the present version and reads its host id.
///
/// Each step is one transaction under a lock of its own: of several nodes that start together one
/// makes it and the others find it made; interrupted, the old schema stands whole.
pub(super) async fn prepare(
    session: &Session,
    db: Db,
    schema: &str,
    now: Timestamp,
    entropy: &dyn Entropy,
) -> Result<HostId, OpenError> {
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
    let sql = "SELECT value FROM meta WHERE key = 'host'";
    let damaged = |detail: String| OpenError::Damaged { schema: schema.to_owned(), detail };
    let rows = session.rows(sql, &[]).await.map_err(fail)?;
    let row = rows.first().ok_or_else(|| damaged("meta holds no host".to_owned()))?;
    let host = row.text(0).map_err(|e| damaged(e.to_string()))?;
    host.parse().map_err(|e| damaged(format!("{e}")))
}

/// Makes the next step; whether there was one to make.
async fn step(
    session: &Session,
    db: Db,
    schema: &str,
    now: Timestamp,
    entropy: &dyn Entropy,
) -> Result<bool, OpenError> {
    let fail = |e: Failure| failed(schema, e);
    // The rows of this statement are empty; what counts is that it waits.
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
