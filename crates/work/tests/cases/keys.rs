//! Idempotency keys: one stands for one request as it was sent, whatever the clock says when it comes again.

use dormouse_types::{ConversationId, Id, QuestionId, WorkId, WorkRunId};
use dormouse_work::lifecycle::Edit;
use dormouse_work::{RequestContext, WorkError};

use crate::world::{WS, World, ask, me, says, wait};

/// A request, which answers the id of what it wrote.
type Request<'w> = Box<dyn Fn(&RequestContext) -> Result<String, WorkError> + 'w>;

fn request<'w, I: Id>(send: impl Fn(&RequestContext) -> Result<I, WorkError> + 'w) -> Request<'w> {
    Box::new(move |context| send(context).map(|id| id.as_str().to_owned()))
}

/// Sends the first request, each of the others under its key, and the first one again after some days. The others
/// are named for what is different about them.
#[track_caller]
fn stands_for_one(world: &World, route: &str, first: &Request<'_>, others: &[(&str, Request<'_>)]) {
    let context = RequestContext { key: Some(route.into()), ..me() };
    let answer = first(&context).unwrap_or_else(|e| panic!("{route}: {e}"));
    for (changed, other) in others {
        let answer = other(&context);
        assert!(matches!(answer, Err(WorkError::Reused { .. })), "{route}, {changed}: {answer:?}");
    }
    world.later(8 * 24 * 3600);
    let again = first(&context).unwrap_or_else(|e| panic!("{route} again: {e}"));
    assert_eq!(again, answer, "{route}");
}

/// Whatever its words meant: they are read against a clock that goes on.
fn creating(world: &World) {
    let create = |sent: &'static str, title: &'static str| {
        request(move |context| {
            let context = RequestContext { sent: sent.into(), ..context.clone() };
            let new = world.new_work(title, Some("every monday at 9"));
            wait(world.work.create(WS, &new, &context)).map(|made| made.definition.id)
        })
    };
    let others = [("words", create("tomorrow", "Digest"))];
    stands_for_one(world, "create", &create("today", "Digest"), &others);
}

fn editing(world: &World) {
    let [one, other] = works(world);
    let edit = |id: &WorkId, sent: &'static str| {
        let id = id.clone();
        request(move |context| {
            let context = RequestContext { sent: sent.into(), ..context.clone() };
            let schedule = Some(world.schedule("every monday at 9"));
            let edit = Edit { schedule, ..Edit::default() };
            wait(world.work.edit(WS, &id, &edit, &context)).map(|made| made.definition.id)
        })
    };
    let others = [("id", edit(&other, "today")), ("words", edit(&one, "tomorrow"))];
    stands_for_one(world, "edit", &edit(&one, "today"), &others);
}

fn what_is_done_with_work(world: &World) {
    let [one, other] = works(world);
    let correct = |id: &WorkId, text: &'static str| {
        let id = id.clone();
        request(move |context| wait(world.work.correct(WS, &id, text, context)).map(|it| it.id))
    };
    let others = [("id", correct(&other, "Shorter.")), ("text", correct(&one, "Longer."))];
    stands_for_one(world, "correct", &correct(&one, "Shorter."), &others);
    let run = |id: &WorkId| {
        let id = id.clone();
        request(move |context| wait(world.work.run_now(WS, &id, context)).map(|run| run.id))
    };
    stands_for_one(world, "run", &run(&one), &[("id", run(&other))]);
    let pause = |id: &WorkId| {
        let id = id.clone();
        request(move |context| wait(world.work.pause(WS, &id, context)).map(|it| it.definition.id))
    };
    stands_for_one(world, "pause", &pause(&one), &[("id", pause(&other))]);
}

fn what_is_said_about_a_run(world: &World) {
    let ended = |title: &str| {
        let id = world.create(title, None);
        (0..5).for_each(|_| world.script.push(says("I am done.")));
        world.drain();
        world.runs(&id).remove(0).id
    };
    let (one, other) = (ended("Digest"), ended("News"));
    let decline = |id: &WorkRunId, why: Option<&'static str>| {
        let id = id.clone();
        request(move |context| {
            wait(world.work.review(WS, &id, false, why, context)).map(|run| run.id)
        })
    };
    let others = [
        ("id", decline(&other, Some("Too long."))),
        ("reason", decline(&one, Some("Too short."))),
        ("no reason", decline(&one, None)),
    ];
    stands_for_one(world, "decline", &decline(&one, Some("Too long.")), &others);
    let retry = |id: &WorkRunId| {
        let id = id.clone();
        request(move |context| wait(world.work.retry(WS, &id, context)).map(|run| run.id))
    };
    stands_for_one(world, "retry", &retry(&one), &[("id", retry(&other))]);
}

fn what_is_answered_and_said(world: &World) {
    let asks = |title: &str| {
        let id = world.create(title, None);
        world.script.push(ask("Which van?"));
        world.drain();
        wait(world.work.questions(WS, &world.runs(&id)[0].id)).expect("readable").remove(0).id
    };
    let (one, other) = (asks("Digest"), asks("News"));
    let answer = |id: &QuestionId, text: &'static str| {
        let id = id.clone();
        request(move |context| wait(world.work.answer(WS, &id, text, context)).map(|_| id.clone()))
    };
    let others = [("id", answer(&other, "blue")), ("answer", answer(&one, "red"))];
    stands_for_one(world, "answer", &answer(&one, "blue"), &others);
    let begin = |title: &'static str| {
        request(move |context| wait(world.work.begin_conversation(WS, title, context)))
    };
    stands_for_one(world, "begin", &begin("Vans"), &[("title", begin("Cars"))]);
    let begun = |title| wait(world.work.begin_conversation(WS, title, &me())).expect("it begins");
    let (one, other) = (begun("Vans"), begun("Cars"));
    let say = |id: &ConversationId, text: &'static str| {
        let id = id.clone();
        request(move |context| {
            wait(world.work.add_turn(WS, &id, text, None, context)).map(|()| id.clone())
        })
    };
    let others = [("id", say(&other, "Hello.")), ("content", say(&one, "Goodbye."))];
    stands_for_one(world, "turn", &say(&one, "Hello."), &others);
}

fn works(world: &World) -> [WorkId; 2] {
    [world.create("Digest", Some("daily at 9")), world.create("News", Some("daily at 9"))]
}

each_engine! {
    creating,
    editing,
    what_is_done_with_work,
    what_is_said_about_a_run,
    what_is_answered_and_said,
}
