//! Which hosts and origins are accepted: rules over text.
//!
//! A page in a browser can send requests to local ports, and its hostname can be made to resolve to
//! this machine. Two headers that no page can forge identify such requests: `Host` names the
//! requested host, `Origin` the requesting page.

use std::fmt;
use std::str::FromStr;

use axum::http::{HeaderMap, Method, header};

/// The local hostnames of a listener.
const LOOPBACK: [&str; 3] = ["127.0.0.1", "localhost", "[::1]"];

/// The hostnames a listener accepts: the local ones with its port, and that of a proxy in front of
/// it, if any.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowedHosts {
    port: u16,
    public: Option<PublicUrl>,
}

/// The public URL of the server, through a proxy that terminates TLS.
///
/// Shape: `https://name` or `https://name:port`, in lower case, without a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicUrl {
    authority: String,
}

/// A text is not a valid proxy URL.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{0}` is not a proxy address: write https and its name without a path, such as https://tasks.example"
)]
pub struct NoPublicUrl(String);

/// Why a request is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Foreign {
    /// It names a host that this server does not serve.
    Host,
    /// It was sent by a page of another origin, or its sender cannot be determined.
    Origin,
}

impl AllowedHosts {
    /// The local names with this port, and the proxy's name.
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
                // A browser omits the default port of the scheme and includes any other.
                local && parted(host).1 != Some("80") && self.is_named(host)
            }
            Some(("https", host)) => {
                self.public.as_ref().is_some_and(|public| public.authority == host)
            }
            Some(_) | None => false,
        }
    }

    /// The accepted addresses, for error messages.
    pub fn names(&self) -> String {
        let port = self.port;
        match &self.public {
            None => format!("127.0.0.1, localhost and [::1] with port {port}"),
            Some(public) => {
                format!("{public}, and 127.0.0.1, localhost and [::1] with port {port}")
            }
        }
    }

    /// Checks a request by its headers, before anything else.
    ///
    /// A request that changes something, or opens a WebSocket, must name its page, as browsers
    /// always do. Without one, it must carry a token, open a WebSocket with a ticket, or go to an
    /// address whose calls are signed (`is_signed`).
    pub fn judge(
        &self,
        method: &Method,
        headers: &HeaderMap,
        is_signed: bool,
    ) -> Result<(), Foreign> {
        let text = |name: header::HeaderName| {
            let mut all = headers.get_all(name).into_iter();
            let first = all.next().map(|value| value.to_str().unwrap_or("?"));
            // A repeated header is ambiguous.
            if all.next().is_some() { Some("?") } else { first }
        };
        if !text(header::HOST).is_some_and(|host| self.is_named(host)) {
            return Err(Foreign::Host);
        }
        let opens_socket = headers.contains_key(header::UPGRADE);
        if is_safe(method) && !opens_socket {
            return Ok(());
        }
        // A page on another local port is same-site, but still foreign.
        let site = text(header::HeaderName::from_static("sec-fetch-site"));
        if !matches!(site, None | Some("same-origin" | "none")) {
            return Err(Foreign::Origin);
        }
        let may = match text(header::ORIGIN) {
            Some(origin) => self.is_allowed(origin),
            None => opens_socket || is_signed || shows_token(headers),
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
        // Brackets enclose the colons of an IPv6 address; the only other colon precedes the port.
        let is_plain = name.starts_with('[') == name.contains(':');
        if name.is_empty() || !name.chars().all(is_name) || !is_port || !is_plain {
            return Err(wrong());
        }
        Ok(Self { authority: authority.to_owned() })
    }
}

/// Whether this method is read-only.
pub fn is_safe(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD | Method::OPTIONS)
}

/// Whether there is a bearer token; authentication checks later whether it is valid.
fn shows_token(headers: &HeaderMap) -> bool {
    let given = headers.get(header::AUTHORIZATION).map_or(&[][..], |value| value.as_bytes());
    given
        .split_at_checked(7)
        .is_some_and(|(scheme, token)| scheme.eq_ignore_ascii_case(b"bearer ") && !token.is_empty())
}

/// Splits a name and its port. A colon in a bare IPv6 address does not precede a port.
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
        AllowedHosts::new(7330, None).judge(method, &named(headers), false)
    }

    fn named(headers: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut all = HeaderMap::new();
        all.insert("host", HeaderValue::from_static("127.0.0.1:7330"));
        for (name, value) in headers {
            all.append(HeaderName::from_static(name), HeaderValue::from_static(value));
        }
        all
    }

    #[test]
    fn a_signed_call_needs_no_page_and_comes_from_no_foreign_one() {
        let judge = |headers: &[(&'static str, &'static str)]| {
            AllowedHosts::new(7330, None).judge(&Method::POST, &named(headers), true)
        };
        assert_eq!(judge(&[]), Ok(()));
        assert_eq!(judge(&[("origin", "https://evil.example")]), Err(Foreign::Origin));
        assert_eq!(judge(&[("sec-fetch-site", "cross-site")]), Err(Foreign::Origin));
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
        let none = AllowedHosts::new(7330, None).judge(&Method::GET, &HeaderMap::new(), false);
        assert_eq!(none, Err(Foreign::Host));
    }
}
