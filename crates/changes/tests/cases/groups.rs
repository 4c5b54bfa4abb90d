//! A follow-up task and what belongs to it: created, moved, linked, and undone together.

use dormouse_changes::{DecideError, set::fold};
use dormouse_journal::{Edit, TaskView};
use dormouse_store::agent::change_item::{Item, State};
use dormouse_store::agent::change_set::DecisionVerdict;
use dormouse_store::change_log;
use dormouse_types::change::What;
use dormouse_types::task::{Flag, LinkDirection, LinkKind};
use dormouse_types::{Seq, TaskId};
use proptest::prelude::*;
use serde_json::json;

use crate::world::{WS, World, now, person, who};

/// A task with three items, the second of them ticked by the person.
fn world() -> World {
    let world = World::new();
    world.edit(&[
        Edit::AddItem { title: "Measure the wall".into(), is_checked: false, depth: 0 },
        Edit::AddItem { title: "Order the tiles".into(), is_checked: false, depth: 0 },
    ]);
    let item = world.state().items[1].id.clone();
    world.edit(&[Edit::CheckItem { item, is_checked: true }]);
    world
}

/// Proposes a task, to which the second and third item move and which blocks this one.
fn propose(world: &World) -> Vec<Item> {
    let items = world.state().items;
    let replies = world.propose(&[
        (
            "create_follow_up_task",
            json!({
                "title": "Tile the bath", "dueDate": "2026-04-01", "priority": "p1",
                "notes": "The old tiles come off first."
            }),
        ),
        (
            "migrate_checklist_items",
            json!({"items": [{"id": items[1].id}, {"id": items[2].id, "to": "$item:1"}]}),
        ),
        ("link_task", json!({"to": "$item:1", "relation": "blocked by"})),
    ]);
    assert!(replies.iter().all(|reply| !reply.refused), "{replies:?}");
    assert!(replies[0].text.contains("$item:1"), "{replies:?}");
    world.items()
}

fn other(world: &World, id: &TaskId) -> TaskView {
    now(world.journal.task(WS, id)).expect("the task is there")
}

/// The task that the first item made.
fn made(world: &World, item: &Item) -> TaskId {
    let applied = now(world.journal.applied(WS, &world.fresh(item).operation)).expect("readable");
    applied.expect("it is applied").task
}

fn states(world: &World) -> Vec<State> {
    world.items().iter().map(|item| item.state).collect()
}

fn what_of(world: &World, task: &TaskId) -> Vec<What> {
    let changes = now(world.store.all(change_log::of_task(WS, task, Seq(0), Seq(i64::MAX))));
    let changes = changes.expect("changes");
    changes.iter().flat_map(|change| change.what_of(task).cloned().collect::<Vec<_>>()).collect()
}

/// Makes the edits of a case.
type EditsOf = fn(&World) -> Vec<Edit>;

#[test]
fn a_follow_up_is_created_linked_and_has_what_moves_into_it_with_its_ticks() {
    let world = world();
    world.edit(&[Edit::Flag { flag: Flag::Private, is_set: true }]);
    let before = world.state().items;
    let items = propose(&world);
    for item in &items {
        assert_eq!(world.confirm(item).map(|item| item.state).ok(), Some(State::Confirmed));
    }
    let id = made(&world, &items[0]);
    let new = other(&world, &id);
    let task = &new.task.value;
    assert_eq!((task.title.as_str(), task.due_on), ("Tile the bath", "2026-04-01".parse().ok()));
    assert!(task.flags.private, "it is as private as the task it follows");
    assert_eq!(new.entries[0].value.says(), "The old tiles come off first.");
    let links: Vec<_> = world.view().links.iter().map(|it| it.doc.value.clone()).collect();
    let is = |kind: LinkKind, from: &TaskId| {
        links.iter().any(|link| link.kind.known() == Some(kind) && link.from_id == *from)
    };
    assert!(is(LinkKind::FollowUpOf, &id) && is(LinkKind::Blocks, &id), "{links:?}");
    assert_eq!(world.titles(), ["Sign the contract"]);
    // The very same items, in their order, ticked by whom and when they were.
    let there = dormouse_journal::state(&new, &jiff::tz::TimeZone::UTC);
    let kept = |item: &dormouse_types::model::Item| {
        (item.id.clone(), item.title.clone(), item.is_checked, item.checked_by, item.checked_at)
    };
    let moved: Vec<_> = there.items.iter().map(kept).collect();
    assert_eq!(moved, before[1..].iter().map(kept).collect::<Vec<_>>());
    let ticked = before[1].id.clone();
    assert_eq!(
        new.say(ticked.clone()),
        world.view().say(ticked),
        "the person ticked it, here and there"
    );
    // One operation, in both histories, each from its side.
    let side = |task: &TaskId| {
        let what = what_of(&world, task);
        what.iter().filter_map(|it| it.moved(task).map(|it| it.0)).collect::<Vec<_>>()
    };
    assert_eq!(side(&world.task), [LinkDirection::Out; 2]);
    assert_eq!(side(&id), [LinkDirection::In; 2]);
}

#[test]
fn a_child_alone_is_refused_and_names_its_parent() {
    let world = world();
    let items = propose(&world);
    let rows = world.rows(dormouse_store::Db::Journal);
    let refused = world.confirm(&items[1]).expect_err("its parent is open");
    assert!(matches!(&refused, DecideError::ParentFirst { parent: 1, index: 2, .. }), "{refused}");
    assert!(refused.to_string().contains("both together"), "{refused}");
    assert_eq!(rows, world.rows(dormouse_store::Db::Journal));
    assert_eq!(states(&world), [State::Pending; 4]);
}

#[test]
fn rejecting_the_parent_rejects_the_children_and_undoing_that_opens_them() {
    let world = world();
    let items = propose(&world);
    world.reject(&items[3], Some("not that")).expect("rejected by itself");
    world.reject(&items[0], Some("I do it here")).expect("rejected");
    assert_eq!(states(&world), [State::Rejected; 4]);
    let child = world.fresh(&items[1]);
    assert!(child.error.as_deref().is_some_and(|why| why.contains("proposal 1")), "{child:?}");
    let reasons: Vec<_> = world
        .decisions()
        .into_iter()
        .filter(|one| one.verdict == DecisionVerdict::Rejected)
        .map(|one| (one.item_index, one.rejection_reason.unwrap_or_default(), one.with_item))
        .collect();
    assert!(reasons.contains(&(2, "I do it here".into(), Some(1))), "{reasons:?}");
    let refused = world.undo(&child).expect_err("its parent is rejected");
    assert!(matches!(refused, DecideError::ParentFirst { .. }), "{refused}");
    world.undo(&items[0]).expect("undone");
    let expected = [State::Pending, State::Pending, State::Pending, State::Rejected];
    assert_eq!(states(&world), expected, "what was rejected by itself stays so");
    for item in &items[..3] {
        world.confirm(item).expect("it can be confirmed again");
    }
}

#[test]
fn a_child_that_fails_stays_open_with_its_reason() {
    let world = world();
    let items = propose(&world);
    world.confirm(&items[0]).expect("created");
    let id = made(&world, &items[0]);
    now(world.journal.edit(WS, &id, &[Edit::Delete], &person())).expect("deleted");
    let refused = world.confirm(&items[1]).expect_err("its task is deleted");
    assert!(matches!(&refused, DecideError::NotApplied { .. }), "{refused}");
    let child = world.fresh(&items[1]);
    assert_eq!(child.state, State::Pending);
    assert!(child.error.is_some_and(|why| why.contains("is deleted")));
    assert_eq!(world.titles().len(), 3, "nothing is lost");
    now(world.journal.edit(WS, &id, &[Edit::Restore], &person())).expect("restored");
    world.confirm(&items[1]).expect("now it can be applied");
    assert_eq!(world.titles().len(), 2);
}

#[test]
fn a_parent_that_can_never_be_applied_takes_its_children_with_it() {
    let world = world();
    world.propose(&[
        ("create_follow_up_task", json!({"title": "Tile the bath"})),
        ("migrate_checklist_items", json!({"items": [{"id": world.first_item()}]})),
    ]);
    let items = world.items();
    world.edit(&[Edit::Title("Tile the bath".into())]);
    assert!(matches!(world.confirm(&items[0]), Err(DecideError::Retracted { .. })));
    assert_eq!(states(&world), [State::Retracted; 2]);
    assert!(matches!(world.confirm(&items[1]), Err(DecideError::Retracted { .. })));
}

#[test]
fn undoing_the_parent_takes_everything_back_and_it_can_be_confirmed_again() {
    let world = world();
    let before = (world.titles(), world.view().links.len());
    let items = propose(&world);
    for item in &items {
        world.confirm(item).expect("confirmed");
    }
    let id = made(&world, &items[0]);
    world.undo(&items[0]).expect("undone");
    assert_eq!(states(&world), [State::Pending; 4]);
    assert_eq!(world.titles(), before.0, "in their order");
    assert!(world.state().items[1].is_checked);
    assert_eq!(world.view().links.len(), before.1);
    assert!(other(&world, &id).deleted_at().is_some());
    assert!(world.decisions().iter().all(|decision| decision.undone_at.is_some()));
    for item in world.items() {
        world.confirm(&item).expect("confirmed again");
    }
    let again = made(&world, &items[0]);
    assert_ne!(again, id);
    assert_eq!(other(&world, &again).items.len(), 2);
}

#[test]
fn a_follow_up_that_somebody_worked_in_is_not_taken_back_and_nothing_changes() {
    let in_it: [(&str, EditsOf); 4] = [
        ("items", |_| {
            vec![Edit::AddItem { title: "Buy grout".into(), is_checked: false, depth: 0 }]
        }),
        ("entries", |_| vec![Edit::note("The tiles came.")]),
        ("renamed", |_| vec![Edit::Title("Tile the bath room".into())]),
        ("linked", |world| vec![Edit::Link { to: world.other_task(), kind: LinkKind::RelatesTo }]),
    ];
    for (word, edits) in in_it {
        let world = world();
        let items = propose(&world);
        for item in &items[..3] {
            world.confirm(item).expect("confirmed");
        }
        let id = made(&world, &items[0]);
        now(world.journal.edit(WS, &id, &edits(&world), &person())).expect("edited");
        let journal = other(&world, &id).revision;
        let refused = world.undo(&items[0]).expect_err("it is in use");
        assert!(matches!(&refused, DecideError::Changed { .. }), "{refused}");
        let why = std::error::Error::source(&refused).expect("why").to_string();
        assert!(why.contains(word), "{why}");
        assert_eq!(other(&world, &id).revision, journal);
        let confirmed = State::Confirmed;
        assert_eq!(states(&world), [confirmed, confirmed, confirmed, State::Pending]);
    }
}

#[test]
fn one_item_goes_back_alone_with_what_was_done_to_it_since() {
    let world = world();
    let items = propose(&world);
    for item in &items[..3] {
        world.confirm(item).expect("confirmed");
    }
    let id = made(&world, &items[0]);
    let moved = other(&world, &id).items[1].value.id.clone();
    let tick = Edit::CheckItem { item: moved.clone(), is_checked: true };
    now(world.journal.edit(WS, &id, &[tick], &person())).expect("ticked");
    world.undo(&items[2]).expect("undone");
    let back = world.state().items;
    assert!(back.iter().any(|item| item.id == moved && item.is_checked), "{back:?}");
    assert_eq!(other(&world, &id).items.len(), 1);
}

#[test]
fn items_move_to_a_task_that_is_there_and_links_of_the_same_kind_are_refused() {
    let world = world();
    let to = world.other_task();
    let missing = format!("jt-{}", "0".repeat(26));
    let item = world
        .open("migrate_checklist_items", json!({"items": [{"id": world.first_item(), "to": to}]}));
    world.confirm(&item).expect("moved");
    assert_eq!(other(&world, &to).items.len(), 1);
    let link = world.open("link_task", json!({"to": to, "relation": "blocks"}));
    world.confirm(&link).expect("linked");
    let said = |tool, args| world.propose(&[(tool, args)]).remove(0);
    let again = said("link_task", json!({"to": to, "relation": "Blocks"}));
    assert!(!again.refused && again.text.contains("already"), "{again:?}");
    for (args, word) in [
        (json!({"to": missing, "relation": "blocks"}), "no task"),
        (json!({"to": world.task, "relation": "blocks"}), "itself"),
        (json!({"to": to, "relation": "likes"}), "unknown relation"),
        (json!({"to": "$item:7", "relation": "blocks"}), "no follow-up"),
        (json!({"to": "tomorrow", "relation": "blocks"}), "give the id"),
    ] {
        let refused = said("link_task", args);
        assert!(refused.refused && refused.text.contains(word), "{refused:?}");
    }
    let id = world.state().items[0].id.clone();
    let nowhere = said("migrate_checklist_items", json!({"items": [{"id": id}]}));
    assert!(nowhere.refused && nowhere.text.contains("to is missing"), "{nowhere:?}");
}

#[test]
fn a_group_survives_a_crash_before_and_after_its_journal_is_written() {
    let world = world();
    let items = propose(&world);
    for (item, label) in [(&items[0], "journal.create"), (&items[1], "journal.edit")] {
        assert!(world.crash_at(label, |world| drop(world.confirm(item))));
        assert_eq!(world.fresh(item).state, State::Applying);
        now(world.changes.recover(WS)).expect("recovered");
        assert_eq!(world.fresh(item).state, State::Confirmed);
    }
    // After the journal, too: what it did is not done again.
    assert!(world.crash_at("change.conclude", |world| drop(world.confirm(&items[2]))));
    now(world.changes.recover(WS)).expect("recovered");
    assert_eq!(other(&world, &made(&world, &items[0])).items.len(), 2);
    for label in ["journal.edit", "change.conclude"] {
        assert!(world.crash_at(label, |world| drop(world.undo(&items[0]))));
        assert_eq!(states(&world)[..3], [State::Confirmed; 3]);
        now(world.changes.recover(WS)).expect("recovered");
        assert_eq!(states(&world), [State::Pending; 4]);
        assert_eq!(world.titles().len(), 3);
        for item in &items[..3] {
            world.confirm(item).expect("confirmed again");
        }
    }
}

#[test]
fn a_child_confirmed_while_its_parent_is_undone_leaves_everything_in_one_place() {
    let world = world();
    let items = propose(&world);
    world.confirm(&items[0]).expect("created");
    let child = items[1].clone();
    world.meanwhile("journal.edit", move |other| {
        now(other.confirm(&who(), &child.set, child.index, Some(&child.fingerprint))).map(drop)
    });
    let refused = world.undo(&items[0]).expect_err("the task has an item now");
    assert!(matches!(refused, DecideError::Changed { .. }), "{refused}");
    let id = made(&world, &items[0]);
    assert_eq!((other(&world, &id).items.len(), world.titles().len()), (1, 2));
    world.undo(&items[0]).expect("with the item this time");
    assert_eq!(world.titles().len(), 3);
}

#[derive(Debug, Clone, Copy)]
enum Act {
    Confirm,
    Reject,
    Defer,
    Undo,
    Recover,
    Crash,
    CrashUndo,
}

fn acts() -> impl Strategy<Value = Vec<(Act, usize)>> {
    let act = prop::sample::select(vec![
        Act::Confirm,
        Act::Confirm,
        Act::Reject,
        Act::Defer,
        Act::Undo,
        Act::Recover,
        Act::Crash,
        Act::CrashUndo,
    ]);
    prop::collection::vec((act, 0..4usize), 1..24)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// Whatever several actors do to a group: the set is the fold of its items, no child is confirmed
    /// without its parent, and each item of the checklist is in exactly one live task.
    #[test]
    fn a_group_is_whole_whatever_is_done_to_it(acts in acts()) {
        let world = world();
        let ids: Vec<_> = world.state().items.iter().map(|item| item.id.clone()).collect();
        let items = propose(&world);
        let mut tasks: Vec<TaskId> = vec![world.task.clone()];
        for (act, place) in acts {
            let item = &items[place];
            match act {
                Act::Confirm => drop(world.confirm(item)),
                Act::Reject => drop(world.reject(item, None)),
                Act::Defer => drop(world.defer(item)),
                Act::Undo => drop(world.undo(item)),
                Act::Recover => drop(now(world.changes.recover(WS)).expect("recovered")),
                Act::Crash => {
                    let labels = ["journal.create", "journal.edit", "change.conclude"];
                    let label = labels[place % labels.len()];
                    world.crash_at(label, |world| drop(world.confirm(item)));
                }
                Act::CrashUndo => {
                    world.crash_at("journal.edit", |world| drop(world.undo(item)));
                }
            }
            now(world.changes.recover(WS)).expect("recovered");
            let stored = world.items();
            prop_assert_eq!(
                world.status_of(&items[0]),
                fold::status(stored.iter().map(|item| &item.state))
            );
            let is_made = stored[0].state == State::Confirmed;
            if is_made {
                let id = made(&world, &items[0]);
                if !tasks.contains(&id) {
                    tasks.push(id);
                }
            }
            prop_assert!(is_made || stored[1..].iter().all(|it| it.state != State::Confirmed));
            if stored[0].state == State::Rejected {
                prop_assert!(stored[1..].iter().all(|item| !item.state.is_open()));
            }
            let live: Vec<TaskView> =
                tasks.iter().map(|id| other(&world, id)).filter(|it| it.deleted_at().is_none()).collect();
            prop_assert_eq!(live.len(), 1 + usize::from(is_made));
            for id in &ids {
                let n = live.iter().flat_map(|it| &it.items).filter(|it| it.value.id == *id).count();
                prop_assert_eq!(n, 1, "item {} after {:?}", id, act);
            }
            for (child, id) in [(&stored[1], &ids[1]), (&stored[2], &ids[2])] {
                let here = live[0].items.iter().any(|item| item.value.id == *id);
                prop_assert_eq!(here, child.state != State::Confirmed);
            }
        }
    }
}
