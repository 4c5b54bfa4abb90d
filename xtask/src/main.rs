//! Entry point of `cargo xtask`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command talks to its terminal")]

use std::process::ExitCode;

use xtask::{check, powercut};

const USAGE: &str = "\
cargo xtask check            run every stage that CI runs
cargo xtask check STAGE...   run only these stages";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((command, stages)) = words.split_first() else {
        println!("{USAGE}\n{}\nstages: {}", powercut::USAGE, check::names());
        return ExitCode::SUCCESS;
    };
    if command == "powercut" {
        return powercut::command(stages).unwrap_or_else(|error| {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        });
    }
    if command != "check" {
        eprintln!("xtask has no command `{command}`\n{USAGE}\n{}", powercut::USAGE);
        return ExitCode::from(2);
    }
    if let Some(unknown) = stages.iter().find(|name| check::stage(name).is_none()) {
        eprintln!("check has no stage `{unknown}`; its stages are: {}", check::names());
        return ExitCode::from(2);
    }
    match check::run(stages) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
