//! A server that stands still over the time at which something is due, and goes on afterwards.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::running::{Running, until};
use crate::scripted_server::ScriptedServer;
use crate::world::World;

/// The time of the system, as a file that was just written has it.
fn now(world: &World) -> SystemTime {
    let file = world.file("now", "now");
    let written = std::fs::metadata(file).and_then(|file| file.modified());
    written.expect("the file was just written")
}

#[test]
fn what_came_due_while_the_server_stood_still_runs_within_seconds_once_it_goes_on() {
    let world = World::with_agents();
    let server = world.serve(&[]);
    let path = world.json(&["agent", "show", "Wanda"])["id"].clone();
    let path = format!("/api/agents/{}/wakes", path.as_str().expect("an id"));
    let timed = |world: &World| {
        let answer = server.notice.ask("GET", &path, "", "").expect("the server answers");
        // Who asks all the time is asked to wait.
        let runs = (answer.status == 200).then(|| answer.json());
        runs.map(|runs| {
            let runs = runs["items"].as_array().cloned().unwrap_or_default();
            let is_timed = |run: &&Value| run["reason"] == "timer" && run["status"] == "completed";
            (runs.iter().filter(is_timed).count(), now(world))
        })
    };
    let due = now(&world) + Duration::from_secs(3);
    let at = Timestamp::try_from(due).expect("a time").to_string();
    world.ok(&["agent", "wake", "Wanda", "--at", &at]);
    assert!(timed(&world).is_some_and(|(n, _)| n == 0), "it is not due yet");
    server.signal(Signal::STOP);
    while now(&world) < due + Duration::from_secs(2) {}
    server.signal(Signal::CONT);
    let goes_on = now(&world);
    let ran = loop {
        match timed(&world) {
            Some((0, at)) => {
                let waited = at.duration_since(goes_on).unwrap_or_default();
                assert!(waited < Duration::from_secs(35), "nothing ran");
            }
            Some((n, at)) => break (n, at),
            None => {}
        }
    };
    assert_eq!(ran.0, 1, "once");
    server.stop();
    assert!(ran.1.duration_since(goes_on).is_ok());
}

/// Who asks all the time is asked to wait: then there is no answer.
fn state_of(server: &Running, work: &str) -> Option<Value> {
    let answer = server.notice.ask("GET", &format!("/api/tasks/{work}"), "", "");
    let answer = answer.expect("the server answers");
    (answer.status == 200).then(|| answer.json())
}

#[test]
fn agent_work_that_came_due_while_the_server_stood_still_runs_once_within_seconds() {
    let model = ScriptedServer::new();
    let world = model.world();
    model.always_calls("finish", json!({ "outcome": "done", "summary": "Told." }));
    let server = world.serve(&[]);
    let due = now(&world) + Duration::from_secs(6);
    let at = Timestamp::try_from(due).expect("a time").strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    let new = [
        "work",
        "add",
        "Standup",
        "--instructions",
        "Say what is new.",
        "--model",
        "own/script",
        "--yes",
    ];
    let added = world.json(&[&new[..], &["--schedule", &at]].concat());
    let work = added["id"].as_str().expect("an id").to_owned();
    assert!(added["nextDueAt"].is_string(), "it is due by its schedule: {added}");
    server.signal(Signal::STOP);
    assert!(
        now(&world) + Duration::from_secs(1) < due,
        "the machine is too slow: it was due before"
    );
    while now(&world) < due + Duration::from_secs(2) {}
    assert_eq!(model.requests().len(), 0, "nothing runs while it stands still");
    server.signal(Signal::CONT);
    let goes_on = now(&world);
    let seen = loop {
        let seen = state_of(&server, &work).filter(|seen| seen["runs"][0]["startedAt"].is_string());
        if let Some(seen) = seen {
            break seen;
        }
        let waited = now(&world).duration_since(goes_on).unwrap_or_default();
        assert!(waited < Duration::from_secs(35), "nothing ran");
    };
    assert_eq!(seen["runs"][0]["scheduledFor"].as_str(), added["nextDueAt"].as_str(), "{seen}");
    let is_over = || state_of(&server, &work).filter(|it| it["task"]["runState"] == "succeeded");
    let over = until("the run has ended", is_over);
    assert_eq!(over["runs"].as_array().map(Vec::len), Some(1), "once: {over}");
    assert_eq!(model.requests().len(), 1);
    server.stop();
}
