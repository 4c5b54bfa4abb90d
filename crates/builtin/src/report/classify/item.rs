//! Boxes, list items and table rows: what a list says by its position and its remarks.

use super::super::cue::{CueText, Done, after_label};
use super::super::fact::{Kind, Source, weigh_learned};
use super::super::heading::{self, Below};
use super::super::wording::{
    first_body, is_name, lead_text, parenthesis, whole_or_best, without_parentheses,
};
use super::{Reader, Turn};
use crate::read::line::LABEL_LEVEL;
use crate::read::{self, Mark, fold};

impl Reader<'_> {
    pub(super) fn boxed(&mut self, at: usize, mark: Mark) {
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

    pub(super) fn item(&mut self, at: usize, under: Below) {
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
                // A list of short requests is a list of work if nothing else is.
                let cue_text = CueText::new(segment.body(), self.lang);
                let is_request = segment.depth == 0
                    && segment.kind == read::Kind::Bullet
                    && segment.headings.iter().all(|(level, _)| *level == 1)
                    && cue_text.n_words() <= 10
                    && cue_text.is_request(self.lang)
                    && !cue_text.asks()
                    && !self.has_children(at)
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

    /// Returns the kind of change, such as "Fixed", under a version: without it, a line that names
    /// a failure reads like a failure.
    pub(super) fn kind_of_change(&self, at: usize) -> Option<&str> {
        let headings = &self.segments[at].headings;
        let version = headings.iter().position(|(_, text)| heading::is_version(text))?;
        let (_, last) = headings.last().filter(|_| version + 1 < headings.len())?;
        (heading::kind(last, self.lang) == Some(Below::Done)).then_some(last.as_str())
    }

    pub(super) fn has_children(&self, at: usize) -> bool {
        let segment = &self.segments[at];
        segment.sentences.len() < 2
            && self
                .segments
                .get(at + 1)
                .is_some_and(|next| next.is_item() && next.depth > segment.depth)
    }

    pub(super) fn parent_is_group(&self, at: usize) -> bool {
        let depth = self.segments[at].depth;
        self.segments[..at]
            .iter()
            .rev()
            .take_while(|above| above.entry == self.segments[at].entry)
            .find(|above| above.is_item() && above.depth < depth)
            .is_some_and(|parent| parent.raw.trim_end().ends_with(':'))
    }

    /// Classifies work that a list names; remarks in the item itself take precedence.
    pub(super) fn todo_item(&mut self, at: usize, source: Source) {
        let segment = &self.segments[at];
        let cues = &self.lang.report.cues;
        let all = segment.text.clone();
        for piece in segment.sentences.iter().skip(1) {
            let cue_text = CueText::new(&piece.text, self.lang);
            if cue_text.has(cues.withdrawn) && !cue_text.asks() {
                self.testify(at, Turn::Withdrawn, &piece.text, &all);
                let weight = 5 + weigh_learned(&piece.text, &cue_text, self.lang);
                self.push(at, Kind::Learned, Source::Cue, &piece.text, weight);
                return;
            }
            if cue_text.done(self.lang).is_some()
                && cue_text.begins_with(cues.done_anything)
                && cue_text.n_words() <= 8
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
        let cue_text = CueText::new(&without_parentheses(first), self.lang);
        let is_state =
            cue_text.done(self.lang) == Some(Done::State) && !cue_text.is_request(self.lang);
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
            let cue_text = CueText::new(inner, self.lang);
            if cue_text.done(self.lang).is_none() || cue_text.n_words() < 2 {
                break;
            }
            // "(done, they did)" is about the whole item.
            if cue_text.begins_with(cues.done_anything) && after.trim_matches(['.', ' ']).is_empty()
            {
                let text = before.to_owned();
                self.testify(at, Turn::Done, &text, &all);
                self.push(at, Kind::Done, Source::Remark, &text, 2);
                return;
            }
            self.push(at, Kind::Done, Source::Remark, inner, 3);
            left = format!("{}{after}", before.trim_end());
        }
        if cue_text.is_unfinished() {
            return;
        }
        let waits = segment.sentences.iter().skip(1).find(|piece| {
            CueText::new(&piece.text, self.lang).has(cues.blocked) && !left.contains(&piece.text)
        });
        if let Some(waits) = waits {
            left = format!("{left} {}", waits.text);
        }
        self.push(at, Kind::Left, source, &left, 0);
        self.place(at, source);
    }

    /// Adds to the last fact what its own words omit: its owner, or what it is part of.
    pub(super) fn place(&mut self, at: usize, source: Source) {
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

    pub(super) fn learned_item(&mut self, at: usize) {
        let segment = &self.segments[at];
        let text = whole_or_best(segment, self.lang);
        let cue_text = CueText::new(&text, self.lang);
        let asks_only = cue_text.asks() && segment.sentences.len() == 1;
        if cue_text.is_unfinished() {
            return;
        }
        let kind = if asks_only { Kind::Open } else { Kind::Learned };
        // The parts of a group explain what the group explains.
        let depth = if self.parent_is_group(at) { -2 } else { segment.depth.min(3).cast_signed() };
        // Items are read alone, so a leading "it" is not held against them.
        let leans = 2 * i32::from(cue_text.begins_with(self.lang.report.cues.leaning));
        let weight =
            3 + leans + self.below_cause(at) + weigh_learned(&text, &cue_text, self.lang) - depth;
        self.push(at, kind, Source::Heading, &text, weight);
        self.turns(at, &segment.text, &cue_text);
    }

    /// Weighs a line by its heading: one under "Root cause" matters more than one under "Impact".
    pub(super) fn below_cause(&self, at: usize) -> i32 {
        let cues = &self.lang.report.cues;
        let heading = self.segments[at].headings.last();
        let names_cause = heading.is_some_and(|(_, text)| {
            let cue_text = CueText::new(text, self.lang);
            cue_text.has(cues.root) || cue_text.begins_with(cues.cause)
        });
        3 * i32::from(names_cause)
    }

    pub(super) fn question(&mut self, at: usize) {
        let text = lead_text(&self.segments[at], 120);
        self.push(at, Kind::Open, Source::Heading, &text, 2);
    }

    /// Classifies a row: the first cell names it, the others give its state.
    pub(super) fn row(&mut self, at: usize, under: Below) {
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
        // "Kitchen" alone says little; the ticked-off column says what about it is done.
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
                // Without a heading or a state, a row is just a list of words.
                Below::Summary | Below::Unknown => {}
            }
        }
    }
}
