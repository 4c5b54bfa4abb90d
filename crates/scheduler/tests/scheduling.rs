//! When runs start, and how many: slots of kinds, plans of chores, clocks that are wrong.

mod world;

mod cases {
    mod slots;
    mod due;
}
