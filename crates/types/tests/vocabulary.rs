//! What every room relies on: one spelling per value, ids that cannot be mixed up, limits.

mod cases {
    mod canonical;
    mod ids;
    mod limits;
    mod newer;
}

#[test]
fn no_case_file_is_forgotten() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");
    let source = include_str!("vocabulary.rs");
    let forgotten: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of the cases")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|file| !source.contains(&format!("    mod {};", file.trim_end_matches(".rs"))))
        .collect();
    assert_eq!(forgotten, Vec::<String>::new());
}
