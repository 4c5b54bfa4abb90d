//! `dormouse agent log --follow`: an agent's activity, live.

use dormouse_types::agent::RunStatus;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::time::Duration;

use dormouse::view::{Agent, Message, Page, Wake};
use dormouse_adapters::SystemClock;
use dormouse_types::port::Clock as _;
use dormouse_types::{AgentId, Timestamp};
use serde_json::json;

use super::message::{content, kind};
use crate::client::path;
use crate::failure::Failure;
use crate::session::Session;
use crate::terminal::wrap::{self, Margin};
use crate::terminal::{line, time};

use super::name::named;

/// The polling interval.
const PAUSE: Duration = Duration::from_secs(1);
/// How many earlier messages to print first.
const BEFORE: &str = "20";
/// How many runs to check each time.
const RUNS: &str = "50";
/// Messages per request.
const PAGE: &str = "200";

/// A piece of news.
#[derive(Debug)]
enum News {
    /// The status of a run changed.
    Run(Box<Wake>),
    /// A message was written.
    Message(Box<Message>),
}

/// What was printed about an agent so far.
#[derive(Debug, Default)]
struct Printed {
    /// The last printed status of each run, by its key or by what it waits for.
    runs: BTreeMap<String, RunStatus>,
    began: bool,
}

impl Printed {
    /// What is new in the current runs and the latest messages, in chronological order. The first
    /// call omits runs that ended before the first message.
    fn news(&mut self, wakes: Vec<Wake>, messages: Vec<Message>) -> Vec<News> {
        let since = messages.first().map(|message| message.created_at);
        let mut news: Vec<(Timestamp, u8, News)> = Vec::new();
        for wake in wakes.into_iter().rev() {
            let name = match &wake.run_key {
                Some(key) => key.to_string(),
                None => format!("{} {} {:?}", wake.reason, wake.created_at, wake.due_at),
            };
            let before = self.runs.insert(name, wake.status);
            let is_old = !self.began
                && wake.completed_at.is_some_and(|ended| since.is_none_or(|since| ended < since));
            if before.as_ref() == Some(&wake.status) || is_old {
                continue;
            }
            // The start of a run comes before its messages, and its end after them.
            let (at, place) = match wake.completed_at {
                Some(ended) => (ended, 2),
                None => (wake.started_at.unwrap_or(wake.created_at), 0),
            };
            news.push((at, place, News::Run(Box::new(wake))));
        }
        let message_line =
            messages.into_iter().map(|one| (one.created_at, 1, News::Message(Box::new(one))));
        news.extend(message_line);
        news.sort_by_key(|(at, place, _)| (*at, *place));
        self.began = true;
        news.into_iter().map(|(_, _, news)| news).collect()
    }
}

/// Prints what an agent did last and then follows it, until Ctrl-C or until the output is closed.
///
/// Errors: the server is gone.
pub async fn run(session: &mut Session, agent: &Agent) -> Result<(), Failure> {
    let (mut printed, mut cursor) = (Printed::default(), None);
    session.screen.say(named(agent));
    loop {
        // Runs are read first, so that the messages read afterwards include everything an ended run
        // wrote.
        let wakes = path(&format!("/api/agents/{}/wakes", agent.id), &[("limit", RUNS)]);
        let wakes: Page<Wake> = session.client.get(&wakes).await?.read()?;
        let messages = messages(session, &agent.id, &mut cursor).await?;
        for news in printed.news(wakes.items, messages) {
            tell(session, &news);
        }
        match session.screen.flush() {
            Ok(()) => {}
            Err(e) if e.kind() == ErrorKind::BrokenPipe => return Ok(()),
            Err(e) => return Err(Failure::failed(format!("cannot write the output: {e}"))),
        }
        if session.is_alone() {
            return Err(Failure::failed(
                "nothing new can come: no server runs on this data folder",
            )
            .hint("`dormouse serve` runs the agents; then follow again"));
        }
        tokio::select! {
            biased;
            // Stop even if signals cannot be handled: the user could not end this otherwise.
            _interrupted = tokio::signal::ctrl_c() => return Ok(()),
            () = SystemClock.sleep_until(SystemClock.now() + PAUSE) => {}
        }
    }
}

/// The messages after a cursor, and the next cursor; without a cursor, the newest messages.
async fn messages(
    session: &Session,
    agent: &AgentId,
    cursor: &mut Option<String>,
) -> Result<Vec<Message>, Failure> {
    let mut messages = Vec::new();
    loop {
        let limit = if cursor.is_some() { PAGE } else { BEFORE };
        let mut query = vec![("follow", "true"), ("limit", limit)];
        query.extend(cursor.as_deref().map(|cursor| ("cursor", cursor)));
        let from = path(&format!("/api/agents/{agent}/messages"), &query);
        let page: Page<Message> = session.client.get(&from).await?.read()?;
        let is_last = page.items.len().to_string() != PAGE;
        messages.extend(page.items);
        *cursor = page.next_cursor;
        if is_last {
            return Ok(messages);
        }
    }
}

fn tell(session: &mut Session, news: &News) {
    if session.screen.is_json() {
        let line = match news {
            News::Run(wake) => json!({"run": wake}),
            News::Message(message) => json!({"message": message}),
        };
        session.screen.body(line.to_string().as_bytes());
        return;
    }
    match news {
        News::Run(wake) => {
            let text = heading(wake, |at| time::minute(at, &session.zone));
            session.screen.say(session.screen.style().bold(&text));
        }
        News::Message(message) => {
            let Some(text) = content(message) else { return };
            let first = format!("  {:<12} ", kind(message));
            let rest = " ".repeat(first.len());
            let width = session.screen.prose_width();
            for text in wrap::text(&text, width, Margin { first: &first, rest: &rest }) {
                session.screen.say(text);
            }
        }
    }
}

/// `2026-03-01 09:12  run 1a2b3c4d  completed  subscription`.
fn heading(wake: &Wake, at: impl Fn(Timestamp) -> String) -> String {
    let when = wake.completed_at.or(wake.started_at).unwrap_or(wake.created_at);
    let mut parts = vec![at(when)];
    parts.extend(
        wake.run_key.as_ref().map(|key| format!("run {}", key.as_str().get(..8).unwrap_or("?"))),
    );
    parts.extend([wake.status.to_string(), line(wake.reason.name())]);
    parts.extend(wake.due_at.map(|due| format!("due {}", at(due))));
    parts.extend(wake.error_message.as_deref().map(line));
    parts.join("  ")
}

#[cfg(test)]
mod tests {
    use dormouse_types::RunKey;
    use dormouse_types::agent::{Initiator, MessageKind, WakeReason};

    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    fn wake(key: &str, status: RunStatus, begun: i64, ended: Option<i64>) -> Wake {
        Wake {
            run_key: (!key.is_empty()).then(|| RunKey(key.repeat(8))),
            agent_id: format!("ag-{}", "a".repeat(26)).parse().expect("an id"),
            reason: WakeReason::Subscription.into(),
            reason_id: None,
            initiator: Initiator::Automation.into(),
            thread_id: None,
            status,
            logical_change_key: None,
            model: None,
            cut: false,
            crashes: 0,
            epoch: 1,
            turns: 0,
            operations: 0,
            input_tokens: 0,
            cached_input_tokens: 0,
            output_tokens: 0,
            created_at: at(begun),
            started_at: Some(at(begun)),
            completed_at: ended.map(at),
            due_at: None,
            error_message: None,
            kept_back: dormouse_types::kept_back::KeptBack::default(),
            failure: None,
            purged_at: None,
        }
    }

    fn message(mark: char, written: i64) -> Message {
        let id = |prefix: &str| format!("{prefix}-{}", mark.to_string().repeat(26));
        Message {
            id: id("am").parse().expect("an id"),
            agent_id: id("ag").parse().expect("an id"),
            thread_id: id("th").parse().expect("an id"),
            run_key: None,
            turn: None,
            kind: MessageKind::Thought.into(),
            content: Some(json!(mark.to_string())),
            prev_message_id: None,
            tool_name: None,
            operation_id: None,
            refused: None,
            priority: None,
            category: None,
            folds: None,
            depth: None,
            tokens_approx: 0,
            created_at: at(written),
            vector_clock: BTreeMap::new(),
        }
    }

    fn lines(news: &[News]) -> Vec<String> {
        let line = |news: &News| match news {
            News::Run(wake) => heading(wake, |at| (at.micros() / 1_000_000).to_string()),
            News::Message(message) => content(message).unwrap_or_default(),
        };
        news.iter().map(line).collect()
    }

    #[test]
    fn each_run_and_message_is_printed_once_in_the_order_it_happened() {
        let mut printed = Printed::default();
        let old = || wake("a", RunStatus::Completed, 1, Some(2));
        let first = printed.news(
            vec![wake("b", RunStatus::Completed, 10, Some(12)), old()],
            vec![message('x', 11)],
        );
        assert_eq!(lines(&first), ["x", "12  run bbbbbbbb  completed  subscription"]);
        let b = || wake("b", RunStatus::Completed, 10, Some(12));
        assert_eq!(lines(&printed.news(vec![b(), old()], Vec::new())), Vec::<String>::new());
        let waiting = || wake("", RunStatus::Queued, 20, None);
        let waits = printed.news(vec![waiting(), b()], Vec::new());
        assert_eq!(lines(&waits), ["20  queued  subscription"]);
        assert_eq!(lines(&printed.news(vec![waiting(), b()], Vec::new())), Vec::<String>::new());
        let begun = printed
            .news(vec![wake("c", RunStatus::Started, 21, None), b()], vec![message('y', 22)]);
        assert_eq!(lines(&begun), ["21  run cccccccc  started  subscription", "y"]);
        let again = printed.news(vec![wake("c", RunStatus::Queued, 21, None), b()], Vec::new());
        assert_eq!(lines(&again), ["21  run cccccccc  queued  subscription"]);
        let ended = printed
            .news(vec![wake("c", RunStatus::Failed, 21, Some(30)), b()], vec![message('z', 30)]);
        assert_eq!(lines(&ended), ["z", "30  run cccccccc  failed  subscription"]);
    }

    #[test]
    fn a_run_that_began_and_ended_between_two_polls_is_printed_with_its_messages() {
        let mut printed = Printed::default();
        assert!(printed.news(Vec::new(), Vec::new()).is_empty());
        let news =
            printed.news(vec![wake("d", RunStatus::Skipped, 5, Some(6))], vec![message('w', 5)]);
        assert_eq!(lines(&news), ["w", "6  run dddddddd  skipped  subscription"]);
    }
}
