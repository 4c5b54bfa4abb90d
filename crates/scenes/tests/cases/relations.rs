//! After one wake the agent's relations exist, and lead to something.

use dormouse::WORKSPACE;
use dormouse_scenes::tables::Dump;
use dormouse_scenes::{World, scenarios};
use dormouse_store::agent::link::{self, Link};
use dormouse_store::{Db, Value};
use dormouse_types::agent::AgentLinkKind;

/// Every id that a row of a table has.
fn ids(dump: &Dump, db: Db, table: &'static str) -> Vec<String> {
    let rows = dump.tables.get(&(db, table)).expect("a known table");
    rows.iter()
        .filter_map(|row| match row.iter().find(|(column, _)| column == "id") {
            Some((_, Value::Text(id))) => Some(id.clone()),
            _ => None,
        })
        .collect()
}

async fn from(world: &World, id: &str, kind: AgentLinkKind) -> Vec<Link> {
    let links = world.store.all(link::from(WORKSPACE, id)).await.expect("links");
    links.into_iter().filter(|link| link.kind == kind && link.deleted_at.is_none()).collect()
}

async fn only(world: &World, id: &str, kind: AgentLinkKind) -> String {
    let links = from(world, id, kind).await;
    assert_eq!(links.len(), 1, "{kind} of {id}: {links:#?}");
    links[0].to_id.clone()
}

#[tokio::test]
async fn after_one_wake_every_relation_exists_and_resolves() {
    let world = World::played(&scenarios::first_wake()).await.expect("the scene plays");
    let dump = Dump::of(&world.store).await.expect("every row");
    let mut known = ids(&dump, Db::Agent, "agent_entities");
    known.extend(ids(&dump, Db::Journal, "journal"));
    let agent = world.agent("move").await.expect("an agent");
    let id = agent.id.to_string();

    let task = world.task_id("move").expect("a task").to_string();
    assert_eq!(only(&world, &id, AgentLinkKind::Task).await, task);
    assert!(known.contains(&only(&world, &id, AgentLinkKind::State).await));
    assert!(known.contains(&only(&world, &id, AgentLinkKind::ReportHead).await));

    // From the newest message back to the first, each with its payload.
    let messages =
        world.dormouse.messages(&world.me, &agent.id, None, 1000).await.expect("messages");
    let newest = only(&world, &id, AgentLinkKind::HeadMessage).await;
    let mut at = Some(newest.clone());
    let mut seen = Vec::new();
    while let Some(message) = at {
        assert!(known.contains(&message));
        assert!(known.contains(&only(&world, &message, AgentLinkKind::MessagePayload).await));
        let before = from(&world, &message, AgentLinkKind::MessagePrev).await;
        assert!(before.len() <= 1, "{before:#?}");
        at = before.into_iter().next().map(|link| link.to_id);
        seen.push(message);
    }
    assert_eq!(seen.len(), messages.len(), "the chain leads through every message");

    let report = world.dormouse.report(&world.me, &agent.id).await.expect("readable");
    let report = report.expect("a report").id.to_string();
    let span = from(&world, &report, AgentLinkKind::ReportSourceSpan).await;
    let mut ends: Vec<_> = span.into_iter().map(|link| link.to_id).collect();
    ends.sort();
    let mut expected = vec![seen[seen.len() - 1].clone(), newest];
    expected.sort();
    assert_eq!(ends, expected, "from the first message of the run to the last");

    for link in dump.tables.get(&(Db::Agent, "agent_links")).expect("links") {
        for end in ["from_id", "to_id"] {
            let id = link.iter().find(|(column, _)| column == end).map(|(_, value)| value.clone());
            let Some(Value::Text(id)) = id else { panic!("{end} is text") };
            assert!(known.contains(&id), "{end} {id} leads nowhere");
        }
    }
}
