//! Change sets: validating, proposing, deciding, applying, undoing, expiring.

pub mod state;
pub mod fold;
pub mod effective_state;
pub mod proposed;
pub(crate) mod placing;
pub mod validate;
pub mod supersede;
pub mod propose;
pub mod error;
pub mod rows;
pub(crate) mod saga_payload;
pub mod service;
pub mod decide;
pub mod conclude;
pub mod apply;
pub mod undo;
pub mod expire;
pub mod lost;
