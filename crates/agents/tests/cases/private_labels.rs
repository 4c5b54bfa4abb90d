//! The names of labels are sent with tasks that have them, and with no others.

use dormouse_journal::Edit;
use dormouse_testkit::scripted::Answer;
use dormouse_types::kept_back::{KeptBack, KeptPieces};
use dormouse_types::port::ModelLocation;
use dormouse_types::{LabelId, TaskId};
use serde_json::json;

use super::privacy::{Case, repeats};
use crate::world::{WS, now, person, routine_report};

impl Case {
    fn label(&self, name: &str) -> LabelId {
        now(self.world.journal.ensure_label(WS, name, &person())).expect("a label").id
    }

    /// Another task with a label.
    fn labelled(&self, label: &LabelId) -> TaskId {
        let task = self.world.task("Another task", &[]);
        self.world.edit(&task, &[Edit::AddLabel(label.clone())]);
        task
    }

    fn sent_to_far(&self) -> String {
        self.wake(&self.far, [Answer::calls([])])
    }
}

#[test]
fn the_name_of_a_label_is_sent_if_a_task_that_has_it_may_be() {
    let case = Case::new();
    let (secret, open) = (case.label("SECRET"), case.label("Shopping"));
    let (other, _) = (case.labelled(&secret), case.labelled(&open));
    case.flag_task(&other, true);
    let own = case.wake(&case.own, [routine_report()]);
    assert!(own.contains("SECRET") && own.contains("Shopping"), "{own}");
    let sent = case.sent_to_far();
    assert!(!sent.contains("SECRET") && !sent.contains(&secret.to_string()), "{sent}");
    assert!(sent.contains("Labels that exist: Shopping"), "{sent}");
    assert!(sent.contains("Kept back from this model because it is private: "), "{sent}");
    assert_eq!(case.last().kept_back.private.labels, 1);

    let public = case.labelled(&secret);
    let sent = case.sent_to_far();
    assert!(sent.contains("SECRET"), "a public task has it as well: {sent}");
    assert!(case.last().kept_back.is_empty());
    case.world.edit(&public, &[Edit::RemoveLabel(secret.clone())]);
    assert!(!case.sent_to_far().contains("SECRET"), "only the private one has it again");
    case.flag_task(&other, false);
    assert!(case.sent_to_far().contains("SECRET"), "it is private no more");
    case.world.edit(&other, &[Edit::RemoveLabel(secret)]);
    assert!(!case.sent_to_far().contains("SECRET"), "nobody knows whose label it was");
}

#[test]
fn a_label_of_another_category_is_kept_back_because_of_it() {
    let case = Case::new();
    let (secret, health) = (case.label("SECRET"), case.category("Health"));
    let other = case.labelled(&secret);
    case.file(&other, Some(&health));
    case.allow("acme", &[]);
    assert!(!case.sent_to_far().contains("SECRET"));
    let category = KeptPieces { labels: 1, ..KeptPieces::default() };
    assert_eq!(case.last().kept_back, KeptBack { category, ..KeptBack::default() });
    case.allow("acme", &[&health]);
    assert!(case.sent_to_far().contains("SECRET"));
}

#[test]
fn what_a_model_wrote_that_was_offered_a_private_label_may_name_it() {
    let case = Case::new();
    case.flag_task(&case.labelled(&case.label("SECRET")), true);
    case.wake(&case.own, [repeats("HEIRLOOM")]);
    let sent = case.sent_to_far();
    assert!(!sent.contains("HEIRLOOM"), "{sent}");
}

/// The rules write no label into a text. So their notes may be sent, and of their proposals those that
/// name no label of a private task.
#[test]
fn the_built_in_rules_name_a_label_in_a_proposal_alone() {
    let case = Case::new();
    let secret = case.label("SECRET");
    case.flag_task(&case.labelled(&secret), true);
    *case.own.location.lock().expect("one thread") = ModelLocation::BuiltIn;
    let proposes = json!({ "labels": [{ "id": secret, "confidence": "high" }] });
    case.own.script.push(Answer::calls([("assign_task_labels", proposes)]).and_goes_on());
    case.wake(&case.own, [repeats("HARMLESS")]);
    assert!(case.wake(&case.own, [Answer::calls([])]).contains("Add label \\\"SECRET\\\""));
    let sent = case.sent_to_far();
    assert!(!sent.contains("SECRET") && sent.contains("HARMLESS"), "{sent}");
    let private = KeptPieces { labels: 1, proposals: 1, ..KeptPieces::default() };
    assert_eq!(case.last().kept_back, KeptBack { private, ..KeptBack::default() });
}
