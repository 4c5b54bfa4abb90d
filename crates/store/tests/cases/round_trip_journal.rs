//! Every kind of journal entity, and the small tables.

use std::fmt::Debug;

use dormouse_store::journal::category::Category;
use dormouse_store::journal::checklist::Checklist;
use dormouse_store::journal::entry::{Entry, Kind};
use dormouse_store::journal::imported::{self, Imported};
use dormouse_store::journal::item::Item;
use dormouse_store::journal::label::{self, Definition, Label};
use dormouse_store::journal::row::{self, Entity, Stored};
use dormouse_store::journal::task::{self, AggregateRow, ListQuery, PageStart, StatusEntry, Task};
use dormouse_store::journal::{field_say, import_correction, setting};
use dormouse_store::{Db, Query, Refusal};
use dormouse_types::caller::By;
use dormouse_types::model::FieldSay;
use dormouse_types::task::{EntryKind, Field, Flags, Priority, Status};
use dormouse_types::{CategoryId, Id as _, LabelId, TaskId, Timestamp};

use crate::world::{OTHER_WS, WS, World, at, journal_commit};

each_engine!(
    tasks,
    checklists,
    items,
    entries,
    labels,
    categories,
    a_revision_moves_once_from_where_it_was_read,
    a_task_is_read_with_all_that_belongs_to_it,
    a_list_pages_through_tasks_and_counts_their_items,
    live_definitions_differ_in_name,
    the_last_word_on_a_field_stays,
    an_import_is_known_by_its_key,
    the_keys_of_a_file_page_in_order_without_deleted_tasks,
    corrections_of_a_file_are_replaced_only_by_one_who_saw_them,
    a_setting_holds_what_was_set_last,
);

fn by_id<T: Entity>(ws: i64, id: &str) -> Query<Stored<T>> {
    Query {
        db: Db::Journal,
        sql: "SELECT id, type, revision, serialized, clock_host, clock_counter FROM journal
              WHERE ws = ?1 AND id = ?2 AND type = ?3",
        params: vec![ws.into(), id.into(), T::KIND.into()],
        decode: row::decode::<T>,
    }
}

/// Takes one kind of entity through its life.
fn check_life<T: Entity + Debug>(
    world: &World,
    value: &T,
    change: impl Fn(&mut T),
    delete: impl Fn(&mut T, Timestamp),
) {
    let id = value.columns().id;
    let read = || world.first(by_id::<T>(WS.0, &id)).expect("the entity is there");

    world.journal([row::insert(WS, value)]);
    let again = journal_commit([row::insert(WS, value)]);
    assert_eq!(world.refusal(again), Refusal::Exists);
    assert_eq!(read().doc.value, *value);
    assert!(world.first(by_id::<T>(OTHER_WS.0, &id)).is_none());
    let elsewhere = journal_commit([row::put(OTHER_WS, &read().doc)]);
    assert_eq!(world.refusal(elsewhere), Refusal::Missing);

    let mut doc = read().doc;
    change(&mut doc.value);
    assert_ne!(doc.value, *value, "the test changes nothing");
    let seq = world.journal([row::put(WS, &doc)]).seq;
    let changed = read();
    assert_eq!(changed.doc.value, doc.value);
    assert_eq!(changed.clock_host, world.store.host(Db::Journal).to_string());
    assert_eq!(changed.clock_counter, seq.0);

    let mut doc = read().doc;
    delete(&mut doc.value, at(900));
    world.journal([row::put(WS, &doc)]);
    assert_eq!(read().doc.value, doc.value, "its history stays");
    let live = "SELECT id FROM journal WHERE deleted_at IS NULL";
    let live: Vec<String> = world
        .raw(Db::Journal, live)
        .into_iter()
        .map(|row| row.text(0).expect("an id").to_owned())
        .collect();
    assert!(!live.contains(&id), "a deleted entity is not live");
}

pub fn a_task(world: &World, title: &str) -> Task {
    let (category, label, never): (CategoryId, LabelId, LabelId) =
        (world.id(), world.id(), world.id());
    let status = StatusEntry {
        status: Status::Blocked,
        reason: Some("waits for \u{1F42D}".into()),
        created_at: at(1),
    };
    Task {
        id: world.id(),
        title: title.to_owned(),
        status: status.clone(),
        status_history: vec![status],
        priority: Some(Priority::P1),
        due_on: Some("2026-02-28".parse().expect("a day")),
        estimate_minutes: Some(90),
        language_code: Some("en".into()),
        language_source: By::Agent,
        category_id: Some(category),
        label_ids: vec![label],
        ai_suppressed_label_ids: vec![never],
        flags: Flags { starred: true, private: true },
        created_at: at(1),
        updated_at: at(1),
        deleted_at: None,
        absences: Vec::new(),
    }
}

fn tasks(world: &World) {
    for (n, status) in Status::ALL.iter().enumerate() {
        let change = |task: &mut Task| {
            let entry = StatusEntry { status: *status, reason: None, created_at: at(5) };
            task.status = entry.clone();
            task.status_history.push(entry);
            task.due_on = None;
            task.priority = None;
            task.flags = Flags::NONE;
            task.updated_at = at(5);
        };
        let delete = |task: &mut Task, when| task.deleted_at = Some(when);
        check_life(world, &a_task(world, &format!("Task {n}")), change, delete);
    }
}

pub fn a_checklist(world: &World, task: &TaskId) -> Checklist {
    Checklist {
        id: world.id(),
        task_id: task.clone(),
        title: "Pack".into(),
        position: 2,
        created_at: at(2),
        updated_at: at(2),
        deleted_at: None,
    }
}

fn checklists(world: &World) {
    let change = |list: &mut Checklist| list.title = "Unpack".into();
    let delete = |list: &mut Checklist, when| list.deleted_at = Some(when);
    check_life(world, &a_checklist(world, &world.id()), change, delete);
}

pub fn an_item(world: &World, list: &Checklist, title: &str) -> Item {
    Item {
        id: world.id(),
        task_id: list.task_id.clone(),
        checklist_id: list.id.clone(),
        title: title.to_owned(),
        is_checked: false,
        checked_by: By::User,
        checked_at: None,
        is_archived: false,
        depth: 1,
        position: 3,
        created_at: at(3),
        updated_at: at(3),
        deleted_at: None,
    }
}

fn items(world: &World) {
    let change = |item: &mut Item| {
        item.is_checked = true;
        item.checked_by = By::Agent;
        item.checked_at = Some(at(5));
        item.is_archived = true;
    };
    let delete = |item: &mut Item, when| item.deleted_at = Some(when);
    let list = a_checklist(world, &world.id());
    check_life(world, &an_item(world, &list, "Boxes"), change, delete);
}

fn an_entry(world: &World, task: &TaskId, kind: Kind) -> Entry {
    Entry {
        id: world.id(),
        task_id: task.clone(),
        kind,
        text: Some("First line\n- [ ] call \u{1F42D}\0".into()),
        transcript: Some("spoken".into()),
        minutes: Some(25),
        on: Some("2026-01-04".parse().expect("a day")),
        tainted: true,
        flags: Flags { starred: true, private: true },
        position: 1,
        created_at: at(4),
        updated_at: at(4),
        edited_at: Some(at(4)),
        deleted_at: None,
    }
}

fn entries(world: &World) {
    let kinds = [
        Kind::Known(EntryKind::Text),
        Kind::Known(EntryKind::Audio),
        Kind::Known(EntryKind::ImageAnalysis),
        Kind::Known(EntryKind::Time),
        Kind::Unknown("smell".into()),
    ];
    for kind in kinds {
        let change = |entry: &mut Entry| {
            entry.text = None;
            entry.on = None;
            entry.edited_at = None;
            // Cleared again: a flag that was left out when it is not set would come back.
            entry.flags = Flags::NONE;
        };
        let delete = |entry: &mut Entry, when| entry.deleted_at = Some(when);
        check_life(world, &an_entry(world, &world.id(), kind), change, delete);
    }
}

fn a_label(world: &World, name: &str) -> Label {
    let category: CategoryId = world.id();
    Label {
        id: world.id(),
        name: name.to_owned(),
        color: Some("#a0b1c2".into()),
        description: Some("what it stands for".into()),
        applicable_category_ids: vec![category],
        created_at: at(1),
        updated_at: at(1),
        deleted_at: None,
    }
}

fn labels(world: &World) {
    let change = |label: &mut Label| label.name = "Outdoors".into();
    let delete = |label: &mut Label, when| label.deleted_at = Some(when);
    check_life(world, &a_label(world, "Garden"), change, delete);
}

pub fn category(world: &World, name: &str) -> Category {
    Category {
        id: world.id(),
        name: name.to_owned(),
        color: None,
        created_at: at(1),
        updated_at: at(1),
        deleted_at: None,
    }
}

fn categories(world: &World) {
    let change = |category: &mut Category| category.color = Some("#000000".into());
    let delete = |category: &mut Category, when| category.deleted_at = Some(when);
    check_life(world, &category(world, "Home"), change, delete);
}

fn a_revision_moves_once_from_where_it_was_read(world: &World) {
    let task = a_task(world, "Move");
    let (list, entry) = (a_checklist(world, &task.id), category(world, "Home"));
    world.journal([row::insert(WS, &task), row::insert(WS, &list), row::insert(WS, &entry)]);
    let read = || world.only(by_id::<Task>(WS.0, task.id.as_str())).revision;
    let first = read();
    world.journal([task::guard(WS, &task.id, first), setting::put(WS, "k", "1")]);
    assert_eq!(read(), first + 1);
    for wrong in [first - 1, first, first + 2] {
        let stale = journal_commit([task::guard(WS, &task.id, wrong), setting::put(WS, "k", "2")]);
        assert_eq!(world.refusal(stale), Refusal::Stale, "{wrong}");
    }
    assert_eq!(read(), first + 1);
    assert_eq!(world.first(setting::by_key(WS, "k")).as_deref(), Some("1"));
    let elsewhere = journal_commit([task::guard(OTHER_WS, &task.id, first + 1)]);
    assert_eq!(world.refusal(elsewhere), Refusal::Stale);
}

fn a_task_is_read_with_all_that_belongs_to_it(world: &World) {
    let (task, other) = (a_task(world, "Move"), a_task(world, "Other"));
    let list = a_checklist(world, &task.id);
    let gone = Item { deleted_at: Some(at(9)), ..an_item(world, &list, "Gone") };
    let entry = an_entry(world, &task.id, Kind::Known(EntryKind::Text));
    world.journal([
        row::insert(WS, &task),
        row::insert(WS, &list),
        row::insert(WS, &gone),
        row::insert(WS, &entry),
        row::insert(WS, &other),
        row::insert(WS, &a_checklist(world, &other.id)),
    ]);
    let (mut tasks, mut lists, mut items, mut entries) = (vec![], vec![], vec![], vec![]);
    for part in world.all(task::aggregate(WS, &task.id)) {
        match part {
            AggregateRow::Task(row) => tasks.push(row.doc.value),
            AggregateRow::Checklist(row) => lists.push(row.doc.value),
            AggregateRow::Item(row) => items.push(row.doc.value),
            AggregateRow::Entry(row) => entries.push(row.doc.value),
        }
    }
    assert_eq!(tasks, std::slice::from_ref(&task));
    assert_eq!((lists, items, entries), (vec![list], vec![gone], vec![entry]));
    assert_eq!(world.all(task::aggregate(OTHER_WS, &task.id)).len(), 0);
}

fn a_list_pages_through_tasks_and_counts_their_items(world: &World) {
    let titles = ["Plan the move", "Sell 100% of the sofa", "plan_b", "Gone"];
    let tasks: Vec<Task> = titles
        .iter()
        .zip(1i64..)
        .map(|(title, n)| Task { created_at: at(n / 2), ..a_task(world, title) })
        .collect();
    let list = a_checklist(world, &tasks[0].id);
    let done = Item { is_checked: true, ..an_item(world, &list, "a") };
    let archived = Item { is_archived: true, ..an_item(world, &list, "b") };
    let deleted = Item { deleted_at: Some(at(8)), ..an_item(world, &list, "c") };
    let open = [an_item(world, &list, "d"), an_item(world, &list, "e")];
    world.journal(tasks[..3].iter().map(|task| row::insert(WS, task)));
    let gone = Task { deleted_at: Some(at(9)), ..tasks[3].clone() };
    world.journal([row::insert(WS, &gone)]);
    world
        .journal(open.iter().chain([&done, &archived, &deleted]).map(|item| row::insert(WS, item)));

    let wanted = |words: &[&str]| ListQuery {
        status: None,
        words: words.iter().map(|word| (*word).to_owned()).collect(),
        title: None,
        include_deleted: false,
        after: None,
        limit: 10,
    };
    let titles = |wanted: &ListQuery| -> Vec<(String, i64, i64)> {
        let lines = world.all(task::list(WS, wanted));
        let rows = lines.into_iter().map(|line| line.row.expect("the row can be read"));
        rows.map(|row| (row.task.doc.value.title, row.n_open, row.n_done)).collect()
    };
    let (plan, sofa, b) = ("Plan the move".to_owned(), titles_of(&tasks, 1), titles_of(&tasks, 2));
    let all = [(b.clone(), 0, 0), (sofa.clone(), 0, 0), (plan.clone(), 2, 1)];
    assert_eq!(titles(&wanted(&[])), all);
    assert_eq!(titles(&wanted(&["plan"])), [all[0].clone(), all[2].clone()]);
    assert_eq!(titles(&wanted(&["plan", "move"])), [all[2].clone()]);
    assert_eq!(titles(&wanted(&["100%"])), [all[1].clone()], "the sign is not a wildcard");
    assert_eq!(titles(&wanted(&["plan_"])), [all[0].clone()], "the sign is not a wildcard");
    let open = ListQuery { status: Some(Status::Open), ..wanted(&[]) };
    assert_eq!(titles(&open), []);
    let blocked = ListQuery { status: Some(Status::Blocked), ..wanted(&[]) };
    assert_eq!(titles(&blocked).len(), 3);
    let with_deleted = ListQuery { include_deleted: true, ..wanted(&[]) };
    assert_eq!(titles(&with_deleted).len(), 4);

    // Paging returns the same as one query, even for two tasks of equal age.
    let mut paged = Vec::new();
    let mut after: Option<PageStart> = None;
    loop {
        let page = ListQuery { after: after.clone(), limit: 1, ..wanted(&[]) };
        let Some(line) = world.first(task::list(WS, &page)) else { break };
        after = Some(line.after);
        paged.push(line.row.expect("the row can be read").task.doc.value.title);
    }
    assert_eq!(paged, [b, sofa, plan]);

    let ending = &tasks[1].id.as_str()[20..];
    let found = world.only(task::by_ending(WS, ending)).row.expect("the row can be read");
    assert_eq!(found.task.doc.value, tasks[1]);
    assert_eq!(world.all(task::by_ending(WS, "%")).len(), 0, "the sign is not a wildcard");
}

fn titles_of(tasks: &[Task], n: usize) -> String {
    tasks[n].title.clone()
}

fn live_definitions_differ_in_name(world: &World) {
    let garden = a_label(world, "Garden");
    world.journal([row::insert(WS, &garden)]);
    let same = journal_commit([row::insert(WS, &a_label(world, "GARDEN"))]);
    assert_eq!(world.refusal(same), Refusal::Exists);
    let category = category(world, "garden");
    world.journal([row::insert(WS, &category)]);

    let names = || -> Vec<String> {
        let definitions = world.all(label::definitions(WS));
        let name = |definition| match definition {
            Definition::Label(row) => format!("label {}", row.doc.value.name),
            Definition::Category(row) => format!("category {}", row.doc.value.name),
        };
        definitions.into_iter().map(name).collect()
    };
    let mut both = names();
    both.sort();
    assert_eq!(both, ["category garden", "label Garden"]);
    assert_eq!(world.all(label::definitions(OTHER_WS)).len(), 0);

    let mut doc = world.only(by_id::<Label>(WS.0, garden.id.as_str())).doc;
    doc.value.deleted_at = Some(at(5));
    world.journal([row::put(WS, &doc)]);
    world.journal([row::insert(WS, &a_label(world, "GARDEN"))]);
    let mut both = names();
    both.sort();
    assert_eq!(both, ["category garden", "label GARDEN"]);
}

fn the_last_word_on_a_field_stays(world: &World) {
    let (task, other): (TaskId, TaskId) = (world.id(), world.id());
    world.journal([
        field_say::put(WS, &task, &Field::Title.into(), By::User, at(1)),
        field_say::put(WS, &task, &Field::DueDate.into(), By::Agent, at(2)),
        field_say::put(WS, &other, &Field::Title.into(), By::Agent, at(3)),
    ]);
    world.journal([field_say::put(WS, &task, &Field::Title.into(), By::Agent, at(4))]);
    let say =
        |field: &str, by, micros| FieldSay { field: field.to_owned().into(), by, at: at(micros) };
    assert_eq!(
        world.all(field_say::of_task(WS, &task)),
        [say("dueDate", By::Agent, 2), say("title", By::Agent, 4)]
    );
    assert_eq!(world.all(field_say::of_task(OTHER_WS, &task)), []);
}

fn an_import_is_known_by_its_key(world: &World) {
    let put = |task, value, was| imported::put(WS, "file|Heading|1", task, value, was);
    world.journal([put("jt-1", "{}", None)]);
    assert_eq!(world.refusal(journal_commit([put("jt-2", "{}", None)])), Refusal::ImportMoved);
    let late = put("jt-2", "{}", Some(r#"{"b":1}"#));
    assert_eq!(world.refusal(journal_commit([late])), Refusal::ImportMoved);
    world.journal([put("jt-2", r#"{"a":1}"#, Some("{}"))]);
    let last = Imported { entity_id: "jt-2".into(), value: r#"{"a":1}"#.into() };
    assert_eq!(world.all(imported::by_key(WS, "file|Heading|1")), [last]);
    assert_eq!(world.first(imported::by_key(WS, "file|Heading|2")), None);
    assert_eq!(world.first(imported::by_key(OTHER_WS, "file|Heading|1")), None);
    world.journal([imported::put(WS, "file|Heading|3", "jt-3", "{}", None)]);
    let keys = ["file|Heading|1", "file|Heading|2", "file|Heading|3"].map(str::to_owned);
    let mut found = world.all(imported::by_keys(WS, &keys));
    found.sort_by(|a, b| a.0.cmp(&b.0));
    let tasks: Vec<_> =
        found.iter().map(|(key, at)| (key.as_str(), at.entity_id.as_str())).collect();
    assert_eq!(tasks, [("file|Heading|1", "jt-2"), ("file|Heading|3", "jt-3")]);
    assert!(world.all(imported::by_keys(OTHER_WS, &keys)).is_empty());
}

fn the_keys_of_a_file_page_in_order_without_deleted_tasks(world: &World) {
    let (live, deleted) = (a_task(world, "Live"), a_task(world, "Deleted"));
    let deleted = Task { deleted_at: Some(at(9)), ..deleted };
    world.journal([row::insert(WS, &live), row::insert(WS, &deleted)]);
    let (kept, gone) = (live.id.as_str(), deleted.id.as_str());
    let put = |key: &str, id: &str| world.journal([imported::put(WS, key, id, "{}", None)]);
    for key in ["a.md|b#1", "a.md|Z#1", "a.md|ä#1", r"a.md\|x|c", "a.mdx|d", "a.m|e"] {
        put(key, kept);
    }
    put("a.md|gone", gone);
    put("a.md|never", "jt-1");
    let page = |after: &str, limit| {
        let rows = world.all(imported::between(WS, after, "a.md}", limit));
        rows.into_iter().map(|(key, task)| format!("{key} {task}")).collect::<Vec<_>>()
    };
    let all = ["Z#1", "b#1", "ä#1"].map(|key| format!("a.md|{key} {kept}"));
    assert_eq!(page("a.md|", 9), all);
    assert_eq!(page("a.md|", 2), all[..2]);
    assert_eq!(page("a.md|b#1", 2), all[2..]);
    assert!(world.all(imported::between(OTHER_WS, "a.md|", "a.md}", 9)).is_empty());
}

fn corrections_of_a_file_are_replaced_only_by_one_who_saw_them(world: &World) {
    world.journal([import_correction::insert(WS, "list.md", "one")]);
    let again = journal_commit([import_correction::insert(WS, "list.md", "two")]);
    assert_eq!(world.refusal(again), Refusal::Exists);
    let late = journal_commit([import_correction::replace(WS, "list.md", "zero", "two")]);
    assert_eq!(world.refusal(late), Refusal::Missing);
    world.journal([import_correction::replace(WS, "list.md", "one", "two")]);
    assert_eq!(world.all(import_correction::of_file(WS, "list.md")), ["two"]);
    assert_eq!(world.first(import_correction::of_file(OTHER_WS, "list.md")), None);
    assert_eq!(world.first(import_correction::of_file(WS, "other.md")), None);
}

fn a_setting_holds_what_was_set_last(world: &World) {
    assert_eq!(world.first(setting::by_key(WS, setting::TIME_ZONE)), None);
    world.journal([setting::put(WS, setting::TIME_ZONE, "Europe/Berlin")]);
    world.journal([setting::put(WS, setting::TIME_ZONE, "Asia/Tokyo")]);
    assert_eq!(world.all(setting::by_key(WS, setting::TIME_ZONE)), ["Asia/Tokyo"]);
}
