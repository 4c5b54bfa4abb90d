//! Entries, time entries, checklist items and labels of a task. Every write returns the task.

use dormouse::view::{Entry, Item, Named, Page};
use dormouse::{EntryPatch, ItemPatch};
use dormouse_types::LabelId;

use super::reply::{Reply, whole};
use super::tasks::{Added, Tagged};
use crate::Problem;
use crate::app::App;
use crate::extract::{At, IfMatch, Json as Body, Key, id};
use crate::problem_groups::{Adds, Edits};
use crate::wire::{EntryParams, ItemParams, LabelParams, TimeParams};

/// Lists the live entries of a task, oldest first.
#[utoipa::path(
    get,
    path = "/api/journal/tasks/{task}/entries",
    operation_id = "listEntries",
    tag = "task parts",
    responses((status = 200, description = "Every entry.", body = Page<Entry>)),
)]
pub(super) async fn entries(app: App, At(task): At<String>) -> Reply<Page<Entry>> {
    Ok(whole(app.dormouse.task(&app.caller, &id(&task)?).await?.entries))
}

/// Adds an entry to a task.
#[utoipa::path(
    post,
    path = "/api/journal/tasks/{task}/entries",
    operation_id = "addEntry",
    tag = "task parts",
    params(Key),
    request_body = EntryParams,
    responses(Added, Edits),
)]
pub(super) async fn add_entry(
    app: App,
    At(task): At<String>,
    Key(key): Key,
    Body(params): Body<EntryParams>,
) -> Result<Added, Problem> {
    let task = app.dormouse.add_entry(&app.caller, &id(&task)?, params.read()?, key).await?;
    Ok(Added(task))
}

/// Records time spent on a task.
#[utoipa::path(
    post,
    path = "/api/journal/tasks/{task}/time-entries",
    operation_id = "addTimeEntry",
    tag = "task parts",
    params(Key),
    request_body = TimeParams,
    responses(Added, Edits),
)]
pub(super) async fn add_time(
    app: App,
    At(task): At<String>,
    Key(key): Key,
    Body(params): Body<TimeParams>,
) -> Result<Added, Problem> {
    let task = app.dormouse.add_entry(&app.caller, &id(&task)?, params.read()?, key).await?;
    Ok(Added(task))
}

/// Replaces the text of an entry, or sets whether it is starred or private.
#[utoipa::path(
    patch,
    path = "/api/journal/tasks/{task}/entries/{entry}",
    operation_id = "editEntry",
    tag = "task parts",
    params(IfMatch, Key),
    request_body = EntryPatch,
    responses(Tagged, Edits),
)]
pub(super) async fn edit_entry(
    app: App,
    At((task, entry)): At<(String, String)>,
    IfMatch(revision): IfMatch,
    Key(key): Key,
    Body(patch): Body<EntryPatch>,
) -> Result<Tagged, Problem> {
    let (task, entry) = (id(&task)?, id(&entry)?);
    let caller = &app.caller;
    Ok(Tagged(app.dormouse.edit_entry(caller, &task, &entry, patch, revision, key).await?))
}

/// Deletes an entry; it can be restored.
#[utoipa::path(
    delete,
    path = "/api/journal/tasks/{task}/entries/{entry}",
    operation_id = "deleteEntry",
    tag = "task parts",
    params(Key),
    responses(Tagged, Edits)
)]
pub(super) async fn delete_entry(
    app: App,
    At((task, entry)): At<(String, String)>,
    Key(key): Key,
) -> Result<Tagged, Problem> {
    Ok(Tagged(app.dormouse.delete_entry(&app.caller, &id(&task)?, &id(&entry)?, key).await?))
}

/// Restores a deleted entry.
#[utoipa::path(
    post,
    path = "/api/journal/tasks/{task}/entries/{entry}/restore",
    operation_id = "restoreEntry",
    tag = "task parts",
    params(Key),
    responses(Tagged, Edits)
)]
pub(super) async fn restore_entry(
    app: App,
    At((task, entry)): At<(String, String)>,
    Key(key): Key,
) -> Result<Tagged, Problem> {
    Ok(Tagged(app.dormouse.restore_entry(&app.caller, &id(&task)?, &id(&entry)?, key).await?))
}

/// Lists the checklist items of a task, in order.
#[utoipa::path(
    get,
    path = "/api/journal/tasks/{task}/checklist-items",
    operation_id = "listChecklistItems",
    tag = "task parts",
    responses((status = 200, description = "Every item.", body = Page<Item>)),
)]
pub(super) async fn items(app: App, At(task): At<String>) -> Reply<Page<Item>> {
    Ok(whole(app.dormouse.task(&app.caller, &id(&task)?).await?.items))
}

/// Adds a checklist item to a task.
#[utoipa::path(
    post,
    path = "/api/journal/tasks/{task}/checklist-items",
    operation_id = "addChecklistItem",
    tag = "task parts",
    params(Key),
    request_body = ItemParams,
    responses(Added, Adds),
)]
pub(super) async fn add_item(
    app: App,
    At(task): At<String>,
    Key(key): Key,
    Body(params): Body<ItemParams>,
) -> Result<Added, Problem> {
    let task = app.dormouse.add_item(&app.caller, &id(&task)?, params.title, key).await?;
    Ok(Added(task))
}

/// Ticks, renames or archives a checklist item.
#[utoipa::path(
    patch,
    path = "/api/journal/tasks/{task}/checklist-items/{item}",
    operation_id = "editChecklistItem",
    tag = "task parts",
    params(Key),
    request_body = ItemPatch,
    responses(Tagged, Edits),
)]
pub(super) async fn edit_item(
    app: App,
    At((task, item)): At<(String, String)>,
    Key(key): Key,
    Body(patch): Body<ItemPatch>,
) -> Result<Tagged, Problem> {
    let (task, item) = (id(&task)?, id(&item)?);
    Ok(Tagged(app.dormouse.edit_item(&app.caller, &task, &item, patch, key).await?))
}

/// Lists the labels of a task.
#[utoipa::path(
    get,
    path = "/api/journal/tasks/{task}/labels",
    operation_id = "listTaskLabels",
    tag = "task parts",
    responses(
        (status = 200, description = "Every label of the task.", body = Page<Named<LabelId>>)
    ),
)]
pub(super) async fn labels(app: App, At(task): At<String>) -> Reply<Page<Named<LabelId>>> {
    Ok(whole(app.dormouse.task(&app.caller, &id(&task)?).await?.labels))
}

/// Adds a label to a task, creating the label if it does not exist.
#[utoipa::path(
    post,
    path = "/api/journal/tasks/{task}/labels",
    operation_id = "addTaskLabel",
    tag = "task parts",
    params(Key),
    request_body = LabelParams,
    responses(Added, Adds),
)]
pub(super) async fn add_label(
    app: App,
    At(task): At<String>,
    Key(key): Key,
    Body(params): Body<LabelParams>,
) -> Result<Added, Problem> {
    let task = app.dormouse.add_label(&app.caller, &id(&task)?, &params.name, key).await?;
    Ok(Added(task))
}

/// Removes a label from a task; agents do not propose it for this task again.
#[utoipa::path(
    delete,
    path = "/api/journal/tasks/{task}/labels/{label}",
    operation_id = "removeTaskLabel",
    tag = "task parts",
    params(Key),
    responses(Tagged, Edits)
)]
pub(super) async fn remove_label(
    app: App,
    At((task, label)): At<(String, String)>,
    Key(key): Key,
) -> Result<Tagged, Problem> {
    Ok(Tagged(app.dormouse.remove_label(&app.caller, &id(&task)?, &label, key).await?))
}
