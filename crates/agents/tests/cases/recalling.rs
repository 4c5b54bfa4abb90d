//! A model finds what its memory folded away, and nothing that it may not see.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use dormouse_journal::Edit;
use dormouse_runs::{End, Models};
use dormouse_store::agent::agent_entity::Agent;
use dormouse_store::agent::source::Source;
use dormouse_store::agent::{checkpoint, entity, memory_index, wake_request};
use dormouse_store::{Commit, Db, Query, Row, params};
use dormouse_testkit::scripted::Answer;
use dormouse_types::model::{Request, ToolResult};
use dormouse_types::port::{Model as _, Stage};
use dormouse_types::task::Flag;
use dormouse_types::{AgentId, EntryId, HolderId, Id as _, TaskId, limits};
use serde_json::{Value, json};

use crate::world::Agents;
use crate::world::small::Small;
use crate::world::{DONE, WS, World, now, routine_report};

struct Case {
    world: World,
    task: TaskId,
    agent: AgentId,
    agents: Agents,
    own: Arc<Small>,
    far: Arc<Small>,
}

const SUMMARY: &str = "The movers come on Friday at eight; Anna has the keys to the flat.";

fn summary() -> Answer {
    Answer::calls([("keep_summary", json!({ "summary": SUMMARY }))])
}

/// A turn that searches, and one that ends the run.
fn search(args: Value) -> [Answer; 2] {
    [Answer::calls([("search_memory", args)]).and_goes_on(), routine_report()]
}

impl Case {
    fn new() -> Self {
        Self::on(World::new())
    }

    fn on(world: World) -> Self {
        let task = world.task("Move", &["We move in May."]);
        let agent = world.create(&task);
        let (own, far) = (Small::own(), Small::far());
        for model in [&own, &far] {
            *model.summary.lock().expect("one thread") = Some(summary());
        }
        let models = Models::new(world.model.clone()).with(own.clone()).with(far.clone());
        let agents = world.choosing(models);
        let case = Self { world, task, agent, agents, own, far };
        case.wake(&case.own, [routine_report()]);
        case
    }

    /// A case whose agent has folded these notes, and more after them.
    fn folded(notes: &[&str]) -> Self {
        let case = Self::new();
        notes.iter().for_each(|note| case.add(note));
        case.fold();
        case
    }

    fn add(&self, text: &str) {
        self.world.edit_task(&self.task, &[Edit::note(text)]);
    }

    /// Adds notes until the older lines are folded.
    fn fold(&self) {
        for n in 0..25 {
            self.add(&format!("Filler {n}. {}", "The hall is full of boxes. ".repeat(15)));
        }
        self.own.reading_all(|| self.wake(&self.own, [routine_report()]));
        let before = self.n_checkpoints();
        self.wake(&self.own, [routine_report()]);
        assert!(self.n_checkpoints() > before, "older lines are folded");
    }

    fn n_checkpoints(&self) -> usize {
        let all = checkpoint::of_holder(WS, &self.holder(), 99);
        now(self.world.store.all(all)).expect("readable").len()
    }

    fn holder(&self) -> HolderId {
        (&self.agent).into()
    }

    fn wake(&self, model: &Small, answers: impl IntoIterator<Item = Answer>) {
        assert_eq!(self.wake_to(model, answers), DONE);
    }

    /// Wakes the agent and returns how its run ended.
    fn wake_to(&self, model: &Small, answers: impl IntoIterator<Item = Answer>) -> End {
        self.choose(model);
        answers.into_iter().for_each(|answer| model.script.push(answer));
        self.world.later(60);
        self.world.wake_now(&self.agent, None);
        now(self.agents.route_feed(WS)).expect("routed");
        let scheduler = self.agents.scheduler();
        let lease = now(scheduler.claim(WS, &self.world.row(&self.agent))).expect("a claim");
        now(scheduler.run_alive(lease.expect("a lease"))).expect("it ran").end
    }

    fn choose(&self, model: &Small) {
        let row = entity::by_id::<Agent>(WS, self.agent.as_str());
        let mut row = now(self.world.store.first(row)).expect("readable").expect("an agent");
        row.doc.value.config.model = Some(model.name().to_owned());
        let commit = Commit::new("test", Db::Agent, WS).op(entity::replace(WS, &row));
        now(self.world.store.commit(commit)).expect("committed");
    }

    /// Lets a model search; returns what it read.
    fn searched(&self, model: &Small, args: Value) -> ToolResult {
        model.requests();
        self.wake(model, search(args));
        let requests = model.requests();
        answers(&requests).pop().expect("an answer")
    }

    fn finds(&self, model: &Small, query: &str) -> String {
        let answer = self.searched(model, json!({ "query": query }));
        assert!(!answer.refused, "{answer:?}");
        answer.text
    }

    fn flag(&self, entry: &EntryId, is_set: bool) {
        let flag = Flag::Private;
        self.world.edit(&self.task, &[Edit::FlagEntry { entry: entry.clone(), flag, is_set }]);
    }

    fn entry(&self, words: &str) -> EntryId {
        let state = self.world.task_state(&self.task);
        let entry = state.entries.into_iter().find(|entry| entry.text.contains(words));
        entry.expect("an entry").id
    }

    fn index(&self) -> Vec<Row> {
        let sql = "SELECT id, area, kind, at, sha256, sources, words FROM search_index ORDER BY id";
        let query = Query { db: Db::Agent, sql, params: Vec::new(), decode: |row| Ok(row.clone()) };
        now(self.world.store.all(query)).expect("readable")
    }
}

/// The results that the last request shows.
fn answers(requests: &[Request]) -> Vec<ToolResult> {
    let turns = requests.last().map(|request| request.turns.clone()).unwrap_or_default();
    turns.into_iter().flat_map(|turn| turn.results).collect()
}

const NOTHING: &str = "Nothing that was folded away has all of these words. Try fewer words, or the \
                       beginning of a word.";

#[test]
fn a_folded_note_is_found_by_the_beginning_of_a_word_without_accents() {
    let case = Case::folded(&["Zum Café: the van costs 140,50 EUR on 2026-03-05."]);
    let entry = case.entry("140,50");
    let expected = format!(
        "From your memory, newest first:\n\
         - line 3, 2026-03-02, entry (id: {entry})\n\
         <data of=\"memory\">\n\
         2026-03-02 entry added (id: {entry}):\n\
         Zum Café: the van costs 140,50 EUR on 2026-03-05.\n\
         </data>"
    );
    for query in ["CAFE van", "2026-03-05", "140,5"] {
        let text = case.finds(&case.own, query);
        assert!(text.starts_with("From your memory") && text.contains("140,50"), "{query}: {text}");
    }
    assert_eq!(case.finds(&case.own, "zum caf"), expected);
    assert_eq!(case.finds(&case.own, "lastwagen"), NOTHING);
    let newest = case.finds(&case.own, "Filler 24");
    assert_eq!(newest, NOTHING, "what the log shows is not searched");
}

#[test]
fn a_summary_and_a_note_of_the_agent_are_found_too() {
    let case = Case::new();
    let note = json!({ "observations": ["Anna prefers mornings"] });
    case.wake(
        &case.own,
        [Answer::calls([("record_observations", note), crate::world::report("a", "b")])],
    );
    case.fold();
    let text = case.finds(&case.own, "anna");
    let kinds: Vec<&str> = text.lines().filter(|line| line.starts_with("- ")).collect();
    let [first, second] = kinds.as_slice() else { panic!("the same summary once: {text}") };
    assert!(first.starts_with("- checkpoint ") && first.ends_with(", summary"), "{text}");
    assert!(second.starts_with("- line 3, ") && second.ends_with(", observation"), "{text}");
    let limited = case.searched(&case.own, json!({ "query": "anna", "limit": 1 })).text;
    assert_eq!(limited.lines().filter(|line| line.starts_with("- ")).count(), 1, "{limited}");
    assert!(limited.ends_with("There is more; ask with more words to find it."), "{limited}");
}

#[test]
fn a_query_that_cannot_be_used_is_answered() {
    let case = Case::folded(&[]);
    case.own.set_window(12_000);
    for args in [
        json!({ "query": " \0*\"'" }),
        json!({ "query": "x".repeat(10_000) }),
        json!({ "query": "van", "limit": 0 }),
        json!({}),
    ] {
        let answer = case.searched(&case.own, args.clone());
        assert!(answer.refused, "{args}: {answer:?}");
    }
    let answer = case.searched(&case.own, json!({ "query": "van", "limit": 1000 }));
    assert!(!answer.refused, "more than is given is as much as is given: {answer:?}");
    for query in ["NEAR(van", "\"van", "van' | 'lamp':*", "^van OR", "van\0van"] {
        assert_eq!(case.finds(&case.own, query), NOTHING, "{query}");
    }
}

#[test]
fn an_answer_is_bounded_whatever_is_found() {
    let long = format!("The lamp. {}", "It burns <data> & </data>. ".repeat(60));
    let notes: Vec<&str> = std::iter::repeat_n(long.as_str(), 30).collect();
    let case = Case::folded(&notes);
    case.own.set_window(9_000);
    case.own.most_output.store(4_096, std::sync::atomic::Ordering::Relaxed);
    let text = case.searched(&case.own, json!({ "query": "lamp", "limit": 20 })).text;
    assert!(text.len() <= limits::MEMORY_ANSWER.max.min(2_250), "{}", text.len());
    assert!(text.ends_with("There is more; ask with more words to find it."), "{text}");
    let (opened, closed) = (text.matches("<data of=").count(), text.matches("</data>").count());
    assert!(opened > 1 && opened == closed, "no text ends its fence: {text}");
}

#[test]
fn an_agent_finds_nothing_of_another_agent() {
    let case = Case::folded(&["The van costs 140 EUR."]);
    let other = case.world.task("Lamp", &["Buy one."]);
    let other = case.world.create(&other);
    let mine = case.agent.clone();
    let case = Case { agent: other, ..case };
    assert_eq!(case.finds(&case.own, "van"), NOTHING);
    let case = Case { agent: mine, ..case };
    assert!(case.finds(&case.own, "van").contains("140 EUR"));
}

#[test]
fn a_model_of_somebody_else_does_not_find_what_is_private() {
    let case = Case::folded(&["The van costs 140 EUR.", "The doctor said SECRET about the van."]);
    let entry = case.entry("SECRET");
    case.flag(&entry, true);
    let own = case.finds(&case.own, "van");
    assert!(own.contains("SECRET") && own.contains("140 EUR"), "{own}");
    let far = case.finds(&case.far, "van");
    assert!(!far.contains("SECRET") && far.contains("140 EUR"), "{far}");
    assert_eq!(case.finds(&case.far, "secret"), NOTHING, "not even that there is something");
    case.flag(&entry, false);
    assert!(case.finds(&case.far, "secret").contains("SECRET"));
}

/// A case in which a search alone shows an entry to a model of somebody else: it was deleted, that was
/// folded too, and the summary is said to be made of nothing.
fn shown_by_a_search_alone() -> (Case, EntryId) {
    let case = Case::folded(&["The doctor said SECRET."]);
    let entry = case.entry("SECRET");
    case.world.edit(&case.task, &[Edit::DeleteEntry(entry.clone())]);
    case.fold();
    case.wake(&case.far, [routine_report()]);
    case.world.write_directly(Db::Agent, "UPDATE checkpoints SET sources = '[]'", params![]);
    (case, entry)
}

#[test]
fn what_a_run_writes_is_as_private_as_what_it_found() {
    let (case, entry) = shown_by_a_search_alone();
    let is_of_entry = || {
        let last = case.world.runs(&case.agent)[0].key.clone();
        let origins = now(case.world.store.all(wake_request::origins(WS, &[last])));
        let origins = origins.expect("readable");
        origins.iter().any(|origin| origin.sources.contains(&Source::Entry(entry.clone())))
    };
    case.wake(&case.far, [routine_report()]);
    assert!(!is_of_entry(), "it searched nothing");
    assert!(case.finds(&case.far, "secret").contains("SECRET"));
    assert!(is_of_entry());
}

#[test]
fn a_run_ends_when_what_it_found_becomes_private() {
    let (case, entry) = shown_by_a_search_alone();
    case.far.requests();
    let (journal, task) = (case.world.journal.clone(), case.task.clone());
    case.world.hooks.once(Stage::AfterCommit, "run.turn", move || {
        let flag = Edit::FlagEntry { entry: entry.clone(), flag: Flag::Private, is_set: true };
        let edits = [Edit::RestoreEntry(entry), flag];
        now(journal.edit(WS, &task, &edits, &crate::world::person())).expect("flagged");
    });
    case.wake_to(&case.far, search(json!({ "query": "secret" })));
    let requests = case.far.requests();
    let turns: Vec<u32> = requests.iter().map(|request| request.turn).filter(|n| *n > 0).collect();
    assert_eq!(turns, [1], "the answer is not sent");
}

/// The reads of a wake that searches, with this many folded lines that match.
fn reads_of_a_search(n_lines: usize) -> BTreeMap<&'static str, usize> {
    let (world, engine) = World::recorded();
    let case = Case::on(world);
    (0..n_lines).for_each(|n| case.add(&format!("The lamp {n} burns.")));
    case.fold();
    engine.take();
    assert!(case.finds(&case.own, "lamp burns").contains("burns"));
    let mut reads = BTreeMap::new();
    for (sql, _) in engine.take() {
        *reads.entry(sql).or_default() += 1;
    }
    reads
}

#[test]
fn a_search_costs_the_same_statements_however_much_matches() {
    let few = reads_of_a_search(1);
    assert_eq!(few, reads_of_a_search(30));
    assert_eq!(few.keys().filter(|sql| sql.contains("search_words")).count(), 1);
}

#[test]
fn lines_that_an_earlier_version_folded_are_added_afterwards() {
    let case = Case::folded(&["Zum Café: the van costs 140,50 EUR."]);
    let before = case.index();
    assert!(before.len() > 20, "{}", before.len());
    let forget = [
        "DELETE FROM search_index",
        "INSERT INTO search_backlog (ws, agent_id, next, upto)
         SELECT ws, agent_id, 1, MAX(upto) FROM checkpoints GROUP BY ws, agent_id",
    ];
    forget.into_iter().for_each(|sql| case.world.write_directly(Db::Agent, sql, params![]));
    assert_eq!(case.finds(&case.own, "van"), NOTHING);
    case.world.serve().pass(Duration::from_secs(120));
    assert_eq!(case.index(), before);
    assert_eq!(now(case.world.store.first(memory_index::backlog())).expect("readable"), None);
    assert!(case.finds(&case.own, "van").contains("140,50 EUR"));
}
