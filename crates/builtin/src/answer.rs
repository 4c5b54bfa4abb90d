//! One turn: which calls the rules make, and in which order.

use dormouse_types::model::{Request, ToolCall};
use serde_json::{Value, json};

use crate::input::Input;
use crate::propose::ledger;
use crate::read::language::{self, Confidence};
use crate::{observe, propose, report};

/// Returns the calls of a turn; empty if there is nothing to say.
///
/// The first turn makes all calls. Later turns only repeat a report that was not accepted.
pub fn calls(request: &Request) -> Vec<ToolCall> {
    let Some(input) = Input::of(request) else {
        return Vec::new();
    };
    let mut calls: Vec<(&str, Value)> = Vec::new();
    let is_first = request.turns.is_empty();
    if is_first && !input.instruction.report_only {
        calls.extend(language(&input));
        calls.extend(
            propose::proposals(&input).into_iter().map(|proposal| (proposal.tool, proposal.args)),
        );
        let observations: Vec<Value> = observe::observations(&input)
            .into_iter()
            .map(|note| json!({ "text": note.text, "priority": note.priority, "category": note.category }))
            .collect();
        if !observations.is_empty() {
            calls.push((ledger::OBSERVE, json!({ "observations": observations })));
        }
    }
    if wants_report(request, &input, is_first) {
        let report = report::report(&input);
        calls.push((ledger::REPORT, json!({ "tldr": report.tldr, "content": report.content })));
    }
    let before: usize = request.turns.iter().map(|turn| turn.calls.len()).sum();
    calls
        .into_iter()
        .zip(before + 1..)
        .map(|((name, args), n)| ToolCall { id: format!("call-{n}"), name: name.to_owned(), args })
        .collect()
}

fn wants_report(request: &Request, input: &Input<'_>, is_first: bool) -> bool {
    let due = input.instruction.report_only || input.instruction.report_due;
    if is_first {
        return due || report::is_material(input);
    }
    let accepted = request.turns.iter().any(|turn| {
        turn.calls.iter().any(|call| {
            let refused =
                turn.results.iter().any(|result| result.call_id == call.id && result.refused);
            call.name == ledger::REPORT && !refused
        })
    });
    due && !accepted
}

/// Proposes the language of a task that has none.
fn language(input: &Input<'_>) -> Option<(&'static str, Value)> {
    if input.state.language.is_some() {
        return None;
    }
    let found = language::detect(input.state, &input.segments);
    let confidence = match found.confidence {
        Confidence::None => return None,
        Confidence::Medium => "medium",
        Confidence::High => "high",
    };
    Some((ledger::SET_LANGUAGE, json!({ "languageCode": found.code, "confidence": confidence })))
}
