//! The work of a task agent: context, calls, memory. What [`dormouse_runs`] drives.

use std::time::Duration;

use dormouse_changes::set::gather::{self, Ground, Judged, Proposed};
use dormouse_changes::set::propose::{Proposer, Retraction};
use dormouse_changes::tools::{retract_suggestions, set_task_language};
use dormouse_changes::{ModelTool, Policy, Refused, ledger};
use dormouse_journal::{Edit, EditCtx, JournalError, OnceKey, RuleError, state};
use dormouse_runs::{Executed, Gathered, Lease, Work, WorkError};
use dormouse_store::agent::agent_entity::{Agent, DormantReason, Lifecycle};
use dormouse_store::agent::change_item::{self, Item};
use dormouse_store::agent::change_set::Decision;
use dormouse_store::agent::message::{self, Chain, Draft, Message, Metadata, kind};
use dormouse_store::agent::report::{self, CURRENT, Report, ReportHead};
use dormouse_store::agent::wake_queue::{self, Reason, Signal};
use dormouse_store::agent::{entity, link, log_line};
use dormouse_store::doc::Doc;
use dormouse_store::{Db, Op, ReadError, change_log};
use dormouse_turns::{RunLog, request};
use dormouse_types::limits;
use dormouse_types::model::{
    Delta, Fragment, FragmentData, FragmentKind, Instruction, LastReport, Ledger, LogData,
    ObservationNote, ObservationPriority, TaskState, ToolCall, ToolResult,
};
use dormouse_types::port::BoxFuture;
use dormouse_types::{
    AgentId, Id as _, LinkId, Origin, ReportHeadId, ReportId, Seq, TaskId, WorkspaceId, hash,
};
use serde_json::json;

use crate::context::{delta, render, system};
use crate::memory;
use crate::tools::record_observations::{self, Note};
use crate::tools::{self, update_report};
use crate::{AgentError, Agents};

/// A task agent at work.
pub struct TaskAgent<'a> {
    agents: &'a Agents,
}

/// What a run reads about its agent and task.
struct Surroundings {
    agent: Agent,
    task: Option<TaskState>,
    items: Vec<Item>,
    ledger: Ledger,
}

impl From<AgentError> for WorkError {
    fn from(error: AgentError) -> Self {
        match error {
            AgentError::Read(error) => Self::Read(error),
            AgentError::Commit(error) => Self::Commit(error),
            AgentError::Work(error) => error,
            AgentError::Journal(error) => from_journal(error),
            AgentError::Changes(error) => from_changes(error),
            other => Self::Broken(other.to_string()),
        }
    }
}

fn from_journal(error: JournalError) -> WorkError {
    match error {
        JournalError::Read(error) => WorkError::Read(error),
        JournalError::Commit(error) => WorkError::Commit(error),
        other => WorkError::Broken(other.to_string()),
    }
}

fn from_changes(error: dormouse_changes::DecideError) -> WorkError {
    use dormouse_changes::DecideError;
    match error {
        DecideError::Read(error) => WorkError::Read(error),
        DecideError::Commit(error) => WorkError::Commit(error),
        DecideError::Journal(error) => from_journal(error),
        other => WorkError::Broken(other.to_string()),
    }
}

impl<'a> TaskAgent<'a> {
    /// The work of whichever agent a lease names.
    pub fn new(agents: &'a Agents) -> Self {
        Self { agents }
    }

    async fn ground(&self, lease: &Lease) -> Result<Surroundings, WorkError> {
        let agent = self.agents.agent(lease.ws, &lease.run.agent).await?.doc.value;
        let slots = self.agents.state(lease.ws, &agent.id).await?.value.slots;
        let id = slots
            .active_task_id
            .ok_or_else(|| WorkError::Broken(format!("agent {} has no task", agent.id)))?;
        let task = match self.agents.journal.task(lease.ws, &id).await {
            Ok(view) if view.deleted_at().is_none() => Some(state(&view, &self.agents.zone)),
            Ok(_) | Err(JournalError::NoTask { .. }) => None,
            Err(error) => return Err(from_journal(error)),
        };
        let items = self.agents.store.all(change_item::of_task(lease.ws, &id)).await?;
        let ledger = match &task {
            None => Ledger::default(),
            Some(task) => {
                let decisions =
                    self.agents.store.all(entity::of_task::<Decision>(lease.ws, &id)).await?;
                let decisions: Vec<Decision> =
                    decisions.into_iter().map(|stored| stored.doc.value).collect();
                ledger::of(task, &items, &decisions)
            }
        };
        Ok(Surroundings { agent, task, items, ledger })
    }

    async fn changes(
        &self,
        lease: &Lease,
        task: &TaskId,
        from: Seq,
        upto: Seq,
    ) -> Result<Delta, WorkError> {
        let changes =
            self.agents.store.all(change_log::of_task(lease.ws, task, from, upto)).await?;
        Ok(delta::of(&changes, &lease.run.agent, &self.agents.zone))
    }

    async fn last_report(&self, lease: &Lease) -> Result<Option<Report>, WorkError> {
        Ok(self.agents.latest_report(lease.ws, &lease.run.agent).await?)
    }

    async fn instruction(
        &self,
        lease: &Lease,
        report_only: bool,
    ) -> Result<Instruction, WorkError> {
        let last = self.last_report(lease).await?;
        let reanalysis = lease.run.reason == Reason::Reanalysis.name();
        Ok(Instruction {
            first: last.is_none(),
            report_due: last.is_none() || reanalysis,
            report_only,
            today: self.agents.clock.now().day_in(&self.agents.zone),
            last_report: last.map(|report| LastReport {
                tldr: report.tldr.unwrap_or_default(),
                at: report.created_at,
            }),
        })
    }

    async fn notes(&self, lease: &Lease) -> Result<Vec<ObservationNote>, WorkError> {
        let mut notes = Vec::new();
        let query = message::of_kind(lease.ws, &lease.run.agent, kind::OBSERVATION);
        let mut messages: Vec<Message> =
            self.agents.store.all(query).await?.into_iter().map(|m| m.doc.value).collect();
        messages.sort_by_key(|message| (message.created_at, message.metadata.n));
        for message in messages {
            let text = dormouse_runs::trail::text(&self.agents.store, lease.ws, &message).await?;
            let priority = match message.metadata.priority.as_deref() {
                Some("critical") => ObservationPriority::Critical,
                Some("notable") => ObservationPriority::Notable,
                _ => ObservationPriority::Routine,
            };
            // A purged note is no memory any more.
            notes.extend(text.map(|text| ObservationNote {
                at: message.created_at,
                text,
                priority,
            }));
        }
        Ok(notes)
    }

    async fn said(&self, lease: &Lease) -> Result<Option<String>, WorkError> {
        let Some(id) = &lease.run.message_id else { return Ok(None) };
        let message =
            self.agents.store.first(entity::by_id::<Message>(lease.ws, id.as_str())).await?;
        let Some(message) = message else { return Ok(None) };
        Ok(dormouse_runs::trail::text(&self.agents.store, lease.ws, &message.doc.value).await?)
    }

    async fn context(&self, lease: &Lease) -> Result<Gathered, WorkError> {
        let task_id = self.task_id(lease).await?;
        self.agents.changes.expire(lease.ws, &task_id).await.map_err(from_changes)?;
        let ground = self.ground(lease).await?;
        let instruction = self.instruction(lease, false).await?;
        let Some(task) = ground.task else {
            return Ok(Gathered {
                fragments: Vec::new(),
                log_upto: 0,
                tools: Vec::new(),
                report_due: false,
                nothing_changed: true,
            });
        };
        let run = &lease.run;
        // The task is read as it is now: whatever is newer than `upto` is routed again.
        let delta = self.changes(lease, &task_id, run.processed, run.upto).await?;
        let earlier = self.changes(lease, &task_id, Seq(0), run.processed).await?;
        let asked = [Reason::Subscription.name(), Reason::Timer.name()];
        let nothing_changed = asked.contains(&run.reason.as_str()) && delta.changes.is_empty();
        let store = &self.agents.store;
        let lines = store.all(log_line::of_agent(lease.ws, &run.agent, 1, i64::MAX)).await?;
        let log_upto = lines.last().map_or(0, |line| line.n);
        let log_text =
            request::log_text(lines.iter().map(|line| line.text.as_deref().unwrap_or("[purged]")));
        let log = LogData { observations: self.notes(lease).await?, changes: earlier.changes };
        let tainted = task.entries.iter().any(|entry| entry.tainted);
        let report_due = instruction.report_due;
        let fragment = |kind, text, data| Fragment { kind, text, data, tainted };
        let mut fragments = vec![
            Fragment {
                kind: FragmentKind::System,
                text: system::prompt(),
                data: FragmentData::None,
                tainted: false,
            },
            fragment(
                FragmentKind::TaskState,
                render::task_state(&task, log_upto == 0),
                FragmentData::TaskState(Box::new(task.clone())),
            ),
            fragment(
                FragmentKind::Decisions,
                ledger::text(&ground.ledger, &task),
                FragmentData::Decisions(ground.ledger),
            ),
            fragment(
                FragmentKind::Delta,
                if log_upto == 0 {
                    "Everything is new.".into()
                } else {
                    render::delta(&delta, &task)
                },
                FragmentData::Delta(delta),
            ),
            Fragment {
                kind: FragmentKind::Instruction,
                text: render::instruction(&instruction),
                data: FragmentData::Instruction(instruction),
                tainted: false,
            },
        ];
        if log_upto > 0 {
            fragments.push(fragment(FragmentKind::Log, log_text, FragmentData::Log(log)));
        }
        if let Some(words) = self.said(lease).await? {
            let data = FragmentData::Message(words.clone());
            fragments.push(fragment(FragmentKind::Message, words, data));
        }
        Ok(Gathered {
            fragments,
            log_upto,
            tools: tools::specs(false),
            report_due,
            nothing_changed,
        })
    }

    async fn task_id(&self, lease: &Lease) -> Result<TaskId, WorkError> {
        let state = self.agents.state(lease.ws, &lease.run.agent).await?.value;
        state
            .slots
            .active_task_id
            .ok_or_else(|| WorkError::Broken(format!("agent {} has no task", lease.run.agent)))
    }

    async fn judge(
        &self,
        lease: &Lease,
        calls: &[ToolCall],
        report_only: bool,
    ) -> Result<Executed, WorkError> {
        let ground = self.ground(lease).await?;
        let Some(task) = &ground.task else {
            let results = calls.iter().map(|call| {
                Some(refused(call, "the task was deleted; nothing was applied".into()))
            });
            return Ok(Executed { results: results.collect(), ops: Vec::new() });
        };
        let mut proposed: Vec<Proposed> = Vec::new();
        let mut retractions: Vec<Retraction> = Vec::new();
        let mut results = Vec::new();
        let made_before = self.proposed_before(lease, &ground.items);
        let mut used: Vec<String> = made_before.iter().map(|item| item.tool.clone()).collect();
        for call in calls {
            let tool =
                tools::by_name(&call.name).or_else(|| dormouse_changes::tools::by_name(&call.name));
            let result = match tool {
                None => Some(refused(call, unknown(&call.name))),
                Some(tool) if report_only && tool.name != update_report::TOOL.name => {
                    Some(refused(call, "only update_report may be called now".into()))
                }
                Some(tool) if tool.policy == Policy::Immediate => {
                    self.immediate(tool, call, task, &ground, &mut retractions)
                }
                Some(tool) => {
                    let items: Vec<Item> = ground
                        .items
                        .iter()
                        .filter(|item| !retractions.iter().any(|one| one.item == **item))
                        .cloned()
                        .collect();
                    let ground = Ground {
                        task,
                        items: &items,
                        proposed: &proposed,
                        made_before: made_before.len(),
                        used: &used,
                    };
                    let judged = gather::call(tool, call, &ground);
                    let (is_refused, text) = gather::reply(&judged);
                    for one in judged {
                        if let Judged::Queued(one) = one {
                            // What was refused or redundant leaves the tool free for a better call.
                            if tool.policy == Policy::Deferred {
                                used.push(tool.name.to_owned());
                            }
                            proposed.push(one);
                        }
                    }
                    Some(ToolResult { call_id: call.id.clone(), refused: is_refused, text })
                }
            };
            results.push(result);
        }
        // A withdrawal of what is proposed anew in the same turn is void: the item just stays open.
        let kept: Vec<_> = proposed.iter().map(|one| one.fingerprint.clone()).collect();
        proposed.retain(|p| !retractions.iter().any(|one| one.item.fingerprint == p.fingerprint));
        retractions.retain(|one| !kept.contains(&one.item.fingerprint));
        let by = Proposer {
            ws: lease.ws,
            agent: &lease.run.agent,
            task: &task.id,
            thread: &lease.run.thread,
            run_key: &lease.run.key,
        };
        let ops = self
            .agents
            .changes
            .turn_ops(by, &proposed, &retractions)
            .await
            .map_err(from_changes)?;
        Ok(Executed { results, ops })
    }

    /// The items this run has proposed in earlier turns.
    fn proposed_before<'i>(&self, lease: &Lease, items: &'i [Item]) -> Vec<&'i Item> {
        items
            .iter()
            .filter(|item| {
                item.operation
                    == dormouse_changes::set::decide::operation(
                        lease.run.key.as_str(),
                        &item.fingerprint,
                        item.round,
                    )
            })
            .collect()
    }

    /// Runs an immediate call; none when it writes the journal, which waits for the turn's commit.
    fn immediate(
        &self,
        tool: &'static ModelTool,
        call: &ToolCall,
        task: &TaskState,
        ground: &Surroundings,
        retractions: &mut Vec<Retraction>,
    ) -> Option<ToolResult> {
        let told = |result: Result<String, Refused>| Some(told(call, result));
        if tool.name == update_report::TOOL.name {
            return told(update_report::check(&call.args).map(|_| "Report published.".into()));
        }
        if tool.name == record_observations::TOOL.name {
            let result = record_observations::check(&call.args);
            return told(result.map(|notes| format!("{} noted.", notes.len())));
        }
        if tool.name == set_task_language::TOOL.name {
            return match set_task_language::check(&call.args, task) {
                Ok(_) => None,
                Err(refused) => told(Err(refused)),
            };
        }
        let result = retract_suggestions::check(&call.args).map(|elements| {
            let mut lines = Vec::new();
            for element in elements {
                let fp = element.fingerprint.trim().trim_start_matches("fp=").to_lowercase();
                let open = ground.items.iter().find(|item| {
                    item.state.is_open()
                        && !retractions.iter().any(|one| one.item == **item)
                        && item.agent == ground.agent.id
                        && fp.len() >= 8
                        && item.fingerprint.0.starts_with(&fp)
                });
                match open {
                    Some(item) => {
                        let reason = element.reason.trim().to_owned();
                        retractions.push(Retraction { item: item.clone(), reason });
                        lines.push(format!("fp={fp}: retracted"));
                    }
                    None => lines.push(format!("fp={fp}: not open")),
                }
            }
            lines.join("\n")
        });
        told(result)
    }

    async fn set_language(
        &self,
        lease: &Lease,
        call: &ToolCall,
    ) -> Result<(ToolResult, Vec<Op>), WorkError> {
        let task = self.task_id(lease).await?;
        let operation = dormouse_runs::trail::operation(lease.run.key.as_str(), call);
        let mut ctx = EditCtx::new(
            Origin::Agent { agent: lease.run.agent.clone() },
            format!("agent:{}", lease.run.agent),
        );
        ctx.once = Some(OnceKey { id: operation.0.clone(), request: hash::sha256(&operation.0) });
        ctx.fence = Some((lease.run.agent.to_string(), lease.run.epoch));
        let rule = |view: &dormouse_journal::TaskView| {
            let task = state(view, &self.agents.zone);
            set_task_language::check(&call.args, &task)
                .map(|code| vec![Edit::Language { code: Some(code) }])
        };
        let edited = self.agents.journal.edit_with(lease.ws, &task, &ctx, rule).await;
        let result = match edited {
            Ok(_) => told(call, Ok("Language set.".into())),
            Err(RuleError::Rule(refused)) => told(call, Err(refused)),
            Err(RuleError::Journal(
                error @ (JournalError::Edit(_) | JournalError::NoTask { .. }),
            )) => refused(call, error.to_string()),
            Err(RuleError::Journal(JournalError::Fenced { .. })) => {
                return Err(WorkError::Commit(dormouse_store::CommitError::Refused {
                    label: "run.effect",
                    refusal: dormouse_store::Refusal::LeaseLost,
                }));
            }
            Err(RuleError::Journal(error)) => return Err(from_journal(error)),
        };
        Ok((result, Vec::new()))
    }

    async fn ending(
        &self,
        lease: &Lease,
        log: &RunLog,
        trail: &Chain,
    ) -> Result<Vec<Op>, WorkError> {
        let Agents { store, clock, entropy, zone, .. } = self.agents;
        let (ws, run, now) = (lease.ws, &lease.run, clock.now());
        let ground = self.ground(lease).await?;
        let mut ops = Vec::new();
        let mut trail = trail.clone();
        if let Some(task) = &ground.task {
            let notes = accepted_notes(log);
            for note in &notes {
                let priority = serde_json::to_value(note.priority).unwrap_or_default();
                let draft = Draft {
                    kind: kind::OBSERVATION,
                    content: note.text.clone(),
                    content_type: "text/markdown",
                    trigger: Some(run.reason.clone()),
                    metadata: Metadata {
                        priority: priority.as_str().map(ToOwned::to_owned),
                        ..Metadata::default()
                    },
                };
                ops.extend(trail.append(draft, now, &**entropy).1);
            }
            let delta = self.changes(lease, &task.id, run.processed, run.upto).await?;
            let lines = memory::log::lines(&delta.changes, &notes, task, now.day_in(zone));
            let stored = store.all(log_line::of_agent(ws, &run.agent, 1, i64::MAX)).await?;
            let last = stored.last().map_or(0, |line| line.n);
            ops.extend(memory::log::append(ws, &run.agent, last, &lines, &run.key));
            if let Some(draft) = accepted_report(log) {
                ops.extend(
                    self.report_ops(lease, &memory::report::finished(&draft, task), &trail).await?,
                );
            }
        }
        ops.extend(self.state_ops(lease, &trail, ground.task.is_none()).await?);
        Ok(ops)
    }

    /// Report and head in one commit, with their links.
    async fn report_ops(
        &self,
        lease: &Lease,
        draft: &update_report::Draft,
        trail: &Chain,
    ) -> Result<Vec<Op>, WorkError> {
        let Agents { store, clock, entropy, .. } = self.agents;
        let (ws, run, now) = (lease.ws, &lease.run, clock.now());
        let last = self.last_report(lease).await?;
        let unchanged = last.is_some_and(|last| {
            last.tldr.as_deref() == Some(&draft.tldr)
                && last.content.as_str() == Some(&draft.content)
        });
        if unchanged {
            return Ok(Vec::new());
        }
        let report = Report {
            id: ReportId::fresh(now, &**entropy),
            agent_id: run.agent.clone(),
            scope: CURRENT.into(),
            created_at: now,
            content: json!(draft.content),
            tldr: Some(draft.tldr.clone()),
            confidence: None,
            provenance: json!({ "model": run.model, "runKey": run.key, "templateVersion": null }),
            deleted_at: None,
        };
        let head = store.first(report::head(ws, &run.agent, CURRENT)).await?;
        let mut ops = vec![entity::insert(ws, &report)];
        let link = |from: &str, to: &str, kind: &str| {
            let link = LinkId::fresh(now, &**entropy);
            link::insert(ws, &link::Link::new(link, from, to, kind, now))
        };
        match head {
            Some(mut head) => {
                head.doc.value.report_id = report.id.clone();
                head.doc.value.updated_at = now;
                ops.push(entity::put(ws, &head.doc));
            }
            None => {
                let head = ReportHead {
                    id: ReportHeadId::fresh(now, &**entropy),
                    agent_id: run.agent.clone(),
                    scope: CURRENT.into(),
                    report_id: report.id.clone(),
                    created_at: now,
                    updated_at: now,
                    deleted_at: None,
                };
                ops.push(entity::insert(ws, &head));
                ops.push(link(run.agent.as_str(), head.id.as_str(), link::AGENT_REPORT_HEAD));
            }
        }
        let span = [trail.first.as_ref(), trail.head.as_ref()];
        for message in span.into_iter().flatten() {
            ops.push(link(report.id.as_str(), message.as_str(), link::REPORT_SOURCE_SPAN));
        }
        Ok(ops)
    }

    async fn state_ops(
        &self,
        lease: &Lease,
        trail: &Chain,
        task_gone: bool,
    ) -> Result<Vec<Op>, WorkError> {
        let Agents { clock, entropy, store, .. } = self.agents;
        let (ws, run, now) = (lease.ws, &lease.run, clock.now());
        let mut state: Doc<_> = self.agents.state(ws, &run.agent).await?;
        let host = store.host(Db::Journal).to_string();
        let value = &mut state.value;
        value.revision += 1;
        value.updated_at = now;
        value.last_wake_at = Some(now);
        value.next_wake_at = None;
        value.consecutive_failure_count = 0;
        let seen = value.processed_counter_by_host.entry(host).or_default();
        *seen = (*seen).max(run.upto.0);
        let mut ops = Vec::new();
        if let Some(head) = &trail.head {
            value.recent_head_message_id = Some(head.clone());
            ops.push(link::delete_from(ws, run.agent.as_str(), link::AGENT_HEAD_MESSAGE, now));
            let link = LinkId::fresh(now, &**entropy);
            let link = link::Link::new(link, &run.agent, head, link::AGENT_HEAD_MESSAGE, now);
            ops.push(link::insert(ws, &link));
        }
        ops.push(entity::put(ws, &state));
        let mut agent = self.agents.agent(ws, &run.agent).await?;
        let before = agent.doc.value.clone();
        if task_gone {
            agent.doc.value.lifecycle = Lifecycle::Dormant;
            agent.doc.value.dormant_reason = Some(DormantReason::TaskDeleted);
        } else if agent.doc.value.lifecycle == Lifecycle::Created {
            agent.doc.value.lifecycle = Lifecycle::Active;
        }
        if agent.doc.value != before {
            agent.doc.value.updated_at = now;
            ops.push(entity::put(ws, &agent.doc));
        }
        Ok(ops)
    }
}

impl Work for TaskAgent<'_> {
    fn may_ask<'a>(&'a self, lease: &'a Lease) -> BoxFuture<'a, Result<bool, WorkError>> {
        Box::pin(async move {
            let agent = self.agents.agent(lease.ws, &lease.run.agent).await?.doc.value;
            Ok(matches!(agent.lifecycle, Lifecycle::Created | Lifecycle::Active))
        })
    }

    fn gather<'a>(&'a self, lease: &'a Lease) -> BoxFuture<'a, Result<Gathered, WorkError>> {
        Box::pin(self.context(lease))
    }

    fn again<'a>(
        &'a self,
        lease: &'a Lease,
        report_only: bool,
    ) -> BoxFuture<'a, Result<Gathered, WorkError>> {
        Box::pin(async move {
            let instruction = self.instruction(lease, report_only).await?;
            let report_due = instruction.report_due;
            let ground = self.ground(lease).await?;
            let mut fragments = vec![Fragment {
                kind: FragmentKind::Instruction,
                text: render::instruction(&instruction),
                data: FragmentData::Instruction(instruction),
                tainted: false,
            }];
            // The built-in model reads data: a report it owes is made from the task as it is now.
            if let Some(task) = ground.task.filter(|_| report_only) {
                fragments.push(Fragment {
                    kind: FragmentKind::TaskState,
                    text: render::task_state(&task, true),
                    data: FragmentData::TaskState(Box::new(task)),
                    tainted: true,
                });
            }
            Ok(Gathered {
                fragments,
                log_upto: 0,
                tools: tools::specs(report_only),
                report_due,
                nothing_changed: false,
            })
        })
    }

    fn execute<'a>(
        &'a self,
        lease: &'a Lease,
        _log: &'a RunLog,
        calls: &'a [ToolCall],
        report_only: bool,
    ) -> BoxFuture<'a, Result<Executed, WorkError>> {
        Box::pin(self.judge(lease, calls, report_only))
    }

    fn effect<'a>(
        &'a self,
        lease: &'a Lease,
        call: &'a ToolCall,
    ) -> BoxFuture<'a, Result<(ToolResult, Vec<Op>), WorkError>> {
        Box::pin(self.set_language(lease, call))
    }

    fn reported(&self, log: &RunLog) -> bool {
        accepted_report(log).is_some()
    }

    fn finish<'a>(
        &'a self,
        lease: &'a Lease,
        log: &'a RunLog,
        trail: &'a Chain,
    ) -> BoxFuture<'a, Result<Vec<Op>, WorkError>> {
        Box::pin(self.ending(lease, log, trail))
    }

    fn fail<'a>(
        &'a self,
        lease: &'a Lease,
        _error: &'a str,
    ) -> BoxFuture<'a, Result<Vec<Op>, WorkError>> {
        Box::pin(async move {
            match self.agents.failure_ops(lease.ws, &lease.run.agent).await {
                // A damaged agent has no counter to raise; the failed run itself says why.
                Err(AgentError::Read(ReadError::Corrupt { .. })) => Ok(Vec::new()),
                other => Ok(other?),
            }
        })
    }
}

impl Agents {
    /// The report a person reads; no model is involved.
    pub async fn latest_report(
        &self,
        ws: WorkspaceId,
        agent: &AgentId,
    ) -> Result<Option<Report>, AgentError> {
        let Some(head) = self.store.first(report::head(ws, agent, CURRENT)).await? else {
            return Ok(None);
        };
        let id = head.doc.value.report_id;
        let report = self.store.first(entity::by_id::<Report>(ws, id.as_str())).await?;
        Ok(report.map(|report| report.doc.value))
    }

    /// What a failed run leaves: the counter, a later try, and dormancy after too many.
    pub(crate) async fn failure_ops(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
    ) -> Result<Vec<Op>, AgentError> {
        let now = self.clock.now();
        let mut state = self.state(ws, id).await?;
        let mut agent = self.agent(ws, id).await?;
        state.value.consecutive_failure_count += 1;
        state.value.updated_at = now;
        let failures = state.value.consecutive_failure_count;
        let mut ops = Vec::new();
        if failures >= limits::FAILURES_TO_DORMANT {
            state.value.next_wake_at = None;
            agent.doc.value.lifecycle = Lifecycle::Dormant;
            agent.doc.value.dormant_reason = Some(DormantReason::Failures);
            agent.doc.value.updated_at = now;
            ops.push(entity::put(ws, &agent.doc));
            ops.push(wake_queue::hold(ws, id, false));
        } else {
            let at = now + self.back_off(failures);
            state.value.next_wake_at = Some(at);
            let signal = Signal {
                agent: id.clone(),
                reason: Reason::Timer,
                at: now,
                due_at: Some(at),
                upto: Seq(0),
                request_id: None,
                message_id: None,
            };
            ops.push(wake_queue::signal(ws, &signal));
        }
        ops.push(entity::put(ws, &state));
        Ok(ops)
    }

    /// 30 s doubled with each failure, up to an hour, with up to a quarter of jitter.
    fn back_off(&self, failures: i64) -> Duration {
        let doublings = u32::try_from(failures - 1).unwrap_or(0).min(7);
        let base = Duration::from_secs((30 << doublings).min(3600));
        let mut byte = [0u8; 1];
        self.entropy.fill(&mut byte);
        base + base * u32::from(byte[0]) / 1024
    }
}

fn told(call: &ToolCall, result: Result<String, Refused>) -> ToolResult {
    let (refused, text) = match result {
        Ok(text) => (false, text),
        Err(Refused::Redundant(text)) => (false, text),
        Err(Refused::Invalid(text)) => (true, text),
    };
    ToolResult { call_id: call.id.clone(), refused, text }
}

fn refused(call: &ToolCall, text: String) -> ToolResult {
    ToolResult { call_id: call.id.clone(), refused: true, text }
}

fn unknown(name: &str) -> String {
    let names: Vec<_> = tools::specs(false).into_iter().map(|spec| spec.name).collect();
    format!("there is no tool {name}; nothing was applied. Tools: {}", names.join(", "))
}

/// Accepted calls of a tool, oldest first.
fn accepted<'l>(log: &'l RunLog, name: &'static str) -> impl Iterator<Item = &'l ToolCall> {
    log.turns.iter().flat_map(move |turn| {
        turn.calls.iter().zip(&turn.results).filter_map(move |(call, result)| {
            let is_it = tools::by_name(&call.name).is_some_and(|tool| tool.name == name);
            let ok = result.as_ref().is_some_and(|result| !result.refused);
            (is_it && ok).then_some(call)
        })
    })
}

/// The report of a run: its last accepted call wins.
fn accepted_report(log: &RunLog) -> Option<update_report::Draft> {
    accepted(log, update_report::TOOL.name)
        .filter_map(|call| update_report::check(&call.args).ok())
        .last()
}

fn accepted_notes(log: &RunLog) -> Vec<Note> {
    accepted(log, record_observations::TOOL.name)
        .filter_map(|call| record_observations::check(&call.args).ok())
        .flatten()
        .take(limits::OBSERVATIONS_PER_WAKE.max)
        .collect()
}
