//! The time by which something is due: that of the database, which all nodes share.
//!
//! A node learns at each sweep how far its own clock is off, so that a poll costs no statement for
//! it. If the clock is set in between, the node looks too early or too late until the next sweep; what
//! it would do too early is refused by the commit, which compares with the database's time as well.

use std::sync::atomic::Ordering;

use dormouse_store::ReadError;
use dormouse_types::Timestamp;

use crate::Scheduler;

impl Scheduler {
    /// The time of the database, as far as this node knows it.
    pub fn now(&self) -> Timestamp {
        shifted(self.clock.now(), self.clock_error.load(Ordering::Relaxed))
    }

    /// Learns how far the clock of this node is from the time of the database.
    pub(crate) async fn learn_time(&self) -> Result<(), ReadError> {
        let asked_at = self.clock.now();
        if let Some(time) = self.store.time().await? {
            let lag = clock_lag(time, asked_at, self.clock.now());
            self.clock_error.store(lag, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// Units: microseconds. How far a clock is behind a time that was read between two of its own.
fn clock_lag(time: Timestamp, asked_at: Timestamp, answered_at: Timestamp) -> i64 {
    let travelled = answered_at.micros().saturating_sub(asked_at.micros()).max(0);
    let middle = asked_at.micros().saturating_add(travelled / 2);
    time.micros().saturating_sub(middle)
}

fn shifted(now: Timestamp, by: i64) -> Timestamp {
    Timestamp::from_micros(now.micros().saturating_add(by))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: i64) -> Timestamp {
        Timestamp::from_micros(micros)
    }

    #[test]
    fn the_way_of_the_answer_is_taken_into_account() {
        assert_eq!(clock_lag(at(1_500), at(1_000), at(1_200)), 400);
        assert_eq!(clock_lag(at(900), at(1_000), at(1_200)), -200);
        assert_eq!(
            clock_lag(at(1_500), at(1_000), at(10)),
            500,
            "the clock was set back meanwhile"
        );
        assert_eq!(shifted(at(1_000), -200), at(800));
    }
}
