//! Access: who a token belongs to, what it may do, and how it ends.
//!
//! Owns: tokens, one-time codes, socket tickets, the scopes that a kind of token can hold, and the
//! audit lines of all of them. Does not own: headers, login throttling (the server's), which scope a
//! method of the facade needs. The failures it defends against: a token that gives itself more
//! rights; an agent that decides on its own proposals; reuse of a code, a ticket or a revoked token;
//! secrets in rows, responses or logs.
//!
//! Reading order: [`scope`], [`tokens`], [`view`], [`error`].

#![warn(missing_docs)]

pub mod scope;
pub mod tokens;
mod tickets;
mod secret;
pub mod view;
pub mod error;

pub use error::AccessError;
pub use scope::require;
pub use tokens::{NewToken, Tokens};
