//! What is said of the runs of agent work, and which of them a command is about.

use serde_json::json;

use crate::scripted_server::ScriptedServer;
use crate::work::ONCE;
use crate::world::World;

const AGENDA: &[&str] = &[
    "work",
    "add",
    "Agenda",
    "--instructions",
    "Say what is due today",
    "--schedule",
    "every day at 9",
];

#[test]
fn what_a_run_without_a_model_said_is_in_what_shows_the_work_and_in_its_log() {
    let world = World::new();
    world.ok(&["task", "add", "Pay the rent", "--due", "2020-01-02", "--no-wait"]);
    world.ok(AGENDA);
    world.ok(&["work", "run", "agenda"]);
    for args in [
        &["work", "show", "agenda"][..],
        &["work", "log", "agenda"],
        &["work", "log", "agenda", "--jsonl"],
    ] {
        let said = world.ok(args).out;
        assert_eq!(said.matches("Pay the rent").count(), 1, "{args:?}: {said}");
    }
}

#[test]
fn the_newest_of_many_runs_is_shown_by_its_number() {
    let world = World::new();
    world.ok(AGENDA);
    for _ in 0..12 {
        world.ok(&["work", "run", "agenda"]);
    }
    let shown = world.ok(&["work", "show", "agenda"]).out;
    assert!(shown.contains("run 3 ") && !shown.contains("run 2 "), "{shown}");
    assert!(shown.contains("earlier runs: ") && shown.contains("work runs "), "{shown}");
    let log = world.ok(&["work", "log", "agenda"]).out;
    assert!(log.contains("the newest: ") && log.contains("--run 12"), "{log}");
    let newest = world.ok(&["work", "log", "agenda", "--run", "12"]).out;
    assert!(newest.contains("run 12 ") && !newest.contains("run 11 "), "{newest}");
    let file = world.ok(&["work", "log", "agenda", "--jsonl", "--run", "2"]).out;
    assert!(file.contains(r#""run":2"#) && !file.contains(r#""run":3"#), "{file}");
    let none = world.run(&["work", "log", "agenda", "--run", "13"]);
    assert!(none.code == 1 && none.err.contains("has no run 13"), "{none:?}");
}

#[test]
fn one_of_several_runs_is_decided_about_by_its_number() {
    let server = ScriptedServer::new();
    let world = server.world();
    world.ok(ONCE);
    world.ok(&["work", "run", "vans"]);
    let list = world.ok(&["attention", "list"]).out;
    assert!(list.contains("Compare vans, run 1: ") && list.contains("vans, run 2: "), "{list}");
    let declined = world.ok(&["work", "decline", "vans", "--run", "1"]).out;
    assert!(declined.contains("declined run 1 of"), "{declined}");
    let again = world.run(&["work", "approve", "vans", "--run", "1"]);
    assert!(again.code == 1 && again.err.contains("run 1 of"), "{again:?}");
    let approved = world.ok(&["work", "approve", "vans", "--run", "2"]).out;
    assert!(approved.contains("approved run 2 of"), "{approved}");
    server.finishes("Compared again.");
    let retried = world.ok(&["work", "retry", "vans", "--run", "1"]).out;
    assert!(retried.contains("run 1 ") && retried.contains("Compared again."), "{retried}");
}

#[test]
fn a_run_that_failed_ends_the_command_that_waits_for_it_with_1() {
    let server = ScriptedServer::new();
    let world = server.world();
    let fails = || server.calls([("finish", json!({ "outcome": "failed", "summary": "No." }))]);
    fails();
    world.ok(ONCE);
    fails();
    let run = world.run(&["work", "run", "vans"]);
    assert!(
        run.code == 1 && run.err.contains("run 2 of ") && run.err.contains("Compare vans failed"),
        "{run:?}"
    );
    assert!(run.out.contains("work retry") && run.out.contains("--run 2"), "{run:?}");
    fails();
    let json = world.run(&["work", "retry", "vans", "--json"]);
    assert!(json.code == 1 && json.out.contains(r#""runState":"failed""#), "{json:?}");
    let review = world.ok(&["work", "run", "vans"]).out;
    assert!(review.contains("needs review") && review.contains("decide: "), "{review}");
}

#[test]
fn a_run_that_is_made_again_names_the_other_by_its_number() {
    let server = ScriptedServer::new();
    let world = server.world();
    server.finishes("Compared.");
    world.ok(ONCE);
    world.ok(&["work", "correct", "vans", "Leave", "out", "Acme."]);
    server.finishes("Compared again.");
    let run = world.ok(&["work", "run", "vans"]).out;
    let shown = world.ok(&["work", "show", "vans"]).out;
    let log = world.ok(&["work", "log", "vans"]).out;
    let runs = world.ok(&["work", "runs", "vans"]).out;
    for text in [run, shown, log, runs] {
        assert!(text.contains("revises run 1") && !text.contains("revises run-"), "{text}");
    }
}

#[test]
fn a_reason_that_is_also_the_summary_is_said_once() {
    let world = World::new();
    let task = world.json(&["task", "add", "Kitchen", "--item", "Sweep", "--no-wait"]);
    let reset = ["work", "add", "Reset", "--instructions", "reset \"Kitchen\"", "--schedule"];
    world.ok(&[&reset[..], &["every day at 9"]].concat());
    let id = task["task"]["id"].as_str().or(task["id"].as_str()).expect("an id").to_owned();
    world.ok(&["task", "delete", &id]);
    let run = world.run(&["work", "run", "reset"]).out;
    let shown = world.ok(&["work", "show", "reset"]).out;
    for text in [run, shown] {
        let n = text.matches("does not exist any more").count();
        assert!(n == 1 && text.contains("or delete this work"), "{text}");
    }
}
