//! `dormouse bench`: what the program costs, compared with a bare loop that writes the same rows.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use dormouse_bench::machine::Machine;
use dormouse_bench::{log, memory, recurrence, route, start, wake};
use serde::Serialize;

use crate::config::{Config, DatabaseUrl};
use crate::failure::Failure;
use crate::terminal::table::{Fit, Table};
use crate::terminal::{Screen, note};

/// Uses new folders, never the data folder; `wake` with a database URL uses new schemas and removes
/// them. docs/performance.md explains the figures and how they are measured.
#[derive(Debug, Args)]
pub struct Params {
    #[command(subcommand)]
    what: What,
    /// Where to create the folders, on a disk and not in memory [default: the system's temporary
    /// folder]
    #[arg(long, global = true, value_name = "DIR")]
    folder: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Wakes per second compared with a bare loop that writes the same rows, and how long a report
    /// takes
    Wake {
        /// Concurrent wakes in each node
        #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1,8,64")]
        agents: Vec<usize>,
        /// Turns per wake, 1 to 3
        #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "1,3")]
        turns: Vec<u32>,
        /// Wakes per sample
        #[arg(long, value_name = "N", default_value_t = 256)]
        wakes: usize,
        /// Alternating samples of product and loop; the medians are reported
        #[arg(long, value_name = "N", default_value_t = 7)]
        samples: usize,
        /// Nodes that share the work on Postgres (with --database-url)
        #[arg(long, value_name = "N,…", value_delimiter = ',')]
        nodes: Vec<usize>,
    },
    /// The cost of finding the agents an edit concerns, among few agents and many
    Match {
        /// Sleeping agents
        #[arg(
            long,
            value_name = "N,…",
            value_delimiter = ',',
            default_value = "1000,100000,1000000"
        )]
        agents: Vec<usize>,
        /// Edits to route
        #[arg(long, value_name = "N", default_value_t = 200)]
        edits: usize,
    },
    /// Time from program start to the first claim, among many sleeping agents
    ColdStart {
        /// Sleeping agents
        #[arg(long, value_name = "N", default_value_t = 1_000_000)]
        agents: usize,
        /// Starts; the medians are reported
        #[arg(long, value_name = "N", default_value_t = 5)]
        samples: usize,
    },
    /// What a sleeping agent costs in memory and on disk
    Memory {
        /// Sleeping agents
        #[arg(long, value_name = "N", default_value_t = 1_000_000)]
        agents: usize,
    },
    /// Occurrences of schedules per second, and what the next one costs in the tenth year
    Recurrence {
        /// Samples; the medians are reported
        #[arg(long, value_name = "N", default_value_t = 9)]
        samples: usize,
        /// A Python with python-dateutil, to compare with
        #[arg(long, value_name = "PROGRAM")]
        python: Option<PathBuf>,
    },
    /// What reading the log of agent work takes in memory, for a short log and a long one
    Log {
        /// Sizes of the logs. Units: MiB
        #[arg(long, value_name = "N,…", value_delimiter = ',', default_value = "10,100,1024")]
        megabytes: Vec<usize>,
    },
    /// Reads the log in a folder to its end, then prints what it took
    #[command(hide = true)]
    ReadLog {
        /// The folder
        of: PathBuf,
    },
    /// Serves the one due wake in a folder, then prints the resident bytes of this process
    #[command(hide = true)]
    Resident {
        /// The folder
        of: PathBuf,
    },
}

/// Runs a bench and prints the figures.
///
/// Errors: a folder cannot be created, the disk is full, or a run of the bench fails.
pub async fn run(config: &Config, params: Params) -> Result<(), Failure> {
    let mut screen = Screen::new(config.screen);
    let measured = measure(&mut screen, params, config.database.as_ref()).await;
    let flushed = screen.flush();
    measured.map_err(|e| Failure::failed(format!("the bench failed: {e:#}")))?;
    flushed.map_err(|e| Failure::failed(format!("cannot write the figures: {e}")))
}

async fn measure(
    screen: &mut Screen,
    params: Params,
    database: Option<&DatabaseUrl>,
) -> anyhow::Result<()> {
    let folder = params.folder;
    if database.is_some() && !matches!(params.what, What::Wake { .. } | What::Resident { .. }) {
        note("only bench wake measures on Postgres: these figures are for SQLite");
    }
    match params.what {
        What::Wake { agents, turns, wakes, samples, nodes } => {
            let server = on_server(database, nodes)?;
            let options = wake::Options { agents, turns, wakes, samples, folder, server };
            let figures = wake::run(&options, |point| {
                let wake::Point { nodes, agents, turns, .. } = point;
                note(&format!("{nodes} nodes, {agents} at once in each, {turns} turns: done"));
            });
            let figures = figures.await?;
            match &figures.server {
                None => warn(&figures.machine),
                Some(server) => {
                    warn_of_build(&figures.machine);
                    if server.fsync != "on" {
                        note("warning: this server does not wait for its disk (fsync=off)");
                    }
                }
            }
            show(screen, &figures, wakes_table(&figures.points))
        }
        What::Match { agents, edits } => {
            let options = route::Options { agents, edits, folder };
            let figures =
                route::run(&options, |point| note(&format!("{} agents: done", point.agents)));
            let figures = figures.await?;
            warn(&figures.machine);
            show(screen, &figures, match_table(&figures.points))
        }
        What::ColdStart { agents, samples } => {
            let figures = start::run(&start::Options { agents, samples, folder }).await?;
            warn(&figures.machine);
            let table = pairs([
                ("sleeping agents", figures.agents.to_string()),
                ("opening both databases", format!("{:.1} ms", figures.open_ms)),
                ("from there to the first claim", format!("{:.1} ms", figures.claim_ms)),
                ("both", format!("{:.1} ms", figures.first_claim_ms)),
            ]);
            show(screen, &figures, table)
        }
        What::Memory { agents } => {
            let options = memory::Options { agents, folder };
            let measure = async |of: &Path| {
                Ok(String::from_utf8_lossy(&ask("resident", of)?).trim().parse()?)
            };
            let figures = memory::run(&options, measure).await?;
            warn(&figures.machine);
            let table = pairs([
                ("sleeping agents", figures.agents.to_string()),
                ("memory in use", format!("{} bytes", figures.resident_bytes)),
                ("memory with almost no agents", format!("{} bytes", figures.base_bytes)),
                ("each agent in memory", format!("{:.1} bytes", figures.bytes_per_agent)),
                ("each agent on disk", format!("{:.0} bytes", figures.disk_bytes_per_agent)),
            ]);
            show(screen, &figures, table)
        }
        What::Recurrence { samples, python } => {
            let figures = recurrence::run(&recurrence::Options { samples, python })?;
            warn_of_build(&figures.machine);
            let mut rows = vec![
                ("occurrences per second", format!("{:.0}", figures.per_second)),
                ("the next one after a day", format!("{:.1} µs", figures.after_a_day_us)),
                ("the next one after ten years", format!("{:.1} µs", figures.after_ten_years_us)),
                ("ten years compared with a day", format!("{:.2}", figures.age_ratio)),
            ];
            if let (Some(per_second), Some(ratio)) = (figures.dateutil_per_second, figures.ratio) {
                rows.push(("python-dateutil per second", format!("{per_second:.0}")));
                rows.push(("compared with python-dateutil", format!("{ratio:.1}")));
            }
            show(screen, &figures, pairs(rows))
        }
        What::Log { megabytes } => {
            let options = log::Options { sizes: megabytes, folder };
            let measure = async |of: &Path| Ok(serde_json::from_slice(&ask("read-log", of)?)?);
            let figures = log::run(&options, measure, |point| {
                note(&format!("a log of {}: done", megabytes_of(point.file_bytes)));
            });
            let figures = figures.await?;
            warn_of_build(&figures.machine);
            show(screen, &figures, log_table(&figures.points))
        }
        What::ReadLog { of } => {
            screen.body(&serde_json::to_vec(&log::read(&of).await?)?);
            Ok(())
        }
        What::Resident { of } => {
            screen.body(memory::resident(&of).await?.to_string().as_bytes());
            Ok(())
        }
    }
}

/// The Postgres target, if wakes are not measured on files.
fn on_server(
    database: Option<&DatabaseUrl>,
    nodes: Vec<usize>,
) -> anyhow::Result<Option<wake::OnServer>> {
    let Some(url) = database else {
        anyhow::ensure!(nodes.is_empty(), "--nodes needs Postgres: pass --database-url");
        return Ok(None);
    };
    let nodes = if nodes.is_empty() { vec![1] } else { nodes };
    anyhow::ensure!(!nodes.contains(&0), "--nodes must be 1 or more");
    Ok(Some(wake::OnServer { url: url.reveal().to_owned(), nodes }))
}

/// Measures in a separate process, so that the memory used to fill the folder is not counted.
fn ask(what: &str, of: &Path) -> anyhow::Result<Vec<u8>> {
    let program = std::env::current_exe()?;
    let mut process = std::process::Command::new(program);
    let output = process.arg("--data").arg(of).args(["bench", what]).arg(of).output()?;
    let diagnostics = String::from_utf8_lossy(&output.stderr);
    anyhow::ensure!(output.status.success(), "the measured process failed: {diagnostics}");
    Ok(output.stdout)
}

fn warn(machine: &Machine) {
    if machine.is_memory() {
        note(
            "warning: the folder is in memory, where nothing is synced; choose another one with --folder",
        );
    }
    warn_of_build(machine);
}

fn warn_of_build(machine: &Machine) {
    if machine.build != "release" {
        note("warning: this is not a release build: its figures do not apply to one");
    }
}

fn show(screen: &mut Screen, figures: &impl Serialize, table: Table) -> anyhow::Result<()> {
    if screen.is_json() {
        screen.body(&serde_json::to_vec_pretty(figures)?);
    }
    screen.say(table.render(screen.width(), screen.style()));
    Ok(())
}

fn pairs<'a>(rows: impl IntoIterator<Item = (&'a str, String)>) -> Table {
    let mut table = Table::new([("what", Fit::Whole), ("figure", Fit::Whole)]);
    for (what, figure) in rows {
        table.row([what.to_owned(), figure]);
    }
    table
}

fn wakes_table(points: &[wake::Point]) -> Table {
    let mut table = Table::new([
        ("nodes", Fit::Whole),
        ("at once", Fit::Whole),
        ("turns", Fit::Whole),
        ("wakes/s", Fit::Whole),
        ("raw/s", Fit::Whole),
        ("ratio", Fit::Whole),
        ("p50 ms", Fit::Whole),
        ("p99 ms", Fit::Whole),
        ("commits/sync", Fit::Drop(1)),
        ("bytes/wake", Fit::Drop(2)),
        ("MB/year", Fit::Drop(3)),
    ]);
    for point in points {
        table.row([
            point.nodes.to_string(),
            point.agents.to_string(),
            point.turns.to_string(),
            format!("{:.0}", point.wakes_per_second),
            format!("{:.0}", point.raw_per_second),
            format!("{:.2}", point.ratio),
            format!("{:.1}", point.p50_ms),
            format!("{:.1}", point.p99_ms),
            format!("{:.1}", point.commits_per_sync),
            format!("{:.0}", point.bytes_per_wake),
            format!("{:.0}", point.bytes_per_year / 1e6),
        ]);
    }
    table
}

fn megabytes_of(bytes: usize) -> String {
    format!("{} MiB", bytes / (1024 * 1024))
}

fn log_table(points: &[log::Point]) -> Table {
    let mut table = Table::new([
        ("log", Fit::Whole),
        ("runs", Fit::Whole),
        ("pages", Fit::Whole),
        ("held before", Fit::Whole),
        ("by all pages", Fit::Whole),
        ("by the file", Fit::Whole),
    ]);
    let held = |bytes: u64| {
        let tenths = bytes * 10 / (1024 * 1024);
        format!("{}.{} MiB", tenths / 10, tenths % 10)
    };
    for point in points {
        table.row([
            megabytes_of(point.file_bytes),
            point.runs.to_string(),
            point.pages.to_string(),
            held(point.before_bytes),
            held(point.paged_bytes),
            held(point.peak_bytes),
        ]);
    }
    table
}

fn match_table(points: &[route::Point]) -> Table {
    let mut table = Table::new([
        ("agents", Fit::Whole),
        ("edit routed, p50 µs", Fit::Whole),
        ("p99 µs", Fit::Whole),
        ("without the commit, µs", Fit::Whole),
        ("reads", Fit::Drop(1)),
    ]);
    for point in points {
        table.row([
            point.agents.to_string(),
            format!("{:.0}", point.p50_us),
            format!("{:.0}", point.p99_us),
            format!("{:.0}", point.match_us),
            format!("{:.1}", point.reads),
        ]);
    }
    table
}
