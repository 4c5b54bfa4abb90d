//! What the work room guarantees at its boundary, on both engines, with a manual clock and a scripted
//! model.

#[macro_use]
mod world;

mod cases {
    mod living;
    mod asking;
    mod delivering;
    mod planning;
    mod occurrences;
    mod events;
    mod hooks;
    mod failing;
    mod remembering;
    mod built_in;
    mod conversations;
    mod proposing;
    mod delegating;
    mod steps;
    mod templates;
    mod known;
    mod bad_input;
    mod damage;
    mod racing;
    mod keys;
}
