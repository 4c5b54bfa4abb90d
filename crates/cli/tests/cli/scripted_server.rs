//! A server of a language model that answers what a test wrote down for it.

use std::collections::VecDeque;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};

use crate::world::World;

type Calls = Vec<(String, Value)>;

/// A server whose answers are given out in order; after the last, every answer is the same: it says
/// something and ends, or makes the calls of [`ScriptedServer::always_calls`].
/// Its thread ends with the test process.
pub struct ScriptedServer {
    address: SocketAddr,
    answers: Arc<Mutex<VecDeque<Calls>>>,
    rest: Arc<Mutex<Calls>>,
    requests: Arc<Mutex<Vec<String>>>,
    drops_tools: Arc<AtomicBool>,
    calls_nothing: Arc<AtomicBool>,
    refusal: Arc<Mutex<Option<String>>>,
    takes_no_force: Arc<AtomicBool>,
}

impl ScriptedServer {
    /// A server on a free port.
    pub fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free loopback port");
        let address = listener.local_addr().expect("it listens");
        let answers = Arc::new(Mutex::new(VecDeque::new()));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let rest = Arc::new(Mutex::new(Calls::new()));
        let drops_tools = Arc::new(AtomicBool::new(false));
        let (from, last, kept) = (Arc::clone(&answers), Arc::clone(&rest), Arc::clone(&requests));
        let drops = Arc::clone(&drops_tools);
        let calls_nothing = Arc::new(AtomicBool::new(false));
        let is_mute = Arc::clone(&calls_nothing);
        let takes_no_force = Arc::new(AtomicBool::new(false));
        let is_free = Arc::clone(&takes_no_force);
        let refusal = Arc::new(Mutex::new(None));
        let refuses: Arc<Mutex<Option<String>>> = Arc::clone(&refusal);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let body = read(&mut stream);
                let why = refuses.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let is_free = is_free.load(Ordering::SeqCst);
                let why = why.or_else(|| unforced(&body).filter(|_| is_free));
                if let Some(why) = why {
                    let error = json!({ "error": { "message": why } }).to_string();
                    let head = "HTTP/1.1 400 Bad Request\r\ncontent-type: application/json";
                    let n = error.len();
                    let answer = format!("{head}\r\ncontent-length: {n}\r\n\r\n{error}");
                    let _gone = stream.write_all(answer.as_bytes());
                    continue;
                }
                if is_mute.load(Ordering::SeqCst) && !body.is_empty() {
                    let _gone = stream.write_all(turn(&[]).as_bytes());
                    kept.lock().unwrap_or_else(PoisonError::into_inner).push(body);
                    continue;
                }
                if drops.load(Ordering::SeqCst) && !body.is_empty() {
                    let _gone = stream.write_all(without_tools(&body).as_bytes());
                    kept.lock().unwrap_or_else(PoisonError::into_inner).push(body);
                    continue;
                }
                if let Some(answer) = about_the_model(&body) {
                    let _gone = stream.write_all(answer.as_bytes());
                    continue;
                }
                kept.lock().unwrap_or_else(PoisonError::into_inner).push(body);
                let next = from.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
                let next = next
                    .unwrap_or_else(|| last.lock().unwrap_or_else(PoisonError::into_inner).clone());
                // The client closes whenever it has read enough.
                let _gone = stream.write_all(turn(&next).as_bytes());
            }
        });
        Self {
            address,
            answers,
            rest,
            requests,
            drops_tools,
            calls_nothing,
            refusal,
            takes_no_force,
        }
    }

    /// From now on its model calls a tool in no way.
    pub fn calls_nothing(&self) {
        self.calls_nothing.store(true, Ordering::SeqCst);
    }

    /// From now on its model takes tools and neither a forced call nor a schema, as DeepSeek's reasoner.
    pub fn takes_no_force(&self) {
        self.takes_no_force.store(true, Ordering::SeqCst);
    }

    /// From now on every request is refused for what it says.
    pub fn refuses(&self, why: &str) {
        *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = Some(why.to_owned());
    }

    /// No request is refused any more.
    pub fn accepts(&self) {
        *self.refusal.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// From now on its template renders no tools, so that its model never hears of them; a schema is enforced.
    pub fn drops_tools(&self) {
        self.drops_tools.store(true, Ordering::SeqCst);
    }

    /// A world in which the model of this server can be named: `own/script`.
    pub fn world(&self) -> World {
        let world = World::new();
        let url = format!("http://{}/v1", self.address);
        world.ok(&["models", "add", "own", "--url", &url, "--own"]);
        world
    }

    /// The next turn calls these tools; one that calls nothing only says something.
    pub fn calls<const N: usize>(&self, calls: [(&str, Value); N]) {
        let calls = calls.map(|(tool, arguments)| (tool.to_owned(), arguments)).to_vec();
        self.answers.lock().unwrap_or_else(PoisonError::into_inner).push_back(calls);
    }

    /// Every turn after the last that was written down makes this call.
    pub fn always_calls(&self, tool: &str, arguments: Value) {
        *self.rest.lock().unwrap_or_else(PoisonError::into_inner) =
            vec![(tool.to_owned(), arguments)];
    }

    /// The next turn ends a run.
    pub fn finishes(&self, summary: &str) {
        self.calls([("finish", json!({ "outcome": "done", "summary": summary }))]);
    }

    /// The bodies of all requests so far.
    pub fn requests(&self) -> Vec<String> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What a model that takes no forced call and no schema says of a request with one.
fn unforced(body: &str) -> Option<String> {
    if body.contains("\"response_format\"") {
        return Some("This response_format type is unavailable now".to_owned());
    }
    let is_forced = body.contains("\"tool_choice\"") && !body.contains("\"tool_choice\":\"auto\"");
    is_forced.then(|| "deepseek-reasoner does not support this tool_choice".to_owned())
}

/// What a server answers that is asked about its model, not for a turn: a list of models, which it does not
/// have, or the call by which a program finds out how it calls tools, which it makes itself in each format.
pub fn about_the_model(body: &str) -> Option<String> {
    let none = "HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
    if body.is_empty() {
        return Some(none.to_owned());
    }
    let tool = body.contains("confirm_word").then_some("confirm_word")?;
    let word = json!({ "word": "hazelnut" });
    let written = word.to_string();
    let events = if body.contains("functionDeclarations") {
        let call = json!({ "functionCall": { "name": tool, "args": word } });
        let content = json!({ "parts": [call] });
        vec![json!({ "candidates": [{ "content": content, "finishReason": "STOP" }] })]
    } else if body.contains("input_schema") {
        let block = json!({ "type": "tool_use", "id": "t1", "name": tool, "input": {} });
        let delta = json!({ "type": "input_json_delta", "partial_json": written });
        vec![
            json!({ "type": "message_start", "message": {} }),
            json!({ "type": "content_block_start", "index": 0, "content_block": block }),
            json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
            json!({ "type": "content_block_stop", "index": 0 }),
            json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" } }),
            json!({ "type": "message_stop" }),
        ]
    } else if body.contains("\"messages\"") {
        let function = json!({ "name": tool, "arguments": written });
        let call = json!({ "index": 0, "id": "c1", "type": "function", "function": function });
        vec![
            json!({ "choices": [{ "delta": { "tool_calls": [call] } }] }),
            json!({ "choices": [{ "delta": {}, "finish_reason": "tool_calls" }] }),
        ]
    } else {
        let call = json!({
            "type": "function_call", "id": "fc", "call_id": "c1", "name": tool, "arguments": written,
        });
        vec![
            json!({ "type": "response.output_item.done", "output_index": 0, "item": call }),
            json!({ "type": "response.completed", "response": { "status": "completed" } }),
        ]
    };
    let events: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    Some(format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n{events}"))
}

/// What a server answers whose template renders no tools: a text, in the schema if one is enforced.
fn without_tools(body: &str) -> String {
    let call = match body.contains("confirm_word") {
        true => json!([{ "tool": "confirm_word", "arguments": { "word": "hazelnut" } }]),
        false => json!([]),
    };
    let form = json!({ "say": "Fine.", "calls": call, "done": true }).to_string();
    let text = if body.contains("json_schema") { form } else { "Fine.".to_owned() };
    let event = json!({ "choices": [{ "delta": { "content": text } }] });
    let stop = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] });
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    format!("{head}data: {event}\n\ndata: {stop}\n\ndata: [DONE]\n\n")
}

/// Reads a whole request; its body.
pub fn read(stream: &mut TcpStream) -> String {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") && stream.read(&mut byte).is_ok_and(|n| n == 1) {
        head.extend(byte);
    }
    let head = String::from_utf8_lossy(&head).to_lowercase();
    let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
    let length = length.and_then(|length| length.trim().parse().ok()).unwrap_or(0);
    let mut body = Vec::new();
    let _cut = stream.take(length).read_to_end(&mut body);
    String::from_utf8_lossy(&body).into_owned()
}

/// The events of a turn, as they come over the wire.
fn turn(calls: &[(String, Value)]) -> String {
    let calls: Vec<Value> = (0u64..)
        .zip(calls)
        .map(|(index, (tool, arguments))| {
            json!({
                "index": index, "id": format!("c{index}"), "type": "function",
                "function": { "name": tool, "arguments": arguments.to_string() },
            })
        })
        .collect();
    let delta = match calls.as_slice() {
        [] => json!({ "content": "Fine." }),
        calls => json!({ "tool_calls": calls }),
    };
    let event = json!({ "choices": [{ "delta": delta }] });
    let stop = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] });
    format!(
        "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n\
         data: {event}\n\ndata: {stop}\n\ndata: [DONE]\n\n"
    )
}
