//! Entry point of `cargo xtask`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command talks to its terminal")]

use std::process::ExitCode;

use xtask::{chaos, check, fuzz, kill, powercut, simulate};

const USAGE: &str = "\
cargo xtask check            run every stage that CI runs
cargo xtask check STAGE...   run only these stages";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((command, stages)) = words.split_first() else {
        let more =
            [powercut::USAGE, kill::USAGE, chaos::USAGE, simulate::USAGE, fuzz::USAGE].join("\n");
        println!("{USAGE}\n{more}\nstages: {}", check::names());
        return ExitCode::SUCCESS;
    };
    let done = match command.as_str() {
        "powercut" => Some(powercut::command(stages)),
        "fuzz" => Some(fuzz::command(stages)),
        "kill" => Some(kill::command(stages)),
        "chaos" => Some(chaos::command(stages)),
        "simulate" => Some(simulate::command(stages)),
        "crash-pairs" => Some(simulate::crash_pairs(stages)),
        _ => None,
    };
    if let Some(done) = done {
        return done.unwrap_or_else(|error| {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        });
    }
    if command != "check" {
        let more =
            [powercut::USAGE, kill::USAGE, chaos::USAGE, simulate::USAGE, fuzz::USAGE].join("\n");
        eprintln!("xtask has no command `{command}`\n{USAGE}\n{more}");
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
