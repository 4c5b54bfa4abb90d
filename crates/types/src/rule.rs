//! Rules of the person about what agents propose: whose proposals they are about, what they do, and
//! the closed list of conditions under which they do it.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use jiff::civil::Weekday;
use serde::{Deserialize, Serialize};

use crate::closed_list;
use crate::field_change::{FieldChange, FieldRef, FieldValue};
use crate::fold::folded;
use crate::id::{AgentId, Id as _, LabelId, TaskId, TemplateId, TemplateVersionId, WorkId};
use crate::task::{Priority, Status};

closed_list! {
    /// What an agent may do with a tool that proposes.
    pub enum ToolPolicy, "policy of a tool" {
        /// A call is refused.
        Forbid = "forbid",
        /// What it proposes waits for the person.
        Ask = "ask",
        /// What it proposes is applied by itself, where that is allowed.
        Auto = "auto",
    }
}

closed_list! {
    /// What a rule does.
    pub enum RuleEffect, "effect of a rule" {
        /// A call of the tool is refused.
        Forbid = "forbid",
        /// A proposal that fits is not opened.
        HoldBack = "holdBack",
        /// A proposal that fits is confirmed by the rule.
        Apply = "apply",
    }
}

closed_list! {
    /// What a change of a checklist item does: the field of a condition.
    pub enum ItemPart, "part of an item" {
        /// Ticks it.
        Tick = "tick",
        /// Unticks it.
        Untick = "untick",
        /// Gives it another title.
        Rename = "rename",
        /// Archives it.
        Archive = "archive",
        /// Brings it back.
        BringBack = "bringBack",
    }
}

closed_list! {
    /// A class of values: which value is proposed, or how it compares with the one before.
    pub enum ValueClass, "class of values" {
        /// Priority P0.
        P0 = "P0",
        /// Priority P1.
        P1 = "P1",
        /// Priority P2.
        P2 = "P2",
        /// Priority P3.
        P3 = "P3",
        /// Status OPEN.
        Open = "OPEN",
        /// Status GROOMED.
        Groomed = "GROOMED",
        /// Status IN PROGRESS.
        InProgress = "IN PROGRESS",
        /// Status BLOCKED.
        Blocked = "BLOCKED",
        /// Status ON HOLD.
        OnHold = "ON HOLD",
        /// There was no value before.
        First = "first",
        /// There was another value before.
        Another = "another",
        /// An earlier day than before.
        Earlier = "earlier",
        /// A later day than before.
        Later = "later",
        /// A Saturday or a Sunday.
        Weekend = "weekend",
        /// Fewer minutes than before.
        Less = "less",
        /// More minutes than before.
        More = "more",
    }
}

/// When a rule about a tool holds. A rule without one holds for all proposals of its tool.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = RuleCondition))]
#[serde(tag = "type", rename_all = "camelCase", deny_unknown_fields)]
pub enum Condition {
    /// The proposal does this to an item.
    Field {
        /// What it does.
        part: ItemPart,
    },
    /// The proposed value is of this class.
    Value {
        /// The class.
        class: ValueClass,
    },
    /// The proposal is about this label.
    Label {
        /// The label.
        label: LabelId,
    },
    /// The title of a new item or task has all of these words.
    Words {
        /// The words; case and accents make no difference.
        words: Vec<String>,
    },
}

/// The most words of a condition.
pub const MOST_WORDS: usize = 8;

/// The shortest word that a condition is proposed for. Units: characters.
const SHORTEST_WORD: usize = 4;

impl Condition {
    /// Brings the words of a condition into the form in which they are compared.
    ///
    /// Errors: it has no word, or too many.
    pub fn checked(self) -> Result<Self, String> {
        let Self::Words { words } = self else { return Ok(self) };
        let words: BTreeSet<String> = words.iter().flat_map(|text| words_of(text)).collect();
        if words.is_empty() || words.len() > MOST_WORDS {
            return Err(format!("words: give 1 to {MOST_WORDS} words of the title of a new item"));
        }
        Ok(Self::Words { words: words.into_iter().collect() })
    }

    /// Returns whether it holds for a change.
    pub fn holds(&self, change: &FieldChange) -> bool {
        match self {
            Self::Words { words } => {
                let title: BTreeSet<String> =
                    words_of(new_title(change).unwrap_or_default()).collect();
                !words.is_empty() && words.iter().all(|word| title.contains(word))
            }
            Self::Field { .. } | Self::Value { .. } | Self::Label { .. } => {
                typed(change).contains(self)
            }
        }
    }

    /// Its name among the rules of one tool: two conditions with the same name are the same.
    pub fn key(&self) -> String {
        match self {
            Self::Field { part } => format!("field:{part}"),
            Self::Value { class } => format!("value:{class}"),
            Self::Label { label } => format!("label:{label}"),
            Self::Words { words } => format!("words:{}", words.join(" ")),
        }
    }
}

impl FromStr for Condition {
    type Err = String;

    /// Reads the name of a condition, as [`Condition::key`] gives it.
    fn from_str(text: &str) -> Result<Self, String> {
        let (kind, rest) = text.split_once(':').unwrap_or((text, ""));
        let error = |e: crate::closed_list::NotListed| e.to_string();
        match kind {
            "field" => Ok(Self::Field { part: rest.parse().map_err(error)? }),
            "value" => Ok(Self::Value { class: rest.parse().map_err(error)? }),
            "label" => Ok(Self::Label {
                label: rest.parse().map_err(|e: crate::id::IdError| e.to_string())?,
            }),
            "words" => Self::Words { words: vec![rest.to_owned()] }.checked(),
            _ => Err("write field:…, value:…, label:… or words:…".to_owned()),
        }
    }
}

/// The conditions that hold for a change, each of one word where words count: what a rule about it
/// could rest on.
pub fn conditions_of(change: &FieldChange) -> Vec<Condition> {
    let mut all = typed(change);
    let words: BTreeSet<String> = words_of(new_title(change).unwrap_or_default())
        .filter(|word| word.chars().count() >= SHORTEST_WORD)
        .collect();
    all.extend(words.into_iter().map(|word| Condition::Words { words: vec![word] }));
    all
}

fn typed(change: &FieldChange) -> Vec<Condition> {
    let FieldChange { field, from, to } = change;
    match field {
        FieldRef::Label { id } => vec![Condition::Label { label: id.clone() }],
        FieldRef::Item { id: Some(_) } => parts(from.as_ref(), to.as_ref()),
        _ => classes(from.as_ref(), to.as_ref())
            .into_iter()
            .map(|class| Condition::Value { class })
            .collect(),
    }
}

fn parts(from: Option<&FieldValue>, to: Option<&FieldValue>) -> Vec<Condition> {
    let (
        Some(FieldValue::Item { title: old, is_checked: was_checked, is_archived: was_archived }),
        Some(FieldValue::Item { title, is_checked, is_archived }),
    ) = (from, to)
    else {
        return Vec::new();
    };
    let mut parts = Vec::new();
    if was_checked != is_checked {
        parts.push(if *is_checked { ItemPart::Tick } else { ItemPart::Untick });
    }
    if old != title {
        parts.push(ItemPart::Rename);
    }
    if was_archived != is_archived {
        parts.push(if *is_archived { ItemPart::Archive } else { ItemPart::BringBack });
    }
    parts.into_iter().map(|part| Condition::Field { part }).collect()
}

fn classes(from: Option<&FieldValue>, to: Option<&FieldValue>) -> Vec<ValueClass> {
    let before = match from {
        None => ValueClass::First,
        Some(_) => ValueClass::Another,
    };
    match to {
        Some(FieldValue::Priority { priority }) => vec![of_priority(*priority), before],
        Some(FieldValue::Status { status, .. }) => of_status(*status).into_iter().collect(),
        Some(FieldValue::Text { .. }) => vec![before],
        Some(FieldValue::Day { on }) => {
            let was = from.and_then(FieldValue::day);
            let compared =
                was.map(|was| if *on < was { ValueClass::Earlier } else { ValueClass::Later });
            let is_weekend = matches!(on.weekday(), Weekday::Saturday | Weekday::Sunday);
            let weekend = is_weekend.then_some(ValueClass::Weekend);
            [Some(compared.unwrap_or(before)), weekend].into_iter().flatten().collect()
        }
        Some(FieldValue::Minutes { minutes }) => {
            let was = match from {
                Some(FieldValue::Minutes { minutes }) => Some(*minutes),
                _ => None,
            };
            let compared =
                was.map(|was| if *minutes < was { ValueClass::Less } else { ValueClass::More });
            vec![compared.unwrap_or(before)]
        }
        _ => Vec::new(),
    }
}

fn of_priority(priority: Priority) -> ValueClass {
    match priority {
        Priority::P0 => ValueClass::P0,
        Priority::P1 => ValueClass::P1,
        Priority::P2 => ValueClass::P2,
        Priority::P3 => ValueClass::P3,
    }
}

fn of_status(status: Status) -> Option<ValueClass> {
    match status {
        Status::Open => Some(ValueClass::Open),
        Status::Groomed => Some(ValueClass::Groomed),
        Status::InProgress => Some(ValueClass::InProgress),
        Status::Blocked => Some(ValueClass::Blocked),
        Status::OnHold => Some(ValueClass::OnHold),
        // Only the person closes a task.
        Status::Done | Status::Rejected => None,
    }
}

/// The title of an item or a task that a change makes.
fn new_title(change: &FieldChange) -> Option<&str> {
    match (&change.field, &change.to) {
        (FieldRef::Item { id: None }, Some(FieldValue::Item { title, .. }))
        | (FieldRef::FollowUp, Some(FieldValue::Task { title, .. })) => Some(title),
        _ => None,
    }
}

fn words_of(text: &str) -> impl Iterator<Item = String> {
    let folded = folded(text);
    let words: Vec<String> = folded
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(ToOwned::to_owned)
        .collect();
    words.into_iter()
}

/// Whose proposals a rule is about.
///
/// Shape: the id.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum RuleHolder {
    /// Everything that is proposed about a task.
    Task(TaskId),
    /// What an agent proposes.
    Agent(AgentId),
    /// What the agents, or the work, that follow a template propose.
    Template(TemplateId),
    /// The same while they follow one version of it.
    Version(TemplateVersionId),
    /// What runs of agent work propose.
    Work(WorkId),
}

impl RuleHolder {
    /// The id.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Task(id) => id.as_str(),
            Self::Agent(id) => id.as_str(),
            Self::Template(id) => id.as_str(),
            Self::Version(id) => id.as_str(),
            Self::Work(id) => id.as_str(),
        }
    }
}

impl fmt::Display for RuleHolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for RuleHolder {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = text
            .parse()
            .map(Self::Task)
            .or_else(|_| text.parse().map(Self::Agent))
            .or_else(|_| text.parse().map(Self::Template))
            .or_else(|_| text.parse().map(Self::Version))
            .or_else(|_| text.parse().map(Self::Work));
        known.map_err(|_| {
            let shown: String = text.chars().take(60).collect();
            format!("`{shown}` is no id of a task, an agent, a template or agent work")
        })
    }
}

impl TryFrom<String> for RuleHolder {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<RuleHolder> for String {
    fn from(holder: RuleHolder) -> Self {
        holder.as_str().to_owned()
    }
}

#[cfg(feature = "openapi")]
crate::schema::text!(
    RuleHolder,
    "^jt-[0-9a-z]{26}$|^ag-[0-9a-z]{26}$|^at-[0-9a-z]{26}$|^av-[0-9a-z]{26}$|^task-[0-9a-z]{26}$",
    ["The task, agent, template, version of a template or agent work that a rule is about."]
);

#[cfg(test)]
mod tests {
    use jiff::civil::date;

    use super::*;

    fn change(field: FieldRef, from: Option<FieldValue>, to: FieldValue) -> FieldChange {
        FieldChange { field, from, to: Some(to) }
    }

    fn keys(change: &FieldChange) -> Vec<String> {
        conditions_of(change).iter().map(Condition::key).collect()
    }

    #[test]
    fn a_change_has_the_conditions_of_its_kind_and_no_others() {
        let day = |day| FieldValue::Day { on: date(2026, 3, day) };
        let due = |from: Option<i8>, to| change(FieldRef::DueDate, from.map(day), day(to));
        assert_eq!(keys(&due(None, 20)), ["value:first"]);
        assert_eq!(keys(&due(Some(20), 14)), ["value:earlier", "value:weekend"]);
        assert_eq!(keys(&due(Some(14), 20)), ["value:later"]);
        let minutes = |minutes| FieldValue::Minutes { minutes };
        let estimate = change(FieldRef::Estimate, Some(minutes(60)), minutes(30));
        assert_eq!(keys(&estimate), ["value:less"]);
        let p1 = FieldValue::Priority { priority: Priority::P1 };
        assert_eq!(keys(&change(FieldRef::Priority, None, p1)), ["value:P1", "value:first"]);
        let blocked =
            FieldValue::Status { status: Status::Blocked, reason: Some("the shop".into()) };
        assert_eq!(keys(&change(FieldRef::Status, None, blocked)), ["value:BLOCKED"]);
        let item = |title: &str, is_checked| FieldValue::Item {
            title: title.into(),
            is_checked,
            is_archived: false,
        };
        let new = change(FieldRef::Item { id: None }, None, item("Überprüfe the Invoice", false));
        assert_eq!(keys(&new), ["words:invoice", "words:uberprufe"]);
        let id = "ci-01jd7m3k5vn2c8q4w6x0z9abcd".parse().ok();
        let ticked = change(FieldRef::Item { id }, Some(item("Pay", false)), item("Pay", true));
        assert_eq!(keys(&ticked), ["field:tick"]);
    }

    #[test]
    fn words_hold_when_all_of_them_are_in_the_title_of_something_new() {
        let words =
            Condition::Words { words: vec!["Write tests".into()] }.checked().expect("words");
        let new = |title: &str| {
            let to =
                FieldValue::Item { title: title.into(), is_checked: false, is_archived: false };
            change(FieldRef::Item { id: None }, None, to)
        };
        assert!(words.holds(&new("Write the TESTS for it")));
        assert!(!words.holds(&new("Write it")));
        let title = FieldValue::Text { text: "Write tests".into() };
        assert!(!words.holds(&change(FieldRef::Title, None, title)));
        assert!(Condition::Words { words: vec![" ".into()] }.checked().is_err());
    }

    #[test]
    fn a_holder_is_read_by_its_prefix() {
        for text in ["jt", "ag", "at", "av", "task"] {
            let id = format!("{text}-01jd7m3k5vn2c8q4w6x0z9abcd");
            assert_eq!(id.parse::<RuleHolder>().expect("a holder").to_string(), id);
        }
        assert!("everything".parse::<RuleHolder>().is_err());
    }
}
