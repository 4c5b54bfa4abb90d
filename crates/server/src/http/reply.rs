//! Answers of handlers, and the parameters of a page.

use dormouse::view::Page;
use dormouse_types::limits::PAGE;
use serde::Deserialize;
use utoipa::IntoParams;

use crate::Problem;

/// Units: items. The default page size.
pub(crate) const DEFAULT_PAGE: usize = 50;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct PageParams {
    /// The maximum number of items.
    pub(super) limit: Option<usize>,
    /// The `nextCursor` of the previous page.
    pub(super) cursor: Option<String>,
}

/// The answer of a handler.
pub(super) type Reply<T> = Result<axum::Json<T>, Problem>;

/// A list that fits one page.
pub(super) fn whole<T>(items: Vec<T>) -> axum::Json<Page<T>> {
    axum::Json(Page { items, next_cursor: None, damaged: Vec::new() })
}

/// The requested page size.
pub(super) fn page_size(limit: Option<usize>) -> Result<usize, Problem> {
    match limit {
        None => Ok(DEFAULT_PAGE),
        Some(0) => Err(Problem::invalid("?limit", "limit must be 1 or more")),
        Some(limit) => match PAGE.check(limit) {
            Ok(()) => Ok(limit),
            Err(beyond) => Err(Problem::invalid("?limit", beyond.to_string())),
        },
    }
}
