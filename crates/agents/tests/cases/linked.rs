//! What an agent reads of the tasks one link away, rule by rule.

use std::sync::Arc;

use dormouse_journal::Edit;
use dormouse_store::agent::link::{self, Link};
use dormouse_store::agent::report;
use dormouse_store::journal::linked_task;
use dormouse_store::{Backend, Commit, Db, ReadError, Row, Value};
use dormouse_testkit::CountingEntropy;
use dormouse_testkit::scripted::Answer;
use dormouse_types::agent::AgentLinkKind;
use dormouse_types::linked::{LinkedContext, LinkedRow};
use dormouse_types::model::FragmentKind;
use dormouse_types::port::{BoxFuture, Clock as _};
use dormouse_types::task::LinkKind;
use dormouse_types::{AgentId, Id as _, LinkId, TaskId, Timestamp, limits};
use dormouse_world::{Layer, Rooms};

use crate::world::{self, DONE, START, WS, World, now, text};

/// A task whose agent reported this.
fn reported(world: &World, title: &str, tldr: &str) -> (TaskId, AgentId) {
    reported_in_full(world, title, tldr, &format!("# {tldr}"))
}

fn reported_in_full(world: &World, title: &str, tldr: &str, content: &str) -> (TaskId, AgentId) {
    let task = world.task(title, &["It began."]);
    let agent = world.create(&task);
    world.script.push(Answer::calls([world::report(tldr, content)]));
    assert_eq!(world.ends(&task), [DONE]);
    (task, agent)
}

fn link(world: &World, from: &TaskId, kind: LinkKind, to: &TaskId) {
    world.edit_task(from, &[Edit::Link { to: to.clone(), kind }]);
}

fn context(world: &World, task: &TaskId) -> LinkedContext {
    now(world.agents.linked_context(WS, task)).expect("the linked tasks")
}

/// Has an agent of another task watch this one too, since this moment.
fn watches(world: &World, agent: &AgentId, task: &TaskId, at: Timestamp, seed: u64) -> LinkId {
    let id = LinkId::fresh(at, &CountingEntropy::seeded(seed));
    let link = Link::new(id.clone(), agent, task, AgentLinkKind::Task, at);
    let commit = Commit::new("test.link", Db::Agent, WS).op(link::insert(WS, &link));
    now(world.store.commit(commit)).expect("written");
    id
}

fn agents_in(rows: &[LinkedRow]) -> Vec<Option<AgentId>> {
    rows.iter().map(|row| row.task_agent_id.clone()).collect()
}

#[test]
fn every_wake_has_the_linked_tasks_in_its_prompt() {
    let (world, flat, _) = World::settled();
    let (sale, _) = reported(&world, "Sell the old flat", "The agency wants photos.");
    link(&world, &flat, LinkKind::Blocks, &sale);
    for words in ["The van is booked.", "The boxes have come."] {
        world.answers(2);
        world.note(&flat, words);
        world.ends(&flat);
        let request = world.script.requests().into_iter().rev();
        let linked = request.filter_map(|request| text(&request, FragmentKind::LinkedTasks)).next();
        let linked = linked.expect("a fragment of linked tasks");
        assert!(linked.contains("Sell the old flat"), "{linked}");
        assert!(linked.contains("# The agency wants photos."), "{linked}");
    }
}

#[test]
fn a_link_is_read_in_its_direction_from_both_ends() {
    let world = World::new();
    let (flat, _) = reported(&world, "Move", "Moving.");
    let (sale, _) = reported(&world, "Sell", "Selling.");
    link(&world, &flat, LinkKind::Blocks, &sale);
    let (of_flat, of_sale) = (context(&world, &flat), context(&world, &sale));
    let titles = |rows: &[LinkedRow]| -> Vec<(String, Vec<String>)> {
        rows.iter().map(|row| (row.title.clone(), row.relations.clone())).collect()
    };
    assert_eq!(titles(&of_flat.linked_to), [("Sell".to_owned(), vec!["blocks".to_owned()])]);
    assert_eq!(of_flat.linked_from, []);
    assert_eq!(titles(&of_sale.linked_from), [("Move".to_owned(), vec!["blocked by".to_owned()])]);
    assert_eq!(of_sale.linked_to, []);
}

#[test]
fn rows_are_ordered_by_creation_and_have_these_fields() {
    let world = World::new();
    let flat = world.task("Move", &[]);
    let [first, second] = ["One", "Two"].map(|title| world.task(title, &["A note."]));
    world.edit(&second, &[Edit::Estimate(Some(90)), Edit::Language { code: Some("de".into()) }]);
    link(&world, &flat, LinkKind::PartOf, &second);
    link(&world, &flat, LinkKind::RelatesTo, &first);
    let rows = context(&world, &flat).linked_to;
    assert_eq!(rows.iter().map(|row| &row.id).collect::<Vec<_>>(), [&first, &second]);
    let row = serde_json::to_value(&rows[1]).expect("a row");
    let created_at = world.task_state(&second).created_at;
    assert_eq!(
        row,
        serde_json::json!({
            "id": second, "title": "Two", "status": "OPEN", "priority": "P2", "estimate": "01:30",
            "timeSpent": "00:00", "createdAt": created_at, "labels": [], "languageCode": "de",
            "relations": ["part of"],
        }),
        "a task without a report has none of its three fields, and none has a summary"
    );
}

#[test]
fn of_several_agents_the_one_linked_last_gives_the_report() {
    let world = World::new();
    let flat = world.task("Move", &[]);
    let (sale, first) = reported(&world, "Sell", "First.");
    let (_, second) = reported(&world, "Other", "Second.");
    link(&world, &flat, LinkKind::Blocks, &sale);
    assert_eq!(agents_in(&context(&world, &flat).linked_to), [Some(first)]);
    world.later(60);
    watches(&world, &second, &sale, world.clock.now(), 7);
    assert_eq!(agents_in(&context(&world, &flat).linked_to), [Some(second)]);
}

#[test]
fn of_links_of_one_time_the_smaller_id_wins_whatever_was_written_first() {
    for seeds in [[11, 12], [12, 11]] {
        let world = World::new();
        let flat = world.task("Move", &[]);
        let sale = world.task("Sell", &[]);
        let (_, a) = reported(&world, "A", "First.");
        let (_, b) = reported(&world, "B", "Second.");
        link(&world, &flat, LinkKind::Blocks, &sale);
        let at = world.clock.now();
        let [of_a, of_b] = [(&a, seeds[0]), (&b, seeds[1])]
            .map(|(agent, seed)| watches(&world, agent, &sale, at, seed));
        let smaller = if of_a < of_b { a } else { b };
        assert_eq!(agents_in(&context(&world, &flat).linked_to), [Some(smaller)]);
    }
}

#[test]
fn an_agent_without_a_report_leaves_it_to_the_next() {
    let world = World::new();
    let flat = world.task("Move", &[]);
    let (sale, first) = reported(&world, "Sell", "First.");
    let idle = world.task("Idle", &[]);
    let silent = world.create(&idle);
    link(&world, &flat, LinkKind::Blocks, &sale);
    world.later(60);
    watches(&world, &silent, &sale, world.clock.now(), 7);
    assert_eq!(agents_in(&context(&world, &flat).linked_to), [Some(first)]);
}

#[test]
fn a_deleted_link_does_not_count() {
    let world = World::new();
    let flat = world.task("Move", &[]);
    let (sale, _) = reported(&world, "Sell", "First.");
    link(&world, &flat, LinkKind::Blocks, &sale);
    world.write_directly(
        Db::Agent,
        "UPDATE agent_links SET deleted_at = 1 WHERE type = 'agent_task'",
        Vec::new(),
    );
    assert_eq!(agents_in(&context(&world, &flat).linked_to), [None], "the row stays");
}

#[test]
fn a_damaged_report_costs_its_row_the_report_and_no_other() {
    let world = World::new();
    let flat = world.task("Move", &[]);
    let (sale, agent) = reported(&world, "Sell", "First.");
    let (paint, painter) = reported(&world, "Paint", "Second.");
    link(&world, &flat, LinkKind::Blocks, &sale);
    link(&world, &flat, LinkKind::Blocks, &paint);
    world.write_directly(
        Db::Agent,
        "UPDATE agent_entities SET serialized = '{' WHERE type = 'agentReport' AND agent_id = ?1",
        vec![agent.to_string().into()],
    );
    assert_eq!(agents_in(&context(&world, &flat).linked_to), [None, Some(painter)]);
}

#[test]
fn an_agent_whose_report_is_empty_leaves_it_to_the_next() {
    let world = World::new();
    let flat = world.task("Move", &[]);
    let (sale, first) = reported(&world, "Sell", "First.");
    let (_, second) = reported(&world, "Other", "Second.");
    link(&world, &flat, LinkKind::Blocks, &sale);
    world.later(60);
    watches(&world, &second, &sale, world.clock.now(), 7);
    assert_eq!(agents_in(&context(&world, &flat).linked_to), [Some(second.clone())]);
    for content in [" \n", "{}"] {
        let sql = "UPDATE agent_entities
                   SET serialized = json_set(serialized, '$.content', iif(?2 = '{}', json(?2), ?2))
                   WHERE type = 'agentReport' AND agent_id = ?1";
        world.write_directly(Db::Agent, sql, vec![second.to_string().into(), content.into()]);
        assert_eq!(
            agents_in(&context(&world, &flat).linked_to),
            [Some(first.clone())],
            "{content:?}"
        );
    }
}

#[test]
fn the_report_is_that_of_the_scope_current() {
    let world = World::new();
    let flat = world.task("Move", &[]);
    let (sale, agent) = reported(&world, "Sell", "First.");
    link(&world, &flat, LinkKind::Blocks, &sale);
    let row = |world: &World| context(world, &flat).linked_to.remove(0);
    assert_eq!(row(&world).task_agent_id, Some(agent.clone()));
    let sql = "UPDATE agent_entities
               SET subtype = 'weekly', serialized = json_set(serialized, '$.scope', 'weekly')
               WHERE type = 'agentReportHead' AND agent_id = ?1";
    world.write_directly(Db::Agent, sql, vec![agent.to_string().into()]);
    assert_eq!(row(&world).task_agent_id, None, "a report of another scope is not the current one");
}

#[test]
fn a_deleted_linked_task_has_no_row() {
    let (world, flat, _) = World::settled();
    let (sale, _) = reported(&world, "Sell", "First.");
    let (paint, _) = reported(&world, "Paint", "Second.");
    link(&world, &flat, LinkKind::Blocks, &sale);
    link(&world, &paint, LinkKind::Blocks, &flat);
    world.edit_task(&sale, &[Edit::Delete]);
    let of_flat = context(&world, &flat);
    assert_eq!(of_flat.linked_to, []);
    assert_eq!(of_flat.linked_from.len(), 1, "the others stay");
    assert_eq!(of_flat.left_out, None, "there is nothing to be left out");
    world.answers(2);
    world.note(&flat, "The van is booked.");
    assert_eq!(world.ends(&flat), [DONE]);
    let linked = linked_of_last(&world).expect("a fragment");
    assert!(!linked.contains("Sell") && linked.contains("Paint"), "{linked}");
}

#[test]
fn a_linked_task_that_cannot_be_read_costs_its_own_row_only() {
    let (world, flat, _) = World::settled();
    let (sale, _) = reported(&world, "Sell", "First.");
    let (paint, painter) = reported(&world, "Paint", "Second.");
    for task in [&sale, &paint] {
        link(&world, &flat, LinkKind::Blocks, task);
    }
    world.damage(Db::Journal, sale.as_str());
    let rows = context(&world, &flat).linked_to;
    assert_eq!(rows.iter().map(|row| &row.id).collect::<Vec<_>>(), [&paint]);
    assert_eq!(agents_in(&rows), [Some(painter)]);
    world.answers(2);
    world.note(&flat, "The van is booked.");
    assert_eq!(world.ends(&flat), [DONE], "the wake goes on");
}

#[test]
fn no_summary_of_a_linked_task_reaches_the_prompt() {
    let (world, flat, _) = World::settled();
    let (sale, _) = reported(&world, "Sell", "The agency wants photos.");
    let (paint, _) = reported(&world, "Paint", "Blue it is.");
    link(&world, &flat, LinkKind::Blocks, &sale);
    link(&world, &paint, LinkKind::RelatesTo, &flat);
    // As another program may have written it.
    let sql =
        "UPDATE journal SET serialized = json_set(serialized, '$.latestSummary', 'OLD SUMMARY')
               WHERE type = 'task'";
    world.write_directly(Db::Journal, sql, Vec::new());
    let json = serde_json::to_string(&context(&world, &flat)).expect("JSON");
    assert!(!json.contains("latestSummary") && !json.contains("OLD SUMMARY"), "{json}");
    world.answers(2);
    world.note(&flat, "The van is booked.");
    assert_eq!(world.ends(&flat), [DONE]);
    let request = world.last_request();
    let all: String = request.fragments.iter().map(|piece| piece.text.as_str()).collect();
    assert!(all.contains("The agency wants photos.") && all.contains("Blue it is."), "{all}");
    assert!(!all.contains("latestSummary") && !all.contains("OLD SUMMARY"), "{all}");
}

#[test]
fn two_hundred_tasks_with_a_report_of_32_kib_each_fit_into_the_room() {
    let world = World::new();
    let hub = world.task("Hub", &["It began."]);
    let line = "A line of the report.\n";
    let long = line.repeat(limits::REPORT.max / line.len());
    // One agent reports about all of them: two hundred wakes would take the test minutes.
    let (_, agent) = reported_in_full(&world, "Elsewhere", "Long.", &long);
    let edits = (0..200).map(|n| {
        let to = world.task(&format!("Task {n}"), &[]);
        watches(&world, &agent, &to, world.clock.now(), 1_000 + n);
        Edit::Link { to, kind: LinkKind::PartOf }
    });
    world.edit_task(&hub, &edits.collect::<Vec<_>>());
    let linked = context(&world, &hub);
    let left_out = linked.left_out.clone().expect("not everything fits");
    assert_eq!(linked.linked_to.len() + left_out.tasks, 200);
    let with_report = agents_in(&linked.linked_to).iter().flatten().count();
    assert!(with_report >= 4, "the newest have their reports: {with_report}");
    assert_eq!(with_report, left_out.shortened);
    assert_eq!(with_report + left_out.reports, linked.linked_to.len(), "{left_out:?}");
    assert_eq!(linked.linked_to.last().map(|row| row.title.as_str()), Some("Task 199"));
    assert!(serde_json::to_string(&linked).expect("JSON").len() < 21 * 1024);
    world.create(&hub);
    world.answers(1);
    assert_eq!(world.ends(&hub), [DONE]);
    let shown = linked_of_last(&world).expect("a fragment");
    assert!(shown.len() < 22 * 1024, "{} bytes", shown.len());
    assert!(
        shown.contains(&format!("\"tasks\":{}", left_out.tasks)),
        "the rest is counted: {shown}"
    );
}

/// A layer in which one statement fails.
struct Refusing {
    engine: Arc<dyn Backend>,
    sql: &'static str,
}

impl Layer for Refusing {
    fn below(&self) -> &dyn Backend {
        &*self.engine
    }

    fn read<'a>(
        &'a self,
        db: Db,
        sql: &'static str,
        params: Vec<Value>,
    ) -> BoxFuture<'a, Result<Vec<Row>, ReadError>> {
        if sql == self.sql {
            let detail = "this statement fails".to_owned();
            return Box::pin(async move { Err(ReadError::Engine { db: db.name(), detail }) });
        }
        self.engine.read(db, sql, params)
    }
}

/// A world in which a statement fails, with two linked tasks.
fn where_a_statement_fails(sql: &'static str) -> (World, TaskId) {
    let (builder, _) = Rooms::at(START).under(|engine| Refusing { engine, sql });
    let world = World::of(builder, "test");
    let flat = world.task("Move", &["It began."]);
    let (sale, _) = reported(&world, "Sell", "First.");
    link(&world, &flat, LinkKind::Blocks, &sale);
    world.create(&flat);
    world.answers(2);
    assert_eq!(world.ends(&flat), [DONE], "the wake goes on");
    (world, flat)
}

fn linked_of_last(world: &World) -> Option<String> {
    text(&world.last_request(), FragmentKind::LinkedTasks)
}

#[test]
fn linked_tasks_that_cannot_be_read_are_empty_in_the_prompt() {
    let any: TaskId = "jt-01jd7m3k5vn2c8q4w6x0z9abcd".parse().expect("an id");
    let (world, _) = where_a_statement_fails(linked_task::of_task(WS, &any).sql);
    let linked = linked_of_last(&world).expect("a fragment");
    assert!(linked.contains("\n{}\n"), "{linked}");
}

#[test]
fn rows_stay_when_the_reports_cannot_be_read() {
    let any: TaskId = "jt-01jd7m3k5vn2c8q4w6x0z9abcd".parse().expect("an id");
    let (world, flat) = where_a_statement_fails(report::heads_of_tasks(WS, &[any]).sql);
    let linked = linked_of_last(&world).expect("a fragment");
    assert!(linked.contains("\"title\":\"Sell\"") && !linked.contains("taskAgentId"), "{linked}");
    assert_eq!(agents_in(&context(&world, &flat).linked_to), [None]);
}

#[test]
fn unchanged_stores_give_the_same_bytes() {
    let world = World::new();
    let flat = world.task("Move", &[]);
    for title in ["Sell", "Paint", "Clean"] {
        let (task, _) = reported(&world, title, title);
        link(&world, &flat, LinkKind::RelatesTo, &task);
    }
    let once = serde_json::to_string(&context(&world, &flat)).expect("JSON");
    world.later(3600);
    assert_eq!(serde_json::to_string(&context(&world, &flat)).expect("JSON"), once);
}

#[test]
fn a_new_report_of_a_linked_task_wakes_nobody() {
    let (world, flat, mover) = World::settled();
    let (sale, _) = world.another("Sell");
    link(&world, &flat, LinkKind::Blocks, &sale);
    let mut node = world.serve();
    world.answers(2);
    node.pass_seconds(600);
    node.ran();
    world.script.push(Answer::calls([world::report("Sold.", "# Sold.")]));
    world.note_now(&sale, "Sold!");
    node.pass_seconds(600);
    assert!(node.ran().iter().all(|(agent, _)| *agent != mover), "it is read at the next wake");
}

#[test]
fn the_newest_tasks_come_first_into_the_room_there_is_and_the_rest_is_counted() {
    let world = World::new();
    let flat = world.task("Move", &[]);
    let long = "A line of the report.\n".repeat(900);
    for n in 0..12 {
        let (task, _) = reported_in_full(&world, &format!("Task {n}"), "Long.", &long);
        link(&world, &flat, LinkKind::RelatesTo, &task);
    }
    let context = context(&world, &flat);
    let left_out = context.left_out.clone().expect("not everything fits");
    let with_report = agents_in(&context.linked_to).iter().flatten().count();
    assert_eq!(context.linked_to.len() + left_out.tasks, 12);
    assert_eq!(with_report + left_out.reports + left_out.tasks, 12);
    assert_eq!((left_out.tasks, left_out.shortened), (0, with_report), "{left_out:?}");
    let newest = context.linked_to.last().expect("a row");
    assert_eq!(newest.title, "Task 11");
    let report = newest.latest_task_agent_report.as_deref().expect("its report");
    assert!(report.ends_with("report.\n[…]"), "cut at the end of a line: {report:?}");
    assert!(serde_json::to_string(&context).expect("JSON").len() < 21 * 1024);
}

#[test]
fn links_in_a_circle_show_each_neighbour_once_and_nothing_beyond_it() {
    let world = World::new();
    let long = "A line of the report.\n".repeat(1_450);
    let [a, b, c] = ["One", "Two", "Three"]
        .map(|title| reported_in_full(&world, title, "Long.", &format!("# {title}\n{long}")).0);
    for (from, to) in [(&a, &b), (&b, &c), (&c, &a), (&b, &a)] {
        link(&world, from, LinkKind::Blocks, to);
    }
    let context = context(&world, &a);
    let titles =
        |rows: &[LinkedRow]| -> Vec<String> { rows.iter().map(|row| row.title.clone()).collect() };
    assert_eq!(titles(&context.linked_to), ["Two"]);
    assert_eq!(titles(&context.linked_from), ["Two", "Three"]);
    let json = serde_json::to_string(&context).expect("JSON");
    assert!(json.len() < 21 * 1024, "{} bytes", json.len());
    let own = |row: &LinkedRow| row.id == a;
    assert!(!context.linked_to.iter().chain(&context.linked_from).any(own));
}

#[test]
fn two_hundred_links_cost_the_queries_of_one() {
    let n_statements = |n_links: usize| {
        let (world, engine) = World::recorded();
        let hub = world.task("Hub", &[]);
        let edits: Vec<Edit> = (0..n_links)
            .map(|n| {
                let to = world.task(&format!("Task {n}"), &[]);
                Edit::Link { to, kind: LinkKind::PartOf }
            })
            .collect();
        world.edit_task(&hub, &edits);
        engine.take();
        assert_eq!(context(&world, &hub).linked_to.len(), n_links.min(200));
        engine.take().len()
    };
    let one = n_statements(1);
    assert_eq!((one, n_statements(60)), (4, 4), "tasks, labels, minutes, report heads");
}

#[test]
fn addresses_of_linked_reports_reach_the_links_once_and_travel_no_further() {
    let world = World::new();
    let [a, b, c] = ["A", "B", "C"].map(|title| world.task(title, &["It began."]));
    link(&world, &a, LinkKind::RelatesTo, &b);
    link(&world, &b, LinkKind::RelatesTo, &c);
    world.note(&c, "See https://example.org/c for the plan.");
    let content = |task: &TaskId| {
        let agent = world.create(task);
        world.script.push(Answer::calls([world::report("News.", "Nothing yet.")]));
        assert_eq!(world.ends(task), [DONE]);
        let latest = now(world.agents.latest_report(WS, &agent)).expect("readable");
        latest.expect("a report").content.as_str().expect("text").to_owned()
    };
    assert!(content(&c).contains("https://example.org/c"));
    assert!(content(&b).contains("https://example.org/c"), "one link away");
    assert!(!content(&a).contains("https://example.org/c"), "not two links away");
}
