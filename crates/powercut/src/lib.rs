//! Power cuts under the store: product code runs over a file system that notes every write, and
//! what a disk may have kept at any moment is opened again with product code.
//!
//! Does not own: rooms of the product, and anything they use; only tests and `xtask` run this. It
//! knows disks that keep what was synced, not disks that lie about it.
//!
//! The failures it looks for: an acknowledged commit that is gone, half of a commit, a position
//! given twice, a file that cannot be opened, a write error that is taken for success. What was not
//! synced when the power went survives whole, torn or not at all, as a seed decides. The same seed
//! repeats the work and the cuts, but for the salts that SQLite draws for its logs.
//!
//! Reading order: [`chance`], [`tape`], [`vfs`], [`disk`], [`load`], [`ledger`], [`story`].

pub mod chance;
pub mod tape;
pub mod vfs;
pub mod disk;
pub mod load;
pub mod ledger;
pub mod story;

pub use disk::Syncs;
pub use story::{Options, Report, run};
