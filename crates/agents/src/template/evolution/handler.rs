//! Sessions as a kind of holder: what the scheduler asks about them.

use std::sync::Arc;

use dormouse_runs::admission::MayAsk;
use dormouse_scheduler::{
    Admission, Capacity, Due, End, Handler, HandlerError, HolderKind, Lease, Slots, Stop,
};
use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::agent::evolution::Session;
use dormouse_store::agent::wake_queue::Reason;
use dormouse_store::agent::wake_run::{Run, Status};
use dormouse_store::{ChangeRow, Op};
use dormouse_types::agent::Initiator;
use dormouse_types::evolution::EvolutionRole;
use dormouse_types::model::Usage;
use dormouse_types::port::{BoxFuture, Model};
use dormouse_types::template::TemplateKind;
use dormouse_types::{
    EvolutionSessionId, HolderId, Id as _, RunKey, Seq, ThreadId, WorkspaceId, hash,
};

use super::run::EvolutionRun;
use super::step::{Line, Step, moved};
use crate::error::broken;
use crate::template::stock;
use crate::{AgentError, Agents};

/// What a session says when its answer was given up.
const GIVEN_UP: &str = "the run crashed too often: send a message to try again";

/// The handler of sessions about templates.
pub struct EvolutionRuns(pub Agents);

/// The key of a run: made of stored facts only.
fn key_of(session: &Session) -> RunKey {
    RunKey(hash::joined(&[session.id.as_str(), "answer", &session.n_requested.to_string()]).0)
}

fn session_of(holder: &HolderId) -> Result<EvolutionSessionId, AgentError> {
    EvolutionSessionId::try_from(holder).map_err(broken)
}

impl Agents {
    /// A session by its id.
    pub(super) async fn evolution_of(
        &self,
        ws: WorkspaceId,
        id: &EvolutionSessionId,
    ) -> Result<Stored<Session>, AgentError> {
        let found = self.store.first(entity::by_id::<Session>(ws, id.as_str())).await?;
        found.ok_or_else(|| broken(format!("there is no session {id}")))
    }

    /// The model that answers in sessions: that of the improver's template, else that of the workspace.
    fn evolution_model(&self) -> Arc<dyn Model> {
        let improver = stock::of_kind(TemplateKind::Improver).id();
        self.driver.models().of_agent(None, Some(&improver))
    }

    async fn admit_evolution(&self, due: Due<'_>) -> Result<Admission, AgentError> {
        let Due { ws, entry, waiting } = due;
        let now = self.clock.now();
        let id = session_of(&entry.holder)?;
        let ended = |reason: &str| {
            let (reason, news) = (reason.to_owned(), vec![moved(&id)]);
            Ok(Admission::End { reason, ops: Vec::new(), news })
        };
        let found = self.store.first(entity::by_id::<Session>(ws, id.as_str())).await?;
        let Some(stored) = found else { return ended("the session is gone") };
        let session = &stored.doc.value;
        if !session.is_active() {
            return ended("the session has ended");
        }
        if session.answered >= session.n_requested {
            return ended("everything is answered");
        }
        let model = match waiting {
            Some(run) => self.driver.models().named(run.model.as_deref()),
            None => self.evolution_model(),
        };
        let mut ops = match self.driver.may_ask(ws, entry, &*model, now).await? {
            MayAsk::Now(ops) => ops,
            MayAsk::Later { until, why, guard } => {
                return Ok(Admission::Postpone { until, why, guard });
            }
            MayAsk::Elsewhere => return Ok(Admission::Leave),
        };
        // What is said or decided meanwhile refuses the claim, and it is decided again.
        ops.push(entity::unchanged(ws, &stored));
        if waiting.is_some() {
            return Ok(Admission::Resume { ops });
        }
        let run = Run {
            key: key_of(session),
            holder: entry.holder.clone(),
            reason: Reason::UserInitiated.into(),
            reason_id: Some(session.n_requested.to_string()),
            initiator: Initiator::Person.into(),
            thread: ThreadId::fresh(now, &*self.entropy),
            status: Status::Started,
            logical_change_key: None,
            processed: Seq(0),
            upto: Seq(0),
            heard_upto: Seq(session.n_messages),
            epoch: entry.epoch + 1,
            crashes: 0,
            model: Some(model.name().to_owned()),
            cut: false,
            created_at: now,
            started_at: Some(now),
            completed_at: None,
            error: None,
            failure: None,
            usage: Usage::default(),
        };
        Ok(Admission::Start { run: Box::new(run), ops, if_repeated: Vec::new() })
    }
}

impl Handler for EvolutionRuns {
    fn kind(&self) -> HolderKind {
        HolderKind {
            prefix: EvolutionSessionId::PREFIX,
            noun: "session about a template",
            slots: Slots::Shared,
        }
    }

    fn capacity(&self, ws: WorkspaceId) -> BoxFuture<'_, Result<Capacity, HandlerError>> {
        Box::pin(async move { Ok(self.0.capacity(ws).await?) })
    }

    fn admit<'a>(&'a self, due: Due<'a>) -> BoxFuture<'a, Result<Admission, HandlerError>> {
        Box::pin(async move { Ok(self.0.admit_evolution(due).await?) })
    }

    fn run<'a>(
        &'a self,
        lease: &'a Lease,
        stop: &'a Stop,
    ) -> BoxFuture<'a, Result<End, HandlerError>> {
        Box::pin(async move {
            let mut run = EvolutionRun::new(&self.0, session_of(lease.holder())?, lease);
            let driver = self.0.driver.stopping_on(stop.clone());
            Ok(driver.drive(&mut run, lease).await.map_err(AgentError::from)?)
        })
    }

    fn give_up<'a>(
        &'a self,
        ws: WorkspaceId,
        holder: &'a HolderId,
    ) -> BoxFuture<'a, Result<Vec<Op>, HandlerError>> {
        Box::pin(async move {
            let session = self.0.evolution_of(ws, &session_of(holder)?).await?;
            let mut step = Step::of(session, self.0.clock.now());
            if !step.value().is_active() {
                return Ok(Vec::new());
            }
            step.add(&self.0, ws, EvolutionRole::Failed, GIVEN_UP, Line::default());
            step.value().answered = step.value().n_requested;
            Ok(step.into_ops(ws))
        })
    }

    fn announce(&self, holder: &HolderId, _: &str) -> Option<ChangeRow> {
        session_of(holder).ok().map(|id| moved(&id))
    }
}
