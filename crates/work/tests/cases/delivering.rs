//! Notices to the person: written with their cause, once, and settled when they have dealt with it.

use std::collections::BTreeSet;

use dormouse_store::agent::wake_queue;
use dormouse_store::agent::work::delivery;
use dormouse_store::change_log;
use dormouse_store::{Commit, Db, Op};
use dormouse_testkit::scripted::Answer;
use dormouse_types::delivery::DeliveryState;
use dormouse_types::model::ModelError;
use dormouse_types::port::Clock as _;
use dormouse_types::work::CatchUp;
use dormouse_types::{EventKind, Seq, Timestamp, limits};

use crate::world::{WS, World, ask, finish, me, publish, says, wait};

/// What there is to tell, oldest first: kind and state.
fn deliveries(world: &World) -> Vec<String> {
    let latest = (Timestamp::from_micros(i64::MAX), "");
    let mut all = wait(world.store.all(delivery::newest(WS, latest, 99))).expect("readable");
    all.reverse();
    let all = all.into_iter().map(|line| line.row.expect("whole"));
    all.map(|one| format!("{} {}", one.kind, one.state)).collect()
}

/// How many events of a kind there were.
fn events(world: &World, kind: EventKind) -> usize {
    let all = change_log::notices_after(Db::Agent, WS, Seq(0), 999);
    let all = wait(world.store.all(all)).expect("readable");
    all.iter().filter(|one| one.event.as_ref().is_some_and(|event| *event == kind)).count()
}

fn a_question_is_delivered_once_and_settled_by_the_answer(world: &World) {
    let id = world.create("Book the van", None);
    world.script.push(ask("Which van?"));
    world.drain();
    assert_eq!(deliveries(world), ["question pending"]);
    assert_eq!(events(world, EventKind::WorkNeedsAttention), 1);
    assert_eq!(events(world, EventKind::DeliveryChanged), 1);
    let run = world.runs(&id).remove(0).id;
    let question = wait(world.work.questions(WS, &run)).expect("readable").remove(0);
    wait(world.work.answer(WS, &question.id, "The blue one.", &me())).expect("it is answered");
    assert_eq!(deliveries(world), ["question read"], "who answered has seen it");
    // The same run asks again, and that is another thing to tell.
    world.script.push(ask("Which day?"));
    world.drain();
    assert_eq!(deliveries(world), ["question read", "question pending"]);
    world.later(8 * 24 * 3600);
    world.sweep();
    assert_eq!(world.status(&id), "failed/expired");
    assert_eq!(deliveries(world), ["question read", "question read", "failed pending"]);
    assert_eq!(events(world, EventKind::WorkNeedsAttention), 3);
}

fn a_result_is_delivered_and_a_run_without_one_is_not(world: &World) {
    world.create("Standup", None);
    world.script.push(publish("Standup", "All is well."));
    world.drain();
    assert_eq!(deliveries(world), ["result pending"]);
    assert_eq!(events(world, EventKind::WorkNeedsAttention), 0, "a result needs nobody");
    assert_eq!(events(world, EventKind::DeliveryChanged), 1);
    world.create("Mail", None);
    world.script.push(finish("no_op", "No letters."));
    world.drain();
    assert_eq!(deliveries(world), ["result pending"]);
}

fn a_decision_of_the_person_has_no_delivery(world: &World) {
    let id = world.create("Book the van", None);
    for text in ["I booked it, promise.", "Really."] {
        world.script.push(says(text));
    }
    world.drain();
    assert_eq!(deliveries(world), ["review pending"]);
    let run = world.runs(&id).remove(0).id;
    wait(world.work.review(WS, &run, false, Some("nothing was booked"), &me())).expect("declined");
    assert_eq!(deliveries(world), ["review read"]);
    world.later(60);
    world.script.push(ask("Which van?"));
    wait(world.work.run_now(WS, &id, &me())).expect("it runs");
    world.drain();
    wait(world.work.delete(WS, &id, &me())).expect("deleted");
    assert_eq!(deliveries(world), ["review read", "question read"], "nothing is left to tell");
}

fn a_run_that_failed_for_good_is_delivered(world: &World) {
    let id = world.create("Standup", None);
    for (n, wait_for) in [0, 30, 120].into_iter().enumerate() {
        assert_eq!(deliveries(world), [] as [String; 0], "after {n} attempts another one follows");
        world.later(wait_for);
        world.script.push(Answer::Fails(ModelError::Request { detail: "no".into() }));
        world.drain();
    }
    assert_eq!(world.status(&id), "failed/failed");
    assert_eq!(deliveries(world), ["failed pending"]);
    assert_eq!(events(world, EventKind::WorkNeedsAttention), 1);
    let run = world.runs(&id).remove(0).id;
    wait(world.work.retry(WS, &run, &me())).expect("it is tried again");
    assert_eq!(deliveries(world), ["failed read"]);
    world.script.push(publish("Standup", "By hand."));
    world.drain();
    assert_eq!(deliveries(world), ["failed read", "result pending"]);
}

fn a_run_whose_process_died_twice_is_delivered(world: &World) {
    let id = world.create("Standup", None);
    let run = world.runs(&id).remove(0).id;
    for owner in ["dead", "dead, too"] {
        let row = wait(world.store.first(wake_queue::of_holder(WS, &run)));
        let row = row.expect("readable").expect("a row");
        drop(wait(world.scheduler(owner).claim(WS, &row)).expect("a claim").expect("a lease"));
        world.later(61);
        wait(world.scheduler("other").take_over_dead(&BTreeSet::new())).expect("taken over");
    }
    world.drain();
    assert_eq!(world.status(&id), "failed/interrupted");
    assert_eq!(deliveries(world), ["failed pending"]);
    assert_eq!(events(world, EventKind::WorkNeedsAttention), 1);
}

fn a_run_that_took_too_long_is_delivered(world: &World) {
    let id = world.create("Standup", None);
    let run = world.runs(&id).remove(0).id;
    let row = wait(world.store.first(wake_queue::of_holder(WS, &run)));
    let row = row.expect("readable").expect("a row");
    let node = world.scheduler("slow");
    let lease = wait(node.claim(WS, &row)).expect("a claim").expect("a lease");
    world.later(limits::WORK_RUN_SECONDS + 1);
    wait(node.run_alive(lease)).expect("it ends");
    assert_eq!(world.status(&id), "failed/timed_out");
    assert_eq!(deliveries(world), ["failed pending"]);
    assert_eq!(events(world, EventKind::WorkNeedsAttention), 1);
    assert_eq!(events(world, EventKind::DeliveryChanged), 1);
    let run = world.runs(&id).remove(0);
    assert_eq!(run.error.as_deref(), Some("the run took longer than 1800 seconds"));
    world.drain();
    assert_eq!(deliveries(world), ["failed pending"], "nothing follows by itself");
}

fn all_missed_runs_have_one_delivery(world: &World) {
    let mut new = world.new_work("Often", Some("every 10 minutes"));
    new.catch_up = CatchUp::Skip;
    let id = wait(world.work.create(WS, &new, &me())).expect("it is created").definition.id;
    world.create("Hourly", Some("every hour"));
    // More than one commit decides about.
    world.set("2026-03-05T07:05:00Z");
    world.script.push(finish("no_op", "The newest is caught up with."));
    world.drain();
    assert_eq!(world.runs(&id).len(), 432);
    assert_eq!(deliveries(world), ["missed pending"]);
    assert_eq!(events(world, EventKind::WorkNeedsAttention), 1);
    assert_eq!(events(world, EventKind::DeliveryChanged), 1);
    let latest = (Timestamp::from_micros(i64::MAX), "");
    let one = wait(world.store.first(delivery::newest(WS, latest, 1))).expect("readable");
    let one = one.expect("a delivery").row.expect("whole");
    assert_eq!(Some(&one.run), world.runs(&id).iter().max_by_key(|run| run.n).map(|run| &run.id));
    world.another_node().plan();
    assert_eq!(deliveries(world), ["missed pending"]);
}

fn a_run_that_a_restore_leaves_out_is_delivered_and_one_that_was_paused_is_not(world: &World) {
    let [held, paused] = ["Standup", "Mail"].map(|title| world.create(title, None));
    wait(world.work.pause(WS, &paused, &me())).expect("paused");
    assert_eq!(deliveries(world), [] as [String; 0], "who paused it knows");
    for _ in 0..2 {
        wait(world.work.hold_all(WS)).expect("held");
        assert_eq!(deliveries(world), ["held pending"]);
    }
    assert_eq!(events(world, EventKind::DeliveryChanged), 1);
    assert_eq!(world.said(&held), ["requested skipped paused"]);
    assert_eq!(events(world, EventKind::WorkNeedsAttention), 2, "the run, and the work itself");
    wait(world.work.resume(WS, &held, &me())).expect("resumed");
}

fn a_delivery_goes_on_and_never_back(world: &World) {
    world.create("Standup", None);
    world.script.push(publish("Standup", "All is well."));
    world.drain();
    let latest = (Timestamp::from_micros(i64::MAX), "");
    let one = wait(world.store.first(delivery::newest(WS, latest, 1))).expect("readable");
    let one = one.expect("a delivery").row.expect("whole");
    let write = |op| {
        let commit = Commit::new("test", Db::Agent, WS).op(op);
        wait(world.store.commit(commit)).expect("written");
        wait(world.store.first(delivery::by_id(WS, &one.id))).expect("readable").expect("it")
    };
    let at = |seconds: i64| Timestamp::from_micros(seconds * 1_000_000);
    // The same facts again are no second delivery.
    let again =
        delivery::insert(WS, (one.target, one.kind), &one.work, (&one.run, one.attempt), at(1));
    assert_eq!(write(again), one);
    let shown = write(delivery::delivered(WS, &one.id, at(2)));
    assert_eq!((shown.state.name(), shown.n_tries), ("delivered", 1));
    let shown = write(delivery::delivered(WS, &one.id, at(3)));
    assert_eq!((shown.n_tries, shown.delivered_at), (2, Some(at(2))), "it was shown again");
    let read = write(delivery::read(WS, &one.id, at(4)));
    assert_eq!((read.state.name(), read.read_at), ("read", Some(at(4))));
    let shown = write(delivery::delivered(WS, &one.id, at(5)));
    assert_eq!((shown.state.name(), shown.read_at), ("read", Some(at(4))));
}

fn a_delivery_goes_a_while_after_it_was_read_and_an_unread_one_stays(world: &World) {
    for title in ["Standup", "Mail"] {
        world.create(title, None);
        world.script.push(publish(title, "All is well."));
        world.drain();
        world.later(60);
    }
    let latest = (Timestamp::from_micros(i64::MAX), "");
    let newest = wait(world.store.first(delivery::newest(WS, latest, 1))).expect("readable");
    let id = newest.expect("a delivery").row.expect("whole").id;
    world.later(limits::READ_DELIVERY_SECONDS);
    let op = delivery::read(WS, &id, world.clock.now());
    wait(world.store.commit(Commit::new("test", Db::Agent, WS).op(op))).expect("written");
    world.later(limits::READ_DELIVERY_SECONDS);
    world.sweep();
    assert_eq!(deliveries(world), ["result pending", "result read"]);
    world.later(1);
    world.sweep();
    assert_eq!(deliveries(world), ["result pending"], "what nobody saw stays");
}

/// The store as a version left it that wrote no deliveries.
fn as_before_deliveries(world: &World) {
    let op = Op::any("DELETE FROM deliveries", Vec::new());
    wait(world.store.commit(Commit::new("test", Db::Agent, WS).op(op))).expect("written");
}

fn a_question_from_before_there_were_deliveries_is_delivered_once(world: &World) {
    let titles = ["Book the van", "Call the bank", "Buy paint", "Wash the car"];
    let [van, bank, paint, _] = titles.map(|title| {
        let id = world.create(title, None);
        world.script.push(ask(title));
        world.drain();
        id
    });
    let question_of = |id| {
        let run = world.runs(id).remove(0).id;
        wait(world.work.questions(WS, &run)).expect("readable").remove(0)
    };
    as_before_deliveries(world);
    let before = events(world, EventKind::DeliveryChanged);
    wait(world.work.answer(WS, &question_of(&bank).id, "Done.", &me())).expect("answered");
    wait(world.work.delete(WS, &paint, &me())).expect("deleted");
    world.later(60);
    world.sweep();
    assert_eq!(
        deliveries(world),
        ["question pending"; 2],
        "what waits for an answer, and nothing else"
    );
    assert_eq!(events(world, EventKind::DeliveryChanged), before + 2);
    wait(world.work.answer(WS, &question_of(&van).id, "The blue one.", &me())).expect("answered");
    let unread = wait(world.store.first(delivery::newest_of_state(
        WS,
        DeliveryState::Pending,
        (Timestamp::from_micros(i64::MAX), ""),
        1,
    )));
    let id = unread.expect("readable").expect("a delivery").id.parse().expect("an id");
    let op = delivery::read(WS, &id, world.clock.now());
    wait(world.store.commit(Commit::new("test", Db::Agent, WS).op(op))).expect("written");
    world.sweep();
    world.another_node().sweep();
    assert_eq!(deliveries(world), ["question read"; 2], "and once");
    assert_eq!(events(world, EventKind::DeliveryChanged), before + 2);
    world.later(limits::WORK_QUESTION_SECONDS);
    as_before_deliveries(world);
    world.sweep();
    assert_eq!(
        deliveries(world),
        ["failed pending"],
        "what nobody can answer any more has no notice"
    );
}

each_engine! {
    a_question_from_before_there_were_deliveries_is_delivered_once,
    a_delivery_goes_a_while_after_it_was_read_and_an_unread_one_stays,
    a_question_is_delivered_once_and_settled_by_the_answer,
    a_result_is_delivered_and_a_run_without_one_is_not,
    a_decision_of_the_person_has_no_delivery,
    a_run_that_failed_for_good_is_delivered,
    a_run_whose_process_died_twice_is_delivered,
    a_run_that_took_too_long_is_delivered,
    all_missed_runs_have_one_delivery,
    a_run_that_a_restore_leaves_out_is_delivered_and_one_that_was_paused_is_not,
    a_delivery_goes_on_and_never_back,
}
