//! The crate's one test binary.

mod box_signs;
mod cancel;
mod corpus;
mod corrections;
mod deadlines;
mod differential;
mod encodings;
mod ends_of_lines;
mod exports;
mod flags;
mod fuzz;
mod golden;
mod hostile;
mod item_lines;
mod letters;
mod markdown;
mod memory;
mod messy;
mod mixed_lists;
mod one_owner;
mod other_programs;
mod plain_lists;
mod plan_properties;
mod plans;
mod properties;
mod quoted_values;
mod readings;
mod recurrence;
mod recurrence_differential;
mod recurrence_properties;
mod recurrence_schedules;
mod refusals;
mod round_trips;
mod sheets;
mod show;
mod status_lists;
mod terminal;
mod unknown_json;
mod when;
mod when_properties;

#[test]
fn every_file_beside_this_one_is_part_of_the_binary() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let runner = std::fs::read_to_string(folder.join("runner.rs")).unwrap();
    for file in std::fs::read_dir(&folder).unwrap() {
        let path = file.unwrap().path();
        let stem = path.file_stem().unwrap().to_str().unwrap();
        if path.extension().is_some_and(|ending| ending == "rs") && stem != "runner" {
            assert!(runner.contains(&format!("mod {stem};")), "{stem}.rs is never compiled");
        }
    }
}
