//! What a run proposes to change about the person's tasks: ordinary change sets, with the run as their
//! proposer. A run changes nothing about a task without the person.

use dormouse_changes::DecideError;
use dormouse_changes::rule::in_force::{self, Held, RulesInForce};
use dormouse_changes::set::propose::{Proposer, Source as ProposalSource, TurnOps};
use dormouse_changes::set::proposed::{Basis, ProposalContext, Proposed};
use dormouse_changes::set::rows::operation;
use dormouse_changes::set::validate::{self, CallOutcome};
use dormouse_changes::tools::copy_task;
use dormouse_changes::{ModelTool, Policy, tools};
use dormouse_journal::{JournalError, state};
use dormouse_runs::clearance::was_shown_private;
use dormouse_runs::{Lease, RunError};
use dormouse_store::agent::change_item::{self, Item};
use dormouse_store::agent::work::definition::Definition;
use dormouse_store::{ChangeRow, Op};
use dormouse_types::model::{TaskState, ToolCall};
use dormouse_types::rule::RuleHolder;
use dormouse_types::work_kind::WorkParameters;
use dormouse_types::work_outcome::{NewTask, ProposedCall, WorkEvidence, WorkProposals};
use dormouse_types::{HolderId, TaskId, Timestamp};
use jiff::civil::Date;
use serde_json::{Value, json};

use crate::{Work, WorkError};

/// What a run proposes in one commit, by the tasks that it is about.
pub(crate) struct Proposals<'a> {
    work: &'a Work,
    lease: &'a Lease,
    tasks: Vec<AboutTask>,
    /// How many items earlier commits of the run proposed.
    made_before: usize,
    /// Whose rules are obeyed, besides those about each task.
    holders: Vec<RuleHolder>,
    /// The rules of these.
    rules: RulesInForce,
    /// Whether the run has read nothing but the tasks that it proposes about.
    is_built_in: bool,
}

/// How much of what the rules of built-in work wanted is proposed. Units: changes.
pub(crate) struct Share {
    /// Those that are proposed.
    pub n_proposed: usize,
    /// All that were wanted, of tasks that are still there.
    pub n_wanted: usize,
}

struct AboutTask {
    task: TaskState,
    items: Vec<Item>,
    proposed: Vec<Proposed>,
    /// Tools that may be used once and were used.
    used: Vec<String>,
    /// The rules about the task, and those of the run.
    rules: RulesInForce,
    /// What they held back.
    held: Vec<Held>,
}

impl<'a> Proposals<'a> {
    /// Begins with what the run proposed so far.
    pub async fn begin(
        work: &'a Work,
        lease: &'a Lease,
        definition: &Definition,
    ) -> Result<Self, RunError> {
        let run: [HolderId; 1] = [lease.holder().clone()];
        let made = work.store.all(change_item::of_proposers(lease.ws, &run)).await?;
        let mut holders = vec![RuleHolder::Work(definition.id.clone())];
        if let Some(followed) = &definition.template {
            holders.push(RuleHolder::Template(followed.clone()));
        }
        let rules = RulesInForce::read(&work.store, lease.ws, &holders, &[]).await?;
        let is_built_in = definition.built_in.is_some();
        let (tasks, made_before) = (Vec::new(), made.len());
        Ok(Self { work, lease, tasks, made_before, holders, rules, is_built_in })
    }

    /// Returns whether the person lets no run of the definition call a tool.
    pub fn forbids(&self, tool: &ModelTool) -> bool {
        self.rules.forbid(tool)
    }

    /// Reads the rules about a task together with those of the run.
    async fn rules_about(&self, task: &TaskId) -> Result<RulesInForce, RunError> {
        let mut holders = self.holders.clone();
        holders.push(RuleHolder::Task(task.clone()));
        let (store, ws) = (&self.work.store, self.lease.ws);
        let rules = RulesInForce::read(store, ws, &holders, std::slice::from_ref(task)).await?;
        // What a model read in a run may be of anybody: what it proposes waits for the person.
        Ok(if self.is_built_in { rules } else { rules.asking() })
    }

    /// Returns a task as it is now; `None` if there is none.
    pub async fn task(&self, id: &TaskId) -> Result<Option<TaskState>, RunError> {
        let ws = self.lease.ws;
        match self.work.journal.task(ws, id).await {
            Ok(view) if view.task.value.deleted_at.is_some() => Ok(None),
            Ok(view) => Ok(Some(state(&view, &self.work.zone.get()))),
            Err(JournalError::NoTask { .. }) => Ok(None),
            Err(JournalError::Read(error)) => Err(RunError::Read(error)),
            Err(error) => Err(RunError::Broken(error.to_string())),
        }
    }

    /// Validates a call about a task: what it may propose is kept for the commit.
    pub async fn call(
        &mut self,
        task: TaskState,
        tool: &'static ModelTool,
        call: &ToolCall,
        basis: Basis,
    ) -> Result<Vec<CallOutcome>, RunError> {
        let n_so_far: usize = self.tasks.iter().map(|about| about.proposed.len()).sum();
        let at = match self.tasks.iter().position(|about| about.task.id == task.id) {
            Some(at) => at,
            None => {
                let items = change_item::of_task(self.lease.ws, &task.id);
                let items = self.work.store.all(items).await?;
                let used = self.used(&items);
                let rules = self.rules_about(&task.id).await?;
                let (proposed, held) = (Vec::new(), Vec::new());
                self.tasks.push(AboutTask { task, items, proposed, used, rules, held });
                self.tasks.len() - 1
            }
        };
        let about = &mut self.tasks[at];
        let context = ProposalContext {
            task: &about.task,
            items: &about.items,
            proposed: &about.proposed,
            // A run proposes no groups.
            in_set: &[],
            named: &[],
            // Of all tasks together there are only so many.
            made_before: self.made_before + n_so_far - about.proposed.len(),
            used: &about.used,
            basis,
        };
        let judged = validate::validate_call(tool, call, &context);
        let judged = about.rules.obey(judged, &mut about.held);
        for one in &judged {
            let CallOutcome::Queued(one) = one else { continue };
            if matches!(tool.policy, Policy::Deferred(_)) {
                about.used.push(tool.name.to_owned());
            }
            about.proposed.push((**one).clone());
        }
        Ok(judged)
    }

    /// The tools that earlier turns of this attempt used on a task.
    fn used(&self, items: &[Item]) -> Vec<String> {
        let key = self.lease.run.key.as_str();
        let is_own = |item: &&Item| item.operation == operation(key, &item.fingerprint, item.round);
        items.iter().filter(is_own).map(|item| item.tool.clone()).collect()
    }

    /// The writes for the commit: one set for each task.
    pub async fn ops(self) -> Result<(Vec<Op>, Vec<ChangeRow>), RunError> {
        let Self { work, lease, tasks, is_built_in, .. } = self;
        let (mut ops, mut news) = (Vec::new(), Vec::new());
        let is_empty = |about: &&AboutTask| about.proposed.is_empty() && about.held.is_empty();
        let run = &lease.run;
        let is_of_private = !is_built_in
            && tasks.iter().any(|about| !about.proposed.is_empty())
            && was_shown_private(&work.store, lease.ws, lease.holder(), &run.key).await?;
        for about in tasks.iter().filter(|about| !is_empty(about)) {
            let by = Proposer {
                ws: lease.ws,
                holder: lease.holder(),
                task: &about.task.id,
                source: ProposalSource::Run { thread: &run.thread, key: &run.key, is_of_private },
            };
            let written = work.changes.turn_ops(by, &about.proposed, &[]).await;
            let TurnOps { ops: more, news: rows } = written.map_err(from_changes)?;
            ops.extend(more);
            ops.extend(in_force::held_ops(by, &about.held, work.clock.now()));
            news.extend(rows);
        }
        Ok((ops, news))
    }

    /// Proposes what the rules of built-in work with these parameters came to.
    pub async fn of_rules(
        &mut self,
        wanted: &WorkProposals,
        parameters: &WorkParameters,
    ) -> Result<Share, WorkError> {
        let mut share = Share { n_proposed: 0, n_wanted: 0 };
        let mut calls = wanted.calls.clone();
        calls.extend(wanted.new_tasks.iter().filter_map(|new| copy_of(new, wanted, self.today())));
        for one in &calls {
            let Some(tool) = tools::of_built_in_work(&one.tool) else {
                return Err(crate::error::broken(format!("there is no tool {}", one.tool)));
            };
            let Some(task) = self.task(&one.task).await? else { continue };
            let since = self.begin_of(one.evidence.on);
            let basis = match parameters {
                WorkParameters::Repeat(_) => Basis::RecurringFact { since },
                WorkParameters::Agenda(_)
                | WorkParameters::Review(_)
                | WorkParameters::Watch(_)
                | WorkParameters::Sweep(_) => Basis::Fact { since },
            };
            let judged = self.call(task, tool, &call_of(one), basis).await?;
            let is_proposed = |one: &&CallOutcome| matches!(one, CallOutcome::Queued(_));
            share.n_proposed += judged.iter().filter(is_proposed).count();
            share.n_wanted += judged.len();
            for refused in judged {
                if let CallOutcome::Refused(why) = refused {
                    let why = format!("{} about {}: {why}", one.tool, one.task);
                    return Err(crate::error::broken(why));
                }
            }
        }
        Ok(share)
    }

    fn today(&self) -> Date {
        self.work.clock.now().day_in(&self.work.zone.get())
    }

    fn begin_of(&self, day: Date) -> Timestamp {
        let begin = day.to_zoned(self.work.zone.get());
        begin.map_or(Timestamp::from_micros(0), |at| Timestamp::from_jiff(at.timestamp()))
    }
}

/// The call that makes a task again; `None` for one that is like no other.
fn copy_of(new: &NewTask, wanted: &WorkProposals, today: Date) -> Option<ProposedCall> {
    let task = new.copy_of.clone()?;
    let args = json!({
        "title": new.title,
        "dueDate": new.due_on.map(|day| day.to_string()),
        "estimateMinutes": new.estimate_minutes,
        "labels": new.labels,
        "items": new.items,
    });
    let tool = copy_task::TOOL.name.to_owned();
    let evidence = WorkEvidence { on: today, text: wanted.text.title.clone() };
    Some(ProposedCall { task, tool, args, evidence })
}

/// The call of a tool with the fact that speaks for it as its reason.
fn call_of(one: &ProposedCall) -> ToolCall {
    let mut args = one.args.clone();
    let reason = Value::from(one.evidence.text.clone());
    // Each element of a list is an item, with a reason of its own.
    let is_list = |it: &&mut Vec<Value>| it.first().is_some_and(Value::is_object);
    let list = args
        .as_object_mut()
        .and_then(|map| map.values_mut().find_map(|it| it.as_array_mut().filter(is_list)));
    match list {
        Some(elements) => {
            for element in elements {
                element["rationale"] = reason.clone();
            }
        }
        None => args["rationale"] = reason,
    }
    ToolCall { id: one.tool.clone(), name: one.tool.clone(), args }
}

pub(crate) fn from_changes(error: DecideError) -> RunError {
    match error {
        DecideError::Read(error) => RunError::Read(error),
        DecideError::Commit(error) => RunError::Commit(error),
        other => RunError::Broken(other.to_string()),
    }
}
