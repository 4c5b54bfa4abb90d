//! Conversations: turns are counted and never change, a run says its result once, and no link dangles.

use dormouse_store::agent::conversation::{self, Conversation, NewTurn, TaskRef, Turn};
use dormouse_store::agent::source::Source;
use dormouse_store::agent::work::definition::{self, Definition};
use dormouse_store::{Op, Refusal};
use dormouse_types::conversation::{ConversationKind, SCHEDULED_EVENTS, TaskAction, TurnRole};
use dormouse_types::work::{
    CatchUp, Overlap, WorkCreator, WorkSource, WorkState, WorkStatus, WorkType,
};
use dormouse_types::{ConversationId, Timestamp, WorkId, WorkRunId};

use crate::world::{OTHER_WS, WS, World, at};

each_engine!(
    a_turn_is_read_as_it_was_added_and_counted,
    the_conversation_of_scheduled_work_and_that_of_a_piece_of_work_are_one,
    a_run_says_its_result_once,
    a_turn_refers_only_to_work_that_is_there,
    a_link_goes_with_the_work,
    a_link_goes_with_the_conversation,
    the_newest_turn_comes_first,
);

fn begun(world: &World, title: &str) -> Conversation {
    let (id, kind) = (world.id(), ConversationKind::Begun);
    let (work, title) = (None, title.to_owned());
    Conversation { id, kind, work, title, n_turns: 0, created_at: at(1), updated_at: at(1) }
}

fn scheduled() -> Conversation {
    Conversation {
        id: ConversationId::of_scheduled_events(),
        kind: ConversationKind::ScheduledEvents,
        work: None,
        title: SCHEDULED_EVENTS.into(),
        n_turns: 0,
        created_at: at(1),
        updated_at: at(1),
    }
}

fn says(content: &str, when: Timestamp) -> NewTurn {
    NewTurn {
        role: TurnRole::User,
        title: None,
        content: content.into(),
        task_ref: None,
        run: None,
        sources: Vec::new(),
        at: when,
    }
}

fn completed(work: &WorkId, run: &WorkRunId, content: &str) -> NewTurn {
    NewTurn {
        role: TurnRole::Assistant,
        title: Some("News".into()),
        task_ref: Some(TaskRef { work: work.clone(), action: TaskAction::Completed }),
        run: Some((run.clone(), 3)),
        sources: vec![Source::Unknown],
        ..says(content, at(5))
    }
}

/// Work that was begun in a conversation.
fn work(world: &World, source_ref: Option<&ConversationId>) -> Definition {
    Definition {
        id: world.id(),
        kind: WorkType::Immediate,
        source: WorkSource::Conversation,
        source_ref: source_ref.map(ToString::to_string),
        title: "Compare prices".into(),
        version: 1,
        state: WorkState::Active,
        session: world.id(),
        recurrence: None,
        schedule: None,
        schedule_words: None,
        catch_up: CatchUp::Once,
        catch_up_hours: 24,
        paused_with_all: false,
        overlap: Overlap::Queue,
        model: None,
        template: None,
        built_in: None,
        position: None,
        next_due_at: None,
        n_runs: 0,
        status: WorkStatus::Pending,
        run_state: None,
        latest_run: None,
        revision: 1,
        created_by: WorkCreator::User,
        created_at: at(1),
        updated_at: at(1),
        deleted_at: None,
    }
}

fn turns(world: &World, id: &ConversationId) -> Vec<Turn> {
    let turns = world.all(conversation::turns_from(WS, id, 1, 100));
    turns.into_iter().map(|(_, turn)| turn.expect("readable")).collect()
}

fn a_turn_is_read_as_it_was_added_and_counted(world: &World) {
    let (one, definition) = (begun(world, "Tiles"), work(world, None));
    let run: WorkRunId = world.id();
    world.agent([conversation::insert(WS, &one), definition::insert(WS, &definition)]);
    assert_eq!(world.agent_refusal([conversation::insert(WS, &one)]), Refusal::Exists);
    let (first, second) = (says("Which is cheaper?", at(4)), completed(&definition.id, &run, "38"));
    for turn in [&first, &second] {
        world.agent(conversation::add_turn(WS, &one.id, turn));
    }
    let expected = |n, message: &NewTurn, title: Option<&str>| Turn {
        conversation: one.id.clone(),
        n,
        message: message.clone(),
        task_title: title.map(ToOwned::to_owned),
    };
    let expected = [expected(1, &first, None), expected(2, &second, Some("Compare prices"))];
    assert_eq!(turns(world, &one.id), expected);
    let read = world.first(conversation::by_id(WS, &one.id)).expect("it is there");
    assert_eq!(read, Conversation { n_turns: 2, updated_at: at(5), ..one.clone() });
    let newest = world.all(conversation::turns_before(WS, &one.id, i64::MAX, 1));
    assert_eq!(newest, [(2, Ok(expected[1].clone()))]);
    let last = world.all(conversation::last_turns(WS, std::slice::from_ref(&one.id)));
    assert_eq!(last, newest);
    let earlier = world.all(conversation::turns_before(WS, &one.id, 2, 9));
    assert_eq!(earlier, [(1, Ok(expected[0].clone()))]);
    assert!(world.first(conversation::by_id(OTHER_WS, &one.id)).is_none());
    assert!(world.all(conversation::turns_from(OTHER_WS, &one.id, 1, 9)).is_empty());
    let missing = conversation::add_turn(WS, &world.id(), &first);
    assert_eq!(world.agent_refusal(missing), Refusal::Stale);
}

fn the_conversation_of_scheduled_work_and_that_of_a_piece_of_work_are_one(world: &World) {
    let definition = work(world, None);
    let own = Conversation {
        id: ConversationId::of_work(&definition.id),
        kind: ConversationKind::Task,
        work: Some(definition.id.clone()),
        ..begun(world, "Compare prices")
    };
    world.agent([definition::insert(WS, &definition)]);
    for new in [scheduled(), own] {
        world.agent([conversation::begin(WS, &new)]);
        world.agent(conversation::add_turn(WS, &new.id, &says("Hello.", at(3))));
        // Another node, or the next run.
        world.agent([conversation::begin(WS, &new)]);
        let other = Conversation { id: world.id(), ..new.clone() };
        assert_eq!(world.agent_refusal([conversation::insert(WS, &other)]), Refusal::Exists);
        let read = world.first(conversation::by_id(WS, &new.id)).expect("it is there");
        assert_eq!(read, Conversation { n_turns: 1, updated_at: at(3), ..new.clone() });
        // Each workspace has its own.
        world.agent([conversation::insert(OTHER_WS, &new)]);
    }
}

fn a_run_says_its_result_once(world: &World) {
    let (one, other, definition) = (begun(world, "One"), begun(world, "Two"), work(world, None));
    let run: WorkRunId = world.id();
    world.agent([
        conversation::insert(WS, &one),
        conversation::insert(WS, &other),
        definition::insert(WS, &definition),
    ]);
    let turn = completed(&definition.id, &run, "38");
    world.agent(conversation::add_turn(WS, &one.id, &turn));
    for place in [&one.id, &other.id] {
        let again = conversation::add_turn(WS, place, &turn);
        assert_eq!(world.agent_refusal(again), Refusal::Exists);
    }
    assert_eq!(turns(world, &one.id).len(), 1);
    assert!(turns(world, &other.id).is_empty());
}

fn a_turn_refers_only_to_work_that_is_there(world: &World) {
    let one = begun(world, "One");
    world.agent([conversation::insert(WS, &one)]);
    let gone = Definition { deleted_at: Some(at(2)), ..work(world, None) };
    world.agent([definition::insert(WS, &gone)]);
    for id in [world.id(), gone.id] {
        let turn = completed(&id, &world.id(), "38");
        let refused = conversation::add_turn(WS, &one.id, &turn);
        assert_eq!(world.agent_refusal(refused), Refusal::Missing);
    }
    assert!(turns(world, &one.id).is_empty());
}

/// The work of a conversation, and the conversations of a piece of work.
fn links(world: &World, id: &ConversationId, work: &WorkId) -> (Vec<WorkId>, Vec<ConversationId>) {
    let works = world.all(definition::of_conversation(WS, id, "~", 9));
    let conversations = world.all(conversation::of_work(WS, work, "~", 9));
    (
        works.into_iter().map(|one| one.id).collect(),
        conversations.into_iter().map(|one| one.id).collect(),
    )
}

fn linked(world: &World) -> (Conversation, Definition) {
    let one = begun(world, "One");
    let definition = work(world, Some(&one.id));
    let turn = completed(&definition.id, &world.id(), "38");
    let mut ops: Vec<Op> =
        vec![conversation::insert(WS, &one), definition::insert(WS, &definition)];
    ops.extend(conversation::add_turn(WS, &one.id, &turn));
    // To refer twice is one link.
    ops.extend(conversation::add_turn(WS, &one.id, &completed(&definition.id, &world.id(), "39")));
    world.agent(ops);
    let expected = (vec![definition.id.clone()], vec![one.id.clone()]);
    assert_eq!(links(world, &one.id, &definition.id), expected);
    (one, definition)
}

fn a_link_goes_with_the_work(world: &World) {
    let (one, definition) = linked(world);
    let gone = Definition { deleted_at: Some(at(9)), ..definition.clone() };
    world.agent([definition::put(WS, 1, &gone), conversation::unlink_work(WS, &gone.id)]);
    assert_eq!(links(world, &one.id, &definition.id), (vec![], vec![]));
    let left = turns(world, &one.id);
    let words: Vec<&str> = left.iter().map(|turn| turn.message.content.as_str()).collect();
    assert_eq!(words, ["38", "39"], "what was said stays");
    assert!(left.iter().all(|turn| turn.message.task_ref.is_none() && turn.task_title.is_none()));
}

fn a_link_goes_with_the_conversation(world: &World) {
    let (one, definition) = linked(world);
    let other = work(world, Some(&world.id()));
    world.agent([definition::insert(WS, &other)]);
    world.agent(conversation::delete(WS, &one.id));
    assert_eq!(world.agent_refusal(conversation::delete(WS, &one.id)), Refusal::Missing);
    assert_eq!(links(world, &one.id, &definition.id), (vec![], vec![]));
    assert!(turns(world, &one.id).is_empty());
    let read = |id| world.first(definition::by_id(WS, id)).expect("it stays");
    let expected = Definition { source_ref: None, ..definition.clone() };
    assert_eq!(read(&definition.id), expected);
    assert_eq!(read(&other.id), other, "work of another conversation keeps what it refers to");
}

fn the_newest_turn_comes_first(world: &World) {
    let (one, two) = (begun(world, "One"), begun(world, "Two"));
    world.agent([conversation::insert(WS, &one), conversation::insert(WS, &two)]);
    world.agent(conversation::add_turn(WS, &two.id, &says("Later.", at(7))));
    world.agent(conversation::add_turn(WS, &one.id, &says("Last.", at(8))));
    let all = |from: (Timestamp, &str), limit| {
        let found = world.all(conversation::newest(WS, from, limit));
        found.into_iter().map(|one| one.title).collect::<Vec<_>>()
    };
    assert_eq!(all((Timestamp::from_micros(i64::MAX), "~"), 9), ["One", "Two"]);
    assert_eq!(all((at(8), dormouse_types::Id::as_str(&one.id)), 9), ["Two"]);
}
