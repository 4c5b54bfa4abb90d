//! Runs one command line: a local command with its configuration, a client with a session, and the
//! overview if there is no command. Reports a failure.

use std::io::IsTerminal as _;

use crate::args::Args;
use crate::command::{Command, overview};
use crate::config::Config;
use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::style::Color;
use crate::terminal::{Screen, Settings, Style, line, note};

/// Runs one command and returns its exit code.
pub async fn run(args: Args) -> u8 {
    let config = match Config::read(&args.global) {
        Ok(config) => config,
        Err(failure) => return report(&failure, false, "dormouse"),
    };
    let (is_json, call) = (config.screen.json, config.call.clone());
    let failed = |failure: Failure| report(&failure, is_json, &call);
    let command = match args.command {
        Some(Command::Local(command)) => return command.run(&config).await.unwrap_or_else(failed),
        Some(Command::Client(command)) => Some(command),
        None => None,
    };
    let mut session = match Session::open(config).await {
        Ok(session) => session,
        Err(failure) => return failed(failure),
    };
    let ended = match command {
        Some(command) => command.run(&mut session).await,
        None => overview::run(&mut session).await,
    };
    let mut code = match ended {
        Ok(()) => 0,
        Err(failure) => {
            session.flush();
            failed(failure)
        }
    };
    if !session.flush() {
        code = code.max(1);
    }
    session.finish().await;
    code
}

/// Reports a failure on standard error, and with `--json` also as a body.
fn report(failure: &Failure, is_json: bool, call: &str) -> u8 {
    if is_json && let Some(body) = &failure.body {
        let mut screen = Screen::new(Settings { width: 80, colour: false, json: true });
        screen.body(body);
        // If this cannot be written, standard error below still reports the failure.
        let _reported_below = screen.flush();
    }
    let style = Style::new(std::io::stderr().is_terminal());
    // Suggest commands in the form in which this one was called.
    let as_called = |text: &str| text.replace("`dormouse ", &format!("`{call} "));
    let message = as_called(&line(&failure.message));
    match failure.is_declined {
        true => note(&message),
        false => note(&format!("{} {message}", style.paint(Color::Red, "error:"))),
    }
    for more in &failure.more {
        note(&format!("  {}", line(more)));
    }
    if let Some(hint) = &failure.hint {
        note(&format!("hint: {}", as_called(hint)));
    }
    failure.code
}
