//! `create_follow_up_task`: proposes a task for work that does not belong into this one.

use dormouse_journal::Edit;
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::limits;
use dormouse_types::model::TaskState;
use dormouse_types::task::{EntryKind, Flags, NotListed, Priority};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::{
    Checked, ModelTool, Proposal, Refused, Target, TargetKey, Tool, folded, strict_day,
};
use crate::words;

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool::proposal(&CreateFollowUpTask);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// The title of the new task, one line of at most 500 characters.
    title: String,
    /// What is known about it, as Markdown: the first note of the new task.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(!skip_serializing_if)]
    notes: Option<String>,
    /// The day it is due, YYYY-MM-DD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(!skip_serializing_if)]
    due_date: Option<String>,
    /// P0 urgent, P1 high, P2 medium, P3 low.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(!skip_serializing_if)]
    priority: Option<String>,
    /// Ids of existing labels, at most 3.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(!skip_serializing_if)]
    labels: Vec<String>,
    /// Names of the labels, for its summary; not an argument of the call.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(skip)]
    label_names: Vec<String>,
}

struct CreateFollowUpTask;

impl Tool for CreateFollowUpTask {
    type Args = Args;
    const NAME: &'static str = "create_follow_up_task";
    const ALIASES: &'static [&'static str] = &["create_follow_up", "create_task"];
    const DESCRIPTION: &'static str = "Propose a new task that follows up on this one, for work that the text names and that does not belong here. It is linked to this task and has its category. The answer names it as $item:N for migrate_checklist_items and link_task.";
    const EXAMPLE: Option<&'static str> =
        Some(r#"{"title": "…", "notes": "…", "dueDate": "2026-03-15", "priority": "P2"}"#);
}

fn invalid(error: impl std::fmt::Display) -> Refused {
    Refused::Invalid(error.to_string())
}

fn day(args: &Args) -> Option<Date> {
    args.due_date.as_deref().and_then(strict_day)
}

fn priority(args: &Args) -> Option<Priority> {
    args.priority.as_deref().and_then(|text| text.parse().ok())
}

impl Proposal for CreateFollowUpTask {
    const MAY_REPEAT: bool = true;

    fn check(mut args: Args, task: &TaskState) -> Result<Checked<Args>, Refused> {
        args.title = args.title.split_whitespace().collect::<Vec<_>>().join(" ");
        if args.title.is_empty() {
            return Err(invalid("title is empty; say in a few words what the new task is"));
        }
        limits::TITLE.check(args.title.chars().count()).map_err(invalid)?;
        if folded(&args.title) == folded(&task.title) {
            let why = format!("this task is called \"{}\" itself", task.title);
            return Err(Refused::Redundant(why));
        }
        let mut edits = Vec::new();
        if let Some(text) = args.due_date.as_deref().map(str::trim) {
            let on = strict_day(text).ok_or_else(|| {
                invalid(format!("dueDate is {text:?}; give a real calendar day as YYYY-MM-DD"))
            })?;
            args.due_date = Some(on.to_string());
            edits.push(Edit::DueOn(Some(on)));
        }
        if let Some(text) = &args.priority {
            let known: Priority = text.parse().map_err(|error: NotListed| invalid(error))?;
            args.priority = Some(known.to_string());
            edits.push(Edit::Priority(Some(known)));
        }
        limits::LABELS_PER_CALL.check(args.labels.len()).map_err(invalid)?;
        args.label_names.clear();
        for id in &mut args.labels {
            let known =
                task.available_labels.iter().find(|label| label.id.to_string() == id.trim());
            let Some(label) = known else {
                return Err(invalid(format!("no label {id}; use an id of an existing label")));
            };
            *id = label.id.to_string();
            args.label_names.push(label.name.clone());
            edits.push(Edit::AddLabel(label.id.clone()));
        }
        args.notes = args.notes.map(|text| text.trim().to_owned()).filter(|text| !text.is_empty());
        if let Some(text) = &args.notes {
            limits::WORK_INSTRUCTIONS.check(text.len()).map_err(invalid)?;
            edits.push(Edit::AddEntry {
                kind: EntryKind::Text,
                text: Some(text.clone()),
                transcript: None,
                minutes: None,
                on: None,
                // What a model writes may repeat what it read.
                tainted: task.entries.iter().any(|entry| entry.tainted),
                flags: Flags::NONE,
            });
        }
        Ok(Checked { args, edits })
    }

    fn target(args: &Args) -> Target {
        Target { part: TargetKey::FollowUp(folded(&args.title)), single: true }
    }

    fn creates(args: &Args) -> Option<String> {
        Some(args.title.clone())
    }

    fn summary(args: &Args, _task: Option<&TaskState>) -> String {
        let mut text = format!("Create follow-up task \"{}\"", args.title);
        if let Some(on) = day(args) {
            text.push_str(&format!(", due {on}"));
        }
        if let Some(priority) = priority(args) {
            text.push_str(&format!(", {}", words::priority(priority)));
        }
        for name in &args.label_names {
            text.push_str(&format!(", label \"{name}\""));
        }
        if let Some(notes) = &args.notes {
            text.push_str(&format!(": {notes}"));
        }
        text
    }

    fn prompt_args(args: &Args, _task: &TaskState) -> String {
        format!("{:?}", args.title)
    }

    fn change(args: &Args, _task: Option<&TaskState>) -> Option<FieldChange> {
        let to = Some(FieldValue::Task { id: None, title: args.title.clone() });
        Some(FieldChange { field: FieldRef::FollowUp, from: None, to })
    }
}
