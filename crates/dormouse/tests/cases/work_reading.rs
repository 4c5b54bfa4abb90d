//! What a run of agent work reads of the person's tasks, and what its model may not see.

use std::sync::Arc;

use dormouse::dates::Wording;
use dormouse::{Dormouse, DrainScope, NewEntry, NewTask, NewWork, TaskPatch};
use dormouse_store::{Db, Query, Store};
use dormouse_testkit::scripted::{Answer, Script};
use dormouse_types::model::{ModelError, Request, ToolResult, TurnEvent};
use dormouse_types::port::{BoxStream, Model, ModelClass, ModelLocation};
use dormouse_types::{Id as _, TaskId};
use serde_json::{Value, json};

use crate::world::{me, now, services};

/// A script at a place.
pub(super) struct Placed(pub(super) Arc<Script>, pub(super) ModelLocation);

impl Model for Placed {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn class(&self) -> ModelClass {
        ModelClass::Free
    }

    fn location(&self) -> ModelLocation {
        self.1
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
        self.0.ask(request)
    }
}

struct Reading {
    dormouse: Dormouse,
    store: Store,
    script: Arc<Script>,
    flat: TaskId,
    doctor: TaskId,
}

/// A task, and a private one; both speak of a letter.
fn reading(location: ModelLocation) -> Reading {
    let script = Arc::new(Script::default());
    let model = Arc::new(Placed(script.clone(), location));
    let (dormouse, rooms) = services(model, "2026-03-02T09:00:00Z");
    let task = |title: &str, note: &str| {
        let new = NewTask {
            title: title.into(),
            note: Some(note.into()),
            items: vec!["Answer the letter".into()],
            ..NewTask::default()
        };
        now(dormouse.create_task(&me(), new, None)).expect("a task").id
    };
    let flat = task("Move to the new flat", "The letter of the landlord came.");
    let doctor = task("See the doctor", "The letter names a result.");
    let private = TaskPatch { private: Some(true), ..TaskPatch::default() };
    now(dormouse.edit_task(&me(), &doctor, private, None, None)).expect("private");
    let secret =
        NewEntry { text: "The letter offers money.".into(), private: true, ..NewEntry::default() };
    now(dormouse.add_entry(&me(), &flat, secret, None)).expect("an entry");
    Reading { dormouse, store: rooms.store, script, flat, doctor }
}

impl Reading {
    /// Runs work that makes these calls, and returns their results.
    fn results(&self, calls: &[(&'static str, Value)]) -> Vec<ToolResult> {
        self.script.push(Answer::calls(calls.to_vec()).and_goes_on());
        let finish = json!({ "outcome": "done", "summary": "Looked." });
        self.script.push(Answer::calls([("finish", finish)]));
        let (title, instructions) = ("Look".to_owned(), Some("Look around.".to_owned()));
        let new = NewWork { title, instructions, ..NewWork::default() };
        now(self.dormouse.create_work(&me(), new, Wording::default(), None)).expect("work");
        let scope = DrainScope { all_due: true, ..DrainScope::default() };
        now(self.dormouse.drain(scope, &mut |_| {})).expect("a drain");
        let request = self.script.requests().pop().expect("a request");
        request.turns[0].results.clone()
    }

    fn all(&self) -> Vec<ToolResult> {
        self.results(&[
            ("search", json!({ "query": "Letter" })),
            ("list_tasks", json!({ "status": "open" })),
            ("read_task", json!({ "taskId": self.flat })),
            ("read_task", json!({ "taskId": self.doctor })),
        ])
    }
}

#[test]
fn a_run_finds_lists_and_reads_tasks() {
    let world = reading(ModelLocation::BuiltIn);
    let results = world.all();
    let said: Vec<&str> = results.iter().map(|result| result.text.as_str()).collect();
    assert!(results.iter().all(|result| !result.refused), "{said:?}");
    for (n, text) in [
        (0, "Move to the new flat ["),
        (0, "  The letter of the landlord came."),
        (0, "  Answer the letter"),
        (0, "See the doctor ["),
        (1, "0 of 1 items done"),
        (2, "- [ ] Answer the letter"),
        (2, "2026-03-02: The letter offers money."),
        (3, "The letter names a result."),
    ] {
        assert!(said[n].contains(text), "{text}: {}", said[n]);
        assert!(said[n].contains("<data of=\"journal\">"), "it is data: {}", said[n]);
    }
    // Whatever the run writes from then on is as private as what it read.
    let sources = now(world.store.all(Query {
        db: Db::Agent,
        sql: "SELECT answer_sources FROM wake_requests WHERE answer_sources IS NOT NULL",
        params: Vec::new(),
        decode: |row| Ok(row.text(0).expect("sources").to_owned()),
    }));
    let sources = sources.expect("readable").join(" ");
    assert!(sources.contains(world.doctor.as_str()), "{sources}");
}

#[test]
fn a_model_of_somebody_else_reads_nothing_that_is_private() {
    let world = reading(ModelLocation::Elsewhere);
    let results = world.all();
    let said: Vec<&str> = results.iter().map(|result| result.text.as_str()).collect();
    assert!(said[0].contains("Move to the new flat ["), "{}", said[0]);
    assert!(said[0].contains("are kept back from this model"), "{}", said[0]);
    assert!(said[2].contains("landlord"), "{}", said[2]);
    assert!(said[3].ends_with(": nothing"), "{}", said[3]);
    for said in said {
        for secret in ["doctor", "result", "money"] {
            assert!(!said.contains(secret), "{said}");
        }
    }
}

#[test]
fn a_call_that_cannot_be_read_is_refused_with_what_was_expected() {
    let world = reading(ModelLocation::BuiltIn);
    let results = world.results(&[
        ("search", json!({ "query": " " })),
        ("search", json!({ "query": "a b c d e" })),
        ("list_tasks", json!({ "status": "great" })),
        ("list_tasks", json!({ "limit": 0 })),
        ("list_tasks", json!({ "limit": 51 })),
        ("read_task", json!({ "taskId": "task-1" })),
        ("read_task", json!({})),
    ]);
    let said: Vec<&str> = results.iter().map(|result| result.text.as_str()).collect();
    assert!(results.iter().all(|result| result.refused), "{said:?}");
    for (n, text) in
        ["no word", "at most 4", "great", "at least one", "at most 50", "task-1", "jt-…"]
            .into_iter()
            .enumerate()
    {
        assert!(said[n].contains(text), "{text}: {}", said[n]);
    }
    let gone = json!({ "taskId": "jt-00000000000000000000000000" });
    let results = world.results(&[("read_task", gone)]);
    assert!(results[0].text.starts_with("there is no task"), "{}", results[0].text);
}
