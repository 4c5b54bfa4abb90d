//! Answers that are not what they should be.

use std::fmt::Write as _;

use dormouse_adapters::http::{BaseUrl, Secret};
use dormouse_adapters::models::ApiFormat::{self, *};
use dormouse_adapters::models::{Decoder, Input, ModelConfig};
use dormouse_types::limits;
use dormouse_types::model::TurnEvent;
use serde_json::{Value, json};

use crate::support::play::{Answer, report, stream_of};
use crate::support::requests::{config, request};

async fn said(format: ApiFormat, answer: Answer) -> String {
    report(config(format), answer, &request()).await
}

#[tokio::test]
async fn a_status_says_whose_fault_it_is_and_what_to_do() {
    let with = |status, body: &str| Answer::new(status, "application/json", body);
    let date = "Wed, 19 Aug 2026 14:36:13 GMT";
    let later = "Wed, 19 Aug 2026 14:36:43 GMT";
    let quota = r#"{"error":{"message":"Slow down","type":"rate_limit_error"}}"#;
    let cases = [
        (
            Anthropic,
            with(
                401,
                r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key sk-very-secret"}}"#,
            ),
        ),
        (Responses, with(403, "{}")),
        (
            Gemini,
            with(
                400,
                r#"{"error":{"code":400,"message":"API key not valid.","status":"INVALID_ARGUMENT","details":[{"reason":"API_KEY_INVALID"}]}}"#,
            ),
        ),
        (ChatCompletions, with(402, r#"{"error":{"message":"Insufficient credits","code":402}}"#)),
        (Anthropic, with(429, quota).with("retry-after", "7")),
        (Anthropic, with(429, quota).with("retry-after", later).with("date", date)),
        (Anthropic, with(429, quota).with("retry-after", later)),
        (Anthropic, with(429, quota).with("retry-after", "-1")),
        (Anthropic, with(429, quota).with("retry-after", "1e300")),
        (Anthropic, with(429, quota).with("retry-after", "soon")),
        (Responses, with(429, quota).with("retry-after-ms", "1500")),
        (
            Gemini,
            with(
                429,
                r#"[{"error":{"code":429,"message":"Quota","status":"RESOURCE_EXHAUSTED","details":[{"retryDelay":"34.5s"}]}}]"#,
            ),
        ),
        (
            Anthropic,
            with(
                529,
                r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            ),
        ),
        (
            ChatCompletions,
            with(
                503,
                r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#,
            ),
        ),
        (ChatCompletions, Answer::new(502, "text/html", "<html><h1>Bad gateway</h1>")),
        (ChatCompletions, with(500, "")),
        (ChatCompletions, with(504, "")),
        (
            ChatCompletions,
            with(
                404,
                r#"{"error":{"message":"model \"small-1\" not found, try pulling it first","type":"not_found_error"}}"#,
            ),
        ),
        (
            Anthropic,
            with(
                404,
                r#"{"type":"error","error":{"type":"not_found_error","message":"model: small-1"}}"#,
            ),
        ),
        (
            Gemini,
            with(
                404,
                r#"{"error":{"code":404,"message":"models/small-1 is not found for API version v1beta","status":"NOT_FOUND"}}"#,
            ),
        ),
        (ChatCompletions, Answer::new(404, "text/plain", "404 page not found")),
        (
            Responses,
            with(
                400,
                r#"{"error":{"message":"Your input exceeds the context window of this model.","type":"invalid_request_error","code":"context_length_exceeded"}}"#,
            ),
        ),
        (
            ChatCompletions,
            with(
                400,
                r#"{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}"#,
            ),
        ),
        (
            ChatCompletions,
            with(
                400,
                r#"{"object":"error","message":"This model's maximum context length is 4096 tokens.","code":400}"#,
            ),
        ),
        (
            Anthropic,
            with(
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
            ),
        ),
        (ChatCompletions, with(422, r#"{"detail":[{"loc":["body","tools"],"msg":"extra"}]}"#)),
        (
            Anthropic,
            with(
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low."}}"#,
            ),
        ),
        (
            ChatCompletions,
            with(
                404,
                r#"{"object":"error","message":"The model `x` does not exist.","type":"NotFoundError","code":404}"#,
            ),
        ),
        (ChatCompletions, with(404, r#"{"detail":"Not Found"}"#)),
        (
            Anthropic,
            with(
                413,
                r#"{"type":"error","error":{"type":"request_too_large","message":"too big"}}"#,
            ),
        ),
        (
            ChatCompletions,
            with(
                429,
                r#"{"error":{"message":"Provider returned error","code":429,"metadata":{"raw":"small-1 is rate-limited upstream","provider_name":"Other"}}}"#,
            ),
        ),
        (
            ChatCompletions,
            with(
                403,
                r#"{"error":{"message":"Your input was flagged","code":403,"metadata":{"reasons":["violence"],"flagged_input":"…"}}}"#,
            ),
        ),
        (
            ChatCompletions,
            with(
                404,
                r#"{"error":{"message":"No endpoints found matching your data policy","code":404}}"#,
            ),
        ),
        (
            ChatCompletions,
            with(
                404,
                r#"{"error":{"code":"DeploymentNotFound","message":"The API deployment for this resource does not exist."}}"#,
            ),
        ),
        (ChatCompletions, with(404, r#"{"error":{"code":"404","message":"Resource not found"}}"#)),
        (
            ChatCompletions,
            with(200, r#"{"error":"Unexpected endpoint or method. (POST /chat/completions)"}"#),
        ),
        (ChatCompletions, with(400, r#"{"error":"bad\u0000\u001b[31m thing\n\n  happened"}"#)),
    ];
    let mut all = String::new();
    for (format, answer) in cases {
        let status = answer.status;
        writeln!(all, "{status} {}\n  {}", format.name(), said(format, answer).await).unwrap();
    }
    insta::assert_snapshot!(all);
}

#[tokio::test]
async fn an_address_without_a_path_is_perhaps_lacking_one() {
    let base = BaseUrl::parse("http://localhost:11434").unwrap();
    let own = ModelConfig { base, ..config(ChatCompletions) };
    let text = report(own, Answer::new(404, "text/plain", "404 page not found"), &request()).await;
    assert!(
        text.contains(
            "check the base URL http://localhost:11434 (perhaps http://localhost:11434/v1)"
        ),
        "{text}"
    );
}

#[tokio::test]
async fn a_provider_that_repeats_its_key_does_not_get_it_into_a_turn() {
    let text = |text: &str| json!({ "choices": [{ "delta": { "content": text } }] });
    let function = json!({ "name": "weather", "arguments": "{\"lat\":\"sk-very-secret-key\"}" });
    let call = json!({ "index": 0, "id": "a", "function": function });
    let last =
        json!({ "choices": [{ "delta": { "tool_calls": [call] }, "finish_reason": "stop" }] });
    let lines = [text("You are sk-very-"), text("secret-key."), last].map(|it| it.to_string());
    let key = Some(Secret::new("sk-very-secret-key").unwrap());
    let with_key = ModelConfig { key, ..config(ChatCompletions) };
    let turn = report(with_key, stream_of(&lines.join("\n")), &request()).await;
    assert!(!turn.contains("secret-key"), "{turn}");
    assert!(turn.contains("You are (not shown).") && turn.ends_with("ended: false"), "{turn}");
}

#[tokio::test]
async fn a_mark_of_byte_order_before_an_answer_says_nothing() {
    let whole = r#"{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}"#;
    let marked = said(ChatCompletions, Answer::json(format!("\u{feff}{whole}"))).await;
    assert_eq!(marked, said(ChatCompletions, Answer::json(whole)).await);
    assert!(marked.ends_with("end, ended: true"), "{marked}");
}

#[tokio::test]
async fn an_answer_that_is_compressed_although_that_was_not_allowed_names_it() {
    for answer in [
        Answer::events("\u{1f}8"),
        Answer::json("\u{1f}8"),
        Answer::new(500, "text/plain", "\u{1f}8"),
    ] {
        let status = answer.status;
        let text = said(ChatCompletions, answer.with("content-encoding", "gzip")).await;
        let expected = "https://api.openai.com answered in the encoding \"gzip\", which was not allowed: switch off \
                        compression in the server, or in the proxy before it";
        match status {
            200 => assert_eq!(text, format!("WrongAnswer: {expected}")),
            _ => assert!(!text.contains('8'), "{text}"),
        }
    }
    let plain =
        Answer::json(r#"{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}"#);
    let text = said(ChatCompletions, plain.with("content-encoding", "identity")).await;
    assert!(text.ends_with("end, ended: true"), "{text}");
}

#[tokio::test]
async fn a_long_message_is_cut() {
    let body = json!({ "error": { "message": "é".repeat(100_000) } }).to_string();
    let text = said(ChatCompletions, Answer::new(400, "application/json", body)).await;
    assert!(text.ends_with("é…") && text.chars().count() < 600, "{}", text.chars().count());
    let text = said(ChatCompletions, Answer::new(400, "text/plain", "x".repeat(9_000_000))).await;
    assert!(text.ends_with("x…") && text.chars().count() < 600, "{}", text.chars().count());
}

#[tokio::test]
async fn broken_streams_are_errors_and_not_turns() {
    let mut all = String::new();
    for line in include_str!("../wire/broken.txt").split("\n== ").filter(|part| !part.is_empty()) {
        let (head, lines) = line.split_once('\n').unwrap_or((line, ""));
        let (format, what) = head.trim_start_matches("== ").split_once(' ').unwrap();
        let format = format.parse::<ApiFormat>().unwrap();
        writeln!(all, "{what} ({})", format.name()).unwrap();
        for line in said(format, stream_of(lines)).await.lines() {
            writeln!(all, "  {line}").unwrap();
        }
    }
    insta::assert_snapshot!(all);
}

#[tokio::test]
async fn samples_of_every_format_give_their_turns() {
    let mut all = String::new();
    for line in include_str!("../wire/turns.txt").split("\n== ").filter(|part| !part.is_empty()) {
        let (head, lines) = line.split_once('\n').unwrap();
        let (format, what) = head.trim_start_matches("== ").split_once(' ').unwrap();
        let (format, is_plain) = match format.strip_suffix("-plain") {
            Some(format) => (format, true),
            None => (format, false),
        };
        let format = format.parse::<ApiFormat>().unwrap();
        let answer = if is_plain { Answer::json(lines) } else { stream_of(lines) };
        writeln!(all, "{what} ({})", format.name()).unwrap();
        for line in said(format, answer).await.lines() {
            writeln!(all, "  {line}").unwrap();
        }
    }
    insta::assert_snapshot!(all);
}

#[tokio::test]
async fn arguments_text_and_calls_have_limits() {
    let chat = |delta: serde_json::Value| json!({ "choices": [{ "delta": delta }] });
    let call = |n: usize, args: &str| {
        let function = json!({ "name": "weather", "arguments": args });
        chat(json!({ "tool_calls": [{ "index": n, "id": format!("c{n}"), "function": function }] }))
    };
    let stop = json!({ "choices": [{ "delta": {}, "finish_reason": "tool_calls" }] });
    let full = format!("{{\"a\":\"{}\"}}", "x".repeat(limits::CALL_ARGS_BYTES - 8));
    let at_limit = said(ChatCompletions, stream_of(&format!("{}\n{stop}", call(0, &full)))).await;
    assert!(at_limit.ends_with("end, ended: false"));
    let beyond = said(ChatCompletions, stream_of(&call(0, &format!("{full} ")).to_string())).await;
    assert!(beyond.ends_with("more than 262144 bytes of arguments for one call"), "{beyond}");
    let pieces = vec![call(0, &"x".repeat(64 * 1024)).to_string(); 16].join("\n");
    let beyond = said(ChatCompletions, stream_of(&pieces)).await;
    assert!(beyond.ends_with("more than 262144 bytes of arguments for one call"));
    let calls: Vec<_> = (0..limits::CALLS_PER_TURN).map(|n| call(n, "{}").to_string()).collect();
    let all = said(ChatCompletions, stream_of(&format!("{}\n{stop}", calls.join("\n")))).await;
    assert_eq!(all.matches("\ncall c").count(), limits::CALLS_PER_TURN);
    let text = chat(json!({ "content": "x".repeat(256 * 1024) })).to_string();
    let beyond = said(ChatCompletions, stream_of(&[text.as_str(); 5].join("\n"))).await;
    assert!(beyond.ends_with("more than 1048576 bytes of text in one answer"));
}

/// Every value of `value`, replaced by `other`, one at a time.
fn replaced(value: &Value, other: &Value) -> Vec<Value> {
    let mut all = vec![other.clone()];
    match value {
        Value::Object(members) => {
            for (name, member) in members {
                for new in replaced(member, other) {
                    let mut members = members.clone();
                    members.insert(name.clone(), new);
                    all.push(Value::Object(members));
                }
            }
        }
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                for new in replaced(item, other) {
                    let mut items = items.clone();
                    items[n] = new;
                    all.push(Value::Array(items));
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    all
}

#[test]
fn a_value_of_another_type_anywhere_is_a_turn_or_an_error() {
    let others = [json!(null), json!(-1), json!(1e300), json!(""), json!([[]]), json!({ "a": {} })];
    let mut n_turns = 0;
    for part in include_str!("../wire/turns.txt").split("\n== ").filter(|part| !part.is_empty()) {
        let (head, lines) = part.split_once('\n').unwrap();
        let format = head.trim_start_matches("== ").split(' ').next().unwrap();
        let Ok(format) = format.parse::<ApiFormat>() else { continue };
        let events: Vec<Value> =
            lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        for (n, event) in events.iter().enumerate() {
            for new in others.iter().flat_map(|other| replaced(event, other)) {
                let mut events = events.clone();
                events[n] = new;
                n_turns += usize::from(decodes(format, &events));
            }
        }
    }
    assert!(n_turns > 100, "{n_turns}");
}

/// Whether events make a turn; they may as well be an error.
fn decodes(format: ApiFormat, events: &[Value]) -> bool {
    let mut decoder = Decoder::new(&request(), &config(format));
    let inputs = events.iter().map(Input::Event).chain([Input::Closed]);
    for input in inputs {
        match decoder.step(input) {
            Ok(out) if matches!(out.last(), Some(TurnEvent::End { .. })) => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
    panic!("the stream was closed, and there is neither an end nor an error: {events:?}");
}

#[tokio::test]
async fn any_prefix_of_a_stream_is_no_turn() {
    for line in include_str!("../wire/turns.txt").split("\n== ").filter(|part| !part.is_empty()) {
        let (head, lines) = line.split_once('\n').unwrap();
        let format = head.trim_start_matches("== ").split(' ').next().unwrap();
        let Ok(format) = format.parse::<ApiFormat>() else { continue };
        let whole = stream_of(lines);
        // The end may be cut off where the answer is complete without it.
        let complete =
            ["finish_reason\":\"", "stop_reason\":\"", "finishReason\":\"", "completed\""];
        let mark = complete.iter().filter_map(|mark| whole.body.find(mark)).min().unwrap();
        let end = mark + whole.body[mark..].find('\n').unwrap();
        for at in (0..end).filter(|at| whole.body.is_char_boundary(*at)) {
            let cut = Answer { body: whole.body[..at].to_owned(), ..whole.clone() };
            let text = said(format, cut).await;
            assert!(text.lines().last().unwrap().starts_with("Outage: "), "{head} at {at}: {text}");
        }
    }
}
