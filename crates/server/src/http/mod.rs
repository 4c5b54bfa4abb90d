//! Every route, one file per resource.

mod agents;
mod change_sets;
mod imports;
mod labels;
mod overview;
mod task_parts;
mod tasks;

use axum::extract::DefaultBodyLimit;
use axum::http::{Method, Uri};
use axum::routing::{get, patch, post};
use dormouse::view::Page;
use dormouse_types::limits::PAGE;

use crate::{App, Problem};

/// Units: items. A page when nobody asks for another size.
const DEFAULT_PAGE: usize = 50;

type Reply<T> = Result<axum::Json<T>, Problem>;

pub(crate) fn routes() -> axum::Router<App> {
    let api = axum::Router::new()
        .route("/overview", get(overview::show))
        .route("/imports", post(imports::run))
        .route("/journal/labels", get(labels::list))
        .route("/journal/categories", get(labels::categories))
        .nest("/journal/tasks", tasks())
        .nest("/agents", agents())
        .nest("/change-sets", change_sets());
    axum::Router::new()
        .nest("/api", api)
        .fallback(unknown_route)
        .method_not_allowed_fallback(wrong_method)
        // Each body has its own limit, checked while it is read.
        .layer(DefaultBodyLimit::disable())
}

fn tasks() -> axum::Router<App> {
    axum::Router::new()
        .route("/", get(tasks::list).post(tasks::create))
        .route("/{id}", get(tasks::show).patch(tasks::edit).delete(tasks::delete))
        .route("/{id}/restore", post(tasks::restore))
        .route("/{id}/activity", get(tasks::activity))
        .route("/{id}/agent", get(tasks::agent).post(tasks::create_agent))
        .route("/{id}/decisions", get(tasks::decisions).post(tasks::decide))
        .route("/{id}/entries", get(task_parts::entries).post(task_parts::add_entry))
        .route(
            "/{id}/entries/{entry}",
            patch(task_parts::edit_entry).delete(task_parts::delete_entry),
        )
        .route("/{id}/entries/{entry}/restore", post(task_parts::restore_entry))
        .route("/{id}/time-entries", post(task_parts::add_time))
        .route("/{id}/checklist-items", get(task_parts::items).post(task_parts::add_item))
        .route("/{id}/checklist-items/{item}", patch(task_parts::edit_item))
        .route("/{id}/labels", get(task_parts::labels).post(task_parts::add_label))
        .route("/{id}/labels/{label}", axum::routing::delete(task_parts::remove_label))
}

fn agents() -> axum::Router<App> {
    axum::Router::new()
        .route("/", get(agents::list))
        .route("/{id}", get(agents::show).patch(agents::edit).delete(agents::destroy))
        .route("/{id}/wake", post(agents::wake))
        .route("/{id}/reanalyse", post(agents::reanalyse))
        .route("/{id}/pause", post(agents::pause))
        .route("/{id}/resume", post(agents::resume))
        .route("/{id}/report", get(agents::report))
        .route("/{id}/reports", get(agents::reports))
        .route("/{id}/messages", get(agents::messages))
        .route("/{id}/decisions", get(agents::decisions))
        .route("/{id}/wakes", get(agents::wakes))
        .route("/{id}/wakes/{run_key}", get(agents::run))
        .route("/{id}/wakes/{run_key}/prompt", get(agents::prompt))
}

fn change_sets() -> axum::Router<App> {
    axum::Router::new()
        .route("/", get(change_sets::list))
        .route("/{id}", get(change_sets::show))
        .route("/{id}/items/{index}/{verdict}", post(change_sets::decide))
        .route("/{id}/confirm-all", post(change_sets::confirm_all))
        .route("/{id}/dismiss", post(change_sets::dismiss))
}

async fn unknown_route(uri: Uri) -> Problem {
    Problem::not_found(format!("there is no {}: every route begins with /api", uri.path()))
}

async fn wrong_method(method: Method, uri: Uri) -> Problem {
    Problem::method_not_allowed(format!("{} does not answer {method}", uri.path()))
}

/// A list that fits one page.
fn whole<T>(items: Vec<T>) -> axum::Json<Page<T>> {
    axum::Json(Page { items, next_cursor: None, damaged: Vec::new() })
}

/// The size of a page, as asked.
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
