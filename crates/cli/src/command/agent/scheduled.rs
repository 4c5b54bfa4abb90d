//! Describes the scheduled wakes of an agent.

use dormouse::view::{Agent, ScheduledWake};
use dormouse_types::Timestamp;

use crate::terminal::line;

/// One line for each wake: when, and why.
pub fn describe(agent: &Agent, at: impl Fn(Timestamp) -> String) -> Vec<String> {
    let failures = agent.consecutive_failure_count;
    agent.scheduled_wakes.iter().map(|wake| one(wake, failures, &at)).collect()
}

fn one(wake: &ScheduledWake, failures: i64, at: &impl Fn(Timestamp) -> String) -> String {
    let when = wake.at.map_or_else(|| "no time is set".to_owned(), at);
    let held = match wake.held_by.as_deref() {
        None => "",
        Some("sleepUntil") => ", held back until then",
        Some("backOff") => ", with its next try",
        Some("automation") => ", but it wakes only when asked",
        Some("dormant") => ", but it is dormant",
        Some(_) => ", held back",
    };
    format!("{when}: {}{held}", why(wake, failures))
}

/// Why an agent will wake.
fn why(wake: &ScheduledWake, failures: i64) -> String {
    match (wake.reason.as_str(), &wake.about) {
        ("wakeAt", _) => "you set this time".to_owned(),
        ("dueDate", Some(day)) => format!("its task is due on {}", line(day)),
        ("dueDate", None) => "its task is due soon".to_owned(),
        ("backOff", _) if failures == 1 => "it tries again after a failed run".to_owned(),
        ("backOff", _) => format!("it tries again after {failures} failed runs"),
        ("subscription", _) => "something changed".to_owned(),
        ("creation", _) => "its first look".to_owned(),
        ("userInitiated", _) => "you asked it".to_owned(),
        ("reanalysis", _) => "you asked for a reanalysis".to_owned(),
        ("interrupted", _) => "it resumes its last run".to_owned(),
        ("timer", _) => "a timer".to_owned(),
        (other, _) => line(other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(reason: &str, about: Option<&str>, at: Option<i64>, held: Option<&str>, text: &str) {
        let wake = ScheduledWake {
            at: at.map(Timestamp::from_micros),
            reason: reason.into(),
            about: about.map(str::to_owned),
            held_by: held.map(str::to_owned),
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
        let asked = "no time is set: something changed, but it wakes only when asked";
        check("subscription", None, None, Some("automation"), asked);
        check("of \u{1b}[2Ja newer version", None, Some(5), None, "at 5: of a newer version");
    }
}
