//! Lists of rows of one workspace or of all of them, read page by page: a row that is damaged, or that cannot
//! be dealt with, does not block other rows.

use dormouse_types::{Timestamp, WorkspaceId};

use crate::commit::Db;
use crate::params_values;
use crate::store::ReadError;
use crate::value::{Row, Value};

/// A place in such a list: after the row that has these values.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The number that the list is ordered by first, a time as microseconds.
    pub(super) n: i64,
    /// The workspace of the row.
    pub workspace: WorkspaceId,
    /// The id of the row, as stored.
    pub id: String,
}

impl Place {
    /// The place before all rows.
    pub const START: Self =
        Self { n: i64::MIN, workspace: WorkspaceId(i64::MIN), id: String::new() };

    /// The place after the last row of a page; `None` if the page is the last one.
    pub fn after_page<T>(page: &[PlacedRow<T>], limit: i64) -> Option<Self> {
        let is_full = i64::try_from(page.len()).is_ok_and(|n| n >= limit);
        page.last().filter(|_| is_full).map(|last| last.place.clone())
    }

    /// The parameters of a query for the page after this place, by a time: the time, the workspace or none,
    /// the place, the number of rows.
    pub(super) fn params_of_page(
        &self,
        at: Timestamp,
        of: Option<WorkspaceId>,
        limit: i64,
    ) -> Vec<Value> {
        params_values![at, of.map(|of| of.0), self.n, self.workspace.0, self.id.as_str(), limit]
    }

    /// Reads the place of a row from the columns of its number, its workspace and its id.
    pub(super) fn of(
        row: &Row,
        noun: &'static str,
        [n, workspace, id]: [usize; 3],
    ) -> Result<Self, ReadError> {
        let column = |e| ReadError::column(Db::Agent, noun, &e);
        Ok(Self {
            n: row.int(n).map_err(column)?,
            workspace: WorkspaceId(row.int(workspace).map_err(column)?),
            id: row.text(id).map_err(column)?.to_owned(),
        })
    }
}

/// One row of such a list.
#[derive(Debug)]
pub struct PlacedRow<T> {
    /// Its place.
    pub place: Place,
    /// What it is, or why it cannot be read.
    pub row: Result<T, ReadError>,
}
