//! What the changes room guarantees at its boundary, on an in-memory store with a manual clock.

mod world;

mod cases {
    mod deciding;
    mod exploding;
    mod expiring;
    mod ledger;
    mod lessons;
    mod recorded;
    mod restored;
    mod stale;
    mod tools;
    mod trail;
    mod undoing;
}
<<<<<<< HEAD

#[test]
fn no_case_file_is_forgotten() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of the cases")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .filter(|file| file.ends_with(".rs"))
        .collect();
    files.sort();
    let source = include_str!("changes.rs");
    let forgotten: Vec<_> = files
        .iter()
        .filter(|file| !source.contains(&format!("    mod {};", file.trim_end_matches(".rs"))))
        .collect();
    assert_eq!(forgotten, Vec::<&String>::new());
}
=======
>>>>>>> 8c136e5 (xtask: one test finds a source file that no module names)
