//! Agent work: definitions, runs, questions, logs.

use axum::Json;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use dormouse::dates::DayOrder;
use dormouse::view::{
    AgentWork, AgentWorkDetail, Page, SchedulePreview, WorkLogLine, WorkQuestion, WorkRun,
};
use dormouse::{RunDays, WorkFilter};
use dormouse_types::work::WorkAction;
use dormouse_types::work::{WorkStatus, WorkType};
use dormouse_types::{WorkId, WorkRunId};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use super::reply::{Reply, page_size, whole};
use super::transcript::{as_file, wants_lines};
use crate::Problem;
use crate::app::App;
use crate::extract::{At, Json as Sent, Key, Query, id};
use crate::problem_groups::{Dates, NewWork, Questions, Work, WorkEdits, Writes};
use crate::wire::{
    Reading, WorkAnswerParams, WorkChange, WorkCorrectionParams, WorkParams, WorkPatch,
    WorkReviewParams,
};

/// How many runs a page of a log holds by default.
const RUNS_OF_LOG: usize = 10;

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct ListParams {
    /// Only work of this status.
    #[param(value_type = Option<WorkStatus>)]
    status: Option<String>,
    /// Only work of this type.
    #[param(value_type = Option<WorkType>)]
    r#type: Option<String>,
    /// The maximum number of items.
    limit: Option<usize>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

/// Lists agent work, newest first, each definition with its latest run.
#[utoipa::path(
    get,
    path = "/api/tasks",
    operation_id = "listWork",
    tag = "agent work",
    params(ListParams),
    responses((status = 200, description = "A page of agent work.", body = Page<AgentWork>)),
)]
pub(super) async fn list(app: App, Query(params): Query<ListParams>) -> Reply<Page<AgentWork>> {
    let limit = page_size(params.limit)?;
    let mut reading = Reading::default();
    let status = reading.parse("?status", params.status);
    let kind = reading.parse("?type", params.r#type);
    let filter = reading.finish(WorkFilter { status, kind })?;
    let cursor = params.cursor.as_deref();
    Ok(Json(app.dormouse.work_list(&app.caller, filter, limit, cursor).await?))
}

/// Makes agent work. Without a schedule it runs once, now.
#[utoipa::path(
    post,
    path = "/api/tasks",
    operation_id = "createWork",
    tag = "agent work",
    params(Key),
    request_body = WorkParams,
    responses(
        (status = 201, description = "The new work.", body = AgentWork, headers(
            ("Location" = String, description = "The URL of the work.")
        )),
        NewWork
    ),
)]
pub(super) async fn create(
    app: App,
    Key(key): Key,
    Sent(params): Sent<WorkParams>,
) -> Result<Response, Problem> {
    let (new, wording) = params.read()?;
    let work = app.dormouse.create_work(&app.caller, new, wording, key).await?;
    let location = (header::LOCATION, format!("/api/tasks/{}", work.id));
    Ok((StatusCode::CREATED, [location], Json(work)).into_response())
}

/// Shows agent work with its newest runs and the questions that wait for an answer.
#[utoipa::path(
    get,
    path = "/api/tasks/{work}",
    operation_id = "getWork",
    tag = "agent work",
    responses((status = 200, description = "The work.", body = AgentWorkDetail)),
)]
pub(super) async fn show(app: App, At(work): At<String>) -> Reply<AgentWorkDetail> {
    Ok(Json(app.dormouse.work_detail(&app.caller, &id(&work)?).await?))
}

/// Edits, pauses, resumes or archives agent work, or cancels a run of it.
///
/// `cancel` ends the run that `runId` names, else the newest that has not ended.
/// New instructions count from the next run; of a new schedule nothing is due before now.
#[utoipa::path(
    patch,
    path = "/api/tasks/{work}",
    operation_id = "editWork",
    tag = "agent work",
    params(Key),
    request_body = WorkPatch,
    responses((status = 200, description = "The work.", body = AgentWork), WorkEdits),
)]
pub(super) async fn edit(
    app: App,
    At(work): At<String>,
    Key(key): Key,
    Sent(patch): Sent<WorkPatch>,
) -> Reply<AgentWork> {
    let work: WorkId = id(&work)?;
    let App { dormouse, caller } = &app;
    let changed = match patch.read()? {
        WorkChange::Edit(patch, wording) => {
            dormouse.edit_work(caller, &work, *patch, wording, key).await?
        }
        WorkChange::Action(action, run) => match action {
            WorkAction::Pause => dormouse.pause_work(caller, &work, key).await?,
            WorkAction::Resume => dormouse.resume_work(caller, &work, key).await?,
            WorkAction::Archive => dormouse.archive_work(caller, &work, key).await?,
            WorkAction::Cancel => dormouse.cancel_work(caller, &work, run.as_ref(), key).await?,
        },
    };
    Ok(Json(changed))
}

/// Removes agent work from all lists; nothing of it runs later.
#[utoipa::path(
    delete,
    path = "/api/tasks/{work}",
    operation_id = "deleteWork",
    tag = "agent work",
    params(Key),
    responses((status = 200, description = "The work as it is left.", body = AgentWork), Work),
)]
pub(super) async fn delete(app: App, At(work): At<String>, Key(key): Key) -> Reply<AgentWork> {
    Ok(Json(app.dormouse.delete_work(&app.caller, &id(&work)?, key).await?))
}

/// Runs agent work now: the occurrence of its schedule that is due, if there is one.
#[utoipa::path(
    post,
    path = "/api/tasks/{work}/run",
    operation_id = "runWork",
    tag = "agent work",
    params(Key),
    responses((status = 200, description = "The new run.", body = WorkRun), Work),
)]
pub(super) async fn run(app: App, At(work): At<String>, Key(key): Key) -> Reply<WorkRun> {
    Ok(Json(app.dormouse.run_work(&app.caller, &id(&work)?, key).await?))
}

/// Adds a correction to agent work.
///
/// A run that is under way reads it before its next turn, and all later runs do.
#[utoipa::path(
    post,
    path = "/api/tasks/{work}/corrections",
    operation_id = "correctWork",
    tag = "agent work",
    params(Key),
    request_body = WorkCorrectionParams,
    responses((status = 200, description = "The work.", body = AgentWork), Work),
)]
pub(super) async fn correct(
    app: App,
    At(work): At<String>,
    Key(key): Key,
    Sent(params): Sent<WorkCorrectionParams>,
) -> Reply<AgentWork> {
    Ok(Json(app.dormouse.correct_work(&app.caller, &id(&work)?, &params.text, key).await?))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct RunsParams {
    /// Only runs that were due, or requested, on this day or later, `YYYY-MM-DD` in the time zone of the workspace.
    #[param(value_type = Option<String>, format = Date)]
    from: Option<String>,
    /// Only those of this day or earlier.
    #[param(value_type = Option<String>, format = Date)]
    to: Option<String>,
    /// The maximum number of items.
    limit: Option<usize>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

/// Lists the runs of agent work, newest first, those that were left out included.
#[utoipa::path(
    get,
    path = "/api/tasks/{work}/runs",
    operation_id = "listWorkRuns",
    tag = "agent work",
    params(RunsParams),
    responses((status = 200, description = "A page of runs.", body = Page<WorkRun>)),
)]
pub(super) async fn runs(
    app: App,
    At(work): At<String>,
    Query(params): Query<RunsParams>,
) -> Reply<Page<WorkRun>> {
    let (limit, cursor) = (page_size(params.limit)?, params.cursor.as_deref());
    let mut reading = Reading::default();
    let from = reading.day("?from", params.from);
    let to = reading.day("?to", params.to);
    let days = reading.finish(RunDays { from, to })?;
    Ok(Json(app.dormouse.work_runs(&app.caller, &id(&work)?, days, limit, cursor).await?))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
pub(super) struct LogParams {
    /// The maximum number of runs, up to 20.
    limit: Option<usize>,
    /// The `nextCursor` of the previous page.
    cursor: Option<String>,
}

/// Shows the log of agent work, oldest run first: all lines of up to `limit` runs.
///
/// With `Accept: application/jsonl` it is the file that `/api/tasks/{work}/log.jsonl` answers. What
/// cannot be read is a line `damaged` in its place, and named in `damaged`.
#[utoipa::path(
    get,
    path = "/api/tasks/{work}/log",
    operation_id = "getWorkLog",
    tag = "agent work",
    params(LogParams),
    responses((status = 200, description = "A page of the log.", content(
        (Page<WorkLogLine> = "application/json"),
        (Value = "application/jsonl")
    ))),
)]
pub(super) async fn log(
    app: App,
    work: At<String>,
    query: Query<LogParams>,
    headers: HeaderMap,
) -> Result<Response, Problem> {
    if wants_lines(&headers) {
        return log_file(app, work, query).await;
    }
    let (At(work), Query(params)) = (work, query);
    let limit = page_size(params.limit.or(Some(RUNS_OF_LOG)))?;
    let cursor = params.cursor.as_deref();
    let page = app.dormouse.work_log(&app.caller, &id(&work)?, limit, cursor).await?;
    Ok(Json(page).into_response())
}

/// Gives the log of agent work as a file, one JSON object a line, oldest run first.
///
/// The first line names the work; a turn is one line with its calls and their results. A line has at
/// most 1 MiB. Without `limit` it is the whole log; with it, as many runs, and the header `Link` names
/// the rest: the parts, one after another, are the whole file. What cannot be read is a line `damaged`
/// in its place.
#[utoipa::path(
    get,
    path = "/api/tasks/{work}/log.jsonl",
    operation_id = "getWorkLogFile",
    tag = "agent work",
    params(LogParams),
    responses((
        status = 200,
        description = "The log, or a part of it. The header `Link` names the next part.",
        content((Value = "application/jsonl")),
    )),
)]
pub(super) async fn log_file(
    app: App,
    At(work): At<String>,
    Query(params): Query<LogParams>,
) -> Result<Response, Problem> {
    let limit = params.limit.map(|limit| page_size(Some(limit))).transpose()?;
    let cursor = params.cursor.as_deref();
    let file = app.dormouse.work_log_file(&app.caller, &id(&work)?, limit, cursor).await?;
    let next = file.next_cursor().zip(limit).map(|(next, limit)| {
        format!("</api/tasks/{work}/log.jsonl?limit={limit}&cursor={next}>; rel=\"next\"")
    });
    as_file(file, next).await
}

/// How many definitions were paused.
#[derive(Serialize, ToSchema)]
pub(super) struct PausedWork {
    /// Their number.
    paused: usize,
}

/// Pauses all agent work that has not ended.
#[utoipa::path(
    post,
    path = "/api/work/pause-all",
    operation_id = "pauseAllWork",
    tag = "agent work",
    responses((status = 200, description = "How many were paused.", body = PausedWork), Writes),
)]
pub(super) async fn pause_all(app: App) -> Reply<PausedWork> {
    Ok(Json(PausedWork { paused: app.dormouse.pause_all_work(&app.caller).await? }))
}

/// How many definitions were resumed.
#[derive(Serialize, ToSchema)]
pub(super) struct ResumedWork {
    /// Their number.
    resumed: usize,
}

/// Resumes what was paused with all agent work; what was paused alone stays paused.
#[utoipa::path(
    post,
    path = "/api/work/resume-all",
    operation_id = "resumeAllWork",
    tag = "agent work",
    responses((status = 200, description = "How many were resumed.", body = ResumedWork), Writes),
)]
pub(super) async fn resume_all(app: App) -> Reply<ResumedWork> {
    Ok(Json(ResumedWork { resumed: app.dormouse.resume_all_work(&app.caller).await? }))
}

/// Shows a run of agent work.
#[utoipa::path(
    get,
    path = "/api/runs/{run}",
    operation_id = "getWorkRun",
    tag = "agent work",
    responses((status = 200, description = "The run.", body = WorkRun)),
)]
pub(super) async fn show_run(app: App, At(run): At<String>) -> Reply<WorkRun> {
    Ok(Json(app.dormouse.work_run(&app.caller, &id(&run)?).await?))
}

/// Cancels a run, on whichever node it is under way. To cancel it twice changes nothing.
#[utoipa::path(
    post,
    path = "/api/runs/{run}/cancel",
    operation_id = "cancelWorkRun",
    tag = "agent work",
    params(Key),
    responses((status = 200, description = "The run.", body = WorkRun), Work),
)]
pub(super) async fn cancel(app: App, At(run): At<String>, Key(key): Key) -> Reply<WorkRun> {
    let run: WorkRunId = id(&run)?;
    Ok(Json(app.dormouse.cancel_work_run(&app.caller, &run, key).await?))
}

/// Lets a run be tried again that did not end well.
#[utoipa::path(
    post,
    path = "/api/runs/{run}/retry",
    operation_id = "retryWorkRun",
    tag = "agent work",
    params(Key),
    responses((status = 200, description = "The run.", body = WorkRun), Work),
)]
pub(super) async fn retry(app: App, At(run): At<String>, Key(key): Key) -> Reply<WorkRun> {
    Ok(Json(app.dormouse.retry_work_run(&app.caller, &id(&run)?, key).await?))
}

/// Approves or declines a run that ended without an outcome.
#[utoipa::path(
    post,
    path = "/api/runs/{run}/review",
    operation_id = "reviewWorkRun",
    tag = "agent work",
    params(Key),
    request_body = WorkReviewParams,
    responses((status = 200, description = "The run.", body = WorkRun), Work),
)]
pub(super) async fn review(
    app: App,
    At(run): At<String>,
    Key(key): Key,
    Sent(params): Sent<WorkReviewParams>,
) -> Reply<WorkRun> {
    let (run, reason) = (id(&run)?, params.reason.as_deref());
    let reviewed = app.dormouse.review_work_run(&app.caller, &run, params.approve, reason, key);
    Ok(Json(reviewed.await?))
}

/// Shows the log of one run, as far as it has got.
#[utoipa::path(
    get,
    path = "/api/runs/{run}/log",
    operation_id = "getWorkRunLog",
    tag = "agent work",
    responses((status = 200, description = "All its lines.", body = Page<WorkLogLine>)),
)]
pub(super) async fn run_log(app: App, At(run): At<String>) -> Reply<Page<WorkLogLine>> {
    Ok(whole(app.dormouse.work_run_log(&app.caller, &id(&run)?).await?))
}

/// Lists the questions of a run, oldest first.
#[utoipa::path(
    get,
    path = "/api/runs/{run}/questions",
    operation_id = "listWorkQuestions",
    tag = "agent work",
    responses((status = 200, description = "All its questions.", body = Page<WorkQuestion>)),
)]
pub(super) async fn questions(app: App, At(run): At<String>) -> Reply<Page<WorkQuestion>> {
    Ok(whole(app.dormouse.work_questions(&app.caller, &id(&run)?).await?))
}

/// Answers the question of a run, which goes on.
///
/// A second answer is refused, with the first one in `detail`.
#[utoipa::path(
    post,
    path = "/api/questions/{question}/answer",
    operation_id = "answerWorkQuestion",
    tag = "agent work",
    params(Key),
    request_body = WorkAnswerParams,
    responses((status = 200, description = "The question.", body = WorkQuestion), Questions),
)]
pub(super) async fn answer(
    app: App,
    At(question): At<String>,
    Key(key): Key,
    Sent(params): Sent<WorkAnswerParams>,
) -> Reply<WorkQuestion> {
    let question = id(&question)?;
    let answered =
        app.dormouse.answer_work_question(&app.caller, &question, &params.answer, key).await?;
    Ok(Json(answered))
}

#[derive(Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ScheduleParams {
    /// The words, such as `last Friday of the month at 4pm`.
    #[param(value_type = String, required)]
    text: Option<String>,
    /// The order of day and month in figures; by default that of the workspace.
    #[param(value_type = Option<DayOrder>)]
    day_order: Option<String>,
    /// The language of the words, as a tag such as `de-AT`; English is always understood.
    lang: Option<String>,
}

/// Reads a schedule in words: what it means, and when it happens next.
///
/// Nothing is written. Times are those of the workspace's time zone.
#[utoipa::path(
    get,
    path = "/api/schedules",
    operation_id = "readSchedule",
    tag = "agent work",
    params(ScheduleParams),
    responses((status = 200, description = "What the words mean.", body = SchedulePreview), Dates),
)]
pub(super) async fn schedule(
    app: App,
    Query(params): Query<ScheduleParams>,
) -> Reply<SchedulePreview> {
    let mut reading = Reading::default();
    let order = reading.parse("?dayOrder", params.day_order);
    let order = reading.finish(order)?;
    let wording = app.dormouse.wording(order, params.lang.as_deref()).await?;
    let missing = || Problem::invalid("?text", "text is missing: give it the words to read");
    let text = params.text.ok_or_else(missing)?;
    Ok(Json(app.dormouse.preview_schedule(&app.caller, &text, wording).await?))
}
