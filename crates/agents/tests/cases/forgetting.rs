//! Removing a line from the memory of an agent: its words are gone from every row, the rest stays, and
//! what can then no longer be shown says so.

use dormouse_agents::AgentError;
use dormouse_agents::template::stock;
use dormouse_journal::Edit;
use dormouse_runs::{End, run_log};
use dormouse_store::agent::entity::Stored;
use dormouse_store::agent::log_line::{self, Line};
use dormouse_store::agent::message::{self, Message};
use dormouse_store::agent::purge::Purge;
use dormouse_store::agent::wake_queue::Reason;
use dormouse_store::agent::{purge, wake_run};
use dormouse_store::{Commit, Db, Op, Query, Row, Value, params};
use dormouse_testkit::scripted::Answer;
use dormouse_types::agent::MessageKind;
use dormouse_types::closed_list::Listed;
use dormouse_types::memory::{PurgePhase, Removal};
use dormouse_types::model::{FragmentKind, Request};
use dormouse_types::port::{Clock as _, Stage};
use dormouse_types::{Actor, AgentId, HolderId, MessageId, OperationId, TaskId, Timestamp};
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;

use crate::world::{DONE, WS, World, me, now, routine_report, text};

pub const SECRET: &str = "The code of the safe is 4711, under the blue lamp";

/// Every value of every table, with its place.
fn all_texts(world: &World) -> Vec<String> {
    let read = |db: Db, sql: &'static str| -> Vec<Row> {
        let decode = |row: &Row| Ok(row.clone());
        now(world.store.all(Query { db, sql, params: Vec::new(), decode })).expect("readable")
    };
    let mut all = Vec::new();
    for db in Db::ALL {
        for table in read(db, "SELECT name FROM sqlite_master WHERE type = 'table'") {
            let name = table.text(0).expect("a name");
            let sql: &'static str = format!("SELECT * FROM {name}").leak();
            for Row(values) in read(db, sql) {
                let texts = values.into_iter().filter_map(|value| match value {
                    Value::Text(text) => Some(text),
                    _ => None,
                });
                all.extend(texts.map(|text| format!("{}.{name}: {text}", db.name())));
            }
        }
    }
    all
}

/// The places that have some words, in whatever case.
pub fn places(world: &World, words: &str) -> Vec<String> {
    let words = words.to_lowercase();
    all_texts(world).into_iter().filter(|text| text.to_lowercase().contains(&words)).collect()
}

pub fn lines(world: &World, agent: &AgentId) -> Vec<Line> {
    now(world.store.all(log_line::of_holder(WS, agent, 1, i64::MAX))).expect("lines")
}

/// The name of the line that has these words.
pub fn line_with(world: &World, agent: &AgentId, words: &str) -> String {
    let has = |line: &&Line| line.text.as_deref().is_some_and(|text| text.contains(words));
    format!("line-{}", lines(world, agent).iter().find(has).expect("a line").n)
}

pub fn remove(world: &World, agent: &AgentId, line: &str, with_entry: bool) -> Removal {
    now(world.agents.remove_line(WS, agent, line, with_entry, &me())).expect("removed")
}

pub fn prompt(request: &Request) -> String {
    request.fragments.iter().map(|piece| piece.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// An agent that has read a note with the secret, and quoted it.
fn world_with_secret() -> (World, TaskId, AgentId) {
    let (world, task, agent) = World::settled();
    world.note(&task, &format!("Bo wrote.\n{SECRET}. Water the plants."));
    let note = json!({ "observations": [format!("{SECRET}."), "Bo writes often."] });
    let report =
        json!({ "tldr": format!("Known: {SECRET}."), "content": format!("# Safe\n\n{SECRET}.") });
    let calls = [("record_observations", note), ("update_report", report)];
    assert_eq!(world.run_with(&task, [Answer::calls(calls)]), [DONE]);
    (world, task, agent)
}

#[test]
fn a_removed_line_is_in_no_row_of_the_agents_and_its_entry_stays() {
    let (world, task, agent) = world_with_secret();
    let line = line_with(&world, &agent, "Water the plants");
    let before = now(world.agents.removal(WS, &agent, &line, false)).expect("a preview");
    assert!(!places(&world, SECRET).is_empty());
    assert_eq!((before.removed_at, before.phase), (None, None));
    assert_eq!(before.wakes_changed, 1, "{before:?}");
    assert!(before.stays_in_task && !before.with_entry);

    let after = remove(&world, &agent, &line, false);
    assert!(after.removed_at.is_some());
    assert_eq!(after.phase, Some(PurgePhase::Done));
    let counts = |removal: &Removal| (removal.texts, removal.other_rows, removal.wakes.clone());
    assert_eq!(counts(&after), counts(&before), "it did what it said");
    let left = places(&world, SECRET);
    assert!(left.iter().all(|place| place.starts_with("journal.journal: ")), "{left:?}");
    assert!(!left.is_empty(), "the note of the person stays");
    let said = world.said(&agent, MessageKind::Observation);
    assert_eq!(said, ["[removed].", "Bo writes often."], "the rest stays");

    world.run_with(&task, [routine_report()]);
    let prompt = prompt(&world.last_request());
    assert!(!prompt.contains("4711") && !prompt.contains("Water the plants"), "{prompt}");
    assert!(prompt.contains("Bo writes often."), "{prompt}");
    assert!(!world.task_state(&task).entries.is_empty());
}

#[test]
fn what_was_removed_is_not_learnt_again_from_the_same_entry() {
    let (world, task, agent) = world_with_secret();
    let line = line_with(&world, &agent, "Water the plants");
    remove(&world, &agent, &line, false);
    let entries = world.task_state(&task).entries;
    let entry = entries.iter().find(|entry| entry.text.contains("4711")).expect("it stays");
    let text = format!("{SECRET}. Water the plants twice.");
    world.edit(&task, &[Edit::EditEntry { entry: entry.id.clone(), text: Some(text) }]);
    world.note(&task, "Something else.");
    world.run_with(&task, [routine_report()]);
    let prompt = prompt(&world.last_request());
    assert!(prompt.contains("Something else.") && !prompt.contains("4711"), "{prompt}");
    let left = places(&world, "4711");
    assert!(left.iter().all(|place| place.starts_with("journal.")), "{left:?}");
}

#[test]
fn with_its_entry_the_words_are_in_no_row_at_all() {
    let (world, task, agent) = world_with_secret();
    world.note(&task, "Another note.");
    let line = line_with(&world, &agent, "Water the plants");
    let removal = remove(&world, &agent, &line, true);
    assert_eq!(removal.phase, Some(PurgePhase::Done));
    assert!(removal.with_entry && !removal.stays_in_task);
    assert_eq!(places(&world, "4711"), Vec::<String>::new());
    assert_eq!(places(&world, "Water the plants"), Vec::<String>::new());
    let entries = world.task_state(&task).entries;
    assert!(entries.iter().any(|entry| entry.text == "Another note."));
    assert!(entries.iter().all(|entry| !entry.text.contains("[removed]")), "it is deleted");
    let again = remove(&world, &agent, &line, true);
    assert_eq!(again, removal, "to remove it twice changes nothing");
    assert_eq!(now(world.agents.removals(WS, &agent, 9)).expect("readable"), [removal]);
}

#[test]
fn a_note_of_the_agent_is_removed_from_its_message_and_its_log() {
    let (world, task, agent) = world_with_secret();
    let line = line_with(&world, &agent, "Bo writes often.");
    let removal = remove(&world, &agent, &line, false);
    assert_eq!(removal.entry_id, None);
    assert_eq!(places(&world, "Bo writes often."), Vec::<String>::new());
    assert!(!places(&world, SECRET).is_empty(), "other lines stay");
    world.run_with(&task, [routine_report()]);
    let request = world.last_request();
    let log = text(&request, FragmentKind::Log).expect("a log");
    assert!(!log.contains("[removed]"), "{log}");
}

/// The name of what the person said last.
fn last_said(world: &World, agent: &AgentId) -> String {
    format!("message-{}", newest(world, agent, MessageKind::User))
}

#[test]
fn what_the_person_said_is_removed_wherever_its_words_are() {
    let (world, task, agent) = World::settled();
    for said in [SECRET, "4711"] {
        world.wake(&agent, Reason::UserInitiated, Some(said));
        let report = json!({ "tldr": format!("Known: {said}."), "content": "# Safe\n\nNoted." });
        world.script.push(Answer::calls([("update_report", report)]));
        assert_eq!(world.ends(&task), [DONE]);
    }
    let short = last_said(&world, &agent);
    let removal = remove(&world, &agent, &short, false);
    assert!(removal.is_too_short && removal.log_lines == 0, "{removal:?}");
    assert_eq!(world.said(&agent, MessageKind::User), [SECRET, "[removed]"]);
    assert_eq!(
        remove(&world, &agent, &short, false),
        removal,
        "to remove it twice changes nothing"
    );

    let all = message::newest_of_kind(WS, &agent, MessageKind::User, 9);
    let all = now(world.store.all(all)).expect("readable");
    let of_text = |one: &Stored<Message>| {
        let text = now(run_log::text(&world.store, WS, &one.doc.value)).expect("readable");
        text.is_some_and(|text| text == SECRET)
    };
    let long = all.into_iter().find(of_text).expect("the message").doc.value.id;
    let removal = remove(&world, &agent, &format!("message-{long}"), false);
    assert!(!removal.is_too_short && removal.texts > 0, "{removal:?}");
    assert_eq!(places(&world, SECRET), Vec::<String>::new());
    assert_eq!(world.said(&agent, MessageKind::User), ["[removed]", "[removed]"]);
    let thought = newest(&world, &agent, MessageKind::Thought);
    let refused = now(world.agents.removal(WS, &agent, &format!("message-{thought}"), false));
    assert!(matches!(refused, Err(AgentError::NoLine { .. })), "only what was said to it");
}

/// The id of the newest message of a kind.
fn newest(world: &World, agent: &AgentId, kind: MessageKind) -> MessageId {
    let all = message::newest_of_kind(WS, agent, kind, 1);
    now(world.store.first(all)).expect("readable").expect("a message").doc.value.id
}

#[test]
fn a_note_with_a_category_is_removed_wherever_its_words_are() {
    let (world, task, agent) = World::settled();
    let note = json!({ "observations": [
        { "text": "Ask for the blue lamp, not the red one.", "priority": "notable",
          "category": "grievance" },
    ] });
    let report = json!({ "tldr": "A lamp.",
        "content": "# Lamp\n\n- Ask for the blue lamp, not the red one." });
    let calls = [("record_observations", note), ("update_report", report)];
    assert_eq!(world.run_with(&task, [Answer::calls(calls)]), [DONE]);
    let line = line_with(&world, &agent, "notable, grievance: Ask for the blue lamp");
    remove(&world, &agent, &line, false);
    assert_eq!(places(&world, "blue lamp"), Vec::<String>::new());
}

#[test]
fn a_removal_that_fails_keeps_no_other_from_its_end() {
    let (world, task, agent) = world_with_secret();
    let begun = |line: &str, words: Option<String>| Purge {
        id: OperationId(line.to_owned()),
        agent: agent.clone(),
        line: line.to_owned(),
        task: Some(task.clone()),
        entry: world.task_state(&task).entries.first().map(|entry| entry.id.clone()),
        phase: Listed::Known(if words.is_some() { PurgePhase::Journal } else { PurgePhase::Files }),
        words,
        removed: "{}".to_owned(),
        created_at: world.clock.now(),
    };
    let rows = [begun("line-1", Some("no words".to_owned())), begun("line-2", None)];
    let insert = rows.iter().map(|row| purge::insert(WS, row));
    now(world.store.commit(Commit::new("test", Db::Agent, WS).ops(insert))).expect("kept");
    let world_with_secret =
        now(world.agents.finish_purges(WS, world.clock.now())).expect("readable");
    let [Err(why), Ok(done)] = &world_with_secret[..] else { panic!("{world_with_secret:?}") };
    assert!(why.starts_with("removal of line-1 stays open: "), "{why}");
    assert_eq!(done, "removal of line-2 finished");
    let open = now(world.store.all(purge::open(WS))).expect("readable");
    assert_eq!(open.iter().map(|purge| purge.line.as_str()).collect::<Vec<_>>(), ["line-1"]);
}

#[test]
fn a_wake_says_that_it_can_no_longer_be_shown_as_it_was() {
    let (world, task, agent) = world_with_secret();
    world.run_with(&task, [routine_report()]);
    let line = line_with(&world, &agent, "Water the plants");
    let removal = remove(&world, &agent, &line, false);
    let runs = world.runs(&agent);
    let marked = |run: &&wake_run::Run| {
        let at = now(world.store.first(wake_run::purged_at(WS, &run.key))).expect("readable");
        at.flatten().is_some()
    };
    let marked: Vec<_> = runs.iter().filter(marked).map(|run| run.key.clone()).collect();
    let mut said = removal.wakes.clone();
    let mut marked_sorted = marked.clone();
    said.sort_by(|a, b| a.as_str().cmp(b.as_str()));
    marked_sorted.sort_by(|a, b| a.as_str().cmp(b.as_str()));
    assert_eq!(marked_sorted, said);
    assert_eq!(marked.len(), 2, "the wake that learnt it, and the one that saw it again");
    assert_eq!(runs.len(), 3, "the first wake knew nothing of it");
}

#[test]
fn an_agent_at_work_is_waited_for() {
    let (world, task, agent) = world_with_secret();
    let lease = world.claim_after_a_note(&task, &agent);
    let line = line_with(&world, &agent, "Water the plants");
    let preview = now(world.agents.removal(WS, &agent, &line, true)).expect("a preview");
    assert_eq!(preview.at_work, Some(HolderId::from(&agent)));
    let refused = now(world.agents.remove_line(WS, &agent, &line, true, &me()));
    let error = refused.expect_err("it is at work");
    let says = format!(
        "agent {agent} may be reading the words: wait until its wake has ended, or cancel it; then \
         remove the line"
    );
    assert_eq!(error.to_string(), says);
    assert!(!places(&world, SECRET).is_empty(), "nothing was removed");
    assert!(now(world.store.all(purge::open(WS))).expect("readable").is_empty());
    world.script.push(routine_report());
    world.run_lease(lease);
    remove(&world, &agent, &line, true);
    assert_eq!(places(&world, "4711"), Vec::<String>::new());
}

#[test]
fn a_line_that_there_is_not_is_named() {
    let (world, _, agent) = world_with_secret();
    for name in ["line-99", "line-x", "summary-1", "decision-x", "nonsense", ""] {
        let error = now(world.agents.removal(WS, &agent, name, false)).expect_err(name);
        assert!(matches!(error, AgentError::NoLine { .. }), "{name}: {error}");
    }
}

#[test]
fn a_short_note_is_removed_without_harm_to_other_words() {
    let (world, task, agent) = World::settled();
    world.note(&task, "Ann");
    world.note(&task, "Annual fees are due.");
    world.run_with(&task, [routine_report()]);
    let line = line_with(&world, &agent, ":\nAnn\n");
    let removal = remove(&world, &agent, &line, true);
    assert!(removal.is_too_short);
    let left = places(&world, "Annual fees are due.");
    assert!(left.iter().any(|place| place.starts_with("agent.texts")), "{left:?}");
    world.run_with(&task, [routine_report()]);
    let prompt = prompt(&world.last_request());
    assert!(prompt.contains("Annual fees") && !prompt.contains(":\nAnn\n"), "{prompt}");
}

#[test]
fn a_rejection_with_its_reason_is_removed() {
    let (world, task, agent) = World::settled();
    let estimate = ("update_task_estimate", json!({ "minutes": 60, "reason": "guess" }));
    world.note(&task, "How long?");
    world.run_with(&task, [Answer::calls([estimate, crate::world::report("A", "B")])]);
    let item = world.items_of(&task).remove(0);
    let reason = "because Aunt Mildred hates numbers";
    let who = dormouse_changes::Decider { ws: WS, actor: Actor::Owner, once: None, task: None };
    let rejected = world.changes.reject(&who, &item.set, item.index, None, Some(reason));
    now(rejected).expect("rejected");
    let decision = now(world.agents.decisions_in_memory(WS, &agent, Timestamp::MAX))
        .expect("readable")
        .remove(0);
    remove(&world, &agent, &format!("decision-{}", decision.id), false);
    assert_eq!(places(&world, reason), Vec::<String>::new());
    assert!(
        now(world.agents.decisions_in_memory(WS, &agent, Timestamp::MAX))
            .expect("readable")
            .is_empty()
    );
    world.note(&task, "And now?");
    world.run_with(&task, [routine_report()]);
    assert!(!prompt(&world.last_request()).contains("Mildred"));
}

#[test]
fn a_run_that_waits_to_continue_goes_on_without_the_words() {
    let (world, task, agent) = world_with_secret();
    let line = line_with(&world, &agent, "Water the plants");
    let note = json!({ "observations": [format!("Again: {SECRET}.")] });
    world.script.push(Answer::calls([("record_observations", note)]).and_goes_on());
    world.answers(1);
    let lease = world.claim_after_a_note(&task, &agent);
    let (other, clock) = (world.owned_by("other"), world.clock.clone());
    world.hooks.once(Stage::AfterCommit, "run.turn", move || {
        clock.advance(Duration::from_secs(61));
        let taken = now(other.scheduler().take_over_dead(&BTreeSet::new())).expect("looked");
        assert_eq!(taken.len(), 1, "its process is taken for dead");
    });
    assert_eq!(world.run_lease(lease).end, End::LeaseLost);
    remove(&world, &agent, &line, true);
    assert_eq!(places(&world, "4711"), Vec::<String>::new());
    assert_eq!(world.run_lease(world.claim(&agent)).end, DONE);
    let request = world.last_request();
    assert_eq!(request.turn, 2, "its first turn was not lost");
    assert!(!format!("{request:?}").contains("4711"), "{request:?}");
    assert_eq!(places(&world, "4711"), Vec::<String>::new());
}

#[test]
fn a_session_that_was_shown_the_words_is_waited_for() {
    let (world, _, agent) = world_with_secret();
    now(world.agents.seed_templates(WS)).expect("seeded");
    let template = stock::DEFAULT.id();
    let started = now(world.agents.start_evolution(WS, &template, None, &me())).expect("started");
    let session = HolderId::from(&started);
    let line = line_with(&world, &agent, "Water the plants");
    let (agents, id, name) = (world.owned_by("other"), agent.clone(), line.clone());
    world.hooks.once(Stage::BeforeEffect, "model.ask", move || {
        let preview = now(agents.removal(WS, &id, &name, true)).expect("a preview");
        assert_eq!(preview.at_work.as_ref(), Some(&session));
        let error = now(agents.remove_line(WS, &id, &name, true, &me())).expect_err("at work");
        let says = format!("the session {session} about a template may be reading the words: ");
        assert!(error.to_string().starts_with(&says), "{error}");
    });
    let note = json!({ "kind": "reflection", "content": "It knows a safe." });
    let calls = Answer::calls([("record_evolution_note", note)]);
    world.script.push(calls.and_goes_on());
    world.script.push(Answer::calls([]));
    let ends: Vec<_> = world.drain_due().into_iter().map(|ran| ran.end).collect();
    assert_eq!(ends, [DONE]);
    assert!(world.script.requests().iter().any(|request| prompt(request).contains(SECRET)));
    remove(&world, &agent, &line, true);
    assert_eq!(places(&world, "4711"), Vec::<String>::new());
}

#[test]
fn a_removal_that_cannot_be_read_is_named_and_keeps_no_other_open() {
    let (world, _, agent) = world_with_secret();
    let line = line_with(&world, &agent, "Water the plants");
    remove(&world, &agent, &line, false);
    let reopened = |id: &str| {
        let sql =
            "UPDATE purges SET done_at = NULL, phase = 'files', agent_id = COALESCE(?1, agent_id)";
        let op = Op::any(sql, params![id]);
        now(world.store.commit(Commit::new("test.damage", Db::Agent, WS).op(op))).expect("damaged");
    };
    reopened("nobody");
    let lines = now(world.agents.finish_purges(WS, world.clock.now())).expect("a start goes on");
    let [Err(line)] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(line.contains("cannot be read"), "{line}");
}
