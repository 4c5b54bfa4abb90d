//! Rules about what agents propose, and the policies of tools.

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use dormouse::view::{HeldBack, Page, Rule, SuggestedRule, TemplateDetail};
use dormouse_types::rule::RuleHolder;

use super::reply::Reply;
use super::templates::{Tagged, number, tagged};
use crate::Problem;
use crate::app::App;
use crate::extract::{At, IfMatch, Json as Sent, Key, Query, id};
use crate::problem_groups::{Finds, NewRules, ToolPolicies, Writes};
use crate::wire::{RuleFilter, RuleParams, SuggestionFilter, ToolPolicyParams};

/// A rule that was made.
pub(super) struct CreatedRule(Rule);

impl IntoResponse for CreatedRule {
    fn into_response(self) -> Response {
        let location = (header::LOCATION, format!("/api/rules/{}", self.0.id));
        (StatusCode::CREATED, [location], Json(self.0)).into_response()
    }
}

fn holder(text: &str) -> Result<RuleHolder, Problem> {
    text.parse().map_err(|message: String| Problem::invalid("?holder", message))
}

/// Lists the rules in force, oldest first.
///
/// With `holder` those about one task, agent, template, version of a template or agent work; they fit one
/// page.
#[utoipa::path(
    get,
    path = "/api/rules",
    operation_id = "listRules",
    tag = "rules",
    params(RuleFilter),
    responses((status = 200, description = "The rules.", body = Page<Rule>)),
)]
pub(super) async fn list(app: App, Query(filter): Query<RuleFilter>) -> Reply<Page<Rule>> {
    let of = filter.holder.as_deref().map(holder).transpose()?;
    Ok(Json(app.dormouse.proposal_rules(&app.caller, of.as_ref()).await?))
}

/// Makes a rule: what fits is held back before it is opened, and counted.
///
/// A rule about every tool is refused: to have nothing proposed, pause the agent. It needs the scope
/// `decide`.
#[utoipa::path(
    post,
    path = "/api/rules",
    operation_id = "addRule",
    tag = "rules",
    params(Key),
    request_body = RuleParams,
    responses(
        (status = 201, description = "The rule.", body = Rule, headers(
            ("Location" = String, description = "The URL of the rule.")
        )),
        NewRules
    ),
)]
pub(super) async fn add(
    app: App,
    Key(key): Key,
    Sent(params): Sent<RuleParams>,
) -> Result<CreatedRule, Problem> {
    Ok(CreatedRule(app.dormouse.add_rule(&app.caller, params.read()?, key).await?))
}

/// Removes a rule: what it held back is proposed again.
#[utoipa::path(
    delete,
    path = "/api/rules/{rule}",
    operation_id = "removeRule",
    tag = "rules",
    params(Key),
    responses((status = 200, description = "The rule as it was.", body = Rule), Writes),
)]
pub(super) async fn remove(app: App, At(rule): At<String>, Key(key): Key) -> Reply<Rule> {
    Ok(Json(app.dormouse.remove_rule(&app.caller, &id(&rule)?, key).await?))
}

/// Lists what a rule held back, newest first; 50 at most.
#[utoipa::path(
    get,
    path = "/api/rules/{rule}/held-back",
    operation_id = "listHeldBack",
    tag = "rules",
    responses((status = 200, description = "The proposals.", body = Page<HeldBack>)),
)]
pub(super) async fn held_back(app: App, At(rule): At<String>) -> Reply<Page<HeldBack>> {
    Ok(Json(app.dormouse.held_back(&app.caller, &id(&rule)?).await?))
}

/// Lists the rules that verdicts speak for.
///
/// A rule is suggested after three rejections of one tool under the same condition within 30 days. The words
/// of a reason are shown and play no part.
#[utoipa::path(
    get,
    path = "/api/rules/suggested",
    operation_id = "listSuggestedRules",
    tag = "rules",
    params(SuggestionFilter),
    responses((status = 200, description = "The rules.", body = Page<SuggestedRule>), Finds),
)]
pub(super) async fn suggested(
    app: App,
    Query(filter): Query<SuggestionFilter>,
) -> Reply<Page<SuggestedRule>> {
    Ok(Json(app.dormouse.suggested_rules(&app.caller, &holder(&filter.holder)?).await?))
}

/// Sets what a tool may do in the hands of those who follow the active version of a template.
///
/// `forbid` refuses its calls, and stays with later versions. `auto` confirms what it proposes, and ends with
/// the version; it is never possible for what costs something or leaves the machine.
#[utoipa::path(
    put,
    path = "/api/templates/{template}/versions/{n}/tools/{tool}",
    operation_id = "setToolPolicy",
    tag = "templates",
    params(IfMatch, Key),
    request_body = ToolPolicyParams,
    responses(
        (status = 200, description = "The template.", body = TemplateDetail, headers(
            ("ETag" = String, description = "The revision of the template.")
        )),
        ToolPolicies
    ),
)]
pub(super) async fn set_policy(
    app: App,
    At((template, n, tool)): At<(String, String, String)>,
    IfMatch(revision): IfMatch,
    Key(key): Key,
    Sent(params): Sent<ToolPolicyParams>,
) -> Result<Tagged, Problem> {
    let (template, new) = (id(&template)?, params.read(number(&n)?, tool)?);
    let set = app.dormouse.set_tool_policy(&app.caller, &template, new, revision, key).await?;
    Ok(tagged(set))
}
