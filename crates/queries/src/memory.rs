//! What an agent remembers: the lines of its log, what older ones were folded into, and all that its
//! next prompt says it knows.

use dormouse_agents::memory::log;
use dormouse_runs::request;
use dormouse_store::agent::change_set::Decision;
use dormouse_store::agent::checkpoint::CheckpointText;
use dormouse_store::agent::log_line::Line;
use dormouse_store::agent::source::Source;
use dormouse_store::agent::{checkpoint, log_line};
use dormouse_types::line_name::LineName;
use dormouse_types::{AgentId, HolderId, RunKey, TaskId, Timestamp, WorkspaceId};

use crate::decisions::{self, DecidedItems};
use crate::error::QueryError;
use crate::view::{Checkpoint, KnowledgeKind, KnowledgeLine, MemoryLine, Page};
use crate::{Queries, page};

/// The most checkpoints that are shown: the newest ones.
const CHECKPOINTS: i64 = 50;

impl Queries {
    /// A page of the log of an agent, newest line first.
    ///
    /// Errors: no such agent; a cursor of another list.
    pub async fn memory(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<MemoryLine>, QueryError> {
        self.agent(ws, id).await?;
        let before = match cursor {
            None => i64::MAX,
            Some(text) => text.parse().map_err(|_| page::foreign_cursor(text))?,
        };
        let rows = log_line::before(ws, id, before, page::rows_to_read(limit));
        let lines = self.store.all(rows).await?.into_iter().map(|line| MemoryLine {
            n: line.n,
            text: line.text,
            run_key: line.run,
        });
        Ok(page::page_of(lines.collect(), limit, |line| line.n.to_string()))
    }

    /// What older lines of an agent's log were folded into, newest first.
    ///
    /// Errors: no such agent.
    pub async fn checkpoints(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
    ) -> Result<Vec<Checkpoint>, QueryError> {
        self.agent(ws, id).await?;
        let holder = HolderId::from(id);
        let found = self.store.all(checkpoint::of_holder(ws, &holder, CHECKPOINTS)).await?;
        let view = |found: checkpoint::CheckpointText| {
            let checkpoint = found.checkpoint;
            Checkpoint {
                n: checkpoint.n,
                audience: checkpoint.audience,
                kind: checkpoint.kind,
                from_line: checkpoint.from,
                upto_line: checkpoint.upto,
                depth: checkpoint.depth,
                model: checkpoint.model,
                text: found.text,
                run_key: checkpoint.run,
                created_at: checkpoint.created_at,
            }
        };
        Ok(found.into_iter().map(view).collect())
    }

    /// A page of what an agent knows: the summary that its next prompt begins with, the decisions that
    /// it repeats, then the lines of its log, newest first, those that the summary replaces last.
    ///
    /// Errors: no such agent; a cursor of another list.
    pub async fn knowledge(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<KnowledgeLine>, QueryError> {
        self.known_until(ws, id, (Timestamp::MAX, i64::MAX), limit, cursor).await
    }

    /// A page of what an agent knew when one of its runs had ended, in the same order. Lines that were
    /// removed since are left out.
    ///
    /// Errors: no such agent; no such run of it; a cursor of another list.
    pub async fn knowledge_at(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        key: &RunKey,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<KnowledgeLine>, QueryError> {
        let ended = self.ended(&self.run(ws, id, key).await?);
        let (_, newest) =
            self.store.first(log_line::held_until(ws, id, ended)).await?.unwrap_or_default();
        self.known_until(ws, id, (ended, newest + 1), limit, cursor).await
    }

    /// A page of what an agent knew at a time, when its log had lines before a number.
    async fn known_until(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        (until, beyond): (Timestamp, i64),
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<KnowledgeLine>, QueryError> {
        let task = self.agent(ws, id).await?.slots.active_task_id;
        let (skipped, before) = cursor.map_or(Ok((0, beyond)), page::pair)?;
        let folded = self.agents.checkpoint_in_use(ws, id, until).await?;
        let upto = folded.as_ref().map_or(0, |found| found.checkpoint.upto);
        let mut lines: Vec<Known> = folded.into_iter().filter_map(summary_line).collect();
        let decisions = self.agents.decisions_in_memory(ws, id, until).await?;
        let items = self.decided_items(ws, decisions.iter()).await?;
        lines.extend(decisions.into_iter().map(|decision| decision_line(decision, &items)));
        // The cursor counts the lines that are not in the log, and then names one that is.
        let n_head = lines.len();
        lines.drain(..skipped.min(n_head));
        let rows = log_line::held_before(ws, id, before.min(beyond), page::rows_to_read(limit));
        let rows = self.store.all(rows).await?.into_iter();
        lines.extend(rows.map(|(line, at)| log_entry(line, at, upto, task.as_ref())));
        let more = lines.len() > limit;
        lines.truncate(limit);
        let next_cursor = lines.last().filter(|_| more).map(|last| match last.line.line {
            LineName::Line(n) => format!("{n_head}.{n}"),
            LineName::Summary(_) | LineName::Decision(_) | LineName::Message(_) => {
                format!("{}.{}", skipped + lines.len(), i64::MAX)
            }
        });
        let sources = lines.iter().flat_map(|known| known.sources.iter().cloned()).collect();
        let may_see = self.agents.clearance_for(ws, id, sources).await?;
        let items = lines.into_iter().map(|Known { line, sources }| KnowledgeLine {
            kept_back: may_see.refusal(&sources),
            ..line
        });
        Ok(Page { items: items.collect(), next_cursor, damaged: Vec::new() })
    }
}

/// A line with what it was made of.
struct Known {
    line: KnowledgeLine,
    sources: Vec<Source>,
}

fn summary_line(found: CheckpointText) -> Option<Known> {
    let CheckpointText { checkpoint, text } = found;
    let text = text?;
    let line = KnowledgeLine {
        line: LineName::Summary(checkpoint.n),
        kind: KnowledgeKind::Summary,
        words: text.clone(),
        text,
        change: None,
        verdict: None,
        reason: None,
        at: Some(checkpoint.created_at),
        run_key: Some(checkpoint.run),
        task_id: None,
        entry_id: None,
        folds: Some([checkpoint.from, checkpoint.upto]),
        is_folded: false,
        kept_back: None,
        subject: None,
    };
    Some(Known { line, sources: checkpoint.sources })
}

fn decision_line(decision: Decision, items: &DecidedItems) -> Known {
    let text = decisions::summary(&decision);
    let change = items.change_of(&decision);
    let sources = vec![Source::Proposals(decision.change_set_id)];
    let line = KnowledgeLine {
        line: LineName::Decision(decision.id),
        kind: KnowledgeKind::Decision,
        words: text.clone(),
        text,
        change,
        verdict: Some(decision.verdict),
        reason: decision.rejection_reason,
        at: Some(decision.created_at),
        run_key: None,
        task_id: decision.task_id,
        entry_id: None,
        folds: None,
        is_folded: false,
        kept_back: None,
        subject: None,
    };
    Known { line, sources }
}

fn log_entry(line: Line, at: Option<Timestamp>, folded_upto: i64, task: Option<&TaskId>) -> Known {
    let entry_id = line.sources.iter().find_map(Source::entry).cloned();
    let about = line.sources.iter().find_map(Source::task).cloned();
    let text = line.text.as_deref().unwrap_or_default();
    let is_note = log::is_observation(text);
    let known = KnowledgeLine {
        line: LineName::Line(line.n),
        kind: if is_note { KnowledgeKind::Observation } else { KnowledgeKind::Input },
        subject: log::subject(&line).map(|subject| subject.as_str().to_owned()),
        words: log::plain(&line),
        text: request::unfenced(text).to_owned(),
        change: None,
        verdict: None,
        reason: None,
        at,
        run_key: Some(line.run),
        task_id: about.or_else(|| entry_id.is_some().then(|| task.cloned()).flatten()),
        entry_id,
        folds: None,
        is_folded: line.n <= folded_upto,
        kept_back: None,
    };
    Known { line: known, sources: line.sources }
}
