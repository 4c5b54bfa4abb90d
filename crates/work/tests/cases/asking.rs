//! Questions: asked by a call, answered by a person, given up after a week.

use dormouse_scheduler::End;
use dormouse_testkit::scripted::Answer;
use dormouse_types::model::FragmentKind;
use dormouse_work::{RequestContext, WorkError};
use serde_json::json;

use crate::world::{WS, World, ask, finish, me, publish, says, wait};

const DONE: End = End::Completed { cut: false };

fn an_answer_resumes_the_same_run(world: &World) {
    let id = world.create("Book the van", None);
    let lists =
        Answer::calls([("list_agent_work", json!({ "from": "2026-03-01", "to": "2026-03-02" }))]);
    world.script.push(lists.and_goes_on());
    world.script.push(ask("Which van?"));
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.status(&id), "paused/needs_input");
    let run = world.runs(&id).remove(0);
    let question = wait(world.work.questions(WS, &run.id)).expect("readable").remove(0);
    assert_eq!((question.question.as_str(), question.options.len()), ("Which van?", 2));
    world.later(3600);
    assert_eq!(world.drain(), [], "it waits");
    // Another process answers, after a restart.
    let other = world.another_node();
    wait(other.work.answer(WS, &question.id, "The blue one.", &me())).expect("it is answered");
    assert_eq!(world.status(&id), "pending/queued");
    world.script.push(publish("Van", "Booked the blue one."));
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.status(&id), "completed/succeeded");
    assert_eq!(world.runs(&id).len(), 1, "the same run");
    let work = world.prompt(FragmentKind::Work);
    assert!(
        work.contains("Which van?") && work.contains("The person answered: The blue one."),
        "{work}"
    );
    let before = world.prompt(FragmentKind::EarlierRuns);
    assert!(before.contains("This run so far:"), "{before}");
    assert!(before.contains("- called list_agent_work"), "{before}");
}

fn a_second_answer_is_refused_with_the_first(world: &World) {
    let id = world.create("Book the van", None);
    world.script.push(ask("Which van?"));
    world.drain();
    let question =
        wait(world.work.questions(WS, &world.runs(&id)[0].id)).expect("readable").remove(0);
    let keyed = RequestContext { key: Some("k-1".into()), ..me() };
    wait(world.work.answer(WS, &question.id, "blue", &keyed)).expect("it is answered");
    wait(world.work.answer(WS, &question.id, "blue", &keyed)).expect("the same request");
    for context in [me(), RequestContext { key: Some("k-2".into()), ..me() }] {
        let second =
            wait(world.work.answer(WS, &question.id, "red", &context)).expect_err("refused");
        let said = second.to_string();
        assert!(said.ends_with("was answered already: blue"), "{said}");
    }
}

/// The week has passed, and no node has looked since. A request with a key is refused like any other.
fn an_answer_that_comes_too_late_is_refused_before_the_question_is_closed(world: &World) {
    let id = world.create("Book the van", None);
    world.script.push(ask("Which van?"));
    world.drain();
    let run = world.runs(&id).remove(0).id;
    let question = wait(world.work.questions(WS, &run)).expect("readable").remove(0);
    world.later(7 * 24 * 3600);
    for key in [None, Some("k-1".to_owned())] {
        let late = RequestContext { key, ..me() };
        let late = wait(world.work.answer(WS, &question.id, "blue", &late)).expect_err("refused");
        assert!(matches!(late, WorkError::Closed { .. }), "{late}");
    }
    let question = wait(world.work.questions(WS, &run)).expect("readable").remove(0);
    assert_eq!((question.answer, question.closed_at), (None, None), "nothing is written");
    world.sweep();
    assert_eq!(world.status(&id), "failed/expired");
}

fn a_question_is_given_up_after_a_week(world: &World) {
    let id = world.create("Book the van", None);
    world.script.push(ask("Which van?"));
    world.drain();
    let run = world.runs(&id).remove(0);
    let question = wait(world.work.questions(WS, &run.id)).expect("readable").remove(0);
    world.later(7 * 24 * 3600 - 1);
    world.sweep();
    assert_eq!(world.status(&id), "paused/needs_input");
    world.later(1);
    let late = wait(world.work.answer(WS, &question.id, "blue", &me())).expect_err("too late");
    assert!(matches!(late, WorkError::Closed { .. }), "{late}");
    world.sweep();
    assert_eq!(world.status(&id), "failed/expired");
    assert_eq!(world.drain(), []);
    wait(world.work.retry(WS, &run.id, &me())).expect("it is tried again");
    world.script.push(ask("Which van?"));
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(wait(world.work.questions(WS, &run.id)).expect("readable").len(), 2);
}

fn a_question_in_prose_needs_review(world: &World) {
    let id = world.create("Book the van", None);
    world.script.push(says("Which van do you mean?"));
    world.script.push(says("Please tell me which van."));
    world.drain();
    assert_eq!(world.status(&id), "paused/needs_review");
    assert_eq!(world.script.requests().len(), 2, "it is reminded once");
    let run = world.runs(&id).remove(0).id;
    wait(world.work.review(WS, &run, true, None, &me())).expect("it is approved");
    assert_eq!(world.status(&id), "completed/succeeded");
    let twice = wait(world.work.review(WS, &run, false, None, &me())).expect_err("it is over");
    assert!(matches!(twice, WorkError::RunState { .. }), "{twice}");
}

fn what_needs_review_can_be_declined_or_tried_again(world: &World) {
    let id = world.create("Book the van", None);
    world.script.push(says("I booked it, promise."));
    world.script.push(says("Really."));
    world.drain();
    let run = world.runs(&id).remove(0).id;
    wait(world.work.retry(WS, &run, &me())).expect("it is tried again");
    world.script.push(says("I booked it, promise."));
    world.script.push(says("Really."));
    world.drain();
    wait(world.work.review(WS, &run, false, Some("nothing was booked"), &me())).expect("declined");
    assert_eq!(world.status(&id), "failed/failed");
    assert_eq!(world.runs(&id)[0].error.as_deref(), Some("nothing was booked"));
}

fn a_run_that_waits_does_not_hold_the_next(world: &World) {
    let id = world.create("Standup", Some("daily at 9"));
    world.set("2026-03-02T08:00:00Z");
    world.script.push(ask("Who is ill?"));
    world.drain();
    world.set("2026-03-03T08:00:00Z");
    world.script.push(finish("done", "Without the answer."));
    assert_eq!(world.drain(), [DONE]);
    assert_eq!(world.said(&id), ["03-02 09:00 needs_input", "03-03 09:00 succeeded"]);
    assert_eq!(world.status(&id), "paused/needs_input", "the question is still open");
    assert!(world.prompt(FragmentKind::Work).contains("An earlier run waits for an answer"));
}

fn a_cancelled_run_asks_nothing_any_more(world: &World) {
    let id = world.create("Book the van", None);
    world.script.push(ask("Which van?"));
    world.drain();
    let run = world.runs(&id).remove(0).id;
    let question = wait(world.work.questions(WS, &run)).expect("readable").remove(0);
    wait(world.work.cancel(WS, &run, &me())).expect("it is cancelled");
    let late = wait(world.work.answer(WS, &question.id, "blue", &me())).expect_err("it is closed");
    assert!(matches!(late, WorkError::Closed { .. }), "{late}");
    assert_eq!(world.status(&id), "failed/cancelled");
}

each_engine! {
    an_answer_resumes_the_same_run,
    a_second_answer_is_refused_with_the_first,
    an_answer_that_comes_too_late_is_refused_before_the_question_is_closed,
    a_question_is_given_up_after_a_week,
    a_question_in_prose_needs_review,
    what_needs_review_can_be_declined_or_tried_again,
    a_run_that_waits_does_not_hold_the_next,
    a_cancelled_run_asks_nothing_any_more,
}
