//! Reads outlines in OPML.
//!
//! The outermost points are tasks, and what is below them is their checklist. Where a point below has a note, a
//! date or anything else that an item cannot hold, the points next to it are tasks, and the one above them is
//! their category. A single outermost point names the outline.
//!
//! - `_note` is the note; `_status`, `_complete`, `checked` and the like say whether a point is done.
//! - Any other attribute is read by its name, as the column of a sheet is, or kept as text.
//!
//! A task is recognized by its title and those around it.
//!
//! Source: opml.org/spec2.opml; the attributes that WorkFlowy, OmniOutliner and Cloud Outliner write.

use dormouse_types::task::Status;

use crate::intake::{
    Dates, Draft, Gather, Lines, ReadError, ReadOptions, attributes, column_named, is_done,
    priority_of, status_of, unescaped,
};
use crate::markdown::stem;
use crate::outline::{Node, Outline};
use crate::reading::{Column, Format, Reading, Role};

/// The deepest point; deeper ones are put at this level.
const DEEPEST: usize = 100;

/// Whether a text is an outline in OPML.
pub fn looks_like(text: &str) -> bool {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    let start = &start[..start.floor_char_boundary(2000)];
    let at = start.find("<opml");
    start.starts_with('<')
        && at.is_some_and(|at| start[at + 5..].starts_with(|c: char| c.is_whitespace() || c == '>'))
}

/// Reads the outline.
///
/// Errors: see [`ReadError`].
pub fn read(name: &str, text: &str, options: &ReadOptions) -> Result<Reading, ReadError> {
    let lines = Lines::new(name, text)?;
    let mut gather = Gather::new(name, &lines, options);
    let dates = Dates::new(options);
    let text = lines.text();
    let mut nodes = Vec::new();
    let (mut depth, mut at) = (0_usize, 0);
    while let Some(start) = text[at..].find('<').map(|found| at + found) {
        if options.cancel.is_cancelled() {
            return Err(ReadError::Cancelled { name: name.to_owned() });
        }
        if text[start..].starts_with("<!--") {
            at = text[start..].find("-->").map_or(text.len(), |end| start + end + 3);
            continue;
        }
        let Some(end) = end_of_tag(&text[start..]).map(|end| start + end) else { break };
        let tag = &text[start + 1..end];
        if tag.strip_prefix('/').is_some_and(|tag| tag.trim() == "outline") {
            depth = depth.saturating_sub(1);
        } else if let Some(inside) =
            tag.strip_prefix("outline").filter(|inside| !inside.starts_with(char::is_alphanumeric))
        {
            let is_empty = inside.ends_with('/');
            let spot = (lines.line_of(start), lines.line_of(end));
            nodes.push(node(
                inside.trim_end_matches('/'),
                spot,
                depth.min(DEEPEST),
                &dates,
                &mut gather,
            ));
            depth += usize::from(!is_empty);
        }
        at = end + 1;
    }
    name_outline(text, &lines, &mut nodes, &mut gather);
    Outline::new(nodes).settle_depths(stem(name), &mut gather)?;
    Ok(gather.finish(Format::Opml))
}

/// Puts the points below the title in the head of the file, unless they have one above them already.
fn name_outline(text: &str, lines: &Lines<'_>, nodes: &mut Vec<Node>, gather: &mut Gather<'_>) {
    let head = &text[..text.find("<body").unwrap_or(0)];
    let Some(start) = head.find("<title>").map(|at| at + 7) else { return };
    let Some(end) = head[start..].find("</title>").map(|end| start + end) else { return };
    let title = unescaped(head[start..end].trim());
    if title.is_empty() {
        return;
    }
    let line = lines.line_of(start);
    let n_outermost = nodes.iter().filter(|node| node.depth == 0).count();
    if n_outermost > 1 {
        nodes.iter_mut().for_each(|node| node.depth += 1);
        let mut node = Node { line, ..Node::default() };
        node.draft.task.title = title;
        nodes.insert(0, node);
    } else {
        gather.say(line, "the title of the outline is left out: its first point names it");
        gather.claim(line..=line, Role::Skipped, None);
    }
}

/// Where the tag ends that a text begins with: a `>` in quotes is a part of it.
fn end_of_tag(text: &str) -> Option<usize> {
    let mut quote = None;
    text.char_indices().find_map(|(at, c)| {
        match (quote, c) {
            (None, '>') => return Some(at),
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            (None | Some(_), _) => {}
        }
        None
    })
}

fn node(
    inside: &str,
    (line, last): (usize, usize),
    depth: usize,
    dates: &Dates<'_>,
    gather: &mut Gather<'_>,
) -> Node {
    let mut node = Node { line, depth, ..Node::default() };
    let draft = &mut node.draft;
    let (mut text, mut title) = (None, None);
    for (name, value) in attributes(inside) {
        if value.trim().is_empty() {
            continue;
        }
        let plain = name.trim_start_matches('_').to_lowercase();
        match plain.as_str() {
            "text" => text = Some(value),
            "title" => title = Some(value),
            "note" => draft.note = value,
            "complete" | "checked" | "isdone" | "done" => {
                let mark = is_done(&value);
                draft.task.status =
                    if mark == Some(true) { Some(Status::Done) } else { draft.task.status };
                if mark.is_none() {
                    draft.details.push(&name, &value);
                }
            }
            "status" if matches!(value.as_str(), "checked" | "indeterminate" | "unchecked") => {
                match value.as_str() {
                    "checked" => draft.task.status = Some(Status::Done),
                    "indeterminate" => draft.task.status = Some(Status::InProgress),
                    _ => {}
                }
            }
            "iscomment" | "isbreakpoint" | "expanded" | "collapsed" | "created" => {}
            _ => other(draft, &name, &plain, value, line, dates, gather),
        }
    }
    let (text, title) = (text.unwrap_or_default(), title.unwrap_or_default());
    draft.task.title = if text.trim().is_empty() { title.clone() } else { text.clone() };
    if !title.trim().is_empty() && title != draft.task.title {
        draft.details.push("title", &title);
    }
    if last > line {
        node.claims.push((line..=last, Role::Field));
    }
    node
}

/// An attribute that only some programs write.
fn other(
    draft: &mut Draft,
    name: &str,
    plain: &str,
    value: String,
    line: usize,
    dates: &Dates<'_>,
    gather: &mut Gather<'_>,
) {
    match column_named(plain) {
        Some(Column::Due) if draft.task.due_on.is_none() && dates.due(&value).is_some() => {
            dates.due(&value).into_iter().for_each(|day| draft.due(day));
        }
        Some(Column::Status) if status_of(&value).is_some_and(|status| !status.needs_reason()) => {
            draft.task.status = status_of(&value);
        }
        Some(Column::Priority) if priority_of(&value).is_some() => {
            draft.task.priority = priority_of(&value);
        }
        Some(Column::Label) => value.split(',').for_each(|label| draft.label(label)),
        Some(Column::Note) if draft.note.is_empty() => draft.note = value,
        _ => {
            let short: String = name.chars().take(40).collect();
            draft.details.push(name, &value);
            gather.say(line, format!("`{short}` has no matching field: kept in the note"));
        }
    }
}
