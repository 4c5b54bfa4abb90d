//! The cost of an edit does not depend on the number of agents.

use dormouse_store::agent::{feed_position, subscription};
use dormouse_store::{Db, Query, params};
use dormouse_types::{TaskId, WorkspaceId};

use crate::world::{WS, World, now};

/// Edits a task among many workspaces with many subscriptions each: routing makes one index lookup
/// per touched task, and reads only the rows of agents it concerns.
fn one_probe_for_each_touched_task(workspaces: i64, each: i64) {
    let (world, engine) = World::recorded();
    let task = world.task("Move", &["It began."]);
    let agent = world.create(&task);
    let other = world.task("Nobody watches this", &[]);
    world.write_directly(
        Db::Agent,
        "WITH RECURSIVE spaces(w) AS (SELECT 1 UNION ALL SELECT w + 1 FROM spaces WHERE w < ?1),
           copies(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < ?2)
         INSERT INTO subscriptions (ws, task_id, agent_id, id, watch, created_at)
         SELECT w, printf('jt-%026d', n), printf('ag-%026d', n), printf('su-%026d', n), 'own', 0
         FROM spaces, copies",
        params![workspaces, each],
    );
    let count = Query {
        db: Db::Agent,
        sql: "SELECT count(*) FROM subscriptions",
        params: Vec::new(),
        decode: |row| Ok(row.int(0).expect("a number")),
    };
    assert_eq!(now(world.store.first(count)), Ok(Some(workspaces * each + 1)));
    world.route();
    engine.take();

    let probe = subscription::of_task(WS, &task).sql;
    for (edited, watchers) in [(&task, 1), (&other, 0)] {
        world.note_now(edited, "Something happened.");
        engine.take();
        world.route();
        let reads = engine.take();
        let probes: Vec<_> = reads.iter().filter(|(sql, _)| *sql == probe).collect();
        assert_eq!(probes, [&(probe, watchers)], "one touched task, one look");
        let rows: usize = reads.iter().map(|(_, rows)| rows).sum();
        assert!(reads.len() <= 9 && rows <= 9, "{reads:#?}");
    }
    assert!(world.row(&agent).due_at.is_some());
    // The lookup is an index search on both columns.
    let explain = Query {
        db: Db::Agent,
        sql: "EXPLAIN QUERY PLAN SELECT id, agent_id, task_id FROM subscriptions
              WHERE ws = ?1 AND task_id = ?2 ORDER BY agent_id",
        params: subscription::of_task(WS, &task).params,
        decode: |row| Ok(row.text(3).expect("a line of the plan").to_owned()),
    };
    let words = |sql: &str| sql.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(explain.sql), format!("EXPLAIN QUERY PLAN {}", words(probe)), "the same");
    let plan = now(world.store.all(explain)).expect("a plan");
    assert_eq!(plan.len(), 1, "{plan:?}");
    assert!(plan[0].starts_with("SEARCH subscriptions USING INDEX"), "{plan:?}");
    assert!(plan[0].ends_with("(ws=? AND task_id=?)"), "{plan:?}");
    // Changes of one workspace are not searched for in another.
    let elsewhere = WorkspaceId(workspaces);
    let same_task: TaskId = format!("jt-{:026}", 1).parse().expect("an id");
    assert_eq!(now(world.agents.route_feed(elsewhere)).ok(), Some(0));
    assert_eq!(now(world.store.first(feed_position::read(elsewhere))), Ok(None));
    assert_eq!(
        now(world.store.all(subscription::of_task(elsewhere, &same_task))).map(|w| w.len()),
        Ok(1)
    );
}

#[test]
fn an_edit_costs_one_look_for_each_touched_task() {
    one_probe_for_each_touched_task(100, 100);
}

#[test]
fn an_edit_costs_the_same_among_a_million_subscriptions() {
    one_probe_for_each_touched_task(100, 10_000);
}
