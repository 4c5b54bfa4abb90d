//! `cargo xtask fuzz`: each parser on inputs made from the samples, by the tests that CI runs with few.

use std::ffi::OsString;
use std::process::{Command, ExitCode};

use anyhow::{Context as _, bail};

use crate::repository;

/// How the command is called.
pub const USAGE: &str = "\
cargo xtask fuzz [--seconds N]
                             try each parser on made inputs for so long (600); part of a release";

/// How long each target runs for a release. Units: seconds.
const FOR_A_RELEASE: u64 = 600;

/// Runs the command: red when a parser panics or loses a line.
pub fn command(words: &[String]) -> anyhow::Result<ExitCode> {
    let seconds = seconds(words)?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"));
    let status = Command::new(cargo)
        .args(["test", "--locked", "--package", "dormouse-formats", "--test", "formats", "fuzz::"])
        .env("DORMOUSE_FUZZ_SECONDS", seconds.to_string())
        .current_dir(repository::root())
        .status()
        .context("cargo cannot be started")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn seconds(words: &[String]) -> anyhow::Result<u64> {
    match words {
        [] => Ok(FOR_A_RELEASE),
        [name, n] if name == "--seconds" => {
            n.parse().with_context(|| format!("--seconds {n} is no number"))
        }
        _ => bail!("fuzz does not know {}\n{USAGE}", words.join(" ")),
    }
}

#[test]
fn ten_minutes_are_the_gate_and_a_shorter_time_can_be_chosen() {
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    assert_eq!(seconds(&[]).ok(), Some(600));
    assert_eq!(seconds(&words(&["--seconds", "5"])).ok(), Some(5));
    assert!(seconds(&words(&["--seconds", "soon"])).is_err());
    assert!(seconds(&words(&["5"])).is_err());
}
