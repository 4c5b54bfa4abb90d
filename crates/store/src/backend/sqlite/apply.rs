//! Applies commits: one transaction for the batch, in which each commit succeeds or fails alone.

use dormouse_types::HostId;
use rusqlite::{Connection, ErrorCode, ffi};

use crate::commit::{Commit, CommitError, Committed, Db, Once, Refusal};
use crate::store::bind;

use dormouse_types::{Seq, Timestamp};

use super::health::Health;
use super::other_database::Remembered;

/// Applies commits in one transaction and returns the outcome of each.
///
/// A commit that fails is rolled back alone. If the engine rolled back the whole transaction (disk
/// full, I/O), the whole batch failed and none of it is written. If a sync failed, the outcome is
/// unknown and the writer must stop: see [`sync_failed`].
pub(super) fn batch(
    connection: &Connection,
    setting: &Setting<'_>,
    commits: &[Commit],
) -> Vec<Result<Committed, CommitError>> {
    if let Some(why) = setting.health.ended() {
        return refused(setting.db, commits, &why);
    }
    transaction(connection, setting, commits, Way::Together)
}

/// Where and when a batch is applied.
pub(super) struct Setting<'a> {
    pub(super) db: Db,
    pub(super) host: &'a HostId,
    pub(super) now: i64,
    pub(super) remembered: Remembered,
    pub(super) health: &'a Health,
}

/// How the commits of a batch are isolated from each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// Not at all: nearly every batch succeeds, and a savepoint costs a copy of each page written
    /// after it. A failure rolls the batch back, and it is then applied with `Apart`.
    Together,
    /// Each commit has a savepoint.
    Apart,
}

fn transaction(
    connection: &Connection,
    setting: &Setting<'_>,
    commits: &[Commit],
    way: Way,
) -> Vec<Result<Committed, CommitError>> {
    let db = setting.db;
    let damage =
        |e: &rusqlite::Error| setting.health.judge(db, Timestamp::from_micros(setting.now), e);
    let broken = |label: &'static str, e: &dyn std::fmt::Display| CommitError::Broken {
        label,
        db: db.name(),
        detail: e.to_string(),
    };
    let all_broken = |e: &dyn std::fmt::Display| -> Vec<_> {
        commits.iter().map(|commit| Err(broken(commit.label, e))).collect()
    };
    if let Err(e) = connection.execute_batch("BEGIN IMMEDIATE") {
        return damage(&e).map_or_else(|| all_broken(&e), |why| all_broken(&why));
    }
    let mut results = Vec::with_capacity(commits.len());
    for commit in commits {
        let label = commit.label;
        let result = match way {
            Way::Together => one(connection, setting, commit),
            Way::Apart => in_savepoint(connection, setting, commit),
        };
        if let Err(Failure::Engine(e)) = &result
            && let Some(why) = damage(e)
        {
            roll_back(connection);
            return all_broken(&why);
        }
        if let Err(Failure::Engine(e)) = &result
            && sync_failed(e)
        {
            roll_back(connection);
            return commits.iter().map(|commit| Err(unknown(commit.label, e))).collect();
        }
        if connection.is_autocommit() {
            // The engine rolled the transaction back: none of this batch is written.
            return match result {
                Err(Failure::Engine(e)) => all_broken(&e),
                Err(Failure::Refused(_) | Failure::Mismatch(_)) | Ok(_) => {
                    all_broken(&"the engine took the whole transaction back")
                }
            };
        }
        let has_failed = result.is_err();
        results.push(result.map_err(|failure| match failure {
            Failure::Refused(refusal) => CommitError::Refused { label, refusal },
            Failure::Mismatch(id) => CommitError::Mismatch { label, id },
            Failure::Engine(e) => broken(label, &e),
        }));
        if has_failed && way == Way::Together {
            roll_back(connection);
            return match commits {
                [_] => results,
                _ => transaction(connection, setting, commits, Way::Apart),
            };
        }
    }
    if let Err(e) = connection.execute_batch("COMMIT") {
        roll_back(connection);
        if let Some(why) = damage(&e) {
            return all_broken(&why);
        }
        if !sync_failed(&e) {
            return all_broken(&e);
        }
        let pairs = results.into_iter().zip(commits);
        return pairs
            .map(|(result, commit)| result.and_then(|_| Err(unknown(commit.label, &e))))
            .collect();
    }
    results
}

fn roll_back(connection: &Connection) {
    if !connection.is_autocommit()
        && let Err(rollback) = connection.execute_batch("ROLLBACK")
    {
        tracing::error!(%rollback, "cannot roll back a transaction that failed");
    }
}

/// Whether the operating system failed to make accepted writes durable.
///
/// The transaction is in the log, but perhaps not on the disk, and the system may drop what it
/// failed to write: a second sync can succeed without having kept it. The outcome is known only
/// after the database is reopened, which reads the log and writes it to the file again.
fn sync_failed(e: &rusqlite::Error) -> bool {
    e.sqlite_error().is_some_and(|e| {
        matches!(e.extended_code, ffi::SQLITE_IOERR_FSYNC | ffi::SQLITE_IOERR_DIR_FSYNC)
    })
}

fn unknown(label: &'static str, e: &rusqlite::Error) -> CommitError {
    let detail = format!("the disk could not make it durable ({e}); check whether it was written");
    CommitError::Unknown { label, detail }
}

/// The message after a failed sync.
pub(super) fn unsynced(db: Db) -> String {
    format!(
        "an earlier commit to the {} database could not be made durable: check the disk and its \
         cables, then start Dormouse again",
        db.name()
    )
}

/// The answers to commits that are not tried because writing has ended.
pub(super) fn refused(
    db: Db,
    commits: &[Commit],
    why: &str,
) -> Vec<Result<Committed, CommitError>> {
    let refused = |commit: &Commit| {
        let detail = why.to_owned();
        Err(CommitError::Broken { label: commit.label, db: db.name(), detail })
    };
    commits.iter().map(refused).collect()
}

enum Failure {
    Refused(Refusal),
    Mismatch(String),
    Engine(rusqlite::Error),
}

impl From<rusqlite::Error> for Failure {
    fn from(e: rusqlite::Error) -> Self {
        Self::Engine(e)
    }
}

fn in_savepoint(
    connection: &Connection,
    setting: &Setting<'_>,
    commit: &Commit,
) -> Result<Committed, Failure> {
    connection.prepare_cached("SAVEPOINT one")?.execute([])?;
    let result = one(connection, setting, commit);
    if connection.is_autocommit() {
        return result;
    }
    if result.is_err()
        && let Err(e) = connection.prepare_cached("ROLLBACK TO one").and_then(|mut s| s.execute([]))
    {
        // Part of the commit may still be there: only the whole batch can be rolled back.
        connection.execute_batch("ROLLBACK")?;
        return Err(e.into());
    }
    connection.prepare_cached("RELEASE one")?.execute([])?;
    result
}

/// Answers from the receipt of the commit that was made under this key.
fn replayed(connection: &Connection, ws: i64, once: &Once) -> Result<Committed, Failure> {
    let (request, answer, seq): (String, String, i64) = connection
        .prepare_cached(
            "SELECT request_digest, answer, seq FROM applied_operations
             WHERE ws = ?1 AND id = ?2",
        )?
        .query_row(rusqlite::params![ws, once.id], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?))
        })?;
    if request != once.request.as_str() {
        return Err(Failure::Mismatch(once.id.clone()));
    }
    Ok(Committed { seq: Seq(seq), replayed: Some(answer) })
}

fn one(
    connection: &Connection,
    setting: &Setting<'_>,
    commit: &Commit,
) -> Result<Committed, Failure> {
    let (ws, now, host) = (commit.ws.0, setting.now, setting.host);
    let (other_host, other_seq) = setting.remembered.of(ws);
    let seq: i64 = connection
        .prepare_cached(
            "INSERT INTO counters (ws, seq, other_host, other_seq) VALUES (?1, 1, ?2, ?3)
             ON CONFLICT (ws) DO UPDATE SET seq = counters.seq + 1,
               other_host = COALESCE(excluded.other_host, counters.other_host),
               other_seq = COALESCE(excluded.other_seq, counters.other_seq)
             RETURNING seq",
        )?
        .query_row(rusqlite::params![ws, other_host, other_seq], |row| row.get(0))?;
    if let Some(once) = &commit.once {
        let inserted = connection
            .prepare_cached(
                "INSERT INTO applied_operations (ws, id, request_digest, answer, effects, seq, at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7) ON CONFLICT (ws, id) DO NOTHING",
            )?
            .execute(rusqlite::params![
                ws,
                once.id,
                once.request.as_str(),
                once.answer,
                once.effects,
                seq,
                now
            ])?;
        if inserted == 0 {
            return replayed(connection, ws, once);
        }
    }
    for op in &commit.ops {
        let params = op.params.iter().map(|param| bind(param, seq, now, host));
        let changed = connection
            .prepare_cached(op.sql)?
            .execute(rusqlite::params_from_iter(params))
            .map_err(|e| match e.sqlite_error_code() {
                Some(ErrorCode::ConstraintViolation) => Failure::Refused(op.refusal),
                _ => Failure::Engine(e),
            })?;
        if !op.rows.contains(&changed) {
            return Err(Failure::Refused(op.refusal));
        }
    }
    for (offset, change) in commit.numbered_changes() {
        let origin = serde_json::to_string(&change.origin).expect("an origin is plain data");
        connection
            .prepare_cached(
                "INSERT INTO change_log (ws, seq, origin, depth, touched, neighbours, what, event, subject, at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute(rusqlite::params![
                ws,
                seq + offset,
                origin,
                change.depth,
                serde_json::to_string(&change.touched).expect("ids are plain data"),
                serde_json::to_string(&change.neighbours).expect("ids are plain data"),
                serde_json::to_string(&change.what).expect("changes are plain data"),
                change.event_name(),
                change.subject,
                now
            ])?;
    }
    if commit.span() > 1 {
        connection
            .prepare_cached("UPDATE counters SET seq = ?2 WHERE ws = ?1")?
            .execute([ws, seq + commit.span() - 1])?;
    }
    for (n, audit) in (0i64..).zip(&commit.audit) {
        connection
            .prepare_cached(
                "INSERT INTO audit_log (ws, seq, n, actor, action, object, detail, at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(rusqlite::params![
                ws,
                seq,
                n,
                audit.actor.to_string(),
                audit.action.name(),
                audit.object,
                audit.detail,
                now
            ])?;
    }
    Ok(Committed { seq: Seq(seq), replayed: None })
}
