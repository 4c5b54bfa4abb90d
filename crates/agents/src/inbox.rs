//! Messages from people to an agent: which it has heard, and which are still waiting.
//!
//! An agent's mark is the position of the newest message it has heard. A claim freezes the position
//! up to which its run listens, and the run's final commit moves the mark there. So every message
//! appears, in order, in the request of some completed run, even if several arrive close together
//! or a run fails and is retried; no message replaces another.

use dormouse_runs::run_log;
use dormouse_store::agent::agent_entity::State;
use dormouse_store::agent::entity::Columns;
use dormouse_store::agent::message::{self, Message};
use dormouse_store::agent::wake_queue::{self, Reason, Signal};
use dormouse_store::agent::wake_run;
use dormouse_store::{Op, ReadError};
use dormouse_types::limits::{self, Beyond};
use dormouse_types::{AgentId, Id as _, MessageId, RequestId, Seq, Timestamp, WorkspaceId};

use crate::memory::words::MARK;
use crate::wake::policy::SHORTEST_WINDOW;
use crate::{AgentError, Agents};

/// A message from a person to an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserMessage {
    pub id: MessageId,
    /// When it was sent.
    pub at: Timestamp,
    /// Position in the agent store.
    pub position: Seq,
    /// Its text; `None` if it was purged.
    pub text: Option<String>,
}

/// What an agent has not heard when one of its wakes is claimed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct UnheardRange {
    /// Everything up to here has been heard.
    pub(crate) heard: Seq,
    /// Position of the newest message; equal to `heard` if nothing is waiting.
    pub(crate) newest: Seq,
}

impl UnheardRange {
    pub(crate) const NOTHING: Self = Self { heard: Seq(0), newest: Seq(0) };

    pub(crate) fn is_empty(self) -> bool {
        self.newest <= self.heard
    }
}

impl Agents {
    /// Returns the messages to an agent that no completed run has heard, oldest first.
    pub async fn unheard(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
    ) -> Result<Vec<UserMessage>, AgentError> {
        let heard = match self.state(ws, id).await {
            Ok(state) => self.heard(ws, &state.value).await?,
            // The state of a damaged agent is unreadable: derive the mark from its runs.
            Err(AgentError::Read(ReadError::Corrupt { .. })) => self.heard_by_runs(ws, id).await?,
            Err(error) => return Err(error),
        };
        self.user_messages(ws, id, heard, Seq(i64::MAX)).await
    }

    /// Returns the agent's mark: the position up to which it has heard.
    pub(crate) async fn heard(&self, ws: WorkspaceId, state: &State) -> Result<Seq, AgentError> {
        if let Some(heard) = state.heard_upto {
            return Ok(Seq(heard));
        }
        self.heard_by_runs(ws, &state.agent_id).await
    }

    async fn heard_by_runs(&self, ws: WorkspaceId, id: &AgentId) -> Result<Seq, AgentError> {
        let completed = wake_run::heard_by_completed(ws, id);
        Ok(self.store.first(completed).await?.unwrap_or_default())
    }

    /// Returns the range of unheard messages, as far as the rows can be read.
    pub(crate) async fn unheard_range(
        &self,
        ws: WorkspaceId,
        state: &State,
    ) -> Result<UnheardRange, AgentError> {
        let heard = self.heard(ws, state).await?;
        let newest = message::newest_user_messages(ws, &state.agent_id);
        let newest = self.store.first(newest).await?.unwrap_or_default();
        Ok(UnheardRange { heard, newest: newest.max(heard) })
    }

    /// Returns the messages after one position, up to another, with their texts.
    pub(crate) async fn user_messages(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        from: Seq,
        upto: Seq,
    ) -> Result<Vec<UserMessage>, AgentError> {
        let stored = self.store.all(message::user_messages(ws, id, from, upto)).await?;
        let position = |columns: &Columns| columns.clock.values().next().copied();
        let (positions, messages): (Vec<_>, Vec<Message>) = stored
            .into_iter()
            .map(|stored| (position(&stored.columns).unwrap_or_default(), stored.doc.value))
            .unzip();
        let texts = run_log::texts(&self.store, ws, &messages).await?;
        let words = messages.into_iter().zip(positions).zip(texts);
        let words = words.map(|((Message { id, created_at, .. }, position), text)| UserMessage {
            id,
            at: created_at,
            position: Seq(position),
            // What a person removed is heard, but has no words.
            text: text.filter(|text| text.trim() != MARK),
        });
        Ok(words.collect())
    }

    /// Returns the op that resumes the pending requests to an agent that may run again: it makes the
    /// interrupted run due, whose claim decides whether it may continue, or signals a wake for
    /// unheard messages.
    ///
    /// While the agent was dormant or its task deleted, the wake that should have heard the
    /// messages may have been dropped, so the messages alone must be enough to wake it.
    pub(crate) async fn resignal_unheard(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
    ) -> Result<Option<Op>, AgentError> {
        let row = self.store.first(wake_queue::of_holder(ws, id)).await?;
        if row.is_none_or(|row| row.run_key.is_some()) {
            let soon = self.clock.now() + SHORTEST_WINDOW;
            return Ok(Some(wake_queue::make_due(ws, id, soon)));
        }
        let words = match self.state(ws, id).await {
            Err(AgentError::Read(ReadError::Corrupt { .. })) => UnheardRange::NOTHING,
            state => self.unheard_range(ws, &state?.value).await?,
        };
        Ok((!words.is_empty()).then(|| self.signal_user_message(ws, id, Seq(0))))
    }

    /// Returns the op that signals a wake for a person, under a request id that no run has used.
    pub(crate) fn signal_user_message(&self, ws: WorkspaceId, id: &AgentId, upto: Seq) -> Op {
        let now = self.clock.now();
        let signal = Signal {
            holder: id.into(),
            reason: Reason::UserInitiated,
            at: now,
            due_at: Some(now),
            upto,
            request_id: Some(RequestId::fresh(now, &*self.entropy).to_string()),
        };
        wake_queue::signal(ws, &signal)
    }

    /// Refuses a message that, with those still unheard, would exceed what one request can hold.
    pub(crate) async fn check_room(
        &self,
        ws: WorkspaceId,
        id: &AgentId,
        words: &str,
    ) -> Result<(), AgentError> {
        let state = match self.state(ws, id).await {
            // The run of a damaged agent fails and reports the damage.
            Err(AgentError::Read(ReadError::Corrupt { .. })) => return Ok(()),
            other => other?.value,
        };
        let heard = self.heard(ws, &state).await?;
        let waiting = self.store.all(message::user_messages(ws, id, heard, Seq(i64::MAX))).await?;
        let tokens: i64 = waiting.iter().map(|stored| stored.doc.value.tokens_approx).sum();
        let bytes = usize::try_from(tokens.saturating_mul(4)).unwrap_or(usize::MAX);
        let refuse = |beyond: Beyond| AgentError::Unheard { agent: id.clone(), beyond };
        limits::UNHEARD_MESSAGES.check(waiting.len() + 1).map_err(refuse)?;
        limits::UNHEARD_TEXT.check(bytes.saturating_add(words.len())).map_err(refuse)
    }
}
