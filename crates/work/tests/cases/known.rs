//! Cases that other systems got wrong, apart from those that have a test elsewhere: xtask/tests/known_cases.rs
//! names them all.

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
        turns.into_iter().map(|(_, turn)| turn.expect("sound").message.content).collect();
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
