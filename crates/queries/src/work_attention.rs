//! What waits for the person in agent work: questions, runs to look at, runs that failed or were left out, and
//! work that may not start any.

use std::collections::BTreeMap;

use dormouse_store::agent::work::definition::{self, Definition};
use dormouse_store::agent::work::question;
use dormouse_store::agent::work::run::{self, Run};
use dormouse_store::in_list;
use dormouse_types::work::{RunState, SkipReason, WorkState};
use dormouse_types::{Id as _, WorkId, WorkRunId, WorkspaceId};

use crate::view::{
    Attention, AttentionAction, AttentionCause, AttentionKind, WaitingWork, WorkQuestion,
};
use crate::work::question_view;
use crate::{Queries, QueryError, page};

impl Queries {
    /// A line for each reason why definitions wait for the person. The same number of statements for every
    /// page of definitions. `damaged` says which definitions and runs cannot be read.
    pub(crate) async fn waiting_work(
        &self,
        ws: WorkspaceId,
        damaged: &mut Vec<String>,
    ) -> Result<Vec<Attention>, QueryError> {
        let (mut all, mut after) = (Vec::new(), String::new());
        loop {
            let rows = definition::in_need(ws, &after, page::rows_to_read(in_list::MOST));
            let lines = self.store.all(definition::lines(rows)).await?;
            let cut = page::page_of(lines, in_list::MOST, |line| line.id.clone());
            let read = page::sound(cut.items.into_iter().map(|line| line.row), damaged);
            all.extend(self.waiting_of(ws, read, damaged).await?);
            let Some(next) = cut.next_cursor else { return Ok(all) };
            after = next;
        }
    }

    /// The lines of the definition that is meant, or of the one whose run is.
    pub(crate) async fn waiting_work_of(
        &self,
        ws: WorkspaceId,
        object: &str,
    ) -> Result<Vec<Attention>, QueryError> {
        let work = match object.parse::<WorkRunId>() {
            Ok(id) => self.store.first(run::by_id(ws, &id)).await?.map(|run| run.work),
            Err(_) => object.parse::<WorkId>().ok(),
        };
        let Some(work) = work else { return Ok(Vec::new()) };
        let found = self.store.first(definition::by_id(ws, &work)).await?;
        let found = found.into_iter().filter(|of| of.deleted_at.is_none()).collect();
        self.waiting_of(ws, found, &mut Vec::new()).await
    }

    async fn waiting_of(
        &self,
        ws: WorkspaceId,
        definitions: Vec<Definition>,
        damaged: &mut Vec<String>,
    ) -> Result<Vec<Attention>, QueryError> {
        if definitions.is_empty() {
            return Ok(Vec::new());
        }
        let works: Vec<WorkId> = definitions.iter().map(|one| one.id.clone()).collect();
        let read = self.store.each(run::waiting_of(ws, &works)).await?;
        let mut waiting: BTreeMap<WorkId, Vec<Run>> = BTreeMap::new();
        for run in page::sound(read, damaged) {
            waiting.entry(run.work.clone()).or_default().push(run);
        }
        let read = self.store.each(run::newest_over_of(ws, &works)).await?;
        let mut over: BTreeMap<WorkId, Run> =
            page::sound(read, damaged).into_iter().map(|run| (run.work.clone(), run)).collect();
        let mut missed: BTreeMap<WorkId, Run> = BTreeMap::new();
        let left_out = definitions.iter().filter(|one| one.run_state == Some(RunState::Skipped));
        let left_out: Vec<WorkRunId> = left_out.filter_map(|one| one.latest_run.clone()).collect();
        if !left_out.is_empty() {
            let read = self.store.each(run::by_ids(ws, &left_out)).await?;
            missed
                .extend(page::sound(read, damaged).into_iter().map(|run| (run.work.clone(), run)));
        }
        let mut questions = self.open_questions(ws, waiting.values().flatten()).await?;
        let mut all = Vec::new();
        for of in definitions {
            let waiting = waiting.remove(&of.id).into_iter().flatten();
            let ended = over.remove(&of.id).into_iter().chain(missed.remove(&of.id));
            // Work that starts nothing says so in place of how its last run ended.
            let is_stopped = matches!(of.state, WorkState::Held | WorkState::Disabled);
            for run in waiting.chain(ended.filter(|_| !is_stopped)) {
                let question = questions.remove(&run.id);
                all.extend(line(&of, Some(run), question));
            }
            if is_stopped {
                all.extend(line(&of, None, None));
            }
        }
        Ok(all)
    }

    async fn open_questions(
        &self,
        ws: WorkspaceId,
        runs: impl Iterator<Item = &Run>,
    ) -> Result<BTreeMap<WorkRunId, WorkQuestion>, QueryError> {
        let runs: Vec<WorkRunId> = runs
            .filter(|run| run.state == RunState::NeedsInput)
            .map(|run| run.id.clone())
            .collect();
        let mut questions = BTreeMap::new();
        for runs in runs.chunks(in_list::MOST) {
            let open = self.store.each(question::open_of_runs(ws, runs)).await?;
            questions.extend(
                open.into_iter().flatten().map(|open| (open.run.clone(), question_view(open))),
            );
        }
        Ok(questions)
    }
}

/// Why a definition waits for the person, by one of its runs or by itself; `None` if it does not. A run that
/// waits is worth more than the reason why no further one starts, and that more than how the last one ended.
/// What the person cancelled, declined or has put away needs nobody.
pub(crate) fn cause_of(of: &Definition, run: Option<&Run>) -> Option<AttentionCause> {
    let is_known = of.state == WorkState::Archived || run.is_some_and(|run| run.ended_by.is_some());
    let of_run = run.and_then(|run| {
        let (error, summary) = (run.error.clone(), run.summary.clone());
        match run.state {
            RunState::NeedsInput => Some(AttentionCause::WorkQuestion),
            RunState::NeedsReview => Some(AttentionCause::WorkReview { error, summary }),
            RunState::Failed | RunState::TimedOut | RunState::Expired if !is_known => {
                Some(AttentionCause::WorkFailed { error, summary })
            }
            RunState::Interrupted if !is_known => {
                Some(AttentionCause::WorkInterrupted { error, summary })
            }
            RunState::Skipped if !is_known && run.skip_reason == Some(SkipReason::Missed) => {
                Some(AttentionCause::WorkMissed)
            }
            RunState::Failed
            | RunState::TimedOut
            | RunState::Expired
            | RunState::Interrupted
            | RunState::Skipped
            | RunState::Queued
            | RunState::Running
            | RunState::Succeeded
            | RunState::NoOp
            | RunState::Cancelled => None,
        }
    });
    let of_work = match of.state {
        WorkState::Held => Some(AttentionCause::WorkHeld),
        WorkState::Disabled => Some(AttentionCause::WorkBroken),
        WorkState::Active | WorkState::Paused | WorkState::Archived => None,
    };
    let is_open = run.is_some_and(|run| run.state.waits_for_the_person());
    if is_open { of_run } else { of_work.or(of_run) }
}

/// The line of a definition and one of its runs, if it waits.
fn line(of: &Definition, run: Option<Run>, question: Option<WorkQuestion>) -> Option<Attention> {
    let cause = cause_of(of, run.as_ref())?;
    let kind = cause.kind();
    // What a definition waits for has its own id, so that it is another entry than its last run.
    let run = run.filter(|_| !matches!(kind, AttentionKind::WorkHeld | AttentionKind::WorkBroken));
    let (since, actions): (_, &[AttentionAction]) = match (kind, &run) {
        (AttentionKind::WorkQuestion, Some(run)) => (
            question.as_ref().map_or(run.updated_at, |question| question.asked_at),
            &[AttentionAction::Answer, AttentionAction::Open],
        ),
        (AttentionKind::WorkReview, Some(run)) => (
            run.updated_at,
            &[
                AttentionAction::Approve,
                AttentionAction::Decline,
                AttentionAction::Retry,
                AttentionAction::Open,
            ],
        ),
        (AttentionKind::WorkMissed, Some(run)) => (run.created_at, &[AttentionAction::Open]),
        (_, Some(run)) => (
            run.completed_at.unwrap_or(run.updated_at),
            &[AttentionAction::Retry, AttentionAction::Open],
        ),
        (AttentionKind::WorkHeld, None) => {
            (of.updated_at, &[AttentionAction::Resume, AttentionAction::Open])
        }
        (_, None) => (of.updated_at, &[AttentionAction::Open]),
    };
    let object = run.as_ref().map_or(of.id.as_str(), |run| run.id.as_str()).to_owned();
    Some(Attention {
        expires_at: question.as_ref().map(|question| question.expires_at),
        work: Some(WaitingWork {
            id: of.id.clone(),
            title: of.title.clone(),
            run_id: run.as_ref().map(|run| run.id.clone()),
            run: run.as_ref().map(|run| run.n),
            run_state: run.as_ref().map(|run| run.state),
            question,
        }),
        ..Attention::new(format!("{kind}:{object}"), cause, since, actions)
    })
}
