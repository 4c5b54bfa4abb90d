//! What was due and did not run, because nothing runs by a schedule without a server; and what is
//! held since the data was restored.

use std::time::Duration;

use dormouse::view::AgentWork;
use dormouse_types::work::WorkState;
use dormouse_types::{Id as _, Timestamp};

use super::name::named;
use crate::failure::Failure;
use crate::find;
use crate::session::Session;
use crate::terminal::{note, time};

/// How late something is that other processes may still start: they share the database.
const LATE: Duration = Duration::from_secs(dormouse_types::limits::WORK_LATE_SECONDS);

/// Says on standard error what was due, and what is held.
///
/// Errors: agent work cannot be read.
pub async fn tell(session: &Session) -> Result<(), Failure> {
    if !session.is_without_server() {
        return Ok(());
    }
    let late = if session.is_alone() { Duration::ZERO } else { LATE };
    let all = find::all_work(session).await?;
    let (mut due, n_held) = (Vec::new(), all.iter().filter(|one| is_held(one)).count());
    for work in all {
        if let Some(at) = work.next_due_at.filter(|at| *at + late <= session.began()) {
            due.push((at, work));
        }
    }
    due.sort_by_key(|(at, _)| *at);
    for (at, work) in &due {
        note(&was_due(session, *at, work));
    }
    if !due.is_empty() {
        let serve = session.command("serve");
        note(&format!("only a server runs agent work by its schedule: {serve}"));
    }
    if n_held > 0 {
        let (what, lets) = match n_held {
            1 => ("1 piece of agent work is", "it"),
            _ => (&*format!("{n_held} pieces of agent work are"), "them"),
        };
        let (list, resume) = (session.command("work list"), session.command("work resume --held"));
        note(&format!("{what} held since the data was restored: {list}; let {lets} run: {resume}"));
    }
    Ok(())
}

fn was_due(session: &Session, at: Timestamp, work: &AgentWork) -> String {
    let (at, run) = (time::minute(at, &session.zone), format!("work run {}", work.id.short()));
    format!("was due at {at}: {}; run it now: {}", named(work), session.command(&run))
}

/// Whether it is held since the data was restored.
pub fn is_held(work: &AgentWork) -> bool {
    work.state == WorkState::Held
}
