//! Sentences: what they say by themselves, and by the heading above.

use super::super::cue::{CueText, Done, after_label};
use super::super::fact::{Kind, Source, has_figure, weigh_learned};
use super::super::heading::Below;
use super::super::wording::{after_note, is_speech, with_code, without_please, works};
use super::{Reader, Turn};
use crate::lang::Lang;
use crate::propose::item::obligation;
use crate::propose::todo;
use crate::propose::words::tokens;
use crate::read::{dated, fold};

/// "Delphine to ring the tuner", "Posters: Owen to bring a design": returns whether a sentence gives
/// somebody work, as minutes do.
fn assigns(text: &str, lang: &Lang) -> bool {
    let rest = text.split_once(": ").map_or(text, |(_, rest)| rest);
    let words: Vec<&str> = rest.split_whitespace().collect();
    let to = words.iter().take(5).position(|word| *word == "to");
    let is_name =
        |word: &&str| word.starts_with(char::is_uppercase) || matches!(*word, "and" | "&" | "/");
    to.is_some_and(|to| {
        to > 0
            && words.len() <= 18
            && words[..to].iter().all(is_name)
            && words.get(to + 1).is_some_and(|verb| {
                lang.report.cues.todo_verbs.contains(verb) || lang.settle.contacts.contains(verb)
            })
    })
}

/// "The handrail must be black": returns whether a sentence says how something has to be, and not that
/// somebody has to make it so.
fn requires_quality(text: &str, lang: &Lang) -> bool {
    let cues = &lang.report.cues;
    let folded = fold::fold(text);
    let words: Vec<&str> = fold::words(&folded).collect();
    let after = |phrase: &&str| {
        let parts: Vec<&str> = phrase.split(' ').collect();
        words.windows(parts.len() + 1).find(|w| w.starts_with(&parts)).map(|w| w[parts.len()])
    };
    let next = cues.must_be.iter().find_map(after);
    next.is_some_and(|next| {
        let is_past = next.ends_with("ed")
            || lang.propose.tick.irregular.iter().any(|(_, pasts)| pasts.contains(&next))
            || lang.propose.tick.unchanging.contains(&next);
        !is_past && !cues.be_done.contains(&next)
    })
}

/// "Need 2 rolls of felt", "so pallets, need 4": returns whether a clause says what the writer needs.
fn needs(text: &str, lang: &Lang) -> bool {
    let folded = fold::fold(text);
    let wants = folded.split([',', ';', '-', '>', '.']).any(|clause| {
        let mut words = clause.split_whitespace().skip_while(|word| {
            lang.settle.selves.contains(word) || lang.propose.before_obligations.contains(word)
        });
        let opens = words.next().is_some_and(|word| lang.report.cues.needs.contains(&word));
        let next = words.next();
        // "Need to" asks for work, which other cues read.
        opens && next.is_some_and(|word| word != "to" && word != "not" && word != "no")
    });
    wants && !text.contains('?') && fold::content_words(text, lang).len() >= 2
}

impl Reader<'_> {
    pub(super) fn sentence(&mut self, at: usize, under: Below) {
        let segment = &self.segments[at];
        let text = segment.body().to_owned();
        let cue_text = CueText::new(&text, self.lang);
        let cues = &self.lang.report.cues;
        if cue_text.is_unfinished() {
            return;
        }
        match under {
            Below::Todo if segment.depth == 0 => {
                let block = (segment.entry, segment.block);
                let is_work =
                    cue_text.asks() || cue_text.is_request(self.lang) || cue_text.has(cues.todo);
                if is_work && !self.listed_todo.contains(&block) {
                    self.listed_todo.push(block);
                    self.push(at, Kind::Left, Source::Heading, &text, 0);
                } else if !is_work {
                    self.cues(at, &text);
                }
            }
            Below::Todo => {}
            // Words above the versions of a changelog are about the file.
            Below::Done if self.found.is_change_log && segment.headings.len() < 2 => {}
            Below::Version | Below::Done if segment.depth == 0 => {
                if cue_text.done(self.lang).is_some() && !cue_text.moves_day(&text, self.lang) {
                    self.testify(at, Turn::Done, &text, &text);
                    self.push(at, Kind::Done, Source::Heading, &text, 1);
                } else {
                    self.cues(at, &text);
                }
            }
            Below::Version | Below::Done => {}
            Below::Learned => {
                let weight = 3 + self.below_cause(at) + weigh_learned(&text, &cue_text, self.lang);
                let kind = if cue_text.asks() { Kind::Open } else { Kind::Learned };
                self.push(at, kind, Source::Heading, &text, weight);
                self.turns(at, &text, &cue_text);
            }
            Below::Open if cue_text.asks() || cue_text.has(cues.question) => {
                self.push(at, Kind::Open, Source::Heading, &text, 2);
            }
            Below::Open => self.cues(at, &text),
            Below::Summary => {
                self.found.summary.push(text.clone());
                let is_finding = cue_text.has(cues.learned) || cue_text.has(cues.decided);
                if (is_finding || self.is_figure(&text, &cue_text)) && !cue_text.asks() {
                    let weight = 2 + weigh_learned(&text, &cue_text, self.lang);
                    self.push(at, Kind::Learned, Source::Cue, &text, weight);
                } else {
                    self.cues(at, &text);
                }
            }
            Below::Unknown => self.cues(at, &with_code(segment, self.segments.get(at + 1))),
        }
    }

    /// Classifies a sentence by its own words.
    pub(super) fn cues(&mut self, at: usize, text: &str) {
        let cues = &self.lang.report.cues;
        let text = after_note(text, self.lang);
        let cue_text = CueText::new(text, self.lang);
        if cue_text.is_unfinished() || cue_text.n_words() < 2 || is_speech(text) {
            return;
        }
        if let Some((work, owner)) = after_label(text, cues.todo_labels) {
            for work in works(work, owner, self.lang) {
                // "Open: remote or on site?" asks, and only until somebody writes again.
                if work.trim_end().ends_with('?') {
                    if self.is_fresh(at) {
                        self.push(at, Kind::Open, Source::Cue, &work, 2);
                    }
                    continue;
                }
                self.push(at, Kind::Left, Source::Cue, &work, 2);
            }
            return;
        }
        // "They want the IBAN, TODO: find the contract": the mark names the work, the rest is news.
        if let Some((before, marked)) =
            todo::in_text(text, &self.segments[at].raw, self.lang.propose)
            && !before.is_empty()
        {
            let before = before.to_owned();
            for work in marked.iter().flat_map(|work| works(work, None, self.lang)) {
                let work = work.trim_end_matches(['.', ' ']).to_owned();
                self.push(at, Kind::Left, Source::Cue, &work, 2);
            }
            self.cues(at, &before);
            return;
        }
        if after_label(text, cues.blocked_labels).is_some() {
            self.push(at, Kind::Left, Source::Cue, text, 3);
            return;
        }
        if cue_text.moves_day(text, self.lang) && !cue_text.asks() {
            let weight = 1 + weigh_learned(text, &cue_text, self.lang);
            self.push(at, Kind::Learned, Source::Cue, text, weight);
            return;
        }
        self.turns(at, text, &cue_text);
        let turns_against = cue_text.begins_with(cues.against);
        let done = self.done(at, &cue_text).filter(|_| !cue_text.explains(self.lang));
        if let Some(done) = done.filter(|_| !turns_against) {
            let figures = i32::from(has_figure(text));
            let firm = if done == Done::State { 3 } else { 1 };
            self.push(at, Kind::Done, Source::Cue, text, firm + figures);
        } else if cue_text.asks() {
            if self.is_fresh(at) && cue_text.n_words() > 3 {
                self.push(at, Kind::Open, Source::Cue, text, 0);
            }
        } else if cue_text.has(cues.blocked)
            || self.is_work(&cue_text, text)
            || self.goes_on(at, &cue_text)
            || assigns(text, self.lang)
            || needs(text, self.lang)
        {
            self.push(at, Kind::Left, Source::Cue, without_please(text, self.lang), 1);
        } else if let Some(work) = obligation(text, &tokens(text), self.lang)
            .filter(|_| !self.is_weak_work(&cue_text, text) && !cue_text.has(cues.guesses))
        {
            self.push(at, Kind::Left, Source::WeakCue, &work, 0);
        } else if cue_text.has(cues.question) && cue_text.n_words() <= 12 && self.is_fresh(at) {
            self.push(at, Kind::Open, Source::Cue, text, 0);
        } else if cue_text.has(cues.learned)
            || cue_text.has(cues.decided)
            || cue_text.opens_with(cues.rule)
            || cue_text.has(cues.correction)
            || cue_text.is_new_rule(self.lang)
            || turns_against && done.is_some()
        {
            let weight = weigh_learned(text, &cue_text, self.lang);
            self.push(at, Kind::Learned, Source::Cue, text, weight);
        } else if self.is_weak_work(&cue_text, text) {
            self.push(at, Kind::Left, Source::WeakCue, text, 0);
        }
    }

    /// Returns whether a sentence says, unconditionally, that something is still to be done.
    pub(super) fn is_work(&self, cue_text: &CueText, text: &str) -> bool {
        let cues = &self.lang.report.cues;
        let asks = cue_text.begins_with(cues.please) && cue_text.is_request(self.lang);
        (cue_text.has(cues.todo) || asks)
            && !cue_text.begins_with(cues.provisos)
            && !cue_text.begins_with(cues.nothing)
            && !cue_text.has(cues.guesses)
            && !requires_quality(text, self.lang)
            && !cue_text.has(self.lang.settle.not_ours)
            && self.names_something(text)
    }

    /// Returns whether a sentence names something: "I need to learn it" does not.
    pub(super) fn names_something(&self, text: &str) -> bool {
        fold::content_words(text, self.lang).len() >= 2
    }

    /// Returns whether a request follows a label of work on the same line: "Next: rye. Buy flour."
    pub(super) fn goes_on(&self, at: usize, cue_text: &CueText) -> bool {
        let segment = &self.segments[at];
        let is_labelled = self.segments[..at]
            .iter()
            .rev()
            .take_while(|above| (above.entry, above.block) == (segment.entry, segment.block))
            .last()
            .is_some_and(|first| {
                after_label(first.body(), self.lang.report.cues.todo_labels).is_some()
            });
        is_labelled && cue_text.is_request(self.lang)
    }

    /// Like `is_work`, for words that count only if no list names the work.
    pub(super) fn is_weak_work(&self, cue_text: &CueText, text: &str) -> bool {
        let cues = &self.lang.report.cues;
        let waits = cue_text.has(cues.yet) && cue_text.has(cues.not);
        let wants = cue_text.has(cues.todo_weak) && !cue_text.has(cues.negation);
        (waits || wants)
            && !cue_text.begins_with(cues.provisos)
            && !cue_text.has(cues.guesses)
            && !requires_quality(text, self.lang)
            && !cue_text.has(self.lang.settle.not_ours)
            && self.names_something(text)
    }

    /// Returns whether a summary gives a figure about what happened, not about a wish.
    pub(super) fn is_figure(&self, text: &str, cue_text: &CueText) -> bool {
        let cues = &self.lang.report.cues;
        // "Guests could not book for an hour" is not a wish.
        let tells = cue_text.n_words() > 3;
        tells
            && has_figure(text)
            && (!cue_text.has(cues.conditional) || cue_text.has(cues.negation))
    }

    /// Returns whether a sentence says, in its context, that work is finished: "pods are deleted"
    /// does so in a log.
    pub(super) fn done(&self, at: usize, cue_text: &CueText) -> Option<Done> {
        let is_log = self.segments[at].stamp != dated::Stamp::default();
        cue_text.done(self.lang).filter(|done| is_log || *done > Done::Process)
    }

    /// Records how a sentence affects earlier ones.
    pub(super) fn turns(&mut self, at: usize, text: &str, cue_text: &CueText) {
        let cues = &self.lang.report.cues;
        if cue_text.asks() {
            return;
        }
        if self.done(at, cue_text).is_some() {
            self.testify(at, Turn::Done, text, text);
        }
        if cue_text.has(cues.withdrawn) {
            self.testify(at, Turn::Withdrawn, text, text);
        }
        if cue_text.has(cues.correction) {
            self.testify(at, Turn::Corrected, text, text);
        }
        if cue_text.has(cues.undone) {
            self.testify(at, Turn::Undone, text, text);
        }
        if cue_text.has(cues.all_clear) && !cue_text.has(cues.negation) {
            self.testify(at, Turn::AllClear, text, text);
        }
    }

    /// Returns whether a question is still open: in a log it belongs to its day, so only an
    /// undated one in the last entry counts.
    pub(super) fn is_fresh(&self, at: usize) -> bool {
        let segment = &self.segments[at];
        let last = self.segments.last().map(|last| last.entry);
        segment.on.is_none() && segment.stamp.time.is_none() && last == Some(segment.entry)
    }
}
