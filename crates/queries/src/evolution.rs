//! Sessions about templates: the one that goes on, one by its id, the history.

use dormouse_store::agent::entity::{self, Line};
use dormouse_store::agent::evolution::{Message, Proposal, Session};
use dormouse_types::{EvolutionSessionId, TemplateId, WorkspaceId};

use crate::view::{EvolutionDetail, EvolutionMessage, EvolutionProposal, EvolutionSession, Page};
use crate::{Queries, QueryError, page};

impl Queries {
    /// A session of a template with its lines; without an id the one that goes on.
    pub async fn evolution(
        &self,
        ws: WorkspaceId,
        template: &TemplateId,
        session: Option<&EvolutionSessionId>,
    ) -> Result<EvolutionDetail, QueryError> {
        self.agents.template(ws, template).await?;
        let found = match session {
            Some(id) => self.agents.evolution_session(ws, template, id).await?,
            None => self.agents.evolution(ws, template).await?,
        };
        let session = found.doc.value;
        let messages = self.agents.evolution_messages(ws, &session.id).await?;
        let messages = messages.into_iter().map(message).collect();
        Ok(EvolutionDetail { session: view(session), messages })
    }

    /// A page of the sessions of a template, newest first.
    pub async fn evolution_sessions(
        &self,
        ws: WorkspaceId,
        template: &TemplateId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<EvolutionSession>, QueryError> {
        self.agents.template(ws, template).await?;
        let (at, last) = page::cursor_or_start(cursor, (page::LATEST, "~"))?;
        let after = (at, last.as_str());
        let rows = page::rows_to_read(limit);
        let lines = entity::page_of_agent::<Session>(ws, template, after, rows);
        let lines: Vec<Line<Session>> = self.store.all(entity::lines(lines)).await?;
        let read = page::page_of(lines, limit, |line| page::cursor_of(line.created_at, &line.id));
        let Page { items: lines, next_cursor, mut damaged } = read;
        let mut items = Vec::new();
        for line in lines {
            match line.row {
                Ok(row) => items.push(view(row.doc.value)),
                Err(error) => damaged.push(error.to_string()),
            }
        }
        Ok(Page { items, next_cursor, damaged })
    }
}

fn view(session: Session) -> EvolutionSession {
    EvolutionSession {
        is_answering: session.is_active() && session.answered < session.n_requested,
        id: session.id,
        template_id: session.agent_id,
        n: session.n,
        status: session.status,
        base_version: session.base_version,
        n_messages: session.n_messages,
        n_proposals: session.n_proposals,
        proposal: session.proposal.map(proposal),
        new_version: session.new_version,
        started_by: session.started_by,
        created_at: session.created_at,
        updated_at: session.updated_at,
        ended_at: session.ended_at,
    }
}

fn proposal(proposal: Proposal) -> EvolutionProposal {
    EvolutionProposal {
        n: proposal.n,
        general_directive: proposal.general_directive,
        report_directive: proposal.report_directive,
        rationale: proposal.rationale,
        base_version: proposal.base_version,
        created_at: proposal.created_at,
    }
}

fn message(message: Message) -> EvolutionMessage {
    EvolutionMessage {
        id: message.id,
        n: message.n,
        role: message.role,
        text: message.text,
        proposal: message.proposal.map(proposal),
        verdict_on: message.verdict_on,
        run_key: message.run,
        created_at: message.created_at,
    }
}
