//! What a real server computes again, and what it has kept: its own counts, wake by wake.
//!
//! The requests are those of real wakes and go to llama.cpp's server with a small model. Its answers are
//! cut after a few tokens and not used: the turns come from a script, so that the log grows the same way
//! each time. `cargo xtask check model` runs this.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};

use dormouse_adapters::SystemClock;
use dormouse_adapters::http::{
    BaseUrl, HttpAnswer, HttpClient, HttpError, HttpRequest, Roots, Transport,
};
use dormouse_adapters::models::{ApiFormat, ModelConfig, RemoteModel, ToolMode};
use dormouse_testkit::model_server::{ModelServer, Options, Template};
use dormouse_testkit::scripted::{Answer, Script};
use dormouse_types::model::{ModelError, Request, TurnEvent};
use dormouse_types::port::{
    BoxFuture, BoxStream, Model, ModelClass, ModelLocation, OutgoingRequest,
};
use futures_util::{StreamExt as _, stream};
use serde_json::{Value, json};

use crate::support::program::Program;
use crate::support::wire::config;

const WINDOW: u32 = 8_192;
const N_WAKES: usize = 4;

/// Passes on what is sent and answered, and keeps both.
struct Recorder {
    client: HttpClient,
    heard: Arc<Mutex<Vec<(String, String)>>>,
}

impl Transport for Recorder {
    fn send<'a>(
        &'a self,
        request: &'a HttpRequest,
    ) -> BoxFuture<'a, Result<HttpAnswer, HttpError>> {
        Box::pin(async move {
            let mut answer = self.client.send(request).await?;
            let pieces: Vec<_> = answer.body.collect().await;
            let text = pieces.iter().flatten().map(|piece| String::from_utf8_lossy(piece));
            let heard = (request.body.clone(), text.collect());
            self.heard.lock().expect("one thread").push(heard);
            answer.body = Box::pin(stream::iter(pieces));
            Ok(answer)
        })
    }
}

/// Sends each request to the server, and answers from a script.
struct Scripted {
    remote: RemoteModel,
    script: Script,
}

impl Model for Scripted {
    fn name(&self) -> &str {
        self.remote.name()
    }

    fn provider(&self) -> &str {
        self.remote.provider()
    }

    fn class(&self) -> ModelClass {
        ModelClass::Free
    }

    fn location(&self) -> ModelLocation {
        self.remote.location()
    }

    fn window(&self) -> Option<u64> {
        self.remote.window()
    }

    fn outgoing(&self, request: &Request) -> Option<OutgoingRequest> {
        self.remote.outgoing(request)
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        let sent = self.remote.ask(request).filter(|_| std::future::ready(false));
        Box::pin(sent.chain(self.script.ask(request)))
    }
}

/// Counts the tokens of a text as the server does.
fn tokens(server: SocketAddr, text: &str) -> u64 {
    let body = json!({ "content": text }).to_string();
    let mut connection = TcpStream::connect(server).expect("the server listens");
    let head = format!(
        "POST /tokenize HTTP/1.1\r\nhost: {server}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    connection.write_all((head + &body).as_bytes()).expect("sent");
    let mut answer = String::new();
    connection.read_to_string(&mut answer).expect("an answer");
    let (from, to) = (answer.find('{').expect("JSON"), answer.rfind('}').expect("JSON"));
    let answer: Value = serde_json::from_str(&answer[from..=to]).expect("JSON");
    answer["tokens"].as_array().map_or(0, Vec::len) as u64
}

/// The tokens of a prompt, and how many of them the server had: as its last event counts them.
fn counted(answer: &str) -> (u64, u64) {
    let mut usage = answer
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line.strip_prefix("data: ")?).ok())
        .filter_map(|event| event.get("usage").filter(|usage| usage.is_object()).cloned());
    let usage = usage.next_back().unwrap_or_else(|| panic!("no counts: {answer}"));
    let count = |path: &str| usage.pointer(path).and_then(Value::as_u64).expect(path);
    (count("/prompt_tokens"), count("/prompt_tokens_details/cached_tokens"))
}

/// What a body says up to the end of its log: rules, tools and memory.
fn beginning(body: &str) -> String {
    let body: Value = serde_json::from_str(body).expect("a body is JSON");
    let said = |n: usize| body["messages"][n]["content"].as_str().expect("text").to_owned();
    let user = said(1);
    let end = user.find("\n\n<data of=\"taskState\">").unwrap_or(0);
    format!("{}{}", said(0), &user[..end])
}

#[tokio::test]
#[ignore = "a real model takes minutes: cargo xtask check model"]
async fn from_the_second_wake_on_the_server_has_rules_tools_and_log() {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target folder");
    let python = target.join("model-server/bin/python");
    if !python.exists() {
        assert!(option_env!("CI").is_none(), "{} is missing", python.display());
        let words = "skipped: no model server; scripts/setup test installs it";
        let _ = writeln!(std::io::stderr(), "{words}");
        return;
    }
    let server = ModelServer::start(&python, Options { template: Template::Own, window: WINDOW });
    let (format, rung) = (ApiFormat::ChatCompletions, ToolMode::Schema);
    let url = format!("http://{}/v1", server.address());
    let config = ModelConfig {
        base: BaseUrl::parse(&url).expect("an address"),
        location: ModelLocation::OwnServer,
        max_output_tokens: 4,
        window: Some(u64::from(WINDOW)),
        ..config(format, rung)
    };
    let heard = Arc::new(Mutex::new(Vec::new()));
    let client = HttpClient::new(Roots::none(), Arc::new(SystemClock)).expect("a client");
    let recorder = Arc::new(Recorder { client, heard: heard.clone() });
    let noted = json!({ "observations": ["The lift is narrow: the wardrobe goes up in parts."] });
    let report = json!({ "tldr": "The move is on its way.", "content": "- [ ] Book the van" });
    let calls = [("record_observations", noted), ("update_report", report)];
    let turns = [Answer::calls(calls).and_goes_on(), Answer::calls([])];
    let script = Script::in_order(turns.iter().cycle().take(2 * N_WAKES).cloned());
    let remote = RemoteModel::new(config, recorder);
    let program = Program::with(Arc::new(Scripted { remote, script }));
    let (task, _) = program.task("Move", &["Book the van"], "We move in May.").await;
    let mut before = String::new();
    for n in 1..=N_WAKES {
        program.note(&task, &format!("Call {n} with the movers: Friday at eight, 140 EUR.")).await;
        assert_eq!(program.run().await, ["completed"]);
        let turns = std::mem::take(&mut *heard.lock().expect("one thread"));
        let (body, answer) = turns.first().expect("a turn");
        let (all, kept) = counted(answer);
        // Two tokens may be cut differently where the log of the last wake ended.
        let alike = tokens(server.address(), &before).saturating_sub(2);
        let share = kept * 100 / all.max(1);
        let _ = writeln!(
            std::io::stderr(),
            "wake {n}: {kept} of {all} tokens were kept ({share} %), of which {alike} are rules, tools and log"
        );
        assert!(kept >= alike, "wake {n}: {kept} of {all} kept, {alike} begin like the last wake");
        before = beginning(body);
        for (body, answer) in &turns[1..] {
            let (_, kept) = counted(answer);
            let alike = tokens(server.address(), &beginning(body)).saturating_sub(2);
            assert!(kept >= alike, "a later turn of wake {n}: {kept} kept, {alike} begin alike");
        }
    }
}
