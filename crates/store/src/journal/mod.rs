//! The nouns of the journal: the person's data.
//!
//! [`row`] is the one table every kind of entity lives in; [`task`], [`checklist`], [`item`],
//! [`entry`], [`label`] and [`category`] are the kinds. [`linked_entry`] joins two tasks. The rest are
//! small tables of their own.

pub mod row;
pub mod task;
pub mod task_list;
pub mod checklist;
pub mod item;
pub mod entry;
pub mod label;
pub mod label_task;
pub mod category;
pub mod linked_entry;
pub mod linked_task;
pub mod privacy;
pub mod field_say;
pub mod imported;
pub mod import_correction;
pub mod setting;
pub mod fence;
pub mod token;
pub mod access_code;
pub mod touched;
pub mod raw;
