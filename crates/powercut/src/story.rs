//! Work, cuts of it, and more work on what a cut left.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Context as _;
use dormouse_store::backend::sqlite::Sqlite;
use dormouse_store::{Db, Store};
use dormouse_testkit::CountingEntropy;
use dormouse_types::HostId;
use dormouse_types::port::{Clock, NoFaults};

use crate::chance::Chance;
use crate::disk::{Disk, Syncs};
use crate::ledger::{Broken, Ledger, Wrong};
use crate::load::{Gate, Kind, Plan, read_something, step};
use crate::tape::{Event, Image, Tape};
use crate::vfs;

/// How many cuts are taken of one stretch of work.
const CUTS_PER_STRETCH: usize = 50;

/// How often work goes on after a cut before a fresh folder is taken.
const STRETCHES: usize = 5;

/// What to try.
#[derive(Debug, Clone, Copy)]
pub struct Options {
    /// How many cuts.
    pub cuts: usize,
    /// Decides the work, the moments and what survives.
    pub seed: u64,
    /// What a sync is worth.
    pub syncs: Syncs,
    /// How many cuts are looked at side by side.
    pub threads: usize,
}

/// What was seen.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// Cuts that were opened again.
    pub cuts: usize,
    /// Of these, cuts that lost at least one write that was not synced.
    pub dropping: usize,
    /// Of these, cuts while a log was folded into its file.
    pub in_checkpoint: usize,
    /// Of these, cuts before the first opening had ended, or while what a cut left was recovered.
    pub in_opening: usize,
    /// Commits that were acknowledged, over all stretches of work.
    pub acknowledged: usize,
    /// Acknowledged commits that had to be there, summed over the cuts.
    pub due: usize,
    /// Commits in transactions of more than one.
    pub shared: usize,
    /// Logs that were folded into their file and begun again in the middle of work.
    pub rewound: usize,
    /// Cuts after which work went on.
    pub went_on: usize,
    /// Broken promises with the cut that shows them.
    pub broken: Vec<(String, Broken)>,
}

impl Report {
    /// How many cuts broke a promise, by the way it was broken.
    pub fn wrongs(&self) -> BTreeMap<Wrong, usize> {
        let mut wrongs = BTreeMap::new();
        for (_, broken) in &self.broken {
            *wrongs.entry(broken.wrong).or_default() += 1;
        }
        wrongs
    }

    /// The first broken promises in words; empty when all were kept.
    pub fn losses(&self) -> String {
        let lines = self.broken.iter().take(10).map(|(cut, broken)| format!("{cut}: {broken}\n"));
        lines.collect()
    }

    fn add(&mut self, other: Self) {
        self.cuts += other.cuts;
        self.dropping += other.dropping;
        self.in_checkpoint += other.in_checkpoint;
        self.in_opening += other.in_opening;
        self.acknowledged += other.acknowledged;
        self.due += other.due;
        self.shared += other.shared;
        self.rewound += other.rewound;
        self.went_on += other.went_on;
        self.broken.extend(other.broken);
    }
}

/// Cuts the power the given number of times, and looks at what is left each time.
///
/// The same options give the same work, the same moments and the same losses.
pub fn run(options: Options) -> anyhow::Result<Report> {
    vfs::install()?;
    let per_chain = CUTS_PER_STRETCH * STRETCHES;
    let chains = options.cuts.div_ceil(per_chain);
    let next = AtomicUsize::new(0);
    let reports = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        let worker = || -> anyhow::Result<()> {
            loop {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= chains {
                    return Ok(());
                }
                let cuts = (options.cuts - index * per_chain).min(per_chain);
                let report = chain(options, index, cuts)?;
                reports.lock().unwrap_or_else(PoisonError::into_inner).insert(index, report);
            }
        };
        let workers: Vec<_> = (0..options.threads.max(1)).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().try_for_each(|worker| match worker.join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    let mut report = Report::default();
    let reports = reports.into_inner().unwrap_or_else(PoisonError::into_inner);
    reports.into_values().for_each(|part| report.add(part));
    Ok(report)
}

/// Work and cuts in turn, beginning in an empty folder.
fn chain(options: Options, index: usize, cuts: usize) -> anyhow::Result<Report> {
    let mut chance = Chance::new(options.seed);
    for _ in 0..=index {
        chance = Chance::new(chance.draw());
    }
    let mut report = Report::default();
    let mut base = Base::empty();
    for stretch in 0..STRETCHES {
        let left = cuts.saturating_sub(report.cuts);
        if left == 0 {
            break;
        }
        let name = format!("seed {} chain {index} stretch {stretch}", options.seed);
        let work = Work::record(base, &mut chance, stretch == 1)?;
        report.acknowledged += work.acknowledged;
        report.shared += work.shared;
        report.rewound += work.rewound;
        let events = work.tape.events();
        let mut moments = work.moments(left.min(CUTS_PER_STRETCH), events.len(), &mut chance);
        moments.sort_unstable();
        let mut of_disk = chance.fork();
        let mut disk = Disk::new(&work.tape, options.syncs);
        let mut honest = Disk::new(&work.tape, Syncs::Honest);
        let mut seen = 0;
        let goes_on_at = moments[chance.below(moments.len())];
        let mut next = None;
        for at in moments {
            for event in &events[seen..at] {
                disk.follow(event, &mut of_disk);
                honest.follow(event, &mut of_disk);
            }
            seen = at;
            let mut of_cut = chance.fork();
            let cut = disk.cut(&mut of_cut.clone());
            report.cuts += 1;
            report.dropping += usize::from(cut.dropped > 0);
            report.in_checkpoint += usize::from(cut.in_checkpoint);
            report.in_opening += usize::from(at < work.opened_at);
            report.due += work.due(at);
            let verdict = work.look(&cut.image, at);
            if let Err(broken) = &verdict {
                report.broken.push((format!("{name} cut at {at}"), broken.clone()));
            }
            if at == goes_on_at && next.is_none() {
                let image = honest.cut(&mut of_cut).image;
                let kept = match (options.syncs, verdict) {
                    (Syncs::Honest, Ok(kept)) => Some(kept),
                    (Syncs::Honest, Err(_)) => None,
                    (Syncs::Never | Syncs::AtCheckpoint, _) => work.look(&image, at).ok(),
                };
                next = kept.map(|kept| work.onwards(image, kept, at));
            }
        }
        report.went_on += usize::from(next.is_some());
        base = next.unwrap_or_else(Base::empty);
    }
    Ok(report)
}

/// What work begins with.
struct Base {
    image: Image,
    hosts: Option<[HostId; 2]>,
    ledgers: [Ledger; 2],
}

impl Base {
    fn empty() -> Self {
        Self { image: Image::new(), hosts: None, ledgers: Db::ALL.map(Ledger::new) }
    }
}

/// A stretch of work that was recorded.
struct Work {
    tape: Arc<Tape>,
    ledgers: [Ledger; 2],
    /// The ids of the databases that were there before, or that were reported.
    hosts: [HostId; 2],
    had_hosts: bool,
    opened_at: usize,
    acknowledged: usize,
    shared: usize,
    rewound: usize,
}

impl Work {
    fn record(base: Base, chance: &mut Chance, long: bool) -> anyhow::Result<Self> {
        let folder = folder()?;
        put(folder.path(), &base.image)?;
        let tape = Arc::new(Tape::over(base.image));
        let watch = vfs::watch(folder.path(), tape.clone())?;
        let gate = Arc::new(Gate::default());
        let clock: Arc<dyn Clock> = gate.clone();
        let store = open(folder.path(), &clock, chance.draw())?;
        let hosts = Db::ALL.map(|db| store.host(db));
        let had_hosts = base.hosts.is_some();
        if let Some(before) = base.hosts {
            anyhow::ensure!(before == hosts, "the ids of the databases changed: {before:?}");
        }
        let opened_at = tape.len();
        let mut ledgers = base.ledgers;
        let before: usize = ledgers.iter().map(Ledger::len).sum();
        let mut shared = 0;
        let mut n = i64::try_from(before)? * 10;
        let mut plan = |db: Db, chance: &mut Chance, bulk: bool| {
            n += 1;
            let kind = match chance.below(12) {
                _ if bulk => Kind::Bulk,
                0 => Kind::Refused,
                1 => Kind::Bulk,
                _ => Kind::Small,
            };
            Plan { db, n, kind }
        };
        // A long stretch fills one log until SQLite folds it into its file and begins it again.
        let filled = chance.below(2);
        for _ in 0..if long { 60 } else { 20 } {
            let which = if long && !chance.one_in(6) { filled } else { chance.below(2) };
            let db = Db::ALL[which];
            let first = plan(db, chance, long);
            let rest: Vec<Plan> = (0..chance.below(6)).map(|_| plan(db, chance, false)).collect();
            shared += if rest.len() > 1 { rest.len() } else { 0 };
            let mut noted = Ok(());
            step(&store, &gate, first, &rest, |plans, outcomes| {
                if noted.is_ok() {
                    noted = ledgers[which].answered(plans, outcomes, tape.len());
                }
            });
            noted.map_err(|broken| anyhow::anyhow!("{broken}"))?;
            if chance.one_in(4) {
                read_something(&store, first)?;
            }
        }
        let rewound = rewinds(&tape);
        drop(store);
        drop(watch);
        let acknowledged = ledgers.iter().map(Ledger::len).sum::<usize>() - before;
        Ok(Self { tape, ledgers, hosts, had_hosts, opened_at, acknowledged, shared, rewound })
    }

    /// When to cut: half of the moments anywhere, half of them just when a caller was answered.
    fn moments(&self, n: usize, len: usize, chance: &mut Chance) -> Vec<usize> {
        let moments: Vec<usize> = self.ledgers.iter().flat_map(Ledger::answered_at).collect();
        let mut moment = |index: usize| match moments.get(chance.below(moments.len())) {
            Some(at) if index.is_multiple_of(2) => *at,
            Some(_) | None => chance.below(len + 1),
        };
        (0..n).map(&mut moment).collect()
    }

    /// How many commits had been acknowledged at a moment.
    fn due(&self, at: usize) -> usize {
        self.ledgers.iter().flat_map(Ledger::answered_at).filter(|moment| *moment <= at).count()
    }

    /// Opens what a cut left with the product and holds it against what was promised; returns the
    /// number of commits in each.
    fn look(&self, image: &Image, at: usize) -> Result<[usize; 2], Broken> {
        let damaged = |e: anyhow::Error| Broken::new(Wrong::Damaged, format!("{e:#}"));
        let folder = folder().map_err(damaged)?;
        put(folder.path(), image).map_err(damaged)?;
        let clock: Arc<dyn Clock> = Arc::new(Gate::default());
        let store = open(folder.path(), &clock, 77).map_err(damaged)?;
        let hosts = Db::ALL.map(|db| store.host(db));
        if hosts != self.hosts && (self.had_hosts || at >= self.opened_at) {
            let what = format!("the ids of the databases were {:?}, now {hosts:?}", self.hosts);
            return Err(Broken::new(Wrong::Lost, what));
        }
        let [journal, agent] = &self.ledgers;
        let kept = [journal.check(&store, at)?, agent.check(&store, at)?];
        journal.go_on(&store, kept[0])?;
        agent.go_on(&store, kept[1])?;
        Ok(kept)
    }

    /// What a cut left, as the beginning of further work.
    fn onwards(&self, image: Image, kept: [usize; 2], at: usize) -> Base {
        let [journal, agent] = &self.ledgers;
        // Before the opening had ended no id was reported, so it may become another one.
        let hosts = (self.had_hosts || at >= self.opened_at).then(|| self.hosts.clone());
        Base { image, hosts, ledgers: [journal.onwards(kept[0]), agent.onwards(kept[1])] }
    }
}

/// How often a log was begun again in place.
fn rewinds(tape: &Tape) -> usize {
    let mut begun = BTreeMap::new();
    for event in tape.events() {
        // The first bytes of a log, and only they, are its head of 32 bytes.
        if let Event::Write { inode, at: 0, bytes } = event
            && bytes.len() == 32
        {
            *begun.entry(inode).or_insert(0usize) += 1;
        }
    }
    begun.values().map(|times| times - 1).sum()
}

/// A fresh folder; in memory where the system has a place for that, since nothing is synced anyway.
pub fn folder() -> anyhow::Result<tempfile::TempDir> {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    folder.context("cannot make a folder")
}

/// Opens a folder with the product.
pub fn open(folder: &Path, clock: &Arc<dyn Clock>, seed: u64) -> anyhow::Result<Store> {
    let engine = Sqlite::open(folder, clock, &CountingEntropy::seeded(seed))?;
    Ok(Store::new(Arc::new(engine), Arc::new(NoFaults)))
}

/// Writes files into a folder.
pub fn put(folder: &Path, image: &Image) -> anyhow::Result<()> {
    for (name, bytes) in image {
        std::fs::write(folder.join(name), bytes).with_context(|| format!("cannot write {name}"))?;
    }
    Ok(())
}

/// The folder after every moment of a tape in turn: what a cut leaves there, drawn `draws` times.
pub fn every_cut(
    tape: &Tape,
    chance: &mut Chance,
    draws: usize,
    mut look: impl FnMut(usize, &Image) -> anyhow::Result<()>,
) -> anyhow::Result<usize> {
    let events: Vec<Event> = tape.events();
    let mut disk = Disk::new(tape, Syncs::Honest);
    let mut cuts = 0;
    for at in 0..=events.len() {
        if at > 0 {
            disk.follow(&events[at - 1], chance);
        }
        for _ in 0..draws {
            let cut = disk.cut(chance);
            look(at, &cut.image).with_context(|| format!("cut at {at} of {}", events.len()))?;
            cuts += 1;
        }
    }
    Ok(cuts)
}
