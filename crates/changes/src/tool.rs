//! What defines a tool: name, argument type, policy, validation, words, edits.
//!
//! A tool is one type. [`Tool`] gives its name and its argument type, from which both the schema that
//! a model is shown and the parsing come; [`Proposal`] or [`Immediate`] says what an accepted call
//! does. Two blanket impls erase the argument type, so that one registry holds all tools.

use dormouse_journal::Edit;
use dormouse_store::agent::change_item::Item;
use dormouse_types::field_change::FieldChange;
use dormouse_types::limits::Limit;
use dormouse_types::model::{StatedField, TaskState, ToolSpec};
use dormouse_types::search_words::WordQuery;
use dormouse_types::task::Field;
use dormouse_types::{AgentId, EntryId, Fingerprint, TaskId, hash};
use jiff::civil::Date;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value, json};

use crate::task_ref::{NamedTask, NotATask, TaskRef};

/// Agent work as a proposal names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedWork {
    /// Its title.
    pub title: String,
    /// The instructions of its run.
    pub instructions: String,
}

/// A tool with its argument type.
pub trait Tool: Sync + 'static {
    /// Arguments of one call; of a tool that takes a list, of one element.
    type Args: DeserializeOwned + JsonSchema;

    /// Name that the model calls.
    const NAME: &'static str;
    /// Other spellings that models use.
    const ALIASES: &'static [&'static str];
    /// Description that the model reads.
    const DESCRIPTION: &'static str;
    /// Arguments to show in a refusal, after what is wrong with those given. `None` if each field
    /// itself says what it accepts; then anything but an object counts as an object without fields.
    const EXAMPLE: Option<&'static str>;

    /// Reads the arguments of a call.
    ///
    /// Errors: what is wrong with them and what was expected, for the model to read.
    fn read(args: &Value) -> Result<Self::Args, Refused> {
        let Some(example) = Self::EXAMPLE else {
            let args = if args.is_object() { args.clone() } else { json!({}) };
            return serde_json::from_value(args).map_err(|e| Refused::Invalid(e.to_string()));
        };
        serde_json::from_value(recovered(args))
            .map_err(|e| Refused::Invalid(format!("{e}; expected {example}")))
    }
}

/// A tool whose accepted calls wait for the person, as change items of one mutation each.
pub trait Proposal: Tool<Args: Serialize> {
    /// Name stored in change items.
    const ITEM: &'static str = Self::NAME;
    /// The argument that holds a list, and its limit, if each element of a list becomes an item.
    const LIST: Option<(&'static str, Limit)> = None;

    /// Whether a run may call it several times, if it takes no list.
    const MAY_REPEAT: bool = false;
    /// Whether its arguments name another task as `to`.
    const NAMES_TASK: bool = false;
    /// Whether it may be proposed, and confirmed, about a task that is closed.
    const ABOUT_CLOSED: bool = false;
    /// Whether a rule of the person may confirm it; not what leaves the machine.
    const MAY_CONFIRM_BY_RULE: bool = true;

    /// Validates arguments against the present task. The same code runs when the model calls and
    /// when the person confirms.
    fn check(args: Self::Args, task: &TaskState) -> Result<Checked<Self::Args>, Refused>;

    /// Returns what the arguments target.
    fn target(args: &Self::Args) -> Target;

    /// Returns whether it removes something or costs something; then it is confirmed alone, never in bulk.
    fn is_destructive(_args: &Self::Args) -> bool {
        false
    }

    /// Validates arguments against another task that they name, as it is when the model calls.
    fn check_other(_args: &Self::Args, _other: &NamedTask) -> Result<(), Refused> {
        Ok(())
    }

    /// Returns the task that the arguments name.
    fn to(_args: &Self::Args) -> Option<TaskRef> {
        None
    }

    /// Returns the title of the task that a confirm creates.
    fn creates(_args: &Self::Args) -> Option<String> {
        None
    }

    /// Brings the day of what a confirm creates up to the day of the confirm.
    fn created_on(_args: &mut Self::Args, _today: Date) {}

    /// Returns the agent work that a confirm starts.
    fn starts(_args: &Self::Args) -> Option<WantedWork> {
        None
    }

    /// Returns the edit that a rejection makes, so that it is not proposed again.
    fn on_reject(_args: &Self::Args) -> Option<Edit> {
        None
    }

    /// Describes the change in one line, from arguments and titles only, never in the model's
    /// words.
    fn summary(args: &Self::Args, task: Option<&TaskState>) -> String;

    /// Describes the change to the person, who may read the title of another task that it names.
    fn display(
        args: &Self::Args,
        task: Option<&TaskState>,
        _change: Option<&FieldChange>,
    ) -> String {
        Self::summary(args, task)
    }

    /// Formats the arguments for the prompt's list of decisions.
    fn prompt_args(args: &Self::Args, task: &TaskState) -> String {
        Self::summary(args, Some(task))
    }

    /// Returns the change, seen from the present task. Without a task, no value before is known.
    fn change(args: &Self::Args, task: Option<&TaskState>) -> Option<FieldChange>;
}

/// A tool that takes effect without the person.
pub trait Immediate: Tool {
    /// What the model reads once [`Effect::Edit`] is applied. After a crash the journal's receipt
    /// answers in place of the tool, so the text cannot depend on the call.
    const APPLIED: &'static str = "Done.";

    /// Validates a call and returns its effect; writes nothing.
    fn run(args: Self::Args, context: &CallContext<'_>) -> Result<Effect, Refused>;
}

/// What an immediate tool sees.
#[derive(Debug, Clone, Copy)]
pub struct CallContext<'a> {
    /// The task as it is now.
    pub task: &'a TaskState,
    /// The agent that calls.
    pub agent: &'a AgentId,
    /// Items about the task, without those that the turn has withdrawn so far.
    pub items: &'a [Item],
}

/// What an accepted call of an immediate tool does.
#[derive(Debug, Clone)]
pub enum Effect {
    /// Nothing more: the call is recorded with the turn, and used when the run ends.
    Recorded {
        /// What the model reads.
        reply: String,
    },
    /// Withdraws open items, in the turn's commit.
    Withdraw {
        /// The items, each with its reason.
        retractions: Vec<Retraction>,
        /// What the model reads.
        reply: String,
    },
    /// Edits the journal, after the turn's commit.
    Edit(Vec<Edit>),
    /// Searches what the agent's memory folded away, before the turn's commit; what is found is what
    /// the model reads.
    Search {
        /// The words.
        query: WordQuery,
        /// The most results.
        limit: usize,
    },
}

/// An open item that its agent withdraws.
#[derive(Debug, Clone)]
pub struct Retraction {
    /// The item to withdraw.
    pub item: Item,
    /// Why, shown to the person.
    pub reason: String,
}

/// What happens to an accepted call.
#[derive(Clone, Copy)]
pub enum Policy {
    /// It takes effect immediately.
    Immediate(&'static dyn ImmediateTool),
    /// It becomes one change item; a run calls it once.
    Deferred(&'static dyn ItemTool),
    /// Each element of a list becomes one change item.
    Exploded {
        /// Tool of the resulting items.
        item: &'static dyn ItemTool,
        /// Argument that holds the list.
        list: &'static str,
        /// Most elements in one call.
        max: Limit,
    },
}

/// A tool as a model calls it. A room whose calls mean something else than those of this one has a
/// policy `P` of its own; name, argument type, schema and parsing are the same for all.
pub struct ModelTool<P = Policy> {
    /// Name that the model calls.
    pub name: &'static str,
    /// Other spellings that models use.
    pub aliases: &'static [&'static str],
    /// Description that the model reads.
    pub description: &'static str,
    /// What happens to an accepted call.
    pub policy: P,
    /// Derives the JSON Schema of the arguments.
    pub schema: fn() -> Value,
}

impl ModelTool {
    /// Registers a tool that proposes.
    pub const fn proposal<T: Proposal>(tool: &'static T) -> Self {
        let policy = match T::LIST {
            None => Policy::Deferred(tool),
            Some((list, max)) => Policy::Exploded { item: tool, list, max },
        };
        Self::with_schema::<T>(policy, proposal_schema::<T>)
    }

    /// Registers a tool that takes effect without the person.
    pub const fn immediate<T: Immediate>(tool: &'static T) -> Self {
        Self::new::<T>(Policy::Immediate(tool))
    }

    /// Returns the tool of the change items that a call becomes; `None` for an immediate tool.
    pub fn item(&self) -> Option<&'static dyn ItemTool> {
        match self.policy {
            Policy::Immediate(_) => None,
            Policy::Deferred(item) | Policy::Exploded { item, .. } => Some(item),
        }
    }

    /// Returns whether its arguments name another task.
    pub fn names_task(&self) -> bool {
        self.item().is_some_and(|item| item.names_task())
    }
}

impl<P> ModelTool<P> {
    /// Registers a tool under a policy; its schema is that of its argument type.
    pub const fn new<T: Tool>(policy: P) -> Self {
        Self::with_schema::<T>(policy, schema::<T::Args>)
    }

    const fn with_schema<T: Tool>(policy: P, schema: fn() -> Value) -> Self {
        let (name, aliases, description) = (T::NAME, T::ALIASES, T::DESCRIPTION);
        Self { name, aliases, description, policy, schema }
    }

    /// Returns the tool as a model is shown it.
    pub fn spec(&self) -> ToolSpec {
        ToolSpec {
            name: self.name.into(),
            description: self.description.into(),
            parameters: (self.schema)(),
        }
    }

    /// Returns whether the model calls this tool by a name: its own or an alias.
    pub fn answers_to(&self, name: &str) -> bool {
        let name = name.trim();
        self.name == name || self.aliases.contains(&name)
    }
}

/// A [`Proposal`] whose argument type is erased: the tool of a stored change item.
///
/// Stored arguments were accepted by [`ItemTool::check`]. If they can no longer be read, the item
/// has no target and no words, and counts as destructive, so that it is never confirmed in bulk.
pub trait ItemTool: Sync {
    /// Name stored in change items.
    fn name(&self) -> &'static str;
    /// See [`Proposal::MAY_REPEAT`].
    fn may_repeat(&self) -> bool;
    /// See [`Proposal::NAMES_TASK`].
    fn names_task(&self) -> bool;
    /// See [`Proposal::ABOUT_CLOSED`].
    fn about_closed(&self) -> bool;
    /// See [`Proposal::MAY_CONFIRM_BY_RULE`].
    fn may_confirm_by_rule(&self) -> bool;
    /// See [`Proposal::check`].
    fn check(&self, args: &Value, task: &TaskState) -> Result<Checked<Value>, Refused>;
    /// See [`Proposal::target`].
    fn target(&self, args: &Value) -> Target;
    /// See [`Proposal::is_destructive`].
    fn is_destructive(&self, args: &Value) -> bool;
    /// See [`Proposal::check_other`].
    fn check_other(&self, args: &Value, other: &NamedTask) -> Result<(), Refused>;
    /// See [`Proposal::to`].
    fn to(&self, args: &Value) -> Option<TaskRef>;
    /// See [`Proposal::creates`].
    fn creates(&self, args: &Value) -> Option<String>;
    /// See [`Proposal::created_on`].
    fn created_on(&self, args: &Value, today: Date) -> Value;
    /// See [`Proposal::starts`].
    fn starts(&self, args: &Value) -> Option<WantedWork>;
    /// See [`Proposal::on_reject`].
    fn on_reject(&self, args: &Value) -> Option<Edit>;
    /// See [`Proposal::summary`].
    fn summary(&self, args: &Value, task: Option<&TaskState>) -> String;
    /// See [`Proposal::display`].
    fn display(
        &self,
        args: &Value,
        task: Option<&TaskState>,
        change: Option<&FieldChange>,
    ) -> String;
    /// See [`Proposal::prompt_args`].
    fn prompt_args(&self, args: &Value, task: &TaskState) -> String;
    /// See [`Proposal::change`].
    fn change(&self, args: &Value, task: Option<&TaskState>) -> Option<FieldChange>;
}

impl<T: Proposal> ItemTool for T {
    fn name(&self) -> &'static str {
        T::ITEM
    }

    fn may_repeat(&self) -> bool {
        T::MAY_REPEAT
    }

    fn names_task(&self) -> bool {
        T::NAMES_TASK
    }

    fn about_closed(&self) -> bool {
        T::ABOUT_CLOSED
    }

    fn may_confirm_by_rule(&self) -> bool {
        T::MAY_CONFIRM_BY_RULE
    }

    fn check_other(&self, args: &Value, other: &NamedTask) -> Result<(), Refused> {
        let args = T::read(args).map_err(naming_support)?;
        <T as Proposal>::check_other(&args, other)
    }

    fn to(&self, args: &Value) -> Option<TaskRef> {
        T::read(args).ok().and_then(|args| <T as Proposal>::to(&args))
    }

    fn creates(&self, args: &Value) -> Option<String> {
        T::read(args).ok().and_then(|args| <T as Proposal>::creates(&args))
    }

    fn created_on(&self, args: &Value, today: Date) -> Value {
        let dated = T::read(args).ok().and_then(|mut dated| {
            <T as Proposal>::created_on(&mut dated, today);
            serde_json::to_value(dated).ok()
        });
        dated.unwrap_or_else(|| args.clone())
    }

    fn display(
        &self,
        args: &Value,
        task: Option<&TaskState>,
        change: Option<&FieldChange>,
    ) -> String {
        T::read(args).map_or_else(
            |_| T::ITEM.to_owned(),
            |args| <T as Proposal>::display(&args, task, change),
        )
    }

    fn check(&self, args: &Value, task: &TaskState) -> Result<Checked<Value>, Refused> {
        let args = T::read(args).map_err(naming_support)?;
        let Checked { args, edits } = <T as Proposal>::check(args, task)?;
        Ok(Checked { args: serde_json::to_value(args).expect("arguments are plain JSON"), edits })
    }

    fn target(&self, args: &Value) -> Target {
        T::read(args).map(|args| <T as Proposal>::target(&args)).unwrap_or_default()
    }

    fn is_destructive(&self, args: &Value) -> bool {
        T::read(args).map_or(true, |args| <T as Proposal>::is_destructive(&args))
    }

    fn starts(&self, args: &Value) -> Option<WantedWork> {
        T::read(args).ok().and_then(|args| <T as Proposal>::starts(&args))
    }

    fn on_reject(&self, args: &Value) -> Option<Edit> {
        T::read(args).ok().and_then(|args| <T as Proposal>::on_reject(&args))
    }

    fn summary(&self, args: &Value, task: Option<&TaskState>) -> String {
        T::read(args)
            .map_or_else(|_| T::ITEM.to_owned(), |args| <T as Proposal>::summary(&args, task))
    }

    fn prompt_args(&self, args: &Value, task: &TaskState) -> String {
        T::read(args).map(|args| <T as Proposal>::prompt_args(&args, task)).unwrap_or_default()
    }

    fn change(&self, args: &Value, task: Option<&TaskState>) -> Option<FieldChange> {
        T::read(args).ok().and_then(|args| <T as Proposal>::change(&args, task))
    }
}

/// An [`Immediate`] tool whose argument type is erased.
pub trait ImmediateTool: Sync {
    /// See [`Immediate::APPLIED`].
    fn applied(&self) -> &'static str;
    /// See [`Immediate::run`].
    fn run(&self, args: &Value, context: &CallContext<'_>) -> Result<Effect, Refused>;
}

impl<T: Immediate> ImmediateTool for T {
    fn applied(&self) -> &'static str {
        T::APPLIED
    }

    fn run(&self, args: &Value, context: &CallContext<'_>) -> Result<Effect, Refused> {
        <T as Immediate>::run(T::read(args)?, context)
    }
}

/// Arguments that are valid and would change something.
#[derive(Debug, Clone, PartialEq)]
pub struct Checked<A> {
    /// Arguments in canonical form.
    pub args: A,
    /// Edits to make in the journal.
    pub edits: Vec<Edit>,
}

/// What a call is about.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Target {
    /// The part of the task.
    pub part: TargetKey,
    /// Whether a rejection blocks the whole target, not only these arguments.
    pub single: bool,
}

/// What a call is about, as the model named it, before the task is read: ids are unchecked, titles are
/// [`folded`]. Its text is a part of the identity of a proposal. What a change affects, by checked ids, is a
/// [`FieldRef`](dormouse_types::field_change::FieldRef).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum TargetKey {
    /// Nothing, because the arguments cannot be read.
    #[default]
    Unknown,
    /// A field.
    Field(Field),
    /// A checklist item.
    Item(String),
    /// A checklist item that moves to another task.
    Move(String),
    /// A new checklist item with this title.
    New(String),
    /// A label.
    Label(String),
    /// A link to this task.
    Link(String),
    /// A copy of the task for this day; empty if it has none.
    Copy(String),
    /// A new task with this title.
    FollowUp(String),
    /// Agent work with this title.
    Work(String),
}

/// The name of the target: a part of the identity of a proposal, and what a model reads about it.
impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.part {
            TargetKey::Unknown => Ok(()),
            TargetKey::Field(field) => f.write_str(field.name()),
            TargetKey::Item(id) => write!(f, "item:{id}"),
            TargetKey::Move(id) => write!(f, "move:{id}"),
            TargetKey::New(title) => write!(f, "new:{title}"),
            TargetKey::Label(id) => write!(f, "label:{id}"),
            TargetKey::Link(to) => write!(f, "link:{to}"),
            TargetKey::Copy(day) => write!(f, "copy:{day}"),
            TargetKey::FollowUp(title) => write!(f, "followUp:{title}"),
            TargetKey::Work(title) => write!(f, "work:{title}"),
        }
    }
}

impl Target {
    /// A single-valued field of the task.
    pub fn field(field: Field) -> Self {
        Self { part: TargetKey::Field(field), single: true }
    }

    /// Returns whether this is a single-valued field of the task, for which only one proposal is
    /// open.
    pub fn is_field(&self) -> bool {
        matches!(self.part, TargetKey::Field(_))
    }

    /// Returns whether this is a checklist item that stays in its task.
    pub fn is_item(&self) -> bool {
        matches!(self.part, TargetKey::Item(_))
    }

    /// Returns what the journal records an author of, if it does.
    pub fn stated_field(&self) -> Option<StatedField> {
        match &self.part {
            TargetKey::Field(field) => Some((*field).into()),
            TargetKey::Item(id) => id.parse().ok().map(StatedField::Tick),
            TargetKey::Unknown
            | TargetKey::Move(_)
            | TargetKey::New(_)
            | TargetKey::Label(_)
            | TargetKey::Link(_)
            | TargetKey::Copy(_)
            | TargetKey::FollowUp(_)
            | TargetKey::Work(_) => None,
        }
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

impl From<NotATask> for Refused {
    fn from(error: NotATask) -> Self {
        Self::Invalid(error.0)
    }
}

impl Refused {
    /// Returns the text that the model reads.
    pub fn text(&self) -> &str {
        match self {
            Self::Invalid(text) | Self::Redundant(text) => text,
        }
    }
}

/// What a model may add to any proposal. It is taken off before the arguments are read.
#[derive(Deserialize, JsonSchema)]
pub(crate) struct Support {
    #[serde(default)]
    #[schemars(!default)]
    pub(crate) evidence: Option<EvidenceArg>,
    /// Why, in a few words.
    #[serde(default, deserialize_with = "text")]
    #[schemars(!default)]
    pub(crate) rationale: Option<String>,
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

/// Adds the fields of [`Support`] to a refusal of an unknown field: the arguments are read without
/// them, but a model may send them.
fn naming_support(refused: Refused) -> Refused {
    let Refused::Invalid(text) = &refused else { return refused };
    let parts = text.strip_prefix("unknown field ").and_then(|rest| {
        let (rest, example) = rest.rsplit_once("; expected ")?;
        let (field, known) = rest.rsplit_once(", expected ")?;
        Some((field, known.trim_start_matches("one of ").replace(" or ", ", "), example))
    });
    let Some((field, known, example)) = parts else { return refused };
    Refused::Invalid(format!(
        "unknown field {field}, expected one of {known}, `evidence`, `rationale`; expected {example}"
    ))
}

/// Reads a field of any JSON type, for a rule of its own; a field that is left out reads as `null`.
pub(crate) fn given<'de, D: Deserializer<'de>>(field: D) -> Result<Value, D::Error> {
    // Only an optional field may be missing in the eyes of serde.
    Ok(Option::<Value>::deserialize(field)?.unwrap_or_default())
}

/// Reads a field as text; anything else counts as left out.
pub(crate) fn text<'de, D: Deserializer<'de>>(field: D) -> Result<Option<String>, D::Error> {
    Ok(match given(field)? {
        Value::String(text) => Some(text),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            None
        }
    })
}

/// Reads a day as `2026-03-15`: no time, no other spelling.
pub(crate) fn strict_day(text: &str) -> Option<Date> {
    // `Date` refuses days that do not exist, but reads other spellings too.
    let shape = text.len() == 10
        && text.bytes().enumerate().all(|(n, byte)| match n {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    shape.then(|| text.parse().ok()).flatten()
}

/// Derives the identity of a proposed action: the person is shown it, and a verdict names it.
///
/// Source: SHA-256 of the canonical JSON of tool, arguments, task and the name of the target; stored facts only.
pub fn fingerprint(tool: &str, args: &Value, task: &TaskId, target: &str) -> Fingerprint {
    let text = hash::canonical(&(tool, args, task, [target])).expect("arguments are plain JSON");
    Fingerprint(hash::sha256(text).0)
}

/// Normalizes a title for comparison: white space, case and final punctuation do not matter.
pub fn folded(title: &str) -> String {
    let words: Vec<String> = title.split_whitespace().map(str::to_lowercase).collect();
    words.join(" ").trim_end_matches(['.', ';', ',']).to_owned()
}

/// Returns the JSON Schema of an argument type, without the parts a model does not need.
fn schema<A: JsonSchema>() -> Value {
    let mut schema = schemars::schema_for!(A).to_value();
    if let Some(map) = schema.as_object_mut() {
        map.remove("$schema");
        map.remove("title");
    }
    schema
}

/// Returns the JSON Schema of a call that proposes: the arguments with [`Support`], in a list if the
/// tool takes one.
fn proposal_schema<T: Proposal>() -> Value {
    let mut args = schema::<T::Args>();
    let mut support = schema::<Support>();
    let mut defs = take(&mut args, "$defs");
    defs.extend(take(&mut support, "$defs"));
    for (name, mut field) in take(&mut support, "properties") {
        if T::EXAMPLE.is_some() {
            field["default"] = Value::Null;
        }
        args["properties"][name] = field;
    }
    if let Some((list, max)) = T::LIST {
        defs.insert("Element".into(), args);
        let about = format!("1 to {} {list}.", max.max);
        let elements = json!({
            "description": about, "type": "array", "items": { "$ref": "#/$defs/Element" },
        });
        args = json!({
            "type": "object",
            "properties": { list: elements },
            "required": [list],
            "additionalProperties": false,
        });
    }
    args["$defs"] = Value::Object(defs);
    args
}

fn take(schema: &mut Value, key: &str) -> Map<String, Value> {
    match schema.as_object_mut().and_then(|map| map.remove(key)) {
        Some(Value::Object(map)) => map,
        Some(_) | None => Map::new(),
    }
}
