//! Bodies of calls, which go after as long as change rows are kept: the log of a run does not need what
//! started it, and senders put into it whatever they like.

use std::time::Duration;

use dormouse_scheduler::{Chore, Done, HandlerError, When};
use dormouse_store::agent::work::hook_call;
use dormouse_store::{Commit, Db};
use dormouse_types::port::BoxFuture;
use dormouse_types::{Timestamp, WorkspaceId, limits};

use crate::{Work, WorkError};

/// How many bodies one call of the chore removes: as many are read at once.
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
            let mut done = Done::default();
            let before = now - Duration::from_secs(limits::HOOK_BODY_SECONDS);
            let old = self.0.store.all(hook_call::with_old_bodies(before, AT_ONCE)).await;
            for one in old.map_err(WorkError::from)? {
                let (ws, call) = match one {
                    Ok(one) => one,
                    Err(damaged) => {
                        done.lines.push(Err(damaged.to_string()));
                        continue;
                    }
                };
                if of.is_some_and(|of| of != ws) {
                    continue;
                }
                let n_bytes = i64::try_from(call.payload.len()).unwrap_or(i64::MAX);
                let commit = Commit::new("work.hookTrim", Db::Agent, ws)
                    .op(hook_call::remove_body(ws, &call.run, n_bytes));
                self.0.store.commit(commit).await.map_err(WorkError::from)?;
            }
            Ok(done)
        })
    }
}
