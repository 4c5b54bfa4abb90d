//! A database that the check of a data folder reads, and how findings name what they are about.

use dormouse_store::backend::sqlite::inspection::Inspection;
use dormouse_store::{Db, Query, ReadError};
use dormouse_types::WorkspaceId;

use crate::view::Diagnosis;

/// What to do about a file that cannot be read.
pub(super) const RESTORE: &str = "restore the data folder from a backup";

/// A database that can be queried, with its name.
pub(super) struct Open {
    pub inspection: Inspection,
    pub ws: WorkspaceId,
    pub db: Db,
    pub host: Option<String>,
}

impl Open {
    /// Reads rows; a failure becomes a finding and yields no rows.
    pub fn all<T>(&self, query: Query<T>, what: &str, diagnosis: &mut Diagnosis) -> Vec<T> {
        self.inspection.all(query).unwrap_or_else(|error| {
            let action = RESTORE;
            diagnosis.problem(format!("the {what} cannot be read: {error}"), action);
            Vec::new()
        })
    }

    /// The rows of a query that can be read; each of the others becomes a finding. With the id in the first
    /// column of the last row.
    pub fn sound<T>(
        &self,
        query: Query<T>,
        what: &str,
        diagnosis: &mut Diagnosis,
    ) -> (Vec<T>, Option<String>) {
        let rows = self.inspection.each(query).unwrap_or_else(|error| {
            diagnosis.problem(format!("the {what} cannot be read: {error}"), RESTORE);
            Vec::new()
        });
        let last = rows.last().map(|read| read.first.clone());
        let (sound, errors): (Vec<_>, Vec<_>) =
            rows.into_iter().map(|read| read.row).partition(Result::is_ok);
        damaged(errors.into_iter().map(|row| row.map(drop)), diagnosis);
        (sound.into_iter().flatten().collect(), last)
    }
}

/// Makes a finding of each row that cannot be read.
pub(super) fn damaged(
    rows: impl Iterator<Item = Result<(), ReadError>>,
    diagnosis: &mut Diagnosis,
) {
    for error in rows.filter_map(Result::err) {
        let action = "restore this row from a backup of the data folder; the others can be used";
        diagnosis.problem(error.to_string(), action);
        diagnosis.damaged.push(match error {
            ReadError::Corrupt { id, .. } => id,
            ReadError::Engine { db, .. } => db.to_owned(),
        });
    }
}

/// Lists a few names, or the first of many.
pub(super) fn named(all: &[String]) -> String {
    match all.len() {
        0..=3 => all.join(", "),
        n => format!("{} and {} more", all[..3].join(", "), n - 3),
    }
}
