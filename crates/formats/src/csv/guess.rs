//! Guesses what the columns of a sheet mean.

use std::collections::BTreeSet;

use super::sheet::Sheet;
use super::write::{HEAD, OLDER};
use super::{ticktick, todoist};
use crate::intake::{
    Dates, ReadOptions, boxed, column_named, is_done, names_any_day, names_id, names_past,
    priority_of, status_of, without_limit,
};
use crate::reading::{Because, Column, ColumnGuess, Columns};

/// The rows that a guess looks at.
pub(super) const SAMPLE: usize = 200;

/// Units: characters. A longer text is no title.
const LONG_TITLE: usize = 120;

/// The most columns that are guessed; the cells beyond are kept as text.
const MAX_GUESSED: usize = 2000;

/// The columns of a sheet, from its first row and from what is below it.
pub(super) fn guess(sheet: &Sheet) -> Columns {
    let head = sheet.head();
    let is_own = (head.len() == HEAD.len() || OLDER.contains(&head.len()))
        && head.iter().zip(HEAD).all(|(name, (own, _))| name == own);
    let upper: Vec<String> = head.iter().map(|name| name.to_uppercase()).collect();
    let has = |name: &str| upper.iter().any(|known| known == name);
    let is_todoist = has("TYPE") && has("CONTENT") && (has("INDENT") || has("PRIORITY"));
    let is_ticktick = ticktick::is_head(&upper);
    let has_head = is_own || is_todoist || is_ticktick || is_head(&head);
    let width = sheet.rows.iter().take(SAMPLE).map(|row| row.cells.len()).max().unwrap_or(0);
    let width = width.min(MAX_GUESSED);
    let name = |at: usize| {
        let name = head.get(at).copied().unwrap_or_default();
        if has_head && !name.is_empty() { name.to_owned() } else { format!("Column {}", at + 1) }
    };
    let skip = usize::from(has_head);
    let column = |at: usize| {
        let own = match (is_ticktick, is_todoist) {
            (true, _) => ticktick::column(&name(at)),
            (false, true) => todoist::column(&name(at)),
            (false, false) => None,
        };
        let named = own.or_else(|| has_head.then(|| column_named(&name(at))).flatten());
        let (column, because) = match (is_own, named) {
            (true, _) => (HEAD[at].1, Because::Name),
            (false, Some(column)) => (column, Because::Name),
            (false, None) => {
                let cells = sheet.rows.iter().skip(skip).take(SAMPLE).map(|row| row.cell(at));
                let (column, because) = held(cells.filter(|cell| !cell.is_empty()));
                match column {
                    Column::Due if has_head && names_past(&name(at)) => {
                        (Column::KeptInNote, Because::Unknown)
                    }
                    _ => (column, because),
                }
            }
        };
        ColumnGuess { name: name(at), column, because }
    };
    let mut columns: Vec<ColumnGuess> = (0..width).map(column).collect();
    if !is_own {
        if has("CARD NAME") {
            place_lists(sheet, &mut columns);
        }
        settle(sheet, skip, &mut columns);
    }
    let sample = Vec::new();
    Columns {
        delimiter: sheet.delimiter,
        has_head,
        columns,
        sample,
        is_todoist,
        is_ticktick,
        is_own,
    }
}

/// A first row names columns unless it holds what only a row below can hold.
fn is_head(head: &[&str]) -> bool {
    let options = ReadOptions::default();
    let dates = Dates::new(&options);
    let is_data = |cell: &&str| {
        dates.is_day(cell)
            || matches!(*cell, "x" | "X" | "[x]" | "✔" | "✅")
            || cell.parse::<f64>().is_ok()
    };
    head.iter().any(|name| column_named(name).is_some()) || !head.iter().any(is_data)
}

/// What a column without a known name holds.
fn held<'a>(cells: impl Iterator<Item = &'a str>) -> (Column, Because) {
    let options = ReadOptions::default();
    let dates = Dates::new(&options);
    let (mut of, mut days, mut chars) = (0, 0, 0);
    let (mut marks, mut ticks, mut statuses, mut priorities) = (0, 0, 0, 0);
    let mut words: BTreeSet<&str> = BTreeSet::new();
    for cell in cells {
        of += 1;
        chars += cell.chars().take(200).count();
        days += usize::from(dates.is_day(cell));
        let is_number = cell.parse::<f64>().is_ok();
        marks += usize::from(is_done(cell).is_some() && !is_number && !is_answer(cell));
        ticks += usize::from(is_done(cell) == Some(true));
        statuses += usize::from(status_of(cell).is_some());
        priorities += usize::from(priority_of(cell).is_some());
        if words.len() <= 20 {
            words.insert(cell);
        }
    }
    let is_numbers =
        || words.iter().all(|word| word.replace([',', '.', ' '], "").parse::<f64>().is_ok());
    let is_short =
        words.iter().all(|word| word.chars().count() <= 30 && word.split_whitespace().count() <= 3);
    match of {
        0 => (Column::KeptInNote, Because::Unknown),
        _ if days * 10 >= of * 7 => (Column::Due, Because::Days { n: days, of }),
        _ if statuses == of && words.len() > 1 => (Column::Status, Because::Words),
        _ if marks == of && ticks > 0 && words.len() <= 2 => (Column::Done, Because::Marks),
        _ if priorities == of => (Column::Priority, Because::Words),
        _ if is_numbers() || words.iter().all(|word| is_setting(word)) => {
            (Column::KeptInNote, Because::Unknown)
        }
        _ if of >= 4 && words.len() * 3 <= of * 2 && words.len() <= 12 && is_short => {
            (Column::Label, Because::FewWords { n: words.len() })
        }
        _ if chars / of >= 12 => (Column::Note, Because::Text),
        _ => (Column::KeptInNote, Because::Unknown),
    }
}

/// Whether a cell answers the question that its column asks, which need not be whether the task is done:
/// "Vegan: yes". A cross, a tick and the words that spreadsheets write for a box are marks.
fn is_answer(cell: &str) -> bool {
    let is_mark = ["x", "true", "false"].iter().any(|mark| cell.eq_ignore_ascii_case(mark));
    let is_word = boxed(cell).is_none() && cell.contains(char::is_alphabetic);
    is_word && !is_mark && status_of(cell).is_none()
}

/// Whether a cell says how a program is set for a row, which nobody would take for a label.
fn is_setting(cell: &str) -> bool {
    let words = ["on", "off", "yes", "no", "true", "false", "normal", "none", "default", "public"];
    words.iter().any(|word| cell.eq_ignore_ascii_case(word))
}

/// Tells board and list of Trello's sheet apart as in its JSON: lists of which one is called after a stage of work
/// say how far a card is, and the board is its category. Otherwise the list is.
fn place_lists(sheet: &Sheet, columns: &mut [ColumnGuess]) {
    let named = |columns: &[ColumnGuess], name: &str| {
        columns.iter().position(|guess| guess.name.eq_ignore_ascii_case(name))
    };
    if let Some(at) = named(columns, "Due Complete") {
        (columns[at].column, columns[at].because) = (Column::Done, Because::Name);
    }
    let Some(board) = named(columns, "Board Name") else { return };
    let Some(list) = named(columns, "List Name") else { return };
    let mut cells = sheet.rows.iter().skip(1).take(SAMPLE).map(|row| row.cell(list));
    if cells.any(|cell| status_of(without_limit(cell)).is_some()) {
        columns[list].column = Column::Status;
    } else {
        columns[board].column = Column::KeptInNote;
    }
}

/// Makes one column the title, and leaves one each of what a task has one of.
fn settle(sheet: &Sheet, skip: usize, columns: &mut [ColumnGuess]) {
    let filled = |at: usize| {
        let cells = sheet.rows.iter().skip(skip).take(SAMPLE).map(|row| row.cell(at));
        let cells: BTreeSet<&str> =
            cells.filter(|cell| !cell.is_empty() && cell.parse::<f64>().is_err()).collect();
        cells.len()
    };
    if !columns.iter().any(|guess| guess.column == Column::Title) {
        // The column with the most different texts; the first of equals. An id says nothing to a person.
        let free = |guess: &ColumnGuess| {
            matches!(guess.because, Because::Text | Because::Unknown | Because::FewWords { .. })
        };
        let rank = |at: usize| (!names_id(&columns[at].name), filled(at));
        let free = (0..columns.len()).filter(|&at| free(&columns[at]));
        let best = free.rev().max_by_key(|&at| rank(at));
        // A description in few words names its row, unless a column before it does, with a text for each.
        let cells = |at: usize| {
            let rows = sheet.rows.iter().skip(skip).take(SAMPLE).filter(|row| !row.is_empty());
            rows.map(move |row| row.cell(at).chars().take(LONG_TITLE + 1).count())
        };
        let is_short = |at: usize| cells(at).all(|n| (1..=LONG_TITLE).contains(&n));
        let described = (0..columns.len())
            .find(|&at| columns[at].column == Column::Note && is_short(at))
            .filter(|&at| {
                !best.is_some_and(|best| best < at && filled(best) == cells(best).count())
            });
        let best = described.or(best);
        let best = best.or_else(|| {
            let is_text =
                |guess: &ColumnGuess| matches!(guess.column, Column::Note | Column::Category);
            columns.iter().position(is_text)
        });
        if let Some(at) = best {
            columns[at].column = Column::Title;
            if described != Some(at) {
                columns[at].because = Because::Text;
            }
        }
    }
    // Several columns with marks ask several things of a row, and none of them needs to be whether it is
    // done.
    let has_marks =
        |guess: &ColumnGuess| guess.column == Column::Done && guess.because == Because::Marks;
    if columns.iter().filter(|guess| has_marks(guess)).count() > 1 {
        for guess in columns.iter_mut().filter(|guess| has_marks(guess)) {
            (guess.column, guess.because) = (Column::KeptInNote, Because::Unknown);
        }
    }
    // The columns of a board are often called sections or lists, and say how far a task is.
    if !columns.iter().any(|guess| guess.column == Column::Status) {
        let says_status = |at: usize| {
            let cells = sheet.rows.iter().skip(skip).take(SAMPLE).map(|row| row.cell(at));
            let mut cells = cells.filter(|cell| !cell.is_empty()).peekable();
            cells.peek().is_some() && cells.all(|cell| status_of(cell).is_some())
        };
        let board = (0..columns.len())
            .find(|&at| columns[at].column == Column::Category && says_status(at));
        if let Some(at) = board {
            columns[at].column = Column::Status;
            columns[at].because = Because::Words;
        }
    }
    for only in [
        Column::Title,
        Column::Due,
        Column::Done,
        Column::Status,
        Column::Priority,
        Column::Key,
        Column::Category,
        Column::Starred,
        Column::Private,
    ] {
        // A name outweighs what is in a column, unless nothing is.
        let of_this = |at: &usize| columns[*at].column == only;
        let is_named = |at: usize| match columns[at].because {
            Because::Name if only == Column::Due && names_any_day(&columns[at].name) => 1,
            Because::Name => 2,
            _ => 0,
        };
        let has_cells = |at: usize| {
            sheet.rows.iter().skip(skip).take(SAMPLE).any(|row| !row.cell(at).is_empty())
        };
        let keep = (0..columns.len())
            .filter(of_this)
            .rev()
            .max_by_key(|&at| (has_cells(at), is_named(at)));
        for (at, guess) in columns.iter_mut().enumerate() {
            if guess.column == only && Some(at) != keep {
                // What another sheet calls the title is text next to a title.
                let is_title = only == Column::Title;
                guess.column = if is_title { Column::Note } else { Column::KeptInNote };
            }
        }
    }
    // An id that is missing or occurs twice identifies no row.
    if let Some(at) = columns.iter().position(|guess| guess.column == Column::Key) {
        let rows = sheet.rows.iter().skip(skip).take(SAMPLE).filter(|row| !row.is_empty());
        let ids: Vec<&str> = rows.map(|row| row.cell(at)).collect();
        let distinct: BTreeSet<&str> = ids.iter().copied().filter(|id| !id.is_empty()).collect();
        if distinct.len() != ids.len() {
            columns[at].column = Column::KeptInNote;
        }
    }
}
