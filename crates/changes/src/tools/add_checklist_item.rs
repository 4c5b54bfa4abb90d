//! `add_multiple_checklist_items`: proposes items, each a change item `add_checklist_item`.

use dormouse_journal::Edit;
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::limits::{self, Limit};
use dormouse_types::model::TaskState;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::{Checked, ModelTool, Proposal, Refused, Target, TargetKey, Tool, folded};

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool::proposal(&AddChecklistItem);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Element {
    /// One line of at most 400 characters.
    title: String,
    /// Whether it is done already.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[schemars(!skip_serializing_if)]
    is_checked: bool,
}

struct AddChecklistItem;

impl Tool for AddChecklistItem {
    type Args = Element;
    const NAME: &'static str = "add_multiple_checklist_items";
    const ALIASES: &'static [&'static str] = &["add_checklist_items", "add_checklist_item"];
    const DESCRIPTION: &'static str =
        "Propose checklist items for work that the text names and the list lacks.";
    const EXAMPLE: Option<&'static str> = Some("an object {\"title\": \"…\"} for each item");
}

impl Proposal for AddChecklistItem {
    const ITEM: &'static str = "add_checklist_item";
    const LIST: Option<(&'static str, Limit)> = Some(("items", limits::ITEMS_PER_CALL));

    fn check(args: Element, task: &TaskState) -> Result<Checked<Element>, Refused> {
        let title = args.title.split_whitespace().collect::<Vec<_>>().join(" ");
        if title.is_empty() {
            return Err(Refused::Invalid("title is empty; give the words of the item".into()));
        }
        limits::ITEM_TITLE
            .check(title.chars().count())
            .map_err(|beyond| Refused::Invalid(beyond.to_string()))?;
        if task.items.iter().any(|item| folded(&item.title) == folded(&title)) {
            return Err(Refused::Redundant(format!("the checklist already has \"{title}\"")));
        }
        let live = task.items.iter().filter(|item| !item.is_archived).count();
        limits::ITEMS_PER_TASK
            .check(live + 1)
            .map_err(|beyond| Refused::Invalid(beyond.to_string()))?;
        let is_checked = args.is_checked;
        let edits = vec![Edit::AddItem { title: title.clone(), is_checked, depth: 0 }];
        Ok(Checked { args: Element { title, is_checked }, edits })
    }

    fn target(args: &Element) -> Target {
        Target { part: TargetKey::New(folded(&args.title)), single: true }
    }

    fn summary(args: &Element, _task: Option<&TaskState>) -> String {
        format!("Add checklist item: {}", args.title)
    }

    fn prompt_args(args: &Element, _task: &TaskState) -> String {
        format!("{:?}", args.title)
    }

    fn change(args: &Element, _task: Option<&TaskState>) -> Option<FieldChange> {
        let (title, is_checked) = (args.title.clone(), args.is_checked);
        Some(FieldChange {
            field: FieldRef::Item { id: None },
            from: None,
            to: Some(FieldValue::Item { title, is_checked, is_archived: false }),
        })
    }
}
