use dormouse_journal::{Edit, EditError, JournalError};
use dormouse_types::limits::{self, Limit};
use dormouse_types::task::Status;

use crate::world::{WS, World, now, person};

/// Accepts the value at the limit and one below; refuses one above and names the limit.
fn check(limit: Limit, edit: impl Fn(usize) -> Edit) {
    for (size, accepted) in [(limit.max - 1, true), (limit.max, true), (limit.max + 1, false)] {
        let world = World::new();
        let task = world.task("Limits", vec![]);
        match world.edit(&task, &[edit(size)]) {
            Ok(_) => assert!(accepted, "{} {size} was accepted", limit.name),
            Err(JournalError::Edit(EditError::Beyond { beyond, .. })) => {
                assert!(!accepted, "{} {size} was refused", limit.name);
                assert_eq!((beyond.limit, beyond.actual), (limit, size));
            }
            Err(JournalError::Edit(EditError::Minutes { given, max, .. })) => {
                assert!(!accepted, "{} {size} was refused", limit.name);
                assert_eq!((given as usize, max), (size, limit.max));
            }
            Err(other) => panic!("{} {size}: {other}", limit.name),
        }
    }
}

#[test]
fn texts_and_numbers_are_accepted_up_to_their_limit() {
    check(limits::TITLE, |n| Edit::Title("ä".repeat(n)));
    check(limits::ENTRY_TEXT, |n| Edit::note("a".repeat(n)));
    check(limits::ITEM_TITLE, |n| Edit::AddItem {
        title: "ß".repeat(n),
        is_checked: false,
        depth: 0,
    });
    check(limits::REASON, |n| Edit::Status {
        status: Status::Blocked,
        reason: Some("r".repeat(n)),
    });
    check(limits::ESTIMATE, |n| Edit::Estimate(Some(u32::try_from(n).unwrap())));
}

#[test]
fn a_task_takes_so_many_items_and_no_more() {
    let max = limits::ITEMS_PER_TASK.max;
    let item = |n: usize| Edit::AddItem { title: format!("Item {n}"), is_checked: false, depth: 0 };
    let world = World::new();
    let task = world.task("Many", (0..max).map(item).collect());
    let error = world.edit(&task, &[item(max)]).unwrap_err();
    assert!(error.to_string().contains("500"), "{error}");
    assert_eq!(world.view(&task).items.len(), max);
}

#[test]
fn a_task_takes_so_many_labels_and_no_more() {
    let max = limits::LABELS_PER_TASK.max;
    let world = World::new();
    let labels: Vec<_> = (0..=max)
        .map(|n| now(world.journal.ensure_label(WS, &format!("L{n}"), &person())).unwrap().id)
        .collect();
    let edits = labels[..max].iter().cloned().map(Edit::AddLabel).collect();
    let task = world.task("Many", edits);
    let error = world.edit(&task, &[Edit::AddLabel(labels[max].clone())]).unwrap_err();
    assert!(error.to_string().contains("50"), "{error}");
}

#[test]
fn what_says_nothing_is_refused() {
    let world = World::new();
    let task = world.task("Empty", vec![]);
    let empty = [
        Edit::Title(" \n".into()),
        Edit::AddItem { title: "\t".into(), is_checked: false, depth: 0 },
        Edit::note("  "),
        Edit::Estimate(Some(0)),
        Edit::Language { code: Some("xx".into()) },
    ];
    for edit in empty {
        let error = world.edit(&task, std::slice::from_ref(&edit)).unwrap_err();
        assert!(matches!(error, JournalError::Edit(_)), "{edit:?}: {error}");
    }
    assert_eq!(world.view(&task).revision, 1);
}
