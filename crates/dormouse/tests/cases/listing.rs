//! Lists of tasks: each order page by page, where words are found, and what a page costs.

use std::collections::BTreeSet;

use dormouse::view::{Agent, Match, MatchPlace, Page, TaskRow};

use dormouse::{
    AgentFilter, AttentionFilter, DrainScope, NewEntry, NewTask, Sort, TaskFilter, TaskPatch,
};
use dormouse_testkit::scripted::Answer;
use dormouse_types::Id as _;
use dormouse_types::agent::Lifecycle;
use dormouse_types::task::Priority;
use serde_json::json;

use crate::world::{World, me, now};

fn listed(world: &World, filter: TaskFilter) -> Vec<TaskRow> {
    now(world.dormouse.tasks(&me(), filter, 200, None)).expect("a page").items
}

fn search(words: &str) -> TaskFilter {
    TaskFilter { words: Some(words.into()), sort: Sort::Title, ..TaskFilter::default() }
}

#[test]
fn in_every_order_the_pages_together_are_the_list() {
    let world = World::new();
    let mut ids = Vec::new();
    for n in 0..13 {
        // Some share a title, a day, a rank or a moment.
        let new = NewTask {
            title: if n == 4 { String::new() } else { format!("Task {}", n % 5) },
            priority: [None, Some(Priority::P0), Some(Priority::P3)][n % 3],
            due_on: (n % 4 != 0).then(|| jiff::civil::date(2026, 3, 1 + (n % 4) as i8)),
            ..NewTask::default()
        };
        ids.push(now(world.dormouse.create_task(&me(), new, None)).expect("a task").id);
        if n % 2 == 0 {
            world.later(1);
        }
    }
    let patch = TaskPatch { title: Some("Ärger".into()), ..TaskPatch::default() };
    now(world.dormouse.edit_task(&me(), &ids[2], patch, None, None)).expect("edited");
    for sort in Sort::ALL.iter().copied() {
        for statuses in [vec![], vec![dormouse_types::task::Status::Open]] {
            let filter = TaskFilter { sort, statuses, ..TaskFilter::default() };
            let whole = listed(&world, filter.clone());
            assert_eq!(whole.len(), ids.len(), "{sort:?}");
            for limit in [1, 3, 12, 13] {
                let (mut rows, mut cursor) = (Vec::new(), None);
                loop {
                    let page = now(world.dormouse.tasks(&me(), filter.clone(), limit, cursor));
                    let page = page.expect("a page");
                    assert!(page.items.len() <= limit);
                    rows.extend(page.items.into_iter().map(|row| row.id));
                    cursor = page.next_cursor;
                    if cursor.is_none() {
                        break;
                    }
                }
                let expected: Vec<_> = whole.iter().map(|row| row.id.clone()).collect();
                assert_eq!(rows, expected, "{sort:?}, {limit} a page");
            }
        }
    }
    let by_title = listed(&world, TaskFilter { sort: Sort::Title, ..TaskFilter::default() });
    assert_eq!(by_title[0].title, "Ärger");
    assert_eq!(by_title[12].title, "", "untitled ones come last");
    let wrong = now(world.dormouse.tasks(&me(), TaskFilter::default(), 1, None)).expect("a page");
    let of_another = TaskFilter { sort: Sort::Due, ..TaskFilter::default() };
    let refused = now(world.dormouse.tasks(&me(), of_another, 1, wrong.next_cursor));
    assert_eq!(refused.expect_err("another order").problem().status, 422);
}

#[test]
fn words_are_found_wherever_they_stand_and_the_row_says_where() {
    let world = World::new();
    let (task, _, _) = world.proposed(&[]);
    world.note(&task.id, "Der Umzugswagen kostet 200 €, sagt Zoë.\nUnd noch eine Zeile.");
    now(world.dormouse.add_label(&me(), &task.id, "Wohnung", None)).expect("a label");
    world.task("Paint the fence");
    let found = |words: &str| {
        let rows = listed(&world, search(words));
        rows.into_iter().map(|row| (row.title, row.found.expect("a match"))).collect::<Vec<_>>()
    };
    let title = "Move to the new flat".to_owned();
    let at = |place: MatchPlace, snippet: &str| {
        vec![(title.clone(), Match { place, snippet: snippet.into() })]
    };
    assert_eq!(found("FLÂT"), at(MatchPlace::Title, "Move to the new flat"));
    assert_eq!(found("quiet"), at(MatchPlace::Report, "All quiet."));
    assert_eq!(found("wohn"), at(MatchPlace::Label, "Wohnung"));
    let entry = "Der Umzugswagen kostet 200 €, sagt Zoë.\nUnd noch eine Zeile.";
    assert_eq!(found("zoe umzugswagen"), at(MatchPlace::Entry, entry));
    assert_eq!(found("quiet flat zoe books").len(), 1, "the words may stand in different places");
    assert_eq!(found("quiet nowhere"), []);
    let both = found("books").into_iter().map(|(_, found)| found.place).collect::<Vec<_>>();
    assert_eq!(both, [MatchPlace::Item; 2]);
    assert!(listed(&world, search("  ")).iter().all(|row| row.found.is_none()), "no words, all");
    assert_eq!(listed(&world, search("")).len(), 2);
}

#[test]
fn a_next_page_reads_no_other_tasks_anew_unless_something_was_written() {
    let World { engine, dormouse, .. } = World::new();
    let make = |title: String| {
        let new = NewTask { title, ..NewTask::default() };
        now(dormouse.create_task(&me(), new, None)).expect("a task").id
    };
    let ids: Vec<_> = (0..230).map(|n| make(format!("Task {n:03}"))).collect();
    let filter = TaskFilter { sort: Sort::Title, ..TaskFilter::default() };
    // The titles of a page of three, where the next begins, and how many rows were read for it.
    let page = |cursor: Option<String>| {
        let page = || now(dormouse.tasks(&me(), filter.clone(), 3, cursor)).expect("a page");
        let (page, _, read) = engine.cost_of(page);
        (page.items.into_iter().map(|row| row.title).collect::<Vec<_>>(), page.next_cursor, read)
    };
    let (titles, next, read) = page(None);
    assert_eq!(titles, ["Task 000", "Task 001", "Task 002"]);
    assert!(read > ids.len(), "{read}");
    let (titles, next, read) = page(next);
    assert_eq!(titles, ["Task 003", "Task 004", "Task 005"]);
    assert!(read < 20, "{read}");
    let patch = TaskPatch { title: Some("Task 006b".into()), ..TaskPatch::default() };
    now(dormouse.edit_task(&me(), &ids[200], patch, None, None)).expect("edited");
    now(dormouse.delete_task(&me(), &ids[7], None)).expect("deleted");
    let (titles, _, read) = page(next);
    assert_eq!(titles, ["Task 006", "Task 006b", "Task 008"]);
    assert!(read > ids.len(), "{read}");
}

#[test]
fn a_page_costs_the_same_number_of_queries_however_much_it_shows() {
    let World { engine, dormouse, .. } = World::new();
    let cost = |ask: &dyn Fn() -> usize| {
        let (n, queries, _) = engine.cost_of(ask);
        (n, queries)
    };
    let plain = || now(dormouse.tasks(&me(), TaskFilter::default(), 200, None)).expect("a page");
    let found = || now(dormouse.tasks(&me(), search("task"), 200, None)).expect("a page");
    let filter = AgentFilter::default();
    let agents = || now(dormouse.agents(&me(), &filter, 200, None)).expect("a page");
    let reports = || now(dormouse.recent_reports(&me(), 200, None)).expect("a page");
    let waits = || {
        now(dormouse.attention_list(&me(), AttentionFilter::default(), 200, None)).expect("a page")
    };
    let costs = || {
        let costs = [
            cost(&|| plain().items.len()),
            cost(&|| found().items.len()),
            cost(&|| agents().items.len()),
        ];
        let others = [cost(&|| reports().items.len()).1, cost(&|| waits().items.len()).1];
        (costs.map(|(n, _)| n), costs.map(|(_, n)| n), others)
    };
    let make = |n: usize| {
        for n in 0..n {
            let new = NewTask { title: format!("Task {n}"), ..NewTask::default() };
            let task = now(dormouse.create_task(&me(), new, None)).expect("a task");
            now(dormouse.create_agent(&me(), &task.id, None, None)).expect("an agent");
            assert_ne!(task.id.as_str(), "");
        }
    };
    make(2);
    let (few, costs_of_few, others_of_few) = costs();
    make(60);
    let (many, costs_of_many, others_of_many) = costs();
    assert_eq!((few, many), ([2; 3], [62; 3]));
    assert_eq!(costs_of_few, costs_of_many);
    assert_eq!(others_of_few, others_of_many);
    assert!(costs_of_many.iter().all(|n| *n <= 14), "{costs_of_many:?}");
}

#[test]
fn overview_attention_and_searches_cost_the_same_for_ten_and_for_two_hundred_tasks() {
    let world = World::new();
    let World { engine, dormouse, .. } = &world;
    let make = |n: usize| {
        for n in 0..n {
            let new = NewTask { title: format!("Task {n}"), ..NewTask::default() };
            let task = now(dormouse.create_task(&me(), new, None)).expect("a task");
            let text = "It takes an hour.".into();
            let note = NewEntry { text, private: true, ..NewEntry::default() };
            now(dormouse.add_entry(&me(), &task.id, note, None)).expect("a note");
            let agent = now(dormouse.create_agent(&me(), &task.id, None, None)).expect("an agent");
            world.script.push(Answer::calls([
                ("update_report", json!({ "tldr": "Quiet.", "content": "Nothing yet." })),
                ("update_task_estimate", json!({ "minutes": 60 })),
            ]));
            let scope = DrainScope { agents: vec![agent.id.clone()], ..DrainScope::default() };
            now(dormouse.drain(scope, &mut |_| {})).expect("a drain");
            now(dormouse.wake_agent(&me(), &agent.id, None, None)).expect("a waiting wake");
        }
    };
    let overview = || now(dormouse.overview(&me())).expect("an overview");
    let attention = || {
        now(dormouse.attention_list(&me(), AttentionFilter::default(), 200, None)).expect("a page")
    };
    let agents = || now(dormouse.find_agents(&me(), "task", 200, None)).expect("agents").items;
    let sets = |all| now(dormouse.change_sets(&me(), None, all)).expect("sets");
    let found = || now(dormouse.find_sets(&me(), "task")).expect("sets");
    let lists: [(&str, &dyn Fn() -> usize); 7] = [
        ("tasks of the overview", &|| overview().open_tasks),
        ("waiting agents of the overview", &|| overview().waiting_agents),
        ("what needs attention", &|| attention().items.len()),
        ("found agents", &|| agents().len()),
        ("open sets", &|| sets(false).len()),
        ("all sets", &|| sets(true).len()),
        ("found sets", &|| found().len()),
    ];
    let costs = |n: usize| {
        lists.map(|(name, ask)| {
            let (found, queries, _) = engine.cost_of(ask);
            assert_eq!(found, n, "{name}");
            (name, queries)
        })
    };
    make(10);
    let few = costs(10);
    make(190);
    assert_eq!(costs(200), few);
    assert!(few.iter().all(|(_, n)| *n <= 16), "{few:?}");
}

#[test]
fn a_page_of_agents_of_a_lifecycle_and_of_found_agents_shows_no_more_than_its_limit() {
    let World { engine, dormouse, .. } = World::new();
    let make = |n: usize| {
        for n in 0..n {
            let new = NewTask { title: format!("Task {n}"), ..NewTask::default() };
            let task = now(dormouse.create_task(&me(), new, None)).expect("a task");
            now(dormouse.create_agent(&me(), &task.id, None, None)).expect("an agent");
        }
    };
    let created = AgentFilter { lifecycle: Some(Lifecycle::Created), ..AgentFilter::default() };
    let dormant = AgentFilter { lifecycle: Some(Lifecycle::Dormant), ..AgentFilter::default() };
    let page = |filter: &AgentFilter, cursor: Option<&str>| {
        now(dormouse.agents(&me(), filter, 9, cursor)).expect("a page")
    };
    let find = |cursor: Option<&str>| now(dormouse.find_agents(&me(), "task", 9, cursor));
    let costs = || {
        let created = engine.cost_of(|| page(&created, None).items.len());
        let dormant = engine.cost_of(|| page(&dormant, None).items.len());
        [created, dormant]
    };
    make(10);
    let few = costs();
    make(190);
    assert_eq!(costs(), few, "found, queries and rows");
    assert_eq!(few.map(|(found, ..)| found), [9, 0]);

    type List<'l> = &'l dyn Fn(Option<&str>) -> Page<Agent>;
    let lists: [List<'_>; 2] =
        [&|cursor| page(&created, cursor), &|cursor| find(cursor).expect("a page")];
    for pages in lists {
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let page = pages(cursor.as_deref());
            assert!(page.items.len() <= 9);
            seen.extend(page.items.into_iter().map(|agent| agent.id));
            cursor = page.next_cursor;
            if cursor.is_none() {
                break;
            }
        }
        let each: BTreeSet<_> = seen.iter().collect();
        assert_eq!((seen.len(), each.len()), (200, 200));
        assert!(seen.is_sorted_by(|a, b| a > b), "newest first");
    }
}
