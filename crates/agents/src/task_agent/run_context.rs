//! The context of a run's first turn: the fragments of the prompt, and the rows that only they need.

use std::collections::BTreeSet;
use std::sync::Arc;

use dormouse_changes::ledger::{self, LedgerOfSets};
use dormouse_runs::gate::{Draft, Part, Piece};
use dormouse_runs::request::Offer;
use dormouse_runs::{Lease, RunError, ToolSet, TurnContext, run_log};
use dormouse_store::agent::change_item::{Item, State as ItemState};
use dormouse_store::agent::change_set::Decision;
use dormouse_store::agent::entity;
use dormouse_store::agent::message::{self, Message};
use dormouse_store::agent::source::Source;
use dormouse_store::agent::wake_queue::Reason;
use dormouse_store::in_list;
use dormouse_types::RunKey;
use dormouse_types::agent::MessageKind;
use dormouse_types::closed_list::Listed;
use dormouse_types::model::{
    Entry, FragmentData, FragmentKind, Instruction, LastReport, LogData, ObservationNote,
    ObservationPriority, TaskState,
};

use crate::context::linked::{self, LinkedTasks};
use crate::context::{render, system, trend};
use crate::error::from_changes;
use crate::inbox::UserMessage;
use crate::memory::words::MARK;
use crate::tools;

use super::log_parts::{beyond_part, log_parts, summary_part};
use super::wake_input::{TaskContext, WakeInput};
use super::{Mode, TaskAgent, window};

/// The most notes of earlier runs that one wake reads, newest first: as many as one page of texts
/// has, so that the reads do not grow with the notes. Older ones are in the log, or were folded with
/// it.
const NOTES: usize = in_list::MOST;

impl TaskAgent<'_> {
    /// Reads the decisions and open proposals of a task.
    async fn ledger(&self, task: &TaskState, items: &[Item]) -> Result<LedgerOfSets, RunError> {
        let decisions = entity::of_task::<Decision>(self.lease.ws, &task.id);
        let decisions = self.agents.store.all(decisions).await?;
        let decisions: Vec<Decision> =
            decisions.into_iter().map(|stored| stored.doc.value).collect();
        Ok(ledger::of_sets(task, items, &decisions))
    }

    pub(super) fn instruction(&self, input: &WakeInput, tools: ToolSet) -> Instruction {
        let last = input.report.as_ref().and_then(|last| last.report.as_ref());
        let reanalysis = self.lease.run.reason == Reason::Reanalysis;
        Instruction {
            first: last.is_none(),
            report_due: last.is_none() || reanalysis || input.is_outdated,
            report_only: tools == ToolSet::Closing,
            today: self.agents.clock.now().day_in(&self.agents.zone.get()),
            is_month_first: input.is_month_first,
            last_report: last.map(|report| LastReport {
                tldr: report.tldr.clone().unwrap_or_default(),
                at: report.created_at,
            }),
        }
    }

    /// Reads what the agent noted last in earlier runs, with the run of each note. A purged note is no
    /// longer memory.
    async fn notes(&self) -> Result<Vec<(ObservationNote, Source)>, RunError> {
        let (ws, store) = (self.lease.ws, &self.agents.store);
        let query = message::newest_of_kind(ws, &self.agent, MessageKind::Observation, NOTES);
        let mut messages: Vec<Message> =
            store.all(query).await?.into_iter().map(|stored| stored.doc.value).collect();
        messages.sort_by_key(|message| (message.created_at, message.metadata.n));
        let texts = run_log::texts(store, ws, &messages).await?;
        let notes = messages.iter().zip(texts).filter_map(|(message, text)| {
            let metadata = &message.metadata;
            // A note that names none, or one of a newer version, counts as usual.
            let priority = metadata.priority.as_ref().and_then(Listed::known);
            let category = metadata.category.as_ref().and_then(Listed::known);
            let run = message.metadata.run_key.as_ref();
            let source = run.map_or(Source::Unknown, |run| Source::Run(RunKey(run.clone())));
            let note = ObservationNote {
                at: message.created_at,
                text: text.filter(|text| text.trim() != MARK)?,
                priority: priority.unwrap_or_default(),
                category: category.unwrap_or_default(),
            };
            Some((note, source))
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

    /// Ends outdated proposals, so that the model sees only those that are still valid.
    ///
    /// It is decided on rows that are read again, not on those of the beginning of the run: folding
    /// the log may have taken minutes, and a proposal that holds again must not be withdrawn.
    async fn withdraw_stale(&mut self) -> Result<(), RunError> {
        let mut input = self.input().await?;
        let is_open = |item: &Item| matches!(item.state, ItemState::Pending | ItemState::Deferred);
        if !input.task.items.iter().any(is_open) {
            return Ok(());
        }
        if matches!(self.mode, Mode::Preview { .. }) {
            let stale = self.agents.changes.stale(self.lease.ws, &input.task_id).await;
            let now = self.agents.clock.now();
            let ended: Vec<Item> =
                stale.map_err(from_changes)?.into_iter().map(|stale| stale.ended(now)).collect();
            for item in &mut Arc::make_mut(&mut input).task.items {
                let is_it = |ended: &&Item| ended.set == item.set && ended.index == item.index;
                if let Some(ended) = ended.iter().find(is_it) {
                    item.clone_from(ended);
                }
            }
            self.input = Some(input);
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

    /// Returns whether a run that nobody requested finds nothing that it did not know.
    fn is_without_news(&self, input: &WakeInput) -> bool {
        matches!(self.lease.run.reason.known(), Some(Reason::Subscription | Reason::Timer))
            && input.delta.changes.is_empty()
            && input.delta.timers.is_empty()
            && (input.delta.linked.is_empty() || !input.agent.config.wake_on_linked)
            && !input.is_outdated
    }

    pub(super) async fn gather_context(&mut self) -> Result<TurnContext, RunError> {
        self.withdraw_stale().await?;
        let mut input = self.input().await?;
        if let Some(found) = &input.checkpoint
            && !window::has_place_for_summary(&input)
        {
            self.fold.passed_over = found.checkpoint.n;
            self.input = None;
            input = self.input().await?;
        }
        let instruction = self.instruction(&input, ToolSet::All);
        let Some(task) = &input.task.task else {
            let tools = tools::offer();
            return Ok(TurnContext { nothing_changed: true, ..TurnContext::of(Vec::new(), tools) });
        };
        self.gathered = task.entries.iter().map(|entry| entry.id.clone()).collect();
        let unheard_texts = self.unheard_messages(&input).await?;
        let mut unheard_texts: Vec<String> =
            unheard_texts.into_iter().filter_map(|words| words.text).collect();
        if let Mode::Preview { message } = &self.mode {
            unheard_texts.extend(message.clone());
        }
        let nothing_changed = unheard_texts.is_empty() && self.is_without_news(&input);
        let log_upto = input.log_upto();
        let (observations, written_by): (Vec<_>, Vec<_>) = self.notes().await?.into_iter().unzip();
        let log = LogData { observations, changes: input.earlier.clone() };
        let ledger = self.ledger(task, &input.task.items).await?;
        let critical = critical(&input, &log.observations, written_by);
        let today = instruction.today;
        let tainted = task.entries.iter().any(|entry| entry.tainted);
        let fragment =
            |kind, parts, data| Draft { kind, parts, data, data_sources: Vec::new(), tainted };
        let folded = input.checkpoint.iter().flat_map(|found| &found.checkpoint.sources);
        let logged: BTreeSet<&Source> =
            input.log.iter().flat_map(|line| &line.sources).chain(folded).collect();
        // A line of unknown origin may not be sent, so the entry that it shows is shown here as well.
        let with_entries = log_upto == 0 || logged.contains(&Source::Unknown);
        let is_unlogged =
            |entry: &&Entry| with_entries || !logged.contains(&Source::Entry(entry.id.clone()));
        let shown = task.entries.iter().filter(|_| with_entries);
        let unlogged = task.entries.iter().filter(is_unlogged);
        let mut fragments = vec![
            Draft::fixed(
                FragmentKind::System,
                system::prompt(&input.effective),
                FragmentData::Directives(input.effective.directives.clone()),
            ),
            Draft {
                data_sources: unlogged.map(|entry| Source::Entry(entry.id.clone())).collect(),
                ..fragment(
                    FragmentKind::TaskState,
                    render::task_state(task, shown),
                    FragmentData::TaskState(Box::new(task.clone())),
                )
            },
            fragment(
                FragmentKind::Decisions,
                ledger_parts(&ledger, task),
                FragmentData::Decisions(ledger.ledger),
            ),
            Draft {
                data_sources: input
                    .delta
                    .changes
                    .iter()
                    .flat_map(|change| Source::of_change(&change.what, &task.id))
                    .collect(),
                ..fragment(
                    FragmentKind::Delta,
                    if log_upto == 0 {
                        vec![Part::fixed("Everything is new.")]
                    } else {
                        render::delta(&input.delta, &critical, task)
                    },
                    FragmentData::Delta(input.delta.clone()),
                )
            },
            instruction_draft(&input, instruction),
        ];
        fragments.extend(linked_tasks(&input));
        let changes = input.earlier.iter().chain(&input.delta.changes);
        let trend = trend::of(changes, task, today, &self.agents.zone.get());
        let parts = trend::render(&trend, task);
        if !parts.is_empty() {
            fragments.push(Draft {
                tainted: false,
                ..fragment(FragmentKind::Trend, parts, FragmentData::Trend(trend))
            });
        }
        fragments.extend(unheard_texts.into_iter().map(|words| {
            let source = vec![Source::Task(task.id.clone())];
            let part = Part::new(Piece::Other, words.clone(), source);
            fragment(FragmentKind::Message, vec![part], FragmentData::Message(words))
        }));
        let offer = tools::offer();
        let fragments = self.with_log(&input, fragments, log, &offer)?;
        let template_version = input.effective.version.clone();
        Ok(TurnContext { fragments, tools: offer, nothing_changed, template_version })
    }

    /// Adds the log to everything else, as far as the window of the model has room, and leaves out what the
    /// prompt can do without.
    ///
    /// Errors: the rest does not fit, so nothing is sent.
    fn with_log(
        &mut self,
        input: &WakeInput,
        mut fragments: Vec<Draft>,
        log: LogData,
        offer: &Offer,
    ) -> Result<Vec<Draft>, RunError> {
        let tainted =
            fragments.iter().any(|draft| draft.kind == FragmentKind::TaskState && draft.tainted);
        let fragment = |kind, parts, data| Draft { tainted, ..Draft::tainted(kind, parts, data) };
        let room = input.window.map(|window| {
            let (sizes, summary) = ((window, input.max_output), window::size_of_summary(input));
            window::with_entries_cut(&mut fragments, offer, sizes, summary)
        });
        self.room = room;
        let limits = self.limits_of_log(input)?;
        let (lines, n_beyond) = log_parts(input, limits);
        let is_instruction = |draft: &&mut Draft| draft.kind == FragmentKind::Instruction;
        if let Some(instruction) = fragments.iter_mut().find(is_instruction) {
            instruction.parts.extend(beyond_part(n_beyond));
        }
        if input.log_upto() > 0 {
            fragments.push(fragment(FragmentKind::Log, lines, FragmentData::Log(log)));
            let summary = summary_part(input);
            let summary =
                summary.map(|part| fragment(FragmentKind::Summary, vec![part], FragmentData::None));
            fragments.extend(summary);
        }
        let fragments = match room {
            None => fragments,
            Some(room) => window::within(fragments, n_linked(input), offer, room),
        };
        Ok(fragments)
    }
}

/// Returns how many tasks are linked, in either direction.
fn n_linked(input: &WakeInput) -> usize {
    let ids: BTreeSet<_> =
        input.linked.iter().flat_map(LinkedTasks::all).map(|task| &task.id).collect();
    ids.len()
}

fn instruction_draft(input: &WakeInput, instruction: Instruction) -> Draft {
    let parts = render::instruction(&instruction, input.reported_by().as_ref());
    let (kind, data) = (FragmentKind::Instruction, FragmentData::Instruction(instruction));
    Draft { kind, parts, data, data_sources: Vec::new(), tainted: false }
}

/// Critical notes since the last wake, each with its source: the delta repeats them.
fn critical<'n>(
    input: &WakeInput,
    notes: &'n [ObservationNote],
    written_by: Vec<Source>,
) -> Vec<(&'n str, Source)> {
    notes
        .iter()
        .zip(written_by)
        .filter(|(note, _)| note.priority == ObservationPriority::Critical)
        .filter(|(note, _)| input.state.value.last_wake_at.is_some_and(|at| note.at >= at))
        .map(|(note, source)| (note.text.as_str(), source))
        .collect()
}

/// The fragment of the tasks one link away; none if there are none. It is `{}` if they could not be
/// read: the wake continues without them.
fn linked_tasks(input: &WakeInput) -> Option<Draft> {
    let draft = |parts, data| Draft::tainted(FragmentKind::LinkedTasks, parts, data);
    match &input.linked {
        None => Some(draft(vec![Part::fixed("{}")], FragmentData::None)),
        Some(tasks) if *tasks == LinkedTasks::default() => None,
        Some(tasks) => {
            let context = linked::context(tasks, linked::MOST_BYTES);
            let parts = linked::parts(tasks, &context);
            Some(draft(parts, FragmentData::LinkedTasks(Box::new(context))))
        }
    }
}

/// Renders the decisions and open proposals: each was made by a run, and so of what that was shown, and
/// may name labels.
fn ledger_parts(ledger: &LedgerOfSets, task: &TaskState) -> Vec<Part> {
    let part = |line: ledger::Line| {
        let set = ledger.set_of(&line).map(|set| Source::Proposals(set.clone()));
        let piece = if set.is_some() { Piece::Proposal } else { Piece::Other };
        let labels = ledger.labels_of(&line).into_iter().map(Source::Label);
        let sources = set.into_iter().chain(labels).collect();
        Part { heading: line.heading, ..Part::new(piece, line.text, sources) }
    };
    ledger::lines(&ledger.ledger, task).into_iter().map(part).collect()
}
