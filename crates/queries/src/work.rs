//! Agent work: its list, one definition, its runs. A page costs the same number of statements
//! whatever is on it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use dormouse_store::agent::work::definition::{self, Definition};
use dormouse_store::agent::work::filter;
use dormouse_store::agent::work::question::{self, Question};
use dormouse_store::agent::work::run::{self, Run};
use dormouse_store::agent::work::step;
use dormouse_store::agent::work::version;
use dormouse_store::{Db, Query, ReadError, in_list};
use dormouse_types::work::{WorkStatus, WorkType};
use dormouse_types::work_filter::EventFilter;
use dormouse_types::work_outcome::Figure;
use dormouse_types::work_step::{WorkRunStep, WorkStep};
use dormouse_types::{HolderId, Id as _, Timestamp, WorkId, WorkRunId, WorkspaceId};
use dormouse_work::lifecycle::possible_actions;
use dormouse_work::run_start::started_by;
use dormouse_work::series_text::suspended_until;
use dormouse_work::snapshot::Written;
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::view::{AgentWork, AgentWorkDetail, Page, WorkQuestion, WorkRun};
use crate::{Queries, QueryError, page};

/// The newest runs that come with a definition.
const NEWEST_RUNS: usize = 10;

/// Which definitions a list shows. `None` shows all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct WorkFilter {
    /// Only those of this public status.
    pub status: Option<WorkStatus>,
    /// Only those of this type.
    pub kind: Option<WorkType>,
}

/// The days of which a list shows the runs, in the zone of the workspace; both are included. `None` is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct RunDays {
    /// The first day.
    pub from: Option<Date>,
    /// The last day.
    pub to: Option<Date>,
}

impl RunDays {
    /// From when and before when.
    fn times(self, zone: &TimeZone) -> [Timestamp; 2] {
        let begins = |day: Date| {
            let begins = day.to_zoned(zone.clone()).ok();
            begins.map(|begins| Timestamp::from_jiff(begins.timestamp()))
        };
        let from = self.from.and_then(begins);
        let after = self.to.and_then(|day| day.tomorrow().ok()).and_then(begins);
        let [first, last] = [i64::MIN, i64::MAX].map(Timestamp::from_micros);
        [from.unwrap_or(first), after.unwrap_or(last)]
    }
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
        self.work_page(ws, rows, limit).await
    }

    /// The page of the rows of a list; one damaged row hides no other.
    pub(crate) async fn work_page(
        &self,
        ws: WorkspaceId,
        rows: Query<Definition>,
        limit: usize,
    ) -> Result<Page<AgentWork>, QueryError> {
        let lines = self.store.all(definition::lines(rows)).await?;
        let cut = page::page_of(lines, limit, |line| line.id.clone());
        let mut damaged = Vec::new();
        let read = page::sound(cut.items.into_iter().map(|line| line.row), &mut damaged);
        let items = self.work_views(ws, read, &mut damaged).await?;
        Ok(Page { items, next_cursor: cut.next_cursor, damaged })
    }

    /// A definition.
    pub async fn work(&self, ws: WorkspaceId, id: &WorkId) -> Result<AgentWork, QueryError> {
        let found = self.store.first(definition::by_id(ws, id)).await?;
        let found = found.filter(|found| found.deleted_at.is_none());
        self.work_as_read(ws, found.ok_or_else(|| missing("agent work", id))?).await
    }

    /// A definition as a commit left it; neither it nor its run is read again.
    pub async fn work_as_written(
        &self,
        ws: WorkspaceId,
        written: Written,
    ) -> Result<AgentWork, QueryError> {
        let Written { definition, latest } = written;
        let (id, number) = (definition.id.clone(), definition.version);
        let version = self.store.first(version::by_number(ws, &id, number)).await?;
        let instructions = version.map(|version| Ok((version.work, version.instructions)));
        let runs = latest.map(|run| (run.id.clone(), run));
        let of = (vec![definition], Parts::of(instructions));
        let mut views = self.views_with(ws, of, &runs.into_iter().collect()).await?;
        views.pop().ok_or_else(|| missing("agent work", &id))?
    }

    /// A definition that was read, with its run.
    ///
    /// Errors: a part of it cannot be read.
    pub async fn work_as_read(
        &self,
        ws: WorkspaceId,
        read: Definition,
    ) -> Result<AgentWork, QueryError> {
        let id = read.id.clone();
        // The newest run is shown by itself; where it cannot be read, its log says so.
        let mut views = self.each_view(ws, vec![read], &mut Vec::new()).await?;
        views.pop().ok_or_else(|| missing("agent work", &id))?
    }

    /// A run as a commit left it; its row is not read again.
    pub async fn work_run_as_written(
        &self,
        ws: WorkspaceId,
        run: Run,
    ) -> Result<WorkRun, QueryError> {
        let steps = self.store.all(step::of_run(ws, &run.id)).await?;
        run_view(run, steps)
    }

    /// A definition with its newest runs, its open questions, and the end of its log.
    pub async fn work_detail(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
    ) -> Result<AgentWorkDetail, QueryError> {
        let task = self.work(ws, id).await?;
        let runs = self.work_runs(ws, id, RunDays::default(), NEWEST_RUNS, None).await?.items;
        let questions = self.store.each(question::open_of_work(ws, id)).await?;
        let questions = questions.into_iter().flatten().map(question_view).collect();
        let latest = runs.iter().find(|run| Some(&run.id) == task.latest_run.as_ref());
        let n = match (latest, &task.latest_run) {
            (Some(run), _) => Some(run.n),
            (None, Some(id)) => {
                let found = self.store.each(run::by_id(ws, id)).await?;
                found.into_iter().flatten().next().map(|run| run.n)
            }
            (None, None) => None,
        };
        let (log, is_log_whole) = match n {
            Some(n) => self.recent_log(ws, id, n).await?,
            None => (Vec::new(), true),
        };
        let log_cursor = n.map(|n| n.to_string());
        Ok(AgentWorkDetail { task, runs, questions, log, log_cursor, is_log_whole })
    }

    /// A run.
    pub async fn work_run(&self, ws: WorkspaceId, id: &WorkRunId) -> Result<WorkRun, QueryError> {
        let found = self.store.first(run::by_id(ws, id)).await?;
        self.work_run_as_written(ws, found.ok_or_else(|| missing("run", id))?).await
    }

    /// The definitions of some runs, apart from what cannot be read.
    pub(crate) async fn work_of_runs(
        &self,
        ws: WorkspaceId,
        runs: &[WorkRunId],
    ) -> Result<HashMap<HolderId, Definition>, QueryError> {
        let mut found = HashMap::new();
        for runs in runs.chunks(in_list::MOST) {
            let runs = self.store.each(run::by_ids(ws, runs)).await?;
            let runs: Vec<Run> = runs.into_iter().flatten().collect();
            let ids: BTreeSet<WorkId> = runs.iter().map(|run| run.work.clone()).collect();
            let ids: Vec<WorkId> = ids.into_iter().collect();
            let all = self.store.each(definition::by_ids(ws, &ids)).await?;
            let all: Vec<Definition> = all.into_iter().flatten().collect();
            for run in runs {
                let of = all.iter().find(|one| one.id == run.work);
                found.extend(of.map(|one| (HolderId::from(&run.id), one.clone())));
            }
        }
        Ok(found)
    }

    /// A page of the runs of a definition, newest first.
    pub async fn work_runs(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        days: RunDays,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<WorkRun>, QueryError> {
        let before = match cursor {
            None => i64::MAX,
            Some(cursor) => cursor.parse().map_err(|_| page::foreign_cursor(cursor))?,
        };
        let n_rows = page::rows_to_read(limit);
        let rows = match days {
            RunDays { from: None, to: None } => run::of_definition(ws, id, before, n_rows),
            days => {
                let times = days.times(&self.zone.get());
                run::of_definition_between(ws, id, times, before, n_rows)
            }
        };
        let lines = self.store.all(run::lines(rows)).await?;
        let cut = page::page_of(lines, limit, |line| line.n.to_string());
        let mut damaged = Vec::new();
        let read = page::sound(cut.items.into_iter().map(|line| line.row), &mut damaged);
        let ids: Vec<WorkRunId> = read.iter().map(|run| run.id.clone()).collect();
        let mut steps: BTreeMap<WorkRunId, Vec<WorkRunStep>> = BTreeMap::new();
        let each_step = self.store.each(step::of_runs(ws, &ids)).await?;
        for (run, step) in page::sound(each_step, &mut damaged) {
            steps.entry(run).or_default().push(step);
        }
        let views: Vec<_> = read
            .into_iter()
            .map(|run| {
                let steps = steps.remove(&run.id).unwrap_or_default();
                run_view(run, steps)
            })
            .collect();
        let items = page::sound(views, &mut damaged);
        Ok(Page { items, next_cursor: cut.next_cursor, damaged })
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

    /// Definitions as they are shown. One whose newest run is damaged is shown without it, one with another
    /// part that cannot be read is left out, and `damaged` says so.
    pub(crate) async fn work_views(
        &self,
        ws: WorkspaceId,
        definitions: Vec<Definition>,
        damaged: &mut Vec<String>,
    ) -> Result<Vec<AgentWork>, QueryError> {
        let views = self.each_view(ws, definitions, damaged).await?;
        Ok(page::sound(views, damaged))
    }

    /// The same, each by itself, in the same order.
    async fn each_view(
        &self,
        ws: WorkspaceId,
        definitions: Vec<Definition>,
        damaged: &mut Vec<String>,
    ) -> Result<Vec<Result<AgentWork, QueryError>>, QueryError> {
        let ids: Vec<WorkId> = definitions.iter().map(|one| one.id.clone()).collect();
        let runs: Vec<WorkRunId> =
            definitions.iter().filter_map(|one| one.latest_run.clone()).collect();
        let newest = Parts::of(self.store.each(version::newest_of(ws, &ids)).await?);
        let runs = page::sound(self.store.each(run::by_ids(ws, &runs)).await?, damaged);
        let runs = runs.into_iter().map(|run| (run.id.clone(), run)).collect();
        self.views_with(ws, (definitions, newest), &runs).await
    }

    /// Definitions as they are shown, with their instructions and those of their runs that are known.
    async fn views_with(
        &self,
        ws: WorkspaceId,
        (definitions, mut instructions): (Vec<Definition>, Parts<String>),
        runs: &BTreeMap<WorkRunId, Run>,
    ) -> Result<Vec<Result<AgentWork, QueryError>>, QueryError> {
        let ids: Vec<WorkId> = definitions.iter().map(|one| one.id.clone()).collect();
        let filters = self.store.each(filter::of_definitions(ws, &ids)).await?;
        let filters = filters.into_iter().map(|row| row.map(|one| (one.work, one.filters)));
        let mut events = Parts::of(filters);
        let mut steps = Parts::of(self.store.each(step::of_definitions(ws, &ids)).await?);
        let view = |one: Definition| {
            let run = one.latest_run.as_ref().and_then(|id| runs.get(id));
            let instructions = instructions.take(&one.id)?;
            let rest = (events.take(&one.id)?, steps.take(&one.id)?);
            view_of(one, instructions, rest, run, self.clock.now())
        };
        Ok(definitions.into_iter().map(view).collect())
    }
}

/// A part of each of some definitions, by their ids; of one that cannot be read, why.
struct Parts<T>(BTreeMap<String, Result<T, ReadError>>);

impl<T: Default> Parts<T> {
    fn of(rows: impl IntoIterator<Item = Result<(WorkId, T), ReadError>>) -> Self {
        let keyed = rows.into_iter().filter_map(|row| match row {
            Ok((work, part)) => Some((work.to_string(), Ok(part))),
            Err(ReadError::Corrupt { ref id, .. }) => Some((id.clone(), row.map(|(_, part)| part))),
            Err(ReadError::Engine { .. }) => None,
        });
        Self(keyed.collect())
    }

    fn take(&mut self, work: &WorkId) -> Result<T, ReadError> {
        self.0.remove(work.as_str()).unwrap_or_else(|| Ok(T::default()))
    }
}

fn missing(what: &'static str, id: &impl ToString) -> QueryError {
    QueryError::NotFound { what, id: id.to_string() }
}

fn view_of(
    of: Definition,
    instructions: String,
    (events, steps): (Vec<EventFilter>, Vec<WorkStep>),
    run: Option<&Run>,
    now: Timestamp,
) -> Result<AgentWork, QueryError> {
    let built_in = of.built_in.as_deref().map(serde_json::from_str).transpose();
    let built_in = built_in.map_err(|e| corrupt("agent work", &of.id, &e))?;
    let suspended = of.schedule.as_deref().and_then(|text| suspended_until(text, now.to_jiff()));
    Ok(AgentWork {
        built_in,
        occurrence_date: run.and_then(occurrence_date),
        scheduled_for: run.and_then(|run| run.scheduled_for).or(of.next_due_at),
        started_at: run.and_then(|run| run.started_at),
        completed_at: run.and_then(|run| run.completed_at),
        result_title: run.and_then(|run| run.result_title.clone()),
        log_path: format!("tasks/logs/{}.jsonl", of.id),
        actions: possible_actions(&of, suspended.is_some()),
        kind: of.kind,
        source_type: of.source,
        source_ref: of.source_ref,
        title: of.title,
        instructions,
        version: of.version,
        status: of.status,
        run_state: of.run_state,
        state: of.state,
        paused_with_all: of.paused_with_all,
        session_id: of.session,
        recurrence_id: of.recurrence,
        schedule: of.schedule_words,
        events,
        steps,
        next_due_at: of.next_due_at,
        suspended_until: suspended.map(Timestamp::from_jiff),
        catch_up: of.catch_up,
        catch_up_hours: of.catch_up_hours,
        overlap: of.overlap,
        model: of.model,
        template_id: of.template,
        created_by: of.created_by,
        created: of.created_at,
        latest_run: of.latest_run,
        id: of.id,
    })
}

fn corrupt(noun: &'static str, id: &impl ToString, error: &serde_json::Error) -> ReadError {
    let (id, detail) = (id.to_string(), error.to_string());
    ReadError::Corrupt { db: Db::Agent.name(), noun, id, detail }
}

/// The original start of what a run is the occurrence of; a request is none.
fn occurrence_date(run: &Run) -> Option<String> {
    run.scheduled_for.map(|_| run.occurrence.original_start.clone())
}

/// What a run counted that needed no language model.
pub(crate) fn figures_of(run: &Run) -> Result<Vec<Figure>, ReadError> {
    let figures = run.figures.as_deref().map(serde_json::from_str).transpose();
    Ok(figures.map_err(|e| corrupt("run of agent work", &run.id, &e))?.unwrap_or_default())
}

fn run_view(run: Run, steps: Vec<WorkRunStep>) -> Result<WorkRun, QueryError> {
    Ok(WorkRun {
        steps,
        figures: figures_of(&run)?,
        occurrence_date: occurrence_date(&run),
        started_by: started_by(&run),
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
        created_by: run.created_by,
        session_id: run.session,
        revises: run.revises,
        created: run.created_at,
        started_at: run.started_at,
        completed_at: run.completed_at,
    })
}

/// What is added to a question whose options cannot be read.
const DAMAGED_OPTIONS: &str =
    "(The answers that it offered cannot be read. Answer it in your own words.)";

/// A question as it is shown.
pub fn question_view(question: Question) -> WorkQuestion {
    WorkQuestion {
        is_open: question.closed_at.is_none(),
        id: question.id,
        run_id: question.run,
        question: match question.has_damaged_options {
            true => format!("{}\n\n{DAMAGED_OPTIONS}", question.question),
            false => question.question,
        },
        options: question.options,
        answer: question.answer,
        asked_at: question.asked_at,
        expires_at: question.expires_at,
    }
}
