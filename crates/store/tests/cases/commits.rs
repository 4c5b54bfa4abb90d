//! A commit is whole or not at all, and only the writer knows its position, time and database.

use dormouse_store::journal::{row, setting, touched};
use dormouse_store::{
    Audit, ChangeRow, Commit, CommitError, Db, Op, Param, Query, Refusal, Value, change_log, params,
};
use dormouse_types::audit::AuditAction;
use dormouse_types::change::{Change, What};
use dormouse_types::{Actor, EventKind, Id as _, Origin, Seq, TaskId};

use crate::world::{OTHER_WS, WS, World, agent_commit, journal_commit};

each_engine!(
    a_refused_precondition_leaves_nothing,
    a_unique_index_refuses_in_the_words_of_its_op,
    a_broken_statement_leaves_nothing_and_stops_nobody,
    positions_rise_per_workspace_in_commit_order,
    the_writer_binds_position_time_and_database,
    change_rows_come_back_as_they_were_written,
    the_changes_of_a_task_are_those_that_touched_it,
    audit_lines_stand_with_their_commit,
    two_workspaces_do_not_see_each_other,
    the_two_databases_do_not_share_a_commit,
    text_is_ordered_by_its_bytes,
);

fn set(key: &str, value: &str) -> Op {
    setting::put(WS, key, value)
}

fn never() -> Op {
    let sql = "UPDATE settings SET value = 'x' WHERE ws = ?1 AND key = 'not there'";
    Op::one(sql, params![WS.0], Refusal::Missing)
}

fn edited(task: &TaskId, to: &str) -> ChangeRow {
    let what = What::TaskCreated { title: to.to_owned() };
    ChangeRow::journal(Origin::Person { via: None }, vec![task.clone()], vec![what])
}

fn audit(action: AuditAction) -> Audit {
    let (actor, object) = (Actor::Owner, "jt-1".to_owned());
    Audit { actor, action, object, detail: "title".to_owned() }
}

fn a_refused_precondition_leaves_nothing(world: &World) {
    world.journal([set("kept", "1")]);
    let before = world.everything(Db::Journal);
    let task: TaskId = world.id();
    let commit =
        journal_commit([set("kept", "2"), set("new", "3"), touched::insert(WS, &task), never()])
            .change(edited(&task, "New"))
            .audit(audit(AuditAction::TaskEdit));
    assert_eq!(world.refusal(commit), Refusal::Missing);
    assert_eq!(world.everything(Db::Journal), before);

    // A precondition may also come first, and may match more rows than it should.
    world.journal([set("second", "1")]);
    let before = world.everything(Db::Journal);
    let many =
        Op::one("UPDATE settings SET value = 'x' WHERE ws = ?1", params![WS.0], Refusal::Stale);
    assert_eq!(world.refusal(journal_commit([many, set("new", "3")])), Refusal::Stale);
    assert_eq!(world.everything(Db::Journal), before);
}

fn a_unique_index_refuses_in_the_words_of_its_op(world: &World) {
    let insert = |key: &str, refusal| {
        let sql = "INSERT INTO settings (ws, key, value) VALUES (?1, ?2, 'x')";
        Op::one(sql, params![WS.0, key], refusal)
    };
    world.journal([insert("a", Refusal::Exists)]);
    let before = world.everything(Db::Journal);
    let twice = [insert("b", Refusal::Exists), insert("a", Refusal::FeedMoved)];
    assert_eq!(world.refusal(journal_commit(twice)), Refusal::FeedMoved);
    assert_eq!(world.everything(Db::Journal), before);
}

fn a_broken_statement_leaves_nothing_and_stops_nobody(world: &World) {
    let before = world.everything(Db::Journal);
    let wrong = Op::any("INSERT INTO no_such_table (ws) VALUES (?1)", params![WS.0]);
    let error = world.send(journal_commit([set("a", "1"), wrong])).unwrap_err();
    let CommitError::Broken { label, db, detail } = &error else { panic!("{error}") };
    assert_eq!((*label, *db), ("test.journal", "journal"));
    assert!(detail.contains("no_such_table"), "{detail}");
    assert_eq!(error.refusal(), None);
    assert_eq!(world.everything(Db::Journal), before);

    world.journal([set("a", "2")]);
    assert_eq!(world.first(setting::by_key(WS, "a")).as_deref(), Some("2"));
}

fn positions_rise_per_workspace_in_commit_order(world: &World) {
    let commit = |ws| Commit::new("test", Db::Journal, ws).op(setting::put(ws, "k", "v"));
    assert_eq!(world.only(change_log::head(Db::Journal, WS)), Seq(0));
    let mut last = Seq(0);
    for _ in 0..5 {
        let seq = world.apply(commit(WS)).seq;
        assert!(seq > last, "{seq} after {last}");
        assert_eq!(world.only(change_log::head(Db::Journal, WS)), seq);
        world.refusal(commit(WS).op(never()));
        last = seq;
    }
    assert_eq!(world.apply(commit(OTHER_WS)).seq, Seq(1));
    assert_eq!(world.agent([]).seq, Seq(1), "each database counts for itself");
}

fn the_writer_binds_position_time_and_database(world: &World) {
    for db in Db::ALL {
        let table = match db {
            Db::Journal => "INSERT INTO settings (ws, key, value) VALUES (?1, ?2 || '|' || ?3, ?4)",
            Db::Agent => "INSERT INTO texts (ws, sha256, text) VALUES (?1, ?2 || '|' || ?3, ?4)",
        };
        let op =
            Op::one(table, vec![WS.0.into(), Param::Seq, Param::Now, Param::Host], Refusal::Exists);
        world.clock.advance(std::time::Duration::from_secs(60));
        let seq = world.apply(Commit::new("test", db, WS).op(op)).seq;
        let stored = match db {
            Db::Journal => world.raw(db, "SELECT key, value FROM settings"),
            Db::Agent => world.raw(db, "SELECT sha256, text FROM texts"),
        };
        let key = format!("{seq}|{}", dormouse_types::port::Clock::now(&world.clock).micros());
        let host = world.store.host(db).to_string();
        assert_eq!(stored[0].0, [Value::Text(key), Value::Text(host)]);
    }
    assert_ne!(world.store.host(Db::Journal), world.store.host(Db::Agent));
}

fn change_rows_come_back_as_they_were_written(world: &World) {
    let (task, near): (TaskId, TaskId) = (world.id(), world.id());
    let agent = world.id();
    let announced = ChangeRow {
        depth: 2,
        neighbours: vec![near.clone()],
        ..edited(&task, "Plan the \"week\" \u{1F42D}")
    };
    let first = world.apply(journal_commit([]).change(announced.clone())).seq;
    world.apply(journal_commit([set("silent", "1")]));
    world.clock.advance(std::time::Duration::from_secs(1));
    let by_agent = ChangeRow { origin: Origin::Agent { agent }, ..edited(&task, "x") };
    let third = world.apply(journal_commit([]).change(by_agent.clone())).seq;

    let change = |row: &ChangeRow, seq, micros| Change {
        seq,
        origin: row.origin.clone(),
        depth: row.depth,
        touched: row.touched.clone(),
        neighbours: row.neighbours.clone(),
        what: row.what.clone(),
        at: crate::world::at(micros),
    };
    let expected = vec![change(&announced, first, 0), change(&by_agent, third, 1_000_000)];
    assert_eq!(world.all(change_log::after(WS, Seq(0), 10)), expected);
    assert_eq!(world.all(change_log::after(WS, first, 10)), expected[1..]);
    assert_eq!(world.all(change_log::after(WS, Seq(0), 1)), expected[..1]);
    assert_eq!(world.all(change_log::after(WS, third, 10)), []);

    let event =
        ChangeRow::agent(Origin::Import, EventKind::AgentReport, Some(task.clone()), "ar-1");
    world.apply(agent_commit([]).change(event));
    let columns = "SELECT ws, seq, touched, event, subject FROM change_log";
    assert_eq!(
        world.raw(Db::Agent, columns)[0].0,
        [
            Value::Int(WS.0),
            Value::Int(1),
            Value::Text(format!("[\"{task}\"]")),
            "agent:report".into(),
            "ar-1".into()
        ]
    );
}

fn the_changes_of_a_task_are_those_that_touched_it(world: &World) {
    let (task, other): (TaskId, TaskId) = (world.id(), world.id());
    let touch = |tasks: &[&TaskId]| {
        let touched: Vec<TaskId> = tasks.iter().map(|task| (*task).clone()).collect();
        let ops = touched.iter().map(|task| touched::insert(WS, task)).collect::<Vec<_>>();
        let change = ChangeRow { touched, ..edited(&task, "x") };
        world.apply(journal_commit(ops).change(change)).seq
    };
    let first = touch(&[&task]);
    touch(&[&other]);
    let third = touch(&[&task, &other]);
    let fourth = touch(&[&task, &task]);
    let seqs = |from, upto| -> Vec<Seq> {
        let changes = world.all(change_log::of_task(WS, &task, from, upto));
        changes.into_iter().map(|change| change.seq).collect()
    };
    assert_eq!(seqs(Seq(0), fourth), [first, third, fourth]);
    assert_eq!(seqs(first, third), [third], "from is left out, upto is not");
    assert_eq!(seqs(fourth, fourth), []);
}

fn audit_lines_stand_with_their_commit(world: &World) {
    let commit = journal_commit([])
        .audit(audit(AuditAction::TaskEdit))
        .audit(audit(AuditAction::TaskCreate));
    let seq = world.apply(commit).seq;
    let stored = world.raw(Db::Journal, "SELECT * FROM audit_log ORDER BY ws, seq, n");
    let line = |n: i64, action: &str| {
        let now = crate::world::at(0).micros();
        vec![
            Value::Int(WS.0),
            Value::Int(seq.0),
            Value::Int(n),
            "owner".into(),
            action.into(),
            "jt-1".into(),
            "title".into(),
            Value::Int(now),
        ]
    };
    let stored: Vec<_> = stored.into_iter().map(|row| row.0).collect();
    assert_eq!(stored, [line(0, "task.edit"), line(1, "task.create")]);
}

fn two_workspaces_do_not_see_each_other(world: &World) {
    let task: TaskId = world.id();
    let commit = |ws| {
        let ops = [setting::put(ws, "k", &ws.0.to_string()), touched::insert(ws, &task)];
        Commit::new("test", Db::Journal, ws).ops(ops).change(edited(&task, "x"))
    };
    world.apply(commit(WS));
    assert_eq!(world.first(setting::by_key(OTHER_WS, "k")), None);
    assert_eq!(world.all(change_log::after(OTHER_WS, Seq(0), 10)), []);
    assert_eq!(world.all(change_log::of_task(OTHER_WS, &task, Seq(0), Seq(99))), []);
    assert_eq!(world.only(change_log::head(Db::Journal, OTHER_WS)), Seq(0));

    world.apply(commit(OTHER_WS));
    assert_eq!(world.first(setting::by_key(WS, "k")).as_deref(), Some("1"));
    assert_eq!(world.first(setting::by_key(OTHER_WS, "k")).as_deref(), Some("2"));
    assert_eq!(world.all(change_log::after(WS, Seq(0), 10)).len(), 1);

    // The same id may exist in two workspaces; a write to one leaves the other unchanged.
    let category = super::round_trip_journal::category(world, "Home");
    world.apply(Commit::new("test", Db::Journal, WS).op(row::insert(WS, &category)));
    world.apply(Commit::new("test", Db::Journal, OTHER_WS).op(row::insert(OTHER_WS, &category)));
    let by_id = Query {
        db: Db::Journal,
        sql: "SELECT ws FROM journal WHERE id = ?1 ORDER BY ws",
        params: vec![category.id.as_str().into()],
        decode: |row| Ok(row.0[0].clone()),
    };
    assert_eq!(world.all(by_id), [Value::Int(WS.0), Value::Int(OTHER_WS.0)]);
}

fn the_two_databases_do_not_share_a_commit(world: &World) {
    let agent = world.everything(Db::Agent);
    world.journal([set("k", "v")]);
    assert_eq!(world.everything(Db::Agent), agent);
    let error = world.send(agent_commit([set("k", "v")])).unwrap_err();
    assert!(matches!(error, CommitError::Broken { db: "agent", .. }), "{error}");
}

/// Whatever the server's locale, a page that ends at an id continues after it.
fn text_is_ordered_by_its_bytes(world: &World) {
    world.journal(["b", "ä", "A", "a", "_", "B", "a b", "a-a"].map(|key| set(key, "x")));
    let keys = world.raw(Db::Journal, "SELECT key FROM settings ORDER BY key");
    let keys: Vec<_> = keys.iter().map(|row| row.text(0).expect("a key")).collect();
    assert_eq!(keys, ["A", "B", "_", "a", "a b", "a-a", "b", "ä"]);
}
