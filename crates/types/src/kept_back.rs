//! How much of a task a model was not shown, because it is private and the model is not the
//! person's own.

use serde::{Deserialize, Serialize};

/// Numbers of pieces that were kept back from a model. The whole task counts as one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct KeptBack {
    /// The whole task; nothing was sent.
    pub tasks: u32,
    /// Private entries, each once.
    pub entries: u32,
    /// Titles of linked tasks that are private.
    pub links: u32,
    /// Notes of the agent that were made from private text.
    pub notes: u32,
    /// Proposals and decisions that were made from private text.
    pub proposals: u32,
    /// Summaries of reports that were made from private text.
    pub summaries: u32,
    /// Lines of the log of which nobody knows what they were made of.
    pub others: u32,
}

impl KeptBack {
    /// Returns whether everything was shown.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Lists what was kept back, for example `2 entries, 1 note`; empty if nothing was.
    pub fn words(&self) -> String {
        let counted = [
            (self.tasks, "task", "tasks"),
            (self.entries, "entry", "entries"),
            (self.links, "linked task", "linked tasks"),
            (self.notes, "note", "notes"),
            (self.proposals, "proposal", "proposals"),
            (self.summaries, "summary", "summaries"),
            (self.others, "line of the log", "lines of the log"),
        ];
        let words = counted.into_iter().filter(|(n, ..)| *n > 0);
        let words = words.map(|(n, one, many)| format!("{n} {}", if n == 1 { one } else { many }));
        words.collect::<Vec<_>>().join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_zero_is_not_said_and_need_not_be_stored() {
        let kept = KeptBack { entries: 2, notes: 1, ..KeptBack::default() };
        assert_eq!(kept.words(), "2 entries, 1 note");
        let stored = r#"{"entries":2,"notes":1}"#;
        assert_eq!(serde_json::from_str::<KeptBack>(stored).expect("counts"), kept);
        assert_eq!(KeptBack::default().words(), "");
    }
}
