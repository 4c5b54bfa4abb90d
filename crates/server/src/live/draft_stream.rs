//! Sends one socket the drafts of reports while agents write them.
//!
//! A frame has the whole draft, so one that a slow reader did not get is made up for by the next. What
//! was held back, because the reader was busy or has just got a frame, is sent even if the model pauses
//! and nothing follows. Nothing is stored and nothing is queued behind other frames.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use dormouse::{Error, ReportDraft};
use dormouse_types::port::Clock;
use dormouse_types::{AgentId, HolderId, Timestamp};
use serde_json::{Value, json};
use tokio::sync::watch;

use super::queue::Queue;

/// How soon a reader that was busy is tried again.
const AGAIN: Duration = Duration::from_millis(250);

/// A reader gets a draft at most this often.
const EVERY: Duration = Duration::from_millis(200);

/// The source of one caller's drafts.
pub(super) trait DraftSource: Send + Sync {
    /// The drafts there are now.
    fn drafts(&self) -> Result<Vec<Arc<ReportDraft>>, Error>;
}

/// The drafts of one socket.
pub(super) struct DraftStream<'a> {
    pub(super) source: &'a dyn DraftSource,
    pub(super) clock: &'a dyn Clock,
    pub(super) queue: &'a Queue,
    /// Increases when a draft changed.
    pub(super) hints: watch::Receiver<u64>,
}

/// The drafts that the reader has, with when each was sent.
type Sent = BTreeMap<HolderId, (Timestamp, Arc<ReportDraft>)>;

impl DraftStream<'_> {
    /// Sends drafts as they change; ends only if they cannot be read.
    pub(super) async fn run(&mut self) {
        let mut sent = Sent::new();
        // Some may have begun before.
        self.hints.mark_changed();
        while self.hints.changed().await.is_ok() {
            loop {
                self.hints.borrow_and_update();
                // A caller that may not read them has none.
                let Ok(drafts) = self.source.drafts() else { return };
                let now = self.clock.now();
                match next_step(&sent, &drafts, now) {
                    None => break,
                    Some(Step::Wait(time)) => self.clock.sleep(time).await,
                    Some(Step::Send(change, frame)) => {
                        if !self.queue.push_if_idle(frame.to_string()) {
                            self.clock.sleep(AGAIN).await;
                            continue;
                        }
                        match change {
                            Change::Written(draft) => {
                                _ = sent.insert(draft.writer.clone(), (now, draft));
                            }
                            Change::Gone(writer) => _ = sent.remove(&writer),
                        }
                    }
                }
            }
        }
    }
}

/// How the drafts differ from those that the reader has.
enum Change {
    Written(Arc<ReportDraft>),
    Gone(HolderId),
}

/// What to do about a difference.
enum Step {
    /// Tell the reader.
    Send(Change, Value),
    /// The reader got a frame of each draft that changed a moment ago: wait so long.
    Wait(Duration),
}

/// Returns what to do next; `None` if the reader has everything. Of several drafts the one that was
/// sent longest ago is next, so that no fast writer keeps the others from a slow reader.
fn next_step(sent: &Sent, drafts: &[Arc<ReportDraft>], now: Timestamp) -> Option<Step> {
    let is_there = |old: &ReportDraft| drafts.iter().any(|new| new.writer == old.writer);
    if let Some((_, old)) = sent.values().find(|(_, old)| !is_there(old)) {
        return Some(Step::Send(Change::Gone(old.writer.clone()), frame(old, Value::Null)));
    }
    let last = |new: &ReportDraft| sent.get(&new.writer).map(|(at, _)| *at);
    let is_new = |new: &&Arc<ReportDraft>| sent.get(&new.writer).is_none_or(|(_, old)| old != *new);
    let new = drafts.iter().filter(is_new).min_by_key(|new| last(new))?;
    // If the clock was set back, the next time would seem far away.
    if let Some(at) = last(new).filter(|at| now >= *at && now < *at + EVERY) {
        return Some(Step::Wait(now.until(at + EVERY)));
    }
    let draft = match AgentId::try_from(&new.writer) {
        Ok(_) => json!({"turn": new.turn, "tldr": new.tldr, "content": new.content}),
        Err(_) => json!({"turn": new.turn, "text": new.answer}),
    };
    Some(Step::Send(Change::Written(new.clone()), frame(new, draft)))
}

/// A frame about a report of an agent, or about an answer in a session.
fn frame(draft: &ReportDraft, body: Value) -> Value {
    let (writer, run) = (&draft.writer, &draft.run);
    match AgentId::try_from(writer) {
        Ok(agent) => json!({"type": "agent:delta", "agent": agent, "runKey": run, "draft": body}),
        Err(_) => {
            json!({"type": "evolution:delta", "session": writer, "runKey": run, "draft": body})
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use dormouse_testkit::ManualClock;
    use futures_util::FutureExt as _;

    use super::super::queue::Frame;
    use super::*;

    #[derive(Default)]
    struct Written(Mutex<Vec<Arc<ReportDraft>>>);

    impl DraftSource for Written {
        fn drafts(&self) -> Result<Vec<Arc<ReportDraft>>, Error> {
            Ok(self.0.lock().expect("one thread").clone())
        }
    }

    fn draft(text: &str) -> Arc<ReportDraft> {
        let writer = "ag-01jd7m3k5vn2c8q4w6x0z9abcd".parse().expect("an id");
        let run = dormouse_types::RunKey("r".into());
        let (tldr, content, answer) = (text.into(), "All.".into(), String::new());
        Arc::new(ReportDraft { writer, run, turn: 1, tldr, content, answer })
    }

    struct Case {
        written: Written,
        hints: watch::Sender<u64>,
        clock: ManualClock,
        queue: Queue,
    }

    impl Case {
        fn new() -> Self {
            Self {
                written: Written::default(),
                hints: watch::Sender::new(0),
                clock: ManualClock::at("2026-03-02T09:00:00Z"),
                queue: Queue::default(),
            }
        }

        fn write(&self, drafts: Vec<Arc<ReportDraft>>) {
            *self.written.0.lock().expect("one thread") = drafts;
            self.hints.send_modify(|number| *number += 1);
        }

        fn stream(&self) -> DraftStream<'_> {
            DraftStream {
                source: &self.written,
                clock: &self.clock,
                queue: &self.queue,
                hints: self.hints.subscribe(),
            }
        }

        /// What is sent next: `RUN TLDR`, or nothing.
        fn sent(&self) -> Option<String> {
            let Frame::Text(text) = self.queue.next().now_or_never()? else { panic!("a text") };
            let frame: Value = serde_json::from_str(&text).expect("JSON");
            assert_eq!(frame["type"], "agent:delta");
            assert!(frame.get("cursor").is_none());
            let run = frame["runKey"].as_str().expect("a run");
            Some(match frame["draft"]["tldr"].as_str() {
                Some(tldr) => format!("{run} {tldr}"),
                None => format!("{run} is gone"),
            })
        }
    }

    #[test]
    fn a_reader_sees_the_newest_draft_and_that_it_is_gone() {
        let case = Case::new();
        case.queue.push("{}".into()).expect("room");
        assert!(case.queue.next().now_or_never().is_some() && case.sent().is_none());
        case.write(vec![draft("All")]);
        let mut stream = case.stream();
        let mut running = Box::pin(stream.run());
        let mut go = || assert!(running.as_mut().now_or_never().is_none());
        go();
        assert_eq!((case.sent().as_deref(), case.sent()), (Some("r All"), None), "one that began");
        go();
        assert_eq!(case.sent(), None, "only once");

        // While something else waits, nothing joins it; then only the newest is sent.
        case.clock.advance(EVERY);
        case.queue.push("{\"type\":\"hello\"}".into()).expect("room");
        case.write(vec![draft("All is")]);
        go();
        case.write(vec![draft("All is well")]);
        go();
        assert!(
            matches!(case.queue.next().now_or_never(), Some(Frame::Text(hello)) if hello.contains("hello"))
        );
        assert_eq!(case.sent(), None);
        case.clock.advance(AGAIN);
        go();
        assert_eq!((case.sent().as_deref(), case.sent()), (Some("r All is well"), None));

        case.write(Vec::new());
        go();
        assert_eq!((case.sent().as_deref(), case.sent()), (Some("r is gone"), None));
    }

    #[test]
    fn what_is_written_too_soon_is_shown_also_when_nothing_follows() {
        let case = Case::new();
        case.queue.push("{}".into()).expect("room");
        assert!(case.queue.next().now_or_never().is_some() && case.sent().is_none());
        let mut stream = case.stream();
        let mut running = Box::pin(stream.run());
        let mut go = || assert!(running.as_mut().now_or_never().is_none());
        case.write(vec![draft("All")]);
        go();
        assert_eq!((case.sent().as_deref(), case.sent()), (Some("r All"), None));
        for text in ["All i", "All is", "All is well"] {
            case.clock.advance(Duration::from_millis(60));
            case.write(vec![draft(text)]);
            go();
            assert_eq!(case.sent(), None, "a frame was sent a moment ago");
        }
        case.clock.advance(Duration::from_millis(20));
        go();
        assert_eq!((case.sent().as_deref(), case.sent()), (Some("r All is well"), None));
    }

    #[test]
    fn one_that_writes_fast_keeps_no_other_from_the_reader() {
        let of = |agent: &str, text: &str| {
            let writer = agent.parse().expect("an id");
            Arc::new(ReportDraft { writer, ..(*draft(text)).clone() })
        };
        let both = |n: u32| {
            let first = of("ag-01jd7m3k5vn2c8q4w6x0z9abcd", &format!("fast {n}"));
            vec![first, of("ag-01jd7m3k5vn2c8q4w6x0z9abce", "slow")]
        };
        let case = Case::new();
        case.queue.push("{}".into()).expect("room");
        assert!(case.queue.next().now_or_never().is_some() && case.sent().is_none());
        let mut stream = case.stream();
        let mut running = Box::pin(stream.run());
        let mut seen = Vec::new();
        for n in 0..3 {
            case.write(both(n));
            assert!(running.as_mut().now_or_never().is_none());
            seen.extend(case.sent());
            assert_eq!(case.sent(), None);
            case.clock.advance(AGAIN);
        }
        assert_eq!(seen, ["r fast 0", "r slow", "r fast 2"]);
    }

    #[test]
    fn an_answer_in_a_session_has_a_frame_of_its_own() {
        let writer = "evo-01jd7m3k5vn2c8q4w6x0z9abcd".parse().expect("an id");
        let answer = ReportDraft { writer, answer: "Aye".into(), ..(*draft("")).clone() };
        let Some(Step::Send(_, sent)) =
            next_step(&Sent::new(), &[Arc::new(answer)], Timestamp::from_micros(0))
        else {
            panic!("it is sent")
        };
        let session = "evo-01jd7m3k5vn2c8q4w6x0z9abcd";
        let draft = json!({"turn": 1, "text": "Aye"});
        let expected =
            json!({"type": "evolution:delta", "session": session, "runKey": "r", "draft": draft});
        assert_eq!(sent, expected);
    }
}
