//! Commit hints: sent to the readers of this process directly, and to other nodes by NOTIFY.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use dormouse_types::port::Clock;
use tokio::sync::{Notify, watch};

use super::session::{Address, Failure, OnNotification, Session};

/// The pause before the listener reconnects.
const PAUSE: Duration = Duration::from_secs(1);

/// How often a node that commits nothing looks whether its connection still hears the others, and how long the
/// answer may take. A connection that a network dropped says nothing by itself.
const LOOK: Duration = Duration::from_secs(15);

/// The counter that rises after commits.
pub(super) struct Changes {
    number: watch::Sender<u64>,
    /// Set when other nodes are to be notified; one notification may cover many commits.
    unsent: Notify,
}

impl Changes {
    pub(super) fn new() -> Self {
        Self { number: watch::Sender::new(0), unsent: Notify::new() }
    }

    pub(super) fn subscribe(&self) -> watch::Receiver<u64> {
        self.number.subscribe()
    }

    /// Notifies this process and the other nodes of a commit.
    pub(super) fn announce(&self) {
        self.advance();
        self.unsent.notify_one();
    }

    fn advance(&self) {
        self.number.send_modify(|number| *number += 1);
    }
}

/// Listens and notifies until it is dropped.
pub(super) struct Listener {
    pub(super) address: Arc<Address>,
    pub(super) channel: String,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) changes: Arc<Changes>,
}

impl Listener {
    pub(super) async fn run(self) {
        loop {
            if let Err(failure) = self.listen().await {
                tracing::debug!(%failure, "the connection for hints from other nodes was lost");
            }
            self.clock.sleep_until(self.clock.now() + PAUSE).await;
        }
    }

    async fn listen(&self) -> Result<(), Failure> {
        // The server also sends a listener its own notifications.
        let own = Arc::new(AtomicI64::new(0));
        let (changes, pid) = (self.changes.clone(), own.clone());
        let on_notification: OnNotification = Arc::new(move |notification| {
            if i64::from(notification.process_id()) != pid.load(Ordering::Relaxed) {
                changes.advance();
            }
        });
        let session =
            self.address.open("SET client_min_messages = warning", Some(on_notification)).await?;
        let rows = session.rows("SELECT CAST(pg_backend_pid() AS BIGINT)", &[]).await?;
        own.store(rows.first().and_then(|row| row.int(0).ok()).unwrap_or(0), Ordering::Relaxed);
        session.run(&format!("LISTEN \"{}\"", self.channel)).await?;
        // Catch up on hints sent while nobody listened.
        self.changes.advance();
        self.send_notifications(&session).await
    }

    async fn send_notifications(&self, session: &Session) -> Result<(), Failure> {
        let notify = format!("NOTIFY \"{}\"", self.channel);
        loop {
            tokio::select! {
                () = self.changes.unsent.notified() => {
                    if let Err(failure) = self.within_look(session.run(&notify)).await {
                        self.changes.unsent.notify_one();
                        return Err(failure);
                    }
                }
                () = self.clock.sleep_until(self.clock.now() + LOOK) => {
                    self.within_look(session.run("SELECT 1")).await?;
                }
            }
        }
    }

    async fn within_look(
        &self,
        answer: impl Future<Output = Result<(), Failure>>,
    ) -> Result<(), Failure> {
        tokio::select! {
            answer = answer => answer,
            () = self.clock.sleep_until(self.clock.now() + LOOK) => {
                let detail = format!("no answer within {} s", LOOK.as_secs());
                Err(Failure { code: None, lost: true, detail })
            }
        }
    }
}
