//! Events for clients that stay, over the store.

use dormouse::events::Since;
use dormouse::{Verdict, VerdictOf};
use dormouse_store::{Commit, Db, Op, params};
use dormouse_testkit::scripted::Answer;
use dormouse_types::Scope;
use serde_json::json;

use crate::world::{World, me, now, slug, token};

fn since(world: &World, cursor: Option<&str>) -> (Vec<String>, String) {
    match now(world.dormouse.events_since(&me(), cursor)).expect("events") {
        Since::Page { events, cursor } => {
            (events.into_iter().map(|event| event.kind.name().to_owned()).collect(), cursor)
        }
        Since::Resync { cursor } => (vec!["resync".to_owned()], cursor),
    }
}

#[test]
fn events_after_a_cursor_come_once() {
    let world = World::new();
    let (none, begin) = since(&world, None);
    assert!(none.is_empty());
    let (task, _, _) = world.proposed(&[]);
    let (events, end) = since(&world, Some(&begin));
    assert_eq!(events.first().map(String::as_str), Some("journal:changed"));
    for kind in ["agent:created", "agent:wake"] {
        assert!(events.iter().any(|it| it == kind), "{kind} is not in {events:?}");
    }
    assert_eq!(since(&world, Some(&end)).0, Vec::<String>::new());
    world.note(&task.id, "The van is booked.");
    assert_eq!(since(&world, Some(&end)).0, ["journal:changed"]);
}

#[test]
fn new_proposals_are_announced_with_their_set_and_task() {
    let world = World::new();
    let (_, begin) = since(&world, None);
    let estimate = ("update_task_estimate", json!({ "minutes": 60 }));
    let (task, agent, items) = world.proposed(&[estimate]);
    let events = |cursor: &str| match now(world.dormouse.events_since(&me(), Some(cursor))) {
        Ok(Since::Page { events, cursor }) => {
            let sets =
                events.into_iter().filter(|event| event.kind.name().starts_with("change-set:"));
            let sets: Vec<_> = sets
                .map(|event| (event.kind.name().to_owned(), event.subject, event.tasks))
                .collect();
            (sets, cursor)
        }
        other => panic!("{other:?}"),
    };
    let of = |kind: &str, item: &dormouse::view::ChangeItem| {
        (kind.to_owned(), Some(item.set.to_string()), vec![task.id.clone()])
    };
    let (sets, cursor) = events(&begin);
    assert_eq!(sets, [of("change-set:created", &items[0])]);

    world.answer(&[("update_task_estimate", json!({ "minutes": 90 }))]);
    now(world.dormouse.wake_agent(&me(), &agent.id, None, None)).expect("woken");
    world.drain(&task.id);
    let newer = world.items().remove(0);
    let mut sets = events(&cursor).0;
    sets.sort();
    assert_eq!(sets, [of("change-set:created", &newer), of("change-set:item", &items[0])]);
}

#[test]
fn a_cursor_before_rows_that_were_removed_begins_anew() {
    let world = World::new();
    let (_, begin) = since(&world, None);
    world.task("Move");
    let (_, later) = since(&world, Some(&begin));
    world.task("Paint");
    let op = Op::any(
        "INSERT INTO meta (key, value) VALUES (?1, ?2)",
        params![format!("trimmed:{}", dormouse::WORKSPACE.0), "1"],
    );
    let commit = Commit::new("test.trim", Db::Journal, dormouse::WORKSPACE).op(op);
    now(world.store.commit(commit)).expect("written");
    let (events, end) = since(&world, Some(&begin));
    assert_eq!(events, ["resync"]);
    assert_eq!(since(&world, Some(&end)).0, Vec::<String>::new());
    assert_eq!(
        since(&world, Some(&later)).0,
        ["journal:changed"],
        "what comes after it is all there"
    );
}

#[test]
fn a_text_that_is_no_cursor_is_refused() {
    let world = World::new();
    let error = now(world.dormouse.events_since(&me(), Some("yesterday"))).expect_err("refused");
    assert_eq!(slug(&error), ("validation-failed", 422));
    assert!(error.to_string().contains("`yesterday`"), "{error}");
}

#[test]
fn a_run_tells_of_its_report_and_notes_and_a_person_of_their_words_each_with_agent_and_task() {
    let world = World::new();
    let (task, agent, _) = world.proposed(&[]);
    let events = |cursor: &str| match now(world.dormouse.events_since(&me(), Some(cursor))) {
        Ok(Since::Page { events, cursor }) => {
            let of_agents =
                events.into_iter().filter(|event| event.kind.name() != "journal:changed");
            let events = of_agents.map(|event| {
                assert_eq!(event.tasks, std::slice::from_ref(&task.id), "{event:?}");
                assert_eq!(event.agent, Some(agent.id.clone()), "{event:?}");
                event.kind.name().to_owned()
            });
            (events.collect::<Vec<_>>(), cursor)
        }
        other => panic!("{other:?}"),
    };
    let begin = since(&world, None).1;
    let words = Some("Look at the van again.".to_owned());
    now(world.dormouse.wake_agent(&me(), &agent.id, words, None)).expect("woken");
    let (said, next) = events(&begin);
    assert_eq!(said, ["agent:wake", "agent:message"]);
    let note = json!({ "observations": [{ "text": "The van is booked.", "priority": "routine" }] });
    let report = json!({ "tldr": "The van is booked.", "content": "It comes on Monday." });
    let calls = [("update_report", report), ("record_observations", note)];
    world.script.push(Answer::calls(calls));
    world.later(60);
    world.drain(&task.id);
    let (ran, end) = events(&next);
    assert_eq!(ran, ["agent:wake", "agent:wake", "agent:message", "agent:report"]);
    assert_eq!(since(&world, Some(&end)).0, Vec::<String>::new());
}

#[test]
fn a_verdict_answers_what_is_open_and_the_cursor_of_the_events_in_it() {
    let world = World::new();
    let calls = [
        ("update_task_estimate", json!({ "minutes": 60 })),
        ("update_task_priority", json!({ "priority": "P1" })),
    ];
    let (task, _, items) = world.proposed(&calls);
    let (_, begin) = since(&world, None);
    let confirm = |item: &dormouse::view::ChangeItem| VerdictOf {
        task: None,
        set: item.set.clone(),
        index: item.index,
        verdict: Verdict::Confirm,
        digest: Some(item.digest.to_string()),
        reason: None,
        over: None,
    };
    let decided = now(world.dormouse.decide_item_and_list(&me(), confirm(&items[0]), None));
    let open = decided.expect("decided").open.expect("the list");
    let left: Vec<_> = open.items.iter().map(|change| change.item.index).collect();
    assert_eq!(left, [items[1].index]);
    let (mut events, _) = since(&world, Some(&begin));
    events.sort();
    assert_eq!(events, ["change-set:item", "change-set:item", "journal:changed"]);
    assert_eq!(since(&world, Some(&open.cursor)).0, Vec::<String>::new(), "all are in the answer");

    let alone = token(&[Scope::Decide]);
    let decided = now(world.dormouse.decide_item_and_list(&alone, confirm(&items[1]), None));
    assert!(decided.expect("decided").open.is_none(), "a token that may not read gets no list");
    assert_eq!(world.fresh(&task.id).open_proposals, 0);
}
