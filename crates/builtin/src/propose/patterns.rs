//! The sentence patterns of each language, compiled once.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use dormouse_types::task::{Priority, Status};

use super::pattern::Pattern;
use crate::lang::{self, Lang};

/// The patterns of a language by purpose, as in [`crate::lang::propose::Rules`].
#[derive(Debug)]
pub struct Patterns {
    /// A day by which the task is due.
    pub due: Vec<Pattern>,
    /// Any mention of the deadline.
    pub due_topic: Vec<Pattern>,
    /// What the task is about was moved to another day.
    pub due_along: Vec<Pattern>,
    /// The deadline was lifted.
    pub due_off: Vec<Pattern>,
    /// How long the task takes.
    pub estimate: Vec<Pattern>,
    /// Any mention of how long the task takes.
    pub estimate_topic: Vec<Pattern>,
    /// How much the task matters.
    pub priority: Vec<(Pattern, Priority)>,
    /// The task matters less than was said before.
    pub priority_off: Vec<Pattern>,
    /// The state of the task.
    pub status: Vec<(Pattern, Status)>,
    /// A status that no longer holds.
    pub status_off: Vec<Pattern>,
    /// A deadline that moved.
    pub moved: Vec<Pattern>,
    /// Escalating words.
    pub escalated: Vec<Pattern>,
}

/// Cached, because compiling the patterns takes longer than matching a note.
static ALL: LazyLock<BTreeMap<&'static str, Patterns>> =
    LazyLock::new(|| lang::ALL.iter().map(|lang| (lang.code, read(lang))).collect());

/// Returns the patterns of a language.
pub fn of(lang: &Lang) -> &'static Patterns {
    ALL.get(lang.rules).expect("every language with rules is in the list of languages")
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
            // Only the person may close a task, whatever a table says.
            .filter(|(_, status)| !status.is_terminal())
            .map(|(text, status)| (Pattern::of(text, rules.classes), *status))
            .collect(),
        status_off: all(rules.status_off),
        moved: all(rules.observe.moved),
        escalated: all(rules.observe.escalated),
    }
}
