//! `cargo xtask kill`: many kills of a server under load, by the test that CI runs with few.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, bail};

use crate::repository;

/// How the command is called.
pub const USAGE: &str = "\
cargo xtask kill [--kills N]  kill a server under load so often (1000) and look at what is left";

/// The test of `crates/cli/tests/cli/kill_serve.rs`.
const TEST: &str = "kill_serve::a_server_that_is_killed_loses_and_doubles_nothing_it_acknowledged";

/// Runs the command: red when a write was lost or doubled, or too little was at stake.
pub fn command(words: &[String]) -> anyhow::Result<ExitCode> {
    let kills: usize = match words {
        [] => 1000,
        [name, n] if name == "--kills" => {
            n.parse().with_context(|| format!("--kills {n} is no number"))?
        }
        _ => bail!("kill does not know {}\n{USAGE}", words.join(" ")),
    };
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let status = Command::new(cargo)
        .args(["test", "--locked", "--package", "dormouse-cli", "--features", "faults"])
        .args(["--test", "cli", "--", "--exact", TEST, "--nocapture"])
        .env("DORMOUSE_KILLS", kills.to_string())
        .current_dir(repository::root())
        .status()
        .context("cargo cannot be started")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
