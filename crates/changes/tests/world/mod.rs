//! A task with proposals, on an in-memory store.

use std::cell::Cell;
use std::sync::Arc;
use std::time::Duration;

use dormouse_changes::rule::in_force::{self, RulesInForce};
use dormouse_changes::rule::service::{NewRule, RuleError, RuleMaker};
use dormouse_changes::set::effective_state::KnownValue;
use dormouse_changes::set::propose::{Proposer, Source};
use dormouse_changes::set::proposed::{Basis, ProposalContext, Proposed};
use dormouse_changes::set::validate::{self, CallOutcome};
use dormouse_changes::tool::CallContext;
use dormouse_changes::tool::Retraction;
use dormouse_changes::{
    Changes, DecideError, Decider, Effect, Policy, Refused, Settled, group, ledger, tools,
};
use dormouse_journal::{Edit, EditCtx, Journal, JournalError, NewTask, TaskView, state};
use dormouse_store::agent::change_item::{self, Item};
use dormouse_store::agent::change_set::{ChangeSet, Decision, SetStatus};
use dormouse_store::agent::entity;
use dormouse_store::agent::rule::{self, Rule};
use dormouse_store::backend::sqlite::{Snapshot, Sqlite};
use dormouse_store::{Commit, Db, Op, Query, Store, params};
use dormouse_testkit::hooks::Hooks;
use dormouse_testkit::{CountingEntropy, ManualClock};
use dormouse_types::model::{TaskState, ToolCall};
use dormouse_types::port::Clock;
use dormouse_types::rule::{Condition, RuleEffect, RuleHolder};
use dormouse_types::{
    Actor, AgentId, EntryId, Fingerprint, Id as _, ItemId, LabelId, Origin, RuleId, RunKey, TaskId,
    TemplateVersionId, ThreadId, Timestamp, TokenId, WorkspaceId, hash,
};
use jiff::tz::TimeZone;
use serde_json::{Value, json};

pub use dormouse_testkit::now;

pub const WS: WorkspaceId = WorkspaceId(1);

pub fn who() -> Decider {
    Decider { ws: WS, actor: Actor::Owner, once: None, task: None }
}

pub fn maker() -> RuleMaker {
    RuleMaker { ws: WS, actor: Actor::Owner, once: None }
}

/// The version of a template that the agent follows.
pub fn version() -> TemplateVersionId {
    format!("av-{}", "0".repeat(26)).parse().expect("an id")
}

pub fn person() -> EditCtx {
    EditCtx::new(Origin::Person { via: None }, Actor::Owner)
}

/// What the model reads about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub refused: bool,
    pub text: String,
}

pub struct World {
    pub store: Store,
    pub journal: Journal,
    pub changes: Changes,
    pub clock: ManualClock,
    pub agent: AgentId,
    pub task: TaskId,
    entropy: Arc<CountingEntropy>,
    sqlite: Arc<Sqlite>,
    hooks: Arc<Hooks>,
    runs: Cell<u32>,
    /// Whether the model was shown something private before its next turn.
    pub is_of_private: Cell<bool>,
}

impl World {
    /// A task with an item; so far only the agent has written to it.
    pub fn new() -> Self {
        let clock = ManualClock::at("2026-03-02T09:00:00Z");
        let port: Arc<dyn Clock> = Arc::new(clock.clone());
        let entropy = CountingEntropy::seeded(1);
        let sqlite = Sqlite::memory(&port, &entropy).expect("a store in memory");
        let agent = AgentId::fresh(Timestamp::from_micros(0), &entropy);
        let task = TaskId::fresh(Timestamp::from_micros(0), &entropy);
        let mut world = Self::on(sqlite, clock, entropy, agent, task);
        let origin = EditCtx::new(
            Origin::Agent { agent: world.agent.clone() },
            Actor::Other("agent:test".into()),
        );
        let new = NewTask {
            title: "Move to the new flat".into(),
            edits: vec![Edit::AddItem {
                title: "Sign the contract".into(),
                is_checked: false,
                depth: 0,
            }],
        };
        world.task = now(world.journal.create(WS, &new, &origin)).expect("a task").task;
        world
    }

    fn on(
        sqlite: Sqlite,
        clock: ManualClock,
        entropy: CountingEntropy,
        agent: AgentId,
        task: TaskId,
    ) -> Self {
        let hooks = Arc::new(Hooks::default());
        let port: Arc<dyn Clock> = Arc::new(clock.clone());
        let (sqlite, entropy) = (Arc::new(sqlite), Arc::new(entropy));
        let store = Store::new(sqlite.clone(), hooks.clone());
        let journal = Journal::new(store.clone(), port.clone(), entropy.clone());
        let changes = Changes::new(
            store.clone(),
            journal.clone(),
            port,
            entropy.clone(),
            TimeZone::UTC.into(),
        );
        let runs = Cell::new(0);
        let is_of_private = Cell::new(false);
        Self {
            store,
            journal,
            changes,
            clock,
            agent,
            task,
            entropy,
            sqlite,
            hooks,
            runs,
            is_of_private,
        }
    }

    pub fn snapshot(&self) -> Snapshot {
        self.sqlite.snapshot().expect("memory can be copied")
    }

    /// This world after a start with one of its databases as of a snapshot.
    pub fn with_older(&self, db: Db, earlier: &Snapshot) -> Self {
        let snapshot = self.snapshot().with(db, earlier);
        let (port, entropy): (Arc<dyn Clock>, _) =
            (Arc::new(self.clock.clone()), CountingEntropy::seeded(7));
        let sqlite = Sqlite::restore(&snapshot, &port, &entropy).expect("a store in memory");
        let (clock, agent, task) = (self.clock.clone(), self.agent.clone(), self.task.clone());
        Self::on(sqlite, clock, entropy, agent, task)
    }

    /// Stores a commit right before the next one with a label.
    pub fn commit_before(&self, label: &'static str, commit: Commit) {
        let store = self.store.clone();
        self.hooks.before_commit(label, move || {
            now(store.commit(commit)).expect("stored");
        });
    }

    /// Lets another process act right before the next commit with a label.
    pub fn meanwhile(
        &self,
        label: &'static str,
        act: impl FnOnce(&Changes) -> Result<(), DecideError> + Send + 'static,
    ) {
        let other = self.changes.clone();
        self.hooks.before_commit(label, move || act(&other).expect("the other process succeeds"));
    }

    /// Performs an action that is interrupted right before it writes the journal.
    pub fn crash_at_the_journal(&self, act: impl FnOnce(&Self)) {
        assert!(self.crash_at("journal.edit", act), "it went on to the journal");
    }

    /// Performs an action that is interrupted right before its next commit with a label. Returns whether it
    /// came to one.
    pub fn crash_at(&self, label: &'static str, act: impl FnOnce(&Self)) -> bool {
        self.hooks.before_commit(label, || {
            std::panic::resume_unwind(Box::new("the program ends"));
        });
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| act(self)));
        self.hooks.clear();
        ended.is_err()
    }

    /// Creates another task.
    pub fn other_task(&self) -> TaskId {
        let new = NewTask { title: "Another one".into(), edits: Vec::new() };
        now(self.journal.create(WS, &new, &person())).expect("a task").task
    }

    /// Proposes a due date for another task.
    pub fn due_of(&self, task: &TaskId, day: &str) -> Item {
        let view = now(self.journal.task(WS, task)).expect("the task is there");
        let state = state(&view, &TimeZone::UTC);
        let call = ToolCall {
            id: "call".into(),
            name: "update_task_due_date".into(),
            args: json!({ "dueDate": day }),
        };
        let context = ProposalContext {
            task: &state,
            items: &[],
            proposed: &[],
            in_set: &[],
            named: &[],
            made_before: 0,
            used: &[],
            basis: Basis::Model,
        };
        let tool = tools::by_name(&call.name).expect("a known tool");
        let judged = validate::validate_call(tool, &call, &context);
        let [CallOutcome::Queued(one)] = &judged[..] else { panic!("{judged:?}") };
        let (run_key, agent) = (Self::run_key(1000), &self.agent);
        let thread = ThreadId::fresh(self.clock.now(), &*self.entropy);
        let by = Proposer {
            ws: WS,
            holder: &agent.clone().into(),
            task,
            source: Source::Run { thread: &thread, key: &run_key, is_of_private: false },
        };
        let one = std::slice::from_ref(&**one);
        let ops = now(self.changes.turn_ops(by, one, &[])).expect("the turn's ops");
        now(self.store.commit(Commit::new("test.turn", Db::Agent, WS).ops(ops.ops)))
            .expect("stored");
        let items = now(self.store.all(change_item::of_task(WS, task))).expect("items");
        items.into_iter().next().expect("the item")
    }

    pub fn later(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    /// Edits as the person, a minute after everything before.
    pub fn edit(&self, edits: &[Edit]) {
        self.try_edit(edits).expect("the edit is accepted");
    }

    pub fn try_edit(&self, edits: &[Edit]) -> Result<(), JournalError> {
        self.later(60);
        now(self.journal.edit(WS, &self.task, edits, &person())).map(|_| ())
    }

    /// Edits as the agent, so that the value does not count as set by the person.
    pub fn edit_as_agent(&self, edits: &[Edit]) {
        let origin = Origin::Agent { agent: self.agent.clone() };
        let ctx = EditCtx::new(origin, Actor::Other("agent:test".into()));
        now(self.journal.edit(WS, &self.task, edits, &ctx)).expect("the edit is accepted");
    }

    /// Writes a note and returns its id.
    pub fn note(&self, text: &str) -> EntryId {
        self.edit(&[Edit::note(text)]);
        self.state().entries.last().expect("the note").id.clone()
    }

    pub fn label(&self, name: &str) -> LabelId {
        now(self.journal.ensure_label(WS, name, &person())).expect("a label").id
    }

    pub fn view(&self) -> TaskView {
        now(self.journal.task(WS, &self.task)).expect("the task is there")
    }

    pub fn state(&self) -> TaskState {
        state(&self.view(), &TimeZone::UTC)
    }

    pub fn first_item(&self) -> ItemId {
        self.state().items[0].id.clone()
    }

    pub fn titles(&self) -> Vec<String> {
        self.state().items.into_iter().map(|item| item.title).collect()
    }

    pub fn run_key(n: u32) -> RunKey {
        RunKey(hash::sha256(format!("run {n}")).0)
    }

    /// Performs one run of one turn: validates the calls and stores what is accepted.
    pub fn propose(&self, calls: &[(&str, Value)]) -> Vec<Reply> {
        self.turn(calls, &[])
    }

    pub fn turn(&self, calls: &[(&str, Value)], withdrawn: &[(&Item, &str)]) -> Vec<Reply> {
        self.runs.set(self.runs.get() + 1);
        self.turn_of(self.runs.get(), calls, withdrawn)
    }

    /// Performs a turn of a run that may already have had one.
    pub fn turn_of(
        &self,
        run: u32,
        calls: &[(&str, Value)],
        withdrawn: &[(&Item, &str)],
    ) -> Vec<Reply> {
        let (replies, commit) = self.judged(run, calls, withdrawn);
        now(self.store.commit(commit)).expect("the turn is stored");
        replies
    }

    /// Prepares a turn without storing it: its replies and its commit.
    pub fn judged(
        &self,
        run: u32,
        calls: &[(&str, Value)],
        withdrawn: &[(&Item, &str)],
    ) -> (Vec<Reply>, Commit) {
        self.later(60);
        let (task, items) = (self.state(), self.items());
        let run_key = Self::run_key(run);
        let sets = self.sets();
        let own = sets.iter().find(|set| set.run_key == run_key.0).map(|set| &set.id);
        let made_before = items.iter().filter(|item| Some(&item.set) == own).count();
        let in_set: Vec<&Item> = items.iter().filter(|item| Some(&item.set) == own).collect();
        let all: Vec<ToolCall> = calls
            .iter()
            .map(|(name, args)| ToolCall {
                id: "call".into(),
                name: (*name).into(),
                args: args.clone(),
            })
            .collect();
        let named = now(group::named_tasks(&self.store, WS, &self.task, &all)).expect("tasks");
        let (mut proposed, mut used) = (Vec::<Proposed>::new(), Vec::new());
        let (rules, mut held) = (self.rules(), Vec::new());
        let mut replies = Vec::new();
        for (n, (name, args)) in calls.iter().enumerate() {
            let tool = tools::by_name(name).expect("a known tool");
            let call =
                ToolCall { id: format!("call-{n}"), name: (*name).into(), args: args.clone() };
            let context = ProposalContext {
                task: &task,
                items: &items,
                proposed: &proposed,
                in_set: &in_set,
                named: &named,
                made_before,
                used: &used,
                basis: Basis::Model,
            };
            let judged = validate::validate_call(tool, &call, &context);
            let judged = rules.obey(judged, &mut held);
            let (refused, text) = validate::reply(&judged);
            for one in judged {
                if let CallOutcome::Queued(one) = one {
                    if matches!(tool.policy, Policy::Deferred(_)) {
                        used.push(tool.name.to_owned());
                    }
                    proposed.push(*one);
                }
            }
            replies.push(Reply { refused, text });
        }
        let withdrawn: Vec<Retraction> = withdrawn
            .iter()
            .map(|(item, reason)| Retraction { item: (*item).clone(), reason: (*reason).into() })
            .collect();
        let thread = ThreadId::fresh(self.clock.now(), &*self.entropy);
        let source =
            Source::Run { thread: &thread, key: &run_key, is_of_private: self.is_of_private.get() };
        let by = Proposer { ws: WS, holder: &self.agent.clone().into(), task: &self.task, source };
        let ops = now(self.changes.turn_ops(by, &proposed, &withdrawn)).expect("the turn's ops");
        let held = in_force::held_ops(by, &held, self.clock.now());
        (replies, Commit::new("test.turn", Db::Agent, WS).ops(ops.ops).ops(held))
    }

    /// The rules in force for what the agent proposes.
    pub fn rules(&self) -> RulesInForce {
        let holders = [
            RuleHolder::Task(self.task.clone()),
            RuleHolder::Agent(self.agent.clone()),
            RuleHolder::Version(version()),
        ];
        let about = std::slice::from_ref(&self.task);
        now(RulesInForce::read(&self.store, WS, &holders, about)).expect("rules")
    }

    /// Has a rule confirm what a tool proposes.
    pub fn apply_by_itself(&self, tool: &str) -> RuleId {
        let rule = Rule {
            id: RuleId::fresh(self.clock.now(), &*self.entropy),
            holder: RuleHolder::Version(version()),
            effect: RuleEffect::Apply.into(),
            tool: tool.into(),
            condition: None,
            decisions: Vec::new(),
            made_by: "owner".into(),
            made_at: self.clock.now(),
            removed_at: None,
        };
        let commit = Commit::new("test.rule", Db::Agent, WS).op(rule::insert(WS, &rule));
        now(self.store.commit(commit)).expect("stored");
        rule.id
    }

    /// Holds back what a tool proposes about the task.
    pub fn hold_back(&self, tool: &str, condition: Option<Condition>) -> Result<RuleId, RuleError> {
        let (holder, decisions) = (RuleHolder::Task(self.task.clone()), Vec::new());
        let new = NewRule { holder, tool: tool.into(), condition, decisions };
        now(self.changes.add_rule(&maker(), new))
    }

    pub fn audited(&self) -> Vec<String> {
        let sql = "SELECT actor, action FROM audit_log ORDER BY seq, n";
        let decode = |row: &dormouse_store::Row| {
            let text = |n| row.text(n).expect("text").to_owned();
            Ok(format!("{} {}", text(0), text(1)))
        };
        now(self.store.all(Query { db: Db::Agent, sql, params: Vec::new(), decode })).expect("rows")
    }

    /// Proposes one thing as a program does that has a token, and returns the items of its set.
    pub fn propose_as_client(&self, request: &str, tool: &str, args: Value) -> Vec<Item> {
        let (task, items) = (self.state(), self.items());
        let call = ToolCall { id: "call".into(), name: tool.into(), args };
        let context = ProposalContext {
            task: &task,
            items: &items,
            proposed: &[],
            in_set: &[],
            named: &[],
            made_before: 0,
            used: &[],
            basis: Basis::Model,
        };
        let tool = tools::by_name(tool).expect("a known tool");
        let judged = validate::validate_call(tool, &call, &context).into_iter();
        let proposed: Vec<Proposed> = judged
            .map(|one| match one {
                CallOutcome::Queued(one) => *one,
                other => panic!("not accepted: {other:?}"),
            })
            .collect();
        let token: TokenId = format!("tok-{}", "0".repeat(26)).parse().expect("an id");
        let source = Source::Client { token: &token, request };
        let by = Proposer { ws: WS, holder: &self.agent.clone().into(), task: &self.task, source };
        let ops = now(self.changes.turn_ops(by, &proposed, &[])).expect("the ops");
        let commit = Commit::new("test.client", Db::Agent, WS).ops(ops.ops);
        now(self.store.commit(commit)).expect("stored");
        let set = self.items().pop().expect("an item").set;
        now(self.store.all(change_item::of_set(WS, &set))).expect("items")
    }

    /// What an immediate tool makes of a call.
    pub fn run(&self, name: &str, args: &Value) -> Result<Effect, Refused> {
        let (task, items) = (self.state(), self.items());
        let Some(Policy::Immediate(tool)) = tools::by_name(name).map(|tool| tool.policy) else {
            panic!("{name} is not immediate")
        };
        tool.run(args, &CallContext { task: &task, agent: &self.agent, items: &items })
    }

    /// Proposes one thing that must be accepted, and returns the item.
    pub fn open(&self, tool: &str, args: Value) -> Item {
        let before = self.items().len();
        let replies = self.propose(&[(tool, args)]);
        let items = self.items();
        assert_eq!(items.len(), before + 1, "{replies:?}");
        items.into_iter().next_back().expect("the new item")
    }

    pub fn due(&self, day: &str) -> Item {
        self.open("update_task_due_date", json!({ "dueDate": day }))
    }

    /// Damages an item directly in the database.
    pub fn damage(&self, item: &Item) {
        let sql = "UPDATE change_items SET field_change = '{', args = '{', before = '{'
                   WHERE ws = ?1 AND set_id = ?2 AND item_index = ?3";
        let op = Op::any(sql, params![WS.0, item.set.as_str(), item.index]);
        now(self.store.commit(Commit::new("test.damage", Db::Agent, WS).op(op))).expect("damaged");
    }

    /// All items about the task, oldest set first.
    pub fn items(&self) -> Vec<Item> {
        now(self.store.all(change_item::of_task(WS, &self.task))).expect("items")
    }

    /// The same item in its present state.
    pub fn fresh(&self, item: &Item) -> Item {
        let query = change_item::by_index(WS, &item.set, item.index);
        now(self.store.first(query)).expect("readable").expect("the item")
    }

    pub fn sets(&self) -> Vec<ChangeSet> {
        let query = entity::of_task::<ChangeSet>(WS, &self.task);
        now(self.store.all(query)).expect("sets").into_iter().map(|set| set.doc.value).collect()
    }

    pub fn set_of(&self, item: &Item) -> ChangeSet {
        self.sets().into_iter().find(|set| set.id == item.set).expect("the set")
    }

    pub fn status_of(&self, item: &Item) -> SetStatus {
        self.set_of(item).status
    }

    /// Decisions, newest first.
    pub fn decisions(&self) -> Vec<Decision> {
        let query = entity::of_task::<Decision>(WS, &self.task);
        now(self.store.all(query)).expect("decisions").into_iter().map(|d| d.doc.value).collect()
    }

    /// The item of an answer, which must be what is stored: nothing was read to learn it.
    pub fn settled(&self, result: Result<Settled, DecideError>) -> Result<Item, DecideError> {
        let settled = result?;
        let items = now(self.store.all(change_item::of_set(WS, &settled.item.set))).expect("items");
        assert_eq!(settled.items, items);
        assert!(items.contains(&settled.item));
        assert_eq!(settled.set.doc.value, self.set_of(&settled.item));
        if let Some(view) = &settled.task {
            let known = state(view, &TimeZone::UTC);
            assert_eq!((view.revision, known), (self.view().revision, self.state()));
        }
        Ok(settled.item)
    }

    pub fn confirm(&self, item: &Item) -> Result<Item, DecideError> {
        self.later(1);
        let digest = Some(&item.fingerprint);
        self.settled(now(self.changes.confirm(&who(), &item.set, item.index, digest)))
    }

    /// Confirms over a value that the person has set since.
    pub fn confirm_over(&self, item: &Item, now: Option<&str>) -> Result<Item, DecideError> {
        self.later(1);
        let (digest, now_is) = (Some(&item.fingerprint), now.map(ToOwned::to_owned));
        let over = KnownValue::Now(now_is);
        self.settled(self::now(self.changes.confirm_over(
            &who(),
            &item.set,
            item.index,
            digest,
            &over,
        )))
    }

    pub fn reject(&self, item: &Item, reason: Option<&str>) -> Result<Item, DecideError> {
        self.later(1);
        let digest: Option<&Fingerprint> = Some(&item.fingerprint);
        self.settled(now(self.changes.reject(&who(), &item.set, item.index, digest, reason)))
    }

    pub fn defer(&self, item: &Item) -> Result<Item, DecideError> {
        self.later(1);
        self.settled(now(self.changes.defer(
            &who(),
            &item.set,
            item.index,
            Some(&item.fingerprint),
        )))
    }

    pub fn undo(&self, item: &Item) -> Result<Item, DecideError> {
        self.later(1);
        self.settled(now(self.changes.undo(&who(), &item.set, item.index, Some(&item.fingerprint))))
    }

    /// What the next prompt says about decisions and open proposals.
    pub fn ledger(&self) -> String {
        let task = self.state();
        ledger::text(&ledger::of(&task, &self.items(), &self.decisions()), &task)
    }

    /// Every row of a database that holds data of the person or of an agent, as text.
    pub fn rows(&self, db: Db) -> Vec<String> {
        let tables: &[&'static str] = match db {
            Db::Journal => &[
                "SELECT * FROM journal ORDER BY id",
                "SELECT * FROM field_says ORDER BY 1, 2, 3",
                "SELECT * FROM imported ORDER BY 1, 2, 3",
                "SELECT * FROM change_log ORDER BY seq",
                "SELECT * FROM applied_operations ORDER BY id",
                "SELECT * FROM audit_log ORDER BY 1, 2",
            ],
            Db::Agent => &[
                "SELECT * FROM agent_entities ORDER BY id",
                "SELECT * FROM agent_links ORDER BY id",
                "SELECT * FROM change_items ORDER BY set_id, item_index",
                "SELECT * FROM saga_log ORDER BY operation_id",
            ],
        };
        let read = |sql: &&'static str| {
            let decode = |row: &dormouse_store::Row| Ok(format!("{:?}", row.0));
            now(self.store.all(Query { db, sql, params: Vec::new(), decode })).expect("rows")
        };
        tables.iter().flat_map(read).collect()
    }
}
