//! The context of a run's first turn: the fragments of the prompt, and the rows that only they need.

use std::sync::Arc;

use dormouse_changes::ledger;
use dormouse_runs::{Lease, RunError, ToolSet, TurnContext, request, run_log};
use dormouse_store::agent::change_item::{Item, State as ItemState};
use dormouse_store::agent::change_set::Decision;
use dormouse_store::agent::entity;
use dormouse_store::agent::message::{self, Message};
use dormouse_store::agent::wake_queue::Reason;
use dormouse_types::agent::MessageKind;
use dormouse_types::linked::LinkedContext;
use dormouse_types::model::{
    Fragment, FragmentData, FragmentKind, Instruction, LastReport, Ledger, LogData,
    ObservationNote, ObservationPriority, TaskState,
};

use crate::context::{linked, render, system};
use crate::error::from_changes;
use crate::inbox::UserMessage;
use crate::tools;

use super::TaskAgent;
use super::wake_input::{TaskContext, WakeInput};

impl TaskAgent<'_> {
    /// Reads the decisions and open proposals of a task.
    async fn ledger(&self, task: &TaskState, items: &[Item]) -> Result<Ledger, RunError> {
        let decisions = entity::of_task::<Decision>(self.lease.ws, &task.id);
        let decisions = self.agents.store.all(decisions).await?;
        let decisions: Vec<Decision> =
            decisions.into_iter().map(|stored| stored.doc.value).collect();
        Ok(ledger::of(task, items, &decisions))
    }

    pub(super) fn instruction(&self, input: &WakeInput, tools: ToolSet) -> Instruction {
        let last = input.report.as_ref().and_then(|last| last.report.as_ref());
        let reanalysis = self.lease.run.reason == Reason::Reanalysis;
        Instruction {
            first: last.is_none(),
            report_due: last.is_none() || reanalysis || input.is_outdated,
            report_only: tools == ToolSet::Closing,
            today: self.agents.clock.now().day_in(&self.agents.zone),
            last_report: last.map(|report| LastReport {
                tldr: report.tldr.clone().unwrap_or_default(),
                at: report.created_at,
            }),
        }
    }

    /// Reads what the agent noted in earlier runs. A purged note is no longer memory.
    async fn notes(&self) -> Result<Vec<ObservationNote>, RunError> {
        let (ws, store) = (self.lease.ws, &self.agents.store);
        let query = message::of_kind(ws, &self.agent, MessageKind::Observation);
        let mut messages: Vec<Message> =
            store.all(query).await?.into_iter().map(|stored| stored.doc.value).collect();
        messages.sort_by_key(|message| (message.created_at, message.metadata.n));
        let texts = run_log::texts(store, ws, &messages).await?;
        let notes = messages.iter().zip(texts).filter_map(|(message, text)| {
            let priority = match message.metadata.priority.as_deref() {
                Some("critical") => ObservationPriority::Critical,
                Some("notable") => ObservationPriority::Notable,
                _ => ObservationPriority::Routine,
            };
            Some(ObservationNote { at: message.created_at, text: text?, priority })
        });
        Ok(notes.collect())
    }

    /// Returns the messages that no completed run has heard, up to where this run listens. A purged
    /// message counts as heard but has no text.
    async fn unheard_messages(&self, input: &WakeInput) -> Result<Vec<UserMessage>, RunError> {
        let Lease { ws, run, .. } = self.lease;
        let heard = self.agents.heard(*ws, &input.state.value).await?;
        Ok(self.agents.user_messages(*ws, &self.agent, heard, run.heard_upto).await?)
    }

    /// Ends outdated proposals, so that the model sees only those that still stand.
    async fn withdraw_stale(&mut self) -> Result<(), RunError> {
        let mut input = self.input().await?;
        let is_open = |item: &Item| matches!(item.state, ItemState::Pending | ItemState::Deferred);
        if !input.task.items.iter().any(is_open) {
            return Ok(());
        }
        let withdrawn = self.agents.changes.withdraw_stale(self.lease.ws, &input.task_id).await;
        if withdrawn.map_err(from_changes)? > 0 {
            Arc::make_mut(&mut input).task.items =
                TaskContext::read_items(self.agents, self.lease.ws, &input.task_id).await?;
            self.input = Some(input);
        }
        Ok(())
    }

    pub(super) async fn gather_context(&mut self) -> Result<TurnContext, RunError> {
        self.withdraw_stale().await?;
        let input = self.input().await?;
        let instruction = self.instruction(&input, ToolSet::All);
        let Some(task) = &input.task.task else {
            return Ok(TurnContext {
                fragments: Vec::new(),
                log_upto: 0,
                tools: tools::offer(ToolSet::All),
                nothing_changed: true,
            });
        };
        let said = self.unheard_messages(&input).await?;
        let nothing_changed =
            matches!(self.lease.run.reason.known(), Some(Reason::Subscription | Reason::Timer))
                && said.is_empty()
                && input.delta.changes.is_empty()
                && input.delta.timers.is_empty()
                && !(input.agent.config.wake_on_linked && !input.delta.linked.is_empty())
                && !input.is_outdated;
        let log_upto = input.log_upto();
        let lines = input.log.iter().map(|line| line.text.as_deref().unwrap_or("[purged]"));
        let log_text = request::log_text(lines);
        let log = LogData { observations: self.notes().await?, changes: input.earlier.clone() };
        let ledger = self.ledger(task, &input.task.items).await?;
        let critical: Vec<&ObservationNote> = log
            .observations
            .iter()
            .filter(|note| note.priority == ObservationPriority::Critical)
            .filter(|note| input.state.value.last_wake_at.is_some_and(|at| note.at >= at))
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
                render::task_state(task, log_upto == 0),
                FragmentData::TaskState(Box::new(task.clone())),
            ),
            fragment(
                FragmentKind::Decisions,
                ledger::text(&ledger, task),
                FragmentData::Decisions(ledger),
            ),
            fragment(
                FragmentKind::Delta,
                if log_upto == 0 {
                    "Everything is new.".into()
                } else {
                    render::delta(&input.delta, &critical, task)
                },
                FragmentData::Delta(input.delta.clone()),
            ),
            Fragment {
                kind: FragmentKind::Instruction,
                text: render::instruction(&instruction),
                data: FragmentData::Instruction(instruction),
                tainted: false,
            },
        ];
        fragments.extend(linked_tasks(&input));
        if log_upto > 0 {
            fragments.push(fragment(FragmentKind::Log, log_text, FragmentData::Log(log)));
        }
        for words in said.into_iter().filter_map(|words| words.text) {
            let data = FragmentData::Message(words.clone());
            fragments.push(fragment(FragmentKind::Message, words, data));
        }
        Ok(TurnContext { fragments, log_upto, tools: tools::offer(ToolSet::All), nothing_changed })
    }
}

/// The fragment of the tasks one link away; none if there are none. It is `{}` if they could not be
/// read: the wake goes on without them.
fn linked_tasks(input: &WakeInput) -> Option<Fragment> {
    let (text, data) = match &input.linked {
        None => ("{}".to_owned(), FragmentData::None),
        Some(context) if *context == LinkedContext::default() => return None,
        Some(context) => {
            (linked::text(context), FragmentData::LinkedTasks(Box::new(context.clone())))
        }
    };
    Some(Fragment { kind: FragmentKind::LinkedTasks, text, data, tainted: true })
}
