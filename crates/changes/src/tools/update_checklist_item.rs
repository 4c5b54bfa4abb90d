//! `update_checklist_items`: proposes to tick, rename or archive items, one change item each.

use dormouse_journal::Edit;
use dormouse_types::ItemId;
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::limits::{self, Limit};
use dormouse_types::model::{Item, TaskState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::{Checked, ModelTool, Proposal, Refused, Target, TargetKey, Tool};
use crate::words;

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool::proposal(&UpdateChecklistItem);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Element {
    /// Id of an item of this task.
    id: String,
    /// Tick or untick.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(!skip_serializing_if)]
    is_checked: Option<bool>,
    /// Another title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(!skip_serializing_if)]
    title: Option<String>,
    /// Archive or bring back. Never re-title a duplicate: archive it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(!skip_serializing_if)]
    is_archived: Option<bool>,
}

struct UpdateChecklistItem;

impl Tool for UpdateChecklistItem {
    type Args = Element;
    const NAME: &'static str = "update_checklist_items";
    const ALIASES: &'static [&'static str] = &["update_checklist_item"];
    const DESCRIPTION: &'static str =
        "Propose to tick, rename or archive items. Tick only what the text plainly says is done.";
    const EXAMPLE: Option<&'static str> =
        Some("{\"id\": \"ci-…\", \"isChecked\": true} for each item");
}

fn find<'a>(id: &str, task: &'a TaskState) -> Option<&'a Item> {
    let id: ItemId = id.trim().parse().ok()?;
    task.items.iter().find(|item| item.id == id)
}

fn value(item: &Item) -> FieldValue {
    let (is_checked, is_archived) = (item.is_checked, item.is_archived);
    FieldValue::Item { title: item.title.clone(), is_checked, is_archived }
}

impl Proposal for UpdateChecklistItem {
    const ITEM: &'static str = "update_checklist_item";
    const LIST: Option<(&'static str, Limit)> = Some(("items", limits::ITEMS_PER_CALL));

    /// Keeps only what differs from the item, so that the same change is the same proposal whatever
    /// else the call repeats.
    fn check(args: Element, task: &TaskState) -> Result<Checked<Element>, Refused> {
        let Some(item) = find(&args.id, task) else {
            return Err(Refused::Invalid(format!(
                "no item {} on this task; use an id from its checklist",
                args.id
            )));
        };
        let title = args
            .title
            .map(|title| title.split_whitespace().collect::<Vec<_>>().join(" "))
            .filter(|title| *title != item.title);
        if title.as_ref().is_some_and(String::is_empty) {
            return Err(Refused::Invalid("title is empty; leave it out to keep the title".into()));
        }
        if let Some(title) = &title {
            limits::ITEM_TITLE
                .check(title.chars().count())
                .map_err(|beyond| Refused::Invalid(beyond.to_string()))?;
        }
        let is_checked = args.is_checked.filter(|checked| *checked != item.is_checked);
        let is_archived = args.is_archived.filter(|archived| *archived != item.is_archived);
        let mut edits = Vec::new();
        if let Some(title) = title.clone() {
            edits.push(Edit::RenameItem { item: item.id.clone(), title });
        }
        if let Some(is_checked) = is_checked {
            edits.push(Edit::CheckItem { item: item.id.clone(), is_checked });
        }
        if let Some(is_archived) = is_archived {
            edits.push(Edit::ArchiveItem { item: item.id.clone(), is_archived });
        }
        if edits.is_empty() {
            return Err(Refused::Redundant(format!(
                "the item is already {}",
                words::value(&value(item))
            )));
        }
        let args = Element { id: item.id.to_string(), is_checked, title, is_archived };
        Ok(Checked { args, edits })
    }

    fn target(args: &Element) -> Target {
        Target { part: TargetKey::Item(args.id.trim().into()), single: false }
    }

    fn is_destructive(args: &Element) -> bool {
        args.is_archived == Some(true)
    }

    fn summary(args: &Element, task: Option<&TaskState>) -> String {
        let title = task
            .and_then(|task| find(&args.id, task))
            .map_or_else(|| args.id.clone(), |item| item.title.clone());
        let mut parts = Vec::new();
        match args.is_checked {
            Some(true) => parts.push(format!("Tick \"{title}\"")),
            Some(false) => parts.push(format!("Untick \"{title}\"")),
            None => {}
        }
        if let Some(new) = &args.title {
            parts.push(format!("Rename \"{title}\" to \"{new}\""));
        }
        match args.is_archived {
            Some(true) => parts.push(format!("Archive \"{title}\"")),
            Some(false) => parts.push(format!("Bring back \"{title}\"")),
            None => {}
        }
        parts.join("; ")
    }

    /// Without the item itself, only the parts that a call sets are known, which is no value.
    fn change(args: &Element, task: Option<&TaskState>) -> Option<FieldChange> {
        let item = task.and_then(|task| find(&args.id, task));
        let to = item.map(|item| FieldValue::Item {
            title: args.title.clone().unwrap_or_else(|| item.title.clone()),
            is_checked: args.is_checked.unwrap_or(item.is_checked),
            is_archived: args.is_archived.unwrap_or(item.is_archived),
        });
        let id = args.id.trim().parse().ok()?;
        Some(FieldChange { field: FieldRef::Item { id: Some(id) }, from: item.map(value), to })
    }
}
