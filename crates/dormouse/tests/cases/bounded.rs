//! What a list reads: documents and other long texts only of the rows that it shows, however many there are.

use std::cell::RefCell;

use dormouse::view::Attention;
use dormouse::{AgentFilter, AttentionFilter, TaskFilter, TaskPatch, Verdict};
use dormouse_store::agent::change_item;
use dormouse_store::journal::{field_say, task_list};
use dormouse_types::agent::AgentActivity;
use dormouse_types::limits;
use dormouse_types::task::{Priority, Status};
use serde_json::json;

use crate::world::{World, me, now, verdict_of};

/// A question, and how many rows it shows.
type Question<'q> = (&'q str, &'q dyn Fn() -> usize);

/// Makes 10 of something, then 190 more, and checks that each question reads as many texts as before.
fn check(world: &World, make: &dyn Fn(usize), questions: &[Question<'_>]) {
    let texts = || {
        let ask = |(name, ask): &Question<'_>| {
            ask();
            let (n, texts) = world.engine.texts_of(ask);
            assert!(n > 0, "{name} shows something");
            (name.to_string(), texts)
        };
        questions.iter().map(ask).collect::<Vec<_>>()
    };
    make(10);
    let few = texts();
    make(190);
    assert_eq!(texts(), few);
}

/// Makes tasks whose agents each propose a change.
fn propose(world: &World, n: usize) {
    let calls = [("update_task_estimate", json!({ "minutes": 90, "rationale": "it says so" }))];
    for n in 0..n {
        let task = world.task(&format!("Task {n}"));
        world.agent(&task.id);
        world.answer(&calls);
        world.drain(&task.id);
    }
}

#[test]
fn open_proposals_are_counted_without_reading_them() {
    let world = World::new();
    let overview = || now(world.dormouse.overview(&me())).expect("an overview").open_proposals;
    let filter = AttentionFilter::default();
    let attention =
        || now(world.dormouse.attention_list(&me(), filter, 5, None)).expect("a page").items.len();
    let filter = TaskFilter { to_review: true, ..TaskFilter::default() };
    // The first page of a list that is longer than one reads all tasks in brief form; later ones know them.
    (0..limits::PAGE.max).for_each(|n| _ = world.task(&format!("Other {n}")));
    let cursor = RefCell::new(None);
    let to_review = || {
        let page = now(world.dormouse.tasks(&me(), filter.clone(), 5, cursor.take()));
        let page = page.expect("a page");
        cursor.replace(page.next_cursor);
        page.items.len()
    };
    check(
        &world,
        &|n| propose(&world, n),
        &[("overview", &overview), ("attention", &attention), ("tasks to review", &to_review)],
    );
}

#[test]
fn counts_and_lists_agree_whatever_the_person_and_time_make_of_a_proposal() {
    let world = World::new();
    let task = world.task("Move");
    world.agent(&task.id);
    let quote = json!({ "entryId": task.entries[0].id, "quote": "We signed the contract." });
    world.answer(&[
        ("update_task_estimate", json!({ "minutes": 90, "evidence": quote })),
        ("update_task_due_date", json!({ "dueDate": "2026-03-20", "evidence": quote })),
        ("update_task_priority", json!({ "priority": "P1", "evidence": quote })),
    ]);
    world.drain(&task.id);
    // How many the overview, the task and its list show, and what needs the person about them.
    let counted = || {
        let overview = now(world.dormouse.overview(&me())).expect("an overview");
        let open = now(world.dormouse.open_changes(&me(), &task.id)).expect("a list");
        let (of_task, listed) = (&open.task, open.items.len());
        assert_eq!(overview.open_proposals + overview.put_off_proposals, listed);
        assert_eq!(of_task.open_proposals + of_task.put_off_proposals, listed);
        let filter = AttentionFilter::default();
        let page = now(world.dormouse.attention_list(&me(), filter, 5, None)).expect("a page");
        let of_task = page.items.into_iter().filter(|one| one.task_id.as_ref() == Some(&task.id));
        let expires = open.items.iter().filter_map(|one| one.item.expires_at).min();
        let entry = |one: Attention| {
            assert_eq!(one.expires_at, expires, "{one:#?}");
            one.id.split(':').next().map(ToOwned::to_owned)
        };
        (listed, of_task.filter_map(entry).collect::<Vec<_>>())
    };
    let one = |kind: &str| vec![kind.to_owned()];
    assert_eq!(counted(), (3, one("changes")));
    world.later(60);
    let patch = TaskPatch { priority: Some(Some(Priority::P0)), ..TaskPatch::default() };
    let edit = |patch| now(world.dormouse.edit_task(&me(), &task.id, patch, None, None));
    edit(patch).expect("edited");
    assert_eq!(counted(), (2, one("changes")), "the person set one of the values");
    let status = |status| TaskPatch { status: Some(status), ..TaskPatch::default() };
    world.later(24 * 3600);
    edit(status(Status::Done)).expect("closed");
    assert_eq!(counted(), (0, Vec::new()), "nobody decides about a closed task");
    world.later(48 * 3600);
    edit(status(Status::Open)).expect("open again");
    assert_eq!(counted(), (2, one("changes")));
    world.later(4 * 24 * 3600);
    assert_eq!(counted(), (2, one("changes")), "the seven days were suspended");
    world.later(24 * 3600 + 3600);
    assert_eq!(counted(), (2, one("expiring")));
    world.later(24 * 3600);
    assert_eq!(counted(), (0, Vec::new()));
}

#[test]
fn agents_are_found_by_name_or_title_without_reading_those_of_other_pages() {
    let world = World::new();
    let make = |n: usize| {
        for n in 0..n {
            let task = world.task(&format!("Task {n}"));
            let name = Some("Scout".into());
            now(world.dormouse.create_agent(&me(), &task.id, name, None)).expect("an agent");
        }
    };
    let find = |text: &str| {
        now(world.dormouse.find_agents(&me(), text, 5, None)).expect("a page").items.len()
    };
    let (by_name, by_title) = (|| find("scout"), || find("task"));
    check(&world, &make, &[("by name", &by_name), ("by title", &by_title)]);
}

#[test]
fn an_agent_is_found_by_any_letters_of_its_name_whatever_their_case() {
    let world = World::new();
    let names =
        ["Ünal \"the\" Scout", "50%_\\ off", "\u{212a}elvin", "İzmir", "Ελλάς", "A\tB", "Kim"];
    for name in names {
        let task = world.task("Walk");
        now(world.dormouse.create_agent(&me(), &task.id, Some(name.into()), None)).expect("one");
    }
    let find = |text: &str| {
        let page = now(world.dormouse.find_agents(&me(), text, 9, None)).expect("a page");
        page.items.into_iter().map(|agent| agent.display_name).collect::<Vec<_>>()
    };
    for name in names {
        assert_eq!(find(name), [name]);
        assert_eq!(find(&name.to_lowercase()), [name]);
        assert_eq!(find(&format!("x{name}")), [] as [&str; 0]);
    }
}

#[test]
fn sets_are_found_without_reading_the_decided_ones() {
    let world = World::new();
    propose(&world, 1);
    let decided = |n: usize| {
        for _ in 0..n {
            propose(&world, 1);
            let item = &world.items()[0];
            world.decide(item, Verdict::Reject);
        }
    };
    let find = || now(world.dormouse.find_sets(&me(), "task")).expect("sets").len();
    check(&world, &decided, &[("by title", &find)]);
}

#[test]
fn waiting_agents_are_counted_and_listed_without_reading_those_of_other_pages() {
    let world = World::new();
    let make = |n: usize| {
        for n in 0..n {
            let agent = world.agent(&world.task(&format!("Task {n}")).id);
            now(world.dormouse.wake_agent(&me(), &agent.id, None, None)).expect("a waiting wake");
        }
    };
    let overview = || now(world.dormouse.overview(&me())).expect("an overview").waiting_agents;
    let filter = AgentFilter { activities: vec![AgentActivity::Queued], ..AgentFilter::default() };
    let queued =
        || now(world.dormouse.agents(&me(), &filter, 5, None)).expect("a page").items.len();
    check(&world, &make, &[("overview", &overview), ("queued agents", &queued)]);
}

#[test]
fn what_an_edit_or_a_confirm_left_open_is_counted_by_the_task_that_it_wrote() {
    let world = World::new();
    let (task, _, items) = world.proposed(&[
        ("update_task_estimate", json!({ "minutes": 90, "rationale": "it says so" })),
        ("update_task_priority", json!({ "priority": "P1", "rationale": "it says so" })),
    ]);
    let again = [
        task_list::some(dormouse::WORKSPACE, &[task.id.to_string()]).sql,
        task_list::review_columns(dormouse::WORKSPACE, std::slice::from_ref(&task.id)).sql,
        field_say::of_tasks(dormouse::WORKSPACE, std::slice::from_ref(&task.id)).sql,
    ];
    let check = |name: &str, queries: &[&str]| {
        let read = queries.iter().filter(|sql| again.contains(sql));
        assert_eq!(read.collect::<Vec<_>>(), [] as [&&str; 0], "{name}: {queries:#?}");
        let of_items = queries.iter().filter(|sql| {
            sql.contains("FROM change_items")
                && **sql != change_item::of_set(dormouse::WORKSPACE, &items[0].set).sql
        });
        assert_eq!(of_items.count(), 1, "{name}: {queries:#?}");
    };
    let wanted = verdict_of(&items[0].set, items[0].index, Verdict::Confirm);
    let decide = || now(world.dormouse.decide_item_and_list(&me(), wanted, None)).expect("decided");
    let (answer, queries) = world.engine.reads_of(decide);
    check("a confirm", &queries);
    let open = answer.open.expect("a list");
    assert_eq!(json!(open.task), json!(world.fresh(&task.id)), "the task as it is then read");
    assert_eq!((open.items.len(), open.task.open_proposals), (1, 1));

    world.later(60);
    let patch = TaskPatch { title: Some("Move house".into()), ..TaskPatch::default() };
    let edit = || now(world.dormouse.edit_task(&me(), &task.id, patch, None, None));
    let (answer, queries) = world.engine.reads_of(|| edit().expect("edited"));
    check("an edit", &queries);
    assert_eq!((answer.open_proposals, world.fresh(&task.id).open_proposals), (1, 1));
}
