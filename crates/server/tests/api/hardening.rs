//! Whose requests are looked at, how large and how slow they may be, and what every answer says to a
//! browser: on every route, over a real connection.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use axum::Router;
use dormouse_types::limits::{self, HEADERS, URL};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::time::{Instant, advance, timeout};

use crate::contract::{CONTRACT, filled};
use crate::site::{Line, Site, TOKEN};
use crate::world::{Answer, World};

const METHODS: [&str; 7] = ["GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"];
const KINDS: [Option<&str>; 4] =
    [None, Some("application/json"), Some("text/markdown"), Some("text/plain")];

/// One request of the table.
#[derive(Debug, Clone, Copy)]
struct Case<'a> {
    method: &'a str,
    host: &'a str,
    origin: Option<&'a str>,
    kind: Option<&'a str>,
    has_token: bool,
}

/// What the document has at a path.
struct Place {
    path: String,
    methods: Vec<String>,
    /// The kinds of the bodies that its methods take.
    kinds: Vec<String>,
    needs_token: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Refused(u16, &'static str),
    /// The route answers, whatever it says.
    Through,
}

/// The whole rule. `ours` are the host and the origin of the listener.
fn expected(case: Case<'_>, place: &Place, ours: (&str, &str)) -> Verdict {
    let is_change = !matches!(case.method, "GET" | "HEAD" | "OPTIONS");
    // A call of a hook is signed instead, and its body is any text.
    let is_signed = place.path.starts_with("/api/hooks/");
    let may_ask = match case.origin {
        Some(origin) => origin == ours.1,
        None => case.has_token || is_signed,
    };
    let is_read =
        is_signed || case.kind.is_none_or(|kind| place.kinds.iter().any(|known| known == kind));
    let method = if case.method == "HEAD" { "GET" } else { case.method };
    if case.host != ours.0 {
        Verdict::Refused(421, "misdirected-request")
    } else if is_change && !may_ask {
        Verdict::Refused(403, "origin-refused")
    } else if place.needs_token && !case.has_token && case.method != "OPTIONS" {
        Verdict::Refused(401, "token-missing")
    } else if is_change && !is_read {
        Verdict::Refused(415, "unsupported-media-type")
    } else if !place.methods.iter().any(|known| known == method) {
        Verdict::Refused(405, "method-not-allowed")
    } else {
        Verdict::Through
    }
}

fn places() -> Vec<Place> {
    let mut places: BTreeMap<&str, Place> = BTreeMap::new();
    for operation in &CONTRACT.operations {
        let place = places.entry(&operation.path).or_insert_with(|| Place {
            path: filled(&operation.path),
            methods: Vec::new(),
            kinds: Vec::new(),
            needs_token: true,
        });
        place.methods.push(operation.method.clone());
        place.needs_token &= operation.says["security"] != json!([]);
        let content = operation.says["requestBody"]["content"].as_object();
        place.kinds.extend(content.into_iter().flatten().map(|(kind, _)| kind.clone()));
    }
    for place in places.values_mut().filter(|place| place.kinds.is_empty()) {
        place.kinds.push("application/json".to_owned());
    }
    places.into_values().collect()
}

async fn send(line: &mut Line, place: &Place, case: Case<'_>) -> Answer {
    let token = format!("Bearer {TOKEN}");
    let mut headers = vec![("host", case.host)];
    headers.extend(case.has_token.then_some(("authorization", token.as_str())));
    headers.extend(case.origin.map(|origin| ("origin", origin)));
    headers.extend(case.kind.map(|kind| ("content-type", kind)));
    let body = if case.kind.is_some() { "{}" } else { "" };
    line.ask(case.method, &place.path, &headers, body).await
}

fn check(case: Case<'_>, place: &Place, wanted: Verdict, answer: &Answer) {
    let shown = || format!("{} {case:?}: wanted {wanted:?}, got {}", place.path, answer.rendered());
    let slug = || match serde_json::from_str::<Value>(&answer.body) {
        Ok(body) => body["type"].as_str().unwrap_or_default().replace("/problems/", ""),
        Err(_) => String::new(),
    };
    match wanted {
        Verdict::Refused(status, problem) => {
            assert_eq!(answer.status, status, "{}", shown());
            // The answer to HEAD has no body.
            assert!(case.method == "HEAD" || slug() == problem, "{}", shown());
        }
        Verdict::Through => {
            let ours = ["misdirected-request", "origin-refused", "unsupported-media-type"];
            assert!(!ours.contains(&slug().as_str()), "{}", shown());
            assert!(answer.status != 405, "{}", shown());
            assert!(answer.status != 401 || !place.needs_token, "{}", shown());
        }
    }
    let allows = answer.headers.iter().find(|(name, _)| name.starts_with("access-control-"));
    assert_eq!(allows, None, "no other origin is ever let in: {}", shown());
    assert!(answer.header("content-security-policy").is_some(), "{}", shown());
}

#[tokio::test]
async fn every_route_looks_at_host_origin_token_and_kind_in_the_same_way() {
    let world = World::new();
    let site = Site::of(&world).await;
    let mut line = site.line();
    let (host, origin) = (site.host(), format!("http://{}", site.host()));
    let origins = [None, Some(origin.as_str()), Some("https://evil.example"), Some("null")];
    let places = places();
    for place in &places {
        for method in METHODS {
            let is_change = !matches!(method, "GET" | "HEAD" | "OPTIONS");
            for host_sent in [host.as_str(), "evil.example"] {
                for origin_sent in origins {
                    for kind in KINDS.into_iter().filter(|kind| kind.is_none() || is_change) {
                        for has_token in [true, false] {
                            let (host, origin) = (host_sent, origin_sent);
                            let case = Case { method, host, origin, kind, has_token };
                            let ours = (site.host(), format!("http://{}", site.host()));
                            let wanted = expected(case, place, (&ours.0, &ours.1));
                            let answer = send(&mut line, place, case).await;
                            check(case, place, wanted, &answer);
                        }
                    }
                }
            }
        }
    }
    assert!(places.len() > 40, "the document has routes");
}

#[tokio::test]
async fn the_problem_of_a_wrong_method_does_not_repeat_the_address() {
    let world = World::new();
    let site = Site::of(&world).await;
    let (host, token) = (site.host(), format!("Bearer {TOKEN}"));
    let ours = [("host", host.as_str()), ("authorization", token.as_str())];
    let mut line = site.line();
    for path in [format!("/{TOKEN}"), format!("/api/agents/{TOKEN}/wake")] {
        let answer = line.ask("PUT", &path, &ours, "").await;
        assert_eq!(answer.status, 405, "{}", answer.rendered());
        assert!(answer.header("allow").is_some(), "{}", answer.rendered());
        assert!(!answer.rendered().contains(TOKEN), "it may hold a secret: {}", answer.rendered());
    }
}

#[tokio::test]
async fn a_page_on_another_port_of_this_machine_changes_nothing() {
    let world = World::new();
    let site = Site::of(&world).await;
    let (host, token) = (site.host(), format!("Bearer {TOKEN}"));
    let origin = format!("http://{host}");
    let other = format!("http://127.0.0.1:{}", site.address.port().wrapping_add(1));
    let headers = |origin, fetched| {
        let all = [("host", host.as_str()), ("authorization", token.as_str())];
        let all = all.into_iter().chain([("content-type", "application/json"), ("origin", origin)]);
        all.chain([("sec-fetch-site", fetched)]).collect::<Vec<_>>()
    };
    let mut line = site.line();
    for (origin, fetched, status) in [
        (origin.as_str(), "same-origin", 201),
        (&other, "same-site", 403),
        (&origin, "same-site", 403),
        (&origin, "cross-site", 403),
    ] {
        let headers = headers(origin, fetched);
        let answer = line.ask("POST", "/api/journal/tasks", &headers, r#"{"title": "x"}"#).await;
        assert_eq!(answer.status, status, "{origin} {fetched}: {}", answer.rendered());
    }
    let mut socket = headers("https://evil.example", "cross-site");
    socket.extend([("connection", "upgrade"), ("upgrade", "websocket")]);
    let answer = line.ask("GET", "/api/ws", &socket, "").await;
    assert_eq!(answer.json()["type"], "/problems/origin-refused", "{}", answer.rendered());
}

#[tokio::test]
async fn refusals_read_like_this_on_the_wire() {
    let world = World::new();
    let site = Site::of(&world).await;
    let (host, token) = (site.host(), format!("Bearer {TOKEN}"));
    let ours = [("host", host.as_str()), ("authorization", token.as_str())];
    let with = |header| [&ours[..], &[header]].concat();
    let mut line = site.line();
    let long = format!("/api/overview?{}", "x".repeat(URL.max));
    let large = "x".repeat(HEADERS.max);
    // Headers that every answer has are shown once.
    let (mut shown, mut known) = (String::new(), BTreeSet::new());
    for (method, path, headers, body) in [
        ("GET", "/api/overview", vec![("host", "evil.example")], ""),
        ("POST", "/api/journal/tasks", with(("origin", "https://evil.example")), "{}"),
        ("POST", "/api/journal/tasks", with(("content-type", "text/plain")), "{}"),
        ("GET", long.as_str(), ours.to_vec(), ""),
        ("GET", "/api/overview", with(("x-large", &large)), ""),
        ("POST", "/", ours.to_vec(), ""),
        ("GET", "/assets/old.js", vec![("host", host.as_str())], ""),
    ] {
        let mut answer = line.ask(method, path, &headers, body).await;
        answer
            .headers
            .retain(|header| header.0 != "content-length" && known.insert(header.clone()));
        shown.push_str(&format!("{method} {path:.30}\n{}\n\n", answer.rendered()));
    }
    let port = format!("port {}", site.address.port());
    let used = headers_size(&ours) + "x-large".len() + 4 + large.len();
    let shown = shown.replace(&port, "port PORT").replace(&used.to_string(), "USED");
    insta::assert_snapshot!(shown);
}

fn headers_size(headers: &[(&str, &str)]) -> usize {
    headers.iter().map(|(name, value)| name.len() + value.len() + 4).sum()
}

#[tokio::test]
async fn an_address_and_headers_have_a_size() {
    let world = World::new();
    let site = Site::of(&world).await;
    let (host, token) = (site.host(), format!("Bearer {TOKEN}"));
    let ours = [("host", host.as_str()), ("authorization", token.as_str())];
    let mut line = site.line();
    for (more, status) in [(0, 200), (1, 414)] {
        let start = "/api/overview?";
        let path = format!("{start}{}", "x".repeat(URL.max - start.len() + more));
        assert_eq!(line.ask("GET", &path, &ours, "").await.status, status, "{more} more");
    }
    let used = headers_size(&ours);
    for (more, status) in [(0, 200), (1, 431)] {
        let value = "x".repeat(HEADERS.max - used - "x-large".len() - 4 + more);
        let headers = [&ours[..], &[("x-large", value.as_str())]].concat();
        let answer = line.ask("GET", "/api/overview", &headers, "").await;
        assert_eq!(answer.status, status, "{more} more: {}", answer.rendered());
    }
    let mut stream = TcpStream::connect(site.address).await.expect("the server listens");
    let head = format!("GET / HTTP/1.1\r\nHost: {host}\r\nX-Large: {}", "x".repeat(200_000));
    // The server answers before all of it was sent: then the rest cannot be.
    let _cut_off = stream.write_all(head.as_bytes()).await;
    let mut answer = Vec::new();
    let _reset = stream.read_to_end(&mut answer).await;
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 431 "), "{answer}");
}

#[tokio::test]
async fn a_body_has_a_shape() {
    let world = World::new();
    let nested = |depth: usize| {
        let (open, close) = ("[".repeat(depth - 1), "]".repeat(depth - 1));
        format!("{{\"title\": {open}{close}}}")
    };
    let titled = |size: usize| format!(r#"{{"title": "{}"}}"#, "x".repeat(size));
    let members = |count: usize| {
        let members: Vec<_> = (0..count).map(|n| format!("\"m{n}\": 1")).collect();
        format!("{{{}}}", members.join(","))
    };
    for (limit, body) in [
        (limits::JSON_DEPTH, &nested as &dyn Fn(usize) -> String),
        (limits::JSON_STRING, &titled),
        (limits::JSON_MEMBERS, &members),
    ] {
        let at_limit = world.call("POST", "/api/journal/tasks", &body(limit.max)).await;
        assert_eq!(at_limit.status, 422, "it was read, and is no task: {}", at_limit.body);
        let beyond = world.call("POST", "/api/journal/tasks", &body(limit.max + 1)).await;
        let problem = beyond.json();
        assert_eq!((beyond.status, &problem["type"]), (400, &json!("/problems/malformed-json")));
        assert_eq!(problem["limit"], limit.max, "{problem}");
        assert_eq!(problem["actual"], limit.max + 1, "{problem}");
    }
}

#[tokio::test]
async fn the_page_needs_no_token_and_says_what_it_may_do() {
    let world = World::new();
    let site = Site::of(&world).await;
    let host = site.host();
    let browser =
        [("host", host.as_str()), ("accept", "text/html,application/xhtml+xml,*/*;q=0.8")];
    let mut line = site.line();
    for path in ["/", "/tasks/jt-1", "/agents?x=1"] {
        let answer = line.ask("GET", path, &browser, "").await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.rendered());
        assert_eq!(answer.header("content-type"), Some("text/html; charset=utf-8"));
        assert_eq!(answer.header("cache-control"), Some("no-cache"));
        let etag = answer.header("etag").expect("a page has a name").to_owned();
        let known = [&browser[..], &[("if-none-match", etag.as_str())]].concat();
        let again = line.ask("GET", path, &known, "").await;
        assert_eq!((again.status, again.body.as_str()), (304, ""));
    }
    let program = [("host", host.as_str()), ("accept", "*/*")];
    assert_eq!(line.ask("GET", "/tasks/jt-1", &program, "").await.status, 404);
    let head = line.ask("HEAD", "/", &browser, "").await;
    assert_eq!((head.status, head.body.as_str()), (200, ""));
    let refused = line.ask("GET", "/api/overview", &browser, "").await;
    assert_eq!((refused.status, refused.header("cache-control")), (401, Some("no-store")));
    let policy = refused.header("content-security-policy").unwrap_or_default();
    for part in [
        "default-src 'none'",
        "script-src 'self';",
        "connect-src 'self';",
        "base-uri 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types dormouse dompurify svelte-trusted-html",
    ] {
        assert!(policy.contains(part), "{part}: {policy}");
    }
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(refused.header("x-content-type-options"), Some("nosniff"));
    assert_eq!(refused.header("referrer-policy"), Some("no-referrer"));
    assert_eq!(refused.header("cross-origin-resource-policy"), Some("same-origin"));
    assert_eq!(refused.header("cross-origin-opener-policy"), Some("same-origin"));
}

#[tokio::test]
async fn the_type_of_a_problem_leads_to_its_page() {
    let world = World::new();
    let site = Site::of(&world).await;
    let mut line = site.line();
    let host = site.host();
    let wrong = line.ask("GET", "/api/overview", &[("host", &host)], "").await.json();
    let path = wrong["type"].as_str().expect("a problem has a type").to_owned();
    let page = line.ask("GET", &path, &[("host", &host)], "").await;
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    let title = format!("<h1>{}</h1>", wrong["title"].as_str().unwrap_or_default());
    assert!(page.body.contains(&title), "{}", page.body);
    assert!(page.body.contains("<h2>What to do</h2>") && !page.body.contains("<script"));
    assert_eq!(line.ask("GET", "/problems/none", &[("host", &host)], "").await.status, 404);
}

fn greeting() -> Router {
    Router::new().fallback(async || "hello")
}

async fn greet(site: &Site) -> String {
    site.line().ask("GET", "/", &[("host", "any")], "").await.body
}

#[tokio::test(start_paused = true)]
async fn a_client_that_never_ends_its_head_is_closed_and_others_are_served_meanwhile() {
    let site = Site::new(|_port| greeting()).await;
    let begun = Instant::now();
    let mut silent = TcpStream::connect(site.address).await.expect("the server listens");
    let mut slow = TcpStream::connect(site.address).await.expect("the server listens");
    for byte in b"GET /" {
        slow.write_all(&[*byte]).await.expect("the server listens still");
        assert_eq!(greet(&site).await, "hello");
        advance(Duration::from_secs(1)).await;
    }
    for stream in [&mut slow, &mut silent] {
        let mut answer = Vec::new();
        let closed = timeout(Duration::from_secs(60), stream.read_to_end(&mut answer)).await;
        closed.expect("it is closed at all").expect("it is closed in order");
        let answer = String::from_utf8_lossy(&answer);
        assert!(!answer.contains("200"), "{answer}");
    }
    let waited = begun.elapsed().as_secs();
    assert!((limits::HEAD_SECONDS..limits::HEAD_SECONDS + 6).contains(&waited), "{waited} s");
    assert_eq!(greet(&site).await, "hello");
}
