//! Models over the wire: what is sent, what is read, and what is refused.

mod support {
    pub mod cassette;
    pub mod play;
    pub mod requests;
}
mod cases {
    mod bodies;
    mod broken;
    mod charged;
    mod config;
    mod events;
    mod lists;
    mod recorded;
    mod rungs;
    mod servers;
}
