//! Making and removing rules.

use dormouse_store::agent::agent_entity::{Agent, Lifecycle};
use dormouse_store::agent::entity;
use dormouse_store::agent::rule::{self, Rule};
use dormouse_store::agent::template::Template;
use dormouse_store::{
    Audit, ChangeRow, Commit, CommitError, Db, MaybeRefused, Once, ReadError, Refusal,
};
use dormouse_types::audit::AuditAction;
use dormouse_types::rule::{Condition, RuleEffect, RuleHolder};
use dormouse_types::{
    Actor, DecisionId, EventKind, Id as _, Origin, RuleId, TaskId, WorkspaceId, limits,
};

use crate::set::service::Changes;
use crate::tool::ItemTool;
use crate::tools;

/// Names by which a rule would be about every tool.
const EVERYTHING: [&str; 5] = ["", "*", "all", "any", "everything"];

/// Why a rule was not made or removed.
#[derive(Debug, thiserror::Error)]
pub enum RuleError {
    /// There is no such tool, or it proposes nothing. Retry: with another name.
    #[error("there is no tool {given} that proposes; one of: {known}")]
    UnknownTool {
        /// The name as given.
        given: String,
        /// The names there are.
        known: String,
    },
    /// The rule would hold back whatever is proposed. Retry: never; pause the agent.
    #[error("such a rule would hold back everything: pause the agent instead")]
    Everything,
    /// No rule may confirm what the tool proposes. Retry: never.
    #[error(
        "{tool} is never applied by itself: what it does leaves the machine or costs something"
    )]
    NeverByItself { tool: &'static str },
    /// No rule may confirm what runs of agent work propose, which may have read anything. Retry: never.
    #[error("what a run of agent work proposes may rest on any text: it always waits for you")]
    OfAgentWork,
    /// The condition cannot be used. Retry: with another one.
    #[error("{0}")]
    Condition(String),
    /// There is nothing that the rule could be about. Retry: never.
    #[error("there is no {what} {id}")]
    NoHolder {
        /// What is missing.
        what: &'static str,
        id: String,
    },
    /// A rule cannot be about this. Retry: with another holder.
    #[error("a rule is about a task, an agent or a template, not about {holder}")]
    WrongHolder {
        /// What was given.
        holder: RuleHolder,
    },
    /// The task is deleted. Retry: after restoring it.
    #[error("task {task} is deleted: restore it before making a rule about it")]
    TaskDeleted { task: TaskId },
    /// A rule like it is in force. Retry: never.
    #[error("there is such a rule already")]
    Exists,
    /// There is no such rule in force. Retry: never.
    #[error("there is no rule {rule} in force")]
    NotFound { rule: RuleId },
    /// There are too many. Retry: after removing one.
    #[error(transparent)]
    TooMany(#[from] limits::Beyond),
    /// Rows cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The commit failed.
    #[error(transparent)]
    Commit(#[from] CommitError),
}

impl MaybeRefused for RuleError {
    fn refusal(&self) -> Option<Refusal> {
        if let Self::Commit(error) = self { error.refusal() } else { None }
    }
}

/// A rule that holds something back, to be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewRule {
    pub holder: RuleHolder,
    /// The tool, by any of its names.
    pub tool: String,
    /// `None` holds back whatever the tool proposes.
    pub condition: Option<Condition>,
    /// The verdicts that it was suggested for.
    pub decisions: Vec<DecisionId>,
}

/// Who makes or removes a rule.
#[derive(Debug, Clone)]
pub struct RuleMaker {
    pub ws: WorkspaceId,
    pub actor: Actor,
    /// Idempotency key of the request, if it has one.
    pub once: Option<Once>,
}

/// Finds the tool of change items that a rule names.
///
/// Errors: there is no such tool; the name stands for all of them.
pub fn tool(given: &str) -> Result<&'static dyn ItemTool, RuleError> {
    let given = given.trim();
    if EVERYTHING.contains(&given.to_lowercase().as_str()) {
        return Err(RuleError::Everything);
    }
    let found = tools::by_name(given).and_then(|tool| tool.item());
    found.or_else(|| tools::item(given)).ok_or_else(|| RuleError::UnknownTool {
        given: given.chars().take(60).collect(),
        known: tools::items().map(|tool| tool.name()).collect::<Vec<_>>().join(", "),
    })
}

/// Refuses a rule that, with those in force of the same holder, leaves nothing to propose.
///
/// Errors: it would hold back everything.
pub fn ensure_something_left(rules: &[Rule], tool: &str) -> Result<(), RuleError> {
    let is_whole = |rule: &&Rule| {
        rule.condition.is_none()
            && (rule.does(RuleEffect::Forbid) || rule.does(RuleEffect::HoldBack))
    };
    let shut = |name: &str| name == tool || rules.iter().filter(is_whole).any(|it| it.tool == name);
    if tools::items().all(|item| shut(item.name())) { Err(RuleError::Everything) } else { Ok(()) }
}

impl Changes {
    /// Makes a rule that holds something back, and returns its id.
    ///
    /// Errors: see [`RuleError`].
    pub async fn add_rule(&self, by: &RuleMaker, new: NewRule) -> Result<RuleId, RuleError> {
        let NewRule { holder, tool: given, condition, decisions } = new;
        let tool = tool(&given)?.name();
        let condition = condition.map(Condition::checked).transpose();
        let condition = condition.map_err(RuleError::Condition)?;
        self.ensure_holder(by.ws, &holder).await?;
        let rules = self.store.all(rule::in_force(by.ws, std::slice::from_ref(&holder))).await?;
        if condition.is_none() {
            ensure_something_left(&rules, tool)?;
        }
        limits::RULES.check(rules.len() + 1)?;
        let now = self.clock.now();
        let rule = Rule {
            id: RuleId::fresh(now, &*self.entropy),
            holder,
            effect: RuleEffect::HoldBack.into(),
            tool: tool.to_owned(),
            condition,
            decisions,
            made_by: by.actor.to_string(),
            made_at: now,
            removed_at: None,
        };
        let mut commit = Commit::new("rule.add", Db::Agent, by.ws)
            .op(rule::insert(by.ws, &rule))
            .change(changed(&rule))
            .audit(audit(by, AuditAction::RuleAdd, &rule));
        commit.once = by.once.clone().map(|once| Once { answer: rule.id.to_string(), ..once });
        let committed = self.store.commit(commit).await.map_err(|error| match error.refusal() {
            Some(Refusal::Exists) => RuleError::Exists,
            _ => error.into(),
        })?;
        let replayed = committed.replayed.and_then(|answer| answer.parse().ok());
        Ok(replayed.unwrap_or(rule.id))
    }

    /// Removes a rule: what it is about is proposed, and waits for the person, again. Returns it as it was.
    ///
    /// Errors: it is not in force.
    pub async fn remove_rule(&self, by: &RuleMaker, id: &RuleId) -> Result<Rule, RuleError> {
        let missing = || RuleError::NotFound { rule: id.clone() };
        let rule = self.store.first(rule::by_id(by.ws, id)).await?.ok_or_else(missing)?;
        let actor = by.actor.to_string();
        let mut commit = Commit::new("rule.remove", Db::Agent, by.ws)
            .op(rule::remove(by.ws, id, &actor, self.clock.now()))
            .change(changed(&rule))
            .audit(audit(by, AuditAction::RuleRemove, &rule));
        commit.once.clone_from(&by.once);
        self.store.commit(commit).await.map_err(|error| match error.refusal() {
            Some(Refusal::Missing) => missing(),
            _ => error.into(),
        })?;
        Ok(rule)
    }

    async fn ensure_holder(&self, ws: WorkspaceId, holder: &RuleHolder) -> Result<(), RuleError> {
        let no = |what| RuleError::NoHolder { what, id: holder.to_string() };
        match holder {
            RuleHolder::Task(task) => {
                let view = self.task_of(ws, task).await;
                let view = view.map_err(|_| no("task"))?.ok_or_else(|| no("task"))?;
                if view.deleted_at().is_some() {
                    return Err(RuleError::TaskDeleted { task: task.clone() });
                }
            }
            RuleHolder::Agent(agent) => {
                let found = self.store.first(entity::by_id::<Agent>(ws, agent.as_str())).await?;
                let agent = found.ok_or_else(|| no("agent"))?.doc.value;
                if agent.lifecycle == Lifecycle::Destroyed {
                    return Err(no("agent"));
                }
            }
            RuleHolder::Template(template) => {
                let query = entity::by_id::<Template>(ws, template.as_str());
                let found = self.store.first(query).await?;
                let found = found.filter(|found| found.doc.value.deleted_at.is_none());
                found.ok_or_else(|| no("template"))?;
            }
            RuleHolder::Version(_) | RuleHolder::Work(_) => {
                return Err(RuleError::WrongHolder { holder: holder.clone() });
            }
        }
        Ok(())
    }
}

fn changed(rule: &Rule) -> ChangeRow {
    let origin = Origin::Person { via: None };
    let task = if let RuleHolder::Task(task) = &rule.holder { Some(task.clone()) } else { None };
    ChangeRow::agent(origin, EventKind::RuleChanged, task, rule.id.as_str())
}

fn audit(by: &RuleMaker, action: AuditAction, rule: &Rule) -> Audit {
    let condition = rule.condition.as_ref().map(Condition::key).unwrap_or_default();
    let detail = format!("{} {} {condition}", rule.holder, rule.tool);
    let detail = detail.trim_end().to_owned();
    Audit { actor: by.actor.clone(), action, object: rule.id.to_string(), detail }
}
