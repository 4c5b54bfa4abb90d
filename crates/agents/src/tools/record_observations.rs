//! `record_observations`: the agent's private notes.

use dormouse_changes::tool::{CallContext, Effect, Immediate, ModelTool, Refused, Tool};
use dormouse_types::closed_list::ClosedList;
use dormouse_types::limits;
use dormouse_types::model::{ObservationCategory, ObservationPriority};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};

/// The tool as a model calls it.
pub static TOOL: ModelTool = ModelTool::immediate(&RecordObservations);

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Args {
    /// 1 to 10 notes.
    observations: Vec<Either>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Either {
    /// Text alone.
    Text(String),
    /// Text with its weight and what it is about.
    Note(Note),
}

/// One note.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct Note {
    /// What is worth remembering.
    pub text: String,
    /// routine, notable or critical.
    #[serde(default, deserialize_with = "known_or_usual")]
    pub priority: ObservationPriority,
    /// What it is about: operational (the work), grievance (the person was not content with you),
    /// excellence (the person was pleased) or improvement (how you could work better).
    #[serde(default, deserialize_with = "known_or_usual")]
    pub category: ObservationCategory,
}

/// Reads a name of a closed list. One that is not on it counts as the usual: a note is worth more than its
/// mark.
fn known_or_usual<'de, D: Deserializer<'de>, T: ClosedList + Default>(
    deserializer: D,
) -> Result<T, D::Error> {
    let name = String::deserialize(deserializer)?;
    Ok(T::of_name(&name.to_lowercase()).unwrap_or_default())
}

/// The tool.
pub(crate) struct RecordObservations;

impl Tool for RecordObservations {
    type Args = Args;
    const NAME: &'static str = "record_observations";
    const ALIASES: &'static [&'static str] = &["record_observation"];
    const DESCRIPTION: &'static str = "Note privately what later wakes should know: patterns over several wakes (dates that move again, rising urgency, momentum or a standstill), what the person prefers.";
    const EXAMPLE: Option<&'static str> = Some(
        "{\"observations\": [{\"text\": \"…\", \"priority\": \"routine\", \"category\": \"operational\"}]}",
    );
}

impl Immediate for RecordObservations {
    fn run(args: Args, _context: &CallContext<'_>) -> Result<Effect, Refused> {
        let notes = args.notes()?;
        Ok(Effect::Recorded { reply: format!("{} noted.", notes.len()) })
    }
}

impl Args {
    /// Returns the notes; each needs text.
    pub(crate) fn notes(self) -> Result<Vec<Note>, Refused> {
        limits::OBSERVATIONS_PER_WAKE
            .check(self.observations.len())
            .map_err(|beyond| Refused::Invalid(beyond.to_string()))?;
        self.observations
            .into_iter()
            .map(|either| match either {
                Either::Text(text) => Note {
                    text,
                    priority: ObservationPriority::default(),
                    category: ObservationCategory::default(),
                },
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
                Ok(Note { text, ..note })
            })
            .collect()
    }
}
