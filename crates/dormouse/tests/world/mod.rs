//! The services on a store in memory, with a model that answers from a script.

use std::ops::Deref;
use std::sync::Arc;

use dormouse::view::{Agent, ChangeItem, Outcome, RunOutcome, Task};
use dormouse::{
    AgentPatch, Caller, Dormouse, DrainScope, Error, NewEntry, NewTask, Parts, Shown, Verdict,
    VerdictOf, WORKSPACE,
};
use dormouse_store::Db;
use dormouse_testkit::CountingEntropy;
use dormouse_testkit::models::Host;
use dormouse_testkit::scripted::Answer;
use dormouse_types::agent::Automation;
use dormouse_types::caller::Actor;
use dormouse_types::port::Model;
use dormouse_types::{AgentId, ChangeSetId, Scope, TaskId, TokenKind};
use dormouse_world::{Recording, Rooms};
use serde_json::{Value, json};

pub use dormouse_testkit::now;

pub fn me() -> Caller {
    Caller::owner(WORKSPACE)
}

/// The outcome of each item that was to be confirmed.
pub type Events = Vec<(Shown, Result<Outcome, Error>)>;

/// A token with these scopes.
pub fn token(scopes: &[Scope]) -> Caller {
    let (actor, kind) = (Actor::Token("t1".into()), TokenKind::Person);
    Caller { workspace: WORKSPACE, actor, scopes: scopes.to_vec(), kind }
}

pub struct World {
    rooms: Rooms,
    pub engine: Arc<Recording>,
    pub dormouse: Dormouse,
}

impl Deref for World {
    type Target = Rooms;

    fn deref(&self) -> &Rooms {
        &self.rooms
    }
}

/// The services with any model, on a clock that is set to a time.
pub fn services(model: Arc<dyn Model>, at: &str) -> (Dormouse, Rooms) {
    let rooms = Rooms::at(at).model(model).build();
    (services_of(&rooms), rooms)
}

fn services_of(rooms: &Rooms) -> Dormouse {
    Dormouse::new(Parts {
        store: rooms.store.clone(),
        clock: rooms.as_clock(),
        entropy: rooms.entropy.clone(),
        model: rooms.model.clone(),
        zone: rooms.zone.get(),
        owner: "test".into(),
    })
    .with_work_rules(Arc::new(dormouse_builtin::work::Rules))
    .with_sealing_keys(Arc::new(dormouse_testkit::sealing::FixedKey([7; 32])))
}

impl World {
    pub fn new() -> Self {
        let (builder, engine) = Rooms::at("2026-03-02T09:00:00Z").under(Recording::over);
        let rooms = builder.build();
        Self { dormouse: services_of(&rooms), rooms, engine }
    }

    /// A second node on the same database.
    pub fn another_node(&self, zone: &str) -> Dormouse {
        Dormouse::new(Parts {
            store: self.store.clone(),
            clock: self.as_clock(),
            entropy: Arc::new(CountingEntropy::seeded(7)),
            model: self.script.clone(),
            zone: jiff::tz::TimeZone::get(zone).expect("a zone"),
            owner: "other".into(),
        })
        .with_model_host(Arc::new(Host), None)
    }

    pub fn task(&self, title: &str) -> Task {
        self.later(60);
        let new = NewTask {
            title: title.into(),
            note: Some("We signed the contract.".into()),
            items: vec!["Pack the books".into()],
            ..NewTask::default()
        };
        now(self.dormouse.create_task(&me(), new, None)).expect("a task")
    }

    pub fn fresh(&self, task: &TaskId) -> Task {
        now(self.dormouse.task(&me(), task)).expect("the task")
    }

    pub fn agent(&self, task: &TaskId) -> Agent {
        self.later(60);
        now(self.dormouse.create_agent(&me(), task, None, None)).expect("an agent")
    }

    pub fn fresh_agent(&self, id: &AgentId) -> Agent {
        now(self.dormouse.agent(&me(), id)).expect("the agent")
    }

    /// A task whose agent has run once, reported, and proposed what these calls say.
    pub fn proposed(&self, calls: &[(&'static str, Value)]) -> (Task, Agent, Vec<ChangeItem>) {
        let task = self.task("Move to the new flat");
        let agent = self.agent(&task.id);
        self.answer(calls);
        self.drain(&task.id);
        (self.fresh(&task.id), agent, self.items())
    }

    pub fn decide(&self, item: &ChangeItem, verdict: Verdict) {
        let verdict = verdict_of(&item.set, item.index, verdict);
        now(self.dormouse.decide_item(&me(), verdict, None)).expect("decided");
    }

    /// Confirms these items of a set as they were shown.
    pub fn confirm_all(&self, items: &[ChangeItem]) -> Vec<Result<Outcome, Error>> {
        let outcomes = self.confirm_under(items, None).expect("the request is taken");
        outcomes.into_iter().map(|(_, outcome)| outcome).collect()
    }

    /// The same, under a key.
    pub fn confirm_under(
        &self,
        items: &[ChangeItem],
        key: Option<String>,
    ) -> Result<Events, Error> {
        let shown = items.iter();
        let shown = shown.map(|it| Shown { index: it.index, digest: it.digest.to_string() });
        now(self.dormouse.confirm_all(&me(), &items[0].set, shown.collect(), key))
    }

    /// Items of the newest set.
    pub fn items(&self) -> Vec<ChangeItem> {
        let sets = now(self.dormouse.change_sets(&me(), None, true)).expect("sets");
        sets.into_iter().next().map(|set| set.items).unwrap_or_default()
    }

    /// Lets the model report and make these calls in its next run.
    pub fn answer(&self, calls: &[(&'static str, Value)]) {
        let report = ("update_report", json!({ "tldr": "All quiet.", "content": "Nothing yet." }));
        self.script.push(Answer::calls([report].into_iter().chain(calls.iter().cloned())));
    }

    pub fn note(&self, task: &TaskId, text: &str) -> Task {
        self.later(60);
        let new = NewEntry { text: text.into(), ..NewEntry::default() };
        now(self.dormouse.add_entry(&me(), task, new, None)).expect("a note")
    }

    pub fn automation(
        &self,
        agent: &AgentId,
        automation: Automation,
        key: Option<String>,
    ) -> Result<Agent, Error> {
        let patch = AgentPatch { automation: Some(automation), ..AgentPatch::default() };
        now(self.dormouse.edit_agent(&me(), agent, patch, key))
    }

    pub fn drain(&self, task: &TaskId) -> Vec<RunOutcome> {
        self.drain_scope(DrainScope { tasks: vec![task.clone()], ..DrainScope::default() })
            .expect("a drain")
    }

    pub fn drain_scope(&self, scope: DrainScope) -> Result<Vec<RunOutcome>, Error> {
        let mut ran = Vec::new();
        now(self.dormouse.drain(scope, &mut |run| ran.push(run)))?;
        Ok(ran)
    }

    /// Every row of both databases, as text, but for receipts.
    pub fn rows(&self) -> Vec<String> {
        let of_journal = [
            "SELECT * FROM journal ORDER BY id",
            "SELECT * FROM change_log ORDER BY seq",
            "SELECT * FROM audit_log ORDER BY seq, n",
        ];
        let of_agents = [
            "SELECT * FROM agent_entities ORDER BY id",
            "SELECT * FROM agent_links ORDER BY id",
            "SELECT * FROM change_items ORDER BY set_id, item_index",
            "SELECT * FROM wake_queue ORDER BY agent_id",
            "SELECT * FROM wake_run_log ORDER BY run_key",
            "SELECT * FROM audit_log ORDER BY seq, n",
        ];
        [self.rows_of(Db::Journal, &of_journal), self.rows_of(Db::Agent, &of_agents)].concat()
    }
}

/// A verdict on an item of a set, without digest and reason.
pub fn verdict_of(set: &ChangeSetId, index: i64, verdict: Verdict) -> VerdictOf {
    let set = set.clone();
    VerdictOf { task: None, set, index, verdict, digest: None, reason: None, over: None }
}

/// The slug and status of an error.
pub fn slug(error: &Error) -> (&'static str, u16) {
    let problem = error.problem();
    (problem.kind.name(), problem.status)
}
