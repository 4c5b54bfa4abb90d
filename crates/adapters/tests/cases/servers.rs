//! A real server on this machine that plays bytes.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use dormouse_adapters::SystemClock;
use dormouse_adapters::http::{BaseUrl, HttpClient, Roots};
use dormouse_adapters::models::{ApiFormat, ModelConfig, RemoteModel};
use dormouse_testkit::ManualClock;
use dormouse_types::limits;
use dormouse_types::model::{ModelError, ProviderUnavailable, Request, TurnEvent};
use dormouse_types::port::{Model as _, ModelLocation};
use futures_util::StreamExt as _;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::support::play::summary;
use crate::support::requests::{config, request};

const EVENTS: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
const HALF: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\",\"tool_calls\":[{\"index\":0,\
                    \"id\":\"a\",\"function\":{\"name\":\"weather\",\"arguments\":\"{\\\"la\"}}]}}]}\n\n";
const WHOLE: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"},\"finish_reason\":\
                     \"stop\"}]}\n\ndata: [DONE]\n\n";

/// What a server does with one connection, once it has read the request.
enum Play {
    /// Writes and closes.
    Bytes(String),
    /// Writes the first, then the second again and again until the client closes.
    Endless(String, Vec<u8>),
    /// Writes, and waits until the client closes.
    Silence(String),
}

struct Server {
    address: SocketAddr,
    listener: TcpListener,
}

impl Server {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        Self { address: listener.local_addr().unwrap(), listener }
    }

    /// Serves one connection; answers the request that it got.
    async fn serve(&self, play: Play) -> String {
        let (mut connection, _) = self.listener.accept().await.unwrap();
        let request = read_request(&mut connection).await;
        match play {
            Play::Bytes(text) => connection.write_all(text.as_bytes()).await.unwrap(),
            Play::Endless(head, piece) => {
                connection.write_all(head.as_bytes()).await.unwrap();
                while connection.write_all(&piece).await.is_ok() {}
            }
            Play::Silence(text) => {
                connection.write_all(text.as_bytes()).await.unwrap();
                // Ends when the client closes its side, or resets the connection.
                while connection.read(&mut [0; 64]).await.is_ok_and(|n| n > 0) {}
            }
        }
        request
    }
}

async fn read_request(connection: &mut (impl AsyncRead + Unpin)) -> String {
    let mut bytes = Vec::new();
    loop {
        let mut piece = [0; 4096];
        let n = connection.read(&mut piece).await.unwrap();
        bytes.extend_from_slice(&piece[..n]);
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if n == 0 {
            return text;
        }
        let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: "));
        if body.len() >= length.unwrap().parse().unwrap() {
            return text;
        }
    }
}

fn model(address: SocketAddr) -> RemoteModel {
    let config = ModelConfig {
        base: BaseUrl::parse(&format!("http://{address}/v1")).unwrap(),
        location: ModelLocation::OwnServer,
        ..config(ApiFormat::ChatCompletions)
    };
    RemoteModel::new(
        config,
        Arc::new(HttpClient::new(Roots::none(), Arc::new(SystemClock)).unwrap()),
    )
}

async fn turn(model: &RemoteModel, request: &Request) -> Result<Vec<TurnEvent>, ModelError> {
    model.ask(request).collect::<Vec<_>>().await.into_iter().collect()
}

/// The turn or the error that a server makes, and the request that it got.
async fn played(play: Play) -> (Result<Vec<TurnEvent>, ModelError>, String) {
    let server = Server::start().await;
    let model = model(server.address);
    let request = request();
    tokio::join!(turn(&model, &request), server.serve(play))
}

async fn outage(play: Play) -> String {
    match played(play).await.0 {
        Err(ModelError::Provider { why: ProviderUnavailable::Outage, detail, .. }) => detail,
        other => panic!("{other:?}"),
    }
}

/// What is said of an address that no connection to comes about.
async fn unreachable(model: &RemoteModel) -> String {
    match turn(model, &request()).await {
        Err(ModelError::Provider { why: ProviderUnavailable::Unreachable, detail, .. }) => detail,
        other => panic!("{other:?}"),
    }
}

/// What is said of an address where no model answers: a person has to correct it.
async fn wrong_address(play: Play) -> String {
    refusal(play, ProviderUnavailable::Configuration).await
}

async fn refusal(play: Play, expected: ProviderUnavailable) -> String {
    match played(play).await.0 {
        Err(ModelError::Provider { why, detail, .. }) if why == expected => detail,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_turn_is_read_and_what_was_shown_was_sent() {
    let (turn, got) = played(Play::Bytes(format!("{EVENTS}{WHOLE}"))).await;
    assert_eq!(summary(&turn.unwrap()), "text \"Hi\"\nend, ended: true");
    let shown = model("127.0.0.1:1".parse().unwrap()).outgoing(&request()).unwrap();
    let (head, body) = got.split_once("\r\n\r\n").unwrap();
    assert_eq!(body, shown.body);
    assert!(head.starts_with("POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:"), "{head}");
    assert!(head.contains("\r\naccept-encoding: identity\r\n"), "{head}");
    for (name, value) in shown.headers {
        let value = value.replace("(not shown)", "sk-very-secret");
        assert!(head.contains(&format!("\r\n{name}: {value}")), "{name}: {head}");
    }
}

#[tokio::test]
async fn a_server_that_refuses_the_connection_was_sent_nothing() {
    let address = Server::start().await.address;
    let detail = unreachable(&model(address)).await;
    assert!(detail.starts_with(&format!("cannot connect to http://{address}")), "{detail}");
}

#[tokio::test]
async fn a_server_that_never_agrees_on_encryption_was_sent_nothing() {
    let server = Server::start().await;
    let config = ModelConfig {
        base: BaseUrl::parse(&format!("https://{}/v1", server.address)).unwrap(),
        ..config(ApiFormat::Anthropic)
    };
    let clock = ManualClock::at("2026-03-02T09:00:00Z");
    let client = HttpClient::new(Roots::none(), Arc::new(clock.clone())).unwrap();
    let model = RemoteModel::new(config, Arc::new(client));
    let silent = async {
        // It takes the connection and says nothing; what it gets is no part of the request.
        let (mut connection, _) = server.listener.accept().await.unwrap();
        let mut greeting = [0; 1];
        connection.read_exact(&mut greeting).await.unwrap();
        clock.advance(Duration::from_secs(limits::CONNECT_SECONDS - 1));
        clock.advance(Duration::from_secs(1));
        connection
    };
    let (detail, _connection) = tokio::join!(unreachable(&model), silent);
    assert!(detail.ends_with("no connection within 30 seconds"), "{detail}");
}

#[tokio::test]
async fn a_chunked_turn_ends_with_its_last_event() {
    let chunk = |text: &str| format!("{:x}\r\n{text}\r\n", text.len());
    let (one, two) = WHOLE.split_at(20);
    let head = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\
                content-type: text/event-stream\r\n\r\n";
    // The connection stays open: the turn is complete without its end.
    let play = Play::Silence(format!("{head}{}{}", chunk(one), chunk(two)));
    assert_eq!(summary(&played(play).await.0.unwrap()), "text \"Hi\"\nend, ended: true");
}

#[tokio::test]
async fn half_a_call_and_then_the_end_is_an_outage() {
    let detail = outage(Play::Bytes(format!("{EVENTS}{HALF}"))).await;
    assert_eq!(detail, "the answer ended before it was complete");
    let head = "HTTP/1.1 200 OK\r\ncontent-length: 9999\r\ncontent-type: text/event-stream\r\n\r\n";
    let detail = outage(Play::Bytes(format!("{head}{HALF}"))).await;
    assert!(detail.starts_with("the connection to http://127.0.0.1:"), "{detail}");
}

#[tokio::test]
async fn dropping_the_stream_closes_the_connection() {
    let half_a_head = "HTTP/1.1 200 OK\r\ncontent-ty".to_owned();
    for (text, n_events) in [(half_a_head, 0), (format!("{EVENTS}{HALF}"), 2)] {
        let server = Server::start().await;
        let model = model(server.address);
        let request = request();
        let (written, mut is_written) = tokio::sync::oneshot::channel();
        let serving = async {
            let (mut connection, _) = server.listener.accept().await.unwrap();
            read_request(&mut connection).await;
            connection.write_all(text.as_bytes()).await.unwrap();
            written.send(()).unwrap();
            // Ends only when the client closes.
            while connection.read(&mut [0; 64]).await.is_ok_and(|n| n > 0) {}
        };
        let calling = async {
            let mut stream = model.ask(&request);
            for _ in 0..n_events {
                assert!(stream.next().await.unwrap().is_ok());
            }
            tokio::select! {
                biased;
                event = stream.next() => panic!("{event:?}"),
                _ = &mut is_written => {}
            }
            drop(stream);
        };
        tokio::join!(serving, calling);
    }
}

#[tokio::test]
async fn endless_answers_are_refused() {
    let head =
        "HTTP/1.1 200 OK\r\ncontent-length: 209715200\r\ncontent-type: application/json\r\n\r\n";
    let detail = outage(Play::Endless(head.into(), vec![b' '; 65536])).await;
    assert!(detail.ends_with("answered with more than 4194304 bytes"), "{detail}");

    let comments = b": still here\n\n".repeat(4096);
    let (answer, _) = played(Play::Endless(EVENTS.into(), comments)).await;
    let Err(ModelError::Request { detail }) = answer else { panic!("{answer:?}") };
    assert_eq!(detail, "the answer has more than 67108864 bytes");

    let line = Play::Endless(format!("{EVENTS}data: "), vec![b'x'; 65536]);
    let (answer, _) = played(line).await;
    let Err(ModelError::Request { detail }) = answer else { panic!("{answer:?}") };
    assert_eq!(detail, "an event of the answer has more than 4194304 bytes");

    let refused = Play::Endless("HTTP/1.1 400 Bad\r\n\r\n".into(), vec![b'x'; 65536]);
    let (answer, _) = played(refused).await;
    assert!(matches!(answer, Err(ModelError::Rejected { .. })), "{answer:?}");
}

#[tokio::test]
async fn headers_beyond_the_limits_are_refused() {
    let long = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "x".repeat(70_000));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "x: y\r\n".repeat(101));
    for head in [long, many] {
        let detail = outage(Play::Silence(head)).await;
        let expected = "answered with headers of more than 65536 bytes, or more than 100";
        assert!(detail.ends_with(expected), "{detail}");
    }
    let detail = outage(Play::Endless("HTTP/1.1 200 OK\r\nx: ".into(), vec![b'x'; 4096])).await;
    assert!(detail.contains("headers of more than"), "{detail}");
}

#[tokio::test]
async fn a_redirect_is_an_error_that_names_where_it_points() {
    let head = "HTTP/1.1 307 Moved\r\nlocation: https://evil.example/steal?key=1\r\n\
                content-length: 0\r\n\r\n";
    let detail = wrong_address(Play::Bytes(head.into())).await;
    let expected = "answered 307 and points to https://evil.example: redirects are not followed; \
                    enter the address of the server itself";
    assert!(detail.ends_with(expected), "{detail}");
}

#[tokio::test]
async fn what_is_not_http_is_an_outage_and_what_is_not_a_model_a_wrong_address() {
    for text in ["SSH-2.0-OpenSSH_9.6\r\n", ""] {
        let detail = outage(Play::Bytes(text.into())).await;
        assert!(detail.contains("the connection to http://127.0.0.1:"), "{detail}");
    }
    let page = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>";
    let lines =
        "HTTP/1.1 200 OK\r\ncontent-type: application/x-ndjson\r\ncontent-length: 2\r\n\r\n{}";
    let nothing =
        "HTTP/1.1 404 Not Found\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>";
    let words = "HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nok";
    let (taken, not_taken) = (ProviderUnavailable::WrongAnswer, ProviderUnavailable::Configuration);
    for (text, why, expected) in [
        (
            page,
            taken,
            "answered with a web page instead of an answer of a model; check the base URL",
        ),
        (words, taken, "answered with the content type \"text/plain\""),
        (lines, taken, "answered with the content type \"application/x-ndjson\""),
        (nothing, not_taken, "has nothing at this address; check the base URL"),
    ] {
        let detail = refusal(Play::Bytes(text.into()), why).await;
        assert!(detail.contains(expected), "{detail}");
    }
}

/// Gateways send streams as JSON or plain text, and errors as streams.
#[tokio::test]
async fn an_answer_is_read_as_what_it_is_whatever_its_content_type() {
    let head = |media_type: &str| format!("HTTP/1.1 200 OK\r\ncontent-type: {media_type}\r\n\r\n");
    let whole = r#"{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}"#;
    for media_type in ["text/plain; charset=utf-8", "application/json", "text/event-stream"] {
        for body in [WHOLE, &format!(": still here\n\n{WHOLE}"), whole, &format!("\n {whole}")] {
            let (turn, _) = played(Play::Bytes(format!("{}{body}", head(media_type)))).await;
            assert_eq!(summary(&turn.unwrap()), "text \"Hi\"\nend, ended: true", "{media_type}");
        }
        let error = r#"{"error":{"message":"Model is overloaded"}}"#;
        let detail = outage(Play::Bytes(format!("{}{error}", head(media_type)))).await;
        assert!(detail.ends_with("Model is overloaded"), "{detail}");
    }
    let detail = outage(Play::Bytes(format!("{}so", head("application/json")))).await;
    assert!(detail.ends_with("answered with text that is not JSON"), "{detail}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_named() {
    let server = Server::start().await;
    let model = model(server.address);
    let origin = format!("http://{}", server.address);
    drop(server);
    let Err(ModelError::Provider { detail, .. }) = turn(&model, &request()).await else {
        panic!("there is no server");
    };
    assert!(detail.starts_with(&format!("cannot connect to {origin}: ")), "{detail}");
}

#[tokio::test]
async fn a_server_without_a_certificate_is_not_trusted() {
    let server = Server::start().await;
    let config = ModelConfig {
        base: BaseUrl::parse(&format!("https://{}/v1", server.address)).unwrap(),
        ..config(ApiFormat::Anthropic)
    };
    let client = HttpClient::new(Roots::none(), Arc::new(SystemClock)).unwrap();
    let model = RemoteModel::new(config, Arc::new(client));
    let request = request();
    let plain = async {
        let (mut connection, _) = server.listener.accept().await.unwrap();
        connection.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
    };
    let (answer, ()) = tokio::join!(turn(&model, &request), plain);
    let Err(ModelError::Provider { detail, .. }) = answer else { panic!("{answer:?}") };
    assert!(detail.starts_with("cannot set up an encrypted connection to https://"), "{detail}");
}

/// A certificate for this machine, and a server that proves itself with it.
fn certified() -> (rustls::pki_types::CertificateDer<'static>, tokio_rustls::TlsAcceptor) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let certificate = made.cert.der().clone();
    let key = rustls::pki_types::PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let server = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], key)
        .unwrap();
    (certificate, tokio_rustls::TlsAcceptor::from(Arc::new(server)))
}

#[tokio::test]
async fn an_encrypted_connection_needs_a_root_that_is_trusted() {
    let (certificate, acceptor) = certified();
    let trusting = Roots::none().with(certificate).unwrap();
    for (roots, expected) in [(trusting, None), (Roots::none(), Some("UnknownIssuer"))] {
        let server = Server::start().await;
        let base = format!("https://localhost:{}/v1", server.address.port());
        let config = ModelConfig {
            base: BaseUrl::parse(&base).unwrap(),
            ..config(ApiFormat::ChatCompletions)
        };
        let model = RemoteModel::new(
            config,
            Arc::new(HttpClient::new(roots, Arc::new(SystemClock)).unwrap()),
        );
        let request = request();
        let serving = async {
            let (connection, _) = server.listener.accept().await.unwrap();
            let Ok(mut connection) = acceptor.accept(connection).await else { return };
            read_request(&mut connection).await;
            connection.write_all(format!("{EVENTS}{WHOLE}").as_bytes()).await.unwrap();
            connection.shutdown().await.unwrap();
        };
        let (answer, ()) = tokio::join!(turn(&model, &request), serving);
        match (answer, expected) {
            (Ok(events), None) => {
                assert_eq!(summary(&events), "text \"Hi\"\nend, ended: true");
            }
            (Err(ModelError::Provider { detail, .. }), Some(expected)) => {
                assert!(detail.contains(expected), "{detail}");
            }
            (answer, _) => panic!("{answer:?}"),
        }
    }
}
