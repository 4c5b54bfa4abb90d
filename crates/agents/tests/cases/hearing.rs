//! An agent reads everything a person writes to it, in order, whatever happens in between.

use std::time::Duration;

use dormouse_agents::AgentError;
use dormouse_agents::lifecycle::RequestContext;
use dormouse_agents::wake::policy::merge_window;
use dormouse_store::agent::agent_entity::Automation;
use dormouse_store::agent::wake_queue::Reason;
use dormouse_store::params;
use dormouse_testkit::scripted::Answer;
use dormouse_types::model::{FragmentKind, ModelError, ProviderUnavailable, Request};
use dormouse_types::port::{Clock as _, ModelClass, Stage};
use dormouse_types::{AgentId, Id as _, limits};

use crate::world::{DONE, WS, World, me, now};

/// A person's messages in a request, in order.
fn heard(request: &Request) -> Vec<String> {
    let words = request.fragments.iter().filter(|piece| piece.kind == FragmentKind::Message);
    words.map(|piece| unfenced(&piece.text)).collect()
}

fn unfenced(text: &str) -> String {
    let inner = text.strip_prefix("<data of=\"message\">\n").expect("the words are fenced");
    inner.strip_suffix("\n</data>").expect("the fence is closed").to_owned()
}

/// The messages in each request to the model, without requests that have none.
fn all_heard(world: &World) -> Vec<Vec<String>> {
    let requests = world.script.requests();
    requests.iter().map(heard).filter(|words| !words.is_empty()).collect()
}

fn unheard(world: &World, agent: &AgentId) -> Vec<String> {
    let unheard = now(world.agents.unheard(WS, agent)).expect("readable");
    unheard.into_iter().map(|message| message.text.expect("not purged")).collect()
}

#[test]
fn words_that_come_close_together_are_in_one_request_in_order() {
    let (world, task, agent) = World::settled();
    for words in ["First.", "Second.", "Third."] {
        world.wake_now(&agent, Some(words));
    }
    world.answers(1);
    assert_eq!(world.ends(&task), [DONE]);
    assert_eq!(all_heard(&world), [["First.", "Second.", "Third."]]);
    assert_eq!(unheard(&world, &agent), [""; 0]);
}

#[test]
fn words_that_come_while_the_agent_works_are_in_the_next_request_alone() {
    let (world, task, agent) = World::settled();
    let mut node = world.serve();
    world.answers(1);
    world.model.close();
    world.wake_now(&agent, Some("First."));
    node.settle();
    world.wake_now(&agent, Some("Second."));
    world.wake_now(&agent, Some("Third."));
    node.settle();
    world.answers(1);
    world.model.open();
    node.settle();
    node.pass_seconds(5);
    assert_eq!(node.ran(), [(agent.clone(), DONE), (agent.clone(), DONE)]);
    assert_eq!(all_heard(&world), [vec!["First."], vec!["Second.", "Third."]]);
    drop(node);
    world.answers(1);
    world.note(&task, "The van is booked.");
    assert_eq!(world.ends(&task), [DONE]);
    assert_eq!(heard(&world.last_request()), [""; 0], "nothing is heard twice");
}

#[test]
fn words_of_a_run_that_failed_are_heard_by_its_later_try_before_newer_ones() {
    let (world, _, agent) = World::settled();
    let mut node = world.serve();
    world.script.push(Answer::Fails(ModelError::Request { detail: "too long".into() }));
    world.wake_now(&agent, Some("First."));
    node.settle();
    world.answers(1);
    world.wake_now(&agent, Some("Second."));
    node.settle();
    node.pass(Duration::from_secs(3600));
    let words = all_heard(&world);
    assert_eq!(words, [vec!["First."], vec!["First.", "Second."]], "sent twice, heard once");
    assert_eq!(unheard(&world, &agent), [""; 0]);
}

#[test]
fn words_outlast_a_provider_that_is_away_and_stay_in_the_run_that_took_them() {
    let (world, _, agent) = World::settled();
    let mut node = world.serve();
    world.model.goes_away(ProviderUnavailable::Outage);
    world.wake_now(&agent, Some("First."));
    node.settle();
    let run = world.runs(&agent).remove(0);
    assert_eq!(run.status.name(), "queued");
    world.wake_now(&agent, Some("Second."));
    node.settle();
    world.model.comes_back();
    world.answers(2);
    node.pass(Duration::from_secs(3600));
    node.pass(Duration::from_secs(3600));
    let by_completed: Vec<Vec<String>> = all_heard(&world).split_off(1);
    assert_eq!(by_completed.concat().last().map(String::as_str), Some("Second."));
    assert_eq!(unheard(&world, &agent), [""; 0]);
    let resumed = world.runs(&agent).into_iter().find(|known| known.key == run.key);
    let resumed = resumed.expect("the run");
    assert_eq!(resumed.status.name(), "completed");
    assert_eq!(resumed.heard_upto, run.heard_upto, "what a run takes is settled by its claim");
}

#[test]
fn words_between_the_reading_of_a_row_and_its_claim_are_not_passed_over() {
    let (world, task, agent) = World::settled();
    world.wake_now(&agent, Some("First."));
    let (agents, who) = (world.agents.clone(), agent.clone());
    world.hooks.once(Stage::BeforeCommit, "run.claim", move || {
        now(agents.wake(WS, &who, Reason::UserInitiated, Some("Second."), &me())).expect("said");
    });
    world.answers(2);
    world.drain(&task);
    world.drain(&task);
    assert!(world.hooks.is_done());
    assert_eq!(all_heard(&world).concat(), ["First.", "Second."]);
}

#[test]
fn words_to_an_agent_whose_automation_is_off_are_tried_again() {
    let (world, _, agent) = World::settled();
    world.set_automation(&agent, Automation::Off);
    let mut node = world.serve();
    world.script.push(Answer::Fails(ModelError::Request { detail: "too long".into() }));
    world.wake_now(&agent, Some("Please look."));
    node.settle();
    world.answers(1);
    node.pass(Duration::from_secs(3600));
    assert_eq!(all_heard(&world), [["Please look."], ["Please look."]]);
    assert_eq!(unheard(&world, &agent), [""; 0]);
}

#[test]
fn words_said_before_a_pause_are_heard_after_it() {
    let (world, task, agent) = World::settled();
    world.wake_now(&agent, Some("First."));
    world.pause(&agent);
    assert_eq!(world.ends(&task), []);
    assert_eq!(unheard(&world, &agent), ["First."]);
    world.resume(&agent);
    world.later(1);
    world.answers(1);
    assert_eq!(world.ends(&task), [DONE]);
    assert_eq!(all_heard(&world), [["First."]]);
}

#[test]
fn words_about_a_task_that_is_deleted_are_heard_when_it_is_restored() {
    let (world, task, agent) = World::settled();
    world.wake_now(&agent, Some("First."));
    world.edit_task(&task, &[dormouse_journal::Edit::Delete]);
    world.drain(&task);
    assert_eq!(all_heard(&world), [[""; 0]; 0]);
    world.edit(&task, &[dormouse_journal::Edit::Restore]);
    world.later(merge_window(ModelClass::Free).as_secs());
    world.answers(1);
    assert_eq!(world.ends(&task), [DONE]);
    assert_eq!(all_heard(&world), [["First."]]);
}

#[test]
fn a_cancelled_wake_names_the_words_that_go_with_it() {
    let (world, task, agent) = World::settled();
    world.wake_now(&agent, Some("First."));
    world.wake_now(&agent, Some("Second."));
    let cancelled = now(world.agents.cancel(WS, &agent, &me())).expect("cancelled");
    let texts: Vec<_> = cancelled.unheard.iter().map(|message| message.text.as_deref()).collect();
    assert!(cancelled.is_done);
    assert_eq!(texts, [Some("First."), Some("Second.")]);
    world.answers(1);
    world.wake_now(&agent, Some("Third."));
    assert_eq!(world.ends(&task), [DONE]);
    assert_eq!(all_heard(&world), [["Third."]]);
}

#[test]
fn words_that_come_while_a_wake_is_cancelled_are_named_or_heard() {
    let (world, _, agent) = World::settled();
    world.wake_now(&agent, Some("First."));
    let (agents, who) = (world.agents.clone(), agent.clone());
    world.hooks.once(Stage::BeforeCommit, "wake.cancel", move || {
        now(agents.wake(WS, &who, Reason::UserInitiated, Some("Second."), &me())).expect("said");
    });
    let cancelled = now(world.agents.cancel(WS, &agent, &me())).expect("cancelled");
    assert!(world.hooks.is_done());
    let texts: Vec<_> = cancelled.unheard.into_iter().filter_map(|message| message.text).collect();
    assert_eq!(texts, ["First.", "Second."]);
    assert_eq!(unheard(&world, &agent), [""; 0]);
}

#[test]
fn destroying_an_agent_names_unheard_messages_on_every_repetition() {
    let (world, _, agent) = World::settled();
    world.wake_now(&agent, Some("First."));
    let context = RequestContext { key: Some("k".into()), ..me() };
    for _ in 0..2 {
        now(world.agents.destroy(WS, &agent, &context)).expect("destroyed");
        assert_eq!(unheard(&world, &agent), ["First."]);
    }
}

#[test]
fn a_run_that_waits_when_its_agent_is_destroyed_ends() {
    let (world, _, agent) = World::settled();
    let mut node = world.serve();
    world.model.goes_away(ProviderUnavailable::Outage);
    world.wake_now(&agent, Some("First."));
    node.settle();
    assert_eq!(world.runs(&agent)[0].status.name(), "queued");
    now(world.agents.destroy(WS, &agent, &me())).expect("destroyed");
    world.model.comes_back();
    node.pass(Duration::from_secs(3600));
    let run = world.runs(&agent).remove(0);
    assert_eq!(
        (run.status.name(), run.error.as_deref()),
        ("abandoned", Some("the agent was destroyed"))
    );
    let row = world.row(&agent);
    assert_eq!((row.due_at, row.run_key), (None, None));
}

#[test]
fn a_run_at_work_when_its_agent_is_destroyed_ends() {
    let (world, _, agent) = World::settled();
    let mut node = world.serve();
    let (agents, who) = (world.agents.clone(), agent.clone());
    world.hooks.once(Stage::AfterCommit, "run.request", move || {
        now(agents.destroy(WS, &who, &me())).expect("destroyed");
    });
    world.wake_now(&agent, Some("First."));
    node.settle();
    node.pass(Duration::from_secs(60));
    assert!(world.hooks.is_done());
    assert_eq!(world.runs(&agent)[0].status.name(), "abandoned");
    assert_eq!(world.row(&agent).due_at, None);
}

#[test]
fn more_words_than_an_agent_can_take_in_are_refused_until_it_has_heard() {
    let (world, task, agent) = World::settled();
    for n in 0..limits::UNHEARD_MESSAGES.max {
        world.wake_now(&agent, Some(&format!("Word {n}.")));
    }
    let one_more = now(world.agents.wake(WS, &agent, Reason::UserInitiated, Some("x"), &me()));
    assert!(matches!(one_more, Err(AgentError::Unheard { .. })), "{one_more:?}");
    now(world.agents.wake(WS, &agent, Reason::UserInitiated, None, &me())).expect("no words");
    world.answers(1);
    assert_eq!(world.ends(&task), [DONE]);
    assert_eq!(all_heard(&world)[0].len(), limits::UNHEARD_MESSAGES.max);
    world.wake_now(&agent, Some("One more."));
    let long = "x".repeat(limits::MESSAGE.max);
    let mut said = "One more.".len();
    while said + long.len() <= limits::UNHEARD_TEXT.max {
        world.wake_now(&agent, Some(&long));
        said += long.len();
    }
    let one_more = now(world.agents.wake(WS, &agent, Reason::UserInitiated, Some(&long), &me()));
    assert!(matches!(one_more, Err(AgentError::Unheard { .. })), "{one_more:?}");
    world.answers(1);
    assert_eq!(world.ends(&task), [DONE]);
    let words = heard(&world.last_request());
    assert!(words.iter().all(|words| !words.contains("[cut:")), "nothing is cut");
    assert_eq!(words.iter().map(String::len).sum::<usize>(), said);
}

#[test]
fn words_to_an_agent_that_rested_without_a_run_are_heard_once_it_is_let_run() {
    let (world, task, agent) = World::settled();
    world.set_automation(&agent, Automation::Off);
    world.wake_now(&agent, Some("First."));
    world.pause(&agent);
    world.resume(&agent);
    world.later(1);
    world.answers(1);
    assert_eq!(world.ends(&task), [DONE]);
    assert_eq!(all_heard(&world), [["First."]]);
}

#[test]
fn automation_that_is_switched_off_holds_no_wake_of_a_person() {
    let (world, task, agent) = World::settled();
    world.wake_now(&agent, None);
    world.set_automation(&agent, Automation::Off);
    world.answers(1);
    assert_eq!(world.ends(&task), [DONE]);
}

#[test]
fn words_to_an_agent_that_does_not_wake_by_itself_are_heard_when_its_task_is_restored() {
    let (world, task, agent) = World::settled();
    world.set_automation(&agent, Automation::Off);
    world.wake_now(&agent, Some("First."));
    world.edit_task(&task, &[dormouse_journal::Edit::Delete]);
    world.drain(&task);
    world.edit(&task, &[dormouse_journal::Edit::Restore]);
    world.later(1);
    world.answers(1);
    assert_eq!(world.ends(&task), [DONE]);
    assert_eq!(all_heard(&world), [["First."]]);
}

#[test]
fn words_to_an_agent_that_is_destroyed_meanwhile_are_refused() {
    let (world, _, agent) = World::settled();
    let (agents, who) = (world.agents.clone(), agent.clone());
    world.hooks.once(Stage::BeforeCommit, "agent.wake", move || {
        now(agents.destroy(WS, &who, &me())).expect("destroyed");
    });
    let said = now(world.agents.wake(WS, &agent, Reason::UserInitiated, Some("First."), &me()));
    assert!(world.hooks.is_done());
    assert!(matches!(said, Err(AgentError::State { state: "destroyed", .. })), "{said:?}");
    assert_eq!(unheard(&world, &agent), [""; 0]);
}

#[test]
fn words_of_a_run_that_failed_are_not_held_back_by_a_sleep() {
    let (world, _, agent) = World::settled();
    let mut node = world.serve();
    let until = world.clock.now() + Duration::from_secs(30 * 24 * 3600);
    now(world.agents.sleep_until(WS, &agent, Some(until), &me())).expect("set");
    world.script.push(Answer::Fails(ModelError::Request { detail: "too long".into() }));
    world.wake_now(&agent, Some("First."));
    node.settle();
    world.answers(1);
    node.pass(Duration::from_secs(3600));
    assert_eq!(all_heard(&world), [["First."], ["First."]]);
    assert_eq!(unheard(&world, &agent), [""; 0]);
}

#[test]
fn a_run_that_ended_without_its_row_locks_nobody_out() {
    for owner in ["NULL", "'a dead process'"] {
        let (world, task, agent) = World::settled();
        let run = world.runs(&agent).remove(0);
        let sql = match owner {
            "NULL" => "UPDATE wake_queue SET run_key = ?2, due_at = 1 WHERE agent_id = ?1",
            _ => {
                "UPDATE wake_queue SET run_key = ?2, owner = 'a dead process', expires_at = 1
                 WHERE agent_id = ?1"
            }
        };
        let row = params![agent.as_str(), run.key.as_str()];
        world.write_directly(dormouse_store::Db::Agent, sql, row);
        world.take_over();
        world.answers(1);
        world.note(&task, "The van is booked.");
        world.later(60);
        assert_eq!(world.drain_due().len(), 1, "{owner}");
        assert_eq!(world.row(&agent).run_key, None);
    }
}

#[test]
fn a_message_that_says_nothing_is_refused_and_wakes_nobody() {
    let (world, task, agent) = World::settled();
    for words in ["", "  \n", "\u{200b}"] {
        let wake = |by| world.agents.wake(WS, &agent, Reason::UserInitiated, Some(words), by);
        let error = now(wake(&me())).expect_err("it says nothing");
        assert!(matches!(error, AgentError::BlankMessage), "{error:?}");
    }
    assert_eq!(world.ends(&task), []);
}
