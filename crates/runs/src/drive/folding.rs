//! Folding of memory before the first turn of a run, piece by piece.

use std::collections::BTreeSet;

use dormouse_store::agent::source::Source;
use dormouse_store::agent::wake_run;
use dormouse_types::RunKey;
use dormouse_types::model::{ModelError, Request, ToolChoice, Usage};
use dormouse_types::port::{ModelLocation, Stage};
use futures_util::future::FutureExt as _;

use super::ActiveRun;
use super::composed::Folding;
use crate::clearance::{Clearance, clearance};
use crate::gate::{Draft, Gated, gate};
use crate::handler::{Folded, RunError, StopReason};
use crate::model_call::Answer;
use crate::request::{self, Offer};
use crate::spending::Outcome;
use crate::step::LoggedTurn;

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
        let mut folding = Folding::Nothing;
        if self.model.location() == ModelLocation::BuiltIn {
            return Ok(folding);
        }
        for _ in 0..CALLS {
            if self.driver.stop.clone().now_or_never().is_some() {
                return self.stopped().await.map(Folding::Ended);
            }
            let checkpoint = self.handler.checkpoint_sources().await?;
            let may_see = self.clearance_of(checkpoint.into_iter().collect()).await?;
            let Some(piece) = self.handler.piece_to_fold(&may_see).await? else {
                return Ok(folding);
            };
            let asked = sources_of(&piece.fragments);
            let clearance = self.clearance_of(asked.clone()).await?;
            let gated = gate(piece.fragments, &clearance);
            if gated.log.is_empty() {
                self.keep(Folded::Hidden, None).await?;
                folding = Folding::Done;
                continue;
            }
            let shown = |source: &Source| clearance.allows_all(std::slice::from_ref(source));
            let sources: Vec<Source> = asked.into_iter().filter(shown).collect();
            let request = request_for(gated, &piece.tools, &self.lease.run.key);
            if let Some(StopReason { reason, is_final }) = self.handler.block_reason().await? {
                let due_at = is_final.then(|| self.driver.clock.now());
                return self.requeue_run(due_at, reason.into()).await.map(Folding::Ended);
            }
            if !self.fits_wake(&request).await? {
                return Ok(folding);
            }
            if let Some(end) = self.reserve(&request).await? {
                return Ok(Folding::Ended(end));
            }
            self.driver.store.pass(Stage::BeforeEffect, "model.fold");
            let answer = match self.answer(&request).await {
                Ok(answer) => answer,
                Err(why) => return self.interrupt(why).await.map(Folding::Ended),
            };
            self.driver.store.pass(Stage::AfterEffect, "model.fold");
            let (turn, usage) = match answer {
                Ok(Answer { turn, usage }) => (turn, usage),
                Err(error @ ModelError::Provider { .. }) => {
                    return self.away(&error).await.map(Folding::Ended);
                }
                // As good as an answer that cannot be used.
                Err(error @ ModelError::Request { .. }) => {
                    tracing::warn!(run = %self.lease.run.key, %error, "memory could not be folded");
                    (LoggedTurn::default(), None)
                }
            };
            self.note_provider_is_back().await?;
            let folded = Folded::Answer { turn: &turn, sources: &sources };
            self.keep(folded, usage.as_ref()).await?;
            folding = Folding::Done;
        }
        Ok(folding)
    }

    /// Commits what came of a piece, and settles its call.
    async fn keep(&mut self, folded: Folded<'_>, usage: Option<&Usage>) -> Result<(), RunError> {
        let mut chain = self.chain.clone();
        let kept = self.handler.folded(folded, &mut chain).await?;
        let mut ops = self.settled(Outcome::Answered(usage));
        let usage = match &self.reserved {
            Some(reserved) => reserved.believed(usage).copied(),
            None => usage.copied(),
        };
        if let Some(usage) = usage.filter(|usage| *usage != Usage::default()) {
            ops.push(wake_run::add_usage(self.lease.ws, &self.lease.run.key, &usage));
        }
        let is_kept = kept.is_some();
        ops.extend(kept.into_iter().flatten());
        self.commit("run.fold", ops).await?;
        self.reserved = None;
        if is_kept {
            self.chain = chain;
        }
        Ok(())
    }

    async fn clearance_of(&self, asked: BTreeSet<Source>) -> Result<Clearance, RunError> {
        let (ws, run) = (self.lease.ws, &self.lease.run);
        Ok(clearance(&self.driver.store, ws, &run.holder, &*self.model, asked).await?)
    }
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

pub(super) fn sources_of(fragments: &[Draft]) -> BTreeSet<Source> {
    let parts = fragments.iter().flat_map(|draft| &draft.parts);
    parts.flat_map(|part| part.sources.iter().cloned()).collect()
}
