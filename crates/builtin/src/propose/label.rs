//! Existing labels that the text names.

use dormouse_types::LabelId;
use dormouse_types::limits;
use dormouse_types::model::Named;
use serde_json::Value;

use super::ledger;
use super::statement::{Evidence, Statement};
use super::words::{Class, Token, tokens};
use crate::Input;

/// A label to assign, with its evidence.
#[derive(Debug)]
pub struct Labelling<'a> {
    pub label: &'a Named<LabelId>,
    /// Sentence that names it.
    pub evidence: Evidence,
}

/// Returns the labels to assign to the task.
pub fn labels<'a>(input: &'a Input<'_>, statements: &[Statement<'_>]) -> Vec<Labelling<'a>> {
    let state = input.state;
    let room = limits::LABELS_PER_TASK.max.saturating_sub(state.labels.len());
    state
        .available_labels
        .iter()
        .filter(|label| !state.labels.iter().any(|on| on.id == label.id))
        .filter(|label| !state.suppressed_labels.contains(&label.id))
        .filter_map(|label| {
            let name = tokens(&label.name);
            let spoken = is_everyday(label, &name, input);
            let named = statements.iter().filter(|s| !s.is_quoted).filter_map(|statement| {
                let at = named_at(
                    &statement.sentence.tokens,
                    &name,
                    statement.raw,
                    spoken.then_some(label),
                    input,
                )?;
                Some((statement, at))
            });
            let (statement, at) = named.max_by_key(|(statement, _)| statement.rank)?;
            let found = super::pattern::Match { tokens: at..at + name.len(), ..Default::default() };
            let evidence = statement.evidence_of(&found);
            let same = |args: &Value| is_assignment_of(args, label);
            ledger::allows_part(input, ledger::LABELS, evidence.at, &same)
                .then_some(Labelling { label, evidence })
        })
        .take(room)
        .collect()
}

/// Returns whether the arguments of a proposal assign a label.
pub fn is_assignment_of(args: &Value, label: &Named<LabelId>) -> bool {
    args.get("id").and_then(Value::as_str) == Some(label.id.to_string().as_str())
}

/// Returns whether the label's name is also an everyday word ("it"), which counts only in its exact
/// spelling.
fn is_everyday(label: &Named<LabelId>, name: &[Token], input: &Input<'_>) -> bool {
    let is_short = label.name.chars().count() <= 2;
    name.len() == 1
        && (is_short || name.iter().all(|t| input.lang.stop_words.contains(&t.word.as_str())))
}

/// Returns where a label's name occurs as a separate word.
fn named_at(
    tokens: &[Token],
    name: &[Token],
    raw: &str,
    as_written: Option<&Named<LabelId>>,
    input: &Input<'_>,
) -> Option<usize> {
    if name.is_empty() {
        return None;
    }
    (0..=tokens.len().checked_sub(name.len())?).find(|at| {
        let part = &tokens[*at..at + name.len()];
        let same = part
            .iter()
            .zip(name)
            .all(|(t, n)| t.class == n.class && t.class != Class::Sealed && t.word == n.word);
        if !same || !stands_alone(tokens, *at, at + name.len()) {
            return false;
        }
        let written = &raw[part[0].start..part[name.len() - 1].end];
        let is_meant = as_written.is_none_or(|label| {
            written == label.name && label.name.chars().any(char::is_uppercase)
        });
        is_meant && !is_denied(tokens, *at, input)
    })
}

/// Returns whether the tokens are not part of a compound, a path, an address or a longer word.
fn stands_alone(tokens: &[Token], start: usize, end: usize) -> bool {
    let joins = |t: &Token| {
        matches!(t.word.as_str(), "-" | "/" | "." | "@" | "_" | "\\" | "'" | ":" | "&" | "+" | "=")
    };
    let inner = |t: &Token| matches!(t.class, Class::Word | Class::Number | Class::Sealed);
    let first = &tokens[start];
    if first.glued && start > 0 {
        let before = &tokens[start - 1];
        if inner(before) || joins(before) && start > 1 && before.glued && inner(&tokens[start - 2])
        {
            return false;
        }
        if before.is("/") || before.is("@") || before.is(".") || before.is("\\") {
            return false;
        }
    }
    let Some(after) = tokens.get(end).filter(|t| t.glued) else { return true };
    let next_glued = tokens.get(end + 1).is_some_and(|t| t.glued && inner(t));
    let goes_on = joins(after) && next_glued || after.is("/") || after.is("(");
    !inner(after) && !goes_on
}

/// "not the garden".
fn is_denied(tokens: &[Token], at: usize, input: &Input<'_>) -> bool {
    let from = at.saturating_sub(3);
    let near = &tokens[from..at];
    let from = near
        .iter()
        .rposition(|t| matches!(t.word.as_str(), "," | ";" | "." | ":"))
        .map_or(0, |n| n + 1);
    super::pattern::holds(&near[from..], input.lang.propose.label_void)
}
