//! What a run reads: agent, task, proposals, changes, notes; and the fragments built from them.

use dormouse_changes::ledger;
use dormouse_journal::{JournalError, state};
use dormouse_runs::{RunError, ToolSet, TurnContext, request};
use dormouse_store::agent::agent_entity::State;
use dormouse_store::agent::change_item::{self, Item};
use dormouse_store::agent::change_set::Decision;
use dormouse_store::agent::message::{self, Message, kind};
use dormouse_store::agent::timer::{self, Timer};
use dormouse_store::agent::wake_queue::Reason;
use dormouse_store::agent::{entity, log_line, outdated};
use dormouse_store::change_log;
use dormouse_types::model::{
    Delta, Fragment, FragmentData, FragmentKind, Instruction, LastReport, Ledger, LogData,
    ObservationNote, ObservationPriority, TaskState, TimerNote,
};
use dormouse_types::{Seq, TaskId};

use crate::context::{delta, render, system};
use crate::inbox::UserMessage;
use crate::memory::report::Latest;
use crate::tools::{self};

use super::{TaskAgent, from_changes, from_journal};

/// What a run reads about its task.
pub(super) struct TaskContext {
    pub(super) task: Option<TaskState>,
    pub(super) items: Vec<Item>,
}

impl TaskAgent<'_> {
    pub(super) async fn task_context(&self) -> Result<TaskContext, RunError> {
        let id = self.task_id().await?;
        let task = self.task_now(&id).await?;
        let items = self.agents.store.all(change_item::of_task(self.lease.ws, &id)).await?;
        Ok(TaskContext { task, items })
    }

    /// Reads the decisions and open proposals of a task.
    async fn ledger(&self, task: &TaskState, items: &[Item]) -> Result<Ledger, RunError> {
        let decisions = entity::of_task::<Decision>(self.lease.ws, &task.id);
        let decisions = self.agents.store.all(decisions).await?;
        let decisions: Vec<Decision> =
            decisions.into_iter().map(|stored| stored.doc.value).collect();
        Ok(ledger::of(task, items, &decisions))
    }

    /// Reads the present task; returns `None` if it is deleted.
    pub(super) async fn task_now(&self, id: &TaskId) -> Result<Option<TaskState>, RunError> {
        match self.agents.journal.task(self.lease.ws, id).await {
            Ok(view) if view.deleted_at().is_none() => Ok(Some(state(&view, &self.agents.zone))),
            Ok(_) | Err(JournalError::NoTask { .. }) => Ok(None),
            Err(error) => Err(from_journal(error)),
        }
    }

    pub(super) async fn changes(
        &self,
        task: &TaskId,
        from: Seq,
        upto: Seq,
    ) -> Result<Delta, RunError> {
        let changes =
            self.agents.store.all(change_log::of_task(self.lease.ws, task, from, upto)).await?;
        Ok(delta::of(&changes, task, &self.lease.run.agent, &self.agents.zone))
    }

    /// Reads the changes in the run's interval.
    pub(super) async fn delta(&self, task: &TaskId) -> Result<Delta, RunError> {
        if let Some(delta) = self.held.delta.get() {
            return Ok(delta.clone());
        }
        let delta = self.changes(task, self.lease.run.processed, self.lease.run.upto).await?;
        Ok(self.held.delta.get_or_init(|| delta).clone())
    }

    /// Returns the last log line before this run.
    pub(super) async fn log_upto(&self) -> Result<i64, RunError> {
        if let Some(upto) = self.held.log_upto.get() {
            return Ok(*upto);
        }
        let lines = log_line::of_agent(self.lease.ws, &self.lease.run.agent, 1, i64::MAX);
        let upto = self.agents.store.all(lines).await?.last().map_or(0, |line| line.n);
        Ok(*self.held.log_upto.get_or_init(|| upto))
    }

    /// Returns the timers that fired and that no completed run has seen.
    pub(super) async fn fired(&self) -> Result<Vec<Timer>, RunError> {
        let timers = timer::of_agent(self.lease.ws, &self.lease.run.agent);
        let mut timers = self.agents.store.all(timers).await?;
        timers.retain(|timer| timer.fired_at.is_some());
        Ok(timers)
    }

    /// Returns the report before this run, with its head.
    pub(super) async fn last_report(&self) -> Result<Option<&Latest>, RunError> {
        if self.held.report.get().is_none() {
            let report = self.agents.latest(self.lease.ws, &self.lease.run.agent).await?;
            return Ok(self.held.report.get_or_init(|| report).as_ref());
        }
        Ok(self.held.report.get().and_then(Option::as_ref))
    }

    /// Returns whether a database was replaced since the agent last reported.
    async fn is_outdated(&self) -> Result<bool, RunError> {
        if let Some(known) = self.held.outdated.get() {
            return Ok(*known);
        }
        let outdated = outdated::of_agent(self.lease.ws, &self.lease.run.agent);
        let is_outdated = self.agents.store.first(outdated).await?.is_some();
        Ok(*self.held.outdated.get_or_init(|| is_outdated))
    }

    pub(super) async fn instruction(&self, tools: ToolSet) -> Result<Instruction, RunError> {
        let last = self.last_report().await?.and_then(|last| last.report.as_ref());
        let reanalysis = self.lease.run.reason == Reason::Reanalysis.name();
        Ok(Instruction {
            first: last.is_none(),
            report_due: last.is_none() || reanalysis || self.is_outdated().await?,
            report_only: tools == ToolSet::Closing,
            today: self.agents.clock.now().day_in(&self.agents.zone),
            last_report: last.map(|report| LastReport {
                tldr: report.tldr.clone().unwrap_or_default(),
                at: report.created_at,
            }),
        })
    }

    pub(super) async fn notes(&self) -> Result<Vec<ObservationNote>, RunError> {
        let mut notes = Vec::new();
        let query = message::of_kind(self.lease.ws, &self.lease.run.agent, kind::OBSERVATION);
        let mut messages: Vec<Message> =
            self.agents.store.all(query).await?.into_iter().map(|m| m.doc.value).collect();
        messages.sort_by_key(|message| (message.created_at, message.metadata.n));
        for message in messages {
            let text =
                dormouse_runs::run_log::text(&self.agents.store, self.lease.ws, &message).await?;
            let priority = match message.metadata.priority.as_deref() {
                Some("critical") => ObservationPriority::Critical,
                Some("notable") => ObservationPriority::Notable,
                _ => ObservationPriority::Routine,
            };
            // A purged note is no longer memory.
            notes.extend(text.map(|text| ObservationNote {
                at: message.created_at,
                text,
                priority,
            }));
        }
        Ok(notes)
    }

    /// Returns the messages that no completed run has heard, up to where this run listens. A purged
    /// message counts as heard but has no text.
    async fn unheard_messages(&self, state: &State) -> Result<Vec<UserMessage>, RunError> {
        let heard = self.agents.heard(self.lease.ws, state).await?;
        let run = &self.lease.run;
        Ok(self.agents.user_messages(self.lease.ws, &run.agent, heard, run.heard_upto).await?)
    }

    pub(super) async fn gather_context(&self) -> Result<TurnContext, RunError> {
        let state = self.agents.state(self.lease.ws, &self.lease.run.agent).await?.value;
        let task_id = self.task_of(&state)?;
        self.agents.changes.withdraw_stale(self.lease.ws, &task_id).await.map_err(from_changes)?;
        let context = self.task_context().await?;
        let instruction = self.instruction(ToolSet::All).await?;
        let Some(task) = context.task else {
            return Ok(TurnContext {
                fragments: Vec::new(),
                log_upto: 0,
                tools: tools::offer(ToolSet::All),
                nothing_changed: true,
            });
        };
        let run = &self.lease.run;
        // The present task is read; changes after `upto` are routed again.
        let mut delta = self.delta(&task_id).await?;
        delta.timers = self.fired().await?.into_iter().map(note).collect();
        let earlier = self.changes(&task_id, Seq(0), run.processed).await?;
        let asked = [Reason::Subscription.name(), Reason::Timer.name()];
        let said = self.unheard_messages(&state).await?;
        let nothing_changed = asked.contains(&run.reason.as_str())
            && said.is_empty()
            && delta.changes.is_empty()
            && delta.timers.is_empty()
            && !self.is_outdated().await?;
        let store = &self.agents.store;
        let lines = store.all(log_line::of_agent(self.lease.ws, &run.agent, 1, i64::MAX)).await?;
        let log_upto = *self.held.log_upto.get_or_init(|| lines.last().map_or(0, |line| line.n));
        let log_text =
            request::log_text(lines.iter().map(|line| line.text.as_deref().unwrap_or("[purged]")));
        let log = LogData { observations: self.notes().await?, changes: earlier.changes };
        let ledger = self.ledger(&task, &context.items).await?;
        let critical: Vec<&ObservationNote> = log
            .observations
            .iter()
            .filter(|note| note.priority == ObservationPriority::Critical)
            .filter(|note| state.last_wake_at.is_some_and(|at| note.at >= at))
            .collect();
        let tainted = task.entries.iter().any(|entry| entry.tainted);
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
                ledger::text(&ledger, &task),
                FragmentData::Decisions(ledger),
            ),
            fragment(
                FragmentKind::Delta,
                if log_upto == 0 {
                    "Everything is new.".into()
                } else {
                    render::delta(&delta, &critical, &task)
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
        for words in said.into_iter().filter_map(|words| words.text) {
            let data = FragmentData::Message(words.clone());
            fragments.push(fragment(FragmentKind::Message, words, data));
        }
        Ok(TurnContext { fragments, log_upto, tools: tools::offer(ToolSet::All), nothing_changed })
    }

    pub(super) async fn task_id(&self) -> Result<TaskId, RunError> {
        if let Some(task) = self.held.task.get() {
            return Ok(task.clone());
        }
        self.task_of(&self.agents.state(self.lease.ws, &self.lease.run.agent).await?.value)
    }

    fn task_of(&self, state: &State) -> Result<TaskId, RunError> {
        let none = || RunError::Broken(format!("agent {} has no task", state.agent_id));
        let task = state.slots.active_task_id.clone().ok_or_else(none)?;
        Ok(self.held.task.get_or_init(|| task).clone())
    }
}

fn note(timer: Timer) -> TimerNote {
    TimerNote { kind: timer.kind.name().into(), at: timer.at, about: timer.about }
}
