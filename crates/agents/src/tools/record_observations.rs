//! `record_observations`: the agent's private notes.

use dormouse_changes::ModelTool;
use dormouse_changes::tool::{Policy, Refused, schema, typed};
use dormouse_types::limits;
use dormouse_types::model::ObservationPriority;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

#[derive(Deserialize, JsonSchema)]
struct Args {
    /// 1 to 10 notes.
    observations: Vec<Either>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Either {
    /// Text alone.
    Text(String),
    /// Text with its weight.
    Note(Note),
}

/// One note.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct Note {
    /// What is worth remembering.
    pub text: String,
    /// routine, notable or critical.
    #[serde(default)]
    pub priority: ObservationPriority,
}

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool {
    name: "record_observations",
    aliases: &["record_observation"],
    description: "Note privately what later wakes should know: patterns, moved dates, what the person prefers.",
    policy: Policy::Immediate,
    schema: schema::<Args>,
    item: None,
};

/// Validates arguments; each note needs text.
pub fn check(args: &Value) -> Result<Vec<Note>, Refused> {
    let args: Args =
        typed(args, "{\"observations\": [{\"text\": \"…\", \"priority\": \"routine\"}]}")?;
    limits::OBSERVATIONS_PER_WAKE
        .check(args.observations.len())
        .map_err(|beyond| Refused::Invalid(beyond.to_string()))?;
    args.observations
        .into_iter()
        .map(|either| match either {
            Either::Text(text) => Note { text, priority: ObservationPriority::Routine },
            Either::Note(note) => note,
        })
        .map(|note| {
            let text = note.text.trim().to_owned();
            if text.is_empty() {
                return Err(Refused::Invalid("an observation is empty; leave it out".into()));
            }
            limits::OBSERVATION
                .check(text.len())
                .map_err(|beyond| Refused::Invalid(beyond.to_string()))?;
            Ok(Note { text, priority: note.priority })
        })
        .collect()
}
