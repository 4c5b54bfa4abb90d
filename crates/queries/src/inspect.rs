//! Inspection: reports, messages, runs, prompts. No model is involved.

use dormouse_runs::drive::rebuild;
use dormouse_runs::{LoggedTurn, request};
use dormouse_store::Db;
use dormouse_store::agent::agent_entity;
use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::agent::message;
use dormouse_store::agent::outdated::{self, Outdated};
use dormouse_store::agent::report;
use dormouse_store::agent::wake_queue::{self, QueueEntry, Reason};
use dormouse_store::agent::{wake_request, wake_run};
use dormouse_types::agent::{Initiator, MessageKind};
use dormouse_types::closed_list::Listed;
use dormouse_types::kept_back::KeptBack;
use dormouse_types::model::{PromptPart, Turn};
use dormouse_types::observation::{ObservationCategory, ObservationPriority};
use dormouse_types::{AgentId, RunKey, ThreadId, WorkspaceId};
use serde_json::Value;

use crate::view::{
    Message, Page, Prompt, PromptFragment, Report, Restored, RestoredDatabase, Wake,
};
use crate::{Queries, QueryError, page};

/// Which messages of an agent to list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageFilter {
    /// Only of this thread.
    pub thread: Option<ThreadId>,
    /// The maximum number.
    pub limit: usize,
    /// The cursor of the previous page.
    pub cursor: Option<String>,
    /// Start with the newest, and return a cursor even on the last page; messages written later
    /// follow it.
    pub follow: bool,
}

impl Queries {
    /// The latest report of an agent.
    pub async fn report(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
    ) -> Result<Option<Report>, QueryError> {
        let agent = self.agent(ws, id).await?;
        let latest = self.agents.latest_report(ws, id).await?;
        let outdated = self.store.first(outdated::of_agent(ws, id)).await?;
        Ok(latest.map(|report| Report {
            stale_since: agent.stale_since,
            written_before: outdated.map(restored_view),
            task_id: agent.slots.active_task_id,
            ..report_view(report)
        }))
    }

    /// Every report of an agent, newest first.
    pub async fn reports(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        limit: usize,
    ) -> Result<Vec<Report>, QueryError> {
        let agent = self.agent(ws, id).await?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let all = entity::of_agent::<report::Report>(ws, id, limit);
        let all = self.store.all(all).await?;
        Ok(all
            .into_iter()
            .map(|stored| Report {
                task_id: agent.slots.active_task_id.clone(),
                ..report_view(stored.doc.value)
            })
            .collect())
    }

    /// A page of the reports of an agent, newest first.
    pub async fn reports_page(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Report>, QueryError> {
        let agent = self.agent(ws, id).await?;
        let (at, after) = page::cursor_or_start(cursor, (page::LATEST, "~"))?;
        let limit_read = page::rows_to_read(limit);
        let place = (at, after.as_str());
        let query = entity::page_of_agent::<report::Report>(ws, id, place, limit_read);
        let all = self.store.all(query).await?.into_iter();
        let views = all
            .map(|stored| Report {
                task_id: agent.slots.active_task_id.clone(),
                ..report_view(stored.doc.value)
            })
            .collect();
        Ok(page::page_of(views, limit, |report| page::cursor_of(report.created_at, &report.id)))
    }

    /// Messages of an agent with their content, oldest first; of one thread if given.
    pub async fn messages(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        thread: Option<ThreadId>,
        limit: usize,
    ) -> Result<Vec<Message>, QueryError> {
        self.agents.agent(ws, id).await?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let stored = match thread {
            Some(thread) => {
                let all = self.store.all(message::of_thread(ws, &thread, limit)).await?;
                all.into_iter().filter(|one| one.doc.value.holder == *id).collect()
            }
            None => self.store.all(entity::of_agent::<message::Message>(ws, id, limit)).await?,
        };
        let mut stored: Vec<Stored<message::Message>> = stored;
        stored.sort_by_key(|one| {
            let counter = one.columns.clock.values().copied().max().unwrap_or(0);
            (one.doc.value.created_at, counter, one.doc.value.metadata.n)
        });
        let mut messages = Vec::new();
        for one in stored {
            messages.push(self.message_view(ws, id, one).await?);
        }
        Ok(messages)
    }

    /// A page of the messages of an agent, oldest first, grouped by thread.
    pub async fn messages_page(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        filter: MessageFilter,
    ) -> Result<Page<Message>, QueryError> {
        self.agents.agent(ws, id).await?;
        let MessageFilter { thread, limit, cursor, follow } = filter;
        let read = self.read_messages(ws, id, thread, None, limit, cursor.as_deref(), follow);
        let (rows, next_cursor) = read.await?;
        let mut threads: Vec<ThreadId> = Vec::new();
        let mut items = Vec::new();
        for row in rows {
            let message = self.message_view(ws, id, row).await?;
            if !threads.contains(&message.thread_id) {
                threads.push(message.thread_id.clone());
            }
            items.push(message);
        }
        items.sort_by_key(|message| threads.iter().position(|it| *it == message.thread_id));
        Ok(Page { items, next_cursor, damaged: Vec::new() })
    }

    /// Messages in order from a cursor, and the next cursor.
    ///
    /// Shape of the cursor: the number of a commit, a dot, how many of its messages were returned.
    #[expect(clippy::too_many_arguments, reason = "each is one filter of the list")]
    pub(crate) async fn read_messages(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        thread: Option<ThreadId>,
        kind: Option<MessageKind>,
        limit: usize,
        cursor: Option<&str>,
        follow: bool,
    ) -> Result<(Vec<Stored<message::Message>>, Option<String>), QueryError> {
        let (from, seen): (i64, usize) = cursor.map_or(Ok((0, 0)), page::pair)?;
        let at_least = page::rows_to_read(limit.saturating_add(seen));
        let wanted = message::MessageQuery { thread, kind, from, at_least };
        let newest = follow && cursor.is_none();
        let mut rows = self
            .store
            .all(if newest {
                message::last(ws, id, &wanted)
            } else {
                message::forward(ws, id, &wanted)
            })
            .await?;
        rows.sort_by_cached_key(|row| {
            (counter(row), row.doc.value.metadata.n, row.doc.value.id.clone())
        });
        // A cursor skips messages only within its own commit.
        let given_out = rows.iter().take(seen).take_while(|row| counter(row) == from).count();
        let begin = if newest { rows.len().saturating_sub(limit) } else { given_out };
        let end = rows.len().min(begin.saturating_add(limit));
        let more = end < rows.len();
        let cursor = match rows[..end].last() {
            Some(last) => {
                let of_commit = |row: &&Stored<message::Message>| counter(row) == counter(last);
                format!("{}.{}", counter(last), rows[..end].iter().filter(of_commit).count())
            }
            None => format!("{from}.{seen}"),
        };
        rows.truncate(end);
        Ok((rows.split_off(begin.min(end)), (more || follow).then_some(cursor)))
    }

    pub(crate) async fn message_view(
        &self,
        ws: WorkspaceId,
        agent: &AgentId,
        stored: Stored<message::Message>,
    ) -> Result<Message, QueryError> {
        let message = stored.doc.value;
        let content = dormouse_runs::run_log::text(&self.store, ws, &message).await?;
        // Markdown stays text; everything else is JSON.
        let content = content.map(|text| {
            serde_json::from_str(&text).ok().filter(Value::is_object).unwrap_or(Value::String(text))
        });
        let is_note = message.kind == MessageKind::Observation;
        // A note of an older version says less, and counts as usual.
        let usual = |one: ObservationPriority| is_note.then_some(Listed::Known(one));
        let priority = message.metadata.priority.or_else(|| usual(ObservationPriority::default()));
        let usual = |one: ObservationCategory| is_note.then_some(Listed::Known(one));
        let category = message.metadata.category.or_else(|| usual(ObservationCategory::default()));
        Ok(Message {
            id: message.id,
            agent_id: agent.clone(),
            thread_id: message.thread_id,
            run_key: message.metadata.run_key.map(RunKey),
            turn: message.metadata.turn,
            kind: message.kind,
            content,
            prev_message_id: message.prev_message_id,
            tool_name: message.metadata.tool_name,
            operation_id: message.metadata.operation_id,
            refused: message.metadata.refused,
            priority,
            category,
            folds: message.metadata.lines,
            depth: message.metadata.depth,
            tokens_approx: message.tokens_approx,
            created_at: message.created_at,
            vector_clock: stored.columns.clock,
        })
    }

    /// The newest runs of an agent, newest first; a waiting wake comes first, as `queued`.
    pub async fn wakes(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        limit: usize,
    ) -> Result<Vec<Wake>, QueryError> {
        Ok(self.wakes_page(ws, id, limit, None).await?.items)
    }

    /// A page of the runs of an agent, newest first; a waiting wake comes first, as `queued`.
    pub async fn wakes_page(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Wake>, QueryError> {
        self.agents.agent(ws, id).await?;
        let (at, after) = page::cursor_or_start(cursor, (page::LATEST, ""))?;
        let row = self.store.first(wake_queue::of_holder(ws, id)).await?;
        let waiting =
            row.as_ref().filter(|_| cursor.is_none()).and_then(|row| waiting_view(id, row));
        let limit = limit.saturating_sub(usize::from(waiting.is_some()));
        let query = wake_run::page(ws, id, (at, &after), page::rows_to_read(limit));
        let runs = self.store.all(query).await?.into_iter();
        let views = runs.map(|run| wake_view(id, run, row.as_ref())).collect();
        let key = |wake: &Wake| wake.run_key.as_ref().map_or("", |key| key.as_str()).to_owned();
        let mut page =
            page::page_of(views, limit, |wake| page::cursor_of(wake.created_at, key(wake)));
        if limit == 0 {
            // The waiting wake fills a page of one; the next page begins at the first run.
            page.next_cursor = Some(page::cursor_of(page::LATEST, ""));
        }
        page.items.splice(0..0, waiting);
        Ok(page)
    }

    /// One run of an agent.
    pub async fn wake(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        key: &RunKey,
    ) -> Result<Wake, QueryError> {
        let run = self.store.first(wake_run::with_counts_by_key(ws, key)).await?;
        let run = run.filter(|run| run.run.holder == *id).ok_or_else(|| no_run(key))?;
        let row = self.store.first(wake_queue::of_holder(ws, id)).await?;
        Ok(wake_view(id, run, row.as_ref()))
    }

    /// A run of an agent as it is stored.
    ///
    /// Errors: the agent has no such run.
    pub(crate) async fn run(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        key: &RunKey,
    ) -> Result<wake_run::Run, QueryError> {
        let run = self.store.first(wake_run::by_key(ws, key)).await?;
        run.filter(|run| run.holder == *id).ok_or_else(|| no_run(key))
    }

    /// The prompts of a run as they were sent, rebuilt from spans and checked by their digest.
    pub async fn prompts(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        key: &RunKey,
    ) -> Result<Vec<Prompt>, QueryError> {
        let run = self.run(ws, id, key).await?;
        let (recorded, _) = dormouse_runs::run_log::read(&self.store, ws, &run).await?;
        let purged_at = self.store.first(wake_run::purged_at(ws, key)).await?.flatten();
        let mut prompts = Vec::new();
        for stored in self.store.all(wake_request::of_run(ws, key)).await? {
            let pieces = rebuild(&self.store, ws, &run.holder, &stored.spans).await?;
            let tools = pieces.iter().find(|piece| piece.kind == PromptPart::Tools);
            let tools = tools.map_or("[]", |piece| piece.text.as_str());
            let before = usize::try_from(stored.turn).unwrap_or(1).saturating_sub(1);
            let turns: Vec<Turn> = recorded.iter().take(before).map(LoggedTurn::rendered).collect();
            let verified = request::digest(&pieces, &turns, tools) == stored.digest;
            prompts.push(Prompt {
                run_key: key.clone(),
                turn: stored.turn,
                fragments: pieces
                    .into_iter()
                    .map(|piece| PromptFragment { kind: piece.kind, text: piece.text })
                    .collect(),
                digest: stored.digest.to_string(),
                verified,
                purged_at: purged_at.filter(|_| !verified),
                at: stored.at,
            });
        }
        Ok(prompts)
    }
}

pub(crate) fn report_view(report: report::Report) -> Report {
    Report {
        id: report.id,
        agent_id: report.agent_id,
        task_id: None,
        scope: report.scope,
        tldr: report.tldr,
        content: report.content,
        confidence: report.confidence,
        provenance: report.provenance,
        created_at: report.created_at,
        stale_since: None,
        written_before: None,
    }
}

pub(crate) fn restored_view(outdated: Outdated) -> Restored {
    let database = match outdated.db {
        Db::Journal => RestoredDatabase::Journal,
        Db::Agent => RestoredDatabase::Agent,
    };
    Restored { database: database.into(), at: outdated.at }
}

/// The number of the commit that wrote a row.
fn counter<T>(row: &Stored<T>) -> i64 {
    row.columns.clock.values().copied().max().unwrap_or(0)
}

fn no_run(key: &RunKey) -> QueryError {
    QueryError::NotFound { what: "wake of this agent", id: key.to_string() }
}

/// A waiting wake, shown as a run without a key and identified by what it waits for.
fn waiting_view(agent: &AgentId, row: &QueueEntry) -> Option<Wake> {
    if row.due_at.is_none() || row.reasons.is_empty() {
        return None;
    }
    let reason = dormouse_agents::wake::key::strongest(&row.reasons);
    let reason_id = match reason {
        Reason::Subscription => Some(agent_entity::own_subscription(agent).to_string()),
        Reason::Timer => row.due_at.map(|due| due.micros().to_string()),
        Reason::Creation => Some("creation".to_owned()),
        Reason::Reanalysis | Reason::UserInitiated => row.request_id.clone(),
    };
    Some(Wake {
        run_key: None,
        agent_id: agent.clone(),
        reason: reason.into(),
        reason_id,
        initiator: if reason.is_automatic() { Initiator::Automation } else { Initiator::Person }
            .into(),
        thread_id: None,
        status: wake_run::Status::Queued,
        logical_change_key: None,
        model: None,
        cut: false,
        crashes: 0,
        epoch: row.epoch,
        turns: 0,
        operations: 0,
        input_tokens: 0,
        cached_input_tokens: 0,
        output_tokens: 0,
        kept_back: KeptBack::default(),
        purged_at: None,
        created_at: row.first_signal_at.unwrap_or_default(),
        started_at: None,
        completed_at: None,
        due_at: row.due_at,
        error_message: None,
        failure: None,
    })
}

/// Builds the view of a run; one that waits to be resumed is due with its agent's row.
fn wake_view(agent: &AgentId, counted: wake_run::RunWithCounts, row: Option<&QueueEntry>) -> Wake {
    let wake_run::RunWithCounts { run, turns, calls, kept_back, purged_at } = counted;
    let is_waiting = |row: &&QueueEntry| {
        run.status == wake_run::Status::Queued && row.run_key.as_ref() == Some(&run.key)
    };
    Wake {
        due_at: row.filter(is_waiting).and_then(|row| row.due_at),
        run_key: Some(run.key),
        agent_id: agent.clone(),
        reason: run.reason,
        reason_id: run.reason_id,
        initiator: run.initiator,
        thread_id: Some(run.thread),
        status: run.status,
        logical_change_key: run.logical_change_key,
        model: run.model,
        cut: run.cut,
        crashes: run.crashes,
        epoch: run.epoch,
        turns,
        operations: calls,
        input_tokens: run.usage.input,
        cached_input_tokens: run.usage.cached_input,
        output_tokens: run.usage.output,
        kept_back,
        purged_at,
        created_at: run.created_at,
        started_at: run.started_at,
        completed_at: run.completed_at,
        error_message: run.error,
        failure: run.failure,
    }
}
