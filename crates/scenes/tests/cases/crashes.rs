//! Every scene, cut off at every point, comes to the end it has without a crash.

use dormouse_scenes::crash::{self, Seconds};
use dormouse_scenes::scripted_model::PIECE;
use dormouse_scenes::{Scene, scenarios};

/// Of the second crashes after a recovery so many take one; `cargo xtask crash-pairs` takes all.
const SAMPLE: Seconds = Seconds::Sample { one_in: 20, seed: 4 };

#[expect(clippy::print_stdout, reason = "how many points there are, shown by `--nocapture`")]
async fn check(scene: Scene) {
    let verdicts = crash::everywhere(&scene, SAMPLE).await.expect("it plays without a crash");
    println!(
        "{}: {} points; {} of {} pairs ({} in the recovery); {} states; {} lose an answer",
        scene.name,
        verdicts.points,
        verdicts.in_recovery + verdicts.later,
        verdicts.pairs,
        verdicts.in_recovery,
        verdicts.states,
        verdicts.repeated
    );
    assert!(verdicts.later >= 5, "{}: only {} later pairs", scene.name, verdicts.later);
    assert!(verdicts.points >= 20, "{}: only {} points", scene.name, verdicts.points);
    assert!(verdicts.in_recovery >= 20, "{}: recovery did nothing", scene.name);
    assert!(
        verdicts.failures.is_empty(),
        "{} crashes lead elsewhere:\n{}",
        verdicts.failures.len(),
        verdicts.failures.join("\n\n")
    );
}

/// A stream is cut off after any of its pieces, those of calls that fold included, and nothing of it
/// is durable before its end.
#[tokio::test]
async fn nothing_is_written_while_an_answer_streams() {
    for scene in [scenarios::hosted(), scenarios::folded_again()] {
        let (_, cuts) = crash::points(&scene).await.expect("it plays without a crash");
        let is_piece = |cut: &&crash::Cut| cut.snapshot.label == PIECE;
        let n_pieces = cuts.iter().filter(is_piece).count();
        assert!(n_pieces >= 30, "{}: {n_pieces} pieces", scene.name);
        for pair in cuts.windows(2) {
            let [before, after] = pair else { unreachable!("two of them") };
            let both = [before, after].iter().all(is_piece);
            let is_same = before.snapshot.snapshot == after.snapshot.snapshot;
            assert!(!both || is_same, "{}: point {}", scene.name, after.number);
        }
    }
}

/// One test for each scene, so that they run in parallel; a list to find a forgotten one.
macro_rules! crashes {
    ($($test:ident: $scene:ident,)*) => {
        $(
            #[tokio::test]
            async fn $test() {
                check(scenarios::$scene()).await;
            }
        )*

        #[test]
        fn no_scene_is_forgotten() {
            let crashed = [$(scenarios::$scene().name),*];
            let all: Vec<_> = scenarios::all().iter().map(|scene| scene.name).collect();
            assert_eq!(crashed[..], all[..]);
        }
    };
}

crashes! {
    a_crash_changes_no_first_wake: first_wake,
    a_crash_changes_no_incremental_wake: incremental_wake,
    a_crash_does_no_work_where_nothing_changed: nothing_changed,
    a_crash_forgets_no_rejection: rejected,
    a_crash_forgets_no_newer_evidence: newer_evidence,
    a_crash_loses_and_doubles_no_verdict: confirm_undo_confirm,
    a_crash_applies_once_what_a_rule_applies: by_rule,
    a_crash_repeats_no_turn_that_was_recorded: several_turns,
    a_crash_leaves_labels_as_decided: labels,
    a_crash_among_many_verdicts_loses_none: many_at_once,
    a_crash_leaves_deleted_and_paused_as_they_are: come_and_gone,
    a_crash_loses_and_doubles_no_link: linked,
    a_crash_leaves_no_removed_words: forgotten,
    a_crash_counts_no_failure_twice: failing,
    a_crash_counts_nothing_while_a_provider_is_away: provider_away,
    a_crash_costs_at_most_the_call_under_way: hosted,
    a_crash_folds_no_line_twice_and_forgets_none: folded,
    a_crash_leaves_no_removed_line_in_what_is_folded_again: folded_again,
}
