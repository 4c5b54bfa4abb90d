//! Finds out how a model calls tools, by calls that must come back.

use std::time::Duration;

use dormouse_types::RunKey;
use dormouse_types::hash::sha256;
use dormouse_types::model::{
    Fragment, FragmentData, FragmentKind, ModelError, ProviderUnavailable, Request, ToolChoice,
    ToolSpec, TurnEvent, Usage,
};
use dormouse_types::model_settings::FailedTest;
use dormouse_types::port::Clock;
use futures_util::StreamExt as _;
use serde_json::json;

use super::answer::read;
use super::config::{ModelConfig, Rung};
use super::failure::WireError;
use crate::http::Transport;

/// What a probe found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The best rung on which the call came back; `None` if it came back on none.
    pub rung: Option<Rung>,
    /// The tokens of all calls together, as far as the server counts them.
    pub usage: Option<Usage>,
    /// Whether it is known of every call what it used: the server counted it, or refused to serve it. Of one that
    /// broke off it is not.
    pub is_counted: bool,
    /// From the request to the first event of the call that came back.
    pub first_event: Option<Duration>,
    /// Whether an answer was cut while the model thought, so that nobody knows whether it would have called.
    pub is_cut: bool,
    /// Why the better rungs do not hold, in order.
    pub failures: Vec<(Rung, String)>,
}

const TOOL: &str = "confirm_word";
const WORD: &str = "hazelnut";

/// Units: bytes. A model that says more than this instead of a call is not listened to any longer. It may think as
/// long as in a turn.
const MAX_TEXT: usize = 4096;

/// Tries the rungs from the best to the last, each with one real call of one tool. `config.rung` has
/// no influence. The caller limits the time.
///
/// Errors: the provider is unavailable on every rung, refuses the key, has no such model, or refuses
/// every request for the same reason; with what the
/// calls used until then. A request that it refuses on one rung, as for a model without tools, leads to the next: some servers answer
/// it with 500, others that they have no such model.
pub async fn probe(
    transport: &dyn Transport,
    config: &ModelConfig,
    clock: &dyn Clock,
) -> Result<Probe, FailedTest> {
    let request = probe_request();
    let mut failures = Vec::new();
    let (mut usage, mut is_counted, mut is_cut) = (None::<Usage>, true, false);
    let mut unknown = None;
    let (mut outages, mut refusals) = (Vec::new(), Vec::new());
    for rung in Rung::ALL.iter().copied() {
        let config = ModelConfig { rung, ..config.clone() };
        let (answer, counted) = call(transport, &config, clock, &request).await;
        let answer = answer.map_err(|error| error.into_model_error(&config));
        is_counted &= counted.is_some() || answer.as_ref().is_err_and(ModelError::costs_nothing);
        usage = [usage, counted].into_iter().flatten().reduce(Usage::plus);
        match answer {
            Ok(Answer { problem: None, first_event, .. }) => {
                let rung = Some(rung);
                return Ok(Probe { rung, usage, is_counted, first_event, is_cut, failures });
            }
            Ok(Answer { problem: Some(problem), is_cut: is_this_cut, .. }) => {
                is_cut |= is_this_cut;
                failures.push((rung, problem));
            }
            Err(error @ (ModelError::Rejected { .. } | ModelError::Request { .. })) => {
                let (ModelError::Rejected { detail }
                | ModelError::Request { detail }
                | ModelError::Provider { detail, .. }) = &error;
                failures.push((rung, detail.clone()));
                refusals.push(error);
            }
            Err(
                error @ ModelError::Provider {
                    why: ProviderUnavailable::Configuration | ProviderUnavailable::WrongAnswer,
                    ..
                },
            ) => {
                failures.push((rung, error.to_string()));
                unknown = Some(error);
            }
            Err(
                error @ ModelError::Provider {
                    why: ProviderUnavailable::Outage | ProviderUnavailable::ServerError,
                    ..
                },
            ) => {
                failures.push((rung, error.to_string()));
                outages.push(error);
            }
            Err(
                error @ ModelError::Provider {
                    why:
                        ProviderUnavailable::Authentication
                        | ProviderUnavailable::Quota
                        | ProviderUnavailable::Unreachable,
                    ..
                },
            ) => return Err(FailedTest { error, usage, is_counted }),
        }
    }
    let failed = |error| FailedTest { error, usage, is_counted };
    // On the last rung nothing but a text is sent: if that is refused, the fault is the name or the
    // address.
    match unknown {
        Some(error) if failures.last().is_some_and(|(_, reply)| *reply == error.to_string()) => {
            return Err(failed(error));
        }
        Some(_) | None => {}
    }
    if outages.len() == Rung::ALL.len() {
        // One that may have cost something stands for all of them.
        let is_silent = |error: &ModelError| {
            matches!(error, ModelError::Provider { why: ProviderUnavailable::Outage, .. })
        };
        let stands_for_all = outages.iter().position(is_silent).unwrap_or(0);
        return Err(failed(outages.swap_remove(stands_for_all)));
    }
    // The same refusal however the tool is offered is about something else than tools.
    if refusals.len() == Rung::ALL.len() && refusals.iter().all(|it| *it == refusals[0]) {
        return Err(failed(refusals.swap_remove(0)));
    }
    Ok(Probe { rung: None, usage, is_counted, first_event: None, is_cut, failures })
}

struct Answer {
    problem: Option<String>,
    is_cut: bool,
    first_event: Option<Duration>,
}

/// Makes one call. The second value is what the provider reports of it, also of an answer that cannot be used.
async fn call(
    transport: &dyn Transport,
    config: &ModelConfig,
    clock: &dyn Clock,
    request: &Request,
) -> (Result<Answer, WireError>, Option<Usage>) {
    let start = clock.now();
    let mut events = read(transport, config, request);
    let mut first_event = None;
    let mut calls = Vec::new();
    let (mut usage, mut n_text_bytes) = (None, 0);
    while let Some(event) = events.next().await {
        let event = match event {
            Ok(event) => event,
            Err(WireError::UsedUp) => {
                let most = config.max_output_tokens;
                let problem = Some(format!(
                    "it was cut at {most} tokens while it thought, before it called a tool"
                ));
                return (Ok(Answer { problem, is_cut: true, first_event }), usage);
            }
            Err(error) => return (Err(error), usage),
        };
        if first_event.is_none() {
            let micros = clock.now().micros().saturating_sub(start.micros());
            first_event = Some(Duration::from_micros(u64::try_from(micros).unwrap_or(0)));
        }
        match event {
            TurnEvent::Call(call) => calls.push(call),
            TurnEvent::Usage(counts) => usage = Some(counts),
            TurnEvent::Text(text) => n_text_bytes += text.len(),
            TurnEvent::CallDelta { .. } | TurnEvent::State(_) | TurnEvent::End { .. } => {}
        }
        if n_text_bytes > MAX_TEXT && calls.is_empty() {
            break;
        }
    }
    let found = calls.iter().find(|call| call.name == TOOL);
    let problem = match found {
        Some(call) if call.args.get("word").is_some_and(|word| word == WORD) => None,
        Some(_) => Some("the model called the tool with other arguments than it was given".into()),
        None if calls.is_empty() => Some("the model answered without calling the tool".into()),
        None => Some("the model called a tool that it was not offered".into()),
    };
    (Ok(Answer { problem, is_cut: false, first_event }), usage)
}

/// The request that each call of a probe sends.
pub fn probe_request() -> Request {
    let fragment = |kind, text: &str| Fragment {
        kind,
        text: text.to_owned(),
        data: FragmentData::None,
        tainted: false,
        block_ends: Vec::new(),
    };
    Request {
        run_key: RunKey(sha256("model probe").0),
        turn: 1,
        fragments: vec![
            fragment(FragmentKind::System, "You test whether tools can be called."),
            fragment(
                FragmentKind::Instruction,
                &format!("Call the tool {TOOL} once, with the word {WORD}."),
            ),
        ],
        turns: Vec::new(),
        tools: vec![ToolSpec {
            name: TOOL.to_owned(),
            description: "Confirms that a word arrived.".to_owned(),
            parameters: json!({
                "type": "object",
                "properties": { "word": { "type": "string", "enum": [WORD] } },
                "required": ["word"],
                "additionalProperties": false
            }),
        }],
        tool_choice: ToolChoice::Required,
    }
}
