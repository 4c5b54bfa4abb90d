//! Cases that other systems got wrong. Each has a test: here, or where [`NAMED`] says.

use dormouse_scheduler::End;
use dormouse_store::agent::conversation;
use dormouse_testkit::scripted::Answer;
use dormouse_types::model::FragmentKind;
use dormouse_types::work::WorkSource;
use dormouse_work::definition::NewWork;
use dormouse_work::lifecycle::Edit;
use serde_json::json;

use crate::world::{WS, World, finish, me, publish, wait};

const DONE: End = End::Completed { cut: false };

/// The cases by the names under which they are known elsewhere: the file of the test, and the test.
///
/// Three are about channels, of which there are none yet: `transport_down_then_up_delivers_once`,
/// `dead_letter_in_needs_attention`, `two_targets_same_channel`. What a run comes to is told in the app, by rows
/// that its own commit writes.
const NAMED: &[(&str, &str, &str)] = &[
    ("claim_race_two_pollers", "planning", "two_nodes_make_one_run"),
    ("poll_reentry", "known", "a_poll_within_a_poll_plans_nothing_twice"),
    ("downtime_catch_up_skip", "planning", "time_away_is_caught_up_as_the_policy_says"),
    ("downtime_catch_up_once", "planning", "time_away_is_caught_up_as_the_policy_says"),
    ("downtime_catch_up_all", "planning", "time_away_is_caught_up_as_the_policy_says"),
    (
        "hourly_same_day_distinct_occurrences",
        "known",
        "hours_of_one_day_are_occurrences_of_their_own",
    ),
    (
        "dst_gap_and_overlap",
        "living",
        "a_daily_time_runs_once_a_day_across_both_changes_of_the_clock",
    ),
    (
        "zone_change_keeps_next_due",
        "planning",
        "a_zone_that_changes_neither_repeats_nor_loses_a_run",
    ),
    ("exact_tick_second", "living", "scheduled_work_runs_when_it_is_due"),
    ("manual_run_does_not_mask_tick", "living", "run_now_does_not_move_the_schedule"),
    (
        "new_schedule_does_not_fire_past",
        "living",
        "a_new_schedule_makes_new_occurrences_from_now_on",
    ),
    ("rename_keeps_history", "known", "another_title_keeps_the_history"),
    (
        "recurring_linked_task_runs_twice",
        "known",
        "work_that_is_linked_to_a_task_runs_at_each_of_its_times",
    ),
    (
        "crash_before_claim",
        "crates/cli/tests/cli/kill_work.rs",
        "agent_work_that_is_killed_at_a_commit_is_neither_missed_nor_doubled",
    ),
    ("crash_mid_run", "failing", "a_killed_run_resumes_once_by_itself"),
    (
        "crash_after_tool",
        "crates/cli/tests/cli/kill_work.rs",
        "agent_work_that_is_killed_at_a_commit_is_neither_missed_nor_doubled",
    ),
    ("crash_before_delivery", "conversations", "a_crash_before_the_last_commit_leaves_one_turn"),
    ("provider_silent_fresh_session", "failing", "a_provider_that_is_away_counts_as_no_failure"),
    // A question in prose has no options and nothing that waits for it: it needs a review.
    ("question_only_reply_is_needs_input", "asking", "a_question_in_prose_needs_review"),
    (
        "missing_outcome_is_needs_review",
        "bad_input",
        "a_run_that_only_says_that_it_is_done_has_no_result",
    ),
    ("final_gate_after_step_done", "steps", "what_is_published_later_is_checked_again"),
    (
        "review_approved_reaches_done",
        "conversations",
        "what_a_person_takes_for_a_result_is_said_then",
    ),
    (
        "busy_conversation_defers_delivery",
        "known",
        "a_conversation_in_which_somebody_writes_gets_the_result_once",
    ),
    ("one_alert_per_failure", "delivering", "a_run_that_failed_for_good_is_told"),
    (
        "restart_keeps_notifications",
        // Each command is a process of its own.
        "crates/cli/tests/cli/work.rs",
        "what_was_told_is_listed_and_marked_as_read",
    ),
    (
        "ws_gap_resync",
        "crates/server/tests/api/live.rs",
        "however_often_it_is_cut_off_a_client_sees_each_event_once_and_in_order",
    ),
    (
        "open_long_conversation_shows_newest",
        "crates/store/tests/cases/conversations.rs",
        "the_newest_turn_comes_first",
    ),
    (
        "message_case_preserved",
        "known",
        "a_conversation_in_which_somebody_writes_gets_the_result_once",
    ),
    ("stop_is_cancelled", "living", "a_cancelled_run_ends_and_frees_its_place"),
    (
        "live_tool_calls_not_stale",
        "crates/server/tests/api/live.rs",
        "events_of_agent_work_carry_the_work_its_status_its_turns_and_why_it_waits",
    ),
    (
        "paused_definition_stops_new_runs_and_lets_running_finish",
        "known",
        "a_pause_starts_nothing_and_lets_what_is_under_way_finish",
    ),
];

#[test]
fn each_known_case_has_its_test() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    for (name, file, test) in NAMED {
        let file = match file.contains('/') {
            true => format!("{root}/{file}"),
            false => format!("{root}/crates/work/tests/cases/{file}.rs"),
        };
        let source = std::fs::read_to_string(&file).expect("the file of a test");
        assert!(source.contains(&format!("fn {test}(")), "{name}: there is no {test} in {file}");
    }
}

/// A poll that begins while the one before is still planning.
fn a_poll_within_a_poll_plans_nothing_twice(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    world.set("2026-03-02T08:00:00Z");
    let schedules = dormouse_work::schedule::Schedules(world.work.clone());
    let now = dormouse_types::port::Clock::now(&world.clock);
    world.hooks.before_commit("work.plan", move || {
        let done = wait(dormouse_scheduler::Chore::work(&schedules, None, now));
        assert!(done.expect("it plans").lines.is_empty());
    });
    assert!(world.plan().is_empty());
    assert!(world.hooks.is_done());
    assert_eq!(world.said(&id), ["03-02 09:00 queued"]);
}

fn another_title_keeps_the_history(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    world.set("2026-03-02T08:00:00Z");
    world.script.push(finish("done", "The first of many."));
    assert_eq!(world.drain(), [DONE]);
    let edit = Edit { title: Some("Morning round".into()), ..Edit::default() };
    wait(world.work.edit(WS, &id, &edit, &me())).expect("it is renamed");
    world.set("2026-03-03T08:00:00Z");
    world.script.push(finish("done", "The second."));
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.said(&id), ["03-02 09:00 succeeded", "03-03 09:00 succeeded"]);
    let request = world.last_request();
    let text: String = request.fragments.iter().map(|it| it.text.as_str()).collect();
    assert!(text.contains("The first of many."), "the second run knows what the first did");
    assert!(world.prompt(FragmentKind::Work).contains("Morning round"));
}

fn work_that_is_linked_to_a_task_runs_at_each_of_its_times(world: &World) {
    let mut new = world.new_work("Water the plants", Some("daily at 9"));
    new.source = (WorkSource::Manual, Some("task-of-the-person".into()));
    let id = wait(world.work.create(WS, &new, &me())).expect("it is created").definition.id;
    for day in ["2026-03-02", "2026-03-03"] {
        world.set(&format!("{day}T08:00:00Z"));
        world.script.push(finish("done", "Watered."));
        assert_eq!(world.drain(), [DONE], "{day}");
    }
    assert_eq!(world.said(&id), ["03-02 09:00 succeeded", "03-03 09:00 succeeded"]);
}

fn a_pause_starts_nothing_and_lets_what_is_under_way_finish(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    world.set("2026-03-02T08:00:00Z");
    let goes_on = Answer::calls([("read_task_log", json!({}))]).and_goes_on();
    world.script.push(goes_on);
    world.script.push(finish("done", "To its end."));
    let (work, paused) = (world.work.clone(), id.clone());
    world.hooks.before_commit("run.turn", move || {
        wait(work.pause(WS, &paused, &me())).expect("it is paused");
    });
    assert_eq!(world.drain(), [DONE]);
    assert!(world.hooks.is_done());
    world.set("2026-03-03T08:00:00Z");
    assert_eq!(world.drain(), []);
    assert_eq!(world.said(&id), ["03-02 09:00 succeeded"]);
}

fn hours_of_one_day_are_occurrences_of_their_own(world: &World) {
    let id = world.create("Hourly", Some("every hour"));
    for hour in ["08", "09", "10"] {
        world.set(&format!("2026-03-02T{hour}:00:00Z"));
        world.script.push(finish("done", "Done."));
        assert_eq!(world.drain(), [DONE], "{hour}");
    }
    let starts: Vec<_> = world.runs(&id).into_iter().map(|run| run.occurrence).collect();
    assert_eq!(starts.len(), 3);
    assert!(starts.windows(2).all(|two| two[0] != two[1]), "{starts:?}");
}

/// Somebody adds a turn while the run is about to add its own.
fn a_conversation_in_which_somebody_writes_gets_the_result_once(world: &World) {
    let id = wait(world.work.begin_conversation(WS, "Prices", &me())).expect("it begins");
    let source = (WorkSource::Conversation, Some(id.to_string()));
    let new = NewWork { source, ..world.new_work("Prices", None) };
    wait(world.work.create(WS, &new, &me())).expect("it is created");
    world.script.push(publish("Notes", "Two LETTERS came, from ÅSA and bob@Example.org."));
    let (work, to) = (world.work.clone(), id.clone());
    world.hooks.before_commit("run.final", move || {
        wait(work.add_turn(WS, &to, "And Oslo?", None, &me())).expect("it is added");
    });
    assert_eq!(world.drain(), [DONE]);
    assert!(world.hooks.is_done());
    let turns = wait(world.store.all(conversation::turns_from(WS, &id, 1, 100))).expect("readable");
    let said: Vec<String> =
        turns.into_iter().map(|(_, turn)| turn.expect("sound").said.content).collect();
    let result = "Two LETTERS came, from ÅSA and bob@Example.org.";
    assert_eq!(said.iter().filter(|words| *words == result).count(), 1, "{said:?}");
    assert_eq!(said[said.len() - 2..], ["And Oslo?", result], "{said:?}");
}

each_engine! {
    a_conversation_in_which_somebody_writes_gets_the_result_once,
    a_poll_within_a_poll_plans_nothing_twice,
    another_title_keeps_the_history,
    work_that_is_linked_to_a_task_runs_at_each_of_its_times,
    a_pause_starts_nothing_and_lets_what_is_under_way_finish,
    hours_of_one_day_are_occurrences_of_their_own,
}
