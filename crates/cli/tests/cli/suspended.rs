//! A server that stands still over the time at which something is due, and goes on afterwards.

use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use rustix::process::Signal;
use serde_json::Value;

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
