//! Models: providers, the model in use, budgets, usage.

use dormouse::models::{
    BudgetScope, FoundServer, ModelQuestion, ModelTestView, ModelsView, OfferedModelView,
    PaidCalls, ProviderQuestion, Purpose, UsageDay,
};
use dormouse::view::{Page, Spending};
use dormouse_types::CategoryId;
use dormouse_types::model_settings::{AllowedCategories, ApiFormat, Provider};
use dormouse_types::spend::{Budgets, Price};
use serde::Deserialize;
use utoipa::{IntoParams, ToSchema};

use super::model_question::{QuestionParams, no_model, purpose};
use super::reply::{Reply, whole};
use crate::Problem;
use crate::app::App;
use crate::extract::{At, Json, Query, id};
use crate::problem_groups::{AsksProvider, Models};
use crate::wire::Reading;

/// A provider of models.
#[derive(Deserialize, ToSchema, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct ProviderParams {
    /// The format of its API.
    #[schema(value_type = ApiFormat)]
    #[param(value_type = ApiFormat)]
    format: String,
    /// The address that paths are appended to, such as `http://localhost:11434/v1`.
    base_url: String,
    /// Whether it is the user's own server: data sent to it stays with you, and calls cost nothing.
    is_own: bool,
}

/// The key of a provider.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KeyParams {
    /// The key; `null` removes it.
    #[schema(required)]
    key: Option<String>,
}

/// A model.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelParams {
    /// `builtin` or `provider/model`.
    model: String,
}

/// The categories that a provider may be sent.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CategoriesParams {
    /// Only tasks of these; `null` means all tasks.
    #[schema(required)]
    categories: Option<AllowedCategoriesParams>,
}

/// A list of categories.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AllowedCategoriesParams {
    /// Their ids.
    ids: Vec<String>,
    /// Whether tasks without a category are among them.
    uncategorised: bool,
}

/// A model, and what it is chosen for.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct UseParams {
    /// `builtin` or `provider/model`. For summarising, `null` means the model that thinks.
    #[schema(required)]
    model: Option<String>,
    /// What for; `thinking` by default.
    #[serde(default, rename = "for")]
    #[schema(value_type = Option<Purpose>)]
    purpose: Option<String>,
}

/// What may be spent. Units: micro-dollars, and tokens of models without a price.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct BudgetParams {
    /// By all agents on one day. Units: micro-dollars.
    workspace_day: i64,
    /// By one agent on one day. Units: micro-dollars.
    agent_day: i64,
    /// By one wake. Units: micro-dollars.
    wake: i64,
    /// By all agents on one day, on models without a price. Units: tokens.
    unpriced_day: i64,
}

/// What a model costs.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelPriceParams {
    /// `provider/model`.
    model: String,
    /// Its price; `null` means that of the price table again.
    #[schema(required)]
    price: Option<PriceParams>,
}

/// How much a model reads and writes in one turn.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ModelWindowParams {
    /// `provider/model`.
    model: String,
    /// Its context window; `null` means what its server states. Units: tokens.
    #[schema(required)]
    window: Option<u64>,
}

/// A price. Units: micro-dollars per million tokens.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct PriceParams {
    /// Input that no cache served.
    input: u64,
    /// Input that a cache served.
    cached_input: u64,
    /// Input that was written to a cache.
    cache_write: u64,
    /// Output, reasoning included.
    output: u64,
}

/// Whose budget of the day is lifted.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
pub(crate) struct OnceMoreParams {
    /// The agent; `null` means the budget of all agents.
    #[schema(required)]
    agent_id: Option<String>,
}

/// Whether calls that cost money may be made.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PaidCallsParams {
    /// Whether they may.
    allowed: bool,
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct UsageParams {
    /// The first day, `YYYY-MM-DD`; by default two weeks before the last.
    #[param(value_type = Option<String>, format = Date)]
    from: Option<String>,
    /// The last day; by default today.
    #[param(value_type = Option<String>, format = Date)]
    to: Option<String>,
}

/// Lists providers, models, the model in use and the budgets. No key is ever shown.
#[utoipa::path(
    get,
    path = "/api/models",
    operation_id = "listModels",
    tag = "models",
    responses((status = 200, description = "All settings of models.", body = ModelsView)),
)]
pub(super) async fn list(app: App) -> Reply<ModelsView> {
    Ok(axum::Json(app.dormouse.models(&app.caller).await?))
}

/// Reads a provider; `field` is where its format is given, and what that is called.
fn provider(
    name: String,
    [at, field]: [&'static str; 2],
    params: ProviderParams,
) -> Result<Provider, Problem> {
    let mut reading = Reading::default();
    let format = reading.parse::<ApiFormat>(at, Some(params.format));
    let Some(format) = reading.finish(format)? else {
        return Err(Problem::invalid(at, format!("{field} is missing")));
    };
    let (base_url, is_own) = (params.base_url, params.is_own);
    // The categories of a provider that exists are kept.
    Ok(Provider { name, format, base_url, is_own, categories: None })
}

/// Says what changes if a provider is changed: who uses it, and what leaves to where.
///
/// Nothing is sent or changed. Ask the person before you change it, unless `isAgreed` says that no question is needed.
#[utoipa::path(
    get,
    path = "/api/models/providers/{name}/question",
    operation_id = "askAboutProvider",
    tag = "models",
    params(ProviderParams),
    responses((status = 200, description = "What a person should know.", body = ProviderQuestion), Models),
)]
pub(super) async fn provider_question(
    app: App,
    At(name): At<String>,
    Query(params): Query<ProviderParams>,
) -> Reply<ProviderQuestion> {
    let provider = provider(name, ["?format", "format"], params)?;
    Ok(axum::Json(app.dormouse.provider_question(&app.caller, provider).await?))
}

/// Adds a provider, or changes it. The categories that it may be sent stay.
///
/// If its models are in use, their next requests go to the new address: ask the person first, with `askAboutProvider`.
#[utoipa::path(
    put,
    path = "/api/models/providers/{name}",
    operation_id = "putProvider",
    tag = "models",
    request_body = ProviderParams,
    responses((status = 200, description = "All settings of models.", body = ModelsView), Models),
)]
pub(super) async fn put_provider(
    app: App,
    At(name): At<String>,
    Json(params): Json<ProviderParams>,
) -> Reply<ModelsView> {
    let provider = provider(name, ["/format", "format"], params)?;
    Ok(axum::Json(app.dormouse.put_provider(&app.caller, provider).await?))
}

/// Removes a provider with its key. One whose model is in use is refused.
#[utoipa::path(
    delete,
    path = "/api/models/providers/{name}",
    operation_id = "removeProvider",
    tag = "models",
    responses((status = 200, description = "All settings of models.", body = ModelsView), Models),
)]
pub(super) async fn remove_provider(app: App, At(name): At<String>) -> Reply<ModelsView> {
    Ok(axum::Json(app.dormouse.remove_provider(&app.caller, &name).await?))
}

/// Sets which tasks a provider may be sent, by their categories. It counts from the next request on.
///
/// What may not be sent is left out whole, and counted with the wake. An agent whose own task may not
/// be sent asks no model of the provider.
#[utoipa::path(
    put,
    path = "/api/models/providers/{name}/categories",
    operation_id = "setProviderCategories",
    tag = "models",
    request_body = CategoriesParams,
    responses((status = 200, description = "All settings of models.", body = ModelsView), Models),
)]
pub(super) async fn set_categories(
    app: App,
    At(name): At<String>,
    Json(params): Json<CategoriesParams>,
) -> Reply<ModelsView> {
    let categories = match params.categories {
        None => None,
        Some(AllowedCategoriesParams { ids, uncategorised }) => {
            let mut reading = Reading::default();
            let ids = ids.into_iter();
            let ids = ids.map(|text| reading.parse::<CategoryId>("/categories/ids", Some(text)));
            let ids = ids.collect::<Option<Vec<_>>>();
            let ids = reading.finish(ids)?.unwrap_or_default();
            Some(AllowedCategories { ids, uncategorised })
        }
    };
    Ok(axum::Json(app.dormouse.set_provider_categories(&app.caller, &name, categories).await?))
}

/// Keeps the key of a provider in the key file of this machine, or removes it.
///
/// No database, export or log has it. A provider whose address is known is added with its first key.
#[utoipa::path(
    put,
    path = "/api/models/providers/{name}/key",
    operation_id = "setProviderKey",
    tag = "models",
    request_body = KeyParams,
    responses((status = 200, description = "All settings of models.", body = ModelsView), Models),
)]
pub(super) async fn set_key(
    app: App,
    At(name): At<String>,
    Json(params): Json<KeyParams>,
) -> Reply<ModelsView> {
    let key = params.key.as_deref();
    Ok(axum::Json(app.dormouse.set_provider_key(&app.caller, &name, key).await?))
}

/// Asks a provider which models it offers.
#[utoipa::path(
    get,
    path = "/api/models/providers/{name}/offered",
    operation_id = "listOfferedModels",
    tag = "models",
    responses(
        (status = 200, description = "Its models, by name.", body = Page<OfferedModelView>),
        AsksProvider
    ),
)]
pub(super) async fn offered(app: App, At(name): At<String>) -> Reply<Page<OfferedModelView>> {
    Ok(whole(app.dormouse.offered_models(&app.caller, &name).await?))
}

/// Looks for model servers on this machine, at the addresses that they use by default. None is added.
#[utoipa::path(
    get,
    path = "/api/models/servers",
    operation_id = "findModelServers",
    tag = "models",
    responses((status = 200, description = "The servers that answer.", body = Page<FoundServer>)),
)]
pub(super) async fn servers(app: App) -> Reply<Page<FoundServer>> {
    Ok(whole(app.dormouse.find_servers(&app.caller).await?))
}

/// Takes a model that nothing uses off the list, with what tests showed and what you set for it.
#[utoipa::path(
    post,
    path = "/api/models/forget",
    operation_id = "forgetModel",
    tag = "models",
    request_body = ModelParams,
    responses(
        (status = 200, description = "The settings of models.", body = ModelsView),
        Models
    ),
)]
pub(super) async fn forget(app: App, Json(params): Json<ModelParams>) -> Reply<ModelsView> {
    Ok(axum::Json(app.dormouse.forget_model(&app.caller, &params.model).await?))
}

/// Calls a model for real, at most four times that are served, and keeps what that showed.
#[utoipa::path(
    post,
    path = "/api/models/test",
    operation_id = "testModel",
    tag = "models",
    request_body = ModelParams,
    responses(
        (status = 200, description = "What the call showed.", body = ModelTestView),
        AsksProvider
    ),
)]
pub(super) async fn test(app: App, Json(params): Json<ModelParams>) -> Reply<ModelTestView> {
    Ok(axum::Json(app.dormouse.test_model(&app.caller, &params.model).await?))
}

/// Says what changes if the workspace, an agent, a template or agent work gets a model.
///
/// Also by another template, or another version of one. The answer names the model. Nothing is sent or changed. Ask the person before you choose it, unless `isAgreed` says that no question is needed.
#[utoipa::path(
    get,
    path = "/api/models/question",
    operation_id = "askAboutModel",
    tag = "models",
    params(QuestionParams),
    responses(
        (status = 200, description = "What a person should know.", body = ModelQuestion),
        Models
    ),
)]
pub(super) async fn question(
    app: App,
    Query(params): Query<QuestionParams>,
) -> Reply<ModelQuestion> {
    let purpose = purpose("?for", params.purpose.clone())?;
    Ok(axum::Json(match params.change(purpose)? {
        Some((scope, choice)) => {
            app.dormouse.question_of_change(&app.caller, &scope, &choice).await?
        }
        None => {
            let model = params.model.ok_or_else(no_model)?;
            app.dormouse.model_question(&app.caller, &model, purpose).await?
        }
    }))
}

/// Makes a model that of the workspace, or lets it fold memory.
///
/// Agents with a model of their own keep it, for both.
#[utoipa::path(
    post,
    path = "/api/models/use",
    operation_id = "useModel",
    tag = "models",
    request_body = UseParams,
    responses((status = 200, description = "All settings of models.", body = ModelsView), Models),
)]
pub(super) async fn use_model(app: App, Json(params): Json<UseParams>) -> Reply<ModelsView> {
    let view = match (purpose("/for", params.purpose)?, params.model) {
        (Purpose::Summarising, model) => {
            app.dormouse.summarise_with(&app.caller, model.as_deref()).await?
        }
        (Purpose::Thinking, Some(model)) => app.dormouse.use_model(&app.caller, &model).await?,
        (Purpose::Thinking, None) => {
            let message = "model is missing: give `builtin` or `provider/model`";
            return Err(Problem::invalid("/model", message));
        }
    };
    Ok(axum::Json(view))
}

/// Allows calls that cost money, or forbids them: none begins, and those under way end.
#[utoipa::path(
    put,
    path = "/api/models/paid-calls",
    operation_id = "setPaidCalls",
    tag = "models",
    request_body = PaidCallsParams,
    responses((status = 200, description = "All settings of models.", body = ModelsView), Models),
)]
pub(super) async fn paid_calls(app: App, Json(params): Json<PaidCallsParams>) -> Reply<ModelsView> {
    let allowed = if params.allowed { PaidCalls::Allowed } else { PaidCalls::Off };
    Ok(axum::Json(app.dormouse.set_paid_calls(&app.caller, allowed).await?))
}

/// Sets what may be spent. Units: micro-dollars, and tokens of models without a price.
#[utoipa::path(
    put,
    path = "/api/models/budgets",
    operation_id = "setBudgets",
    tag = "models",
    request_body = BudgetParams,
    responses((status = 200, description = "All settings of models.", body = ModelsView), Models),
)]
pub(super) async fn budgets(app: App, Json(params): Json<BudgetParams>) -> Reply<ModelsView> {
    let BudgetParams { workspace_day, agent_day, wake, unpriced_day } = params;
    let budgets = Budgets { workspace_day, agent_day, wake, unpriced_day };
    Ok(axum::Json(app.dormouse.set_budgets(&app.caller, budgets).await?))
}

/// Sets what a model costs. It goes before the price table, from the next call on.
#[utoipa::path(
    put,
    path = "/api/models/price",
    operation_id = "setModelPrice",
    tag = "models",
    request_body = ModelPriceParams,
    responses((status = 200, description = "All settings of models.", body = ModelsView), Models),
)]
pub(super) async fn price(app: App, Json(params): Json<ModelPriceParams>) -> Reply<ModelsView> {
    let ModelPriceParams { model, price } = params;
    let price = price.map(|price| {
        let PriceParams { input, cached_input, cache_write, output } = price;
        Price { input, cached_input, cache_write, output }
    });
    Ok(axum::Json(app.dormouse.set_model_price(&app.caller, &model, price).await?))
}

/// Sets the context window of a model. It goes before what its server states, from the next wake on.
#[utoipa::path(
    put,
    path = "/api/models/window",
    operation_id = "setModelWindow",
    tag = "models",
    request_body = ModelWindowParams,
    responses((status = 200, description = "All settings of models.", body = ModelsView), Models),
)]
pub(super) async fn window(app: App, Json(params): Json<ModelWindowParams>) -> Reply<ModelsView> {
    let ModelWindowParams { model, window } = params;
    Ok(axum::Json(app.dormouse.set_model_window(&app.caller, &model, window).await?))
}

/// Allows one more budget of the same size for today, where it has no room for a call.
///
/// The wakes that wait for it are due at once. The next day has the plain budget again. The audit log
/// notes who allowed it, and how much.
#[utoipa::path(
    post,
    path = "/api/models/once-more",
    operation_id = "allowOnceMore",
    tag = "models",
    request_body = OnceMoreParams,
    responses((status = 200, description = "What is spent, and the limit.", body = Spending), Models),
)]
pub(super) async fn once_more(app: App, Json(params): Json<OnceMoreParams>) -> Reply<Spending> {
    let scope = match params.agent_id {
        Some(agent) => BudgetScope::Agent(id(&agent)?),
        None => BudgetScope::Workspace,
    };
    Ok(axum::Json(app.dormouse.once_more_today(&app.caller, &scope).await?))
}

/// Shows what an agent has spent today on models that cost money, and its budget.
#[utoipa::path(
    get,
    path = "/api/agents/{agent}/spending",
    operation_id = "getAgentSpending",
    tag = "agents",
    responses((status = 200, description = "What is spent, and the limit.", body = Spending)),
)]
pub(super) async fn spending(app: App, At(agent): At<String>) -> Reply<Spending> {
    let scope = BudgetScope::Agent(id(&agent)?);
    Ok(axum::Json(app.dormouse.spending(&app.caller, &scope).await?))
}

/// The use of models per day, oldest first.
#[utoipa::path(
    get,
    path = "/api/usage",
    operation_id = "listUsage",
    tag = "models",
    params(UsageParams),
    responses((status = 200, description = "One row per day and model.", body = Page<UsageDay>)),
)]
pub(super) async fn usage(app: App, Query(params): Query<UsageParams>) -> Reply<Page<UsageDay>> {
    let mut reading = Reading::default();
    let from = reading.day("?from", params.from);
    let to = reading.day("?to", params.to);
    let (from, to) = reading.finish((from, to))?;
    Ok(whole(app.dormouse.usage(&app.caller, from, to).await?))
}
