//! What the members of a task are called in the JSON of many programs.

use crate::intake::column_named;
use crate::reading::Column;

/// What a member holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Meaning {
    /// The same as a column of a sheet of that name.
    Column(Column),
    /// The id of the task that this one is a part of.
    Parent,
    /// Whether it was thrown away.
    Trashed,
    /// Whether it was given up, or when.
    Cancelled,
    /// The task is in an archive.
    Archived,
    /// Says nothing to a person, such as where a program shows a task.
    Machinery,
}

/// Names that no sheet has, or that mean something else in one.
#[rustfmt::skip]
const NAMES: &[(Meaning, &[&str])] = &[
    (Meaning::Column(Column::Title), &["display name", "headline", "todo text", "task title"]),
    (Meaning::Column(Column::Done), &[
        "is checked", "is complete", "completed date time", "completed at", "done at", "date completed",
        "completion date", "completed on",
    ]),
    (Meaning::Column(Column::Due), &[
        "date due", "due date time", "due at", "due time", "due day", "deadline at", "deadline date", "dueat", "dueon",
    ]),
    (Meaning::Column(Column::Start), &[
        "start date time", "start at", "start on", "scheduled date", "scheduled on", "defer date", "deferred until",
    ]),
    (Meaning::Column(Column::Note), &["text content", "memo", "notes plain", "long description"]),
    (Meaning::Column(Column::Items), &[
        "list content", "children", "sub items", "check items", "checklists", "todo items",
    ]),
    (Meaning::Column(Column::Starred), &["is starred", "is favorite", "is pinned", "pinned", "is flagged"]),
    (Meaning::Column(Column::Label), &["tag list", "tag names", "label names"]),
    (Meaning::Column(Column::Category), &["project name", "folder name", "list title"]),
    (Meaning::Trashed, &["trashed", "is trashed", "deleted", "is deleted", "in trash"]),
    (Meaning::Archived, &["archived", "is archived"]),
    (Meaning::Machinery, &[
        "kind", "etag", "self link", "web view link", "position", "order", "sort order", "index", "text html",
        "color", "colour", "user edited timestamp usec", "updated", "updated at", "last modified",
        "last modified date time", "modified", "hidden", "task type",
    ]),
];

/// Of several members that can be the title, the first of these is.
const TITLES: &[&str] = &["title", "name", "display name", "content", "summary", "subject", "text"];

/// A name in words: `dueDateTime`, `due_date_time` and `Due date-time` are one.
pub(super) fn words(name: &str) -> String {
    let mut words = String::new();
    let mut was_lower = false;
    for c in name.chars().take(80) {
        let is_word = c.is_alphanumeric();
        if (!is_word || c.is_uppercase() && was_lower) && !words.ends_with(' ') && !words.is_empty()
        {
            words.push(' ');
        }
        if is_word {
            words.extend(c.to_lowercase());
        }
        was_lower = c.is_lowercase() || c.is_ascii_digit();
    }
    words.trim_end().to_owned()
}

/// What the name of a member says that it holds.
pub(super) fn meaning(name: &str) -> Option<Meaning> {
    if name.starts_with('@') {
        return Some(Meaning::Machinery);
    }
    let words = words(name);
    let column = column_named(&words);
    let answered = words.strip_prefix("is ").and_then(column_named);
    let known = NAMES.iter().find(|(_, names)| names.contains(&words.as_str()));
    match (column, known) {
        _ if [column, answered].contains(&Some(Column::Canceled)) => Some(Meaning::Cancelled),
        (_, Some(&(meaning, _))) => Some(meaning),
        (Some(Column::Parent), None) => Some(Meaning::Parent),
        (column, None) => column.map(Meaning::Column),
    }
}

/// How early a name comes among those of a title; none for another one.
pub(super) fn rank_of_title(name: &str) -> Option<usize> {
    let words = words(name);
    match TITLES.iter().position(|title| *title == words) {
        Some(rank) => Some(rank),
        None => (meaning(name) == Some(Meaning::Column(Column::Title))).then_some(TITLES.len()),
    }
}
