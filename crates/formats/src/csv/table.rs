//! Tables of Markdown: rows with bars, and a line of dashes below the first.

use csv::StringRecord;

use super::sheet::Row;

/// Whether a text is nothing but a table of Markdown.
pub(super) fn is_table<'t>(lines: impl Iterator<Item = &'t str>) -> bool {
    let mut filled = lines.map(str::trim).filter(|line| !line.is_empty());
    let has_head = filled.next().is_some_and(|head| head.contains('|'));
    has_head && filled.next().is_some_and(is_ruler) && filled.all(|line| line.contains('|'))
}

/// `|---|:--:|`
fn is_ruler(line: &str) -> bool {
    let is_dashes = |cell: &str| {
        let dashes = cell.trim().trim_start_matches(':').trim_end_matches(':');
        !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-')
    };
    let inner = line.strip_prefix('|').unwrap_or(line);
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    line.contains('|') && inner.split('|').all(is_dashes)
}

/// Takes the line of dashes and the bars around each row away.
pub(super) fn rows(rows: &mut Vec<Row>) {
    if rows.len() > 1 {
        rows.remove(1);
    }
    for row in rows {
        row.cells = cells(&row.cells);
    }
}

/// The cells between the bars; a bar after a backslash is part of its cell.
fn cells(record: &StringRecord) -> StringRecord {
    let mut cells: Vec<String> = Vec::with_capacity(record.len());
    let mut is_open = false;
    for part in record {
        let text = part.strip_suffix('\\').unwrap_or(part);
        match cells.last_mut().filter(|_| is_open) {
            Some(cell) => {
                cell.push('|');
                cell.push_str(text);
            }
            None => cells.push(text.to_owned()),
        }
        is_open = text.len() < part.len();
    }
    let is_empty = |cell: Option<&String>| cell.is_some_and(|cell| cell.trim().is_empty());
    let from = usize::from(is_empty(cells.first()) && cells.len() > 1);
    let upto = cells.len() - usize::from(is_empty(cells.last()) && cells.len() > from + 1);
    cells[from..upto].iter().collect()
}
