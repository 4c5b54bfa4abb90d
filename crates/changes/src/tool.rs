//! What defines a tool: name, schema, policy, validation, summary, edits.

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
    /// It takes effect immediately.
    Immediate,
    /// It becomes one change item.
    Deferred,
    /// Each element of a list becomes one change item.
    Exploded {
        /// Argument that holds the list.
        list: &'static str,
        /// Most elements in one call.
        max: Limit,
    },
}

/// A tool as a model calls it.
pub struct ModelTool {
    /// Name that the model calls.
    pub name: &'static str,
    /// Other spellings that models use.
    pub aliases: &'static [&'static str],
    /// Description that the model reads.
    pub description: &'static str,
    /// What happens to an accepted call.
    pub policy: Policy,
    /// Derives the JSON Schema of the arguments.
    pub schema: fn() -> Value,
    /// Tool of the resulting change items; `None` for an immediate tool.
    pub item: Option<&'static dyn ItemTool>,
}

/// A tool as a change item stores it: one mutation.
pub trait ItemTool: Sync {
    /// Name stored in change items.
    fn name(&self) -> &'static str;

    /// Validates arguments against the present task. The same code runs when the model calls and
    /// when the person confirms.
    fn check(&self, args: &Value, task: &TaskState) -> Result<Checked, Refused>;

    /// Returns what the arguments target; empty for arguments that were never checked.
    fn target(&self, args: &Value) -> Target;

    /// Returns whether it removes something; then it is confirmed alone, never in bulk.
    fn is_destructive(&self, args: &Value) -> bool;

    /// Describes the change in one line, from arguments and titles only, never in the model's
    /// words.
    fn summary(&self, args: &Value, task: Option<&TaskState>) -> String;

    /// Returns the task's present value in words, or `None` if there is no value.
    fn now(&self, args: &Value, task: &TaskState) -> Option<String>;

    /// Returns the proposed value in words.
    fn proposed(&self, args: &Value) -> String;
}

/// Arguments that are valid and would change something.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked {
    /// Arguments in canonical form.
    pub args: Value,
    /// Edits to make in the journal.
    pub edits: Vec<Edit>,
}

/// What a proposal targets.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Target {
    /// `dueDate`, `item:<id>`, `label:<id>`, `new:<folded title>`. For fields whose author the
    /// journal records, this is the name under which it records them.
    pub key: String,
    /// Whether a rejection blocks the whole target, not only these arguments.
    pub single: bool,
}

impl Target {
    /// Returns whether this is a single-valued field of the task, for which only one proposal is
    /// open.
    pub fn is_field(&self) -> bool {
        !self.key.contains(':') && !self.key.is_empty()
    }
}

/// Why a call is refused; the model reads it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The arguments are invalid; the text says what is allowed.
    #[error("{0}")]
    Invalid(String),
    /// The call would change nothing; the text gives the present value.
    #[error("{0}")]
    Redundant(String),
}

impl Refused {
    /// Returns the text that the model reads.
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

/// Evidence whose quote was found in its entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Evidence {
    /// Entry that contains the quote.
    pub entry_id: EntryId,
    /// Verbatim words of the entry.
    pub quote: String,
}

/// Unwraps arguments that a model put in a code fence or a second layer of JSON.
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

/// Deserializes arguments; the error says what is wrong and what was expected.
pub fn typed<T: for<'de> Deserialize<'de>>(args: &Value, expected: &str) -> Result<T, Refused> {
    serde_json::from_value(recovered(args))
        .map_err(|e| Refused::Invalid(format!("{e}; expected {expected}")))
}

/// Derives the identity of a proposed action: the person is shown it, and a verdict names it.
///
/// Source: SHA-256 of the canonical JSON of tool, arguments, task and targets; stored facts only.
pub fn fingerprint(tool: &str, args: &Value, task: &TaskId, target: &Target) -> Fingerprint {
    let text =
        hash::canonical(&(tool, args, task, [&target.key])).expect("arguments are plain JSON");
    Fingerprint(hash::sha256(text).0)
}

/// Normalizes a title for comparison: white space, case and final punctuation do not matter.
pub fn folded(title: &str) -> String {
    let words: Vec<String> = title.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ").trim_end_matches(['.', ';', ',']).to_owned()
}

/// Returns the JSON Schema of an argument type, without the parts a model does not need.
pub fn schema<T: JsonSchema>() -> Value {
    let mut schema = schemars::schema_for!(T).to_value();
    if let Some(map) = schema.as_object_mut() {
        map.remove("$schema");
        map.remove("title");
    }
    schema
}
