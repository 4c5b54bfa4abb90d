//! Seeds that must come to a good end.

use dormouse_simulation::{Kinds, Options, play, run};

#[test]
#[expect(clippy::print_stdout, reason = "what the plays saw, shown by `--nocapture`")]
fn five_hundred_plays_break_no_promise() {
    let report =
        run(Options { from: 1, seeds: 500, threads: 2, mutation: None, kinds: Kinds::Agents })
            .expect("a store");
    for (what, count) in report.tally.all() {
        println!("{count:>8} {what}");
    }
    assert!(report.broken.is_empty(), "{}", report.failures());
    assert_eq!((report.plays, report.compared), (500, 5));
    assert_eq!(report.missing(), Vec::<String>::new());
}

/// Nothing below the handler of the second kind knows what its runs do.
#[test]
fn a_second_kind_of_run_keeps_the_same_promises() {
    let kinds = Kinds::AgentsAndChores;
    let report = run(Options { from: 1, seeds: 100, threads: 2, mutation: None, kinds });
    let report = report.expect("a store");
    assert!(report.broken.is_empty(), "{}", report.failures());
    assert_eq!((report.plays, report.compared), (100, 1));
    // Few chores are given up because their nodes died under them again and again.
    let completed = report.tally.of("completed chore");
    assert!(completed > 250, "{completed} of 300 chores were completed");
}

/// Agent work goes through the same: schedules, runs, questions, corrections, and notices to the person.
#[test]
#[expect(clippy::print_stdout, reason = "what the plays saw, shown by `--nocapture`")]
fn agent_work_is_neither_missed_nor_doubled() {
    let (kinds, seeds) = (Kinds::AgentsAndWork, 32);
    let report = run(Options { from: 1, seeds, threads: 2, mutation: None, kinds });
    let report = report.expect("a store");
    for (what, count) in report.tally.all().filter(|(what, _)| what.contains("work")) {
        println!("{count:>8} {what}");
    }
    assert!(report.broken.is_empty(), "{}", report.failures());
    assert_eq!((report.plays, report.compared), (seeds, 1));
    for (what, least) in [
        ("work occurrence", 2_000),
        ("work question", 150),
        ("work succeeded", 60),
        ("work answered", 30),
        ("work corrected", 40),
        ("work cancelled", 15),
        ("work paused or resumed", 10),
        ("work taken over", 30),
        ("work interrupted", 5),
        ("work.expire", 2),
    ] {
        let met = report.tally.of(what);
        assert!(met >= least, "{what}: {met} of at least {least}");
    }
}

#[test]
fn a_seed_is_played_again_to_the_last_byte() {
    let played = play(7, None).expect("a store");
    assert!(played.trace.len() > 50, "{}", played.trace.join("\n"));
    assert_eq!(played, play(7, None).expect("a store"));
    assert_ne!(played.trace, play(8, None).expect("a store").trace);
}

#[test]
fn seeds_that_once_failed_come_to_a_good_end() {
    // (seed, what was wrong)
    let once = [
        (2, "a model was called for an agent that a person saw at rest"),
        (81, "a run took back a proposal that was being applied"),
        (83, "a verdict that was long on its way came after the proposal was over"),
        (95, "an agent fell asleep for a deleted task that was back already"),
        (390, "what came during the first run of an imported agent was left without a due time"),
        (417, "what came during the first run of an imported agent was left without a due time"),
        (491, "an undo that was long on its way also undid the verdict given again meanwhile"),
        (499, "paid calls were switched off by a request that came after the calm"),
        (1014, "a run took back a proposal that was being applied"),
        (1079, "a claim cleared a signal that came after its row was read"),
        (
            4630,
            "a receipt that could not be read was taken for none, and what it applied retracted",
        ),
        (6557, "a task that came back woke an agent that a person had paused"),
    ];
    for (seed, what) in once {
        let played = play(seed, None).expect("a store");
        assert_eq!(played.wrong, None, "seed {seed}, {what}:\n{}", played.trace.join("\n"));
    }
}
