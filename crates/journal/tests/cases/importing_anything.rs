use std::collections::BTreeMap;

use dormouse_journal::{Edit, Outcome};
use dormouse_types::draft::{Entry, Item, Task};
use dormouse_types::task::Priority;
use proptest::prelude::*;

use crate::world::{WS, World, now, person};

/// One state of a file: items by key with the number of their wording, entries likewise.
#[derive(Debug, Clone)]
struct File {
    priority: Option<u8>,
    estimate: Option<u32>,
    items: BTreeMap<u8, (u8, bool)>,
    entries: BTreeMap<u8, u8>,
}

fn file() -> impl Strategy<Value = File> {
    (
        prop::option::of(0..4u8),
        prop::option::of(1..9u32),
        prop::collection::btree_map(0..5u8, (0..3u8, any::<bool>()), 0..5),
        prop::collection::btree_map(0..4u8, 0..3u8, 0..4),
    )
        .prop_map(|(priority, estimate, items, entries)| File {
            priority,
            estimate,
            items,
            entries,
        })
}

fn draft(file: &File) -> Task {
    Task {
        key: "k".into(),
        title: "Anything".into(),
        priority: file
            .priority
            .map(|n| [Priority::P0, Priority::P1, Priority::P2, Priority::P3][usize::from(n)]),
        estimate_minutes: file.estimate,
        items: file
            .items
            .iter()
            .map(|(key, (wording, is_checked))| Item {
                key: key.to_string(),
                title: item_title(*key, *wording),
                is_checked: *is_checked,
                depth: 0,
                lines: 0..0,
            })
            .collect(),
        entries: file
            .entries
            .iter()
            .map(|(key, wording)| Entry {
                key: key.to_string(),
                text: entry_text(*key, *wording),
                ..Entry::default()
            })
            .collect(),
        ..Task::default()
    }
}

fn item_title(key: u8, wording: u8) -> String {
    format!("Item {key} in wording {wording}")
}

fn entry_text(key: u8, wording: u8) -> String {
    format!("Entry {key} in wording {wording}.")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_task_nobody_touches_follows_its_file_and_loses_nothing(
        files in prop::collection::vec(file(), 1..6),
    ) {
        let world = World::new();
        let mut n_lines = (0, 0);
        for file in &files {
            let draft = draft(file);
            let imported = now(world.journal.import(WS, "f", &draft, &person())).unwrap();
            // What left the file stays, and is no value that was changed here.
            let is_gone = |part: &&String| part.ends_with("(no longer in the file)");
            prop_assert_eq!(imported.kept.iter().find(|part| !is_gone(part)), None);
            let state = world.state(&imported.task);
            prop_assert_eq!(state.priority, draft.priority);
            prop_assert_eq!(state.estimate_minutes, draft.estimate_minutes);
            for item in &draft.items {
                let found = state.items.iter().filter(|found| found.title == item.title);
                let ticks: Vec<bool> = found.map(|found| found.is_checked).collect();
                prop_assert_eq!(ticks, vec![item.is_checked], "{}", item.title);
            }
            for entry in &draft.entries {
                let found = state.entries.iter().filter(|found| found.text == entry.text);
                prop_assert_eq!(found.count(), 1, "{}", entry.text);
            }
            let now_lines = (state.items.len(), state.entries.len());
            prop_assert!(now_lines.0 >= n_lines.0 && now_lines.1 >= n_lines.1);
            n_lines = now_lines;

            let n_changes = world.changes().len();
            let again = now(world.journal.import(WS, "f", &draft, &person())).unwrap();
            prop_assert_eq!(again.outcome, Outcome::Unchanged);
            prop_assert_eq!(world.changes().len(), n_changes);
        }
    }

    #[test]
    fn what_the_person_ticked_and_ranked_outlives_every_later_file(
        first in file(),
        later in prop::collection::vec(file(), 1..5),
    ) {
        let mut first = first;
        first.items.insert(0, (0, false));
        first.priority = Some(1);
        let world = World::new();
        let task = now(world.journal.import(WS, "f", &draft(&first), &person())).unwrap().task;
        let own = world.ids_of_items(&task).remove(0);
        world.edit(&task, &[
            Edit::CheckItem { item: own.clone(), is_checked: true },
            Edit::RenameItem { item: own.clone(), title: "My own words".into() },
            Edit::Priority(None),
        ]).unwrap();
        for mut file in later {
            // The file keeps differing: the item has another wording, the priority is one of 0-3.
            file.items.insert(0, (2, false));
            file.priority = file.priority.or(Some(3));
            now(world.journal.import(WS, "f", &draft(&file), &person())).unwrap();
            let state = world.state(&task);
            let item = state.items.iter().find(|item| item.id == own).unwrap();
            prop_assert_eq!((item.title.as_str(), item.is_checked), ("My own words", true));
            prop_assert_eq!(state.priority, None);
        }
    }
}
