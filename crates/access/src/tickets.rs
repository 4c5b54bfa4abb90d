//! Tickets: a browser cannot send a token with the address of a socket, so it sends one of these.
//!
//! They live in this process and for half a minute only. A ticket stands for its caller; whether the
//! token of that caller is still valid is checked when it is used.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dormouse_types::limits::{Beyond, TICKET_SECONDS, TICKETS, TICKETS_EACH};
use dormouse_types::port::Entropy;
use dormouse_types::{Caller, Digest, Timestamp};

use crate::secret;
use crate::view::Ticket;

/// The tickets that wait.
#[derive(Default)]
pub(crate) struct Tickets {
    waiting: Mutex<HashMap<Digest, (Caller, Timestamp)>>,
}

impl Tickets {
    /// Gives one out.
    ///
    /// Errors: too many wait, of all callers or of this one.
    pub(crate) fn give(
        &self,
        caller: &Caller,
        now: Timestamp,
        entropy: &dyn Entropy,
    ) -> Result<Ticket, Beyond> {
        let ticket = secret::fresh("", entropy);
        let expires_at = now + Duration::from_secs(TICKET_SECONDS);
        let mut waiting = self.waiting();
        waiting.retain(|_, (_, end)| now < *end);
        let is_own =
            |other: &Caller| (other.workspace, &other.actor) == (caller.workspace, &caller.actor);
        TICKETS_EACH.check(waiting.values().filter(|(other, _)| is_own(other)).count() + 1)?;
        TICKETS.check(waiting.len() + 1)?;
        waiting.insert(secret::hash_secret(&ticket.0), (caller.clone(), expires_at));
        Ok(Ticket { ticket, expires_at })
    }

    /// Takes one back: who it was given to; none when there is no such ticket any more.
    pub(crate) fn take(&self, ticket: &str, now: Timestamp) -> Option<Caller> {
        let (caller, end) = self.waiting().remove(&secret::hash_secret(ticket))?;
        (now < end).then_some(caller)
    }

    fn waiting(&self) -> MutexGuard<'_, HashMap<Digest, (Caller, Timestamp)>> {
        // No holder can leave the map inconsistent, so poisoning is ignored.
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
