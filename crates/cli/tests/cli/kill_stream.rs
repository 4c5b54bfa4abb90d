//! A server that is killed while a hosted model writes: the next one makes the same request again, to the
//! byte, with what the provider must get back, and the run comes to its end.

use std::collections::VecDeque;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::running::{DEADLINE, until};
use crate::scripted_server::{about_the_model, read};
use crate::world::World;

/// What a provider wants back with its turn. It is nobody else's to read.
const SEALED: &str = "c2VhbGVkLWJ5LXRoZS1wcm92aWRlcg==";

/// How one answer ends.
#[derive(Clone, Copy, PartialEq)]
enum Ends {
    /// It is complete.
    Whole,
    /// It stops in the middle, and the connection stays open.
    Silent,
}

/// A provider that answers from a list. Whatever else is requested gets the last answer.
struct Provider {
    address: SocketAddr,
    requests: Arc<Mutex<Vec<String>>>,
    /// Hears of each answer that fell silent.
    silent: Receiver<()>,
}

impl Provider {
    fn new(answers: Vec<(Vec<Value>, Ends)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free loopback port");
        let address = listener.local_addr().expect("it listens");
        let requests = Arc::new(Mutex::new(Vec::new()));
        let (tell, silent) = channel();
        let kept = Arc::clone(&requests);
        let mut answers: VecDeque<_> = answers.into();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let body = read(&mut stream);
                if let Some(about) = about_the_model(&body) {
                    let _gone = stream.write_all(about.as_bytes());
                    continue;
                }
                kept.lock().unwrap_or_else(PoisonError::into_inner).push(body);
                let next = if answers.len() > 1 { answers.pop_front() } else { None };
                let next = next.or_else(|| answers.front().cloned()).expect("an answer");
                let tell = tell.clone();
                std::thread::spawn(move || answer(stream, next, &tell));
            }
        });
        Self { address, requests, silent }
    }

    fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

fn answer(mut stream: TcpStream, (events, ends): (Vec<Value>, Ends), tell: &Sender<()>) {
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    let events = events.iter().map(|event| format!("data: {event}\n\n"));
    let _gone = stream.write_all(format!("{head}{}", events.collect::<String>()).as_bytes());
    if ends == Ends::Silent {
        let _nobody_listens = tell.send(());
        // Until the client closes.
        let _closed = stream.read(&mut [0]);
    }
}

/// A turn with what its provider wants back and a call, as each format has it.
fn turn(format: &str, arguments: &Value) -> Vec<Value> {
    let written = arguments.to_string();
    match format {
        "anthropic" => vec![
            json!({ "type": "message_start", "message": { "usage": { "input_tokens": 5000, "output_tokens": 1 } } }),
            json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "thinking", "thinking": "", "signature": "" } }),
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "thinking_delta", "thinking": "Hm." } }),
            json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "signature_delta", "signature": SEALED } }),
            json!({ "type": "content_block_stop", "index": 0 }),
            json!({ "type": "content_block_start", "index": 1, "content_block": { "type": "tool_use", "id": "t1", "name": "update_report", "input": {} } }),
            json!({ "type": "content_block_delta", "index": 1, "delta": { "type": "input_json_delta", "partial_json": written } }),
            json!({ "type": "content_block_stop", "index": 1 }),
            json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" }, "usage": { "output_tokens": 20 } }),
            json!({ "type": "message_stop" }),
        ],
        "responses" => {
            let call = |arguments: &str| json!({ "type": "function_call", "id": "fc", "call_id": "c1", "name": "update_report", "arguments": arguments });
            vec![
                json!({ "type": "response.output_item.done", "output_index": 0, "item": { "type": "reasoning", "id": "rs", "encrypted_content": SEALED, "summary": [] } }),
                json!({ "type": "response.output_item.added", "output_index": 1, "item": call("") }),
                json!({ "type": "response.function_call_arguments.delta", "output_index": 1, "delta": written }),
                json!({ "type": "response.output_item.done", "output_index": 1, "item": call(&written) }),
                json!({ "type": "response.completed", "response": { "status": "completed", "usage": { "input_tokens": 5000, "output_tokens": 20 } } }),
            ]
        }
        "gemini" => vec![
            json!({ "candidates": [{ "content": { "parts": [{ "text": "Hm. ", "thought": true }] } }] }),
            json!({
                "candidates": [{
                    "content": { "parts": [{ "functionCall": { "name": "update_report", "args": arguments }, "thoughtSignature": SEALED }] },
                    "finishReason": "STOP",
                }],
                "usageMetadata": { "promptTokenCount": 5000, "candidatesTokenCount": 20 },
            }),
        ],
        "chatCompletions" => {
            let details = json!([{ "type": "reasoning.encrypted", "data": SEALED, "index": 0 }]);
            let call = json!([{ "index": 0, "id": "c1", "type": "function", "function": { "name": "update_report", "arguments": written } }]);
            vec![
                json!({ "choices": [{ "delta": { "reasoning_details": details } }] }),
                json!({ "choices": [{ "delta": { "tool_calls": call } }] }),
                json!({ "choices": [{ "delta": {}, "finish_reason": "tool_calls" }], "usage": { "prompt_tokens": 5000, "completion_tokens": 20 } }),
            ]
        }
        other => panic!("no format: {other}"),
    }
}

/// Kills a server in the middle of the second turn, and lets another one finish.
fn killed_while_the_model_writes(format: &str) {
    let report = json!({ "tldr": "All is well.", "content": "So far." });
    let half = |mut events: Vec<Value>| {
        events.truncate(events.len() / 2);
        events
    };
    let provider = Provider::new(vec![
        (turn(format, &json!({})), Ends::Whole),
        (half(turn(format, &report)), Ends::Silent),
        (turn(format, &report), Ends::Whole),
    ]);
    let world = World::with_tasks();
    world.ok(&["agent", "create", "slug fence", "--name", "Sven"]);
    let url = format!("http://{}/v1", provider.address);
    world.ok(&["models", "add", "far", "--url", &url, "--format", format]);
    world.ok(&["agent", "model", "slug fence", "far/big", "--yes"]);
    let agent =
        world.json(&["agent", "show", "slug fence"])["id"].as_str().expect("an id").to_owned();

    let server = world.serve(&[]);
    let woken = server.notice.ask("POST", &format!("/api/agents/{agent}/wake"), "", "{}");
    assert!((200..300).contains(&woken.expect("an answer").status), "{format}");
    provider
        .silent
        .recv_timeout(DEADLINE)
        .unwrap_or_else(|e| panic!("{format}: no second turn: {e}: {:?}", provider.requests()));
    server.kill();
    let before = provider.requests();
    assert_eq!(before.len(), 2, "{format}");
    assert!(!before[0].contains(SEALED), "{format}: nothing to send back yet");
    assert!(before[1].contains(SEALED), "{format}: {}", before[1]);

    let server = world.serve(&[]);
    let notice = server.notice.clone();
    until("the agent rests", || {
        let agent = notice.get(&format!("/api/agents/{agent}"));
        (provider.requests().len() > 2 && agent["activity"] == "asleep").then_some(())
    });
    server.stop();
    let all = provider.requests();
    assert_eq!(all[2], before[1], "{format}: the call in flight is made again, to the byte");

    let written = world.json(&["report", "slug fence"]);
    assert_eq!(written["tldr"], "All is well.", "{format}: {written}");
    let wakes = world.json(&["agent", "log", "Sven"]);
    let wake = &wakes["items"][0];
    assert_eq!((&wake["status"], &wake["crashes"]), (&json!("completed"), &json!(1)), "{format}");
    // The call that was cut has a row, and counts as what was reserved for it.
    let used = &world.json(&["models", "usage"])["items"][0];
    // So has the test call before the first of them.
    let calls = i64::try_from(all.len()).expect("few") + 1;
    assert_eq!(used["calls"], json!(calls), "{format}: {used}");
    assert!(used["cost"].as_i64() > Some((calls - 1) * 5_020), "{format}: {used}");
    let shown = world.ok(&["agent", "log", "Sven", "--json"]).out;
    assert!(!shown.contains(SEALED), "{format}: nobody is shown what is the provider's");
}

#[test]
fn a_kill_in_mid_stream_of_chat_completions_loses_no_more_than_the_call_in_flight() {
    killed_while_the_model_writes("chatCompletions");
}

#[test]
fn a_kill_in_mid_stream_of_responses_loses_no_more_than_the_call_in_flight() {
    killed_while_the_model_writes("responses");
}

#[test]
fn a_kill_in_mid_stream_of_anthropic_loses_no_more_than_the_call_in_flight() {
    killed_while_the_model_writes("anthropic");
}

#[test]
fn a_kill_in_mid_stream_of_gemini_loses_no_more_than_the_call_in_flight() {
    killed_while_the_model_writes("gemini");
}
