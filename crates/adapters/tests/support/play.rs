//! A transport that plays bytes, and readers of turns.

use std::sync::{Arc, Mutex};

use bytes::Bytes;
use dormouse_adapters::http::{HttpAnswer, HttpError, HttpRequest, Transport};
use dormouse_adapters::models::{ModelConfig, RemoteModel};
use dormouse_types::model::{ModelError, Request, TurnEvent};
use dormouse_types::port::{BoxFuture, Model as _, OutgoingRequest};
use futures_util::{StreamExt as _, stream};

/// Answers every request with the next of its answers.
pub struct Player {
    answers: Mutex<Vec<Answer>>,
    /// What it was sent.
    pub sent: Mutex<Vec<OutgoingRequest>>,
}

#[derive(Debug, Clone)]
pub struct Answer {
    pub status: u16,
    pub headers: Vec<(&'static str, String)>,
    pub body: String,
}

impl Answer {
    pub fn new(status: u16, media_type: &str, body: impl Into<String>) -> Self {
        let headers = vec![("content-type", media_type.to_owned())];
        Self { status, headers, body: body.into() }
    }

    pub fn events(body: impl Into<String>) -> Self {
        Self::new(200, "text/event-stream; charset=utf-8", body)
    }

    pub fn json(body: impl Into<String>) -> Self {
        Self::new(200, "application/json", body)
    }

    pub fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

impl Player {
    pub fn of(mut answers: Vec<Answer>) -> Arc<Self> {
        answers.reverse();
        Arc::new(Self { answers: Mutex::new(answers), sent: Mutex::default() })
    }
}

impl Transport for Player {
    fn send<'a>(
        &'a self,
        request: &'a HttpRequest,
    ) -> BoxFuture<'a, Result<HttpAnswer, HttpError>> {
        self.sent.lock().unwrap().push(request.redacted());
        let answer = self.answers.lock().unwrap().pop().expect("an answer for every request");
        let pairs = answer
            .headers
            .into_iter()
            .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
        // Cut anywhere: the reader must not care.
        let pieces: Vec<_> =
            answer.body.as_bytes().chunks(7).map(|it| Ok(Bytes::copy_from_slice(it))).collect();
        let answer = HttpAnswer {
            status: answer.status,
            headers: pairs.collect(),
            body: Box::pin(stream::iter(pieces)),
        };
        Box::pin(async move { Ok(answer) })
    }
}

/// The events of a turn, and the error at its end.
pub async fn ask(
    config: ModelConfig,
    transport: Arc<dyn Transport>,
    request: &Request,
) -> (Vec<TurnEvent>, Option<ModelError>) {
    let model = RemoteModel::new(config, transport);
    let mut stream = model.ask(request);
    let mut events = Vec::new();
    while let Some(event) = stream.next().await {
        match event {
            Ok(event) => events.push(event),
            Err(error) => {
                assert!(stream.next().await.is_none(), "an error is the last event");
                return (events, Some(error));
            }
        }
    }
    (events, None)
}

/// A stream of events with the given data, one a line.
pub fn stream_of(lines: &str) -> Answer {
    let lines = lines.lines().filter(|line| !line.trim().is_empty());
    Answer::events(lines.map(|line| format!("data: {line}\n\n")).collect::<String>())
}

/// The turn, or the error, that an answer makes, in a few lines.
pub async fn report(config: ModelConfig, answer: Answer, request: &Request) -> String {
    let (events, error) = ask(config, Player::of(vec![answer]), request).await;
    let error = error.map(|error| match error {
        ModelError::Provider { why, detail, retry_after, provider: _ } => {
            let wait = retry_after.map(|it| format!(", again in {it:?}")).unwrap_or_default();
            format!("{why:?}{wait}: {detail}")
        }
        ModelError::Rejected { detail } => format!("Rejected: {detail}"),
        ModelError::Request { detail } => format!("Request: {detail}"),
    });
    let turn = summary(&events);
    let parts = [Some(turn).filter(|turn| !turn.is_empty()), error];
    parts.into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// A turn in a few lines: its text, its calls, what is kept, its tokens, its end.
pub fn summary(events: &[TurnEvent]) -> String {
    let mut lines = Vec::new();
    let mut text = String::new();
    let mut previews = std::collections::BTreeMap::<usize, String>::new();
    for event in events {
        match event {
            TurnEvent::Text(more) => text.push_str(more),
            TurnEvent::CallDelta { index, name, json } => {
                previews.entry(*index).or_insert_with(|| format!("{name} ")).push_str(json);
            }
            TurnEvent::Call(call) => {
                lines.push(format!("call {} {} {}", call.id, call.name, call.args));
            }
            TurnEvent::State(state) => {
                lines.push(format!("state of {}, {} bytes", state.provider, state.data.len()));
            }
            TurnEvent::Usage(usage) => lines.push(format!(
                "usage in {} (read {}, written {}) out {} (reasoning {})",
                usage.input, usage.cached_input, usage.cache_write, usage.output, usage.reasoning
            )),
            TurnEvent::End { ended } => lines.push(format!("end, ended: {ended}")),
        }
    }
    let previews = previews.into_iter().map(|(index, json)| format!("preview {index}: {json}"));
    let text = (!text.is_empty()).then(|| format!("text {text:?}"));
    text.into_iter().chain(previews).chain(lines).collect::<Vec<_>>().join("\n")
}
