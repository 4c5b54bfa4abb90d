//! What a run would send, without sending or writing anything.

use std::fmt;
use std::sync::Arc;

use dormouse_types::kept_back::KeptBack;
use dormouse_types::model::Request;
use dormouse_types::port::{Model, OutgoingRequest};
use dormouse_types::spend::Amount;

use super::composed::composed;
use super::{Driver, folding};
use crate::Lease;
use crate::clearance::clearance;
use crate::gate::{gate, sources_of};
use crate::handler::{RunError, RunHandler};
use crate::spending;

/// What the first request of a run would be.
#[derive(Debug, Clone)]
pub enum Preview {
    /// The run would be skipped: nothing has changed.
    NothingChanged,
    /// The model may not see the task: nothing would be sent.
    Hidden(KeptBack),
    Request(Box<PreviewedRequest>),
}

/// A request that a run would send.
#[derive(Clone)]
pub struct PreviewedRequest {
    /// The model that would get it: the one that summarises, if memory is folded first.
    pub model: Arc<dyn Model>,
    /// The request as the model gets it.
    pub request: Request,
    /// The same as it would leave the process; `None` if it would not.
    pub outgoing: Option<OutgoingRequest>,
    /// What was left out.
    pub kept_back: KeptBack,
    /// The most that the call may cost, which would be reserved; `None` if nothing leaves.
    pub reserved: Option<Amount>,
}

impl fmt::Debug for PreviewedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("PreviewedRequest");
        shown.field("model", &self.model.name()).field("request", &self.request);
        shown.field("kept_back", &self.kept_back).finish_non_exhaustive()
    }
}

impl Driver {
    /// Composes the first request of a run, or the one that folds its memory before it, exactly as
    /// [`Driver::drive`] does. Writes nothing, takes no lease and asks no model.
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
        if folding::is_folded_for(&*model)
            && let Some(piece) = {
                let summarising = self.models.summarising_for(&model);
                let models = folding::Folders { thinking: &model, summarising: &summarising };
                folding::next_piece(&self.store, lease, models, &mut *handler).await?
            }
            && !piece.gated.log.is_empty()
        {
            let kept_back = piece.gated.kept_back;
            let request = folding::request_for(piece.gated, &piece.tools, &run.key);
            return Ok(PreviewedRequest::of(piece.model, request, kept_back));
        }
        let requested = sources_of(&context.fragments);
        let clearance = clearance(&self.store, *ws, &run.holder, &*model, requested).await?;
        let gated = gate(context.fragments, &clearance);
        let kept_back = gated.kept_back;
        if gated.hidden_task().is_some() {
            return Ok(Preview::Hidden(kept_back));
        }
        let key = (&run.key, 1);
        let request = composed(gated, None, Vec::new(), &context.tools, key, None).request;
        Ok(PreviewedRequest::of(model, request, kept_back))
    }
}

impl PreviewedRequest {
    fn of(model: Arc<dyn Model>, request: Request, kept_back: KeptBack) -> Preview {
        let outgoing = model.outgoing(&request);
        let reserved = outgoing.as_ref().map(|outgoing| spending::price_of(&*model, outgoing));
        Preview::Request(Box::new(Self { model, request, outgoing, kept_back, reserved }))
    }
}
