//! The life of a definition and its runs.

use dormouse_scheduler::End;
use dormouse_testkit::scripted::Answer;
use dormouse_types::model::FragmentKind;
use dormouse_types::work::{Overlap, WorkOutcome};
use dormouse_work::lifecycle::Edit;
use dormouse_work::{RequestContext, WorkError};
use serde_json::json;

use crate::world::{WS, World, finish, me, publish, wait};

const DONE: End = End::Completed { cut: false };

fn immediate_work_runs_at_once_and_leaves_its_result(world: &World) {
    let id = world.create("Compare prices", None);
    assert_eq!(world.status(&id), "pending/queued");
    world.script.push(publish("Prices", "The van costs 90."));
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.status(&id), "completed/succeeded");
    let run = world.runs(&id).remove(0);
    assert_eq!(run.result.as_deref(), Some("The van costs 90."));
    assert_eq!(run.result_title.as_deref(), Some("Prices"));
    assert_eq!(
        (run.outcome, run.summary.as_deref()),
        (Some(WorkOutcome::Done), Some("Published Prices."))
    );
    assert!(run.started_at.is_some() && run.completed_at.is_some());
    assert_eq!(world.drain(), [], "it runs once");
}

fn a_run_is_under_way_before_the_model_is_called(world: &World) {
    let id = world.create("Compare prices", None);
    let lease = world.scheduler("node");
    let row = wait(
        world.store.first(dormouse_store::agent::wake_queue::of_holder(WS, &world.runs(&id)[0].id)),
    );
    wait(lease.claim(WS, &row.expect("readable").expect("a row"))).expect("a claim");
    assert_eq!(world.status(&id), "running/running");
    assert!(world.script.requests().is_empty());
}

fn the_prompt_says_that_it_is_background_work_and_what_to_do(world: &World) {
    world.create("Compare prices", None);
    world.script.push(finish("no_op", "Nothing to do."));
    world.drain();
    assert!(world.prompt(FragmentKind::System).contains("background work"));
    assert_eq!(world.prompt(FragmentKind::Work), "# Compare prices\n\nDo Compare prices.");
    assert!(
        world
            .prompt(FragmentKind::Instruction)
            .starts_with("It is Monday 2026-03-02 08:00, Europe/Berlin. Do the work now.")
    );
    assert_eq!(world.prompt(FragmentKind::EarlierRuns), "");
}

fn scheduled_work_runs_when_it_is_due(world: &World) {
    let id = world.create("Standup", Some("every weekday at 9"));
    assert_eq!(world.drain(), []);
    assert_eq!(world.status(&id), "pending/none");
    for day in ["2026-03-02", "2026-03-03"] {
        world.set(&format!("{day}T07:59:59Z"));
        assert_eq!(world.drain(), []);
        world.set(&format!("{day}T08:00:00Z"));
        world.script.push(finish("done", "Prepared."));
        assert_eq!(world.drain(), [DONE], "{day}");
    }
    assert_eq!(world.said(&id), ["03-02 09:00 succeeded", "03-03 09:00 succeeded"]);
    let sessions: Vec<_> = world.runs(&id).into_iter().map(|run| run.session).collect();
    assert_eq!(sessions[0], sessions[1], "one session for the series");
}

fn a_daily_time_runs_once_a_day_across_both_changes_of_the_clock(world: &World) {
    let id = world.create("Night", Some("daily at 02:30"));
    let mut at = jiff::civil::date(2026, 3, 27);
    let mut n = 0;
    // Every hour of four days around each change.
    for _ in 0..2 {
        let end = at.checked_add(jiff::Span::new().days(4)).expect("a day");
        let mut hour = at.at(0, 10, 0, 0).in_tz("UTC").expect("a time");
        while hour.date() < end {
            world.clock.set(dormouse_types::Timestamp::from_jiff(hour.timestamp()));
            world.script.push(finish("done", "Slept."));
            n += world.drain().len();
            hour = hour.checked_add(jiff::Span::new().hours(1)).expect("a time");
        }
        at = jiff::civil::date(2026, 10, 23);
    }
    let said: Vec<_> =
        world.said(&id).into_iter().filter(|line| !line.contains("missed")).collect();
    // Looked at every hour, each was a little late and ran as the newest that was missed; so did the
    // one of the day before each stretch.
    let expected = [
        "03-26 02:30",
        "03-27 02:30",
        "03-28 02:30",
        "03-29 03:30",
        "03-30 02:30",
        "10-22 02:30",
        "10-23 02:30",
        "10-24 02:30",
        "10-25 02:30",
        "10-26 02:30",
    ];
    assert_eq!(said, expected.map(|at| format!("{at} succeeded")));
    assert_eq!(n, expected.len());
}

fn run_now_does_not_move_the_schedule(world: &World) {
    let id = world.create("Standup", Some("every weekday at 9"));
    let before = wait(world.work.definition(WS, &id)).expect("it is there").next_due_at;
    wait(world.work.run_now(WS, &id, &me())).expect("it is requested");
    world.script.push(finish("done", "By hand."));
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(wait(world.work.definition(WS, &id)).expect("it is there").next_due_at, before);
    world.set("2026-03-02T08:00:00Z");
    world.script.push(finish("done", "By time."));
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.said(&id), ["requested succeeded", "03-02 09:00 succeeded"]);
}

fn new_instructions_count_from_the_next_run(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    world.set("2026-03-02T08:00:00Z");
    let goes_on =
        Answer::calls([("list_agent_work", json!({ "from": "2026-03-01", "to": "2026-03-02" }))]);
    world.script.push(goes_on.and_goes_on());
    world.script.push(finish("done", "The old way."));
    let work = world.work.clone();
    let edited = id.clone();
    world.hooks.before_commit("run.turn", move || {
        let edit = Edit { instructions: Some("Do it in German.".into()), ..Edit::default() };
        wait(work.edit(WS, &edited, &edit, &me())).expect("it is edited");
    });
    assert_eq!(world.drain(), [DONE]);
    assert!(world.hooks.is_done());
    assert!(
        world.prompt(FragmentKind::Work).contains("Do Standup."),
        "the run under way keeps its own"
    );
    world.set("2026-03-03T08:00:00Z");
    world.script.push(finish("done", "The new way."));
    world.drain();
    assert!(world.prompt(FragmentKind::Work).contains("Do it in German."));
    let versions: Vec<_> = world.runs(&id).iter().map(|run| run.version).collect();
    assert_eq!(versions, [1, 2]);
}

fn a_new_schedule_makes_new_occurrences_from_now_on(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    world.set("2026-03-02T08:30:00Z");
    let edit = Edit { schedule: Some(world.schedule("daily at 9:15")), ..Edit::default() };
    wait(world.work.edit(WS, &id, &edit, &me())).expect("it is edited");
    assert_eq!(world.drain(), [], "a quarter past nine is over");
    world.set("2026-03-03T08:15:00Z");
    world.script.push(finish("done", "Later."));
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.said(&id), ["03-03 09:15 succeeded"]);
}

fn what_was_paused_never_runs_late(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    world.set("2026-03-02T07:59:00Z");
    wait(world.work.pause(WS, &id, &me())).expect("it is paused");
    assert_eq!(world.status(&id), "paused/none");
    world.set("2026-03-02T08:00:00Z");
    assert_eq!(world.drain(), []);
    world.set("2026-03-02T12:00:00Z");
    wait(world.work.resume(WS, &id, &me())).expect("it is resumed");
    assert_eq!(world.drain(), []);
    world.set("2026-03-03T08:00:00Z");
    world.script.push(finish("done", "Again."));
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.said(&id), ["03-02 09:00 skipped paused", "03-03 09:00 succeeded"]);
    let twice = wait(world.work.resume(WS, &id, &me())).expect_err("it is active");
    assert!(matches!(twice, WorkError::State { .. }), "{twice}");
}

fn what_a_pause_leaves_out_has_a_row_each_once(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    world.set("2026-03-02T08:00:00Z");
    world.plan();
    // The first one had its row before the pause, which leaves it out.
    wait(world.work.pause(WS, &id, &me())).expect("it is paused");
    world.set("2026-03-04T12:00:00Z");
    assert_eq!(world.drain(), []);
    let left_out =
        ["03-02 09:00 skipped paused", "03-03 09:00 skipped paused", "03-04 09:00 skipped paused"];
    wait(world.work.resume(WS, &id, &me())).expect("it is resumed");
    assert_eq!(world.said(&id), left_out);
    wait(world.work.pause(WS, &id, &me())).expect("it is paused");
    wait(world.work.resume(WS, &id, &me())).expect("it is resumed");
    assert_eq!(world.drain(), []);
    assert_eq!(world.said(&id), left_out, "each once");
    assert_eq!(world.status(&id), "completed/skipped");
    // What the schedule said until it was replaced was left out, too; nothing of the new one was.
    wait(world.work.pause(WS, &id, &me())).expect("it is paused");
    world.set("2026-03-05T12:00:00Z");
    let edit = Edit { schedule: Some(world.schedule("daily at 18:00")), ..Edit::default() };
    wait(world.work.edit(WS, &id, &edit, &me())).expect("it is edited");
    wait(world.work.resume(WS, &id, &me())).expect("it is resumed");
    assert_eq!(world.said(&id)[3..], ["03-05 09:00 skipped paused"]);
    assert_eq!(world.drain(), []);
}

fn what_was_due_before_held_work_was_paused_is_not_said_to_be_paused(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    wait(world.work.hold_all(WS)).expect("it is held");
    world.set("2026-03-03T12:00:00Z");
    wait(world.work.pause(WS, &id, &me())).expect("it is paused");
    world.set("2026-03-04T12:00:00Z");
    wait(world.work.resume(WS, &id, &me())).expect("it is resumed");
    assert_eq!(world.said(&id), ["03-04 09:00 skipped paused"]);
}

fn work_that_happens_once_says_that_it_was_paused(world: &World) {
    let id = world.create("Call", Some("tomorrow at 15:00"));
    wait(world.work.pause(WS, &id, &me())).expect("it is paused");
    world.set("2026-03-04T08:00:00Z");
    wait(world.work.resume(WS, &id, &me())).expect("it is resumed");
    assert_eq!(world.drain(), []);
    assert_eq!(world.said(&id), ["03-03 15:00 skipped paused"]);
}

fn a_pause_of_a_year_leaves_ten_rows_and_the_oldest_counts(world: &World) {
    let id = world.create("Look", Some("every hour"));
    wait(world.work.pause(WS, &id, &me())).expect("it is paused");
    world.set("2027-03-02T07:30:00Z");
    wait(world.work.resume(WS, &id, &me())).expect("it is resumed");
    let runs = world.runs(&id);
    assert_eq!(runs.len(), 10);
    let hours: Vec<String> =
        runs.iter().map(|run| world.local(run.scheduled_for.expect("due"))).collect();
    assert_eq!((hours[0].as_str(), hours[9].as_str()), ("03-01 23:00", "03-02 08:00"));
    let summaries: Vec<Option<&str>> = runs.iter().map(|run| run.summary.as_deref()).collect();
    let counted = "8751 times from 2026-03-02 09:00 on were left out, because it was paused.";
    assert_eq!(summaries[0], Some(counted));
    assert_eq!(summaries[1..], [None; 9]);
    world.script.push(finish("done", "Looked."));
    world.set("2027-03-02T08:00:00Z");
    assert_eq!(world.drain(), [DONE], "it goes on with the next");
}

fn a_pause_between_plan_and_claim_leaves_the_run_out(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    world.set("2026-03-02T08:00:00Z");
    let (work, paused) = (world.work.clone(), id.clone());
    world.hooks.before_commit("run.claim", move || {
        wait(work.pause(WS, &paused, &me())).expect("it is paused");
    });
    assert_eq!(world.drain(), []);
    assert!(world.hooks.is_done());
    assert_eq!(world.said(&id), ["03-02 09:00 skipped paused"]);
}

fn everything_can_be_paused_at_once(world: &World) {
    let ids = ["One", "Two"].map(|title| world.create(title, Some("daily at 9")));
    assert_eq!(wait(world.work.pause_all(WS, &me())).expect("paused"), 2);
    assert_eq!(wait(world.work.pause_all(WS, &me())).expect("paused"), 0);
    world.set("2026-03-02T08:00:00Z");
    assert_eq!(world.drain(), []);
    assert_eq!(ids.map(|id| world.status(&id)), ["paused/none", "paused/none"]);
}

fn what_was_paused_together_is_resumed_together(world: &World) {
    let ids = ["One", "Two"].map(|title| world.create(title, Some("daily at 9")));
    let alone = world.create("Alone", Some("daily at 9"));
    wait(world.work.pause(WS, &alone, &me())).expect("it is paused");
    world.script.push(finish("done", "Once."));
    let once = world.create("Once", None);
    world.drain();
    assert_eq!(wait(world.work.pause_all(WS, &me())).expect("paused"), 2, "one has ended");
    assert_eq!(world.status(&once), "completed/succeeded");
    // What is resumed and paused again by itself is no longer one of them.
    wait(world.work.resume(WS, &ids[1], &me())).expect("it is resumed");
    wait(world.work.pause(WS, &ids[1], &me())).expect("it is paused");
    assert_eq!(wait(world.work.resume_all(WS, &me())).expect("resumed"), 1);
    assert_eq!(wait(world.work.resume_all(WS, &me())).expect("resumed"), 0);
    let states = [&ids[0], &ids[1], &alone].map(|id| world.status(id));
    assert_eq!(states, ["pending/none", "paused/none", "paused/none"]);
}

fn what_is_deleted_starts_nothing_and_keeps_its_history(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    world.set("2026-03-02T08:00:00Z");
    world.script.push(finish("done", "Once."));
    world.drain();
    wait(world.work.run_now(WS, &id, &me())).expect("it is requested");
    wait(world.work.delete(WS, &id, &me())).expect("it is deleted");
    world.set("2026-03-05T08:00:00Z");
    assert_eq!(world.drain(), []);
    assert_eq!(world.said(&id), ["03-02 09:00 succeeded", "requested skipped paused"]);
    let gone = wait(world.work.definition(WS, &id)).expect_err("it is deleted");
    assert!(matches!(gone, WorkError::NotFound { .. }));
    assert!(wait(world.work.definitions(WS)).expect("readable").is_empty());
}

fn a_cancelled_run_ends_and_frees_its_place(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    let first = wait(world.work.run_now(WS, &id, &me())).expect("it is requested").id;
    let second = wait(world.work.run_now(WS, &id, &me())).expect("it is requested").id;
    let (work, cancelled) = (world.work.clone(), first.clone());
    world.script.push(finish("done", "Too late."));
    world.script.push(finish("done", "The second."));
    // The model has answered; the person was faster.
    world.hooks.before_commit("run.final", move || {
        wait(work.cancel(WS, &cancelled, &me())).expect("it is cancelled");
    });
    world.drain();
    world.drain();
    assert_eq!(world.said(&id), ["requested cancelled", "requested succeeded"]);
    assert_eq!(world.runs(&id)[0].ended_by.as_deref(), Some("owner"));
    wait(world.work.cancel(WS, &first, &me())).expect("to cancel twice changes nothing");
    let over = wait(world.work.cancel(WS, &second, &me())).expect_err("it has ended");
    assert!(matches!(over, WorkError::RunState { .. }), "{over}");
}

fn one_run_of_a_definition_is_under_way_at_a_time(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    let both = [(); 2].map(|()| wait(world.work.run_now(WS, &id, &me())).expect("requested").id);
    let scheduler = world.scheduler("a");
    let row = |run: &dormouse_types::WorkRunId| {
        let row = dormouse_store::agent::wake_queue::of_holder(WS, run);
        wait(world.store.first(row)).expect("readable").expect("a row")
    };
    let first = wait(scheduler.claim(WS, &row(&both[0]))).expect("a claim").expect("a lease");
    assert!(wait(scheduler.claim(WS, &row(&both[1]))).expect("no error").is_none());
    world.script.push(finish("done", "The first."));
    world.script.push(finish("done", "The second."));
    wait(scheduler.run_alive(first)).expect("it runs");
    assert_eq!(world.drain(), [DONE], "the end of the first lets the second start");
    assert_eq!(world.said(&id), ["requested succeeded", "requested succeeded"]);
}

fn parallel_runs_do_not_wait_for_each_other(world: &World) {
    let mut new = world.new_work("Standup", Some("daily at 9"));
    new.overlap = Overlap::Parallel;
    let id = wait(world.work.create(WS, &new, &me())).expect("it is created").definition.id;
    let scheduler = world.scheduler("a");
    for _ in 0..2 {
        let run = wait(world.work.run_now(WS, &id, &me())).expect("requested").id;
        let row = dormouse_store::agent::wake_queue::of_holder(WS, &run);
        let row = wait(world.store.first(row)).expect("readable").expect("a row");
        assert!(wait(scheduler.claim(WS, &row)).expect("a claim").is_some());
    }
    assert_eq!(world.said(&id), ["requested running", "requested running"]);
}

fn the_same_request_makes_one_definition(world: &World) {
    let new = world.new_work("Standup", None);
    let keyed = RequestContext { key: Some("k-1".into()), ..me() };
    let first = wait(world.work.create(WS, &new, &keyed)).expect("it is created").definition.id;
    assert_eq!(wait(world.work.create(WS, &new, &keyed)).expect("the same").definition.id, first);
    let other = RequestContext { sent: "Another one.".into(), ..keyed };
    let reused = wait(world.work.create(WS, &new, &other)).expect_err("another request");
    assert!(matches!(reused, WorkError::Reused { .. }), "{reused}");
    assert_eq!(wait(world.work.definitions(WS)).expect("readable").len(), 1);
}

fn the_view_for_other_programs_has_sixteen_columns(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    world.set("2026-03-02T08:00:00Z");
    world.script.push(finish("done", "Once."));
    world.drain();
    let rows = world.raw(
        "SELECT id, type, source_type, source_ref, title, instructions, status, session_id,
           recurrence_id, occurrence_date, scheduled_for, started_at, completed_at, created_by,
           log_path, created_at FROM tasks",
    );
    assert_eq!(rows.len(), 1);
    // In the order that other programs know, and nothing more.
    let all = world.raw("SELECT * FROM tasks");
    for n in 0..16 {
        assert_eq!(all[0].opt_text(n).expect("text"), rows[0].opt_text(n).expect("text"), "{n}");
    }
    assert!(all[0].opt_text(16).is_err(), "there are sixteen");
    let text = |n| rows[0].opt_text(n).expect("text").map(ToOwned::to_owned);
    assert_eq!(text(0), Some(id.to_string()));
    assert_eq!(text(1).as_deref(), Some("scheduled"));
    assert_eq!(text(5).as_deref(), Some("Do Standup."));
    assert_eq!(text(6).as_deref(), Some("completed"));
    assert_eq!(text(9).as_deref(), Some("2026-03-02T09:00:00"));
    assert_eq!(text(10).as_deref(), Some("2026-03-02T08:00:00Z"));
    assert_eq!(text(12).as_deref(), Some("2026-03-02T08:00:00Z"));
    assert_eq!(text(14), Some(format!("tasks/logs/{id}.jsonl")));
}

fn what_cannot_be_is_refused_with_what_to_do(world: &World) {
    let refused = |new| wait(world.work.create(WS, &new, &me())).expect_err("refused").to_string();
    let blank =
        dormouse_work::definition::NewWork { title: " ".into(), ..world.new_work("x", None) };
    assert_eq!(refused(blank), "the title is empty: write one");
    let long = "x".repeat(33 * 1024);
    let long =
        dormouse_work::definition::NewWork { instructions: long, ..world.new_work("x", None) };
    assert!(refused(long).contains("at most"));
    let words = |words: &str| {
        world.work.read_schedule(words, &world.reader()).expect_err("no schedule").to_string()
    };
    assert!(words("every 2 minutes").len() > 10);
    assert!(words("soonish").contains("is not understood in a schedule"));
    assert_eq!(
        words("1.3.2026 at 9"),
        "`1.3.2026 at 9` is about the past; write when it happens next"
    );
    let over = words("every day at 07:30 until 2.3.2026");
    assert!(
        over.ends_with("has no time that is still to come: write when it happens next"),
        "{over}"
    );
    let read = world.schedule("every weekday at 9");
    let next: Vec<_> = read
        .next
        .iter()
        .map(|one| world.local(dormouse_types::Timestamp::from_jiff(one.due)))
        .collect();
    assert_eq!(next, ["03-02 09:00", "03-03 09:00", "03-04 09:00", "03-05 09:00", "03-06 09:00"]);
}

each_engine! {
    immediate_work_runs_at_once_and_leaves_its_result,
    a_run_is_under_way_before_the_model_is_called,
    the_prompt_says_that_it_is_background_work_and_what_to_do,
    scheduled_work_runs_when_it_is_due,
    a_daily_time_runs_once_a_day_across_both_changes_of_the_clock,
    run_now_does_not_move_the_schedule,
    new_instructions_count_from_the_next_run,
    a_new_schedule_makes_new_occurrences_from_now_on,
    what_was_paused_never_runs_late,
    what_a_pause_leaves_out_has_a_row_each_once,
    what_was_due_before_held_work_was_paused_is_not_said_to_be_paused,
    work_that_happens_once_says_that_it_was_paused,
    a_pause_of_a_year_leaves_ten_rows_and_the_oldest_counts,
    a_pause_between_plan_and_claim_leaves_the_run_out,
    everything_can_be_paused_at_once,
    what_was_paused_together_is_resumed_together,
    what_is_deleted_starts_nothing_and_keeps_its_history,
    a_cancelled_run_ends_and_frees_its_place,
    one_run_of_a_definition_is_under_way_at_a_time,
    parallel_runs_do_not_wait_for_each_other,
    the_same_request_makes_one_definition,
    the_view_for_other_programs_has_sixteen_columns,
    what_cannot_be_is_refused_with_what_to_do,
}
