use std::collections::BTreeSet;

use dormouse_journal::{Edit, Filter, Imported, JournalError, Missing, Outcome};
use dormouse_store::journal::imported;
use dormouse_store::{Commit, Db};
use dormouse_types::draft::{Entry, Item, Task};
use dormouse_types::task::{Field, Priority, Status};
use dormouse_types::{Id as _, Origin, TaskId};

use crate::world::{WS, World, agent, now, person};

fn item(key: &str, title: &str, is_checked: bool) -> Item {
    Item { key: key.into(), title: title.into(), is_checked, depth: 0, lines: 0..0 }
}

fn entry(key: &str, text: &str) -> Entry {
    Entry { key: key.into(), text: text.into(), ..Entry::default() }
}

fn shed() -> Task {
    Task {
        key: "shed".into(),
        line: 3,
        title: "Build the shed".into(),
        priority: Some(Priority::P2),
        due_on: Some("2026-04-01".parse().unwrap()),
        category: Some("Home".into()),
        labels: vec!["Wood".into(), "Garden".into()],
        items: vec![item("1", "Buy planks", true), item("2", "Pour the floor", false)],
        entries: vec![entry("a", "The floor needs two bags.")],
        ..Task::default()
    }
}

fn import(world: &World, draft: &Task) -> Imported {
    world.clock.advance(std::time::Duration::from_secs(60));
    now(world.journal.import(WS, "garden.md", draft, &person())).expect("the draft is accepted")
}

fn titles(world: &World, task: &TaskId) -> Vec<(String, bool)> {
    let state = world.state(task);
    state.items.into_iter().map(|item| (item.title, item.is_checked)).collect()
}

#[test]
fn a_draft_becomes_a_task_with_everything_it_says() {
    let world = World::new();
    let imported = import(&world, &shed());
    assert_eq!((imported.outcome, imported.kept.len()), (Outcome::Created, 0));
    let state = world.state(&imported.task);
    assert_eq!(state.title, "Build the shed");
    assert_eq!(state.priority, Some(Priority::P2));
    assert_eq!(state.category.as_deref(), Some("Home"));
    let labels: Vec<_> = state.labels.iter().map(|label| label.name.as_str()).collect();
    assert_eq!(labels, ["Garden", "Wood"]);
    assert_eq!(
        titles(&world, &imported.task),
        [("Buy planks".into(), true), ("Pour the floor".into(), false)]
    );
    assert!(state.entries[0].tainted, "imported text is of outside origin");
    assert!(
        world.view(&imported.task).say(Field::DueDate).is_some(),
        "an import is the person's say"
    );
    let change = world.changes().pop().unwrap();
    assert_eq!(change.origin, Origin::Import);
}

#[test]
fn the_same_file_again_changes_nothing() {
    let world = World::new();
    let first = import(&world, &shed());
    let before = (world.changes().len(), world.view(&first.task).revision);
    let mut moved = shed();
    moved.line = 40;
    let again = import(&world, &moved);
    assert_eq!((again.outcome, again.seq), (Outcome::Unchanged, None));
    assert_eq!(again.task, first.task);
    assert_eq!((world.changes().len(), world.view(&first.task).revision), before);
}

#[test]
fn a_changed_file_changes_what_it_says_otherwise() {
    let world = World::new();
    let task = import(&world, &shed()).task;
    let mut file = shed();
    file.due_on = Some("2026-05-01".parse().unwrap());
    file.status = Some(Status::InProgress);
    file.priority = None;
    file.items = vec![
        item("1", "Buy oak planks", true),
        item("2", "Pour the floor", true),
        item("3", "Roof", false),
    ];
    file.entries = vec![entry("a", "The floor needs three bags."), entry("b", "Rain all week.")];
    let imported = import(&world, &file);
    assert_eq!((imported.outcome, imported.kept), (Outcome::Updated { changes: 8 }, vec![]));
    let state = world.state(&task);
    assert_eq!(state.due_on, file.due_on);
    assert_eq!((state.status, state.priority), (Status::InProgress, None));
    assert_eq!(
        titles(&world, &task),
        [("Buy oak planks".into(), true), ("Pour the floor".into(), true), ("Roof".into(), false)]
    );
    let texts: Vec<_> = state.entries.iter().map(|entry| entry.text.as_str()).collect();
    assert_eq!(texts, ["The floor needs three bags.", "Rain all week."]);
    assert_eq!(import(&world, &file).outcome, Outcome::Unchanged);
}

#[test]
fn what_was_changed_here_is_kept_and_said() {
    let world = World::new();
    let task = import(&world, &shed()).task;
    let view = world.view(&task);
    let (planks, floor) = (view.items[0].value.id.clone(), view.items[1].value.id.clone());
    let note = view.entries[0].value.id.clone();
    let wood = view.labels()[1].id.clone();
    world
        .edit(
            &task,
            &[
                Edit::DueOn(Some("2026-06-06".parse().unwrap())),
                Edit::Status { status: Status::OnHold, reason: Some("winter".into()) },
                Edit::RenameItem { item: planks, title: "Buy larch planks".into() },
                Edit::CheckItem { item: floor, is_checked: true },
                Edit::DeleteEntry(note),
                Edit::RemoveLabel(wood),
            ],
        )
        .unwrap();
    let before = world.state(&task);
    let mut file = shed();
    file.due_on = Some("2026-05-01".parse().unwrap());
    file.status = Some(Status::Groomed);
    file.items = vec![item("1", "Buy oak planks", true), item("2", "Pour the floor", false)];
    file.entries = vec![entry("a", "The floor needs three bags.")];
    let imported = import(&world, &file);
    assert_eq!(imported.outcome, Outcome::Unchanged);
    assert_eq!(imported.kept.len(), 4, "{:?}", imported.kept);
    for (kept, what) in
        imported.kept.iter().zip(["status", "dueDate", "larch", "deleted in Dormouse"])
    {
        assert!(kept.contains(what), "{kept}");
    }
    assert_eq!(world.state(&task), before);
    assert_eq!(import(&world, &file).kept, Vec::<String>::new(), "said once");
}

#[test]
fn what_left_the_file_stays_and_is_known_when_it_comes_back() {
    let world = World::new();
    let task = import(&world, &shed()).task;
    let mut file = shed();
    file.items.remove(0);
    file.entries.clear();
    file.labels.clear();
    assert_eq!(import(&world, &file).outcome, Outcome::Unchanged);
    assert_eq!(world.view(&task).items.len(), 2);
    assert_eq!(import(&world, &shed()).outcome, Outcome::Unchanged);
    assert_eq!((world.view(&task).items.len(), world.view(&task).entries.len()), (2, 1));
}

#[test]
fn a_file_may_go_back_and_forth() {
    let world = World::new();
    let task = import(&world, &shed()).task;
    let mut other = shed();
    other.title = "Build the big shed".into();
    for (file, title) in [
        (&other, "Build the big shed"),
        (&shed(), "Build the shed"),
        (&other, "Build the big shed"),
    ] {
        assert_eq!(import(&world, file).outcome, Outcome::Updated { changes: 1 });
        assert_eq!(world.state(&task).title, title);
    }
}

#[test]
fn a_deleted_task_is_not_brought_back() {
    let world = World::new();
    let task = import(&world, &shed()).task;
    world.edit(&task, &[Edit::Delete]).unwrap();
    let mut file = shed();
    file.title = "Build the big shed".into();
    let imported = import(&world, &file);
    assert_eq!(
        (imported.outcome, imported.kept),
        (Outcome::Unchanged, vec!["task (deleted in Dormouse)".into()])
    );
    assert!(world.view(&task).deleted_at().is_some());
}

#[test]
fn a_task_that_is_restored_gets_what_its_file_said_while_it_was_deleted() {
    let world = World::new();
    let task = import(&world, &shed()).task;
    world.edit(&task, &[Edit::Delete]).unwrap();
    let mut file = shed();
    file.title = "Build the big shed".into();
    file.items[1].is_checked = true;
    file.items.push(item("3", "Roof", false));
    file.entries = vec![entry("a", "The floor needs three bags."), entry("b", "Rain all week.")];
    let n_changes = world.changes().len();
    for _ in 0..2 {
        let imported = import(&world, &file);
        let deleted = vec!["task (deleted in Dormouse)".to_owned()];
        assert_eq!((imported.outcome, imported.kept), (Outcome::Unchanged, deleted));
    }
    assert_eq!(world.changes().len(), n_changes);
    world.edit(&task, &[Edit::Restore]).unwrap();
    let imported = import(&world, &file);
    assert_eq!((imported.outcome, imported.kept), (Outcome::Updated { changes: 5 }, vec![]));
    let state = world.state(&task);
    assert_eq!(state.title, "Build the big shed");
    let ticks: Vec<_> =
        titles(&world, &task).into_iter().map(|(_, is_checked)| is_checked).collect();
    assert_eq!(ticks, [true, true, false]);
    let texts: Vec<_> = state.entries.iter().map(|entry| entry.text.as_str()).collect();
    assert_eq!(texts, ["The floor needs three bags.", "Rain all week."]);
    assert_eq!(import(&world, &file).outcome, Outcome::Unchanged);
}

#[test]
fn a_part_that_is_restored_gets_what_its_file_said_while_it_was_deleted() {
    for is_changed_again in [false, true] {
        let world = World::new();
        let task = import(&world, &shed()).task;
        let view = world.view(&task);
        let (floor, note) = (view.items[1].value.id.clone(), view.entries[0].value.id.clone());
        world
            .edit(&task, &[Edit::RemoveItem(floor.clone()), Edit::DeleteEntry(note.clone())])
            .unwrap();
        let mut file = shed();
        file.items[1] = item("2", "Pour the floor", true);
        file.entries = vec![entry("a", "The floor needs three bags.")];
        let kept = import(&world, &file).kept;
        assert_eq!(
            kept,
            [
                "item Pour the floor (removed in Dormouse)",
                "note \"The floor needs three bags.\" (deleted in Dormouse)"
            ]
        );
        assert_eq!(import(&world, &file).kept, Vec::<String>::new(), "said once");
        assert_eq!((world.view(&task).items.len(), world.view(&task).entries.len()), (1, 0));
        world.edit(&task, &[Edit::RestoreItem(floor), Edit::RestoreEntry(note)]).unwrap();
        if is_changed_again {
            file.entries = vec![entry("a", "The floor needs four bags.")];
        }
        let imported = import(&world, &file);
        assert_eq!((imported.outcome, imported.kept), (Outcome::Updated { changes: 2 }, vec![]));
        assert_eq!(titles(&world, &task)[1], ("Pour the floor".into(), true));
        assert_eq!(world.state(&task).entries[0].text, file.entries[0].text);
        assert_eq!(import(&world, &file).outcome, Outcome::Unchanged);
    }
}

#[test]
fn a_part_that_was_changed_and_deleted_here_is_kept_when_it_is_restored() {
    let world = World::new();
    let task = import(&world, &shed()).task;
    let note = world.view(&task).entries[0].value.id.clone();
    let text = Some("The floor needs my own bag.".to_owned());
    let edit = Edit::EditEntry { entry: note.clone(), text };
    world.edit(&task, &[edit, Edit::DeleteEntry(note.clone())]).unwrap();
    let mut file = shed();
    file.entries = vec![entry("a", "The floor needs three bags.")];
    import(&world, &file);
    world.edit(&task, &[Edit::RestoreEntry(note)]).unwrap();
    let kept = vec!["note \"The floor needs my own bag.\"".to_owned()];
    let imported = import(&world, &file);
    assert_eq!((imported.outcome, imported.kept), (Outcome::Unchanged, kept));
    assert_eq!(world.state(&task).entries[0].text, "The floor needs my own bag.");
}

#[test]
fn an_item_that_was_added_here_is_not_added_again() {
    let world = World::new();
    let task = import(&world, &shed()).task;
    let add = Edit::AddItem { title: "Roof".into(), is_checked: false, depth: 0 };
    world.edit(&task, &[add]).unwrap();
    let mut file = shed();
    file.items.push(item("3", "roof", true));
    assert_eq!(import(&world, &file).outcome, Outcome::Updated { changes: 1 });
    assert_eq!(titles(&world, &task)[2], ("Roof".into(), true));
    assert_eq!(world.view(&task).items.len(), 3);
}

#[test]
fn a_new_item_goes_below_its_own_parent_or_below_none() {
    let world = World::new();
    let deep = |key: &str, depth| Item { depth, ..item(key, key, false) };
    let shapes = |task: &TaskId| -> Vec<(String, u32)> {
        let view = world.view(task);
        view.items.iter().map(|item| (item.value.title.clone(), item.value.depth)).collect()
    };
    let mut file = shed();
    file.items = vec![deep("a", 0), deep("a1", 1), deep("b", 0), deep("b1", 1)];
    let task = import(&world, &file).task;
    // Below the last, with a child; below another, which is not the last; and one of its own.
    file.items = ["a", "a1", "a2", "b", "b1", "b2", "b2x", "c", "c1"]
        .map(|key| deep(key, u32::try_from(key.len()).unwrap() - 1))
        .to_vec();
    import(&world, &file);
    let expected = [
        ("a", 0),
        ("a1", 1),
        ("b", 0),
        ("b1", 1),
        ("a2", 0),
        ("b2", 0),
        ("b2x", 0),
        ("c", 0),
        ("c1", 1),
    ];
    assert_eq!(shapes(&task), expected.map(|(title, depth)| (title.to_owned(), depth)));
}

#[test]
fn an_item_that_left_the_file_stays_and_is_named_once() {
    let world = World::new();
    let task = import(&world, &shed()).task;
    let mut file = shed();
    file.items[0] = item("9", "Order planks", false);
    let gone = vec!["item Buy planks (no longer in the file)".to_owned()];
    assert_eq!(import(&world, &file).kept, gone);
    assert_eq!(titles(&world, &task).len(), 3);
    file.due_on = None;
    assert_eq!(import(&world, &file).kept, Vec::<String>::new());
    // One that was taken out of the checklist here is not there to stay.
    import(&world, &shed());
    assert_eq!(import(&world, &file).kept, gone);
}

#[test]
fn a_tick_that_is_taken_away_in_the_file_opens_the_task_unless_it_was_changed_here() {
    let world = World::new();
    let done = Task { status: Some(Status::Done), ..shed() };
    let open = Task { status: None, ..shed() };
    let task = import(&world, &done).task;
    assert_eq!(import(&world, &open).outcome, Outcome::Updated { changes: 1 });
    assert_eq!(world.view(&task).task.value.status.status, Status::Open);
    import(&world, &done);
    let status = Edit::Status { status: Status::Rejected, reason: None };
    world.edit(&task, &[status]).unwrap();
    let kept = import(&world, &open);
    assert_eq!((kept.outcome, kept.kept), (Outcome::Unchanged, vec!["status".to_owned()]));
}

#[test]
fn a_language_an_agent_found_gives_way_to_the_file() {
    let world = World::new();
    let task = import(&world, &shed()).task;
    world.edit_as(&task, &[Edit::Language { code: Some("nl".into()) }], &agent()).unwrap();
    let mut file = shed();
    file.language = Some("EN".into());
    assert_eq!(import(&world, &file).outcome, Outcome::Updated { changes: 1 });
    assert_eq!(world.state(&task).language.as_deref(), Some("en"));
}

#[test]
fn two_files_have_a_task_of_the_same_key_each() {
    let world = World::new();
    let here = import(&world, &shed());
    let there = now(world.journal.import(WS, "other.md", &shed(), &person())).unwrap();
    assert_ne!(here.task, there.task);
    assert_eq!(there.outcome, Outcome::Created);
}

#[test]
fn lines_that_share_a_key_stay_apart() {
    let world = World::new();
    let mut file = shed();
    file.items = vec![item("1", "Sand", false), item("1", "Paint", false)];
    let task = import(&world, &file).task;
    file.items[0].is_checked = true;
    assert_eq!(import(&world, &file).outcome, Outcome::Updated { changes: 1 });
    assert_eq!(titles(&world, &task), [("Sand".into(), true), ("Paint".into(), false)]);
}

#[test]
fn an_import_that_raced_with_itself_is_one_task() {
    let world = World::new();
    let first = import(&world, &shed());
    // As the second of two concurrent imports sees it: nothing is known of the file yet.
    world.raw("DELETE FROM imported WHERE ws = ?1 AND key = ?2 AND ?3 = ''", "garden.md|shed", "");
    let second = import(&world, &shed());
    assert_eq!((second.task, second.seq), (first.task, first.seq));
    assert_eq!(world.titles(&Default::default()).len(), 1);
}

#[test]
fn a_blocked_task_without_a_reason_in_the_file_gets_the_file_as_its_reason() {
    let world = World::new();
    let state = |task| {
        let state = world.state(task);
        (state.status, state.status_reason.unwrap_or_default())
    };
    let file = Task { status: Some(Status::OnHold), ..shed() };
    let imported = import(&world, &file);
    assert!(imported.kept.is_empty(), "{:?}", imported.kept);
    let said = (Status::OnHold, "Marked as on hold in the imported list".to_owned());
    assert_eq!(state(&imported.task), said);
    assert_eq!(import(&world, &file).outcome, Outcome::Unchanged);
    let file = Task { status_reason: Some("no planks".into()), ..file };
    import(&world, &file);
    assert_eq!(state(&imported.task), (Status::OnHold, "no planks".to_owned()));
}

#[test]
fn a_note_beyond_the_limit_writes_nothing_of_its_task() {
    let world = World::new();
    let mut file = shed();
    file.entries.push(entry("b", &"x".repeat(10 * 1024 * 1024)));
    let error = now(world.journal.import(WS, "garden.md", &file, &person())).unwrap_err();
    assert!(matches!(&error, JournalError::Edit(e) if e.field() == "text"), "{error}");
    assert_eq!(world.titles(&Default::default()), Vec::<String>::new());
    assert_eq!(import(&world, &shed()).outcome, Outcome::Created);
}

#[test]
fn two_files_never_share_a_key() {
    let world = World::new();
    let draft = |key: &str| Task { key: key.into(), title: "Call Ana".into(), ..Task::default() };
    let import = |file: &str, key: &str| {
        now(world.journal.import(WS, file, &draft(key), &person())).expect("imported").task
    };
    assert_ne!(import("f", "b|call"), import("f|b", "call"));
    assert_ne!(import("f", "|call"), import("f|", "call"));
    assert_ne!(import(r"f\", "|c"), import(r"f\|", "c"));
    assert_eq!(import("f|b", "call"), import("f|b", "call"));
}

#[test]
fn a_damaged_last_import_overwrites_nothing_and_stops_no_other_task() {
    let world = World::new();
    let first = import(&world, &shed());
    let row = now(world.store.first(imported::by_key(WS, "garden.md|shed"))).expect("read");
    let was = row.expect("imported").value;
    let op = imported::put(WS, "garden.md|shed", first.task.as_str(), "{broken", Some(&was));
    let damage = Commit::new("test", Db::Journal, WS).op(op);
    now(world.store.commit(damage)).expect("damaged");
    let again = import(&world, &Task { title: "Build two sheds".into(), ..shed() });
    assert_eq!((&again.task, again.outcome), (&first.task, Outcome::Unchanged));
    assert!(again.kept[0].contains("cannot be read"), "{:?}", again.kept);
    assert_eq!(world.state(&first.task).title, "Build the shed");
}

/// The list "garden.md" is imported by somebody else right before the next commit.
fn somebody_imports(world: &World, draft: Task) {
    let journal = world.journal.clone();
    world.engine.before_next_commit(move || {
        now(journal.import(WS, "garden.md", &draft, &person())).map(drop).expect("imported");
    });
}

fn bare(entries: Vec<Entry>) -> Task {
    Task { labels: Vec::new(), category: None, entries, ..shed() }
}

#[test]
fn two_first_imports_of_one_list_at_once_make_one_task() {
    let world = World::new();
    somebody_imports(&world, bare(vec![entry("a", "The floor needs two bags.")]));
    let ours = import(&world, &Task { title: "Build two sheds".into(), ..bare(Vec::new()) });
    assert_eq!(ours.outcome, Outcome::Updated { changes: 1 });
    assert_eq!(world.titles(&Filter::default()), ["Build two sheds"]);
    let state = world.state(&ours.task);
    assert_eq!((state.title.as_str(), state.entries.len()), ("Build two sheds", 1));
}

#[test]
fn two_first_imports_of_the_same_list_at_once_are_one() {
    let world = World::new();
    somebody_imports(&world, bare(Vec::new()));
    let ours = import(&world, &bare(Vec::new()));
    assert_eq!(ours.outcome, Outcome::Unchanged);
    assert_eq!(world.titles(&Filter::default()), ["Build the shed"]);
}

#[test]
fn two_imports_at_once_write_a_new_note_once() {
    let world = World::new();
    let first = import(&world, &bare(Vec::new()));
    let notes = || vec![entry("a", "The floor needs two bags.")];
    somebody_imports(&world, bare(notes()));
    import(&world, &Task { title: "Build two sheds".into(), ..bare(notes()) });
    let state = world.state(&first.task);
    assert_eq!((state.title.as_str(), state.entries.len()), ("Build two sheds", 1));
}

#[test]
fn a_key_that_no_index_could_hold_is_known_again() {
    let world = World::new();
    let long = |end: &str| Task { key: format!("{}{end}", "ä".repeat(5_000)), ..bare(Vec::new()) };
    let first = import(&world, &long("a"));
    assert_eq!(first.outcome, Outcome::Created);
    assert_eq!(import(&world, &long("a")).outcome, Outcome::Unchanged);
    assert_eq!(import(&world, &long("b")).outcome, Outcome::Created);
    let keys = world.texts("SELECT key FROM imported WHERE ws = ?1 AND key LIKE ?2", "garden.md|%");
    assert!(keys.iter().all(|key| key.len() < 1_200), "{:?}", keys.iter().map(String::len));
}

#[test]
fn a_task_with_a_key_that_no_index_could_hold_is_not_missing_from_its_file() {
    let world = World::new();
    let long = Task { key: "ä".repeat(5_000), ..bare(Vec::new()) };
    let other = Task { title: "Paint the shed".into(), ..bare(Vec::new()) };
    import(&world, &long);
    import(&world, &other);
    let missing = |keys: &[&str]| {
        let (keys, words) = (keys.iter().copied().collect(), BTreeSet::default());
        now(world.journal.import_missing(WS, "garden.md", &keys, &words)).expect("read")
    };
    assert_eq!(missing(&[&long.key, &other.key]), Missing::default());
    let titles = vec!["Build the shed".to_owned()];
    assert_eq!(missing(&[&other.key]), Missing { n: 1, titles });
}
