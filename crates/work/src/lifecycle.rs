//! The lifecycle of a definition: it is edited, paused, resumed, archived, deleted, held.

use std::collections::{BTreeSet, HashSet};

use dormouse_store::agent::wake_queue;
use dormouse_store::agent::work::definition::Definition;
use dormouse_store::agent::work::run::{Occurrence, Run};
use dormouse_store::agent::work::version::{self, Version};
use dormouse_store::agent::work::{delivery, filter, hook, question, step};
use dormouse_store::{Commit, Db, Op, Refusal, in_list, retry};
use dormouse_types::audit::AuditAction;
use dormouse_types::built_in_work::BuiltInWork;
use dormouse_types::work::{
    CatchUp, Overlap, RunEvent, RunState, SkipReason, WorkAction, WorkCreator, WorkState, WorkType,
};
use dormouse_types::work_filter::EventFilter;
use dormouse_types::work_step::{self, WorkStep};
use dormouse_types::{Actor, EventKind, Id as _, Timestamp, WorkId, WorkspaceId};

use crate::definition::{ReadSchedule, built_in, checked, checked_steps, checked_template, stored};
use crate::snapshot::{Step, Written};
use crate::templates::Followed;
use crate::wording::{instructions, title};
use crate::{ATTEMPTS, RequestContext, Work, WorkError, event};

/// What can be done with a definition as it is, besides editing it.
pub fn possible_actions(definition: &Definition, is_suspended: bool) -> Vec<WorkAction> {
    let state = definition.state;
    let is_possible = |action: WorkAction| match action {
        // What was paused with all may be paused alone as well, so that it stays paused when all is resumed.
        WorkAction::Pause => state.may_become(WorkState::Paused) || definition.paused_with_all,
        WorkAction::Resume => state.may_become(WorkState::Active) || is_suspended,
        WorkAction::Cancel => {
            definition.run_state.is_some_and(|state| state.after(RunEvent::Cancelled).is_ok())
        }
        WorkAction::Archive => state != WorkState::Archived,
    };
    WorkAction::ALL.iter().copied().filter(|action| is_possible(*action)).collect()
}

/// What is changed about a definition. `None` leaves it as it is.
#[derive(Debug, Clone, Default)]
pub struct Edit {
    pub title: Option<String>,
    /// The instructions of its runs, from the next run on.
    pub instructions: Option<String>,
    /// What it does without a language model; the inner `None` gives it to one.
    pub built_in: Option<Option<BuiltInWork>>,
    /// When it happens.
    pub schedule: Option<ReadSchedule>,
    /// The changes of tasks that start it, from now on; empty for none.
    pub events: Option<Vec<EventFilter>>,
    /// What its runs have to do, from the next run on; empty for nothing besides the instructions.
    pub steps: Option<Vec<WorkStep>>,
    /// The policy for missed occurrences.
    pub catch_up: Option<CatchUp>,
    /// The most that a missed occurrence may be late and still run. Units: hours.
    pub catch_up_hours: Option<i64>,
    /// The policy for overlapping occurrences.
    pub overlap: Option<Overlap>,
    /// The model it asks; the inner `None` is that of its template, or of the workspace.
    pub model: Option<Option<String>>,
    /// The template that its runs follow, from now on; the inner `None` for none.
    pub template: Option<Option<Followed>>,
}

impl Work {
    /// Changes a definition. New instructions count from the next run; a new schedule makes new
    /// occurrences, none of which is due before now.
    pub async fn edit(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        edit: &Edit,
        context: &RequestContext,
    ) -> Result<Written, WorkError> {
        let new_title = edit.title.as_deref().map(title).transpose()?;
        let new_instructions = edit.instructions.as_deref().map(instructions).transpose()?;
        checked(edit.events.as_deref().unwrap_or_default())?;
        work_step::check(edit.steps.as_deref().unwrap_or_default()).map_err(WorkError::from)?;
        // They matter only to an edit that gives the work to the rules.
        let steps_after = match (&edit.steps, &edit.built_in) {
            (Some(steps), _) => steps.clone(),
            (None, Some(Some(_))) => self.steps(ws, id).await?,
            (None, Some(None) | None) => Vec::new(),
        };
        let (host, head) = (self.store.host(Db::Journal), self.journal_head(ws).await?);
        let (action, ends_pause) = (AuditAction::WorkEdit, edit.schedule.is_some());
        let what = (action, context.sent.as_str(), context);
        self.change_paused(ws, id, what, ends_pause, |step, (open, have_rows), now| {
            if ends_pause {
                // By the new schedule nothing of it is known any more.
                self.leave_out_paused(step, have_rows, now);
            }
            let after = step.definition();
            let before = built_in(after)?;
            if let Some(title) = &new_title {
                after.title.clone_from(title);
            }
            after.catch_up = edit.catch_up.unwrap_or(after.catch_up);
            after.catch_up_hours = edit.catch_up_hours.unwrap_or(after.catch_up_hours);
            after.overlap = edit.overlap.unwrap_or(after.overlap);
            if let Some(model) = &edit.model {
                after.model.clone_from(model);
            }
            if let Some(built_in) = &edit.built_in {
                after.built_in = built_in.as_ref().map(stored).transpose()?;
            }
            if let Some(schedule) = &edit.schedule {
                if after.kind == WorkType::Immediate {
                    let hint = "it runs once, without a schedule: make new work with this schedule";
                    return Err(WorkError::State { work: id.clone(), state: after.state, hint });
                }
                after.position = None;
                self.set_schedule(after, schedule, now)?;
            }
            let mut ops = match &edit.built_in {
                Some(new) => {
                    let change = (before.as_ref(), new.as_ref());
                    self.standing_rule(ws, id, change, &context.actor, now)
                }
                None => Vec::new(),
            };
            if let Some(template) = &edit.template {
                after.template = template.as_ref().map(|followed| followed.id.clone());
                checked_template(after.template.as_ref(), after.built_in.is_some())?;
                ops.extend(template.as_ref().map(|followed| followed.guard.clone()));
            }
            if before.is_none() && after.built_in.is_some() {
                checked_template(after.template.as_ref(), true)?;
                checked_steps(&steps_after, true)?;
            }
            if edit.model.is_some() || edit.template.is_some() || edit.built_in.is_some() {
                // What put a run off may not concern the other model.
                ops.extend(open.iter().map(|run| wake_queue::release_one(ws, &run.id, now)));
            }
            if let Some(events) = &edit.events {
                if after.kind == WorkType::Immediate {
                    let hint = "it runs once: make new work that these changes start";
                    return Err(WorkError::State { work: id.clone(), state: after.state, hint });
                }
                ops.push(match events.as_slice() {
                    [] => filter::delete(ws, id),
                    events => filter::put(ws, id, events, &host, head),
                });
            }
            if let Some(steps) = &edit.steps {
                checked_steps(steps, after.built_in.is_some())?;
                ops.push(match steps.as_slice() {
                    [] => step::delete(ws, id),
                    steps => step::put(ws, id, steps),
                });
            }
            let Some(instructions) = &new_instructions else { return Ok(ops) };
            after.version += 1;
            let version = Version {
                work: id.clone(),
                version: after.version,
                instructions: instructions.clone(),
                made_by: context.actor.to_string(),
                created_at: now,
            };
            ops.push(version::insert(ws, &version));
            Ok(ops)
        })
        .await
    }

    /// Lets a definition start no runs until it is resumed. A run that is under way goes on; what has
    /// not begun never will. One that was paused with all is not resumed with all any more.
    ///
    /// Errors: it is held, which the person is to know, and the caller may not decide.
    pub async fn pause(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        context: &RequestContext,
    ) -> Result<Written, WorkError> {
        self.pause_it(ws, id, false, context).await
    }

    async fn pause_it(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        with_all: bool,
        context: &RequestContext,
    ) -> Result<Written, WorkError> {
        self.change(ws, id, (AuditAction::WorkPause, "", context), |step, open, now| {
            let after = step.definition();
            if after.state == WorkState::Paused && after.paused_with_all && !with_all {
                after.paused_with_all = false;
                return Ok(Vec::new());
            }
            let is_held = after.state == WorkState::Held;
            context.require_decider(id, is_held)?;
            step.definition().next_due_at = None;
            move_to(step, WorkState::Paused)?;
            step.definition().paused_with_all = with_all;
            if is_held {
                // What was due since the copy was made may have run elsewhere: no pause left it out.
                self.plan_from(step.definition(), now)?;
            }
            skip_queued(step, open, now)?;
            Ok(Vec::new())
        })
        .await
    }

    /// Lets a definition start runs again. What was due or changed meanwhile never starts one; what was due has a row
    /// that says so. Of one that is not paused, its suspension ends.
    pub async fn resume(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        context: &RequestContext,
    ) -> Result<Written, WorkError> {
        let (host, head) = (self.store.host(Db::Journal), self.journal_head(ws).await?);
        let what = (AuditAction::WorkResume, "", context);
        self.change_paused(ws, id, what, true, |step, (_, have_rows), now| {
            if step.definition().state == WorkState::Active && self.end_suspension(step, now)? {
                return Ok(Vec::new());
            }
            self.leave_out_paused(step, have_rows, now);
            move_to(step, WorkState::Active)?;
            self.plan_from(step.definition(), now)?;
            Ok(vec![filter::count_from(ws, id, &host, head)])
        })
        .await
    }

    /// Ends a definition; its history stays.
    ///
    /// Errors: it needs the person, and the caller may not decide.
    pub async fn archive(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        context: &RequestContext,
    ) -> Result<Written, WorkError> {
        self.change(ws, id, (AuditAction::WorkArchive, "", context), |step, open, now| {
            context.require_decider(id, step.needs_the_person())?;
            let after = step.definition();
            after.state = WorkState::Archived;
            after.next_due_at = None;
            skip_queued(step, open, now)?;
            Ok(Vec::new())
        })
        .await
    }

    /// Takes a definition out of all lists. Nothing of it starts any more, and its rows stay. Returns it as
    /// it is left.
    ///
    /// Errors: it needs the person, and the caller may not decide.
    pub async fn delete(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        context: &RequestContext,
    ) -> Result<Written, WorkError> {
        self.change(ws, id, (AuditAction::WorkDelete, "", context), |step, open, now| {
            context.require_decider(id, step.needs_the_person())?;
            let mut closing = Vec::new();
            let after = step.definition();
            after.state = WorkState::Archived;
            after.next_due_at = None;
            after.deleted_at = Some(now);
            skip_queued(step, open, now)?;
            // Runs that wait for another attempt, or for the person, are cancelled too.
            let waits =
                |run: &&Run| run.state.waits_for_the_person() || run.state == RunState::Queued;
            for run in open.iter().filter(|run| waits(run) && run.started_at.is_some()) {
                step.move_run(run, RunEvent::Cancelled, now, |run| {
                    run.ended_by = Some(context.actor.to_string());
                })?;
                closing.push(question::close_of_run(ws, &run.id, now));
            }
            closing.push(dormouse_store::agent::conversation::unlink_work(ws, id));
            closing.push(delivery::settle_work(ws, id, now));
            Ok(closing)
        })
        .await
    }

    /// Pauses every definition that may still start runs, and returns how many they were; what has ended stays as it
    /// is. One that cannot be paused keeps no other from it.
    ///
    /// Errors: the first of those that could not be paused.
    pub async fn pause_all(
        &self,
        ws: WorkspaceId,
        context: &RequestContext,
    ) -> Result<usize, WorkError> {
        let (mut n_paused, mut failed) = (0, None);
        let definitions = self.definitions(ws).await?;
        let mut started_otherwise = self.called(ws, &definitions).await?;
        let filters = self.store.all(filter::of_active(ws)).await?;
        started_otherwise.extend(filters.into_iter().flatten().map(|of| of.work));
        for definition in definitions {
            let is_ended = has_ended(&definition) && !started_otherwise.contains(&definition.id);
            if definition.state == WorkState::Active && !is_ended {
                let context = RequestContext { key: None, ..context.clone() };
                match self.pause_it(ws, &definition.id, true, &context).await {
                    Ok(_) => n_paused += 1,
                    Err(error) => failed = failed.or(Some(error)),
                }
            }
        }
        failed.map_or(Ok(n_paused), Err)
    }

    /// Resumes every definition that [`Self::pause_all`] paused, and returns how many they were. What the person had
    /// paused before stays paused. One that cannot be resumed keeps no other from it.
    ///
    /// Errors: the first of those that could not be resumed.
    pub async fn resume_all(
        &self,
        ws: WorkspaceId,
        context: &RequestContext,
    ) -> Result<usize, WorkError> {
        let (mut n_resumed, mut failed) = (0, None);
        for definition in self.definitions(ws).await? {
            if definition.state == WorkState::Paused && definition.paused_with_all {
                let context = RequestContext { key: None, ..context.clone() };
                match self.resume(ws, &definition.id, &context).await {
                    Ok(_) => n_resumed += 1,
                    Err(error) => failed = failed.or(Some(error)),
                }
            }
        }
        failed.map_or(Ok(n_resumed), Err)
    }

    /// Which of these definitions have a hook.
    async fn called(
        &self,
        ws: WorkspaceId,
        definitions: &[Definition],
    ) -> Result<BTreeSet<WorkId>, WorkError> {
        let ids: Vec<WorkId> = definitions.iter().map(|one| one.id.clone()).collect();
        let mut called = BTreeSet::new();
        for page in ids.chunks(in_list::MOST) {
            called.extend(self.store.all(hook::having(ws, page)).await?);
        }
        Ok(called)
    }

    /// Lets nothing start that waits to start, because the data was restored: since the copy was made,
    /// it may have run. What is under way ends at its next claim. Returns the definitions that are
    /// held, oldest first; to hold again what is held changes nothing.
    pub async fn hold_all(&self, ws: WorkspaceId) -> Result<Vec<Definition>, WorkError> {
        let context = RequestContext {
            actor: Actor::Program,
            key: None,
            may_decide: true,
            creator: WorkCreator::Scheduler,
            sent: String::new(),
        };
        let definitions = self.definitions(ws).await?;
        let called = self.called(ws, &definitions).await?;
        let may_start = |one: &Definition| {
            one.state == WorkState::Active
                && (one.next_due_at.is_some()
                    || called.contains(&one.id)
                    || one.run_state.is_some_and(RunState::holds_its_place))
        };
        let held: Vec<Definition> = definitions.into_iter().filter(may_start).collect();
        for definition in &held {
            let changed = self
                .change(
                    ws,
                    &definition.id,
                    (AuditAction::WorkHold, "", &context),
                    |step, open, now| {
                        step.definition().next_due_at = None;
                        move_to(step, WorkState::Held)?;
                        skip_queued(step, open, now)?;
                        Ok(Vec::new())
                    },
                )
                .await;
            match changed {
                // One whose runs cannot be read is disabled when it is due, and starts none of them.
                Err(error) if error.is_damage() => {}
                other => _ = other?,
            }
        }
        Ok(held)
    }

    /// Changes a definition and its runs in one commit, decided on rows that have not changed since. Returns
    /// it as it was written; for a repeated request, as it is now.
    pub(crate) async fn change(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        (action, subject, context): (AuditAction, &str, &RequestContext),
        change: impl Fn(&mut Step, &[Run], Timestamp) -> Result<Vec<Op>, WorkError>,
    ) -> Result<Written, WorkError> {
        let what = (action, subject, context);
        self.change_paused(ws, id, what, false, |step, (open, _), now| change(step, open, now))
            .await
    }

    /// The same, for a change that may end a pause: it is also decided on the occurrences that have a row although
    /// the pause leaves them out.
    async fn change_paused(
        &self,
        ws: WorkspaceId,
        id: &WorkId,
        (action, subject, context): (AuditAction, &str, &RequestContext),
        ends_pause: bool,
        change: impl Fn(
            &mut Step,
            (&[Run], &HashSet<Occurrence>),
            Timestamp,
        ) -> Result<Vec<Op>, WorkError>,
    ) -> Result<Written, WorkError> {
        let once = context.once(action.name(), &format!("{id}|{subject}"), id.as_str());
        let changed = retry(ATTEMPTS, &[Refusal::Stale], || async {
            let snapshot = self.snapshot(ws, id).await?;
            if snapshot.definition.deleted_at.is_some() {
                return Err(WorkError::NotFound { work: id.clone() });
            }
            let have_rows = match ends_pause {
                true => self.rows_in_pause(ws, &snapshot.definition).await?,
                false => HashSet::new(),
            };
            let now = self.clock.now();
            let open = snapshot.open.clone();
            let mut step = snapshot.step();
            let ops = change(&mut step, (&open, &have_rows), now)?;
            let mut news = step.client_events();
            if action == AuditAction::WorkHold {
                news.push(event(EventKind::WorkNeedsAttention, id.as_str()));
            }
            let mut audit = context.audit(action, id.as_str());
            audit.detail = std::mem::take(&mut step.note);
            let (its_ops, written) = step.decided(ws, now);
            let mut commit = Commit::new("work.change", Db::Agent, ws)
                .ops(ops)
                .ops(its_ops)
                .change(event(EventKind::WorkStatus, id.as_str()))
                .changes(news)
                .audit(audit);
            commit.once.clone_from(&once);
            let committed = self.store.commit(commit).await?;
            Ok(committed.replayed.is_none().then_some(written))
        })
        .await;
        let written = match changed.map_err(|error: WorkError| self.busy(id, error)) {
            Err(refused) => {
                self.unless_repeated(ws, once.as_ref(), refused).await?;
                None
            }
            Ok(written) => written,
        };
        match written {
            Some(written) => Ok(written),
            None => self.written(ws, id).await,
        }
    }
}

/// Changes the state of a definition by a person's wish.
fn move_to(step: &mut Step, to: WorkState) -> Result<(), WorkError> {
    let after = step.definition();
    let from = after.state;
    if !from.may_become(to) {
        let hint = match to {
            WorkState::Paused => "only work that is active can be paused",
            _ => "only work that is paused can be resumed",
        };
        return Err(WorkError::State { work: after.id.clone(), state: from, hint });
    }
    after.state = to;
    after.paused_with_all = false;
    Ok(())
}

/// Whether nothing of a definition is to come, calls and changes aside: it ran once, or its schedule has ended.
fn has_ended(definition: &Definition) -> bool {
    let is_open = definition.run_state.is_some_and(|state| !state.is_over());
    let is_once = definition.kind == WorkType::Immediate || definition.schedule.is_some();
    is_once && definition.next_due_at.is_none() && !is_open
}

/// Leaves out the runs that have not begun.
fn skip_queued(step: &mut Step, open: &[Run], now: Timestamp) -> Result<(), WorkError> {
    for run in open.iter().filter(|run| run.state == RunState::Queued && run.started_at.is_none()) {
        step.move_run(run, RunEvent::Skipped, now, |run| {
            run.skip_reason = Some(SkipReason::Paused);
        })?;
    }
    Ok(())
}
