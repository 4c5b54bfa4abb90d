//! Links between tasks: the rules, what both tasks learn, and undo.

use std::cell::Cell;

use dormouse_journal::{Edit, EditError, Edited, JournalError};
use dormouse_types::change::What;
use dormouse_types::limits;
use dormouse_types::task::LinkKind;
use dormouse_types::{Id as _, Origin, TaskId, TaskLinkId};

use crate::world::{WS, World, now, person};

fn link(kind: LinkKind, to: &TaskId) -> Edit {
    Edit::Link { to: to.clone(), kind }
}

fn blocks(to: &TaskId) -> Edit {
    link(LinkKind::Blocks, to)
}

fn made(edited: &Edited) -> TaskLinkId {
    edited.made.last().expect("a link was created").parse().expect("its id")
}

/// The links of a task that a person sees: kind, whether it leaves the task, title of the other
/// task.
fn rendered(world: &World, task: &TaskId) -> Vec<(String, bool, String)> {
    let view = world.view(task);
    view.shown_links()
        .map(|edge| {
            let leaves = edge.doc.value.from_id == *task;
            (edge.doc.value.kind.name().to_owned(), leaves, edge.other.title.clone())
        })
        .collect()
}

fn refused(result: Result<Edited, JournalError>) -> EditError {
    match result {
        Err(JournalError::Edit(error)) => error,
        other => panic!("it is refused by a rule: {other:?}"),
    }
}

fn revisions(world: &World, tasks: &[&TaskId]) -> Vec<i64> {
    tasks.iter().map(|task| world.view(task).revision).collect()
}

#[test]
fn a_link_is_one_thing_of_two_tasks_and_moves_both() {
    let world = World::new();
    let (fence, gate) = (world.task("Fence", vec![]), world.task("Gate", vec![]));
    let edited = world.edit(&fence, &[blocks(&gate)]).unwrap();
    assert_eq!(rendered(&world, &fence), [("blocks".into(), true, "Gate".into())]);
    assert_eq!(rendered(&world, &gate), [("blocks".into(), false, "Fence".into())]);
    assert_eq!(revisions(&world, &[&fence, &gate]), [2, 2]);
    let updated = |task| world.view(task).task.value.updated_at;
    assert_eq!(updated(&fence), updated(&gate));

    let change = world.changes().pop().unwrap();
    assert_eq!(change.touched, [fence.clone(), gate.clone()]);
    let news = What::LinkAdded {
        link: made(&edited),
        kind: LinkKind::Blocks.into(),
        from: fence.clone(),
        from_title: "Fence".into(),
        to: gate.clone(),
        to_title: "Gate".into(),
    };
    assert_eq!(change.what, [news]);
    let touched = "SELECT task_id FROM touched_tasks WHERE ws = ?1 AND task_id = ?2";
    assert_eq!(world.texts(touched, gate.as_str()).len(), 2, "its delta holds the change");

    // The link can also be removed from its other end.
    world.edit(&gate, &[Edit::Unlink(made(&edited))]).unwrap();
    assert_eq!((rendered(&world, &fence), rendered(&world, &gate)), (vec![], vec![]));
    assert_eq!(revisions(&world, &[&fence, &gate]), [3, 3]);
    let change = world.changes().pop().unwrap();
    assert_eq!(change.touched, [gate.clone(), fence.clone()]);
    assert!(matches!(&change.what[..], [What::LinkRemoved { from, .. }] if *from == fence));
    let again = world.edit(&gate, &[Edit::Unlink(made(&edited))]).unwrap();
    assert_eq!(again.seq, None, "removing it again changes nothing");
}

#[test]
fn what_else_an_edit_did_concerns_its_own_task_alone() {
    let world = World::new();
    let (a, b) = (world.task("A", vec![]), world.task("B", vec![]));
    world.edit(&a, &[Edit::Title("Aa".into()), blocks(&b)]).unwrap();
    let change = world.changes().pop().unwrap();
    assert_eq!(change.what_of(&a).count(), 2);
    let of_b: Vec<&What> = change.what_of(&b).collect();
    let [What::LinkAdded { from_title, to_title, .. }] = of_b[..] else { panic!("{of_b:?}") };
    assert_eq!((from_title.as_str(), to_title.as_str()), ("Aa", "B"));
}

#[test]
fn a_link_needs_another_live_task_and_is_there_once() {
    let world = World::new();
    let (a, b) = (world.task("A", vec![]), world.task("B", vec![]));
    let nobody: TaskId = format!("jt-{}", "0".repeat(26)).parse().unwrap();
    let error = refused(world.edit(&a, &[blocks(&a)]));
    assert_eq!(error, EditError::ToItself { task: a.clone() });
    let error = refused(world.edit(&a, &[blocks(&nobody)]));
    assert_eq!(error, EditError::NoOtherTask { task: nobody });

    let first = made(&world.edit(&a, &[blocks(&b)]).unwrap());
    let error = refused(world.edit(&a, &[blocks(&b)]));
    assert_eq!(error, EditError::LinkExists { task: b.clone(), link: first });
    // The reverse link has a different meaning.
    world.edit(&b, &[blocks(&a)]).unwrap();
    let same = made(&world.edit(&a, &[link(LinkKind::RelatesTo, &b)]).unwrap());
    let error = refused(world.edit(&b, &[link(LinkKind::RelatesTo, &a)]));
    assert_eq!(error, EditError::LinkExists { task: a.clone(), link: same });
    let twice = [link(LinkKind::PartOf, &b), link(LinkKind::PartOf, &b)];
    assert!(matches!(refused(world.edit(&a, &twice)), EditError::LinkExists { .. }));
    assert_eq!(rendered(&world, &a).len(), 3);

    let gone = world.task("Gone", vec![]);
    world.edit(&gone, &[Edit::Delete]).unwrap();
    let error = refused(world.edit(&a, &[blocks(&gone)]));
    assert_eq!(error, EditError::OtherDeleted { task: gone });
}

#[test]
fn a_link_of_others_is_not_removed() {
    let world = World::new();
    let (a, b, c) = (world.task("A", vec![]), world.task("B", vec![]), world.task("C", vec![]));
    let link = made(&world.edit(&a, &[blocks(&b)]).unwrap());
    for edit in [Edit::Unlink(link.clone()), Edit::RestoreLink(link.clone())] {
        let error = refused(world.edit(&c, &[edit]));
        assert_eq!(error, EditError::NoLink { task: c.clone(), link: link.clone() });
    }
    world.edit(&b, &[Edit::Unlink(link.clone())]).unwrap();
    let error = refused(world.edit(&c, &[Edit::RestoreLink(link.clone())]));
    assert_eq!(error, EditError::NoLink { task: c, link });
}

#[test]
fn both_tasks_of_a_link_have_room_for_it() {
    let world = World::new();
    let max = limits::LINKS_PER_TASK.max;
    let hub = world.task("Hub", vec![]);
    let others: Vec<TaskId> = (0..=max).map(|n| world.task(&format!("T{n}"), vec![])).collect();
    let edits: Vec<Edit> = others[..max].iter().map(blocks).collect();
    let error = refused(world.edit(&hub, &[edits.clone(), vec![blocks(&others[max])]].concat()));
    assert!(matches!(&error, EditError::Beyond { field: "links", .. }), "{error}");
    world.edit(&hub, &edits).unwrap();
    let error = refused(world.edit(&others[max], &[blocks(&hub)]));
    assert!(
        matches!(&error, EditError::Beyond { field: "links of the other task", .. }),
        "{error}"
    );
    let first = world.view(&hub).links[0].doc.value.id.clone();
    world.edit(&hub, &[Edit::Unlink(first)]).unwrap();
    world.edit(&others[max], &[blocks(&hub)]).unwrap();
    assert_eq!(rendered(&world, &hub).len(), max);
}

#[test]
fn a_link_is_removed_and_made_again_in_one_edit() {
    let world = World::new();
    let (a, b) = (world.task("A", vec![]), world.task("B", vec![]));
    let first = made(&world.edit(&a, &[blocks(&b)]).unwrap());
    let edited = world.edit(&a, &[Edit::Unlink(first.clone()), blocks(&b)]).unwrap();
    assert_ne!(made(&edited), first);
    assert_eq!(rendered(&world, &b), [("blocks".into(), false, "A".into())]);
    assert_eq!(revisions(&world, &[&a, &b]), [3, 3]);
    now(world.journal.undo(WS, &a, &edited.effects, &person())).unwrap();
    assert_eq!(world.view(&b).links[0].doc.value.id, first);
}

#[test]
fn links_are_hidden_while_one_of_their_tasks_is_deleted() {
    let world = World::new();
    let (a, b) = (world.task("A", vec![]), world.task("B", vec![]));
    let link = made(&world.edit(&a, &[blocks(&b)]).unwrap());
    world.edit(&b, &[Edit::Delete]).unwrap();
    assert_eq!((rendered(&world, &a), rendered(&world, &b)), (vec![], vec![]));
    world.edit(&b, &[Edit::Restore]).unwrap();
    assert_eq!((rendered(&world, &a).len(), rendered(&world, &b).len()), (1, 1));

    // A hidden link can still be removed.
    world.edit(&b, &[Edit::Delete]).unwrap();
    world.edit(&a, &[Edit::Unlink(link.clone())]).unwrap();
    let error = refused(world.edit(&a, &[Edit::RestoreLink(link)]));
    assert_eq!(error, EditError::OtherDeleted { task: b.clone() });
    world.edit(&b, &[Edit::Restore]).unwrap();
    assert_eq!(rendered(&world, &a), []);
}

#[test]
fn making_and_taking_away_are_undone_from_either_end() {
    let world = World::new();
    let (a, b) = (world.task("A", vec![]), world.task("B", vec![]));
    let edited = world.edit(&a, &[blocks(&b)]).unwrap();
    let undo = |task: &TaskId, edited: &Edited| {
        now(world.journal.undo(WS, task, &edited.effects, &person()))
    };
    let undone = undo(&a, &edited).unwrap();
    assert_eq!(rendered(&world, &b), []);
    undo(&a, &undone).unwrap();
    assert_eq!(rendered(&world, &b), [("blocks".into(), false, "A".into())]);
    assert_eq!(world.view(&b).links[0].doc.value.id, made(&edited), "it is the same link");

    let removed = world.edit(&b, &[Edit::Unlink(made(&edited))]).unwrap();
    world.edit(&a, &[blocks(&b)]).unwrap();
    let error = undo(&b, &removed).unwrap_err();
    assert!(matches!(&error, JournalError::Edit(EditError::LinkExists { .. })), "{error}");
    let error = undo(&a, &edited).unwrap_err();
    let message =
        format!("link:{} cannot be undone: it was set to there and is now gone", made(&edited));
    assert_eq!(error.to_string(), message);
}

#[test]
fn a_link_is_decided_again_when_the_other_task_moved_meanwhile() {
    let world = World::new();
    let (a, b) = (world.task("A", vec![]), world.task("B", vec![]));
    let tries = Cell::new(0);
    let rule = |_: &dormouse_journal::TaskView| {
        tries.set(tries.get() + 1);
        Ok::<_, std::convert::Infallible>(vec![blocks(&b)])
    };
    // The other task is edited between reading and writing in the first attempt.
    let (journal, other) = (world.journal.clone(), b.clone());
    world.engine.before_next_commit(move || {
        let title = [Edit::Title("Bb".into())];
        now(journal.edit(WS, &other, &title, &person())).map(drop).unwrap();
    });
    let edited = now(world.journal.edit_with(WS, &a, &person(), &rule)).unwrap();
    assert_eq!((tries.get(), edited.revision), (2, 2));
    assert_eq!(revisions(&world, &[&a, &b]), [2, 3]);
    assert_eq!(world.view(&b).task.value.title, "Bb", "nothing is overwritten");
}

#[test]
fn a_change_names_the_tasks_one_link_away() {
    let world = World::new();
    let [a, b, c, d, far] = ["A", "B", "C", "D", "Far"].map(|title| world.task(title, vec![]));
    world.edit(&a, &[blocks(&b)]).unwrap();
    let ab = made(&world.edit(&c, &[link(LinkKind::PartOf, &a)]).unwrap());
    world.edit(&c, &[blocks(&far)]).unwrap();
    let neighbours = || {
        let mut near = world.changes().pop().unwrap().neighbours;
        near.sort();
        near
    };
    world.edit(&a, &[Edit::note("Hello")]).unwrap();
    assert_eq!(neighbours(), [b.clone(), c.clone()]);
    world.edit(&far, &[Edit::note("Hello")]).unwrap();
    assert_eq!(neighbours(), std::slice::from_ref(&c));
    // A link touches both of its tasks, so the neighbours of either are near.
    world.edit(&d, &[blocks(&a)]).unwrap();
    assert_eq!(neighbours(), [b.clone(), c.clone()]);
    world.edit(&a, &[Edit::Unlink(ab)]).unwrap();
    assert_eq!(neighbours(), [b.clone(), d.clone(), far]);
    world.edit(&b, &[Edit::Delete]).unwrap();
    assert_eq!(neighbours(), std::slice::from_ref(&a), "they see less than before");
    world.edit(&a, &[Edit::note("Hello")]).unwrap();
    assert_eq!(neighbours(), [d], "a deleted task is not a neighbour");
}

#[test]
fn a_new_task_can_be_linked_in_the_commit_that_makes_it() {
    let world = World::new();
    let old = world.task("Old", vec![]);
    let new = world.task("New", vec![link(LinkKind::FollowUpOf, &old)]);
    assert_eq!(rendered(&world, &old), [("followUpOf".into(), false, "New".into())]);
    let change = world.changes().pop().unwrap();
    assert_eq!((change.touched, change.origin), (vec![new, old], Origin::Person { via: None }));
}
