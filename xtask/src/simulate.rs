//! `cargo xtask simulate`: the whole runtime under many seeds, and `cargo xtask crash-pairs`: every
//! scene with two crashes, at every pair of points.

use std::future::Future;
use std::pin::pin;
use std::process::ExitCode;
use std::task::{Context, Poll, Waker};

use anyhow::{Context as _, bail};
use dormouse_scenes::crash::{self, Seconds};
use dormouse_scenes::scenarios;
use dormouse_simulation::{Kinds, Options, Played, Report, play_of, run};

/// How the commands are called.
pub const USAGE: &str = "\
cargo xtask simulate [--kinds agents|all|work] [--seeds N] [--from S] [--threads T]
                             play the whole runtime under N seeds (10000)
cargo xtask simulate [--kinds agents|all|work] --seed S
                             play one seed, and print what happened in it; `all` has a second kind
                             of run besides the agents, `work` has agent work
cargo xtask crash-pairs [WORD]
                             crash every scene, or those with this word in their name, at every
                             pair of points";

/// Runs `simulate`: red when a promise was broken, or when the plays say too little.
pub fn command(words: &[String]) -> anyhow::Result<ExitCode> {
    let mut options =
        Options { from: 1, seeds: 10_000, threads: 2, mutation: None, kinds: Kinds::Agents };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let value = words.next().with_context(|| format!("{word} needs a value\n{USAGE}"))?;
        if word == "--kinds" {
            options.kinds = match value.as_str() {
                "agents" => Kinds::Agents,
                "all" => Kinds::AgentsAndChores,
                "work" => Kinds::AgentsAndWork,
                other => bail!("--kinds {other}: say agents, all or work"),
            };
            continue;
        }
        let number = value.parse().with_context(|| format!("{word} {value} is no number"))?;
        match word.as_str() {
            "--seeds" => options.seeds = number,
            "--from" => options.from = number,
            "--threads" => options.threads = usize::try_from(number)?,
            "--seed" => return Ok(one(&play_of(options.kinds, number, None)?)),
            other => bail!("simulate has no option {other}\n{USAGE}"),
        }
    }
    let report = run(options)?;
    tell(options, &report);
    // With agent work the model is built in: nothing is folded, paid for or cut off.
    let is_work = options.kinds == Kinds::AgentsAndWork;
    let enough = options.seeds < 100 || is_work || report.missing().is_empty();
    let good = report.broken.is_empty() && enough;
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[allow(clippy::print_stdout, reason = "a command talks to its terminal")]
fn one(played: &Played) -> ExitCode {
    for line in &played.trace {
        println!("{line}");
    }
    match &played.wrong {
        Some(wrong) => {
            println!("seed {}: {wrong}", played.seed);
            ExitCode::FAILURE
        }
        None => {
            println!("seed {}: every promise was kept", played.seed);
            ExitCode::SUCCESS
        }
    }
}

#[allow(clippy::print_stdout, reason = "a command talks to its terminal")]
fn tell(options: Options, report: &Report) {
    for (what, count) in report.tally.all() {
        println!("{count:>9} {what}");
    }
    println!(
        "seeds {} to {}: {} plays, {} of them twice",
        options.from,
        options.from + options.seeds - 1,
        report.plays,
        report.compared
    );
    for missing in report.missing() {
        println!("too little happened: {missing}");
    }
    match report.broken.len() {
        0 => println!("every promise was kept"),
        n => println!("BROKEN in {n} plays\n{}", report.failures()),
    }
}

/// Runs `crash-pairs`: red when a pair of crashes leads elsewhere.
#[allow(clippy::print_stdout, reason = "a command talks to its terminal")]
pub fn crash_pairs(words: &[String]) -> anyhow::Result<ExitCode> {
    let word = words.first().map_or("", String::as_str);
    let mut n_failures = 0;
    let (mut singles, mut pairs, mut states) = (0, 0, 0);
    for scene in scenarios::all().iter().filter(|scene| scene.name.contains(word)) {
        let verdicts = at_once(crash::everywhere(scene, Seconds::All))?;
        println!(
            "{}: {} points, {} pairs, {} states, {} lead elsewhere",
            scene.name,
            verdicts.points,
            verdicts.pairs,
            verdicts.states,
            verdicts.failures.len()
        );
        for failure in verdicts.failures.iter().take(5) {
            println!("{failure}\n");
        }
        singles += verdicts.points;
        pairs += verdicts.pairs;
        states += verdicts.states;
        n_failures += verdicts.failures.len();
    }
    println!("{singles} points, {pairs} pairs, {states} states, {n_failures} lead elsewhere");
    let good = n_failures == 0 && pairs > 0;
    Ok(if good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The value of a future that waits for nobody: a store in memory answers inside of the call.
fn at_once<T>(future: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => bail!("a scene waits for something that never comes"),
    }
}
