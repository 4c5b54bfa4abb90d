//! `set_task_title`: proposes another title.

use dormouse_journal::Edit;
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::limits;
use dormouse_types::model::TaskState;
use dormouse_types::task::Field;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::tool::{Checked, ModelTool, Proposal, Refused, Target, Tool};

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool::proposal(&SetTaskTitle);

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The new title, one line of at most 500 characters.
    title: String,
}

struct SetTaskTitle;

impl Tool for SetTaskTitle {
    type Args = Args;
    const NAME: &'static str = "set_task_title";
    const ALIASES: &'static [&'static str] = &["update_task_title"];
    const DESCRIPTION: &'static str =
        "Propose a title for the task. Only when it has none or the text gives a better one.";
    const EXAMPLE: Option<&'static str> = Some("{\"title\": \"…\"}");
}

impl Proposal for SetTaskTitle {
    fn check(args: Args, task: &TaskState) -> Result<Checked<Args>, Refused> {
        let title = args.title.split_whitespace().collect::<Vec<_>>().join(" ");
        if title.is_empty() {
            return Err(Refused::Invalid("title is empty; give the words of a title".into()));
        }
        limits::TITLE
            .check(title.chars().count())
            .map_err(|beyond| Refused::Invalid(beyond.to_string()))?;
        if title == task.title {
            return Err(Refused::Redundant(format!("the title is already \"{title}\"")));
        }
        Ok(Checked { edits: vec![Edit::Title(title.clone())], args: Args { title } })
    }

    fn target(_args: &Args) -> Target {
        Target::field(Field::Title)
    }

    fn summary(args: &Args, _task: Option<&TaskState>) -> String {
        format!("Set title to \"{}\"", args.title)
    }

    fn prompt_args(args: &Args, _task: &TaskState) -> String {
        format!("{:?}", args.title)
    }

    fn change(args: &Args, task: Option<&TaskState>) -> Option<FieldChange> {
        let text = |title: &str| FieldValue::Text { text: title.to_owned() };
        Some(FieldChange {
            field: FieldRef::Title,
            from: task.filter(|task| !task.title.is_empty()).map(|task| text(&task.title)),
            to: Some(text(&args.title)),
        })
    }
}
