//! Steps of agent work: what a run has to do, and what code checks of it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::closed_list;
use crate::limits::{self, Beyond};
use crate::task::Status;

/// A step that a run has to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct WorkStep {
    /// What is to be done, on one line.
    pub text: String,
    /// Whether the run may not end well without it.
    #[serde(default)]
    pub mandatory: bool,
    /// What code checks of the published result when the step is marked, and again at the end.
    #[serde(default)]
    pub check: Option<StepCheck>,
}

/// What code checks of the text that a run publishes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase", deny_unknown_fields)]
pub enum StepCheck {
    /// There is text.
    NotEmpty,
    /// It names every task of a query, by title or id.
    NamesTasks {
        /// Only tasks of this status.
        #[serde(default)]
        status: Option<Status>,
        /// Only tasks with all of these words in their title.
        #[serde(default)]
        words: String,
    },
    /// It has these headings.
    Headings {
        /// The headings, in any order.
        headings: Vec<String>,
    },
    /// Every address in it stood in something that the run read.
    Links,
    /// It is JSON that fits a schema.
    Schema {
        /// The schema: `type`, `properties`, `required`, `additionalProperties`, `items`, `enum` and limits
        /// of length, number and value.
        #[cfg_attr(feature = "openapi", schema(value_type = Object))]
        schema: Value,
    },
    /// It has at most so many words.
    Words {
        /// The most words.
        most: usize,
    },
}

closed_list! {
    /// How far a run has got with a step.
    pub enum StepState, "state of a step" {
        /// It is still to be done.
        Open = "open",
        /// It is done, and passed its check.
        Done = "done",
        /// Its check failed three times: the run waits for a review.
        Failed = "failed",
    }
}

/// A step of a run, with how far it has got.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkRunStep {
    /// Its number within the run, from 1.
    pub n: i64,
    /// What is to be done.
    pub step: WorkStep,
    /// How far the run has got with it.
    pub state: StepState,
    /// Whether the run added it itself.
    pub is_added: bool,
    /// How often its check failed.
    pub attempts: i64,
    /// What the run said about it or, after a failed check, what was wrong.
    pub note: Option<String>,
}

/// A step that no run can do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StepError {
    /// It has no text.
    #[error("step {n} has no text: write what is to be done, on one line")]
    Blank {
        /// Its number, from 1.
        n: usize,
    },
    /// A check that passes everything or nothing.
    #[error("the check of step {n} {why}")]
    Check {
        /// Its number, from 1.
        n: usize,
        /// What is wrong, and what to do.
        why: String,
    },
    /// Work that no language model does.
    #[error("work without a language model has no steps: leave them out, or name a model")]
    NoModel,
    /// Too many or too much.
    #[error(transparent)]
    Beyond(#[from] Beyond),
}

impl StepCheck {
    /// Says what is checked, for the run and for the person.
    pub fn describe(&self) -> String {
        match self {
            Self::NotEmpty => "the result is not empty".into(),
            Self::NamesTasks { status, words } => {
                let status = status.map(|status| format!(" of status {status}"));
                let words = Some(words).filter(|words| !words.trim().is_empty());
                let words = words.map(|words| format!(" with \"{}\" in the title", words.trim()));
                format!(
                    "the result names every task{}{}",
                    status.unwrap_or_default(),
                    words.unwrap_or_default()
                )
            }
            Self::Headings { headings } => {
                format!("the result has the headings: {}", headings.join(", "))
            }
            Self::Links => "every address in the result stood in something that was read".into(),
            Self::Schema { schema } => format!("the result is JSON that fits {schema}"),
            Self::Words { most } => format!("the result has at most {most} words"),
        }
    }
}

/// Checks the steps of a definition.
///
/// Errors: a step without text; a check that passes everything or nothing; too many.
pub fn check(steps: &[WorkStep]) -> Result<(), StepError> {
    limits::WORK_STEPS.check(steps.len())?;
    for (at, step) in steps.iter().enumerate() {
        let n = at + 1;
        if step.text.trim().is_empty() || step.text.contains('\n') {
            return Err(StepError::Blank { n });
        }
        limits::WORK_STEP.check(step.text.chars().count())?;
        let wrong = |why: &str| Err(StepError::Check { n, why: why.to_owned() });
        match &step.check {
            Some(StepCheck::Headings { headings })
                if headings.is_empty() || headings.iter().any(|one| one.trim().is_empty()) =>
            {
                return wrong("has an empty heading: name each heading");
            }
            Some(StepCheck::Words { most: 0 }) => {
                return wrong("allows no word: allow at least 1");
            }
            Some(StepCheck::Schema { schema }) => {
                limits::WORK_SCHEMA.check(schema.to_string().len())?;
                if let Err(why) = understood(schema) {
                    return Err(StepError::Check { n, why });
                }
            }
            _ => {}
        }
    }
    Ok(())
}

const TYPES: [&str; 7] = ["object", "array", "string", "number", "integer", "boolean", "null"];

/// Returns whether every part of a schema is one that is checked: one that is passed over would let
/// anything pass.
fn understood(schema: &Value) -> Result<(), String> {
    let Some(map) = schema.as_object() else {
        return Err(format!("has the schema {schema}: a schema is an object"));
    };
    for (name, value) in map {
        let fits = match name.as_str() {
            "type" => value.as_str().is_some_and(|name| TYPES.contains(&name)),
            "properties" => match value.as_object() {
                Some(properties) => {
                    properties.values().try_for_each(understood)?;
                    true
                }
                None => false,
            },
            "items" => understood(value).map(|()| true)?,
            "required" => {
                value.as_array().is_some_and(|names| names.iter().all(|name| name.is_string()))
            }
            "enum" => value.as_array().is_some_and(|values| !values.is_empty()),
            "additionalProperties" => value.is_boolean(),
            "minItems" | "maxItems" | "minLength" | "maxLength" => value.is_u64(),
            "minimum" | "maximum" => value.is_number(),
            "$schema" | "title" | "description" => true,
            _ => {
                return Err(format!(
                    "has a schema with `{name}`, which is not checked: use type, properties, required, \
                     additionalProperties, items, enum, minItems, maxItems, minLength, maxLength, minimum \
                     and maximum"
                ));
            }
        };
        if !fits {
            return Err(format!("has a schema whose `{name}` cannot be used: {value}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn with(check: Value) -> Result<(), String> {
        let step = json!({ "text": "Sum up", "check": check });
        let step: WorkStep = serde_json::from_value(step).map_err(|e| e.to_string())?;
        super::check(&[step]).map_err(|e| e.to_string())
    }

    #[test]
    fn a_check_that_would_pass_anything_is_refused() {
        assert_eq!(with(json!({ "type": "links" })), Ok(()));
        let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
        assert_eq!(with(json!({ "type": "schema", "schema": schema })), Ok(()));
        let refused = |check| with(check).expect_err("it is refused");
        let unknown = json!({ "type": "object", "properties": { "a": { "pattern": "x" } } });
        assert!(refused(json!({ "type": "schema", "schema": unknown })).contains("`pattern`"));
        assert!(refused(json!({ "type": "schema", "schema": true })).contains("is an object"));
        assert!(refused(json!({ "type": "headings", "headings": [] })).contains("empty heading"));
        assert!(refused(json!({ "type": "words", "most": 0 })).contains("at least 1"));
        assert!(refused(json!({ "type": "spelling" })).contains("unknown variant"));
    }

    #[test]
    fn a_step_says_what_is_to_be_done_on_one_line() {
        let step = |text: &str| WorkStep { text: text.into(), mandatory: true, check: None };
        assert_eq!(super::check(&[step("One"), step("Two")]), Ok(()));
        let blank = Err(StepError::Blank { n: 2 });
        assert_eq!(super::check(&[step("One"), step(" ")]), blank);
        assert_eq!(super::check(&[step("One"), step("a\nb")]), blank);
        let many = vec![step("One"); limits::WORK_STEPS.max + 1];
        assert!(matches!(super::check(&many), Err(StepError::Beyond(_))));
    }
}
