//! Reports of real threads, compared with what a good report must say about them.
//!
//! The threads and their scorer are in `../shared/data` next to the workspace. If that folder is
//! missing, the test says so and checks nothing.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Map, Value, json};

use crate::desk::of_expectation;

fn data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3)?;
    Some(beside.join("shared/data")).filter(|data| data.is_dir())
}

#[test]
#[allow(clippy::print_stderr, reason = "a test that cannot run must say so")]
fn english_threads_score_well() {
    let Some(data) = data() else {
        eprintln!("shared/data is not next to the workspace: the threads are not scored");
        return;
    };
    let mut names: Vec<PathBuf> = std::fs::read_dir(data.join("expectations"))
        .expect("the folder of expectations")
        .map(|entry| entry.expect("an entry of it").path())
        .filter(|path| path.extension().is_some_and(|end| end == "json"))
        .collect();
    names.sort();
    let mut reports = Map::new();
    for path in names {
        let read = |path: &Path| std::fs::read_to_string(path).expect("a readable file");
        let expected: Value = serde_json::from_str(&read(&path)).expect("JSON");
        if expected["language"] != "en" {
            continue;
        }
        let text = read(&data.join(expected["file"].as_str().expect("a path")));
        let desk = of_expectation(&expected, &text);
        let (tldr, content) = desk.report().expect("a report is due");
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let report = json!({ "tldr": tldr, "content": content, "language": "en", "proposals": desk.proposals() });
        reports.insert(name, report);
    }
    assert!(!reports.is_empty(), "no English expectation in {}", data.display());
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    std::fs::write(file.path(), Value::Object(reports).to_string()).expect("a written file");
    let scored = Command::new("python3")
        .arg(data.join("expectations/score.py"))
        .arg("--json")
        .arg(file.path())
        .output()
        .expect("python3 runs the scorer");
    let text = String::from_utf8_lossy(&scored.stdout);
    assert!(
        scored.status.success(),
        "a gate is broken, an address invented or a proposal forbidden: {text}"
    );
    let summary: Value = serde_json::from_str(&text).expect("the scorer's JSON");
    let number = |key: &str| summary[key].as_f64().expect("a number");
    assert!(number("mean") >= 0.75, "mean {}: {text}", summary["mean"]);
    assert!(number("worst") >= 0.55, "worst {}: {text}", summary["worst"]);
    for (name, file) in summary["files"].as_object().expect("files") {
        assert_eq!(file["urls"], json!(1.0), "{name} lost an address");
        assert_eq!(file["wrong"], json!([]), "{name} says something wrong");
    }
}
