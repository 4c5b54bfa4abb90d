//! The circuit breaker of a model provider: after failures the queue is held, then a single run
//! tries again.
//!
//! A provider's failures never count against an agent. After five within a minute, or at once if
//! the key is refused or a single call took longer than that to fail, no run asks for a minute; then
//! one run asks as a probe. If it fails, the
//! pause doubles, up to half an hour. A provider that names the time until which it wants to be left alone is asked by
//! nobody before that. An answer resets the breaker. A model whose name or address is
//! wrong has a breaker of its own, so that other models of the provider go on.

use std::time::Duration;

use dormouse_store::agent::breaker::Breaker;
use dormouse_types::model::ProviderUnavailable;
use dormouse_types::port::Model;
use dormouse_types::{Timestamp, limits};

/// Whether a provider may be called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    /// Any run may ask.
    Free,
    /// One run may ask, to find out whether the provider is back.
    Probe,
    /// No run may ask until then.
    Closed {
        /// When the next probe may run.
        until: Timestamp,
    },
}

/// Returns whether a provider may be called now.
pub fn gate(breaker: Option<&Breaker>, now: Timestamp) -> Gate {
    match breaker.and_then(|breaker| breaker.open_until) {
        None => Gate::Free,
        Some(until) if now < until => Gate::Closed { until },
        Some(_) => Gate::Probe,
    }
}

/// Returns whether a model may be called now, by all the breakers that hold it: the narrowest gate.
pub fn gate_of_all(breakers: &[Breaker], now: Timestamp) -> Gate {
    let narrower = |a, b| match (a, b) {
        (Gate::Closed { until: a }, Gate::Closed { until: b }) => Gate::Closed { until: a.max(b) },
        (closed @ Gate::Closed { .. }, Gate::Free | Gate::Probe)
        | (Gate::Free | Gate::Probe, closed @ Gate::Closed { .. }) => closed,
        (Gate::Probe, Gate::Free | Gate::Probe) | (Gate::Free, Gate::Probe) => Gate::Probe,
        (Gate::Free, Gate::Free) => Gate::Free,
    };
    breakers.iter().map(|breaker| gate(Some(breaker), now)).fold(Gate::Free, narrower)
}

/// Returns what a failure holds: the provider, or only the model if a person has to correct its name
/// or address.
pub fn held_by(why: ProviderUnavailable, model: &dyn Model) -> &str {
    match why {
        ProviderUnavailable::Configuration | ProviderUnavailable::WrongAnswer => model.name(),
        ProviderUnavailable::Authentication
        | ProviderUnavailable::Quota
        | ProviderUnavailable::Unreachable
        | ProviderUnavailable::ServerError
        | ProviderUnavailable::Outage => model.provider(),
    }
}

/// A call that failed because of its provider.
#[derive(Debug, Clone, Copy)]
pub struct Failure<'a> {
    pub why: ProviderUnavailable,
    pub detail: &'a str,
    /// When the call was made.
    pub asked_at: Timestamp,
    /// How long the provider wants to be left alone, if it says so.
    pub retry_after: Option<Duration>,
}

/// Returns how long a provider wants to be left alone, as far as that is taken from it.
pub fn named(retry_after: Option<Duration>) -> Duration {
    retry_after.unwrap_or_default().min(LONGEST_RETRY_AFTER)
}

/// Returns the breaker after a call failed.
pub fn failed(
    before: Option<&Breaker>,
    provider: &str,
    failure: Failure<'_>,
    now: Timestamp,
) -> Breaker {
    let Failure { why, detail, asked_at, retry_after } = failure;
    let named = retry_after.filter(|wait| *wait >= SHORTEST_RETRY_AFTER);
    let named = named.map(|wait| now + wait.min(LONGEST_RETRY_AFTER));
    let window = Duration::from_secs(limits::BREAKER_WINDOW_SECONDS);
    let fresh = Breaker {
        provider: provider.to_owned(),
        why: why.into(),
        failures: 0,
        since: now,
        opened: 0,
        open_until: None,
        detail: String::new(),
    };
    let mut after = match before {
        Some(known) if known.opened > 0 || now < known.since + window => known.clone(),
        Some(_) | None => fresh,
    };
    let was_probing = is_probing(&after);
    after.failures = after.failures.max(0) + 1;
    detail.clone_into(&mut after.detail);
    after.why = why.into();
    if after.open_until.is_some_and(|until| now < until) && !was_probing {
        // Runs that called it before it opened fail as well; they add no information but a longer wait.
        after.open_until = after.open_until.max(named);
        return after;
    }
    // A person has to change something, so another attempt soon is pointless.
    let needs_person = match why {
        ProviderUnavailable::Authentication
        | ProviderUnavailable::Configuration
        | ProviderUnavailable::WrongAnswer => true,
        ProviderUnavailable::Quota
        | ProviderUnavailable::Unreachable
        | ProviderUnavailable::ServerError
        | ProviderUnavailable::Outage => false,
    };
    // Calls that take as long as this to fail are never five within the window.
    let was_slow = asked_at + window <= now;
    let enough = after.failures >= limits::BREAKER_FAILURES || needs_person || was_slow;
    if enough || after.opened > 0 && named.is_none() {
        after.opened += 1;
        after.open_until = named.max(Some(now + pause(after.opened)));
    } else if named.is_some() {
        // It knows better than a pause that doubles, but not for ever: what was refused for an hour is not
        // asked again every few seconds.
        let least = (after.since.until(now) / 8).min(LONGEST_RETRY_AFTER);
        after.opened = after.opened.max(1);
        after.open_until = named.max(Some(now + least));
    }
    after
}

/// The shortest wait that holds a provider by itself. One that names less is counted like one that names
/// nothing: it would be asked again at once, without end.
const SHORTEST_RETRY_AFTER: Duration = Duration::from_secs(5);

/// The longest wait that a provider can ask for.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(limits::BREAKER_MAX_SECONDS);

/// Returns the breaker with a probe under way: no other run asks until it ends or times out.
pub fn probing(breaker: &Breaker, now: Timestamp) -> Breaker {
    Breaker {
        failures: PROBING,
        open_until: Some(now + Duration::from_secs(limits::BREAKER_SECONDS)),
        ..breaker.clone()
    }
}

/// Failure count that marks a breaker with a probe under way.
const PROBING: i64 = -1;

fn is_probing(breaker: &Breaker) -> bool {
    breaker.failures == PROBING
}

/// Returns how long a breaker stays open after opening `opened` times in a row.
fn pause(opened: i64) -> Duration {
    let doublings = u32::try_from(opened - 1).unwrap_or(0).min(10);
    let seconds = (limits::BREAKER_SECONDS << doublings).min(limits::BREAKER_MAX_SECONDS);
    Duration::from_secs(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    fn fail_by(
        before: Option<&Breaker>,
        why: ProviderUnavailable,
        [asked_at, now]: [Timestamp; 2],
    ) -> Breaker {
        let failure = Failure { why, detail: "no", asked_at, retry_after: None };
        failed(before, "far", failure, now)
    }

    fn fail(before: Option<&Breaker>, seconds: i64) -> Breaker {
        fail_by(before, ProviderUnavailable::Outage, [at(seconds); 2])
    }

    fn refuse_key() -> Breaker {
        fail_by(None, ProviderUnavailable::Authentication, [at(0); 2])
    }

    fn limited(before: Option<&Breaker>, seconds: i64, wait: u64) -> Breaker {
        let (why, now) = (ProviderUnavailable::Quota, at(seconds));
        let retry_after = Some(Duration::from_secs(wait));
        failed(before, "far", Failure { why, detail: "429", asked_at: now, retry_after }, now)
    }

    #[test]
    fn the_time_that_a_provider_names_holds_it_until_then_and_no_longer() {
        let mut breaker = limited(None, 0, 7);
        assert_eq!(gate(Some(&breaker), at(6)), Gate::Closed { until: at(7) });
        assert_eq!(gate(Some(&breaker), at(7)), Gate::Probe);
        breaker = limited(Some(&breaker), 1, 3);
        assert_eq!(
            breaker.open_until,
            Some(at(7)),
            "one that had asked before, with a shorter wait"
        );
        breaker = limited(Some(&breaker), 2, 20);
        assert_eq!(breaker.open_until, Some(at(22)), "or with a longer one");
        breaker = limited(Some(&probing(&breaker, at(22))), 23, 5);
        assert_eq!(breaker.open_until, Some(at(28)), "it knows better than a pause that doubles");
        assert_eq!(breaker.opened, 1, "it went away once");
        breaker = fail(Some(&probing(&breaker, at(28))), 29);
        assert_eq!(breaker.open_until, Some(at(149)), "without a time the pause doubles");
        assert_eq!(limited(None, 0, 90_000).open_until, Some(at(1800)), "half an hour at most");
    }

    #[test]
    fn a_provider_that_names_next_to_no_time_is_called_less_and_less_often() {
        for wait in [0, 1, 4, 5, 7] {
            let (mut breaker, mut now, mut calls) = (None, at(0), Vec::new());
            while now < at(86_400) {
                match gate(breaker.as_ref(), now) {
                    Gate::Closed { until } => {
                        now = until;
                        continue;
                    }
                    Gate::Probe => breaker = breaker.as_ref().map(|known| probing(known, now)),
                    Gate::Free => {}
                }
                calls.push(now);
                breaker = Some(limited(breaker.as_ref(), now.micros() / 1_000_000, wait));
                now = now + Duration::from_secs(1);
            }
            let within = |seconds| calls.iter().filter(|call| **call < at(seconds)).count();
            assert!(within(60) <= 12, "{wait}: {} in a minute", within(60));
            assert!(within(86_400) <= 120, "{wait}: {} in a day", within(86_400));
        }
    }

    #[test]
    fn five_failures_within_a_minute_open_it_and_four_do_not() {
        let mut breaker = fail(None, 0);
        for seconds in [10, 20, 30] {
            breaker = fail(Some(&breaker), seconds);
            assert_eq!(gate(Some(&breaker), at(seconds)), Gate::Free);
        }
        breaker = fail(Some(&breaker), 59);
        assert_eq!(gate(Some(&breaker), at(59)), Gate::Closed { until: at(119) });
        assert_eq!(gate(Some(&breaker), at(118)), Gate::Closed { until: at(119) });
        assert_eq!(gate(Some(&breaker), at(119)), Gate::Probe);
    }

    #[test]
    fn failures_more_than_a_minute_ago_are_forgotten() {
        let mut breaker = fail(None, 0);
        for seconds in [10, 20, 30, 60] {
            breaker = fail(Some(&breaker), seconds);
        }
        assert_eq!((breaker.failures, breaker.open_until), (1, None));
    }

    #[test]
    fn a_refused_key_opens_it_at_once() {
        let breaker = refuse_key();
        assert_eq!(gate(Some(&breaker), at(1)), Gate::Closed { until: at(60) });
    }

    #[test]
    fn a_call_that_takes_longer_to_fail_than_failures_are_remembered_opens_it_alone() {
        let unreachable = |before: Option<&Breaker>, called_at, failed_at| {
            fail_by(before, ProviderUnavailable::Unreachable, [at(called_at), at(failed_at)])
        };
        let quick = unreachable(None, 0, 59);
        assert_eq!(gate(Some(&quick), at(59)), Gate::Free);
        let mut breaker = unreachable(None, 0, 60);
        assert_eq!(gate(Some(&breaker), at(60)), Gate::Closed { until: at(120) });
        breaker = unreachable(Some(&probing(&breaker, at(120))), 120, 250);
        assert_eq!(gate(Some(&breaker), at(250)), Gate::Closed { until: at(370) }, "twice as long");
    }

    #[test]
    fn a_wrong_name_or_address_opens_it_at_once_and_the_narrowest_gate_counts() {
        let own = fail_by(None, ProviderUnavailable::Configuration, [at(0); 2]);
        assert_eq!(gate(Some(&own), at(1)), Gate::Closed { until: at(60) });
        let failing = fail(None, 0);
        let both = [failing.clone(), own.clone()];
        assert_eq!(gate_of_all(&both, at(1)), Gate::Closed { until: at(60) });
        assert_eq!(gate_of_all(&both, at(60)), Gate::Probe);
        assert_eq!(gate_of_all(&[failing], at(1)), Gate::Free);
        assert_eq!(gate_of_all(&[], at(1)), Gate::Free);
    }

    #[test]
    fn a_failure_from_before_it_opened_does_not_prolong_it() {
        let mut breaker = refuse_key();
        breaker = fail(Some(&breaker), 30);
        assert_eq!(gate(Some(&breaker), at(31)), Gate::Closed { until: at(60) });
        assert_eq!(breaker.opened, 1);
    }

    #[test]
    fn each_probe_that_fails_doubles_the_pause_up_to_half_an_hour() {
        let mut breaker = refuse_key();
        let mut now = at(60);
        let mut pauses = Vec::new();
        for _ in 0..7 {
            assert_eq!(gate(Some(&breaker), now), Gate::Probe);
            breaker = probing(&breaker, now);
            assert!(matches!(gate(Some(&breaker), now), Gate::Closed { .. }), "one probe");
            breaker = fail_by(Some(&breaker), ProviderUnavailable::Outage, [now; 2]);
            let Gate::Closed { until } = gate(Some(&breaker), now) else { panic!("it is open") };
            pauses.push((until.micros() - now.micros()) / 1_000_000);
            now = until;
        }
        assert_eq!(pauses, [120, 240, 480, 960, 1800, 1800, 1800]);
    }

    #[test]
    fn a_probe_that_never_ends_lets_another_one_try() {
        let breaker = refuse_key();
        let breaker = probing(&breaker, at(60));
        assert_eq!(gate(Some(&breaker), at(120)), Gate::Probe);
    }
}
