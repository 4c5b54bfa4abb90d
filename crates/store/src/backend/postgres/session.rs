//! One connection: how it is opened, its prepared statements, and how its failures are classified.

use std::collections::HashMap;
use std::error::Error as _;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::runtime::Handle;
use tokio_postgres::error::{Severity, SqlState};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::{
    AsyncMessage, Client, Config, Connection, Error, NoTls, Notification, Socket, Statement,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::value::{self, Unfit};
use crate::value::{Row, Value};

/// Why a statement, or a connection, failed.
#[derive(Debug, Clone)]
pub(super) struct Failure {
    /// The engine's error code.
    pub(super) code: Option<SqlState>,
    /// Whether the connection was lost.
    pub(super) lost: bool,
    pub(super) detail: String,
}

impl Failure {
    fn statement(detail: String) -> Self {
        Self { code: None, lost: false, detail }
    }

    /// Whether a table constraint refused the row: unique, not null, check.
    pub(super) fn is_constraint(&self) -> bool {
        self.code.as_ref().is_some_and(|code| code.code().starts_with("23"))
    }

    /// Whether another transaction conflicted, so that a retry may succeed.
    pub(super) fn is_conflict(&self) -> bool {
        let conflicts = [
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::LOCK_NOT_AVAILABLE,
        ];
        self.code.as_ref().is_some_and(|code| conflicts.contains(code))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.detail)
    }
}

impl From<Error> for Failure {
    fn from(e: Error) -> Self {
        if let Some(refused) = e.as_db_error() {
            let fatal =
                matches!(refused.parsed_severity(), Some(Severity::Fatal | Severity::Panic));
            let detail = format!("{} (SQLSTATE {})", refused.message(), refused.code().code());
            return Self { code: Some(refused.code().clone()), lost: fatal, detail };
        }
        let mut detail = e.to_string();
        let mut source = e.source();
        // An error that is not about one value leaves the connection in an unknown state.
        let lost = !source.is_some_and(|source| source.is::<Unfit>());
        while let Some(cause) = source {
            detail.push_str(": ");
            detail.push_str(&cause.to_string());
            source = cause.source();
        }
        Self { code: None, lost, detail }
    }
}

pub(super) type OnNotification = Arc<dyn Fn(&Notification) + Send + Sync>;

/// Where the server is and how to connect to it.
pub(super) struct Address {
    /// Host, port, user, database.
    pub(super) config: Config,
    /// Set when the connection is encrypted.
    pub(super) tls: Option<MakeRustlsConnect>,
    /// The runtime that drives the connections.
    pub(super) runtime: Handle,
}

impl Address {
    /// Opens a connection and runs its setup statements.
    pub(super) async fn open(
        self: &Arc<Self>,
        setup: &str,
        on_notification: Option<OnNotification>,
    ) -> Result<Session, Failure> {
        let (address, setup) = (self.clone(), setup.to_owned());
        // The caller may be on another runtime; the sockets live on this one.
        let opened = self.runtime.spawn(async move {
            let client = match &address.tls {
                None => address.connect(NoTls, on_notification).await?,
                Some(tls) => address.connect(tls.clone(), on_notification).await?,
            };
            client.batch_execute(&setup).await?;
            Ok::<_, Error>(client)
        });
        match opened.await {
            Ok(client) => Ok(Session { client: client?, statements: Mutex::default() }),
            Err(_) => Err(Failure {
                code: None,
                lost: true,
                detail: "the runtime that holds the connections has stopped".to_owned(),
            }),
        }
    }

    async fn connect<T>(
        &self,
        tls: T,
        on_notification: Option<OnNotification>,
    ) -> Result<Client, Error>
    where
        T: MakeTlsConnect<Socket>,
        T::Stream: Send + 'static,
    {
        let (client, connection) = self.config.connect(tls).await?;
        self.runtime.spawn(poll(connection, on_notification));
        Ok(client)
    }
}

/// Drives a connection until it ends.
async fn poll<S>(mut connection: Connection<Socket, S>, on_notification: Option<OnNotification>)
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    poll_fn(|context| {
        loop {
            match ready!(connection.poll_message(context)) {
                None => return Poll::Ready(()),
                Some(Ok(AsyncMessage::Notification(notification))) => {
                    if let Some(on_notification) = &on_notification {
                        on_notification(&notification);
                    }
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => {
                    // Pending requests get an error; an idle connection is reopened.
                    tracing::debug!(%error, "a connection to the database has ended");
                    return Poll::Ready(());
                }
            }
        }
    })
    .await;
}

/// An open connection with its prepared statements.
pub(super) struct Session {
    pub(super) client: Client,
    statements: Mutex<HashMap<String, Statement>>,
}

impl Session {
    pub(super) fn is_closed(&self) -> bool {
        self.client.is_closed()
    }

    /// Prepares a statement once.
    pub(super) async fn prepare(&self, sql: &str) -> Result<Statement, Failure> {
        let lock = || self.statements.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = lock().get(sql) {
            return Ok(known.clone());
        }
        let prepared = self.client.prepare(&value::statement(sql)).await?;
        lock().insert(sql.to_owned(), prepared.clone());
        Ok(prepared)
    }

    /// Reads all rows of a statement.
    pub(super) async fn rows(&self, sql: &str, params: &[Value]) -> Result<Vec<Row>, Failure> {
        let statement = self.prepare(sql).await?;
        self.rows_of(&statement, params).await
    }

    /// Reads all rows of a prepared statement.
    pub(super) async fn rows_of(
        &self,
        statement: &Statement,
        params: &[Value],
    ) -> Result<Vec<Row>, Failure> {
        fits(statement, params)?;
        let params: Vec<_> = params.iter().map(|value| value as _).collect();
        let rows = self.client.query(statement, &params).await?;
        let row = |row: &tokio_postgres::Row| {
            (0..row.len()).map(|column| row.try_get(column)).collect::<Result<_, _>>().map(Row)
        };
        Ok(rows.iter().map(row).collect::<Result<_, _>>()?)
    }

    /// Runs a prepared statement; returns the number of rows it changed.
    pub(super) async fn execute(
        &self,
        statement: &Statement,
        params: &[Value],
    ) -> Result<u64, Failure> {
        fits(statement, params)?;
        Ok(self.client.execute_raw(statement, params).await?)
    }

    /// Runs statements without parameters.
    pub(super) async fn run(&self, sql: &str) -> Result<(), Failure> {
        Ok(self.client.batch_execute(sql).await?)
    }
}

fn fits(statement: &Statement, params: &[Value]) -> Result<(), Failure> {
    let (wanted, found) = (statement.params().len(), params.len());
    if wanted == found {
        return Ok(());
    }
    Err(Failure::statement(format!("the statement has {wanted} placeholders, not {found}")))
}
