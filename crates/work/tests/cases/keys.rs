//! Idempotency keys: one stands for one request as it was sent, whatever the clock says when it comes again.

use dormouse_types::work::{CatchUp, Overlap};
use dormouse_types::work_filter::EventFilter;
use dormouse_types::work_step::WorkStep;
use dormouse_types::{ConversationId, Id, QuestionId, WorkId, WorkRunId};
use dormouse_work::definition::NewWork;
use dormouse_work::lifecycle::Edit;
use dormouse_work::{RequestContext, WorkError};
use serde_json::json;

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

fn step() -> WorkStep {
    WorkStep { text: "Look".into(), mandatory: true, check: None }
}

fn events() -> Vec<EventFilter> {
    serde_json::from_value(json!([{ "event": "created" }])).expect("filters")
}

fn create<'w>(world: &'w World, change: impl Fn(&mut NewWork) + 'w) -> Request<'w> {
    request(move |context| {
        let mut new = world.new_work("Digest", Some("every monday at 9"));
        change(&mut new);
        wait(world.work.create(WS, &new, context)).map(|made| made.definition.id)
    })
}

fn creating(world: &World) {
    let create = |change: fn(&World, &mut NewWork)| create(world, move |new| change(world, new));
    let others = [
        ("title", create(|_, new| new.title = "News".into())),
        ("instructions", create(|_, new| new.instructions = "Do the news.".into())),
        (
            "schedule",
            create(|world, new| new.schedule = Some(world.schedule("every friday at 18:00"))),
        ),
        ("no schedule", create(|_, new| new.schedule = None)),
        ("events", create(|_, new| new.events = events())),
        ("waitsForCalls", create(|_, new| new.waits_for_calls = true)),
        ("steps", create(|_, new| new.steps = vec![step()])),
        ("catchUp", create(|_, new| new.catch_up = CatchUp::Skip)),
        ("overlap", create(|_, new| new.overlap = Overlap::Skip)),
        ("model", create(|_, new| new.model = Some("other/m".into()))),
    ];
    stands_for_one(world, "create", &create(|_, _| {}), &others);
}

fn edit<'w>(world: &'w World, id: &WorkId, change: impl Fn(&mut Edit) + 'w) -> Request<'w> {
    let id = id.clone();
    request(move |context| {
        let schedule = Some(world.schedule("every monday at 9"));
        let mut edit = Edit { schedule, ..Edit::default() };
        change(&mut edit);
        wait(world.work.edit(WS, &id, &edit, context)).map(|made| made.definition.id)
    })
}

fn editing(world: &World) {
    let [one, other] = works(world);
    let first = edit(world, &one, |_| {});
    let edit_one = |change: fn(&World, &mut Edit)| edit(world, &one, move |it| change(world, it));
    let others = [
        ("id", edit(world, &other, |_| {})),
        ("title", edit_one(|_, edit| edit.title = Some("News".into()))),
        ("instructions", edit_one(|_, edit| edit.instructions = Some("Do it.".into()))),
        ("schedule", edit_one(|world, edit| edit.schedule = Some(world.schedule("daily at 8")))),
        ("events", edit_one(|_, edit| edit.events = Some(events()))),
        ("steps", edit_one(|_, edit| edit.steps = Some(vec![step()]))),
        ("catchUp", edit_one(|_, edit| edit.catch_up = Some(CatchUp::Skip))),
        ("overlap", edit_one(|_, edit| edit.overlap = Some(Overlap::Skip))),
        ("model", edit_one(|_, edit| edit.model = Some(Some("other/m".into())))),
        ("no model", edit_one(|_, edit| edit.model = Some(None))),
        ("no template", edit_one(|_, edit| edit.template = Some(None))),
    ];
    stands_for_one(world, "edit", &first, &others);
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
