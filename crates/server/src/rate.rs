//! Rate limit per token: a bucket that refills over time.

use std::collections::HashMap;
use std::hash::Hash;
use std::time::Duration;

use dormouse_types::Timestamp;
use dormouse_types::limits::{REQUESTS_AT_ONCE, REQUESTS_PER_SECOND};

/// Units: microseconds. The time until one more request is allowed.
const EACH: i64 = 1_000_000 / REQUESTS_PER_SECOND as i64;
/// Units: microseconds. The time to refill an empty bucket.
const WHOLE: i64 = EACH * REQUESTS_AT_ONCE as i64;
/// With more buckets than this, full ones are dropped.
const MANY: usize = 1024;

/// The buckets of all senders.
///
/// A bucket is stored as the time when it will be full again. Each request moves that time back; a
/// request that would move it by more than a whole bucket is refused.
#[derive(Debug)]
pub struct Buckets<K> {
    full_at: HashMap<K, Timestamp>,
}

impl<K> Default for Buckets<K> {
    fn default() -> Self {
        Self { full_at: HashMap::new() }
    }
}

impl<K: Hash + Eq> Buckets<K> {
    /// Takes one request from a sender's bucket.
    ///
    /// Errors: it is empty; returns how long until the next request is allowed.
    pub fn take(&mut self, sender: K, now: Timestamp) -> Result<(), Duration> {
        if self.full_at.len() > MANY {
            self.full_at.retain(|_, full_at| *full_at > now);
        }
        let full_at = self.full_at.entry(sender).or_insert(now);
        // If the clock was set back, no client is locked out for longer than one bucket takes.
        let missing = (full_at.micros() - now.micros()).clamp(0, WHOLE);
        let beyond = missing + EACH - WHOLE;
        let taken = if beyond > 0 { 0 } else { EACH };
        *full_at = Timestamp::from_micros(now.micros() + missing + taken);
        if beyond > 0 { Err(Duration::from_micros(beyond.unsigned_abs())) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(micros: i64) -> Timestamp {
        Timestamp::from_micros(1_772_442_000_000_000 + micros)
    }

    fn emptied() -> Buckets<u8> {
        let mut buckets = Buckets::default();
        for _ in 0..REQUESTS_AT_ONCE {
            assert_eq!(buckets.take(1, at(0)), Ok(()));
        }
        buckets
    }

    #[test]
    fn a_burst_is_let_through_and_the_next_request_waits_for_its_share() {
        let mut buckets = emptied();
        assert_eq!(buckets.take(1, at(0)), Err(Duration::from_millis(20)));
        assert_eq!(buckets.take(1, at(15_000)), Err(Duration::from_millis(5)));
        assert_eq!(buckets.take(1, at(20_000)), Ok(()));
        assert_eq!(buckets.take(1, at(20_000)), Err(Duration::from_millis(20)));
        assert_eq!(buckets.take(2, at(0)), Ok(()), "another sender has a bucket of its own");
    }

    #[test]
    fn a_steady_sender_is_never_refused() {
        let mut buckets = emptied();
        for n in 1..1000 {
            assert_eq!(buckets.take(1, at(n * EACH)), Ok(()), "{n}");
        }
        assert_eq!(buckets.take(1, at(999 * EACH)), Err(Duration::from_millis(20)));
    }

    #[test]
    fn a_clock_that_was_set_back_keeps_nobody_out_for_long() {
        let mut buckets = emptied();
        let hour = 3_600_000_000;
        assert_eq!(buckets.take(1, at(-hour)), Err(Duration::from_millis(20)));
        assert_eq!(buckets.take(1, at(-hour + EACH)), Ok(()));
        let mut buckets = emptied();
        assert_eq!(buckets.take(1, at(hour)), Ok(()), "after an hour there is a whole bucket");
    }

    #[test]
    fn senders_who_are_gone_are_forgotten() {
        let mut buckets = Buckets::default();
        for sender in 0..=MANY {
            assert_eq!(buckets.take(sender, at(0)), Ok(()));
        }
        assert_eq!(buckets.take(0, at(EACH)), Ok(()));
        assert_eq!(buckets.full_at.len(), 1);
    }
}
