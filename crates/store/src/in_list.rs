//! Queries for rows by a list of ids, with the same statement whatever the number of ids.

use std::fmt::Display;
use std::fmt::Write as _;

use dormouse_types::WorkspaceId;

use crate::store::ws;
use crate::value::Value;

/// The most ids in one query: a whole page.
pub const MOST: usize = 200;

/// A statement with the id placeholders between two parts; `?1` is the workspace.
pub(crate) fn sql(before: &str, rest: &str) -> String {
    let mut sql = before.to_owned();
    for place in 2..MOST + 2 {
        let comma = if place == 2 { "" } else { ", " };
        write!(sql, "{comma}?{place}").expect("a string takes everything");
    }
    sql + rest
}

/// The workspace and the ids; unused placeholders are filled with a value that is not an id.
///
/// Panics: if there are more than [`MOST`] ids.
pub(crate) fn params<I: Display>(workspace: WorkspaceId, ids: &[I]) -> Vec<Value> {
    assert!(ids.len() <= MOST, "a query takes the ids of one page");
    let ids = ids.iter().map(|id| Value::Text(id.to_string()));
    let rest = std::iter::repeat_n(Value::Text(String::new()), MOST);
    std::iter::once(ws(workspace)).chain(ids.chain(rest).take(MOST)).collect()
}
