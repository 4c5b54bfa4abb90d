//! What a prompt says about the course of a task over its weeks.

use dormouse_journal::Edit;
use dormouse_testkit::scripted::Answer;
use dormouse_types::agent::MessageKind;
use dormouse_types::model::{FragmentData, FragmentKind, Request};
use dormouse_types::task::Priority;
use dormouse_types::trend::{DueMove, Raise, Trend};
use serde_json::json;

use crate::world::{World, routine_report, text};

/// Units: seconds.
const WEEK: u64 = 7 * 24 * 3600;

fn trend(request: &Request) -> Option<Trend> {
    request.fragments.iter().find_map(|fragment| match &fragment.data {
        FragmentData::Trend(trend) => Some(trend.clone()),
        _ => None,
    })
}

fn due(day: &str) -> Edit {
    Edit::DueOn(Some(day.parse().expect("a day")))
}

#[test]
fn a_task_of_one_week_that_never_moved_has_no_trend() {
    let (world, task, _) = World::settled();
    world.run_with(&task, [routine_report()]);
    assert_eq!(trend(&world.last_request()), None);
    assert_eq!(text(&world.last_request(), FragmentKind::Trend), None);
}

#[test]
fn moved_dates_raised_priorities_and_the_last_weeks_are_given_in_figures() {
    let (world, task, _) = World::settled();
    world.edit(&task, &[due("2026-03-20")]);
    world.edit(&task, &[due("2026-03-27"), Edit::Priority(Some(Priority::P1))]);
    world.later(2 * WEEK);
    world.edit(&task, &[due("2026-04-10"), Edit::Priority(Some(Priority::P0))]);
    world.run_with(&task, [routine_report()]);
    let found = trend(&world.last_request()).expect("a trend");
    let day = |text: &str| text.parse::<jiff::civil::Date>().expect("a day");
    let due_move = |on, from, to| DueMove { on: day(on), from: day(from), to: day(to) };
    assert_eq!(
        found.moves,
        [
            due_move("2026-03-02", "2026-03-20", "2026-03-27"),
            due_move("2026-03-16", "2026-03-27", "2026-04-10"),
        ]
    );
    let raise = |on, from, to| Raise { on: day(on), from, to };
    assert_eq!(
        found.raises,
        [
            raise("2026-03-02", Priority::P2, Priority::P1),
            raise("2026-03-16", Priority::P1, Priority::P0),
        ]
    );
    let weeks: Vec<_> = found.weeks.iter().map(|week| (week.from, week.entries)).collect();
    // The task was made two weeks ago, on the first day of the first of these weeks.
    assert_eq!(weeks.last(), Some(&(day("2026-03-10"), 1)), "{weeks:?}");
    assert_eq!(weeks.len(), 3);
    let trend = text(&world.last_request(), FragmentKind::Trend).expect("a trend");
    assert!(trend.contains("Due date moved 2 times: 2026-03-20 -> 2026-03-27 on 2026-03-02; 2026-03-27 -> 2026-04-10 on 2026-03-16"), "{trend}");
    assert!(trend.contains("Priority raised 2 times: P2 -> P1"), "{trend}");
    let kinds: Vec<_> =
        world.last_request().fragments.iter().map(|fragment| fragment.kind).collect();
    let place = |kind| kinds.iter().position(|one| *one == kind);
    assert!(place(FragmentKind::Log) < place(FragmentKind::Trend), "what changes is last");
}

#[test]
fn the_trend_of_a_task_that_moved_a_hundred_times_is_short() {
    let (world, task, _) = World::settled();
    for n in 1..=100 {
        world.edit(&task, &[due(&format!("2026-04-{:02}", n % 28 + 1))]);
    }
    world.run_with(&task, [routine_report()]);
    let found = trend(&world.last_request()).expect("a trend");
    assert_eq!((found.n_moves, found.moves.len()), (99, Trend::STEPS));
    let trend = text(&world.last_request(), FragmentKind::Trend).expect("a trend");
    assert!(trend.len() < 1000, "{trend}");
    assert!(trend.contains("Due date moved 99 times, the newest: "), "{trend}");
}

#[test]
fn a_note_keeps_what_it_is_about() {
    let (world, task, agent) = World::settled();
    let notes = json!({ "observations": [
        { "text": "Too many proposals.", "priority": "critical", "category": "grievance" },
        "They like lists.",
    ] });
    world.run_with(&task, [Answer::calls([("record_observations", notes)])]);
    assert_eq!(world.said(&agent, MessageKind::Observation).len(), 2);
    world.run_with(&task, [routine_report()]);
    let log = text(&world.last_request(), FragmentKind::Log).expect("a log");
    assert!(log.contains("critical, grievance: Too many proposals."), "{log}");
    assert!(log.contains("routine: They like lists."), "{log}");
    let request = world.last_request();
    let kept = request.fragments.iter().find_map(|fragment| match &fragment.data {
        FragmentData::Log(log) => Some(log.observations.clone()),
        _ => None,
    });
    let about: Vec<_> = kept.expect("notes").iter().map(|note| note.category.name()).collect();
    assert_eq!(about, ["grievance", "operational"]);
}
