//! What needs the person: the list, and what they have taken note of.

use dormouse_queries::{AttentionEntry, AttentionFilter};
use dormouse_store::agent::acknowledgement::{self, Acknowledgement};
use dormouse_store::{Audit, ChangeRow, Commit, Db, Op};
use dormouse_types::audit::AuditAction;
use dormouse_types::{Caller, EventKind, Origin, Scope, Timestamp};

use crate::request::require;
use crate::view::{Attention, Page};
use crate::{Dormouse, Error};

impl Dormouse {
    /// A page of what needs the user, or of a part of it, newest first; items about to expire come last. What
    /// they have taken note of is left out.
    pub async fn attention_list(
        &self,
        caller: &Caller,
        filter: AttentionFilter,
        limit: usize,
        cursor: Option<&str>,
    ) -> Result<Page<Attention>, Error> {
        require(caller, Scope::Read)?;
        Ok(self.queries.attention_list(caller.workspace, filter, limit, cursor).await?)
    }

    /// Takes note of an entry, which leaves the list until there is a later one for the same reason and
    /// object. `since` is that of the entry as it was seen: one that came meanwhile stays.
    ///
    /// Scope: decide, because an agent must not hide from the person what needs them.
    pub async fn acknowledge(
        &self,
        caller: &Caller,
        entry: &str,
        since: Timestamp,
    ) -> Result<Attention, Error> {
        require(caller, Scope::Decide)?;
        let seen = self.attention_entry(caller, entry).await?;
        let new = Acknowledgement { entry: entry.to_owned(), since, at: self.clock.now() };
        let op = acknowledgement::put(caller.workspace, &new, &caller.actor.to_string());
        self.note(caller, AuditAction::AttentionAcknowledge, entry, op).await?;
        Ok(seen.acknowledged(&new))
    }

    /// Puts an entry back into the list.
    ///
    /// Scope: decide, as for [`Self::acknowledge`].
    pub async fn take_back_acknowledgement(
        &self,
        caller: &Caller,
        entry: &str,
    ) -> Result<Attention, Error> {
        require(caller, Scope::Decide)?;
        let seen = self.attention_entry(caller, entry).await?;
        let op = acknowledgement::delete(caller.workspace, entry);
        self.note(caller, AuditAction::AttentionTakeBack, entry, op).await?;
        Ok(seen.taken_back())
    }

    async fn note(
        &self,
        caller: &Caller,
        action: AuditAction,
        entry: &str,
        op: Op,
    ) -> Result<(), Error> {
        let origin = Origin::Person { via: None };
        let change = ChangeRow::agent(origin, EventKind::AttentionAcknowledged, None, entry);
        let audit = Audit {
            actor: caller.actor.clone(),
            action,
            object: entry.to_owned(),
            detail: String::new(),
        };
        let commit = Commit::new("attention.acknowledge", Db::Agent, caller.workspace);
        self.store.commit(commit.op(op).change(change).audit(audit)).await?;
        Ok(())
    }

    async fn attention_entry(&self, caller: &Caller, entry: &str) -> Result<AttentionEntry, Error> {
        let found = self.queries.attention_entry(caller.workspace, entry).await?;
        let what = "entry in the list of what needs you:";
        found.ok_or_else(|| Error::NotFound { what, id: entry.to_owned() })
    }
}
