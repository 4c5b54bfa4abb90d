//! `copy_task`: proposes to make a task again. No model calls it: work that repeats a task does.

use dormouse_journal::Edit;
use dormouse_types::LabelId;
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::limits;
use dormouse_types::model::TaskState;
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::{Checked, ModelTool, Proposal, Refused, Target, TargetKey, Tool, strict_day};

/// The tool as built-in work calls it.
pub static TOOL: ModelTool = ModelTool::proposal(&CopyTask);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// The title of the copy, one line of at most 500 characters.
    title: String,
    /// The day it is due, YYYY-MM-DD.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(!skip_serializing_if)]
    due_date: Option<String>,
    /// Whole minutes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(!skip_serializing_if)]
    estimate_minutes: Option<u32>,
    /// Ids of existing labels; those that were removed since are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(!skip_serializing_if)]
    labels: Vec<String>,
    /// Titles of the items of its checklist.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(!skip_serializing_if)]
    items: Vec<String>,
}

struct CopyTask;

impl Tool for CopyTask {
    type Args = Args;
    const NAME: &'static str = "copy_task";
    const ALIASES: &'static [&'static str] = &[];
    const DESCRIPTION: &'static str = "Propose to make a task again.";
    const EXAMPLE: Option<&'static str> = Some(r#"{"title": "…", "dueDate": "2026-03-15"}"#);
}

fn invalid(error: impl std::fmt::Display) -> Refused {
    Refused::Invalid(error.to_string())
}

impl Proposal for CopyTask {
    // A task is made again once the one of last time is done.
    const ABOUT_CLOSED: bool = true;

    fn check(mut args: Args, task: &TaskState) -> Result<Checked<Args>, Refused> {
        args.title = args.title.split_whitespace().collect::<Vec<_>>().join(" ");
        if args.title.is_empty() {
            return Err(invalid("title is empty; a task that is made again has one"));
        }
        limits::TITLE.check(args.title.chars().count()).map_err(invalid)?;
        let mut edits = Vec::new();
        if let Some(text) = &args.due_date {
            let on = strict_day(text).ok_or_else(|| {
                invalid(format!("dueDate is {text:?}; give a real calendar day as YYYY-MM-DD"))
            })?;
            edits.push(Edit::DueOn(Some(on)));
        }
        edits.extend(args.estimate_minutes.map(|minutes| Edit::Estimate(Some(minutes))));
        let known = |id: &LabelId| task.available_labels.iter().any(|label| label.id == *id);
        let labels: Vec<LabelId> =
            args.labels.iter().filter_map(|id| id.parse().ok()).filter(known).collect();
        args.labels = labels.iter().map(ToString::to_string).collect();
        edits.extend(labels.into_iter().map(Edit::AddLabel));
        for title in &args.items {
            edits.push(Edit::AddItem { title: title.clone(), is_checked: false, depth: 0 });
        }
        Ok(Checked { args, edits })
    }

    fn target(args: &Args) -> Target {
        let day = args.due_date.as_deref().unwrap_or_default();
        Target { part: TargetKey::Copy(day.into()), single: true }
    }

    fn creates(args: &Args) -> Option<String> {
        Some(args.title.clone())
    }

    /// A copy that waited for its review is not late from the beginning.
    fn created_on(args: &mut Args, today: Date) {
        let is_past = |day: &String| strict_day(day).is_some_and(|day| day < today);
        if args.due_date.as_ref().is_some_and(is_past) {
            args.due_date = Some(today.to_string());
        }
    }

    fn summary(args: &Args, _task: Option<&TaskState>) -> String {
        let mut text = format!("Make the task \"{}\" again", args.title);
        if let Some(day) = &args.due_date {
            text.push_str(&format!(", due {day}"));
        }
        match args.items.len() {
            0 => {}
            1 => text.push_str(", with 1 item"),
            n => text.push_str(&format!(", with {n} items")),
        }
        text
    }

    fn change(args: &Args, _task: Option<&TaskState>) -> Option<FieldChange> {
        let to = Some(FieldValue::Task { id: None, title: args.title.clone() });
        Some(FieldChange { field: FieldRef::FollowUp, from: None, to })
    }
}

#[cfg(test)]
mod tests {
    use jiff::civil::date;
    use serde_json::json;

    use super::TOOL;

    #[test]
    fn a_copy_that_waited_is_due_on_the_day_on_which_it_is_made() {
        let tool = TOOL.item().expect("a proposal");
        let made = |due: &str| {
            let args = json!({ "title": "Blog post", "dueDate": due });
            tool.created_on(&args, date(2026, 12, 7))["dueDate"].clone()
        };
        assert_eq!(made("2026-11-30"), json!("2026-12-07"));
        assert_eq!(made("2026-12-07"), json!("2026-12-07"));
        assert_eq!(made("2026-12-14"), json!("2026-12-14"));
        let undated = json!({ "title": "Blog post" });
        assert_eq!(tool.created_on(&undated, date(2026, 12, 7)), undated);
    }
}
