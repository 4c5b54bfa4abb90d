//! Calling tools without the server's help: the model writes one JSON object `{say, calls, done}`.
//!
//! On the rung `schema` the server holds the answer to a schema made of those of the tools; on the
//! rung `fenced` the model only reads about the form. Either way one turn comes out, as from a server
//! that takes tools. On the rung `native` nothing here is used: there, text stays text.

use std::collections::BTreeSet;

use dormouse_types::limits;
use dormouse_types::model::{
    Request, ToolCall, ToolChoice, ToolSpec, Turn, TurnEvent, unique_call_id,
};
use serde_json::{Map, Value, json};

use super::ToolMode;
use super::assembly::too_many_calls;
use super::failure::WireError;
use super::input::working;
use super::json::{Json, array, object};
use super::repair::repaired;
use super::rung_preview::Preview;

/// What the model reads about the form of its answer, and about its tools: the same in every turn.
pub(crate) fn advice(request: &Request, rung: ToolMode) -> String {
    let mut text = String::from(match rung {
        ToolMode::Text => {
            "Answer with one block of JSON between the lines ```json and ```, in this form:\n\n"
        }
        ToolMode::Native | ToolMode::Schema => {
            "Answer with one JSON object and nothing else, in this form:\n\n"
        }
    });
    text.push_str(
        "{\"say\": \"...\", \"calls\": [{\"tool\": \"...\", \"arguments\": {}}], \"done\": false}\n\n\
         \"say\" is a short remark and may be empty. \"calls\" lists the tools to call now, in order. \
         Their results come with the next message. \"done\" is true when there is nothing left to \
         call.",
    );
    text.push_str("\n\nTools:");
    for tool in &request.tools {
        text.push_str(&format!(
            "\n\n{}: {}\nSchema of its arguments: {}",
            tool.name, tool.description, tool.parameters
        ));
    }
    text
}

/// What the model reads last in a turn in which it must call a tool.
pub(crate) fn demand(choice: &ToolChoice) -> Option<String> {
    match choice {
        ToolChoice::Auto => None,
        ToolChoice::Required => Some("Call at least one tool now.".to_owned()),
        ToolChoice::OneOf(names) => {
            Some(format!("Call {} now, and no other tool.", names.join(" or ")))
        }
    }
}

/// An earlier turn in the form in which the model is to answer.
pub(crate) fn turn_as_text(turn: &Turn) -> String {
    let calls = turn.calls.iter().map(|call| {
        object([("tool", call.name.clone().into()), ("arguments", call.args.clone().into())])
    });
    object([
        ("say", turn.text.clone().into()),
        ("calls", array(calls)),
        ("done", turn.ended.into()),
    ])
    .text()
}

/// Calls of one answer that a schema allows. A small model that is held to a schema fills its lists
/// until it has to stop.
const LISTED_CALLS: usize = 8;
/// Units: characters. The longest remark that a schema allows, for the same reason.
const SAY_CHARS: usize = 200;

/// The schema of an answer. Members are in the order in which the model should write them.
///
/// It has only the tools that may be called. Servers that need a schema hold the answer to it and do
/// not show it to the model, so another one changes nothing that they keep.
pub(crate) fn schema(request: &Request) -> Json {
    let mut definitions = Vec::new();
    let may_be_called = |tool: &&ToolSpec| match &request.tool_choice {
        ToolChoice::Auto | ToolChoice::Required => true,
        ToolChoice::OneOf(names) => names.contains(&tool.name),
    };
    let calls = request.tools.iter().filter(may_be_called).map(|tool| {
        let arguments = hoisted(tool, &mut definitions);
        let properties = object([
            ("tool", json!({ "const": tool.name }).into()),
            ("arguments", arguments.into()),
        ]);
        closed(properties, &["tool", "arguments"])
    });
    let calls: Vec<_> = calls.collect();
    let at_least = match request.tool_choice {
        ToolChoice::Auto => 0,
        ToolChoice::Required | ToolChoice::OneOf(_) => 1,
    };
    let mut list = object([("type", "array".into())]);
    list = match calls.is_empty() {
        true => list.with([("maxItems", 0.into())]),
        false => list.with([
            ("items", object([("anyOf", array(calls))])),
            ("minItems", at_least.into()),
            ("maxItems", LISTED_CALLS.into()),
        ]),
    };
    let properties = object([
        ("say", json!({ "type": "string", "maxLength": SAY_CHARS }).into()),
        ("calls", list),
        ("done", json!({ "type": "boolean" }).into()),
    ]);
    let schema = closed(properties, &["say", "calls", "done"]);
    if definitions.is_empty() { schema } else { schema.with([("$defs", Json::Map(definitions))]) }
}

fn closed(properties: Json, required: &[&str]) -> Json {
    object([
        ("type", "object".into()),
        ("properties", properties),
        ("required", json!(required).into()),
        ("additionalProperties", false.into()),
    ])
}

/// The schema of a tool's arguments inside a larger one: its definitions move to the root under
/// names of their own, where references look for them.
fn hoisted(tool: &ToolSpec, definitions: &mut Vec<(String, Json)>) -> Value {
    let mut schema = tool.parameters.clone();
    let own = schema.as_object_mut().and_then(|members| {
        members.remove("$schema");
        members.remove("title");
        members.remove("$defs").or_else(|| members.remove("definitions"))
    });
    let rename = |schema: &mut Value| refer(schema, &tool.name, MAX_DEPTH);
    rename(&mut schema);
    if let Some(Value::Object(own)) = own {
        for (name, mut definition) in own {
            rename(&mut definition);
            definitions.push((format!("{}.{name}", tool.name), definition.into()));
        }
    }
    schema
}

/// Deeper than the schema of any tool.
const MAX_DEPTH: usize = 64;

fn refer(schema: &mut Value, tool: &str, depth: usize) {
    if depth == 0 {
        return;
    }
    match schema {
        Value::Object(members) => {
            for (name, value) in members {
                match value {
                    Value::String(target) if name == "$ref" => {
                        let own = target
                            .strip_prefix("#/$defs/")
                            .or_else(|| target.strip_prefix("#/definitions/"));
                        if let Some(own) = own {
                            *target = format!("#/$defs/{tool}.{own}");
                        }
                    }
                    other => refer(other, tool, depth - 1),
                }
            }
        }
        Value::Array(items) => {
            for item in items {
                refer(item, tool, depth - 1);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Makes a turn with calls of a turn of text.
#[derive(Debug)]
pub(crate) struct TextRung {
    turn: u32,
    text: String,
    preview: Preview,
    has_calls: bool,
}

impl TextRung {
    /// For the answer to the request with this number.
    pub(crate) fn new(turn: u32) -> Self {
        Self { turn, text: String::new(), preview: Preview::default(), has_calls: false }
    }

    /// Translates what the format's decoder says. Text is held until the turn is complete.
    pub(crate) fn translate(
        &mut self,
        events: Vec<TurnEvent>,
    ) -> Result<Vec<TurnEvent>, WireError> {
        let mut out = Vec::new();
        for event in events {
            match event {
                TurnEvent::Text(text) => {
                    self.text.push_str(&text);
                    let preview = self.preview.feed(&text);
                    out.push(working());
                    out.extend(preview);
                }
                // Reasoning belongs to no turn that is sent again as text.
                TurnEvent::State(_) => {}
                TurnEvent::CallDelta { .. } | TurnEvent::Usage(_) => out.push(event),
                // A server that was offered no tools made this call of the text by itself.
                TurnEvent::Call(_) => {
                    self.has_calls = true;
                    out.push(event);
                }
                TurnEvent::End { ended: _ } => {
                    let answer = Answer::of(&self.text, self.turn)?;
                    // Usage came before the end; the order of the rest is that of the port.
                    let usage: Vec<_> =
                        out.extract_if(.., |event| matches!(event, TurnEvent::Usage(_))).collect();
                    if !answer.say.is_empty() {
                        out.push(TurnEvent::Text(answer.say));
                    }
                    let ended = answer.done && !self.has_calls;
                    out.extend(answer.calls.into_iter().map(TurnEvent::Call));
                    out.extend(usage);
                    out.push(TurnEvent::End { ended });
                }
            }
        }
        Ok(out)
    }
}

/// What a text says in the form `{say, calls, done}`.
#[derive(Debug, PartialEq)]
struct Answer {
    say: String,
    calls: Vec<ToolCall>,
    done: bool,
}

impl Answer {
    /// Reads a text. One without the form is a remark without calls, and not the end.
    fn of(text: &str, turn: u32) -> Result<Self, WireError> {
        let Some((outside, found)) = find(text) else {
            return Ok(Self { say: text.trim().to_owned(), calls: Vec::new(), done: false });
        };
        let member = |names: &[&str]| names.iter().find_map(|name| found.get(*name));
        let say = match found.get("say").and_then(Value::as_str) {
            Some(say) if !say.is_empty() => say.to_owned(),
            Some(_) | None => outside,
        };
        let mut taken = BTreeSet::new();
        let mut calls = Vec::new();
        let listed = member(&["calls", "tool_calls"]).and_then(Value::as_array);
        for each in listed.into_iter().flatten() {
            if calls.len() == limits::CALLS_PER_TURN {
                return Err(too_many_calls());
            }
            let name = ["tool", "name"].iter().find_map(|name| each.get(*name)?.as_str());
            let Some(name) = name else {
                return Err(WireError::refused(
                    "the model wrote a call without the name of a tool",
                ));
            };
            let args = ["arguments", "args", "parameters"].iter().find_map(|name| each.get(*name));
            let args = args.filter(|args| !args.is_null());
            let id = unique_call_id(String::new(), turn, calls.len(), &taken);
            taken.insert(id.clone());
            calls.push(ToolCall {
                id,
                name: name.to_owned(),
                args: args.cloned().unwrap_or_else(|| Value::Object(Map::new())),
            });
        }
        let is_too_long = |call: &ToolCall| call.args.to_string().len() > limits::CALL_ARGS_BYTES;
        if calls.iter().any(is_too_long) {
            return Err(WireError::refused(format!(
                "the model wrote more than {} bytes of arguments for one call",
                limits::CALL_ARGS_BYTES
            )));
        }
        let done = found.get("done").and_then(Value::as_bool).unwrap_or(false);
        Ok(Self { say, calls, done })
    }
}

/// The object in a text, and the text outside it. Tried in turn, each in linear time: the whole
/// text, the fenced blocks from the last to the first, and from the first brace to the last.
fn find(text: &str) -> Option<(String, Map<String, Value>)> {
    let trimmed = text.trim();
    if let Some(found) = form(trimmed) {
        return Some((String::new(), found));
    }
    let parts: Vec<_> = trimmed.split("```").collect();
    for at in (1..parts.len()).step_by(2).rev() {
        let block = parts[at];
        // The word after the fence is the language.
        let inner = block.find(['{', '\n']).map_or(block, |start| &block[start..]);
        if let Some(found) = form(inner.trim()) {
            let outside = [parts[..at].concat(), parts[at + 1..].concat()];
            let outside: Vec<_> = outside.iter().map(|part| part.trim()).collect();
            return Some((outside.join("\n\n").trim().to_owned(), found));
        }
    }
    let start = trimmed.find('{')?;
    let end = trimmed.rfind('}').map_or(trimmed.len(), |end| end + 1).max(start);
    let found = form(&trimmed[start..end]).or_else(|| form(&trimmed[start..]))?;
    let rest = trimmed.get(end..).unwrap_or_default();
    let outside = format!("{}\n\n{}", trimmed[..start].trim(), rest.trim());
    Some((outside.trim().to_owned(), found))
}

fn form(text: &str) -> Option<Map<String, Value>> {
    let value = serde_json::from_str(text).ok().or_else(|| repaired(text))?;
    match value {
        Value::Object(members) => {
            let is_form = ["say", "calls", "tool_calls", "done"]
                .iter()
                .any(|name| members.contains_key(*name));
            is_form.then_some(members)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            None
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (String, Vec<(String, Value)>, bool) {
        let answer = Answer::of(text, 1).unwrap();
        let calls = answer.calls.into_iter().map(|call| (call.name, call.args));
        (answer.say, calls.collect(), answer.done)
    }

    #[test]
    fn one_answer_is_found_in_every_wrapping() {
        let json = r#"{"say":"Hi","calls":[{"tool":"a","arguments":{"x":1}}],"done":true}"#;
        let expected = ("Hi".to_owned(), vec![("a".to_owned(), json!({ "x": 1 }))], true);
        let wrappings = [
            json.to_owned(),
            format!("\n{json}\n"),
            format!("```json\n{json}\n```"),
            format!("```{json}```"),
            format!("First:\n```rust\nfn main() {{}}\n```\nthen\n```json\n{json}\n```"),
            format!("Sure! {json} Done."),
            json.replace("]", ",]"),
            json.trim_end_matches('}').to_owned(),
        ];
        for text in wrappings {
            assert_eq!(read(&text), expected, "{text}");
        }
    }

    #[test]
    fn text_without_the_form_is_a_remark() {
        for text in ["Hello.", "{", "}{", "```", "``` ```", "{\"tool\": \"a\"}", "[1]"] {
            assert_eq!(read(text), (text.to_owned(), vec![], false), "{text}");
        }
    }

    #[test]
    fn text_around_a_block_is_the_remark_if_there_is_no_other() {
        let text = "I add it.\n```json\n{\"calls\": [], \"done\": true}\n```\nBye.";
        assert_eq!(read(text), ("I add it.\n\nBye.".to_owned(), vec![], true));
    }
}
