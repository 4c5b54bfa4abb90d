//! Conversations: what runs report there, and what people and other programs add.
//!
//! A run reports in its final commit, so a result is said once or the run has not ended. Work with a
//! schedule reports in one conversation of the workspace; work that was begun in a conversation reports
//! there, and in one of its own if that was deleted. Other work reports nowhere: its result is on its page.
//! Only what a run published is a result, or what a person approved of one that published nothing; of any
//! other run that ended well it is said that it has none. A run that found nothing to do says nothing, and one that failed is
//! among what needs the person.

use dormouse_store::agent::conversation::{self, Conversation, NewTurn, TaskRef};
use dormouse_store::agent::source::Source;
use dormouse_store::agent::work::definition::Definition;
use dormouse_store::agent::work::run::Run;
use dormouse_store::{ChangeRow, Commit, Db, MaybeRefused as _, Op, Refusal, retry};
use dormouse_types::audit::AuditAction;
use dormouse_types::conversation::{ConversationKind, SCHEDULED_EVENTS, TaskAction, TurnRole};
use dormouse_types::work::{WorkSource, WorkType};
use dormouse_types::{ConversationId, EventKind, Id as _, Timestamp, WorkId, WorkspaceId, limits};

use crate::attempt::{is_built_in, key_of_attempt};
use crate::error::broken;
use crate::snapshot::Step;
use crate::wording::title;
use crate::{ATTEMPTS, RequestContext, Work, WorkError, event};

/// What the end of a run adds to a conversation.
pub(crate) struct Report {
    /// The writes.
    pub ops: Vec<Op>,
    /// What clients learn.
    pub news: ChangeRow,
}

/// Where a definition reports what its runs come to.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// The conversation in which it was begun.
    There(ConversationId),
    /// The one of the workspace for what has a schedule.
    ScheduledEvents,
    Own,
}

/// Decides where a definition reports; `None` if nowhere.
fn place_of(definition: &Definition) -> Option<Place> {
    match (definition.kind, definition.source) {
        (WorkType::Scheduled, _) => Some(Place::ScheduledEvents),
        (WorkType::Immediate, WorkSource::Conversation) => {
            let begun_in = definition.source_ref.as_ref().and_then(|id| id.parse().ok());
            Some(begun_in.map_or(Place::Own, Place::There))
        }
        (WorkType::Immediate, _) => None,
    }
}

/// Returns what a step adds to a conversation; `None` if no run came to a result in it, or there is nothing
/// to say.
pub(crate) fn report(ws: WorkspaceId, step: &Step, now: Timestamp) -> Option<Report> {
    let (definition, run) = step.succeeded()?;
    if definition.deleted_at.is_some() {
        return None;
    }
    let place = place_of(definition)?;
    let content = outcome_text(run);
    let (id, begins) = match place {
        Place::There(id) => (id, None),
        Place::ScheduledEvents => {
            let id = ConversationId::of_scheduled_events();
            (id.clone(), Some(empty(id, ConversationKind::ScheduledEvents, SCHEDULED_EVENTS, now)))
        }
        Place::Own => {
            let id = ConversationId::of_work(&definition.id);
            (id, Some(own(definition, now)))
        }
    };
    let turn = NewTurn {
        role: TurnRole::Assistant,
        title: run.result_title.clone(),
        content: content.to_owned(),
        task_ref: Some(TaskRef { work: definition.id.clone(), action: TaskAction::Completed }),
        run: Some((run.id.clone(), run.n)),
        sources: sources_of(run),
        at: now,
    };
    let mut ops = Vec::from_iter(begins.map(|new| conversation::begin(ws, &new)));
    ops.extend(conversation::add_turn(ws, &id, &turn));
    Some(Report { ops, news: changed(&id) })
}

/// What is said of a run that published nothing.
pub(crate) const NO_RESULT: &str = "It ended without a result; what it did is in its log.";

/// What a run that ended well came to. Its summary is its own word for it, and counts only if a person approved
/// it.
pub(crate) fn outcome_text(run: &Run) -> &str {
    let approved = run.summary.as_ref().filter(|_| run.ended_by.is_some());
    let text = run.result.as_ref().or(approved).filter(|it| !it.trim().is_empty());
    text.map_or(NO_RESULT, String::as_str)
}

/// What the words of a run were made of: whatever its attempts were shown. What a run without a language
/// model says is made of private tasks, too, and stays unknown.
fn sources_of(run: &Run) -> Vec<Source> {
    if is_built_in(run) {
        return vec![Source::Unknown];
    }
    (0..=run.attempt).map(|n| Source::Run(key_of_attempt(&run.id, n))).collect()
}

fn empty(id: ConversationId, kind: ConversationKind, title: &str, now: Timestamp) -> Conversation {
    let title = title.to_owned();
    Conversation { id, kind, work: None, title, n_turns: 0, created_at: now, updated_at: now }
}

/// The conversation that is bound to a definition.
fn own(definition: &Definition, now: Timestamp) -> Conversation {
    let id = ConversationId::of_work(&definition.id);
    Conversation {
        work: Some(definition.id.clone()),
        ..empty(id, ConversationKind::Task, &definition.title, now)
    }
}

fn changed(id: &ConversationId) -> ChangeRow {
    event(EventKind::ConversationChanged, id.as_str())
}

/// The writes and the news of work that is begun in a conversation: the request is its first turn
/// there.
pub(crate) fn begun_in(
    ws: WorkspaceId,
    id: &ConversationId,
    work: &WorkId,
    instructions: &str,
    now: Timestamp,
) -> Report {
    let turn = NewTurn {
        role: TurnRole::User,
        title: None,
        content: instructions.to_owned(),
        task_ref: Some(TaskRef { work: work.clone(), action: TaskAction::Created }),
        run: None,
        sources: Vec::new(),
        at: now,
    };
    Report { ops: conversation::add_turn(ws, id, &turn), news: changed(id) }
}

impl Work {
    /// A conversation.
    ///
    /// Errors: there is none.
    pub async fn conversation(
        &self,
        ws: WorkspaceId,
        id: &ConversationId,
    ) -> Result<Conversation, WorkError> {
        let found = self.store.first(conversation::by_id(ws, id)).await?;
        found.ok_or_else(|| WorkError::NoConversation { conversation: id.clone() })
    }

    /// Begins a conversation.
    ///
    /// Errors: the title is blank or too long.
    pub async fn begin_conversation(
        &self,
        ws: WorkspaceId,
        given: &str,
        context: &RequestContext,
    ) -> Result<ConversationId, WorkError> {
        let title = title(given)?;
        let now = self.clock.now();
        let id = ConversationId::fresh(now, &*self.entropy);
        let new = empty(id.clone(), ConversationKind::Begun, &title, now);
        let mut commit = Commit::new("conversation.begin", Db::Agent, ws)
            .op(conversation::insert(ws, &new))
            .change(changed(&id))
            .audit(context.audit(AuditAction::ConversationBegin, id.as_str()));
        commit.once = context.once("conversation.begin", &title, id.as_str());
        match self.store.commit(commit).await?.replayed {
            Some(answer) => answer.parse().map_err(broken),
            None => Ok(id),
        }
    }

    /// The conversation in which a definition was begun; one of its own if it was begun elsewhere, or that
    /// was deleted. To ask twice changes nothing.
    pub async fn conversation_of_work(
        &self,
        ws: WorkspaceId,
        work: &WorkId,
        context: &RequestContext,
    ) -> Result<ConversationId, WorkError> {
        let opened = retry(ATTEMPTS, &[Refusal::Missing], || async {
            let definition = self.definition(ws, work).await?;
            if definition.source == WorkSource::Conversation
                && let Some(id) = definition.source_ref.as_ref().and_then(|id| id.parse().ok())
            {
                return Ok(id);
            }
            let id = ConversationId::of_work(work);
            if self.store.first(conversation::by_id(ws, &id)).await?.is_some() {
                return Ok(id);
            }
            let commit = Commit::new("conversation.begin", Db::Agent, ws)
                .op(conversation::begin(ws, &own(&definition, self.clock.now())))
                .op(conversation::link(ws, &id, work))
                .change(changed(&id))
                .audit(context.audit(AuditAction::ConversationBegin, id.as_str()));
            self.store.commit(commit).await?;
            Ok(id)
        })
        .await;
        opened.map_err(|error: WorkError| self.busy(work, error))
    }

    /// Adds what a person says. Nothing answers it.
    ///
    /// Errors: it is blank or too long; there is no such conversation; it refers to work that is not there.
    pub async fn add_turn(
        &self,
        ws: WorkspaceId,
        id: &ConversationId,
        content: &str,
        task_ref: Option<TaskRef>,
        context: &RequestContext,
    ) -> Result<(), WorkError> {
        if content.trim().is_empty() {
            return Err(WorkError::Blank { what: "content" });
        }
        limits::CONVERSATION_TURN.check(content.len())?;
        self.conversation(ws, id).await?;
        if let Some(refers) = &task_ref {
            self.definition(ws, &refers.work).await?;
        }
        let subject = format!("{id}|{content}|{task_ref:?}");
        let turn = NewTurn {
            role: TurnRole::User,
            title: None,
            content: content.to_owned(),
            task_ref: task_ref.clone(),
            run: None,
            sources: Vec::new(),
            at: self.clock.now(),
        };
        let mut commit = Commit::new("conversation.turn", Db::Agent, ws)
            .ops(conversation::add_turn(ws, id, &turn))
            .change(changed(id))
            .audit(context.audit(AuditAction::ConversationTurn, id.as_str()));
        commit.once = context.once("conversation.turn", &subject, id.as_str());
        let added = self.store.commit(commit).await.map_err(WorkError::from);
        added.map(|_| ()).map_err(|error| match (error.refusal(), task_ref) {
            // Somebody deleted it since it was read.
            (Some(Refusal::Missing), Some(refers)) => WorkError::NotFound { work: refers.work },
            (Some(Refusal::Stale), _) => WorkError::NoConversation { conversation: id.clone() },
            _ => error,
        })
    }

    /// Deletes a conversation with its turns. Work that was begun there reports in one of its own from now
    /// on. Returns the answer to the request: the one that was given, or for a repeated request the first one.
    ///
    /// Errors: there is none.
    pub async fn delete_conversation(
        &self,
        ws: WorkspaceId,
        id: &ConversationId,
        answer: &str,
        context: &RequestContext,
    ) -> Result<String, WorkError> {
        let mut commit = Commit::new("conversation.delete", Db::Agent, ws)
            .ops(conversation::delete(ws, id))
            .change(changed(id))
            .audit(context.audit(AuditAction::ConversationDelete, id.as_str()));
        commit.once = context.once("conversation.delete", id.as_str(), answer);
        match self.store.commit(commit).await.map_err(WorkError::from) {
            Ok(committed) => Ok(committed.replayed.unwrap_or_else(|| answer.to_owned())),
            Err(error) if error.refusal() == Some(Refusal::Missing) => {
                Err(WorkError::NoConversation { conversation: id.clone() })
            }
            Err(error) => Err(error),
        }
    }
}
