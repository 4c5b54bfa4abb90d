//! JSON of programs that nobody named: which parts of it are tasks, and what of the rest is said.

use dormouse_formats::plan::Format;
use dormouse_types::task::Priority;
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
    2: no tasks in `attributes.notes`, `Home`: left out
    3: JSON of an unknown program: the meaning of its members is guessed from their names
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
    Fix the login: OPEN | due 2027-03-15 | in Shop | It fails. | Also in Firefox | - dueAt: 2027-03-15T17:00:00.000Z
    Write it down: DONE | in Shop | Good
    Ship it: OPEN | in Shop
    ");
    assert_eq!(read("board.json", BOARD).tasks[0].labels, ["Bug"]);
    assert_snapshot!(remarks(BOARD), @"
    3: no tasks in `labels`, `lists`: left out
    6: JSON of an unknown program: the meaning of its members is guessed from their names
    6: the time of `dueAt` has no matching field: kept in the note
    ");
}

/// Tables of a program: what belongs to a card names it, directly or through its checklist.
const TABLES: &str = r#"{"included": {
"lists": [{"id": "1", "name": "Doing"}],
"labels": [{"id": "1", "name": "Bug"}],
"cards": [
 {"id": "1", "name": "Ship", "dueDate": "2027-01-10", "isClosed": false, "listId": "1"},
 {"id": "2", "name": "Paint", "dueDate": null, "isClosed": false, "listId": "1"}],
"cardLabels": [{"id": "1", "cardId": "2", "labelId": "1"}],
"taskLists": [{"id": "7", "name": "Steps", "cardId": "1"}],
"tasks": [
 {"id": "8", "name": "second", "isCompleted": false, "taskListId": "7"},
 {"id": "9", "name": "first", "isCompleted": true, "taskListId": "7"}],
"checklists": [{"id": "c1", "title": "Tools", "cardId": "2"}, {"id": "c2", "title": "Walls", "cardId": "2"}],
"checklistItems": [
 {"id": "i1", "title": "brush", "isFinished": true, "sort": 2, "checklistId": "c1", "cardId": "2"},
 {"id": "i2", "title": "roller", "isFinished": false, "sort": 1, "checklistId": "c1", "cardId": "2"},
 {"id": "i3", "title": "hall", "isFinished": false, "sort": 3, "checklistId": "c2", "cardId": "2"}],
"comments": [
 {"id": "1", "text": "Not in white", "cardId": "2", "createdAt": "2026-11-02T11:30:00.000Z"},
 {"id": "2", "text": "Whose is this?", "cardId": "99"}],
"customFields": [{"id": "5", "name": "Size"}],
"customFieldValues": [{"id": "1", "content": "3d", "cardId": "1", "customFieldId": "5"}],
"attachments": [{"id": "1", "name": "plan.png", "url": "https://example.org/plan.png", "cardId": "1"}],
"activities": [{"id": "1", "type": "createCard", "cardId": "1"}]}}"#;

#[test]
fn what_names_its_task_from_a_list_of_its_own_is_attached_to_it() {
    assert_snapshot!(tasks(TABLES), @"
    otherJson
    Ship: IN PROGRESS | due 2027-01-10 | [ ] second | [x] first | - Size: 3d / - Attachment: plan.png, https://example.org/plan.png / - taskListId of “second”: Steps / - taskListId of “first”: Steps
    Paint: IN PROGRESS | [ ] Tools: roller | [x] Tools: brush | [ ] Walls: hall | Not in white
    ");
    let reading = read("list.json", TABLES);
    assert_eq!(reading.tasks[1].labels, ["Bug"]);
    let comment =
        reading.tasks[1].entries.iter().find(|entry| entry.text == "Not in white").unwrap();
    assert_eq!(comment.on.unwrap().to_string(), "2026-11-02");
    assert_snapshot!(remarks(TABLES), @"
    2: no tasks in `included.lists`, `included.labels`, `included.comments`, `included.customFields`, `included.activities`: left out
    5: JSON of an unknown program: the meaning of its members is guessed from their names
    21: custom fields are kept in the note
    22: attachments are kept as their names
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
    1: no tasks in `board.about`, `board.included.fields`, `board.included.files`: left out
    2: JSON of an unknown program: the meaning of its members is guessed from their names
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

/// A status may be an object, also one whose own name is no word for it.
const STATES: &str = r##"[
{"title": "Roof", "status": {"name": "Done"}, "priority": {"id": "2", "name": "High"}},
{"title": "Door", "status": {"status": "complete", "color": "#0a0", "type": "closed"}},
{"title": "Gate", "state": {"name": "Shipped", "type": "completed"}},
{"title": "Path", "fields": 1, "status": {"name": "Someday", "statusCategory": {"key": "new"}}},
{"title": "Fence", "status": {"name": "In Progress"}, "priority": "urgent"},
{"title": "Shed", "status": {"name": "Moon phase"}}
]"##;

#[test]
fn a_status_in_an_object_is_read_and_one_that_is_unknown_is_kept() {
    assert_snapshot!(tasks(STATES));
    let priorities: Vec<_> =
        read("list.json", STATES).tasks.iter().map(|task| task.priority).collect();
    let high = Some(Priority::P1);
    assert_eq!(priorities, [high, None, None, None, Some(Priority::P0), None]);
}

#[test]
fn what_was_given_up_is_rejected_and_what_was_not_says_nothing() {
    assert_snapshot!(tasks(
        r#"[{"title": "Boat", "canceled": true}, {"title": "Car", "completed": true, "cancelled": false},
            {"title": "Bike", "canceledAt": "2026-11-02T10:00:00Z", "status": "Backlog"}]"#
    ));
}

#[test]
fn a_deadline_goes_before_a_day_that_only_says_when() {
    assert_snapshot!(tasks(
        r#"[{"title": "Tax", "when": "2026-12-20", "deadline": "2026-12-22"},
            {"title": "Rent", "deadline": "2026-12-22", "date": "2026-12-20"},
            {"title": "Walk", "when": "2026-12-24", "deadline": null}]"#
    ));
}

/// What Taskwarrior writes with `task export`.
const DESCRIBED: &str = r#"[
{"id":1,"description":"Fix the roof","due":"20261210T230000Z","entry":"20261101T080000Z","modified":"20261102T080000Z","priority":"H","project":"house","status":"pending","tags":["diy"],"uuid":"a1","urgency":12.4},
{"id":0,"description":"Old fence","end":"20261105T080000Z","status":"completed","uuid":"a2","urgency":0},
{"id":0,"description":"A mistake","status":"deleted","uuid":"a3"},
{"id":2,"description":"Call Bo","annotations":[{"entry":"20261101T080000Z","description":"not before noon"},{"entry":"20261102T080000Z","description":"he is away"}],"status":"waiting","wait":"20261220T080000Z","uuid":"a4"}
]"#;

#[test]
fn tasks_that_have_a_description_for_a_title_are_tasks() {
    assert_snapshot!(tasks(DESCRIBED));
    let reading = read("list.json", DESCRIBED);
    assert_eq!(reading.tasks[0].priority, Some(Priority::P1));
    assert_eq!(reading.tasks[0].labels, ["diy"]);
    assert_snapshot!(remarks(DESCRIBED));
    // What only describes itself and says nothing of a task stays one document.
    let others = r#"{"status": "ok", "description": "The service is up"}"#;
    assert_eq!(read("list.json", others).format, Format::Markdown);
}

#[test]
fn an_object_on_each_line_is_a_task_on_each_line() {
    let lines = "{\"title\": \"Paint\", \"done\": false}\n\n{\"title\": \"Saw\", \"done\": true, \"labels\": [\"shed\"]}\r\n{\"title\": \"Call {Ana}\"}\n";
    assert_snapshot!(tasks(lines));
    let reading = read("list.jsonl", lines);
    let places: Vec<_> = reading.places.iter().map(|place| (place.line, place.task)).collect();
    assert_eq!(places, [(1, Some(0)), (2, None), (3, Some(1)), (4, Some(2))]);
    // A line that breaks off makes it no list of objects, and nothing of it is lost.
    let broken = "{\"title\": \"Paint\", \"done\": false}\n{\"title\": \"Saw\", \"do\n";
    assert_snapshot!(tasks(broken));
}

#[test]
fn a_text_among_tasks_is_named_and_a_value_that_is_not_understood_is_called_so() {
    let text = r#"{"todos": ["buy milk", {"title": "Sweep", "done": true},
{"title": "Mop", "done": false, "priority": "7", "due": "31.02.2026", "status": "verschoben"}], "tasks": [42]}"#;
    let reading = dormouse_formats::plan::read(
        "list.json",
        text.as_bytes(),
        &dormouse_formats::plan::Options::default(),
    );
    let reading = reading.expect("it is read");
    let said: Vec<String> =
        reading.remarks.iter().map(|one| format!("{}: {}", one.line, one.message)).collect();
    insta::assert_snapshot!(said.join("\n"), @"
    1: JSON of an unknown program: the meaning of its members is guessed from their names
    1: no tasks in `todos: buy milk`, `tasks`: left out
    2: `due` is not understood: kept in the note
    2: `priority` is not understood: kept in the note
    2: `status` is not understood: kept in the note
    ");
}

#[test]
fn one_broken_object_of_many_is_named_by_its_line_and_comments_between_them_are_none() {
    let refused = |text: &str| {
        let read = dormouse_formats::plan::read("list.jsonl", text.as_bytes(), &Default::default());
        read.unwrap_err().to_string()
    };
    let text = "{\"title\": \"Milk\"}\n{\"title\": \"Ana\", \"done\": true\n{\"title\": \"Rent\"}\n{\"title\": \"Mow\"}\n";
    assert!(refused(text).starts_with("list.jsonl, line 2: this is not JSON"), "{}", refused(text));
    let commas = "{\"title\": \"Milk\"},\n{\"title\": \"Rent\"},\n";
    assert_eq!(read("list.jsonl", commas).tasks.len(), 2);
    let text = "{\"title\": \"Milk\", \"done\": false}\n// later\n{\"title\": \"Ana\", \"done\": true}\n\n# more\n{\"title\": \"Rent\"}\n";
    assert_snapshot!(tasks(text), @"
    otherJson
    Milk:
    Ana: DONE
    Rent:
    ");
}
