//! What every room relies on: one spelling per value, ids that cannot be mixed up, limits.

mod cases {
    mod canonical;
    mod ids;
    mod limits;
    mod newer;
}
