//! A run that answers in a session: its context, its calls, and what its end writes.

use std::sync::OnceLock;

use dormouse_runs::{
    AppliedCall, ClosingTools, ExecutedCalls, Lease, Limits, RunError, RunHandler, RunLog,
    RunOutput, StopReason, ToolSet, TurnContext,
};
use dormouse_store::ChangeRow;
use dormouse_store::agent::entity::{self, Stored};
use dormouse_store::agent::evolution::{Note, Proposal, Session};
use dormouse_store::agent::message::Chain;
use dormouse_types::closed_list::Listed;
use dormouse_types::evolution::EvolutionRole;
use dormouse_types::model::{ToolCall, ToolResult};
use dormouse_types::port::BoxFuture;
use dormouse_types::{EvolutionNoteId, EvolutionSessionId, Id as _, limits};

use super::context;
use super::step::{Line, Step, moved};
use super::tools::{self, Call};
use crate::template::edit::kind_of;
use crate::template::effective::Effective;
use crate::template::stock;
use crate::{AgentError, Agents};

/// The most turns and calls of an answer.
const LIMITS: Limits = Limits { turns: 6, calls: 20 };
/// The text for an answer without words.
const SILENT: &str = "the model said nothing: say something else, or choose another model";

/// A run of a session.
pub(super) struct EvolutionRun<'a> {
    agents: &'a Agents,
    session: EvolutionSessionId,
    lease: &'a Lease,
    /// The version of the template that the prompt shows. A run that another process began has none.
    shown: OnceLock<i64>,
}

impl<'a> EvolutionRun<'a> {
    pub(super) fn new(agents: &'a Agents, session: EvolutionSessionId, lease: &'a Lease) -> Self {
        Self { agents, session, lease, shown: OnceLock::new() }
    }

    async fn session(&self) -> Result<Stored<Session>, AgentError> {
        self.agents.evolution_of(self.lease.ws, &self.session).await
    }

    /// Which request for an answer the run is about; its claim fixed it.
    fn request_n(&self) -> i64 {
        self.lease.run.reason_id.as_deref().and_then(|n| n.parse().ok()).unwrap_or(0)
    }

    async fn gather(&self) -> Result<TurnContext, RunError> {
        let (agents, ws) = (self.agents, self.lease.ws);
        let session = self.session().await?.doc.value;
        let evidence = agents.evolution_evidence(ws, &session).await?;
        self.shown.get_or_init(|| evidence.version.version);
        let improver = agents.improver(ws).await?;
        let mut messages = agents.evolution_messages(ws, &self.session).await?;
        // What was said since the claim has an answer of its own.
        let upto = self.lease.run.heard_upto.0;
        messages.retain(|message| message.n <= upto);
        let fragments =
            context::fragments(&improver, &evidence, &session, &messages, &agents.zone.get());
        let context = TurnContext::of(fragments, tools::offer());
        Ok(TurnContext { template_version: improver.version, ..context })
    }

    /// Checks the calls of a turn. What they hold is written with the end of the run, so a run that fails
    /// proposes nothing.
    async fn check(&self, calls: &[ToolCall]) -> Result<ExecutedCalls, RunError> {
        let template = self.session().await?.doc.value.agent_id;
        let version = self.agents.active_version(self.lease.ws, &template).await?.doc.value;
        let kind = kind_of(&self.agents.template(self.lease.ws, &template).await?.doc.value);
        let now = Effective::of(&version, kind).directives;
        let results = calls.iter().map(|call| {
            let (refused, text) = match tools::read(call) {
                Err(wrong) => (true, wrong),
                Ok(Call::Propose(it)) if it.general == now.general && it.report == now.report => {
                    (true, "both directives are as they are now; nothing was proposed".to_owned())
                }
                Ok(Call::Propose(_)) => (false, "Proposal recorded".to_owned()),
                Ok(Call::Note(_)) => (false, "Note recorded".to_owned()),
            };
            Some(ToolResult { call_id: call.id.clone(), refused, text })
        });
        Ok(ExecutedCalls { results: results.collect(), ..ExecutedCalls::default() })
    }

    /// Returns what the end of a run writes: the answer, the notes, and the last of its proposals.
    async fn end(&self, log: &RunLog) -> Result<RunOutput, RunError> {
        let (agents, ws, run) = (self.agents, self.lease.ws, &self.lease.run.key);
        let mut step = Step::of(self.session().await?, agents.clock.now());
        if !step.value().is_active() {
            return Ok(RunOutput::default());
        }
        // A proposal is for the version that the model read, so that an approval is refused if the
        // person has edited the template since. If nobody knows any more which one that was, it is
        // for the one with which the session began.
        let base_version = self.shown.get().copied().unwrap_or(step.value().base_version);
        let answer_text =
            log.turns.iter().map(|turn| turn.text.trim()).filter(|text| !text.is_empty());
        let answer_text = shortened(&answer_text.collect::<Vec<_>>().join("\n\n"));
        let line = Line { run: Some(run), ..Line::default() };
        let mut proposed = None;
        for call in accepted(log) {
            match call {
                Call::Propose(last) => proposed = Some(last),
                Call::Note(noted) => {
                    let session = step.value().clone();
                    let note = Note {
                        id: EvolutionNoteId::fresh(step.now, &*agents.entropy),
                        agent_id: session.agent_id,
                        kind: Listed::Known(noted.kind),
                        content: noted.content,
                        session: session.id,
                        run: run.clone(),
                        created_at: step.now,
                    };
                    step.ops.push(entity::insert(ws, &note));
                }
            }
        }
        if !answer_text.is_empty() {
            step.add(agents, ws, EvolutionRole::Model, &answer_text, line);
        } else if proposed.is_none() {
            step.add(agents, ws, EvolutionRole::Failed, SILENT, line);
        }
        if let Some(proposed) = proposed {
            let now = step.now;
            let session = step.value();
            session.n_proposals += 1;
            let proposal = Proposal {
                n: session.n_proposals,
                general_directive: proposed.general,
                report_directive: proposed.report,
                rationale: proposed.rationale,
                base_version,
                run: run.clone(),
                created_at: now,
            };
            session.proposal = Some(proposal.clone());
            let with = Line { proposal: Some(&proposal), ..line };
            step.add(agents, ws, EvolutionRole::Proposal, &proposal.rationale, with);
        }
        Ok(self.answered(step))
    }

    async fn failed(&self, error: &str) -> Result<RunOutput, RunError> {
        let mut step = Step::of(self.session().await?, self.agents.clock.now());
        if !step.value().is_active() {
            return Ok(RunOutput::default());
        }
        let line = Line { run: Some(&self.lease.run.key), ..Line::default() };
        step.add(self.agents, self.lease.ws, EvolutionRole::Failed, error, line);
        Ok(self.answered(step))
    }

    fn answered(&self, mut step: Step) -> RunOutput {
        let request_n = self.request_n();
        let session = step.value();
        session.answered = session.answered.max(request_n);
        let news = vec![moved(&self.session)];
        RunOutput { ops: step.into_ops(self.lease.ws), news, ..RunOutput::default() }
    }
}

/// The accepted calls of a run, oldest first.
fn accepted(log: &RunLog) -> impl Iterator<Item = Call> {
    log.turns.iter().flat_map(|turn| {
        turn.calls.iter().zip(&turn.results).filter_map(|(call, result)| {
            let is_accepted = result.as_ref().is_some_and(|result| !result.refused);
            if is_accepted { tools::read(call).ok() } else { None }
        })
    })
}

fn shortened(text: &str) -> String {
    let max = limits::EVOLUTION_ANSWER.max;
    if text.len() <= max {
        return text.to_owned();
    }
    let mut end = max - '…'.len_utf8();
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}…", &text[..end])
}

impl Agents {
    /// The directives of the improver: the active version of the template that comes with the program.
    pub(super) async fn improver(
        &self,
        ws: dormouse_types::WorkspaceId,
    ) -> Result<Effective, AgentError> {
        let kind = dormouse_types::template::TemplateKind::Improver;
        let id = stock::of_kind(kind).id();
        let version = self.store.first(dormouse_store::agent::template::active(ws, &id)).await?;
        Ok(version.map_or_else(
            || Effective::stock(kind),
            |version| Effective::of(&version.doc.value, kind),
        ))
    }
}

impl RunHandler for EvolutionRun<'_> {
    fn block_reason(&mut self) -> BoxFuture<'_, Result<Option<StopReason>, RunError>> {
        Box::pin(async move {
            let is_active = self.session().await?.doc.value.is_active();
            let reason = "the session has ended";
            Ok((!is_active).then_some(StopReason { reason, is_final: true }))
        })
    }

    fn announce(&self) -> ChangeRow {
        moved(&self.session)
    }

    fn closing(&mut self) -> BoxFuture<'_, Result<Option<ClosingTools>, RunError>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    fn is_closed(&self, _log: &RunLog) -> bool {
        false
    }

    fn limits(&self) -> Limits {
        LIMITS
    }

    fn context(&mut self) -> BoxFuture<'_, Result<TurnContext, RunError>> {
        Box::pin(self.gather())
    }

    fn followup_context(&mut self, _: ToolSet) -> BoxFuture<'_, Result<TurnContext, RunError>> {
        let context = TurnContext::of(Vec::new(), tools::offer());
        Box::pin(std::future::ready(Ok(context)))
    }

    fn execute<'a>(
        &'a mut self,
        calls: &'a [ToolCall],
        _: ToolSet,
    ) -> BoxFuture<'a, Result<ExecutedCalls, RunError>> {
        Box::pin(self.check(calls))
    }

    fn apply_call<'a>(
        &'a mut self,
        call: &'a ToolCall,
    ) -> BoxFuture<'a, Result<AppliedCall, RunError>> {
        let error = RunError::Broken(format!("{} writes nothing after its turn", call.name));
        Box::pin(std::future::ready(Err(error)))
    }

    fn finalize<'a>(
        &'a mut self,
        log: &'a RunLog,
        _chain: &'a Chain,
    ) -> BoxFuture<'a, Result<RunOutput, RunError>> {
        Box::pin(self.end(log))
    }

    fn fail<'a>(&'a mut self, error: &'a str) -> BoxFuture<'a, Result<RunOutput, RunError>> {
        Box::pin(self.failed(error))
    }
}
