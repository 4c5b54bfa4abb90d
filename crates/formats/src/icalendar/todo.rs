//! One to-do as a task.

use dormouse_types::task::{self, EntryKind, Flags, Priority, Status};

use super::components::{Todo, UPDATED, first_line};
use super::content_line::{ContentLine, list};
use super::{relations, time};
use crate::dormouse_json::OWN_TIMES;
use crate::intake::{Comment, Draft, Gather, ReadOptions, instant};

/// The label under which a property is kept as text, and whether its value is TEXT with escapes.
pub(super) const KEPT: &[(&str, &str)] =
    &[("LOCATION", "Location"), ("CONTACT", "Contact"), ("RESOURCES", "Resources")];
/// Times that have no field.
pub(super) const TIMES: &[(&str, &str)] =
    &[("DTSTART", "Start"), ("CREATED", "Created"), ("COMPLETED", "Completed")];
/// Values without escapes that have no field.
pub(super) const VALUES: &[(&str, &str)] =
    &[("RRULE", "Repeats"), ("URL", "Link"), ("PERCENT-COMPLETE", "Percent complete")];
/// A name of our own for each line of text that no other property holds.
pub(super) const DETAIL: &str = "X-DORMOUSE-DETAIL";

/// Marks a time that is the task's own here, not one that the file of another program had.
pub(super) const OWN: &str = "X-DORMOUSE-OWN";

/// How many comments come before the description among the entries of the task.
pub(super) const PLACE: &str = "X-DORMOUSE-PLACE";

/// The star of a task, as a property, or of an entry, as a parameter.
pub(super) const STARRED: &str = "X-DORMOUSE-STARRED";

/// Marks an entry that is private, in a task that is not.
pub(super) const PRIVATE: &str = "X-DORMOUSE-PRIVATE";

/// The kind of an entry that is no plain text.
pub(super) const KIND: &str = "X-DORMOUSE-KIND";

/// The task, without what its relations say.
pub(super) fn draft(todo: &Todo, options: &ReadOptions, gather: &mut Gather<'_>) -> Draft {
    let mut draft = Draft::default();
    let has_summary = !todo.summary().is_empty();
    draft.task.title = todo.title();
    draft.task.category.clone_from(&todo.calendar);
    if !has_summary {
        let message = match draft.task.title.is_empty() {
            true => "a to-do without SUMMARY has no title",
            false => "a to-do without SUMMARY is named by the first line of its DESCRIPTION",
        };
        gather.say(*todo.lines.start(), message);
    }
    let mut notes = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for line in &todo.properties {
        let is_first = seen.insert(line.name.as_str());
        property(line, is_first, &mut draft, &mut notes, options, gather);
    }
    if !has_summary && let Some(note) = notes.first_mut() {
        *note = first_line(note).map_or_else(String::new, |(_, rest)| rest.to_owned());
        notes.retain(|note| !note.trim().is_empty());
    }
    status(todo, &mut draft, gather);
    let place = todo.get("DESCRIPTION").and_then(|line| line.param(PLACE)?.parse::<usize>().ok());
    match (place, &mut notes[..]) {
        (Some(place), [note]) => {
            let comment = Comment { text: std::mem::take(note), ..Comment::default() };
            draft.comments.insert(place.min(draft.comments.len()), comment);
        }
        _ => draft.note = notes.join("\n\n"),
    }
    for alarm in &todo.alarms {
        let name = if alarm[0] == "VALARM" { "Alarm" } else { "Component" };
        draft.details.push(name, &alarm.join(" | "));
        gather.say(*todo.lines.start(), "an alarm has no matching field: kept in the note");
    }
    for text in &todo.broken {
        draft.details.push("Unreadable line", text);
    }
    draft
}

fn property(
    line: &ContentLine,
    is_first: bool,
    draft: &mut Draft,
    notes: &mut Vec<String>,
    options: &ReadOptions,
    gather: &mut Gather<'_>,
) {
    let at = *line.lines.start();
    match line.name.as_str() {
        "SUMMARY" if is_first => {
            if let Some(code) = line.param("LANGUAGE") {
                let primary = code.split('-').next().unwrap_or_default();
                draft.task.language = task::language(primary).ok();
            }
        }
        "UID" | "STATUS" | "X-DORMOUSE-STATUS" if is_first => {}
        "DTSTAMP" | "SEQUENCE" | "LAST-MODIFIED" => {}
        "CREATED" | "COMPLETED" if line.param(OWN).is_some() => gather.say(at, OWN_TIMES),
        "DESCRIPTION" => notes.extend(Some(line.text()).filter(|text| !text.trim().is_empty())),
        "COMMENT" => {
            let on = line.param("X-DORMOUSE-ON").and_then(|day| day.parse().ok());
            let kind = line.param(KIND).and_then(|kind| kind.parse::<EntryKind>().ok());
            let kind = kind.filter(|kind| kind.is_derived()).unwrap_or_default();
            let is_set = |name| line.param(name).is_some();
            let flags = Flags { starred: is_set(STARRED), private: is_set(PRIVATE) };
            draft.comments.push(Comment { on, text: line.text(), kind, flags });
        }
        name if name == STARRED => {
            draft.task.flags.starred |= line.value.trim().eq_ignore_ascii_case("TRUE");
        }
        name if name == UPDATED => draft.task.as_of = instant(&line.value),
        "CATEGORIES" => {
            for name in list(&line.value) {
                draft.label(&name);
            }
        }
        "X-DORMOUSE-CATEGORY" => draft.task.category = Some(line.text()),
        "X-DORMOUSE-REASON" => draft.task.status_reason = Some(line.text()),
        "X-DORMOUSE-ESTIMATE" | "ESTIMATED-DURATION" if minutes(line.value.trim()).is_some() => {
            draft.task.estimate_minutes = minutes(line.value.trim());
        }
        name if name == DETAIL => {
            let text = line.text();
            let (name, value) = text.split_once(": ").unwrap_or(("Detail", &text));
            draft.details.push(name, value);
        }
        "PRIORITY" if is_first => match line.value.trim().parse::<u32>() {
            Ok(0) => {}
            Ok(1) => draft.task.priority = Some(Priority::P0),
            Ok(2..=4) => draft.task.priority = Some(Priority::P1),
            Ok(5) => draft.task.priority = Some(Priority::P2),
            Ok(6..=9) => draft.task.priority = Some(Priority::P3),
            Ok(_) | Err(_) => keep(line, draft, gather),
        },
        "DUE" if is_first => match time::moment(line, options) {
            Some(moment) => {
                draft.task.due_on = Some(moment.day);
                if let Some(zone) = moment.unknown_zone {
                    unknown_zone(at, &zone, gather);
                }
                if let Some(text) = moment.text {
                    draft.details.push("Due", &text);
                    gather
                        .say(at, "the time of a due date has no matching field: kept in the note");
                }
            }
            None => {
                gather.say(at, "DUE is not a date or time, so there is no due date");
                keep(line, draft, gather);
            }
        },
        "PERCENT-COMPLETE" if matches!(line.value.trim(), "0" | "100") => {}
        "RELATED-TO" if relations::is_reported(line) => {}
        "CLASS" => class(line, draft, gather),
        _ => keep(line, draft, gather),
    }
}

/// A class other than public is private, also one that this program does not know (RFC 5545, 3.8.1.3).
fn class(line: &ContentLine, draft: &mut Draft, gather: &mut Gather<'_>) {
    match line.value.trim().to_uppercase().as_str() {
        "" | "PUBLIC" => {}
        "PRIVATE" => draft.task.flags.private = true,
        _ => {
            draft.task.flags.private = true;
            draft.details.push(&line.head(), &line.value);
            let words = "a CLASS that is not PUBLIC is private; this one is kept in the note too";
            gather.say(*line.lines.start(), words);
        }
    }
}

/// Keeps a property as text.
fn keep(line: &ContentLine, draft: &mut Draft, gather: &mut Gather<'_>) {
    let at = *line.lines.start();
    let name = line.name.as_str();
    if let Some((_, label)) = TIMES.iter().find(|(known, _)| *known == name)
        && let Some(moment) = time::moment(line, &ReadOptions::default())
    {
        draft.details.push(label, &moment.text.unwrap_or_else(|| moment.day.to_string()));
        if let Some(zone) = moment.unknown_zone {
            unknown_zone(at, &zone, gather);
        }
    } else if let Some((_, label)) = KEPT.iter().find(|(known, _)| *known == name) {
        draft.details.push(label, &line.text());
    } else if let Some((_, label)) = VALUES.iter().find(|(known, _)| *known == name) {
        draft.details.push(label, &line.value);
    } else {
        draft.details.push(&line.head(), &line.value);
    }
    let name: String = name.chars().take(40).collect();
    gather.say(at, format!("{name} has no matching field: kept in the note"));
}

fn unknown_zone(at: usize, zone: &str, gather: &mut Gather<'_>) {
    let zone: String = zone.chars().take(60).collect();
    gather.say(at, format!("unknown time zone `{zone}`: the time is used as written"));
}

/// The status: what `STATUS` says, else what percentage and time of completion say.
fn status(todo: &Todo, draft: &mut Draft, gather: &mut Gather<'_>) {
    let value = |name: &str| todo.get(name).map(|line| line.value.trim().to_uppercase());
    let own = todo.get("X-DORMOUSE-STATUS").and_then(|line| line.text().parse::<Status>().ok());
    let percent = value("PERCENT-COMPLETE").and_then(|percent| percent.parse::<u32>().ok());
    let stated = value("STATUS");
    draft.task.status = match stated.as_deref() {
        Some("NEEDS-ACTION") => Some(Status::Open),
        Some("IN-PROCESS") => Some(Status::InProgress),
        Some("COMPLETED") => Some(Status::Done),
        Some("CANCELLED") => Some(Status::Rejected),
        other => {
            if let Some(line) =
                todo.get("STATUS").filter(|_| other.is_some_and(|word| !word.is_empty()))
            {
                keep(line, draft, gather);
            }
            match percent {
                Some(100) => Some(Status::Done),
                _ if todo.has("COMPLETED") => Some(Status::Done),
                Some(1..100) => Some(Status::InProgress),
                Some(_) | None => None,
            }
        }
    };
    // Another program that ticks the task changes STATUS and leaves ours as it was.
    if let Some(own) = own
        && draft.task.status.is_none_or(|status| status == public(own))
    {
        draft.task.status = Some(own);
    }
    if !draft.task.status.is_some_and(Status::needs_reason)
        && let Some(reason) = draft.task.status_reason.take()
    {
        draft.details.push("Reason", &reason);
    }
    if draft.task.status == Some(Status::Open) && todo.has("COMPLETED") {
        let line = *todo.lines.start();
        gather.say(
            line,
            "STATUS says that this to-do is open, COMPLETED that it is done: it is read as open",
        );
    }
}

/// The status that other programs know.
pub(super) fn public(status: Status) -> Status {
    match status {
        Status::Open | Status::Groomed | Status::Blocked | Status::OnHold => Status::Open,
        Status::InProgress | Status::Done | Status::Rejected => status,
    }
}

/// `PT90M`, `PT1H30M`, `P1D`.
fn minutes(text: &str) -> Option<u32> {
    let text = text.to_uppercase();
    let (mut total, mut number, mut is_any) = (0_u32, 0_u32, false);
    for c in text.strip_prefix('P')?.chars() {
        let unit = match c {
            'T' => continue,
            '0'..='9' => {
                number = number.checked_mul(10)?.checked_add(c.to_digit(10)?)?;
                continue;
            }
            'W' => 7 * 24 * 60,
            'D' => 24 * 60,
            'H' => 60,
            'M' => 1,
            'S' if number == 0 => 0,
            _ => return None,
        };
        total = total.checked_add(number.checked_mul(unit)?)?;
        (number, is_any) = (0, true);
    }
    (is_any && number == 0).then_some(total)
}
