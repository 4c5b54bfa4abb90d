//! Golden sentences, one file per rule.
//!
//! A case is a block of lines between blank lines: context (`item: Book the hall`), entries (`>
//! text`, each a day newer than the one before; `\n` is a line break), and the expected result (`=
//! due 2026-03-20`, or `= nothing`). Lines with `#` are comments.

use std::path::{Path, PathBuf};

use crate::case::Case;

/// Units: cases. Minimum per file, and how many of them must propose nothing.
const CASES_MIN: usize = 30;
const NEAR_MISSES_MIN: usize = 12;

struct Golden {
    line: usize,
    case: Case,
    expected: Vec<String>,
}

fn read(path: &Path) -> Vec<Golden> {
    let text = std::fs::read_to_string(path).expect("a golden file");
    let mut found = Vec::new();
    let fresh = || Case::new("Task", "2026-03-02".parse().expect("a day"));
    let (mut case, mut entries, mut expected, mut line) = (fresh(), Vec::new(), Vec::new(), 0);
    for (n, text) in text.lines().chain([""]).enumerate() {
        if text.starts_with('#') {
            continue;
        }
        if text.trim().is_empty() {
            let entries: Vec<String> = std::mem::take(&mut entries);
            let expected: Vec<String> = std::mem::take(&mut expected);
            if !expected.is_empty() {
                let mut case = std::mem::replace(&mut case, fresh());
                entries.iter().for_each(|entry| case.entry(entry));
                found.push(Golden { line, case, expected });
            }
            continue;
        }
        if expected.is_empty() && entries.is_empty() {
            line = n + 1;
        }
        if let Some(entry) = text.strip_prefix("> ") {
            entries.push(entry.replace("\\n", "\n"));
        } else if let Some(wanted) = text.strip_prefix("= ") {
            expected.push(wanted.to_owned());
        } else {
            let (key, value) = text
                .split_once(':')
                .unwrap_or_else(|| panic!("{}:{}: {text}", path.display(), n + 1));
            case.context(key, value.trim());
        }
    }
    found
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the golden files")
        .map(|file| file.expect("a file").path())
        .collect();
    files.sort();
    files
}

#[test]
fn golden_sentences_propose_what_they_say() {
    let mut wrong = Vec::new();
    for path in files() {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        for golden in read(&path) {
            golden.case.check_form();
            let made = if name.starts_with("note-") {
                golden.case.observations()
            } else {
                golden.case.lines()
            };
            let made = if made.is_empty() { vec!["nothing".to_owned()] } else { made };
            if made != golden.expected {
                let texts: Vec<_> =
                    golden.case.state.entries.iter().map(|entry| entry.text.as_str()).collect();
                wrong.push(format!(
                    "{name}:{} {texts:?}\n  expected {:?}\n  made     {made:?}",
                    golden.line, golden.expected
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{} cases:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_rule_has_its_sentences_and_near_misses() {
    let files = files();
    assert_eq!(files.len(), 12, "a file per rule: {files:?}");
    for path in files {
        let cases = read(&path);
        let n_misses = cases.iter().filter(|golden| golden.expected == ["nothing"]).count();
        assert!(cases.len() >= CASES_MIN, "{}: {} cases", path.display(), cases.len());
        assert!(n_misses >= NEAR_MISSES_MIN, "{}: {n_misses} near misses", path.display());
    }
}
