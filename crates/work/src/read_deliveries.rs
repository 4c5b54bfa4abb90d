//! Deliveries that were read, which go after a while: what they were about stays in the run.

use std::collections::BTreeMap;
use std::time::Duration;

use dormouse_scheduler::{Chore, Done, HandlerError, When};
use dormouse_store::agent::work::delivery;
use dormouse_store::{Commit, Db};
use dormouse_types::port::BoxFuture;
use dormouse_types::{Timestamp, WorkspaceId, limits};

use crate::{Work, WorkError};

/// How many deliveries one call of the chore deletes, so that other writers are not held up.
const AT_ONCE: i64 = 100;

/// Deletes deliveries that were read long ago.
pub struct ReadDeliveries(pub Work);

impl Chore for ReadDeliveries {
    fn name(&self) -> &'static str {
        "read deliveries"
    }

    fn when(&self) -> When {
        When::Sweep
    }

    fn work(
        &self,
        of: Option<WorkspaceId>,
        now: Timestamp,
    ) -> BoxFuture<'_, Result<Done, HandlerError>> {
        Box::pin(async move {
            let before = now - Duration::from_secs(limits::READ_DELIVERY_SECONDS);
            let old = self.0.store.all(delivery::read_before(of, before, AT_ONCE)).await;
            let mut commits = BTreeMap::new();
            for (ws, id) in old.map_err(WorkError::from)? {
                let new = || Commit::new("work.deliveryTrim", Db::Agent, ws);
                let commit: Commit = commits.remove(&ws).unwrap_or_else(new);
                commits.insert(ws, commit.op(delivery::delete_read(ws, &id, before)));
            }
            for commit in commits.into_values() {
                self.0.store.commit(commit).await.map_err(WorkError::from)?;
            }
            Ok(Done::default())
        })
    }
}
