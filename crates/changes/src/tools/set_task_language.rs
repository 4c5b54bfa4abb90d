//! `set_task_language`: sets the language immediately, unless the person has set one.

use dormouse_types::By;
use dormouse_types::model::TaskState;
use dormouse_types::task;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::tool::{ModelTool, Policy, Refused, schema, typed};

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// ISO 639 code from the closed list, for example en, de, fr, es, ro.
    language_code: String,
    /// high, medium or low.
    #[serde(default)]
    confidence: Option<String>,
}

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool {
    name: "set_task_language",
    aliases: &["update_task_language"],
    description: "Set the language the task is written in. Has no effect once the person set one.",
    policy: Policy::Immediate,
    schema: schema::<Args>,
    item: None,
};

/// Validates arguments; returns the language code to set.
pub fn check(args: &Value, task: &TaskState) -> Result<String, Refused> {
    let args: Args = typed(args, "{\"languageCode\": \"en\", \"confidence\": \"high\"}")?;
    let code = task::language(&args.language_code).map_err(|e| Refused::Invalid(e.to_string()))?;
    let by_person = task.says.iter().any(|say| say.field == "language" && say.by == By::User);
    if by_person {
        let current = task.language.as_deref().unwrap_or("none");
        return Err(Refused::Redundant(format!(
            "the person set the language to {current}; it stays"
        )));
    }
    if task.language.as_deref() == Some(&code) {
        return Err(Refused::Redundant(format!("the language is already {code}")));
    }
    if args.confidence.as_deref() == Some("low") {
        return Err(Refused::Redundant("with low confidence the language is left open".into()));
    }
    Ok(code)
}
