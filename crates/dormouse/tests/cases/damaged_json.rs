//! Values within a column of agent work that cannot be read: each is named where it is requested, and hides
//! nothing else.

use dormouse::dates::Wording;
use dormouse::events::{Event, Since};
use dormouse::view::AgentWork;
use dormouse::work_hooks::NewHook;
use dormouse::{AttentionFilter, DrainScope, NewWork, RunDays, WORKSPACE, WorkFilter};
use dormouse_store::{Commit, Db, Op, Query, params};
use dormouse_testkit::scripted::Answer;
use dormouse_types::work_hook::HookForm;
use dormouse_types::{Id as _, WorkId, WorkRunId};
use serde_json::json;

use crate::world::{World, me, now};

/// A column with JSON, and the key of its row.
struct Column {
    name: &'static str,
    damage: &'static str,
    of: Key,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Work,
    Run,
}

macro_rules! columns {
    ($($table:literal . $column:literal of $key:literal $of:ident;)*) => {
        &[$(Column {
            name: concat!($table, ".", $column),
            damage: concat!("UPDATE ", $table, " SET ", $column, " = '{' WHERE ", $key, " = ?1"),
            of: Key::$of,
        }),*]
    };
}

const COLUMNS: &[Column] = columns! {
    "work_definitions"."built_in" of "id" Work;
    "work_definitions"."position" of "id" Work;
    "work_definitions"."schedule" of "id" Work;
    "work_filters"."filters" of "work_id" Work;
    "work_steps"."steps" of "work_id" Work;
    "work_hooks"."secrets" of "work_id" Work;
    "work_runs"."figures" of "id" Run;
    "work_run_steps"."step" of "run_id" Run;
    "work_questions"."options" of "run_id" Run;
};

struct Made {
    work: WorkId,
    run: WorkRunId,
}

/// Agent work with a row in every table, whose run asks the person.
fn made(world: &World, title: &str) -> Made {
    let new = NewWork {
        title: title.into(),
        instructions: Some("Look around.".into()),
        schedule: Some("every monday at 9".into()),
        events: serde_json::from_value(json!([{ "event": "deleted" }])).expect("filters"),
        steps: serde_json::from_value(json!([{ "text": "Look", "mandatory": true }]))
            .expect("steps"),
        ..NewWork::default()
    };
    let dormouse = &world.dormouse;
    let work = now(dormouse.create_work(&me(), new, Wording::default(), None)).expect("work").id;
    let hook = NewHook { name: "Mail".into(), form: HookForm::Standard, secret: None };
    now(dormouse.add_work_hook(&me(), &work, hook)).expect("a hook");
    world.script.push(Answer::calls([("ask", json!({ "question": "Which way?" }))]));
    let run = now(dormouse.run_work(&me(), &work, None)).expect("a run").id;
    world.drain_scope(DrainScope { all_due: true, ..DrainScope::default() }).expect("a drain");
    world.later(60);
    Made { work, run }
}

fn damage(world: &World, column: &Column, made: &Made) {
    let id = match column.of {
        Key::Work => made.work.as_str(),
        Key::Run => made.run.as_str(),
    };
    let op = Op::any(column.damage, params![id]);
    let commit = Commit::new("test.damage", Db::Agent, WORKSPACE).op(op);
    now(world.store.commit(commit)).expect("damaged");
    let (table, name) = column.name.split_once('.').expect("a table and a column");
    let sql = format!("SELECT COUNT(*) FROM {table} WHERE {name} = '{{'");
    let count = Query {
        db: Db::Agent,
        sql: Box::leak(sql.into_boxed_str()),
        params: Vec::new(),
        decode: |row: &dormouse_store::Row| Ok(row.int(0).expect("a count")),
    };
    assert_eq!(now(world.store.all(count)).expect("readable"), [1], "{}", column.name);
}

fn events(world: &World, from: &str) -> Vec<Event> {
    match now(world.dormouse.events_since(&me(), Some(from))).expect("events") {
        Since::Page { events, .. } => events,
        Since::Resync { .. } => panic!("a gap"),
    }
}

/// A row is in its list, or the list says why it is not.
#[track_caller]
fn is_listed_or_named<T>(items: &[T], damaged: &[String], is_it: impl Fn(&T) -> bool, id: &str) {
    let is_named = damaged.iter().any(|line| line.contains(id));
    assert!(items.iter().any(is_it) || is_named, "{damaged:?}");
}

#[test]
fn a_damaged_value_within_a_column_of_agent_work_hides_nothing_else() {
    for column in COLUMNS {
        let world = World::new();
        let Since::Page { cursor, .. } =
            now(world.dormouse.events_since(&me(), None)).expect("a start")
        else {
            panic!("a gap")
        };
        let (hurt, well) = (made(&world, "Hurt"), made(&world, "Well"));
        damage(&world, column, &hurt);
        let (dormouse, what) = (&world.dormouse, column.name);
        let page = now(dormouse.work_list(&me(), WorkFilter::default(), 9, None));
        let page = page.unwrap_or_else(|e| panic!("{what}: the list: {e}"));
        let is = |id: &WorkId| {
            let id = id.clone();
            move |one: &AgentWork| one.id == id
        };
        let titles: Vec<_> = page.items.iter().map(|one| one.title.as_str()).collect();
        assert!(page.items.iter().any(is(&well.work)), "{what}: {titles:?} {:?}", page.damaged);
        is_listed_or_named(&page.items, &page.damaged, is(&hurt.work), hurt.work.as_str());

        let runs = now(dormouse.work_runs(&me(), &hurt.work, RunDays::default(), 9, None));
        let runs = runs.unwrap_or_else(|e| panic!("{what}: its runs: {e}"));
        let is_run = |one: &dormouse::view::WorkRun| one.id == hurt.run;
        is_listed_or_named(&runs.items, &runs.damaged, is_run, hurt.run.as_str());
        now(dormouse.work_log(&me(), &hurt.work, 9, None))
            .unwrap_or_else(|e| panic!("{what}: its log: {e}"));
        now(dormouse.work_run_log(&me(), &hurt.run))
            .unwrap_or_else(|e| panic!("{what}: the log of its run: {e}"));
        now(dormouse.work_questions(&me(), &hurt.run))
            .unwrap_or_else(|e| panic!("{what}: its questions: {e}"));
        // Its page shows it, or names what is damaged.
        match now(dormouse.work_detail(&me(), &hurt.work)) {
            Ok(_) => assert_ne!(what, "work_filters.filters"),
            Err(error) => {
                let problem = error.problem();
                assert_eq!(problem.kind.name(), "damaged-row", "{what}: {error}");
                assert!(problem.detail.contains(hurt.work.as_str()), "{what}: {error}");
                assert_eq!(column.of, Key::Work, "{what}: a run hides no work: {error}");
            }
        }

        let hooks = now(dormouse.work_hooks(&me(), &hurt.work));
        let hooks = hooks.unwrap_or_else(|e| panic!("{what}: its hooks: {e}"));
        assert_eq!(hooks.items.len() + hooks.damaged.len(), 1, "{what}");

        now(dormouse.work_detail(&me(), &well.work))
            .unwrap_or_else(|e| panic!("{what}: the other page: {e}"));
        let needs = now(dormouse.attention_list(&me(), AttentionFilter::default(), 9, None));
        let needs = needs.unwrap_or_else(|e| panic!("{what}: what needs the person: {e}"));
        assert_eq!(needs.items.len(), 2, "{what}: {:?}", needs.damaged);
        let deliveries = now(dormouse.deliveries(&me(), None, 9, None));
        let deliveries = deliveries.unwrap_or_else(|e| panic!("{what}: notices: {e}"));
        assert_eq!(deliveries.items.len(), 2, "{what}: {:?}", deliveries.damaged);
        now(dormouse.conversations(&me(), 9, None))
            .unwrap_or_else(|e| panic!("{what}: conversations: {e}"));
        now(dormouse.overview(&me())).unwrap_or_else(|e| panic!("{what}: the overview: {e}"));

        let created: Vec<_> = events(&world, &cursor)
            .into_iter()
            .filter(|event| event.subject.as_deref() == Some(well.work.as_str()))
            .filter_map(|event| event.work)
            .collect();
        assert!(!created.is_empty(), "{what}: the events of the other work say what it is");
    }
}
