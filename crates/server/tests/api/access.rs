//! Access: codes, tokens, failed logins, and where a token must never be stored.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::Request;
use dormouse_server::{AllowedHosts, Authenticator, Hardening};
use serde_json::{Value, json};

use crate::contract::CONTRACT;
use crate::world::{Answer, Still, World, answer};

/// The token that the data folder holds.
const OWNER: &str = "the owner's";

/// The API of a world with authentication.
struct House {
    world: World,
    router: Router,
}

impl House {
    fn new() -> Self {
        let world = World::new();
        let hardening = Hardening::new(AllowedHosts::new(80, None), Arc::new(Still));
        let authenticator = Authenticator::new(OWNER, Arc::new(Still));
        let router = dormouse_server::listener(world.dormouse(), authenticator, &hardening);
        Self { world, router }
    }

    /// Asks as the page of the server would.
    async fn ask(&self, method: &str, path: &str, token: &str, body: &str) -> Answer {
        let mut request = Request::builder().method(method).uri(path);
        request = request.header("host", "localhost").header("origin", "http://localhost");
        if !token.is_empty() {
            request = request.header("authorization", format!("Bearer {token}"));
        }
        if !body.is_empty() {
            request = request.header("content-type", "application/json");
        }
        let request = request.body(Body::from(body.to_owned())).expect("a request");
        let answer = answer(&self.router, request).await;
        let place = path.split('?').next().unwrap_or(path);
        if CONTRACT.operation(method, place).is_some() {
            CONTRACT.check(method, path, &answer);
        }
        answer
    }

    async fn code(&self) -> String {
        let made = self.ask("POST", "/api/access/codes", OWNER, "").await;
        assert_eq!(made.status, 201, "{}", made.rendered());
        text(&made.json()["code"])
    }

    async fn exchange(&self, code: &str) -> Answer {
        let body = json!({"code": code}).to_string();
        self.ask("POST", "/api/access/exchange", "", &body).await
    }

    async fn token(&self, body: &Value) -> Value {
        let made = self.ask("POST", "/api/tokens", OWNER, &body.to_string()).await;
        assert_eq!(made.status, 201, "{}", made.rendered());
        made.json()
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn refused(answer: &Answer, status: u16, slug: &str) {
    let kind = text(&answer.json()["type"]);
    assert_eq!((answer.status, kind.as_str()), (status, &*format!("/problems/{slug}")));
}

#[tokio::test]
async fn a_page_exchanges_its_code_for_a_token_once() {
    let house = House::new();
    let code = house.code().await;
    let page = house.exchange(&code).await;
    assert_eq!(page.status, 200, "{}", page.rendered());
    let token = text(&page.json()["token"]);
    assert_eq!(page.json()["scopes"], json!(["read", "propose", "edit", "decide", "admin"]));
    assert_eq!(page.json()["expiresAt"], "2026-05-31T09:00:00Z");
    let who = house.ask("GET", "/api/access", &token, "").await.json();
    let tokens = house.ask("GET", "/api/tokens", &token, "").await.json();
    let own = &tokens["items"][0];
    assert_eq!(who["actor"], format!("token:{}", text(&own["id"])));
    assert_eq!(who["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(who["server"], json!({"model": "builtin", "isLocal": true, "zone": "UTC"}));
    assert_eq!((&own["name"], &own["isOwn"]), (&json!("Page"), &json!(true)));
    let again = house.exchange(&code).await;
    refused(&again, 401, "code-refused");
    assert_eq!(again.header("www-authenticate"), Some("Bearer"));
    assert!(!again.body.contains(&code), "{}", again.rendered());
    let owner = house.ask("GET", "/api/access", OWNER, "").await.json();
    assert_eq!(owner["actor"], "owner");
}

#[tokio::test]
async fn a_revoked_token_is_out_at_once() {
    let house = House::new();
    let made = house.token(&json!({"name": "Script", "scopes": ["read"]})).await;
    let (token, id) = (text(&made["token"]), text(&made["details"]["id"]));
    let look = async || house.ask("GET", "/api/overview", &token, "").await;
    assert_eq!(look().await.status, 200);
    let gone = house.ask("DELETE", &format!("/api/tokens/{id}"), OWNER, "").await;
    assert_eq!(gone.json()["isLive"], false, "{}", gone.rendered());
    refused(&look().await, 401, "token-missing");
}

#[tokio::test]
async fn what_a_token_is_made_from_is_named_where_it_is_wrong() {
    let house = House::new();
    let wrong = json!({"name": "x", "scopes": ["read", "rule"], "kind": "robot"});
    let answer = house.ask("POST", "/api/tokens", OWNER, &wrong.to_string()).await;
    refused(&answer, 422, "validation-failed");
    let errors = answer.json()["errors"].clone();
    assert_eq!(
        (&errors[0]["pointer"], &errors[1]["pointer"]),
        (&json!("/scopes/1"), &json!("/kind"))
    );
    for (body, pointer) in [
        (json!({"name": "x", "scopes": ["decide"], "kind": "agent"}), "/scopes"),
        (json!({"name": "", "scopes": ["read"]}), "/name"),
        (json!({"name": "x", "scopes": ["read"], "expiresInDays": 0}), "/expiresInDays"),
    ] {
        let answer = house.ask("POST", "/api/tokens", OWNER, &body.to_string()).await;
        refused(&answer, 422, "validation-failed");
        assert_eq!(answer.json()["errors"][0]["pointer"], pointer, "{}", answer.rendered());
    }
}

#[tokio::test]
async fn the_eleventh_failed_login_must_wait_and_a_right_one_need_not() {
    let house = House::new();
    let wrong = format!("dm_{}", "A".repeat(43));
    for n in 1..=10 {
        let answer = match n % 2 {
            0 => house.ask("GET", "/api/overview", &wrong, "").await,
            _ => house.exchange("wrong").await,
        };
        assert_eq!(answer.status, 401, "{n}: {}", answer.rendered());
    }
    for (n, wait) in [(11, "1"), (12, "2"), (13, "4")] {
        let answer = match n % 2 {
            0 => house.ask("GET", "/api/overview", &wrong, "").await,
            _ => house.exchange("wrong").await,
        };
        refused(&answer, 429, "rate-limited");
        assert_eq!(answer.header("retry-after"), Some(wait), "{n}: {}", answer.rendered());
    }
    let nobody = house.ask("GET", "/api/overview", "", "").await;
    refused(&nobody, 401, "token-missing");
    let code = house.code().await;
    let page = house.exchange(&code).await;
    assert_eq!(page.status, 200, "nobody locks another one out: {}", page.rendered());
    let token = text(&page.json()["token"]);
    assert_eq!(house.ask("GET", "/api/overview", &token, "").await.status, 200);
}

#[tokio::test]
async fn a_token_in_an_address_is_refused_whether_it_works_or_not() {
    let house = House::new();
    let made = house.token(&json!({"name": "Script", "scopes": ["read"]})).await;
    let token = text(&made["token"]);
    for path in [
        format!("/api/overview?token={token}"),
        format!("/api/overview?access_token={token}"),
        format!("/api/journal/tasks?q={token}"),
        format!("/api/tokens/{token}"),
        format!("/?x={token}"),
        format!("/healthz?{}", token.replace('_', "%5F")),
        "/api/overview?token=something".to_owned(),
    ] {
        for shown in ["", token.as_str()] {
            let answer = house.ask("GET", &path, shown, "").await;
            refused(&answer, 400, "token-in-url");
            assert!(!answer.body.contains(&token), "{}", answer.rendered());
        }
    }
}

#[tokio::test]
async fn who_has_no_door_has_no_caller() {
    let world = World::new();
    let hardening = Hardening::new(AllowedHosts::new(80, None), Arc::new(Still));
    let router = dormouse_server::listener(
        world.dormouse(),
        Authenticator::new("", Arc::new(Still)),
        &hardening,
    );
    for path in ["/api//overview", "/api/overview/", "/%61pi/overview", "//api/overview"] {
        let request = Request::get(path).header("host", "localhost").body(Body::empty());
        let answer = answer(&router, request.expect("a request")).await;
        assert!(answer.status >= 400, "{path}: {}", answer.rendered());
        assert!(!answer.body.contains("openTasks"), "{path}: {}", answer.rendered());
    }
    let request = Request::get("/api/overview").header("host", "localhost");
    let request = request.header("authorization", "Bearer ").body(Body::empty());
    let answer = answer(&router, request.expect("a request")).await;
    refused(&answer, 401, "token-missing");
}

/// A secret is in one response: in no other one, and in no byte of the databases.
#[tokio::test]
async fn a_secret_is_shown_once_and_stored_nowhere() {
    let house = House::new();
    let code = house.code().await;
    let page = text(&house.exchange(&code).await.json()["token"]);
    let made = house.token(&json!({"name": "Script", "scopes": ["read", "edit"]})).await;
    let (token, id) = (text(&made["token"]), text(&made["details"]["id"]));
    let ticket = house.ask("POST", "/api/ws-tickets", &page, "").await;
    let ticket = text(&ticket.json()["ticket"]);
    let secrets = [&code, &page, &token, &ticket].map(|text| text.trim_start_matches("dm_"));
    let mut answers = Vec::new();
    answers.push(house.exchange(&code).await);
    answers.push(house.exchange(&token).await);
    for (path, who) in [
        ("/api/access", &page),
        ("/api/access", &token),
        ("/api/tokens", &page),
        ("/api/export", &page),
        ("/api/overview", &token),
    ] {
        answers.push(house.ask("GET", path, who, "").await);
    }
    let task = house.ask("POST", "/api/journal/tasks", &token, r#"{"title": "x"}"#).await;
    assert_eq!(task.status, 201, "{}", task.rendered());
    answers.push(task);
    answers.push(house.ask("DELETE", &format!("/api/tokens/{id}"), &page, "").await);
    answers.push(house.ask("GET", "/api/overview", &token, "").await);
    for answer in &answers {
        let leaks = secrets.iter().any(|secret| answer.body.contains(secret));
        assert!(!leaks, "{}", answer.rendered());
    }
    let bytes = house.world.bytes();
    assert!(bytes.len() > 10_000, "the databases are read");
    let holds = |text: &str| bytes.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(holds(&id), "the name of the token is kept");
    for secret in secrets {
        assert!(!holds(secret), "{secret}");
    }
}
