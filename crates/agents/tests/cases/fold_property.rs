//! Whatever is written, by whomever it is folded and however often: no event is lost, and a summary
//! goes nowhere that one of its lines may not go.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use dormouse_journal::Edit;
use dormouse_runs::{End, Models};
use dormouse_store::agent::agent_entity::Agent;
use dormouse_store::agent::checkpoint::{self, CheckpointText};
use dormouse_store::agent::entity;
use dormouse_store::agent::log_line::{self, Line};
use dormouse_store::agent::source::Source;
use dormouse_store::{Commit, Db};
use dormouse_types::closed_list::Listed;
use dormouse_types::memory::Audience;
use dormouse_types::model::{ModelError, Request, ToolCall, TurnEvent};
use dormouse_types::port::{BoxStream, Model, ModelClass, ModelLocation};
use dormouse_types::task::Flag;
use dormouse_types::{AgentId, EntryId, Id as _, TaskId};
use futures_util::stream;
use serde_json::json;

use crate::world::Agents;
use crate::world::draw::Draw;
use crate::world::{WS, World, now};

const SEEDS: u64 = 8;
const WAKES: usize = 12;

/// Folds by naming every mark that it reads, or gives no summary now and then.
struct Echo {
    name: &'static str,
    location: ModelLocation,
    draw: Mutex<Draw>,
    requests: Mutex<Vec<Request>>,
}

/// The marks of notes in a text.
fn marks(text: &str) -> BTreeSet<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    words.filter(|word| word.starts_with("mark") && word.len() > 4).collect()
}

fn whole(request: &Request) -> String {
    let texts: Vec<&str> = request.fragments.iter().map(|it| it.text.as_str()).collect();
    texts.join("\n")
}

impl Model for Echo {
    fn name(&self) -> &str {
        self.name
    }

    fn class(&self) -> ModelClass {
        ModelClass::Free
    }

    fn location(&self) -> ModelLocation {
        self.location
    }

    fn window(&self) -> Option<u64> {
        Some(7_000)
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        self.requests.lock().expect("one thread").push(request.clone());
        let mut draw = self.draw.lock().expect("one thread");
        let all = whole(request);
        let seen = marks(&all).into_iter().collect::<Vec<_>>().join(" ");
        let calls = if request.turn == 0 {
            let summary = if draw.below(4) == 0 { String::new() } else { format!("Known: {seen}") };
            vec![("keep_summary", json!({ "summary": summary }))]
        } else {
            let last = marks(&all).into_iter().next_back().unwrap_or("nothing").to_owned();
            let notes = json!({ "observations": [format!("it says {last}")] });
            let report = json!({ "tldr": "All is well.", "content": "- [ ] all of it" });
            let noted = (draw.below(3) == 0).then_some(("record_observations", notes));
            noted.into_iter().chain([("update_report", report)]).collect()
        };
        let calls = calls.into_iter().enumerate().map(|(n, (name, args))| {
            Ok(TurnEvent::Call(ToolCall { id: format!("call-{n}"), name: name.into(), args }))
        });
        let events: Vec<_> = calls.chain([Ok(TurnEvent::End { ended: true })]).collect();
        Box::pin(stream::iter(events))
    }
}

struct Case {
    world: World,
    task: TaskId,
    agent: AgentId,
    agents: Agents,
    models: [Arc<Echo>; 2],
    draw: Draw,
    /// The notes by their marks, with whether they are private now.
    notes: Vec<(String, EntryId, bool)>,
}

impl Case {
    fn new(seed: u64) -> Self {
        let world = World::new();
        let task = world.task("Move", &["We move in May."]);
        let agent = world.try_create(&task, true).expect("an agent");
        let places =
            [("home/echo", ModelLocation::OwnServer), ("acme/echo", ModelLocation::Elsewhere)];
        let models = places.map(|(name, location)| {
            let (draw, requests) = (Mutex::new(Draw(seed)), Mutex::default());
            Arc::new(Echo { name, location, draw, requests })
        });
        let known =
            models.iter().cloned().fold(Models::new(world.model.clone()), |all, it| all.with(it));
        let agents = world.choosing(known);
        Self { world, task, agent, agents, models, draw: Draw(seed), notes: Vec::new() }
    }

    fn write(&mut self) {
        for _ in 0..self.draw.below(6) {
            let mark = format!("mark{:04}", self.notes.len());
            let words = "The hall is full of boxes. ".repeat(1 + self.draw.below(16));
            self.world.edit_task(&self.task, &[Edit::note(format!("{mark}. {words}"))]);
            let entry =
                self.world.task_state(&self.task).entries.last().expect("an entry").id.clone();
            let is_private = self.draw.below(5) == 0;
            self.notes.push((mark, entry.clone(), false));
            if is_private {
                self.make_private(self.notes.len() - 1);
            }
        }
        // An older note becomes private, which may be folded by now.
        if !self.notes.is_empty() && self.draw.below(4) == 0 {
            let at = self.draw.below(self.notes.len());
            self.make_private(at);
        }
    }

    fn make_private(&mut self, at: usize) {
        let (_, entry, is_private) = &mut self.notes[at];
        if !std::mem::replace(is_private, true) {
            let (entry, flag) = (entry.clone(), Flag::Private);
            self.world.edit_task(&self.task, &[Edit::FlagEntry { entry, flag, is_set: true }]);
        }
    }

    /// Wakes the agent with a model; returns its requests.
    fn wake(&self, model: &Echo) -> Vec<Request> {
        let row = entity::by_id::<Agent>(WS, self.agent.as_str());
        let mut row = now(self.world.store.first(row)).expect("readable").expect("an agent");
        row.doc.value.config.model = Some(model.name.to_owned());
        let commit = Commit::new("test", Db::Agent, WS).op(entity::replace(WS, &row));
        now(self.world.store.commit(commit)).expect("committed");
        self.world.later(60);
        self.world.wake_now(&self.agent, None);
        now(self.agents.route_feed(WS)).expect("routed");
        let scheduler = self.agents.scheduler();
        let lease = now(scheduler.claim(WS, &self.world.row(&self.agent))).expect("a claim");
        let end = now(scheduler.run_alive(lease.expect("a lease"))).expect("it ran").end;
        assert!(matches!(end, End::Completed { .. }), "{end:?}");
        std::mem::take(&mut *model.requests.lock().expect("one thread"))
    }

    fn lines(&self) -> Vec<Line> {
        let lines = log_line::of_holder(WS, &self.agent, 1, i64::MAX);
        now(self.world.store.all(lines)).expect("readable")
    }

    fn checkpoints(&self) -> Vec<CheckpointText> {
        let holder = (&self.agent).into();
        now(self.world.store.all(checkpoint::of_holder(WS, &holder, 999))).expect("readable")
    }

    /// Each request shows what may be seen, in the log, in the task or in a summary, and nothing else.
    fn check_requests(&self, location: ModelLocation, requests: &[Request]) {
        for request in requests {
            let all = whole(request);
            let seen = marks(&all);
            for (mark, _, is_private) in &self.notes {
                let is_hidden = *is_private && location == ModelLocation::Elsewhere;
                let is_seen = seen.contains(mark.as_str());
                assert!(!(is_hidden && is_seen), "{mark} is private: {all}");
                // A turn shows all that it may; what folds shows only its piece.
                let is_whole = request.turn == 1;
                assert!(is_seen || is_hidden || !is_whole, "{mark} is lost: {all}");
            }
        }
    }

    /// Each checkpoint leads to its lines, and carries what they were made of.
    fn check_checkpoints(&self) {
        let lines = self.lines();
        let numbers: Vec<i64> = lines.iter().map(|line| line.n).collect();
        let expected: Vec<i64> = (1..).take(lines.len()).collect();
        assert_eq!(numbers, expected, "a log has no gap");
        for CheckpointText { checkpoint, text } in self.checkpoints() {
            assert!(text.is_some_and(|text| !text.is_empty()), "{checkpoint:?}");
            let upto = usize::try_from(checkpoint.upto).expect("a count");
            assert!(checkpoint.from == 1 && upto <= lines.len(), "{checkpoint:?}");
            let folded = &lines[..upto];
            assert!(folded.iter().all(|line| line.text.is_some()), "the rows stay");
            let has = |source: &Source| checkpoint.sources.contains(source);
            if checkpoint.audience == Listed::Known(Audience::Everything) {
                let lost: Vec<_> =
                    folded.iter().flat_map(|line| &line.sources).filter(|it| !has(it)).collect();
                assert!(lost.is_empty(), "{checkpoint:?} is not said to be made of {lost:?}");
            }
            let is_outside = |source: &Source| !matches!(source, Source::Task(_));
            assert_eq!(checkpoint.tainted, checkpoint.sources.iter().any(is_outside));
        }
    }
}

#[test]
fn folding_any_history_loses_no_event_and_carries_what_it_was_made_of() {
    let (mut folded, mut hidden) = (0, 0);
    for seed in 1..=SEEDS {
        let mut case = Case::new(seed);
        for _ in 0..WAKES {
            case.write();
            let model = case.models[case.draw.below(2)].clone();
            let requests = case.wake(&model);
            case.check_requests(model.location, &requests);
            case.check_checkpoints();
        }
        folded += case.checkpoints().len();
        hidden += case.notes.iter().filter(|(_, _, is_private)| *is_private).count();
    }
    assert!(folded > 20 && hidden > 10, "{folded} checkpoints, {hidden} private notes");
}
