//! What a run knows of earlier runs, and of what the person says.

use dormouse_scheduler::End;
use dormouse_testkit::scripted::Answer;
use dormouse_types::model::FragmentKind;
use serde_json::json;

use crate::world::{WS, World, finish, me, publish, wait};

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
    let told = &turns[0].results[0];
    assert!(told.refused && told.text.contains("Leave out the weather."), "{told:?}");
    assert_eq!(world.runs(&id)[0].summary.as_deref(), Some("With it."));
    world.set("2026-03-03T08:00:00Z");
    world.script.push(finish("done", "Again."));
    world.drain();
    let told = world.prompt(FragmentKind::Work);
    assert!(
        told.contains("## Corrections of the person\n- 2026-03-02: Leave out the weather."),
        "{told}"
    );
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

/// The id as text.
trait AsText {
    fn as_ref_str(&self) -> &str;
}

impl AsText for dormouse_types::WorkId {
    fn as_ref_str(&self) -> &str {
        dormouse_types::Id::as_str(self)
    }
}

each_engine! {
    the_next_run_knows_what_the_last_one_did_and_said,
    nine_runs_are_shown_in_full_and_of_more_the_older_in_a_line,
    long_runs_are_folded_sooner,
    a_correction_reaches_the_run_under_way_and_all_later_ones,
    a_run_reads_the_log_of_another_definition,
}
