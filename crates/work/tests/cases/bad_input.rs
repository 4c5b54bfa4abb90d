//! What is wrong, hostile or absurd at the boundary: schedules that mean nothing, clocks that jump, runs that
//! do what no run should.

use dormouse_formats::recurrence::{Clock, Exception, Person, Position, Series, Start};
use dormouse_scheduler::End;
use dormouse_store::agent::conversation;
use dormouse_testkit::scripted::Answer;
use dormouse_types::ConversationId;
use dormouse_types::work::RunState;
use dormouse_work::definition::ReadSchedule;
use dormouse_work::{WorkError, series_text};
use jiff::ToSpan as _;
use jiff::civil::{Time, date};
use jiff::tz::TimeZone;
use serde_json::json;

use crate::world::{WS, World, ask, finish, me, wait};

const DONE: End = End::Completed { cut: false };

fn words_that_are_no_schedule_are_refused_with_what_to_write(world: &World) {
    for (words, says) in [
        ("every second", "every second"),
        ("every minute", "too often"),
        ("daily at 9 Mars/Olympus", "Mars/Olympus"),
        ("30 February 2027", "30 February"),
        ("yesterday at 9", "past"),
    ] {
        let refused = world.work.read_schedule(words, &world.reader()).expect_err(words);
        let mut said = refused.to_string();
        let mut source = std::error::Error::source(&refused);
        while let Some(error) = source {
            said = format!("{said}: {error}");
            source = error.source();
        }
        assert!(said.contains(says), "{words}: {said}");
    }
}

/// However such a row came to be: it is reported, it starts nothing, and it holds up nothing else.
fn a_rule_that_means_nothing_is_disabled_and_stops_no_other(world: &World) {
    let good = world.create("Standup", Some("daily at 9"));
    for (title, schedule, says) in [
        ("Seconds", "DTSTART:20260302T090000\nRRULE:FREQ=SECONDLY", "SECONDLY"),
        ("Zone", "DTSTART;TZID=Mars/Olympus:20260302T090000\nRRULE:FREQ=DAILY", "Mars/Olympus"),
        ("Never", "DTSTART:20260302T090000\nRRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "never"),
    ] {
        let bad = world.create(title, Some("daily at 8:30"));
        let sql = "UPDATE work_definitions SET schedule = ?1, next_due_at = 0 WHERE id = ?2";
        let params = dormouse_store::params![schedule.to_owned(), bad.to_string()];
        let op = dormouse_store::Op::any(sql, params);
        let commit =
            dormouse_store::Commit::new("test.write", dormouse_store::Db::Agent, WS).op(op);
        wait(world.store.commit(commit)).expect("written");
        let lines = world.plan();
        let is_reported = |line: &str| line.contains("is disabled") && line.contains(says);
        assert!(matches!(&lines[..], [Ok(line)] if is_reported(line)), "{title}: {lines:?}");
        let found = wait(world.work.definition(WS, &bad)).expect("it is there");
        assert_eq!((found.state.name(), found.next_due_at), ("disabled", None), "{title}");
        assert_eq!(world.said(&bad), Vec::<String>::new(), "{title}");
    }
    world.set("2026-03-02T08:00:00Z");
    world.script.push(finish("done", "Done."));
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.said(&good), ["03-02 09:00 succeeded"]);
}

fn a_clock_that_is_set_back_and_forth_runs_each_time_once(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    (0..3).for_each(|_| world.script.push(finish("done", "Done.")));
    for at in [
        "2026-03-02T08:00:00Z",
        // Back by an hour, and past nine again.
        "2026-03-02T07:00:00Z",
        "2026-03-02T08:00:00Z",
        // Forth by a day, back, and there again.
        "2026-03-03T08:00:30Z",
        "2026-03-02T12:00:00Z",
        "2026-03-03T08:00:10Z",
        "2026-03-04T08:00:00Z",
    ] {
        world.set(at);
        world.drain();
    }
    let nine = |day: u8| format!("03-0{day} 09:00 succeeded");
    assert_eq!(world.said(&id), [nine(2), nine(3), nine(4)]);
}

fn a_run_that_only_says_that_it_is_done_has_no_result(world: &World) {
    let id = world.create("Report", None);
    world.script.push(finish("done", "I wrote the report and sent it to everybody."));
    assert_eq!(world.drain(), [DONE]);
    let run = world.runs(&id).remove(0);
    assert_eq!((run.state, run.result, run.result_title), (RunState::Succeeded, None, None));
    let scheduled = world.create("Report", Some("every day at 9"));
    world.script.push(finish("done", "I wrote the report and sent it to everybody."));
    world.set("2026-03-02T08:00:00Z");
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.status(&scheduled), "completed/succeeded");
    let events = ConversationId::of_scheduled_events();
    let turns = wait(world.store.all(conversation::turns_from(WS, &events, 1, 100)));
    let (_, turn) = turns.expect("readable").remove(0);
    let said = turn.expect("sound").message.content;
    assert_eq!(said, "It ended without a result; what it did is in its log.");
}

fn tools_of_other_work_are_refused(world: &World) {
    let id = world.create("Report", None);
    let foreign = Answer::calls([
        ("update_report", json!({ "text": "Mine now." })),
        ("start_agent_work", json!({ "title": "More of me" })),
    ]);
    world.script.push(foreign.and_goes_on());
    world.script.push(finish("no_op", "Nothing that I may do."));
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.status(&id), "completed/no_op");
    let requests = world.script.requests();
    let turns = format!("{:?}", requests.last().expect("a second turn").turns);
    assert!(turns.contains("update_report") && turns.contains("start_agent_work"), "{turns}");
    assert_eq!(
        wait(world.work.definitions(WS)).expect("readable").len(),
        1,
        "nothing else is made"
    );
}

/// 100 MB on one engine: what the limit is does not depend on it.
fn a_result_is_at_most_as_long_as_it_may_be(world: &World, bytes: usize) {
    let id = world.create("Report", None);
    let huge = json!({ "title": "All", "text": "x".repeat(bytes) });
    world.script.push(Answer::calls([("publish_result", huge)]).and_goes_on());
    world.script.push(finish("done", "Published everything."));
    assert_eq!(world.drain(), [DONE]);
    let run = world.runs(&id).remove(0);
    assert_eq!((run.state, run.result), (RunState::Succeeded, None), "it is refused");
}

fn a_result_that_is_too_long_is_refused(world: &World) {
    a_result_is_at_most_as_long_as_it_may_be(world, 100 * 1024 + 1);
}

#[test]
fn a_result_of_100_megabytes_is_refused() {
    a_result_is_at_most_as_long_as_it_may_be(&World::new(), 100_000_000);
}

fn a_question_is_answered_once_and_not_after_it_expired(world: &World) {
    let id = world.create("Report", None);
    world.script.push(ask("Which garden?"));
    world.drain();
    let run = world.runs(&id).remove(0).id;
    let question = wait(world.work.questions(WS, &run)).expect("readable").remove(0).id;
    world.later(7 * 24 * 3600 + 1);
    world.sweep();
    assert_eq!(world.status(&id), "failed/expired");
    let late = wait(world.work.answer(WS, &question, "The front.", &me()));
    assert!(late.is_err(), "{late:?}");
    assert_eq!(world.drain(), [], "nothing goes on");
}

/// Ten years of a daily time, of which every tenth was moved, cancelled or taken out.
fn ten_years_with_overrides_run_as_they_say(world: &World) {
    let person = Person {
        zone: TimeZone::get("Europe/Berlin").expect("a zone"),
        day_due_at: Time::constant(8, 0, 0, 0),
    };
    let start = date(2026, 3, 2).at(9, 0, 0, 0);
    let rule = "FREQ=DAILY".parse().expect("a rule");
    let mut series = Series::new(start, Clock::Floating, rule, &person).expect("a series");
    let day = |n: i64| start.checked_add(n.days()).expect("a day");
    for n in (1..3650).step_by(10) {
        let original = Start::at(day(n));
        series.except(match n % 30 {
            1 => Exception::Cancelled(original),
            11 => Exception::Excluded(original),
            _ => Exception::Moved {
                original,
                to: Start::at(original.civil.checked_add(30.minutes()).expect("a time")),
                clock: Clock::Floating,
            },
        });
    }
    let text = series_text::write(&series);
    assert_eq!(series_text::read(&text, &person).as_ref(), Ok(&series));
    let schedule = ReadSchedule {
        words: "daily".into(),
        series: series.clone(),
        sentence: "Daily.".into(),
        next: Vec::new(),
        early: Vec::new(),
    };
    let mut new = world.new_work("Decade", None);
    new.schedule = Some(schedule);
    let id = wait(world.work.create(WS, &new, &me())).expect("it is created").definition.id;
    // The last days of the ten years: 3621 is half an hour late, 3631 cancelled, 3641 taken out.
    let at = |n: i64| {
        let civil = day(n).checked_sub(1.minutes()).expect("a time");
        let zoned = civil.to_zoned(person.zone.clone()).expect("a time");
        dormouse_types::Timestamp::from_jiff(zoned.timestamp())
    };
    world.clock.set(at(3618));
    wait(world.work.pause(WS, &id, &me())).expect("it is paused");
    wait(world.work.resume(WS, &id, &me())).expect("it is resumed");
    let near = Position::new(at(3618).to_jiff(), &person);
    let next = series.next_due(&near, &person).expect("it goes on");
    assert!(next.steps < 100, "{} steps in the tenth year", next.steps);
    for n in 3618..3642 {
        world.clock.set(at(n));
        world.later(60);
        world.script.push(finish("done", "Done."));
        world.drain();
        world.later(30 * 60);
        world.drain();
    }
    let runs = world.runs(&id);
    let (left_out, ran): (Vec<_>, Vec<_>) =
        runs.iter().partition(|run| run.state == RunState::Skipped);
    assert_eq!(left_out.len(), 10, "of all that was due in a pause of ten years");
    let ran: Vec<String> = ran.iter().map(|run| run.occurrence.original_start.clone()).collect();
    let expected: Vec<String> =
        (3618..3642).filter(|n| ![3631, 3641].contains(n)).map(|n| day(n).to_string()).collect();
    assert_eq!(ran, expected);
    let late = world
        .runs(&id)
        .into_iter()
        .rfind(|run| run.occurrence.original_start == day(3621).to_string());
    let due = late.and_then(|run| run.scheduled_for).expect("it was due");
    assert!(world.local(due).ends_with("09:30"), "{}", world.local(due));
}

fn a_repeated_answer_is_refused_with_the_first(world: &World) {
    let id = world.create("Report", None);
    world.script.push(ask("Which garden?"));
    world.drain();
    let run = world.runs(&id).remove(0).id;
    let question = wait(world.work.questions(WS, &run)).expect("readable").remove(0).id;
    wait(world.work.answer(WS, &question, "The front.", &me())).expect("it is answered");
    let again = wait(world.work.answer(WS, &question, "The back.", &me())).expect_err("once");
    assert!(matches!(again, WorkError::Answered { .. }), "{again:?}");
}

each_engine! {
    words_that_are_no_schedule_are_refused_with_what_to_write,
    a_rule_that_means_nothing_is_disabled_and_stops_no_other,
    a_clock_that_is_set_back_and_forth_runs_each_time_once,
    a_run_that_only_says_that_it_is_done_has_no_result,
    tools_of_other_work_are_refused,
    a_result_that_is_too_long_is_refused,
    a_question_is_answered_once_and_not_after_it_expired,
    ten_years_with_overrides_run_as_they_say,
    a_repeated_answer_is_refused_with_the_first,
}
