//! What a tool answers: name, schema, policy, validation, summary, edits.

use dormouse_journal::Edit;
use dormouse_types::limits::Limit;
use dormouse_types::model::TaskState;
use dormouse_types::{EntryId, Fingerprint, TaskId, hash};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What happens to an accepted call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// It takes effect at once.
    Immediate,
    /// It becomes one change item.
    Deferred,
    /// Each element of a list becomes a change item.
    Exploded {
        /// The argument that holds the list.
        list: &'static str,
        /// How many elements a call may hold.
        max: Limit,
    },
}

/// A tool as a model calls it.
pub struct ModelTool {
    /// Its name.
    pub name: &'static str,
    /// Other spellings that models use.
    pub aliases: &'static [&'static str],
    /// What it does, for the model.
    pub description: &'static str,
    /// What happens to an accepted call.
    pub policy: Policy,
    /// JSON Schema of its arguments.
    pub schema: fn() -> Value,
    /// The tool of the change items it becomes; none for an immediate one.
    pub item: Option<&'static dyn ItemTool>,
}

/// A tool as a change item stores it: one mutation.
pub trait ItemTool: Sync {
    /// Its name in change items.
    fn name(&self) -> &'static str;

    /// Validates arguments against the task as it is now. The same code runs when the model calls
    /// and when the person confirms.
    fn check(&self, args: &Value, task: &TaskState) -> Result<Checked, Refused>;

    /// What the arguments aim at; empty for arguments that were never checked.
    fn target(&self, args: &Value) -> Target;

    /// Whether it takes something away: then it is confirmed by itself, never among many.
    fn is_destructive(&self, args: &Value) -> bool;

    /// One line for a person: a function of arguments and titles, never of the model's words.
    fn summary(&self, args: &Value, task: Option<&TaskState>) -> String;

    /// The value the task has now, in words; none when there is none.
    fn now(&self, args: &Value, task: &TaskState) -> Option<String>;

    /// The value it proposes, in words.
    fn proposed(&self, args: &Value) -> String;
}

/// Arguments that are valid and change something.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// The arguments in their one spelling.
    pub args: Value,
    /// What to do to the journal.
    pub edits: Vec<Edit>,
}

/// What a proposal aims at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Target {
    /// `dueDate`, `item:<id>`, `label:<id>`, `new:<folded title>`; the same spelling as the field
    /// of a person's say where there is one.
    pub key: String,
    /// Whether a rejection blocks the whole target and not only these arguments.
    pub single: bool,
}

impl Target {
    /// Whether it is a field of the task that holds one value: only one proposal for it is open.
    pub fn is_field(&self) -> bool {
        !self.key.contains(':') && !self.key.is_empty()
    }
}

/// Why a call is not taken; the model reads it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The arguments are wrong; it says what is allowed.
    #[error("{0}")]
    Invalid(String),
    /// It would change nothing; it says what holds now.
    #[error("{0}")]
    Redundant(String),
}

impl Refused {
    /// What the model reads.
    pub fn text(&self) -> &str {
        match self {
            Self::Invalid(text) | Self::Redundant(text) => text,
        }
    }
}

/// Where the text says so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EvidenceArg {
    /// Id of the entry.
    pub entry_id: String,
    /// Verbatim words of that entry, at most 200 characters.
    pub quote: String,
}

/// Checked evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// The entry.
    pub entry_id: EntryId,
    /// Verbatim.
    pub quote: String,
}

/// Reads arguments that a model wrapped in a code fence or a second layer of JSON.
pub fn recovered(args: &Value) -> Value {
    let Value::String(text) = args else { return args.clone() };
    let text = text.trim();
    let inner = text
        .strip_prefix("```json")
        .or_else(|| text.strip_prefix("```"))
        .and_then(|text| text.strip_suffix("```"))
        .unwrap_or(text);
    serde_json::from_str(inner.trim()).unwrap_or_else(|_| args.clone())
}

/// Reads typed arguments; the message says what is wrong and what was expected.
pub fn typed<T: for<'de> Deserialize<'de>>(args: &Value, expected: &str) -> Result<T, Refused> {
    serde_json::from_value(recovered(args))
        .map_err(|e| Refused::Invalid(format!("{e}; expected {expected}")))
}

/// The identity of a proposed action: what the person is shown and what a verdict names.
///
/// Source: SHA-256 of canonical JSON of tool, arguments, task and targets; stored facts only.
pub fn fingerprint(tool: &str, args: &Value, task: &TaskId, target: &Target) -> Fingerprint {
    let text =
        hash::canonical(&(tool, args, task, [&target.key])).expect("arguments are plain JSON");
    Fingerprint(hash::sha256(text).0)
}

/// Folds a title for comparison: white space, case and a final full stop do not matter.
pub fn folded(title: &str) -> String {
    let words: Vec<String> = title.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ").trim_end_matches(['.', ';', ',']).to_owned()
}

/// The JSON Schema of an argument type, without the parts a model does not need.
pub fn schema<T: JsonSchema>() -> Value {
    let mut schema = schemars::schema_for!(T).to_value();
    if let Some(map) = schema.as_object_mut() {
        map.remove("$schema");
        map.remove("title");
    }
    schema
}
