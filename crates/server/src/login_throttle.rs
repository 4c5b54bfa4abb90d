//! Throttles failed logins: counts the failures of an address and how long it has to wait.
//!
//! Tokens hold 256 random bits, which cannot be guessed at any speed. Throttling only reduces
//! noise, so it never delays a valid token; otherwise an attacker could lock others out.

use std::collections::HashMap;
use std::net::IpAddr;
use std::time::Duration;

use dormouse_types::Timestamp;
use dormouse_types::limits::{
    LOGIN_ADDRESSES, LOGIN_DELAY_MAX_SECONDS, LOGIN_DELAY_SECONDS, LOGIN_FAILURES, LOGIN_NOTES,
    LOGIN_WINDOW_SECONDS,
};

/// How long to wait after a number of failures of one address: not at first, then twice as long
/// each time.
pub(crate) fn delay(failures: u32) -> Option<Duration> {
    let beyond = failures.checked_sub(LOGIN_FAILURES + 1)?;
    let doubled = LOGIN_DELAY_SECONDS.checked_shl(beyond.min(32)).unwrap_or(u64::MAX);
    Some(Duration::from_secs(doubled.min(LOGIN_DELAY_MAX_SECONDS)))
}

/// The key under which failures are counted. With IPv6, a client has a whole network.
pub(crate) fn throttle_key(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => {
            let network = v6.to_bits() >> 64 << 64;
            IpAddr::V6(network.into())
        }
        v4 => v4,
    }
}

/// The response to a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Failure {
    /// Its number among the failures of its address within the window.
    pub(crate) failures: u32,
    /// How long the address has to wait.
    pub(crate) wait: Option<Duration>,
    /// Whether to write a row to the audit log: for the first failure, and for the first that has
    /// to wait. A row for every failure would let anyone fill the disk.
    pub(crate) is_noted: bool,
}

/// The recent failures.
#[derive(Debug, Default)]
pub(crate) struct LoginThrottle {
    of: HashMap<IpAddr, Tally>,
    notes: Tally,
}

#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    since: Timestamp,
    failures: u32,
}

impl Tally {
    fn count(&mut self, now: Timestamp) -> u32 {
        let is_over = self.since + Duration::from_secs(LOGIN_WINDOW_SECONDS) <= now;
        // If the clock was set back, start over.
        if is_over || now < self.since {
            *self = Self { since: now, failures: 0 };
        }
        self.failures = self.failures.saturating_add(1);
        self.failures
    }
}

impl LoginThrottle {
    /// Counts a failure.
    pub(crate) fn fail(&mut self, address: IpAddr, now: Timestamp) -> Failure {
        let address = throttle_key(address);
        if self.of.len() >= LOGIN_ADDRESSES && !self.of.contains_key(&address) {
            let stalest = self.of.iter().min_by_key(|(_, tally)| tally.since);
            if let Some(stalest) = stalest.map(|(address, _)| *address) {
                self.of.remove(&stalest);
            }
        }
        let failures = self.of.entry(address).or_default().count(now);
        let is_news = failures == 1 || failures == LOGIN_FAILURES + 1;
        let is_noted = is_news && self.notes.count(now) <= LOGIN_NOTES;
        Failure { failures, wait: delay(failures), is_noted }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn at(seconds: u64) -> Timestamp {
        Timestamp::from_micros(1_772_442_000_000_000) + Duration::from_secs(seconds)
    }

    fn ip(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn ten_failures_are_answered_at_once_and_then_each_waits_twice_as_long() {
        let seconds = |failures| delay(failures).map(|wait| wait.as_secs());
        assert_eq!((seconds(0), seconds(1), seconds(10)), (None, None, None));
        let waits: Vec<_> = (11..=18).map(seconds).collect();
        assert_eq!(waits, [1, 2, 4, 8, 16, 32, 60, 60].map(Some));
        assert_eq!(seconds(u32::MAX), Some(60));
    }

    #[test]
    fn failures_are_forgotten_after_a_quarter_of_an_hour() {
        let mut logins = LoginThrottle::default();
        for n in 1..=11 {
            assert_eq!(logins.fail(HERE, at(n)).wait.is_some(), n == 11, "{n}");
        }
        assert!(logins.fail(HERE, at(900)).wait.is_some());
        assert_eq!(logins.fail(HERE, at(901)).failures, 1);
        assert_eq!(logins.fail(HERE, at(0)).failures, 1, "the clock was set back");
    }

    #[test]
    fn addresses_are_counted_apart_and_a_network_of_ipv6_together() {
        let mut logins = LoginThrottle::default();
        assert_eq!(logins.fail(ip("192.0.2.1"), at(0)).failures, 1);
        assert_eq!(logins.fail(ip("192.0.2.2"), at(0)).failures, 1);
        assert_eq!(logins.fail(ip("::ffff:192.0.2.1"), at(0)).failures, 2);
        assert_eq!(logins.fail(ip("2001:db8::1"), at(0)).failures, 1);
        assert_eq!(logins.fail(ip("2001:db8::ffff:1"), at(0)).failures, 2);
        assert_eq!(logins.fail(ip("2001:db8:0:1::1"), at(0)).failures, 1);
    }

    #[test]
    fn memory_and_notes_are_bounded() {
        let mut logins = LoginThrottle::default();
        let mut noted = 0;
        for n in 0..5000_u32 {
            let failure = logins.fail(IpAddr::V4(n.into()), at(u64::from(n) / 100));
            noted += u32::from(failure.is_noted);
        }
        assert_eq!((logins.of.len(), noted), (LOGIN_ADDRESSES, LOGIN_NOTES));
        assert_eq!(logins.fail(IpAddr::V4(4999.into()), at(50)).failures, 2, "the latest is known");
    }

    #[test]
    fn the_first_failure_and_the_first_that_waits_are_noted() {
        let mut logins = LoginThrottle::default();
        let noted: Vec<u32> = (1..=30).filter(|_| logins.fail(HERE, at(0)).is_noted).collect();
        assert_eq!(noted, [1, 11]);
    }
}
