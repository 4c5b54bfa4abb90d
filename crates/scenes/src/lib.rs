//! Whole-runtime scenes: what a person does, step by step, and what comes of it.
//!
//! Owns: scenes as plain values, the world they are played in, what is compared after a run, and
//! the harness that crashes a scene at every point and starts it again. Does not own: any rule of
//! the runtime; only tests and `xtask` use this room.
//!
//! Reading order: [`scene`], [`scenarios`], [`player`], [`world`], [`outcome`], [`recorder`], [`crash`], [`transcript`],
//! [`tables`], [`journey`], [`names`].

pub mod scene;
pub mod scenarios;
pub mod scripted_model;
pub mod world;
pub mod outcome;
pub mod snapshots;
pub mod crash;
pub mod transcript;
pub mod tables;
pub mod commit_walkthrough;
pub mod names;

pub use scene::{Answers, Model, Scene, Step};
pub use world::World;
