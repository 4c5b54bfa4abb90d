//! What the facade promises, at its boundary: a store in memory, a clock that
//! stands still, a model that answers from a script.

mod world;

mod cases {
    mod access;
    mod attention;
    mod awake;
    mod controls;
    mod damage;
    mod exporting;
    mod importing;
    mod inspecting;
    mod line;
    mod listing;
    mod lost_store;
    mod problems;
    mod reads;
    mod repeating;
    mod sample;
    mod scopes;
    mod serving;
    mod staleness;
    mod telling;
    mod tools_page;
    mod trail;
    mod verdicts;
}

#[test]
fn no_case_file_is_forgotten() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of the cases")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let source = include_str!("facade.rs");
    let forgotten: Vec<_> = files
        .iter()
        .filter(|file| !source.contains(&format!("    mod {};", file.trim_end_matches(".rs"))))
        .collect();
    assert_eq!(forgotten, Vec::<&String>::new());
}
