//! `dormouse serve`: who is let in, commands that run meanwhile, and how it ends.

use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::PermissionsExt as _;

use rustix::process::Signal;

use crate::running::{Running, open, receive, send, until};
use crate::world::World;

#[test]
fn a_server_says_where_it_is_and_lets_in_who_has_its_token() {
    let world = World::with_tasks();
    let server = world.serve(&[]);
    let (address, token) = (server.notice.address, &server.notice.token);
    let host = address.to_string();
    assert!(server.startup.contains(&format!("http://{address}")), "{}", server.startup);
    assert!(!server.startup.contains(token.as_str()), "the token is for nobody's scrollback");
    assert_eq!(token.len(), 64, "32 bytes");
    let file = std::fs::metadata(world.data().join("server.json")).expect("the file is there");
    assert_eq!(file.permissions().mode() & 0o777, 0o600);

    let get = |path: &str, headers: &[(&str, &str)]| {
        send(address, "GET", path, headers, "").expect("the server answers")
    };
    for path in ["/healthz", "/readyz"] {
        assert_eq!(get(path, &[("Host", &host)]).status, 200, "{path}");
    }
    for wrong in ["", "Bearer ", "Bearer x", &format!("Basic {token}"), &format!("Bearer {token}0")]
    {
        let answer = get("/api/overview", &[("Host", &host), ("Authorization", wrong)]);
        assert_eq!(answer.status, 401, "{wrong}: {answer:?}");
        assert_eq!(answer.json()["type"], "/problems/token-missing");
        assert!(answer.head.contains("www-authenticate: bearer"), "{answer:?}");
    }
    let token = format!("Bearer {token}");
    for host in ["evil.example", "evil.example:7330", "127.0.0.1", "localhost:1"] {
        for path in ["/api/overview", "/healthz"] {
            let answer = get(path, &[("Host", host), ("Authorization", &token)]);
            assert_eq!(answer.status, 421, "{host}: {answer:?}");
            assert_eq!(answer.json()["type"], "/problems/misdirected-request");
        }
    }
    let local = format!("localhost:{}", address.port());
    for host in [&host, &local] {
        let answer = get("/api/overview", &[("Host", host), ("Authorization", &token)]);
        assert_eq!((answer.status, &answer.json()["tasks"]), (200, &2.into()), "{answer:?}");
    }
    let said = server.stop();
    assert!(!said.contains(token.trim_start_matches("Bearer ")), "{said}");
    assert!(!world.data().join("server.json").exists(), "a server that is gone names itself not");
}

#[test]
fn the_sample_fills_an_empty_folder_once_and_a_link_is_printed() {
    let world = World::new();
    let server = world.serve_demo();
    let link = server.next_says();
    let page = format!("http://{}/", server.notice.address);
    assert!(link.starts_with("the page, once and within 10 minutes: "), "{link}");
    assert!(link.contains(&page), "{link}");
    server.hears("the sample: 5 tasks, each with an agent");
    let tasks = server.notice.get("/api/journal/tasks");
    let tasks = tasks["items"].as_array().expect("a list");
    let mut titles: Vec<_> = tasks.iter().filter_map(|task| task["title"].as_str()).collect();
    titles.sort_unstable();
    assert_eq!(
        titles,
        [
            "Get the roof repaired",
            "Plan grandmother's birthday",
            "Prepare the garden for spring",
            "Renew the passports",
            "Set up the new laptop",
        ]
    );
    assert_eq!(server.notice.get("/api/overview")["agents"], 5);
    until("each agent has reported", || {
        let reports = server.notice.get("/api/reports");
        (reports["items"].as_array().expect("a list").len() == 5).then_some(())
    });
    // Nothing of the sample is added to it again.
    server.stop();
    let server = world.serve_demo();
    server.next_says();
    assert_eq!(server.notice.get("/api/overview")["tasks"], 5);
    server.stop();
}

#[test]
fn the_sample_leaves_a_folder_with_tasks_alone() {
    let world = World::with_tasks();
    let server = world.serve_demo();
    assert!(server.next_says().contains("the page, once"), "a link is wanted all the same");
    let overview = server.notice.get("/api/overview");
    assert_eq!((&overview["tasks"], &overview["agents"]), (&2.into(), &0.into()), "{overview}");
    let said = server.stop();
    assert!(!said.contains("the sample"), "{said}");
}

#[test]
fn a_server_is_for_this_machine_alone() {
    let world = World::new();
    let done = world.run(&["serve", "--bind", "0.0.0.0:0"]);
    assert_eq!(done.code, 2, "{done:?}");
    assert!(done.err.contains("other machines"), "{done:?}");
    let done = world.run(&["serve", "--concurrency", "65"]);
    assert_eq!(done.code, 2, "{done:?}");
}

#[test]
fn commands_are_clients_of_a_running_server() {
    let world = World::with_tasks();
    let server = world.serve(&[]);
    let done = world.ok(&["agent", "create", "water butt", "--name", "Wanda"]);
    assert!(done.err.contains("agent Wanda"), "it waits for the run and reports it: {done:?}");
    assert!(done.err.contains("report updated"), "{done:?}");
    assert!(world.ok(&["report", "water butt"]).out.contains("Water butt"));
    let said = world.ok(&["agent", "wake", "Wanda", "--say", "And the tap?"]);
    assert!(said.out.contains("asleep"), "{said:?}");
    let noted = world.ok(&["task", "note", "water butt", "TODO: buy a brass tap"]);
    assert!(!noted.err.contains("Wanda"), "the server wakes, not the command: {noted:?}");
    until("the note is read", || {
        let sets = world.json(&["change", "list"]);
        sets.to_string().contains("brass tap").then_some(())
    });

    let more =
        world.file("more.md", "## Ladder\n\n- [ ] sand the rungs\n\n## Gate\n\n- [ ] hinge\n");
    let imported = world.ok(&["import", &more, "--with-agents", "--json"]);
    let lines = imported.out.lines().filter(|line| line.contains(r#""event":"task""#));
    assert_eq!(lines.count(), 2, "{imported:?}");
    let wrong = world.run(&["task", "show", "nothing of this name"]);
    assert_eq!(wrong.code, 1, "a refusal is one here too: {wrong:?}");
    // The folder was never let go of.
    assert_eq!(
        std::fs::read_to_string(world.data().join("lock")).expect("the lock is there").trim(),
        server.pid().to_string()
    );
    server.stop();
    assert_eq!(world.json(&["task", "list"])["items"].as_array().map(Vec::len), Some(4));
}

#[test]
fn a_second_server_names_the_first() {
    let world = World::new();
    let first = world.serve(&[]);
    let second = world.run(&["serve"]);
    assert_eq!(second.code, 1, "{second:?}");
    let named = format!("process {} at http://{}", first.pid(), first.notice.address);
    assert!(second.err.contains(&named), "{second:?}");
    first.stop();
}

#[test]
fn what_a_dead_server_left_stops_nobody() {
    let world = World::with_tasks();
    world.serve(&[]).kill();
    let left = std::fs::read(world.data().join("server.json")).expect("it could not clear up");
    world.ok(&["task", "list"]);
    assert!(
        !world.data().join("server.json").exists(),
        "the next process that takes the folder removes it"
    );
    std::fs::write(world.data().join("server.json"), left).expect("the folder can be written");
    let server = world.serve(&[]);
    world.ok(&["task", "list"]);
    server.stop();
}

/// A request whose head was taken, so that a handler waits for its body.
fn half_a_request(server: &Running, body: &str) -> std::net::TcpStream {
    let (host, token) = (server.notice.address.to_string(), &server.notice.token);
    let (length, token) = (body.len().to_string(), format!("Bearer {token}"));
    let headers = [
        ("Host", host.as_str()),
        ("Authorization", &token),
        ("Content-Length", &length),
        ("Content-Type", "application/json"),
        ("Expect", "100-continue"),
    ];
    let stream = open(server.notice.address, "POST", "/api/journal/tasks", &headers);
    let stream = stream.expect("the server listens");
    let mut line = String::new();
    let mut reader = BufReader::new(stream.try_clone().expect("a stream can be shared"));
    reader.read_line(&mut line).expect("the server asks for the body");
    assert!(line.contains("100"), "{line}");
    reader.read_line(&mut line).expect("an empty line");
    stream
}

#[test]
fn a_server_that_gets_a_signal_finishes_its_requests() {
    let world = World::new();
    let server = world.serve(&[]);
    let body = r#"{"title": "Asked before the end"}"#;
    let mut stream = half_a_request(&server, body);
    server.signal(Signal::TERM);
    server.hears("stopping");
    stream.write_all(body.as_bytes()).expect("the server still listens to this one");
    let answer = receive(stream).expect("it answers");
    assert_eq!(answer.status, 201, "{answer:?}");
    let (status, said) = server.end();
    assert_eq!(status.code(), Some(0), "{said}");
    assert!(world.ok(&["task", "list"]).out.contains("Asked before the end"));
}

#[test]
fn a_second_signal_ends_a_server_at_once() {
    let world = World::new();
    let server = world.serve(&[]);
    let _stream = half_a_request(&server, "{}");
    server.signal(Signal::INT);
    server.hears("stopping");
    server.signal(Signal::INT);
    let (status, said) = server.end();
    assert_eq!(status.code(), Some(1), "{said}");
    world.ok(&["task", "list"]);
}

#[test]
fn concurrent_verdicts_are_applied_one_after_the_other() {
    let world = World::new();
    let words = ["saw", "sand", "oil", "nail", "glue", "paint", "screw", "plane"];
    let note: Vec<String> = words.iter().map(|word| format!("TODO: {word} the crate")).collect();
    world.ok(&["task", "add", "Crate", "--note", &note.join("\n")]);
    world.ok(&["agent", "create", "Crate"]);
    let server = world.serve(&[]);
    let items = server.notice.get("/api/change-sets")["items"][0]["items"].clone();
    let items = items.as_array().expect("a list");
    assert!(items.len() >= 5, "{items:#?}");
    std::thread::scope(|scope| {
        for item in items {
            let notice = &server.notice;
            scope.spawn(move || {
                let set = item["set"].as_str().expect("an id");
                let path = format!("/api/change-sets/{set}/items/{}/confirm", item["index"]);
                let body = serde_json::json!({"digest": item["digest"]}).to_string();
                let answer = notice.ask("POST", &path, "", &body).expect("the server answers");
                // All change one task: a request that loses every retry gets a conflict.
                let is_late = answer.json()["type"] == "/problems/conflict";
                assert!(answer.status == 200 || is_late, "{answer:?}");
            });
        }
    });
    server.stop();
    let books = crate::kill_books::Books::copy(&world.data());
    books.check(&crate::kill_books::Acked::default());
    books.check_recovered();
}

#[cfg(feature = "faults")]
#[test]
fn a_wake_under_way_at_the_end_is_resumed_under_its_key() {
    let world = World::with_tasks();
    let server = world.serve(&[("DORMOUSE_FAULTS", "model:holds")]);
    world.ok(&["--no-wait", "agent", "create", "water butt", "--name", "Wanda"]);
    let agent = world.json(&["agent", "list"])["items"][0]["id"].clone();
    let wakes = format!("/api/agents/{}/wakes", agent.as_str().expect("an id"));
    let run = until("the agent is at work", || {
        let wake = server.notice.get(&wakes)["items"][0].clone();
        (wake["status"] == "started").then(|| wake["runKey"].clone())
    });
    let said = server.stop();
    assert!(said.contains("queued; it will be resumed"), "{said}");

    let server = world.serve(&[]);
    let wake = until("the run has ended", || {
        let wake = server.notice.get(&wakes)["items"][0].clone();
        (wake["status"] != "started" && wake["status"] != "queued").then_some(wake)
    });
    assert_eq!(wake["runKey"], run, "{wake}");
    assert_eq!((&wake["status"], &wake["crashes"]), (&"completed".into(), &0.into()), "{wake}");
    assert_eq!(server.notice.get(&wakes)["items"].as_array().map(Vec::len), Some(1));
    server.stop();
}

#[cfg(feature = "faults")]
#[test]
fn a_run_at_work_is_cancelled_by_a_command() {
    let world = World::with_tasks();
    let server = world.serve(&[("DORMOUSE_FAULTS", "model:holds")]);
    world.ok(&["--no-wait", "agent", "create", "water butt", "--name", "Wanda"]);
    let agent = world.json(&["agent", "list"])["items"][0]["id"].clone();
    let wakes = format!("/api/agents/{}/wakes", agent.as_str().expect("an id"));
    until("the agent is at work", || {
        let wake = server.notice.get(&wakes)["items"][0].clone();
        (wake["status"] == "started").then_some(())
    });
    let done = world.ok(&["agent", "cancel", "Wanda"]);
    assert!(done.out.starts_with("cancelled: agent Wanda"), "{done:?}");
    let wake = server.notice.get(&wakes)["items"][0].clone();
    assert_eq!((&wake["status"], &wake["failure"]), (&"failed".into(), &"cancelled".into()));
    let again = world.run(&["agent", "cancel", "Wanda"]);
    assert_eq!(again.code, 1, "{again:?}");
    assert!(again.err.contains("agent Wanda") && again.err.contains("is not running"), "{again:?}");
    assert!(again.err.contains("--cancel"), "it says how a waiting wake is cancelled: {again:?}");
    server.stop();
}

#[cfg(feature = "faults")]
#[test]
fn a_command_whose_server_dies_says_so_and_claims_nothing() {
    for (moment, is_there) in [("before", false), ("after", true)] {
        let world = World::new();
        let fault = format!("kill:journal.create:{moment}:1");
        let server = world.serve(&[("DORMOUSE_FAULTS", &fault)]);
        let named = format!("process {} at http://{}", server.pid(), server.notice.address);
        let done = world.run(&["task", "add", "Ladder"]);
        assert_eq!((done.code, done.out.as_str()), (1, ""), "{done:?}");
        assert!(done.err.contains(&named), "{done:?}");
        assert!(done.err.contains("may or may not have taken effect"), "{done:?}");
        drop(server);
        assert_eq!(world.ok(&["task", "list"]).out.contains("Ladder"), is_there, "{moment}");
    }
}

#[cfg(feature = "faults")]
#[test]
fn an_import_whose_server_dies_has_reported_only_what_is_durable() {
    let world = World::new();
    let _server = world.serve(&[("DORMOUSE_FAULTS", "kill:journal.import:after:2")]);
    let file = world.file("allotment.md", crate::world::ALLOTMENT);
    let done = world.run(&["import", &file, "--json"]);
    assert_eq!(done.code, 1, "{done:?}");
    // Killed before the first bytes of its answer have left the machine, it has not answered at all.
    let says_so = ["broke off", "may or may not have taken effect"];
    assert!(says_so.iter().any(|words| done.err.contains(words)), "{done:?}");
    let reported = done.out.lines().filter(|line| line.contains(r#""event":"task""#)).count();
    let there = world.json(&["task", "list"])["items"].as_array().map_or(0, Vec::len);
    assert!(reported <= there && there == 2, "reported {reported}, there {there}: {done:?}");
    let again = world.ok(&["import", &file]);
    assert!(again.out.contains("0 created"), "{again:?}");
}
