//! Rules of the person about what is proposed: which calls they refuse, what they hold back, and what they
//! confirm.

pub mod in_force;
pub mod confirming;
pub mod suggestion;
pub mod service;
