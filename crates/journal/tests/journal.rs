//! The journal's promises, tested at its boundary with a store in memory and a stopped clock.

mod world;

mod cases {
    mod as_of;
    mod creating;
    mod editing;
    mod finding;
    mod flags;
    mod importing;
    mod importing_anything;
    mod importing_merged;
    mod labels;
    mod limits;
    mod links;
    mod racing;
    mod reading;
    mod settings;
    mod undoing;
    mod undoing_anything;
    mod unknown;
}
