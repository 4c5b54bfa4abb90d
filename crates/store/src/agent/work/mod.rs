//! Agent work: definitions, what they tell their runs, runs, questions, corrections, summaries of older
//! runs, steps, the changes and the hooks that start them, and notices to the person.

pub mod place;
pub mod definition;
pub mod version;
pub mod run;
pub mod question;
pub mod correction;
pub mod summary;
pub mod filter;
pub mod hook;
pub mod hook_call;
pub mod step;
pub mod result;
pub mod status;
pub mod delivery;

use std::str::FromStr;

use dormouse_types::IdError;
use dormouse_types::closed_list::ClosedList;

use crate::commit::Db;
use crate::store::ReadError;
use crate::value::{ColumnError, Row};

/// Reads the columns of one row, and names the row in errors.
pub(in crate::agent) struct Columns<'r> {
    row: &'r Row,
    noun: &'static str,
    id: &'r str,
}

impl<'r> Columns<'r> {
    /// The first column holds the id.
    pub(in crate::agent) fn of(row: &'r Row, noun: &'static str) -> Result<Self, ReadError> {
        let id = row.text(0).map_err(|e| ReadError::column(Db::Agent, noun, &e))?;
        Ok(Self { row, noun, id })
    }

    pub(in crate::agent) fn corrupt(&self, detail: impl ToString) -> ReadError {
        let (noun, id) = (self.noun, self.id.to_owned());
        ReadError::Corrupt { db: Db::Agent.name(), noun, id, detail: detail.to_string() }
    }

    pub(in crate::agent) fn column<T>(
        &self,
        value: Result<T, ColumnError>,
    ) -> Result<T, ReadError> {
        value.map_err(|e| self.corrupt(e))
    }

    pub(in crate::agent) fn text(&self, n: usize) -> Result<String, ReadError> {
        self.column(self.row.text(n)).map(ToOwned::to_owned)
    }

    pub(in crate::agent) fn opt_text(&self, n: usize) -> Result<Option<String>, ReadError> {
        Ok(self.column(self.row.opt_text(n))?.map(ToOwned::to_owned))
    }

    pub(in crate::agent) fn int(&self, n: usize) -> Result<i64, ReadError> {
        self.column(self.row.int(n))
    }

    pub(in crate::agent) fn id<T: FromStr<Err = IdError>>(&self, n: usize) -> Result<T, ReadError> {
        self.column(self.row.text(n))?.parse().map_err(|e| self.corrupt(e))
    }

    pub(in crate::agent) fn opt_id<T: FromStr<Err = IdError>>(
        &self,
        n: usize,
    ) -> Result<Option<T>, ReadError> {
        let text = self.column(self.row.opt_text(n))?;
        text.map(|text| text.parse().map_err(|e| self.corrupt(e))).transpose()
    }

    pub(in crate::agent) fn listed<T: ClosedList>(&self, n: usize) -> Result<T, ReadError> {
        T::parse(self.column(self.row.text(n))?).map_err(|e| self.corrupt(e))
    }

    pub(in crate::agent) fn opt_listed<T: ClosedList>(
        &self,
        n: usize,
    ) -> Result<Option<T>, ReadError> {
        let text = self.column(self.row.opt_text(n))?;
        text.map(|text| T::parse(text).map_err(|e| self.corrupt(e))).transpose()
    }
}
