//! German, so far for work: reports and proposals have no German words yet.

pub mod work;
