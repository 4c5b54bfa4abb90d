//! Hooks of agent work, and their sealed secrets.

use std::sync::LazyLock;

use dormouse_types::work_hook::HookForm;
use dormouse_types::{HookId, Id as _, Timestamp, WorkId, WorkspaceId};
use serde::{Deserialize, Serialize};

use super::Columns;
use crate::commit::{Db, Op, Refusal};
use crate::in_list;
use crate::store::{Query, ReadError, ws};
use crate::value::Row;
use crate::{params, params_values};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hook {
    /// Its id, which is in its address.
    pub id: HookId,
    /// The definition whose runs its calls start.
    pub work: WorkId,
    /// What the person calls it.
    pub name: String,
    /// How its calls are signed.
    pub form: HookForm,
    /// The secrets that are accepted, oldest first.
    pub secrets: Vec<SealedSecret>,
    /// Rises with each write.
    pub revision: i64,
    pub made_by: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// When it was removed.
    pub removed_at: Option<Timestamp>,
}

/// A secret that calls are signed with.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SealedSecret {
    /// Its number within the hook, from 1.
    pub n: i64,
    /// The secret, sealed.
    pub sealed: String,
    /// When it was made.
    pub created_at: Timestamp,
    /// Until when it is accepted, if there is a newer one.
    pub expires_at: Option<Timestamp>,
}

fn written(secrets: &[SealedSecret]) -> String {
    serde_json::to_string(secrets).expect("sealed secrets are plain data")
}

/// Writes a new hook.
pub fn insert(workspace: WorkspaceId, new: &Hook) -> Op {
    Op::one(
        "INSERT INTO work_hooks (ws, id, work_id, name, form, secrets, revision, made_by, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        params![
            ws(workspace),
            new.id.as_str(),
            new.work.as_str(),
            new.name.as_str(),
            new.form.name(),
            written(&new.secrets),
            new.revision,
            new.made_by.as_str(),
            new.created_at
        ],
        Refusal::Exists,
    )
}

/// Replaces the secrets of a hook as it was read. Refused if it was written since.
pub fn put_secrets(workspace: WorkspaceId, read: &Hook, secrets: &[SealedSecret]) -> Op {
    Op::one(
        "UPDATE work_hooks SET secrets = ?4, revision = revision + 1
         WHERE ws = ?1 AND id = ?2 AND revision = ?3 AND removed_at IS NULL",
        params![ws(workspace), read.id.as_str(), read.revision, written(secrets)],
        Refusal::Stale,
    )
}

/// Refuses a commit if the hook was written or removed since it was read.
pub fn unchanged(workspace: WorkspaceId, read: &Hook) -> Op {
    Op::one(
        "UPDATE work_hooks SET revision = revision WHERE ws = ?1 AND id = ?2 AND revision = ?3",
        params![ws(workspace), read.id.as_str(), read.revision],
        Refusal::Stale,
    )
}

/// Removes a hook with its secrets; the rows of its calls stay. Refused if it is removed already.
pub fn remove(workspace: WorkspaceId, id: &HookId, at: Timestamp) -> Op {
    Op::one(
        "UPDATE work_hooks SET secrets = '[]', removed_at = ?3, revision = revision + 1
         WHERE ws = ?1 AND id = ?2 AND removed_at IS NULL",
        params![ws(workspace), id.as_str(), at],
        Refusal::Stale,
    )
}

fn decode(row: &Row) -> Result<Hook, ReadError> {
    let columns = Columns::of(row, "hook")?;
    Ok(Hook {
        id: columns.id(0)?,
        work: columns.id(1)?,
        name: columns.text(2)?,
        form: columns.listed(3)?,
        secrets: serde_json::from_str(&columns.text(4)?).map_err(|e| columns.corrupt(e))?,
        revision: columns.int(5)?,
        made_by: columns.text(6)?,
        created_at: columns.column(row.time(7))?,
        removed_at: columns.column(row.opt_time(8))?,
    })
}

/// A hook, a removed one included.
pub fn by_id(workspace: WorkspaceId, id: &HookId) -> Query<Hook> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, work_id, name, form, secrets, revision, made_by, created_at, removed_at
              FROM work_hooks WHERE ws = ?1 AND id = ?2",
        params: params_values![ws(workspace), id.as_str()],
        decode,
    }
}

/// The hooks of a definition that are not removed, in the order in which they were made.
pub fn of_work(workspace: WorkspaceId, work: &WorkId) -> Query<Hook> {
    Query {
        db: Db::Agent,
        sql: "SELECT id, work_id, name, form, secrets, revision, made_by, created_at, removed_at
              FROM work_hooks WHERE ws = ?1 AND work_id = ?2 AND removed_at IS NULL ORDER BY id",
        params: params_values![ws(workspace), work.as_str()],
        decode,
    }
}

/// Those of at most a page of definitions that have a hook.
pub fn having(workspace: WorkspaceId, ids: &[WorkId]) -> Query<WorkId> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "SELECT DISTINCT work_id FROM work_hooks
             WHERE ws = ?1 AND removed_at IS NULL AND work_id IN (",
            ")",
        )
    });
    let ids: Vec<String> = ids.iter().map(ToString::to_string).collect();
    Query {
        db: Db::Agent,
        sql: &SQL,
        params: in_list::params(workspace, &ids),
        decode: |row| Columns::of(row, "hook")?.id(0),
    }
}
