//! `update_task_estimate`: proposes how long the task takes.

use dormouse_journal::Edit;
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::limits;
use dormouse_types::model::TaskState;
use dormouse_types::task::Field;
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::tool::{Checked, ModelTool, Proposal, Refused, Target, Tool, given};
use crate::words;

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool::proposal(&UpdateTaskEstimate);

#[derive(Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
struct Args {
    /// Whole minutes, 1 to 1440.
    #[schemars(with = "u32")]
    minutes: Minutes,
}

/// From a number or numeric text; fractions are rounded.
#[derive(Clone, Copy, Serialize)]
struct Minutes(u32);

impl<'de> Deserialize<'de> for Minutes {
    fn deserialize<D: Deserializer<'de>>(field: D) -> Result<Self, D::Error> {
        let given = given(field)?;
        let max = limits::ESTIMATE.max;
        whole(&given).filter(|minutes| (1..=max).contains(minutes)).map_or_else(
            || {
                Err(D::Error::custom(format!(
                    "minutes is {given}; give a whole number from 1 to {max}"
                )))
            },
            |minutes| Ok(Self(u32::try_from(minutes).unwrap_or(u32::MAX))),
        )
    }
}

fn whole(given: &serde_json::Value) -> Option<usize> {
    use serde_json::Value;
    let number: f64 = match given {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => text.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }?;
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    (0.0..=f64::from(u32::MAX)).contains(&number.round()).then(|| number.round() as usize)
}

struct UpdateTaskEstimate;

impl Tool for UpdateTaskEstimate {
    type Args = Args;
    const NAME: &'static str = "update_task_estimate";
    const ALIASES: &'static [&'static str] = &["set_task_estimate"];
    const DESCRIPTION: &'static str = "Propose an estimate of the work the task takes, in minutes.";
    const EXAMPLE: Option<&'static str> = None;
}

impl Proposal for UpdateTaskEstimate {
    fn check(args: Args, task: &TaskState) -> Result<Checked<Args>, Refused> {
        let Minutes(minutes) = args.minutes;
        if task.estimate_minutes == Some(minutes) {
            return Err(Refused::Redundant(format!(
                "the estimate is already {}",
                words::duration(minutes)
            )));
        }
        Ok(Checked { args, edits: vec![Edit::Estimate(Some(minutes))] })
    }

    fn target(_args: &Args) -> Target {
        Target::field(Field::Estimate)
    }

    fn summary(args: &Args, _task: Option<&TaskState>) -> String {
        format!("Set time estimate to {}", words::duration(args.minutes.0))
    }

    fn prompt_args(args: &Args, _task: &TaskState) -> String {
        format!("{} min", args.minutes.0)
    }

    fn change(args: &Args, task: Option<&TaskState>) -> Option<FieldChange> {
        let value = |minutes| FieldValue::Minutes { minutes };
        Some(FieldChange {
            field: FieldRef::Estimate,
            from: task.and_then(|task| task.estimate_minutes).map(value),
            to: Some(value(args.minutes.0)),
        })
    }
}
