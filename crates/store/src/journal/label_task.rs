//! Which tasks have a label: they decide who may read its name.

use std::sync::LazyLock;

use dormouse_types::{CategoryId, Id as _, IdError, LabelId, WorkspaceId};

use super::privacy::PrivacyFacts;
use super::task::Task;
use crate::commit::{Db, Op};
use crate::in_list;
use crate::params;
use crate::store::{Query, ReadError, ws};

/// Records which labels a task has now, given what it was before; nothing if neither labels nor what
/// decides who may be sent the task has changed.
pub fn changes(workspace: WorkspaceId, before: Option<&Task>, after: &Task) -> Vec<Op> {
    let reach = reach(after);
    let had = before.map_or(&[][..], |task| task.label_ids.as_slice());
    let is_same_reach = before.is_some_and(|before| self::reach(before) == reach);
    let new = after.label_ids.iter().filter(|label| !is_same_reach || !had.contains(label));
    let gone = had.iter().filter(|label| !after.label_ids.contains(label));
    let put = |label: &LabelId| {
        Op::any(
            "INSERT INTO label_tasks (ws, label_id, task_id, reach) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (ws, label_id, task_id) DO UPDATE SET reach = excluded.reach",
            params![ws(workspace), label.as_str(), after.id.as_str(), reach.as_str()],
        )
    };
    let delete = |label: &LabelId| {
        Op::any(
            "DELETE FROM label_tasks WHERE ws = ?1 AND label_id = ?2 AND task_id = ?3",
            params![ws(workspace), label.as_str(), after.id.as_str()],
        )
    };
    new.map(put).chain(gone.map(delete)).collect()
}

fn reach(task: &Task) -> String {
    let is_private = if task.flags.private { "1" } else { "0" };
    let category = task.category_id.as_ref().map_or("", CategoryId::as_str);
    format!("{is_private}{category}")
}

fn facts(reach: &str) -> PrivacyFacts {
    let is_private = !reach.starts_with('0');
    let category = reach.get(1..).filter(|id| !id.is_empty()).map(str::parse).transpose();
    // What cannot be read may not be sent.
    PrivacyFacts {
        is_private: is_private || category.is_err(),
        category: category.unwrap_or_default(),
    }
}

/// What decides who may read the names of some labels: one row for all tasks with the label that the same
/// models may be sent, deleted tasks included. A label that no task has has no row.
///
/// The index is read from one distinct value to the next, so that the cost grows with the number of
/// categories and not with that of the tasks.
pub fn reaches(workspace: WorkspaceId, labels: &[LabelId]) -> Query<(LabelId, PrivacyFacts)> {
    static SQL: LazyLock<String> = LazyLock::new(|| {
        in_list::sql(
            "WITH RECURSIVE reaches (label_id, reach) AS (
               SELECT j.id, (SELECT MIN(t.reach) FROM label_tasks t
                             WHERE t.ws = ?1 AND t.label_id = j.id)
               FROM journal j WHERE j.ws = ?1 AND j.type = 'label' AND j.id IN (",
            ")
               UNION ALL
               SELECT r.label_id, (SELECT MIN(t.reach) FROM label_tasks t
                                   WHERE t.ws = ?1 AND t.label_id = r.label_id
                                     AND t.reach > r.reach)
               FROM reaches r WHERE r.reach IS NOT NULL
             ) SELECT label_id, reach FROM reaches WHERE reach IS NOT NULL",
        )
    });
    Query {
        db: Db::Journal,
        sql: &SQL,
        params: in_list::params(workspace, labels),
        decode: |row| {
            let column = |e| ReadError::column(Db::Journal, "label", &e);
            let id = row.text(0).map_err(column)?;
            let label = id.parse().map_err(|e: IdError| ReadError::Corrupt {
                db: "journal",
                noun: "label",
                id: id.to_owned(),
                detail: e.to_string(),
            })?;
            Ok((label, facts(row.text(1).map_err(column)?)))
        },
    }
}
