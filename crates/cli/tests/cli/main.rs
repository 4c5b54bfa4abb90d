//! The real binary in folders of its own: that the parts are wired, what is refused and how, and
//! what a person sees.

mod access;
mod bad_input;
mod bad_models;
mod benches;
#[cfg(feature = "faults")]
mod chaos;
#[cfg(feature = "faults")]
mod chaos_books;
#[cfg(feature = "faults")]
mod chaos_load;
mod conversations;
mod dates;
mod decisions;
mod export;
mod forgetting;
#[cfg(feature = "faults")]
mod held;
mod import_plan;
mod inspecting;
mod kill;
mod kill_books;
#[cfg(feature = "faults")]
mod kill_built_in;
#[cfg(feature = "faults")]
mod kill_hooks;
#[cfg(feature = "faults")]
mod kill_load;
#[cfg(feature = "faults")]
mod kill_points;
#[cfg(feature = "faults")]
mod kill_serve;
mod kill_stream;
#[cfg(feature = "faults")]
mod kill_work;
mod known_providers;
mod own_models;
mod reach;
mod real_model;
mod relay;
mod restored;
mod running;
mod screens;
mod scripted_server;
mod scripts;
mod serve;
mod set_wakes;
mod suspended;
mod tasks;
mod text;
mod two_commands;
mod whole_request;
mod work;
mod work_edited;
mod work_refused;
mod work_runs;
mod words;
mod world;

/// Without the feature there is no fault on demand, and nothing here that needs one.
#[cfg(not(feature = "faults"))]
#[test]
#[ignore = "cargo test -p dormouse-cli --features faults"]
fn the_tests_of_crashes_need_the_feature_faults() {
    panic!("build the tests with the feature `faults`");
}
