//! Tokens, one-time codes and tickets: created, exchanged, checked and revoked.

use std::sync::Arc;
use std::time::Duration;

use dormouse_store::journal::access_code::{self, AccessCode};
use dormouse_store::journal::token;
use dormouse_store::{Audit, Commit, CommitError, Db, Refusal, Store};
use dormouse_types::audit::AuditAction;
use dormouse_types::caller::Actor;
use dormouse_types::port::{Clock, Entropy};
use dormouse_types::{Caller, Id as _, Scope, Timestamp, TokenId, TokenKind, WorkspaceId, limits};

use crate::scope::{grantable, in_order, names};
use crate::tickets::Tickets;
use crate::view::{Code, CreatedToken, Exchanged, Secret, Ticket, Token};
use crate::{AccessError, require, scope, secret};

/// A token to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewToken {
    /// Its display name.
    pub name: String,
    /// The kind of holder.
    pub kind: TokenKind,
    /// Its scopes: at least one, and only scopes its creator has.
    pub scopes: Vec<Scope>,
    /// When it expires; `None` means never.
    pub expires_in_days: Option<u32>,
}

/// The tokens of all workspaces. Cheap to clone.
#[derive(Clone)]
pub struct Tokens {
    store: Store,
    clock: Arc<dyn Clock>,
    entropy: Arc<dyn Entropy>,
    tickets: Arc<Tickets>,
}

impl Tokens {
    /// The tokens that a store keeps, without any tickets yet.
    pub fn new(store: Store, clock: Arc<dyn Clock>, entropy: Arc<dyn Entropy>) -> Self {
        Self { store, clock, entropy, tickets: Arc::default() }
    }

    /// Creates a token. Its text is returned only here.
    ///
    /// Errors: a scope that the caller lacks, or that a token of this kind can never hold.
    pub async fn create(
        &self,
        caller: &Caller,
        new: NewToken,
    ) -> Result<CreatedToken, AccessError> {
        let scopes = in_order(&new.scopes);
        for scope in &scopes {
            require(caller, *scope)?;
        }
        let now = self.clock.now();
        let expires_at = match new.expires_in_days {
            None => None,
            Some(0) => return Err(invalid("expiresInDays", "a token must last at least 1 day")),
            Some(days) => {
                limits::TOKEN_DAYS.check(usize::try_from(days).unwrap_or(usize::MAX))?;
                Some(now + days_long(days))
            }
        };
        check_name(&new.name)?;
        scope::check(new.kind, &scopes)?;
        let (secret, token) = self.fresh_token(Fresh {
            ws: caller.workspace,
            name: new.name.trim().to_owned(),
            kind: new.kind,
            scopes,
            created_by: caller.actor.to_string(),
            expires_at,
        });
        self.make_room(caller.workspace, now).await?;
        let commit = Commit::new("access.token", Db::Journal, caller.workspace)
            .op(token::forget(caller.workspace, now - days_long(limits::TOKEN_KEPT_DAYS)))
            .op(token::insert(&token))
            .audit(audit(caller.actor.clone(), AuditAction::TokenCreate, &token));
        self.store.commit(commit).await?;
        Ok(CreatedToken { token: secret, details: token_view(token, caller, now) })
    }

    /// The tokens of the workspace, newest first; ended ones are kept for a month.
    pub async fn list(&self, caller: &Caller) -> Result<Vec<Token>, AccessError> {
        let now = self.clock.now();
        let all = self.store.all(token::all(caller.workspace)).await?;
        Ok(all.into_iter().map(|token| token_view(token, caller, now)).collect())
    }

    /// Revokes a token for good, with its tickets and sockets. A token can revoke itself; revoking
    /// another one needs `admin`.
    pub async fn revoke(&self, caller: &Caller, id: &TokenId) -> Result<Token, AccessError> {
        if caller.actor != Actor::Token(id.to_string()) {
            require(caller, Scope::Admin)?;
        }
        let (ws, now) = (caller.workspace, self.clock.now());
        let token = self.store.first(token::by_id(ws, id)).await?;
        let mut token = token.ok_or_else(|| AccessError::NoToken { id: id.clone() })?;
        if token.revoked_at.is_none() {
            let commit = Commit::new("access.revoke", Db::Journal, ws)
                .op(token::revoke(ws, id, now))
                .audit(audit(caller.actor.clone(), AuditAction::TokenRevoke, &token));
            match self.store.commit(commit).await {
                // Another request revoked it in between, which is the desired result.
                Err(CommitError::Refused { refusal: Refusal::Missing, .. }) => {}
                done => _ = done?,
            }
            token.revoked_at = Some(now);
        }
        Ok(token_view(token, caller, now))
    }

    /// Creates a code that a page exchanges for a token with the caller's rights.
    pub async fn new_code(&self, caller: &Caller) -> Result<Code, AccessError> {
        let (ws, now) = (caller.workspace, self.clock.now());
        let secret = secret::fresh("", &*self.entropy);
        let code = AccessCode {
            ws,
            sha256: secret::hash_secret(&secret.0),
            scopes: in_order(&caller.scopes),
            created_at: now,
            created_by: caller.actor.to_string(),
            expires_at: now + Duration::from_secs(limits::CODE_SECONDS),
            used_at: None,
        };
        let audit = Audit {
            actor: caller.actor.clone(),
            action: AuditAction::AccessCode,
            object: String::new(),
            detail: names(&code.scopes),
        };
        let commit = Commit::new("access.code", Db::Journal, ws)
            .op(access_code::forget(ws, now - days_long(1)))
            .op(access_code::insert(&code))
            .audit(audit);
        self.store.commit(commit).await?;
        Ok(Code { code: secret, expires_at: code.expires_at })
    }

    /// Exchanges a code for the token of a page. A code works once.
    ///
    /// Errors: the code never existed, was used, or has expired; the error does not reveal which.
    pub async fn exchange(&self, code: &str) -> Result<Exchanged, AccessError> {
        let (now, sha256) = (self.clock.now(), secret::hash_secret(code));
        let found = self.store.first(access_code::by_hash(&sha256)).await?;
        let found = found.filter(|code| code.used_at.is_none() && now < code.expires_at);
        let code = found.ok_or(AccessError::CodeRefused)?;
        self.make_room(code.ws, now).await?;
        let expires_at = now + days_long(limits::PAGE_TOKEN_DAYS);
        let (secret, token) = self.fresh_token(Fresh {
            ws: code.ws,
            name: "Page".to_owned(),
            kind: TokenKind::Person,
            scopes: code.scopes,
            created_by: code.created_by.clone(),
            expires_at: Some(expires_at),
        });
        let commit = Commit::new("access.exchange", Db::Journal, code.ws)
            .op(access_code::exchange(code.ws, &sha256, now))
            .op(token::insert(&token))
            .audit(audit(code.created_by.into(), AuditAction::AccessExchange, &token));
        match self.store.commit(commit).await {
            Err(CommitError::Refused { refusal: Refusal::Missing, .. }) => {
                Err(AccessError::CodeRefused)
            }
            done => {
                done?;
                Ok(Exchanged { token: secret, scopes: token.scopes, expires_at })
            }
        }
    }

    /// The caller of a token, or `None` if it is not valid. Every answer takes the same look-up,
    /// and nothing distinguishes an unknown token from a revoked or expired one.
    pub async fn authenticate(&self, token: &str) -> Result<Option<Caller>, AccessError> {
        let (now, sha256) = (self.clock.now(), secret::hash_secret(token));
        let found = self.store.first(token::by_hash(&sha256)).await?;
        let Some(token) = found.filter(|token| token.is_live(now)) else { return Ok(None) };
        let since = now - Duration::from_secs(limits::TOKEN_USE_SECONDS);
        if token.last_used_at.is_none_or(|used| used <= since) {
            let commit = Commit::new("access.used", Db::Journal, token.ws)
                .op(token::used(token.ws, &token.id, now, since));
            // A full disk must not keep users from reading their data.
            if let Err(error) = self.store.commit(commit).await {
                tracing::warn!(token = %token.id, "cannot record the use of a token: {error}");
            }
        }
        Ok(Some(Caller {
            workspace: token.ws,
            actor: Actor::Token(token.id.to_string()),
            // A kind that is not known, from a newer version, is no person for sure.
            kind: token.kind.known().unwrap_or(TokenKind::Agent),
            scopes: grantable(&token.kind, token.scopes),
        }))
    }

    /// Whether the caller's token is still valid. Sockets check this from time to time.
    pub async fn is_live(&self, caller: &Caller) -> Result<bool, AccessError> {
        let Actor::Token(id) = &caller.actor else { return Ok(true) };
        let Ok(id) = id.parse() else { return Ok(false) };
        let token = self.store.first(token::by_id(caller.workspace, &id)).await?;
        Ok(token.is_some_and(|token| token.is_live(self.clock.now())))
    }

    /// Creates a ticket with which the caller opens one socket.
    pub async fn new_ticket(&self, caller: &Caller) -> Result<Ticket, AccessError> {
        Ok(self.tickets.give(caller, self.clock.now(), &*self.entropy)?)
    }

    /// Redeems a ticket and returns its caller; `None` if the ticket was used, has expired or never
    /// existed, or if its token is no longer valid.
    pub async fn redeem_ticket(&self, ticket: &str) -> Result<Option<Caller>, AccessError> {
        let Some(caller) = self.tickets.take(ticket, self.clock.now()) else { return Ok(None) };
        Ok(self.is_live(&caller).await?.then_some(caller))
    }

    /// Writes a failed login to the audit log. The caller decides which failures are worth a row.
    pub async fn note_refused(&self, ws: WorkspaceId, address: &str, failures: u32) {
        let audit = Audit {
            actor: Actor::Nobody,
            action: AuditAction::AccessRefused,
            object: address.to_owned(),
            detail: format!("{failures} within 15 minutes"),
        };
        let commit = Commit::new("access.refused", Db::Journal, ws).audit(audit);
        // The refused client must not learn anything from a full disk.
        if let Err(error) = self.store.commit(commit).await {
            tracing::warn!("cannot record a failed login: {error}");
        }
    }

    fn fresh_token(&self, fresh: Fresh) -> (Secret, token::Token) {
        let secret = secret::fresh(secret::PREFIX, &*self.entropy);
        let now = self.clock.now();
        let token = token::Token {
            id: TokenId::fresh(now, &*self.entropy),
            ws: fresh.ws,
            name: fresh.name,
            kind: fresh.kind.into(),
            scopes: fresh.scopes,
            sha256: secret::hash_secret(&secret.0),
            created_at: now,
            created_by: fresh.created_by,
            last_used_at: None,
            expires_at: fresh.expires_at,
            revoked_at: None,
        };
        (secret, token)
    }

    /// Checks that the workspace may have one more live token.
    async fn make_room(&self, ws: WorkspaceId, now: Timestamp) -> Result<(), AccessError> {
        let all = self.store.all(token::all(ws)).await?;
        let live = all.iter().filter(|token| token.is_live(now)).count();
        Ok(limits::TOKENS.check(live + 1)?)
    }
}

/// The parameters of a new token.
struct Fresh {
    ws: WorkspaceId,
    name: String,
    kind: TokenKind,
    scopes: Vec<Scope>,
    created_by: String,
    expires_at: Option<Timestamp>,
}

fn check_name(name: &str) -> Result<(), AccessError> {
    if name.trim().is_empty() {
        return Err(invalid("name", "give the token a name that says what it is for"));
    }
    Ok(limits::TOKEN_NAME.check(name.trim().chars().count())?)
}

fn invalid(field: &'static str, message: &str) -> AccessError {
    AccessError::Invalid { field, message: message.to_owned() }
}

fn days_long(days: u32) -> Duration {
    Duration::from_secs(u64::from(days) * 24 * 3600)
}

fn audit(actor: Actor, action: AuditAction, token: &token::Token) -> Audit {
    let detail = format!("{}: {}", token.kind, names(&token.scopes));
    Audit { actor, action, object: token.id.to_string(), detail }
}

fn token_view(token: token::Token, caller: &Caller, now: Timestamp) -> Token {
    Token {
        is_live: token.is_live(now),
        is_own: caller.actor == Actor::Token(token.id.to_string()),
        scopes: grantable(&token.kind, token.scopes),
        id: token.id,
        name: token.name,
        kind: token.kind,
        created_at: token.created_at,
        created_by: token.created_by,
        last_used_at: token.last_used_at,
        expires_at: token.expires_at,
        revoked_at: token.revoked_at,
    }
}
