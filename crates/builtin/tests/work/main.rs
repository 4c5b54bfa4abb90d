//! Work without a language model: what is said over six workspaces, and which instructions are understood.

mod desk;
mod golden;
mod instructions;
mod kinds;
mod workspaces;
