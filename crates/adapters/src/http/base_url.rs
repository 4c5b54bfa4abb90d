//! The address of a server, checked when it is configured.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};

use hyper::Uri;

/// The address below which a server answers, for example `https://api.openai.com/v1`.
///
/// Shape: `http` or `https`, a host, perhaps a port and a path; no user name, query or fragment, so
/// that no key can hide in it. The path has no `/` at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl {
    is_tls: bool,
    /// With brackets, if it is an IPv6 address.
    host: String,
    port: u16,
    path: String,
}

/// Units: bytes.
const MAX_BYTES: usize = 2048;

/// A text that is not the address of a server.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BaseUrlError {
    /// It is no URL at all.
    #[error("{0:?} is not the address of a server; it looks like `http://localhost:11434/v1`")]
    Malformed(String),
    /// It has more than 2048 bytes.
    #[error("the address has more than {MAX_BYTES} bytes")]
    TooLong,
    /// Another scheme than `http` and `https`, or none.
    #[error("the address {0:?} does not begin with `http://` or `https://`")]
    Scheme(String),
    /// A user name or a password before the host. The text is not repeated: it may be a secret.
    #[error("the address has a user name or a password before its host: give the key by itself")]
    UserInfo,
    /// A query or a fragment. The text is not repeated: it may be a secret.
    #[error("the address has a part after `?` or `#`: leave it out, and give the key by itself")]
    Query,
}

impl BaseUrl {
    /// Reads an address.
    ///
    /// Errors: see [`BaseUrlError`].
    pub fn parse(text: &str) -> Result<Self, BaseUrlError> {
        if text.len() > MAX_BYTES {
            return Err(BaseUrlError::TooLong);
        }
        if text.contains(['?', '#']) {
            return Err(BaseUrlError::Query);
        }
        let authority = text.split_once("://").map_or(text, |(_, rest)| rest);
        if authority.split('/').next().is_some_and(|authority| authority.contains('@')) {
            return Err(BaseUrlError::UserInfo);
        }
        let malformed = || BaseUrlError::Malformed(text.to_owned());
        let uri: Uri = text.parse().map_err(|_| malformed())?;
        let is_tls = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            Some(_) | None => return Err(BaseUrlError::Scheme(text.to_owned())),
        };
        let host = uri.host().ok_or_else(malformed)?;
        // A dot at its end names the same server.
        let name = host.strip_suffix('.').unwrap_or(host);
        if name.is_empty() || name.ends_with('.') {
            return Err(malformed());
        }
        let authority = uri.authority().map_or("", |authority| authority.as_str());
        let has_port = authority.len() > host.len();
        let port = match uri.port_u16() {
            Some(0) => return Err(malformed()),
            Some(port) => port,
            None if has_port => return Err(malformed()),
            None => default_port(is_tls),
        };
        Ok(Self {
            is_tls,
            host: name.to_ascii_lowercase(),
            port,
            path: uri.path().trim_end_matches('/').to_owned(),
        })
    }

    /// Scheme, host and port: who gets what is sent. The default port is left out.
    pub fn origin(&self) -> String {
        let scheme = if self.is_tls { "https" } else { "http" };
        format!("{scheme}://{}", self.authority())
    }

    /// The address of `path`, which begins with `/`, below this one.
    pub fn join(&self, path: &str) -> Target {
        Target { base: self.clone(), path: format!("{}{path}", self.path) }
    }

    /// Whether the path ends with a version, as in `/v1` or `/v1beta`.
    pub fn ends_with_version(&self) -> bool {
        let last = self.path.rsplit('/').next().unwrap_or_default();
        let number = last.strip_prefix('v').unwrap_or_default();
        number.starts_with(|c: char| c.is_ascii_digit())
    }

    /// Whether it is the address of a server without a path.
    pub fn is_origin(&self) -> bool {
        self.path.is_empty()
    }

    /// Whether the server is this machine, as far as its name says so.
    pub fn is_loopback(&self) -> bool {
        let host = self.host();
        let is_loopback = host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback());
        is_loopback || host == "localhost" || host.ends_with(".localhost")
    }

    /// The host, without the brackets of an IPv6 address.
    pub fn host(&self) -> &str {
        self.host.trim_start_matches('[').trim_end_matches(']')
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Whether the connection is encrypted.
    pub fn is_tls(&self) -> bool {
        self.is_tls
    }

    /// Whether others can read on the way what is sent: it is not encrypted, and may leave this machine and the network
    /// that it is in.
    pub fn is_readable_on_the_way(&self) -> bool {
        !self.is_tls && !is_of_own_network(self.host())
    }

    /// Host and port as the `host` header has them.
    pub(super) fn authority(&self) -> String {
        if self.port == default_port(self.is_tls) {
            self.host.clone()
        } else {
            format!("{}:{}", self.host, self.port)
        }
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin(), self.path)
    }
}

/// Domains that no server of the internet has.
///
/// Source: RFC 6761, RFC 6762, RFC 8375, and ICANN's reservation of `internal`; routers use `lan` and `home`.
const LOCAL_DOMAINS: [&str; 6] =
    [".localhost", ".local", ".home.arpa", ".internal", ".lan", ".home"];

/// Whether a host is this machine or in its own network, as far as its name says so.
fn is_of_own_network(host: &str) -> bool {
    let is_own_v4 = |ip: Ipv4Addr| {
        // Shared address space, which private networks over the internet use (RFC 6598).
        let is_shared = ip.octets()[0] == 100 && ip.octets()[1] & 0b1100_0000 == 64;
        ip.is_loopback() || ip.is_private() || ip.is_link_local() || is_shared
    };
    match host.parse() {
        Ok(IpAddr::V4(ip)) => is_own_v4(ip),
        Ok(IpAddr::V6(ip)) => {
            let is_own = ip.is_loopback() || ip.is_unique_local() || ip.is_unicast_link_local();
            is_own || ip.to_ipv4_mapped().is_some_and(is_own_v4)
        }
        // Digits alone, or in hex, are another way to write an address.
        Err(_) if !host.contains('.') => !host.starts_with(|c: char| c.is_ascii_digit()),
        Err(_) => LOCAL_DOMAINS.iter().any(|domain| host.ends_with(domain)),
    }
}

/// The whole address of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    pub(super) base: BaseUrl,
    pub(super) path: String,
}

impl Target {
    /// Who gets the request.
    pub fn origin(&self) -> String {
        self.base.origin()
    }

    /// Path and query.
    pub fn path(&self) -> &str {
        &self.path
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.base.origin(), self.path)
    }
}

fn default_port(is_tls: bool) -> u16 {
    if is_tls { 443 } else { 80 }
}

/// One segment of a path: everything but letters, digits and `-._~` is percent-encoded.
///
/// Source: RFC 3986, section 2.3.
pub fn path_segment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                out.push(char::from(byte));
            }
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

/// The origin that a `location` header points to, for an error message; never its path or query.
pub(super) fn origin_of(location: &str, from: &BaseUrl) -> String {
    let Ok(uri) = location.parse::<Uri>() else { return "an address that cannot be read".into() };
    match (uri.scheme_str(), uri.host(), uri.port_u16()) {
        (Some(scheme), Some(host), Some(port)) => format!("{scheme}://{host}:{port}"),
        (Some(scheme), Some(host), None) => format!("{scheme}://{host}"),
        (Some(_) | None, _, _) => from.origin(),
    }
}
