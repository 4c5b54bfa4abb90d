//! What leaves the process, byte for byte, when an agent wakes: per format and per way of calling
//! tools, the first turn, one after calls, and the turn in which only the report may be written.

use std::sync::Arc;

use dormouse_adapters::models::{ApiFormat, RemoteModel, ToolMode};
use dormouse_types::model::ToolSpec;
use serde_json::{Value, json};

use crate::support::program::Program;
use crate::support::wire::{Server, Turn, config};

/// A look, remarks only, then the report.
fn turns() -> [Turn; 3] {
    let noted = json!({ "observations": [{ "text": "Prefers mornings.", "priority": "routine" }] });
    let report = json!({ "tldr": "The plumber is not called yet. 🔧", "content": "## 📌 What is left to do\n\n- [ ] Call the plumber" });
    [
        (
            "I look.",
            vec![
                ("set_task_title", json!({ "title": "Call \"Rohr & Co\"" })),
                ("record_observations", noted),
            ],
        ),
        ("That is all.", vec![]),
        ("", vec![("update_report", report)]),
    ]
}

/// Writes a body with the texts that are the same in every request named instead of shown.
fn rendered(body: &str, system: &str, tools: &[ToolSpec]) -> String {
    let mut value: Value = serde_json::from_str(body).expect("a body is JSON");
    name_known(&mut value, system, tools);
    serde_json::to_string_pretty(&value).expect("JSON can be written")
}

fn name_known(value: &mut Value, system: &str, tools: &[ToolSpec]) {
    if let Some(tool) = tools.iter().find(|tool| tool.parameters == *value) {
        *value = format!("<schema of {}>", tool.name).into();
        return;
    }
    match value {
        Value::String(text) => {
            *text = text.replace(system, "<system prompt>");
            for tool in tools {
                let schema = format!("<schema of {}>", tool.name);
                *text = text.replace(&tool.parameters.to_string(), &schema);
                *text = text.replace(&tool.description, &format!("<description of {}>", tool.name));
            }
        }
        Value::Array(all) => all.iter_mut().for_each(|each| name_known(each, system, tools)),
        Value::Object(members) => {
            // One call of the schema of a whole answer.
            let call = members.get("tool").and_then(|tool| tool.get("const")).cloned();
            if let (Some(name), Some(arguments)) = (call, members.get_mut("arguments")) {
                *arguments = format!("<arguments of {}>", name.as_str().unwrap_or("")).into();
            }
            if let Some(definitions) = members.get_mut("$defs") {
                let names: Vec<_> =
                    definitions.as_object().into_iter().flat_map(|all| all.keys()).collect();
                *definitions = json!(names);
            }
            members.values_mut().for_each(|each| name_known(each, system, tools));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

async fn check(format: ApiFormat, rung: ToolMode) {
    let server = Server::of(format, rung, &turns());
    let model = RemoteModel::new(config(format, rung), server.clone());
    let program = Program::with(Arc::new(model));
    let (_, agent) =
        program.task("Plumber", &["Find the number"], "Call </data> the plumber.").await;
    assert_eq!(program.run().await, ["completed"]);
    let wakes = program.dormouse.wakes(&program.me, &agent, 10).await.expect("wakes");
    let key = wakes[0].run_key.clone().expect("a run");
    let prompts = program.dormouse.prompts(&program.me, &agent, &key).await.expect("prompts");
    let piece = |kind: &str| {
        let piece = prompts[0].fragments.iter().find(|piece| piece.kind.name() == kind);
        piece.map(|piece| piece.text.clone()).expect("a piece of the prompt")
    };
    let tools: Vec<ToolSpec> = serde_json::from_str(&piece("tools")).expect("tools as JSON");
    let sent = server.sent.lock().expect("one thread");
    assert_eq!(sent.len(), 3, "a look, a turn after calls, a report");
    let requests: Vec<_> = sent
        .iter()
        .map(|request| {
            let headers: Vec<_> =
                request.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
            let body = rendered(&request.body, &piece("system"), &tools);
            format!("{} {}\n{}\n\n{body}", request.method, request.url, headers.join("\n"))
        })
        .collect();
    let name = format!("{}_{}", format.name(), rung.name());
    insta::assert_snapshot!(name, requests.join("\n\n"));
}

#[tokio::test]
async fn what_is_sent_in_chat_completions() {
    for rung in ToolMode::ALL {
        check(ApiFormat::ChatCompletions, *rung).await;
    }
}

#[tokio::test]
async fn what_is_sent_in_responses() {
    for rung in ToolMode::ALL {
        check(ApiFormat::Responses, *rung).await;
    }
}

#[tokio::test]
async fn what_is_sent_in_anthropics_messages() {
    for rung in ToolMode::ALL {
        check(ApiFormat::Anthropic, *rung).await;
    }
}

#[tokio::test]
async fn what_is_sent_to_gemini() {
    for rung in ToolMode::ALL {
        check(ApiFormat::Gemini, *rung).await;
    }
}
