//! Rows that name another row as the task they are a part of: items of it, if an item can hold what they say.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::sheet::Row;
use crate::intake::{Candidate, Draft, Family, Gather, ReadError, families, fold, names_id};
use crate::reading::{Column, ColumnGuess, Columns, Role};

/// A row with what was read of it.
pub(super) struct Part<'s> {
    pub row: &'s Row,
    pub draft: Draft,
    pub id: Option<String>,
    /// The task that it is a part of: the name of the column, and the cell.
    pub parent: Option<(String, String)>,
}

/// Makes tasks of the rows, and items of those that are only parts of another.
pub(super) fn settle(
    parts: Vec<Part<'_>>,
    columns: &Columns,
    gather: &mut Gather<'_>,
) -> Result<(), ReadError> {
    let parents = parents(&parts, columns);
    let (rows, candidates): (Vec<_>, Vec<_>) = parts
        .into_iter()
        .map(|Part { row, draft, id, parent }| {
            ((row, parent), Candidate { draft, id, lines: row.lines.clone() })
        })
        .unzip();
    // An item has no category of its own.
    let fits_an_item = |at: usize, candidates: &[Candidate]| {
        let category = |at: usize| &candidates[at].draft.task.category;
        let is_there = parents[at].is_some_and(|parent| category(parent) == category(at));
        candidates[at].draft.is_bare() && (category(at).is_none() || is_there)
    };
    for Family { at, task, items } in families(candidates, &parents, fits_an_item) {
        let Candidate { mut draft, id, lines } = task;
        let line = *lines.start();
        if let (_, Some((name, cell))) = &rows[at] {
            draft.details.push_new(name, cell);
            let name: String = name.chars().take(40).collect();
            gather
                .say(line, format!("the column `{name}` has no matching field: kept in the note"));
        }
        let key = id.unwrap_or_else(|| fold(&draft.task.title));
        let task = gather.add(line, key, draft)?;
        gather.claim(line..=line, Role::Task, Some(task));
        gather.claim(lines, Role::Note, Some(task));
        for lines in items {
            gather.claim(lines, Role::Item, Some(task));
        }
    }
    Ok(())
}

/// The row that each row is a part of, by its id or title. What several rows are called names none of them.
fn parents(parts: &[Part<'_>], columns: &Columns) -> Vec<Option<usize>> {
    if parts.iter().all(|part| part.parent.is_none()) {
        return vec![None; parts.len()];
    }
    let is_id = |guess: &ColumnGuess| names_id(&guess.name) && guess.column != Column::Parent;
    let ids: Vec<usize> =
        (0..columns.columns.len()).filter(|&at| is_id(&columns.columns[at])).collect();
    let mut rows: HashMap<String, Option<usize>> = HashMap::new();
    let mut name = |name: &str, at: usize| match rows.entry(fold(name)) {
        Entry::Vacant(free) => drop(free.insert(Some(at))),
        Entry::Occupied(mut taken) if *taken.get() != Some(at) => drop(taken.insert(None)),
        Entry::Occupied(_) => {}
    };
    for (at, part) in parts.iter().enumerate() {
        let cells = ids.iter().map(|&column| part.row.cell(column));
        let names = cells.chain(part.id.as_deref()).chain([part.draft.task.title.as_str()]);
        names.filter(|name| !name.trim().is_empty()).for_each(|text| name(text, at));
    }
    let parent = |(at, part): (usize, &Part<'_>)| {
        let (_, cell) = part.parent.as_ref()?;
        let cell = without_address(cell);
        rows.get(&fold(cell)).copied().flatten().filter(|&parent| parent != at)
    };
    parts.iter().enumerate().map(parent).collect()
}

/// The title of a page that Notion names with its address: `Launch (https://www.notion.so/…)`.
fn without_address(cell: &str) -> &str {
    let named = cell.strip_suffix(')').and_then(|cell| cell.rsplit_once(" (http"));
    named.map_or(cell, |(title, _)| title.trim())
}
