//! Imports between edits, deletions and restorations by a person, next to a merge of plain values.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_journal::Edit;
use dormouse_types::draft::{Entry, Item, Task};
use dormouse_types::{EntryId, ItemId, TaskId};
use proptest::prelude::*;

use crate::world::{WS, World, now, person};

/// A file: its estimate, the wording and tick of each item, and the wording of each note.
#[derive(Debug, Clone)]
struct File {
    estimate: Option<u32>,
    items: BTreeMap<u8, (u8, bool)>,
    notes: BTreeMap<u8, u8>,
}

#[derive(Debug, Clone)]
enum Step {
    Import(File),
    /// Imports the last file once more.
    Again,
    Estimate(Option<u32>),
    Rename(u8, u8),
    Tick(u8, bool),
    RemoveItem(u8),
    RestoreItem(u8),
    EditNote(u8, u8),
    DeleteNote(u8),
    RestoreNote(u8),
    Delete,
    Restore,
}

const KEYS: u8 = 2;
const WORDINGS: u8 = 3;

fn file() -> impl Strategy<Value = File> {
    (
        prop::option::of(1..3_u32),
        prop::collection::btree_map(0..KEYS, (0..WORDINGS, any::<bool>()), 0..3),
        prop::collection::btree_map(0..KEYS, 0..WORDINGS, 0..3),
    )
        .prop_map(|(estimate, items, notes)| File { estimate, items, notes })
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => file().prop_map(Step::Import),
        2 => Just(Step::Again),
        1 => prop::option::of(1..3_u32).prop_map(Step::Estimate),
        1 => (0..KEYS, 0..WORDINGS).prop_map(|(key, wording)| Step::Rename(key, wording)),
        1 => (0..KEYS, any::<bool>()).prop_map(|(key, tick)| Step::Tick(key, tick)),
        2 => (0..KEYS).prop_map(Step::RemoveItem),
        3 => (0..KEYS).prop_map(Step::RestoreItem),
        1 => (0..KEYS, 0..WORDINGS).prop_map(|(key, wording)| Step::EditNote(key, wording)),
        2 => (0..KEYS).prop_map(Step::DeleteNote),
        3 => (0..KEYS).prop_map(Step::RestoreNote),
        1 => Just(Step::Delete),
        2 => Just(Step::Restore),
    ]
}

fn item_title(key: u8, wording: u8) -> String {
    format!("Item {key} in wording {wording}")
}

fn note_text(key: u8, wording: u8) -> String {
    format!("Note {key} in wording {wording}.")
}

fn draft(file: &File) -> Task {
    let item = |(key, (wording, is_checked)): (&u8, &(u8, bool))| Item {
        key: key.to_string(),
        title: item_title(*key, *wording),
        is_checked: *is_checked,
        depth: 0,
    };
    let note = |(key, wording): (&u8, &u8)| Entry {
        key: key.to_string(),
        text: note_text(*key, *wording),
        ..Entry::default()
    };
    Task {
        key: "k".into(),
        title: "Anything".into(),
        estimate_minutes: file.estimate,
        items: file.items.iter().map(item).collect(),
        entries: file.notes.iter().map(note).collect(),
        ..Task::default()
    }
}

/// What came from a file: the value that it had when it was last compared, and the value here.
#[derive(Debug, Clone, PartialEq)]
struct Part<V> {
    base: V,
    here: V,
    is_deleted: bool,
    /// What the file said when it was last named as deleted here.
    named: Option<V>,
}

/// Takes what the file changed, unless it was changed here too: that is answered.
fn merged<V: PartialEq + Clone>(base: &mut V, here: &mut V, file: &V) -> bool {
    let is_conflict = file != base && file != here && here != base;
    if file != base && here == base {
        here.clone_from(file);
    }
    base.clone_from(file);
    is_conflict
}

impl<V: PartialEq + Clone> Part<V> {
    fn new(value: &V) -> Self {
        Self { base: value.clone(), here: value.clone(), is_deleted: false, named: None }
    }

    /// Whether it is named as deleted here, if it is; what the file says is then not compared.
    fn deleted(&mut self, file: &V) -> Option<bool> {
        if !self.is_deleted {
            self.named = None;
            return None;
        }
        let is_named = self.base != *file && self.named.as_ref() != Some(file);
        self.named = (self.base != *file).then(|| file.clone());
        Some(is_named)
    }
}

/// The task as it has to be.
#[derive(Debug, Clone, Default)]
struct Model {
    is_deleted: bool,
    estimate: (Option<u32>, Option<u32>),
    items: BTreeMap<u8, Part<(u8, bool)>>,
    notes: BTreeMap<u8, Part<u8>>,
    /// The items of the last file.
    listed: BTreeSet<u8>,
}

impl Model {
    /// What the import has to name.
    fn import(&mut self, file: &File) -> BTreeSet<String> {
        let mut kept = BTreeSet::new();
        if self.is_deleted {
            kept.insert("task (deleted in Dormouse)".to_owned());
            return kept;
        }
        if merged(&mut self.estimate.0, &mut self.estimate.1, &file.estimate) {
            kept.insert("estimate".to_owned());
        }
        for (key, value) in &file.items {
            let part = self.items.entry(*key).or_insert_with(|| Part::new(value));
            let title = item_title(*key, part.here.0);
            match part.deleted(value) {
                Some(true) => {
                    kept.insert(format!(
                        "item {} (removed in Dormouse)",
                        item_title(*key, value.0)
                    ));
                }
                Some(false) => {}
                None => {
                    let title_differs = merged(&mut part.base.0, &mut part.here.0, &value.0);
                    let tick_differs = merged(&mut part.base.1, &mut part.here.1, &value.1);
                    if title_differs || tick_differs {
                        kept.insert(format!("item {title}"));
                    }
                }
            }
        }
        for key in self.listed.iter().filter(|key| !file.items.contains_key(key)) {
            let part = &self.items[key];
            if !part.is_deleted {
                let title = item_title(*key, part.here.0);
                kept.insert(format!("item {title} (no longer in the file)"));
            }
        }
        self.listed = file.items.keys().copied().collect();
        for (key, value) in &file.notes {
            let part = self.notes.entry(*key).or_insert_with(|| Part::new(value));
            let here = note_text(*key, part.here);
            match part.deleted(value) {
                Some(true) => {
                    kept.insert(format!(
                        "note \"{}\" (deleted in Dormouse)",
                        note_text(*key, *value)
                    ));
                }
                Some(false) => {}
                None => {
                    if merged(&mut part.base, &mut part.here, value) {
                        kept.insert(format!("note \"{here}\""));
                    }
                }
            }
        }
        kept
    }
}

/// The ids of what came from the file, by its keys.
#[derive(Default)]
struct Ids {
    items: BTreeMap<u8, ItemId>,
    notes: BTreeMap<u8, EntryId>,
}

impl Ids {
    /// Learns the ids of what is new: each has its key in its words.
    fn learn(&mut self, world: &World, task: &TaskId) {
        let view = world.view(task);
        let key = |words: &str| words.split(' ').nth(1).and_then(|key| key.parse().ok());
        for item in view.items.iter().map(|item| &item.value) {
            self.items.entry(key(&item.title).expect("a key")).or_insert_with(|| item.id.clone());
        }
        for note in view.entries.iter().map(|note| &note.value) {
            self.notes.entry(key(note.says()).expect("a key")).or_insert_with(|| note.id.clone());
        }
    }
}

/// The edit of a step, made to the model too. None where there is nothing to edit.
fn edit(model: &mut Model, ids: &Ids, step: &Step) -> Option<Edit> {
    if model.is_deleted && !matches!(step, Step::Restore) {
        return None;
    }
    let live = |part: &&mut Part<(u8, bool)>| !part.is_deleted;
    Some(match step {
        Step::Import(_) | Step::Again => return None,
        Step::Estimate(minutes) => {
            model.estimate.1 = *minutes;
            Edit::Estimate(*minutes)
        }
        Step::Rename(key, wording) => {
            model.items.get_mut(key).filter(live)?.here.0 = *wording;
            Edit::RenameItem { item: ids.items[key].clone(), title: item_title(*key, *wording) }
        }
        Step::Tick(key, is_checked) => {
            model.items.get_mut(key).filter(live)?.here.1 = *is_checked;
            Edit::CheckItem { item: ids.items[key].clone(), is_checked: *is_checked }
        }
        Step::RemoveItem(key) => {
            model.items.get_mut(key).filter(live)?.is_deleted = true;
            Edit::RemoveItem(ids.items[key].clone())
        }
        Step::RestoreItem(key) => {
            model.items.get_mut(key)?.is_deleted = false;
            Edit::RestoreItem(ids.items[key].clone())
        }
        Step::EditNote(key, wording) => {
            model.notes.get_mut(key).filter(|note| !note.is_deleted)?.here = *wording;
            let text = Some(note_text(*key, *wording));
            Edit::EditEntry { entry: ids.notes[key].clone(), text }
        }
        Step::DeleteNote(key) => {
            model.notes.get_mut(key)?.is_deleted = true;
            Edit::DeleteEntry(ids.notes[key].clone())
        }
        Step::RestoreNote(key) => {
            model.notes.get_mut(key)?.is_deleted = false;
            Edit::RestoreEntry(ids.notes[key].clone())
        }
        Step::Delete => {
            model.is_deleted = true;
            Edit::Delete
        }
        Step::Restore => {
            model.is_deleted = false;
            Edit::Restore
        }
    })
}

fn check(first: &File, steps: &[Step]) -> Result<(), TestCaseError> {
    let world = World::new();
    let (mut model, mut ids) = (Model::default(), Ids::default());
    let mut last = first.clone();
    model.import(first);
    let task = now(world.journal.import(WS, "f", &draft(first), &person())).unwrap().task;
    ids.learn(&world, &task);
    for step in steps {
        match step {
            Step::Import(_) | Step::Again => {
                if let Step::Import(file) = step {
                    last = file.clone();
                }
                world.clock.advance(std::time::Duration::from_secs(60));
                let is_deleted = model.is_deleted;
                let expected = model.import(&last);
                let known = now(world.journal.import_known(WS, "f", &[&draft(&last)])).unwrap();
                let done = now(world.journal.import(WS, "f", &draft(&last), &person())).unwrap();
                prop_assert_eq!(&done.task, &task);
                // A deleted task is named where the file changed; what it says stays to be compared.
                if !is_deleted || !done.kept.is_empty() {
                    prop_assert_eq!(&done.kept.iter().cloned().collect::<BTreeSet<_>>(), &expected);
                }
                prop_assert_eq!(&known[0].kept, &done.kept, "the plan says the same");
                if !model.is_deleted {
                    ids.learn(&world, &task);
                }
            }
            step => {
                if let Some(edit) = edit(&mut model, &ids, step) {
                    world.edit(&task, &[edit]).unwrap();
                }
            }
        }
        let view = world.view(&task);
        prop_assert_eq!(view.task.value.estimate_minutes, model.estimate.1);
        let items = view.items.iter().map(|item| &item.value);
        let items: BTreeSet<_> = items.map(|item| (item.title.clone(), item.is_checked)).collect();
        let expected = model.items.iter().filter(|(_, part)| !part.is_deleted);
        let expected: BTreeSet<_> =
            expected.map(|(key, part)| (item_title(*key, part.here.0), part.here.1)).collect();
        prop_assert_eq!((view.items.len(), items), (expected.len(), expected));
        let notes: BTreeSet<_> =
            view.entries.iter().map(|note| note.value.says().to_owned()).collect();
        let expected = model.notes.iter().filter(|(_, part)| !part.is_deleted);
        let expected: BTreeSet<_> =
            expected.map(|(key, part)| note_text(*key, part.here)).collect();
        prop_assert_eq!((view.entries.len(), notes), (expected.len(), expected));
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn imports_merge_what_the_file_and_a_person_changed_and_lose_nothing_without_a_word(
        first in file(),
        steps in prop::collection::vec(step(), 1..14),
    ) {
        check(&first, &steps)?;
    }
}
