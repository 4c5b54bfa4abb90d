//! A call of a hook: verified, counted, and turned into a run.

use dormouse_store::agent::work::hook::{self, Hook};
use dormouse_store::agent::work::hook_call::{self, Became, HookCall};
use dormouse_store::agent::work::run::Occurrence;
use dormouse_store::{Commit, Db, MaybeRefused as _, Refusal, retry};
use dormouse_types::work::{WorkCreator, WorkState};
use dormouse_types::work_hook::HookRefusal;
use dormouse_types::{EventKind, HookId, Id as _, Timestamp, WorkRunId, WorkspaceId, hash, limits};

use super::signature::{Delivery, HookHeaders, HookSecret, verify};
use super::{accepted, seal};
use crate::run_start::CALL;
use crate::snapshot::NewRun;
use crate::{ATTEMPTS, Work, WorkError, event};

/// A call as it arrived.
#[derive(Debug, Clone)]
pub struct IncomingCall {
    /// The id in its address.
    pub hook: String,
    pub headers: HookHeaders,
    pub body: Vec<u8>,
    /// The address that it came from.
    pub sender: String,
}

/// What an accepted call led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    pub run: WorkRunId,
    /// Whether an earlier call with the same id started it.
    pub is_repeated: bool,
}

impl Work {
    /// Takes a call: verifies it, and starts a run unless the same call did.
    ///
    /// Errors: it is refused; the refusal is counted, without the body.
    pub async fn receive(
        &self,
        ws: WorkspaceId,
        call: &IncomingCall,
    ) -> Result<Received, WorkError> {
        // The time that all nodes share: one whose clock is off refuses what is right and accepts what is
        // late.
        let now = self.store.time().await?.unwrap_or_else(|| self.clock.now());
        let known = match call.hook.parse::<HookId>() {
            Ok(id) => self.present(ws, &id).await?,
            Err(_) => None,
        };
        let Some(hook) = known else {
            return Err(self.refuse(ws, None, HookRefusal::Unknown, call, now).await?);
        };
        match self.accept(ws, &hook, call, now).await {
            Err(WorkError::HookRefused(why)) => {
                Err(self.refuse(ws, Some(&hook.id), why, call, now).await?)
            }
            other => other,
        }
    }

    /// A hook that is not removed.
    async fn present(&self, ws: WorkspaceId, id: &HookId) -> Result<Option<Hook>, WorkError> {
        let found = self.store.first(hook::by_id(ws, id)).await?;
        Ok(found.filter(|hook| hook.removed_at.is_none()))
    }

    async fn accept(
        &self,
        ws: WorkspaceId,
        hook: &Hook,
        call: &IncomingCall,
        now: Timestamp,
    ) -> Result<Received, WorkError> {
        let refused = WorkError::HookRefused;
        let delivery = self.verified(hook, call, now)?;
        // What Postgres cannot store as text is no text here either.
        let payload = std::str::from_utf8(&call.body).ok().filter(|text| !text.contains('\0'));
        let payload = payload.ok_or(refused(HookRefusal::Malformed))?.to_owned();
        let arrived = HookCall {
            run: WorkRunId::fresh(now, &*self.entropy),
            hook: hook.id.clone(),
            delivery: delivery.id.clone(),
            signed: delivery.signed.clone(),
            body_hash: hash::sha256(&call.body).0,
            payload,
            removed_bytes: None,
            sender: call.sender.clone(),
            received_at: now,
        };
        // `Exists`: the same call was accepted meanwhile, on this node or another one.
        let accepted = retry(ATTEMPTS, &[Refusal::Stale, Refusal::Exists], || async {
            if let Some(earlier) = self.earlier(ws, &hook.id, &delivery).await? {
                return self.repeated(ws, &arrived, &earlier, now).await;
            }
            // It may have been removed since the call came, or got another secret.
            let present = self.present(ws, &hook.id).await?;
            let present = present.ok_or(refused(HookRefusal::Unknown))?;
            self.verified(&present, call, now)?;
            let snapshot = self.snapshot(ws, &hook.work).await?;
            let definition = &snapshot.definition;
            if definition.deleted_at.is_some() {
                return Err(refused(HookRefusal::Unknown));
            }
            if definition.state != WorkState::Active {
                return Err(refused(HookRefusal::Inactive));
            }
            // Each start of a run writes the definition, so none was counted since it was read.
            let hours = self.store.all(hook_call::hours(ws, Some(&hook.id), 1)).await?;
            let this = hours.first().filter(|found| found.hour == hook_call::hour_of(now));
            if this.is_some_and(|found| found.n_started >= limits::HOOK_RUNS_AN_HOUR) {
                return Err(refused(HookRefusal::TooMany));
            }
            let mut step = snapshot.step();
            step.add_run(arrived.run.clone(), called(&arrived), now);
            let commit = Commit::new("work.hookCall", Db::Agent, ws)
                .op(hook::unchanged(ws, &present))
                .op(hook_call::insert(ws, &arrived))
                .ops(step.ops(ws, now))
                .op(hook_call::count(ws, Some(&hook.id), Became::Started, now))
                .change(event(EventKind::WorkStatus, hook.work.as_str()));
            self.store.commit(commit).await?;
            Ok(Received { run: arrived.run.clone(), is_repeated: false })
        })
        .await;
        accepted.map_err(|error: WorkError| match error.refusal() {
            Some(Refusal::Exists) => WorkError::Busy { work: hook.work.clone() },
            _ => self.busy(&hook.work, error),
        })
    }

    /// The call that was accepted before under this id, or with this signature.
    async fn earlier(
        &self,
        ws: WorkspaceId,
        hook: &HookId,
        delivery: &Delivery,
    ) -> Result<Option<HookCall>, WorkError> {
        if let Some(found) =
            self.store.first(hook_call::of_delivery(ws, hook, &delivery.id)).await?
        {
            return Ok(Some(found));
        }
        Ok(self.store.first(hook_call::of_signed(ws, hook, &delivery.signed)).await?)
    }

    async fn repeated(
        &self,
        ws: WorkspaceId,
        call: &HookCall,
        earlier: &HookCall,
        now: Timestamp,
    ) -> Result<Received, WorkError> {
        if earlier.body_hash != call.body_hash {
            return Err(WorkError::HookRefused(HookRefusal::Altered));
        }
        let commit = Commit::new("work.hookCount", Db::Agent, ws).op(hook_call::count(
            ws,
            Some(&call.hook),
            Became::Repeated,
            now,
        ));
        self.store.commit(commit).await?;
        Ok(Received { run: earlier.run.clone(), is_repeated: true })
    }

    /// Counts a refused call.
    async fn refuse(
        &self,
        ws: WorkspaceId,
        hook: Option<&HookId>,
        why: HookRefusal,
        call: &IncomingCall,
        now: Timestamp,
    ) -> Result<WorkError, WorkError> {
        let became = Became::Refused(why, &call.sender);
        let commit = Commit::new("work.hookCount", Db::Agent, ws)
            .op(hook_call::count(ws, hook, became, now));
        self.store.commit(commit).await?;
        Ok(WorkError::HookRefused(why))
    }

    /// Verifies a call by the secrets of its hook.
    fn verified(
        &self,
        hook: &Hook,
        call: &IncomingCall,
        now: Timestamp,
    ) -> Result<Delivery, WorkError> {
        let secrets = self.opened(hook, now)?;
        verify(hook.form, &secrets, &call.headers, &call.body, now).map_err(WorkError::HookRefused)
    }

    /// The secrets of a hook that are accepted now.
    fn opened(&self, hook: &Hook, now: Timestamp) -> Result<Vec<HookSecret>, WorkError> {
        let unreadable = || WorkError::HookRefused(HookRefusal::Unreadable);
        let key = self.sealing_keys().find().ok().flatten().ok_or_else(unreadable)?;
        let secrets = accepted(&hook.secrets, now).filter_map(|one| {
            let text = seal::open(&key, &hook.id, one.n, &one.sealed)?;
            HookSecret::read(hook.form, &text).ok()
        });
        let secrets: Vec<HookSecret> = secrets.collect();
        if secrets.is_empty() { Err(unreadable()) } else { Ok(secrets) }
    }
}

/// The run that a call starts.
fn called(call: &HookCall) -> NewRun {
    let occurrence = Occurrence {
        source: call.hook.to_string(),
        uid: String::new(),
        original_start: call.delivery.clone(),
        zone: CALL.to_owned(),
        fold: false,
    };
    NewRun {
        occurrence,
        scheduled_for: None,
        skipped: None,
        by: WorkCreator::Scheduler,
        revises: None,
        depth: 0,
    }
}
