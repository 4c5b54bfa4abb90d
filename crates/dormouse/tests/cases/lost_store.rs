//! The agent store is lost and the journal is not: the person's data is intact, and agents start over.

use dormouse::view::{AttentionKind, RestoredDatabase};
use dormouse_types::agent::RunStatus;
use std::path::Path;
use std::sync::Arc;

use dormouse::{
    AttentionFilter, Dormouse, DrainScope, NewEntry, NewTask, Parts, Store, open_folder,
    open_folder_without,
};
use dormouse_store::{Db, Query};
use dormouse_testkit::scripted::{Answer, Script};
use dormouse_testkit::{CountingEntropy, ManualClock, wait};
use dormouse_types::TaskId;
use dormouse_types::port::{Clock, Entropy};
use serde_json::json;

use crate::world::me;

/// The program on a folder, as it is after a start.
fn start(folder: &Path, clock: &ManualClock, seed: u64) -> (Dormouse, Store, Arc<Script>) {
    let port: Arc<dyn Clock> = Arc::new(clock.clone());
    let entropy: Arc<dyn Entropy> = Arc::new(CountingEntropy::seeded(seed));
    let store = open_folder(folder, &port, &entropy).expect("the folder opens");
    started(store, port, entropy)
}

/// The same, on a folder that lacks its agent store.
fn start_without_agents(
    folder: &Path,
    clock: &ManualClock,
    seed: u64,
) -> (Dormouse, Store, Arc<Script>) {
    let port: Arc<dyn Clock> = Arc::new(clock.clone());
    let entropy: Arc<dyn Entropy> = Arc::new(CountingEntropy::seeded(seed));
    assert!(open_folder(folder, &port, &entropy).is_err(), "nobody goes on without it unasked");
    let store = open_folder_without(Db::Agent, folder, &port, &entropy).expect("it goes on");
    started(store, port, entropy)
}

fn started(
    store: Store,
    port: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
) -> (Dormouse, Store, Arc<Script>) {
    let script = Arc::new(Script::default());
    let dormouse = Dormouse::new(Parts {
        store: store.clone(),
        clock: port,
        entropy,
        model: script.clone(),
        zone: jiff::tz::TimeZone::UTC,
        owner: "test".into(),
    });
    wait(dormouse.recover()).expect("a start");
    (dormouse, store, script)
}

fn answers(script: &Script, n: usize) {
    let report = || ("update_report", json!({ "tldr": "All quiet.", "content": "Nothing yet." }));
    (0..n).for_each(|_| script.push(Answer::calls([report()])));
}

/// How the runs of a drain ended.
fn drain(dormouse: &Dormouse) -> Vec<RunStatus> {
    let mut ends = Vec::new();
    let scope = DrainScope { all_due: true, ..DrainScope::default() };
    wait(dormouse.drain(scope, &mut |run| ends.push(run.status))).expect("a drain");
    ends
}

fn note(dormouse: &Dormouse, task: &TaskId, text: &str) {
    let new = NewEntry { text: text.into(), ..NewEntry::default() };
    wait(dormouse.add_entry(&me(), task, new, None)).expect("a note");
}

fn journal(store: &Store) -> Vec<String> {
    let read = |sql: &'static str| {
        let decode = |row: &dormouse_store::Row| Ok(format!("{:?}", row.0));
        wait(store.all(Query { db: Db::Journal, sql, params: Vec::new(), decode })).expect("rows")
    };
    ["SELECT * FROM journal ORDER BY id", "SELECT * FROM change_log ORDER BY seq"]
        .into_iter()
        .flat_map(read)
        .collect()
}

#[test]
fn without_the_agent_store_the_persons_data_is_intact_and_agents_start_over() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let clock = ManualClock::at("2026-03-02T09:00:00Z");
    let (dormouse, store, script) = start(folder.path(), &clock, 1);
    let tasks: Vec<TaskId> = (0..3)
        .map(|n| {
            let title = format!("Task {n}");
            let new = NewTask { title, note: Some("It began.".into()), ..NewTask::default() };
            wait(dormouse.create_task(&me(), new, None)).expect("a task").id
        })
        .collect();
    for task in &tasks[..2] {
        wait(dormouse.create_agent(&me(), task, None, None)).expect("an agent");
    }
    answers(&script, 2);
    assert_eq!(drain(&dormouse), [RunStatus::Completed; 2]);
    // One change is not routed yet, and there are more than fit into one batch.
    (0..250).for_each(|n| note(&dormouse, &tasks[2], &format!("Note {n}.")));
    note(&dormouse, &tasks[0], "The van is booked.");
    let before = journal(&store);
    drop((dormouse, store));
    for end in ["", "-wal", "-shm"] {
        let file = folder.path().join(format!("agent.sqlite{end}"));
        if file.exists() {
            std::fs::remove_file(file).expect("it is gone");
        }
    }

    clock.advance(std::time::Duration::from_secs(60));
    let (dormouse, store, script) = start_without_agents(folder.path(), &clock, 2);
    assert_eq!(drain(&dormouse), [], "nobody wakes for what is over");
    assert!(script.requests().is_empty());
    let agents = wait(dormouse.agent_of_task(&me(), &tasks[0]));
    assert!(agents.is_ok_and(|agent| agent.is_none()), "there are no agents");

    // Agents can be made again; a first look sees everything and is one run.
    for task in &tasks[..2] {
        wait(dormouse.create_agent(&me(), task, None, None)).expect("an agent");
    }
    answers(&script, 2);
    assert_eq!(drain(&dormouse), [RunStatus::Completed; 2]);
    assert_eq!(journal(&store), before, "the person's data is as it was");

    // And from here on the feed is heard as ever.
    note(&dormouse, &tasks[1], "The boxes are here.");
    answers(&script, 1);
    clock.advance(std::time::Duration::from_secs(60));
    assert_eq!(drain(&dormouse), [RunStatus::Completed]);
    assert_eq!(drain(&dormouse), []);
}

/// What needs the person because a database was restored: the kind, and how many agents.
fn restored(dormouse: &Dormouse) -> Vec<(String, Option<usize>)> {
    let needs = wait(dormouse.attention_list(&me(), AttentionFilter::default(), 50, None))
        .expect("a page")
        .items;
    let restored = needs.into_iter().filter(|one| one.cause.kind() == AttentionKind::Restored);
    restored.map(|one| (one.id, one.cause.count())).collect()
}

#[test]
fn after_an_older_journal_it_is_shown_until_each_agent_has_reported_anew() {
    let (folder, copy) =
        (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("one"));
    let clock = ManualClock::at("2026-03-02T09:00:00Z");
    let (dormouse, store, script) = start(folder.path(), &clock, 1);
    let tasks = ["One", "Two", "Paused"].map(|title| {
        let new =
            NewTask { title: title.into(), note: Some("It began.".into()), ..NewTask::default() };
        let task = wait(dormouse.create_task(&me(), new, None)).expect("a task").id;
        let agent = wait(dormouse.create_agent(&me(), &task, None, None)).expect("an agent").id;
        (task, agent)
    });
    answers(&script, 3);
    assert_eq!(drain(&dormouse).len(), 3);
    drop((dormouse, store));
    let files = || {
        let entries = std::fs::read_dir(folder.path()).expect("the folder");
        let names = entries.map(|entry| entry.expect("an entry").file_name());
        names.filter(|name| name.to_string_lossy().starts_with("journal"))
    };
    for name in files() {
        std::fs::copy(folder.path().join(&name), copy.path().join(&name)).expect("a copy");
    }
    let (dormouse, store, script) = start(folder.path(), &clock, 2);
    (0..9).for_each(|n| note(&dormouse, &tasks[0].0, &format!("Note {n}.")));
    wait(dormouse.pause_agent(&me(), &tasks[2].1, None)).expect("paused");
    answers(&script, 1);
    assert_eq!(drain(&dormouse), [RunStatus::Completed]);
    assert_eq!(restored(&dormouse), []);
    let host = store.host(Db::Journal);
    drop((dormouse, store));

    for name in files().collect::<Vec<_>>() {
        std::fs::remove_file(folder.path().join(&name)).expect("it is gone");
    }
    for entry in std::fs::read_dir(copy.path()).expect("the copy") {
        let entry = entry.expect("an entry");
        std::fs::copy(entry.path(), folder.path().join(entry.file_name())).expect("put back");
    }
    let (dormouse, store, script) = start(folder.path(), &clock, 3);
    assert_ne!(store.host(Db::Journal), host);
    let all = |n| vec![("restored:journal".to_owned(), Some(n))];
    assert_eq!(restored(&dormouse), all(3));
    let written_before = |agent| {
        let report = wait(dormouse.report(&me(), agent)).expect("readable").expect("a report");
        report.written_before.map(|restored| restored.database)
    };
    for (_, agent) in &tasks {
        assert_eq!(written_before(agent), Some(RestoredDatabase::Journal.into()));
    }
    let page = wait(dormouse.recent_reports(&me(), 50, None)).expect("a page").items;
    assert!(page.iter().all(|one| one.report.written_before.is_some()), "{page:?}");
    answers(&script, 2);
    assert_eq!(drain(&dormouse), [RunStatus::Completed; 2], "nothing is skipped");
    assert_eq!(restored(&dormouse), all(1), "who is paused has not reported");
    assert_eq!(written_before(&tasks[0].1), None);
    assert_eq!(written_before(&tasks[2].1), Some(RestoredDatabase::Journal.into()));
    wait(dormouse.resume_agent(&me(), &tasks[2].1, None)).expect("resumed");
    clock.advance(std::time::Duration::from_secs(60));
    answers(&script, 1);
    assert_eq!(drain(&dormouse), [RunStatus::Completed]);
    assert_eq!(restored(&dormouse), []);
}
