//! What a search in an agent's memory answers its model.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use dormouse_runs::clearance::clearance;
use dormouse_runs::{RunError, request};
use dormouse_store::agent::memory_index::{self, Found, Place};
use dormouse_store::agent::source::Source;
use dormouse_store::text;
use dormouse_types::memory::MemoryKind;
use dormouse_types::search_words::WordQuery;
use dormouse_types::{Timestamp, limits};
use jiff::tz::TimeZone;

use super::TaskAgent;

/// The most texts that one search looks at, newest first, for those that the model may see.
const LOOKED_AT: i64 = 100;

/// Units: bytes. The most that is shown of one text.
const EXCERPT: usize = 400;

/// What was found, as the model reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Recalled {
    pub(super) text: String,
    /// What the text was made of.
    pub(super) sources: Vec<Source>,
}

impl TaskAgent<'_> {
    /// Searches what the memory of the agent folded away. What the run's model may not see is not
    /// found: to count it would answer a model that asks whether something private has a word.
    pub(super) async fn recall(
        &self,
        word_query: &WordQuery,
        limit: usize,
        window: Option<u64>,
    ) -> Result<Recalled, RunError> {
        let (ws, run, store) = (self.lease.ws, &self.lease.run, &self.agents.store);
        let newest = (Timestamp::from_micros(i64::MAX), "");
        let engine = store.engine();
        let query = memory_index::matching(engine, ws, &run.holder, word_query, newest, LOOKED_AT);
        let mut found = store.all(query).await?;
        let sources = found.iter().flat_map(|found| found.sources.iter().cloned()).collect();
        let model = self.agents.driver.models().named(run.model.as_deref());
        let clearance = clearance(store, ws, &run.holder, &*model, sources).await?;
        found.retain(|found| clearance.allows_all(&found.sources));
        // Texts that say the same, such as a summary that did not change, are shown once.
        let mut known = BTreeSet::new();
        found.retain(|found| known.insert(found.sha256.clone()));
        let is_more = found.len() > limit;
        found.truncate(limit);
        let digests: Vec<_> = found.iter().map(|found| found.sha256.clone()).collect();
        let texts = match digests.as_slice() {
            [] => Vec::new(),
            digests => store.all(text::some(ws, digests)).await?,
        };
        let found: Vec<(Found, &str)> = found
            .into_iter()
            .filter_map(|found| {
                let (_, text) = texts.iter().find(|(digest, _)| *digest == found.sha256)?;
                Some((found, text.as_str()))
            })
            .collect();
        // Half of what a window keeps free for an answer holds this, whatever its script. Units: tokens to bytes.
        let of_window =
            window.map_or(usize::MAX, |tokens| usize::try_from(tokens / 4).unwrap_or(usize::MAX));
        let most = limits::MEMORY_ANSWER.max.min(of_window);
        Ok(answer(word_query, &found, is_more, most, &self.agents.zone.get()))
    }
}

/// Renders what was found, newest first, in at most `most` bytes; what does not fit is left out, and
/// that is said.
fn answer(
    word_query: &WordQuery,
    found: &[(Found, &str)],
    is_more: bool,
    most: usize,
    zone: &TimeZone,
) -> Recalled {
    if found.is_empty() {
        let text = "Nothing that was folded away has all of these words. Try fewer words, or the \
                    beginning of a word."
            .to_owned();
        return Recalled { text, sources: Vec::new() };
    }
    const MORE: &str = "There is more; ask with more words to find it.";
    let mut text = "From your memory, newest first:\n".to_owned();
    let mut sources = Vec::new();
    let mut is_more = is_more;
    for (found, whole) in found {
        let row = row(word_query, found, whole, zone);
        if text.len() + row.len() + MORE.len() > most {
            is_more = true;
            break;
        }
        text.push_str(&row);
        sources.extend(found.sources.iter().cloned());
    }
    if is_more {
        text.push_str(MORE);
    }
    Recalled { text: text.trim_end().to_owned(), sources }
}

fn row(word_query: &WordQuery, found: &Found, whole: &str, zone: &TimeZone) -> String {
    let inner = request::unfenced(whole);
    let stretch = word_query.around(inner, EXCERPT);
    let before = if stretch.start > 0 { "\u{2026}" } else { "" };
    let after = if stretch.end < inner.len() { "\u{2026}" } else { "" };
    let excerpt = format!("{before}{}{after}", &inner[stretch]);
    let mut row = match found.place {
        Place::Line(n) => format!("- line {n}"),
        Place::Checkpoint(n) => format!("- checkpoint {n}"),
    };
    write!(row, ", {}, {}", found.at.day_in(zone), found.kind.name()).expect("a string grows");
    if let Some(id) = id_of(found) {
        write!(row, " (id: {id})").expect("a string grows");
    }
    format!("{row}\n{}\n", request::fence("memory", &excerpt))
}

/// The id of what a text is about, if a model can use it: it may quote an entry.
fn id_of(found: &Found) -> Option<String> {
    let is = |kind: MemoryKind| found.kind.known() == Some(kind);
    found.sources.iter().rev().find_map(|source| match source {
        Source::Entry(id) if is(MemoryKind::Entry) => Some(id.to_string()),
        Source::Task(id) if is(MemoryKind::Link) => Some(id.to_string()),
        Source::Entry(_)
        | Source::Task(_)
        | Source::Label(_)
        | Source::Run(_)
        | Source::Proposals(_) => None,
        Source::Unknown => None,
    })
}
