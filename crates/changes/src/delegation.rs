//! Agent work that a confirmed proposal starts. What the work room writes for it is part of the commit
//! that ends the confirm, so it is started once, whatever crashes and however often it is confirmed.

use dormouse_store::agent::change_item::Item;
use dormouse_store::agent::wake_run;
use dormouse_store::change_log;
use dormouse_types::{Actor, OperationId, RunKey, WorkspaceId};

use crate::delegate::{Answer, StartedWork};
use crate::set::error::DecideError;
use crate::set::service::Changes;
use crate::tools;

impl Changes {
    /// Returns the work that an item starts; `None` if it starts none.
    pub(crate) async fn started_by(
        &self,
        ws: WorkspaceId,
        item: &Item,
        run_key: &str,
        operation: &OperationId,
        actor: Option<&Actor>,
    ) -> Result<Option<StartedWork>, DecideError> {
        let args = serde_json::from_str(&item.args).unwrap_or_default();
        let Some(wanted) = tools::item(&item.tool).and_then(|tool| tool.starts(&args)) else {
            return Ok(None);
        };
        Ok(Some(StartedWork {
            wanted,
            operation: operation.clone(),
            at: item.decided_at.unwrap_or(item.created_at),
            task: item.task.clone(),
            item: format!("{}:{}", item.set, item.index),
            actor: actor.cloned().unwrap_or(Actor::Owner),
            depth: self.depth_of_wake(ws, item, run_key).await?,
        }))
    }

    /// Returns what the person has to do before the work that an item asks for can be started.
    pub(crate) async fn not_yet(
        &self,
        ws: WorkspaceId,
        item: &Item,
    ) -> Result<Option<String>, DecideError> {
        let args = serde_json::from_str(&item.args).unwrap_or_default();
        let wanted = tools::item(&item.tool).and_then(|tool| tool.starts(&args));
        match wanted.zip(self.delegate()) {
            Some((wanted, delegate)) => delegate.not_yet(ws, &wanted).await,
            None => Ok(None),
        }
    }

    /// Returns how many results of agent work led to what a wake proposed: as many as to the deepest change
    /// that it was about.
    async fn depth_of_wake(
        &self,
        ws: WorkspaceId,
        item: &Item,
        run_key: &str,
    ) -> Result<i64, DecideError> {
        let key = RunKey(run_key.to_owned());
        let Some(run) = self.store.first(wake_run::by_key(ws, &key)).await? else {
            return self.depth_of(ws, item).await;
        };
        let changes = change_log::of_task(ws, &item.task, run.processed, run.upto);
        let changes = self.store.all(changes).await?;
        let deepest = changes.iter().map(|change| change.depth).max().unwrap_or(0);
        Ok(deepest.max(self.depth_of(ws, item).await?))
    }

    pub(crate) async fn start_work(
        &self,
        ws: WorkspaceId,
        work: &StartedWork,
    ) -> Result<Answer, DecideError> {
        match self.delegate() {
            Some(delegate) => delegate.start(ws, work).await,
            None => Ok(Answer::Never("this program does no agent work".into())),
        }
    }

    pub(crate) async fn take_back_work(
        &self,
        ws: WorkspaceId,
        work: &StartedWork,
    ) -> Result<Answer, DecideError> {
        match self.delegate() {
            Some(delegate) => delegate.take_back(ws, work).await,
            None => Ok(Answer::Never("this program does no agent work".into())),
        }
    }
}
