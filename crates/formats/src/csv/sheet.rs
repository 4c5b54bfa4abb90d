//! Rows and cells with their lines.

use std::ops::RangeInclusive;

use csv::{ReaderBuilder, StringRecord};

use crate::intake::{Lines, cells, column_named, is_ruler};
use crate::reading::Column;

/// What may separate cells, in order of preference.
const DELIMITERS: [char; 4] = [',', ';', '\t', '|'];
/// Units: bytes. How much of a text decides about the delimiter.
const DETECTED: usize = 64 * 1024;

pub(super) struct Row {
    /// The lines it is on, from 0.
    pub lines: RangeInclusive<usize>,
    pub cells: StringRecord,
}

impl Row {
    /// A cell without the spaces around it; empty where the row is too short.
    pub fn cell(&self, column: usize) -> &str {
        self.cells.get(column).unwrap_or_default().trim()
    }

    pub fn is_empty(&self) -> bool {
        self.cells.iter().all(|cell| cell.trim().is_empty())
    }
}

pub(super) struct Sheet {
    pub delimiter: char,
    pub rows: Vec<Row>,
    /// The line of a quote that is never closed, from 0.
    pub open_quote: Option<usize>,
    /// The lines above the row that names the columns, such as a title, from 0.
    pub above: Option<RangeInclusive<usize>>,
    /// The only text of the last row above that one.
    pub right_above: Option<String>,
}

impl Sheet {
    /// The first rows of a text.
    pub fn sample(lines: &Lines<'_>, n_rows: usize) -> Self {
        Self::read(lines, n_rows)
    }

    /// All rows of a text.
    pub fn whole(lines: &Lines<'_>) -> Self {
        Self::read(lines, usize::MAX)
    }

    /// The first row.
    pub fn head(&self) -> Vec<&str> {
        self.rows.first().map(|row| row.cells.iter().map(str::trim).collect()).unwrap_or_default()
    }

    fn read(lines: &Lines<'_>, n_rows: usize) -> Self {
        let text = lines.text();
        if is_table((0..lines.len()).map(|at| lines.line(at))) {
            let mut rows = Vec::new();
            records(lines, text, 0, '|', Quotes::AreText, n_rows, &mut rows);
            unbar(&mut rows);
            return Self { delimiter: '|', rows, open_quote: None, above: None, right_above: None };
        }
        let (start, named) = separator_line(text);
        let delimiter = named
            .filter(|delimiter| delimiter.is_ascii())
            .unwrap_or_else(|| detect(&text[start..text.floor_char_boundary(start + DETECTED)]));
        let open_at = open_quote(&text[start..], delimiter).map(|at| at + start);
        let quoted = &text[start..open_at.unwrap_or(text.len())];
        let mut rows = Vec::new();
        records(lines, quoted, start, delimiter, Quotes::Enclose, n_rows, &mut rows);
        if let Some(at) = open_at {
            records(lines, &text[at..], at, delimiter, Quotes::AreText, n_rows, &mut rows);
        }
        let n_above = n_above(&rows);
        let head = rows.get(n_above).filter(|_| n_above > 0).map(|row| *row.lines.start());
        let above = head.map(|head| *rows[0].lines.start()..=head - 1);
        let filled = |row: &Row| {
            let mut cells = row.cells.iter().map(str::trim).filter(|cell| !cell.is_empty());
            cells.next().filter(|_| cells.next().is_none()).map(str::to_owned)
        };
        let right_above = rows[..n_above].iter().rev().find(|row| !row.is_empty()).and_then(filled);
        rows.drain(..n_above);
        let open_quote = open_at.map(|at| lines.line_of(at));
        Self { delimiter, rows, open_quote, above, right_above }
    }
}

/// Whether a text is nothing but a table of Markdown.
pub(super) fn is_table<'t>(lines: impl Iterator<Item = &'t str>) -> bool {
    let mut filled = lines.map(str::trim).filter(|line| !line.is_empty());
    let has_head = filled.next().is_some_and(|head| head.contains('|'));
    has_head && filled.next().is_some_and(is_ruler) && filled.all(|line| line.contains('|'))
}

/// Takes the line of dashes and the bars around each row away.
fn unbar(rows: &mut Vec<Row>) {
    if rows.len() > 1 {
        rows.remove(1);
    }
    for row in rows {
        row.cells = cells(row.cells.iter()).iter().collect();
    }
}

/// Units: rows. So far down a sheet the row is looked for that names the columns.
const FARTHEST: usize = 20;

/// How many rows stand before the one that names the columns: people write a title and notes there,
/// and some programs date and version of the export.
fn n_above(rows: &[Row]) -> usize {
    let filled = |row: &Row| row.cells.iter().filter(|cell| !cell.trim().is_empty()).count();
    let named = |row: &Row| row.cells.iter().filter_map(|cell| column_named(cell.trim())).collect();
    let names_columns = |row: &Row| {
        let named: Vec<Column> = named(row);
        named.contains(&Column::Title) && (named.len() > 1 || filled(row) > 2)
    };
    // A row that names columns has more cells than a title above it.
    let named = rows.iter().take(FARTHEST).position(names_columns);
    if let Some(head) = named
        && rows[..head].iter().all(|row| filled(row) < filled(&rows[head]))
    {
        return head;
    }
    let first = rows.iter().take(10).position(|row| row.cells.len() >= 3);
    first.filter(|&first| rows[..first].iter().all(|row| row.cells.len() == 1)).unwrap_or(0)
}

enum Quotes {
    Enclose,
    AreText,
}

fn records(
    lines: &Lines<'_>,
    text: &str,
    start: usize,
    delimiter: char,
    quotes: Quotes,
    n_rows: usize,
    rows: &mut Vec<Row>,
) {
    let mut reader = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(u8::try_from(delimiter).unwrap_or(b','))
        .quoting(matches!(quotes, Quotes::Enclose))
        .from_reader(text.as_bytes());
    let mut cells = StringRecord::new();
    // The text is UTF-8 and rows may have any length, so that reading ends only at its end.
    while rows.len() < n_rows && reader.read_record(&mut cells).unwrap_or(false) {
        let at = cells.position().map_or(0, |position| position.byte() as usize);
        let end = reader.position().byte() as usize;
        let row = &text[at.min(text.len())..end.min(text.len())];
        let first = start + at + (row.len() - row.trim_start_matches('\n').len());
        let last = start + at + row.trim_end_matches('\n').len().max(1) - 1;
        let (first, last) = (lines.line_of(first), lines.line_of(last));
        rows.push(Row { lines: first..=last.max(first), cells: cells.clone() });
    }
}

/// The line `sep=;` with which a program tells the delimiter: where the rows begin, and the sign.
fn separator_line(text: &str) -> (usize, Option<char>) {
    let line = text.split('\n').next().unwrap_or_default();
    match line.strip_prefix("sep=").map(|sign| sign.chars().collect::<Vec<_>>()).as_deref() {
        Some([sign]) => ((line.len() + 1).min(text.len()), Some(*sign)),
        Some(_) | None => (0, None),
    }
}

/// The delimiter with which the most rows have the same number of cells, and that number is highest. The
/// first row need not be one of them: it may be a title.
fn detect(text: &str) -> char {
    let score = |delimiter: char| {
        let mut reader = ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .delimiter(u8::try_from(delimiter).unwrap_or(b','))
            .from_reader(text.as_bytes());
        let lengths: Vec<usize> =
            reader.records().map_while(Result::ok).take(50).map(|row| row.len()).collect();
        let even = |wanted: usize| lengths.iter().filter(|&&length| length == wanted).count();
        let score = |length: usize| match length {
            0 | 1 => 0,
            _ => even(length) * 1000 / lengths.len() * 100 + length.min(99),
        };
        lengths.iter().take(FARTHEST).map(|&length| score(length)).max().unwrap_or(0)
    };
    let best = DELIMITERS.iter().rev().copied().max_by_key(|&delimiter| score(delimiter));
    best.unwrap_or(',')
}

/// Where the row begins whose quote is never closed.
fn open_quote(text: &str, delimiter: char) -> Option<usize> {
    let delimiter = u8::try_from(delimiter).unwrap_or(b',');
    let bytes = text.as_bytes();
    let (mut row, mut is_open, mut is_start, mut at) = (0, false, true, 0);
    while at < bytes.len() {
        let byte = bytes[at];
        if is_open {
            if byte == b'"' {
                if bytes.get(at + 1) == Some(&b'"') {
                    at += 1;
                } else {
                    is_open = false;
                }
            }
        } else if byte == b'\n' {
            (row, is_start) = (at + 1, true);
        } else if byte == delimiter {
            is_start = true;
        } else {
            is_open = byte == b'"' && is_start;
            is_start = false;
        }
        at += 1;
    }
    is_open.then_some(row)
}
