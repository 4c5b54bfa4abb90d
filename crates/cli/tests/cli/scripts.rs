//! The scripts a newcomer runs: they are played with the binary under test.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Runs a script with python; none, said in one line, where there is no python.
fn python(script: &str, args: &[&str]) -> Option<Output> {
    let done = Command::new("python3")
        .arg(root().join("scripts").join(script))
        .args(["--binary", env!("CARGO_BIN_EXE_dormouse")])
        .args(args)
        .output();
    match done {
        Ok(output) => Some(output),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            writeln!(
                std::io::stderr(),
                "scripts/{script} was not checked: python3 is not installed"
            )
            .expect("standard error takes a line");
            None
        }
        Err(e) => panic!("python3 cannot be started: {e}"),
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn the_session_in_the_readme_is_what_the_demo_plays() {
    if let Some(output) = python("transcript", &["--check"]) {
        assert!(output.status.success(), "{}", text(&output));
    }
}

#[test]
fn files_of_others_fed_by_command_give_good_reports_and_no_wrong_proposal() {
    let data = root().join("../shared/data");
    if !data.is_dir() {
        writeln!(std::io::stderr(), "../shared/data is not there: no report was scored by command")
            .expect("standard error takes a line");
        return;
    }
    let Some(output) = python("score", &["--data", &data.to_string_lossy()]) else { return };
    let output_text = text(&output);
    assert!(output.status.success(), "{output_text}");
    let summary = output_text.lines().last().expect("a summary");
    let summary: serde_json::Value = serde_json::from_str(summary).expect("a summary as JSON");
    let number = |name: &str| summary[name].as_f64().expect("a number");
    assert!(number("mean") >= 0.75 && number("worst") >= 0.55, "{output_text}");
    writeln!(std::io::stderr(), "scored by command: {summary}")
        .expect("standard error takes a line");
}
