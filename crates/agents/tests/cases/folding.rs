//! Folding of older log lines: when, the request to the model, what is kept, and what stays readable.

use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use dormouse_agents::AgentError;
use dormouse_runs::{End, Lease, Models};
use dormouse_store::agent::change_item::State;
use dormouse_store::agent::checkpoint::{self, CheckpointText};
use dormouse_store::agent::{log_line, message, wake_queue};
use dormouse_store::{Db, Query};
use dormouse_testkit::scripted::Answer;
use dormouse_types::agent::MessageKind;
use dormouse_types::model::{FragmentKind, ModelError, Request, ToolChoice, Usage};
use dormouse_types::port::{Model, ModelLocation, Stage};
use dormouse_types::spend::Price;
use dormouse_types::{AgentId, TaskId};
use serde_json::json;

use crate::world::Agents;
use crate::world::small::Small;
use crate::world::{DONE, WS, World, me, now, routine_report, text};

struct Case {
    world: World,
    task: TaskId,
    agent: AgentId,
    agents: Agents,
    models: Models,
    model: Arc<Small>,
}

const SUMMARY: &str =
    "The movers come on Friday at eight; the van costs 140 EUR; Anna has the keys.";

/// What is removed while it is folded.
const FOLDED: &str = "We move in May.";

fn summary(text: &str) -> Answer {
    Answer::calls([("keep_summary", json!({ "summary": text }))])
}

impl Case {
    /// An agent that has seen these many notes, each of about 100 tokens.
    fn after(n_notes: usize) -> Self {
        Self::of(World::new(), n_notes)
    }

    fn of(world: World, n_notes: usize) -> Self {
        let task = world.task("Move", &["We move in May."]);
        let agent = world.create(&task);
        let model = Small::own();
        let models = Models::new(model.clone());
        let agents = world.choosing(models.clone());
        let case = Self { world, task, agent, agents, models, model };
        case.wake([routine_report()]);
        for n in 0..n_notes {
            let words = format!("Note {n}. {}", "The hall is full of boxes. ".repeat(15));
            case.world.edit_task(&case.task, &[dormouse_journal::Edit::note(words)]);
        }
        // One wake takes all of them in: they are in its log from then on.
        case.model.reading_all(|| case.wake([routine_report()]));
        case
    }

    /// Adds as many notes again, which one wake takes in.
    fn grow(&self, n_notes: usize) {
        for n in 0..n_notes {
            let words = format!("Further note {n}. {}", "The hall is full of boxes. ".repeat(15));
            self.world.edit_task(&self.task, &[dormouse_journal::Edit::note(words)]);
        }
        self.model.reading_all(|| self.wake([routine_report()]));
    }

    /// Wakes the agent and returns how its run ended.
    fn wake(&self, answers: impl IntoIterator<Item = Answer>) -> End {
        answers.into_iter().for_each(|answer| self.model.script.push(answer));
        self.world.later(60);
        self.world.wake_now(&self.agent, None);
        now(self.agents.route_feed(WS)).expect("routed");
        self.run(self.claim())
    }

    fn claim(&self) -> Lease {
        let lease = now(self.agents.scheduler().claim(WS, &self.world.row(&self.agent)));
        lease.expect("a claim").expect("a lease")
    }

    fn run(&self, lease: Lease) -> End {
        now(self.agents.scheduler().run_alive(lease)).expect("it ran").end
    }

    /// Answers every call that folds with this from now on.
    fn always_folds(&self, answer: Answer) {
        *self.model.summary.lock().expect("one thread") = Some(answer);
    }

    /// The lines from and up to which its summaries fold, oldest first, and how often.
    fn folds(&self) -> Vec<(i64, i64, i64)> {
        let all = self.checkpoints().into_iter().map(|one| one.checkpoint);
        let mut folds: Vec<_> = all.map(|one| (one.from, one.upto, one.depth)).collect();
        folds.reverse();
        folds
    }

    /// The name of the line that has these words.
    fn line_with(&self, words: &str) -> String {
        let lines = log_line::of_holder(WS, &self.agent, 1, i64::MAX);
        let lines = now(self.world.store.all(lines)).expect("readable");
        let line =
            lines.iter().find(|line| line.text.as_deref().is_some_and(|it| it.contains(words)));
        format!("line-{}", line.expect("a line").n)
    }

    /// What is stored of the agent's memory with these words: checkpoints, lines of its log, and texts,
    /// which every request is made of.
    fn kept_with(&self, words: &str) -> Vec<String> {
        let texts = Query {
            db: Db::Agent,
            sql: "SELECT text FROM texts",
            params: Vec::new(),
            decode: |row| Ok(row.text(0).unwrap_or_default().to_owned()),
        };
        let lines = now(self.world.store.all(log_line::of_holder(WS, &self.agent, 1, i64::MAX)));
        let lines = lines.expect("readable").into_iter().filter_map(|line| line.text);
        let texts = now(self.world.store.all(texts)).expect("readable");
        let checkpoints = self.checkpoints().into_iter().filter_map(|one| one.text);
        lines.chain(texts).chain(checkpoints).filter(|text| text.contains(words)).collect()
    }

    /// The process that folds dies when it has its answer, before it has kept it.
    fn dies_while_it_folds(&self) {
        let (other, clock) = (self.world.owned_by("other"), self.world.clock.clone());
        self.world.hooks.once(Stage::AfterEffect, "model.fold", move || {
            clock.advance(Duration::from_secs(61));
            let taken = now(other.scheduler().take_over_dead(&BTreeSet::new())).expect("looked");
            assert_eq!(taken.len(), 1);
        });
    }

    fn requests(&self) -> Vec<Request> {
        self.model.requests()
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
    case.requests();
    assert_eq!(case.wake([routine_report()]), DONE);
    assert!(case.requests().iter().all(|request| request.turn > 0));
    assert_eq!(case.checkpoints(), []);
}

#[test]
fn a_log_is_folded_where_what_a_wake_may_spend_does_not_pay_for_it() {
    let case = Case::after(25);
    case.model.set_window(200_000);
    case.always_folds(summary(SUMMARY));
    assert_eq!(case.wake([routine_report()]), DONE);
    assert_eq!(case.checkpoints(), [], "the window has room for it");

    let cents = |input| Price { input, cached_input: 0, cache_write: 0, output: 0 };
    *case.model.price.lock().expect("one thread") = Some(cents(1_000_000));
    assert_eq!(case.wake([routine_report()]), DONE);
    assert_eq!(case.checkpoints(), [], "the budget of a wake has room for it");

    *case.model.price.lock().expect("one thread") = Some(cents(6_000_000));
    assert_eq!(case.wake([routine_report()]), DONE);
    assert!(!case.checkpoints().is_empty());
}

#[test]
fn a_piece_is_as_large_as_what_a_wake_may_spend_pays_for() {
    let case = Case::after(25);
    case.model.set_window(200_000);
    case.model.most_output.store(4_096, Ordering::Relaxed);
    case.always_folds(summary(SUMMARY));
    // Half of what a wake may spend pays for the largest answer and for a tenth of the log.
    let price = Price {
        input: 6_000_000,
        cached_input: 6_000_000,
        cache_write: 6_000_000,
        output: 7_000_000,
    };
    *case.model.price.lock().expect("one thread") = Some(price);
    assert_eq!(case.wake([routine_report()]), DONE);
    let folds = case.folds();
    assert!(!folds.is_empty(), "nothing was folded");
    let longest = folds.windows(2).map(|pair| pair[1].1 - pair[0].1).max().unwrap_or(folds[0].1);
    assert!(longest < 15, "{folds:?}");
}

#[test]
fn what_a_model_made_of_a_prompt_that_was_cut_is_given_up() {
    let case = Case::after(25);
    assert_eq!(case.wake([summary(SUMMARY), summary(SUMMARY), routine_report()]), DONE);
    let before = case.folds();
    assert!(!before.is_empty());
    case.grow(25);
    // The server counts each prompt as 2,048 tokens: only its turns beside each other give that away.
    *case.model.used.lock().expect("one thread") =
        Some(Usage { input: 2_048, output: 50, ..Usage::default() });
    let proposes = ("update_task_priority", json!({ "priority": "P0" }));
    case.always_folds(summary("Other words that nobody may read about the boxes in the hall."));
    let End::Failed { error } =
        case.wake([Answer::calls([proposes]).and_goes_on(), routine_report()])
    else {
        panic!("it is believed")
    };
    assert!(error.contains("it cut the prompt"), "{error}");
    let kept = case.checkpoints().into_iter().filter(|one| one.checkpoint.removed_at.is_none());
    let kept: Vec<_> = kept.map(|one| one.text).collect();
    assert!(kept.iter().all(|text| text.as_deref() == Some(SUMMARY)), "{kept:?}");
    assert!(case.checkpoints().len() > kept.len(), "a summary was made of it");
    let items = case.world.items_of(&case.task);
    assert_eq!(items.len(), 1);
    assert_eq!(items[0].state, State::Retracted);
}

#[test]
fn older_lines_are_folded_piece_by_piece_and_stay_readable() {
    let case = Case::after(25);
    let n_lines = case.n_lines();
    case.requests();
    assert_eq!(case.wake([summary(SUMMARY), summary(SUMMARY), routine_report()]), DONE);
    let requests = case.requests();
    let [first, second, turn, ..] = requests.as_slice() else {
        panic!("{:?}", requests.iter().map(|request| request.turn).collect::<Vec<_>>())
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
    case.wake([summary(SUMMARY), summary(SUMMARY), routine_report()]);
    case.requests();
    let prefix = |request: &Request| -> String {
        let kinds = [FragmentKind::System, FragmentKind::Summary, FragmentKind::Log];
        kinds.iter().filter_map(|kind| text(request, *kind)).collect::<Vec<_>>().join("\n")
    };
    case.world.note(&case.task, "The lamp broke.");
    case.wake([routine_report()]);
    let first = case.requests().swap_remove(0);
    let before = prefix(&first);
    case.world.note(&case.task, "A new lamp came.");
    case.wake([routine_report()]);
    let requests = case.requests();
    let after = prefix(&requests[0]);
    assert!(after.starts_with(&before) && after.len() > before.len(), "{before}\n---\n{after}");
    assert_eq!(requests[0].tools, first.tools);
}

#[test]
fn answers_that_cannot_be_used_write_nothing_and_after_three_the_rules_step_in() {
    let case = Case::after(13);
    case.requests();
    case.always_folds(summary(" "));
    assert_eq!(case.wake([routine_report()]), DONE);
    let checkpoints = case.checkpoints();
    assert!(checkpoints.iter().all(|one| one.checkpoint.model == "rules"), "marked");
    let first = checkpoints.last().expect("a summary");
    let text = first.text.as_deref().expect("its text");
    assert!(text.contains("Note 0."), "{text}");
    let n_requests = case.requests().iter().filter(|request| request.turn == 0).count();
    assert_eq!(n_requests, 3 * checkpoints.len());
}

#[test]
fn a_piece_is_kept_although_the_run_fails_later() {
    let case = Case::after(25);
    let end = case.wake([summary(SUMMARY), summary(SUMMARY)]);
    assert!(matches!(end, End::Failed { .. }), "{end:?}");
    assert_eq!(case.checkpoints().len(), 2);
    case.requests();
    assert_eq!(case.wake([routine_report()]), DONE);
    assert!(case.requests().iter().all(|request| request.turn > 0), "nothing is folded twice");
}

/// Lets another model summarise.
fn summarised_by(case: &Case, model: &Arc<Small>) {
    let all: [Arc<dyn Model>; 2] = [case.model.clone(), model.clone()];
    case.models.replace(all, case.model.name(), Some(model.name()));
    case.requests();
}

#[test]
fn another_model_summarises_for_agents_that_think_with_the_default() {
    let case = Case::after(25);
    let brief = Small::at("home/brief", ModelLocation::OwnServer);
    summarised_by(&case, &brief);
    [SUMMARY, SUMMARY].map(summary).into_iter().for_each(|answer| brief.script.push(answer));
    assert_eq!(case.wake([routine_report()]), DONE);
    let turns = |requests: Vec<Request>| requests.iter().map(|one| one.turn).collect::<Vec<_>>();
    assert_eq!(turns(brief.requests()), [0, 0], "it gets only what is folded");
    let thought = case.requests();
    let shown = text(&thought[0], FragmentKind::Summary).expect("the summary");
    assert!(shown.contains(SUMMARY), "{shown}");
    assert!(turns(thought).iter().all(|turn| *turn > 0));
    assert!(case.checkpoints().iter().all(|one| one.checkpoint.model == "home/brief"));
}

#[test]
fn what_the_summarising_model_may_see_less_of_is_folded_by_the_one_that_thinks() {
    let case = Case::after(24);
    let entry = case.world.task_state(&case.task).entries[0].id.clone();
    let flag = dormouse_types::task::Flag::Private;
    let edit = dormouse_journal::Edit::FlagEntry { entry, flag, is_set: true };
    case.world.edit_task(&case.task, &[edit]);
    let brief = Small::at("acme/brief", ModelLocation::Elsewhere);
    summarised_by(&case, &brief);
    // The private note is in the first piece, and in the summary that the second one continues.
    assert_eq!(case.wake([summary(SUMMARY), summary(SUMMARY), routine_report()]), DONE);
    assert!(brief.requests().is_empty(), "a summary without the note would take its place");
    assert!(case.checkpoints().iter().all(|one| one.checkpoint.model == "home/small"));
    assert!(!case.checkpoints().is_empty());
}

#[test]
fn a_line_longer_than_the_window_is_folded_by_itself_and_stays_readable() {
    let case = Case::after(3);
    let long = format!("Long note. {}", "Every book has a place. ".repeat(4_200));
    case.world.edit_task(&case.task, &[dormouse_journal::Edit::note(long)]);
    assert_eq!(case.model.reading_all(|| case.wake([routine_report()])), DONE);
    let n_lines = case.n_lines();
    case.requests();
    // A hundredth of what it folds is the least that a summary has.
    assert_eq!(case.wake([summary(&SUMMARY.repeat(3)), routine_report()]), DONE);
    let requests = case.requests();
    let folds: Vec<_> = requests.iter().filter(|request| request.turn == 0).collect();
    let [before, alone] = folds.as_slice() else { panic!("{} pieces", folds.len()) };
    let of_log = |request| text(request, FragmentKind::Log).expect("lines");
    assert!(!of_log(before).contains("Long note."), "the lines before it are a piece");
    let log = of_log(alone);
    assert!(log.contains("Long note.") && !log.contains("Note 2."), "{}", &log[..200]);
    assert!(log.len() < 20 * 1024 && log.contains("[cut: "), "{} bytes", log.len());
    let newest = &case.checkpoints()[0].checkpoint;
    assert_eq!(usize::try_from(newest.upto).expect("a count"), n_lines);
}

#[test]
fn of_two_processes_that_fold_at_once_only_the_one_with_the_lease_keeps_what_it_folded() {
    let case = Case::after(25);
    case.always_folds(summary(SUMMARY));
    case.model.script.push(routine_report());
    case.world.later(60);
    case.world.wake_now(&case.agent, None);
    let lease = case.claim();
    // The second process takes the first one for dead while that waits for its answer.
    let other = case.world.agents_of("other", case.models.clone());
    let (store, clock) = (case.world.store.clone(), case.world.clock.clone());
    let agent = case.agent.clone();
    case.world.hooks.once(Stage::AfterEffect, "model.fold", move || {
        clock.advance(Duration::from_secs(61));
        let scheduler = other.scheduler();
        assert_eq!(now(scheduler.take_over_dead(&BTreeSet::new())).expect("looked").len(), 1);
        let row = now(store.first(wake_queue::of_holder(WS, &agent))).expect("readable");
        let lease = now(scheduler.claim(WS, &row.expect("a row"))).expect("a claim");
        assert_eq!(now(scheduler.run_alive(lease.expect("a lease"))).expect("it ran").end, DONE);
    });
    assert_eq!(case.run(lease), End::LeaseLost);
    assert!(case.world.hooks.is_done());
    let folds = case.folds();
    let [(1, first, 1), (1, second, 2)] = folds[..] else { panic!("{folds:?}") };
    assert!(first < second, "no line is folded twice: {folds:?}");
    let summaries = message::of_kind(WS, &case.agent, MessageKind::Summary);
    assert_eq!(now(case.world.store.all(summaries)).expect("readable").len(), 2);
    assert_eq!(case.wake([routine_report()]), DONE, "and nothing is left behind");
}

/// The removal of a line while it is folded is refused with what to do; nothing is half removed.
#[test]
fn a_line_is_not_removed_while_it_is_folded_and_goes_with_its_summary_afterwards() {
    for world in World::on_each_engine() {
        let case = Case::of(world, 25);
        case.always_folds(summary(&format!("{SUMMARY} {FOLDED}")));
        let line = case.line_with(FOLDED);
        let refusal = Arc::new(Mutex::new(None));
        let (agents, agent) = (case.world.owned_by("other"), case.agent.clone());
        let (name, refused) = (line.clone(), refusal.clone());
        case.world.hooks.once(Stage::BeforeEffect, "model.fold", move || {
            let removal = now(agents.remove_line(WS, &agent, &name, true, &me()));
            *refused.lock().expect("one thread") = removal.err();
        });
        assert_eq!(case.wake([routine_report()]), DONE);
        let refusal = refusal.lock().expect("one thread").take().expect("it is refused");
        assert!(matches!(refusal, AgentError::ReaderAtWork(_)), "{refusal}");
        assert!(refusal.to_string().contains("wait until its wake has ended"), "{refusal}");
        assert_eq!(case.folds().len(), 2);
        assert!(!case.kept_with(FOLDED).is_empty(), "it was folded, and stays in the log");
        let removed = now(case.agents.remove_line(WS, &case.agent, &line, true, &me()));
        assert_eq!(removed.expect("nobody reads it").summaries, 2);
        assert_eq!(case.kept_with(FOLDED), Vec::<String>::new());
        case.always_folds(summary(SUMMARY));
        case.requests();
        assert_eq!(case.wake([routine_report()]), DONE);
        let requests = case.requests();
        assert!(requests.iter().any(|request| request.turn == 0), "the rest is folded again");
        let named = requests.iter().flat_map(|request| &request.fragments);
        let named = named.map(|piece| piece.text.as_str()).filter(|text| text.contains(FOLDED));
        assert_eq!(named.collect::<Vec<_>>(), Vec::<&str>::new());
        assert_eq!(case.kept_with(FOLDED), Vec::<String>::new());
    }
}

/// Its process died with an answer that has the words, and the run waits to go on.
#[test]
fn a_run_that_died_while_it_folded_goes_on_without_what_was_removed_meanwhile() {
    for world in World::on_each_engine() {
        let case = Case::of(world, 25);
        case.always_folds(summary(&format!("{SUMMARY} {FOLDED}")));
        case.model.script.push(routine_report());
        case.world.later(60);
        case.world.wake_now(&case.agent, None);
        case.dies_while_it_folds();
        assert_eq!(case.run(case.claim()), End::LeaseLost);
        assert_eq!(case.folds(), [], "its answer is lost");
        let line = case.line_with(FOLDED);
        let removed = now(case.agents.remove_line(WS, &case.agent, &line, true, &me()));
        removed.expect("nobody reads it");
        case.always_folds(summary(SUMMARY));
        case.requests();
        assert_eq!(case.run(case.claim()), DONE);
        let requests = case.requests();
        assert!(requests.iter().any(|request| request.turn == 0), "it folds again");
        let named = requests.iter().flat_map(|request| &request.fragments);
        let named = named.map(|piece| piece.text.as_str()).filter(|text| text.contains(FOLDED));
        assert_eq!(named.collect::<Vec<_>>(), Vec::<&str>::new());
        let kept = case.checkpoints().into_iter().filter_map(|one| one.text);
        assert!(kept.into_iter().all(|text| text == SUMMARY));
        assert_eq!(case.kept_with(FOLDED), Vec::<String>::new());
    }
}

#[test]
fn each_summary_that_cannot_be_used_is_requested_again_and_never_kept() {
    let foreign = "The task jt-01jd7m3k5vn2c8q4w6x0z9zzzz is another one, and it is done by now.";
    let unusable = [
        ("empty", String::new()),
        ("longer than what it folds", "The hall is full of boxes. ".repeat(2_000)),
        ("too short", "Boxes.".to_owned()),
        ("its instructions", dormouse_agents::memory::fold::INSTRUCTION.to_owned()),
        ("the id of another task", foreign.to_owned()),
    ];
    for (what, words) in unusable {
        let case = Case::after(13);
        case.requests();
        case.always_folds(summary(&words));
        assert_eq!(case.wake([routine_report()]), DONE, "{what}");
        let n_requests = case.requests().iter().filter(|request| request.turn == 0).count();
        let checkpoints = case.checkpoints();
        assert!(!checkpoints.is_empty(), "{what}");
        assert_eq!(n_requests, 3 * checkpoints.len(), "{what}");
        for one in checkpoints {
            assert_eq!(one.checkpoint.model, "rules", "{what}");
            let kept = one.text.as_deref().expect("its text");
            assert!(words.is_empty() || !kept.contains(&words), "{what}: {kept}");
        }
    }
}

/// Wakes the agent with 25 notes; a person cancels the wake at a point of its first call that folds.
fn cancelled_while_it_folds(stage: Stage, label: &'static str) -> (Case, End) {
    let case = Case::after(25);
    case.always_folds(summary(SUMMARY));
    case.world.later(60);
    case.world.wake_now(&case.agent, None);
    now(case.agents.route_feed(WS)).expect("routed");
    let lease = case.claim();
    let (agents, agent, run) = (case.agents.clone(), case.agent.clone(), lease.run.key.clone());
    case.world.hooks.once(stage, label, move || {
        now(agents.cancel_run(WS, &agent, &run, &me())).expect("cancelled");
    });
    let end = case.run(lease);
    (case, end)
}

#[test]
fn a_wake_that_is_cancelled_while_it_folds_keeps_no_piece_and_the_next_one_folds_it() {
    for (stage, label) in [
        (Stage::BeforeEffect, "model.fold"),
        (Stage::AfterEffect, "model.fold"),
        (Stage::BeforeCommit, "run.fold"),
    ] {
        let (case, end) = cancelled_while_it_folds(stage, label);
        assert_eq!(end, End::Cancelled, "{stage:?} {label}");
        assert_eq!(case.folds(), [], "{stage:?} {label}");
        case.requests();
        assert_eq!(case.wake([routine_report()]), DONE);
        assert!(case.folds().len() > 1, "{stage:?} {label}: {:?}", case.folds());
    }
    // What was kept before stays, and is not folded again.
    let (case, end) = cancelled_while_it_folds(Stage::AfterCommit, "run.fold");
    assert_eq!(end, End::Cancelled);
    let [first] = case.folds()[..] else { panic!("{:?}", case.folds()) };
    assert_eq!(case.wake([routine_report()]), DONE);
    assert_eq!(case.folds()[0], first);
}

#[test]
fn a_call_that_folds_and_fails_is_tried_again_and_after_three_the_rules_step_in() {
    let case = Case::after(25);
    case.always_folds(Answer::Fails(ModelError::Request { detail: "the prompt is odd".into() }));
    case.requests();
    assert_eq!(case.wake([routine_report()]), DONE, "it fails no wake");
    let checkpoints = case.checkpoints();
    assert!(!checkpoints.is_empty());
    assert!(checkpoints.iter().all(|one| one.checkpoint.model == "rules"), "{checkpoints:?}");
    let calls = case.requests().iter().filter(|request| request.turn == 0).count();
    assert_eq!(calls, 3 * checkpoints.len(), "each piece was requested three times");
}

#[test]
fn a_long_log_is_folded_over_several_wakes_and_what_is_missing_until_then_is_said() {
    let case = Case::after(120);
    case.always_folds(summary(&SUMMARY.repeat(3)));
    let mut left_out = Vec::new();
    let mut n_folds = Vec::new();
    while n_folds.len() < 9 {
        case.requests();
        assert_eq!(case.wake([routine_report()]), DONE);
        let requests = case.requests();
        n_folds.push(requests.iter().filter(|request| request.turn == 0).count());
        let turn = requests.iter().find(|request| request.turn == 1).expect("a turn");
        let instruction = text(turn, FragmentKind::Instruction).expect("an instruction");
        let is_left_out = instruction.contains("of the log are left out until they are folded.");
        left_out.push(is_left_out);
        if !is_left_out {
            break;
        }
    }
    assert!(
        left_out.len() > 1 && left_out[0],
        "the first wake cannot fold all of it: {left_out:?}"
    );
    assert_eq!(left_out.last(), Some(&false), "in the end nothing is left out: {n_folds:?}");
    assert!(n_folds.iter().all(|n| *n <= 6), "{n_folds:?}");
    let folds = case.folds();
    let ends: Vec<i64> = folds.iter().map(|(_, upto, _)| *upto).collect();
    assert!(folds.iter().all(|(from, ..)| *from == 1) && ends.is_sorted(), "{folds:?}");
}
