//! Agent work: its list, one definition, its runs, its log. A page costs the same number of statements
//! whatever is on it.

use std::collections::BTreeMap;

use dormouse_runs::{LoggedTurn, run_log};
use dormouse_store::agent::wake_run;
use dormouse_store::agent::work::definition::{self, Definition};
use dormouse_store::agent::work::question::{self, Question};
use dormouse_store::agent::work::run::{self, Run};
use dormouse_store::agent::work::version;
use dormouse_types::work::{WorkStatus, WorkType};
use dormouse_types::{QuestionId, RunKey, WorkId, WorkRunId, WorkspaceId};

use crate::view::{
    AgentWork, AgentWorkDetail, LogLineKind, Page, WorkLogLine, WorkQuestion, WorkRun,
};
use crate::{Queries, QueryError, page};

/// The newest runs that come with a definition.
const NEWEST_RUNS: usize = 10;
/// The most runs whose log is on one page.
const MOST_RUNS_OF_LOG: usize = 20;

/// Which definitions a list shows. `None` shows all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkFilter {
    /// Only those of this public status.
    pub status: Option<WorkStatus>,
    /// Only those of this type.
    pub kind: Option<WorkType>,
}

impl Queries {
    /// A page of definitions, newest first.
    pub async fn work_list(
        &self,
        ws: WorkspaceId,
        filter: WorkFilter,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<AgentWork>, QueryError> {
        let before = match cursor {
            None => "~",
            Some(cursor) => {
                cursor.parse::<WorkId>().map_err(|_| page::foreign_cursor(cursor))?;
                cursor
            }
        };
        let n_rows = page::rows_to_read(limit);
        let rows = match filter.status {
            None => definition::newest(ws, filter.kind, before, n_rows),
            Some(status) => definition::newest_of_status(ws, status, filter.kind, before, n_rows),
        };
        let rows = page::page_of(self.store.all(rows).await?, limit, |row| row.id.to_string());
        let items = self.work_views(ws, rows.items).await?;
        Ok(Page { items, next_cursor: rows.next_cursor, damaged: rows.damaged })
    }

    /// A definition.
    pub async fn work(&self, ws: WorkspaceId, id: &WorkId) -> Result<AgentWork, QueryError> {
        let found = self.store.first(definition::by_id(ws, id)).await?;
        let found = found.filter(|found| found.deleted_at.is_none());
        let found = found.ok_or_else(|| missing("agent work", id))?;
        let mut views = self.work_views(ws, vec![found]).await?;
        views.pop().ok_or_else(|| missing("agent work", id))
    }

    /// A definition with its newest runs and its open questions.
    pub async fn work_detail(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
    ) -> Result<AgentWorkDetail, QueryError> {
        let task = self.work(ws, id).await?;
        let runs = self.work_runs(ws, id, NEWEST_RUNS, None).await?.items;
        let questions = self.store.all(question::open_of_work(ws, id)).await?;
        let questions = questions.into_iter().map(question_view).collect();
        Ok(AgentWorkDetail { task, runs, questions })
    }

    /// A run.
    pub async fn work_run(&self, ws: WorkspaceId, id: &WorkRunId) -> Result<WorkRun, QueryError> {
        let found = self.store.first(run::by_id(ws, id)).await?;
        Ok(run_view(found.ok_or_else(|| missing("run", id))?))
    }

    /// A page of the runs of a definition, newest first.
    pub async fn work_runs(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<WorkRun>, QueryError> {
        let before = match cursor {
            None => i64::MAX,
            Some(cursor) => cursor.parse().map_err(|_| page::foreign_cursor(cursor))?,
        };
        let rows = run::of_definition(ws, id, before, page::rows_to_read(limit));
        let rows = page::page_of(self.store.all(rows).await?, limit, |run| run.n.to_string());
        let items = rows.items.into_iter().map(run_view).collect();
        Ok(Page { items, next_cursor: rows.next_cursor, damaged: rows.damaged })
    }

    /// A question of a run.
    pub async fn work_question(
        &self,
        ws: WorkspaceId,
        id: &QuestionId,
    ) -> Result<WorkQuestion, QueryError> {
        let found = self.store.first(question::by_id(ws, id)).await?;
        Ok(question_view(found.ok_or_else(|| missing("question", id))?))
    }

    /// The questions of a run, oldest first.
    pub async fn work_questions(
        &self,
        ws: WorkspaceId,
        run: &WorkRunId,
    ) -> Result<Vec<WorkQuestion>, QueryError> {
        let found = self.store.all(question::of_run(ws, run)).await?;
        Ok(found.into_iter().map(question_view).collect())
    }

    /// A page of the log of a definition, oldest run first: all lines of at most `limit` runs. It is
    /// rendered from rows, so every node gives the same.
    pub async fn work_log(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<WorkLogLine>, QueryError> {
        let from = match cursor {
            None => 1,
            Some(cursor) => cursor.parse().map_err(|_| page::foreign_cursor(cursor))?,
        };
        let limit = limit.clamp(1, MOST_RUNS_OF_LOG);
        let mut runs =
            self.store.all(run::from_number(ws, id, from, page::rows_to_read(limit))).await?;
        let next_cursor = runs.get(limit).map(|next| next.n.to_string());
        runs.truncate(limit);
        let (mut items, mut damaged) = (Vec::new(), Vec::new());
        for run in runs {
            match self.work_run_log(ws, run).await {
                Ok(lines) => items.extend(lines),
                Err(QueryError::Read(error @ dormouse_store::ReadError::Corrupt { .. })) => {
                    damaged.push(error.to_string());
                }
                Err(other) => return Err(other),
            }
        }
        Ok(Page { items, next_cursor, damaged })
    }

    async fn work_run_log(
        &self,
        ws: WorkspaceId,
        run: Run,
    ) -> Result<Vec<WorkLogLine>, QueryError> {
        let mut attempts = Vec::new();
        for key in self.store.all(run::attempts(ws, &run.id)).await? {
            attempts.extend(self.store.first(wake_run::by_key(ws, &key)).await?);
        }
        attempts.sort_by_key(|attempt| attempt.created_at);
        let mut turns = Vec::new();
        for attempt in attempts {
            let (logged, _) = run_log::read(&self.store, ws, &attempt).await?;
            turns.push((attempt.key, logged));
        }
        Ok(log_lines(&run, turns))
    }

    /// Definitions as they are shown.
    async fn work_views(
        &self,
        ws: WorkspaceId,
        definitions: Vec<Definition>,
    ) -> Result<Vec<AgentWork>, QueryError> {
        let ids: Vec<WorkId> = definitions.iter().map(|one| one.id.clone()).collect();
        let runs: Vec<WorkRunId> =
            definitions.iter().filter_map(|one| one.latest_run.clone()).collect();
        let newest = self.store.all(version::newest_of(ws, &ids)).await?;
        let mut instructions: BTreeMap<WorkId, String> = newest.into_iter().collect();
        let runs = self.store.all(run::by_ids(ws, &runs)).await?;
        let runs: BTreeMap<WorkRunId, Run> =
            runs.into_iter().map(|run| (run.id.clone(), run)).collect();
        let views = definitions.into_iter().map(|one| {
            let run = one.latest_run.as_ref().and_then(|id| runs.get(id));
            let instructions = instructions.remove(&one.id).unwrap_or_default();
            view_of(one, instructions, run)
        });
        Ok(views.collect())
    }
}

fn missing(what: &'static str, id: &impl ToString) -> QueryError {
    QueryError::NotFound { what, id: id.to_string() }
}

fn view_of(of: Definition, instructions: String, run: Option<&Run>) -> AgentWork {
    AgentWork {
        occurrence_date: run.and_then(occurrence_date),
        scheduled_for: run.and_then(|run| run.scheduled_for).or(of.next_due_at),
        started_at: run.and_then(|run| run.started_at),
        completed_at: run.and_then(|run| run.completed_at),
        log_path: format!("tasks/logs/{}.jsonl", of.id),
        kind: of.kind,
        source_type: of.source,
        source_ref: of.source_ref,
        title: of.title,
        instructions,
        version: of.version,
        status: of.status,
        run_state: of.run_state,
        state: of.state,
        session_id: of.session,
        recurrence_id: of.recurrence,
        schedule: of.schedule_words,
        next_due_at: of.next_due_at,
        catch_up: of.catch_up,
        overlap: of.overlap,
        model: of.model,
        created_by: of.created_by,
        created: of.created_at,
        latest_run: of.latest_run,
        id: of.id,
    }
}

/// The original start of what a run is the occurrence of; a request is none.
fn occurrence_date(run: &Run) -> Option<String> {
    run.scheduled_for.map(|_| run.occurrence.original_start.clone())
}

fn run_view(run: Run) -> WorkRun {
    WorkRun {
        occurrence_date: occurrence_date(&run),
        id: run.id,
        task_id: run.work,
        n: run.n,
        version: run.version,
        run_state: run.state,
        skip_reason: run.skip_reason,
        scheduled_for: run.scheduled_for,
        outcome: run.outcome,
        summary: run.summary,
        result_title: run.result_title,
        result: run.result,
        error: run.error,
        ended_by: run.ended_by,
        created: run.created_at,
        started_at: run.started_at,
        completed_at: run.completed_at,
    }
}

fn question_view(question: Question) -> WorkQuestion {
    WorkQuestion {
        is_open: question.closed_at.is_none(),
        id: question.id,
        run_id: question.run,
        question: question.question,
        options: question.options,
        answer: question.answer,
        asked_at: question.asked_at,
        expires_at: question.expires_at,
    }
}

/// The lines of a run: that it began, what was said, called and answered, and how it ended.
fn log_lines(run: &Run, attempts: Vec<(RunKey, Vec<LoggedTurn>)>) -> Vec<WorkLogLine> {
    let line = |kind| WorkLogLine {
        task_id: run.work.clone(),
        run_id: run.id.clone(),
        run: run.n,
        run_key: None,
        kind,
        at: None,
        text: None,
        tool: None,
        arguments: None,
        refused: None,
        run_state: None,
    };
    let mut lines = vec![WorkLogLine {
        at: Some(run.started_at.or(run.scheduled_for).unwrap_or(run.created_at)),
        ..line(LogLineKind::Run)
    }];
    for (key, turns) in attempts {
        for turn in turns {
            let of_attempt = |kind| WorkLogLine { run_key: Some(key.clone()), ..line(kind) };
            if !turn.text.trim().is_empty() {
                lines.push(WorkLogLine { text: Some(turn.text), ..of_attempt(LogLineKind::Said) });
            }
            for (call, result) in turn.calls.into_iter().zip(turn.results) {
                let tool = Some(call.name);
                lines.push(WorkLogLine {
                    tool: tool.clone(),
                    arguments: Some(call.args),
                    ..of_attempt(LogLineKind::Call)
                });
                lines.extend(result.map(|result| WorkLogLine {
                    tool,
                    text: Some(result.text),
                    refused: Some(result.refused),
                    ..of_attempt(LogLineKind::Result)
                }));
            }
        }
    }
    if !run.state.holds_its_place() {
        let why = run.skip_reason.map(|why| why.name().to_owned());
        lines.push(WorkLogLine {
            at: Some(run.completed_at.unwrap_or(run.updated_at)),
            text: run.error.clone().or_else(|| run.summary.clone()).or(why),
            run_state: Some(run.state),
            ..line(LogLineKind::End)
        });
    }
    lines
}
