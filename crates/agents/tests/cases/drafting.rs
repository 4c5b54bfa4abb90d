//! What people see of a report while a model writes it, and what is left when the model breaks off.

use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use dormouse_agents::Parts;
use dormouse_agents::draft::drafts::Drafts;
use dormouse_runs::{Driver, Models};
use dormouse_scheduler::End;
use dormouse_store::agent::wake_run::Status;
use dormouse_testkit::CountingEntropy;
use dormouse_types::limits;
use dormouse_types::model::{ModelError, Request, ToolCall, TurnEvent};
use dormouse_types::port::{BoxStream, Clock, Model, ModelClass};
use dormouse_types::{AgentId, TaskId};
use futures_util::{StreamExt as _, stream};
use jiff::tz::TimeZone;
use serde_json::json;

use crate::world::{Agents, DONE, WS, World, me, now};

/// What a model does after its last event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Then {
    Ends,
    Waits,
}

/// Writes its turns event by event; between two events everybody else goes on.
#[derive(Default)]
struct Writer {
    turns: Mutex<Vec<(Vec<TurnEvent>, Then)>>,
    requests: Mutex<Vec<u32>>,
}

impl Model for Writer {
    fn name(&self) -> &str {
        "writer"
    }

    fn class(&self) -> ModelClass {
        ModelClass::Free
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        self.requests.lock().expect("one thread").push(request.turn);
        let (events, then) = self.turns.lock().expect("one thread").remove(0);
        let events = stream::iter(events.into_iter().map(Ok)).then(|event| async {
            let mut is_first = true;
            std::future::poll_fn(|context: &mut Context<'_>| {
                if std::mem::take(&mut is_first) {
                    context.waker().wake_by_ref();
                    return Poll::Pending;
                }
                Poll::Ready(())
            })
            .await;
            event
        });
        match then {
            Then::Ends => Box::pin(events),
            Then::Waits => Box::pin(events.chain(stream::pending())),
        }
    }
}

struct Case {
    world: World,
    task: TaskId,
    agent: AgentId,
    model: Arc<Writer>,
    drafts: Arc<Drafts>,
    agents: Agents,
}

impl Case {
    fn new(turns: Vec<(Vec<TurnEvent>, Then)>) -> Self {
        let (world, task, agent) = World::settled();
        let model = Arc::new(Writer { turns: Mutex::new(turns), ..Writer::default() });
        let clock: Arc<dyn Clock> = Arc::new(world.clock.clone());
        let entropy = Arc::new(CountingEntropy::seeded(7));
        let drafts = Arc::new(Drafts::default());
        let models = Models::new(model.clone());
        let driver = Driver::new(world.store.clone(), clock.clone(), entropy.clone(), models)
            .with_sink(drafts.clone());
        let parts = Parts {
            store: world.store.clone(),
            journal: world.journal.clone(),
            changes: world.changes.clone(),
            driver,
            clock,
            entropy,
            zone: TimeZone::UTC.into(),
        };
        let agents = Agents::new(parts, "writer");
        Self { world, task, agent, model, drafts, agents }
    }

    fn visible_draft(&self) -> Option<String> {
        let drafts = self.drafts.of_workspace(WS);
        Some(format!("{}|{}", drafts.first()?.tldr, drafts.first()?.content))
    }

    /// Runs the agent to its end; returns how, and what was shown after each step, without
    /// repetitions.
    fn run(&self, at_each_step: impl Fn(&Self)) -> (End, Vec<Option<String>>) {
        self.world.note(&self.task, "Unseen.");
        self.world.route();
        let scheduler = self.agents.scheduler();
        let lease = now(scheduler.claim(WS, &self.world.row(&self.agent))).expect("a claim");
        let mut running = Box::pin(scheduler.run_alive(lease.expect("a lease")));
        let mut shown = vec![self.visible_draft()];
        for _ in 0..100_000 {
            let polled = running.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            if shown.last() != Some(&self.visible_draft()) {
                shown.push(self.visible_draft());
            }
            match polled {
                Poll::Ready(ended) => {
                    drop(running);
                    shown.push(self.visible_draft());
                    shown.dedup();
                    return (ended.expect("it ran").end, shown);
                }
                Poll::Pending => {
                    self.world.clock.advance(Duration::from_millis(250));
                    at_each_step(self);
                }
            }
        }
        panic!("it never ends");
    }
}

fn piece(json: &str) -> TurnEvent {
    TurnEvent::CallDelta { index: 0, name: "update_report".into(), json: json.into() }
}

fn whole(tldr: &str, content: &str) -> Vec<TurnEvent> {
    let args = json!({ "tldr": tldr, "content": content });
    let call = ToolCall { id: "call-1".into(), name: "update_report".into(), args };
    vec![TurnEvent::Call(call), TurnEvent::End { ended: true }]
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn a_draft_grows_while_it_is_written_and_is_gone_when_the_report_is_there() {
    let pieces = ["{\"tldr\":\"All ", "is well.", "\",\"content\":\"So", " far.\"}"].map(piece);
    let turn = pieces.into_iter().chain(whole("All is well.", "So far.")).collect();
    let case = Case::new(vec![(turn, Then::Ends)]);
    let (end, shown) = case.run(|_| {});
    assert_eq!(end, DONE);
    let steps = ["All |", "All is well.|", "All is well.|So", "All is well.|So far."];
    let expected: Vec<_> = std::iter::once(None).chain(steps.map(some)).chain([None]).collect();
    assert_eq!(shown, expected);
    assert_eq!(case.world.content(&case.agent), "So far.");
}

/// A draft is never stored: the rows of a run that broke off do not have it.
#[test]
fn a_draft_that_breaks_off_leaves_nothing() {
    let turn = vec![piece("{\"tldr\":\"Half a sen"), TurnEvent::Text(String::new())];
    let case = Case::new(vec![(turn, Then::Ends)]);
    let (end, shown) = case.run(|_| {});
    assert!(matches!(end, End::Failed { .. }), "{end:?}");
    assert_eq!(shown, [None, some("Half a sen|"), None]);
    assert!(!case.world.shown_rows().iter().any(|row| row.contains("Half a sen")));
    assert_eq!(case.world.content(&case.agent), "Nothing yet.");
}

#[test]
fn half_a_call_and_then_silence_puts_the_run_back() {
    let case = Case::new(vec![(vec![piece("{\"tldr\":\"Half a sen")], Then::Waits)]);
    let (end, shown) = case.run(|_| {});
    assert!(matches!(end, End::ProviderUnavailable { .. }), "{end:?}");
    assert_eq!(shown, [None, some("Half a sen|"), None]);
    let run = &case.world.runs(&case.agent)[0];
    assert_eq!((run.status, run.error.as_deref()), (Status::Queued, None));
    assert_eq!(case.world.agent_state(&case.agent).consecutive_failure_count, 0);
}

#[test]
fn a_run_that_is_cancelled_while_it_writes_has_no_draft_any_more() {
    let case = Case::new(vec![(vec![piece("{\"tldr\":\"Half a sen")], Then::Waits)]);
    let (end, shown) = case.run(|case| {
        let run = case.world.row(&case.agent).run_key;
        if let Some(run) = run.filter(|_| case.visible_draft().is_some()) {
            now(case.agents.cancel_run(WS, &case.agent, &run, &me())).expect("cancelled");
        }
    });
    assert_eq!((end, shown), (End::Cancelled, vec![None, some("Half a sen|"), None]));
}

/// Only the second turn is requested again.
#[test]
fn a_process_that_dies_while_a_model_writes_loses_that_call_alone() {
    let refused = ToolCall { id: "call-1".into(), name: "dance".into(), args: json!({}) };
    let first = vec![TurnEvent::Call(refused), TurnEvent::End { ended: false }];
    let cut = vec![piece("{\"tldr\":\"Half a sen")];
    let case = Case::new(vec![
        (first, Then::Ends),
        (cut, Then::Waits),
        (whole("All is well.", "So far."), Then::Ends),
    ]);
    case.world.note(&case.task, "Unseen.");
    case.world.route();
    let scheduler = case.agents.scheduler();
    let lease = now(scheduler.claim(WS, &case.world.row(&case.agent))).expect("a claim");
    {
        let mut running = Box::pin(scheduler.run_alive(lease.expect("a lease")));
        while case.visible_draft().is_none() {
            let polled = running.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            assert!(polled.is_pending(), "it is still writing");
        }
    }
    assert_eq!(case.visible_draft(), None, "the process is dead");
    now(scheduler.take_over(WS)).expect("a start");
    let lease = now(scheduler.claim(WS, &case.world.row(&case.agent))).expect("a claim");
    let mut running = Box::pin(scheduler.run_alive(lease.expect("a lease")));
    let end = loop {
        let polled = running.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        if let Poll::Ready(ended) = polled {
            break ended.expect("it ran").end;
        }
    };
    assert_eq!(end, DONE);
    assert_eq!(*case.model.requests.lock().expect("one thread"), [1, 2, 2]);
    assert_eq!(case.world.content(&case.agent), "So far.");
}

#[test]
fn a_megabyte_of_arguments_and_an_absurd_index_are_bounded() {
    let far = |json: &str| TurnEvent::CallDelta {
        index: 1_000_000_000,
        name: "update_report".into(),
        json: json.into(),
    };
    let begin = far("{\"content\":\"");
    let pieces = (0..64).map(|_| far(&"x".repeat(16 * 1024)));
    let turn = std::iter::once(begin).chain(pieces).chain(whole("Long.", "Short.")).collect();
    let case = Case::new(vec![(turn, Then::Ends)]);
    let (end, shown) = case.run(|_| {});
    assert_eq!(end, DONE);
    let most = shown.iter().flatten().map(String::len).max().expect("a draft");
    assert_eq!(most, limits::REPORT.max + 1);
    assert_eq!(case.world.content(&case.agent), "Short.");
}
