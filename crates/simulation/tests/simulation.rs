//! Plays of the whole runtime.

mod cases {
    mod plays;
    mod mutants;
}

#[test]
fn no_case_file_is_forgotten() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");
    let source = include_str!("simulation.rs");
    let forgotten: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder of the cases")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|file| file.ends_with(".rs"))
        .filter(|file| !source.contains(&format!("    mod {};", file.trim_end_matches(".rs"))))
        .collect();
    assert_eq!(forgotten, Vec::<String>::new());
}
