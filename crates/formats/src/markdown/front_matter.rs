//! Front matter: `key: value` lines between two `---` at the top of a file.
//!
//! Only a simple subset is read. What is not understood, or is no value of its key, is kept as text
//! of the first task and remarked.

use dormouse_types::draft::{Remark, Task};
use dormouse_types::limits;
use dormouse_types::task::{self, Flags, Priority, Status};
use dormouse_types::{TaskId, Timestamp};

use super::source::{Source, remark};
use crate::intake::{Dated, Dates, ReadOptions, instant, is_done, priority_of, status_of};
use crate::reading::Role;

/// What the front matter says about the file's tasks.
#[derive(Debug, Default)]
pub(super) struct FrontMatter {
    /// The number of lines it occupies.
    pub lines: usize,
    pub id: Option<String>,
    /// The title with its line.
    pub title: Option<(usize, String)>,
    pub status: Option<Status>,
    pub status_reason: Option<String>,
    pub priority: Option<Priority>,
    pub due: Option<Dated>,
    /// The estimate in minutes, with its line.
    pub estimate: Option<(usize, u32)>,
    pub language: Option<String>,
    pub category: Option<String>,
    pub labels: Vec<String>,
    pub flags: Flags,
    /// When the task was last changed before it was exported.
    pub as_of: Option<Timestamp>,
    /// Whether it says that each check item is a task, as a board of Obsidian does.
    pub is_board: bool,
    /// The role of each of its lines.
    pub roles: Vec<Role>,
    /// Its lines that became no field, in order.
    pub kept: Vec<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Key {
    Id,
    Title,
    Status,
    Reason,
    Priority,
    Due,
    Estimate,
    Language,
    Category,
    Labels,
    Starred,
    Private,
    Updated,
}

fn known(key: &str) -> Option<Key> {
    Some(match key.to_lowercase().replace(['_', '-'], "").as_str() {
        "id" => Key::Id,
        "title" => Key::Title,
        "status" => Key::Status,
        "reason" | "statusreason" => Key::Reason,
        "priority" => Key::Priority,
        "due" | "dueon" | "duedate" => Key::Due,
        "estimate" => Key::Estimate,
        "language" | "lang" => Key::Language,
        "category" => Key::Category,
        "label" | "labels" | "tag" | "tags" => Key::Labels,
        "starred" => Key::Starred,
        "private" => Key::Private,
        "updated" => Key::Updated,
        _ => return None,
    })
}

/// A `key: value` line with the `- value` lines below it.
struct Pair<'a> {
    line: usize,
    key: &'a str,
    value: &'a str,
    list: Vec<(usize, &'a str)>,
}

/// Reads the front matter, if the file begins with one.
pub(super) fn read(
    source: &Source<'_>,
    options: &ReadOptions,
    remarks: &mut Vec<Remark>,
) -> FrontMatter {
    let mut matter = FrontMatter::default();
    let Some(end) = end(source) else { return matter };
    matter.lines = end + 1;
    matter.roles = roles(source, end);
    let mut seen = Vec::new();
    let mut status_line = 0;
    for pair in pairs(source, end, &mut matter.kept, remarks) {
        if pair.key == "kanban-plugin" {
            matter.is_board = true;
            pair.lines().for_each(|line| matter.roles[line] = Role::Field);
            continue;
        }
        let is_own = |key: &Key| *key != Key::Updated || matter.exported_as().is_some();
        let Some(key) = known(pair.key).filter(is_own) else {
            let message = format!("unknown front-matter key `{}`: kept in the note", pair.key);
            matter.keep(&pair, pair.line, message, remarks);
            continue;
        };
        if seen.contains(&key) {
            let message =
                format!("front-matter key `{}` is there twice: kept in the note", pair.key);
            matter.keep(&pair, pair.line, message, remarks);
            continue;
        }
        seen.push(key);
        match matter.take(key, &pair, options, remarks) {
            Ok(()) => {
                let role = if key == Key::Due { Role::Due } else { Role::Field };
                pair.lines().for_each(|line| matter.roles[line] = role);
            }
            Err(Refused { line, value, allowed }) => {
                let value: String = value.chars().take(60).collect();
                let message =
                    format!("`{}` cannot be `{value}`; {allowed}: kept in the note", pair.key);
                matter.keep(&pair, line, message, remarks);
            }
        }
        if key == Key::Status {
            status_line = pair.line;
        }
    }
    if matter.status.is_some_and(Status::needs_reason) && matter.status_reason.is_none() {
        let message = "the status needs a reason; add `reason: …`";
        remarks.push(remark(status_line, message));
    }
    matter.kept.sort_unstable();
    matter
}

/// The line of the closing `---`; `None` for a file that merely begins with a rule.
fn end(source: &Source<'_>) -> Option<usize> {
    if source.n_lines() == 0 || source.line(0).trim_end() != "---" {
        return None;
    }
    let end = (1..source.n_lines())
        .find(|&line| matches!(source.line(line).trim_end(), "---" | "..."))?;
    let first = (1..end).map(|line| source.line(line)).find(|line| !blank(line));
    first.is_none_or(|line| split(line).is_some()).then_some(end)
}

/// The roles of its lines as far as they do not depend on what is understood.
fn roles(source: &Source<'_>, end: usize) -> Vec<Role> {
    let role = |line| {
        if line == 0 || line == end {
            Role::Markup
        } else if source.line(line).trim().is_empty() {
            Role::Blank
        } else {
            Role::Skipped
        }
    };
    (0..=end).map(role).collect()
}

fn blank(line: &str) -> bool {
    let line = line.trim();
    line.is_empty() || line.starts_with('#')
}

pub(super) fn split(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ' ' | '.');
    let shaped = !key.is_empty() && key.chars().all(plain) && !key.starts_with([' ', '-']);
    let spaced = value.is_empty() || value.starts_with([' ', '\t']);
    (shaped && spaced).then(|| (key.trim_end(), value.trim()))
}

fn pairs<'a>(
    source: &'a Source<'_>,
    end: usize,
    kept: &mut Vec<usize>,
    remarks: &mut Vec<Remark>,
) -> Vec<Pair<'a>> {
    let mut pairs: Vec<Pair<'a>> = Vec::new();
    for number in 1..end {
        let line = source.line(number);
        if line.trim().is_empty() {
            continue;
        }
        if line.trim_start().starts_with('#') {
            remarks.push(remark(number, format!("comment `{}` is not imported", line.trim())));
            continue;
        }
        if let Some((key, value)) = split(line) {
            pairs.push(Pair { line: number, key, value, list: Vec::new() });
            continue;
        }
        let element =
            line.trim_start().strip_prefix('-').filter(|rest| rest.starts_with([' ', '\t']));
        match (element, pairs.last_mut()) {
            (Some(element), Some(pair)) if pair.value.is_empty() => {
                pair.list.push((number, element.trim()));
            }
            (Some(_) | None, _) => {
                kept.push(number);
                let line: String = line.trim().chars().take(60).collect();
                let message =
                    format!("front-matter line `{line}` is not understood: kept in the note");
                remarks.push(remark(number, message));
            }
        }
    }
    pairs
}

impl Pair<'_> {
    /// The whole text of the pair, for a remark.
    fn whole(&self) -> String {
        let mut all = vec![self.value];
        all.extend(self.list.iter().map(|(_, element)| *element));
        all.retain(|part| !part.is_empty());
        all.join(", ")
    }

    /// Its lines, counted from 0.
    fn lines(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.line).chain(self.list.iter().map(|&(line, _)| line))
    }

    fn refused(&self, allowed: impl Into<String>) -> Refused {
        Refused { line: self.line, value: self.whole(), allowed: allowed.into() }
    }
}

/// The outcome of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// It is a field of the task.
    Field,
    /// It is none, and a remark says so.
    Text,
}

/// A value that its key does not have.
struct Refused {
    line: usize,
    value: String,
    /// The values that it has.
    allowed: String,
}

impl FrontMatter {
    fn keep(&mut self, pair: &Pair<'_>, line: usize, message: String, remarks: &mut Vec<Remark>) {
        self.kept.extend(pair.lines());
        remarks.push(remark(line, message));
    }

    /// Sets the fields of a task that are given here.
    pub fn fill(self, task: &mut Task) {
        task.status = self.status.or(task.status);
        task.status_reason = self.status_reason.or(task.status_reason.take());
        task.priority = self.priority.or(task.priority);
        task.due_on = self.due.map(|due| due.day).or(task.due_on);
        task.estimate_minutes = self.estimate.map(|(_, minutes)| minutes).or(task.estimate_minutes);
        task.language = self.language.or(task.language.take());
        task.category = self.category.or(task.category.take());
        task.flags.starred |= self.flags.starred;
        task.flags.private |= self.flags.private;
        task.as_of = self.as_of.or(task.as_of);
        for label in self.labels {
            let fits = task.labels.len() < limits::LABELS_PER_TASK.max;
            if fits && !task.labels.contains(&label) {
                task.labels.push(label);
            }
        }
    }

    /// The id, if it is one that Dormouse gives its tasks.
    pub fn exported_as(&self) -> Option<TaskId> {
        self.id.as_deref()?.parse().ok()
    }

    /// Whether a key is one of a task's.
    pub fn knows(key: &str) -> bool {
        known(key).is_some_and(|key| key != Key::Updated)
    }

    /// Takes one value that shares a line with others, as it is.
    pub fn take_one(
        &mut self,
        key: &str,
        value: &str,
        line: usize,
        options: &ReadOptions,
        remarks: &mut Vec<Remark>,
    ) -> Taken {
        // In quotes nothing in it is a comment or a list.
        let quoted = format!("\"{value}\"");
        let mut pair = Pair { line, key, value: &quoted, list: Vec::new() };
        let taken = match known(key) {
            // One label, which may have a comma in it.
            Some(Key::Labels) if key == "label" => {
                pair.value = "";
                pair.list = vec![(line, quoted.as_str())];
                self.take_labels(&pair)
            }
            Some(key) => self.take(key, &pair, options, remarks),
            None => Err(pair.refused("a task has no such field")),
        };
        let Err(Refused { value, allowed, .. }) = taken else { return Taken::Field };
        let value: String = unquoted(&value).chars().take(60).collect();
        remarks.push(remark(
            line,
            format!("`{key}` cannot be `{value}`; {allowed}: kept in the note"),
        ));
        Taken::Text
    }

    fn take(
        &mut self,
        key: Key,
        pair: &Pair<'_>,
        options: &ReadOptions,
        remarks: &mut Vec<Remark>,
    ) -> Result<(), Refused> {
        if key == Key::Labels {
            return self.take_labels(pair);
        }
        if let Some(&(line, _)) = pair.list.first() {
            let allowed = "it takes one value on its own line, not a list";
            return Err(Refused { line, ..pair.refused(allowed) });
        }
        let value = if key == Key::Title {
            unquoted(pair.value)
        } else {
            scalar(pair.line, pair.value, remarks)
        };
        if value.is_empty() {
            return Ok(());
        }
        match key {
            Key::Labels => {}
            Key::Id => self.id = Some(value.to_owned()),
            Key::Title => self.title = Some((pair.line, value.to_owned())),
            Key::Category => self.category = Some(value.to_owned()),
            Key::Reason => {
                limits::REASON
                    .check(value.chars().count())
                    .map_err(|beyond| pair.refused(beyond.to_string()))?;
                self.status_reason = Some(value.to_owned());
            }
            Key::Status => {
                let status =
                    listed(pair, value.parse()).or_else(|refused| status_of(value).ok_or(refused));
                self.status = Some(status?);
            }
            Key::Priority => {
                let priority = listed(pair, value.parse())
                    .or_else(|refused| priority_of(value).ok_or(refused));
                self.priority = Some(priority?);
            }
            Key::Starred => self.flags.starred = flag(pair, value)?,
            Key::Private => self.flags.private = flag(pair, value)?,
            Key::Updated => {
                // Many notes have a day or a time of their own here, which is text.
                let at = instant(value).filter(|_| self.exported_as().is_some());
                self.as_of = Some(at.ok_or_else(|| pair.refused("a task has no such field"))?);
            }
            Key::Language => self.language = Some(listed(pair, task::language(value))?),
            Key::Due => {
                let dated = Dates::new(options).due(value);
                let dated = dated.ok_or_else(|| pair.refused("write a date as YYYY-MM-DD"))?;
                if !dated.is_exact {
                    self.kept.push(pair.line);
                    let repeats =
                        "a due date has no time and does not repeat: kept in the note too";
                    remarks.push(remark(pair.line, dated.doubt().unwrap_or(repeats)));
                }
                self.due = Some(dated);
            }
            Key::Estimate => {
                let minutes = minutes(value)
                    .ok_or_else(|| pair.refused("write a time such as 90, 45m, 2h or 1h30m"))?;
                limits::ESTIMATE
                    .check(minutes as usize)
                    .map_err(|beyond| pair.refused(beyond.to_string()))?;
                self.estimate = Some((pair.line, minutes));
            }
        }
        Ok(())
    }

    fn take_labels(&mut self, pair: &Pair<'_>) -> Result<(), Refused> {
        let inline = pair.value.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        let names: Vec<(usize, &str)> = match inline {
            Some(list) => list.split(',').map(|name| (pair.line, name.trim())).collect(),
            None if pair.value.is_empty() => pair.list.clone(),
            // A `#` does not begin a comment here: many people write labels with one.
            None => {
                let names = unquoted(pair.value).split(',');
                names.map(|name| (pair.line, name.trim())).collect()
            }
        };
        // What is within the limits is taken; the rest stays text.
        let mut refused = None;
        for (line, name) in names {
            // In quotes, as this program writes it, a sign is a part of the name.
            let name = match unquoted(name) {
                bare if bare.len() < name.len() => bare.trim(),
                bare => bare.trim().trim_start_matches('#'),
            };
            let known = self.labels.iter().any(|label| label.to_lowercase() == name.to_lowercase());
            if name.is_empty() || known {
                continue;
            }
            let length = limits::LABEL_NAME.check(name.chars().count());
            let count = limits::LABELS_PER_TASK.check(self.labels.len() + 1);
            match length.and(count) {
                Ok(()) => self.labels.push(name.to_owned()),
                Err(beyond) => {
                    let (value, allowed) = (name.to_owned(), beyond.to_string());
                    refused.get_or_insert(Refused { line, value, allowed });
                }
            }
        }
        refused.map_or(Ok(()), Err)
    }
}

fn listed<T>(pair: &Pair<'_>, value: Result<T, task::NotListed>) -> Result<T, Refused> {
    value.map_err(|refused| Refused {
        value: refused.given.to_string(),
        ..pair.refused(format!("write one of: {}", refused.allowed))
    })
}

fn flag(pair: &Pair<'_>, value: &str) -> Result<bool, Refused> {
    is_done(value).ok_or_else(|| pair.refused("write true or false"))
}

fn unquoted(value: &str) -> &str {
    ['"', '\'']
        .iter()
        .find_map(|&quote| value.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(value)
}

/// A value without its quotes or trailing comment; the comment is remarked.
fn scalar<'a>(line: usize, value: &'a str, remarks: &mut Vec<Remark>) -> &'a str {
    let plain = unquoted(value);
    if plain.len() != value.len() {
        return plain;
    }
    let cut = if value.starts_with('#') { Some(0) } else { value.find(" #") };
    let Some(cut) = cut else { return value };
    remarks.push(remark(line, format!("comment `{}` is not imported", value[cut..].trim())));
    value[..cut].trim_end()
}

/// Units: minutes. `None` for anything that is not a positive duration.
fn minutes(value: &str) -> Option<u32> {
    let value = value.to_lowercase().replace(' ', "");
    if let Some((hours, minutes)) = value.split_once(':') {
        let minutes: u32 = minutes.parse().ok().filter(|&minutes| minutes < 60)?;
        return hours
            .parse::<u32>()
            .ok()?
            .checked_mul(60)?
            .checked_add(minutes)
            .filter(|&all| all > 0);
    }
    let mut total = 0.0_f64;
    let mut rest = value.as_str();
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let amount: f64 = rest[..end].parse().ok()?;
        rest = &rest[end..];
        let end = rest.find(|c: char| c.is_ascii_digit()).unwrap_or(rest.len());
        total += amount
            * match &rest[..end] {
                "" | "m" | "min" | "mins" | "minutes" | "minute" => 1.0,
                "h" | "hr" | "hrs" | "hour" | "hours" => 60.0,
                _ => return None,
            };
        rest = &rest[end..];
    }
    // The cast saturates; the limit on estimates refuses a value that large.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    (total >= 1.0 && total.fract() == 0.0).then_some(total as u32)
}
