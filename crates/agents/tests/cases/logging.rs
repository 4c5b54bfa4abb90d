//! The diagnostic log contains ids and numbers, never a person's words.

use std::fmt::Debug;
use std::sync::{Arc, Mutex};

use dormouse_journal::Edit;
use dormouse_store::{Db, params};
use dormouse_testkit::scripted::Answer;
use dormouse_types::Id as _;
use dormouse_types::model::{ModelError, ProviderUnavailable};
use serde_json::json;
use tracing::field::{Field, Visit};
use tracing::span;

use crate::world::{WS, World, report};

/// A word that occurs in everything a person or a model writes.
const CANARY: &str = "Heliotrope";

/// Collects every line of the log, including spans.
#[derive(Clone, Default)]
struct Lines(Arc<Mutex<Vec<String>>>);

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.0.push_str(&format!(" {field}={value:?}"));
    }
}

impl tracing::Subscriber for Lines {
    fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
        true
    }

    fn new_span(&self, attributes: &span::Attributes<'_>) -> span::Id {
        let mut line = Line(attributes.metadata().name().to_owned());
        attributes.record(&mut line);
        self.0.lock().expect("nobody panicked").push(line.0);
        span::Id::from_u64(1)
    }

    fn record(&self, _: &span::Id, record: &span::Record<'_>) {
        let mut line = Line(String::new());
        record.record(&mut line);
        self.0.lock().expect("nobody panicked").push(line.0);
    }

    fn event(&self, event: &tracing::Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.lock().expect("nobody panicked").push(line.0);
    }

    fn record_follows_from(&self, _: &span::Id, _: &span::Id) {}

    fn enter(&self, _: &span::Id) {}

    fn exit(&self, _: &span::Id) {}
}

#[test]
fn the_log_of_good_and_of_bad_runs_holds_no_word_of_anybody() {
    let lines = Lines::default();
    // With a single subscriber, a log line that is first reached by a thread without a subscriber
    // is disabled for good. With two, every new line asks both of them.
    let _second = tracing::Dispatch::new(Lines::default());
    tracing::subscriber::with_default(lines.clone(), || {
        tracing::info!(word = CANARY, "this is heard");
        let world = World::new();
        let text = |text: &str| format!("{CANARY}: {text}");
        let task = world.task(&text("Move"), &[&text("We signed.")]);
        let agent = world.create(&task);
        let mut node = world.serve();
        // For lines that another thread reached just before there were two subscribers.
        tracing::callsite::rebuild_interest_cache();
        let calls = [
            report(&text("Quiet."), &text("Nothing yet.")),
            ("record_observations", json!({ "observations": [text("A note.")] })),
            ("update_task_due_date", json!({ "dueDate": text("soon") })),
            ("dance", json!({ "with": CANARY })),
        ];
        world.script.push(Answer::calls(calls).and_goes_on());
        world.answers(1);
        node.pass_seconds(5);
        // A refused request, a provider error that quotes its input, messages, a crash.
        world.script.push(Answer::Fails(ModelError::Request { detail: text("too long") }));
        world.wake_now(&agent, Some(&text("What about the van?")));
        node.pass_seconds(5);
        world.model.goes_away_saying(ProviderUnavailable::Authentication, &text("401"));
        world.note_now(&task, &text("The van."));
        node.pass_seconds(10);
        world.model.comes_back();
        world.answers(1);
        node.pass_seconds(120);
        node.take();
        // Damaged rows that still contain the words.
        let (second, _) = world.another(&text("Paint"));
        world.write_directly(
            Db::Agent,
            "UPDATE agent_entities SET serialized = ?2 || serialized WHERE ws = ?1",
            params![WS.0, CANARY],
        );
        world.write_directly(
            Db::Journal,
            "UPDATE journal SET serialized = ?2 || serialized WHERE ws = ?1 AND task_id <> ?3",
            params![WS.0, CANARY, second.as_str()],
        );
        world.edit_task(&second, &[Edit::note(text("Two coats."))]);
        node.pass_seconds(3600);
    });
    let lines = lines.0.lock().expect("nobody panicked").clone();
    assert!(lines[0].contains(CANARY), "the log is heard: {lines:?}");
    assert!(lines.len() > 2, "something was logged: {lines:?}");
    let leaks: Vec<_> = lines[1..].iter().filter(|line| line.contains(CANARY)).collect();
    assert_eq!(leaks, Vec::<&String>::new());
}
