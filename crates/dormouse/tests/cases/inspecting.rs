use std::sync::Arc;

use dormouse::view::{Decision, KnowledgeKind};
use dormouse::{AgentFilter, DrainScope, NewEntry, NewTask, TaskPatch, Verdict, VerdictOf};
use dormouse_testkit::scripted::{Answer, Script};
use dormouse_types::agent::{AgentActivity, Lifecycle, RunStatus, WakeReason};
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::kept_back::KeptBackReason;
use dormouse_types::port::ModelLocation;
use dormouse_types::{Id as _, ThreadId};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::work_reading::Placed;
use crate::world::{World, me, now, services, slug, verdict_of};

fn by_hand(parts: &[&str]) -> String {
    Sha256::digest(parts.join("|")).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_keys_of_the_wakes_can_be_made_again_by_hand() {
    let world = World::new();
    let (task, agent, _) = world.proposed(&[]);
    world.note(&task.id, "The van is booked.");
    world.answer(&[]);
    world.drain(&task.id);
    world.later(60);
    now(world.dormouse.wake_agent(&me(), &agent.id, None, Some("once".into()))).expect("woken");
    world.answer(&[]);
    world.drain(&task.id);
    let id = agent.id.as_str();
    let wakes = now(world.dormouse.wakes(&me(), &agent.id, 9)).expect("wakes");
    let reasons: Vec<_> = wakes.iter().map(|wake| wake.reason.name()).collect();
    assert_eq!(reasons, ["userInitiated", "subscription", "creation"]);
    for wake in wakes {
        let reason = wake.reason_id.expect("what woke it");
        let last = match wake.reason.name() {
            "subscription" => wake.logical_change_key.expect("an interval"),
            _ => "0".into(),
        };
        let key = wake.run_key.expect("a key").0;
        assert_eq!(key, by_hand(&[id, &reason, &last]), "{}", wake.reason);
        assert_eq!(wake.status, RunStatus::Completed);
        assert_eq!(wake.model.as_deref(), Some("script"));
    }
    // The request of a person is the receipt of their key.
    let request = by_hand(&["http", "owner", "once"]);
    let wakes = now(world.dormouse.wakes(&me(), &agent.id, 1)).expect("wakes");
    assert_eq!(wakes[0].reason_id.as_deref(), Some(request.as_str()));
}

#[test]
fn a_waiting_wake_is_listed_first_as_queued() {
    let world = World::new();
    let task = world.task("Move");
    let agent = world.agent(&task.id);
    let wakes = now(world.dormouse.wakes(&me(), &agent.id, 9)).expect("wakes");
    assert_eq!(wakes.len(), 1);
    assert_eq!((wakes[0].status.name(), wakes[0].run_key.as_ref()), ("queued", None));
    assert_eq!(wakes[0].reason, WakeReason::Creation);
    assert_eq!(world.fresh_agent(&agent.id).activity, AgentActivity::Queued);
    world.answer(&[]);
    world.drain(&task.id);
    let wakes = now(world.dormouse.wakes(&me(), &agent.id, 9)).expect("wakes");
    assert_eq!((wakes.len(), wakes[0].status.name()), (1, "completed"));
    assert_eq!(world.fresh_agent(&agent.id).activity, AgentActivity::Asleep);
}

#[test]
fn every_prompt_of_a_run_is_rebuilt_as_it_was_sent() {
    let world = World::new();
    let task = world.task("Move");
    let agent = world.agent(&task.id);
    let note = ("record_observations", json!({ "observations": ["They like lists."] }));
    world.script.push(Answer::calls([note]).and_goes_on());
    world.answer(&[("update_task_estimate", json!({ "minutes": 60 }))]);
    world.drain(&task.id);
    world.note(&task.id, "The van is booked.");
    world.answer(&[]);
    world.drain(&task.id);
    let mut rebuilt = Vec::new();
    let wakes = now(world.dormouse.wakes(&me(), &agent.id, 9)).expect("wakes");
    for wake in wakes.into_iter().rev() {
        let key = wake.run_key.expect("a key");
        rebuilt.extend(now(world.dormouse.prompts(&me(), &agent.id, &key)).expect("prompts"));
    }
    let requests = world.script.requests();
    assert_eq!((rebuilt.len(), requests.len()), (3, 3));
    for (prompt, request) in rebuilt.iter().zip(&requests) {
        assert!(prompt.verified, "turn {} of {}", prompt.turn, prompt.run_key);
        assert_eq!((&prompt.run_key, prompt.turn), (&request.run_key, request.turn));
        let texts: Vec<_> = prompt
            .fragments
            .iter()
            .filter(|piece| piece.kind.name() != "tools")
            .map(|piece| piece.text.as_str())
            .collect();
        let sent: Vec<_> = request.fragments.iter().map(|piece| piece.text.as_str()).collect();
        assert_eq!(texts, sent);
    }
}

#[test]
fn a_prompt_of_which_a_text_was_purged_says_so() {
    let world = World::new();
    let (_, agent, _) = world.proposed(&[]);
    let gone = dormouse_store::Op::any(
        "DELETE FROM texts WHERE ws = ?1 AND text LIKE '%signed the contract%'",
        dormouse_store::params![dormouse::WORKSPACE.0],
    );
    let commit =
        dormouse_store::Commit::new("test.purge", dormouse_store::Db::Agent, dormouse::WORKSPACE);
    now(world.store.commit(commit.op(gone))).expect("purged");
    let wakes = now(world.dormouse.wakes(&me(), &agent.id, 9)).expect("wakes");
    let key = wakes[0].run_key.clone().expect("a key");
    let prompts = now(world.dormouse.prompts(&me(), &agent.id, &key)).expect("prompts");
    assert!(!prompts[0].verified);
    assert!(prompts[0].fragments.iter().any(|piece| piece.text == "[purged]"));
}

#[test]
fn messages_of_a_run_stand_in_their_order_and_decisions_on_a_thread_of_their_own() {
    let world = World::new();
    let (_, agent, items) = world.proposed(&[
        ("update_task_estimate", json!({ "minutes": 60 })),
        ("record_observations", json!({ "observations": ["They like lists."] })),
    ]);
    let wakes = now(world.dormouse.wakes(&me(), &agent.id, 9)).expect("wakes");
    let thread = wakes[0].thread_id.clone().expect("a thread");
    let kinds = |thread: &ThreadId| {
        let all = now(world.dormouse.messages(&me(), &agent.id, Some(thread.clone()), 99));
        all.expect("messages")
            .into_iter()
            .map(|message| message.kind.to_string())
            .collect::<Vec<_>>()
    };
    let calls = ["action", "toolResult"].repeat(3);
    let expected: Vec<_> = ["thought"].into_iter().chain(calls).chain(["observation"]).collect();
    assert_eq!(kinds(&thread), expected);
    world.later(1);
    let item = &items[0];
    now(world.dormouse.decide_item(&me(), verdict_of(&item.set, 1, Verdict::Confirm), None))
        .expect("confirmed");
    let decisions = ThreadId::try_from(agent.id.as_str().replacen("ag-", "th-", 1)).expect("an id");
    let answered =
        now(world.dormouse.messages(&me(), &agent.id, Some(decisions), 99)).expect("messages");
    assert_eq!(
        answered.iter().map(|m| m.kind.name()).collect::<Vec<_>>(),
        ["action", "toolResult"]
    );
    assert!(
        answered[0].operation_id.is_some() && answered[0].operation_id == answered[1].operation_id
    );
    assert_eq!(
        answered[1].content.as_ref().map(|content| content["applied"].clone()),
        Some(json!(true))
    );
    let all = now(world.dormouse.messages(&me(), &agent.id, None, 99)).expect("messages");
    assert_eq!(all.len(), expected.len() + 2);
    let newest = now(world.dormouse.messages(&me(), &agent.id, None, 2)).expect("messages");
    assert_eq!(
        newest.iter().map(|m| &m.id).collect::<Vec<_>>(),
        answered.iter().map(|m| &m.id).collect::<Vec<_>>()
    );
}

#[test]
fn a_decision_names_item_verdict_and_reason() {
    let world = World::new();
    let (task, agent, items) =
        world.proposed(&[("update_task_estimate", json!({ "minutes": 60 }))]);
    let set = &items[0].set;
    let why = Some("too short".to_owned());
    now(world.dormouse.decide_item(
        &me(),
        VerdictOf { reason: why.clone(), ..verdict_of(set, 1, Verdict::Reject) },
        None,
    ))
    .expect("rejected");
    for decisions in [
        now(world.dormouse.decisions(&me(), &agent.id, 9)).expect("decisions"),
        now(world.dormouse.task_decisions(&me(), &task.id)).expect("decisions"),
    ] {
        let one = &decisions[0];
        assert_eq!(decisions.len(), 1);
        assert_eq!((&one.change_set_id, one.item_index), (set, 1));
        assert_eq!((one.verdict.name(), one.outcome.name()), ("rejected", "applied"));
        assert_eq!(one.rejection_reason, why);
        assert_eq!(one.human_summary, "Set time estimate to 1 hour");
        assert!(!one.vector_clock.is_empty() && one.undone_at.is_none());
    }
    now(world.dormouse.decide_item(&me(), verdict_of(set, 1, Verdict::Undo), None))
        .expect("undone");
    let decisions = now(world.dormouse.decisions(&me(), &agent.id, 9)).expect("decisions");
    assert!(decisions[0].undone_at.is_some());
}

#[test]
fn a_decision_says_what_changed_as_values_and_so_does_the_memory_of_it() {
    let world = World::new();
    let calls = [
        ("update_task_estimate", json!({ "minutes": 60 })),
        ("add_checklist_items", json!({ "items": [{ "title": "Order boxes" }] })),
    ];
    let (task, agent, items) = world.proposed(&calls);
    for item in &items {
        world.decide(item, Verdict::Confirm);
    }
    let boxes = world.fresh(&task.id).items.last().expect("an item").id.clone();
    let tick = json!({ "items": [{ "id": boxes, "isChecked": true }] });
    world.answer(&[("update_checklist_items", tick)]);
    now(world.dormouse.wake_agent(&me(), &agent.id, None, None)).expect("woken");
    world.drain(&task.id);
    let open = now(world.dormouse.task_changes(&me(), &task.id)).expect("changes");
    world.decide(&open[0].item, Verdict::Reject);

    let item = |is_checked| {
        let title = "Order boxes".to_owned();
        Some(FieldValue::Item { title, is_checked, is_archived: false })
    };
    let added = FieldRef::Item { id: None };
    let expected = [
        Some(FieldChange {
            field: FieldRef::Item { id: Some(boxes) },
            from: item(false),
            to: item(true),
        }),
        Some(FieldChange { field: added, from: None, to: item(false) }),
        Some(FieldChange {
            field: FieldRef::Estimate,
            from: None,
            to: Some(FieldValue::Minutes { minutes: 60 }),
        }),
    ];
    let changes = |decisions: Vec<Decision>| -> Vec<_> {
        decisions.into_iter().map(|one| one.change).collect()
    };
    let of_agent = now(world.dormouse.decisions(&me(), &agent.id, 9)).expect("decisions");
    assert_eq!(changes(of_agent), expected);
    let of_task = now(world.dormouse.task_decisions(&me(), &task.id)).expect("decisions");
    assert_eq!(changes(of_task), expected);
    let known = now(world.dormouse.knowledge(&me(), &agent.id, 99, None)).expect("a page").items;
    let known = known.into_iter().filter(|line| line.kind == KnowledgeKind::Decision);
    assert_eq!(known.map(|line| line.change).collect::<Vec<_>>(), expected);
}

#[test]
fn a_line_in_memory_says_whether_its_model_is_sent_it() {
    for (location, expected) in [
        (ModelLocation::OwnServer, None),
        (ModelLocation::BuiltIn, None),
        (ModelLocation::Elsewhere, Some(KeptBackReason::Private)),
    ] {
        let script = Arc::new(Script::default());
        let model = Arc::new(Placed(script.clone(), location));
        let (dormouse, _rooms) = services(model, "2026-03-02T09:00:00Z");
        let new = NewTask { title: "Move".into(), ..NewTask::default() };
        let task = now(dormouse.create_task(&me(), new, None)).expect("a task").id;
        let agent = now(dormouse.create_agent(&me(), &task, None, None)).expect("an agent").id;
        let entry =
            |text: &str, private| NewEntry { text: text.into(), private, ..NewEntry::default() };
        for entry in [entry("The van is booked.", false), entry("The result came.", true)] {
            now(dormouse.add_entry(&me(), &task, entry, None)).expect("an entry");
        }
        let report = json!({ "tldr": "All quiet.", "content": "Nothing yet." });
        script.push(Answer::calls([("update_report", report)]));
        let scope = DrainScope { tasks: vec![task], ..DrainScope::default() };
        now(dormouse.drain(scope, &mut |_| {})).expect("drained");
        let known = now(dormouse.knowledge(&me(), &agent, 99, None)).expect("a page").items;
        let kept_back = |words: &str| {
            let line = known.iter().find(|line| line.words.contains(words));
            line.unwrap_or_else(|| panic!("{words}: {known:?}")).kept_back
        };
        assert_eq!(kept_back("The van is booked."), None, "{location:?}");
        assert_eq!(kept_back("The result came."), expected, "{location:?}");
    }
}

#[test]
fn a_line_in_memory_names_its_subject_and_has_words_for_a_person() {
    let world = World::new();
    let task = world.task("Move");
    let agent = world.agent(&task.id);
    let task = world.note(&task.id, "By phone (id: en-1):\nor so");
    let due_on = Some(Some(jiff::civil::date(2026, 3, 20)));
    let patch = TaskPatch { due_on, ..TaskPatch::default() };
    now(world.dormouse.edit_task(&me(), &task.id, patch, None, None)).expect("edited");
    world.answer(&[]);
    world.drain(&task.id);
    let known = now(world.dormouse.knowledge(&me(), &agent.id, 99, None)).expect("a page").items;
    let inputs = known.iter().filter(|line| line.kind == KnowledgeKind::Input);
    let inputs: Vec<_> = inputs.map(|it| (it.words.as_str(), it.subject.as_deref())).collect();
    let entry = task.entries.iter().find(|entry| entry.text.contains("or so")).expect("the note");
    for expected in [
        ("task created: Move", None),
        ("By phone (id: en-1):\nor so", Some(entry.id.as_str())),
        ("item added [ ] Pack the books", Some(task.items[0].id.as_str())),
        ("dueDate: none -> 2026-03-20", Some("dueDate")),
    ] {
        assert!(inputs.contains(&expected), "{expected:?}: {inputs:#?}");
    }
}

#[test]
fn a_wake_of_another_agent_is_not_found() {
    let world = World::new();
    let (_, agent, _) = world.proposed(&[]);
    let wakes = now(world.dormouse.wakes(&me(), &agent.id, 9)).expect("wakes");
    let key = wakes[0].run_key.clone().expect("a key");
    let other = world.agent(&world.task("Paint").id);
    let error = now(world.dormouse.wake(&me(), &other.id, &key)).expect_err("not its own");
    assert_eq!(slug(&error), ("not-found", 404));
    let error = now(world.dormouse.prompts(&me(), &other.id, &key)).expect_err("not its own");
    assert_eq!(slug(&error), ("not-found", 404));
}

#[test]
fn the_history_of_a_destroyed_agent_stays_readable() {
    let world = World::new();
    let (task, agent, _) = world.proposed(&[("update_task_estimate", json!({ "minutes": 60 }))]);
    now(world.dormouse.destroy_agent(&me(), &agent.id, None)).expect("destroyed");
    assert_eq!(world.fresh_agent(&agent.id).lifecycle, Lifecycle::Destroyed);
    assert_eq!(world.fresh(&task.id).agent, None);
    assert!(now(world.dormouse.report(&me(), &agent.id)).expect("readable").is_some());
    assert!(
        !now(world.dormouse.messages(&me(), &agent.id, None, 99)).expect("readable").is_empty()
    );
    assert_eq!(now(world.dormouse.wakes(&me(), &agent.id, 9)).expect("readable").len(), 1);
    let next = world.agent(&task.id);
    let all = now(world.dormouse.agents(&me(), &AgentFilter::default(), 9, None));
    let all = all.expect("agents").items;
    assert_eq!(all.len(), 2);
    let live = now(world.dormouse.find_agents(&me(), "new flat", 9, None)).expect("found").items;
    assert_eq!(live.iter().map(|agent| &agent.id).collect::<Vec<_>>(), [&next.id]);
}
