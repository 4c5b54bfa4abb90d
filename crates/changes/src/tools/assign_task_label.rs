//! `assign_task_labels`: proposes existing labels, each a change item.

use dormouse_journal::Edit;
use dormouse_types::model::{LabelRef, TaskState};
use dormouse_types::{LabelId, limits};
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
    /// 1 to 3 labels.
    labels: Vec<Element>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Element {
    /// Id of an existing label.
    id: String,
    /// very_high, high, medium or low; low ones are dropped.
    #[serde(default)]
    confidence: Option<String>,
    /// Stored in the change item for its summary; not an argument of the call.
    #[serde(default)]
    #[schemars(skip)]
    #[expect(dead_code, reason = "the label is found by its id")]
    name: Option<String>,
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
    name: "assign_task_labels",
    aliases: &["assign_task_label", "assign_labels"],
    description: "Propose labels that exist and that the text names. Labels cannot be made or taken off.",
    policy: Policy::Exploded { list: "labels", max: limits::LABELS_PER_CALL },
    schema: schema::<Args>,
    item: Some(&AssignTaskLabel),
};

/// The tool as a change item stores it.
pub struct AssignTaskLabel;

fn find<'a>(id: &str, labels: &'a [LabelRef]) -> Option<&'a LabelRef> {
    let id: LabelId = id.trim().parse().ok()?;
    labels.iter().find(|label| label.id == id)
}

impl ItemTool for AssignTaskLabel {
    fn name(&self) -> &'static str {
        "assign_task_label"
    }

    fn check(&self, args: &Value, task: &TaskState) -> Result<Checked, Refused> {
        let element: Element =
            typed(args, "{\"id\": \"lb-…\", \"confidence\": \"high\"} for each label")?;
        if element.confidence.as_deref() == Some("low") {
            return Err(Refused::Invalid(format!(
                "label {} with low confidence is not proposed",
                element.id
            )));
        }
        let Some(label) = find(&element.id, &task.available_labels) else {
            return Err(Refused::Invalid(format!(
                "no label {}; use an id of an existing label",
                element.id
            )));
        };
        if find(&element.id, &task.labels).is_some() {
            return Err(Refused::Redundant(format!(
                "the task already has label \"{}\"",
                label.name
            )));
        }
        if task.suppressed_labels.contains(&label.id) {
            return Err(Refused::Invalid(format!(
                "the person does not want label \"{}\" on this task",
                label.name
            )));
        }
        limits::LABELS_PER_TASK
            .check(task.labels.len() + 1)
            .map_err(|beyond| Refused::Invalid(beyond.to_string()))?;
        Ok(Checked {
            args: json!({ "id": label.id, "name": label.name }),
            edits: vec![Edit::AddLabel(label.id.clone())],
        })
    }

    fn target(&self, args: &Value) -> Target {
        let id = args["id"].as_str().unwrap_or_default().trim();
        Target { key: format!("label:{id}"), single: true }
    }

    fn is_destructive(&self, _args: &Value) -> bool {
        false
    }

    fn summary(&self, args: &Value, _task: Option<&TaskState>) -> String {
        format!("Add label \"{}\"", self.proposed(args))
    }

    fn now(&self, _args: &Value, task: &TaskState) -> Option<String> {
        let names: Vec<_> = task.labels.iter().map(|label| label.name.as_str()).collect();
        (!names.is_empty()).then(|| names.join(", "))
    }

    fn proposed(&self, args: &Value) -> String {
        args["name"].as_str().unwrap_or_default().to_owned()
    }
}
