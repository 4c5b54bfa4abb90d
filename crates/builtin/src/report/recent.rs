//! What the newest notes say that no other section tells.

use dormouse_types::change::What;

use super::cue::CueText;
use super::fact::has_figure;
use super::unit::{UNIT_MAX, finish};
use crate::input::Input;
use crate::read::Kind;

/// Maximum number of sentences.
const MOST: usize = 4;
/// Notes longer than this tell their news under headings of their own. Units: sentences.
const SHORT: usize = 24;

/// Returns sentences of the notes written since the last report; none if there was no report yet.
///
/// Where no rules sort the sentences into other sections, a first report has those of the newest note.
pub fn recent(input: &Input<'_>) -> Vec<String> {
    let is_first = input.instruction.last_report.is_none();
    if is_first && input.lang.has_rules() {
        return Vec::new();
    }
    let ids = input.delta.changes.iter().filter_map(|change| match &change.what {
        What::EntryAdded { entry } | What::EntryEdited { entry } => Some(entry),
        _ => None,
    });
    let entries: Vec<usize> = if is_first {
        input.state.entries.len().checked_sub(1).into_iter().collect()
    } else {
        ids.filter_map(|id| input.state.entries.iter().position(|known| known.id == *id)).collect()
    };
    let pieces = input
        .segments
        .iter()
        .filter(|segment| entries.contains(&segment.entry) && !segment.quoted)
        .filter(|segment| matches!(segment.kind, Kind::Sentence | Kind::Bullet | Kind::Numbered))
        .flat_map(|segment| &segment.sentences);
    let mut sentences: Vec<String> = Vec::new();
    let mut n_read = 0;
    for piece in pieces {
        n_read += 1;
        let cue_text = CueText::new(&piece.text, input.lang);
        // Where words are not set apart by spaces, a sentence may look like one word.
        let may_hide_words =
            !input.lang.has_rules() && !piece.text.is_ascii() && piece.text.chars().count() >= 6;
        let is_bare = cue_text.n_words() < 2 && !may_hide_words;
        if cue_text.asks() || cue_text.is_unfinished() || is_bare {
            continue;
        }
        sentences.extend(finish(&piece.text, UNIT_MAX, input.lang));
    }
    if n_read > SHORT { Vec::new() } else { sentences }
}

/// Keeps the first sentences, those with figures before others, in the order of the notes.
pub fn first(sentences: Vec<String>) -> Vec<String> {
    let mut ranked: Vec<(bool, usize, String)> = sentences
        .into_iter()
        .enumerate()
        .map(|(at, text)| (!has_figure(&text), at, text))
        .collect();
    ranked.sort();
    ranked.truncate(MOST);
    ranked.sort_by_key(|(_, at, _)| *at);
    ranked.into_iter().map(|(_, _, text)| text).collect()
}
