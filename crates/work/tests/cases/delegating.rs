//! Agent work that an agent proposed: it is started by a confirm, once, and its result is an entry of the
//! task.

use std::sync::Arc;

use dormouse_changes::delegate::{Answer, Delegate as _, StartedWork};
use dormouse_changes::set::propose::{Proposer, Source};
use dormouse_changes::set::proposed::{Basis, ProposalContext};
use dormouse_changes::set::validate::{self, CallOutcome};
use dormouse_changes::tool::WantedWork;
use dormouse_changes::{DecideError, Decider, tools};
use dormouse_journal::{Edit, state};
use dormouse_scheduler::{End, Event, Until};
use dormouse_store::agent::change_item::{Item, State};
use dormouse_store::{Commit, Db, change_log};
use dormouse_testkit::scripted::Answer as Turn;
use dormouse_types::built_in_work::ReadInstruction;
use dormouse_types::model::{ModelError, Request, ToolCall, TurnEvent};
use dormouse_types::named::Named;
use dormouse_types::port::{BoxStream, Model, ModelClass};
use dormouse_types::task::Flag;
use dormouse_types::work::{RunState, WorkSource, WorkState};
use dormouse_types::work_kind::{Agenda, Repeat, Repeated, WorkParameters};
use dormouse_types::work_outcome::{BuiltInOutcome, WorkText};
use dormouse_types::{
    Actor, AgentId, HolderId, OperationId, Origin, RunKey, Seq, TaskId, ThreadId, limits,
};
use dormouse_work::delegated::Delegated;
use dormouse_world::person;
use jiff::tz::TimeZone;
use serde_json::json;

use crate::world::{WS, World, ask, finish, me, publish, wait};

const DONE: End = End::Completed { cut: false };

fn owner() -> Decider {
    Decider { ws: WS, task: None, actor: Actor::Owner, once: None }
}

/// Proposes work as the agent of a task does in a wake that nobody knows anything about.
#[track_caller]
fn propose(world: &World, task: &TaskId, title: &str) -> Item {
    propose_in(world, task, title, RunKey("wake".into()))
}

/// Proposes work as the agent of a task does in a wake.
#[track_caller]
fn propose_in(world: &World, task: &TaskId, title: &str, key: RunKey) -> Item {
    let view = world.task_view(task);
    let view = state(&view, &TimeZone::UTC);
    let items = world.items_of(task);
    let args = json!({ "title": title, "instructions": VANS });
    let call = ToolCall { id: "c".into(), name: "start_agent_work".into(), args };
    let context = ProposalContext {
        task: &view,
        items: &items,
        proposed: &[],
        in_set: &[],
        named: &[],
        made_before: 0,
        used: &[],
        basis: Basis::Model,
    };
    let tool = tools::by_name("start_agent_work").expect("a tool");
    let judged = validate::validate_call(tool, &call, &context);
    let [CallOutcome::Queued(proposed)] = judged.as_slice() else { panic!("{judged:?}") };
    let agent: AgentId = format!("ag-{}", "g".repeat(26)).parse().expect("an id");
    let thread: ThreadId = format!("th-{}", "h".repeat(26)).parse().expect("an id");
    let holder = HolderId::from(&agent);
    let source = Source::Run { thread: &thread, key: &key, is_of_private: false };
    let by = Proposer { ws: WS, holder: &holder, task, source };
    let proposed = [(**proposed).clone()];
    let ops = wait(world.changes.turn_ops(by, &proposed, &[])).expect("ops").ops;
    wait(world.store.commit(Commit::new("test.turn", Db::Agent, WS).ops(ops))).expect("written");
    world.items_of(task).pop().expect("an item")
}

#[track_caller]
fn confirm(world: &World, item: &Item) {
    let settled = wait(world.changes.confirm(&owner(), &item.set, item.index, None));
    assert_eq!(settled.expect("it is confirmed").item.state, State::Confirmed);
}

/// The texts of the entries of a task.
fn entries(world: &World, task: &TaskId) -> Vec<String> {
    let view = world.task_view(task);
    view.entries.iter().map(|entry| entry.value.says().to_owned()).collect()
}

fn a_confirm_starts_one_run_and_its_result_is_one_entry(world: &World) {
    let task = world.create_task("Move house", Vec::new());
    let item = propose(world, &task, "Compare vans");
    assert!(wait(world.work.definitions(WS)).expect("readable").is_empty());
    confirm(world, &item);
    confirm(world, &item);
    let all = wait(world.work.definitions(WS)).expect("readable");
    let [work] = all.as_slice() else { panic!("{all:?}") };
    assert_eq!((work.title.as_str(), work.source), ("Compare vans", WorkSource::Agent));
    assert_eq!(work.source_ref, Some(format!("{}:{}", item.set, item.index)));
    world.script.push(publish("Vans", "The small one costs 90."));
    assert_eq!(world.drain(), [DONE]);
    world.drain();
    assert_eq!(entries(world, &task), ["**Agent work: Vans**\n\nThe small one costs 90."]);
    let run = world.runs(&work.id).remove(0);
    let changes = change_log::of_task(WS, &task, Seq(0), Seq(i64::MAX));
    let last = wait(world.store.all(changes)).expect("readable").pop().expect("a change");
    assert_eq!((last.origin, last.depth), (Origin::Work { run: run.id }, 1));
    world.drain();
    assert_eq!(entries(world, &task).len(), 1);
}

/// A model that reads no instructions, such as the built-in rules.
struct Rules(Arc<dyn Model>);

impl Model for Rules {
    fn name(&self) -> &'static str {
        "rules"
    }

    fn class(&self) -> ModelClass {
        self.0.class()
    }

    fn reads_messages(&self) -> bool {
        false
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        self.0.ask(request)
    }
}

fn without_a_language_model_it_stays_open_until_one_is_chosen(world: &World) {
    let task = world.create_task("Move house", Vec::new());
    let item = propose(world, &task, "Compare vans");
    let scripted = world.models.default_model();
    let rules: Arc<dyn Model> = Arc::new(Rules(scripted.clone()));
    world.models.replace([rules, scripted.clone()], "rules", None);
    let refused = wait(world.changes.confirm(&owner(), &item.set, item.index, None));
    let refused = refused.expect_err("no model can do it").to_string();
    assert!(refused.contains("language model"), "{refused}");
    let open = world.items_of(&task).pop().expect("an item");
    assert_eq!(open.state, State::Pending, "{refused}");
    world.models.replace([scripted.clone()], scripted.name(), None);
    confirm(world, &open);
    assert_eq!(wait(world.work.definitions(WS)).expect("readable").len(), 1);
}

/// What the rules make of an instruction that says nothing about when.
fn read_as(parameters: WorkParameters) -> ReadInstruction {
    ReadInstruction {
        parameters,
        schedule_words: "every day at 7:30".into(),
        is_usual_time: true,
        sentence: "Every day at 7:30: an agenda.".into(),
        not_understood: Vec::new(),
        language: "en",
    }
}

/// The instructions of what [`propose`] proposes.
const VANS: &str = "Find three vans and their prices.";

/// Lets only the rules do work.
fn choose_no_language_model(world: &World) {
    let rules: Arc<dyn Model> = Arc::new(Rules(world.models.default_model()));
    world.models.replace([rules], "rules", None);
}

fn what_the_rules_understand_needs_no_language_model(world: &World) {
    choose_no_language_model(world);
    let agenda = WorkParameters::Agenda(Agenda::default());
    world.rules.understands(VANS, read_as(agenda.clone()));
    world.rules.comes_to(BuiltInOutcome::Text(WorkText {
        title: "1 task is due".into(),
        sections: Vec::new(),
        markdown: "- Pay the rent".into(),
        figures: Vec::new(),
    }));
    let task = world.create_task("Move house", Vec::new());
    confirm(world, &propose(world, &task, "Compare vans"));
    let work = wait(world.work.definitions(WS)).expect("readable").remove(0);
    let made = dormouse_work::definition::built_in(&work).expect("readable").expect("no model");
    assert_eq!((made.parameters, made.sentence.as_str()), (agenda, "An agenda."));
    assert_eq!(work.source, WorkSource::Agent);
    assert_eq!(world.drain(), [DONE]);
    world.drain();
    assert_eq!(world.script.requests().len(), 0);
    assert_eq!(entries(world, &task), ["**Agent work: 1 task is due**\n\n- Pay the rent"]);
    // It read every task, so no model of somebody else gets its words from here.
    assert_eq!(are_private(world, &task), [true]);
    let view = world.task_view(&task);
    assert!(view.entries[0].value.tainted, "its words may be those of an imported task");
}

fn what_the_rules_understand_in_part_waits_for_a_language_model(world: &World) {
    choose_no_language_model(world);
    let agenda = || WorkParameters::Agenda(Agenda::default());
    let make = Repeated::Make { title: "Call".into() };
    let half = [
        ReadInstruction { not_understood: vec!["and their prices".into()], ..read_as(agenda()) },
        ReadInstruction { is_usual_time: false, ..read_as(agenda()) },
        read_as(WorkParameters::Repeat(Repeat { what: make, by_rule: false })),
    ];
    let task = world.create_task("Move house", Vec::new());
    let item = propose(world, &task, "Compare vans");
    for read in half {
        world.rules.understands(VANS, read.clone());
        let refused = wait(world.changes.confirm(&owner(), &item.set, item.index, None));
        let refused = refused.expect_err("a language model is needed").to_string();
        assert!(refused.contains("needs a language model"), "{read:?}: {refused}");
        assert_eq!(world.items_of(&task)[0].state, State::Pending, "{read:?}");
    }
}

fn what_the_rules_do_for_an_agent_waits_for_the_person(world: &World) {
    choose_no_language_model(world);
    let task = world.create_task("Move house", Vec::new());
    let named = Named { id: task.clone(), name: "Move house".into() };
    let reset = Repeat { what: Repeated::Reset { task: named }, by_rule: true };
    world.rules.understands(VANS, read_as(WorkParameters::Repeat(reset)));
    confirm(world, &propose(world, &task, "Compare vans"));
    let work = wait(world.work.definitions(WS)).expect("readable").remove(0);
    let made = dormouse_work::definition::built_in(&work).expect("readable").expect("no model");
    let WorkParameters::Repeat(repeat) = made.parameters else { panic!("{made:?}") };
    assert!(!repeat.by_rule, "an agent makes no rule that its own changes are applied by");
}

fn a_confirm_that_is_given_twice_at_once_starts_one_run(world: &World) {
    let task = world.create_task("Move house", Vec::new());
    let item = propose(world, &task, "Compare vans");
    let (changes, again) = (world.changes.clone(), item.clone());
    world.hooks.before_commit("change.conclude", move || {
        wait(changes.confirm(&owner(), &again.set, again.index, None)).expect("it is confirmed");
    });
    confirm(world, &item);
    assert!(world.hooks.is_done());
    assert_eq!(wait(world.work.definitions(WS)).expect("readable").len(), 1);
}

fn an_undo_takes_it_back_until_it_has_begun(world: &World) {
    let task = world.create_task("Move house", Vec::new());
    let item = propose(world, &task, "Compare vans");
    confirm(world, &item);
    wait(world.changes.undo(&owner(), &item.set, item.index, None)).expect("it is undone");
    let work = wait(world.work.definitions(WS)).expect("readable").remove(0);
    assert_eq!(work.state, WorkState::Archived);
    assert_eq!(world.runs(&work.id)[0].state, RunState::Cancelled);
    assert_eq!(world.drain(), []);
    assert_eq!(entries(world, &task), Vec::<String>::new(), "what never ran says nothing");
    confirm(world, &item);
    world.script.push(publish("Vans", "90."));
    assert_eq!(world.drain(), [DONE], "it is started again, under another id");
    let refused = wait(world.changes.undo(&owner(), &item.set, item.index, None));
    let refused = refused.expect_err("it has begun");
    assert!(matches!(refused, DecideError::Begun { .. }), "{refused}");
    assert!(refused.to_string().contains("cancel or archive it"), "{refused}");
    assert_eq!(world.items_of(&task)[0].state, State::Confirmed, "the verdict stays");
}

fn a_crash_between_entry_and_mark_writes_no_second_one(world: &World) {
    let task = world.create_task("Move house", Vec::new());
    confirm(world, &propose(world, &task, "Compare vans"));
    world.script.push(finish("failed", "No van in town."));
    let other = world.another_node();
    world.hooks.before_commit("work.returned", move || {
        other.drain();
    });
    world.drain();
    world.drain();
    assert!(world.hooks.is_done());
    let said = "**Agent work: Compare vans** (failed)\n\nIt ended without a result; what it did is in its log.";
    assert_eq!(entries(world, &task), [said]);
}

fn what_came_of_three_results_starts_nothing_more(world: &World) {
    let work = |depth| StartedWork {
        wanted: WantedWork { title: "Vans".into(), instructions: "Compare.".into() },
        operation: OperationId("op".into()),
        at: dormouse_types::Timestamp::from_micros(0),
        task: format!("jt-{}", "0".repeat(26)).parse().expect("an id"),
        item: "cs:1".into(),
        actor: Actor::Owner,
        depth,
    };
    let delegate = Delegated(world.work.clone());
    let answer = |depth| wait(delegate.start(WS, &work(depth))).expect("an answer");
    assert!(matches!(answer(limits::WORK_EVENT_DEPTH - 1), Answer::Write { .. }));
    let Answer::Never(why) = answer(limits::WORK_EVENT_DEPTH) else { panic!("it is capped") };
    assert!(why.contains("3 results of agent work"), "{why}");
}

fn a_model_that_may_not_see_the_reason_gets_no_instructions(world: &World) {
    let task = world.create_task("Move house", Vec::new());
    confirm(world, &propose(world, &task, "Compare vans"));
    world.ask_elsewhere();
    let end = world.drain().remove(0);
    let End::Failed { error } = end else { panic!("{end:?}") };
    assert!(error.contains("Choose another model"), "{error}");
    assert!(world.script.requests().is_empty());
    let work = wait(world.work.definitions(WS)).expect("readable").remove(0);
    wait(world.work.archive(WS, &work.id, &me())).expect("it is archived");
}

fn a_title_is_kept_back_from_a_model_that_may_not_see_why(world: &World) {
    let task = world.create_task("Move house", Vec::new());
    let item = propose(world, &task, "Ask Dr Weiss");
    confirm(world, &item);
    wait(world.changes.undo(&owner(), &item.set, item.index, None)).expect("it is undone");
    let delegated = wait(world.work.definitions(WS)).expect("readable").remove(0).id;
    world.ask_elsewhere();
    world.create("Look", None);
    let list = ("list_agent_work", json!({ "from": "2026-03-02", "to": "2026-03-02" }));
    let read = ("read_task_log", json!({ "taskId": delegated }));
    world.script.push(Turn::calls([list, read]).and_goes_on());
    world.script.push(finish("done", "Looked."));
    assert_eq!(world.drain(), [DONE]);
    let prompt = format!("{:?}", world.last_request());
    assert!(!prompt.contains("Dr Weiss"), "{prompt}");
    assert!(prompt.contains("kept back from this model"), "{prompt}");
}

/// Runs work that a model on the person's own server proposed about nothing private, up to its question; returns
/// its task.
fn asks_after_it_read(world: &World, secret: &TaskId) -> TaskId {
    world.ask_own_server();
    let task = world.create_task("Move house", Vec::new());
    let wake = world.create("Wake", None);
    world.script.push(finish("done", "Nothing."));
    assert_eq!(world.drain(), [DONE]);
    let key = world.runs(&wake)[0].run_key.clone().expect("it ran");
    confirm(world, &propose_in(world, &task, "Compare the notes", key));
    let read = ("read_task", json!({ "taskId": secret }));
    let said = ("publish_result", json!({ "title": "Notes", "text": "It holds 4711 euros." }));
    world.script.push(Turn::calls([read, said]).and_goes_on());
    world.script.push(ask("Shall I go on?"));
    assert_eq!(world.drain(), [DONE]);
    task
}

#[track_caller]
fn answer_question_of(world: &World, title: &str) {
    let all = wait(world.work.definitions(WS)).expect("readable");
    let work = all.into_iter().find(|one| one.title == title).expect("it was made");
    let run = world.runs(&work.id).remove(0).id;
    let question = wait(world.work.questions(WS, &run)).expect("readable").remove(0);
    wait(world.work.answer(WS, &question.id, "yes", &me())).expect("it is answered");
}

/// Whether each entry of a task is private.
fn are_private(world: &World, task: &TaskId) -> Vec<bool> {
    let view = world.task_view(task);
    view.entries.iter().map(|entry| entry.value.flags.private).collect()
}

fn a_result_is_as_private_as_what_any_of_its_attempts_read(world: &World) {
    let private = Edit::Flag { flag: Flag::Private, is_set: true };
    let secret = world.create_task("The Quittenbaum account", vec![private]);
    let task = asks_after_it_read(world, &secret);
    world.ask_elsewhere();
    answer_question_of(world, "Compare the notes");
    world.script.push(finish("done", "Compared."));
    assert_eq!(world.drain(), [DONE]);
    world.drain();
    assert_eq!(entries(world, &task), ["**Agent work: Notes**\n\nIt holds 4711 euros."]);
    assert_eq!(are_private(world, &task), [true]);
    let world = World::new();
    let open = world.create_task("The open account", Vec::new());
    let task = asks_after_it_read(&world, &open);
    answer_question_of(&world, "Compare the notes");
    world.script.push(finish("done", "Compared."));
    world.drain();
    world.drain();
    assert_eq!(are_private(&world, &task), [false], "nothing private was read");
}

fn what_is_tried_again_before_the_next_poll_is_brought_back_once(world: &World) {
    let task = world.create_task("Move house", Vec::new());
    confirm(world, &propose(world, &task, "Compare vans"));
    world.script.push(finish("failed", "No van in town."));
    let mut node = world.scheduler("node").node(Until::Idle { ws: WS, only: None });
    assert!(matches!(wait(node.next()), Some(Event::Ran(_))));
    drop(node);
    let work = wait(world.work.definitions(WS)).expect("readable").remove(0);
    let run = world.runs(&work.id).remove(0);
    wait(world.work.retry(WS, &run.id, &me())).expect("it is tried again");
    world.script.push(publish("Vans", "One is free."));
    assert_eq!(world.drain(), [DONE]);
    world.drain();
    assert_eq!(entries(world, &task), ["**Agent work: Vans**\n\nOne is free."]);
}

fn a_run_whose_task_is_deleted_is_sent_nothing_more_and_waits_for_the_person(world: &World) {
    world.ask_own_server();
    let task = world.create_task("Move house", Vec::new());
    confirm(world, &propose(world, &task, "Compare vans"));
    world.script.push(Turn::calls([("list_tasks", json!({}))]).and_goes_on());
    let (journal, deleted) = (world.journal.clone(), task.clone());
    world.hooks.before_commit("run.turn", move || {
        wait(journal.edit(WS, &deleted, &[Edit::Delete], &person())).expect("it is deleted");
    });
    assert_eq!(world.drain(), [DONE]);
    assert!(world.hooks.is_done());
    assert_eq!(world.script.requests().len(), 1, "the second turn is not sent");
    let work = wait(world.work.definitions(WS)).expect("readable").remove(0);
    let run = world.runs(&work.id).remove(0);
    assert_eq!(run.state, RunState::NeedsReview);
    let why = run.error.expect("a reason");
    assert!(why.contains("its task was deleted while it ran"), "{why}");
}

each_engine! {
    a_run_whose_task_is_deleted_is_sent_nothing_more_and_waits_for_the_person,
    a_title_is_kept_back_from_a_model_that_may_not_see_why,
    a_result_is_as_private_as_what_any_of_its_attempts_read,
    what_is_tried_again_before_the_next_poll_is_brought_back_once,
    without_a_language_model_it_stays_open_until_one_is_chosen,
    what_the_rules_understand_needs_no_language_model,
    what_the_rules_understand_in_part_waits_for_a_language_model,
    what_the_rules_do_for_an_agent_waits_for_the_person,
    a_confirm_starts_one_run_and_its_result_is_one_entry,
    a_confirm_that_is_given_twice_at_once_starts_one_run,
    an_undo_takes_it_back_until_it_has_begun,
    a_crash_between_entry_and_mark_writes_no_second_one,
    what_came_of_three_results_starts_nothing_more,
    a_model_that_may_not_see_the_reason_gets_no_instructions,
}
