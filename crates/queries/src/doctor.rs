//! Checks the databases of a data folder without opening them for work, even while a server runs or
//! if they cannot be opened.

mod open;
mod work;

use std::collections::BTreeSet;
use std::path::Path;

use dormouse_store::agent::feed_position::{self, Position};
use dormouse_store::agent::{
    breaker, change_item, outdated, raw as agent_rows, saga, wake_queue, wake_tally,
};
use dormouse_store::backend::sqlite::inspection::{self, Facts, Inspection};
use dormouse_store::backend::sqlite::{OpenError, health};
use dormouse_store::identity::{self, Known};
use dormouse_store::journal::{linked_entry, raw as journal_rows};
use dormouse_store::{Db, change_log, in_list, receipt};
use dormouse_types::{Seq, Timestamp, WorkspaceId};

use crate::operations::{alert, operation_view, queue_view};
use crate::view::{DatabaseLook, Diagnosis, Severity};
use open::{Open, RESTORE, damaged, named};

/// How many rows to check at once.
const BATCH: i64 = 500;
/// Units: seconds. How far the newest change may be ahead of the clock.
const AHEAD: u64 = 60;
/// 2026-01-01: this program is newer than that, so a correct clock cannot show an earlier time.
const FIRST_DAY: Timestamp = Timestamp::from_micros(1_767_225_600_000_000);

/// Adds findings about the databases of a folder to a diagnosis.
///
/// Writes nothing except the mark of a damaged page, and waits for no lock. Anything unreadable
/// becomes a finding.
pub fn examine(folder: &Path, ws: WorkspaceId, diagnosis: &mut Diagnosis) {
    let mut found = [None, None];
    for (place, db) in found.iter_mut().zip(Db::ALL) {
        *place = database(folder, ws, db, diagnosis);
    }
    if diagnosis.at < FIRST_DAY {
        let action = "set the clock of this machine";
        diagnosis.problem(format!("the clock says {}, which cannot be", diagnosis.at), action);
    }
    mark(folder, diagnosis);
    let [journal, agent] = found;
    if diagnosis.findings.iter().all(|finding| finding.severity == Severity::Note) {
        missing(folder, diagnosis);
    }
    if let (None, None) = (&journal, &agent) {
        return;
    }
    for opened in [&journal, &agent].into_iter().flatten() {
        clock(opened, diagnosis);
    }
    if let Some(journal) = &journal {
        rows_of_journal(journal, diagnosis);
    }
    if let Some(agent) = &agent {
        rows_of_agents(agent, diagnosis);
        work::examine(agent, diagnosis);
        queue(agent, diagnosis);
    }
    if let (Some(journal), Some(agent)) = (&journal, &agent) {
        routing(journal, agent, diagnosis);
        recognised(journal, agent, diagnosis);
        receipts(journal, agent, diagnosis);
    }
}

/// Removes the mark of a damaged page once both files were read completely without damage; sets it
/// if this check finds new damage.
fn mark(folder: &Path, diagnosis: &mut Diagnosis) {
    let damaged = diagnosis.damaged_files.join(" and ");
    let done = match (health::read(folder), damaged.as_str()) {
        (Ok(None), "") => Ok(()),
        (Ok(None), damaged) => {
            let met =
                format!("{damaged} was found damaged by `dormouse doctor` at {}", diagnosis.at);
            health::put(folder, &met)
        }
        (Ok(Some(met)), "") => health::clear(folder).map(|()| {
            diagnosis.note(format!(
                "{met}; now both files were read whole and are well, and Dormouse may start again"
            ));
        }),
        (Ok(Some(met)), _) => {
            let action = "restore the data folder from a backup, then run `dormouse doctor` again";
            diagnosis.problem(format!("{met}; nothing is opened while that is so"), action);
            Ok(())
        }
        (Err(e), _) => Err(e),
    };
    if let Err(e) = done {
        let action = "check the owner and the permissions of the data folder";
        diagnosis.problem(format!("the mark of a damaged page cannot be kept: {e}"), action);
    }
}

fn missing(folder: &Path, diagnosis: &mut Diagnosis) {
    match inspection::missing(folder) {
        Ok(None) => {}
        Ok(Some(db)) => {
            let name = db.name();
            diagnosis.problem(
                format!("{name}.sqlite is missing, and the other database is there"),
                format!(
                    "restore it from a backup of the data folder; `dormouse doctor \
                     --accept-missing {name}` goes on without it, for good"
                ),
            );
        }
        Err(error) => diagnosis.problem(error.to_string(), RESTORE),
    }
}

fn database(folder: &Path, ws: WorkspaceId, db: Db, diagnosis: &mut Diagnosis) -> Option<Open> {
    let name = format!("{}.sqlite", db.name());
    let mut unreadable = |error: OpenError| {
        if matches!(error, OpenError::Damaged { .. }) {
            diagnosis.damaged_files.push(name.clone());
        }
        diagnosis.problem(error.to_string(), RESTORE);
    };
    let inspection = Inspection::open(folder, db).map_err(&mut unreadable).ok()??;
    let facts = inspection.facts().map_err(&mut unreadable).ok()?;
    if !facts.faults.is_empty() {
        diagnosis.damaged_files.push(name);
    }
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
    can_be_read.then_some(Open { inspection, ws, db, host })
}

/// Reports problems of a file as a whole, and returns whether its rows can be queried.
fn judge(db: Db, facts: &Facts, diagnosis: &mut Diagnosis) -> bool {
    let name = db.name();
    for fault in &facts.faults {
        let action = RESTORE;
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
        let action = RESTORE;
        diagnosis.problem(format!("{name}.sqlite has no host id"), action);
    }
    true
}

/// Checks the clock against the newest change, which cannot be in the future.
fn clock(open: &Open, diagnosis: &mut Diagnosis) {
    let newest = open.all(change_log::newest(open.db, open.ws), "newest change", diagnosis);
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
    let mut after = String::new();
    loop {
        let query = journal_rows::after(open.ws, &after, BATCH);
        let rows = open.all(query, "journal", diagnosis);
        let last = rows.iter().rev().find_map(|row| row.as_ref().ok()).map(|row| row.id.clone());
        damaged(rows.into_iter().map(|row| row.and_then(|row| row.check())), diagnosis);
        let Some(last) = last else { break };
        after = last;
    }
    let mut after = String::new();
    loop {
        let links = open.all(linked_entry::after(open.ws, &after, BATCH), "links", diagnosis);
        let Some(last) = links.last().map(|link| link.id.clone()) else { return };
        damaged(links.into_iter().map(|link| link.check()), diagnosis);
        after = last;
    }
}

fn rows_of_agents(open: &Open, diagnosis: &mut Diagnosis) {
    let mut after = String::new();
    loop {
        let query = agent_rows::after(open.ws, &after, BATCH);
        let rows = open.all(query, "entities of agents", diagnosis);
        let last = rows.iter().rev().find_map(|row| row.as_ref().ok()).map(|row| row.id.clone());
        damaged(rows.into_iter().map(|row| row.and_then(|row| row.check())), diagnosis);
        let Some(last) = last else { return };
        after = last;
    }
}

fn queue(open: &Open, diagnosis: &mut Diagnosis) {
    let now = diagnosis.at;
    let waiting = open.all(wake_tally::waiting(open.ws, now), "wake queue", diagnosis);
    let held = open.all(wake_tally::leased(open.ws, now), "wake queue", diagnosis);
    if let (Some(waiting), Some(held)) = (waiting.into_iter().next(), held.into_iter().next()) {
        diagnosis.queue = Some(queue_view(waiting, held));
    }
    for row in open.all(wake_queue::leased(open.ws), "leases", diagnosis) {
        let owner = row.owner.unwrap_or_default();
        let finding = match row.expires_at {
            Some(at) if at > now => format!("{owner} works for agent {} until {at}", row.holder),
            Some(at) => format!(
                "{owner} stopped working for agent {} at {at}: the next start takes over",
                row.holder
            ),
            None => format!("{owner} works for agent {}", row.holder),
        };
        diagnosis.note(finding);
    }
    for saga in
        open.all(saga::by_status(open.ws, saga::OperationStatus::Pending), "operations", diagnosis)
    {
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
    let breakers = open.all(breaker::all(open.ws), "breakers", diagnosis);
    for alert in breakers.into_iter().filter_map(alert) {
        diagnosis.problem(
            format!(
                "the model provider {} has been unavailable since {}; next attempt at {}: {}",
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

/// How far journal changes were routed to agents.
fn routing(journal: &Open, agent: &Open, diagnosis: &mut Diagnosis) {
    // Read the position first: a running server may write and route between the two reads.
    let position = agent.all(feed_position::read(agent.ws), "feed position", diagnosis);
    let head = journal.all(change_log::head(Db::Journal, journal.ws), "journal head", diagnosis);
    let head = head.first().copied().unwrap_or_default();
    let routed = position.first().map_or(Seq(0), |position| position.seq);
    diagnosis.journal_head = Some(head.0);
    diagnosis.routed_upto = Some(routed.0);
    let after = journal.all(
        change_log::count_after(Db::Journal, journal.ws, routed),
        "change rows",
        diagnosis,
    );
    diagnosis.changes_to_route = after.first().copied();
    let Some(Position { host, seq, .. }) = position.into_iter().next() else { return };
    if journal.host.as_deref() != Some(&host.to_string()) || seq > head {
        diagnosis.note(
            "the agents knew another journal, or a newer state of this one: the next start goes on \
             from its end, and every agent looks at its task again",
        );
    }
}

/// Whether each database matches what the other recorded of it, and which agents have not reported
/// since a mismatch.
fn recognised(journal: &Open, agent: &Open, diagnosis: &mut Diagnosis) {
    let known = |open: &Open, diagnosis: &mut Diagnosis| {
        let host = open.host.as_ref()?.parse().ok()?;
        let renewals = open.all(identity::id_changes(open.db), "changes of id", diagnosis);
        let marks = open.all(identity::counter_memories(open.db), "counters", diagnosis);
        Some(Known { host, renewals, marks })
    };
    // Read the recorded position first: a running server may write in between.
    let (of_agent, of_journal) = (known(agent, diagnosis), known(journal, diagnosis));
    let (Some(of_agent), Some(of_journal)) = (of_agent, of_journal) else { return };
    let again = known(agent, diagnosis).unwrap_or_else(|| of_agent.clone());
    let pairs = [(journal, &of_journal, &of_agent), (agent, &again, &of_journal)];
    for (open, own, other) in pairs {
        let name = open.db.name();
        if let Some(lost) = identity::lost(own, other) {
            diagnosis.problem(
                format!(
                    "{name}.sqlite is not what the other database remembers: it ends at {}, {} is \
                     remembered",
                    lost.found, lost.remembered
                ),
                "put the newer file back if there is one; else the next start goes on from here, and \
                 every agent looks at its task again",
            );
        }
        if let Some(last) = own.renewals.last() {
            let why = last.reason.describe();
            diagnosis.note(format!("{name}.sqlite {why}; that was noticed at {}", last.at));
        }
    }
    let outdated = agent.all(outdated::all(agent.ws), "outdated agents", diagnosis);
    for db in Db::ALL {
        let agents: Vec<String> =
            outdated.iter().filter(|one| one.db == db).map(|one| one.agent.to_string()).collect();
        if !agents.is_empty() {
            diagnosis.problem(
                format!(
                    "{} have not reported since {}.sqlite was restored or recreated: {}",
                    if agents.len() == 1 { "1 agent".into() } else { format!("{} agents", agents.len()) },
                    db.name(),
                    named(&agents)
                ),
                "start Dormouse: agents that wake by themselves report again; `dormouse agent wake` wakes the \
                 others",
            );
        }
    }
}

/// Checks that everything marked as applied has a receipt in the journal.
fn receipts(journal: &Open, agent: &Open, diagnosis: &mut Diagnosis) {
    let mut place = (String::new(), -1);
    let mut lost = Vec::new();
    loop {
        let limit = i64::try_from(in_list::MOST).unwrap_or(i64::MAX);
        let query = change_item::confirmed_after(journal.ws, (&place.0, place.1), limit);
        let items = agent.all(query, "confirmed proposals", diagnosis);
        let Some((set, index, _)) = items.last() else { break };
        place = (set.clone(), *index);
        let ids: Vec<String> = items.iter().map(|(_, _, id)| id.clone()).collect();
        let known = receipt::known(Db::Journal, journal.ws, &ids);
        let known: BTreeSet<String> =
            journal.all(known, "receipts", diagnosis).into_iter().collect();
        let unknown = items.into_iter().filter(|(_, _, id)| !known.contains(id));
        lost.extend(unknown.map(|(set, index, _)| format!("{set}:{index}")));
    }
    if lost.is_empty() {
        return;
    }
    let what = format!(
        "{} confirmed and not in the journal: {}",
        if lost.len() == 1 {
            "1 proposal is".into()
        } else {
            format!("{} proposals are", lost.len())
        },
        named(&lost)
    );
    let renewals = journal.all(identity::id_changes(Db::Journal), "changes of id", diagnosis);
    match renewals.last() {
        // Already reported, and nothing to repair.
        Some(last) => {
            diagnosis.note(format!("{what}. The journal {} since", last.reason.describe()))
        }
        None => diagnosis.problem(
            what,
            "the journal is older than they are: put the newer file back if there is one",
        ),
    }
}
