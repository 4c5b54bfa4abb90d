//! Reading: Markdown into segments, segments into words.
//!
//! Does not own: the meaning of a segment, which the rules of the report and of the proposals
//! decide with the words of a language.
//!
//! Reading order: [`segment`], `markdown` (with `lines` and `line`), [`inline`], [`sentence`], [`dated`],
//! [`fold`], [`language`].

pub mod segment;
mod markdown;
mod lines;
pub(crate) mod line;
pub mod inline;
pub mod sentence;
pub mod dated;
pub mod fold;
pub mod language;

pub use markdown::segments;
pub use segment::{Kind, Mark, Segment};
