//! Hooks of agent work, with their newest calls and what was refused.

use dormouse_store::agent::work::hook::{self, Hook};
use dormouse_store::agent::work::hook_call::{self, HookCall, HookHour};
use dormouse_types::{HookId, WorkId, WorkspaceId};

use crate::view::{Page, WorkHook, WorkHookCall, WorkHookHour, WorkHookRefused, WorkHookSecret};
use crate::{Queries, QueryError, page};

/// How many calls of a hook are shown.
const CALLS: i64 = 10;
/// How many hours of a hook are shown.
const HOURS: i64 = 24;

impl Queries {
    /// The hooks of a definition, oldest first, on one page.
    pub async fn work_hooks(
        &self,
        ws: WorkspaceId,
        work: &WorkId,
    ) -> Result<Page<WorkHook>, QueryError> {
        let (mut items, mut damaged) = (Vec::new(), Vec::new());
        for found in page::sound(self.store.each(hook::of_work(ws, work)).await?, &mut damaged) {
            items.push(self.hook_view(ws, found).await?);
        }
        Ok(Page { items, next_cursor: None, damaged })
    }

    /// A hook; `None` if there is none, or it was removed.
    pub async fn work_hook(
        &self,
        ws: WorkspaceId,
        id: &HookId,
    ) -> Result<Option<WorkHook>, QueryError> {
        match self.store.first(hook::by_id(ws, id)).await? {
            Some(found) if found.removed_at.is_none() => Ok(Some(self.hook_view(ws, found).await?)),
            Some(_) | None => Ok(None),
        }
    }

    async fn hook_view(&self, ws: WorkspaceId, hook: Hook) -> Result<WorkHook, QueryError> {
        let calls = self.store.all(hook_call::newest(ws, &hook.id, CALLS)).await?;
        let hours = self.store.all(hook_call::hours(ws, Some(&hook.id), HOURS)).await?;
        let secrets = hook.secrets.into_iter().map(|one| WorkHookSecret {
            n: one.n,
            created: one.created_at,
            expires_at: one.expires_at,
        });
        Ok(WorkHook {
            path: format!("/api/hooks/{}", hook.id),
            id: hook.id,
            task_id: hook.work,
            name: hook.name,
            form: hook.form,
            secrets: secrets.collect(),
            created: hook.created_at,
            calls: calls.into_iter().map(call_view).collect(),
            hours: hours.into_iter().map(hour_view).collect(),
        })
    }
}

fn call_view(call: HookCall) -> WorkHookCall {
    WorkHookCall {
        delivery_id: call.delivery,
        run_id: call.run,
        sender: call.sender,
        bytes: call
            .removed_bytes
            .map_or(call.payload.len(), |n| usize::try_from(n).unwrap_or_default()),
        at: call.received_at,
    }
}

fn hour_view(hour: HookHour) -> WorkHookHour {
    let refused = hour.refused.into_iter().filter(|(_, n)| *n > 0);
    let (last_refusal, last_sender, last_at) = match hour.last_refused {
        Some((why, sender, at)) => (Some(why), Some(sender), Some(at)),
        None => (None, None, None),
    };
    WorkHookHour {
        hour: hour.hour,
        started: hour.n_started,
        repeated: hour.n_repeated,
        refused: refused.map(|(why, n)| WorkHookRefused { why, n }).collect(),
        last_refusal,
        last_sender,
        last_at,
    }
}
