//! Requests that come again under their key, because their answer was lost.
//!
//! A key stands for a request as it was sent. What its words mean moves with the clock, and what they name may be
//! gone: so where words are read before a request is decided, its receipt is looked up first.

use dormouse_store::{Db, Once, receipt};
use dormouse_types::audit::AuditAction;
use dormouse_types::{WorkId, WorkspaceId};

use crate::error::broken;
use crate::occurrence;
use crate::snapshot::Written;
use crate::{RequestContext, Work, WorkError};

/// A request whose words are read before it is decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Worded<'a> {
    Create,
    Edit(&'a WorkId),
    /// Moves the occurrence with this key.
    Move(&'a WorkId, &'a str),
    Suspend(&'a WorkId),
}

impl Worded<'_> {
    /// What is done, and what a key stands for if this was sent.
    fn request(self, sent: &str) -> (AuditAction, String) {
        match self {
            Self::Create => (AuditAction::WorkCreate, sent.to_owned()),
            Self::Edit(id) => (AuditAction::WorkEdit, format!("{id}|{sent}")),
            Self::Move(id, key) => {
                let subject = occurrence::subject_of(key, Some(sent));
                (AuditAction::WorkMove, format!("{id}|{subject}"))
            }
            Self::Suspend(id) => (AuditAction::WorkSuspend, format!("{id}|{sent}")),
        }
    }
}

impl Work {
    /// What a request answered, if it is repeated: the work as it is now.
    ///
    /// Errors: the idempotency key stands for another request.
    pub async fn answered(
        &self,
        ws: WorkspaceId,
        request: Worded<'_>,
        context: &RequestContext,
    ) -> Result<Option<Written>, WorkError> {
        let (action, subject) = request.request(&context.sent);
        let Some(once) = context.once(action.name(), &subject, "") else { return Ok(None) };
        match self.first_answer(ws, &once).await? {
            Some(work) => self.written(ws, &work.parse().map_err(broken)?).await.map(Some),
            None => Ok(None),
        }
    }

    /// What a request answers that is refused: as the first time, if it is the same request again. What it did
    /// then may be why it is refused now.
    pub(crate) async fn unless_repeated(
        &self,
        ws: WorkspaceId,
        once: Option<&Once>,
        refused: WorkError,
    ) -> Result<String, WorkError> {
        let Some(once) = once else { return Err(refused) };
        self.first_answer(ws, once).await?.ok_or(refused)
    }

    /// What the first request under a key answered; `None` if there was none.
    ///
    /// Errors: it was another request.
    async fn first_answer(
        &self,
        ws: WorkspaceId,
        once: &Once,
    ) -> Result<Option<String>, WorkError> {
        match self.store.first(receipt::by_id(Db::Agent, ws, &once.id)).await? {
            Some(first) if first.request == once.request => Ok(Some(first.answer)),
            Some(_) => Err(WorkError::Reused { id: once.id.clone() }),
            None => Ok(None),
        }
    }
}
