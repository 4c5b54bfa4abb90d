//! Bad input in each format: read in linear time, or refused with the line.

use std::fmt::Write as _;

use dormouse_formats::csv::Column;
use dormouse_formats::export::{ExportFormat, Task, write};
use dormouse_formats::plan::{Format, Role};

use crate::corpus::{data, own};
use crate::readings::{claimed_by, is_whole, read};

const ALL: [Format; 9] = [
    Format::TodoTxt,
    Format::ICalendar,
    Format::Csv,
    Format::Trello,
    Format::Vikunja,
    Format::GithubIssues,
    Format::Dormouse,
    Format::OtherJson,
    Format::Opml,
];

/// Reads a text as every format; what is not refused is whole.
fn survives(text: &str) {
    claimed_by(text);
    for format in ALL {
        if let Ok(reading) = read(format, "f", text) {
            is_whole(&reading, text);
        }
    }
}

#[test]
fn odd_texts_are_read_whole_or_refused() {
    for text in [
        "",
        "\n",
        "\r",
        "\r\n\r\n",
        "\u{feff}",
        "\u{feff}\n",
        "\u{feff}\u{feff}",
        " ",
        "\"",
        "\\",
        "{",
        "[",
        "[[",
        "null",
        "\u{2028}",
    ] {
        survives(text);
    }
}

#[test]
fn one_sign_for_forty_kilobytes_is_read_whole_or_refused() {
    for part in [
        "a",
        "\"",
        ",",
        "[",
        "{\"a\":",
        ";",
        "x ",
        "@a ",
        "\\n",
        "BEGIN:VTODO\n",
        "END:VTODO\n",
        "BEGIN:VALARM\n",
        "BEGIN:VTODO\nUID:a\nBEGIN:X\n",
        " \n",
        "\t|;,",
        "a:b\n b\n",
        "\"\n",
        "🦀",
        "((A) ",
        "@@{",
        "@@{12:30 ",
    ] {
        survives(&part.repeat(40_000 / part.len()));
    }
}

#[test]
fn a_long_line_is_one_title_with_its_text_as_a_note() {
    let text = "word ".repeat(2000);
    let reading = read(Format::TodoTxt, "f", &text).unwrap();
    assert_eq!(reading.tasks[0].title.chars().count(), 500);
    assert_eq!(reading.tasks[0].entries[0].text, text.trim());
    assert!(reading.remarks[0].message.starts_with("the title is too long"));
}

#[test]
fn a_single_line_of_many_words_is_read_whole_or_refused() {
    use dormouse_formats::plan::{self, Options};
    let mut options = Options::default();
    options.read.today = Some(jiff::civil::date(2026, 11, 21));
    for part in
        ["by friday ", "due: 24.11. ", "until ", "**", "_a", "a,", "<p", "3. 11. ", "- [ ] "]
    {
        let text = part.repeat(100_000 / part.len());
        for format in [None, Some(Format::Markdown), Some(Format::PlainLines), Some(Format::Csv)] {
            let options = Options { format, ..options.clone() };
            match plan::read("f", text.as_bytes(), &options) {
                Ok(reading) => is_whole(&reading, &text),
                Err(error) => assert!(error.to_string().len() < 400, "{error}"),
            }
        }
    }
}

#[test]
fn a_sheet_of_a_thousand_columns_is_read() {
    let head: Vec<String> =
        (0..1000).map(|n| if n == 700 { "Task".into() } else { format!("c{n}") }).collect();
    let row: Vec<String> = (0..1000).map(|n| format!("v{n}")).collect();
    let text = format!(
        "{}\r\n{}\r\n{},more,cells\r\nshort\r\n",
        head.join(","),
        row.join(","),
        row.join(",")
    );
    let text = format!("\u{feff}{text}{}\r\n", row.join(","));
    assert_eq!(claimed_by(&text), [Format::Csv]);
    let reading = read(Format::Csv, "f", &text).unwrap();
    is_whole(&reading, &text);
    let task = &reading.tasks[1];
    assert_eq!(task.title, "v700");
    assert!(
        task.entries[0].text.contains("- c999: v999\n- Column 1001: more\n- Column 1002: cells")
    );
    assert_eq!(reading.places[3].role, Role::Task);
}

#[test]
fn a_sheet_of_more_columns_than_any_program_has_is_refused_before_its_cells_are_read() {
    let line = vec!["c"; 30_000].join(",");
    let text = format!("{line}\n{line}\n{line}\n");
    let options = dormouse_formats::plan::Options::default();
    let refused = dormouse_formats::plan::read("wide.csv", text.as_bytes(), &options);
    let why = refused.map(|_| ()).unwrap_err().to_string();
    assert!(why.contains("cells on one line") && why.contains("20000"), "{why}");
}

#[test]
fn the_time_on_a_card_is_a_field_and_what_only_begins_like_one_is_text() {
    let text = "- [ ] Call Ana @{2026-12-01} @@{12:30 PM}\n- [ ] Ask @@{noon @@{12:30\n";
    let options = dormouse_formats::plan::Options::default();
    let reading = dormouse_formats::plan::read("board.md", text.as_bytes(), &options).unwrap();
    let titles: Vec<_> = reading.tasks.iter().map(|task| task.title.as_str()).collect();
    assert_eq!(titles, ["Call Ana", "Ask @@{noon @@{12:30"]);
}

#[test]
fn from_a_quote_that_is_never_closed_on_quotes_are_text() {
    let text = "title,note\n\"one, a\",b\ntwo,\"open\nthree,x\nfour,y\n";
    let reading = read(Format::Csv, "f", text).unwrap();
    let titles: Vec<_> = reading.tasks.iter().map(|task| task.title.as_str()).collect();
    assert_eq!(titles, ["one, a", "two", "three", "four"]);
    assert_eq!(reading.tasks[1].entries[0].text, "\"open");
    assert_eq!(reading.remarks[0].line, 3);
}

#[test]
fn the_delimiter_is_the_one_that_makes_even_rows() {
    for (sign, other) in [(',', ';'), (';', ','), ('\t', ','), ('|', ',')] {
        let text = format!("title{sign}due\na{other} b{sign}2026-11-24\nc{sign}2026-11-25\n");
        let guess = dormouse_formats::csv::columns("f", &text).unwrap();
        assert_eq!(guess.delimiter, sign);
        assert_eq!(
            guess.columns.iter().map(|guess| guess.column).collect::<Vec<_>>(),
            [Column::Title, Column::Due]
        );
    }
}

#[test]
fn a_circle_of_ten_thousand_todos_is_broken_once() {
    let mut text = "BEGIN:VCALENDAR\n".to_owned();
    for n in 0..10_000 {
        let next = (n + 1) % 10_000;
        let _ =
            write!(text, "BEGIN:VTODO\nUID:u{n}\nSUMMARY:s{n}\nRELATED-TO:u{next}\nEND:VTODO\n");
    }
    let reading = read(Format::ICalendar, "f", &text).unwrap();
    is_whole(&reading, &text);
    assert_eq!(reading.tasks.len(), 1);
    let circles =
        reading.remarks.iter().filter(|remark| remark.message.contains("a part of itself"));
    assert_eq!(circles.count(), 1);
    // More items than a checklist holds are text.
    assert_eq!(reading.tasks[0].items.len(), 500);
    assert!(reading.tasks[0].entries.iter().any(|entry| entry.text.contains("s5000")));
}

#[test]
fn ten_thousand_tasks_are_read_and_written_in_each_format() {
    let tasks: Vec<Task> = (0..10_000)
        .map(|n| Task { key: format!("k{n}"), title: format!("task {n}"), ..Task::default() })
        .collect();
    for target in own() {
        let format = target.read_as();
        let text = write(&tasks, target).text;
        assert_eq!(
            claimed_by(&text).first(),
            (target != ExportFormat::TodoTxt).then_some(&format),
            "{target:?}"
        );
        assert_eq!(read(format, "f", &text).unwrap().tasks.len(), 10_000);
    }
}

#[test]
fn hostile_lines_stay_in_their_cell_line_or_property() {
    let Some(folder) = data("hostile") else { return };
    let text = std::fs::read_to_string(folder.join("blns.txt")).unwrap();
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.contains('\0')) {
        survives(line);
        let task = Task {
            key: "k".into(),
            title: line.to_owned(),
            category: Some(line.to_owned()),
            labels: vec![line.to_owned()],
            ..Task::default()
        };
        for target in own() {
            let format = target.read_as();
            let text = write(&[task.clone(), task.clone()], target).text;
            let reading = read(format, "f", &text).unwrap();
            is_whole(&reading, &text);
            assert_eq!(reading.tasks.len(), 2, "{target:?} {line:?}");
        }
    }
}

/// The words of a text that neither a task nor a remark contains.
fn lost(text: &str, format: Format) -> Vec<String> {
    let reading = read(format, "f", text).unwrap();
    is_whole(&reading, text);
    let mut kept = String::new();
    for task in &reading.tasks {
        let fields = [&task.category, &task.status_reason].into_iter().flatten();
        for part in [&task.title].into_iter().chain(&task.labels).chain(fields) {
            kept.push_str(part);
            kept.push('\n');
        }
        task.entries.iter().for_each(|entry| kept.push_str(&entry.text));
        task.items.iter().for_each(|item| kept.push_str(&item.title));
        kept.extend(task.due_on.map(|day| day.to_string()));
    }
    reading.remarks.iter().for_each(|remark| kept.push_str(&remark.message));
    let words =
        text.split(|c: char| c.is_whitespace() || "+@:".contains(c)).filter(|word| word.len() > 1);
    let is_mark = |word: &str| {
        matches!(word, "due" | "pri") || (word.starts_with('(') && word.ends_with(')'))
    };
    words.filter(|word| !is_mark(word) && !kept.contains(word)).map(str::to_owned).collect()
}

#[test]
fn the_todo_txt_files_of_others_are_read_without_loss() {
    let Some(folder) = data("tasks") else { return };
    for (name, n_tasks) in
        [("1set-tasklist.todo.txt", None), ("1set-duedate-error.todo.txt", Some(5))]
    {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(claimed_by(&text), [Format::TodoTxt], "{name}");
        assert_eq!(lost(&text, Format::TodoTxt), Vec::<String>::new(), "{name}");
        let n_lines = text.lines().filter(|line| !line.trim().is_empty()).count();
        let reading = read(Format::TodoTxt, name, &text).unwrap();
        assert_eq!(reading.tasks.len(), n_lines);
        assert_eq!(n_tasks.unwrap_or(n_lines), n_lines);
    }
}

#[test]
fn the_calendars_of_others_give_all_their_todos() {
    let Some(folder) = data("ics") else { return };
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let Ok(text) = String::from_utf8(std::fs::read(&path).unwrap()) else { continue };
        assert!(claimed_by(&text) == [Format::ICalendar] || text.contains('\0'), "{name}");
        if text.contains('\0') {
            let refused = read(Format::ICalendar, &name, &text).unwrap_err().to_string();
            assert!(refused.contains("NUL"), "{refused}");
            continue;
        }
        let reading = read(Format::ICalendar, &name, &text).unwrap();
        is_whole(&reading, &text);
        let n_todos = text.lines().filter(|line| line.trim() == "BEGIN:VTODO").count();
        let n_items: usize = reading.tasks.iter().map(|task| task.items.len()).sum();
        assert_eq!(reading.tasks.len() + n_items, n_todos, "{name}");
        // Every line of a to-do belongs to a task.
        let mut is_inside = false;
        for (place, line) in reading.places.iter().zip(text.lines()) {
            is_inside |= line.trim() == "BEGIN:VTODO";
            assert_eq!(place.task.is_some(), is_inside, "{name} {line}");
            is_inside &= line.trim() != "END:VTODO";
        }
    }
}
