//! Finds out how a model calls tools, by calls that must come back.

use std::time::Duration;

use dormouse_types::RunKey;
use dormouse_types::hash::sha256;
use dormouse_types::model::{
    Fragment, FragmentData, FragmentKind, ModelError, ProviderUnavailable, Request, ToolChoice,
    ToolSpec, TurnEvent, Usage,
};
use dormouse_types::model_settings::{FailedTest, ForcedCall, OutputLimit};
use dormouse_types::port::Clock;
use futures_util::StreamExt as _;
use serde_json::json;

use super::ToolMode;
use super::answer::read;
use super::chat_completions::other_output_limit;
use super::config::ModelConfig;
use super::failure::WireError;
use super::refused_choice;
use crate::http::Transport;

/// What a probe found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// The best rung on which the call came back; `None` if it came back on none.
    pub rung: Option<ToolMode>,
    /// The tokens of all calls together, as far as the server counts them.
    pub usage: Option<Usage>,
    /// Whether it is known of every call what it used: the server counted it, or refused to serve it. Of one that
    /// broke off it is not.
    pub is_counted: bool,
    /// From the request to the first event of the call that came back.
    pub first_event: Option<Duration>,
    /// Whether an answer was cut while the model thought, so that nobody knows whether it would have called.
    pub is_cut: bool,
    /// The member that limits the answers, if the server refused the one that it was sent first.
    pub output_limit: Option<OutputLimit>,
    /// What the server takes where a call is forced, if it refused the usual choice of a tool.
    pub forced_call: Option<ForcedCall>,
    /// Why the better rungs do not hold, in order.
    pub failures: Vec<(ToolMode, String)>,
}

/// What one call showed of its rung.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Shown {
    /// The call of the tool came back.
    Works { first_event: Option<Duration> },
    /// The model answered, and the call did not come back.
    Silent { problem: String, is_cut: bool },
    /// The server does not take such a request, or the model does not write what it should.
    Refused(ModelError),
    /// The server says that there is nothing of this name or at this address.
    Unknown(ModelError),
    /// The server failed. It may do so always if it is sent tools, or only now.
    Failed(ModelError),
    /// Other calls are pointless, too.
    Ends(ModelError),
}

/// What follows from the calls so far.
#[derive(Debug, PartialEq, Eq)]
enum Next {
    /// A call on this rung.
    Call(ToolMode),
    /// This is the best rung, if there is one.
    Found(Option<ToolMode>),
    /// The test shows nothing of how the model calls tools.
    Error(ModelError),
}

impl Shown {
    fn of(rung: ToolMode, answer: Result<Answer, ModelError>) -> Self {
        match answer {
            Ok(Answer { problem: None, first_event, .. }) => Self::Works { first_event },
            Ok(Answer { problem: Some(problem), is_cut, .. }) => Self::Silent { problem, is_cut },
            Err(error @ ModelError::Rejected { .. }) => Self::Refused(error),
            // What a filter stops may pass the next time. In the other ways the model writes its calls as text, and one
            // that nobody can read is what it does in that way.
            Err(error @ ModelError::Request { .. }) => match rung {
                ToolMode::Native => Self::Failed(error),
                ToolMode::Schema | ToolMode::Text => Self::Refused(error),
            },
            Err(ref error @ ModelError::Provider { why, .. }) => match why {
                ProviderUnavailable::Configuration | ProviderUnavailable::WrongAnswer => {
                    Self::Unknown(error.clone())
                }
                ProviderUnavailable::Outage | ProviderUnavailable::ServerError => {
                    Self::Failed(error.clone())
                }
                ProviderUnavailable::Authentication
                | ProviderUnavailable::Quota
                | ProviderUnavailable::Unreachable => Self::Ends(error.clone()),
            },
        }
    }

    /// Why its rung does not hold; `None` if it does.
    fn reason(&self) -> Option<String> {
        match self {
            Self::Works { .. } => None,
            Self::Silent { problem, .. } => Some(problem.clone()),
            Self::Refused(error)
            | Self::Unknown(error)
            | Self::Failed(error)
            | Self::Ends(error) => Some(match error {
                ModelError::Rejected { detail } | ModelError::Request { detail } => detail.clone(),
                ModelError::Provider { .. } => error.to_string(),
            }),
        }
    }
}

/// Decides what follows from the calls so far, in the order in which they were made.
///
/// That a server fails says nothing of tools, unless it serves other requests and fails again: so once another rung
/// was served, the best one whose call failed is tried again, and what it shows then holds.
fn next(calls: &[(ToolMode, Shown)]) -> Next {
    if let Some((_, Shown::Ends(error))) = calls.last() {
        return Next::Error(error.clone());
    }
    let rungs = || ToolMode::ALL.iter().copied();
    let works = |rung: &ToolMode| matches!(latest(calls, *rung), Some(Shown::Works { .. }));
    let found = rungs().find(works);
    let untried = rungs().find(|rung| latest(calls, *rung).is_none());
    if let Some(rung) = untried.filter(|_| found.is_none()) {
        return Next::Call(rung);
    }
    let failed = |(_, shown): &&(ToolMode, Shown)| matches!(shown, Shown::Failed(_));
    let is_served = !calls.iter().all(|call| failed(&call));
    let n_tried = rungs().filter(|rung| latest(calls, *rung).is_some()).count();
    let is_repeated = calls.len() > n_tried;
    match calls.iter().find(failed).filter(|_| is_served && !is_repeated) {
        Some((rung, _)) => Next::Call(*rung),
        None if found.is_some() => Next::Found(found),
        None => nothing_works(calls).map_or(Next::Found(None), Next::Error),
    }
}

/// What the last call on a rung showed.
fn latest(calls: &[(ToolMode, Shown)], rung: ToolMode) -> Option<&Shown> {
    calls.iter().rev().find(|(of, _)| *of == rung).map(|(_, shown)| shown)
}

/// The error of a test in which no rung works, if that says nothing of tools.
fn nothing_works(calls: &[(ToolMode, Shown)]) -> Option<ModelError> {
    let shown: Vec<&Shown> = ToolMode::ALL.iter().filter_map(|rung| latest(calls, *rung)).collect();
    // On the last rung nothing but a text is sent: if that is refused, the fault is the name or the
    // address.
    if let Some(Shown::Unknown(error)) = shown.last() {
        return Some(error.clone());
    }
    let error_of = |shown: &&Shown| match shown {
        Shown::Failed(error) => Some(error.clone()),
        Shown::Works { .. }
        | Shown::Silent { .. }
        | Shown::Refused(_)
        | Shown::Unknown(_)
        | Shown::Ends(_) => None,
    };
    let failed: Option<Vec<ModelError>> = shown.iter().map(error_of).collect();
    if let Some(failed) = failed {
        // One that may have cost something is the error of all of them.
        let may_cost = failed.iter().find(|error| !error.costs_nothing());
        return may_cost.or(failed.first()).cloned();
    }
    // The same refusal however the tool is offered is about something else than tools.
    let refusal_of = |shown: &&Shown| match shown {
        Shown::Refused(error) | Shown::Failed(error) => Some(error.clone()),
        Shown::Works { .. } | Shown::Silent { .. } | Shown::Unknown(_) | Shown::Ends(_) => None,
    };
    let refusals: Vec<ModelError> = shown.iter().map(refusal_of).collect::<Option<_>>()?;
    let (first, rest) = refusals.split_first()?;
    rest.iter().all(|error| error == first).then(|| first.clone())
}

const TOOL: &str = "confirm_word";
const WORD: &str = "hazelnut";

/// Units: bytes. A model that says more than this instead of a call is not listened to any longer. It may think as
/// long as in a turn.
const MAX_TEXT: usize = 4096;

/// Tries the rungs from the best to the last, each with one real call of one tool, and one of them again whose call
/// failed while another was served. `config.rung` has no influence. The caller limits the time.
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
    let mut calls = Vec::new();
    let (mut usage, mut is_counted) = (None::<Usage>, true);
    let (mut output_limit, mut forced_call) = (None, None);
    loop {
        let rung = match next(&calls) {
            Next::Call(rung) => rung,
            Next::Error(error) => return Err(FailedTest { error, usage, is_counted }),
            Next::Found(rung) => {
                let found = rung.and_then(|rung| latest(&calls, rung));
                let first_event = match found {
                    Some(Shown::Works { first_event }) => *first_event,
                    Some(_) | None => None,
                };
                let is_cut = calls
                    .iter()
                    .any(|(_, shown)| matches!(shown, Shown::Silent { is_cut: true, .. }));
                let better =
                    ToolMode::ALL.iter().copied().filter(|it| rung.is_none_or(|rung| *it < rung));
                let reason = |rung| Some((rung, latest(&calls, rung)?.reason()?));
                let failures = better.filter_map(reason).collect();
                return Ok(Probe {
                    rung,
                    usage,
                    is_counted,
                    first_event,
                    is_cut,
                    output_limit,
                    forced_call: forced_call.filter(|_| rung == Some(ToolMode::Native)),
                    failures,
                });
            }
        };
        let config = ModelConfig {
            rung,
            output_limit: output_limit.or(config.output_limit),
            forced_call: forced_call.or(config.forced_call),
            ..config.clone()
        };
        let (answer, counted) = call(transport, &config, clock, &request).await;
        let answer = answer.map_err(|error| error.into_model_error(&config));
        is_counted &= counted.is_some() || answer.as_ref().is_err_and(ModelError::costs_nothing);
        usage = [usage, counted].into_iter().flatten().reduce(Usage::plus);
        // A refusal of the member that limits the answer is about that member alone.
        let other = answer.as_ref().err().and_then(|error| other_output_limit(error, &config));
        if let Some(other) = other.filter(|_| output_limit.is_none()) {
            output_limit = Some(other);
            continue;
        }
        // A refusal of the choice of a tool is about how a call is forced, and not about tools.
        let weaker = answer.as_ref().err();
        match weaker.and_then(|error| refused_choice::weaker(error, &config, &request)) {
            Some(weaker) => forced_call = Some(weaker),
            None => calls.push((rung, Shown::of(rung, answer))),
        }
    }
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
        // By its name, as in the turn that only writes the report.
        tool_choice: ToolChoice::OneOf(vec![TOOL.to_owned()]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outage(status: &str) -> ModelError {
        ModelError::Provider {
            provider: "acme".to_owned(),
            why: ProviderUnavailable::ServerError,
            detail: status.to_owned(),
            retry_after: None,
        }
    }

    fn works() -> Shown {
        Shown::Works { first_event: None }
    }

    fn silent() -> Shown {
        Shown::Silent { problem: "it called nothing".to_owned(), is_cut: false }
    }

    /// What a test calls until it ends, if each rung shows these one after the other.
    fn played(native: &[Shown], schema: &[Shown], fenced: &[Shown]) -> (Vec<ToolMode>, Next) {
        let mut calls = Vec::new();
        loop {
            let rung = match next(&calls) {
                Next::Call(rung) => rung,
                end => return (calls.into_iter().map(|(rung, _)| rung).collect(), end),
            };
            let shown = match rung {
                ToolMode::Native => native,
                ToolMode::Schema => schema,
                ToolMode::Text => fenced,
            };
            let n = calls.iter().filter(|(of, _)| *of == rung).count();
            calls.push((rung, shown[n].clone()));
        }
    }

    #[test]
    fn a_rung_whose_call_failed_is_tried_again_once_another_one_was_served() {
        use ToolMode::{Native, Schema, Text};
        let down = || Shown::Failed(outage("502"));
        let refused = || Shown::Refused(ModelError::Rejected { detail: "no".to_owned() });
        let cases = [
            (played(&[works()], &[], &[]), vec![Native], Next::Found(Some(Native))),
            (
                played(&[down(), works()], &[works()], &[]),
                vec![Native, Schema, Native],
                Next::Found(Some(Native)),
            ),
            (
                played(&[down(), down()], &[works()], &[]),
                vec![Native, Schema, Native],
                Next::Found(Some(Schema)),
            ),
            (
                played(&[down(), works()], &[refused()], &[refused()]),
                vec![Native, Schema, Text, Native],
                Next::Found(Some(Native)),
            ),
            (
                played(&[silent()], &[down(), works()], &[works()]),
                vec![Native, Schema, Text, Schema],
                Next::Found(Some(Schema)),
            ),
            (
                played(&[down(), down()], &[down()], &[works()]),
                vec![Native, Schema, Text, Native],
                Next::Found(Some(Text)),
            ),
            (
                played(&[down()], &[down()], &[down()]),
                vec![Native, Schema, Text],
                Next::Error(outage("502")),
            ),
            (
                played(&[silent()], &[silent()], &[silent()]),
                vec![Native, Schema, Text],
                Next::Found(None),
            ),
            (
                played(&[down(), Shown::Ends(outage("429"))], &[works()], &[]),
                vec![Native, Schema, Native],
                Next::Error(outage("429")),
            ),
        ];
        for ((calls, end), expected_calls, expected_end) in cases {
            assert_eq!((calls, end), (expected_calls, expected_end));
        }
    }
}
