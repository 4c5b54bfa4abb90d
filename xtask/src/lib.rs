//! The house rules as code: what `cargo xtask check` runs, and how the tests in `xtask/tests` read
//! the repository.
//!
//! Does not own: anything of the product. The tables of rooms and edges are in
//! `xtask/tests/layers.rs`, the rules about pages in `xtask/tests/docs.rs`.
//!
//! Reading order: [`check`], [`summary`], [`repository`], [`source`], [`imports`], [`powercut`], [`simulate`],
//! [`fuzz`], [`kill`], [`chaos`].

pub mod check;
pub mod summary;
pub mod repository;
pub mod source;
pub mod imports;
pub mod powercut;
pub mod fuzz;
pub mod kill;
pub mod chaos;
pub mod simulate;
