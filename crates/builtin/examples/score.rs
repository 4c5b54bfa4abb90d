//! Writes the reports of Markdown threads as the JSON that their scorer reads.
//!
//! `cargo run -p dormouse-builtin --example score -- EXPECTATION.json...` prints the JSON; with
//! `--show` it prints the reports themselves. A thread is next to the folder of its expectation,
//! under the path in the key `file`.

#![allow(clippy::print_stdout, reason = "an example prints")]

#[path = "../tests/reports/desk.rs"]
#[allow(dead_code, reason = "shared with the tests, which use all of it")]
mod desk;

use std::path::Path;

use anyhow::Context;
use serde_json::{Map, Value, json};

fn main() -> anyhow::Result<()> {
    let mut reports = Map::new();
    let args: Vec<String> = std::env::args().skip(1).collect();
    let show = args.iter().any(|arg| arg == "--show");
    for arg in args.iter().filter(|arg| *arg != "--show") {
        let path = Path::new(arg);
        let read = |path: &Path| {
            std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))
        };
        let expected: Value = serde_json::from_str(&read(path)?)?;
        let data = path.parent().and_then(Path::parent).context("an expectation in a folder")?;
        let text = read(&data.join(expected["file"].as_str().context("a file")?))?;
        let desk = desk::of_expectation(&expected, &text);
        let (tldr, content) = desk.report().context("a report")?;
        let name = path.file_stem().context("a file name")?.to_string_lossy().into_owned();
        if show {
            println!("==== {name}\n{tldr}\n\n{content}\n");
        }
        let report = json!({ "tldr": tldr, "content": content, "language": "en", "proposals": desk.proposals() });
        reports.insert(name, report);
    }
    if !show {
        println!("{}", Value::Object(reports));
    }
    Ok(())
}
