//! Requests that come again because their answer was lost, and people, clocks and nodes that act at once.

use std::time::Duration;

use dormouse_scheduler::Chore as _;
use dormouse_testkit::scripted::Answer;
use dormouse_types::WorkId;
use dormouse_types::model::ModelError;
use dormouse_types::port::Clock as _;
use dormouse_types::work::{RunState, WorkSource};
use dormouse_work::definition::NewWork;
use dormouse_work::question::Expiry;
use dormouse_work::{RequestContext, WorkError};

use crate::world::{WS, World, ask, finish, me, says, wait};

fn keyed(key: &str) -> RequestContext {
    RequestContext { key: Some(key.into()), ..me() }
}

fn on_review(world: &World, title: &str) -> WorkId {
    let id = world.create(title, None);
    for text in ["I booked it, promise.", "Really."] {
        world.script.push(says(text));
    }
    world.drain();
    assert_eq!(world.status(&id), "paused/needs_review");
    id
}

/// What the first request did is why the second would be refused.
fn a_request_whose_answer_was_lost_is_answered_as_the_first_time(world: &World) {
    let id = on_review(world, "Book the van");
    let run = world.runs(&id).remove(0).id;
    for _ in 0..2 {
        let (why, by) = (Some("nothing was booked"), keyed("k-1"));
        wait(world.work.review(WS, &run, false, why, &by)).expect("declined");
        assert_eq!(world.status(&id), "failed/failed");
    }
    for _ in 0..2 {
        wait(world.work.retry(WS, &run, &keyed("k-2"))).expect("it is tried again");
        assert_eq!(world.status(&id), "pending/queued");
    }
    for _ in 0..2 {
        wait(world.work.pause(WS, &id, &keyed("k-3"))).expect("paused");
    }
    for _ in 0..2 {
        wait(world.work.resume(WS, &id, &keyed("k-4"))).expect("resumed");
    }
    let first = wait(world.work.run_now(WS, &id, &keyed("k-5"))).expect("it runs").id;
    wait(world.work.archive(WS, &id, &me())).expect("archived");
    let again = wait(world.work.run_now(WS, &id, &keyed("k-5"))).expect("the same request").id;
    assert_eq!(again, first);
    // Another request under the same key, and the same one under another, are refused.
    let other = wait(world.work.pause(WS, &id, &keyed("k-1"))).expect_err("another request");
    assert!(matches!(other, WorkError::Reused { .. }), "{other}");
    let fresh = wait(world.work.pause(WS, &id, &keyed("k-9"))).expect_err("it is archived");
    assert!(matches!(fresh, WorkError::State { .. }), "{fresh}");
    assert_eq!(world.runs(&id).len(), 2, "nothing was done twice");
}

/// Why it needed a review told the person to decide.
fn a_run_that_was_decided_about_no_longer_says_that_it_waits_for_that(world: &World) {
    let decided = |is_approved, why| {
        let id = on_review(world, "Book the van");
        let run = world.runs(&id).remove(0);
        assert!(run.error.is_some_and(|why| why.contains("approve or decline it")));
        wait(world.work.review(WS, &run.id, is_approved, why, &me())).expect("decided").error
    };
    assert_eq!(decided(true, None), None);
    assert_eq!(decided(false, None).as_deref(), Some("it was declined"));
    assert_eq!(decided(false, Some("nothing was booked")).as_deref(), Some("nothing was booked"));
}

/// Between the end of its time and the moment when somebody looks, it is open by its row.
fn an_answer_after_its_time_is_refused_whatever_its_key(world: &World) {
    let id = world.create("Book the van", None);
    world.script.push(ask("Which van?"));
    world.drain();
    let run = world.runs(&id).remove(0).id;
    let question = wait(world.work.questions(WS, &run)).expect("readable").remove(0);
    world.later(7 * 24 * 3600);
    for context in [me(), keyed("k-1")] {
        let late =
            wait(world.work.answer(WS, &question.id, "blue", &context)).expect_err("too late");
        assert!(matches!(late, WorkError::Closed { .. }), "{late}");
    }
    world.sweep();
    assert_eq!(world.status(&id), "failed/expired");
}

/// A node whose clock is behind still takes the answer; the one that is ahead has listed the question.
fn giving_up_a_question_leaves_the_next_one_of_its_run_alone(world: &World) {
    let id = world.create("Book the van", None);
    world.script.push(ask("Which van?"));
    world.drain();
    let run = world.runs(&id).remove(0).id;
    let question = wait(world.work.questions(WS, &run)).expect("readable").remove(0);
    let ahead = world.clock.now() + Duration::from_secs(7 * 24 * 3600);
    let other = world.another_node();
    world.hooks.before_commit("work.expire", move || {
        wait(other.work.answer(WS, &question.id, "The blue one.", &me())).expect("answered");
        other.script.push(ask("Which day?"));
        other.drain();
    });
    let done = wait(Expiry(world.work.clone()).work(None, ahead)).expect("it works");
    assert!(done.lines.is_empty() && world.hooks.is_done(), "{:?}", done.lines);
    assert_eq!(world.runs(&id)[0].state, RunState::NeedsInput);
    let questions = wait(world.work.questions(WS, &run)).expect("readable");
    let open: Vec<_> = questions.iter().filter(|one| one.closed_at.is_none()).collect();
    assert_eq!(open.len(), 1);
    assert_eq!(open[0].question, "Which day?");
    wait(world.work.answer(WS, &open[0].id, "Friday", &me())).expect("it can be answered");
    world.script.push(finish("done", "Booked."));
    world.drain();
    assert_eq!(world.status(&id), "completed/succeeded");
}

/// Its question is asked after the request was read.
fn who_may_not_decide_ends_no_run_that_begins_to_ask_meanwhile(world: &World) {
    let agent = RequestContext { may_decide: false, ..me() };
    type Ending = fn(&World, &WorkId, &RequestContext) -> Result<(), WorkError>;
    let endings: [(&'static str, Ending); 3] = [
        ("work.cancel", |world, id, by| wait(world.work.cancel_of(WS, id, None, by)).map(drop)),
        ("work.change", |world, id, by| wait(world.work.archive(WS, id, by)).map(drop)),
        ("work.change", |world, id, by| wait(world.work.delete(WS, id, by)).map(drop)),
    ];
    for (commit, end) in endings {
        let id = world.create("Book the van", None);
        let other = world.another_node();
        world.hooks.before_commit(commit, move || {
            other.script.push(ask("Which van?"));
            other.drain();
        });
        let refused = end(world, &id, &agent).expect_err("it asks by now");
        assert!(world.hooks.is_done());
        assert!(matches!(refused, WorkError::NeedsDecide { .. }), "{refused}");
        assert_eq!(world.status(&id), "paused/needs_input");
        end(world, &id, &me()).expect("the person may");
    }
}

/// Its first run failed, and the next one is under way, waits for its turn, or was left out.
fn who_may_not_decide_hides_no_failure_behind_a_later_run(world: &World) {
    let agent = RequestContext { may_decide: false, ..me() };
    type Begun = fn(&World, &WorkId);
    let later: [Begun; 2] = [
        |world, id| drop(wait(world.work.run_now(WS, id, &me())).expect("it is requested")),
        |world, id| {
            wait(world.work.run_now(WS, id, &me())).expect("it is requested");
            wait(world.work.pause(WS, id, &me())).expect("it is paused, and the run left out");
        },
    ];
    for begin in later {
        let id = world.create("Book the van", None);
        world.script.push(finish("failed", "No van in town."));
        world.drain();
        begin(world, &id);
        let archived = wait(world.work.archive(WS, &id, &agent));
        let deleted = wait(world.work.delete(WS, &id, &agent));
        for refused in [archived, deleted] {
            let refused = refused.expect_err("the failure needs the person");
            assert!(matches!(refused, WorkError::NeedsDecide { .. }), "{refused}");
        }
        wait(world.work.delete(WS, &id, &me())).expect("the person may");
    }
}

fn what_is_made_in_a_conversation_is_made_once_even_if_that_is_gone(world: &World) {
    let conversation = wait(world.work.begin_conversation(WS, "Vans", &me())).expect("it begins");
    let source = (WorkSource::Conversation, Some(conversation.to_string()));
    let new = NewWork { source, ..world.new_work("Prices", None) };
    let first =
        wait(world.work.create(WS, &new, &keyed("k-1"))).expect("it is created").definition.id;
    wait(world.work.delete_conversation(WS, &conversation, "", &me())).expect("deleted");
    let again =
        wait(world.work.create(WS, &new, &keyed("k-1"))).expect("the same request").definition.id;
    assert_eq!(again, first);
    assert!(wait(world.work.create(WS, &new, &keyed("k-2"))).is_err(), "another one");
}

/// Whatever it waits for: another attempt, an answer, a review.
fn nothing_of_deleted_work_goes_on(world: &World) {
    let failing = world.create("Standup", None);
    world.script.push(Answer::Fails(ModelError::Request { detail: "no".into() }));
    world.drain();
    assert_eq!(world.status(&failing), "pending/queued");
    let asking = world.create("Book the van", None);
    world.script.push(ask("Which van?"));
    world.drain();
    let question = world.runs(&asking).remove(0).id;
    let question = wait(world.work.questions(WS, &question)).expect("readable").remove(0);
    let judged = on_review(world, "Call the bank");
    let judged_run = world.runs(&judged).remove(0).id;
    // This one fails while it is deleted.
    let working = world.create("Mail", None);
    world.script.push(Answer::Fails(ModelError::Request { detail: "no".into() }));
    let (work, id) = (world.work.clone(), working.clone());
    world.hooks.before_commit("run.fail", move || {
        wait(work.delete(WS, &id, &me())).expect("deleted");
    });
    world.drain();
    assert!(world.hooks.is_done());
    for id in [&failing, &asking, &judged] {
        wait(world.work.delete(WS, id, &me())).expect("deleted");
    }
    let late = wait(world.work.answer(WS, &question.id, "blue", &me())).expect_err("it is gone");
    assert!(matches!(late, WorkError::Closed { .. }), "{late}");
    let late = wait(world.work.retry(WS, &judged_run, &me())).expect_err("it is gone");
    assert!(matches!(late, WorkError::NotFound { .. }), "{late}");
    let n_requests = world.script.requests().len();
    world.later(24 * 3600);
    assert_eq!(world.drain(), []);
    world.sweep();
    assert_eq!(world.script.requests().len(), n_requests, "no model is called");
    for id in [failing, asking, judged, working] {
        let run = world.runs(&id).remove(0);
        assert!(matches!(run.state, RunState::Cancelled | RunState::Skipped), "{run:?}");
        assert!(run.completed_at.is_some(), "{run:?}");
    }
    let unread = world.raw("SELECT kind FROM deliveries WHERE state <> 'read'");
    assert!(unread.is_empty(), "{unread:?}");
}

fn work_that_is_archived_is_not_tried_again(world: &World) {
    let id = on_review(world, "Book the van");
    let run = world.runs(&id).remove(0).id;
    wait(world.work.archive(WS, &id, &me())).expect("archived");
    let refused = wait(world.work.retry(WS, &run, &me())).expect_err("it is over");
    assert!(refused.to_string().contains("it never runs again"), "{refused}");
    wait(world.work.review(WS, &run, true, None, &me())).expect("what it left can be approved");
}

each_engine! {
    a_run_that_was_decided_about_no_longer_says_that_it_waits_for_that,
    who_may_not_decide_ends_no_run_that_begins_to_ask_meanwhile,
    who_may_not_decide_hides_no_failure_behind_a_later_run,
    what_is_made_in_a_conversation_is_made_once_even_if_that_is_gone,
    nothing_of_deleted_work_goes_on,
    work_that_is_archived_is_not_tried_again,
    a_request_whose_answer_was_lost_is_answered_as_the_first_time,
    an_answer_after_its_time_is_refused_whatever_its_key,
    giving_up_a_question_leaves_the_next_one_of_its_run_alone,
}
