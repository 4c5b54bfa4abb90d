//! Models that take several turns, are cut off, fail, or are away.

use dormouse_types::agent::{DormantReason, Lifecycle, RunStatus};
use std::sync::Arc;
use std::time::Duration;

use dormouse_scenes::snapshots::{SnapshotRecorder, StateSnapshot};
use dormouse_scenes::{World, crash, outcome, scenarios, transcript};
use dormouse_types::port::{Clock as _, Stage};

#[tokio::test]
async fn a_wake_of_several_turns_gets_the_result_of_each_call() {
    let world = World::played(&scenarios::several_turns()).await.expect("the scene plays");
    insta::assert_snapshot!("several_turns", transcript::of(&world).await.expect("a page"));
}

#[tokio::test]
async fn a_run_that_crashed_in_its_third_turn_asks_only_that_turn_again() {
    let scene = scenarios::several_turns();
    let (_, cuts) = crash::points(&scene).await.expect("the scene plays");
    let asks: Vec<_> = cuts
        .iter()
        .filter(|cut| {
            cut.snapshot.label == "model.ask" && cut.snapshot.moment == Stage::AfterEffect
        })
        .collect();
    let world = crash::restart(&scene, asks[2]).expect("a new process");
    assert_eq!(world.dormouse.recover().await.expect("recovery").len(), 1);
    let ran = world.drain().await.expect("a drain");
    assert_eq!(ran.iter().map(|run| run.status.name()).collect::<Vec<_>>(), ["completed"]);
    let player = Arc::clone(world.stage.player.as_ref().expect("a scripted model"));
    let requests = player.requests();
    assert_eq!(requests.iter().map(|request| request.turn).collect::<Vec<_>>(), [3]);
    // The turns before are in the prompt as they were recorded, with their results.
    assert_eq!(requests[0].turns.len(), 2);
    assert!(requests[0].turns.iter().all(|turn| turn.calls.len() == turn.results.len()));
    insta::assert_snapshot!("crash_and_resume", transcript::of(&world).await.expect("a page"));
}

#[tokio::test]
async fn a_run_that_takes_the_program_down_three_times_is_given_up_and_tried_later() {
    let scene = scenarios::first_wake();
    let claimed = |snapshot: &StateSnapshot| {
        snapshot.label == "run.claim" && snapshot.moment == Stage::AfterCommit
    };
    let (_, cuts) = crash::points(&scene).await.expect("the scene plays");
    let mut cut = cuts.into_iter().find(|cut| claimed(&cut.snapshot)).expect("a claim");
    for _ in 0..2 {
        let stage = crash::restored(&scene, &cut).expect("a new process");
        let recorder = Arc::new(SnapshotRecorder::on(stage.sqlite.clone()));
        let world = World::new(stage, recorder.clone());
        world.dormouse.recover().await.expect("recovery");
        world.drain().await.expect("a drain");
        cut = cut.then(recorder.finish().into_iter().find(claimed).expect("claimed again"));
    }
    let world = crash::restart(&scene, &cut).expect("a new process");
    world.dormouse.recover().await.expect("recovery");
    let agent = world.agent("move").await.expect("an agent");
    assert_eq!(agent.consecutive_failure_count, 1);
    assert!(world.drain().await.expect("a drain").is_empty(), "it waits");
    world.stage.clock.advance(Duration::from_secs(3600));
    assert_eq!(world.drain().await.expect("a drain").len(), 1);
    let mut wakes = world.dormouse.wakes(&world.me, &agent.id, 10).await.expect("wakes");
    wakes.reverse();
    let ends: Vec<_> = wakes.iter().map(|w| (w.reason.name(), w.status.name())).collect();
    assert_eq!(ends, [("creation", "abandoned"), ("timer", "completed")]);
    assert_eq!(world.agent("move").await.expect("an agent").consecutive_failure_count, 0);
    assert_eq!(outcome::unfinished(&world).await.expect("readable"), Vec::<String>::new());
}

#[tokio::test]
async fn a_model_that_fails_is_called_less_and_less_and_then_no_more() {
    let scene = scenarios::failing();
    let world = World::fresh(&scene);
    let mut seen = Vec::new();
    let mut waited = Vec::new();
    for (n, step) in scene.steps.iter().enumerate() {
        let ran = world.step(n, step).await.expect("a step");
        if let [run] = &ran[..] {
            let agent = world.agent("move").await.expect("an agent");
            seen.push((run.status, agent.consecutive_failure_count, agent.lifecycle));
            let now = world.stage.clock.now();
            waited.extend(agent.next_wake_at.map(|at| (at.micros() - now.micros()) / 1_000_000));
        }
    }
    let expected: Vec<_> = (1..=5)
        .map(|n| {
            let lifecycle = if n == 5 { Lifecycle::Dormant } else { Lifecycle::Created };
            (RunStatus::Failed, n, lifecycle)
        })
        .collect();
    assert_eq!(seen, expected);
    assert_eq!(waited.len(), 4, "the fifth failure sets no time");
    assert!(waited.windows(2).all(|pair| pair[1] > pair[0]), "{waited:?}");
    let agent = world.agent("move").await.expect("an agent");
    assert_eq!(agent.dormant_reason, Some(DormantReason::Failures.into()));
    assert_eq!(world.stage.player.as_ref().expect("a scripted model").requests().len(), 5);
}

#[tokio::test]
async fn a_provider_that_is_away_puts_the_run_back_and_counts_nothing() {
    let scene = scenarios::provider_away();
    let world = World::fresh(&scene);
    let mut statuses = Vec::new();
    let mut keys = Vec::new();
    for (n, step) in scene.steps.iter().enumerate() {
        for run in world.step(n, step).await.expect("a step") {
            statuses.push(run.status);
            keys.push(run.run_key);
            let agent = world.agent("move").await.expect("an agent");
            assert_eq!(agent.consecutive_failure_count, 0);
        }
    }
    assert_eq!(statuses, [RunStatus::Queued, RunStatus::Queued, RunStatus::Completed]);
    keys.dedup();
    assert_eq!(keys.len(), 1, "it is one run all the time");
}
