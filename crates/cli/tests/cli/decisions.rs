//! From a note to a proposal to a decision.

use serde_json::Value;

use crate::world::{Done, World};

/// The open proposals, as (name, digest, tool).
fn open(world: &World) -> Vec<(String, String, String)> {
    let sets = world.json(&["change", "list"]);
    let mut open = Vec::new();
    for set in sets["items"].as_array().into_iter().flatten() {
        let id = set["id"].as_str().expect("a set has an id");
        for item in set["items"].as_array().into_iter().flatten() {
            let text = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
            if item["status"] == "pending" {
                let name = format!("{}:{}", &id[id.len() - 5..], item["index"]);
                open.push((name, text("digest"), text("toolName")));
            }
        }
    }
    open
}

fn due_date(world: &World) -> (String, String) {
    let due = open(world).into_iter().find(|(_, _, tool)| tool == "update_task_due_date");
    let (name, digest, _) = due.expect("the note names a day");
    (name, digest)
}

fn due_on(world: &World) -> Value {
    world.json(&["task", "show", "water butt"])["dueOn"].clone()
}

#[test]
fn a_confirmed_proposal_changes_the_task_and_undo_takes_it_back() {
    let world = World::with_agents();
    let (name, _) = due_date(&world);
    assert_eq!(due_on(&world), Value::Null);
    let done = world.ok(&["change", "confirm", &name]);
    assert!(done.out.contains(&format!("confirmed {name}")), "{done:?}");
    assert_eq!(due_on(&world), "2036-05-15");
    world.ok(&["change", "undo", &name]);
    assert_eq!(due_on(&world), Value::Null);
    world.ok(&["change", "confirm", &name]);
    assert_eq!(due_on(&world), "2036-05-15");
}

#[test]
fn a_verdict_with_the_digest_of_another_item_is_refused() {
    let world = World::with_agents();
    let (name, digest) = due_date(&world);
    let other = open(&world).into_iter().find(|(_, other, _)| *other != digest);
    let (_, other, _) = other.expect("there is more than one proposal");
    let done = world.run(&["change", "confirm", &format!("{name}@{}", &other[..8])]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.err.contains(&name), "{done:?}");
    assert_eq!(due_on(&world), Value::Null);
    let done = world.run(&["change", "confirm", &format!("{name}@{other}"), "--json"]);
    assert_eq!(done.json()["type"], "/problems/precondition-failed", "{done:?}");
    assert_eq!(done.json()["status"], 412);

    world.ok(&["change", "confirm", &format!("{name}@{}", &digest[..8])]);
    assert_eq!(due_on(&world), "2036-05-15");
}

#[test]
fn one_slip_among_several_decides_nothing() {
    let world = World::with_agents();
    let (name, _) = due_date(&world);
    let before = open(&world);
    let done = world.run(&["change", "confirm", &name, "zzzzz:1"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert_eq!(open(&world), before);
}

fn review(world: &World, answers: &str) -> Done {
    let done = world.run_with(&["review"], answers.as_bytes());
    assert_eq!(done.code, 0, "{done:?}");
    done
}

#[test]
fn review_takes_one_answer_for_each_proposal_and_can_undo_the_last() {
    let world = World::with_agents();
    let n = open(&world).len();
    assert!(n >= 4, "the notes give enough to decide: {n}");
    let done = review(&world, "y\nu\nn\nw\nnot this year\nl\nq\n");
    assert!(done.out.contains("1 of ") && done.out.contains("taken back."), "{done:?}");
    assert!(
        done.out.contains(&format!("2 rejected, 1 put off, {} left", plural(n - 3))),
        "{done:?}"
    );
    assert_eq!(open(&world).len(), n - 3);
    let sets = world.json(&["change", "list", "--all"]).to_string();
    assert_eq!(sets.matches("\"rejected\"").count(), 2, "{sets}");
}

#[test]
fn review_ends_with_its_input_and_an_unclear_answer_decides_nothing() {
    let world = World::with_agents();
    let before = open(&world);
    let done = review(&world, "maybe\n");
    assert!(done.out.contains("Please answer"), "{done:?}");
    assert_eq!(open(&world), before);
}

fn plural(n: usize) -> String {
    if n == 1 { "1 proposal".to_owned() } else { format!("{n} proposals") }
}

#[test]
fn a_note_wakes_the_agent_and_changes_the_report() {
    let world = World::with_agents();
    let report = |world: &World| world.json(&["report", "water butt"])["id"].clone();
    let before = report(&world);
    let done = world.ok(&["task", "note", "water butt", "The diverter kit is fitted."]);
    assert!(done.err.contains("agent "), "the run is told: {done:?}");
    assert_ne!(report(&world), before);
}

#[test]
fn no_wait_leaves_the_agent_asleep_for_a_later_command() {
    let world = World::with_agents();
    let done = world.ok(&["--no-wait", "task", "note", "water butt", "The kit is fitted."]);
    assert_eq!(done.err, "");
    let done = world.ok(&["agent", "wake", "--due"]);
    assert!(done.err.contains("Water butt"), "{done:?}");
}
