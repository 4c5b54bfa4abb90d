//! A task that comes back in an export of its own workspace.
//!
//! Nothing was recorded when the file was written, so the version that it was made from is derived from the
//! task: what was not changed here since the time that the file states is as it was then. What was changed
//! here since stays, and is named where the file has something else.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_store::journal::entry::Entry as HereEntry;
use dormouse_store::journal::item::Item as HereItem;
use dormouse_types::task::{Field, Flag, Flags};
use dormouse_types::{Id as _, Timestamp, draft, hash};

use super::content::{Content, Entry, Item, Last, LastEntry, LastItem, one_line};
use super::plan::Part;
use crate::view::TaskView;

/// The names under which an export writes what it reads back as text: links and the report.
const ONLY_SHOWN: [&str; 4] = ["Link", "links", "Report", "report"];

/// What a task is compared with.
#[derive(Debug, Clone, Default)]
pub(super) struct Base {
    /// The version that the file was made from.
    pub(super) last: Last,
    /// What the file says, without what an export only shows.
    pub(super) content: Content,
    /// What was changed here since.
    pub(super) changed_here: BTreeSet<Part>,
}

/// The base of a file that was exported when the task was last changed at `as_of`. Without that time,
/// everything counts as changed since.
pub(super) fn base(
    view: &TaskView,
    file: &Content,
    as_of: Option<Timestamp>,
    before: &Last,
) -> Base {
    let task = &view.task.value;
    let is_later = |at: Timestamp| as_of.is_none_or(|as_of| at > as_of);
    let mut changed_here = BTreeSet::new();
    for field in [
        Field::Title,
        Field::Status,
        Field::Priority,
        Field::DueDate,
        Field::Estimate,
        Field::Language,
        Field::Category,
        Field::Starred,
        Field::Private,
    ] {
        let is_changed = match view.say(field.name()) {
            Some(say) => is_later(say.at),
            None => as_of.is_none(),
        };
        if is_changed {
            changed_here.insert(Part::Field(field.name()));
        }
    }
    let mut content = file.clone();
    if task.title.is_empty() && content.title == draft::UNTITLED {
        content.title.clear();
    }
    let mut last = Last {
        n: before.n,
        title: task.title.clone(),
        status: Some(task.status.status),
        status_reason: task.status.reason.clone(),
        priority: task.priority,
        due_on: task.due_on,
        estimate_minutes: task.estimate_minutes,
        language: task.language_code.clone(),
        category: view.category().map(|category| one_line(&category.name)),
        labels: view.labels().into_iter().map(|label| label.name.clone()).collect(),
        flags: task.flags,
        items: before.items.clone(),
        entries: before.entries.clone(),
        ..Last::default()
    };
    last.items.extend(items(view, &content.items, is_later, &mut changed_here));
    last.entries.extend(entries(view, &mut content.entries, is_later, &mut changed_here));
    Base { last, content, changed_here }
}

/// Whether the part of the task at a place is a part of the file.
type IsSame<'a, F> = &'a dyn Fn(usize, &F) -> bool;

/// Which part of the task each part of the file is: the first rule that finds one decides.
fn matched<F>(
    file: &[F],
    n_here: usize,
    key: impl Fn(&F) -> &str,
    rules: [IsSame<'_, F>; 2],
) -> BTreeMap<String, usize> {
    let mut taken = vec![false; n_here];
    let mut found = BTreeMap::new();
    for is_same in rules {
        for part in file {
            if found.contains_key(key(part)) {
                continue;
            }
            if let Some(at) = (0..n_here).find(|&at| !taken[at] && is_same(at, part)) {
                taken[at] = true;
                found.insert(key(part).to_owned(), at);
            }
        }
    }
    found
}

/// The items that a file has, by their keys in it: by id, else by title.
fn items(
    view: &TaskView,
    file: &[Item],
    is_later: impl Fn(Timestamp) -> bool,
    changed_here: &mut BTreeSet<Part>,
) -> BTreeMap<String, LastItem> {
    let here: Vec<&HereItem> =
        view.items.iter().chain(&view.removed_items).map(|item| &item.value).collect();
    let titles: Vec<String> =
        here.iter().map(|item| one_line(&item.title).to_lowercase()).collect();
    let by_id = |at: usize, item: &Item| here[at].id.as_str() == item.key;
    let by_title = |at: usize, item: &Item| titles[at] == item.title.to_lowercase();
    let found = matched(file, here.len(), |item| &item.key, [&by_id, &by_title]);
    let known = file.iter().filter_map(|item| {
        let here = here[*found.get(&item.key)?];
        if is_later(here.updated_at) {
            changed_here.insert(Part::Item(here.id.clone()));
        }
        // One that was removed here is not missed by the file.
        let (title, is_checked) = match here.deleted_at {
            Some(_) => (item.title.clone(), item.is_checked),
            None => (here.title.clone(), here.is_checked),
        };
        Some((
            item.key.clone(),
            LastItem { id: here.id.clone(), title, is_checked, is_gone: false },
        ))
    });
    known.collect()
}

/// The entries that a file has, by their keys in it: by id, else by their words, else, where as many are
/// left in the file as here, in their order. Takes from the file what an export only shows.
fn entries(
    view: &TaskView,
    file: &mut Vec<Entry>,
    is_later: impl Fn(Timestamp) -> bool,
    changed_here: &mut BTreeSet<Part>,
) -> BTreeMap<String, LastEntry> {
    let here: Vec<&HereEntry> =
        view.entries.iter().chain(&view.deleted_entries).map(|entry| &entry.value).collect();
    let texts: Vec<String> = here.iter().map(|entry| exported(entry)).collect();
    *file = file.drain(..).flat_map(|entry| apart(entry, &texts)).collect();
    for entry in file.iter_mut() {
        entry.text = without_shown(&entry.text, &texts);
    }
    file.retain(|entry| !entry.text.trim().is_empty());
    let word_lists: Vec<String> = texts.iter().map(|text| words(text)).collect();
    let by_id = |at: usize, entry: &Entry| here[at].id.as_str() == entry.key;
    let by_words = |at: usize, entry: &Entry| {
        [entry.text.as_str(), undated(entry)].map(words).contains(&word_lists[at])
    };
    let mut found = matched(file, here.len(), |entry| &entry.key, [&by_id, &by_words]);
    // What is left was edited here or there. The order tells which is which only where nothing was added.
    let used: BTreeSet<usize> = found.values().copied().collect();
    let was_there = |at: &usize| {
        !used.contains(at) && here[*at].deleted_at.is_none() && !is_later(here[*at].created_at)
    };
    let rest_here: Vec<usize> = (0..here.len()).filter(was_there).collect();
    let rest_file: Vec<&Entry> =
        file.iter().filter(|entry| !found.contains_key(&entry.key)).collect();
    if rest_here.len() == rest_file.len() {
        found.extend(rest_file.iter().map(|entry| entry.key.clone()).zip(rest_here));
    }
    let mut last = BTreeMap::new();
    for entry in file.iter_mut() {
        let Some(&at) = found.get(&entry.key) else { continue };
        let (here, is_as_here) = (here[at], by_words(at, entry));
        let has_day =
            entry.on.is_some_and(|day| here.says().trim_start().starts_with(&day.to_string()));
        if !has_day {
            entry.text = undated(entry).to_owned();
        }
        // Time is shown as text, and a text that is changed would hold it twice.
        if is_later(here.updated_at) || here.minutes.is_some() {
            changed_here.insert(Part::Entry(here.id.clone()));
        }
        let is_gone = here.deleted_at.is_some();
        let then = if is_as_here || is_gone { entry.text.as_str() } else { here.says() };
        let digest = hash::sha256(then);
        // A format without a place for the marks of entries says nothing about them.
        let both = |flag: &&Flag| here.flags.has(**flag) && entry.flags.has(**flag);
        let flags = Flag::ALL.iter().filter(both);
        let flags = flags.fold(Flags::NONE, |flags, flag| flags.with(*flag, true));
        last.insert(entry.key.clone(), LastEntry { id: here.id.clone(), digest, flags });
    }
    last
}

/// An entry of a file as the entries here that it consists of. In Markdown nothing sets one entry without a
/// day off from the one above it, so they come back as one.
fn apart(entry: Entry, here: &[String]) -> Vec<Entry> {
    let here: Vec<(String, usize)> =
        here.iter().map(|text| (words(text), paragraphs(text).len())).collect();
    let whole = [entry.text.as_str(), undated(&entry)].map(words);
    if here.iter().any(|(words, _)| whole.contains(words)) {
        return vec![entry];
    }
    let all = paragraphs(&entry.text);
    let mut parts: Vec<String> = Vec::new();
    let (mut at, mut is_open) = (0, false);
    while at < all.len() {
        let text = |n: usize| all[at..at + n].join("\n\n");
        let is_here = |&n: &usize| {
            let part = Entry { text: text(n), ..entry.clone() };
            let part = [part.text.as_str(), undated(&part)].map(words);
            here.iter().any(|(words, length)| *length == n && part.contains(words))
        };
        let found = (1..=all.len() - at).rev().find(is_here);
        let next = text(found.unwrap_or(1));
        match parts.last_mut().filter(|_| found.is_none() && is_open) {
            Some(last) => *last = format!("{last}\n\n{next}"),
            None => parts.push(next),
        }
        is_open = found.is_none();
        at += found.unwrap_or(1);
    }
    let part = |(n, text): (usize, String)| match n {
        0 => Entry { text, ..entry.clone() },
        n => Entry { key: format!("{}/{}", entry.key, n + 1), text, on: None, ..entry.clone() },
    };
    parts.into_iter().enumerate().map(part).collect()
}

/// The paragraphs of a text.
fn paragraphs(text: &str) -> Vec<&str> {
    text.split("\n\n").filter(|part| !part.trim().is_empty()).collect()
}

/// An entry as an export writes its text.
fn exported(entry: &HereEntry) -> String {
    let minutes = entry.minutes.map(draft::time_spent);
    let text = Some(entry.says().to_owned()).filter(|text| !text.trim().is_empty());
    [text, minutes].into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// The text without the day that a Markdown export puts before it.
fn undated(entry: &Entry) -> &str {
    let day = entry.on.map(|day| format!("{day}:"));
    let rest = day.and_then(|day| entry.text.trim_start().strip_prefix(&day));
    rest.map_or(entry.text.as_str(), str::trim_start)
}

/// The words of a text, whatever the level of its headings and the space around them.
fn words(text: &str) -> String {
    let words = text.lines().flat_map(|line| line.trim_start_matches('#').split_whitespace());
    words.collect::<Vec<_>>().join(" ")
}

/// A list of named values without the links and the report that an export adds to it. What an entry here
/// has itself stays.
fn without_shown(text: &str, here: &[String]) -> String {
    let is_named = |line: &str| {
        let name = line.strip_prefix("- ").and_then(|rest| rest.split_once(": "));
        name.is_some_and(|(name, _)| ONLY_SHOWN.contains(&name))
    };
    if !text.lines().any(is_named)
        || !text.lines().all(|line| line.starts_with("- ") || line.starts_with("  "))
    {
        return text.to_owned();
    }
    let has = |line: &str| here.iter().any(|text| text.lines().any(|own| own == line));
    let (mut kept, mut is_shown) = (Vec::new(), false);
    for line in text.lines() {
        if line.starts_with("- ") {
            is_shown = is_named(line) && !has(line);
        }
        if !is_shown {
            kept.push(line);
        }
    }
    kept.join("\n")
}
