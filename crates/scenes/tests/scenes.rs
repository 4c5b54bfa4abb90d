//! Whole runs of the runtime: what a person meets, and what a crash anywhere leaves.

mod cases {
    mod crashes;
    mod decisions;
    mod models;
    mod one_wake;
    mod relations;
    mod wakes;
    mod what_leaves;
}
