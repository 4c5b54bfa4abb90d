//! The model settings of a workspace: one document, with its revision.

use dormouse_types::WorkspaceId;
use dormouse_types::model_settings::ModelSettings;

use crate::commit::{Db, Op, Refusal};
use crate::store::{Query, ReadError, ws};
use crate::value::Row;
use crate::{params, params_values};

/// The settings as they are stored.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredSettings {
    /// Rises with each change; 0 if nothing was stored.
    pub revision: i64,
    pub settings: ModelSettings,
}

/// Writes the settings; refused if they were changed since `revision` was read.
pub fn put(workspace: WorkspaceId, revision: i64, settings: &ModelSettings) -> Op {
    let doc = serde_json::to_string(settings).expect("settings are plain data");
    let paid = i64::from(settings.paid_calls);
    if revision == 0 {
        return Op::one(
            "INSERT INTO model_settings (ws, revision, paid_calls, doc) VALUES (?1, 1, ?2, ?3)",
            params![ws(workspace), paid, doc],
            Refusal::Stale,
        );
    }
    Op::one(
        "UPDATE model_settings SET revision = revision + 1, paid_calls = ?3, doc = ?4
         WHERE ws = ?1 AND revision = ?2",
        params![ws(workspace), revision, paid, doc],
        Refusal::Stale,
    )
}

/// Checks that nobody switched off paid calls, in the commit that reserves one.
pub fn allows_paid_calls(workspace: WorkspaceId) -> Op {
    Op {
        sql: "UPDATE model_settings SET paid_calls = 0 WHERE ws = ?1 AND paid_calls = 0",
        params: params![ws(workspace)],
        rows: 0..=0,
        refusal: Refusal::PaidCallsOff,
    }
}

/// Checks that paid calls are still switched off: a wake is put off because of it.
pub fn forbids_paid_calls(workspace: WorkspaceId) -> Op {
    Op::one(
        "UPDATE model_settings SET paid_calls = 0 WHERE ws = ?1 AND paid_calls = 0",
        params![ws(workspace)],
        Refusal::Stale,
    )
}

/// Checks that the settings are still as they were read: a decision was made on them.
pub fn unchanged(workspace: WorkspaceId, revision: i64) -> Op {
    Op {
        sql: "UPDATE model_settings SET revision = revision WHERE ws = ?1 AND revision <> ?2",
        params: params![ws(workspace), revision],
        rows: 0..=0,
        refusal: Refusal::Stale,
    }
}

/// Whether calls that cost money may be made; `None` if nothing was stored, so that they may.
pub fn paid_calls(workspace: WorkspaceId) -> Query<bool> {
    Query {
        db: Db::Agent,
        sql: "SELECT paid_calls FROM model_settings WHERE ws = ?1",
        params: params_values![ws(workspace)],
        decode: |row| {
            let paid =
                row.int(0).map_err(|e| ReadError::column(Db::Agent, "model_settings", &e))?;
            Ok(paid != 0)
        },
    }
}

fn decode(row: &Row) -> Result<StoredSettings, ReadError> {
    let column = |e| ReadError::column(Db::Agent, "model_settings", &e);
    let doc = row.text(1).map_err(column)?;
    let settings = serde_json::from_str(doc).map_err(|e| ReadError::Corrupt {
        db: "agent",
        noun: "model_settings",
        id: "settings".into(),
        detail: e.to_string(),
    })?;
    Ok(StoredSettings { revision: row.int(0).map_err(column)?, settings })
}

/// The settings; `None` if nothing was stored.
pub fn of_workspace(workspace: WorkspaceId) -> Query<StoredSettings> {
    Query {
        db: Db::Agent,
        sql: "SELECT revision, doc FROM model_settings WHERE ws = ?1",
        params: params_values![ws(workspace)],
        decode,
    }
}
