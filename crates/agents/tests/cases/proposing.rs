use dormouse_runs::End;
use dormouse_store::agent::change_item::State;
use dormouse_testkit::scripted::Answer;
use dormouse_types::agent::MessageKind;
use dormouse_types::model::FragmentKind;
use dormouse_types::{Actor, limits};
use serde_json::{Value, json};

use crate::world::{DONE, World, report, routine_report, text};

fn estimate(minutes: u32) -> (&'static str, Value) {
    ("update_task_estimate", json!({ "minutes": minutes }))
}

fn titles(from: usize, upto: usize) -> (&'static str, Value) {
    let items: Vec<Value> = (from..upto).map(|n| json!({ "title": format!("Item {n}") })).collect();
    ("add_multiple_checklist_items", json!({ "items": items }))
}

fn withdraw(fingerprint: &str) -> (&'static str, Value) {
    let one = json!({ "fingerprint": fingerprint, "reason": "overtaken" });
    ("retract_suggestions", json!({ "proposals": [one] }))
}

#[test]
fn an_unknown_tool_applies_nothing_and_the_model_reads_which_there_are() {
    for name in ["delete_task", "Set_Task_Title", "", "set_task_title; drop"] {
        let (world, task, agent) = World::settled();
        let before = world.journal_rows();
        let answers = [Answer::calls([(name, json!({ "title": "X" }))]), Answer::calls([])];
        world.script.push(answers[0].clone());
        world.script.push(answers[1].clone());
        world.wake(&agent, dormouse_store::agent::wake_queue::Reason::UserInitiated, None);
        assert_eq!(world.ends(&task), [End::Completed { cut: false }]);
        let read = world.results().remove(0);
        assert!(read.refused && read.text.contains("there is no tool"), "{read:?}");
        assert!(read.text.contains("set_task_title, update_task_estimate"), "{read:?}");
        assert_eq!((world.items_of(&task).len(), world.journal_rows()), (0, before));
    }
}

#[test]
fn a_call_that_fails_is_answered_the_wake_goes_on_and_a_later_wake_may_make_it() {
    let (world, task, agent) = World::settled();
    let wrong = ("update_task_estimate", json!({ "minutes": "soon" }));
    let written = report("The van is booked.", "## ✅ Achieved\n- The van");
    assert_eq!(world.run_with(&task, [Answer::calls([wrong, written]), Answer::calls([])]), [DONE]);
    let [failed, reported] = &world.answered(&agent)[..] else { panic!("an answer a call") };
    assert!(failed.refused && failed.text.contains("minutes"), "{failed:?}");
    assert!(!reported.refused, "{reported:?}");
    let next = &world.script.requests()[2].turns[0];
    assert_eq!(next.results[0], *failed, "the model reads it in its next turn");
    let activity = world.said(&agent, MessageKind::ToolResult).concat();
    let why = "give a whole number from 1 to 1440";
    assert!(failed.text.contains(why) && activity.contains(why), "a person reads it: {activity}");
    assert_eq!(world.content(&agent), "## ✅ Achieved\n- The van", "and not in the report");
    assert_eq!(
        (world.items_of(&task).len(), world.agent_state(&agent).consecutive_failure_count),
        (0, 0)
    );

    assert_eq!(world.run_with(&task, [Answer::calls([estimate(60)])]), [DONE]);
    assert_eq!(world.items_of(&task).len(), 1);
    let fragments = &world.last_request().fragments;
    let said_again = fragments.iter().any(|piece| piece.text.contains(&failed.text));
    assert!(!said_again, "no later prompt repeats it");
}

#[test]
fn a_proposal_waits_in_a_set_that_leads_to_its_run() {
    let (world, task, agent) = World::settled();
    world.run_with(&task, [Answer::calls([("set_task_estimate", json!({ "minutes": "90" }))])]);
    let item = world.items_of(&task).remove(0);
    assert_eq!((item.tool.as_str(), item.state), ("update_task_estimate", State::Pending));
    let run = world.runs(&agent).remove(0);
    let query = dormouse_store::agent::entity::of_task::<
        dormouse_store::agent::change_set::ChangeSet,
    >(crate::world::WS, &task);
    let set = crate::world::now(world.store.all(query)).expect("sets").remove(0).doc.value;
    assert_eq!((set.run_key, set.thread_id), (run.key.0, run.thread));
    assert_eq!(set.proposer.as_str(), agent.to_string());
    assert_eq!(world.task_state(&task).estimate_minutes, None);
}

#[test]
fn fifty_proposals_of_a_wake_are_taken_over_all_its_turns() {
    let (world, task, _) = World::settled();
    let answers = [
        Answer::calls([titles(0, 20), titles(20, 40)]).and_goes_on(),
        Answer::calls([titles(40, 60)]),
        Answer::calls([]),
    ];
    world.run_with(&task, answers);
    assert_eq!(world.items_of(&task).len(), limits::ITEMS_PER_WAKE.max);
    let read = world.results().remove(0);
    assert!(read.refused && read.text.contains("at most 50"), "{read:?}");
}

#[test]
fn a_tool_of_one_value_is_used_once_a_wake_also_in_later_turns() {
    let (world, task, _) = World::settled();
    let answers = [
        Answer::calls([estimate(60)]).and_goes_on(),
        Answer::calls([estimate(90)]),
        Answer::calls([]),
    ];
    world.run_with(&task, answers);
    assert_eq!(world.items_of(&task).len(), 1);
    let read = world.results().remove(0);
    assert!(read.refused && read.text.contains("used in this wake already"), "{read:?}");
}

#[test]
fn what_changed_nothing_leaves_the_tool_free_for_a_better_call() {
    let (world, task, _) = World::settled();
    world.edit(&task, &[dormouse_journal::Edit::note("It takes an hour.")]);
    world.script.push(routine_report());
    world.drain(&task);
    let same = ("set_task_title", json!({ "title": "Move to the new flat" }));
    let answers = [Answer::calls([same, estimate(0)]).and_goes_on(), Answer::calls([estimate(60)])];
    world.run_with(&task, answers);
    assert_eq!(world.items_of(&task).len(), 1);
}

#[test]
fn an_agent_withdraws_its_own_open_proposals_by_eight_digits() {
    let (world, task, agent) = World::settled();
    world.run_with(&task, [Answer::calls([estimate(60)])]);
    let item = world.items_of(&task).remove(0);
    let open = text(&world.script.requests()[0], FragmentKind::Decisions).unwrap_or_default();
    assert!(!open.contains("fp="), "{open}");
    let digits = &item.fingerprint.0[..8];
    let calls = [
        withdraw(&item.fingerprint.0[..7]),
        withdraw("ffffffff"),
        withdraw(&format!("fp={digits}")),
    ];
    world.run_with(&task, [Answer::calls(calls)]);
    let open = text(&world.last_request(), FragmentKind::Decisions).expect("open proposals");
    assert!(open.contains(&format!("- fp={digits} Set time estimate to 1 hour")), "{open}");
    let read: Vec<_> = world.answered(&agent).into_iter().map(|result| result.text).collect();
    assert!(read[0].ends_with("not open") && read[1].ends_with("not open"), "{read:?}");
    assert_eq!(read[2], format!("fp={digits}: retracted"));
    let item = world.items_of(&task).remove(0);
    assert_eq!((item.state, item.error.as_deref()), (State::Retracted, Some("overtaken")));
}

#[test]
fn what_is_withdrawn_and_proposed_anew_in_one_turn_just_stays() {
    let (world, task, _) = World::settled();
    world.run_with(&task, [Answer::calls([estimate(60)])]);
    let before = world.items_of(&task);
    let calls = [withdraw(&before[0].fingerprint.0), estimate(60)];
    assert_eq!(world.run_with(&task, [Answer::calls(calls)]), [End::Completed { cut: false }]);
    assert_eq!(world.items_of(&task), before);
    // Another value is another proposal: the old one is withdrawn, the new one is open.
    let calls = [withdraw(&before[0].fingerprint.0), estimate(90)];
    assert_eq!(world.run_with(&task, [Answer::calls(calls)]), [End::Completed { cut: false }]);
    let states: Vec<_> = world.items_of(&task).into_iter().map(|item| item.state).collect();
    assert_eq!(states, [State::Retracted, State::Pending]);
}

#[test]
fn the_same_proposal_withdrawn_twice_in_a_turn_is_withdrawn_once() {
    let (world, task, _) = World::settled();
    world.run_with(&task, [Answer::calls([estimate(60)])]);
    let fingerprint = world.items_of(&task)[0].fingerprint.0.clone();
    let calls = [withdraw(&fingerprint), withdraw(&fingerprint)];
    assert_eq!(world.run_with(&task, [Answer::calls(calls)]), [End::Completed { cut: false }]);
    assert_eq!(world.items_of(&task)[0].state, State::Retracted);
}

#[test]
fn an_agent_withdraws_nothing_of_another_agent() {
    let (world, task, agent) = World::settled();
    world.run_with(&task, [Answer::calls([estimate(60)])]);
    let item = world.items_of(&task).remove(0);
    let context = crate::world::me();
    crate::world::now(world.agents.destroy(crate::world::WS, &agent, &context)).expect("destroyed");
    world.create(&task);
    world
        .script
        .push(Answer::calls([withdraw(&item.fingerprint.0), crate::world::report("A.", "B.")]));
    assert_eq!(world.ends(&task), [End::Completed { cut: false }]);
    assert_eq!(world.items_of(&task), [item]);
}

#[test]
fn the_persons_language_is_not_overridden() {
    let (world, task, agent) = World::settled();
    world.edit(&task, &[dormouse_journal::Edit::Language { code: Some("fr".into()) }]);
    let before = world.task_state(&task).language;
    let set = ("set_task_language", json!({ "languageCode": "de", "confidence": "high" }));
    world.run_with(&task, [Answer::calls([set])]);
    assert_eq!(world.task_state(&task).language, before);
    let read = world.answered(&agent).remove(0);
    assert!(!read.refused && read.text.contains("the person set the language to fr"), "{read:?}");
}

#[test]
fn decisions_are_in_the_next_prompt() {
    let (world, task, _) = World::settled();
    let due = ("update_task_due_date", json!({ "dueDate": "2026-03-20" }));
    world.run_with(&task, [Answer::calls([estimate(60), due])]);
    let items = world.items_of(&task);
    let who = dormouse_changes::Decider {
        ws: crate::world::WS,
        actor: Actor::Owner,
        once: None,
        task: None,
    };
    let (set, none) = (&items[0].set, None);
    crate::world::now(world.changes.confirm(&who, set, 1, none)).expect("confirmed");
    world.later(1);
    crate::world::now(world.changes.reject(&who, set, 2, none, Some("not yet"))).expect("rejected");
    world.run_with(&task, [routine_report()]);
    let section = text(&world.last_request(), FragmentKind::Decisions).expect("decisions");
    let lines: Vec<_> = section.lines().filter(|line| line.contains('—')).collect();
    assert_eq!(
        lines,
        [
            "✗ update_task_due_date(2026-03-20) — rejected (reason: \"not yet\")",
            "✓ update_task_estimate(60 min) — confirmed",
        ],
        "{section}"
    );
}
