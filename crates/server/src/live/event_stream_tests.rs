//! The events and its queue, without a socket and without a clock that goes.

use std::collections::VecDeque;
use std::future::{Future, pending, ready};
use std::pin::pin;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::task::{Context, Poll, Waker};

use dormouse::Error;
use dormouse::events::{Event, Since};
use dormouse_types::Timestamp;
use dormouse_types::closed_list::Listed;
use dormouse_types::limits::{SOCKET_BYTES, SOCKET_EVENTS};
use dormouse_types::port::{BoxFuture, Clock};
use serde_json::Value;
use tokio::sync::watch;

use super::Close;
use super::event_stream::{EventSource, EventStream};
use super::queue::{Frame, Queue};

/// A clock that always shows the same time; a sleep ends at once, or never.
struct Standing {
    wakes: bool,
}

impl Clock for Standing {
    fn now(&self) -> Timestamp {
        Timestamp::from_micros(0)
    }

    fn sleep_until(&self, _at: Timestamp) -> BoxFuture<'static, ()> {
        if self.wakes { Box::pin(ready(())) } else { Box::pin(pending()) }
    }
}

/// Answers from a script; after its end nothing more happens.
#[derive(Default)]
struct Script {
    answers: Mutex<VecDeque<Since>>,
    requested: Mutex<Vec<Option<String>>>,
    is_revoked: AtomicBool,
    fails: AtomicUsize,
}

impl Script {
    fn new(answers: impl IntoIterator<Item = Since>) -> Self {
        Self { answers: Mutex::new(answers.into_iter().collect()), ..Self::default() }
    }

    fn requested(&self) -> Vec<Option<String>> {
        self.requested.lock().expect("not poisoned").clone()
    }
}

impl EventSource for Script {
    fn since<'a>(&'a self, cursor: Option<&'a str>) -> BoxFuture<'a, Result<Since, Error>> {
        Box::pin(async move {
            let fails = self.fails.load(Ordering::SeqCst);
            if fails > 0 {
                self.fails.store(fails - 1, Ordering::SeqCst);
                return Err(Error::NotFound { what: "store", id: "gone".into() });
            }
            self.requested.lock().expect("not poisoned").push(cursor.map(str::to_owned));
            let next = self.answers.lock().expect("not poisoned").pop_front();
            let same = cursor.unwrap_or("0").to_owned();
            Ok(next.unwrap_or(Since::Page { events: Vec::new(), cursor: same }))
        })
    }

    fn is_live(&self) -> BoxFuture<'_, Result<bool, Error>> {
        Box::pin(ready(Ok(!self.is_revoked.load(Ordering::SeqCst))))
    }
}

fn event(kind: &str, cursor: &str) -> Event {
    Event {
        kind: Listed::named(kind),
        cursor: cursor.into(),
        subject: None,
        tasks: Vec::new(),
        agent: None,
        at: Timestamp::from_micros(0),
        work: None,
    }
}

fn page(kind: &str, cursors: impl IntoIterator<Item = usize>) -> Since {
    let events: Vec<Event> =
        cursors.into_iter().map(|cursor| event(kind, &cursor.to_string())).collect();
    let cursor = events.last().map_or("0", |event| &event.cursor).to_owned();
    Since::Page { events, cursor }
}

/// Runs a events as far as it gets, and says how it ended, if it did.
fn run(script: &Script, queue: &Queue, wakes: bool, since: Option<&str>) -> Option<Close> {
    let (_tell, hints) = watch::channel(0);
    let clock = Standing { wakes };
    let mut events = EventStream { feed: script, clock: &clock, queue, hints };
    let mut running = pin!(events.run(since.map(str::to_owned)));
    match running.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(close) => Some(close),
        Poll::Pending => None,
    }
}

/// The type and cursor of what waits in a queue.
fn waiting(queue: &Queue) -> Vec<(String, String)> {
    let mut frames = Vec::new();
    loop {
        let mut next = pin!(queue.next());
        let Poll::Ready(Frame::Text(text)) =
            next.as_mut().poll(&mut Context::from_waker(Waker::noop()))
        else {
            return frames;
        };
        let frame: Value = serde_json::from_str(&text).expect("JSON");
        let text = |name: &str| frame[name].as_str().unwrap_or("?").to_owned();
        frames.push((text("type"), text("cursor")));
    }
}

fn frames(of: &[(&str, &str)]) -> Vec<(String, String)> {
    of.iter().map(|(kind, cursor)| ((*kind).to_owned(), (*cursor).to_owned())).collect()
}

#[test]
fn events_come_in_order_after_a_hello() {
    let script = Script::new([page("journal:changed", [3, 4])]);
    let queue = Queue::default();
    assert_eq!(run(&script, &queue, false, Some("2")), None);
    let expected_frames =
        frames(&[("hello", "2"), ("journal:changed", "3"), ("journal:changed", "4")]);
    assert_eq!(waiting(&queue), expected_frames);
    assert_eq!(script.requested(), [Some("2".to_owned())], "the next page waits for the reader");
}

#[test]
fn without_a_cursor_it_begins_where_everything_ends() {
    let script = Script::new([Since::Page { events: Vec::new(), cursor: "9".into() }]);
    let queue = Queue::default();
    assert_eq!(run(&script, &queue, false, None), None);
    assert_eq!(waiting(&queue), frames(&[("hello", "9")]));
    assert_eq!(script.requested(), [None, Some("9".to_owned())]);
}

#[test]
fn a_gap_is_announced_and_followed_from_its_other_side() {
    let script = Script::new([Since::Resync { cursor: "7".into() }]);
    let queue = Queue::default();
    assert_eq!(run(&script, &queue, false, Some("2")), None);
    assert_eq!(waiting(&queue), frames(&[("hello", "2"), ("resync", "7")]));
    assert_eq!(script.requested(), [Some("2".to_owned()), Some("7".to_owned())]);
}

#[test]
fn attention_moves_before_the_event_that_moves_it_and_takes_no_cursor_of_its_own() {
    let script = Script::new([page("change-set:created", [3, 4])]);
    let queue = Queue::default();
    run(&script, &queue, false, Some("2"));
    let expected_frames = [
        ("hello", "2"),
        ("needs-attention", "2"),
        ("change-set:created", "3"),
        ("change-set:created", "4"),
    ];
    assert_eq!(waiting(&queue), frames(&expected_frames));
}

#[test]
fn a_revoked_token_ends_it() {
    let script = Script::default();
    script.is_revoked.store(true, Ordering::SeqCst);
    assert_eq!(run(&script, &Queue::default(), false, Some("2")), Some(Close::UNAUTHORIZED));
}

#[test]
fn a_reader_that_owes_too_much_is_sent_away_and_one_page_more_would_have_been_it() {
    let level = || Since::Page { events: Vec::new(), cursor: "0".into() };
    // The hello waits too.
    let most = SOCKET_EVENTS - 1;
    for (n, expected) in [(most - 1, None), (most, None), (most + 1, Some(Close::TOO_SLOW))] {
        let script = Script::new([level(), page("journal:changed", 1..=n)]);
        let queue = Queue::default();
        // After the page the store goes away, so that the stream ends by itself.
        let close = {
            let (_tell, hints) = watch::channel(0);
            let clock = Standing { wakes: true };
            let mut events =
                EventStream { feed: &Ending(&script), clock: &clock, queue: &queue, hints };
            let mut running = pin!(events.run(Some("0".into())));
            running.as_mut().poll(&mut Context::from_waker(Waker::noop()))
        };
        let expected = expected.unwrap_or(Close::BROKEN);
        assert_eq!(close, Poll::Ready(expected), "{n} events");
    }
}

/// A script after whose end the store is gone.
struct Ending<'a>(&'a Script);

impl EventSource for Ending<'_> {
    fn since<'a>(&'a self, cursor: Option<&'a str>) -> BoxFuture<'a, Result<Since, Error>> {
        if self.0.answers.lock().expect("not poisoned").is_empty() {
            self.0.fails.store(1, Ordering::SeqCst);
        }
        self.0.since(cursor)
    }

    fn is_live(&self) -> BoxFuture<'_, Result<bool, Error>> {
        self.0.is_live()
    }
}

#[test]
fn a_store_that_comes_back_is_waited_for() {
    let script = Script::new([page("journal:changed", [3])]);
    script.fails.store(3, Ordering::SeqCst);
    let queue = Queue::default();
    // The clock wakes at once, so that it is polled again until the page fills the reader's queue.
    let close = run(&script, &queue, true, Some("2"));
    assert_eq!(close, Some(Close::TOO_SLOW), "no client reads the page that was missed");
    assert_eq!(waiting(&queue), frames(&[("hello", "2"), ("journal:changed", "3")]));
}

#[test]
fn a_queue_holds_what_a_reader_may_owe_and_nothing_more() {
    let events = Queue::default();
    for _ in 0..SOCKET_EVENTS {
        assert_eq!(events.push("x".into()), Ok(()));
    }
    assert_eq!(events.push("x".into()), Err(Close::TOO_SLOW));
    let bytes = Queue::default();
    assert_eq!(bytes.push("x".repeat(SOCKET_BYTES - 1)), Ok(()));
    assert_eq!(bytes.push("x".into()), Ok(()));
    assert_eq!(bytes.push("x".into()), Err(Close::TOO_SLOW));
    bytes.close(Close::TOO_SLOW);
    let mut next = pin!(bytes.next());
    let next = next.as_mut().poll(&mut Context::from_waker(Waker::noop()));
    assert_eq!(next, Poll::Ready(Frame::Close(Close::TOO_SLOW)), "the end comes before the rest");
}
