//! Cases that agent work must get right, by name, each with the test that shows it: what other systems got
//! wrong, and input that is wrong, hostile or absurd. A test that is renamed or removed is missed here.

use xtask::repository;

const WORK: &str = "crates/work/tests/cases/";

/// (case, file, test).
///
/// Three known cases are about channels, of which there are none yet: `transport_down_then_up_delivers_once`,
/// `dead_letter_in_needs_attention` and `two_targets_same_channel`. What a run comes to is shown in the app, by rows
/// that its own commit writes.
const CASES: &[(&str, &str, &str)] = &[
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
    (
        "exact_tick_second",
        "crates/work/src/planner.rs",
        "what_is_due_runs_and_the_next_time_is_known",
    ),
    ("manual_run_does_not_mask_tick", "living", "run_now_does_not_move_the_schedule"),
    (
        "new_schedule_does_not_fire_past",
        "crates/work/src/planner.rs",
        "a_new_schedule_does_not_fire_for_the_past",
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
    (
        "provider_silent_fresh_session",
        "remembering",
        "a_provider_that_begins_a_new_session_unannounced_loses_nothing",
    ),
    ("question_only_reply_is_needs_input", "asking", "a_question_in_prose_needs_review"),
    ("missing_outcome_is_needs_review", "asking", "a_question_in_prose_needs_review"),
    ("final_gate_after_step_done", "steps", "what_is_published_later_is_checked_again"),
    (
        "review_approved_reaches_done",
        "crates/cli/tests/cli/work.rs",
        "a_question_is_answered_a_run_corrected_approved_declined_tried_again_and_removed",
    ),
    (
        "one_alert_per_failure",
        "crates/server/tests/api/work.rs",
        "what_waits_for_the_person_is_listed_until_it_is_dealt_with",
    ),
    (
        "restart_keeps_notifications",
        "crates/cli/tests/cli/work.rs",
        "deliveries_are_listed_and_marked_as_read",
    ),
    (
        "open_long_conversation_shows_newest",
        "crates/server/tests/api/conversations.rs",
        "what_is_scheduled_reports_in_one_conversation",
    ),
    (
        "message_case_preserved",
        "crates/server/tests/api/conversations.rs",
        "work_that_is_begun_in_a_conversation_reports_there_and_both_lead_to_each_other",
    ),
    (
        "ws_gap_resync",
        "crates/server/tests/api/live.rs",
        "a_cursor_of_another_server_or_of_nobody_is_answered_with_a_resync",
    ),
    (
        "busy_conversation_defers_delivery",
        "known",
        "a_conversation_in_which_somebody_writes_gets_the_result_once",
    ),
    (
        "live_tool_calls_not_stale",
        "failing",
        "a_run_that_goes_on_calling_tools_is_not_taken_for_dead",
    ),
    ("stop_is_cancelled", "living", "a_cancelled_run_ends_and_frees_its_place"),
    (
        "paused_definition_stops_new_runs_and_lets_running_finish",
        "known",
        "a_pause_starts_nothing_and_lets_what_is_under_way_finish",
    ),
];

/// (input, file, test).
const BAD_INPUT: &[(&str, &str, &str)] = &[
    (
        "FREQ=SECONDLY for ever, an unknown zone, a rule that never matches",
        "bad_input",
        "a_rule_that_means_nothing_is_disabled_and_stops_no_other",
    ),
    ("the same in words", "bad_input", "words_that_are_no_schedule_are_refused_with_what_to_write"),
    (
        "the same on the command line",
        "crates/cli/tests/cli/work_refused.rs",
        "bad_input_is_refused_with_what_to_do_and_changes_nothing",
    ),
    (
        "clocks set back and forth",
        "bad_input",
        "a_clock_that_is_set_back_and_forth_runs_each_time_once",
    ),
    ("two nodes at the same second", "planning", "two_nodes_make_one_run"),
    ("an instruction edited during the run", "living", "new_instructions_count_from_the_next_run"),
    ("a run that never finishes", "failing", "a_model_that_never_ends_is_stopped"),
    (
        "a run that says it is done and did nothing",
        "bad_input",
        "a_run_that_only_says_that_it_is_done_has_no_result",
    ),
    ("a run that asks in prose", "asking", "a_question_in_prose_needs_review"),
    ("a run that publishes 100 MB", "bad_input", "a_result_of_100_megabytes_is_refused"),
    ("a run that calls another definition's tools", "bad_input", "tools_of_other_work_are_refused"),
    ("a question answered twice", "bad_input", "a_repeated_answer_is_refused_with_the_first"),
    (
        "a question answered after it expired",
        "bad_input",
        "a_question_is_answered_once_and_not_after_it_expired",
    ),
    (
        "a question answered after its time, before it was closed",
        "asking",
        "an_answer_that_comes_too_late_is_refused_before_the_question_is_closed",
    ),
    (
        "a question answered by a token without `decide`",
        "crates/server/tests/api/scopes.rs",
        "every_operation_asks_for_its_scope_and_for_no_other",
    ),
    (
        "a webhook with a right signature and an old time",
        "hooks",
        "what_is_forged_late_malformed_or_unknown_starts_nothing_and_is_counted",
    ),
    (
        "a series of ten years with overrides",
        "bad_input",
        "ten_years_with_overrides_run_as_they_say",
    ),
];

#[test]
fn every_case_has_its_test() -> anyhow::Result<()> {
    let mut missing = Vec::new();
    for (case, file, test) in CASES.iter().chain(BAD_INPUT) {
        let path = match file.contains('/') {
            true => (*file).to_owned(),
            false => format!("{WORK}{file}.rs"),
        };
        if !repository::read(&path)?.contains(&format!("fn {test}(")) {
            missing.push(format!("{case}: {path} has no test {test}"));
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    Ok(())
}
