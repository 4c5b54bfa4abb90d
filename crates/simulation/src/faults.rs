//! What can go wrong, and how often it does in one play.

use std::collections::BTreeMap;

use crate::chance::Chance;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fault {
    /// A node dies right before a commit.
    CrashBefore,
    /// A node dies when a commit is durable and not answered.
    CrashAfter,
    /// A commit is applied, and its caller learns that the outcome is unknown.
    UnknownDone,
    /// A commit is not applied, and its caller learns that the outcome is unknown.
    UnknownNot,
    /// A commit is not applied, and its caller gets an error.
    Broken,
    /// A commit arrives late, even if its node died meanwhile.
    Late,
    /// Rows cannot be read.
    Unreadable,
    /// Nobody hears of a commit.
    LostHint,
    /// A task is polled although nothing woke it.
    Poke,
    /// A node hangs for longer than a lease lasts.
    Freeze,
    /// The clock of one node jumps by an hour, or back.
    Jump,
    /// All clocks jump by an hour, or back.
    JumpOfAll,
    /// All machines sleep for days.
    Leap,
    /// A node is stopped, and started again.
    Stop,
    /// The model's provider is away.
    Unavailable,
    /// The model refuses a request.
    Refusal,
    /// The model takes longer than a lease, or than anybody waits.
    Stall,
    /// The model calls what is not there, or wrongly, or far too often.
    Nonsense,
    /// An answer that comes in pieces is cut off between two of them.
    CutAnswer,
    /// A node dies while an answer comes in.
    CrashInAnswer,
}

impl Fault {
    /// Every fault.
    pub const ALL: [Self; 20] = [
        Self::CrashBefore,
        Self::CrashAfter,
        Self::UnknownDone,
        Self::UnknownNot,
        Self::Broken,
        Self::Late,
        Self::Unreadable,
        Self::LostHint,
        Self::Poke,
        Self::Freeze,
        Self::Jump,
        Self::JumpOfAll,
        Self::Leap,
        Self::Stop,
        Self::Unavailable,
        Self::Refusal,
        Self::Stall,
        Self::Nonsense,
        Self::CutAnswer,
        Self::CrashInAnswer,
    ];

    /// In how many of its occasions it strikes, where it strikes at all: rarely and often.
    fn odds(self) -> (u64, u64) {
        match self {
            Self::CrashBefore | Self::CrashAfter => (250, 40),
            Self::UnknownDone | Self::UnknownNot | Self::Broken | Self::Late => (150, 25),
            Self::Unreadable => (800, 100),
            Self::LostHint => (8, 2),
            Self::Poke => (60, 10),
            Self::Freeze | Self::Jump | Self::Stop => (12, 4),
            Self::JumpOfAll | Self::Leap => (25, 10),
            Self::Unavailable | Self::Refusal | Self::Stall => (12, 4),
            Self::Nonsense | Self::CutAnswer => (10, 3),
            Self::CrashInAnswer => (200, 40),
        }
    }
}

/// The faults of one play.
#[derive(Debug, Clone, Default)]
pub struct FaultRates {
    odds: BTreeMap<Fault, u64>,
}

impl FaultRates {
    /// About half of the faults, some rare and some frequent: plays that fail in one way only reach
    /// further than plays that fail in all.
    pub fn drawn(chance: &mut Chance) -> Self {
        let mut odds = BTreeMap::new();
        for fault in Fault::ALL {
            let (rare, often) = fault.odds();
            match chance.below(4) {
                0 | 1 => {}
                2 => drop(odds.insert(fault, rare)),
                _ => drop(odds.insert(fault, often)),
            }
        }
        Self { odds }
    }

    /// Nothing goes wrong.
    pub fn calm() -> Self {
        Self::default()
    }

    /// Whether a fault strikes on this occasion.
    pub fn strikes(&self, fault: Fault, chance: &mut Chance) -> bool {
        self.odds.get(&fault).is_some_and(|odds| chance.one_in(*odds))
    }
}

/// What happened in a play, or in many.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    counts: BTreeMap<String, u64>,
}

impl Tally {
    /// Counts one.
    pub fn note(&mut self, what: impl Into<String>) {
        *self.counts.entry(what.into()).or_default() += 1;
    }

    /// Adds another play's.
    pub fn add(&mut self, other: &Self) {
        for (what, count) in &other.counts {
            *self.counts.entry(what.clone()).or_default() += count;
        }
    }

    /// How often something happened.
    pub fn of(&self, what: &str) -> u64 {
        self.counts.get(what).copied().unwrap_or(0)
    }

    /// How often a fault struck.
    pub fn of_fault(&self, fault: Fault) -> u64 {
        self.of(&format!("{fault:?}"))
    }

    /// Every count, by name.
    pub fn all(&self) -> impl Iterator<Item = (&str, u64)> {
        self.counts.iter().map(|(what, count)| (what.as_str(), *count))
    }
}
