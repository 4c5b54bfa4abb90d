//! One thing the report may tell.

use crate::lang::Lang;
use crate::read::fold;

/// Where in the report a fact belongs.
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

/// What a fact rests on, strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// The task's own checklist.
    Item,
    /// A box in a text.
    Box,
    /// A heading of a known kind.
    Heading,
    /// A remark on an item of a to-do list: "done in May".
    Remark,
    /// Words of the sentence.
    Cue,
    /// Words that count only where nothing lists the work.
    WeakCue,
}

/// One thing the report may tell.
#[derive(Debug, Clone)]
pub struct Fact {
    /// Where it belongs.
    pub kind: Kind,
    /// What it rests on.
    pub source: Source,
    /// The words.
    pub text: String,
    /// Its content words.
    pub words: Vec<String>,
    /// Rises with time; of a text without days, with its place.
    pub order: i64,
    /// How much it tells, compared with others of its kind.
    pub weight: i32,
    /// Day and time as written.
    pub stamp: Option<String>,
    /// The version or group it stands under.
    pub group: Option<String>,
    /// Its segment, by place; none for items of the task.
    pub segment: Option<usize>,
    /// Its entry, by place; none for items of the task.
    pub entry: Option<usize>,
    /// Whether its box is neither open nor ticked.
    pub is_half: bool,
    /// Whether its box is open while the text says that it is done.
    pub is_contested: bool,
}

impl Fact {
    /// Whether two facts speak of the same work: most words of the shorter are in the longer, and
    /// neither names a number the other contradicts.
    pub fn is_same(&self, other: &Self) -> bool {
        same(&self.words, &other.words, 0.8)
    }
}

/// Whether two sets of words name the same thing.
pub fn same(one: &[String], other: &[String], least: f32) -> bool {
    if one.is_empty()
        || other.is_empty()
        || one.len().min(other.len()) == 1 && one.len() != other.len()
    {
        return false;
    }
    fold::overlap(one, other) >= least && names_agree(one, other)
}

/// Whether the numbers and code words of the text with fewer of them are in the other one.
///
/// "Commit phase 1" is not "commit phase 2", however much else they share.
pub fn names_agree(one: &[String], other: &[String]) -> bool {
    let is_name = |word: &&String| word.chars().any(|c| !c.is_alphabetic() && c != '\'');
    let (n_one, n_other) =
        (one.iter().filter(is_name).count(), other.iter().filter(is_name).count());
    let (few, many) = if n_one <= n_other { (one, other) } else { (other, one) };
    few.iter().filter(is_name).all(|name| many.contains(name))
}

/// Whether a text holds a figure; a year is none.
pub fn has_figure(text: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|word| {
        let is_year = word.len() == 4 && (word.starts_with("19") || word.starts_with("20"));
        word.starts_with(|c: char| c.is_ascii_digit()) && !is_year
    })
}

/// How much a learning tells: causes first, then decisions, figures and code words.
pub fn weigh_learned(text: &str, said: &super::cue::Said, lang: &Lang) -> i32 {
    let cues = &lang.report.cues;
    let mut weight = 0;
    if said.has(cues.root) {
        weight += 7;
    } else if said.has(cues.cause) {
        weight += 4;
    } else if said.has(cues.decided) || said.has(cues.correction) || said.is_new_rule(lang) {
        weight += 3;
    } else if said.has(cues.learned) || said.opens_with(cues.rule) {
        weight += 2;
    }
    weight += i32::from(has_figure(text));
    weight += i32::from(text.contains('`'));
    if said.has(cues.hedge) {
        weight -= 3;
    }
    if said.begins_with(cues.leaning) {
        weight -= 2;
    }
    if said.n_words() < 5 {
        weight -= 2;
    }
    weight
}
