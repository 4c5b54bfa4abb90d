//! Wakes per second compared with the bare loop of [`crate::raw`], and how long a report takes.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use dormouse_store::{Backend as _, Db};
use dormouse_types::port::Clock as _;
use serde::Serialize;

use crate::clock::{ShiftedClock, seconds};
use crate::machine::Machine;
use crate::place::{Opened, Place};
use crate::raw::{Replay, Round};
use crate::server::{About, Server};
use crate::tape::Tape;
use crate::world::{Watched, World, count};
use crate::{median, percentile};

/// What is measured.
#[derive(Clone, PartialEq, Eq)]
pub struct Options {
    /// Wakes at once in each node, one point for each.
    pub agents: Vec<usize>,
    /// Turns of a wake, one point for each.
    pub turns: Vec<u32>,
    /// Wakes of one sample; at least so many as run at once.
    pub wakes: usize,
    /// Pairs of samples, product and bare loop in turn.
    pub samples: usize,
    /// Where the data is to lie.
    pub folder: Option<PathBuf>,
    /// Set when the data is to lie on a server.
    pub server: Option<OnServer>,
}

/// Postgres instead of files.
#[derive(Clone, PartialEq, Eq)]
pub struct OnServer {
    /// Where it is. It may hold a password.
    pub url: String,
    /// Nodes that share the work, one point for each number.
    pub nodes: Vec<usize>,
}

/// What was measured.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Figures {
    /// Where.
    pub machine: Machine,
    /// The server, when the data lay on one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server: Option<About>,
    /// One for each number of agents and turns.
    pub points: Vec<Point>,
}

/// The medians of one number of nodes, agents and turns.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Point {
    /// Nodes that share the work; 1 on files.
    pub nodes: usize,
    /// Wakes at once in each node.
    pub agents: usize,
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
/// Errors: no folder or schema can be made, the store fails, a run does not complete.
pub async fn run(options: &Options, mut tell: impl FnMut(&Point)) -> anyhow::Result<Figures> {
    let mut figures =
        Figures { machine: Machine::of(Path::new(".")), server: None, points: vec![] };
    let nodes = options.server.as_ref().map_or_else(|| vec![1], |server| server.nodes.clone());
    for turns in &options.turns {
        for agents in &options.agents {
            for nodes in &nodes {
                let databases = Databases::new(options).await?;
                match &databases {
                    Databases::Files(place) => figures.machine = Machine::of(place.path()),
                    Databases::Server(server) => figures.server = Some(server.about().await?),
                }
                let point = point(options, &databases, *nodes, *agents, *turns).await;
                let removed = databases.remove().await;
                let point = point?;
                removed?;
                tell(&point);
                figures.points.push(point);
            }
        }
    }
    Ok(figures)
}

/// Where the data of a point lies.
enum Databases {
    Files(Place),
    Server(Server),
}

/// The data as it was before a sample.
enum Before {
    Files(Place),
    Server,
}

impl Databases {
    async fn new(options: &Options) -> anyhow::Result<Self> {
        match &options.server {
            None => Ok(Self::Files(Place::new(options.folder.as_deref())?)),
            Some(server) => Ok(Self::Server(Server::new(&server.url).await?)),
        }
    }

    async fn open(&self, nodes: usize) -> anyhow::Result<Vec<Opened>> {
        match self {
            Self::Files(place) => Ok(vec![place.open()?]),
            Self::Server(server) => server.open(nodes.max(1)).await,
        }
    }

    async fn bytes(&self) -> anyhow::Result<u64> {
        match self {
            Self::Files(place) => place.bytes(),
            Self::Server(server) => server.bytes().await,
        }
    }

    async fn copy(&self) -> anyhow::Result<Before> {
        match self {
            Self::Files(place) => Ok(Before::Files(place.copy()?)),
            Self::Server(server) => server.copy().await.map(|()| Before::Server),
        }
    }

    /// Writes to the copy what a round wrote. Units: seconds.
    async fn raw(
        &self,
        copy: &Before,
        rounds: &[Round<'_>],
        clock: &ShiftedClock,
    ) -> anyhow::Result<f64> {
        match (self, copy) {
            (Self::Server(server), _) => {
                let mut taken = 0.0;
                for round in rounds {
                    let replay = server.replay(round).await?;
                    let began = clock.now();
                    server.run(&replay).await?;
                    taken += seconds(began, clock.now());
                }
                Ok(taken)
            }
            (Self::Files(_), Before::Server) => anyhow::bail!("files are copied to files"),
            (Self::Files(_), Before::Files(copy)) => {
                let replays: anyhow::Result<Vec<_>> = rounds.iter().map(Replay::new).collect();
                let replays = replays?;
                let connections: anyhow::Result<Vec<_>> =
                    replays.iter().map(|one| one.open(copy)).collect();
                let connections = connections?;
                let began = clock.now();
                for (replay, connection) in replays.iter().zip(&connections) {
                    replay.run(connection)?;
                }
                Ok(seconds(began, clock.now()))
            }
        }
    }

    async fn remove(&self) -> anyhow::Result<()> {
        match self {
            Self::Files(_) => Ok(()),
            Self::Server(server) => server.remove().await,
        }
    }
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
    databases: &Databases,
    nodes: usize,
    agents: usize,
    turns: u32,
) -> anyhow::Result<Point> {
    let opened = databases.open(nodes).await?;
    let (first, others) = opened.split_first().context("a bench needs a node")?;
    let mut world = World::new(first, turns);
    for other in others {
        world = world.with_node(other, turns);
    }
    let n_wakes = options.wakes.max(agents * opened.len());
    let watched = world.fill(n_wakes).await?;
    let mut is_checked = false;
    let mut pairs = Vec::new();
    for _ in 0..options.samples.max(1) {
        is_checked = !is_checked;
        pairs.push(pair(databases, &opened, &world, &watched, agents, is_checked).await?);
    }
    let middle = |of: fn(&Pair) -> f64| median(pairs.iter().map(of));
    let wakes_per_second = middle(|pair| pair.wakes_per_second);
    let raw_per_second = middle(|pair| pair.raw_per_second);
    let latencies = world.latencies(agents, &watched, !is_checked, wakes_per_second).await?;
    let bytes_per_wake = middle(|pair| pair.n_bytes) / count(n_wakes);
    Ok(Point {
        nodes: opened.len(),
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

/// One round of wakes, then the same rows by the bare loop on a copy of the data as it was.
async fn pair(
    databases: &Databases,
    opened: &[Opened],
    world: &World,
    watched: &[Watched],
    agents: usize,
    is_checked: bool,
) -> anyhow::Result<Pair> {
    let first = opened.first().context("a bench needs a node")?;
    let bytes_before = databases.bytes().await?;
    world.make_due(watched, is_checked).await?;
    let copy = databases.copy().await?;
    let syncs = |db| -> anyhow::Result<u64> {
        opened.iter().map(|node| node.engine.n_transactions(db)).sum()
    };
    let reads = || opened.iter().map(|node| node.tape.n_reads()).sum::<u64>();
    let reads_before = reads();
    let before = [syncs(Db::Journal)?, syncs(Db::Agent)?];
    opened.iter().for_each(|node| node.tape.record());
    let wakes_per_second = world.rate(agents, watched).await?;
    let tape = Tape::cut_all(opened.iter().map(|node| &*node.tape));
    let n_reads = reads() - reads_before;
    let after = [syncs(Db::Journal)?, syncs(Db::Agent)?];
    let now = first.as_clock.now().micros();
    let bytes_after = databases.bytes().await?;
    let mut n_syncs = 0;
    let mut rounds = Vec::new();
    let hosts = Db::ALL.map(|db| first.tape.host(db));
    for (((db, host), before), after) in Db::ALL.into_iter().zip(&hosts).zip(before).zip(after) {
        let n_transactions = usize::try_from(after - before)?;
        n_syncs += n_transactions;
        rounds.push(Round { tape: &tape, db, host, n_transactions, now });
    }
    let raw_per_second = count(watched.len()) / databases.raw(&copy, &rounds, &first.clock).await?;
    Ok(Pair {
        wakes_per_second,
        raw_per_second,
        n_commits: count(tape.len()),
        n_syncs: count(n_syncs),
        n_reads: count(usize::try_from(n_reads)?),
        n_bytes: count(usize::try_from(bytes_after.saturating_sub(bytes_before))?),
    })
}
