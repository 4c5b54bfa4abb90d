//! Entries, time entries, checklist items and labels of a task. Every write answers the task.

use axum::extract::State;
use axum::http::StatusCode;
use dormouse::view::{Entry, Item, Named, Page};
use dormouse_types::LabelId;

use super::tasks::Tagged;
use super::{Reply, whole};
use crate::extract::{At, Json as Body, Key, id};
use crate::wire::{EntryParams, EntryPatch, ItemParams, ItemPatch, LabelParams, TimeParams};
use crate::{App, Problem};

type Made = Result<(StatusCode, Tagged), Problem>;

pub(super) async fn entries(State(app): State<App>, At(task): At<String>) -> Reply<Page<Entry>> {
    Ok(whole(app.dormouse.task(&app.caller, &id(&task)?).await?.entries))
}

pub(super) async fn add_entry(
    State(app): State<App>,
    At(task): At<String>,
    Key(key): Key,
    Body(params): Body<EntryParams>,
) -> Made {
    let task = app.dormouse.add_entry(&app.caller, &id(&task)?, params.read()?, key).await?;
    Ok((StatusCode::CREATED, Tagged(task)))
}

pub(super) async fn add_time(
    State(app): State<App>,
    At(task): At<String>,
    Key(key): Key,
    Body(params): Body<TimeParams>,
) -> Made {
    let task = app.dormouse.add_entry(&app.caller, &id(&task)?, params.read()?, key).await?;
    Ok((StatusCode::CREATED, Tagged(task)))
}

pub(super) async fn edit_entry(
    State(app): State<App>,
    At((task, entry)): At<(String, String)>,
    Key(key): Key,
    Body(patch): Body<EntryPatch>,
) -> Result<Tagged, Problem> {
    let (task, entry) = (id(&task)?, id(&entry)?);
    Ok(Tagged(app.dormouse.edit_entry(&app.caller, &task, &entry, patch.text, key).await?))
}

pub(super) async fn delete_entry(
    State(app): State<App>,
    At((task, entry)): At<(String, String)>,
    Key(key): Key,
) -> Result<Tagged, Problem> {
    Ok(Tagged(app.dormouse.delete_entry(&app.caller, &id(&task)?, &id(&entry)?, key).await?))
}

pub(super) async fn restore_entry(
    State(app): State<App>,
    At((task, entry)): At<(String, String)>,
    Key(key): Key,
) -> Result<Tagged, Problem> {
    Ok(Tagged(app.dormouse.restore_entry(&app.caller, &id(&task)?, &id(&entry)?, key).await?))
}

pub(super) async fn items(State(app): State<App>, At(task): At<String>) -> Reply<Page<Item>> {
    Ok(whole(app.dormouse.task(&app.caller, &id(&task)?).await?.items))
}

pub(super) async fn add_item(
    State(app): State<App>,
    At(task): At<String>,
    Key(key): Key,
    Body(params): Body<ItemParams>,
) -> Made {
    let task = app.dormouse.add_item(&app.caller, &id(&task)?, params.title, key).await?;
    Ok((StatusCode::CREATED, Tagged(task)))
}

pub(super) async fn edit_item(
    State(app): State<App>,
    At((task, item)): At<(String, String)>,
    Key(key): Key,
    Body(patch): Body<ItemPatch>,
) -> Result<Tagged, Problem> {
    let (task, item) = (id(&task)?, id(&item)?);
    Ok(Tagged(app.dormouse.edit_item(&app.caller, &task, &item, patch.into(), key).await?))
}

pub(super) async fn labels(
    State(app): State<App>,
    At(task): At<String>,
) -> Reply<Page<Named<LabelId>>> {
    Ok(whole(app.dormouse.task(&app.caller, &id(&task)?).await?.labels))
}

pub(super) async fn add_label(
    State(app): State<App>,
    At(task): At<String>,
    Key(key): Key,
    Body(params): Body<LabelParams>,
) -> Made {
    let task = app.dormouse.add_label(&app.caller, &id(&task)?, &params.name, key).await?;
    Ok((StatusCode::CREATED, Tagged(task)))
}

pub(super) async fn remove_label(
    State(app): State<App>,
    At((task, label)): At<(String, String)>,
    Key(key): Key,
) -> Result<Tagged, Problem> {
    Ok(Tagged(app.dormouse.remove_label(&app.caller, &id(&task)?, &label, key).await?))
}
