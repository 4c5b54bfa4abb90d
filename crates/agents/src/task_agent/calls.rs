//! The calls of a turn: validated, run if they write only the agent store, otherwise deferred until
//! after the turn's commit.

use dormouse_changes::recovery::{self, RunCall};
use dormouse_changes::set::propose::{Proposer, Retraction, TurnOps};
use dormouse_changes::set::validate::{self, CallOutcome, ProposalContext, Proposed};
use dormouse_changes::tools::{retract_suggestions, set_task_language};
use dormouse_changes::{ModelTool, Policy, Refused};
use dormouse_journal::{Edit, EditCtx, JournalError, OnceKey, RuleError, state};
use dormouse_runs::{AppliedCall, ExecutedCalls, RunError, ToolSet};
use dormouse_store::agent::change_item::{Item, State};
use dormouse_store::{Db, receipt};
use dormouse_types::model::{TaskState, ToolCall, ToolResult};
use dormouse_types::{OperationId, Origin, TaskId, hash};

use crate::tools::record_observations::{self};
use crate::tools::{self, update_report};

use super::wake_input::TaskContext;
use super::{TaskAgent, from_changes, from_journal};

impl TaskAgent<'_> {
    /// Validates the calls of a turn and runs those that write only the agent store.
    ///
    /// Returns the ops for the turn's commit, so that proposals, retractions and the sagas of calls
    /// that still have to write the journal become durable together with the turn that made them.
    /// Each call sees what the calls before it proposed.
    pub(super) async fn execute_calls(
        &self,
        calls: &[ToolCall],
        tools: ToolSet,
        context: &TaskContext,
    ) -> Result<ExecutedCalls, RunError> {
        let Some(task) = &context.task else {
            let results = calls.iter().map(|call| {
                Some(refused(call, "the task was deleted; nothing was applied".into()))
            });
            return Ok(ExecutedCalls { results: results.collect(), ..ExecutedCalls::default() });
        };
        let mut proposed: Vec<Proposed> = Vec::new();
        let mut retractions: Vec<Retraction> = Vec::new();
        let mut results = Vec::new();
        let made_before = self.proposed_before(&context.items);
        let mut used: Vec<String> = made_before.iter().map(|item| item.tool.clone()).collect();
        for call in calls {
            let tool =
                tools::by_name(&call.name).or_else(|| dormouse_changes::tools::by_name(&call.name));
            let result = match tool {
                None => Some(refused(call, unknown(&call.name))),
                Some(tool) if tools == ToolSet::Closing && !tools::closes(tool) => {
                    Some(refused(call, "only update_report may be called now".into()))
                }
                Some(tool) if tool.policy == Policy::Immediate => {
                    self.immediate(tool, call, task, context, &mut retractions)
                }
                Some(tool) => {
                    let items: Vec<Item> = context
                        .items
                        .iter()
                        .filter(|item| !retractions.iter().any(|one| one.item == **item))
                        .cloned()
                        .collect();
                    let context = ProposalContext {
                        task,
                        items: &items,
                        proposed: &proposed,
                        made_before: made_before.len(),
                        used: &used,
                    };
                    let judged = validate::validate_call(tool, call, &context);
                    let (is_refused, text) = validate::reply(&judged);
                    for one in judged {
                        if let CallOutcome::Queued(one) = one {
                            // A refused or redundant call does not use up the tool.
                            if tool.policy == Policy::Deferred {
                                used.push(tool.name.to_owned());
                            }
                            proposed.push(one);
                        }
                    }
                    Some(ToolResult { call_id: call.id.clone(), refused: is_refused, text })
                }
            };
            results.push(result);
        }
        // A retraction of something proposed again in the same turn is void: the item stays open.
        let kept: Vec<_> = proposed.iter().map(|one| one.fingerprint.clone()).collect();
        proposed.retain(|p| !retractions.iter().any(|one| one.item.fingerprint == p.fingerprint));
        retractions.retain(|one| !kept.contains(&one.item.fingerprint));
        let by = Proposer {
            ws: self.lease.ws,
            agent: &self.lease.run.agent,
            task: &task.id,
            thread: &self.lease.run.thread,
            run_key: &self.lease.run.key,
        };
        let TurnOps { mut ops, news } = self
            .agents
            .changes
            .turn_ops(by, &proposed, &retractions)
            .await
            .map_err(from_changes)?;
        // A call without a result writes the journal after this turn. Its saga is opened with the
        // turn, so recovery knows about the write before it happens.
        let later = calls.iter().zip(&results).filter(|(_, result)| result.is_none());
        for (call, _) in later {
            let operation = dormouse_runs::run_log::operation(self.lease.run.key.as_str(), call);
            let payload = RunCall::new(task.id.clone(), self.lease.run.agent.clone());
            let now = self.agents.clock.now();
            let run_key = self.lease.run.key.as_str();
            ops.push(payload.open(self.lease.ws, &operation, run_key, &call.name, now));
        }
        Ok(ExecutedCalls { results, ops, news })
    }

    /// Returns the items that this run proposed in earlier turns.
    pub(super) fn proposed_before<'i>(&self, items: &'i [Item]) -> Vec<&'i Item> {
        items
            .iter()
            .filter(|item| {
                item.operation
                    == dormouse_changes::set::service::operation(
                        self.lease.run.key.as_str(),
                        &item.fingerprint,
                        item.round,
                    )
            })
            .collect()
    }

    /// Runs an immediate call. Returns `None` for a call that writes the journal, which must wait
    /// for the turn's commit.
    pub(super) fn immediate(
        &self,
        tool: &'static ModelTool,
        call: &ToolCall,
        task: &TaskState,
        context: &TaskContext,
        retractions: &mut Vec<Retraction>,
    ) -> Option<ToolResult> {
        let told = |result: Result<String, Refused>| Some(tool_result(call, result));
        if tool.name == update_report::TOOL.name {
            return told(update_report::check(&call.args).map(|_| "Report published.".into()));
        }
        if tool.name == record_observations::TOOL.name {
            let result = record_observations::check(&call.args);
            return told(result.map(|notes| format!("{} noted.", notes.len())));
        }
        if tool.name == set_task_language::TOOL.name {
            return match set_task_language::check(&call.args, task) {
                Ok(_) => None,
                Err(refused) => told(Err(refused)),
            };
        }
        let result = retract_suggestions::check(&call.args).map(|elements| {
            let mut lines = Vec::new();
            for element in elements {
                let fp = element.fingerprint.trim().trim_start_matches("fp=").to_lowercase();
                let open = context.items.iter().find(|item| {
                    // An item that is being applied has just been confirmed: the agent may no
                    // longer withdraw it.
                    matches!(item.state, State::Pending | State::Deferred)
                        && !retractions.iter().any(|one| one.item == **item)
                        && item.agent == self.lease.run.agent
                        && fp.len() >= 8
                        && item.fingerprint.0.starts_with(&fp)
                });
                match open {
                    Some(item) => {
                        let reason = element.reason.trim().to_owned();
                        retractions.push(Retraction { item: item.clone(), reason });
                        lines.push(format!("fp={fp}: retracted"));
                    }
                    None => lines.push(format!("fp={fp}: not open")),
                }
            }
            lines.join("\n")
        });
        told(result)
    }

    pub(super) async fn set_language(
        &self,
        call: &ToolCall,
        task: &TaskId,
    ) -> Result<AppliedCall, RunError> {
        let operation = dormouse_runs::run_log::operation(self.lease.run.key.as_str(), call);
        let mut ctx = EditCtx::new(
            Origin::Agent { agent: self.lease.run.agent.clone() },
            format!("agent:{}", self.lease.run.agent),
        );
        ctx.once = Some(OnceKey { id: operation.0.clone(), request: hash::sha256(&operation.0) });
        ctx.fence = Some((self.lease.run.agent.to_string(), self.lease.run.epoch));
        let rule = |view: &dormouse_journal::TaskView| {
            let task = state(view, &self.agents.zone);
            set_task_language::check(&call.args, &task)
                .map(|code| vec![Edit::Language { code: Some(code) }])
        };
        let edited = self.agents.journal.edit_with(self.lease.ws, task, &ctx, rule).await;
        let result = match edited {
            Ok(_) => tool_result(call, Ok("Language set.".into())),
            Err(RuleError::Rule(refused)) => tool_result(call, Err(refused)),
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
        let is_applied = self.is_applied(&operation).await?;
        let why = (!is_applied).then_some(result.text.as_str());
        let now = self.agents.clock.now();
        Ok(AppliedCall {
            ops: vec![recovery::ended(self.lease.ws, &operation, why, now)],
            touched: if is_applied { vec![task.to_string()] } else { Vec::new() },
            result,
        })
    }

    async fn is_applied(&self, operation: &OperationId) -> Result<bool, RunError> {
        let receipt = receipt::by_id(Db::Journal, self.lease.ws, operation.as_str());
        Ok(self.agents.store.first(receipt).await?.is_some())
    }
}

fn tool_result(call: &ToolCall, result: Result<String, Refused>) -> ToolResult {
    let (refused, text) = match result {
        Ok(text) => (false, text),
        Err(Refused::Redundant(text)) => (false, text),
        Err(Refused::Invalid(text)) => (true, text),
    };
    ToolResult { call_id: call.id.clone(), refused, text }
}

fn refused(call: &ToolCall, text: String) -> ToolResult {
    ToolResult { call_id: call.id.clone(), refused: true, text }
}

fn unknown(name: &str) -> String {
    let names: Vec<_> = tools::specs(ToolSet::All).into_iter().map(|spec| spec.name).collect();
    format!("there is no tool {name}; nothing was applied. Tools: {}", names.join(", "))
}
