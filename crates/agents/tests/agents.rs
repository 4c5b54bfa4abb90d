//! What the agents room guarantees at its boundary, on an in-memory store with a manual clock and a
//! scripted model.

mod world;

mod cases {
    mod breaker;
    mod cancelling;
    mod cancelling_runs;
    mod deleted;
    mod capping;
    mod choosing;
    mod clocks;
    mod damage;
    mod drafting;
    mod evolving;
    mod fitting;
    mod flags;
    mod hearing;
    mod folding;
    mod forgetting;
    mod forgetting_folded;
    mod fold_property;
    mod held;
    mod keys;
    mod late_answers;
    mod linked;
    mod living;
    mod logging;
    mod neighbours;
    mod nul_characters;
    mod order;
    mod positions;
    mod privacy;
    mod private_labels;
    mod categories;
    mod proposing;
    mod reads;
    mod recalling;
    mod remembering;
    mod restored;
    mod reporting;
    mod scale;
    mod serving;
    mod spend_oracle;
    mod spending;
    mod taking_over;
    mod templates;
    mod timers;
    mod trends;
    mod trimming;
    mod waking;
}
