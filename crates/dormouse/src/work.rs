//! Agent work: what an agent does itself, by a schedule or because somebody asks for it.

use std::fmt;

use dormouse_queries::{RunDays, WorkFilter};
use dormouse_store::agent::entity;
use dormouse_store::agent::work::run::Run;
use dormouse_types::template::TemplateKind;
use dormouse_types::work::{CatchUp, Overlap, WorkCreator, WorkSource, WorkStart};
use dormouse_types::work_filter::EventFilter;
use dormouse_types::work_kind::WorkParameters;
use dormouse_types::work_step::WorkStep;
use dormouse_types::{
    Caller, ConversationId, QuestionId, Scope, TemplateId, Timestamp, TokenKind, WorkId, WorkRunId,
    limits,
};
use dormouse_work::RequestContext;
use dormouse_work::definition::{NewWork as NewDefinition, ReadSchedule};
use dormouse_work::lifecycle::Edit;
use dormouse_work::repeated::Worded;
use dormouse_work::snapshot::Written;
use dormouse_work::templates::Followed;

use crate::dates::{Reader, Wording};
use crate::request::{receipt_id, require};
use crate::view::{
    AgentWork, AgentWorkDetail, Page, SchedulePreview, WorkLogLine, WorkPreview, WorkQuestion,
    WorkRun,
};
use crate::{Dormouse, Error};

/// A definition of agent work that is to be made.
#[derive(Debug, Clone, Default)]
pub struct NewWork {
    /// Its title.
    pub title: String,
    /// The instructions of its runs; `None` if its parameters say it.
    pub instructions: Option<String>,
    /// What it does without a language model.
    pub parameters: Option<WorkParameters>,
    /// When it happens, in words; `None` is once, now, or what the instructions say, unless changes start
    /// it.
    pub schedule: Option<String>,
    /// The changes of tasks that start it.
    pub events: Vec<EventFilter>,
    /// Whether it waits for calls of hooks, which are made afterwards, and does not run now.
    pub waits_for_calls: bool,
    /// What its runs have to do besides, and what is checked of it.
    pub steps: Vec<WorkStep>,
    /// The policy for missed occurrences.
    pub catch_up: CatchUp,
    /// The most that a missed occurrence may be late and still run, up to 720; `None` is 24. Units: hours.
    pub catch_up_hours: Option<usize>,
    /// The policy for overlapping occurrences.
    pub overlap: Overlap,
    /// The model it asks; `None` is that of its template, or of the workspace.
    pub model: Option<String>,
    /// The template that its runs follow; `None` for none.
    pub template: Option<TemplateId>,
    /// The conversation in which it is begun, and in which it reports if it has no schedule.
    pub conversation: Option<ConversationId>,
}

/// What is changed about a definition. `None` leaves it as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkPatch {
    /// Its title.
    pub title: Option<String>,
    /// The instructions of its runs, from the next run on.
    pub instructions: Option<String>,
    /// What it does without a language model, from the next run on.
    pub parameters: Option<WorkParameters>,
    /// When it happens, in words.
    pub schedule: Option<String>,
    /// The changes of tasks that start it, from now on; empty for none.
    pub events: Option<Vec<EventFilter>>,
    /// What its runs have to do besides, from the next run on; empty for nothing.
    pub steps: Option<Vec<WorkStep>>,
    /// The policy for missed occurrences.
    pub catch_up: Option<CatchUp>,
    /// The most that a missed occurrence may be late and still run, up to 720. Units: hours.
    pub catch_up_hours: Option<usize>,
    /// The policy for overlapping occurrences.
    pub overlap: Option<Overlap>,
    /// The model it asks; the inner `None` is that of its template, or of the workspace.
    pub model: Option<Option<String>>,
    /// The template that its runs follow, from now on; the inner `None` for none.
    pub template: Option<Option<TemplateId>>,
}

/// A transcript as a file, in progress: the log of a definition, or a conversation.
pub struct TranscriptFile(pub(crate) dormouse_queries::TranscriptFile);

impl TranscriptFile {
    /// Where the next part begins; `None` if this is the last one.
    pub fn next_cursor(&self) -> Option<&str> {
        self.0.next_cursor()
    }

    /// The next line with its end; `None` after the last one.
    ///
    /// Errors: rows cannot be read; the file is then incomplete.
    pub async fn next(&mut self) -> Result<Option<String>, Error> {
        Ok(self.0.next().await?)
    }
}

fn previewed(read: ReadSchedule) -> SchedulePreview {
    let next = read.next.iter().map(|one| Timestamp::from_jiff(one.due)).collect();
    let early_times = early_times(&read);
    SchedulePreview { sentence: read.sentence, next, early_times }
}

/// The times of a schedule that a person may have meant in the afternoon.
pub(crate) fn early_times(read: &ReadSchedule) -> Vec<String> {
    read.early.iter().map(|time| time.strftime("%H:%M").to_string()).collect()
}

impl Dormouse {
    /// Reads a schedule in words: what it means, and when it happens next.
    ///
    /// Errors: the words are no schedule, or nothing of it is still to come.
    pub async fn preview_schedule(
        &self,
        caller: &Caller,
        words: &str,
        wording: Wording,
    ) -> Result<SchedulePreview, Error> {
        require(caller, Scope::Read)?;
        let read = self.read_work_schedule(words, wording)?;
        Ok(previewed(read))
    }

    /// What new work would be, as [`Self::create_work`] would make it. Writes nothing.
    ///
    /// Errors: the words are no schedule; the instructions need a language model; a parameter that no run can
    /// use.
    pub async fn preview_work(
        &self,
        caller: &Caller,
        new: &NewWork,
        wording: Wording,
    ) -> Result<WorkPreview, Error> {
        require(caller, Scope::Read)?;
        let meant = self.meant_by(caller, new, wording).await?;
        let starts = match &meant.schedule {
            Some(_) => WorkStart::Schedule,
            None if new.waits_for_calls => WorkStart::Calls,
            None if !new.events.is_empty() => WorkStart::Changes,
            None => WorkStart::Now,
        };
        let made = meant.built_in.flatten();
        Ok(WorkPreview {
            starts,
            schedule: meant.schedule.map(previewed),
            usual_schedule: meant.usual_schedule,
            not_understood: made
                .as_ref()
                .map(|made| made.not_understood.clone())
                .unwrap_or_default(),
            model: made
                .is_none()
                .then(|| self.work.model_name(new.model.as_deref(), new.template.as_ref())),
            sentence: made.map(|made| made.sentence),
        })
    }

    pub(crate) fn read_work_schedule(
        &self,
        words: &str,
        wording: Wording,
    ) -> Result<ReadSchedule, Error> {
        limits::SEARCH.check(words.chars().count())?;
        let reader = Reader {
            now: self.clock.now().to_jiff().to_zoned(self.zone.get()).datetime(),
            zone: self.zone.get(),
            order: wording.order,
            language: wording.language,
            week_starts: crate::dates::Weekday::Monday,
        };
        Ok(self.work.read_schedule(words, &reader)?)
    }

    /// Makes a definition of agent work. One that nothing starts later runs at once. A repeated request is answered
    /// before its words are read.
    ///
    /// Errors: a text is blank or too long; the words are no schedule; a filter passes nothing; the
    /// instructions need a language model; a parameter that no run can use; the caller may not choose the
    /// model.
    pub async fn create_work(
        &self,
        caller: &Caller,
        new: NewWork,
        wording: Wording,
        key: Option<String>,
    ) -> Result<AgentWork, Error> {
        require(caller, Scope::Edit)?;
        let sent = sent(&new, wording);
        let by = RequestContext { sent, ..work_context(caller, key.as_deref())? };
        if let Some(first) = self.answered(caller, Worded::Create, &by).await? {
            return Ok(first);
        }
        if let Some(model) = &new.model {
            require(caller, Scope::Admin)?;
            self.know_model(caller, model).await?;
        }
        let template = match &new.template {
            Some(template) => Some(self.followed(caller, template).await?),
            None => None,
        };
        let meant = self.meant_by(caller, &new, wording).await?;
        let source = source_of(&new);
        let definition = NewDefinition {
            title: new.title,
            instructions: meant.instructions.unwrap_or_default(),
            built_in: meant.built_in.flatten(),
            schedule: meant.schedule,
            source,
            events: new.events,
            waits_for_calls: new.waits_for_calls,
            steps: new.steps,
            catch_up: new.catch_up,
            catch_up_hours: new
                .catch_up_hours
                .map_or(Ok(limits::WORK_CATCH_UP_USUAL_HOURS), catch_up_hours)?,
            overlap: new.overlap,
            model: new.model,
            template,
            by: by.creator,
        };
        let written = self.work.create(caller.workspace, &definition, &by).await?;
        self.written_view(caller, written).await
    }

    /// A page of the definitions of agent work, newest first.
    pub async fn work_list(
        &self,
        caller: &Caller,
        filter: WorkFilter,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<AgentWork>, Error> {
        require(caller, Scope::Read)?;
        limits::PAGE.check(limit)?;
        Ok(self.queries.work_list(caller.workspace, filter, limit, cursor).await?)
    }

    /// A definition of agent work.
    pub async fn work(&self, caller: &Caller, id: &WorkId) -> Result<AgentWork, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.work(caller.workspace, id).await?)
    }

    /// A definition with its newest runs and its open questions.
    pub async fn work_detail(
        &self,
        caller: &Caller,
        id: &WorkId,
    ) -> Result<AgentWorkDetail, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.work_detail(caller.workspace, id).await?)
    }

    /// A run of agent work.
    pub async fn work_run(&self, caller: &Caller, run: &WorkRunId) -> Result<WorkRun, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.work_run(caller.workspace, run).await?)
    }

    /// A page of the runs of a definition, newest first: of all, or of those that were due on some days.
    pub async fn work_runs(
        &self,
        caller: &Caller,
        id: &WorkId,
        days: RunDays,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<WorkRun>, Error> {
        require(caller, Scope::Read)?;
        limits::PAGE.check(limit)?;
        self.work.definition(caller.workspace, id).await?;
        Ok(self.queries.work_runs(caller.workspace, id, days, limit, cursor).await?)
    }

    /// A page of the log of a definition, oldest run first: all lines of at most `limit` runs, calls and
    /// their results included.
    pub async fn work_log(
        &self,
        caller: &Caller,
        id: &WorkId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<WorkLogLine>, Error> {
        require(caller, Scope::Read)?;
        limits::PAGE.check(limit)?;
        self.work.definition(caller.workspace, id).await?;
        Ok(self.queries.work_log(caller.workspace, id, limit, cursor).await?)
    }

    /// The log of one run, as far as it has got.
    pub async fn work_run_log(
        &self,
        caller: &Caller,
        run: &WorkRunId,
    ) -> Result<Vec<WorkLogLine>, Error> {
        require(caller, Scope::Read)?;
        self.work.run(caller.workspace, run).await?;
        Ok(self.queries.work_run_log(caller.workspace, run).await?)
    }

    /// The log of a definition as a file with one JSON object a line, from a run on: of at most `limit`
    /// runs, or of all. It is the same from every node.
    pub async fn work_log_file(
        &self,
        caller: &Caller,
        id: &WorkId,
        limit: Option<usize>,
        cursor: Option<&str>,
    ) -> Result<TranscriptFile, Error> {
        require(caller, Scope::Read)?;
        limit.map_or(Ok(()), |limit| limits::PAGE.check(limit))?;
        self.work.definition(caller.workspace, id).await?;
        let file = self.queries.work_log_file(caller.workspace, id, limit, cursor).await?;
        Ok(TranscriptFile(dormouse_queries::TranscriptFile::Work(Box::new(file))))
    }

    /// The questions of a run, oldest first.
    pub async fn work_questions(
        &self,
        caller: &Caller,
        run: &WorkRunId,
    ) -> Result<Vec<WorkQuestion>, Error> {
        require(caller, Scope::Read)?;
        self.work.run(caller.workspace, run).await?;
        Ok(self.queries.work_questions(caller.workspace, run).await?)
    }

    /// Changes a definition. New instructions count from the next run; of a new schedule nothing is due
    /// before now.
    pub async fn edit_work(
        &self,
        caller: &Caller,
        id: &WorkId,
        patch: WorkPatch,
        wording: Wording,
        key: Option<String>,
    ) -> Result<AgentWork, Error> {
        require(caller, Scope::Edit)?;
        let sent = sent(&patch, wording);
        let by = RequestContext { sent, ..work_context(caller, key.as_deref())? };
        if let Some(first) = self.answered(caller, Worded::Edit(id), &by).await? {
            return Ok(first);
        }
        if let Some(Some(model)) = &patch.model {
            require(caller, Scope::Admin)?;
            self.know_model(caller, model).await?;
        }
        let template = match &patch.template {
            Some(Some(template)) => Some(Some(self.followed(caller, template).await?)),
            Some(None) => Some(None),
            None => None,
        };
        let meant = self.meant_by_patch(caller, id, &patch, wording).await?;
        let edit = Edit {
            title: patch.title,
            instructions: meant.instructions,
            built_in: meant.built_in,
            schedule: meant.schedule,
            events: patch.events,
            steps: patch.steps,
            catch_up: patch.catch_up,
            catch_up_hours: patch.catch_up_hours.map(catch_up_hours).transpose()?,
            overlap: patch.overlap,
            model: patch.model,
            template,
        };
        let written = self.work.edit(caller.workspace, id, &edit, &by).await?;
        self.written_view(caller, written).await
    }

    /// Lets a definition start no runs until it is resumed.
    pub async fn pause_work(
        &self,
        caller: &Caller,
        id: &WorkId,
        key: Option<String>,
    ) -> Result<AgentWork, Error> {
        require(caller, Scope::Edit)?;
        let by = work_context(caller, key.as_deref())?;
        let written = self.work.pause(caller.workspace, id, &by).await?;
        self.written_view(caller, written).await
    }

    /// Lets a definition start runs again. What was due meanwhile never runs.
    pub async fn resume_work(
        &self,
        caller: &Caller,
        id: &WorkId,
        key: Option<String>,
    ) -> Result<AgentWork, Error> {
        require(caller, Scope::Edit)?;
        let by = work_context(caller, key.as_deref())?;
        let written = self.work.resume(caller.workspace, id, &by).await?;
        self.written_view(caller, written).await
    }

    /// Pauses all agent work that has not ended; returns how many definitions that were.
    pub async fn pause_all_work(&self, caller: &Caller) -> Result<usize, Error> {
        require(caller, Scope::Edit)?;
        Ok(self.work.pause_all(caller.workspace, &work_context(caller, None)?).await?)
    }

    /// Resumes the agent work that was paused with all other; returns how many definitions that were.
    pub async fn resume_all_work(&self, caller: &Caller) -> Result<usize, Error> {
        require(caller, Scope::Edit)?;
        Ok(self.work.resume_all(caller.workspace, &work_context(caller, None)?).await?)
    }

    /// Ends a definition; its history stays. Where something of it needs the person, only who may decide does.
    pub async fn archive_work(
        &self,
        caller: &Caller,
        id: &WorkId,
        key: Option<String>,
    ) -> Result<AgentWork, Error> {
        require(caller, Scope::Edit)?;
        let by = work_context(caller, key.as_deref())?;
        let written = self.work.archive(caller.workspace, id, &by).await?;
        self.written_view(caller, written).await
    }

    /// Takes a definition out of all lists, and returns it as it is left. Nothing of it starts any more. Where
    /// something of it needs the person, only who may decide does.
    pub async fn delete_work(
        &self,
        caller: &Caller,
        id: &WorkId,
        key: Option<String>,
    ) -> Result<AgentWork, Error> {
        require(caller, Scope::Edit)?;
        let by = work_context(caller, key.as_deref())?;
        let written = self.work.delete(caller.workspace, id, &by).await?;
        self.written_view(caller, written).await
    }

    /// Runs a definition now: the occurrence of its schedule that is due and has no run, if there is one. Otherwise
    /// the schedule stays as it is.
    pub async fn run_work(
        &self,
        caller: &Caller,
        id: &WorkId,
        key: Option<String>,
    ) -> Result<WorkRun, Error> {
        require(caller, Scope::Edit)?;
        let by = work_context(caller, key.as_deref())?;
        let run = self.work.run_now(caller.workspace, id, &by).await?;
        self.written_run_view(caller, run).await
    }

    /// Ends a run, on whichever node it is under way. To cancel it twice changes nothing.
    pub async fn cancel_work_run(
        &self,
        caller: &Caller,
        run: &WorkRunId,
        key: Option<String>,
    ) -> Result<WorkRun, Error> {
        require(caller, Scope::Edit)?;
        let by = work_context(caller, key.as_deref())?;
        let run = self.work.cancel(caller.workspace, run, &by).await?;
        self.written_run_view(caller, run).await
    }

    /// Ends a run of a definition: the one that is named, else its newest that has not ended.
    ///
    /// Errors: it has ended already; none is open; it is a run of another definition; it waits for the person,
    /// and the caller may not decide.
    pub async fn cancel_work(
        &self,
        caller: &Caller,
        id: &WorkId,
        run: Option<&WorkRunId>,
        key: Option<String>,
    ) -> Result<AgentWork, Error> {
        require(caller, Scope::Edit)?;
        let by = work_context(caller, key.as_deref())?;
        self.work.cancel_of(caller.workspace, id, run, &by).await?;
        Ok(self.queries.work(caller.workspace, id).await?)
    }

    /// Answers a question; its run goes on.
    ///
    /// Errors: it has an answer already, or waits for none any more.
    pub async fn answer_work_question(
        &self,
        caller: &Caller,
        question: &QuestionId,
        answer: &str,
        key: Option<String>,
    ) -> Result<WorkQuestion, Error> {
        require(caller, Scope::Decide)?;
        let by = work_context(caller, key.as_deref())?;
        let question = self.work.answer(caller.workspace, question, answer, &by).await?;
        Ok(dormouse_queries::work::question_view(question))
    }

    /// Takes what a run left that ended without an outcome for its result, or does not.
    pub async fn review_work_run(
        &self,
        caller: &Caller,
        run: &WorkRunId,
        is_approved: bool,
        why: Option<&str>,
        key: Option<String>,
    ) -> Result<WorkRun, Error> {
        require(caller, Scope::Decide)?;
        let by = work_context(caller, key.as_deref())?;
        let run = self.work.review(caller.workspace, run, is_approved, why, &by).await?;
        self.written_run_view(caller, run).await
    }

    /// Lets a run be tried again that did not end well.
    pub async fn retry_work_run(
        &self,
        caller: &Caller,
        run: &WorkRunId,
        key: Option<String>,
    ) -> Result<WorkRun, Error> {
        require(caller, Scope::Edit)?;
        let by = work_context(caller, key.as_deref())?;
        let run = self.work.retry(caller.workspace, run, &by).await?;
        self.written_run_view(caller, run).await
    }

    /// Tells a definition something about how it works: the run under way and all later ones read it.
    pub async fn correct_work(
        &self,
        caller: &Caller,
        id: &WorkId,
        text: &str,
        key: Option<String>,
    ) -> Result<AgentWork, Error> {
        require(caller, Scope::Edit)?;
        let by = work_context(caller, key.as_deref())?;
        let definition = self.work.correct(caller.workspace, id, text, &by).await?;
        Ok(self.queries.work_as_read(caller.workspace, definition).await?)
    }

    /// A template that work may follow. One that names a model needs the scope `admin`, as a model of its own
    /// does.
    ///
    /// Errors: it is not there, archived, without an active version, or for something else.
    async fn followed(&self, caller: &Caller, id: &TemplateId) -> Result<Followed, Error> {
        let ws = caller.workspace;
        let template = self.agents.assignable(ws, id, TemplateKind::AgentWork).await?;
        self.check_template_model(caller, id).await?;
        Ok(Followed { id: id.clone(), guard: entity::unchanged(ws, &template) })
    }

    /// What a request to make, edit, move or suspend work answered, if it is repeated: what it says may mean
    /// nothing any more.
    ///
    /// Errors: the idempotency key stands for another request.
    pub(crate) async fn answered(
        &self,
        caller: &Caller,
        request: Worded<'_>,
        by: &RequestContext,
    ) -> Result<Option<AgentWork>, Error> {
        match self.work.answered(caller.workspace, request, by).await? {
            Some(first) => self.written_view(caller, first).await.map(Some),
            None => Ok(None),
        }
    }

    async fn written_view(&self, caller: &Caller, written: Written) -> Result<AgentWork, Error> {
        Ok(self.queries.work_as_written(caller.workspace, written).await?)
    }

    async fn written_run_view(&self, caller: &Caller, run: Run) -> Result<WorkRun, Error> {
        Ok(self.queries.work_run_as_written(caller.workspace, run).await?)
    }
}

pub(crate) fn work_context(caller: &Caller, key: Option<&str>) -> Result<RequestContext, Error> {
    Ok(RequestContext { key: receipt_id(caller, key)?, ..keyless_context(caller) })
}

/// The context of a request that takes no idempotency key.
pub(crate) fn keyless_context(caller: &Caller) -> RequestContext {
    let (actor, creator) = (caller.actor.clone(), creator_of(caller));
    let may_decide = caller.may(Scope::Decide);
    RequestContext { actor, key: None, may_decide, creator, sent: String::new() }
}

/// As whom a caller begins work and runs.
fn creator_of(caller: &Caller) -> WorkCreator {
    match caller.kind {
        TokenKind::Person => WorkCreator::User,
        TokenKind::Agent | TokenKind::Mcp => WorkCreator::Agent,
    }
}

/// What was sent, and how its words are read: an idempotency key stands for that.
pub(crate) fn sent(request: &impl fmt::Debug, wording: Wording) -> String {
    format!("{request:?} {} {}", wording.order, wording.language.code())
}

/// Checks how late a missed occurrence may be and still run.
fn catch_up_hours(hours: usize) -> Result<i64, Error> {
    limits::WORK_CATCH_UP_HOURS.check(hours)?;
    Ok(i64::try_from(hours).unwrap_or(i64::MAX))
}

/// Where a definition comes from that a person makes, and what leads back there.
fn source_of(new: &NewWork) -> (WorkSource, Option<String>) {
    match &new.conversation {
        Some(id) => (WorkSource::Conversation, Some(id.to_string())),
        None if new.waits_for_calls => (WorkSource::Webhook, None),
        None if new.events.is_empty() => (WorkSource::Manual, None),
        None => (WorkSource::JournalEvent, None),
    }
}
