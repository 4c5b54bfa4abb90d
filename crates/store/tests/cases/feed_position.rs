//! The feed position moves once from each place.

use dormouse_store::agent::feed_position::{self, Position};
use dormouse_store::{Db, Op, Refusal};
use dormouse_types::{HostId, Seq};

use crate::world::{OTHER_WS, WS, World};

each_engine!(the_position_moves_once_from_where_it_was_read, each_workspace_has_its_position);

fn advance(from: Option<&Position>, to: &Position) -> Op {
    feed_position::advance(WS, from, to)
}

fn the_position_moves_once_from_where_it_was_read(world: &World) {
    let (host, restored): (HostId, HostId) = (world.id(), world.id());
    let agent = Some(world.store.host(Db::Agent));
    let place = |seq| Position { host: host.clone(), seq: Seq(seq), agent: agent.clone() };
    assert_eq!(world.first(feed_position::read(WS)), None);
    let early = advance(Some(&place(0)), &place(1));
    assert_eq!(world.agent_refusal([early]), Refusal::FeedMoved, "nothing was routed yet");
    world.agent([advance(None, &place(3))]);
    assert_eq!(world.agent_refusal([advance(None, &place(4))]), Refusal::FeedMoved);

    world.agent([advance(Some(&place(3)), &place(7))]);
    assert_eq!(world.agent_refusal([advance(Some(&place(3)), &place(9))]), Refusal::FeedMoved);
    assert_eq!(world.only(feed_position::read(WS)), place(7));

    // A node that was overtaken between two reads moves nothing back.
    let back = advance(Some(&place(7)), &place(6));
    assert_eq!(world.agent_refusal([back]), Refusal::FeedMoved);
    assert_eq!(world.only(feed_position::read(WS)), place(7));

    // A restored journal is a different journal: its positions are not comparable.
    let other = Position { host: restored, ..place(7) };
    assert_eq!(world.agent_refusal([advance(Some(&other), &place(9))]), Refusal::FeedMoved);
    world.agent([advance(Some(&place(7)), &Position { seq: Seq(2), ..other.clone() })]);
    assert_eq!(world.only(feed_position::read(WS)), Position { seq: Seq(2), ..other });
}

fn each_workspace_has_its_position(world: &World) {
    let host: HostId = world.id();
    let agent = Some(world.store.host(Db::Agent));
    let place = |seq| Position { host: host.clone(), seq: Seq(seq), agent: agent.clone() };
    world.agent([feed_position::advance(WS, None, &place(3))]);
    world.agent([feed_position::advance(OTHER_WS, None, &place(5))]);
    world.agent([feed_position::advance(OTHER_WS, Some(&place(5)), &place(6))]);
    assert_eq!(world.only(feed_position::read(WS)), place(3));
    assert_eq!(world.only(feed_position::read(OTHER_WS)), place(6));
}
