//! What a run reads when it begins. Its later steps carry this instead of reading it again.

use std::collections::BTreeSet;

use dormouse_journal::{JournalError, state};
use dormouse_runs::{Lease, RunError};
use dormouse_store::agent::agent_entity::{Agent, State};
use dormouse_store::agent::change_item::{self, Item};
use dormouse_store::agent::checkpoint::{self, CheckpointText};
use dormouse_store::agent::log_line::{self, Line};
use dormouse_store::agent::timer::{self, Timer};
use dormouse_store::agent::{forgotten_entry, model_setting, outdated};
use dormouse_store::doc::Doc;
use dormouse_store::journal::setting;
use dormouse_store::{change_log, in_list};
use dormouse_types::day_order::DayOrder;
use dormouse_types::memory::{ASSUMED_WINDOW, Audience, CheckpointKind};
use dormouse_types::model::{Delta, DeltaChange, LinkedNews, TaskState, TimerNote};
use dormouse_types::port::{Model, ModelClass, ModelLocation};
use dormouse_types::spend::{Price, affordable_fold, affordable_prompt};
use dormouse_types::{AgentId, CategoryId, EntryId, RunKey, Seq, TaskId, Timestamp, WorkspaceId};

use crate::context::delta;
use crate::context::linked::LinkedTasks;
use crate::error::from_journal;
use crate::memory::knowledge::audience_of;
use crate::memory::report::Latest;
use crate::template::effective::Effective;
use crate::{AgentError, Agents};

/// The most changes of linked tasks that one wake reads, newest first.
const LINKED_CHANGES: i64 = 200;

/// What a run knows of its agent and its task.
///
/// Apart from the task and its items, only the owner of the lease writes these rows. If the lease is
/// lost they may be stale, but then the run can no longer commit anything based on them.
#[derive(Clone)]
pub(super) struct WakeInput {
    pub(super) agent: Agent,
    /// What its template tells it. A version that is activated meanwhile counts from the next run: the
    /// turns of a run begin alike.
    pub(super) effective: Effective,
    pub(super) state: Doc<State>,
    pub(super) task_id: TaskId,
    /// As of the last calls that were executed, or of the beginning of the run.
    pub(super) task: TaskContext,
    /// What happened in the run's interval: changes, and timers that fired.
    pub(super) delta: Delta,
    /// The changes before the run's interval.
    pub(super) earlier: Vec<DeltaChange>,
    /// Timers that fired and that no completed run has seen.
    pub(super) fired: Vec<Timer>,
    /// The tasks one link away; `None` if they could not be read.
    pub(super) linked: Option<LinkedTasks>,
    /// What older lines of the log were folded into.
    pub(super) checkpoint: Option<CheckpointText>,
    /// Whose eyes the run's model is.
    pub(super) audience: Audience,
    /// How much the model reads and writes; `None` for the built-in one, which has no limit. Units:
    /// tokens.
    pub(super) window: Option<u64>,
    /// The same for folding: pieces also have to fit into the window of the model that folds them.
    pub(super) fold_window: Option<u64>,
    /// The most it writes. Units: tokens.
    pub(super) max_output: u64,
    /// The largest prompt that what one wake may spend pays for with turns to follow; `None` if that sets no
    /// limit. Units: tokens.
    pub(super) affordable: Option<u64>,
    /// The same of a call that folds; half of what one wake may spend is left to its turns.
    pub(super) affordable_fold: Option<u64>,
    /// The log before this run, without the lines that the checkpoint folds.
    pub(super) log: Vec<Line>,
    /// The report before this run, with its head.
    pub(super) report: Option<Latest>,
    /// Whether the agent has not reported since a database was replaced.
    pub(super) is_outdated: bool,
    /// Whether the workspace writes the month before the day in figures, if that was chosen.
    pub(super) is_month_first: Option<bool>,
}

/// A task with its change items.
#[derive(Clone)]
pub(super) struct TaskContext {
    /// `None` if the task is deleted.
    pub(super) task: Option<TaskState>,
    /// The category of the task.
    pub(super) category: Option<CategoryId>,
    pub(super) items: Vec<Item>,
    /// Entries of the task that a person had agents forget: they are not in `task`.
    pub(super) forgotten: Vec<EntryId>,
}

impl WakeInput {
    /// Reads what a run is decided on, once for all of its steps. Checkpoints up to `passed_over`
    /// count as not there.
    ///
    /// The claim has read the agent and its state already, but before this run held the lease: until
    /// then the run before it, in another process, may have written both. Only what is read under the
    /// lease is safe to carry to the commit that ends the run.
    pub(super) async fn read(
        agents: &Agents,
        agent: &AgentId,
        lease: &Lease,
        passed_over: i64,
    ) -> Result<Self, RunError> {
        let (ws, run, store) = (lease.ws, &lease.run, &agents.store);
        let state = agents.state(ws, agent).await?;
        let none = || RunError::Broken(format!("agent {agent} has no task"));
        let task_id = state.value.slots.active_task_id.clone().ok_or_else(none)?;
        let row = agents.agent(ws, agent).await?.doc.value;
        let forgotten = store.all(forgotten_entry::of_task(ws, &task_id)).await?;
        let task = TaskContext::read(agents, ws, &task_id, forgotten).await?;
        // The present task is read; changes after `upto` are routed again.
        let newest = run.upto.max(run.processed);
        let changes = change_log::of_task(ws, &task_id, Seq(0), newest);
        let (earlier, mut new): (Vec<_>, Vec<_>) =
            store.all(changes).await?.into_iter().partition(|change| change.seq <= run.processed);
        new.retain(|change| change.seq <= run.upto);
        let seen = |changes: &[_]| {
            let mut delta = delta::of(changes, &task_id, agent, &agents.zone.get());
            delta.changes.retain(|change| {
                let entry = delta::entry_of(&change.what);
                !entry.is_some_and(|entry| task.forgotten.contains(entry))
            });
            delta
        };
        let mut fired = store.all(timer::of_holder(ws, agent)).await?;
        fired.retain(|timer| timer.fired_at.is_some());
        let timers = fired.iter().map(note).collect();
        let model = agents.driver.models().named(run.model.as_deref());
        let audience = audience_of(&*model);
        let window = match model.location() {
            ModelLocation::BuiltIn => None,
            ModelLocation::OwnServer | ModelLocation::Elsewhere => {
                Some(model.window().unwrap_or(ASSUMED_WINDOW))
            }
        };
        let summarising = agents.driver.models().summarising_for(&model);
        let of_folding = summarising.window().unwrap_or(ASSUMED_WINDOW);
        let fold_window = window.map(|window| window.min(of_folding));
        let (thinks, folds) = (dearness(&*model), dearness(&*summarising));
        let (affordable, affordable_fold) = if thinks.is_none() && folds.is_none() {
            (None, None)
        } else {
            let stored = store.first(model_setting::of_workspace(ws)).await?;
            let budgets = stored.map(|stored| stored.settings.budgets).unwrap_or_default();
            let prompt = thinks.and_then(|(price, most)| affordable_prompt(&budgets, &price, most));
            (prompt, folds.and_then(|(price, most)| affordable_fold(&budgets, &price, most)))
        };
        let wanted = (audience, CheckpointKind::Summary);
        let checkpoint = checkpoint::newest(ws, &run.holder, wanted, passed_over, Timestamp::MAX);
        let checkpoint = store.first(checkpoint).await?;
        let folded = checkpoint.as_ref().map_or(0, |found| found.checkpoint.upto);
        let interval = [run.processed, newest];
        let (linked, news) = match read_linked(agents, ws, &task_id, interval).await {
            Ok((linked, news)) => (Some(linked), news),
            // A wake continues without its neighbours; the prompt says that their rows are missing.
            Err(error) => {
                tracing::warn!(%agent, task = %task_id, %error, "linked tasks cannot be read");
                (None, Vec::new())
            }
        };
        let mut delta = Delta { timers, linked: news, ..seen(&new) };
        delta::without_repeated_texts(&mut delta.changes);
        Ok(Self {
            delta,
            linked,
            earlier: seen(&earlier).changes,
            fired,
            log: store.all(log_line::of_holder(ws, agent, folded + 1, i64::MAX)).await?,
            checkpoint,
            audience,
            window,
            fold_window,
            max_output: model.max_output(),
            affordable,
            affordable_fold,
            report: agents.latest(ws, agent).await?,
            is_outdated: store.first(outdated::of_agent(ws, agent)).await?.is_some(),
            is_month_first: store
                .first(setting::date_order(ws))
                .await?
                .map(|order| order == DayOrder::MonthFirst),
            effective: agents.effective(ws, &row).await?,
            agent: row,
            state,
            task,
            task_id,
        })
    }

    /// Returns the run that wrote the last report, if it is known.
    pub(super) fn reported_by(&self) -> Option<RunKey> {
        let report = self.report.as_ref()?.report.as_ref()?;
        report.provenance["runKey"].as_str().map(|key| RunKey(key.to_owned()))
    }

    /// Returns the number of the last log line before this run; 0 if there is none.
    pub(super) fn log_upto(&self) -> i64 {
        let folded = self.checkpoint.as_ref().map_or(0, |found| found.checkpoint.upto);
        self.log.last().map_or(folded, |line| line.n)
    }
}

impl TaskContext {
    /// Reads the present task, without the entries that agents are to forget, and its items. While
    /// a run lasts, no line is removed: they are read once.
    pub(super) async fn read(
        agents: &Agents,
        ws: WorkspaceId,
        id: &TaskId,
        forgotten: Vec<EntryId>,
    ) -> Result<Self, RunError> {
        let (task, category) = match agents.journal.task(ws, id).await {
            Ok(view) if view.deleted_at().is_none() => {
                let mut task = state(&view, &agents.zone.get());
                task.entries.retain(|entry| !forgotten.contains(&entry.id));
                (Some(task), view.task.value.category_id.clone())
            }
            Ok(_) | Err(JournalError::NoTask { .. }) => (None, None),
            Err(error) => return Err(from_journal(error)),
        };
        let items = Self::read_items(agents, ws, id).await?;
        Ok(Self { task, category, items, forgotten })
    }

    /// Reads the items alone.
    pub(super) async fn read_items(
        agents: &Agents,
        ws: WorkspaceId,
        id: &TaskId,
    ) -> Result<Vec<Item>, RunError> {
        Ok(agents.store.all(change_item::of_task(ws, id)).await?)
    }
}

/// Reads the tasks one link away and what changed about them in the interval `(from, upto]`.
async fn read_linked(
    agents: &Agents,
    ws: WorkspaceId,
    task: &TaskId,
    interval: [Seq; 2],
) -> Result<(LinkedTasks, Vec<LinkedNews>), AgentError> {
    let linked = agents.linked_tasks(ws, task).await?;
    // Tasks that link to each other are listed in both directions, and are one neighbour.
    let mut known = BTreeSet::new();
    let live = linked.all().map(|task| (&task.id, &*task.title));
    let deleted = linked.deleted.iter().map(|task| (&task.id, &*task.name));
    let tasks: Vec<(&TaskId, &str)> =
        live.chain(deleted).filter(|(id, _)| known.insert(*id)).collect();
    let changes = if tasks.is_empty() || interval[1] <= interval[0] {
        Vec::new()
    } else {
        let mut ids: Vec<TaskId> = tasks.iter().map(|(id, _)| (*id).clone()).collect();
        // A task has no more links than a page has ids.
        ids.truncate(in_list::MOST);
        let changes = change_log::of_tasks(ws, &ids, interval, LINKED_CHANGES);
        let mut changes = agents.store.all(changes).await?;
        // What touched the task itself is its own news.
        changes.retain(|change| !change.touched.contains(task));
        changes
    };
    let news = delta::of_linked(&changes, &tasks, &agents.zone.get());
    Ok((linked, news))
}

/// The price of a model that costs money, and the most that it writes. Units: tokens.
fn dearness(model: &dyn Model) -> Option<(Price, u64)> {
    let price = model.price().filter(|_| model.class() == ModelClass::Paid)?;
    Some((price, model.max_output()))
}

fn note(timer: &Timer) -> TimerNote {
    TimerNote { kind: timer.kind, at: timer.at, about: timer.about.clone() }
}
