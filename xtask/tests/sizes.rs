//! Functions that are longer than a reader can hold, each with a reason.

use anyhow::Context as _;
use xtask::{repository, source};

/// Units: lines, from the signature to the closing brace.
const MOST_LINES: usize = 100;

/// Functions of more lines, and why they are not split.
const LONG: &[(&str, &str, &str)] = &[
    ("crates/formats/src/csv/guess.rs", "settle", LINES),
    ("crates/formats/src/csv/rows.rs", "draft", FIELDS),
    ("crates/formats/src/intake/html.rs", "tag", LINES),
    ("crates/formats/src/markdown/tasks.rs", "gather", LINES),
    ("crates/formats/src/markdown/tasks.rs", "listed", LINES),
    ("crates/formats/src/other_json/task.rs", "member", FIELDS),
    ("crates/formats/src/plan/deadlines.rs", "find", GRAMMAR),
    ("crates/formats/src/todo_txt/write.rs", "of", FIELDS),
    ("crates/formats/src/trello.rs", "card", FIELDS),
    ("crates/formats/src/vikunja.rs", "task", FIELDS),
    ("crates/formats/src/when/again.rs", "again", GRAMMAR),
    ("crates/formats/src/when/context.rs", "is_plausible", GRAMMAR),
    ("crates/formats/src/when/day_time.rs", "time_first", GRAMMAR),
    ("crates/formats/src/when/hours.rs", "hours", GRAMMAR),
    ("crates/formats/src/when/matching.rs", "accept_class", GRAMMAR),
    ("crates/formats/src/when/resolve.rs", "core", GRAMMAR),
];

/// The alternatives of a grammar are tried in order, and a part of them has no name of its own.
const GRAMMAR: &str = "alternatives that are tried in order";

/// One field after another of a foreign format goes to its place in a task.
const FIELDS: &str = "one field of the format after another";

/// One kind of line or tag after another.
const LINES: &str = "one kind of line after another";

#[test]
fn long_functions_are_known() -> anyhow::Result<()> {
    let mut found = Vec::new();
    let mut seen = Vec::new();
    for path in repository::files_below("crates")? {
        if !path.ends_with(".rs") || source::is_test_file(&path) {
            continue;
        }
        let text = repository::read(&path).with_context(|| path.clone())?;
        for (name, n_lines) in functions(&text) {
            let is_known = LONG.iter().any(|(file, known, _)| *file == path && *known == name);
            if n_lines > MOST_LINES && is_known {
                seen.push(name);
            } else if n_lines > MOST_LINES {
                found
                    .push(format!("{path}: {name} has {n_lines} lines: look for a second subject"));
            }
        }
    }
    let short = LONG.iter().filter(|(_, name, _)| !seen.iter().any(|one| one == name));
    found.extend(short.map(|(path, name, _)| format!("{path}: {name} is not long any more")));
    assert!(found.is_empty(), "\n{}\n", found.join("\n"));
    Ok(())
}

/// The functions of product code with a body, and how many lines each has.
///
/// Source: the file is formatted by rustfmt, so a body ends with a `}` at the indentation of its signature.
fn functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let product = source::product_lines(text);
    let mut found = Vec::new();
    for line in product {
        let at = line.number - 1;
        let Some(name) = function_name(&line.text) else { continue };
        let indent = line.text.len() - line.text.trim_start().len();
        let is_own = |other: &str| other.len() - other.trim_start().len() == indent;
        let opens = lines[at..]
            .iter()
            .position(|other| is_own(other) && other.ends_with('{') || other.ends_with([';', '}']));
        // A signature of a trait has no body.
        if opens.is_none_or(|n| !lines[at + n].ends_with('{')) {
            continue;
        }
        let ends = lines[at..].iter().position(|other| is_own(other) && other.trim() == "}");
        found.extend(ends.map(|n| (name, n + 1)));
    }
    found
}

/// The name of the function that a line begins.
fn function_name(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let is_before =
        |word: &&str| word.starts_with("pub") || ["async", "const", "unsafe", "in"].contains(word);
    let first = words.by_ref().find(|word| !is_before(word))?;
    let name = words.next().filter(|_| first == "fn")?;
    Some(name.split(['(', '<']).next().unwrap_or(name).to_owned())
}

#[test]
fn the_rule_counts_bodies_and_no_signatures() {
    let text = "trait A {\n    fn a(\n        &self,\n    ) -> u8;\n\n    fn b(&self) -> u8 {\n        1\n    }\n}\n\
                pub async fn c(\n    x: u8,\n) -> u8 {\n    x\n}\nfn d() {}\n";
    let expected = [("b".to_owned(), 3), ("c".to_owned(), 5)];
    assert_eq!(functions(text), expected);
}
