//! The kinds of work that need no language model, and their parameters.

use serde::{Deserialize, Serialize};

use crate::closed_list;
use crate::id::{CategoryId, LabelId, TaskId};
use crate::named::Named;
use crate::task::Priority;

closed_list! {
    /// A kind of work that needs no language model.
    pub enum WorkKind, "kind of work" {
        /// What the day brings.
        Agenda = "agenda",
        /// What was done in the last days.
        Review = "review",
        /// Speaks up when a deadline nears or an answer stays out.
        Watch = "watch",
        /// Proposes to put off what nobody touched.
        Sweep = "sweep",
        /// A checklist that starts over, or a task that is made again, on its day.
        Repeat = "repeat",
    }
}

closed_list! {
    /// Something that a run of built-in work may read.
    pub enum WorkReads, "thing that work reads" {
        /// Titles, states, dates, labels and checklists of tasks.
        Tasks = "tasks",
        /// What was changed, when, and by whom.
        History = "history",
        /// Time entries.
        Time = "time",
        /// Proposals, questions and failures that wait for the person.
        Attention = "attention",
        /// Verdicts on proposals.
        Decisions = "decisions",
        /// Events of calendars.
        Calendar = "calendar",
    }
}

closed_list! {
    /// Why work with some parameters cannot be switched on.
    pub enum WorkRefusal, "reason why work cannot be switched on" {
        /// Its runs would have to make a task that is like no other, which they do not. It can be tried.
        MakesTasks = "makesTasks",
        /// The task that it repeats does not exist, or is deleted.
        TaskGone = "taskGone",
        /// The task that it makes has no title.
        NoTitle = "noTitle",
        /// A number is out of its range.
        OutOfRange = "outOfRange",
        /// It has no list, so that it would never say anything.
        NoList = "noList",
    }
}

/// What work of a kind does, as the person set it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum WorkParameters {
    /// See [`Agenda`].
    Agenda(Agenda),
    /// See [`Review`].
    Review(Review),
    /// See [`Watch`].
    Watch(Watch),
    /// See [`Sweep`].
    Sweep(Sweep),
    /// See [`Repeat`].
    Repeat(Repeat),
}

closed_list! {
    /// A list of an agenda.
    pub enum AgendaList, "list of an agenda" {
        /// Events of the calendars.
        Events = "events",
        /// Tasks whose due date has passed.
        Overdue = "overdue",
        /// Tasks that are due.
        Due = "due",
        /// Proposals, questions and failures that wait for the person.
        NeedsYou = "needsYou",
        /// Tasks that wait for somebody else.
        Waiting = "waiting",
        /// What happened since the last agenda, at least since yesterday.
        Changed = "changed",
    }
}

closed_list! {
    /// What an agenda does on a day on which its lists are empty.
    pub enum WhenEmpty, "answer to an empty day" {
        /// Nothing is said.
        Silent = "silent",
        /// It says that there is nothing.
        Say = "say",
    }
}

/// What the day brings.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, rename_all = "camelCase")]
pub struct Agenda {
    /// Which lists it has.
    pub lists: Vec<AgendaList>,
    /// How far it looks ahead. Units: days after today; at most [`Agenda::FARTHEST`].
    pub ahead_days: u16,
    /// Which tasks it is about.
    pub only: Only,
    /// What it does if all lists are empty.
    pub when_empty: WhenEmpty,
}

impl Agenda {
    /// Units: days.
    pub const FARTHEST: u16 = 31;
}

impl Default for Agenda {
    fn default() -> Self {
        Self {
            lists: AgendaList::ALL.to_vec(),
            ahead_days: 0,
            only: Only::default(),
            when_empty: WhenEmpty::Silent,
        }
    }
}

closed_list! {
    /// A list of a review.
    pub enum ReviewList, "list of a review" {
        /// Tasks that were done.
        Done = "done",
        /// Tasks that were begun, blocked or due, and that nothing happened to.
        Stuck = "stuck",
        /// Due dates that were moved.
        Moved = "moved",
        /// What the person said about proposals.
        Decisions = "decisions",
        /// Time spent, by category.
        Hours = "hours",
    }
}

/// What was done in the last days.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, rename_all = "camelCase")]
pub struct Review {
    /// Which lists it has.
    pub lists: Vec<ReviewList>,
    /// How far it looks back. Units: days, with today; 1 to [`Review::LONGEST`].
    pub days: u16,
    /// How long nothing happened to a task that is stuck. Units: days.
    pub stuck_days: u16,
    /// Which tasks it is about.
    pub only: Only,
}

impl Review {
    /// Units: days.
    pub const LONGEST: u16 = 366;
}

impl Default for Review {
    fn default() -> Self {
        Self { lists: ReviewList::ALL.to_vec(), days: 7, stuck_days: 14, only: Only::default() }
    }
}

closed_list! {
    /// What a watch looks at.
    pub enum WatchList, "list of a watch" {
        /// Due dates.
        Deadlines = "deadlines",
        /// Tasks that wait for somebody else.
        Waiting = "waiting",
    }
}

/// Speaks up when a deadline nears or an answer stays out, and says each once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, rename_all = "camelCase")]
pub struct Watch {
    /// What it looks at.
    pub lists: Vec<WatchList>,
    /// How long before its day a deadline is reported for the first time; again the day before, on the day and
    /// the day after. Units: days; at most [`Watch::FARTHEST`].
    pub warn_days: u16,
    /// After how long of waiting a task is reported; again each time that as much has passed. Units: days; 1 to
    /// [`Watch::FARTHEST`].
    pub waiting_days: u16,
    /// Which tasks it is about.
    pub only: Only,
}

impl Watch {
    /// Units: days.
    pub const FARTHEST: u16 = 366;
}

impl Default for Watch {
    fn default() -> Self {
        Self {
            lists: WatchList::ALL.to_vec(),
            warn_days: 2,
            waiting_days: 7,
            only: Only::default(),
        }
    }
}

/// Proposes to put off what nobody touched.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, rename_all = "camelCase")]
pub struct Sweep {
    /// How long nothing happened. Units: days; 7 to [`Sweep::LONGEST`].
    pub untouched_days: u16,
    /// How many tasks it proposes about at once; 1 to [`Sweep::MOST`].
    pub most: u16,
    /// Which tasks it is about.
    pub only: Only,
}

impl Sweep {
    /// Units: days.
    pub const LONGEST: u16 = 3_660;
    /// More proposals at once than this are not read.
    pub const MOST: u16 = 50;
}

impl Default for Sweep {
    fn default() -> Self {
        Self { untouched_days: 30, most: 5, only: Only::default() }
    }
}

/// A checklist that starts over, or a task that is made again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Repeat {
    /// What is repeated.
    pub what: Repeated,
    /// Whether a standing rule of the person lets runs apply it instead of proposing it.
    #[serde(default)]
    pub by_rule: bool,
}

/// What a [`Repeat`] repeats.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "action", rename_all = "camelCase")]
pub enum Repeated {
    /// Every item of the task's checklists is unticked.
    Reset {
        /// The task, with its title when this was set.
        task: Named<TaskId>,
    },
    /// A task like this one is made: title, category, labels, estimate, and its items, unticked.
    Copy {
        /// The task, with its title when this was set.
        task: Named<TaskId>,
    },
    /// A task with this title is made.
    Make {
        /// The title.
        title: String,
    },
}

/// Which tasks work is about: all those that fit each filter that is not empty.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default, rename_all = "camelCase")]
pub struct Only {
    /// Tasks of these categories.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<Named<CategoryId>>,
    /// Tasks with one of these labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<Named<LabelId>>,
    /// Tasks of these priorities.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub priorities: Vec<Priority>,
}

impl Only {
    /// Whether it is about all tasks.
    pub fn is_all(&self) -> bool {
        self.categories.is_empty() && self.labels.is_empty() && self.priorities.is_empty()
    }
}

/// A parameter that no run can use.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ParameterError {
    /// A number is out of its range.
    #[error("{name} is {given}; write a number from {least} to {most}")]
    Range {
        /// The parameter, as in JSON.
        name: &'static str,
        /// What was given.
        given: u16,
        /// The smallest that is accepted.
        least: u16,
        /// The largest that is accepted.
        most: u16,
    },
    /// Work without a list would never say anything.
    #[error("lists is empty; name at least one of: {allowed}")]
    NoList {
        /// The names of the lists.
        allowed: String,
    },
    /// A task that is made needs a title.
    #[error("title is empty; write the title of the task to make")]
    NoTitle,
}

impl ParameterError {
    /// Why work with such a parameter cannot be switched on.
    pub fn refusal(&self) -> WorkRefusal {
        match self {
            Self::Range { .. } => WorkRefusal::OutOfRange,
            Self::NoList { .. } => WorkRefusal::NoList,
            Self::NoTitle => WorkRefusal::NoTitle,
        }
    }
}

impl WorkParameters {
    /// The kind of work they belong to.
    pub fn kind(&self) -> WorkKind {
        match self {
            Self::Agenda(_) => WorkKind::Agenda,
            Self::Review(_) => WorkKind::Review,
            Self::Watch(_) => WorkKind::Watch,
            Self::Sweep(_) => WorkKind::Sweep,
            Self::Repeat(_) => WorkKind::Repeat,
        }
    }

    /// Which tasks the work is about; all for a repetition, which names its own.
    pub fn only(&self) -> Option<&Only> {
        match self {
            Self::Agenda(it) => Some(&it.only),
            Self::Review(it) => Some(&it.only),
            Self::Watch(it) => Some(&it.only),
            Self::Sweep(it) => Some(&it.only),
            Self::Repeat(_) => None,
        }
    }

    /// Checks them before they are stored.
    pub fn check(&self) -> Result<(), ParameterError> {
        match self {
            Self::Agenda(it) => {
                named(it.lists.is_empty(), AgendaList::ALL.iter().map(|list| list.name()))?;
                within("aheadDays", it.ahead_days, 0, Agenda::FARTHEST)
            }
            Self::Review(it) => {
                named(it.lists.is_empty(), ReviewList::ALL.iter().map(|list| list.name()))?;
                within("days", it.days, 1, Review::LONGEST)?;
                within("stuckDays", it.stuck_days, 1, Review::LONGEST)
            }
            Self::Watch(it) => {
                named(it.lists.is_empty(), WatchList::ALL.iter().map(|list| list.name()))?;
                within("warnDays", it.warn_days, 0, Watch::FARTHEST)?;
                within("waitingDays", it.waiting_days, 1, Watch::FARTHEST)
            }
            Self::Sweep(it) => {
                within("untouchedDays", it.untouched_days, 7, Sweep::LONGEST)?;
                within("most", it.most, 1, Sweep::MOST)
            }
            Self::Repeat(Repeat { what: Repeated::Make { title }, .. })
                if title.trim().is_empty() =>
            {
                Err(ParameterError::NoTitle)
            }
            Self::Repeat(_) => Ok(()),
        }
    }
}

fn within(name: &'static str, given: u16, least: u16, most: u16) -> Result<(), ParameterError> {
    if (least..=most).contains(&given) {
        return Ok(());
    }
    Err(ParameterError::Range { name, given, least, most })
}

fn named<'a>(is_empty: bool, allowed: impl Iterator<Item = &'a str>) -> Result<(), ParameterError> {
    if !is_empty {
        return Ok(());
    }
    Err(ParameterError::NoList { allowed: allowed.collect::<Vec<_>>().join(", ") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_gallery_starts_from_is_accepted() {
        let all = [
            WorkParameters::Agenda(Agenda::default()),
            WorkParameters::Review(Review::default()),
            WorkParameters::Watch(Watch::default()),
            WorkParameters::Sweep(Sweep::default()),
        ];
        for parameters in all {
            assert_eq!(parameters.check(), Ok(()));
            let stored = serde_json::to_string(&parameters).expect("plain data");
            assert_eq!(serde_json::from_str::<WorkParameters>(&stored).ok(), Some(parameters));
        }
    }

    #[test]
    fn a_parameter_that_no_run_can_use_is_named_with_what_to_write() {
        let refusal_of = |parameters: WorkParameters| parameters.check().unwrap_err().to_string();
        assert_eq!(
            refusal_of(WorkParameters::Sweep(Sweep { untouched_days: 3, ..Sweep::default() })),
            "untouchedDays is 3; write a number from 7 to 3660"
        );
        assert_eq!(
            refusal_of(WorkParameters::Watch(Watch { lists: Vec::new(), ..Watch::default() })),
            "lists is empty; name at least one of: deadlines, waiting"
        );
        let blank = Repeated::Make { title: "  ".into() };
        assert_eq!(
            refusal_of(WorkParameters::Repeat(Repeat { what: blank, by_rule: false })),
            "title is empty; write the title of the task to make"
        );
    }

    #[test]
    fn a_member_that_is_left_out_has_its_default() {
        let read = serde_json::from_str::<WorkParameters>(r#"{"kind":"agenda","aheadDays":1}"#);
        let expected = Agenda { ahead_days: 1, ..Agenda::default() };
        assert_eq!(read.expect("it can be read"), WorkParameters::Agenda(expected));
    }
}
