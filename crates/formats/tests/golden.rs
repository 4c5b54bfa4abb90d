//! The plan of every sample: which line becomes what. Of the files of others, in `../shared/data`
//! next to the checkout, only numbers and digests are kept here, not their text.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use dormouse_formats::intake::ReadOptions;
use dormouse_formats::plan::{self, Options, Reading};
use dormouse_types::draft::Task;
use dormouse_types::hash;
use insta::assert_snapshot;
use jiff::civil::date;
use jiff::tz::TimeZone;

use crate::corpus::data;
use crate::readings::is_whole;
use crate::show::plan_shown;

/// A reader in Bucharest on a Saturday.
fn options() -> Options {
    let zone = TimeZone::get("Europe/Bucharest").unwrap();
    let read = ReadOptions { today: Some(date(2026, 11, 21)), zone, ..ReadOptions::default() };
    Options { read, ..Options::default() }
}

/// The files of a folder, by name.
fn files(folder: &Path) -> Vec<(String, PathBuf)> {
    let paths = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut files: Vec<_> = paths
        .filter(|path| path.is_file())
        .map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), path))
        .collect();
    files.sort();
    files
}

fn read(name: &str, bytes: &[u8]) -> Result<Reading, plan::Error> {
    let reading = plan::read(name, bytes, &options())?;
    is_whole(&reading, std::str::from_utf8(bytes).unwrap());
    // Reading it again says the same.
    assert_eq!(plan::read(name, bytes, &options()).unwrap(), reading, "{name}");
    Ok(reading)
}

#[test]
fn each_sample_has_its_plan() {
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples");
    let files = files(&samples).into_iter().chain(files(&samples.join("formats")));
    for (name, path) in files {
        let text = std::fs::read_to_string(path).unwrap();
        let reading = read(&name, text.as_bytes()).unwrap();
        let shown = format!("{}\n{}", reading.format, plan_shown(&text, &reading));
        assert_snapshot!(format!("sample_{name}"), shown);
    }
}

#[test]
fn each_list_and_calendar_of_others_has_its_plan() {
    for kind in ["tasks", "ics"] {
        let Some(folder) = data(kind) else { return };
        for (name, path) in files(&folder) {
            let bytes = std::fs::read(path).unwrap();
            let shown = match read(&name, &bytes) {
                Ok(reading) => numbers(&reading),
                Err(error) => format!("refused: {}", folded(&error.to_string())),
            };
            assert_snapshot!(format!("{kind}_{name}"), shown);
        }
    }
}

/// A plan without the words of its text.
fn numbers(reading: &Reading) -> String {
    let mut out = format!("{}\n", reading.format);
    let mut places = reading.places.iter().peekable();
    while let Some(first) = places.next() {
        let mut last = first;
        while let Some(next) =
            places.next_if(|next| next.role == first.role && next.task == first.task)
        {
            last = next;
        }
        let lines = match (first.line, last.line) {
            (first, last) if first == last => first.to_string(),
            (first, last) => format!("{first}-{last}"),
        };
        let task = first.task.map(|task| (task + 1).to_string()).unwrap_or_default();
        let _ = writeln!(out, "{lines:>9} {:<8} {task}", first.role);
    }
    for (number, task) in (1..).zip(&reading.tasks) {
        let _ = writeln!(out, "TASK {number} {}", task_numbers(task));
    }
    for remark in &reading.remarks {
        let _ = writeln!(out, "! {}: {}", remark.line, folded(&remark.message));
    }
    out
}

fn task_numbers(task: &Task) -> String {
    let ticked = task.items.iter().filter(|item| item.is_checked).count();
    let chars: usize = task.entries.iter().map(|entry| entry.text.chars().count()).sum();
    let dated = task.entries.iter().filter(|entry| entry.on.is_some()).count();
    let mut out = format!("line {} title {}", task.line, folded(&task.title));
    let fields = [
        ("status", task.status.map(|status| status.to_string())),
        ("priority", task.priority.map(|priority| priority.to_string())),
        ("due", task.due_on.map(|day| day.to_string())),
        ("minutes", task.estimate_minutes.map(|minutes| minutes.to_string())),
        ("category", task.category.as_deref().map(folded)),
        ("labels", (!task.labels.is_empty()).then(|| task.labels.len().to_string())),
        ("items", (!task.items.is_empty()).then(|| format!("{ticked}/{}", task.items.len()))),
        ("entries", (chars > 0).then(|| format!("{} ({chars} chars)", task.entries.len()))),
        ("dated", (dated > 0).then(|| dated.to_string())),
    ];
    for (name, value) in fields {
        if let Some(value) = value {
            let _ = write!(out, ", {name} {value}");
        }
    }
    out
}

/// The length of a text and the beginning of its digest.
fn folded(text: &str) -> String {
    format!("{}:{}", text.chars().count(), &hash::sha256(text).as_str()[..6])
}
