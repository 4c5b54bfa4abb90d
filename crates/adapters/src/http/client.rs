//! A client over TCP and TLS.

use std::future::{Future, poll_fn};
use std::io;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use dormouse_types::limits;
use dormouse_types::port::{BoxFuture, Clock};
use futures_util::future::{Either, select};
use futures_util::stream;
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper::header::{HeaderName, HeaderValue};
use hyper_util::rt::TokioIo;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use super::base_url::origin_of;
use super::{BaseUrl, HeaderText, HttpAnswer, HttpError, HttpRequest, Method, Transport};

/// Whom an encrypted connection trusts.
#[derive(Debug, Clone)]
pub struct Roots(RootCertStore);

impl Roots {
    /// The certificates that the operating system trusts. Without any, every encrypted connection
    /// fails with an error that says so. As in most programs, `SSL_CERT_FILE` and `SSL_CERT_DIR` name
    /// others; call this where the environment may be read.
    pub fn system() -> Self {
        let mut store = RootCertStore::empty();
        store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        Self(store)
    }

    /// No certificates: every encrypted connection fails.
    pub fn none() -> Self {
        Self(RootCertStore::empty())
    }

    /// Adds a root.
    ///
    /// Errors: it is not a certificate.
    pub fn with(mut self, certificate: CertificateDer<'static>) -> Result<Self, rustls::Error> {
        self.0.add(certificate)?;
        Ok(self)
    }
}

/// The client. One connection for each request.
#[derive(Clone)]
pub struct HttpClient {
    tls: Arc<ClientConfig>,
    clock: Arc<dyn Clock>,
}

impl HttpClient {
    /// A client that trusts `roots`, and that waits for a connection by `clock`.
    ///
    /// Errors: the cryptography of the program lacks the usual protocol versions.
    pub fn new(roots: Roots, clock: Arc<dyn Clock>) -> Result<Self, rustls::Error> {
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut tls = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_root_certificates(roots.0)
            .with_no_client_auth();
        tls.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { tls: Arc::new(tls), clock })
    }

    async fn exchange(&self, request: &HttpRequest) -> Result<HttpAnswer, HttpError> {
        let base = &request.target.base;
        let origin = base.origin();
        let head = head(request)?;
        let io = self.connect_in_time(base).await?;
        let (mut sender, connection) = http1::Builder::new()
            .max_headers(limits::ANSWER_HEAD_FIELDS)
            .max_buf_size(limits::ANSWER_HEAD_BYTES)
            .handshake::<_, Full<Bytes>>(TokioIo::new(io))
            .await
            .map_err(|source| HttpError::Exchange { origin: origin.clone(), source })?;
        let mut connection = Connection::new(connection);
        let answer = connection.drive(sender.send_request(head)).await;
        let answer = answer.map_err(|source| failed(&origin, source))?;
        let (parts, body) = answer.into_parts();
        // The buffer may hold somewhat more than it was given, so that a head that came fast enough
        // got through.
        let n_bytes: usize =
            parts.headers.iter().map(|(k, v)| k.as_str().len() + v.len() + 4).sum();
        if n_bytes > limits::ANSWER_HEAD_BYTES {
            return Err(head_too_large(origin));
        }
        let status = parts.status.as_u16();
        if parts.status.is_redirection() {
            let location = parts.headers.get("location").and_then(|value| value.to_str().ok());
            let to = origin_of(location.unwrap_or_default(), base);
            return Err(HttpError::Redirect { origin, status, to });
        }
        let pieces = Pieces { connection, body, origin };
        let body = Box::pin(stream::unfold(pieces, Pieces::next));
        Ok(HttpAnswer { status, headers: parts.headers, body })
    }

    /// Connects within [`limits::CONNECT_SECONDS`]: until then nothing of the request is sent, so it is
    /// known that the call cost nothing. The caller, who waits for the answer, cannot tell.
    async fn connect_in_time(&self, base: &BaseUrl) -> Result<Box<dyn Io>, HttpError> {
        let limit = Duration::from_secs(limits::CONNECT_SECONDS);
        match select(pin!(self.connect(base)), self.clock.sleep(limit)).await {
            Either::Left((connected, _)) => connected,
            Either::Right(((), _)) => {
                let late = format!("no connection within {} seconds", limit.as_secs());
                let source = io::Error::new(io::ErrorKind::TimedOut, late);
                Err(HttpError::Connect { origin: base.origin(), source })
            }
        }
    }

    async fn connect(&self, base: &BaseUrl) -> Result<Box<dyn Io>, HttpError> {
        let origin = || base.origin();
        let tcp = TcpStream::connect((base.host(), base.port())).await;
        let tcp = tcp.map_err(|source| HttpError::Connect { origin: origin(), source })?;
        // A request is written in one piece; waiting for more of it only delays it.
        let ready = tcp.set_nodelay(true);
        ready.map_err(|source| HttpError::Connect { origin: origin(), source })?;
        if !base.is_tls() {
            return Ok(Box::new(tcp));
        }
        let name = ServerName::try_from(base.host().to_owned())
            .map_err(|_| HttpError::HostName { origin: origin() })?;
        let tls = TlsConnector::from(Arc::clone(&self.tls)).connect(name, tcp).await;
        let tls = tls.map_err(|source| HttpError::Tls { origin: origin(), source })?;
        Ok(Box::new(tls))
    }
}

impl Transport for HttpClient {
    fn send<'a>(
        &'a self,
        request: &'a HttpRequest,
    ) -> BoxFuture<'a, Result<HttpAnswer, HttpError>> {
        Box::pin(self.exchange(request))
    }
}

trait Io: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Io for T {}

/// The half of an HTTP connection that moves bytes. It is polled together with whatever waits for
/// those bytes, so that it needs no task of its own and ends with its owner.
struct Connection(Option<Pin<Box<dyn Future<Output = hyper::Result<()>> + Send>>>);

impl Connection {
    fn new(connection: impl Future<Output = hyper::Result<()>> + Send + 'static) -> Self {
        Self(Some(Box::pin(connection)))
    }

    /// Its own errors reach the other half, which reports them.
    fn poll(&mut self, cx: &mut Context<'_>) {
        if let Some(connection) = &mut self.0
            && connection.as_mut().poll(cx).is_ready()
        {
            self.0 = None;
        }
    }

    async fn drive<T>(&mut self, other: impl Future<Output = T>) -> T {
        let mut other = std::pin::pin!(other);
        poll_fn(|cx| {
            if let Poll::Ready(done) = other.as_mut().poll(cx) {
                return Poll::Ready(done);
            }
            self.poll(cx);
            other.as_mut().poll(cx)
        })
        .await
    }
}

struct Pieces {
    connection: Connection,
    body: Incoming,
    origin: String,
}

impl Pieces {
    async fn next(mut self) -> Option<(Result<Bytes, HttpError>, Self)> {
        loop {
            match self.connection.drive(self.body.frame()).await? {
                Ok(frame) => {
                    // Trailers say nothing that is needed here.
                    let Ok(data) = frame.into_data() else { continue };
                    return Some((Ok(data), self));
                }
                Err(source) => {
                    let error = failed(&self.origin, source);
                    return Some((Err(error), self));
                }
            }
        }
    }
}

fn failed(origin: &str, source: hyper::Error) -> HttpError {
    let origin = origin.to_owned();
    // hyper names this case only to servers.
    if source.is_parse() && source.to_string().contains("too large") {
        return head_too_large(origin);
    }
    HttpError::Exchange { origin, source }
}

fn head_too_large(origin: String) -> HttpError {
    let (max, fields) = (limits::ANSWER_HEAD_BYTES, limits::ANSWER_HEAD_FIELDS);
    HttpError::HeadTooLarge { origin, max, fields }
}

fn head(request: &HttpRequest) -> Result<hyper::Request<Full<Bytes>>, HttpError> {
    let body = Full::new(Bytes::from(request.body.clone()));
    let mut head = hyper::Request::new(body);
    *head.method_mut() = match request.method {
        Method::Get => hyper::Method::GET,
        Method::Post => hyper::Method::POST,
    };
    let path = request.target.path().parse();
    *head.uri_mut() = path.map_err(|_| HttpError::Header { name: "path" })?;
    let mut set = |name: &'static str, value: &str| {
        let mut value = HeaderValue::from_str(value).map_err(|_| HttpError::Header { name })?;
        value.set_sensitive(true);
        head.headers_mut().append(HeaderName::from_static(name), value);
        Ok(())
    };
    set("host", &request.target.base.authority())?;
    set("connection", "close")?;
    set("accept-encoding", "identity")?;
    for (name, value) in &request.headers {
        match value {
            HeaderText::Plain(text) => set(name, text)?,
            HeaderText::Secret { scheme, secret } => {
                set(name, &format!("{scheme}{}", secret.expose()))?;
            }
        }
    }
    Ok(head)
}
