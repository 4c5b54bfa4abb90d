//! `assign_task_labels`: proposes existing labels, each a change item.

use dormouse_journal::Edit;
use dormouse_types::LabelId;
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::limits::{self, Limit};
use dormouse_types::model::{Named, TaskState};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::{Checked, ModelTool, Proposal, Refused, Target, TargetKey, Tool};

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool::proposal(&AssignTaskLabel);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Element {
    /// Id of an existing label.
    id: String,
    /// very_high, high, medium or low; low ones are dropped.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(!skip_serializing_if)]
    confidence: Option<String>,
    /// Stored in the change item for its summary; not an argument of the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(skip)]
    name: Option<String>,
}

struct AssignTaskLabel;

impl Tool for AssignTaskLabel {
    type Args = Element;
    const NAME: &'static str = "assign_task_labels";
    const ALIASES: &'static [&'static str] = &["assign_task_label", "assign_labels"];
    const DESCRIPTION: &'static str =
        "Propose labels that exist and that the text names. You cannot create or remove labels.";
    const EXAMPLE: Option<&'static str> =
        Some("{\"id\": \"lb-…\", \"confidence\": \"high\"} for each label");
}

fn find<'a>(id: &str, labels: &'a [Named<LabelId>]) -> Option<&'a Named<LabelId>> {
    let id: LabelId = id.trim().parse().ok()?;
    labels.iter().find(|label| label.id == id)
}

impl Proposal for AssignTaskLabel {
    const ITEM: &'static str = "assign_task_label";
    const LIST: Option<(&'static str, Limit)> = Some(("labels", limits::LABELS_PER_CALL));

    fn check(args: Element, task: &TaskState) -> Result<Checked<Element>, Refused> {
        if args.confidence.as_deref() == Some("low") {
            return Err(Refused::Invalid(format!(
                "label {} with low confidence is not proposed",
                args.id
            )));
        }
        let Some(label) = find(&args.id, &task.available_labels) else {
            return Err(Refused::Invalid(format!(
                "no label {}; use an id of an existing label",
                args.id
            )));
        };
        if find(&args.id, &task.labels).is_some() {
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
        let (id, name) = (label.id.to_string(), Some(label.name.clone()));
        Ok(Checked {
            args: Element { id, confidence: None, name },
            edits: vec![Edit::AddLabel(label.id.clone())],
        })
    }

    fn target(args: &Element) -> Target {
        Target { part: TargetKey::Label(args.id.trim().into()), single: true }
    }

    /// The journal keeps which labels a person does not want on a task, so that no agent proposes
    /// one again.
    fn on_reject(args: &Element) -> Option<Edit> {
        args.id.parse().ok().map(Edit::SuppressLabel)
    }

    fn summary(args: &Element, _task: Option<&TaskState>) -> String {
        format!("Add label \"{}\"", args.name.as_deref().unwrap_or_default())
    }

    fn prompt_args(args: &Element, _task: &TaskState) -> String {
        format!("{:?}", args.name.as_deref().unwrap_or_default())
    }

    fn change(args: &Element, _task: Option<&TaskState>) -> Option<FieldChange> {
        let id: LabelId = args.id.trim().parse().ok()?;
        let field = FieldRef::Label { id: id.clone() };
        let to = Some(FieldValue::Label { id, name: args.name.clone().unwrap_or_default() });
        Some(FieldChange { field, from: None, to })
    }
}
