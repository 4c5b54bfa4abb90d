//! A newer version's rows and fields come back byte for byte.

use dormouse_store::agent::agent_entity::Agent;
use dormouse_store::agent::entity;
use dormouse_store::journal::row;
use dormouse_store::journal::task::{self, AggregateRow, Task};
use dormouse_store::{Db, Op, Query, Refusal, params};
use dormouse_types::AgentId;

use crate::world::{WS, World, at};

each_engine!(
    an_entity_of_an_unknown_type_stays_as_it_was,
    an_untouched_document_is_stored_as_its_text,
    a_changed_document_keeps_what_is_unknown,
    a_journal_row_of_an_unknown_type_stays_as_it_was,
);

/// A document as no current code writes it: odd spacing, numbers and escapes.
const SOUL: &str =
    r#"{ "mood" :1.0, "big":1e400,"big":-0, "half":"\ud800", "zero":"\u0000" , "x":[ {} ] }"#;

fn by_hand(id: &str, agent: &AgentId, kind: &str, text: &str) -> Op {
    Op::one(
        "INSERT INTO agent_entities (ws, id, agent_id, type, created_at, updated_at, serialized,
           schema_version, clock_host, clock_counter) VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6, 7, 'ho-x', 9)",
        params![WS.0, id, agent.to_string(), kind, at(1), text],
        Refusal::Exists,
    )
}

fn text_of(world: &World, id: &str) -> String {
    let query = Query {
        db: Db::Agent,
        sql: "SELECT serialized FROM agent_entities WHERE id = ?1",
        params: vec![id.into()],
        decode: |row| Ok(row.text(0).expect("a text").to_owned()),
    };
    world.only(query)
}

/// An agent written by a newer version: extra keys at each level, in a different spelling.
fn newer_agent(world: &World) -> (AgentId, String) {
    let id: AgentId = world.id();
    let state: dormouse_types::StateId = world.id();
    let text = format!(
        r#"{{ "aura" : 1.0, "id":"{id}","agentId":"{id}", "kind":"taskAgent","displayName":"Ann\u00e4",
        "lifecycle":"active","mode":"autonomous","allowedCategoryIds":[],"currentStateId":"{state}",
        "config":{{"pace":1e400, "automation":"off","byName":true, "pace":"\ud800"}},
        "createdAt":"2026-01-05T09:00:00Z","updatedAt":"2026-01-05T09:00:00Z","tail":[1 ,2] }}"#
    );
    (id, text)
}

fn an_entity_of_an_unknown_type_stays_as_it_was(world: &World) {
    let (agent, text) = newer_agent(world);
    world.agent([
        by_hand(&agent.to_string(), &agent, "agent", &text),
        by_hand("so-1", &agent, "soul", SOUL),
    ]);
    let before = world.raw(Db::Agent, "SELECT * FROM agent_entities WHERE type = 'soul'");

    // Known kinds are listed and written around it.
    assert_eq!(world.all(entity::of_kind::<Agent>(WS)).len(), 1);
    assert_eq!(world.all(entity::of_agent::<Agent>(WS, &agent, 9)).len(), 1);
    let mut stored = world.only(entity::by_id::<Agent>(WS, &agent.to_string()));
    stored.doc.value.display_name = "Bea".into();
    world.agent([entity::put(WS, &stored.doc)]);
    let after = world.raw(Db::Agent, "SELECT * FROM agent_entities WHERE type = 'soul'");
    assert_eq!(after, before);

    let columns = "SELECT type, id, agent_id, serialized FROM agent_entities WHERE type = 'soul'";
    let row = world.raw(Db::Agent, columns).remove(0);
    let texts: Vec<&str> = (0..4).map(|n| row.text(n).expect("text")).collect();
    assert_eq!(texts, ["soul", "so-1", &agent.to_string(), SOUL]);
}

fn an_untouched_document_is_stored_as_its_text(world: &World) {
    let (agent, text) = newer_agent(world);
    let id = agent.to_string();
    world.agent([by_hand(&id, &agent, "agent", &text)]);
    let stored = world.only(entity::by_id::<Agent>(WS, &id));
    assert_eq!(stored.doc.value.display_name, "Annä");
    let seq = world.agent([entity::put(WS, &stored.doc)]).seq;
    assert_eq!(text_of(world, &id), text);
    let counter = world.only(entity::by_id::<Agent>(WS, &id)).columns.clock.into_values().next();
    assert_eq!(counter, Some(seq.0), "it was written");
    let version = world.raw(Db::Agent, "SELECT schema_version FROM agent_entities");
    assert_eq!(version[0].int(0), Ok(7), "whose shape it is stays known");
}

fn a_changed_document_keeps_what_is_unknown(world: &World) {
    let (agent, text) = newer_agent(world);
    let id = agent.to_string();
    world.agent([by_hand(&id, &agent, "agent", &text)]);
    let mut doc = world.only(entity::by_id::<Agent>(WS, &id)).doc;
    doc.value.config.by_name = false;
    world.agent([entity::put(WS, &doc)]);
    let after = text_of(world, &id);
    let config = r#""config":{"pace":1e400,"automation":"off","byName":false,"pace":"\ud800""#;
    assert!(after.contains(config), "{after}");
    assert!(after.starts_with(r#"{"aura":1.0,"id":"#), "{after}");
    assert!(after.contains(r#","tail":[1 ,2]"#), "{after}");
    assert!(after.contains(r#""displayName":"Ann\u00e4""#), "{after}");
    assert!(!world.only(entity::by_id::<Agent>(WS, &id)).doc.value.config.by_name);
}

fn a_journal_row_of_an_unknown_type_stays_as_it_was(world: &World) {
    let task = super::round_trip_journal::a_task(world, "Move");
    world.journal([row::insert(WS, &task)]);
    let by_hand = Op::one(
        "INSERT INTO journal (ws, id, type, task_id, created_at, updated_at, revision, serialized,
           clock_host, clock_counter) VALUES (?1, 'dr-1', 'drawing', ?2, ?3, ?3, 1, ?4, 'ho-x', 9)",
        params![WS.0, task.id.to_string(), at(1), SOUL],
        Refusal::Exists,
    );
    world.journal([by_hand]);
    let before = world.raw(Db::Journal, "SELECT * FROM journal WHERE type = 'drawing'");

    let parts = world.all(task::aggregate(WS, &task.id));
    let [AggregateRow::Task(stored)] = &parts[..] else { panic!("only the task is known") };
    let mut doc = stored.doc.clone();
    doc.value = Task { title: "Moved".into(), ..doc.value };
    world.journal([task::guard(WS, &task.id, stored.revision), row::put(WS, &doc)]);
    let after = world.raw(Db::Journal, "SELECT * FROM journal WHERE type = 'drawing'");
    assert_eq!(after, before);
    assert_eq!(after[0].text(10), Ok(SOUL));
}
