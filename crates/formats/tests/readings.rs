//! Plans of the other formats: which line becomes what.

use std::fmt::Write as _;

use dormouse_formats::intake::{ReadError, ReadOptions};
use dormouse_formats::plan::{self, Format, Options, Reading};
use dormouse_formats::{
    csv, dormouse_json, github_issues, icalendar, opml, other_json, todo_txt, trello, vikunja,
};
use dormouse_types::draft::Drafts;
use insta::assert_snapshot;
use jiff::civil::date;
use jiff::tz::TimeZone;

use crate::show::drafts_shown;

/// Reads a text as a format.
pub fn read(format: Format, name: &str, text: &str) -> Result<Reading, ReadError> {
    let options = options();
    match format {
        Format::TodoTxt => todo_txt::read(name, text, &options),
        Format::ICalendar => icalendar::read(name, text, &options),
        Format::Csv => csv::read(name, text, &options, csv::Meanings::Known(&[])),
        Format::Trello => trello::read(name, text, &options),
        Format::Vikunja => vikunja::read(name, text, &options),
        Format::GithubIssues => github_issues::read(name, text, &options),
        Format::Dormouse => dormouse_json::read(name, text, &options),
        Format::OtherJson => other_json::read(name, text, &options)
            .and_then(|reading| reading.map_or_else(|| nothing(name, text), Ok)),
        Format::Opml => opml::read(name, text, &options),
        Format::Markdown | Format::Mail | Format::OrgMode | Format::PlainLines => {
            panic!("another reader reads {format:?}")
        }
    }
}

/// What a reader answers that finds nothing: a plan keeps the whole text then.
fn nothing(name: &str, text: &str) -> Result<Reading, ReadError> {
    let options = Options { format: Some(Format::OtherJson), ..Options::default() };
    Ok(plan::read(name, text.as_bytes(), &options).unwrap())
}

/// A reader in Bucharest on 22 November 2026.
pub fn options() -> ReadOptions {
    let zone = TimeZone::get("Europe/Bucharest").unwrap();
    ReadOptions { today: Some(date(2026, 11, 22)), zone, ..ReadOptions::default() }
}

/// Whether a text looks like a format.
type Looks = fn(&str) -> bool;

/// The formats that say a text is theirs.
pub fn claimed_by(text: &str) -> Vec<Format> {
    let all: [(Format, Looks); 9] = [
        (Format::TodoTxt, todo_txt::looks_like),
        (Format::ICalendar, icalendar::looks_like),
        (Format::Csv, csv::looks_like),
        (Format::Trello, trello::looks_like),
        (Format::Vikunja, vikunja::looks_like),
        (Format::GithubIssues, github_issues::looks_like),
        (Format::Dormouse, dormouse_json::looks_like),
        (Format::OtherJson, other_json::looks_like),
        (Format::Opml, opml::looks_like),
    ];
    let mut claimed: Vec<Format> =
        all.iter().filter(|(_, looks_like)| looks_like(text)).map(|&(format, _)| format).collect();
    // It is for what no other reader of JSON knows.
    if claimed.len() > 1 {
        claimed.retain(|&format| format != Format::OtherJson);
    }
    claimed
}

/// The lines with their places, then the tasks and remarks.
pub fn shown(reading: &Reading, text: &str) -> String {
    let mut out = String::new();
    let text = text.replace("\r\n", "\n");
    for (place, line) in reading.places.iter().zip(text.split('\n')) {
        let task = place.task.map(|task| format!("{task}")).unwrap_or_default();
        let line: String = line.chars().take(60).collect();
        let _ = writeln!(out, "{:>3} {:<8} {task:<2}| {line}", place.line, place.role.name());
    }
    let drafts = Drafts { tasks: reading.tasks.clone(), not_understood: reading.remarks.clone() };
    out + &drafts_shown(&drafts)
}

/// Checks a reading that any text must give: a place for each line, and no key twice.
pub fn is_whole(reading: &Reading, text: &str) {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n").replace('\r', "\n");
    let n_lines = if text.is_empty() {
        0
    } else {
        text.split('\n').count() - usize::from(text.ends_with('\n'))
    };
    assert_eq!(reading.places.len(), n_lines);
    assert!(reading.places.iter().zip(1..).all(|(place, line)| place.line == line));
    assert!(
        reading.places.iter().all(|place| place.task.is_none_or(|task| task < reading.tasks.len()))
    );
    let mut keys: Vec<_> = reading.tasks.iter().map(|task| &task.key).collect();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), reading.tasks.len());
    for task in &reading.tasks {
        assert!(
            task.title.chars().count() <= 500 && task.items.len() <= 500 && task.labels.len() <= 50
        );
        assert!(task.line >= 1 && task.line <= n_lines);
        let mut keys: Vec<_> = task.items.iter().map(|item| &item.key).collect();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), task.items.len());
    }
}

fn sample(format: Format, name: &str) -> String {
    let path =
        std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/samples/formats").join(name);
    let text = std::fs::read_to_string(path).unwrap();
    assert_eq!(claimed_by(&text), [format], "{name}");
    let reading = read(format, name, &text).unwrap();
    assert_eq!(reading.format, format);
    is_whole(&reading, &text);
    shown(&reading, &text)
}

#[test]
fn a_todo_txt_line_is_a_task_with_its_marks_and_tags() {
    assert_snapshot!(sample(Format::TodoTxt, "chores.todo.txt"));
}

#[test]
fn a_calendar_gives_its_todos_and_counts_the_rest() {
    assert_snapshot!(sample(Format::ICalendar, "flat.ics"));
}

#[test]
fn a_sheet_with_unknown_columns_is_guessed() {
    assert_snapshot!(sample(Format::Csv, "things.csv"));
}

#[test]
fn todoists_template_has_sections_sub_tasks_and_notes() {
    assert_snapshot!(sample(Format::Csv, "template.csv"));
}

#[test]
fn a_trello_board_gives_its_cards() {
    assert_snapshot!(sample(Format::Trello, "board.json"));
}

#[test]
fn vikunja_projects_give_their_tasks() {
    assert_snapshot!(sample(Format::Vikunja, "vikunja.json"));
}

#[test]
fn github_issues_give_body_boxes_milestone_and_comments() {
    assert_snapshot!(sample(Format::GithubIssues, "issues.json"));
}

#[test]
fn the_export_of_a_workspace_gives_its_tasks() {
    assert_snapshot!(sample(Format::Dormouse, "workspace.json"));
}

#[test]
fn the_columns_of_a_sheet_are_shown_with_their_reason_and_can_be_changed() {
    let text = "Ding,Wo,Wann,n\nSofa,Bad,2026-11-27,1\nBett,Bad,2026-12-05,2\nTisch,Flur,bald,3\nStuhl,Flur,2026-12-01,4\n";
    let guess = csv::columns("a.csv", text).unwrap();
    let shown: Vec<String> = guess
        .columns
        .iter()
        .map(|guess| format!("{}: {} because {:?}", guess.name, guess.column.name(), guess.because))
        .collect();
    assert_snapshot!(shown.join("\n"));
    let mut meanings = guess.meanings();
    meanings[1] = csv::Column::Category;
    let reading = csv::read("a.csv", text, &options(), csv::Meanings::Declared(&meanings)).unwrap();
    assert_eq!(reading.tasks[0].category.as_deref(), Some("Bad"));
    assert!(reading.tasks[0].labels.is_empty());
}

#[test]
fn the_sheets_of_other_programs_need_no_guess() {
    let ticktick = "\"Date: 2026-11-22\"\n\"Version: 7.1\"\n\"List Name\",\"Title\",\"Tags\",\"Content\",\"Due Date\",\"Priority\",\"Status\",\"Completed Time\"\n\"Flat\",\"Paint\",\"loud, dirty\",\"White\",\"2026-12-01T22:30:00+0000\",\"0\",\"0\",\"\"\n\"Flat\",\"Lease\",\"\",\"\",\"\",\"0\",\"1\",\"2026-11-02T09:00:00+0000\"\n";
    let planner = "Task Name,Bucket Name,Progress,Priority,Assigned To,Due date,Checklist Items\nPaint,Hall,In progress,Important,Ana,12/01/2026,Buy paint;Tape\nLease,Hall,Completed,Medium,,,\n";
    let mut out = String::new();
    for text in [ticktick, planner] {
        assert_eq!(claimed_by(text), [Format::Csv]);
        let reading = read(Format::Csv, "a.csv", text).unwrap();
        is_whole(&reading, text);
        out += &shown(&reading, text);
    }
    assert_snapshot!(out);
}

#[test]
fn a_sheet_of_a_thousand_columns_is_a_sheet_whatever_they_are_called() {
    let row = |cell: &dyn Fn(usize) -> String| (0..1000).map(cell).collect::<Vec<_>>().join(",");
    let head = row(&|at| format!("field{at}"));
    let text =
        format!("{head}\n{}\n{}\n", row(&|at| format!("a{at}")), row(&|at| format!("b{at}")));
    assert_eq!(claimed_by(&text), [Format::Csv]);
    let reading = read(Format::Csv, "wide.csv", &text).unwrap();
    is_whole(&reading, &text);
    let titles: Vec<&str> = reading.tasks.iter().map(|task| task.title.as_str()).collect();
    assert_eq!(titles, ["a0", "b0"]);
    let remarks: Vec<&str> = reading.remarks.iter().map(|remark| remark.message.as_str()).collect();
    assert_eq!(
        remarks,
        [
            "999 columns have no matching field: kept in the note under their names (also on one more line)"
        ]
    );
    // Sentences with as many commas each are none.
    assert!(claimed_by("a, b, c\nd, e, f\nOne, two, three, go\n").is_empty());
}

#[test]
fn one_day_beyond_the_twelfth_tells_the_order_for_all_days_of_a_sheet() {
    let due = |text: &str| {
        let reading = read(Format::Csv, "a.csv", text).unwrap();
        let days = reading.tasks.iter().map(|task| task.due_on.unwrap().to_string());
        let remarks = reading.remarks.iter().map(|remark| remark.message.clone());
        days.chain(remarks).collect::<Vec<_>>()
    };
    assert_eq!(
        due("title,due\na,3/4/2026\nb,12/24/2026\n"),
        ["2026-03-04", "2026-12-24", "dates such as 3/4 are read with the month first"]
    );
    assert_eq!(
        due("title,due\na,3/4/2026\nb,24/12/2026\n"),
        ["2026-04-03", "2026-12-24", "dates such as 3/4 are read with the day first"]
    );
}

#[test]
fn keys_do_not_depend_on_lines_or_on_what_a_person_ticks() {
    let before = read(Format::TodoTxt, "a", "(A) Call Ana\nBuy milk @shop\nBuy milk\n").unwrap();
    let after = read(
        Format::TodoTxt,
        "a",
        "New\nx 2026-11-20 Call Ana due:2026-12-01\n\nBuy milk\nBuy  Milk @home\n",
    )
    .unwrap();
    let keys =
        |reading: &Reading| reading.tasks.iter().map(|task| task.key.clone()).collect::<Vec<_>>();
    assert_eq!(keys(&before), ["call ana", "buy milk", "buy milk#2"]);
    assert_eq!(keys(&after), ["new", "call ana", "buy milk", "buy milk#2"]);
}

#[test]
fn lists_that_people_write_are_taken_for_no_other_format() {
    for text in [
        "",
        "Buy milk\nCall Ana\n",
        "milk, eggs, bread\nAna, Radu, Vlad\n",
        "# Move\n\n- [ ] Boxes @home\n- [x] Van\n",
        "| a | b |\n|---|---|\n| 1 | 2 |\n",
        "---\ntitle: a\ndue: 2026-01-01\n---\n",
        "Tomorrow, if it rains, we stay. Otherwise, we go.\nThen, on Friday, the others come.\n",
        "{\"a\": 1}",
        "[]",
        "{\"title\": \"x\"}",
    ] {
        assert_eq!(claimed_by(text), [], "{text:?}");
    }
}

#[test]
fn a_broken_file_is_refused_with_its_line() {
    let refused = |format, text: &str| read(format, "f", text).unwrap_err().to_string();
    assert_snapshot!(
        [
            refused(Format::Trello, "{\n\"cards\": [\n{]}"),
            refused(Format::Trello, "{}"),
            refused(Format::TodoTxt, "a\nb\0"),
            refused(Format::ICalendar, "hello"),
            refused(
                Format::Dormouse,
                "{\"format\": \"dormouse-tasks\", \"version\": 2, \"tasks\": []}"
            ),
        ]
        .join("\n")
    );
}
