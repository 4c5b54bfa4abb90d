//! Cuts in the middle of work, and what the same cuts do to a store that syncs too little.

use dormouse_powercut::ledger::Wrong;
use dormouse_powercut::{Options, Report, Syncs, run};

fn cut(cuts: usize, syncs: Syncs) -> Report {
    let report = run(Options { cuts, seed: 20, syncs, threads: 2 }).expect("the work is done");
    assert_eq!(report.cuts, cuts);
    // A run that did nothing would find nothing.
    assert!(report.acknowledged * 5 >= cuts, "{} acknowledged", report.acknowledged);
    assert!(report.shared * 10 >= cuts, "{} shared a transaction", report.shared);
    assert!(report.due >= cuts * 10, "{} had to be there", report.due);
    assert!(report.dropping * 4 >= cuts, "{} lost a write", report.dropping);
    assert!(report.in_checkpoint * 50 >= cuts, "{} in a checkpoint", report.in_checkpoint);
    assert!(report.in_opening * 50 >= cuts, "{} in an opening", report.in_opening);
    report
}

#[test]
fn no_cut_loses_halves_or_damages_what_was_acknowledged() {
    let report = cut(500, Syncs::Honest);
    assert!(report.broken.is_empty(), "{}", report.losses());
    assert!(report.rewound >= 2, "{} logs were begun again", report.rewound);
    assert!(report.went_on >= 8, "work went on after {} cuts", report.went_on);
}

#[test]
fn a_store_that_never_syncs_loses_commits_and_files() {
    let wrongs = cut(100, Syncs::Never).wrongs();
    assert!(wrongs.get(&Wrong::Lost).is_some_and(|n| *n >= 10), "{wrongs:?}");
    assert!(wrongs.get(&Wrong::Damaged).is_some_and(|n| *n >= 5), "{wrongs:?}");
}

#[test]
fn a_store_that_syncs_at_checkpoints_only_loses_commits_and_no_files() {
    let wrongs = cut(200, Syncs::AtCheckpoint).wrongs();
    assert!(wrongs.get(&Wrong::Lost).is_some_and(|n| *n >= 10), "{wrongs:?}");
    assert_eq!(wrongs.get(&Wrong::Damaged), None, "{wrongs:?}");
}

#[test]
fn the_same_seed_repeats_the_work_and_what_is_lost() {
    let cut = |seed, threads| {
        run(Options { cuts: 260, seed, syncs: Syncs::AtCheckpoint, threads }).expect("the work")
    };
    let report = cut(4, 1);
    assert!(!report.broken.is_empty());
    assert!(report == cut(4, 2), "the number of threads changes nothing");
    assert!(report != cut(5, 2));
}
