//! Bodies of calls, which go after as long as change rows are kept: the log of a run does not need what
//! started it, and senders put into it whatever they like.

use std::collections::BTreeSet;
use std::time::Duration;

use dormouse_scheduler::{Chore, Done, HandlerError, When};
use dormouse_store::agent::wake_request::{self, Span};
use dormouse_store::agent::wake_run;
use dormouse_store::agent::work::hook_call;
use dormouse_store::{Commit, Db, Op, text};
use dormouse_types::model::{FragmentKind, PromptPart};
use dormouse_types::port::BoxFuture;
use dormouse_types::{Digest, HolderId, Timestamp, WorkspaceId, limits};

use crate::{Work, WorkError};

/// How many bodies one call of the chore removes, so that other writers are not held up.
const AT_ONCE: i64 = 100;

/// The text that replaces a body in a request.
const REMOVED: &str = "## What was sent\nThe body of the call is not kept any more.";

/// Removes the bodies of old calls whose runs have ended.
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
                    .op(hook_call::remove_body(ws, &run))
                    .ops(self.0.remove_sent_body(ws, &run).await?);
                self.0.store.commit(commit).await.map_err(WorkError::from)?;
            }
            Ok(Done::default())
        })
    }
}

impl Work {
    /// Returns the writes that take the body of a call out of the requests of its run, which is named as it is
    /// stored: what they have under What was sent is nothing else.
    async fn remove_sent_body(&self, ws: WorkspaceId, run: &str) -> Result<Vec<Op>, WorkError> {
        // A run with another name never asked anything.
        let Ok(holder) = run.parse::<HolderId>() else { return Ok(Vec::new()) };
        let sent = PromptPart::from(FragmentKind::Delta);
        let mut ops = Vec::new();
        for key in self.store.all(wake_run::keys_of(ws, &holder)).await? {
            let requests = self.store.each(wake_request::of_run(ws, &key)).await?;
            let spans = requests.into_iter().flatten().flat_map(|request| request.spans);
            let digests: BTreeSet<Digest> = spans
                .filter_map(|span| match span {
                    Span::Text { kind, sha256 } => (kind.known() == Some(sent)).then_some(sha256),
                    Span::Log { .. } => None,
                })
                .collect();
            if digests.is_empty() {
                continue;
            }
            ops.extend(digests.iter().map(|digest| text::remove(ws, digest, REMOVED)));
            ops.push(wake_run::mark_purged(ws, &key));
        }
        Ok(ops)
    }
}
