//! Leases: who may work on a row, recorded as owner, epoch and expiry.
//!
//! One mechanism for everything that is leased, in one process or on many nodes. A leased table has
//! the columns `owner`, `epoch` and `expires_at`; its noun composes its statements from the
//! fragments here, so that claiming, holding, releasing and taking over mean the same everywhere.
//! Defends against two owners at once: the epoch rises with every claim and every takeover, and a
//! write with an older epoch changes no row.
//!
//! The placeholders are fixed: ?1 workspace, ?2 key, ?3 owner, ?4 epoch, ?5 expiry.

use std::time::Duration;

use dormouse_types::limits;

use crate::value::Param;

/// Takes a free row: SET part.
macro_rules! take {
    () => {
        "owner = ?3, epoch = epoch + 1, expires_at = ?5"
    };
}

/// The row is free and was not claimed since it was read: WHERE part.
macro_rules! free {
    () => {
        "epoch = ?4 AND owner IS NULL"
    };
}

/// The row is held by this owner with this epoch: WHERE part.
macro_rules! held {
    () => {
        "owner = ?3 AND epoch = ?4"
    };
}

/// Releases a row: SET part.
macro_rules! give_back {
    () => {
        "owner = NULL, expires_at = NULL"
    };
}

/// Takes a row from a dead owner: SET part.
macro_rules! take_away {
    () => {
        "owner = NULL, expires_at = NULL, epoch = epoch + 1"
    };
}

/// The owner is the one that was read, and its lease has expired by ?5: WHERE part.
macro_rules! run_out {
    () => {
        "owner = ?3 AND epoch = ?4 AND expires_at <= CAST(?5 AS BIGINT)"
    };
}

pub(crate) use {free, give_back, held, run_out, take, take_away};

/// Why an owner is considered dead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// Its lease expired by the writer's clock.
    RunOut,
    /// The caller holds something only one process can hold: the folder's lock, or the owner's
    /// name.
    Exclusive,
}

impl Proof {
    /// The time by which the lease must have expired.
    pub(crate) fn by(self) -> Param {
        match self {
            Self::RunOut => Param::Now,
            Self::Exclusive => i64::MAX.into(),
        }
    }
}

/// How long a lease lasts when it is taken or renewed.
pub fn term() -> Duration {
    Duration::from_secs(limits::LEASE_SECONDS)
}
