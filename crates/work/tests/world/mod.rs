//! Agent work on a store, with a scripted model and a clock that is moved by hand.

mod announced;
pub mod built_in;

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::Thread;
use std::time::Duration;

use dormouse_changes::Changes;
use dormouse_formats::when::{DayOrder, ENGLISH, Reader, Weekday};
use dormouse_journal::{Edit, EditCtx, Journal, NewTask};
use dormouse_runs::{Driver, Models, RunError};
use dormouse_scheduler::{Chore, End, Event, Handler, Scheduler, Until};
use dormouse_store::agent::change_item::{self, Item};
use dormouse_store::agent::work::run::Run;
use dormouse_store::backend::postgres::{Options, Postgres, Time};
use dormouse_store::backend::sqlite::Sqlite;
use dormouse_store::{Backend, Db, Query, Row, Store};
use dormouse_testkit::hooks::Hooks;
use dormouse_testkit::postgres::Server;
use dormouse_testkit::scripted::{Answer, Script};
use dormouse_testkit::{CountingEntropy, ManualClock};
use dormouse_types::built_in_work::BuiltInWork;
use dormouse_types::model::{Directives, FragmentKind, ModelError, Request, TurnEvent};
use dormouse_types::port::{BoxFuture, BoxStream, Clock, Model, ModelClass, ModelLocation};
use dormouse_types::work::{CatchUp, Overlap, WorkCreator, WorkSource};
use dormouse_types::work_kind::{Agenda, WorkParameters};
use dormouse_types::{
    Actor, Origin, TaskId, TemplateId, Timestamp, WorkId, WorkspaceId, WorkspaceZone,
};
use dormouse_work::definition::{NewWork, ReadSchedule};
use dormouse_work::delegated::{Delegated, Results};
use dormouse_work::events::Events;
use dormouse_work::handler::WorkRuns;
use dormouse_work::hook::bodies::Bodies;
use dormouse_work::question::Expiry;
use dormouse_work::read_deliveries::ReadDeliveries;
use dormouse_work::schedule::Schedules;
use dormouse_work::templates::System;
use dormouse_work::unsent_questions::UnsentQuestions;
use dormouse_work::{Parts, RequestContext, Templates, Work};
use jiff::tz::TimeZone;

use announced::Announced;
use built_in::{FixedRules, NotedFacts};
use serde_json::json;

pub const WS: WorkspaceId = WorkspaceId(1);

/// Makes one test per engine from each case.
macro_rules! each_engine {
    ($($story:ident),* $(,)?) => {
        mod sqlite {
            $(#[test] fn $story() { super::$story(&$crate::world::World::new()); })*
        }
        mod postgres {
            $(#[test] fn $story() { super::$story(&$crate::world::World::on_postgres()); })*
        }
    };
}

/// Wakes a thread that waits for one future; others may wait on the same thread.
struct Alarm {
    thread: Thread,
    is_raised: AtomicBool,
}

impl Wake for Alarm {
    fn wake(self: Arc<Self>) {
        self.is_raised.store(true, Ordering::SeqCst);
        self.thread.unpark();
    }
}

/// Waits for a future on this thread, also within another that waits: a hook may do so.
pub fn wait<F: Future>(future: F) -> F::Output {
    let alarm =
        Arc::new(Alarm { thread: std::thread::current(), is_raised: AtomicBool::new(false) });
    let waker = Waker::from(alarm.clone());
    let mut future = std::pin::pin!(future);
    loop {
        if let Poll::Ready(output) = future.as_mut().poll(&mut Context::from_waker(&waker)) {
            return output;
        }
        while !alarm.is_raised.swap(false, Ordering::SeqCst) {
            std::thread::park();
        }
    }
}

/// The runtime for the connections of all tests; [`wait`] only waits.
fn connections() -> &'static tokio::runtime::Runtime {
    static RUNTIME: OnceLock<tokio::runtime::Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        builder.worker_threads(2).enable_all().build().expect("a runtime for connections")
    })
}

pub fn me() -> RequestContext {
    RequestContext {
        actor: Actor::Owner,
        key: None,
        may_decide: true,
        creator: WorkCreator::User,
        sent: String::new(),
    }
}

/// Ends a run.
pub fn finish(outcome: &str, summary: &str) -> Answer {
    Answer::calls([("finish", json!({ "outcome": outcome, "summary": summary }))])
}

/// Publishes a result and ends the run.
pub fn publish(title: &str, text: &str) -> Answer {
    Answer::calls([
        ("publish_result", json!({ "title": title, "text": text })),
        ("finish", json!({ "outcome": "done", "summary": format!("Published {title}.") })),
    ])
}

/// Asks the person.
pub fn ask(question: &str) -> Answer {
    Answer::calls([("ask", json!({ "question": question, "options": ["yes", "no"] }))])
}

pub fn says(text: &str) -> Answer {
    Answer::Turn { text: text.into(), calls: Vec::new(), ended: true }
}

/// Templates whose directives are their ids.
struct FixedTemplates;

impl Templates for FixedTemplates {
    fn system<'a>(
        &'a self,
        _: WorkspaceId,
        template: &'a TemplateId,
        rules: &'a str,
    ) -> BoxFuture<'a, Result<System, RunError>> {
        let directives = Directives { general: template.to_string(), report: String::new() };
        let text = format!("{rules}\n\n{template}");
        Box::pin(std::future::ready(Ok(System { text, directives })))
    }
}

/// The script, built in or on a server of the person's own.
pub struct Located {
    script: Arc<Script>,
    is_own: AtomicBool,
    is_elsewhere: AtomicBool,
}

impl Model for Located {
    fn name(&self) -> &str {
        self.script.name()
    }

    fn class(&self) -> ModelClass {
        self.script.class()
    }

    fn location(&self) -> ModelLocation {
        if self.is_elsewhere.load(Ordering::SeqCst) {
            return ModelLocation::Elsewhere;
        }
        match self.is_own.load(Ordering::SeqCst) {
            true => ModelLocation::OwnServer,
            false => ModelLocation::BuiltIn,
        }
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        self.script.ask(request)
    }
}

pub struct World {
    model: Arc<Located>,
    pub models: Models,
    pub store: Store,
    pub work: Work,
    pub clock: ManualClock,
    pub script: Arc<Script>,
    pub hooks: Arc<Hooks>,
    pub rules: Arc<FixedRules>,
    pub facts: Arc<NotedFacts>,
    pub journal: Journal,
    pub changes: Changes,
    engine: Arc<dyn Backend>,
    zone: WorkspaceZone,
}

impl World {
    pub fn new() -> Self {
        let clock = ManualClock::at("2026-03-02T07:00:00Z");
        let port: Arc<dyn Clock> = Arc::new(clock.clone());
        let sqlite = Sqlite::memory(&port, &CountingEntropy::seeded(1)).expect("a store in memory");
        Self::on(Arc::new(sqlite), clock, 2)
    }

    pub fn on_postgres() -> Self {
        let clock = ManualClock::at("2026-03-02T07:00:00Z");
        let port: Arc<dyn Clock> = Arc::new(clock.clone());
        let server = Server::shared();
        let options = Options {
            url: server.url(),
            prefix: server.prefix(),
            time: Time::Clock(port.clone()),
            clock: port,
        };
        let entropy = CountingEntropy::seeded(1);
        let engine = Postgres::connect(options, &entropy);
        let engine = connections().block_on(engine).expect("a server");
        Self::on(Arc::new(engine), clock, 2)
    }

    fn on(engine: Arc<dyn Backend>, clock: ManualClock, seed: u64) -> Self {
        Self::on_in(engine, clock, seed, "Europe/Berlin")
    }

    fn on_in(engine: Arc<dyn Backend>, clock: ManualClock, seed: u64, zone: &str) -> Self {
        let port: Arc<dyn Clock> = Arc::new(clock.clone());
        let entropy = Arc::new(CountingEntropy::seeded(seed));
        let hooks = Arc::new(Hooks::default());
        let faults = Arc::new(Announced::new(hooks.clone(), engine.clone()));
        let store = Store::new(engine.clone(), faults);
        let script = Arc::new(Script::default());
        let zone = WorkspaceZone::from(TimeZone::get(zone).expect("a zone"));
        let model = Arc::new(Located {
            script: script.clone(),
            is_own: AtomicBool::new(false),
            is_elsewhere: AtomicBool::new(false),
        });
        let models = Models::new(model.clone());
        let driver = Driver::new(store.clone(), port.clone(), entropy.clone(), models.clone());
        let (rules, facts) = (Arc::new(FixedRules::default()), Arc::new(NotedFacts::default()));
        let journal = Journal::new(store.clone(), port.clone(), entropy.clone());
        let changes = Changes::new(
            store.clone(),
            journal.clone(),
            port.clone(),
            entropy.clone(),
            zone.clone(),
        );
        let work = Work::new(Parts {
            store: store.clone(),
            driver,
            clock: port,
            entropy,
            zone: zone.clone(),
            facts: facts.clone(),
            templates: Arc::new(FixedTemplates),
            journal: journal.clone(),
            changes: changes.clone(),
        });
        work.set_rules(rules.clone());
        changes.set_delegate(Arc::new(Delegated(work.clone())));
        Self {
            model,
            models,
            store,
            work,
            clock,
            script,
            hooks,
            rules,
            facts,
            journal,
            changes,
            engine,
            zone,
        }
    }

    /// Makes the model one on a server of the person's own: it folds the log itself.
    pub fn ask_own_server(&self) {
        self.model.is_own.store(true, Ordering::SeqCst);
    }

    /// Makes the model one of somebody else.
    pub fn ask_elsewhere(&self) {
        self.model.is_elsewhere.store(true, Ordering::SeqCst);
    }

    /// Makes a model of another provider the one that work asks if it names none; `None` is the script.
    pub fn choose(&self, model: Option<&str>) {
        let known: [Arc<dyn Model>; 1] = [self.model.clone()];
        self.models.replace(known, model.unwrap_or(self.model.name()), None);
    }

    /// Makes a task of the person.
    #[track_caller]
    pub fn task(&self, title: &str, edits: Vec<Edit>) -> TaskId {
        let new = NewTask { title: title.into(), edits };
        let ctx = EditCtx::new(Origin::Person { via: None }, Actor::Owner);
        wait(self.journal.create(WS, &new, &ctx)).expect("it is created").task
    }

    #[track_caller]
    pub fn edit_task(&self, task: &TaskId, edit: Edit) {
        let ctx = EditCtx::new(Origin::Person { via: None }, Actor::Owner);
        wait(self.journal.edit(WS, task, &[edit], &ctx)).expect("it is edited");
    }

    /// What is proposed about a task, oldest first.
    pub fn items(&self, task: &TaskId) -> Vec<Item> {
        wait(self.store.all(change_item::of_task(WS, task))).expect("readable")
    }

    /// Another node on the same store, with the same clock; its model has a script of its own.
    pub fn another_node(&self) -> Self {
        Self::on(self.engine.clone(), self.clock.clone(), 77)
    }

    /// The program as it starts on the same store with the person's clock in another zone.
    pub fn in_zone(&self, zone: &str) -> Self {
        Self::on_in(self.engine.clone(), self.clock.clone(), 99, zone)
    }

    /// Sets the person's clock to another zone while the program runs. Returns how much is due at another
    /// time.
    pub fn travel(&self, zone: &str) -> usize {
        self.zone.set(&TimeZone::get(zone).expect("a zone"));
        wait(self.work.follow_zone(WS)).expect("it follows")
    }

    pub fn scheduler(&self, owner: &str) -> Scheduler {
        let handler: Arc<dyn Handler> = Arc::new(WorkRuns(self.work.clone()));
        let chores: Vec<Arc<dyn Chore>> = vec![
            Arc::new(Schedules(self.work.clone())),
            Arc::new(Events(self.work.clone())),
            Arc::new(Expiry(self.work.clone())),
            Arc::new(Results(self.work.clone())),
        ];
        Scheduler::new(dormouse_scheduler::Parts {
            store: self.store.clone(),
            clock: Arc::new(self.clock.clone()),
            owner: owner.into(),
            lease: dormouse_store::lease::term(),
            handlers: vec![handler],
            chores,
        })
    }

    /// Runs everything that is due, and checks what definitions say about their runs.
    #[track_caller]
    pub fn drain(&self) -> Vec<End> {
        let mut node = self.scheduler("node").node(Until::Idle { ws: WS, only: None });
        let mut ends = Vec::new();
        while let Some(event) = wait(node.next()) {
            match event {
                Event::Ran(ran) => ends.push(ran.end),
                Event::Recovered(line) | Event::Damaged(line) => panic!("{line}"),
                Event::Failed(failure) => panic!("{failure}"),
            }
        }
        assert_eq!(wait(self.work.check(WS)).expect("readable"), Vec::<String>::new());
        ends
    }

    /// What is only done from time to time.
    pub fn sweep(&self) {
        let now = self.clock.now();
        let work = || self.work.clone();
        let chores: [&dyn Chore; 4] =
            [&Expiry(work()), &Bodies(work()), &UnsentQuestions(work()), &ReadDeliveries(work())];
        for chore in chores {
            let done = wait(chore.work(None, now)).expect("it works");
            assert!(done.lines.is_empty(), "{:?}", done.lines);
        }
    }

    /// Turns what is due into runs, and starts none; returns what there is to say about it.
    pub fn plan(&self) -> Vec<Result<String, String>> {
        let now = self.clock.now();
        wait(Schedules(self.work.clone()).work(None, now)).expect("it plans").lines
    }

    /// Turns changes into runs, and starts none.
    pub fn listen(&self) {
        let now = self.clock.now();
        let done = wait(Events(self.work.clone()).work(None, now)).expect("it listens");
        assert!(done.lines.is_empty(), "{:?}", done.lines);
    }

    pub fn set(&self, at: &str) {
        self.clock.set(ManualClock::at(at).now());
    }

    pub fn later(&self, seconds: u64) {
        self.clock.advance(Duration::from_secs(seconds));
    }

    pub fn reader(&self) -> Reader {
        Reader {
            now: self.clock.now().to_jiff().to_zoned(self.zone.get()).datetime(),
            zone: self.zone.get(),
            order: DayOrder::DayFirst,
            language: ENGLISH,
            week_starts: Weekday::Monday,
        }
    }

    #[track_caller]
    pub fn schedule(&self, words: &str) -> ReadSchedule {
        self.work.read_schedule(words, &self.reader()).expect("a schedule")
    }

    pub fn new_work(&self, title: &str, words: Option<&str>) -> NewWork {
        NewWork {
            title: title.into(),
            instructions: format!("Do {title}."),
            built_in: None,
            schedule: words.map(|words| self.schedule(words)),
            events: Vec::new(),
            waits_for_calls: false,
            steps: Vec::new(),
            catch_up: CatchUp::Once,
            catch_up_hours: 24,
            overlap: Overlap::Queue,
            model: None,
            template: None,
            source: (WorkSource::Manual, None),
            by: WorkCreator::User,
        }
    }

    /// The same without a language model.
    pub fn new_built_in(&self, title: &str, words: Option<&str>) -> NewWork {
        let parameters = WorkParameters::Agenda(Agenda::default());
        let built_in = BuiltInWork {
            work_kind: parameters.kind(),
            parameters,
            language: "en".into(),
            sentence: "An agenda.".into(),
            not_understood: Vec::new(),
        };
        NewWork { built_in: Some(built_in), ..self.new_work(title, words) }
    }

    #[track_caller]
    pub fn create(&self, title: &str, words: Option<&str>) -> WorkId {
        wait(self.work.create(WS, &self.new_work(title, words), &me()))
            .expect("it is created")
            .definition
            .id
    }

    /// The runs of a definition, oldest first.
    pub fn runs(&self, id: &WorkId) -> Vec<Run> {
        let mut runs = wait(self.work.runs(WS, id, i64::MAX, 1000)).expect("readable");
        runs.reverse();
        runs
    }

    /// The runs of a definition as lines: when they were due, how they ended.
    pub fn said(&self, id: &WorkId) -> Vec<String> {
        let line = |run: Run| {
            let due = run.scheduled_for.map_or("requested".to_owned(), |at| self.local(at));
            let why = run.skip_reason.map(|why| format!(" {why}")).unwrap_or_default();
            format!("{due} {}{why}", run.state)
        };
        self.runs(id).into_iter().map(line).collect()
    }

    pub fn local(&self, at: Timestamp) -> String {
        let at = at.to_jiff().to_zoned(self.zone.get()).datetime();
        at.strftime("%m-%d %H:%M").to_string()
    }

    /// A definition as the public list shows it: status and state of the latest run.
    pub fn status(&self, id: &WorkId) -> String {
        let found = wait(self.work.definition(WS, id)).expect("it is there");
        let state = found.run_state.map_or("none", |state| state.name());
        format!("{}/{state}", found.status)
    }

    pub fn last_request(&self) -> Request {
        self.script.requests().pop().expect("a request")
    }

    /// The text of a fragment of the last request.
    pub fn prompt(&self, kind: FragmentKind) -> String {
        text_of(&self.last_request(), kind)
    }

    pub fn raw(&self, sql: &'static str) -> Vec<Row> {
        let query = Query { db: Db::Agent, sql, params: Vec::new(), decode: |row| Ok(row.clone()) };
        wait(self.store.all(query)).expect("readable")
    }
}

pub fn text_of(request: &Request, kind: FragmentKind) -> String {
    let texts = request.fragments.iter().filter(|it| it.kind == kind).map(|it| it.text.as_str());
    texts.collect::<Vec<_>>().join("\n")
}
