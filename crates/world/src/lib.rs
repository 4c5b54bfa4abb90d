//! The rooms that tests of several crates stand in: store, journal, changes, models and driver, joined as the program
//! joins them, on a clock, entropy, an engine and hooks that the test controls.
//!
//! ```
//! use dormouse_world::Rooms;
//!
//! let rooms = Rooms::at("2026-03-02T09:00:00Z").seed(2).zone("Europe/Berlin").build();
//! let task = rooms.create_task("Move to the new flat", Vec::new());
//! assert_eq!(rooms.task_state(&task).title, "Move to the new flat");
//! ```
//!
//! Does not own: what only one room's tests need (their `World` holds [`Rooms`] and adds it), and anything that does
//! without a store (`testkit`). Integration tests and `scenes` use it; a unit test would meet its own room twice.
//!
//! Reading order: [`Rooms`], [`Builder`], [`person`], [`rows`], [`Layer`], [`Recording`].

mod rooms;
pub mod person;
pub mod rows;
mod layer;
mod recording;
mod postgres;

pub use dormouse_testkit::wait;
pub use layer::{Layer, Layered};
pub use person::{WS, as_agent, person};
pub use recording::Recording;
pub use rooms::{Builder, Rooms};
