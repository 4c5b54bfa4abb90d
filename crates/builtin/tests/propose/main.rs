//! Proposals and observations of the rules model, at the boundary: entries in, proposals out.

#![allow(clippy::print_stderr, reason = "a test that lacks its data says so")]

mod case;
mod date_order;
mod expectations;
mod golden;
mod hostile;
mod phrases;
mod todo;
