//! How much of a task a model was not shown, and why: it is private and the model is not the person's
//! own, or its category may not be sent to the provider.

use serde::{Deserialize, Serialize};

crate::closed_list! {
    /// Why something is kept back from a model.
    pub enum KeptBackReason, "reason to keep something back" {
        /// It is private, or nobody knows what it was made of.
        Private = "private",
        /// The provider may not be sent tasks of this category.
        Category = "category",
    }
}

/// What was kept back from a model, by reason.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct KeptBack {
    /// Because it is private. Without a name of its own: rows of earlier versions have only this.
    #[serde(flatten)]
    pub private: KeptPieces,
    /// Because of the category of the task that it comes from.
    pub category: KeptPieces,
}

/// Numbers of pieces that were kept back from a model. The whole task counts as one.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase", default)]
pub struct KeptPieces {
    /// The whole task; nothing was sent.
    pub tasks: u32,
    /// Entries, each once.
    pub entries: u32,
    /// Linked tasks.
    pub links: u32,
    /// Notes of the agent that were made from such text.
    pub notes: u32,
    /// Proposals and decisions that were made from such text.
    pub proposals: u32,
    /// Summaries of reports that were made from such text.
    pub summaries: u32,
    /// Names of labels that could be proposed.
    pub labels: u32,
    /// Other lines of the log.
    pub others: u32,
}

impl KeptBack {
    /// Returns whether everything was shown.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Returns why the whole task was kept back; `None` if it was not.
    pub fn task(&self) -> Option<KeptBackReason> {
        let reasons = self.by_reason().into_iter();
        reasons.filter(|(_, pieces)| pieces.tasks > 0).map(|(reason, _)| reason).next()
    }

    /// Lists what was kept back for each reason, for example `2 entries, 1 note`. A reason for which
    /// nothing was is left out.
    pub fn words(&self) -> Vec<(KeptBackReason, String)> {
        let words = self.by_reason().into_iter().map(|(reason, pieces)| (reason, pieces.words()));
        words.filter(|(_, words)| !words.is_empty()).collect()
    }

    fn by_reason(&self) -> [(KeptBackReason, &KeptPieces); 2] {
        [(KeptBackReason::Private, &self.private), (KeptBackReason::Category, &self.category)]
    }
}

impl KeptPieces {
    fn words(&self) -> String {
        let counted = [
            (self.tasks, "task", "tasks"),
            (self.entries, "entry", "entries"),
            (self.links, "linked task", "linked tasks"),
            (self.notes, "note", "notes"),
            (self.proposals, "proposal", "proposals"),
            (self.summaries, "summary", "summaries"),
            (self.labels, "label", "labels"),
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
        let private = KeptPieces { entries: 2, notes: 1, ..KeptPieces::default() };
        let kept = KeptBack { private, ..KeptBack::default() };
        assert_eq!(kept.words(), [(KeptBackReason::Private, "2 entries, 1 note".to_owned())]);
        let stored = r#"{"entries":2,"notes":1}"#;
        assert_eq!(serde_json::from_str::<KeptBack>(stored).expect("counts"), kept);
        assert_eq!(KeptBack::default().words(), []);
    }

    #[test]
    fn reasons_are_counted_apart() {
        let category = KeptPieces { links: 2, ..KeptPieces::default() };
        let private = KeptPieces { entries: 1, ..KeptPieces::default() };
        let kept = KeptBack { private, category };
        let stored = serde_json::to_string(&kept).expect("counts");
        assert_eq!(serde_json::from_str::<KeptBack>(&stored).expect("counts"), kept);
        let words = kept.words();
        let words = words.iter().map(|(reason, words)| (*reason, words.as_str()));
        assert_eq!(
            words.collect::<Vec<_>>(),
            [(KeptBackReason::Private, "1 entry"), (KeptBackReason::Category, "2 linked tasks")]
        );
        assert_eq!(kept.task(), None);
        let category = KeptPieces { tasks: 1, ..KeptPieces::default() };
        let kept = KeptBack { category, ..KeptBack::default() };
        assert_eq!(kept.task(), Some(KeptBackReason::Category));
    }
}
