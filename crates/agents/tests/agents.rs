//! What the agents room guarantees at its boundary, on an in-memory store with a manual clock and a
//! scripted model.

mod world;

mod cases {
    mod breaker;
    mod cancelling;
    mod capping;
    mod choosing;
    mod clocks;
    mod damage;
    mod flags;
    mod hearing;
    mod held;
    mod keys;
    mod living;
    mod logging;
    mod neighbours;
    mod order;
    mod positions;
    mod proposing;
    mod reads;
    mod remembering;
    mod restored;
    mod reporting;
    mod scale;
    mod serving;
    mod spending;
    mod taking_over;
    mod timers;
    mod trimming;
    mod waking;
}
