//! How a proposal names another task.

use std::fmt;
use std::str::FromStr;

use dormouse_types::TaskId;
use dormouse_types::task::{LinkDirection, LinkKind, Status};

/// A text that names no task, with what to give instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotATask(pub String);

/// The task that a proposal names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskRef {
    /// A task that exists.
    Task(TaskId),
    /// The task that an item of the same set makes.
    Item(i64),
}

impl fmt::Display for TaskRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Task(id) => write!(f, "{id}"),
            Self::Item(index) => write!(f, "$item:{index}"),
        }
    }
}

impl FromStr for TaskRef {
    type Err = NotATask;

    fn from_str(text: &str) -> Result<Self, NotATask> {
        let text = text.trim();
        let wrong = || {
            let short: String = text.chars().take(60).collect();
            NotATask(format!(
                "to is {short:?}; give the id of a task, jt-…, or $item:N of a follow-up task that you propose"
            ))
        };
        match text.strip_prefix("$item:") {
            Some(index) => {
                index.parse().ok().filter(|index| *index > 0).map(Self::Item).ok_or_else(wrong)
            }
            None => text.parse().map(Self::Task).map_err(|_| wrong()),
        }
    }
}

/// Another task that a call names, as it is when the call is made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedTask {
    pub id: TaskId,
    pub title: String,
    pub status: Status,
    pub is_deleted: bool,
    /// How the task that the call is about is linked to it.
    pub links: Vec<(LinkKind, LinkDirection)>,
}
