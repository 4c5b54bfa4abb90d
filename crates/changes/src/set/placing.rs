//! Which task a proposal goes to: one that exists, or the one that a proposal of the same set makes.

use dormouse_store::agent::change_item::State;
use dormouse_types::field_change::{FieldChange, FieldValue};
use serde_json::Value;

use crate::set::proposed::{ProposalContext, Proposed};
use crate::task_ref::TaskRef;
use crate::tool::{ItemTool, Refused};
use crate::tools;

/// What a call names as its other task, checked, with its title.
pub(crate) struct Placed {
    /// The arguments, with `to` in its canonical form.
    pub args: Value,
    /// The task, for the person to read.
    pub value: Option<FieldValue>,
    /// The proposal that makes the task, by its fingerprint: it distinguishes two groups with the
    /// same place.
    pub parent: Option<String>,
}

/// Checks which task a call names; one that names none means the follow-up task proposed last.
///
/// Errors: no such task, or one that nothing can go to; the model reads why.
pub(crate) fn placed(
    item: &dyn ItemTool,
    mut args: Value,
    context: &ProposalContext<'_>,
    queued: &[Proposed],
) -> Result<Placed, Refused> {
    if !item.names_task() || !args.is_object() {
        return Ok(Placed { args, value: None, parent: None });
    }
    let follow_ups = follow_ups(context, queued);
    let given = args["to"].as_str().map(str::trim).filter(|text| !text.is_empty());
    let to = match given {
        Some(text) => text.parse()?,
        None => TaskRef::Item(follow_ups.last().map(|one| one.index).ok_or_else(|| {
            Refused::Invalid(
                "to is missing; give the id of a task, or propose a follow-up task first".into(),
            )
        })?),
    };
    let (value, parent) = match &to {
        TaskRef::Task(id) if *id == context.task.id => {
            return Err(Refused::Invalid("to is this task itself; name another one".into()));
        }
        TaskRef::Task(id) => {
            let named = context.named.iter().find(|named| named.id == *id);
            let Some(named) = named else {
                return Err(Refused::Invalid(format!("there is no task {id}")));
            };
            if named.is_deleted {
                return Err(Refused::Invalid(format!("task {id} is deleted")));
            }
            item.check_other(&args, named)?;
            (FieldValue::Task { id: Some(id.clone()), title: named.title.clone() }, None)
        }
        TaskRef::Item(index) => {
            let found = follow_ups.iter().find(|one| one.index == *index);
            let Some(FollowUp { title, fingerprint, .. }) = found else {
                return Err(Refused::Invalid(format!(
                    "{to} is no follow-up task that you propose in this wake"
                )));
            };
            let value = FieldValue::Task { id: None, title: title.clone() };
            (value, Some(fingerprint.clone()))
        }
    };
    args["to"] = to.to_string().into();
    Ok(Placed { args, value: Some(value), parent })
}

/// Returns the place that a proposal takes in its set.
pub(crate) fn next_index(context: &ProposalContext<'_>, queued: &[Proposed]) -> i64 {
    let last = context.in_set.iter().map(|item| item.index).chain(queued.iter().map(|p| p.index));
    last.max().unwrap_or(0) + 1
}

struct FollowUp {
    index: i64,
    title: String,
    fingerprint: String,
}

/// Returns the tasks that the set proposes or has made.
fn follow_ups(context: &ProposalContext<'_>, queued: &[Proposed]) -> Vec<FollowUp> {
    let stored = context.in_set.iter().filter(|item| {
        matches!(item.state, State::Pending | State::Deferred | State::Applying | State::Confirmed)
    });
    let stored = stored.filter_map(|item| {
        let args: Value = serde_json::from_str(&item.args).ok()?;
        let title = tools::item(&item.tool)?.creates(&args)?;
        Some(FollowUp { index: item.index, title, fingerprint: item.fingerprint.0.clone() })
    });
    let queued = queued.iter().filter_map(|one| {
        let title = tools::item(one.tool)?.creates(&one.args)?;
        Some(FollowUp { index: one.index, title, fingerprint: one.fingerprint.0.clone() })
    });
    stored.chain(queued).collect()
}

/// Returns the change with the other task in it.
pub(crate) fn with_task(change: FieldChange, value: Option<FieldValue>) -> FieldChange {
    FieldChange { to: value.or(change.to), ..change }
}
