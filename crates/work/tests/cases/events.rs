//! Changes of the person's tasks start runs: each once, those that pass, and no more than there may be.

use std::sync::Arc;

use dormouse_journal::Edit as TaskEdit;
use dormouse_scheduler::{Chore as _, End};
use dormouse_store::agent::work::filter;
use dormouse_store::journal::row;
use dormouse_store::journal::task::Task;
use dormouse_store::{ChangeRow, Commit, Db, change_log};
use dormouse_types::change::What;
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::model::FragmentKind;
use dormouse_types::port::Clock as _;
use dormouse_types::task::{Flag, LinkKind, Status};
use dormouse_types::work_filter::EventFilter;
use dormouse_types::{AgentId, Origin, Seq, TaskId, WorkId, limits};
use dormouse_work::WorkError;
use dormouse_work::events::Events;
use dormouse_work::lifecycle::Edit;
use serde_json::json;

use crate::world::{WS, World, finish, me, wait};

const DONE: End = End::Completed { cut: false };

fn task(mark: char) -> TaskId {
    format!("jt-{}", mark.to_string().repeat(26)).parse().expect("an id")
}

fn person() -> Origin {
    Origin::Person { via: None }
}

fn status(to: Status) -> What {
    let value = |status| Some(FieldValue::Status { status, reason: None });
    What::FieldSet(FieldChange {
        field: FieldRef::Status,
        from: value(Status::Open),
        to: value(to),
    })
}

fn change(world: &World, origin: Origin, depth: i64, task: TaskId, what: What) {
    let row = ChangeRow { depth, ..ChangeRow::journal(origin, vec![task], vec![what]) };
    wait(world.store.commit(Commit::new("test.write", Db::Journal, WS).change(row))).expect("kept");
}

fn make_task(world: &World, id: &TaskId, title: &str) {
    let at = world.clock.now();
    let document = json!({
        "id": id, "title": title, "createdAt": at, "updatedAt": at,
        "status": { "status": "OPEN", "createdAt": at },
    });
    let task: Task = serde_json::from_value(document).expect("a task");
    let commit = Commit::new("test.write", Db::Journal, WS);
    let commit = commit.op(row::insert(WS, &task));
    wait(world.store.commit(commit)).expect("kept");
}

fn filters(json: &serde_json::Value) -> Vec<EventFilter> {
    serde_json::from_value(json.clone()).expect("filters")
}

fn when_done() -> Vec<EventFilter> {
    let done = json!({ "type": "status", "status": "DONE", "reason": null });
    filters(&json!([{ "event": "fieldSet", "field": "status", "to": done }]))
}

fn listening(world: &World, events: Vec<EventFilter>) -> WorkId {
    let new = dormouse_work::definition::NewWork { events, ..world.new_work("Tidy", None) };
    wait(world.work.create(WS, &new, &me())).expect("it is created").definition.id
}

fn a_change_that_passes_starts_one_run_that_sees_it(world: &World) {
    make_task(world, &task('a'), "File the tax return");
    change(world, person(), 0, task('a'), status(Status::Done));
    let id = listening(world, when_done());
    assert_eq!(world.drain(), [], "what happened before starts nothing");
    change(world, person(), 0, task('b'), What::TaskDeleted);
    change(world, person(), 0, task('b'), status(Status::Blocked));
    assert_eq!(world.drain(), [], "other changes start nothing");
    change(world, person(), 0, task('a'), status(Status::Done));
    world.script.push(finish("done", "Thanked."));
    assert_eq!(world.drain(), [DONE]);
    let prompt = world.prompt(FragmentKind::Delta);
    assert!(prompt.contains("File the tax return") && prompt.contains("\"DONE\""), "{prompt}");
    assert!(
        world.prompt(FragmentKind::Instruction).contains("A change of a task started this run")
    );
    assert_eq!(world.drain(), [], "and no second one");
    assert_eq!(world.said(&id), ["requested succeeded"]);
}

fn the_other_end_of_a_link_is_as_private_as_its_task(world: &World) {
    let private = TaskEdit::Flag { flag: Flag::Private, is_set: true };
    let open = world.create_task("Paint the fence", Vec::new());
    let secret = world.create_task("Ring the clinic", vec![private]);
    listening(world, filters(&json!([{ "event": "fieldSet", "field": "status" }])));
    let linked = What::LinkAdded {
        link: format!("tl-{}", "l".repeat(26)).parse().expect("an id"),
        kind: LinkKind::Blocks.into(),
        from: open.clone(),
        from_title: "Paint the fence".into(),
        to: secret.clone(),
        to_title: "Ring the clinic".into(),
    };
    let what = vec![status(Status::Done), linked];
    let row = ChangeRow::journal(person(), vec![open, secret], what);
    wait(world.store.commit(Commit::new("test.write", Db::Journal, WS).change(row))).expect("kept");
    world.ask_elsewhere();
    world.script.push(finish("done", "Thanked."));
    assert_eq!(world.drain(), [DONE]);
    let prompt = world.prompt(FragmentKind::Delta);
    assert!(prompt.contains("Paint the fence") && prompt.contains("\"DONE\""), "{prompt}");
    assert!(!prompt.contains("clinic"), "{prompt}");
}

fn of_two_nodes_one_starts_the_run(world: &World) {
    let id = listening(world, when_done());
    change(world, person(), 0, task('a'), status(Status::Done));
    let other = Arc::new(world.another_node());
    let meanwhile = other.clone();
    world.hooks.before_commit("work.event", move || {
        meanwhile.listen();
    });
    world.listen();
    assert!(world.hooks.is_done());
    assert_eq!(world.said(&id), ["requested queued"]);
}

fn what_agents_wrote_and_what_came_of_too_many_runs_start_nothing(world: &World) {
    let id = listening(world, when_done());
    let agent: AgentId = format!("ag-{}", "g".repeat(26)).parse().expect("an id");
    change(world, Origin::Agent { agent: agent.clone() }, 0, task('a'), status(Status::Done));
    change(world, Origin::Unknown, 0, task('b'), status(Status::Done));
    change(world, person(), limits::WORK_EVENT_DEPTH, task('c'), status(Status::Done));
    world.listen();
    assert_eq!(world.said(&id), Vec::<String>::new());
    let confirmed = Origin::Person { via: Some(agent.into()) };
    change(world, confirmed, limits::WORK_EVENT_DEPTH - 1, task('d'), status(Status::Done));
    world.listen();
    assert_eq!(world.said(&id), ["requested queued"], "a person confirmed it");
}

fn what_is_beyond_the_rate_of_an_hour_is_left_out_in_one_row(world: &World) {
    let id = listening(world, when_done());
    for _ in 0..limits::WORK_EVENTS_AN_HOUR + 7 {
        change(world, person(), 0, task('a'), status(Status::Done));
    }
    world.listen();
    change(world, person(), 0, task('a'), status(Status::Done));
    world.listen();
    let said = world.said(&id);
    let queued = said.iter().filter(|line| line.ends_with("queued")).count();
    assert_eq!(queued, limits::WORK_EVENTS_AN_HOUR);
    assert_eq!(said.len(), limits::WORK_EVENTS_AN_HOUR + 1, "{said:?}");
    assert_eq!(said.last().map(String::as_str), Some("requested skipped tooMany"));
    world.later(3601);
    change(world, person(), 0, task('a'), status(Status::Done));
    world.listen();
    assert_eq!(
        world.said(&id).len(),
        limits::WORK_EVENTS_AN_HOUR + 2,
        "an hour later it may again"
    );
}

fn what_else_starts_runs_makes_no_room_for_changes(world: &World) {
    let id = listening(world, when_done());
    for _ in 0..limits::WORK_EVENTS_AN_HOUR {
        change(world, person(), 0, task('a'), status(Status::Done));
    }
    world.listen();
    for _ in 0..3 * limits::WORK_EVENTS_AN_HOUR {
        wait(world.work.run_now(WS, &id, &me())).expect("it runs");
    }
    change(world, person(), 0, task('a'), status(Status::Done));
    world.listen();
    let last = world.said(&id).pop();
    assert_eq!(last.as_deref(), Some("requested skipped tooMany"));
    wait(world.work.run_now(WS, &id, &me())).expect("it runs");
    change(world, person(), 0, task('a'), status(Status::Done));
    world.listen();
    assert_eq!(world.runs(&id).len(), 4 * limits::WORK_EVENTS_AN_HOUR + 2, "said once an hour");
}

fn an_edit_beside_a_resume_stands(world: &World) {
    let id = listening(world, when_done());
    wait(world.work.pause(WS, &id, &me())).expect("it is paused");
    let deleted = filters(&json!([{ "event": "deleted" }]));
    let (other, edited, of) = (Arc::new(world.another_node()), deleted.clone(), id.clone());
    world.hooks.before_commit("work.change", move || {
        let edit = Edit { events: Some(edited.clone()), ..Edit::default() };
        wait(other.work.edit(WS, &of, &edit, &me())).expect("it is edited");
    });
    wait(world.work.resume(WS, &id, &me())).expect("it is resumed");
    assert!(world.hooks.is_done());
    assert_eq!(wait(world.work.filters(WS, &id)).expect("readable"), deleted);
}

fn a_damaged_run_disables_what_changes_start_and_stops_no_other(world: &World) {
    let [bad, good] = [(), ()].map(|()| listening(world, when_done()));
    wait(world.work.run_now(WS, &bad, &me())).expect("it runs");
    let damage = dormouse_store::Op::any(
        "UPDATE work_runs SET created_by = 'nobody' WHERE work_id = ?1",
        dormouse_store::params![bad.to_string()],
    );
    wait(world.store.commit(Commit::new("test", Db::Agent, WS).op(damage))).expect("damaged");
    change(world, person(), 0, task('a'), status(Status::Done));
    let lines =
        wait(Events(world.work.clone()).work(None, world.clock.now())).expect("it works").lines;
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].as_ref().is_ok_and(|line| line.contains("is disabled")), "{lines:?}");
    change(world, person(), 0, task('a'), status(Status::Done));
    world.listen();
    assert_eq!(wait(world.work.definition(WS, &bad)).expect("it").state.name(), "disabled");
    assert_eq!(world.said(&good), ["requested queued", "requested queued"]);
}

fn what_changes_while_it_is_paused_starts_nothing(world: &World) {
    let id = listening(world, when_done());
    wait(world.work.pause(WS, &id, &me())).expect("it is paused");
    change(world, person(), 0, task('a'), status(Status::Done));
    world.listen();
    wait(world.work.resume(WS, &id, &me())).expect("it is resumed");
    world.listen();
    assert_eq!(world.said(&id), Vec::<String>::new());
    change(world, person(), 0, task('a'), status(Status::Done));
    world.listen();
    assert_eq!(world.said(&id), ["requested queued"]);
}

fn a_position_of_another_journal_starts_nothing(world: &World) {
    let id = listening(world, when_done());
    change(world, person(), 0, task('a'), status(Status::Done));
    // As if the journal had been replaced by a copy.
    let read = wait(world.store.first(filter::of_definition(WS, &id))).expect("readable");
    let read = read.expect("it listens");
    let copy = format!("ho-{}", "z".repeat(26)).parse().expect("an id");
    let moved = filter::advance(WS, &read, &copy, Seq(0));
    let commit = Commit::new("test.write", Db::Agent, WS).op(moved);
    wait(world.store.commit(commit)).expect("kept");
    world.listen();
    assert_eq!(world.said(&id), Vec::<String>::new());
    let read = wait(world.store.first(filter::of_definition(WS, &id))).expect("readable");
    let head = wait(world.store.first(change_log::head(Db::Journal, WS))).expect("readable");
    assert_eq!(read.map(|read| read.upto), head, "it goes on from the end");
}

fn other_filters_count_from_the_moment_they_are_saved(world: &World) {
    let id = listening(world, when_done());
    change(world, person(), 0, task('a'), What::TaskDeleted);
    let deleted = filters(&json!([{ "event": "deleted" }]));
    let edit = Edit { events: Some(deleted.clone()), ..Edit::default() };
    wait(world.work.edit(WS, &id, &edit, &me())).expect("it is edited");
    assert_eq!(wait(world.work.filters(WS, &id)).expect("readable"), deleted);
    world.listen();
    assert_eq!(world.said(&id), Vec::<String>::new());
    change(world, person(), 0, task('b'), What::TaskDeleted);
    world.listen();
    assert_eq!(world.said(&id), ["requested queued"]);
    let none = Edit { events: Some(Vec::new()), ..Edit::default() };
    wait(world.work.edit(WS, &id, &none, &me())).expect("it is edited");
    change(world, person(), 0, task('c'), What::TaskDeleted);
    world.listen();
    assert_eq!(world.said(&id), ["requested queued"], "nothing starts it any more");
}

fn a_filter_that_passes_nothing_is_refused_before_anything_is_written(world: &World) {
    let events = filters(&json!([{ "event": "created", "field": "status" }]));
    let new = dormouse_work::definition::NewWork { events, ..world.new_work("Tidy", None) };
    let refused = wait(world.work.create(WS, &new, &me())).expect_err("it is refused");
    assert!(matches!(refused, WorkError::Filter(_)), "{refused}");
    assert!(wait(world.work.definitions(WS)).expect("readable").is_empty());
}

fn what_came_of_its_own_proposal_starts_it_no_more(world: &World) {
    let id = listening(world, when_done());
    change(world, person(), 0, task('a'), status(Status::Done));
    world.listen();
    let run = world.runs(&id).remove(0);
    assert_eq!(run.depth, 0);
    let confirmed = || Origin::Person { via: Some((&run.id).into()) };
    change(world, confirmed(), 1, task('b'), status(Status::Done));
    world.listen();
    assert_eq!(world.runs(&id).len(), 1);
    let other = listening(world, when_done());
    change(world, confirmed(), 1, task('c'), status(Status::Done));
    world.listen();
    assert_eq!(world.runs(&id).len(), 1);
    assert_eq!(world.runs(&other).remove(0).depth, 1, "other work may answer it");
}

each_engine!(
    what_else_starts_runs_makes_no_room_for_changes,
    an_edit_beside_a_resume_stands,
    a_damaged_run_disables_what_changes_start_and_stops_no_other,
    the_other_end_of_a_link_is_as_private_as_its_task,
    what_came_of_its_own_proposal_starts_it_no_more,
    a_change_that_passes_starts_one_run_that_sees_it,
    of_two_nodes_one_starts_the_run,
    what_agents_wrote_and_what_came_of_too_many_runs_start_nothing,
    what_is_beyond_the_rate_of_an_hour_is_left_out_in_one_row,
    what_changes_while_it_is_paused_starts_nothing,
    a_position_of_another_journal_starts_nothing,
    other_filters_count_from_the_moment_they_are_saved,
    a_filter_that_passes_nothing_is_refused_before_anything_is_written,
);
