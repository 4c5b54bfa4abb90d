//! Notices to the person about agent work. A page costs the same number of statements whatever is on it.

use std::collections::BTreeMap;

use dormouse_store::agent::work::definition;
use dormouse_store::agent::work::delivery::{self, Delivery as Row};
use dormouse_store::agent::work::question;
use dormouse_store::agent::work::run::{self, Run};
use dormouse_types::delivery::{DeliveryKind, DeliveryState};
use dormouse_types::{DeliveryId, WorkId, WorkRunId, WorkspaceId};

use crate::view::{Delivery, Page};
use crate::{Queries, QueryError, page};

impl Queries {
    /// A page of deliveries, newest first; only those of one state if it is given. What cannot be
    /// read is named in `damaged`.
    pub async fn deliveries(
        &self,
        ws: WorkspaceId,
        state: Option<DeliveryState>,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Delivery>, QueryError> {
        let (at, id) = page::cursor_or_start(cursor, (page::LATEST, ""))?;
        let (before, n_rows) = ((at, id.as_str()), page::rows_to_read(limit));
        let rows = match state {
            None => delivery::newest(ws, before, n_rows),
            Some(state) => delivery::newest_of_state(ws, state, before, n_rows),
        };
        let lines = self.store.all(rows).await?;
        let cut = page::page_of(lines, limit, |line| page::cursor_of(line.created_at, &line.id));
        let (mut rows, mut damaged) = (Vec::new(), Vec::new());
        for line in cut.items {
            match line.row {
                Ok(row) => rows.push(row),
                Err(error) => damaged.push(error.to_string()),
            }
        }
        let items = self.delivery_views(ws, rows).await?;
        Ok(Page { items, next_cursor: cut.next_cursor, damaged })
    }

    /// A delivery.
    pub async fn delivery(&self, ws: WorkspaceId, id: &DeliveryId) -> Result<Delivery, QueryError> {
        let missing = || QueryError::NotFound { what: "delivery", id: id.to_string() };
        let found = self.store.first(delivery::by_id(ws, id)).await?.ok_or_else(missing)?;
        self.delivery_views(ws, vec![found]).await?.pop().ok_or_else(missing)
    }

    async fn delivery_views(
        &self,
        ws: WorkspaceId,
        rows: Vec<Row>,
    ) -> Result<Vec<Delivery>, QueryError> {
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let mut works: Vec<WorkId> = rows.iter().map(|row| row.work.clone()).collect();
        let mut runs: Vec<WorkRunId> = rows.iter().map(|row| row.run.clone()).collect();
        works.sort_unstable();
        works.dedup();
        runs.sort_unstable();
        runs.dedup();
        let works = self.store.each(definition::by_ids(ws, &works)).await?.into_iter().flatten();
        let living = works.filter(|work| work.deleted_at.is_none());
        let titles: BTreeMap<WorkId, String> = living.map(|work| (work.id, work.title)).collect();
        let questions = self.store.each(question::of_runs(ws, &runs)).await?.into_iter().flatten();
        let questions: BTreeMap<(WorkRunId, i64), String> =
            questions.map(|one| ((one.run, one.attempt), one.question)).collect();
        let runs = self.store.each(run::by_ids(ws, &runs)).await?.into_iter().flatten();
        let runs: BTreeMap<WorkRunId, Run> = runs.map(|run| (run.id.clone(), run)).collect();
        let view = |row: Row| Delivery {
            text: match row.kind {
                DeliveryKind::Question => questions.get(&(row.run.clone(), row.attempt)).cloned(),
                DeliveryKind::Review
                | DeliveryKind::Failed
                | DeliveryKind::Missed
                | DeliveryKind::Held
                | DeliveryKind::Result => runs.get(&row.run).and_then(|run| text_of(row.kind, run)),
            },
            title: titles.get(&row.work).cloned(),
            id: row.id,
            target: row.target,
            kind: row.kind,
            state: row.state,
            task_id: row.work,
            run_id: row.run,
            attempts: row.n_tries,
            created: row.created_at,
            delivered_at: row.delivered_at,
            read_at: row.read_at,
        };
        Ok(rows.into_iter().map(view).collect())
    }
}

/// What there is to say of a run.
fn text_of(kind: DeliveryKind, run: &Run) -> Option<String> {
    let first = match kind {
        DeliveryKind::Result => &run.result_title,
        DeliveryKind::Question
        | DeliveryKind::Review
        | DeliveryKind::Failed
        | DeliveryKind::Missed
        | DeliveryKind::Held => &run.error,
    };
    first.clone().or_else(|| run.summary.clone())
}
