//! Access: the one-time link, tokens while a server runs, and where a token is never stored.

use std::net::SocketAddr;

use serde_json::{Value, json};

use crate::running::{Running, send};
use crate::world::World;

/// The code of the link in a text.
fn code(text: &str) -> String {
    let (_, rest) = text.split_once("/#code=").unwrap_or_else(|| panic!("no link: {text}"));
    let is_digit = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    rest.chars().take_while(is_digit).collect()
}

/// What a page does with a code.
fn exchange(address: SocketAddr, code: &str) -> (u16, Value) {
    let (host, origin) = (address.to_string(), format!("http://{address}"));
    let headers = [("Host", &*host), ("Origin", &*origin), ("Content-Type", "application/json")];
    let body = json!({"code": code}).to_string();
    let answer = send(address, "POST", "/api/access/exchange", &headers, &body);
    let answer = answer.expect("the server answers");
    (answer.status, answer.json())
}

/// The status of an answer to somebody with this token.
fn asks(server: &Running, method: &str, path: &str, token: &str) -> u16 {
    let (host, token) = (server.notice.address.to_string(), format!("Bearer {token}"));
    let headers = [("Host", &*host), ("Authorization", &*token)];
    send(server.notice.address, method, path, &headers, "").expect("the server answers").status
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

#[test]
fn the_first_server_prints_a_link_that_lets_one_page_in() {
    let world = World::new();
    let server = world.serve(&[]);
    let link = code(&server.next_says());
    let address = server.notice.address;
    let (status, page) = exchange(address, &link);
    assert_eq!((status, &page["scopes"][3]), (200, &json!("decide")), "{page}");
    let token = text(&page["token"]);
    assert_eq!(asks(&server, "GET", "/api/overview", &token), 200);
    assert_eq!(exchange(address, &link).0, 401, "a code works once");
    server.stop();

    let server = world.serve(&[]);
    assert_eq!(asks(&server, "GET", "/api/overview", &token), 200, "it outlives the server");
    // What a server says at its start, it says before it listens.
    assert_eq!(server.says(), None, "a page is in already");
    let opened = world.ok(&["open"]);
    let prefix = format!("http://{}/#code=", server.notice.address);
    assert!(opened.out.starts_with(&prefix) && opened.out.lines().count() == 1, "{opened:?}");
    assert_eq!(exchange(server.notice.address, &code(&opened.out)).0, 200);
    let body = world.json(&["open"]);
    assert!(body["link"].as_str().is_some_and(|link| link.starts_with(&prefix)), "{body}");
    server.stop();
}

#[test]
fn a_link_needs_a_server() {
    let world = World::new();
    let done = world.run(&["open"]);
    assert_eq!((done.code, done.out.as_str()), (1, ""), "{done:?}");
    assert!(done.err.contains("no server runs") && done.err.contains("serve`"), "{done:?}");
}

#[test]
fn a_token_is_created_listed_and_revoked_with_a_server_and_without_one() {
    let world = World::new();
    let create = ["token", "create", "--name", "Script", "--scope", "read,edit", "--expires", "9"];
    let made = world.ok(&create);
    let token = made.out.trim().to_owned();
    assert!(token.starts_with("dm_") && token.len() == 46, "{made:?}");
    assert!(made.err.contains("Script: read,edit") && !made.err.contains(&token), "{made:?}");
    let server = world.serve(&[]);
    assert_eq!(asks(&server, "GET", "/api/overview", &token), 200);
    assert_eq!(asks(&server, "GET", "/api/tokens", &token), 403);
    let agent = ["token", "create", "--name", "Helper", "--scope", "propose", "--kind", "agent"];
    let agent = world.json(&agent);
    assert_eq!(agent["details"]["kind"], "agent", "{agent}");
    let wrong = ["token", "create", "--name", "x", "--scope", "decide", "--kind", "agent"];
    let refused = world.run(&wrong);
    assert_eq!(refused.code, 1, "{refused:?}");
    assert!(refused.err.contains("can never hold `decide`"), "{refused:?}");
    let unknown = world.run(&["token", "create", "--name", "x", "--scope", "rule"]);
    assert_eq!(unknown.code, 2, "{unknown:?}");
    assert!(unknown.err.contains("read, edit, decide, admin"), "{unknown:?}");
    let listed = world.ok(&["token", "list"]);
    assert!(listed.out.contains("Script") && listed.out.contains("propose"), "{listed:?}");
    world.ok(&["token", "revoke", "script"]);
    assert_eq!(asks(&server, "GET", "/api/overview", &token), 401);
    assert!(world.ok(&["token", "list"]).out.contains("revoked"));
    assert_eq!(world.run(&["token", "revoke", "script"]).code, 1, "it is revoked already");
    server.stop();
}

/// No log line, no later output and no byte of the data folder holds a secret.
#[test]
fn a_secret_is_in_no_log_and_in_no_file() {
    let world = World::new();
    let token = world.ok(&["token", "create", "--name", "Script", "--scope", "read"]).out;
    let token = token.trim();
    let server = world.serve(&[]);
    let link = code(&world.ok(&["open"]).out);
    let page = text(&exchange(server.notice.address, &link).1["token"]);
    for path in ["/api/overview", "/api/nothing", &format!("/api/overview?token={token}")] {
        for shown in [token, &page, "dm_wrong"] {
            asks(&server, "GET", path, shown);
        }
    }
    let listed = world.run(&["token", "list", "--json"]);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(world.data()).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        files.extend(std::fs::read(path).expect("it can be read"));
    }
    let said = format!("{}{}{}", server.stop(), listed.out, listed.err);
    assert!(files.len() > 10_000, "the databases are there");
    for secret in [token, &page, &link] {
        let secret = secret.trim_start_matches("dm_");
        assert!(!said.contains(secret), "{said}");
        let holds = files.windows(secret.len()).any(|part| part == secret.as_bytes());
        assert!(!holds, "{secret} is in a file");
    }
}
