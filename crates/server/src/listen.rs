//! The listener: takes connections, and serves a router on each.
//!
//! Defends against silent or very slow clients: the head of a request has a deadline, and the
//! number of connections is limited.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use dormouse_types::limits::{CONNECTIONS, HEAD_SECONDS, HEADERS, URL};
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tower::ServiceExt as _;

use crate::live::Closing;

/// Units: bytes. A larger head is refused without a problem document; a smaller one over its limits
/// gets one.
const HEAD: usize = 2 * (HEADERS.max + URL.max);

/// How long to pause accepting when the system has no free file descriptors.
const PAUSE: Duration = Duration::from_secs(1);

/// Serves a router until `stop`, then lets running requests finish. Handlers get the client address
/// as [`ConnectInfo`].
pub async fn listen(listener: TcpListener, router: Router, stop: impl Future<Output = ()>) {
    let (close, closing) = watch::channel(false);
    let mut connections = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut stop => break,
            // A broken connection needs no report.
            Some(_ended) = connections.join_next() => continue,
            accepted = listener.accept(), if connections.len() < CONNECTIONS => accepted,
        };
        match accepted {
            Ok((stream, address)) => {
                _ = connections.spawn(serve(stream, address, router.clone(), closing.clone()));
            }
            Err(error) if is_of_one(&error) => {}
            // Probably too many files are open; accepting continues once one is closed.
            Err(_) => _ = timeout(PAUSE, connections.join_next()).await,
        }
    }
    drop(listener);
    drop(closing);
    close.send_replace(true);
    while connections.join_next().await.is_some() {}
    // An upgraded socket has left its connection, and holds a receiver until it ends.
    close.closed().await;
}

/// Whether the error affects only the connection being accepted.
fn is_of_one(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset)
}

async fn serve(
    stream: TcpStream,
    address: SocketAddr,
    router: Router,
    mut closing: watch::Receiver<bool>,
) {
    // Send small responses without delay. If that cannot be set, serve the connection anyway.
    let _slower = stream.set_nodelay(true);
    let sockets = Closing(closing.clone());
    let service = service_fn(move |request: Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(sockets.clone());
        request.extensions_mut().insert(ConnectInfo(address));
        router.clone().oneshot(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(Duration::from_secs(HEAD_SECONDS))
        .max_buf_size(HEAD)
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades();
    let mut connection = pin!(connection);
    // Errors of a connection are ignored: the client may be gone, or may not have sent HTTP.
    tokio::select! {
        biased;
        _ended = connection.as_mut() => return,
        _notified = closing.wait_for(|closing| *closing) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ended = connection.await;
}
