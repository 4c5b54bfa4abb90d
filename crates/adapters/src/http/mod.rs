//! The one client for requests that leave the process.
//!
//! One connection for each request, HTTP/1.1, no redirects, no proxies, no retries, no
//! decompression. It limits only how long connecting may take, by the clock that it is given; how long
//! an answer may take is up to the caller. Dropping the answer closes the connection. Only roots of trust come from the system.

mod secret;
mod base_url;
mod client;

use std::error::Error;

use bytes::Bytes;
use dormouse_types::port::{BoxFuture, BoxStream, OutgoingRequest};
use futures_util::StreamExt as _;
use hyper::HeaderMap;

pub use base_url::{BaseUrl, BaseUrlError, Target, path_segment};
pub use client::{HttpClient, Roots};
pub use secret::{NOT_SHOWN, Secret, SecretError};

/// Sends requests. Tests replace it.
pub trait Transport: Send + Sync {
    /// Sends a request; completes with the head of the answer. Dropping the future, or the body of
    /// the answer, closes the connection.
    ///
    /// Errors: there is no answer that can be read, or it is a redirect.
    fn send<'a>(&'a self, request: &'a HttpRequest)
    -> BoxFuture<'a, Result<HttpAnswer, HttpError>>;
}

/// A request to be sent.
#[derive(Debug, Clone)]
pub struct HttpRequest {
    pub method: Method,
    /// Its address.
    pub target: Target,
    /// Its headers, in order, except for those of the connection.
    pub headers: Vec<(&'static str, HeaderText)>,
    /// Its body; empty for [`Method::Get`].
    pub body: String,
}

/// The method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Reads.
    Get,
    /// Sends a body.
    Post,
}

/// The value of a header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HeaderText {
    /// Shown as it is.
    Plain(String),
    /// Not shown.
    Secret {
        /// What comes before the secret, for example `Bearer `.
        scheme: &'static str,
        secret: Secret,
    },
}

impl HttpRequest {
    /// The request as a person may see it: the text of a secret is replaced.
    pub fn redacted(&self) -> OutgoingRequest {
        let headers = self.headers.iter().map(|(name, value)| {
            let value = match value {
                HeaderText::Plain(text) => text.clone(),
                HeaderText::Secret { scheme, secret: _ } => format!("{scheme}{NOT_SHOWN}"),
            };
            ((*name).to_owned(), value)
        });
        OutgoingRequest {
            method: self.method.name(),
            url: self.target.to_string(),
            headers: headers.collect(),
            body: self.body.clone(),
        }
    }
}

impl Method {
    /// For example `POST`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }
}

/// The head of an answer, and its body as it comes.
pub struct HttpAnswer {
    /// The status code.
    pub status: u16,
    pub headers: HeaderMap,
    /// The body; no piece is longer than [`limits::ANSWER_HEAD_BYTES`].
    ///
    /// [`limits::ANSWER_HEAD_BYTES`]: dormouse_types::limits::ANSWER_HEAD_BYTES
    pub body: BoxStream<'static, Result<Bytes, HttpError>>,
}

impl HttpAnswer {
    /// A header as text; `None` if it is missing or not ASCII.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The media type without its parameters, in lower case; empty if there is none.
    pub fn media_type(&self) -> String {
        let value = self.header("content-type").unwrap_or_default();
        value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
    }

    /// Reads the whole body.
    ///
    /// Errors: the connection fails, or the body has more than `max` bytes.
    pub async fn read(mut self, origin: &str, max: usize) -> Result<Vec<u8>, HttpError> {
        let mut whole = Vec::new();
        while let Some(piece) = self.body.next().await {
            let piece = piece?;
            if whole.len() + piece.len() > max {
                return Err(HttpError::BodyTooLarge { origin: origin.to_owned(), max });
            }
            whole.extend_from_slice(&piece);
        }
        Ok(whole)
    }

    /// Reads the start of the body, for an error message: at most `max` bytes, and what came before
    /// the connection failed.
    pub async fn read_start(mut self, max: usize) -> Vec<u8> {
        let mut start = Vec::new();
        while let Some(Ok(piece)) = self.body.next().await {
            let room = max - start.len();
            start.extend_from_slice(&piece[..piece.len().min(room)]);
            if start.len() == max {
                break;
            }
        }
        start
    }
}

/// Why a request got no answer.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The host is unknown, or refuses the connection.
    #[error("cannot connect to {origin}")]
    Connect {
        /// The server.
        origin: String,
        /// What the system says.
        #[source]
        source: std::io::Error,
    },
    /// The server cannot prove who it is, or speaks no TLS.
    #[error("cannot set up an encrypted connection to {origin}")]
    Tls {
        /// The server.
        origin: String,
        /// What is wrong with it.
        #[source]
        source: std::io::Error,
    },
    /// The name of the host cannot be that of a certificate.
    #[error("{origin} has a host name that no certificate can have")]
    HostName {
        /// The server.
        origin: String,
    },
    /// The connection failed, or what came is not HTTP/1.1.
    #[error("the connection to {origin} failed")]
    Exchange {
        /// The server.
        origin: String,
        /// What failed.
        #[source]
        source: hyper::Error,
    },
    /// A header of the request is not valid.
    #[error("the header {name} has a value that cannot be sent")]
    Header { name: &'static str },
    /// The answer sends the client elsewhere.
    #[error(
        "{origin} answered {status} and points to {to}: redirects are not followed; enter the \
         address of the server itself"
    )]
    Redirect {
        /// The server.
        origin: String,
        /// The status code.
        status: u16,
        /// The origin that it points to.
        to: String,
    },
    /// The headers of the answer are too many or too long.
    #[error("{origin} answered with headers of more than {max} bytes, or more than {fields}")]
    HeadTooLarge {
        /// The server.
        origin: String,
        /// Units: bytes. What is accepted.
        max: usize,
        /// How many headers are accepted.
        fields: usize,
    },
    /// The body of the answer is too long.
    #[error("{origin} answered with more than {max} bytes")]
    BodyTooLarge {
        /// The server.
        origin: String,
        /// Units: bytes. What is accepted.
        max: usize,
    },
}

/// An error with all its causes, in one line.
pub fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let message = cause.to_string();
        if !text.ends_with(&message) {
            text.push_str(": ");
            text.push_str(&message);
        }
        source = cause.source();
    }
    text
}
