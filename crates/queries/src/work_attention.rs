//! What waits for the person in agent work: questions, runs to look at, and runs that failed.

use std::collections::BTreeMap;

use dormouse_store::agent::work::definition::{self, Definition};
use dormouse_store::agent::work::question;
use dormouse_store::agent::work::run::{self, Run};
use dormouse_store::in_list;
use dormouse_types::work::{RunState, WorkState, WorkStatus};
use dormouse_types::{WorkRunId, WorkspaceId};

use crate::view::{Attention, AttentionAction, AttentionKind, WaitingWork, WorkQuestion};
use crate::work::question_view;
use crate::{Queries, QueryError, page};

/// Before the first page of definitions.
const FIRST: &str = "~";

impl Queries {
    /// A line for each definition whose run waits for the person, or failed and was followed by no other.
    /// The same number of statements for every page of definitions.
    pub(crate) async fn waiting_work(&self, ws: WorkspaceId) -> Result<Vec<Attention>, QueryError> {
        let mut all = Vec::new();
        // What waits for the person counts as paused, as does what the person paused.
        for status in [WorkStatus::Paused, WorkStatus::Failed] {
            let mut before = FIRST.to_owned();
            loop {
                let rows = page::rows_to_read(in_list::MOST);
                let rows = definition::newest_of_status(ws, status, None, &before, rows);
                let rows = self.store.each(rows).await?.into_iter().flatten().collect();
                let rows =
                    page::page_of(rows, in_list::MOST, |row: &Definition| row.id.to_string());
                all.extend(self.waiting_of(ws, rows.items).await?);
                let Some(next) = rows.next_cursor else { break };
                before = next;
            }
        }
        Ok(all)
    }

    async fn waiting_of(
        &self,
        ws: WorkspaceId,
        mut definitions: Vec<Definition>,
    ) -> Result<Vec<Attention>, QueryError> {
        definitions.retain(|one| one.run_state.is_some_and(|state| kind_of(state).is_some()));
        let runs: Vec<WorkRunId> =
            definitions.iter().filter_map(|one| one.latest_run.clone()).collect();
        if runs.is_empty() {
            return Ok(Vec::new());
        }
        let mut questions = BTreeMap::new();
        for open in self.store.each(question::open_of_runs(ws, &runs)).await?.into_iter().flatten()
        {
            questions.insert(open.run.clone(), question_view(open));
        }
        let runs = self.store.each(run::by_ids(ws, &runs)).await?.into_iter().flatten();
        let mut runs: BTreeMap<WorkRunId, Run> = runs.map(|run| (run.id.clone(), run)).collect();
        let lines = definitions.into_iter().filter_map(|of| {
            let run = runs.remove(of.latest_run.as_ref()?)?;
            let question = questions.remove(&run.id);
            line(of, run, question)
        });
        Ok(lines.collect())
    }
}

/// Why a run in this state waits for the person; `None` if it does not. What the person cancelled needs
/// nobody.
pub(crate) fn kind_of(state: RunState) -> Option<AttentionKind> {
    match state {
        RunState::NeedsInput => Some(AttentionKind::WorkQuestion),
        RunState::NeedsReview => Some(AttentionKind::WorkReview),
        RunState::Failed | RunState::TimedOut | RunState::Interrupted | RunState::Expired => {
            Some(AttentionKind::WorkFailed)
        }
        RunState::Queued
        | RunState::Running
        | RunState::Succeeded
        | RunState::NoOp
        | RunState::Cancelled
        | RunState::Skipped => None,
    }
}

/// The line of a run, if it still waits.
fn line(of: Definition, run: Run, question: Option<WorkQuestion>) -> Option<Attention> {
    let kind = kind_of(run.state)?;
    let failed = kind == AttentionKind::WorkFailed;
    // What the person declined, or has put away, they know about.
    if failed && (run.ended_by.is_some() || of.state == WorkState::Archived) {
        return None;
    }
    let (since, actions): (_, &[AttentionAction]) = match kind {
        AttentionKind::WorkQuestion => (
            question.as_ref().map_or(run.updated_at, |question| question.asked_at),
            &[AttentionAction::Answer, AttentionAction::Open],
        ),
        AttentionKind::WorkReview => (
            run.updated_at,
            &[
                AttentionAction::Approve,
                AttentionAction::Decline,
                AttentionAction::Retry,
                AttentionAction::Open,
            ],
        ),
        _ => (
            run.completed_at.unwrap_or(run.updated_at),
            &[AttentionAction::Retry, AttentionAction::Open],
        ),
    };
    let text = match &question {
        Some(question) => question.question.clone(),
        None => run.error.clone().or_else(|| run.summary.clone()).unwrap_or_default(),
    };
    Some(Attention {
        expires_at: question.as_ref().map(|question| question.expires_at),
        text,
        work: Some(WaitingWork {
            id: of.id,
            title: of.title,
            run_id: run.id.clone(),
            run_state: run.state,
            question,
        }),
        ..Attention::new(format!("{}:{}", kind.name(), run.id), kind, since, actions)
    })
}
