//! From segments to facts.
//!
//! The nearest heading of a known kind decides; a cue in the sentence where none does. Quotes,
//! samples, unfinished notes and lines with secrets are no evidence.

use super::cue::{Done, Said, after_label};
use super::fact::{Fact, Kind, Source, has_figure, weigh_learned};
use super::heading::{self, Below, below};
use super::leave_out;
use super::wording::{
    after_note, first_body, is_name, is_only_link, lead_text, parenthesis, whole_or_best,
    with_code, without_parentheses, without_please, works,
};
use crate::input::Input;
use crate::lang::Lang;
use crate::read::segment::LABEL_LEVEL;
use crate::read::{self, Mark, Segment, dated, fold};

/// What the text says.
#[derive(Debug, Default)]
pub struct Findings {
    /// Everything that may be told.
    pub facts: Vec<Fact>,
    /// What earlier statements are held against.
    pub evidence: Vec<Evidence>,
    /// Sentences that sum the text up, in order.
    pub summary: Vec<String>,
    /// Whether the text is a change log.
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
    /// Rises with time.
    pub order: i64,
    /// Its segment, by place.
    pub segment: usize,
    /// Its entry, by place.
    pub entry: usize,
    /// Whether it says "done" without naming what was done.
    pub is_general: bool,
}

/// What a sentence does to earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turn {
    /// The work is finished.
    Done,
    /// The work is not needed, or the statement does not hold.
    Withdrawn,
    /// Finished work was taken back.
    Undone,
    /// What was believed does not hold.
    Corrected,
    /// What failed works.
    AllClear,
}

/// Units: positions. Entries are further apart than any two segments of one.
const ENTRY_STEP: i64 = 1_000_000;

/// Reads the segments of a task.
pub fn classify(input: &Input<'_>) -> Findings {
    let mut reader = Reader {
        lang: input.lang,
        segments: &input.segments,
        samples: samples(&input.segments, input.lang),
        backwards: backwards(&input.segments),
        found: Findings::default(),
        told_todo: Vec::new(),
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

/// The place of an entry in time.
pub fn order_of_entry(entry: usize) -> i64 {
    i64::try_from(entry).unwrap_or(i64::MAX / ENTRY_STEP) * ENTRY_STEP
}

/// Segments left over from a form: paragraphs that say so, and lists of examples.
fn samples(segments: &[Segment], lang: &Lang) -> Vec<bool> {
    let cues = &lang.report.cues;
    let mut flags = vec![false; segments.len()];
    let mut examples_follow = false;
    for (at, segment) in segments.iter().enumerate() {
        if segment.is_item() {
            flags[at] = examples_follow;
            continue;
        }
        let said = Said::new(&segment.text, lang);
        let is_prose = segment.kind == read::Kind::Sentence && segment.depth == 0;
        if is_prose && said.has(cues.sample) {
            for (other, flag) in segments.iter().zip(flags.iter_mut()) {
                *flag |= other.entry == segment.entry && other.block == segment.block;
            }
        }
        let opens_list = segment.raw.trim_end().ends_with([',', ':']) || said.n_words() <= 3;
        examples_follow = said.n_words() <= 4 && said.has(cues.example) && opens_list;
    }
    flags
}

/// Entries whose first day is younger than their last, and change logs.
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
    /// Paragraphs under a to-do heading that gave their work already.
    told_todo: Vec<(usize, usize)>,
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
            stamp: segment.stamp.shown(),
            group,
            segment: Some(at),
            entry: Some(segment.entry),
            is_half: false,
            is_contested: false,
        });
    }

    fn testify(&mut self, at: usize, turn: Turn, text: &str, all: &str) {
        let said = Said::new(text, self.lang);
        self.found.evidence.push(Evidence {
            turn,
            words: fold::content_words(all, self.lang),
            text: text.to_owned(),
            order: self.order(at),
            segment: at,
            entry: self.segments[at].entry,
            is_general: said.has(self.lang.report.cues.done_anything),
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

    fn boxed(&mut self, at: usize, mark: Mark) {
        let segment = &self.segments[at];
        let text = segment.text.clone();
        match mark {
            Mark::Ticked => {
                self.testify(at, Turn::Done, &text, &text);
                let weight = i32::from(segment.depth == 0);
                self.push(at, Kind::Done, Source::Box, &text, weight);
                self.place(at, Source::Box);
            }
            Mark::Open => self.todo_item(at, Source::Box),
            Mark::Partial => {
                self.push(at, Kind::Left, Source::Box, &text, 0);
                if let Some(fact) = self.found.facts.last_mut() {
                    fact.is_half = true;
                }
            }
        }
    }

    fn item(&mut self, at: usize, under: Below) {
        let segment = &self.segments[at];
        let is_group = segment.raw.trim_end().ends_with(':') && self.has_children(at);
        let is_detail = segment.depth > 0 && !self.parent_is_group(at);
        match under {
            Below::Todo if is_group || is_detail => {}
            Below::Todo => self.todo_item(at, Source::Heading),
            Below::Done | Below::Version => {
                if !is_detail {
                    let text = lead_text(segment, 200);
                    let text = self
                        .kind_of_change(at)
                        .map_or(text.clone(), |kind| format!("{kind}: {text}"));
                    self.testify(at, Turn::Done, &text, &segment.text);
                    self.push(at, Kind::Done, Source::Heading, &text, 2);
                }
            }
            Below::Learned => self.learned_item(at),
            Below::Open => self.question(at),
            Below::Summary | Below::Unknown => {
                if after_label(segment.body(), self.lang.report.cues.todo_labels).is_some() {
                    self.cues(at, segment.body());
                    return;
                }
                // A list of short requests is a list of work where nothing else is.
                let said = Said::new(segment.body(), self.lang);
                let is_request = segment.depth == 0
                    && segment.kind == read::Kind::Bullet
                    && segment.headings.iter().all(|(level, _)| *level == 1)
                    && said.n_words() <= 10
                    && said.is_request(self.lang)
                    && under == Below::Unknown
                    && !self.found.is_change_log;
                if is_request {
                    self.todo_item(at, Source::WeakCue);
                    return;
                }
                for n in 0..segment.sentences.len() {
                    let text =
                        if n == 0 { first_body(segment) } else { &segment.sentences[n].text };
                    self.cues(at, text);
                }
            }
        }
    }

    /// "Fixed", below a version: without it a line that names a failure reads as one.
    fn kind_of_change(&self, at: usize) -> Option<&str> {
        let headings = &self.segments[at].headings;
        let version = headings.iter().position(|(_, text)| heading::is_version(text))?;
        let (_, last) = headings.last().filter(|_| version + 1 < headings.len())?;
        (heading::kind(last, self.lang) == Some(Below::Done)).then_some(last.as_str())
    }

    fn has_children(&self, at: usize) -> bool {
        let segment = &self.segments[at];
        segment.sentences.len() < 2
            && self
                .segments
                .get(at + 1)
                .is_some_and(|next| next.is_item() && next.depth > segment.depth)
    }

    fn parent_is_group(&self, at: usize) -> bool {
        let depth = self.segments[at].depth;
        self.segments[..at]
            .iter()
            .rev()
            .take_while(|above| above.entry == self.segments[at].entry)
            .find(|above| above.is_item() && above.depth < depth)
            .is_some_and(|parent| parent.raw.trim_end().ends_with(':'))
    }

    /// Work that a list names: what its own remarks say about it comes first.
    fn todo_item(&mut self, at: usize, source: Source) {
        let segment = &self.segments[at];
        let cues = &self.lang.report.cues;
        let all = segment.text.clone();
        for piece in segment.sentences.iter().skip(1) {
            let said = Said::new(&piece.text, self.lang);
            if said.has(cues.withdrawn) && !said.asks() {
                self.testify(at, Turn::Withdrawn, &piece.text, &all);
                let weight = 5 + weigh_learned(&piece.text, &said, self.lang);
                self.push(at, Kind::Learned, Source::Cue, &piece.text, weight);
                return;
            }
            if said.done(self.lang).is_some()
                && said.begins_with(cues.done_anything)
                && said.n_words() <= 8
            {
                let remark = piece.text.trim_end_matches('.');
                let text = format!(
                    "{} ({remark})",
                    segment.sentences[0].text.trim_end_matches(['.', ':'])
                );
                self.testify(at, Turn::Done, &text, &all);
                self.push(at, Kind::Done, Source::Remark, &text, 2);
                return;
            }
        }
        let first = first_body(segment);
        let tail = first.rsplit([':', ',', ';', '-', '–', '—', '(']).next().unwrap_or_default();
        let ends_done =
            cues.done_anything.contains(&fold::fold(tail).trim_matches(['.', ')', ' ', '!']));
        let said = Said::new(&without_parentheses(first), self.lang);
        let is_state = said.done(self.lang) == Some(Done::State) && !said.is_request(self.lang);
        if ends_done && tail.len() < first.len() || source == Source::Heading && is_state {
            self.testify(at, Turn::Done, first, &all);
            let bare = first[..first.len() - tail.len()]
                .trim_end_matches([' ', ':', ',', ';', '-', '–', '—', '(']);
            let text = if ends_done && !bare.is_empty() { bare } else { first };
            self.push(at, Kind::Done, Source::Remark, text, 2);
            return;
        }
        let mut left = lead_text(segment, 60);
        while let Some((before, inner, after)) = parenthesis(&left) {
            let said = Said::new(inner, self.lang);
            if said.done(self.lang).is_none() || said.n_words() < 2 {
                break;
            }
            // "(done, they did)" speaks of the whole item.
            if said.begins_with(cues.done_anything) && after.trim_matches(['.', ' ']).is_empty() {
                let text = before.to_owned();
                self.testify(at, Turn::Done, &text, &all);
                self.push(at, Kind::Done, Source::Remark, &text, 2);
                return;
            }
            self.push(at, Kind::Done, Source::Remark, inner, 3);
            left = format!("{}{after}", before.trim_end());
        }
        if said.is_unfinished() {
            return;
        }
        let waits = segment.sentences.iter().skip(1).find(|piece| {
            Said::new(&piece.text, self.lang).has(cues.blocked) && !left.contains(&piece.text)
        });
        if let Some(waits) = waits {
            left = format!("{left} {}", waits.text);
        }
        self.push(at, Kind::Left, source, &left, 0);
        self.place(at, source);
    }

    /// Says of the last fact what its own words leave out: whose it is, or what it is part of.
    fn place(&mut self, at: usize, source: Source) {
        let segment = &self.segments[at];
        let Some(fact) = self.found.facts.last_mut() else { return };
        if fact.segment != Some(at) {
            return;
        }
        let is_short = fact.text.split_whitespace().count() <= 2;
        if source == Source::Box && is_short && segment.depth > 0 {
            let above = self.segments[..at].iter().rev().find(|above| {
                above.entry == segment.entry && above.is_item() && above.depth < segment.depth
            });
            if let Some(above) = above.filter(|above| above.text.chars().count() <= 60) {
                let group = above.text.trim_end_matches(['.', ':']);
                fact.text = format!("{group}: {}", fact.text);
            }
        } else if source == Source::Heading
            && let Some((LABEL_LEVEL, name)) = segment.headings.last()
            && is_name(name)
        {
            fact.text = format!("{} ({name})", fact.text.trim_end_matches('.'));
        }
    }

    fn learned_item(&mut self, at: usize) {
        let segment = &self.segments[at];
        let text = whole_or_best(segment, self.lang);
        let said = Said::new(&text, self.lang);
        let asks_only = said.asks() && segment.sentences.len() == 1;
        if said.is_unfinished() {
            return;
        }
        let kind = if asks_only { Kind::Open } else { Kind::Learned };
        // What a group explains is explained by its parts.
        let depth = if self.parent_is_group(at) { -2 } else { segment.depth.min(3).cast_signed() };
        // Items stand alone: "it" in front of one leans on nothing.
        let leans = 2 * i32::from(said.begins_with(self.lang.report.cues.leaning));
        let weight =
            3 + leans + self.below_cause(at) + weigh_learned(&text, &said, self.lang) - depth;
        self.push(at, kind, Source::Heading, &text, weight);
        self.turns(at, &segment.text, &said);
    }

    /// What stands below "Root cause" matters more than what stands below "Impact".
    fn below_cause(&self, at: usize) -> i32 {
        let cues = &self.lang.report.cues;
        let heading = self.segments[at].headings.last();
        let names_cause = heading.is_some_and(|(_, text)| {
            let said = Said::new(text, self.lang);
            said.has(cues.root) || said.begins_with(cues.cause)
        });
        3 * i32::from(names_cause)
    }

    fn question(&mut self, at: usize) {
        let text = lead_text(&self.segments[at], 120);
        self.push(at, Kind::Open, Source::Heading, &text, 2);
    }

    /// A row is named by its first cell and judged by the others.
    fn row(&mut self, at: usize, under: Below) {
        let cues = &self.lang.report.cues;
        let segment = &self.segments[at];
        let cells: Vec<&str> = segment.text.split(" | ").collect();
        let words = cells
            .iter()
            .filter(|cell| cell.chars().filter(|c| c.is_alphabetic()).count() > 3)
            .copied()
            .collect::<Vec<_>>();
        let says = |table: &[&str]| {
            cells.iter().skip(1).any(|cell| table.contains(&fold::fold(cell).trim_end_matches('.')))
        };
        let named = words.iter().find(|word| {
            let folded = fold::fold(word);
            !cues.cell_done.contains(&folded.as_str()) && !cues.cell_open.contains(&folded.as_str())
        });
        let Some(name) = named.map(|name| (*name).to_owned()) else {
            return;
        };
        let text = words.join(" – ");
        // "Kitchen" alone says little; the column that is ticked off says what of it.
        let judged = cells.iter().skip(1).position(|cell| {
            let folded = fold::fold(cell);
            let cell = folded.trim_end_matches('.');
            cues.cell_open.contains(&cell) || cues.cell_done.contains(&cell)
        });
        let others = cells.iter().filter(|cell| {
            let folded = fold::fold(cell);
            let word = folded.trim_end_matches('.');
            let is_state = cues.cell_done.contains(&word) || cues.cell_open.contains(&word);
            !is_state && **cell != name && cell.chars().count() <= 40
        });
        let name = std::iter::once(name.as_str())
            .chain(others.copied().take(2))
            .collect::<Vec<_>>()
            .join(" – ");
        let column = judged.and_then(|n| segment.columns.get(n + 1));
        let name =
            match column.filter(|title| !cues.column_state.contains(&fold::fold(title).as_str())) {
                Some(title) if cells.len() == segment.columns.len() => format!("{name} – {title}"),
                _ => name,
            };
        if says(cues.cell_open) {
            self.push(at, Kind::Left, Source::Heading, &name, 0);
        } else if says(cues.cell_done) {
            self.testify(at, Turn::Done, &name, &text);
            self.push(at, Kind::Done, Source::Heading, &name, 2);
        } else {
            match under {
                Below::Todo => self.push(at, Kind::Left, Source::Heading, &text, 0),
                Below::Done | Below::Version => {
                    self.push(at, Kind::Done, Source::Heading, &text, 1)
                }
                Below::Learned => self.push(at, Kind::Learned, Source::Heading, &text, 2),
                Below::Open => self.push(at, Kind::Open, Source::Heading, &text, 1),
                // Without a heading or a state a row is a list of words.
                Below::Summary | Below::Unknown => {}
            }
        }
    }

    fn sentence(&mut self, at: usize, under: Below) {
        let segment = &self.segments[at];
        let text = segment.body().to_owned();
        let said = Said::new(&text, self.lang);
        let cues = &self.lang.report.cues;
        if said.is_unfinished() {
            return;
        }
        match under {
            Below::Todo if segment.depth == 0 => {
                let block = (segment.entry, segment.block);
                let is_work = said.asks() || said.is_request(self.lang) || said.has(cues.todo);
                if is_work && !self.told_todo.contains(&block) {
                    self.told_todo.push(block);
                    self.push(at, Kind::Left, Source::Heading, &text, 0);
                } else if !is_work {
                    self.cues(at, &text);
                }
            }
            Below::Todo => {}
            // The words above the versions of a change log speak of the file.
            Below::Done if self.found.is_change_log && segment.headings.len() < 2 => {}
            Below::Version | Below::Done if segment.depth == 0 => {
                if said.done(self.lang).is_some() && !said.moves_day(&text, self.lang) {
                    self.testify(at, Turn::Done, &text, &text);
                    self.push(at, Kind::Done, Source::Heading, &text, 1);
                } else {
                    self.cues(at, &text);
                }
            }
            Below::Version | Below::Done => {}
            Below::Learned => {
                let weight = 3 + self.below_cause(at) + weigh_learned(&text, &said, self.lang);
                let kind = if said.asks() { Kind::Open } else { Kind::Learned };
                self.push(at, kind, Source::Heading, &text, weight);
                self.turns(at, &text, &said);
            }
            Below::Open if said.asks() || said.has(cues.question) => {
                self.push(at, Kind::Open, Source::Heading, &text, 2);
            }
            Below::Open => self.cues(at, &text),
            Below::Summary => {
                self.found.summary.push(text.clone());
                let told = said.has(cues.learned) || said.has(cues.decided);
                if (told || self.is_figure(&text, &said)) && !said.asks() {
                    let weight = 2 + weigh_learned(&text, &said, self.lang);
                    self.push(at, Kind::Learned, Source::Cue, &text, weight);
                } else {
                    self.cues(at, &text);
                }
            }
            Below::Unknown => self.cues(at, &with_code(segment, self.segments.get(at + 1))),
        }
    }

    /// What a sentence says by itself.
    fn cues(&mut self, at: usize, text: &str) {
        let cues = &self.lang.report.cues;
        let text = after_note(text, self.lang);
        let said = Said::new(text, self.lang);
        if said.is_unfinished() || said.n_words() < 2 {
            return;
        }
        if let Some((work, owner)) = after_label(text, cues.todo_labels) {
            for work in works(work, owner) {
                self.push(at, Kind::Left, Source::Cue, &work, 2);
            }
            return;
        }
        if after_label(text, cues.blocked_labels).is_some() {
            self.push(at, Kind::Left, Source::Cue, text, 3);
            return;
        }
        if said.moves_day(text, self.lang) && !said.asks() {
            let weight = 1 + weigh_learned(text, &said, self.lang);
            self.push(at, Kind::Learned, Source::Cue, text, weight);
            return;
        }
        self.turns(at, text, &said);
        let turns_against = said.begins_with(cues.against);
        let done = self.done(at, &said).filter(|_| !said.explains(self.lang));
        if let Some(done) = done.filter(|_| !turns_against) {
            let figures = i32::from(has_figure(text));
            let firm = if done == Done::State { 3 } else { 1 };
            self.push(at, Kind::Done, Source::Cue, text, firm + figures);
        } else if said.asks() {
            if self.is_fresh(at) && said.n_words() > 3 {
                self.push(at, Kind::Open, Source::Cue, text, 0);
            }
        } else if said.has(cues.blocked) || self.is_work(&said, text) || self.goes_on(at, &said) {
            self.push(at, Kind::Left, Source::Cue, without_please(text, self.lang), 1);
        } else if said.has(cues.question) && said.n_words() <= 12 && self.is_fresh(at) {
            self.push(at, Kind::Open, Source::Cue, text, 0);
        } else if said.has(cues.learned)
            || said.has(cues.decided)
            || said.opens_with(cues.rule)
            || said.has(cues.correction)
            || said.is_new_rule(self.lang)
            || turns_against && done.is_some()
        {
            let weight = weigh_learned(text, &said, self.lang);
            self.push(at, Kind::Learned, Source::Cue, text, weight);
        } else if self.is_weak_work(&said, text) {
            self.push(at, Kind::Left, Source::WeakCue, text, 0);
        }
    }

    /// Whether a sentence says that something is still to be done, and not only in some case.
    fn is_work(&self, said: &Said, text: &str) -> bool {
        let cues = &self.lang.report.cues;
        let asks = said.begins_with(cues.please) && said.is_request(self.lang);
        (said.has(cues.todo) || asks)
            && !said.begins_with(cues.provisos)
            && self.names_something(text)
    }

    /// "I need to learn it" names nothing.
    fn names_something(&self, text: &str) -> bool {
        fold::content_words(text, self.lang).len() >= 2
    }

    /// Whether a request follows a label of work in the same line: "Next: rye. Buy flour."
    fn goes_on(&self, at: usize, said: &Said) -> bool {
        let segment = &self.segments[at];
        let is_labelled = self.segments[..at]
            .iter()
            .rev()
            .take_while(|above| (above.entry, above.block) == (segment.entry, segment.block))
            .last()
            .is_some_and(|first| {
                after_label(first.body(), self.lang.report.cues.todo_labels).is_some()
            });
        is_labelled && said.is_request(self.lang)
    }

    /// The same, by words that count only where nothing lists the work.
    fn is_weak_work(&self, said: &Said, text: &str) -> bool {
        let cues = &self.lang.report.cues;
        let waits = said.has(cues.yet) && said.has(cues.not);
        let wants = said.has(cues.todo_weak) && !said.has(cues.negation);
        (waits || wants) && !said.begins_with(cues.provisos) && self.names_something(text)
    }

    /// Whether a summary gives a figure of what happened, not of what somebody wants.
    fn is_figure(&self, text: &str, said: &Said) -> bool {
        let cues = &self.lang.report.cues;
        // "Guests could not book for an hour" is no wish.
        let tells = said.n_words() > 3;
        tells && has_figure(text) && (!said.has(cues.conditional) || said.has(cues.negation))
    }

    /// Whether a sentence says that work is finished, in its place: "pods are deleted" does so
    /// in a log.
    fn done(&self, at: usize, said: &Said) -> Option<Done> {
        let is_log = self.segments[at].stamp != dated::Stamp::default();
        said.done(self.lang).filter(|done| is_log || *done > Done::Process)
    }

    /// What a sentence does to earlier ones.
    fn turns(&mut self, at: usize, text: &str, said: &Said) {
        let cues = &self.lang.report.cues;
        if said.asks() {
            return;
        }
        if self.done(at, said).is_some() {
            self.testify(at, Turn::Done, text, text);
        }
        if said.has(cues.withdrawn) {
            self.testify(at, Turn::Withdrawn, text, text);
        }
        if said.has(cues.correction) {
            self.testify(at, Turn::Corrected, text, text);
        }
        if said.has(cues.undone) {
            self.testify(at, Turn::Undone, text, text);
        }
        if said.has(cues.all_clear) && !said.has(cues.negation) {
            self.testify(at, Turn::AllClear, text, text);
        }
    }

    /// A question in a log was asked then; it still stands only in the last entry, undated.
    fn is_fresh(&self, at: usize) -> bool {
        let segment = &self.segments[at];
        let last = self.segments.last().map(|last| last.entry);
        segment.on.is_none() && segment.stamp.time.is_none() && last == Some(segment.entry)
    }
}
