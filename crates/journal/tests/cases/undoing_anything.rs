use dormouse_journal::{Edit, JournalError, TaskView, state};
use dormouse_types::caller::By;
use dormouse_types::model::TaskState;
use dormouse_types::task::{Flag, LinkKind, Priority, Status};
use dormouse_types::{EntryId, ItemId, LabelId, TaskId, TaskLinkId};
use jiff::tz::TimeZone;
use proptest::prelude::*;

use crate::world::{WS, World, now, person};

/// An edit as two small numbers: which kind, and which of the existing things.
pub type Pick = (u8, u8);

pub fn edit(
    view: &TaskView,
    (labels, others): (&[LabelId], &[TaskId]),
    (kind, n): Pick,
) -> Option<Edit> {
    let of = |len: usize| (len > 0).then(|| usize::from(n) % len);
    let item = || -> Option<ItemId> { Some(view.items[of(view.items.len())?].value.id.clone()) };
    let entry =
        || -> Option<EntryId> { Some(view.entries[of(view.entries.len())?].value.id.clone()) };
    let label = labels[usize::from(n) % labels.len()].clone();
    let yes = n % 2 == 0;
    Some(match kind % 22 {
        0 => Edit::Title(format!("Title {n}")),
        1 => Edit::Status {
            status: Status::ALL[usize::from(n) % Status::ALL.len()],
            reason: (n % 3 > 0).then(|| format!("reason {n}")),
        },
        2 => Edit::Priority(yes.then_some(Priority::P1)),
        3 => Edit::DueOn(yes.then(|| jiff::civil::date(2026, 1, 1 + (n % 28) as i8))),
        4 => Edit::Estimate(yes.then_some(u32::from(n) + 1)),
        5 => Edit::Language { code: yes.then(|| "de".into()) },
        6 | 7 => Edit::AddItem { title: format!("Item {n}"), is_checked: yes, depth: 0 },
        8 => Edit::CheckItem { item: item()?, is_checked: n % 3 == 0 },
        9 => Edit::RenameItem { item: item()?, title: format!("Renamed {n}") },
        10 => Edit::ArchiveItem { item: item()?, is_archived: n % 3 == 0 },
        11 => Edit::RemoveItem(item()?),
        12 => Edit::note(format!("Note {n}")),
        13 => Edit::EditEntry { entry: entry()?, text: Some(format!("Edited {n}")) },
        14 => Edit::DeleteEntry(entry()?),
        15 => Edit::AddLabel(label),
        16 => Edit::RemoveLabel(label),
        17 => Edit::Link {
            to: others[usize::from(n) % others.len()].clone(),
            kind: LinkKind::ALL[usize::from(n) % LinkKind::ALL.len()],
        },
        18 => Edit::Unlink(view.links[of(view.links.len())?].doc.value.id.clone()),
        19 => Edit::Flag { flag: Flag::ALL[usize::from(n) % Flag::ALL.len()], is_set: n % 3 > 0 },
        20 => Edit::FlagEntry {
            entry: entry()?,
            flag: Flag::ALL[usize::from(n) % Flag::ALL.len()],
            is_set: n % 3 > 0,
        },
        _ => {
            if yes {
                Edit::SuppressLabel(label)
            } else {
                Edit::Restore
            }
        }
    })
}

/// What undo restores: values. Who set a field last, and when, changes.
pub fn values(world: &World, task: &TaskId) -> (TaskState, Vec<TaskLinkId>) {
    values_of(world.view(task))
}

pub fn values_of(view: TaskView) -> (TaskState, Vec<TaskLinkId>) {
    let mut state = state(&view, &TimeZone::UTC);
    state.says.clear();
    for item in &mut state.items {
        item.checked_by = By::User;
        item.checked_at = None;
    }
    state.suppressed_labels.sort();
    (state, view.links.into_iter().map(|edge| edge.doc.value.id).collect())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_last_edits_undone_give_the_former_task(
        batches in prop::collection::vec(prop::collection::vec(any::<Pick>(), 1..6), 1..8),
    ) {
        let world = World::new();
        let labels: Vec<LabelId> = ["Home", "Work", "Garden"]
            .iter()
            .map(|name| now(world.journal.ensure_label(WS, name, &person())).unwrap().id)
            .collect();
        let others = ["This", "That"].map(|title| world.task(title, vec![]));
        let task = world.task("Anything", vec![]);
        for batch in batches {
            let before = values(&world, &task);
            let view = world.view(&task);
            let edits: Vec<Edit> =
                batch.into_iter().filter_map(|pick| edit(&view, (&labels, &others), pick)).collect();
            let edited = match world.edit(&task, &edits) {
                Ok(edited) => edited,
                Err(JournalError::Edit(_)) => {
                    prop_assert_eq!(values(&world, &task), before, "a refused edit changes nothing");
                    continue;
                }
                Err(other) => return Err(TestCaseError::fail(other.to_string())),
            };
            let read = world.rendered(&world.view(&task));
            prop_assert_eq!(world.rendered(&edited.view), read, "the answer of {:?}", edits);
            let after = values(&world, &task);
            let undone = now(world.journal.undo(WS, &task, &edited.effects, &person()));
            let undone = undone.map_err(|e| TestCaseError::fail(format!("{e}: {edits:?}")))?;
            prop_assert_eq!(values(&world, &task), before, "undo of {:?}", edits);
            prop_assert_eq!(world.rendered(&undone.view), world.rendered(&world.view(&task)));
            // Undo the undo, so that the sequence continues from the edited state.
            now(world.journal.undo(WS, &task, &undone.effects, &person()))
                .map_err(|e| TestCaseError::fail(format!("redo: {e}: {edits:?}")))?;
            prop_assert_eq!(values(&world, &task), after, "redo of {:?}", edits);
        }
    }
}
