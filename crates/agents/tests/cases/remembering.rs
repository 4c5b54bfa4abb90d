use std::time::Duration;

use dormouse_journal::Edit;
use dormouse_runs::End;
use dormouse_store::agent::log_line;
use dormouse_testkit::scripted::Answer;
use dormouse_types::TaskId;
use dormouse_types::agent::MessageKind;
use dormouse_types::limits;
use dormouse_types::model::FragmentKind;
use dormouse_types::task::{EntryKind, Flags};
use jiff::civil::{Date, date};
use serde_json::{Value, json};

use crate::world::{WS, World, now, routine_report, text};

fn note(observations: Value) -> (&'static str, Value) {
    ("record_observations", json!({ "observations": observations }))
}

#[test]
fn observations_are_private_and_return_in_later_prompts() {
    let (world, task, agent) = World::settled();
    let notes = note(json!([
        { "text": "The date moved.", "priority": "critical" },
        { "text": "They like lists.", "priority": "Routine", "category": "mood" },
    ]));
    assert_eq!(world.run_with(&task, [Answer::calls([notes])]), [End::Completed { cut: false }]);
    assert_eq!(
        world.said(&agent, MessageKind::Observation),
        ["The date moved.", "They like lists."]
    );
    assert!(!world.content(&agent).contains("moved"));
    world.run_with(&task, [routine_report()]);
    let delta = text(&world.last_request(), FragmentKind::Delta).expect("a delta");
    let first = delta.lines().nth(1).expect("a line inside the fence");
    assert_eq!(first, "You noted as critical: The date moved.");
    world.run_with(&task, [routine_report()]);
    let delta = text(&world.last_request(), FragmentKind::Delta).expect("a delta");
    assert!(!delta.contains("The date moved."), "one wake later it is in the log alone: {delta}");
    let log = text(&world.last_request(), FragmentKind::Log).expect("a log");
    assert!(log.contains("critical: The date moved."), "{log}");
    assert!(log.contains("routine: They like lists."), "{log}");
}

#[test]
fn a_critical_note_returns_although_time_passes_while_a_run_is_stored() {
    let (world, task, _) = World::settled();
    let notes = note(json!([{ "text": "The date moved.", "priority": "critical" }]));
    world.clock.pass_at_each_reading(Duration::from_micros(7));
    world.run_with(&task, [Answer::calls([notes])]);
    world.run_with(&task, [routine_report()]);
    let delta = text(&world.last_request(), FragmentKind::Delta).expect("a delta");
    assert!(delta.contains("You noted as critical: The date moved."), "{delta}");
    world.run_with(&task, [routine_report()]);
    let delta = text(&world.last_request(), FragmentKind::Delta).expect("a delta");
    assert!(!delta.contains("The date moved."), "{delta}");
}

/// What the next prompt says is new.
fn news(world: &World, task: &TaskId) -> String {
    world.run_with(task, [routine_report()]);
    text(&world.last_request(), FragmentKind::Delta).expect("a delta")
}

#[test]
fn a_note_about_another_day_says_so_and_time_spent_is_said() {
    let (world, task, _) = World::settled();
    let entry = |kind, text: &str, minutes, on: Option<Date>| Edit::AddEntry {
        kind,
        text: Some(text.into()).filter(|text: &String| !text.is_empty()),
        transcript: None,
        minutes,
        on,
        tainted: false,
        flags: Flags::NONE,
    };
    world.edit(
        &task,
        &[
            entry(EntryKind::Text, "The fitter comes tomorrow.", None, Some(date(2026, 2, 20))),
            entry(EntryKind::Time, "planed the door", Some(45), Some(date(2026, 2, 18))),
            entry(EntryKind::Time, "", Some(20), None),
        ],
    );
    let delta = news(&world, &task);
    let has = |words: &str, text: &str| {
        let first = text.lines().find(|line| line.contains(words));
        first.unwrap_or_else(|| panic!("{words}: {text}")).to_owned()
    };
    assert!(has("entry of 2026-02-20 added", &delta).starts_with("- 2026-03-02 "), "{delta}");
    assert!(delta.contains("entry of 2026-02-18 (45 min) added"), "{delta}");
    assert!(delta.contains("2026-03-02 entry (20 min) added"), "{delta}");
    world.run_with(&task, [routine_report()]);
    let log = text(&world.last_request(), FragmentKind::Log).expect("a log");
    assert!(log.contains("entry of 2026-02-20 added"), "it stays so in the memory: {log}");
}

#[test]
fn an_entry_that_was_edited_again_and_again_is_shown_once() {
    let (world, task, _) = World::settled();
    world.note(&task, "The van costs 140 EUR.");
    let entry = world.task_state(&task).entries.last().expect("the note").id.clone();
    for price in [150, 160, 170] {
        let text = format!("The van costs {price} EUR.");
        world.edit(&task, &[Edit::EditEntry { entry: entry.clone(), text: Some(text) }]);
    }
    let delta = news(&world, &task);
    assert_eq!(delta.matches("The van costs").count(), 1, "{delta}");
    assert!(delta.contains("170 EUR") && delta.contains("entry added"), "{delta}");
    for price in [180, 190] {
        let text = format!("The van costs {price} EUR.");
        world.edit(&task, &[Edit::EditEntry { entry: entry.clone(), text: Some(text) }]);
    }
    let delta = news(&world, &task);
    assert_eq!(delta.matches("The van costs").count(), 1, "{delta}");
    assert!(delta.contains("190 EUR") && delta.contains("entry edited"), "{delta}");
    let log = text(&world.last_request(), FragmentKind::Log).expect("a log");
    assert_eq!(log.matches("The van costs").count(), 1, "{log}");
}

#[test]
fn only_completed_runs_become_memory() {
    let (world, task, agent) = World::settled();
    let lines = |world: &World| {
        now(world.store.all(log_line::of_holder(WS, &agent, 1, i64::MAX))).expect("lines").len()
    };
    let before = lines(&world);
    let estimate = ("update_task_estimate", json!({ "minutes": 60 }));
    let answer = Answer::calls([note(json!(["Half a thought."])), estimate]).and_goes_on();
    let ends = world.run_with(&task, [answer]);
    assert!(matches!(ends[..], [End::Failed { .. }]), "{ends:?}");
    assert_eq!(world.said(&agent, MessageKind::Observation), Vec::<String>::new());
    assert_eq!(lines(&world), before);
    assert_eq!(world.items_of(&task).len(), 1, "its open proposals stay");
    assert!(!world.said(&agent, MessageKind::Thought).is_empty(), "its turns stay for audit");
    world.run_with(&task, [routine_report()]);
    let whole: String =
        world.last_request().fragments.into_iter().map(|piece| piece.text).collect();
    assert!(!whole.contains("Half a thought."), "{whole}");
    assert!(whole.contains("Something happened."), "what it did not finish is still new");
}

#[test]
fn two_prompts_share_every_byte_up_to_the_end_of_the_log() {
    let (world, task, _) = World::settled();
    world.run_with(&task, [Answer::calls([note(json!(["One."]))])]);
    let first = world.last_request();
    world.run_with(&task, [Answer::calls([note(json!(["Two."]))])]);
    let second = world.last_request();
    assert_eq!(text(&first, FragmentKind::System), text(&second, FragmentKind::System));
    let (first, second) = (text(&first, FragmentKind::Log), text(&second, FragmentKind::Log));
    let (first, second) = (first.expect("a log"), second.expect("a log"));
    assert!(second.starts_with(&first) && second.len() > first.len(), "{first}\n---\n{second}");
}

/// Makes one call of observations; returns how many were kept, and what the model read.
fn recorded(observations: Value) -> (usize, bool, String) {
    let (world, task, agent) = World::settled();
    // If it is refused, the model gets another turn and makes no further call.
    world.run_with(&task, [Answer::calls([note(observations)]), Answer::calls([])]);
    let answer = world.answered(&agent).remove(0);
    (world.said(&agent, MessageKind::Observation).len(), answer.refused, answer.text)
}

#[test]
fn observations_have_their_limits() {
    let many = |n: usize| json!((0..n).map(|n| format!("Note {n}.")).collect::<Vec<_>>());
    for n in [limits::OBSERVATIONS_PER_WAKE.max - 1, limits::OBSERVATIONS_PER_WAKE.max] {
        assert_eq!(recorded(many(n)), (n, false, format!("{n} noted.")));
    }
    let (kept, refused, text) = recorded(many(limits::OBSERVATIONS_PER_WAKE.max + 1));
    assert!(kept == 0 && refused && text.contains("at most 10"), "{text}");
    let long = |n: usize| json!(["o".repeat(n)]);
    assert_eq!(recorded(long(limits::OBSERVATION.max - 1)).0, 1);
    assert_eq!(recorded(long(limits::OBSERVATION.max)).0, 1);
    let (kept, refused, text) = recorded(long(limits::OBSERVATION.max + 1));
    assert!(kept == 0 && refused && text.contains("at most 2048"), "{text}");
    for wrong in [json!([" "]), json!(["Good.", { "text": "" }]), json!("Good."), json!(5)] {
        let (kept, refused, text) = recorded(wrong.clone());
        assert!(kept == 0 && refused && !text.is_empty(), "{wrong}: {text}");
    }
}

#[test]
fn observations_of_a_wake_are_counted_over_all_its_calls() {
    let (world, task, agent) = World::settled();
    let many = |from: usize| {
        note(json!((from..from + 6).map(|n| format!("Note {n}.")).collect::<Vec<_>>()))
    };
    world.run_with(&task, [Answer::calls([many(0), many(6)])]);
    assert_eq!(
        world.said(&agent, MessageKind::Observation).len(),
        limits::OBSERVATIONS_PER_WAKE.max
    );
}
