//! A request as every format sees it: who says what, and which tools there are.

use dormouse_types::model::{FragmentKind, Request, ToolChoice, ToolResult, ToolSpec, Turn};
use serde_json::{Value, json};

use super::config::{ModelConfig, Rung};
use super::json::Json;
use super::rungs;

/// What is said, in order.
#[derive(Debug)]
pub(crate) struct Conversation<'a> {
    /// Instructions; the most stable part.
    pub(crate) system: String,
    /// The first part of the user's message, which grows only at its end: up to the log. Empty if
    /// there is no log.
    pub(crate) stable: String,
    /// The rest of the user's message.
    pub(crate) changing: String,
    /// Earlier turns.
    pub(crate) turns: Vec<Past<'a>>,
    /// The tools that are offered natively.
    pub(crate) tools: &'a [ToolSpec],
    /// Whether one of them must be called.
    pub(crate) choice: ToolChoice,
    /// The schema that the answer is held to.
    pub(crate) schema: Option<Json>,
}

/// An earlier turn.
#[derive(Debug)]
pub(crate) enum Past<'a> {
    /// With calls and results in the format's own form.
    Native {
        /// The turn.
        turn: &'a Turn,
        /// What the user says after it, if it has no results.
        then: Option<String>,
    },
    /// As text.
    Text {
        /// What the model said.
        assistant: String,
        /// What it was answered.
        user: String,
    },
}

impl<'a> Conversation<'a> {
    /// Lays out a request for a model.
    pub(crate) fn of(request: &'a Request, config: &ModelConfig) -> Self {
        let text = |is_wanted: &dyn Fn(usize, FragmentKind) -> bool| {
            let fragments = request.fragments.iter().enumerate();
            let wanted = fragments.filter(|(n, it)| is_wanted(*n, it.kind) && !it.text.is_empty());
            wanted.map(|(_, it)| it.text.as_str()).collect::<Vec<_>>().join("\n\n")
        };
        let is_system = |kind| kind == FragmentKind::System;
        let is_log = |kind| matches!(kind, FragmentKind::Summary | FragmentKind::Log);
        let log_end = request.fragments.iter().rposition(|it| is_log(it.kind));
        let log_end = log_end.map_or(0, |last| last + 1);
        let system = text(&|_, kind| is_system(kind));
        let stable = text(&|n, kind| !is_system(kind) && n < log_end);
        let changing = text(&|n, kind| !is_system(kind) && n >= log_end);
        let again = again(request);
        match config.rung {
            Rung::Native => Self {
                system,
                stable,
                changing,
                turns: request.turns.iter().filter_map(|turn| native(turn, &again)).collect(),
                tools: &request.tools,
                choice: request.tool_choice,
                schema: None,
            },
            Rung::Schema | Rung::Fenced => {
                let advice = rungs::advice(request, config.rung);
                let system =
                    if system.is_empty() { advice } else { format!("{system}\n\n{advice}") };
                Self {
                    system,
                    stable,
                    changing,
                    turns: request.turns.iter().map(|turn| as_text(turn, &again)).collect(),
                    tools: &[],
                    choice: ToolChoice::Auto,
                    schema: match config.rung {
                        Rung::Schema => Some(rungs::schema(request)),
                        Rung::Native | Rung::Fenced => None,
                    },
                }
            }
        }
    }

    /// The whole message of the user.
    pub(crate) fn user(&self) -> String {
        let parts = [self.stable.as_str(), self.changing.as_str()];
        parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join("\n\n")
    }
}

/// What is said to a model that made no call: the instruction of this turn.
fn again(request: &Request) -> String {
    let instructions = request.fragments.iter().filter(|it| it.kind == FragmentKind::Instruction);
    let texts: Vec<_> = instructions.map(|it| it.text.as_str()).collect();
    if texts.is_empty() { "Continue.".to_owned() } else { texts.join("\n\n") }
}

/// A turn without text and calls says nothing, and most formats refuse it.
fn native<'a>(turn: &'a Turn, again: &str) -> Option<Past<'a>> {
    if turn.text.trim().is_empty() && turn.calls.is_empty() {
        return None;
    }
    let then = turn.results.is_empty().then(|| again.to_owned());
    Some(Past::Native { turn, then })
}

fn as_text<'a>(turn: &'a Turn, again: &str) -> Past<'a> {
    let lines: Vec<_> = turn.results.iter().map(|result| result_line(turn, result)).collect();
    let user = if lines.is_empty() { again.to_owned() } else { lines.join("\n\n") };
    Past::Text { assistant: rungs::said(turn), user }
}

fn result_line(turn: &Turn, result: &ToolResult) -> String {
    let name = tool_of(turn, result);
    let outcome = if result.refused { "refused" } else { "done" };
    format!("{name} ({outcome}): {}", result.text)
}

/// The name of the tool whose result this is.
pub(crate) fn tool_of<'a>(turn: &'a Turn, result: &ToolResult) -> &'a str {
    let call = turn.calls.iter().find(|call| call.id == result.call_id);
    call.map_or("", |call| call.name.as_str())
}

/// The arguments of an earlier call, as an object: every format wants one. Text that could not be
/// read goes back as a member.
pub(crate) fn past_arguments(args: &Value) -> Value {
    match args {
        Value::Object(_) => args.clone(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            json!({ "unreadable": args })
        }
    }
}
