//! What a run does next. Continuing and resuming after a crash are the same call.

use dormouse_types::limits;
use dormouse_types::model::{ToolCall, ToolResult, Turn};

/// What is recorded of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunLog {
    /// Turns, in order.
    pub turns: Vec<LoggedTurn>,
    /// Whether the run must publish a report.
    pub report_due: bool,
    /// Whether an accepted call published a report.
    pub reported: bool,
}

/// A recorded turn.
#[derive(Debug, Clone, PartialEq)]
pub struct LoggedTurn {
    /// The model's text next to its calls.
    pub text: String,
    /// Calls, in order.
    pub calls: Vec<ToolCall>,
    /// One entry per call; `None` until the call has run.
    pub results: Vec<Option<ToolResult>>,
    /// Whether the model asks for no further turn.
    pub ended: bool,
}

impl LoggedTurn {
    /// Returns the turn as later requests of the same run show it.
    pub fn shown(&self) -> Turn {
        Turn {
            text: self.text.clone(),
            calls: self.calls.clone(),
            results: self.results.iter().flatten().cloned().collect(),
            ended: self.ended,
        }
    }
}

/// Limits of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Number of turns after which the model may only report.
    pub turns: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { turns: limits::TURNS.max }
    }
}

/// The next step of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Ask the model for a turn.
    AskModel {
        /// Number of the turn, from 1.
        turn: u32,
        /// Whether only `update_report` may be called.
        report_only: bool,
    },
    /// Run a recorded call that has no result yet.
    RunTool {
        /// Index of the turn, from 0.
        turn: usize,
        /// Index of the call, from 0.
        call: usize,
    },
    /// End the run.
    Finish {
        /// Whether the run reached the cap on turns.
        cut: bool,
    },
}

/// Decides the next step from what is recorded.
pub fn next(log: &RunLog, limits: &Limits) -> Step {
    let count = log.turns.len();
    let ask = |report_only| Step::AskModel {
        turn: u32::try_from(count + 1).unwrap_or(u32::MAX),
        report_only,
    };
    let Some(last) = log.turns.last() else { return ask(false) };
    if let Some(call) = last.results.iter().position(Option::is_none) {
        return Step::RunTool { turn: count - 1, call };
    }
    // The turn after the cap, and the one that asks for a missing report, are always the last.
    if count > limits.turns {
        return Step::Finish { cut: true };
    }
    let was_forced = count >= 2 && wants_nothing_more(&log.turns[count - 2]);
    if was_forced {
        return Step::Finish { cut: false };
    }
    if wants_nothing_more(last) {
        let missing = log.report_due && !log.reported;
        return if missing { ask(true) } else { Step::Finish { cut: false } };
    }
    ask(count == limits.turns)
}

/// Returns whether a turn is the model's last: it made no call, or it ended and nothing was
/// refused.
fn wants_nothing_more(turn: &LoggedTurn) -> bool {
    let refused = turn.results.iter().flatten().any(|result| result.refused);
    turn.calls.is_empty() || (turn.ended && !refused)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn turn(spec: &str) -> LoggedTurn {
        let mut turn = LoggedTurn {
            text: String::new(),
            calls: Vec::new(),
            results: Vec::new(),
            ended: spec.contains('.'),
        };
        for (n, mark) in spec.chars().filter(|mark| "o!?".contains(*mark)).enumerate() {
            let id = format!("call-{n}");
            turn.calls.push(ToolCall { id: id.clone(), name: "tool".into(), args: json!({}) });
            turn.results.push((mark != '?').then(|| ToolResult {
                call_id: id,
                refused: mark == '!',
                text: String::new(),
            }));
        }
        turn
    }

    /// `o` an accepted call, `!` a refused one, `?` one without a result, `.` the model ended.
    fn check(turns: &[&str], report_due: bool, reported: bool, expected: Step) {
        let turns = turns.iter().map(|spec| turn(spec)).collect();
        let log = RunLog { turns, report_due, reported };
        assert_eq!(next(&log, &Limits { turns: 3 }), expected, "{log:?}");
    }

    #[test]
    fn a_run_asks_until_the_model_is_done() {
        check(&[], true, false, Step::AskModel { turn: 1, report_only: false });
        check(&["oo"], true, true, Step::AskModel { turn: 2, report_only: false });
        check(&["oo", ""], true, true, Step::Finish { cut: false });
        check(&["oo."], true, true, Step::Finish { cut: false });
    }

    #[test]
    fn a_refused_call_gives_the_model_another_turn() {
        check(&["o!."], false, false, Step::AskModel { turn: 2, report_only: false });
    }

    #[test]
    fn a_call_without_result_is_run_before_anything_else() {
        check(&["o?."], true, false, Step::RunTool { turn: 0, call: 1 });
    }

    #[test]
    fn a_missing_report_is_asked_for_once() {
        check(&["o."], true, false, Step::AskModel { turn: 2, report_only: true });
        check(&["o.", ""], true, false, Step::Finish { cut: false });
    }

    #[test]
    fn beyond_the_cap_only_a_report_is_asked_for_and_the_run_is_cut() {
        check(&["o", "o", "o"], false, false, Step::AskModel { turn: 4, report_only: true });
        check(&["o", "o", "o", "o"], false, false, Step::Finish { cut: true });
    }
}
