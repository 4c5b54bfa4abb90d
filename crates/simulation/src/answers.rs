//! What the model of a play says: whatever a model can say, and much that it should not.

use dormouse_types::limits;
use dormouse_types::model::{
    FragmentData, FragmentKind, Ledger, ModelError, ProviderState, Request, TaskState, ToolCall,
    TurnEvent, Usage,
};
use serde_json::{Value, json};

use crate::chance::Chance;
use crate::terms::{MOST_OUTPUT, PROVIDER, Place, Terms};

/// One event of an answer.
pub(crate) type Streamed = Result<TurnEvent, ModelError>;

/// What the parts that a provider wants back begin with: nowhere else may it be found.
pub(crate) const OPAQUE: &str = "opaque of thought ";

/// What a request says as data.
fn task(request: &Request) -> Option<&TaskState> {
    request.fragments.iter().find_map(|fragment| match &fragment.data {
        FragmentData::TaskState(task) => Some(&**task),
        _ => None,
    })
}

fn ledger(request: &Request) -> Option<&Ledger> {
    request.fragments.iter().find_map(|fragment| match &fragment.data {
        FragmentData::Decisions(ledger) => Some(ledger),
        _ => None,
    })
}

/// The answer to a request; `body` is what was sent.
pub(crate) fn answer(
    request: &Request,
    (terms, body): (&Terms, usize),
    nonsense: bool,
    chance: &mut Chance,
) -> Vec<Streamed> {
    let calls = match request.turn {
        0 => vec![summary(request, chance)],
        _ => calls(request, nonsense, chance),
    };
    let ended = !chance.one_in(4);
    let thought = chance.below(1 << 40);
    let is_in_pieces = terms.place != Place::BuiltIn;
    let text = |text: &str| Ok(TurnEvent::Text(text.to_owned()));
    let mut events = if is_in_pieces {
        vec![text("thought"), text(&format!(" {thought}"))]
    } else {
        vec![text(&format!("thought {thought}"))]
    };
    for (n, (name, args)) in calls.into_iter().enumerate() {
        if is_in_pieces {
            let json = args.to_string();
            let middle = (json.len() / 2..).find(|at| json.is_char_boundary(*at)).unwrap_or(0);
            let piece = |json: &str| TurnEvent::CallDelta {
                index: n,
                name: name.to_owned(),
                json: json.to_owned(),
            };
            events.extend([piece(&json[..middle]), piece(&json[middle..])].map(Ok));
        }
        // Some providers give no id, or the same one twice.
        let id = if chance.one_in(10) { String::new() } else { format!("c{}", n / 2) };
        events.push(Ok(TurnEvent::Call(ToolCall { id, name: name.to_owned(), args })));
    }
    if terms.place == Place::Provider {
        let data = format!("{OPAQUE}{thought}");
        let state = ProviderState { provider: PROVIDER.into(), data };
        events.push(Ok(TurnEvent::State(state)));
    }
    let usage = match terms.place {
        Place::BuiltIn => Some(Usage::default()),
        Place::OwnServer | Place::Provider => usage(body, nonsense, chance),
    };
    events.extend(usage.map(TurnEvent::Usage).map(Ok));
    if !(nonsense && chance.one_in(6)) {
        events.push(Ok(TurnEvent::End { ended }));
    }
    events
}

/// What a provider says that an answer used; sometimes nothing, and sometimes what cannot be.
fn usage(body: usize, nonsense: bool, chance: &mut Chance) -> Option<Usage> {
    if nonsense && chance.one_in(2) {
        let absurd = Usage { input: u64::MAX, output: u64::MAX, ..Usage::default() };
        return chance.one_in(2).then_some(absurd);
    }
    let most = u64::try_from(body / 2).unwrap_or(u64::MAX);
    // Some requests have a few more tokens than were reserved for them.
    let input = if chance.one_in(20) { most + 50 } else { most - chance.below(most / 2 + 1) };
    let cached_input = chance.below(input / 2 + 1);
    let output = chance.below(MOST_OUTPUT);
    Some(Usage { input, cached_input, output, ..Usage::default() })
}

/// A summary of the lines in a request, or something that is none.
fn summary(request: &Request, chance: &mut Chance) -> (&'static str, Value) {
    let of_kind = |kind| request.fragments.iter().find(|fragment| fragment.kind == kind);
    let text = |kind| of_kind(kind).map(|fragment| fragment.text.clone()).unwrap_or_default();
    let summary = match chance.below(8) {
        0 => String::new(),
        1 => text(FragmentKind::Instruction),
        2 => "on and on ".repeat(4000),
        3 => "The task jt-01jd7m3k5vn2c8q4w6x0z9abcd is another one.".to_owned(),
        _ => format!("The person wrote, {}.", chance.below(1 << 30)),
    };
    ("keep_summary", json!({ "summary": summary }))
}

fn calls(request: &Request, nonsense: bool, chance: &mut Chance) -> Vec<(&'static str, Value)> {
    let mut calls: Vec<(&str, Value)> = Vec::new();
    for _ in 0..chance.below(4) {
        calls.push(call(request, chance));
    }
    if nonsense {
        calls.push(("fold_the_laundry", json!({ "room": 4 })));
        calls.push(("update_task_due_date", json!({ "dueDate": "the day after" })));
        let wrong = json!({ "items": [{ "title": "" }, { "title": 7 }] });
        calls.push(("add_multiple_checklist_items", wrong));
        if chance.one_in(4) {
            let many = limits::CALLS_PER_WAKE.max + 10;
            calls.extend((0..many).map(|_| call(request, chance)));
        }
    }
    if chance.one_in(5)
        && let Some(again) = calls.first().cloned()
    {
        calls.push(again);
    }
    if !chance.one_in(6) {
        let n = chance.below(1 << 30);
        let content = format!("- [ ] what is left, in the words of {n}");
        calls.push((
            "update_report",
            json!({ "tldr": format!("All is well, says {n}."), "content": content }),
        ));
    }
    calls
}

fn call(request: &Request, chance: &mut Chance) -> (&'static str, Value) {
    let n = chance.below(1 << 40);
    match chance.below(12) {
        0 | 1 => {
            let titles =
                (0..=chance.below(2)).map(|at| json!({ "title": format!("step {n}.{at}") }));
            ("add_multiple_checklist_items", json!({ "items": titles.collect::<Vec<_>>() }))
        }
        2 => {
            let items = task(request).map(|task| task.items.as_slice()).unwrap_or_default();
            let Some(item) = chance.pick(items) else {
                return (
                    "record_observations",
                    json!({ "observations": [format!("no items {n}")] }),
                );
            };
            let one = json!({ "id": item.id, "isChecked": !item.is_checked });
            ("update_checklist_items", json!({ "items": [one] }))
        }
        3 => {
            let day = format!("2026-03-{:02}", 1 + chance.below(28));
            ("update_task_due_date", json!({ "dueDate": day }))
        }
        4 => ("update_task_estimate", json!({ "minutes": 1 + chance.below(1400) })),
        5 => {
            let priority = chance.pick(&["P0", "P1", "P2", "P3"]).copied();
            ("update_task_priority", json!({ "priority": priority }))
        }
        6 => ("set_task_title", json!({ "title": format!("title {n}") })),
        7 => {
            let labels = task(request).map(|task| task.available_labels.as_slice());
            let id = chance.pick(labels.unwrap_or_default()).map(|label| label.id.to_string());
            let id = id.unwrap_or_else(|| "lb-none".into());
            ("assign_task_labels", json!({ "labels": [{ "id": id, "confidence": "high" }] }))
        }
        8 => {
            let open = ledger(request).map(|ledger| ledger.open.as_slice()).unwrap_or_default();
            let fingerprint = chance.pick(open).map(|open| open.fingerprint.to_string());
            let one =
                json!({ "fingerprint": fingerprint.unwrap_or_default(), "reason": "it is old" });
            ("retract_suggestions", json!({ "proposals": [one] }))
        }
        9 | 10 => {
            let code = chance.pick(&["en", "de", "fr", "es"]).copied();
            ("set_task_language", json!({ "languageCode": code, "confidence": "high" }))
        }
        _ => ("record_observations", json!({ "observations": [format!("noted {n}")] })),
    }
}
