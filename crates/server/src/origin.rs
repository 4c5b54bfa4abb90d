//! Which hosts and origins are ours: rules over text.
//!
//! A page in a browser can send requests to a port of the machine it runs on, and a name of its own
//! can be made to point here. Two headers, which no page can forge, tell such requests apart: the
//! `Host` says which name was asked for, the `Origin` which page asks.

use std::fmt;
use std::str::FromStr;

use axum::http::{HeaderMap, Method, header};

/// The names under which a listener can be asked on its own machine.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// The names under which a listener may be asked: those of its own machine with its port, and that
/// of a proxy, if one stands before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedHosts {
    port: u16,
    public: Option<PublicUrl>,
}

/// The address under which people reach the server through a proxy that ends TLS.
///
/// Shape: `https://name` or `https://name:port`, in small letters, without a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    authority: String,
}

/// A text is no address of a proxy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is no address of a proxy: write https, its name and nothing behind it, such as https://tasks.example"
)]
pub struct NoPublicUrl(String);

/// Why a request is not ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// It asks for a name that this server does not have.
    Host,
    /// It was sent by a page of another origin, or by nobody who can be told.
    Origin,
}

impl AllowedHosts {
    /// Names of this machine with this port, and the proxy's.
    pub fn new(port: u16, public: Option<PublicUrl>) -> Self {
        Self { port, public }
    }

    /// Whether a `Host` header names this server.
    pub fn is_named(&self, host: &str) -> bool {
        let (name, port) = parted(host);
        let local = LOOPBACK.iter().any(|known| name.eq_ignore_ascii_case(known))
            && port.map_or(Some(80), |port| port.parse().ok()) == Some(self.port);
        local || self.public.as_ref().is_some_and(|public| public.is_named(host))
    }

    /// Whether an `Origin` header names a page of this server.
    pub fn is_allowed(&self, origin: &str) -> bool {
        match origin.split_once("://") {
            Some(("http", host)) => {
                let local = LOOPBACK.contains(&parted(host).0);
                // A browser leaves out the port of the scheme and writes every other one.
                local && parted(host).1 != Some("80") && self.is_named(host)
            }
            Some(("https", host)) => {
                self.public.as_ref().is_some_and(|public| public.authority == host)
            }
            Some(_) | None => false,
        }
    }

    /// The addresses under which it can be asked, for people.
    pub fn names(&self) -> String {
        let port = self.port;
        match &self.public {
            None => format!("127.0.0.1, localhost and [::1] with port {port}"),
            Some(public) => {
                format!("{public}, and 127.0.0.1, localhost and [::1] with port {port}")
            }
        }
    }

    /// Judges a request by its headers, before anything else is looked at.
    ///
    /// A request that changes something, or opens a WebSocket, names its page: browsers always say
    /// it. Without a page only who shows a token, or opens a WebSocket with a ticket, is let
    /// through.
    pub fn judge(&self, method: &Method, headers: &HeaderMap) -> Result<(), Foreign> {
        let text = |name: header::HeaderName| {
            let mut all = headers.get_all(name).into_iter();
            let first = all.next().map(|value| value.to_str().unwrap_or("?"));
            // Said twice is not said clearly.
            if all.next().is_some() { Some("?") } else { first }
        };
        if !text(header::HOST).is_some_and(|host| self.is_named(host)) {
            return Err(Foreign::Host);
        }
        let opens_socket = headers.contains_key(header::UPGRADE);
        if is_safe(method) && !opens_socket {
            return Ok(());
        }
        // A page on another port of this machine is of the same site, and not ours either.
        let site = text(header::HeaderName::from_static("sec-fetch-site"));
        if !matches!(site, None | Some("same-origin" | "none")) {
            return Err(Foreign::Origin);
        }
        let may = match text(header::ORIGIN) {
            Some(origin) => self.is_allowed(origin),
            None => opens_socket || shows_token(headers),
        };
        if may { Ok(()) } else { Err(Foreign::Origin) }
    }
}

impl PublicUrl {
    fn is_named(&self, host: &str) -> bool {
        let host = host.strip_suffix(":443").unwrap_or(host);
        self.authority.eq_ignore_ascii_case(host)
    }
}

impl fmt::Display for PublicUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "https://{}", self.authority)
    }
}

impl FromStr for PublicUrl {
    type Err = NoPublicUrl;

    fn from_str(text: &str) -> Result<Self, NoPublicUrl> {
        let wrong = || NoPublicUrl(text.to_owned());
        let lower = text.to_ascii_lowercase();
        let authority = lower.strip_prefix("https://").ok_or_else(wrong)?;
        let authority = authority.strip_suffix('/').unwrap_or(authority);
        let authority = authority.strip_suffix(":443").unwrap_or(authority);
        let (name, port) = parted(authority);
        let is_name = |c: char| c.is_ascii_alphanumeric() || ".-[]:".contains(c);
        let is_port = port.is_none_or(|port| port.parse::<u16>().is_ok_and(|port| port > 0));
        // Brackets hold the colons of an address; outside of them there is but the port's.
        let is_plain = name.starts_with('[') == name.contains(':');
        if name.is_empty() || !name.chars().all(is_name) || !is_port || !is_plain {
            return Err(wrong());
        }
        Ok(Self { authority: authority.to_owned() })
    }
}

/// Whether a request of this method changes nothing.
pub fn is_safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Whether a bearer token is shown; whether it is a good one is asked at the auth.
fn shows_token(headers: &HeaderMap) -> bool {
    let given = headers.get(header::AUTHORIZATION).map_or(&[][..], |value| value.as_bytes());
    given
        .split_at_checked(7)
        .is_some_and(|(scheme, token)| scheme.eq_ignore_ascii_case(b"bearer ") && !token.is_empty())
}

/// A name and its port. The colons of a bare IPv6 address are none before a port.
fn parted(host: &str) -> (&str, Option<&str>) {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.ends_with(']') => (name, Some(port)),
        Some(_) | None => (host, None),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::{HeaderName, HeaderValue};

    use super::*;

    fn proxied() -> AllowedHosts {
        AllowedHosts::new(7330, Some("https://tasks.example".parse().expect("an address")))
    }

    #[test]
    fn a_host_is_a_name_of_this_machine_with_this_port_or_the_proxys() {
        let local = AllowedHosts::new(7330, None);
        for host in ["127.0.0.1:7330", "localhost:7330", "LocalHost:7330", "[::1]:7330"] {
            assert!(local.is_named(host) && proxied().is_named(host), "{host}");
        }
        for host in ["tasks.example", "Tasks.Example", "tasks.example:443"] {
            assert!(!local.is_named(host), "{host}");
            assert!(proxied().is_named(host), "{host}");
        }
        for host in [
            "",
            "localhost",
            "127.0.0.1:7331",
            "127.0.0.1:07330x",
            "evil.example:7330",
            "[::1]",
            "7330",
            "tasks.example:7330",
            "tasks.example.evil.example",
            "localhost.evil.example:7330",
        ] {
            assert!(!proxied().is_named(host), "{host}");
        }
        assert!(AllowedHosts::new(80, None).is_named("localhost"));
    }

    #[test]
    fn an_origin_is_ours_to_the_letter() {
        for origin in ["http://127.0.0.1:7330", "http://localhost:7330", "http://[::1]:7330"] {
            assert!(proxied().is_allowed(origin), "{origin}");
        }
        assert!(proxied().is_allowed("https://tasks.example"));
        assert!(!AllowedHosts::new(7330, None).is_allowed("https://tasks.example"));
        for origin in [
            "null",
            "",
            "http://127.0.0.1",
            "http://127.0.0.1:7331",
            "https://127.0.0.1:7330",
            "http://tasks.example",
            "https://tasks.example:443",
            "https://tasks.example/",
            "https://tasks.example.evil.example",
            "https://evil.example",
            "file://",
        ] {
            assert!(!proxied().is_allowed(origin), "{origin}");
        }
        assert!(AllowedHosts::new(80, None).is_allowed("http://localhost"));
        assert!(
            !AllowedHosts::new(80, None).is_allowed("http://localhost:80"),
            "no browser writes it so"
        );
    }

    #[test]
    fn the_address_of_a_proxy_is_https_and_a_name() {
        for (given, read) in [
            ("https://tasks.example", "https://tasks.example"),
            ("HTTPS://Tasks.Example/", "https://tasks.example"),
            ("https://tasks.example:443", "https://tasks.example"),
            ("https://tasks.example:8443", "https://tasks.example:8443"),
            ("https://[fd00::1]:8443", "https://[fd00::1]:8443"),
        ] {
            assert_eq!(given.parse::<PublicUrl>().map(|url| url.to_string()), Ok(read.to_owned()));
        }
        for wrong in [
            "",
            "tasks.example",
            "http://tasks.example",
            "https://",
            "https://tasks.example/app",
            "https://me@tasks.example",
            "https://tasks.example:0",
            "https://tasks.example:x",
            "https://a:b:1",
            "https://tasks.example?x",
        ] {
            assert!(wrong.parse::<PublicUrl>().is_err(), "{wrong}");
        }
    }

    fn judge(method: &Method, headers: &[(&'static str, &'static str)]) -> Result<(), Foreign> {
        let mut all = HeaderMap::new();
        all.insert("host", HeaderValue::from_static("127.0.0.1:7330"));
        for (name, value) in headers {
            all.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        AllowedHosts::new(7330, None).judge(method, &all)
    }

    #[test]
    fn a_change_names_its_page_or_shows_a_token() {
        let (ours, token) = (("origin", "http://127.0.0.1:7330"), ("authorization", "Bearer t"));
        let foreign = Err(Foreign::Origin);
        assert_eq!(judge(&Method::GET, &[("origin", "https://evil.example")]), Ok(()));
        for method in [Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::TRACE] {
            assert_eq!(judge(&method, &[ours]), Ok(()));
            assert_eq!(judge(&method, &[token]), Ok(()));
            assert_eq!(judge(&method, &[]), foreign);
            assert_eq!(judge(&method, &[("authorization", "Bearer ")]), foreign);
            assert_eq!(judge(&method, &[token, ("origin", "null")]), foreign);
            assert_eq!(judge(&method, &[token, ours, ours]), foreign, "said twice");
            for site in ["cross-site", "same-site", "other"] {
                assert_eq!(judge(&method, &[ours, ("sec-fetch-site", site)]), foreign);
            }
            assert_eq!(judge(&method, &[ours, ("sec-fetch-site", "same-origin")]), Ok(()));
        }
    }

    #[test]
    fn a_socket_is_opened_by_our_page_or_by_no_page() {
        let upgrade = ("upgrade", "websocket");
        assert_eq!(judge(&Method::GET, &[upgrade]), Ok(()), "its ticket is looked at later");
        assert_eq!(judge(&Method::GET, &[upgrade, ("origin", "http://localhost:7330")]), Ok(()));
        for wrong in [("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")] {
            assert_eq!(judge(&Method::GET, &[upgrade, wrong]), Err(Foreign::Origin));
        }
    }

    #[test]
    fn the_host_is_said_once() {
        assert_eq!(judge(&Method::GET, &[("host", "evil.example")]), Err(Foreign::Host));
        let none = AllowedHosts::new(7330, None).judge(&Method::GET, &HeaderMap::new());
        assert_eq!(none, Err(Foreign::Host));
    }
}
