//! Dates and tasks as people write them: what a text is understood as, before anything is written.

use axum::Json;
use dormouse::dates::{DayOrder, QuickAdd, UnderstoodDate, Wording};
use serde::Deserialize;
use utoipa::IntoParams;

use super::reply::Reply;
use crate::Problem;
use crate::app::App;
use crate::extract::Query;
use crate::problem_groups::Dates;
use crate::wire::Reading;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct TextParams {
    /// The text, as it was written.
    #[param(value_type = String, required)]
    text: Option<String>,
    /// The order of day and month in figures; by default that of the workspace.
    #[param(value_type = Option<DayOrder>)]
    day_order: Option<String>,
    /// The language of the words, as a tag such as `de-AT`; English is always understood. A
    /// language that dates are not read in is no error.
    #[param(value_type = Option<String>)]
    lang: Option<String>,
}

impl TextParams {
    async fn read(self, app: &App) -> Result<(String, Wording), Problem> {
        let mut reading = Reading::default();
        let order = reading.parse("?dayOrder", self.day_order);
        let order = reading.finish(order)?;
        let missing = || Problem::invalid("?text", "text is missing: give it the text to read");
        let wording = app.dormouse.wording(order, self.lang.as_deref()).await?;
        Ok((self.text.ok_or_else(missing)?, wording))
    }
}

/// Reads a text that is a date, such as `fri 3pm` or `end of March`.
///
/// Today is that of the workspace's time zone. Fields of tasks take days as `YYYY-MM-DD`: this says
/// which one a person means.
#[utoipa::path(
    get,
    path = "/api/dates",
    operation_id = "readDate",
    tag = "tasks",
    params(TextParams),
    responses(
        (status = 200, description = "What the text means.", body = UnderstoodDate),
        Dates
    ),
)]
pub(super) async fn read(app: App, Query(params): Query<TextParams>) -> Reply<UnderstoodDate> {
    let (text, wording) = params.read(&app).await?;
    Ok(Json(app.dormouse.understand_date(&app.caller, &text, wording).await?))
}

/// Reads a task in one line, such as `Call the bank fri 3pm !p1 #finance @Home`.
///
/// Every line means a task; what is not understood is its title. A backslash before a word, or
/// quotes around several, keep them in the title. Nothing is written.
#[utoipa::path(
    get,
    path = "/api/quick-add",
    operation_id = "readQuickAdd",
    tag = "tasks",
    params(TextParams),
    responses((status = 200, description = "What the line means.", body = QuickAdd)),
)]
pub(super) async fn quick_add(app: App, Query(params): Query<TextParams>) -> Reply<QuickAdd> {
    let (text, wording) = params.read(&app).await?;
    Ok(Json(app.dormouse.understand_line(&app.caller, &text, wording).await?))
}
