//! Links between two tasks: reading the other task, the rules, and the resulting changes.
//!
//! A link belongs to both of its tasks, so a commit that creates or removes one advances the
//! revision of both.

use std::collections::BTreeSet;

use dormouse_store::doc::Doc;
use dormouse_store::journal::linked_entry::{self, LinkWithTask, LinkedEntry, LinkedTask};
use dormouse_store::journal::row;
use dormouse_store::journal::task;
use dormouse_types::change::What;
use dormouse_types::limits::{self, Limit};
use dormouse_types::port::Entropy;
use dormouse_types::task::LinkKind;
use dormouse_types::{Id as _, TaskId, TaskLinkId, Timestamp, WorkspaceId};

use crate::Journal;
use crate::decision::{EditContext, ElsewhereChanges};
use crate::edit::{Edit, EditError};
use crate::effect::{BeforeAfter, Effect};
use crate::error::JournalError;
use crate::moved;
use crate::view::{LinkTarget, TaskView};

impl Journal {
    /// Reads the other tasks that link edits involve; reads nothing if there are none.
    pub(crate) async fn load_link_targets(
        &self,
        ws: WorkspaceId,
        view: &mut TaskView,
        edits: &[Edit],
    ) -> Result<(), JournalError> {
        let mut wanted = BTreeSet::new();
        for edit in edits {
            match edit {
                Edit::Link { to: other, .. } | Edit::LinkFrom { from: other, .. } => {
                    wanted.insert(other.clone());
                }
                // Its checklists are needed as well.
                Edit::MoveItem { to, .. } if view.ends.iter().all(|end| end.id() != to) => {
                    match self.task(ws, to).await {
                        Ok(whole) => view.ends.push(LinkTarget::whole(whole)),
                        Err(JournalError::NoTask { .. }) => {}
                        Err(error) => return Err(error),
                    }
                }
                Edit::Unlink(id) | Edit::RestoreLink(id) => {
                    let live = view.links.iter().find(|edge| edge.doc.value.id == *id);
                    if let Some(edge) = live {
                        wanted.insert(edge.other.id.clone());
                        continue;
                    }
                    if view.removed_links.iter().any(|doc| doc.value.id == *id) {
                        continue;
                    }
                    let removed = self.store.first(linked_entry::by_id(ws, id)).await?;
                    if let Some(doc) = removed
                        && let Some(other) = other_id(&doc.value, view.id())
                        && doc.value.deleted_at.is_some()
                    {
                        wanted.insert(other.clone());
                        view.removed_links.push(doc);
                    }
                }
                _ => {}
            }
        }
        wanted.retain(|id| view.ends.iter().all(|end| end.id() != id));
        for id in wanted {
            if let Some(task) = self.store.first(task::by_id(ws, &id)).await? {
                let links = self.store.all(linked_entry::of_task(ws, &id)).await?;
                view.ends.push(LinkTarget { task, links, whole: None });
            }
        }
        Ok(())
    }
}

/// The other end of a task's link; `None` if the link is not the task's.
fn other_id<'a>(link: &'a LinkedEntry, task: &TaskId) -> Option<&'a TaskId> {
    match (link.from_id == *task, link.to_id == *task) {
        (true, _) => Some(&link.to_id),
        (false, true) => Some(&link.from_id),
        (false, false) => None,
    }
}

/// Checks that both tasks and their other links allow this link.
fn check(view: &TaskView, other: &TaskId, link: &LinkedEntry) -> Result<(), EditError> {
    if other == view.id() {
        return Err(EditError::ToItself { task: other.clone() });
    }
    let missing = || EditError::NoOtherTask { task: other.clone() };
    let end = view.ends.iter().find(|end| end.id() == other).ok_or_else(missing)?;
    if end.task.doc.value.deleted_at.is_some() {
        return Err(EditError::OtherDeleted { task: other.clone() });
    }
    let is_symmetric = link.kind.known().is_some_and(LinkKind::is_symmetric);
    let is_twin = |known: &LinkedEntry| {
        let same = known.from_id == link.from_id && known.to_id == link.to_id;
        let mirrored = known.from_id == link.to_id && known.to_id == link.from_id;
        known.kind == link.kind && (same || (is_symmetric && mirrored))
    };
    if let Some(twin) = view.links.iter().find(|edge| is_twin(&edge.doc.value)) {
        let (task, link) = (other.clone(), twin.doc.value.id.clone());
        return Err(EditError::LinkExists { task, link });
    }
    let max: Limit = limits::LINKS_PER_TASK;
    let within = |field, n| max.check(n).map_err(|beyond| EditError::Beyond { field, beyond });
    within("links", view.links.len() + 1)?;
    // Links these same edits created or removed also count at the other end.
    let untouched = end.links.iter().filter(|edge| edge.other.id != *view.id()).count();
    let shared = view.links.iter().filter(|edge| edge.other.id == *other).count();
    within("links of the other task", untouched + shared + 1)
}

fn edge(view: &TaskView, other: &TaskId, doc: Doc<LinkedEntry>) -> LinkWithTask {
    let end = view.ends.iter().find(|end| end.id() == other);
    let task = &end.expect("the other end was checked").task.doc.value;
    let other = LinkedTask {
        id: task.id.clone(),
        title: task.title.clone(),
        status: task.status.status,
        is_deleted: task.deleted_at.is_some(),
        is_private: task.flags.private,
    };
    LinkWithTask { doc, other }
}

/// Links two tasks, one of which is this one.
pub(crate) fn create(
    view: &mut TaskView,
    (from_id, to_id): (TaskId, TaskId),
    kind: LinkKind,
    at: Timestamp,
    entropy: &dyn Entropy,
) -> Result<TaskLinkId, EditError> {
    let link = LinkedEntry {
        id: TaskLinkId::fresh(at, entropy),
        from_id,
        to_id,
        kind: kind.into(),
        created_at: at,
        updated_at: at,
        deleted_at: None,
    };
    let other = other_id(&link, view.id()).expect("one end is the task itself").clone();
    check(view, &other, &link)?;
    let id = link.id.clone();
    let made = edge(view, &other, Doc::new(link));
    view.links.push(made);
    Ok(id)
}

/// Removes a link of the task, whichever end created it.
pub(crate) fn remove(view: &mut TaskView, id: &TaskLinkId, at: Timestamp) -> Result<(), EditError> {
    let Some(place) = view.links.iter().position(|edge| edge.doc.value.id == *id) else {
        let gone = view.removed_links.iter().any(|doc| doc.value.id == *id);
        let missing = EditError::NoLink { task: view.id().clone(), link: id.clone() };
        return if gone { Ok(()) } else { Err(missing) };
    };
    let mut doc = view.links.remove(place).doc;
    doc.value.deleted_at = Some(at);
    view.removed_links.push(doc);
    Ok(())
}

/// Restores a link of the task.
pub(crate) fn restore(view: &mut TaskView, id: &TaskLinkId) -> Result<(), EditError> {
    let Some(place) = view.removed_links.iter().position(|doc| doc.value.id == *id) else {
        let live = view.links.iter().any(|edge| edge.doc.value.id == *id);
        let missing = EditError::NoLink { task: view.id().clone(), link: id.clone() };
        return if live { Ok(()) } else { Err(missing) };
    };
    let link = &view.removed_links[place].value;
    let other = other_id(link, view.id()).expect("only links of the task are read").clone();
    check(view, &other, link)?;
    let mut doc = view.removed_links.remove(place);
    doc.value.deleted_at = None;
    let back = edge(view, &other, doc);
    view.links.push(back);
    Ok(())
}

/// Compares the links before and after; also sets their times.
pub(crate) fn between(
    before: &TaskView,
    after: &mut TaskView,
    by: &EditContext<'_>,
) -> ElsewhereChanges {
    let mut moved = ElsewhereChanges::default();
    let mut others = BTreeSet::new();
    let was_live = |id: &TaskLinkId| before.links.iter().any(|edge| edge.doc.value.id == *id);
    let own = after.id().clone();
    let mut news = Vec::new();
    // Removals are written before additions: an equal link may take the place of a removed one.
    for doc in after.removed_links.iter_mut().filter(|doc| was_live(&doc.value.id)) {
        doc.value.updated_at = by.at;
        moved.ops.push(linked_entry::put(by.ws, doc));
        news.push((doc.value.clone(), false));
    }
    for edge in after.links.iter_mut().filter(|edge| !was_live(&edge.doc.value.id)) {
        edge.doc.value.updated_at = by.at;
        let comes_back = before.removed_links.iter().any(|doc| doc.value.id == edge.doc.value.id);
        moved.ops.push(if comes_back {
            linked_entry::put(by.ws, &edge.doc)
        } else {
            linked_entry::insert(by.ws, &edge.doc.value)
        });
        news.push((edge.doc.value.clone(), true));
    }
    for (link, is_there) in news {
        let other = other_id(&link, &own).expect("only links of the task are read").clone();
        moved.what.push(describe_change(before, after, &link, is_there));
        moved.effects.push(Effect::Link {
            link: link.id,
            kind: link.kind,
            other: other.clone(),
            there: BeforeAfter { before: !is_there, after: is_there },
        });
        others.insert(other);
    }
    moved::between(before, after, by, &mut moved, &mut others);
    for end in before.ends.iter().filter(|end| others.contains(end.id())) {
        let mut doc = end.task.doc.clone();
        doc.value.updated_at = by.at;
        moved.ops.push(task::guard(by.ws, end.id(), end.task.revision));
        moved.ops.push(row::put(by.ws, &doc));
    }
    moved.others = others.into_iter().collect();
    moved
}

fn describe_change(
    before: &TaskView,
    after: &TaskView,
    link: &LinkedEntry,
    is_there: bool,
) -> What {
    let title = |id: &TaskId| {
        if id == after.id() {
            return after.task.value.title.clone();
        }
        let end = before.ends.iter().find(|end| end.id() == id);
        end.map(|end| end.task.doc.value.title.clone()).unwrap_or_default()
    };
    let (from_title, to_title) = (title(&link.from_id), title(&link.to_id));
    let LinkedEntry { id: link, kind, from_id: from, to_id: to, .. } = link.clone();
    if is_there {
        What::LinkAdded { link, kind, from, from_title, to, to_title }
    } else {
        What::LinkRemoved { link, kind, from, from_title, to, to_title }
    }
}

/// The live tasks one link away from those a commit touches, excluding the touched ones.
pub(crate) fn neighbours(before: &TaskView, after: &TaskView, others: &[TaskId]) -> Vec<TaskId> {
    let own = before.links.iter().chain(&after.links);
    let ends = before.ends.iter().filter(|end| others.contains(end.id()));
    let near: BTreeSet<&TaskId> = own
        .chain(ends.flat_map(|end| &end.links))
        .filter(|edge| !edge.other.is_deleted)
        .map(|edge| &edge.other.id)
        .filter(|id| *id != after.id() && !others.contains(id))
        .collect();
    near.into_iter().cloned().collect()
}
