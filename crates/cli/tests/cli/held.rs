//! What a person put off stays put off when the next command runs agents, and a command that is
//! stopped puts its run back.

use std::io::Read as _;
use std::process::Child;

use dormouse_testkit::postgres::Server;
use rusqlite::{Connection, OpenFlags};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::running::until;
use crate::world::World;

/// The runs of an agent, newest first, as `status crashes`.
fn runs(world: &World, agent: &str) -> Vec<String> {
    let log = world.json(&["agent", "log", agent, "--limit", "200"]);
    let runs = log["items"].as_array().into_iter().flatten();
    let runs = runs.filter(|run| !run["runKey"].is_null());
    let word =
        |run: &Value| format!("{} {}", run["status"].as_str().unwrap_or("?"), run["crashes"]);
    runs.map(word).collect()
}

#[test]
fn a_change_made_while_an_agent_sleeps_until_a_time_waits_for_it() {
    let world = World::with_agents();
    let before = runs(&world, "Wanda");
    world.ok(&["agent", "automation", "Wanda", "--sleep-until", "2036-01-01 09:00"]);
    let done = world.ok(&["task", "note", "water butt", "TODO: buy a tap by 2036-03-01"]);
    assert_eq!(runs(&world, "Wanda"), before, "{done:?}");
    assert!(done.err.contains("1 agent waits until 2036-01-01 09:00: "), "{done:?}");
    assert!(!done.err.contains("--due"), "what was put off is no advice: {done:?}");
    let done = world.ok(&["agent", "wake", "--due"]);
    assert_eq!((runs(&world, "Wanda"), done.out.as_str()), (before, "No agent is ready to run.\n"));
    assert!(done.err.contains("1 agent waits until 2036-01-01 09:00: "), "{done:?}");
}

#[test]
fn a_wake_that_is_set_and_agents_that_rest_are_left_alone_by_other_commands() {
    let world = World::with_agents();
    let before = (runs(&world, "Wanda"), runs(&world, "Sven"));
    world.ok(&["agent", "pause", "Wanda"]);
    world.ok(&["agent", "automation", "Sven", "off"]);
    world.ok(&["agent", "wake", "Sven", "--at", "2036-01-01 09:00"]);
    world.ok(&["task", "note", "water butt", "TODO: buy a tap"]);
    world.ok(&["task", "note", "slug fence", "TODO: buy copper"]);
    world.ok(&["agent", "wake", "--due"]);
    assert_eq!((runs(&world, "Wanda"), runs(&world, "Sven")), before);
}

#[cfg(feature = "faults")]
#[test]
fn a_change_after_a_failed_run_does_not_shorten_its_back_off() {
    let world = World::with_agents();
    let note = ["task", "note", "water butt", "TODO: buy a tap"];
    fails(&world, &note);
    let tried = runs(&world, "Wanda");
    assert_eq!(tried.first().map(String::as_str), Some("failed 0"));
    let done = world.ok(&["task", "note", "water butt", "TODO: and a hose"]);
    assert_eq!(runs(&world, "Wanda"), tried, "{done:?}");
    world.ok(&["agent", "wake", "Wanda"]);
    assert_eq!(runs(&world, "Wanda").first().map(String::as_str), Some("completed 0"));
}

/// Runs a command whose agent fails.
#[cfg(feature = "faults")]
pub fn fails(world: &World, args: &[&str]) {
    let child = world.start_with(args, &[("DORMOUSE_FAULTS", "model:fails")]);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{output:?}");
}

/// Sends a signal once the folder's agent store holds a lease, and waits for the end.
#[cfg(feature = "faults")]
fn signalled(world: &World, mut child: Child, signal: Signal) -> (Option<i32>, String) {
    let agents = world.data().join("agent.sqlite");
    until("an agent is at work", || {
        let rows = Connection::open_with_flags(&agents, OpenFlags::SQLITE_OPEN_READ_ONLY).ok()?;
        let sql = "SELECT owner FROM wake_queue WHERE owner IS NOT NULL";
        rows.query_row(sql, [], |row| row.get::<_, String>(0)).ok()
    });
    ended(&mut child, signal)
}

#[cfg(feature = "faults")]
fn ended(child: &mut Child, signal: Signal) -> (Option<i32>, String) {
    kill_process(Pid::from_child(child), signal).expect("a child takes signals");
    let mut said = String::new();
    let err = child.stderr.as_mut().expect("standard error is piped");
    err.read_to_string(&mut said).expect("it says text");
    (child.wait().expect("it ends").code(), said)
}

#[cfg(feature = "faults")]
#[test]
fn a_command_that_gets_a_signal_puts_its_run_back_and_counts_no_crash() {
    let world = World::with_agents();
    let stalls = [("DORMOUSE_FAULTS", "model:holds")];
    for (n, signal) in [Signal::INT, Signal::TERM, Signal::INT, Signal::TERM].iter().enumerate() {
        let args: &[&str] = match n {
            0 => &["task", "note", "water butt", "TODO: buy a tap by 2036-03-01"],
            _ => &["agent", "wake", "--due"],
        };
        let (code, said) = signalled(&world, world.start_with(args, &stalls), *signal);
        assert_eq!(code, Some(0), "{signal:?}: {said}");
        assert!(said.contains("stopped: the next command resumes the agents"), "{said}");
        // No command puts it right: this is what the stop left.
        let rows = Connection::open(world.data().join("agent.sqlite")).expect("the store opens");
        let sql = "SELECT r.status, r.crashes + q.crashes, q.owner IS NULL FROM wake_run_log r
                   JOIN wake_queue q ON q.ws = r.ws AND q.run_key = r.run_key";
        let left = rows.query_row(sql, [], |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, i64>(1)?, row.get::<_, bool>(2)?))
        });
        assert_eq!(left.expect("the run waits"), ("queued".to_owned(), 0, true), "{signal:?}");
    }
    let done = world.ok(&["agent", "wake", "--due"]);
    assert!(!done.err.contains("recovered"), "{done:?}");
    assert_eq!(runs(&world, "Wanda").first().map(String::as_str), Some("completed 0"));
}

#[cfg(feature = "faults")]
#[test]
fn a_command_on_postgres_that_gets_a_signal_gives_its_lease_back() {
    let server = Server::shared();
    let world = World::new();
    let url = server.url();
    let on = |args: &[&str], faults: &str| {
        world.start_with(args, &[("DORMOUSE_DATABASE_URL", &url), ("DORMOUSE_FAULTS", faults)])
    };
    let done = |args: &[&str]| {
        let output = on(args, "model:slow:0").wait_with_output().expect("it ends");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    done(&["task", "add", "Water butt", "--note", "TODO: buy a tap"]);
    done(&["agent", "create", "Water butt", "--name", "Wanda"]);
    let mut child = on(&["agent", "wake", "Wanda"], "model:holds");
    until("the agent is at work", || {
        let agents: Value = serde_json::from_str(&done(&["agent", "list", "--json"])).ok()?;
        (agents["items"][0]["activity"] == "running").then_some(())
    });
    let (code, said) = ended(&mut child, Signal::INT);
    assert_eq!(code, Some(0), "{said}");
    let again = on(&["agent", "wake", "--due"], "model:slow:0").wait_with_output().expect("ends");
    let said = String::from_utf8(again.stderr).expect("text");
    assert!(said.contains("agent Wanda"), "nobody waits for a lease to run out: {said}");
    let log: Value =
        serde_json::from_str(&done(&["agent", "log", "Wanda", "--json"])).expect("JSON");
    let newest = &log["items"][0];
    assert_eq!((&newest["status"], &newest["crashes"]), (&"completed".into(), &0.into()), "{log}");
}
