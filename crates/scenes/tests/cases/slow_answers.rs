//! A provider that answers too slowly, over a real connection: whatever it sends meanwhile, its time runs
//! out, the run is put back, and no agent is blamed.

use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::task::Poll;
use std::time::Duration;

use dormouse::DrainScope;
use dormouse::view::RunOutcome;
use dormouse_adapters::SystemClock;
use dormouse_adapters::http::{
    BaseUrl, HttpAnswer, HttpClient, HttpError, HttpRequest, Roots, Transport,
};
use dormouse_adapters::models::{ApiFormat, ModelConfig, RemoteModel, ToolMode};
use dormouse_scenes::world::START;
use dormouse_testkit::ManualClock;
use dormouse_types::agent::RunStatus;
use dormouse_types::limits;
use dormouse_types::port::{BoxFuture, Clock as _, ModelLocation};
use dormouse_world::Rooms;
use futures_util::stream;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};

use crate::support::program::Program;
use crate::support::wire::config;

/// Between two pieces.
const PAUSE: Duration = Duration::from_secs(10);
/// One word of an answer.
const WORD: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"and \"}}]}\n\n";
/// More pieces than any limit lets through.
const PIECES: usize = 100_000;

/// What a server sends, piece by piece.
struct Slow {
    first: &'static str,
    pieces: &'static str,
}

/// Reads a request as far as it comes in the first piece.
async fn read(connection: &mut TcpStream) {
    let mut piece = [0; 4096];
    while let Ok(n) = connection.read(&mut piece).await {
        if n == 0 || piece[..n].windows(4).any(|end| end == b"\r\n\r\n") {
            return;
        }
    }
}

/// Sends one byte after another, ten seconds apart, until the run has ended.
async fn serve(listener: &TcpListener, slow: &Slow, clock: &ManualClock, is_over: &AtomicBool) {
    let (mut connection, _) = listener.accept().await.expect("a connection");
    read(&mut connection).await;
    connection.write_all(slow.first.as_bytes()).await.expect("it listens");
    for byte in slow.pieces.bytes().cycle().take(PIECES) {
        // What nobody reads any more cannot be written.
        if is_over.load(Relaxed) || connection.write_all(&[byte]).await.is_err() {
            return;
        }
        clock.advance(PAUSE);
        tokio::task::yield_now().await;
    }
}

/// An agent whose wake is due.
async fn due(program: &Program) {
    program.task("Move", &["Book the van"], "We move in May.").await;
    program.clock.advance(Duration::from_secs(60));
}

/// Writes words ten seconds apart, then nothing. The time passes while one waits for it.
struct Writer {
    clock: ManualClock,
    words: usize,
}

impl Transport for Writer {
    fn send<'a>(&'a self, _: &'a HttpRequest) -> BoxFuture<'a, Result<HttpAnswer, HttpError>> {
        let (clock, words) = (self.clock.clone(), self.words);
        let events = stream::unfold(0, move |written| {
            let clock = clock.clone();
            async move {
                if written < words {
                    clock.advance(PAUSE);
                    return Some((Ok(WORD.into()), written + 1));
                }
                poll_fn(|context| {
                    clock.advance(PAUSE);
                    context.waker().wake_by_ref();
                    Poll::<()>::Pending
                })
                .await;
                None
            }
        });
        let mut answer =
            HttpAnswer { status: 200, headers: Default::default(), body: Box::pin(events) };
        let media = "text/event-stream".parse().expect("a media type");
        answer.headers.insert("content-type", media);
        Box::pin(async move { Ok(answer) })
    }
}

/// How a wake ended whose model writes so many words, and the seconds that it took.
async fn written(words: usize, location: ModelLocation) -> (RunOutcome, u64) {
    let clock = ManualClock::at(START);
    let writer = Writer { clock: clock.clone(), words };
    let config = ModelConfig { location, ..config(ApiFormat::ChatCompletions, ToolMode::Native) };
    let model = Arc::new(RemoteModel::new(config, Arc::new(writer)));
    let program = Program::of(Rooms::by(clock).model(model));
    due(&program).await;
    let began = program.clock.now();
    let mut ran = Vec::new();
    let scope = DrainScope { all_due: true, ..DrainScope::default() };
    program.dormouse.drain(scope, &mut |run| ran.push(run)).await.expect("a drain");
    assert_eq!(ran.len(), 1, "{ran:?}");
    (ran.remove(0), began.until(program.clock.now()).as_secs())
}

/// How a wake ended whose model is at such a server, and the seconds that it took.
async fn woken(slow: &Slow, location: ModelLocation) -> (Vec<RunOutcome>, u64) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("http://{}/v1", listener.local_addr().expect("it listens"));
    let config = ModelConfig {
        base: BaseUrl::parse(&url).expect("an address"),
        location,
        ..config(ApiFormat::ChatCompletions, ToolMode::Native)
    };
    let client = HttpClient::new(Roots::none(), Arc::new(SystemClock)).expect("a client");
    let program = Program::with(Arc::new(RemoteModel::new(config, Arc::new(client))));
    due(&program).await;
    let began = program.clock.now();
    let is_over = AtomicBool::new(false);
    let mut ran = Vec::new();
    let mut on_run = |run: RunOutcome| {
        is_over.store(true, Relaxed);
        ran.push(run);
    };
    let scope = DrainScope { all_due: true, ..DrainScope::default() };
    let (drained, ()) = tokio::join!(
        program.dormouse.drain(scope, &mut on_run),
        serve(&listener, slow, &program.clock, &is_over),
    );
    drained.expect("a drain");
    (ran, began.until(program.clock.now()).as_secs())
}

#[tokio::test]
async fn headers_and_events_that_never_end_are_given_up_in_time() {
    let events = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n";
    let cases = [
        ("headers, byte by byte", Slow { first: "HTTP/1.1 200 OK\r\nx-slow: ", pieces: "z" }),
        ("many headers", Slow { first: "HTTP/1.1 200 OK\r\n", pieces: "x: yyyyyyyyyyy\r\n" }),
        ("an event, byte by byte", Slow { first: events, pieces: "data: {\"choices\": " }),
        ("comments", Slow { first: events, pieces: ": here\n\n" }),
    ];
    for (what, slow) in cases {
        for (location, limit) in [
            (ModelLocation::OwnServer, limits::LOCAL_FIRST_SECONDS),
            (ModelLocation::Elsewhere, limits::MODEL_SECONDS),
        ] {
            let (ran, seconds) = woken(&slow, location).await;
            let [run] = &ran[..] else { panic!("{what}: {ran:?}") };
            assert_eq!(run.status, RunStatus::Queued, "{what}: {run:?}");
            let why = run.error.as_deref().unwrap_or_default();
            let says = format!("it said nothing for {limit} seconds");
            assert!(why.contains(&says), "{what}: {why}");
            let most = limit + 5 * PAUSE.as_secs();
            assert!((limit..most).contains(&seconds), "{what}: after {seconds} seconds");
        }
    }
}

#[tokio::test]
async fn a_model_that_falls_silent_between_two_words_is_given_up_in_time() {
    for (location, limit) in [
        (ModelLocation::OwnServer, limits::LOCAL_BETWEEN_SECONDS),
        (ModelLocation::Elsewhere, limits::MODEL_SECONDS),
    ] {
        let (run, seconds) = written(3, location).await;
        let says = format!("it said nothing for {limit} seconds");
        assert_eq!(run.status, RunStatus::Queued, "{location:?}: {run:?}");
        assert!(run.error.as_deref().unwrap_or_default().contains(&says), "{location:?}: {run:?}");
        let after = seconds - 3 * PAUSE.as_secs();
        assert!((limit..limit + 3 * PAUSE.as_secs()).contains(&after), "{location:?}: {seconds}");
    }
}

#[tokio::test]
async fn a_model_that_never_stops_writing_is_cut_off_when_the_time_of_its_wake_is_over() {
    for (location, limit) in [
        (ModelLocation::OwnServer, limits::LOCAL_WAKE_SECONDS),
        (ModelLocation::Elsewhere, limits::WAKE_SECONDS),
    ] {
        let (run, seconds) = written(PIECES, location).await;
        let says = format!("the run took longer than {limit} seconds");
        assert_eq!(run.status, RunStatus::Failed, "{location:?}: {run:?}");
        assert_eq!(run.error, Some(says), "{location:?}");
        assert!((limit..limit + 3 * PAUSE.as_secs()).contains(&seconds), "{location:?}: {seconds}");
    }
}
