//! How a run folds older runs of its definition before its first turn, and what its end folds by rule.

use dormouse_runs::gate::{Draft, Part, Piece};
use dormouse_runs::request::fence;
use dormouse_runs::{FoldPiece, Folded, RunError, RunLog};
use dormouse_store::Op;
use dormouse_store::agent::message::{Chain, Draft as MessageDraft, Metadata};
use dormouse_store::agent::work::summary;
use dormouse_types::agent::MessageKind;
use dormouse_types::memory::tokens;
use dormouse_types::model::{FragmentData, FragmentKind};
use dormouse_types::port::ModelLocation;

use super::WorkRun;
use crate::folding::{self, BY_RULES, FoldedRuns, SummaryOrigin};
use crate::history::{self, RunWithTurns};

impl WorkRun<'_> {
    /// Returns the runs that a model is to fold next. After a summary that could not be used, the rest
    /// is left to later runs.
    pub(super) async fn next_piece(&mut self) -> Result<Option<FoldPiece>, RunError> {
        if self.gave_up_folding {
            return Ok(None);
        }
        let (ws, run) = (self.lease.ws, &self.run);
        let Some(runs) = self.work.runs_to_fold(ws, &run.work, run.n, None).await? else {
            return Ok(None);
        };
        let lines = runs.runs.iter().map(|run| {
            let text = fence("run", &run.text);
            Part { line: Some(run.n), ..Part::new(Piece::Note, text, run.sources.clone()) }
        });
        let lines = lines.collect();
        let mut fragments = vec![
            Draft::fixed(FragmentKind::System, folding::SYSTEM, FragmentData::None),
            Draft::tainted(FragmentKind::Log, lines, FragmentData::None),
            Draft::fixed(FragmentKind::Instruction, folding::INSTRUCTION, FragmentData::None),
        ];
        let repeated = runs.word_for_word();
        if !repeated.is_empty() {
            let text = format!("## Word for word{repeated}");
            let part = Part::new(Piece::Other, text, runs.sources());
            fragments.push(Draft::tainted(FragmentKind::Work, vec![part], FragmentData::None));
        }
        self.piece = Some(runs);
        Ok(Some(FoldPiece { fragments, tools: folding::tools() }))
    }

    /// Returns what is written about the piece: its summary, or why there is none.
    pub(super) fn keep_folded(&mut self, folded: Folded<'_>, chain: &mut Chain) -> Option<Vec<Op>> {
        let runs = self.piece.take()?;
        let (summary, model) = match folded {
            Folded::Answer { model, turn, sources } => {
                let is_shown_all = runs.sources().iter().all(|source| sources.contains(source));
                if is_shown_all {
                    (runs.accepted(turn), model)
                } else {
                    (runs.by_rules(), BY_RULES)
                }
            }
            Folded::Hidden | Folded::TooLarge { .. } => (runs.by_rules(), BY_RULES),
        };
        let now = self.work.clock.now();
        let (text, mut ops) = match summary {
            Ok(text) => {
                let made = SummaryOrigin { model: model.to_owned(), run: self.id.clone(), at: now };
                let row = runs.row(&self.run.work, made, text.clone())?;
                (text, vec![summary::insert(self.lease.ws, &row)])
            }
            Err(why) => {
                self.gave_up_folding = true;
                tracing::warn!(run = %self.id, %why, "earlier runs were not folded");
                (format!("Earlier runs were not folded: {why}."), Vec::new())
            }
        };
        let message = MessageDraft {
            kind: MessageKind::Summary,
            content: text,
            content_type: "text/markdown",
            trigger: None,
            metadata: Metadata::default(),
        };
        ops.extend(chain.append(message, now, &*self.work.entropy).1);
        Some(ops)
    }

    /// Returns the summary by rule that the end of a run writes whose model folds nothing.
    pub(super) async fn fold_by_rules(&self, log: &RunLog) -> Result<Option<Op>, RunError> {
        let (ws, lease) = (self.lease.ws, self.lease);
        let model = self.work.driver.models().named(lease.run.model.as_deref());
        if model.location() != ModelLocation::BuiltIn {
            return Ok(None);
        }
        let attempts = vec![(lease.run.key.clone(), log.turns.clone())];
        let present = RunWithTurns { run: self.run.clone(), attempts };
        let present = tokens(&history::in_full(&present, &self.work.zone.get()));
        let runs = self.work.runs_to_fold(ws, &self.run.work, self.run.n, Some(present)).await?;
        Ok(runs.and_then(|runs| self.row_by_rules(&runs)).map(|row| summary::insert(ws, &row)))
    }

    fn row_by_rules(&self, runs: &FoldedRuns) -> Option<summary::Summary> {
        let made = SummaryOrigin {
            model: BY_RULES.into(),
            run: self.id.clone(),
            at: self.work.clock.now(),
        };
        match runs.by_rules() {
            Ok(text) => runs.row(&self.run.work, made, text),
            Err(why) => {
                tracing::warn!(run = %self.id, %why, "earlier runs were not folded");
                None
            }
        }
    }
}
