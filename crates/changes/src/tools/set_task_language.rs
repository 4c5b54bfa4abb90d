//! `set_task_language`: sets the language immediately, unless the person has set one.

use dormouse_journal::Edit;
use dormouse_types::By;
use dormouse_types::model::StatedField;
use dormouse_types::task;
use dormouse_types::task::Field;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::tool::{CallContext, Effect, Immediate, ModelTool, Refused, Tool};

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool::immediate(&SetTaskLanguage);

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// ISO 639 code from the closed list, for example en, de, fr, es, ro.
    language_code: String,
    /// high, medium or low.
    #[serde(default)]
    confidence: Option<String>,
}

struct SetTaskLanguage;

impl Tool for SetTaskLanguage {
    type Args = Args;
    const NAME: &'static str = "set_task_language";
    const ALIASES: &'static [&'static str] = &["update_task_language"];
    const DESCRIPTION: &'static str =
        "Set the language the task is written in. Has no effect once the person set one.";
    const EXAMPLE: Option<&'static str> =
        Some("{\"languageCode\": \"en\", \"confidence\": \"high\"}");
}

impl Immediate for SetTaskLanguage {
    const APPLIED: &'static str = "Language set.";

    fn run(args: Args, context: &CallContext<'_>) -> Result<Effect, Refused> {
        let task = context.task;
        let code =
            task::language(&args.language_code).map_err(|e| Refused::Invalid(e.to_string()))?;
        let by_person = task
            .says
            .iter()
            .any(|say| say.field == StatedField::Field(Field::Language) && say.by == By::User);
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
        Ok(Effect::Edit(vec![Edit::Language { code: Some(code) }]))
    }
}
