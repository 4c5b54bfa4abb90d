//! The background work of a node. Each chore is independent: the scheduler names the
//! error of one and continues with the others.

use std::time::Duration;

use dormouse_scheduler::{Chore, Done, HandlerError, When};
use dormouse_store::agent::{purge, saga};
use dormouse_types::port::BoxFuture;
use dormouse_types::{Timestamp, WorkspaceId};

use crate::{AgentError, Agents};

/// Routes the journal's feed, and makes agents read their tasks again if a database was restored.
pub struct Routing(pub Agents);

/// Finishes operations that were interrupted between the two databases.
pub struct Operations {
    pub agents: Agents,
    /// How long a lease lasts: what was begun before is nobody's any more.
    pub lease: Duration,
}

/// Confirms what a rule of the person was made for.
pub struct Rules(pub Agents);

/// Expires proposals whose time has passed.
pub struct Expiry(pub Agents);

/// Deletes change rows that nothing needs any more.
pub struct Trimming(pub Agents);

/// Adds lines to the search index that an earlier version folded.
pub struct Indexing(pub Agents);

impl Chore for Routing {
    fn name(&self) -> &'static str {
        "routing"
    }

    fn when(&self) -> When {
        When::EachPoll
    }

    /// A run reads its task from a position that routing has confirmed. While the changes of a
    /// workspace cannot be routed, for example because an older copy of the journal took its place,
    /// none starts there.
    fn work(
        &self,
        of: Option<WorkspaceId>,
        _: Timestamp,
    ) -> BoxFuture<'_, Result<Done, HandlerError>> {
        Box::pin(async move {
            let mut done = Done::default();
            if let Some(ws) = of {
                self.0.route_feed(ws).await?;
                return Ok(done);
            }
            for (ws, _) in self.0.unrouted().await? {
                if let Err(error) = self.0.route_feed(ws).await {
                    done.blocked.insert(ws);
                    done.lines.push(Err(format!("routing: {error}")));
                }
            }
            Ok(done)
        })
    }
}

impl Chore for Operations {
    fn name(&self) -> &'static str {
        "interrupted operations"
    }

    fn when(&self) -> When {
        When::Sweep
    }

    fn work(
        &self,
        of: Option<WorkspaceId>,
        _: Timestamp,
    ) -> BoxFuture<'_, Result<Done, HandlerError>> {
        Box::pin(async move {
            let mut done = Done::default();
            let all = match of {
                Some(ws) => vec![ws],
                None => {
                    self.agents.store.all(saga::workspaces()).await.map_err(AgentError::from)?
                }
            };
            for ws in all {
                match self.agents.changes.recover_older(ws, self.lease).await {
                    Ok(recovered) => {
                        done.lines.extend(recovered.into_iter().map(|one| match one.error {
                            None => Ok(format!("{} finished", one.tool)),
                            Some(error) => Err(format!("{} stays open: {error}", one.tool)),
                        }))
                    }
                    Err(error) => done.lines.push(Err(format!("{}: {error}", self.name()))),
                }
            }
            let all = match of {
                Some(ws) => vec![ws],
                None => {
                    self.agents.store.all(purge::workspaces()).await.map_err(AgentError::from)?
                }
            };
            let before = self.agents.clock.now() - self.lease;
            for ws in all {
                match self.agents.finish_purges(ws, before).await {
                    Ok(lines) => done.lines.extend(lines),
                    Err(error) => done.lines.push(Err(format!("removal: {error}"))),
                }
            }
            Ok(done)
        })
    }
}

impl Chore for Rules {
    fn name(&self) -> &'static str {
        "rules"
    }

    /// A command that runs what is pending leaves nothing to the rules either.
    fn when(&self) -> When {
        When::EachPoll
    }

    /// No run depends on it: an error is a line.
    fn work(
        &self,
        _: Option<WorkspaceId>,
        _: Timestamp,
    ) -> BoxFuture<'_, Result<Done, HandlerError>> {
        Box::pin(async move {
            let lines = match self.0.changes.confirm_by_rules().await {
                Ok(lines) => lines,
                Err(error) => vec![Err(format!("rules: {error}"))],
            };
            Ok(Done { lines, ..Done::default() })
        })
    }
}

impl Chore for Expiry {
    fn name(&self) -> &'static str {
        "expiry"
    }

    fn when(&self) -> When {
        When::Sweep
    }

    fn work(
        &self,
        _: Option<WorkspaceId>,
        _: Timestamp,
    ) -> BoxFuture<'_, Result<Done, HandlerError>> {
        Box::pin(async move {
            self.0.changes.expire_due().await.map_err(AgentError::from)?;
            Ok(Done::default())
        })
    }
}

impl Chore for Trimming {
    fn name(&self) -> &'static str {
        "trimming"
    }

    fn when(&self) -> When {
        When::Sweep
    }

    fn work(
        &self,
        _: Option<WorkspaceId>,
        _: Timestamp,
    ) -> BoxFuture<'_, Result<Done, HandlerError>> {
        Box::pin(async move {
            self.0.trim().await?;
            Ok(Done::default())
        })
    }
}

impl Chore for Indexing {
    fn name(&self) -> &'static str {
        "indexing"
    }

    fn when(&self) -> When {
        When::Sweep
    }

    fn work(
        &self,
        _: Option<WorkspaceId>,
        _: Timestamp,
    ) -> BoxFuture<'_, Result<Done, HandlerError>> {
        Box::pin(async move {
            self.0.index_backlog().await?;
            Ok(Done::default())
        })
    }
}
