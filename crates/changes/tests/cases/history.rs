use dormouse_changes::set::conclude::thread;
use dormouse_changes::set::rows::operation;
use dormouse_journal::Edit;
use dormouse_store::agent::change_item::Item;
use dormouse_store::agent::message::{self, Message};
use dormouse_store::agent::{link, saga};
use dormouse_store::{Db, receipt};
use dormouse_types::agent::AgentLinkKind;
use dormouse_types::task::Field;
use dormouse_types::{Actor, Id as _, hash};
use serde_json::json;

use crate::world::{WS, World, now};

/// The messages on the decision thread, oldest first.
fn messages(world: &World) -> Vec<Message> {
    let query = message::of_thread(WS, &thread(&world.agent), 100);
    let mut all: Vec<_> =
        now(world.store.all(query)).expect("messages").into_iter().map(|m| m.doc.value).collect();
    all.sort_by_key(|message| message.metadata.n);
    all
}

fn effects_of(world: &World, message: &Message) -> Vec<String> {
    let links = now(world.store.all(link::from(WS, message.id.as_str()))).expect("links");
    let mut to: Vec<_> = links
        .into_iter()
        .filter(|link| link.kind == AgentLinkKind::ToolEffect)
        .map(|link| link.to_id)
        .collect();
    to.sort();
    to
}

fn confirmed(tool: &str, args: serde_json::Value) -> (World, Item) {
    let world = World::new();
    let item = world.open(tool, args);
    world.confirm(&item).expect("confirmed");
    (world, item)
}

#[test]
fn an_applied_proposal_leaves_a_call_and_a_result_that_name_its_operation() {
    let (world, item) = confirmed("update_task_due_date", json!({ "dueDate": "2026-03-20" }));
    let recorded = messages(&world);
    let kinds: Vec<_> = recorded.iter().map(|message| message.kind.name()).collect();
    assert_eq!(kinds, ["action", "toolResult"]);
    for message in &recorded {
        assert_eq!(message.metadata.operation_id.as_ref(), Some(&item.operation.0));
        assert_eq!(message.metadata.tool_name.as_deref(), Some("update_task_due_date"));
        assert_eq!(message.trigger_source_id, Some(format!("{}:1", item.set)));
    }
    assert_eq!(recorded[1].metadata.refused, Some(false));
    assert_eq!(recorded[1].prev_message_id.as_ref(), Some(&recorded[0].id));
    assert_eq!(effects_of(&world, &recorded[1]), [world.task.to_string()]);
    let decision = &world.decisions()[0];
    assert_eq!((decision.item_index, &decision.change_set_id), (1, &item.set));
    assert_eq!(decision.fingerprint, item.fingerprint.0);
}

#[test]
fn an_effect_is_linked_to_what_it_made_or_touched() {
    let args = json!({ "items": [{ "title": "Buy boxes" }] });
    let (world, _) = confirmed("add_multiple_checklist_items", args);
    let linked = effects_of(&world, &messages(&world)[1]);
    let made = world.state().items[1].id.to_string();
    assert!(linked.contains(&made) && linked.contains(&world.task.to_string()), "{linked:?}");

    let world = World::new();
    let id = world.first_item();
    let args = json!({ "items": [{ "id": id, "isChecked": true }] });
    let item = world.open("update_checklist_items", args);
    world.confirm(&item).expect("confirmed");
    let mut expected = vec![id.to_string(), world.task.to_string()];
    expected.sort();
    assert_eq!(effects_of(&world, &messages(&world)[1]), expected);
}

#[test]
fn what_could_not_be_applied_is_recorded_as_refused_and_touches_nothing() {
    let world = World::new();
    let item = world.due("2026-03-20");
    world.edit(&[Edit::DueOn(Some("2026-03-20".parse().expect("a day")))]);
    world.confirm(&item).expect_err("nothing to do");
    let recorded = messages(&world);
    assert_eq!(recorded[1].metadata.refused, Some(true));
    assert_eq!(effects_of(&world, &recorded[1]), Vec::<String>::new());
}

#[test]
fn verdicts_of_one_agent_are_one_chain() {
    let world = World::new();
    for (tool, args) in [
        ("update_task_due_date", json!({ "dueDate": "2026-03-20" })),
        ("update_task_estimate", json!({ "minutes": 60 })),
    ] {
        world.confirm(&world.open(tool, args)).expect("confirmed");
    }
    let recorded = messages(&world);
    assert_eq!(recorded.len(), 4);
    for pair in recorded.windows(2) {
        assert_eq!(pair[1].prev_message_id.as_ref(), Some(&pair[0].id));
    }
}

#[test]
fn an_operation_is_made_of_run_proposal_and_round_and_has_one_receipt() {
    let (world, item) = confirmed("update_task_due_date", json!({ "dueDate": "2026-03-20" }));
    let run_key = World::run_key(1);
    let by_hand = |round: i64| hash::sha256(format!("{run_key}|{}|{round}", item.fingerprint)).0;
    assert_eq!(item.operation.0, by_hand(0));
    assert_eq!(operation(&run_key.0, &item.fingerprint, 1).0, by_hand(1));
    let receipt =
        |id: &str| now(world.store.first(receipt::by_id(Db::Journal, WS, id))).expect("readable");
    assert!(receipt(&by_hand(0)).is_some_and(|receipt| receipt.effects.is_some()));
    let undo = hash::sha256(format!("{}|undo", by_hand(0))).0;
    assert!(receipt(&undo).is_none());
    let open = world.undo(&item).expect("undone");
    assert!(receipt(&undo).is_some());
    assert_eq!(open.operation.0, by_hand(1));
    let left =
        now(world.store.all(saga::by_status(WS, saga::OperationStatus::Pending))).expect("sagas");
    assert_eq!(left, [], "nothing is left to recover");
    let done =
        now(world.store.all(saga::by_status(WS, saga::OperationStatus::Completed))).expect("sagas");
    assert_eq!(done.len(), 2);
}

#[test]
fn the_identity_of_a_proposal_is_made_of_tool_arguments_task_and_target() {
    let (world, item) = confirmed("update_task_due_date", json!({ "dueDate": "2026-03-20" }));
    let canonical = format!(
        "[\"update_task_due_date\",{{\"dueDate\":\"2026-03-20\"}},\"{}\",[\"dueDate\"]]",
        world.task
    );
    assert_eq!(item.fingerprint.0, hash::sha256(canonical).0);
}

#[test]
fn a_confirmed_change_is_the_persons_by_way_of_the_agent() {
    let (world, _) = confirmed("update_task_due_date", json!({ "dueDate": "2026-03-20" }));
    let query = dormouse_store::change_log::after(WS, dormouse_types::Seq(0), 100);
    let last = now(world.store.all(query)).expect("changes").pop().expect("a change");
    assert_eq!(
        last.origin,
        dormouse_types::Origin::Person { via: Some(world.agent.clone().into()) }
    );
    let say = world
        .state()
        .says
        .into_iter()
        .find(|say| say.field == Field::DueDate.into())
        .expect("a say");
    assert_eq!(say.by, dormouse_types::By::User);
}

/// Who did what in the journal, oldest first.
fn audited(world: &World) -> Vec<String> {
    let decode = |row: &dormouse_store::Row| Ok(row.text(0).expect("an actor").to_owned());
    let sql = "SELECT actor FROM audit_log ORDER BY seq, n";
    let query = dormouse_store::Query { db: Db::Journal, sql, params: Vec::new(), decode };
    now(world.store.all(query)).expect("the audit log")
}

#[test]
fn a_confirm_and_its_undo_name_their_decider_in_the_audit_log_of_the_journal() {
    let world = World::new();
    let item = world.due("2026-03-20");
    let by = |name: &str| dormouse_changes::Decider {
        ws: WS,
        actor: Actor::from(name.to_owned()),
        once: None,
        task: None,
    };
    let before = audited(&world).len();
    let digest = Some(&item.fingerprint);
    world.later(1);
    now(world.changes.confirm(&by("token:phone"), &item.set, 1, digest)).expect("confirmed");
    world.later(1);
    now(world.changes.undo(&by("token:desk"), &item.set, 1, digest)).expect("undone");
    world.later(1);
    // The audit names the person who decided, even if another process finishes it.
    let tablet = by("token:tablet");
    world.crash_at_the_journal(|world| {
        drop(now(world.changes.confirm(&tablet, &item.set, 1, digest)));
    });
    now(world.changes.recover(WS)).expect("recovered");
    assert_eq!(audited(&world)[before..], ["token:phone", "token:desk", "token:tablet"]);
}
