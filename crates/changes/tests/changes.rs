//! What the changes room guarantees at its boundary, on an in-memory store with a manual clock.

mod world;

mod cases {
    mod deciding;
    mod exploding;
    mod expiring;
    mod groups;
    mod ledger;
    mod lessons;
    mod recorded;
    mod rules;
    mod restored;
    mod stale;
    mod tools;
    mod history;
    mod undoing;
}
