//! Removing a line that is folded, or is to be folded: no summary is made of it again, and none that was
//! made of it stays. A line that is being folded is in `folding.rs`.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dormouse_journal::Edit;
use dormouse_runs::{End, Models};
use dormouse_store::agent::agent_entity::Automation;
use dormouse_store::agent::checkpoint::{self, CheckpointText};
use dormouse_store::agent::log_line::Line;
use dormouse_store::agent::source::Source;
use dormouse_testkit::scripted::{Answer, Script};
use dormouse_types::model::{FragmentKind, ModelError, Request, TurnEvent};
use dormouse_types::port::{BoxStream, Model, ModelClass, ModelLocation};
use dormouse_types::{AgentId, TaskId, Timestamp};
use serde_json::json;

use super::forgetting::{SECRET, line_with, lines, places, prompt, remove};
use crate::world::small::WINDOW;
use crate::world::{Agents, DONE, WS, World, now, report, routine_report, text};

/// The person's own model, with a window that is small once it has read everything.
struct Small(Script, AtomicU64);

impl Model for Small {
    fn name(&self) -> &str {
        "home/small"
    }
    fn class(&self) -> ModelClass {
        ModelClass::Free
    }
    fn location(&self) -> ModelLocation {
        ModelLocation::OwnServer
    }
    fn window(&self) -> Option<u64> {
        Some(self.1.load(Ordering::Relaxed))
    }
    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        self.0.ask(request)
    }
}

/// An agent that has read more than its window holds, and folds it in its next wake.
struct Case {
    world: World,
    agent: AgentId,
    agents: Agents,
    model: Arc<Small>,
}

impl Case {
    /// `first` is the note that is read first.
    fn reading(first: &str) -> Self {
        let (case, task) = Self::of_an_agent();
        case.write(&task, first);
        assert_eq!(case.wake(vec![routine_report()]), DONE);
        case.model.1.store(WINDOW, Ordering::Relaxed);
        case
    }

    /// The agent made these notes of its own before it read anything of that.
    fn noting(notes: &[&str]) -> Self {
        let (case, task) = Self::of_an_agent();
        let noted = ("record_observations", json!({ "observations": notes }));
        let turn = Answer::calls([noted, report("All quiet.", "Nothing yet.")]);
        assert_eq!(case.wake(vec![turn]), DONE);
        case.write(&task, "We move in May.");
        assert_eq!(case.wake(vec![routine_report()]), DONE);
        case.model.1.store(WINDOW, Ordering::Relaxed);
        case
    }

    fn of_an_agent() -> (Self, TaskId) {
        let (world, task, agent) = World::settled();
        world.set_automation(&agent, Automation::Off);
        let model = Arc::new(Small(Script::default(), AtomicU64::new(200_000)));
        let agents = world.choosing(Models::new(model.clone()));
        (Self { world, agent, agents, model }, task)
    }

    fn write(&self, task: &TaskId, first: &str) {
        self.world.edit_task(task, &[Edit::note(first)]);
        for n in 0..25 {
            let words = format!("Note {n}. {}", "The hall is full of boxes. ".repeat(15));
            self.world.edit_task(task, &[Edit::note(words)]);
        }
    }

    fn wake(&self, answers: Vec<Answer>) -> End {
        answers.into_iter().for_each(|answer| self.model.0.push(answer));
        self.world.later(60);
        self.world.wake_now(&self.agent, None);
        now(self.agents.route_feed(WS)).expect("routed");
        self.run()
    }

    /// Runs the wake that is due.
    fn run(&self) -> End {
        let scheduler = self.agents.scheduler();
        let lease = now(scheduler.claim(WS, &self.world.row(&self.agent))).expect("a claim");
        now(scheduler.run_alive(lease.expect("a lease"))).expect("it ran").end
    }

    fn checkpoints(&self) -> Vec<CheckpointText> {
        let all = checkpoint::of_holder(WS, &(&self.agent).into(), 99);
        now(self.world.store.all(all)).expect("readable")
    }

    /// What the last `n` requests said.
    fn last_prompts(&self, n: usize) -> Vec<Request> {
        let mut all = self.model.0.requests();
        all.split_off(all.len() - n)
    }
}

fn folded(text: &str) -> Answer {
    Answer::calls([("keep_summary", json!({ "summary": text }))])
}

/// The lines that a request folds: those of its log.
fn folds(request: &Request) -> String {
    assert_eq!(request.turn, 0, "it folds");
    text(request, FragmentKind::Log).expect("lines")
}

const CLEAN: &str =
    "Boxes fill the hall; nobody has counted them, and they are not labelled either.";

#[test]
fn a_summary_that_folds_the_line_is_removed_and_made_again_without_it() {
    let case = Case::reading(&format!("{SECRET}."));
    let (world, agent) = (&case.world, &case.agent);
    let leaky = "Four digits open the safe, and they begin with forty-seven; boxes fill the hall.";
    assert_eq!(case.wake(vec![folded(leaky), folded(leaky), routine_report()]), DONE);
    assert_eq!(case.checkpoints().len(), 2);
    assert!(!places(world, "forty-seven").is_empty());

    let line = line_with(world, agent, "4711");
    let removal = remove(world, agent, &line, true);
    assert_eq!(removal.summaries, 2, "they say it in other words");
    assert_eq!(places(world, "forty-seven"), Vec::<String>::new());
    assert_eq!(places(world, "4711"), Vec::<String>::new());
    assert!(case.checkpoints().iter().all(|one| one.checkpoint.removed_at.is_some()));

    assert_eq!(case.wake(vec![folded(CLEAN), folded(CLEAN), routine_report()]), DONE);
    let requests = case.last_prompts(3);
    for words in ["4711", "forty-seven", "[removed]", "[purged]"] {
        let say = |request: &&Request| prompt(request).contains(words);
        assert_eq!(requests.iter().filter(say).count(), 0, "{words}");
    }
    assert!(folds(&requests[0]).contains("full of boxes"), "the other lines are folded again");
    let used = now(case.agents.checkpoint_in_use(WS, agent, Timestamp::MAX)).expect("readable");
    let used = used.expect("a new one");
    assert_eq!(used.text.as_deref(), Some(CLEAN));
    assert_eq!(used.checkpoint.from, 1, "from the first line of the log again");
    let made_of =
        |line: &Line| line.sources.iter().any(|source| matches!(source, Source::Entry(_)));
    assert!(lines(world, agent).iter().filter(|line| made_of(line)).count() > 20, "rows stay");
}

/// Its words are too short to be looked for anywhere else, so nothing but the mark on its line keeps it
/// from being folded.
#[test]
fn a_line_that_was_removed_is_not_folded_afterwards_however_short_it_is() {
    let case = Case::reading("Zo-47x");
    let line = line_with(&case.world, &case.agent, "Zo-47x");
    assert!(remove(&case.world, &case.agent, &line, false).is_too_short);
    assert_eq!(case.wake(vec![folded(CLEAN), folded(CLEAN), routine_report()]), DONE);
    let requests = case.last_prompts(3);
    assert!(folds(&requests[0]).contains("full of boxes"), "the other lines are folded");
    for words in ["Zo-47x", "[removed]", "[purged]"] {
        let say = |request: &&Request| prompt(request).contains(words);
        assert_eq!(requests.iter().filter(say).count(), 0, "{words}");
    }
}

/// A note is made of its run, and other notes of that run are folded: only the mark on the line keeps it
/// out of requests to a model, and out of what the rules make when the model gives nothing.
#[test]
fn a_note_that_was_removed_is_neither_folded_nor_in_a_summary_made_by_the_rules() {
    let case = Case::noting(&["Zo-47x", "Bo is away."]);
    let line = line_with(&case.world, &case.agent, "Zo-47x");
    assert!(remove(&case.world, &case.agent, &line, false).is_too_short);
    // The rules write more than the model.
    case.model.1.store(WINDOW + 500, Ordering::Relaxed);
    let before = case.model.0.requests().len();
    let unusable = (0..3).map(|_| folded(""));
    let answers = unusable.chain([folded(CLEAN), routine_report()]);
    assert_eq!(case.wake(answers.collect()), DONE);
    let checkpoints = case.checkpoints();
    let first = checkpoints.last().expect("it folded");
    assert_eq!(first.checkpoint.model, "rules");
    let requests = folds(&case.model.0.requests()[before]);
    for text in [&requests, first.text.as_deref().expect("its text")] {
        assert!(text.contains("Bo is away."), "{text}");
        for words in ["Zo-47x", "[removed]", "[purged]"] {
            assert!(!text.contains(words), "{words} is in {text}");
        }
    }
}
