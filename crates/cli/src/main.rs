//! The command line: configuration, wiring, the folder lock, commands, and terminal output.
//!
//! Owns: arguments and output; reading the environment and files; starting every part. Defends
//! against: two processes writing to one folder; escape sequences in a note that repaint the
//! terminal; a decision on something other than what was shown.
//!
//! Does not own: rules about tasks, agents or proposals. A command is a client of the REST API,
//! even if no server runs; only `engine` knows the parts that answer it.
//!
//! Reading order: `args` (arguments), `argv` (how they are parsed), `dispatch` (which command runs,
//! and how it ends), `session` (the context of a client), `engine`, `models` (providers,
//! keys and prices), `folder` and `server_file` (who
//! holds the data), `command` (one file each), `client`, `pages`, `wait`, `find`, `dates`, `terminal`.

mod args;
mod argv;
mod values;
mod failure;
mod input;
mod key_variables;
mod config;
#[cfg(feature = "faults")]
mod faults;
mod server_file;
mod folder;
mod terminal;
mod client;
mod pages;
mod models;
mod sealing_key;
mod engine;
mod sample;
mod wait;
mod stop;
mod session;
mod find;
mod dates;
mod command;
mod dispatch;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use crate::command::{Command, Local};

fn main() -> ExitCode {
    let mut command = args::Args::command();
    command.build();
    let args = args::Args::parse_from(argv::escape_text_arguments(std::env::args_os(), &command));
    let is_server = matches!(args.command, Some(Command::Local(Local::Serve(_) | Local::Bench(_))));
    // Warnings that a room cannot return to its caller, such as a damaged row that a list omits,
    // are printed alongside the answer. A command itself says what its agents wait for.
    let held = if is_server { LevelFilter::WARN } else { LevelFilter::ERROR };
    let shown = Targets::new().with_default(LevelFilter::WARN).with_target("dormouse::held", held);
    let lines = tracing_subscriber::fmt()
        .with_writer(std::io::stderr)
        .with_max_level(LevelFilter::WARN)
        .with_target(false)
        .with_ansi(false)
        .without_time();
    lines.finish().with(shown).init();
    // A server has to respond while agents run; a command does one thing.
    let mut runtime = match is_server {
        true => tokio::runtime::Builder::new_multi_thread(),
        false => tokio::runtime::Builder::new_current_thread(),
    };
    let runtime = runtime.enable_all().build();
    match runtime {
        Ok(runtime) => ExitCode::from(runtime.block_on(dispatch::run(args))),
        Err(e) => {
            terminal::note(&format!("error: the program cannot start: {e}"));
            ExitCode::FAILURE
        }
    }
}
