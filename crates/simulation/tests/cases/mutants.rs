//! A store that breaks a promise is found out.

use dormouse_simulation::batch::kinds;
use dormouse_simulation::{Options, Sabotage, run};

/// Plays until the store is found out by one of the expected kinds.
fn found_out(sabotage: Sabotage, seeds: u64, expected: &[&str]) {
    let options = Options { from: 1, seeds, threads: 2, sabotage: Some(sabotage) };
    let report = run(options).expect("a store");
    let kinds = kinds(&report);
    eprintln!("{:?}", report.broken.iter().map(|b| (b.seed, b.wrong.clone())).collect::<Vec<_>>());
    for kind in expected {
        assert!(kinds.contains(*kind), "{kind} not among {kinds:?}");
    }
}

#[test]
fn a_store_that_looks_at_no_epoch_is_found_out() {
    found_out(Sabotage::Epoch, 60, &["epoch"]);
}

#[test]
fn a_journal_without_receipts_is_found_out() {
    found_out(Sabotage::Receipts, 60, &["twice", "receipt"]);
}

#[test]
fn proposals_that_never_grow_old_are_found_out() {
    found_out(Sabotage::Expiry, 400, &["expiry"]);
}

#[test]
fn a_feed_position_ahead_of_its_signals_is_found_out() {
    found_out(Sabotage::Feed, 60, &["lost"]);
}
