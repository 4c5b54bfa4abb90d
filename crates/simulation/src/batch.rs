//! Many plays, on several threads: what all of them came to.

use std::collections::BTreeSet;
use std::sync::Mutex;

use crate::faults::{Fault, Tally};
use crate::locks::lock;
use crate::mutation::Mutation;
use crate::play::{Kinds, Played, play_of};

/// Which plays to run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The first seed.
    pub from: u64,
    /// How many.
    pub seeds: u64,
    /// How many plays run concurrently.
    pub threads: usize,
    /// A promise of the store that these plays do without.
    pub mutation: Option<Mutation>,
    /// The kinds of runs in these plays.
    pub kinds: Kinds,
}

/// What a batch came to.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Plays that came to an end.
    pub plays: u64,
    /// How many of them were played twice and compared.
    pub compared: u64,
    /// What happened in all of them.
    pub tally: Tally,
    /// Those in which a promise was broken, by seed.
    pub broken: Vec<Played>,
}

/// Lines of a trace that are shown.
const SHOWN: usize = 200;

impl Report {
    /// Every failed play: its seed, the promise and the end of its trace.
    pub fn failures(&self) -> String {
        let one = |played: &Played| {
            let from = played.trace.len().saturating_sub(SHOWN);
            format!(
                "seed {}: {}\n{}\nagain: cargo xtask simulate --seed {}",
                played.seed,
                played.wrong.as_deref().unwrap_or_default(),
                played.trace[from..].join("\n"),
                played.seed
            )
        };
        self.broken.iter().map(one).collect::<Vec<_>>().join("\n\n")
    }

    /// What a batch should have seen and did not: then its plays say little.
    pub fn missing(&self) -> Vec<String> {
        let faults = Fault::ALL.map(|fault| (format!("{fault:?}"), 1));
        let each = |what: &str| (what.to_owned(), self.plays);
        let some = |what: &str| (what.to_owned(), self.plays.div_ceil(50));
        let floors = [
            each("acknowledged edit"),
            each("run.final"),
            each("question"),
            each("change seen"),
            some("heard words"),
            some("takeover by expiry"),
            some("takeover at a start"),
            some("applied item"),
            some("run.effect"),
            some("run.abandon"),
            some("run.putBack"),
            some("wake.timer"),
            some("change.expire"),
            some("pauses an agent"),
            some("cancelled wake"),
            some("cancelled run"),
            ("agent and person in one instant".to_owned(), self.plays.div_ceil(125)),
            some("folded piece"),
            some("folded again"),
            some("fold that wrote nothing"),
            some("turn with a summary"),
            some("reserved call"),
            some("budget used up"),
            some("paid calls switched off"),
            some("opaque part returned"),
            some("later turn requested again"),
        ];
        let short = |(what, floor): (String, u64)| {
            let seen = self.tally.of(&what);
            (seen < floor).then(|| format!("{what}: {seen} of at least {floor}"))
        };
        faults.into_iter().chain(floors).filter_map(short).collect()
    }
}

/// Plays seeds on several threads; one in a hundred, and the first, twice.
///
/// Errors: a store in memory cannot be made.
pub fn run(options: Options) -> anyhow::Result<Report> {
    let next = Mutex::new(options.from);
    let report = Mutex::new(Report::default());
    let work = || -> anyhow::Result<()> {
        loop {
            let seed = {
                let mut next = lock(&next);
                let seed = *next;
                if seed >= options.from + options.seeds || lock(&report).broken.len() >= 20 {
                    return Ok(());
                }
                *next += 1;
                seed
            };
            let mut played = play_of(options.kinds, seed, options.mutation)?;
            let twice = (seed - options.from).is_multiple_of(100);
            if twice && played.wrong.is_none() {
                let again = play_of(options.kinds, seed, options.mutation)?;
                if again.trace != played.trace {
                    let at = played.trace.iter().zip(&again.trace).take_while(|(a, b)| a == b);
                    let at = at.count();
                    let line = |trace: &[String]| trace.get(at).cloned().unwrap_or_default();
                    played.wrong = Some(format!(
                        "repeat: line {at} was {:?} and is {:?}",
                        line(&played.trace),
                        line(&again.trace)
                    ));
                }
            }
            let mut report = lock(&report);
            report.plays += 1;
            report.compared += u64::from(twice);
            report.tally.add(&played.tally);
            if played.wrong.is_some() {
                report.broken.push(played);
            }
        }
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..options.threads.max(1)).map(|_| scope.spawn(work)).collect();
        threads.into_iter().try_for_each(|thread| match thread.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        })
    })?;
    let mut report = report.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    report.broken.sort_by_key(|played| played.seed);
    Ok(report)
}

/// The kinds of broken promises of a batch: the text before the colon.
pub fn kinds(report: &Report) -> BTreeSet<String> {
    let kind = |played: &Played| {
        let wrong = played.wrong.as_deref().unwrap_or_default();
        wrong.split(':').next().unwrap_or_default().to_owned()
    };
    report.broken.iter().map(kind).collect()
}
