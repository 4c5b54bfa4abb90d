//! What a wake sends fits into the window of its model, whatever the log and the window are; what cannot fit
//! is not sent.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use dormouse_journal::Edit;
use dormouse_runs::window::size;
use dormouse_runs::{End, Models};
use dormouse_store::{Db, Query, Row};
use dormouse_testkit::scripted::Answer;
use dormouse_types::memory::Room;
use dormouse_types::model::{FragmentKind, Request};
use dormouse_types::{AgentId, TaskId};
use serde_json::json;

use crate::world::draw::Draw;
use crate::world::small::Small;
use crate::world::{Agents, DONE, WS, World, now, routine_report, text};

/// Units: tokens. What the model may write.
const MOST_OUTPUT: u64 = 4_096;

struct Case {
    world: World,
    task: TaskId,
    agent: AgentId,
    agents: Agents,
    model: Arc<Small>,
}

impl Case {
    fn new(window: u64) -> Self {
        let world = World::new();
        let task = world.task("Move", &["We move in May."]);
        let agent = world.create(&task);
        let model = Small::own();
        model.set_window(window);
        model.most_output.store(MOST_OUTPUT, Ordering::Relaxed);
        let summary = json!({ "summary": "The movers come on Friday; the van costs 140 EUR." });
        *model.summary.lock().expect("one thread") =
            Some(Answer::calls([("keep_summary", summary)]));
        let agents = world.choosing(Models::new(model.clone()));
        Self { world, task, agent, agents, model }
    }

    fn add(&self, words: &str) {
        self.world.edit_task(&self.task, &[Edit::note(words)]);
    }

    /// Wakes the agent; returns how its run ended, and what was sent.
    fn wake(&self) -> (End, Vec<Request>) {
        self.model.script.push(routine_report());
        self.world.later(60);
        self.world.wake_now(&self.agent, None);
        now(self.agents.route_feed(WS)).expect("routed");
        let lease = now(self.agents.scheduler().claim(WS, &self.world.row(&self.agent)));
        let lease = lease.expect("a claim").expect("a lease");
        let end = now(self.agents.scheduler().run_alive(lease)).expect("it ran").end;
        (end, self.model.requests())
    }
}

#[test]
fn a_log_of_any_length_fits_at_a_window_of_8192() {
    let case = Case::new(8_192);
    let answer = Room::for_answer(8_192, MOST_OUTPUT);
    let turns = Room::for_turns(8_192, answer);
    let (mut n_folds, mut largest) = (0, 0);
    for n in 0..40 {
        case.add(&format!("Note {n}. {}", "The hall is full of boxes. ".repeat(15)));
        let (end, requests) = case.wake();
        assert_eq!(end, DONE, "note {n}");
        for request in &requests {
            n_folds += usize::from(request.turn == 0);
            let most = match request.turn {
                // A call that folds.
                0 => 8_192 - answer,
                1 => 8_192 - answer - turns,
                _ => 8_192 - answer / 2,
            };
            assert!(size(request) <= most, "turn {} of note {n}: {}", request.turn, size(request));
            largest = largest.max(size(request));
        }
        let log = requests.iter().find(|request| request.turn == 1).expect("a turn");
        let instruction = text(log, FragmentKind::Instruction).expect("an instruction");
        assert!(!instruction.contains("left out"), "note {n}: {instruction}");
    }
    assert!(n_folds > 1, "the log was folded {n_folds} times");
    let sql = "SELECT COUNT(*) FROM search_index WHERE kind = 'summary'";
    let decode = |row: &Row| Ok(row.int(0).expect("a count"));
    let summaries = Query { db: Db::Agent, sql, params: Vec::new(), decode };
    let n_found = now(case.world.store.first(summaries)).expect("readable");
    assert_eq!(
        n_found,
        Some(1),
        "a search finds the newest summary alone, and so the lines as well"
    );
    assert!(
        largest > 8_192 - answer - turns - 400,
        "what there is of the window is used: {largest}"
    );
}

#[test]
fn what_does_not_fit_without_its_log_either_fails_before_any_call_and_says_what_to_do() {
    let case = Case::new(8_192);
    assert_eq!(case.wake().0, DONE);
    for n in 0..25 {
        case.add(&format!("Note {n}. {}", "The hall is full of boxes. ".repeat(15)));
    }
    let (end, requests) = case.wake();
    assert!(requests.is_empty(), "nothing is sent: {requests:?}");
    let End::Failed { error } = end else { panic!("{end:?}") };
    let expected = [
        "the window of home/small",
        "the window has 8192",
        "Nothing was sent",
        "dormouse models edit home/small --window TOKENS",
        "choose another model",
    ];
    for words in expected {
        assert!(error.contains(words), "{words}: {error}");
    }
    case.model.set_window(32_000);
    let (end, requests) = case.wake();
    assert_eq!(end, DONE, "a larger window helps");
    let first = text(&requests[0], FragmentKind::Delta).expect("the news");
    assert!(first.contains("Note 0.") && first.contains("Note 24."), "nothing is lost: {first}");
}

#[test]
fn one_long_note_is_cut_as_far_as_the_window_needs_it_and_a_mark_says_so() {
    let long = "The inventory of the cellar. ".repeat(3_500);
    for (window, shown) in [(8_192, 2 * 1024), (32_000, 16 * 1024)] {
        let case = Case::new(window);
        assert_eq!(case.wake().0, DONE);
        case.add(&long);
        for wake in ["the one that reads it", "the next one"] {
            let (end, requests) = case.wake();
            assert_eq!(end, DONE, "{window}: {wake}");
            let first = requests.iter().find(|request| request.turn == 1).expect("a turn");
            assert!(size(first) <= window - Room::for_answer(window, MOST_OUTPUT));
            let delta = text(first, FragmentKind::Delta).expect("the news");
            let mark = format!("[cut: {shown} of");
            assert_eq!(delta.contains(&mark), wake == "the one that reads it", "{window}: {delta}");
        }
    }
}

#[test]
fn any_log_at_any_window_fits_or_is_refused_with_the_reason() {
    let (mut n_sent, mut n_refused, mut n_folds) = (0, 0, 0);
    for seed in 0..12 {
        let mut draw = Draw(seed);
        let mut window = 5_200 + u64::try_from(draw.below(8_000)).expect("small");
        let case = Case::new(window);
        for _ in 0..10 {
            for _ in 0..draw.below(5) {
                let words = [
                    "The hall is full of boxes. ",
                    "五月に引っ越します。",
                    "Kartons stören überall. ",
                ];
                case.add(&words[draw.below(3)].repeat(1 + draw.below(40)));
            }
            // Another model, or another word of a person.
            if draw.below(5) == 0 {
                window = 5_200 + u64::try_from(draw.below(8_000)).expect("small");
                case.model.set_window(window);
            }
            let (end, requests) = case.wake();
            let answer = Room::for_answer(window, MOST_OUTPUT);
            for request in &requests {
                let most = if request.turn > 1 { window - answer / 2 } else { window - answer };
                assert!(size(request) <= most, "seed {seed}, {window}: {}", size(request));
                n_folds += usize::from(request.turn == 0);
            }
            match end {
                End::Failed { error } => {
                    assert!(error.contains("does not fit into the window"), "seed {seed}: {error}");
                    assert!(requests.iter().all(|it| it.turn != 1), "seed {seed}: {requests:?}");
                    n_refused += 1;
                    // A person does what the reason says.
                    window = 60_000;
                    case.model.set_window(window);
                    assert_eq!(case.wake().0, DONE, "seed {seed}");
                }
                end => {
                    assert_eq!(end, DONE, "seed {seed}");
                    n_sent += 1;
                }
            }
        }
    }
    assert!(n_sent > 30 && n_refused > 5 && n_folds > 10, "{n_sent}, {n_refused}, {n_folds}");
}
