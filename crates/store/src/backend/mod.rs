//! The engines. The only nouns they know are change row, audit row and receipt.

pub mod sqlite;
pub mod postgres;
