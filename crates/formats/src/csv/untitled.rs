//! Rows whose title cell is empty. Their other cells are not lost: the first text among them is the
//! title, and a row that has none is quoted in a remark.

use super::sheet::Row;
use crate::intake::{Draft, Gather};
use crate::reading::{Column, Columns, Role};

/// How many rows of values are quoted one by one; the others are counted.
const QUOTED: usize = 50;

/// Units: characters of a cell in a remark.
const CELL: usize = 60;

/// Gives a draft the title that its row lacks. Returns false if no cell has words.
pub(super) fn title(row: &Row, columns: &Columns, draft: &mut Draft) -> bool {
    let Some(text) = words_of(row, columns) else { return false };
    let first = text.lines().map(str::trim).find(|line| has_words(line)).unwrap_or(text);
    draft.task.title = first.to_owned();
    // A note that is the title already would be said twice.
    if draft.note.trim() == first {
        draft.note.clear();
    }
    true
}

/// Leaves a row without words out.
///
/// `n_before`: how many rows of this sheet were left out before.
pub(super) fn leave_out(row: &Row, n_before: usize, gather: &mut Gather<'_>) {
    let line = *row.lines.start();
    let cells = row.cells.iter().map(str::trim).filter(|cell| !cell.is_empty());
    let quoted: Vec<String> = cells.map(|cell| format!("“{}”", shortened(cell))).take(8).collect();
    let message = if n_before < QUOTED {
        format!("a row without a title or any text is left out: {}", quoted.join(", "))
    } else {
        "a row without a title or any text is left out".to_owned()
    };
    gather.say(line, message);
    gather.claim(row.lines.clone(), Role::Skipped, None);
}

/// The first cell that says something in words: a text, else a name.
fn words_of<'r>(row: &'r Row, columns: &Columns) -> Option<&'r str> {
    let is_text = |column: Column| match column {
        Column::Title
        | Column::Note
        | Column::Items
        | Column::Entries
        | Column::Parent
        | Column::Canceled
        | Column::Outcome
        | Column::KeptInNote => true,
        Column::Key
        | Column::Done
        | Column::Status
        | Column::Reason
        | Column::Priority
        | Column::Due
        | Column::Start
        | Column::Estimate
        | Column::Language
        | Column::Category
        | Column::Label
        | Column::Details
        | Column::Starred
        | Column::Private
        | Column::LeftOut => false,
    };
    let is_name = |column| matches!(column, Column::Reason | Column::Category | Column::Label);
    let cells = || (0..row.cells.len()).map(|at| (meaning(columns, at), row.cell(at)));
    let with_words = |is: &dyn Fn(Column) -> bool| {
        cells().find(|(column, cell)| is(*column) && has_words(cell)).map(|(_, cell)| cell)
    };
    with_words(&is_text).or_else(|| with_words(&is_name))
}

/// A cell beyond the last column is kept as text.
fn meaning(columns: &Columns, at: usize) -> Column {
    columns.columns.get(at).map_or(Column::KeptInNote, |guess| guess.column)
}

fn has_words(text: &str) -> bool {
    // A single letter is a mark, and so are the words that spreadsheets write for a box.
    let is_mark = ["true", "false"].iter().any(|mark| text.eq_ignore_ascii_case(mark));
    !is_mark && text.chars().filter(|c| c.is_alphabetic()).nth(1).is_some()
}

fn shortened(cell: &str) -> String {
    let line: String = cell.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(CELL) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
