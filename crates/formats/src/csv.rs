//! Reads sheets: rows with cells that a comma, semicolon, tab or bar separates.
//!
//! - A text that is nothing but a table of Markdown is a sheet too.
//! - Todoist's template is known by its columns `TYPE` and `CONTENT`, a backup of TickTick by `List Name` and
//!   its others, our own export by its first row.
//! - In any other sheet the meaning of a column is a guess, from its name in several languages and
//!   from what is in it. The reading has the guess with its reasons, and a person may say the
//!   meaning of each column.
//! - Lines above the row that names the columns, such as a title, are text of the first task.
//! - Numbers in a column of priorities count from the highest if there are at most four, and a remark says so.
//! - A column without a field is kept as text, under its name. A row without a title
//!   is titled by its first text; one without any text is left out, and a remark quotes its cells.
//! - From a quote that is never closed on, quotes are text.
//!
//! A row is recognized by its key where the sheet has one, else by its title.

mod children;
mod guess;
mod priorities;
mod rows;
mod sheet;
mod ticktick;
mod todoist;
mod untitled;
mod write;

pub(crate) use write::{head, lost, task_row};

use std::collections::{BTreeMap, VecDeque};
use std::ops::RangeInclusive;

use crate::intake::{Gather, Lines, ReadError, ReadOptions};
use crate::markdown;
pub use crate::reading::{Because, Column, ColumnGuess, Columns, SampleRow};
use crate::reading::{Format, Reading, Role};

use guess::SAMPLE;
use sheet::{Row, Sheet};

/// Units: bytes. So much of a text is looked at to find whether it is a sheet.
const LOOKED_AT: usize = 4 * 1024 * 1024;

/// How much of a sheet a person is shown: rows, cells of a row, and characters of a cell.
const SAMPLED_ROWS: usize = 5;
const SAMPLED_CELLS: usize = 60;
const SAMPLED_CHARS: usize = 400;

/// A sheet with so many columns needs no names that are known.
const WIDE: usize = 8;

/// The most cells of one line: more than a sheet of Google Sheets (18,278) or Excel (16,384) has.
const MAX_CELLS: usize = 20_000;

/// Whether a text looks like a sheet: rows of equal length whose first row names a title, or
/// several columns of which one holds days or marks.
pub fn looks_like(text: &str) -> bool {
    // The first rows, however long they are.
    let rows = text.match_indices('\n').nth(2).map_or(text.len(), |(at, _)| at);
    let end = text.floor_char_boundary(rows.clamp(64 * 1024, LOOKED_AT));
    let Ok(lines) = Lines::new("", &text[..end]) else { return false };
    let head = lines.line(0).trim();
    let is_table = || sheet::is_table((0..lines.len()).map(|at| lines.line(at)));
    let is_other = ["#", "- ", "* ", "> ", "|", "<", "{", "[", "BEGIN:", "---"];
    // A column of numbers is often called by their sign.
    let is_number = ["#,", "#;", "#\t"].iter().any(|start| head.starts_with(start));
    let is_marked = !is_number && is_other.iter().any(|start| head.starts_with(start));
    if is_marked && !(head.starts_with('|') && is_table()) {
        return false;
    }
    // Nothing else has lines of so many cells. It is refused where it is read, before a cell costs anything.
    if check_width("", &lines).is_err() {
        return lines.len() >= 2;
    }
    let sheet = Sheet::sample(&lines, SAMPLE);
    let n_columns = sheet.head().len();
    if n_columns < 2 || sheet.rows.len() < 2 {
        return false;
    }
    // Programs leave out empty cells at the end of a row.
    let even = sheet.rows.iter().filter(|row| (2..=n_columns).contains(&row.cells.len())).count();
    let is_even = even * 10 >= sheet.rows.len() * 6;
    let guessed = guess::guess(&sheet);
    // A long note in quotes may be cut here.
    if guessed.is_own {
        return true;
    }
    let is_named = |guess: &ColumnGuess| guess.because == Because::Name;
    let named = guessed.columns.iter().filter(|guess| is_named(guess)).count();
    let has_title =
        guessed.columns.iter().any(|guess| guess.column == Column::Title && is_named(guess));
    let has_data = guessed
        .columns
        .iter()
        .any(|guess| matches!(guess.because, Because::Days { .. } | Because::Marks));
    // Prose has no line of many cells next to one of as many, and not several with a few.
    let is_wide = (n_columns >= WIDE || n_columns >= 4 && sheet.rows.len() >= 4)
        && sheet.rows.iter().all(|row| row.cells.len() == n_columns);
    is_even && (has_title || named >= 2 || (has_data && n_columns >= 3) || is_wide)
}

/// What the columns of a sheet mean.
///
/// Errors: see [`ReadError`].
pub fn columns(name: &str, text: &str) -> Result<Columns, ReadError> {
    let lines = Lines::new(name, text)?;
    check_width(name, &lines)?;
    Ok(guess::guess(&Sheet::sample(&lines, SAMPLE)))
}

/// What a person says of the columns of a sheet; the others are guessed.
#[derive(Debug, Clone, Copy)]
pub enum Meanings<'a> {
    /// What each column means.
    Declared(&'a [Column]),
    /// What columns of these names meant in an earlier version of the sheet.
    Known(&'a [(String, Column)]),
}

/// Reads the rows of a sheet.
///
/// Errors: see [`ReadError`]. No row is an error.
pub fn read(
    name: &str,
    text: &str,
    options: &ReadOptions,
    meanings: Meanings<'_>,
) -> Result<Reading, ReadError> {
    let lines = Lines::new(name, text)?;
    check_width(name, &lines)?;
    let mut gather = Gather::new(name, &lines, options);
    let sheet = Sheet::whole(&lines);
    if let Some(line) = sheet.open_quote {
        gather.say(line, "this quote is never closed: from this line on, quotes are read as text");
    }
    let guessed = guess::guess(&sheet);
    let mut columns = match meanings {
        Meanings::Declared(meanings) => corrected(guessed, name, meanings)?,
        Meanings::Known(known) => recalled(guessed, known),
    };
    columns.sample = sample(&sheet, columns.has_head);
    match columns.is_todoist {
        true => todoist::rows(&sheet, &columns, options, &mut gather)?,
        false => rows::rows(&sheet, &columns, options, &mut gather)?,
    }
    // What a known program writes there is about its export.
    let above = sheet.above.filter(|_| !columns.is_ticktick && !columns.is_todoist);
    let text = above.map(|above| above_text(above, &lines, &mut gather)).unwrap_or_default();
    let mut reading = Reading { sheet: Some(columns), ..gather.finish(Format::Csv) };
    if let Some(first) = reading.tasks.first_mut().filter(|_| !text.is_empty()) {
        first.entries.extend(markdown::entries_of("above the columns#1", &text));
    }
    Ok(reading)
}

/// The first rows below the one that names the columns.
fn sample(sheet: &Sheet, has_head: bool) -> Vec<SampleRow> {
    let rows = sheet.rows.iter().skip(usize::from(has_head)).filter(|row| !row.is_empty());
    let cells = |row: &Row| {
        let cells = row.cells.iter().take(SAMPLED_CELLS);
        cells.map(|cell| cell.trim().chars().take(SAMPLED_CHARS).collect()).collect()
    };
    rows.take(SAMPLED_ROWS)
        .map(|row| SampleRow { line: row.lines.start() + 1, cells: cells(row) })
        .collect()
}

/// The text above the row that names the columns, which is about the whole sheet. The first task keeps it.
fn above_text(above: RangeInclusive<usize>, lines: &Lines<'_>, gather: &mut Gather<'_>) -> String {
    let first = *above.start();
    let text: Vec<&str> = above.clone().map(|line| bare(lines.line(line))).collect();
    let is_kept = gather.has_tasks();
    let kept = if is_kept { "kept in the note of the first task" } else { "left out" };
    gather.say(first, format!("the lines above the header row are {kept}"));
    for line in above.filter(|&line| !bare(lines.line(line)).trim().is_empty()) {
        let (role, task) = if is_kept { (Role::Note, Some(0)) } else { (Role::Skipped, None) };
        gather.claim(line..=line, role, task);
    }
    text.join("\n").trim().to_owned()
}

/// A line without the separators that a spreadsheet writes for its empty cells.
fn bare(line: &str) -> &str {
    line.trim_end_matches([',', ';', '\t', '|', ' '])
}

/// Refuses a text with more cells on one line than any sheet has: each costs memory.
fn check_width(name: &str, lines: &Lines<'_>) -> Result<(), ReadError> {
    let is_wide =
        |line: &str| line.bytes().filter(|byte| b",;\t|".contains(byte)).count() > MAX_CELLS;
    match (0..lines.len()).any(|at| is_wide(lines.line(at))) {
        true => {
            let name = name.to_owned();
            Err(ReadError::TooMany { name, what: "cells on one line", max: MAX_CELLS })
        }
        false => Ok(()),
    }
}

/// The columns with the meanings that a person gave them, one for each.
fn corrected(mut columns: Columns, name: &str, meanings: &[Column]) -> Result<Columns, ReadError> {
    let n_columns = columns.columns.len();
    if meanings.len() != n_columns {
        let (name, n_declared) = (name.to_owned(), meanings.len());
        return Err(ReadError::OtherColumns { name, n_declared, columns: n_columns });
    }
    if !meanings.contains(&Column::Title) {
        return Err(ReadError::NoTitle { name: name.to_owned() });
    }
    for (at, &column) in meanings.iter().enumerate() {
        set(&mut columns, at, column);
    }
    Ok(columns)
}

/// The columns with the meanings that a person gave them when the sheet was imported before. A column
/// is known by its name, and of several columns of one name by its place among them; the guess stays if no
/// column would be the title.
fn recalled(guessed: Columns, known: &[(String, Column)]) -> Columns {
    let mut columns = guessed.clone();
    let mut of_name: BTreeMap<&str, VecDeque<usize>> = BTreeMap::new();
    for (at, guess) in guessed.columns.iter().enumerate() {
        of_name.entry(&guess.name).or_default().push_back(at);
    }
    for (name, column) in known {
        let next = of_name.get_mut(name.as_str()).and_then(VecDeque::pop_front);
        if let Some(at) = next {
            set(&mut columns, at, *column);
        }
    }
    let has_title = columns.columns.iter().any(|guess| guess.column == Column::Title);
    if has_title { columns } else { guessed }
}

fn set(columns: &mut Columns, at: usize, column: Column) {
    let guess = &mut columns.columns[at];
    if guess.column != column {
        (guess.column, guess.because) = (column, Because::Person);
        // The rules of a known template hold for its own columns only.
        columns.is_todoist = false;
    }
}
