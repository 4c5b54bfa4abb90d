//! Writes iCalendar: a `VTODO` for each task and for each of its items.
//!
//! - What other programs have no property for is in properties that begin with `X-DORMOUSE-`, so
//!   that a file that is read again says the same.
//! - The first plain entry without a day is the `DESCRIPTION`, each further one a `COMMENT`.
//! - A private task, and each of its items, has the class that other programs know.
//! - No clock is read: `DTSTAMP`, which the format requires, is the time of creation, or 1970.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use dormouse_types::draft::{self, Item};
use dormouse_types::task::{EntryKind, Priority, Status};
use jiff::Timestamp;
use jiff::tz::TimeZone;

use super::components::UPDATED;
use super::time;
use super::todo::{DETAIL, KEPT, KIND, OWN, PLACE, PRIVATE, STARRED, TIMES, VALUES, public};
use crate::export::task::{Lost, Task, block, has_details_within, one_line};
use crate::intake::fold;

/// Units: octets. The longest line without its end.
const FOLD: usize = 75;

/// Properties that are written as they were kept.
const VERBATIM: &[&str] = &[
    "ATTACH",
    "ATTENDEE",
    "CLASS",
    "CONFERENCE",
    "DURATION",
    "EXDATE",
    "GEO",
    "IMAGE",
    "ORGANIZER",
    "RDATE",
    "RECURRENCE-ID",
    "REQUEST-STATUS",
];

/// The parts of a task that its component does not hold.
pub(crate) fn lost(task: &Task) -> Vec<Lost> {
    let mut lost = Vec::new();
    if !task.links.is_empty() {
        lost.push(Lost::Links);
    }
    if task.report.is_some() {
        lost.push(Lost::Report);
    }
    if has_details_within(task) {
        lost.push(Lost::Order);
    }
    lost
}

/// The beginning of a calendar.
pub(crate) fn head() -> String {
    let mut out = Out::default();
    out.line("BEGIN:VCALENDAR");
    out.line("VERSION:2.0");
    out.line("PRODID:-//Dormouse//Dormouse//EN");
    out.0
}

/// The components of a task. `uids`: the ids of the calendar so far.
pub(crate) fn component(task: &Task, uids: &mut BTreeSet<String>) -> String {
    let mut out = Out::default();
    out.task(task, uids);
    out.0
}

/// The end of a calendar.
pub(crate) fn end() -> String {
    let mut out = Out::default();
    out.line("END:VCALENDAR");
    out.0
}

#[derive(Default)]
struct Out(String);

impl Out {
    /// Writes a content line, folded between characters.
    fn line(&mut self, line: &str) {
        let mut width = 0;
        for c in line.chars().filter(|c| !c.is_control() || *c == '\t') {
            if width + c.len_utf8() > FOLD {
                self.0.push_str("\r\n ");
                width = 1;
            }
            self.0.push(c);
            width += c.len_utf8();
        }
        self.0.push_str("\r\n");
    }

    fn text(&mut self, head: &str, value: &str) {
        self.line(&format!("{head}:{}", escaped(value)));
    }

    fn task(&mut self, task: &Task, uids: &mut BTreeSet<String>) {
        let (details, entries) = task.parts();
        let instance = details
            .iter()
            .find(|(name, _)| name.starts_with("RECURRENCE-ID"))
            .map(|(_, value)| value);
        let own = one_line(&task.key);
        let uid =
            instance.and_then(|value| own.strip_suffix(value)?.strip_suffix('/')).unwrap_or(&own);
        uids.insert(uid.to_owned());
        self.line("BEGIN:VTODO");
        self.text("UID", uid);
        let stamp = task.created_at.unwrap_or(Timestamp::UNIX_EPOCH);
        self.line(&format!("DTSTAMP:{}", utc(stamp)));
        let language =
            task.language.as_ref().map(|code| format!(";LANGUAGE={code}")).unwrap_or_default();
        self.text(&format!("SUMMARY{language}"), &task.title_line());
        self.status(task);
        if let Some(priority) = task.priority {
            self.line(&format!("PRIORITY:{}", number(priority)));
        }
        let due_time = details.iter().find(|(name, _)| *name == "Due").and_then(|(_, value)| {
            let written = time::property(value)?;
            let near =
                value.get(..10)?.parse::<jiff::civil::Date>().ok()?.until(task.due_on?).ok()?;
            (near.get_days().abs() <= 1).then_some(written)
        });
        if let Some(day) = task.due_on.filter(|_| due_time.is_none()) {
            self.line(&format!("DUE;VALUE=DATE:{}", day.strftime("%Y%m%d")));
        }
        if let Some(minutes) = task.estimate_minutes {
            self.line(&format!("X-DORMOUSE-ESTIMATE:PT{minutes}M"));
        }
        if let Some(category) = &task.category {
            self.text("X-DORMOUSE-CATEGORY", category);
        }
        if !task.labels.is_empty() {
            let labels: Vec<String> = task.labels.iter().map(|label| escaped(label)).collect();
            self.line(&format!("CATEGORIES:{}", labels.join(",")));
        }
        if task.flags.starred {
            self.line(&format!("{STARRED}:TRUE"));
        }
        if let Some(at) = task.updated_at {
            self.line(&format!("LAST-MODIFIED:{}", utc(at)));
            self.line(&format!("{UPDATED}:{at}"));
        }
        // What the file said itself, such as CONFIDENTIAL, is written below.
        let is_stated = details.iter().any(|(name, _)| name == "CLASS");
        if task.flags.private && !is_stated {
            self.line("CLASS:PRIVATE");
        }
        let is_plain = |entry: &&draft::Entry| {
            entry.on.is_none() && entry.flags.is_none() && entry.kind == EntryKind::Text
        };
        let description = entries.iter().position(is_plain);
        if let Some(at) = description {
            let place = if at > 0 { format!(";{PLACE}={at}") } else { String::new() };
            self.text(&format!("DESCRIPTION{place}"), &entries[at].text);
        }
        for (_, entry) in entries.iter().enumerate().filter(|(at, _)| Some(*at) != description) {
            self.text(&format!("COMMENT{}", marks(entry)), &entry.text);
        }
        let mut due_time = due_time;
        for (name, value) in details.iter() {
            match due_time.take_if(|_| name == "Due") {
                Some(written) => self.line(&format!("DUE{written}")),
                // A class that no longer holds says nothing to other programs.
                None if name == "CLASS" && !task.flags.private => {
                    self.text(DETAIL, &format!("{name}: {value}"));
                }
                None => self.detail(name, value),
            }
        }
        for (name, at) in [("CREATED", task.created_at), ("COMPLETED", task.completed_at)] {
            let label = TIMES.iter().find(|(known, _)| *known == name).map(|(_, label)| *label);
            if let Some(at) = at.filter(|_| !details.iter().any(|(name, _)| Some(name) == label)) {
                self.line(&format!("{name};{OWN}=TRUE:{}", utc(at)));
            }
        }
        for link in &task.links {
            let words = link.kind.words(link.direction);
            self.text(DETAIL, &format!("Link: {words} {}", one_line(&link.title)));
        }
        self.line("END:VTODO");
        self.items(task, uid, stamp, uids);
    }

    fn status(&mut self, task: &Task) {
        let Some(status) = task.status else { return };
        self.line(match public(status) {
            Status::InProgress => "STATUS:IN-PROCESS",
            Status::Done => "STATUS:COMPLETED",
            Status::Rejected => "STATUS:CANCELLED",
            Status::Open | Status::Groomed | Status::Blocked | Status::OnHold => {
                "STATUS:NEEDS-ACTION"
            }
        });
        if status != public(status) {
            self.text("X-DORMOUSE-STATUS", status.name());
        }
        if let Some(reason) = &task.status_reason {
            self.text("X-DORMOUSE-REASON", reason);
        }
    }

    /// Writes what was kept as text as the property it came from.
    fn detail(&mut self, name: &str, value: &str) {
        let property = |table: &[(&'static str, &str)]| {
            table.iter().find(|(_, label)| *label == name).map(|(property, _)| *property)
        };
        if let Some(written) =
            property(TIMES).and_then(|name| Some(format!("{name}{}", time::property(value)?)))
        {
            return self.line(&written);
        }
        if let Some(name) = property(KEPT) {
            return self.text(name, value);
        }
        let is_plain = !value.contains(char::is_control);
        if let Some(name) = property(VALUES).filter(|_| is_plain) {
            return self.line(&format!("{name}:{value}"));
        }
        let base = name.split(';').next().unwrap_or_default();
        let is_name = base
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'-');
        let is_own = base.starts_with("X-DORMOUSE");
        let is_kept = VERBATIM.contains(&base) || (base.starts_with("X-") && base.len() > 2);
        if is_plain && is_name && is_kept && !is_own && is_head(name) {
            return self.line(&format!("{name}:{value}"));
        }
        self.text(DETAIL, &format!("{name}: {value}"));
    }

    /// Writes the checklist as to-dos that are part of the task's.
    fn items(&mut self, task: &Task, parent: &str, stamp: Timestamp, uids: &mut BTreeSet<String>) {
        // The item of each depth that the next deeper one is part of.
        let mut above: Vec<(u32, String)> = Vec::new();
        for item in &task.items {
            above.truncate(
                above.iter().rposition(|(depth, _)| *depth < item.depth).map_or(0, |at| at + 1),
            );
            let part_of = above.last().map_or(parent, |(_, uid)| uid.as_str()).to_owned();
            let uid = item_uid(&task.key, item, uids);
            self.line("BEGIN:VTODO");
            self.text("UID", &uid);
            self.line(&format!("DTSTAMP:{}", utc(stamp)));
            self.text("SUMMARY", &one_line(&item.title));
            self.line(if item.is_checked { "STATUS:COMPLETED" } else { "STATUS:NEEDS-ACTION" });
            if task.flags.private {
                self.line("CLASS:PRIVATE");
            }
            self.text("RELATED-TO", &part_of);
            self.line("END:VTODO");
            above.push((item.depth, uid));
        }
    }
}

/// The day, kind and flags of an entry as parameters.
fn marks(entry: &draft::Entry) -> String {
    let on = entry.on.map(|day| format!(";X-DORMOUSE-ON={day}")).unwrap_or_default();
    let kind = match entry.kind {
        EntryKind::Text => String::new(),
        EntryKind::Audio | EntryKind::ImageAnalysis | EntryKind::Time => {
            format!(";{KIND}={}", entry.kind.name())
        }
    };
    let mark = |is, name| if is { format!(";{name}=TRUE") } else { String::new() };
    let starred = mark(entry.flags.starred, STARRED);
    format!("{on}{kind}{starred}{}", mark(entry.flags.private, PRIVATE))
}

/// An item's id. A key that is unique only within its task gets the task's in front, once.
fn item_uid(task: &str, item: &Item, uids: &mut BTreeSet<String>) -> String {
    let key = one_line(&item.key);
    let task = one_line(task);
    // A key that is made of the title is no id.
    let is_title = key.split('#').next() == Some(fold(&item.title).as_str());
    let base = if is_title { format!("{task}/{key}") } else { key };
    let mut uid = base.clone();
    let mut n = 1;
    while !uids.insert(uid.clone()) {
        n += 1;
        uid = format!("{base}#{n}");
    }
    uid
}

/// Whether a name with parameters can stand before a value without being read as anything else.
fn is_head(name: &str) -> bool {
    let mut is_quoted = false;
    let breaks = name.chars().any(|c| {
        is_quoted ^= c == '"';
        c.is_control() || (c == ':' && !is_quoted)
    });
    !breaks && !is_quoted
}

/// TEXT with its escapes.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in block(text).chars() {
        match c {
            '\\' | ';' | ',' => {
                out.push('\\');
                out.push(c);
            }
            '\n' => out.push_str("\\n"),
            _ => out.push(c),
        }
    }
    out
}

fn number(priority: Priority) -> u8 {
    match priority {
        Priority::P0 => 1,
        Priority::P1 => 3,
        Priority::P2 => 5,
        Priority::P3 => 7,
    }
}

fn utc(at: Timestamp) -> String {
    let mut text = String::new();
    let _ = write!(text, "{}", at.to_zoned(TimeZone::UTC).strftime("%Y%m%dT%H%M%SZ"));
    text
}
