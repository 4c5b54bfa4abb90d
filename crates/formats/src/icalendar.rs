//! Reads iCalendar: the `VTODO` components are tasks. Events, journals and the like are counted and
//! left.
//!
//! - `RELATED-TO` makes a to-do a part of another. One that has only a title and a tick is an item of
//!   the other's checklist; one with more of its own stays a task, which names the other as text. A
//!   circle is broken at its first member.
//! - A `DUE` with a time is due on the day as written; only a time in UTC is one in the reader's zone. A zone that is in no list of zones, such as
//!   those that only a `VTIMEZONE` of the file describes, is said, and the time taken as written.
//! - `DTSTART`, `RRULE`, alarms, people and properties of other programs have no field: they are kept
//!   as text. `DTSTAMP`, `SEQUENCE` and `LAST-MODIFIED` are about the file and not kept.
//!
//! A to-do is recognized by its `UID`.
//!
//! Source: RFC 5545.

mod components;
mod content_line;
mod relations;
mod time;
mod todo;
mod write;

pub(crate) use write::{component, end, head, lost};

use crate::intake::{Gather, Lines, ReadError, ReadOptions};
use crate::reading::{Format, Reading, Role};

use relations::Standing;

/// Whether a text looks like iCalendar: it begins with a component.
pub fn looks_like(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}').trim_start();
    let head: String = text.chars().take(12).collect::<String>().to_uppercase();
    ["BEGIN:VCAL", "BEGIN:VTODO", "BEGIN:VEVE", "BEGIN:VJOU", "BEGIN:VTIM"]
        .iter()
        .any(|start| head.starts_with(start))
}

/// Reads the to-dos of a calendar.
///
/// Errors: see [`ReadError`]. What is broken inside a calendar is a remark.
pub fn read(name: &str, text: &str, options: &ReadOptions) -> Result<Reading, ReadError> {
    let lines = Lines::new(name, text)?;
    let mut gather = Gather::new(name, &lines, options);
    let found = components::find(&lines, &mut gather);
    if !found.has_component && lines.len() > 0 {
        return Err(ReadError::Unexpected {
            name: name.to_owned(),
            line: 1,
            expected: "BEGIN:VCALENDAR",
            remedy: "export the calendar as an .ics file",
        });
    }
    let standings = relations::resolve(&found.todos, &mut gather);
    let mut tasks = vec![None; found.todos.len()];
    for (at, todo) in found.todos.iter().enumerate() {
        let Standing::Task { part_of, items } = &standings[at] else { continue };
        let mut draft = todo::draft(todo, options, &mut gather);
        if let Some(parent) = part_of {
            let title = found.todos[*parent].title();
            draft.details.push("Part of", &title);
            let line = *todo.lines.start();
            gather.say(
                line,
                "a to-do with more than a title that is part of another stays a task of its own",
            );
        }
        for &(item, depth) in items {
            let item = &found.todos[item];
            let (lines, id) = (item.lines.clone(), item.uid());
            draft.item_on(lines, id.as_deref(), &item.summary(), item.is_ticked(), depth);
            if item.has("COMPLETED") {
                let line = *item.lines.start();
                gather.say(line, "the time when an item was ticked is not kept");
            }
        }
        let task = gather.add(*todo.lines.start(), todo.key(), draft)?;
        tasks[at] = Some(task);
        for (lines, role) in &todo.claims {
            gather.claim(lines.clone(), *role, Some(task));
        }
        for &(item, _) in items {
            for (lines, role) in &found.todos[item].claims {
                let role = if *role == Role::Task { Role::Item } else { *role };
                gather.claim(lines.clone(), role, Some(task));
            }
        }
    }
    Ok(gather.finish(Format::ICalendar))
}
