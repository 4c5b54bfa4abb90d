//! The world of a scene: both databases in memory, a clock that does not advance, one person.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::{Context as _, bail};
use dormouse::view::{Agent, ChangeItem, RunOutcome, Task};
use dormouse::{
    AgentFilter, Caller, Dormouse, DrainScope, ItemPatch, NewEntry, NewPolicy, NewTask, Parts,
    Shown, Store, Verdict, VerdictOf, WORKSPACE,
};
use dormouse_store::backend::sqlite::{Snapshot, Sqlite};
use dormouse_testkit::ManualClock;
use dormouse_types::port::{Faults, NoFaults};
use dormouse_types::rule::ToolPolicy;
use dormouse_types::{AgentId, ChangeSetId, TaskId, TaskLinkId, Timestamp};
use dormouse_world::Rooms;

use crate::scene::{Model, Scene, Step};
use crate::scripted_model::ScriptedModel;

/// When every scene begins.
pub const START: &str = "2026-03-02T09:00:00Z";

/// Time between two steps.
const STEP_PAUSE: Duration = Duration::from_secs(1);

/// What the person remembers, whatever happens to the program.
#[derive(Debug, Clone, Default)]
pub struct Memory {
    /// The step they are at.
    pub step: usize,
    /// The tasks whose ids they have.
    pub tasks: BTreeMap<&'static str, TaskId>,
    /// The proposal they are deciding in this step: set, index and the digest they were shown.
    pub deciding: Option<(ChangeSetId, i64, String)>,
    /// What they are confirming in this step, by set: the items they were shown.
    pub confirming: BTreeMap<ChangeSetId, Vec<Shown>>,
    /// The link they are taking away in this step.
    pub unlinking: Option<TaskLinkId>,
    /// The line that is being removed.
    pub forgetting: Option<String>,
}

/// What a world is made from.
#[derive(Clone)]
pub struct Setup {
    /// Both databases.
    pub sqlite: Arc<Sqlite>,
    /// The time.
    pub clock: ManualClock,
    /// The model, if it is a scripted one.
    pub player: Option<Arc<ScriptedModel>>,
    /// What the person remembers.
    pub memory: Arc<Mutex<Memory>>,
    seed: u64,
}

impl Setup {
    /// An empty store at the beginning of a scene.
    pub fn fresh(scene: &Scene) -> Self {
        let clock = ManualClock::at(START);
        let sqlite = Rooms::by(clock.clone()).sqlite();
        let player = match &scene.model {
            Model::Builtin => None,
            Model::Scripted(answers) => Some(Arc::new(ScriptedModel::new(answers))),
            Model::Hosted(answers) => Some(Arc::new(ScriptedModel::new(answers).hosted())),
        };
        let memory = Arc::new(Mutex::new(Memory::default()));
        Self { sqlite, clock, player, memory, seed: 1 }
    }

    /// The store as it was at a snapshot, in a process that knows nothing of the `crashes` ones
    /// before it, and draws other random numbers.
    pub fn restored(
        snapshot: &Snapshot,
        now: Timestamp,
        player: Option<Arc<ScriptedModel>>,
        memory: Memory,
        crashes: u64,
    ) -> Self {
        let clock = ManualClock::new(now);
        let sqlite = Rooms::by(clock.clone()).restoring(snapshot, 1000 + crashes).sqlite();
        let memory = Arc::new(Mutex::new(memory));
        Self { sqlite, clock, player, memory, seed: 1 + crashes }
    }
}

impl Setup {
    /// How many processes crashed before the one on this stage.
    pub fn crashes(&self) -> u64 {
        self.seed - 1
    }
}

/// A running program with its one user.
pub struct World {
    /// The facade.
    pub dormouse: Dormouse,
    /// The store under it.
    pub store: Store,
    /// The person.
    pub me: Caller,
    /// What it was made from.
    pub stage: Setup,
}

/// Joins the services on rooms, as the program does.
pub fn services(rooms: &Rooms, owner: &str) -> Dormouse {
    Dormouse::new(Parts {
        store: rooms.store.clone(),
        clock: rooms.as_clock(),
        entropy: rooms.entropy.clone(),
        model: rooms.model.clone(),
        zone: rooms.zone.get(),
        owner: owner.to_owned(),
    })
}

pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl World {
    /// A world without faults at the beginning of a scene.
    pub fn fresh(scene: &Scene) -> Self {
        Self::new(Setup::fresh(scene), Arc::new(NoFaults))
    }

    /// Plays a scene from its beginning to its end.
    pub async fn played(scene: &Scene) -> anyhow::Result<Self> {
        let world = Self::fresh(scene);
        world.play(scene).await?;
        Ok(world)
    }

    /// Joins the parts of a program on a stage.
    pub fn new(stage: Setup, faults: Arc<dyn Faults>) -> Self {
        let model: Arc<dyn dormouse_types::port::Model> = match &stage.player {
            None => Arc::new(dormouse_builtin::Builtin),
            Some(player) => {
                player.streams_past(&faults);
                player.clone()
            }
        };
        let builder = Rooms::by(stage.clock.clone()).on(stage.sqlite.clone()).seed(stage.seed);
        let rooms = builder.faults(faults).model(model).build();
        let dormouse = services(&rooms, &format!("process-{}", stage.seed));
        Self { dormouse, store: rooms.store, me: Caller::owner(WORKSPACE), stage }
    }

    /// Plays a whole scene, and drains afterwards.
    pub async fn play(&self, scene: &Scene) -> anyhow::Result<()> {
        self.play_from(scene, 0).await
    }

    /// Plays a scene from a step on, and drains afterwards.
    pub async fn play_from(&self, scene: &Scene, first: usize) -> anyhow::Result<()> {
        for (n, step) in scene.steps.iter().enumerate().skip(first) {
            self.step(n, step).await?;
        }
        self.step(scene.steps.len(), &Step::Drain).await?;
        Ok(())
    }

    /// Takes one step, and lets a moment pass.
    pub async fn step(&self, n: usize, step: &Step) -> anyhow::Result<Vec<RunOutcome>> {
        {
            let mut memory = lock(&self.stage.memory);
            memory.step = n;
            memory.deciding = None;
            memory.confirming.clear();
            memory.unlinking = None;
            memory.forgetting = None;
        }
        let result = self.perform(n, step).await;
        self.stage.clock.advance(STEP_PAUSE);
        result.with_context(|| format!("step {n}: {step:?}"))
    }

    /// Takes a step again that was interrupted, under its key.
    pub async fn step_again(&self, n: usize, step: &Step) -> anyhow::Result<()> {
        let result = self.perform(n, step).await;
        self.stage.clock.advance(STEP_PAUSE);
        result.with_context(|| format!("step {n} again: {step:?}")).map(|_| ())
    }

    async fn perform(&self, n: usize, step: &Step) -> anyhow::Result<Vec<RunOutcome>> {
        let (dormouse, me) = (&self.dormouse, &self.me);
        let key = Some(format!("step-{n}"));
        match step {
            Step::Task { task, title, note, items, labels } => {
                let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect();
                let new = NewTask {
                    title: (*title).into(),
                    note: (!note.is_empty()).then(|| (*note).into()),
                    items: owned(items),
                    labels: owned(labels),
                    ..NewTask::default()
                };
                let made = dormouse.create_task(me, new, key).await?;
                lock(&self.stage.memory).tasks.insert(task, made.id);
            }
            Step::Agent(task) => {
                let task = self.task_id(task)?;
                dormouse.create_agent(me, &task, Some("Ida".into()), key).await?;
            }
            Step::Note(task, text) => {
                let new = NewEntry { text: (*text).into(), ..NewEntry::default() };
                dormouse.add_entry(me, &self.task_id(task)?, new, key).await?;
            }
            Step::Item(task, title) => {
                dormouse.add_item(me, &self.task_id(task)?, (*title).into(), key).await?;
            }
            Step::Tick(task, title) => {
                let whole = self.task(task).await?;
                let item = whole.items.iter().find(|item| item.title == *title);
                let item = item.with_context(|| format!("no item {title:?}"))?;
                let patch = ItemPatch { is_checked: Some(true), ..ItemPatch::default() };
                dormouse.edit_item(me, &whole.id, &item.id, patch, key).await?;
            }
            Step::Edit(task, patch) => {
                dormouse.edit_task(me, &self.task_id(task)?, patch.clone(), None, key).await?;
            }
            Step::Label(task, name) => {
                dormouse.add_label(me, &self.task_id(task)?, name, key).await?;
            }
            Step::Link(task, kind, other) => {
                let link = (*kind, self.task_id(other)?);
                dormouse.link_task(me, &self.task_id(task)?, link, None, key).await?;
            }
            Step::Unlink(task, other) => {
                let task = self.task_id(task)?;
                let link = self.link_to_remove(&task, other).await?;
                dormouse.unlink_task(me, &task, &link, None, key).await?;
            }
            Step::Say(task, words) => {
                let agent = self.agent_id(task).await?;
                dormouse.wake_agent(me, &agent, Some((*words).into()), key).await?;
            }
            Step::Forget(task, words) => {
                let agent = self.agent_id(task).await?;
                let line = self.line_to_remove(&agent, words).await?;
                dormouse.remove_line(me, &agent, &line, true).await?;
            }
            Step::Reanalyse(task) => {
                dormouse.reanalyse_agent(me, &self.agent_id(task).await?, key).await?;
            }
            Step::ApplyByItself(tool) => self.apply_by_itself(tool, key).await?,
            Step::Pause(task) => {
                dormouse.pause_agent(me, &self.agent_id(task).await?, key).await?;
            }
            Step::Resume(task) => {
                dormouse.resume_agent(me, &self.agent_id(task).await?, key).await?;
            }
            Step::Decide { task, item, verdict, reason } => {
                let (set, index, digest) = self.item_to_decide(task, item, *verdict).await?;
                let reason = reason.map(ToOwned::to_owned);
                let (verdict, digest) = (*verdict, Some(digest));
                let wanted =
                    VerdictOf { task: None, set, index, verdict, digest, reason, over: None };
                dormouse.decide_item(me, wanted, key).await?;
            }
            Step::ConfirmAll(task) => {
                self.confirm_all(n, &self.task_id(task)?).await?;
            }
            Step::Dismiss(task) => {
                let id = self.task_id(task)?;
                for set in dormouse.change_sets(me, Some(id), false).await? {
                    dormouse.dismiss(me, &set.id, Some(format!("step-{n}-{}", set.id))).await?;
                }
            }
            Step::Delete(task) => {
                dormouse.delete_task(me, &self.task_id(task)?, key).await?;
            }
            Step::Restore(task) => {
                dormouse.restore_task(me, &self.task_id(task)?, key).await?;
            }
            Step::Drain => return self.drain().await,
            Step::Wait(time) => self.stage.clock.advance(*time),
        }
        Ok(Vec::new())
    }

    /// Lets a tool of the default template apply by itself.
    async fn apply_by_itself(&self, tool: &str, key: Option<String>) -> anyhow::Result<()> {
        let (dormouse, me) = (&self.dormouse, &self.me);
        dormouse.seed_templates().await?;
        let all = dormouse.templates(me).await?.items;
        let default = all.iter().find(|template| template.is_default);
        let default = default.context("no default template")?;
        let (version, tool) = (default.newest_version, tool.to_owned());
        let new = NewPolicy { version, tool, policy: ToolPolicy::Auto };
        dormouse.set_tool_policy(me, &default.id, new, None, key).await?;
        Ok(())
    }

    /// Confirms the items of a task that were shown before the first try of the step.
    async fn confirm_all(&self, n: usize, task: &TaskId) -> anyhow::Result<()> {
        for set in self.dormouse.change_sets(&self.me, Some(task.clone()), false).await? {
            let shown = set.items.iter().filter(|item| item.shown);
            let shown = shown.map(|it| Shown { index: it.index, digest: it.digest.to_string() });
            let mut memory = lock(&self.stage.memory);
            memory.confirming.entry(set.id).or_insert(shown.collect());
        }
        let confirming = lock(&self.stage.memory).confirming.clone();
        for (set, shown) in confirming {
            let key = Some(format!("step-{n}-{set}"));
            for (_, result) in self.dormouse.confirm_all(&self.me, &set, shown, key).await? {
                result?;
            }
        }
        Ok(())
    }

    /// The link that a step removes: the same if the step is repeated after a crash.
    async fn link_to_remove(&self, task: &TaskId, other: &str) -> anyhow::Result<TaskLinkId> {
        if let Some(remembered) = lock(&self.stage.memory).unlinking.clone() {
            return Ok(remembered);
        }
        let other = self.task_id(other)?;
        let links = self.dormouse.task_links(&self.me, task).await?;
        let link = links.into_iter().find(|link| link.task.id == other);
        let link = link.with_context(|| format!("no link to {other}"))?.id;
        lock(&self.stage.memory).unlinking = Some(link.clone());
        Ok(link)
    }

    /// The line that a step removes: the same if the step is repeated after a crash.
    async fn line_to_remove(&self, agent: &AgentId, words: &str) -> anyhow::Result<String> {
        if let Some(remembered) = lock(&self.stage.memory).forgetting.clone() {
            return Ok(remembered);
        }
        let known = self.dormouse.knowledge(&self.me, agent, 100, None).await?.items;
        let line = known.into_iter().find(|line| line.text.contains(words));
        let line = line.with_context(|| format!("no line {words:?}"))?.line.to_string();
        lock(&self.stage.memory).forgetting = Some(line.clone());
        Ok(line)
    }

    /// The item that a step decides: the same if the step is repeated after a crash.
    async fn item_to_decide(
        &self,
        task: &str,
        item: &str,
        verdict: Verdict,
    ) -> anyhow::Result<(ChangeSetId, i64, String)> {
        if let Some(remembered) = lock(&self.stage.memory).deciding.clone() {
            return Ok(remembered);
        }
        let item = self.proposal(task, item, verdict).await?;
        let chosen = (item.set, item.index, item.digest.to_string());
        lock(&self.stage.memory).deciding = Some(chosen.clone());
        Ok(chosen)
    }

    /// Runs the wakes of every known task, and whatever else is due.
    pub async fn drain(&self) -> anyhow::Result<Vec<RunOutcome>> {
        let tasks = lock(&self.stage.memory).tasks.values().cloned().collect();
        let scope = DrainScope { tasks, all_due: true, ..DrainScope::default() };
        let mut ran = Vec::new();
        self.dormouse.drain(scope, &mut |run| ran.push(run)).await?;
        Ok(ran)
    }

    /// The id of a task by the word of the scene.
    pub fn task_id(&self, task: &str) -> anyhow::Result<TaskId> {
        let memory = lock(&self.stage.memory);
        memory.tasks.get(task).cloned().with_context(|| format!("no task {task:?} in this scene"))
    }

    /// A task by the word of the scene.
    pub async fn task(&self, task: &str) -> anyhow::Result<Task> {
        Ok(self.dormouse.task(&self.me, &self.task_id(task)?).await?)
    }

    /// The agent of a task, whatever became of it.
    pub async fn agent(&self, task: &str) -> anyhow::Result<Agent> {
        let agents =
            self.dormouse.agents(&self.me, &AgentFilter::default(), 200, None).await?.items;
        let id = Some(self.task_id(task)?);
        let found = agents.into_iter().find(|agent| agent.slots.active_task_id == id);
        found.with_context(|| format!("task {task:?} has no agent"))
    }

    async fn agent_id(&self, task: &str) -> anyhow::Result<AgentId> {
        Ok(self.agent(task).await?.id)
    }

    /// Every proposal about a task, newest set first.
    pub async fn proposals(&self, task: &str) -> anyhow::Result<Vec<ChangeItem>> {
        let sets = self.dormouse.change_sets(&self.me, Some(self.task_id(task)?), true).await?;
        Ok(sets.into_iter().flat_map(|set| set.items).collect())
    }

    /// The newest proposal of a task that names `text` and can take a verdict.
    pub async fn proposal(
        &self,
        task: &str,
        text: &str,
        verdict: Verdict,
    ) -> anyhow::Result<ChangeItem> {
        let fitting: &[&str] = match verdict {
            Verdict::Confirm | Verdict::Reject => &["pending", "deferred"],
            Verdict::Defer => &["pending"],
            Verdict::Undo => &["confirmed", "rejected", "deferred"],
        };
        let all = self.proposals(task).await?;
        let found = all.iter().find(|item| {
            item.human_summary.contains(text) && fitting.contains(&item.status.name())
        });
        let Some(found) = found else {
            let known: Vec<_> = all
                .iter()
                .map(|item| format!("{} ({})", item.human_summary, item.status))
                .collect();
            bail!("no proposal {text:?} to {verdict:?}; there are: {}", known.join(" / "));
        };
        Ok(found.clone())
    }
}
