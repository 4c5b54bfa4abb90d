//! The log of agent work when rows of it are damaged, and from more than one node.

use dormouse::dates::Wording;
use dormouse::view::LogLineKind;
use dormouse::{Dormouse, DrainScope, NewWork};
use dormouse_store::{Commit, Db, Op, Query, params};
use dormouse_testkit::scripted::Answer;
use dormouse_types::WorkId;
use serde_json::{Value, json};

use crate::world::{World, me, now};

/// Work whose run calls two tools in each of two turns, and ended.
fn ended(world: &World) -> WorkId {
    let list = || ("list_agent_work", json!({ "from": "2026-03-01", "to": "2026-03-02" }));
    let read = || ("read_task_log", json!({}));
    world.script.push(Answer::calls([list(), read()]).and_goes_on());
    let finish = json!({ "outcome": "done", "summary": "Looked." });
    world.script.push(Answer::calls([list(), ("finish", finish)]));
    let new = NewWork {
        title: "Look".into(),
        instructions: Some("Look around.".into()),
        ..NewWork::default()
    };
    let work = now(world.dormouse.create_work(&me(), new, Wording::default(), None));
    let work = work.expect("work");
    world.drain_scope(DrainScope { all_due: true, ..DrainScope::default() }).expect("a drain");
    work.id
}

fn file(dormouse: &Dormouse, work: &WorkId) -> Vec<String> {
    let mut file = now(dormouse.work_log_file(&me(), work, None, None)).expect("a file");
    let mut lines = Vec::new();
    while let Some(line) = now(file.next()).expect("a line") {
        lines.push(line);
    }
    lines
}

fn kinds(lines: &[String]) -> Vec<String> {
    let kind = |line: &String| {
        let line: Value = serde_json::from_str(line).expect("JSON");
        line.get("event").unwrap_or(&line["type"]).as_str().expect("a kind").to_owned()
    };
    lines.iter().map(kind).collect()
}

#[test]
fn every_node_gives_the_same_bytes() {
    let world = World::new();
    let work = ended(&world);
    let other = world.another_node("Asia/Tokyo");
    let lines = file(&world.dormouse, &work);
    world.later(3600);
    assert_eq!(file(&other, &work), lines);
    assert_eq!(kinds(&lines), ["meta", "run_started", "turn", "turn", "run_ended"]);
}

#[test]
fn a_row_that_cannot_be_read_is_reported_in_its_place_and_hides_no_other() {
    let kinds_of = [("thought", 4), ("action", 4), ("toolResult", 4)];
    for (kind, n_turn_lines) in kinds_of {
        let world = World::new();
        let work = ended(&world);
        let sound = now(world.dormouse.work_log(&me(), &work, 9, None)).expect("a page").items;
        let ids: Vec<String> = now(world.store.all(Query {
            db: Db::Agent,
            sql: "SELECT id FROM agent_entities WHERE type = 'agentMessage' AND subtype = ?1
                  ORDER BY created_at, id",
            params: vec![kind.into()],
            decode: |row| Ok(row.text(0).expect("an id").to_owned()),
        }))
        .expect("messages");
        let damage = Op::any(
            "UPDATE agent_entities SET serialized = '{' WHERE ws = ?1 AND id = ?2",
            params![1, ids[0].as_str()],
        );
        now(world.store.commit(Commit::new("test", Db::Agent, me().workspace).op(damage)))
            .expect("damaged");
        let lines = file(&world.dormouse, &work);
        let found = kinds(&lines);
        let reported: Vec<usize> =
            (0..found.len()).filter(|place| found[*place] == "damaged").collect();
        assert_eq!(reported.len(), 1, "{kind}: {lines:?}");
        assert!(reported[0] <= 3, "{kind}: it is with its turn: {found:?}");
        assert!(lines[reported[0]].contains(ids[0].as_str()), "{kind}: {lines:?}");
        assert_eq!(found.iter().filter(|it| *it == "turn").count(), 2, "{kind}: {found:?}");
        assert_eq!(found.last().map(String::as_str), Some("run_ended"));

        let page = now(world.dormouse.work_log(&me(), &work, 9, None)).expect("a page");
        assert_eq!(page.damaged.len(), 1, "{kind}");
        let n_calls = |lines: &[dormouse::view::WorkLogLine]| {
            lines.iter().filter(|line| line.kind == LogLineKind::Call).count()
        };
        assert_eq!(n_calls(&sound), n_turn_lines);
        assert_eq!(n_calls(&page.items), n_turn_lines, "{kind}: every call is still there");
        let results = page.items.iter().filter(|line| line.kind == LogLineKind::Result).count();
        assert_eq!(results, if kind == "toolResult" { 3 } else { 4 }, "{kind}");
    }
}

#[test]
fn a_run_whose_row_cannot_be_read_keeps_no_other_from_being_shown() {
    let world = World::new();
    let work = ended(&world);
    let finish = json!({ "outcome": "no_op", "summary": "Nothing." });
    world.script.push(Answer::calls([("finish", finish)]));
    now(world.dormouse.run_work(&me(), &work, None)).expect("a run");
    world.drain_scope(DrainScope { all_due: true, ..DrainScope::default() }).expect("a drain");
    let damage = Op::any("UPDATE work_runs SET state = 'odd' WHERE ws = ?1 AND n = 1", params![1]);
    now(world.store.commit(Commit::new("test", Db::Agent, me().workspace).op(damage)))
        .expect("damaged");
    let lines = file(&world.dormouse, &work);
    assert_eq!(kinds(&lines), ["meta", "damaged", "run_started", "turn", "run_ended"]);
    assert!(lines[1].contains("\"run\":1"), "{lines:?}");
    let page = now(world.dormouse.work_log(&me(), &work, 9, None)).expect("a page");
    assert_eq!(page.items[0].kind, LogLineKind::Damaged);
    assert_eq!(page.items.len(), 5, "{:?}", page.items);
}
