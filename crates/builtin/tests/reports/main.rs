//! Whole reports as a person gets them, and the turns of a run.

mod desk;
mod directives;
mod everyday;
mod held_out;
mod hostile;
mod kinds;
mod languages;
mod notebooks;
mod rules;
mod shared_samples;
mod turns;
mod yardstick;
