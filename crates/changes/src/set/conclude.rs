//! The third commit of an operation: what the agent store keeps of the journal's answer.

use dormouse_journal::Edited;
use dormouse_store::agent::change_item::{self, Item, State};
use dormouse_store::agent::change_set::{Decision, Outcome};
use dormouse_store::agent::message::{self, Chain, Draft, Metadata};
use dormouse_store::agent::saga::{self, OperationStatus, Phase};
use dormouse_store::agent::{entity, link};
use dormouse_store::doc::Doc;
use dormouse_store::{ChangeRow, Op};
use dormouse_types::agent::{AgentLinkKind, MessageKind};
use dormouse_types::{
    DecisionId, HolderId, Id as _, LinkId, OperationId, ThreadId, Timestamp, WorkspaceId,
};
use serde_json::json;

use crate::delegate::Answer;
use crate::group;
use crate::set::error::DecideError;
use crate::set::rows::{LoadedItem, Round, transitioned};
use crate::set::saga_payload::SagaPayload;
use crate::set::service::Changes;
use crate::set::state::Event;

/// The journal's answer.
pub(super) enum JournalOutcome {
    Done(Box<Edited>),
    /// It can never succeed; the reason.
    Never(String),
    /// It may succeed later; why it failed now.
    Later(DecideError),
}

/// The journal's answer for an item, and the round under which it was written.
pub(super) struct Written {
    pub(super) answer: JournalOutcome,
    pub(super) round: Round,
}

impl Changes {
    /// Builds the third commit of a confirm.
    ///
    /// The item's transition, the closing of the saga, the decision's outcome and the messages on
    /// the decision thread are one commit, so the person never sees a confirmed item whose saga is
    /// still open, or one that is missing from the history.
    pub(super) async fn confirmed(
        &self,
        ws: WorkspaceId,
        payload: &SagaPayload,
        operation: &OperationId,
        seen: &LoadedItem,
        written: &Written,
        now: Timestamp,
    ) -> Result<(Option<LoadedItem>, Vec<Op>, Vec<ChangeRow>), DecideError> {
        let Written { answer, round } = written;
        let (started, refused) = match answer {
            JournalOutcome::Done(_) => self.started(ws, payload, seen, round).await?,
            JournalOutcome::Never(_) | JournalOutcome::Later(_) => Default::default(),
        };
        let refused = refused.map(JournalOutcome::Never);
        let answer = refused.as_ref().unwrap_or(answer);
        let (event, to, outcome, status) = match answer {
            JournalOutcome::Done(_) => {
                (Event::Applied, State::Confirmed, Outcome::Applied, OperationStatus::Completed)
            }
            JournalOutcome::Never(_) => {
                (Event::Retract, State::Retracted, Outcome::Retracted, OperationStatus::Failed)
            }
            JournalOutcome::Later(_) => {
                (Event::Failed, State::Pending, Outcome::Failed, OperationStatus::Failed)
            }
        };
        let reason = answer.reason();
        let reason = reason.as_deref();
        if seen.item.state != State::Applying {
            // Another process finished it between the two reads.
            let op = saga::close(ws, operation, Phase::AgentDone, status, reason, now);
            return Ok((None, vec![op], Vec::new()));
        }
        let (starts, news) = started;
        let mut ops = Vec::new();
        if round.number != seen.item.round {
            ops.push(change_item::catch_up(ws, &seen.item, round.number, &round.operation));
        }
        let item = round.caught_up(&seen.item);
        ops.push(self.transition(ws, &item, event, reason, None, now)?);
        // After the transition: the one who finishes second learns that the item moved.
        ops.extend(starts);
        ops.push(saga::close(ws, operation, Phase::AgentDone, status, reason, now));
        let edit = |decision: &mut Decision| {
            decision.outcome = outcome;
            decision.outcome_reason = reason.map(ToOwned::to_owned);
            decision.round = round.number;
            decision.updated_at = now;
        };
        let decision = seen.decision.as_ref();
        ops.extend(self.edit_decision(ws, &payload.decision, decision, edit).await?);
        let mut others = Vec::new();
        if to == State::Retracted {
            // What belongs to it can never be applied either.
            for child in group::open_children(&seen.items, &item) {
                let why = group::ended_with(&item);
                ops.push(self.transition(ws, &child, Event::Retract, Some(&why), None, now)?);
                others.push(transitioned(&child, to, Some(&why), now));
            }
        }
        let item_after = transitioned(&item, to, reason, now);
        let (after, more) = seen.moved_with(ws, item_after, &others, now);
        ops.extend(more);
        ops.extend(self.decision_messages(ws, payload, &item, answer, now).await?);
        Ok((Some(after), ops, news))
    }

    /// Returns what starts the agent work that an item asks for, or why nothing can.
    async fn started(
        &self,
        ws: WorkspaceId,
        payload: &SagaPayload,
        seen: &LoadedItem,
        round: &Round,
    ) -> Result<((Vec<Op>, Vec<ChangeRow>), Option<String>), DecideError> {
        let (item, key) = (&seen.item, &seen.set.doc.value.run_key);
        let (operation, actor) = (&round.operation, payload.actor.as_ref());
        let Some(work) = self.started_by(ws, item, key, operation, actor).await? else {
            return Ok(Default::default());
        };
        Ok(match self.start_work(ws, &work).await? {
            Answer::Write { ops, news } => ((ops, news), None),
            Answer::Never(why) => (Default::default(), Some(why)),
        })
    }

    /// Builds the third commit of a rejection that edits the journal.
    ///
    /// The item was rejected by the first commit and stays so whatever the journal answered: only
    /// the saga is closed, and the item catches up with the round under which the journal knows it.
    pub(super) async fn suppressed(
        &self,
        ws: WorkspaceId,
        payload: &SagaPayload,
        operation: &OperationId,
        seen: &LoadedItem,
        written: &Written,
        now: Timestamp,
    ) -> Result<(Option<LoadedItem>, Vec<Op>, Vec<ChangeRow>), DecideError> {
        let Written { answer, round } = written;
        let status = match answer {
            JournalOutcome::Done(_) => OperationStatus::Completed,
            JournalOutcome::Never(_) | JournalOutcome::Later(_) => OperationStatus::Failed,
        };
        let reason = answer.reason();
        let mut ops = self.catch_up_ops(ws, payload, seen, round).await?;
        ops.push(saga::close(ws, operation, Phase::AgentDone, status, reason.as_deref(), now));
        Ok((Some(seen.with(round.caught_up(&seen.item))), ops, Vec::new()))
    }

    /// Returns the ops that move an item and its decision to the round under which the journal was
    /// written; empty if the item is already in that round.
    async fn catch_up_ops(
        &self,
        ws: WorkspaceId,
        payload: &SagaPayload,
        seen: &LoadedItem,
        round: &Round,
    ) -> Result<Vec<Op>, DecideError> {
        if round.number == seen.item.round {
            return Ok(Vec::new());
        }
        let mut ops = vec![change_item::catch_up(ws, &seen.item, round.number, &round.operation)];
        let edit = |decision: &mut Decision| decision.round = round.number;
        ops.extend(self.edit_decision(ws, &payload.decision, seen.decision.as_ref(), edit).await?);
        Ok(ops)
    }

    /// Returns the op that writes a decision with a change; nothing if the decision is gone. One that
    /// this request has just written is known and not read.
    pub(crate) async fn edit_decision(
        &self,
        ws: WorkspaceId,
        decision: &DecisionId,
        known: Option<&Decision>,
        edit: impl FnOnce(&mut Decision),
    ) -> Result<Option<Op>, DecideError> {
        let decision = match known.filter(|known| known.id == *decision) {
            Some(known) => Some(Doc::new(known.clone())),
            None => {
                let decision = entity::by_id::<Decision>(ws, decision.as_str());
                self.store.first(decision).await?.map(|stored| stored.doc)
            }
        };
        Ok(decision.map(|mut decision| {
            edit(&mut decision.value);
            entity::put(ws, &decision)
        }))
    }

    /// Returns the messages of an applied decision: `action` and `toolResult` on the decision
    /// thread, and a link to each journal entity it touched.
    ///
    /// Several people may decide about one agent at once. `expect_end` makes the commit fail if the
    /// thread has grown since it was read, so two decisions cannot take the same place in it.
    async fn decision_messages(
        &self,
        ws: WorkspaceId,
        payload: &SagaPayload,
        item: &Item,
        answer: &JournalOutcome,
        now: Timestamp,
    ) -> Result<Vec<Op>, DecideError> {
        let thread = thread(&payload.proposer);
        let mut chain = Chain::new(ws, payload.proposer.clone(), thread.clone(), None);
        let mut end = 0;
        for stored in self.store.all(message::newest(ws, &thread)).await? {
            end = stored.columns.clock.values().copied().fold(end, i64::max);
            if stored.doc.value.metadata.n > chain.count {
                chain.follow(&stored.doc.value);
            }
        }
        let metadata = Metadata {
            tool_name: Some(item.tool.clone()),
            operation_id: Some(item.operation.to_string()),
            ..Metadata::default()
        };
        let trigger = Some(format!("{}:{}", item.set, item.index));
        let args: serde_json::Value = serde_json::from_str(&item.args).unwrap_or_default();
        let action = Draft {
            kind: MessageKind::Action,
            content: json!({ "tool": item.tool, "args": args, "decision": payload.decision })
                .to_string(),
            content_type: "application/json",
            trigger: trigger.clone(),
            metadata: metadata.clone(),
        };
        let (refused, text, touched) = match answer {
            JournalOutcome::Done(edited) => {
                let mut touched = vec![edited.task.to_string()];
                touched.extend(edited.made.iter().cloned());
                touched.extend(args["id"].as_str().map(ToOwned::to_owned));
                (false, json!({ "applied": true, "revision": edited.revision }), touched)
            }
            JournalOutcome::Never(_) | JournalOutcome::Later(_) => {
                (true, json!({ "applied": false, "reason": answer.reason() }), Vec::new())
            }
        };
        let result = Draft {
            kind: MessageKind::ToolResult,
            content: text.to_string(),
            content_type: "application/json",
            trigger,
            metadata: Metadata { refused: Some(refused), ..metadata },
        };
        // Fails the commit if another decision was appended since the thread was read.
        let mut ops = vec![message::expect_end(ws, &thread, end)];
        ops.extend(chain.append(action, now, &*self.entropy).1);
        let (id, more) = chain.append(result, now, &*self.entropy);
        ops.extend(more);
        for entity in touched {
            let link = LinkId::fresh(now, &*self.entropy);
            let link = link::Link::new(link, &id, entity, AgentLinkKind::ToolEffect, now);
            ops.push(link::insert(ws, &link));
        }
        Ok(ops)
    }
}

/// Derives the id of the decision thread of a proposer.
pub fn thread(proposer: impl Into<HolderId>) -> ThreadId {
    let proposer = proposer.into();
    let (_, rest) = proposer.as_str().split_once('-').expect("an id begins with its prefix");
    format!("th-{rest}").parse().expect("the rest of an id is an id")
}

impl JournalOutcome {
    /// Returns why it was not applied.
    fn reason(&self) -> Option<String> {
        match self {
            Self::Done(_) => None,
            Self::Never(reason) => Some(reason.clone()),
            Self::Later(DecideError::NotApplied { reason, .. }) => Some(reason.clone()),
            Self::Later(error) => Some(error.to_string()),
        }
    }
}
