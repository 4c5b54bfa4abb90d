//! The words of the terminal for a change: one line that says all of it.

use dormouse_types::field_change::{FieldChange, FieldRef, FieldValue};

use super::value;

/// What a change does, from the values before and after; `summary` if this version cannot tell from them.
/// The page has its own words; `web/src/i18n/changes.json` lists both.
pub fn words(change: Option<&FieldChange>, summary: &str) -> String {
    change.and_then(known).unwrap_or_else(|| summary.to_owned())
}

fn known(change: &FieldChange) -> Option<String> {
    let to = change.to.as_ref()?;
    let set = |what: &str| Some(format!("Set {what} to {}", value::words(to)));
    match (&change.field, to) {
        (FieldRef::Title, FieldValue::Text { text }) => Some(format!("Set title to \"{text}\"")),
        (FieldRef::Status, _) => set("status"),
        (FieldRef::Priority, _) => set("priority"),
        (FieldRef::DueDate, _) => set("due date"),
        (FieldRef::Estimate, _) => set("time estimate"),
        (FieldRef::Label { .. }, FieldValue::Label { name, .. }) => {
            Some(format!("Add label \"{name}\""))
        }
        (FieldRef::Item { id: None }, FieldValue::Item { title, .. }) => {
            Some(format!("Add checklist item: {title}"))
        }
        (FieldRef::Item { id: Some(_) }, _) => edited(change.from.as_ref()?, to),
        _ => None,
    }
}

/// What happens to a checklist item; `None` if nothing does.
fn edited(from: &FieldValue, to: &FieldValue) -> Option<String> {
    let FieldValue::Item { title: old, is_checked: was_checked, is_archived: was_archived } = from
    else {
        return None;
    };
    let FieldValue::Item { title, is_checked, is_archived } = to else { return None };
    let mut parts = Vec::new();
    if is_checked != was_checked {
        let tick = if *is_checked { "Tick" } else { "Untick" };
        parts.push(format!("{tick} \"{old}\""));
    }
    if title != old {
        parts.push(format!("Rename \"{old}\" to \"{title}\""));
    }
    if is_archived != was_archived {
        let archive = if *is_archived { "Archive" } else { "Bring back" };
        parts.push(format!("{archive} \"{old}\""));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(serde::Deserialize)]
    struct Row {
        change: Option<FieldChange>,
        summary: String,
        terminal: String,
    }

    #[test]
    fn each_change_has_the_line_that_the_table_gives_it() {
        let table = include_str!("../../../../web/src/i18n/changes.json");
        let rows: Vec<Row> = serde_json::from_str(table).expect("the table of changes and lines");
        for row in &rows {
            assert_eq!(words(row.change.as_ref(), &row.summary), row.terminal);
        }
    }
}
