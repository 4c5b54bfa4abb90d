//! Who can reach a server: where it listens, behind a proxy, and past a crowd that sends nothing.

use std::net::TcpStream;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::running::send;
use crate::world::World;

/// Connections that say nothing.
const CROWD: usize = 1000;

#[test]
fn what_others_can_reach_needs_a_named_proxy_with_tls() {
    let world = World::new();
    let done = world.run(&["serve", "--bind", "0.0.0.0:0"]);
    assert_eq!(done.code, 2, "{done:?}");
    assert!(done.err.contains("other machines"), "{done:?}");
    assert!(done.err.contains("--public-url https://"), "it says what to do: {done:?}");
    for wrong in ["http://tasks.example", "tasks.example", "https://tasks.example/app"] {
        let done = world.run(&["serve", "--bind", "0.0.0.0:0", "--public-url", wrong]);
        assert_eq!(done.code, 2, "{wrong}: {done:?}");
        assert!(done.err.contains("not a proxy address"), "{wrong}: {done:?}");
    }
}

#[test]
fn a_server_behind_a_proxy_answers_to_its_name_and_to_commands() {
    let world = World::with_tasks();
    let settings = [("DORMOUSE_PUBLIC_URL", "https://Tasks.Example"), ("DORMOUSE_BIND", "[::]:0")];
    let server = world.serve_as_set(&settings);
    let address = ([127, 0, 0, 1], server.notice.address.port()).into();
    let token = format!("Bearer {}", server.notice.token);
    let ask = |host: &str, origin: &str| {
        let headers = [
            ("Host", host),
            ("Authorization", &token),
            ("Origin", origin),
            ("Content-Type", "application/json"),
        ];
        send(address, "POST", "/api/journal/tasks", &headers, r#"{"title": "x"}"#)
            .expect("the server answers")
            .status
    };
    assert_eq!(ask("tasks.example", "https://tasks.example"), 201);
    assert_eq!(ask("tasks.example", "https://evil.example"), 403);
    assert_eq!(ask("tasks.example", "http://tasks.example"), 403);
    assert_eq!(ask("evil.example", "https://tasks.example"), 421);
    assert!(world.ok(&["task", "list"]).out.contains("Water butt"), "commands find it");
    server.stop();
}

#[test]
fn a_crowd_that_says_nothing_stops_nobody() {
    let world = World::with_tasks();
    let server = world.serve(&[]);
    let Rlimit { maximum, .. } = getrlimit(Resource::Nofile);
    setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum })
        .expect("a process may open as many files as it is allowed");
    let crowd: Vec<_> = (0..CROWD)
        .map(|n| {
            let connected = TcpStream::connect(server.notice.address);
            connected.unwrap_or_else(|e| panic!("connection {n} is not taken: {e}"))
        })
        .collect();
    assert_eq!(server.notice.get("/api/overview")["tasks"], 2);
    assert!(world.ok(&["task", "list"]).out.contains("Water butt"));
    drop(crowd);
    server.stop();
}
