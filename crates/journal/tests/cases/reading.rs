use dormouse_journal::{Edit, Filter, JournalError};
use dormouse_testkit::CountingEntropy;
use dormouse_types::port::Clock as _;
use dormouse_types::task::Status;
use dormouse_types::{Id as _, TaskId};
use jiff::tz::TimeZone;

use crate::world::{WS, World, now, person};

#[test]
fn an_unknown_task_is_named() {
    let world = World::new();
    let nobody = TaskId::fresh(world.clock.now(), &CountingEntropy::seeded(9));
    let error = now(world.journal.task(WS, &nobody)).unwrap_err();
    assert!(matches!(&error, JournalError::NoTask { task } if *task == nobody));
    let error = world.edit(&nobody, &[Edit::Delete]).unwrap_err();
    assert!(error.to_string().contains(nobody.as_str()), "{error}");
}

#[test]
fn another_workspace_sees_nothing() {
    let world = World::new();
    let task = world.task("Mine", vec![]);
    let other = dormouse_types::WorkspaceId(2);
    assert!(matches!(now(world.journal.task(other, &task)), Err(JournalError::NoTask { .. })));
    assert_eq!(now(world.journal.tasks(other, &Filter::default(), 9, None)).unwrap().items, []);
    assert_eq!(now(world.journal.find_ids(other, "mine")).unwrap(), []);
}

#[test]
fn a_list_is_newest_first_and_pages_meet_without_gap() {
    let world = World::new();
    for n in 0..7 {
        world.task(&format!("Task {n}"), vec![]);
    }
    let (mut seen, mut cursor, mut pages) = (Vec::new(), None::<String>, 0);
    loop {
        let page = now(world.journal.tasks(WS, &Filter::default(), 3, cursor.as_deref())).unwrap();
        seen.extend(page.items.into_iter().map(|task| task.title));
        pages += 1;
        let Some(next) = page.next else { break };
        cursor = Some(next);
    }
    let expected: Vec<String> = (0..7).rev().map(|n| format!("Task {n}")).collect();
    assert_eq!((seen, pages), (expected, 3));
    for wrong in ["", "abc", "12.nothing"] {
        let error = now(world.journal.tasks(WS, &Filter::default(), 3, Some(wrong))).unwrap_err();
        assert!(matches!(error, JournalError::Cursor { .. }), "{wrong}: {error}");
    }
}

#[test]
fn a_list_counts_items_and_can_be_narrowed() {
    let world = World::new();
    let item =
        |title: &str, is_checked| Edit::AddItem { title: title.into(), is_checked, depth: 0 };
    let task =
        world.task("Pack", vec![item("Shoes", true), item("Hat", false), item("Coat", false)]);
    let hat = world.ids_of_items(&task).remove(1);
    world.edit(&task, &[Edit::ArchiveItem { item: hat, is_archived: true }]).unwrap();
    let done = world.task("Unpack", vec![Edit::Status { status: Status::Done, reason: None }]);
    let gone = world.task("Pack again", vec![]);
    world.edit(&gone, &[Edit::Delete]).unwrap();

    let page = now(world.journal.tasks(WS, &Filter::default(), 9, None)).unwrap();
    assert_eq!(page.items.iter().map(|t| &t.id).collect::<Vec<_>>(), [&done, &task]);
    assert_eq!((page.items[1].n_items_open, page.items[1].n_items_done), (1, 1));
    let filter = Filter { status: Some(Status::Done), ..Filter::default() };
    assert_eq!(world.titles(&filter), ["Unpack"]);
    let filter = Filter { text: Some("PACK".into()), ..Filter::default() };
    assert_eq!(world.titles(&filter), ["Unpack", "Pack"]);
    world.task("one two three four five", vec![Edit::Delete]);
    for (text, n) in [("five four three two one", 1), ("one two three four six", 0)] {
        let filter = Filter { text: Some(text.into()), include_deleted: true, ..Filter::default() };
        assert_eq!(world.titles(&filter).len(), n, "{text}");
    }
    let filter = Filter { text: Some("ack".into()), include_deleted: true, ..Filter::default() };
    assert_eq!(world.titles(&filter), ["Pack again", "Unpack", "Pack"]);
}

#[test]
fn the_day_of_an_entry_is_counted_in_the_workspaces_zone() {
    let world = World::new();
    let task = world.task("Stars", vec![]);
    world.clock.set(dormouse_types::Timestamp::from_jiff("2026-01-06T23:30:00Z".parse().unwrap()));
    let said = Edit::AddEntry {
        kind: dormouse_types::task::EntryKind::Text,
        text: Some("Seen on Sunday.".into()),
        transcript: None,
        minutes: None,
        on: Some("2026-01-04".parse().unwrap()),
        tainted: true,
        flags: dormouse_types::task::Flags::NONE,
    };
    now(world.journal.edit(WS, &task, &[Edit::note("Orion."), said], &person())).unwrap();
    let berlin = TimeZone::get("Europe/Berlin").unwrap();
    let state = dormouse_journal::state(&world.view(&task), &berlin);
    let days: Vec<String> = state.entries.iter().map(|entry| entry.on.to_string()).collect();
    assert_eq!(days, ["2026-01-07", "2026-01-04"]);
    assert_eq!(state.entries.iter().map(|entry| entry.tainted).collect::<Vec<_>>(), [false, true]);
}

#[test]
fn the_feed_of_a_task_holds_its_changes_only() {
    let world = World::new();
    let one = world.task("One", vec![]);
    let two = world.task("Two", vec![]);
    world.edit(&one, &[Edit::Estimate(Some(5))]).unwrap();
    let head = world.changes().last().unwrap().seq;
    let query = dormouse_store::change_log::of_task(WS, &one, dormouse_types::Seq(0), head);
    let changes = now(world.store.all(query)).unwrap();
    assert_eq!(changes.len(), 2);
    assert!(
        changes
            .iter()
            .all(|change| change.touched == [one.clone()] && !change.touched.contains(&two))
    );
}
