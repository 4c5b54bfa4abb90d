//! A damaged row is reported by name, and does not hide others.

use dormouse_store::agent::agent_entity::Agent;
use dormouse_store::agent::{change_item, entity, link, wake_queue, wake_run};
use dormouse_store::journal::row;
use dormouse_store::journal::task::{self, ListQuery};
use dormouse_store::{Op, ReadError, Refusal, params};
use dormouse_types::agent::AgentLinkKind;
use dormouse_types::{ChangeSetId, Id as _, RunKey};

use super::round_trip_agent::agent;
use super::round_trip_journal::{a_checklist, a_task, an_item};
use crate::world::{WS, World, at};

each_engine!(
    a_damaged_agent_is_named_and_the_others_can_be_read,
    a_damaged_task_does_not_hide_the_list,
    a_damaged_item_is_named_by_its_kind,
    rows_without_documents_are_named_too,
);

/// Damage a document can have: cut off, wrong shape, an unreadable value, no text.
const DAMAGES: [&str; 4] = ["{\"id\":", "[]", "{\"id\":\"not an id\"}", ""];

#[track_caller]
fn check_corrupt<T>(result: Result<Vec<T>, ReadError>, db: &str, noun: &str, id: &str) {
    let Err(error) = result else { panic!("the damage of {noun} {id} is not seen") };
    let ReadError::Corrupt { db: found_db, noun: found_noun, id: found_id, detail } = &error else {
        panic!("{error}")
    };
    assert_eq!((*found_db, *found_noun, found_id.as_str()), (db, noun, id));
    assert!(!detail.is_empty());
    let message = error.to_string();
    assert!(message.starts_with(&format!("{noun} {id} in the {db} database")), "{message}");
}

fn a_damaged_agent_is_named_and_the_others_can_be_read(world: &World) {
    let (damaged, well) = (agent(world), agent(world));
    world.agent([entity::insert(WS, &damaged), entity::insert(WS, &well)]);
    let id = damaged.id.as_str();
    for damage in DAMAGES {
        let sql = "UPDATE agent_entities SET serialized = ?3 WHERE ws = ?1 AND id = ?2";
        world.agent([Op::one(sql, params![WS.0, id, damage], Refusal::Missing)]);
        check_corrupt(world.try_all(entity::by_id::<Agent>(WS, id)), "agent", "agent", id);
        let other = world.only(entity::by_id::<Agent>(WS, well.id.as_str()));
        assert_eq!(other.doc.value, well);

        check_corrupt(world.try_all(entity::of_kind::<Agent>(WS)), "agent", "agent", id);
        let mut listed = Vec::new();
        for row in world.all(entity::each(entity::of_kind::<Agent>(WS))) {
            match row {
                Ok(row) => listed.push(row.doc.value),
                Err(error) => check_corrupt::<()>(Err(error), "agent", "agent", id),
            }
        }
        assert_eq!(listed, std::slice::from_ref(&well));
    }
    // Bytes in a text column are also reported as damage, not a crash.
    let sql = "UPDATE agent_entities SET serialized = x'ff00' WHERE ws = ?1 AND id = ?2";
    world.agent([Op::one(sql, params![WS.0, id], Refusal::Missing)]);
    check_corrupt(world.try_all(entity::by_id::<Agent>(WS, id)), "agent", "agent", id);
}

fn a_damaged_task_does_not_hide_the_list(world: &World) {
    let (damaged, well) = (a_task(world, "Damaged"), a_task(world, "Well"));
    world.journal([row::insert(WS, &damaged), row::insert(WS, &well)]);
    let id = damaged.id.as_str();
    let sql = "UPDATE journal SET serialized = ?3 WHERE ws = ?1 AND id = ?2";
    world.journal([Op::one(sql, params![WS.0, id, DAMAGES[0]], Refusal::Missing)]);

    let wanted = ListQuery {
        status: None,
        words: Vec::new(),
        title: None,
        include_deleted: false,
        after: None,
        limit: 10,
    };
    let lines = world.all(task::list(WS, &wanted));
    assert_eq!(lines.len(), 2);
    for line in lines {
        if line.after.id == id {
            check_corrupt(line.row.map(|row| vec![row]), "journal", "task", id);
        } else {
            assert_eq!(line.row.expect("it is well").task.doc.value, well);
        }
    }
    check_corrupt(world.try_all(task::aggregate(WS, &damaged.id)), "journal", "task", id);
    assert_eq!(world.all(task::aggregate(WS, &well.id)).len(), 1);
}

fn a_damaged_item_is_named_by_its_kind(world: &World) {
    let task = a_task(world, "Move");
    let list = a_checklist(world, &task.id);
    let item = an_item(world, &list, "Boxes");
    world.journal([row::insert(WS, &task), row::insert(WS, &list), row::insert(WS, &item)]);
    let sql = "UPDATE journal SET serialized = ?3 WHERE ws = ?1 AND id = ?2";
    world.journal([Op::one(sql, params![WS.0, item.id.as_str(), "{}"], Refusal::Missing)]);
    let parts = world.try_all(task::aggregate(WS, &task.id));
    check_corrupt(parts, "journal", "checklistItem", item.id.as_str());
}

fn rows_without_documents_are_named_too(world: &World) {
    let sql =
        "INSERT INTO wake_run_log (ws, run_key, agent_id, reason, initiator, thread_id, status,
                 processed, upto, epoch, crashes, created_at)
               VALUES (?1, 'key', ?2, 'timer', 'person', ?3, 'dreaming', 0, 0, 0, 0, 0)";
    let (agent, thread) =
        (world.id::<dormouse_types::AgentId>(), world.id::<dormouse_types::ThreadId>());
    let run = params![WS.0, agent.to_string(), thread.to_string()];
    world.agent([Op::one(sql, run, Refusal::Exists)]);
    let key = RunKey("key".into());
    check_corrupt(world.try_all(wake_run::by_key(WS, &key)), "agent", "run", "key");

    let link: dormouse_types::LinkId = world.id();
    let made = link::Link::new(link, "a", "b", AgentLinkKind::Task, at(1));
    world.agent([link::insert(WS, &made)]);
    world.agent([Op::any("UPDATE agent_links SET serialized = 'x'", Vec::new())]);
    check_corrupt(world.try_all(link::from(WS, "a")), "agent", "link", made.id.as_str());

    let set: ChangeSetId = world.id();
    let sql = "INSERT INTO change_items (ws, set_id, item_index, task_id, agent_id, tool, args,
                 fingerprint, state, is_open, round, operation_id, created_at)
               VALUES (?1, ?2, 1, 'not an id', 'x', 't', '{}', 'f', 'pending', 1, 0, 'o', 0)";
    world.agent([Op::one(sql, params![WS.0, set.to_string()], Refusal::Exists)]);
    let items = world.try_all(change_item::of_set(WS, &set));
    check_corrupt(items, "agent", "change item", set.as_str());

    let entry: dormouse_types::AgentId = world.id();
    world.agent([wake_queue::insert(WS, &entry, None, at(1))]);
    let sql = "UPDATE wake_queue SET agent_id = 'not an id', due_at = 1";
    world.agent([Op::any(sql, Vec::new())]);
    let rows = world.try_all(wake_queue::waiting(WS));
    check_corrupt(rows, "agent", "wake queue row", "not an id");
}
