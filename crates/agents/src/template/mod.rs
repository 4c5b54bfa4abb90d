//! Templates: the persona and directives that agents follow, in versions.
//!
//! Reading order: [`stock`], [`effective`], [`error`], [`seed`], [`edit`], [`version`], [`policy`], `follow`, [`evolution`].

pub mod stock;
pub mod effective;
pub mod error;
mod seed;
pub mod edit;
mod version;
pub mod policy;
mod follow;
pub mod evolution;

pub use edit::{NewPolicy, NewTemplate, TemplatePatch};
pub use error::TemplateError;
