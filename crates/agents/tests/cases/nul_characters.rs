//! U+0000 in what a model writes, which Postgres cannot store.

use dormouse_runs::End;
use dormouse_testkit::scripted::Answer;
use dormouse_types::agent::MessageKind;
use dormouse_types::model::{ModelError, ToolCall};
use serde_json::{Value, json};

use crate::world::{DONE, World};

fn call(id: &str, name: &str, args: Value) -> ToolCall {
    ToolCall { id: id.into(), name: name.into(), args }
}

/// A turn with the character in everything that a model writes.
fn turn() -> Answer {
    let report = json!({ "tldr": "All\0quiet.", "content": "The van\0is booked." });
    let noted = json!({ "observations": [{ "text": "It is a large\0van." }] });
    let calls = vec![
        call("one\0", "update_report", report),
        call("two", "record_observations", noted),
        call("three", "set_task_title", json!({ "title": "Move\0by van", "why\0": "It says so." })),
        call("four", "no\0tool", json!({})),
    ];
    Answer::Turn { text: "Let me\0see.".into(), calls, ended: true }
}

#[test]
fn a_nul_that_a_model_writes_becomes_a_replacement_character_on_each_engine_and_is_paid_once() {
    let [memory, postgres] = World::on_each_engine().map(|world| {
        let task = world.task("Move", &["The van is booked."]);
        let agent = world.create(&task);
        world.script.push(turn());
        // A tool that there is not is said to the model.
        world.script.push(Answer::Turn { text: "Done.".into(), calls: vec![], ended: true });
        assert_eq!(world.ends(&task), [DONE]);
        let turns: Vec<u32> = world.script.requests().iter().map(|request| request.turn).collect();
        assert_eq!(turns, [1, 2], "each turn is paid once");
        let report = world.report(&agent).expect("a report");
        assert_eq!(report.tldr.as_deref(), Some("All\u{fffd}quiet."));
        assert_eq!(world.content(&agent), "The van\u{fffd}is booked.");
        let said = [MessageKind::Thought, MessageKind::Action, MessageKind::Observation]
            .map(|kind| world.said(&agent, kind));
        let results = world.answered(&agent);
        assert_eq!(results.len(), 4, "each call has its result: {results:?}");
        let items: Vec<Value> =
            world.items_of(&task).into_iter().map(|item| json!(item.args)).collect();
        (said, results, items)
    });
    assert_eq!(memory, postgres);
    let all = format!("{memory:?}");
    assert!(all.contains("large\u{fffd}van") && all.contains("Move\u{fffd}by van"), "{all}");
    assert!(!all.contains("u0000"), "{all}");
}

#[test]
fn a_nul_in_the_words_of_a_failure_does_not_hide_the_failure() {
    for world in World::on_each_engine() {
        let task = world.task("Move", &["The van is booked."]);
        let agent = world.create(&task);
        world.script.push(Answer::Fails(ModelError::Request { detail: "too\0long".into() }));
        let ends = world.ends(&task);
        assert!(matches!(&ends[..], [End::Failed { .. }]), "{ends:?}");
        let error = world.runs(&agent)[0].error.clone().expect("a reason");
        assert!(error.contains("too\u{fffd}long"), "{error}");
    }
}
