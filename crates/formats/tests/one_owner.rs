//! No words of a file are in two tasks, nor twice in the notes of one.

use dormouse_formats::markdown;
use dormouse_formats::plan::Role;
use dormouse_types::draft::Task;
use proptest::prelude::*;

/// How often a word is in the title and items of a task, and how often in its notes.
fn count(task: &Task, word: &str) -> (usize, usize) {
    let of = |text: &str| text.split_whitespace().filter(|part| *part == word).count();
    let items = task.items.iter().map(|item| of(&item.title)).sum::<usize>();
    (of(&task.title) + items, task.entries.iter().map(|entry| of(&entry.text)).sum())
}

/// Checks a text in which the word `w` and the number of its line is once in each line that is not
/// blank.
fn each_word_has_one_owner(text: &str) -> Result<(), TestCaseError> {
    let reading = markdown::reading("any.md", text.as_bytes()).unwrap();
    for (number, line) in text.lines().enumerate() {
        // What is above several tasks is a word of each.
        if matches!(reading.places[number].role, Role::Blank | Role::Category | Role::Parent) {
            continue;
        }
        let word = format!("w{number}");
        let found: Vec<(usize, usize)> =
            reading.tasks.iter().map(|task| count(task, &word)).filter(|&n| n != (0, 0)).collect();
        prop_assert_eq!(found.len(), 1, "{} of {:?}: {:#?}", line, text, reading.tasks);
        // Each note below an item repeats the words of the item.
        prop_assert!(
            found[0].0 == 1 || found[0] == (0, 1),
            "{} of {:?}: {:#?}",
            line,
            text,
            reading.tasks
        );
    }
    Ok(())
}

/// Check items with and without dates, and text with any indentation between them.
fn list() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => "( {0,6}|\t)- \\[[ x/]\\] WORD( 📅 2026-1[0-2]-0[1-9]| ⏫){0,1}",
        3 => " {0,6}WORD",
        1 => " {0,6}- WORD",
        1 => " {0,4}\\[ \\] WORD( 📅 2026-12-01)?",
        1 => " {0,4}2026-11-1[0-9]: WORD",
        1 => " {0,4}> WORD",
        2 => Just(String::new()),
    ];
    prop::collection::vec(line, 1..10).prop_map(|lines| {
        let lines = lines.iter().enumerate();
        let lines = lines.map(|(number, line)| line.replace("WORD", &format!("w{number}")));
        lines.collect::<Vec<_>>().join("\n")
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn each_word_of_a_list_has_one_owner(text in list()) {
        each_word_has_one_owner(&text)?;
    }
}

#[test]
fn text_between_a_task_and_its_indented_items_is_a_note_of_that_task() {
    let text = "- [x] w0 📅 2026-12-01\nw1\n  - [ ] w2\n\nw4";
    each_word_has_one_owner(text).unwrap();
    let reading = markdown::reading("list.md", text.as_bytes()).unwrap();
    let task = reading.tasks.iter().find(|task| task.title == "w0").unwrap();
    assert_eq!((task.items[0].title.as_str(), task.entries[0].text.as_str()), ("w2", "w1"));
    let places: Vec<_> = reading.places[..3].iter().map(|place| place.task).collect();
    assert_eq!(places[0], places[1]);
    assert_eq!(places[0], places[2]);
}

#[test]
fn a_task_that_begins_within_the_extent_of_another_is_no_note_of_it() {
    let text = "- [ ] w0 📅 2026-12-01\n  w1\n[ ] w2 📅 2026-12-02";
    each_word_has_one_owner(text).unwrap();
    let reading = markdown::reading("list.md", text.as_bytes()).unwrap();
    let titles: Vec<&str> = reading.tasks.iter().map(|task| task.title.as_str()).collect();
    assert_eq!(titles, ["w0", "w2"]);
    let notes: Vec<&str> = reading.tasks[0].entries.iter().map(|note| note.text.as_str()).collect();
    assert_eq!(notes, ["w1"]);
    assert!(reading.tasks[1].entries.is_empty(), "{:?}", reading.tasks[1].entries);
}

#[test]
fn dates_and_signs_end_the_line_of_a_task() {
    let text =
        "- [ ] w0 🔁 every day\n  w1: x\n- [ ] w2 📅 2026-12-01 #home ^id\n  w3\n- [ ] w4\n  w5";
    let reading = markdown::reading("list.md", text.as_bytes()).unwrap();
    let read: Vec<_> = reading
        .tasks
        .iter()
        .map(|task| {
            let notes: Vec<&str> = task.entries.iter().map(|note| note.text.as_str()).collect();
            format!("{} | {}", task.title, notes.join(" / "))
        })
        .collect();
    assert_eq!(read, ["w0 | 🔁 every day / w1: x", "w2 | ^id / w3", "w4 w5 | "]);
}

#[test]
fn a_date_of_a_heading_that_the_calendar_does_not_have_is_said() {
    let reading =
        markdown::reading("list.md", "# Call 📅 2026-02-31\n- [ ] Ana".as_bytes()).unwrap();
    assert_eq!(reading.tasks[0].title, "Call 📅 2026-02-31");
    let said: Vec<_> = reading.remarks.iter().map(|one| (one.line, one.message.as_str())).collect();
    assert_eq!(said, [(1, "`2026-02-31` is not a valid date: it stays in the text")]);
}
