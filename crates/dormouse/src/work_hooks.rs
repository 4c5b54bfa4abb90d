//! Hooks of agent work: made, rotated and removed by a person, called by programs outside.

use dormouse_types::{Caller, HookId, Scope, WorkId};

use crate::request::require;
use crate::view::{CreatedWorkHook, Page, ReceivedCall, Secret, WorkHook};
use crate::work::keyless_context;
use crate::{Dormouse, Error, WORKSPACE};

pub use dormouse_work::hook::receive::IncomingCall;
pub use dormouse_work::hook::signature::HookHeaders;
pub use dormouse_work::hook::{NewHook, OldSecrets};

impl Dormouse {
    /// The hooks of a definition, oldest first, with their newest calls and what was refused.
    pub async fn work_hooks(&self, caller: &Caller, id: &WorkId) -> Result<Page<WorkHook>, Error> {
        require(caller, Scope::Read)?;
        self.work.definition(caller.workspace, id).await?;
        Ok(self.queries.work_hooks(caller.workspace, id).await?)
    }

    /// Makes a hook; its secret is returned this once.
    ///
    /// Scope: admin, because anyone who has the secret starts runs from then on, whatever becomes of the
    /// token of the caller.
    pub async fn add_work_hook(
        &self,
        caller: &Caller,
        id: &WorkId,
        new: NewHook,
    ) -> Result<CreatedWorkHook, Error> {
        require(caller, Scope::Admin)?;
        let by = keyless_context(caller);
        let (hook, secret) = self.work.add_hook(caller.workspace, id, &new, &by).await?;
        self.created_hook(caller, &hook, secret.expose()).await
    }

    /// Gives a hook a new secret, which is returned this once.
    ///
    /// Scope: admin, as for [`Self::add_work_hook`].
    pub async fn rotate_work_hook(
        &self,
        caller: &Caller,
        id: &WorkId,
        hook: &HookId,
        given: Option<&str>,
        old: OldSecrets,
    ) -> Result<CreatedWorkHook, Error> {
        require(caller, Scope::Admin)?;
        let (ws, by) = (caller.workspace, keyless_context(caller));
        let secret = self.work.rotate_hook(ws, id, hook, (given, old), &by).await?;
        self.created_hook(caller, hook, secret.expose()).await
    }

    /// Removes a hook, and returns it as it was. What it started stays.
    ///
    /// Scope: admin, as for [`Self::add_work_hook`].
    pub async fn remove_work_hook(
        &self,
        caller: &Caller,
        id: &WorkId,
        hook: &HookId,
    ) -> Result<WorkHook, Error> {
        require(caller, Scope::Admin)?;
        let view = self.hook_view(caller, hook).await?;
        let by = keyless_context(caller);
        self.work.remove_hook(caller.workspace, id, hook, &by).await?;
        Ok(view)
    }

    /// Takes a call of a hook. The sender has no token: the signature says who it is, and it is
    /// allowed nothing but to start a run of the work of its hook.
    ///
    /// Errors: it is refused; the refusal is counted.
    pub async fn receive_call(&self, call: &IncomingCall) -> Result<ReceivedCall, Error> {
        let received = self.work.receive(WORKSPACE, call).await?;
        Ok(ReceivedCall { run_id: received.run, is_repeated: received.is_repeated })
    }

    async fn created_hook(
        &self,
        caller: &Caller,
        id: &HookId,
        secret: &str,
    ) -> Result<CreatedWorkHook, Error> {
        let hook = self.hook_view(caller, id).await?;
        Ok(CreatedWorkHook { secret: Secret(secret.to_owned()), hook })
    }

    async fn hook_view(&self, caller: &Caller, id: &HookId) -> Result<WorkHook, Error> {
        let found = self.queries.work_hook(caller.workspace, id).await?;
        found.ok_or_else(|| Error::NotFound { what: "hook", id: id.to_string() })
    }
}
