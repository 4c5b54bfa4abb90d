//! OpenAI's Chat Completions, as Ollama, llama.cpp, vLLM, OpenRouter, Mistral and DeepSeek speak it.
//!
//! What differs between these servers and is tolerated: calls that all have the index 0, ids that
//! are missing, `stop` as the reason of a turn with calls, content in parts, an end without
//! `[DONE]`, and usage on its own or with the last piece.

use dormouse_types::limits;
use dormouse_types::model::{ModelError, ToolChoice, TurnEvent, Usage};
use dormouse_types::model_settings::OutputLimit;
use dormouse_types::port::ModelLocation;
use serde_json::{Value, json};

use super::ApiFormat;
use super::assembly::{
    Assembly, CallFragment, CallRef, Stop, TurnContext, refusal, too_many_calls,
};
use super::config::ModelConfig;
use super::conversation::{Conversation, Past, past_arguments, past_name};
use super::failure::{self, WireError};
use super::input::{Input, working};
use super::json::{Json, array, object};
use super::state::{Replay, replay};
use super::usage::{Count, Counts};

/// The path below the base URL.
pub(crate) const PATH: &str = "/chat/completions";

/// The body of a request.
pub(crate) fn body(conversation: &Conversation<'_>, config: &ModelConfig) -> String {
    let mut messages = Vec::new();
    let message =
        |role: &str, content: String| object([("role", role.into()), ("content", content.into())]);
    if !conversation.system.is_empty() {
        messages.push(message("system", conversation.system.clone()));
    }
    messages.push(message("user", conversation.user()));
    for past in &conversation.turns {
        match past {
            Past::Text { assistant, user } => {
                messages.push(message("assistant", assistant.clone()));
                messages.push(message("user", user.clone()));
            }
            Past::Native { turn, then } => {
                messages.push(assistant(replay(turn, config)));
                let has_results = !turn.results.is_empty();
                for result in &turn.results {
                    messages.push(object([
                        ("role", "tool".into()),
                        ("tool_call_id", result.call_id.clone().into()),
                        ("content", result.text.clone().into()),
                    ]));
                }
                if let Some(text) = then.clone() {
                    // The templates of some models, Mistral's among them, refuse what the user says
                    // right after the result of a tool.
                    if has_results {
                        messages.push(message("assistant", TAKEN_IN.to_owned()));
                    }
                    messages.push(message("user", text));
                }
            }
        }
    }
    let mut body = object([
        ("model", config.model.as_str().into()),
        ("messages", array(messages)),
        ("stream", true.into()),
        (member_name(output_limit(config)), config.max_output_tokens.into()),
    ]);
    // Mistral always counts tokens, and refuses members that it does not know.
    if config.base.host() != "api.mistral.ai" {
        body = body.with([("stream_options", json!({ "include_usage": true }).into())]);
    }
    if !conversation.tools.is_empty() {
        let tools = conversation.tools.iter().map(|tool| {
            let function = object([
                ("name", tool.name.clone().into()),
                ("description", tool.description.clone().into()),
                ("parameters", tool.parameters.clone().into()),
            ]);
            object([("type", "function".into()), ("function", function)])
        });
        let choice = tool_choice(conversation.choice, config);
        body = body.with([("tools", array(tools)), ("tool_choice", choice)]);
    }
    if let Some(schema) = conversation.schema.clone() {
        let schema = object([("name", "turn".into()), ("schema", schema)]);
        let format = object([("type", "json_schema".into()), ("json_schema", schema)]);
        body = body.with([("response_format", format)]);
    }
    body.text()
}

/// What the model is taken to say between the results of its calls and another word of the user.
const TAKEN_IN: &str = "I have read the results.";

/// Which tools may be called, as far as a server can enforce it.
///
/// Servers of one's own get a word only: llama.cpp takes an object for `auto`, LM Studio refuses it.
/// OpenAI alone takes a list of allowed tools.
fn tool_choice(choice: &ToolChoice, config: &ModelConfig) -> Json {
    let function = |name: &str| {
        let named = object([("name", name.into())]);
        object([("type", "function".into()), ("function", named)])
    };
    match (choice, config.location) {
        (ToolChoice::Auto, _) => "auto".into(),
        (ToolChoice::Required, _)
        | (ToolChoice::OneOf(_), ModelLocation::OwnServer | ModelLocation::BuiltIn) => {
            "required".into()
        }
        (ToolChoice::OneOf(names), ModelLocation::Elsewhere) => match names.as_slice() {
            [name] => function(name),
            names if config.base.host() == "api.openai.com" => {
                let tools = array(names.iter().map(|name| function(name)));
                let allowed = object([("mode", "required".into()), ("tools", tools)]);
                object([("type", "allowed_tools".into()), ("allowed_tools", allowed)])
            }
            _ => "required".into(),
        },
    }
}

/// OpenAI's own models take only the newer name, which many other servers do not know.
fn output_limit(config: &ModelConfig) -> OutputLimit {
    let host = config.base.host();
    let is_openai = host == "api.openai.com"
        || host.ends_with(".api.openai.com")
        || AZURE.iter().any(|domain| host.ends_with(domain));
    let usual = if is_openai { OutputLimit::MaxCompletionTokens } else { OutputLimit::MaxTokens };
    config.output_limit.unwrap_or(usual)
}

/// Its name in a request.
fn member_name(limit: OutputLimit) -> &'static str {
    match limit {
        OutputLimit::MaxTokens => "max_tokens",
        OutputLimit::MaxCompletionTokens => "max_completion_tokens",
    }
}

/// The other member that limits the answer, if the server says that it does not take the one that it was sent.
pub(crate) fn other_output_limit(error: &ModelError, config: &ModelConfig) -> Option<OutputLimit> {
    let (ApiFormat::ChatCompletions, ModelError::Rejected { detail }) = (config.format, error)
    else {
        return None;
    };
    let (sent, other) = match output_limit(config) {
        OutputLimit::MaxTokens => (OutputLimit::MaxTokens, OutputLimit::MaxCompletionTokens),
        OutputLimit::MaxCompletionTokens => {
            (OutputLimit::MaxCompletionTokens, OutputLimit::MaxTokens)
        }
    };
    let words = detail.to_lowercase();
    let is_named = |limit| words.contains(member_name(limit));
    let is_refused = is_named(other) || NOT_TAKEN.iter().any(|phrase| words.contains(phrase));
    (is_named(sent) && is_refused).then_some(other)
}

/// What servers say of a member that they do not take: OpenAI, those that check with Pydantic, serde and Go.
const NOT_TAKEN: &[&str] = &[
    "unsupported",
    "not supported",
    "not support",
    "unknown",
    "unrecognized",
    "unexpected",
    "not permitted",
    "not allowed",
    "extra inputs",
];

/// The domains at which Azure serves models of OpenAI.
const AZURE: &[&str] =
    &[".openai.azure.com", ".services.ai.azure.com", ".cognitiveservices.azure.com"];

fn assistant(pieces: Vec<Replay<'_>>) -> Json {
    let mut content = String::new();
    let mut calls = Vec::new();
    let mut kept = Vec::new();
    for piece in pieces {
        match piece {
            Replay::Text(text, _) => content.push_str(&text),
            Replay::Kept(members) => kept.push(members),
            Replay::Call(call, extra) => {
                let function = object([
                    ("name", past_name(&call.name).into()),
                    ("arguments", past_arguments(&call.args).to_string().into()),
                ]);
                let call = object([
                    ("id", call.id.clone().into()),
                    ("type", "function".into()),
                    ("function", function),
                ]);
                calls.push(match extra {
                    Some(extra) => call.with_members(&extra),
                    None => call,
                });
            }
        }
    }
    let mut message = object([("role", "assistant".into()), ("content", content.into())]);
    if !calls.is_empty() {
        message = message.with([("tool_calls", array(calls))]);
    }
    // All kept members are of one message, so that they are one object.
    match kept.into_iter().next() {
        Some(members) => message.with_members(&members),
        None => message,
    }
}

/// Reads the answer.
#[derive(Debug, Default)]
pub(crate) struct Decoder {
    turn: Assembly,
    reason: Option<String>,
    reasoning: String,
    details: Vec<Value>,
    n_details_bytes: usize,
}

impl Decoder {
    /// Takes the next part of the answer.
    pub(crate) fn step(
        &mut self,
        input: Input<'_>,
        config: &ModelConfig,
        context: &TurnContext,
    ) -> Result<Vec<TurnEvent>, WireError> {
        let mut out = Vec::new();
        match input {
            Input::Event(value) => self.part(value, "delta", config, &mut out)?,
            Input::Whole(value) => {
                self.part(value, "message", config, &mut out)?;
                // One piece of JSON is whole: some servers say no reason.
                if self.reason.is_none() && self.turn.has_content() && self.turn.all_complete() {
                    self.reason = Some("stop".to_owned());
                }
                out.extend(self.finish(context)?);
            }
            Input::Done if self.reason.is_none() && self.turn.all_complete() => {
                // `[DONE]` without a reason: the server says that nothing was cut.
                self.reason = Some("stop".to_owned());
                out.extend(self.finish(context)?);
            }
            Input::Done | Input::Closed => out.extend(self.finish(context)?),
        }
        Ok(out)
    }

    /// What the provider reports of an answer that it ended, be it one that cannot be used. Before it says how
    /// the answer ends, a figure is not yet what the call used.
    pub(crate) fn reported(&self, is_whole: bool) -> Option<Usage> {
        self.turn.usage().filter(|_| is_whole || self.reason.is_some())
    }

    fn part(
        &mut self,
        value: &Value,
        member: &str,
        config: &ModelConfig,
        out: &mut Vec<TurnEvent>,
    ) -> Result<(), WireError> {
        if let Some(usage) = value.get("usage").filter(|usage| usage.is_object()) {
            self.turn.count(Counts { cost: cost(usage, config), ..counts(usage) });
        }
        if value.get("error").is_some_and(|error| !error.is_null()) {
            return Err(failure::of_object(value, config));
        }
        let choices = value.get("choices").and_then(Value::as_array);
        let is_first = |choice: &&Value| match choice.get("index") {
            Some(index) => index.as_u64().is_none_or(|index| index == 0),
            None => true,
        };
        let Some(choice) = choices.into_iter().flatten().find(is_first) else {
            return Ok(());
        };
        if let Some(error) = choice.get("error").filter(|error| !error.is_null()) {
            return Err(failure::of_object(error, config));
        }
        if let Some(message) = choice.get(member).filter(|message| message.is_object()) {
            self.message(message, out)?;
        }
        let reason = choice.get("finish_reason").and_then(Value::as_str);
        if let Some(reason) = reason.filter(|reason| !reason.is_empty()) {
            self.reason = Some(reason.to_owned());
        }
        Ok(())
    }

    fn message(&mut self, message: &Value, out: &mut Vec<TurnEvent>) -> Result<(), WireError> {
        self.reasoning(message, out)?;
        match message.get("content") {
            Some(Value::String(text)) => self.turn.text(text, out)?,
            Some(Value::Array(parts)) => {
                for part in parts {
                    match part.get("text").and_then(Value::as_str) {
                        Some(text) => self.turn.text(text, out)?,
                        None => out.push(working()),
                    }
                }
            }
            Some(_) | None => {}
        }
        if let Some(text) = message.get("refusal").and_then(Value::as_str) {
            self.turn.refuse(text);
        }
        let calls = message.get("tool_calls").and_then(Value::as_array);
        for call in calls.into_iter().flatten() {
            self.call(call, out)?;
        }
        Ok(())
    }

    /// Reasoning is not shown; what comes of it says that the model works, and goes back with the
    /// turn where the server has it in a form that it takes back.
    fn reasoning(&mut self, message: &Value, out: &mut Vec<TurnEvent>) -> Result<(), WireError> {
        let text =
            |name: &str| message.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        if let Some(text) = text("reasoning_content") {
            self.reasoning.push_str(text);
            self.keep_reasoning(text.len())?;
            out.push(working());
        } else if text("reasoning").is_some() {
            out.push(working());
        }
        let details = message.get("reasoning_details").and_then(Value::as_array);
        for detail in details.into_iter().flatten() {
            self.keep_reasoning(detail.to_string().len())?;
            match self.details.last_mut() {
                Some(last) if continues(last, detail) => append(last, detail),
                Some(_) | None => self.details.push(detail.clone()),
            }
        }
        Ok(())
    }

    fn keep_reasoning(&mut self, n_bytes: usize) -> Result<(), WireError> {
        self.n_details_bytes += n_bytes;
        if self.n_details_bytes > limits::ANSWER_EVENT_BYTES {
            return Err(WireError::refused("the model reasons without an end"));
        }
        Ok(())
    }

    fn call(&mut self, fragment: &Value, out: &mut Vec<TurnEvent>) -> Result<(), WireError> {
        let text = |value: Option<&'_ Value>| {
            value.and_then(Value::as_str).filter(|text| !text.is_empty()).map(str::to_owned)
        };
        let function = fragment.get("function");
        let id = text(fragment.get("id"));
        let name = text(function.and_then(|function| function.get("name")));
        let call = self.addressed(fragment, id.as_deref(), name.as_deref())?;
        self.turn.identify(call, id.as_deref(), name.as_deref())?;
        match function.and_then(|function| function.get("arguments")) {
            Some(Value::String(json)) => self.turn.arguments(call, json, out)?,
            // Some servers send the arguments as an object.
            Some(args @ Value::Object(_)) => {
                self.turn.arguments(call, &args.to_string(), out)?;
            }
            Some(_) | None => {}
        }
        if let Some(extra) = fragment.get("extra_content").filter(|extra| extra.is_object()) {
            self.turn.call_extra(call, json!({ "extra_content": extra }))?;
        }
        Ok(())
    }

    /// The call that a fragment belongs to: by its index, else by its id, else the last one.
    fn addressed(
        &mut self,
        fragment: &Value,
        id: Option<&str>,
        name: Option<&str>,
    ) -> Result<CallRef, WireError> {
        let key = match fragment.get("index") {
            None | Some(Value::Null) => None,
            Some(index) => match index.as_u64() {
                Some(index) if index < limits::CALLS_PER_TURN as u64 => Some(index),
                Some(_) => return Err(too_many_calls()),
                None => {
                    return Err(WireError::malformed("the answer has a call with no valid index"));
                }
            },
        };
        let arguments = fragment.pointer("/function/arguments");
        let has_arguments = arguments.is_some_and(|it| it.is_object() || it.as_str() > Some(""));
        let found = match key {
            Some(key) => self.turn.find(key),
            None => self.turn.last(),
        };
        match (found, name) {
            (Some(call), None) => Ok(call),
            (Some(call), Some(name))
                if !self.turn.is_another(call, &CallFragment { name, id, has_arguments }) =>
            {
                Ok(call)
            }
            (Some(_) | None, _) => self.turn.begin(key.unwrap_or(u64::MAX)),
        }
    }

    fn finish(&mut self, context: &TurnContext) -> Result<Vec<TurnEvent>, WireError> {
        let stop = match self.reason.as_deref() {
            None => return Err(WireError::malformed("the answer ended before it was complete")),
            Some("length" | "max_tokens" | "model_length") => Stop::Length,
            Some("content_filter" | "safety") => {
                return Err(refusal("a filter of the provider stopped the answer"));
            }
            Some("error") => {
                return Err(WireError::malformed("the provider failed while it answered"));
            }
            Some("stop" | "end_turn" | "eos" | "stop_sequence") => Stop::Finished,
            // `tool_calls`, `function_call`, and what a server may add.
            Some(_) => Stop::Continues,
        };
        let mut kept = serde_json::Map::new();
        if !self.reasoning.is_empty() {
            kept.insert("reasoning_content".to_owned(), self.reasoning.clone().into());
        }
        if !self.details.is_empty() {
            let details = std::mem::take(&mut self.details);
            kept.insert("reasoning_details".to_owned(), details.into());
        }
        // Only a turn that goes on is sent again together with its reasoning.
        if !kept.is_empty() && !self.turn.has_no_calls() {
            self.turn.keep(Value::Object(kept))?;
        }
        self.turn.close_all();
        self.turn.finish(stop, context)
    }
}

/// Whether a piece of reasoning goes on with the last one: same kind, same place.
fn continues(last: &Value, next: &Value) -> bool {
    let is_text = last.get("type").and_then(Value::as_str) == Some("reasoning.text")
        || last.get("type").and_then(Value::as_str) == Some("reasoning.summary");
    is_text && last.get("type") == next.get("type") && last.get("index") == next.get("index")
}

fn append(last: &mut Value, next: &Value) {
    let (Some(last), Some(next)) = (last.as_object_mut(), next.as_object()) else { return };
    for (name, value) in next {
        match (last.get_mut(name), value) {
            (Some(Value::String(text)), Value::String(more))
                if name == "text" || name == "summary" =>
            {
                text.push_str(more);
            }
            (_, Value::Null) => {}
            (_, value) => {
                last.insert(name.clone(), value.clone());
            }
        }
    }
}

/// Source: OpenAI's `CompletionUsage`; DeepSeek's `prompt_cache_hit_tokens`. xAI counts reasoning
/// apart from the completion, which the total shows.
fn counts(usage: &Value) -> Counts {
    let input = Count::at(usage, "/prompt_tokens");
    let output = Count::at(usage, "/completion_tokens");
    let reasoning = Count::at(usage, "/completion_tokens_details/reasoning_tokens");
    let total = Count::at(usage, "/total_tokens");
    let with_reasoning = output.plus(reasoning);
    let is_apart = reasoning != Count::Missing && input.plus(with_reasoning) == total;
    let cached = Count::at(usage, "/prompt_tokens_details/cached_tokens");
    Counts {
        input,
        cached_input: cached.or(Count::at(usage, "/prompt_cache_hit_tokens")),
        cache_write: Count::at(usage, "/prompt_tokens_details/cache_write_tokens"),
        output: if is_apart { with_reasoning } else { output },
        reasoning,
        cost: Count::Missing,
    }
}

/// What the provider charged, where it is known that it says so in dollars.
///
/// With a key of the provider behind it, `cost` is only what is charged for passing the call on.
///
/// Source: OpenRouter, usage accounting; every answer has it, without a member of the request.
fn cost(usage: &Value, config: &ModelConfig) -> Count {
    let host = config.base.host();
    if host != OPENROUTER && !host.ends_with(&format!(".{OPENROUTER}")) {
        return Count::Missing;
    }
    let cost = Count::dollars_at(usage, "/cost");
    let is_own_key = usage.get("is_byok").and_then(Value::as_bool);
    match (cost, is_own_key) {
        (Count::Missing, _) | (_, Some(false)) => cost,
        (_, Some(true) | None) => {
            cost.plus(Count::dollars_at(usage, "/cost_details/upstream_inference_cost"))
        }
    }
}

const OPENROUTER: &str = "openrouter.ai";
