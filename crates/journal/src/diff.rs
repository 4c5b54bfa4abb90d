//! The difference between a task before and after its edits: rows to write, changes to announce,
//! effects.

use dormouse_store::Op;
use dormouse_store::doc::Doc;
use dormouse_store::journal::entry::Entry;
use dormouse_store::journal::item::Item;
use dormouse_store::journal::task::Task;
use dormouse_store::journal::{field_say, label_task, row};
use dormouse_types::LabelId;
use dormouse_types::change::What;
use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};
use dormouse_types::hash;
use dormouse_types::model::StatedField;
use dormouse_types::task::{Field, Flag, Priority};

use crate::decision::{CreatedId, Decided, EditContext};
use crate::effect::{BeforeAfter, Effect, ItemValue, StatusValue};
use crate::link;
use crate::view::TaskView;

/// Compares the two states; also sets update times and the status history.
pub(crate) fn between(
    before: &TaskView,
    mut after: TaskView,
    made: Vec<CreatedId>,
    by: &EditContext<'_>,
) -> Decided {
    let mut found =
        Found { by, ops: Vec::new(), what: Vec::new(), effects: Vec::new(), says: Vec::new() };
    let was_live = before.deleted_at().is_none() && before.revision > 0;
    let is_live = after.deleted_at().is_none();
    let comes_back = !was_live && is_live;
    if comes_back {
        found.existence(&after.task.value, before.revision == 0, false, true);
    }
    found.fields(before, &mut after);
    for list in &after.checklists {
        if !before.checklists.iter().any(|old| old.value.id == list.value.id) {
            found.ops.push(row::insert(by.ws, &list.value));
        }
    }
    found.items(before, &mut after);
    found.entries(before, &mut after);
    found.labels(before, &mut after);
    let links = link::between(before, &mut after, by);
    found.what.extend(links.what);
    found.effects.extend(links.effects);
    found.ops.extend(links.ops);
    if was_live && !is_live {
        found.existence(&after.task.value, false, true, false);
    }
    let changed = after.task.value != before.task.value || !found.ops.is_empty();
    if changed || before.revision == 0 {
        let task = &mut after.task;
        task.value.updated_at = by.at;
        let own = if before.revision == 0 {
            row::insert(by.ws, &task.value)
        } else {
            row::put(by.ws, task)
        };
        found.ops.insert(0, own);
        let old = (before.revision > 0).then_some(&before.task.value);
        found.ops.extend(label_task::changes(by.ws, old, &task.value));
        after.revision = before.revision + 1;
    }
    let id = after.id().clone();
    let says = found.says.iter();
    found.ops.extend(says.map(|field| field_say::put(by.ws, &id, field, by.origin.by(), by.at)));
    after.note_says(&found.says, by.origin.by(), by.at);
    after.drop_unwritten(before);
    after.sort();
    let neighbours = link::neighbours(before, &after, &links.others);
    let others = links.others;
    Decided {
        after,
        others,
        neighbours,
        ops: found.ops,
        what: found.what,
        effects: found.effects,
        made,
    }
}

struct Found<'a, 'b> {
    by: &'a EditContext<'b>,
    ops: Vec<Op>,
    what: Vec<What>,
    effects: Vec<Effect>,
    says: Vec<StatedField>,
}

fn text(text: &str) -> Option<FieldValue> {
    (!text.is_empty()).then(|| FieldValue::Text { text: text.to_owned() })
}

impl Found<'_, '_> {
    fn existence(&mut self, task: &Task, created: bool, before: bool, after: bool) {
        self.effects.push(Effect::Task(BeforeAfter { before, after }));
        self.what.push(match (created, after) {
            (true, _) => What::TaskCreated { title: task.title.clone() },
            (false, true) => What::TaskRestored,
            (false, false) => What::TaskDeleted,
        });
    }

    fn field(&mut self, field: Field, [from, to]: [Option<FieldValue>; 2], effect: Effect) {
        self.what.push(What::FieldSet(FieldChange { field: field.into(), from, to }));
        self.effects.push(effect);
        self.says.push(field.into());
    }

    fn fields(&mut self, before: &TaskView, after: &mut TaskView) {
        let category = |view: &TaskView| view.category().and_then(|category| text(&category.name));
        let categories = [category(before), category(after)];
        let old = &before.task.value;
        let new = &mut after.task.value;
        if before.revision == 0 {
            // The announcement of a new task includes its title.
            if !new.title.is_empty() {
                self.says.push(Field::Title.into());
            }
        } else if old.title != new.title {
            let both = BeforeAfter { before: old.title.clone(), after: new.title.clone() };
            self.field(Field::Title, [text(&old.title), text(&new.title)], Effect::Title(both));
        }
        self.status(old, new);
        if old.priority != new.priority {
            let both = BeforeAfter { before: old.priority, after: new.priority };
            let value = |priority: Option<Priority>| {
                priority.map(|priority| FieldValue::Priority { priority })
            };
            let values = [old.priority, new.priority].map(value);
            self.field(Field::Priority, values, Effect::Priority(both));
        }
        if old.due_on != new.due_on {
            let both = BeforeAfter { before: old.due_on, after: new.due_on };
            let values = [old.due_on, new.due_on].map(|day| day.map(|on| FieldValue::Day { on }));
            self.field(Field::DueDate, values, Effect::DueDate(both));
        }
        if old.estimate_minutes != new.estimate_minutes {
            let (a, b) = (old.estimate_minutes, new.estimate_minutes);
            let both = BeforeAfter { before: a, after: b };
            let values = [a, b].map(|all| all.map(|minutes| FieldValue::Minutes { minutes }));
            self.field(Field::Estimate, values, Effect::Estimate(both));
        }
        if old.language_code == new.language_code {
            // The source belongs to the code: setting the same code again changes nothing.
            new.language_source = old.language_source;
        } else {
            let (a, b) = (old.language_code.clone(), new.language_code.clone());
            let both = BeforeAfter { before: a.clone(), after: b.clone() };
            let values = [a, b].map(|code| code.map(|code| FieldValue::Language { code }));
            self.field(Field::Language, values, Effect::Language(both));
        }
        if old.category_id != new.category_id {
            let both =
                BeforeAfter { before: old.category_id.clone(), after: new.category_id.clone() };
            self.field(Field::Category, categories, Effect::Category(both));
        }
        for flag in Flag::ALL.iter().copied() {
            let [was, is] = [old.flags.has(flag), new.flags.has(flag)];
            if was != is {
                let values = [was, is].map(|is_set| Some(FieldValue::Flag { is_set }));
                let is_set = BeforeAfter { before: was, after: is };
                self.field(flag.into(), values, Effect::Flag { flag, is_set });
            }
        }
    }

    fn status(&mut self, old: &Task, new: &mut Task) {
        let value = |task: &Task| StatusValue {
            status: task.status.status,
            reason: task.status.reason.clone(),
        };
        let (before, after) = (value(old), value(new));
        if before == after {
            new.status = old.status.clone();
            return;
        }
        new.status_history.push(new.status.clone());
        let shown = |value: &StatusValue| FieldValue::Status {
            status: value.status,
            reason: value.reason.clone(),
        };
        self.what.push(What::FieldSet(FieldChange {
            field: FieldRef::Status,
            from: Some(shown(&before)),
            to: Some(shown(&after)),
        }));
        self.effects.push(Effect::Status(BeforeAfter { before, after }));
        self.says.push(Field::Status.into());
    }

    fn items(&mut self, before: &TaskView, after: &mut TaskView) {
        let at = self.by.at;
        let old = |item: &Doc<Item>| {
            let all = before.items.iter().chain(&before.removed_items);
            all.map(|doc| &doc.value).find(|old| old.id == item.value.id)
        };
        for doc in after.items.iter_mut().chain(&mut after.removed_items) {
            let Some(old) = old(doc) else {
                // Added and removed by the same edits: there is nothing to write.
                if doc.value.deleted_at.is_none() {
                    self.new_item(&doc.value);
                    self.ops.push(row::insert(self.by.ws, &doc.value));
                }
                continue;
            };
            let new = &mut doc.value;
            if old.is_checked == new.is_checked {
                new.checked_by = old.checked_by;
                new.checked_at = old.checked_at;
            }
            if old == new {
                continue;
            }
            self.changed_item(old, new);
            new.updated_at = at;
            self.ops.push(row::put(self.by.ws, doc));
        }
    }

    fn new_item(&mut self, item: &Item) {
        self.what.push(What::ItemAdded {
            item: item.id.clone(),
            title: item.title.clone(),
            is_checked: item.is_checked,
        });
        self.effects.push(presence(item, false, true));
        if item.is_checked {
            self.says.push(item.id.clone().into());
        }
    }

    fn changed_item(&mut self, old: &Item, new: &Item) {
        let (item, title) = (new.id.clone(), new.title.clone());
        let was_there = old.deleted_at.is_none();
        let is_there = new.deleted_at.is_none();
        // Undo goes in reverse, so a restored item comes before its values and a removed one after.
        if !was_there && is_there {
            self.item_moved(new, is_there);
        }
        if old.title != new.title {
            let both = BeforeAfter { before: old.title.clone(), after: title.clone() };
            self.effects.push(Effect::ItemTitle { item: item.clone(), title: both });
            let (item, from, to) = (item.clone(), old.title.clone(), title.clone());
            self.what.push(What::ItemRenamed { item, from, to });
        }
        if old.is_checked != new.is_checked {
            let both = BeforeAfter { before: old.is_checked, after: new.is_checked };
            self.effects.push(Effect::ItemChecked { item: item.clone(), checked: both });
            self.says.push(item.clone().into());
            let (item, title) = (item.clone(), title.clone());
            self.what.push(What::ItemChecked { item, title, is_checked: new.is_checked });
        }
        if old.is_archived != new.is_archived {
            let both = BeforeAfter { before: old.is_archived, after: new.is_archived };
            self.effects.push(Effect::ItemArchived { item: item.clone(), archived: both });
            self.what.push(What::ItemArchived { item, title, is_archived: new.is_archived });
        }
        if was_there && !is_there {
            self.item_moved(new, is_there);
        }
    }

    fn item_moved(&mut self, item: &Item, is_there: bool) {
        self.effects.push(presence(item, !is_there, is_there));
        // In the change feed, an item that was removed counts as archived.
        let (item, title) = (item.id.clone(), item.title.clone());
        self.what.push(What::ItemArchived { item, title, is_archived: !is_there });
    }

    fn entries(&mut self, before: &TaskView, after: &mut TaskView) {
        let at = self.by.at;
        let old = |entry: &Doc<Entry>| {
            let all = before.entries.iter().chain(&before.deleted_entries);
            all.map(|doc| &doc.value).find(|old| old.id == entry.value.id)
        };
        for doc in after.entries.iter_mut().chain(&mut after.deleted_entries) {
            let Some(old) = old(doc) else {
                // Added and removed by the same edits: there is nothing to write.
                if doc.value.deleted_at.is_none() {
                    self.what.push(What::EntryAdded { entry: doc.value.id.clone() });
                    self.effects.push(entry_presence(&doc.value, true));
                    self.ops.push(row::insert(self.by.ws, &doc.value));
                }
                continue;
            };
            let new = &mut doc.value;
            if old.text == new.text {
                new.edited_at = old.edited_at;
            }
            if old == new {
                continue;
            }
            self.changed_entry(old, new);
            new.updated_at = at;
            self.ops.push(row::put(self.by.ws, doc));
        }
    }

    fn changed_entry(&mut self, old: &Entry, new: &Entry) {
        let entry = || new.id.clone();
        let (was_there, is_there) = (old.deleted_at.is_none(), new.deleted_at.is_none());
        if !was_there && is_there {
            self.effects.push(entry_presence(new, true));
            self.what.push(What::EntryRestored { entry: entry() });
        }
        if old.text != new.text {
            let text = BeforeAfter { before: old.text.clone(), after: new.text.clone() };
            self.effects.push(Effect::EntryText { entry: entry(), text });
            self.what.push(What::EntryEdited { entry: entry() });
        }
        for flag in Flag::ALL.iter().copied() {
            let [was, is] = [old.flags.has(flag), new.flags.has(flag)];
            if was != is {
                let is_set = BeforeAfter { before: was, after: is };
                self.effects.push(Effect::EntryFlag { entry: entry(), flag, is_set });
                self.what.push(What::EntryFlagged { entry: entry(), flag, is_set: is });
            }
        }
        if was_there && !is_there {
            self.effects.push(entry_presence(new, false));
            self.what.push(What::EntryDeleted { entry: entry() });
        }
    }

    fn labels(&mut self, before: &TaskView, after: &mut TaskView) {
        let names: Vec<(LabelId, String)> =
            after.all_labels.iter().map(|l| (l.id.clone(), l.name.clone())).collect();
        let (old, new) = (&before.task.value, &mut after.task.value);
        // Suppression comes before assignment, so that undo, in reverse, restores it last.
        let (was, is) = (&old.ai_suppressed_label_ids, &mut new.ai_suppressed_label_ids);
        for label in settled(was, is) {
            let suppressed =
                BeforeAfter { before: was.contains(&label), after: is.contains(&label) };
            self.effects.push(Effect::LabelSuppressed { label, suppressed });
        }
        let (was, is) = (&old.label_ids, &mut new.label_ids);
        for label in settled(was, is) {
            let on = BeforeAfter { before: was.contains(&label), after: is.contains(&label) };
            let known = names.iter().find(|(id, _)| *id == label);
            let name = known.map_or_else(|| label.to_string(), |(_, name)| name.clone());
            let news = label.clone();
            self.what.push(if on.after {
                What::LabelAdded { label: news, name }
            } else {
                What::LabelRemoved { label: news, name }
            });
            self.effects.push(Effect::Label { label, on });
        }
    }
}

fn presence(item: &Item, before: bool, after: bool) -> Effect {
    let like = ItemValue {
        title: item.title.clone(),
        is_checked: item.is_checked,
        is_archived: item.is_archived,
    };
    Effect::Item { item: item.id.clone(), like, there: BeforeAfter { before, after } }
}

fn entry_presence(entry: &Entry, is_there: bool) -> Effect {
    let text_hash = hash::sha256(entry.says()).to_string();
    let there = BeforeAfter { before: !is_there, after: is_there };
    Effect::Entry { entry: entry.id.clone(), text_hash, there }
}

/// Returns the labels that only one of the lists has. If there are none, the old order is kept.
fn settled(before: &[LabelId], after: &mut Vec<LabelId>) -> Vec<LabelId> {
    let gone = before.iter().filter(|id| !after.contains(id));
    let come = after.iter().filter(|id| !before.contains(id));
    let different: Vec<LabelId> = gone.chain(come).cloned().collect();
    if different.is_empty() {
        *after = before.to_vec();
    }
    different
}
