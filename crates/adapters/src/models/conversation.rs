//! A request as every format sees it: who says what, and which tools there are.

use dormouse_types::model::{
    Fragment, FragmentKind, Request, ToolChoice, ToolResult, ToolSpec, Turn,
};
use serde_json::{Value, json};

use super::ToolMode;
use super::config::ModelConfig;
use super::forced_call;
use super::json::Json;
use super::rungs;

/// What is said, in order.
#[derive(Debug)]
pub(crate) struct Conversation<'a> {
    /// Instructions; the most stable part.
    pub(crate) system: String,
    /// The first part of the user's message, up to the log, which grows only at its end. Empty if
    /// there is no log.
    stable: String,
    /// The same in blocks, of which new ones are added after the others. Joined, they have the words
    /// of `stable`.
    pub(crate) blocks: Vec<&'a str>,
    /// The rest of the user's message.
    pub(crate) changing: String,
    /// Earlier turns.
    pub(crate) turns: Vec<Past<'a>>,
    /// The tools that are offered natively.
    pub(crate) tools: &'a [ToolSpec],
    /// Which of them may or must be called.
    pub(crate) choice: &'a ToolChoice,
    /// Whether another turn of the same run is expected, which begins like this one.
    pub(crate) goes_on: bool,
    /// The schema that the answer is held to.
    pub(crate) schema: Option<Json>,
}

/// An earlier turn.
#[derive(Debug)]
pub(crate) enum Past<'a> {
    /// With calls and results in the format's own form.
    Native {
        turn: &'a Turn,
        /// What the user says after it and its results.
        then: Option<String>,
    },
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
        let (first, later) = request.parts();
        let text = |is_wanted: &dyn Fn(usize, FragmentKind) -> bool| {
            let wanted = first.iter().enumerate().filter(|(n, it)| is_wanted(*n, it.kind));
            joined(wanted.map(|(_, it)| it.text.as_str()))
        };
        let is_system = |kind| kind == FragmentKind::System;
        let is_log = |kind| matches!(kind, FragmentKind::Summary | FragmentKind::Log);
        let log_end = first.iter().rposition(|it| is_log(it.kind));
        let log_end = log_end.map_or(0, |last| last + 1);
        let system = text(&|_, kind| is_system(kind));
        let stable = text(&|n, kind| !is_system(kind) && n < log_end);
        let blocks = first[..log_end].iter().filter(|it| !is_system(it.kind));
        let blocks = blocks.flat_map(Fragment::blocks).collect();
        let mut changing = text(&|n, kind| !is_system(kind) && n >= log_end);
        let demand = match (config.rung, config.forced_call) {
            (ToolMode::Native, None) => None,
            // What the choice of a tool cannot say is said in words.
            (ToolMode::Native, Some(_)) | (ToolMode::Schema | ToolMode::Text, _) => {
                rungs::demand(&request.tool_choice)
            }
        };
        let mut later = joined(later.iter().map(|it| it.text.as_str()).chain(demand.as_deref()));
        let again = follow_up(first);
        // A turn without text and calls says nothing, and most formats refuse it.
        let is_stated = |turn: &&Turn| !turn.text.trim().is_empty() || !turn.calls.is_empty();
        let shown_turns: Vec<&Turn> = match config.rung {
            ToolMode::Native => request.turns.iter().filter(is_stated).collect(),
            ToolMode::Schema | ToolMode::Text => request.turns.iter().collect(),
        };
        if shown_turns.is_empty() {
            changing = joined([changing.as_str(), later.as_str()].into_iter());
            later.clear();
        }
        let last = shown_turns.len().saturating_sub(1);
        let after = |n: usize| if n == last { later.as_str() } else { "" };
        let goes_on = request.tool_choice == ToolChoice::Auto;
        let choice = forced_call::taken(&request.tool_choice, config.forced_call);
        match config.rung {
            ToolMode::Native => Self {
                system,
                stable,
                blocks,
                changing,
                turns: shown_turns
                    .iter()
                    .enumerate()
                    .map(|(n, it)| native(it, after(n), &again))
                    .collect(),
                tools: &request.tools,
                choice,
                goes_on,
                schema: None,
            },
            ToolMode::Schema | ToolMode::Text => {
                let advice = rungs::advice(request, config.rung);
                let system =
                    if system.is_empty() { advice } else { format!("{system}\n\n{advice}") };
                Self {
                    system,
                    stable,
                    blocks,
                    changing,
                    turns: shown_turns
                        .iter()
                        .enumerate()
                        .map(|(n, turn)| as_text(turn, after(n), &again))
                        .collect(),
                    tools: &[],
                    choice,
                    goes_on,
                    schema: match config.rung {
                        ToolMode::Schema => Some(rungs::schema(request)),
                        ToolMode::Native | ToolMode::Text => None,
                    },
                }
            }
        }
    }

    /// The whole message of the user.
    pub(crate) fn user(&self) -> String {
        joined([self.stable.as_str(), self.changing.as_str()].into_iter())
    }
}

/// Texts with an empty line between them, without those that say nothing.
fn joined<'t>(texts: impl Iterator<Item = &'t str>) -> String {
    texts.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}

/// What is said to a model that made no call, if nothing else is: its instruction.
fn follow_up(first: &[Fragment]) -> String {
    let instructions = first.iter().filter(|it| it.kind == FragmentKind::Instruction);
    let text = joined(instructions.map(|it| it.text.as_str()));
    if text.is_empty() { "Continue.".to_owned() } else { text }
}

fn native<'a>(turn: &'a Turn, later: &str, again: &str) -> Past<'a> {
    let then = match (later, turn.results.is_empty()) {
        ("", true) => Some(again.to_owned()),
        ("", false) => None,
        (later, _) => Some(later.to_owned()),
    };
    Past::Native { turn, then }
}

fn as_text<'a>(turn: &'a Turn, later: &str, again: &str) -> Past<'a> {
    let lines: Vec<_> = turn.results.iter().map(|result| result_line(turn, result)).collect();
    let user = joined(lines.iter().map(String::as_str).chain([later]));
    let user = if user.is_empty() { again.to_owned() } else { user };
    Past::Text { assistant: rungs::turn_as_text(turn), user }
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

/// The name of an earlier call as every provider takes it: a model may have made up another one, and a server that
/// refuses its own answer would end the run.
pub(crate) fn past_name(name: &str) -> String {
    let is_taken = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let name: String =
        name.chars().take(NAME_CHARS).map(|c| if is_taken(c) { c } else { '_' }).collect();
    // One that begins with a letter, as the strictest of them wants it.
    if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        name
    } else {
        format!("_{name}")
    }
}

/// How long a name of a tool is at most, with one more character before it.
const NAME_CHARS: usize = 63;

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
