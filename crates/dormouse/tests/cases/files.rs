//! Tasks as files in other formats: what they hold, and what they are known to leave out.

use dormouse::{
    Error, ExportFormat, ExportLosses, ImportFile, ImportOptions, ItemPatch, Lost, NewEntry,
    Selection, TaskFilter, TaskPatch,
};
use dormouse_store::Db;
use dormouse_types::task::{EntryKind, LinkKind, Status};
use dormouse_types::{Id as _, TaskId};
use serde_json::{Map, Value, json};

use crate::world::{World, me, now, slug};

/// Tasks whose parts every format treats in its own way.
const LIST: &str = r#"{"format": "dormouse-tasks", "version": 1, "tasks": [
    {
        "key": "a", "title": "Sell the boat", "status": "BLOCKED",
        "statusReason": "waits for the survey", "priority": "P1", "dueOn": "2026-12-05",
        "estimateMinutes": 90, "language": "en", "category": "Harbour",
        "labels": ["paper work", "sea"],
        "starred": true,
        "private": true,
        "items": [
            {"title": "Photos", "isChecked": true, "depth": 0},
            {"title": "of the keel", "isChecked": false, "depth": 1},
            {"title": "Advert", "isChecked": false, "depth": 0}
        ],
        "entries": [
            {"text": "The keel is new; ask for 9,000."},
            {"text": "Called Ana.", "on": "2026-02-20"}
        ]
    },
    {"key": "b", "title": "Varnish the mast", "status": "DONE", "labels": ["sea"]},
    {"key": "c", "title": "Paint", "status": "OPEN", "entries": [{"text": "blue, not green"}]}
]}"#;

fn import(world: &World, name: &str, text: &str) {
    let options = ImportOptions::default();
    let file = ImportFile::new(name, text.as_bytes());
    now(world.dormouse.import(&me(), &file, &options, &mut |_event| {})).expect("imported");
}

fn all() -> Selection {
    Selection::Matching(Box::default())
}

fn file(world: &World, selection: &Selection, format: ExportFormat) -> Vec<String> {
    let mut file = now(world.dormouse.export_tasks(&me(), selection, format)).expect("a file");
    let mut pieces = Vec::new();
    while let Some(piece) = now(file.next()).expect("a piece") {
        pieces.push(piece);
    }
    pieces
}

fn losses(world: &World, selection: &Selection, format: ExportFormat) -> ExportLosses {
    now(world.dormouse.export_losses(&me(), selection, format)).expect("losses")
}

/// What a person has in their tasks, oldest first, without ids and times.
fn content(world: &World) -> Vec<Map<String, Value>> {
    let page = now(world.dormouse.tasks(&me(), TaskFilter::default(), 200, None)).expect("tasks");
    let whole = page.items.iter().rev().map(|row| json!(world.fresh(&row.id)));
    whole
        .map(|task| {
            let texts = |list: &str, member: &str| -> Value {
                let all = task[list].as_array().into_iter().flatten();
                all.map(|one| one[member].clone()).collect()
            };
            let fields = [
                "title",
                "status",
                "statusReason",
                "priority",
                "dueOn",
                "language",
                "starred",
                "private",
            ];
            let mut content: Map<String, Value> =
                fields.iter().map(|name| ((*name).to_owned(), task[*name].clone())).collect();
            content.insert("estimate".into(), task["estimateMinutes"].clone());
            content.insert("category".into(), task["category"]["name"].clone());
            let mut labels: Vec<_> =
                texts("labels", "name").as_array().cloned().unwrap_or_default();
            labels.sort_by_key(Value::to_string);
            content.insert("labels".into(), labels.into());
            let items = ["title", "isChecked", "depth"].map(|member| texts("items", member));
            content.insert("items".into(), json!(items));
            let entries = ["text", "on"].map(|member| texts("entries", member));
            content.insert("entries".into(), json!(entries));
            content
        })
        .collect()
}

/// The member of `content` that a part is.
fn member(part: Lost) -> Option<&'static str> {
    match part {
        Lost::Title => Some("title"),
        Lost::Reason => Some("statusReason"),
        Lost::Names => Some("labels"),
        Lost::Items => Some("items"),
        Lost::Entries | Lost::Details | Lost::Order => Some("entries"),
        Lost::Estimate => Some("estimate"),
        Lost::Language => Some("language"),
        Lost::Priority => Some("priority"),
        Lost::Due => Some("dueOn"),
        Lost::Starred => Some("starred"),
        Lost::Private => Some("private"),
        Lost::Links | Lost::Kinds | Lost::Times | Lost::Report | Lost::Key => None,
    }
}

/// Tasks without the parts that are known to be lost. A file may have an entry's day before its
/// text, and an import keeps the times of a task as text.
fn comparable(mut tasks: Vec<Map<String, Value>>, lost: &[&str]) -> Vec<Map<String, Value>> {
    let is_times = |text: &str| {
        let starts = ["- created: ", "- completed: "];
        let is_time = |line: &str| starts.iter().any(|start| line.starts_with(start));
        text.to_lowercase().lines().all(is_time)
    };
    for task in &mut tasks {
        let both = task["entries"].clone();
        let column = |n: usize| both[n].as_array().into_iter().flatten().filter_map(Value::as_str);
        let entries = column(0).zip(column(1)).filter(|(text, _)| !is_times(text));
        let entries = entries.map(|(text, on)| {
            let dated = format!("{on}: ");
            json!([text.strip_prefix(&dated).unwrap_or(text), on])
        });
        let entries: Value = entries.collect();
        task.insert("entries".into(), entries);
        task.retain(|name, _| !lost.contains(&name.as_str()));
    }
    tasks
}

#[test]
fn a_file_of_many_tasks_comes_in_pieces_that_together_are_the_file() {
    let world = World::new();
    let tasks: Vec<Value> =
        (0..230).map(|n| json!({"key": format!("k{n}"), "title": format!("Plank {n}")})).collect();
    let list = json!({"format": "dormouse-tasks", "version": 1, "tasks": tasks}).to_string();
    import(&world, "planks.json", &list);
    for format in ExportFormat::ALL {
        let pieces = file(&world, &all(), *format);
        let n_tasks = |text: &str| text.matches("Plank ").count();
        let counts: Vec<usize> = pieces.iter().map(|piece| n_tasks(piece)).collect();
        assert_eq!(counts, [100, 100, 30], "{format}");
        let other = World::new();
        import(&other, "copy", &pieces.concat());
        let copied = file(&other, &all(), ExportFormat::TodoTxt).concat();
        assert_eq!(copied.lines().count(), 230, "{format}");
    }
}

#[test]
fn a_file_read_elsewhere_gives_the_same_tasks_but_for_what_it_was_said_to_leave_out() {
    let world = World::new();
    import(&world, "boat.json", LIST);
    let before = content(&world);
    assert_eq!(before.len(), 3, "{before:#?}");
    assert_eq!(before[0]["priority"], "P1", "{before:#?}");
    let page = now(world.dormouse.tasks(&me(), TaskFilter::default(), 9, None)).expect("tasks");
    let each = page.items.into_iter().rev().map(|row| Selection::Task(row.id));
    for format in ExportFormat::ALL {
        // A task that is alone in Markdown has its fields in front matter.
        let files: Vec<Selection> =
            if *format == ExportFormat::Markdown { each.clone().collect() } else { vec![all()] };
        let other = World::new();
        let mut lost = Vec::new();
        for (n, selection) in files.iter().enumerate() {
            import(&other, &format!("copy {n}"), &file(&world, selection, *format).concat());
            let answer = losses(&world, selection, *format).losses;
            lost.extend(answer.iter().filter_map(|loss| member(loss.part)));
        }
        let (before, after) =
            (comparable(before.clone(), &lost), comparable(content(&other), &lost));
        assert_eq!(after, before, "{format}: {:?}", file(&world, &all(), *format));
    }
}

#[test]
fn an_entry_has_its_day_unless_it_came_with_the_task() {
    let world = World::new();
    let task = world.task("Move");
    world.later(86_400);
    world.note(&task.id, "The van is booked.");
    let (kind, minutes) = (EntryKind::Time, Some(20));
    let spent = NewEntry { kind, minutes, ..NewEntry::default() };
    now(world.dormouse.add_entry(&me(), &task.id, spent, None)).expect("time");
    let text = file(&world, &Selection::Task(task.id), ExportFormat::Markdown).concat();
    assert!(text.contains("\nWe signed the contract.\n"), "{text}");
    assert!(text.contains("\n2026-03-03: The van is booked.\n"), "{text}");
    assert!(text.contains("\n2026-03-03: Time spent: 20 min\n"), "{text}");
}

#[test]
fn what_a_format_has_no_place_for_is_counted_with_examples() {
    let world = World::new();
    for n in 0..7 {
        world.task(&format!("Task {n}"));
    }
    let answer = losses(&world, &all(), ExportFormat::TodoTxt);
    assert_eq!((answer.tasks, answer.damaged.len()), (7, 0));
    let items = answer.losses.iter().find(|loss| loss.part == Lost::Items).expect("items are lost");
    assert_eq!(items.tasks, 7);
    assert_eq!(items.examples.len(), 3, "{items:?}");
    assert_eq!(items.examples[0], "Task 0", "the oldest first");
    assert!(losses(&world, &all(), ExportFormat::Json).losses.is_empty());
    // One task keeps its key in the front matter, each of several on a line of its own.
    for n in [1, 2, 6] {
        let world = World::new();
        (0..n).for_each(|n| drop(world.task(&format!("Task {n}"))));
        let answer = losses(&world, &all(), ExportFormat::Markdown);
        assert!(answer.losses.iter().all(|loss| loss.part != Lost::Key), "{answer:?}");
    }
}

#[test]
fn a_list_of_one_task_a_line_is_written_piece_by_piece() {
    let world = World::new();
    (0..130).for_each(|n| drop(world.task(&format!("Task {n}"))));
    let pieces = file(&world, &all(), ExportFormat::TodoTxt);
    assert_eq!(pieces.iter().map(|piece| piece.lines().count()).collect::<Vec<_>>(), [100, 30]);
    let text = pieces.concat();
    let titles: Vec<_> =
        text.lines().map(|line| line.split_once(' ').map_or("", |(_, title)| title)).collect();
    assert_eq!(titles, (0..130).map(|n| format!("Task {n}")).collect::<Vec<_>>());
}

#[test]
fn a_filter_chooses_and_deleted_tasks_are_in_no_file() {
    let world = World::new();
    let (open, done, gone) = (world.task("Open"), world.task("Over"), world.task("Gone"));
    let patch = TaskPatch { status: Some(Status::Done), ..TaskPatch::default() };
    now(world.dormouse.edit_task(&me(), &done.id, patch, None, None)).expect("done");
    now(world.dormouse.delete_task(&me(), &gone.id, None)).expect("deleted");
    let list = file(&world, &all(), ExportFormat::TodoTxt).concat();
    assert_eq!(list, "2026-03-02 Open\nx 2026-03-02 2026-03-02 Over\n", "with the day it was done");
    for format in ExportFormat::ALL {
        let text = file(&world, &all(), *format).concat();
        assert!(text.contains("Open") && text.contains("Over"), "{format}: {text}");
        assert!(!text.contains("Gone"), "{format}: {text}");
        let filter = TaskFilter { statuses: vec![Status::Done], ..TaskFilter::default() };
        let text = file(&world, &Selection::Matching(Box::new(filter)), *format).concat();
        assert!(!text.contains("Open") && text.contains("Over"), "{format}: {text}");
        let one = file(&world, &Selection::Task(open.id.clone()), *format).concat();
        assert!(one.contains("Open") && !one.contains("Over"), "{format}: {one}");
        let only = Selection::Task(gone.id.clone());
        let refused = now(world.dormouse.export_tasks(&me(), &only, *format)).err();
        let refused = refused.as_ref().map(slug);
        assert_eq!(refused, Some(("task-deleted", 409)));
    }
    let page = now(world.dormouse.task_page(&me(), &gone.id));
    assert_eq!(page.err().as_ref().map(slug), Some(("task-deleted", 409)));
}

#[test]
fn an_empty_workspace_is_an_empty_file() {
    let world = World::new();
    for format in ExportFormat::ALL {
        let text = file(&world, &all(), *format).concat();
        assert!(!text.contains("Task"), "{text}");
        assert_eq!(losses(&world, &all(), *format).tasks, 0);
    }
}

#[test]
fn a_page_shows_the_report_the_items_and_the_links() {
    let world = World::new();
    let (task, _, _) = world.proposed(&[]);
    let other = world.task("Paint");
    let to = (LinkKind::Blocks, other.id.clone());
    now(world.dormouse.link_task(&me(), &task.id, to, None, None)).expect("a link");
    let page = now(world.dormouse.task_page(&me(), &task.id)).expect("a page");
    let expected = "\
# Move to the new flat

Open · Created 2026-03-02

## Report

**All quiet.**

Nothing yet.

## Checklist

- [ ] Pack the books

## Notes

We signed the contract.

## Links

- blocks Paint
";
    assert_eq!(page, expected);
    let report = losses(&world, &Selection::Task(task.id), ExportFormat::ICalendar);
    assert!(report.losses.iter().any(|loss| loss.part == Lost::Report), "{report:?}");
}

#[test]
fn a_damaged_row_is_named_and_does_not_hide_the_others() {
    let world = World::new();
    let (task, other) = (world.task("Move"), world.task("Paint"));
    world.damage(Db::Journal, task.items[0].id.as_str());
    let answer = losses(&world, &all(), ExportFormat::Csv);
    assert_eq!((answer.tasks, answer.damaged.len()), (1, 1), "{answer:?}");
    assert!(answer.damaged[0].contains(task.items[0].id.as_str()), "{answer:?}");
    let text = file(&world, &all(), ExportFormat::Csv).concat();
    assert!(text.contains(other.id.as_str()), "{text}");
}

#[test]
fn a_report_that_cannot_be_read_does_not_hide_its_task() {
    let world = World::new();
    let (task, agent, _) = world.proposed(&[]);
    let report = now(world.dormouse.report(&me(), &agent.id)).expect("read").expect("a report");
    world.damage(Db::Agent, report.id.as_str());
    let answer = losses(&world, &all(), ExportFormat::Csv);
    assert_eq!((answer.tasks, answer.damaged.len()), (1, 1), "{answer:?}");
    let text = file(&world, &all(), ExportFormat::Csv).concat();
    assert!(text.contains(&task.title), "{text}");
}

#[test]
fn a_task_that_is_not_there_is_in_no_file() {
    let world = World::new();
    let task: TaskId = "jt-01jd7m3k5vn2c8q4w6x0z9abcd".parse().expect("an id");
    let only = Selection::Task(task.clone());
    let refused: [Option<Error>; 3] = [
        now(world.dormouse.export_tasks(&me(), &only, ExportFormat::Csv)).err(),
        now(world.dormouse.export_losses(&me(), &only, ExportFormat::Csv)).err(),
        now(world.dormouse.task_page(&me(), &task)).err(),
    ];
    assert!(refused.iter().flatten().all(|error| slug(error) == ("not-found", 404)));
    assert_eq!(refused.iter().flatten().count(), 3);
}

#[test]
fn a_list_goes_out_in_its_own_format_as_it_came_in() {
    let world = World::new();
    let list = "\
(A) 2026-01-01 Call the surveyor +Boat @phone due:2026-12-05 effort:5
x 2026-02-02 2026-01-03 Varnish the mast +Boat
2026-01-04 Paint the hull
Buy rope @shop
x Pay the berth
";
    import(&world, "todo.txt", list);
    assert_eq!(file(&world, &all(), ExportFormat::TodoTxt).concat(), list);
    // Another client keeps what it does not know in properties of its own.
    let calendar = file(&world, &all(), ExportFormat::ICalendar).concat();
    assert!(calendar.contains("X-DORMOUSE-DETAIL:effort: 5"), "{calendar}");
}

#[test]
fn an_archived_item_and_a_deleted_entry_are_in_no_file() {
    let world = World::new();
    let task = world.task("Move");
    let archived = ItemPatch { is_archived: Some(true), ..ItemPatch::default() };
    now(world.dormouse.edit_item(&me(), &task.id, &task.items[0].id, archived, None))
        .expect("archived");
    now(world.dormouse.delete_entry(&me(), &task.id, &task.entries[0].id, None)).expect("deleted");
    for format in ExportFormat::ALL {
        let text = file(&world, &all(), *format).concat();
        assert!(!text.contains("Pack") && !text.contains("contract"), "{format}: {text}");
    }
}
