//! Inspection: reports, messages, runs, prompts, decisions. No model is involved.

use dormouse_changes::tools;
use dormouse_runs::drive::rebuild;
use dormouse_store::agent::change_set;
use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::agent::message;
use dormouse_store::agent::report;
use dormouse_store::agent::wake_queue;
use dormouse_store::agent::{wake_request, wake_run};
use dormouse_turns::{LoggedTurn, request};
use dormouse_types::model::{ToolSpec, Turn};
use dormouse_types::{AgentId, Caller, RunKey, Scope, TaskId, ThreadId};
use serde_json::Value;

use crate::asked::require;
use crate::view::{Decision, Message, Prompt, PromptFragment, Report, Wake};
use crate::{Dormouse, Error};

impl Dormouse {
    /// The report a person reads.
    pub async fn report(&self, caller: &Caller, id: &AgentId) -> Result<Option<Report>, Error> {
        require(caller, Scope::Read)?;
        let agent = self.agent(caller, id).await?;
        let latest = self.agents.latest_report(caller.workspace, id).await?;
        Ok(latest.map(|report| Report {
            stale_since: agent.stale_since,
            task_id: agent.slots.active_task_id,
            ..report_view(report)
        }))
    }

    /// Every report of an agent, newest first.
    pub async fn reports(
        &self,
        caller: &Caller,
        id: &AgentId,
        limit: usize,
    ) -> Result<Vec<Report>, Error> {
        require(caller, Scope::Read)?;
        let agent = self.agent(caller, id).await?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let all = entity::of_agent::<report::Report>(caller.workspace, id, limit);
        let all = self.store.all(all).await?;
        Ok(all
            .into_iter()
            .map(|stored| Report {
                task_id: agent.slots.active_task_id.clone(),
                ..report_view(stored.doc.value)
            })
            .collect())
    }

    /// Messages of an agent with their content, oldest first; of one thread if given.
    pub async fn messages(
        &self,
        caller: &Caller,
        id: &AgentId,
        thread: Option<ThreadId>,
        limit: usize,
    ) -> Result<Vec<Message>, Error> {
        require(caller, Scope::Read)?;
        let ws = caller.workspace;
        self.agents.agent(ws, id).await?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let stored = match thread {
            Some(thread) => {
                let all = self.store.all(message::of_thread(ws, &thread, limit)).await?;
                all.into_iter().filter(|one| one.doc.value.agent_id == *id).collect()
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
            let message = one.doc.value;
            let content = dormouse_runs::trail::text(&self.store, ws, &message).await?;
            // Markdown stays text; everything else is JSON.
            let content = content.map(|text| {
                serde_json::from_str(&text)
                    .ok()
                    .filter(Value::is_object)
                    .unwrap_or(Value::String(text))
            });
            messages.push(Message {
                id: message.id,
                agent_id: message.agent_id,
                thread_id: message.thread_id,
                kind: message.kind,
                content,
                prev_message_id: message.prev_message_id,
                tool_name: message.metadata.tool_name,
                operation_id: message.metadata.operation_id,
                refused: message.metadata.refused,
                priority: message.metadata.priority,
                tokens_approx: message.tokens_approx,
                created_at: message.created_at,
                vector_clock: one.columns.clock,
            });
        }
        Ok(messages)
    }

    /// The runs of an agent, newest first; a waiting wake stands on top as `queued`.
    pub async fn wakes(
        &self,
        caller: &Caller,
        id: &AgentId,
        limit: usize,
    ) -> Result<Vec<Wake>, Error> {
        require(caller, Scope::Read)?;
        let ws = caller.workspace;
        self.agents.agent(ws, id).await?;
        let mut wakes = Vec::new();
        let row = self.store.first(wake_queue::of_agent(ws, id)).await?;
        if let Some(row) = row.filter(|row| row.due_at.is_some() && !row.reasons.is_empty()) {
            let reason = dormouse_agents::wake::key::strongest(&row.reasons);
            wakes.push(Wake {
                run_key: None,
                agent_id: id.clone(),
                reason: reason.name().into(),
                reason_id: row.request_id,
                initiator: if reason.priority() == 0 { "person" } else { "automation" }.into(),
                thread_id: None,
                status: "queued".into(),
                logical_change_key: None,
                model: None,
                cut: false,
                crashes: 0,
                created_at: row.first_signal_at.unwrap_or_default(),
                completed_at: None,
                due_at: row.due_at,
                error_message: None,
            });
        }
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let runs = self.store.all(wake_run::of_agent(ws, id, limit)).await?;
        wakes.extend(runs.into_iter().map(wake_view));
        Ok(wakes)
    }

    /// One run of an agent.
    pub async fn wake(&self, caller: &Caller, id: &AgentId, key: &RunKey) -> Result<Wake, Error> {
        Ok(wake_view(self.run(caller, id, key).await?))
    }

    async fn run(
        &self,
        caller: &Caller,
        id: &AgentId,
        key: &RunKey,
    ) -> Result<wake_run::Run, Error> {
        require(caller, Scope::Read)?;
        let run = self.store.first(wake_run::by_key(caller.workspace, key)).await?;
        run.filter(|run| run.agent == *id)
            .ok_or_else(|| Error::NotFound { what: "wake of this agent", id: key.to_string() })
    }

    /// The prompts of a run as they were sent, rebuilt from spans and checked by their digest.
    pub async fn prompts(
        &self,
        caller: &Caller,
        id: &AgentId,
        key: &RunKey,
    ) -> Result<Vec<Prompt>, Error> {
        let run = self.run(caller, id, key).await?;
        let ws = caller.workspace;
        let lease = dormouse_runs::Lease {
            ws,
            owner: String::new(),
            lasts: std::time::Duration::ZERO,
            run: run.clone(),
        };
        let (log, _) = dormouse_runs::trail::read(&self.store, &lease).await?;
        let mut prompts = Vec::new();
        for stored in self.store.all(wake_request::of_run(ws, key)).await? {
            let pieces = rebuild(&self.store, ws, &run.agent, &stored.spans).await?;
            let tools: Vec<ToolSpec> = pieces
                .iter()
                .find(|(kind, _)| kind == "tools")
                .and_then(|(_, text)| serde_json::from_str(text).ok())
                .unwrap_or_default();
            let before = usize::try_from(stored.turn).unwrap_or(1).saturating_sub(1);
            let turns: Vec<Turn> = log.turns.iter().take(before).map(LoggedTurn::shown).collect();
            let texts = pieces
                .iter()
                .filter(|(kind, _)| kind != "tools")
                .map(|(kind, text)| (kind.as_str(), text.as_str()));
            let verified = request::digest(texts, &turns, &tools) == stored.digest;
            prompts.push(Prompt {
                run_key: key.clone(),
                turn: stored.turn,
                fragments: pieces
                    .into_iter()
                    .map(|(kind, text)| PromptFragment { kind, text })
                    .collect(),
                digest: stored.digest.to_string(),
                verified,
                at: stored.at,
            });
        }
        Ok(prompts)
    }

    /// Decisions on an agent's proposals, newest first.
    pub async fn decisions(
        &self,
        caller: &Caller,
        id: &AgentId,
        limit: usize,
    ) -> Result<Vec<Decision>, Error> {
        require(caller, Scope::Read)?;
        self.agents.agent(caller.workspace, id).await?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let all = entity::of_agent::<change_set::Decision>(caller.workspace, id, limit);
        Ok(self.store.all(all).await?.into_iter().map(decision_view).collect())
    }

    /// Decisions about a task, newest first.
    pub async fn task_decisions(
        &self,
        caller: &Caller,
        id: &TaskId,
    ) -> Result<Vec<Decision>, Error> {
        require(caller, Scope::Read)?;
        self.journal.task(caller.workspace, id).await?;
        let all = entity::of_task::<change_set::Decision>(caller.workspace, id);
        Ok(self.store.all(all).await?.into_iter().map(decision_view).collect())
    }
}

fn report_view(report: report::Report) -> Report {
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
    }
}

fn wake_view(run: wake_run::Run) -> Wake {
    Wake {
        run_key: Some(run.key),
        agent_id: run.agent,
        reason: run.reason,
        reason_id: run.reason_id,
        initiator: run.initiator,
        thread_id: Some(run.thread),
        status: run.status.name().into(),
        logical_change_key: run.logical_change_key,
        model: run.model,
        cut: run.cut,
        crashes: run.crashes,
        created_at: run.created_at,
        completed_at: run.completed_at,
        due_at: None,
        error_message: run.error,
    }
}

fn decision_view(stored: Stored<change_set::Decision>) -> Decision {
    let decision = stored.doc.value;
    let name = |value: Value| value.as_str().unwrap_or_default().to_owned();
    let human_summary = tools::item(&decision.tool_name)
        .map_or_else(|| decision.tool_name.clone(), |tool| tool.summary(&decision.args, None));
    Decision {
        id: decision.id,
        agent_id: decision.agent_id,
        change_set_id: decision.change_set_id,
        item_index: decision.item_index,
        tool_name: decision.tool_name,
        human_summary,
        verdict: name(serde_json::to_value(decision.verdict).unwrap_or_default()),
        outcome: name(serde_json::to_value(decision.outcome).unwrap_or_default()),
        task_id: decision.task_id,
        rejection_reason: decision.rejection_reason,
        created_at: decision.created_at,
        undone_at: decision.undone_at,
        vector_clock: stored.columns.clock,
    }
}
