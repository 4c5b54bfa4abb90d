//! The sentence patterns of each language, read once.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use dormouse_types::task::{Priority, Status};

use super::pattern::Pattern;
use crate::lang::{self, Lang};

/// The patterns of a language by what they are for; as in [`crate::lang::propose::Rules`].
#[derive(Debug)]
pub struct Patterns {
    /// A day by which the task is due.
    pub due: Vec<Pattern>,
    /// What speaks of the deadline in any way.
    pub due_topic: Vec<Pattern>,
    /// What the task is about moved to a day.
    pub due_along: Vec<Pattern>,
    /// The deadline is lifted.
    pub due_off: Vec<Pattern>,
    /// How long the task takes.
    pub estimate: Vec<Pattern>,
    /// What speaks of that in any way.
    pub estimate_topic: Vec<Pattern>,
    /// How much the task matters.
    pub priority: Vec<(Pattern, Priority)>,
    /// It matters less than was said.
    pub priority_off: Vec<Pattern>,
    /// How the task stands.
    pub status: Vec<(Pattern, Status)>,
    /// It does not stand so any more.
    pub status_off: Vec<Pattern>,
    /// A deadline that moved.
    pub moved: Vec<Pattern>,
    /// Escalating words.
    pub escalated: Vec<Pattern>,
}

/// Reading the patterns takes longer than holding them against a note.
static ALL: LazyLock<BTreeMap<&'static str, Patterns>> =
    LazyLock::new(|| lang::ALL.iter().map(|lang| (lang.code, read(lang))).collect());

/// The patterns of a language.
pub fn of(lang: &Lang) -> &'static Patterns {
    ALL.get(lang.code).expect("every language with rules stands in the list of languages")
}

fn read(lang: &Lang) -> Patterns {
    let rules = lang.propose;
    let all = |texts: &[&str]| texts.iter().map(|text| Pattern::of(text, rules.classes)).collect();
    Patterns {
        due: all(rules.due),
        due_topic: all(rules.due_topic),
        due_along: all(rules.due_along),
        due_off: all(rules.due_off),
        estimate: all(rules.estimate),
        estimate_topic: all(rules.estimate_topic),
        priority: rules
            .priority
            .iter()
            .map(|(text, p)| (Pattern::of(text, rules.classes), *p))
            .collect(),
        priority_off: all(rules.priority_off),
        status: rules
            .status
            .iter()
            // Closing a task is the person's own act, whatever a table says.
            .filter(|(_, status)| !status.is_terminal())
            .map(|(text, status)| (Pattern::of(text, rules.classes), *status))
            .collect(),
        status_off: all(rules.status_off),
        moved: all(rules.observe.moved),
        escalated: all(rules.observe.escalated),
    }
}
