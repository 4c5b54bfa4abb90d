//! A step of a session: its row as it was read, the lines that are added, what is written besides.

use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::agent::evolution::{Message, Proposal, Session};
use dormouse_store::{ChangeRow, Op};
use dormouse_types::closed_list::Listed;
use dormouse_types::evolution::{EvolutionRole, EvolutionStatus};
use dormouse_types::{
    EventKind, EvolutionMessageId, EvolutionSessionId, Id as _, Origin, RunKey, Timestamp,
    WorkspaceId,
};

use crate::Agents;

/// A step of a session: its row, and what is written besides.
pub(super) struct Step {
    pub(super) session: Stored<Session>,
    pub(super) now: Timestamp,
    pub(super) ops: Vec<Op>,
}

impl Step {
    pub(super) fn of(session: Stored<Session>, now: Timestamp) -> Self {
        Self { session, now, ops: Vec::new() }
    }

    pub(super) fn value(&mut self) -> &mut Session {
        &mut self.session.doc.value
    }

    /// Adds a line.
    pub(super) fn add(
        &mut self,
        agents: &Agents,
        ws: WorkspaceId,
        role: EvolutionRole,
        text: &str,
        more: Line<'_>,
    ) {
        let now = self.now;
        let session = self.value();
        session.n_messages += 1;
        let message = Message {
            id: EvolutionMessageId::fresh(now, &*agents.entropy),
            session: session.id.clone(),
            n: session.n_messages,
            role: Listed::Known(role),
            text: text.to_owned(),
            proposal: more.proposal.cloned(),
            verdict_on: more.verdict_on,
            run: more.run.cloned(),
            created_at: now,
        };
        self.ops.push(entity::insert(ws, &message));
    }

    /// Ends the session.
    pub(super) fn end(&mut self, status: EvolutionStatus) {
        let now = self.now;
        let session = self.value();
        session.status = Listed::Known(status);
        session.proposal = None;
        session.answered = session.n_requested;
        session.ended_at = Some(now);
    }

    /// The writes; the row of the session comes first, so a step on an outdated one writes nothing.
    pub(super) fn into_ops(mut self, ws: WorkspaceId) -> Vec<Op> {
        self.value().updated_at = self.now;
        let mut ops = vec![entity::replace(ws, &self.session)];
        ops.extend(self.ops);
        ops
    }
}

/// What a line holds besides its text.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Line<'a> {
    pub(super) proposal: Option<&'a Proposal>,
    pub(super) verdict_on: Option<i64>,
    pub(super) run: Option<&'a RunKey>,
}

/// The change row that says that a session moved.
pub(super) fn moved(id: &EvolutionSessionId) -> ChangeRow {
    let origin = Origin::Person { via: None };
    ChangeRow::agent(origin, EventKind::EvolutionChanged, None, id.as_str())
}
