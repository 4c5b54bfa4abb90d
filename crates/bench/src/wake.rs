//! Wakes per second beside the bare loop of [`crate::raw`], and how long a report takes.

use std::path::{Path, PathBuf};

use dormouse_store::{Backend as _, Db};
use dormouse_types::port::Clock as _;
use serde::Serialize;

use crate::clock::seconds;
use crate::machine::Machine;
use crate::place::{Opened, Place};
use crate::raw::Replay;
use crate::world::{Watched, World, count};
use crate::{median, percentile};

/// What is measured.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Wakes at once, one point for each.
    pub agents: Vec<usize>,
    /// Turns of a wake, one point for each.
    pub turns: Vec<u32>,
    /// Wakes of one sample; at least so many as run at once.
    pub wakes: usize,
    /// Pairs of samples, product and bare loop in turn.
    pub samples: usize,
    /// Where the data is to lie.
    pub folder: Option<PathBuf>,
}

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// Where.
    pub machine: Machine,
    /// One for each number of agents and turns.
    pub points: Vec<Point>,
}

/// The medians of one number of agents and turns.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Point {
    /// Wakes at once.
    pub agents: usize,
    /// Turns of each.
    pub turns: u32,
    /// Of the product.
    pub wakes_per_second: f64,
    /// Of the bare loop.
    pub raw_per_second: f64,
    /// The time of the product in times of the bare loop.
    pub ratio: f64,
    /// Units: milliseconds. From an edit to its report, less the merge window.
    pub p50_ms: f64,
    /// Units: milliseconds.
    pub p99_ms: f64,
    /// Durable commits of a wake.
    pub commits_per_wake: f64,
    /// Statements a wake reads.
    pub reads_per_wake: f64,
    /// Commits that shared a sync.
    pub commits_per_sync: f64,
    /// Units: bytes. By how much the files grow with each wake, indexes and edits included.
    pub bytes_per_wake: f64,
    /// Units: bytes. What an agent costs that wakes 20 times a day, in a year.
    pub bytes_per_year: f64,
}

/// Wakes of a busy agent in a year.
const WAKES_PER_YEAR: f64 = 20.0 * 365.0;

/// Measures every point.
///
/// Errors: no folder can be made, the store fails, a run does not complete.
pub async fn run(options: &Options, mut tell: impl FnMut(&Point)) -> anyhow::Result<Figures> {
    let mut points = Vec::new();
    let mut machine = None;
    for turns in &options.turns {
        for agents in &options.agents {
            let place = Place::new(options.folder.as_deref())?;
            machine.get_or_insert_with(|| Machine::of(place.path()));
            let point = point(options, &place, *agents, *turns).await?;
            tell(&point);
            points.push(point);
        }
    }
    let machine = machine.unwrap_or_else(|| Machine::of(Path::new(".")));
    Ok(Figures { machine, points })
}

/// One pair of samples.
struct Pair {
    wakes_per_second: f64,
    raw_per_second: f64,
    n_commits: f64,
    n_syncs: f64,
    n_reads: f64,
    n_bytes: f64,
}

async fn point(
    options: &Options,
    place: &Place,
    agents: usize,
    turns: u32,
) -> anyhow::Result<Point> {
    let n_wakes = options.wakes.max(agents);
    let opened = place.open()?;
    let world = World::new(&opened, turns);
    let watched = world.fill(n_wakes).await?;
    let mut is_checked = false;
    let mut pairs = Vec::new();
    for _ in 0..options.samples.max(1) {
        is_checked = !is_checked;
        pairs.push(pair(place, &opened, &world, &watched, agents, is_checked).await?);
    }
    let middle = |of: fn(&Pair) -> f64| median(pairs.iter().map(of));
    let wakes_per_second = middle(|pair| pair.wakes_per_second);
    let raw_per_second = middle(|pair| pair.raw_per_second);
    let latencies = world.latencies(agents, &watched, !is_checked, wakes_per_second).await?;
    let bytes_per_wake = middle(|pair| pair.n_bytes) / count(n_wakes);
    Ok(Point {
        agents,
        turns,
        wakes_per_second,
        raw_per_second,
        ratio: raw_per_second / wakes_per_second,
        p50_ms: percentile(latencies.iter().copied(), 50.0),
        p99_ms: percentile(latencies.iter().copied(), 99.0),
        commits_per_wake: middle(|pair| pair.n_commits) / count(n_wakes),
        reads_per_wake: middle(|pair| pair.n_reads) / count(n_wakes),
        commits_per_sync: middle(|pair| pair.n_commits) / middle(|pair| pair.n_syncs),
        bytes_per_wake,
        bytes_per_year: bytes_per_wake * WAKES_PER_YEAR,
    })
}

/// One round of wakes, then the same rows by the bare loop on a copy of the files as they were.
async fn pair(
    place: &Place,
    opened: &Opened,
    world: &World,
    watched: &[Watched],
    agents: usize,
    is_checked: bool,
) -> anyhow::Result<Pair> {
    let bytes_before = place.bytes()?;
    world.make_due(watched, is_checked).await?;
    let copy = place.copy()?;
    let syncs = || Db::ALL.map(|db| opened.sqlite.n_transactions(db).unwrap_or_default());
    let (before, reads_before) = (syncs(), opened.tape.n_reads());
    opened.tape.record();
    let wakes_per_second = world.rate(agents, watched).await?;
    let tape = opened.tape.cut();
    let n_reads = opened.tape.n_reads() - reads_before;
    let after = syncs();
    let now = opened.as_clock.now();
    let mut replays = Vec::new();
    let mut n_syncs = 0;
    for ((db, before), after) in Db::ALL.into_iter().zip(before).zip(after) {
        let n = usize::try_from(after - before)?;
        n_syncs += n;
        replays.push(Replay::new(&tape, db, &opened.sqlite.host(db), n, now.micros())?);
    }
    let bytes_after = place.bytes()?;
    let connections: anyhow::Result<Vec<_>> = replays.iter().map(|one| one.open(&copy)).collect();
    let connections = connections?;
    let began = opened.clock.now();
    for (replay, connection) in replays.iter().zip(&connections) {
        replay.run(connection)?;
    }
    let raw_per_second = count(watched.len()) / seconds(began, opened.clock.now());
    Ok(Pair {
        wakes_per_second,
        raw_per_second,
        n_commits: count(tape.len()),
        n_syncs: count(n_syncs),
        n_reads: count(usize::try_from(n_reads)?),
        n_bytes: count(usize::try_from(bytes_after.saturating_sub(bytes_before))?),
    })
}
