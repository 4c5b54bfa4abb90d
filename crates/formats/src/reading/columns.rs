//! What a column means.

use dormouse_types::closed_list;
use serde::{Deserialize, Serialize};

closed_list! {
    /// What a column of a sheet becomes.
    pub enum Column, "meaning of a column" {
        /// The id by which a row is recognized.
        Key = "key",
        /// The title. Several are joined.
        Title = "title",
        /// A mark that means done.
        Done = "done",
        /// A word for the status.
        Status = "status",
        /// The reason of a status.
        Reason = "reason",
        /// A word for the priority.
        Priority = "priority",
        /// The due day.
        Due = "due",
        /// The day it begins; kept as text.
        Start = "start",
        /// How long it takes.
        Estimate = "estimate",
        /// A language code.
        Language = "language",
        /// The category.
        Category = "category",
        /// Labels, separated by commas or semicolons.
        Label = "label",
        /// Checklist items, one a line.
        Items = "items",
        /// The id or title of the task that this one is a part of.
        Parent = "parent",
        /// When it was given up; kept as text too.
        Canceled = "canceled",
        /// How something ended that is closed, such as "Won't do"; kept as text too.
        Outcome = "outcome",
        /// Text of the task.
        Note = "note",
        /// Further entries, as our own export writes them.
        Entries = "entries",
        /// Named values, as our own export writes them.
        Details = "details",
        /// A mark that means starred.
        Starred = "starred",
        /// A mark that means private.
        Private = "private",
        /// Kept as text under the column's name.
        KeptInNote = "keptInNote",
        /// Not imported.
        LeftOut = "leftOut",
    }
}

/// Why a column is taken for what it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "because", rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Because {
    /// Its name says so.
    Name,
    /// So many of its cells are days.
    Days {
        /// Cells that are days.
        n: usize,
        /// Cells that are not empty.
        of: usize,
    },
    /// Its cells are marks such as `x`.
    Marks,
    /// All its cells are words for a status or a priority.
    Words,
    /// So few different words occur in it.
    FewWords {
        /// Different words.
        n: usize,
    },
    /// Most of its cells hold text.
    Text,
    /// Nothing says what it is.
    Unknown,
    /// The person said so.
    Person,
}

/// A column and what it is taken for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ColumnGuess {
    /// Its name in the first row; `Column 3` where it has none.
    pub name: String,
    /// What it becomes.
    pub column: Column,
    /// Why.
    #[serde(flatten)]
    pub because: Because,
}

/// A row of a sheet as a person is shown it: its first cells, long ones cut.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SampleRow {
    /// The line that it begins on, from 1.
    pub line: usize,
    /// In the order of the columns; fewer where the row is short.
    pub cells: Vec<String>,
}

/// The columns of a sheet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Columns {
    /// What separates the cells.
    pub delimiter: char,
    /// Whether the first row names the columns.
    pub has_head: bool,
    /// In the order of the sheet.
    pub columns: Vec<ColumnGuess>,
    /// The first rows below the one that names the columns, so that a person sees what is in them.
    pub sample: Vec<SampleRow>,
    #[serde(skip)]
    pub(crate) is_todoist: bool,
    #[serde(skip)]
    pub(crate) is_ticktick: bool,
    #[serde(skip)]
    pub(crate) is_own: bool,
}

impl Columns {
    /// The meanings alone, as a person may change and send them.
    pub fn meanings(&self) -> Vec<Column> {
        self.columns.iter().map(|guess| guess.column).collect()
    }
}
