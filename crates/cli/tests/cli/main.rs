//! The real binary in folders of its own: that the parts are wired, what is refused and how, and
//! what a person sees.

mod access;
mod bad_input;
mod benches;
#[cfg(feature = "faults")]
mod chaos;
#[cfg(feature = "faults")]
mod chaos_books;
#[cfg(feature = "faults")]
mod chaos_load;
mod dates;
mod decisions;
mod export;
#[cfg(feature = "faults")]
mod held;
mod import_plan;
mod inspecting;
mod kill;
mod kill_books;
#[cfg(feature = "faults")]
mod kill_load;
#[cfg(feature = "faults")]
mod kill_points;
#[cfg(feature = "faults")]
mod kill_serve;
mod reach;
mod real_model;
mod relay;
mod restored;
mod running;
mod screens;
mod scripts;
mod serve;
mod set_wakes;
mod tasks;
mod text;
mod two_commands;
mod words;
mod world;

use std::collections::BTreeSet;
use std::path::Path;

/// Without the feature there is no fault on demand, and nothing here that needs one.
#[cfg(not(feature = "faults"))]
#[test]
#[ignore = "cargo test -p dormouse-cli --features faults"]
fn the_tests_of_crashes_need_the_feature_faults() {
    panic!("build the tests with the feature `faults`");
}

/// A file that is not named above would never run.
#[test]
fn no_file_of_this_folder_is_forgotten() -> anyhow::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli");
    let mut found = BTreeSet::new();
    for entry in std::fs::read_dir(&folder)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        found.extend(name.strip_suffix(".rs").filter(|name| *name != "main").map(str::to_owned));
    }
    let source = std::fs::read_to_string(folder.join("main.rs"))?;
    let named = source.lines().filter_map(|line| line.strip_prefix("mod ")?.strip_suffix(';'));
    assert_eq!(found, named.map(str::to_owned).collect());
    Ok(())
}
