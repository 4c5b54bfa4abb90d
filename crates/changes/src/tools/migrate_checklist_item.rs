//! `migrate_checklist_items`: proposes to move items of this task to another, one change item each.

use dormouse_journal::Edit;
use dormouse_types::ItemId;
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::limits::{self, Limit};
use dormouse_types::model::{Item, TaskState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::task_ref::{NamedTask, TaskRef};
use crate::tool::{Checked, ModelTool, Proposal, Refused, Target, TargetKey, Tool};

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool::proposal(&MigrateChecklistItem);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Element {
    /// Id of an item of this task.
    id: String,
    /// The task that it goes to: the id of a task, or $item:N of a follow-up task that you propose. Left out,
    /// it is the follow-up task that you proposed last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(!skip_serializing_if)]
    to: Option<String>,
}

struct MigrateChecklistItem;

impl Tool for MigrateChecklistItem {
    type Args = Element;
    const NAME: &'static str = "migrate_checklist_items";
    const ALIASES: &'static [&'static str] = &["migrate_checklist_item", "move_checklist_items"];
    const DESCRIPTION: &'static str = "Propose to move items of this task to a follow-up task or to another task. They keep their ticks. Propose the follow-up task first.";
    const EXAMPLE: Option<&'static str> =
        Some("{\"id\": \"ci-…\", \"to\": \"$item:1\"} for each item");
}

fn find<'a>(id: &str, task: &'a TaskState) -> Option<&'a Item> {
    let id: ItemId = id.trim().parse().ok()?;
    task.items.iter().find(|item| item.id == id)
}

impl Proposal for MigrateChecklistItem {
    const ITEM: &'static str = "migrate_checklist_item";
    const LIST: Option<(&'static str, Limit)> = Some(("items", limits::ITEMS_PER_CALL));
    const NAMES_TASK: bool = true;

    fn check(args: Element, task: &TaskState) -> Result<Checked<Element>, Refused> {
        let Some(item) = find(&args.id, task) else {
            return Err(Refused::Invalid(format!(
                "this task has no item {}; use an id of its checklist",
                args.id
            )));
        };
        if item.is_archived {
            return Err(Refused::Redundant(format!("\"{}\" is archived", item.title)));
        }
        let to = args.to.as_deref().unwrap_or_default().parse::<TaskRef>()?;
        let edits = match &to {
            TaskRef::Task(id) => {
                vec![Edit::MoveItem { item: item.id.clone(), to: id.clone(), place: None }]
            }
            // There is no such task yet; what is applied names one.
            TaskRef::Item(_) => Vec::new(),
        };
        Ok(Checked { args: Element { id: item.id.to_string(), to: Some(to.to_string()) }, edits })
    }

    fn check_other(_args: &Element, other: &NamedTask) -> Result<(), Refused> {
        if other.status.is_terminal() {
            let why = format!("task {} is {}; its checklist is closed", other.id, other.status);
            return Err(Refused::Invalid(why));
        }
        Ok(())
    }

    fn to(args: &Element) -> Option<TaskRef> {
        args.to.as_deref()?.parse().ok()
    }

    // Where an item belongs is no value of the item: ticking it says nothing about that.
    fn target(args: &Element) -> Target {
        Target { part: TargetKey::Move(args.id.trim().into()), single: false }
    }

    fn summary(args: &Element, task: Option<&TaskState>) -> String {
        let title = task
            .and_then(|task| find(&args.id, task))
            .map_or_else(|| args.id.clone(), |item| item.title.clone());
        match Self::to(args) {
            Some(TaskRef::Task(id)) => format!("Move \"{title}\" to task {id}"),
            Some(TaskRef::Item(index)) => {
                format!("Move \"{title}\" to the follow-up task $item:{index}")
            }
            None => format!("Move \"{title}\""),
        }
    }

    fn display(args: &Element, task: Option<&TaskState>, change: Option<&FieldChange>) -> String {
        let item = change.and_then(|change| change.from.as_ref());
        let named = task.and_then(|task| find(&args.id, task)).map(|item| item.title.clone());
        let title = named.or_else(|| item.map(FieldValue::plain));
        match (title, change.and_then(|change| change.to.as_ref())) {
            (Some(title), Some(FieldValue::Task { title: to, .. })) => {
                let new = matches!(Self::to(args), Some(TaskRef::Item(_)));
                let kind = if new { "the follow-up task" } else { "task" };
                format!("Move \"{title}\" to {kind} \"{to}\"")
            }
            (_, _) => Self::summary(args, task),
        }
    }

    fn change(args: &Element, task: Option<&TaskState>) -> Option<FieldChange> {
        let id: ItemId = args.id.trim().parse().ok()?;
        let from = task.and_then(|task| find(&args.id, task)).map(|item| FieldValue::Item {
            title: item.title.clone(),
            is_checked: item.is_checked,
            is_archived: item.is_archived,
        });
        Some(FieldChange { field: FieldRef::ItemTask { id }, from, to: None })
    }
}
