//! Looks at the databases of a data folder without opening them for work: beside a running server,
//! and where they cannot be opened at all.

use std::path::Path;

use dormouse_store::agent::feed_position::{self, Position};
use dormouse_store::agent::{breaker, raw as agent_rows, saga, wake_queue, wake_tally};
use dormouse_store::backend::sqlite::look::{Facts, Look};
use dormouse_store::journal::{linked_entry, raw as journal_rows};
use dormouse_store::{Db, Query, ReadError, change_log};
use dormouse_types::{Seq, Timestamp};

use crate::WORKSPACE;
use crate::operations::{alert, operation_view, queue_view};
use crate::view::{DatabaseLook, Diagnosis};

/// Rows that are looked over at once.
const BATCH: i64 = 500;
/// Units: seconds. How far the newest change may lie ahead of the clock.
const AHEAD: u64 = 60;
/// 2026-01-01: this program is not older, so no clock that is right shows less.
const FIRST_DAY: Timestamp = Timestamp::from_micros(1_767_225_600_000_000);

/// Adds what the databases of a folder tell to a diagnosis.
///
/// Nothing is written, and nobody is waited for. What cannot be read is a finding.
pub fn look(folder: &Path, diagnosis: &mut Diagnosis) {
    let mut found = [None, None];
    for (place, db) in found.iter_mut().zip(Db::ALL) {
        *place = database(folder, db, diagnosis);
    }
    if diagnosis.at < FIRST_DAY {
        let action = "set the clock of this machine";
        diagnosis.problem(format!("the clock says {}, which cannot be", diagnosis.at), action);
    }
    let [journal, agent] = found;
    match (&journal, &agent) {
        (None, None) => return,
        (Some(_), None) | (None, Some(_)) if diagnosis.findings.is_empty() => {
            let missing = if journal.is_none() { Db::Journal } else { Db::Agent };
            diagnosis.problem(
                format!("{}.sqlite is missing beside the other database", missing.name()),
                "restore it from a backup of the data folder",
            );
        }
        (_, _) => {}
    }
    for look in [&journal, &agent].into_iter().flatten() {
        clock(look, diagnosis);
    }
    if let Some(journal) = &journal {
        rows_of_journal(journal, diagnosis);
    }
    if let Some(agent) = &agent {
        rows_of_agents(agent, diagnosis);
        queue(agent, diagnosis);
    }
    if let (Some(journal), Some(agent)) = (&journal, &agent) {
        routing(journal, agent, diagnosis);
    }
}

/// A database that can be queried, with its name.
struct Open {
    look: Look,
    db: Db,
    host: Option<String>,
}

impl Open {
    /// Reads rows; what cannot be read is a finding, and no rows.
    fn all<T>(&self, query: Query<T>, what: &str, diagnosis: &mut Diagnosis) -> Vec<T> {
        self.look.all(query).unwrap_or_else(|error| {
            let action = "restore the data folder from a backup";
            diagnosis.problem(format!("the {what} cannot be read: {error}"), action);
            Vec::new()
        })
    }
}

fn database(folder: &Path, db: Db, diagnosis: &mut Diagnosis) -> Option<Open> {
    let look = match Look::open(folder, db) {
        Ok(look) => look?,
        Err(error) => {
            diagnosis.problem(error.to_string(), "restore the data folder from a backup");
            return None;
        }
    };
    let facts = match look.facts() {
        Ok(facts) => facts,
        Err(error) => {
            diagnosis.problem(error.to_string(), "restore the data folder from a backup");
            return None;
        }
    };
    let can_be_read = judge(db, &facts, diagnosis);
    let host = facts.host.clone();
    diagnosis.databases.push(DatabaseLook {
        name: db.name().into(),
        sqlite: facts.sqlite,
        journal_mode: facts.journal_mode,
        synchronous: facts.synchronous,
        schema: facts.schema,
        known_schema: facts.known,
        host_id: facts.host,
    });
    can_be_read.then_some(Open { look, db, host })
}

/// Says what is wrong with a file as a whole, and whether its rows can be asked for.
fn judge(db: Db, facts: &Facts, diagnosis: &mut Diagnosis) -> bool {
    let name = db.name();
    for fault in &facts.faults {
        let action = "restore the data folder from a backup";
        diagnosis.problem(format!("{name}.sqlite is damaged: {fault}"), action);
    }
    if facts.journal_mode != "wal" {
        let mode = &facts.journal_mode;
        diagnosis.note(format!(
            "{name}.sqlite is in journal mode `{mode}`; it is set at the next start"
        ));
    }
    if facts.schema > facts.known {
        let (found, known) = (facts.schema, facts.known);
        diagnosis.problem(
            format!("{name}.sqlite has schema {found}, this program knows {known}"),
            "use the version of Dormouse that wrote it, or a newer one",
        );
        return false;
    }
    if facts.schema < facts.known {
        let (found, known) = (facts.schema, facts.known);
        diagnosis.note(format!(
            "{name}.sqlite has schema {found}; the next start brings it to {known}, and its rows \
             are looked at from then on"
        ));
        return false;
    }
    if facts.host.is_none() {
        let action = "restore the data folder from a backup";
        diagnosis.problem(format!("{name}.sqlite has no host id"), action);
    }
    true
}

/// The clock is told from the newest change: nobody wrote in the future.
fn clock(open: &Open, diagnosis: &mut Diagnosis) {
    let newest = open.all(change_log::newest(open.db, WORKSPACE), "newest change", diagnosis);
    let limit = diagnosis.at + std::time::Duration::from_secs(AHEAD);
    for change in newest.into_iter().filter(|change| change.at > limit) {
        let name = open.db.name();
        diagnosis.problem(
            format!(
                "the clock says {}, but the newest change in {name}.sqlite was made at {}",
                diagnosis.at, change.at
            ),
            "set the clock of this machine; wakes come at the wrong time until then",
        );
    }
}

fn rows_of_journal(open: &Open, diagnosis: &mut Diagnosis) {
    let mut behind = String::new();
    loop {
        let query = journal_rows::behind(WORKSPACE, &behind, BATCH);
        let rows = open.all(query, "journal", diagnosis);
        let last = rows.iter().rev().find_map(|row| row.as_ref().ok()).map(|row| row.id.clone());
        damaged(rows.into_iter().map(|row| row.and_then(|row| row.check())), diagnosis);
        let Some(last) = last else { break };
        behind = last;
    }
    let mut behind = String::new();
    loop {
        let links = open.all(linked_entry::behind(WORKSPACE, &behind, BATCH), "links", diagnosis);
        let Some(last) = links.last().map(|link| link.id.clone()) else { return };
        damaged(links.into_iter().map(|link| link.check()), diagnosis);
        behind = last;
    }
}

fn rows_of_agents(open: &Open, diagnosis: &mut Diagnosis) {
    let mut behind = String::new();
    loop {
        let query = agent_rows::behind(WORKSPACE, &behind, BATCH);
        let rows = open.all(query, "entities of agents", diagnosis);
        let last = rows.iter().rev().find_map(|row| row.as_ref().ok()).map(|row| row.id.clone());
        damaged(rows.into_iter().map(|row| row.and_then(|row| row.check())), diagnosis);
        let Some(last) = last else { return };
        behind = last;
    }
}

fn damaged(rows: impl Iterator<Item = Result<(), ReadError>>, diagnosis: &mut Diagnosis) {
    for error in rows.filter_map(Result::err) {
        let action = "restore this row from a backup of the data folder; the others can be used";
        diagnosis.problem(error.to_string(), action);
        diagnosis.damaged.push(match error {
            ReadError::Corrupt { id, .. } => id,
            ReadError::Engine { db, .. } => db.to_owned(),
        });
    }
}

fn queue(open: &Open, diagnosis: &mut Diagnosis) {
    let now = diagnosis.at;
    let waiting = open.all(wake_tally::waiting(WORKSPACE, now), "wake queue", diagnosis);
    let held = open.all(wake_tally::held(WORKSPACE, now), "wake queue", diagnosis);
    if let (Some(waiting), Some(held)) = (waiting.into_iter().next(), held.into_iter().next()) {
        diagnosis.queue = Some(queue_view(waiting, held));
    }
    for row in open.all(wake_queue::leased(WORKSPACE), "leases", diagnosis) {
        let owner = row.owner.unwrap_or_default();
        let told = match row.expires_at {
            Some(at) if at > now => format!("{owner} works for agent {} until {at}", row.agent),
            Some(at) => format!(
                "{owner} stopped working for agent {} at {at}: the next start takes over",
                row.agent
            ),
            None => format!("{owner} works for agent {}", row.agent),
        };
        diagnosis.note(told);
    }
    for saga in open.all(saga::by_status(WORKSPACE, "pending"), "operations", diagnosis) {
        let operation = operation_view(saga);
        let (tool, since) = (&operation.tool_name, operation.since);
        let id = &operation.operation_id;
        match &operation.last_error {
            None => diagnosis.note(format!(
                "operation {id} ({tool}) is open since {since}: the next start finishes it"
            )),
            Some(error) => diagnosis.problem(
                format!("operation {id} ({tool}) is open since {since}: {error}"),
                "start Dormouse; where that does not finish it, look at the task it is about",
            ),
        }
        diagnosis.open_operations.push(operation);
    }
    let breakers = open.all(breaker::all(WORKSPACE), "breakers", diagnosis);
    for alert in breakers.into_iter().filter_map(alert) {
        diagnosis.problem(
            format!(
                "the model provider {} is away since {}, and is asked again at {}: {}",
                alert.provider, alert.since, alert.until, alert.detail
            ),
            "check its key, its quota and the network; what waits goes on by itself then",
        );
        if let Some(queue) = &mut diagnosis.queue {
            queue.held_by = Some(alert.provider.clone());
        }
        diagnosis.alerts.push(alert);
    }
}

/// How far the agents were told of the journal.
fn routing(journal: &Open, agent: &Open, diagnosis: &mut Diagnosis) {
    // The position first: a server beside this may write and route between the two reads.
    let position = agent.all(feed_position::read(WORKSPACE), "feed position", diagnosis);
    let head = journal.all(change_log::head(Db::Journal, WORKSPACE), "journal head", diagnosis);
    let head = head.first().copied().unwrap_or_default();
    let routed = position.first().map_or(Seq(0), |position| position.seq);
    diagnosis.journal_head = Some(head.0);
    diagnosis.routed_upto = Some(routed.0);
    let behind = journal.all(
        change_log::count_behind(Db::Journal, WORKSPACE, routed),
        "change rows",
        diagnosis,
    );
    diagnosis.changes_to_route = behind.first().copied();
    let Some(Position { host, seq }) = position.into_iter().next() else { return };
    if journal.host.as_deref() != Some(&host.to_string()) || seq > head {
        diagnosis.note(
            "the agents knew another journal, or a newer state of this one: the next start goes on \
             from its end and marks every report as out of date",
        );
    }
}
