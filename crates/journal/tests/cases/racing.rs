use std::cell::{Cell, RefCell};
use std::convert::Infallible;

use dormouse_journal::{Edit, EditCtx, Edited, JournalError, OnceKey, RuleError};
use dormouse_store::journal::fence;
use dormouse_store::{Commit, Db};
use dormouse_types::hash;
use dormouse_types::task::Priority;

use crate::world::{WS, World, agent, now, person};

#[test]
fn a_rule_sees_what_somebody_else_wrote_in_between() {
    let world = World::new();
    let task = world.task("Count", vec![Edit::Estimate(Some(10))]);
    let seen = RefCell::new(Vec::new());
    let rule = |view: &dormouse_journal::TaskView| {
        let minutes = view.task.value.estimate_minutes.unwrap();
        seen.borrow_mut().push(minutes);
        if seen.borrow().len() == 1 {
            world.edit(&task, &[Edit::Estimate(Some(20))]).unwrap();
        }
        Ok::<_, Infallible>(vec![Edit::Estimate(Some(minutes + 1))])
    };
    now(world.journal.edit_with(WS, &task, &person(), &rule)).unwrap();
    assert_eq!(*seen.borrow(), [10, 20]);
    assert_eq!(world.state(&task).estimate_minutes, Some(21));
}

#[test]
fn an_edit_that_others_forestall_gets_its_turn() {
    let world = World::new();
    let task = world.task("Count", vec![]);
    let n = Cell::new(0);
    let rule = |_: &dormouse_journal::TaskView| {
        n.set(n.get() + 1);
        if n.get() <= 20 {
            world.edit(&task, &[Edit::Estimate(Some(n.get()))]).unwrap();
        }
        Ok::<_, Infallible>(vec![Edit::Title("Mine".into())])
    };
    now(world.journal.edit_with(WS, &task, &person(), &rule)).unwrap();
    let state = world.state(&task);
    assert_eq!((state.title.as_str(), state.estimate_minutes), ("Mine", Some(20)));
}

#[test]
fn an_edit_that_is_forestalled_again_and_again_is_a_conflict_and_nothing_is_written() {
    let world = World::new();
    let task = world.task("Count", vec![]);
    let n = Cell::new(0);
    let rule = |_: &dormouse_journal::TaskView| {
        n.set(n.get() + 1);
        world.edit(&task, &[Edit::Estimate(Some(n.get()))]).unwrap();
        Ok::<_, Infallible>(vec![Edit::Title("Mine".into())])
    };
    let error = now(world.journal.edit_with(WS, &task, &person(), &rule)).unwrap_err();
    assert!(matches!(error, RuleError::Journal(JournalError::Conflict { task: t }) if t == task));
    assert_eq!(world.state(&task).title, "Count");
}

#[test]
fn an_expected_revision_is_compared_at_once_and_both_are_named() {
    let world = World::new();
    let task = world.task("Count", vec![]);
    world.edit(&task, &[Edit::Estimate(Some(5))]).unwrap();
    let expecting = |revision| EditCtx { if_match: Some(revision), ..person() };
    let error = world.edit_as(&task, &[Edit::Title("A".into())], &expecting(1)).unwrap_err();
    assert!(matches!(error, JournalError::Precondition { expected: 1, found: 2, .. }), "{error}");
    let edited = world.edit_as(&task, &[Edit::Title("A".into())], &expecting(2)).unwrap();
    assert_eq!(edited.revision, 3);
}

#[test]
fn an_expected_revision_that_moves_during_the_edit_is_refused() {
    let world = World::new();
    let task = world.task("Count", vec![]);
    let ctx = EditCtx { if_match: Some(1), ..person() };
    let rule = |_: &dormouse_journal::TaskView| {
        world.edit(&task, &[Edit::Estimate(Some(9))]).unwrap();
        Ok::<_, Infallible>(vec![Edit::Title("Mine".into())])
    };
    let error = now(world.journal.edit_with(WS, &task, &ctx, &rule)).unwrap_err();
    assert!(matches!(
        error,
        RuleError::Journal(JournalError::Precondition { expected: 1, found: 2, .. })
    ));
}

#[test]
fn the_same_request_gets_the_same_answer_once_also_with_an_expected_revision() {
    let world = World::new();
    let task = world.task("Count", vec![]);
    let once = Some(OnceKey { id: "op-1".into(), request: hash::sha256("p1") });
    let ctx = EditCtx { if_match: Some(1), once, ..person() };
    let edits = [Edit::Priority(Some(Priority::P1)), Edit::note("why")];
    let first = world.edit_as(&task, &edits, &ctx).unwrap();
    let second = world.edit_as(&task, &edits, &ctx).unwrap();
    assert_eq!((first.replayed, second.replayed), (false, true));
    let answer = |edited: &Edited| {
        let Edited { task, revision, seq, what, effects, made, .. } = edited.clone();
        (task, revision, seq, what, effects, made)
    };
    assert_eq!(answer(&second), answer(&first));
    assert_eq!(world.rendered(&second.view), world.rendered(&world.view(&task)));
    assert_eq!(world.view(&task).entries.len(), 1);

    let once = Some(OnceKey { id: "op-1".into(), request: hash::sha256("p2") });
    let error = world.edit_as(&task, &edits, &EditCtx { once, ..person() }).unwrap_err();
    assert!(matches!(error, JournalError::Reused { .. }), "{error}");
}

#[test]
fn a_request_that_changed_nothing_changes_nothing_later_either() {
    let world = World::new();
    let task = world.task("Count", vec![Edit::Estimate(Some(5))]);
    let once = Some(OnceKey { id: "op-1".into(), request: hash::sha256("e5") });
    let ctx = EditCtx { once, ..person() };
    let first = world.edit_as(&task, &[Edit::Estimate(Some(5))], &ctx).unwrap();
    assert_eq!((first.revision, first.what.len()), (1, 0));
    world.edit(&task, &[Edit::Estimate(Some(60))]).unwrap();
    let again = world.edit_as(&task, &[Edit::Estimate(Some(5))], &ctx).unwrap();
    assert!(again.replayed);
    assert_eq!(world.state(&task).estimate_minutes, Some(60));
}

#[test]
fn a_stale_owner_is_refused_by_the_fence() {
    let world = World::new();
    let task = world.task("Count", vec![]);
    let at = |epoch| EditCtx { fence: Some(("ag-1".into(), epoch)), ..agent() };
    let code = |code: &str| [Edit::Language { code: Some(code.into()) }];
    world.edit_as(&task, &code("en"), &at(2)).unwrap();
    let raise = Commit::new("fence.raise", Db::Journal, WS).ops(fence::pass(WS, "ag-1", 3));
    now(world.store.commit(raise)).unwrap();
    let error = world.edit_as(&task, &code("de"), &at(2)).unwrap_err();
    assert!(matches!(&error, JournalError::Fenced { epoch: 2, .. }), "{error}");
    world.edit_as(&task, &code("fr"), &at(3)).unwrap();
    assert_eq!(world.state(&task).language.as_deref(), Some("fr"));
}

/// A rule that refuses because it finds its own effect.
#[derive(Debug, thiserror::Error)]
#[error("it is done already")]
struct Done;

/// The same request is sent twice. The other one is applied after this one's receipt was looked up
/// and before its task is read, so this one's rule refuses.
fn overtaken_by_itself(world: &World, hides: bool) -> Result<Edited, RuleError<Done>> {
    let task = world.task("Count", vec![]);
    let once = Some(OnceKey { id: "op-1".into(), request: hash::sha256("p1") });
    let ctx = EditCtx { once, ..person() };
    let rule = |_: &dormouse_journal::TaskView| {
        world.edit_as(&task, &[Edit::Estimate(Some(30))], &ctx).unwrap();
        world.engine.hide_receipts(hides);
        Err(Done)
    };
    let result = now(world.journal.edit_with(WS, &task, &ctx, &rule));
    world.engine.hide_receipts(false);
    assert_eq!(world.state(&task).estimate_minutes, Some(30));
    result
}

#[test]
fn a_request_whose_rule_finds_its_own_effect_is_answered_with_it() {
    let edited = overtaken_by_itself(&World::new(), false).unwrap();
    assert!(edited.replayed, "{edited:?}");
    assert_eq!(edited.revision, 2);
}

#[test]
fn a_receipt_that_cannot_be_read_is_the_answer_and_not_what_the_rule_refused() {
    let error = overtaken_by_itself(&World::new(), true).unwrap_err();
    let RuleError::Journal(JournalError::Read(error)) = error else {
        panic!("nobody knows yet whether it was applied: {error}");
    };
    assert!(error.to_string().contains("the disk is away"), "{error}");
}
