//! Steps of a run: what has to be done, what is checked of it, and what happens if it is not.

use dormouse_scheduler::End;
use dormouse_store::agent::work::step;
use dormouse_testkit::scripted::Answer;
use dormouse_types::WorkId;
use dormouse_types::model::FragmentKind;
use dormouse_types::work_step::{StepCheck, WorkStep};
use dormouse_work::WorkError;
use dormouse_work::definition::NewWork;
use dormouse_work::lifecycle::Edit;
use serde_json::{Value, json};

use crate::world::{WS, World, ask, finish, me, wait};

const DONE: End = End::Completed { cut: false };

fn short() -> WorkStep {
    let check = Some(StepCheck::Words { most: 3 });
    WorkStep { text: "Sum it up".into(), mandatory: true, check }
}

fn look() -> WorkStep {
    WorkStep { text: "Look at the calendar".into(), mandatory: true, check: None }
}

#[track_caller]
fn digest(world: &World, steps: Vec<WorkStep>) -> WorkId {
    let new = NewWork { steps, ..world.new_work("Digest", None) };
    wait(world.work.create(WS, &new, &me())).expect("it is created").definition.id
}

/// Calls tools in one turn, and goes on.
fn calls(world: &World, calls: &[(&str, Value)]) {
    let calls = calls.iter().map(|(name, args)| (*name, args.clone()));
    world.script.push(Answer::calls(calls).and_goes_on());
}

fn publish(text: &str) -> (&'static str, Value) {
    ("publish_result", json!({ "title": "Digest", "text": text }))
}

fn mark(n: i64) -> (&'static str, Value) {
    ("finish_step", json!({ "step": n }))
}

fn end() -> (&'static str, Value) {
    ("finish", json!({ "outcome": "done", "summary": "Told." }))
}

/// The steps of the newest run: state, failed checks, note.
fn steps(world: &World, id: &WorkId) -> Vec<String> {
    let run = world.runs(id).pop().expect("a run").id;
    let steps = wait(world.store.all(step::of_run(WS, &run))).expect("readable");
    let said = steps.iter().map(|one| {
        let note = one.note.as_ref().map(|note| format!(", {note}")).unwrap_or_default();
        format!("{} {} {}{note}", one.n, one.state, one.attempts)
    });
    said.collect()
}

fn error(world: &World, id: &WorkId) -> String {
    world.runs(id).pop().expect("a run").error.unwrap_or_default()
}

fn replies(world: &World) -> String {
    format!("{:?}", world.last_request())
}

fn a_run_is_shown_its_steps_and_marks_them(world: &World) {
    let id = digest(world, vec![look(), short()]);
    calls(world, &[("finish_step", json!({ "step": 1, "note": "Three events." }))]);
    calls(world, &[publish("One two three"), mark(2)]);
    world.script.push(finish("done", "Told."));
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.status(&id), "completed/succeeded");
    assert_eq!(steps(world, &id), ["1 done 0, Three events.", "2 done 0"]);
    let prompt = crate::world::text_of(&world.script.requests()[0], FragmentKind::Work);
    assert!(prompt.contains("1. [ ] Look at the calendar (must be done)"), "{prompt}");
    assert!(prompt.contains("checked: the result has at most 3 words"), "{prompt}");
}

fn a_run_that_left_a_step_out_is_reminded_once_and_then_waits_for_a_review(world: &World) {
    let id = digest(world, vec![look(), short()]);
    calls(world, &[publish("Short"), mark(2), end()]);
    calls(world, &[end()]);
    assert_eq!(world.drain(), [DONE]);
    assert!(replies(world).contains("not done: 1. Look at the calendar"), "{}", replies(world));
    assert_eq!(world.status(&id), "paused/needs_review");
    assert!(error(world, &id).starts_with("steps were not done: 1. Look"), "{}", error(world, &id));
    let run = world.runs(&id).remove(0);
    assert_eq!((run.outcome, run.result.as_deref()), (None, Some("Short")));
    // What the person does about it is as after any run that did not end well.
    wait(world.work.retry(WS, &run.id, &me())).expect("it is tried again");
    calls(world, &[mark(1), end()]);
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.status(&id), "completed/succeeded");
    assert_eq!(steps(world, &id), ["1 done 0", "2 done 0"]);
}

fn the_third_failed_check_ends_the_run(world: &World) {
    let id = digest(world, vec![short()]);
    calls(world, &[mark(1)]);
    calls(world, &[publish("Far too many words here"), mark(1)]);
    calls(world, &[publish("Still too many words here"), mark(1), publish("After the end")]);
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.status(&id), "paused/needs_review");
    assert_eq!(world.script.requests().len(), 3, "no further request follows");
    let why = "the result has 5 words; at most 3 are allowed";
    assert_eq!(steps(world, &id), [format!("1 failed 3, {why}")]);
    assert!(error(world, &id).contains("failed 3 times"), "{}", error(world, &id));
    let run = world.runs(&id).remove(0).id;
    wait(world.work.retry(WS, &run, &me())).expect("it is tried again");
    calls(world, &[publish("Short now"), mark(1), end()]);
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.status(&id), "completed/succeeded");
}

fn what_is_published_later_is_checked_again(world: &World) {
    let id = digest(world, vec![short()]);
    calls(world, &[publish("Short"), mark(1)]);
    calls(world, &[publish("This is longer than it may be"), end()]);
    calls(world, &[publish("Short again"), mark(1), end()]);
    assert_eq!(world.drain(), [DONE]);
    assert!(replies(world).contains("the result has 7 words"), "{}", replies(world));
    assert_eq!(world.status(&id), "completed/succeeded");
    assert_eq!(world.runs(&id)[0].result.as_deref(), Some("Short again"));
}

fn a_run_that_failed_owes_no_steps(world: &World) {
    let id = digest(world, vec![look(), short()]);
    world.script.push(finish("failed", "The calendar cannot be read."));
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.status(&id), "failed/failed");
}

fn addresses_and_tasks_are_checked_against_what_there_is(world: &World) {
    let rent = world.create_task("Pay the rent", Vec::new());
    let all = WorkStep {
        text: "Name all tasks".into(),
        mandatory: true,
        check: Some(StepCheck::NamesTasks { status: None, words: "rent".into() }),
    };
    let links = WorkStep { text: "Link it".into(), mandatory: true, check: Some(StepCheck::Links) };
    let note = dormouse_journal::Edit::AddEntry {
        kind: dormouse_types::task::EntryKind::Text,
        text: Some("See https://bank.example/rent.".into()),
        transcript: None,
        minutes: None,
        on: None,
        tainted: false,
        flags: dormouse_types::task::Flags::default(),
    };
    world.edit_task(&rent, &[note]);
    let id = digest(world, vec![all, links]);
    calls(world, &[publish("See https://bank.example/rent."), mark(1), mark(2)]);
    calls(world, &[("read_task", json!({ "taskId": rent }))]);
    calls(world, &[publish("Pay the rent: https://bank.example/rent"), mark(1), mark(2), end()]);
    assert_eq!(world.drain(), [DONE]);
    let expected = [
        "1 done 1, the result does not name 1 of 1 tasks: Pay the rent",
        "2 done 1, https://bank.example/rent appears in nothing that this run read",
    ];
    let found = steps(world, &id);
    assert!(found.iter().zip(expected).all(|(one, begin)| one.starts_with(begin)), "{found:?}");
    assert_eq!(world.status(&id), "completed/succeeded");
}

fn a_step_that_is_added_is_one_more_and_none_is_taken_away(world: &World) {
    let id = digest(world, vec![look()]);
    let add = || ("add_step", json!({ "text": "Ask the baker" }));
    calls(world, &[add(), mark(7), mark(2), mark(1), end()]);
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.status(&id), "completed/succeeded");
    assert_eq!(steps(world, &id), ["1 done 0", "2 done 0"]);
}

fn other_steps_count_from_the_next_run(world: &World) {
    let id = digest(world, vec![look()]);
    calls(world, &[mark(1), end()]);
    world.drain();
    let edit = Edit { steps: Some(vec![look(), short()]), ..Edit::default() };
    wait(world.work.edit(WS, &id, &edit, &me())).expect("it is edited");
    assert_eq!(steps(world, &id), ["1 done 0"], "a run keeps its own");
    wait(world.work.run_now(WS, &id, &me())).expect("it runs");
    calls(world, &[publish("Short"), mark(1), mark(2), end()]);
    world.drain();
    assert_eq!(steps(world, &id), ["1 done 0", "2 done 0"]);
    let none = Edit { steps: Some(Vec::new()), ..Edit::default() };
    wait(world.work.edit(WS, &id, &none, &me())).expect("it is edited");
    wait(world.work.run_now(WS, &id, &me())).expect("it runs");
    calls(world, &[end()]);
    world.drain();
    assert_eq!(steps(world, &id), Vec::<String>::new());
}

fn steps_are_for_language_models(world: &World) {
    let new = NewWork { steps: vec![look()], ..world.new_built_in("Agenda", None) };
    let refused = wait(world.work.create(WS, &new, &me())).expect_err("it is refused");
    assert!(matches!(refused, WorkError::Step(_)), "{refused}");
    let blank = WorkStep { text: " ".into(), ..look() };
    let new = NewWork { steps: vec![blank], ..world.new_work("Digest", None) };
    let refused = wait(world.work.create(WS, &new, &me())).expect_err("it is refused");
    assert!(refused.to_string().contains("step 1 has no text"), "{refused}");
}

fn a_step_that_an_earlier_attempt_added_is_named_by_its_number(world: &World) {
    world.ask_own_server();
    let id = digest(world, vec![look()]);
    calls(world, &[("add_step", json!({ "text": "Call Dr Rumpelnickel" }))]);
    world.script.push(ask("Shall I go on?"));
    assert_eq!(world.drain(), [DONE]);
    let question =
        wait(world.work.questions(WS, &world.runs(&id)[0].id)).expect("readable").remove(0);
    wait(world.work.answer(WS, &question.id, "yes", &me())).expect("it is answered");
    calls(world, &[mark(1), mark(7)]);
    calls(world, &[end()]);
    assert_eq!(world.drain(), [DONE]);
    let turns = world.last_request().turns;
    let said: Vec<&str> = turns[0].results.iter().map(|one| one.text.as_str()).collect();
    let all = "there is no step 7; there are: 1. Look at the calendar; 2 (added)";
    assert_eq!(said, ["step 1 is done; still to do: 2 (added)", all]);
}

each_engine! {
    a_step_that_an_earlier_attempt_added_is_named_by_its_number,
    a_run_is_shown_its_steps_and_marks_them,
    a_run_that_left_a_step_out_is_reminded_once_and_then_waits_for_a_review,
    the_third_failed_check_ends_the_run,
    what_is_published_later_is_checked_again,
    a_run_that_failed_owes_no_steps,
    addresses_and_tasks_are_checked_against_what_there_is,
    a_step_that_is_added_is_one_more_and_none_is_taken_away,
    other_steps_count_from_the_next_run,
    steps_are_for_language_models,
}
