//! What the agents room guarantees at its boundary, on an in-memory store with a manual clock and a
//! scripted model.

mod world;

mod cases {
    mod breaker;
    mod cancelling;
    mod capping;
    mod clocks;
    mod damage;
    mod hearing;
    mod held;
    mod keys;
    mod living;
    mod logging;
    mod neighbours;
    mod order;
    mod positions;
    mod proposing;
    mod reads;
    mod remembering;
    mod restored;
    mod reporting;
    mod scale;
    mod serving;
    mod taking_over;
    mod timers;
    mod trimming;
    mod waking;
}

#[test]
fn no_case_file_is_forgotten() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases");
    let mut files: Vec<String> = std::fs::read_dir(folder)
        .expect("the folder of the cases")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    files.sort();
    let source = include_str!("agents.rs");
    let forgotten: Vec<_> = files
        .iter()
        .filter(|file| !source.contains(&format!("    mod {};", file.trim_end_matches(".rs"))))
        .collect();
    assert_eq!(forgotten, Vec::<&String>::new());
}
