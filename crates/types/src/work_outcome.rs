//! The outcome of a run of built-in work: nothing, a text, or proposals.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::closed_list;
use crate::closed_list::Listed;
use crate::id::{CategoryId, LabelId, TaskId};

/// The outcome of a run of built-in work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "outcome", rename_all = "camelCase")]
pub enum BuiltInOutcome {
    /// There is nothing to say: the run ends without a text or a notification.
    Nothing {
        /// Why, for the log.
        why: NothingReason,
    },
    /// A text for the person.
    Text(WorkText),
    /// Proposals, which a run applies if `by_rule` is set and nothing it read came from elsewhere.
    Proposals(WorkProposals),
    /// The work cannot do what it was set up for: the person has to look at it.
    CannotRun {
        /// Why.
        why: CannotRunReason,
        /// What it is about, as the work has it: a title.
        subject: String,
    },
}

closed_list! {
    /// Why a run had nothing to say.
    pub enum NothingReason, "reason" {
        /// There is nothing that this work speaks up about.
        NothingThere = "nothingThere",
        /// There is something, and nothing about it is new since the last run.
        NothingNew = "nothingNew",
        /// No item is ticked.
        NothingTicked = "nothingTicked",
        /// The task that was made last time is still open.
        StillOpen = "stillOpen",
        /// The same is proposed already and waits for the person.
        StillProposed = "stillProposed",
    }
}

closed_list! {
    /// Why work cannot do what it was set up for.
    pub enum CannotRunReason, "reason" {
        /// Its task does not exist any more.
        TaskGone = "taskGone",
        /// Its task was closed, so its checklist is not started over.
        TaskClosed = "taskClosed",
        /// Its task has no checklist.
        NoChecklist = "noChecklist",
    }
}

/// A text for the person, in parts that a page can show and in Markdown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkText {
    /// One line that says what is in it; all that some notifications carry. Plain text.
    pub title: String,
    /// The parts, none of them empty.
    pub sections: Vec<WorkSection>,
    /// The sections as Markdown; titles of tasks are escaped and lead to the task.
    pub markdown: String,
    /// Every number that the text names, each with what it counts.
    pub figures: Vec<Figure>,
}

/// A part of a [`WorkText`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkSection {
    /// Which list it is.
    pub name: ResultList,
    /// Its heading. Plain text.
    pub heading: String,
    /// Its lines, most important first.
    pub lines: Vec<WorkLine>,
    /// How many more there are than lines.
    pub n_more: usize,
}

/// A line of a [`WorkSection`]. All of it is plain text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkLine {
    /// The task it is about, to open it.
    pub task: Option<TaskId>,
    /// What it is about: a title, on one line.
    pub subject: String,
    /// What is said about it; may be empty.
    pub detail: String,
}

closed_list! {
    /// A list that a text tells: a section shows it, a figure counts it.
    pub enum ResultList, "list of a result" {
        /// Events of calendars.
        Events = "events",
        /// Tasks that are overdue.
        Overdue = "overdue",
        /// Tasks that are due.
        Due = "due",
        /// What needs the person.
        NeedsYou = "needsYou",
        /// Tasks that wait for somebody or something.
        Waiting = "waiting",
        /// Tasks that changed.
        Changed = "changed",
        /// Tasks that were imported.
        Imported = "imported",
        /// Tasks that were done.
        Done = "done",
        /// Tasks that were rejected.
        Dropped = "dropped",
        /// Tasks that make no headway.
        Stuck = "stuck",
        /// Tasks whose due date was moved.
        Moved = "moved",
        /// Decisions about proposals.
        Decisions = "decisions",
        /// Time spent.
        Hours = "hours",
        /// Tasks whose due date is near.
        Near = "near",
        /// Tasks whose due date has passed.
        Passed = "passed",
        /// Tasks that nobody touched for long.
        Stale = "stale",
        /// Items of a checklist.
        Items = "items",
        /// Items of a checklist that were ticked.
        Ticked = "ticked",
        /// Items of a checklist that were not ticked.
        Left = "left",
        /// A task to be made.
        NewTask = "newTask",
    }
}

/// A number that a text names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", from = "StoredFigure")]
pub struct Figure {
    /// What is counted.
    pub name: Listed<ResultList>,
    /// The category whose share this is; empty for what is in no category. None if it is the whole.
    pub category: Option<String>,
    /// The number. Units: those of `unit`.
    pub value: u64,
    /// What the number counts.
    pub unit: FigureUnit,
    /// What it is made of. It is as of the run: a list that is opened later still shows what was counted.
    pub opens: FigureList,
}

/// A figure as rows hold it: older ones have the part of a list in the name, as `hours:Garden` and
/// `changed:imported`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StoredFigure {
    name: Listed<ResultList>,
    category: Option<String>,
    value: u64,
    unit: FigureUnit,
    opens: FigureList,
}

impl From<StoredFigure> for Figure {
    fn from(stored: StoredFigure) -> Self {
        let StoredFigure { name, category, value, unit, opens } = stored;
        let old = match &name {
            Listed::Other(text) => text.split_once(':'),
            Listed::Known(_) => None,
        };
        let (name, category) = match old {
            Some(("hours", category)) => (ResultList::Hours.into(), Some(category.to_owned())),
            Some(("changed", "imported")) => (ResultList::Imported.into(), None),
            Some(_) | None => (name, category),
        };
        Self { name, category, value, unit, opens }
    }
}

closed_list! {
    /// What a figure counts.
    pub enum FigureUnit, "unit of a figure" {
        /// Things.
        Count = "count",
        /// Minutes.
        Minutes = "minutes",
    }
}

/// What a figure is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "list", content = "ids", rename_all = "camelCase")]
pub enum FigureList {
    /// These tasks.
    Tasks(Vec<TaskId>),
    /// These events of calendars, by the identity of their occurrence.
    Events(Vec<String>),
    /// These entries of what needs attention.
    Attention(Vec<String>),
}

/// What a run proposes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkProposals {
    /// What is proposed, for the person.
    pub text: WorkText,
    /// Calls of tools that change tasks.
    pub calls: Vec<ProposedCall>,
    /// Tasks to be made.
    pub new_tasks: Vec<NewTask>,
    /// Whether a standing rule of the person lets the run apply them. Never in a run that read something
    /// from elsewhere.
    pub by_rule: bool,
}

/// A call of a tool that changes a task.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ProposedCall {
    /// The task.
    pub task: TaskId,
    /// The tool, by the name that models call it by.
    pub tool: String,
    /// Its arguments.
    pub args: Value,
    /// What speaks for it.
    pub evidence: WorkEvidence,
}

/// What speaks for a proposal: a fact of the task, with its day.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct WorkEvidence {
    /// The day of the fact.
    pub on: Date,
    /// The fact as a sentence. Plain text.
    pub text: String,
}

/// A task to be made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = ProposedTask))]
#[serde(rename_all = "camelCase")]
pub struct NewTask {
    /// Its title.
    pub title: String,
    /// The day it is due.
    pub due_on: Option<Date>,
    /// Its category.
    pub category: Option<CategoryId>,
    /// Its labels.
    pub labels: Vec<LabelId>,
    /// How long it takes. Units: minutes.
    pub estimate_minutes: Option<u32>,
    /// Titles of the items of its checklist, none of them ticked.
    pub items: Vec<String>,
    /// The task it is a copy of.
    pub copy_of: Option<TaskId>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_figure_of_an_older_row_is_read_and_a_newer_name_is_kept() {
        let read = |name: &str| {
            let opens = json!({ "list": "tasks", "ids": [] });
            let row = json!({ "name": name, "value": 1, "unit": "count", "opens": opens });
            let figure: Figure = serde_json::from_value(row).unwrap();
            serde_json::to_value(figure).unwrap()
        };
        let parts = |name: &str| {
            let written = read(name);
            (written["name"].clone(), written["category"].clone())
        };
        assert_eq!(parts("hours"), (json!("hours"), json!(null)));
        assert_eq!(parts("hours:House: move"), (json!("hours"), json!("House: move")));
        assert_eq!(parts("hours:"), (json!("hours"), json!("")));
        assert_eq!(parts("changed:imported"), (json!("imported"), json!(null)));
        assert_eq!(parts("merged:all"), (json!("merged:all"), json!(null)));
    }
}
