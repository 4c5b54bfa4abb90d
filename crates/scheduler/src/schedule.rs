//! When a node polls next, and with what. Pure: a time is an argument.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use dormouse_types::{HolderId, Timestamp, WorkspaceId, limits};

/// How long a node waits after a failure.
pub const PAUSE: Duration = Duration::from_secs(1);

/// Options of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Maximum number of concurrent runs, 1 to 64, without those of kinds that have slots of their own.
    pub concurrency: usize,
    /// Where this node starts among rows of equal rank; 0 if it is the only node.
    pub offset: usize,
}

impl Default for Options {
    fn default() -> Self {
        Self { concurrency: limits::CONCURRENCY, offset: 0 }
    }
}

/// What a poll depends on.
#[derive(Debug, Clone)]
pub struct PollRequest {
    /// Maximum number of concurrent runs, without those of kinds that have slots of their own.
    pub concurrency: usize,
    /// How many this node has claimed so far, by the kind of holder.
    pub claims: BTreeMap<String, u64>,
    /// Whether to sweep for what nothing points to.
    pub is_sweep: bool,
    /// Holders at work in this node.
    pub alive: BTreeSet<(WorkspaceId, HolderId)>,
    /// Holders that are not claimed before the next sweep.
    pub stuck: BTreeSet<(WorkspaceId, HolderId)>,
    /// Where this node starts among rows of equal rank.
    pub offset: usize,
}

impl PollRequest {
    /// Returns whether the node may claim a holder that is due.
    pub fn is_new(&self, ws: WorkspaceId, holder: &HolderId) -> bool {
        let who = (ws, holder.clone());
        !self.alive.contains(&who) && !self.stuck.contains(&who)
    }
}

/// When a node polls next.
#[derive(Debug)]
pub struct Schedule {
    options: Options,
    sweep_every: Duration,
    /// When the next sweep is due.
    pub next_sweep: Timestamp,
    /// The next known time at which something may be due.
    pub deadline: Option<Timestamp>,
    /// Something changed, or there is room again.
    pub poll_now: bool,
    /// No poll before then, because something failed.
    paused_until: Option<Timestamp>,
    /// Holders at work in this node.
    pub alive: BTreeSet<(WorkspaceId, HolderId)>,
    /// Holders that could not be claimed, because of damaged rows or again and again; retried after the
    /// next sweep.
    pub stuck: BTreeSet<(WorkspaceId, HolderId)>,
    /// How many claims this node has made, by the kind of holder.
    pub claims: BTreeMap<String, u64>,
}

impl Schedule {
    /// Creates the schedule of a node that starts now.
    pub fn new(now: Timestamp, lease: Duration, options: Options) -> Self {
        Self {
            options,
            sweep_every: Duration::from_secs(limits::SWEEP_SECONDS).min(lease / 2),
            next_sweep: now,
            deadline: None,
            poll_now: true,
            paused_until: None,
            alive: BTreeSet::new(),
            stuck: BTreeSet::new(),
            claims: BTreeMap::new(),
        }
    }

    /// Returns what to poll for now, or `None` if there is no reason to poll.
    pub fn next_poll(&mut self, now: Timestamp) -> Option<PollRequest> {
        // If the clock was set back, the end of a pause, or the next sweep, would seem far away.
        if self.paused_until.is_some_and(|until| now < until && until <= now + PAUSE) {
            return None;
        }
        self.paused_until = None;
        let is_sweep = now >= self.next_sweep || now + self.sweep_every < self.next_sweep;
        let is_due = self.deadline.is_some_and(|due| due <= now);
        if !(self.poll_now || is_sweep || is_due) {
            return None;
        }
        self.poll_now = false;
        if is_sweep {
            self.next_sweep = now + self.sweep_every;
            self.stuck.clear();
        }
        Some(PollRequest {
            concurrency: self.options.concurrency,
            claims: self.claims.clone(),
            is_sweep,
            alive: self.alive.clone(),
            stuck: self.stuck.clone(),
            offset: self.options.offset,
        })
    }

    /// Returns when the next poll is due if nothing changes before.
    pub fn next_poll_at(&self) -> Timestamp {
        let next = self.deadline.map_or(self.next_sweep, |due| due.min(self.next_sweep));
        self.paused_until.unwrap_or(next)
    }

    /// Returns whether a hint would make the node poll earlier than it will.
    pub fn accepts_hints(&self) -> bool {
        !self.poll_now && self.paused_until.is_none()
    }

    /// Backs off after a failure: the store is probably down, and polling at once would spin.
    pub fn pause(&mut self, now: Timestamp) {
        self.paused_until = Some(now + PAUSE);
        self.poll_now = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: Duration = Duration::from_secs(60);

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    #[test]
    fn a_node_polls_at_the_start_at_deadlines_at_hints_and_to_sweep() {
        let mut plan = Schedule::new(at(0), LEASE, Options::default());
        assert!(plan.next_poll(at(0)).is_some_and(|poll| poll.is_sweep), "at the start");
        assert!(plan.next_poll(at(1)).is_none());
        plan.deadline = Some(at(5));
        assert_eq!(plan.next_poll_at(), at(5));
        assert!(plan.next_poll(at(5)).is_some_and(|poll| !poll.is_sweep), "at a deadline");
        plan.deadline = None;
        plan.poll_now = true;
        assert!(plan.next_poll(at(6)).is_some(), "at a hint");
        assert_eq!(plan.next_poll_at(), at(30));
        assert!(plan.next_poll(at(30)).is_some_and(|poll| poll.is_sweep));
    }

    #[test]
    fn after_a_failure_it_waits_unless_the_clock_was_set_back() {
        let mut plan = Schedule::new(at(100), LEASE, Options::default());
        assert!(plan.next_poll(at(100)).is_some());
        plan.pause(at(100));
        assert!(!plan.accepts_hints());
        assert!(plan.next_poll(at(100)).is_none());
        assert_eq!(plan.next_poll_at(), at(101));
        assert!(plan.next_poll(at(50)).is_some(), "the pause would end in a minute");
    }
}
