//! Sentences, with their place and how new they are.

use std::collections::BTreeMap;
use std::ops::Range;

use dormouse_types::Timestamp;
use dormouse_types::limits;
use dormouse_types::model::{Entry, latest_on};
use jiff::civil::Date;
use serde_json::{Value, json};

use super::pattern::{self, Match, Pattern, Sentence};
use super::words::{Class, Token, tokens};
use super::{day, duration};
use crate::Input;
use crate::lang::Lang;
use crate::read::fold::{content_words, stem};
use crate::read::{Kind, Segment};

/// Units: tokens. A longer sentence is ignored; nobody states a deadline in one.
const TOKENS_MAX: usize = 160;

/// How new a statement is: by its entry, then by the day of its section, then by its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    /// When its entry was made.
    pub at: Timestamp,
    entry: usize,
    on: Option<Date>,
    place: usize,
}

impl Rank {
    /// Returns the index of its entry.
    pub fn entry(&self) -> usize {
        self.entry
    }

    /// Returns whether only the place in one text tells the two apart.
    pub fn is_of_same_moment(&self, other: &Self) -> bool {
        (self.entry, self.on) == (other.entry, other.on)
    }
}

/// A sentence of an entry.
#[derive(Debug)]
pub struct Statement<'a> {
    /// Entry that contains it.
    pub entry: &'a Entry,
    /// Segment that contains it.
    pub segment: &'a Segment,
    /// The sentence as written.
    pub raw: &'a str,
    /// The same as plain words.
    pub text: &'a str,
    /// The same as tokens.
    pub sentence: Sentence,
    /// Day on which it was written.
    pub on: Date,
    /// How new it is.
    pub rank: Rank,
    /// Section it belongs to, counted over all entries.
    pub section: usize,
    /// Whether it is the first sentence of its segment.
    pub is_first: bool,
    /// Whether it quotes another person.
    pub is_quoted: bool,
}

/// Returns all statements of a task, in the order of its entries.
pub fn statements<'a>(input: &'a Input<'_>) -> Vec<Statement<'a>> {
    let title = content_words(&input.state.title, input.lang);
    let mut found = Vec::new();
    let mut quotation = Quotation::default();
    let mut section = 0;
    for segment in &input.segments {
        let Some(entry) = input.state.entries.get(segment.entry) else { continue };
        if matches!(segment.kind, Kind::Heading { .. }) {
            section += 1;
        }
        for (n, piece) in segment.sentences.iter().enumerate() {
            let is_quoted = quotation.passes(segment, &piece.raw) || segment.quoted;
            let on = segment.on.filter(|on| *on <= entry.on).unwrap_or(entry.on);
            let place = found.len();
            found.push(Statement {
                entry,
                segment,
                raw: &piece.raw,
                text: &piece.text,
                sentence: read(&piece.raw, on, &title, input.lang),
                on,
                rank: Rank {
                    at: spoken_at(entry, on),
                    entry: segment.entry,
                    on: segment.on,
                    place,
                },
                section,
                is_first: n == 0,
                is_quoted,
            });
        }
    }
    found
}

/// Returns when the words of an entry were written: minutes of last month that are pasted today
/// count as of then.
fn spoken_at(entry: &Entry, on: Date) -> Timestamp {
    entry.created_at.min(latest_on(on))
}

/// A quotation that spans several sentences of a block.
#[derive(Default)]
struct Quotation {
    block: Option<(usize, usize)>,
    is_open: bool,
}

impl Quotation {
    /// Returns whether a sentence begins inside a quotation.
    fn passes(&mut self, segment: &Segment, raw: &str) -> bool {
        let block = Some((segment.entry, segment.block));
        if self.block != block {
            *self = Self { block, is_open: false };
        }
        let was_open = self.is_open;
        let mut before = ' ';
        for c in raw.chars() {
            match c {
                '“' | '„' | '«' => self.is_open = true,
                '”' | '»' => self.is_open = false,
                '"' if !before.is_ascii_digit() => self.is_open = !self.is_open,
                _ => {}
            }
            before = c;
        }
        was_open
    }
}

fn read(raw: &str, on: Date, title: &[String], lang: &Lang) -> Sentence {
    let mut tokens = tokens(raw);
    if tokens.len() > TOKENS_MAX {
        tokens.clear();
    }
    let days: BTreeMap<usize, day::Mention> =
        day::mentions(&tokens, on, lang).into_iter().map(|m| (m.start, m)).collect();
    let spans = duration::mentions(&tokens, &lang.propose.spans)
        .into_iter()
        .map(|m| (m.start, m))
        .collect();
    let in_title = tokens
        .iter()
        .map(|t| t.class == Class::Word && title.contains(&stem(&t.word, lang)))
        .collect();
    let rules = lang.propose;
    let unsure = tokens
        .iter()
        .map(|t| {
            rules.negations.contains(&t.word.as_str()) || rules.doubts.contains(&t.word.as_str())
        })
        .collect();
    let joints = tokens
        .iter()
        .map(|t| {
            let word = t.word.as_str();
            rules.conjunctions.contains(&word) || rules.breaks.contains(&word)
        })
        .collect();
    let opens = opens(&tokens, &days, lang);
    let starts = starts(&tokens, lang);
    Sentence { tokens, in_title, joints, unsure, days, spans, opens, starts }
}

/// Returns the first word, and the first word after a day or time at the start of the sentence.
fn opens(tokens: &[Token], days: &BTreeMap<usize, day::Mention>, lang: &Lang) -> Vec<usize> {
    let past_marks = |from: usize| {
        let n = tokens[from..].iter().take_while(|t| t.class == Class::Mark && !t.is("½")).count();
        from + n
    };
    let first = past_marks(0);
    let mut opens = vec![first];
    let mut at = first;
    if let Some(day) = days.get(&at) {
        at = past_marks(day.end);
    }
    if let [hour, colon, minute, ..] = &tokens[at..]
        && hour.class == Class::Number
        && colon.is(":")
        && minute.class == Class::Number
        && minute.glued
    {
        at = past_marks(at + 3);
    }
    if at != first && at < tokens.len() {
        opens.push(at);
    }
    if let Some(colon) = announced(tokens, days, lang) {
        opens.push(past_marks(colon));
    }
    opens.retain(|open| *open < tokens.len());
    opens
}

/// Returns the colon after "Update 2 March:".
fn announced(tokens: &[Token], days: &BTreeMap<usize, day::Mention>, lang: &Lang) -> Option<usize> {
    let colon = tokens.iter().take(10).position(|t| t.is(":"))?;
    let leads = lang.propose.classes.iter().filter(|(name, _)| *name == "lead");
    let leads: Vec<&str> = leads.flat_map(|(_, phrases)| phrases.iter().copied()).collect();
    let in_day = |n: usize| days.values().any(|day| (day.start..day.end).contains(&n));
    let is_lead = |n: usize, t: &Token| {
        t.class == Class::Mark || in_day(n) || leads.contains(&t.word.as_str())
    };
    // "Mail from the editors: the deadline is extended"
    let is_letter = tokens.len() > 1
        && lang.propose.letters.contains(&tokens[0].word.as_str())
        && tokens[1].is("from");
    let is_announced = tokens[..colon].iter().enumerate().all(|(n, t)| is_lead(n, t));
    (is_announced || is_letter).then_some(colon)
}

fn starts(tokens: &[Token], lang: &Lang) -> Vec<usize> {
    let rules = lang.propose;
    (1..tokens.len())
        .filter(|at| {
            let (before, token) = (&tokens[at - 1], &tokens[*at]);
            let begins = match before.class {
                Class::Mark => {
                    matches!(before.word.as_str(), "," | ";" | ".") && !token.glued
                        || before.is("-") && !before.glued && !token.glued
                }
                Class::Word => {
                    rules.conjunctions.contains(&before.word.as_str())
                        || rules.breaks.contains(&before.word.as_str())
                }
                Class::Number | Class::Sealed => false,
            };
            begins && token.class != Class::Mark
        })
        .collect()
}

impl Statement<'_> {
    /// Returns whether the sentence can be about the task: not a quotation, an example, a box, or a
    /// later sentence of a list item. The first words of a list item can be.
    pub fn is_about_task(&self, input: &Input<'_>) -> bool {
        let rules = input.lang.propose;
        let placed = match self.segment.kind {
            Kind::Sentence => self.segment.depth == 0,
            Kind::Bullet | Kind::Numbered => {
                self.is_first
                    && self.segment.depth == 0
                    && !super::item::is_work_heading(self.segment, input.lang)
            }
            Kind::Row => true,
            Kind::Heading { .. } | Kind::Box { .. } => false,
        };
        placed && !self.is_quoted && !self.is_sample(rules) && !self.sentence.tokens.is_empty()
    }

    /// Returns whether the sentence, or the heading above it, is marked as an example.
    pub fn is_sample(&self, rules: &crate::lang::propose::Rules) -> bool {
        pattern::holds(&self.sentence.tokens, rules.samples) || self.is_below_sample(rules)
    }

    /// Returns whether a heading above marks what follows as an example.
    pub fn is_below_sample(&self, rules: &crate::lang::propose::Rules) -> bool {
        self.segment.headings.iter().any(|(level, heading)| {
            *level > 1 && pattern::holds(&tokens(&heading.replace(':', " :")), rules.samples)
        })
    }

    /// Matches patterns against the sentence; in lists and tables only from its beginning.
    pub fn find<'p>(&self, patterns: impl IntoIterator<Item = &'p Pattern>) -> Option<Match> {
        patterns.into_iter().filter_map(|pattern| pattern.find(&self.sentence)).find(|found| {
            self.segment.kind == Kind::Sentence || self.sentence.opens.contains(&found.tokens.start)
        })
    }

    /// Returns whether a match can be taken at its word: the sentence is no question or condition,
    /// and nothing in the rest of the clause negates it or casts doubt.
    pub fn holds(&self, found: &Match, rules: &crate::lang::propose::Rules) -> bool {
        if self.is_question() {
            return false;
        }
        let tokens = &self.sentence.tokens;
        // A condition after a semicolon belongs to another sentence.
        let from =
            tokens[..found.tokens.start].iter().rposition(|t| t.is(";")).map_or(0, |at| at + 1);
        let to = tokens[found.tokens.end..]
            .iter()
            .position(|t| t.is(";"))
            .map_or(tokens.len(), |at| found.tokens.end + at);
        if pattern::holds(&tokens[from..to], rules.conditions) {
            return false;
        }
        let clause = self.rest_of_clause(found, rules);
        let rest = &tokens[clause];
        !pattern::holds(rest, rules.negations) && !pattern::holds(rest, rules.doubts)
    }

    /// Returns the tokens after a match, up to the end of its clause.
    pub fn rest_of_clause(
        &self,
        found: &Match,
        rules: &crate::lang::propose::Rules,
    ) -> Range<usize> {
        let tokens = &self.sentence.tokens;
        let start = found.tokens.end;
        let len = (start..tokens.len())
            .position(|at| {
                let word = tokens[at].word.as_str();
                let speaks = tokens
                    .get(at + 1)
                    .is_some_and(|next| rules.speakers.contains(&next.word.as_str()));
                pattern::ends_clause(tokens, at) && word != "(" && word != ")"
                    || rules.breaks.contains(&word)
                    || rules.conjunctions.contains(&word) && speaks
            })
            .unwrap_or(tokens.len() - start);
        start..start + len
    }

    /// Returns whether it is stated unconditionally.
    pub fn is_stated(&self, rules: &crate::lang::propose::Rules) -> bool {
        !self.is_question() && !pattern::holds(&self.sentence.tokens, rules.conditions)
    }

    /// Returns whether it is a question.
    pub fn is_question(&self) -> bool {
        self.sentence.tokens.iter().any(|t| t.is("?"))
    }

    /// Returns the words between two tokens, as written.
    pub fn words(&self, range: Range<usize>) -> &str {
        let tokens = &self.sentence.tokens[range];
        match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => &self.raw[first.start..last.end],
            _ => "",
        }
    }

    /// Returns the sentence as evidence.
    pub fn evidence(&self) -> Evidence {
        Evidence {
            entry: self.entry.id.to_string(),
            quote: quote(self.raw, 0),
            at: spoken_at(self.entry, self.on),
        }
    }

    /// Returns the sentence as evidence for what some of its tokens say.
    pub fn evidence_of(&self, found: &Match) -> Evidence {
        let from = self.sentence.tokens.get(found.tokens.start).map_or(0, |t| t.start);
        let to = self.sentence.tokens[..found.tokens.end].last().map_or(0, |t| t.end);
        let fits = self.raw[..to].chars().count() <= limits::QUOTE.max;
        Evidence { quote: quote(self.raw, if fits { 0 } else { from }), ..self.evidence() }
    }
}

/// What supports a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Evidence {
    pub entry: String,
    /// Verbatim part of its text.
    pub quote: String,
    /// When the entry was made.
    pub at: Timestamp,
}

impl Evidence {
    /// Formats the evidence as an argument of a call.
    pub fn json(&self) -> Value {
        json!({ "entryId": self.entry, "quote": self.quote })
    }
}

/// Cuts verbatim text to the length a quote may have, between words.
pub fn quote(raw: &str, from: usize) -> String {
    let rest = raw[from..].trim();
    let Some((cut, _)) = rest.char_indices().nth(limits::QUOTE.max) else { return rest.to_owned() };
    let piece = &rest[..cut];
    let end = piece.rfind(char::is_whitespace).filter(|end| *end > 0).unwrap_or(cut);
    piece[..end].trim_end().to_owned()
}
