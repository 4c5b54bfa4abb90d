use dormouse_agents::wake::waiting::Scope;
use dormouse_runs::End;
use dormouse_store::{Db, params};
use dormouse_types::model::ProviderUnavailable;
use dormouse_types::port::Clock as _;
use dormouse_types::{AgentId, Id as _, TaskId};

use crate::world::node::{Node, NodeEvent};
use crate::world::{DONE, WS, World, me, now, routine_report};

/// Settles two tasks with their agents, damages a row of the first and changes both tasks. The
/// first agent's run fails visibly, the second one's completes.
fn check(what: &str, damage: impl Fn(&World, &TaskId, &AgentId)) {
    let (world, hurt, hurt_agent) = World::settled();
    let well = world.task("Paint the fence", &["White."]);
    let well_agent = world.create(&well);
    world.script.push(routine_report());
    assert_eq!(world.ends(&well).len(), 1);
    if what == "task" {
        world.note(&hurt, "The van is booked.");
    }
    damage(&world, &hurt, &hurt_agent);
    if what != "task" {
        world.note(&hurt, "The van is booked.");
    }
    world.note(&well, "Two coats.");
    world.later(60);
    world.script.push(routine_report());
    let ran = world
        .drain_scope(&Scope { all_due: true, ..Scope::default() })
        .unwrap_or_else(|error| panic!("{what}: a damaged row stopped everything: {error:?}"));
    let of = |agent: &AgentId| -> Vec<End> {
        ran.iter().filter(|ran| ran.holder == *agent).map(|ran| ran.end.clone()).collect()
    };
    assert_eq!(of(&well_agent), [End::Completed { cut: false }], "{what}");
    let ends = of(&hurt_agent);
    assert!(
        matches!(&ends[..], [End::Failed { error }] if error.contains("cannot be read")),
        "{what}: {ends:?}"
    );
    let run = world.runs(&hurt_agent).remove(0);
    assert_eq!(run.status.name(), "failed", "{what}");
    assert!(run.error.is_some_and(|error| error.contains("cannot be read")), "{what}");
    assert!(world.row(&hurt_agent).owner.is_none(), "{what}: the lease is given back");
}

#[test]
fn a_damaged_row_stops_its_own_agent_visibly_and_nobody_else() {
    check("task", |world, task, _| world.damage(Db::Journal, task.as_str()));
    check("agent", |world, _, agent| world.damage(Db::Agent, agent.as_str()));
    check("state", |world, _, agent| {
        let state = world.state_id(agent);
        world.damage(Db::Agent, &state);
    });
}

/// Two settled agents, and a node that serves them.
fn two() -> (World, [(TaskId, AgentId); 2]) {
    let (world, task, agent) = World::settled();
    let other = world.another("Paint the fence");
    (world, [(task, agent), other])
}

/// The second agent runs for a change as if nothing were wrong; returns what else the node
/// reported.
#[track_caller]
fn check_the_other_runs(world: &World, node: &mut Node, well: &(TaskId, AgentId)) -> Vec<String> {
    world.answers(1);
    world.note_now(&well.0, "Two coats.");
    node.pass_seconds(70);
    let events = node.take();
    let ran =
        |event: &&NodeEvent| matches!(event, NodeEvent::Ran(agent, _, DONE) if *agent == well.1);
    assert_eq!(events.iter().filter(ran).count(), 1, "{events:#?}");
    let failed = |event: NodeEvent| match event {
        NodeEvent::Failed(line) => Some(line),
        NodeEvent::Ran(agent, _, End::Failed { error }) => Some(format!("{agent}: {error}")),
        NodeEvent::Ran(..) | NodeEvent::Recovered(_) => None,
    };
    events.into_iter().filter_map(failed).collect()
}

/// Checks that one line reports the damage, and that it is not repeated.
#[track_caller]
fn check_named_once(events: &[String], words: &[&str]) {
    assert_eq!(events.len(), 1, "{events:#?}");
    assert!(words.iter().all(|word| events[0].contains(word)), "{events:#?}");
}

#[test]
fn a_damaged_row_of_the_queue_stops_its_agent_and_nobody_else() {
    for sql in [
        "UPDATE wake_queue SET due_at = 1, upto = 'nonsense' WHERE ws = ?1 AND agent_id = ?2",
        "UPDATE wake_queue SET due_at = 1, epoch = 'nonsense' WHERE ws = ?1 AND agent_id = ?2",
        "UPDATE wake_queue SET due_at = 1, upto = 'nonsense', priority = 0
         WHERE ws = ?1 AND agent_id = ?2",
    ] {
        let (world, [hurt, well]) = two();
        world.write_directly(Db::Agent, sql, params![WS.0, hurt.1.as_str()]);
        let mut node = world.serve();
        let events = check_the_other_runs(&world, &mut node, &well);
        check_named_once(&events, &["wake queue row", hurt.1.as_str(), "cannot be read"]);
        assert_eq!(world.runs(&hurt.1).len(), 1);
    }
}

#[test]
fn many_damaged_rows_before_all_others_keep_nobody_from_running() {
    let (world, [hurt, well]) = two();
    world.write_directly(
        Db::Agent,
        "WITH RECURSIVE copies(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < 50)
         INSERT INTO wake_queue (ws, agent_id, reasons, first_signal_at, due_at, upto, priority,
           epoch, crashes)
         SELECT ?1, printf('ag-%026d', n), 16, 1, 1, ?2, 0, 0, 0 FROM copies",
        params![WS.0, hurt.1.as_str()],
    );
    let mut node = world.serve();
    let events = check_the_other_runs(&world, &mut node, &well);
    assert_eq!(events.len(), 50, "{events:#?}");
    // A drain of everything due does not stumble over them either.
    world.note(&well.0, "Three coats.");
    world.later(60);
    world.script.push(routine_report());
    assert_eq!(world.drain_due().len(), 1);
}

#[test]
fn a_damaged_row_with_a_lease_keeps_no_other_from_being_taken_over() {
    let (world, [hurt, well]) = two();
    world.model.close();
    for (task, _) in [&hurt, &well] {
        world.note_now(task, "Something happened.");
    }
    let mut node = world.serve();
    node.pass_seconds(2);
    drop(node);
    world.write_directly(
        Db::Agent,
        "UPDATE wake_queue SET upto = 'nonsense' WHERE ws = ?1 AND agent_id = ?2",
        params![WS.0, hurt.1.as_str()],
    );
    world.later(61);
    world.model.open();
    world.answers(1);
    let mut node = world.serve_as(&world.owned_by("other"), Default::default());
    node.pass_seconds(1);
    let events = node.take();
    assert!(matches!(&events[..], [NodeEvent::Recovered(_), NodeEvent::Ran(..)]), "{events:#?}");
    assert_eq!(world.runs(&well.1)[0].status.name(), "completed");
    assert_eq!(world.take_over(), Vec::<String>::new());
}

#[test]
fn a_damaged_timer_keeps_no_other_from_firing() {
    let (world, [hurt, well]) = two();
    let at = world.clock.now() + std::time::Duration::from_secs(60);
    for (_, agent) in [&hurt, &well] {
        now(world.agents.wake_at(WS, agent, Some(at), &me())).expect("set");
    }
    for sql in [
        "UPDATE timers SET kind = 'nonsense' WHERE ws = ?1 AND agent_id = ?2",
        "UPDATE timers SET at = 'nonsense' WHERE ws = ?1 AND agent_id = ?2",
    ] {
        world.write_directly(Db::Agent, sql, params![WS.0, hurt.1.as_str()]);
    }
    world.answers(1);
    let mut node = world.serve();
    node.pass_seconds(60);
    let events = node.take();
    let ran: Vec<_> = events.iter().filter(|event| matches!(event, NodeEvent::Ran(..))).collect();
    assert!(
        matches!(&ran[..], [NodeEvent::Ran(agent, _, DONE)] if *agent == well.1),
        "{events:#?}"
    );
    // The agent itself says why it cannot continue.
    world.note_now(&hurt.0, "Something happened.");
    node.pass_seconds(2);
    let events = node.take();
    let says_why = |event: &NodeEvent| {
        matches!(event, NodeEvent::Ran(agent, _, End::Failed { error })
            if *agent == hurt.1 && error.contains("timer") && error.contains("cannot be read"))
    };
    assert!(events.iter().any(says_why), "{events:#?}");
}

#[test]
fn a_damaged_subscription_keeps_nobody_else_from_hearing() {
    let (world, [hurt, well]) = two();
    world.write_directly(
        Db::Agent,
        "UPDATE subscriptions SET id = 'nonsense' WHERE ws = ?1 AND agent_id = ?2",
        params![WS.0, hurt.1.as_str()],
    );
    let mut node = world.serve();
    world.note_now(&hurt.0, "Nobody hears this.");
    let events = check_the_other_runs(&world, &mut node, &well);
    assert_eq!(events, Vec::<String>::new());
    // A person's request is heard as usual.
    world.answers(1);
    world.wake_now(&hurt.1, None);
    node.settle();
    assert_eq!(node.ran(), [(hurt.1.clone(), DONE)]);
    assert!(world.last_delta().contains("Nobody hears this."));
}

#[test]
fn a_damaged_position_of_the_feed_goes_on_from_the_present() {
    for sql in [
        "UPDATE feed_position SET host = 'nonsense' WHERE ws = ?1",
        "UPDATE feed_position SET seq = 'nonsense' WHERE ws = ?1",
    ] {
        let (world, [hurt, well]) = two();
        world.note_now(&hurt.0, "This fell into the gap.");
        world.write_directly(Db::Agent, sql, params![WS.0]);
        let mut node = world.serve();
        let events = check_the_other_runs(&world, &mut node, &well);
        assert_eq!(events, Vec::<String>::new());
        let row = world.row(&hurt.1);
        assert!(row.due_at.is_none() && row.first_signal_at.is_some(), "it is stale: {row:?}");
        world.answers(1);
        world.note_now(&hurt.0, "And this is heard.");
        node.pass_seconds(2);
        assert_eq!(node.ran(), [(hurt.1.clone(), DONE)]);
        assert!(world.last_delta().contains("This fell into the gap."));
    }
}

#[test]
fn a_damaged_change_stops_the_agent_it_concerns_and_nobody_else() {
    let (world, [hurt, well]) = two();
    world.note_now(&hurt.0, "This is lost.");
    world.write_directly(
        Db::Journal,
        "UPDATE change_log SET what = '{' WHERE ws = ?1 AND seq = (SELECT MAX(seq) FROM change_log)",
        params![WS.0],
    );
    let mut node = world.serve();
    let events = check_the_other_runs(&world, &mut node, &well);
    assert_eq!(events, Vec::<String>::new());
    world.note_now(&hurt.0, "The next one.");
    node.pass_seconds(2);
    let events = node.take();
    let says_why = |event: &NodeEvent| {
        matches!(event, NodeEvent::Ran(agent, _, End::Failed { error })
            if *agent == hurt.1 && error.contains("change") && error.contains("cannot be read"))
    };
    assert!(matches!(&events[..], [one] if says_why(one)), "{events:#?}");
}

#[test]
fn a_damaged_run_that_waits_to_be_resumed_stops_its_agent_and_nobody_else() {
    let (world, [hurt, well]) = two();
    let mut node = world.serve();
    world.model.goes_away(ProviderUnavailable::Outage);
    world.note_now(&hurt.0, "Something happened.");
    node.pass_seconds(2);
    node.take();
    world.model.comes_back();
    world.write_directly(
        Db::Agent,
        "UPDATE wake_run_log SET status = 'nonsense' WHERE ws = ?1 AND agent_id = ?2",
        params![WS.0, hurt.1.as_str()],
    );
    let events = check_the_other_runs(&world, &mut node, &well);
    check_named_once(&events, &[hurt.1.as_str(), "run", "cannot be read"]);
}

#[test]
fn a_row_of_the_queue_without_an_agent_stops_nobody() {
    let (world, [hurt, well]) = two();
    world.write_directly(
        Db::Agent,
        "UPDATE wake_queue SET due_at = 1, priority = 0 WHERE ws = ?1 AND agent_id = ?2",
        params![WS.0, hurt.1.as_str()],
    );
    world.write_directly(
        Db::Agent,
        "DELETE FROM agent_entities WHERE ws = ?1 AND agent_id = ?2",
        params![WS.0, hurt.1.as_str()],
    );
    let mut node = world.serve();
    let events = check_the_other_runs(&world, &mut node, &well);
    check_named_once(&events, &[hurt.1.as_str(), "there is no agent"]);
}
