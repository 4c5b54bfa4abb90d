//! Occurrences become runs exactly once: across restarts, two nodes, and time away.

use std::sync::Arc;

use dormouse_scheduler::End;
use dormouse_store::agent::wake_queue;
use dormouse_store::agent::work::run::Run;
use dormouse_types::WorkId;
use dormouse_types::work::{CatchUp, Overlap};
use dormouse_work::definition::NewWork;
use dormouse_work::lifecycle::Edit;
use jiff::civil::DateTime;

use crate::world::{WS, World, finish, me, wait};

const DONE: End = End::Completed { cut: false };

fn two_nodes_make_one_run(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    world.set("2026-03-02T08:00:00Z");
    let other = Arc::new(world.another_node());
    let meanwhile = other.clone();
    // Both have read that it is due; the other one commits first.
    world.hooks.before_commit("work.plan", move || {
        meanwhile.plan();
    });
    world.plan();
    assert!(world.hooks.is_done());
    assert_eq!(world.said(&id), ["03-02 09:00 queued"]);
    other.script.push(finish("done", "The other one."));
    assert_eq!(other.drain(), [DONE]);
    assert_eq!(world.drain(), []);
    assert_eq!(world.said(&id), ["03-02 09:00 succeeded"]);
}

fn an_occurrence_has_one_row_even_if_the_position_goes_back(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    let before = world.raw("SELECT position FROM work_definitions");
    world.set("2026-03-02T08:00:00Z");
    world.script.push(finish("done", "Once."));
    world.drain();
    // As if a bug or a restored row moved the series back.
    let position = before[0].text(0).expect("a position").to_owned();
    let sql = "UPDATE work_definitions SET position = ?1, next_due_at = 0 WHERE ws = 1";
    let op = dormouse_store::Op::any(sql, dormouse_store::params![position]);
    let commit = dormouse_store::Commit::new("test.write", dormouse_store::Db::Agent, WS).op(op);
    wait(world.store.commit(commit)).expect("written");
    world.plan();
    assert_eq!(world.said(&id), ["03-02 09:00 succeeded"]);
    // What follows runs as if nothing had happened.
    world.set("2026-03-03T08:00:00Z");
    world.script.push(finish("done", "The next day."));
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.said(&id), ["03-02 09:00 succeeded", "03-03 09:00 succeeded"]);
}

/// Of several that were missed, one that has run is not the newest: the one before it is caught up with.
fn a_series_behind_its_runs_catches_up_with_what_did_not_run(world: &World) {
    let id = world.create("Hourly", Some("every hour"));
    let before = world.raw("SELECT position FROM work_definitions");
    let position = before[0].text(0).expect("a position").to_owned();
    world.set("2026-03-02T10:00:00Z");
    world.script.push(finish("done", "At eleven."));
    assert_eq!(world.drain(), [DONE]);
    let sql = "UPDATE work_definitions SET position = ?1, next_due_at = 0 WHERE ws = 1";
    let back = dormouse_store::Op::any(sql, dormouse_store::params![position]);
    let sql = "DELETE FROM work_runs WHERE ws = 1 AND n = 2";
    let lost = dormouse_store::Op::any(sql, dormouse_store::params![]);
    let renumbered = dormouse_store::Op::any(
        "UPDATE work_runs SET n = 2 WHERE ws = 1 AND n = 3",
        dormouse_store::params![],
    );
    let counted = dormouse_store::Op::any(
        "UPDATE work_definitions SET n_runs = 2 WHERE ws = 1",
        dormouse_store::params![],
    );
    let commit = dormouse_store::Commit::new("test.write", dormouse_store::Db::Agent, WS);
    let commit = commit.ops([back, lost, renumbered, counted]);
    wait(world.store.commit(commit)).expect("written");
    world.set("2026-03-02T10:05:00Z");
    world.script.push(finish("done", "At ten, late."));
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(
        world.said(&id),
        ["03-02 09:00 skipped missed", "03-02 11:00 succeeded", "03-02 10:00 succeeded"]
    );
}

fn time_away_is_caught_up_as_the_policy_says(world: &World) {
    let mut ids = Vec::new();
    for catch_up in [CatchUp::Skip, CatchUp::Once, CatchUp::All] {
        let mut new = world.new_work("Hourly", Some("every hour"));
        new.catch_up = catch_up;
        ids.push(wait(world.work.create(WS, &new, &me())).expect("it is created").definition.id);
    }
    world.set("2026-03-02T10:30:00Z");
    (0..4).for_each(|_| world.script.push(finish("done", "Done.")));
    assert_eq!(world.drain().len(), 4);
    let said: Vec<Vec<String>> = ids.iter().map(|id| world.said(id)).collect();
    let hours = ["03-02 09:00", "03-02 10:00", "03-02 11:00"];
    let all = |how: [&str; 3]| -> Vec<String> {
        hours.iter().zip(how).map(|(at, how)| format!("{at} {how}")).collect()
    };
    assert_eq!(said[0], all(["skipped missed"; 3]));
    assert_eq!(said[1], all(["skipped missed", "skipped missed", "succeeded"]));
    assert_eq!(said[2], all(["succeeded"; 3]));
}

fn missed_runs_are_caught_up_in_their_order(world: &World) {
    let new = NewWork { catch_up: CatchUp::All, ..world.new_work("Hourly", Some("every hour")) };
    let id = wait(world.work.create(WS, &new, &me())).expect("it is created").definition.id;
    world.set("2026-03-02T16:30:00Z");
    let n_runs = 9;
    (1..=n_runs).for_each(|n| world.script.push(finish("done", &format!("The {n}th."))));
    assert_eq!(world.drain().len(), n_runs);
    let summaries: Vec<_> = world.runs(&id).into_iter().map(|run| run.summary).collect();
    let in_order = (1..=n_runs).map(|n| Some(format!("The {n}th.")));
    assert_eq!(summaries, in_order.collect::<Vec<_>>());
}

fn how_late_a_missed_run_may_be_is_up_to_its_work(world: &World) {
    let mut ids = Vec::new();
    for hours in [0, 24, 72] {
        let mut new = world.new_work("Daily", Some("daily at 9"));
        (new.catch_up, new.catch_up_hours) = (CatchUp::All, hours);
        ids.push(wait(world.work.create(WS, &new, &me())).expect("it is created").definition.id);
    }
    let edit = Edit { catch_up_hours: Some(48), ..Edit::default() };
    let edited = wait(world.work.edit(WS, &ids[0], &edit, &me())).expect("it is changed");
    assert_eq!(edited.definition.catch_up_hours, 48);
    world.set("2026-03-04T09:00:00Z");
    (0..6).for_each(|_| world.script.push(finish("done", "Late.")));
    let n_runs = |id| world.said(id).iter().filter(|line| line.ends_with("succeeded")).count();
    assert_eq!(world.drain().len(), 6);
    assert_eq!(ids.iter().map(n_runs).collect::<Vec<_>>(), [2, 1, 3]);
}

fn runs_that_may_be_side_by_side_have_a_session_each(world: &World) {
    let sessions = |overlap| {
        let mut new = world.new_work("Hourly", Some("every hour"));
        new.overlap = overlap;
        let made = wait(world.work.create(WS, &new, &me())).expect("it is created").definition;
        for _ in 0..2 {
            wait(world.work.run_now(WS, &made.id, &me())).expect("a run");
        }
        let all: Vec<_> = world.runs(&made.id).into_iter().map(|run| run.session).collect();
        (made.session, all)
    };
    let (shared, all) = sessions(Overlap::Queue);
    assert_eq!(all, [shared.clone(), shared]);
    let (of_work, all) = sessions(Overlap::Parallel);
    assert!(all[0] != all[1] && !all.contains(&of_work), "{of_work} {all:?}");
}

fn a_long_time_away_is_planned_piece_by_piece(world: &World) {
    let id = world.create("Often", Some("every 10 minutes"));
    world.set("2026-03-05T07:05:00Z");
    world.script.push(finish("done", "The newest."));
    assert_eq!(world.drain(), [DONE]);
    let said = world.said(&id);
    assert_eq!(said.len(), 432, "one row for each, three days long");
    assert_eq!(said.last().map(String::as_str), Some("03-05 08:00 succeeded"));
    assert_eq!(said.iter().filter(|line| line.ends_with("skipped missed")).count(), 431);
}

fn what_overlaps_is_left_out_as_the_policy_says(world: &World) {
    let mut ids = Vec::new();
    for overlap in [Overlap::Skip, Overlap::Queue] {
        let mut new = world.new_work("Hourly", Some("every hour"));
        new.overlap = overlap;
        ids.push(wait(world.work.create(WS, &new, &me())).expect("it is created").definition.id);
    }
    // Nothing runs: the node only plans.
    for hour in ["08", "09", "10"] {
        world.set(&format!("2026-03-02T{hour}:00:00Z"));
        world.plan();
    }
    let said: Vec<Vec<String>> = ids.iter().map(|id| world.said(id)).collect();
    assert_eq!(
        said[0],
        ["03-02 09:00 queued", "03-02 10:00 skipped overlap", "03-02 11:00 skipped overlap"]
    );
    assert_eq!(
        said[1],
        ["03-02 09:00 queued", "03-02 10:00 queued", "03-02 11:00 skipped overlap"]
    );
}

fn a_zone_that_changes_neither_repeats_nor_loses_a_run(world: &World) {
    let mut new = world.new_work("Morning", Some("daily at 9"));
    new.catch_up = CatchUp::Skip;
    let id = wait(world.work.create(WS, &new, &me())).expect("it is created").definition.id;
    let follow = |to: &World| wait(to.work.follow_zone(WS)).expect("it follows");
    assert_eq!(follow(world), 0, "the zone is that of before");
    // At 5:00 in Berlin it is 13:00 in Tokyo: past nine.
    world.set("2026-03-02T04:00:00Z");
    let tokyo = world.in_zone("Asia/Tokyo");
    assert_eq!((follow(&tokyo), follow(&tokyo)), (1, 0));
    assert_eq!(tokyo.drain(), [], "what the clock was set past is missed");
    // At 12:00 in Tokyo it is 22:00 of the day before in New York.
    world.set("2026-03-03T03:00:00Z");
    assert_eq!(tokyo.drain(), []);
    let new_york = world.in_zone("America/New_York");
    assert_eq!(follow(&new_york), 1);
    world.set("2026-03-04T14:00:00Z");
    new_york.script.push(finish("done", "In New York."));
    assert_eq!(new_york.drain(), [DONE]);
    let due = |id| -> Vec<String> {
        let runs = world.runs(id);
        runs.iter().map(|run| format!("{} {}", run.occurrence.original_start, run.state)).collect()
    };
    let nine = |day: u8, how: &str| format!("2026-03-0{day}T09:00:00 {how}");
    assert_eq!(due(&id), [nine(2, "skipped"), nine(3, "skipped"), nine(4, "succeeded")]);
}

/// The person's clock is set past several times of a day at once.
fn what_the_clock_is_set_past_is_caught_up_as_the_policy_says(world: &World) {
    let mut ids = Vec::new();
    for catch_up in [CatchUp::Skip, CatchUp::Once, CatchUp::All] {
        for overlap in [Overlap::Parallel, Overlap::Queue] {
            let rule = "FREQ=DAILY;BYHOUR=18,19,20,21";
            let mut new = world.new_work("Evenings", Some(rule));
            (new.catch_up, new.overlap) = (catch_up, overlap);
            ids.push(
                wait(world.work.create(WS, &new, &me())).expect("it is created").definition.id,
            );
        }
    }
    // At 17:05 in Berlin it is past one in the morning in Tokyo.
    world.set("2026-03-02T16:05:00Z");
    assert_eq!(world.drain(), []);
    (0..10).for_each(|_| world.script.push(finish("done", "Done.")));
    assert_eq!(world.travel("Asia/Tokyo"), 6);
    world.drain();
    let said = |id| -> Vec<String> {
        let runs = world.runs(id);
        let line = |run: &Run| {
            let hour = &run.occurrence.original_start[11..13];
            let why = run.skip_reason.map(|why| format!(" {why}")).unwrap_or_default();
            format!("{hour} {}{why}", run.state)
        };
        runs.iter().map(line).collect()
    };
    let missed = "skipped missed";
    let all = |how: [&str; 4]| -> Vec<String> {
        ["18", "19", "20", "21"]
            .iter()
            .zip(how)
            .map(|(hour, how)| format!("{hour} {how}"))
            .collect()
    };
    let once = all([missed, missed, missed, "succeeded"]);
    let expected = [all([missed; 4]), once, all(["succeeded"; 4])];
    let found = || ids.iter().map(said).collect::<Vec<_>>();
    let each_twice: Vec<_> = expected.into_iter().flat_map(|one| [one.clone(), one]).collect();
    assert_eq!(found(), each_twice);
    // Its own clock shows these hours again, and nothing runs twice.
    world.travel("Europe/Berlin");
    world.set("2026-03-02T21:00:00Z");
    assert_eq!(world.drain(), []);
    assert_eq!(found(), each_twice);
}

/// Moves the person's clock at times that a seed says, between runs and while some are due.
fn travel(world: &World, seed: u64) -> Vec<String> {
    const ZONES: [&str; 5] =
        ["Pacific/Kiritimati", "Asia/Tokyo", "Europe/Berlin", "America/New_York", "UTC"];
    let schedules = ["daily at 9", "every day at 23:30", "every day at 9 Europe/London"];
    let works = schedules.map(|schedule| world.create(schedule, Some(schedule)));
    let mut random = seed;
    let mut below = |n: u64| {
        random =
            random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) % n
    };
    for _ in 0..60 {
        world.later(below(9) * 3600 + below(3600));
        if below(3) == 0 {
            let n = usize::try_from(below(5)).expect("one of five");
            world.travel(ZONES[n]);
        }
        if below(4) > 0 {
            for _ in 0..9 {
                world.script.push(finish("done", "Told."));
            }
            world.drain();
        }
    }
    let mut wrong = Vec::new();
    for (work, schedule) in works.iter().zip(schedules) {
        let mut starts: Vec<DateTime> = world
            .runs(work)
            .iter()
            .map(|run| run.occurrence.original_start.parse().expect("a time"))
            .collect();
        starts.sort();
        assert!(starts.len() > 5, "{schedule}: {starts:?}");
        for pair in starts.windows(2) {
            if pair[0].tomorrow().expect("a day") != pair[1] {
                wrong.push(format!("seed {seed}, {schedule}: {} and then {}", pair[0], pair[1]));
            }
        }
    }
    wrong
}

fn a_zone_that_moves_back_and_forth_leaves_each_day_with_one_row(world: &World) {
    assert_eq!(travel(world, 1), Vec::<String>::new());
}

fn a_run_that_waits_its_turn_starts_when_none_is_needed_any_more(world: &World) {
    let mut new = world.new_work("Hourly", Some("every hour"));
    new.overlap = Overlap::Queue;
    let id = wait(world.work.create(WS, &new, &me())).expect("it is created").definition.id;
    let run = || wait(world.work.run_now(WS, &id, &me())).expect("a run").id;
    let (first, second) = (run(), run());
    let row = |run| wait(world.store.first(wake_queue::of_holder(WS, run)));
    let row = |run| row(run).expect("readable").expect("a row");
    let node = world.scheduler("node");
    let under_way = wait(node.claim(WS, &row(&first))).expect("a claim");
    assert!(under_way.is_some() && wait(node.claim(WS, &row(&second))).expect("a claim").is_none());
    assert_eq!(row(&second).due_at, None, "it waits");
    let edit = Edit { overlap: Some(Overlap::Parallel), ..Edit::default() };
    wait(world.work.edit(WS, &id, &edit, &me())).expect("edited");
    assert!(row(&second).due_at.is_some(), "it is due");
    let beside = wait(node.claim(WS, &row(&second))).expect("a claim");
    assert!(beside.is_some(), "it is under way beside the other");
}

fn a_one_off_time_runs_once_and_is_over(world: &World) {
    let id = world.create("Reminder", Some("tomorrow at 15:00"));
    world.set("2026-03-03T14:00:00Z");
    world.script.push(finish("done", "Reminded."));
    assert_eq!(world.drain(), [DONE]);
    world.set("2026-04-03T14:00:00Z");
    assert_eq!(world.drain(), []);
    let definition = wait(world.work.definition(WS, &id)).expect("it is there");
    assert_eq!((definition.next_due_at, definition.recurrence), (None, None));
}

fn work_that_becomes_a_series_has_the_identity_of_one(world: &World) {
    let id = world.create("Reminder", Some("tomorrow at 15:00"));
    let recurrence = |schedule: &str| {
        let edit = Edit { schedule: Some(world.schedule(schedule)), ..Edit::default() };
        wait(world.work.edit(WS, &id, &edit, &me())).expect("it is changed");
        wait(world.work.definition(WS, &id)).expect("it is there").recurrence
    };
    assert_eq!(recurrence("daily at 15:00"), Some(id.to_string()));
    assert_eq!(recurrence("daily at 16:00"), Some(id.to_string()), "it is the same series");
    assert_eq!(recurrence("tomorrow at 15:00"), None, "it happens once again");
}

fn a_series_with_a_zone_of_its_own_stays_there_when_the_person_travels(world: &World) {
    let id = world.create("Market", Some("every day at 9 Europe/London"));
    let next = |of: &World| {
        wait(of.work.definition(WS, &id))
            .expect("it is there")
            .next_due_at
            .expect("due")
            .to_string()
    };
    let before = next(world);
    let tokyo = world.in_zone("Asia/Tokyo");
    assert_eq!(wait(tokyo.work.follow_zone(WS)).expect("it follows"), 0);
    assert_eq!(before, next(&tokyo));
    assert!(before.contains("T09:00:00"), "London has no daylight saving time in March: {before}");
}

fn a_rule_is_kept_in_words_where_they_mean_the_same(world: &World) {
    let words = |text: &str| world.schedule(text).words;
    assert_eq!(words("RRULE:FREQ=WEEKLY;BYDAY=MO;BYHOUR=9"), "RRULE:FREQ=WEEKLY;BYDAY=MO;BYHOUR=9");
    assert_eq!(
        words("DTSTART;TZID=Europe/London:20260302T090000 RRULE:FREQ=DAILY"),
        "every day at 09:00 Europe/London"
    );
    // Words would not say that it begins in April.
    let april = "DTSTART;TZID=Europe/London:20260401T090000 RRULE:FREQ=DAILY";
    assert_eq!(words(april), april);
    let rule = "FREQ=YEARLY;BYYEARDAY=100";
    assert_eq!(words(rule), rule);
}

fn the_next_due_time_of_all_is_known(world: &World) {
    assert_eq!(wait(world.work.next_due(None)).expect("readable"), None);
    world.create("Late", Some("daily at 11"));
    world.create("Early", Some("daily at 9"));
    let next = wait(world.work.next_due(None)).expect("readable").expect("a time");
    assert_eq!(world.local(next), "03-02 09:00");
}

fn a_request_runs_the_occurrence_that_is_due(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    world.set("2026-03-02T08:05:00Z");
    let run = wait(world.work.run_now(WS, &id, &me())).expect("it runs");
    assert_eq!((world.local(run.scheduled_for.expect("a time")), run.n), ("03-02 09:00".into(), 1));
    let next = wait(world.work.definition(WS, &id)).expect("it is there").next_due_at;
    assert_eq!(world.local(next.expect("a time")), "03-03 09:00");
    world.script.push(finish("done", "By hand."));
    assert_eq!(world.drain(), [DONE], "the schedule runs it no second time");
    assert_eq!(world.said(&id), ["03-02 09:00 succeeded"]);
    wait(world.work.run_now(WS, &id, &me())).expect("it runs once more");
    assert_eq!(world.said(&id), ["03-02 09:00 succeeded", "requested queued"]);
    assert_eq!(wait(world.work.definition(WS, &id)).expect("it is there").next_due_at, next);
}

fn of_several_that_are_due_a_request_runs_the_one_that_the_policy_would(world: &World) {
    let mut ids = Vec::new();
    for catch_up in [CatchUp::Skip, CatchUp::Once, CatchUp::All] {
        let new = NewWork { catch_up, ..world.new_work("Hourly", Some("every hour")) };
        ids.push(wait(world.work.create(WS, &new, &me())).expect("it is created").definition.id);
    }
    world.set("2026-03-02T10:30:00Z");
    for id in &ids {
        wait(world.work.run_now(WS, id, &me())).expect("it runs");
    }
    let left_out = ["03-02 09:00 skipped missed", "03-02 10:00 skipped missed"];
    let newest = [&left_out[..], &["03-02 11:00 queued"]].concat();
    assert_eq!(world.said(&ids[0]), newest, "the person wants it, whatever the policy");
    assert_eq!(world.said(&ids[1]), newest);
    assert_eq!(world.said(&ids[2]), ["03-02 09:00 queued"], "the others stay due");
    (0..5).for_each(|_| world.script.push(finish("done", "Done.")));
    assert_eq!(world.drain().len(), 5);
    let all = ["03-02 09:00 succeeded", "03-02 10:00 succeeded", "03-02 11:00 succeeded"];
    assert_eq!(world.said(&ids[2]), all);
}

fn a_request_runs_what_is_due_however_old_it_is(world: &World) {
    let weekly = world.create("Weekly", Some("every monday at 9"));
    let often = world.create("Often", Some("every 10 minutes"));
    world.set("2026-03-05T07:05:00Z");
    for id in [&weekly, &often] {
        wait(world.work.run_now(WS, id, &me())).expect("it runs");
    }
    assert_eq!(world.said(&weekly), ["03-02 09:00 queued"]);
    let said = world.said(&often);
    assert_eq!(said.len(), 432, "one row for each, three days long");
    assert_eq!(said[431], "03-05 08:00 queued");
    assert!(said[..431].iter().all(|line| line.ends_with("skipped missed")), "{said:?}");
}

/// A command and a server, two servers, or two commands: the first of them runs it.
fn a_request_and_the_schedule_make_one_run_of_an_occurrence(world: &World) {
    type Other = fn(&World, &WorkId);
    let plans: Other = |other, _| drop(other.plan());
    let requests: Other = |other, id| drop(wait(other.work.run_now(WS, id, &me())).expect("a run"));
    let due = ["2026-03-02T08:00:00Z", "2026-03-03T08:00:00Z", "2026-03-04T08:00:00Z"];
    let id = world.create("Standup", Some("daily at 9"));
    let all = [("work.run", plans), ("work.run", requests), ("work.plan", requests)];
    for ((commit, other), at) in all.into_iter().zip(due) {
        world.set(at);
        let (node, of) = (world.another_node(), id.clone());
        world.hooks.before_commit(commit, move || other(&node, &of));
        match commit {
            "work.run" => {
                let run = wait(world.work.run_now(WS, &id, &me())).expect("the run of the other");
                assert_eq!(run.id, world.runs(&id).pop().expect("a run").id);
            }
            _ => drop(world.plan()),
        }
        assert!(world.hooks.is_done());
        world.script.push(finish("done", "Once."));
        assert_eq!(world.drain(), [DONE], "{commit} at {at}");
    }
    let days = ["03-02 09:00 succeeded", "03-03 09:00 succeeded", "03-04 09:00 succeeded"];
    assert_eq!(world.said(&id), days);
}

each_engine! {
    a_request_runs_the_occurrence_that_is_due,
    of_several_that_are_due_a_request_runs_the_one_that_the_policy_would,
    a_request_runs_what_is_due_however_old_it_is,
    a_request_and_the_schedule_make_one_run_of_an_occurrence,
    two_nodes_make_one_run,
    an_occurrence_has_one_row_even_if_the_position_goes_back,
    a_series_behind_its_runs_catches_up_with_what_did_not_run,
    a_zone_that_changes_neither_repeats_nor_loses_a_run,
    what_the_clock_is_set_past_is_caught_up_as_the_policy_says,
    a_zone_that_moves_back_and_forth_leaves_each_day_with_one_row,
    time_away_is_caught_up_as_the_policy_says,
    missed_runs_are_caught_up_in_their_order,
    how_late_a_missed_run_may_be_is_up_to_its_work,
    runs_that_may_be_side_by_side_have_a_session_each,
    a_long_time_away_is_planned_piece_by_piece,
    what_overlaps_is_left_out_as_the_policy_says,
    a_run_that_waits_its_turn_starts_when_none_is_needed_any_more,
    a_one_off_time_runs_once_and_is_over,
    work_that_becomes_a_series_has_the_identity_of_one,
    a_series_with_a_zone_of_its_own_stays_there_when_the_person_travels,
    a_rule_is_kept_in_words_where_they_mean_the_same,
    the_next_due_time_of_all_is_known,
}
