//! The model of the benches: it takes no time, and each wake of it leaves rows of the same kind.
//!
//! A wake makes three calls: a private note, the withdrawal of a proposal that is not open, and a
//! report that is another one each time. In one turn that leaves eight messages: the thought, three
//! calls, three results and the note. In three turns there are two thoughts more.

use std::collections::VecDeque;

use dormouse_types::model::{ModelError, Request, ToolCall, TurnEvent, Usage};
use dormouse_types::port::{BoxStream, Model, ModelClass};
use futures_util::stream;
use serde_json::json;

/// Answers each wake in so many turns.
#[derive(Debug, Clone, Copy)]
pub struct Steady {
    turns: u32,
}

/// Calls of one wake.
const CALLS: u32 = 3;

impl Steady {
    /// A model that spreads its calls over 1 to 3 turns.
    pub fn new(turns: u32) -> Self {
        Self { turns: turns.clamp(1, CALLS) }
    }
}

/// The calls of a wake, in order. They contain the key of the run, so that no text is stored once
/// for many wakes.
fn calls(run: &str) -> Vec<ToolCall> {
    let note = format!(
        "The bathroom waits for the plumber, who wants to see the old pipes first (seen in {run})."
    );
    let tldr = format!(
        "Two of five points are done, the tiles are ordered; next is the plumber. State of {run}."
    );
    let content = format!("{}\n\nState of {run}.", include_str!("report.md"));
    [
        ("record_observations", json!({ "observations": [{ "text": note }] })),
        (
            "retract_suggestions",
            json!({ "proposals": [{ "fingerprint": "0123456789ab", "reason": "It was done." }] }),
        ),
        ("update_report", json!({ "tldr": tldr, "content": content })),
    ]
    .into_iter()
    .zip(1..)
    .map(|((name, args), n)| ToolCall { id: format!("call-{n}"), name: name.into(), args })
    .collect()
}

impl Model for Steady {
    fn name(&self) -> &str {
        "bench"
    }

    fn class(&self) -> ModelClass {
        ModelClass::Free
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        let run = &request.run_key.as_str()[..16];
        let mut events = VecDeque::new();
        events.push_back(Ok(TurnEvent::Text(
            "I look at what changed and say where it stands.".into(),
        )));
        for (call, n) in calls(run).into_iter().zip(0..) {
            let is_now = n * self.turns / CALLS + 1 == request.turn;
            events.extend(is_now.then_some(Ok(TurnEvent::Call(call))));
        }
        events.push_back(Ok(TurnEvent::Usage(Usage::default())));
        events.push_back(Ok(TurnEvent::End { ended: request.turn >= self.turns }));
        Box::pin(stream::iter(events))
    }
}
