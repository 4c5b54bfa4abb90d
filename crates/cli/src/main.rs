//! The command line: configuration, wiring, the folder lock, commands, and text for the terminal.
//!
//! Owns: what is typed and what is shown; reading the environment and files; starting every part.
//! Defends against: two processes writing one folder; a terminal repainted by the text of a note; a
//! decision about something else than what was shown.
//!
//! Does not own: rules about tasks, agents or proposals. A command is a client of the REST API,
//! also when no server runs; `engine` is the one place that knows the parts behind it.
//!
//! Reading order: `args` (what can be typed), `argv` (how it is told apart), `session` (how a command runs), `engine`, `folder` and
//! `served` (who holds the data), `command` (one file for each), `client`, `wait`, `find`,
//! `terminal`.

mod args;
mod argv;
mod config;
mod failure;
#[cfg(feature = "faults")]
mod faults;
mod server_file;
mod folder;
mod terminal;
mod client;
mod engine;
mod sample;
mod wait;
mod stop;
mod session;
mod find;
mod command;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

fn main() -> ExitCode {
    let mut command = args::Args::command();
    command.build();
    let args = args::Args::parse_from(argv::escape_text_arguments(std::env::args_os(), &command));
    // What a room cannot tell its caller, such as a damaged row that a list leaves out, is told
    // beside the answer.
    tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .with_target(false)
        .with_ansi(false)
        .without_time()
        .init();
    // A server answers while an agent thinks; a command does one thing.
    let mut runtime = match args.command {
        Some(args::Command::Serve(_) | args::Command::Bench(_)) => {
            tokio::runtime::Builder::new_multi_thread()
        }
        _ => tokio::runtime::Builder::new_current_thread(),
    };
    let runtime = runtime.enable_all().build();
    match runtime {
        Ok(runtime) => ExitCode::from(runtime.block_on(session::run(args))),
        Err(e) => {
            terminal::note(&format!("error: the program cannot start: {e}"));
            ExitCode::FAILURE
        }
    }
}
