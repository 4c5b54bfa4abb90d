//! Confirming what a rule of the person was made for.
//!
//! The commit that opens an item leaves it to its rule; the verdict of the rule takes it away again, in the
//! commit of the decision. A crash between the two leaves the item to the next round of this, and one after
//! the decision to the recovery of operations, so it is applied once.

use dormouse_store::agent::change_item::State;
use dormouse_store::agent::rule::{self, ItemByRule};
use dormouse_store::agent::wake_run::{self, Status};
use dormouse_store::{Commit, CommitError, Db};
use dormouse_types::{Actor, RunKey};

use crate::set::error::DecideError;
use crate::set::rows::LoadedItem;
use crate::set::service::{Changes, Decider};

/// How many items are confirmed at once.
const AT_ONCE: i64 = 200;

impl Changes {
    /// Confirms the items that wait for a rule and whose run has ended, oldest first. Returns how each ended.
    ///
    /// What cannot be confirmed waits for the person: its rule was removed meanwhile, or the item no longer
    /// holds.
    pub async fn confirm_by_rules(&self) -> Result<Vec<Result<String, String>>, DecideError> {
        let mut lines = Vec::new();
        for waiting in self.store.all(rule::waiting(AT_ONCE)).await? {
            let name = format!("{}:{}", waiting.set, waiting.index);
            match self.confirm_by_rule(&waiting).await {
                Ok(true) => lines.push(Ok(format!("proposal {name} was applied by a rule"))),
                Ok(false) => {}
                Err(DecideError::Commit(error)) if error.refusal().is_none() => {
                    return Err(error.into());
                }
                Err(error) => {
                    self.release(&waiting).await?;
                    lines.push(Err(format!("proposal {name} waits for the person: {error}")));
                }
            }
        }
        Ok(lines)
    }

    /// Returns whether the item was confirmed now.
    async fn confirm_by_rule(&self, waiting: &ItemByRule) -> Result<bool, DecideError> {
        let ItemByRule { ws, set, index, rule } = waiting;
        let LoadedItem { set: stored, item, .. } = self.load(*ws, set, *index).await?;
        let key = RunKey(stored.doc.value.run_key);
        let run = self.store.first(wake_run::by_key(*ws, &key)).await?;
        // A run goes on with the task as it has seen it, and may yet withdraw what it proposed.
        if run.is_some_and(|run| matches!(run.status, Status::Started | Status::Queued)) {
            return Ok(false);
        }
        // A verdict that the person undid is not given again.
        if item.state != State::Pending || item.round != 0 {
            self.release(waiting).await?;
            return Ok(false);
        }
        let who = Decider { ws: *ws, actor: Actor::Rule(rule.clone()), once: None, task: None };
        self.confirm(&who, set, *index, Some(&item.fingerprint)).await?;
        Ok(true)
    }

    async fn release(&self, waiting: &ItemByRule) -> Result<(), CommitError> {
        let ItemByRule { ws, set, index, .. } = waiting;
        let release = rule::release(*ws, set, *index);
        self.store.commit(Commit::new("rule.release", Db::Agent, *ws).op(release)).await?;
        Ok(())
    }
}
