//! A model that never says the same twice, and does everything that a model should not do.

use std::sync::Arc;
use std::time::Duration;

use dormouse_types::limits;
use dormouse_types::model::{
    FragmentData, Ledger, ModelError, ProviderUnavailable, Request, TaskState, ToolCall, TurnEvent,
    Usage,
};
use dormouse_types::port::{BoxStream, Clock as _, Model, ModelClass};
use futures_util::stream::{self, StreamExt as _};
use serde_json::{Value, json};

use crate::chance::Chance;
use crate::faults::Fault;
use crate::oracle;
use crate::sim_backend::Turn;
use crate::sim_state::SimState;
use crate::time::SkewedClock;

/// The model of one node.
pub(crate) struct FuzzModel {
    pub(crate) sim: Arc<SimState>,
    pub(crate) owner: String,
    pub(crate) dial: SkewedClock,
}

type Streamed = Result<TurnEvent, ModelError>;

impl Model for FuzzModel {
    fn name(&self) -> &str {
        "oddball"
    }

    fn class(&self) -> ModelClass {
        self.sim.class
    }

    fn ask<'a>(&'a self, request: &'a Request) -> BoxStream<'a, Streamed> {
        Box::pin(stream::once(self.answer(request)).flat_map(stream::iter))
    }
}

impl FuzzModel {
    async fn answer(&self, request: &Request) -> Vec<Streamed> {
        let sim = &self.sim;
        let asking = oracle::model_called(sim, &self.owner, request);
        let strikes = |fault| sim.strikes(fault);
        if strikes(Fault::Stall) {
            let longest = limits::MODEL_SECONDS + 60;
            let stall = 30 + sim.draw(|chance| chance.below(longest));
            self.dial.sleep_until(self.dial.now() + Duration::from_secs(stall)).await;
        }
        for _ in 0..sim.draw(|chance| chance.below(4)) {
            Turn::of_others().await;
        }
        if sim.draw(|chance| chance.one_in(6)) {
            let millis = sim.draw(|chance| chance.below(8000));
            self.dial.sleep_until(self.dial.now() + Duration::from_millis(millis)).await;
        }
        let answer = if strikes(Fault::Away) {
            let whys = [
                ProviderUnavailable::Outage,
                ProviderUnavailable::Quota,
                ProviderUnavailable::Authentication,
            ];
            let why = sim
                .draw(|chance| chance.pick(&whys).copied())
                .unwrap_or(ProviderUnavailable::Outage);
            let provider = self.provider().to_owned();
            vec![Err(ModelError::Provider {
                provider,
                why,
                detail: "away".into(),
                retry_after: None,
            })]
        } else if strikes(Fault::Refusal) {
            vec![Err(ModelError::Request { detail: "too long".into() })]
        } else {
            let nonsense = strikes(Fault::Nonsense);
            sim.draw(|chance| turn(request, nonsense, chance))
        };
        drop(asking);
        answer
    }
}

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

fn turn(request: &Request, nonsense: bool, chance: &mut Chance) -> Vec<Streamed> {
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
    let ended = !chance.one_in(4);
    let mut events = vec![Ok(TurnEvent::Text(format!("thought {}", chance.below(1 << 30))))];
    for (n, (name, args)) in calls.into_iter().enumerate() {
        // Some providers give no id, or the same one twice.
        let id = if chance.one_in(10) { String::new() } else { format!("c{}", n / 2) };
        events.push(Ok(TurnEvent::Call(ToolCall { id, name: name.to_owned(), args })));
    }
    events.push(Ok(TurnEvent::Usage(Usage::default())));
    if !(nonsense && chance.one_in(6)) {
        events.push(Ok(TurnEvent::End { ended }));
    }
    events
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
