//! Proposals that belong together: a task that follows up, and what moves into it or is linked to it.
//!
//! A proposal of a group names the one that makes the task as `$item:N`, its place in the same set. The
//! task itself is known only once that one is applied, so its id is taken from the receipt at that
//! moment, and never written into the arguments that the person was shown.

use std::fmt;
use std::str::FromStr;

use dormouse_store::agent::change_item::{Item, State};
use dormouse_store::journal::{linked_entry, task};
use dormouse_store::{ReadError, Store};
use dormouse_types::field_change::{FieldChange, FieldValue};
use dormouse_types::model::ToolCall;
use dormouse_types::task::{LinkDirection, LinkKind, Status};
use dormouse_types::{TaskId, WorkspaceId};
use serde_json::Value;

use crate::set::validate::{ProposalContext, Proposed};
use crate::tool::{ItemTool, Refused};
use crate::tools;

/// The most tasks that the calls of a turn may name.
const NAMED: usize = 20;

/// The task that a proposal names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskRef {
    /// A task that exists.
    Task(TaskId),
    /// The task that an item of the same set makes.
    Item(i64),
}

impl fmt::Display for TaskRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task(id) => write!(f, "{id}"),
            Self::Item(index) => write!(f, "$item:{index}"),
        }
    }
}

impl FromStr for TaskRef {
    type Err = Refused;

    fn from_str(text: &str) -> Result<Self, Refused> {
        let text = text.trim();
        let wrong = || {
            let short: String = text.chars().take(60).collect();
            Refused::Invalid(format!(
                "to is {short:?}; give the id of a task, jt-…, or $item:N of a follow-up task that you propose"
            ))
        };
        match text.strip_prefix("$item:") {
            Some(index) => {
                index.parse().ok().filter(|index| *index > 0).map(Self::Item).ok_or_else(wrong)
            }
            None => text.parse().map(Self::Task).map_err(|_| wrong()),
        }
    }
}

/// Another task that a call names, as it is when the call is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedTask {
    pub id: TaskId,
    pub title: String,
    pub status: Status,
    pub is_deleted: bool,
    /// How the task that the call is about is linked to it.
    pub links: Vec<(LinkKind, LinkDirection)>,
}

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

/// What a call names as its other task, checked, with its title.
pub(crate) struct Placed {
    /// The arguments, with `to` in its canonical form.
    pub args: Value,
    /// The task, for the person to read.
    pub value: Option<FieldValue>,
    /// The proposal that makes the task, by its fingerprint: it distinguishes two groups with the
    /// same place.
    pub parent: Option<String>,
}

/// Checks which task a call names; one that names none means the follow-up task proposed last.
///
/// Errors: no such task, or one that nothing can go to; the model reads why.
pub(crate) fn placed(
    item: &dyn ItemTool,
    mut args: Value,
    context: &ProposalContext<'_>,
    queued: &[Proposed],
) -> Result<Placed, Refused> {
    if !item.names_task() || !args.is_object() {
        return Ok(Placed { args, value: None, parent: None });
    }
    let follow_ups = follow_ups(context, queued);
    let given = args["to"].as_str().map(str::trim).filter(|text| !text.is_empty());
    let to = match given {
        Some(text) => text.parse()?,
        None => TaskRef::Item(follow_ups.last().map(|one| one.index).ok_or_else(|| {
            Refused::Invalid(
                "to is missing; give the id of a task, or propose a follow-up task first".into(),
            )
        })?),
    };
    let (value, parent) = match &to {
        TaskRef::Task(id) if *id == context.task.id => {
            return Err(Refused::Invalid("to is this task itself; name another one".into()));
        }
        TaskRef::Task(id) => {
            let named = context.named.iter().find(|named| named.id == *id);
            let Some(named) = named else {
                return Err(Refused::Invalid(format!("there is no task {id}")));
            };
            if named.is_deleted {
                return Err(Refused::Invalid(format!("task {id} is deleted")));
            }
            item.check_other(&args, named)?;
            (FieldValue::Task { id: Some(id.clone()), title: named.title.clone() }, None)
        }
        TaskRef::Item(index) => {
            let found = follow_ups.iter().find(|one| one.index == *index);
            let Some(FollowUp { title, fingerprint, .. }) = found else {
                return Err(Refused::Invalid(format!(
                    "{to} is no follow-up task that you propose in this wake"
                )));
            };
            let value = FieldValue::Task { id: None, title: title.clone() };
            (value, Some(fingerprint.clone()))
        }
    };
    args["to"] = to.to_string().into();
    Ok(Placed { args, value: Some(value), parent })
}

/// Returns the place that a proposal takes in its set.
pub(crate) fn next_index(context: &ProposalContext<'_>, queued: &[Proposed]) -> i64 {
    let last = context.in_set.iter().map(|item| item.index).chain(queued.iter().map(|p| p.index));
    last.max().unwrap_or(0) + 1
}

struct FollowUp {
    index: i64,
    title: String,
    fingerprint: String,
}

/// Returns the tasks that the set proposes or has made.
fn follow_ups(context: &ProposalContext<'_>, queued: &[Proposed]) -> Vec<FollowUp> {
    let stored = context.in_set.iter().filter(|item| {
        matches!(item.state, State::Pending | State::Deferred | State::Applying | State::Confirmed)
    });
    let stored = stored.filter_map(|item| {
        let args: Value = serde_json::from_str(&item.args).ok()?;
        let title = tools::item(&item.tool)?.creates(&args)?;
        Some(FollowUp { index: item.index, title, fingerprint: item.fingerprint.0.clone() })
    });
    let queued = queued.iter().filter_map(|one| {
        let title = tools::item(one.tool)?.creates(&one.args)?;
        Some(FollowUp { index: one.index, title, fingerprint: one.fingerprint.0.clone() })
    });
    stored.chain(queued).collect()
}

/// Returns the change with the other task in it.
pub(crate) fn with_task(change: FieldChange, value: Option<FieldValue>) -> FieldChange {
    FieldChange { to: value.or(change.to), ..change }
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
    format!("it belongs to proposal {}, which no longer stands", parent.index)
}

/// The reason with which the items of a group are rejected.
pub(crate) fn rejected_with(parent: &Item) -> String {
    format!("rejected together with proposal {}, which it belongs to", parent.index)
}
