//! `agent wake --dry-run` prints what a provider's server then gets, byte for byte, and nothing of
//! what may not be sent.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};

use crate::scripted_server::about_the_model;
use crate::world::World;

const KEY: &str = "canary-the-key-itself-0123";

/// A server that records what it gets, and refuses every key.
struct Recorder {
    address: SocketAddr,
    got: Arc<Mutex<Vec<(String, String)>>>,
}

impl Recorder {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free loopback port");
        let address = listener.local_addr().expect("an address");
        let got: Arc<Mutex<Vec<(String, String)>>> = Arc::default();
        let into = got.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.expect("a connection");
                let request = read(&mut stream);
                if let Some(about) = about_the_model(&request.1) {
                    let _gone = stream.write_all(about.as_bytes());
                    continue;
                }
                into.lock().expect("one writer").push(request);
                let answer = "HTTP/1.1 401 Unauthorized\r\ncontent-length: 2\r\n\
                              content-type: application/json\r\nconnection: close\r\n\r\n{}";
                // The client may be gone.
                let _gone = stream.write_all(answer.as_bytes());
            }
        });
        Self { address, got }
    }

    /// Head and body of what came since.
    fn take(&self) -> Vec<(String, String)> {
        std::mem::take(&mut *self.got.lock().expect("one writer"))
    }
}

/// Reads the head and the body of a request.
fn read(stream: &mut impl std::io::Read) -> (String, String) {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|n| n == 1) {
        bytes.extend(byte);
    }
    let head = String::from_utf8(bytes).expect("a head in ASCII");
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok()).flatten()
    });
    let mut body = Vec::new();
    stream.take(length.unwrap_or(0)).read_to_end(&mut body).expect("a body");
    (head, String::from_utf8(body).expect("a body in UTF-8"))
}

#[test]
fn a_dry_run_prints_what_a_server_then_gets_in_every_format() {
    for format in ["chatCompletions", "responses", "anthropic", "gemini"] {
        let recorder = Recorder::start();
        let world = World::with_tasks();
        world.ok(&["task", "note", "slug fence", "--private", "The code is 4711."]);
        world.ok(&["task", "edit", "water butt", "--category", "Garden"]);
        world.ok(&["task", "link", "slug fence", "relates-to", "water butt"]);
        world.ok(&["agent", "create", "slug fence", "--name", "Sven"]);
        let url = format!("http://{}/v1", recorder.address);
        world.ok(&["models", "add", "far", "--url", &url, "--format", format]);
        let limited = world.ok(&["models", "categories", "far", "--uncategorised"]);
        assert!(limited.out.contains("tasks without a category"), "{limited:?}");
        world.ok(&["agent", "model", "slug fence", "far/big", "--yes"]);
        let settings = [("DORMOUSE_KEY_FAR", KEY)];

        let shown = world.run_set(&["agent", "wake", "slug fence", "--dry-run"], &settings, b"");
        assert_eq!(shown.code, 0, "{shown:?}");
        assert_eq!(recorder.take(), [], "a dry run sends nothing");
        assert!(shown.err.contains("kept back because it is private: 1 entry"), "{shown:?}");
        let of_category = "kept back because of the category of its task: 1 linked task";
        assert!(shown.err.contains(of_category), "{shown:?}");

        world.run_set(&["agent", "wake", "slug fence"], &settings, b"");
        let got = recorder.take();
        let [(head, body), ..] = got.as_slice() else { panic!("nothing came: {format}") };
        assert_eq!(shown.out.trim_end_matches('\n'), body, "{format}");
        assert!(body.contains("Slug fence"), "{format}: {body}");
        assert!(!body.contains("4711") && !body.contains("Water butt"), "{format}: {body}");
        assert!(head.contains(KEY), "{format}: the server gets the key");
        assert!(!shown.out.contains(KEY) && !shown.err.contains(KEY), "{format}: {shown:?}");
    }
}

#[test]
fn of_a_task_whose_category_may_not_be_sent_nothing_is_and_the_audit_log_says_so() {
    let recorder = Recorder::start();
    let world = World::with_tasks();
    world.ok(&["task", "edit", "slug fence", "--category", "Garden"]);
    world.ok(&["agent", "create", "slug fence", "--name", "Sven"]);
    let url = format!("http://{}/v1", recorder.address);
    world.ok(&["models", "add", "far", "--url", &url]);
    world.ok(&["models", "categories", "far", "--uncategorised"]);
    world.ok(&["agent", "model", "slug fence", "far/big", "--yes"]);
    let shown = world.ok(&["agent", "wake", "slug fence", "--dry-run"]);
    assert!(shown.out.is_empty(), "{shown:?}");
    assert!(shown.err.contains("tasks of this category may not be sent"), "{shown:?}");
    let woken = world.run(&["agent", "wake", "slug fence"]);
    assert_eq!(recorder.take(), [], "{woken:?}");
    let log = world.ok(&["agent", "log", "slug fence"]).out;
    assert!(log.contains("kept back because of the category of its task: 1 task"), "{log}");
    let listed = world.ok(&["models", "list"]).out;
    assert!(listed.contains("is not sent: 1 agent whose task is of another category"), "{listed}");
    let audit = world.ok(&["audit", "--limit", "1"]);
    assert!(audit.out.contains("request of far/big: its category may not"), "{audit:?}");
    assert!(audit.err.contains("audit --cursor "), "there are more rows: {audit:?}");
    let unknown = world.run(&["models", "categories", "far", "--only", "Work"]);
    assert!(unknown.err.contains("there is no category Work"), "{unknown:?}");
    assert!(unknown.err.contains("Garden"), "{unknown:?}");
}
