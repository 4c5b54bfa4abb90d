//! Plays of the whole runtime.

mod cases {
    mod plays;
    mod mutants;
}
