//! `dormouse agent knows` and `dormouse agent forget`: what was removed is in no file of the folder.

use std::path::Path;

use crate::world::World;

const SECRET: &str = "The gate opens with 4711 and a kick";

/// The files of a folder that have some bytes.
fn files_with(folder: &Path, words: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder is there") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files_with(&path, words));
        } else {
            let bytes = std::fs::read(&path).unwrap_or_default().to_ascii_lowercase();
            let words = words.to_ascii_lowercase();
            if bytes.windows(words.len()).any(|part| part == words.as_bytes()) {
                found.push(path.to_string_lossy().into_owned());
            }
        }
    }
    found
}

/// A world whose agent knows the secret, and the name of the line.
fn told() -> (World, String) {
    let world = World::with_agents();
    world.ok(&["task", "note", "water butt", &format!("{SECRET}. Bring a rope.")]);
    world.ok(&["agent", "wake", "water butt"]);
    let known = world.json(&["agent", "knows", "water butt"]);
    let lines = known["items"].as_array().expect("lines");
    let has =
        |line: &&serde_json::Value| line["text"].as_str().is_some_and(|text| text.contains(SECRET));
    let line = lines.iter().find(has).expect("it knows it");
    assert_eq!(line["kind"], "input");
    assert!(line["entryId"].is_string() && line["runKey"].is_string() && line["at"].is_string());
    let name = line["line"].as_str().expect("a name").to_owned();
    (world, name)
}

#[test]
fn what_an_agent_knows_is_listed_with_its_source() {
    let (world, line) = told();
    let shown = world.run(&["agent", "knows", "water butt"]);
    assert_eq!(shown.code, 0, "{shown:?}");
    assert!(shown.out.contains(&line) && shown.out.contains(SECRET), "{}", shown.out);
    let first = world.json(&["agent", "knows", "water butt", "--limit", "2"]);
    assert_eq!(first["items"].as_array().map(Vec::len), Some(2));
    let cursor = first["nextCursor"].as_str().expect("there is more").to_owned();
    let next = world.json(&["agent", "knows", "water butt", "--limit", "2", "--after", &cursor]);
    assert_ne!(next["items"][0]["line"], first["items"][1]["line"]);
    let refused = world.run(&["agent", "knows", "water butt", "--after", "x"]);
    assert!(refused.code != 0 && refused.err.contains("not a cursor"), "{refused:?}");
}

#[test]
fn a_removed_line_is_in_no_file_of_the_folder() {
    let (world, line) = told();
    let data = world.data();
    assert!(!files_with(&data, SECRET).is_empty());
    let preview = world.run(&["agent", "forget", "water butt", &line, "--and-entry"]);
    assert_eq!(preview.code, 0, "{preview:?}");
    assert!(preview.out.contains("this would be removed"), "{}", preview.out);
    assert!(preview.out.contains("can then no longer be shown as they were"), "{}", preview.out);
    assert!(preview.out.contains("--and-entry --yes"), "{}", preview.out);
    assert!(!files_with(&data, SECRET).is_empty(), "a look removes nothing");

    let done = world.json(&["agent", "forget", "water butt", &line, "--and-entry", "--yes"]);
    assert_eq!(done["phase"], "done", "{done}");
    assert_eq!(files_with(&data, SECRET), Vec::<String>::new());
    assert_eq!(files_with(&data, "Bring a rope"), Vec::<String>::new());
    let again = world.json(&["agent", "forget", "water butt", &line, "--and-entry", "--yes"]);
    assert_eq!(again, done, "to remove it twice changes nothing");

    let log = world.run(&["agent", "log", "water butt", "--prompt"]);
    assert!(log.out.contains("part of this request was removed"), "{}", log.out);
    let task = world.run(&["task", "show", "water butt"]);
    assert!(!task.out.contains("4711") && !task.out.contains("[removed]"), "{}", task.out);
}

#[test]
fn without_its_entry_the_note_stays_in_the_task() {
    let (world, line) = told();
    let done = world.run(&["agent", "forget", "water butt", &line, "--yes"]);
    assert!(done.out.contains("its entry stays in the task"), "{done:?}");
    let files = files_with(&world.data(), SECRET);
    assert!(files.iter().all(|file| file.contains("journal.sqlite")), "{files:?}");
    assert!(!files.is_empty());
    let unknown = world.run(&["agent", "forget", "water butt", "line-999"]);
    assert!(unknown.code != 0 && unknown.err.contains("knows no line-999"), "{unknown:?}");
}
