//! Folding of memory before the first turn of a run, piece by piece.

use std::sync::Arc;

use dormouse_store::agent::source::Source;
use dormouse_store::{Op, Store};
use dormouse_types::RunKey;
use dormouse_types::model::{ModelError, Request, ToolChoice};
use dormouse_types::port::{Model, ModelLocation, Stage};
use futures_util::future::FutureExt as _;

use super::ActiveRun;
use super::composed::Folding;
use crate::Lease;
use crate::clearance::clearance;
use crate::gate::{Gated, gate, sources_of};
use crate::handler::{FoldPiece, Folded, RunError, RunHandler};
use crate::model_call::{Answer, FailedCall};
use crate::request::{self, Offer};
use crate::step::LoggedTurn;
use crate::truncation::truncation;

/// The most calls of one run that fold its memory. What is left is folded by the next runs.
const CALLS: usize = 6;

/// The number under which calls that fold are recorded: before the first turn.
const TURN: u32 = 0;

impl ActiveRun<'_> {
    /// Folds what the holder has to fold; before a run's first turn.
    ///
    /// Each piece is a commit of its own, so a crash costs at most one call. Without room for
    /// another call within the cap of the wake, the rest is left to later runs.
    pub(super) async fn fold(&mut self) -> Result<Folding, RunError> {
        if !is_folded_for(&*self.model) {
            return Ok(Folding::Nothing);
        }
        let thinking = self.model.clone();
        let folding = self.fold_for(&thinking).await;
        self.model = thinking;
        folding
    }

    /// Folds for a model that thinks. Each call is made, paid and judged as one of the model that is
    /// asked.
    async fn fold_for(&mut self, thinking: &Arc<dyn Model>) -> Result<Folding, RunError> {
        let mut folding = Folding::Nothing;
        for _ in 0..CALLS {
            if self.driver.stop.clone().now_or_never().is_some() {
                return self.stopped().await.map(Folding::Ended);
            }
            if let Some(end) = self.over_time().await? {
                return Ok(Folding::Ended(end));
            }
            let summarising = self.driver.models.summarising_for(thinking);
            let models = Folders { thinking, summarising: &summarising };
            let store = &self.driver.store;
            let piece = next_piece(store, self.lease, models, &mut *self.handler).await?;
            let Some(NextPiece { model, gated, sources, tools }) = piece else {
                return Ok(folding);
            };
            self.model = model;
            if gated.log.is_empty() {
                self.keep(Folded::Hidden, Vec::new()).await?;
                folding = Folding::Done;
                continue;
            }
            let request = request_for(gated, &tools, &self.lease.run.key);
            if self.too_large(&request).is_some() {
                self.keep(Folded::TooLarge { sources: &sources }, Vec::new()).await?;
                folding = Folding::Done;
                continue;
            }
            if let Some(end) = self.blocked().await? {
                return Ok(Folding::Ended(end));
            }
            if let Some(end) = self.probe().await? {
                return Ok(Folding::Ended(end));
            }
            if !self.fits_wake(&request).await? {
                return Ok(folding);
            }
            let before = self.driver.clock.now();
            if let Some(end) = self.reserve(&request).await? {
                return Ok(Folding::Ended(end));
            }
            // A call that reserves nothing has no commit right before it.
            let renewed = self.reserved.is_some().then_some(before);
            self.ensure_lease(renewed).await?;
            self.driver.store.pass(Stage::BeforeEffect, "model.fold");
            let answer = match self.answer(&request).await {
                Ok(answer) => answer,
                Err(why) => return self.interrupt(why).await.map(Folding::Ended),
            };
            self.driver.store.pass(Stage::AfterEffect, "model.fold");
            let (turn, usage, settled) = match answer {
                Ok(Answer { turn, usage }) => {
                    let settled = self.answered(usage.as_ref());
                    (turn, usage, settled)
                }
                Err(failed @ FailedCall { error: ModelError::Provider { .. }, .. }) => {
                    return self.provider_unavailable(&failed).await.map(Folding::Ended);
                }
                // As good as an answer that cannot be used.
                Err(failed) => {
                    let error = &failed.error;
                    tracing::warn!(run = %self.lease.run.key, %error, "memory could not be folded");
                    self.forget_refused(error).await?;
                    (LoggedTurn::default(), None, self.unanswered(&failed))
                }
            };
            self.note_provider_is_back().await?;
            let model = self.model.clone();
            if let Some(cut) = truncation(&request, usage.as_ref()) {
                return self.fail_cut(cut, usage.as_ref()).await.map(Folding::Ended);
            }
            let folded = Folded::Answer { model: model.name(), turn: &turn, sources: &sources };
            self.keep(folded, settled).await?;
            folding = Folding::Done;
        }
        Ok(folding)
    }

    /// Commits what came of a piece, and settles its call.
    async fn keep(&mut self, folded: Folded<'_>, settled: Vec<Op>) -> Result<(), RunError> {
        let mut chain = self.chain.clone();
        let kept = self.handler.folded(folded, &mut chain).await?;
        let mut ops = settled;
        let is_kept = kept.is_some();
        ops.extend(kept.into_iter().flatten());
        self.commit("run.fold", ops).await?;
        self.reserved = None;
        if is_kept {
            self.chain = chain;
        }
        Ok(())
    }
}

/// Returns whether the memory of a model's runs is folded: the built-in model reads facts.
pub(super) fn is_folded_for(model: &dyn Model) -> bool {
    model.location() != ModelLocation::BuiltIn
}

/// The models that memory can be folded by.
#[derive(Clone, Copy)]
pub(super) struct Folders<'m> {
    /// The one that reads the summary.
    pub(super) thinking: &'m Arc<dyn Model>,
    /// The one that was chosen to write it.
    pub(super) summarising: &'m Arc<dyn Model>,
}

/// A piece of memory as a model may see it.
pub(super) struct NextPiece {
    /// The model that folds it.
    pub(super) model: Arc<dyn Model>,
    /// What went through the gate. Without a line of the log, the model may see none of them.
    pub(super) gated: Gated,
    /// What the model is shown of it was made of.
    sources: Vec<Source>,
    pub(super) tools: Arc<Offer>,
}

/// Returns the next piece to fold; `None` if there is none.
///
/// A summary takes the place of what it was made from. So one that the summarising model may see less
/// of than the thinking one is made by the latter, which reads all of it anyway.
pub(super) async fn next_piece(
    store: &Store,
    lease: &Lease,
    models: Folders<'_>,
    handler: &mut dyn RunHandler,
) -> Result<Option<NextPiece>, RunError> {
    let Folders { thinking, summarising } = models;
    let may_see = |model, requested| clearance(store, lease.ws, lease.holder(), model, requested);
    let checkpoint = handler.checkpoint_sources().await?;
    let checkpoint = may_see(&**thinking, checkpoint.into_iter().collect()).await?;
    let Some(FoldPiece { fragments, tools }) = handler.piece_to_fold(&checkpoint).await? else {
        return Ok(None);
    };
    let requested = sources_of(&fragments);
    let mut model = thinking.clone();
    let mut clearance = may_see(&*model, requested.clone()).await?;
    let mut gated = gate(fragments.clone(), &clearance);
    if summarising.name() != thinking.name() {
        let other = may_see(&**summarising, requested.clone()).await?;
        let gated_for_other = gate(fragments, &other);
        if gated_for_other.kept_back == gated.kept_back {
            (model, clearance, gated) = (summarising.clone(), other, gated_for_other);
        }
    }
    let is_shown = |source: &Source| clearance.allows_all(std::slice::from_ref(source));
    let sources = requested.into_iter().filter(is_shown).collect();
    Ok(Some(NextPiece { model, gated, sources, tools }))
}

/// Puts the request of a piece together from what went through the gate.
pub(super) fn request_for(gated: Gated, tools: &Offer, run: &RunKey) -> Request {
    Request {
        run_key: run.clone(),
        turn: TURN,
        fragments: request::assemble(gated.fragments),
        turns: Vec::new(),
        tools: tools.tools().to_vec(),
        tool_choice: ToolChoice::Required,
    }
}
