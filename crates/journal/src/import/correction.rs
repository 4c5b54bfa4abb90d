//! What a person corrected in the plan of a file, kept for its next import.

use dormouse_store::Db;
use dormouse_store::commit::{Audit, Commit};
use dormouse_store::journal::import_correction;
use dormouse_types::WorkspaceId;
use dormouse_types::audit::AuditAction;

use crate::Journal;
use crate::error::JournalError;
use crate::write::EditCtx;

impl Journal {
    /// The corrections of a file, as they were kept.
    pub async fn import_corrections(
        &self,
        ws: WorkspaceId,
        file: &str,
    ) -> Result<Option<String>, JournalError> {
        Ok(self.store.first(import_correction::of_file(ws, file)).await?)
    }

    /// Keeps the corrections of a file in place of those that the caller saw.
    ///
    /// Refused as existing or missing, and keeps nothing, if they are others by now: two people who correct plans of
    /// one file must not undo each other's unseen.
    pub async fn keep_import_corrections(
        &self,
        ws: WorkspaceId,
        file: &str,
        seen: Option<&str>,
        corrections: &str,
        ctx: &EditCtx,
    ) -> Result<(), JournalError> {
        let op = match seen {
            None => import_correction::insert(ws, file, corrections),
            Some(seen) => import_correction::replace(ws, file, seen, corrections),
        };
        let audit = Audit {
            actor: ctx.actor.clone(),
            action: AuditAction::ImportCorrect,
            object: file.to_owned(),
            detail: String::new(),
        };
        let commit = Commit::new("journal.importCorrections", Db::Journal, ws).op(op).audit(audit);
        self.store.commit(commit).await?;
        Ok(())
    }
}
