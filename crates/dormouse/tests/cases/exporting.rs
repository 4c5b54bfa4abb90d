//! The workspace as one document.

use dormouse::Verdict;
use dormouse_store::Db;
use dormouse_types::task::LinkKind;
use dormouse_types::{Id as _, TaskId};
use serde_json::{Value, json};

use crate::world::{World, me, now, slug};

fn export(world: &World, only: Option<TaskId>) -> (String, Value) {
    let mut export = now(world.dormouse.export(&me(), only)).expect("an export");
    let mut text = String::new();
    while let Some(piece) = now(export.next()).expect("a piece") {
        text.push_str(&piece);
    }
    let value = serde_json::from_str(&text).unwrap_or_else(|e| panic!("no JSON ({e}): {text}"));
    (text, value)
}

fn ids(list: &Value) -> Vec<&str> {
    list.as_array().into_iter().flatten().filter_map(|one| one["id"].as_str()).collect()
}

#[test]
fn the_persons_data_is_in_it_and_what_agents_wrote_about_it() {
    let world = World::new();
    let (task, agent, items) =
        world.proposed(&[("update_task_estimate", json!({ "minutes": 60 }))]);
    world.decide(&items[0], Verdict::Reject);
    now(world.dormouse.add_label(&me(), &task.id, "Home", None)).expect("a label");
    now(world.dormouse.delete_entry(&me(), &task.id, &task.entries[0].id, None)).expect("deleted");
    let other = world.task("Paint");
    now(world.dormouse.add_label(&me(), &other.id, "Outside", None)).expect("a label");
    now(world.dormouse.delete_task(&me(), &other.id, None)).expect("deleted");
    let (text, all) = export(&world, None);
    assert_eq!((&all["format"], &all["version"]), (&json!("dormouse-export"), &json!(1)));
    assert!(all["source"]["journal"]["host"].as_str().is_some_and(|host| host.starts_with("ho-")));
    assert_eq!(all["labels"].as_array().map(Vec::len), Some(2));
    let tasks: Vec<_> = all["tasks"].as_array().into_iter().flatten().collect();
    let named: Vec<_> = tasks.iter().map(|one| one["task"]["id"].as_str()).collect();
    assert_eq!(named, [Some(task.id.as_str()), Some(other.id.as_str())], "oldest first");
    assert!(tasks[1]["task"]["deletedAt"].is_string(), "a deleted task is there too");
    let first = tasks[0];
    assert_eq!(ids(&first["entries"]), [task.entries[0].id.as_str()]);
    assert!(first["entries"][0]["deletedAt"].is_string(), "{first:#}");
    assert_eq!(ids(&first["items"]), [task.items[0].id.as_str()]);
    let history = &first["readOnly"]["agents"][0];
    assert_eq!(history["agent"]["id"], agent.id.as_str());
    assert_eq!(history["decisions"][0]["verdict"], "rejected");
    assert_eq!(history["reports"].as_array().map(Vec::len), Some(1));
    assert_eq!(export(&world, None).0, text, "the same rows, the same bytes");
    assert_eq!(all["damaged"], json!([]));

    let (_, one) = export(&world, Some(task.id.clone()));
    assert_eq!(one["tasks"], json!([first]));
    assert_eq!(one["labels"].as_array().map(Vec::len), Some(1), "only its own label");
}

#[test]
fn links_come_after_the_tasks_and_with_either_of_theirs() {
    let world = World::new();
    let tasks: Vec<TaskId> = (0..130).map(|n| world.task(&format!("Task {n}")).id).collect();
    let mut links = Vec::new();
    for task in &tasks[1..] {
        let to = (LinkKind::PartOf, tasks[0].clone());
        let task = now(world.dormouse.link_task(&me(), task, to, None, None)).expect("a link");
        links.push(task.links[0].id.clone());
    }
    now(world.dormouse.unlink_task(&me(), &tasks[0], &links[0], None, None)).expect("taken away");
    let (_, all) = export(&world, None);
    assert_eq!(ids(&all["links"]), links.iter().map(|id| id.as_str()).collect::<Vec<_>>());
    assert!(all["links"][0]["deletedAt"].is_string(), "one that was taken away is there too");
    let second = &all["links"][1];
    assert_eq!((&second["fromId"], &second["toId"]), (&json!(tasks[2]), &json!(tasks[0])));
    assert_eq!(second["type"], "partOf");
    let (_, one) = export(&world, Some(tasks[2].clone()));
    assert_eq!(one["links"], json!([second]));
    let (_, none) = export(&world, Some(tasks[1].clone()));
    assert_eq!(none["links"], json!([]));
}

#[test]
fn more_tasks_than_are_read_at_once_are_all_there() {
    let world = World::new();
    for n in 0..130 {
        world.task(&format!("Task {n}"));
    }
    let (_, all) = export(&world, None);
    let titles: Vec<_> = all["tasks"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|one| one["task"]["title"].clone())
        .collect();
    assert_eq!(titles, (0..130).map(|n| json!(format!("Task {n}"))).collect::<Vec<_>>());
}

#[test]
fn a_damaged_row_is_handed_on_as_text_and_breaks_nothing() {
    let world = World::new();
    let (task, agent, _) = world.proposed(&[]);
    world.damage(Db::Journal, task.items[0].id.as_str());
    world.damage(Db::Agent, agent.id.as_str());
    let (_, all) = export(&world, None);
    let damaged = all["damaged"].as_array().expect("a list");
    assert_eq!(damaged.len(), 2, "{damaged:#?}");
    assert_eq!(
        damaged[0],
        json!({"id": task.items[0].id, "type": "checklistItem", "text": "{\"id\":"})
    );
    assert!(damaged[1]["error"].as_str().is_some_and(|error| error.contains(agent.id.as_str())));
    assert_eq!(all["tasks"][0]["task"]["id"], task.id.as_str());
}

#[test]
fn a_task_that_is_not_there_is_not_exported() {
    let world = World::new();
    let task: TaskId = "jt-01jd7m3k5vn2c8q4w6x0z9abcd".parse().expect("an id");
    let Err(error) = now(world.dormouse.export(&me(), Some(task))) else { panic!("no such task") };
    assert_eq!(slug(&error), ("not-found", 404));
}
