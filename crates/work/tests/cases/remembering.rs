//! What a run knows of earlier runs, and of what the person says.

use dormouse_journal::Edit;
use dormouse_scheduler::End;
use dormouse_store::agent::forgotten_entry;
use dormouse_store::agent::work::question;
use dormouse_store::agent::work::run::{self, Run};
use dormouse_store::{Commit, Db, Op, params};
use dormouse_testkit::scripted::Answer;
use dormouse_types::model::FragmentKind;
use dormouse_types::task::{EntryKind, Flags};
use dormouse_types::work::RunState;
use serde_json::json;

use crate::world::{WS, World, ask, finish, me, publish, says, wait};

const DONE: End = End::Completed { cut: false };

/// Runs a daily definition on the first days of March.
fn days(world: &World, n: usize) {
    for day in 2..2 + n {
        world.set(&format!("2026-03-{day:02}T08:00:00Z"));
        world.script.push(publish(&format!("Day {day}"), &format!("Text of day {day}.")));
        assert_eq!(world.drain(), [DONE]);
    }
}

fn the_next_run_knows_what_the_last_one_did_and_said(world: &World) {
    world.create("Standup", Some("daily at 9"));
    days(world, 2);
    let before = world.prompt(FragmentKind::EarlierRuns);
    assert!(before.contains("### Run of 2026-03-02 09:00, succeeded"), "{before}");
    assert!(before.contains("Text of day 2."), "{before}");
    assert!(before.contains("It ended: Published Day 2."), "{before}");
    assert!(!before.contains("Text of day 3."));
}

fn nine_runs_are_shown_in_full_and_of_more_the_older_in_a_line(world: &World) {
    world.create("Standup", Some("daily at 9"));
    days(world, 10);
    let nine = world.prompt(FragmentKind::EarlierRuns);
    assert_eq!(nine.matches("### Run of").count(), 9, "{nine}");
    days_from(world, 12);
    let ten = world.prompt(FragmentKind::EarlierRuns);
    assert_eq!(ten.matches("### Run of").count(), 4, "{ten}");
    assert!(ten.contains("- 2026-03-02 09:00, succeeded: Published Day 2."), "{ten}");
    assert!(ten.contains("Text of day 11."), "the last one in full");
    assert!(!ten.contains("Text of day 2."));
}

fn days_from(world: &World, day: usize) {
    world.set(&format!("2026-03-{day:02}T08:00:00Z"));
    world.script.push(publish(&format!("Day {day}"), &format!("Text of day {day}.")));
    assert_eq!(world.drain(), [DONE]);
}

fn long_runs_are_folded_sooner(world: &World) {
    world.create("Standup", Some("daily at 9"));
    for day in 2..6 {
        world.set(&format!("2026-03-{day:02}T08:00:00Z"));
        let call = || ("list_agent_work", json!({ "from": "2026-03-01", "to": "2026-03-02" }));
        let text = "word ".repeat(350);
        for _ in 0..35 {
            world.script.push(Answer::Turn {
                text: text.clone(),
                calls: match Answer::calls([call()]) {
                    Answer::Turn { calls, .. } => calls,
                    Answer::Fails(_) => Vec::new(),
                },
                ended: false,
            });
        }
        world.script.push(finish("done", &format!("Long day {day}.")));
        world.drain();
    }
    let before = world.prompt(FragmentKind::EarlierRuns);
    assert!(before.contains("- 2026-03-02 09:00, succeeded: Long day 2."), "folded");
    assert!(before.contains("### Run of 2026-03-04 09:00"), "the newest in full");
    assert!(before.len() < 4 * 50_000);
}

fn a_correction_reaches_the_run_under_way_and_all_later_ones(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    world.set("2026-03-02T08:00:00Z");
    let (work, corrected) = (world.work.clone(), id.clone());
    world.script.push(finish("done", "Without it."));
    world.script.push(finish("done", "With it."));
    world.hooks.once(dormouse_types::port::Stage::BeforeEffect, "model.ask", move || {
        wait(work.correct(WS, &corrected, "Leave out the weather.", &me())).expect("corrected");
    });
    assert_eq!(world.drain(), [DONE]);
    let turns = world.last_request().turns;
    let reply = &turns[0].results[0];
    assert!(reply.refused && reply.text.contains("Leave out the weather."), "{reply:?}");
    assert_eq!(world.runs(&id)[0].summary.as_deref(), Some("With it."));
    world.set("2026-03-03T08:00:00Z");
    world.script.push(finish("done", "Again."));
    world.drain();
    let reply = world.prompt(FragmentKind::Work);
    assert!(
        reply.contains("## Corrections of the person\n- 2026-03-02: Leave out the weather."),
        "{reply}"
    );
}

fn a_correction_while_a_model_ends_in_prose_is_in_the_closing_request(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    world.set("2026-03-02T08:00:00Z");
    let (work, corrected) = (world.work.clone(), id.clone());
    world.script.push(says("It will rain."));
    world.script.push(finish("done", "With it."));
    world.hooks.once(dormouse_types::port::Stage::BeforeEffect, "model.ask", move || {
        wait(work.correct(WS, &corrected, "Leave out the weather.", &me())).expect("corrected");
    });
    assert_eq!(world.drain(), [DONE]);
    let closing = world.prompt(FragmentKind::Instruction);
    assert!(closing.contains("The person corrects you:\n- Leave out the weather."), "{closing}");
    let run = world.runs(&id).remove(0);
    assert_eq!((run.state, run.summary.as_deref()), (RunState::Succeeded, Some("With it.")));
    let again = wait(world.work.run_now(WS, &id, &me())).expect("it runs");
    assert_eq!(again.revises, None, "the run has read it");
}

fn a_correction_right_before_a_run_finishes_is_read_first(world: &World) {
    let id = world.create("Standup", None);
    let (work, corrected) = (world.work.clone(), id.clone());
    world.script.push(finish("done", "Without it."));
    world.script.push(finish("done", "With it."));
    world.hooks.before_commit("run.final", move || {
        wait(work.correct(WS, &corrected, "Leave out the weather.", &me())).expect("corrected");
    });
    assert_eq!(world.drain(), [DONE]);
    assert!(world.hooks.is_done());
    let reply = world.last_request().turns[0].results[0].clone();
    assert!(reply.refused && reply.text.contains("Leave out the weather."), "{reply:?}");
    assert_eq!(world.runs(&id)[0].summary.as_deref(), Some("With it."));
}

fn a_correction_that_comes_too_late_for_the_last_request_is_named(world: &World) {
    let id = world.create("Standup", None);
    let (work, corrected) = (world.work.clone(), id.clone());
    world.script.push(says("It will rain."));
    world.script.push(finish("done", "Without it."));
    let ask = (dormouse_types::port::Stage::BeforeEffect, "model.ask");
    let hooks = world.hooks.clone();
    world.hooks.once(ask.0, ask.1, move || {
        hooks.once(ask.0, ask.1, move || {
            wait(work.correct(WS, &corrected, "Leave out the weather.", &me())).expect("corrected");
        });
    });
    assert_eq!(world.drain(), [DONE]);
    let run = world.runs(&id).remove(0);
    assert_eq!(run.state, RunState::NeedsReview);
    let error = run.error.expect("why");
    assert!(error.contains("a correction arrived as the run ended"), "{error}");
    world.script.push(finish("done", "With it."));
    wait(world.work.retry(WS, &run.id, &me())).expect("it is tried again");
    assert_eq!(world.drain(), [DONE]);
    assert!(world.prompt(FragmentKind::Work).contains("Leave out the weather."));
}

fn of_many_corrections_and_answers_the_newest_are_read(world: &World) {
    let id = world.create("Garden", Some("daily at 9"));
    for n in 0..13 {
        let text = format!("Correction {n}. {}", "Mind the roses. ".repeat(500));
        wait(world.work.correct(WS, &id, &text, &me())).expect("corrected");
    }
    wait(world.work.correct(WS, &id, "Never water the cactus.", &me())).expect("corrected");
    world.set("2026-03-02T08:00:00Z");
    world.script.push(ask("Which bed?"));
    world.drain();
    for n in 0..5 {
        let run = world.runs(&id).remove(0).id;
        let open = wait(world.store.all(question::of_run(WS, &run))).expect("questions");
        let open = open.into_iter().find(|one| one.closed_at.is_none()).expect("it asks");
        let answer = format!("Answer {n}. {}", "The left one. ".repeat(550));
        wait(world.work.answer(WS, &open.id, &answer, &me())).expect("answered");
        world.script.push(ask(&format!("And then, after {n}?")));
        world.drain();
    }
    let work = world.prompt(FragmentKind::Work);
    assert!(work.contains("Never water the cactus.") && work.contains("Correction 12."));
    assert!(!work.contains("Correction 1."));
    assert!(work.contains("(left out for want of room: 9 older corrections)"));
    assert!(work.contains("Answer 4.") && !work.contains("Answer 0."));
    assert!(work.contains("(left out for want of room: 1 older answered question)"));
    assert!(!work.contains("[cut:"));
}

/// What a provider keeps of a session is never relied upon: each request has all that the run knows.
fn a_provider_that_begins_a_new_session_unannounced_loses_nothing(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    world.script.push(publish("Notes", "Two letters came."));
    world.set("2026-03-02T08:00:00Z");
    world.drain();
    let lists = json!({ "from": "2026-03-02", "to": "2026-03-02" });
    world.script.push(Answer::calls([("list_agent_work", lists)]).and_goes_on());
    world.script.push(ask("Which garden?"));
    world.set("2026-03-03T08:00:00Z");
    world.drain();
    let run = world.runs(&id).remove(1).id;
    let question = wait(world.work.questions(WS, &run)).expect("readable").remove(0);
    wait(world.work.answer(WS, &question.id, "The back one.", &me())).expect("it is answered");
    world.script.push(finish("done", "Told about the back one."));
    assert_eq!(world.drain(), [DONE]);
    assert!(world.last_request().turns.is_empty(), "nothing that only another session knows");
    let earlier = world.prompt(FragmentKind::EarlierRuns);
    assert!(earlier.contains("It published: Notes"), "{earlier}");
    assert!(earlier.contains("This run so far:"), "{earlier}");
    assert!(earlier.contains("- called list_agent_work"), "{earlier}");
    let work = world.prompt(FragmentKind::Work);
    assert!(work.contains("Which garden?"), "{work}");
    assert!(work.contains("The person answered: The back one."), "{work}");
}

fn a_run_that_is_requested_after_a_correction_revises_the_one_before(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    let request = || wait(world.work.run_now(WS, &id, &me())).expect("a run");
    let correct = || wait(world.work.correct(WS, &id, "Shorter.", &me())).expect("corrected");
    world.script.push(finish("done", "Long."));
    correct();
    let first = request();
    world.drain();
    world.script.push(finish("done", "Long again."));
    let second = request();
    world.drain();
    correct();
    let third = request();
    let fourth = request();
    let revises: Vec<_> = world.runs(&id).into_iter().map(|run| run.revises).collect();
    assert_eq!(revises, [None, None, Some(second.id.clone()), None], "the third reads it already");
    (0..2).for_each(|_| world.script.push(finish("done", "Short.")));
    world.drain();
    let unrevised =
        [&first, &fourth].map(|run| wait(world.work.run(WS, &run.id)).expect("it").revises);
    assert_eq!(unrevised, [None, None]);
    assert_eq!(wait(world.work.run(WS, &third.id)).expect("it").revises, Some(second.id));
    correct();
    world.script.push(finish("done", "By its schedule."));
    world.set("2026-03-03T08:00:00Z");
    world.drain();
    assert_eq!(world.runs(&id).last().and_then(|run| run.revises.clone()), None, "the next day");
}

fn a_run_reads_the_log_of_another_definition(world: &World) {
    let first = world.create("Prices", None);
    world.script.push(publish("Prices", "The van costs 90."));
    world.drain();
    world.later(60);
    world.create("Summary", None);
    let list = ("list_agent_work", json!({ "from": "2026-03-02", "to": "2026-03-02" }));
    let read = ("read_task_log", json!({ "taskId": first }));
    world.script.push(Answer::calls([list, read]).and_goes_on());
    world.script.push(finish("done", "Read it."));
    assert_eq!(world.drain(), [DONE]);
    let turns = world.last_request().turns;
    let said: Vec<&str> = turns[0].results.iter().map(|result| result.text.as_str()).collect();
    assert!(
        said[0].contains("Published Prices.") && said[0].contains(first.as_ref_str()),
        "{said:?}"
    );
    assert!(said[1].contains("The van costs 90."), "{said:?}");
    assert!(said[1].contains("<data of=\"runs\">"), "it is data");
}

fn a_run_that_lists_its_own_day_is_still_answered_by_somebody_elses_model(world: &World) {
    world.ask_elsewhere();
    world.create("Prices", None);
    world.script.push(publish("Prices", "The van costs 90."));
    assert_eq!(world.drain(), [DONE]);
    let id = world.create("Summary", None);
    let list = ("list_agent_work", json!({ "from": "2026-03-02", "to": "2026-03-02" }));
    world.script.push(Answer::calls([list]).and_goes_on());
    world.script.push(finish("done", "Read it."));
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.status(&id), "completed/succeeded");
    let said = world.last_request().turns[0].results[0].text.clone();
    assert!(said.contains("Published Prices.") && !said.contains("kept back"), "{said}");
    assert!(!said.contains("Summary"), "it has nothing to tell itself: {said}");
}

fn of_a_long_day_the_newest_runs_are_listed_and_the_rest_is_said_to_be_left_out(world: &World) {
    let id = world.create("Prices", None);
    world.script.push(publish("Prices", "The van costs 90."));
    assert_eq!(world.drain(), [DONE]);
    let first = world.runs(&id).remove(0);
    let copy = |n: i64, figures: Option<&str>| {
        let id = format!("run-{n:026}").parse().expect("an id");
        let mut run = Run { id, n, ..first.clone() };
        run.occurrence.original_start = format!("earlier-{n}");
        run.summary = Some(format!("Said {n}."));
        run.figures = figures.map(ToOwned::to_owned);
        run
    };
    let built_in = (2..=150).map(|n| run::insert(WS, &copy(n, Some("[]"))));
    let ops: Vec<Op> =
        built_in.chain((151..=270).map(|n| run::insert(WS, &copy(n, None)))).collect();
    for ops in ops.chunks(100) {
        let commit = Commit::new("test", Db::Agent, WS).ops(ops.to_vec());
        wait(world.store.commit(commit)).expect("written");
    }
    let counted = "UPDATE work_definitions SET n_runs = 270, latest_run = ?1 WHERE id = ?2";
    let op = Op::any(counted, params![copy(270, None).id.to_string(), id.to_string()]);
    wait(world.store.commit(Commit::new("test", Db::Agent, WS).op(op))).expect("written");
    world.later(60);
    world.create("Summary", None);
    let list = ("list_agent_work", json!({ "from": "2026-03-02", "to": "2026-03-02" }));
    world.script.push(Answer::calls([list]).and_goes_on());
    world.script.push(finish("done", "Read it."));
    world.drain();
    let said = world.last_request().turns[0].results[0].text.clone();
    assert!(said.contains("the newest 100 runs; more ran before them"), "{said}");
    let lines: Vec<&str> = said.lines().filter(|line| line.contains("succeeded: ")).collect();
    assert_eq!(lines.len(), 100, "{said}");
    let ordered = |n: usize, of: &str| assert!(lines[n].contains(of), "{said}");
    ordered(0, "Said 172.");
    ordered(98, "Said 270.");
    ordered(99, "Published Prices.");
}

fn an_entry_that_agents_are_not_shown_is_not_shown_to_a_run(world: &World) {
    let says = |text: &str| Edit::AddEntry {
        kind: EntryKind::Text,
        text: Some(text.into()),
        transcript: None,
        minutes: None,
        on: None,
        tainted: false,
        flags: Flags::default(),
    };
    let task =
        world.create_task("Garden", vec![says("The quince is ill."), says("The quince blooms.")]);
    let view = world.task_view(&task);
    let ill = view.entries.iter().find(|it| it.value.says().contains("ill")).expect("it is there");
    let forget = forgotten_entry::insert(WS, &task, &ill.value.id);
    wait(world.store.commit(Commit::new("test", Db::Agent, WS).op(forget))).expect("written");
    let search = ("search", json!({ "query": "quince" }));
    let read = ("read_task", json!({ "taskId": task }));
    world.script.push(Answer::calls([search, read]).and_goes_on());
    world.script.push(finish("done", "Read it."));
    world.create("Look", None);
    assert_eq!(world.drain(), [DONE]);
    let turns = world.last_request().turns;
    for result in &turns[0].results {
        let said = &result.text;
        assert!(said.contains("blooms") && !said.contains("is ill"), "{said}");
    }
}

/// The summaries of a definition: first and last run, who wrote it, text.
fn summaries(world: &World) -> Vec<(i64, i64, String, String)> {
    let rows =
        world.raw("SELECT from_n, upto, model, text FROM work_summaries ORDER BY work_id, upto");
    let row = |row: &dormouse_store::Row| {
        let text = |n| row.text(n).expect("a text").to_owned();
        (row.int(0).expect("a number"), row.int(1).expect("a number"), text(2), text(3))
    };
    rows.iter().map(row).collect()
}

fn from_the_tenth_run_on_older_ones_are_folded_into_a_row_that_later_prompts_use(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    wait(world.work.correct(WS, &id, "Leave out the weather.", &me())).expect("corrected");
    days(world, 9);
    assert_eq!(summaries(world), Vec::new());
    days_from(world, 11);
    let folded = summaries(world);
    let [(1, 6, by, text)] = &folded[..] else { panic!("{folded:?}") };
    assert_eq!(by, "rules");
    assert!(text.starts_with("- 2026-03-02 09:00, succeeded: Published Day 2."), "{text}");
    assert!(text.ends_with("Corrections of the person:\n- Leave out the weather."), "{text}");
    days_from(world, 12);
    let before = world.prompt(FragmentKind::EarlierRuns);
    assert!(before.contains(&format!("Summary of 6 runs:\n{text}")), "{before}");
    assert_eq!(before.matches("### Run of").count(), 4, "{before}");
    assert!(before.find("Summary of").expect("there") < before.find("### Run of").expect("there"));
    // The rows of the folded runs are as they were.
    assert_eq!(world.runs(&id).len(), 11);
    assert_eq!(world.runs(&id)[0].result.as_deref(), Some("Text of day 2."));
    for day in 13..=18 {
        days_from(world, day);
    }
    let folded: Vec<_> =
        summaries(world).into_iter().map(|(from, upto, ..)| (from, upto)).collect();
    assert_eq!(folded, [(1, 6), (7, 12)], "each run is folded once");
}

/// Answers a request that folds runs.
fn keeps(summary: &str) -> Answer {
    Answer::calls([("keep_summary", json!({ "summary": summary }))])
}

fn a_model_folds_what_it_was_shown_before_the_first_turn(world: &World) {
    world.ask_own_server();
    world.create("Standup", Some("daily at 9"));
    days(world, 10);
    assert_eq!(summaries(world), Vec::new(), "the end of a run folds nothing for a language model");
    let names: Vec<String> =
        (2..8).map(|day| format!("2026-03-{day:02} 09:00, succeeded: quiet.")).collect();
    let summary = names.join("\n");
    world.script.push(keeps(&summary));
    days_from(world, 12);
    let requests = world.script.requests();
    let request = &requests[requests.len() - 2];
    assert!(request.fragments.iter().any(|it| it.text.contains("Text of day 2.")), "{request:?}");
    let shown = request.fragments.iter().any(|it| it.text.contains("Text of day 8."));
    assert!(!shown, "the newest stay in full");
    assert_eq!(summaries(world), [(1, 6, "script".into(), summary.clone())]);
    let before = world.prompt(FragmentKind::EarlierRuns);
    assert!(before.contains(&format!("Summary of 6 runs:\n{summary}")), "{before}");
    assert_eq!(before.matches("### Run of").count(), 4, "{before}");
}

fn a_summary_that_fails_its_check_folds_nothing_and_says_so(world: &World) {
    world.ask_own_server();
    let id = world.create("Standup", Some("daily at 9"));
    days(world, 10);
    world.script.push(keeps("On six days there was nothing."));
    days_from(world, 12);
    assert_eq!(summaries(world), Vec::new());
    let before = world.prompt(FragmentKind::EarlierRuns);
    assert!(before.contains("- 2026-03-02 09:00, succeeded: Published Day 2."), "{before}");
    assert_eq!(before.matches("### Run of").count(), 4, "{before}");
    let said = world.raw(
        "SELECT t.text FROM agent_entities e JOIN texts t ON t.ws = e.ws
         WHERE e.type = 'agentMessage' AND e.subtype = 'summary' AND t.text LIKE '%not folded%'",
    );
    let said = said.first().expect("it says so").text(0).expect("a text");
    let expected = "Earlier runs were not folded: the summary does not name the run \
        `2026-03-02 09:00, succeeded`.";
    assert_eq!(said, expected);
    assert_eq!(world.runs(&id).len(), 11, "and the run went on");
    assert_eq!(world.status(&id), "completed/succeeded");
}

/// The id as text.
trait AsText {
    fn as_ref_str(&self) -> &str;
}

impl AsText for dormouse_types::WorkId {
    fn as_ref_str(&self) -> &str {
        dormouse_types::Id::as_str(self)
    }
}

/// Two years of days, each with a long summary and a long result.
fn a_series_of_any_age_stays_within_the_prompt(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    days(world, 1);
    let first = world.runs(&id).remove(0);
    let copy = |n: i64| {
        let mut run =
            Run { id: format!("run-{n:026}").parse().expect("an id"), n, ..first.clone() };
        run.occurrence.original_start = format!("earlier-{n}");
        run.summary = Some("said ".repeat(400));
        run.result = Some("word ".repeat(6_000));
        run
    };
    let mut ops: Vec<Op> = (2..=730).map(|n| run::insert(WS, &copy(n))).collect();
    let counted = "UPDATE work_definitions SET n_runs = 730, latest_run = ?1 WHERE id = ?2";
    ops.push(Op::any(counted, params![copy(730).id.to_string(), id.to_string()]));
    for ops in ops.chunks(100) {
        let commit = Commit::new("test", Db::Agent, WS).ops(ops.to_vec());
        wait(world.store.commit(commit)).expect("written");
    }
    days_from(world, 3);
    let all = world.last_request().fragments;
    let n_bytes: usize = all.iter().map(|one| one.text.len()).sum();
    assert!(n_bytes < 4 * 50_000, "{n_bytes} bytes are sent");
    let before = world.prompt(FragmentKind::EarlierRuns);
    assert!(before.contains("### Run of"), "the newest are shown in full");
}

each_engine! {
    an_entry_that_agents_are_not_shown_is_not_shown_to_a_run,
    a_run_that_lists_its_own_day_is_still_answered_by_somebody_elses_model,
    of_a_long_day_the_newest_runs_are_listed_and_the_rest_is_said_to_be_left_out,
    the_next_run_knows_what_the_last_one_did_and_said,
    nine_runs_are_shown_in_full_and_of_more_the_older_in_a_line,
    long_runs_are_folded_sooner,
    a_series_of_any_age_stays_within_the_prompt,
    a_correction_reaches_the_run_under_way_and_all_later_ones,
    a_correction_right_before_a_run_finishes_is_read_first,
    a_correction_that_comes_too_late_for_the_last_request_is_named,
    a_correction_while_a_model_ends_in_prose_is_in_the_closing_request,
    of_many_corrections_and_answers_the_newest_are_read,
    a_provider_that_begins_a_new_session_unannounced_loses_nothing,
    a_run_that_is_requested_after_a_correction_revises_the_one_before,
    a_run_reads_the_log_of_another_definition,
    from_the_tenth_run_on_older_ones_are_folded_into_a_row_that_later_prompts_use,
    a_model_folds_what_it_was_shown_before_the_first_turn,
    a_summary_that_fails_its_check_folds_nothing_and_says_so,
}
