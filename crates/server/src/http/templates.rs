//! Templates: list, show, make, edit, versions, copy, delete.

use axum::Json;
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use dormouse::view::{Page, Template, TemplateDetail, TemplateMetrics, TemplateVersion};

use super::reply::{PageParams, Reply, page_size};
use crate::Problem;
use crate::app::App;
use crate::extract::{At, IfMatch, Json as Sent, Key, Query, id};
use crate::problem_groups::{NewTemplates, TemplateDeletes, TemplateEdits};
use crate::wire::{DuplicateParams, TemplateParams, TemplatePatch};

/// A template with its ETag.
pub(super) struct Tagged(StatusCode, TemplateDetail);

impl IntoResponse for Tagged {
    fn into_response(self) -> Response {
        let Self(status, detail) = self;
        let tag = (header::ETAG, format!("\"{}\"", detail.template.revision));
        if status == StatusCode::CREATED {
            let location = (header::LOCATION, format!("/api/templates/{}", detail.template.id));
            return (status, [tag, location], Json(detail)).into_response();
        }
        (status, [tag], Json(detail)).into_response()
    }
}

pub(super) fn tagged(detail: TemplateDetail) -> Tagged {
    Tagged(StatusCode::OK, detail)
}

/// Reads the number of a version in a path.
pub(super) fn number(text: &str) -> Result<i64, Problem> {
    let shown: String = text.chars().take(60).collect();
    text.parse().map_err(|_| Problem::not_found(format!("there is no version {shown}")))
}

/// Lists all templates: those that come with the program, then the oldest first.
///
/// They fit one page. The texts are those of the versions.
#[utoipa::path(
    get,
    path = "/api/templates",
    operation_id = "listTemplates",
    tag = "templates",
    responses((status = 200, description = "All templates.", body = Page<Template>)),
)]
pub(super) async fn list(app: App) -> Reply<Page<Template>> {
    Ok(Json(app.dormouse.templates(&app.caller).await?))
}

/// Makes a template; its first version is active.
#[utoipa::path(
    post,
    path = "/api/templates",
    operation_id = "createTemplate",
    tag = "templates",
    params(Key),
    request_body = TemplateParams,
    responses(
        (status = 201, description = "The new template.", body = TemplateDetail, headers(
            ("Location" = String, description = "The URL of the template."),
            ("ETag" = String, description = "The revision of the template.")
        )),
        NewTemplates
    ),
)]
pub(super) async fn create(
    app: App,
    Key(key): Key,
    Sent(params): Sent<TemplateParams>,
) -> Result<Tagged, Problem> {
    let made = app.dormouse.create_template(&app.caller, params.read()?, key).await?;
    Ok(Tagged(StatusCode::CREATED, made))
}

/// Shows a template with its active version.
#[utoipa::path(
    get,
    path = "/api/templates/{template}",
    operation_id = "getTemplate",
    tag = "templates",
    responses((status = 200, description = "The template.", body = TemplateDetail, headers(
        ("ETag" = String, description = "The revision of the template.")
    ))),
)]
pub(super) async fn show(app: App, At(template): At<String>) -> Result<Tagged, Problem> {
    Ok(tagged(app.dormouse.template(&app.caller, &id(&template)?).await?))
}

/// Changes a template.
///
/// Another text, model or profile makes a new version, which is active at once unless `draft` is set; agents
/// follow it from their next wake on. A request that changes nothing makes none.
#[utoipa::path(
    patch,
    path = "/api/templates/{template}",
    operation_id = "editTemplate",
    tag = "templates",
    params(IfMatch, Key),
    request_body = TemplatePatch,
    responses(
        (status = 200, description = "The template.", body = TemplateDetail, headers(
            ("ETag" = String, description = "The revision of the template.")
        )),
        TemplateEdits
    ),
)]
pub(super) async fn edit(
    app: App,
    At(template): At<String>,
    IfMatch(revision): IfMatch,
    Key(key): Key,
    Sent(patch): Sent<TemplatePatch>,
) -> Result<Tagged, Problem> {
    let (template, patch) = (id(&template)?, patch.read()?);
    let edited = app.dormouse.edit_template(&app.caller, &template, patch, revision, key).await?;
    Ok(tagged(edited))
}

/// Deletes a template that no agent follows.
///
/// The problem `template-in-use` says in its detail how many agents follow it.
#[utoipa::path(
    delete,
    path = "/api/templates/{template}",
    operation_id = "deleteTemplate",
    tag = "templates",
    params(IfMatch, Key),
    responses(
        (status = 200, description = "The template as it was.", body = TemplateDetail),
        TemplateDeletes
    ),
)]
pub(super) async fn delete(
    app: App,
    At(template): At<String>,
    IfMatch(revision): IfMatch,
    Key(key): Key,
) -> Reply<TemplateDetail> {
    let template = id(&template)?;
    Ok(Json(app.dormouse.delete_template(&app.caller, &template, revision, key).await?))
}

/// Copies a template: its active version is the first one of the copy.
#[utoipa::path(
    post,
    path = "/api/templates/{template}/duplicate",
    operation_id = "duplicateTemplate",
    tag = "templates",
    params(Key),
    request_body = DuplicateParams,
    responses(
        (status = 201, description = "The copy.", body = TemplateDetail, headers(
            ("Location" = String, description = "The URL of the copy."),
            ("ETag" = String, description = "The revision of the copy.")
        )),
        NewTemplates,
        TemplateEdits
    ),
)]
pub(super) async fn duplicate(
    app: App,
    At(template): At<String>,
    Key(key): Key,
    Sent(params): Sent<DuplicateParams>,
) -> Result<Tagged, Problem> {
    let (template, name) = (id(&template)?, params.name.as_deref());
    let copy = app.dormouse.duplicate_template(&app.caller, &template, name, key).await?;
    Ok(Tagged(StatusCode::CREATED, copy))
}

/// Lists the versions of a template, newest first.
#[utoipa::path(
    get,
    path = "/api/templates/{template}/versions",
    operation_id = "listTemplateVersions",
    tag = "templates",
    params(PageParams),
    responses((status = 200, description = "A page of versions.", body = Page<TemplateVersion>)),
)]
pub(super) async fn versions(
    app: App,
    At(template): At<String>,
    Query(params): Query<PageParams>,
) -> Reply<Page<TemplateVersion>> {
    let (limit, cursor) = (page_size(params.limit)?, params.cursor.as_deref());
    let template = id(&template)?;
    Ok(Json(app.dormouse.template_versions(&app.caller, &template, limit, cursor).await?))
}

/// Shows a version of a template.
#[utoipa::path(
    get,
    path = "/api/templates/{template}/versions/{n}",
    operation_id = "getTemplateVersion",
    tag = "templates",
    responses((status = 200, description = "The version.", body = TemplateVersion)),
)]
pub(super) async fn version(
    app: App,
    At((template, n)): At<(String, String)>,
) -> Reply<TemplateVersion> {
    let (template, n) = (id(&template)?, number(&n)?);
    Ok(Json(app.dormouse.template_version(&app.caller, &template, n).await?))
}

/// Shows how a template has done in the last 26 weeks.
///
/// Counts are in total, per version, per model, per tool and per week; the active version is compared with the
/// version before. A rate of fewer than 20 wakes or decisions is null, and its judgement is `tooEarly`.
#[utoipa::path(
    get,
    path = "/api/templates/{template}/metrics",
    operation_id = "getTemplateMetrics",
    tag = "templates",
    responses((status = 200, description = "Its metrics.", body = TemplateMetrics)),
)]
pub(super) async fn metrics(app: App, At(template): At<String>) -> Reply<TemplateMetrics> {
    Ok(Json(app.dormouse.template_metrics(&app.caller, &id(&template)?).await?))
}

/// Makes a version the active one; the one before it is archived.
///
/// Agents follow it from their next wake on.
#[utoipa::path(
    post,
    path = "/api/templates/{template}/versions/{n}/activate",
    operation_id = "activateTemplateVersion",
    tag = "templates",
    params(IfMatch, Key),
    responses(
        (status = 200, description = "The template.", body = TemplateDetail, headers(
            ("ETag" = String, description = "The revision of the template.")
        )),
        TemplateEdits
    ),
)]
pub(super) async fn activate(
    app: App,
    At((template, n)): At<(String, String)>,
    IfMatch(revision): IfMatch,
    Key(key): Key,
) -> Result<Tagged, Problem> {
    let (template, n) = (id(&template)?, number(&n)?);
    let activated =
        app.dormouse.activate_template_version(&app.caller, &template, n, revision, key).await?;
    Ok(tagged(activated))
}

/// Goes back to an older version: a new one gets its texts and settings and is active.
#[utoipa::path(
    post,
    path = "/api/templates/{template}/versions/{n}/rollback",
    operation_id = "rollBackTemplate",
    tag = "templates",
    params(IfMatch, Key),
    responses(
        (status = 200, description = "The template.", body = TemplateDetail, headers(
            ("ETag" = String, description = "The revision of the template.")
        )),
        TemplateEdits
    ),
)]
pub(super) async fn roll_back(
    app: App,
    At((template, n)): At<(String, String)>,
    IfMatch(revision): IfMatch,
    Key(key): Key,
) -> Result<Tagged, Problem> {
    let (template, n) = (id(&template)?, number(&n)?);
    let rolled = app.dormouse.roll_back_template(&app.caller, &template, n, revision, key).await?;
    Ok(tagged(rolled))
}
