//! Folding of older log lines: when, what a model is asked, what is kept, and what stays readable.

use std::sync::{Arc, Mutex};

use dormouse_agents::Agents;
use dormouse_runs::{End, Models};
use dormouse_store::agent::checkpoint::{self, CheckpointText};
use dormouse_store::agent::{log_line, message};
use dormouse_testkit::scripted::{Answer, Script};
use dormouse_types::agent::MessageKind;
use dormouse_types::model::{FragmentKind, ModelError, Request, ToolChoice, TurnEvent};
use dormouse_types::port::{BoxStream, Model, ModelClass, ModelLocation};
use dormouse_types::{AgentId, TaskId};
use serde_json::json;

use crate::world::{DONE, WS, World, dull, now, text};

/// The person's own model with a small window.
struct Small {
    script: Script,
    asked: Mutex<Vec<Request>>,
}

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
        Some(4_000)
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        self.asked.lock().expect("one thread").push(request.clone());
        self.script.ask(request)
    }
}

struct Case {
    world: World,
    task: TaskId,
    agent: AgentId,
    agents: Agents,
    model: Arc<Small>,
}

const SUMMARY: &str =
    "The movers come on Friday at eight; the van costs 140 EUR; Anna has the keys.";

fn summary(text: &str) -> Answer {
    Answer::calls([("keep_summary", json!({ "summary": text }))])
}

impl Case {
    /// An agent that has seen these many notes, each of about 100 tokens.
    fn after(n_notes: usize) -> Self {
        let world = World::new();
        let task = world.task("Move", &["We move in May."]);
        let agent = world.create(&task);
        let model = Arc::new(Small { script: Script::default(), asked: Mutex::default() });
        let agents = world.choosing(Models::new(model.clone()));
        let case = Self { world, task, agent, agents, model };
        case.wake([dull()]);
        for n in 0..n_notes {
            let words = format!("Note {n}. {}", "The hall is full of boxes. ".repeat(15));
            case.world.edit_now(&case.task, &[dormouse_journal::Edit::note(words)]);
        }
        // One wake takes all of them in: they are in its log from then on.
        case.wake([dull()]);
        case
    }

    /// Wakes the agent and returns how its run ended.
    fn wake(&self, answers: impl IntoIterator<Item = Answer>) -> End {
        answers.into_iter().for_each(|answer| self.model.script.push(answer));
        self.world.later(60);
        self.world.wake_now(&self.agent, None);
        now(self.agents.route_feed(WS)).expect("routed");
        let scheduler = self.agents.scheduler();
        let lease = now(scheduler.claim(WS, &self.world.row(&self.agent))).expect("a claim");
        now(scheduler.run_alive(lease.expect("a lease"))).expect("it ran").end
    }

    fn asked(&self) -> Vec<Request> {
        std::mem::take(&mut *self.model.asked.lock().expect("one thread"))
    }

    fn checkpoints(&self) -> Vec<CheckpointText> {
        let holder = (&self.agent).into();
        now(self.world.store.all(checkpoint::of_holder(WS, &holder, 99))).expect("readable")
    }

    fn n_lines(&self) -> usize {
        let lines = log_line::of_holder(WS, &self.agent, 1, i64::MAX);
        now(self.world.store.all(lines)).expect("readable").len()
    }
}

#[test]
fn a_log_below_the_limit_is_not_folded() {
    let case = Case::after(5);
    case.asked();
    assert_eq!(case.wake([dull()]), DONE);
    assert!(case.asked().iter().all(|request| request.turn > 0));
    assert_eq!(case.checkpoints(), []);
}

#[test]
fn older_lines_are_folded_piece_by_piece_and_stay_readable() {
    let case = Case::after(25);
    let n_lines = case.n_lines();
    case.asked();
    assert_eq!(case.wake([summary(SUMMARY), summary(SUMMARY), dull()]), DONE);
    let asked = case.asked();
    let [first, second, turn, ..] = asked.as_slice() else {
        panic!("{:?}", asked.iter().map(|request| request.turn).collect::<Vec<_>>())
    };
    assert_eq!([first.turn, second.turn, turn.turn], [0, 0, 1]);
    assert_eq!(first.tool_choice, ToolChoice::Required);
    let folded = text(first, FragmentKind::Log).expect("the lines");
    assert!(folded.contains("We move in May.") && !folded.contains("Note 24."), "{folded}");
    assert_eq!(text(first, FragmentKind::Summary), None, "there is none before");
    let before = text(second, FragmentKind::Summary).expect("the first summary");
    assert!(before.contains(SUMMARY), "{before}");
    let shown = text(turn, FragmentKind::Summary).expect("the summary");
    assert!(shown.contains(SUMMARY) && shown.contains("Summary of lines 1 to "), "{shown}");
    let log = text(turn, FragmentKind::Log).expect("the newest lines");
    assert!(log.contains("Note 24.") && !log.contains("Note 0."), "{log}");
    let state = text(turn, FragmentKind::TaskState).expect("the task");
    assert!(!state.contains("Note 0."), "what was folded is not shown again: {state}");

    let [newest, oldest] = &case.checkpoints()[..] else { panic!("two checkpoints") };
    assert_eq!((newest.checkpoint.from, newest.checkpoint.depth), (1, 2));
    assert!(newest.checkpoint.upto > oldest.checkpoint.upto);
    assert_eq!((oldest.checkpoint.n, newest.checkpoint.n), (1, 2));
    assert_eq!(newest.checkpoint.model, "home/small");
    assert!(case.n_lines() >= n_lines, "every line is still there");
    let summaries = message::of_kind(WS, &case.agent, MessageKind::Summary);
    let summaries = now(case.world.store.all(summaries)).expect("readable");
    assert_eq!(summaries.len(), 2, "each is a message");
}

#[test]
fn two_prompts_begin_alike_until_the_end_of_the_log_except_for_lines_that_were_added() {
    let case = Case::after(25);
    case.wake([summary(SUMMARY), summary(SUMMARY), dull()]);
    case.asked();
    let prefix = |request: &Request| -> String {
        let kinds = [FragmentKind::System, FragmentKind::Summary, FragmentKind::Log];
        kinds.iter().filter_map(|kind| text(request, *kind)).collect::<Vec<_>>().join("\n")
    };
    case.world.note(&case.task, "The lamp broke.");
    case.wake([dull()]);
    let first = case.asked().swap_remove(0);
    let before = prefix(&first);
    case.world.note(&case.task, "A new lamp came.");
    case.wake([dull()]);
    let asked = case.asked();
    let after = prefix(&asked[0]);
    assert!(after.starts_with(&before) && after.len() > before.len(), "{before}\n---\n{after}");
    assert_eq!(
        asked[0].tools,
        case.model.asked.lock().map(|_| asked[0].tools.clone()).expect("ok")
    );
}

#[test]
fn answers_that_cannot_be_used_write_nothing_and_after_three_the_rules_step_in() {
    let case = Case::after(13);
    case.asked();
    let end = case.wake([summary(""), summary(""), summary(" "), dull()]);
    assert_eq!(end, DONE);
    let checkpoints = case.checkpoints();
    let [only] = checkpoints.as_slice() else { panic!("{checkpoints:?}") };
    assert_eq!(only.checkpoint.model, "rules", "marked");
    let text = only.text.as_deref().expect("its text");
    assert!(text.contains("Note 0."), "{text}");
    assert_eq!(case.asked().iter().filter(|request| request.turn == 0).count(), 3);
}

#[test]
fn a_piece_is_kept_although_the_run_fails_later() {
    let case = Case::after(25);
    let end = case.wake([summary(SUMMARY), summary(SUMMARY)]);
    assert!(matches!(end, End::Failed { .. }), "{end:?}");
    assert_eq!(case.checkpoints().len(), 2);
    case.asked();
    assert_eq!(case.wake([dull()]), DONE);
    assert!(case.asked().iter().all(|request| request.turn > 0), "nothing is folded twice");
}
