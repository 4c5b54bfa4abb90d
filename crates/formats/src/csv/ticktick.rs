//! The backup of TickTick: numbers for status and priority, and checklists in one cell.
//!
//! Source: the lines above the first row of such a file, which say what its numbers of a status mean, and the
//! documentation of TickTick's API for those of a priority.

use dormouse_types::task::{Priority, Status};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use crate::reading::Column;

/// Whether the first row, in upper case, is that of a backup.
pub(super) fn is_head(head: &[String]) -> bool {
    ["LIST NAME", "TITLE", "CONTENT", "PRIORITY", "STATUS"]
        .iter()
        .all(|name| head.iter().any(|known| known == name))
}

/// What a column is that other sheets do not have, or use for something else.
pub(super) fn column(name: &str) -> Option<Column> {
    Some(match name.to_uppercase().as_str() {
        "LIST NAME" => Column::Category,
        "TASKID" => Column::Key,
        "FOLDER NAME" | "REMINDER" | "REPEAT" | "CREATED TIME" | "COLUMN NAME" => {
            Column::KeptInNote
        }
        "PARENTID" => Column::Parent,
        // How the program shows and sorts a task.
        "KIND" | "IS CHECK LIST" | "ORDER" | "TIMEZONE" | "IS ALL DAY" | "IS FLOATING"
        | "COLUMN ORDER" | "VIEW MODE" => Column::LeftOut,
        _ => return None,
    })
}

/// The priority of a number: none of 0, and no answer for what is no such number.
pub(super) fn priority(cell: &str) -> Option<Option<Priority>> {
    Some(match cell {
        "0" => None,
        "1" => Some(Priority::P3),
        "3" => Some(Priority::P2),
        "5" => Some(Priority::P1),
        _ => return None,
    })
}

/// The status of a number: none of an open task, and no answer for what is no such number.
pub(super) fn status(cell: &str) -> Option<Option<Status>> {
    Some(match cell {
        "0" => None,
        // "Won't do".
        "-1" => Some(Status::Rejected),
        // An archived task is one that was completed.
        "1" | "2" => Some(Status::Done),
        _ => return None,
    })
}

/// A time as a backup has it, in the zone of its row: a whole day is written as the midnight of that zone, in UTC.
pub(super) fn in_zone(cell: &str, zone: &str, is_all_day: bool) -> Option<String> {
    let at = Timestamp::strptime("%Y-%m-%dT%H:%M:%S%z", cell).ok()?;
    let local = at.to_zoned(TimeZone::get(zone).ok()?);
    let form = if is_all_day { "%Y-%m-%d" } else { "%Y-%m-%dT%H:%M" };
    Some(local.strftime(form).to_string())
}

/// The text of a cell and the items of its checklist: `▫` is before an open item, `▪` before a ticked one.
pub(super) fn items(cell: &str) -> (&str, Vec<(&str, bool)>) {
    const SIGNS: [char; 2] = ['▫', '▪'];
    let first = cell.find(SIGNS).unwrap_or(cell.len());
    let (text, mut rest) = cell.split_at(first);
    let mut items = Vec::new();
    while let Some(sign) = rest.chars().next() {
        let after = &rest[sign.len_utf8()..];
        let end = after.find(SIGNS).unwrap_or(after.len());
        let title = after[..end].trim();
        if !title.is_empty() {
            items.push((title, sign == '▪'));
        }
        rest = &after[end..];
    }
    (text.trim(), items)
}
