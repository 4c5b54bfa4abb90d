//! `update_checklist_items`: proposes to tick, rename or archive items, one change item each.

use dormouse_journal::Edit;
use dormouse_types::model::{Item, TaskState};
use dormouse_types::{ItemId, limits};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{
    Checked, EvidenceArg, ItemTool, ModelTool, Policy, Refused, Target, schema, typed,
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
    /// Id of an item of this task.
    id: String,
    /// Tick or untick.
    #[serde(default)]
    is_checked: Option<bool>,
    /// Another title.
    #[serde(default)]
    title: Option<String>,
    /// Archive or bring back. Never re-title a duplicate: archive it.
    #[serde(default)]
    is_archived: Option<bool>,
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
    name: "update_checklist_items",
    aliases: &["update_checklist_item"],
    description: "Propose to tick, rename or archive items. Tick only what the text plainly says is done.",
    policy: Policy::Exploded { list: "items", max: limits::ITEMS_PER_CALL },
    schema: schema::<Args>,
    item: Some(&UpdateChecklistItem),
};

/// The tool as a change item stores it.
pub struct UpdateChecklistItem;

fn find<'a>(id: &str, task: &'a TaskState) -> Option<&'a Item> {
    let id: ItemId = id.trim().parse().ok()?;
    task.items.iter().find(|item| item.id == id)
}

fn boxed(item: &Item) -> String {
    let archived = if item.is_archived { " (archived)" } else { "" };
    format!("[{}] {}{archived}", if item.is_checked { "x" } else { " " }, item.title)
}

impl ItemTool for UpdateChecklistItem {
    fn name(&self) -> &'static str {
        "update_checklist_item"
    }

    fn check(&self, args: &Value, task: &TaskState) -> Result<Checked, Refused> {
        let element: Element =
            typed(args, "{\"id\": \"ci-…\", \"isChecked\": true} for each item")?;
        let Some(item) = find(&element.id, task) else {
            return Err(Refused::Invalid(format!(
                "no item {} on this task; use an id from its checklist",
                element.id
            )));
        };
        let title = element
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
        let is_checked = element.is_checked.filter(|checked| *checked != item.is_checked);
        let is_archived = element.is_archived.filter(|archived| *archived != item.is_archived);
        let mut args = json!({ "id": item.id });
        let mut edits = Vec::new();
        if let Some(title) = title {
            args["title"] = json!(title);
            edits.push(Edit::RenameItem { item: item.id.clone(), title });
        }
        if let Some(is_checked) = is_checked {
            args["isChecked"] = json!(is_checked);
            edits.push(Edit::CheckItem { item: item.id.clone(), is_checked });
        }
        if let Some(is_archived) = is_archived {
            args["isArchived"] = json!(is_archived);
            edits.push(Edit::ArchiveItem { item: item.id.clone(), is_archived });
        }
        if edits.is_empty() {
            return Err(Refused::Redundant(format!("the item is already {}", boxed(item))));
        }
        Ok(Checked { args, edits })
    }

    fn target(&self, args: &Value) -> Target {
        let id = args["id"].as_str().unwrap_or_default().trim();
        Target { key: format!("item:{id}"), single: false }
    }

    fn is_destructive(&self, args: &Value) -> bool {
        args["isArchived"] == true
    }

    fn summary(&self, args: &Value, task: Option<&TaskState>) -> String {
        let id = args["id"].as_str().unwrap_or_default();
        let title = task
            .and_then(|task| find(id, task))
            .map_or_else(|| id.to_owned(), |item| item.title.clone());
        let mut parts = Vec::new();
        match args["isChecked"].as_bool() {
            Some(true) => parts.push(format!("Tick \"{title}\"")),
            Some(false) => parts.push(format!("Untick \"{title}\"")),
            None => {}
        }
        if let Some(new) = args["title"].as_str() {
            parts.push(format!("Rename \"{title}\" to \"{new}\""));
        }
        match args["isArchived"].as_bool() {
            Some(true) => parts.push(format!("Archive \"{title}\"")),
            Some(false) => parts.push(format!("Bring back \"{title}\"")),
            None => {}
        }
        parts.join("; ")
    }

    fn now(&self, args: &Value, task: &TaskState) -> Option<String> {
        find(args["id"].as_str()?, task).map(boxed)
    }

    fn proposed(&self, args: &Value) -> String {
        let mut parts = Vec::new();
        match args["isChecked"].as_bool() {
            Some(true) => parts.push("[x]".to_owned()),
            Some(false) => parts.push("[ ]".to_owned()),
            None => {}
        }
        parts.extend(args["title"].as_str().map(ToOwned::to_owned));
        match args["isArchived"].as_bool() {
            Some(true) => parts.push("archived".to_owned()),
            Some(false) => parts.push("not archived".to_owned()),
            None => {}
        }
        parts.join(" ")
    }
}
