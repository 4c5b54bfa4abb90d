//! Hooks: addresses that programs outside call to start a run.
//!
//! An address identifies a hook and never authorises a call: each call is signed with a secret of the
//! hook. The secret is shown once, to the person who makes it. It has to be known to verify a signature,
//! so it is kept, sealed by a key that is in neither database.
//!
//! A call that is accepted is one commit with its run: the call comes again after a crash between that
//! commit and its answer, and is answered with the same run.

pub mod signature;
pub mod seal;
pub mod receive;
pub mod bodies;

use dormouse_store::agent::work::definition;
use dormouse_store::agent::work::hook::{self, Hook, SealedSecret};
use dormouse_store::{Commit, Db, Refusal, retry};
use dormouse_types::audit::AuditAction;
use dormouse_types::work::{WorkState, WorkType};
use dormouse_types::work_hook::HookForm;
use dormouse_types::{EventKind, HookId, Id as _, Timestamp, WorkId, WorkspaceId, limits};

use crate::{ATTEMPTS, RequestContext, Work, WorkError, event};
use signature::HookSecret;

/// A hook that is to be made.
#[derive(Debug, Clone)]
pub struct NewHook {
    /// What the person calls it.
    pub name: String,
    /// How its calls are signed.
    pub form: HookForm,
    /// The secret that the sender made; `None` makes one.
    pub secret: Option<String>,
}

/// How long the older secrets of a hook are accepted when it gets a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OldSecrets {
    /// They are accepted for another day, so that no call is lost meanwhile.
    LastADay,
    /// They are never accepted again.
    EndNow,
}

impl Work {
    /// The hooks of a definition, oldest first.
    pub async fn hooks(&self, ws: WorkspaceId, work: &WorkId) -> Result<Vec<Hook>, WorkError> {
        self.definition(ws, work).await?;
        Ok(self.store.all(hook::of_work(ws, work)).await?)
    }

    /// Makes a hook, and returns its secret, which is shown this once.
    ///
    /// Errors: the name is blank; there are too many; the definition runs once or is archived; the secret
    /// that was given is none; there is nowhere to keep the key.
    pub async fn add_hook(
        &self,
        ws: WorkspaceId,
        work: &WorkId,
        new: &NewHook,
        context: &RequestContext,
    ) -> Result<(HookId, HookSecret), WorkError> {
        let name = new.name.trim();
        if name.is_empty() {
            return Err(WorkError::Blank { what: "name of the hook" });
        }
        limits::HOOK_NAME.check(name.chars().count())?;
        let added = retry(ATTEMPTS, &[Refusal::Stale], || async {
            let definition = self.definition(ws, work).await?;
            let state = definition.state;
            let cannot = |hint| WorkError::State { work: work.clone(), state, hint };
            if definition.state == WorkState::Archived {
                return Err(cannot("it never runs again"));
            }
            if definition.kind == WorkType::Immediate {
                return Err(cannot("it runs once: make new work that a hook starts"));
            }
            // Each new hook writes the definition, so none was added since it was read.
            let known = self.store.each(hook::of_work(ws, work)).await?;
            limits::HOOKS.check(known.len() + 1)?;
            let now = self.clock.now();
            let id = HookId::fresh(now, &*self.entropy);
            let secret = self.secret(new.form, new.secret.as_deref())?;
            let made = Hook {
                secrets: vec![self.sealed(&id, 1, &secret, now)?],
                id: id.clone(),
                work: work.clone(),
                name: name.to_owned(),
                form: new.form,
                revision: 1,
                made_by: context.actor.to_string(),
                created_at: now,
                removed_at: None,
            };
            let commit = Commit::new("work.hookAdd", Db::Agent, ws)
                .op(definition::mark_written(ws, &definition))
                .op(hook::insert(ws, &made))
                .change(event(EventKind::WorkStatus, work.as_str()))
                .audit(context.audit(AuditAction::WorkHookAdd, id.as_str()));
            self.store.commit(commit).await?;
            Ok((id, secret))
        })
        .await;
        added.map_err(|error: WorkError| self.busy(work, error))
    }

    /// Gives a hook a new secret, and returns it; it is shown this once.
    pub async fn rotate_hook(
        &self,
        ws: WorkspaceId,
        work: &WorkId,
        id: &HookId,
        (given, old): (Option<&str>, OldSecrets),
        context: &RequestContext,
    ) -> Result<HookSecret, WorkError> {
        let rotated = retry(ATTEMPTS, &[Refusal::Stale], || async {
            let read = self.hook_of(ws, work, id).await?;
            let now = self.clock.now();
            let secret = self.secret(read.form, given)?;
            let n = read.secrets.last().map_or(0, |last| last.n) + 1;
            let fresh = self.sealed(id, n, &secret, now)?;
            let secrets = rotated(&read.secrets, fresh, old, now);
            let commit = Commit::new("work.hookRotate", Db::Agent, ws)
                .op(hook::put_secrets(ws, &read, &secrets))
                .change(event(EventKind::WorkStatus, work.as_str()))
                .audit(context.audit(AuditAction::WorkHookRotate, id.as_str()));
            self.store.commit(commit).await?;
            Ok(secret)
        })
        .await;
        rotated.map_err(|error: WorkError| self.busy(work, error))
    }

    /// Removes a hook: its address starts nothing from now on. What it started stays.
    pub async fn remove_hook(
        &self,
        ws: WorkspaceId,
        work: &WorkId,
        id: &HookId,
        context: &RequestContext,
    ) -> Result<(), WorkError> {
        self.hook_of(ws, work, id).await?;
        let commit = Commit::new("work.hookRemove", Db::Agent, ws)
            .op(hook::remove(ws, id, self.clock.now()))
            .change(event(EventKind::WorkStatus, work.as_str()))
            .audit(context.audit(AuditAction::WorkHookRemove, id.as_str()));
        match self.store.commit(commit).await.map_err(WorkError::from) {
            Err(error) if dormouse_store::MaybeRefused::refusal(&error) == Some(Refusal::Stale) => {
                Err(WorkError::NoHook { hook: id.clone() })
            }
            other => other.map(drop),
        }
    }

    async fn hook_of(
        &self,
        ws: WorkspaceId,
        work: &WorkId,
        id: &HookId,
    ) -> Result<Hook, WorkError> {
        self.definition(ws, work).await?;
        let found = self.store.first(hook::by_id(ws, id)).await?;
        let found = found.filter(|found| found.work == *work && found.removed_at.is_none());
        found.ok_or_else(|| WorkError::NoHook { hook: id.clone() })
    }

    fn secret(&self, form: HookForm, given: Option<&str>) -> Result<HookSecret, WorkError> {
        match given {
            Some(given) => HookSecret::read(form, given.trim()).map_err(WorkError::HookSecret),
            None => Ok(HookSecret::fresh(form, self.random())),
        }
    }

    fn sealed(
        &self,
        hook: &HookId,
        n: i64,
        secret: &HookSecret,
        now: Timestamp,
    ) -> Result<SealedSecret, WorkError> {
        let key =
            self.sealing_keys().find_or_keep(self.random()).map_err(WorkError::NoSealingKey)?;
        let sealed = seal::seal(&key, hook, n, self.random(), secret.expose());
        Ok(SealedSecret { n, sealed, created_at: now, expires_at: None })
    }

    fn random<const N: usize>(&self) -> [u8; N] {
        let mut bytes = [0; N];
        self.entropy.fill(&mut bytes);
        bytes
    }
}

/// The secrets of a hook that are accepted at a time.
fn accepted(secrets: &[SealedSecret], now: Timestamp) -> impl Iterator<Item = &SealedSecret> {
    secrets.iter().filter(move |one| one.expires_at.is_none_or(|until| now < until))
}

/// The secrets of a hook after it got a new one.
fn rotated(
    known: &[SealedSecret],
    fresh: SealedSecret,
    old: OldSecrets,
    now: Timestamp,
) -> Vec<SealedSecret> {
    let until = Timestamp::from_micros(
        now.micros().saturating_add(limits::HOOK_ROTATION_SECONDS * 1_000_000),
    );
    let kept = accepted(known, now).filter(|_| old == OldSecrets::LastADay).map(|one| {
        let expires_at = Some(one.expires_at.map_or(until, |at| at.min(until)));
        SealedSecret { expires_at, ..one.clone() }
    });
    let kept: Vec<SealedSecret> = kept.collect();
    let n_left_out = (kept.len() + 1).saturating_sub(limits::HOOK_SECRETS);
    kept.into_iter().skip(n_left_out).chain([fresh]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(hours: i64) -> Timestamp {
        Timestamp::from_micros(hours * 3_600_000_000)
    }

    fn secret(n: i64, expires_at: Option<i64>) -> SealedSecret {
        let sealed = String::new();
        SealedSecret { n, sealed, created_at: at(0), expires_at: expires_at.map(at) }
    }

    fn check(known: &[SealedSecret], old: OldSecrets, now: i64) -> Vec<(i64, Option<Timestamp>)> {
        let n = known.last().map_or(1, |last| last.n + 1);
        let all = rotated(known, secret(n, None), old, at(now));
        all.into_iter().map(|one| (one.n, one.expires_at)).collect()
    }

    #[test]
    fn an_old_secret_lasts_another_day_and_no_longer_than_it_did() {
        let known = [secret(1, Some(5)), secret(2, Some(20)), secret(3, None)];
        assert_eq!(
            check(&known, OldSecrets::LastADay, 10),
            [(2, Some(at(20))), (3, Some(at(34))), (4, None)]
        );
        assert_eq!(check(&known, OldSecrets::EndNow, 10), [(4, None)]);
        let accepted: Vec<i64> = accepted(&known, at(20)).map(|one| one.n).collect();
        assert_eq!(accepted, [3], "it ends at the minute that it names");
    }

    #[test]
    fn the_oldest_secret_gives_way_to_the_newest() {
        let known: Vec<_> = (1..=5).map(|n| secret(n, None)).collect();
        let left: Vec<i64> =
            check(&known, OldSecrets::LastADay, 1).into_iter().map(|(n, _)| n).collect();
        assert_eq!(left, [2, 3, 4, 5, 6]);
    }
}
