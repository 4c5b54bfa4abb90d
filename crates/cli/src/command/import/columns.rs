//! The columns of a sheet in a plan that a person edits: a row for each, with a word for what it is.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use dormouse::imports::{Column, ImportPlan};

use crate::terminal::line;

/// The word for a column. `due` and not `due date`: one word each.
const WORDS: &[(Column, &str)] = &[
    (Column::Key, "id"),
    (Column::Title, "title"),
    (Column::Done, "done"),
    (Column::Status, "status"),
    (Column::Reason, "reason"),
    (Column::Priority, "priority"),
    (Column::Due, "due"),
    (Column::Start, "start"),
    (Column::Estimate, "estimate"),
    (Column::Language, "language"),
    (Column::Category, "category"),
    (Column::Label, "labels"),
    (Column::Items, "items"),
    (Column::Parent, "parent"),
    (Column::Canceled, "canceled"),
    (Column::Outcome, "outcome"),
    (Column::Note, "note"),
    (Column::Entries, "entries"),
    (Column::Details, "details"),
    (Column::Starred, "starred"),
    (Column::Private, "private"),
    (Column::KeptInNote, "text"),
    (Column::LeftOut, "out"),
];

fn word(column: Column) -> &'static str {
    WORDS.iter().find(|(known, _)| *known == column).map_or("text", |(_, word)| word)
}

/// A row for each column of the sheet; empty for another format.
pub(super) fn rows(made: &ImportPlan) -> String {
    let mut out = String::new();
    let Some(sheet) = &made.sheet else { return out };
    let digits = sheet.columns.len().to_string().len();
    for (at, guess) in (1..).zip(&sheet.columns) {
        // Writing to a String cannot fail.
        let _always =
            writeln!(out, "| {at:>digits$} {:<8} {}", word(guess.column), line(&guess.name));
    }
    out
}

/// A row without its bar: the number of the column, and what it is.
pub(super) fn read(row: &str) -> Result<(usize, Column), String> {
    let mut words = row.split_whitespace();
    let at = words.next().and_then(|at| at.parse().ok()).filter(|at| *at > 0);
    let Some(at) = at else {
        return Err("a row of a column begins with `|` and the number of the column".to_owned());
    };
    let declared = words.next().unwrap_or_default();
    let column = WORDS.iter().find(|(_, word)| *word == declared).map(|&(column, _)| column);
    let column = column.ok_or_else(|| {
        let all: Vec<&str> = WORDS.iter().map(|(_, word)| *word).collect();
        format!("unknown meaning of a column `{}`; one of: {}", line(declared), all.join(", "))
    })?;
    Ok((at, column))
}

/// What each column means, if a person changed that. A column whose row was removed is left out.
pub(super) fn changed(
    made: &ImportPlan,
    declared: &BTreeMap<usize, Column>,
) -> Result<Option<Vec<Column>>, String> {
    let before = made.sheet.as_ref().map(|sheet| sheet.meanings()).unwrap_or_default();
    if let Some(at) = declared.keys().find(|at| **at > before.len()) {
        return Err(format!("{} has no column {at}", line(&made.file)));
    }
    let after: Vec<Column> = (1..=before.len())
        .map(|at| declared.get(&at).copied().unwrap_or(Column::LeftOut))
        .collect();
    Ok((after != before).then_some(after))
}
