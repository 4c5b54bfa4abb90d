//! Every route, one file per resource.

mod access;
mod agents;
mod change_sets;
mod dates;
mod description;
mod exports;
mod imports;
mod labels;
mod operations;
mod overview;
mod task_links;
mod task_parts;
mod tasks;
mod agent_history;

use axum::extract::DefaultBodyLimit;
use axum::http::{Method, Uri};
use dormouse::Dormouse;
use dormouse::view::Page;
use dormouse_types::limits::PAGE;
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Problem;

/// Units: items. The default page size.
pub(crate) const DEFAULT_PAGE: usize = 50;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct PageParams {
    /// The maximum number of items.
    limit: Option<usize>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

type Reply<T> = Result<axum::Json<T>, Problem>;

pub(crate) fn routes() -> axum::Router<Dormouse> {
    let (router, _document) = documented().split_for_parts();
    router
        .fallback(unknown_route)
        .method_not_allowed_fallback(wrong_method)
        // Each kind of body has its own limit, checked while it is read.
        .layer(DefaultBodyLimit::disable())
}

/// All routes with their descriptions. A handler's annotation holds its method and full path;
/// handlers of the same path share one `routes!`.
pub(crate) fn documented() -> OpenApiRouter<Dormouse> {
    OpenApiRouter::new()
        .merge(tasks())
        .merge(agents())
        .merge(change_sets())
        .merge(access())
        .routes(routes!(imports::run))
        .routes(routes!(exports::run))
        .routes(routes!(exports::losses))
        .routes(routes!(overview::show))
        .routes(routes!(overview::attention))
        .routes(routes!(overview::reports))
        .routes(routes!(operations::list))
        .routes(routes!(labels::list))
        .routes(routes!(labels::categories))
        .routes(routes!(description::show))
}

fn tasks() -> OpenApiRouter<Dormouse> {
    OpenApiRouter::new()
        .routes(routes!(tasks::list, tasks::create))
        .routes(routes!(tasks::show, tasks::edit, tasks::delete))
        .routes(routes!(tasks::restore))
        .routes(routes!(exports::page))
        .routes(routes!(dates::read))
        .routes(routes!(dates::quick_add))
        .routes(routes!(tasks::activity))
        .routes(routes!(tasks::changes))
        .routes(routes!(tasks::agent, tasks::create_agent))
        .routes(routes!(tasks::decisions, tasks::decide))
        .routes(routes!(task_parts::entries, task_parts::add_entry))
        .routes(routes!(task_parts::edit_entry, task_parts::delete_entry))
        .routes(routes!(task_parts::restore_entry))
        .routes(routes!(task_parts::add_time))
        .routes(routes!(task_parts::items, task_parts::add_item))
        .routes(routes!(task_parts::edit_item))
        .routes(routes!(task_parts::labels, task_parts::add_label))
        .routes(routes!(task_parts::remove_label))
        .routes(routes!(task_links::list, task_links::add))
        .routes(routes!(task_links::remove))
}

fn agents() -> OpenApiRouter<Dormouse> {
    OpenApiRouter::new()
        .routes(routes!(agents::list))
        .routes(routes!(agents::show, agents::edit, agents::destroy))
        .routes(routes!(agents::wake, agents::cancel))
        .routes(routes!(agents::reanalyse))
        .routes(routes!(agents::pause))
        .routes(routes!(agents::resume))
        .routes(routes!(agents::report))
        .routes(routes!(agent_history::reports))
        .routes(routes!(agent_history::messages))
        .routes(routes!(agent_history::tool_calls))
        .routes(routes!(agent_history::links))
        .routes(routes!(agent_history::subscriptions))
        .routes(routes!(agent_history::timers))
        .routes(routes!(agent_history::state))
        .routes(routes!(agent_history::decisions))
        .routes(routes!(agent_history::wakes))
        .routes(routes!(agent_history::run))
        .routes(routes!(agent_history::outcome))
        .routes(routes!(agent_history::prompt))
}

fn access() -> OpenApiRouter<Dormouse> {
    OpenApiRouter::new()
        .routes(routes!(access::show))
        .routes(routes!(access::exchange))
        .routes(routes!(access::create_code))
        .routes(routes!(access::create_ticket))
        .routes(routes!(access::tokens, access::create_token))
        .routes(routes!(access::revoke))
}

fn change_sets() -> OpenApiRouter<Dormouse> {
    OpenApiRouter::new()
        .routes(routes!(change_sets::list))
        .routes(routes!(change_sets::show))
        .routes(routes!(change_sets::decide))
        .routes(routes!(change_sets::confirm_all))
        .routes(routes!(change_sets::dismiss))
}

async fn unknown_route(uri: Uri) -> Problem {
    Problem::not_found(format!("{} does not exist: every route begins with /api", uri.path()))
}

/// The message does not repeat the address: it may contain a secret.
async fn wrong_method(method: Method) -> Problem {
    Problem::method_not_allowed(format!("this address does not support {method}"))
}

/// A list that fits one page.
fn whole<T>(items: Vec<T>) -> axum::Json<Page<T>> {
    axum::Json(Page { items, next_cursor: None, damaged: Vec::new() })
}

/// The requested page size.
fn page_size(limit: Option<usize>) -> Result<usize, Problem> {
    match limit {
        None => Ok(DEFAULT_PAGE),
        Some(0) => Err(Problem::invalid("?limit", "limit must be 1 or more")),
        Some(limit) => match PAGE.check(limit) {
            Ok(()) => Ok(limit),
            Err(beyond) => Err(Problem::invalid("?limit", beyond.to_string())),
        },
    }
}
