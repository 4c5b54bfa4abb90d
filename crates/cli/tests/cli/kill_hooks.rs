//! Hooks of agent work, killed before and after each commit that is made for them: a call starts one run
//! or none, a refused one is counted, and a secret counts from its commit on.

use std::os::unix::process::ExitStatusExt as _;

use ring::hmac;
use serde_json::{Value, json};

use crate::kill_work::{ADD, killed, rows};
use crate::running::{Answer, Running, send, until};
use crate::scripted_server::ScriptedServer;
use crate::world::World;

/// The commits that are killed here.
pub const LABELS: [&str; 5] =
    ["work.hookAdd", "work.hookCall", "work.hookCount", "work.hookRemove", "work.hookRotate"];

const NEW: &[&str] = &["work", "hook", "add", "digest", "--name", "Git", "--form", "gitHost"];
const FRESH: &[&str] = &["work", "hook", "rotate", "digest", "Git", "--end-old"];

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

/// Work that only calls start.
fn waiting() -> (ScriptedServer, World) {
    let server = ScriptedServer::new();
    let world = server.world();
    world.ok(&[ADD, &["--waits-for-calls"]].concat());
    server.always_calls("finish", json!({ "outcome": "done", "summary": "Told." }));
    (server, world)
}

/// Path and secret of the hook, as a command shows them.
fn address_and_secret(made: &Value) -> (String, String) {
    (text(&made["hook"]["path"]), text(&made["secret"]))
}

/// Calls as a Git host does. An error is a server that went away.
fn call(running: &Running, (path, secret): &(String, String)) -> std::io::Result<Answer> {
    let body = r#"{"ref":"main"}"#;
    let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
    let tag = hmac::sign(&key, body.as_bytes());
    let hex: String = tag.as_ref().iter().map(|byte| format!("{byte:02x}")).collect();
    let signature = format!("sha256={hex}");
    let address = running.notice.address;
    let host = address.to_string();
    let headers = [
        ("Host", host.as_str()),
        ("X-GitHub-Delivery", "72d3162e"),
        ("X-Hub-Signature-256", signature.as_str()),
    ];
    send(address, "POST", path, &headers, body)
}

/// A server that a call kills: nobody learns its outcome.
fn killed_by_call(world: &World, hook: &(String, String), fault: &str) {
    let running = world.serve(&[("DORMOUSE_FAULTS", fault)]);
    assert!(call(&running, hook).is_err(), "{fault}: nobody gets an answer");
    let (status, said) = running.end();
    assert_eq!(status.signal(), Some(9), "{fault}: {said}");
}

/// What a new server answers to a call.
fn status_of(running: &Running, hook: &(String, String)) -> u16 {
    call(running, hook).expect("it is answered").status
}

/// Waits for the run of a call that was accepted: there is one, and its model was called once.
fn check_one_run(running: Running, world: &World, server: &ScriptedServer, fault: &str) {
    until("it ran", || {
        let work = &running.notice.get("/api/tasks")["items"][0];
        (work["runState"] == "succeeded").then_some(())
    });
    running.stop();
    assert_eq!((runs(world), server.requests().len()), (1, 1), "{fault}");
    let reported = rows(world, "SELECT run_id FROM conversation_turns");
    assert_eq!(reported, rows(world, "SELECT id FROM work_runs"), "{fault}");
    let wrong = world.run(&["doctor"]);
    assert_eq!(wrong.code, 0, "{fault}: {wrong:?}");
}

fn runs(world: &World) -> usize {
    rows(world, "SELECT id FROM work_runs").len()
}

fn hooks(world: &World) -> usize {
    rows(world, "SELECT id FROM work_hooks WHERE removed_at IS NULL").len()
}

fn kill(label: &str, moment: &str) {
    let fault = format!("kill:{label}:{moment}:1");
    let is_done = moment == "after";
    let (server, world) = waiting();
    match label {
        "work.hookAdd" => {
            killed(&world, NEW, &fault);
            assert_eq!(hooks(&world), usize::from(is_done), "{fault}");
            // Its secret was shown to nobody: it gets a new one.
            let hook = address_and_secret(&world.json(if is_done { FRESH } else { NEW }));
            let running = world.serve(&[]);
            assert_eq!(status_of(&running, &hook), 200, "{fault}");
            check_one_run(running, &world, &server, &fault);
            assert_eq!(hooks(&world), 1, "{fault}");
        }
        "work.hookRotate" => {
            let old = address_and_secret(&world.json(NEW));
            killed(&world, FRESH, &fault);
            let running = world.serve(&[]);
            let expected = if is_done { 403 } else { 200 };
            assert_eq!(status_of(&running, &old), expected, "{fault}: the old secret");
            if is_done {
                assert_eq!(runs(&world), 0, "{fault}");
                let fresh = address_and_secret(&world.json(FRESH));
                assert_eq!(status_of(&running, &fresh), 200, "{fault}: the newest secret");
            }
            check_one_run(running, &world, &server, &fault);
        }
        "work.hookRemove" => {
            let hook = address_and_secret(&world.json(NEW));
            let remove = ["work", "hook", "rm", "digest", "Git"];
            killed(&world, &remove, &fault);
            assert_eq!(hooks(&world), usize::from(!is_done), "{fault}");
            let again = world.run(&remove);
            assert_eq!(again.code, i32::from(is_done), "{fault}: {again:?}");
            let running = world.serve(&[]);
            assert_eq!(status_of(&running, &hook), 404, "{fault}: it is gone");
            running.stop();
            assert_eq!((runs(&world), hooks(&world)), (0, 0), "{fault}");
        }
        "work.hookCount" => {
            let hook = address_and_secret(&world.json(NEW));
            let forged = (hook.0.clone(), "another".to_owned());
            killed_by_call(&world, &forged, &fault);
            let counted =
                || rows(&world, "SELECT CAST(SUM(n_forged) AS TEXT) FROM work_hook_hours");
            let hours = rows(&world, "SELECT hook_id FROM work_hook_hours").len();
            assert_eq!((hours, runs(&world)), (usize::from(is_done), 0), "{fault}");
            let running = world.serve(&[]);
            assert_eq!(status_of(&running, &forged), 403, "{fault}");
            assert_eq!(counted(), [if is_done { "2" } else { "1" }], "{fault}: each once");
            assert_eq!(status_of(&running, &hook), 200, "{fault}");
            check_one_run(running, &world, &server, &fault);
        }
        "work.hookCall" => {
            let hook = address_and_secret(&world.json(NEW));
            killed_by_call(&world, &hook, &fault);
            assert_eq!(runs(&world), usize::from(is_done), "{fault}");
            let running = world.serve(&[]);
            let answer = call(&running, &hook).expect("it is answered");
            assert_eq!(answer.status, 200, "{fault}: {answer:?}");
            assert_eq!(answer.json()["isRepeated"], is_done, "{fault}");
            check_one_run(running, &world, &server, &fault);
            let calls = rows(&world, "SELECT run_id FROM work_hook_calls");
            assert_eq!(calls, [text(&answer.json()["runId"])], "{fault}");
        }
        _ => panic!("{label} is no commit for a hook"),
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "which kill went wrong is worth knowing")]
fn a_hook_that_is_killed_at_a_commit_starts_one_run_or_none() {
    for moment in ["before", "after"] {
        for label in LABELS {
            eprintln!("{label}, {moment}");
            kill(label, moment);
        }
    }
}
