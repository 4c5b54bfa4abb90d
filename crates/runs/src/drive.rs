//! The driver: performs what [`crate::step::next`] decides, one commit after another.

use std::sync::Arc;
use std::time::Duration;

use dormouse_store::agent::breaker as row;
use dormouse_store::agent::message::Chain;
use dormouse_store::agent::wake_queue;
use dormouse_store::agent::wake_request::{self, Span};
use dormouse_store::agent::wake_run::{self, Status};
use dormouse_store::agent::{link, log_line, model_call, model_setting, spend};
use dormouse_store::{
    Attempts, ChangeRow, Commit, CommitError, Db, Op, Policy, ReadError, Refusal, Store, retry,
    text,
};
use dormouse_types::model::{
    Fragment, FragmentData, FragmentKind, ModelError, Request, ToolChoice, Turn, Usage,
};
use dormouse_types::port::{BoxFuture, Clock, Entropy, Model, Stage};
use dormouse_types::spend::OverBudget;
use dormouse_types::{HolderId, Id as _, LinkId, Origin, Timestamp, WorkspaceId, limits};
use futures_util::future::{Either, FutureExt as _, select};
use jiff::civil::Date;
use jiff::tz::TimeZone;

use crate::breaker;
use crate::handler::{
    AppliedCall, ClosingTools, ExecutedCalls, RunError, RunHandler, RunOutput, StopReason,
    TurnContext,
};
use crate::model_call::{Answer, DeltaSink, NoSink, late};
use crate::models::Models;
use crate::spending::{self, Outcome, Reservation};
use crate::status::{Event, after};
use crate::step::{Closing, Limits, LoggedTurn, RunLog, Step, ToolSet, next};
use crate::{End, Lease, Stop};
use crate::{request, run_log};

/// Drives runs. Cheap to clone.
#[derive(Clone)]
pub struct Driver {
    store: Store,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    models: Models,
    sink: Arc<dyn DeltaSink>,
    stop: Stop,
    /// Budgets count by the days of this zone.
    zone: TimeZone,
}

/// The refusals after which a step is decided again on fresh rows: another writer changed what it
/// was based on. A lost lease is not among them; it ends the run here.
const CONFLICTS: [Refusal; 3] = [Refusal::Exists, Refusal::ItemMoved, Refusal::Stale];

/// How often a step is decided before its refusal ends the run.
const ATTEMPTS: Policy = Policy::Attempts(3);

/// How often a failure of the provider is recorded; many runs may fail on one breaker row at once.
const BREAKER_ATTEMPTS: Policy = Policy::Attempts(6);

/// The longest wait that a provider can ask for.
const LONGEST_RETRY_AFTER: Duration = Duration::from_secs(limits::BREAKER_MAX_SECONDS);

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
    /// The context shown in the first turn, without its instruction, and its last log line. Later
    /// turns show the same. `None` if another process asked the first turn.
    shown: Option<(Vec<Fragment>, i64)>,
    /// What is reserved for the call under way, until a commit settles it.
    reserved: Option<Reservation>,
}

/// How soon a run tries again that paid calls were switched off for. Switching them on makes it due
/// at once.
const PAID_CALLS_OFF: Duration = Duration::from_secs(3600);

/// Runs that wait for the budget of the next day begin within this time after midnight.
const BUDGET_SPREAD: Duration = Duration::from_secs(600);

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
        Self { store, clock, entropy, models, sink, stop, zone: TimeZone::UTC }
    }

    /// Returns the same driver, whose budgets count by the days of this zone.
    #[must_use]
    pub fn in_zone(self, zone: TimeZone) -> Self {
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
            shown: None,
            reserved: None,
        };
        match run.steps().await {
            Ok(end) => Ok(end),
            Err(RunError::Commit(CommitError::Refused { refusal: Refusal::LeaseLost, .. })) => {
                Ok(End::Lost)
            }
            // A damaged row or a broken rule fails this run visibly and affects nothing else.
            Err(RunError::Broken(error)) => run.fail(error).await,
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
            match next(&self.log, &Limits::default()) {
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
            None => Closing::Never,
            Some(closing) if closing.is_required && !self.handler.is_closed(&self.log) => {
                Closing::Missing
            }
            Some(_) => Closing::Optional,
        };
    }

    /// Asks the model for one turn and commits the turn.
    ///
    /// The request is committed before the model is asked and the turn before any of its effects,
    /// so a crash at any point costs at most one answer, and a recorded answer is never asked for
    /// again. If the run ends with this turn, the turn and the end of the run are one commit.
    async fn ask(&mut self, turn: u32, tools: ToolSet) -> Result<Option<End>, RunError> {
        let patience = self.model.patience().run;
        if self.driver.clock.now() > self.started() + patience {
            let error = format!("the run took longer than {} seconds", patience.as_secs());
            return self.fail(error).await.map(Some);
        }
        let gathered = if turn == 1 {
            self.handler.context().await?
        } else {
            self.handler.followup_context(tools).await?
        };
        if turn == 1 {
            if gathered.nothing_changed {
                return self.skip().await.map(Some);
            }
            self.closing = self.handler.closing().await?;
        }
        let request = self.request(gathered, turn, tools).await?;
        // Checked last, so pausing an agent before this point costs no tokens.
        if let Some(StopReason { reason, is_final }) = self.handler.block_reason().await? {
            let due_at = is_final.then(|| self.driver.clock.now());
            return self.requeue_run(due_at, reason.into()).await.map(Some);
        }
        if let Some(end) = self.reserve(&request).await? {
            return Ok(Some(end));
        }
        self.driver.store.pass(Stage::BeforeEffect, "model.ask");
        let Some(answer) = self.answer(&request).await else {
            return self.stopped().await.map(Some);
        };
        self.driver.store.pass(Stage::AfterEffect, "model.ask");
        let answer = match answer {
            Ok(answer) => answer,
            Err(error @ ModelError::Provider { .. }) => {
                return self.away(&error).await.map(Some);
            }
            Err(error @ ModelError::Request { .. }) => {
                return self.fail(error.to_string()).await.map(Some);
            }
        };
        self.note_provider_is_back().await?;
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

    /// Validates the calls of a turn and commits the turn, with the end of the run if this is its
    /// last turn.
    async fn record_turn(
        &mut self,
        turn: u32,
        answer: Answer,
        tools: ToolSet,
    ) -> Result<Option<End>, RunError> {
        let Answer { turn: mut logged, usage } = answer;
        let ExecutedCalls { results, ops: opened, news } =
            self.handler.execute(&logged.calls, tools).await?;
        logged.results = results;
        let now = self.driver.clock.now();
        let mut ops = run_log::turn(&mut self.chain, turn, &logged, now, &*self.driver.entropy);
        ops.extend(opened);
        ops.extend(self.settled(Outcome::Answered(usage.as_ref())));
        let usage = match &self.reserved {
            Some(reserved) => reserved.believed(usage.as_ref()).copied(),
            None => usage,
        };
        // The built-in model counts nothing.
        if let Some(usage) = usage.filter(|usage| *usage != Usage::default()) {
            ops.push(wake_run::add_usage(self.lease.ws, &self.lease.run.key, &usage));
        }
        self.log.turns.push(logged);
        self.note_closing();
        match next(&self.log, &Limits::default()) {
            Step::Finish { cut } => self.finish(ops, news, cut).await.map(Some),
            Step::AskModel { .. } | Step::RunTool { .. } => {
                self.commit_as("run.turn", ops, news).await.map(|()| None)
            }
        }
    }

    /// Builds the request and records what it consists of before the model is asked.
    ///
    /// A request is stored as digests of its texts and a range of log lines, not as a copy, so it
    /// can be shown and verified later. Later turns repeat the first turn's context, so all turns
    /// of a run see the same facts.
    async fn request(
        &mut self,
        gathered: TurnContext,
        turn: u32,
        tools: ToolSet,
    ) -> Result<Request, RunError> {
        let lease = self.lease;
        let offer = match (tools, &self.closing) {
            (ToolSet::Closing, Some(closing)) => closing.tools.clone(),
            (ToolSet::All, _) | (ToolSet::Closing, None) => gathered.tools,
        };
        let mut fragments = request::assemble(gathered.fragments);
        let mut log_upto = gathered.log_upto;
        if turn > 1 {
            if self.shown.is_none() {
                self.shown = self.first_turn().await?;
            }
            if let Some((earlier, upto)) = self.shown.clone() {
                log_upto = upto;
                fragments = earlier.into_iter().chain(fragments).collect();
                fragments.sort_by_key(|fragment| fragment.kind);
            }
        } else {
            let all = fragments.iter().map(|fragment| (fragment.kind, fragment.text.clone()));
            self.shown = Some((shown_again(all), log_upto));
        }
        let turns: Vec<Turn> = self.log.turns.iter().map(LoggedTurn::shown).collect();
        let mut ops = Vec::new();
        let mut spans = Vec::new();
        for fragment in &fragments {
            if fragment.kind == FragmentKind::Log {
                spans.push(Span::Log { from: 1, upto: log_upto });
                continue;
            }
            let (sha256, op) = text::put(lease.ws, &fragment.text);
            ops.push(op);
            spans.push(Span::Text { kind: request::name(fragment.kind).into(), sha256 });
        }
        let (sha256, op) = text::put(lease.ws, offer.text());
        ops.push(op);
        spans.push(Span::Text { kind: "tools".into(), sha256 });
        let digest = request::digest_with(
            fragments.iter().map(|f| (request::name(f.kind), f.text.as_str())),
            &turns,
            offer.text(),
        );
        let now = self.driver.clock.now();
        ops.push(wake_request::put(lease.ws, &lease.run.key, turn, &spans, &digest, now));
        self.commit("run.request", ops).await?;
        Ok(Request {
            run_key: lease.run.key.clone(),
            turn,
            fragments,
            turns,
            tools: offer.tools().to_vec(),
            tool_choice: match tools {
                ToolSet::All => ToolChoice::Auto,
                ToolSet::Closing => ToolChoice::Required,
            },
        })
    }

    /// Rebuilds the recorded context of the first turn, without its instruction, and its last log
    /// line.
    async fn first_turn(&self) -> Result<Option<(Vec<Fragment>, i64)>, RunError> {
        let lease = self.lease;
        let stored = self.driver.store.all(wake_request::of_run(lease.ws, &lease.run.key)).await?;
        let Some(first) = stored.into_iter().find(|request| request.turn == 1) else {
            return Ok(None);
        };
        let upto = first.spans.iter().find_map(|span| match span {
            Span::Log { upto, .. } => Some(*upto),
            Span::Text { .. } => None,
        });
        let rebuilt =
            rebuild(&self.driver.store, lease.ws, &lease.run.holder, &first.spans).await?;
        let pieces = rebuilt.into_iter().filter_map(|(kind, text)| Some((kind_of(&kind)?, text)));
        Ok(Some((shown_again(pieces), upto.unwrap_or(0))))
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
            let link = link::Link::new(link, &id, entity, link::TOOL_EFFECT, now);
            ops.push(link::insert(self.lease.ws, &link));
        }
        self.log.turns[turn].results[call] = Some(result);
        self.commit("run.effect", ops).await
    }

    /// Commits the end of a completed run: the results of `finalize`, the run's status and the
    /// release of the lease, together with the given ops.
    ///
    /// One commit, so what the run leaves behind, the messages it counts as heard and its end become
    /// visible together or not at all.
    async fn finish(
        &mut self,
        mut ops: Vec<Op>,
        mut news: Vec<ChangeRow>,
        cut: bool,
    ) -> Result<End, RunError> {
        let ending = self.handler.finalize(&self.log, &self.chain).await?;
        ops.extend(ending.ops);
        news.extend(ending.news);
        let ending = RunOutput { ops, news };
        self.end("run.final", Event::Completed, ending, cut, None).await?;
        Ok(End::Completed { cut })
    }

    /// Ends a run whose last turn is recorded. Retries on fresh rows if another writer interferes.
    async fn finish_recorded(&mut self, cut: bool) -> Result<End, RunError> {
        let mut attempts = Attempts::new(ATTEMPTS, &CONFLICTS);
        loop {
            let result = self.finish(Vec::new(), Vec::new(), cut).await;
            if !attempts.go_on_after(&result) {
                return result;
            }
        }
    }

    async fn skip(&mut self) -> Result<End, RunError> {
        let ending = self.handler.finalize(&self.log, &self.chain).await?;
        self.end("run.skip", Event::NothingChanged, ending, false, None).await?;
        Ok(End::Skipped)
    }

    async fn fail(&mut self, error: String) -> Result<End, RunError> {
        let mut attempts = Attempts::new(ATTEMPTS, &CONFLICTS);
        loop {
            let mut ops = self.handler.fail(&error).await?;
            ops.extend(self.settled(Outcome::Unknown));
            let ending = RunOutput { ops, news: Vec::new() };
            let result = self.end("run.fail", Event::Failed, ending, false, Some(&error)).await;
            if !attempts.go_on_after(&result) {
                return result.map(|()| End::Failed { error });
            }
        }
    }

    /// Asks the model; returns `None` if the program is to stop first.
    async fn answer(&self, request: &Request) -> Option<Result<Answer, ModelError>> {
        let Driver { clock, sink, stop, .. } = self.driver;
        let limit = self.model.patience().run;
        let left = clock.now().until(self.started() + limit);
        let asked = crate::model_call::turn(&*self.model, request, &**sink, &**clock);
        let cut_off = select(stop.clone(), clock.sleep(left));
        match select(Box::pin(asked), cut_off).await {
            Either::Left((answer, _)) => Some(answer),
            Either::Right((Either::Left(((), _)), _)) => None,
            Either::Right((Either::Right(((), _)), _)) => Some(Err(late(&*self.model, left))),
        }
    }

    /// Returns when the run was claimed last.
    fn started(&self) -> Timestamp {
        self.lease.run.started_at.unwrap_or(self.lease.run.created_at)
    }

    /// Reserves what the call may cost, in every scope at once; returns the end of the run if it may
    /// not be made.
    ///
    /// A call of the built-in model leaves no row. The reservation is a commit of its own, right
    /// before the call: from its answer on, switching paid calls off lets no call pass.
    async fn reserve(&mut self, request: &Request) -> Result<Option<End>, RunError> {
        let Some(outgoing) = self.model.outgoing(request) else { return Ok(None) };
        let Lease { ws, run, .. } = self.lease;
        let store = &self.driver.store;
        let stored = store.first(model_setting::of_workspace(*ws)).await?;
        let budgets = stored.map(|stored| stored.settings.budgets).unwrap_or_default();
        let so_far = store.first(model_call::of_run(*ws, &run.key, request.turn)).await?;
        let so_far = so_far.unwrap_or_default();
        let now = self.driver.clock.now();
        let day = now.to_jiff().to_zoned(self.driver.zone.clone()).date();
        let amount = spending::price_of(&*self.model, &outgoing);
        if spending::is_beyond_wake(&budgets, so_far, amount) {
            let error = spending::refusal(OverBudget::Wake, amount, day);
            return self.fail(error).await.map(Some);
        }
        let call = model_call::NewCall {
            run: run.key.clone(),
            turn: request.turn,
            attempt: so_far.attempts + 1,
            holder: run.holder.clone(),
            model: self.model.name().to_owned(),
            at: now,
            day,
            reserved: amount,
        };
        let reserved = Reservation::new(call, &*self.model, &outgoing);
        match self.commit("run.reserve", reserved.ops(*ws, &budgets)).await {
            Ok(()) => {
                self.reserved = Some(reserved);
                Ok(None)
            }
            Err(RunError::Commit(CommitError::Refused {
                refusal: Refusal::OverBudget, ..
            })) => {
                let account = reserved.holder_account();
                let balance = store.first(spend::of_account(*ws, &account)).await?;
                let scope = spending::scope_without_room(&budgets, amount, balance.as_ref());
                let due = self.next_day(day);
                self.requeue_run(Some(due), spending::refusal(scope, amount, day)).await.map(Some)
            }
            Err(RunError::Commit(CommitError::Refused {
                refusal: Refusal::PaidCallsOff, ..
            })) => {
                let reason = "calls that cost money are switched off";
                self.requeue_run(Some(now + PAID_CALLS_OFF), reason.into()).await.map(Some)
            }
            Err(error) => Err(error),
        }
    }

    /// Returns a moment after the next midnight, spread so that not all agents begin at once.
    fn next_day(&self, day: Date) -> Timestamp {
        let midnight =
            day.tomorrow().ok().and_then(|next| next.to_zoned(self.driver.zone.clone()).ok());
        let now = self.driver.clock.now();
        let midnight =
            midnight.map_or(now + PAID_CALLS_OFF, |at| Timestamp::from_jiff(at.timestamp()));
        let mut byte = [0u8; 1];
        self.driver.entropy.fill(&mut byte);
        midnight + BUDGET_SPREAD * u32::from(byte[0]) / 256
    }

    /// Builds the ops that settle the call under way.
    fn settled(&self, outcome: Outcome<'_>) -> Vec<Op> {
        let reserved = self.reserved.as_ref();
        reserved.map(|reserved| reserved.settled(self.lease.ws, outcome)).unwrap_or_default()
    }

    /// Records a failure of the provider and puts the run back until the provider may be asked
    /// again.
    ///
    /// The breaker and the run are one commit. Several runs may record a failure at once; each
    /// retries on the fresh breaker row, so every failure is counted.
    async fn away(&self, error: &ModelError) -> Result<End, RunError> {
        let ModelError::Provider { why, retry_after, .. } = error else {
            return Err(RunError::Broken(error.to_string()));
        };
        let (why, detail) = (*why, &error.to_string());
        let provider = self.model.provider();
        let ws = self.lease.ws;
        let opened = retry(BREAKER_ATTEMPTS, &CONFLICTS, || async {
            let now = self.driver.clock.now();
            let before = self.driver.store.first(row::of_provider(ws, provider)).await?;
            let after = breaker::failed(before.as_ref(), provider, why, detail, now);
            let due = after.open_until.unwrap_or(now + self.driver.pause(after.failures));
            let due = due.max(now + retry_after.unwrap_or_default().min(LONGEST_RETRY_AFTER));
            let mut ops = self.settled(Outcome::of_error(error));
            ops.push(row::put(ws, before.as_ref(), &after));
            self.requeue(Some(due), ops).await?;
            Ok::<_, RunError>((after.opened > before.map_or(0, |row| row.opened)).then_some(due))
        })
        .await?;
        if let Some(due) = opened {
            tracing::warn!(provider, ?why, until = %due, "the queue is held");
            self.tell("provider:away", Vec::new()).await?;
        }
        Ok(End::Away { reason: detail.clone() })
    }

    /// Resets the breaker, because the provider answered.
    async fn note_provider_is_back(&self) -> Result<(), RunError> {
        let ws = self.lease.ws;
        let provider = self.model.provider();
        match self.driver.store.first(row::of_provider(ws, provider)).await? {
            None => Ok(()),
            Some(_) => self.tell("provider:back", vec![row::delete(ws, provider)]).await,
        }
    }

    async fn tell(&self, event: &'static str, ops: Vec<Op>) -> Result<(), RunError> {
        let provider = self.model.provider();
        let change = ChangeRow::agent(Origin::Person { via: None }, event, None, provider);
        self.driver
            .store
            .commit(Commit::new("provider.tell", Db::Agent, self.lease.ws).ops(ops).change(change))
            .await?;
        Ok(())
    }

    async fn stopped(&self) -> Result<End, RunError> {
        let now = self.driver.clock.now();
        self.requeue(Some(now), self.settled(Outcome::Unknown)).await?;
        Ok(End::PutBack { reason: "the program stops".into() })
    }

    /// Leaves the run to be resumed under its key; its recorded turns are kept.
    async fn requeue_run(
        &self,
        due_at: Option<Timestamp>,
        reason: String,
    ) -> Result<End, RunError> {
        self.requeue(due_at, Vec::new()).await?;
        Ok(End::PutBack { reason })
    }

    /// Puts the run and its queue row back, with the given ops.
    ///
    /// Run and queue row change in one commit: a queued run without a queue row would never be
    /// resumed. The run keeps its key and its recorded turns, so nothing is asked twice.
    async fn requeue(&self, due_at: Option<Timestamp>, mut ops: Vec<Op>) -> Result<(), RunError> {
        let Lease { ws, owner, run, .. } = self.lease;
        let to = step(Event::PutBack)?;
        let from = Status::Started;
        ops.push(wake_run::requeue(*ws, &run.key, from, to, run.epoch, run.crashes));
        ops.push(wake_queue::put_back(*ws, &run.holder, owner, run.epoch, due_at));
        let news = vec![self.handler.announce()];
        self.commit_as("run.putBack", ops, news).await
    }

    /// Commits the end of a run, guarded by the lease.
    ///
    /// Every commit of a run begins with the guard, which fails if another process has taken over
    /// the lease, so a stale owner writes nothing. The lease is released in the same commit that
    /// ends the run: recovery can never find an ended run that still holds its lease.
    async fn end(
        &self,
        label: &'static str,
        event: Event,
        ending: RunOutput,
        cut: bool,
        error: Option<&str>,
    ) -> Result<(), RunError> {
        let lease = self.lease;
        let RunOutput { mut ops, news } = ending;
        let to = step(event)?;
        let now = self.driver.clock.now();
        ops.push(wake_run::finish(lease.ws, &lease.run.key, Status::Started, to, now, cut, error));
        // The guard comes first in the commit, the release last.
        ops.push(lease.release());
        let news = std::iter::once(self.handler.announce()).chain(news).collect();
        self.commit_as(label, ops, news).await
    }

    async fn commit(&self, label: &'static str, ops: Vec<Op>) -> Result<(), RunError> {
        self.commit_as(label, ops, Vec::new()).await
    }

    /// Commits ops of a run, guarded by its lease, with the change rows that announce them.
    ///
    /// The guard fails the whole commit if the lease belongs to another owner or epoch, and renews
    /// it otherwise, so a run that makes progress does not lose its lease.
    async fn commit_as(
        &self,
        label: &'static str,
        ops: Vec<Op>,
        news: Vec<ChangeRow>,
    ) -> Result<(), RunError> {
        let lease = self.lease;
        let commit =
            Commit::new(label, Db::Agent, lease.ws).op(lease.guard()).ops(ops).changes(news);
        self.driver.store.commit(commit).await?;
        Ok(())
    }
}

/// Keeps the pieces of a first turn that later turns show: text only, without the instruction.
fn shown_again(pieces: impl Iterator<Item = (FragmentKind, String)>) -> Vec<Fragment> {
    pieces
        .filter(|(kind, _)| *kind != FragmentKind::Instruction)
        .map(|(kind, text)| Fragment { kind, text, data: FragmentData::None, tainted: true })
        .collect()
}

fn step(event: Event) -> Result<Status, RunError> {
    after(Status::Started, event).map_err(|e| RunError::Broken(e.to_string()))
}

fn kind_of(name: &str) -> Option<FragmentKind> {
    [
        FragmentKind::System,
        FragmentKind::Log,
        FragmentKind::LinkedTasks,
        FragmentKind::TaskState,
        FragmentKind::Decisions,
        FragmentKind::Delta,
        FragmentKind::Message,
        FragmentKind::Instruction,
    ]
    .into_iter()
    .find(|kind| request::name(*kind) == name)
}

/// Rebuilds the pieces of a stored request as (kind, text). A purged text is replaced by a note.
pub async fn rebuild(
    store: &Store,
    ws: WorkspaceId,
    holder: &HolderId,
    spans: &[Span],
) -> Result<Vec<(String, String)>, ReadError> {
    let purged = || "[purged]".to_owned();
    let mut pieces = Vec::new();
    for span in spans {
        match span {
            Span::Text { kind, sha256 } => {
                let text = store.first(text::by_digest(ws, sha256)).await?;
                pieces.push((kind.clone(), text.unwrap_or_else(purged)));
            }
            Span::Log { from, upto } => {
                let lines = store.all(log_line::of_holder(ws, holder, *from, *upto)).await?;
                let lines: Vec<String> =
                    lines.into_iter().map(|line| line.text.unwrap_or_else(purged)).collect();
                let text = request::log_text(lines.iter().map(String::as_str));
                pieces.push((request::name(FragmentKind::Log).to_owned(), text));
            }
        }
    }
    Ok(pieces)
}
