//! What is committed with the end of a run: notes, log lines, report and head, state.

use dormouse_runs::{RunError, RunLog, RunOutput};
use dormouse_store::agent::agent_entity::{DormantReason, Lifecycle};
use dormouse_store::agent::message::{Chain, Draft, Metadata};
use dormouse_store::agent::report::{Report, ReportHead};
use dormouse_store::agent::timer::{self, Timer};
use dormouse_store::agent::{entity, link, outdated, wake_queue};
use dormouse_store::{ChangeRow, Db, Op};
use dormouse_types::agent::{AgentLinkKind, MessageKind, ReportScope};
use dormouse_types::{
    CategoryId, EventKind, Id as _, LinkId, Origin, ReportHeadId, ReportId, Timestamp,
};
use serde_json::json;

use crate::Agents;
use crate::context::linked::LinkedTasks;
use crate::error::from_changes;
use crate::lifecycle::fall_asleep;
use crate::memory;
use crate::memory::report::Finished;
use crate::wake::policy::is_automatic;

use super::TaskAgent;
use super::accepted::{accepted_notes, accepted_report};
use super::wake_input::WakeInput;

impl TaskAgent<'_> {
    /// Returns the ops that turn a run into memory: notes, log lines, report, state.
    ///
    /// They are committed together with the end of the run, so a failed run leaves no memory, and
    /// its changes and messages stay unseen until a retry completes.
    pub(super) async fn finalize_ops(
        &self,
        input: &WakeInput,
        log: &RunLog,
        chain: &Chain,
    ) -> Result<RunOutput, RunError> {
        let Agents { clock, entropy, zone, .. } = self.agents;
        let (ws, run, now) = (self.lease.ws, &self.lease.run, clock.now());
        let task = input.task.task.as_ref();
        if let Some(task) = task {
            // Reads the items again: an undo of the person may have reopened one since this run
            // proposed, and of the two for one field only the newest stays open.
            self.agents.changes.keep_newest(ws, &task.id).await.map_err(from_changes)?;
        }
        let (mut ops, mut news) = (Vec::new(), Vec::new());
        let mut chain = chain.clone();
        if let Some(task) = task {
            let tell = |event: EventKind, subject: &str| {
                let origin = Origin::Agent { agent: self.agent.clone() };
                ChangeRow::agent(origin, event, Some(task.id.clone()), subject)
            };
            let notes = accepted_notes(log);
            for note in &notes {
                let draft = Draft {
                    kind: MessageKind::Observation,
                    content: note.text.clone(),
                    content_type: "text/markdown",
                    trigger: Some(run.reason.name().to_owned()),
                    metadata: Metadata {
                        priority: Some(note.priority.into()),
                        category: Some(note.category.into()),
                        ..Metadata::default()
                    },
                };
                ops.extend(chain.append(draft, now, &**entropy).1);
            }
            if !notes.is_empty() {
                news.push(tell(EventKind::AgentMessage, self.agent.as_str()));
            }
            let lines = memory::log::lines(
                &input.delta.changes,
                &notes,
                task,
                now.day_in(&zone.get()),
                &run.key,
            );
            let last = input.log_upto();
            ops.extend(memory::log::append(ws, &self.agent, last, &lines, &run.key));
            if let Some(draft) = accepted_report(log) {
                let finished = memory::report::finished(
                    &draft,
                    task,
                    &input.linked.as_ref().map(LinkedTasks::addresses).unwrap_or_default(),
                );
                let report = self.report_ops(input, finished, &chain);
                if !report.is_empty() {
                    news.push(tell(EventKind::AgentReport, self.agent.as_str()));
                }
                ops.extend(report);
            }
        }
        ops.extend(self.state_ops(input, log, &chain, now).await?);
        Ok(RunOutput { ops, news, audit: Vec::new() })
    }

    /// Returns the ops that store a report with its head and links.
    ///
    /// Report and head belong in one commit: a reader finds the report through the head, so neither
    /// may exist without the other. An unchanged report writes nothing.
    fn report_ops(&self, input: &WakeInput, finished: Finished, chain: &Chain) -> Vec<Op> {
        let last = input.report.as_ref();
        let Agents { clock, entropy, .. } = self.agents;
        let (ws, run, now) = (self.lease.ws, &self.lease.run, clock.now());
        let Finished { draft, own_addresses, sources } = finished;
        let unchanged = last.and_then(|last| last.report.as_ref()).is_some_and(|last| {
            last.tldr.as_deref() == Some(&draft.tldr)
                && last.content.as_str() == Some(&draft.content)
        });
        if unchanged {
            return Vec::new();
        }
        let report = Report {
            id: ReportId::fresh(now, &**entropy),
            agent_id: self.agent.clone(),
            scope: ReportScope::Current.into(),
            created_at: now,
            content: json!(draft.content),
            tldr: Some(draft.tldr.clone()),
            confidence: None,
            own_addresses,
            sources: Some(sources),
            provenance: json!({
                "model": run.model,
                "runKey": run.key,
                "templateVersion": input.effective.version,
            }),
            deleted_at: None,
        };
        let head = last.map(|last| last.head.clone());
        let mut ops = vec![entity::insert(ws, &report)];
        let link = |from: &str, to: &str, kind: AgentLinkKind| {
            let link = LinkId::fresh(now, &**entropy);
            link::insert(ws, &link::Link::new(link, from, to, kind, now))
        };
        match head {
            Some(mut head) => {
                head.value.report_id = report.id.clone();
                head.value.tldr.clone_from(&report.tldr);
                head.value.updated_at = now;
                ops.push(entity::put(ws, &head));
            }
            None => {
                let head = ReportHead {
                    id: ReportHeadId::fresh(now, &**entropy),
                    agent_id: self.agent.clone(),
                    scope: ReportScope::Current.into(),
                    report_id: report.id.clone(),
                    tldr: report.tldr.clone(),
                    created_at: now,
                    updated_at: now,
                    deleted_at: None,
                };
                ops.push(entity::insert(ws, &head));
                ops.push(link(self.agent.as_str(), head.id.as_str(), AgentLinkKind::ReportHead));
            }
        }
        let span = [chain.first.as_ref(), chain.head.as_ref()];
        for message in span.into_iter().flatten() {
            ops.push(link(report.id.as_str(), message.as_str(), AgentLinkKind::ReportSourceSpan));
        }
        ops
    }

    /// Returns the ops that update the agent's state: what it has seen and heard, its failure
    /// counter, and its lifecycle. `now` is also the time of the notes that the run adds, by which the next
    /// wake tells them from earlier ones.
    async fn state_ops(
        &self,
        input: &WakeInput,
        log: &RunLog,
        chain: &Chain,
        now: Timestamp,
    ) -> Result<Vec<Op>, RunError> {
        let Agents { entropy, store, .. } = self.agents;
        let (ws, run) = (self.lease.ws, &self.lease.run);
        let mut state = input.state.clone();
        let host = store.host(Db::Journal).to_string();
        // A timer that fired after the run began wakes the agent once more.
        let before = |timer: &&Timer| timer.fired_at.is_some_and(|at| Some(at) <= run.started_at);
        let value = &mut state.value;
        value.revision += 1;
        value.updated_at = now;
        value.last_wake_at = Some(now);
        value.next_wake_at = None;
        value.consecutive_failure_count = 0;
        let seen = value.processed_counter_by_host.entry(host).or_default();
        *seen = (*seen).max(run.upto.0);
        // A run that did not ask the model has heard nothing: messages stay for the next run.
        if !log.turns.is_empty() {
            value.heard_upto = Some(value.heard_upto.unwrap_or(0).max(run.heard_upto.0));
        }
        let mut ops: Vec<Op> =
            input.fired.iter().filter(before).map(|timer| timer::clear(ws, timer)).collect();
        ops.push(outdated::clear(ws, &self.agent));
        if let Some(head) = &chain.head {
            value.recent_head_message_id = Some(head.clone());
            ops.push(link::delete_from(ws, self.agent.as_str(), AgentLinkKind::HeadMessage, now));
            let link = LinkId::fresh(now, &**entropy);
            let link = link::Link::new(link, &self.agent, head, AgentLinkKind::HeadMessage, now);
            ops.push(link::insert(ws, &link));
        }
        ops.push(entity::put(ws, &state));
        let is_gone = input.task.task.is_none();
        let categories: Vec<CategoryId> = input.task.category.iter().cloned().collect();
        let has_moved = !is_gone && input.agent.allowed_category_ids != categories;
        if is_gone || has_moved || input.agent.lifecycle == Lifecycle::Created {
            ops.extend(self.lifecycle_ops(is_gone, categories).await?);
        }
        Ok(ops)
    }

    /// Returns the ops that put the agent of a deleted task to sleep, or make a new agent active. The
    /// categories that an agent may act in follow its task.
    ///
    /// A person may change the agent meanwhile, so its row is read again, and the commit is refused
    /// if it changes before.
    async fn lifecycle_ops(
        &self,
        is_task_gone: bool,
        categories: Vec<CategoryId>,
    ) -> Result<Vec<Op>, RunError> {
        let (ws, now) = (self.lease.ws, self.agents.clock.now());
        let mut ops = Vec::new();
        let mut agent = self.agents.agent(ws, &self.agent).await?;
        let before = agent.doc.value.clone();
        if is_task_gone {
            fall_asleep(&mut agent.doc.value, DormantReason::TaskDeleted);
        } else {
            agent.doc.value.allowed_category_ids = categories;
        }
        if !is_task_gone && agent.doc.value.lifecycle == Lifecycle::Created {
            agent.doc.value.lifecycle = Lifecycle::Active;
            if is_automatic(&agent.doc.value, self.agents.model_of(&agent.doc.value).class()) {
                // The agent was still waiting for its first content when a change arrived during
                // this run, so the change was signalled without a due time.
                ops.push(wake_queue::make_due(ws, &self.agent, now));
            }
        }
        if agent.doc.value != before {
            agent.doc.value.updated_at = now;
            ops.push(entity::replace(ws, &agent));
        }
        Ok(ops)
    }
}
