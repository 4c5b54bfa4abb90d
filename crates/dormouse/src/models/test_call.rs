//! Real calls of a model that show how it works, paid like any others.

use std::sync::Arc;
use std::time::Duration;

use dormouse_runs::Models;
use dormouse_runs::spending::{self, Outcome, Reservation};
use dormouse_store::agent::model_call::NewCall;
use dormouse_store::{Commit, CommitError, Db, Op, Refusal, Store};
use dormouse_types::model_settings::{
    FailedTest, KeySource, KnownModel, ModelSettings, ModelTest, Provider, ToolMode,
};
use dormouse_types::port::{Clock, Entropy, Patience};
use dormouse_types::spend::{Amount, OverBudget, Unit};
use dormouse_types::{HolderId, Id as _, RequestId, RunKey, WorkspaceId, WorkspaceZone};
use futures_util::future::{Either, select};
use futures_util::lock::Mutex;

use super::{ModelTestView, TestFailure};
use crate::model_source::ModelSource;

/// How long a test call may take in all, with each of the ways to call tools.
const TEST: Duration = Duration::from_secs(180);

/// How often the switch for paid calls is read if no hint comes.
const SWITCH_EVERY: Duration = Duration::from_secs(20);

/// Calls models to find out how they work.
#[derive(Clone)]
pub(crate) struct ModelTests {
    pub(super) store: Store,
    pub(super) models: Models,
    pub(super) source: ModelSource,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) entropy: Arc<dyn Entropy>,
    pub(super) zone: WorkspaceZone,
    /// One probe at a time: who waits for it may not need one any more.
    pub(super) probing: Arc<Mutex<()>>,
}

impl ModelTests {
    /// Whether this process has a key for a provider.
    pub(super) fn has_key(&self, provider: &Provider) -> bool {
        self.source.host.key(provider).source != KeySource::None
    }

    /// Makes the calls, reserved before and settled after.
    pub(super) async fn call(
        &self,
        ws: WorkspaceId,
        settings: &ModelSettings,
        provider: &Provider,
        name: &str,
    ) -> Result<PaidTest, TestError> {
        let reserved = self.reserve(ws, settings, provider, name).await?;
        let tested = self.tested(ws, provider, name).await;
        let outcome = outcome(&tested);
        let mut booked = None;
        if let Some(reserved) = reserved {
            let settled = reserved.settled(ws, outcome);
            booked = Some(reserved.booked(outcome));
            let commit = Commit::new("models.settleTest", Db::Agent, ws).ops(settled);
            self.store.commit(commit).await?;
        }
        tested.map(|shown| PaidTest { shown, booked })
    }

    /// Reserves what a test may cost at most: a call in each of the ways to call tools, and one of them once more.
    /// What is refused for the name of a member costs nothing. A test that
    /// sends nothing reserves nothing.
    async fn reserve(
        &self,
        ws: WorkspaceId,
        settings: &ModelSettings,
        provider: &Provider,
        name: &str,
    ) -> Result<Option<Reservation>, TestError> {
        let id = format!("{}/{name}", provider.name);
        let Some(request) = self.source.host.test_request() else { return Ok(None) };
        let known = settings.known(&id).cloned().unwrap_or_else(|| KnownModel::new(&id));
        let mut calls = Vec::new();
        for tool_mode in ToolMode::ALL.iter().copied() {
            let known = KnownModel { tool_mode: Some(tool_mode), ..known.clone() };
            let model = self.source.host.build(provider, name, Some(&known));
            let model = model.map_err(TestError::Invalid)?;
            calls.extend(model.outgoing(&request).map(|outgoing| (model, outgoing)));
        }
        // The first way is tried first. The bounds of what is believed are those of its request: they
        // have room for the small requests of the others.
        let Some((model, outgoing)) = calls.first() else { return Ok(None) };
        // One of the ways may be tried twice.
        let twice = calls.iter().max_by_key(|(_, out)| out.body.len());
        let amounts =
            calls.iter().chain(twice).map(|(model, out)| spending::price_of(&**model, out));
        let unit = spending::price_of(&**model, outgoing).unit;
        let value = amounts.map(|amount| amount.value).fold(0, i64::saturating_add);
        let now = self.clock.now();
        let day = now.day_in(&self.zone.get());
        let test = RequestId::fresh(now, &*self.entropy);
        let holder = test.as_str().parse::<HolderId>();
        let call = NewCall {
            run: RunKey(test.to_string()),
            turn: 1,
            attempt: 1,
            holder: holder.map_err(|error| TestError::Invalid(error.to_string()))?,
            model: id,
            at: now,
            day,
            reserved: Amount { unit, value },
        };
        let amount = call.reserved;
        let reserved = Reservation::of_workspace(call, &**model, outgoing);
        let ops = reserved.ops(ws, &settings.budgets);
        let commit = Commit::new("models.reserveTest", Db::Agent, ws).ops(ops);
        match self.store.commit(commit).await {
            Ok(_) => Ok(Some(reserved)),
            Err(CommitError::Refused { refusal: Refusal::OverBudget, .. }) => {
                let scope = OverBudget::Workspace;
                Err(TestError::OverBudget {
                    reason: spending::test_refusal(amount, day),
                    held: reserved.held(ws, scope, &settings.budgets).into_iter().collect(),
                })
            }
            Err(CommitError::Refused { refusal: Refusal::PaidCallsOff, .. }) => {
                Err(TestError::PaidCallsOff)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Makes the call; it ends when its time has passed, or when paid calls are switched off.
    async fn tested(
        &self,
        ws: WorkspaceId,
        provider: &Provider,
        name: &str,
    ) -> Result<ModelTest, TestError> {
        let limit = if provider.is_own { Patience::local().first } else { TEST };
        let tested = self.source.host.test(provider, name);
        let off = async {
            if provider.is_own {
                return std::future::pending().await;
            }
            let clock = &*self.clock;
            dormouse_runs::drive::paid_calls_off(&self.store, ws, clock, SWITCH_EVERY).await;
        };
        let ended = select(Box::pin(off), self.clock.sleep(limit));
        match select(tested, ended).await {
            Either::Left((shown, _)) => shown.map_err(TestError::Model),
            Either::Right((Either::Left(((), _)), _)) => Err(TestError::PaidCallsOff),
            Either::Right((Either::Right(((), _)), _)) => {
                let (provider, seconds) = (&provider.name, limit.as_secs());
                let late = format!("{provider}/{name} did not answer within {seconds} seconds");
                Err(TestError::Late(late))
            }
        }
    }
}

/// What is known of the cost of the calls of a test together.
fn outcome(tested: &Result<ModelTest, TestError>) -> Outcome<'_> {
    let (usage, is_counted) = match tested {
        Ok(shown) => (shown.usage.as_ref(), shown.is_counted),
        Err(TestError::Model(failed)) => (failed.usage.as_ref(), failed.is_counted),
        Err(_) => (None, false),
    };
    match (usage, tested) {
        (Some(usage), _) if is_counted => Outcome::Answered(Some(usage)),
        (Some(usage), _) => Outcome::PartlyCounted(usage),
        (None, _) if is_counted => Outcome::NotServed,
        // An error that costs nothing says nothing of the calls before it.
        (None, Err(TestError::Model(failed))) if !failed.error.costs_nothing() => {
            Outcome::of_error(&failed.error)
        }
        (None, _) => Outcome::Unknown,
    }
}

/// A test, and what it is booked with.
pub(super) struct PaidTest {
    pub(super) shown: ModelTest,
    /// The amount, and whether it is the whole reservation; `None` if nothing was reserved.
    booked: Option<(Amount, bool)>,
}

/// Why a test showed nothing.
pub(super) enum TestError {
    /// The model cannot be built.
    Invalid(String),
    /// The budget of all agents leaves no room, in words and as a note for it.
    OverBudget { reason: String, held: Vec<Op> },
    /// Paid calls are switched off.
    PaidCallsOff,
    /// Its time had passed.
    Late(String),
    /// The provider.
    Model(FailedTest),
    /// The store.
    Commit(CommitError),
}

impl From<CommitError> for TestError {
    fn from(error: CommitError) -> Self {
        Self::Commit(error)
    }
}

pub(super) const PAID_OFF: &str = "calls that cost money are switched off: switch them on first";

/// Notes what a test showed. One that is open says nothing of how the model calls tools.
pub(super) fn note_test(settings: &mut ModelSettings, id: &str, shown: &ModelTest, has_key: bool) {
    let before = settings.known(id).cloned().unwrap_or_else(|| KnownModel::new(id));
    settings.models.retain(|known| known.id != id);
    let window = shown.window.or(before.window);
    settings.models.push(match shown.is_open() {
        true => KnownModel { window, ..before },
        false => KnownModel {
            tool_mode: shown.tool_mode,
            why_not_native: shown.why_not_native().map(str::to_owned),
            output_limit: shown.output_limit,
            forced_call: shown.forced_call,
            calls_nothing: shown.tool_mode.is_none(),
            with_key: shown.tool_mode.is_some() && has_key,
            window,
            ..before
        },
    });
    settings.models.sort_by(|a, b| a.id.cmp(&b.id));
}

pub(super) fn test_view(id: &str, tested: &PaidTest, is_free: bool) -> ModelTestView {
    let PaidTest { shown, booked } = tested;
    let usage = shown.usage;
    let booked = booked.filter(|(amount, _)| amount.unit == Unit::MicroDollars && !is_free);
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let failure = |(tool_mode, detail): &(ToolMode, String)| TestFailure {
        tool_mode: *tool_mode,
        detail: detail.clone(),
    };
    ModelTestView {
        id: id.to_owned(),
        tool_mode: shown.tool_mode,
        is_cut: shown.is_open(),
        first_word_ms: shown.first_event.map(millis),
        input_tokens: usage.map(|usage| usage.input),
        output_tokens: usage.map(|usage| usage.output),
        cost: booked.map(|(amount, _)| amount.value),
        is_cost_assumed: booked.is_some_and(|(_, is_assumed)| is_assumed),
        window: shown.window,
        failures: shown.failures.iter().map(failure).collect(),
    }
}
