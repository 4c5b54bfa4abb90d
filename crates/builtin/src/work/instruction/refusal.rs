//! Why an instruction is refused: which words failed, and what to write in place of them.

use super::cues::{FoundCues, is_time};
use super::meaning;
use super::phrase::Token;
use super::{Hint, NotAccepted, short};
use crate::lang::work::{Read, Words};

/// Why what was found is of no kind.
pub(super) fn refusal(found: &FoundCues, text: &str, words: &'static Words) -> NotAccepted {
    if let Some(similar) = found.similar.clone()
        && meaning::kind_of(&found.all_hits).is_none()
    {
        return NotAccepted::NoSuchTask { text: short(text), similar };
    }
    let read = &words.read;
    let kind = meaning::kind_of(&found.all_hits);
    let example = |kind| read.examples.iter().find(|(it, _)| *it == kind).map_or("", |it| it.1);
    let hints: Vec<Hint> = found.unknown.iter().filter_map(|it| hint(it, text, words)).collect();
    let is_hinted =
        |token: &Token| hints.iter().any(|hint| hint.written() == &text[token.bytes.clone()]);
    let is_time = |token: &Token| is_time(&token.word, words);
    let unknown = &found.unknown;
    let is_around = |token: &Token| read.around_times.contains(&token.word.as_str());
    let is_slip = |token: &Token| is_time(token) || is_hinted(token);
    let is_read = unknown.is_empty()
        || unknown.iter().any(is_slip) && unknown.iter().all(|it| is_slip(it) || is_around(it));
    match kind {
        Some(kind) if is_read => NotAccepted::NotUnderstood {
            words: found.not_understood(text),
            hints,
            example: example(kind).to_owned(),
        },
        _ => NotAccepted::NeedsModel {
            text: short(text),
            words: found.unknown_words(text),
            example: example(kind.unwrap_or(read.usual[0].0)).to_owned(),
        },
    }
}

impl Hint {
    fn written(&self) -> &str {
        match self {
            Self::Time { written, .. }
            | Self::NoSuchTime { written }
            | Self::Word { written, .. } => written,
        }
    }
}

fn hint(token: &Token, text: &str, words: &'static Words) -> Option<Hint> {
    let written = text.get(token.bytes.clone())?.to_owned();
    if let Some((hour, minute)) = time(&token.word) {
        return Some(if hour > 23 || minute > 59 {
            Hint::NoSuchTime { written }
        } else {
            Hint::Time { written, as_is_read: format!("{hour}:{minute:02}") }
        });
    }
    let is_around = words.read.around_times.contains(&token.word.as_str());
    if is_around || token.word.chars().any(|c| c.is_ascii_digit()) {
        return None;
    }
    let known = nearest(&token.word, &words.read, words)?;
    Some(Hint::Word { written, known })
}

/// "7.30", "7h30" and "25:00".
fn time(word: &str) -> Option<(u8, u8)> {
    let (hour, minute) = word.split_once(['.', 'h', ':'])?;
    let is_time = (1..=2).contains(&hour.len()) && minute.len() == 2;
    is_time.then(|| Some((hour.parse().ok()?, minute.parse().ok()?))).flatten()
}

/// A known word of at least five letters that is one slip away: a letter too many, too few or another, or two that changed
/// places.
fn nearest(word: &str, read: &'static Read, words: &'static Words) -> Option<String> {
    if word.chars().count() < 5 {
        return None;
    }
    let phrases = read.cues.iter().flat_map(|(phrase, _)| phrase.split([' ', '/']));
    let phrases = phrases.map(|word| word.trim_end_matches('?'));
    let names = words.say.weekdays.iter().chain(&words.say.months).copied();
    let all = phrases.chain(read.times.iter().copied()).chain(names);
    all.filter(|known| known.chars().count() >= 4)
        .find(|known| is_one_slip(word, &crate::read::fold::fold(known)))
        .map(ToOwned::to_owned)
}

fn is_one_slip(a: &str, b: &str) -> bool {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let same = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[same..], &b[same..]);
    let tail = |a: &[char], from: usize, b: &[char], to: usize| {
        a.get(from..) == b.get(to..) && a.len() >= from && b.len() >= to
    };
    let is_swap = a.len() > 1 && b.len() > 1 && a[0] == b[1] && a[1] == b[0] && tail(a, 2, b, 2);
    a != b && (tail(a, 1, b, 1) || tail(a, 1, b, 0) || tail(a, 0, b, 1) || is_swap)
}
