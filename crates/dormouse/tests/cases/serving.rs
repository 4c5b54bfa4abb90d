//! The service of the facade: what it reports, and that it ends when it is stopped.

use dormouse_types::agent::RunStatus;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use dormouse::dates::Wording;
use dormouse::{NewWork, RunDays, ServeEvent, ServeOptions, SettingsPatch};
use dormouse_types::model::{ModelError, ProviderUnavailable};

use crate::world::{World, me, now};
use dormouse_testkit::scripted::Answer;
use serde_json::json;

/// What was reported of runs: how they left the node, and whether they gave a reason.
fn runs(events: &Mutex<Vec<ServeEvent>>) -> Vec<(RunStatus, bool)> {
    let events = std::mem::take(&mut *events.lock().expect("nobody panicked"));
    events
        .into_iter()
        .map(|served| match served {
            ServeEvent::Ran { status, error, .. } => (status, error.is_some()),
            other => panic!("nobody expects {other:?}"),
        })
        .collect()
}

#[test]
fn a_node_reports_how_each_run_ended_and_stops_on_request() {
    let world = World::new();
    let (task, agent, _) = world.proposed(&[]);
    let events = Arc::new(Mutex::new(Vec::new()));
    let (note, dormouse) = (events.clone(), world.dormouse.clone());
    let (stop, stopped) = std::sync::mpsc::channel::<()>();
    let stopping = Box::pin(std::future::poll_fn(move |_| match stopped.try_recv() {
        Ok(()) => Poll::Ready(()),
        Err(_) => Poll::Pending,
    }));
    let mut serving = Box::pin(async move {
        let mut tell = |served: ServeEvent| note.lock().expect("nobody panicked").push(served);
        dormouse.serve(ServeOptions::default(), stopping, &mut tell).await;
    });
    let mut settle = || {
        let mut context = Context::from_waker(Waker::noop());
        (0..20).any(|_| serving.as_mut().poll(&mut context).is_ready())
    };
    assert!(!settle());
    assert_eq!(runs(&events), []);

    world.answer(&[]);
    now(world.dormouse.wake_agent(&me(), &agent.id, None, None)).expect("woken");
    assert!(!settle());
    assert_eq!(runs(&events), [(RunStatus::Completed, false)]);

    world.script.push(Answer::Fails(ModelError::Request { detail: "too long".into() }));
    world.note(&task.id, "The van is booked.");
    world.clock.advance(Duration::from_secs(2));
    assert!(!settle());
    assert_eq!(runs(&events), [(RunStatus::Failed, true)]);

    let (why, provider) = (ProviderUnavailable::Outage, "script".to_owned());
    world.script.push(Answer::Fails(ModelError::Provider {
        provider,
        why,
        detail: "503".into(),
        retry_after: None,
    }));
    now(world.dormouse.wake_agent(&me(), &agent.id, None, None)).expect("woken");
    assert!(!settle());
    assert_eq!(runs(&events), [(RunStatus::Queued, true)]);

    let work = NewWork {
        title: "Vans".into(),
        instructions: Some("Compare vans.".into()),
        ..NewWork::default()
    };
    let work = now(world.dormouse.create_work(&me(), work, Wording::default(), None));
    let work = work.expect("work").id;
    world.script.push(Answer::calls([("read_task_log", json!({}))]).and_goes_on());
    let (dormouse, cancelled) = (world.dormouse.clone(), work.clone());
    world.hooks.before_commit("run.turn", move || {
        now(dormouse.cancel_work(&me(), &cancelled, None, None)).expect("it is cancelled");
    });
    assert!(!settle());
    assert!(world.hooks.is_done(), "it was under way");
    let reported = std::mem::take(&mut *events.lock().expect("nobody panicked"));
    assert!(matches!(reported.as_slice(), [ServeEvent::Cancelled { .. }]), "{reported:?}");

    stop.send(()).expect("somebody listens");
    assert!(settle(), "it stops");
    assert_eq!(runs(&events), []);
}

/// Hints reach the nodes of a database together, so that none takes a model for one that is not there.
#[test]
fn a_node_learns_of_a_model_that_was_chosen_on_another_one_from_a_hint() {
    let world = World::new();
    let (one, other) = (world.another_node("UTC"), world.another_node("UTC"));
    now(one.load_models()).expect("loaded");
    now(other.load_models()).expect("loaded");
    let known = || now(other.access(&me())).expect("access").server.model;
    let before = known();
    let serving = other.clone();
    let mut serving = Box::pin(async move {
        let stop = Box::pin(std::future::pending());
        serving.serve(ServeOptions::default(), stop, &mut |_| ()).await;
    });
    let mut settle = || {
        let mut context = Context::from_waker(Waker::noop());
        (0..20).any(|_| serving.as_mut().poll(&mut context).is_ready())
    };
    settle();
    now(one.use_model(&me(), "acme/large")).expect("chosen");
    settle();
    assert_eq!((before == known(), known().as_str()), (false, "acme/large"));

    // The next look waits for a moment, whatever else is hinted at.
    now(one.use_model(&me(), "acme/small")).expect("chosen");
    settle();
    world.clock.advance(Duration::from_secs(1));
    settle();
    assert_eq!(known(), "acme/small");
}

/// One node serves; the zone is set on another one, which does not. Nobody tells the first: it reads the setting
/// as it hears that something was written.
#[test]
fn a_node_follows_the_time_zone_that_was_set_on_another_one_and_runs_each_day_once() {
    let world = World::new();
    let other = world.another_node("UTC");
    let serving = other.clone();
    let mut serving = Box::pin(async move {
        let stop = Box::pin(std::future::pending());
        serving.serve(ServeOptions::default(), stop, &mut |_| ()).await;
    });
    let mut later = |seconds: u64| {
        // A node looks every 30 seconds at the latest.
        for _ in 0..=seconds / 30 {
            let mut context = Context::from_waker(Waker::noop());
            assert!((0..20).all(|_| serving.as_mut().poll(&mut context).is_pending()));
            world.later(seconds.min(30));
        }
    };
    let new = NewWork {
        title: "Look".into(),
        instructions: Some("Look around.".into()),
        schedule: Some("every day at 10".into()),
        ..NewWork::default()
    };
    let work = now(world.dormouse.create_work(&me(), new, Wording::default(), None));
    let work = work.expect("work").id;
    let choose = |name: Option<&str>| {
        let time_zone = Some(name.map(ToOwned::to_owned));
        let patch = SettingsPatch { time_zone, ..SettingsPatch::default() };
        now(world.dormouse.edit_settings(&me(), patch)).expect("chosen");
        world
            .script
            .push(Answer::calls([("finish", json!({ "outcome": "done", "summary": "Looked." }))]));
    };
    let zone = || now(other.access(&me())).expect("access").server.zone;
    let runs = || -> Vec<String> {
        let runs = now(world.dormouse.work_runs(&me(), &work, RunDays::default(), 9, None));
        let runs = runs.expect("runs").items.into_iter().rev();
        let due = |run: dormouse::view::WorkRun| run.scheduled_for.expect("a time").to_string();
        runs.map(|run| format!("{} {}", due(run.clone())[..16].to_owned(), run.run_state)).collect()
    };
    let next = || now(world.dormouse.work(&me(), &work)).expect("work").next_due_at;
    let next = || next().expect("a time").to_string();
    later(60);
    assert_eq!((zone().as_str(), runs()), ("UTC", Vec::new()));

    // It is 9:00. In Tokyo it is 18:00: the clock moves past ten.
    choose(Some("Asia/Tokyo"));
    later(60);
    let first = "2026-03-02T09:01 succeeded".to_owned();
    assert_eq!((zone().as_str(), runs()), ("Asia/Tokyo", vec![first.clone()]));
    // Back, before ten: today's has run.
    choose(None);
    later(2 * 3600);
    assert_eq!((zone().as_str(), runs()), ("UTC", vec![first.clone()]));
    // It is past eleven; in New York it is past six.
    choose(Some("America/New_York"));
    later(60);
    assert_eq!((next(), runs()), ("2026-03-03T15:00:00Z".to_owned(), vec![first.clone()]));
    later(28 * 3600);
    assert_eq!(runs(), [first, "2026-03-03T15:00 succeeded".to_owned()]);
}
