//! Describes the scheduled wakes of an agent.

use dormouse::view::{Agent, HeldBy, ScheduledReason, ScheduledWake};
use dormouse_types::Timestamp;
use dormouse_types::closed_list::Listed;

use crate::terminal::line;

/// One line for each wake: when, and why.
pub fn describe(agent: &Agent, at: impl Fn(Timestamp) -> String) -> Vec<String> {
    let failures = agent.consecutive_failure_count;
    agent.scheduled_wakes.iter().map(|wake| one(wake, failures, &at)).collect()
}

fn one(wake: &ScheduledWake, failures: i64, at: &impl Fn(Timestamp) -> String) -> String {
    let when = wake.at.map_or_else(|| "no time is set".to_owned(), at);
    let held = match &wake.held_by {
        None => "",
        Some(Listed::Known(HeldBy::SleepUntil)) => ", held back until then",
        Some(Listed::Known(HeldBy::BackOff)) => ", with its next try",
        Some(Listed::Known(HeldBy::Automation)) => ", but it wakes only when asked",
        Some(Listed::Known(HeldBy::Dormant)) => ", but it is dormant",
        Some(Listed::Known(HeldBy::Budget)) => ", when there is a new budget",
        Some(Listed::Known(HeldBy::Provider)) => ", when its provider is tried again",
        Some(Listed::Known(HeldBy::PaidCalls)) => ", unless calls that cost money stay off",
        Some(Listed::Other(_)) => ", held back",
    };
    format!("{when}: {}{held}", why(wake, failures))
}

/// Why an agent will wake.
fn why(wake: &ScheduledWake, failures: i64) -> String {
    let reason = match &wake.reason {
        Listed::Known(reason) => *reason,
        Listed::Other(name) => return line(name),
    };
    match (reason, &wake.about) {
        (ScheduledReason::WakeAt, _) => "you set this time".to_owned(),
        (ScheduledReason::DueDate, Some(day)) => format!("its task is due on {}", line(day)),
        (ScheduledReason::DueDate, None) => "its task is due soon".to_owned(),
        (ScheduledReason::BackOff, _) if failures == 1 => {
            "it tries again after a failed run".to_owned()
        }
        (ScheduledReason::BackOff, _) => format!("it tries again after {failures} failed runs"),
        (ScheduledReason::Subscription, _) => "something changed".to_owned(),
        (ScheduledReason::Creation, _) => "its first look".to_owned(),
        (ScheduledReason::UserInitiated, _) => "you asked it".to_owned(),
        (ScheduledReason::Reanalysis, _) => "you asked for a reanalysis".to_owned(),
        (ScheduledReason::Interrupted, _) => "it resumes its last run".to_owned(),
        (ScheduledReason::Timer, _) => "a timer".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(reason: &str, about: Option<&str>, at: Option<i64>, held: Option<&str>, text: &str) {
        let wake = ScheduledWake {
            at: at.map(Timestamp::from_micros),
            reason: Listed::named(reason),
            about: about.map(str::to_owned),
            held_by: held.map(Listed::named),
        };
        assert_eq!(one(&wake, 2, &|at| format!("at {}", at.micros())), text);
    }

    #[test]
    fn a_wake_is_described_with_its_time_its_reason_and_what_holds_it() {
        check("wakeAt", None, Some(5), None, "at 5: you set this time");
        check("dueDate", Some("2036-01-02"), Some(5), None, "at 5: its task is due on 2036-01-02");
        check("backOff", None, Some(5), None, "at 5: it tries again after 2 failed runs");
        let held = "at 5: something changed, held back until then";
        check("subscription", None, Some(5), Some("sleepUntil"), held);
        let expected = "no time is set: something changed, but it wakes only when asked";
        check("subscription", None, None, Some("automation"), expected);
        check("of \u{1b}[2Ja newer version", None, Some(5), None, "at 5: of a newer version");
    }
}
