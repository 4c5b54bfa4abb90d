//! The state of the task: in progress, blocked, on hold. Only the person can close a task.

use dormouse_types::limits;
use dormouse_types::task::{Field, Status};
use serde_json::json;

use super::pattern::{self, Match};
use super::statement::Statement;
use super::value::{self, Stated};
use super::words::{Class, Token};
use super::{Proposal, ledger, patterns};
use crate::Input;
use crate::read::Kind;
use crate::read::fold::content_words;
use crate::report::cue::after_label;
use crate::settle::Settlements;

/// A status with its reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatusAndReason {
    pub status: Status,
    /// Reason, in the words of the text.
    pub reason: Option<String>,
}

/// Returns the newest statement about the status; its value is `None` if an older one no longer
/// holds.
///
/// A newer sentence that ends the waiting lifts the status: nothing to propose if it was never set.
pub fn stated(
    input: &Input<'_>,
    statements: &[Statement<'_>],
    settlements: &Settlements<'_>,
) -> Option<Stated<StatusAndReason>> {
    let stated = newest(input, statements)?;
    let status_stated =
        stated.value.as_ref().filter(|status_stated| status_stated.status.needs_reason());
    let reason = status_stated.and_then(|status_stated| status_stated.reason.as_deref());
    let Some(ends) = reason.and_then(|reason| settlements.ends_waiting(reason, stated.rank)) else {
        return Some(stated);
    };
    let goes_on = StatusAndReason { status: Status::InProgress, reason: None };
    Some(Stated {
        rank: ends.rank,
        section: ends.section,
        evidence: ends.evidence(),
        value: input.state.status.needs_reason().then_some(goes_on),
        unread: None,
    })
}

fn newest(input: &Input<'_>, statements: &[Statement<'_>]) -> Option<Stated<StatusAndReason>> {
    let rules = input.lang.propose;
    let patterns = patterns::of(input.lang);
    // "Offer is with legal. Blocked: …" in a list says so with a label of its own.
    let labelled = |s: &Statement<'_>| {
        matches!(s.segment.kind, Kind::Bullet | Kind::Numbered)
            && s.segment.depth == 0
            && !s.is_quoted
            && after_label(s.text, input.lang.report.cues.blocked_labels).is_some()
    };
    let candidates =
        statements.iter().filter(|s| (s.is_about_task(input) || labelled(s)) && !is_past_moment(s));
    value::newest(candidates.filter_map(|statement| {
        let stated = |value, evidence| Stated {
            rank: statement.rank,
            section: statement.section,
            evidence,
            value,
            unread: None,
        };
        if let Some(found) = statement.find(&patterns.status_off)
            && !statement.is_question()
        {
            return Some(stated(None, statement.evidence_of(&found)));
        }
        patterns.status.iter().find_map(|(pattern, status)| {
            let found = statement.find([pattern]).filter(|found| statement.holds(found, rules))?;
            if pattern::holds(&statement.sentence.tokens, rules.status_void) {
                return None;
            }
            let reason = reason(statement, &found, input);
            if status.needs_reason() && reason.is_none() {
                return None;
            }
            Some(stated(
                Some(StatusAndReason { status: *status, reason }),
                statement.evidence_of(&found),
            ))
        })
    }))
}

/// Returns whether the sentence describes a moment in a timeline, not the present.
fn is_past_moment(statement: &Statement<'_>) -> bool {
    statement.segment.lead == 0 && statement.segment.stamp.time.is_some()
}

/// Returns the captured words without the full stop, or `None` if they name nothing ("this",
/// "you").
fn reason(statement: &Statement<'_>, found: &Match, input: &Input<'_>) -> Option<String> {
    let tokens = &statement.sentence.tokens;
    let mut rest = found.rest.clone()?;
    let turns = &input.lang.propose.status_turns;
    // "The weather, otherwise fine": what is said after it is no reason.
    let turn = (rest.start + 1..rest.end)
        .find(|&at| turns.contains(&tokens[at].word.as_str()) && is_set_off(&tokens[at - 1]));
    if let Some(turn) = turn {
        let calm = &input.lang.propose.status_calm;
        if tokens[turn..rest.end].iter().any(|token| calm.contains(&token.word.as_str())) {
            return None;
        }
        rest.end = turn - 1;
    }
    let names_something = tokens[found.rest_from..rest.end].iter().any(|t| {
        matches!(t.class, Class::Number | Class::Sealed)
            || input.lang.dates().names_a_month(&t.word)
            || t.class == Class::Word && !content_words(&t.word, input.lang).is_empty()
    });
    if !names_something {
        return None;
    }
    let words = statement.words(rest).split_whitespace().collect::<Vec<_>>().join(" ");
    let words = words.trim_matches(|c: char| {
        c.is_whitespace() || matches!(c, '.' | '!' | ',' | ';' | '*' | '_')
    });
    let cut: String = words.chars().take(limits::REASON.max).collect();
    Some(cut).filter(|words| !words.is_empty())
}

fn is_set_off(sign: &Token) -> bool {
    sign.class == Class::Mark && matches!(sign.raw.as_str(), "," | ";" | "-" | "–" | "—")
}

/// Proposes the status.
pub fn propose(input: &Input<'_>, stated: Option<&Stated<StatusAndReason>>) -> Option<Proposal> {
    let stated = stated?;
    let status_stated = stated.value.as_ref().filter(|status_stated| {
        input.state.status != status_stated.status && !input.state.status.is_terminal()
    })?;
    let mut args = json!({ "status": status_stated.status.name() });
    if let (Some(reason), Some(map)) = (&status_stated.reason, args.as_object_mut()) {
        map.insert("reason".into(), json!(reason));
    }
    value::propose(input, Field::Status, ledger::STATUS, args, &stated.evidence)
}
