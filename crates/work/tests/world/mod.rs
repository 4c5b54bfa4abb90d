//! Agent work on a store, with a scripted model and a clock that is moved by hand.

mod announced;
pub mod built_in;

use std::ops::Deref;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use dormouse_formats::when::{DayOrder, ENGLISH, Reader, Weekday};
use dormouse_runs::RunError;
use dormouse_scheduler::{Chore, End, Event, Handler, Scheduler, Until};
use dormouse_store::agent::work::run::Run;
use dormouse_store::{Db, Row};
use dormouse_testkit::ManualClock;
use dormouse_testkit::scripted::{Answer, Script};
use dormouse_types::built_in_work::BuiltInWork;
use dormouse_types::model::{Directives, FragmentKind, ModelError, Request, TurnEvent};
use dormouse_types::port::{BoxFuture, BoxStream, Clock as _, Model, ModelClass, ModelLocation};
use dormouse_types::work::{CatchUp, Overlap, WorkCreator, WorkSource};
use dormouse_types::work_kind::{Agenda, WorkParameters};
use dormouse_types::{Actor, TemplateId, Timestamp, WorkId, WorkspaceId};
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
use dormouse_world::{Builder, Rooms, rows};
use jiff::tz::TimeZone;

pub use dormouse_world::{WS, wait};

use announced::Announced;
use built_in::{FixedRules, NotedFacts};
use serde_json::json;

/// When a test begins.
const START: &str = "2026-03-02T07:00:00Z";

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
        Box::pin(std::future::ready(Ok(System { text, directives, version: None })))
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
    rooms: Rooms,
    model: Arc<Located>,
    pub work: Work,
    pub rules: Arc<FixedRules>,
    pub facts: Arc<NotedFacts>,
}

impl Deref for World {
    type Target = Rooms;

    fn deref(&self) -> &Rooms {
        &self.rooms
    }
}

impl World {
    pub fn new() -> Self {
        Self::of(Rooms::at(START).seed(2).zone("Europe/Berlin"))
    }

    pub fn on_postgres() -> Self {
        Self::of(Rooms::at(START).seed(2).zone("Europe/Berlin").on_postgres())
    }

    fn of(mut builder: Builder) -> Self {
        let announced = Announced::new(builder.hooks(), builder.engine());
        let model = Arc::new(Located {
            script: builder.script(),
            is_own: AtomicBool::new(false),
            is_elsewhere: AtomicBool::new(false),
        });
        let rooms = builder.faults(Arc::new(announced)).model(model.clone()).build();
        let (rules, facts) = (Arc::new(FixedRules::default()), Arc::new(NotedFacts::default()));
        let work = Work::new(Parts {
            store: rooms.store.clone(),
            driver: rooms.driver.clone(),
            clock: rooms.as_clock(),
            entropy: rooms.entropy.clone(),
            zone: rooms.zone.clone(),
            facts: facts.clone(),
            templates: Arc::new(FixedTemplates),
            journal: rooms.journal.clone(),
            changes: rooms.changes.clone(),
        });
        work.set_rules(rules.clone());
        rooms.changes.set_delegate(Arc::new(Delegated(work.clone())));
        Self { rooms, model, work, rules, facts }
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

    /// Another node on the same store, with the same clock; its model has a script of its own.
    pub fn another_node(&self) -> Self {
        Self::of(self.beside().seed(77).zone("Europe/Berlin"))
    }

    /// The program as it starts on the same store with the person's clock in another zone.
    pub fn in_zone(&self, zone: &str) -> Self {
        Self::of(self.beside().seed(99).zone(zone))
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
            clock: self.as_clock(),
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
        rows::raw(&self.store, Db::Agent, sql)
    }
}

pub fn text_of(request: &Request, kind: FragmentKind) -> String {
    let texts = request.fragments.iter().filter(|it| it.kind == kind).map(|it| it.text.as_str());
    texts.collect::<Vec<_>>().join("\n")
}
