//! Agent work without a language model, killed before and after the commits that only such work passes,
//! or that a server makes by itself: a run ends once, an attempt is counted once, a change starts one run,
//! a damaged schedule stops no other, and a clock that moves past a time makes it due once.

use std::os::unix::process::ExitStatusExt as _;

use serde_json::{Value, json};

use crate::kill_work::{open, rows};
use crate::running::{Running, until};
use crate::world::World;

/// The commits that are killed here.
pub const LABELS: [&str; 5] =
    ["work.disable", "work.event", "work.fail", "work.final", "work.zone"];

const MICROS_PER_HOUR: i64 = 3_600_000_000;
/// What is due when the server starts.
const HOURS: usize = 3;

fn write(world: &World, sql: &str) {
    assert!(open(&world.data()).execute(sql, []).expect("written") > 0, "{sql} writes nothing");
}

/// An agenda for each day at an hour.
fn add_agenda(world: &World, title: &str, hour: i64) -> Value {
    let words = format!(
        "every day at {hour}:00 tell me what is due today and what waits for me; \
         also when there is nothing"
    );
    world.json(&["work", "add", title, "--instructions", &words, "--catch-up", "all"])
}

/// Lets work have been due each hour for some hours.
fn let_it_be_due(world: &World) {
    write(
        world,
        &format!(
            "UPDATE work_definitions SET position = NULL,
               schedule = 'DTSTART:20260101T000000' || char(10) || 'RRULE:FREQ=HOURLY',
               created_at = created_at - {HOURS} * {MICROS_PER_HOUR},
               next_due_at = created_at - {HOURS} * {MICROS_PER_HOUR}"
        ),
    );
}

/// A server that a point kills.
fn killed(world: &World, fault: &str) {
    let faults = [("DORMOUSE_FAULTS", fault), ("DORMOUSE_LEASE_SECONDS", "1")];
    let (status, said) = match world.try_serve(&faults) {
        Ok(running) => running.end(),
        Err(ended) => ended,
    };
    assert_eq!(status.signal(), Some(9), "{fault}: {said}");
}

fn serve(world: &World) -> Running {
    world.serve(&[("DORMOUSE_LEASE_SECONDS", "1")])
}

fn runs(world: &World) -> Vec<String> {
    rows(world, "SELECT state FROM work_runs ORDER BY n")
}

/// Waits for the runs, and stops the server: so many are there, all ended well, and what each came to is reported
/// once. One that comes to the same as the one before it, right after it, reports nothing.
fn check(world: &World, running: Running, n: usize, fault: &str) {
    end(world, running, n, fault);
    let wrong = world.run(&["doctor"]);
    assert_eq!(wrong.code, 0, "{fault}: {wrong:?}");
}

fn end(world: &World, running: Running, n: usize, fault: &str) {
    until("all runs are over", || {
        let found = runs(world);
        let ended_well = |state: &String| state == "succeeded" || state == "no_op";
        (found.len() >= n && found.iter().all(ended_well)).then_some(())
    });
    running.stop();
    assert!((n..=n + 1).contains(&runs(world).len()), "{fault}: {:?}", runs(world));
    let reported = rows(world, "SELECT run_id FROM conversation_turns ORDER BY run_n");
    let succeeded = "SELECT id FROM work_runs WHERE state = 'succeeded' ORDER BY n";
    assert_eq!(reported, rows(world, succeeded), "{fault}");
    assert!(!reported.is_empty(), "{fault}");
    let twice = "SELECT original_start FROM work_runs GROUP BY work_id, original_start, fold HAVING COUNT(*) > 1";
    assert_eq!(rows(world, twice), Vec::<String>::new(), "{fault}");
}

fn kill_final(world: &World, fault: &str) {
    add_agenda(world, "Agenda", 8);
    let_it_be_due(world);
    killed(world, fault);
    check(world, serve(world), HOURS, fault);
}

/// An attempt that failed is counted once, and the next one runs to its end.
fn kill_fail(world: &World, fault: &str, is_done: bool) {
    add_agenda(world, "Agenda", 8);
    let whole = rows(world, "SELECT built_in FROM work_definitions");
    let_it_be_due(world);
    write(world, "UPDATE work_definitions SET built_in = '{}'");
    killed(world, fault);
    let failures = || rows(world, "SELECT CAST(SUM(failures) AS TEXT) FROM work_runs");
    let counted = if is_done { "1" } else { "0" };
    assert_eq!(failures(), [counted], "{fault}");
    write(world, &format!("UPDATE work_definitions SET built_in = '{}'", whole[0]));
    if is_done {
        // The next attempt waits for half a minute.
        write(world, "UPDATE wake_queue SET due_at = 0 WHERE due_at IS NOT NULL");
    }
    check(world, serve(world), HOURS, fault);
    assert_eq!(failures(), [counted], "{fault}");
}

fn kill_event(world: &World, fault: &str, is_done: bool) {
    let running = serve(world);
    let filter = json!([{ "event": "created" }]);
    let words = "tell me what is due today and what waits for me; also when there is nothing";
    let new = json!({ "title": "Agenda", "instructions": words, "events": filter }).to_string();
    let made = running.notice.ask("POST", "/api/tasks", "", &new).expect("an answer");
    assert_eq!(made.status, 201, "{made:?}");
    running.stop();
    // An agenda comes with a schedule of its own, which is not what this is about.
    let far = 100 * 24 * MICROS_PER_HOUR;
    write(world, &format!("UPDATE work_definitions SET next_due_at = next_due_at + {far}"));
    world.ok(&["task", "add", "Bread", "--no-wait"]);
    killed(world, fault);
    assert_eq!(runs(world).len(), usize::from(is_done), "{fault}");
    check(world, serve(world), 1, fault);
    assert_eq!(runs(world).len(), 1, "{fault}");
    // The next change starts one more, and the first none again.
    world.ok(&["task", "add", "Milk", "--no-wait"]);
    check(world, serve(world), 2, fault);
    assert_eq!(runs(world).len(), 2, "{fault}");
}

fn kill_disable(world: &World, fault: &str, is_done: bool) {
    add_agenda(world, "Broken", 8);
    add_agenda(world, "Agenda", 8);
    let_it_be_due(world);
    write(
        world,
        "UPDATE work_definitions SET schedule = 'DTSTART:tomorrow' WHERE title = 'Broken'",
    );
    killed(world, fault);
    let state = || rows(world, "SELECT state FROM work_definitions WHERE title = 'Broken'");
    assert_eq!(state(), [if is_done { "disabled" } else { "active" }], "{fault}");
    end(world, serve(world), HOURS, fault);
    let named = world.run(&["doctor"]);
    assert!(named.code == 1 && named.out.contains("schedule: `:tomorrow`"), "{fault}: {named:?}");
    assert_eq!(state(), ["disabled"], "{fault}");
    let of = "SELECT DISTINCT d.title FROM work_runs r JOIN work_definitions d ON d.id = r.work_id";
    assert_eq!(rows(world, of), ["Agenda"], "{fault}");
    let due = "SELECT title FROM work_definitions WHERE next_due_at IS NULL";
    assert_eq!(rows(world, due), ["Broken"], "{fault}: it is due no more");
}

/// The clock of the person is set 14 hours ahead, past the hour that is due in about 12.
fn kill_zone(world: &World, fault: &str, is_done: bool) {
    world.ok(&["work", "list"]);
    let now = rows(world, "SELECT strftime('%H', 'now')");
    let hour: i64 = now[0].parse().expect("a number");
    let made = add_agenda(world, "Agenda", (hour + 12) % 24);
    let due = || rows(world, "SELECT CAST(next_due_at AS TEXT) FROM work_definitions");
    let before = due();
    let journal =
        rusqlite::Connection::open(world.data().join("journal.sqlite")).expect("the file");
    let zone = "UPDATE settings SET value = 'Pacific/Kiritimati' WHERE key = 'timeZone'";
    assert_eq!(journal.execute(zone, []).expect("written"), 1);
    drop(journal);
    killed(world, fault);
    assert_eq!(due() != before, is_done, "{fault}: {made}");
    assert_eq!(runs(world), Vec::<String>::new(), "{fault}");
    check(world, serve(world), 1, fault);
    assert_eq!(runs(world).len(), 1, "{fault}");
    let next: i64 = due()[0].parse().expect("a number");
    let first: i64 = before[0].parse().expect("a number");
    assert_eq!(next - first, 10 * MICROS_PER_HOUR, "{fault}: the next day, 14 hours earlier");
}

#[test]
#[expect(clippy::print_stderr, reason = "which kill went wrong is worth knowing")]
fn work_without_a_model_that_is_killed_at_a_commit_is_neither_missed_nor_doubled() {
    for moment in ["before", "after"] {
        for label in LABELS {
            eprintln!("{label}, {moment}");
            let fault = format!("kill:{label}:{moment}:1");
            let (world, is_done) = (World::new(), moment == "after");
            match label {
                "work.disable" => kill_disable(&world, &fault, is_done),
                "work.event" => kill_event(&world, &fault, is_done),
                "work.fail" => kill_fail(&world, &fault, is_done),
                "work.final" => kill_final(&world, &fault),
                "work.zone" => kill_zone(&world, &fault, is_done),
                _ => panic!("{label} is no commit of such work"),
            }
        }
    }
}
