//! `dormouse serve`: the services and the router on one local port.

use dormouse_types::TokenKind;
use dormouse_types::WorkRunId;
use dormouse_types::agent::RunStatus;
use std::io::{self, IsTerminal as _};
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use clap::Args;
use dormouse::{Caller, ServeEvent, ServeOptions, WORKSPACE};
use dormouse_adapters::SystemClock;
use dormouse_server::{AllowedHosts, Authenticator, Hardening};
use dormouse_types::port::Clock as _;
use jiff::tz::TimeZone;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use serde_json::json;
use tokio::net::TcpListener;

use crate::command::open::link;
use crate::config::{Config, Serving};
use crate::engine::{Engine, open_or_find_server};
use crate::failure::Failure;
use crate::folder::FolderState;
use crate::sample;
use crate::server_file::{Server, ServerFile, token};
use crate::stop;
use crate::terminal::{Screen, line, note, time};

/// Wakes agents when they are due, and serves the app and the API on a local port. Commands on the
/// same data folder find the server automatically. Ctrl-C or SIGTERM stops it; interrupted runs are
/// resumed later.
#[derive(Debug, Args)]
pub struct Params {
    /// The address to listen on; port 0 picks a free port [default: $DORMOUSE_BIND, else
    /// 127.0.0.1:7330]
    #[arg(long, value_name = "ADDRESS")]
    bind: Option<String>,
    /// The https address of a proxy in front of the server [default: $DORMOUSE_PUBLIC_URL]
    #[arg(long, value_name = "HTTPS_URL")]
    public_url: Option<String>,
    /// How many wakes run at once, 1 to 64 [default: $DORMOUSE_CONCURRENCY, else 3]
    #[arg(long, value_name = "N")]
    concurrency: Option<usize>,
    /// Add sample tasks to a workspace without tasks, and print a link to the app
    #[arg(long)]
    demo: bool,
}

/// How long requests may continue after the server begins to stop.
const LAST_REQUESTS: Duration = Duration::from_secs(10);

/// Serves until a signal comes.
///
/// Errors: the folder is already served or in use, the store cannot be opened, or the port is not
/// available.
pub async fn run(config: &Config, params: &Params) -> Result<(), Failure> {
    let serving =
        Serving::read(params.bind.as_deref(), params.public_url.as_deref(), params.concurrency)?;
    raise_open_files();
    let stop = stop::signal("stopping: a second signal stops immediately")
        .map_err(|e| Failure::failed(format!("cannot handle signals: {e}")))?;
    let folder = match open_or_find_server(config).await? {
        FolderState::Free(folder) => folder,
        FolderState::Served(server) => return Err(served_already(config, &server)),
    };
    let engine = Engine::start(config, None).await?;
    let listener = TcpListener::bind(serving.bind).await.map_err(|e| no_port(serving.bind, &e))?;
    let address = listener.local_addr().map_err(|e| no_port(serving.bind, &e))?;
    let server = Server {
        pid: std::process::id(),
        address,
        token: token(&*engine.entropy),
        zone: engine.dormouse.time_zone().iana_name().unwrap_or("UTC").to_owned(),
        public_url: serving.public_url.as_ref().map(ToString::to_string),
    };
    let ours = AllowedHosts::new(address.port(), serving.public_url.clone());
    let hardening = Hardening::new(ours, Arc::new(SystemClock));
    let authenticator = Authenticator::new(&server.token, Arc::new(SystemClock));
    let router = dormouse_server::listener(engine.dormouse.clone(), authenticator, &hardening);
    let notice = ServerFile::write(folder.path(), &server).map_err(|e| {
        Failure::failed(format!("{} cannot be written: {e}", config.data.display()))
    })?;
    if params.demo {
        let n_tasks = sample::fill(&engine).await?;
        if n_tasks > 0 {
            note(&format!(
                "added the sample: {n_tasks} tasks, each with an agent that is reading it now"
            ));
        }
    }
    announce(config, &server, first_link(&engine, &server, params.demo).await?)?;
    if let Ok(models) = engine.dormouse.models(&Caller::owner(WORKSPACE)).await
        && let Some(text) = super::models::found_keys(&models, |text| format!("dormouse {text}"))
    {
        note(&text);
    }

    let http = dormouse_server::listen(listener, router, stop::requested(stop.clone()));
    #[expect(clippy::disallowed_methods, reason = "the composition root spawns its services")]
    let http = tokio::spawn(http);
    let options = ServeOptions { concurrency: serving.concurrency, offset: engine.offset() };
    let zone = || engine.dormouse.time_zone();
    let mut tell = |event: ServeEvent| log(&zone(), &described(&event));
    engine.dormouse.serve(options, Box::pin(stop::requested(stop)), &mut tell).await;
    match tokio::time::timeout(LAST_REQUESTS, http).await {
        Ok(Ok(())) => {}
        Ok(Err(e)) => log(&zone(), &format!("the listener broke: {e}")),
        Err(_elapsed) => {
            let seconds = LAST_REQUESTS.as_secs();
            log(&zone(), &format!("requests that took longer than {seconds} s were cut off"));
        }
    }
    log(&zone(), "stopped");
    // The folder is released last, so that no process opens the files earlier and the next server's
    // file is not removed.
    drop((notice, engine, folder));
    Ok(())
}

/// Raises the limit on open files as far as the system allows, because each connection needs one.
fn raise_open_files() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current != maximum
        && setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum }).is_err()
    {
        note("the limit on open files cannot be raised: with very many connections some will wait");
    }
}

/// A link that signs a browser in, if none has signed in yet or a terminal is attached.
///
/// Errors: the store cannot be read or written.
async fn first_link(
    engine: &Engine,
    server: &Server,
    is_wanted: bool,
) -> Result<Option<String>, Failure> {
    let (dormouse, owner) = (&engine.dormouse, Caller::owner(WORKSPACE));
    let failed = |e: dormouse::Error| {
        Failure::failed(dormouse.writing_ended().unwrap_or_else(|| e.problem().detail))
    };
    let tokens = dormouse.list_tokens(&owner).await.map_err(failed)?;
    let is_known = tokens.iter().any(|token| token.is_live && token.kind == TokenKind::Person);
    if is_known && !is_wanted && !std::io::stdout().is_terminal() {
        return Ok(None);
    }
    let code = dormouse.new_code(&owner).await.map_err(failed)?;
    Ok(Some(link(server, &code)))
}

fn announce(config: &Config, server: &Server, link: Option<String>) -> Result<(), Failure> {
    let (url, data) = (server.url(), config.data.display());
    let mut screen = Screen::new(config.screen);
    screen.say(format!(
        "serving {data} at {url}: commands on this folder find it, other programs need a token \
         (`dormouse token create`)"
    ));
    if let Some(link) = &link {
        screen.say(format!("the page, once and within 10 minutes: {link}"));
    }
    if screen.is_json() {
        let body = json!({"address": url, "pid": server.pid, "link": link});
        screen.body(body.to_string().as_bytes());
    }
    screen.flush().map_err(|e| Failure::failed(format!("cannot write the address: {e}")))
}

fn served_already(config: &Config, server: &Server) -> Failure {
    let (data, pid, url) = (config.data.display(), server.pid, server.url());
    Failure::failed(format!("{data} is already served by process {pid} at {url}"))
        .hint(format!("commands already use it; `kill {pid}` stops it"))
}

fn no_port(bind: SocketAddr, error: &io::Error) -> Failure {
    Failure::failed(format!("cannot listen on {bind}: {error}"))
        .hint("choose another port with --bind, or port 0 for a free one")
}

/// Writes a log line: the time and what happened. Only ids and states: what people wrote does not
/// belong in logs.
fn log(zone: &TimeZone, text: &str) {
    note(&format!("{} {}", time::second(SystemClock.now(), zone), line(text)));
}

fn described(event: &ServeEvent) -> String {
    match event {
        ServeEvent::Ran { holder, status, error, .. } if WorkRunId::try_from(holder).is_ok() => {
            let more = match (*status, error) {
                (RunStatus::Failed, Some(_)) => "; `dormouse work list` shows which, and why",
                (status, Some(_)) => continued(status),
                _ => "",
            };
            format!("run {} of agent work: {status}{more}", holder.short())
        }
        ServeEvent::Cancelled { holder, .. } if WorkRunId::try_from(holder).is_ok() => {
            format!("run {} of agent work: cancelled", holder.short())
        }
        ServeEvent::Cancelled { holder, run_key } => {
            let run = run_key.as_str().get(..8).unwrap_or_default();
            format!("run {run} of agent {}: cancelled", holder.short())
        }
        ServeEvent::Ran { holder, run_key, status, error } => {
            let (run, agent) = (run_key.as_str().get(..8).unwrap_or_default(), holder.short());
            // The reason stays out of the log, because the error may quote private text.
            let more = match (*status, error) {
                (RunStatus::Failed, Some(_)) => format!("; `dormouse agent log {agent}` shows why"),
                (status, Some(_)) => continued(status).to_owned(),
                _ => String::new(),
            };
            format!("run {run} of agent {agent}: {status}{more}")
        }
        ServeEvent::Recovered(what) => format!("recovered: {what}"),
        ServeEvent::Failed(what) => format!("failed, will retry: {what}"),
    }
}

/// What happens to a run that an error stopped.
const fn continued(status: RunStatus) -> &'static str {
    match status {
        RunStatus::Queued => "; it will be resumed",
        RunStatus::Started => "; its lease was lost, and another process continues it",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_log_tells_runs_of_agents_from_those_of_agent_work() {
        let ran = |holder: &str, status, error: Option<&str>| {
            let holder = holder.parse().expect("an id");
            let run_key = dormouse_types::RunKey("b3a1f0c2".repeat(8));
            described(&ServeEvent::Ran { holder, run_key, status, error: error.map(str::to_owned) })
        };
        let cancelled = |holder: &str| {
            let holder = holder.parse().expect("an id");
            let run_key = dormouse_types::RunKey("b3a1f0c2".repeat(8));
            described(&ServeEvent::Cancelled { holder, run_key })
        };
        let id = "01m85e8m0d57w5j4bqbp0ya19s";
        let (agent, work) = (format!("ag-{id}"), format!("run-{id}"));
        assert_eq!(
            [
                ran(&agent, RunStatus::Completed, None),
                ran(&agent, RunStatus::Failed, Some("private")),
                ran(&work, RunStatus::Completed, None),
                ran(&work, RunStatus::Failed, Some("private")),
                ran(&work, RunStatus::Queued, Some("private")),
                cancelled(&agent),
                cancelled(&work),
            ],
            [
                "run b3a1f0c2 of agent ya19s: completed",
                "run b3a1f0c2 of agent ya19s: failed; `dormouse agent log ya19s` shows why",
                "run ya19s of agent work: completed",
                "run ya19s of agent work: failed; `dormouse work list` shows which, and why",
                "run ya19s of agent work: queued; it will be resumed",
                "run b3a1f0c2 of agent ya19s: cancelled",
                "run ya19s of agent work: cancelled",
            ]
        );
    }
}
