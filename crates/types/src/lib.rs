//! What every room shares: ids, times, hashes, limits, what the model sees, and the ports.
//!
//! Does not own: rules about tasks, agents or wakes; anything that reads a file, a clock, a
//! database or the network.
//!
//! Reading order: [`time`], [`workspace_zone`], [`id`], [`hash`], [`caller`], [`closed_list`], [`day_order`], [`task`], [`agent`],
//! [`change`], [`event`], [`field_change`], [`verdict`], [`model`], [`kept_back`], [`policy`],
//! [`spend`], [`work`], [`conversation`], [`template`], [`work_filter`], [`work_kind`], [`work_facts`], [`work_outcome`],
//! [`work_step`],
//! [`model_settings`], [`missing_provider`], [`draft`], [`fold`], [`search_words`], [`limits`], [`port`].

#![warn(missing_docs)]

#[cfg(feature = "openapi")]
mod schema;
pub mod time;
mod clock;
pub mod workspace_zone;
mod entropy;
pub mod id;
pub mod hash;
pub mod address;
pub mod caller;
pub mod closed_list;
pub mod day_order;
pub mod task;
pub mod audit;
pub mod agent;
pub mod change;
pub mod event;
pub mod field_change;
pub mod verdict;
pub mod observation;
pub mod trend;
pub mod work_filter;
pub mod work_hook;
pub mod work_kind;
pub mod work_facts;
pub mod work_outcome;
pub mod work_step;
pub mod built_in_work;
pub mod work;
pub mod conversation;
pub mod template;
pub mod delivery;
pub mod model;
pub mod directive;
pub mod evolution;
pub mod named;
pub mod linked;
pub mod kept_back;
pub mod policy;
pub mod rule;
pub mod memory;
pub mod line_name;
pub mod spend;
pub mod model_settings;
pub mod missing_provider;
pub mod draft;
pub mod fold;
pub mod search_words;
pub mod problem;
pub mod limits;
pub mod port;

pub use caller::{Actor, By, Caller, Origin, Scope, TokenKind};
pub use event::EventKind;
pub use id::*;
pub use time::Timestamp;
pub use verdict::Verdict;
pub use workspace_zone::WorkspaceZone;
