//! Which words of a segment are told.

use super::cue::Said;
use super::fact::weigh_learned;
use crate::lang::Lang;
use crate::read::{self, Segment};

/// The first sentence of an item, without the day it opens with.
pub(super) fn first_body(segment: &Segment) -> &str {
    let first = segment.sentences.first().map_or(segment.text.as_str(), |piece| &piece.text);
    first.get(segment.lead..).filter(|body| !body.is_empty()).unwrap_or(first)
}

/// The first sentence, and further ones while the text stays short.
pub(super) fn lead_text(segment: &Segment, wanted: usize) -> String {
    let mut text = first_body(segment).to_owned();
    // "Insurance!" says little by itself.
    let wanted = if text.len() < 25 { wanted.max(160) } else { wanted };
    for piece in segment.sentences.iter().skip(1) {
        if text.len() + piece.text.len() > wanted {
            break;
        }
        text.push(' ');
        text.push_str(&piece.text);
    }
    text
}

/// Units: bytes. An item that is not longer is told whole.
const WHOLE: usize = 235;

/// An item whole, or the two of its sentences that tell most.
pub(super) fn whole_or_best(segment: &Segment, lang: &Lang) -> String {
    if segment.text.len() <= WHOLE || segment.sentences.len() < 2 {
        return segment.body().to_owned();
    }
    let mut ranked: Vec<(i32, usize)> = segment
        .sentences
        .iter()
        .enumerate()
        .map(|(n, piece)| {
            let said = Said::new(&piece.text, lang);
            (weigh_learned(&piece.text, &said, lang) + i32::from(n == 0), n)
        })
        .collect();
    ranked.sort_by_key(|(weight, n)| (-weight, *n));
    let mut chosen = vec![ranked[0].1];
    let length = |n: usize| segment.sentences[n].text.len();
    if length(ranked[0].1) + length(ranked[1].1) <= WHOLE {
        chosen.push(ranked[1].1);
    }
    chosen.sort_unstable();
    chosen.into_iter().map(|n| segment.sentences[n].text.as_str()).collect::<Vec<_>>().join(" ")
}

/// "Note: on investigation" opens with a word that tells nothing.
pub(super) fn after_note<'a>(text: &'a str, lang: &Lang) -> &'a str {
    let head = text.char_indices().nth(24).map_or(text, |(at, _)| &text[..at]).to_lowercase();
    let notes = lang.report.cues.notes.iter().filter(|note| {
        head.strip_prefix(**note).is_some_and(|rest| note.ends_with(':') || rest.starts_with(' '))
    });
    let length = notes.map(|note| note.len()).max().unwrap_or(0);
    text.get(length..).map_or(text, str::trim_start)
}

/// A line that is nothing but a link tells nothing beside the link.
pub(super) fn is_only_link(segment: &Segment) -> bool {
    segment.kind == read::Kind::Sentence
        && segment.links.iter().any(|link| link.title.len() + 2 >= segment.text.len())
}

/// "We can do so with:" goes on in the line of code below it.
pub(super) fn with_code(segment: &Segment, next: Option<&Segment>) -> String {
    let text = segment.body();
    let code = next.filter(|next| {
        segment.raw.trim_end().ends_with(':')
            && next.kind == read::Kind::Sentence
            && next.text.len() <= 120
            && next.text.starts_with('`')
            && next.text.ends_with('`')
    });
    code.map_or_else(|| text.to_owned(), |code| format!("{text}: {}", code.text))
}

/// A sentence without its remarks.
pub(super) fn without_parentheses(text: &str) -> String {
    let mut bare = text.to_owned();
    while let Some((before, _, after)) = parenthesis(&bare) {
        bare = format!("{before}{after}");
    }
    bare
}

/// The first part in parentheses, with what stands around it.
pub(super) fn parenthesis(text: &str) -> Option<(&str, &str, &str)> {
    let open = text.find(" (")?;
    let inner = &text[open + 2..];
    let close = inner.find(')')?;
    (!inner[..close].contains('(')).then(|| (&text[..open], &inner[..close], &inner[close + 1..]))
}

/// What a label of work names, one by one where it is somebody's list, with whose it is.
pub fn works(work: &str, owner: Option<&str>) -> Vec<String> {
    let Some(owner) = owner else { return vec![work.to_owned()] };
    let parts = work.split("; ").map(|part| part.trim().trim_end_matches(['.', ';']));
    parts.filter(|part| !part.is_empty()).map(|part| format!("{part} ({owner})")).collect()
}

/// Whether somebody is quoted with all they said: "Max said: "I will do it"".
pub(super) fn is_speech(text: &str) -> bool {
    [": \"", ": “", ": „", ": «"].iter().any(|opens| {
        text.find(opens).is_some_and(|at| {
            at > 0 && text.trim_end_matches(['.', ' ']).ends_with(['"', '”', '“', '»'])
        })
    })
}

/// A request without the word that asks.
pub(super) fn without_please<'a>(text: &'a str, lang: &Lang) -> &'a str {
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    let is_please = lang.report.cues.please.contains(&first.to_lowercase().as_str());
    if is_please && !rest.is_empty() { rest } else { text }
}

/// Whether a label above a list names who does the work, or where.
pub(super) fn is_name(label: &str) -> bool {
    let words: Vec<&str> = label.split(' ').collect();
    let opens_large = |word: &&str| word.starts_with(char::is_uppercase);
    words.len() <= 3
        && opens_large(&words[0])
        && words.iter().filter(|word| word.chars().count() > 3).all(opens_large)
}
