use dormouse_runs::End;
use dormouse_store::agent::wake_queue::Reason;
use dormouse_testkit::scripted::Answer;
use dormouse_types::Id as _;
use dormouse_types::agent::WakeReason;
use dormouse_types::limits;
use dormouse_types::model::{Fragment, ToolChoice};
use serde_json::{Value, json};

use crate::world::{WS, World, me, now, report, routine_report};

const DONE: [End; 1] = [End::Completed { cut: false }];

/// Publishes a report about a task with these notes; returns what a person then reads.
fn published(notes: &[&str], tldr: &str, content: &str) -> (String, String) {
    let world = World::new();
    let task = world.task("Move", notes);
    let agent = world.create(&task);
    world.script.push(Answer::calls([report(tldr, content)]));
    assert_eq!(world.ends(&task), DONE);
    let report = world.report(&agent).expect("a report");
    (report.tldr.clone().expect("a tldr"), world.content(&agent))
}

#[test]
fn a_report_says_who_made_it_and_the_head_points_to_the_newest() {
    let (world, task, agent) = World::settled();
    let first = world.report(&agent).expect("a report");
    assert_eq!(first.scope.name(), "current");
    assert_eq!(first.provenance["model"], "script");
    assert_eq!(first.provenance["runKey"], json!(world.runs(&agent)[0].key));
    world.run_with(&task, [Answer::calls([report("Packed. 📦", "## ✅ Achieved\n- Books")])]);
    let second = world.report(&agent).expect("a report");
    assert_ne!(second.id, first.id);
    assert_eq!(second.tldr.as_deref(), Some("Packed. 📦"));
    let ids: Vec<_> = world.reports(&agent).into_iter().map(|report| report.id).collect();
    assert_eq!(ids, [second.id, first.id], "the old one stays");
}

#[test]
fn the_last_call_of_a_wake_wins_and_another_name_is_the_same_tool() {
    let world = World::new();
    let task = world.task("Move", &["One."]);
    let agent = world.create(&task);
    world.script.push(Answer::calls([
        report("First.", "First."),
        ("publish_report", json!({ "tldr": "Second.", "report": "Second." })),
    ]));
    assert_eq!(world.ends(&task), DONE);
    assert_eq!(world.content(&agent), "Second.");
    assert_eq!(world.reports(&agent).len(), 1);
}

#[test]
fn an_address_of_an_entry_is_in_the_report_exactly_once() {
    let notes =
        ["Flat: https://flats.example/12?floor=3 and again https://flats.example/12?floor=3"];
    let count = |text: &str| text.matches("https://flats.example/12?floor=3").count();
    let (_, added) = published(&notes, "Fine.", "## ✅ Achieved\n- Signed");
    assert_eq!(count(&added), 1, "{added}");
    assert!(added.contains("## 🔗 Links\n- [flats.example 12](https://flats.example/12?floor=3)"));
    let own = "## 🔗 Links\n- [The new flat](https://flats.example/12?floor=3)";
    let (_, kept) = published(&notes, "Fine.", own);
    assert_eq!(kept, own, "the model's own title stays");
}

#[test]
fn an_address_nobody_wrote_is_taken_out() {
    let notes = ["Flat: https://flats.example/12"];
    let (tldr, content) = published(
        &notes,
        "See https://made.up/now for more.",
        "Read [the plan](https://made.up/plan) at <https://made.up/x> or https://flats.example/123.\n\n## 🔗 Links\n- [Flat](https://flats.example/12)",
    );
    assert!(!tldr.contains("made.up") && !content.contains("made.up"), "{tldr} {content}");
    assert!(!content.contains("/123"), "a longer address is another one: {content}");
    assert!(content.contains("[the plan]"), "its words stay: {content}");
    assert!(content.contains("[Flat](https://flats.example/12)"), "{content}");
}

#[test]
fn internal_ids_are_stripped() {
    let world = World::new();
    let task = world.task("Move", &["One."]);
    let entry = world.task_state(&task).entries[0].id.to_string();
    let agent = world.create(&task);
    let content = format!("Signed (id: {entry}), see {task} and [{agent}].");
    world.script.push(Answer::calls([report(&format!("Done {entry}"), &content)]));
    assert_eq!(world.ends(&task), DONE);
    let report = world.report(&agent).expect("a report");
    let text = format!("{} {}", report.tldr.unwrap_or_default(), world.content(&agent));
    for id in [entry.as_str(), task.as_str(), agent.as_str()] {
        assert!(!text.contains(id), "{text}");
    }
    assert!(text.contains("Signed"), "{text}");
}

/// A first report is refused with these words and corrected in the next turn.
fn mended(args: Value, words: &str) {
    let world = World::new();
    let task = world.task("Move", &["One."]);
    let agent = world.create(&task);
    world.script.push(Answer::calls([("update_report", args.clone())]));
    world.script.push(Answer::calls([report("Fine.", "All.")]));
    assert_eq!(world.ends(&task), DONE, "{args}");
    let read = &world.script.requests()[1].turns[0].results[0];
    assert!(read.refused && read.text.contains(words), "{args}: {read:?}");
    assert_eq!(world.content(&agent), "All.");
    assert_eq!(world.reports(&agent).len(), 1);
}

#[test]
fn a_report_without_its_parts_is_refused_by_their_names() {
    mended(json!({ "tldr": " ", "content": "All." }), "tldr missing or blank");
    mended(json!({ "tldr": "Fine.", "content": "\n" }), "content missing or blank");
    mended(json!({}), "tldr and content missing or blank");
    mended(json!({ "tldr": 5, "content": "All." }), "{\"tldr\": \"…\"");
    let long = "t".repeat(limits::TLDR.max + 1);
    mended(json!({ "tldr": long, "content": "All." }), "at most 400");
    let long = "c".repeat(limits::REPORT.max + 1);
    mended(json!({ "tldr": "Fine.", "content": long }), "at most 32768");
}

#[test]
fn a_report_at_its_limits_is_published_through_a_second_layer_of_json() {
    let (tldr, content) = ("t".repeat(limits::TLDR.max), "c".repeat(limits::REPORT.max));
    assert_eq!(published(&["One."], &tldr, &content), (tldr, content));
    let world = World::new();
    let task = world.task("Move", &["One."]);
    let agent = world.create(&task);
    let text = "```json\n{\"tldr\": \"Fine.\", \"content\": \"All.\"}\n```";
    world.script.push(Answer::calls([("update_report", json!(text))]));
    assert_eq!(world.ends(&task), DONE);
    assert_eq!(world.content(&agent), "All.");
}

#[test]
fn a_report_that_is_due_and_missing_is_requested_once_and_alone() {
    let world = World::new();
    let task = world.task("Move", &["One."]);
    let agent = world.create(&task);
    world.note(&task, "The lift is narrow.");
    let note = ("record_observations", json!({ "observations": ["Quiet."] }));
    world.script.push(Answer::calls([note.clone()]));
    let estimate = ("update_task_estimate", json!({ "minutes": 60 }));
    world.script.push(Answer::calls([report("Fine.", "All."), estimate]));
    assert_eq!(world.ends(&task), DONE);
    let requests = world.script.requests();
    assert_eq!(requests.len(), 2);
    let only_report = ToolChoice::OneOf(vec!["update_report".into()]);
    assert_eq!(
        (&requests[0].tool_choice, &requests[1].tool_choice),
        (&ToolChoice::Auto, &only_report)
    );
    assert_eq!(requests[0].tools, requests[1].tools, "another list would change the whole prompt");
    let (first, later) = requests[1].parts();
    let texts = |of: &[Fragment]| of.iter().map(|it| it.text.clone()).collect::<Vec<_>>();
    assert_eq!(texts(first), texts(&requests[0].fragments), "both turns begin alike");
    let has_entry = |of: &[Fragment]| texts(of).concat().contains("The lift is narrow.");
    assert_eq!((has_entry(first), has_entry(later)), (true, false), "entries are sent once");
    let words = later.last().map(|it| it.text.as_str()).unwrap_or_default();
    assert!(words.contains("Only update_report may be called now"), "{words}");
    assert_eq!(world.content(&agent), "All.");
    assert_eq!(world.items_of(&task), [], "nothing else is taken in that turn");

    let world = World::new();
    let task = world.task("Move", &["One."]);
    let agent = world.create(&task);
    world.script.push(Answer::calls([note.clone()]));
    world.script.push(Answer::calls([note]));
    assert_eq!(world.ends(&task), DONE, "the model is called once more, not for ever");
    assert_eq!(world.report(&agent), None);
    assert_eq!(world.script.requests().len(), 2);
}

#[test]
fn no_report_is_requested_when_nothing_material_changed() {
    let (world, task, agent) = World::settled();
    assert_eq!(world.run_with(&task, [Answer::calls([])]), DONE);
    assert_eq!(world.reports(&agent).len(), 1);
}

#[test]
fn a_reanalysis_forces_a_report() {
    let (world, task, agent) = World::settled();
    now(world.agents.wake(WS, &agent, Reason::Reanalysis, None, &me())).expect("woken");
    world.script.push(Answer::calls([]));
    world.script.push(Answer::calls([report("Afresh.", "All of it.")]));
    assert_eq!(world.ends(&task), DONE);
    assert_eq!(world.content(&agent), "All of it.");
    assert_eq!(world.runs(&agent)[0].reason, WakeReason::Reanalysis);
}

#[test]
fn a_run_that_has_its_report_publishes_it_although_the_call_for_its_next_turn_fails() {
    let (world, task, agent) = World::settled();
    let answers = [Answer::calls([report("Packed.", "The boxes are packed.")]).and_goes_on()];
    assert_eq!(world.run_with(&task, answers), [End::Completed { cut: false }]);
    assert_eq!(world.content(&agent), "The boxes are packed.");
    let run = &world.runs(&agent)[0];
    let why = run.error.as_deref().unwrap_or_default();
    assert!(why.contains("ended early") && why.contains("failed"), "{run:?}");
}

#[test]
fn a_failed_run_publishes_nothing() {
    let (world, task, agent) = World::settled();
    let refused = report("Half.", &"x".repeat(limits::REPORT.max + 1));
    let ends = world.run_with(&task, [Answer::calls([refused]).and_goes_on()]);
    assert!(matches!(ends[..], [End::Failed { .. }]), "{ends:?}");
    assert_eq!(world.content(&agent), "Nothing yet.");
    world.script.push(routine_report());
}
