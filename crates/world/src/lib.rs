//! What tests of several rooms build their worlds on: a store in memory, on a clock and entropy that the
//! test controls, which records what is read.
//!
//! Does not own: what only one room's tests need, and anything that does without a store (`testkit`).
//!
//! Reading order: [`Recording`], [`TestStore`].

mod recording;
mod test_store;

pub use recording::Recording;
pub use test_store::TestStore;
