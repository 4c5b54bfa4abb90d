//! The audit logs of both databases as one list.

use dormouse_store::Db;
use dormouse_store::audit_log::{self, AuditPlace, AuditRow};
use dormouse_types::policy::PolicyDenied;
use dormouse_types::{Seq, WorkspaceId, limits};

use crate::view::{AuditEntry, Page};
use crate::{Queries, QueryError, page};

impl Queries {
    /// A page of the audit log, newest first.
    pub async fn audit(
        &self,
        ws: WorkspaceId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<AuditEntry>, QueryError> {
        let limit = limit.clamp(1, limits::PAGE.max);
        let places = cursor.map_or(Ok(Places::END), Places::read)?;
        let n_rows = page::rows_to_read(limit);
        let of = |db, place| self.store.all(audit_log::before(db, ws, place, n_rows));
        let journal = of(Db::Journal, places.journal).await?;
        let agent = of(Db::Agent, places.agent).await?;
        let (rows, next) = merged(journal, agent, limit, places);
        let next_cursor = next.map(|places| places.text());
        let items = rows.into_iter().map(entry).collect();
        Ok(Page { items, next_cursor, damaged: Vec::new() })
    }
}

/// How far the logs of both databases have been shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Places {
    journal: AuditPlace,
    agent: AuditPlace,
}

impl Places {
    const END: Self = Self { journal: AuditPlace::END, agent: AuditPlace::END };

    fn text(self) -> String {
        let Self { journal, agent } = self;
        format!("{}.{}.{}.{}", journal.seq.0, journal.n, agent.seq.0, agent.n)
    }

    fn read(text: &str) -> Result<Self, QueryError> {
        let numbers: Result<Vec<i64>, _> = text.split('.').map(str::parse).collect();
        match numbers.as_deref() {
            Ok(&[journal, journal_n, agent, agent_n]) => Ok(Self {
                journal: AuditPlace { seq: Seq(journal), n: journal_n },
                agent: AuditPlace { seq: Seq(agent), n: agent_n },
            }),
            Ok(_) | Err(_) => Err(page::foreign_cursor(text)),
        }
    }
}

/// Merges the newest rows of both logs by time, each log in its own order, and says where the next
/// page begins; `None` after the last row.
fn merged(
    journal: Vec<AuditRow>,
    agent: Vec<AuditRow>,
    limit: usize,
    mut places: Places,
) -> (Vec<(Db, AuditRow)>, Option<Places>) {
    let mut journal = journal.into_iter().peekable();
    let mut agent = agent.into_iter().peekable();
    let mut rows = Vec::new();
    while rows.len() < limit {
        let takes_journal = match (journal.peek(), agent.peek()) {
            (None, None) => return (rows, None),
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (Some(journal), Some(agent)) => journal.at >= agent.at,
        };
        if takes_journal && let Some(row) = journal.next() {
            places.journal = row.place;
            rows.push((Db::Journal, row));
        } else if let Some(row) = agent.next() {
            places.agent = row.place;
            rows.push((Db::Agent, row));
        }
    }
    let is_more = journal.peek().is_some() || agent.peek().is_some();
    (rows, is_more.then_some(places))
}

fn entry((db, row): (Db, AuditRow)) -> AuditEntry {
    let of = match db {
        Db::Journal => "journal",
        Db::Agent => "agent",
    };
    AuditEntry {
        id: format!("{of}.{}.{}", row.place.seq.0, row.place.n),
        at: row.at,
        denied: PolicyDenied::of_row(&row.action, &row.detail),
        actor: row.actor,
        action: row.action,
        object: row.object,
        detail: row.detail,
    }
}

#[cfg(test)]
mod tests {
    use dormouse_types::audit::AuditAction;
    use dormouse_types::{Actor, Timestamp};

    use super::*;

    fn row((seq, n, at): (i64, i64, i64)) -> AuditRow {
        AuditRow {
            place: AuditPlace { seq: Seq(seq), n },
            actor: Actor::Owner,
            action: AuditAction::TaskEdit.into(),
            object: "x".into(),
            detail: String::new(),
            at: Timestamp::from_micros(at),
        }
    }

    /// The rows of a log before a place, as the store reads them.
    fn log(rows: &[(i64, i64, i64)], before: AuditPlace, limit: usize) -> Vec<AuditRow> {
        let rows = rows.iter().rev().map(|one| row(*one)).filter(|one| one.place < before);
        rows.take(limit + 1).collect()
    }

    #[test]
    fn pages_show_each_row_once_newest_first_whatever_their_size() {
        let journal = [(1, 0, 10), (2, 0, 30), (2, 1, 30), (7, 0, 50)];
        let agent = [(1, 0, 20), (3, 0, 30), (4, 0, 60)];
        for limit in 1..9 {
            let (mut shown, mut places) = (Vec::new(), Places::END);
            loop {
                let of_journal = log(&journal, places.journal, limit);
                let of_agent = log(&agent, places.agent, limit);
                let (rows, next) = merged(of_journal, of_agent, limit, places);
                shown.extend(rows.into_iter().map(|row| entry(row).id));
                let Some(next) = next else { break };
                places = Places::read(&next.text()).expect("what was given out can be read");
            }
            assert_eq!(
                shown,
                [
                    "agent.4.0",
                    "journal.7.0",
                    "journal.2.1",
                    "journal.2.0",
                    "agent.3.0",
                    "agent.1.0",
                    "journal.1.0"
                ],
                "{limit}"
            );
        }
    }

    #[test]
    fn another_lists_cursor_is_refused() {
        for text in ["", "1.2", "1.2.3.x", "1.2.3.4.5"] {
            assert!(Places::read(text).is_err(), "{text}");
        }
    }
}
