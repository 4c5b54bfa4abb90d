//! What older runs of a definition were folded into. The rows of the runs stay.

use dormouse_types::{Id as _, Timestamp, WorkId, WorkRunId, WorkspaceId};

use super::Columns;
use crate::agent::source::{self, Source};
use crate::commit::{Db, Op};
use crate::store::{Query, ws};
use crate::{params, params_values};

/// A summary of some runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Summary {
    /// The definition.
    pub work: WorkId,
    /// The number of the last run that it folds.
    pub upto: i64,
    /// The number of the first one.
    pub from: i64,
    /// How many it folds.
    pub n_runs: i64,
    /// Corrections up to this number are repeated in it or in a summary before it.
    pub corrections_upto: i64,
    /// The model that wrote it; `rules` if code did.
    pub model: String,
    pub text: String,
    /// What it was made of.
    pub sources: Vec<Source>,
    /// The run that made it.
    pub run: WorkRunId,
    /// When.
    pub created_at: Timestamp,
}

/// Adds a summary. If another run folded up to the same run meanwhile, that summary stays.
pub fn insert(workspace: WorkspaceId, new: &Summary) -> Op {
    Op::any(
        "INSERT INTO work_summaries (ws, work_id, upto, from_n, n_runs, corrections_upto, model, text,
           sources, run_id, created_at)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
         ON CONFLICT (ws, work_id, upto) DO NOTHING",
        params![
            ws(workspace),
            new.work.as_str(),
            new.upto,
            new.from,
            new.n_runs,
            new.corrections_upto,
            new.model.as_str(),
            new.text.as_str(),
            source::column(&new.sources),
            new.run.as_str(),
            new.created_at
        ],
    )
}

/// The summaries of a definition, newest first.
pub fn newest(workspace: WorkspaceId, work: &WorkId, limit: i64) -> Query<Summary> {
    Query {
        db: Db::Agent,
        sql: "SELECT work_id, upto, from_n, n_runs, corrections_upto, model, text, sources, run_id,
                created_at
              FROM work_summaries WHERE ws = ?1 AND work_id = ?2 ORDER BY upto DESC LIMIT ?3",
        params: params_values![ws(workspace), work.as_str(), limit],
        decode: |row| {
            let columns = Columns::of(row, "summary of runs")?;
            Ok(Summary {
                work: columns.id(0)?,
                upto: columns.int(1)?,
                from: columns.int(2)?,
                n_runs: columns.int(3)?,
                corrections_upto: columns.int(4)?,
                model: columns.text(5)?,
                text: columns.text(6)?,
                sources: source::of_column(row, 7, "summary of runs")?,
                run: columns.id(8)?,
                created_at: columns.column(row.time(9))?,
            })
        },
    }
}
