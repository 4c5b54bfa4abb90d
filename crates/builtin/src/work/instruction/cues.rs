//! Which phrases and names an instruction has, and which of its parts are not understood.

use std::ops::Range;

use dormouse_formats::when::Reader;
use dormouse_types::named::Named;
use dormouse_types::work_kind::WorkKind;
use dormouse_types::{CategoryId, LabelId, TaskId};

use super::phrase::{Caught, Token, Values, is_quote, matches, tokens, written_out};
use super::schedule::StatedSchedule;
use super::{Known, NotAccepted};
use crate::lang::work::{self, Cue, Read, Topic, Words};
use crate::read::fold::fold;

/// The cues found in an instruction.
pub(super) struct FoundCues {
    /// When.
    pub stated: StatedSchedule,
    /// Phrases and names in order, of the parts that were understood.
    pub hits: Vec<Hit>,
    /// Where the parts of the sentences are; [`Hit::part`] counts them. Units: bytes.
    pub parts: Vec<Range<usize>>,
    /// What was not understood. Units: bytes.
    dropped: Vec<Range<usize>>,
    /// Words that nobody knows.
    pub unknown: Vec<Token>,
    /// The phrases and names of all parts, also of those that were not understood.
    pub all_hits: Vec<Hit>,
    /// A word that turns its sentence round and belongs to no phrase, if the sentence says anything that is
    /// understood. Without the word it would say the opposite. Units: bytes.
    pub negation: Option<Range<usize>>,
    /// The titles of tasks that share a word with an instruction to repeat something; `None` if it is none.
    pub similar: Option<Vec<String>>,
}

/// A phrase or a name.
#[derive(Debug, Clone)]
pub(super) struct Hit {
    pub what: What,
    /// What the phrase held.
    pub caught: Caught,
    /// The number of its part of the instruction.
    pub part: usize,
    /// Where it is. Units: bytes.
    pub bytes: Range<usize>,
}

/// What a [`Hit`] is.
#[derive(Debug, Clone)]
pub(super) enum What {
    /// A phrase.
    Cue(Cue),
    /// A task to make, by its title.
    Title(String),
    Category(Named<CategoryId>),
    Label(Named<LabelId>),
    Task(Named<TaskId>),
}

impl What {
    /// The phrase.
    pub(super) fn cue(&self) -> Option<Cue> {
        match self {
            Self::Cue(cue) => Some(*cue),
            Self::Title(_) | Self::Category(_) | Self::Label(_) | Self::Task(_) => None,
        }
    }
}

/// Finds phrases, names and the schedule.
pub(super) fn find_cues(
    text: &str,
    known: &Known,
    words: &'static Words,
    reader: &Reader,
) -> Result<FoundCues, NotAccepted> {
    let read = &words.read;
    let tokens = written_out(tokens(text), read.contractions);
    let quotes = quotations(text);
    // A title counts only where something is repeated: "weekly review" may be the title of a task.
    let repeats = |hit: &What| matches!(hit, What::Cue(Cue::Reset | Cue::Copy));
    let loose: Vec<&Token> = tokens.iter().collect();
    let is_repeat =
        find(&loose, &Known::default(), read, text).iter().any(|hit| repeats(&hit.what));
    let mut names =
        if is_repeat { known.clone() } else { Known { tasks: Vec::new(), ..known.clone() } };
    let titles = if is_repeat { title_places(&tokens, &known.tasks) } else { Vec::new() };
    if let [(title, _), ..] = &titles[..] {
        // The one that was named is enough; two of the same title cannot be distinguished.
        let same = known.tasks.iter().filter(|task| fold(&task.name) == *title).count();
        if same > 1 {
            return Err(NotAccepted::SeveralTasks { title: title.clone(), n: same });
        }
        names.tasks.retain(|task| titles.iter().any(|(title, _)| fold(&task.name) == *title));
    }
    let mut masks = quotes.clone();
    masks.extend(titles.into_iter().map(|(_, bytes)| bytes));
    let mut stated = StatedSchedule::find(text, &tokens, &masks, words, reader);
    let (mut left, mut hits) = find_left(&stated, &tokens, &names, read, text);
    if stated.is_without_days()
        && let Some(at) =
            stated.days.iter().position(|day| is_of_work(&day.place, &hits, &left, read))
    {
        let day = stated.days.swap_remove(at);
        stated.take_day(day);
        (left, hits) = find_left(&stated, &tokens, &names, read, text);
    }
    hits.retain(|hit| !stated.others.iter().any(|place| overlap(place, &hit.bytes)));
    let all_hits = hits.clone();
    let mut covered = vec![false; left.len()];
    for hit in &hits {
        for (at, token) in left.iter().enumerate() {
            covered[at] |= overlap(&hit.bytes, &token.bytes);
        }
    }
    take_titles(&mut hits, &left, &mut covered, &stated, &quotes, text);
    if repeats_task(&hits) {
        let is_of_list = |token: &&Token| read.of_lists.contains(&token.word.as_str());
        for (at, _) in left.iter().enumerate().filter(|(_, token)| is_of_list(token)) {
            covered[at] = true;
        }
    }
    let negation = negation(&tokens, &left, &covered, &hits, &stated);
    let understood = judge(hits, &left, &covered, words, &stated, text);
    let similar = is_repeat.then(|| similar(&tokens, &known.tasks));
    let UnderstoodParts { hits, parts, dropped, unknown } = understood;
    Ok(FoundCues { stated, hits, parts, dropped, unknown, all_hits, negation, similar })
}

/// Whether a task that was named starts over or is copied.
fn repeats_task(hits: &[Hit]) -> bool {
    let has = |is: fn(&What) -> bool| hits.iter().any(|hit| is(&hit.what));
    has(|it| matches!(it, What::Task(_)))
        && has(|it| matches!(it, What::Cue(Cue::Reset | Cue::Copy)))
}

/// The first word of [`FoundCues::negation`].
fn negation(
    tokens: &[Token],
    left: &[&Token],
    covered: &[bool],
    hits: &[Hit],
    stated: &StatedSchedule,
) -> Option<Range<usize>> {
    let is_negation = |token: &Token| {
        work::ALL.iter().any(|words| words.read.negations.contains(&token.word.as_str()))
    };
    let says = |hit: &&Hit| !matches!(hit.what, What::Cue(Cue::Filler));
    let is_understood = |token: &Token| {
        let when = stated.places.iter().chain(&stated.others);
        let what = hits.iter().filter(says).map(|hit| &hit.bytes);
        when.chain(what).any(|place| overlap(place, &token.bytes))
    };
    let mut open = left.iter().zip(covered).filter(|(_, covered)| !**covered).map(|(it, _)| *it);
    let found = open.find(|open| {
        let mut sentence = tokens.iter().filter(|token| token.sentence == open.sentence);
        is_negation(open) && sentence.any(is_understood)
    });
    found.map(|token| token.bytes.clone())
}

/// The words that say something else than when, and the phrases and names in them.
fn find_left<'a>(
    stated: &StatedSchedule,
    tokens: &'a [Token],
    names: &Known,
    read: &'static Read,
    text: &str,
) -> (Vec<&'a Token>, Vec<Hit>) {
    let is_stated = |token: &&Token| stated.places.iter().any(|place| overlap(place, &token.bytes));
    let left: Vec<&Token> = tokens.iter().filter(|token| !is_stated(token)).collect();
    let hits = find(&left, names, read, text);
    (left, hits)
}

/// Whether a day is the one on which the work is to be done, and not that of what it looks at: it follows no
/// "what is due", nor another day that does.
fn is_of_work(day: &Range<usize>, hits: &[Hit], left: &[&Token], read: &Read) -> bool {
    // "Tasks that have not moved in 3 months", "no answer within 10 days".
    let part = left.iter().find(|token| overlap(&token.bytes, day)).map(|token| token.part);
    let is_length = left.iter().any(|token| {
        overlap(&token.bytes, day) && read.units.iter().any(|(unit, _)| *unit == token.word)
    });
    let is_after_topic = hits.iter().any(|hit| {
        Some(hit.part) == part
            && hit.bytes.end <= day.start
            && matches!(hit.what, What::Cue(Cue::Topic(_)))
    });
    if is_length && is_after_topic {
        return false;
    }
    let is_period = |cue: Cue| {
        matches!(
            cue,
            Cue::Ahead(_)
                | Cue::Today
                | Cue::Length(_)
                | Cue::Before(_)
                | Cue::Coming(_)
                | Cue::Filler
        )
    };
    for token in left.iter().rev().filter(|token| token.bytes.end <= day.start) {
        let Some(hit) = hits.iter().find(|hit| overlap(&hit.bytes, &token.bytes)) else {
            if matches!(
                token.word.as_str(),
                "and" | "or" | "for" | "on" | "und" | "oder" | "fur" | "am"
            ) {
                continue;
            }
            return true;
        };
        match hit.what {
            What::Cue(Cue::Topic(Topic::Due | Topic::Events) | Cue::Kind(WorkKind::Agenda)) => {
                return false;
            }
            What::Cue(cue) if is_period(cue) => {}
            _ => return true,
        }
    }
    true
}

impl FoundCues {
    /// Whether the word at a place is understood. Units: bytes.
    pub(super) fn knows(&self, place: &Range<usize>) -> bool {
        !self.unknown.iter().any(|token| overlap(&token.bytes, place))
    }

    /// Takes out what a kind has no use for, so that it is named as not understood.
    pub(super) fn drop(&mut self, places: Vec<Range<usize>>) {
        for place in places {
            self.hits.retain(|hit| !overlap(&hit.bytes, &place));
            self.dropped.retain(|it| !(place.start <= it.start && it.end <= place.end));
            self.dropped.push(place);
        }
        self.dropped.sort_by_key(|place| place.start);
    }

    /// The words that nobody knows, as they were written: neighbours as one.
    pub(super) fn unknown_words(&self, text: &str) -> Vec<String> {
        let mut runs: Vec<Range<usize>> = Vec::new();
        for token in &self.unknown {
            match runs.last_mut() {
                Some(run)
                    if text
                        .get(run.end..token.bytes.start)
                        .is_some_and(|it| it.trim().is_empty()) =>
                {
                    run.end = token.bytes.end;
                }
                _ => runs.push(token.bytes.clone()),
            }
        }
        runs.into_iter().map(|run| text[run].to_owned()).take(5).collect()
    }

    /// What was not understood, as it was written.
    pub(super) fn not_understood(&self, text: &str) -> Vec<String> {
        let mut joined: Vec<(Range<usize>, String)> = Vec::new();
        for place in self.dropped.iter().cloned() {
            let own = without(&place, &self.stated, text);
            let joins = joined.last().is_some_and(|(last, _)| {
                let between = text.get(last.end..place.start).unwrap_or_default();
                !between.contains(['.', ';', '!', '?', '\n'])
                    && between.len() <= 5
                    && !self.hits.iter().any(|hit| overlap(&hit.bytes, &(last.end..place.start)))
            });
            match joined.last_mut().filter(|_| joins) {
                Some((last, words)) => {
                    *last = last.start..place.end.max(last.end);
                    *words = without(last, &self.stated, text);
                }
                None => joined.push((place, own)),
            }
        }
        joined.into_iter().map(|(_, words)| words).collect()
    }
}

pub(super) fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// The places of quotations, without their marks.
pub(super) fn quotations(text: &str) -> Vec<Range<usize>> {
    let marks: Vec<(usize, char)> = text.char_indices().filter(|(_, c)| is_quote(*c)).collect();
    let pairs = marks.chunks_exact(2);
    pairs.map(|pair| pair[0].0 + pair[0].1.len_utf8()..pair[1].0).collect()
}

/// The folded titles of tasks that stand in an instruction, longest first, with their places.
fn title_places(tokens: &[Token], tasks: &[Named<TaskId>]) -> Vec<(String, Range<usize>)> {
    let mut found = Vec::new();
    let stated: std::collections::BTreeSet<&str> =
        tokens.iter().map(|it| it.word.as_str()).collect();
    for task in tasks {
        let title = fold(&task.name);
        let parts = name_words(&title);
        if parts.is_empty() || !parts.iter().all(|part| stated.contains(part.as_str())) {
            continue;
        }
        let place = tokens
            .windows(parts.len())
            .find(|window| window.iter().zip(&parts).all(|(token, part)| token.word == *part));
        if let Some([first, .., last] | [first @ last]) = place {
            found.push((title, first.bytes.start..last.bytes.end));
        }
    }
    found.sort_by_key(|(title, _)| std::cmp::Reverse(title.len()));
    let mut kept: Vec<(String, Range<usize>)> = Vec::new();
    for (title, bytes) in found {
        if !kept.iter().any(|(_, other)| overlap(other, &bytes)) {
            kept.push((title, bytes));
        }
    }
    kept
}

/// The titles of tasks that share a word with an instruction, at most three.
fn similar(tokens: &[Token], tasks: &[Named<TaskId>]) -> Vec<String> {
    let is_stated =
        |word: &String| word.chars().count() >= 4 && tokens.iter().any(|it| it.word == *word);
    let shares = |task: &&Named<TaskId>| name_words(&fold(&task.name)).iter().any(is_stated);
    tasks.iter().filter(shares).take(3).map(|task| task.name.clone()).collect()
}

fn name_words(folded: &str) -> Vec<String> {
    tokens(folded).into_iter().map(|token| token.word).collect()
}

/// Finds phrases and names: at each word the longest.
fn find(tokens: &[&Token], known: &Known, read: &'static Read, text: &str) -> Vec<Hit> {
    let values = Values { numbers: read.numbers, units: read.units };
    let mut hits: Vec<Hit> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let first = tokens[at];
        let here: Vec<&str> = tokens[at..]
            .iter()
            .take_while(|token| token.sentence == first.sentence)
            .map(|token| token.word.as_str())
            .collect();
        let cue = read.cues.iter().filter_map(|(phrase, cue)| {
            matches(phrase, &here, values).map(|caught| (What::Cue(*cue), caught))
        });
        let cue = cue.max_by_key(|(_, caught)| caught.len);
        let is_led = at > 0 && is_led(tokens, at, &hits, read);
        let name = named(known, &here, is_led, &text[first.bytes.clone()]);
        let is_plain = |what: &What| matches!(what, What::Cue(Cue::Urgent | Cue::Filler));
        let hit = match (cue, name) {
            (Some((what, cue)), Some((name, len)))
                if len > cue.len
                    || len == cue.len && (is_plain(&what) || is_led)
                    || matches!(what, What::Cue(Cue::Urgent)) =>
            {
                Some((name, Caught { len, ..Caught::default() }))
            }
            (Some(cue), _) => Some(cue),
            (None, Some((name, len))) => Some((name, Caught { len, ..Caught::default() })),
            (None, None) => None,
        };
        let Some((what, caught)) = hit else {
            at += 1;
            continue;
        };
        let bytes = first.bytes.start..tokens[at + caught.len - 1].bytes.end;
        hits.push(Hit { what, caught, part: first.part, bytes });
        at += caught.len;
    }
    hits
}

/// Whether the words before say that a name follows: "in", "only", or another name and "and".
fn is_led(tokens: &[&Token], at: usize, hits: &[Hit], read: &Read) -> bool {
    let mut before = at - 1;
    if read.and.contains(&tokens[before].word.as_str()) && before > 0 {
        before -= 1;
    }
    let word = tokens[before].word.as_str();
    let follows_name = hits.last().is_some_and(|hit| {
        overlap(&hit.bytes, &tokens[before].bytes)
            && matches!(hit.what, What::Category(_) | What::Label(_) | What::Cue(Cue::Only))
    });
    follows_name || read.places.contains(&word)
}

/// A name that the words begin with. One that is a word of the language counts only after words that say
/// so, or written exactly as it is.
fn named(known: &Known, here: &[&str], is_led: bool, written: &str) -> Option<(What, usize)> {
    let fits = |name: &str| {
        let parts = name_words(&fold(name));
        let is_there = !parts.is_empty()
            && parts.len() <= here.len()
            && parts.iter().zip(here).all(|(part, word)| part == word);
        let is_exact = name.starts_with(written);
        (is_there && (is_led || is_exact || parts.len() > 1)).then_some(parts.len())
    };
    let tasks = known.tasks.iter().filter_map(|it| Some((What::Task(it.clone()), fits(&it.name)?)));
    let categories = known
        .categories
        .iter()
        .filter_map(|it| Some((What::Category(it.clone()), fits(&it.name)?)));
    let labels =
        known.labels.iter().filter_map(|it| Some((What::Label(it.clone()), fits(&it.name)?)));
    labels.chain(categories).chain(tasks).max_by_key(|(_, len)| *len)
}

/// After "remind me to" the rest of the sentence is the title of a task; a quotation is all of it.
fn take_titles(
    hits: &mut Vec<Hit>,
    left: &[&Token],
    covered: &mut [bool],
    stated: &StatedSchedule,
    quotes: &[Range<usize>],
    text: &str,
) {
    let is_make = |hit: &Hit| matches!(hit.what, What::Cue(Cue::Make));
    let Some(make) = hits.iter().find(|hit| is_make(hit)).cloned() else { return };
    let sentence =
        left.iter().find(|token| overlap(&token.bytes, &make.bytes)).map(|it| it.sentence);
    let is_rest =
        |token: &Token| Some(token.sentence) == sentence && token.bytes.start >= make.bytes.end;
    let mut rest: Vec<&Token> = left.iter().copied().filter(|token| is_rest(token)).collect();
    if rest.is_empty() {
        // "Put milk on my list": without the verb at its beginning.
        let of_sentence = left.iter().copied().filter(|it| Some(it.sentence) == sentence);
        rest = of_sentence.skip(1).filter(|it| it.bytes.end <= make.bytes.start).collect();
    }
    let (Some(first), Some(last)) = (rest.first(), rest.last()) else { return };
    let quoted = quotes.iter().find(|quote| {
        quote.start >= make.bytes.end && overlap(quote, &(first.bytes.start..last.bytes.end))
    });
    let place = quoted.cloned().unwrap_or(first.bytes.start..last.bytes.end);
    let mut title = String::new();
    let mut from = place.start;
    let mut places: Vec<&Range<usize>> =
        stated.places.iter().filter(|it| overlap(it, &place)).collect();
    places.sort_by_key(|it| it.start);
    for stated in places {
        title.push_str(&text[from..stated.start.max(from)]);
        title.push(' ');
        from = stated.end.max(from);
    }
    title.push_str(&text[from.min(place.end)..place.end]);
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let title =
        title.trim_matches(|c: char| is_quote(c) || matches!(c, ',' | ':' | ' ')).to_owned();
    hits.retain(|hit| !overlap(&hit.bytes, &place));
    for (at, token) in left.iter().enumerate() {
        covered[at] |= overlap(&token.bytes, &place);
    }
    let hit =
        Hit { what: What::Title(title), caught: Caught::default(), part: make.part, bytes: place };
    hits.push(hit);
}

/// What is left of an instruction without the parts with words that nobody knows.
struct UnderstoodParts {
    hits: Vec<Hit>,
    parts: Vec<Range<usize>>,
    dropped: Vec<Range<usize>>,
    unknown: Vec<Token>,
}

/// Drops the parts with words that nobody knows, and keeps where they are.
fn judge(
    mut hits: Vec<Hit>,
    left: &[&Token],
    covered: &[bool],
    words: &'static Words,
    stated: &StatedSchedule,
    text: &str,
) -> UnderstoodParts {
    let read = &words.read;
    // Parts of a sentence: between marks, and at a word such as "and" that belongs to no phrase.
    let mut parts: Vec<Vec<usize>> = Vec::new();
    for at in 0..left.len() {
        let is_and = !covered[at] && read.and.contains(&left[at].word.as_str());
        let is_new = at == 0 || left[at].part != left[at - 1].part || is_and;
        // A name goes on over a mark.
        let is_inside = at > 0
            && hits.iter().any(|hit| {
                overlap(&hit.bytes, &left[at].bytes) && overlap(&hit.bytes, &left[at - 1].bytes)
            });
        if is_new && !is_inside {
            parts.push(Vec::new());
        }
        if let Some(part) = parts.last_mut().filter(|_| !is_and) {
            part.push(at);
        }
    }
    let is_other = |at: usize| stated.others.iter().any(|it| overlap(it, &left[at].bytes));
    let is_known =
        |at: usize| covered[at] || !is_other(at) && read.fillers.contains(&left[at].word.as_str());
    let mut places = Vec::new();
    let mut all_unknown: Vec<Token> = Vec::new();
    let mut dropped: Vec<Range<usize>> = Vec::new();
    for (n, part) in parts.iter().filter(|part| !part.is_empty()).enumerate() {
        let mut unknown: Vec<usize> = part.iter().copied().filter(|at| !is_known(*at)).collect();
        let place = left[part[0]].bytes.start..left[part[part.len() - 1]].bytes.end;
        for hit in hits.iter_mut().filter(|hit| overlap(&hit.bytes, &place)) {
            hit.part = n;
        }
        places.push(place.clone());
        // Another schedule: of another thing, or one more of the only one.
        let says = |hit: &&Hit| !matches!(hit.what, What::Cue(Cue::Filler));
        let is_only = hits.iter().filter(says).all(|hit| overlap(&hit.bytes, &place));
        if is_only || !hits.iter().filter(says).any(|hit| overlap(&hit.bytes, &place)) {
            let of_other: Vec<usize> = part.iter().copied().filter(|at| is_other(*at)).collect();
            if let (Some(first), Some(last)) = (of_other.first(), of_other.last()) {
                dropped.push(left[*first].bytes.start..left[*last].bytes.end);
                unknown.retain(|at| !is_other(*at));
            }
        }
        all_unknown.extend(unknown.iter().map(|at| left[*at].clone()));
        let (Some(first), Some(last)) = (unknown.first(), unknown.last()) else { continue };
        let is_run = last - first + 1 == unknown.len();
        let is_harmless = is_filter(*first, left, &hits, read, text)
            || read.statements.contains(&left[part[0]].word.as_str())
            || is_after_task(&left[*first].bytes, &place, &hits)
                && !(stated.is_without_days()
                    && unknown.iter().any(|at| is_time(&left[*at].word, words)));
        if is_run && is_harmless {
            dropped.push(left[*first].bytes.start..left[*last].bytes.end);
        } else {
            hits.retain(|hit| !overlap(&hit.bytes, &place));
            dropped.push(place);
        }
    }
    UnderstoodParts { hits, parts: places, dropped, unknown: all_unknown }
}

/// Whether a word says when or how often.
pub(super) fn is_time(word: &str, words: &'static Words) -> bool {
    let read = &words.read;
    let is_name = |name: &&&str| {
        let name = fold(name);
        name == word || word.strip_suffix('s') == Some(&name)
    };
    let say = &words.say;
    let names = || {
        say.weekdays.iter().chain(&say.weekdays_short).chain(&say.months).chain(&say.months_short)
    };
    word.chars().any(|c| c.is_ascii_digit())
        || read.times.contains(&word)
        || read.units.iter().any(|(unit, _)| *unit == word)
        || names().any(|name| is_name(&name))
}

/// Whether words follow "reset" and the title of a task: they say more about it, and no longer what
/// is to be done.
fn is_after_task(unknown: &Range<usize>, part: &Range<usize>, hits: &[Hit]) -> bool {
    let is_before = |hit: &&Hit| overlap(&hit.bytes, part) && hit.bytes.end <= unknown.start;
    let before = || hits.iter().filter(is_before);
    before().any(|hit| matches!(hit.what, What::Task(_)))
        && before().any(|hit| matches!(hit.what, What::Cue(Cue::Reset)))
}

/// Whether unknown words are the name of a category or label that does not exist.
fn is_filter(first: usize, left: &[&Token], hits: &[Hit], read: &Read, text: &str) -> bool {
    let Some(before) = first.checked_sub(1) else { return false };
    let follows_only = hits.iter().any(|hit| {
        matches!(hit.what, What::Cue(Cue::Only)) && overlap(&hit.bytes, &left[before].bytes)
    });
    let is_name = text[left[first].bytes.clone()].starts_with(char::is_uppercase);
    follows_only || is_name && read.places.contains(&left[before].word.as_str())
}

/// The words of a place, without those that say when.
fn without(place: &Range<usize>, stated: &StatedSchedule, text: &str) -> String {
    let mut words = String::new();
    let mut from = place.start;
    let mut places: Vec<&Range<usize>> =
        stated.places.iter().filter(|it| overlap(it, place)).collect();
    places.sort_by_key(|it| it.start);
    for stated in places {
        words.push_str(&text[from..stated.start.max(from)]);
        words.push(' ');
        from = stated.end.max(from);
    }
    words.push_str(&text[from.min(place.end)..place.end]);
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}
