//! Notebooks: short notes in sequence, a report and proposals after each.
//!
//! The scorer and some notebooks are in `shared/data`, beside the checkout; if that folder is missing, the
//! tests say so and check nothing. More notebooks, in the same format, are in `tests/notebooks`.

use std::path::{Path, PathBuf};
use std::process::Command;

use dormouse_types::Fingerprint;
use dormouse_types::model::OpenProposal;
use jiff::civil::Date;
use serde_json::{Value, json};

use crate::desk::Desk;

/// Scores what was seen of every notebook with the functions of the scorer.
const SCORE: &str = "
import json, sys
sys.path.insert(0, sys.argv[1])
sys.dont_write_bytecode = True
from pathlib import Path
import score_notebooks as notebooks
results = []
folder = Path(sys.argv[2])
for name, seen in json.load(open(sys.argv[3])).items():
    exp = json.loads((folder / f'{name}.json').read_text('utf-8'))
    source = notebooks.read(exp, folder)
    results.append(notebooks.score_notebook(exp, seen, source, 'rules'))
print(json.dumps({**notebooks.summarise(results), 'faults': [f for r in results for f in r['forbidden'] + r['wrongValues']]}))
";

/// The folder of notebooks; `DORMOUSE_NOTEBOOKS` names another one, of the same format.
fn folder() -> Option<PathBuf> {
    std::env::var_os("DORMOUSE_NOTEBOOKS").map(PathBuf::from).or_else(scorer)
}

/// The folder of the scorer.
fn scorer() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(3)?;
    Some(beside.join("shared/data/notebooks")).filter(|data| data.is_dir())
}

/// Title, checklist and notes of a notebook.
fn read(text: &str) -> (String, Vec<String>, Vec<(Date, String)>) {
    let (mut title, mut items) = (String::new(), Vec::new());
    let mut notes: Vec<(Date, String)> = Vec::new();
    for line in text.lines() {
        let day = line.strip_prefix("## ").and_then(|day| day.parse().ok());
        match (day, notes.last_mut()) {
            (Some(day), _) => notes.push((day, String::new())),
            (None, Some((_, note))) => {
                note.push_str(line);
                note.push('\n');
            }
            (None, None) => {
                if let Some(words) = line.strip_prefix("# ") {
                    title = words.to_owned();
                } else if let Some((_, item)) = line.split_once("[ ] ") {
                    items.push(item.to_owned());
                }
            }
        }
    }
    for (_, note) in &mut notes {
        *note = note.trim().to_owned();
    }
    (title, items, notes)
}

/// What a person sees after each note: the report and the open proposals.
fn drive(text: &str) -> Value {
    let (title, items, notes) = read(text);
    let mut desk = Desk::new(&title, notes[0].0);
    for item in &items {
        desk = desk.item(item, false);
    }
    let mut seen = Vec::new();
    let mut language = Value::Null;
    let mut n_made = 0;
    for (day, note) in &notes {
        desk.today = *day;
        desk = desk.entry_on(*day, note);
        if let Some(last) = seen.last().map(|last: &Value| last["tldr"].clone()) {
            desk = desk.since(last.as_str().unwrap_or_default());
        }
        let mut shown = json!({ "tldr": "", "content": "" });
        if let Some(last) = seen.last() {
            shown.clone_from(last);
        }
        for call in desk.calls() {
            match call.name.as_str() {
                "update_report" => {
                    shown["tldr"] = call.args["tldr"].clone();
                    shown["content"] = call.args["content"].clone();
                }
                "set_task_language" => language = call.args["languageCode"].clone(),
                "retract_suggestions" => {
                    for given in call.args["proposals"].as_array().expect("a list") {
                        desk.open.retain(|open| given["fingerprint"] != json!(open.fingerprint));
                    }
                }
                "record_observations" => {}
                name => {
                    let list =
                        ["items", "labels"].into_iter().find_map(|key| call.args[key].as_array());
                    let parts = list.cloned().unwrap_or_else(|| vec![call.args.clone()]);
                    let name = name.replace("add_multiple_checklist_items", "add_checklist_item");
                    for args in parts {
                        n_made += 1;
                        desk.open.push(OpenProposal {
                            fingerprint: Fingerprint(format!("{n_made:0>64}")),
                            tool: name.clone(),
                            args,
                            summary: String::new(),
                        });
                    }
                }
            }
        }
        let proposals: Vec<Value> = desk
            .open
            .iter()
            .map(|open| {
                let mut args = open.args.clone();
                let evidence = args["evidence"].take();
                if let Some(map) = args.as_object_mut() {
                    map.remove("evidence");
                    if open.tool == "update_checklist_items" {
                        let id = map.remove("id").unwrap_or_default();
                        let of = desk.state.items.iter().find(|item| json!(item.id) == id);
                        map.insert("item".into(), json!(of.map(|item| &item.title)));
                    }
                }
                json!({ "tool": open.tool, "args": args, "evidence": evidence })
            })
            .collect();
        shown["proposals"] = json!(proposals);
        shown["language"] = if language.is_null() { json!("en") } else { language.clone() };
        seen.push(shown);
    }
    json!(seen)
}

/// Feeds the English notebooks of a folder through the rules and scores what was seen; `None` without the
/// scorer.
fn scored(folder: &Path, name: &str) -> Option<(Value, String)> {
    let scorer = scorer()?;
    let mut seen = serde_json::Map::new();
    for entry in std::fs::read_dir(folder).expect("the folder of notebooks") {
        let path = entry.expect("an entry of it").path();
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if path.extension().is_some_and(|end| end == "md") && name.starts_with("en-") {
            seen.insert(name, drive(&std::fs::read_to_string(&path).expect("a readable file")));
        }
    }
    // Kept so that what is missed can be read line by line.
    let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&file, Value::Object(seen).to_string()).expect("a written file");
    let scored = Command::new("python3")
        .args(["-c", SCORE])
        .args([scorer.as_path(), folder, file.as_path()])
        .output()
        .expect("python3 runs the scorer");
    let text = String::from_utf8_lossy(&scored.stdout).into_owned();
    assert!(scored.status.success(), "{text}{}", String::from_utf8_lossy(&scored.stderr));
    let summary: Value = serde_json::from_str(&text).expect("the scorer's JSON");
    assert_eq!(summary["faults"], json!([]), "{text}");
    assert_eq!(summary["gates"], json!(0), "{text}");
    Some((summary, text))
}

/// Fails if the mean, the worst notebook or the number of wrong statements is out of bounds.
fn holds(summary: &Value, text: &str, mean: f64, worst: f64, wrong: f64) {
    let number = |key: &str| summary[key].as_f64().expect("a number");
    assert!(number("score") >= mean, "{text}");
    assert!(number("worst") >= worst, "{text}");
    assert!(number("wrong") <= wrong, "{text}");
}

#[test]
#[allow(clippy::print_stderr, reason = "a test that cannot run must say so")]
fn english_notebooks_score_well_and_nothing_wrong_is_said() {
    match folder().and_then(|folder| scored(&folder, "notebooks.json")) {
        Some((summary, text)) => holds(&summary, &text, 0.90, 0.75, 0.0),
        None => eprintln!("shared/data is not next to the workspace: its notebooks are not scored"),
    }
}

/// What is still said wrongly, `docs/judgement.md` names.
#[test]
#[allow(clippy::print_stderr, reason = "a test that cannot run must say so")]
fn our_own_notebooks_score_well_and_what_is_said_wrongly_is_known() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/notebooks");
    match scored(&own, "own-notebooks.json") {
        Some((summary, text)) => holds(&summary, &text, 0.84, 0.54, 3.0),
        None => eprintln!("shared/data is not next to the workspace: no scorer for notebooks"),
    }
}
