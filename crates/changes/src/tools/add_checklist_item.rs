//! `add_multiple_checklist_items`: proposes items, each a change item `add_checklist_item`.

use dormouse_journal::Edit;
use dormouse_types::limits;
use dormouse_types::model::TaskState;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{
    Checked, EvidenceArg, ItemTool, ModelTool, Policy, Refused, Target, folded, schema, typed,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the schema of the call; elements are read one by one")]
struct Args {
    /// 1 to 20 items.
    items: Vec<Element>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Element {
    /// One line of at most 400 characters.
    title: String,
    /// Whether it is done already.
    #[serde(default)]
    is_checked: bool,
    #[serde(default)]
    #[expect(dead_code, reason = "taken off before; here for the schema")]
    evidence: Option<EvidenceArg>,
    #[serde(default)]
    #[expect(dead_code, reason = "taken off before; here for the schema")]
    /// Why, in a few words.
    rationale: Option<String>,
}

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool {
    name: "add_multiple_checklist_items",
    aliases: &["add_checklist_items", "add_checklist_item"],
    description: "Propose checklist items for work that the text names and the list lacks.",
    policy: Policy::Exploded { list: "items", max: limits::ITEMS_PER_CALL },
    schema: schema::<Args>,
    item: Some(&AddChecklistItem),
};

/// The tool as a change item stores it.
pub struct AddChecklistItem;

impl ItemTool for AddChecklistItem {
    fn name(&self) -> &'static str {
        "add_checklist_item"
    }

    fn check(&self, args: &Value, task: &TaskState) -> Result<Checked, Refused> {
        let element: Element = typed(args, "an object {\"title\": \"…\"} for each item")?;
        let title = element.title.split_whitespace().collect::<Vec<_>>().join(" ");
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
        let is_checked = element.is_checked;
        let args = if is_checked {
            json!({ "title": title, "isChecked": true })
        } else {
            json!({ "title": title })
        };
        Ok(Checked { args, edits: vec![Edit::AddItem { title, is_checked, depth: 0 }] })
    }

    fn target(&self, args: &Value) -> Target {
        let title = args["title"].as_str().unwrap_or_default();
        Target { key: format!("new:{}", folded(title)), single: true }
    }

    fn is_destructive(&self, _args: &Value) -> bool {
        false
    }

    fn summary(&self, args: &Value, _task: Option<&TaskState>) -> String {
        format!("Add checklist item: {}", args["title"].as_str().unwrap_or_default())
    }

    fn now(&self, _args: &Value, _task: &TaskState) -> Option<String> {
        None
    }

    fn proposed(&self, args: &Value) -> String {
        let mark = if args["isChecked"].as_bool() == Some(true) { "x" } else { " " };
        format!("[{mark}] {}", args["title"].as_str().unwrap_or_default())
    }
}
