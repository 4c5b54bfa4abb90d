//! What a person corrects in a plan, and what of it holds for the next reading of the same list.

use dormouse_types::draft::{Remark, Task};
use dormouse_types::limits::Beyond;
use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use crate::intake::DayOrder;

use super::{Format, Place, Role};
use crate::csv::Columns;

/// One correction, addressed by a line of the text.
///
/// It has no members but those of its edit: a misspelt one would change nothing, unseen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", try_from = "Members")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = CorrectionParams))]
pub struct Correction {
    /// The line number, from 1.
    pub line: usize,
    /// What changes there.
    #[serde(flatten)]
    pub edit: Edit,
}

/// The members of a correction as they came.
#[derive(Deserialize)]
struct Members {
    line: usize,
    #[serde(flatten)]
    edit: serde_json::Map<String, serde_json::Value>,
}

impl TryFrom<Members> for Correction {
    type Error = String;

    fn try_from(members: Members) -> Result<Self, String> {
        let Members { line, edit: given } = members;
        let at = |error: String| format!("the correction of line {line}: {error}");
        let edit = Edit::deserialize(&given).map_err(|error| at(error.to_string()))?;
        let member = edit.member();
        let is_known = |name: &str| name == "edit" || member == Some(name);
        match given.keys().find(|name| !is_known(name)) {
            None => Ok(Self { line, edit }),
            Some(name) => {
                let name: String = name.chars().take(60).collect();
                let expected = match member {
                    Some(member) => format!("`line`, `edit` and `{member}`"),
                    None => "`line` and `edit`".to_owned(),
                };
                Err(at(format!("unknown member `{name}`, expected {expected}")))
            }
        }
    }
}

/// What a correction changes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "edit", rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Edit {
    /// The line is something else: an item or text of its task, its due date, a task, a category, or
    /// left out. A line that is made the due date keeps its words; one that is made text no longer
    /// says when the task is due.
    SetRole {
        /// What it is.
        role: Role,
    },
    /// The line begins a task of its own. An item takes what is nested in it along, any other line
    /// everything below it in its task.
    Split,
    /// The task of the line is part of the task above it.
    Join,
    /// The line is left out; the line that begins a task means the whole task.
    LeaveOut,
    /// The task of the line is left out, whichever of its lines is named.
    LeaveOutTask,
    /// What an earlier import left out, renamed or moved at this line is as the text has it again.
    PutBack,
    /// The task, item or category of the line has another title.
    Rename {
        /// The new title.
        title: String,
    },
    /// The task of the line has another title, whichever of its lines is named.
    RenameTask {
        /// The new title.
        title: String,
    },
    /// Whether the task of the line gets an agent.
    SetAgent {
        /// Whether it does.
        agent: AgentChoice,
    },
    /// The category of the task of the line, or of all tasks below a line that is a category.
    SetCategory {
        /// The category; `null` for none.
        category: Option<String>,
    },
    /// Whether the task of the line is starred.
    SetStarred {
        /// Whether it is.
        starred: bool,
    },
    /// Whether the task of the line is private, with all that belongs to it.
    SetPrivate {
        /// Whether it is.
        private: bool,
    },
}

impl Edit {
    /// The name of the member that holds its value in JSON.
    fn member(&self) -> Option<&'static str> {
        match self {
            Self::SetRole { .. } => Some("role"),
            Self::Rename { .. } | Self::RenameTask { .. } => Some("title"),
            Self::SetAgent { .. } => Some("agent"),
            Self::SetCategory { .. } => Some("category"),
            Self::SetStarred { .. } => Some("starred"),
            Self::SetPrivate { .. } => Some("private"),
            Self::Split | Self::Join | Self::LeaveOut | Self::LeaveOutTask | Self::PutBack => None,
        }
    }
}

/// Whether a task gets an agent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum AgentChoice {
    /// It gets one.
    Give,
    /// It gets none.
    Refuse,
}

/// The corrections of earlier imports of a list, addressed by import keys, since lines move.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Kept {
    /// The edits.
    pub edits: Vec<KeptEdit>,
    /// What words about a due date were understood as.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub days: Vec<KeptDay>,
}

/// A due date whose words mean another day when they are read on another day, such as "by 24.11.".
/// As long as the task says these words it keeps this day, so that an unchanged list moves nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct KeptDay {
    /// The import key of the task.
    pub task: String,
    /// The words, folded.
    pub words: String,
    /// The day that they meant when they were read first.
    pub day: Date,
    /// The order of day and month in which they were read.
    pub order: DayOrder,
}

/// A correction of an earlier import.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct KeptEdit {
    /// Where it was made.
    pub at: Anchor,
    /// What it changed.
    #[serde(flatten)]
    pub edit: Edit,
}

/// A place in a list that is found again after lines have moved.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "at", rename_all = "camelCase")]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Anchor {
    /// A task.
    Task {
        /// Its import key.
        task: String,
    },
    /// A checklist item.
    Item {
        /// The import key of its task.
        task: String,
        /// Its own import key.
        item: String,
    },
    /// A line of text.
    Text {
        /// The import key of its task.
        task: String,
        /// The line, folded; a long one is cut, with a digest.
        text: String,
        /// Which of several equal lines of the task it is, from 1.
        number: usize,
    },
    /// A line that is a category.
    Category {
        /// The line, folded.
        text: String,
    },
}

/// A plan with its corrections.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// The format the text was read as.
    pub format: Format,
    /// The tasks to write, in the order of the text.
    pub tasks: Vec<PlannedTask>,
    /// The place of every line, as in a [`super::Reading`]; `task` is an index into `tasks`.
    pub places: Vec<Place>,
    /// What was not understood.
    pub remarks: Vec<Remark>,
    /// The columns of a sheet; none for another format.
    pub sheet: Option<Columns>,
    /// The corrections in terms that hold for the next import of the list.
    pub kept: Kept,
}

/// A task to write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedTask {
    /// The task.
    pub draft: Task,
    /// Whether a person said that it gets an agent; none if nobody said so. See
    /// [`super::deserves_agent`].
    pub agent: Option<AgentChoice>,
}

/// Why a correction was refused. Nothing was changed; the correction must be changed before a retry
/// can succeed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CorrectionError {
    /// The places are not those of the text.
    #[error("the text has {lines} lines and its plan {places}; read the text again")]
    OtherText {
        /// The lines of the text.
        lines: usize,
        /// The lines of the plan.
        places: usize,
    },
    /// There is no such line.
    #[error("line {line}: the text has {lines} lines")]
    NoLine {
        /// The line of the correction.
        line: usize,
        /// How many there are.
        lines: usize,
    },
    /// Two corrections contradict each other.
    #[error("line {line}: two corrections contradict each other; send one of them")]
    Contradiction {
        /// The line of both.
        line: usize,
    },
    /// The line is not part of a task.
    #[error("line {line}: its role is {role}, and it belongs to no task")]
    NoTask {
        /// The line of the correction.
        line: usize,
        /// What it is.
        role: Role,
    },
    /// A line of this kind cannot be changed so.
    #[error("line {line}: its role is {role}, and only {allowed} can be changed so")]
    WrongRole {
        /// The line of the correction.
        line: usize,
        /// What it is.
        role: Role,
        /// The roles that can.
        allowed: &'static str,
    },
    /// A line cannot be made into this.
    #[error("line {line}: a line like this cannot be made {role}")]
    NotSettable {
        /// The line of the correction.
        line: usize,
        /// The requested role.
        role: Role,
    },
    /// The line holds several things or a part of one, as in JSON.
    #[error("line {line}: in this format single lines cannot be corrected; correct the whole task")]
    NotAlone {
        /// The line of the correction.
        line: usize,
    },
    /// Several tasks are on the line, so a correction of it says nothing about one of them.
    #[error("line {line}: {tasks} tasks are on it; put each on a line of its own")]
    ManyTasks {
        /// The line of the correction.
        line: usize,
        /// How many tasks.
        tasks: usize,
    },
    /// The line has no date.
    #[error("line {line}: there is no date in it; write one like `by 10 December` or 2026-12-10")]
    NoDate {
        /// The line of the correction.
        line: usize,
    },
    /// There is no task above.
    #[error("line {line}: there is no task above to join")]
    NothingAbove {
        /// The line of the correction.
        line: usize,
    },
    /// A category would have content.
    #[error(
        "line {line}: `{title}` has items, notes or fields, which a category cannot have; move them first"
    )]
    HasContent {
        /// The line of the correction.
        line: usize,
        /// The title of the task.
        title: String,
    },
    /// No task would be in the category.
    #[error("line {line}: there is no task below `{title}` that it could be the category of")]
    NothingBelow {
        /// The line of the correction.
        line: usize,
        /// The title of the task.
        title: String,
    },
    /// A title without words.
    #[error("line {line}: a title needs a word")]
    NoWords {
        /// The line of the correction.
        line: usize,
    },
    /// A value beyond a limit.
    #[error("line {line}: the value is too long, or there are too many")]
    Limit {
        /// The line of the correction.
        line: usize,
        /// The limit and the value.
        #[source]
        source: Beyond,
    },
}

impl CorrectionError {
    /// The line of the correction, from 1; none where the text is another one.
    pub fn line(&self) -> Option<usize> {
        match self {
            Self::OtherText { .. } => None,
            Self::NoLine { line, .. }
            | Self::Contradiction { line, .. }
            | Self::NoTask { line, .. }
            | Self::WrongRole { line, .. }
            | Self::NotSettable { line, .. }
            | Self::NotAlone { line, .. }
            | Self::ManyTasks { line, .. }
            | Self::NoDate { line, .. }
            | Self::NothingAbove { line, .. }
            | Self::HasContent { line, .. }
            | Self::NothingBelow { line, .. }
            | Self::NoWords { line, .. }
            | Self::Limit { line, .. } => Some(*line),
        }
    }
}
