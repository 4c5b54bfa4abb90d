//! A listener on a free port of this machine, and requests to it as they go over the wire.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::http::{Request, Response};
use dormouse_server::{AllowedHosts, Authenticator, Hardening, listen};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

use crate::world::{Answer, Still, World};

/// The token of the owner.
pub const TOKEN: &str = "secret";

/// A listener that serves until this value goes.
pub struct Site {
    /// Where it listens.
    pub address: SocketAddr,
    _stop: oneshot::Sender<()>,
}

/// One connection to a site.
pub struct Line {
    address: SocketAddr,
    sender: Option<SendRequest<Full<Bytes>>>,
}

impl Site {
    /// The API of a world with authentication, and the page.
    pub async fn of(world: &World) -> Self {
        let dormouse = world.dormouse();
        Self::new(|port| {
            let hardening = Hardening::new(AllowedHosts::new(port, None), Arc::new(Still));
            dormouse_server::listener(
                dormouse,
                Authenticator::new(TOKEN, Arc::new(Still)),
                &hardening,
            )
        })
        .await
    }

    /// Any router.
    #[expect(clippy::disallowed_methods, reason = "the listener and its clients run concurrently")]
    pub async fn new(router: impl FnOnce(u16) -> Router) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
        let address = listener.local_addr().expect("it has an address");
        let (stop, stopped) = oneshot::channel::<()>();
        let stopped = async move { _ = stopped.await };
        tokio::spawn(listen(listener, router(address.port()), stopped));
        Self { address, _stop: stop }
    }

    /// A connection; it is made with its first request, and again after the server closed it.
    pub fn line(&self) -> Line {
        Line { address: self.address, sender: None }
    }

    /// The `Host` of this site.
    pub fn host(&self) -> String {
        self.address.to_string()
    }
}

impl Line {
    /// Sends a request with these headers and no others.
    pub async fn ask(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = Full::new(Bytes::from(body.to_owned()));
        let request = request.body(body).expect("a request");
        let mut sender = match self.sender.take() {
            Some(sender) if !sender.is_closed() => sender,
            Some(_) | None => connect(self.address).await,
        };
        sender.ready().await.expect("the connection is open");
        let response = sender.send_request(request).await.expect("the server answers");
        let answer = received(response).await;
        self.sender = Some(sender);
        answer
    }
}

#[expect(clippy::disallowed_methods, reason = "the connection and its client run concurrently")]
async fn connect(address: SocketAddr) -> SendRequest<Full<Bytes>> {
    let stream = TcpStream::connect(address).await.expect("the server listens");
    let (sender, connection) = handshake(TokioIo::new(stream)).await.expect("it speaks HTTP");
    tokio::spawn(connection);
    sender
}

async fn received(response: Response<Incoming>) -> Answer {
    let status = response.status().as_u16();
    let kept = response.headers().iter().filter(|(name, _)| *name != "date");
    let headers = kept
        .map(|(name, value)| (name.to_string(), value.to_str().unwrap_or("?").to_owned()))
        .collect();
    let body = response.into_body().collect().await.expect("the body is whole").to_bytes();
    Answer { status, headers, body: String::from_utf8_lossy(&body).into_owned() }
}
