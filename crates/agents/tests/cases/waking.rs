use dormouse_journal::Edit;
use dormouse_runs::End;
use dormouse_store::agent::wake_queue::Reason;
use dormouse_testkit::scripted::Answer;
use dormouse_types::agent::MessageKind;
use dormouse_types::limits;
use dormouse_types::model::{
    FragmentData, FragmentKind, ModelError, ProviderUnavailable, StatedField,
};
use dormouse_types::task::{Field, Priority};
use dormouse_types::{Actor, By};
use dormouse_world::as_agent;
use serde_json::json;

use crate::world::{WS, World, me, now, routine_report, text};

#[test]
fn words_to_an_agent_become_a_message_and_reach_the_model() {
    let (world, task, agent) = World::settled();
    world.wake(&agent, Reason::UserInitiated, Some("  What about the van?  "));
    assert_eq!(world.said(&agent, MessageKind::User), ["What about the van?"]);
    world.script.push(routine_report());
    assert_eq!(world.ends(&task).len(), 1);
    let request = world.last_request();
    let message = request.fragments.iter().find(|piece| piece.kind == FragmentKind::Message);
    let message = message.expect("the person's words");
    assert!(
        matches!(&message.data, FragmentData::Message(words) if words == "What about the van?")
    );
    assert!(message.text.starts_with("<data of=\"message\">"), "{}", message.text);
    // They are said only once.
    world.script.push(routine_report());
    world.wake(&agent, Reason::UserInitiated, None);
    assert_eq!(world.ends(&task).len(), 1);
    assert_eq!(text(&world.last_request(), FragmentKind::Message), None);
    assert_eq!(world.said(&agent, MessageKind::User).len(), 1);
}

#[test]
fn words_to_an_agent_have_a_limit() {
    let (world, _, agent) = World::settled();
    let say = |n: usize| {
        let words = "w".repeat(n);
        now(world.agents.wake(WS, &agent, Reason::UserInitiated, Some(&words), &me()))
    };
    say(limits::MESSAGE.max - 1).expect("short enough");
    say(limits::MESSAGE.max).expect("just short enough");
    let before = world.said(&agent, MessageKind::User).len();
    let error = say(limits::MESSAGE.max + 1).expect_err("too long").to_string();
    assert!(error.contains("at most 32768"), "{error}");
    assert_eq!(world.said(&agent, MessageKind::User).len(), before);
}

#[test]
fn a_persons_wake_runs_though_nothing_changed() {
    let (world, task, agent) = World::settled();
    world.wake(&agent, Reason::UserInitiated, None);
    world.script.push(routine_report());
    assert_eq!(world.ends(&task), [End::Completed { cut: false }]);
    assert_eq!(world.reports(&agent).len(), 1, "the same report is not written twice");
}

#[test]
fn what_an_agent_does_to_its_task_wakes_nobody() {
    let (world, task, agent) = World::settled();
    let call = ("set_task_language", json!({ "languageCode": "en", "confidence": "high" }));
    assert_eq!(world.run_with(&task, [Answer::calls([call])]), [End::Completed { cut: false }]);
    let state = world.task_state(&task);
    assert_eq!(state.language.as_deref(), Some("en"));
    let say = state
        .says
        .iter()
        .find(|say| say.field == StatedField::Field(Field::Language))
        .expect("a say");
    assert_eq!(say.by, By::Agent);
    world.later(86_400);
    assert_eq!((world.ends(&task), world.drain_due()), (vec![], vec![]));
    assert_eq!(world.answered(&agent)[0].text, "Language set.");
}

#[test]
fn a_confirmed_proposal_does_not_wake_its_proposer() {
    let (world, task, _) = World::settled();
    let call = ("update_task_due_date", json!({ "dueDate": "2026-03-20" }));
    world.run_with(&task, [Answer::calls([call])]);
    let item = world.items_of(&task)[0].clone();
    let who = dormouse_changes::Decider { ws: WS, actor: Actor::Owner, once: None, task: None };
    now(world.changes.confirm(&who, &item.set, item.index, None)).expect("confirmed");
    world.later(86_400);
    assert_eq!((world.ends(&task), world.drain_due()), (vec![], vec![]));
}

#[test]
fn a_change_that_was_seen_already_asks_no_model() {
    let (world, task, agent) = World::settled();
    world.note(&task, "The van is booked.");
    world.script.push(routine_report());
    assert_eq!(world.ends(&task).len(), 1);
    let n_requests = world.script.requests().len();
    // Another agent's write moves the feed but is news to nobody.
    let ctx = as_agent(&agent);
    now(world.journal.edit(WS, &task, &[Edit::Priority(Some(Priority::P0))], &ctx))
        .expect("edited");
    world.later(86_400);
    assert_eq!((world.ends(&task), world.drain_due()), (vec![], vec![]));
    assert_eq!(world.script.requests().len(), n_requests);
}

#[test]
fn many_changes_in_a_row_are_one_wake() {
    let (world, task, agent) = World::settled();
    for n in 0..5 {
        world.note(&task, &format!("Note {n}."));
    }
    world.script.push(routine_report());
    assert_eq!(world.ends(&task).len(), 1);
    let delta = text(&world.last_request(), FragmentKind::Delta).expect("a delta");
    assert!((0..5).all(|n| delta.contains(&format!("Note {n}."))), "{delta}");
    assert_eq!(world.runs(&agent).len(), 2);
}

#[test]
fn a_provider_that_is_down_counts_against_no_agent() {
    let (world, task, agent) = World::settled();
    let down = ModelError::Provider {
        provider: "far".into(),
        why: ProviderUnavailable::Quota,
        detail: "quota".into(),
        retry_after: None,
    };
    let ends = world.run_with(&task, [Answer::Fails(down)]);
    assert!(
        matches!(&ends[..], [End::ProviderUnavailable { reason }] if reason.contains("far")),
        "{ends:?}"
    );
    let state = now(world.agents.state(WS, &agent)).expect("the state").value;
    assert_eq!(state.consecutive_failure_count, 0);
    let run = world.runs(&agent).remove(0);
    assert_eq!((run.status.name(), run.crashes), ("queued", 0));
    assert_eq!(world.drain_due(), [], "not at once");
    world.later(61);
    // The script gives the same turn of the same run the same answer.
    let ran = world.drain_due();
    assert_eq!(ran.len(), 1);
    assert_eq!(ran[0].run.key, run.key, "the same run goes on");
    assert_eq!((world.runs(&agent).len(), world.runs(&agent)[0].crashes), (2, 0));
}

#[test]
fn the_first_prompt_holds_everything_and_later_ones_what_is_new() {
    let (world, task, _) = World::settled();
    let first = world.script.requests().remove(0);
    let state = text(&first, FragmentKind::TaskState).expect("the task");
    assert!(state.contains("We signed the contract."), "{state}");
    assert_eq!(text(&first, FragmentKind::Log), None);
    let instruction = text(&first, FragmentKind::Instruction).expect("an instruction");
    assert!(instruction.contains("first look"), "{instruction}");

    world.run_with(&task, [routine_report()]);
    let later = world.last_request();
    let log = text(&later, FragmentKind::Log).expect("a log");
    assert!(log.contains("We signed the contract."), "{log}");
    let state = text(&later, FragmentKind::TaskState).expect("the task");
    assert!(!state.contains("We signed the contract."), "it is in the log: {state}");
    let delta = text(&later, FragmentKind::Delta).expect("a delta");
    assert!(delta.contains("Something happened.") && !delta.contains("signed"), "{delta}");
    let instruction = text(&later, FragmentKind::Instruction).expect("an instruction");
    assert!(instruction.contains("All quiet."), "{instruction}");
    let whole: String = later.fragments.iter().map(|piece| piece.text.as_str()).collect();
    assert!(!whole.contains("Nothing yet."), "of the last report only its tldr returns");
}
