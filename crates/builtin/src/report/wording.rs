//! Chooses which words of a segment are reported.

use super::cue::CueText;
use super::fact::weigh_learned;
use crate::lang::Lang;
use crate::read::fold::fold;
use crate::read::{self, Segment};

/// Returns the first sentence of an item, without the day it starts with.
pub(super) fn first_body(segment: &Segment) -> &str {
    let first = segment.sentences.first().map_or(segment.text.as_str(), |piece| &piece.text);
    first.get(segment.lead..).filter(|body| !body.is_empty()).unwrap_or(first)
}

/// Returns the first sentence, and further ones while the text stays short.
pub(super) fn lead_text(segment: &Segment, wanted: usize) -> String {
    let mut text = first_body(segment).to_owned();
    // "Insurance!" alone says little.
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

/// Units: bytes. An item up to this length is reported whole.
const WHOLE: usize = 235;

/// Returns the whole item, or its two most informative sentences.
pub(super) fn whole_or_best(segment: &Segment, lang: &Lang) -> String {
    if segment.text.len() <= WHOLE || segment.sentences.len() < 2 {
        return segment.body().to_owned();
    }
    let mut ranked: Vec<(i32, usize)> = segment
        .sentences
        .iter()
        .enumerate()
        .map(|(n, piece)| {
            let cue_text = CueText::new(&piece.text, lang);
            (weigh_learned(&piece.text, &cue_text, lang) + i32::from(n == 0), n)
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

/// Removes an opening word that adds nothing: "Note: on investigation".
pub(super) fn after_note<'a>(text: &'a str, lang: &Lang) -> &'a str {
    let head = text.char_indices().nth(24).map_or(text, |(at, _)| &text[..at]).to_lowercase();
    let notes = lang.report.cues.notes.iter().filter(|note| {
        head.strip_prefix(**note).is_some_and(|rest| note.ends_with(':') || rest.starts_with(' '))
    });
    let length = notes.map(|note| note.len()).max().unwrap_or(0);
    text.get(length..).map_or(text, str::trim_start)
}

/// Returns whether a line consists only of a link; it would add nothing to the links section.
pub(super) fn is_only_link(segment: &Segment) -> bool {
    segment.kind == read::Kind::Sentence
        && segment.links.iter().any(|link| link.title.len() + 2 >= segment.text.len())
}

/// Continues a sentence such as "We can do so with:" with the line of code below it.
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

/// Returns a sentence without its parentheses.
pub(super) fn without_parentheses(text: &str) -> String {
    let mut bare = text.to_owned();
    while let Some((before, _, after)) = parenthesis(&bare) {
        bare = format!("{before}{after}");
    }
    bare
}

/// Returns the first part in parentheses, with the text before and after it.
pub(super) fn parenthesis(text: &str) -> Option<(&str, &str, &str)> {
    let open = text.find(" (")?;
    let inner = &text[open + 2..];
    let close = inner.find(')')?;
    (!inner[..close].contains('(')).then(|| (&text[..open], &inner[..close], &inner[close + 1..]))
}

/// Splits what a label of work names into single items if it is a person's list, with the owner.
pub fn works(work: &str, owner: Option<&str>, lang: &Lang) -> Vec<String> {
    let Some(owner) = owner else { return listed(work, lang) };
    let parts = work.split("; ").map(|part| part.trim().trim_end_matches(['.', ';']));
    parts.filter(|part| !part.is_empty()).map(|part| format!("{part} ({owner})")).collect()
}

/// "Look up the groups, sell the Fiesta": returns the tasks of an enumeration.
///
/// A verb may have several objects: "buy milk, eggs and bread" is one task. So is a line of things: "photos, form, 40€".
fn listed(work: &str, lang: &Lang) -> Vec<String> {
    // "Road tax - does it have to be paid first?" asks about it.
    let work = match work.split_once(" - ") {
        Some((named, question)) if question.trim_end().ends_with('?') => named,
        _ => work,
    };
    let parts: Vec<&str> = work.split(", ").map(|part| part.trim().trim_end_matches('.')).collect();
    let opens_with_verb = |part: &&str| {
        let first = fold(part.split(' ').next().unwrap_or_default());
        lang.report.cues.todo_verbs.contains(&first.as_str())
            || lang.settle.contacts.contains(&first.as_str())
    };
    let n_verbs = parts.iter().filter(|part| opens_with_verb(part)).count();
    let is_short = |part: &&str| {
        let n = part.split(' ').count();
        !part.is_empty() && n <= 8 && !part.starts_with("and ") && !part.contains(" and ")
    };
    let is_list = parts.iter().all(is_short) && parts.len() >= 2 && n_verbs == parts.len();
    if is_list { parts.into_iter().map(str::to_owned).collect() } else { vec![work.to_owned()] }
}

/// Returns whether a text is nothing but quoted speech: "Max said: "I will do it"".
pub(super) fn is_speech(text: &str) -> bool {
    [": \"", ": “", ": „", ": «"].iter().any(|opens| {
        text.find(opens).is_some_and(|at| {
            at > 0 && text.trim_end_matches(['.', ' ']).ends_with(['"', '”', '“', '»'])
        })
    })
}

/// Returns a request without the word that asks.
pub(super) fn without_please<'a>(text: &'a str, lang: &Lang) -> &'a str {
    let (first, rest) = text.split_once(' ').unwrap_or((text, ""));
    let is_please = lang.report.cues.please.contains(&first.to_lowercase().as_str());
    if is_please && !rest.is_empty() { rest } else { text }
}

/// Returns whether a label above a list names who does the work, or where.
pub(super) fn is_name(label: &str) -> bool {
    let words: Vec<&str> = label.split(' ').collect();
    let opens_large = |word: &&str| word.starts_with(char::is_uppercase);
    words.len() <= 3
        && opens_large(&words[0])
        && words.iter().filter(|word| word.chars().count() > 3).all(opens_large)
}
