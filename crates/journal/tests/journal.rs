//! The journal's promises, tested at its boundary with a store in memory and a stopped clock.

mod world;

mod cases {
    mod creating;
    mod editing;
    mod finding;
    mod importing;
    mod importing_anything;
    mod labels;
    mod limits;
    mod links;
    mod racing;
    mod reading;
    mod settings;
    mod undoing;
    mod undoing_anything;
    mod unknown;
}

#[test]
fn no_case_file_is_forgotten() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of the cases")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let source = include_str!("journal.rs");
    let forgotten: Vec<_> = files
        .iter()
        .filter(|file| !source.contains(&format!("    mod {};", file.trim_end_matches(".rs"))))
        .collect();
    assert_eq!(forgotten, Vec::<&String>::new());
}
