//! The service of the facade: what it reports, and that it ends when it is stopped.

use dormouse_types::agent::RunStatus;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use dormouse::{Dormouse, Parts, ServeEvent, ServeOptions};
use dormouse_types::model::{ModelError, ProviderUnavailable};

use crate::world::{World, me, now};
use dormouse_testkit::CountingEntropy;
use dormouse_testkit::models::Host;
use dormouse_testkit::scripted::Answer;

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

    stop.send(()).expect("somebody listens");
    assert!(settle(), "it stops");
    assert_eq!(runs(&events), []);
}

/// Hints reach the nodes of a database together, so that none takes a model for one that is not there.
#[test]
fn a_node_learns_of_a_model_that_was_chosen_on_another_one_from_a_hint() {
    let world = World::new();
    let node = || {
        let parts = Parts {
            store: world.store.clone(),
            clock: Arc::new(world.clock.clone()),
            entropy: Arc::new(CountingEntropy::seeded(7)),
            model: world.script.clone(),
            zone: jiff::tz::TimeZone::UTC,
            owner: "other".into(),
        };
        Dormouse::new(parts).with_model_host(Arc::new(Host), None)
    };
    let (one, other) = (node(), node());
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
