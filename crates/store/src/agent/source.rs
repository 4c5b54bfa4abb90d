//! What a text was made of: the rows whose privacy decides who may read it.

use dormouse_types::change::What;
use dormouse_types::{ChangeSetId, EntryId, LabelId, RunKey, TaskId};
use serde::{Deserialize, Serialize};

use crate::store::ReadError;
use crate::value::{ColumnError, Row};

/// Something that a text was made of.
///
/// Sources are stored instead of flags, because a flag can change after the text was written: who may
/// read a text is decided when it is sent.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    /// Fields of a task, its checklist, or its title as seen through a link.
    Task(TaskId),
    Entry(EntryId),
    /// The name of a label, whatever tasks have it.
    Label(LabelId),
    /// Whatever a run's model was shown: it wrote the text.
    Run(RunKey),
    /// The run that made these proposals.
    Proposals(ChangeSetId),
    /// Nobody knows: the text was written before sources were.
    Unknown,
}

impl Source {
    /// The task, if it is one.
    pub fn task(&self) -> Option<&TaskId> {
        match self {
            Self::Task(id) => Some(id),
            Self::Entry(_) | Self::Label(_) | Self::Run(_) | Self::Proposals(_) | Self::Unknown => {
                None
            }
        }
    }

    /// The entry, if it is one.
    pub fn entry(&self) -> Option<&EntryId> {
        match self {
            Self::Entry(id) => Some(id),
            Self::Task(_) | Self::Label(_) | Self::Run(_) | Self::Proposals(_) | Self::Unknown => {
                None
            }
        }
    }

    /// The label, if it is one.
    pub fn label(&self) -> Option<&LabelId> {
        match self {
            Self::Label(id) => Some(id),
            Self::Task(_) | Self::Entry(_) | Self::Run(_) | Self::Proposals(_) | Self::Unknown => {
                None
            }
        }
    }

    /// What a change of a task is made of, as that task sees it. A link or an item that moved names
    /// another task, which may be kept from a model that may see this one.
    pub fn of_change(what: &What, task: &TaskId) -> Vec<Self> {
        match what {
            What::EntryAdded { entry }
            | What::EntryEdited { entry }
            | What::EntryDeleted { entry }
            | What::EntryRestored { entry }
            | What::EntryFlagged { entry, .. } => vec![Self::Entry(entry.clone())],
            What::LinkAdded { .. } | What::LinkRemoved { .. } | What::ItemMoved { .. } => {
                let moved = what.moved(task).map(|(_, other, _)| other.clone());
                let other = what.other_end(task).map(|end| end.task.clone()).or(moved);
                [task.clone()].into_iter().chain(other).map(Self::Task).collect()
            }
            What::TaskCreated { .. }
            | What::TaskDeleted
            | What::TaskRestored
            | What::FieldSet(_)
            | What::ItemAdded { .. }
            | What::ItemChecked { .. }
            | What::ItemRenamed { .. }
            | What::ItemArchived { .. }
            | What::LabelAdded { .. }
            | What::LabelRemoved { .. }
            | What::Unknown => vec![Self::Task(task.clone())],
        }
    }
}

/// Serializes sources for a column.
pub(crate) fn column(sources: &[Source]) -> String {
    serde_json::to_string(sources).expect("sources are plain data")
}

/// Reads a column of sources; without a value they are unknown.
pub(crate) fn of_column(row: &Row, n: usize, noun: &'static str) -> Result<Vec<Source>, ReadError> {
    let wrong = |e: ColumnError| ReadError::column(crate::Db::Agent, noun, &e);
    let Some(text) = row.opt_text(n).map_err(wrong)? else { return Ok(vec![Source::Unknown]) };
    // A kind of source that a newer version wrote is as good as unknown.
    Ok(serde_json::from_str(text).unwrap_or_else(|_| vec![Source::Unknown]))
}
