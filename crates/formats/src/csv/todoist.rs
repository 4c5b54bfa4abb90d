//! Todoist's template: tasks with an indent, sections, and notes to the task above.
//!
//! Source: todoist.com/help, "Format a CSV file to import into Todoist".

use dormouse_types::task::Priority;

use super::sheet::{Row, Sheet};
use crate::intake::{Dates, Draft, Gather, ReadError, ReadOptions, fold};
use crate::reading::{Column, Columns, Role};

/// A task that is not yet complete: rows below it may belong to it.
struct Open {
    line: usize,
    indent: u32,
    draft: Draft,
    /// Its line and those of its items and notes, with their roles.
    claims: Vec<(std::ops::RangeInclusive<usize>, Role)>,
}

/// Reads every row below the first.
pub(super) fn rows(
    sheet: &Sheet,
    columns: &Columns,
    options: &ReadOptions,
    gather: &mut Gather<'_>,
) -> Result<(), ReadError> {
    let dates = Dates::new(options);
    let at = |name: &str| {
        columns.columns.iter().position(|column| column.name.eq_ignore_ascii_case(name))
    };
    let (kinds, content) = (at("TYPE"), at("CONTENT"));
    let cell = |row: &Row, column: Option<usize>| {
        column.map_or(String::new(), |at| row.cell(at).to_owned())
    };
    let (mut section, mut open): (Option<String>, Option<Open>) = (None, None);
    let mut above: Vec<(u32, String)> = Vec::new();
    for row in sheet.rows.iter().skip(1).filter(|row| !row.is_empty()) {
        let line = *row.lines.start();
        let mut text = cell(row, content);
        let mut kind = cell(row, kinds).to_lowercase();
        let is_known = ["", "meta", "section", "note", "task"].contains(&kind.as_str());
        let is_unread = !is_known || (kind == "note" && open.is_none());
        if text.is_empty() && kind != "section" {
            // A description without a task is one.
            text = cell(row, at("DESCRIPTION"));
            if !text.is_empty() && kind != "meta" {
                gather.say(line, "a row without CONTENT: its description is the title");
                kind = "task".to_owned();
            }
        } else if is_unread && !text.is_empty() {
            gather.say(
                line,
                match kind.as_str() {
                    "note" => "a note before the first task is read as a task",
                    _ => "a row of this TYPE is read as a task; task, section and note are known",
                },
            );
            kind = "task".to_owned();
        }
        match kind.as_str() {
            "section" => {
                finish(open.take(), gather)?;
                above.clear();
                section = Some(text).filter(|name| !name.is_empty());
                gather.claim(row.lines.clone(), Role::Category, None);
            }
            // A note before the first task is a task, see above.
            "note" if !text.is_empty() => {
                if let Some(open) = &mut open {
                    open.draft.comments.push((None, text).into());
                    open.claims.push((row.lines.clone(), Role::Note));
                }
            }
            "task" if !text.is_empty() => {
                let indent = cell(row, at("INDENT")).parse().unwrap_or(1).clamp(1, 100);
                let draft = draft(row, columns, &dates, gather);
                above.retain(|(other, _)| *other < indent);
                let is_bare = draft.note.is_empty()
                    && draft.details.text().is_empty()
                    && draft.task.labels.is_empty()
                    && draft.task.priority.is_none()
                    && draft.task.due_on.is_none()
                    && draft.task.estimate_minutes.is_none();
                if let Some(open) = open.as_mut().filter(|open| is_bare && open.indent < indent) {
                    let depth = indent - open.indent - 1;
                    let deepest = open.draft.task.items.last().map_or(0, |item| item.depth + 1);
                    let (lines, title) = (row.lines.clone(), &draft.task.title);
                    open.draft.item_on(lines, None, title, false, depth.min(deepest));
                    open.claims.push((row.lines.clone(), Role::Item));
                    continue;
                }
                finish(open.take(), gather)?;
                let mut draft = draft;
                draft.task.category.clone_from(&section);
                if let Some((_, parent)) = above.last() {
                    draft.details.push("Part of", parent);
                    gather.say(line, "a sub-task with more than a title stays a task of its own");
                }
                above.push((indent, draft.task.title.clone()));
                open = Some(Open {
                    line,
                    indent,
                    draft,
                    claims: vec![(row.lines.clone(), Role::Task)],
                });
            }
            "" | "meta" | "task" | "note" => {
                if !text.is_empty() {
                    gather.say(line, "this row says how Todoist shows the list: left out");
                    gather.claim(row.lines.clone(), Role::Skipped, None);
                }
            }
            // Without words: there is nothing to keep.
            _ => gather.claim(row.lines.clone(), Role::Skipped, None),
        }
    }
    finish(open, gather)
}

/// What a column of the template is taken for, as a plan says it.
pub(super) fn column(name: &str) -> Option<Column> {
    Some(match name.to_uppercase().as_str() {
        "CONTENT" => Column::Title,
        "DESCRIPTION" => Column::Note,
        "DATE" => Column::Due,
        "TYPE" | "INDENT" | "DATE_LANG" | "DEADLINE_LANG" | "TIMEZONE" | "AUTHOR"
        | "DURATION_UNIT" => Column::LeftOut,
        // Where a row has a date, its deadline is text.
        "RESPONSIBLE" | "DEADLINE" => Column::KeptInNote,
        _ => return None,
    })
}

fn finish(open: Option<Open>, gather: &mut Gather<'_>) -> Result<(), ReadError> {
    let Some(open) = open else { return Ok(()) };
    let key = fold(&open.draft.task.title);
    let task = gather.add(open.line, key, open.draft)?;
    for (lines, role) in open.claims {
        gather.claim(lines, role, Some(task));
    }
    Ok(())
}

fn draft(row: &Row, columns: &Columns, dates: &Dates<'_>, gather: &mut Gather<'_>) -> Draft {
    let line = *row.lines.start();
    let mut draft = Draft::default();
    for (at, column) in columns.columns.iter().enumerate() {
        let cell = row.cell(at);
        if cell.is_empty() {
            continue;
        }
        match column.name.to_uppercase().as_str() {
            "CONTENT" => {
                let mut words = Vec::new();
                for word in cell.split_whitespace() {
                    match word.strip_prefix('@').filter(|name| !name.is_empty()) {
                        Some(name) => draft.label(name),
                        None => words.push(word),
                    }
                }
                draft.task.title = if words.is_empty() { cell.to_owned() } else { words.join(" ") };
            }
            "DESCRIPTION" => draft.note = cell.to_owned(),
            // 1 is the highest; 4 is what a task without a priority has.
            "PRIORITY" => {
                draft.task.priority = match cell {
                    "1" => Some(Priority::P0),
                    "2" => Some(Priority::P1),
                    "3" => Some(Priority::P2),
                    _ => None,
                };
            }
            "DATE" | "DEADLINE" => match dates.due(cell) {
                Some(dated) if draft.task.due_on.is_none() => {
                    if !dated.is_exact {
                        draft.details.push(&column.name, cell);
                        let repeats = "a time, or a date that repeats, is kept in the note too";
                        gather.say(line, dated.doubt().unwrap_or(repeats));
                    }
                    draft.due(dated);
                }
                Some(_) => draft.details.push(&column.name, cell),
                None => {
                    draft.details.push(&column.name, cell);
                    gather.say(line, dates.why_not_due(cell));
                }
            },
            "TYPE" | "INDENT" | "DATE_LANG" | "DEADLINE_LANG" | "TIMEZONE" | "AUTHOR" => {}
            "DURATION_UNIT" if cell.eq_ignore_ascii_case("none") => {}
            "DURATION" if cell.eq_ignore_ascii_case("none") => {}
            "DURATION" => {
                let unit = columns
                    .columns
                    .iter()
                    .position(|column| column.name.eq_ignore_ascii_case("DURATION_UNIT"));
                let unit = unit.map_or("minute", |at| row.cell(at));
                match cell.parse() {
                    Ok(minutes) if unit.eq_ignore_ascii_case("minute") => {
                        draft.task.estimate_minutes = Some(minutes)
                    }
                    Ok(_) | Err(_) => draft.details.push("Duration", &format!("{cell} {unit}")),
                }
            }
            "DURATION_UNIT" => {}
            _ => {
                draft.details.push(&column.name, cell);
                gather.say(
                    line,
                    format!("the column `{}` has no matching field: kept in the note", column.name),
                );
            }
        }
    }
    if draft.task.title.is_empty() {
        let first = draft.note.lines().map(str::trim).find(|line| !line.is_empty());
        draft.task.title = first.unwrap_or_default().to_owned();
        if draft.note.trim() == draft.task.title {
            draft.note.clear();
        }
    }
    draft
}
