//! Runs and their requests.

use dormouse_store::agent::model_call::{self, NewCall, OpenCall};
use dormouse_store::agent::source::Source;
use dormouse_store::agent::wake_request::{self, Span, Stored};
use dormouse_store::agent::wake_run::{self, Run, Status};
use dormouse_store::{Op, Refusal};
use dormouse_types::agent::{Initiator, RunFailure, WakeReason};
use dormouse_types::closed_list::Listed;
use dormouse_types::model::{PromptPart, Usage};
use dormouse_types::spend::{Amount, CallStatus, Unit};
use dormouse_types::{AgentId, RunKey, Seq, ThreadId, WorkRunId, hash};

use crate::world::{OTHER_WS, WS, World, at};

each_engine!(
    a_run_comes_back_as_it_was_claimed,
    a_key_runs_once,
    a_run_adds_up_the_tokens_of_its_turns,
    a_run_moves_only_from_the_status_that_was_read,
    an_ended_run_says_how_it_ended,
    a_cancelled_run_is_no_failure,
    the_open_calls_of_a_run_are_settled_together_or_not_at_all,
    the_newest_runs_of_an_agent_come_first,
    a_request_that_was_never_answered_is_replaced,
    only_runs_of_agents_are_counted_as_wakes,
);

fn run(world: &World, key: &str) -> Run {
    let (agent, thread): (AgentId, ThreadId) = (world.id(), world.id());
    Run {
        key: RunKey(key.to_owned()),
        holder: agent.into(),
        reason: WakeReason::Subscription.into(),
        reason_id: Some("su-1".into()),
        initiator: Initiator::Automation.into(),
        thread,
        status: Status::Started,
        logical_change_key: Some("3-7".into()),
        processed: Seq(3),
        upto: Seq(7),
        heard_upto: Seq(12),
        epoch: 4,
        crashes: 0,
        model: Some("builtin".into()),
        cut: false,
        created_at: at(1),
        started_at: Some(at(1)),
        completed_at: None,
        error: None,
        failure: None,
        usage: Usage::default(),
    }
}

fn inserted(world: &World, run: Run) -> Run {
    world.agent([wake_run::insert(WS, &run)]);
    run
}

fn stored(world: &World, run: &Run) -> Run {
    world.only(wake_run::by_key(WS, &run.key))
}

fn finish(run: &Run, from: Status, to: Status) -> Op {
    wake_run::finish(WS, &run.key, from, to, at(9), true, Some("no answer"))
}

fn a_run_comes_back_as_it_was_claimed(world: &World) {
    let full = inserted(world, run(world, "full"));
    assert_eq!(stored(world, &full), full);
    let bare = Run {
        reason_id: None,
        logical_change_key: None,
        heard_upto: Seq(0),
        model: None,
        started_at: None,
        status: Status::Queued,
        ..run(world, "bare")
    };
    assert_eq!(stored(world, &inserted(world, bare.clone())), bare);
    assert_eq!(world.first(wake_run::by_key(OTHER_WS, &full.key)), None);
}

fn a_run_adds_up_the_tokens_of_its_turns(world: &World) {
    let one = inserted(world, run(world, "counted"));
    let other = inserted(world, run(world, "other"));
    world.agent([wake_run::add_usage(
        WS,
        &one.key,
        &Usage {
            input: 900,
            cached_input: 600,
            cache_write: 50,
            output: 70,
            reasoning: 30,
            cost: None,
        },
    )]);
    world.agent([wake_run::add_usage(
        WS,
        &one.key,
        &Usage { input: 100, output: 7, reasoning: 5, ..Usage::default() },
    )]);
    assert_eq!(
        stored(world, &one).usage,
        Usage {
            input: 1000,
            cached_input: 600,
            cache_write: 50,
            output: 77,
            reasoning: 35,
            cost: None
        }
    );
    let counted = world.only(wake_run::with_counts_by_key(WS, &one.key));
    assert_eq!((counted.run, counted.turns), (stored(world, &one), 0));
    assert_eq!(stored(world, &other).usage, Usage::default());
}

fn a_key_runs_once(world: &World) {
    let first = inserted(world, run(world, "key"));
    let again = run(world, "key");
    assert_eq!(world.agent_refusal([wake_run::insert(WS, &again)]), Refusal::Exists);
    assert_eq!(stored(world, &first), first);
}

fn a_run_moves_only_from_the_status_that_was_read(world: &World) {
    let first = inserted(world, run(world, "key"));
    let requeue = |from, to| wake_run::requeue(WS, &first.key, from, to, 5, 1);
    let wrong = requeue(Status::Queued, Status::Started);
    assert_eq!(world.agent_refusal([wrong]), Refusal::LeaseLost);
    world.agent([requeue(Status::Started, Status::Queued)]);
    let queued = Run { status: Status::Queued, epoch: 5, crashes: 1, ..first.clone() };
    assert_eq!(stored(world, &first), queued);
    let wrong = finish(&first, Status::Started, Status::Completed);
    assert_eq!(world.agent_refusal([wrong]), Refusal::LeaseLost);
    assert_eq!(stored(world, &first), queued);
}

fn an_ended_run_says_how_it_ended(world: &World) {
    for to in [Status::Completed, Status::Skipped, Status::Failed, Status::Abandoned] {
        let first = inserted(world, run(world, to.name()));
        world.agent([finish(&first, Status::Started, to)]);
        let ended = Run {
            status: to,
            completed_at: Some(at(9)),
            cut: true,
            error: Some("no answer".into()),
            ..first.clone()
        };
        assert_eq!(stored(world, &first), ended);
        let again = finish(&first, Status::Started, Status::Failed);
        assert_eq!(world.agent_refusal([again]), Refusal::LeaseLost);
    }
}

fn a_cancelled_run_is_no_failure(world: &World) {
    let agent: AgentId = world.id();
    let of_agent = |key, micros| {
        inserted(world, Run { holder: (&agent).into(), created_at: at(micros), ..run(world, key) })
    };
    let failed = of_agent("failed", 1);
    world.agent([finish(&failed, Status::Started, Status::Failed)]);
    let first = of_agent("cancelled", 2);
    let cancel = |from| wake_run::cancel(WS, &first.key, from, Status::Failed, at(9), "cancelled");
    assert_eq!(world.agent_refusal([cancel(Status::Queued)]), Refusal::LeaseLost);
    world.agent([cancel(Status::Started)]);
    let ended = Run {
        status: Status::Failed,
        completed_at: Some(at(9)),
        error: Some("cancelled".into()),
        failure: Some(Listed::Known(RunFailure::Cancelled)),
        ..first.clone()
    };
    assert_eq!(stored(world, &first), ended);
    assert!(ended.is_cancelled() && !stored(world, &failed).is_cancelled());
    assert_eq!(world.agent_refusal([cancel(Status::Started)]), Refusal::LeaseLost);
    // It neither counts as the last failure of its agent, nor hides the one before.
    let last = world.all(wake_run::failed_last(WS, 9));
    assert_eq!(last.into_iter().map(|run| run.key).collect::<Vec<_>>(), [failed.key]);
}

fn the_open_calls_of_a_run_are_settled_together_or_not_at_all(world: &World) {
    let run = inserted(world, run(world, "spends"));
    let day: jiff::civil::Date = "2026-03-02".parse().expect("a day");
    let call = |turn| NewCall {
        run: run.key.clone(),
        turn,
        attempt: 1,
        holder: run.holder.clone(),
        model: "acme/large".into(),
        at: at(1),
        day,
        reserved: Amount { unit: Unit::MicroDollars, value: 100 * i64::from(turn) },
    };
    let calls = [call(1), call(2), call(3)];
    world.agent(calls.iter().map(|call| model_call::insert(WS, call)));
    world.agent([model_call::settle(WS, &calls[0], CallStatus::Settled, 7, None)]);
    let open = world.all(model_call::open_of_run(WS, &run.key));
    let expected = calls[1..].iter().map(|call| OpenCall {
        holder: call.holder.clone(),
        day,
        reserved: call.reserved,
    });
    assert_eq!(open, expected.collect::<Vec<_>>());
    for wrong in [0, 1, 3] {
        let refused = world.agent_refusal([model_call::assume(WS, &run.key, wrong)]);
        assert_eq!(refused, Refusal::Stale, "{wrong}");
    }
    world.agent([model_call::assume(WS, &run.key, 2)]);
    assert_eq!(world.all(model_call::open_of_run(WS, &run.key)), []);
    let [today] = &world.all(model_call::per_day(WS, day, day))[..] else { panic!("one row") };
    assert_eq!(today.cost, 7 + 200 + 300);
    world.agent([model_call::assume(WS, &run.key, 0)]);
}

fn the_newest_runs_of_an_agent_come_first(world: &World) {
    let agent: AgentId = world.id();
    for (key, micros) in [("b", 2), ("a", 2), ("c", 1), ("d", 3)] {
        let one = Run { holder: (&agent).into(), created_at: at(micros), ..run(world, key) };
        inserted(world, one);
    }
    inserted(world, run(world, "of another agent"));
    let keys = |limit| -> Vec<String> {
        let runs = world.all(wake_run::of_agent(WS, &agent, limit));
        runs.into_iter().map(|run| run.key.0).collect()
    };
    assert_eq!(keys(9), ["d", "a", "b", "c"]);
    assert_eq!(keys(2), ["d", "a"]);
}

fn a_request_that_was_never_answered_is_replaced(world: &World) {
    let key = RunKey("run".into());
    let text =
        |kind: PromptPart| Span::Text { kind: kind.into(), sha256: hash::sha256(kind.name()) };
    use PromptPart::{Delta, System};
    let request = |turn, spans: &[Span], micros| Stored {
        turn,
        spans: spans.to_vec(),
        sources: vec![Source::Unknown],
        digest: hash::sha256(format!("{turn}")),
        at: at(micros),
    };
    let put = |request: &Stored| wake_request::put(WS, &key, request);
    let second = request(2, &[text(System), Span::Log { from: 1, upto: 9, by_run: true }], 1);
    let first = request(1, &[text(System)], 2);
    world.agent([put(&second), put(&first)]);
    assert_eq!(world.all(wake_request::of_run(WS, &key)), [first.clone(), second.clone()]);
    let again = request(2, &[text(Delta)], 8);
    world.agent([put(&again)]);
    assert_eq!(world.all(wake_request::of_run(WS, &key)), [first, again]);
    assert_eq!(world.all(wake_request::of_run(OTHER_WS, &key)), []);
}

fn only_runs_of_agents_are_counted_as_wakes(world: &World) {
    let completed = |key: &str| Run { status: Status::Completed, ..run(world, key) };
    let agent: AgentId = world.id();
    inserted(world, Run { holder: (&agent).into(), ..completed("wake") });
    inserted(world, Run { holder: world.id::<WorkRunId>().into(), ..completed("work") });
    inserted(world, run(world, "unfinished"));
    let of =
        |agents: &[AgentId], since| world.only(wake_run::completed_of_since(WS, agents, since));
    let other = world.id();
    assert_eq!(
        [of(&[other, agent.clone()], at(0)), of(&[agent], at(2)), of(&[], at(0))],
        [1, 0, 0]
    );
}
