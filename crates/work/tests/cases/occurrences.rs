//! A person skips, moves, restores and suspends single occurrences.

use dormouse_scheduler::End;
use dormouse_testkit::ManualClock;
use dormouse_types::WorkId;
use dormouse_types::port::Clock as _;
use dormouse_types::work::RunStart;
use dormouse_work::WorkError;
use dormouse_work::occurrence::{UpcomingOccurrence, Wish};
use dormouse_work::run_start::started_by;

use crate::world::{WS, World, finish, me, wait};

const DONE: End = End::Completed { cut: false };

fn move_to(at: &str) -> Wish {
    Wish::MoveTo(ManualClock::at(at).now())
}

fn suspend(world: &World, id: &WorkId, until: &str) {
    let until = ManualClock::at(until).now();
    wait(world.work.suspend(WS, id, until, &me())).expect("suspended");
}

fn single_occurrences_run_as_a_person_wants_them(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    let change = |key: &str, wish: Wish| {
        let changed = wait(world.work.change_occurrence(WS, &id, key, wish, &me()));
        changed.map(|written| world.local(written.definition.next_due_at.expect("a time")))
    };
    assert_eq!(change("2026-03-02T09:00:00", Wish::Skip).expect("skipped"), "03-03 09:00");
    let to = move_to("2026-03-02T16:00:00Z");
    assert_eq!(change("2026-03-03T09:00:00", to).expect("moved"), "03-02 17:00");
    for _ in 0..4 {
        world.script.push(finish("done", "Told."));
    }
    let drained = |at: &str| -> Vec<String> {
        world.set(at);
        world.drain();
        world.runs(&id).iter().map(|run| run.occurrence.original_start[5..10].to_owned()).collect()
    };
    assert_eq!(drained("2026-03-02T12:00:00Z"), Vec::<String>::new(), "it is skipped");
    assert_eq!(drained("2026-03-02T16:00:00Z"), ["03-03"]);
    assert_eq!(drained("2026-03-03T12:00:00Z"), ["03-03"], "it ran the day before");
    let again = change("2026-03-03T09:00:00", Wish::Restore);
    assert!(matches!(again, Err(WorkError::NoOccurrence { .. })), "{again:?}");

    suspend(world, &id, "2026-03-06T06:00:00Z");
    assert_eq!(drained("2026-03-05T12:00:00Z"), ["03-03"]);
    wait(world.work.resume(WS, &id, &me())).expect("it goes on");
    assert_eq!(drained("2026-03-05T13:00:00Z"), ["03-03"], "what was suspended never runs late");
    assert_eq!(drained("2026-03-06T08:00:00Z"), ["03-03", "03-06"]);
    assert!(world.runs(&id).iter().all(|run| started_by(run) == RunStart::Schedule));
}

fn an_occurrence_is_not_moved_to_a_time_that_its_clock_has_shown(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    world.script.push(finish("done", "Told."));
    world.set("2026-03-02T08:00:00Z");
    assert_eq!(world.drain(), [DONE]);
    // It is three in the morning again.
    let west = world.in_zone("America/New_York");
    wait(west.work.follow_zone(WS)).expect("it follows");
    let moved_to = |at: &'static str| {
        wait(west.work.change_occurrence(WS, &id, "2026-03-03T09:00:00", move_to(at), &me()))
    };
    let lost = moved_to("2026-03-02T13:00:00Z");
    assert!(matches!(lost, Err(WorkError::Occurrence { .. })), "{lost:?}");
    let moved = moved_to("2026-03-02T15:00:00Z").expect("moved");
    let due = moved.definition.next_due_at.expect("a time");
    assert_eq!(due.to_string(), "2026-03-02T15:00:00Z");
}

fn an_occurrence_is_not_moved_to_a_time_that_is_over(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    let moved_to = |at: &'static str| {
        wait(world.work.change_occurrence(WS, &id, "2026-03-02T09:00:00", move_to(at), &me()))
    };
    // Nothing ran since it was made, so its series has not come as far as the clock.
    world.set("2026-03-02T07:30:00Z");
    let over = moved_to("2026-03-02T07:30:00Z").expect_err("it is over").to_string();
    assert!(over.contains("a time that has passed: name one that is still to come"), "{over}");
    let moved = moved_to("2026-03-02T07:30:01Z").expect("moved");
    let due = moved.definition.next_due_at.expect("a time");
    assert_eq!(due.to_string(), "2026-03-02T07:30:01Z");
}

/// What is listed of a definition: the day of each original start, when it is due, and what a person did.
fn listed(world: &World, id: &WorkId) -> Vec<String> {
    let definition = wait(world.work.definition(WS, id)).expect("it is there");
    let line = |one: UpcomingOccurrence| {
        let skipped = if one.is_skipped { " skipped" } else { "" };
        let moved = if one.is_moved { " moved" } else { "" };
        let restore = if one.can_restore { "" } else { ", stays so" };
        let is_changed = one.is_skipped || one.is_moved;
        let restore = if is_changed { restore } else { "" };
        format!("{} {}{skipped}{moved}{restore}", &one.key[5..10], world.local(one.due))
    };
    let coming = world.work.upcoming_of(&definition).expect("a schedule");
    coming.occurrences.into_iter().map(line).collect()
}

fn what_is_skipped_and_over_is_neither_listed_nor_restored(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    let change = |day: &str, wish| {
        let key = format!("2026-03-{day}T09:00:00");
        wait(world.work.change_occurrence(WS, &id, &key, wish, &me())).map(drop)
    };
    change("02", Wish::Skip).expect("skipped");
    change("03", Wish::Skip).expect("skipped");
    assert_eq!(listed(world, &id)[..2], ["03-02 03-02 09:00 skipped", "03-03 03-03 09:00 skipped"]);
    world.set("2026-03-02T09:00:00Z");
    assert_eq!(listed(world, &id)[..2], ["03-03 03-03 09:00 skipped", "03-04 03-04 09:00"]);
    for wish in [Wish::Restore, move_to("2026-03-02T16:00:00Z")] {
        let over = change("02", wish).expect_err("it is over").to_string();
        let said = "`2026-03-02T09:00:00` was skipped and its time has passed: choose one that is still to come";
        assert_eq!(over, said);
    }
    assert_eq!(world.drain(), [], "nothing runs late");
    change("03", Wish::Restore).expect("it is to come");
    assert_eq!(listed(world, &id)[0], "03-03 03-03 09:00");
}

fn what_was_moved_later_stays_there_once_its_own_time_is_over(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    let change = |wish| {
        wait(world.work.change_occurrence(WS, &id, "2026-03-02T09:00:00", wish, &me())).map(drop)
    };
    change(move_to("2026-03-02T16:00:00Z")).expect("moved");
    assert_eq!(listed(world, &id)[0], "03-02 03-02 17:00 moved");
    world.set("2026-03-02T09:00:00Z");
    assert_eq!(listed(world, &id)[0], "03-02 03-02 17:00 moved, stays so");
    let refused = change(Wish::Restore).expect_err("its own time is over").to_string();
    assert!(
        refused.contains("the time that its schedule says has passed: skip it, or move"),
        "{refused}"
    );
    assert_eq!(world.drain(), []);
    change(move_to("2026-03-02T15:00:00Z")).expect("it can be moved again");
    assert_eq!(listed(world, &id)[0], "03-02 03-02 16:00 moved, stays so");
    world.script.push(finish("done", "Told."));
    world.set("2026-03-02T15:00:00Z");
    assert_eq!(world.drain(), [DONE]);
}

fn what_a_person_changed_is_listed_however_far_ahead_it_is(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    let change = |day: &str, wish| {
        let key = format!("2026-{day}T09:00:00");
        wait(world.work.change_occurrence(WS, &id, &key, wish, &me())).map(drop)
    };
    change("03-03", move_to("2026-03-20T11:00:00Z")).expect("moved");
    change("03-04", move_to("2126-03-20T11:00:00Z")).expect("moved");
    change("04-01", Wish::Skip).expect("skipped");
    let five = ["03-02", "03-05", "03-06", "03-07", "03-08"];
    let mut all: Vec<String> = five.iter().map(|day| format!("{day} {day} 09:00")).collect();
    all.extend(
        ["03-03 03-20 12:00 moved", "04-01 04-01 09:00 skipped", "03-04 03-20 12:00 moved"]
            .map(str::to_owned),
    );
    assert_eq!(listed(world, &id), all);
    change("03-04", Wish::Restore).expect("it is listed, so it can be restored");
    assert_eq!(listed(world, &id)[1], "03-04 03-04 09:00");
}

/// On 25 October 2026 the clock in Berlin shows the time from 02:00 to 03:00 twice.
fn an_occurrence_is_moved_to_the_second_of_two_equal_times(world: &World) {
    let id = world.create("Night", Some("DTSTART:20261025T060000 RRULE:FREQ=DAILY;COUNT=3"));
    let move_to = move_to("2026-10-25T01:30:00Z");
    let me = me();
    let moved = world.work.change_occurrence(WS, &id, "2026-10-25T06:00:00", move_to, &me);
    let due = wait(moved).expect("moved").definition.next_due_at.expect("a time");
    assert_eq!(due.to_string(), "2026-10-25T01:30:00Z");
    world.set("2026-10-25T00:30:00Z");
    assert_eq!(world.drain(), [], "the first half past two");
    world.script.push(finish("done", "Told."));
    world.set("2026-10-25T01:30:00Z");
    assert_eq!(world.drain(), [DONE]);
}

fn a_single_time_that_a_suspension_swallows_is_named_at_its_end(world: &World) {
    let id = world.create("Reminder", Some("today at 15:00"));
    let resume = || wait(world.work.resume(WS, &id, &me())).expect("it goes on").definition;
    suspend(world, &id, "2026-03-03T06:00:00Z");
    // It is still to come if it is resumed in time.
    assert_eq!(resume().next_due_at.expect("a time").to_string(), "2026-03-02T14:00:00Z");
    suspend(world, &id, "2026-03-03T06:00:00Z");
    world.set("2026-03-02T15:00:00Z");
    assert_eq!((world.drain(), world.said(&id)), (vec![], vec![]));
    assert_eq!(resume().next_due_at, None);
    assert_eq!(world.said(&id), ["03-02 15:00 skipped suspended"]);
    suspend(world, &id, "2026-03-03T06:00:00Z");
    resume();
    assert_eq!(world.said(&id).len(), 1, "once");
}

each_engine! {
    single_occurrences_run_as_a_person_wants_them,
    an_occurrence_is_not_moved_to_a_time_that_its_clock_has_shown,
    an_occurrence_is_not_moved_to_a_time_that_is_over,
    what_is_skipped_and_over_is_neither_listed_nor_restored,
    what_was_moved_later_stays_there_once_its_own_time_is_over,
    what_a_person_changed_is_listed_however_far_ahead_it_is,
    an_occurrence_is_moved_to_the_second_of_two_equal_times,
    a_single_time_that_a_suspension_swallows_is_named_at_its_end,
}
