//! What a task has no field for, as text that a person and a writer can read.

use std::fmt::Write as _;

/// The key of the entry in which an import keeps what a task has no field for.
pub const DETAILS: &str = "details#1";

/// Whether the text of an entry is what an import keeps under [`DETAILS`].
pub fn is_details(text: &str) -> bool {
    Details::parse(text).is_some()
}

/// The name of what is said of an item, among what is said of its task.
pub(crate) fn of_item(name: &str, item: &str) -> String {
    let short: String = item.chars().take(60).collect();
    format!("{name} of “{}”", short.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Named values in the order of the text.
///
/// Shape as text: a Markdown list with an item `- name: value` for each; further lines of a value
/// are indented by two spaces.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Details(Vec<(String, String)>);

impl Details {
    /// The key of the entry that holds them.
    pub const KEY: &'static str = DETAILS;

    /// Adds a value; one that holds only spaces says nothing and is left out.
    pub fn push(&mut self, name: &str, value: &str) {
        let value = value.trim();
        if value.is_empty() {
            return;
        }
        let name = name.split_whitespace().collect::<Vec<_>>().join(" ").replace(": ", ":");
        let name = name.trim_end_matches(':');
        self.0.push((if name.is_empty() { "?" } else { name }.to_owned(), value.to_owned()));
    }

    /// Adds a value unless it is there already, as in an export of what an export was read into.
    pub fn push_new(&mut self, name: &str, value: &str) {
        self.push(name, value);
        if let Some((last, before)) = self.0.split_last()
            && before.contains(last)
        {
            self.0.pop();
        }
    }

    /// The values with their names.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// As the text of an entry; empty if there are none.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for (name, value) in &self.0 {
            for (n, line) in value.lines().enumerate() {
                let end = if text.is_empty() { "" } else { "\n" };
                let _ = match n {
                    0 => write!(text, "{end}- {name}: {line}"),
                    _ => write!(text, "{end}  {line}"),
                };
            }
        }
        text
    }

    /// Reads the text of an entry back; `None` if it is not such a text.
    pub fn parse(text: &str) -> Option<Self> {
        let mut all: Vec<(String, String)> = Vec::new();
        for line in text.split('\n') {
            if let Some(more) = line.strip_prefix("  ") {
                let (_, value) = all.last_mut()?;
                value.push('\n');
                value.push_str(more);
            } else {
                let (name, value) = line.strip_prefix("- ")?.split_once(": ")?;
                all.push((name.to_owned(), value.to_owned()));
            }
        }
        let details = Self(all);
        // A text that a person changed into another shape is theirs.
        (details.text() == text).then_some(details)
    }
}
