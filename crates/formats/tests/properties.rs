//! What holds for any text.

use std::collections::BTreeSet;

use dormouse_formats::{markdown, plan, sanitise};
use dormouse_types::draft::{Drafts, Task};
use proptest::prelude::*;

/// A task wherever it is in a text.
pub fn without_lines(task: &Task) -> Task {
    let mut task = Task { line: 0, ..task.clone() };
    task.items.iter_mut().for_each(|item| item.lines = 0..0);
    task
}

/// The words of a file that no draft and no remark contains. A word is text between spaces with at
/// least one letter or digit; list markers and boxes are not words.
pub fn lost_words(text: &str, drafts: &Drafts) -> Vec<String> {
    let mut kept: BTreeSet<&str> = BTreeSet::new();
    let mut fields: BTreeSet<String> = BTreeSet::new();
    for task in &drafts.tasks {
        kept.extend(task.title.split_whitespace());
        // A heading before a title is set off with a colon.
        kept.extend(task.title.split_whitespace().map(|word| word.trim_end_matches(':')));
        kept.extend(task.category.iter().flat_map(|name| name.split_whitespace()));
        kept.extend(task.category.iter().flat_map(|name| name.split(": ")));
        fields.extend(task.due_on.map(|day| day.to_string()));
        fields.extend(
            task.labels.iter().flat_map(|label| [format!("#{label}"), format!("@{label}")]),
        );
        fields.extend(task.category.iter().map(|name| format!("+{name}")));
        kept.extend(task.items.iter().flat_map(|item| item.title.split_whitespace()));
        let words = || task.entries.iter().flat_map(|entry| entry.text.split_whitespace());
        kept.extend(words().chain(words().map(|word| word.trim_end_matches(':'))));
    }
    let words = text.split(['\n', '\r']).flat_map(|line| without_markers(line).split_whitespace());
    words
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .filter(|word| {
            // A line break's backslash is not part of the word.
            !fields.contains(*word)
                && !kept.contains(word)
                && !kept.contains(word.strip_suffix('\\').unwrap_or(word))
                // `key:value` of todo.txt is kept as `key: value`.
                && !word.split_once(':').is_some_and(|(key, value)| kept.contains(key) && kept.contains(value))
                // Nor is the colon at the end of a heading that is above others.
                && !kept.contains(word.trim_end_matches(':'))
                && !kept.contains(without_inner_colon(word).as_str())
        })
        .filter(|word| !drafts.not_understood.iter().any(|remark| remark.message.contains(word)))
        .map(str::to_owned)
        .collect()
}

/// A word without the colon before the signs of emphasis at its end: `1:**`.
fn without_inner_colon(word: &str) -> String {
    let open = word.trim_end_matches(['*', '_']);
    format!("{}{}", open.trim_end_matches(':'), &word[open.len()..])
}

fn without_markers(line: &str) -> &str {
    let mut rest = line.trim();
    loop {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let marker = if digits > 0 {
            rest[digits..].strip_prefix(['.', ')'])
        } else {
            rest.strip_prefix(['-', '*', '+', '>', '#'])
        };
        let boxed =
            ["[x]", "[X]", "[✓]", "[✔]", "(x)"].iter().find_map(|mark| rest.strip_prefix(mark));
        match marker.or(boxed) {
            Some(after) if after.is_empty() || after.starts_with(char::is_whitespace) => {
                rest = after.trim_start();
            }
            // A drawn box needs no space after it.
            _ => match rest.strip_prefix(['☐', '▢', '□', '☑', '☒', '✓', '✔', '✅', '🗹'])
            {
                Some(after) => rest = after.trim_start_matches('\u{fe0f}').trim_start(),
                None => return rest,
            },
        }
    }
}

/// Checks both sanitised forms of a text for anything that must not reach a terminal.
pub fn survives_terminal(text: &str) {
    let (line, block) = (sanitise::line(text), sanitise::block(text));
    assert!(!line.chars().any(char::is_control), "{line:?}");
    assert!(!block.chars().any(|c| c.is_control() && c != '\n' && c != '\t'), "{block:?}");
    for clean in [&line, &block] {
        let reorders = |c| matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        assert!(!clean.contains(reorders), "{clean:?}");
    }
    assert_eq!(sanitise::line(&line), line);
    assert_eq!(sanitise::block(&block), block);
}

/// Lines as in task files, mixed with arbitrary text.
pub fn file() -> impl Strategy<Value = String> {
    let words = "[a-zàß漢0-9]{1,6}( [a-z*_`#:|\\\\\\[\\]()<>~=-]{1,5}| [a-z0-9]{1,5}){0,4}";
    let start = prop_oneof![
        4 => "",
        3 => "#{1,4} ",
        3 => " {0,6}[-*+] \\[[ x~-]?\\] ",
        2 => " {0,6}([-*+]|[0-9]{1,2}[.)]) ",
        1 => "\t{0,2}[0-9]{1,2}\\. \\[[ xX]\\] ",
        1 => "> ?",
        1 => "(### )?20[0-9]{2}-[01][0-9]-[0-3][0-9]:? ",
        1 => "```|~~~|<!--|-->|<div>|    |---|===|\\| ",
    ];
    let line = (start, words).prop_map(|(start, words)| format!("{start}{words}"));
    let line = prop_oneof![6 => line, 2 => Just(String::new()), 1 => "(---|===|- \\[ \\]|\\*\\*\\*|```|# )"];
    let end = prop_oneof![8 => Just("\n"), 1 => Just("\r\n"), 1 => Just("  \n"), 1 => Just("\\\n")];
    prop::collection::vec((line, end), 0..25)
        .prop_map(|lines| lines.into_iter().map(|(line, end)| line + end).collect())
}

fn keys(task: &Task) -> Vec<String> {
    let items = task.items.iter().map(|item| format!("item {}", item.key));
    items.chain(task.entries.iter().map(|entry| format!("entry {}", entry.key))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 600, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reading_any_bytes_answers(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        match (markdown::read("any.md", &bytes), plan::decode("any.md", &bytes)) {
            (Ok(drafts), Ok(text)) => prop_assert_eq!(lost_words(&text, &drafts), Vec::<String>::new()),
            (Ok(_), Err(error)) => prop_assert!(false, "read as text: {error}"),
            (Err(error), _) => prop_assert!(error.to_string().starts_with("any.md")),
        }
    }

    #[test]
    fn reading_any_text_loses_no_word(text in "\\PC{0,80}(\n\\PC{0,60}){0,6}") {
        let drafts = markdown::read("any.md", text.as_bytes()).unwrap();
        prop_assert_eq!(lost_words(&text, &drafts), Vec::<String>::new());
    }

    #[test]
    fn reading_a_task_file_loses_no_word(text in file()) {
        prop_assume!(!text.starts_with("---"));
        let drafts = markdown::read("any.md", text.as_bytes()).unwrap();
        prop_assert_eq!(lost_words(&text, &drafts), Vec::<String>::new());
    }

    #[test]
    fn keys_are_unique_and_the_same_each_time(text in file()) {
        let Ok(drafts) = markdown::read("any.md", text.as_bytes()) else { return Ok(()) };
        prop_assert_eq!(&markdown::read("any.md", text.as_bytes()).unwrap(), &drafts);
        let tasks: BTreeSet<_> = drafts.tasks.iter().map(|task| &task.key).collect();
        prop_assert_eq!(tasks.len(), drafts.tasks.len());
        for task in &drafts.tasks {
            let all = keys(task);
            let unique: BTreeSet<_> = all.iter().collect();
            prop_assert_eq!(unique.len(), all.len());
        }
    }

    #[test]
    fn appending_an_item_leaves_all_other_keys_alone(
        items in prop::collection::vec("[a-z]{1,3}( [a-z]{1,3})?", 1..12),
        added in "[a-z]{1,3}",
        note in "[a-z ]{0,20}",
    ) {
        let list: String = items.iter().map(|item| format!("- [ ] {item}\n")).collect();
        let before = markdown::read("any.md", format!("# A\n\n{list}\n{note}\n").as_bytes()).unwrap();
        let after = markdown::read("any.md", format!("# A\n\n{list}- [x] {added}\n\n{note}\n").as_bytes()).unwrap();
        prop_assert_eq!(&before.tasks[0].key, &after.tasks[0].key);
        let mut left = after.tasks[0].clone();
        left.items.pop();
        prop_assert_eq!(keys(&before.tasks[0]), keys(&left));
    }

    #[test]
    fn rewording_one_item_leaves_all_other_keys_alone(
        items in prop::collection::btree_set("[a-z]{2,6}", 2..10),
        at in any::<prop::sample::Index>(),
    ) {
        let mut items: Vec<_> = items.into_iter().collect();
        let list = |items: &[String]| -> String { items.iter().map(|item| format!("* [ ] {item}\n")).collect() };
        let before = markdown::read("any.md", list(&items).as_bytes()).unwrap();
        let at = at.index(items.len());
        items[at] = "1 reworded".to_owned();
        let after = markdown::read("any.md", list(&items).as_bytes()).unwrap();
        for (n, (old, new)) in before.tasks[0].items.iter().zip(&after.tasks[0].items).enumerate() {
            prop_assert_eq!(old.key == new.key, n != at);
        }
    }

    #[test]
    fn nothing_dangerous_reaches_a_terminal(text in any::<String>()) {
        survives_terminal(&text);
    }

    #[test]
    fn no_mixture_of_controls_reaches_a_terminal(
        parts in prop::collection::vec(prop_oneof![
            Just("\u{1b}"), Just("["), Just("]8;;"), Just("P"), Just("31m"), Just("\u{7}"), Just("\\"),
            Just("\u{9b}"), Just("\u{9d}"), Just("\u{9c}"), Just("\n"), Just("\r"), Just("\t"), Just(" "),
            Just("\u{200d}"), Just("\u{200c}"), Just("\u{fe0f}"), Just("\u{202e}"), Just("\u{200b}"),
            Just("\u{e0067}"), Just("\u{e0062}"), Just("\u{e007f}"), Just("\u{1f3f4}"), Just("👩"), Just("🏽"),
            Just("ن"), Just("\u{64b}"), Just("क"), Just("\u{94d}"), Just("a"), Just("\u{301}"), Just("漢"), Just("\u{e0100}"),
        ], 0..30),
    ) {
        survives_terminal(&parts.concat());
    }
}
