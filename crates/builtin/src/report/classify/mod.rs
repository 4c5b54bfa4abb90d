//! From segments to facts.
//!
//! The nearest heading of a known kind decides; without one, a cue in the sentence does. Quotes,
//! examples, unfinished notes and lines with secrets are not evidence.
//!
//! Reading order: this file, `item`, `sentence`.

mod item;
mod sentence;

use super::cue::CueText;
use super::fact::{Fact, Kind, Source};
use super::heading::{self, Below, below};
use super::leave_out;
use super::wording::{after_note, is_only_link};
use crate::input::Input;
use crate::lang::Lang;
use crate::read::{self, Segment, dated, fold};

/// What was found in the text.
#[derive(Debug, Default)]
pub struct Findings {
    /// Everything that may be reported.
    pub facts: Vec<Fact>,
    /// Sentences that may overtake earlier ones.
    pub evidence: Vec<Evidence>,
    /// Sentences that summarize the text, in order.
    pub summary: Vec<String>,
    /// Whether the text is a changelog.
    pub is_change_log: bool,
    /// Headings that name a version, in order.
    pub versions: Vec<String>,
}

/// A sentence that may overtake an earlier one.
#[derive(Debug, Clone)]
pub struct Evidence {
    /// What it does to earlier ones.
    pub turn: Turn,
    /// Its content words.
    pub words: Vec<String>,
    /// The words as written.
    pub text: String,
    /// Increases with time.
    pub order: i64,
    /// Index of its segment.
    pub segment: usize,
    /// Index of its entry.
    pub entry: usize,
    /// Whether it says "done" without naming the work.
    pub is_general: bool,
}

/// How a sentence affects earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// The work is finished.
    Done,
    /// The work is not needed, or the earlier statement does not hold.
    Withdrawn,
    /// Finished work was undone.
    Undone,
    /// Something that was believed turned out to be wrong.
    Corrected,
    /// What had failed works again.
    AllClear,
}

/// Units: positions. Entries are further apart than any two segments of one entry.
const ENTRY_STEP: i64 = 1_000_000;

/// Classifies the segments of a task.
pub fn classify(input: &Input<'_>) -> Findings {
    let mut reader = Reader {
        lang: input.lang,
        segments: &input.segments,
        samples: samples(&input.segments, input.lang),
        backwards: backwards(&input.segments),
        found: Findings::default(),
        listed_todo: Vec::new(),
    };
    reader.found.versions = input
        .segments
        .iter()
        .filter(|s| matches!(s.kind, read::Kind::Heading { .. }) && heading::is_version(&s.text))
        .map(|s| s.text.clone())
        .collect();
    reader.found.is_change_log = reader.found.versions.len() >= 2;
    for at in 0..input.segments.len() {
        reader.segment(at);
    }
    reader.found
}

/// Returns the position of an entry in time.
pub fn order_of_entry(entry: usize) -> i64 {
    i64::try_from(entry).unwrap_or(i64::MAX / ENTRY_STEP) * ENTRY_STEP
}

/// Returns which segments belong to a template: paragraphs that say so, and lists of examples.
fn samples(segments: &[Segment], lang: &Lang) -> Vec<bool> {
    let cues = &lang.report.cues;
    let mut flags = vec![false; segments.len()];
    let mut examples_follow = false;
    for (at, segment) in segments.iter().enumerate() {
        if segment.is_item() {
            flags[at] = examples_follow;
            continue;
        }
        let cue_text = CueText::new(&segment.text, lang);
        let is_prose = segment.kind == read::Kind::Sentence && segment.depth == 0;
        if is_prose && cue_text.has(cues.sample) {
            for (other, flag) in segments.iter().zip(flags.iter_mut()) {
                *flag |= other.entry == segment.entry && other.block == segment.block;
            }
        }
        let opens_list = segment.raw.trim_end().ends_with([',', ':']) || cue_text.n_words() <= 3;
        examples_follow = cue_text.n_words() <= 4 && cue_text.has(cues.example) && opens_list;
    }
    flags
}

/// Returns the entries whose first day is later than their last, and changelogs.
fn backwards(segments: &[Segment]) -> Vec<usize> {
    let mut found = Vec::new();
    let Some(last) = segments.last() else {
        return found;
    };
    for entry in 0..=last.entry {
        let of_entry = || segments.iter().filter(move |segment| segment.entry == entry);
        let mut days = of_entry().filter_map(|segment| segment.on);
        let first = days.next();
        let last = days.next_back();
        let n_versions = of_entry()
            .filter(|s| {
                matches!(s.kind, read::Kind::Heading { .. }) && heading::is_version(&s.text)
            })
            .count();
        let by_day = first.zip(last).map(|(first, last)| first.cmp(&last));
        match by_day {
            Some(std::cmp::Ordering::Greater) => found.push(entry),
            Some(std::cmp::Ordering::Less) => {}
            _ if n_versions >= 2 => found.push(entry),
            _ => {}
        }
    }
    found
}

struct Reader<'a> {
    lang: &'static Lang,
    segments: &'a [Segment],
    samples: Vec<bool>,
    backwards: Vec<usize>,
    found: Findings,
    /// Paragraphs under a to-do heading whose work has already been found.
    listed_todo: Vec<(usize, usize)>,
}

impl Reader<'_> {
    fn segment(&mut self, at: usize) {
        let segment = &self.segments[at];
        let nothing = self.lang.report.cues.nothing;
        if segment.quoted
            || self.samples[at]
            || leave_out::holds_secret(&segment.raw)
            || nothing.contains(&fold::fold(&segment.text).trim_end_matches('.'))
            || is_only_link(segment)
            || !segment.text.chars().any(char::is_alphanumeric)
        {
            return;
        }
        let under = below(&segment.headings, self.lang);
        match segment.kind {
            read::Kind::Heading { .. } => self.dated_heading(at, under),
            read::Kind::Box { mark } => self.boxed(at, mark),
            read::Kind::Bullet | read::Kind::Numbered => self.item(at, under),
            read::Kind::Row => self.row(at, under),
            read::Kind::Sentence => self.sentence(at, under),
        }
    }

    fn order(&self, at: usize) -> i64 {
        let segment = &self.segments[at];
        let place = i64::try_from(at).unwrap_or(ENTRY_STEP).min(ENTRY_STEP / 2);
        let within = if self.backwards.contains(&segment.entry) { -place } else { place };
        order_of_entry(segment.entry) + within
    }

    fn push(&mut self, at: usize, kind: Kind, source: Source, text: &str, weight: i32) {
        let segment = &self.segments[at];
        let text = after_note(text.trim(), self.lang).to_owned();
        if !text.chars().any(char::is_alphabetic) {
            return;
        }
        let version = segment.headings.iter().rev().find(|(_, h)| heading::is_version(h));
        let group = version.or(segment.headings.last()).map(|(_, text)| text.clone());
        self.found.facts.push(Fact {
            kind,
            source,
            words: fold::content_words(&text, self.lang),
            text,
            order: self.order(at),
            weight,
            stamp: segment.stamp.rendered(),
            group,
            segment: Some(at),
            entry: Some(segment.entry),
            is_half: false,
            is_contested: false,
        });
    }

    fn testify(&mut self, at: usize, turn: Turn, text: &str, all: &str) {
        let cue_text = CueText::new(text, self.lang);
        self.found.evidence.push(Evidence {
            turn,
            words: fold::content_words(all, self.lang),
            text: text.to_owned(),
            order: self.order(at),
            segment: at,
            entry: self.segments[at].entry,
            is_general: cue_text.has(self.lang.report.cues.done_anything),
        });
    }

    /// "07:42 - Launches are back to normal"
    fn dated_heading(&mut self, at: usize, under: Below) {
        let segment = &self.segments[at];
        let text = &segment.text;
        let Some((_, lead)) = dated::opening(text, segment.on, segment.on.unwrap_or_default())
        else {
            return;
        };
        let body = text[lead..].trim();
        if under == Below::Unknown && heading::kind(body, self.lang).is_none() {
            self.cues(at, body);
        }
    }
}
