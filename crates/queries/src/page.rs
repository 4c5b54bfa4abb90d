//! Cursors of paged lists.

use std::fmt::Display;

use dormouse_types::Timestamp;

use crate::QueryError;
use crate::view::Page;

/// The error for a cursor that this list did not return.
pub(crate) fn foreign_cursor(cursor: &str) -> QueryError {
    let shown: String = cursor.chars().take(60).collect();
    QueryError::Invalid {
        field: "?cursor",
        message: format!(
            "`{shown}` is not a cursor of this list: use `nextCursor` of its last page"
        ),
    }
}

/// Parses two values separated by a dot.
pub(crate) fn pair<A: std::str::FromStr, B: std::str::FromStr>(
    cursor: &str,
) -> Result<(A, B), QueryError> {
    let (first, second) = cursor.split_once('.').ok_or_else(|| foreign_cursor(cursor))?;
    match (first.parse(), second.parse()) {
        (Ok(first), Ok(second)) => Ok((first, second)),
        (_, _) => Err(foreign_cursor(cursor)),
    }
}

/// The position after which a page begins, in a list sorted by time and id.
///
/// Shape of the cursor: microseconds, a dot, the id.
pub(crate) fn cursor_or_start(
    cursor: Option<&str>,
    first: (Timestamp, &str),
) -> Result<(Timestamp, String), QueryError> {
    let Some(cursor) = cursor else { return Ok((first.0, first.1.to_owned())) };
    let (micros, id): (i64, String) = pair(cursor)?;
    Ok((Timestamp::from_micros(micros), id))
}

/// The cursor of a position in such a list.
pub(crate) fn cursor_of(at: Timestamp, id: impl Display) -> String {
    format!("{}.{id}", at.micros())
}

/// Truncates the rows read, one more than the limit, to a page.
pub(crate) fn page_of<T>(
    mut items: Vec<T>,
    limit: usize,
    cursor: impl Fn(&T) -> String,
) -> Page<T> {
    let more = items.len() > limit;
    items.truncate(limit);
    let next_cursor = items.last().filter(|_| more).map(cursor);
    Page { items, next_cursor, damaged: Vec::new() }
}

/// The rows that can be read; for the others, `damaged` says why they cannot.
pub(crate) fn sound<T, E: Display>(
    rows: impl IntoIterator<Item = Result<T, E>>,
    damaged: &mut Vec<String>,
) -> Vec<T> {
    let rows = rows.into_iter().map(|row| row.map_err(|error| damaged.push(error.to_string())));
    rows.flatten().collect()
}

/// How many rows to read for a page: one extra shows whether there is another page.
pub(crate) fn rows_to_read(limit: usize) -> i64 {
    i64::try_from(limit.saturating_add(1)).unwrap_or(i64::MAX)
}

/// The latest possible time; the first page of a list sorted by time begins after it.
pub(crate) const LATEST: Timestamp = Timestamp::MAX;
