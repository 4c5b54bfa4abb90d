//! A task that comes back in an export of its own workspace.
//!
//! Nothing was recorded when the file was written, so the version that it was made from is derived from the
//! task: what was not changed here since the time that the file states is as it was then. What was changed
//! here since stays, and is named where the file has something else.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use dormouse_store::journal::entry::Entry as HereEntry;
use dormouse_store::journal::item::Item as HereItem;
use dormouse_types::task::{Field, Flag, Flags};
use dormouse_types::{Timestamp, draft, hash};

use super::content::{Content, Entry, Item, Last, LastEntry, LastItem, one_line};
use super::entry_order::{Candidate, Since, in_order};
use super::paragraphs::{Known, undated, words};
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
    for field in Field::ALL {
        let is_changed = match view.say(field) {
            Some(say) => is_later(say.at),
            None => as_of.is_none(),
        };
        if is_changed {
            changed_here.insert(Part::Field(field));
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

/// What a part of a file may be known by.
type Names<'a, F> = &'a dyn Fn(F) -> Vec<String>;

/// Which part of the task each part of the file is, by its key: the first rule that finds one decides, and of several
/// that it finds the first that is not taken. A rule is what each part of the task is known by, and what a part of the
/// file may be known by.
fn matched<'a, F>(
    file: &'a [F],
    key: impl Fn(&'a F) -> &'a str,
    rules: [(&'a [String], Names<'_, &'a F>); 2],
) -> BTreeMap<String, usize> {
    let mut taken = BTreeSet::new();
    let mut found = BTreeMap::new();
    for (here, names) in rules {
        let mut places: HashMap<&str, VecDeque<usize>> = HashMap::new();
        for (at, name) in here.iter().enumerate().filter(|(at, _)| !taken.contains(at)) {
            places.entry(name).or_default().push_back(at);
        }
        for part in file {
            if found.contains_key(key(part)) {
                continue;
            }
            let names = names(part);
            let first = |name: &String| Some((*places.get(name.as_str())?.front()?, name.clone()));
            if let Some((at, name)) = names.iter().filter_map(first).min() {
                places.get_mut(name.as_str()).map(VecDeque::pop_front);
                taken.insert(at);
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
    // What was removed before the file was written is not in it: one of its title is another.
    let removed =
        view.removed_items.iter().filter(|item| item.value.deleted_at.is_some_and(&is_later));
    let here: Vec<&HereItem> = view.items.iter().chain(removed).map(|item| &item.value).collect();
    let ids: Vec<String> = here.iter().map(|item| item.id.to_string()).collect();
    let titles: Vec<String> =
        here.iter().map(|item| one_line(&item.title).to_lowercase()).collect();
    let id = |item: &Item| vec![item.key.clone()];
    let title = |item: &Item| vec![item.title.to_lowercase()];
    let found = matched(file, |item| &item.key, [(&ids, &id), (&titles, &title)]);
    let known = file.iter().filter_map(|item| {
        let here = here[*found.get(&item.key)?];
        if is_later(here.updated_at) {
            changed_here.insert(Part::Item(here.id.clone()));
        }
        let (id, title) = (here.id.clone(), here.title.clone());
        Some((item.key.clone(), LastItem::new(id, title, here.is_checked)))
    });
    known.collect()
}

/// The entries that a file has, by their keys in it: by id, else by their words, else as [`in_order`] tells.
/// Takes from the file what an export only shows.
fn entries(
    view: &TaskView,
    file: &mut Vec<Entry>,
    is_later: impl Fn(Timestamp) -> bool,
    changed_here: &mut BTreeSet<Part>,
) -> BTreeMap<String, LastEntry> {
    let mut here: Vec<&HereEntry> = view.entries.iter().map(|entry| &entry.value).collect();
    // What was deleted before the file was written is not in it.
    let deleted = view.deleted_entries.iter().map(|entry| &entry.value);
    here.extend(deleted.filter(|entry| entry.deleted_at.is_some_and(&is_later)));
    let texts: Vec<String> = here.iter().map(|entry| exported(entry)).collect();
    let known = Known::new(&texts);
    *file = file.drain(..).flat_map(|entry| known.apart(entry)).collect();
    let own_lines: HashSet<&str> = texts.iter().flat_map(|text| text.lines()).collect();
    for entry in file.iter_mut() {
        entry.text = without_shown(&entry.text, &own_lines);
    }
    // Where somebody took a text away, its day may still be there.
    file.retain(|entry| !undated(entry).trim().is_empty());
    let ids: Vec<String> = here.iter().map(|entry| entry.id.to_string()).collect();
    let word_lists: Vec<String> = texts.iter().map(|text| words(text)).collect();
    let id = |entry: &Entry| vec![entry.key.clone()];
    let mut found = matched(file, |entry| &entry.key, [(&ids, &id), (&word_lists, &either_words)]);
    // What is left was edited here or there.
    let used: BTreeSet<usize> = found.values().copied().collect();
    let was_there = |at: &usize| !used.contains(at) && !is_later(here[*at].created_at);
    let mut rest_here: Vec<usize> = (0..here.len()).filter(was_there).collect();
    rest_here.sort_by_key(|at| (here[*at].created_at, here[*at].position));
    let rest_file: Vec<&Entry> =
        file.iter().filter(|entry| !found.contains_key(&entry.key)).collect();
    let candidates: Vec<Candidate<'_>> = rest_here
        .iter()
        .map(|at| Candidate {
            words: &word_lists[*at],
            on: here[*at].on,
            since: match here[*at].deleted_at {
                Some(_) => Since::Deleted,
                None if is_later(here[*at].updated_at) => Since::Changed,
                None => Since::Nothing,
            },
        })
        .collect();
    for (there, candidate) in in_order(&rest_file, &candidates) {
        found.insert(rest_file[there].key.clone(), rest_here[candidate]);
    }
    let mut last = BTreeMap::new();
    for entry in file.iter_mut() {
        let Some(&at) = found.get(&entry.key) else { continue };
        let (here, is_as_here) = (here[at], either_words(entry).contains(&word_lists[at]));
        let has_day =
            entry.on.is_some_and(|day| here.says().trim_start().starts_with(&day.to_string()));
        if !has_day {
            entry.text = undated(entry).to_owned();
        }
        // Time is shown as text, and a text that is changed would hold it twice.
        if is_later(here.updated_at) || here.minutes.is_some() {
            changed_here.insert(Part::Entry(here.id.clone()));
        }
        let then = if is_as_here { entry.text.as_str() } else { here.says() };
        let digest = hash::sha256(then);
        // A format without a place for the marks of entries says nothing about them.
        let both = |flag: &&Flag| here.flags.has(**flag) && entry.flags.has(**flag);
        let flags = Flag::ALL.iter().filter(both);
        let flags = flags.fold(Flags::NONE, |flags, flag| flags.with(*flag, true));
        let id = here.id.clone();
        last.insert(entry.key.clone(), LastEntry { id, digest, flags, unseen: None });
    }
    last
}

/// The words of an entry of a file, and those without its day.
fn either_words(entry: &Entry) -> Vec<String> {
    let all = [entry.text.as_str(), undated(entry)].map(words);
    all.into_iter().collect()
}

/// An entry as an export writes its text.
fn exported(entry: &HereEntry) -> String {
    let minutes = entry.minutes.map(draft::time_spent);
    let text = Some(entry.says().to_owned()).filter(|text| !text.trim().is_empty());
    [text, minutes].into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// A list of named values without the links and the report that an export adds to it. What an entry here
/// has itself stays.
fn without_shown(text: &str, own_lines: &HashSet<&str>) -> String {
    let is_named = |line: &str| {
        let name = line.strip_prefix("- ").and_then(|rest| rest.split_once(": "));
        name.is_some_and(|(name, _)| ONLY_SHOWN.contains(&name))
    };
    if !text.lines().any(is_named)
        || !text.lines().all(|line| line.starts_with("- ") || line.starts_with("  "))
    {
        return text.to_owned();
    }
    let (mut kept, mut is_shown) = (Vec::new(), false);
    for line in text.lines() {
        if line.starts_with("- ") {
            is_shown = is_named(line) && !own_lines.contains(line);
        }
        if !is_shown {
            kept.push(line);
        }
    }
    kept.join("\n")
}
