//! A task with proposals, on an in-memory store.

use std::cell::Cell;
use std::ops::Deref;

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
use dormouse_journal::{Edit, JournalError, NewTask, TaskView, state};
use dormouse_store::agent::change_item::{self, Item};
use dormouse_store::agent::change_set::{ChangeSet, Decision, SetStatus};
use dormouse_store::agent::entity;
use dormouse_store::agent::rule::{self, Rule};
use dormouse_store::backend::sqlite::Snapshot;
use dormouse_store::{Commit, Db, Row, params};
use dormouse_types::model::{TaskState, ToolCall};
use dormouse_types::port::Clock as _;
use dormouse_types::rule::{Condition, RuleEffect, RuleHolder};
use dormouse_types::{
    Actor, AgentId, EntryId, Fingerprint, Id as _, ItemId, LabelId, RuleId, RunKey, TaskId,
    TemplateVersionId, ThreadId, Timestamp, TokenId, hash,
};
use dormouse_world::{Rooms, as_agent, rows};
use jiff::tz::TimeZone;
use serde_json::{Value, json};

pub use dormouse_testkit::now;
pub use dormouse_world::{WS, person};

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

/// What the model reads about a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub refused: bool,
    pub text: String,
}

pub struct World {
    rooms: Rooms,
    pub agent: AgentId,
    pub task: TaskId,
    runs: Cell<u32>,
    /// Whether the model was shown something private before its next turn.
    pub is_of_private: Cell<bool>,
}

impl Deref for World {
    type Target = Rooms;

    fn deref(&self) -> &Rooms {
        &self.rooms
    }
}

impl World {
    /// A task with an item; so far only the agent has written to it.
    pub fn new() -> Self {
        let rooms = Rooms::at("2026-03-02T09:00:00Z").build();
        let agent = AgentId::fresh(Timestamp::from_micros(0), &*rooms.entropy);
        let task = TaskId::fresh(Timestamp::from_micros(0), &*rooms.entropy);
        let mut world = Self::of(rooms, agent, task);
        let new = NewTask {
            title: "Move to the new flat".into(),
            edits: vec![Edit::AddItem {
                title: "Sign the contract".into(),
                is_checked: false,
                depth: 0,
            }],
        };
        let created = now(world.journal.create(WS, &new, &as_agent(&world.agent)));
        world.task = created.expect("a task").task;
        world
    }

    fn of(rooms: Rooms, agent: AgentId, task: TaskId) -> Self {
        Self { rooms, agent, task, runs: Cell::new(0), is_of_private: Cell::new(false) }
    }

    /// This world after a start with one of its databases as of a snapshot.
    pub fn with_older(&self, db: Db, earlier: &Snapshot) -> Self {
        let snapshot = self.snapshot().with(db, earlier);
        let rooms = self.rooms.restored(&snapshot, 7).build();
        Self::of(rooms, self.agent.clone(), self.task.clone())
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
        self.create_task("Another one", Vec::new())
    }

    /// Proposes a due date for another task.
    pub fn due_of(&self, task: &TaskId, day: &str) -> Item {
        let state = self.task_state(task);
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
        self.commit(Commit::new("test.turn", Db::Agent, WS).ops(ops.ops));
        self.items_of(task).into_iter().next().expect("the item")
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
        let ctx = as_agent(&self.agent);
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
        self.task_view(&self.task)
    }

    pub fn state(&self) -> TaskState {
        self.task_state(&self.task)
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
        self.commit(commit);
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
        self.commit(commit);
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
        let text = |row: &Row, n| row.text(n).expect("text").to_owned();
        let rows = rows::raw(&self.store, Db::Agent, sql);
        rows.iter().map(|row| format!("{} {}", text(row, 0), text(row, 1))).collect()
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
        self.commit(commit);
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
    pub fn damage_item(&self, item: &Item) {
        let sql = "UPDATE change_items SET field_change = '{', args = '{', before = '{'
                   WHERE ws = ?1 AND set_id = ?2 AND item_index = ?3";
        self.write_directly(Db::Agent, sql, params![WS.0, item.set.as_str(), item.index]);
    }

    /// All items about the task, oldest set first.
    pub fn items(&self) -> Vec<Item> {
        self.items_of(&self.task)
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
        self.rows_of(db, tables)
    }
}
