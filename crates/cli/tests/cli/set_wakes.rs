//! Commands show scheduled wakes: when, and why. They also say what wakes no agent.

use serde_json::{Value, json};

use crate::world::World;

/// The wakes that are set for an agent, as `at reason held-by`.
fn set(agent: &Value) -> Vec<String> {
    let wakes = agent["scheduledWakes"].as_array().unwrap_or_else(|| panic!("{agent}"));
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let shown = |wake: &Value| {
        format!("{} {} {}", text(&wake["at"]), text(&wake["reason"]), text(&wake["heldBy"]))
    };
    wakes.iter().map(shown).collect()
}

#[test]
fn a_time_that_a_person_set_is_shown_wherever_the_agent_is() {
    let world = World::with_agents();
    world.ok(&["agent", "wake", "Wanda", "--at", "2036-01-01 09:00"]);
    let agent = world.json(&["agent", "show", "Wanda"]);
    assert_eq!(set(&agent), ["2036-01-01T09:00:00Z wakeAt -"]);
    assert_eq!(agent["nextWakeAt"], "2036-01-01T09:00:00Z");
    for command in [&["agent", "show", "Wanda"][..], &["task", "show", "water butt"]] {
        let out = world.ok(command).out;
        assert!(out.contains("2036-01-01 09:00: you set this time"), "{command:?}: {out}");
    }
    assert!(world.ok(&["agent", "list"]).out.contains("2036-01-01 09:00"));
    let out = world.ok(&[]).out;
    assert!(out.contains("the next wake is set for 2036-01-01 09:00: "), "{out}");
    world.ok(&["agent", "wake", "Wanda", "--at", "none"]);
    assert_eq!(set(&world.json(&["agent", "show", "Wanda"])), Vec::<String>::new());
}

#[test]
fn the_timer_of_a_due_date_is_shown_with_the_day() {
    let world = World::with_agents();
    world.ok(&["task", "edit", "water butt", "--due", "2036-03-02"]);
    let agent = world.json(&["agent", "show", "Wanda"]);
    assert_eq!(set(&agent), ["2036-03-01T09:00:00Z dueDate -"]);
    assert_eq!(agent["scheduledWakes"][0]["about"], "2036-03-02");
    let out = world.ok(&["task", "show", "water butt"]).out;
    assert!(out.contains("2036-03-01 09:00: its task is due on 2036-03-02"), "{out}");
}

#[test]
fn what_a_sleep_holds_back_is_shown_with_its_end() {
    let world = World::with_agents();
    world.ok(&["agent", "wake", "Wanda", "--at", "2036-01-01 09:00"]);
    let until = ["agent", "automation", "Wanda", "--sleep-until", "2036-02-01 09:00"];
    let out = world.ok(&until).out;
    assert!(out.contains("2036-02-01 09:00: you set this time, held back until then"), "{out}");
    world.ok(&["task", "note", "water butt", "TODO: buy a tap"]);
    let agent = world.json(&["agent", "show", "Wanda"]);
    let held =
        ["subscription", "wakeAt"].map(|why| format!("2036-02-01T09:00:00Z {why} sleepUntil"));
    assert_eq!(set(&agent), held);
    assert_eq!(agent["nextWakeAt"], "2036-02-01T09:00:00Z");
}

#[test]
fn who_does_not_wake_by_itself_is_not_said_to() {
    let world = World::with_agents();
    world.ok(&["agent", "wake", "Wanda", "--at", "2036-01-01 09:00"]);
    world.ok(&["agent", "automation", "Wanda", "off"]);
    world.ok(&["task", "note", "water butt", "TODO: buy a tap"]);
    let agent = world.json(&["agent", "show", "Wanda"]);
    assert_eq!(set(&agent), ["2036-01-01T09:00:00Z wakeAt -", "- subscription automation"]);
    assert_eq!(agent["nextWakeAt"], "2036-01-01T09:00:00Z");
    let out = world.ok(&["agent", "show", "Wanda"]).out;
    assert!(
        out.contains("no time is set: something changed, but it wakes only when asked"),
        "{out}"
    );
    world.ok(&["agent", "automation", "Wanda", "on"]);
    world.ok(&["agent", "pause", "Wanda"]);
    let agent = world.json(&["agent", "show", "Wanda"]);
    assert_eq!(set(&agent), ["2036-01-01T09:00:00Z wakeAt dormant"]);
}

#[cfg(feature = "faults")]
#[test]
fn another_try_after_a_failed_run_is_shown() {
    let world = World::with_agents();
    crate::held::fails(&world, &["task", "note", "water butt", "TODO: buy a tap"]);
    let agent = world.json(&["agent", "show", "Wanda"]);
    let at = agent["nextWakeAt"].as_str().expect("a time");
    assert_eq!(set(&agent), [format!("{at} backOff -")]);
    assert_eq!(agent["dueAt"], at);
    let out = world.ok(&["agent", "show", "Wanda"]).out;
    assert!(out.contains("it tries again after a failed run"), "{out}");
}

#[test]
fn a_change_that_waits_is_shown_as_what_it_is() {
    let world = World::with_agents();
    world.ok(&["--no-wait", "task", "note", "water butt", "TODO: buy a tap"]);
    // Any command that routes finds out that it waits.
    world.ok(&[]);
    let agent = world.json(&["agent", "show", "Wanda"]);
    assert_eq!(set(&agent), [format!("{} subscription -", agent["dueAt"].as_str().expect("due"))]);
    let prompt = world.ok(&["agent", "log", "Wanda", "--prompt", "--limit", "1"]);
    assert!(prompt.out.contains("as it was sent"), "the newest run with a prompt: {prompt:?}");
}

#[test]
fn switching_automation_on_or_ending_a_sleep_runs_what_waited() {
    let world = World::with_agents();
    world.ok(&["agent", "automation", "Wanda", "off"]);
    world.ok(&["task", "note", "water butt", "TODO: buy a tap"]);
    let done = world.ok(&["agent", "automation", "Wanda", "on"]);
    assert!(done.err.contains("agent Wanda") && done.err.contains("report updated"), "{done:?}");
    world.ok(&["agent", "automation", "Wanda", "--sleep-until", "2036-02-01 09:00"]);
    world.ok(&["task", "note", "water butt", "TODO: buy a hose"]);
    let done = world.ok(&["agent", "automation", "Wanda", "--sleep-until", "none"]);
    assert!(done.err.contains("agent Wanda") && done.err.contains("report updated"), "{done:?}");
    assert_eq!(set(&world.json(&["agent", "show", "Wanda"])), Vec::<String>::new());

    world.ok(&["agent", "automation", "Wanda", "off"]);
    world.ok(&["task", "note", "water butt", "TODO: buy a lid"]);
    let done = world.ok(&["--no-wait", "agent", "automation", "Wanda", "on"]);
    assert!(done.out.contains(": something changed"), "it says what waits: {done:?}");
}

#[test]
fn nobody_works_for_a_task_that_is_deleted() {
    let world = World::with_agents();
    world.ok(&["task", "delete", "water butt"]);
    let restores = |text: &str| text.contains(" task restore ");
    for what in [&["resume"][..], &["wake"], &["reanalyse"], &["wake", "--at", "2036-01-01 09:00"]]
    {
        let args = [&["agent"][..], &what[..1], &["Wanda"], &what[1..]].concat();
        let done = world.run(&args);
        assert_eq!(done.code, 1, "{args:?}: {done:?}");
        assert!(done.err.contains("its task") && restores(&done.err), "{args:?}: {done:?}");
        assert!(!done.err.contains("resume it first"), "{args:?}: {done:?}");
        assert_eq!(done.out, "", "{args:?}");
    }
    let refused = world.run(&["agent", "resume", "Wanda", "--json"]);
    assert_eq!(
        (refused.code, refused.json()["type"].clone()),
        (1, json!("/problems/task-deleted"))
    );
    let shown = world.ok(&["agent", "show", "Wanda"]).out;
    assert!(restores(&shown) && !shown.contains("agent resume"), "{shown}");
    let agent = world.json(&["agent", "show", "Wanda"]);
    assert_eq!(
        (&agent["lifecycle"], &agent["dormantReason"]),
        (&json!("dormant"), &json!("taskDeleted"))
    );

    // Also before the agent itself found out.
    world.ok(&["--no-wait", "task", "delete", "slug fence"]);
    let done = world.run(&["agent", "resume", "Sven"]);
    assert!(done.code == 1 && restores(&done.err), "{done:?}");
    world.ok(&["task", "restore", "water butt"]);
    world.ok(&["agent", "resume", "Wanda"]);
    assert_eq!(world.json(&["agent", "show", "Wanda"])["lifecycle"], "active");
}

#[test]
fn a_task_without_an_agent_says_how_to_make_one_and_an_edit_of_nothing_says_so() {
    let world = World::with_tasks();
    for command in [&["agent", "show", "water butt"][..], &["agent", "wake", "water butt"]] {
        let done = world.run(command);
        assert!(done.code == 1 && done.err.contains(" agent create "), "{done:?}");
    }
    world.ok(&["task", "edit", "water butt", "--priority", "P1"]);
    let done = world.ok(&["task", "edit", "water butt", "--priority", "P1"]);
    assert!(done.out.starts_with("unchanged "), "{done:?}");
    world.ok(&["task", "add", "--note", "No title."]);
    let task = world.json(&["task", "list"])["items"][0]["id"].as_str().expect("an id").to_owned();
    let done = world.ok(&["agent", "create", &task, "--name", "Aaron"]);
    assert!(done.err.contains("), (untitled): "), "{done:?}");
}
