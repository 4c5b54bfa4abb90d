//! Writes a sheet with commas, a first row and `\r\n` ends (RFC 4180).
//!
//! A cell that a spreadsheet would run as a formula gets an apostrophe in front, as a person would
//! write it there; reading our own export takes it away again. The rule: text that begins, after any
//! apostrophes, with `=`, `+`, `-`, `@`, a tab or a line end.
//!
//! Source: owasp.org/www-community/attacks/CSV_Injection.

use dormouse_types::draft::Entry;
use dormouse_types::task::{EntryKind, Flag, Flags};
use jiff::civil::Date;

use crate::export::task::{Lost, Task, block, has_details_within};
use crate::intake::Comment;
use crate::reading::Column;

/// The first row and what its columns mean.
pub(super) const HEAD: &[(&str, Column)] = &[
    ("key", Column::Key),
    ("title", Column::Title),
    ("status", Column::Status),
    ("reason", Column::Reason),
    ("priority", Column::Priority),
    ("due", Column::Due),
    ("estimate", Column::Estimate),
    ("language", Column::Language),
    ("category", Column::Category),
    ("labels", Column::Label),
    ("items", Column::Items),
    ("note", Column::Note),
    ("entries", Column::Entries),
    ("details", Column::Details),
    ("links", Column::KeptInNote),
    ("created", Column::LeftOut),
    ("completed", Column::LeftOut),
    ("report", Column::KeptInNote),
    ("starred", Column::Starred),
    ("private", Column::Private),
    (UPDATED, Column::LeftOut),
];

/// The column of our own export that says when a task was last changed.
pub(super) const UPDATED: &str = "updated";

/// How many columns the first row had in versions without the last ones.
pub(super) const OLDER: [usize; 2] = [18, 20];

/// The parts of a task that its row does not hold.
pub(crate) fn lost(task: &Task) -> Vec<Lost> {
    let has = [(!task.links.is_empty(), Lost::Links), (has_details_within(task), Lost::Order)];
    has.into_iter().filter_map(|(has, part)| has.then_some(part)).collect()
}

/// The row that names the columns.
pub(crate) fn head() -> String {
    let mut text = String::new();
    row(&mut text, HEAD.iter().map(|(name, _)| (*name).to_owned()));
    text
}

pub(crate) fn task_row(task: &Task) -> String {
    let mut text = String::new();
    row(&mut text, cells(task).into_iter().map(|cell| guarded(&block(&cell))));
    text
}

fn row(text: &mut String, cells: impl Iterator<Item = String>) {
    for (n, cell) in cells.enumerate() {
        if n > 0 {
            text.push(',');
        }
        let needs_quotes = cell.contains([',', '"', '\n', ';', '\t', '|']) || cell.trim() != cell;
        if needs_quotes {
            text.push('"');
            text.push_str(&cell.replace('"', "\"\""));
            text.push('"');
        } else {
            text.push_str(&cell);
        }
    }
    text.push_str("\r\n");
}

fn cells(task: &Task) -> [String; HEAD.len()] {
    let shown = |value: Option<String>| value.unwrap_or_default();
    let (details, entries) = task.parts();
    // A note further down is written among the others, so that their order stays.
    let note = entries.first().filter(|entry| Marks::of(entry).is_none()).map(|_| 0);
    let others = entries.iter().enumerate().filter(|(at, _)| Some(*at) != note);
    let others: Vec<String> =
        others.map(|(_, entry)| entry_text(Marks::of(entry), &block(&entry.text))).collect();
    let items: Vec<String> = task
        .items
        .iter()
        .map(|item| {
            let tick = if item.is_checked { 'x' } else { ' ' };
            let title = crate::export::task::one_line(&item.title);
            format!("{}- [{tick}] {title}", "  ".repeat(item.depth.min(100) as usize))
        })
        .collect();
    let links: Vec<String> = task
        .links
        .iter()
        .map(|link| {
            format!(
                "{} {}",
                link.kind.words(link.direction),
                crate::export::task::one_line(&link.title)
            )
        })
        .collect();
    [
        task.key.clone(),
        task.title_line(),
        shown(task.status.map(|status| status.name().to_owned())),
        shown(task.status_reason.clone()),
        shown(task.priority.map(|priority| priority.name().to_owned())),
        shown(task.due_on.map(|day| day.to_string())),
        shown(task.estimate_minutes.map(|minutes| minutes.to_string())),
        shown(task.language.clone()),
        shown(task.category.clone()),
        task.labels.iter().map(|label| escaped_label(label)).collect::<Vec<_>>().join(", "),
        items.join("\n"),
        note.map(|at| entries[at].text.clone()).unwrap_or_default(),
        others.join("\n---\n"),
        details.text(),
        links.join("\n"),
        shown(task.created_at.map(|at| at.to_string())),
        shown(task.completed_at.map(|at| at.to_string())),
        shown(task.report.clone()),
        mark(task.flags.starred),
        mark(task.flags.private),
        shown(task.updated_at.map(|at| at.to_string())),
    ]
}

fn mark(is_set: bool) -> String {
    if is_set { "yes".to_owned() } else { String::new() }
}

fn is_formula(cell: &str) -> bool {
    cell.trim_start_matches('\'')
        .starts_with(['=', '+', '-', '@', '\t', '\n', '\r', '＝', '＋', '－', '＠'])
}

fn guarded(cell: &str) -> String {
    if is_formula(cell) { format!("'{cell}") } else { cell.to_owned() }
}

/// A cell of our own export without its guard.
pub(super) fn unguarded(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|_| is_formula(cell)).unwrap_or(cell)
}

fn escaped_label(label: &str) -> String {
    label
        .replace('\\', "\\\\")
        .replace(',', "\\,")
        .replace(';', "\\;")
        .replace('#', "\\#")
        .replace('@', "\\@")
}

/// Labels that commas or semicolons separate; a backslash takes the next sign as it is.
pub(super) fn labels(cell: &str) -> Vec<String> {
    let (mut all, mut label, mut chars) = (Vec::new(), String::new(), cell.chars().peekable());
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next_if(|next| "\\,;#@".contains(*next)) {
                // A leading sign would be taken for the mark of a label.
                Some(next) if "#@".contains(next) && label.trim().is_empty() => {
                    label.push('\u{2060}');
                    label.push(next);
                }
                Some(next) => label.push(next),
                None => label.push('\\'),
            },
            ',' | ';' | '\n' => all.push(std::mem::take(&mut label)),
            _ => label.push(c),
        }
    }
    all.push(label);
    all.into_iter()
        .map(|label| {
            let label = label.trim().trim_start_matches(['#', '@']);
            label.replace('\u{2060}', "")
        })
        .filter(|label| !label.is_empty())
        .collect()
}

/// Items, one a line: with a box and an indent, or only their text.
pub(super) fn items(cell: &str) -> Vec<(String, bool, u32)> {
    // Without boxes, some programs write all of them on one line.
    let is_one_line = !cell.contains('\n') && !cell.contains("[ ]") && !cell.contains("[x]");
    let lines = cell.split(|c| c == '\n' || (c == ';' && is_one_line));
    lines
        .filter(|line| !line.trim().is_empty())
        .map(|line| {
            let text = line.trim_start();
            let indent = u32::try_from((line.len() - text.len()) / 2).unwrap_or(0).min(100);
            let text = text.strip_prefix(['-', '*']).map_or(text, str::trim_start);
            let ticked = ["[x]", "[X]"].iter().find_map(|mark| text.strip_prefix(mark));
            let title = ticked.or_else(|| text.strip_prefix("[ ]")).unwrap_or(text);
            (title.trim().to_owned(), ticked.is_some(), indent)
        })
        .filter(|(title, _, _)| !title.is_empty())
        .collect()
}

/// What comes before the text of an entry, in a cell that holds several:
/// `2026-11-20 [private, imageAnalysis]:`, a line of its own.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Marks {
    on: Option<Date>,
    kind: EntryKind,
    flags: Flags,
}

impl Marks {
    fn of(entry: &Entry) -> Self {
        Self { on: entry.on, kind: entry.kind, flags: entry.flags }
    }

    fn is_none(&self) -> bool {
        *self == Self::default()
    }

    fn line(&self) -> String {
        let mut words = Vec::new();
        if self.kind != EntryKind::Text {
            words.push(self.kind.name());
        }
        let flags = Flag::ALL.iter().filter(|flag| self.flags.has(**flag));
        words.extend(flags.map(|flag| flag.name()));
        let words =
            if words.is_empty() { String::new() } else { format!("[{}]", words.join(", ")) };
        let day = self.on.map(|day| day.to_string());
        let parts = [day, Some(words)].into_iter().flatten().filter(|part| !part.is_empty());
        format!("{}:", parts.collect::<Vec<_>>().join(" "))
    }

    /// The marks of such a line; `None` for any other line.
    fn read(line: &str) -> Option<Self> {
        let mut rest = line.strip_suffix(':').filter(|rest| rest.len() <= LONGEST)?;
        let mut marks = Self::default();
        if let Some((words, before)) = rest
            .strip_suffix(']')
            .and_then(|rest| rest.rsplit_once('['))
            .map(|(before, words)| (words, before))
        {
            for word in words.split(", ") {
                if let Some(flag) = Flag::ALL.iter().find(|flag| flag.name() == word) {
                    marks.flags = marks.flags.with(*flag, true);
                } else {
                    let kinds = EntryKind::ALL.iter().filter(|kind| kind.is_derived());
                    marks.kind = *kinds.clone().find(|kind| kind.name() == word)?;
                }
            }
            rest = before.strip_suffix(' ').unwrap_or(before);
        }
        if !rest.is_empty() {
            marks.on = Some(rest.parse().ok().filter(|_| rest.len() == 10)?);
        }
        Some(marks).filter(|marks| !marks.is_none())
    }
}

/// Units: bytes. No line of marks is longer.
const LONGEST: usize = 60;

/// An entry in a cell that holds several: its marks on a line of their own, and a backslash before
/// lines that would separate or mark it.
fn entry_text(marks: Marks, text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for (n, line) in text.split('\n').enumerate() {
        let bare = line.trim_start_matches('\\');
        let is_mark = bare == "---" || (n == 0 && Marks::read(bare).is_some());
        lines.push(if is_mark { format!("\\{line}") } else { line.to_owned() });
    }
    let text = lines.join("\n");
    if marks.is_none() { text } else { format!("{}\n{text}", marks.line()) }
}

/// Reads such a cell.
pub(super) fn entries(cell: &str) -> Vec<Comment> {
    let (mut all, mut marks, mut lines) = (Vec::new(), Marks::default(), Vec::new());
    let mut is_first = true;
    for line in cell.split('\n').map(Some).chain([None]) {
        match line {
            Some(line) if line != "---" => {
                if is_first && let Some(read) = Marks::read(line) {
                    marks = read;
                    is_first = false;
                    continue;
                }
                let bare = line.trim_start_matches('\\');
                let is_mark = bare == "---" || (lines.is_empty() && Marks::read(bare).is_some());
                lines.push(if is_mark { line.strip_prefix('\\').unwrap_or(line) } else { line });
                is_first = false;
            }
            Some(_) | None => {
                let Marks { on, kind, flags } = std::mem::take(&mut marks);
                let text = std::mem::take(&mut lines).join("\n");
                all.push(Comment { on, text, kind, flags });
                is_first = true;
            }
        }
    }
    all.retain(|comment| !comment.text.trim().is_empty());
    all
}
