//! Which changes of the person's tasks start a run of agent work.

use serde::{Deserialize, Serialize};

use crate::change::What;
use crate::closed_list;
use crate::field_change::{FieldRef, FieldValue};
use crate::id::{CategoryId, LabelId, TaskId};
use crate::task::Field;

closed_list! {
    /// Something that happens to a task.
    pub enum TaskEvent, "event of a task" {
        /// It was made.
        Created = "created",
        /// It was deleted.
        Deleted = "deleted",
        /// It was restored.
        Restored = "restored",
        /// One of its fields was set or cleared.
        FieldSet = "fieldSet",
        /// An item was added.
        ItemAdded = "itemAdded",
        /// An item was ticked.
        ItemTicked = "itemTicked",
        /// An entry was added.
        EntryAdded = "entryAdded",
        /// A label was put on it.
        LabelAdded = "labelAdded",
        /// A label was taken off it.
        LabelRemoved = "labelRemoved",
    }
}

/// A filter of changes. A change passes if it is of this event and fits every other member that is set.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct EventFilter {
    /// What happens.
    pub event: TaskEvent,
    /// The field that is set; only with `fieldSet`.
    #[serde(default)]
    pub field: Option<Field>,
    /// The value before; only with `field`. A status is compared without its reason.
    #[serde(default)]
    pub from: Option<FieldValue>,
    /// The value after; only with `field`. A status is compared without its reason.
    #[serde(default)]
    pub to: Option<FieldValue>,
    /// The label; only with `labelAdded` and `labelRemoved`.
    #[serde(default)]
    pub label: Option<LabelId>,
    /// The category that the task is in when the change is looked at.
    #[serde(default)]
    pub category: Option<CategoryId>,
    /// The tasks; empty for all.
    #[serde(default)]
    pub tasks: Vec<TaskId>,
}

/// A filter that no change could ever pass, or that says less than its writer thinks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FilterError {
    /// A member does not belong to the event.
    #[error("{member} has no meaning with the event {}; it belongs to {belongs_to}", .event.name())]
    NotOfEvent {
        /// The member.
        member: &'static str,
        /// The event of the filter.
        event: TaskEvent,
        /// The events or the member it belongs to.
        belongs_to: &'static str,
    },
    /// A value is none that the field can have.
    #[error("{member} is no value of the field {}; use one of type {expected}", .field.name())]
    WrongValue {
        /// `from` or `to`.
        member: &'static str,
        /// The field.
        field: Field,
        /// The type of its values.
        expected: &'static str,
    },
    /// There are too many tasks in it.
    #[error("a filter names at most {most} tasks; this one has {given}")]
    TooManyTasks {
        /// The most.
        most: usize,
        /// How many there are.
        given: usize,
    },
}

impl EventFilter {
    /// The most tasks that a filter names.
    pub const MOST_TASKS: usize = 100;

    /// Checks it before it is stored.
    pub fn check(&self) -> Result<(), FilterError> {
        let not_of = |member, belongs_to| {
            Err(FilterError::NotOfEvent { member, event: self.event, belongs_to })
        };
        if self.field.is_some() && self.event != TaskEvent::FieldSet {
            return not_of("field", "fieldSet");
        }
        if self.label.is_some()
            && !matches!(self.event, TaskEvent::LabelAdded | TaskEvent::LabelRemoved)
        {
            return not_of("label", "labelAdded and labelRemoved");
        }
        for (member, value) in [("from", &self.from), ("to", &self.to)] {
            let Some(value) = value else { continue };
            let Some(field) = self.field else { return not_of(member, "field") };
            let expected = type_of_values(field);
            if type_of(value) != expected {
                return Err(FilterError::WrongValue { member, field, expected });
            }
        }
        if self.tasks.len() > Self::MOST_TASKS {
            let given = self.tasks.len();
            return Err(FilterError::TooManyTasks { most: Self::MOST_TASKS, given });
        }
        Ok(())
    }

    /// Whether a change of a task passes. `category` is that of the task.
    pub fn passes(&self, task: &TaskId, category: Option<&CategoryId>, what: &What) -> bool {
        let is_fit = match (self.event, what) {
            (TaskEvent::Created, What::TaskCreated { .. })
            | (TaskEvent::Deleted, What::TaskDeleted)
            | (TaskEvent::Restored, What::TaskRestored)
            | (TaskEvent::ItemAdded, What::ItemAdded { .. })
            | (TaskEvent::ItemTicked, What::ItemChecked { is_checked: true, .. })
            | (TaskEvent::EntryAdded, What::EntryAdded { .. }) => true,
            (TaskEvent::LabelAdded, What::LabelAdded { label, .. })
            | (TaskEvent::LabelRemoved, What::LabelRemoved { label, .. }) => {
                self.label.as_ref().is_none_or(|wanted| wanted == label)
            }
            (TaskEvent::FieldSet, What::FieldSet(change)) => {
                self.field.is_none_or(|field| change.field == FieldRef::from(field))
                    && is_value(self.from.as_ref(), change.from.as_ref())
                    && is_value(self.to.as_ref(), change.to.as_ref())
            }
            _ => false,
        };
        is_fit
            && self.category.as_ref().is_none_or(|wanted| Some(wanted) == category)
            && (self.tasks.is_empty() || self.tasks.contains(task))
    }
}

/// Whether a value is the wanted one; a filter without a value accepts any.
fn is_value(wanted: Option<&FieldValue>, found: Option<&FieldValue>) -> bool {
    match (wanted, found) {
        (None, _) => true,
        (Some(_), None) => false,
        (
            Some(FieldValue::Status { status: wanted, .. }),
            Some(FieldValue::Status { status, .. }),
        ) => wanted == status,
        (Some(wanted), Some(found)) => wanted == found,
    }
}

/// The type of a value, as it is written.
fn type_of(value: &FieldValue) -> &'static str {
    match value {
        FieldValue::Text { .. } => "text",
        FieldValue::Day { .. } => "day",
        FieldValue::Minutes { .. } => "minutes",
        FieldValue::Priority { .. } => "priority",
        FieldValue::Language { .. } => "language",
        FieldValue::Status { .. } => "status",
        FieldValue::Flag { .. } => "flag",
        FieldValue::Item { .. } => "item",
        FieldValue::Label { .. } => "label",
        FieldValue::Task { .. } => "task",
        FieldValue::Words { .. } => "words",
        FieldValue::Other(_) => "unknown",
    }
}

/// The type of the values of a field, as it is written.
fn type_of_values(field: Field) -> &'static str {
    match field {
        Field::Title | Field::Category => "text",
        Field::Status => "status",
        Field::Priority => "priority",
        Field::DueDate => "day",
        Field::Estimate => "minutes",
        Field::Language => "language",
        Field::Starred | Field::Private => "flag",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::field_change::FieldChange;
    use crate::task::Status;

    fn filter(json: &str) -> EventFilter {
        serde_json::from_str(json).expect("a filter")
    }

    fn task(mark: char) -> TaskId {
        format!("jt-{}", mark.to_string().repeat(26)).parse().expect("an id")
    }

    fn status(from: Status, to: Status, reason: Option<&str>) -> What {
        let value = |status, reason: Option<&str>| {
            Some(FieldValue::Status { status, reason: reason.map(ToOwned::to_owned) })
        };
        What::FieldSet(FieldChange {
            field: FieldRef::Status,
            from: value(from, None),
            to: value(to, reason),
        })
    }

    #[test]
    fn every_member_that_is_set_has_to_fit() {
        let done = filter(
            r#"{"event":"fieldSet","field":"status","to":{"type":"status","status":"DONE","reason":null}}"#,
        );
        assert_eq!(done.check(), Ok(()));
        let own = task('t');
        assert!(done.passes(&own, None, &status(Status::Open, Status::Done, Some("at last"))));
        assert!(!done.passes(&own, None, &status(Status::Done, Status::Open, None)));
        assert!(!done.passes(&own, None, &What::TaskDeleted));
        let named = EventFilter { tasks: vec![task('u')], ..done.clone() };
        assert!(!named.passes(&own, None, &status(Status::Open, Status::Done, None)));
        assert!(named.passes(&task('u'), None, &status(Status::Open, Status::Done, None)));
        let category: CategoryId = format!("ct-{}", "c".repeat(26)).parse().expect("an id");
        let within = EventFilter { category: Some(category.clone()), ..done };
        assert!(!within.passes(&own, None, &status(Status::Open, Status::Done, None)));
        assert!(within.passes(&own, Some(&category), &status(Status::Open, Status::Done, None)));
    }

    #[test]
    fn an_item_that_is_unticked_is_not_ticked() {
        let ticked = filter(r#"{"event":"itemTicked"}"#);
        let item = |is_checked| What::ItemChecked {
            item: format!("ci-{}", "i".repeat(26)).parse().expect("an id"),
            title: "Buy stamps".into(),
            is_checked,
        };
        assert!(ticked.passes(&task('t'), None, &item(true)));
        assert!(!ticked.passes(&task('t'), None, &item(false)));
    }

    #[test]
    fn a_filter_that_could_never_pass_is_refused_with_what_to_write() {
        let refusal = |json: &str| filter(json).check().unwrap_err().to_string();
        assert_eq!(
            refusal(r#"{"event":"created","field":"status"}"#),
            "field has no meaning with the event created; it belongs to fieldSet"
        );
        assert_eq!(
            refusal(r#"{"event":"fieldSet","to":{"type":"text","text":"x"}}"#),
            "to has no meaning with the event fieldSet; it belongs to field"
        );
        assert_eq!(
            refusal(
                r#"{"event":"fieldSet","field":"dueDate","to":{"type":"text","text":"tomorrow"}}"#
            ),
            "to is no value of the field dueDate; use one of type day"
        );
    }
}
