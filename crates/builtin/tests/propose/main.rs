//! Proposals and observations of the rules model, at the boundary: entries in, proposals out.

mod case;
mod expectations;
mod golden;
mod hostile;
mod phrases;
