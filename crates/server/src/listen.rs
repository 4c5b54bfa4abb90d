//! The listener: takes connections, and serves a router on each.
//!
//! Defends against a client that says nothing, or says it very slowly: the head of a request has a
//! time, and connections have a number.

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

/// Units: bytes. A head beyond this is refused without a problem; a smaller one that is beyond its
/// limits gets one.
const HEAD: usize = 2 * (HEADERS.max + URL.max);

/// How long nothing is accepted when the system has no more files to give.
const PAUSE: Duration = Duration::from_secs(1);

/// Serves a router until `stop`, then lets requests under way end. A handler finds the other end of
/// its connection as [`ConnectInfo`].
pub async fn listen(listener: TcpListener, router: Router, stop: impl Future<Output = ()>) {
    let (close, closing) = watch::channel(false);
    let mut connections = JoinSet::new();
    let mut stop = pin!(stop);
    loop {
        let accepted = tokio::select! {
            biased;
            () = &mut stop => break,
            // A connection that broke has said so itself.
            Some(_ended) = connections.join_next() => continue,
            accepted = listener.accept(), if connections.len() < CONNECTIONS => accepted,
        };
        match accepted {
            Ok((stream, address)) => {
                _ = connections.spawn(serve(stream, address, router.clone(), closing.clone()));
            }
            Err(error) if is_of_one(&error) => {}
            // Most likely too many files are open: it goes on when one was closed.
            Err(_) => _ = timeout(PAUSE, connections.join_next()).await,
        }
    }
    drop(listener);
    drop(closing);
    close.send_replace(true);
    while connections.join_next().await.is_some() {}
    // A socket has left its connection behind, and holds a receiver until it has ended.
    close.closed().await;
}

/// Whether only the connection that was to be accepted is lost.
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
    // Small answers are not held back. A stream that cannot be told is served all the same.
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
    // What becomes of a connection is the client's to see: it may have gone, or said no HTTP.
    tokio::select! {
        biased;
        _ended = connection.as_mut() => return,
        _told = closing.wait_for(|closing| *closing) => {}
    }
    connection.as_mut().graceful_shutdown();
    let _ended = connection.await;
}
