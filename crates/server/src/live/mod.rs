//! Live events over a WebSocket: `GET /api/ws?ticket=T&since=CURSOR`.
//!
//! Defends against: unreported gaps, readers that are too slow, sockets that outlive their token,
//! and too many sockets.

mod close;
mod draft_stream;
mod event_stream;
mod queue;
#[cfg(test)]
mod event_stream_tests;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::Router;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{FromRequestParts as _, Query, Request, State};
use axum::http::Method;
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use dormouse::events::Since;
use dormouse::{Dormouse, Error, ReportDraft};
use dormouse_types::Caller;
use dormouse_types::limits::{SOCKET_MESSAGE, SOCKETS, SOCKETS_PER_TOKEN};
use dormouse_types::port::{BoxFuture, Clock};
use futures_util::stream::{SplitSink, SplitStream};
use futures_util::{SinkExt as _, StreamExt as _};
use serde::Deserialize;
use tokio::sync::watch;

use self::close::Close;
use self::draft_stream::{DraftSource, DraftStream};
use self::event_stream::{EventSource, EventStream};
use self::queue::{Frame, Queue};
use crate::Problem;

/// The path that opens a socket.
pub(crate) const PATH: &str = "/api/ws";
/// How long closing a socket may take.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(2);
/// When a client with too many sockets may retry.
const RETRY_AFTER: Duration = Duration::from_secs(30);

/// Signals that the listener stops; each socket holds one until it has ended.
#[derive(Clone)]
pub(crate) struct Closing(pub(crate) watch::Receiver<bool>);

/// The sockets of a process.
#[derive(Clone)]
pub(crate) struct Sockets {
    dormouse: Dormouse,
    clock: Arc<dyn Clock>,
    open: Arc<Mutex<HashMap<String, usize>>>,
}

/// The slot of one socket.
struct ConnectionSlot {
    open: Arc<Mutex<HashMap<String, usize>>>,
    actor: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SocketParams {
    ticket: String,
    since: Option<String>,
}

impl Sockets {
    pub(crate) fn new(dormouse: Dormouse, clock: Arc<dyn Clock>) -> Self {
        Self { dormouse, clock, open: Arc::default() }
    }

    /// Adds the socket route to a router.
    pub(crate) fn with_sockets(self, router: Router) -> Router {
        router.layer(from_fn_with_state(self, upgrade_socket))
    }

    fn take_slot(&self, caller: &Caller) -> Option<ConnectionSlot> {
        let actor = format!("{}/{}", caller.workspace.0, caller.actor);
        let mut open = lock(&self.open);
        let (all, own) = (open.values().sum::<usize>(), open.get(&actor).copied());
        if all >= SOCKETS || own.unwrap_or_default() >= SOCKETS_PER_TOKEN {
            return None;
        }
        *open.entry(actor.clone()).or_default() += 1;
        Some(ConnectionSlot { open: self.open.clone(), actor })
    }
}

impl Drop for ConnectionSlot {
    fn drop(&mut self) {
        let mut open = lock(&self.open);
        if let Some(n) = open.get_mut(&self.actor) {
            *n -= 1;
            if *n == 0 {
                open.remove(&self.actor);
            }
        }
    }
}

fn lock(open: &Mutex<HashMap<String, usize>>) -> MutexGuard<'_, HashMap<String, usize>> {
    // No holder can leave the map inconsistent, so poisoning is ignored.
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

async fn upgrade_socket(State(sockets): State<Sockets>, request: Request, next: Next) -> Response {
    if request.uri().path() != PATH {
        return next.run(request).await;
    }
    open(sockets, request).await.unwrap_or_else(Problem::into_response)
}

async fn open(sockets: Sockets, request: Request) -> Result<Response, Problem> {
    if request.method() != Method::GET {
        return Err(Problem::method_not_allowed(format!("{PATH} supports only GET")));
    }
    let (mut parts, _) = request.into_parts();
    let Query(params) = Query::<SocketParams>::from_request_parts(&mut parts, &())
        .await
        .map_err(|error| Problem::invalid("?", error.body_text()))?;
    let closing = parts.extensions.get::<Closing>().cloned();
    let upgrade = WebSocketUpgrade::from_request_parts(&mut parts, &()).await.map_err(|error| {
        let detail = format!("{PATH} opens a WebSocket: {}", error.body_text());
        Problem::invalid("Upgrade", detail)
    })?;
    let upgrade = upgrade.max_message_size(SOCKET_MESSAGE).max_frame_size(SOCKET_MESSAGE);
    let Some(caller) = sockets.dormouse.redeem_ticket(&params.ticket).await? else {
        // A browser reports to a page how a socket closed, but not why one failed to open.
        return Ok(upgrade.on_upgrade(|socket| refuse(socket, Close::UNAUTHORIZED)));
    };
    let Some(seat) = sockets.take_slot(&caller) else {
        return Err(Problem::rate_limited(RETRY_AFTER));
    };
    Ok(upgrade.on_upgrade(move |socket| async move {
        serve(&sockets, caller, params.since, closing, socket).await;
        drop(seat);
    }))
}

async fn refuse(mut socket: WebSocket, close: Close) {
    // The client may already be gone.
    let _gone = socket.send(send_close(close)).await;
}

fn send_close(close: Close) -> Message {
    Message::Close(Some(CloseFrame { code: close.code, reason: close.reason.into() }))
}

/// Serves one socket until it ends.
async fn serve(
    sockets: &Sockets,
    caller: Caller,
    since: Option<String>,
    closing: Option<Closing>,
    socket: WebSocket,
) {
    let queue = Queue::default();
    let (sink, stream) = socket.split();
    let feed = OfCaller { dormouse: &sockets.dormouse, caller: &caller };
    let mut events = EventStream {
        feed: &feed,
        clock: &*sockets.clock,
        queue: &queue,
        hints: sockets.dormouse.hints(),
    };
    let mut drafts = DraftStream {
        source: &feed,
        clock: &*sockets.clock,
        queue: &queue,
        hints: sockets.dormouse.draft_hints(),
    };
    let mut sending = Box::pin(send(&queue, sink));
    let showing = async {
        drafts.run().await;
        std::future::pending::<()>().await;
    };
    let close = tokio::select! {
        close = events.run(since) => close,
        () = showing => return,
        () = &mut sending => return,
        () = read_frames(stream) => return,
        () = stopped(closing) => Close::STOPPING,
    };
    queue.close(close);
    tokio::select! {
        () = sending => {}
        () = sockets.clock.sleep(CLOSE_TIMEOUT) => {}
    }
}

/// Sends the queue until it ends or the client is gone.
async fn send(queue: &Queue, mut sink: SplitSink<WebSocket, Message>) {
    loop {
        let (message, is_last) = match queue.next().await {
            Frame::Text(text) => (Message::Text(text.into()), false),
            Frame::Ping => (Message::Ping(Vec::new().into()), false),
            Frame::Close(close) => (send_close(close), true),
        };
        if sink.send(message).await.is_err() || is_last {
            return;
        }
    }
}

/// Receives from the client, which only answers pings.
async fn read_frames(mut stream: SplitStream<WebSocket>) {
    while let Some(Ok(message)) = stream.next().await {
        if matches!(message, Message::Close(_)) {
            return;
        }
    }
}

async fn stopped(closing: Option<Closing>) {
    match closing {
        // If the listener is gone, it has stopped.
        Some(Closing(mut closing)) => _ = closing.wait_for(|closing| *closing).await,
        None => std::future::pending().await,
    }
}

/// The events that one caller may see.
struct OfCaller<'a> {
    dormouse: &'a Dormouse,
    caller: &'a Caller,
}

impl DraftSource for OfCaller<'_> {
    fn drafts(&self) -> Result<Vec<Arc<ReportDraft>>, Error> {
        self.dormouse.drafts(self.caller)
    }
}

impl EventSource for OfCaller<'_> {
    fn since<'a>(&'a self, cursor: Option<&'a str>) -> BoxFuture<'a, Result<Since, Error>> {
        Box::pin(async move {
            match self.dormouse.events_since(self.caller, cursor).await {
                // It comes from another server, or is made up.
                Err(Error::Invalid { .. }) => {
                    match self.dormouse.events_since(self.caller, None).await? {
                        Since::Page { cursor, .. } | Since::Resync { cursor } => {
                            Ok(Since::Resync { cursor })
                        }
                    }
                }
                other => other,
            }
        })
    }

    fn is_live(&self) -> BoxFuture<'_, Result<bool, Error>> {
        Box::pin(self.dormouse.is_live(self.caller))
    }
}
