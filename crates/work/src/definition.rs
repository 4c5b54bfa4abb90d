//! Definitions: made, shown before they are saved, read.

use std::sync::Arc;

use dormouse_formats::recurrence::{
    Clock, End, Occurrence, Position, RecurrenceRule, Schedule, Series, english, is_rule,
    read_schedule,
};
use dormouse_formats::when::{ENGLISH, Language, Reader};
use dormouse_store::agent::work::definition::{self, Definition};
use dormouse_store::agent::work::filter;
use dormouse_store::agent::work::run::Run;
use dormouse_store::agent::work::step;
use dormouse_store::agent::work::version::{self, Version};
use dormouse_store::{Commit, Db, MaybeRefused as _, Once, Op, ReadError, Refusal};
use dormouse_types::audit::AuditAction;
use dormouse_types::built_in_work::BuiltInWork;
use dormouse_types::port::Model;
use dormouse_types::work::{
    CatchUp, Overlap, WorkCreator, WorkSource, WorkState, WorkStatus, WorkType,
};
use dormouse_types::work_filter::EventFilter;
use dormouse_types::work_step::{self, StepError, WorkStep};
use dormouse_types::{
    Actor, EventKind, Id as _, SessionId, TemplateId, Timestamp, WorkId, WorkRunId, WorkspaceId,
    limits,
};
use jiff::civil::Time;

use crate::conversation;
use crate::error::broken;
use crate::occurrence::open_suspensions;
use crate::snapshot::{NewRun, Snapshot, Written, request_occurrence};
use crate::templates::Followed;
use crate::wording::{instructions, title};
use crate::{RequestContext, Work, WorkError, event, series_text};

/// How many coming dates are shown before a schedule is saved.
const SHOWN_DATES: usize = 5;

/// A definition that is to be made.
#[derive(Debug, Clone)]
pub struct NewWork {
    pub title: String,
    /// The instructions of its runs.
    pub instructions: String,
    /// What it does without a language model; `None` if its instructions are for one.
    pub built_in: Option<BuiltInWork>,
    /// When it happens; `None` is once, now, unless changes or calls start it.
    pub schedule: Option<ReadSchedule>,
    /// The changes of tasks that start it.
    pub events: Vec<EventFilter>,
    /// Whether it waits for calls of hooks, which are made afterwards, and does not run now.
    pub waits_for_calls: bool,
    /// What its runs have to do, and what is checked of it.
    pub steps: Vec<WorkStep>,
    /// The policy for missed occurrences.
    pub catch_up: CatchUp,
    /// The most that a missed occurrence may be late and still run. Units: hours.
    pub catch_up_hours: i64,
    /// The policy for overlapping occurrences.
    pub overlap: Overlap,
    /// The model it asks; `None` is that of the workspace.
    pub model: Option<String>,
    /// The template that its runs follow; `None` for none.
    pub template: Option<Followed>,
    /// Where it comes from, and what leads back there.
    pub source: (WorkSource, Option<String>),
    /// Who makes it.
    pub by: WorkCreator,
}

/// A schedule in words as it was understood: what a person is shown before it is saved.
#[derive(Debug, Clone)]
pub struct ReadSchedule {
    pub words: String,
    /// What they mean.
    pub series: Series,
    /// That as an English sentence.
    pub sentence: String,
    /// The next dates, at most five.
    pub next: Vec<Occurrence>,
    /// The times of day that were taken to be before 7:00, although the words leave it open.
    pub early: Vec<Time>,
}

/// The start of a series in figures.
fn in_figures(series: &Series) -> String {
    let start = series.start();
    match series.clock() {
        Clock::Day => start.date().to_string(),
        Clock::Floating => start.strftime("%Y-%m-%d %H:%M").to_string(),
        Clock::Zone(zone) => format!("{} {}", start.strftime("%Y-%m-%d %H:%M"), zone.name()),
    }
}

/// What a definition does without a language model, as it is stored.
pub(crate) fn stored(built_in: &BuiltInWork) -> Result<String, WorkError> {
    built_in.parameters.check()?;
    serde_json::to_string(built_in).map_err(broken)
}

/// What a definition does without a language model; `None` if its instructions are for one.
///
/// Errors: the row is damaged.
pub fn built_in(definition: &Definition) -> Result<Option<BuiltInWork>, WorkError> {
    let read = definition.built_in.as_deref().map(serde_json::from_str).transpose();
    read.map_err(|e| broken(format!("the parameters of {} cannot be read: {e}", definition.id)))
}

/// A conversation that was deleted after it was read is not there.
fn gone_meanwhile(new: &NewWork, error: WorkError) -> WorkError {
    let conversation = new.source.1.as_ref().and_then(|id| id.parse().ok());
    match (error.refusal(), conversation) {
        (Some(Refusal::Stale), Some(conversation)) => WorkError::NoConversation { conversation },
        _ => error,
    }
}

/// Checks the changes that start work.
pub(crate) fn checked(filters: &[EventFilter]) -> Result<(), WorkError> {
    limits::WORK_FILTERS.check(filters.len())?;
    filters.iter().try_for_each(EventFilter::check).map_err(WorkError::Filter)
}

/// Checks steps. Only a run with a language model has any.
pub(crate) fn checked_steps(steps: &[WorkStep], is_built_in: bool) -> Result<(), WorkError> {
    work_step::check(steps)?;
    if is_built_in && !steps.is_empty() { Err(StepError::NoModel.into()) } else { Ok(()) }
}

/// Checks that a template has somebody to follow it: what is done without a language model reads none.
pub(crate) fn checked_template(
    template: Option<&TemplateId>,
    is_built_in: bool,
) -> Result<(), WorkError> {
    match template {
        Some(template) if is_built_in => {
            Err(WorkError::NothingFollows { template: template.clone() })
        }
        _ => Ok(()),
    }
}

impl Work {
    /// Whether the instructions of a definition would be read by a language model: its own, else that of its
    /// template, else that of the workspace.
    pub fn has_language_model(&self, own: Option<&str>, template: Option<&TemplateId>) -> bool {
        self.model_of(own, template).reads_messages()
    }

    /// Refuses instructions that no language model would read.
    pub(crate) fn require_language_model(
        &self,
        own: Option<&str>,
        template: Option<&TemplateId>,
    ) -> Result<(), WorkError> {
        let model = self.model_of(own, template);
        if model.reads_messages() {
            return Ok(());
        }
        Err(WorkError::NeedsLanguageModel { model: model.name().to_owned() })
    }

    /// The name of the model that runs of a definition ask.
    pub fn model_name(&self, own: Option<&str>, template: Option<&TemplateId>) -> String {
        self.model_of(own, template).name().to_owned()
    }

    /// The model that runs of a definition ask.
    pub(crate) fn model_of(
        &self,
        own: Option<&str>,
        template: Option<&TemplateId>,
    ) -> Arc<dyn Model> {
        let models = self.driver.models();
        match own {
            Some(own) => models.named(Some(own)),
            None => models.named(template.and_then(|id| models.of_template(id)).as_deref()),
        }
    }

    /// Reads a schedule in words, and says what is due next by it.
    ///
    /// Errors: the words are no schedule, or nothing of it is still to come.
    pub fn read_schedule(&self, words: &str, reader: &Reader) -> Result<ReadSchedule, WorkError> {
        let read = read_schedule(words, reader)?;
        let sentence = english(&read.description());
        let (series, early) = (&read.series, &read.early);
        let person = self.person();
        let position = Position::new(self.clock.now().to_jiff(), &person);
        let next: Vec<Occurrence> = series.upcoming(&position, &person).take(SHOWN_DATES).collect();
        if next.is_empty() {
            return Err(WorkError::NothingToCome { words: words.trim().to_owned() });
        }
        // A rule is kept in words, and a day as its date, where they are read as the same schedule: "tomorrow" is
        // another day when it is read again.
        let is_same = |again: &Schedule| {
            let times = again.series.upcoming(&position, &person).take(SHOWN_DATES);
            let is_rule_same = again.series.rule() == series.rule() && again.from == read.from;
            is_rule_same && times.eq(next.iter().cloned())
        };
        let is_read_same = |(words, language): &(&str, Language)| {
            let reader = Reader { language: *language, ..reader.clone() };
            read_schedule(words, &reader).as_ref().is_ok_and(is_same)
        };
        let is_once = series.rule().is_none();
        let has_day = |rule: &RecurrenceRule| !matches!(rule.parts().end, End::Never);
        let names_a_day = read.from.is_some() || series.rule().is_none_or(has_day);
        let mut kept = Vec::new();
        // Figures are read in every language.
        let figures = in_figures(series);
        if is_once && reader.language.code() != ENGLISH.code() {
            kept.push((&*figures, reader.language));
        }
        if is_rule(words) || names_a_day {
            kept.push((&*sentence, ENGLISH));
        }
        let words = kept.into_iter().find(is_read_same).map_or(words.trim(), |(words, _)| words);
        let words = words.to_owned();
        Ok(ReadSchedule { words, series: series.clone(), early: early.clone(), sentence, next })
    }

    /// Makes a definition. One that nothing starts later runs at once. Returns it as it was written; for a
    /// repeated request, as it is now.
    ///
    /// Errors: a text is blank or too long; a filter passes nothing; the model reads no instructions;
    /// there are too many.
    pub async fn create(
        &self,
        ws: WorkspaceId,
        new: &NewWork,
        context: &RequestContext,
    ) -> Result<Written, WorkError> {
        let now = self.clock.now();
        let id = WorkId::fresh(now, &*self.entropy);
        new.built_in.as_ref().map(stored).transpose()?;
        let once = context.once(AuditAction::WorkCreate.name(), &context.sent, id.as_str());
        let first = match self.create_once(ws, (&id, new), context, once.as_ref(), now).await {
            Ok(Ok(written)) => return Ok(written),
            Ok(Err(first)) => first,
            Err(refused) => self.unless_repeated(ws, once.as_ref(), refused).await?,
        };
        self.written(ws, &first.parse().map_err(broken)?).await
    }

    /// Makes it; the inner error is what the same request answered the first time.
    async fn create_once(
        &self,
        ws: WorkspaceId,
        (id, new): (&WorkId, &NewWork),
        context: &RequestContext,
        once: Option<&Once>,
        now: Timestamp,
    ) -> Result<Result<Written, String>, WorkError> {
        let (ops, written) = self.made(ws, id, new, &context.actor, 0, now).await?;
        let mut commit = Commit::new("work.create", Db::Agent, ws)
            .ops(ops)
            .change(event(EventKind::WorkCreated, id.as_str()))
            .audit(context.audit(AuditAction::WorkCreate, id.as_str()));
        if let Some(begun) = self.begun_in(ws, new, id, now).await? {
            commit = commit.ops(begun.ops).change(begun.news);
        }
        commit.once = once.cloned();
        let committed = self.store.commit(commit).await.map_err(WorkError::from);
        let committed = committed.map_err(|error| gone_meanwhile(new, error))?;
        Ok(committed.replayed.map_or(Ok(written), Err))
    }

    /// Returns what makes a definition, and its run if nothing else starts it; and both. `depth` is how many results
    /// of agent work led to it.
    ///
    /// Errors: as [`Work::create`].
    pub(crate) async fn made(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        new: &NewWork,
        actor: &Actor,
        depth: i64,
        now: Timestamp,
    ) -> Result<(Vec<Op>, Written), WorkError> {
        let (title, instructions) = (title(&new.title)?, instructions(&new.instructions)?);
        checked(&new.events)?;
        checked_steps(&new.steps, new.built_in.is_some())?;
        let template = new.template.as_ref().map(|followed| &followed.id);
        checked_template(template, new.built_in.is_some())?;
        if new.built_in.is_none() {
            self.require_language_model(new.model.as_deref(), template)?;
        }
        let count = self.store.first(definition::count(ws)).await?.unwrap_or_default();
        limits::WORK_DEFINITIONS.check(usize::try_from(count + 1).unwrap_or(usize::MAX))?;
        let mut empty = Definition {
            id: id.clone(),
            kind: WorkType::Immediate,
            source: new.source.0,
            source_ref: new.source.1.clone(),
            title,
            version: 1,
            state: WorkState::Active,
            paused_with_all: false,
            session: SessionId::fresh(now, &*self.entropy),
            recurrence: None,
            schedule: None,
            schedule_words: None,
            catch_up: new.catch_up,
            catch_up_hours: new.catch_up_hours,
            overlap: new.overlap,
            model: new.model.clone(),
            template: template.cloned(),
            built_in: new.built_in.as_ref().map(stored).transpose()?,
            position: None,
            next_due_at: None,
            n_runs: 0,
            status: WorkStatus::Pending,
            run_state: None,
            latest_run: None,
            revision: 1,
            created_by: new.by,
            created_at: now,
            updated_at: now,
            deleted_at: None,
        };
        if let Some(schedule) = &new.schedule {
            empty.kind = WorkType::Scheduled;
            self.set_schedule(&mut empty, schedule, now)?;
        }
        if !new.events.is_empty() || new.waits_for_calls {
            empty.kind = WorkType::Scheduled;
        }
        let version = Version {
            work: id.clone(),
            version: 1,
            instructions,
            made_by: actor.to_string(),
            created_at: now,
        };
        let mut ops = vec![definition::insert(ws, &empty), version::insert(ws, &version)];
        ops.extend(new.template.as_ref().map(|followed| followed.guard.clone()));
        if !new.events.is_empty() {
            let host = self.store.host(Db::Journal);
            let head = self.journal_head(ws).await?;
            ops.push(filter::put(ws, id, &new.events, &host, head));
        }
        if !new.steps.is_empty() {
            ops.push(step::put(ws, id, &new.steps));
        }
        ops.extend(self.standing_rule(ws, id, (None, new.built_in.as_ref()), actor, now));
        if empty.kind != WorkType::Immediate {
            return Ok((ops, Written { definition: empty, latest: None }));
        }
        let run = WorkRunId::fresh(now, &*self.entropy);
        let snapshot = Snapshot { definition: empty, open: Vec::new(), newest: None, hidden: None };
        let mut step = snapshot.step();
        let requested = request_occurrence(id, run.as_str(), new.by);
        step.add_run(run, NewRun { depth, ..requested }, now);
        let (its_ops, written) = step.decided(ws, now);
        ops.extend(its_ops);
        Ok((ops, written))
    }

    /// What a new definition adds to the conversation in which it is begun.
    ///
    /// Errors: there is no such conversation.
    async fn begun_in(
        &self,
        ws: WorkspaceId,
        new: &NewWork,
        work: &WorkId,
        now: Timestamp,
    ) -> Result<Option<conversation::Report>, WorkError> {
        let (WorkSource::Conversation, Some(id)) = &new.source else { return Ok(None) };
        let id = self.conversation(ws, &id.parse().map_err(broken)?).await?.id;
        let instructions = instructions(&new.instructions)?;
        Ok(Some(conversation::begun_in(ws, &id, work, &instructions, now)))
    }

    /// Writes a schedule into a definition. Nothing of it is due before now.
    pub(crate) fn set_schedule(
        &self,
        definition: &mut Definition,
        schedule: &ReadSchedule,
        now: Timestamp,
    ) -> Result<(), WorkError> {
        // Another time of day does not end what a person suspended.
        let mut series = schedule.series.clone();
        let before = definition.schedule.as_deref().unwrap_or_default();
        let known = series.exceptions();
        let suspended = open_suspensions(before, &self.person(), now.to_jiff());
        suspended.into_iter().filter(|one| !known.contains(one)).for_each(|one| series.except(one));
        definition.schedule = Some(series_text::write(&series));
        // Without a rule there is one occurrence, and no series that it belongs to.
        definition.recurrence = schedule.series.rule().map(|_| definition.id.to_string());
        definition.schedule_words = Some(schedule.words.clone());
        self.plan_from(definition, now)
    }

    /// Lets the schedule of a definition go on from a time: what was due before never runs. One that
    /// may not start runs is not due.
    pub(crate) fn plan_from(
        &self,
        definition: &mut Definition,
        now: Timestamp,
    ) -> Result<(), WorkError> {
        definition.next_due_at = None;
        let Some(text) = &definition.schedule else { return Ok(()) };
        let person = self.person();
        let series = series_text::read(text, &person).map_err(broken)?;
        let mut position = Position::new(now.to_jiff(), &person);
        // A rule with an end by number goes on counting where it was.
        let stored = definition.position.as_deref().map(serde_json::from_str::<Position>);
        if let Some(stored) = stored.transpose().map_err(broken)? {
            position.counted = stored.counted;
        }
        if definition.state == WorkState::Active {
            let next = series.next_due(&position, &person);
            definition.next_due_at = next.map(|due| Timestamp::from_jiff(due.at));
        }
        definition.position = Some(serde_json::to_string(&position).map_err(broken)?);
        Ok(())
    }

    /// All definitions that are not deleted, oldest first, apart from damaged ones: those start nothing.
    pub async fn definitions(&self, ws: WorkspaceId) -> Result<Vec<Definition>, WorkError> {
        let (mut all, mut after) = (Vec::new(), String::new());
        loop {
            let page = self.store.each(definition::page(ws, &after, 200)).await?;
            if page.is_empty() {
                return Ok(all);
            }
            for one in page {
                match one {
                    Ok(one) => {
                        after = one.id.to_string();
                        all.extend(Some(one).filter(|one| one.deleted_at.is_none()));
                    }
                    // A row without a readable place would be read for ever.
                    Err(ReadError::Corrupt { id, .. }) if id > after => after = id,
                    Err(error) => return Err(error.into()),
                }
            }
        }
    }

    /// A definition that is not deleted.
    pub async fn definition(&self, ws: WorkspaceId, id: &WorkId) -> Result<Definition, WorkError> {
        let found = self.store.first(definition::by_id(ws, id)).await?;
        let found = found.filter(|found| found.deleted_at.is_none());
        found.ok_or_else(|| WorkError::NotFound { work: id.clone() })
    }

    /// The steps that the next run of a definition begins with.
    pub async fn steps(&self, ws: WorkspaceId, id: &WorkId) -> Result<Vec<WorkStep>, WorkError> {
        let found = step::of_definitions(ws, std::slice::from_ref(id));
        Ok(self.store.first(found).await?.map(|(_, steps)| steps).unwrap_or_default())
    }

    /// The newest instructions of a definition, or those of an earlier version.
    pub async fn instructions(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        version: i64,
    ) -> Result<String, WorkError> {
        let found = self.store.first(version::by_number(ws, id, version)).await?;
        let missing = || broken(format!("version {version} of {id} is missing"));
        Ok(found.ok_or_else(missing)?.instructions)
    }

    /// The runs of a definition before one of them, newest first, those that were left out included.
    pub async fn runs(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        before: i64,
        limit: i64,
    ) -> Result<Vec<Run>, WorkError> {
        let runs = dormouse_store::agent::work::run::of_definition(ws, id, before, limit);
        Ok(self.store.all(runs).await?)
    }

    /// What a request answers that was refused too often.
    pub(crate) fn busy(&self, id: &WorkId, error: WorkError) -> WorkError {
        match error.refusal() {
            Some(Refusal::Stale | Refusal::LeaseLost) => WorkError::Busy { work: id.clone() },
            _ => error,
        }
    }
}
