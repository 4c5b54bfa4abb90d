//! The search index: texts by the words in them, for both engines.
//!
//! The words are made by [`dormouse_types::search_words`], so that the engines only look them up. Each
//! is stored after a mark of its area: a search then reads what its own area has of a word, however
//! often other areas have it. Only two statements of the store differ by engine: the one that makes the
//! index, and the one that searches it.

use dormouse_types::search_words::{self, WordQuery};
use dormouse_types::{Digest, Timestamp, WorkspaceId, hash};

use crate::agent::source::{self, Source};
use crate::commit::{Db, Op};
use crate::store::{Engine, Query, ReadError, ws};
use crate::value::Row;
use crate::{params, params_values};

/// A text in the index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Indexed {
    /// Its id in its area; the order of ids is the order of texts of the same time.
    pub id: String,
    /// What it is about.
    pub kind: String,
    /// When it was written.
    pub at: Timestamp,
    /// The hash of the stored text. The row goes when that is deleted.
    pub sha256: Digest,
    /// What the text was made of.
    pub sources: Vec<Source>,
}

/// Adds a text under the words of `words_of`, which may be less than all of it. A text that is there
/// already stays as it is; one that is not stored, because it was purged meanwhile, is not added.
pub fn put(workspace: WorkspaceId, area: &str, indexed: &Indexed, words_of: &str) -> Op {
    let mark = mark(workspace, area);
    let words = search_words::indexed(words_of).into_iter().map(|word| format!("{mark}{word}"));
    Op::any(
        "INSERT INTO search_index (ws, id, area, kind, at, sha256, sources, words)
         SELECT t.ws, ?2, ?3, ?4, CAST(?5 AS BIGINT), t.sha256, ?7, ?8
         FROM texts t WHERE t.ws = ?1 AND t.sha256 = ?6 ON CONFLICT (ws, id, area) DO NOTHING",
        params![
            ws(workspace),
            indexed.id.as_str(),
            area,
            indexed.kind.as_str(),
            indexed.at,
            indexed.sha256.as_str(),
            source::column(&indexed.sources),
            words.collect::<Vec<_>>().join(" ")
        ],
    )
}

/// The rows of a stored text, each with its area.
pub fn of_text(workspace: WorkspaceId, sha256: &Digest) -> Query<(String, Indexed)> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, kind, at, sha256, sources, area FROM search_index
              WHERE ws = ?1 AND sha256 = ?2 ORDER BY area, id",
        params: params_values![ws(workspace), sha256.as_str()],
        decode: |row| {
            let column = |e| ReadError::column(Db::Agent, "searched text", &e);
            Ok((row.text(5).map_err(column)?.to_owned(), indexed(row)?))
        },
    }
}

/// Takes one text out of the index.
pub fn remove(workspace: WorkspaceId, area: &str, id: &str) -> Op {
    Op::any(
        "DELETE FROM search_index WHERE ws = ?1 AND id = ?2 AND area = ?3",
        params![ws(workspace), id, area],
    )
}

/// The texts of an area that have all words of a query, newest first, before a time and id.
pub fn matching(
    engine: Engine,
    workspace: WorkspaceId,
    area: &str,
    word_query: &WordQuery,
    (at, id): (Timestamp, &str),
    limit: i64,
) -> Query<Indexed> {
    let mark = mark(workspace, area);
    // A word holds letters and digits only, so nothing in it can end a quotation.
    let words = word_query.words().iter();
    let (sql, words): (_, Vec<String>) = match engine {
        Engine::Sqlite => (
            "SELECT s.id, s.kind, s.at, s.sha256, s.sources
             FROM search_words CROSS JOIN search_index s ON s.n = search_words.rowid
             WHERE search_words MATCH ?3 AND s.ws = ?1 AND s.area = ?2
               AND (s.at < ?4 OR (s.at = ?4 AND s.id < ?5))
             ORDER BY s.at DESC, s.id DESC LIMIT ?6",
            words.map(|word| format!("\"{mark}{word}\" *")).collect(),
        ),
        Engine::Postgres => (
            "SELECT s.id, s.kind, s.at, s.sha256, s.sources FROM search_index s
             WHERE array_to_tsvector(string_to_array(s.words, ' '))
                 @@ CAST(CAST(?3 AS TEXT) AS tsquery)
               AND s.ws = ?1 AND s.area = ?2 AND (s.at < ?4 OR (s.at = ?4 AND s.id < ?5))
             ORDER BY s.at DESC, s.id DESC LIMIT ?6",
            words.map(|word| format!("'{mark}{word}':*")).collect(),
        ),
    };
    let joint = match engine {
        Engine::Sqlite => " AND ",
        Engine::Postgres => " & ",
    };
    Query {
        db: Db::Agent,
        sql,
        params: params_values![ws(workspace), area, words.join(joint), at, id, limit],
        decode: indexed,
    }
}

/// Reads a row of [`matching`].
pub(crate) fn indexed(row: &Row) -> Result<Indexed, ReadError> {
    let column = |e| ReadError::column(Db::Agent, "searched text", &e);
    Ok(Indexed {
        id: row.text(0).map_err(column)?.to_owned(),
        kind: row.text(1).map_err(column)?.to_owned(),
        at: row.time(2).map_err(column)?,
        sha256: Digest(row.text(3).map_err(column)?.to_owned()),
        sources: source::of_column(row, 4, "searched text")?,
    })
}

/// The prefix of each word of an area. Areas may share a mark: it saves reading, and decides
/// nothing.
fn mark(workspace: WorkspaceId, area: &str) -> String {
    let digest = hash::sha256(format!("{} {area}", workspace.0));
    digest.as_str().chars().take(6).collect()
}
