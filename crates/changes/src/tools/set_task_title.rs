//! `set_task_title`: proposes another title.

use dormouse_journal::Edit;
use dormouse_types::limits;
use dormouse_types::model::TaskState;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{
    Checked, EvidenceArg, ItemTool, ModelTool, Policy, Refused, Target, schema, typed,
};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// The new title, one line of at most 500 characters.
    title: String,
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
    name: "set_task_title",
    aliases: &["update_task_title"],
    description: "Propose a title for the task. Only when it has none or the text gives a better one.",
    policy: Policy::Deferred,
    schema: schema::<Args>,
    item: Some(&SetTaskTitle),
};

/// The tool as a change item stores it.
pub struct SetTaskTitle;

impl ItemTool for SetTaskTitle {
    fn name(&self) -> &'static str {
        "set_task_title"
    }

    fn check(&self, args: &Value, task: &TaskState) -> Result<Checked, Refused> {
        let args: Args = typed(args, "{\"title\": \"…\"}")?;
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
        Ok(Checked { args: json!({ "title": title }), edits: vec![Edit::Title(title)] })
    }

    fn target(&self, _args: &Value) -> Target {
        Target { key: "title".into(), single: true }
    }

    fn is_destructive(&self, _args: &Value) -> bool {
        false
    }

    fn summary(&self, args: &Value, _task: Option<&TaskState>) -> String {
        format!("Set title to \"{}\"", self.proposed(args))
    }

    fn now(&self, _args: &Value, task: &TaskState) -> Option<String> {
        (!task.title.is_empty()).then(|| task.title.clone())
    }

    fn proposed(&self, args: &Value) -> String {
        args["title"].as_str().unwrap_or_default().to_owned()
    }
}
