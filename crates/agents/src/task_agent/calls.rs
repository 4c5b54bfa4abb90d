//! The calls of a turn: validated, run if they write only the agent store, otherwise deferred until
//! after the turn's commit.

use std::collections::BTreeSet;

use dormouse_changes::group;
use dormouse_changes::rule::in_force::{self, RulesInForce};
use dormouse_changes::run_call::{self, RunCall};
use dormouse_changes::set::propose::{Proposer, Source, TurnOps};
use dormouse_changes::set::proposed::{Basis, ProposalContext, Proposed};
use dormouse_changes::set::validate::{self, CallOutcome};
use dormouse_changes::tool::{CallContext, Retraction};
use dormouse_changes::{Effect, ModelTool, Policy, Refused};
use dormouse_journal::{EditCtx, JournalError, OnceKey, RuleError, state};
use dormouse_runs::clearance::was_shown_private;
use dormouse_runs::drive::denied;
use dormouse_runs::{AppliedCall, ExecutedCalls, RunError, ToolSet};
use dormouse_store::agent::change_item::Item;
use dormouse_store::{Audit, Db, Op, receipt};
use dormouse_types::kept_back::KeptBackReason;
use dormouse_types::model::{ToolCall, ToolResult};
use dormouse_types::policy::DenialReason;
use dormouse_types::rule::RuleHolder;
use dormouse_types::{Actor, Id as _, OperationId, Origin, TaskId, hash};

use crate::context::linked::LinkedTasks;
use crate::error::{from_changes, from_journal};
use crate::template::stock;
use crate::tools;

use super::wake_input::TaskContext;
use super::{ShownTask, TaskAgent};

impl TaskAgent<'_> {
    /// Validates the calls of a turn and runs those that write only the agent store.
    ///
    /// Returns the ops for the turn's commit, so that proposals, retractions and the sagas of calls
    /// that still have to write the journal become durable together with the turn that made them.
    /// Each call sees what the calls before it proposed. `window` is that of the model; see
    /// [`WakeInput::window`](super::wake_input::WakeInput::window).
    pub(super) async fn execute_calls(
        &self,
        calls: &[ToolCall],
        tools: ToolSet,
        shown: &ShownTask<'_>,
        window: Option<u64>,
    ) -> Result<ExecutedCalls, RunError> {
        let context = &*shown.task;
        let Some(task) = &context.task else {
            let results = calls.iter().map(|call| {
                Some(refused(call, "the task was deleted; nothing was applied".into()))
            });
            return Ok(ExecutedCalls { results: results.collect(), ..ExecutedCalls::default() });
        };
        let mut proposed: Vec<Proposed> = Vec::new();
        let mut retractions: Vec<Retraction> = Vec::new();
        let mut results = Vec::new();
        let mut sources: BTreeSet<_> = BTreeSet::new();
        let made_before = self.proposed_before(&context.items);
        let mut audit = Vec::new();
        let (store, ws) = (&self.agents.store, self.lease.ws);
        let (rules, mut held) = (self.rules(calls, shown, &task.id).await?, Vec::new());
        let named = group::named_tasks(store, ws, &task.id, calls).await?;
        let mut used: Vec<String> = made_before.iter().map(|item| item.tool.clone()).collect();
        for call in calls {
            let result = match tools::of_any_room(&call.name) {
                None => Some(refused(call, unknown(&call.name))),
                Some(tool) if tools == ToolSet::Closing && !tools::closes(tool) => {
                    let closing = tools::closing_in_words();
                    Some(refused(call, format!("only {closing} may be called now")))
                }
                Some(tool) if self.has_moved(context) && acts_on_the_task(tool) => {
                    audit.push(self.denied(tool, DenialReason::Moved));
                    Some(refused(call, MOVED.into()))
                }
                Some(tool) if rules.forbid(tool) => {
                    audit.push(self.denied(tool, DenialReason::Tool));
                    Some(refused(call, forbidden(tool)))
                }
                Some(tool) => {
                    let items = without_retracted(&context.items, &retractions);
                    if let Policy::Immediate(tool) = tool.policy {
                        let agent = &self.agent;
                        let context = CallContext { task, agent, items: &items };
                        let effect = tool.run(&call.args, &context);
                        if let Ok(Effect::Search { query, limit }) = &effect {
                            let recalled = self.recall(query, *limit, window).await?;
                            sources.extend(recalled.sources);
                            results.push(Some(accepted(call, recalled.text)));
                            continue;
                        }
                        results.push(immediate_result(call, effect, &mut retractions));
                        continue;
                    }
                    let context = ProposalContext {
                        task,
                        items: &items,
                        proposed: &proposed,
                        in_set: &made_before,
                        named: &named,
                        made_before: made_before.len(),
                        used: &used,
                        basis: Basis::Model,
                    };
                    let judged = validate::validate_call(tool, call, &context);
                    let judged = rules.obey(judged, &mut held);
                    let (is_refused, text) = validate::reply(&judged);
                    // To the model, an entry that it may not see does not exist.
                    if is_refused && let Some(reason) = shown.hidden_in(call) {
                        audit.push(self.denied(tool, reason.into()));
                    }
                    for one in judged {
                        if let CallOutcome::Queued(one) = one {
                            // A refused or redundant call does not use up the tool.
                            if matches!(tool.policy, Policy::Deferred(_)) {
                                used.push(tool.name.to_owned());
                            }
                            proposed.push(*one);
                        }
                    }
                    Some(ToolResult { call_id: call.id.clone(), refused: is_refused, text })
                }
            };
            results.push(result);
        }
        let TurnOps { mut ops, news } =
            self.turn_ops(&task.id, proposed, retractions, &held).await?;
        let later = calls.iter().zip(&results).filter(|(_, result)| result.is_none());
        ops.extend(later.map(|(call, _)| self.open_saga(&task.id, call)));
        let sources = sources.into_iter().collect();
        Ok(ExecutedCalls { results, ops, news, sources, audit })
    }

    /// Returns what the proposals, retractions and held-back proposals of a turn write.
    async fn turn_ops(
        &self,
        task: &TaskId,
        mut proposed: Vec<Proposed>,
        mut retractions: Vec<Retraction>,
        held: &[in_force::Held],
    ) -> Result<TurnOps, RunError> {
        // A retraction of something proposed again in the same turn is void: the item stays open.
        let kept: Vec<_> = proposed.iter().map(|one| one.fingerprint.clone()).collect();
        proposed.retain(|p| !retractions.iter().any(|one| one.item.fingerprint == p.fingerprint));
        retractions.retain(|one| !kept.contains(&one.item.fingerprint));
        let (store, ws, run) = (&self.agents.store, self.lease.ws, &self.lease.run);
        let is_of_private =
            !proposed.is_empty() && was_shown_private(store, ws, &run.holder, &run.key).await?;
        let by = Proposer {
            ws,
            holder: &run.holder,
            task,
            source: Source::Run { thread: &run.thread, key: &run.key, is_of_private },
        };
        let turn = self.agents.changes.turn_ops(by, &proposed, &retractions).await;
        let mut turn = turn.map_err(from_changes)?;
        turn.ops.extend(in_force::held_ops(by, held, self.agents.clock.now()));
        Ok(turn)
    }

    /// Reads the rules in force for what the run proposes, again for each turn: one that the person makes
    /// during the run counts at once.
    async fn rules(
        &self,
        calls: &[ToolCall],
        shown: &ShownTask<'_>,
        task: &TaskId,
    ) -> Result<RulesInForce, RunError> {
        let proposes =
            |call: &ToolCall| tools::of_any_room(&call.name).is_some_and(|it| it.item().is_some());
        let input = self.input.as_ref().filter(|_| calls.iter().any(proposes));
        let Some(input) = input else { return Ok(RulesInForce::default()) };
        let template = input.agent.config.template_id.clone();
        let holders = [
            Some(RuleHolder::Task(task.clone())),
            Some(RuleHolder::Agent(self.agent.clone())),
            Some(RuleHolder::Template(template.unwrap_or_else(|| stock::DEFAULT.id()))),
            input.effective.version.clone().map(RuleHolder::Version),
        ];
        let holders: Vec<RuleHolder> = holders.into_iter().flatten().collect();
        let linked = input.linked.iter().flat_map(LinkedTasks::all).map(|linked| &linked.id);
        let about: Vec<TaskId> = std::iter::once(task).chain(linked).cloned().collect();
        let rules = RulesInForce::read(&self.agents.store, self.lease.ws, &holders, &about).await?;
        let is_tainted = shown.task.task.iter().flat_map(|task| &task.entries).any(|it| it.tainted);
        let is_tainted = is_tainted || input.linked.is_none();
        Ok(if is_tainted { rules.asking() } else { rules })
    }

    /// A call without a result writes the journal after its turn. Its saga is opened with the turn,
    /// so recovery knows about the write before it happens.
    fn open_saga(&self, task: &TaskId, call: &ToolCall) -> Op {
        let run_key = self.lease.run.key.as_str();
        let operation = dormouse_runs::run_log::operation(run_key, call);
        let payload = RunCall::new(task.clone(), self.agent.clone());
        payload.open(self.lease.ws, &operation, run_key, &call.name, self.agents.clock.now())
    }

    /// Returns whether the task is in another category than when the run began.
    fn has_moved(&self, context: &TaskContext) -> bool {
        self.began_in.as_ref().is_some_and(|began_in| *began_in != context.category)
    }

    /// Builds the audit row of a call that is refused because of what it would act on.
    fn denied(&self, tool: &ModelTool, reason: DenialReason) -> Audit {
        let run = &self.lease.run;
        let model = self.agents.driver.models().named(run.model.as_deref());
        denied(&run.holder, &run.key, &*model, tool.name, reason)
    }

    /// Returns the items that this run proposed in earlier turns.
    pub(super) fn proposed_before<'i>(&self, items: &'i [Item]) -> Vec<&'i Item> {
        items
            .iter()
            .filter(|item| {
                item.operation
                    == dormouse_changes::set::rows::operation(
                        self.lease.run.key.as_str(),
                        &item.fingerprint,
                        item.round,
                    )
            })
            .collect()
    }

    /// Applies the edits of an immediate call to the journal, after the commit of its turn.
    pub(super) async fn edit_journal(
        &self,
        call: &ToolCall,
        task: &TaskId,
    ) -> Result<AppliedCall, RunError> {
        let Some(Policy::Immediate(tool)) = tools::of_any_room(&call.name).map(|tool| tool.policy)
        else {
            return Err(RunError::Broken(format!("{} edits nothing by itself", call.name)));
        };
        let operation = dormouse_runs::run_log::operation(self.lease.run.key.as_str(), call);
        let mut ctx = EditCtx::new(
            Origin::Agent { agent: self.agent.clone() },
            Actor::Agent(self.agent.clone()),
        );
        ctx.once = Some(OnceKey { id: operation.0.clone(), request: hash::sha256(&operation.0) });
        ctx.fence = Some((self.agent.to_string(), self.lease.run.epoch));
        let rule = |view: &dormouse_journal::TaskView| {
            let task = state(view, &self.agents.zone.get());
            let context = CallContext { task: &task, agent: &self.agent, items: &[] };
            tool.run(&call.args, &context).map(|effect| match effect {
                Effect::Edit(edits) => edits,
                Effect::Recorded { .. } | Effect::Withdraw { .. } | Effect::Search { .. } => {
                    Vec::new()
                }
            })
        };
        let edited = self.agents.journal.edit_with(self.lease.ws, task, &ctx, &rule).await;
        // An edit with a receipt that succeeded has written it, now or before a crash.
        let is_done = edited.is_ok();
        let result = match edited {
            Ok(_) => accepted(call, tool.applied().into()),
            Err(RuleError::Rule(refusal)) => refused_call(call, refusal),
            Err(RuleError::Journal(
                error @ (JournalError::Edit(_) | JournalError::NoTask { .. }),
            )) => refused(call, error.to_string()),
            Err(RuleError::Journal(JournalError::Fenced { .. })) => {
                return Err(RunError::Commit(dormouse_store::CommitError::Refused {
                    label: "run.effect",
                    refusal: dormouse_store::Refusal::LeaseLost,
                }));
            }
            Err(RuleError::Journal(error)) => return Err(from_journal(error)),
        };
        // After a crash the write may already be done. The receipt answers then, because the rule
        // would refuse the call as redundant.
        let is_applied = is_done || self.is_applied(&operation).await?;
        let why = (!is_applied).then_some(result.text.as_str());
        let now = self.agents.clock.now();
        Ok(AppliedCall {
            ops: vec![run_call::ended(self.lease.ws, &operation, why, now)],
            touched: if is_applied { vec![task.to_string()] } else { Vec::new() },
            result,
        })
    }

    async fn is_applied(&self, operation: &OperationId) -> Result<bool, RunError> {
        let receipt = receipt::by_id(Db::Journal, self.lease.ws, operation.as_str());
        Ok(self.agents.store.first(receipt).await?.is_some())
    }
}

impl ShownTask<'_> {
    /// Returns why an entry that a call names may not be seen; `None` if it names no such entry.
    fn hidden_in(&self, call: &ToolCall) -> Option<KeptBackReason> {
        let args = call.args.to_string();
        let mut hidden = self.hidden.iter();
        hidden.find(|(entry, _)| args.contains(entry.as_str())).map(|(_, reason)| *reason)
    }
}

/// The items of a set but those that an earlier call of the turn retracted.
fn without_retracted(items: &[Item], retractions: &[Retraction]) -> Vec<Item> {
    let is_kept = |item: &&Item| !retractions.iter().any(|one| one.item == **item);
    items.iter().filter(is_kept).cloned().collect()
}

/// What the model reads about a call on a task that was moved.
const MOVED: &str = "the task was moved to another category during this wake; nothing was applied";

/// What the model reads about a call of a tool that its template forbids.
fn forbidden(tool: &ModelTool) -> String {
    format!("the person does not let you use {}; nothing was applied", tool.name)
}

/// Returns whether a tool acts on the task, and not only on what the agent knows.
fn acts_on_the_task(tool: &ModelTool) -> bool {
    tools::by_name(tool.name).is_none()
}

/// Returns what the model reads about an immediate call, and collects what it withdraws. Returns
/// `None` for a call that edits the journal, which must wait for the turn's commit.
fn immediate_result(
    call: &ToolCall,
    effect: Result<Effect, Refused>,
    retractions: &mut Vec<Retraction>,
) -> Option<ToolResult> {
    match effect {
        // Searched for by the caller.
        Ok(Effect::Edit(_) | Effect::Search { .. }) => None,
        Ok(Effect::Recorded { reply }) => Some(accepted(call, reply)),
        Ok(Effect::Withdraw { retractions: withdrawn, reply }) => {
            retractions.extend(withdrawn);
            Some(accepted(call, reply))
        }
        Err(refusal) => Some(refused_call(call, refusal)),
    }
}

fn accepted(call: &ToolCall, text: String) -> ToolResult {
    ToolResult { call_id: call.id.clone(), refused: false, text }
}

/// A redundant call is not an error: the model need not try again.
fn refused_call(call: &ToolCall, refusal: Refused) -> ToolResult {
    match refusal {
        Refused::Redundant(text) => accepted(call, text),
        Refused::Invalid(text) => refused(call, text),
    }
}

fn refused(call: &ToolCall, text: String) -> ToolResult {
    ToolResult { call_id: call.id.clone(), refused: true, text }
}

fn unknown(name: &str) -> String {
    let names: Vec<_> = tools::offer().tools().iter().map(|spec| spec.name.clone()).collect();
    format!("there is no tool {name}; nothing was applied. Tools: {}", names.join(", "))
}
