//! The engines. They know no noun but change row, audit row and receipt.

pub mod sqlite;
pub mod postgres;
