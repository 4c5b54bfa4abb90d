use dormouse_changes::rule::service::RuleError;
use dormouse_changes::tools;
use dormouse_journal::Edit;
use dormouse_store::agent::change_item::{Item, State};
use dormouse_store::agent::rule;
use dormouse_types::RuleId;
use dormouse_types::rule::{Condition, ValueClass};
use dormouse_types::task::{EntryKind, Flags};
use serde_json::json;

use crate::world::{WS, World, maker, now};

const DUE: &str = "update_task_due_date";

fn due_on(world: &World) -> Option<String> {
    world.state().due_on.map(|day| day.to_string())
}

fn confirm_by_rules(world: &World) -> Vec<Result<String, String>> {
    world.later(1);
    now(world.changes.confirm_by_rules()).expect("the rules are obeyed")
}

/// How many items wait for their rule.
fn waits(world: &World) -> usize {
    now(world.store.all(rule::waiting(9))).expect("readable").len()
}

fn only(world: &World) -> Item {
    let [item] = &world.items()[..] else { panic!("{:?}", world.items()) };
    item.clone()
}

fn remove(world: &World, rule: &RuleId) {
    now(world.changes.remove_rule(&maker(), rule)).expect("removed");
}

#[test]
fn what_a_rule_confirms_is_a_decision_of_the_rule_and_is_undone_like_any_other() {
    let world = World::new();
    let rule = world.apply_by_itself(DUE);
    let replies = world.propose(&[(DUE, json!({ "dueDate": "2026-03-20" }))]);
    assert_eq!(
        replies[0].text,
        "Proposed; a rule of the person applies it: Set due date to 2026-03-20."
    );
    assert_eq!(due_on(&world), None, "the commit that proposes applies nothing");
    assert_eq!(waits(&world), 1);

    assert_eq!(confirm_by_rules(&world).len(), 1);
    assert_eq!(due_on(&world).as_deref(), Some("2026-03-20"));
    let item = only(&world);
    assert_eq!(item.state, State::Confirmed);
    let decisions = world.decisions();
    assert_eq!(decisions.len(), 1);
    assert_eq!(decisions[0].by_rule, Some(rule.clone()));
    assert!(world.audited().contains(&format!("rule:{rule} change.confirm")));

    let open = world.undo(&item).expect("undone");
    assert_eq!((open.state, due_on(&world)), (State::Pending, None));
    assert_eq!(confirm_by_rules(&world), [], "what the person undid stays undone");
    assert_eq!((only(&world).state, waits(&world)), (State::Pending, 0));
    world.confirm(&only(&world)).expect("a person may still confirm it");
    assert_eq!(world.decisions()[0].by_rule, None);
}

#[test]
fn a_rule_confirms_once_however_often_it_is_tried() {
    let world = World::new();
    world.apply_by_itself("add_checklist_item");
    let items = json!({ "items": [{ "title": "Buy boxes" }, { "title": "Rent a van" }] });
    world.propose(&[("add_multiple_checklist_items", items)]);
    assert_eq!(confirm_by_rules(&world).len(), 2);
    assert_eq!(confirm_by_rules(&world), []);
    assert_eq!((world.state().items.len(), world.decisions().len()), (3, 2));
}

#[test]
fn an_item_waits_for_the_person_once_its_rule_is_removed() {
    let world = World::new();
    let rule = world.apply_by_itself(DUE);
    world.propose(&[(DUE, json!({ "dueDate": "2026-03-20" }))]);
    remove(&world, &rule);
    let lines = confirm_by_rules(&world);
    assert!(matches!(&lines[..], [Err(why)] if why.contains("waits for the person")), "{lines:?}");
    assert_eq!((only(&world).state, due_on(&world)), (State::Pending, None));
    assert_eq!((waits(&world), world.decisions().len()), (0, 0));
    let replies = world.propose(&[("set_task_title", json!({ "title": "Lyon" }))]);
    assert!(replies[0].text.starts_with("Proposed, waits for the person's review"), "{replies:?}");
}

#[test]
fn what_the_person_set_meanwhile_is_not_overwritten_by_a_rule() {
    let world = World::new();
    world.apply_by_itself(DUE);
    world.propose(&[(DUE, json!({ "dueDate": "2026-03-20" }))]);
    world.edit(&[Edit::DueOn(Some("2026-04-01".parse().expect("a day")))]);
    confirm_by_rules(&world);
    assert_eq!(due_on(&world).as_deref(), Some("2026-04-01"));
    assert_eq!(waits(&world), 0);
}

#[test]
fn nothing_that_removes_costs_or_rests_on_a_text_from_outside_is_applied_by_itself() {
    let world = World::new();
    world.apply_by_itself("update_checklist_item");
    world.apply_by_itself("start_agent_work");
    world.apply_by_itself(DUE);
    let item = world.first_item().to_string();
    let archive = json!({ "items": [{ "id": item, "isArchived": true }] });
    let work = json!({ "title": "Compare", "instructions": "Compare three movers." });
    world.propose(&[("update_checklist_items", archive), ("start_agent_work", work)]);
    assert_eq!(waits(&world), 0);

    let from_outside = Edit::AddEntry {
        kind: EntryKind::Text,
        text: Some("Set it to Friday.".into()),
        transcript: None,
        minutes: None,
        on: None,
        tainted: true,
        flags: Flags::NONE,
    };
    world.edit(&[from_outside]);
    world.propose(&[(DUE, json!({ "dueDate": "2026-03-20" }))]);
    assert_eq!((waits(&world), confirm_by_rules(&world)), (0, Vec::new()));
    assert!(world.items().iter().all(|item| item.state == State::Pending));
}

#[test]
fn what_a_client_proposes_waits_for_the_person() {
    let world = World::new();
    world.apply_by_itself(DUE);
    world.propose_as_client("one", DUE, json!({ "dueDate": "2026-03-20" }));
    assert_eq!((waits(&world), confirm_by_rules(&world)), (0, Vec::new()));
    assert_eq!(only(&world).state, State::Pending);
}

#[test]
fn a_rule_holds_back_what_fits_counts_it_and_lets_the_rest_through() {
    let world = World::new();
    let p1 = Condition::Value { class: ValueClass::P1 };
    let rule = world.hold_back("update_task_priority", Some(p1)).expect("a rule");
    let propose = |priority: &str| {
        world.propose(&[("update_task_priority", json!({ "priority": priority }))]).remove(0)
    };
    let reply = propose("P1");
    assert!(!reply.refused, "the model need not try again");
    assert!(reply.text.starts_with("Not proposed: a rule of the person holds back"), "{reply:?}");
    propose("P1");
    assert_eq!((world.items().len(), world.sets().len()), (0, 0), "nothing is opened");
    let held = now(world.store.all(rule::held_by(WS, &rule, 9))).expect("rows");
    let [one] = &held[..] else { panic!("{held:?}") };
    assert_eq!((one.times, &one.task), (2, &world.task));
    assert!(one.change.is_some(), "what would have changed is shown");
    let counts =
        now(world.store.all(rule::held_counts(WS, std::slice::from_ref(&rule)))).expect("counts");
    assert_eq!(counts, [(rule.clone(), 2, one.at)]);

    propose("P0");
    assert_eq!(only(&world).state, State::Pending);
    remove(&world, &rule);
    assert!(
        propose("P1").text.starts_with("Proposed"),
        "a rule that was removed holds back nothing"
    );
}

#[test]
fn words_of_a_new_item_hold_it_back_and_no_other() {
    let world = World::new();
    let words = Condition::Words { words: vec!["write tests".into()] };
    world.hold_back("add_multiple_checklist_items", Some(words)).expect("a rule");
    let items =
        json!({ "items": [{ "title": "Write more TESTS" }, { "title": "Write a letter" }] });
    world.propose(&[("add_multiple_checklist_items", items)]);
    assert!(only(&world).args.contains("Write a letter"));
}

#[test]
fn a_rule_about_everything_is_refused_with_what_to_do_instead() {
    let world = World::new();
    for tool in ["", "*", "Everything", "all"] {
        let refused = world.hold_back(tool, None).expect_err("refused");
        assert!(matches!(refused, RuleError::Everything), "{refused}");
        assert!(refused.to_string().contains("pause the agent"), "{refused}");
    }
    let mut refused = Vec::new();
    for item in tools::items() {
        refused.extend(world.hold_back(item.name(), None).err().map(|error| error.to_string()));
    }
    assert_eq!(refused, ["such a rule would hold back everything: pause the agent instead"]);
}

#[test]
fn a_rule_that_can_mean_nothing_is_refused() {
    let world = World::new();
    let refused = |tool: &str, condition| world.hold_back(tool, condition).expect_err("refused");
    assert!(refused("delete_task", None).to_string().contains("there is no tool delete_task"));
    assert!(matches!(refused("update_report", None), RuleError::UnknownTool { .. }));
    let blank = Some(Condition::Words { words: vec!["  ".into()] });
    assert!(matches!(refused("add_checklist_item", blank), RuleError::Condition(_)));
    world.hold_back(DUE, None).expect("a rule");
    assert!(matches!(refused("set_task_due_date", None), RuleError::Exists), "by any of its names");
    world.edit(&[Edit::Delete]);
    assert!(matches!(refused("set_task_title", None), RuleError::TaskDeleted { .. }));
    let unknown = RuleId::try_from(format!("ru-{}", "0".repeat(26))).expect("an id");
    let missing = now(world.changes.remove_rule(&maker(), &unknown)).expect_err("refused");
    assert!(matches!(missing, RuleError::NotFound { .. }));
}

#[test]
fn a_crash_at_any_commit_of_a_rule_applies_it_once() {
    for label in ["change.decide", "journal.edit", "change.conclude"] {
        let world = World::new();
        world.apply_by_itself(DUE);
        world.propose(&[(DUE, json!({ "dueDate": "2026-03-20" }))]);
        let confirm = |world: &World| drop(now(world.changes.confirm_by_rules()));
        assert!(world.crash_at(label, confirm), "{label} was reached");
        now(world.changes.recover(WS)).expect("recovered");
        confirm_by_rules(&world);
        confirm_by_rules(&world);
        assert_eq!(due_on(&world).as_deref(), Some("2026-03-20"), "{label}");
        assert_eq!((only(&world).state, world.decisions().len()), (State::Confirmed, 1), "{label}");
        assert_eq!(waits(&world), 0, "{label}");
    }
}
