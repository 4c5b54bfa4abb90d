//! What holds for the plan of any text, and for any corrections of it.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use dormouse_formats::csv::{Column, ColumnGuess, Columns};
use dormouse_formats::plan::{
    self, Correction, Edit, Format, Kept, Options, Place, Planned, PlannedTask, Reading, Role,
};
use dormouse_formats::{markdown, plain_lines};
use dormouse_types::draft::{Drafts, Task};
use proptest::prelude::*;

use crate::corpus::data;
use crate::properties::{file, lost_words};

/// Checks that every line has one place and every key is the only one of its kind.
fn is_whole(text: &str, places: &[Place], tasks: &[&Task]) {
    let lines = plan::lines(text);
    assert_eq!(places.len(), lines.len());
    for (number, (place, line)) in places.iter().zip(lines).enumerate() {
        assert_eq!(place.line, number + 1);
        assert!(place.task.is_none_or(|task| task < tasks.len()), "{place:?}");
        assert_eq!(place.role == Role::Blank, line.trim().is_empty(), "{place:?} {line:?}");
        let is_content = matches!(place.role, Role::Task | Role::Item | Role::Note);
        assert!(!is_content || place.task.is_some(), "{place:?} {line:?}");
    }
    for task in tasks {
        let items = task.items.iter().map(|item| &item.key).collect::<BTreeSet<_>>();
        assert_eq!(items.len(), task.items.len(), "{task:?}");
        let entries = task.entries.iter().map(|entry| &entry.key).collect::<BTreeSet<_>>();
        assert_eq!(entries.len(), task.entries.len(), "{task:?}");
    }
    let keys = tasks.iter().map(|task| &task.key).collect::<BTreeSet<_>>();
    assert_eq!(keys.len(), tasks.len());
}

fn reading_is_whole(text: &str, reading: &Reading) {
    is_whole(text, &reading.places, &reading.tasks.iter().collect::<Vec<_>>());
}

/// The cells of a sheet that are marks and words for a field of a task, such as an `x` for done.
fn values<'t>(text: &'t str, sheet: Option<&Columns>) -> BTreeSet<&'t str> {
    let Some(sheet) = sheet else { return BTreeSet::new() };
    let is_field = |column: Column| {
        matches!(column, Column::Done | Column::Status | Column::Priority | Column::Due)
    };
    let cells =
        text.split(['\n', '\r']).flat_map(|line| line.split(sheet.delimiter).zip(&sheet.columns));
    let fields = cells.filter(|(_, guess)| is_field(guess.column));
    fields.flat_map(|(cell, _)| cell.split_whitespace()).collect()
}

/// The words of a text of any format that no draft has. In a sheet, words end at the sign between cells.
fn lost_from_any(text: &str, reading: Reading) -> Vec<String> {
    let is_todo_txt = reading.format == Format::TodoTxt;
    let sheet = reading.sheet;
    let drafts = Drafts { tasks: reading.tasks, not_understood: reading.remarks };
    let values = values(text, sheet.as_ref());
    let is_lost = |word: &String| match &sheet {
        None => true,
        Some(sheet) => {
            let cells = lost_words(&word.replace(sheet.delimiter, " "), &drafts);
            cells.iter().any(|word| !values.contains(word.as_str()))
        }
    };
    // In todo.txt `x` before a task says that it is done.
    let is_mark = |word: &String| is_todo_txt && word == "x";
    lost_words(text, &drafts).into_iter().filter(|word| is_lost(word) && !is_mark(word)).collect()
}

/// The lines that go when one is left out: all of the task that it begins, all of the title of the item that it is,
/// else the line alone.
fn named_with(reading: &Reading, line: usize) -> BTreeSet<usize> {
    let Place { role, task, .. } = reading.places[line];
    let is_of_task = |place: &&Place| place.task == task && place.role != Role::Blank;
    match (role, task) {
        (Role::Task, Some(_)) => {
            reading.places.iter().filter(is_of_task).map(|place| place.line - 1).collect()
        }
        (Role::Item, Some(task)) => {
            let mut items = reading.tasks[task].items.iter();
            let item = items.find(|item| item.lines.contains(&(line + 1))).unwrap();
            item.lines.clone().map(|line| line - 1).collect()
        }
        _ => BTreeSet::from([line]),
    }
}

/// The words of lines that were left out, and of no other line, that the drafts still have.
fn kept_of(lines: &[&str], left_out: &BTreeSet<usize>, planned: &Planned) -> Vec<String> {
    let words = |line: usize| lines[line].split(|sign: char| !sign.is_alphanumeric());
    let others: BTreeSet<&str> =
        (0..lines.len()).filter(|line| !left_out.contains(line)).flat_map(words).collect();
    let mut drafts = String::new();
    for PlannedTask { draft, .. } in &planned.tasks {
        let items = draft.items.iter().map(|item| &item.title);
        let texts = draft.entries.iter().map(|entry| &entry.text);
        for text in [&draft.title].into_iter().chain(items).chain(texts) {
            let _ = writeln!(drafts, "{text}");
        }
    }
    let kept: BTreeSet<&str> = drafts.split(|sign: char| !sign.is_alphanumeric()).collect();
    let gone = left_out.iter().flat_map(|&line| words(line));
    let gone = gone.filter(|word| !word.is_empty() && !others.contains(word));
    gone.filter(|word| kept.contains(word)).map(str::to_owned).collect()
}

fn drafts(planned: &Planned) -> Drafts {
    let tasks = planned.tasks.iter().map(|task| task.draft.clone()).collect();
    Drafts { tasks, not_understood: planned.remarks.clone() }
}

/// Edits that neither leave anything out nor replace words.
fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        4 => Just(Edit::Split),
        4 => Just(Edit::Join),
        3 => Just(Edit::SetRole { role: Role::Item }),
        3 => Just(Edit::SetRole { role: Role::Note }),
    ]
}

/// Tasks as people keep them in Obsidian.
fn vault() -> impl Strategy<Value = String> {
    let line = "( {0,4}- \\[[ x/-]\\] [a-z]{1,5}( 📅 2026-1[0-3]-0[1-9]| ⏫| 🔁 every week| #[a-z]{2,3}| \\^[a-z]{2}){0,3}|## [a-z]{1,4}|[a-z]{1,4}|)";
    prop::collection::vec(line, 0..15).prop_map(|lines| lines.join("\n"))
}

/// A task with boxes of any sign, notes below some of them, and the rows of a table.
fn checklist() -> impl Strategy<Value = String> {
    let line = "( {0,2}- \\[[ x/?>!~-]\\] [a-z]{2,5}|    [a-z]{3,5})";
    let boxes = prop::collection::vec(line, 1..8);
    let rows = prop::collection::vec("\\| \\[ \\] [a-z]{2,5} \\| [a-z]{0,4} \\|", 0..4);
    (boxes, rows).prop_map(|(boxes, rows)| {
        let head = if rows.is_empty() { "" } else { "\n\n| What | |\n|---|---|\n" };
        format!("# Move\n- [ ] first\n{}{head}{}\n", boxes.join("\n"), rows.join("\n"))
    })
}

/// A list with at least one item.
fn list() -> impl Strategy<Value = String> {
    let line = "(#{1,3} [a-d]{1,2}| {0,2}- \\[[ x]\\] [a-d]{1,3}|[a-d ]{1,9}|)";
    let lines = || prop::collection::vec(line, 0..10).prop_map(|lines| lines.join("\n"));
    (lines(), lines()).prop_map(|(before, after)| format!("{before}\n- [ ] a\n{after}"))
}

fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![3 => file(), 2 => vault(), 1 => "(\\PC{0,30}[\n\r]{0,2}){0,6}"]
}

/// Corrects a plan, and checks that no word is lost and that the corrections hold when they are kept.
fn corrected(
    text: &str,
    reading: &Reading,
    edits: Vec<(prop::sample::Index, Edit)>,
) -> Result<(), TestCaseError> {
    let mut corrections: Vec<Correction> = Vec::new();
    for (at, edit) in edits {
        let line = at.index(reading.places.len()) + 1;
        let one = Correction { line, edit };
        let more: Vec<_> = corrections.iter().cloned().chain([one.clone()]).collect();
        if plan::apply(text, reading, &Kept::default(), &more).is_ok() {
            corrections.push(one);
        }
    }
    let planned = plan::apply(text, reading, &Kept::default(), &corrections).unwrap();
    is_whole(
        text,
        &planned.places,
        &planned.tasks.iter().map(|task| &task.draft).collect::<Vec<_>>(),
    );
    prop_assert_eq!(lost_words(text, &drafts(&planned)), Vec::<String>::new(), "{:?}", corrections);
    let again = plan::apply(text, reading, &planned.kept, &[]).unwrap();
    prop_assert_eq!(&again.tasks, &planned.tasks, "{:?}", corrections);
    prop_assert_eq!(&again.places, &planned.places);
    prop_assert_eq!(&again.kept, &planned.kept);
    Ok(())
}

/// A list without headings.
fn plain() -> impl Strategy<Value = String> {
    let line = "( {0,4}([-*] |[12]\\. )?(☑ |☐ |✓ |\\[\\] |\\(x\\) )?[a-d]{1,3}:?|)";
    prop::collection::vec(line, 1..12).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_line_of_any_text_has_one_place(text in any_text()) {
        if let Ok(reading) = markdown::reading("any.md", text.as_bytes()) {
            reading_is_whole(&text, &reading);
        }
        if let Ok(reading) = plan::read("any", text.as_bytes(), &Options::default()) {
            reading_is_whole(&text, &reading);
            if !text.starts_with("---") {
                prop_assert_eq!(lost_from_any(&text, reading), Vec::<String>::new());
            }
        }
    }

    #[test]
    fn corrections_lose_no_word_and_hold_for_the_next_import(
        text in any_text(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), edit()), 1..6),
    ) {
        prop_assume!(!text.starts_with("---") && !text.is_empty());
        let Ok(reading) = markdown::reading("any.md", text.as_bytes()) else { return Ok(()) };
        corrected(&text, &reading, edits)?;
    }

    #[test]
    fn corrections_of_a_plain_list_lose_no_word(
        text in plain(),
        edits in prop::collection::vec((any::<prop::sample::Index>(), edit()), 1..6),
    ) {
        prop_assume!(!text.is_empty());
        let reading = plain_lines::read("any.txt", &text);
        reading_is_whole(&text, &reading);
        let drafts = Drafts { tasks: reading.tasks.clone(), not_understood: Vec::new() };
        prop_assert_eq!(lost_words(&text, &drafts), Vec::<String>::new());
        corrected(&text, &reading, edits)?;
    }

    #[test]
    fn leaving_out_takes_only_what_is_named(
        text in prop_oneof![any_text(), checklist()],
        at in any::<prop::sample::Index>(),
    ) {
        prop_assume!(!text.starts_with("---") && !text.is_empty());
        let Ok(reading) = markdown::reading("any.md", text.as_bytes()) else { return Ok(()) };
        let line = at.index(reading.places.len());
        let edit = Correction { line: line + 1, edit: Edit::LeaveOut };
        let planned = match plan::apply(&text, &reading, &Kept::default(), &[edit]) {
            Ok(planned) => planned,
            Err(error) => {
                let role = reading.places[line].role;
                prop_assert!(!matches!(role, Role::Task | Role::Item), "{}", error);
                return Ok(());
            }
        };
        prop_assert_eq!(planned.places[line].role, Role::LeftOut);
        let lines = plan::lines(&text);
        let named = named_with(&reading, line);
        for (place, was) in planned.places.iter().zip(&reading.places) {
            let is_named = named.contains(&(place.line - 1));
            prop_assert_eq!(place.role == Role::LeftOut, is_named, "{:?}", was);
        }
        prop_assert_eq!(kept_of(&lines, &named, &planned), Vec::<String>::new());
        let left: Vec<&str> = planned.places.iter().zip(lines)
            // A heading over tasks goes with the last of them.
            .filter(|(place, _)| !matches!(place.role, Role::LeftOut | Role::Category | Role::Parent)).map(|(_, line)| line).collect();
        // In the title of a row the words of other cells have a bracket after them.
        let row = drafts(&plan::apply(&text, &reading, &Kept::default(), &[]).unwrap());
        let in_row = lost_words(&text, &row);
        let mut lost = lost_words(&left.join("\n"), &drafts(&planned));
        lost.retain(|word| !in_row.contains(word));
        prop_assert_eq!(lost, Vec::<String>::new());
    }

    #[test]
    fn an_item_more_changes_no_other_key(text in list(), at in any::<prop::sample::Index>()) {
        let reading = markdown::reading("any.md", text.as_bytes()).unwrap();
        let mut lines: Vec<String> = plan::lines(&text).into_iter().map(str::to_owned).collect();
        let items: Vec<usize> =
            (0..lines.len()).filter(|&line| lines[line].trim_start().starts_with("- [")).collect();
        let line = items[at.index(items.len())];
        let indent = lines[line].len() - lines[line].trim_start().len();
        lines.insert(line, format!("{}- [ ] zzzzzzzz", " ".repeat(indent)));
        let after = markdown::reading("any.md", lines.join("\n").as_bytes()).unwrap();
        let keys = |reading: &Reading| {
            reading.tasks.iter().map(|task| {
                let items: Vec<_> = task.items.iter().map(|item| item.key.clone())
                    .filter(|key| !key.starts_with("zzzzzzzz")).collect();
                (task.key.clone(), items)
            }).collect::<Vec<_>>()
        };
        prop_assert_eq!(keys(&reading), keys(&after));
    }
}

#[test]
fn a_cell_that_is_a_mark_is_a_field_and_a_word_is_kept() {
    for text in ["+ a | |\na |x\n", "+ a | |\na |j\n", "漢 | | x\n漢 a|\n", "x <\n"] {
        let reading = plan::read("any", text.as_bytes(), &Options::default()).unwrap();
        let columns = reading.sheet.as_ref().map(|sheet| &sheet.columns);
        let is_done = |guess: &ColumnGuess| guess.column == Column::Done;
        let is_done = columns.is_some_and(|columns| columns.iter().any(is_done));
        assert_eq!(is_done, columns.is_some() && text.contains('x'), "{text}");
        assert_eq!(lost_from_any(text, reading), Vec::<String>::new(), "{text}");
    }
}

#[test]
fn every_real_markdown_file_has_a_whole_plan() {
    // Tasks and items as stated where the files come from, or counted by hand.
    let stated = [("histologe-dns-procedure.fr.md", 8, 22), ("ical4j-junit5-tasks.md", 7, 74)];
    for kind in ["tasks", "threads", "notebooks"] {
        let Some(folder) = data(kind) else { return };
        for file in std::fs::read_dir(folder).unwrap() {
            let path = file.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if !name.ends_with(".md") || name == "README.md" {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let reading = plan::read(&name, text.as_bytes(), &Options::default()).unwrap();
            reading_is_whole(&text, &reading);
            let titles: BTreeSet<_> = reading.tasks.iter().map(|task| &task.title).collect();
            assert_eq!(titles.len(), reading.tasks.len(), "{name}: {titles:?}");
            let skipped = reading.places.iter().find(|place| place.role == Role::Skipped);
            assert_eq!(skipped, None, "{name}");
            let n_items: usize = reading.tasks.iter().map(|task| task.items.len()).sum();
            if let Some((_, tasks, items)) = stated.iter().find(|(file, _, _)| *file == name) {
                assert_eq!((reading.tasks.len(), n_items), (*tasks, *items), "{name}");
            }
            let drafts = Drafts { tasks: reading.tasks, not_understood: reading.remarks };
            assert_eq!(lost_words(&text, &drafts), Vec::<String>::new(), "{name}");
        }
    }
}

/// Texts that would be slow to read for a reader that looks at the same place twice.
fn hostile() -> Vec<(&'static str, String)> {
    let n = 20_000;
    let mut nested = String::new();
    for depth in 0..400 {
        let _ = writeln!(nested, "{}- [ ] level {depth}", "  ".repeat(depth));
    }
    vec![
        ("one long line", "word ".repeat(n * 10)),
        ("one long item", format!("- [ ] {}", "- [ ".repeat(n * 10))),
        ("brackets", "- [ ] [(".repeat(n)),
        ("signs", format!("- [ ] a {}", "📅 🔁 ⏫ ".repeat(n))),
        ("headings", "# a\n".repeat(n)),
        (
            "names for the next heading",
            format!("{}## Done\n- [ ] a\n## Done\nb\n", "## a\n".repeat(n)),
        ),
        ("deep items, then loose lines", format!("{nested}{}", "a\n".repeat(n))),
        ("deep items, then blank lines", format!("{nested}{}", "\n".repeat(n))),
        (
            "a parent of many",
            format!("# {}\n## x\n- [ ] a\n{}", "p".repeat(5000), "## y\n".repeat(n)),
        ),
        ("quotes", "> ".repeat(n)),
        ("no fence at the end", format!("# a\n- [ ] b\n```\n{}", "- [ ] c\n".repeat(n))),
        ("carriage returns", "# a\r- [ ] b\r".repeat(n / 10)),
        ("equal lines", "# a\nb\n- [ ] c\n".repeat(n / 4)),
    ]
}

#[test]
fn hostile_texts_are_read_and_corrected() {
    for (what, text) in hostile() {
        let reading = markdown::reading("a.md", text.as_bytes());
        let reading = reading.unwrap_or_else(|error| panic!("{what}: {error}"));
        reading_is_whole(&text, &reading);
        let joins = reading.places.iter().filter(|place| place.role == Role::Task).skip(1);
        let joins: Vec<_> =
            joins.map(|place| Correction { line: place.line, edit: Edit::Join }).collect();
        let planned = plan::apply(&text, &reading, &Kept::default(), &joins);
        assert!(planned.is_ok() || joins.len() > 400, "{what}");
        let splits = reading.places.iter().filter(|place| place.role == Role::Item);
        let splits: Vec<_> =
            splits.map(|place| Correction { line: place.line, edit: Edit::Split }).collect();
        let planned = plan::apply(&text, &reading, &Kept::default(), &splits).unwrap();
        is_whole(
            &text,
            &planned.places,
            &planned.tasks.iter().map(|task| &task.draft).collect::<Vec<_>>(),
        );
    }
}

#[test]
fn a_task_that_begins_on_the_line_of_another_is_joined_from_no_line_of_it() {
    let text = "- [x] a 📅 2026-10-01\na\n  - [-] a";
    let reading = markdown::reading("any.md", text.as_bytes()).unwrap();
    for line in 1..=3 {
        let join = Correction { line, edit: Edit::Join };
        let Ok(planned) = plan::apply(text, &reading, &Kept::default(), &[join]) else {
            continue;
        };
        let again = plan::apply(text, &reading, &planned.kept, &[]).unwrap();
        assert_eq!(again.tasks, planned.tasks, "line {line}");
    }
}
