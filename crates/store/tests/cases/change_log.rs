//! Change rows: several per commit, and trimming old ones.

use std::time::Duration;

use dormouse_store::change_log::{self, ChangeNotice};
use dormouse_store::journal::setting;
use dormouse_store::{ChangeRow, Commit, Db, Refusal, params};
use dormouse_types::closed_list::Listed;
use dormouse_types::port::Clock as _;
use dormouse_types::{Origin, Seq};

use crate::world::{WS, World, at};

each_engine!(
    each_row_of_a_commit_has_a_position_of_its_own,
    a_refused_commit_takes_no_position,
    old_rows_go_when_enough_newer_ones_are_there_and_nobody_wants_them,
);

fn event(kind: &str) -> ChangeRow {
    ChangeRow::agent(Origin::Import, Listed::named(kind), None, "subject")
}

fn announced(world: &World) -> Vec<(i64, String)> {
    let rows = world.all(change_log::notices_after(Db::Agent, WS, Seq(0), 100));
    rows.into_iter()
        .map(|ChangeNotice { seq, event, .. }| {
            (seq.0, event.map_or_else(String::new, |kind| kind.name().to_owned()))
        })
        .collect()
}

fn each_row_of_a_commit_has_a_position_of_its_own(world: &World) {
    let commit = || Commit::new("test", Db::Agent, WS);
    let many = commit().change(event("a")).changes([event("b"), event("c")]);
    assert_eq!(world.apply(many).seq, Seq(1), "what it writes has its first position");
    assert_eq!(world.apply(commit().change(event("d"))).seq, Seq(4));
    assert_eq!(world.apply(commit()).seq, Seq(5), "a commit that tells nothing takes one too");
    let rows = [(1, "a"), (2, "b"), (3, "c"), (4, "d")];
    assert_eq!(announced(world), rows.map(|(seq, kind)| (seq, kind.to_owned())));
    assert_eq!(world.all(change_log::head(Db::Agent, WS)), [Seq(5)]);
}

fn a_refused_commit_takes_no_position(world: &World) {
    let sql = "UPDATE counters SET seq = seq WHERE ws = ?1";
    let op = dormouse_store::Op { sql, params: params![-1], rows: 1..=1, refusal: Refusal::Stale };
    let refused =
        Commit::new("test", Db::Agent, WS).op(op).change(event("a")).changes([event("b")]);
    assert_eq!(world.refusal(refused), Refusal::Stale);
    let next = Commit::new("test", Db::Agent, WS).change(event("c")).changes([event("d")]);
    assert_eq!(world.apply(next).seq, Seq(1));
    assert_eq!(announced(world), [(1, "c".to_owned()), (2, "d".to_owned())]);
}

fn old_rows_go_when_enough_newer_ones_are_there_and_nobody_wants_them(world: &World) {
    let change = || ChangeRow::journal(Origin::Import, Vec::new(), Vec::new());
    let mut seqs = Vec::new();
    for n in 0..6 {
        let op = setting::put(WS, "key", &n.to_string());
        seqs.push(world.apply(Commit::new("set", Db::Journal, WS).op(op).change(change())).seq);
        world.clock.advance(Duration::from_secs(1));
    }
    let last = |time, kept, upto: Seq| {
        world.all(change_log::last_before(Db::Journal, WS, at(time), kept, upto))
    };
    let all = Seq(i64::MAX);
    let now = world.clock.now().micros() - at(0).micros();
    assert_eq!(last(now, 0, all), [seqs[5]]);
    assert_eq!(last(3_000_000, 0, all), [seqs[2]], "older than that time");
    assert_eq!(last(now, 4, all), [seqs[1]], "four newer ones stay");
    assert_eq!(last(now, 0, seqs[3]), [seqs[3]], "not after a given position");
    assert_eq!(last(now, 6, all), []);
    assert_eq!(last(0, 0, all), []);

    let oldest = |expected: Seq, time| {
        assert_eq!(world.all(change_log::oldest(Db::Journal)), [(WS, expected, at(time))]);
    };
    oldest(seqs[0], 0);
    assert_eq!(world.all(change_log::trimmed(Db::Journal, WS)), []);
    let trim = |upto| Commit::new("trim", Db::Journal, WS).ops(change_log::trim(WS, upto));
    world.apply(trim(seqs[1]));
    world.apply(trim(seqs[2]));
    oldest(seqs[3], 3_000_000);
    assert_eq!(world.all(change_log::trimmed(Db::Journal, WS)), [seqs[2]]);
    let left = world.all(change_log::positions_after(WS, Seq(0), 10));
    assert_eq!(left, seqs[3..]);

    // When two nodes trim at once, the later commit may come from the one with the lower position.
    for (upto, mark) in [(100, 100), (90, 100), (9, 100), (101, 101)] {
        world.apply(trim(Seq(upto)));
        let trimmed = world.all(change_log::trimmed(Db::Journal, WS));
        assert_eq!(trimmed, [Seq(mark)], "after {upto}");
    }
}
