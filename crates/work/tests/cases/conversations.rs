//! What runs report in conversations: once, in the commit that ends them.

use std::collections::BTreeSet;

use dormouse_scheduler::End;
use dormouse_store::agent::conversation::{self, TaskRef, Turn};
use dormouse_store::agent::source::Source;
use dormouse_store::agent::wake_queue;
use dormouse_store::agent::work::definition;
use dormouse_types::conversation::{ConversationKind, TaskAction, TurnRole};
use dormouse_types::work::WorkSource;
use dormouse_types::work_outcome::{BuiltInOutcome, NothingReason, WorkText};
use dormouse_types::{ConversationId, WorkId};
use dormouse_work::attempt::attempt_key;
use dormouse_work::definition::NewWork;
use dormouse_work::{RequestContext, WorkError};

use crate::world::{WS, World, ask, finish, me, publish, says, wait};

const DONE: End = End::Completed { cut: false };
const WEEKDAYS: Option<&str> = Some("every weekday at 9");

fn text(title: &str) -> BuiltInOutcome {
    BuiltInOutcome::Text(WorkText {
        title: title.into(),
        sections: Vec::new(),
        markdown: "- Pay the rent".into(),
        figures: Vec::new(),
    })
}

fn begin(world: &World, title: &str) -> ConversationId {
    wait(world.work.begin_conversation(WS, title, &me())).expect("it begins")
}

/// Work without a schedule that is begun in a conversation.
fn begun_in(world: &World, id: &ConversationId) -> WorkId {
    let source = (WorkSource::Conversation, Some(id.to_string()));
    let new = NewWork { source, ..world.new_work("Prices", None) };
    wait(world.work.create(WS, &new, &me())).expect("it is created").definition.id
}

fn turns(world: &World, id: &ConversationId) -> Vec<Turn> {
    let turns = wait(world.store.all(conversation::turns_from(WS, id, 1, 100)));
    turns.expect("readable").into_iter().map(|(_, turn)| turn.expect("sound")).collect()
}

/// The turns of a conversation as lines: who, what it did, the words.
fn said(world: &World, id: &ConversationId) -> Vec<String> {
    let line = |turn: Turn| {
        let action = turn.message.task_ref.map_or("-", |it| it.action.name());
        format!("{} {action}: {}", turn.message.role, turn.message.content)
    };
    turns(world, id).into_iter().map(line).collect()
}

fn scheduled(world: &World) -> Vec<String> {
    said(world, &ConversationId::of_scheduled_events())
}

fn is_there(world: &World, id: &ConversationId) -> bool {
    wait(world.store.first(conversation::by_id(WS, id))).expect("readable").is_some()
}

fn scheduled_runs_report_in_one_conversation_with_and_without_a_model(world: &World) {
    let with_model = world.create("Standup", WEEKDAYS);
    let new = world.new_built_in("Agenda", WEEKDAYS);
    let without = wait(world.work.create(WS, &new, &me())).expect("it is created").definition.id;
    assert!(!is_there(world, &ConversationId::of_scheduled_events()), "nothing was said yet");
    world.rules.comes_to(text("1 task is due"));
    world.script.push(publish("Notes", "# Two letters\n\nThey came."));
    world.set("2026-03-02T08:00:00Z");
    assert_eq!(world.drain(), [DONE, DONE]);

    let id = ConversationId::of_scheduled_events();
    let mut all = turns(world, &id);
    all.sort_by_key(|turn| turn.message.task_ref.as_ref().map(|it| it.work != with_model));
    let [model, rules] = &all[..] else { panic!("two turns: {all:?}") };
    let of = |work: &WorkId| TaskRef { work: work.clone(), action: TaskAction::Completed };
    for (turn, work, title, words) in [
        (model, &with_model, "Notes", "# Two letters\n\nThey came."),
        (rules, &without, "1 task is due", "- Pay the rent"),
    ] {
        let run = world.runs(work).remove(0);
        assert_eq!(turn.message.role, TurnRole::Assistant);
        assert_eq!(turn.message.task_ref, Some(of(work)));
        assert_eq!(turn.message.title.as_deref(), Some(title));
        assert_eq!(turn.message.content, words, "word for word");
        assert_eq!(turn.message.run, Some((run.id.clone(), 1)));
        assert_eq!(Some(turn.message.at), run.completed_at, "one commit ends it and says it");
    }
    // As private as what the run was shown; what the rules said is shown to no provider.
    let key = attempt_key(&world.runs(&with_model).remove(0));
    assert_eq!(model.message.sources, [Source::Run(key)]);
    assert_eq!(rules.message.sources, [Source::Unknown]);
    let found = wait(world.work.conversation(WS, &id)).expect("it is there");
    assert_eq!((found.kind, found.n_turns), (ConversationKind::ScheduledEvents, 2));
    assert_eq!(found.title, "Scheduled Events");

    world.script.push(publish("Notes", "Nothing came."));
    world.set("2026-03-03T08:00:00Z");
    world.drain();
    assert_eq!(turns(world, &id).len(), 4, "the next runs report in the same one");
}

fn what_came_to_nothing_says_nothing(world: &World) {
    let id = world.create("Standup", WEEKDAYS);
    let new = world.new_built_in("Agenda", WEEKDAYS);
    wait(world.work.create(WS, &new, &me())).expect("it is created");
    world.rules.comes_to(BuiltInOutcome::Nothing { why: NothingReason::NothingNew });
    world.script.push(finish("no_op", "There was nothing."));
    world.set("2026-03-02T08:00:00Z");
    world.drain();
    world.script.push(finish("failed", "There is no such page."));
    world.set("2026-03-03T08:00:00Z");
    world.drain();
    world.script.push(ask("Which garden?"));
    world.set("2026-03-04T08:00:00Z");
    world.drain();
    assert_eq!(world.status(&id), "paused/needs_input");
    assert!(!is_there(world, &ConversationId::of_scheduled_events()));
    // What it says that it did is for its log.
    world.script.push(finish("done", "Moved three appointments."));
    world.set("2026-03-05T08:00:00Z");
    world.drain();
    assert_eq!(
        scheduled(world),
        ["assistant completed: It ended without a result; what it did is in its log."]
    );
}

fn what_a_person_takes_for_a_result_is_said_then(world: &World) {
    let id = world.create("Standup", WEEKDAYS);
    let published = [("publish_result", serde_json::json!({ "title": "Notes", "text": "Two." }))];
    world.script.push(dormouse_testkit::scripted::Answer::calls(published));
    world.script.push(says("Done."));
    world.script.push(says("Done."));
    world.set("2026-03-02T08:00:00Z");
    world.drain();
    assert_eq!(world.status(&id), "paused/needs_review");
    let run = world.runs(&id).remove(0).id;
    assert!(!is_there(world, &ConversationId::of_scheduled_events()));
    let keyed = RequestContext { key: Some("once".into()), ..me() };
    wait(world.work.review(WS, &run, true, None, &keyed)).expect("approved");
    assert_eq!(scheduled(world), ["assistant completed: Two."]);
}

fn work_that_is_begun_in_a_conversation_reports_there_once(world: &World) {
    let id = begin(world, "Tiles");
    let work = begun_in(world, &id);
    assert_eq!(said(world, &id), ["user created: Do Prices."]);
    world.script.push(publish("Prices", "Leroy is cheaper."));
    assert_eq!(world.drain(), [DONE]);
    let expected = ["user created: Do Prices.", "assistant completed: Leroy is cheaper."];
    assert_eq!(said(world, &id), expected);
    assert_eq!(world.drain(), []);
    assert_eq!(said(world, &id), expected);
    assert!(!is_there(world, &ConversationId::of_scheduled_events()));
    assert!(!is_there(world, &ConversationId::of_work(&work)));
    // Work that was begun by hand has its page.
    world.create("Alone", None);
    world.script.push(finish("done", "Told."));
    world.drain();
    assert_eq!(said(world, &id), expected);
    assert!(!is_there(world, &ConversationId::of_scheduled_events()));
}

fn if_that_conversation_is_deleted_it_reports_in_one_of_its_own(world: &World) {
    let id = begin(world, "Tiles");
    let work = begun_in(world, &id);
    let of = |work: &WorkId| wait(world.work.conversation_of_work(WS, work, &me())).expect("one");
    assert_eq!(of(&work), id);
    // It is deleted after the run decided where to report.
    let (service, gone) = (world.work.clone(), id.clone());
    world.hooks.before_commit("run.final", move || {
        wait(service.delete_conversation(WS, &gone, "", &me())).expect("deleted");
    });
    world.script.push(publish("Prices", "Leroy is cheaper."));
    assert_eq!(world.drain(), [DONE]);
    assert!(world.hooks.is_done());
    let own = ConversationId::of_work(&work);
    assert_eq!(said(world, &own), ["assistant completed: Leroy is cheaper."]);
    let found = wait(world.work.conversation(WS, &own)).expect("it is there");
    assert_eq!((found.kind, found.work.as_ref()), (ConversationKind::Task, Some(&work)));
    assert_eq!(found.title, "Prices");
    assert_eq!(of(&work), own);
    let definition = wait(world.work.definition(WS, &work)).expect("it stays");
    assert_eq!(definition.source_ref, None, "nothing refers to what is gone");
    let refused = wait(world.work.delete_conversation(WS, &id, "", &me()));
    assert!(matches!(refused, Err(WorkError::NoConversation { .. })), "{refused:?}");
}

fn a_piece_of_work_has_one_conversation_of_its_own_that_is_opened_once(world: &World) {
    let work = world.create("Standup", WEEKDAYS);
    let open = || wait(world.work.conversation_of_work(WS, &work, &me())).expect("it is opened");
    let id = open();
    assert_eq!((open(), open()), (id.clone(), id.clone()));
    assert!(turns(world, &id).is_empty());
    let linked = || wait(world.store.all(definition::of_conversation(WS, &id, "~", 9)));
    assert_eq!(linked().expect("readable").len(), 1);
    wait(world.work.delete(WS, &work, &me())).expect("deleted");
    assert!(linked().expect("readable").is_empty(), "no link leads to deleted work");
    let found = wait(world.work.conversation(WS, &id)).expect("it stays");
    assert_eq!(found.work, None);
}

fn work_that_is_deleted_while_it_runs_reports_nothing(world: &World) {
    let id = world.create("Standup", WEEKDAYS);
    let (service, of) = (world.work.clone(), id.clone());
    world.hooks.before_commit("run.final", move || {
        wait(service.delete(WS, &of, &me())).expect("deleted");
    });
    world.script.push(publish("Notes", "Two letters came."));
    world.set("2026-03-02T08:00:00Z");
    world.drain();
    assert!(world.hooks.is_done());
    assert!(!is_there(world, &ConversationId::of_scheduled_events()));
}

fn two_nodes_begin_the_conversation_once(world: &World) {
    let made = |title: &str, words| {
        let new = world.new_built_in(title, Some(words));
        wait(world.work.create(WS, &new, &me())).expect("it is created").definition.id
    };
    let (first, second) = (made("One", "every weekday at 9"), made("Two", "every weekday at 10"));
    world.rules.comes_to(text("First"));
    let other = world.another_node();
    other.rules.comes_to(text("Second"));
    world.set("2026-03-02T08:00:00Z");
    let of = second.clone();
    // The other node ends a run and begins the conversation right before this one does.
    world.hooks.before_commit("work.final", move || {
        wait(other.work.run_now(WS, &of, &me())).expect("requested");
        assert_eq!(other.drain(), [DONE]);
    });
    assert_eq!(world.drain(), [DONE]);
    assert!(world.hooks.is_done());
    let id = ConversationId::of_scheduled_events();
    let of = |turn: Turn| (turn.n, turn.message.task_ref.map(|it| it.work));
    let all: Vec<_> = turns(world, &id).into_iter().map(of).collect();
    assert_eq!(all, [(1, Some(second)), (2, Some(first))]);
    assert_eq!(world.raw("SELECT id FROM conversations").len(), 1);
}

fn a_crash_before_the_last_commit_leaves_one_turn(world: &World) {
    let id = world.create("Standup", WEEKDAYS);
    world.set("2026-03-02T08:00:00Z");
    world.plan();
    let run = world.runs(&id).remove(0).id;
    let row = wait(world.store.first(wake_queue::of_holder(WS, &run)));
    let row = row.expect("readable").expect("a row");
    drop(wait(world.scheduler("dead").claim(WS, &row)).expect("a claim").expect("a lease"));
    world.later(61);
    let other = world.another_node();
    other.script.push(publish("Notes", "Two letters came."));
    wait(other.scheduler("other").take_over_dead(&BTreeSet::new())).expect("taken over");
    assert_eq!(other.drain(), [DONE]);
    assert_eq!(world.drain(), []);
    assert_eq!(scheduled(world), ["assistant completed: Two letters came."]);
}

fn a_turn_of_a_person_is_checked_and_refers_to_work_that_is_there(world: &World) {
    let id = begin(world, "Tiles");
    let work = world.create("Standup", WEEKDAYS);
    let add = |content: &str, work: Option<&WorkId>| {
        let refers = work.cloned().map(|work| TaskRef { work, action: TaskAction::Discussed });
        wait(world.work.add_turn(WS, &id, content, refers, &me()))
    };
    add("What came of it?", Some(&work)).expect("added");
    assert_eq!(said(world, &id), ["user discussed: What came of it?"]);
    let unknown: WorkId = "task-01jd7m3k5vn2c8q4w6x0z9abcd".parse().expect("an id");
    assert!(matches!(add("And this?", Some(&unknown)), Err(WorkError::NotFound { .. })));
    assert!(matches!(add("  ", None), Err(WorkError::Blank { .. })));
    assert!(matches!(add(&"x".repeat(33 * 1024), None), Err(WorkError::Beyond(_))));
    wait(world.work.delete_conversation(WS, &id, "", &me())).expect("deleted");
    assert!(matches!(add("Hello?", None), Err(WorkError::NoConversation { .. })));
    let source = (WorkSource::Conversation, Some(id.to_string()));
    let new = NewWork { source, ..world.new_work("Prices", None) };
    let refused = wait(world.work.create(WS, &new, &me()));
    assert!(matches!(refused, Err(WorkError::NoConversation { .. })), "{refused:?}");
    let blank = wait(world.work.begin_conversation(WS, " ", &me()));
    assert!(matches!(blank, Err(WorkError::Blank { .. })), "{blank:?}");
}

each_engine!(
    scheduled_runs_report_in_one_conversation_with_and_without_a_model,
    what_came_to_nothing_says_nothing,
    what_a_person_takes_for_a_result_is_said_then,
    work_that_is_begun_in_a_conversation_reports_there_once,
    if_that_conversation_is_deleted_it_reports_in_one_of_its_own,
    a_piece_of_work_has_one_conversation_of_its_own_that_is_opened_once,
    work_that_is_deleted_while_it_runs_reports_nothing,
    two_nodes_begin_the_conversation_once,
    a_crash_before_the_last_commit_leaves_one_turn,
    a_turn_of_a_person_is_checked_and_refers_to_work_that_is_there,
);
