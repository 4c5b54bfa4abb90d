//! `dormouse doctor`: checks the data folder, even while a server runs or if nothing else starts;
//! and continues without a missing database if the user says so.

use std::io;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use clap::{Args, ValueEnum};
use dormouse::Db;
use dormouse::view::{Diagnosis, FileLook, Severity};
use dormouse_adapters::SystemClock;
use dormouse_types::Timestamp;
use dormouse_types::port::Clock as _;
use jiff::tz::TimeZone;

use crate::client::Client;
use crate::config::Config;
use crate::engine::{Engine, open_or_find_server};
use crate::failure::Failure;
use crate::folder::FolderState;
use crate::server_file::Server;
use crate::terminal::style::Color;
use crate::terminal::{Screen, line, note, time};

/// Checks every file of the data folder completely and reports what needs your attention. The exit
/// code is 1 if anything does. After a damaged page was found, Dormouse does not start again until
/// both databases have passed this check.
#[derive(Debug, Args)]
pub struct Params {
    /// Continue without this database, which is missing and cannot be restored: a new, empty one is
    /// created, and what only it held is lost for good
    #[arg(long, value_name = "DATABASE")]
    accept_missing: Option<Missing>,
}

/// A database that is missing.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Missing {
    /// The tasks, and everything else you wrote
    Journal,
    /// The agents, their reports and proposals
    Agent,
}

impl Missing {
    fn db(self) -> Db {
        match self {
            Self::Journal => Db::Journal,
            Self::Agent => Db::Agent,
        }
    }
}

/// The files of a data folder.
const FILES: &[&str] = &[
    ".",
    "journal.sqlite",
    "journal.sqlite-wal",
    "agent.sqlite",
    "agent.sqlite-wal",
    "lock",
    "server.json",
    "damaged",
];
/// Files that give their reader full access.
const SECRET: &[&str] = &["server.json"];
/// Units: bytes. With less free space than this, a commit may soon fail.
const SCARCE: u64 = 100 * 1024 * 1024;

/// Runs the checks, prints the diagnosis and returns the exit code.
///
/// Errors: the database to continue without is not missing, or the folder cannot be used.
pub async fn run(config: &Config, params: &Params) -> Result<u8, Failure> {
    if let Some(missing) = params.accept_missing {
        let _folder = match &config.database {
            Some(_) => None,
            None => Some(match open_or_find_server(config).await? {
                FolderState::Free(folder) => folder,
                FolderState::Served(server) => return Err(served(config, &server)),
            }),
        };
        Engine::start_without(missing.db(), config).await?;
        note(&format!("created a new, empty {} database", missing.db().name()));
    }
    let mut diagnosis = diagnose(config, SystemClock.now());
    if let Some(why) = server_trouble(config).await {
        diagnosis
            .problem(format!("the server of this folder is not ready: {why}"), "start it again");
    }
    Ok(print_all(config, diagnosis))
}

fn served(config: &Config, server: &Server) -> Failure {
    let (data, pid) = (config.data.display(), server.pid);
    Failure::failed(format!("{data} is served, by process {pid}"))
        .hint(format!("`kill {pid}` first"))
}

/// The reason the folder's server reports for not being ready, if there is one.
async fn server_trouble(config: &Config) -> Option<String> {
    let server = crate::server_file::read(&config.data)?;
    Client::of(server).trouble().await
}

fn print_all(config: &Config, mut diagnosis: Diagnosis) -> u8 {
    diagnosis.findings.sort_by_key(|finding| finding.severity);
    let mut screen = Screen::new(config.screen);
    match serde_json::to_vec(&diagnosis) {
        Ok(body) if screen.is_json() => screen.body(&body),
        Ok(_) => {
            let good = match config.database {
                Some(_) => "Nothing in the data folder needs you.",
                None => "Nothing needs you.",
            };
            print(&mut screen, &diagnosis, &config.zone, good);
        }
        Err(e) => note(&format!("error: cannot write the diagnosis: {e}")),
    }
    if let Err(e) = screen.flush() {
        note(&format!("error: cannot write the diagnosis: {e}"));
        return 1;
    }
    u8::from(diagnosis.needs_the_person())
}

fn diagnose(config: &Config, now: Timestamp) -> Diagnosis {
    let folder = &config.data;
    let mut diagnosis = Diagnosis {
        folder: folder.display().to_string(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        at: now,
        ..Diagnosis::default()
    };
    if config.database.is_some() {
        diagnosis.note(
            "the tasks are in the database that DORMOUSE_DATABASE_URL names, which was not checked; \
             this is about the data folder alone",
        );
    }
    if !folder.is_dir() && config.database.is_some() {
        return diagnosis;
    }
    if !folder.is_dir() {
        let action =
            "name it with --data DIR or DORMOUSE_DATA; any other command creates a new one";
        diagnosis.problem(format!("there is no data folder {}", folder.display()), action);
        return diagnosis;
    }
    for name in FILES {
        match file(folder, name) {
            Ok(found) => diagnosis.files.extend(found),
            Err(e) => {
                let path = folder.join(name);
                let action = "check the owner and the permissions of the data folder";
                diagnosis.problem(format!("cannot inspect {}: {e}", path.display()), action);
            }
        }
    }
    modes(folder, &mut diagnosis);
    match rustix::fs::statvfs(folder) {
        Ok(disk) => {
            let free = disk.f_bavail.saturating_mul(disk.f_frsize);
            diagnosis.disk_free_bytes = Some(free);
            if free < SCARCE {
                let action = "free some space: a change that cannot be written is refused";
                diagnosis.problem(format!("only {} are free on the disk", size(free)), action);
            }
        }
        Err(e) => diagnosis.note(format!("the free space on the disk is unknown: {e}")),
    }
    let has_file = diagnosis.files.iter().any(|file| file.name.ends_with(".sqlite"));
    if config.database.is_none() && !has_file {
        diagnosis.note("there is no database yet: the first command creates it");
    }
    dormouse::doctor::examine(folder, &mut diagnosis);
    diagnosis
}

/// Describes a file; `None` if it does not exist.
fn file(folder: &Path, name: &str) -> io::Result<Option<FileLook>> {
    match std::fs::metadata(folder.join(name)) {
        Ok(found) => Ok(Some(FileLook {
            name: name.to_owned(),
            mode: format!("{:04o}", found.permissions().mode() & 0o7777),
            bytes: found.len(),
        })),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e),
    }
}

/// Other users could read the contents of a folder they may enter.
fn modes(folder: &Path, diagnosis: &mut Diagnosis) {
    let open =
        |file: &FileLook| u32::from_str_radix(&file.mode, 8).is_ok_and(|mode| mode & 0o077 != 0);
    let shown: Vec<String> = diagnosis
        .files
        .iter()
        .filter(|file| file.name == "." || SECRET.contains(&file.name.as_str()))
        .filter(|file| open(file))
        .map(|file| file.name.clone())
        .collect();
    for name in shown {
        let path = if name == "." { folder.to_owned() } else { folder.join(&name) };
        let (what, path) = if name == "." { ("entered", path) } else { ("read", path) };
        diagnosis.problem(
            format!("{} may be {what} by others", path.display()),
            format!("chmod go-rwx {}", path.display()),
        );
    }
}

fn print(screen: &mut Screen, diagnosis: &Diagnosis, zone: &TimeZone, good: &str) {
    let style = screen.style();
    let at = |at| time::minute(at, zone);
    screen.say(style.bold(&format!("dormouse {}, {}", diagnosis.version, line(&diagnosis.folder))));
    for database in &diagnosis.databases {
        let host = database.host_id.as_deref().unwrap_or("no host id");
        screen.say(format!(
            "  {:<8} schema {} of {}, SQLite {}, {}, synchronous {}, {}",
            line(&database.name),
            database.schema,
            database.known_schema,
            line(&database.sqlite),
            line(&database.journal_mode),
            line(&database.synchronous),
            line(host),
        ));
    }
    for file in &diagnosis.files {
        screen.say(style.dim(&format!("  {} {:>10}  {}", file.mode, size(file.bytes), file.name)));
    }
    if let Some(free) = diagnosis.disk_free_bytes {
        screen.say(format!("  disk     {} free", size(free)));
    }
    if let (Some(head), Some(routed)) = (diagnosis.journal_head, diagnosis.routed_upto) {
        let after = diagnosis.changes_to_route.unwrap_or(0);
        screen.say(format!("  changes  {head}, routed to agents up to {routed}; {after} pending"));
    }
    if let Some(queue) = &diagnosis.queue {
        let mut parts = vec![format!(
            "{} wait, {} of them due, {} at work, {} of them silent",
            queue.waiting, queue.due, queue.running, queue.expired
        )];
        parts.extend(queue.oldest_due_at.map(|due| format!("the first due since {}", at(due))));
        parts.extend(queue.next_due_at.map(|due| format!("the next at {}", at(due))));
        parts.extend(queue.held_by.as_deref().map(|name| format!("held by {}", line(name))));
        screen.say(format!("  queue    {}", parts.join("; ")));
    }
    screen.say("");
    for finding in &diagnosis.findings {
        let word = match finding.severity {
            Severity::Problem => style.paint(Color::Red, "problem:"),
            Severity::Note => style.paint(Color::Yellow, "note:"),
        };
        screen.say(format!("{word} {}", line(&finding.message)));
        if let Some(action) = &finding.action {
            screen.say(format!("  {}", line(action)));
        }
    }
    if !diagnosis.needs_the_person() {
        screen.say(style.paint(Color::Green, good));
    }
}

/// Formats a number of bytes for people.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 4] = ["kB", "MB", "GB", "TB"];
    let (mut value, mut unit) = (bytes, "B");
    for next in UNITS {
        if value < 10_000 {
            break;
        }
        (value, unit) = (value / 1024, next);
    }
    format!("{value} {unit}")
}
