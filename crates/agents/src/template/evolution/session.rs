//! Sessions: starting one, saying something, and what a person decides.
//!
//! Every step replaces the row of the session as it was read, so whatever is decided about it is decided
//! one after another, on any number of nodes.

use dormouse_runs::spending;
use dormouse_scheduler::claim::is_over;
use dormouse_scheduler::status::{Event, after};
use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::agent::evolution::{self, Message, Session};
use dormouse_store::agent::template::EVOLUTION;
use dormouse_store::agent::wake_queue::{self, Reason, Signal};
use dormouse_store::agent::{model_call, wake_run};
use dormouse_store::{Commit, Db, Op, Refusal, receipt, retry};
use dormouse_types::audit::AuditAction;
use dormouse_types::closed_list::Listed;
use dormouse_types::evolution::{EvolutionRole, EvolutionStatus};
use dormouse_types::template::TemplateVersionStatus;
use dormouse_types::{
    EvolutionMessageId, EvolutionSessionId, Id as _, RequestId, Seq, TemplateId, TemplateVersionId,
    Timestamp, WorkspaceId, address, limits,
};

use super::step::{Line, Step, moved};
use crate::error::broken;
use crate::lifecycle::{ATTEMPTS, RequestContext, audit, once};
use crate::template::TemplateError;
use crate::template::edit::{Approval, Change, Content, Request, Wanted, busy};
use crate::{AgentError, Agents};

/// What ends the run of a session that a person decided meanwhile.
const DECIDED: &str = "the session was decided";
/// What ends the run of an answer that a person cancelled.
const CANCELLED: &str = "cancelled";

/// Checks what a person says.
fn checked_message(text: &str) -> Result<&str, AgentError> {
    let text = text.trim();
    if !text.contains(address::is_seen) {
        return Err(TemplateError::EmptyMessage.into());
    }
    limits::EVOLUTION_MESSAGE.check(text.len())?;
    Ok(text)
}

impl Agents {
    /// The session of a template that goes on.
    ///
    /// Errors: none goes on.
    pub async fn evolution(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
    ) -> Result<Stored<Session>, AgentError> {
        let active = self.store.first(evolution::active(ws, id)).await?;
        Ok(active.ok_or_else(|| TemplateError::NoEvolution { template: id.clone() })?)
    }

    /// A session of a template, whether it goes on or not.
    pub async fn evolution_session(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
        session: &EvolutionSessionId,
    ) -> Result<Stored<Session>, AgentError> {
        let found = self.store.first(entity::by_id::<Session>(ws, session.as_str())).await?;
        let found = found.filter(|found| found.doc.value.agent_id == *id);
        let (template, session) = (id.clone(), session.clone());
        Ok(found.ok_or(TemplateError::NoSession { template, session })?)
    }

    /// The lines of a session, oldest first.
    pub async fn evolution_messages(
        &self,
        ws: WorkspaceId,
        session: &EvolutionSessionId,
    ) -> Result<Vec<Message>, AgentError> {
        let stored = self.store.all(evolution::messages(ws, session)).await?;
        let mut messages: Vec<Message> = stored.into_iter().map(|it| it.doc.value).collect();
        messages.sort_by_key(|message| message.n);
        Ok(messages)
    }

    /// Starts a session about a template; the model is called at once, for an answer to `text` or for what
    /// it finds by itself.
    ///
    /// Errors: one goes on, which is named; the template is archived, or has no active version.
    pub async fn start_evolution(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
        text: Option<&str>,
        context: &RequestContext,
    ) -> Result<EvolutionSessionId, AgentError> {
        let text = text.map(checked_message).transpose()?;
        let started = retry(ATTEMPTS, &[Refusal::Exists, Refusal::Stale], || {
            self.start_evolution_once(ws, id, text, context)
        });
        started.await.map_err(|error| busy(id, error))
    }

    async fn start_evolution_once(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
        text: Option<&str>,
        context: &RequestContext,
    ) -> Result<EvolutionSessionId, AgentError> {
        let subject = format!("{id}|{}", text.unwrap_or_default());
        if let Some(known) = self.answered(ws, context, "evolution.start", &subject).await? {
            return known.parse().map_err(broken);
        }
        let template = self.template(ws, id).await?;
        if template.doc.value.archived_at.is_some() {
            Err(TemplateError::Archived { template: id.clone() })?;
        }
        if let Some(active) = self.store.first(evolution::active(ws, id)).await? {
            let session = active.doc.value.id;
            Err(TemplateError::EvolutionActive { template: id.clone(), session })?;
        }
        let base = self.active_version(ws, id).await?.doc.value.version;
        let newest = self.store.first(entity::of_agent::<Session>(ws, id, 1)).await?;
        let n = newest.map_or(0, |newest| newest.doc.value.n) + 1;
        let now = self.clock.now();
        let session = Session {
            id: Session::id_of(id, n),
            agent_id: id.clone(),
            n,
            status: Listed::Known(EvolutionStatus::Active),
            base_version: base,
            n_messages: i64::from(text.is_some()),
            n_requested: 1,
            answered: 0,
            n_proposals: 0,
            proposal: None,
            new_version: None,
            started_by: context.actor.to_string(),
            created_at: now,
            updated_at: now,
            ended_at: None,
        };
        let first = text.map(|text| Message {
            id: EvolutionMessageId::fresh(now, &*self.entropy),
            session: session.id.clone(),
            n: 1,
            role: Listed::Known(EvolutionRole::Person),
            text: text.to_owned(),
            proposal: None,
            verdict_on: None,
            run: None,
            created_at: now,
        });
        let session_id = session.id.clone();
        // The template may be archived or deleted between the look and the commit. The id is made of the
        // number, so of two that start at once the second is refused.
        let mut commit = Commit::new("evolution.start", Db::Agent, ws)
            .op(entity::unchanged(ws, &template))
            .op(entity::insert(ws, &session))
            .ops(first.iter().map(|first| entity::insert(ws, first)).collect::<Vec<_>>())
            .op(wake_queue::insert(ws, &session_id, None, now))
            .op(wake_queue::signal(ws, &self.signal_of(&session_id, now)))
            .change(moved(&session_id))
            .audit(audit(context, AuditAction::EvolutionStart, id.as_str()));
        commit.once = once(context, "evolution.start", &subject, session_id.as_str());
        self.store.commit(commit).await?;
        Ok(session_id)
    }

    fn signal_of(&self, session: &EvolutionSessionId, now: Timestamp) -> Signal {
        Signal {
            holder: session.into(),
            reason: Reason::UserInitiated,
            at: now,
            due_at: Some(now),
            upto: Seq(0),
            request_id: Some(RequestId::fresh(now, &*self.entropy).to_string()),
        }
    }

    /// Says something in the session of a template; a run answers it.
    ///
    /// Errors: no session goes on; the text is blank or too long; the session has no room for more.
    pub async fn say_in_evolution(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
        text: &str,
        context: &RequestContext,
    ) -> Result<EvolutionSessionId, AgentError> {
        let text = checked_message(text)?;
        let subject = format!("{id}|{text}");
        self.step_evolution(ws, id, (AuditAction::EvolutionSay, &subject, context), |mut step| {
            let (agents, text) = (self.clone(), text.to_owned());
            async move {
                let n = usize::try_from(step.value().n_messages).unwrap_or(usize::MAX);
                // An answer, its proposal and a verdict on it need room as well.
                limits::EVOLUTION_MESSAGES.check(n.saturating_add(4))?;
                step.add(&agents, ws, EvolutionRole::Person, &text, Line::default());
                step.value().n_requested += 1;
                let signal = agents.signal_of(&step.session.doc.value.id, step.now);
                step.ops.push(wake_queue::signal(ws, &signal));
                Ok(step)
            }
        })
        .await
    }

    /// Turns a proposal down: nothing about the template changes, and the model reads it with its next
    /// turn.
    pub async fn reject_evolution(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
        proposal: Option<i64>,
        reason: &str,
        context: &RequestContext,
    ) -> Result<EvolutionSessionId, AgentError> {
        let reason = reason.trim();
        limits::REASON.check(reason.chars().count())?;
        let subject = format!("{id}|{proposal:?}|{reason}");
        self.step_evolution(
            ws,
            id,
            (AuditAction::EvolutionReject, &subject, context),
            |mut step| {
                let (agents, reason) = (self.clone(), reason.to_owned());
                async move {
                    let session = step.value().id.clone();
                    let pending = step.value().proposal.take();
                    let pending = pending.filter(|it| proposal.is_none_or(|n| n == it.n));
                    let pending = pending.ok_or(TemplateError::NoProposal { session })?;
                    let about = Line { verdict_on: Some(pending.n), ..Line::default() };
                    step.add(&agents, ws, EvolutionRole::Rejected, &reason, about);
                    Ok(step)
                }
            },
        )
        .await
    }

    /// Ends the session of a template without a new version. An answer under way is not waited for.
    pub async fn abandon_evolution(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
        context: &RequestContext,
    ) -> Result<EvolutionSessionId, AgentError> {
        let subject = id.to_string();
        self.step_evolution(
            ws,
            id,
            (AuditAction::EvolutionAbandon, &subject, context),
            |mut step| {
                let agents = self.clone();
                async move {
                    step.end(EvolutionStatus::Abandoned);
                    let session = &step.session.doc.value.id;
                    let ops = agents.without_run(ws, session, DECIDED, step.now).await?;
                    step.ops.extend(ops);
                    Ok(step)
                }
            },
        )
        .await
    }

    /// Ends the answer that is under way or waits, on whichever node; what it was to answer can be said
    /// again.
    pub async fn cancel_evolution_answer(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
        context: &RequestContext,
    ) -> Result<EvolutionSessionId, AgentError> {
        let subject = format!("{id}|cancel");
        self.step_evolution(ws, id, (AuditAction::AgentCancelRun, &subject, context), |mut step| {
            let agents = self.clone();
            async move {
                if step.value().answered == step.value().n_requested {
                    return Ok(step);
                }
                step.value().answered = step.value().n_requested;
                step.add(&agents, ws, EvolutionRole::Failed, CANCELLED, Line::default());
                let session = &step.session.doc.value.id;
                let ops = agents.without_run(ws, session, CANCELLED, step.now).await?;
                step.ops.extend(ops);
                Ok(step)
            }
        })
        .await
    }

    /// Makes a proposal the active version of its template: the version before is archived and the session
    /// completed, all in one commit. Model and profile stay as they are.
    ///
    /// Errors: no such proposal waits; another version is active than it was made for, or than the person
    /// saw.
    pub async fn approve_evolution(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
        approval: &Approval,
        context: &RequestContext,
    ) -> Result<(), AgentError> {
        let (action, subject) = (AuditAction::EvolutionApprove, format!("{id}|{approval:?}"));
        let wanted = Wanted::Approve(approval);
        let answer = id.as_str();
        let request = Request { action, subject, if_match: None, context, answer, wanted };
        self.change_template(ws, id, &request).await.map(drop)
    }

    pub(in crate::template) async fn approved(
        &self,
        ws: WorkspaceId,
        change: &mut Change,
        approval: &Approval,
        context: &RequestContext,
    ) -> Result<(), AgentError> {
        let id = change.template.doc.value.id.clone();
        let mut step = Step::of(self.evolution(ws, &id).await?, change.now);
        let session = step.value().id.clone();
        let pending = step.value().proposal.clone().filter(|it| it.n == approval.proposal);
        let pending = pending.ok_or(TemplateError::NoProposal { session: session.clone() })?;
        let active = self.active_version(ws, &id).await?;
        let found = active.doc.value.version;
        for expected in [approval.base_version, pending.base_version] {
            if expected != found {
                Err(TemplateError::Moved { template: id.clone(), expected, found })?;
            }
        }
        let content = Content {
            general: pending.general_directive.clone(),
            report: pending.report_directive.clone(),
            ..Content::of(&active.doc.value)
        };
        self.retire(ws, change, active);
        let template = &change.template.doc.value;
        let count = usize::try_from(template.newest_version + 1).unwrap_or(usize::MAX);
        limits::TEMPLATE_VERSIONS.check(count)?;
        let version = TemplateVersionId::fresh(change.now, &*self.entropy);
        let status = TemplateVersionStatus::Active;
        let mut version = content.version(version, template, status, context, change.now);
        version.authored_by = EVOLUTION.to_owned();
        change.add(ws, &version);
        let about = Line { verdict_on: Some(pending.n), ..Line::default() };
        step.add(self, ws, EvolutionRole::Approved, "", about);
        step.end(EvolutionStatus::Completed);
        step.value().new_version = Some(version.version);
        let run = self.without_run(ws, &session, DECIDED, change.now).await?;
        step.ops.extend(run);
        change.ops.extend(step.into_ops(ws));
        change.news.push(moved(&session));
        Ok(())
    }

    /// The session of a template that is deleted ends with it.
    pub(in crate::template) async fn abandon_with_template(
        &self,
        ws: WorkspaceId,
        change: &mut Change,
    ) -> Result<(), AgentError> {
        let id = change.template.doc.value.id.clone();
        let Some(active) = self.store.first(evolution::active(ws, &id)).await? else {
            return Ok(());
        };
        let mut step = Step::of(active, change.now);
        let session = step.value().id.clone();
        step.end(EvolutionStatus::Abandoned);
        let run = self.without_run(ws, &session, DECIDED, change.now).await?;
        step.ops.extend(run);
        change.ops.extend(step.into_ops(ws));
        change.news.push(moved(&session));
        Ok(())
    }

    /// The writes that take a session out of the queue and end its run, if it has one that has not ended.
    ///
    /// Its owner, on whichever node, finds its lease lost and drops the connection to its model. It writes
    /// no journal, so nobody has to wait for it.
    async fn without_run(
        &self,
        ws: WorkspaceId,
        session: &EvolutionSessionId,
        why: &str,
        now: Timestamp,
    ) -> Result<Vec<Op>, AgentError> {
        let mut ops = Vec::new();
        let Some(row) = self.store.first(wake_queue::of_holder(ws, session)).await? else {
            return Ok(ops);
        };
        if let Some(key) = &row.run_key {
            let run = self.store.first(wake_run::by_key(ws, key)).await?;
            if let Some(run) = run.filter(|run| !is_over(run.status)) {
                let open = self.store.all(model_call::open_of_run(ws, key)).await?;
                let to = after(run.status, Event::Cancelled).map_err(broken)?;
                ops.push(wake_queue::cancel_run(ws, &row, None));
                ops.push(wake_run::cancel(ws, key, run.status, to, now, why));
                ops.extend(spending::assumed(ws, key, &open));
            }
        }
        ops.push(wake_queue::clear_signals(ws, session));
        Ok(ops)
    }

    /// Carries out one step of the session of a template: on its row as it was read, again if another came
    /// first, and once per idempotency key.
    async fn step_evolution<F: Future<Output = Result<Step, AgentError>>>(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
        (action, subject, context): (AuditAction, &str, &RequestContext),
        decide: impl Fn(Step) -> F,
    ) -> Result<EvolutionSessionId, AgentError> {
        let stepped = retry(ATTEMPTS, &[Refusal::Stale, Refusal::LeaseLost], || async {
            if let Some(known) = self.answered(ws, context, action.name(), subject).await? {
                return known.parse().map_err(broken);
            }
            self.template(ws, id).await?;
            let session = self.evolution(ws, id).await?;
            let session_id = session.doc.value.id.clone();
            let before = session.doc.value.clone();
            let step = decide(Step::of(session, self.clock.now())).await?;
            if step.session.doc.value == before && step.ops.is_empty() {
                return Ok(session_id);
            }
            let mut commit = Commit::new("evolution.step", Db::Agent, ws)
                .ops(step.into_ops(ws))
                .change(moved(&session_id))
                .audit(audit(context, action, session_id.as_str()));
            commit.once = once(context, action.name(), subject, session_id.as_str());
            self.store.commit(commit).await?;
            Ok(session_id)
        })
        .await;
        stepped.map_err(|error: AgentError| busy(id, error))
    }

    /// The answer to a request that was carried out before.
    async fn answered(
        &self,
        ws: WorkspaceId,
        context: &RequestContext,
        verb: &str,
        subject: &str,
    ) -> Result<Option<String>, AgentError> {
        let Some(once) = once(context, verb, subject, "") else { return Ok(None) };
        let receipt = self.store.first(receipt::by_id(Db::Agent, ws, &once.id)).await?;
        match receipt {
            Some(receipt) if receipt.request == once.request => Ok(Some(receipt.answer)),
            Some(_) => Err(AgentError::Reused { id: once.id }),
            None => Ok(None),
        }
    }
}
