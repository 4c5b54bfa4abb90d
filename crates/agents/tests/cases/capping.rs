use dormouse_runs::End;
use dormouse_testkit::scripted::Answer;
use dormouse_types::agent::MessageKind;
use dormouse_types::limits;
use dormouse_types::model::ToolChoice;
use serde_json::{Value, json};

use crate::world::{World, report};

fn only_report() -> ToolChoice {
    ToolChoice::OneOf(vec!["update_report".into()])
}

fn busy() -> Answer {
    Answer::calls([("record_observations", json!({ "observations": ["Still at it."] }))])
        .and_goes_on()
}

#[test]
fn a_run_that_does_not_end_is_cut_after_ten_turns_and_a_report() {
    let (world, task, agent) = World::settled();
    let before = world.script.requests().len();
    let answers = (0..limits::TURNS.max).map(|_| busy());
    let last = Answer::calls([report("Cut.", "As far as it went.")]).and_goes_on();
    assert_eq!(world.run_with(&task, answers.chain([last])), [End::Completed { cut: true }]);
    let requests = world.script.requests();
    assert_eq!(requests.len() - before, limits::TURNS.max + 1);
    let choice = |n: usize| requests[before + n].tool_choice.clone();
    assert_eq!(choice(limits::TURNS.max - 1), ToolChoice::Auto);
    assert_eq!(choice(limits::TURNS.max), only_report(), "the last turn may only report");
    assert_eq!(world.content(&agent), "As far as it went.");
    let run = &world.runs(&agent)[0];
    assert!(run.cut && run.status.name() == "completed");
}

/// Small models say the same again and again: each repetition would be a call that is paid.
#[test]
fn a_run_that_only_repeats_itself_after_its_report_is_over() {
    let note = || ("record_observations", json!({ "observations": ["Bo is away."] }));
    let said = || report("All packed.", "The boxes are packed.");
    let other = || report("All packed.", "The boxes are packed, and counted.");
    let turn = |calls: Vec<(&'static str, Value)>| Answer::calls(calls).and_goes_on();
    for (turns, n_requests, content) in [
        (vec![turn(vec![said()]), turn(vec![said()])], 2, "The boxes are packed."),
        (vec![turn(vec![note(), said()]), turn(vec![said(), note()])], 2, "The boxes are packed."),
        // The same by its other name, and one that was published before the last one.
        (
            vec![turn(vec![said()]), turn(vec![other()]), turn(vec![("publish_report", said().1)])],
            3,
            "The boxes are packed.",
        ),
        // Something new comes with it.
        (
            vec![turn(vec![said()]), turn(vec![said(), note()]), Answer::calls([])],
            3,
            "The boxes are packed.",
        ),
    ] {
        let (world, task, agent) = World::settled();
        let before = world.script.requests().len();
        let spare = (0..limits::TURNS.max).map(|_| Answer::calls([said()]).and_goes_on());
        let ends = world.run_with(&task, turns.into_iter().chain(spare));
        assert_eq!(ends, [End::Completed { cut: false }]);
        assert_eq!(world.script.requests().len() - before, n_requests);
        assert_eq!(world.content(&agent), content);
        assert!(world.said(&agent, MessageKind::Observation).len() <= 1, "each note once");
    }
}

#[test]
fn a_run_that_ends_in_its_tenth_turn_is_not_cut() {
    let (world, task, _) = World::settled();
    let answers = (1..limits::TURNS.max).map(|_| busy());
    let ends = world.run_with(&task, answers.chain([Answer::calls([])]));
    assert_eq!(ends, [End::Completed { cut: false }]);
}

#[test]
fn calls_beyond_fifty_in_a_turn_are_dropped() {
    let (world, task, agent) = World::settled();
    let unknown = || ("dance", json!({}));
    let calls = (0..limits::CALLS_PER_WAKE.max + 5).map(|_| unknown());
    world.run_with(&task, [Answer::calls(calls), Answer::calls([])]);
    assert_eq!(world.answered(&agent).len(), limits::CALLS_PER_WAKE.max);
}

#[test]
fn calls_of_all_turns_count_together_and_the_report_may_still_be_written() {
    let (world, task, agent) = World::settled();
    let before = world.script.requests().len();
    let some = |n: usize| Answer::calls((0..n).map(|_| ("dance", json!({})))).and_goes_on();
    let most = limits::CALLS_PER_WAKE.max;
    let last = Answer::calls([report("Cut.", "As far as it went.")]).and_goes_on();
    let ends = world.run_with(&task, [some(most - 20), some(30), last]);
    assert_eq!(ends, [End::Completed { cut: true }]);
    assert_eq!(world.answered(&agent).len(), most + 1);
    assert_eq!(world.script.requests()[before + 2].tool_choice, only_report());
    assert_eq!(world.content(&agent), "As far as it went.");
}

#[test]
fn a_model_that_repeats_an_id_gets_an_answer_to_each_call() {
    let (world, task, agent) = World::settled();
    let call = |minutes: u32| dormouse_types::model::ToolCall {
        id: "same".into(),
        name: "update_task_estimate".into(),
        args: json!({ "minutes": minutes }),
    };
    let turn = Answer::Turn { text: String::new(), calls: vec![call(0), call(30)], ended: true };
    world.run_with(&task, [turn, Answer::calls([])]);
    let answers = world.answered(&agent);
    assert_eq!(answers.len(), 2);
    assert_ne!(answers[0].call_id, answers[1].call_id);
    assert!(answers[0].refused && !answers[1].refused);
    assert_eq!(world.items_of(&task).len(), 1);
}
