//! What a tool may do in the hands of those who follow a template: forbidden, asking, applied by itself.
//!
//! A tool that is forbidden is a rule about the template, which outlives its versions. One that applies by
//! itself is a rule about one version: another version begins without it, and so does the same version once
//! another one was active.

use dormouse_changes::ItemTool;
use dormouse_changes::rule::service::{self, RuleError};
use dormouse_store::Op;
use dormouse_store::agent::rule::{self, Rule};
use dormouse_types::audit::AuditAction;
use dormouse_types::rule::{RuleEffect, RuleHolder, ToolPolicy};
use dormouse_types::template::TemplateKind;
use dormouse_types::{
    Actor, Id as _, RuleId, TemplateId, TemplateVersionId, Timestamp, WorkspaceId,
};

use super::TemplateError;
use super::edit::{Change, NewPolicy, Request, Wanted, kind_of};
use crate::lifecycle::RequestContext;
use crate::{AgentError, Agents};

/// Returns the policy of a tool under the rules of a template and its version.
pub fn policy_of(rules: &[Rule], tool: &str) -> ToolPolicy {
    let has = |effect| rules.iter().any(|rule| rule.does(effect) && rule.tool == tool);
    if has(RuleEffect::Forbid) {
        ToolPolicy::Forbid
    } else if has(RuleEffect::Apply) {
        ToolPolicy::Auto
    } else {
        ToolPolicy::Ask
    }
}

impl Agents {
    /// Sets what a tool may do.
    ///
    /// Errors: there is no such tool; it is never applied by itself; nothing would be left to propose; the
    /// version is not the active one; the template is not at the revision of `if_match`.
    pub async fn set_tool_policy(
        &self,
        ws: WorkspaceId,
        id: &TemplateId,
        new: &NewPolicy,
        if_match: Option<i64>,
        context: &RequestContext,
    ) -> Result<(), AgentError> {
        let (action, subject) = (AuditAction::TemplatePolicy, format!("{id}|{new:?}"));
        let wanted = Wanted::Policy(new);
        let answer = id.as_str();
        let request = Request { action, subject, if_match, context, answer, wanted };
        self.change_template(ws, id, &request).await.map(drop)
    }

    pub(super) async fn with_policy(
        &self,
        ws: WorkspaceId,
        change: &mut Change,
        new: &NewPolicy,
        context: &RequestContext,
    ) -> Result<(), AgentError> {
        let id = change.template.doc.value.id.clone();
        let tool = service::tool(&new.tool)?;
        if new.policy == ToolPolicy::Auto && !tool.may_confirm_by_rule() {
            Err(RuleError::NeverByItself { tool: tool.name() })?;
        }
        if new.policy == ToolPolicy::Auto
            && kind_of(&change.template.doc.value) != TemplateKind::TaskAgent
        {
            Err(RuleError::OfAgentWork)?;
        }
        let version = self.template_version(ws, &id, new.version).await?.doc.value;
        if !version.is_active() {
            Err(TemplateError::NotActive { template: id.clone(), version: new.version })?;
        }
        let holders = [RuleHolder::Template(id), RuleHolder::Version(version.id)];
        let rules = self.store.all(rule::in_force(ws, &holders)).await?;
        if policy_of(&rules, tool.name()) == new.policy {
            return Ok(());
        }
        let actor = context.actor.to_string();
        let is_policy =
            |rule: &&Rule| rule.does(RuleEffect::Forbid) || rule.does(RuleEffect::Apply);
        let old = rules.iter().filter(is_policy).filter(|rule| rule.tool == tool.name());
        change.ops.extend(old.map(|old| rule::remove(ws, &old.id, &actor, change.now)));
        let [template, version] = holders;
        let wanted = match new.policy {
            ToolPolicy::Ask => None,
            ToolPolicy::Forbid => {
                let of_template = |rule: &Rule| rule.holder == template;
                let rules: Vec<Rule> = rules.into_iter().filter(of_template).collect();
                service::ensure_something_left(&rules, tool.name())?;
                Some((template, RuleEffect::Forbid))
            }
            ToolPolicy::Auto => Some((version, RuleEffect::Apply)),
        };
        let wanted = wanted.map(|wanted| self.policy_rule(ws, wanted, tool, context, change.now));
        change.ops.extend(wanted);
        Ok(())
    }

    fn policy_rule(
        &self,
        ws: WorkspaceId,
        (holder, effect): (RuleHolder, RuleEffect),
        tool: &dyn ItemTool,
        context: &RequestContext,
        now: Timestamp,
    ) -> Op {
        let rule = Rule {
            id: RuleId::fresh(now, &*self.entropy),
            holder,
            effect: effect.into(),
            tool: tool.name().to_owned(),
            condition: None,
            decisions: Vec::new(),
            made_by: context.actor.to_string(),
            made_at: now,
            removed_at: None,
        };
        rule::insert(ws, &rule)
    }
}

/// Returns what ends the rules of a version that is no longer the active one.
pub(super) fn end_of_version(ws: WorkspaceId, version: &TemplateVersionId, now: Timestamp) -> Op {
    let (holder, by) = (RuleHolder::Version(version.clone()), Actor::Program.to_string());
    rule::remove_all(ws, &holder, RuleEffect::Apply, &by, now)
}
