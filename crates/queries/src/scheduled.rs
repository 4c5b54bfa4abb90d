//! The scheduled wakes of an agent: when, why, and what holds them back.

use dormouse_store::agent::agent_entity::{Agent, Lifecycle, State};
use dormouse_store::agent::timer::{Kind, Timer};
use dormouse_store::agent::wake_queue::{QueueEntry, Reason};
use dormouse_types::Timestamp;
use dormouse_types::agent::PutOff;
use dormouse_types::closed_list::Listed;

use crate::view::{HeldBy, ScheduledReason, ScheduledWake};

/// The facts that determine when an agent wakes.
pub(crate) struct AgentFacts<'a> {
    pub agent: &'a Agent,
    /// Whether changes wake it.
    pub automatic: bool,
    pub state: &'a State,
    pub row: Option<&'a QueueEntry>,
    pub timers: &'a [Timer],
    pub now: Timestamp,
}

/// All scheduled wakes of an agent, earliest first.
pub(crate) fn wakes(known: &AgentFacts<'_>) -> Vec<ScheduledWake> {
    if known.agent.lifecycle == Lifecycle::Destroyed {
        return Vec::new();
    }
    let mut wakes = known.row.map_or_else(Vec::new, |row| queued(known, row));
    wakes.extend(known.timers.iter().filter(|it| it.fired_at.is_none()).map(|it| armed(known, it)));
    wakes.sort_by(|a, b| {
        let place = |wake: &ScheduledWake| (wake.at.is_none(), wake.at, wake.reason.clone());
        place(a).cmp(&place(b))
    });
    wakes
}

/// When an agent next wakes automatically.
pub(crate) fn next(wakes: &[ScheduledWake]) -> Option<Timestamp> {
    let is_kept = |wake: &&ScheduledWake| {
        matches!(wake.held_by, Some(Listed::Known(HeldBy::Automation | HeldBy::Dormant)))
    };
    wakes.iter().filter(|wake| !is_kept(wake)).find_map(|wake| wake.at)
}

/// What prevents all automatic wakes of an agent.
fn kept_by(known: &AgentFacts<'_>) -> Option<HeldBy> {
    match known.agent.lifecycle {
        Lifecycle::Dormant => Some(HeldBy::Dormant),
        Lifecycle::Created | Lifecycle::Active | Lifecycle::Destroyed if !known.automatic => {
            Some(HeldBy::Automation)
        }
        Lifecycle::Created | Lifecycle::Active | Lifecycle::Destroyed => None,
    }
}

/// When the end of a sleep holds an automatic wake back.
fn sleeps_until(known: &AgentFacts<'_>) -> Option<Timestamp> {
    known.row.and_then(|row| row.sleep_until).filter(|until| *until > known.now)
}

/// The wake in the queue.
fn queued(known: &AgentFacts<'_>, row: &QueueEntry) -> Vec<ScheduledWake> {
    let mut wakes = Vec::new();
    let put_off = put_off(row, known.now).and_then(|why| why.known()).map(|why| match why {
        PutOff::AgentBudget | PutOff::WorkspaceBudget => HeldBy::Budget,
        PutOff::Provider => HeldBy::Provider,
        PutOff::PaidCalls => HeldBy::PaidCalls,
    });
    let backs_off = row.reasons.contains(&Reason::Timer) && known.state.next_wake_at.is_some();
    let mut wake = |reason: ScheduledReason, about: Option<String>, is_automatic: bool| {
        let held_by = match kept_by(known) {
            None if put_off.is_some() => put_off,
            _ if !is_automatic && known.agent.lifecycle != Lifecycle::Dormant => put_off,
            Some(kept) => Some(kept),
            None if row.due_at.is_some() && row.due_at == sleeps_until(known) => {
                Some(HeldBy::SleepUntil)
            }
            None if backs_off && reason != ScheduledReason::BackOff => Some(HeldBy::BackOff),
            None => None,
        };
        // Recorded for a next wake without a time: a first wake that waits for content, or a change
        // to a linked task.
        if row.due_at.is_some() || held_by.is_some() {
            let (reason, held_by) = (reason.into(), held_by.map(Listed::Known));
            wakes.push(ScheduledWake { at: row.due_at, reason, about, held_by });
        }
    };
    if row.run_key.is_some() && row.owner.is_none() {
        wake(ScheduledReason::Interrupted, None, row.priority > 0);
    }
    for reason in &row.reasons {
        if *reason != Reason::Timer {
            wake((*reason).into(), None, reason.is_automatic());
            continue;
        }
        if backs_off {
            wake(ScheduledReason::BackOff, None, true);
        }
        let mut fired = known.timers.iter().filter(|timer| timer.fired_at.is_some()).peekable();
        if fired.peek().is_none() && !backs_off {
            wake(ScheduledReason::Timer, None, true);
        }
        for timer in fired {
            wake(timer.kind.into(), timer.about.clone(), true);
        }
    }
    wakes
}

/// A timer that has not fired: it wakes the agent at its time, unless held back.
fn armed(known: &AgentFacts<'_>, timer: &Timer) -> ScheduledWake {
    let joins = known.row.filter(|row| row.reasons.contains(&Reason::Timer));
    let back_off = joins.and_then(|row| row.due_at).filter(|_| known.state.next_wake_at.is_some());
    let later = |end: Option<Timestamp>| end.filter(|end| *end > timer.at);
    // Disabled automation does not hold back a time set by the user.
    let kept =
        kept_by(known).filter(|kept| *kept != HeldBy::Automation || timer.kind != Kind::WakeAt);
    let (at, held_by) = match (kept, later(sleeps_until(known)), later(back_off)) {
        (Some(kept), _, _) => (timer.at, Some(kept)),
        (None, _, Some(end)) => (end, Some(HeldBy::BackOff)),
        (None, Some(end), None) => (end, Some(HeldBy::SleepUntil)),
        (None, None, None) => (timer.at, None),
    };
    ScheduledWake {
        at: Some(at),
        reason: Listed::Known(timer.kind.into()),
        about: timer.about.clone(),
        held_by: held_by.map(Listed::Known),
    }
}

/// Why a wake waits, as long as it does.
pub(crate) fn put_off(row: &QueueEntry, now: Timestamp) -> Option<Listed<PutOff>> {
    row.put_off.clone().filter(|_| row.owner.is_none() && row.due_at.is_some_and(|due| due > now))
}
