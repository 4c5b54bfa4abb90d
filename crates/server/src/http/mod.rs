//! Every route, one file per resource.

pub(crate) mod reply;
mod access;
mod agents;
mod change_sets;
mod dates;
mod description;
mod exports;
mod imports;
mod labels;
mod model_question;
mod models;
mod occurrences;
mod audit;
mod operations;
mod overview;
mod task_links;
mod templates;
mod rules;
mod settings;
mod evolution;
mod task_parts;
mod tasks;
mod work;
mod transcript;
mod conversations;
mod built_in_work;
mod hooks;
mod debug_tasks;
mod deliveries;
mod agent_history;

use axum::Extension;
use axum::extract::DefaultBodyLimit;
use axum::http::{Method, Uri};
use dormouse::Dormouse;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::Problem;

pub(crate) use description::Description;

/// All routes. The description of the API is made from them, so it comes in from above.
pub(crate) fn routes(description: Description) -> axum::Router<Dormouse> {
    let (router, _document) = documented().split_for_parts();
    router
        .layer(Extension(description))
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
        .merge(models())
        .merge(agent_work())
        .merge(conversations())
        .merge(templates())
        .routes(routes!(imports::run))
        .routes(routes!(imports::text))
        .routes(routes!(exports::run))
        .routes(routes!(exports::losses))
        .routes(routes!(overview::show))
        .routes(routes!(overview::attention))
        .routes(routes!(overview::work_attention))
        .routes(routes!(overview::acknowledge, overview::take_back))
        .routes(routes!(deliveries::list))
        .routes(routes!(deliveries::mark))
        .routes(routes!(deliveries::read))
        .routes(routes!(overview::reports))
        .routes(routes!(operations::list))
        .routes(routes!(audit::list))
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
        .routes(routes!(tasks::linked_context))
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
        .routes(routes!(agents::preview))
        .routes(routes!(agents::reanalyse))
        .routes(routes!(agents::pause))
        .routes(routes!(agents::resume))
        .routes(routes!(agents::report))
        .routes(routes!(agent_history::reports))
        .routes(routes!(agent_history::messages))
        .routes(routes!(agent_history::tool_calls))
        .routes(routes!(agent_history::memory))
        .routes(routes!(agent_history::search_memory))
        .routes(routes!(agent_history::knowledge))
        .routes(routes!(agent_history::removal))
        .routes(routes!(agent_history::removals))
        .routes(routes!(agent_history::remove_line))
        .routes(routes!(agent_history::checkpoints))
        .routes(routes!(agent_history::links))
        .routes(routes!(agent_history::subscriptions))
        .routes(routes!(agent_history::timers))
        .routes(routes!(agent_history::state))
        .routes(routes!(agent_history::decisions))
        .routes(routes!(agent_history::wakes))
        .routes(routes!(agent_history::run))
        .routes(routes!(agent_history::cancel))
        .routes(routes!(agent_history::outcome))
        .routes(routes!(agent_history::prompt))
        .routes(routes!(agent_history::task_at))
}

fn models() -> OpenApiRouter<Dormouse> {
    OpenApiRouter::new()
        .routes(routes!(models::list))
        .routes(routes!(models::put_provider, models::remove_provider))
        .routes(routes!(models::set_key))
        .routes(routes!(models::set_categories))
        .routes(routes!(models::offered))
        .routes(routes!(models::servers))
        .routes(routes!(models::test))
        .routes(routes!(models::forget))
        .routes(routes!(models::question))
        .routes(routes!(models::provider_question))
        .routes(routes!(models::use_model))
        .routes(routes!(models::paid_calls))
        .routes(routes!(models::budgets))
        .routes(routes!(models::price))
        .routes(routes!(models::window))
        .routes(routes!(models::once_more))
        .routes(routes!(models::spending))
        .routes(routes!(models::usage))
}

fn conversations() -> OpenApiRouter<Dormouse> {
    OpenApiRouter::new()
        .routes(routes!(conversations::list, conversations::begin))
        .routes(routes!(conversations::show, conversations::delete))
        .routes(routes!(conversations::turns, conversations::add_turn))
        .routes(routes!(conversations::file))
        .routes(routes!(conversations::work))
        .routes(routes!(conversations::of_work))
        .routes(routes!(conversations::open))
}

fn templates() -> OpenApiRouter<Dormouse> {
    OpenApiRouter::new()
        .routes(routes!(templates::list, templates::create))
        .routes(routes!(templates::show, templates::edit, templates::delete))
        .routes(routes!(templates::duplicate))
        .routes(routes!(templates::versions))
        .routes(routes!(templates::metrics))
        .routes(routes!(templates::version))
        .routes(routes!(templates::activate))
        .routes(routes!(templates::roll_back))
        .routes(routes!(rules::set_policy))
        .routes(routes!(rules::list, rules::add))
        .routes(routes!(rules::suggested))
        .routes(routes!(rules::remove))
        .routes(routes!(rules::held_back))
        .routes(routes!(evolution::show, evolution::start))
        .routes(routes!(evolution::say))
        .routes(routes!(evolution::approve))
        .routes(routes!(evolution::reject))
        .routes(routes!(evolution::abandon))
        .routes(routes!(evolution::cancel))
        .routes(routes!(evolution::sessions))
        .routes(routes!(evolution::session))
}

fn agent_work() -> OpenApiRouter<Dormouse> {
    OpenApiRouter::new()
        .routes(routes!(work::list, work::create))
        .routes(routes!(work::pause_all))
        .routes(routes!(work::resume_all))
        .routes(routes!(built_in_work::gallery))
        .routes(routes!(built_in_work::read))
        .routes(routes!(built_in_work::preview))
        .routes(routes!(built_in_work::try_it))
        .routes(routes!(work::show, work::edit, work::delete))
        .routes(routes!(work::run))
        .routes(routes!(occurrences::list))
        .routes(routes!(occurrences::skip))
        .routes(routes!(occurrences::move_to))
        .routes(routes!(occurrences::restore))
        .routes(routes!(occurrences::suspend))
        .routes(routes!(work::correct))
        .routes(routes!(work::runs))
        .routes(routes!(work::log))
        .routes(routes!(work::log_file))
        .routes(routes!(work::show_run))
        .routes(routes!(work::cancel))
        .routes(routes!(work::retry))
        .routes(routes!(work::review))
        .routes(routes!(work::run_log))
        .routes(routes!(work::questions))
        .routes(routes!(work::answer))
        .routes(routes!(hooks::list, hooks::add))
        .routes(routes!(hooks::rotate))
        .routes(routes!(hooks::remove))
        .routes(routes!(hooks::call))
        .routes(routes!(work::schedule))
        .routes(routes!(debug_tasks::list, debug_tasks::create))
        .routes(routes!(debug_tasks::show, debug_tasks::edit, debug_tasks::delete))
        .routes(routes!(debug_tasks::log))
}

fn access() -> OpenApiRouter<Dormouse> {
    OpenApiRouter::new()
        .routes(routes!(access::show))
        .routes(routes!(settings::show, settings::edit))
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
