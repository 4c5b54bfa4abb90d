//! From a note to a proposal to a decision.

use std::fs::File;
use std::io::{Read as _, Write as _};

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
fn that_something_private_is_part_of_a_proposal_is_shown_before_a_confirm() {
    let world = World::with_tasks();
    let warning = "made of something private; once confirmed, it can be seen wherever its task can";
    let says =
        |shown: &str| shown.split_whitespace().collect::<Vec<_>>().join(" ").contains(warning);
    world.ok(&["agent", "create", "slug fence"]);
    let of_public = world.run_with(&["review", "slug fence"], b"q\n").out;
    assert!(of_public.contains("Set status") && !says(&of_public), "{of_public}");
    world.ok(&["task", "entry", "water butt", "last", "--private"]);
    world.ok(&["agent", "create", "water butt"]);
    let (name, _) = due_date(&world);
    let shown = world.ok(&["change", "show", &name]).out;
    assert!(says(&shown), "{shown}");
    let cards = world.run_with(&["review", "water butt"], b"q\n").out;
    assert!(says(&cards), "{cards}");
    let done = world.ok(&["change", "confirm", &name]);
    assert!(says(&done.err) && done.out.contains("confirmed"), "{done:?}");
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
    assert!(done.out.contains("1 of ") && done.out.contains("undone."), "{done:?}");
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
    assert!(done.err.contains("agent "), "it reports the run: {done:?}");
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

/// A task with a due date, an estimate and as many more proposals as there are boxes.
fn fence(boxes: usize) -> World {
    let world = World::new();
    let mut note = "The deadline is 15 May 2036. This will take about 2 hours.".to_owned();
    for n in 0..boxes {
        note.push_str(&format!("\n- [ ] step number {n}"));
    }
    world.ok(&["task", "add", "Paint the fence", "--note", &note]);
    world.ok(&["agent", "create", "fence", "--name", "Fay"]);
    assert_eq!(open(&world).len(), 2 + boxes);
    world
}

fn name_of(world: &World, tool: &str) -> String {
    open(world).into_iter().find(|(_, _, of)| of == tool).expect("it is proposed").0
}

fn set_of(name: &str) -> &str {
    name.split(':').next().unwrap_or_default()
}

fn field(world: &World, name: &str) -> Value {
    world.json(&["task", "show", "fence"])[name].clone()
}

/// The status of every item, in the order of the set.
fn statuses(world: &World) -> Vec<String> {
    let sets = world.json(&["change", "list", "--all"]);
    let items = sets["items"][0]["items"].as_array().expect("items").iter();
    items.filter_map(|item| item["status"].as_str().map(str::to_owned)).collect()
}

/// The reasons of all rejections.
fn reasons(world: &World) -> Vec<String> {
    let mut reasons = Vec::new();
    for agent in world.json(&["agent", "list"])["items"].as_array().into_iter().flatten() {
        let id = agent["id"].as_str().expect("an id");
        let shown = world.run(&["agent", "wake", id]);
        assert_eq!(shown.code, 0, "{shown:?}");
        let prompt = world.ok(&["agent", "log", id, "--prompt", "--limit", "1"]).out;
        reasons.extend(prompt.lines().filter_map(|line| {
            let (_, reason) = line.split_once("(reason: ")?;
            serde_json::from_str::<String>(reason.trim_end_matches(')')).ok()
        }));
    }
    reasons
}

#[test]
fn a_reason_with_any_letters_is_a_reason_and_decides_nothing_else() {
    for reason in ["Y", "y", "X, because of V", "Y because X and V", "why not yes", "q", "u", "l"] {
        let world = World::with_agents();
        let n = open(&world).len();
        let done = review(&world, &format!("w\n{reason}\nq\n"));
        assert!(done.out.contains(&format!("1 rejected, {} left", plural(n - 1))), "{done:?}");
        let decided = world.json(&["change", "list", "--all"]).to_string();
        assert_eq!(decided.matches("\"status\":\"rejected\"").count(), 1, "{reason}");
        assert_eq!(decided.matches("\"status\":\"confirmed\"").count(), 0, "{reason}");
        assert!(reasons(&world).contains(&reason.to_owned()), "{reason}");
    }
}

#[test]
fn the_reason_may_follow_why_not() {
    let world = World::with_agents();
    let n = open(&world).len();
    let done = review(&world, "w Yes would be too early\nwhy not: X\nq\n");
    assert!(done.out.contains(&format!("2 rejected, {} left", plural(n - 2))), "{done:?}");
}

/// A reason that is pasted with several lines: the lines after the first are in the input before
/// the next proposal is on screen.
#[test]
fn what_was_typed_before_a_question_was_on_screen_decides_nothing() {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let world = World::with_agents();
    let n = open(&world).len();
    let keyboard = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a terminal");
    grantpt(&keyboard).expect("granted");
    unlockpt(&keyboard).expect("unlocked");
    let name = ptsname(&keyboard, Vec::new()).expect("a name");
    let name = name.to_str().expect("a path");
    let terminal = File::options().read(true).write(true).open(name).expect("the terminal");
    let mut child = world.start_on(&["review"], terminal);
    let mut keyboard = File::from(keyboard);
    let mut screen = child.stdout.take().expect("piped");
    let mut seen = String::new();
    let mut until = |words: &str| {
        let mut byte = [0];
        let from = seen.len();
        while !seen[from..].ends_with(words) {
            assert_eq!(screen.read(&mut byte).expect("readable"), 1, "{words:?} after {seen}");
            seen.push(char::from(byte[0]));
        }
    };
    until("[q]uit? ");
    keyboard.write_all(b"w\n").expect("typed");
    until("Why not? ");
    keyboard.write_all(b"From an e-mail:\nyes\n\nn\nbest regards\n").expect("pasted");
    until("was ignored.)");
    until("[q]uit? ");
    keyboard.write_all(b"q\n").expect("typed");
    until(&format!("1 rejected, {} left", plural(n - 1)));
    assert!(child.wait().expect("it ends").success());
    assert!(reasons(&world).contains(&"From an e-mail:".to_owned()));
}

#[test]
fn an_empty_reason_is_none_and_the_end_of_the_input_is_no_verdict() {
    let world = World::with_agents();
    let n = open(&world).len();
    let done = review(&world, "w\n\n");
    assert!(done.out.contains(&format!("1 rejected, {} left", plural(n - 1))), "{done:?}");
    let done = review(&world, "w\n");
    assert!(done.out.contains(&format!("{} left", plural(n - 1))), "{done:?}");
    assert_eq!(open(&world).len(), n - 1, "nobody said why, and nobody said no");
}

#[test]
fn confirm_all_lists_what_it_confirms_and_leaves_out_what_you_set_since() {
    let world = fence(0);
    let due = name_of(&world, "update_task_due_date");
    world.ok(&["task", "edit", "fence", "--due", "2036-03-03"]);
    let done = world.ok(&["change", "confirm-all", set_of(&due)]);
    let estimate = if due.ends_with(":1") { ":2" } else { ":1" };
    let listed = format!("{}{estimate}  Set time estimate to 2 hours", set_of(&due));
    assert!(done.out.contains(&listed), "{done:?}");
    assert!(
        done.out.contains(&format!("{due}  left out: Set due date to 2036-05-15;")),
        "{done:?}"
    );
    assert!(done.out.contains("confirmed 1 of 2 proposals"), "{done:?}");
    assert_eq!(field(&world, "dueOn"), "2036-03-03");
    assert_eq!(field(&world, "estimateMinutes"), 120);
}

#[test]
fn confirm_all_confirms_what_it_printed_and_nothing_that_was_not_shown() {
    let world = fence(11);
    let set = set_of(&name_of(&world, "update_task_due_date")).to_owned();
    let done = world.ok(&["change", "confirm-all", &set]);
    assert_eq!(done.out.matches(&format!("  {set}:")).count(), 10, "{done:?}");
    assert!(done.out.contains("confirmed 10 of 10 proposals"), "{done:?}");
    let statuses = statuses(&world);
    assert!(statuses[..10].iter().all(|status| status == "confirmed"), "{statuses:?}");
    assert_eq!(statuses[10..], ["pending", "pending", "pending"]);
}

#[test]
fn a_value_you_set_since_is_confirmed_over_by_its_name() {
    let world = fence(0);
    let due = name_of(&world, "update_task_due_date");
    world.ok(&["--no-wait", "task", "edit", "fence", "--due", "2036-03-03"]);
    let done = world.run(&["change", "confirm", &due]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.err.contains("you set this to 2036-03-03"), "{done:?}");
    assert!(done.err.contains("--over '2036-03-03'"), "{done:?}");
    let done = world.run(&["change", "confirm", &due, "--over", "2036-03-04"]);
    assert_eq!(done.code, 1, "{done:?}");
    assert_eq!(field(&world, "dueOn"), "2036-03-03");
    let body = world.run(&["change", "confirm", &due, "--json"]);
    assert_eq!(body.json()["now"], "2036-03-03", "{body:?}");
    world.ok(&["--no-wait", "change", "confirm", &due, "--over", "2036-03-03"]);
    assert_eq!(field(&world, "dueOn"), "2036-05-15");
}

#[test]
fn a_proposal_beyond_those_shown_is_confirmed_by_its_digest_alone() {
    let world = fence(11);
    let (name, digest, _) = open(&world).remove(12);
    let done = world.run(&["change", "confirm", &name]);
    assert_eq!(done.code, 1, "{done:?}");
    assert!(done.err.contains("was not shown yet"), "{done:?}");
    assert_eq!(statuses(&world)[12], "pending");
    world.ok(&["change", "confirm", &format!("{name}@{}", &digest[..8])]);
    assert_eq!(statuses(&world)[12], "confirmed");
}

#[test]
fn a_review_comes_to_everything_that_is_counted() {
    let world = fence(11);
    let first = open(&world).remove(0).0;
    world.ok(&["change", "defer", &first]);
    let said = world.ok(&[]);
    assert!(said.out.contains("12 proposals wait, 1 put off"), "{said:?}");
    let list = world.ok(&["change", "list"]);
    assert!(list.out.contains("put off") && list.out.contains("2 more appear"), "{list:?}");
    let row = &world.json(&["task", "list"])["items"][0];
    assert_eq!((&row["openProposals"], &row["putOffProposals"]), (&12.into(), &1.into()));
    let shown = world.ok(&["task", "show", "fence"]);
    assert!(shown.out.contains("12 open proposals, 1 put off: "), "{shown:?}");
    let done = review(&world, &"n\n".repeat(13));
    assert!(done.out.contains("13 of 13") && done.out.contains("13 rejected."), "{done:?}");
    assert!(!done.out.contains("14 of"), "{done:?}");
    assert_eq!(world.ok(&["change", "list"]).out, "No open proposals.\n");
}

#[test]
fn what_is_put_off_is_listed_and_comes_last_in_a_review() {
    let world = fence(0);
    let due = name_of(&world, "update_task_due_date");
    world.ok(&["change", "defer", &due]);
    let done = review(&world, "n\ny\n");
    let (waits, later) = (done.out.find("time estimate"), done.out.find("· put off"));
    assert!(waits.is_some() && waits < later, "{done:?}");
    assert!(done.out.contains("1 confirmed, 1 rejected."), "{done:?}");

    let world = fence(0);
    world.ok(&["change", "dismiss", "fence"]);
    let list = world.ok(&["change", "list", "fence"]);
    assert_eq!(list.out.matches("put off").count(), 2, "{list:?}");
    assert!(!list.out.contains("more appear"), "{list:?}");
    let said = world.ok(&[]);
    assert!(said.out.contains("2 proposals put off"), "{said:?}");
    let done = world.run_with(&["review", "--put-off"], b"y\nq\n");
    assert!(done.out.contains("2 of 2"), "{done:?}");
}

#[test]
fn a_deleted_or_closed_task_asks_nothing() {
    let world = fence(0);
    let due = name_of(&world, "update_task_due_date");
    let quiet = |world: &World| {
        assert_eq!(world.ok(&["change", "list"]).out, "No open proposals.\n");
        assert!(!world.ok(&[]).out.contains("proposal"));
        let done = world.ok(&["review"]);
        assert_eq!(done.out, "No proposals to review.\n");
    };
    world.ok(&["task", "delete", "fence"]);
    quiet(&world);
    let done = world.run(&["change", "confirm", &due]);
    assert!(done.code == 1 && done.err.contains("is deleted"), "{done:?}");
    world.ok(&["task", "restore", "fence"]);
    assert_eq!(open(&world).len(), 2);
    world.ok(&["task", "edit", "fence", "--status", "done"]);
    quiet(&world);
    let done = world.run(&["change", "confirm", &due]);
    assert!(done.code == 1 && done.err.contains("is DONE"), "{done:?}");
    world.ok(&["task", "edit", "fence", "--status", "open"]);
    world.ok(&["change", "confirm", &due]);
    assert_eq!(field(&world, "dueOn"), "2036-05-15");
}

#[test]
fn a_newer_note_replaces_what_an_older_one_proposed() {
    let world = fence(0);
    world.ok(&["task", "note", "fence", "This will take about 3 hours now."]);
    world.ok(&["task", "note", "fence", "The deadline moved from 15 May to 6 June 2036."]);
    let list = world.ok(&["change", "list"]);
    assert!(list.out.contains("3 hours") && list.out.contains("2036-06-06"), "{list:?}");
    assert!(!list.out.contains("2 hours") && !list.out.contains("2036-05-15"), "{list:?}");
    assert_eq!(open(&world).len(), 2, "{list:?}");
}
