//! Rules about what agents propose: those in force, those that verdicts speak for, what they held back.

use std::collections::BTreeSet;

use dormouse_agents::template::policy::policy_of;
use dormouse_agents::template::stock;
use dormouse_changes::rule::suggestion::{self, GivenVerdict};
use dormouse_changes::tools;
use dormouse_store::agent::agent_entity::Agent;
use dormouse_store::agent::change_item::{self, Item, State};
use dormouse_store::agent::change_set::{Decision, DecisionVerdict};
use dormouse_store::agent::template::TemplateVersion as StoredVersion;
use dormouse_store::agent::{entity, rule};
use dormouse_store::in_list;
use dormouse_store::journal::label::Label;
use dormouse_types::rule::{Condition, RuleHolder};
use dormouse_types::template::TemplateKind;
use dormouse_types::{AgentId, RuleId, TaskId, TemplateId, Timestamp, WorkspaceId};
use dormouse_work::tools::proposing;

use crate::view::{HeldBack, Page, RejectedProposal, Rule, SuggestedRule, TemplateTool};
use crate::{Queries, QueryError};

/// The most proposals of one rule that are shown.
const SHOWN: i64 = 50;

impl Queries {
    /// The rules in force of a holder, or of the whole workspace, oldest first.
    pub async fn rules(
        &self,
        ws: WorkspaceId,
        holder: Option<&RuleHolder>,
    ) -> Result<Page<Rule>, QueryError> {
        let query = match holder {
            Some(holder) => rule::in_force(ws, std::slice::from_ref(holder)),
            None => rule::all_in_force(ws),
        };
        let rules = self.store.all(query).await?;
        let items = self.rule_views(ws, rules).await?;
        Ok(Page { items, next_cursor: None, damaged: Vec::new() })
    }

    /// One rule, removed ones included.
    pub async fn rule(&self, ws: WorkspaceId, id: &RuleId) -> Result<Rule, QueryError> {
        let missing = || QueryError::NotFound { what: "rule", id: id.to_string() };
        let rule = self.store.first(rule::by_id(ws, id)).await?.ok_or_else(missing)?;
        self.rule_views(ws, vec![rule]).await?.pop().ok_or_else(missing)
    }

    /// What a rule held back, newest first.
    pub async fn held_back(
        &self,
        ws: WorkspaceId,
        id: &RuleId,
    ) -> Result<Page<HeldBack>, QueryError> {
        self.rule(ws, id).await?;
        let held = self.store.all(rule::held_by(ws, id, SHOWN)).await?;
        let view = |held: rule::HeldBack| HeldBack {
            task_id: held.task,
            change: held.change,
            times: held.times,
            at: held.at,
        };
        let items = held.into_iter().map(view).collect();
        Ok(Page { items, next_cursor: None, damaged: Vec::new() })
    }

    /// The rules about a task, an agent or a template that verdicts of the last 30 days speak for.
    pub async fn suggested_rules(
        &self,
        ws: WorkspaceId,
        holder: &RuleHolder,
    ) -> Result<Page<SuggestedRule>, QueryError> {
        let now = self.clock.now();
        let (verdicts, rejections) = self.verdicts_about(ws, holder, now).await?;
        let rules = self.store.all(rule::in_force(ws, std::slice::from_ref(holder))).await?;
        let labels = self.journal.labels(ws).await?;
        let view = |one: suggestion::Suggestion| SuggestedRule {
            holder: holder.clone(),
            tool: one.tool,
            label_name: label_of(one.condition.as_ref(), &labels),
            condition: one.condition,
            rejections: one
                .rejections
                .iter()
                .filter_map(|id| rejections.iter().find(|it| it.decision == *id).cloned())
                .collect(),
            n_confirmed: one.n_confirmed,
        };
        let all = suggestion::suggestions(&verdicts, &rules, now);
        let items = all.into_iter().map(view).collect();
        Ok(Page { items, next_cursor: None, damaged: Vec::new() })
    }

    /// The verdicts of the person on what a holder proposed, and the rejections as a page shows them.
    async fn verdicts_about(
        &self,
        ws: WorkspaceId,
        holder: &RuleHolder,
        now: Timestamp,
    ) -> Result<(Vec<GivenVerdict>, Vec<RejectedProposal>), QueryError> {
        let age = i64::try_from(suggestion::AGE.as_micros()).unwrap_or(i64::MAX);
        let since = Timestamp::from_micros(now.micros().saturating_sub(age));
        let followers = match holder {
            RuleHolder::Template(template) => self.followers(ws, template).await?,
            _ => BTreeSet::new(),
        };
        let is_about = |item: &Item| match holder {
            RuleHolder::Task(task) => item.task == *task,
            RuleHolder::Agent(agent) => item.proposer.as_str() == agent.to_string(),
            RuleHolder::Template(_) => {
                AgentId::try_from(&item.proposer).is_ok_and(|agent| followers.contains(&agent))
            }
            RuleHolder::Version(_) | RuleHolder::Work(_) => false,
        };
        let mut items = self.store.all(change_item::decided_since(ws, since)).await?;
        items.retain(|item| {
            matches!(item.state, State::Rejected | State::Confirmed) && is_about(item)
        });
        let tasks: BTreeSet<&TaskId> = items.iter().map(|item| &item.task).collect();
        let tasks: Vec<TaskId> = tasks.into_iter().cloned().collect();
        let (mut verdicts, mut rejections) = (Vec::new(), Vec::new());
        for page in tasks.chunks(in_list::MOST) {
            for stored in self.store.each(entity::of_tasks::<Decision>(ws, page)).await? {
                let Ok(stored) = stored else { continue };
                let decision = stored.doc.value;
                let is_its = |item: &&Item| {
                    item.set == decision.change_set_id
                        && item.index == decision.item_index
                        && item.round == decision.round
                };
                let Some(item) = items.iter().find(is_its) else { continue };
                let is_rejection = match decision.verdict {
                    DecisionVerdict::Rejected => true,
                    DecisionVerdict::Confirmed => false,
                    DecisionVerdict::Deferred => continue,
                };
                if decision.undone_at.is_some()
                    || decision.by_rule.is_some()
                    || decision.with_item.is_some()
                {
                    continue;
                }
                let change = item.change.clone();
                verdicts.push(GivenVerdict {
                    decision: decision.id.clone(),
                    tool: item.tool.clone(),
                    change: change.clone(),
                    is_rejection,
                    at: decision.created_at,
                });
                if is_rejection {
                    rejections.push(RejectedProposal {
                        decision: decision.id,
                        task_id: item.task.clone(),
                        change,
                        reason: decision.rejection_reason,
                        at: decision.created_at,
                    });
                }
            }
        }
        Ok((verdicts, rejections))
    }

    async fn followers(
        &self,
        ws: WorkspaceId,
        template: &TemplateId,
    ) -> Result<BTreeSet<AgentId>, QueryError> {
        self.agents.template(ws, template).await?;
        let default = stock::DEFAULT.id();
        let agents = self.store.each(entity::of_kind::<Agent>(ws)).await?;
        let agents = agents.into_iter().flatten().map(|stored| stored.doc.value);
        let follows =
            |agent: &Agent| agent.config.template_id.as_ref().unwrap_or(&default) == template;
        Ok(agents.filter(follows).map(|agent| agent.id).collect())
    }

    async fn rule_views(
        &self,
        ws: WorkspaceId,
        rules: Vec<rule::Rule>,
    ) -> Result<Vec<Rule>, QueryError> {
        let ids: Vec<RuleId> = rules.iter().map(|rule| rule.id.clone()).collect();
        let mut counts = Vec::new();
        for page in ids.chunks(in_list::MOST) {
            counts.extend(self.store.all(rule::held_counts(ws, page)).await?);
        }
        let labels = self.journal.labels(ws).await?;
        let view = |rule: rule::Rule| {
            let count = counts.iter().find(|(id, ..)| *id == rule.id);
            Rule {
                id: rule.id,
                holder: rule.holder,
                effect: rule.effect,
                tool: rule.tool,
                label_name: label_of(rule.condition.as_ref(), &labels),
                condition: rule.condition,
                decisions: rule.decisions,
                made_by: rule.made_by,
                made_at: rule.made_at,
                n_held_back: count.map_or(0, |(_, n, _)| *n),
                held_back_at: count.map(|(.., at)| *at),
            }
        };
        Ok(rules.into_iter().map(view).collect())
    }

    /// What each tool may do in the hands of those who follow a version.
    pub(crate) async fn tools_of(
        &self,
        ws: WorkspaceId,
        kind: TemplateKind,
        version: Option<&StoredVersion>,
    ) -> Result<Vec<TemplateTool>, QueryError> {
        let Some(version) = version else { return Ok(Vec::new()) };
        let holders = [
            RuleHolder::Template(version.agent_id.clone()),
            RuleHolder::Version(version.id.clone()),
        ];
        let rules = self.store.all(rule::in_force(ws, &holders)).await?;
        let items: Vec<_> = match kind {
            TemplateKind::TaskAgent => tools::items().collect(),
            TemplateKind::AgentWork => proposing::all().filter_map(|tool| tool.item()).collect(),
            TemplateKind::Improver => Vec::new(),
        };
        let view = |item: &dyn dormouse_changes::ItemTool| TemplateTool {
            tool: item.name().to_owned(),
            policy: policy_of(&rules, item.name()),
            may_be_automatic: kind == TemplateKind::TaskAgent && item.may_confirm_by_rule(),
        };
        Ok(items.into_iter().map(view).collect())
    }
}

fn label_of(condition: Option<&Condition>, labels: &[Label]) -> Option<String> {
    let Some(Condition::Label { label }) = condition else { return None };
    labels.iter().find(|known| known.id == *label).map(|known| known.name.clone())
}
