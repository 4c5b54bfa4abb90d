//! Change items: equal ones are open only once, and a verdict applies only to the state it was
//! based on.

use std::time::Duration;

use dormouse_store::Refusal;
use dormouse_store::agent::change_item::{self, Item, OpenItem, State};
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::{AgentId, ChangeSetId, Fingerprint, OperationId, TaskId, hash};

use crate::world::{OTHER_WS, WS, World, at};

each_engine!(
    an_item_comes_back_as_it_was_proposed,
    the_same_proposal_is_open_once_per_task,
    a_decided_proposal_does_not_block_the_same_anew,
    a_verdict_meets_the_state_round_and_fingerprint_that_were_read,
    a_verdict_comes_in_time_or_not_at_all,
    an_item_that_was_never_shown_does_not_age,
    an_undone_item_is_open_again_under_its_new_operation,
    an_undone_item_stays_closed_when_the_same_was_proposed_anew,
    unmoved_guards_state_and_round_and_writes_nothing,
    an_item_moves_on_to_a_later_round_in_the_state_it_has,
    an_item_is_shown_first_once,
    lists_are_of_their_set_task_and_workspace,
);

fn item(world: &World, name: &str) -> Item {
    let (set, task, agent): (ChangeSetId, TaskId, AgentId) = (world.id(), world.id(), world.id());
    Item {
        set,
        index: 1,
        task,
        proposer: agent.into(),
        tool: "set_task_title".into(),
        args: format!(r#"{{"title":"{name}"}}"#),
        fingerprint: Fingerprint(hash::sha256(name).0),
        evidence: Some(r#"{"quote":"call it so"}"#.into()),
        rationale: Some("it has no title".into()),
        change: Some(FieldChange {
            field: FieldRef::Title,
            from: None,
            to: Some(FieldValue::Text { text: name.into() }),
        }),
        before: None,
        state: State::Pending,
        round: 0,
        operation: OperationId(hash::sha256(format!("{name}|0")).0),
        error: None,
        shown_at: None,
        created_at: at(0),
        decided_at: None,
    }
}

/// What a list of open items needs of one.
fn facts(item: &Item) -> OpenItem {
    OpenItem {
        set: item.set.clone(),
        index: item.index,
        task: item.task.clone(),
        proposer: item.proposer.clone(),
        tool: item.tool.clone(),
        state: item.state,
        round: item.round,
        shown_at: item.shown_at,
        created_at: item.created_at,
        has_evidence: item.evidence.is_some(),
    }
}

fn inserted(world: &World, item: Item) -> Item {
    world.agent([change_item::insert(WS, &item)]);
    item
}

fn stored(world: &World, item: &Item) -> Item {
    world.only(change_item::by_index(WS, &item.set, item.index))
}

fn settle(item: &Item, to: State) -> dormouse_store::Op {
    change_item::transition(WS, item, to, None, None, at(50))
}

fn an_item_comes_back_as_it_was_proposed(world: &World) {
    let full = Item { shown_at: Some(at(3)), ..item(world, "full") };
    assert_eq!(stored(world, &inserted(world, full.clone())), full);
    let bare = Item { evidence: None, rationale: None, change: None, ..item(world, "bare") };
    assert_eq!(stored(world, &inserted(world, bare.clone())), bare);
    let older = Item { change: None, before: Some("Lyon".into()), ..item(world, "older") };
    assert_eq!(stored(world, &inserted(world, older.clone())), older);
    for (n, state) in State::ALL.iter().copied().enumerate() {
        let one = Item { state, ..item(world, &format!("state {n}")) };
        assert_eq!(stored(world, &inserted(world, one.clone())), one);
    }
    let same_place = Item { fingerprint: Fingerprint("other".into()), ..full };
    assert_eq!(world.agent_refusal([change_item::insert(WS, &same_place)]), Refusal::Exists);
}

fn the_same_proposal_is_open_once_per_task(world: &World) {
    for state in [State::Pending, State::Deferred, State::Applying] {
        let first = inserted(world, Item { state, ..item(world, state.name()) });
        let again = Item { set: world.id(), state: State::Pending, ..first.clone() };
        assert_eq!(world.agent_refusal([change_item::insert(WS, &again)]), Refusal::Exists);
        inserted(world, Item { task: world.id(), ..again });
    }
}

fn a_decided_proposal_does_not_block_the_same_anew(world: &World) {
    let decided = [State::Confirmed, State::Rejected, State::Retracted, State::Expired];
    for state in decided {
        let first = inserted(world, item(world, state.name()));
        world.agent([settle(&first, state)]);
        assert_eq!(stored(world, &first).state, state);
        let again = inserted(world, Item { set: world.id(), ..first.clone() });
        assert_eq!(stored(world, &again).state, State::Pending);
    }
}

fn a_verdict_meets_the_state_round_and_fingerprint_that_were_read(world: &World) {
    let read = inserted(world, Item { shown_at: Some(at(1)), ..item(world, "a") });
    let wrong = [
        Item { state: State::Deferred, ..read.clone() },
        Item { round: 1, ..read.clone() },
        Item { fingerprint: Fingerprint("another".into()), ..read.clone() },
        Item { index: 2, ..read.clone() },
        Item { set: world.id(), ..read.clone() },
    ];
    for other in &wrong {
        assert_eq!(world.agent_refusal([settle(other, State::Confirmed)]), Refusal::ItemMoved);
    }
    assert_eq!(stored(world, &read), read);

    let op = change_item::transition(WS, &read, State::Applying, Some("why"), None, at(50));
    world.agent([op]);
    let applying = Item {
        state: State::Applying,
        error: Some("why".into()),
        decided_at: Some(at(50)),
        ..read.clone()
    };
    assert_eq!(stored(world, &read), applying);
    let late = settle(&read, State::Rejected);
    assert_eq!(world.agent_refusal([late]), Refusal::ItemMoved, "of two verdicts one counts");
    world.agent([settle(&applying, State::Confirmed)]);
    let confirmed = Item { state: State::Confirmed, error: None, ..applying };
    assert_eq!(stored(world, &read), confirmed);
}

fn a_verdict_comes_in_time_or_not_at_all(world: &World) {
    // An item's age is measured by the writer's clock: this one was first shown long before Monday,
    // and counts as fresh for a thousand years, or not at all.
    let years = |n: u64| Duration::from_secs(n * 365 * 86_400);
    for (fresh_for, accepted) in [(years(1000), true), (years(0), false)] {
        let read = Item { shown_at: Some(at(-1000)), ..item(world, &format!("{fresh_for:?}")) };
        let read = inserted(world, read);
        let op =
            change_item::transition(WS, &read, State::Applying, None, Some(fresh_for), at(2000));
        if accepted {
            world.agent([op]);
            assert_eq!(stored(world, &read).state, State::Applying);
        } else {
            assert_eq!(world.agent_refusal([op]), Refusal::ItemMoved, "{fresh_for:?}");
            assert_eq!(stored(world, &read), read);
        }
    }
}

fn an_item_that_was_never_shown_does_not_age(world: &World) {
    let read = inserted(world, item(world, "a"));
    let fresh_for = Some(Duration::ZERO);
    world.agent([change_item::transition(WS, &read, State::Deferred, None, fresh_for, at(2000))]);
    assert_eq!(stored(world, &read).state, State::Deferred);
}

fn an_undone_item_is_open_again_under_its_new_operation(world: &World) {
    let first = inserted(world, Item { shown_at: Some(at(1)), ..item(world, "a") });
    world.agent([change_item::transition(WS, &first, State::Confirmed, Some("x"), None, at(50))]);
    let confirmed = stored(world, &first);
    let next = OperationId(hash::sha256("a|1").0);
    world.agent([change_item::reopen(WS, &confirmed, 1, &next, at(60))]);
    let expected = Item {
        state: State::Pending,
        round: 1,
        operation: next.clone(),
        error: None,
        shown_at: Some(at(60)),
        decided_at: None,
        ..confirmed.clone()
    };
    assert_eq!(stored(world, &first), expected);

    let twice = change_item::reopen(WS, &confirmed, 1, &next, at(61));
    assert_eq!(world.agent_refusal([twice]), Refusal::ItemMoved);
    let same = Item { set: world.id(), ..item(world, "a") };
    let same = Item { task: first.task.clone(), ..same };
    assert_eq!(world.agent_refusal([change_item::insert(WS, &same)]), Refusal::Exists);
    let old_round = settle(&Item { round: 0, ..expected.clone() }, State::Rejected);
    assert_eq!(world.agent_refusal([old_round]), Refusal::ItemMoved);
    assert_eq!(stored(world, &first), expected);
}

fn an_undone_item_stays_closed_when_the_same_was_proposed_anew(world: &World) {
    let first = inserted(world, item(world, "a"));
    world.agent([settle(&first, State::Rejected)]);
    let rejected = stored(world, &first);
    inserted(world, Item { set: world.id(), ..first.clone() });
    let reopen = change_item::reopen(WS, &rejected, 1, &rejected.operation, at(60));
    assert_eq!(world.agent_refusal([reopen]), Refusal::ItemMoved);
    assert_eq!(stored(world, &first), rejected);
}

fn an_item_moves_on_to_a_later_round_in_the_state_it_has(world: &World) {
    let read = inserted(world, item(world, "a"));
    let next = OperationId(hash::sha256("a|3").0);
    world.agent([change_item::catch_up(WS, &read, 3, &next)]);
    let moved = Item { round: 3, operation: next.clone(), ..read.clone() };
    assert_eq!(stored(world, &read), moved);
    let again = change_item::catch_up(WS, &read, 4, &next);
    assert_eq!(world.agent_refusal([again]), Refusal::ItemMoved);
    assert_eq!(stored(world, &read), moved);
}

fn unmoved_guards_state_and_round_and_writes_nothing(world: &World) {
    let read = inserted(world, item(world, "a"));
    world.agent([change_item::expect_unmoved(WS, &read)]);
    assert_eq!(stored(world, &read), read);
    let moved = [
        Item { state: State::Deferred, ..read.clone() },
        Item { round: 1, ..read.clone() },
        Item { index: 2, ..read.clone() },
    ];
    for other in &moved {
        assert_eq!(
            world.agent_refusal([change_item::expect_unmoved(WS, other)]),
            Refusal::ItemMoved
        );
    }
}

fn an_item_is_shown_first_once(world: &World) {
    let one = inserted(world, item(world, "a"));
    world.agent([change_item::show(WS, &one.set, one.index, at(5))]);
    world.agent([change_item::show(WS, &one.set, one.index, at(9))]);
    assert_eq!(stored(world, &one).shown_at, Some(at(5)));
}

fn lists_are_of_their_set_task_and_workspace(world: &World) {
    let first = inserted(world, Item { created_at: at(2), ..item(world, "a") });
    let second = Item { index: 2, created_at: at(1), ..item(world, "b") };
    let second = Item { set: first.set.clone(), task: first.task.clone(), ..second };
    let second = inserted(world, second);
    let other = Item { evidence: None, shown_at: Some(at(3)), ..item(world, "c") };
    let other = inserted(world, other);
    world.agent([settle(&second, State::Rejected)]);
    let second = stored(world, &second);

    assert_eq!(world.all(change_item::of_set(WS, &first.set)), [first.clone(), second.clone()]);
    assert_eq!(world.all(change_item::of_task(WS, &first.task)), [second, first.clone()]);
    let mut open = [first.clone(), other];
    open.sort_by(|a, b| a.task.cmp(&b.task));
    let open_facts: Vec<OpenItem> = open.iter().map(facts).collect();
    assert_eq!(world.all(change_item::open(WS)), open_facts);
    assert_eq!(world.all(change_item::open(OTHER_WS)), []);
    let tasks: Vec<TaskId> = open.iter().map(|item| item.task.clone()).collect();
    assert_eq!(world.all(change_item::open_among(WS, &tasks)), open_facts);
    assert_eq!(world.all(change_item::open_among(WS, &tasks[..1])), open_facts[..1]);
    assert_eq!(world.all(change_item::open_among(OTHER_WS, &tasks)), []);
    assert_eq!(world.all(change_item::of_set(OTHER_WS, &first.set)), []);
}
