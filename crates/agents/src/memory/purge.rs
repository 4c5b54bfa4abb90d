//! Removes a line from the memory of an agent, and its words from both databases.
//!
//! Like a decision, it takes a commit in the agent store, one in the journal with a receipt, and one in
//! the agent store again; a row says which is next, and recovery continues there. The words are in that
//! row only until the journal has them no more. Then the files of the databases are cleaned of what
//! they keep of former rows, and a last commit ends it. Every step may be repeated.

use dormouse_journal::{Edit, EditCtx, JournalError};
use dormouse_runs::request;
use dormouse_store::agent::purge::{self, Phase, Purge};
use dormouse_store::agent::{
    checkpoint, entity, forgotten_entry, log_line, memory_index, provider_state, wake_queue,
    wake_run,
};
use dormouse_store::doc::Doc;
use dormouse_store::journal::entry::Entry;
use dormouse_store::text;
use dormouse_store::{
    Audit, ChangeRow, Commit, Db, MaybeRefused as _, Once, Op, Refusal, in_list, retry,
    search_index, stored_words,
};
use dormouse_types::audit::AuditAction;
use dormouse_types::caller::Actor;
use dormouse_types::closed_list::Listed;
use dormouse_types::fold::folded;
use dormouse_types::memory::Removal;
use dormouse_types::{
    AgentId, EntryId, EventKind, HolderId, Id as _, OperationId, Origin, TaskId, Timestamp,
    WorkspaceId, hash,
};

use super::purge_plan::{Hit, Plan, Target, digest_of};
use super::words::{MARK, Words};
use crate::error::broken;
use crate::lifecycle::{ATTEMPTS, RequestContext, audit};
use crate::{AgentError, Agents};

/// Whether anything was left to take out.
#[derive(PartialEq, Eq)]
enum Rest {
    Nothing,
    Purged,
}

/// How often words that were written during a purge are looked for.
const MAX_ROUNDS: usize = 3;

impl Agents {
    /// Returns what the removal of a line would take away; of a line that was removed, what it took.
    ///
    /// Errors: no such agent; it knows no such line.
    pub async fn removal(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        line: &str,
        with_entry: bool,
    ) -> Result<Removal, AgentError> {
        self.agent(ws, id).await?;
        if let Some(purge) = self.store.first(purge::of_line(ws, id, line)).await? {
            return recorded(&purge);
        }
        Ok(self.plan_removal(ws, id, line, with_entry).await?.removal)
    }

    /// Returns what was removed from the memory of an agent, newest first: how much, and no words.
    ///
    /// Errors: no such agent.
    pub async fn removals(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        limit: i64,
    ) -> Result<Vec<Removal>, AgentError> {
        self.agent(ws, id).await?;
        let purges = self.store.all(purge::of_agent(ws, id, limit)).await?;
        purges.iter().map(recorded).collect()
    }

    /// Removes a line from the memory of an agent, and its words from wherever they stand; from the
    /// entry that it was made of only if `with_entry` says so. To remove it twice changes nothing.
    ///
    /// Errors: no such agent; it knows no such line; an agent that may be reading the words is at work.
    pub async fn remove_line(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        line: &str,
        with_entry: bool,
        context: &RequestContext,
    ) -> Result<Removal, AgentError> {
        self.agent(ws, id).await?;
        let begun = match self.store.first(purge::of_line(ws, id, line)).await? {
            Some(purge) => purge,
            None => {
                let moved = [Refusal::Stale, Refusal::Exists];
                let begin = || self.begin_purge(ws, id, line, with_entry, context);
                match retry(ATTEMPTS, &moved, begin).await {
                    Ok(purge) => purge,
                    Err(error) => match error.refusal() {
                        Some(Refusal::LeaseLost) => {
                            return Err(self.reader_at_work(ws, id, line, with_entry).await?);
                        }
                        Some(Refusal::Stale | Refusal::Exists) => {
                            return Err(AgentError::Busy { agent: id.clone() });
                        }
                        _ => return Err(error),
                    },
                }
            }
        };
        self.go_on_with(ws, &begun, &context.actor).await?;
        let purge = self.store.first(purge::of_line(ws, id, line)).await?;
        recorded(&purge.unwrap_or(begun))
    }

    /// Says who keeps a removal waiting.
    async fn reader_at_work(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        line: &str,
        with_entry: bool,
    ) -> Result<AgentError, AgentError> {
        let plan = self.plan_removal(ws, id, line, with_entry).await?;
        // The reader may have ended meanwhile.
        let busy = || AgentError::Busy { agent: id.clone() };
        Ok(plan.removal.at_work.map_or_else(busy, AgentError::ReaderAtWork))
    }

    /// Goes on with removals that were interrupted, if they began before a time. Returns a line for
    /// each; one that fails keeps no other from its end.
    pub async fn finish_purges(
        &self,
        ws: WorkspaceId,
        before: Timestamp,
    ) -> Result<Vec<Result<String, String>>, AgentError> {
        let mut lines = Vec::new();
        for purge in self.store.each(purge::open(ws)).await? {
            let purge = match purge {
                Ok(purge) => purge,
                Err(error) => {
                    lines.push(Err(format!("a removal that was interrupted stays open: {error}")));
                    continue;
                }
            };
            if purge.created_at > before {
                continue;
            }
            if let Err(error) = self.go_on_with(ws, &purge, &Actor::Program).await {
                lines.push(Err(format!("removal of {} stays open: {error}", purge.line)));
                continue;
            }
            let now = self.store.first(purge::of_line(ws, &purge.agent, &purge.line)).await?;
            let is_done = now.is_some_and(|now| now.phase == Listed::Known(Phase::Done));
            lines.push(if is_done {
                Ok(format!("removal of {} finished", purge.line))
            } else {
                Err(format!("the files still hold what was removed with {}", purge.line))
            });
        }
        Ok(lines)
    }

    /// Takes the words out of the agent store, in one commit.
    async fn begin_purge(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        line: &str,
        with_entry: bool,
        context: &RequestContext,
    ) -> Result<Purge, AgentError> {
        if let Some(purge) = self.store.first(purge::of_line(ws, id, line)).await? {
            return Ok(purge);
        }
        let plan = self.plan_removal(ws, id, line, with_entry).await?;
        let now = self.clock.now();
        let entry = plan.removal.entry_id.clone().filter(|_| plan.removal.with_entry);
        let phase = if entry.is_some() { Phase::Journal } else { Phase::Files };
        let words = || serde_json::to_string(&plan.words).expect("words are plain data");
        let removed = Removal { removed_at: Some(now), at_work: None, ..plan.removal.clone() };
        let id_text = hash::joined(&["purge", id.as_str(), line, &now.micros().to_string()]);
        let purge = Purge {
            id: OperationId(id_text.as_str().to_owned()),
            agent: id.clone(),
            line: line.to_owned(),
            task: plan.task.clone(),
            words: entry.as_ref().map(|_| words()),
            entry,
            phase: Listed::Known(phase),
            removed: serde_json::to_string(&removed).expect("a removal is plain data"),
            created_at: now,
        };
        let news = |event| ChangeRow {
            touched: plan.task.iter().cloned().collect(),
            ..self.event(event, None, id.as_str())
        };
        let commit = Commit::new("purge.begin", Db::Agent, ws)
            .ops(plan.ops(ws, id)?)
            .ops(self.words_in_index(ws, &plan.hits).await?)
            .ops(plan.index_ops(ws, id))
            .op(purge::insert(ws, &purge))
            .changes(
                [EventKind::AgentChanged, EventKind::AgentMessage, EventKind::AgentReport]
                    .map(news),
            )
            .audit(Audit {
                detail: line.to_owned(),
                ..audit(context, AuditAction::AgentForget, id.as_str())
            });
        self.store.commit(commit).await?;
        self.purge_again(ws, id, &plan.words).await?;
        Ok(purge)
    }

    /// Takes out what agents that were not at work wrote in another place meanwhile.
    ///
    /// Errors: somebody writes the words again and again. The purge is not done then, and recovery continues
    /// it.
    async fn purge_again(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        words: &Words,
    ) -> Result<(), AgentError> {
        for _ in 0..MAX_ROUNDS {
            let purged =
                retry(ATTEMPTS, &[Refusal::Stale], || self.purge_rest_once(ws, words)).await?;
            if purged == Rest::Nothing {
                return Ok(());
            }
        }
        Err(AgentError::Busy { agent: id.clone() })
    }

    async fn purge_rest_once(&self, ws: WorkspaceId, words: &Words) -> Result<Rest, AgentError> {
        let hits = self.hits(ws, words, &[Db::Agent]).await?;
        if hits.is_empty() {
            return Ok(Rest::Nothing);
        }
        let again = Commit::new("purge.again", Db::Agent, ws)
            .ops(replacements(ws, &hits))
            .ops(self.words_in_index(ws, &hits).await?);
        self.store.commit(again).await?;
        Ok(Rest::Purged)
    }

    /// Returns what keeps the search index to the words that are left in texts.
    async fn words_in_index(&self, ws: WorkspaceId, hits: &[Hit]) -> Result<Vec<Op>, AgentError> {
        let mut ops = Vec::new();
        for hit in hits {
            let Some(digest) = digest_of(hit) else { continue };
            let words_of = request::unfenced(&hit.new);
            for (area, indexed) in self.store.all(search_index::of_text(ws, &digest)).await? {
                ops.push(search_index::remove(ws, &area, &indexed.id));
                ops.push(search_index::put(ws, &area, &indexed, words_of));
            }
        }
        Ok(ops)
    }

    /// Makes the steps of a purge that are left. Files that cannot be cleaned now are left to
    /// recovery.
    async fn go_on_with(
        &self,
        ws: WorkspaceId,
        purge: &Purge,
        actor: &Actor,
    ) -> Result<(), AgentError> {
        if purge.phase == Listed::Known(Phase::Done) {
            return Ok(());
        }
        if purge.phase == Listed::Known(Phase::Journal) {
            // Recovery comes here as well: the search after the first commit may not have happened.
            self.purge_again(ws, &purge.agent, &words_of(purge)?).await?;
            if let (Some(task), Some(entry)) = (&purge.task, &purge.entry) {
                self.delete_entry(ws, task, entry, actor).await?;
                let moved = [Refusal::Stale];
                retry(ATTEMPTS, &moved, || self.purge_journal(ws, purge, task, entry)).await?;
            }
            let commit =
                Commit::new("purge.rows", Db::Agent, ws).op(purge::is_out_of_rows(ws, &purge.id));
            self.store.commit(commit).await?;
        }
        if let Err(why) = self.store.clean_files().await {
            tracing::warn!(agent = %purge.agent, line = purge.line, why, "files are cleaned later");
            return Ok(());
        }
        let commit = Commit::new("purge.done", Db::Agent, ws)
            .op(purge::finish(ws, &purge.id))
            .change(self.event(EventKind::AgentChanged, None, purge.agent.as_str()));
        self.store.commit(commit).await?;
        Ok(())
    }

    /// Deletes the entry as its person would, so that everybody who shows the task learns of it.
    async fn delete_entry(
        &self,
        ws: WorkspaceId,
        task: &TaskId,
        entry: &EntryId,
        actor: &Actor,
    ) -> Result<(), AgentError> {
        let ctx = EditCtx::new(Origin::Person { via: None }, actor.clone());
        match self.journal.edit(ws, task, &[Edit::DeleteEntry(entry.clone())], &ctx).await {
            // The task or the entry is gone already; its words are not.
            Ok(_) | Err(JournalError::Edit(_) | JournalError::NoTask { .. }) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Takes the words out of the journal, once.
    async fn purge_journal(
        &self,
        ws: WorkspaceId,
        purge: &Purge,
        task: &TaskId,
        entry: &EntryId,
    ) -> Result<(), AgentError> {
        let words = words_of(purge)?;
        let hits = self.hits(ws, &words, &[Db::Journal]).await?;
        let mut ops = replacements(ws, &hits);
        for old in self.store.all(stored_words::entry_documents(ws, task)).await? {
            let cleaned = words.removed_from(&old.serialized);
            let is_it = old.id == entry.as_str();
            let text = cleaned.unwrap_or_else(|| old.serialized.clone());
            let Ok(mut doc) = Doc::<Entry>::read(&text) else { continue };
            if is_it {
                doc.value.text = Some(MARK.to_owned());
                doc.value.transcript = None;
            }
            let new = doc.text();
            if new != old.serialized {
                let found_by = folded(doc.value.says());
                ops.push(stored_words::replace_entry(ws, &old, &new, &found_by));
            }
        }
        let commit = Commit::new("purge.journal", Db::Journal, ws).ops(ops).once(Once {
            id: purge.id.as_str().to_owned(),
            request: hash::joined(&["purge", purge.agent.as_str(), &purge.line]),
            answer: "{}".to_owned(),
            effects: None,
        });
        self.store.commit(commit).await?;
        Ok(())
    }
}

/// The words that a removal keeps until they are out of both databases.
fn words_of(purge: &Purge) -> Result<Words, AgentError> {
    let words = purge.words.as_deref().map(serde_json::from_str::<Words>).transpose();
    Ok(words.map_err(broken)?.unwrap_or_default())
}

impl Plan {
    /// The writes to the agent store. They are refused while somebody who may be reading the words is
    /// at work: what it read, it would write again.
    fn ops(&self, ws: WorkspaceId, id: &AgentId) -> Result<Vec<Op>, AgentError> {
        let holder = HolderId::from(id);
        let readers = self.readers.chunks(in_list::MOST);
        let mut ops: Vec<Op> = readers.map(|page| wake_queue::expect_asleep(ws, page)).collect();
        let hits = self.hits.iter().filter(|hit| hit.place.db == Db::Agent);
        ops.extend(replacements(ws, hits));
        match &self.target {
            Target::Lines(lines) => {
                ops.extend(lines.iter().map(|line| log_line::remove(ws, &holder, line.n)));
            }
            Target::Summary(found) => {
                ops.push(checkpoint::remove(ws, &holder, found.checkpoint.n));
            }
            Target::Decision(found) => {
                let text = found.doc.text();
                let left = self.words.removed_from(&text).unwrap_or(text);
                let mut decision = (**found).clone();
                decision.doc = Doc::read(&left).map_err(broken)?;
                decision.doc.value.deleted_at = Some(found.doc.value.updated_at);
                decision.doc.value.rejection_reason = None;
                ops.push(entity::replace(ws, &decision));
            }
            Target::Message { payload, .. } => {
                // Words that are too short to be looked for are gone from the message all the same.
                let (digest, mark) = text::put(ws, MARK);
                let mut payload = (**payload).clone();
                payload.doc.value.spans = vec![digest];
                ops.extend([mark, entity::replace(ws, &payload)]);
            }
        }
        ops.extend(self.checkpoints.iter().map(|(holder, n)| checkpoint::remove(ws, holder, *n)));
        for run in &self.runs {
            ops.push(wake_run::mark_purged(ws, run));
            ops.push(provider_state::delete_of_run(ws, run));
        }
        if let (Some(task), Some(entry)) = (&self.task, &self.removal.entry_id) {
            ops.push(forgotten_entry::insert(ws, task, entry));
        }
        Ok(ops)
    }

    /// What takes the removed lines and summaries out of the search index.
    fn index_ops(&self, ws: WorkspaceId, id: &AgentId) -> Vec<Op> {
        let own = HolderId::from(id).to_string();
        let lines =
            self.target.lines().iter().map(|line| (own.clone(), memory_index::Place::Line(line.n)));
        let summary = match &self.target {
            Target::Summary(found) => Some(found.checkpoint.n),
            Target::Lines(_) | Target::Decision(_) | Target::Message { .. } => None,
        };
        let summary = summary.map(|n| (own.clone(), memory_index::Place::Checkpoint(n)));
        let folding = self.checkpoints.iter();
        let folding =
            folding.map(|(holder, n)| (holder.to_string(), memory_index::Place::Checkpoint(*n)));
        let all = lines.chain(summary).chain(folding);
        all.map(|(area, place)| search_index::remove(ws, &area, &place.to_string())).collect()
    }
}

/// Replaces the texts of rows.
fn replacements<'a>(ws: WorkspaceId, hits: impl IntoIterator<Item = &'a Hit>) -> Vec<Op> {
    let mut ops = Vec::new();
    for hit in hits {
        ops.push(hit.place.replace(ws, &hit.key, &hit.old, &hit.new));
        ops.extend(digest_of(hit).map(|digest| stored_words::mark_purged(ws, &digest)));
    }
    ops
}

fn recorded(purge: &Purge) -> Result<Removal, AgentError> {
    let removal: Removal = serde_json::from_str(&purge.removed).map_err(broken)?;
    Ok(Removal { phase: purge.phase.known(), ..removal })
}
