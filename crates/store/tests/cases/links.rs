//! Two ends and a type have at most one live link.

use dormouse_store::agent::entity;
use dormouse_store::agent::link::{self, Link};
use dormouse_store::agent::report::{self, ReportHead};
use dormouse_store::{Db, Op, Refusal, params};
use dormouse_types::agent::{AgentLinkKind, ReportScope};
use dormouse_types::closed_list::Listed;
use dormouse_types::{AgentId, Id as _, LinkId, ReportHeadId, ReportId, TaskId};

use crate::world::{OTHER_WS, WS, World, at};

each_engine!(
    every_kind_of_link_is_found_from_both_ends,
    an_existing_link_is_not_doubled,
    a_link_is_made_again_after_its_end,
    newest_links_come_first,
    reports_of_a_linked_task_come_newest_link_first_then_by_the_smaller_link_id,
);

fn link(
    world: &World,
    from: &str,
    kind: impl Into<Listed<AgentLinkKind>>,
    to: &str,
    micros: i64,
) -> Link {
    let id: LinkId = world.id();
    Link { kind: kind.into(), ..Link::new(id, from, to, AgentLinkKind::Task, at(micros)) }
}

fn insert(world: &World, link: &Link) {
    world.agent([link::insert(WS, link)]);
}

fn every_kind_of_link_is_found_from_both_ends(world: &World) {
    let newer = Listed::Other("a kind of a later version".to_owned());
    let kinds = AgentLinkKind::ALL.iter().map(|kind| Listed::from(*kind)).chain([newer]);
    for (n, kind) in kinds.enumerate() {
        let (from, to) = (format!("from-{n}"), format!("to-{n}"));
        let made = link(world, &from, kind, &to, 1);
        insert(world, &made);
        assert_eq!(world.all(link::from(WS, &from)), std::slice::from_ref(&made));
        assert_eq!(world.all(link::to(WS, &to)), [made]);
        assert_eq!(world.all(link::from(WS, &to)), []);
        assert_eq!(world.all(link::to(WS, &from)), []);
        assert_eq!(world.all(link::from(OTHER_WS, &from)), []);
        assert_eq!(world.all(link::to(OTHER_WS, &to)), []);
    }
}

fn an_existing_link_is_not_doubled(world: &World) {
    let first = link(world, "a", AgentLinkKind::Task, "b", 1);
    insert(world, &first);
    let again = link(world, "a", AgentLinkKind::Task, "b", 2);
    insert(world, &again);
    assert_eq!(world.all(link::from(WS, "a")), std::slice::from_ref(&first));
    assert_eq!(world.raw(Db::Agent, "SELECT id FROM agent_links").len(), 1);

    for other in [
        link(world, "b", AgentLinkKind::Task, "a", 3),
        link(world, "a", AgentLinkKind::State, "b", 3),
        link(world, "a", AgentLinkKind::Task, "c", 3),
    ] {
        insert(world, &other);
    }
    assert_eq!(world.raw(Db::Agent, "SELECT id FROM agent_links").len(), 4);
    let same_id = Link { to_id: "d".into(), ..first };
    assert_eq!(world.agent_refusal([link::insert(WS, &same_id)]), Refusal::Exists);
}

fn a_link_is_made_again_after_its_end(world: &World) {
    let first = link(world, "a", AgentLinkKind::Task, "b", 1);
    let state = link(world, "a", AgentLinkKind::State, "c", 1);
    insert(world, &first);
    insert(world, &state);
    world.agent([link::delete_from(WS, "a", AgentLinkKind::Task, at(5))]);
    assert_eq!(world.all(link::from(WS, "a")), std::slice::from_ref(&state));
    assert_eq!(world.all(link::to(WS, "b")), []);

    let second = link(world, "a", AgentLinkKind::Task, "b", 7);
    insert(world, &second);
    assert_eq!(world.all(link::to(WS, "b")), std::slice::from_ref(&second));
    assert_eq!(world.all(link::from(WS, "a")), [second, state]);
    let rows = world.raw(Db::Agent, "SELECT id FROM agent_links WHERE to_id = 'b'");
    assert_eq!(rows.len(), 2, "the history stays");
}

fn newest_links_come_first(world: &World) {
    let old = link(world, "a", AgentLinkKind::ToolEffect, "x", 1);
    let tie = link(world, "a", AgentLinkKind::ToolEffect, "y", 2);
    let tied = link(world, "a", AgentLinkKind::ToolEffect, "z", 2);
    for one in [&tied, &old, &tie] {
        insert(world, one);
    }
    assert_eq!(world.all(link::from(WS, "a")), [tie, tied, old]);
}

fn reports_of_a_linked_task_come_newest_link_first_then_by_the_smaller_link_id(world: &World) {
    let task: TaskId = world.id();
    // Letters of both cases: only the order of bytes is the same on every engine.
    let links = [("b", 2), ("B", 2), ("a", 2), ("newest", 3), ("oldest", 1)];
    let mut agents = Vec::new();
    for (id, micros) in links {
        let agent: AgentId = world.id();
        let head = ReportHead {
            id: world.id::<ReportHeadId>(),
            agent_id: agent.clone(),
            scope: ReportScope::Current.into(),
            report_id: world.id::<ReportId>(),
            tldr: None,
            created_at: at(1),
            updated_at: at(1),
            deleted_at: None,
        };
        let made = link(world, agent.as_str(), AgentLinkKind::Task, task.as_str(), micros);
        let rename = Op::any(
            "UPDATE agent_links SET id = ?2 WHERE ws = ?1 AND from_id = ?3",
            params![WS.0, id, agent.to_string()],
        );
        world.agent([link::insert(WS, &made), rename, entity::insert(WS, &head)]);
        agents.push((id, agent));
    }
    let heads = world.all(report::heads_of_tasks(WS, &[task]));
    let name = |head: report::TaskHead| {
        let agent = head.head.expect("readable").doc.value.agent_id;
        agents.iter().find(|(_, known)| *known == agent).map(|(id, _)| *id)
    };
    let order: Vec<_> = heads.into_iter().filter_map(name).collect();
    assert_eq!(order, ["newest", "B", "a", "b", "oldest"]);
}
