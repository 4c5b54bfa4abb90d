//! Bodies of calls, which go after as long as change rows are kept: the log of a run does not need what
//! started it, and senders put into it whatever they like.

use std::time::Duration;

use dormouse_scheduler::{Chore, Done, HandlerError, When};
use dormouse_store::agent::work::hook_call;
use dormouse_store::{Commit, Db};
use dormouse_types::port::BoxFuture;
use dormouse_types::{Timestamp, WorkspaceId, limits};

use crate::{Work, WorkError};

/// How many bodies one call of the chore removes, so that other writers are not held up.
const AT_ONCE: i64 = 100;

/// Removes the bodies of old calls whose runs are over.
pub struct Bodies(pub Work);

impl Chore for Bodies {
    fn name(&self) -> &'static str {
        "bodies of calls"
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
            let before = now - Duration::from_secs(limits::HOOK_BODY_SECONDS);
            let old = self.0.store.all(hook_call::with_old_bodies(of, before, AT_ONCE)).await;
            for (ws, run) in old.map_err(WorkError::from)? {
                let commit = Commit::new("work.hookTrim", Db::Agent, ws)
                    .op(hook_call::remove_body(ws, &run));
                self.0.store.commit(commit).await.map_err(WorkError::from)?;
            }
            Ok(Done::default())
        })
    }
}
