//! Agent work that an agent proposed and the person confirmed: it is started once, undone as long as
//! nothing has run, and its result is an entry of the task.

use dormouse_changes::delegate::{Answer, Delegate, StartedWork};
use dormouse_changes::set::error::DecideError;
use dormouse_changes::tool::WantedWork;
use dormouse_journal::{Edit, EditCtx, EditError, JournalError, OnceKey};
use dormouse_runs::clearance;
use dormouse_scheduler::{Chore, Done, HandlerError, When};
use dormouse_store::agent::source::Source;
use dormouse_store::agent::work::definition;
use dormouse_store::agent::work::place::Place;
use dormouse_store::agent::work::result::{self, Pending};
use dormouse_store::agent::work::run::Run;
use dormouse_store::{Commit, Db, Refusal};
use dormouse_types::built_in_work::{BuiltInWork, InstructionReader};
use dormouse_types::port::{BoxFuture, Entropy};
use dormouse_types::task::{EntryKind, Flags};
use dormouse_types::work::{
    CatchUp, Overlap, RunEvent, RunState, WorkCreator, WorkSource, WorkState,
};
use dormouse_types::work_kind::{Repeated, WorkParameters};
use dormouse_types::{
    Actor, ChangeSetId, EventKind, HolderId, Id as _, OperationId, Origin, Timestamp, WorkId,
    WorkspaceId, hash, limits,
};

use crate::attempt::{is_built_in, sources_of};
use crate::conversation::{NO_RESULT, outcome_text};
use crate::definition::NewWork;
use crate::{Work, WorkError, event};

/// The language in which instructions are read first; those of an agent may be in any.
const FIRST_LANGUAGE: &str = "en";

/// How many results one poll brings back, about. Those that it cannot bring back do not count.
const AT_ONCE: i64 = 50;

/// Starts the work that confirmed proposals ask for.
pub struct Delegated(pub Work);

/// Brings the results of delegated work back to the tasks that requested it.
pub struct Results(pub Work);

/// The random part of an id that is derived from an operation.
struct OfOperation<'a>(&'a OperationId);

impl Entropy for OfOperation<'_> {
    fn fill(&self, bytes: &mut [u8]) {
        let digest = hash::sha256(self.0.as_str());
        let source = digest.0.bytes().cycle();
        // Two hex digits make one byte.
        let digits: Vec<u8> = source.take(bytes.len() * 2).collect();
        for (byte, two) in bytes.iter_mut().zip(digits.chunks(2)) {
            let two = std::str::from_utf8(two).unwrap_or("00");
            *byte = u8::from_str_radix(two, 16).unwrap_or(0);
        }
    }
}

/// The id of the work that an operation starts: made of stored facts only.
fn id_of(operation: &OperationId, at: Timestamp) -> WorkId {
    WorkId::fresh(at, &OfOperation(operation))
}

/// The change set whose proposal started a definition: its instructions are made of that.
pub(crate) fn origin_of(definition: &definition::Definition) -> Option<ChangeSetId> {
    let from_agent = definition.source == WorkSource::Agent;
    let item = definition.source_ref.as_deref().filter(|_| from_agent)?;
    item.split_once(':')?.0.parse().ok()
}

impl Work {
    async fn start_delegated(
        &self,
        ws: WorkspaceId,
        work: &StartedWork,
    ) -> Result<Answer, WorkError> {
        if work.depth >= limits::WORK_EVENT_DEPTH {
            let why = format!(
                "{} results of agent work led to this one after another; write to the task what you \
                 want, and it can be proposed again",
                work.depth
            );
            return Ok(Answer::Never(why));
        }
        let built_in = match self.done_without_model(ws, &work.wanted.instructions).await {
            Ok(built_in) => built_in,
            Err(error @ WorkError::NeedsLanguageModel { .. }) => {
                return Ok(Answer::Never(error.to_string()));
            }
            Err(error) => return Err(error),
        };
        let new = NewWork {
            title: work.wanted.title.clone(),
            instructions: work.wanted.instructions.clone(),
            built_in,
            schedule: None,
            events: Vec::new(),
            waits_for_calls: false,
            steps: Vec::new(),
            catch_up: CatchUp::default(),
            catch_up_hours: limits::WORK_CATCH_UP_USUAL_HOURS,
            overlap: Overlap::default(),
            model: None,
            template: None,
            source: (WorkSource::Agent, Some(work.item.clone())),
            by: WorkCreator::Agent,
        };
        let id = id_of(&work.operation, work.at);
        let made = self.made(ws, &id, &new, &work.actor, work.depth, self.clock.now()).await;
        match made {
            Ok((mut ops, _)) => {
                ops.push(result::expect(ws, &id, &work.task));
                Ok(Answer::Write { ops, news: vec![event(EventKind::WorkCreated, id.as_str())] })
            }
            Err(
                error @ (WorkError::NeedsLanguageModel { .. }
                | WorkError::Beyond(_)
                | WorkError::Blank { .. }),
            ) => Ok(Answer::Never(error.to_string())),
            Err(error) => Err(error),
        }
    }

    /// What instructions mean that no language model would read; `None` if one does.
    ///
    /// The person who confirms them is not shown what the rules make of them. So the rules do only what they understand
    /// to the last word, and what is done once: a schedule, or a task like no other, is not. What they propose
    /// waits for the person, whatever the instructions say.
    ///
    /// Errors: they need a language model.
    async fn done_without_model(
        &self,
        ws: WorkspaceId,
        instructions: &str,
    ) -> Result<Option<BuiltInWork>, WorkError> {
        let Err(needed) = self.require_language_model(None, None) else { return Ok(None) };
        let known = self.facts.names(ws).await?;
        let zone = self.zone.get();
        let now = self.clock.now().to_jiff().to_zoned(zone.clone()).datetime();
        let language = FIRST_LANGUAGE.to_owned();
        let mut reader = InstructionReader { now, zone, is_month_first: false, language };
        let Ok(read) = self.rules().read(instructions, &known, &reader) else { return Err(needed) };
        let mut parameters = read.parameters;
        if let WorkParameters::Repeat(repeat) = &mut parameters {
            if matches!(repeat.what, Repeated::Make { .. }) {
                return Err(needed);
            }
            repeat.by_rule = false;
        }
        if !read.is_usual_time || !read.not_understood.is_empty() {
            return Err(needed);
        }
        reader.language = read.language.to_owned();
        Ok(Some(BuiltInWork {
            work_kind: parameters.kind(),
            sentence: self.rules().say(&parameters, None, &reader),
            language: reader.language,
            not_understood: Vec::new(),
            parameters,
        }))
    }

    async fn take_back_delegated(
        &self,
        ws: WorkspaceId,
        work: &StartedWork,
    ) -> Result<Answer, WorkError> {
        let id = id_of(&work.operation, work.at);
        let snapshot = match self.snapshot(ws, &id).await {
            Ok(snapshot) => snapshot,
            // The store was restored from a copy without it.
            Err(WorkError::NotFound { .. }) => {
                return Ok(Answer::Write { ops: Vec::new(), news: Vec::new() });
            }
            Err(error) => return Err(error),
        };
        let newest = snapshot.newest.clone();
        if newest.is_some_and(|run| run.started_at.is_some()) {
            let why = format!(
                "agent work {id} has begun: cancel or archive it instead, and delete the entry that it \
                 left if it is done"
            );
            return Ok(Answer::Never(why));
        }
        let now = self.clock.now();
        let open = snapshot.open.clone();
        let mut step = snapshot.step();
        for run in open.iter().filter(|run| run.state == RunState::Queued) {
            step.move_run(run, RunEvent::Cancelled, now, |run| {
                run.ended_by = Some(work.actor.to_string());
            })?;
        }
        step.definition().state = WorkState::Archived;
        let mut ops = step.ops(ws, now);
        for run in &open {
            ops.push(dormouse_store::agent::wake_queue::clear_signals(ws, &run.id));
        }
        Ok(Answer::Write { ops, news: vec![event(EventKind::WorkStatus, id.as_str())] })
    }

    /// Brings one result back. The entry is written under a key of the run, so a crash between the two
    /// databases repeats nothing.
    async fn bring_back(&self, ws: WorkspaceId, one: &Pending) -> Result<(), WorkError> {
        let run = self.run(ws, &one.run).await?;
        if run.attempt != one.attempt {
            // A person had it tried again: what it says now is not what this attempt came to, and the end
            // of the newer one is brought back by itself.
            return self.returned(ws, one, &run, Some("the run was tried again")).await;
        }
        let definition = self.store.first(definition::by_id(ws, &run.work)).await?;
        let definition =
            definition.ok_or_else(|| WorkError::NotFound { work: run.work.clone() })?;
        let holder = HolderId::from(&run.id);
        // What an earlier attempt published stays, and the newest one may have been shown less.
        let made_of = sources_of(&run).into_iter();
        let made_of = made_of.chain(origin_of(&definition).map(Source::Proposals)).collect();
        let made_of = clearance::made_of(&self.store, ws, &holder, &made_of).await?;
        // Without a language model it reads every task, the private ones and what was imported included.
        let has_read_all = is_built_in(&run);
        let entry = Edit::AddEntry {
            kind: EntryKind::Text,
            text: Some(entry_text(&definition.title, &run)),
            transcript: None,
            minutes: None,
            on: None,
            tainted: made_of.has_read || has_read_all,
            flags: Flags { private: made_of.is_private || has_read_all, ..Flags::default() },
        };
        let mut ctx = EditCtx::new(Origin::Work { run: run.id.clone() }, Actor::from(&holder));
        let id = hash::joined(&[run.id.as_str(), "result", &one.attempt.to_string()]).0;
        ctx.once = Some(OnceKey { request: hash::sha256(&id), id });
        ctx.depth = run.depth + 1;
        let written = self.journal.edit(ws, &one.task, &[entry], &ctx).await;
        let gone = match written {
            Ok(_) => None,
            Err(
                error @ (JournalError::NoTask { .. }
                | JournalError::Edit(EditError::Deleted { .. })),
            ) => Some(error.to_string()),
            Err(JournalError::Read(error)) => return Err(error.into()),
            Err(error) => return Err(crate::error::broken(error)),
        };
        self.returned(ws, one, &run, gone.as_deref()).await
    }

    /// Notes that a result was brought back, or why it never is.
    async fn returned(
        &self,
        ws: WorkspaceId,
        one: &Pending,
        run: &Run,
        gone: Option<&str>,
    ) -> Result<(), WorkError> {
        let commit = Commit::new("work.returned", Db::Agent, ws)
            .op(result::done(ws, one, gone))
            .change(event(EventKind::WorkStatus, run.work.as_str()));
        match self.store.commit(commit).await {
            // Another node was faster.
            Err(error) if error.refusal() == Some(Refusal::Stale) => Ok(()),
            other => Ok(other.map(drop)?),
        }
    }
}

/// The entry of a result: its title, what was published or why there is nothing, and how it ended if not well.
fn entry_text(title: &str, run: &Run) -> String {
    let outcome_text = match run.state {
        RunState::Succeeded | RunState::NoOp => outcome_text(run),
        _ => run.result.as_ref().or(run.error.as_ref()).map_or(NO_RESULT, String::as_str),
    };
    let outcome_text = outcome_text.trim();
    let ended = match run.state {
        RunState::Succeeded | RunState::NoOp => String::new(),
        state => format!(" ({})", state.name().replace('_', " ")),
    };
    let title = run.result_title.as_deref().unwrap_or(title);
    let mut text = format!("**Agent work: {title}**{ended}\n\n{outcome_text}");
    if text.len() > limits::ENTRY_TEXT.max {
        let more = "\n\n… The rest is in the log of the agent work.";
        text.truncate(text.floor_char_boundary(limits::ENTRY_TEXT.max - more.len()));
        text.push_str(more);
    }
    text
}

impl Delegate for Delegated {
    fn not_yet<'a>(
        &'a self,
        ws: WorkspaceId,
        wanted: &'a WantedWork,
    ) -> BoxFuture<'a, Result<Option<String>, DecideError>> {
        Box::pin(async move {
            match self.0.done_without_model(ws, &wanted.instructions).await {
                Ok(_) => Ok(None),
                Err(error @ WorkError::NeedsLanguageModel { .. }) => Ok(Some(error.to_string())),
                Err(error) => Err(to_changes(error)),
            }
        })
    }

    fn start<'a>(
        &'a self,
        ws: WorkspaceId,
        work: &'a StartedWork,
    ) -> BoxFuture<'a, Result<Answer, DecideError>> {
        Box::pin(async move { self.0.start_delegated(ws, work).await.map_err(to_changes) })
    }

    fn take_back<'a>(
        &'a self,
        ws: WorkspaceId,
        work: &'a StartedWork,
    ) -> BoxFuture<'a, Result<Answer, DecideError>> {
        Box::pin(async move { self.0.take_back_delegated(ws, work).await.map_err(to_changes) })
    }
}

fn to_changes(error: WorkError) -> DecideError {
    match error {
        WorkError::Read(error) => error.into(),
        WorkError::Commit(error) => error.into(),
        other => DecideError::Broken(other.to_string()),
    }
}

impl Chore for Results {
    fn name(&self) -> &'static str {
        "results of delegated work"
    }

    fn when(&self) -> When {
        When::EachPoll
    }

    fn work(
        &self,
        of: Option<WorkspaceId>,
        _: Timestamp,
    ) -> BoxFuture<'_, Result<Done, HandlerError>> {
        Box::pin(async move {
            let mut done = Done::default();
            let (mut place, mut n_brought) = (Some(Place::START), 0);
            while let Some(after) = place.filter(|_| n_brought < AT_ONCE) {
                let page = self.0.store.all(result::pending(of, &after, AT_ONCE)).await;
                let page = page.map_err(WorkError::from)?;
                place = Place::after_page(&page, AT_ONCE);
                for one in page {
                    let pending = match one.row {
                        Ok(pending) => pending,
                        Err(damaged) => {
                            done.lines.push(Err(damaged.to_string()));
                            continue;
                        }
                    };
                    // A result that cannot be brought back stops no other.
                    match self.0.bring_back(one.place.workspace, &pending).await {
                        Ok(()) => n_brought += 1,
                        Err(error) => {
                            done.lines.push(Err(format!("result of run {}: {error}", pending.run)));
                        }
                    }
                }
            }
            Ok(done)
        })
    }
}
