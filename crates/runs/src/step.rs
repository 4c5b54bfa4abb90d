//! What a run does next. Continuing and resuming after a crash are the same call.

use dormouse_types::limits;
use dormouse_types::model::{ProviderState, ToolCall, ToolResult, Turn};

/// What is recorded of a run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RunLog {
    /// Turns, in order.
    pub turns: Vec<LoggedTurn>,
    /// Whether a closing call is still missing.
    pub closing: Closing,
}

/// The part that a closing call plays in a run: a call of one of the tools that its handler names,
/// for example one that publishes a result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Closing {
    /// No tool closes this run.
    #[default]
    Never,
    /// The run may end without a closing call, or has made one. At the cap on turns it may still
    /// make one.
    Optional,
    /// The run has ended with the call that it made: no further request follows.
    Final,
    /// The run needs a closing call and has made none that was accepted.
    Missing,
}

/// The tools that a turn may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolSet {
    /// Every tool of the run.
    All,
    /// Only the tools that close the run.
    Closing,
}

/// A recorded turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct LoggedTurn {
    /// The model's text next to its calls.
    pub text: String,
    /// Calls, in order.
    pub calls: Vec<ToolCall>,
    /// One entry per call; `None` until the call has run.
    pub results: Vec<Option<ToolResult>>,
    /// Whether the model asks for no further turn.
    pub ended: bool,
    /// What the provider must get back with this turn.
    pub provider_state: Option<ProviderState>,
}

impl RunLog {
    /// Returns how many calls a turn may still make. The turn after a cap has room again, to close
    /// the run.
    pub fn room_for_calls(&self, tools: ToolSet, limits: &Limits) -> usize {
        let made: usize = self.turns.iter().map(|turn| turn.calls.len()).sum();
        match tools {
            ToolSet::All => limits.calls.saturating_sub(made),
            ToolSet::Closing => limits.calls,
        }
    }
}

impl LoggedTurn {
    /// Returns the turn as later requests of the same run show it.
    pub fn rendered(&self) -> Turn {
        Turn {
            text: self.text.clone(),
            calls: self.calls.clone(),
            results: self.results.iter().flatten().cloned().collect(),
            ended: self.ended,
            provider_state: self.provider_state.clone(),
        }
    }
}

/// Limits of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Number of turns after which only closing tools may be called.
    pub turns: usize,
    /// Number of calls of all turns after which only closing tools may be called.
    pub calls: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { turns: limits::TURNS.max, calls: limits::CALLS_PER_WAKE.max }
    }
}

/// The next step of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// Ask the model for a turn.
    AskModel {
        /// Number of the turn, from 1.
        turn: u32,
        /// Tools that may be called.
        tools: ToolSet,
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
        /// Whether the run reached the cap on turns or on calls, or was stuck.
        cut: bool,
    },
}

/// Decides the next step from what is recorded.
pub fn next(log: &RunLog, limits: &Limits) -> Step {
    let count = log.turns.len();
    let ask = |tools| Step::AskModel { turn: u32::try_from(count + 1).unwrap_or(u32::MAX), tools };
    let Some(last) = log.turns.last() else { return ask(ToolSet::All) };
    if let Some(call) = last.results.iter().position(Option::is_none) {
        return Step::RunTool { turn: count - 1, call };
    }
    if log.closing == Closing::Final {
        return Step::Finish { cut: false };
    }
    // The turn after a cap, and the one that asks for a missing closing call, are always the last.
    let is_at_cap = |turns: &[LoggedTurn]| {
        let calls: usize = turns.iter().map(|turn| turn.calls.len()).sum();
        turns.len() >= limits.turns || calls >= limits.calls || is_stuck(turns)
    };
    if is_at_cap(&log.turns[..count - 1]) {
        return Step::Finish { cut: true };
    }
    let was_forced = count >= 2 && wants_nothing_more(&log.turns[count - 2]);
    if was_forced {
        return Step::Finish { cut: false };
    }
    if wants_nothing_more(last) {
        return match log.closing {
            Closing::Missing => ask(ToolSet::Closing),
            Closing::Never | Closing::Optional | Closing::Final => Step::Finish { cut: false },
        };
    }
    match log.closing {
        Closing::Missing | Closing::Optional if is_at_cap(&log.turns) => ask(ToolSet::Closing),
        Closing::Never | Closing::Final if is_at_cap(&log.turns) => Step::Finish { cut: true },
        Closing::Never | Closing::Optional | Closing::Missing | Closing::Final => ask(ToolSet::All),
    }
}

/// How many turns in a row may make the same calls, all of them refused.
const SAME_REFUSED_TURNS: usize = 3;

/// Returns whether the model repeats calls that were refused. It has read why, turn after turn, so
/// another turn would only cost as much again.
fn is_stuck(turns: &[LoggedTurn]) -> bool {
    let Some(last) = turns.len().checked_sub(SAME_REFUSED_TURNS).map(|from| &turns[from..]) else {
        return false;
    };
    let is_refused = |turn: &LoggedTurn| {
        !turn.calls.is_empty()
            && turn.results.iter().all(|result| result.as_ref().is_some_and(|it| it.refused))
    };
    let is_same = |one: &LoggedTurn, other: &LoggedTurn| {
        let calls = |turn: &LoggedTurn| -> Vec<_> {
            turn.calls.iter().map(|call| (call.name.clone(), call.args.clone())).collect()
        };
        calls(one) == calls(other)
    };
    last.iter().all(is_refused) && last.windows(2).all(|two| is_same(&two[0], &two[1]))
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
        let mut turn = LoggedTurn { ended: spec.contains('.'), ..LoggedTurn::default() };
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
    fn check(turns: &[&str], closing: Closing, expected: Step) {
        let turns = turns.iter().map(|spec| turn(spec)).collect();
        let log = RunLog { turns, closing };
        assert_eq!(next(&log, &Limits { turns: 3, calls: 5 }), expected, "{log:?}");
    }

    fn ask(turn: u32, tools: ToolSet) -> Step {
        Step::AskModel { turn, tools }
    }

    #[test]
    fn a_run_asks_until_the_model_is_done() {
        check(&[], Closing::Missing, ask(1, ToolSet::All));
        check(&["oo"], Closing::Optional, ask(2, ToolSet::All));
        check(&["oo", ""], Closing::Optional, Step::Finish { cut: false });
        check(&["oo."], Closing::Optional, Step::Finish { cut: false });
    }

    #[test]
    fn a_refused_call_gives_the_model_another_turn() {
        check(&["o!."], Closing::Optional, ask(2, ToolSet::All));
    }

    #[test]
    fn a_call_without_result_is_run_before_anything_else() {
        check(&["o?."], Closing::Missing, Step::RunTool { turn: 0, call: 1 });
    }

    #[test]
    fn a_missing_closing_call_is_requested_once() {
        check(&["o."], Closing::Missing, ask(2, ToolSet::Closing));
        check(&["o.", ""], Closing::Missing, Step::Finish { cut: false });
    }

    #[test]
    fn beyond_the_cap_only_a_closing_call_is_requested_and_the_run_is_cut() {
        check(&["o", "o", "o"], Closing::Optional, ask(4, ToolSet::Closing));
        check(&["o", "o", "o", "o"], Closing::Optional, Step::Finish { cut: true });
    }

    #[test]
    fn calls_of_all_turns_count_together() {
        check(&["ooo"], Closing::Optional, ask(2, ToolSet::All));
        check(&["ooo", "o!"], Closing::Optional, ask(3, ToolSet::Closing));
        check(&["ooo", "o!", "o"], Closing::Optional, Step::Finish { cut: true });
        check(&["ooo", "oo."], Closing::Missing, ask(3, ToolSet::Closing));
        check(&["ooo", "oo."], Closing::Optional, Step::Finish { cut: false });
        check(&["ooooo"], Closing::Never, Step::Finish { cut: true });
    }

    #[test]
    fn a_model_that_repeats_refused_calls_may_only_close_its_run() {
        let next = |specs: &[&str], closing| {
            let log = RunLog { turns: specs.iter().map(|spec| turn(spec)).collect(), closing };
            next(&log, &Limits { turns: 40, calls: 100 })
        };
        assert_eq!(next(&["!", "!"], Closing::Missing), ask(3, ToolSet::All));
        assert_eq!(next(&["!", "!", "!"], Closing::Missing), ask(4, ToolSet::Closing));
        assert_eq!(next(&["!", "!", "!", "!"], Closing::Missing), Step::Finish { cut: true });
        assert_eq!(next(&["!", "!", "!"], Closing::Never), Step::Finish { cut: true });
        // Another call, or one that was accepted, is no repetition.
        assert_eq!(next(&["!", "!!", "!"], Closing::Missing), ask(4, ToolSet::All));
        assert_eq!(next(&["o", "o", "o"], Closing::Missing), ask(4, ToolSet::All));
        let mut other = turn("!");
        other.calls[0].args = json!({ "n": 1 });
        let log = RunLog { turns: vec![turn("!"), other, turn("!")], closing: Closing::Missing };
        let limits = Limits { turns: 40, calls: 100 };
        assert_eq!(super::next(&log, &limits), ask(4, ToolSet::All));
    }

    #[test]
    fn a_final_call_ends_a_run_whatever_the_model_says() {
        check(&["o"], Closing::Final, Step::Finish { cut: false });
        check(&["o?"], Closing::Final, Step::RunTool { turn: 0, call: 1 });
    }

    #[test]
    fn a_run_that_no_tool_closes_is_cut_at_the_cap() {
        check(&["o", "o"], Closing::Never, ask(3, ToolSet::All));
        check(&["o", "o", "o"], Closing::Never, Step::Finish { cut: true });
        check(&["o."], Closing::Never, Step::Finish { cut: false });
    }
}
