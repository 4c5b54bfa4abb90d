//! Proposals that belong together: a task that follows up, and what moves into it or is linked to it.
//!
//! A proposal of a group names the one that makes the task as `$item:N`, its place in the same set. The
//! task itself is known only once that one is applied, so its id is taken from the receipt at that
//! moment, and never written into the arguments that the person was shown.

use dormouse_store::agent::change_item::{Item, State};
use dormouse_store::journal::{linked_entry, task};
use dormouse_store::{ReadError, Store};
use dormouse_types::model::ToolCall;
use dormouse_types::task::LinkDirection;
use dormouse_types::{TaskId, WorkspaceId};
use serde_json::Value;

use crate::task_ref::{NamedTask, TaskRef};
use crate::tools;

/// The most tasks that the calls of a turn may name.
const NAMED: usize = 20;

/// Reads the tasks that calls about a task name. Reads nothing if they name none.
pub async fn named_tasks(
    store: &Store,
    ws: WorkspaceId,
    about: &TaskId,
    calls: &[ToolCall],
) -> Result<Vec<NamedTask>, ReadError> {
    let mut ids = Vec::new();
    let names_task =
        |call: &&ToolCall| tools::by_name(&call.name).is_some_and(|tool| tool.names_task());
    for call in calls.iter().filter(names_task) {
        task_ids(&crate::tool::recovered(&call.args), &mut ids);
    }
    ids.retain(|id| id != about);
    ids.truncate(NAMED);
    let mut named = Vec::new();
    if ids.is_empty() {
        return Ok(named);
    }
    let edges = store.all(linked_entry::of_task(ws, about)).await?;
    for id in ids {
        let Some(stored) = store.first(task::by_id(ws, &id)).await? else { continue };
        let task = stored.doc.value;
        let with = edges.iter().filter(|edge| edge.other.id == id).map(|edge| &edge.doc.value);
        let links = with.filter_map(|link| {
            let is_out = link.from_id == *about;
            let direction = if is_out { LinkDirection::Out } else { LinkDirection::In };
            Some((link.kind.known()?, direction))
        });
        let (title, status) = (task.title, task.status.status);
        let (is_deleted, links) = (task.deleted_at.is_some(), links.collect());
        named.push(NamedTask { id, title, status, is_deleted, links });
    }
    Ok(named)
}

fn task_ids(value: &Value, ids: &mut Vec<TaskId>) {
    match value {
        Value::String(text) => {
            if let Ok(id) = text.trim().parse::<TaskId>()
                && !ids.contains(&id)
            {
                ids.push(id);
            }
        }
        Value::Array(all) => all.iter().for_each(|one| task_ids(one, ids)),
        Value::Object(map) => map.values().for_each(|one| task_ids(one, ids)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Returns the place of the item that makes the task which these arguments name, if one does.
pub fn parent(tool: &str, args: &Value) -> Option<i64> {
    match tools::item(tool)?.to(args)? {
        TaskRef::Item(index) => Some(index),
        TaskRef::Task(_) => None,
    }
}

/// Returns the place of the item that an item belongs to.
pub fn parent_of(item: &Item) -> Option<i64> {
    parent(&item.tool, &serde_json::from_str(&item.args).ok()?)
}

/// Returns the items that belong to an item of the same set, in order.
pub(crate) fn children<'a>(items: &'a [Item], of: &Item) -> Vec<&'a Item> {
    let index = of.index;
    // An item is never its own parent, whatever stored arguments say.
    let is_child = |item: &&Item| item.index != index && parent_of(item) == Some(index);
    items.iter().filter(is_child).collect()
}

/// Returns the items that belong to an item and that nobody has decided.
pub(crate) fn open_children(items: &[Item], of: &Item) -> Vec<Item> {
    let open = children(items, of).into_iter();
    open.filter(|item| matches!(item.state, State::Pending | State::Deferred)).cloned().collect()
}

/// The reason with which the items of a group end when the one that they belong to does.
pub(crate) fn ended_with(parent: &Item) -> String {
    format!("it belongs to proposal {}, which is no longer open", parent.index)
}

/// The reason with which the items of a group are rejected.
pub(crate) fn rejected_with(parent: &Item) -> String {
    format!("rejected together with proposal {}, which it belongs to", parent.index)
}
