//! Run keys: derived only from stored facts, so that a replay is the same run.

use dormouse_store::agent::agent_entity::own_subscription;
use dormouse_store::agent::wake_queue::Reason;
use dormouse_types::{AgentId, HostId, Id as _, RunKey, Seq, Timestamp, hash};

/// What caused a run; part of its key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cause {
    /// Changes, as an interval of the change sequence.
    Subscription {
        /// What earlier runs had seen.
        processed: Seq,
        /// The last change that this run is guaranteed to see.
        upto: Seq,
        /// The journal that these numbers count in, for an agent that has known another one, whose
        /// numbers may be the same.
        journal: Option<HostId>,
    },
    Timer {
        /// When it was due.
        scheduled_at: Timestamp,
    },
    /// The agent was created.
    Creation,
    /// A person requested it.
    Request {
        /// Operation id of the request.
        id: String,
    },
}

/// Derives the key under which a wake runs at most once.
///
/// Shape: 64 lower-case hex digits.
/// Units: the interval of `Cause::Subscription` counts journal commits; it is not a time.
/// Source: `docs/adr/0003-run-keys-from-stored-facts.md`.
pub fn run_key(agent: &AgentId, cause: &Cause) -> RunKey {
    let (middle, last) = match cause {
        Cause::Subscription { processed, upto, journal } => {
            let journal = journal.as_ref().map(|host| format!("{host}:")).unwrap_or_default();
            (own_subscription(agent).to_string(), format!("{journal}{processed}-{upto}"))
        }
        Cause::Timer { scheduled_at } => ("timer".into(), scheduled_at.micros().to_string()),
        Cause::Creation => ("creation".into(), "0".into()),
        Cause::Request { id } => (id.clone(), "0".into()),
    };
    RunKey(hash::joined(&[agent.as_str(), &middle, &last]).0)
}

/// Derives the key of the run that follows a cancelled one with the same cause.
///
/// Shape: as [`run_key`].
pub fn key_after(cancelled: &RunKey) -> RunKey {
    RunKey(hash::joined(&["after", cancelled.as_str()]).0)
}

/// Returns the strongest of several reasons, which names the run.
pub fn strongest(reasons: &[Reason]) -> Reason {
    reasons.iter().copied().max().unwrap_or(Reason::Subscription)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent() -> AgentId {
        "ag-01jd7m3k5vn2c8q4w6x0z9abcd".parse().expect("an id")
    }

    #[test]
    fn a_key_is_the_hash_of_its_parts() {
        let cause = Cause::Subscription { processed: Seq(3), upto: Seq(9), journal: None };
        // printf 'ag-…|su-…|3-9' | sha256sum
        let expected =
            hash::sha256("ag-01jd7m3k5vn2c8q4w6x0z9abcd|su-01jd7m3k5vn2c8q4w6x0z9abcd|3-9");
        assert_eq!(run_key(&agent(), &cause).0, expected.0);
    }

    #[test]
    fn the_same_interval_is_the_same_run_and_a_later_one_is_another() {
        let of = |processed, upto, journal| {
            let (processed, upto) = (Seq(processed), Seq(upto));
            run_key(&agent(), &Cause::Subscription { processed, upto, journal })
        };
        let key = |processed, upto| of(processed, upto, None);
        assert_eq!(key(1, 2), key(1, 2));
        assert_ne!(key(1, 2), key(2, 3));
        assert_ne!(key(1, 2), key(1, 3));
        let journal: HostId = "ho-01jd7m3k5vn2c8q4w6x0z9abcd".parse().expect("an id");
        assert_ne!(key(1, 2), of(1, 2, Some(journal)), "another journal has counts of its own");
    }

    #[test]
    fn a_person_outweighs_what_happens_by_itself() {
        let reasons = [Reason::Creation, Reason::UserInitiated, Reason::Subscription];
        assert_eq!(strongest(&reasons), Reason::UserInitiated);
        assert_eq!(strongest(&[Reason::Timer, Reason::Subscription]), Reason::Timer);
    }
}
