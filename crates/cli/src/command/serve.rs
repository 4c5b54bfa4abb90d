//! `dormouse serve`: the services and the router on one port of this machine.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use clap::Args;
use dormouse::{ServeOptions, Served};
use dormouse_adapters::SystemClock;
use dormouse_server::Door;
use dormouse_types::Id as _;
use dormouse_types::port::Clock as _;
use jiff::tz::TimeZone;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use crate::config::{Config, Serving};
use crate::engine::{Engine, enter};
use crate::failure::Failure;
use crate::folder::Found;
use crate::served::{Notice, Server, token};
use crate::terminal::{Screen, line, moment, note};

/// Wakes agents when their time comes, and answers on a port of this machine. Commands on the same
/// data folder find the server by themselves. Ctrl-C or SIGTERM ends it: runs under way are left to
/// be resumed.
#[derive(Debug, Args)]
pub struct Params {
    /// Where to listen; port 0 takes a free one [default: $DORMOUSE_BIND, else 127.0.0.1:7330]
    #[arg(long, value_name = "ADDRESS")]
    bind: Option<String>,
    /// Wakes at once, 1 to 64 [default: $DORMOUSE_CONCURRENCY, else 3]
    #[arg(long, value_name = "N")]
    concurrency: Option<usize>,
}

/// How long requests may go on after the server was told to stop.
const LAST_REQUESTS: Duration = Duration::from_secs(10);

/// Serves until a signal comes.
///
/// Errors: the folder is served or used already, the store cannot be opened, the port cannot be
/// taken.
pub async fn run(config: &Config, params: &Params) -> Result<(), Failure> {
    let serving = Serving::read(params.bind.as_deref(), params.concurrency)?;
    let stop = stop_signal()
        .map_err(|e| Failure::failed(format!("signals cannot be listened to: {e}")))?;
    let folder = match enter(config).await? {
        Found::Free(folder) => folder,
        Found::Served(server) => return Err(served_already(config, &server)),
    };
    let engine = Engine::start(config, None).await?;
    let listener = TcpListener::bind(serving.bind).await.map_err(|e| no_port(serving.bind, &e))?;
    let address = listener.local_addr().map_err(|e| no_port(serving.bind, &e))?;
    let server = Server {
        pid: std::process::id(),
        address,
        token: token(&*engine.entropy),
        zone: engine.zone.iana_name().unwrap_or("UTC").to_owned(),
    };
    let door = Door::new(&server.token, address.port());
    let router = door.before(engine.router(), engine.dormouse.clone());
    let notice = Notice::put_up(folder.path(), &server).map_err(|e| {
        Failure::failed(format!("{} cannot be written: {e}", config.data.display()))
    })?;
    announce(config, &server)?;

    let http = axum::serve(listener, router).with_graceful_shutdown(stopped(stop.clone()));
    #[expect(clippy::disallowed_methods, reason = "the composition root spawns its services")]
    let http = tokio::spawn(http.into_future());
    let options = ServeOptions { concurrency: serving.concurrency, offset: engine.offset() };
    let zone = engine.zone.clone();
    let mut tell = |event: Served| log(&zone, &told(&event));
    engine.dormouse.serve(options, Box::pin(stopped(stop)), &mut tell).await;
    match tokio::time::timeout(LAST_REQUESTS, http).await {
        Ok(Ok(Ok(()))) => {}
        Ok(Ok(Err(e))) => log(&zone, &format!("the listener failed: {e}")),
        Ok(Err(e)) => log(&zone, &format!("the listener broke: {e}")),
        Err(_elapsed) => {
            let seconds = LAST_REQUESTS.as_secs();
            log(&zone, &format!("requests that took longer than {seconds} s were cut off"));
        }
    }
    log(&zone, "stopped");
    // The folder is let go of last: nobody opens the files before, and the notice of the next server
    // is not taken away.
    drop((notice, engine, folder));
    Ok(())
}

fn announce(config: &Config, server: &Server) -> Result<(), Failure> {
    let (url, data) = (server.url(), config.data.display());
    let mut screen = Screen::new(config.screen);
    screen.say(format!(
        "serving {data} at {url}: commands on this folder find it, other programs need the token \
         in its server.json"
    ));
    if screen.is_json() {
        screen.body(json!({"address": url, "pid": server.pid}).to_string().as_bytes());
    }
    screen.flush().map_err(|e| Failure::failed(format!("the address cannot be written: {e}")))
}

fn served_already(config: &Config, server: &Server) -> Failure {
    let (data, pid, url) = (config.data.display(), server.pid, server.url());
    Failure::failed(format!("{data} is served already, by process {pid} at {url}"))
        .hint(format!("commands use it as it is; `kill {pid}` ends it"))
}

fn no_port(bind: SocketAddr, error: &io::Error) -> Failure {
    Failure::failed(format!("cannot listen on {bind}: {error}"))
        .hint("name another port with --bind, or port 0 for a free one")
}

/// Turns true with the first signal; the second one ends the process.
fn stop_signal() -> io::Result<watch::Receiver<bool>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let (tell, stop) = watch::channel(false);
    #[expect(clippy::disallowed_methods, reason = "the composition root spawns its services")]
    tokio::spawn(async move {
        either(&mut interrupt, &mut terminate).await;
        note("stopping: a second signal ends it at once");
        tell.send_replace(true);
        either(&mut interrupt, &mut terminate).await;
        std::process::exit(1);
    });
    Ok(stop)
}

async fn either(interrupt: &mut Signal, terminate: &mut Signal) {
    tokio::select! {
        biased;
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
    }
}

async fn stopped(mut stop: watch::Receiver<bool>) {
    if stop.wait_for(|stop| *stop).await.is_err() {
        // Whoever listens to signals is gone: then none can come any more.
        std::future::pending::<()>().await;
    }
}

/// One line of the log: the time, and what happened. Ids and states only: what people wrote is not
/// for logs.
fn log(zone: &TimeZone, text: &str) {
    note(&format!("{} {}", moment::second(SystemClock.now(), zone), line(text)));
}

fn told(event: &Served) -> String {
    match event {
        Served::Ran { agent, run_key, status, error } => {
            let (run, agent) = (run_key.as_str().get(..8).unwrap_or_default(), agent.short());
            // Why is a matter between the person and the agent: the error may quote.
            let more = match (*status, error) {
                ("failed", Some(_)) => format!("; `dormouse agent log {agent}` says why"),
                ("queued", Some(_)) => "; it will be resumed".to_owned(),
                ("started", Some(_)) => {
                    "; its lease was lost, and another process goes on with it".to_owned()
                }
                _ => String::new(),
            };
            format!("run {run} of agent {agent}: {status}{more}")
        }
        Served::Recovered(what) => format!("recovered: {what}"),
        Served::Failed(what) => format!("failed, and is tried again: {what}"),
    }
}
