//! A link between two tasks is one row, found from both of them.

use dormouse_store::doc::Doc;
use dormouse_store::journal::linked_entry::{self, LinkedEntry, LinkedTask};
use dormouse_store::journal::{row, task};
use dormouse_store::{Db, Op, Query, Refusal, params};
use dormouse_types::TaskId;
use dormouse_types::closed_list::Listed;
use dormouse_types::task::Status;

use super::round_trip_journal::a_task;
use crate::world::{OTHER_WS, WS, World, at, journal_commit};

each_engine!(
    a_link_is_found_from_both_ends_with_the_other_task,
    newest_links_stand_first_whichever_way_they_run,
    a_live_link_of_the_same_ends_and_kind_is_refused,
    a_link_that_was_removed_comes_back_unless_a_twin_is_there,
    a_link_to_a_deleted_task_says_so,
    a_link_of_a_newer_version_keeps_what_is_unknown,
    a_link_whose_other_task_cannot_be_read_has_no_title,
    links_are_walked_by_id_with_those_that_were_removed,
);

fn made(world: &World, title: &str) -> TaskId {
    let task = a_task(world, title);
    world.journal([row::insert(WS, &task)]);
    task.id
}

fn link(world: &World, from: &TaskId, kind: &str, to: &TaskId, micros: i64) -> LinkedEntry {
    LinkedEntry {
        id: world.id(),
        from_id: from.clone(),
        to_id: to.clone(),
        kind: Listed::named(kind),
        created_at: at(micros),
        updated_at: at(micros),
        deleted_at: None,
    }
}

/// The links of a task with the titles of the tasks at their other ends.
fn seen(world: &World, task: &TaskId) -> Vec<(LinkedEntry, String)> {
    let edges = world.all(linked_entry::of_task(WS, task));
    edges.into_iter().map(|edge| (edge.doc.value, edge.other.title)).collect()
}

fn set_deleted(world: &World, link: &LinkedEntry, deleted: Option<i64>) -> Op {
    let mut doc = world.only(linked_entry::by_id(WS, &link.id));
    doc.value.deleted_at = deleted.map(at);
    linked_entry::put(WS, &doc)
}

fn a_link_is_found_from_both_ends_with_the_other_task(world: &World) {
    let (fence, gate) = (made(world, "Paint the fence"), made(world, "Mend the gate"));
    let one = link(world, &fence, "blocks", &gate, 1);
    let seq = world.journal([linked_entry::insert(WS, &one)]).seq;
    assert_eq!(seen(world, &fence), [(one.clone(), "Mend the gate".to_owned())]);
    assert_eq!(seen(world, &gate), [(one.clone(), "Paint the fence".to_owned())]);
    let edge = world.only(linked_entry::of_task(WS, &fence));
    let title = "Mend the gate".to_owned();
    let gate = LinkedTask {
        id: gate,
        title,
        status: Status::Blocked,
        is_deleted: false,
        is_private: true,
    };
    assert_eq!(edge.other, gate);
    assert_eq!(world.all(linked_entry::of_task(OTHER_WS, &fence)).len(), 0);
    assert_eq!(world.only(linked_entry::by_id(WS, &one.id)).value, one);
    assert!(world.first(linked_entry::by_id(OTHER_WS, &one.id)).is_none());
    let written = world.raw(Db::Journal, "SELECT clock_host, clock_counter FROM linked_entries");
    let host = world.store.host(Db::Journal);
    assert_eq!(written[0].text(0).expect("a host"), host.to_string());
    assert_eq!(written[0].int(1).expect("a counter"), seq.0);
}

fn newest_links_stand_first_whichever_way_they_run(world: &World) {
    let (own, other) = (made(world, "Own"), made(world, "Other"));
    let old = link(world, &other, "blocks", &own, 1);
    let tie = link(world, &own, "partOf", &other, 2);
    let tied = link(world, &other, "partOf", &own, 2);
    world.journal([&tied, &old, &tie].map(|link| linked_entry::insert(WS, link)));
    let order: Vec<LinkedEntry> = seen(world, &own).into_iter().map(|(link, _)| link).collect();
    assert_eq!(order, [tie, tied, old]);
}

fn a_live_link_of_the_same_ends_and_kind_is_refused(world: &World) {
    let (a, b) = (made(world, "A"), made(world, "B"));
    world.journal([linked_entry::insert(WS, &link(world, &a, "blocks", &b, 1))]);
    let twin = link(world, &a, "blocks", &b, 2);
    assert_eq!(world.refusal(journal_commit([linked_entry::insert(WS, &twin)])), Refusal::Exists);
    let others = [link(world, &b, "blocks", &a, 3), link(world, &a, "partOf", &b, 3)];
    world.journal(others.iter().map(|link| linked_entry::insert(WS, link)));
    world.journal([linked_entry::insert(OTHER_WS, &link(world, &a, "blocks", &b, 4))]);
    assert_eq!(seen(world, &a).len(), 3);
}

fn a_link_that_was_removed_comes_back_unless_a_twin_is_there(world: &World) {
    let (a, b) = (made(world, "A"), made(world, "B"));
    let first = link(world, &a, "blocks", &b, 1);
    world.journal([linked_entry::insert(WS, &first)]);
    world.journal([set_deleted(world, &first, Some(5))]);
    assert_eq!(seen(world, &a), []);
    assert_eq!(seen(world, &b), []);
    assert_eq!(world.only(linked_entry::by_id(WS, &first.id)).value.deleted_at, Some(at(5)));

    let second = link(world, &a, "blocks", &b, 6);
    world.journal([linked_entry::insert(WS, &second)]);
    let back = journal_commit([set_deleted(world, &first, None)]);
    assert_eq!(world.refusal(back), Refusal::Exists);
    world.journal([set_deleted(world, &second, Some(7)), set_deleted(world, &first, None)]);
    assert_eq!(seen(world, &b), [(first, "A".to_owned())]);
}

fn a_link_to_a_deleted_task_says_so(world: &World) {
    let (a, b) = (made(world, "A"), made(world, "B"));
    world.journal([linked_entry::insert(WS, &link(world, &a, "blocks", &b, 1))]);
    let mut gone = world.only(task::by_id(WS, &b)).doc;
    gone.value.deleted_at = Some(at(9));
    world.journal([row::put(WS, &gone)]);
    assert!(world.only(linked_entry::of_task(WS, &a)).other.is_deleted);
    assert!(!world.only(linked_entry::of_task(WS, &b)).other.is_deleted);
}

fn a_link_of_a_newer_version_keeps_what_is_unknown(world: &World) {
    let (a, b) = (made(world, "A"), made(world, "B"));
    let mut one = link(world, &a, "haunts", &b, 1);
    let plain = serde_json::to_string(&one).expect("plain data");
    let text = plain.replacen('{', r#"{ "big":1e400, "half":"\ud800","#, 1);
    let by_hand = Op::one(
        "INSERT INTO linked_entries (ws, id, from_id, to_id, type, created_at, updated_at,
           serialized, schema_version, clock_host, clock_counter)
         VALUES (?1, ?2, ?3, ?4, 'haunts', ?5, ?5, ?6, 7, 'ho-x', 9)",
        params![WS.0, one.id.to_string(), a.to_string(), b.to_string(), at(1), text.as_str()],
        Refusal::Exists,
    );
    world.journal([by_hand]);
    assert_eq!(seen(world, &b), [(one.clone(), "A".to_owned())]);
    let stored = |world: &World| world.only(linked_entry::after(WS, "", 9)).text;
    let doc = world.only(linked_entry::by_id(WS, &one.id));
    world.journal([linked_entry::put(WS, &doc)]);
    assert_eq!(stored(world), text, "untouched, it is stored as its text");

    world.journal([set_deleted(world, &one, Some(5))]);
    one.deleted_at = Some(at(5));
    let changed = stored(world);
    assert!(changed.starts_with(r#"{"big":1e400,"half":"\ud800","#), "{changed}");
    assert_eq!(Doc::<LinkedEntry>::read(&changed).expect("a link").value, one);
}

fn a_link_whose_other_task_cannot_be_read_has_no_title(world: &World) {
    let (a, b) = (made(world, "A"), made(world, "B"));
    world.journal([linked_entry::insert(WS, &link(world, &a, "blocks", &b, 1))]);
    let damage = "UPDATE journal SET serialized = '{' WHERE ws = ?1 AND id = ?2";
    world.journal([Op::one(damage, params![WS.0, b.to_string()], Refusal::Missing)]);
    let other = world.only(linked_entry::of_task(WS, &a)).other;
    assert_eq!((other.id, other.title.as_str(), other.status), (b, "", Status::Blocked));
}

fn links_are_walked_by_id_with_those_that_were_removed(world: &World) {
    let (a, b) = (made(world, "A"), made(world, "B"));
    let first = link(world, &a, "blocks", &b, 1);
    let second = link(world, &a, "partOf", &b, 1);
    world.journal([&second, &first].map(|link| linked_entry::insert(WS, link)));
    world.journal([set_deleted(world, &first, Some(5))]);
    let ids = |query: Query<linked_entry::Raw>| -> Vec<String> {
        world.all(query).into_iter().map(|raw| raw.id).collect()
    };
    let (one, two) = (first.id.to_string(), second.id.to_string());
    assert_eq!(ids(linked_entry::after(WS, "", 9)), [one.clone(), two.clone()]);
    assert_eq!(ids(linked_entry::after(WS, "", 1)), std::slice::from_ref(&one));
    assert_eq!(ids(linked_entry::after(WS, &one, 9)), [two]);
    assert!(world.all(linked_entry::after(WS, "", 9)).iter().all(|raw| raw.check().is_ok()));
    let broken = linked_entry::Raw { id: one.clone(), text: "{}".into() };
    assert!(broken.check().expect_err("it is not a link").to_string().contains(&one));
}
