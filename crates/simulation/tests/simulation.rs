//! Plays of the whole runtime.

mod cases {
    mod plays;
    mod mutants;
    mod work_oracle;
    mod work_year;
    mod year;
    mod year_wire;
    mod year_product;
    mod year_on_nodes;
    mod year_of_long_runs;
}
