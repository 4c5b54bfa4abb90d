//! Closed lists of task values, shared by the journal, the tools and the model.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::closed_list;
use crate::closed_list::{ClosedList, Listed};
use crate::time::Timestamp;

pub use crate::closed_list::NotListed;

closed_list! {
    /// The state of a checklist item.
    pub enum ItemState, "state" {
        /// Neither ticked nor archived.
        Open = "open",
        /// Ticked.
        Done = "done",
        /// Hidden from the list, ticked or not.
        Archived = "archived",
    }
}

/// The status of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Status {
    /// New.
    #[default]
    #[serde(rename = "OPEN")]
    Open,
    /// Described well enough to start.
    #[serde(rename = "GROOMED")]
    Groomed,
    /// Being worked on.
    #[serde(rename = "IN PROGRESS")]
    InProgress,
    /// Cannot go on; carries a reason.
    #[serde(rename = "BLOCKED")]
    Blocked,
    /// Set aside; carries a reason.
    #[serde(rename = "ON HOLD")]
    OnHold,
    /// Finished; only a person sets it.
    #[serde(rename = "DONE")]
    Done,
    /// Dropped; only a person sets it.
    #[serde(rename = "REJECTED")]
    Rejected,
}

impl Status {
    /// Every status, in the order of work.
    pub const ALL: &'static [Self] = &[
        Self::Open,
        Self::Groomed,
        Self::InProgress,
        Self::Blocked,
        Self::OnHold,
        Self::Done,
        Self::Rejected,
    ];

    /// The status on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "OPEN",
            Self::Groomed => "GROOMED",
            Self::InProgress => "IN PROGRESS",
            Self::Blocked => "BLOCKED",
            Self::OnHold => "ON HOLD",
            Self::Done => "DONE",
            Self::Rejected => "REJECTED",
        }
    }

    /// Whether the task is closed. Only a person closes a task.
    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Done | Self::Rejected)
    }

    /// Whether the status must carry a reason.
    pub fn needs_reason(self) -> bool {
        matches!(self, Self::Blocked | Self::OnHold)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Status {
    type Err = NotListed;

    /// Reads a status, ignoring case; `-` and `_` count as a space.
    fn from_str(text: &str) -> Result<Self, NotListed> {
        let given = text.trim().to_uppercase().replace(['-', '_'], " ");
        Self::ALL.iter().copied().find(|status| status.name() == given).ok_or_else(|| NotListed {
            what: "status",
            given: text.chars().take(60).collect(),
            allowed: Self::ALL.iter().map(|s| s.name()).collect::<Vec<_>>().join(", "),
        })
    }
}

/// How a task relates to another that it is linked to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum LinkKind {
    /// The two are related; the same from both ends.
    RelatesTo,
    /// The other task cannot continue before this one is done.
    Blocks,
    /// It follows from the other.
    FollowUpOf,
    /// It is a part of the other.
    PartOf,
}

impl LinkKind {
    /// Every kind.
    pub const ALL: &'static [Self] =
        &[Self::RelatesTo, Self::Blocks, Self::FollowUpOf, Self::PartOf];

    /// The kind on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::RelatesTo => "relatesTo",
            Self::Blocks => "blocks",
            Self::FollowUpOf => "followUpOf",
            Self::PartOf => "partOf",
        }
    }

    /// Whether the link reads the same from both ends.
    pub fn is_symmetric(self) -> bool {
        matches!(self, Self::RelatesTo)
    }

    /// The kind in words, seen from one end.
    pub fn words(self, direction: LinkDirection) -> &'static str {
        match (self, direction) {
            (Self::RelatesTo, _) => "relates to",
            (Self::Blocks, LinkDirection::Out) => "blocks",
            (Self::Blocks, LinkDirection::In) => "blocked by",
            (Self::FollowUpOf, LinkDirection::Out) => "follow-up of",
            (Self::FollowUpOf, LinkDirection::In) => "followed up by",
            (Self::PartOf, LinkDirection::Out) => "part of",
            (Self::PartOf, LinkDirection::In) => "has the part",
        }
    }

    /// The words for a stored kind; a newer version's kind is shown as stored.
    pub fn words_of(kind: &Listed<Self>, direction: LinkDirection) -> &str {
        match kind {
            Listed::Known(kind) => kind.words(direction),
            Listed::Other(name) => name,
        }
    }
}

impl ClosedList for LinkKind {
    const WHAT: &'static str = "kind";
    const ALL: &'static [Self] = Self::ALL;
    fn name(self) -> &'static str {
        Self::name(self)
    }
}

impl FromStr for LinkKind {
    type Err = NotListed;

    /// Reads a kind, ignoring case and any `-`, `_` and spaces between its words.
    fn from_str(text: &str) -> Result<Self, NotListed> {
        let given = text.trim().to_lowercase().replace(['-', '_', ' '], "");
        let found = Self::ALL.iter().copied().find(|kind| kind.name().to_lowercase() == given);
        found.ok_or_else(|| NotListed {
            what: "kind",
            given: text.chars().take(60).collect(),
            allowed: Self::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", "),
        })
    }
}

/// Which way a link runs, seen from one of its tasks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum LinkDirection {
    /// The link leaves the task.
    Out,
    /// The link reaches the task.
    In,
}

/// The priority of a task.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    Default,
)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Priority {
    /// Urgent.
    P0,
    /// High.
    P1,
    /// Medium; a task without a priority.
    #[default]
    P2,
    /// Low.
    P3,
}

impl Priority {
    /// The priority on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::P0 => "P0",
            Self::P1 => "P1",
            Self::P2 => "P2",
            Self::P3 => "P3",
        }
    }
}

impl fmt::Display for Priority {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Priority {
    type Err = NotListed;
    fn from_str(text: &str) -> Result<Self, NotListed> {
        match text.trim().to_uppercase().as_str() {
            "P0" => Ok(Self::P0),
            "P1" => Ok(Self::P1),
            "P2" => Ok(Self::P2),
            "P3" => Ok(Self::P3),
            _ => Err(NotListed {
                what: "priority",
                given: text.chars().take(60).collect(),
                allowed: "P0 (urgent), P1 (high), P2 (medium), P3 (low)".into(),
            }),
        }
    }
}

/// The languages a task may have, as ISO 639 codes.
pub const LANGUAGES: &[&str] = &[
    "ar", "bn", "bg", "zh", "hr", "cs", "da", "nl", "en", "et", "fi", "fr", "de", "el", "he", "hi",
    "ig", "hu", "id", "it", "ja", "ko", "lv", "lt", "no", "pl", "pt", "pcm", "ro", "ru", "sr",
    "sk", "sl", "es", "sw", "sv", "th", "tw", "tr", "uk", "vi", "yo",
];

/// Reads a language code, ignoring case.
///
/// Errors: a code that is not in [`LANGUAGES`].
pub fn language(text: &str) -> Result<String, NotListed> {
    let given = text.trim().to_lowercase();
    if LANGUAGES.contains(&given.as_str()) {
        return Ok(given);
    }
    Err(NotListed {
        what: "language code",
        given: text.chars().take(60).collect(),
        allowed: LANGUAGES.join(", "),
    })
}

/// What an entry holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Default)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum EntryKind {
    /// Text the person wrote.
    #[default]
    Text,
    /// A recording; its text is the transcript unless the person edited it.
    Audio,
    /// A text that describes a picture, by another program or a person. The picture itself is not
    /// kept. Older versions stored it as `image`.
    #[serde(alias = "image")]
    ImageAnalysis,
    /// A span of time spent.
    Time,
}

impl EntryKind {
    /// Every kind.
    pub const ALL: &'static [Self] = &[Self::Text, Self::Audio, Self::ImageAnalysis, Self::Time];

    /// The kind on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Audio => "audio",
            Self::ImageAnalysis => "imageAnalysis",
            Self::Time => "time",
        }
    }

    /// The kind in words, for a model and for a page.
    pub fn words(self) -> &'static str {
        match self {
            Self::Text => "note",
            Self::Audio => "recording",
            Self::ImageAnalysis => "image analysis",
            Self::Time => "time",
        }
    }

    /// Whether its text was made from something else, so that a person's own text replaces it
    /// without losing it.
    pub fn is_derived(self) -> bool {
        match self {
            Self::Audio | Self::ImageAnalysis => true,
            Self::Text | Self::Time => false,
        }
    }
}

impl FromStr for EntryKind {
    type Err = NotListed;

    /// Reads a kind, ignoring case and any `-`, `_` and spaces between its words; also `image`, its
    /// name in older files.
    fn from_str(text: &str) -> Result<Self, NotListed> {
        let given = text.trim().to_lowercase().replace(['-', '_', ' '], "");
        if given == "image" {
            return Ok(Self::ImageAnalysis);
        }
        let found = Self::ALL.iter().copied().find(|kind| kind.name().to_lowercase() == given);
        found.ok_or_else(|| NotListed {
            what: "kind",
            given: text.chars().take(60).collect(),
            allowed: Self::ALL.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", "),
        })
    }
}

closed_list! {
    /// A mark that a person puts on a task or an entry.
    pub enum Flag, "flag" {
        /// Worth coming back to.
        Starred = "starred",
        /// Kept from every model that is not the person's own.
        Private = "private",
    }
}

/// The flags of a task or an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Flags {
    /// Worth coming back to.
    pub starred: bool,
    /// Kept from every model that is not the person's own. What a private task holds is private too:
    /// see [`is_private`].
    pub private: bool,
}

impl Flags {
    /// No flag.
    pub const NONE: Self = Self { starred: false, private: false };

    /// Whether a flag is set.
    pub fn has(self, flag: Flag) -> bool {
        match flag {
            Flag::Starred => self.starred,
            Flag::Private => self.private,
        }
    }

    /// These flags with one of them set or cleared.
    #[must_use]
    pub fn with(mut self, flag: Flag, is_set: bool) -> Self {
        match flag {
            Flag::Starred => self.starred = is_set,
            Flag::Private => self.private = is_set,
        }
        self
    }

    /// Whether no flag is set.
    pub fn is_none(&self) -> bool {
        *self == Self::NONE
    }
}

/// Whether an entry is private: it is marked so, or its whole task is.
///
/// The one place of this rule. Checklist items, labels and values have no flag of their own: they are
/// private if their task is.
pub fn is_private(task: Flags, entry: Flags) -> bool {
    task.private || entry.private
}

/// A status with its reason and the time it was set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct StatusEntry {
    /// The status.
    pub status: Status,
    /// The reason; always present for a blocked or held task.
    pub reason: Option<String>,
    /// When it was set.
    pub created_at: Timestamp,
}

/// A single-value field of a task: what `field_says` and change rows name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum Field {
    /// The title.
    Title,
    /// The status with its reason.
    Status,
    /// The priority.
    Priority,
    /// The due day.
    DueDate,
    /// The estimate in minutes.
    Estimate,
    /// The language code.
    Language,
    /// The category.
    Category,
    /// Whether it is starred.
    Starred,
    /// Whether it is private.
    Private,
}

impl Field {
    /// Every field.
    pub const ALL: [Self; 9] = [
        Self::Title,
        Self::Status,
        Self::Priority,
        Self::DueDate,
        Self::Estimate,
        Self::Language,
        Self::Category,
        Self::Starred,
        Self::Private,
    ];

    /// The field's name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Status => "status",
            Self::Priority => "priority",
            Self::DueDate => "dueDate",
            Self::Estimate => "estimate",
            Self::Language => "language",
            Self::Category => "category",
            Self::Starred => "starred",
            Self::Private => "private",
        }
    }
}

impl From<Flag> for Field {
    fn from(flag: Flag) -> Self {
        match flag {
            Flag::Starred => Self::Starred,
            Flag::Private => Self::Private,
        }
    }
}
