//! What an agent did and what it will do, page by page.

use dormouse::view::{LinkedChange, Message, Page, TimerPurpose};
use dormouse_types::agent::{AgentLinkKind, Initiator, WakeReason};
use std::collections::BTreeSet;

use dormouse::{MessageFilter, OperationFilter, TaskFilter, Verdict};
use dormouse_store::agent::{breaker, saga, timer, wake_queue};
use dormouse_store::{Commit, Db, Op};
use dormouse_testkit::scripted::Answer;
use dormouse_types::model::ModelError;
use dormouse_types::{AgentId, OperationId, RunKey, Timestamp};
use serde_json::json;

use crate::world::{World, me, now, slug};

fn messages(world: &World, agent: &AgentId, filter: MessageFilter) -> Page<Message> {
    now(world.dormouse.messages_page(&me(), agent, filter)).expect("messages")
}

fn write(world: &World, op: Op) {
    let commit = Commit::new("test.write", Db::Agent, dormouse::WORKSPACE).op(op);
    now(world.store.commit(commit)).expect("written");
}

/// An agent with several runs, and a decision between them.
fn busy(world: &World) -> AgentId {
    let (task, agent, items) =
        world.proposed(&[("update_task_estimate", json!({ "minutes": 60 }))]);
    world.decide(&items[0], Verdict::Confirm);
    for note in ["The van is booked.", "The keys are here."] {
        world.note(&task.id, note);
        world.answer(&[("record_observations", json!({ "observations": [note] }))]);
        world.drain(&task.id);
    }
    agent.id
}

#[test]
fn pages_of_any_size_hold_every_message_once_and_in_order() {
    let world = World::new();
    let agent = busy(&world);
    let order = |messages: &[Message]| -> Vec<String> {
        messages.iter().map(|message| message.id.to_string()).collect()
    };
    let whole = messages(&world, &agent, MessageFilter { limit: 200, ..MessageFilter::default() });
    assert_eq!(whole.next_cursor, None);
    let commits: Vec<i64> =
        whole.items.iter().map(|m| *m.vector_clock.values().next().expect("a clock")).collect();
    assert!(commits.len() > 15 && commits.windows(2).any(|two| two[0] == two[1]), "{commits:?}");
    for limit in 1..=commits.len() {
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let filter = MessageFilter { limit, cursor, ..MessageFilter::default() };
            let page = messages(&world, &agent, filter);
            assert!(page.items.len() <= limit);
            seen.extend(order(&page.items));
            assert!(seen.len() <= commits.len(), "pages of {limit} go round in a circle");
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        let each: BTreeSet<&String> = seen.iter().collect();
        assert_eq!((seen.len(), each.len()), (commits.len(), commits.len()), "pages of {limit}");
    }
    let threads: Vec<_> = whole.items.iter().map(|message| message.thread_id.clone()).collect();
    let mut runs = threads.clone();
    runs.dedup();
    let kinds: BTreeSet<_> = threads.iter().collect();
    assert_eq!(runs.len(), kinds.len(), "those of one thread stand together");
    assert_eq!(kinds.len(), 4, "three runs, and the person's decisions");
}

#[test]
fn a_follower_gets_each_new_message_once() {
    let world = World::new();
    let agent = busy(&world);
    let follow = |cursor: Option<String>, limit| {
        let filter = MessageFilter { limit, cursor, follow: true, ..MessageFilter::default() };
        messages(&world, &agent, filter)
    };
    let newest = follow(None, 3);
    let all = messages(&world, &agent, MessageFilter { limit: 200, ..MessageFilter::default() });
    let last_three: Vec<_> = all.items.iter().rev().take(3).rev().map(|m| m.id.clone()).collect();
    assert_eq!(newest.items.iter().map(|m| m.id.clone()).collect::<Vec<_>>(), last_three);
    let quiet = follow(newest.next_cursor.clone(), 50);
    assert_eq!((quiet.items.len(), &quiet.next_cursor), (0, &newest.next_cursor));
    now(world.dormouse.wake_agent(&me(), &agent, Some("Look again.".into()), None)).expect("woken");
    let said = follow(quiet.next_cursor, 50);
    assert_eq!(said.items.iter().map(|m| m.kind.name()).collect::<Vec<_>>(), ["user"]);
    assert_eq!(follow(said.next_cursor, 50).items.len(), 0);
    let other = world.agent(&world.task("Paint").id);
    let filter = MessageFilter { limit: 5, follow: true, ..MessageFilter::default() };
    let none = messages(&world, &other.id, filter);
    assert!(none.items.is_empty() && none.next_cursor.is_some(), "one can follow from the start");
}

#[test]
fn a_call_is_shown_with_its_result_its_operation_and_what_it_touched() {
    let world = World::new();
    let (task, agent, items) =
        world.proposed(&[("update_task_estimate", json!({ "minutes": 60 }))]);
    world.note(&task.id, "The van is booked.");
    let wrong = ("update_task_estimate", json!({ "minutes": "many" }));
    world.script.push(Answer::calls([wrong]).and_goes_on());
    world.answer(&[]);
    world.drain(&task.id);
    world.decide(&items[0], Verdict::Confirm);
    let page = |limit, cursor: Option<String>| {
        now(world.dormouse.tool_calls(&me(), &agent.id, None, limit, cursor.as_deref()))
            .expect("calls")
    };
    let whole = page(50, None);
    let calls_made: Vec<_> = whole
        .items
        .iter()
        .map(|call| (call.tool_name.as_deref().unwrap_or(""), call.outcome.name()))
        .collect();
    assert_eq!(
        calls_made,
        [
            ("update_report", "done"),
            ("update_task_estimate", "done"),
            ("update_task_estimate", "refused"),
            ("update_report", "done"),
            ("update_task_estimate", "done"),
        ]
    );
    let applied = &whole.items[4];
    assert_eq!(applied.result.as_ref().map(|result| &result["applied"]), Some(&json!(true)));
    assert_eq!(applied.touched, [task.id.to_string()]);
    assert!(applied.run_key.is_none() && whole.items[0].run_key.is_some());
    assert!(whole.items.iter().all(|call| call.operation_id.is_some()));
    // A page of one finds the result of its call all the same.
    let (mut cursor, mut one_by_one) = (None, Vec::new());
    loop {
        let one = page(1, cursor);
        one_by_one.extend(one.items.into_iter().map(|call| (call.tool_name, call.outcome)));
        cursor = one.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(one_by_one.len(), calls_made.len());
    let pairs = one_by_one.iter().map(|(tool, how)| (tool.as_deref().unwrap_or(""), how.name()));
    assert_eq!(pairs.collect::<Vec<_>>(), calls_made);
}

#[test]
fn a_run_counts_its_turns_and_calls_and_its_pages_leave_none_out() {
    let world = World::new();
    let agent = busy(&world);
    now(world.dormouse.wake_agent(&me(), &agent, None, Some("once".into()))).expect("woken");
    let (mut keys, mut cursor, mut waiting) = (Vec::new(), None::<String>, 0);
    loop {
        let page = now(world.dormouse.wakes_page(&me(), &agent, 1, cursor.as_deref()));
        let page = page.expect("runs");
        for wake in page.items {
            waiting += usize::from(wake.run_key.is_none());
            if wake.run_key.is_some() {
                assert_eq!((wake.turns, wake.epoch > 0), (1, true), "{wake:?}");
                assert!(wake.operations >= 2 && wake.started_at.is_some(), "{wake:?}");
            }
            keys.extend(wake.run_key);
        }
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    let each: BTreeSet<_> = keys.iter().collect();
    assert_eq!((keys.len(), each.len(), waiting), (3, 3, 1));
    let one = now(world.dormouse.wake(&me(), &agent, &keys[0])).expect("a run");
    assert_eq!((one.turns, one.status.name()), (1, "completed"));
}

#[test]
fn a_wake_that_waits_is_named_by_what_it_waits_for() {
    let world = World::new();
    let (task, agent, _) = world.proposed(&[]);
    world.note(&task.id, "The van is booked.");
    now(world.dormouse.drain(dormouse::DrainScope::default(), &mut |_| {})).expect("routed");
    let wakes = now(world.dormouse.wakes(&me(), &agent.id, 1)).expect("wakes");
    assert_eq!((wakes[0].status.name(), wakes[0].reason.name()), ("queued", "subscription"));
    let subscriptions = now(world.dormouse.subscriptions(&me(), &agent.id)).expect("readable");
    assert_eq!(wakes[0].reason_id, Some(subscriptions[0].id.to_string()));
    assert_eq!(wakes[0].initiator, Initiator::Automation);
}

#[test]
fn a_subscription_names_agent_task_and_filter_and_ends_with_its_agent() {
    let world = World::new();
    let (task, agent, _) = world.proposed(&[]);
    let of = || now(world.dormouse.subscriptions(&me(), &agent.id)).expect("readable");
    let [one] = &of()[..] else { panic!("one subscription") };
    assert_eq!(
        (&one.agent_id, one.match_token_keys.as_slice()),
        (&agent.id, ["taskNotification".to_owned()].as_slice())
    );
    assert_eq!(one.match_entity_ids, [task.id.to_string()]);
    assert_eq!(
        (one.filter.except_origins.as_slice(), one.filter.linked.name()),
        (["agent".to_owned()].as_slice(), "stale")
    );
    let patch = dormouse::AgentPatch { wake_on_linked: Some(true), ..Default::default() };
    now(world.dormouse.edit_agent(&me(), &agent.id, patch, None)).expect("set");
    assert_eq!(of()[0].filter.linked, LinkedChange::Wake);
    now(world.dormouse.destroy_agent(&me(), &agent.id, None)).expect("destroyed");
    assert!(of().is_empty());
    let links =
        now(world.dormouse.agent_links(&me(), &agent.id, Some(AgentLinkKind::Task), 9, None));
    let links = links.expect("its history stays").items;
    let ends: Vec<_> =
        links.iter().map(|link| (link.from_id.as_str(), link.to_id.as_str())).collect();
    assert_eq!(ends, [(agent.id.to_string().as_str(), task.id.to_string().as_str())]);
}

#[test]
fn pages_of_links_hold_each_once() {
    let world = World::new();
    let agent = busy(&world);
    let page = |limit, cursor: Option<String>| {
        now(world.dormouse.agent_links(&me(), &agent, None, limit, cursor.as_deref()))
            .expect("links")
    };
    let whole = page(200, None).items.len();
    let (mut seen, mut cursor) = (BTreeSet::new(), None);
    loop {
        let one = page(7, cursor);
        seen.extend(one.items.into_iter().map(|link| link.id));
        cursor = one.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert!(whole > 30, "{whole}");
    assert_eq!(seen.len(), whole);
}

#[test]
fn timers_and_state_tell_when_an_agent_runs_next() {
    let world = World::new();
    let (task, agent, _) = world.proposed(&[]);
    let due = Some(Some("2026-03-20".parse().expect("a day")));
    let patch = dormouse::TaskPatch { due_on: due, ..dormouse::TaskPatch::default() };
    now(world.dormouse.edit_task(&me(), &task.id, patch, None, None)).expect("due");
    let refused = ModelError::Request { detail: "too long".into() };
    world.script.push(Answer::Fails(refused));
    world.drain(&task.id);
    let at: Timestamp = Timestamp::from_jiff("2026-03-05T18:00:00Z".parse().expect("a time"));
    now(world.dormouse.wake_agent_at(&me(), &agent.id, Some(at), None)).expect("set");
    let timers = now(world.dormouse.timers(&me(), &agent.id)).expect("timers");
    let calls_made: Vec<_> =
        timers.iter().map(|timer| (timer.kind.name(), timer.about.as_deref())).collect();
    assert_eq!(
        calls_made,
        [
            ("backOff", Some("failed runs in a row: 1")),
            ("wakeAt", None),
            ("dueDate", Some("2026-03-20")),
        ]
    );
    let state = now(world.dormouse.agent_state(&me(), &agent.id)).expect("a state");
    assert_eq!((state.consecutive_failure_count, state.next_wake_at), (1, Some(timers[0].at)));
    assert_eq!(
        (state.activity.name(), state.reasons.as_slice()),
        ("queued", [WakeReason::Timer].as_slice())
    );
    assert_eq!(state.active_task_id, Some(task.id));
    assert!(state.lease.is_none() && state.epoch > 0);
    now(world.dormouse.wake_agent_at(&me(), &agent.id, None, None)).expect("undone");
    let timers = now(world.dormouse.timers(&me(), &agent.id)).expect("timers");
    assert!(timers.iter().all(|timer| timer.kind != TimerPurpose::WakeAt), "{timers:?}");
    write(&world, timer::delete_of_holder(dormouse::WORKSPACE, &agent.id));
    let key = RunKey("k".into());
    let claim = wake_queue::Claim {
        holder: (&agent.id).into(),
        epoch: state.epoch,
        owner: "node-7",
        lasts: std::time::Duration::from_secs(60),
        run_key: &key,
    };
    write(&world, wake_queue::claim(dormouse::WORKSPACE, &claim));
    let state = now(world.dormouse.agent_state(&me(), &agent.id)).expect("a state");
    let lease = state.lease.expect("somebody works for it");
    assert_eq!(
        (lease.owner.as_str(), lease.epoch, state.activity.name()),
        ("node-7", claim.epoch + 1, "running")
    );
    assert_eq!(lease.run_key, Some(key));
    let error = now(world.dormouse.cancel_wake(&me(), &agent.id)).expect_err("it is at work");
    assert_eq!(slug(&error), ("agent-state", 409));
    let queue = now(world.dormouse.overview(&me())).expect("readable").queue;
    assert_eq!((queue.running, queue.expired, queue.waiting), (1, 0, 0));
    world.later(61);
    let queue = now(world.dormouse.overview(&me())).expect("readable").queue;
    assert_eq!((queue.running, queue.expired), (1, 1));
}

#[test]
fn open_operations_and_unavailable_providers_are_listed() {
    let world = World::new();
    let ws = dormouse::WORKSPACE;
    let (task, agent, _) = world.proposed(&[]);
    let at = Timestamp::from_micros(5);
    let payload = json!({"task": task.id, "index": 2, "later": true}).to_string();
    for name in ["b", "a"] {
        let operation = OperationId(name.into());
        write(&world, saga::open(ws, &operation, "run", "set_task_title", &payload, at));
    }
    let operations = |filter, limit, cursor: Option<&str>| {
        now(world.dormouse.operations(&me(), filter, limit, cursor)).expect("operations")
    };
    let first = operations(OperationFilter::Open, 1, None);
    assert_eq!(
        (first.items[0].operation_id.as_str(), first.items[0].status.name()),
        ("a", "pending")
    );
    assert_eq!(
        (&first.items[0].task_id, first.items[0].item_index),
        (&Some(task.id.clone()), Some(2))
    );
    let second = operations(OperationFilter::Open, 1, first.next_cursor.as_deref());
    assert_eq!((second.items[0].operation_id.as_str(), &second.next_cursor), ("b", &None));
    let done = saga::close(
        ws,
        &OperationId("a".into()),
        saga::Phase::AgentDone,
        saga::OperationStatus::Failed,
        Some("gone"),
        at,
    );
    write(&world, done);
    assert_eq!(operations(OperationFilter::Open, 9, None).items.len(), 1);
    let all = operations(OperationFilter::All, 1, None);
    assert_eq!(all.items[0].last_error.as_deref(), Some("gone"));
    assert_eq!(operations(OperationFilter::All, 9, all.next_cursor.as_deref()).items.len(), 1);

    let before = now(world.dormouse.overview(&me())).expect("readable");
    assert_eq!((before.alerts.len(), before.queue.held_by), (0, None));
    let until = world.fresh(&task.id).updated_at + std::time::Duration::from_secs(3600);
    let away = breaker::Breaker {
        why: dormouse_types::model::ProviderUnavailable::Outage.into(),
        provider: dormouse_types::port::Model::provider(&*world.script).to_owned(),
        failures: 5,
        since: at,
        opened: 1,
        open_until: Some(until),
        detail: "503 from the other end".into(),
    };
    write(&world, breaker::put(ws, None, &away));
    now(world.dormouse.wake_agent(&me(), &agent.id, None, None)).expect("woken");
    let now_away = now(world.dormouse.overview(&me())).expect("readable");
    assert_eq!((now_away.queue.waiting, now_away.queue.due), (1, 1));
    assert_eq!(now_away.queue.held_by.as_deref(), Some(away.provider.as_str()));
    let alert = &now_away.alerts[0];
    assert_eq!(
        (alert.since, alert.until, alert.detail.as_str()),
        (at, until, "503 from the other end")
    );
}

#[test]
fn a_cursor_of_another_list_is_refused_by_name() {
    let world = World::new();
    let agent = busy(&world);
    let d = &world.dormouse;
    let nonsense = Some("nonsense");
    let filter = MessageFilter { limit: 9, cursor: nonsense.map(Into::into), ..Default::default() };
    let errors = [
        now(d.messages_page(&me(), &agent, filter)).expect_err("refused"),
        now(d.wakes_page(&me(), &agent, 9, nonsense)).expect_err("refused"),
        now(d.decisions_page(&me(), &agent, 9, nonsense)).expect_err("refused"),
        now(d.reports_page(&me(), &agent, 9, nonsense)).expect_err("refused"),
        now(d.tool_calls(&me(), &agent, None, 9, nonsense)).expect_err("refused"),
        now(d.agent_links(&me(), &agent, None, 9, nonsense)).expect_err("refused"),
    ];
    for error in errors {
        assert_eq!(slug(&error), ("validation-failed", 422));
        assert_eq!(error.problem().extra["errors"][0]["pointer"], "?cursor", "{error}");
    }
}

#[test]
fn pages_of_reports_and_decisions_hold_each_once() {
    let world = World::new();
    let (task, agent, items) =
        world.proposed(&[("update_task_estimate", json!({ "minutes": 60 }))]);
    world.decide(&items[0], Verdict::Reject);
    for note in ["The van is booked.", "The keys are here."] {
        world.note(&task.id, note);
        let report = ("update_report", json!({ "tldr": note, "content": note }));
        world.script.push(Answer::calls([report]));
        world.drain(&task.id);
    }
    let agent = agent.id;
    let (mut reports, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let page = now(world.dormouse.reports_page(&me(), &agent, 1, cursor.as_deref()));
        let page = page.expect("reports");
        reports.extend(page.items.into_iter().map(|report| report.created_at));
        cursor = page.next_cursor;
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!(reports.len(), 3);
    assert!(reports.is_sorted_by(|newer, older| newer > older), "{reports:?}");
    let decisions = now(world.dormouse.decisions_page(&me(), &agent, 1, None)).expect("decisions");
    assert_eq!((decisions.items.len(), decisions.next_cursor), (1, None));
}

#[test]
fn a_list_of_tasks_names_the_live_agent_of_each() {
    let world = World::new();
    let (one, two, three) = (world.task("One"), world.task("Two"), world.task("Three"));
    let first = world.agent(&one.id);
    now(world.dormouse.destroy_agent(&me(), &first.id, None)).expect("destroyed");
    let second = world.agent(&one.id);
    let other = world.agent(&three.id);
    let page = now(world.dormouse.tasks(&me(), TaskFilter::default(), 9, None)).expect("tasks");
    let of = |id| page.items.iter().find(|row| row.id == id).expect("a row").agent.clone();
    assert_eq!([of(one.id), of(two.id), of(three.id)], [Some(second.id), None, Some(other.id)]);
}
