//! The lines of a transcript as text: JSON, one object a line, at most 1 MiB each. The logs of agent work
//! and conversations have the same.
//!
//! The form is that of other programs that keep such files: a line `meta`, then lines `turn` and `event`.
//! The same rows give the same bytes.

use dormouse_runs::LoggedTurn;
use dormouse_types::Timestamp;
use dormouse_types::closed_list;
use dormouse_types::conversation::{TaskAction, TurnRole};
use dormouse_types::work::RunState;
use dormouse_types::{ConversationId, WorkId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The most that a line holds, with its end. Units: bytes.
pub const MOST_OF_LINE: usize = 1024 * 1024;

/// The least that every text of a line is cut to. Units: bytes.
const LEAST: usize = 64;

/// A line.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Line {
    /// The first line: what the transcript is of.
    Meta(Meta),
    /// What somebody said, with the calls and their results.
    Turn(Box<Turn>),
    /// What happened between turns.
    Event(Box<Event>),
}

/// What a transcript is of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Meta {
    /// The definition of agent work, or what a conversation is bound to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub task_id: Option<WorkId>,
    /// The session of the work.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session_id: Option<String>,
    /// The conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub conversation_id: Option<ConversationId>,
    /// The title.
    pub title: String,
    /// When it was made.
    pub created: Timestamp,
}

/// What a turn did with a piece of agent work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TaskRef {
    /// The work.
    pub task_id: WorkId,
    /// What it did with it.
    pub action: TaskAction,
    /// The title of the work.
    pub title: String,
}

/// What somebody said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Turn {
    /// Who.
    pub role: TurnRole,
    /// The title of what was published, in a conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The words.
    pub content: String,
    /// When.
    pub timestamp: Option<Timestamp>,
    /// Its number within the run or the conversation, from 1.
    pub turn_number: usize,
    /// What it did with a piece of agent work, in a conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_ref: Option<TaskRef>,
    /// The run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The number of the run within the definition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<i64>,
    /// The attempt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_key: Option<String>,
    /// Its calls, in order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<Call>,
    /// Whether something was cut so that the line is short enough.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

/// A call of a tool with its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Call {
    /// Its id within the turn.
    pub id: String,
    /// The tool.
    pub tool: String,
    /// Its arguments; their text if they were cut.
    pub arguments: Value,
    /// What it answered; absent if the run ended before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Whether it was refused.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<bool>,
}

closed_list! {
    /// What happened between turns.
    pub enum TranscriptEvent, "event of a transcript" {
        /// A run began.
        RunStarted = "run_started",
        /// Earlier runs were folded into a summary, or why they were not.
        Compression = "compression",
        /// A row cannot be read; the lines around it are all there are.
        Damaged = "damaged",
        /// A run ended, or waits for something.
        RunEnded = "run_ended",
    }
}

/// What happened between turns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// What.
    pub event: TranscriptEvent,
    /// When.
    pub timestamp: Option<Timestamp>,
    /// The run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// The number of the run within the definition.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<i64>,
    /// When the run was due.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scheduled_for: Option<Timestamp>,
    /// The run that it does again, with a correction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revises: Option<String>,
    /// The state of the run when it ended, or what it waits for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_state: Option<RunState>,
    /// What there is to say about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The title of what the run published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_title: Option<String>,
    /// What the run published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<String>,
    /// Whether something was cut so that the line is short enough.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub truncated: bool,
}

impl Event {
    /// An event of which nothing else is known.
    pub fn of(event: TranscriptEvent) -> Self {
        Self {
            event,
            timestamp: None,
            run_id: None,
            run: None,
            scheduled_for: None,
            revises: None,
            run_state: None,
            text: None,
            result_title: None,
            result: None,
            truncated: false,
        }
    }
}

impl Turn {
    /// The calls of a recorded turn.
    pub fn calls_of(turn: LoggedTurn) -> Vec<Call> {
        let calls = turn.calls.into_iter().zip(turn.results);
        let call = calls.map(|(call, result)| Call {
            id: call.id,
            tool: call.name,
            arguments: call.args,
            refused: result.as_ref().map(|result| result.refused),
            result: result.map(|result| result.text),
        });
        call.collect()
    }
}

impl Line {
    /// The line with its end. What would make it longer than [`MOST_OF_LINE`] is cut, which it says.
    pub fn render(&self) -> String {
        self.render_within(MOST_OF_LINE)
    }

    /// The same for another limit. Units: bytes.
    pub fn render_within(&self, limit: usize) -> String {
        let mut text = json(self);
        let mut most = limit / 2;
        while text.len() > limit && most >= LEAST {
            text = json(&self.cut(most));
            most /= 2;
        }
        text
    }

    /// The same with no text longer than this.
    fn cut(&self, most: usize) -> Self {
        let mut line = self.clone();
        match &mut line {
            Self::Meta(_) => {}
            Self::Turn(turn) => {
                turn.truncated = true;
                shorten(&mut turn.content, most);
                for call in &mut turn.calls {
                    if call.arguments.to_string().len() > most {
                        let mut text = call.arguments.to_string();
                        shorten(&mut text, most);
                        call.arguments = Value::String(text);
                    }
                    call.result.iter_mut().for_each(|result| shorten(result, most));
                }
            }
            Self::Event(event) => {
                event.truncated = true;
                [&mut event.text, &mut event.result]
                    .into_iter()
                    .flatten()
                    .for_each(|text| shorten(text, most));
            }
        }
        line
    }
}

fn json(line: &Line) -> String {
    let mut text = serde_json::to_string(line).expect("a line is plain data");
    text.push('\n');
    text
}

fn shorten(text: &mut String, most: usize) {
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push('\u{2026}');
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn turn(content: String, calls: Vec<Call>) -> Line {
        Line::Turn(Box::new(Turn {
            role: TurnRole::Assistant,
            content,
            timestamp: Some(Timestamp::from_micros(0)),
            turn_number: 1,
            title: None,
            task_ref: None,
            run_id: Some("wr-1".into()),
            run: Some(3),
            run_key: None,
            calls,
            truncated: false,
        }))
    }

    #[test]
    fn a_line_is_one_object_with_an_end() {
        let call = Call {
            id: "c".into(),
            tool: "search".into(),
            arguments: json!({ "query": "a\nb" }),
            result: Some("two\nlines".into()),
            refused: Some(false),
        };
        let text = turn("Hello.".into(), vec![call]).render();
        assert_eq!(text.matches('\n').count(), 1, "{text}");
        let read: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(read["type"], "turn");
        assert_eq!(read["calls"][0]["result"], "two\nlines");
        assert!(read.get("truncated").is_none());
    }

    #[test]
    fn a_line_never_exceeds_its_limit_and_says_what_was_cut() {
        // A control character takes six bytes as JSON.
        let wild = |n: usize| "\u{1}".repeat(n);
        let call = |n: usize, size: usize| Call {
            id: format!("c{n}"),
            tool: "search".into(),
            arguments: json!({ "query": wild(size) }),
            result: Some(wild(size)),
            refused: Some(false),
        };
        for (n_calls, size) in [(0, 200_000), (1, 200_000), (200, 2_000)] {
            let calls = (0..n_calls).map(|n| call(n, size)).collect();
            let text = turn(wild(size), calls).render();
            assert!(text.len() <= MOST_OF_LINE, "{} bytes", text.len());
            let read: Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(read["truncated"], true);
            assert_eq!(read["calls"].as_array().map_or(0, Vec::len), n_calls);
        }
        let result = Some(wild(200_000));
        let event = Event { result, ..Event::of(TranscriptEvent::RunEnded) };
        assert!(Line::Event(Box::new(event)).render().len() <= MOST_OF_LINE);
        let fits = turn("x".repeat(MOST_OF_LINE - 2000), Vec::new()).render();
        assert!(!fits.contains("truncated"));
    }
}
