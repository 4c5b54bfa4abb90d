//! The words of the terminal for a value of a change.

use dormouse_types::field_change::{FieldRef, FieldValue};
use dormouse_types::task::Priority;

/// A value in one line. The page has its own words; `web/src/i18n/values.json` lists both.
pub fn words(value: &FieldValue) -> String {
    match value {
        FieldValue::Text { text } => text.clone(),
        FieldValue::Day { on } => on.to_string(),
        FieldValue::Minutes { minutes } => match (minutes / 60, minutes % 60) {
            (0, minutes) => format!("{minutes} min"),
            (1, 0) => "1 hour".to_owned(),
            (hours, 0) => format!("{hours} hours"),
            (hours, minutes) => format!("{hours} h {minutes} min"),
        },
        FieldValue::Priority { priority } => {
            let meaning = match priority {
                Priority::P0 => "urgent",
                Priority::P1 => "high",
                Priority::P2 => "medium",
                Priority::P3 => "low",
            };
            format!("{priority} ({meaning})")
        }
        FieldValue::Language { code } => code.clone(),
        FieldValue::Status { status, reason: None } => status.to_string(),
        FieldValue::Status { status, reason: Some(reason) } => format!("{status} ({reason})"),
        FieldValue::Flag { is_set } => if *is_set { "yes" } else { "no" }.to_owned(),
        FieldValue::Item { title, is_checked, is_archived } => {
            let mark = if *is_checked { "x" } else { " " };
            let archived = if *is_archived { " (archived)" } else { "" };
            format!("[{mark}] {title}{archived}")
        }
        FieldValue::Label { name, .. } => name.clone(),
        FieldValue::Task { title, .. } => title.clone(),
        FieldValue::Words { words } => words.clone(),
        FieldValue::Other(json) => json.to_string(),
    }
}

/// What a change is about, in plain words.
pub fn field(field: &FieldRef) -> &'static str {
    match field {
        FieldRef::Title => "title",
        FieldRef::Status => "status",
        FieldRef::Priority => "priority",
        FieldRef::DueDate => "due date",
        FieldRef::Estimate => "estimate",
        FieldRef::Language => "language",
        FieldRef::Category => "category",
        FieldRef::Starred => "star",
        FieldRef::Private => "private",
        FieldRef::Item { .. } => "item",
        FieldRef::Label { .. } => "label",
        FieldRef::ItemTask { .. } => "task of an item",
        FieldRef::FollowUp => "follow-up task",
        FieldRef::Link { .. } => "link",
        FieldRef::Other(_) => "a field of a newer version",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[derive(serde::Deserialize)]
    struct Row {
        value: FieldValue,
        terminal: String,
    }

    fn kind(value: &FieldValue) -> &'static str {
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
            FieldValue::Other(_) => "a newer one",
        }
    }

    #[test]
    fn each_value_has_the_line_that_the_table_gives_it() {
        let table = include_str!("../../../../web/src/i18n/values.json");
        let rows: Vec<Row> = serde_json::from_str(table).expect("the table of values and lines");
        for row in &rows {
            assert_eq!(words(&row.value), row.terminal);
        }
        let kinds: BTreeSet<_> = rows.iter().map(|row| kind(&row.value)).collect();
        assert_eq!(kinds.len(), 12, "{kinds:?}");
    }
}
