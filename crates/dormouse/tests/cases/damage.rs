use dormouse::dates::Wording;
use dormouse::{
    AgentFilter, AttentionFilter, DrainScope, NewWork, RunDays, TaskFilter, WORKSPACE, WorkFilter,
};
use dormouse_store::{Commit, Db, Op, params};
use dormouse_testkit::scripted::Answer;
use dormouse_types::agent::RunStatus;
use dormouse_types::{Id as _, WorkId};
use serde_json::json;

use crate::world::{World, me, now, slug};

/// Agent work whose run asks the person.
fn asking(world: &World, title: &str) -> WorkId {
    let new = NewWork {
        title: title.into(),
        instructions: Some("Look around.".into()),
        ..NewWork::default()
    };
    world.script.push(Answer::calls([("ask", json!({ "question": "Which way?" }))]));
    let work = now(world.dormouse.create_work(&me(), new, Wording::default(), None));
    world.drain_scope(DrainScope { all_due: true, ..DrainScope::default() }).expect("a drain");
    world.later(60);
    work.expect("work").id
}

/// One damaged task or agent among healthy ones: it is named where it is requested, and hides
/// nothing else.
#[test]
fn a_damaged_row_is_named_where_it_is_requested_and_hides_nothing_else() {
    for db in [Db::Journal, Db::Agent] {
        let world = World::new();
        let estimate = ("update_task_estimate", json!({ "minutes": 60 }));
        let (hurt, hurt_agent, _) = world.proposed(std::slice::from_ref(&estimate));
        let (well, well_agent, _) = world.proposed(&[estimate]);
        world.note(&hurt.id, "One.");
        world.note(&well.id, "Two.");
        match db {
            Db::Journal => world.damage(db, hurt.id.as_str()),
            Db::Agent => world.damage(db, hurt_agent.id.as_str()),
        }
        let page = now(world.dormouse.tasks(&me(), TaskFilter::default(), 9, None));
        let tasks: Vec<_> = page.expect("the list").items.into_iter().map(|task| task.id).collect();
        assert!(tasks.contains(&well.id), "{db:?}");
        let agents = now(world.dormouse.agents(&me(), &AgentFilter::default(), 9, None));
        let agents = agents.expect("the list").items;
        assert!(agents.iter().any(|agent| agent.id == well_agent.id), "{db:?}");
        let sets = now(world.dormouse.change_sets(&me(), None, false)).expect("the list");
        assert!(sets.iter().any(|set| set.task_id == well.id), "{db:?}");
        now(world.dormouse.overview(&me())).expect("the state of affairs");
        now(world.dormouse.task(&me(), &well.id)).expect("the other task");
        let error = match db {
            Db::Journal => now(world.dormouse.task(&me(), &hurt.id)).map(|_| ()),
            Db::Agent => now(world.dormouse.agent(&me(), &hurt_agent.id)).map(|_| ()),
        };
        let error = error.expect_err("it cannot be read");
        assert_eq!(slug(&error), ("damaged-row", 500), "{db:?}");
        let named = match db {
            Db::Journal => hurt.id.as_str(),
            Db::Agent => hurt_agent.id.as_str(),
        };
        assert!(error.problem().detail.contains(named), "{error}");

        world.answer(&[]);
        world.later(60);
        let due = DrainScope { all_due: true, ..DrainScope::default() };
        let ran = world.drain_scope(due).expect("a drain");
        let of = |id| ran.iter().find(|run| run.agent_id == id).expect("a run").clone();
        let failed = of(hurt_agent.id.clone());
        assert_eq!(failed.status, RunStatus::Failed, "{db:?}: {failed:?}");
        assert!(failed.error.is_some_and(|error| error.contains("cannot be read")));
        assert_eq!(of(well_agent.id.clone()).status, RunStatus::Completed);
    }
}

#[test]
fn a_damaged_delivery_is_named_hides_no_other_and_is_read_with_its_work() {
    let world = World::new();
    let asks = |title| asking(&world, title);
    let (well, hurt) = (asks("Well"), asks("Hurt"));
    let list = |limit, cursor: Option<&str>| {
        now(world.dormouse.deliveries(&me(), None, limit, cursor)).expect("a page")
    };
    let newest = list(1, None).items.remove(0);
    assert_eq!(newest.task_id, hurt);
    let break_it = Op::any(
        "UPDATE deliveries SET kind = 'sung' WHERE ws = ?1 AND id = ?2",
        params![WORKSPACE.0, newest.id.as_str()],
    );
    now(world.store.commit(Commit::new("test.damage", Db::Agent, WORKSPACE).op(break_it)))
        .expect("damaged");
    let page = list(9, None);
    assert_eq!(page.items.iter().map(|one| &one.task_id).collect::<Vec<_>>(), [&well]);
    assert!(page.damaged[0].contains(newest.id.as_str()), "{:?}", page.damaged);
    // A page of nothing but damage has another one after it.
    let first = list(1, None);
    assert_eq!((first.items.len(), first.damaged.len()), (0, 1));
    assert_eq!(list(1, first.next_cursor.as_deref()).items[0].task_id, well);
    now(world.dormouse.read_deliveries_of(&me(), &hurt)).expect("the work is looked at");
    let read = Some(dormouse_types::delivery::DeliveryState::Read);
    let read = now(world.dormouse.deliveries(&me(), read, 9, None)).expect("a page");
    assert_eq!((read.items.len(), read.damaged.len()), (0, 1), "it is read all the same");
}

#[test]
fn damaged_agent_work_is_named_and_hides_no_other() {
    let world = World::new();
    let asks = |title| asking(&world, title);
    let (well, hurt, run) = (asks("Well"), asks("Hurt"), asks("Its run is hurt"));
    let break_it = |sql: &'static str, id: &str| {
        let op = Op::any(sql, params![WORKSPACE.0, id]);
        now(world.store.commit(Commit::new("test.damage", Db::Agent, WORKSPACE).op(op)))
            .expect("damaged");
    };
    break_it(
        "UPDATE work_definitions SET catch_up = 'weird' WHERE ws = ?1 AND id = ?2",
        hurt.as_str(),
    );
    break_it("UPDATE work_runs SET state = 'odd' WHERE ws = ?1 AND work_id = ?2", run.as_str());
    let page = now(world.dormouse.work_list(&me(), WorkFilter::default(), 9, None));
    let page = page.expect("the list");
    let ids: Vec<_> = page.items.iter().map(|one| &one.id).collect();
    assert_eq!((ids, page.damaged.len()), (vec![&run, &well], 2), "{:?}", page.damaged);
    assert!(page.damaged[0].contains(hurt.as_str()), "{:?}", page.damaged);
    // A page of nothing but damage has another one after it.
    let first = now(world.dormouse.work_list(&me(), WorkFilter::default(), 1, None));
    let second = first.expect("a page").next_cursor.expect("another page");
    let second = now(world.dormouse.work_list(&me(), WorkFilter::default(), 1, Some(&second)));
    let second = second.expect("a page");
    assert_eq!((second.items.len(), second.damaged.len()), (0, 1));
    assert!(second.next_cursor.is_some());

    let runs = now(world.dormouse.work_runs(&me(), &run, RunDays::default(), 9, None));
    let runs = runs.expect("its runs");
    assert_eq!((runs.items.len(), runs.damaged.len()), (0, 1));
    let needs = now(world.dormouse.attention_list(&me(), AttentionFilter::default(), 9, None));
    let needs = needs.expect("what needs the person");
    assert_eq!((needs.items.len(), needs.damaged.len()), (1, 1), "{:?}", needs.damaged);
}
