//! The REST API client. Every command uses it, and has no other way to the data.

use std::fmt::Write as _;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, BodyDataStream, Bytes};
use axum::http::{HeaderValue, Method, Request, Response, header};
use futures_util::{Stream, StreamExt as _};
use http_body_util::BodyExt as _;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::net::TcpStream;
use tower::ServiceExt as _;

use crate::failure::Failure;
use crate::server_file::Server;

/// Sends requests to the router in this process, or to the folder's server.
#[derive(Debug, Clone)]
pub struct Client {
    way: Way,
}

#[derive(Debug, Clone)]
enum Way {
    InProcess(Router),
    Remote(Server),
}

/// A local server that does not accept a connection within this time counts as absent.
const PATIENCE: Duration = Duration::from_secs(2);

/// A successful response.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The raw body.
    pub body: Bytes,
}

impl Reply {
    /// Parses the body.
    ///
    /// Errors: the body does not match this version of the API.
    pub fn read<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        serde_json::from_slice(&self.body)
            .map_err(|e| Failure::failed(format!("cannot parse the API's response: {e}")))
    }
}

impl Client {
    /// A client of this router.
    pub fn new(router: Router) -> Self {
        Self { way: Way::InProcess(router) }
    }

    /// A client of a server.
    pub fn of(server: Server) -> Self {
        Self { way: Way::Remote(server) }
    }

    /// Whether the server responds at all.
    pub async fn is_answered(&self) -> bool {
        let reply = tokio::time::timeout(PATIENCE, self.get("/healthz")).await;
        matches!(reply, Ok(Ok(_)))
    }

    /// The reason the server reports for not being ready, if it responds and has one.
    pub async fn trouble(&self) -> Option<String> {
        let reply = tokio::time::timeout(PATIENCE, self.get("/readyz")).await;
        let Ok(Err(Failure { body: Some(body), .. })) = reply else { return None };
        let body: Value = serde_json::from_slice(&body).ok()?;
        Some(body.get("reason")?.as_str()?.to_owned())
    }

    /// Reads.
    pub async fn get(&self, path: &str) -> Result<Reply, Failure> {
        self.send(Method::GET, path, None, None).await
    }

    /// Sends a POST request.
    pub async fn post(&self, path: &str, body: Value) -> Result<Reply, Failure> {
        self.send(Method::POST, path, Some(body), None).await
    }

    /// Sends a PUT request.
    pub async fn put(&self, path: &str, body: Value) -> Result<Reply, Failure> {
        self.send(Method::PUT, path, Some(body), None).await
    }

    /// Sends a PATCH request.
    pub async fn patch(&self, path: &str, body: Value) -> Result<Reply, Failure> {
        self.send(Method::PATCH, path, Some(body), None).await
    }

    /// Sends a PATCH request that requires this revision.
    pub async fn patch_if(&self, path: &str, body: Value, revision: i64) -> Result<Reply, Failure> {
        self.send(Method::PATCH, path, Some(body), Some(revision)).await
    }

    /// Sends a DELETE request.
    pub async fn delete(&self, path: &str) -> Result<Reply, Failure> {
        self.send(Method::DELETE, path, None, None).await
    }

    /// Uploads a file and streams the lines of the response.
    pub async fn upload(
        &self,
        path: &str,
        kind: &'static str,
        file: Bytes,
    ) -> Result<Lines<BodyDataStream>, Failure> {
        let request = Request::post(path).header(header::CONTENT_TYPE, kind).body(Body::from(file));
        let response = self.call(request).await?;
        if response.status().is_success() {
            return Ok(Lines { data: response.into_body().into_data_stream(), rest: Vec::new() });
        }
        let status = response.status().as_u16();
        Err(Failure::refused(status, whole(response).await?))
    }

    /// Sends a POST request with a body of another media type than JSON.
    pub async fn post_body(
        &self,
        path: &str,
        kind: &'static str,
        body: Bytes,
    ) -> Result<Reply, Failure> {
        let request = Request::post(path).header(header::CONTENT_TYPE, kind);
        self.answered(request.body(Body::from(body))).await
    }

    async fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<Value>,
        revision: Option<i64>,
    ) -> Result<Reply, Failure> {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(revision) = revision {
            request = request.header(header::IF_MATCH, format!("\"{revision}\""));
        }
        let request = match body {
            Some(body) => request
                .header(header::CONTENT_TYPE, "application/json")
                .body(Body::from(body.to_string())),
            None => request.body(Body::empty()),
        };
        self.answered(request).await
    }

    async fn answered(
        &self,
        request: Result<Request<Body>, axum::http::Error>,
    ) -> Result<Reply, Failure> {
        let response = self.call(request).await?;
        let status = response.status();
        let body = whole(response).await?;
        if status.is_success() {
            Ok(Reply { body })
        } else {
            Err(Failure::refused(status.as_u16(), body))
        }
    }

    async fn call(
        &self,
        request: Result<Request<Body>, axum::http::Error>,
    ) -> Result<Response<Body>, Failure> {
        let request =
            request.map_err(|e| Failure::failed(format!("cannot build the request: {e}")))?;
        match &self.way {
            Way::InProcess(router) => match router.clone().oneshot(request).await {
                Ok(response) => Ok(response),
                Err(never) => match never {},
            },
            Way::Remote(server) => carry(server, request).await.map_err(|error| {
                let (pid, url) = (server.pid, server.url());
                let gone = format!("the server (process {pid} at {url}) did not answer: {error}");
                Failure::failed(gone).hint(UNSURE)
            }),
        }
    }
}

/// The hint for a missing response.
const UNSURE: &str = "the request may or may not have taken effect: check, then run the command again; it works with and without a server";

/// Sends one request over a new connection.
async fn carry(server: &Server, mut request: Request<Body>) -> anyhow::Result<Response<Body>> {
    // The server accepts this hostname whatever address it listens on.
    let host = HeaderValue::from_str(&format!("127.0.0.1:{}", server.address.port()))?;
    let mut token = HeaderValue::from_str(&format!("Bearer {}", server.token))?;
    token.set_sensitive(true);
    let headers = request.headers_mut();
    headers.insert(header::HOST, host);
    headers.insert(header::AUTHORIZATION, token);
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    let stream =
        tokio::time::timeout(PATIENCE, TcpStream::connect(server.local_address())).await??;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    #[expect(clippy::disallowed_methods, reason = "the composition root carries its connections")]
    tokio::spawn(connection);
    Ok(sender.send_request(request).await?.map(Body::new))
}

async fn whole(response: Response<Body>) -> Result<Bytes, Failure> {
    match response.into_body().collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(e) => Err(broken_off(&e)),
    }
}

fn broken_off(error: &axum::Error) -> Failure {
    Failure::failed(format!("the answer broke off: {error}")).hint(UNSURE)
}

/// The lines of a streamed response.
pub struct Lines<S> {
    data: S,
    rest: Vec<u8>,
}

impl<S: Stream<Item = Result<Bytes, axum::Error>> + Unpin> Lines<S> {
    /// The next line without its line break, or `None` after the last one.
    pub async fn next(&mut self) -> Result<Option<Vec<u8>>, Failure> {
        loop {
            if let Some(end) = self.rest.iter().position(|byte| *byte == b'\n') {
                let after = self.rest.split_off(end + 1);
                let mut line = std::mem::replace(&mut self.rest, after);
                line.pop();
                return Ok(Some(line));
            }
            match self.data.next().await {
                Some(Ok(data)) => self.rest.extend_from_slice(&data),
                Some(Err(e)) => return Err(broken_off(&e)),
                None if self.rest.is_empty() => return Ok(None),
                None => return Ok(Some(std::mem::take(&mut self.rest))),
            }
        }
    }
}

/// A path with a query; values are encoded.
pub fn path(path: &str, query: &[(&str, &str)]) -> String {
    let mut out = path.to_owned();
    for (at, (name, value)) in query.iter().enumerate() {
        out.push(if at == 0 { '?' } else { '&' });
        out.push_str(name);
        out.push('=');
        out.push_str(&encode(value));
    }
    out
}

/// Percent-encodes text for a path or query.
pub fn encode(text: &str) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _always = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use futures_util::stream;

    use super::*;

    #[test]
    fn values_of_a_query_are_encoded() {
        let made = path("/api/agents", &[("find", "Käse & Brot"), ("limit", "3")]);
        assert_eq!(made, "/api/agents?find=K%C3%A4se%20%26%20Brot&limit=3");
        assert_eq!(path("/api/agents", &[]), "/api/agents");
    }

    #[tokio::test]
    async fn lines_are_whole_however_they_are_cut() {
        let parts = ["one\ntw", "o\n", "three"].map(|part| Ok(Bytes::from(part)));
        let mut lines = Lines { data: stream::iter(parts), rest: Vec::new() };
        let mut read = Vec::new();
        while let Some(line) = lines.next().await.expect("no part is broken") {
            read.push(String::from_utf8(line).expect("text"));
        }
        assert_eq!(read, ["one", "two", "three"]);
    }
}
