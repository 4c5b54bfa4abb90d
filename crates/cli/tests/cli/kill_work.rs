//! Agent work, killed before and after each of its commits: nothing that was due is missed, nothing
//! runs twice, and a request of a person takes effect once when it is sent again.

use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;

use serde_json::{Value, json};

use crate::kill_points::{POINTS, Way};
use crate::running::until;
use crate::scripted_server::ScriptedServer;
use crate::world::{Done, World};
use crate::{kill_built_in, kill_hooks};

pub const ADD: &[&str] = &[
    "work",
    "add",
    "Digest",
    "--instructions",
    "Say what is new.",
    "--model",
    "own/script",
    "--yes",
];
/// Hours that are due when the server starts.
const HOURS: i64 = 3;
const MICROS_PER_HOUR: i64 = 3_600_000_000;

pub fn open(data: &Path) -> rusqlite::Connection {
    rusqlite::Connection::open(data.join("agent.sqlite")).expect("the file")
}

pub fn rows(world: &World, sql: &str) -> Vec<String> {
    let connection = open(&world.data());
    let mut statement = connection.prepare(sql).expect("a statement");
    let rows = statement.query_map([], |row| row.get(0)).expect("rows");
    rows.collect::<Result<_, _>>().expect("texts")
}

/// Work that was due each hour for some hours.
fn due_for_hours(server: &ScriptedServer) -> World {
    let world = server.world();
    world.ok(&[ADD, &["--schedule", "every hour", "--catch-up", "all"]].concat());
    let sql = format!(
        "UPDATE work_definitions SET position = NULL,
           schedule = 'DTSTART:20260101T000000' || char(10) || 'RRULE:FREQ=HOURLY',
           created_at = created_at - {HOURS} * {MICROS_PER_HOUR},
           next_due_at = created_at - {HOURS} * {MICROS_PER_HOUR}"
    );
    assert_eq!(open(&world.data()).execute(&sql, []).expect("written"), 1);
    // The first turn of all ends no run: it is a commit of its own.
    server.calls([("read_task_log", json!({}))]);
    server.always_calls("finish", json!({ "outcome": "done", "summary": "Told." }));
    world
}

/// Runs all that is due until nothing is left, and holds it against what was due.
fn check_hours(world: &World, server: &ScriptedServer, fault: &str) {
    let running = world.serve(&[("DORMOUSE_LEASE_SECONDS", "1")]);
    until("all runs are over", || {
        let work = &running.notice.get("/api/tasks")["items"][0];
        (work["runState"] == "succeeded").then_some(())
    });
    running.stop();
    let runs = rows(world, "SELECT original_start || ' ' || state FROM work_runs ORDER BY n");
    let due = rows(world, "SELECT CAST(scheduled_for AS TEXT) FROM work_runs ORDER BY n");
    let due: Vec<i64> = due.iter().map(|at| at.parse().expect("a number")).collect();
    assert!(runs.len() >= 3, "{fault}: {runs:?}");
    assert!(runs.iter().all(|run| run.ends_with(" succeeded")), "{fault}: {runs:?}");
    assert!(due.windows(2).all(|two| two[1] - two[0] == MICROS_PER_HOUR), "{fault}: {runs:?}");
    let made = rows(world, "SELECT CAST(created_at AS TEXT) FROM work_definitions");
    let made: i64 = made[0].parse().expect("a number");
    assert!(due[0] - made <= MICROS_PER_HOUR, "{fault}: the first was missed: {runs:?}");
    // The commit that ends a run says its result: once, or the run has not ended.
    let reported = rows(world, "SELECT run_id FROM conversation_turns ORDER BY run_n");
    assert_eq!(reported, rows(world, "SELECT id FROM work_runs ORDER BY n"), "{fault}");
    let said = rows(world, "SELECT id FROM conversations");
    assert_eq!(said.len(), 1, "{fault}: {said:?}");
    // A turn whose answer was not written is requested again, and no other.
    let requests = server.requests().len();
    assert!((runs.len() + 1..=runs.len() + 2).contains(&requests), "{fault}: {requests} requests");
}

/// Kills a server at a point that running what is due passes, for the nth time.
fn kill_hours(label: &str, moment: &str, n: usize) {
    let fault = format!("kill:{label}:{moment}:{n}");
    let server = ScriptedServer::new();
    let world = due_for_hours(&server);
    let faults = [("DORMOUSE_FAULTS", fault.as_str()), ("DORMOUSE_LEASE_SECONDS", "1")];
    let (status, said) = match world.try_serve(&faults) {
        Ok(running) => running.end(),
        Err(ended) => ended,
    };
    assert_eq!(status.signal(), Some(9), "{fault}: {said}");
    check_hours(&world, &server, &fault);
}

/// A command that is killed at a point.
pub fn killed(world: &World, args: &[&str], fault: &str) {
    let done = world.run_set(args, &[("DORMOUSE_FAULTS", fault)], b"");
    assert_eq!(done.code, -1, "{fault}: {args:?} was not killed: {done:?}");
}

fn repeat(world: &World, args: &[&str]) -> Done {
    world.run(args)
}

fn work(world: &World) -> Value {
    world.json(&["work", "list"])["items"][0].clone()
}

/// Kills a command at the commit that it makes, and checks what is there before and after it is given
/// again.
fn kill_command(label: &str, moment: &str) {
    let fault = format!("kill:{label}:{moment}:1");
    let is_done = moment == "after";
    let server = ScriptedServer::new();
    let world = server.world();
    let asks = || server.calls([("ask", json!({ "question": "Which garden?" }))]);
    let count = |sql: &str| rows(&world, sql)[0].parse::<usize>().expect("a number");
    let runs = || rows(&world, "SELECT state FROM work_runs ORDER BY n");
    match label {
        "work.create" => {
            killed(&world, ADD, &fault);
            assert_eq!(work(&world).is_null(), !is_done, "{fault}");
            assert_eq!(runs().len(), usize::from(is_done), "{fault}: with its run or not at all");
            if is_done {
                server.finishes("Told.");
                let running = world.serve(&[]);
                until("it ran", || {
                    let work = &running.notice.get("/api/tasks")["items"][0];
                    (work["runState"] == "succeeded").then_some(())
                });
                running.stop();
                assert_eq!((runs().len(), server.requests().len()), (1, 1), "{fault}");
            }
        }
        "work.answer" => {
            asks();
            world.ok(ADD);
            let answer = ["work", "answer", "digest", "the front one"];
            killed(&world, &answer, &fault);
            let sql = "SELECT CAST(COUNT(answer) AS TEXT) FROM work_questions";
            assert_eq!(count(sql), usize::from(is_done), "{fault}");
            server.finishes("Told.");
            let done = repeat(&world, &answer);
            assert_eq!(done.code, i32::from(is_done), "{fault}: {done:?}");
            let running = world.serve(&[]);
            until("it ran", || {
                let work = &running.notice.get("/api/tasks")["items"][0];
                (work["runState"] == "succeeded").then_some(())
            });
            running.stop();
            assert_eq!((count(sql), runs().len(), server.requests().len()), (1, 1, 2), "{fault}");
        }
        "work.change" => {
            world.ok(&[ADD, &["--schedule", "every weekday at 9"]].concat());
            killed(&world, &["work", "pause", "digest"], &fault);
            let (state, due) = (work(&world)["state"].clone(), work(&world)["nextDueAt"].clone());
            assert_eq!(state == "paused", is_done, "{fault}");
            assert_eq!(due.is_null(), is_done, "{fault}: paused and due do not go together");
        }
        "work.correct" => {
            world.ok(&[ADD, &["--schedule", "every weekday at 9"]].concat());
            killed(&world, &["work", "correct", "digest", "Leave out the weather."], &fault);
            let sql = "SELECT CAST(COUNT(*) AS TEXT) FROM work_corrections";
            assert_eq!(count(sql), usize::from(is_done), "{fault}");
            server.finishes("Told.");
            world.ok(&["work", "run", "digest"]);
            let requests = server.requests().pop().expect("a request");
            let n_shown = requests.matches("Leave out the weather.").count();
            assert_eq!(n_shown, usize::from(is_done), "{fault}: {requests}");
        }
        "work.cancel" => {
            asks();
            world.ok(ADD);
            let cancel = ["work", "cancel", "digest"];
            killed(&world, &cancel, &fault);
            let expected = if is_done { "cancelled" } else { "needs_input" };
            assert_eq!(runs(), [expected], "{fault}");
            assert_eq!(repeat(&world, &cancel).code, 0, "{fault}: to cancel twice changes nothing");
            assert_eq!(runs(), ["cancelled"], "{fault}");
        }
        "work.judge" => {
            world.ok(ADD);
            assert_eq!(runs(), ["needs_review"]);
            let approve = ["work", "approve", "digest"];
            killed(&world, &approve, &fault);
            let done = repeat(&world, &approve);
            assert_eq!(done.code, i32::from(is_done), "{fault}: {done:?}");
            assert_eq!(runs(), ["succeeded"], "{fault}");
        }
        "work.run" => {
            world.ok(&[ADD, &["--schedule", "every weekday at 9"]].concat());
            let due = work(&world)["nextDueAt"].clone();
            killed(&world, &["work", "run", "digest"], &fault);
            assert_eq!(runs().len(), usize::from(is_done), "{fault}");
            server.always_calls("finish", json!({ "outcome": "done", "summary": "Told." }));
            let running = world.serve(&[]);
            until("the requested run ended", || {
                let work = &running.notice.get("/api/tasks")["items"][0];
                (!is_done || work["runState"] == "succeeded").then_some(())
            });
            running.stop();
            assert_eq!(
                (runs().len(), server.requests().len()),
                (usize::from(is_done), usize::from(is_done)),
                "{fault}"
            );
            assert_eq!(work(&world)["nextDueAt"], due, "{fault}: its schedule stays as it is");
        }
        _ => panic!("{label} is no commit of a command"),
    }
    let wrong = world.run(&["doctor"]);
    assert_eq!(wrong.code, 0, "{fault}: {wrong:?}");
}

#[test]
#[expect(clippy::print_stderr, reason = "which kill went wrong is worth knowing")]
fn agent_work_that_is_killed_at_a_commit_is_neither_missed_nor_doubled() {
    // What a server passes for each hour; the second time is in the middle.
    let serves: &[(&str, usize)] =
        &[("work.plan", 1), ("run.claim", 2), ("model.ask", 2), ("run.turn", 1), ("run.final", 2)];
    let commands = [
        "work.answer",
        "work.cancel",
        "work.change",
        "work.correct",
        "work.create",
        "work.judge",
        "work.run",
    ];
    let known = POINTS.iter().filter(|(_, way)| *way == Way::Work).map(|(label, _)| *label);
    let here = |label: &str| {
        commands.contains(&label)
            || serves.iter().any(|(it, _)| *it == label)
            || kill_hooks::LABELS.contains(&label)
            || kill_built_in::LABELS.contains(&label)
    };
    assert_eq!(known.filter(|label| !here(label)).collect::<Vec<_>>(), Vec::<&str>::new());
    for moment in ["before", "after"] {
        for (label, n) in serves {
            eprintln!("{label}, {moment}");
            kill_hours(label, moment, *n);
        }
        for label in commands {
            eprintln!("{label}, {moment}");
            kill_command(label, moment);
        }
    }
}
