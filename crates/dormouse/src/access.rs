//! Access: tokens, codes, tickets. The rules are in the room `access`.

use dormouse_access::scope::in_order;
use dormouse_types::port::ModelClass;
use dormouse_types::{Caller, Scope, TokenId};

pub use dormouse_access::NewToken;

use crate::request::require;
use crate::view::{Access, Code, CreatedToken, Exchanged, ServerFacts, Ticket, Token};
use crate::{Dormouse, Error, WORKSPACE};

impl Dormouse {
    /// Returns the caller and the server version. It needs no scope.
    pub async fn access(&self, caller: &Caller) -> Result<Access, Error> {
        let model = self.models.default_model();
        Ok(Access {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            workspace: caller.workspace.0,
            actor: caller.actor.to_string(),
            scopes: in_order(&caller.scopes),
            server: ServerFacts {
                model: model.name().to_owned(),
                is_local: model.class() == ModelClass::Free,
                zone: self.zone.name(),
            },
        })
    }

    /// Creates a token. Its text is returned only here.
    ///
    /// Errors: a scope that the caller lacks, or that a token of this kind can never hold.
    pub async fn create_token(
        &self,
        caller: &Caller,
        new: NewToken,
    ) -> Result<CreatedToken, Error> {
        require(caller, Scope::Admin)?;
        Ok(self.tokens.create(caller, new).await?)
    }

    /// The tokens of the workspace, newest first; ended ones are kept for a month.
    pub async fn list_tokens(&self, caller: &Caller) -> Result<Vec<Token>, Error> {
        require(caller, Scope::Admin)?;
        Ok(self.tokens.list(caller).await?)
    }

    /// Revokes a token for good, with its tickets and sockets. A token can revoke itself; revoking
    /// another one needs `admin`.
    pub async fn revoke_token(&self, caller: &Caller, id: &TokenId) -> Result<Token, Error> {
        Ok(self.tokens.revoke(caller, id).await?)
    }

    /// Creates a code that a page exchanges for a token with the caller's rights.
    pub async fn new_code(&self, caller: &Caller) -> Result<Code, Error> {
        require(caller, Scope::Admin)?;
        Ok(self.tokens.new_code(caller).await?)
    }

    /// Exchanges a code for the token of a page. A code works once.
    ///
    /// Errors: the code never existed, was used, or has expired; the error does not reveal which.
    pub async fn exchange(&self, code: &str) -> Result<Exchanged, Error> {
        Ok(self.tokens.exchange(code).await?)
    }

    /// The caller of a token, or `None` if it is not valid. Every answer takes the same look-up,
    /// and nothing distinguishes an unknown token from a revoked or expired one.
    pub async fn authenticate(&self, token: &str) -> Result<Option<Caller>, Error> {
        Ok(self.tokens.authenticate(token).await?)
    }

    /// Whether the caller's token is still valid. Sockets check this from time to time.
    pub async fn is_live(&self, caller: &Caller) -> Result<bool, Error> {
        Ok(self.tokens.is_live(caller).await?)
    }

    /// Creates a ticket with which the caller opens one socket.
    pub async fn new_ticket(&self, caller: &Caller) -> Result<Ticket, Error> {
        require(caller, Scope::Read)?;
        Ok(self.tokens.new_ticket(caller).await?)
    }

    /// Redeems a ticket and returns its caller; `None` if the ticket was used, has expired or never
    /// existed, or if its token is no longer valid.
    pub async fn redeem_ticket(&self, ticket: &str) -> Result<Option<Caller>, Error> {
        Ok(self.tokens.redeem_ticket(ticket).await?)
    }

    /// Writes a failed login to the audit log. The caller decides which failures are worth a row.
    pub async fn note_refused(&self, address: &str, failures: u32) {
        self.tokens.note_refused(WORKSPACE, address, failures).await;
    }
}
