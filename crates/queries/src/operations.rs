//! Activity in the workspace: operations that cross the two databases, the queue, and unavailable
//! providers.

use std::collections::BTreeSet;
use std::time::Duration;

use dormouse_agents::wake::waiting::ModelKey;
use dormouse_runs::breaker::{Gate, gate};
use dormouse_store::agent::breaker::{self, Breaker};
use dormouse_store::agent::saga::{self, Saga};
use dormouse_store::agent::wake_tally;
use dormouse_types::closed_list;
use dormouse_types::{ChangeSetId, RunKey, TaskId, WorkspaceId};
use serde::Deserialize;

use crate::view::{Operation, Page, ProviderAlert, ProviderFailure, Queue};
use crate::{Queries, QueryError, page};

closed_list! {
    /// Which operations a list shows.
    #[derive(Default)]
    pub enum OperationFilter, "filter of operations" {
        /// Unfinished ones, the longest idle first.
        #[default]
        Open = "open",
        /// All of them, by their ids.
        All = "all",
    }
}

impl Queries {
    /// A page of the operations that cross the two databases.
    pub async fn operations(
        &self,
        ws: WorkspaceId,
        filter: OperationFilter,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Operation>, QueryError> {
        match filter {
            OperationFilter::Open => {
                let open =
                    self.store.all(saga::by_status(ws, saga::OperationStatus::Pending)).await?;
                let after = match cursor {
                    None => None,
                    Some(cursor) => Some(page::cursor_or_start(Some(cursor), (page::LATEST, ""))?),
                };
                let place = |one: &Operation| (one.updated_at, one.operation_id.clone());
                let views = open.into_iter().map(operation_view);
                let views = views.filter(|one| after.as_ref().is_none_or(|it| place(one) > *it));
                let cursor = |one: &Operation| page::cursor_of(one.updated_at, &one.operation_id);
                Ok(page::page_of(views.take(limit + 1).collect(), limit, cursor))
            }
            OperationFilter::All => {
                let query = saga::page(ws, cursor.unwrap_or_default(), page::rows_to_read(limit));
                let views = self.store.all(query).await?.into_iter().map(operation_view);
                Ok(page::page_of(views.collect(), limit, |one| one.operation_id.clone()))
            }
        }
    }

    /// The wake queue in numbers. `models` are those that its agents ask: a breaker of one of them
    /// holds the queue back, one of another model does not.
    pub(crate) async fn queue(
        &self,
        ws: WorkspaceId,
        models: &BTreeSet<ModelKey>,
    ) -> Result<Queue, QueryError> {
        let now = self.clock.now();
        let waiting = self.store.first(wake_tally::waiting(ws, now)).await?.unwrap_or_default();
        let held = self.store.first(wake_tally::leased(ws, now)).await?.unwrap_or_default();
        let holds = |known: &Breaker| {
            let is_needed =
                |model: &ModelKey| [&model.provider, &model.name].contains(&&known.provider);
            gate(Some(known), now) != Gate::Free && models.iter().any(is_needed)
        };
        let breakers = self.store.all(breaker::all(ws)).await?;
        let held_by = breakers.into_iter().find(holds).map(|known| known.provider);
        Ok(Queue { held_by, ..queue_view(waiting, held) })
    }

    /// The model providers that are currently unavailable. One that nobody has asked again since it could be
    /// asked is left out, unless an agent waits for it.
    pub(crate) async fn alerts(&self, ws: WorkspaceId) -> Result<Vec<ProviderAlert>, QueryError> {
        let now = self.clock.now();
        let all = self.store.all(breaker::all(ws)).await?;
        let is_recent =
            |known: &Breaker| known.open_until.is_none_or(|until| now < until + PROBED_WITHIN);
        let (mut shown, others): (Vec<_>, Vec<_>) = all.into_iter().partition(is_recent);
        if !others.is_empty() {
            let models = self.agents.waiting(ws).await?.models;
            let is_needed = |known: &Breaker| {
                models.iter().any(|model| [&model.provider, &model.name].contains(&&known.provider))
            };
            shown.extend(others.into_iter().filter(is_needed));
        }
        Ok(shown.into_iter().filter_map(alert).collect())
    }

    /// The model providers whose last calls failed, and which are still called.
    pub(crate) async fn failing(
        &self,
        ws: WorkspaceId,
    ) -> Result<Vec<ProviderFailure>, QueryError> {
        let all = self.store.all(breaker::all(ws)).await?;
        Ok(all.into_iter().filter_map(failure).collect())
    }
}

/// How long after it could be called again a provider has been called, if anything waits for it: a server
/// looks every few seconds.
const PROBED_WITHIN: Duration = Duration::from_mins(5);

/// The failures of a provider that is still called.
fn failure(breaker: Breaker) -> Option<ProviderFailure> {
    let Breaker { provider, since, detail, open_until, .. } = breaker;
    open_until.is_none().then_some(ProviderFailure { provider, since, detail })
}

pub(crate) fn queue_view(waiting: wake_tally::WaitingCount, held: (i64, i64)) -> Queue {
    Queue {
        waiting: waiting.total,
        due: waiting.due,
        running: held.0,
        expired: held.1,
        oldest_due_at: waiting.oldest_due,
        next_due_at: waiting.next_due,
        held_by: None,
    }
}

/// The view of an open circuit breaker.
pub(crate) fn alert(breaker: Breaker) -> Option<ProviderAlert> {
    Some(ProviderAlert {
        until: breaker.open_until?,
        provider: breaker.provider,
        why: breaker.why,
        since: breaker.since,
        detail: breaker.detail,
    })
}

/// The relevant parts of a saga's payload; that of another version may have fewer.
#[derive(Default, Deserialize)]
#[serde(default)]
struct SagaSubject {
    task: Option<TaskId>,
    set: Option<ChangeSetId>,
    index: Option<i64>,
}

pub(crate) fn operation_view(saga: Saga) -> Operation {
    let subject: SagaSubject = serde_json::from_str(&saga.payload).unwrap_or_default();
    Operation {
        operation_id: saga.operation.0,
        tool_name: saga.tool,
        phase: saga.phase,
        status: saga.status,
        run_key: RunKey(saga.run_key),
        task_id: subject.task,
        change_set_id: subject.set,
        item_index: subject.index,
        since: saga.created_at,
        updated_at: saga.updated_at,
        last_error: saga.last_error,
    }
}
