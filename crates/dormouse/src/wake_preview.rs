//! What a wake would send, without waking the agent.

use dormouse_agents::wake::preview;
use dormouse_runs::Preview;
use dormouse_types::kept_back::{KeptBack, KeptBackReason};
use dormouse_types::model::Usage;
use dormouse_types::model_settings::ModelSettings;
use dormouse_types::port::{Model, ModelClass, ModelLocation, OutgoingRequest};
use dormouse_types::spend::{Amount, cost};
use dormouse_types::{AgentId, Caller, Scope};
use serde::{Deserialize, Serialize};

use crate::models::{ShortestRun, TooSmallBudget};
use crate::request::require;
use crate::{Dormouse, Error};

/// The first request of a wake that a person would ask for now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WakePreview {
    /// The agent.
    pub agent_id: AgentId,
    /// The model that would be used.
    pub model: String,
    /// What would be sent.
    pub outcome: PreviewOutcome,
    /// The request, byte for byte, with its key left out. `null` unless `outcome` is `request`.
    pub request: Option<PreviewedRequest>,
    /// What would be kept back from the model, and why.
    pub kept_back: KeptBack,
}

/// What a wake would send.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum PreviewOutcome {
    /// A request.
    Request,
    /// Nothing: the model runs in this program, and nothing leaves it.
    NothingLeaves,
    /// Nothing: the task is private, and the model is not the person's own.
    Private,
    /// Nothing: the provider may not be sent tasks of this category.
    Category,
    /// Nothing: the task is deleted.
    NoTask,
    /// Nothing: the model cannot be used.
    Unusable,
}

/// A request over HTTP.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PreviewedRequest {
    /// For example `POST`.
    pub method: String,
    /// The whole address.
    pub url: String,
    /// The headers, in order; the value of a key is replaced.
    pub headers: Vec<PreviewedHeader>,
    /// The body, byte for byte.
    pub body: String,
    /// Whether it is known how the model calls tools. Until it is, a wake tries that first with a call of its
    /// own, and may then send them in another way.
    pub is_tool_mode_known: bool,
    /// Units: tokens, estimated as bytes / 4.
    pub estimated_tokens: u64,
    /// Units: micro-dollars, for the estimated tokens without those of the answer; `null` if the
    /// model has no price.
    pub estimated_cost: Option<i64>,
    /// The most that the call may cost, answer included: what is reserved before it.
    pub reserved: Option<Amount>,
    /// The budgets that have no room for the shortest wake that begins so: it would or may fail or wait.
    pub too_small: Vec<TooSmallBudget>,
}

/// A header of a request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PreviewedHeader {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: String,
}

impl Dormouse {
    /// Shows what a wake of an agent would send now, perhaps with a message to it: the same bytes
    /// that a wake on the same state sends. Nothing is written or sent.
    ///
    /// With `model`, what it would send if that were the agent's own model: what a person wants to see
    /// before they choose it.
    ///
    /// Scope: read.
    /// Errors: the agent is destroyed, or at work; there is no such model.
    pub async fn preview_wake(
        &self,
        caller: &Caller,
        id: &AgentId,
        message: Option<&str>,
        model: Option<&str>,
    ) -> Result<WakePreview, Error> {
        require(caller, Scope::Read)?;
        let ws = caller.workspace;
        let preview = match model {
            None => self.agents.preview(ws, id, message).await?,
            Some(model) => {
                let model = self.model_to_be(caller, model).await?;
                self.agents.preview_with(ws, id, message, model).await?
            }
        };
        let settings = self.model_settings(caller).await?;
        Ok(view(id, preview, &settings))
    }
}

fn view(id: &AgentId, of: preview::WakePreview, settings: &ModelSettings) -> WakePreview {
    // Memory that is folded first may go to another model than the turns.
    let model = match &of.preview {
        Preview::Request(request) => request.model.clone(),
        Preview::NothingChanged | Preview::Hidden(_) => of.model,
    };
    let model = &*model;
    let nothing = |outcome, kept_back| (outcome, None, kept_back);
    let (outcome, request, kept_back) = match of.preview {
        Preview::NothingChanged => nothing(PreviewOutcome::NoTask, KeptBack::default()),
        Preview::Hidden(kept_back) => match kept_back.task() {
            Some(KeptBackReason::Category) => nothing(PreviewOutcome::Category, kept_back),
            Some(KeptBackReason::Private) | None => nothing(PreviewOutcome::Private, kept_back),
        },
        Preview::Request(request) => match (request.outgoing, model.location()) {
            (Some(outgoing), _) => {
                let shown = rendered(model, outgoing, request.reserved, settings);
                (PreviewOutcome::Request, Some(shown), request.kept_back)
            }
            (None, ModelLocation::BuiltIn) => {
                nothing(PreviewOutcome::NothingLeaves, request.kept_back)
            }
            (None, ModelLocation::OwnServer | ModelLocation::Elsewhere) => {
                nothing(PreviewOutcome::Unusable, request.kept_back)
            }
        },
    };
    WakePreview {
        agent_id: id.clone(),
        model: model.name().to_owned(),
        outcome,
        request,
        kept_back,
    }
}

fn rendered(
    model: &dyn Model,
    outgoing: OutgoingRequest,
    reserved: Option<Amount>,
    settings: &ModelSettings,
) -> PreviewedRequest {
    let request_bytes = u64::try_from(outgoing.body.len()).unwrap_or(u64::MAX);
    let estimated_tokens = request_bytes.div_ceil(4);
    let tool_mode = settings.known(model.name()).and_then(|known| known.tool_mode);
    let run = ShortestRun::of(model, tool_mode, request_bytes);
    let estimated_cost = match model.class() {
        ModelClass::Free => Some(0),
        ModelClass::Paid => model.price().and_then(|price| {
            let usage = Usage { input: estimated_tokens, ..Usage::default() };
            cost(Some(&price), &usage, request_bytes, model.max_output()).map(|cost| cost.value)
        }),
    };
    let headers = outgoing.headers.into_iter();
    PreviewedRequest {
        method: outgoing.method.to_owned(),
        url: outgoing.url,
        headers: headers.map(|(name, value)| PreviewedHeader { name, value }).collect(),
        body: outgoing.body,
        is_tool_mode_known: model.is_probed(),
        estimated_tokens,
        estimated_cost,
        reserved,
        too_small: match model.class() {
            ModelClass::Free => Vec::new(),
            ModelClass::Paid => run.too_small(&settings.budgets),
        },
    }
}
