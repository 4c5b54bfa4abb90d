//! The service of a node: what a server runs besides its router.

pub use dormouse_scheduler::Options as ServeOptions;
use dormouse_scheduler::{End, Event, FinishedRun, Until};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use dormouse_types::agent::RunStatus;
use dormouse_types::port::BoxFuture;
use dormouse_types::{HolderId, RunKey, limits};
use futures_util::future::{FutureExt as _, select};

use crate::{Dormouse, Error};

/// How soon a node notices that another one changed the settings of models or the time zone, if no hint of
/// it arrives.
const SETTINGS_EVERY: Duration = Duration::from_secs(limits::SWEEP_SECONDS);

/// The shortest time between two looks: every commit is hinted at.
const SETTINGS_PAUSE: Duration = Duration::from_secs(1);

/// What happens while a node serves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ServeEvent {
    /// A run left this node.
    Ran {
        /// The agent, or the holder of another kind, that it is a run of.
        holder: HolderId,
        /// Its key.
        run_key: RunKey,
        /// `completed`, `skipped`, `failed`, `queued`, or `started` if another node has taken it
        /// over.
        status: RunStatus,
        /// Why it did not complete.
        error: Option<String>,
    },
    /// A person cancelled a run that was under way here.
    Cancelled {
        /// The agent, or the holder of another kind, that it is a run of.
        holder: HolderId,
        /// Its key.
        run_key: RunKey,
    },
    /// Interrupted work was recovered.
    Recovered(String),
    /// Something failed and will be retried.
    Failed(String),
}

impl Dormouse {
    /// Routes, wakes, sweeps and recovers until `stop` completes. Runs in progress are left to be
    /// resumed under their keys.
    pub async fn serve(
        &self,
        options: ServeOptions,
        stop: BoxFuture<'static, ()>,
        tell: &mut (dyn FnMut(ServeEvent) + Send),
    ) {
        let scheduler = self.scheduler.stopping_on(stop.shared());
        let tell = Mutex::new(tell);
        let say = |event| (tell.lock().unwrap_or_else(PoisonError::into_inner))(event);
        let on_event = |event: Event| {
            say(match event {
                Event::Ran(ran) => ran_of(&ran),
                Event::Recovered(line) => ServeEvent::Recovered(line),
                Event::Damaged(line) => ServeEvent::Failed(line),
                Event::Failed(failure) => ServeEvent::Failed(failure.to_string()),
            });
        };
        let node = scheduler.node(Until::Stopped(options));
        let serving = std::pin::pin!(node.run(on_event));
        // Another node may change settings.
        let following = std::pin::pin!(self.follow_settings(&say));
        select(serving, following).await;
    }
}

impl Dormouse {
    async fn follow_settings(&self, say: &(dyn Fn(ServeEvent) + Sync)) {
        let mut hints = self.store.changes();
        loop {
            let hinted = async {
                // A closed channel gives no more hints.
                if hints.changed().await.is_err() {
                    std::future::pending::<()>().await;
                }
            };
            select(std::pin::pin!(hinted), self.clock.sleep(SETTINGS_EVERY)).await;
            for loaded in [self.load_models().await, self.load_zone().await] {
                if let Err(error) = loaded {
                    say(ServeEvent::Failed(error.to_string()));
                }
            }
            self.clock.sleep(SETTINGS_PAUSE).await;
        }
    }

    /// Why this process has stopped writing until it is restarted; `None` while it writes.
    pub fn writing_ended(&self) -> Option<String> {
        self.store.writing_ended()
    }

    /// Why this node is not ready; `None` while it writes and its changes are routed in time.
    ///
    /// Errors: the store cannot be read.
    pub async fn readiness(&self) -> Result<Option<String>, Error> {
        if let Some(why) = self.store.writing_ended() {
            return Ok(Some(why));
        }
        if let Some(why) = self.store.write_failure() {
            return Ok(Some(why));
        }
        let lag = self.agents.routing_lag().await?.as_secs();
        let late = lag > limits::ROUTING_LAG_SECONDS;
        Ok(late.then(|| format!("changes wait for {lag} seconds to be routed")))
    }
}

fn ran_of(ran: &FinishedRun) -> ServeEvent {
    let (holder, run_key) = (ran.holder.clone(), ran.run.key.clone());
    if ran.end == End::Cancelled {
        return ServeEvent::Cancelled { holder, run_key };
    }
    let (status, error) = outcome(&ran.end);
    ServeEvent::Ran { holder, run_key, status, error }
}

/// The status of a run as it left this node, and why it did not complete.
pub(crate) fn outcome(end: &End) -> (RunStatus, Option<String>) {
    match end {
        End::Completed { .. } => (RunStatus::Completed, None),
        End::Skipped => (RunStatus::Skipped, None),
        End::Failed { error } => (RunStatus::Failed, Some(error.clone())),
        End::Requeued { reason } | End::ProviderUnavailable { reason } => {
            (RunStatus::Queued, Some(reason.clone()))
        }
        End::Cancelled => (RunStatus::Failed, Some("cancelled".to_owned())),
        End::LeaseLost => (RunStatus::Started, Some("another process took over".to_owned())),
    }
}
