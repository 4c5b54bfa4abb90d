//! Fills the queue of one socket: all events after a cursor, each once and in order, or a request
//! to reload everything.

use std::future::pending;
use std::time::Duration;

use dormouse::events::{Event, Since};
use dormouse_types::limits::{SOCKET_BYTES, SOCKET_PING_SECONDS, SOCKET_STALL_SECONDS};
use dormouse_types::port::{BoxFuture, Clock};
use futures_util::future::{Either, select};
use serde_json::json;
use tokio::sync::watch;

use super::close::Close;
use super::queue::Queue;

/// The polling interval without hints.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// How long a reader may take for a page before the next one is added.
const PAGE_GRACE: Duration = Duration::from_millis(50);
/// How many polls may fail in a row.
const FAILURES: u32 = 10;

/// The source of one caller's events.
pub(super) trait EventSource: Send + Sync {
    /// The events after a cursor. An unknown cursor leads to a resync.
    fn since<'a>(
        &'a self,
        cursor: Option<&'a str>,
    ) -> BoxFuture<'a, Result<Since, dormouse::Error>>;
    /// Whether the caller still has access.
    fn is_live(&self) -> BoxFuture<'_, Result<bool, dormouse::Error>>;
}

/// The event stream of one socket.
pub(super) struct EventStream<'a> {
    pub(super) feed: &'a dyn EventSource,
    pub(super) clock: &'a dyn Clock,
    pub(super) queue: &'a Queue,
    /// Increases when there may be news.
    pub(super) hints: watch::Receiver<u64>,
}

impl EventStream<'_> {
    /// Follows the events after a cursor; returns why it ended.
    pub(super) async fn run(&mut self, since: Option<String>) -> Close {
        match self.follow(since).await {
            Ok(never) => match never {},
            Err(close) => close,
        }
    }

    async fn follow(&mut self, since: Option<String>) -> Result<std::convert::Infallible, Close> {
        let mut cursor = match since {
            Some(cursor) => cursor,
            None => self.begin().await?,
        };
        let version = env!("CARGO_PKG_VERSION");
        self.queue
            .push(json!({"type": "hello", "cursor": cursor, "version": version}).to_string())?;
        let (mut is_level, mut failures) = (false, 0);
        let mut next_ping = self.clock.now() + Duration::from_secs(SOCKET_PING_SECONDS);
        loop {
            self.hints.borrow_and_update();
            let seen = match self.feed.is_live().await {
                Ok(false) => return Err(Close::UNAUTHORIZED),
                Ok(true) => self.feed.since(Some(&cursor)).await,
                Err(error) => Err(error),
            };
            match seen {
                Ok(Since::Page { events, .. }) if events.is_empty() => {
                    (is_level, failures) = (true, 0);
                }
                Ok(Since::Page { events, cursor: next }) => {
                    failures = 0;
                    self.send_events(&cursor, &events, is_level).await?;
                    cursor = next;
                    self.catch_up(is_level).await?;
                    continue;
                }
                Ok(Since::Resync { cursor: head }) => {
                    failures = 0;
                    self.queue.push(json!({"type": "resync", "cursor": head}).to_string())?;
                    cursor = head;
                    continue;
                }
                Err(error) => {
                    failures += 1;
                    if failures > FAILURES {
                        tracing::warn!(%error, "closing a socket: its events cannot be read");
                        return Err(Close::BROKEN);
                    }
                }
            }
            self.wait(failures > 0).await;
            let now = self.clock.now();
            let every = Duration::from_secs(SOCKET_PING_SECONDS);
            // If the clock was set back, the next one would seem far away.
            if now >= next_ping || now + every < next_ping {
                self.queue.ping();
                next_ping = now + every;
            }
        }
    }

    /// The cursor to start from.
    async fn begin(&self) -> Result<String, Close> {
        match self.feed.since(None).await {
            Ok(Since::Page { cursor, .. } | Since::Resync { cursor }) => Ok(cursor),
            Err(_) => Err(Close::BROKEN),
        }
    }

    async fn send_events(
        &self,
        cursor: &str,
        events: &[Event],
        is_level: bool,
    ) -> Result<(), Close> {
        // It has no cursor of its own: a client that is cut off after it gets it again.
        if let Some(event) = events.iter().find(|event| event.moves_attention()) {
            let frame = json!({
                "type": "needs-attention", "cursor": cursor, "subject": null, "tasks": [],
                "agent": null, "at": event.at,
            });
            self.queue.push(frame.to_string())?;
        }
        let mut waiting = 0;
        for event in events {
            let frame = serde_json::to_string(event).expect("an event is plain data");
            // Turns of a log are long: what would fill the queue waits until the rest was sent.
            if waiting + frame.len() > SOCKET_BYTES / 2 {
                self.catch_up(is_level).await?;
                waiting = 0;
            }
            waiting += frame.len();
            self.queue.push(frame)?;
        }
        Ok(())
    }

    /// Gives the reader time for a page before the next one, so that many events at once do not
    /// count as slowness. Missed events are sent as fast as they are read; new events do not wait.
    async fn catch_up(&self, is_level: bool) -> Result<(), Close> {
        let stall = Duration::from_secs(SOCKET_STALL_SECONDS);
        let patience = self.clock.sleep(if is_level { PAGE_GRACE } else { stall });
        match select(Box::pin(self.queue.drained()), patience).await {
            Either::Right(_) if !is_level => Err(Close::TOO_SLOW),
            Either::Left(_) | Either::Right(_) => Ok(()),
        }
    }

    /// Waits for a hint, or for the polling interval; after a failure hints are ignored.
    async fn wait(&mut self, failed: bool) {
        let hinted = async {
            // A closed channel is not a hint.
            if failed || self.hints.changed().await.is_err() {
                pending::<()>().await;
            }
        };
        select(Box::pin(hinted), self.clock.sleep(POLL_INTERVAL)).await;
    }
}
