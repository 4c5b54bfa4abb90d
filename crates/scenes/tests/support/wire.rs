//! A server that answers from a script, in each format, and keeps what it was sent.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use dormouse_adapters::http::{BaseUrl, HttpAnswer, HttpError, HttpRequest, Secret, Transport};
use dormouse_adapters::models::{ApiFormat, ModelConfig, ModelId, ToolMode, default_base_url};
use dormouse_types::port::{BoxFuture, ModelClass, ModelLocation, OutgoingRequest};
use futures_util::stream;
use serde_json::{Value, json};

/// A turn: what is said, and what is called.
pub type Turn = (&'static str, Vec<(&'static str, Value)>);

/// Answers each request, in a form that it chooses by the body.
pub struct Server {
    form: (ApiFormat, ToolMode),
    turns: Box<dyn Fn(&str) -> Turn + Send + Sync>,
    pub sent: Mutex<Vec<OutgoingRequest>>,
}

impl Server {
    /// Answers with these turns, one after another.
    pub fn of(format: ApiFormat, rung: ToolMode, turns: &[Turn]) -> Arc<Self> {
        let turns = Mutex::new(VecDeque::from(turns.to_vec()));
        let next = move |_: &str| {
            let next = turns.lock().expect("one thread").pop_front();
            next.expect("an answer for each request")
        };
        Self::answering(format, rung, next)
    }

    /// Answers each body with the turn that `turns` finds for it.
    pub fn answering(
        format: ApiFormat,
        rung: ToolMode,
        turns: impl Fn(&str) -> Turn + Send + Sync + 'static,
    ) -> Arc<Self> {
        Arc::new(Self { form: (format, rung), turns: Box::new(turns), sent: Mutex::default() })
    }
}

impl Transport for Server {
    fn send<'a>(
        &'a self,
        request: &'a HttpRequest,
    ) -> BoxFuture<'a, Result<HttpAnswer, HttpError>> {
        let shown = request.redacted();
        let turn = (self.turns)(&shown.body);
        let (format, rung) = self.form;
        let mut sent = self.sent.lock().expect("one thread");
        // About four bytes are a token.
        let next = answer(format, rung, sent.len() + 1, &turn, shown.body.len() / 4).to_string();
        sent.push(shown);
        let mut answer = HttpAnswer {
            status: 200,
            headers: Default::default(),
            body: Box::pin(stream::iter([Ok(next.into())])),
        };
        let json = "application/json".parse().expect("a media type");
        answer.headers.insert("content-type", json);
        Box::pin(async move { Ok(answer) })
    }
}

/// A model at the server of the company that made the format.
pub fn config(format: ApiFormat, rung: ToolMode) -> ModelConfig {
    // Thoughts are requested of a model whose name says that it reasons.
    let name = if format == ApiFormat::Responses { "o5-small" } else { "small-1" };
    ModelConfig {
        window: Some(200_000),
        provider: "acme".to_owned(),
        base: BaseUrl::parse(default_base_url(format)).expect("an address"),
        format,
        model: ModelId::new(name).expect("a name"),
        key: Some(Secret::new("sk-very-secret").expect("a key")),
        max_output_tokens: 2048,
        location: ModelLocation::Elsewhere,
        class: ModelClass::Free,
        price: None,
        rung,
        output_limit: None,
        forced_call: None,
    }
}

/// A whole answer, with what the format wants back in later turns.
fn answer(
    format: ApiFormat,
    rung: ToolMode,
    n: usize,
    (said, calls): &Turn,
    n_tokens: usize,
) -> Value {
    let form = match rung {
        ToolMode::Native => None,
        ToolMode::Schema | ToolMode::Text => Some(written(said, calls)),
    };
    let calls = if form.is_some() { &[][..] } else { calls };
    let said = form.as_deref().unwrap_or(said);
    let numbered = || calls.iter().enumerate().map(move |(at, call)| (format!("c{n}-{at}"), call));
    match format {
        ApiFormat::ChatCompletions => {
            let calls: Vec<_> = numbered()
                .map(|(id, (name, args))| {
                    json!({ "id": id, "type": "function",
                            "function": { "name": name, "arguments": args.to_string() } })
                })
                .collect();
            let reason = if calls.is_empty() { "stop" } else { "tool_calls" };
            let mut message = json!({ "role": "assistant", "content": said });
            if !calls.is_empty() {
                message["tool_calls"] = calls.into();
            }
            json!({ "choices": [{ "index": 0, "message": message, "finish_reason": reason }],
                    "usage": { "prompt_tokens": n_tokens, "completion_tokens": 50 } })
        }
        ApiFormat::Responses => {
            let mut output = vec![json!({ "type": "reasoning", "id": format!("rs_{n}"),
                "summary": [], "encrypted_content": format!("kept-{n}") })];
            if !said.is_empty() {
                output.push(json!({ "type": "message", "id": format!("msg_{n}"),
                    "role": "assistant", "status": "completed",
                    "content": [{ "type": "output_text", "text": said, "annotations": [] }] }));
            }
            output.extend(numbered().map(|(id, (name, args))| {
                json!({ "type": "function_call", "id": format!("fc_{id}"), "call_id": id,
                        "name": name, "arguments": args.to_string(), "status": "completed" })
            }));
            json!({ "id": format!("resp_{n}"), "object": "response", "status": "completed",
                    "output": output, "usage": { "input_tokens": n_tokens, "output_tokens": 50 } })
        }
        ApiFormat::Anthropic => {
            let mut content = vec![
                json!({ "type": "thinking", "thinking": "Hm.", "signature": format!("kept-{n}") }),
            ];
            if !said.is_empty() {
                content.push(json!({ "type": "text", "text": said }));
            }
            content.extend(numbered().map(|(id, (name, args))| {
                json!({ "type": "tool_use", "id": id, "name": name, "input": args })
            }));
            let reason = if calls.is_empty() { "end_turn" } else { "tool_use" };
            json!({ "id": format!("msg_{n}"), "type": "message", "role": "assistant",
                    "content": content, "stop_reason": reason,
                    "usage": { "input_tokens": n_tokens, "output_tokens": 50 } })
        }
        ApiFormat::Gemini => {
            let mut parts = Vec::new();
            if !said.is_empty() {
                parts.push(json!({ "text": said }));
            }
            parts.extend(numbered().map(|(_, (name, args))| {
                json!({ "functionCall": { "name": name, "args": args },
                        "thoughtSignature": format!("kept-{n}") })
            }));
            json!({ "candidates": [{ "index": 0, "finishReason": "STOP",
                        "content": { "role": "model", "parts": parts } }],
                    "usageMetadata": { "promptTokenCount": n_tokens, "candidatesTokenCount": 50,
                                       "totalTokenCount": n_tokens + 50 } })
        }
    }
}

/// The form in which a model without tools makes calls.
fn written(said: &str, calls: &[(&str, Value)]) -> String {
    let calls: Vec<_> =
        calls.iter().map(|(name, args)| json!({ "tool": name, "arguments": args })).collect();
    let done = calls.is_empty();
    json!({ "say": said, "calls": calls, "done": done }).to_string()
}
