//! The driver: performs what [`crate::step::next`] decides, one commit after another.

mod composed;
mod ending;
mod folding;
mod interruption;
pub mod preview;
mod probing;
mod recorded_request;
mod reservation;

use std::sync::Arc;
use std::time::Duration;

use dormouse_store::agent::link;
use dormouse_store::agent::message::Chain;
use dormouse_store::agent::wake_request;
use dormouse_store::{Attempts, Commit, CommitError, Db, Policy, ReadError, Refusal, Store};
use dormouse_types::agent::AgentLinkKind;
use dormouse_types::model::{ModelError, Request, Usage};
use dormouse_types::port::{BoxFuture, Clock, Entropy, Model, Stage};
use dormouse_types::{Id as _, LinkId, Timestamp, WorkspaceZone};
use futures_util::future::{Either, FutureExt as _, select};
use jiff::tz::TimeZone;

use self::composed::{Folding, Interruption, Shown};
pub use ending::denied;
pub use interruption::paid_calls_off;
pub use recorded_request::rebuild;

use crate::early_end::{EarlyEnd, NoRoom};
use crate::gate::gate;
use crate::handler::{AppliedCall, ClosingTools, ExecutedCalls, RunError, RunHandler, RunOutput};
use crate::model_call::{Answer, DeltaSink, EndOfRun, FailedCall, NoAnswer, NoSink};
use crate::models::Models;
use crate::prober::Prober;
use crate::run_log;
use crate::spending::Reservation;
use crate::step::{Closing, RunLog, Step, ToolSet, next};
use crate::truncation::{Truncation, truncation, truncation_again};
use crate::window::{TooLarge, too_large, window_of};
use crate::{End, Lease, Stop};

/// Drives runs. Cheap to clone.
#[derive(Clone)]
pub struct Driver {
    store: Store,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    models: Models,
    sink: Arc<dyn DeltaSink>,
    /// Tries models of which it is not known how they call tools; without it they are asked untried.
    prober: Option<Arc<dyn Prober>>,
    stop: Stop,
    /// Budgets count by the days of this zone.
    zone: WorkspaceZone,
}

/// The refusals after which a step is decided again on fresh rows: another writer changed what it
/// was based on. A lost lease is not among them; it ends the run here.
const CONFLICTS: [Refusal; 3] = [Refusal::Exists, Refusal::ItemMoved, Refusal::Stale];

/// How often a step is decided before its refusal ends the run.
const ATTEMPTS: Policy = Policy::CONTENDED;

/// A run under way: what its steps share.
struct ActiveRun<'a> {
    driver: &'a Driver,
    /// The model that the run was claimed for.
    model: Arc<dyn Model>,
    lease: &'a Lease,
    handler: &'a mut dyn RunHandler,
    log: RunLog,
    chain: Chain,
    closing: Option<ClosingTools>,
    /// The context shown in the first turn. Later turns show the same. `None` if another process
    /// sent the first request.
    shown: Option<Shown>,
    /// What the provider counted for the turn before, if this process asked for it.
    usage_before: Option<Usage>,
    /// What is reserved for the call under way, until a commit settles it.
    reserved: Option<Reservation>,
}

impl Driver {
    /// Creates a driver from its ports.
    pub fn new(
        store: Store,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        models: Models,
    ) -> Self {
        let stop: BoxFuture<'static, ()> = Box::pin(std::future::pending());
        let (sink, stop) = (Arc::new(NoSink), stop.shared());
        Self { store, clock, entropy, models, sink, prober: None, stop, zone: TimeZone::UTC.into() }
    }

    /// Returns the same driver, whose budgets count by the days of this zone.
    #[must_use]
    pub fn in_zone(self, zone: WorkspaceZone) -> Self {
        Self { zone, ..self }
    }

    /// Returns the same driver, which leaves its runs to be resumed once `stop` completes.
    #[must_use]
    pub fn stopping_on(&self, stop: Stop) -> Self {
        Self { stop, ..self.clone() }
    }

    /// Returns the same driver, which passes on the text of turns while models write it.
    #[must_use]
    pub fn with_sink(self, sink: Arc<dyn DeltaSink>) -> Self {
        Self { sink, ..self }
    }

    /// Returns the same driver, which tries a model before its first request.
    #[must_use]
    pub fn with_prober(self, prober: Arc<dyn Prober>) -> Self {
        Self { prober: Some(prober), ..self }
    }

    /// Returns the same driver, which may also ask a model that is not among those of others.
    #[must_use]
    pub fn also_asking(&self, model: Arc<dyn Model>) -> Self {
        Self { models: self.models.copied_with(model), ..self.clone() }
    }

    /// Returns the store that runs are recorded in.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// Returns the models that runs may ask.
    pub fn models(&self) -> &Models {
        &self.models
    }

    /// Drives a claimed run to its end, continuing from whatever is recorded.
    ///
    /// Errors: the store failed. The run keeps its state, and recovery resumes it.
    pub async fn drive(
        &self,
        handler: &mut dyn RunHandler,
        lease: &Lease,
    ) -> Result<End, RunError> {
        let (ws, holder, key) = (lease.ws, lease.holder(), &lease.run.key);
        let _watched = EndOfRun { sink: &*self.sink, ws, holder, run: key };
        let chain = run_log::start(lease.ws, &lease.run);
        let log = RunLog::default();
        let model = self.models.named(lease.run.model.as_deref());
        let mut run = ActiveRun {
            driver: self,
            model,
            lease,
            handler,
            log,
            chain,
            closing: None,
            usage_before: None,
            shown: None,
            reserved: None,
        };
        match run.steps().await {
            Ok(end) => Ok(end),
            Err(RunError::Commit(CommitError::Refused { refusal: Refusal::LeaseLost, .. })) => {
                Ok(End::LeaseLost)
            }
            // A damaged row or a broken rule fails this run visibly and affects nothing else.
            Err(RunError::Broken(error)) => run.fail(error).await,
            Err(RunError::TooLarge(why)) => run.fail(why.reason(run.model.name())).await,
            Err(RunError::Read(error @ ReadError::Corrupt { .. })) => {
                run.fail(error.to_string()).await
            }
            Err(other) => Err(other),
        }
    }

    /// Computes the wait before a retry: 1 s, doubled per failure up to a minute, with full jitter.
    fn pause(&self, failures: i64) -> Duration {
        let doublings = u32::try_from(failures - 1).unwrap_or(0).min(6);
        let most = Duration::from_secs((1 << doublings).min(60));
        let mut byte = [0u8; 1];
        self.entropy.fill(&mut byte);
        Duration::from_millis(100) + most * u32::from(byte[0]) / 256
    }
}

impl ActiveRun<'_> {
    async fn steps(&mut self) -> Result<End, RunError> {
        let Lease { ws, run, .. } = self.lease;
        (self.log.turns, self.chain) = run_log::read(&self.driver.store, *ws, run).await?;
        if !self.log.turns.is_empty() {
            self.closing = self.handler.closing().await?;
            self.note_closing();
        }
        loop {
            if self.driver.stop.clone().now_or_never().is_some() {
                return self.stopped().await;
            }
            match next(&self.log, &self.handler.limits()) {
                Step::AskModel { turn, tools } => {
                    if let Some(end) = self.ask(turn, tools).await? {
                        return Ok(end);
                    }
                }
                Step::RunTool { turn, call } => self.effect(turn, call).await?,
                Step::Finish { cut } => return self.finish_recorded(cut).await,
            }
        }
    }

    /// Notes whether the recorded calls close the run.
    fn note_closing(&mut self) {
        self.log.closing = match &self.closing {
            _ if self.handler.is_over(&self.log) => Closing::Final,
            None => Closing::Never,
            Some(closing) if closing.is_required && !self.handler.is_closed(&self.log) => {
                Closing::Missing
            }
            Some(_) => Closing::Optional,
        };
    }

    /// Asks the model for one turn and commits the turn.
    ///
    /// The request is committed before the model is called and the turn before any of its effects,
    /// so a crash at any point costs at most one answer, and a recorded answer is never requested
    /// again. If the run ends with this turn, the turn and the end of the run are one commit.
    async fn ask(&mut self, turn: u32, tools: ToolSet) -> Result<Option<End>, RunError> {
        if let Some(end) = self.over_time().await? {
            return Ok(Some(end));
        }
        let mut gathered = if turn == 1 {
            self.handler.context().await?
        } else {
            self.handler.followup_context(tools).await?
        };
        if turn == 1 && gathered.nothing_changed {
            return self.skip().await.map(Some);
        }
        if let Some(end) = self.ensure_probed(&gathered, turn).await? {
            return Ok(Some(end));
        }
        if turn == 1 {
            match self.fold().await? {
                Folding::Ended(end) => return Ok(Some(end)),
                Folding::Done => gathered = self.handler.context().await?,
                Folding::Nothing => {}
            }
            self.closing = self.handler.closing().await?;
        }
        let clearance = self.clearance(&gathered, turn).await?;
        // Private by now: the turns so far cannot be sent again, and nothing can be taken out of
        // them. The change of the flag wakes the agent once more.
        if turn > 1
            && let Some(reason) = clearance.refusal(&[self.own_source()])
        {
            return self.finish_early(EarlyEnd::Hidden(reason)).await.map(Some);
        }
        let gated = gate(gathered.fragments, &clearance);
        if let Some(reason) = gated.hidden_task() {
            return self.skip_hidden(reason, &gated.kept_back).await.map(Some);
        }
        let (offer, followed) = (gathered.tools, gathered.template_version);
        let renewed = self.driver.clock.now();
        let request = self.request(gated, &clearance, offer, followed, (turn, tools)).await?;
        if let Some(why) = self.too_large(&request) {
            let full = EarlyEnd::NoRoom(NoRoom::Window);
            let end = self.finish_early_if_complete(full).await?;
            return end.map(Some).ok_or(RunError::TooLarge(why));
        }
        // Checked last, so pausing an agent before this point costs no tokens.
        if let Some(end) = self.blocked().await? {
            return Ok(Some(end));
        }
        if let Some(end) = self.reserve(&request).await? {
            return Ok(Some(end));
        }
        self.ensure_lease(Some(renewed)).await?;
        self.driver.store.pass(Stage::BeforeEffect, "model.ask");
        let answer = match self.answer(&request).await {
            Ok(answer) => answer,
            Err(why) => return self.interrupt(why).await.map(Some),
        };
        self.driver.store.pass(Stage::AfterEffect, "model.ask");
        let answer = match answer {
            Ok(mut answer) => {
                if self.forget_silent(&request, &answer).await? {
                    return Ok(None);
                }
                // Calls beyond the cap are dropped: a model that makes that many has lost its way.
                let room = self.log.room_for_calls(tools, &self.handler.limits());
                answer.turn.calls.truncate(room);
                answer.turn.results.truncate(room);
                answer
            }
            Err(failed @ FailedCall { error: ModelError::Provider { .. }, .. }) => {
                return self.provider_failed(&failed).await.map(Some);
            }
            Err(failed) => {
                self.forget_refused(&failed.error).await?;
                let unanswered = EarlyEnd::Unanswered(&failed);
                return match self.finish_early_if_complete(unanswered).await? {
                    Some(end) => Ok(Some(end)),
                    None => self.fail_unanswered(&failed).await.map(Some),
                };
            }
        };
        self.note_provider_is_back().await?;
        if let Some(cut) = self.truncation(&request, answer.usage.as_ref()) {
            return self.fail_cut(cut, answer.usage.as_ref()).await.map(Some);
        }
        self.usage_before.clone_from(&answer.usage);
        // The store refuses the commit if another process opened or decided a proposal since the
        // rows were read. Validate the calls again on fresh rows.
        let before = (self.log.clone(), self.chain.clone());
        let mut attempts = Attempts::new(ATTEMPTS, &CONFLICTS);
        loop {
            (self.log, self.chain) = before.clone();
            let result = self.record_turn(turn, answer.clone(), tools).await;
            if result.is_ok() {
                self.reserved = None;
            }
            if !attempts.go_on_after(&result) {
                return result;
            }
        }
    }

    /// Returns how far the prompt of a turn was cut, by its own count or beside that of the turn before.
    fn truncation(&self, request: &Request, usage: Option<&Usage>) -> Option<Truncation> {
        let again = (self.usage_before.as_ref().zip(usage))
            .and_then(|(before, usage)| truncation_again(request, before, usage));
        truncation(request, usage).or(again)
    }

    /// Returns whether the recorded turns have what the run is for. A later turn asks for what is missing; if
    /// nothing is, and there is no room for it or no answer, the run ends with what is recorded.
    fn has_all(&self) -> bool {
        !self.log.turns.is_empty() && self.handler.is_closed(&self.log)
    }

    /// Returns why a request has no room in the window of the model that is asked; `None` if it has.
    fn too_large(&self, request: &Request) -> Option<TooLarge> {
        let window = window_of(&*self.model)?;
        too_large(request, window, self.model.max_output())
    }

    /// Renews the lease unless it was renewed within its time, at `renewed` or later; `None` if that is
    /// not known.
    ///
    /// A process that stood still since its last commit may have lost its lease, and another one may
    /// have recorded this very turn. Nothing is awaited between the last look at the clock and the
    /// call.
    ///
    /// Errors: the commit is refused because the lease is lost.
    async fn ensure_lease(&self, mut renewed: Option<Timestamp>) -> Result<(), RunError> {
        let lease = self.lease;
        loop {
            let now = self.driver.clock.now();
            // A clock that was set back says nothing about the time that passed.
            if renewed.is_some_and(|at| (at..at + lease.lasts).contains(&now)) {
                return Ok(());
            }
            renewed = Some(now);
            let renewal = Commit::new("run.renew", Db::Agent, lease.ws).op(lease.guard());
            self.driver.store.commit(renewal).await?;
        }
    }

    /// Validates the calls of a turn and commits the turn, with the end of the run if this is its
    /// last turn.
    async fn record_turn(
        &mut self,
        turn: u32,
        answer: Answer,
        tools: ToolSet,
    ) -> Result<Option<End>, RunError> {
        let Answer { turn: mut logged, usage } = answer;
        let ExecutedCalls { results, ops: opened, mut news, sources, audit } =
            self.handler.execute(&logged.calls, tools).await?;
        news.extend(self.handler.announce_turn(turn));
        logged.results = results;
        let now = self.driver.clock.now();
        let mut ops = run_log::turn(&mut self.chain, turn, &logged, now, &*self.driver.entropy);
        ops.extend(opened);
        if !sources.is_empty() {
            let Lease { ws, run, .. } = self.lease;
            ops.push(wake_request::note_answers(*ws, &run.key, turn, &sources));
        }
        ops.extend(self.answered(usage.as_ref()));
        self.log.turns.push(logged);
        self.note_closing();
        match next(&self.log, &self.handler.limits()) {
            Step::Finish { cut } => {
                self.finish(RunOutput { ops, news, audit }, cut).await.map(Some)
            }
            Step::AskModel { .. } | Step::RunTool { .. } => {
                let turn = RunOutput { ops, news, audit };
                self.commit_as("run.turn", turn).await.map(|()| None)
            }
        }
    }

    /// Runs a recorded call that writes the journal, then commits its result.
    ///
    /// The journal write comes first, under an operation id derived from run and call. After a
    /// crash between the two commits the call runs again, and the journal replays its receipt.
    async fn effect(&mut self, turn: usize, call: usize) -> Result<(), RunError> {
        let recorded = self.log.turns[turn].calls[call].clone();
        let AppliedCall { result, mut ops, touched } = self.handler.apply_call(&recorded).await?;
        let number = u32::try_from(turn + 1).unwrap_or(u32::MAX);
        let now = self.driver.clock.now();
        let (id, message) = run_log::result(
            &mut self.chain,
            number,
            &recorded,
            &result,
            now,
            &*self.driver.entropy,
        );
        ops.extend(message);
        for entity in touched {
            let link = LinkId::fresh(now, &*self.driver.entropy);
            let link = link::Link::new(link, &id, entity, AgentLinkKind::ToolEffect, now);
            ops.push(link::insert(self.lease.ws, &link));
        }
        self.log.turns[turn].results[call] = Some(result);
        self.commit("run.effect", ops).await
    }

    /// Asks the model, unless something ends the call first; its connection is closed then.
    async fn answer(&self, request: &Request) -> Result<Result<Answer, FailedCall>, Interruption> {
        let Driver { clock, sink, .. } = self.driver;
        let left = clock.now().until(self.started() + self.patience());
        let who = (self.lease.ws, self.lease.holder());
        let answer = crate::model_call::turn(&*self.model, who, request, &**sink, &**clock, left);
        match select(Box::pin(answer), Box::pin(self.interrupted())).await {
            Either::Left((Ok(answer), _)) => Ok(Ok(answer)),
            Either::Left((Err(NoAnswer::Failed(failed)), _)) => Ok(Err(failed)),
            Either::Left((Err(NoAnswer::OverTime), _)) => Err(Interruption::OverTime),
            Either::Right((why, _)) => Err(why),
        }
    }

    /// Ends a run whose time is up.
    pub(super) async fn over_time(&mut self) -> Result<Option<End>, RunError> {
        if self.driver.clock.now() <= self.started() + self.patience() {
            return Ok(None);
        }
        self.end_over_time().await.map(Some)
    }

    /// Ends the run with what it has, or as failed if that is not what it is for.
    pub(super) async fn end_over_time(&mut self) -> Result<End, RunError> {
        if let Some(end) = self.finish_early_if_complete(EarlyEnd::OverTime).await? {
            return Ok(end);
        }
        let seconds = self.patience().as_secs();
        self.fail(format!("the run took longer than {seconds} seconds")).await
    }

    /// Returns how long the run may take.
    fn patience(&self) -> Duration {
        let of_model = self.model.patience().run;
        self.handler.time_limit().map_or(of_model, |limit| limit.max(of_model))
    }

    /// Returns when the run was claimed last.
    fn started(&self) -> Timestamp {
        self.lease.run.started_at.unwrap_or(self.lease.run.created_at)
    }
}
