//! Decides which edits bring a task up to date with its file and leave local changes alone.
//!
//! This is a three-way merge per value: the last import, the file now, and the journal. The file's
//! value is taken only where the journal still has the last imported one, so a person's edit always
//! wins over a re-import.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_types::caller::By;
use dormouse_types::task::{Field, Flag, Flags, Status};
use dormouse_types::{Digest, EntryId, ItemId, LabelId, hash};

use super::content::{Content, Entry, Item, Last, LastEntry, LastItem, one_line};
use crate::decision::CreatedId;
use crate::edit::Edit;
use crate::view::TaskView;

/// A part of a task that is compared as one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Part {
    Field(Field),
    Item(ItemId),
    Entry(EntryId),
}

/// The edits of an import.
#[derive(Debug, Clone, Default)]
pub(super) struct Plan {
    pub(super) edits: Vec<Edit>,
    /// What the edits change, for a person to read.
    pub(super) changes: Vec<String>,
    /// Values changed here, which stay.
    pub(super) kept: Vec<String>,
    /// What was changed here since the file was exported.
    changed_here: BTreeSet<Part>,
    /// Items, by key, that the journal already has from another source.
    adopted: Vec<(String, LastItem)>,
    /// What the file says of parts that are deleted here, by key: it was not compared.
    unseen_items: BTreeMap<String, Digest>,
    unseen_entries: BTreeMap<String, Digest>,
    /// Keys of added items, in the order of their edits.
    added_items: Vec<String>,
    /// Keys of added entries, in the order of their edits.
    added_entries: Vec<String>,
}

/// Compares a task that is not deleted with its file.
///
/// `changed_here`: what is known to have been changed here, whatever their last value was.
pub(super) fn plan(
    view: &TaskView,
    last: &Last,
    new: &Content,
    changed_here: &BTreeSet<Part>,
) -> Plan {
    let mut plan = Plan { changed_here: changed_here.clone(), ..Plan::default() };
    plan.fields(view, last, new);
    plan.labels(view, last, new);
    let mut below = Below::of(view);
    for item in &new.items {
        plan.item(view, last, item, &mut below);
    }
    plan.gone(view, last, new);
    for entry in &new.entries {
        plan.entry(view, last, entry);
    }
    plan
}

/// What to remember after the plan was carried out. What the file says of a part that is deleted here was
/// compared with nothing, so that part is compared with the import before once it is restored.
pub(super) fn after(last: Last, new: &Content, plan: &Plan, made: &[CreatedId]) -> Last {
    let mut items = last.items;
    let mut entries = last.entries;
    items.extend(plan.adopted.iter().cloned());
    let mut item_keys = plan.added_items.iter();
    let mut entry_keys = plan.added_entries.iter();
    for made in made {
        match made {
            CreatedId::Item(id) => {
                if let Some(key) = item_keys.next() {
                    let blank = LastItem::new(id.clone(), String::new(), false);
                    items.insert(key.clone(), blank);
                }
            }
            CreatedId::Entry(id) => {
                if let Some(key) = entry_keys.next() {
                    let (id, digest) = (id.clone(), hash::sha256(""));
                    let blank = LastEntry { id, digest, flags: Flags::NONE, unseen: None };
                    entries.insert(key.clone(), blank);
                }
            }
            CreatedId::Task(_) | CreatedId::Checklist(_) | CreatedId::Link(_) => {}
        }
    }
    items.values_mut().for_each(|item| item.is_gone = true);
    for item in &new.items {
        if let Some(known) = items.get_mut(&item.key) {
            known.is_gone = false;
            known.unseen = plan.unseen_items.get(&item.key).cloned();
            if known.unseen.is_some() {
                continue;
            }
            known.title.clone_from(&item.title);
            known.is_checked = item.is_checked;
        }
    }
    for entry in &new.entries {
        if let Some(known) = entries.get_mut(&entry.key) {
            known.unseen = plan.unseen_entries.get(&entry.key).cloned();
            if known.unseen.is_some() {
                continue;
            }
            known.digest = hash::sha256(&entry.text);
            known.flags = entry.flags;
        }
    }
    Last {
        n: last.n + 1,
        digest: Some(new.digest()),
        as_of: last.as_of,
        title: new.title.clone(),
        status: new.status,
        status_reason: new.status_reason.clone(),
        priority: new.priority,
        due_on: new.due_on,
        estimate_minutes: new.estimate_minutes,
        language: new.language.clone(),
        category: new.category.clone(),
        labels: new.labels.clone(),
        flags: new.flags,
        items,
        entries,
    }
}

/// What the three values of a field require.
enum Take {
    Nothing,
    File,
    Keep,
}

fn compare<T: PartialEq>(last: &T, file: &T, now: &T) -> Take {
    if file == last || file == now {
        Take::Nothing
    } else if now == last {
        Take::File
    } else {
        Take::Keep
    }
}

/// What a flag of the file requires. A file that no longer says private does not open what was private:
/// formats and editors drop what they do not know, and what a provider has seen stays seen.
fn compare_flag(flag: Flag, last: Flags, file: Flags, now: Flags) -> Take {
    if flag == Flag::Private && !file.private {
        return Take::Nothing;
    }
    compare(&last.has(flag), &file.has(flag), &now.has(flag))
}

fn folded(text: Option<&str>) -> Option<String> {
    text.map(str::to_lowercase)
}

/// A note by its first words.
fn note(text: &str) -> String {
    const MOST: usize = 40;
    let words = one_line(text);
    match words.char_indices().nth(MOST) {
        Some((end, _)) => format!("note \"{}…\"", words[..end].trim_end()),
        None => format!("note \"{words}\""),
    }
}

impl Plan {
    fn field(&mut self, field: Field, take: Take, edit: impl FnOnce() -> Edit) {
        self.take(&Part::Field(field), field.name(), take, edit);
    }

    /// Takes or keeps a part, under the name that a person knows it by.
    fn take(&mut self, part: &Part, name: &str, take: Take, edit: impl FnOnce() -> Edit) {
        match take {
            Take::Nothing => {}
            Take::File if !self.changed_here.contains(part) => {
                self.change(name.to_owned());
                self.edits.push(edit());
            }
            Take::File | Take::Keep => self.keep(name.to_owned()),
        }
    }

    fn change(&mut self, name: String) {
        if !self.changes.contains(&name) {
            self.changes.push(name);
        }
    }

    fn keep(&mut self, name: String) {
        if !self.kept.contains(&name) {
            self.kept.push(name);
        }
    }

    fn fields(&mut self, view: &TaskView, last: &Last, new: &Content) {
        let task = &view.task.value;
        if !new.title.is_empty() {
            let take = compare(&last.title, &new.title, &task.title);
            self.field(Field::Title, take, || Edit::Title(new.title.clone()));
        }
        self.status(view, last, new);
        let take = compare(&last.priority, &new.priority, &task.priority);
        self.field(Field::Priority, take, || Edit::Priority(new.priority));
        let take = compare(&last.due_on, &new.due_on, &task.due_on);
        self.field(Field::DueDate, take, || Edit::DueOn(new.due_on));
        let take = compare(&last.estimate_minutes, &new.estimate_minutes, &task.estimate_minutes);
        self.field(Field::Estimate, take, || Edit::Estimate(new.estimate_minutes));
        if new.language.is_some() {
            // A language an agent detected is not an edit by the person.
            let guessed = task.language_source == By::Agent;
            let now = if guessed { &last.language } else { &task.language_code };
            let take = compare(&last.language, &new.language, now);
            self.field(Field::Language, take, || Edit::Language { code: new.language.clone() });
        }
        let name = |name: &Option<String>| folded(name.as_deref());
        let now = folded(view.category().map(|category| category.name.as_str()));
        let take = compare(&name(&last.category), &name(&new.category), &now);
        let wanted = name(&new.category);
        let category = view
            .categories
            .iter()
            .find(|category| Some(category.name.to_lowercase()) == wanted)
            .map(|category| category.id.clone());
        self.field(Field::Category, take, || Edit::Category(category));
        for flag in Flag::ALL.iter().copied() {
            let take = compare_flag(flag, last.flags, new.flags, task.flags);
            let is_set = new.flags.has(flag);
            self.field(flag.into(), take, || Edit::Flag { flag, is_set });
        }
    }

    fn status(&mut self, view: &TaskView, last: &Last, new: &Content) {
        // A file that says nothing about the status leaves it alone, unless it said something before: a tick that was
        // removed opens the task again.
        let was_open = last.status.is_none_or(|status| status == Status::Open);
        let reopened = (!was_open).then_some(Status::Open);
        let Some(status) = new.status.or(reopened) else { return };
        let now = &view.task.value.status;
        let file = (Some(status), new.status_reason.clone());
        let then = (last.status, last.status_reason.clone());
        let mut here = (Some(now.status), now.reason.clone());
        if last.status.is_none() && view.say(Field::Status).is_none() {
            here = then.clone();
        }
        let take = compare(&then, &file, &here);
        let reason = new.status_reason.clone();
        self.field(Field::Status, take, || Edit::Status { status, reason });
    }

    fn labels(&mut self, view: &TaskView, last: &Last, new: &Content) {
        let task = &view.task.value;
        let imported = |name: &str| last.labels.iter().any(|l| l.to_lowercase() == name);
        for label in &new.labels {
            let name = label.to_lowercase();
            if imported(&name) {
                continue;
            }
            let known = view.all_labels.iter().find(|known| known.name.to_lowercase() == name);
            // A plan names it before it is defined.
            let Some(known) = known else {
                self.change(format!("label {label}"));
                continue;
            };
            let has = |ids: &[LabelId]| ids.contains(&known.id);
            if has(&task.ai_suppressed_label_ids) {
                self.keep(format!("label {label} (removed in Dormouse)"));
            } else if !has(&task.label_ids) {
                self.change(format!("label {label}"));
                self.edits.push(Edit::AddLabel(known.id.clone()));
            }
        }
    }

    fn item(&mut self, view: &TaskView, last: &Last, new: &Item, below: &mut Below) {
        let Some(then) = last.items.get(&new.key) else {
            return self.new_item(view, last, new, below);
        };
        below.read(new.depth, Some(&then.id));
        let id = &then.id;
        let Some(now) = view.items.iter().find(|item| item.value.id == *id) else {
            let is_changed = then.title != new.title || then.is_checked != new.is_checked;
            if is_changed && then.unseen != Some(new.digest()) {
                self.keep(format!("item {} (removed in Dormouse)", new.title));
            }
            if is_changed && !self.changed_here.contains(&Part::Item(id.clone())) {
                self.unseen_items.insert(new.key.clone(), new.digest());
            }
            return;
        };
        let now = &now.value;
        let (part, name) = (Part::Item(id.clone()), format!("item {}", now.title));
        let take = compare(&then.title, &new.title, &now.title);
        let (item, title) = (id.clone(), new.title.clone());
        self.take(&part, &name, take, || Edit::RenameItem { item, title });
        let take = compare(&then.is_checked, &new.is_checked, &now.is_checked);
        let (item, is_checked) = (id.clone(), new.is_checked);
        self.take(&part, &name, take, || Edit::CheckItem { item, is_checked });
    }

    /// Names the items that have left the file since it was imported last. They stay: an import removes nothing.
    fn gone(&mut self, view: &TaskView, last: &Last, new: &Content) {
        let keys: BTreeSet<&str> = new.items.iter().map(|item| item.key.as_str()).collect();
        let left =
            last.items.iter().filter(|(key, item)| !item.is_gone && !keys.contains(key.as_str()));
        let left: BTreeSet<&ItemId> = left.map(|(_, item)| &item.id).collect();
        for item in view.items.iter().map(|item| &item.value).filter(|item| left.contains(&item.id))
        {
            self.keep(format!("item {} (no longer in the file)", item.title));
        }
    }

    fn new_item(&mut self, view: &TaskView, last: &Last, new: &Item, below: &mut Below) {
        let folded = new.title.to_lowercase();
        let here = view.items.iter().map(|doc| &doc.value).find(|item| {
            item.title.to_lowercase() == folded
                && !last.items.values().any(|known| known.id == item.id)
                && !self.adopted.iter().any(|(_, known)| known.id == item.id)
        });
        let Some(here) = here else {
            self.added_items.push(new.key.clone());
            let depth = below.add(new.depth);
            self.change(match depth == new.depth {
                true => format!("item {}", new.title),
                false => format!("item {} (added at the end, at the top level)", new.title),
            });
            let (title, is_checked) = (new.title.clone(), new.is_checked);
            return self.edits.push(Edit::AddItem { title, is_checked, depth });
        };
        below.read(new.depth, Some(&here.id));
        // Added both here and in the file: one item.
        if new.is_checked && !here.is_checked {
            self.change(format!("item {}", here.title));
            self.edits.push(Edit::CheckItem { item: here.id.clone(), is_checked: true });
        }
        let known = LastItem::new(here.id.clone(), here.title.clone(), here.is_checked);
        self.adopted.push((new.key.clone(), known));
    }

    fn entry(&mut self, view: &TaskView, last: &Last, new: &Entry) {
        let Some(then) = last.entries.get(&new.key) else {
            self.added_entries.push(new.key.clone());
            self.change(note(&new.text));
            let text = Some(new.text.clone());
            let (text, transcript) =
                if new.kind.is_derived() { (None, text) } else { (text, None) };
            return self.edits.push(Edit::AddEntry {
                kind: new.kind,
                text,
                transcript,
                minutes: None,
                on: new.on,
                tainted: true,
                flags: new.flags,
            });
        };
        let file = hash::sha256(&new.text);
        let Some(now) = view.entries.iter().find(|entry| entry.value.id == then.id) else {
            let is_changed = then.digest != file || then.flags != new.flags;
            if then.digest != file && then.unseen != Some(new.digest()) {
                self.keep(format!("{} (deleted in Dormouse)", note(&new.text)));
            }
            if is_changed && !self.changed_here.contains(&Part::Entry(then.id.clone())) {
                self.unseen_entries.insert(new.key.clone(), new.digest());
            }
            return;
        };
        let (part, name) = (Part::Entry(then.id.clone()), note(now.value.says()));
        let take = compare(&then.digest, &file, &hash::sha256(now.value.says()));
        let (entry, text) = (then.id.clone(), Some(new.text.clone()));
        self.take(&part, &name, take, || Edit::EditEntry { entry, text });
        for flag in Flag::ALL.iter().copied() {
            let take = compare_flag(flag, then.flags, new.flags, now.value.flags);
            let (entry, is_set) = (then.id.clone(), new.flags.has(flag));
            self.take(&part, &name, take, || Edit::FlagEntry { entry, flag, is_set });
        }
    }
}

/// Where the items of a file stand, to tell whether a new one, which goes to the end of the checklist, is below its
/// own parent there.
struct Below {
    /// The last item of the checklist and those around it, from the outermost. None for one that is added.
    end: Vec<Option<ItemId>>,
    /// The last item that was read of the file and those around it.
    file: Vec<Option<ItemId>>,
}

impl Below {
    fn of(view: &TaskView) -> Self {
        let mut end = Vec::new();
        for item in view.items.iter().map(|item| &item.value) {
            end.truncate(item.depth as usize);
            end.push(Some(item.id.clone()));
        }
        Self { end, file: Vec::new() }
    }

    /// An item of the file that is there already, or is added.
    fn read(&mut self, depth: u32, id: Option<&ItemId>) {
        self.file.truncate(depth as usize);
        self.file.push(id.cloned());
    }

    /// The depth that a new item gets at the end: its own if what it is below in the file is above it there too.
    fn add(&mut self, depth: u32) -> u32 {
        let around = self.file.len().min(depth as usize);
        let is_there = self.end.get(..around) == Some(&self.file[..around]);
        self.read(depth, None);
        let depth = if is_there { depth } else { 0 };
        self.end.truncate(depth as usize);
        self.end.push(None);
        depth
    }
}
