//! Rows that cannot be read or dealt with, more of them than one page has, and in front of all others: what is
//! behind them is served all the same, and so is each workspace by itself.

use dormouse_scheduler::{Chore, Done};
use dormouse_store::agent::work::definition::{self, Definition};
use dormouse_store::agent::work::hook_call::{self, HookCall};
use dormouse_store::agent::work::question::{self, Question};
use dormouse_store::agent::work::run::{self, Run};
use dormouse_store::{Commit, Db, Op, params};
use dormouse_types::port::Clock as _;
use dormouse_types::work::RunState;
use dormouse_types::{Id, QuestionId, TaskId, Timestamp, WorkId, WorkRunId, WorkspaceId, limits};
use dormouse_work::delegated::Results;
use dormouse_work::hook::bodies::Bodies;
use dormouse_work::question::Expiry;
use dormouse_work::schedule::Schedules;
use dormouse_work::unsent_questions::UnsentQuestions;

use crate::world::{WS, World, ask, me, publish, wait};

/// More than one page of any list.
const MANY: usize = 250;
const OTHER: WorkspaceId = WorkspaceId(2);

fn write(world: &World, ws: WorkspaceId, ops: Vec<Op>) {
    wait(world.store.commit(Commit::new("test", Db::Agent, ws).ops(ops))).expect("written");
}

/// Lets a chore work in one workspace or in all of them.
fn work(world: &World, chore: &dyn Chore, of: Option<WorkspaceId>) -> Done {
    wait(chore.work(of, world.clock.now())).expect("it works")
}

/// An id that sorts before those of all rows of a workspace.
fn early<T: Id>(n: usize) -> T {
    format!("{}-{n:026}", T::PREFIX)
        .parse()
        .unwrap_or_else(|_| panic!("{} {n} is no id", T::PREFIX))
}

/// Definitions that are due before all others.
fn due_definitions(world: &World, like: &WorkId, ws: WorkspaceId) {
    let like = wait(world.work.definition(WS, like)).expect("it is there");
    let copy = |n| Definition {
        id: early(n),
        session: early(n),
        next_due_at: Some(Timestamp::from_micros(1)),
        recurrence: None,
        latest_run: None,
        run_state: None,
        ..like.clone()
    };
    write(world, ws, (0..MANY).map(|n| definition::insert(ws, &copy(n))).collect());
}

fn damaged_definitions_stop_no_schedule(world: &World) {
    let good = world.create("Standup", Some("daily at 9"));
    due_definitions(world, &good, WS);
    let damage = "UPDATE work_definitions SET state = 'dreaming' WHERE id <> ?1";
    write(world, WS, vec![Op::any(damage, params![good.to_string()])]);
    world.set("2026-03-02T08:00:00Z");
    let done = work(world, &Schedules(world.work.clone()), None);
    assert_eq!(done.lines.len(), MANY, "each is reported once");
    assert!(done.lines.iter().all(Result::is_err), "{:?}", done.lines[0]);
    assert_eq!(world.said(&good), ["03-02 09:00 queued"]);
}

fn a_check_names_damaged_rows_and_goes_on_past_them(world: &World) {
    let [bad, bad_run, wrong] = ["Mail", "Walk", "Standup"].map(|title| world.create(title, None));
    let damage = |sql, id: &WorkId| write(world, WS, vec![Op::any(sql, params![id.to_string()])]);
    damage("UPDATE work_definitions SET state = 'dreaming' WHERE id = ?1", &bad);
    damage("UPDATE work_runs SET created_by = 'nobody' WHERE work_id = ?1", &bad_run);
    damage("UPDATE work_definitions SET n_runs = 9 WHERE id = ?1", &wrong);
    let lines = wait(world.work.check(WS)).expect("the rest is readable");
    let named = [(&bad, "dreaming"), (&bad_run, "nobody"), (&wrong, "9 runs stored")];
    assert_eq!(lines.len(), named.len(), "{lines:?}");
    for (line, (id, what)) in lines.iter().zip(named) {
        assert!(line.contains(id.as_str()) && line.contains(what), "{line}");
    }
}

fn a_damaged_run_disables_its_schedule_and_stops_no_other(world: &World) {
    let bad = world.create("Mail", Some("daily at 8:30"));
    let good = world.create("Standup", Some("daily at 9"));
    world.set("2026-03-02T07:30:00Z");
    assert_eq!(world.plan(), []);
    let damage = "UPDATE work_runs SET created_by = 'nobody' WHERE work_id = ?1";
    write(world, WS, vec![Op::any(damage, params![bad.to_string()])]);
    world.set("2026-03-03T08:00:00Z");
    let lines = world.plan();
    let is_reported = |line: &str| line.contains("is disabled") && line.contains("nobody");
    assert!(matches!(&lines[..], [Ok(line)] if is_reported(line)), "{lines:?}");
    let found = wait(world.work.definition(WS, &bad)).expect("it is there");
    assert_eq!((found.state.name(), found.next_due_at), ("disabled", None));
    assert_eq!(world.said(&good), ["03-02 09:00 skipped missed", "03-03 09:00 queued"]);
    assert_eq!(world.plan(), [], "it is reported once");
}

fn the_schedules_of_one_workspace_are_found_behind_those_of_others(world: &World) {
    let good = world.create("Standup", Some("daily at 9"));
    due_definitions(world, &good, OTHER);
    let next = |of| wait(world.work.next_due(of)).expect("readable");
    assert_eq!(next(None), Some(Timestamp::from_micros(1)));
    assert_eq!(next(Some(OTHER)), Some(Timestamp::from_micros(1)));
    assert_eq!(next(Some(WS)).map(|at| world.local(at)).as_deref(), Some("03-02 09:00"));
    world.set("2026-03-02T08:00:00Z");
    assert_eq!(work(world, &Schedules(world.work.clone()), Some(WS)).lines, []);
    assert_eq!(world.said(&good), ["03-02 09:00 queued"]);
    assert_eq!(next(Some(OTHER)), Some(Timestamp::from_micros(1)), "the others are left alone");
}

/// Asks a question, with many others in front of it.
fn expired_question(world: &World, ws: WorkspaceId) -> WorkId {
    let id = world.create("Book the van", None);
    world.script.push(ask("Which van?"));
    world.drain();
    let run = world.runs(&id).remove(0).id;
    let expired_question = wait(world.work.questions(WS, &run)).expect("readable").remove(0);
    let copy = |n| Question {
        id: early(n),
        work: early(1),
        run: early(n),
        expires_at: expired_question.expires_at - std::time::Duration::from_secs(60),
        ..expired_question.clone()
    };
    write(world, ws, (0..MANY).map(|n| question::insert(ws, &copy(n))).collect());
    id
}

fn questions_that_cannot_be_given_up_stop_no_other(world: &World) {
    let id = expired_question(world, WS);
    write(world, WS, vec![Op::any("DELETE FROM deliveries", params![])]);
    let deliveries = || {
        let rows = world.raw("SELECT kind FROM deliveries");
        rows.iter().map(|row| row.text(0).expect("text").to_owned()).collect::<Vec<_>>()
    };
    let done = work(world, &UnsentQuestions(world.work.clone()), None);
    assert_eq!((done.lines.len(), deliveries()), (MANY, vec!["question".to_owned()]));
    let damage = "UPDATE work_questions SET run_id = 'none' WHERE id < ?1";
    write(world, WS, vec![Op::any(damage, params![early::<QuestionId>(MANY / 2).to_string()])]);
    world.later(limits::WORK_QUESTION_SECONDS);
    let done = work(world, &Expiry(world.work.clone()), None);
    assert_eq!(done.lines.len(), MANY, "half are damaged, and the work of half is gone");
    assert_eq!(world.runs(&id)[0].state, RunState::Expired);
}

fn the_questions_of_one_workspace_are_found_behind_those_of_others(world: &World) {
    let id = expired_question(world, OTHER);
    world.later(limits::WORK_QUESTION_SECONDS);
    assert_eq!(work(world, &Expiry(world.work.clone()), Some(WS)).lines, []);
    assert_eq!(world.runs(&id)[0].state, RunState::Expired);
}

fn a_question_whose_options_are_damaged_is_answered_or_expires(world: &World) {
    let with_question = |title: &str| {
        let id = world.create(title, None);
        world.script.push(ask("Which van?"));
        world.drain();
        id
    };
    let ids = ["Book the van", "Call the van"].map(with_question);
    write(world, WS, vec![Op::any("UPDATE work_questions SET options = '{'", params![])]);
    let open = ids.clone().map(|id| {
        let run = world.runs(&id).remove(0).id;
        wait(world.work.questions(WS, &run)).expect("readable").remove(0)
    });
    assert_eq!((open[0].question.as_str(), open[0].options.as_slice()), ("Which van?", &[][..]));
    assert!(open[0].has_damaged_options);
    wait(world.work.answer(WS, &open[0].id, "The left one.", &me())).expect("answered");
    world.later(limits::WORK_QUESTION_SECONDS);
    assert_eq!(work(world, &Expiry(world.work.clone()), None).lines, []);
    assert_eq!(world.runs(&ids[1])[0].state, RunState::Expired);
}

/// A result on its way to a task, with many others in front of it.
fn returning(world: &World, ws: WorkspaceId) -> TaskId {
    let task = world.create_task("Move", Vec::new());
    let id = world.create("Find vans", None);
    world.script.push(publish("Vans", "Three vans."));
    world.drain();
    let run = world.runs(&id).remove(0).id.to_string();
    let pending = |ws: WorkspaceId, run: String| {
        let sql = "INSERT INTO work_results (ws, run_id, attempt, task_id, is_pending)
                   VALUES (?1, ?2, 0, ?3, 1)";
        Op::any(sql, params![ws.0, run, task.to_string()])
    };
    let mut ops: Vec<Op> =
        (0..MANY).map(|n| pending(ws, early::<WorkRunId>(n).to_string())).collect();
    ops.push(pending(WS, run));
    write(world, ws, ops);
    task
}

fn entries(world: &World, task: &TaskId) -> usize {
    let view = world.task_view(task);
    view.entries.len()
}

fn results_that_cannot_be_brought_back_stop_no_other(world: &World) {
    let task = returning(world, WS);
    let damage = "UPDATE work_results SET task_id = 'nothing' WHERE run_id < ?1";
    write(world, WS, vec![Op::any(damage, params![early::<WorkRunId>(MANY / 2).to_string()])]);
    let done = work(world, &Results(world.work.clone()), None);
    assert_eq!(done.lines.len(), MANY, "half are damaged, and the run of half is gone");
    assert_eq!(entries(world, &task), 1);
}

fn the_results_of_one_workspace_are_found_behind_those_of_others(world: &World) {
    let task = returning(world, WorkspaceId(0));
    assert_eq!(work(world, &Results(world.work.clone()), Some(WS)).lines, []);
    assert_eq!(entries(world, &task), 1);
}

/// Whatever else of a call is damaged, and however many older ones another workspace has.
fn the_body_of_a_damaged_call_goes_too(world: &World) {
    let id = world.create("Read mail", None);
    world.script.push(publish("Mail", "Two letters."));
    world.drain();
    let over = world.runs(&id).remove(0);
    let called = |ws: WorkspaceId, run: &Run, received_at| {
        let call = HookCall {
            run: run.id.clone(),
            hook: early(1),
            delivery: run.id.to_string(),
            signed: run.id.to_string(),
            body_hash: String::new(),
            payload: "grüne Äpfel".into(),
            removed_bytes: None,
            sender: String::new(),
            received_at,
        };
        hook_call::insert(ws, &call)
    };
    let mut ops = vec![called(WS, &over, over.created_at)];
    for n in 1..MANY {
        let mut other = Run { id: early(n), n: i64::try_from(n).expect("small"), ..over.clone() };
        other.occurrence.original_start = n.to_string();
        ops.push(run::insert(OTHER, &other));
        ops.push(called(OTHER, &other, Timestamp::from_micros(1)));
    }
    ops.push(Op::any("UPDATE work_hook_calls SET hook_id = 'none'", params![]));
    write(world, WS, ops);
    world.later(limits::HOOK_BODY_SECONDS + 1);
    assert_eq!(work(world, &Bodies(world.work.clone()), Some(WS)).lines, []);
    let left = world.raw("SELECT payload, removed_bytes FROM work_hook_calls WHERE ws = 1");
    assert_eq!(left[0].text(0), Ok(""));
    assert_eq!(left[0].opt_int(1), Ok(Some(13)), "bytes, not letters");
    let others = "SELECT COUNT(*) FROM work_hook_calls WHERE removed_bytes IS NULL";
    assert_eq!(world.raw(others)[0].int(0), Ok(i64::try_from(MANY).expect("small") - 1));
}

fn all_work_is_paused_or_held_beside_what_is_damaged(world: &World) {
    let titles = ["Standup", "Mail", "Bank"];
    let [good, definition, runs] = titles.map(|title| world.create(title, Some("daily at 9")));
    world.set("2026-03-02T08:00:00Z");
    assert_eq!(world.plan(), []);
    let damage = |sql, id: &WorkId| write(world, WS, vec![Op::any(sql, params![id.to_string()])]);
    damage("UPDATE work_definitions SET state = 'dreaming' WHERE id = ?1", &definition);
    damage("UPDATE work_runs SET created_by = 'nobody' WHERE work_id = ?1", &runs);
    let deliveries =
        wait(world.work.pause_all(WS, &me())).expect_err("one of them cannot be paused");
    assert!(deliveries.to_string().contains("nobody"), "{deliveries}");
    assert_eq!(world.status(&good), "paused/skipped", "the others are");
    wait(world.work.resume(WS, &good, &me())).expect("resumed");
    let held = wait(world.work.hold_all(WS)).expect("held");
    assert!(held.iter().any(|one| one.id == good));
    assert_eq!(wait(world.work.definition(WS, &good)).expect("it").state.name(), "held");
    assert_eq!(wait(world.work.follow_zone(WS)).expect("it goes on"), 0);
}

each_engine! {
    all_work_is_paused_or_held_beside_what_is_damaged,
    the_body_of_a_damaged_call_goes_too,
    damaged_definitions_stop_no_schedule,
    a_check_names_damaged_rows_and_goes_on_past_them,
    a_damaged_run_disables_its_schedule_and_stops_no_other,
    the_schedules_of_one_workspace_are_found_behind_those_of_others,
    questions_that_cannot_be_given_up_stop_no_other,
    a_question_whose_options_are_damaged_is_answered_or_expires,
    the_questions_of_one_workspace_are_found_behind_those_of_others,
    results_that_cannot_be_brought_back_stop_no_other,
    the_results_of_one_workspace_are_found_behind_those_of_others,
}
