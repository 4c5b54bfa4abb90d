//! Rules of the person about what agents propose, and what tools may do in the hands of a template.

use dormouse_agents::template::NewPolicy;
use dormouse_changes::rule::service::{NewRule, RuleMaker};
use dormouse_store::Once;
use dormouse_types::rule::RuleHolder;
use dormouse_types::{Caller, RuleId, Scope, TemplateId, hash};

use crate::request::{receipt_id, request_context, require};
use crate::view::{HeldBack, Page, Rule, SuggestedRule, TemplateDetail};
use crate::{Dormouse, Error};

impl Dormouse {
    /// The rules in force, of one holder or of all.
    pub async fn proposal_rules(
        &self,
        caller: &Caller,
        holder: Option<&RuleHolder>,
    ) -> Result<Page<Rule>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.rules(caller.workspace, holder).await?)
    }

    /// The rules that verdicts of the last 30 days speak for: three rejections of one tool under the same
    /// condition.
    pub async fn suggested_rules(
        &self,
        caller: &Caller,
        holder: &RuleHolder,
    ) -> Result<Page<SuggestedRule>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.suggested_rules(caller.workspace, holder).await?)
    }

    /// What a rule held back, newest first.
    pub async fn held_back(&self, caller: &Caller, id: &RuleId) -> Result<Page<HeldBack>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.held_back(caller.workspace, id).await?)
    }

    /// Makes a rule that holds proposals back before they are opened.
    ///
    /// It needs the scope `decide`: it is a verdict on what is still to be proposed.
    ///
    /// Errors: the rule would hold back everything; no such tool, condition or holder; there is one like it.
    pub async fn add_rule(
        &self,
        caller: &Caller,
        new: NewRule,
        key: Option<String>,
    ) -> Result<Rule, Error> {
        require(caller, Scope::Decide)?;
        let by = maker(caller, &format!("rule.add|{new:?}"), key.as_deref())?;
        let id = self.changes.add_rule(&by, new).await?;
        Ok(self.queries.rule(caller.workspace, &id).await?)
    }

    /// Removes a rule, and returns it as it was. What it held back stays counted.
    pub async fn remove_rule(
        &self,
        caller: &Caller,
        id: &RuleId,
        key: Option<String>,
    ) -> Result<Rule, Error> {
        require(caller, Scope::Decide)?;
        let by = maker(caller, &format!("rule.remove|{id}"), key.as_deref())?;
        self.changes.remove_rule(&by, id).await?;
        Ok(self.queries.rule(caller.workspace, id).await?)
    }

    /// Sets what a tool may do in the hands of those who follow the active version of a template.
    ///
    /// It needs the scope `decide`: it decides about what is still to be proposed.
    ///
    /// Errors: no such tool, or one that is never applied by itself; the version is not the active one; the
    /// template is not at the revision of `if_match`.
    pub async fn set_tool_policy(
        &self,
        caller: &Caller,
        template: &TemplateId,
        new: NewPolicy,
        if_match: Option<i64>,
        key: Option<String>,
    ) -> Result<TemplateDetail, Error> {
        require(caller, Scope::Decide)?;
        let by = request_context(caller, key.as_deref())?;
        let before = self.models.of_template(template);
        self.agents.set_tool_policy(caller.workspace, template, &new, if_match, &by).await?;
        self.after_template_change(caller, template, before).await
    }
}

fn maker(caller: &Caller, request: &str, key: Option<&str>) -> Result<RuleMaker, Error> {
    let once = receipt_id(caller, key)?.map(|id| Once {
        id,
        request: hash::sha256(request),
        answer: String::new(),
        effects: None,
    });
    Ok(RuleMaker { ws: caller.workspace, actor: caller.actor.clone(), once })
}
