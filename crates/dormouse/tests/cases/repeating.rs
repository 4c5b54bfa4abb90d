use dormouse::view::Task;
use dormouse::{EntryPatch, Error, ItemPatch, NewEntry, NewTask, TaskPatch, Verdict, VerdictOf};
use dormouse_types::agent::{Automation, ItemStatus, Lifecycle, MessageKind};
use dormouse_types::task::LinkKind;
use dormouse_types::{TaskId, limits};
use serde_json::{Value, json};

use crate::world::{World, me, now, slug, verdict_of};

fn key() -> Option<String> {
    Some("key-1".into())
}

fn titled(title: &str) -> TaskPatch {
    TaskPatch { title: Some(title.into()), ..TaskPatch::default() }
}

fn entry(text: &str) -> NewEntry {
    NewEntry { text: text.into(), ..NewEntry::default() }
}

fn text(text: &str) -> EntryPatch {
    EntryPatch { text: Some(text.into()), ..EntryPatch::default() }
}

/// The id of a second task, the same however often it is requested.
fn other_task(world: &World) -> TaskId {
    let new = NewTask { title: "Beside".into(), ..NewTask::default() };
    let made = now(world.dormouse.create_task(&me(), new, Some("beside".into())));
    made.expect("a task").id
}

type Edit = fn(&World, &Task, Option<String>) -> Result<Task, Error>;

/// Edits of a task: the request, and another request that must not pass under its key.
const EDITS: &[(&str, Edit, Edit)] = &[
    (
        "edit_task",
        |w, t, k| now(w.dormouse.edit_task(&me(), &t.id, titled("A"), None, k)),
        |w, t, k| now(w.dormouse.edit_task(&me(), &t.id, titled("B"), None, k)),
    ),
    (
        "edit_task at a revision",
        |w, t, k| now(w.dormouse.edit_task(&me(), &t.id, titled("A"), Some(t.revision), k)),
        |w, t, k| now(w.dormouse.edit_task(&me(), &t.id, titled("B"), Some(t.revision), k)),
    ),
    (
        "delete_task",
        |w, t, k| now(w.dormouse.delete_task(&me(), &t.id, k)),
        |w, t, k| now(w.dormouse.restore_task(&me(), &t.id, k)),
    ),
    (
        "add_item",
        |w, t, k| now(w.dormouse.add_item(&me(), &t.id, "A".into(), k)),
        |w, t, k| now(w.dormouse.add_item(&me(), &t.id, "B".into(), k)),
    ),
    (
        "edit_item",
        |w, t, k| {
            let patch = ItemPatch { is_checked: Some(true), ..ItemPatch::default() };
            now(w.dormouse.edit_item(&me(), &t.id, &t.items[0].id, patch, k))
        },
        |w, t, k| {
            let patch = ItemPatch { is_checked: Some(false), ..ItemPatch::default() };
            now(w.dormouse.edit_item(&me(), &t.id, &t.items[0].id, patch, k))
        },
    ),
    (
        "link_task",
        |w, t, k| {
            let link = (LinkKind::Blocks, other_task(w));
            now(w.dormouse.link_task(&me(), &t.id, link, None, k))
        },
        |w, t, k| {
            let link = (LinkKind::PartOf, other_task(w));
            now(w.dormouse.link_task(&me(), &t.id, link, None, k))
        },
    ),
    (
        "add_entry",
        |w, t, k| now(w.dormouse.add_entry(&me(), &t.id, entry("A"), k)),
        |w, t, k| now(w.dormouse.add_entry(&me(), &t.id, entry("B"), k)),
    ),
    (
        "edit_entry",
        |w, t, k| now(w.dormouse.edit_entry(&me(), &t.id, &t.entries[0].id, text("A"), None, k)),
        |w, t, k| now(w.dormouse.edit_entry(&me(), &t.id, &t.entries[0].id, text("B"), None, k)),
    ),
    (
        "delete_entry",
        |w, t, k| now(w.dormouse.delete_entry(&me(), &t.id, &t.entries[0].id, k)),
        |w, t, k| now(w.dormouse.restore_entry(&me(), &t.id, &t.entries[0].id, k)),
    ),
    (
        "add_label",
        |w, t, k| now(w.dormouse.add_label(&me(), &t.id, "A", k)),
        |w, t, k| now(w.dormouse.add_label(&me(), &t.id, "B", k)),
    ),
    (
        "remove_label",
        |w, t, k| now(w.dormouse.remove_label(&me(), &t.id, "Home", k)),
        |w, t, k| now(w.dormouse.add_label(&me(), &t.id, "Home", k)),
    ),
];

#[test]
fn an_edit_sent_twice_under_one_key_is_done_once() {
    for (name, edit, other) in EDITS {
        let world = World::new();
        let task = world.task("Move");
        let task = now(world.dormouse.add_label(&me(), &task.id, "Home", None)).expect(name);
        let first = edit(&world, &task, key()).expect(name);
        let rows = world.rows();
        let again = edit(&world, &task, key()).unwrap_or_else(|e| panic!("{name}: {e}"));
        assert_eq!(json!(again), json!(first), "{name}");
        assert_eq!(world.rows(), rows, "{name} was done twice");
        let error = other(&world, &task, key()).expect_err(name);
        assert_eq!(slug(&error), ("idempotency-mismatch", 422), "{name}: {error:?}");
    }
}

#[test]
fn a_task_made_twice_under_one_key_is_one_task() {
    let world = World::new();
    let new = |title: &str| NewTask { title: title.into(), ..NewTask::default() };
    let first = now(world.dormouse.create_task(&me(), new("A"), key())).expect("made");
    let again = now(world.dormouse.create_task(&me(), new("A"), key())).expect("the same");
    assert_eq!(first.id, again.id);
    let error = now(world.dormouse.create_task(&me(), new("B"), key())).expect_err("another");
    assert_eq!(slug(&error).0, "idempotency-mismatch");
    let other = Some("key-2".into());
    let second = now(world.dormouse.create_task(&me(), new("A"), other)).expect("made");
    assert_ne!(first.id, second.id);
}

#[test]
fn keys_of_two_callers_have_nothing_to_do_with_each_other() {
    let world = World::new();
    let new = || NewTask::default();
    let first = now(world.dormouse.create_task(&me(), new(), key())).expect("made");
    let token = crate::world::token(dormouse_types::Scope::ALL);
    let second = now(world.dormouse.create_task(&token, new(), key())).expect("made");
    assert_ne!(first.id, second.id);
}

#[test]
fn an_agent_made_twice_under_one_key_is_one_agent() {
    let world = World::new();
    let task = world.task("Move").id;
    let make =
        |name: &str| now(world.dormouse.create_agent(&me(), &task, Some(name.into()), key()));
    let first = make("Ida").expect("made");
    assert_eq!(make("Ida").expect("the same").id, first.id);
    assert_eq!(slug(&make("Emil").expect_err("another name")).0, "idempotency-mismatch");
    let error = now(world.dormouse.create_agent(&me(), &task, None, None)).expect_err("a second");
    assert_eq!(slug(&error), ("agent-exists", 409));
}

#[test]
fn a_repeated_request_to_an_agent_is_not_done_again_after_another_one() {
    type Ask =
        fn(&World, &dormouse::view::Agent, Option<String>) -> Result<dormouse::view::Agent, Error>;
    let pause: Ask = |w, a, k| now(w.dormouse.pause_agent(&me(), &a.id, k));
    let resume: Ask = |w, a, k| now(w.dormouse.resume_agent(&me(), &a.id, k));
    let off: Ask = |w, a, k| w.automation(&a.id, Automation::Off, k);
    let on: Ask = |w, a, k| w.automation(&a.id, Automation::On, k);
    let plain = |agent: &dormouse::view::Agent| (agent.lifecycle, agent.automation);
    for (name, ask, opposite) in [("pause", pause, resume), ("off", off, on)] {
        let world = World::new();
        let (_, agent, _) = world.proposed(&[]);
        let first = ask(&world, &agent, key()).expect(name);
        assert_eq!(plain(&ask(&world, &agent, key()).expect(name)), plain(&first), "{name}");
        assert_eq!(
            slug(&opposite(&world, &agent, key()).expect_err(name)).0,
            "idempotency-mismatch"
        );
        let back = opposite(&world, &agent, None).expect(name);
        let late = ask(&world, &agent, key()).expect(name);
        assert_eq!(plain(&late), plain(&back), "{name}: a late copy changes nothing");
    }
    let world = World::new();
    let (_, agent, _) = world.proposed(&[]);
    resume(&world, &agent, key()).expect("nothing to do");
    pause(&world, &agent, None).expect("paused");
    let late = resume(&world, &agent, key()).expect("the same answer");
    assert_eq!(
        late.lifecycle,
        Lifecycle::Dormant,
        "nothing was to do then, and nothing is done now"
    );
}

#[test]
fn words_sent_twice_under_one_key_are_said_once() {
    let world = World::new();
    let (task, agent, _) = world.proposed(&[]);
    let say =
        |words: &str| now(world.dormouse.wake_agent(&me(), &agent.id, Some(words.into()), key()));
    say("Hello").expect("said");
    say("Hello").expect("the same");
    assert_eq!(slug(&say("Bye").expect_err("other words")).0, "idempotency-mismatch");
    world.answer(&[]);
    assert_eq!(world.drain(&task.id).len(), 1);
    say("Hello").expect("the same");
    assert_eq!(world.drain(&task.id).len(), 0, "nobody wakes for a copy");
    let said = now(world.dormouse.messages(&me(), &agent.id, None, 99)).expect("messages");
    assert_eq!(said.iter().filter(|message| message.kind == MessageKind::User).count(), 1);
}

#[test]
fn a_verdict_sent_twice_under_one_key_is_taken_once() {
    let world = World::new();
    let (task, _, items) = world.proposed(&[("update_task_estimate", json!({ "minutes": 60 }))]);
    let (set, digest) = (items[0].set.clone(), Some(items[0].digest.to_string()));
    let decide = |verdict, key| {
        now(world.dormouse.decide_item(
            &me(),
            VerdictOf { digest: digest.clone(), ..verdict_of(&set, 1, verdict) },
            key,
        ))
    };
    let first = decide(Verdict::Confirm, key()).expect("confirmed");
    let again = decide(Verdict::Confirm, key()).expect("the same");
    assert_eq!(json!(first), json!(again));
    assert_eq!(
        slug(&decide(Verdict::Reject, key()).expect_err("another")).0,
        "idempotency-mismatch"
    );
    decide(Verdict::Undo, None).expect("undone");
    let late = decide(Verdict::Confirm, key()).expect("the same request");
    assert_eq!(late.item.status, ItemStatus::Pending, "a late copy does not confirm again");
    assert_eq!(world.fresh(&task.id).estimate_minutes, None);
    decide(Verdict::Confirm, Some("key-2".into())).expect("confirmed");
    assert_eq!(world.fresh(&task.id).estimate_minutes, Some(60));
    decide(Verdict::Undo, Some("key-3".into())).expect("undone");
    decide(Verdict::Confirm, None).expect("confirmed");
    let late = decide(Verdict::Undo, Some("key-3".into())).expect("the same request");
    assert_eq!(late.item.status, ItemStatus::Confirmed);
}

#[test]
fn confirming_all_again_under_one_key_is_done_once_and_another_list_is_refused() {
    let world = World::new();
    let titles: Vec<Value> = (0..12).map(|n| json!({ "title": format!("Item {n}") })).collect();
    let add = ("add_multiple_checklist_items", json!({ "items": titles }));
    let (task, _, items) = world.proposed(&[add]);
    for _ in 0..2 {
        let done = world.confirm_under(&items[..10], key()).expect("taken");
        assert_eq!(done.len(), 10);
        let is_confirmed = |one: &Result<dormouse::view::Outcome, dormouse::Error>| {
            one.as_ref().is_ok_and(|one| one.item.status == ItemStatus::Confirmed)
        };
        assert!(done.iter().all(|(_, one)| is_confirmed(one)), "{done:?}");
        assert_eq!(world.fresh(&task.id).items.len(), 11);
    }
    let other = world.confirm_under(&items[10..], key()).expect_err("another list");
    assert_eq!(slug(&other).0, "idempotency-mismatch");
    let rest: Vec<_> =
        world.items().into_iter().filter(|item| item.status == ItemStatus::Pending).collect();
    assert_eq!(rest.len(), 2);
    assert!(rest.iter().all(|item| item.shown));
}

#[test]
fn a_key_has_a_length() {
    let world = World::new();
    let make = |key: String| now(world.dormouse.create_task(&me(), NewTask::default(), Some(key)));
    let max = limits::IDEMPOTENCY_KEY.max;
    make("k".repeat(max - 1)).expect("short enough");
    make("k".repeat(max)).expect("just short enough");
    for wrong in ["k".repeat(max + 1), String::new()] {
        assert_eq!(slug(&make(wrong).expect_err("refused")), ("validation-failed", 422));
    }
}
