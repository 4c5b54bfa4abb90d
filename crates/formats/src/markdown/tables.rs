//! Tables in a document: those that say what is to be done, and the others, which are text.
//!
//! A table lists what is to be done if it has a column of boxes, or if a column is named like a title and
//! either the heading or line above it says so, or a column of marks says what is done. Its rows are then
//! items of a plain list: the cell of the title names the item, the others follow it with the names of
//! their columns. A box may also stand in the cell of the title.

use dormouse_types::limits;
use dormouse_types::task::Status;

use super::check_box::{CheckBox, names_list};
use super::outline::Outline;
use super::source::Source;
use crate::intake::{self, cells, column_named, is_done, is_ruler, status_of};
use crate::reading::{Column, indent};

/// Units: columns. What is indented further is code.
const INDENTED: usize = 4;

/// The most columns of a table whose rows are items; more make no title.
const MAX_COLUMNS: usize = 20;

struct Table {
    /// The line that names the columns; the next one holds the dashes.
    head: usize,
    /// The line after its last row.
    end: usize,
    names: Vec<String>,
    /// What the columns hold, by their names.
    columns: Vec<Option<Column>>,
    /// Whether each row has a box that somebody drew.
    has_boxes: bool,
}

/// Rows that are items, in order. The line that names their columns stays text; the dashes below it
/// say nothing.
pub(super) fn rows(source: &Source<'_>, outline: &mut Outline) -> Vec<CheckBox> {
    let mut items = Vec::new();
    let mut n_plain = outline.boxes.iter().filter(|check| check.is_plain).count();
    let mut number = outline.first;
    while number + 1 < source.n_lines() {
        let Some(mut table) = table(source, outline, number) else {
            number += 1;
            continue;
        };
        let rows = table.head + 2..table.end;
        number = table.end;
        if n_plain + rows.len() > limits::ITEMS_PER_TASK.max {
            continue;
        }
        let parts: Vec<Vec<String>> = rows.clone().map(|row| of_line(source.line(row))).collect();
        let has_boxes = table.find_boxes(&parts);
        let has_title = table.columns.contains(&Some(Column::Title));
        let says_so = has_title && (is_list(source, outline, &table) || table.has_marks(&parts));
        if !(has_boxes || says_so) {
            continue;
        }
        n_plain += parts.len();
        outline.lines[table.head + 1].is_ruler = true;
        items.extend(rows.zip(parts).filter_map(|(row, cells)| table.item(source, row, &cells)));
    }
    items
}

/// The table whose head is on a line.
fn table(source: &Source<'_>, outline: &Outline, head: usize) -> Option<Table> {
    let is_row = |line: usize| {
        let text = source.line(line);
        text.contains('|') && indent(text) < INDENTED && !outline.lines[line].is_opaque
    };
    if !is_row(head) || !is_row(head + 1) || !is_ruler(source.line(head + 1)) {
        return None;
    }
    let names = of_line(source.line(head));
    let columns = names.iter().map(|name| column_named(name)).collect::<Vec<_>>();
    if names.len() > MAX_COLUMNS {
        return None;
    }
    let end = (head + 2..source.n_lines()).find(|&line| !is_row(line)).unwrap_or(source.n_lines());
    (end > head + 2).then_some(Table { head, end, names, columns, has_boxes: false })
}

fn of_line(line: &str) -> Vec<String> {
    cells(line.trim().split('|')).iter().map(|cell| cell.trim().to_owned()).collect()
}

/// Whether the heading of a table, or the line above it, says that it is to be done.
fn is_list(source: &Source<'_>, outline: &Outline, table: &Table) -> bool {
    let next = outline.headings.partition_point(|heading| heading.first <= table.head);
    let heading = next.checked_sub(1).map(|at| &outline.headings[at]);
    let from = heading.map_or(outline.first, |heading| heading.last + 1);
    let above = (from..table.head).rev().find(|&line| !source.line(line).trim().is_empty());
    heading.is_some_and(|heading| intake::names_actions(&heading.text))
        || above.is_some_and(|line| names_list(source.line(line)))
}

/// The box that a cell begins with, and the words after it. A tick alone is more often an answer than
/// something done.
fn boxed(cell: &str) -> Option<(char, &str)> {
    let cell = ['-', '*', '+']
        .iter()
        .find_map(|&marker| cell.strip_prefix(marker)?.strip_prefix(' '))
        .map_or(cell, str::trim_start);
    cell.starts_with(['[', '☐', '☑', '☒']).then(|| intake::boxed(cell)).flatten()
}

impl Table {
    /// Finds the column of boxes: the only one whose cells all begin with one. It says what is done,
    /// or it is the title; without a column named like a title, the first other one with words is.
    fn find_boxes(&mut self, rows: &[Vec<String>]) -> bool {
        let of_boxes = |at: &usize| {
            rows.iter().all(|row| row.get(*at).is_some_and(|cell| boxed(cell).is_some()))
        };
        let mut columns = (0..self.columns.len()).filter(of_boxes);
        let (Some(at), None) = (columns.next(), columns.next()) else { return false };
        let is_alone =
            rows.iter().all(|row| boxed(&row[at]).is_some_and(|(_, words)| words.is_empty()));
        let other = if is_alone { Column::Done } else { Column::Title };
        self.columns
            .iter_mut()
            .filter(|column| **column == Some(other))
            .for_each(|column| *column = None);
        self.columns[at] = Some(other);
        if !self.columns.contains(&Some(Column::Title)) {
            let has_words = |at: &usize| {
                rows.iter().any(|row| row.get(*at).is_some_and(|cell| !cell.is_empty()))
            };
            let title = (0..self.columns.len()).filter(|&column| column != at).find(has_words);
            title.into_iter().for_each(|title| self.columns[title] = Some(Column::Title));
        }
        self.has_boxes = self.columns.contains(&Some(Column::Title));
        self.has_boxes
    }

    /// Whether a column of it has marks for what is done and nothing else. A column called "name"
    /// is no sign of a task.
    fn has_marks(&self, rows: &[Vec<String>]) -> bool {
        let names_task = self.columns.iter().zip(&self.names).any(|(column, name)| {
            *column == Some(Column::Title) && !name.eq_ignore_ascii_case("name")
        });
        let is_mark = |cell: &str| match cell {
            "" => true,
            cell => status_of(cell).is_some() || is_done(cell).is_some(),
        };
        let is_marked = |at: usize| {
            rows.iter().all(|row| row.get(at).is_none_or(|cell| is_mark(cell)))
                && rows.iter().any(|row| row.get(at).is_some_and(|cell| !cell.is_empty()))
        };
        let of_marks =
            |column: &Option<Column>| matches!(column, Some(Column::Done | Column::Status));
        let columns = self.columns.iter().enumerate();
        names_task && columns.filter(|(_, column)| of_marks(column)).any(|(at, _)| is_marked(at))
    }

    /// The item that a row is; none if nothing is in it.
    fn item(&self, source: &Source<'_>, line: usize, cells: &[String]) -> Option<CheckBox> {
        let title = self.columns.iter().position(|column| *column == Some(Column::Title))?;
        let is_filled = |at: &usize| cells.get(*at).is_some_and(|cell| !cell.is_empty());
        let title = Some(title).filter(is_filled).or_else(|| (0..cells.len()).find(is_filled))?;
        let mut is_checked = false;
        let mut others = Vec::new();
        for (at, cell) in
            cells.iter().enumerate().filter(|(at, cell)| *at != title && !cell.is_empty())
        {
            let column = self.columns.get(at).copied().flatten();
            let done = match column {
                Some(Column::Done) => is_done(cell),
                Some(Column::Status) => status_of(cell).map(|status| status == Status::Done),
                _ => None,
            };
            is_checked |= done == Some(true);
            // A mark is in the box; a word such as "blocked" is more than the box can say.
            let is_stated = match column {
                Some(Column::Done) => done.is_some(),
                Some(Column::Status) => {
                    matches!(status_of(cell), Some(Status::Done | Status::Open))
                }
                _ => false,
            };
            if !is_stated {
                others.push(match self.names.get(at).filter(|name| !name.is_empty()) {
                    Some(name) => format!("{name}: {cell}"),
                    None => cell.clone(),
                });
            }
        }
        let (mark, name) = boxed(&cells[title])
            .filter(|(_, words)| self.has_boxes && !words.is_empty())
            .unwrap_or((' ', &cells[title]));
        is_checked |= intake::is_tick(mark) == Some(true);
        let name = name.to_owned();
        let words = match others.is_empty() {
            true => name.clone(),
            false => format!("{name} ({})", others.join("; ")),
        };
        let (start, text) = (source.start(line), source.line(line));
        let at = start + (text.len() - text.trim_start().len());
        let mark = if is_checked { 'x' } else { ' ' };
        let mut check = CheckBox::new(source, (line, line), None, at, "", mark);
        (check.title, check.row, check.is_plain) = (words, Some(name), !self.has_boxes);
        Some(check)
    }
}
