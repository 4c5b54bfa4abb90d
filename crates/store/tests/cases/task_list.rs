//! Queries for lists of tasks.

use dormouse_store::Commit;
use dormouse_store::Db;
use dormouse_store::in_list;
use dormouse_store::journal::entry::{Entry, Kind};
use dormouse_store::journal::item::Item;
use dormouse_store::journal::row;
use dormouse_store::journal::task::{StatusEntry, Task};
use dormouse_store::journal::task_list::{self, ItemCount, Text};
use dormouse_types::caller::By;
use dormouse_types::task::{EntryKind, Flags, ItemState, Status};
use dormouse_types::{TaskId, Timestamp};

use crate::world::{WS, World, at};

each_engine!(
    a_page_continues_after_a_position_also_among_equal_times,
    words_are_found_in_titles_items_and_entries_case_and_accents_aside,
    items_are_counted_by_state_for_the_requested_tasks,
);

fn task(world: &World, title: &str, made: i64, changed: i64) -> Task {
    let status = StatusEntry { status: Status::Open, reason: None, created_at: at(made) };
    Task {
        id: world.id(),
        title: title.into(),
        status: status.clone(),
        status_history: vec![status],
        priority: None,
        due_on: None,
        estimate_minutes: None,
        language_code: None,
        language_source: By::User,
        category_id: None,
        label_ids: Vec::new(),
        ai_suppressed_label_ids: Vec::new(),
        flags: Flags::NONE,
        created_at: at(made),
        updated_at: at(changed),
        deleted_at: None,
        absences: Vec::new(),
    }
}

fn item(world: &World, task: &Task, title: &str, is_checked: bool) -> Item {
    Item {
        id: world.id(),
        task_id: task.id.clone(),
        checklist_id: world.id(),
        title: title.into(),
        is_checked,
        checked_by: By::User,
        checked_at: None,
        is_archived: false,
        depth: 0,
        position: 0,
        created_at: at(1),
        updated_at: at(1),
        deleted_at: None,
    }
}

fn entry(world: &World, task: &Task, text: &str) -> Entry {
    Entry {
        id: world.id(),
        task_id: task.id.clone(),
        kind: Kind::Known(EntryKind::Text),
        text: Some(text.into()),
        transcript: None,
        minutes: None,
        on: None,
        tainted: false,
        flags: Flags::NONE,
        position: 0,
        created_at: at(1),
        updated_at: at(1),
        edited_at: None,
        deleted_at: None,
    }
}

fn put(world: &World, ops: impl IntoIterator<Item = dormouse_store::Op>) {
    world.apply(Commit::new("test", Db::Journal, WS).ops(ops));
}

fn titles(lines: Vec<task_list::Line>) -> Vec<String> {
    lines.into_iter().filter_map(task_list::title).map(|(_, title)| title).collect()
}

fn a_page_continues_after_a_position_also_among_equal_times(world: &World) {
    let mut same = [task(world, "b", 2, 2), task(world, "c", 2, 2)];
    same.sort_by(|one, other| one.id.cmp(&other.id));
    let deleted = Task { deleted_at: Some(at(9)), ..task(world, "gone", 3, 3) };
    let all = [task(world, "a", 1, 9), same[0].clone(), same[1].clone(), deleted];
    put(world, all.iter().map(|task| row::insert(WS, task)));
    let first = (Timestamp::from_micros(i64::MAX), "~");
    let newest = [same[1].title.clone(), same[0].title.clone(), "a".into()];
    assert_eq!(titles(world.all(task_list::by_creation(WS, false, first, 9))), newest);
    let place = (at(2), same[1].id.to_string());
    let rest = task_list::by_creation(WS, false, (place.0, &place.1), 9);
    assert_eq!(titles(world.all(rest)), newest[1..]);
    let changed = ["a".to_owned(), same[1].title.clone()];
    assert_eq!(titles(world.all(task_list::by_change(WS, false, first, 2))), changed);
    assert_eq!(world.all(task_list::by_creation(WS, true, first, 9)).len(), 4);
    let all = world.all(task_list::all(WS));
    assert_eq!(all.iter().filter(|line| line.deleted_at.is_none()).count(), 3);
    let brief = all.into_iter().map(|it| it.task.expect("read"));
    let mut brief: Vec<_> = brief.map(|task| (task.title, task.status.status)).collect();
    brief.sort_by(|a, b| a.0.cmp(&b.0));
    let expected = ["a", "b", "c", "gone"].map(|title| (title.to_owned(), Status::Open));
    assert_eq!(brief, expected);
}

fn words_are_found_in_titles_items_and_entries_case_and_accents_aside(world: &World) {
    let [cafe, bath] = [task(world, "Café 100%", 1, 1), task(world, "Bath", 1, 1)];
    let ops = [
        row::insert(WS, &cafe),
        row::insert(WS, &bath),
        row::insert(WS, &item(world, &bath, "Tiles for the CAFÉ_wall", false)),
        row::insert(WS, &entry(world, &bath, "Die Straße ist lang.\nÜbermorgen.")),
    ];
    put(world, ops);
    let found = |words: &[&str]| {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let hits = world.all(task_list::hits(WS, &words));
        let of = |id: &TaskId| {
            let hit = hits.iter().find(|hit| hit.task == id.to_string());
            hit.map(|hit| hit.words[..words.len()].to_vec())
        };
        (of(&cafe.id), of(&bath.id))
    };
    assert_eq!(found(&["cafe"]), (Some(vec![true]), Some(vec![true])));
    assert_eq!(found(&["strasse", "bath"]), (None, Some(vec![true, true])));
    assert_eq!(found(&["cafe", "ubermorgen"]), (Some(vec![true, false]), Some(vec![true, true])));
    assert_eq!(found(&["100%"]), (Some(vec![true]), None), "a per cent sign is a letter");
    assert_eq!(found(&["e_w"]), (None, Some(vec![true])), "so is an underscore");
    assert_eq!(found(&["nowhere"]), (None, None));

    let gone = Entry { deleted_at: Some(at(9)), ..entry(world, &cafe, "Marble") };
    put(world, [row::insert(WS, &gone)]);
    assert_eq!(found(&["marble"]), (None, None), "what was deleted is not found");
    let texts = world.all(task_list::texts(WS, &[bath.id.to_string(), cafe.id.to_string()]));
    let texts: Vec<String> = texts
        .into_iter()
        .map(|text| match text {
            Text::Item(item) => item.doc.value.title,
            Text::Entry(entry) => entry.doc.value.says().to_owned(),
        })
        .collect();
    assert_eq!(texts, ["Tiles for the CAFÉ_wall", "Die Straße ist lang.\nÜbermorgen."]);
}

fn items_are_counted_by_state_for_the_requested_tasks(world: &World) {
    let [one, other] = [task(world, "one", 1, 1), task(world, "other", 1, 1)];
    let gone = Item { deleted_at: Some(at(9)), ..item(world, &one, "gone", false) };
    let items = [
        item(world, &one, "a", false),
        item(world, &one, "b", false),
        item(world, &one, "c", true),
        gone,
        item(world, &other, "d", false),
    ];
    put(world, [row::insert(WS, &one), row::insert(WS, &other)]);
    put(world, items.iter().map(|item| row::insert(WS, item)));
    let id = one.id.to_string();
    let count = |ids: &[String]| {
        let mut counted = world.all(task_list::items(WS, ids));
        counted.sort_by(|a, b| (&a.task, a.state.name()).cmp(&(&b.task, b.state.name())));
        counted
    };
    let counted = |state: ItemState, n| ItemCount { task: id.clone(), state: state.into(), n };
    assert_eq!(
        count(std::slice::from_ref(&id)),
        [counted(ItemState::Done, 1), counted(ItemState::Open, 2)]
    );
    assert_eq!(count(&[]), []);
    let mut most = vec!["jt-nobody".to_owned(); in_list::MOST - 1];
    most.push(id.clone());
    assert_eq!(count(&most).len(), 2, "a whole page of ids");
    assert_eq!(titles(world.all(task_list::some(WS, &[other.id.to_string()]))), ["other"]);
}
