//! Sessions in which a person and a model evolve a template.
//!
//! A session is another kind of holder: what the person says is a row and a signal, and a run answers it,
//! as any run is answered. It keeps one proposal of both directives, which only the person makes a version
//! of. A template has one session at most that goes on.
//!
//! Reading order: [`tools`], `step`, [`session`], `evidence`, `context`, `run`, [`handler`].

pub mod tools;
mod step;
pub mod session;
mod evidence;
mod context;
mod run;
pub mod handler;

pub use super::edit::Approval;
