//! Tables of Markdown: rows with bars, and a line of dashes below the first.

/// Whether a line separates the head of a table from its rows: `|---|:--:|`.
pub(crate) fn is_ruler(line: &str) -> bool {
    let is_dashes = |cell: &str| {
        let dashes = cell.trim().trim_start_matches(':').trim_end_matches(':');
        !dashes.is_empty() && dashes.bytes().all(|byte| byte == b'-')
    };
    let line = line.trim();
    let inner = line.strip_prefix('|').unwrap_or(line);
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    line.contains('|') && inner.split('|').all(is_dashes)
}

/// The cells of a row that was cut at its bars; a bar after a backslash is part of its cell.
pub(crate) fn cells<'a>(parts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut cells: Vec<String> = Vec::new();
    let mut is_open = false;
    for part in parts {
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
    if is_empty(cells.last()) && cells.len() > 1 {
        cells.pop();
    }
    if is_empty(cells.first()) && cells.len() > 1 {
        cells.remove(0);
    }
    cells
}
