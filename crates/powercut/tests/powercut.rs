//! What survives when the power goes, the disk fills up, or a sync fails.

mod cases {
    mod cuts;
    mod faults;
    mod opening;
}

#[test]
fn no_case_file_is_forgotten() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");
    let source = include_str!("powercut.rs");
    let forgotten: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of the cases")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|file| !source.contains(&format!("    mod {};", file.trim_end_matches(".rs"))))
        .collect();
    assert_eq!(forgotten, Vec::<String>::new());
}
