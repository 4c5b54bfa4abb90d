//! Sends one socket the drafts of reports while agents write them.
//!
//! A frame has the whole draft, so one that a slow reader did not get is made up for by the next.
//! Nothing is stored and nothing is queued behind other frames.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use dormouse::{Error, ReportDraft};
use dormouse_types::AgentId;
use dormouse_types::port::Clock;
use serde_json::{Value, json};
use tokio::sync::watch;

use super::queue::Queue;

/// How soon a reader that was busy is tried again.
const AGAIN: Duration = Duration::from_millis(250);

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

impl DraftStream<'_> {
    /// Sends drafts as they change; ends only if they cannot be read.
    pub(super) async fn run(&mut self) {
        let mut sent: BTreeMap<AgentId, Arc<ReportDraft>> = BTreeMap::new();
        // Some may have begun before.
        self.hints.mark_changed();
        while self.hints.changed().await.is_ok() {
            loop {
                self.hints.borrow_and_update();
                // A caller that may not read them has none.
                let Ok(drafts) = self.source.drafts() else { return };
                let Some((change, frame)) = next_change(&sent, &drafts) else { break };
                if self.queue.push_if_idle(frame.to_string()) {
                    match change {
                        Change::Written(draft) => _ = sent.insert(draft.agent.clone(), draft),
                        Change::Gone(agent) => _ = sent.remove(&agent),
                    }
                } else {
                    self.clock.sleep(AGAIN).await;
                }
            }
        }
    }
}

/// How the drafts differ from those that the reader has.
enum Change {
    Written(Arc<ReportDraft>),
    Gone(AgentId),
}

/// Returns the first difference, and the frame that tells the reader.
fn next_change(
    sent: &BTreeMap<AgentId, Arc<ReportDraft>>,
    drafts: &[Arc<ReportDraft>],
) -> Option<(Change, Value)> {
    if let Some(old) = sent.values().find(|old| drafts.iter().all(|new| new.agent != old.agent)) {
        return Some((Change::Gone(old.agent.clone()), frame(old, Value::Null)));
    }
    let new = drafts.iter().find(|new| sent.get(&new.agent) != Some(new))?;
    let draft = json!({"turn": new.turn, "tldr": new.tldr, "content": new.content});
    Some((Change::Written(new.clone()), frame(new, draft)))
}

fn frame(draft: &ReportDraft, body: Value) -> Value {
    json!({"type": "agent:delta", "agent": draft.agent, "runKey": draft.run, "draft": body})
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
        let agent = "ag-01jd7m3k5vn2c8q4w6x0z9abcd".parse().expect("an id");
        let run = dormouse_types::RunKey("r".into());
        Arc::new(ReportDraft { agent, run, turn: 1, tldr: text.into(), content: "All.".into() })
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
        let mut stream = DraftStream {
            source: &case.written,
            clock: &case.clock,
            queue: &case.queue,
            hints: case.hints.subscribe(),
        };
        let mut running = Box::pin(stream.run());
        let mut go = || assert!(running.as_mut().now_or_never().is_none());
        go();
        assert_eq!((case.sent().as_deref(), case.sent()), (Some("r All"), None), "one that began");
        go();
        assert_eq!(case.sent(), None, "only once");

        // While something else waits, nothing joins it; then only the newest is sent.
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
}
