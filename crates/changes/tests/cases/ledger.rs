use dormouse_changes::ledger;
use dormouse_journal::Edit;
use dormouse_types::agent::DecisionVerdict;
use dormouse_types::limits;
use dormouse_types::model::{Decided, Ledger, Resolution};
use dormouse_types::{Fingerprint, Timestamp};
use serde_json::json;

use crate::world::{WS, World, now};

fn lines(world: &World) -> Vec<String> {
    world.ledger().lines().map(ToOwned::to_owned).collect()
}

/// Only the lines about decisions.
fn decided(world: &World) -> Vec<String> {
    let text = world.ledger();
    let after = text.split("## Open Proposals").next().unwrap_or_default().to_owned();
    after.lines().skip(2).map(ToOwned::to_owned).collect()
}

#[test]
fn decisions_read_as_calls_with_their_outcome_newest_first() {
    let world = World::new();
    world.confirm(&world.open("set_task_title", json!({ "title": "Move to Lyon" }))).expect("ok");
    let estimate = world.open("update_task_estimate", json!({ "minutes": 120 }));
    world.reject(&estimate, Some("too little")).expect("rejected");
    world.reject(&world.due("2026-03-20"), None).expect("rejected");
    world
        .defer(&world.open("update_task_priority", json!({ "priority": "P0" })))
        .expect("deferred");
    let add = json!({ "items": [{ "title": "Buy boxes" }] });
    world.confirm(&world.open("add_multiple_checklist_items", add)).expect("confirmed");
    let lines = lines(&world);
    assert_eq!(lines[0], "## Recent User Decisions");
    assert_eq!(
        lines[2..7],
        [
            "✓ add_checklist_item(\"Buy boxes\") — confirmed",
            "… update_task_priority(P0) — deferred",
            "✗ update_task_due_date(2026-03-20) — rejected",
            "✗ update_task_estimate(120 min) — rejected (reason: \"too little\")",
            "✓ set_task_title(\"Move to Lyon\") — confirmed",
        ]
    );
    assert_eq!(lines[7], "## Open Proposals", "what was put off is open");
    let open = &world.items()[3];
    assert_eq!(lines[9], format!("- fp={} Set priority to P0 (urgent)", &open.fingerprint.0[..8]));
}

#[test]
fn what_expired_is_no_decision() {
    let world = World::new();
    world.due("2026-03-20");
    world.later(limits::PROPOSAL_AGE_SECONDS);
    now(world.changes.withdraw_stale(WS, &world.task)).expect("a sweep");
    assert_eq!(decided(&world), ["– update_task_due_date(2026-03-20) — no decision"]);
}

#[test]
fn verdicts_that_were_undone_or_came_to_nothing_are_left_out() {
    let world = World::new();
    let item = world.due("2026-03-20");
    world.reject(&item, Some("no")).expect("rejected");
    world.undo(&item).expect("undone");
    assert!(!world.ledger().contains('✗'), "{}", world.ledger());
    world.edit(&[Edit::DueOn(Some("2026-03-20".parse().expect("a day")))]);
    world.confirm(&item).expect_err("withdrawn");
    assert!(!world.ledger().contains('✓'), "{}", world.ledger());
    assert!(!world.ledger().contains("fp="), "{}", world.ledger());
}

fn rejected(n: i64, title: &str, reason: Option<String>) -> Decided {
    Decided {
        tool: "add_checklist_item".into(),
        args: json!({ "title": title }),
        verdict: Resolution::Decided(DecisionVerdict::Rejected),
        reason,
        at: Timestamp::from_micros(n),
        fingerprint: Fingerprint(format!("{n:064}")),
    }
}

fn text_of(decisions: Vec<Decided>) -> Vec<String> {
    let world = World::new();
    let text = ledger::text(&Ledger { decisions, open: Vec::new() }, &world.state());
    text.lines().filter(|line| line.starts_with('✗')).map(ToOwned::to_owned).collect()
}

#[test]
fn twenty_decisions_at_most_and_the_newest_stay() {
    let many = |n: i64| (0..n).map(|n| rejected(n, &format!("Item {n}"), None)).collect();
    assert_eq!(text_of(many(19)).len(), 19);
    assert_eq!(text_of(many(20)).len(), 20);
    let shown = text_of(many(21));
    assert_eq!(shown.len(), 20);
    assert!(shown[0].contains("Item 0"), "the list begins with the newest: {}", shown[0]);
    assert!(!shown.iter().any(|line| line.contains("Item 20\"")));
}

#[test]
fn the_history_keeps_to_its_tokens_and_no_single_decision_silences_the_rest() {
    let budget = limits::DECISION_TOKENS_IN_PROMPT * 4;
    let wordy: Vec<_> =
        (0..20).map(|n| rejected(n, &"x".repeat(300), Some("y".repeat(200)))).collect();
    let shown = text_of(wordy);
    assert!(!shown.is_empty());
    assert!(shown.iter().map(|line| line.len() + 1).sum::<usize>() <= budget);
    // The longest reason a person may give, in letters of two bytes.
    let longest = rejected(9, &"я".repeat(400), Some("ж".repeat(limits::REASON.max)));
    let shown = text_of(vec![longest, rejected(8, "Buy boxes", None)]);
    assert_eq!(shown.len(), 2, "{shown:?}");
    assert!(shown[0].contains("жжж") && shown[1].contains("Buy boxes"));
    assert!(shown.iter().map(|line| line.len() + 1).sum::<usize>() <= budget);
}
