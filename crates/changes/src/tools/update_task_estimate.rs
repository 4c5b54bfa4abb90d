//! `update_task_estimate`: proposes how long the task takes.

use dormouse_journal::Edit;
use dormouse_types::limits;
use dormouse_types::model::TaskState;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::tool::{Checked, EvidenceArg, ItemTool, ModelTool, Policy, Refused, Target, schema};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "the schema; arguments are read leniently")]
struct Args {
    /// Whole minutes, 1 to 1440.
    minutes: u32,
    evidence: Option<EvidenceArg>,
    /// Why, in a few words.
    rationale: Option<String>,
}

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool {
    name: "update_task_estimate",
    aliases: &["set_task_estimate"],
    description: "Propose an estimate of the work the task takes, in minutes.",
    policy: Policy::Deferred,
    schema: schema::<Args>,
    item: Some(&UpdateTaskEstimate),
};

/// The tool as a change item stores it.
pub struct UpdateTaskEstimate;

/// Formats minutes in words: `90` is `1 h 30 min`.
pub fn words(minutes: u32) -> String {
    match (minutes / 60, minutes % 60) {
        (0, minutes) => format!("{minutes} min"),
        (1, 0) => "1 hour".into(),
        (hours, 0) => format!("{hours} hours"),
        (hours, minutes) => format!("{hours} h {minutes} min"),
    }
}

/// Reads whole minutes from a number or numeric text; fractions are rounded.
fn minutes(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
    .map(f64::round)
}

impl ItemTool for UpdateTaskEstimate {
    fn name(&self) -> &'static str {
        "update_task_estimate"
    }

    fn check(&self, args: &Value, task: &TaskState) -> Result<Checked, Refused> {
        let max = limits::ESTIMATE.max;
        let given = &args["minutes"];
        let refused =
            || Refused::Invalid(format!("minutes is {given}; give a whole number from 1 to {max}"));
        let value = minutes(given).ok_or_else(refused)?;
        #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let whole = if (1.0..=f64::from(u32::MAX)).contains(&value) { value as u32 } else { 0 };
        if whole == 0 || usize::try_from(whole).is_ok_and(|whole| whole > max) {
            return Err(refused());
        }
        if task.estimate_minutes == Some(whole) {
            return Err(Refused::Redundant(format!("the estimate is already {}", words(whole))));
        }
        Ok(Checked { args: json!({ "minutes": whole }), edits: vec![Edit::Estimate(Some(whole))] })
    }

    fn target(&self, _args: &Value) -> Target {
        Target { key: "estimate".into(), single: true }
    }

    fn is_destructive(&self, _args: &Value) -> bool {
        false
    }

    fn summary(&self, args: &Value, _task: Option<&TaskState>) -> String {
        format!("Set time estimate to {}", self.proposed(args))
    }

    fn now(&self, _args: &Value, task: &TaskState) -> Option<String> {
        task.estimate_minutes.map(words)
    }

    fn proposed(&self, args: &Value) -> String {
        let whole = args["minutes"].as_u64().and_then(|minutes| u32::try_from(minutes).ok());
        whole.map_or_else(String::new, words)
    }
}
