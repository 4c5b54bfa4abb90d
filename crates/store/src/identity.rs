//! Whether a database is the one the other knew: rules on what both remember.
//!
//! Each commit writes, next to its counter, the id and position of the other database. A database
//! whose position is lower than what the other remembers is an older copy; one whose id the other
//! does not know is foreign. It is still opened, but as a different database: under a new id, with
//! the reason, in one commit. Anyone who holds a position of the old id then knows that the
//! position is void.
//!
//! Why a crash causes no false alarm: a position can be read only once it is durable (SQLite shows
//! a commit to other connections after syncing its log, Postgres after flushing its commit record),
//! and a commit reads the other database's position before it is written. So whatever a power cut
//! keeps of a commit, the state it remembers was on disk earlier and is kept too.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_types::{HostId, Seq, Timestamp};
use serde::{Deserialize, Serialize};

use crate::commit::Db;
use crate::store::{Query, ReadError};
use crate::value::Row;

/// Why a database continues under a new id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Reason {
    /// It is older than what the other database remembers of it, or was never seen by it.
    Older,
    /// It was missing, and a person let Dormouse continue with an empty one.
    Missing,
    /// The server was restored to an earlier point, or a standby took its place.
    Timeline,
}

impl Reason {
    /// What happened to the database, as the rest of a sentence that begins with its name.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Older => "was replaced by an older copy",
            Self::Missing => "was missing and was recreated",
            Self::Timeline => "was restored to an earlier moment, or a standby took its place",
        }
    }
}

/// A change of id: the new id and the reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdChange {
    /// The id from then on.
    pub host: HostId,
    /// When it was noticed.
    pub at: Timestamp,
    /// Why.
    pub reason: Reason,
    /// Ids under which others may remember it, including the one before this change.
    pub former: BTreeSet<HostId>,
}

/// The value stored in `meta` under [`IdChange::key`].
#[derive(Serialize, Deserialize)]
struct Stored {
    at: i64,
    reason: Reason,
    former: BTreeSet<HostId>,
}

/// The prefix of these keys in `meta`; the new id follows.
const PREFIX: &str = "renewed:";

impl IdChange {
    pub(crate) fn key(&self) -> String {
        format!("{PREFIX}{}", self.host)
    }

    pub(crate) fn value(&self) -> String {
        let Self { at, reason, former, .. } = self;
        let stored = Stored { at: at.micros(), reason: *reason, former: former.clone() };
        serde_json::to_string(&stored).expect("a renewal is plain data")
    }

    fn decode(row: &Row) -> Result<Self, ReadError> {
        let corrupt = |detail: String| ReadError::Corrupt {
            db: "journal or agent",
            noun: "meta",
            id: "renewed".into(),
            detail,
        };
        let text = |column| row.text(column).map_err(|e| corrupt(e.to_string()));
        let host = text(0)?.strip_prefix(PREFIX).unwrap_or_default();
        let host = host.parse().map_err(|e: dormouse_types::IdError| corrupt(e.to_string()))?;
        let Stored { at, reason, former } =
            serde_json::from_str(text(1)?).map_err(|e| corrupt(e.to_string()))?;
        Ok(Self { host, at: Timestamp::from_micros(at), reason, former })
    }
}

/// The changes of id of a database, oldest first.
pub fn id_changes(db: Db) -> Query<IdChange> {
    Query {
        db,
        sql: "SELECT key, value FROM meta WHERE key >= 'renewed:' AND key < 'renewed;'
              ORDER BY key",
        params: Vec::new(),
        decode: IdChange::decode,
    }
}

/// What a database remembers in the counter of a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CounterMemory {
    /// The workspace.
    pub ws: i64,
    /// Its own position.
    pub seq: Seq,
    /// Id and position of the other database at the time of that commit.
    pub other: Option<(HostId, Seq)>,
}

/// What every workspace of a database remembers.
pub fn counter_memories(db: Db) -> Query<CounterMemory> {
    Query {
        db,
        sql: "SELECT ws, seq, other_host, other_seq FROM counters ORDER BY ws",
        params: Vec::new(),
        decode: match db {
            Db::Journal => |row| mark(Db::Journal, row),
            Db::Agent => |row| mark(Db::Agent, row),
        },
    }
}

fn mark(db: Db, row: &Row) -> Result<CounterMemory, ReadError> {
    let column = |e| ReadError::column(db, "counter", &e);
    let host = row.opt_text(2).map_err(column)?;
    let host: Option<HostId> =
        host.map(str::parse).transpose().map_err(|e: dormouse_types::IdError| {
            ReadError::Corrupt {
                db: db.name(),
                noun: "counter",
                id: "host".into(),
                detail: e.to_string(),
            }
        })?;
    let other = match host {
        Some(host) => Some((host, Seq(row.int(3).map_err(column)?))),
        None => None,
    };
    Ok(CounterMemory {
        ws: row.int(0).map_err(column)?,
        seq: Seq(row.int(1).map_err(column)?),
        other,
    })
}

/// What is known of a database when it is opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Known {
    pub host: HostId,
    /// Its changes of id, oldest first.
    pub renewals: Vec<IdChange>,
    /// What it remembers.
    pub marks: Vec<CounterMemory>,
}

/// A position of a database that the other remembers and that no longer exists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LostPositions {
    /// The position that the other remembers.
    pub remembered: Seq,
    /// Where it ends.
    pub found: Seq,
}

/// Compares a database with what the other remembers of it; `None` if nothing is lost.
///
/// What the other remembers under a former id of the database says nothing about the present one.
pub fn lost(own: &Known, other: &Known) -> Option<LostPositions> {
    let positions: BTreeMap<i64, Seq> = own.marks.iter().map(|mark| (mark.ws, mark.seq)).collect();
    other.marks.iter().find_map(|mark| {
        let (host, remembered) = mark.other.as_ref()?;
        let found = positions.get(&mark.ws).copied().unwrap_or_default();
        let is_there = match *host == own.host {
            true => found >= *remembered,
            false => own.renewals.iter().any(|renewal| renewal.former.contains(host)),
        };
        (!is_there).then_some(LostPositions { remembered: *remembered, found })
    })
}

/// The change of id of a database; it makes the other database's memory of it void.
pub fn renewal(
    own: &Known,
    other: &Known,
    host: HostId,
    at: Timestamp,
    reason: Reason,
) -> IdChange {
    let remembered = other.marks.iter().filter_map(|mark| mark.other.as_ref());
    let mut former: BTreeSet<HostId> = remembered.map(|(host, _)| host.clone()).collect();
    former.insert(own.host.clone());
    former.remove(&host);
    IdChange { host, at, reason, former }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn host(mark: char) -> HostId {
        format!("ho-{}", mark.to_string().repeat(26)).parse().expect("an id")
    }

    fn known(own: char, seq: i64, other: Option<(char, i64)>) -> Known {
        let other = other.map(|(mark, seq)| (host(mark), Seq(seq)));
        let marks = vec![CounterMemory { ws: 1, seq: Seq(seq), other }];
        Known { host: host(own), renewals: Vec::new(), marks }
    }

    #[test]
    fn a_database_is_lost_after_what_the_other_remembers_and_not_before() {
        let journal = known('j', 60, Some(('a', 5)));
        for (remembered, is_lost) in [(59, false), (60, false), (61, true), (100, true)] {
            let agent = known('a', 9, Some(('j', remembered)));
            assert_eq!(lost(&journal, &agent).is_some(), is_lost, "{remembered}");
            assert_eq!(lost(&agent, &journal), None);
        }
        let nothing = Known { marks: Vec::new(), ..journal.clone() };
        let agent = known('a', 9, Some(('j', 1)));
        let expected = LostPositions { remembered: Seq(1), found: Seq(0) };
        assert_eq!(lost(&nothing, &agent), Some(expected), "another workspace is no excuse");
        assert_eq!(lost(&journal, &known('a', 9, None)), None, "a version that remembered nothing");
    }

    #[test]
    fn a_foreign_database_is_no_more_what_it_was_than_an_older_one() {
        assert!(lost(&known('x', 900, None), &known('a', 9, Some(('j', 1)))).is_some());
    }

    #[test]
    fn under_its_new_id_nothing_is_missed_any_more_whatever_the_other_remembers() {
        let mut journal = known('j', 60, None);
        let agent = known('a', 9, Some(('x', 100)));
        let renewal =
            renewal(&journal, &agent, host('n'), Timestamp::from_micros(7), Reason::Older);
        assert_eq!(renewal.former, BTreeSet::from([host('j'), host('x')]));
        journal.host = host('n');
        journal.renewals = vec![renewal.clone()];
        for remembered in ['j', 'x'] {
            assert_eq!(lost(&journal, &known('a', 9, Some((remembered, 100)))), None);
        }
        assert_eq!(lost(&journal, &known('a', 9, Some(('n', 60)))), None);
        assert!(lost(&journal, &known('a', 9, Some(('n', 61)))).is_some());

        let row = Row(vec![renewal.key().into(), renewal.value().into()]);
        assert_eq!(IdChange::decode(&row), Ok(renewal));
    }
}
