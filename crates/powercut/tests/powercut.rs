//! What survives when the power goes, the disk fills up, or a sync fails.

mod cases {
    mod cuts;
    mod faults;
    mod opening;
}
