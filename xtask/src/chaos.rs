//! `cargo xtask chaos`: many takeovers between nodes on one Postgres, by the test that CI runs with
//! few.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, bail};

use crate::repository;

/// How the command is called.
pub const USAGE: &str = "\
cargo xtask chaos [--takeovers N] [--seed S]
                             let nodes on one Postgres fail until that many runs were taken over
                             (2000); a seed draws the same faults, and the machine their moments";

/// The test of `crates/cli/tests/cli/chaos.rs`.
const TEST: &str = "chaos::nodes_that_fail_together_with_their_database_write_nothing_stale";

/// Runs the command: red when something stale was written, a write was lost or doubled, or too
/// little was at stake.
pub fn command(words: &[String]) -> anyhow::Result<ExitCode> {
    let (takeovers, seed) = options(words)?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let mut test = Command::new(cargo);
    test.args(["test", "--locked", "--package", "dormouse-cli", "--features", "faults"])
        .args(["--test", "cli", "--", "--exact", TEST, "--nocapture"])
        .env("DORMOUSE_TAKEOVERS", takeovers.to_string())
        .current_dir(repository::root());
    if let Some(seed) = seed {
        test.env("DORMOUSE_SEED", seed.to_string());
    }
    let status = test.status().context("cargo cannot be started")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn options(words: &[String]) -> anyhow::Result<(usize, Option<u64>)> {
    let (mut takeovers, mut seed) = (2000, None);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let value = words.next().with_context(|| format!("{word} needs a value\n{USAGE}"))?;
        let wrong = || format!("{word} {value} is no number");
        match word.as_str() {
            "--takeovers" => takeovers = value.parse().with_context(wrong)?,
            "--seed" => seed = Some(value.parse().with_context(wrong)?),
            other => bail!("chaos has no option {other}\n{USAGE}"),
        }
    }
    Ok((takeovers, seed))
}
