//! JSON of programs that nobody named: which parts of it are tasks, and what of the rest is said.

use insta::assert_snapshot;

use crate::messy::{read, tasks};

fn remarks(text: &str) -> String {
    let said = read("list.json", text).remarks;
    said.iter().map(|one| format!("{}: {}\n", one.line, one.message)).collect()
}

/// What a program of to-dos in projects writes: each thing says its kind, and has its fields in an object.
const KINDS: &str = r#"[
{"type": "project", "id": "p1", "attributes": {"title": "Trip", "notes": "Ask Ana first", "items": [
  {"type": "to-do", "attributes": {"title": "Book a room", "deadline": "2026-12-20", "checklist-items": [
    {"type": "checklist-item", "attributes": {"title": "compare", "completed": true}}]}},
  {"type": "heading", "attributes": {"title": "Sights"}},
  {"type": "to-do", "attributes": {"title": "The dome", "notes": "in the morning"}}]}},
{"type": "to-do", "attributes": {"title": "Fetch the coat"}},
{"type": "to-do", "attributes": {"title": "Pay", "deadline": "2026-12-01"}},
{"type": "area", "attributes": {"title": "Home"}}
]"#;

#[test]
fn what_is_called_a_task_is_one_also_next_to_a_project_and_without_a_date() {
    assert_snapshot!(tasks(KINDS), @"
    otherJson
    Book a room: due 2026-12-20 | in Trip | [x] compare
    The dome: in Trip: Sights | in the morning
    Fetch the coat:
    Pay: due 2026-12-01
    ");
    assert_snapshot!(remarks(KINDS), @"
    2: no tasks are found in `attributes.notes`, `Home`: left out
    3: JSON of no known program: what its members mean is a guess by their names
    ");
}

/// A board of a program that is not Trello.
const BOARD: &str = r#"{
"title": "Shop",
"labels": [{"_id": "l1", "name": "Bug", "color": "red"}],
"lists": [{"_id": "a", "title": "Backlog"}, {"_id": "b", "title": "Done"}],
"cards": [
 {"_id": "c1", "title": "Fix the login", "description": "It fails.", "listId": "a", "labelIds": ["l1"], "dueAt": "2027-03-15T17:00:00.000Z"},
 {"_id": "c2", "title": "Write it down", "listId": "b", "labelIds": []},
 {"_id": "c3", "title": "Ship it", "listId": "a"}
],
"comments": [{"_id": "x", "cardId": "c1", "text": "Also in Firefox"}, {"_id": "y", "cardId": "c2", "text": "Good"}],
"rules": []
}"#;

#[test]
fn a_board_of_another_program_than_trello_has_titles_lists_and_labels() {
    assert_snapshot!(tasks(BOARD), @"
    otherJson
    Fix the login: OPEN | due 2027-03-15 | in Shop | It fails. | - dueAt: 2027-03-15T17:00:00.000Z
    Write it down: DONE | in Shop
    Ship it: OPEN | in Shop
    ");
    assert_eq!(read("board.json", BOARD).tasks[0].labels, ["Bug"]);
    assert_snapshot!(remarks(BOARD), @"
    3: no tasks are found in `labels`, `lists`, `comments`: left out
    6: JSON of no known program: what its members mean is a guess by their names
    6: `dueAt` has no field: kept as text
    ");
}

#[test]
fn an_array_of_lists_with_a_title_each_is_no_list_of_tasks() {
    let lists = r#"[{"id": 1, "title": "Garden", "tasks": [{"id": 5, "title": "Prune", "done": false}]},
      {"id": 2, "title": "House", "tasks": [{"id": 6, "title": "Paint", "done": true}]}]"#;
    assert_snapshot!(tasks(lists), @"
    otherJson
    Prune: in Garden
    Paint: DONE | in House
    ");
}

#[test]
fn what_is_nested_and_no_task_is_named() {
    let nested = r#"{"board": {"name": "A", "about": "All that we do", "included": {
      "cards": [{"name": "One", "dueDate": "2026-12-01", "isClosed": false}, {"name": "Two", "dueDate": null}],
      "fields": [{"content": "High"}, {"content": "Low"}],
      "files": {"first": {"url": "https://example.org/a.png"}},
      "users": [], "version": 3}}}"#;
    assert_snapshot!(tasks(nested), @"
    otherJson
    One: due 2026-12-01 | in A
    Two: in A
    ");
    assert_snapshot!(remarks(nested), @"
    1: no tasks are found in `board.about`, `board.included.fields`, `board.included.files`: left out
    2: JSON of no known program: what its members mean is a guess by their names
    ");
    // Its lines are shown as left out.
    let reading = read("list.json", nested);
    let left_out = reading.places.iter().filter(|place| place.role.to_string() == "skipped");
    assert_eq!(left_out.map(|place| place.line).collect::<Vec<_>>(), [3, 4]);
    // What comes after a deep part is still looked at.
    let deep = format!(
        r#"{{"x": {}1{}, "tasks": [{{"title": "A", "done": false}}]}}"#,
        r#"{"y":"#.repeat(12),
        "}".repeat(12)
    );
    assert_snapshot!(tasks(&deep), @"
    otherJson
    A:
    ");
}
