//! A request about agent work that comes again under its key, because its answer was lost: it is answered as the
//! first time, even where its words mean nothing any more.

use dormouse::dates::{DayOrder, Language, Wording};
use dormouse::view::AgentWork;
use dormouse::{Error, NewTemplate, NewWork, WorkPatch};
use dormouse_agents::template::stock;
use dormouse_types::template::TemplateKind;
use dormouse_types::work::{CatchUp, Overlap};
use dormouse_types::work_filter::EventFilter;
use dormouse_types::work_kind::{Agenda, WorkParameters};
use dormouse_types::work_step::WorkStep;
use dormouse_types::{Scope, WorkId};
use serde_json::json;

use crate::world::{World, me, now, slug, token};

fn key() -> Option<String> {
    Some("key-1".into())
}

fn make(world: &World, new: &NewWork, wording: Wording) -> Result<AgentWork, Error> {
    now(world.dormouse.create_work(&me(), new.clone(), wording, key()))
}

fn edit(world: &World, id: &WorkId, patch: &WorkPatch) -> Result<AgentWork, Error> {
    now(world.dormouse.edit_work(&me(), id, patch.clone(), Wording::default(), key()))
}

fn today() -> NewWork {
    NewWork {
        title: "Call the bank".into(),
        instructions: Some("Say what the bank wants.".into()),
        schedule: Some("today at 9:30".into()),
        ..NewWork::default()
    }
}

fn events() -> Vec<EventFilter> {
    serde_json::from_value(json!([{ "event": "created" }])).expect("filters")
}

fn steps() -> Vec<WorkStep> {
    serde_json::from_value(json!([{ "text": "Look", "mandatory": true }])).expect("steps")
}

/// The clock shows nine.
#[test]
fn work_that_was_made_is_made_once_also_when_its_time_is_over() {
    let world = World::new();
    let made = make(&world, &today(), Wording::default()).expect("it is made");
    world.later(3600);
    let again = make(&world, &today(), Wording::default()).expect("the same request");
    assert_eq!(again.id, made.id);
    let fresh = now(world.dormouse.create_work(&me(), today(), Wording::default(), None));
    assert_eq!(slug(&fresh.expect_err("it is over")).0, "date-not-understood");
}

#[test]
fn an_edit_is_made_once_also_when_its_time_is_over() {
    let world = World::new();
    let new = NewWork { schedule: Some("every monday at 9".into()), ..today() };
    let work = now(world.dormouse.create_work(&me(), new, Wording::default(), None));
    let id = work.expect("it is made").id;
    let patch = WorkPatch { schedule: Some("today at 9:30".into()), ..WorkPatch::default() };
    edit(&world, &id, &patch).expect("it is edited");
    world.later(3600);
    let again = edit(&world, &id, &patch).expect("the same request");
    assert_eq!((again.id, again.schedule.as_deref()), (id.clone(), Some("2 March 2026 at 09:30")));
    now(world.dormouse.delete_work(&me(), &id, None)).expect("deleted");
    edit(&world, &id, &patch).expect("it is answered as the first time");
}

#[test]
fn what_a_request_names_may_be_gone_when_it_comes_again() {
    let world = World::new();
    let template = NewTemplate {
        name: "Calls".into(),
        kind: TemplateKind::AgentWork,
        general_directive: "Be brief.".into(),
        report_directive: String::new(),
        model_id: None,
        profile_id: None,
        category_ids: Vec::new(),
    };
    let template = now(world.dormouse.create_template(&me(), template, None)).expect("made");
    let template = template.template.id;
    let new = NewWork { template: Some(template.clone()), ..today() };
    let made = make(&world, &new, Wording::default()).expect("it is made");
    now(world.dormouse.delete_work(&me(), &made.id, None)).expect("deleted");
    now(world.dormouse.delete_template(&me(), &template, None, None)).expect("nothing follows it");
    assert_eq!(make(&world, &new, Wording::default()).expect("the same request").id, made.id);
}

#[test]
fn an_edit_under_a_key_is_one_edit() {
    let world = World::new();
    let new = NewWork { schedule: Some("every monday at 9".into()), ..today() };
    let made = |title: &str| {
        let new = NewWork { title: title.into(), ..new.clone() };
        now(world.dormouse.create_work(&me(), new, Wording::default(), None)).expect("made").id
    };
    let (id, other) = (made("Bank"), made("Other"));
    edit(&world, &id, &WorkPatch::default()).expect("edited");
    let changes: [fn(&mut WorkPatch); 13] = [
        |patch| patch.title = Some("Call".into()),
        |patch| patch.instructions = Some("Say it.".into()),
        |patch| patch.parameters = Some(WorkParameters::Agenda(Agenda::default())),
        |patch| patch.schedule = Some("daily at 8".into()),
        |patch| patch.events = Some(events()),
        |patch| patch.steps = Some(steps()),
        |patch| patch.catch_up = Some(CatchUp::Skip),
        |patch| patch.catch_up_hours = Some(2),
        |patch| patch.overlap = Some(Overlap::Skip),
        |patch| patch.model = Some(Some("other/m".into())),
        |patch| patch.model = Some(None),
        |patch| patch.template = Some(Some(stock::ALL[0].id())),
        |patch| patch.template = Some(None),
    ];
    for (n, change) in changes.into_iter().enumerate() {
        let mut patch = WorkPatch::default();
        change(&mut patch);
        let error = edit(&world, &id, &patch).expect_err("another request");
        assert_eq!(slug(&error).0, "idempotency-mismatch", "member {n}: {error}");
    }
    let error = edit(&world, &other, &WorkPatch::default()).expect_err("of other work");
    assert_eq!(slug(&error).0, "idempotency-mismatch", "{error}");
}

#[test]
fn a_key_stands_for_one_request_as_it_was_sent_and_for_its_sender() {
    let world = World::new();
    let made = make(&world, &today(), Wording::default()).expect("it is made");
    let german = Wording { language: Language::of_tag("de").expect("known"), ..Wording::default() };
    let monthly = Wording { order: DayOrder::MonthFirst, ..Wording::default() };
    let changes: [fn(&mut NewWork); 12] = [
        |new| new.title = "Call".into(),
        |new| new.instructions = Some("Say it.".into()),
        |new| new.parameters = Some(WorkParameters::Agenda(Agenda::default())),
        |new| new.schedule = None,
        |new| new.events = events(),
        |new| new.waits_for_calls = true,
        |new| new.steps = steps(),
        |new| new.catch_up = CatchUp::Skip,
        |new| new.catch_up_hours = Some(2),
        |new| new.overlap = Overlap::Skip,
        |new| new.model = Some("other/m".into()),
        |new| new.template = Some(stock::ALL[0].id()),
    ];
    for (n, change) in changes.into_iter().enumerate() {
        let mut other = today();
        change(&mut other);
        let error = make(&world, &other, Wording::default()).expect_err("another request");
        assert_eq!(slug(&error).0, "idempotency-mismatch", "member {n}: {error}");
    }
    let refused = [
        make(&world, &today(), german),
        make(&world, &today(), monthly),
        edit(&world, &made.id, &WorkPatch::default()),
    ];
    for (n, answer) in refused.into_iter().enumerate() {
        let error = answer.err().unwrap_or_else(|| panic!("request {n} is another one"));
        assert_eq!(slug(&error).0, "idempotency-mismatch", "request {n}: {error}");
    }
    let other = token(&[Scope::Read, Scope::Edit]);
    let own = now(world.dormouse.create_work(&other, today(), Wording::default(), key()));
    assert_ne!(own.expect("another sender").id, made.id);
}
