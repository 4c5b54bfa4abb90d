//! What ends a call of a model before its answer is complete.

use std::time::Duration;

use dormouse_store::Store;
use dormouse_store::agent::model_setting;
use dormouse_types::WorkspaceId;
use dormouse_types::port::{Clock, ModelClass};
use futures_util::future::{pending, select};

use super::composed::Interruption;
use super::{ActiveRun, Driver};
use crate::End;
use crate::early_end::EarlyEnd;
use crate::handler::RunError;

impl ActiveRun<'_> {
    /// Ends the run, or its work for now: its call was ended.
    pub(super) async fn interrupt(&mut self, why: Interruption) -> Result<End, RunError> {
        match why {
            Interruption::OverTime => self.end_over_time().await,
            Interruption::Stopped => self.stopped().await,
            Interruption::PaidCallsOff => {
                match self.finish_early_if_complete(EarlyEnd::PaidCallsOff).await? {
                    Some(end) => Ok(end),
                    None => self.put_off_by_switch().await,
                }
            }
        }
    }

    /// Completes when the call under way has to end.
    pub(super) async fn interrupted(&self) -> Interruption {
        let stopped = self.driver.stop.clone();
        let switched_off = Box::pin(self.paid_calls_off());
        select(
            Box::pin(async {
                stopped.await;
                Interruption::Stopped
            }),
            Box::pin(async {
                switched_off.await;
                Interruption::PaidCallsOff
            }),
        )
        .await
        .factor_first()
        .0
    }

    async fn paid_calls_off(&self) {
        if self.model.class() == ModelClass::Free {
            return pending().await;
        }
        let Driver { store, clock, .. } = self.driver;
        paid_calls_off(store, self.lease.ws, &**clock, self.lease.lasts / 3).await;
    }
}

/// Completes when calls that cost money are switched off.
///
/// The store hints at each commit of this process, and at those of other nodes where it can. The
/// switch is read `every` so often as well, because a hint can be lost.
pub async fn paid_calls_off(store: &Store, ws: WorkspaceId, clock: &dyn Clock, every: Duration) {
    let mut hints = store.changes();
    loop {
        match store.first(model_setting::paid_calls(ws)).await {
            Ok(Some(false)) => return,
            Ok(Some(true) | None) => {}
            Err(error) => tracing::warn!(%error, "the switch for paid calls cannot be read"),
        }
        let hinted = Box::pin(async {
            if hints.changed().await.is_err() {
                // The store is closing, and gives no more hints.
                pending::<()>().await;
            }
        });
        let _ = select(hinted, clock.sleep(every)).await;
    }
}
