//! Whole runs of the runtime: what a person meets, and what a crash anywhere leaves.

mod support {
    pub mod dishonest;
    pub mod outside;
    pub mod program;
    pub mod wire;
}
mod cases {
    mod bodies;
    mod characters;
    mod crashes;
    mod decisions;
    mod hostile;
    mod hostile_mutants;
    mod memory_page;
    mod models;
    mod month;
    mod one_wake;
    mod prefixes;
    mod real_model;
    mod relations;
    mod slow_answers;
    mod wakes;
    mod what_leaves;
}
