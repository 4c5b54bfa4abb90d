//! What a provider gets to see that may be sent only tasks of some categories.

use dormouse_journal::Edit;
use dormouse_runs::Preview;
use dormouse_store::agent::model_setting::{self, StoredSettings};
use dormouse_store::agent::wake_run::Status;
use dormouse_store::{Commit, Db, Query};
use dormouse_testkit::models::provider;
use dormouse_testkit::scripted::Answer;
use dormouse_types::closed_list::Listed;
use dormouse_types::kept_back::{KeptBack, KeptBackReason, KeptPieces};
use dormouse_types::model_settings::{AllowedCategories, ModelSettings, Provider};
use dormouse_types::policy::{DenialReason, PolicyDenied};
use dormouse_types::port::Stage;
use dormouse_types::task::LinkKind;
use dormouse_types::{Actor, CategoryId, TaskId};
use serde_json::json;

use super::privacy::{Case, repeats};
use crate::world::{WS, now, person, routine_report};

impl Case {
    pub(super) fn category(&self, name: &str) -> CategoryId {
        now(self.world.journal.ensure_category(WS, name, &person())).expect("a category").id
    }

    pub(super) fn file(&self, task: &TaskId, category: Option<&CategoryId>) {
        self.world.edit(task, &[Edit::Category(category.cloned())]);
    }

    /// Says which categories a provider may be sent, besides tasks without one.
    pub(super) fn allow(&self, name: &str, ids: &[&CategoryId]) {
        let ids = ids.iter().map(|id| (*id).clone()).collect();
        self.allow_only(name, Some(AllowedCategories { ids, uncategorised: true }));
    }

    fn allow_only(&self, name: &str, categories: Option<AllowedCategories>) {
        let stored = now(self.world.store.first(model_setting::of_workspace(WS)));
        let unset = StoredSettings { revision: 0, settings: ModelSettings::default() };
        let StoredSettings { revision, mut settings } = stored.expect("readable").unwrap_or(unset);
        settings.providers.retain(|known| known.name != name);
        settings.providers.push(Provider { categories, ..provider(name) });
        let put = model_setting::put(WS, revision, &settings);
        now(self.world.store.commit(Commit::new("test", Db::Agent, WS).op(put))).expect("stored");
    }

    /// Another task of a category, linked to that of the agent.
    fn linked(&self, title: &str, category: Option<&CategoryId>) -> TaskId {
        let other = self.world.task(title, &[]);
        self.file(&other, category);
        let link = Edit::Link { to: other.clone(), kind: LinkKind::RelatesTo };
        self.world.edit(&self.task, &[link]);
        other
    }

    /// What the audit log says that the policy refused, with who requested it, oldest first.
    fn denied(&self) -> Vec<(Actor, PolicyDenied)> {
        let sql = "SELECT actor, action, detail FROM audit_log WHERE ws = 1 ORDER BY seq, n";
        let decode = |row: &dormouse_store::Row| {
            let text = |n| row.text(n).map(ToOwned::to_owned).expect("a text");
            Ok([text(0), text(1), text(2)])
        };
        let rows = Query { db: Db::Agent, sql, params: Vec::new(), decode };
        let rows = now(self.world.store.all(rows)).expect("rows").into_iter();
        let denied = rows.map(|[actor, action, detail]| {
            PolicyDenied::of_row(&Listed::named(&action), &detail)
                .map(|denied| (Actor::from(actor), denied))
        });
        denied.flatten().collect()
    }

    fn refused(&self, what: &str, reason: DenialReason) -> (Actor, PolicyDenied) {
        let (what, model) = (what.to_owned(), "acme/large".to_owned());
        (Actor::Agent(self.agent.clone()), PolicyDenied { what, model, reason })
    }
}

#[test]
fn a_linked_task_of_another_category_is_left_out_whole_and_said_to_be() {
    let case = Case::new();
    let health = case.category("Health");
    case.linked("SECRET surgery", Some(&health));
    case.linked("Paint the hall", None);
    case.allow("acme", &[]);
    let sent = case.wake(&case.far, [routine_report()]);
    assert!(!sent.contains("SECRET") && sent.contains("Paint the hall"), "{sent}");
    let words = "because of the category of its task: 1 linked task. Do not guess";
    assert!(sent.contains(words) && !sent.contains("it is private"), "{sent}");
    let category = KeptPieces { links: 1, ..KeptPieces::default() };
    assert_eq!(case.last().kept_back, KeptBack { category, ..KeptBack::default() });
    assert_eq!(case.denied(), [], "what is left out is counted, not refused");
}

#[test]
fn the_categories_count_as_they_are_when_the_request_is_sent() {
    let case = Case::new();
    let health = case.category("Health");
    let other = case.linked("SECRET surgery", Some(&health));
    assert!(
        case.wake(&case.far, [routine_report()]).contains("SECRET"),
        "all may be sent at first"
    );
    case.allow("acme", &[]);
    assert!(!case.wake(&case.far, [routine_report()]).contains("SECRET"));
    case.allow("acme", &[&health]);
    assert!(case.wake(&case.far, [routine_report()]).contains("SECRET"));
    let work = case.category("Work");
    case.file(&other, Some(&work));
    assert!(!case.wake(&case.far, [routine_report()]).contains("SECRET"), "it was moved");
    case.file(&other, None);
    assert!(case.wake(&case.far, [routine_report()]).contains("SECRET"));
}

#[test]
fn what_a_run_made_of_another_category_stays_with_providers_that_may_be_sent_it() {
    let case = Case::new();
    let health = case.category("Health");
    let other = case.linked("SECRET surgery", Some(&health));
    case.allow("acme", &[]);
    case.wake(&case.own, [repeats("HEIRLOOM")]);
    let sent = case.wake(&case.far, [Answer::calls([])]);
    assert!(!sent.contains("HEIRLOOM") && !sent.contains("SECRET"), "{sent}");
    let KeptBack { private, category } = case.last().kept_back;
    assert_eq!(private, KeptPieces::default());
    assert_eq!((category.links, category.proposals, category.summaries), (1, 1, 1));
    assert!(category.notes > 0, "{category:?}");
    case.file(&other, None);
    let sent = case.wake(&case.far, [Answer::calls([])]);
    assert!(sent.contains("HEIRLOOM") && sent.contains("SECRET"), "{sent}");
}

#[test]
fn a_task_of_a_category_that_may_not_be_sent_is_not_and_the_wake_says_why() {
    let case = Case::new();
    let health = case.category("Health");
    case.allow("acme", &[]);
    assert!(case.wake(&case.far, [routine_report()]).contains("The van comes on Friday."));
    case.file(&case.task, Some(&health));
    let Preview::Hidden(kept) = ({
        case.choose(&case.far);
        case.preview(None)
    }) else {
        panic!("nothing is sent")
    };
    assert_eq!(kept.task(), Some(KeptBackReason::Category));
    assert_eq!(case.denied(), [], "a preview writes nothing");
    case.world.wake_now(&case.agent, Some("What now?"));
    case.run(&case.far, []);
    assert_eq!(case.far.sent.lock().expect("one thread").len(), 1, "nothing more was sent");
    let run = case.last();
    assert_eq!((run.run.status, run.kept_back), (Status::Skipped, kept));
    let why = run.run.error.expect("a reason");
    assert!(why.contains("category") && why.contains("acme"), "{why}");
    assert_eq!(case.world.row(&case.agent).due_at, None, "it does not wake again and again");
    let denied = case.denied();
    assert_eq!(denied, [case.refused("request", DenialReason::Category)]);
    assert!(
        case.wake(&case.own, [routine_report()]).contains("What now?"),
        "the message was not lost"
    );
    case.file(&case.task, None);
    assert!(
        case.wake(&case.far, [routine_report()]).contains("The van comes on Friday."),
        "moved back"
    );
}

#[test]
fn a_private_task_is_refused_as_private_whatever_its_category() {
    let case = Case::new();
    let health = case.category("Health");
    case.allow("acme", &[]);
    case.file(&case.task, Some(&health));
    case.flag_task(&case.task, true);
    case.run(&case.far, []);
    assert_eq!(case.last().kept_back.task(), Some(KeptBackReason::Private));
    assert_eq!(case.denied(), [case.refused("request", DenialReason::Private)]);
}

#[test]
fn a_server_of_ones_own_gets_what_is_private_and_only_its_categories() {
    let case = Case::new();
    let health = case.category("Health");
    case.linked("SECRET surgery", Some(&health));
    let entry = case.add("The PIN is 0000.");
    case.flag(&entry, true);
    let nothing = AllowedCategories { ids: Vec::new(), uncategorised: true };
    case.allow_only("home", Some(nothing));
    let sent = case.wake(&case.own, [routine_report()]);
    assert!(sent.contains("The PIN is 0000.") && !sent.contains("SECRET"), "{sent}");
    case.allow_only("home", None);
    assert!(case.wake(&case.own, [routine_report()]).contains("SECRET"));
}

#[test]
fn a_task_without_a_category_is_sent_only_where_that_is_allowed() {
    let case = Case::new();
    let work = case.category("Work");
    let only_work = AllowedCategories { ids: vec![work.clone()], uncategorised: false };
    case.allow_only("acme", Some(only_work));
    case.run(&case.far, []);
    assert_eq!(case.last().kept_back.task(), Some(KeptBackReason::Category));
    case.file(&case.task, Some(&work));
    assert!(case.wake(&case.far, [routine_report()]).contains("The van comes on Friday."));
}

#[test]
fn a_run_ends_when_its_task_is_moved_to_a_category_that_may_not_be_sent() {
    let case = Case::new();
    let health = case.category("Health");
    case.allow("acme", &[]);
    let (journal, task) = (case.world.journal.clone(), case.task.clone());
    case.world.hooks.once(Stage::BeforeCommit, "run.turn", move || {
        now(journal.edit(WS, &task, &[Edit::Category(Some(health))], &person())).expect("moved");
    });
    case.run(&case.far, [routine_report().and_goes_on()]);
    assert_eq!(case.far.sent.lock().expect("one thread").len(), 1, "the second turn is not sent");
    let run = case.last().run;
    assert_eq!((run.status, run.cut), (Status::Completed, false), "not at the turn limit");
    let why = run.error.expect("a reason");
    assert!(why.contains("of a category now that may not be sent to acme"), "{why}");
    assert_eq!(case.denied(), [case.refused("request", DenialReason::Category)]);
}

#[test]
fn a_call_on_a_task_that_was_moved_meanwhile_is_refused_and_audited() {
    let case = Case::new();
    let (home, work) = (case.category("Home"), case.category("Work"));
    case.file(&case.task, Some(&home));
    let (journal, task) = (case.world.journal.clone(), case.task.clone());
    case.world.hooks.once(Stage::AfterEffect, "model.ask", move || {
        now(journal.edit(WS, &task, &[Edit::Category(Some(work))], &person())).expect("moved");
    });
    case.run(&case.far, [repeats("Pack the books")]);
    let answers = case.world.answered(&case.agent);
    let shown: Vec<(bool, &str)> =
        answers.iter().map(|answer| (answer.refused, answer.text.as_str())).collect();
    assert!(!shown[0].0, "a note is not about the task: {shown:?}");
    assert!(shown[1].0 && shown[1].1.contains("another category"), "{shown:?}");
    assert!(!shown[2].0, "the report is still written: {shown:?}");
    let tool = "add_multiple_checklist_items";
    assert_eq!(case.denied(), [case.refused(tool, DenialReason::Moved)]);
    case.run(&case.far, [repeats("Pack the books")]);
    assert!(!case.world.answered(&case.agent).iter().any(|answer| answer.refused), "by the next");
}

#[test]
fn a_call_that_names_an_entry_which_its_model_may_not_see_is_audited_without_the_text() {
    let case = Case::new();
    let entry = case.add("Pay by 2026-04-02.");
    case.flag(&entry, true);
    let evidence = json!({ "entryId": entry, "quote": "Pay by 2026-04-02." });
    let due = json!({ "dueDate": "2026-04-02", "evidence": evidence });
    case.run(&case.far, [Answer::calls([("update_task_due_date", due)]), routine_report()]);
    assert!(case.world.answered(&case.agent)[0].refused);
    let denied = case.denied();
    assert_eq!(denied, [case.refused("update_task_due_date", DenialReason::Private)]);
}

#[test]
fn a_preview_leaves_out_what_the_wake_then_leaves_out() {
    let case = Case::new();
    let health = case.category("Health");
    case.linked("SECRET surgery", Some(&health));
    case.allow("acme", &[]);
    case.choose(&case.far);
    case.world.later(60);
    let Preview::Request(preview) = case.preview(None) else { panic!("a request") };
    let sent = case.wake(&case.far, [routine_report()]);
    assert_eq!(preview.kept_back, case.last().kept_back);
    let body = preview.outgoing.expect("a request").body;
    assert!(!body.contains("SECRET") && !sent.contains("SECRET"), "{body}");
}
