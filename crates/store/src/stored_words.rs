//! Every place where words of a person may stand in a row, for a removal of words from all of them.
//!
//! A table that stores text has a row in [`PLACES`], and nothing else has to be changed for it. The
//! documents of entries are not in the list: they are what the person wrote, and are removed only if
//! the person says so (see [`entry_documents`]). Neither are columns that hold ids, times and names
//! that the program chose.

use dormouse_types::{Digest, TaskId, WorkspaceId};

use crate::commit::{Db, Op, Refusal};
use crate::params;
use crate::params_values;
use crate::store::{Query, ReadError, ws};
use crate::value::{Param, Row, Value};

/// A column that may hold words of a person.
#[derive(Debug)]
pub struct Place {
    /// The name of its table.
    pub table: &'static str,
    /// The name of the column.
    pub column: &'static str,
    /// The database.
    pub db: Db,
    /// Reads a page of its rows: their key, then the text.
    read: &'static str,
    /// Replaces the text of one row.
    write: &'static str,
    /// What comes before every key.
    start: &'static [Start],
}

#[derive(Debug)]
enum Start {
    Text,
    Number,
}

macro_rules! place {
    ($db:ident, $table:literal, $column:literal, $key:literal $start:ident) => {
        Place {
            table: $table,
            column: $column,
            db: Db::$db,
            read: concat!(
                "SELECT ",
                $key,
                ", ",
                $column,
                " FROM ",
                $table,
                " WHERE ws = ?1 AND ",
                $key,
                " > ?2 ORDER BY ",
                $key,
                " LIMIT ?3"
            ),
            write: concat!(
                "UPDATE ",
                $table,
                " SET ",
                $column,
                " = ?2 WHERE ws = ?1 AND ",
                $column,
                " = ?3 AND ",
                $key,
                " = ?4"
            ),
            start: &[Start::$start],
        }
    };
    ($db:ident, $table:literal, $column:literal, $key:literal $start:ident, $next:literal $from:ident) => {
        Place {
            table: $table,
            column: $column,
            db: Db::$db,
            read: concat!(
                "SELECT ",
                $key,
                ", ",
                $next,
                ", ",
                $column,
                " FROM ",
                $table,
                " WHERE ws = ?1 AND (",
                $key,
                ", ",
                $next,
                ") > (?2, ?3) ORDER BY ",
                $key,
                ", ",
                $next,
                " LIMIT ?4"
            ),
            write: concat!(
                "UPDATE ",
                $table,
                " SET ",
                $column,
                " = ?2 WHERE ws = ?1 AND ",
                $column,
                " = ?3 AND ",
                $key,
                " = ?4 AND ",
                $next,
                " = ?5"
            ),
            start: &[Start::$start, Start::$from],
        }
    };
}

/// Every place, in the order in which they are searched: texts first, because other rows name them by
/// their hash.
pub const PLACES: &[Place] = &[
    place!(Agent, "texts", "text", "sha256" Text),
    place!(Agent, "agent_entities", "serialized", "id" Text),
    place!(Agent, "change_items", "args", "set_id" Text, "item_index" Number),
    place!(Agent, "change_items", "evidence", "set_id" Text, "item_index" Number),
    place!(Agent, "change_items", "rationale", "set_id" Text, "item_index" Number),
    place!(Agent, "change_items", "before", "set_id" Text, "item_index" Number),
    place!(Agent, "change_items", "field_change", "set_id" Text, "item_index" Number),
    place!(Agent, "change_items", "error", "set_id" Text, "item_index" Number),
    place!(Agent, "rules", "rule_condition", "id" Text),
    place!(Agent, "rules", "condition_key", "id" Text),
    place!(Agent, "held_back", "field_change", "rule_id" Text, "fingerprint" Text),
    place!(Agent, "saga_log", "payload", "operation_id" Text),
    place!(Agent, "saga_log", "last_error", "operation_id" Text),
    place!(Agent, "provider_states", "data", "run_key" Text, "turn" Number),
    place!(Agent, "wake_run_log", "error_message", "run_key" Text),
    place!(Agent, "breakers", "detail", "provider" Text),
    place!(Agent, "work_definitions", "title", "id" Text),
    place!(Agent, "work_definitions", "schedule_words", "id" Text),
    place!(Agent, "work_definitions", "built_in", "id" Text),
    place!(Agent, "work_versions", "instructions", "work_id" Text, "version" Number),
    place!(Agent, "work_runs", "summary", "id" Text),
    place!(Agent, "work_runs", "result_title", "id" Text),
    place!(Agent, "work_runs", "result", "id" Text),
    place!(Agent, "work_runs", "error", "id" Text),
    place!(Agent, "work_questions", "question", "id" Text),
    place!(Agent, "work_questions", "options", "id" Text),
    place!(Agent, "work_questions", "answer", "id" Text),
    place!(Agent, "work_corrections", "text", "work_id" Text, "n" Number),
    place!(Agent, "work_summaries", "text", "work_id" Text, "upto" Number),
    place!(Agent, "work_filters", "filters", "work_id" Text),
    place!(Agent, "work_hooks", "name", "id" Text),
    place!(Agent, "work_hook_calls", "payload", "run_id" Text),
    place!(Agent, "conversations", "title", "id" Text),
    place!(Agent, "conversation_turns", "title", "conversation_id" Text, "n" Number),
    place!(Agent, "conversation_turns", "content", "conversation_id" Text, "n" Number),
    place!(Agent, "work_results", "gone", "run_id" Text, "attempt" Number),
    place!(Agent, "work_steps", "steps", "work_id" Text),
    place!(Agent, "work_run_steps", "step", "run_id" Text, "n" Number),
    place!(Agent, "work_run_steps", "note", "run_id" Text, "n" Number),
    place!(Agent, "applied_operations", "answer", "id" Text),
    place!(Agent, "applied_operations", "effects", "id" Text),
    place!(Agent, "change_log", "what", "seq" Number),
    place!(Journal, "applied_operations", "answer", "id" Text),
    place!(Journal, "applied_operations", "effects", "id" Text),
    place!(Journal, "change_log", "what", "seq" Number),
    place!(Journal, "imported", "value", "key" Text),
    place!(Journal, "import_corrections", "value", "file" Text),
];

/// A text in a place.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredText {
    /// The key of its row.
    pub key: Vec<Value>,
    /// The text; `None` if the column is empty.
    pub text: Option<String>,
}

impl Place {
    /// What comes before the key of every row.
    pub fn start(&self) -> Vec<Value> {
        let value = |start: &Start| match start {
            Start::Text => Value::Text(String::new()),
            Start::Number => Value::Int(-1),
        };
        self.start.iter().map(value).collect()
    }

    /// The texts after a key, in the order of their keys.
    pub fn after(&self, workspace: WorkspaceId, key: &[Value], limit: i64) -> Query<StoredText> {
        let mut params = vec![ws(workspace)];
        params.extend(key.iter().cloned());
        params.push(Value::Int(limit));
        Query {
            db: self.db,
            sql: self.read,
            params,
            decode: |Row(values)| {
                let (text, key) =
                    values.split_last().map_or((None, &[][..]), |(t, k)| (Some(t), k));
                let text = match text {
                    Some(Value::Text(text)) => Some(text.clone()),
                    _ => None,
                };
                Ok(StoredText { key: key.to_vec(), text })
            },
        }
    }

    /// Replaces the text of a row; refused when it is not `old` any more.
    pub fn replace(&self, workspace: WorkspaceId, key: &[Value], old: &str, new: &str) -> Op {
        let mut params = params![ws(workspace), new, old];
        params.extend(key.iter().cloned().map(Param::Value));
        Op::one(self.write, params, Refusal::Stale)
    }
}

/// Notes that words were removed from a text: it is no longer what its hash says.
pub fn mark_purged(workspace: WorkspaceId, digest: &Digest) -> Op {
    Op::any(
        "UPDATE texts SET purged_at = ?3 WHERE ws = ?1 AND sha256 = ?2",
        params![ws(workspace), digest.as_str(), Param::Now],
    )
}

/// The pieces of all requests after one of them, with its run and turn.
pub fn request_spans(workspace: WorkspaceId, key: &[Value], limit: i64) -> Query<StoredText> {
    SPANS.after(workspace, key, limit)
}

/// What comes before every request.
pub fn first_request() -> Vec<Value> {
    SPANS.start()
}

const SPANS: Place = place!(Agent, "wake_requests", "spans", "run_key" Text, "turn" Number);

/// The hashes of all log lines after one of them, with its holder and number.
pub fn line_hashes(workspace: WorkspaceId, key: &[Value], limit: i64) -> Query<StoredText> {
    LINES.after(workspace, key, limit)
}

/// What comes before every log line.
pub fn first_line() -> Vec<Value> {
    LINES.start()
}

const LINES: Place = place!(Agent, "log_lines", "sha256", "agent_id" Text, "n" Number);

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EntryDocument {
    pub id: String,
    /// The whole entity.
    pub serialized: String,
}

/// The documents of the entries of a task, deleted ones included.
pub fn entry_documents(workspace: WorkspaceId, task: &TaskId) -> Query<EntryDocument> {
    Query {
        db: Db::Journal,
        sql: "SELECT id, serialized FROM journal
              WHERE ws = ?1 AND task_id = ?2 AND type = 'entry' ORDER BY created_at, id",
        params: params_values![ws(workspace), task.to_string()],
        decode: |row| {
            let column = |e| ReadError::column(Db::Journal, "entry", &e);
            let id = row.text(0).map_err(column)?.to_owned();
            Ok(EntryDocument { id, serialized: row.text(1).map_err(column)?.to_owned() })
        },
    }
}

/// Replaces the document of an entry and what a search finds it by; refused when it has changed.
pub fn replace_entry(
    workspace: WorkspaceId,
    old: &EntryDocument,
    serialized: &str,
    folded: &str,
) -> Op {
    Op::one(
        "UPDATE journal SET serialized = ?2, folded = ?3
         WHERE ws = ?1 AND id = ?4 AND serialized = ?5",
        params![ws(workspace), serialized, folded, old.id.as_str(), old.serialized.as_str()],
        Refusal::Stale,
    )
}
