//! A model of which it is not known how it calls tools is tried before it is asked.

use dormouse_types::model::{ModelError, Request, ToolChoice};
use dormouse_types::spend::OverBudget;
use futures_util::future::{Either, select};

use super::ActiveRun;
use super::reservation::SETTINGS_CHANGED;
use crate::End;
use crate::gate::gate;
use crate::handler::{RunError, TurnContext};
use crate::model_call::Answer;
use crate::prober::{NotProbed, Sign, refuses_tools};

impl ActiveRun<'_> {
    /// Finds out how the model calls tools, unless that is known; returns the end of the run if that cannot be
    /// found out now. A run that will send nothing tries nothing.
    pub(super) async fn ensure_probed(
        &mut self,
        context: &TurnContext,
        turn: u32,
    ) -> Result<Option<End>, RunError> {
        if self.model.is_probed() || self.driver.prober.is_none() {
            return Ok(None);
        }
        let clearance = self.clearance(context, turn).await?;
        if gate(context.fragments.clone(), &clearance).hidden_task().is_some() {
            return Ok(None);
        }
        if let Some(end) = self.blocked().await? {
            return Ok(Some(end));
        }
        self.probe().await
    }

    /// Tries the model that is to be asked next.
    pub(super) async fn probe(&mut self) -> Result<Option<End>, RunError> {
        let Some(prober) = self.driver.prober.clone().filter(|_| !self.model.is_probed()) else {
            return Ok(None);
        };
        let (ws, holder) = (self.lease.ws, &self.lease.run.holder);
        let name = self.model.name().to_owned();
        let probed = prober.probe(ws, holder, &name);
        let probed = match select(probed, Box::pin(self.interrupted())).await {
            Either::Left((probed, _)) => Ok(probed),
            Either::Right((why, _)) => Err(why),
        };
        let probed = match probed {
            Ok(probed) => probed,
            Err(why) => return self.interrupt(why).await.map(Some),
        };
        match probed {
            Ok(()) => {
                self.model = self.driver.models.named(Some(&name));
                Ok(None)
            }
            Err(NotProbed::Model(_)) if self.has_learned_to_lack_key(&name) => {
                let reason = format!(
                    "the server of {name} wants a key, and this node has none: it is left to the nodes that have it"
                );
                self.requeue_run(Some(self.driver.clock.now()), reason).await.map(Some)
            }
            Err(NotProbed::Model(error @ ModelError::Provider { .. })) => {
                self.provider_unavailable(&error.into()).await.map(Some)
            }
            Err(NotProbed::Model(error)) => self.fail_unanswered(&error.into()).await.map(Some),
            Err(NotProbed::OverBudget { reason, held }) => {
                let day = self.driver.day_of(self.driver.clock.now());
                self.put_off_by_budget(OverBudget::Workspace, held, day).await?;
                Ok(Some(End::Requeued { reason }))
            }
            Err(NotProbed::SettingsChanged) => {
                let again = self.driver.clock.now() + SETTINGS_CHANGED;
                let reason =
                    "the provider was changed while its model was tested: it is tested again";
                self.requeue_run(Some(again), reason.into()).await.map(Some)
            }
            Err(NotProbed::PaidCallsOff) => self.put_off_by_switch().await.map(Some),
            Err(NotProbed::Store(error)) => Err(error),
        }
    }

    /// Returns whether it was this test call that showed that the model needs a key which other processes may have
    /// and this one has not. That is no failure of the model.
    fn has_learned_to_lack_key(&self, name: &str) -> bool {
        !self.model.lacks_key() && self.driver.models.named(Some(name)).lacks_key()
    }

    /// Forgets how the model calls tools if its server refuses that.
    pub(super) async fn forget_refused(&self, error: &ModelError) -> Result<(), RunError> {
        match &self.driver.prober {
            Some(prober) if refuses_tools(error) => {
                let (ws, holder) = (self.lease.ws, &self.lease.run.holder);
                prober.forget(ws, holder, self.model.name(), Sign::Refused).await?;
                Ok(())
            }
            Some(_) | None => Ok(()),
        }
    }

    /// Forgets how the model calls tools if a request forced a call and the answer has none: its server may have
    /// begun to drop them. Returns whether the turn is to be asked for again, in the way that is found out then
    /// (ADR 37): the answer is paid and left out.
    pub(super) async fn forget_silent(
        &mut self,
        request: &Request,
        answer: &Answer,
    ) -> Result<bool, RunError> {
        let is_forced = request.tool_choice != ToolChoice::Auto && !request.tools.is_empty();
        let prober = self.driver.prober.clone();
        let Some(prober) = prober.filter(|_| is_forced && answer.turn.calls.is_empty()) else {
            return Ok(false);
        };
        let (ws, holder) = (self.lease.ws, &self.lease.run.holder);
        let name = self.model.name().to_owned();
        let is_forgotten = prober.forget(ws, holder, &name, Sign::CalledNothing).await?;
        let now = self.driver.models.named(Some(&name));
        // Another run may have noticed it first, and found out another way since.
        let is_another_way =
            !now.is_probed() || now.outgoing(request) != self.model.outgoing(request);
        if !is_forgotten && !is_another_way {
            return Ok(false);
        }
        self.commit("run.leaveOut", self.answered(answer.usage.as_ref())).await?;
        self.reserved = None;
        self.model = now;
        Ok(true)
    }
}
