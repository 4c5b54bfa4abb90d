//! Why an instruction is refused: which words failed, and what to write in place of them.

use std::ops::Range;

use dormouse_types::work_kind::WorkKind;

use super::cues::{FoundCues, What, is_time};
use super::meaning;
use super::phrase::Token;
use super::{Hint, NotAccepted, short};
use crate::lang::work::{Read, Words};

/// Why what was found is of no kind. `is_known` says whether the word at a place of an instruction is understood there.
pub(super) fn refusal(
    found: &FoundCues,
    text: &str,
    words: &'static Words,
    is_known: impl Fn(&str, &Range<usize>) -> bool,
) -> NotAccepted {
    if let Some(similar) = found.similar.clone()
        && meaning::kind_of(&found.all_hits).is_none()
    {
        return NotAccepted::NoSuchTask { text: short(text), similar };
    }
    let read = &words.read;
    let kind = meaning::kind_of(&found.all_hits);
    // A word is proposed only if it is understood in place of the one that is not.
    let helps = |hint: &Hint, token: &Token| match hint {
        Hint::Time { .. } | Hint::NoSuchTime { .. } => true,
        Hint::Word { known, .. } => {
            let Range { start, end } = token.bytes;
            let mended = format!("{}{known}{}", &text[..start], &text[end..]);
            is_known(&mended, &(start..start + known.len()))
        }
    };
    let example = |kind| read.examples.iter().find(|(it, _)| *it == kind).map_or("", |it| it.1);
    let hints: Vec<Hint> = found
        .unknown
        .iter()
        .filter_map(|it| hints_for(it, text, words).into_iter().find(|hint| helps(hint, it)))
        .collect();
    let is_hinted =
        |token: &Token| hints.iter().any(|hint| hint.written() == &text[token.bytes.clone()]);
    let is_time = |token: &Token| is_time(&token.word, words);
    let unknown = &found.unknown;
    let is_around = |token: &Token| read.around_times.contains(&token.word.as_str());
    let is_slip = |token: &Token| is_time(token) || is_hinted(token);
    let is_read = unknown.is_empty()
        || unknown.iter().any(is_slip) && unknown.iter().all(|it| is_slip(it) || is_around(it));
    match kind {
        Some(WorkKind::Repeat) if is_read && !names_task(found) => {
            NotAccepted::WhichTask { example: example(WorkKind::Repeat).to_owned() }
        }
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

fn names_task(found: &FoundCues) -> bool {
    found.all_hits.iter().any(|hit| matches!(hit.what, What::Task(_) | What::Title(_)))
}

/// What may be meant by a word that is not understood, the nearest first.
fn hints_for(token: &Token, text: &str, words: &'static Words) -> Vec<Hint> {
    let Some(written) = text.get(token.bytes.clone()) else { return Vec::new() };
    let written = written.to_owned();
    if let Some((hour, minute)) = time(&token.word) {
        return vec![if hour > 23 || minute > 59 {
            Hint::NoSuchTime { written }
        } else {
            Hint::Time { written, as_is_read: format!("{hour}:{minute:02}") }
        }];
    }
    let is_around = words.read.around_times.contains(&token.word.as_str());
    if is_around || token.word.chars().any(|c| c.is_ascii_digit()) {
        return Vec::new();
    }
    let near = nearest(&token.word, &words.read, words);
    near.into_iter().map(|known| Hint::Word { written: written.clone(), known }).collect()
}

/// "7.30", "7h30" and "25:00".
fn time(word: &str) -> Option<(u8, u8)> {
    let (hour, minute) = word.split_once(['.', 'h', ':'])?;
    let is_time = (1..=2).contains(&hour.len()) && minute.len() == 2;
    is_time.then(|| Some((hour.parse().ok()?, minute.parse().ok()?))).flatten()
}

/// The known words of at least five letters that are one slip away: a letter too many, too few or another, or two that changed
/// places.
fn nearest(word: &str, read: &'static Read, words: &'static Words) -> Vec<String> {
    if word.chars().count() < 5 {
        return Vec::new();
    }
    let phrases = read.cues.iter().flat_map(|(phrase, _)| phrase.split([' ', '/']));
    let phrases = phrases.map(|word| word.trim_end_matches('?'));
    let names = words.say.weekdays.iter().chain(&words.say.months).copied();
    let all = phrases.chain(read.times.iter().copied()).chain(names);
    let mut near: Vec<String> = Vec::new();
    for known in all.filter(|known| known.chars().count() >= 4) {
        if is_one_slip(word, &crate::read::fold::fold(known)) && !near.iter().any(|it| it == known)
        {
            near.push(known.to_owned());
        }
    }
    near
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
