//! A store that breaks a promise is found out.

use std::collections::BTreeSet;

use dormouse_simulation::batch::kinds;
use dormouse_simulation::{Kinds, Mutation, Options, run};

/// A store that nothing was noticed of in so many plays is not found out.
const MOST: u64 = 400;

/// Plays until the store is found out by each of the expected kinds; a seed that shows it does so by
/// chance, and another one does when anything else has changed.
fn found_out(mutation: Mutation, expected: &[&str]) {
    let mut found = BTreeSet::new();
    for from in (1..=MOST).step_by(20) {
        let options =
            Options { from, seeds: 20, threads: 2, mutation: Some(mutation), kinds: Kinds::Agents };
        found.extend(kinds(&run(options).expect("a store")));
        if expected.iter().all(|kind| found.contains(*kind)) {
            return;
        }
    }
    panic!("{expected:?} are not all among {found:?} after {MOST} plays");
}

#[test]
fn a_store_that_looks_at_no_epoch_is_found_out() {
    found_out(Mutation::Epoch, &["epoch"]);
}

#[test]
fn a_journal_without_receipts_is_found_out() {
    found_out(Mutation::Receipts, &["twice", "receipt"]);
}

#[test]
fn proposals_that_never_grow_old_are_found_out() {
    found_out(Mutation::Expiry, &["expiry"]);
}

#[test]
fn a_run_that_is_said_to_hear_what_comes_after_its_claim_is_found_out() {
    found_out(Mutation::Words, &["heard"]);
}

#[test]
fn a_feed_position_ahead_of_its_signals_is_found_out() {
    found_out(Mutation::Feed, &["lost"]);
}

#[test]
fn a_change_that_marks_everybody_is_found_out() {
    found_out(Mutation::Marks, &["marked"]);
}

#[test]
fn a_feed_position_that_goes_back_is_found_out() {
    found_out(Mutation::Back, &["back"]);
}

/// The same for a promise that one oracle alone watches. Besides, the fault may keep a play from its end.
fn found_out_by_one(mutation: Mutation, expected: &str) {
    let mut found = BTreeSet::new();
    for from in (1..=MOST).step_by(20) {
        let kinds_of_plays = Kinds::Agents;
        let mutation = Some(mutation);
        let options = Options { from, seeds: 20, threads: 2, mutation, kinds: kinds_of_plays };
        found.extend(kinds(&run(options).expect("a store")));
        found.remove("endless");
        if !found.is_empty() {
            break;
        }
    }
    assert_eq!(found, BTreeSet::from([expected.to_owned()]));
}

#[test]
fn a_budget_that_is_read_before_the_reservation_is_found_out() {
    found_out_by_one(Mutation::Budget, "spend");
}

#[test]
fn a_part_that_a_provider_does_not_get_back_is_found_out() {
    found_out_by_one(Mutation::Opaque, "opaque");
}

#[test]
fn a_summary_that_claims_a_line_it_does_not_fold_is_found_out() {
    found_out_by_one(Mutation::Fold, "fold");
}

#[test]
fn a_recorded_turn_that_is_requested_again_is_detected() {
    found_out_by_one(Mutation::Turns, "repeat");
}
