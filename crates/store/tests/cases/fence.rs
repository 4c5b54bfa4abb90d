//! An owner that lost its lease writes nothing to the journal.

use dormouse_store::Refusal;
use dormouse_store::journal::{fence, setting};

use crate::world::{OTHER_WS, WS, World, journal_commit};

each_engine!(a_lower_epoch_is_refused_with_all_it_brings, each_holder_has_its_fence);

fn a_lower_epoch_is_refused_with_all_it_brings(world: &World) {
    let write = |epoch, value: &str| {
        journal_commit(fence::pass(WS, "agent", epoch)).op(setting::put(WS, "k", value))
    };
    world.apply(write(3, "first"));
    world.apply(write(3, "again"));
    // A takeover raises the fence alone.
    world.journal(fence::pass(WS, "agent", 5));
    for stale in [0, 3, 4] {
        assert_eq!(world.refusal(write(stale, "stale")), Refusal::Fenced, "{stale}");
    }
    assert_eq!(world.first(setting::by_key(WS, "k")).as_deref(), Some("again"));
    assert_eq!(world.only(fence::of(WS, "agent")), 5);
    world.apply(write(5, "the new owner"));
    assert_eq!(world.first(setting::by_key(WS, "k")).as_deref(), Some("the new owner"));
}

fn each_holder_has_its_fence(world: &World) {
    world.journal(fence::pass(WS, "one", 9));
    world.journal(fence::pass(WS, "two", 1));
    world.journal(fence::pass(OTHER_WS, "one", 2));
    let of = |ws, holder| world.first(fence::of(ws, holder));
    assert_eq!(
        [of(WS, "one"), of(WS, "two"), of(OTHER_WS, "one"), of(WS, "three")],
        [Some(9), Some(1), Some(2), None]
    );
}
