//! Plays of the whole runtime.

mod cases {
    mod plays;
    mod mutants;
    mod work_oracle;
    mod work_year;
}
