//! `cargo xtask powercut`: many power cuts under the store, from one seed.

use std::process::ExitCode;

use anyhow::{Context as _, bail};
use dormouse_powercut::{Options, Report, Syncs, run};

/// How the command is called.
pub const USAGE: &str = "\
cargo xtask powercut [--cuts N] [--seed S] [--syncs honest|checkpoint|never]
                             cut the power N times (10000) and look at what is left";

/// Runs the command: red when a promise was broken.
pub fn command(words: &[String]) -> anyhow::Result<ExitCode> {
    let options = options(words)?;
    let report = run(options)?;
    tell(options, &report);
    // So that a run which did next to nothing is not taken for a good one.
    let enough = report.dropping * 4 >= report.cuts && report.due >= report.cuts * 10;
    Ok(if report.broken.is_empty() && enough { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn options(words: &[String]) -> anyhow::Result<Options> {
    let mut options = Options { cuts: 10_000, seed: 1, syncs: Syncs::Honest, threads: 2 };
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let value = words.next().with_context(|| format!("{word} needs a value\n{USAGE}"))?;
        let number = || value.parse().with_context(|| format!("{word} {value} is no number"));
        match word.as_str() {
            "--cuts" => options.cuts = usize::try_from(number()?)?,
            "--seed" => options.seed = number()?,
            "--syncs" => {
                options.syncs = match value.as_str() {
                    "honest" => Syncs::Honest,
                    "checkpoint" => Syncs::AtCheckpoint,
                    "never" => Syncs::Never,
                    other => bail!("--syncs {other} is unknown\n{USAGE}"),
                }
            }
            other => bail!("powercut has no option {other}\n{USAGE}"),
        }
    }
    Ok(options)
}

#[allow(clippy::print_stdout, reason = "a command talks to its terminal")]
fn tell(options: Options, report: &Report) {
    println!(
        "seed {}: {} cuts, {} lost unsynced writes, {} in a checkpoint, {} in an opening; \
         {} commits acknowledged ({} shared a transaction), {} logs begun again, work went on after {} cuts; \
         {} times an acknowledged commit had to be there",
        options.seed,
        report.cuts,
        report.dropping,
        report.in_checkpoint,
        report.in_opening,
        report.acknowledged,
        report.shared,
        report.rewound,
        report.went_on,
        report.due
    );
    if report.broken.is_empty() {
        println!("nothing was lost, halved or damaged");
    } else {
        println!(
            "BROKEN in {} cuts: {:?}\n{}",
            report.broken.len(),
            report.wrongs(),
            report.losses()
        );
    }
}
