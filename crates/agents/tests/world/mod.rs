//! Agents on an in-memory store, or on a Postgres server, with a scripted model.

pub mod draw;
pub mod between;
pub mod model;
pub mod node;
pub mod paid;
pub mod small;

use std::ops::Deref;
use std::sync::Arc;

use dormouse_agents::lifecycle::{AgentPatch, NewAgent, RequestContext};
use dormouse_agents::wake::waiting::Scope;
use dormouse_agents::{AgentError, Parts};
use dormouse_journal::Edit;
use dormouse_runs::{Driver, Models};
use dormouse_scheduler::{End, Event, FinishedRun, Lease, Options, Scheduler, Until};
use dormouse_store::Db;
use dormouse_store::agent::agent_entity::{Agent, Automation, State};
use dormouse_store::agent::entity;
use dormouse_store::agent::message::{self, Message};
use dormouse_store::agent::report::Report;
use dormouse_store::agent::wake_queue::{self, QueueEntry, Reason};
use dormouse_store::agent::wake_run::{self, Run};
use dormouse_testkit::CountingEntropy;
use dormouse_testkit::scripted::Answer;
use dormouse_types::agent::MessageKind;
use dormouse_types::model::{FragmentKind, Request, ToolResult};
use dormouse_types::port::{Entropy, Model};
use dormouse_types::{Actor, AgentId, Id as _, TaskId};
use dormouse_world::{Builder, Recording, Rooms, rows};
use serde_json::{Value, json};

pub use dormouse_world::{WS, person, wait as now};

use self::model::BlockingModel;
use self::node::Node;

/// When a test begins.
pub const START: &str = "2026-03-02T09:00:00Z";

pub const DONE: End = End::Completed { cut: false };

pub fn me() -> RequestContext {
    RequestContext { actor: Actor::Owner, key: None }
}

/// Settings that change only whether changes wake an agent.
pub fn automated(automation: Automation) -> AgentPatch {
    AgentPatch { automation: Some(automation), ..AgentPatch::default() }
}

/// A call that publishes a report.
pub fn report(tldr: &str, content: &str) -> (&'static str, Value) {
    ("update_report", json!({ "tldr": tldr, "content": content }))
}

/// Always the same report, for first runs that do not matter by themselves.
pub fn routine_report() -> Answer {
    Answer::calls([report("All quiet.", "Nothing yet.")])
}

/// What agents are made of.
fn parts(rooms: &Rooms, entropy: Arc<dyn Entropy>, driver: Driver) -> Parts {
    Parts {
        store: rooms.store.clone(),
        journal: rooms.journal.clone(),
        changes: rooms.changes.clone(),
        driver,
        clock: rooms.as_clock(),
        entropy,
        zone: rooms.zone.clone(),
    }
}

/// The agents of one process, whose scheduler runs nothing else.
#[derive(Clone)]
pub struct Agents {
    agents: dormouse_agents::Agents,
    scheduler: Scheduler,
}

impl Agents {
    pub fn new(parts: Parts, owner: &str) -> Self {
        let (store, clock) = (parts.store.clone(), parts.clock.clone());
        let agents = dormouse_agents::Agents::new(parts);
        let lease = dormouse_store::lease::term();
        let scheduler = Scheduler::new(dormouse_scheduler::Parts {
            store,
            clock,
            owner: owner.into(),
            lease,
            handlers: agents.handlers().to_vec(),
            chores: agents.chores(lease),
        });
        Self { agents, scheduler }
    }

    pub fn scheduler(&self) -> Scheduler {
        self.scheduler.clone()
    }
}

impl std::ops::Deref for Agents {
    type Target = dormouse_agents::Agents;

    fn deref(&self) -> &Self::Target {
        &self.agents
    }
}

/// Runs the pending wakes of a scope, as a command does.
pub async fn drain(
    agents: &Agents,
    scheduler: &Scheduler,
    scope: &Scope,
    mut on_run: impl FnMut(FinishedRun),
) -> Result<(), AgentError> {
    let only = agents.agents_in(WS, scope).await?;
    let only = only.map(|agents| agents.into_iter().map(Into::into).collect());
    let mut node = scheduler.node(Until::Idle { ws: WS, only });
    while let Some(event) = node.next().await {
        match event {
            Event::Ran(ran) => on_run(*ran),
            Event::Failed(failure) => return Err(failure.error.into()),
            Event::Recovered(_) | Event::Damaged(_) => {}
        }
    }
    Ok(())
}

pub struct World {
    rooms: Rooms,
    pub agents: Agents,
    pub model: Arc<BlockingModel>,
}

impl Deref for World {
    type Target = Rooms;

    fn deref(&self) -> &Rooms {
        &self.rooms
    }
}

impl World {
    pub fn new() -> Self {
        Self::of(Rooms::at(START), "test")
    }

    /// The engines that a promise is tested on.
    pub fn on_each_engine() -> [Self; 2] {
        [Self::new(), Self::of(Rooms::at(START).on_postgres(), "test")]
    }

    /// Creates a world with a record of what it reads.
    pub fn recorded() -> (Self, Arc<Recording>) {
        let (builder, engine) = Rooms::at(START).under(Recording::over);
        (Self::of(builder, "test"), engine)
    }

    /// Adds agents to rooms.
    pub fn of(builder: Builder, owner: &str) -> Self {
        let model = Arc::new(BlockingModel::before(builder.script()));
        let rooms = builder.seed(2).model(model.clone()).build();
        let agents = parts(&rooms, rooms.entropy.clone(), rooms.driver.clone());
        Self { agents: Agents::new(agents, owner), rooms, model }
    }

    /// Creates a world with a task and its agent, which has run once and reported.
    pub fn settled() -> (Self, TaskId, AgentId) {
        let world = Self::new();
        let task = world.task("Move to the new flat", &["We signed the contract."]);
        let agent = world.create(&task);
        world.script.push(routine_report());
        assert_eq!(world.ends(&task), [End::Completed { cut: false }]);
        (world, task, agent)
    }

    /// Creates another task and agent, also settled.
    pub fn another(&self, title: &str) -> (TaskId, AgentId) {
        let task = self.task(title, &["It began."]);
        let agent = self.create(&task);
        self.script.push(routine_report());
        assert_eq!(self.ends(&task), [End::Completed { cut: false }]);
        (task, agent)
    }

    /// Returns a node that has done all there is to do.
    pub fn serve(&self) -> Node {
        self.serve_with(Options::default())
    }

    pub fn serve_with(&self, options: Options) -> Node {
        self.serve_as(&self.agents, options)
    }

    pub fn serve_as(&self, agents: &Agents, options: Options) -> Node {
        let mut node = Node::start(&agents.scheduler(), &self.clock, options);
        node.settle();
        node
    }

    /// The same rooms under the name of another process.
    pub fn owned_by(&self, owner: &str) -> Agents {
        self.agents_of(owner, Models::new(self.model.clone()))
    }

    /// The same rooms with another model.
    pub fn asking(&self, model: Arc<dyn Model>) -> Agents {
        self.choosing(Models::new(model))
    }

    /// The same rooms with these models.
    pub fn choosing(&self, models: Models) -> Agents {
        self.agents_of("another model", models)
    }

    /// The same rooms with these models, under the name of another process.
    pub fn agents_of(&self, owner: &str, models: Models) -> Agents {
        let seed = owner.bytes().map(u64::from).sum();
        let entropy: Arc<dyn Entropy> = Arc::new(CountingEntropy::seeded(seed));
        let driver = self.driver_of(entropy.clone(), models);
        Agents::new(parts(&self.rooms, entropy, driver), owner)
    }

    pub fn task(&self, title: &str, notes: &[&str]) -> TaskId {
        self.later(60);
        self.create_task(title, notes.iter().map(|note| Edit::note(*note)).collect())
    }

    pub fn edit(&self, task: &TaskId, edits: &[Edit]) {
        self.later(60);
        self.edit_task(task, edits);
    }

    pub fn note(&self, task: &TaskId, text: &str) {
        self.edit(task, &[Edit::note(text)]);
    }

    pub fn note_now(&self, task: &TaskId, text: &str) {
        self.edit_task(task, &[Edit::note(text)]);
    }

    /// Wakes an agent, as a person, at the present time.
    pub fn wake_now(&self, agent: &AgentId, words: Option<&str>) {
        now(self.agents.wake(WS, agent, Reason::UserInitiated, words, &me())).expect("woken");
    }

    /// Lets the next runs end with the same report as before.
    pub fn answers(&self, n: usize) {
        (0..n).for_each(|_| self.script.push(routine_report()));
    }

    /// Routes changes to the queue.
    pub fn route(&self) {
        now(self.agents.route_feed(WS)).expect("routed");
    }

    /// Claims the pending wake of an agent.
    pub fn claim(&self, agent: &AgentId) -> Lease {
        now(self.agents.scheduler().claim(WS, &self.row(agent))).expect("a claim").expect("a lease")
    }

    /// Changes a task and claims the wake that follows.
    pub fn claim_after_a_note(&self, task: &TaskId, agent: &AgentId) -> Lease {
        self.note(task, "The van is booked.");
        self.route();
        self.claim(agent)
    }

    pub fn pause(&self, agent: &AgentId) {
        now(self.agents.pause(WS, agent, &me())).expect("paused");
    }

    pub fn resume(&self, agent: &AgentId) {
        now(self.agents.resume(WS, agent, &me())).expect("resumed");
    }

    pub fn set_automation(&self, agent: &AgentId, automation: Automation) {
        now(self.agents.configure(WS, agent, &automated(automation), &me())).expect("set");
    }

    pub fn agent_state(&self, agent: &AgentId) -> State {
        now(self.agents.state(WS, agent)).expect("the state").value
    }

    pub fn agent_row(&self, agent: &AgentId) -> Agent {
        now(self.agents.agent(WS, agent)).expect("the agent").doc.value
    }

    /// The delta in the last request to the model.
    pub fn last_delta(&self) -> String {
        text(&self.last_request(), FragmentKind::Delta).expect("a delta")
    }

    /// The events of the agent store whose name starts with the prefix, oldest first.
    pub fn events(&self, prefix: &str) -> Vec<String> {
        rows::events(&self.store, prefix)
    }

    pub fn try_create(&self, task: &TaskId, by_name: bool) -> Result<AgentId, AgentError> {
        let new = NewAgent { by_name, ..NewAgent::default() };
        now(self.agents.create(WS, task, &new, &me())).map(|agent| agent.doc.value.id)
    }

    pub fn create(&self, task: &TaskId) -> AgentId {
        self.try_create(task, true).expect("an agent")
    }

    pub fn wake(&self, agent: &AgentId, reason: Reason, words: Option<&str>) {
        self.later(60);
        now(self.agents.wake(WS, agent, reason, words, &me())).expect("woken");
    }

    /// Runs the pending wakes of a task's agents.
    pub fn drain(&self, task: &TaskId) -> Vec<FinishedRun> {
        let scope = Scope { tasks: vec![task.clone()], ..Scope::default() };
        self.drain_scope(&scope).expect("a drain")
    }

    pub fn drain_scope(&self, scope: &Scope) -> Result<Vec<FinishedRun>, AgentError> {
        Self::drain_of(&self.agents, scope)
    }

    /// Runs what these rooms may run.
    pub fn drain_of(agents: &Agents, scope: &Scope) -> Result<Vec<FinishedRun>, AgentError> {
        let mut ran = Vec::new();
        now(drain(agents, &agents.scheduler(), scope, |one| ran.push(one)))?;
        Ok(ran)
    }

    /// Takes over the leases of all owners, as a start does.
    pub fn take_over(&self) -> Vec<String> {
        now(self.agents.scheduler().take_over(WS)).expect("a start does not fail")
    }

    /// Drives a claimed run to its end.
    pub fn run_lease(&self, lease: Lease) -> FinishedRun {
        now(self.run_of(lease)).expect("a run")
    }

    async fn run_of(&self, lease: Lease) -> Result<FinishedRun, AgentError> {
        Ok(self.agents.scheduler().run_alive(lease).await?)
    }

    /// Runs everything that is due.
    pub fn drain_due(&self) -> Vec<FinishedRun> {
        self.drain_scope(&Scope { all_due: true, ..Scope::default() }).expect("a drain")
    }

    pub fn ends(&self, task: &TaskId) -> Vec<End> {
        self.drain(task).into_iter().map(|ran| ran.end).collect()
    }

    /// Sets the model's answers, wakes the agent with a note, and returns how the runs ended.
    pub fn run_with(&self, task: &TaskId, answers: impl IntoIterator<Item = Answer>) -> Vec<End> {
        for answer in answers {
            self.script.push(answer);
        }
        self.note(task, "Something happened.");
        self.ends(task)
    }

    pub fn report(&self, agent: &AgentId) -> Option<Report> {
        now(self.agents.latest_report(WS, agent)).expect("readable")
    }

    pub fn content(&self, agent: &AgentId) -> String {
        let report = self.report(agent).expect("a report");
        report.content.as_str().expect("Markdown").to_owned()
    }

    pub fn reports(&self, agent: &AgentId) -> Vec<Report> {
        let all = now(self.store.all(entity::of_agent::<Report>(WS, agent, 100)));
        all.expect("reports").into_iter().map(|report| report.doc.value).collect()
    }

    /// Runs of an agent, newest first.
    pub fn runs(&self, agent: &AgentId) -> Vec<Run> {
        now(self.store.all(wake_run::of_agent(WS, agent, 100))).expect("runs")
    }

    pub fn row(&self, agent: &AgentId) -> QueueEntry {
        now(self.store.first(wake_queue::of_holder(WS, agent))).expect("readable").expect("a row")
    }

    /// Messages of one kind with their text, oldest first.
    pub fn said(&self, agent: &AgentId, kind: MessageKind) -> Vec<String> {
        let mut all: Vec<Message> = now(self.store.all(message::of_kind(WS, agent, kind)))
            .expect("messages")
            .into_iter()
            .map(|stored| stored.doc.value)
            .collect();
        all.sort_by_key(|message| (message.created_at, message.metadata.n));
        let text = |message| {
            let text = now(dormouse_runs::run_log::text(&self.store, WS, message));
            text.expect("readable").expect("not purged")
        };
        all.iter().map(text).collect()
    }

    /// What the model last read about its calls.
    pub fn results(&self) -> Vec<ToolResult> {
        let requests = self.script.requests();
        requests.last().and_then(|request| request.turns.last()).expect("a turn").results.clone()
    }

    /// Results of the calls of an agent's last run, from its log.
    pub fn answered(&self, agent: &AgentId) -> Vec<ToolResult> {
        let thread = self.runs(agent)[0].thread.clone();
        let mut all: Vec<Message> = now(self.store.all(message::of_thread(WS, &thread, 1000)))
            .expect("messages")
            .into_iter()
            .map(|stored| stored.doc.value)
            .filter(|message| message.kind == MessageKind::ToolResult)
            .collect();
        all.sort_by_key(|message| message.metadata.n);
        let read = |message| {
            let text = now(dormouse_runs::run_log::text(&self.store, WS, message));
            serde_json::from_str(&text.expect("readable").expect("there")).expect("a result")
        };
        all.iter().map(read).collect()
    }

    pub fn last_request(&self) -> Request {
        self.script.requests().pop().expect("the model was called")
    }

    /// Every row of the person's data, as text.
    pub fn journal_rows(&self) -> Vec<String> {
        let tables = [
            "SELECT * FROM journal ORDER BY id",
            "SELECT * FROM field_says ORDER BY 1, 2, 3",
            "SELECT * FROM change_log ORDER BY seq",
        ];
        self.rows_of(Db::Journal, &tables)
    }

    /// The rows of the agent store that anybody can look at: messages, texts, log lines.
    pub fn shown_rows(&self) -> Vec<String> {
        let tables = [
            "SELECT * FROM agent_entities ORDER BY id",
            "SELECT * FROM texts ORDER BY 1, 2",
            "SELECT * FROM log_lines ORDER BY 1, 2, 3",
        ];
        self.rows_of(Db::Agent, &tables)
    }

    pub fn state_id(&self, agent: &AgentId) -> String {
        now(self.agents.state(WS, agent)).expect("the state").value.id.as_str().to_owned()
    }
}

/// The text of a request's fragment of one kind.
pub fn text(request: &Request, kind: FragmentKind) -> Option<String> {
    request.fragments.iter().find(|piece| piece.kind == kind).map(|piece| piece.text.clone())
}
