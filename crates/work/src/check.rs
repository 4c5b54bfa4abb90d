//! Recomputes what definitions say about their runs, and reads what is written within their columns.

use std::fmt::Display;

use dormouse_formats::recurrence::{Person, Position};
use dormouse_store::agent::work::definition::{self, Definition};
use dormouse_store::{Db, ReadError};
use dormouse_types::WorkspaceId;
use dormouse_types::built_in_work::BuiltInWork;

use crate::{Work, WorkError, series_text};

/// Reads what is written within the columns of a definition: what it does without a language model, when it
/// happens, and how far that has come.
///
/// Errors: the first column that cannot be read.
pub fn read_columns(of: &Definition) -> Result<(), ReadError> {
    let corrupt = |column: &str, error: &dyn Display| {
        let (noun, id, detail) = ("agent work", of.id.to_string(), format!("{column}: {error}"));
        ReadError::Corrupt { db: Db::Agent.name(), noun, id, detail }
    };
    if let Some(text) = &of.built_in {
        serde_json::from_str::<BuiltInWork>(text).map_err(|e| corrupt("built_in", &e))?;
    }
    if let Some(text) = &of.position {
        serde_json::from_str::<Position>(text).map_err(|e| corrupt("position", &e))?;
    }
    // Where the person is changes when it is due, not whether it can be read.
    let person =
        Person { zone: jiff::tz::TimeZone::UTC, day_due_at: jiff::civil::Time::midnight() };
    match of.schedule.as_deref().map(|text| series_text::read(text, &person)) {
        Some(Err(error)) => Err(corrupt("schedule", &error)),
        Some(Ok(_)) | None => Ok(()),
    }
}

impl Work {
    /// Compares the columns that definitions have of their runs with the runs; returns a line for each
    /// definition that differs, and for each that cannot be read, itself or its runs.
    pub async fn check(&self, ws: WorkspaceId) -> Result<Vec<String>, WorkError> {
        let (mut wrong, mut after) = (Vec::new(), String::new());
        loop {
            let page = self.store.each(definition::page(ws, &after, 200)).await?;
            if page.is_empty() {
                return Ok(wrong);
            }
            for one in page {
                let definition = match one {
                    Ok(definition) => definition,
                    // A row without a readable place would be read for ever.
                    Err(ReadError::Corrupt { ref id, .. }) if *id > after => {
                        after.clone_from(id);
                        wrong.extend(one.err().map(|error| error.to_string()));
                        continue;
                    }
                    Err(error) => return Err(error.into()),
                };
                after = definition.id.to_string();
                match self.snapshot_of(ws, definition).await {
                    Ok(snapshot) => wrong.extend(Self::wrong_columns(&snapshot)),
                    Err(error) if error.is_damage() => wrong.push(format!("{after}: {error}")),
                    Err(error) => return Err(error),
                }
            }
        }
    }
}
