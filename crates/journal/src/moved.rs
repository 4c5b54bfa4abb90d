//! Items that move to another task: the rules, and what both tasks learn.
//!
//! The row of the item stays what it is: its id, its tick, who ticked it and when. So nothing about it
//! is lost, and moving it back is all that undo has to do. One commit advances the revision of both
//! tasks, so neither is ever seen with the item missing or doubled.

use dormouse_types::model::StatedField;
use std::collections::BTreeSet;

use dormouse_store::doc::Doc;
use dormouse_store::journal::checklist::Checklist;
use dormouse_store::journal::item::{self, Item};
use dormouse_store::journal::{field_say, row};
use dormouse_types::change::What;
use dormouse_types::{ChecklistId, Id as _, ItemId, TaskId, limits};

use crate::decision::{EditContext, ElsewhereChanges};
use crate::edit::{EditError, FIRST_CHECKLIST, Place, within};
use crate::effect::Effect;
use crate::view::{MovedItem, TaskView};

/// Moves an item to another task. Returns the checklist that it needs there, if there was none.
pub(crate) fn take(
    view: &mut TaskView,
    id: &ItemId,
    to: &TaskId,
    place: Option<&Place>,
    by: &EditContext<'_>,
) -> Result<Option<ChecklistId>, EditError> {
    let own = view.id().clone();
    if *to == own {
        return Err(EditError::ToItself { task: own });
    }
    let missing = || EditError::NoItem { task: own.clone(), item: id.clone() };
    let at = view.items.iter().position(|doc| doc.value.id == *id).ok_or_else(missing)?;
    let end = view.ends.iter().find(|end| end.id() == to).and_then(|end| end.whole.as_deref());
    let Some(end) = end else { return Err(EditError::NoOtherTask { task: to.clone() }) };
    if end.deleted_at().is_some() {
        return Err(EditError::OtherDeleted { task: to.clone() });
    }
    let came = || view.moved.iter().map(|one| &one.item).filter(|doc| doc.value.task_id == *to);
    let n_items = end.items.len() + came().count();
    within("items of the other task", limits::ITEMS_PER_TASK, n_items + 1)?;
    let place = place
        .filter(|place| end.checklists.iter().any(|list| list.value.id == place.checklist))
        .cloned();
    let first = end.checklists.first().map(|list| &list.value);
    let elsewhere = || view.lists_elsewhere.iter().find(|list| list.task_id == *to);
    let list = first.or_else(elsewhere).map(|list| list.id.clone());
    let made = (place.is_none() && list.is_none()).then(|| Checklist {
        id: ChecklistId::fresh(by.at, by.entropy),
        task_id: to.clone(),
        title: FIRST_CHECKLIST.into(),
        position: 0,
        created_at: by.at,
        updated_at: by.at,
        deleted_at: None,
    });
    let place = place.unwrap_or_else(|| {
        let list = list.or_else(|| made.as_ref().map(|list| list.id.clone()));
        let checklist = list.expect("it is made if there is none");
        let all = end.items.iter().chain(&end.removed_items).chain(came());
        let in_list = all.filter(|doc| doc.value.checklist_id == checklist);
        let position = in_list.map(|doc| doc.value.position + 1).max().unwrap_or(0);
        Place { checklist, position }
    });
    let mut item: Doc<Item> = view.items.remove(at);
    let was = Place { checklist: item.value.checklist_id.clone(), position: item.value.position };
    item.value.task_id = to.clone();
    item.value.checklist_id = place.checklist;
    item.value.position = place.position;
    view.moved.push(MovedItem { item, from: was });
    let id = made.as_ref().map(|list| list.id.clone());
    view.lists_elsewhere.extend(made);
    Ok(id)
}

/// Writes the moved items, and what both tasks learn.
pub(crate) fn between(
    before: &TaskView,
    after: &mut TaskView,
    by: &EditContext<'_>,
    changes: &mut ElsewhereChanges,
    others: &mut BTreeSet<TaskId>,
) {
    for list in &after.lists_elsewhere {
        changes.ops.push(row::insert(by.ws, list));
    }
    let (from, from_title) = (after.task.value.id.clone(), after.task.value.title.clone());
    for MovedItem { item: doc, from: place } in &mut after.moved {
        doc.value.updated_at = by.at;
        changes.ops.push(item::relocate(by.ws, doc));
        let Item { id, title, is_checked, task_id: to, .. } = doc.value.clone();
        // Who ticked it last is remembered with the task.
        let field = StatedField::Tick(id.clone());
        if let Some(say) = before.says.iter().find(|say| say.field == field) {
            changes.ops.push(field_say::put(by.ws, &to, &field, say.by, say.at));
        }
        let end = before.ends.iter().find(|end| *end.id() == to);
        let to_title = end.map(|end| end.task.doc.value.title.clone()).unwrap_or_default();
        let (from, from_title) = (from.clone(), from_title.clone());
        changes.effects.push(Effect::ItemTask {
            item: id.clone(),
            from: from.clone(),
            place: place.clone(),
            to: to.clone(),
        });
        others.insert(to.clone());
        changes.what.push(What::ItemMoved {
            item: id,
            title,
            is_checked,
            from,
            from_title,
            to,
            to_title,
        });
    }
}
