//! Asks a model for one turn and collects its stream.

use std::collections::BTreeSet;
use std::time::Duration;

use dormouse_types::model::{
    ModelError, ProviderState, ProviderUnavailable, Request, TurnEvent, Usage, unique_call_id,
};
use dormouse_types::port::{BoxFuture, BoxStream, Clock, Model};
use dormouse_types::{HolderId, RunKey, WorkspaceId};
use futures_util::StreamExt as _;
use futures_util::future::{Either, select};

use crate::nul::{replace_in_failure, replace_in_turn};
use crate::step::LoggedTurn;

/// A turn that a model is writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LiveTurn<'a> {
    /// Workspace of the run.
    pub ws: WorkspaceId,
    /// Whose run it is.
    pub holder: &'a HolderId,
    pub run: &'a RunKey,
    /// Number of the turn, from 1.
    pub turn: u32,
}

/// Receives a turn while the model is still writing it, for people who watch the run.
///
/// It is a preview: a turn counts only once it is recorded, and an answer that breaks off is not.
pub trait DeltaSink: Send + Sync {
    /// Called for each piece of text, in order.
    fn text(&self, turn: &LiveTurn<'_>, delta: &str) {
        let _ = (turn, delta);
    }

    /// Called for each piece of the JSON of a call's arguments, in order. `index` is the position of
    /// the call in the turn, from 0.
    fn call(&self, turn: &LiveTurn<'_>, index: usize, tool: &str, json: &str) {
        let _ = (turn, index, tool, json);
    }

    /// Called once when this process drives the run no longer, however that came about. Nothing of
    /// it follows.
    fn ended(&self, ws: WorkspaceId, holder: &HolderId, run: &RunKey) {
        let _ = (ws, holder, run);
    }
}

/// Nobody watches.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoSink;

impl DeltaSink for NoSink {}

/// Says that a run has ended when it is dropped: a run can end by being dropped itself.
pub(crate) struct EndOfRun<'a> {
    pub(crate) sink: &'a dyn DeltaSink,
    pub(crate) ws: WorkspaceId,
    pub(crate) holder: &'a HolderId,
    pub(crate) run: &'a RunKey,
}

impl Drop for EndOfRun<'_> {
    fn drop(&mut self) {
        self.sink.ended(self.ws, self.holder, self.run);
    }
}

/// A turn that a model gave.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    pub turn: LoggedTurn,
    /// What the provider said that it used; `None` if it said nothing.
    pub usage: Option<Usage>,
}

/// A call whose answer is no turn.
#[derive(Debug, Clone, PartialEq)]
pub struct FailedCall {
    pub error: ModelError,
    /// What the provider said that it used all the same, as with a refusal; `None` if it said nothing.
    pub usage: Option<Usage>,
}

impl From<ModelError> for FailedCall {
    fn from(error: ModelError) -> Self {
        Self { error, usage: None }
    }
}

/// Why there is no turn.
#[derive(Debug, Clone, PartialEq)]
pub enum NoAnswer {
    /// The model failed, or its provider.
    Failed(FailedCall),
    /// The run had no time left, and the model was still writing.
    OverTime,
}

impl From<ModelError> for NoAnswer {
    fn from(error: ModelError) -> Self {
        Self::Failed(error.into())
    }
}

/// Asks for one turn of a run of `holder`, which may take as long as the model's patience allows, and
/// no longer than what is `left` of the run's time.
pub async fn turn(
    model: &dyn Model,
    (ws, holder): (WorkspaceId, &HolderId),
    request: &Request,
    sink: &dyn DeltaSink,
    clock: &dyn Clock,
    left: Duration,
) -> Result<Answer, NoAnswer> {
    let live = LiveTurn { ws, holder, run: &request.run_key, turn: request.turn };
    let mut turn = LoggedTurn::default();
    let mut usage = None;
    let mut complete = false;
    let patience = model.patience();
    let mut limit = patience.first;
    let (end, mut over) = (clock.now() + left, clock.sleep(left));
    let mut is_writing = false;
    let mut events = model.ask(request);
    loop {
        let event = match next_within(&mut events, clock.sleep(limit), &mut over).await {
            Next::Event(Ok(event)) => event,
            Next::Event(Err(mut error)) => {
                replace_in_failure(&mut error);
                return Err(NoAnswer::Failed(FailedCall { error, usage }));
            }
            Next::End => break,
            Next::Late => return Err(late(model, limit).into()),
            Next::OverTime if is_writing => return Err(NoAnswer::OverTime),
            Next::OverTime => return Err(late(model, left).into()),
        };
        // Events may come without a pause, and then nothing else is looked at.
        if is_writing && clock.now() > end {
            return Err(NoAnswer::OverTime);
        }
        limit = patience.between;
        is_writing = true;
        match event {
            TurnEvent::Text(text) => {
                sink.text(&live, &text);
                turn.text.push_str(&text);
            }
            TurnEvent::CallDelta { index, name, json } => {
                sink.call(&live, index, &name, &json);
            }
            TurnEvent::Call(call) => turn.calls.push(call),
            TurnEvent::State(state) => turn.provider_state = Some(state),
            TurnEvent::Usage(tokens) => usage = Some(tokens),
            TurnEvent::End { ended } => {
                turn.ended = ended;
                complete = true;
            }
        }
    }
    if !complete {
        return Err(ModelError::Request { detail: "the answer broke off".into() }.into());
    }
    if let Some(error) = turn.provider_state.as_ref().and_then(beyond_limit) {
        return Err(NoAnswer::Failed(FailedCall { error, usage }));
    }
    replace_in_turn(&mut turn);
    unique_ids(&mut turn, request.turn);
    turn.results = vec![None; turn.calls.len()];
    Ok(Answer { turn, usage })
}

/// What comes next while a model writes.
enum Next {
    Event(Result<TurnEvent, ModelError>),
    End,
    /// Nothing came within the limit.
    Late,
    /// The time of the run is up.
    OverTime,
}

async fn next_within(
    events: &mut BoxStream<'_, Result<TurnEvent, ModelError>>,
    limit: BoxFuture<'static, ()>,
    over: &mut BoxFuture<'static, ()>,
) -> Next {
    match select(events.next(), select(over, limit)).await {
        Either::Left((Some(event), _)) => Next::Event(event),
        Either::Left((None, _)) => Next::End,
        Either::Right((Either::Left(((), _)), _)) => Next::OverTime,
        Either::Right((Either::Right(((), _)), _)) => Next::Late,
    }
}

/// The error of a model that did not answer in time.
fn late(model: &dyn Model, limit: Duration) -> ModelError {
    ModelError::Provider {
        provider: model.provider().to_owned(),
        why: ProviderUnavailable::Outage,
        detail: format!("it said nothing for {} seconds", limit.as_secs()),
        retry_after: None,
    }
}

fn beyond_limit(state: &ProviderState) -> Option<ModelError> {
    let beyond = ProviderState::check_size(state.data.len()).err();
    beyond.map(|detail| ModelError::Request { detail })
}

/// Gives calls without a unique id a new one, because results are matched by id.
fn unique_ids(turn: &mut LoggedTurn, number: u32) {
    let mut taken = BTreeSet::new();
    for (place, call) in turn.calls.iter_mut().enumerate() {
        call.id = unique_call_id(std::mem::take(&mut call.id), number, place, &taken);
        taken.insert(call.id.clone());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use dormouse_types::Timestamp;
    use dormouse_types::model::{ToolCall, ToolChoice};
    use dormouse_types::port::{BoxFuture, ModelClass, Patience};
    use futures_util::{FutureExt as _, stream};
    use serde_json::json;

    use super::*;

    /// Gives these events, then nothing more, or never an end.
    struct Fixed {
        events: Vec<TurnEvent>,
        hangs: bool,
    }

    impl Model for Fixed {
        fn name(&self) -> &str {
            "fixed"
        }

        fn class(&self) -> ModelClass {
            ModelClass::Free
        }

        fn patience(&self) -> Patience {
            Patience::local()
        }

        fn ask<'a>(&'a self, _: &'a Request) -> BoxStream<'a, Result<TurnEvent, ModelError>> {
            let events = stream::iter(self.events.iter().cloned().map(Ok));
            if self.hangs { Box::pin(events.chain(stream::pending())) } else { Box::pin(events) }
        }
    }

    /// What is left of the time of a run.
    const LEFT: Duration = Duration::from_secs(1800);

    /// Sleeps shorter than what is left of the run end at once, if time passes at all.
    struct Time {
        passes: bool,
    }

    impl Clock for Time {
        fn now(&self) -> Timestamp {
            Timestamp::from_micros(0)
        }

        fn sleep_until(&self, at: Timestamp) -> BoxFuture<'static, ()> {
            if self.passes && at < self.now() + LEFT {
                Box::pin(std::future::ready(()))
            } else {
                Box::pin(std::future::pending())
            }
        }
    }

    #[derive(Default)]
    struct Seen(Mutex<Vec<String>>);

    impl DeltaSink for Seen {
        fn text(&self, turn: &LiveTurn<'_>, delta: &str) {
            self.0.lock().expect("one thread").push(format!("{}: {delta}", turn.turn));
        }

        fn call(&self, _: &LiveTurn<'_>, index: usize, tool: &str, json: &str) {
            self.0.lock().expect("one thread").push(format!("{index} {tool}: {json}"));
        }
    }

    fn holder() -> HolderId {
        "ag-01jd7m3k5vn2c8q4w6x0z9abcd".parse().expect("an id")
    }

    fn request() -> Request {
        Request {
            run_key: RunKey("k".into()),
            turn: 2,
            fragments: Vec::new(),
            turns: Vec::new(),
            tools: Vec::new(),
            tool_choice: ToolChoice::Auto,
        }
    }

    #[expect(clippy::result_large_err, reason = "it is the result of what is tested")]
    fn ask(events: Vec<TurnEvent>, sink: &dyn DeltaSink) -> Result<Answer, NoAnswer> {
        let model = Fixed { events, hangs: false };
        turn(&model, (WorkspaceId(1), &holder()), &request(), sink, &Time { passes: false }, LEFT)
            .now_or_never()
            .expect("it does not wait")
    }

    #[test]
    fn what_a_model_writes_is_passed_on_piece_by_piece_and_its_usage_is_returned() {
        let usage = Usage { input: 30, cached_input: 10, output: 4, ..Usage::default() };
        let delta =
            |json: &str| TurnEvent::CallDelta { index: 0, name: "note".into(), json: json.into() };
        let args = json!({ "tldr": "Quiet." });
        let events = vec![
            TurnEvent::Text("All ".into()),
            TurnEvent::Text("quiet.".into()),
            delta("{\"tldr\":"),
            delta("\"Quiet.\"}"),
            TurnEvent::Call(ToolCall { id: "c".into(), name: "note".into(), args }),
            TurnEvent::Usage(usage),
            TurnEvent::End { ended: true },
        ];
        let seen = Seen::default();
        let answer = ask(events, &seen).expect("an answer");
        assert_eq!((answer.turn.text.as_str(), answer.turn.ended), ("All quiet.", true));
        assert_eq!((answer.turn.calls.len(), answer.usage), (1, Some(usage)));
        assert_eq!(
            seen.0.into_inner().expect("one thread"),
            ["2: All ", "2: quiet.", "0 note: {\"tldr\":", "0 note: \"Quiet.\"}"]
        );
    }

    #[test]
    fn an_answer_without_an_end_is_none() {
        let answer = ask(vec![TurnEvent::Text("All ".into())], &NoSink);
        let Err(NoAnswer::Failed(failed)) = answer else { panic!("{answer:?}") };
        assert!(matches!(failed.error, ModelError::Request { .. }), "{failed:?}");
    }

    #[test]
    fn what_the_provider_wants_back_is_kept_up_to_a_limit() {
        let state = |bytes| ProviderState { provider: "p".into(), data: "x".repeat(bytes) };
        let events = |bytes| vec![TurnEvent::State(state(bytes)), TurnEvent::End { ended: true }];
        let most = dormouse_types::limits::PROVIDER_STATE_BYTES;
        let kept = ask(events(most), &NoSink).expect("an answer").turn.provider_state;
        assert_eq!(kept, Some(state(most)));
        let refused = ask(events(most + 1), &NoSink).expect_err("too much");
        let NoAnswer::Failed(refused) = refused else { panic!("{refused:?}") };
        assert!(
            refused.error.to_string().contains(&format!("wants {} bytes", most + 1)),
            "{refused:?}"
        );
    }

    #[test]
    fn a_model_that_falls_silent_is_given_up_by_the_limit_for_words_in_between() {
        let silent = |events| {
            let model = Fixed { events, hangs: true };
            let (holder, request) = (holder(), request());
            let time = Time { passes: true };
            let answer = turn(&model, (WorkspaceId(1), &holder), &request, &NoSink, &time, LEFT)
                .now_or_never();
            match answer.expect("time passes").expect_err("silence") {
                NoAnswer::Failed(failed) => failed.error.to_string(),
                NoAnswer::OverTime => panic!("it has time left"),
            }
        };
        assert!(silent(Vec::new()).contains("480 seconds"), "before the first word");
        assert!(silent(vec![TurnEvent::Text("All".into())]).contains("120 seconds"));
    }
}
