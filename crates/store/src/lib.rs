//! Two databases, commits as values, one file per noun.
//!
//! Owns: the engines, the writer with group commit, receipts, change and audit rows, migrations,
//! and for each noun its SQL, ops and decoding. Does not own: rules about when to act; a time is
//! an argument here. Pure code builds a [`Commit`]; [`Store::commit`] applies it whole or not at
//! all. The failures it defends against: a half-written change, a lost acknowledged write, a
//! doubled operation, a row of a newer version that loses what this version does not know.
//!
//! Reading order: [`value`], [`commit`], [`store`], [`mod@retry`], [`doc`], [`change_log`], [`audit_log`],
//! [`identity`], [`receipt`], [`text`], [`search_index`], [`lease`], then the nouns of the two databases
//! in [`journal`] and [`agent`], [`stored_words`], and [`backend`].

pub mod value;
pub mod commit;
pub mod store;
pub mod retry;
pub mod doc;
pub mod change_log;
pub mod audit_log;
pub mod identity;
pub mod receipt;
pub mod text;
pub mod search_index;
pub mod in_list;
pub mod lease;
pub mod journal;
pub mod agent;
pub mod stored_words;
pub mod backend;

pub use commit::{Audit, ChangeRow, Commit, CommitError, Committed, Db, Once, Op, Refusal};
pub use retry::{Attempts, MaybeRefused, Policy, retry};
pub use store::{Backend, Engine, HintSender, Hints, Query, ReadError, Store};
pub use value::{Param, Row, Value};
