//! What is refused about agent work: named, explained, with a fitting exit code, and nothing written.

use serde_json::Value;

use crate::scripted_server::ScriptedServer;

/// Arguments, the exit code, and what is said.
type Refused<'a> = (&'a [&'a str], i32, &'a [&'a str]);

#[test]
fn bad_input_is_refused_with_what_to_do_and_changes_nothing() {
    let server = ScriptedServer::new();
    let world = server.world();
    let add = |title: &str, schedule: &str| {
        let rest =
            ["--instructions", "Tell.", "--yes", "--model", "own/script", "--schedule", schedule];
        world.ok(&[&["work", "add", title], &rest[..]].concat());
    };
    add("Digest of mornings", "every weekday at 9");
    add("Digest of evenings", "every day at 18:00");
    let long = world.file("long.txt", "x".repeat(32 * 1024 + 1));
    let latin = world.file("latin1.txt", b"Caf\xe9");
    let new = ["work", "add", "New", "--yes", "--model", "own/script"];
    let with_instructions = [&new[..], &["--instructions", "Tell."]].concat();
    let with = |rest: &[&'static str]| [&with_instructions[..], rest].concat();
    let second = with(&["--schedule", "every 10 seconds"]);
    let zone = with(&["--schedule", "every day at 9 Mars/Olympus"]);
    let never = with(&["--schedule", "30 February 2020"]);
    let past = with(&["--schedule", "1 January 2020 at 9:00"]);
    let policy = with(&["--catch-up", "sometimes"]);
    let overlap = with(&["--overlap", "twice"]);
    let unknown = ["work", "add", "New", "--instructions", "Tell.", "--model", "nobody/large"];
    let from_long = [&new[..], &["--file", &long]].concat();
    let from_latin = [&new[..], &["--file", &latin]].concat();
    let blank = [&new[..], &["--instructions", " "]].concat();
    let cases: &[Refused<'_>] = &[
        (&second, 2, &["every 10 seconds"]),
        (&zone, 2, &["Mars/Olympus"]),
        (&never, 2, &["30 February 2020"]),
        (&past, 2, &["1 January 2020 at 9:00", "is about the past"]),
        (&policy, 2, &["unknown", "sometimes", "skip, once, all"]),
        (&overlap, 2, &["unknown", "twice", "skip, queue, parallel"]),
        (&new, 2, &["--instructions"]),
        (&blank, 1, &["the instructions are empty: write some"]),
        (&unknown, 1, &["nobody"]),
        (&from_long, 1, &["long.txt", "at most 32768 bytes"]),
        (&from_latin, 1, &["latin1.txt", "UTF-8"]),
        (
            &["work", "add", "New", "--instructions", "Tell."],
            1,
            &["needs a language model", "models add"],
        ),
        (
            &[
                "work",
                "add",
                "Call",
                "--instructions",
                "Add a task \"Call\" every Wednesday at 17:00",
            ],
            1,
            &["does not create a task from nothing", "copy a task, or reset a checklist"],
        ),
        (&["work", "show", "nothing of it"], 1, &["there is no agent work", "work list"]),
        (&["work", "run", "digest"], 2, &["matches 2 pieces of agent work", "Digest of mornings"]),
        (
            &["work", "resume", "mornings"],
            1,
            &["“Digest of mornings”", "is active", "only work that is paused"],
        ),
        (&["work", "resume"], 2, &["WORK"]),
        (&["work", "resume", "mornings", "--held"], 2, &["cannot be used with"]),
        (&["work", "answer", "mornings", "yes"], 1, &["asks nothing", "work show"]),
        (&["work", "approve", "mornings"], 1, &["needs a review", "work show"]),
        (&["work", "decline", "mornings"], 1, &["needs a review"]),
        (&["work", "retry", "mornings"], 1, &["has not run", "work run"]),
        (&["work", "cancel", "mornings"], 1, &["no run of", "is open", "work show"]),
        (&["work", "correct", "mornings", " "], 1, &["the correction is empty"]),
        (&["work", "edit", "mornings"], 2, &["--title"]),
        (
            &["work", "edit", "mornings", "--schedule", "now and then"],
            2,
            &["`and then` is not understood in a schedule"],
        ),
        (&["work", "move", "mornings", "--to", "next chrismas"], 2, &["next chrismas"]),
        (&["work", "suspend", "mornings", "--until", "blah"], 2, &["blah"]),
        (&["work", "runs", "mornings", "--from", "2026-99-01"], 2, &["--from", "2026-99-01"]),
        (&["settings", "--day-starts", "25:00"], 2, &["25:00", "such as 06:30"]),
        (&["task", "time", "mornings", "0"], 2, &["at least one minute"]),
        (
            &["work", "add", " ", "--instructions", "Tell.", "--schedule", "every day at 9"],
            2,
            &["the title is blank"],
        ),
        (&with(&["--catch-up-hours", "9999"]), 2, &["9999", "720"]),
        (&["work", "list", "--status", "asleep"], 2, &["unknown", "asleep", "pending"]),
        (&["work", "log", "mornings", "--cursor", "x"], 1, &["cursor"]),
        (&["work", "next", "now and then"], 2, &["`and then` is not understood in a schedule"]),
    ];
    let everything = || -> Vec<Value> {
        let items = world.json(&["work", "list"])["items"].clone();
        items.as_array().cloned().unwrap_or_default()
    };
    let before = everything();
    assert_eq!(before.len(), 2);
    let mut wrong = Vec::new();
    for (args, code, says) in cases {
        let done = world.run(args);
        let missing: Vec<_> = says.iter().filter(|text| !done.err.contains(**text)).collect();
        if done.code != *code || !missing.is_empty() || !done.err.starts_with("error: ") {
            wrong.push(format!("{args:?}: not said {missing:?}: {done:?}"));
        }
        assert_eq!(before, everything(), "{args:?} changed something");
    }
    assert_eq!(wrong, Vec::<String>::new(), "{}", wrong.join("\n"));
    assert_eq!(server.requests().len(), 0, "nothing ran");
}
