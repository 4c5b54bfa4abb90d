//! Notices to the person about agent work, and how far each has come.

use dormouse_store::agent::work::delivery;
use dormouse_store::{Audit, ChangeRow, Commit, Db, Op};
use dormouse_types::audit::AuditAction;
use dormouse_types::delivery::{DeliveryMark, DeliveryState};
use dormouse_types::{Caller, DeliveryId, EventKind, Id as _, Origin, Scope, WorkId};

use crate::request::require;
use crate::view::{AgentWork, Delivery, Page};
use crate::{Dormouse, Error};

impl Dormouse {
    /// A page of notices to the person about agent work, newest first; only those in one state if it is
    /// given.
    pub async fn deliveries(
        &self,
        caller: &Caller,
        state: Option<DeliveryState>,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Delivery>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.deliveries(caller.workspace, state, limit, cursor).await?)
    }

    /// Notes that a delivery was shown, or that the person saw it. What was read stays read; to note the same
    /// twice changes nothing, except that each time it was shown is counted.
    ///
    /// Scope: decide, because an agent must not hide notices from the person.
    ///
    /// Errors: there is no such delivery.
    pub async fn mark_delivery(
        &self,
        caller: &Caller,
        id: &DeliveryId,
        mark: DeliveryMark,
    ) -> Result<Delivery, Error> {
        require(caller, Scope::Decide)?;
        let ws = caller.workspace;
        let mut found = self.queries.delivery(ws, id).await?;
        if mark == DeliveryMark::Read && found.state == DeliveryState::Read {
            return Ok(found);
        }
        let now = self.clock.now();
        let (op, action) = match mark {
            DeliveryMark::Delivered => {
                (delivery::delivered(ws, id, now), AuditAction::DeliveryDelivered)
            }
            DeliveryMark::Read => (delivery::read(ws, id, now), AuditAction::DeliveryRead),
        };
        self.note_delivery(caller, op, action, id.as_str(), found.run_id.as_str()).await?;
        // The answer is what was read with what the op wrote, so that it is not read again.
        match mark {
            DeliveryMark::Delivered => {
                found.attempts += 1;
                found.delivered_at.get_or_insert(now);
                if found.state == DeliveryState::Pending {
                    found.state = DeliveryState::Delivered;
                }
            }
            DeliveryMark::Read => {
                found.state = DeliveryState::Read;
                found.read_at.get_or_insert(now);
            }
        }
        Ok(found)
    }

    /// Notes that the person saw everything that there is to tell of a piece of agent work: they looked at it.
    ///
    /// Scope: decide, as for [`Self::mark_delivery`].
    ///
    /// Errors: there is no such work.
    pub async fn read_deliveries_of(
        &self,
        caller: &Caller,
        work: &WorkId,
    ) -> Result<AgentWork, Error> {
        require(caller, Scope::Decide)?;
        let ws = caller.workspace;
        let shown = self.queries.work(ws, work).await?;
        let run = self.store.first(delivery::unread_of_work(ws, work)).await?;
        let Some(run) = run else { return Ok(shown) };
        let op = delivery::settle_work(ws, work, self.clock.now());
        self.note_delivery(caller, op, AuditAction::DeliveryRead, work.as_str(), &run).await?;
        Ok(shown)
    }

    async fn note_delivery(
        &self,
        caller: &Caller,
        op: Op,
        action: AuditAction,
        object: &str,
        about: &str,
    ) -> Result<(), Error> {
        let origin = Origin::Person { via: None };
        let audit = Audit {
            actor: caller.actor.clone(),
            action,
            object: object.to_owned(),
            detail: String::new(),
        };
        let commit = Commit::new("delivery.mark", Db::Agent, caller.workspace)
            .op(op)
            .change(ChangeRow::agent(origin, EventKind::DeliveryChanged, None, about))
            .audit(audit);
        self.store.commit(commit).await?;
        Ok(())
    }
}
