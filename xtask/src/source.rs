//! Reads Rust source just far enough to say which line uses what: product lines without comments
//! and without tests.

/// A line of product code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    /// Counted from 1.
    pub number: usize,
    /// The line without its comment.
    pub text: String,
}

/// The lines of a source file that are neither comment nor below `#[cfg(test)]`.
///
/// Source: the file is formatted by rustfmt, so an item of a module ends with a `}` or a `;` at the
/// indentation of its attribute.
pub fn product_lines(source: &str) -> Vec<Line> {
    let mut lines = Vec::new();
    let mut rest = source.lines().enumerate();
    while let Some((index, line)) = rest.next() {
        if line.trim_start().starts_with("#[cfg(test)]") {
            let indent = line.len() - line.trim_start().len();
            // The item below the attribute, to its end.
            for (_, line) in rest.by_ref() {
                let own = line.len() - line.trim_start().len() == indent && !line.is_empty();
                let ends = line.ends_with(';') || line.ends_with('}');
                if own && ends {
                    break;
                }
            }
            continue;
        }
        let text = without_comment(line);
        if !text.trim().is_empty() {
            lines.push(Line { number: index + 1, text: text.to_owned() });
        }
    }
    lines
}

/// Whether a file holds only tests: `tests.rs` or `x_tests.rs`, or a file below a `tests` folder.
pub fn is_test_file(path: &str) -> bool {
    path.ends_with("/tests.rs") || path.ends_with("_tests.rs") || path.contains("/tests/")
}

/// The lines that use a path such as `std::fs` or a macro such as `println!`.
///
/// Sees grouped imports too: `use std::{env, fs};`, over several lines as well.
pub fn uses(lines: &[Line], word: &str) -> Vec<usize> {
    let mut found: Vec<usize> = lines
        .iter()
        .filter(|line| contains_word(&line.text, word))
        .map(|line| line.number)
        .collect();
    if let Some((parent, name)) = word.rsplit_once("::") {
        found.extend(grouped(lines, parent, name));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Lines of `parent::{..}` groups that name `name` at the first level of the group.
fn grouped(lines: &[Line], parent: &str, name: &str) -> Vec<usize> {
    let opening = format!("{parent}::{{");
    let mut found = Vec::new();
    let mut depth = 0;
    for line in lines {
        let mut rest = line.text.as_str();
        if depth == 0 {
            let Some(at) = rest.find(&opening) else { continue };
            rest = &rest[at + opening.len()..];
            depth = 1;
        }
        let mut word = String::new();
        for letter in rest.chars().chain([' ']) {
            if letter.is_alphanumeric() || letter == '_' {
                word.push(letter);
                continue;
            }
            if depth == 1 && word == name {
                found.push(line.number);
            }
            word.clear();
            match letter {
                '{' => depth += 1,
                '}' => depth -= 1,
                ';' => depth = 0,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
    }
    found
}

/// Whether a line contains the word with no letter right before or after it.
fn contains_word(line: &str, word: &str) -> bool {
    let part = |letter: char| letter.is_alphanumeric() || letter == '_';
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(part) && !after.is_some_and(part)
    })
}

/// Cuts a `//` comment off; one inside a string literal stays.
fn without_comment(line: &str) -> &str {
    let mut in_string = false;
    let mut before = ' ';
    for (at, letter) in line.char_indices() {
        match letter {
            '"' if before != '\\' && before != '\'' => in_string = !in_string,
            '/' if before == '/' && !in_string => return &line[..at - 1],
            _ => {}
        }
        before = letter;
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_using(source: &str, word: &str) -> Vec<usize> {
        uses(&product_lines(source), word)
    }

    #[test]
    fn a_use_is_found_with_its_line() {
        let source = "fn a() {\n    let text = std::fs::read(path)?;\n    println!(\"x\");\n}\n";
        assert_eq!(lines_using(source, "std::fs"), [2]);
        assert_eq!(lines_using(source, "println!"), [3]);
        assert_eq!(lines_using("eprintln!(\"x\");\n", "println!"), [0usize; 0]);
        assert_eq!(lines_using("use std::fstab;\n", "std::fs"), [0usize; 0]);
    }

    #[test]
    fn grouped_imports_are_seen() {
        assert_eq!(lines_using("use std::{env, fs};\n", "std::fs"), [1]);
        assert_eq!(lines_using("use std::{\n    fmt,\n    fs::File,\n};\n", "std::fs"), [3]);
        assert_eq!(lines_using("use std::{fmt::{self, fs}};\n", "std::fs"), [0usize; 0]);
        assert_eq!(lines_using("use std::{fmt, io};\nlet fs = 1;\n", "std::fs"), [0usize; 0]);
    }

    #[test]
    fn comments_and_tests_are_not_product_code() {
        assert_eq!(lines_using("// std::fs\nlet a = 1; // std::fs\n", "std::fs"), [0usize; 0]);
        assert_eq!(lines_using("let a = \"http://x\"; std::fs::read(a);\n", "std::fs"), [1]);
        let source = "use a;\n\n#[cfg(test)]\nmod tests {\n    use std::fs;\n}\nuse std::fs;\n";
        assert_eq!(lines_using(source, "std::fs"), [7]);
        assert_eq!(lines_using("#[cfg(test)]\nmod x_tests;\nuse std::fs;\n", "std::fs"), [3]);
    }
}
