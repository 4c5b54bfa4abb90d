//! Searches what an agent remembers: the newest lines of its log, and what was folded away.

use dormouse_runs::request;
use dormouse_store::agent::memory_index::{self, Place};
use dormouse_store::agent::source::Source;
use dormouse_store::agent::{checkpoint, log_line};
use dormouse_store::{ReadError, text};
use dormouse_types::closed_list::Listed;
use dormouse_types::memory::MemoryKind;
use dormouse_types::search_words::WordQuery;
use dormouse_types::{AgentId, Digest, HolderId, Timestamp, WorkspaceId, limits};

use crate::error::QueryError;
use crate::view::{MemoryHit, Page};
use crate::{Queries, page};

/// The most lines that one page reads of those that are not in the index yet: they are not folded.
const LINES: i64 = 200;

/// Units: bytes. The most that is shown of one text.
const EXCERPT: usize = 400;

/// Where a page begins.
///
/// Shape of the cursor: `line.` and a number, or `folded.` and a position in a list sorted by time and
/// id.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Start {
    /// Before this line, among those that are not folded.
    Line(i64),
    /// After a text that was folded away.
    Folded(Timestamp, String),
}

impl Start {
    fn of(cursor: Option<&str>) -> Result<Self, QueryError> {
        let Some(cursor) = cursor else { return Ok(Self::Line(i64::MAX)) };
        match cursor.split_once('.') {
            Some(("line", n)) => {
                n.parse().map(Self::Line).map_err(|_| page::foreign_cursor(cursor))
            }
            Some(("folded", position)) => {
                let start = page::cursor_or_start(Some(position), (page::LATEST, ""))
                    .map_err(|_| page::foreign_cursor(cursor))?;
                Ok(Self::Folded(start.0, start.1))
            }
            Some(_) | None => Err(page::foreign_cursor(cursor)),
        }
    }
}

/// A text with its words.
struct Hit {
    place: Place,
    kind: Listed<MemoryKind>,
    at: Timestamp,
    sha256: Digest,
    sources: Vec<Source>,
}

impl Queries {
    /// A page of what an agent remembers that has all words of a search, each from its beginning;
    /// newest first. Lines that are not folded come first: they are the newest. A page may hold fewer
    /// texts than requested, and still have a next one.
    ///
    /// Errors: no such agent; a search without a word, or too long; a cursor of another list.
    pub async fn search_memory(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        words: &str,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<MemoryHit>, QueryError> {
        self.agent(ws, id).await?;
        limits::MEMORY_QUERY.check(words.chars().count())?;
        let word_query = WordQuery::of(words).ok_or_else(|| QueryError::Invalid {
            field: "?q",
            message: "it has no letter or digit to look for".to_owned(),
        })?;
        let holder = HolderId::from(id);
        let mut items = Vec::new();
        let folded = match Start::of(cursor)? {
            Start::Folded(at, id) => (at, id),
            Start::Line(before) => {
                let rest =
                    self.search_lines(ws, &holder, &word_query, before, limit, &mut items).await?;
                if let Some(before) = rest {
                    let next_cursor = Some(format!("line.{before}"));
                    return Ok(Page { items, next_cursor, damaged: Vec::new() });
                }
                (page::LATEST, String::new())
            }
        };
        let room = limit - items.len();
        let rows = page::rows_to_read(room);
        let before = (folded.0, folded.1.as_str());
        let engine = self.store.engine();
        let query = memory_index::matching(engine, ws, &holder, &word_query, before, rows);
        let mut found = self.store.all(query).await?;
        let is_more = found.len() > room;
        found.truncate(room);
        let next_cursor = is_more.then(|| match found.last() {
            Some(last) => format!("folded.{}", page::cursor_of(last.at, last.place)),
            None => format!("folded.{}", page::cursor_of(folded.0, folded.1)),
        });
        let hits = found.into_iter().map(|found| Hit {
            place: found.place,
            kind: found.kind,
            at: found.at,
            sha256: found.sha256,
            sources: found.sources,
        });
        items.extend(self.with_texts(ws, &word_query, hits.collect()).await?);
        Ok(Page { items, next_cursor, damaged: Vec::new() })
    }

    /// Searches the newest lines before a number that are not folded. Returns the line before which
    /// the next page begins; `None` if there are no more of them.
    async fn search_lines(
        &self,
        ws: WorkspaceId,
        holder: &HolderId,
        word_query: &WordQuery,
        before: i64,
        limit: usize,
        items: &mut Vec<MemoryHit>,
    ) -> Result<Option<i64>, ReadError> {
        let folded = self.store.first(checkpoint::folded_upto(ws, holder)).await?.unwrap_or(0);
        let newest = log_line::before(ws, holder.clone(), before, 1);
        let Some(newest) = self.store.first(newest).await? else { return Ok(None) };
        let from = folded.max(newest.n - LINES) + 1;
        if from > newest.n {
            return Ok(None);
        }
        let lines = self.store.all(log_line::dated(ws, holder, from, newest.n)).await?;
        for (line, at) in lines.into_iter().rev() {
            if items.len() == limit {
                return Ok(Some(line.n + 1));
            }
            if line.removed_at.is_some() {
                continue;
            }
            let Some(text) = line.text.as_deref().map(request::unfenced) else { continue };
            if word_query.is_in(text) {
                let hit = Hit {
                    place: Place::Line(line.n),
                    kind: Listed::Known(memory_index::kind_of(&line.sources)),
                    at: at.unwrap_or(Timestamp::from_micros(0)),
                    sha256: line.sha256,
                    sources: line.sources,
                };
                items.push(view(hit, word_query, text));
            }
        }
        Ok((from > folded + 1).then_some(from))
    }

    async fn with_texts(
        &self,
        ws: WorkspaceId,
        word_query: &WordQuery,
        hits: Vec<Hit>,
    ) -> Result<Vec<MemoryHit>, ReadError> {
        let digests: Vec<Digest> = hits.iter().map(|hit| hit.sha256.clone()).collect();
        let texts = match digests.as_slice() {
            [] => Vec::new(),
            digests => self.store.all(text::some(ws, digests)).await?,
        };
        let text_of = |digest: &Digest| {
            let (_, text) = texts.iter().find(|(known, _)| known == digest)?;
            Some(request::unfenced(text))
        };
        let hits = hits.into_iter().filter_map(|hit| {
            let text = text_of(&hit.sha256)?;
            Some(view(hit, word_query, text))
        });
        Ok(hits.collect())
    }
}

fn view(hit: Hit, word_query: &WordQuery, text: &str) -> MemoryHit {
    let (line, checkpoint) = match hit.place {
        Place::Line(n) => (Some(n), None),
        Place::Checkpoint(n) => (None, Some(n)),
    };
    let is_of_entry = hit.kind == MemoryKind::Entry;
    let entry = hit.sources.iter().filter(|_| is_of_entry).find_map(Source::entry).cloned();
    let excerpt = text[word_query.around(text, EXCERPT)].to_owned();
    MemoryHit { line, checkpoint, kind: hit.kind, at: hit.at, entry_id: entry, excerpt }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_says_where_the_next_page_begins() {
        let start = |cursor| Start::of(cursor).ok();
        assert_eq!(start(None), Some(Start::Line(i64::MAX)));
        assert_eq!(start(Some("line.12")), Some(Start::Line(12)));
        let folded = Start::Folded(Timestamp::from_micros(7), "line-0000000003".into());
        assert_eq!(start(Some("folded.7.line-0000000003")), Some(folded));
        for foreign in ["", "12", "line.", "line.x", "folded.7", "folded.x.y", "other.1", "."] {
            assert_eq!(start(Some(foreign)), None, "{foreign}");
        }
    }
}
