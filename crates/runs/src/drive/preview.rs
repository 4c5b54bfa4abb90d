//! What a run would send, without sending or writing anything.

use dormouse_types::kept_back::KeptBack;
use dormouse_types::model::Request;
use dormouse_types::port::{Model, ModelLocation, OutgoingRequest};
use dormouse_types::spend::Amount;

use super::composed::{composed, sources_of};
use super::{Driver, folding};
use crate::Lease;
use crate::clearance::clearance;
use crate::gate::gate;
use crate::handler::{RunError, RunHandler};
use crate::spending;
use crate::step::ToolSet;

/// What the first request of a run would be.
#[derive(Debug, Clone)]
pub enum Preview {
    /// The run would be skipped: nothing has changed.
    NothingChanged,
    /// The model may not see the task: nothing would be sent.
    Hidden(KeptBack),
    /// The request.
    Request(Box<PreviewedRequest>),
}

/// A request that a run would send.
#[derive(Debug, Clone)]
pub struct PreviewedRequest {
    /// The request as the model gets it.
    pub request: Request,
    /// The same as it would leave the process; `None` if it would not.
    pub outgoing: Option<OutgoingRequest>,
    /// What was left out.
    pub kept_back: KeptBack,
    /// The most that the call may cost, which would be reserved; `None` if nothing leaves.
    pub reserved: Option<Amount>,
}

impl Driver {
    /// Composes the first request of a run, or the one that folds its memory before it, exactly as [`Driver::drive`] does. Writes nothing, takes
    /// no lease and asks no model.
    ///
    /// Errors: rows could not be read, or are damaged. A handler whose context writes something must
    /// not be passed.
    pub async fn preview(
        &self,
        handler: &mut dyn RunHandler,
        lease: &Lease,
    ) -> Result<Preview, RunError> {
        let Lease { ws, run, .. } = lease;
        let model = self.models.named(run.model.as_deref());
        let context = handler.context().await?;
        if context.nothing_changed {
            return Ok(Preview::NothingChanged);
        }
        if model.location() != ModelLocation::BuiltIn
            && let Some(request) = self.preview_of_folding(handler, lease, &*model).await?
        {
            return Ok(Preview::Request(Box::new(request)));
        }
        let asked = sources_of(&context);
        let clearance = clearance(&self.store, *ws, &run.holder, &*model, asked).await?;
        let gated = gate(context.fragments, &clearance);
        let kept_back = gated.kept_back;
        if gated.is_task_hidden() {
            return Ok(Preview::Hidden(kept_back));
        }
        let (key, tools) = ((&run.key, 1), ToolSet::All);
        let request = composed(gated, None, Vec::new(), &context.tools, key, tools).request;
        let outgoing = model.outgoing(&request);
        let reserved = outgoing.as_ref().map(|outgoing| spending::price_of(&*model, outgoing));
        Ok(Preview::Request(Box::new(PreviewedRequest { request, outgoing, kept_back, reserved })))
    }

    /// Composes the request that folds older memory, which goes before that of the first turn;
    /// `None` if there is nothing to fold, or nothing of it may be seen.
    async fn preview_of_folding(
        &self,
        handler: &mut dyn RunHandler,
        lease: &Lease,
        model: &dyn Model,
    ) -> Result<Option<PreviewedRequest>, RunError> {
        let Lease { ws, run, .. } = lease;
        let asked = handler.checkpoint_sources().await?.into_iter().collect();
        let may_see = clearance(&self.store, *ws, &run.holder, model, asked).await?;
        let Some(piece) = handler.piece_to_fold(&may_see).await? else { return Ok(None) };
        let asked = folding::sources_of(&piece.fragments);
        let clearance = clearance(&self.store, *ws, &run.holder, model, asked).await?;
        let gated = gate(piece.fragments, &clearance);
        if gated.log.is_empty() {
            return Ok(None);
        }
        let kept_back = gated.kept_back;
        let request = folding::request_for(gated, &piece.tools, &run.key);
        let outgoing = model.outgoing(&request);
        let reserved = outgoing.as_ref().map(|outgoing| spending::price_of(model, outgoing));
        Ok(Some(PreviewedRequest { request, outgoing, kept_back, reserved }))
    }
}
