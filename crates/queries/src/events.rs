//! Live events for clients: a function of the change rows of both databases.
//!
//! A cursor is a position in both. A client that resumes from it gets each later event once, in the
//! order of its database; if that is impossible, the answer asks it to reload everything.

use std::collections::HashMap;
use std::fmt;

use dormouse_store::Db;
use dormouse_store::agent::{subscription, wake_run};
use dormouse_store::change_log::{self, ChangeNotice};
use dormouse_types::closed_list::Listed;
use dormouse_types::work::WorkStatus;
use dormouse_types::{AgentId, EventKind, HostId, Seq, TaskId, Timestamp, WorkId, WorkspaceId};
use serde::Serialize;
use serde_json::Value;

use crate::view::{AgentWork, AttentionKind};
use crate::{Queries, QueryError};

/// An event. Read its subject when showing it: the subject may have changed since.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Event {
    /// What happened.
    #[serde(rename = "type")]
    pub kind: Listed<EventKind>,
    /// The cursor after this event.
    pub cursor: String,
    /// What it is about: an id of the agent store.
    pub subject: Option<String>,
    /// The tasks it touches; for an agent's activity, the agent's task.
    pub tasks: Vec<TaskId>,
    /// The agent that it is about.
    pub agent: Option<AgentId>,
    /// When it was committed.
    pub at: Timestamp,
    /// What an event about agent work says of it.
    #[serde(flatten)]
    pub work: Option<AboutWork>,
}

/// What an event about agent work says of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum AboutWork {
    /// It was made.
    Created {
        /// The work.
        task: Box<AgentWork>,
    },
    /// It was changed, or one of its runs moved.
    #[serde(rename_all = "camelCase")]
    Status {
        /// The work.
        task_id: WorkId,
        /// Its status after the commit of the event, whatever it has become since.
        status: WorkStatus,
    },
    /// A turn was added to its log.
    #[serde(rename_all = "camelCase")]
    Log {
        /// The work.
        task_id: WorkId,
        /// The line of the log.
        turn: Value,
    },
    /// A run began to wait for the person.
    #[serde(rename_all = "camelCase")]
    NeedsAttention {
        /// The work.
        task_id: WorkId,
        /// Why; `None` once nothing waits.
        reason: Option<AttentionKind>,
    },
}

impl Event {
    /// Whether the list of what needs the user may have changed.
    pub fn moves_attention(&self) -> bool {
        // What an event of a newer version moves is unknown: one read too many is the smaller harm.
        self.kind.known().is_none_or(EventKind::moves_attention)
    }
}

/// The events after a cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Since {
    /// These events, oldest first, and the next cursor; empty if nothing happened.
    Page {
        /// The events.
        events: Vec<Event>,
        /// The next cursor.
        cursor: String,
    },
    /// Events may be missing: reload everything and continue from this cursor.
    Resync {
        /// The next cursor.
        cursor: String,
    },
}

/// A position in both databases.
///
/// Shape: journal id, position, agent store id, position, with dots between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    journal: (HostId, Seq),
    agent: (HostId, Seq),
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ((journal, at), (agent, now)) = (&self.journal, &self.agent);
        write!(f, "{journal}.{}.{agent}.{}", at.0, now.0)
    }
}

impl Cursor {
    /// The newest commit of the journal that it contains.
    pub(crate) fn journal_position(&self) -> Seq {
        self.journal.1
    }

    /// The newest commit of the agent store that it contains.
    pub(crate) fn agent_position(&self) -> Seq {
        self.agent.1
    }

    /// Parses a cursor.
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.split('.');
        let mut place = || Some((parts.next()?.parse().ok()?, Seq(parts.next()?.parse().ok()?)));
        let cursor = Self { journal: place()?, agent: place()? };
        parts.next().is_none().then_some(cursor)
    }
}

/// The range of a database's change rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Log {
    /// The id of the database.
    pub host: HostId,
    /// Rows up to this position were deleted.
    pub trimmed: Seq,
    /// The newest position.
    pub head: Seq,
}

impl Log {
    /// Whether all rows after a position exist: it is of this database, not before the deleted
    /// rows, and not beyond the end, as it would be after restoring a backup.
    fn follows(&self, (host, seq): &(HostId, Seq)) -> bool {
        *host == self.host && *seq >= self.trimmed && *seq <= self.head
    }

    fn end(&self) -> (HostId, Seq) {
        (self.host.clone(), self.head)
    }
}

/// Checks whether events can continue from a cursor.
///
/// Errors: the latest cursor, from which to continue instead.
pub fn resume(cursor: &Cursor, journal: &Log, agent: &Log) -> Result<(), Cursor> {
    if journal.follows(&cursor.journal) && agent.follows(&cursor.agent) {
        return Ok(());
    }
    Err(Cursor { journal: journal.end(), agent: agent.end() })
}

/// The events of the rows after a cursor in each database, merged by time.
pub fn events(
    mut cursor: Cursor,
    journal: Vec<ChangeNotice>,
    agent: Vec<ChangeNotice>,
) -> (Vec<Event>, Cursor) {
    let (mut journal, mut agent) = (journal.into_iter().peekable(), agent.into_iter().peekable());
    let mut events = Vec::new();
    loop {
        let journal_first = match (journal.peek(), agent.peek()) {
            (None, None) => return (events, cursor),
            (Some(one), Some(other)) => one.at <= other.at,
            (one, _) => one.is_some(),
        };
        let row = if journal_first { journal.next() } else { agent.next() };
        let Some(row) = row else { return (events, cursor) };
        let place = if journal_first { &mut cursor.journal } else { &mut cursor.agent };
        place.1 = row.seq;
        let kind = match (journal_first, row.event) {
            (true, _) => EventKind::JournalChanged.into(),
            (false, None) => EventKind::AgentChanged.into(),
            (false, Some(kind)) => kind,
        };
        events.push(Event {
            kind,
            cursor: cursor.to_string(),
            agent: row.subject.as_deref().and_then(|subject| subject.parse().ok()),
            subject: row.subject,
            tasks: row.touched,
            at: row.at,
            work: None,
        });
    }
}

/// Rows of each database per answer; the subjects of all of them fit in one query.
const BATCH: i64 = dormouse_store::in_list::MOST as i64;

impl Queries {
    /// The events after a cursor; without one, no events and the cursor to start from.
    ///
    /// Errors: text that is not a cursor.
    pub async fn events_since(
        &self,
        ws: WorkspaceId,
        cursor: Option<&str>,
    ) -> Result<Since, QueryError> {
        let Some(text) = cursor else {
            let (journal, agent) =
                (self.log(Db::Journal, ws).await?, self.log(Db::Agent, ws).await?);
            let cursor = Cursor { journal: journal.end(), agent: agent.end() }.to_string();
            return Ok(Since::Page { events: Vec::new(), cursor });
        };
        let cursor = Cursor::read(text).ok_or_else(|| {
            let shown: String = text.chars().take(60).collect();
            let message = format!("`{shown}` is not a cursor of events: leave it out to begin");
            QueryError::Invalid { field: "?since", message }
        })?;
        // Rows are read first, then the ranges of the logs: this notices rows deleted between the
        // two reads, and a head is never older than the position it is compared with.
        let rows = |db, seq| self.store.all(change_log::notices_after(db, ws, seq, BATCH));
        let in_journal = rows(Db::Journal, cursor.journal.1).await?;
        let in_agent = rows(Db::Agent, cursor.agent.1).await?;
        let (journal, agent) = (self.log(Db::Journal, ws).await?, self.log(Db::Agent, ws).await?);
        if let Err(end) = resume(&cursor, &journal, &agent) {
            return Ok(Since::Resync { cursor: end.to_string() });
        }
        let (mut events, cursor) = events(cursor, in_journal, in_agent);
        self.find_tasks_of(ws, &mut events).await?;
        self.add_work_details(ws, &mut events).await?;
        Ok(Since::Page { events, cursor: cursor.to_string() })
    }

    /// Adds the agent and its task to events about a run or an agent.
    async fn find_tasks_of(&self, ws: WorkspaceId, events: &mut [Event]) -> Result<(), QueryError> {
        let is_run = |event: &Event| event.agent.is_none() && event.kind == EventKind::AgentWake;
        let mut runs: Vec<&str> = events
            .iter()
            .filter(|event| is_run(event))
            .filter_map(|e| e.subject.as_deref())
            .collect();
        runs.sort_unstable();
        runs.dedup();
        if !runs.is_empty() {
            let agents: HashMap<String, AgentId> =
                self.store.all(wake_run::agents_of(ws, &runs)).await?.into_iter().collect();
            for event in events.iter_mut().filter(|event| is_run(event)) {
                let agent = event.subject.as_deref().and_then(|run| agents.get(run));
                event.agent = agent.cloned();
            }
        }
        let is_lost = |event: &Event| event.tasks.is_empty();
        let mut agents: Vec<AgentId> =
            events.iter().filter(|event| is_lost(event)).filter_map(|e| e.agent.clone()).collect();
        agents.sort_unstable();
        agents.dedup();
        if agents.is_empty() {
            return Ok(());
        }
        let own = self.store.all(subscription::own_of_agents(ws, &agents)).await?;
        let own: HashMap<AgentId, TaskId> =
            own.into_iter().map(|own| (own.agent, own.task)).collect();
        for event in events.iter_mut().filter(|event| is_lost(event)) {
            event.tasks.extend(event.agent.as_ref().and_then(|agent| own.get(agent)).cloned());
        }
        Ok(())
    }

    /// Receives hints that [`Dormouse::events_since`] may have news. Hints can be lost, so the
    /// receiver must also poll.
    pub fn hints(&self) -> dormouse_store::Hints {
        self.store.changes()
    }

    /// The position of both databases at this moment.
    pub(crate) async fn cursor_now(&self, ws: WorkspaceId) -> Result<Cursor, QueryError> {
        let journal = self.store.first(change_log::head(Db::Journal, ws)).await?;
        self.cursor_at(ws, journal.unwrap_or_default()).await
    }

    /// The position after a commit of the journal, and of the agent store at this moment.
    pub(crate) async fn cursor_at(
        &self,
        ws: WorkspaceId,
        journal: Seq,
    ) -> Result<Cursor, QueryError> {
        let agent = self.store.first(change_log::head(Db::Agent, ws)).await?.unwrap_or_default();
        Ok(Cursor {
            journal: (self.store.host(Db::Journal), journal),
            agent: (self.store.host(Db::Agent), agent),
        })
    }

    async fn log(&self, db: Db, ws: WorkspaceId) -> Result<Log, QueryError> {
        let trimmed = self.store.first(change_log::trimmed(db, ws)).await?.unwrap_or_default();
        let head = self.store.first(change_log::head(db, ws)).await?.unwrap_or_default();
        Ok(Log { host: self.store.host(db), trimmed, head })
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn host(mark: char) -> HostId {
        format!("ho-{}", mark.to_string().repeat(26)).parse().expect("an id")
    }

    fn start() -> Cursor {
        Cursor { journal: (host('j'), Seq(0)), agent: (host('a'), Seq(0)) }
    }

    /// Rows with gaps between their positions and times that may stand still or go back.
    fn rows(event: Option<EventKind>, steps: &[(i64, i64)]) -> Vec<ChangeNotice> {
        let (mut seq, mut at) = (0, 0);
        steps
            .iter()
            .map(|(gap, pass)| {
                (seq, at) = (seq + gap, at + pass);
                let at = Timestamp::from_micros(at);
                let subject = Some(seq.to_string());
                ChangeNotice {
                    seq: Seq(seq),
                    event: event.map(Into::into),
                    subject,
                    touched: Vec::new(),
                    at,
                }
            })
            .collect()
    }

    /// What a database gives out after a position.
    fn after(rows: &[ChangeNotice], place: Seq, limit: usize) -> Vec<ChangeNotice> {
        rows.iter().filter(|row| row.seq > place).take(limit).cloned().collect()
    }

    fn subjects(events: &[Event], kind: EventKind) -> Vec<Option<String>> {
        events.iter().filter(|event| event.kind == kind).map(|e| e.subject.clone()).collect()
    }

    fn whole(rows: &[ChangeNotice]) -> Vec<Option<String>> {
        rows.iter().map(|row| row.subject.clone()).collect()
    }

    proptest! {
        #[test]
        fn however_the_stream_is_split_each_event_comes_once_and_in_order(
            journal in vec((1i64..4, -2i64..5), 0..20),
            agent in vec((1i64..4, -2i64..5), 0..20),
            reads in vec((0usize..4, 0usize..4, any::<prop::sample::Index>()), 1..60),
        ) {
            let (journal, agent) = (rows(None, &journal), rows(Some(EventKind::AgentWake), &agent));
            let mut cursor = start();
            let mut seen: Vec<Event> = Vec::new();
            // The last read takes what is left.
            let rest = (usize::MAX, usize::MAX, None);
            let reads = reads.into_iter().map(|(j, a, lost)| (j, a, Some(lost))).chain([rest]);
            for (n_journal, n_agent, lost) in reads {
                let in_journal = after(&journal, cursor.journal.1, n_journal);
                let in_agent = after(&agent, cursor.agent.1, n_agent);
                let (mut events, mut next) = events(cursor, in_journal, in_agent);
                if let Some(lost) = lost.filter(|_| !events.is_empty()) {
                    // The client went away in the middle and comes back with the last it saw.
                    events.truncate(lost.index(events.len()) + 1);
                    let last = &events[events.len() - 1].cursor;
                    next = Cursor::read(last).expect("what was given out can be read");
                }
                seen.extend(events);
                cursor = next;
            }
            prop_assert_eq!(subjects(&seen, EventKind::JournalChanged), whole(&journal));
            prop_assert_eq!(subjects(&seen, EventKind::AgentWake), whole(&agent));
        }
    }

    #[test]
    fn another_database_a_trimmed_position_and_one_after_the_end_begin_anew() {
        let log =
            |mark, trimmed, head| Log { host: host(mark), trimmed: Seq(trimmed), head: Seq(head) };
        let at = |journal, agent| Cursor {
            journal: (host('j'), Seq(journal)),
            agent: (host('a'), Seq(agent)),
        };
        let end = Err(at(9, 7));
        let now = |cursor: Cursor| resume(&cursor, &log('j', 3, 9), &log('a', 0, 7));
        assert_eq!(now(at(3, 0)), Ok(()));
        assert_eq!(now(at(9, 7)), Ok(()));
        assert_eq!(now(at(2, 7)), end, "rows up to 3 are gone");
        assert_eq!(now(at(10, 7)), end, "a restored journal");
        assert_eq!(now(at(9, 8)), end, "a restored agent store");
        let other = Cursor { journal: (host('x'), Seq(5)), ..at(5, 5) };
        assert_eq!(now(other), end, "another journal");
    }

    #[test]
    fn a_cursor_is_read_as_it_was_written_and_nothing_else_is_one() {
        let cursor = Cursor { journal: (host('j'), Seq(4)), agent: (host('a'), Seq(12)) };
        assert_eq!(Cursor::read(&cursor.to_string()), Some(cursor.clone()));
        for text in ["", "1.2", "a.b.c.d", &format!("{cursor}.1"), &format!("{cursor}x")] {
            assert_eq!(Cursor::read(text), None, "{text}");
        }
    }
}
