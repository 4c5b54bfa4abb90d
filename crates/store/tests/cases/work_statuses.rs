//! What the status of agent work was after any commit, until the change rows of that time are trimmed.

use dormouse_store::agent::work::status;
use dormouse_types::work::WorkStatus::{Completed, Paused, Pending, Running};
use dormouse_types::{Seq, WorkId};

use crate::world::{WS, World};

each_engine! {
    each_change_is_found_with_the_status_before_it,
}

fn each_change_is_found_with_the_status_before_it(world: &World) {
    let (work, other): (WorkId, WorkId) = (world.id(), world.id());
    let seqs: Vec<Seq> = [Pending, Running, Paused, Completed]
        .into_iter()
        .map(|before| {
            world.agent([status::replaced(WS, &other, before)]);
            world.agent([status::replaced(WS, &work, before)]).seq
        })
        .collect();
    let between = |from, upto| -> Vec<_> {
        let found = world.all(status::replaced_between(WS, &work, [from, upto]));
        found.into_iter().map(|(seq, before)| (seq, before.name())).collect()
    };
    let all =
        [(seqs[0], "pending"), (seqs[1], "running"), (seqs[2], "paused"), (seqs[3], "completed")];
    assert_eq!(between(Seq(0), seqs[3]), all);
    assert_eq!(between(Seq(0), Seq(0)), all[..1], "the one that comes next says what it was");
    assert_eq!(between(seqs[0], seqs[1]), all[1..3]);
    assert_eq!(between(seqs[3], seqs[3]), [], "after the last one it is as in its row");
    // Of one commit the first counts: what it was before that.
    let twice = [status::replaced(WS, &work, Pending), status::replaced(WS, &work, Running)];
    let last = world.agent(twice).seq;
    assert_eq!(between(seqs[3], last), [(last, "pending")]);
    world.agent([status::trim(WS, seqs[1])]);
    assert_eq!(between(seqs[1], seqs[3]), [all[2], all[3], (last, "pending")]);
    assert_eq!(between(Seq(0), seqs[0]), all[2..3], "what is left is true of all that is left");
}
