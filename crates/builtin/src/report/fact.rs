//! One thing that the report may contain.

use crate::lang::Lang;
use crate::read::fold;

/// The section of the report that a fact belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Finished work.
    Done,
    /// Open work.
    Left,
    /// A cause, an insight, a decision.
    Learned,
    /// What only the person can settle.
    Open,
}

/// The evidence for a fact, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The task's own checklist.
    Item,
    /// A box in the text.
    Box,
    /// A heading of a known kind.
    Heading,
    /// A remark on an item of a to-do list: "done in May".
    Remark,
    /// A phrase in the sentence.
    Cue,
    /// A phrase that counts only if no list names the work.
    WeakCue,
}

/// One thing that the report may contain.
#[derive(Debug, Clone)]
pub struct Fact {
    /// Section it belongs to.
    pub kind: Kind,
    /// Evidence for it.
    pub source: Source,
    /// The words.
    pub text: String,
    /// Its content words.
    pub words: Vec<String>,
    /// Increases with time; in a text without days, with its position.
    pub order: i64,
    /// How informative it is, compared with others of its kind.
    pub weight: i32,
    /// Day and time as written.
    pub stamp: Option<String>,
    /// Version or group that contains it.
    pub group: Option<String>,
    /// Index of its segment; `None` for items of the task.
    pub segment: Option<usize>,
    /// Index of its entry; `None` for items of the task.
    pub entry: Option<usize>,
    /// Whether its box is neither open nor ticked.
    pub is_half: bool,
    /// Whether its box is open although the text says that it is done.
    pub is_contested: bool,
}

impl Fact {
    /// Returns whether two facts are about the same work: most words of the shorter one are in the
    /// longer one, and their numbers do not contradict each other.
    pub fn is_same(&self, other: &Self) -> bool {
        same(&self.words, &other.words, 0.8)
    }
}

/// Returns whether two sets of words name the same thing.
pub fn same(one: &[String], other: &[String], least: f32) -> bool {
    if one.is_empty()
        || other.is_empty()
        || one.len().min(other.len()) == 1 && one.len() != other.len()
    {
        return false;
    }
    fold::overlap(one, other) >= least && names_agree(one, other)
}

/// Returns whether the numbers and code words of the text that has fewer of them all occur in the
/// other.
///
/// "Commit phase 1" is not "commit phase 2", however much else they share.
pub fn names_agree(one: &[String], other: &[String]) -> bool {
    let is_name = |word: &&String| word.chars().any(|c| !c.is_alphabetic() && c != '\'');
    let (n_one, n_other) =
        (one.iter().filter(is_name).count(), other.iter().filter(is_name).count());
    let (few, many) = if n_one <= n_other { (one, other) } else { (other, one) };
    few.iter().filter(is_name).all(|name| many.contains(name))
}

/// Returns whether a text contains a figure; a year does not count.
pub fn has_figure(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|word| {
        let is_year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
        word.starts_with(|c: char| c.is_ascii_digit()) && !is_year
    })
}

/// Weighs an insight: causes first, then decisions, figures and code words.
pub fn weigh_learned(text: &str, cue_text: &super::cue::CueText, lang: &Lang) -> i32 {
    let cues = &lang.report.cues;
    let mut weight = 0;
    if cue_text.has(cues.root) {
        weight += 7;
    } else if cue_text.has(cues.cause) {
        weight += 4;
    } else if cue_text.has(cues.decided)
        || cue_text.has(cues.correction)
        || cue_text.is_new_rule(lang)
    {
        weight += 3;
    } else if cue_text.has(cues.learned) || cue_text.opens_with(cues.rule) {
        weight += 2;
    }
    weight += i32::from(has_figure(text));
    weight += i32::from(text.contains('`'));
    if cue_text.has(cues.hedge) {
        weight -= 3;
    }
    if cue_text.begins_with(cues.leaning) {
        weight -= 2;
    }
    if cue_text.n_words() < 5 {
        weight -= 2;
    }
    weight
}
