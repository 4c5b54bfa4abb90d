//! How a task agent's log is folded: which lines are next, and how the answer is stored.

use dormouse_runs::clearance::Clearance;
use dormouse_runs::gate::Draft;
use dormouse_runs::{FoldPiece, Folded, RunError};
use dormouse_store::Op;
use dormouse_store::agent::checkpoint::{self, Checkpoint, CheckpointText};
use dormouse_store::agent::log_line::Line;
use dormouse_store::agent::message::{Chain, Draft as MessageDraft, Metadata};
use dormouse_store::agent::source::Source;
use dormouse_store::agent::{log_line, memory_index};
use dormouse_types::agent::MessageKind;
use dormouse_types::closed_list::Listed;
use dormouse_types::hash;
use dormouse_types::memory::{CheckpointKind, FoldLimits, lines_to_fold, tokens};
use dormouse_types::model::{FragmentData, FragmentKind};

use super::TaskAgent;
use super::log_parts::{is_held, log_part, sizes, summary_part};
use super::window::size_of_summary;
use crate::error::from_changes;
use crate::memory::{fold, index};

/// Why a proposal is withdrawn that was made of a prompt that the server cut.
const CUT: &str = "the model had read only a part of its prompt";

/// The checkpoints that are looked through for those of a run, which are the newest.
const NEWEST: i64 = 50;

impl TaskAgent<'_> {
    pub(super) async fn next_piece(
        &mut self,
        may_see: &Clearance,
    ) -> Result<Option<FoldPiece>, RunError> {
        let mut input = self.input().await?;
        if let Some(found) = &input.checkpoint
            && !may_see.allows_all(&found.checkpoint.sources)
        {
            self.fold.passed_over = found.checkpoint.n;
            self.input = None;
            input = self.input().await?;
        }
        let Some(window) = input.fold_window else { return Ok(None) };
        let mut limits = FoldLimits::in_room(window, self.room_for_log(&input));
        if let Some(most) = input.affordable_fold {
            let fixed =
                tokens(fold::SYSTEM) + tokens(fold::INSTRUCTION) + tokens(fold::tools().text());
            // In a body, marks and escapes are added to the lines.
            let left = most.saturating_sub(fixed + size_of_summary(&input)) / 5 * 4;
            limits.piece = limits.piece.min(left);
        }
        // A process that takes the run over continues where the one before it stopped.
        let run = &self.lease.run.key;
        let is_of_this_run = input.checkpoint.as_ref().is_some_and(|it| it.checkpoint.run == *run);
        let has_begun = self.fold.has_begun || is_of_this_run;
        let n_lines = lines_to_fold(&sizes(&input.log), limits, has_begun);
        if n_lines == 0 {
            return Ok(None);
        }
        self.fold.has_begun = true;
        self.fold.n_lines = n_lines;
        let lines =
            input.log[..n_lines].iter().filter(|line| is_held(line)).map(log_part).collect();
        let draft = |kind, parts| Draft::tainted(kind, parts, FragmentData::None);
        let mut fragments = vec![
            Draft::fixed(FragmentKind::System, fold::SYSTEM, FragmentData::None),
            draft(FragmentKind::Log, lines),
            Draft::fixed(FragmentKind::Instruction, fold::INSTRUCTION, FragmentData::None),
        ];
        fragments.extend(summary_part(&input).map(|part| draft(FragmentKind::Summary, vec![part])));
        Ok(Some(FoldPiece { fragments, tools: fold::tools() }))
    }

    /// Gives up what this run made of a prompt that the server cut: its summaries, and its open proposals.
    pub(super) async fn discarded(&mut self) -> Result<Vec<Op>, RunError> {
        let (ws, run, store) = (self.lease.ws, &self.lease.run, &self.agents.store);
        if let Some(task) = self.input().await.ok().map(|input| input.task_id.clone()) {
            let withdrawn = self.agents.changes.withdraw_of_run(ws, &task, &run.key, CUT).await;
            withdrawn.map_err(from_changes)?;
        }
        let known = store.all(checkpoint::of_holder(ws, &run.holder, NEWEST)).await?;
        let (own, before): (Vec<_>, Vec<_>) =
            known.into_iter().partition(|known| known.checkpoint.run == run.key);
        let mut ops = Vec::new();
        for CheckpointText { checkpoint, .. } in &own {
            ops.push(checkpoint::remove(ws, &run.holder, checkpoint.n));
            ops.push(memory_index::remove_checkpoint(ws, &run.holder, checkpoint.n));
        }
        // The summary that they replaced is the newest again, and is found again.
        let again = before.iter().find(|known| known.checkpoint.removed_at.is_none());
        if let Some(CheckpointText { checkpoint, text: Some(text) }) =
            again.filter(|_| !own.is_empty())
        {
            ops.push(memory_index::put_checkpoint(ws, &run.holder, checkpoint, text));
        }
        Ok(ops)
    }

    pub(super) async fn keep_folded(
        &mut self,
        folded: Folded<'_>,
        chain: &mut Chain,
    ) -> Result<Option<Vec<Op>>, RunError> {
        let input = self.input().await?;
        let lines = &input.log[..self.fold.n_lines.min(input.log.len())];
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else { return Ok(None) };
        let before = input.checkpoint.as_ref();
        let known = before.and_then(|before| before.text.as_deref());
        let room = self.room_for_summary(&input);
        let (text, model, sources) = match folded {
            Folded::Hidden => {
                let text = known.unwrap_or("(None of it may be shown here.)").to_owned();
                let sources = before.map(|before| before.checkpoint.sources.clone());
                (text, fold::BY_RULES.to_owned(), sources.unwrap_or_default())
            }
            Folded::TooLarge { sources } => {
                let text = fold::by_rules(known, &shown_of(lines, sources), room);
                (text, fold::BY_RULES.to_owned(), sources.to_vec())
            }
            Folded::Answer { model, turn, sources } => {
                let shown = shown_of(lines, sources);
                let all: Vec<&str> = known.into_iter().chain(shown.iter().copied()).collect();
                match fold::accepted(turn, &all.join("\n"), room) {
                    Ok(text) => (text, model.to_owned(), sources.to_vec()),
                    Err(why) => {
                        self.fold.n_refused += 1;
                        tracing::warn!(agent = %self.agent, %why, "a summary cannot be used");
                        if self.fold.n_refused < fold::ATTEMPTS {
                            return Ok(None);
                        }
                        (
                            fold::by_rules(known, &shown, room),
                            fold::BY_RULES.to_owned(),
                            sources.to_vec(),
                        )
                    }
                }
            }
        };
        let (ws, run, now) = (self.lease.ws, &self.lease.run, self.agents.clock.now());
        let depth = before.map_or(1, |before| before.checkpoint.depth + 1);
        let last_number = self.agents.store.first(checkpoint::last(ws, &run.holder)).await?;
        let checkpoint = Checkpoint {
            n: last_number.unwrap_or(0) + 1,
            audience: Listed::Known(input.audience),
            kind: Listed::Known(CheckpointKind::Summary),
            model,
            version: fold::VERSION,
            from: before.map_or(first.n, |before| before.checkpoint.from),
            upto: last.n,
            depth,
            sha256: hash::sha256(&text),
            tainted: sources.iter().any(|source| !matches!(source, Source::Task(_))),
            sources,
            run: run.key.clone(),
            created_at: now,
            removed_at: None,
        };
        let mut ops = Vec::from(checkpoint::insert(ws, &run.holder, &checkpoint, &text));
        let folded = log_line::dated(ws, &run.holder, first.n, last.n);
        let folded = self.agents.store.all(folded).await?;
        ops.extend(index::lines(ws, &run.holder, &folded, now));
        // Only the newest summary is found: with each of them, a search would find the same words again and
        // again, and none of the lines.
        let earlier = before.map(|before| before.checkpoint.n);
        ops.extend(earlier.map(|n| memory_index::remove_checkpoint(ws, &run.holder, n)));
        ops.push(memory_index::put_checkpoint(ws, &run.holder, &checkpoint, &text));
        let message = MessageDraft {
            kind: MessageKind::Summary,
            content: text,
            content_type: "text/markdown",
            trigger: Some(run.reason.name().to_owned()),
            metadata: Metadata {
                lines: Some([checkpoint.from, checkpoint.upto]),
                depth: Some(depth),
                ..Metadata::default()
            },
        };
        ops.extend(chain.append(message, now, &*self.agents.entropy).1);
        self.fold.n_refused = 0;
        self.input = None;
        Ok(Some(ops))
    }
}

/// The texts of lines that a model was shown, if it was shown these sources.
fn shown_of<'l>(lines: &'l [Line], sources: &[Source]) -> Vec<&'l str> {
    lines
        .iter()
        .filter(|line| is_held(line))
        .filter(|line| line.sources.iter().all(|source| sources.contains(source)))
        .filter_map(|line| line.text.as_deref())
        .collect()
}
