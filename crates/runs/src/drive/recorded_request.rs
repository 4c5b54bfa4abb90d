//! What a turn sends: the request, recorded before the model is called, and read back later.

use std::sync::Arc;

use dormouse_store::agent::source::Source;
use dormouse_store::agent::wake_request::{self, Span, Stored};
use dormouse_store::agent::{log_line, wake_run};
use dormouse_store::{ReadError, Store, text};
use dormouse_types::closed_list::ClosedList as _;
use dormouse_types::model::{FragmentKind, PromptPart, Request, Turn};
use dormouse_types::{HolderId, RunKey, TemplateVersionId, WorkspaceId};

use super::ActiveRun;
use super::composed::{Composed, Shown, composed, shown_again};
use crate::Lease;
use crate::clearance::{Clearance, clearance};
use crate::gate::{Gated, sources_of};
use crate::handler::{RunError, TurnContext};
use crate::request::{self, Offer, RequestPiece};
use crate::step::{LoggedTurn, ToolSet};

impl ActiveRun<'_> {
    /// Returns what this run has written so far, as a source.
    pub(super) fn own_source(&self) -> Source {
        Source::Run(self.lease.run.key.clone())
    }

    /// Decides what the model may see of a turn's context, and of the earlier turns.
    pub(super) async fn clearance(
        &self,
        context: &TurnContext,
        turn: u32,
    ) -> Result<Clearance, RunError> {
        let mut requested = sources_of(&context.fragments);
        if turn > 1 {
            requested.insert(self.own_source());
        }
        let Lease { ws, run, .. } = self.lease;
        Ok(clearance(&self.driver.store, *ws, &run.holder, &*self.model, requested).await?)
    }

    /// Builds the request and records what it consists of before the model is called.
    ///
    /// A request is stored as digests of its texts and ranges of log lines, not as a copy, so it
    /// can be shown and verified later. Later turns repeat the first turn's context, so all turns
    /// of a run see the same facts.
    pub(super) async fn request(
        &mut self,
        gated: Gated,
        clearance: &Clearance,
        offer: Arc<Offer>,
        followed: Option<TemplateVersionId>,
        (turn, tools): (u32, ToolSet),
    ) -> Result<Request, RunError> {
        let lease = self.lease;
        let closing = match (tools, &self.closing) {
            (ToolSet::Closing, Some(closing)) => Some(closing.names.as_slice()),
            (ToolSet::All, _) | (ToolSet::Closing, None) => None,
        };
        if turn > 1 && self.shown.is_none() {
            self.shown = self.first_turn().await?;
        }
        let earlier = self.shown.as_ref().filter(|_| turn > 1);
        let turns: Vec<Turn> = self.log.turns.iter().map(LoggedTurn::rendered).collect();
        let (sources, kept_back) = (gated.sources.clone(), gated.kept_back);
        let Composed { request, log } =
            composed(gated, earlier, turns, &offer, (&lease.run.key, turn), closing);
        if turn == 1 {
            let all = request.fragments.iter();
            let all = all.map(|it| (it.kind, it.text.clone(), it.block_ends.clone()));
            self.shown = Some(Shown { fragments: shown_again(all), log: log.clone() });
        }
        let mut ops = Vec::new();
        let mut spans = Vec::new();
        for fragment in &request.fragments {
            if fragment.kind == FragmentKind::Log {
                let span = |(from, upto): &_| Span::Log { from: *from, upto: *upto, by_run: true };
                spans.extend(log.iter().map(span));
                continue;
            }
            let (sha256, op) = text::put(lease.ws, &fragment.text);
            ops.push(op);
            spans.push(Span::Text { kind: PromptPart::from(fragment.kind).into(), sha256 });
        }
        let (sha256, op) = text::put(lease.ws, offer.text());
        ops.push(op);
        spans.push(Span::Text { kind: PromptPart::Tools.into(), sha256 });
        let choice = request::tool_choice_text(&request.tool_choice);
        if let Some(choice) = &choice {
            let (sha256, op) = text::put(lease.ws, choice);
            ops.push(op);
            spans.push(Span::Text { kind: PromptPart::ToolChoice.into(), sha256 });
        }
        let mut pieces: Vec<_> = request.fragments.iter().map(RequestPiece::of).collect();
        pieces.extend(choice.map(|text| RequestPiece::whole(PromptPart::ToolChoice, text)));
        let digest = request::digest(&pieces, &request.turns, offer.text());
        let stored = Stored { turn, spans, sources, digest, at: self.driver.clock.now() };
        ops.push(wake_request::put(lease.ws, &lease.run.key, &stored));
        // Later turns repeat what the first one showed: its directives, and what it left out.
        if let Some(version) = followed.filter(|_| turn == 1) {
            ops.push(wake_run::follow(lease.ws, &lease.run.key, &version));
        }
        match clearance {
            Clearance::Only(_) if turn == 1 => {
                ops.push(wake_run::keep_back(lease.ws, &lease.run.key, &kept_back));
            }
            Clearance::Only(_) | Clearance::Everything | Clearance::BuiltIn => {}
        }
        self.commit("run.request", ops).await?;
        Ok(request)
    }

    /// Rebuilds the recorded context of the first turn.
    async fn first_turn(&self) -> Result<Option<Shown>, RunError> {
        let lease = self.lease;
        let stored = self.driver.store.all(wake_request::of_run(lease.ws, &lease.run.key)).await?;
        let Some(first) = stored.into_iter().find(|request| request.turn == 1) else {
            return Ok(None);
        };
        let mut log = Vec::new();
        let mut spans = first.spans;
        for span in &mut spans {
            if let Span::Log { from, upto, by_run } = span {
                log.push((*from, *upto));
                // A turn that an older version began goes on in blocks.
                *by_run = true;
            }
        }
        let rebuilt = rebuild(&self.driver.store, lease.ws, &lease.run.holder, &spans).await?;
        let pieces = rebuilt.into_iter();
        let pieces = pieces.filter_map(|it| {
            Some((FragmentKind::of_name(it.kind.name())?, it.text, it.block_ends))
        });
        Ok(Some(Shown { fragments: shown_again(pieces), log }))
    }
}

/// Rebuilds the pieces of a stored request. A purged text is replaced by a note.
pub async fn rebuild(
    store: &Store,
    ws: WorkspaceId,
    holder: &HolderId,
    spans: &[Span],
) -> Result<Vec<RequestPiece>, ReadError> {
    let purged = || "[purged]".to_owned();
    let mut pieces: Vec<RequestPiece> = Vec::new();
    let mut lines: Vec<(String, RunKey)> = Vec::new();
    for (place, span) in spans.iter().enumerate() {
        match span {
            Span::Text { kind, sha256 } => {
                let text = store.first(text::by_digest(ws, sha256)).await?;
                pieces.push(RequestPiece::whole(kind.clone(), text.unwrap_or_else(purged)));
            }
            Span::Log { from, upto, by_run } => {
                let more = store.all(log_line::of_holder(ws, holder, *from, *upto)).await?;
                let more = more.into_iter();
                lines.extend(more.map(|line| (line.text.unwrap_or_else(purged), line.run)));
                // The stretches of one log, between which lines were kept back, are one piece.
                if !matches!(spans.get(place + 1), Some(Span::Log { .. })) {
                    let text = request::log_text(lines.iter().map(|(text, _)| text.as_str()));
                    let cut: Vec<_> =
                        lines.iter().map(|(text, run)| (text.as_str(), Some(run))).collect();
                    let block_ends =
                        if *by_run { request::log_block_ends(&cut) } else { Vec::new() };
                    pieces.push(RequestPiece { kind: PromptPart::Log.into(), text, block_ends });
                    lines.clear();
                }
            }
        }
    }
    Ok(pieces)
}
