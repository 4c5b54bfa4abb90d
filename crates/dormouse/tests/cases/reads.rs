//! What a write reads: the rows it decides on, once.

use std::cell::RefCell;
use std::time::Duration;

use dormouse::dates::Wording;
use dormouse::events::Since;
use dormouse::view::{AgentWork, ChangeItem, Task, WorkRun};
use dormouse::{
    AgentPatch, AttentionFilter, DrainScope, EntryPatch, Error, ItemPatch, NewEntry, NewTask,
    NewWork, TaskPatch, Verdict, VerdictOf, WorkPatch,
};
use dormouse_store::agent::agent_entity::Agent;
use dormouse_store::agent::work::{definition, delivery, run};
use dormouse_store::agent::{change_item, entity};
use dormouse_store::journal::task;
use dormouse_testkit::scripted::Answer;
use dormouse_types::agent::Automation;
use dormouse_types::delivery::DeliveryMark;
use dormouse_types::port::Clock as _;
use dormouse_types::task::{LinkKind, Priority};
use dormouse_types::work::{RunState, WorkState};
use dormouse_types::{ChangeSetId, TaskId, WorkId, WorkRunId};
use serde_json::{Value, json};

use crate::world::{World, me, now, verdict_of};

/// How often the whole task and the whole set are among these queries.
fn wholes(queries: &[&str], task_id: &TaskId, set: Option<&ChangeSetId>) -> (usize, usize) {
    let n = |sql: &str| queries.iter().filter(|query| **query == sql).count();
    let n_sets = set.map_or(0, |set| n(change_item::of_set(dormouse::WORKSPACE, set).sql));
    (n(task::aggregate(dormouse::WORKSPACE, task_id).sql), n_sets)
}

#[test]
fn an_edit_reads_its_task_once() {
    let world = World::new();
    let new = NewTask { title: "Move".into(), ..NewTask::default() };
    let made = || now(world.dormouse.create_task(&me(), new, None)).expect("a task");
    let (task, queries) = world.engine.reads_of(made);
    assert_eq!(wholes(&queries, &task.id, None), (0, 0), "{queries:#?}");

    let add = |key: Option<&str>| {
        let note = NewEntry { text: "We signed.".into(), ..NewEntry::default() };
        now(world.dormouse.add_entry(&me(), &task.id, note, key.map(Into::into))).expect("a note")
    };
    for (key, name) in [(None, "no key"), (Some("k"), "key"), (Some("k"), "repeated")] {
        let (answer, queries) = world.engine.reads_of(|| add(key));
        assert_eq!(wholes(&queries, &task.id, None), (1, 0), "{name}: {queries:#?}");
        let answer = Task { cursor: None, ..answer };
        assert_eq!(
            json!(answer),
            json!(world.fresh(&task.id)),
            "the answer is the task as it is then read"
        );
    }
}

/// The cursors of the events after one, and where they end.
fn events_after(world: &World, cursor: &str) -> (Vec<String>, String) {
    match now(world.dormouse.events_since(&me(), Some(cursor))).expect("events") {
        Since::Page { events, cursor } => {
            (events.into_iter().map(|event| event.cursor).collect(), cursor)
        }
        Since::Resync { .. } => panic!("nothing was deleted"),
    }
}

#[test]
fn an_edit_answers_the_position_of_its_own_event() {
    let world = World::new();
    let (other, caller) = (world.task("Pay the deposit"), me());
    let Since::Page { cursor: start, .. } =
        now(world.dormouse.events_since(&me(), None)).expect("a start")
    else {
        panic!("a start is no resync")
    };
    let at = RefCell::new(start);
    // A repeated request answers the position of the first one; a change of nothing has none.
    let answers = |name: &str, answer: Result<Task, Error>| {
        let answer = answer.expect(name);
        let (events, end) = events_after(&world, &at.borrow());
        let expected = events.last().unwrap_or(&*at.borrow()).clone();
        assert_eq!(answer.cursor.as_ref(), Some(&expected), "{name}");
        at.replace(end);
        answer
    };
    let dormouse = &world.dormouse;
    let new = NewTask { title: "Move".into(), items: vec!["Boxes".into()], ..NewTask::default() };
    let task = answers("create", now(dormouse.create_task(&caller, new, None)));
    let (id, item) = (&task.id, &task.items[0].id);
    let urgent = TaskPatch { priority: Some(Some(Priority::P1)), ..TaskPatch::default() };
    let edit = || now(dormouse.edit_task(&caller, id, urgent.clone(), None, Some("k".into())));
    answers("edit", edit());
    answers("the same edit again", edit());
    answers("add an item", now(dormouse.add_item(&caller, id, "Tape".into(), None)));
    let tick = ItemPatch { is_checked: Some(true), ..ItemPatch::default() };
    answers("tick", now(dormouse.edit_item(&caller, id, item, tick, None)));
    let note = NewEntry { text: "We signed.".into(), ..NewEntry::default() };
    let task = answers("add an entry", now(dormouse.add_entry(&caller, id, note, None)));
    let entry = &task.entries[0].id;
    let words = EntryPatch { text: Some("Signed.".into()), ..EntryPatch::default() };
    answers("edit an entry", now(dormouse.edit_entry(&caller, id, entry, words, None, None)));
    answers("delete an entry", now(dormouse.delete_entry(&caller, id, entry, None)));
    answers("restore an entry", now(dormouse.restore_entry(&caller, id, entry, None)));
    answers("add a label", now(dormouse.add_label(&caller, id, "home", None)));
    answers("remove a label", now(dormouse.remove_label(&caller, id, "home", None)));
    let to = (LinkKind::Blocks, other.id.clone());
    let task = answers("link", now(dormouse.link_task(&caller, id, to, None, None)));
    let link = &task.links[0].id;
    answers("unlink", now(dormouse.unlink_task(&caller, id, link, None, None)));
    answers("delete", now(dormouse.delete_task(&caller, id, None)));
    answers("restore", now(dormouse.restore_task(&caller, id, None)));

    let nothing = now(dormouse.edit_task(&caller, id, urgent.clone(), None, None));
    assert_eq!(nothing.expect("no change").cursor, None);
    assert_eq!(events_after(&world, &at.borrow()).0, [] as [String; 0]);
}

#[test]
fn a_verdict_reads_its_set_once() {
    for verdict in [Verdict::Confirm, Verdict::Reject, Verdict::Defer] {
        let world = World::new();
        let calls = [("update_task_estimate", json!({ "minutes": 90, "rationale": "it says so" }))];
        let (task, _, items) = world.proposed(&calls);
        let item = &items[0];
        let (caller, place) = (me(), (&item.set, item.index));
        let decide = || {
            let wanted = verdict_of(place.0, place.1, verdict);
            now(world.dormouse.decide_item(&caller, wanted, None)).expect("decided")
        };
        let (answer, queries) = world.engine.reads_of(decide);
        assert_eq!(wholes(&queries, &task.id, Some(&item.set)), (1, 1), "{queries:#?}");
        let set = now(world.dormouse.change_set(&me(), &item.set)).expect("the set");
        let stored = set.items.into_iter().find(|other| other.index == item.index);
        assert_eq!(json!(answer.item), json!(stored), "the answer is the item as it is then read");
        assert_eq!(answer.set_status, set.status);
        assert_eq!(answer.revision, Some(world.fresh(&task.id).revision));
    }
}

/// Calls that propose two changes of a task.
fn two_changes() -> [(&'static str, Value); 2] {
    [
        ("update_task_estimate", json!({ "minutes": 90, "rationale": "it says so" })),
        ("update_task_priority", json!({ "priority": "P1", "rationale": "it says so" })),
    ]
}

/// The confirmation of an item, which may name the task that it is about.
fn confirmed(item: &ChangeItem, task: Option<&TaskId>) -> VerdictOf {
    VerdictOf {
        task: task.cloned(),
        set: item.set.clone(),
        index: item.index,
        verdict: Verdict::Confirm,
        digest: None,
        reason: None,
        over: None,
    }
}

#[test]
fn a_confirm_lists_what_is_open_then_on_the_task_that_it_wrote() {
    let world = World::new();
    let (task, _, items) = world.proposed(&two_changes());
    let decide = |at: usize| {
        let wanted = confirmed(&items[at], None);
        now(world.dormouse.decide_item_and_list(&me(), wanted, None)).expect("decided")
    };
    let (answer, queries) = world.engine.reads_of(|| decide(0));
    assert_eq!(wholes(&queries, &task.id, Some(&items[0].set)), (1, 1), "{queries:#?}");
    let fresh = now(world.dormouse.open_changes(&me(), &task.id)).expect("a list");
    assert_eq!(json!(answer.open), json!(Some(&fresh)), "the list is as it is then read");
    assert_eq!(json!(fresh.task), json!(world.fresh(&task.id)), "and so is the task");
    let all = queries.len();
    let (answer, queries) = world.engine.reads_of(|| decide(1));
    assert_eq!(answer.open.map(|open| open.items.len()), Some(0), "{queries:#?}");
    assert!(queries.len() <= all, "{queries:#?}");
}

#[test]
fn each_of_several_verdicts_on_a_task_reads_its_set_once() {
    let world = World::new();
    let (task, _, items) = world.proposed(&two_changes());
    let other = world.task("Pay the deposit");
    let decide = |at: usize, task: Option<&TaskId>| {
        now(world.dormouse.decide_item(&me(), confirmed(&items[at], task), None))
    };
    let refused = decide(0, Some(&other.id)).expect_err("a set of another task");
    assert_eq!(refused.problem().kind.name(), "not-found", "{refused}");
    let (decided, alone) = world.engine.reads_of(|| decide(0, None));
    decided.expect("decided");
    let (decided, queries) = world.engine.reads_of(|| decide(1, Some(&task.id)));
    decided.expect("decided");
    assert_eq!(wholes(&queries, &task.id, Some(&items[1].set)), (1, 1), "{queries:#?}");
    assert_eq!(queries.len(), alone.len(), "naming the task costs no read");
}

#[test]
fn several_verdicts_read_the_task_once_each_and_not_before_or_after() {
    let world = World::new();
    let (task, _, items) = world.proposed(&two_changes());
    let wanted = || items.iter().map(|item| (confirmed(item, None), None)).collect::<Vec<_>>();
    let decide = || now(world.dormouse.decide_items(&me(), &task.id, wanted())).expect("a task");
    let (answer, queries) = world.engine.reads_of(decide);
    assert_eq!(wholes(&queries, &task.id, Some(&items[0].set)), (2, 2), "{queries:#?}");
    assert!(answer.outcomes.iter().all(Result::is_ok), "{:?}", answer.outcomes);
    let fresh = now(world.dormouse.open_changes(&me(), &task.id)).expect("a list");
    assert_eq!(json!(answer.open), json!(Some(&fresh)), "the list is as it is then read");

    let none: TaskId = "jt-01jd7m3k5vn2c8q4w6x0z9abcd".parse().expect("an id");
    let refused = now(world.dormouse.decide_items(&me(), &none, wanted())).expect_err("no task");
    assert_eq!(refused.problem().kind.name(), "not-found", "{refused}");
}

#[test]
fn a_request_about_an_agent_reads_it_once_and_answers_it_as_it_is_then_read() {
    let world = World::new();
    let task = world.task("Move");
    let ws = dormouse::WORKSPACE;
    let (d, caller) = (&world.dormouse, me());
    let made = || now(d.create_agent(&caller, &task.id, None, None)).expect("an agent");
    let (agent, queries) = world.engine.reads_of(made);
    let by_id = entity::by_id::<Agent>(ws, &agent.id.to_string()).sql;
    let id = &agent.id;
    let check = |name: &str, answer: &dormouse::view::Agent, queries: &[&str], n_reads: usize| {
        let n = queries.iter().filter(|sql| **sql == by_id).count();
        assert_eq!(n, n_reads, "{name}: {queries:#?}");
        let fresh = now(d.agent(&caller, id)).expect("the agent");
        assert_eq!(json!(answer), json!(fresh), "{name}");
    };
    check("create", &agent, &queries, 0);
    let at = Some(world.clock.now() + Duration::from_secs(3600));
    let patch = AgentPatch { automation: Some(Automation::On), ..AgentPatch::default() };
    type Request<'a> = (&'a str, Box<dyn Fn() -> Result<dormouse::view::Agent, Error> + 'a>);
    let requests: [Request<'_>; 7] = [
        ("edit", Box::new(|| now(d.edit_agent(&caller, id, patch.clone(), None)))),
        ("wake", Box::new(|| now(d.wake_agent(&caller, id, None, None)))),
        ("wake at", Box::new(|| now(d.wake_agent_at(&caller, id, at, None)))),
        ("cancel", Box::new(|| now(d.cancel_wake(&caller, id)).map(|stopped| stopped.agent))),
        ("pause", Box::new(|| now(d.pause_agent(&caller, id, None)))),
        ("resume", Box::new(|| now(d.resume_agent(&caller, id, None)))),
        ("destroy", Box::new(|| now(d.destroy_agent(&caller, id, None)).map(|it| it.agent))),
    ];
    for (name, request) in &requests {
        let (answer, queries) = world.engine.reads_of(|| request().expect(name));
        check(name, &answer, &queries, 1);
    }
}

#[test]
fn a_request_about_agent_work_reads_it_once_and_answers_it_as_it_is_then_read() {
    let world = World::new();
    let (d, caller, ws) = (&world.dormouse, me(), dormouse::WORKSPACE);
    let key = |key: &str| Some(key.to_owned());
    let made = |title: &str, schedule: Option<&str>| {
        let new = NewWork {
            title: title.into(),
            instructions: Some("Look around.".into()),
            schedule: schedule.map(Into::into),
            ..NewWork::default()
        };
        now(d.create_work(&caller, new, Wording::default(), key(title))).expect("work")
    };
    let fresh = |id: &WorkId| json!(now(d.work(&caller, id)).expect("the work"));
    let n_reads = |queries: &[&str], id: &WorkId| {
        let by_id = definition::by_id(ws, id).sql;
        let any_run: WorkRunId = "run-01jd7m3k5vn2c8q4w6x0z9abcd".parse().expect("an id");
        let runs = [run::by_id(ws, &any_run).sql, run::by_ids(ws, &[any_run]).sql];
        let of_runs = queries.iter().filter(|sql| runs.contains(*sql)).count();
        (queries.iter().filter(|sql| **sql == by_id).count(), of_runs)
    };
    let (work, queries) = world.engine.reads_of(|| made("Walk", Some("every day at 7")));
    let id = &work.id;
    assert_eq!((n_reads(&queries, id), json!(work)), ((0, 0), fresh(id)), "{queries:#?}");
    let (at_once, queries) = world.engine.reads_of(|| made("Look", None));
    assert_eq!(n_reads(&queries, id), (0, 0), "{queries:#?}");
    assert_eq!(json!(at_once), fresh(&at_once.id));
    assert_eq!(json!(made("Look", None)), json!(at_once), "the same request");

    let patch = WorkPatch { instructions: Some("Look again.".into()), ..WorkPatch::default() };
    type Request<'a> = (&'a str, Box<dyn Fn() -> Result<AgentWork, Error> + 'a>);
    let edit = || now(d.edit_work(&caller, id, patch.clone(), Wording::default(), key("edit")));
    let requests: [Request<'_>; 6] = [
        ("edit", Box::new(edit)),
        ("pause", Box::new(|| now(d.pause_work(&caller, id, key("pause"))))),
        ("resume", Box::new(|| now(d.resume_work(&caller, id, key("resume"))))),
        ("correct", Box::new(|| now(d.correct_work(&caller, id, "Look up.", None)))),
        ("archive", Box::new(|| now(d.archive_work(&caller, id, key("archive"))))),
        ("archive again", Box::new(|| now(d.archive_work(&caller, id, None)))),
    ];
    for (name, request) in &requests {
        world.later(60);
        let (answer, queries) = world.engine.reads_of(|| request().expect(name));
        // What new instructions mean depends on the definition, before its step is decided; a correction leaves it
        // as it is, and its run is read to show it.
        let n = match *name {
            "edit" => (2, 0),
            "correct" => (1, 1),
            _ => (1, 0),
        };
        assert_eq!(n_reads(&queries, id), n, "{name}: {queries:#?}");
        assert_eq!(json!(answer), fresh(id), "{name}");
        if *name != "archive again" && *name != "correct" {
            assert_eq!(json!(request().expect(name)), fresh(id), "{name}: the same request");
        }
    }

    let id = &at_once.id;
    let check_run = |name: &str, (answer, queries): (WorkRun, Vec<&str>), n_runs: usize| {
        assert_eq!(n_reads(&queries, id), (1, n_runs), "{name}: {queries:#?}");
        let fresh = now(d.work_run(&caller, &answer.id)).expect("the run");
        assert_eq!(json!(answer), json!(fresh), "{name}");
        answer
    };
    let reads = world.engine.reads_of(|| now(d.run_work(&caller, id, None)).expect("requested"));
    let run = check_run("run", reads, 0);
    // The first read of a run says which definition it is of; the other is what the step is decided on.
    let cancel = || now(d.cancel_work_run(&caller, &run.id, None)).expect("cancelled");
    check_run("cancel", world.engine.reads_of(cancel), 2);
    check_run("cancel again", world.engine.reads_of(cancel), 2);

    let asks = || Answer::calls([("ask", json!({ "question": "Which way?" }))]);
    world.script.push(asks());
    world.drain_scope(DrainScope { all_due: true, ..DrainScope::default() }).expect("a drain");
    let detail = now(d.work_detail(&caller, id)).expect("the work");
    let question = &detail.questions[0];
    let answer = || {
        now(d.answer_work_question(&caller, &question.id, "Left.", key("answer")))
            .expect("answered")
    };
    let (answered, queries) = world.engine.reads_of(answer);
    assert_eq!(n_reads(&queries, id), (1, 1), "{queries:#?}");
    let of_run = now(d.work_questions(&caller, &question.run_id)).expect("questions");
    assert_eq!([answered], of_run[..], "as it is then read");
    assert_eq!([answer()], of_run[..], "the same request");

    let fails = json!({ "outcome": "failed", "summary": "There is a wall." });
    world.script.push(Answer::calls([("finish", fails)]));
    world.drain_scope(DrainScope { all_due: true, ..DrainScope::default() }).expect("a drain");
    let run = question.run_id.clone();
    let state = now(d.work_run(&caller, &run)).expect("the run").run_state;
    assert_eq!(state, RunState::Failed);
    let retry = || now(d.retry_work_run(&caller, &run, key("retry"))).expect("tried again");
    check_run("retry", world.engine.reads_of(retry), 2);
    retry();
    let deleted = |name: &str| now(d.delete_work(&caller, id, key("delete"))).expect(name);
    let (answer, queries) = world.engine.reads_of(|| deleted("delete"));
    assert_eq!(n_reads(&queries, id), (1, 0), "{queries:#?}");
    assert_eq!((&answer.id, answer.state), (id, WorkState::Archived));
    assert_eq!(json!(deleted("again")), json!(answer), "the same request");
}

#[test]
fn an_acknowledgement_reads_its_entry_by_id_and_answers_it_as_it_is_then_listed() {
    let world = World::new();
    let (task, ..) = world.proposed(&two_changes());
    let new = NewWork {
        title: "Walk".into(),
        instructions: Some("Look around.".into()),
        ..NewWork::default()
    };
    world.script.push(Answer::calls([("ask", json!({ "question": "Which way?" }))]));
    now(world.dormouse.create_work(&me(), new, Wording::default(), None)).expect("work");
    world.drain_scope(DrainScope { all_due: true, ..DrainScope::default() }).expect("a drain");
    let list = |is_acknowledged| {
        let filter = AttentionFilter { is_acknowledged, ..AttentionFilter::default() };
        now(world.dormouse.attention_list(&me(), filter, 9, None)).expect("a page").items
    };
    let (all, whole) = world.engine.reads_of(|| list(false));
    assert_eq!(all.len(), 2, "{all:#?}");
    let everything = change_item::open(dormouse::WORKSPACE).sql;
    assert!(whole.contains(&everything), "{whole:#?}");
    for one in all {
        world.later(60);
        let note = || now(world.dormouse.acknowledge(&me(), &one.id, one.since)).expect("noted");
        let (answer, queries) = world.engine.reads_of(note);
        assert_eq!(list(true), [answer], "{}", one.id);
        assert!(!queries.contains(&everything), "{queries:#?}");
        assert!(queries.len() < whole.len(), "{queries:#?}");
        world.later(60);
        let again = note();
        assert_eq!(list(true), [again], "what was acknowledged keeps its time");
        let caller = me();
        let back = || now(world.dormouse.take_back_acknowledgement(&caller, &one.id));
        let (answer, queries) = world.engine.reads_of(|| back().expect("taken back"));
        assert!(list(false).contains(&answer), "{}", one.id);
        assert!(queries.len() < whole.len(), "{queries:#?}");
    }
    let none = format!("expiring:{}", task.id);
    let refused = now(world.dormouse.take_back_acknowledgement(&me(), &none)).expect_err("none");
    assert_eq!(refused.problem().kind.name(), "not-found", "{refused}");
}

#[test]
fn a_mark_answers_the_delivery_as_it_is_then_read_and_reads_it_once() {
    let world = World::new();
    let new = NewWork {
        title: "Walk".into(),
        instructions: Some("Look around.".into()),
        ..NewWork::default()
    };
    world.script.push(Answer::calls([("ask", json!({ "question": "Which way?" }))]));
    now(world.dormouse.create_work(&me(), new, Wording::default(), None)).expect("work");
    world.drain_scope(DrainScope { all_due: true, ..DrainScope::default() }).expect("a drain");
    let list = || now(world.dormouse.deliveries(&me(), None, 9, None)).expect("a page").items;
    let id = list().remove(0).id;
    let by_id = delivery::by_id(dormouse::WORKSPACE, &id).sql;
    use DeliveryMark::{Delivered, Read};
    for mark in [Delivered, Delivered, Read, Delivered, Read] {
        world.later(60);
        let marked = || now(world.dormouse.mark_delivery(&me(), &id, mark)).expect("marked");
        let (answer, queries) = world.engine.reads_of(marked);
        assert_eq!(json!(answer), json!(list().remove(0)), "{mark:?}");
        assert_eq!(queries.iter().filter(|sql| **sql == by_id).count(), 1, "{queries:#?}");
    }
}
