//! Rows that name another row as the task they are a part of: items of it, if an item can hold what they say.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::sheet::Row;
use crate::intake::{
    Draft, Gather, Member, ReadError, family, fold, names_id, names_parent, of_item,
};
use crate::reading::{Columns, Role};

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
    let categories: Vec<_> = parts.iter().map(|part| part.draft.task.category.clone()).collect();
    let members = family(&parents, |at| {
        let category = &categories[at];
        let is_there = parents[at].is_some_and(|parent| categories[parent] == *category);
        parts[at].draft.is_bare() && (category.is_none() || is_there)
    });
    let items: Vec<Option<Item>> =
        parts.iter().zip(&members).map(|(part, member)| Item::of(part, member)).collect();
    for (part, member) in parts.into_iter().zip(members) {
        let Member::Task(below) = member else { continue };
        let Part { row, mut draft, id, parent } = part;
        let line = *row.lines.start();
        let below = below.into_iter().filter_map(|(at, depth)| Some((items[at].as_ref()?, depth)));
        let below: Vec<(&Item, u32)> = below.collect();
        for (item, depth) in &below {
            draft.item(item.id.as_deref(), &item.title, item.is_done, *depth);
            for (name, value) in &item.details {
                draft.details.push(&of_item(name, &item.title), value);
            }
        }
        if let Some((name, cell)) = parent {
            draft.details.push_new(&name, &cell);
            let name: String = name.chars().take(40).collect();
            gather.say(line, format!("the column `{name}` has no field: kept as text"));
        }
        let key = id.unwrap_or_else(|| fold(&draft.task.title));
        let task = gather.add(line, key, draft)?;
        gather.claim(line..=line, Role::Task, Some(task));
        gather.claim(row.lines.clone(), Role::Note, Some(task));
        for (item, _) in below {
            gather.claim(item.lines.clone(), Role::Item, Some(task));
        }
    }
    Ok(())
}

/// A row that is an item.
struct Item {
    id: Option<String>,
    title: String,
    is_done: bool,
    details: Vec<(String, String)>,
    lines: std::ops::RangeInclusive<usize>,
}

impl Item {
    fn of(part: &Part<'_>, member: &Member) -> Option<Self> {
        let details = part.draft.details.iter();
        let details = details.map(|(name, value)| (name.to_owned(), value.to_owned()));
        (*member == Member::Item).then(|| Self {
            id: part.id.clone(),
            title: part.draft.task.title.clone(),
            is_done: part.draft.is_done(),
            details: details.collect(),
            lines: part.row.lines.clone(),
        })
    }
}

/// The row that each row is a part of, by its id or title. What several rows are called names none of them.
fn parents(parts: &[Part<'_>], columns: &Columns) -> Vec<Option<usize>> {
    if parts.iter().all(|part| part.parent.is_none()) {
        return vec![None; parts.len()];
    }
    let is_id = |name: &str| names_id(name) && !names_parent(name);
    let ids: Vec<usize> =
        (0..columns.columns.len()).filter(|&at| is_id(&columns.columns[at].name)).collect();
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
