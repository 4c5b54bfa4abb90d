//! Which calls a turn makes.

use dormouse_types::agent::DecisionVerdict;
use dormouse_types::change::What;
use dormouse_types::model::{
    Decided, Fragment, FragmentData, FragmentKind, Ledger, Request, Resolution, ToolResult, Turn,
};
use dormouse_types::{Fingerprint, Timestamp};
use jiff::civil::date;

use crate::desk::{Desk, calls};

fn fence() -> Desk {
    Desk::new("Fence", date(2025, 6, 1)).item("Order the posts", false).entry(
        "We need 14 posts for the fence, and the neighbour agreed to pay half of it. The gate was delivered on Monday, but it is too wide for the gap that we have between the two posts.",
    )
}

fn names(request: &Request) -> Vec<String> {
    calls(request).into_iter().map(|call| call.name).collect()
}

fn instruct(request: &mut Request, change: impl Fn(&mut dormouse_types::model::Instruction)) {
    for fragment in &mut request.fragments {
        if let FragmentData::Instruction(instruction) = &mut fragment.data {
            change(instruction);
        }
    }
}

fn answered(request: &Request, refused: bool) -> Turn {
    let calls = calls(request);
    let results = calls
        .iter()
        .map(|call| ToolResult { call_id: call.id.clone(), refused, text: String::new() })
        .collect();
    Turn { text: String::new(), calls, results, ended: true, provider_state: None }
}

#[test]
fn the_first_turn_names_the_language_first_and_reports_last() {
    let request = fence().request();
    let names = names(&request);
    assert_eq!(names.first().map(String::as_str), Some("set_task_language"));
    assert_eq!(names.last().map(String::as_str), Some("update_report"));
    let ids: Vec<String> = calls(&request).into_iter().map(|call| call.id).collect();
    let expected: Vec<String> = (1..=ids.len()).map(|n| format!("call-{n}")).collect();
    assert_eq!(ids, expected);
}

#[test]
fn a_language_that_is_set_or_cannot_be_recognised_is_not_named() {
    let mut desk = fence();
    desk.state.language = Some("de".into());
    assert!(!names(&desk.request()).contains(&"set_task_language".to_owned()));
    let short = Desk::new("Fence", date(2025, 6, 1)).entry("Posts!");
    assert!(!names(&short.request()).contains(&"set_task_language".to_owned()));
}

#[test]
fn when_only_a_report_may_be_written_only_a_report_is() {
    let mut request = fence().request();
    instruct(&mut request, |instruction| instruction.report_only = true);
    assert_eq!(names(&request), ["update_report"]);
}

#[test]
fn a_later_turn_is_silent_once_the_report_is_accepted() {
    let mut request = fence().request();
    request.turns.push(answered(&request, false));
    request.turn = 2;
    assert_eq!(names(&request), Vec::<String>::new());
}

#[test]
fn a_refused_report_is_written_again_under_a_new_call_id() {
    let mut request = fence().request();
    let n_calls = calls(&request).len();
    request.turns.push(answered(&request, true));
    request.turn = 2;
    let again = calls(&request);
    assert_eq!(again.len(), 1);
    assert_eq!(
        (again[0].name.as_str(), again[0].id.clone()),
        ("update_report", format!("call-{}", n_calls + 1))
    );
}

#[test]
fn nothing_material_is_no_report() {
    let mut desk = fence().since("All is calm.");
    desk.changes = vec![What::TaskRestored];
    assert!(!names(&desk.request()).contains(&"update_report".to_owned()));
    assert!(names(&fence().since("All is calm.").request()).contains(&"update_report".to_owned()));
}

#[test]
fn a_proposal_accepted_since_the_last_report_is_material() {
    let decided = |verdict, micros| {
        let mut request = {
            let mut desk = fence().since("All is calm.");
            desk.changes = vec![];
            desk.request()
        };
        request.fragments.push(Fragment {
            kind: FragmentKind::Decisions,
            text: String::new(),
            data: FragmentData::Decisions(Ledger {
                decisions: vec![Decided {
                    tool: "add_checklist_item".into(),
                    args: serde_json::json!({ "title": "Paint the gate" }),
                    verdict,
                    reason: None,
                    at: Timestamp::from_micros(micros),
                    fingerprint: Fingerprint("f".repeat(64)),
                }],
                open: vec![],
            }),
            tainted: false,
            block_ends: Vec::new(),
        });
        names(&request).contains(&"update_report".to_owned())
    };
    assert!(decided(Resolution::Decided(DecisionVerdict::Confirmed), 5));
    assert!(!decided(Resolution::Decided(DecisionVerdict::Confirmed), 1), "it was noted already");
    assert!(!decided(Resolution::Decided(DecisionVerdict::Rejected), 5));
}

#[test]
fn a_request_without_a_task_gets_no_call() {
    let mut request = fence().request();
    request.fragments.clear();
    assert_eq!(names(&request), Vec::<String>::new());
}

#[test]
fn the_summary_names_what_holds_the_task_up_and_when_it_is_due() {
    let mut desk = fence();
    desk.state.status = dormouse_types::task::Status::Blocked;
    desk.state.status_reason = Some("the saw mill is closed".into());
    desk.state.due_on = Some(date(2025, 7, 1));
    let (tldr, _) = desk.report().expect("a report");
    assert!(tldr.contains("Blocked: the saw mill is closed."), "{tldr}");
    assert!(tldr.contains("due 2025-07-01"), "{tldr}");
}
