//! Lists as people keep them, beyond what a format prescribes.

use std::fmt::Write as _;

use dormouse_formats::export::{ExportFormat, Task, write};
use dormouse_formats::intake::ReadOptions;
use dormouse_formats::plan::{self, AgentChoice, Format, Options, Reading, deserves_agent};
use dormouse_types::draft;
use insta::assert_snapshot;
use jiff::civil::date;

use crate::show::plan_shown;

pub fn read(name: &str, text: &str) -> Reading {
    let read = ReadOptions { today: Some(date(2026, 11, 21)), ..ReadOptions::default() };
    let options = Options { read, ..Options::default() };
    let reading = plan::read(name, text.as_bytes(), &options).unwrap();
    crate::readings::is_whole(&reading, text);
    reading
}

/// The format, and each task on a line with its status, reason, category, items and texts.
pub fn tasks(text: &str) -> String {
    let reading = read("list", text);
    let mut out = format!("{}\n", reading.format);
    for task in &reading.tasks {
        let items = task
            .items
            .iter()
            .map(|item| format!("[{}] {}", if item.is_checked { 'x' } else { ' ' }, item.title));
        let parts = [
            task.status.map(|status| status.to_string()),
            task.status_reason.clone(),
            task.due_on.map(|day| format!("due {day}")),
            task.estimate_minutes.map(|minutes| format!("{minutes} min")),
            task.category.as_ref().map(|category| format!("in {category}")),
        ];
        let texts = task.entries.iter().map(|entry| entry.text.replace('\n', " / "));
        let parts: Vec<String> = parts.into_iter().flatten().chain(items).chain(texts).collect();
        let line = format!("{}: {}", task.title, parts.join(" | "));
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

#[test]
fn a_status_that_needs_a_reason_has_the_words_of_the_sheet() {
    let sheet = "Task,Status\nRoof,Waiting\nDoor,BLOCKED\nGate,Done\n";
    assert_snapshot!(tasks(sheet), @r"
    csv
    Roof: ON HOLD | Marked as “Waiting” in the imported list
    Door: BLOCKED | Marked as “BLOCKED” in the imported list
    Gate: DONE
    ");
}

#[test]
fn ticks_and_boxes_of_any_shape_say_what_is_done() {
    let plain = "☑ Pay rent\n✓ Call Ana\n✔️ Book the van\n✅ Post the keys\n☒ Old lease\n\
                 ☐ Clean\n[] Paint\n( ) Sweep\n(x) Measure\nRead ✓ marks\n";
    assert_snapshot!(tasks(plain), @r"
    plainLines
    Pay rent: DONE
    Call Ana: DONE
    Book the van: DONE
    Post the keys: DONE
    Old lease: DONE
    Clean: OPEN
    Paint: OPEN
    Sweep: OPEN
    Measure: DONE
    Read ✓ marks: 
    ");
    assert_snapshot!(tasks("- ☑ Pay rent\n* ☐ Call Ana\n1. ✓ Book\n"), @r"
    plainLines
    Pay rent: DONE
    Call Ana: OPEN
    Book: DONE
    ");
    let markdown = "# Move\n- ☑ Pay\n- ☐ Call\n  - ✅ Ana\n☑ Book\n(x) Measure\n- ( ) Sweep\n\n\
                    Some (x) text.\n";
    assert_snapshot!(tasks(markdown), @r"
    markdown
    Move: [x] Pay | [ ] Call | [x] Ana | [x] Book | [x] Measure | [ ] Sweep | Some (x) text.
    ");
}

fn own() -> Task {
    let entry = |key: &str, text: &str| draft::Entry {
        key: key.into(),
        text: text.into(),
        ..draft::Entry::default()
    };
    Task {
        key: "task-1".into(),
        title: "Roof".into(),
        entries: vec![entry("note#1", "Two quotes."), entry("details#1", "- Start: 2026-12-01")],
        created_at: Some("2026-11-01T08:00:00Z".parse().unwrap()),
        completed_at: Some("2026-11-03T08:00:00Z".parse().unwrap()),
        ..Task::default()
    }
}

#[test]
fn an_export_read_back_has_no_lines_that_were_not_there() {
    for target in [ExportFormat::Csv, ExportFormat::Json, ExportFormat::ICalendar] {
        let text = write(&[own()], target).text;
        let reading = read("list", &text);
        assert_eq!(reading.tasks[0].entries, own().entries, "{target}\n{text}");
    }
}

#[test]
fn the_times_of_another_program_are_kept_through_our_formats() {
    let foreign = "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:a\nSUMMARY:Roof\n\
                   CREATED:20261101T080000Z\nCOMPLETED:20261103T080000Z\nSTATUS:COMPLETED\n\
                   END:VTODO\nEND:VCALENDAR\n";
    let first = read("list", foreign);
    assert!(first.tasks[0].entries[0].text.contains("Created: 2026-11-01"));
    for target in [ExportFormat::Csv, ExportFormat::Json, ExportFormat::ICalendar] {
        let tasks: Vec<Task> = first.tasks.iter().map(Task::from).collect();
        let again = read("list", &write(&tasks, target).text);
        assert_eq!(again.tasks[0].entries, first.tasks[0].entries, "{target}");
    }
}

#[test]
fn a_due_time_in_another_zone_is_due_on_the_day_as_written() {
    let due = |line: &str| {
        let text = format!("BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:a\nSUMMARY:b\n{line}\nEND:VTODO\n");
        read("list", &text).tasks[0].due_on.unwrap().to_string()
    };
    assert_eq!(due("DUE;TZID=America/New_York:20261201T235900"), "2026-12-01");
    assert_eq!(due("DUE;TZID=Asia/Tokyo:20261201T000000"), "2026-12-01");
    assert_eq!(due("DUE:20261201T235900"), "2026-12-01");
    assert_eq!(due("DUE:20261201T235900Z"), "2026-12-01");
}

#[test]
fn bare_estimates_without_a_unit_and_ids_are_kept_as_text() {
    let points = "ID,Title,Estimate,Parent\nENG-1,Roof,5,\nENG-2,Door,3,ENG-1\n";
    assert_snapshot!(tasks(points), @"
    csv
    Roof: [ ] Door | - ID: ENG-1 / - Estimate: 5 / - ID of “Door”: ENG-2 / - Estimate of “Door”: 3
    ");
    let units = "Title,Estimate (min),Note\nRoof,90,high\nDoor,1 h,low\n";
    assert_snapshot!(tasks(units), @r"
    csv
    Roof: 90 min | high
    Door: 60 min | low
    ");
}

#[test]
fn json_of_no_known_program_is_one_task_with_the_text_as_its_note() {
    let text = "{\n  \"boat\": {\n    \"mast\": 1\n  }\n}\n";
    assert_snapshot!(plan_shown(text, &read("boat.json", text)), @r#"
     1 note      1 | {
     2 note      1 |   "boat": {
     3 note      1 |     "mast": 1
     4 note      1 |   }
     5 note      1 | }
    TASK "boat" line 1 key boat.json
      ENTRY <text#1>
        | {
        |   "boat": {
        |     "mast": 1
        |   }
        | }
    ! 1: JSON of an unknown program, or an incomplete file: its text is kept as one task
    "#);
    for text in ["[\"call Ana\", \"buy milk\"]", "{\"a\":1}\n", "{\n  \"a\": [\n"] {
        assert_eq!(read("boat.json", text).tasks.len(), 1, "{text}");
    }
    assert_eq!(read("list", "[ ]\n").format, Format::Markdown);
}

#[test]
fn a_task_with_nothing_left_to_tick_gets_no_agent() {
    let text = "# Move\n- [x] Van\n- [x] Boxes\n\nOne line.\n\nAnother line.\n\nA third line.\n";
    assert_eq!(deserves_agent(&read("list", text).tasks[0]), AgentChoice::Refuse);
    let open = text.replace("[x] Van", "[ ] Van");
    assert_eq!(deserves_agent(&read("list", &open).tasks[0]), AgentChoice::Give);
}

#[test]
fn a_line_above_others_is_their_category() {
    let text = "Home:\n- paint the door\n- fix the tap\n\nGarden\n* dig\n* plant\n\nCall Ana\n\n\
                Work:\n  mail Bob\n  file taxes\n\nRemember:\n";
    assert_snapshot!(plan_shown(text, &read("list", text)), @r#"
     1 category    | Home:
     2 task      1 | - paint the door
     3 task      2 | - fix the tap
     4 blank       |
     5 category    | Garden
     6 task      3 | * dig
     7 task      4 | * plant
     8 blank       |
     9 task      5 | Call Ana
    10 blank       |
    11 category    | Work:
    12 task      6 |   mail Bob
    13 task      7 |   file taxes
    14 blank       |
    15 task      8 | Remember:
    TASK "paint the door" line 2 key list/paint the door#1
      category Home
    TASK "fix the tap" line 3 key list/fix the tap#1
      category Home
    TASK "dig" line 6 key list/dig#1
      category Garden
    TASK "plant" line 7 key list/plant#1
      category Garden
    TASK "Call Ana" line 9 key list/call ana#1
    TASK "mail Bob" line 12 key list/mail bob#1
      category Work
    TASK "file taxes" line 13 key list/file taxes#1
      category Work
    TASK "Remember:" line 15 key list/remember:#1
    "#);
}

#[test]
fn a_to_do_without_a_summary_is_named_by_its_description() {
    let text = "BEGIN:VCALENDAR\nBEGIN:VTODO\nUID:a\nDESCRIPTION:Call Ana\\nabout the roof\n\
                END:VTODO\nBEGIN:VTODO\nUID:b\nEND:VTODO\nEND:VCALENDAR\n";
    assert_snapshot!(tasks(text), @r"
    iCalendar
    Call Ana: about the roof
    : 
    ");
}

#[test]
fn a_nul_is_reported_in_any_text_file() {
    let refused = plan::read("a.ics", b"BEGIN:VCALENDAR\0", &Options::default()).unwrap_err();
    assert!(refused.to_string().contains("check that this is a text file"), "{refused}");
}

#[test]
fn a_row_that_is_ticked_keeps_what_its_status_said() {
    assert_snapshot!(tasks("Title,Status,Done\nRoof,Waiting,x\nDoor,Open,\n"), @r"
    csv
    Roof: DONE | - Status: Waiting
    Door: OPEN
    ");
}

#[test]
fn a_list_in_a_list_has_the_line_above_as_its_category() {
    let text = "1. Kitchen:\n- tap\n- sink\n2. Bath:\n- tiles\n- Garden:\n  - dig\n- Pay rent\n";
    assert_snapshot!(tasks(text), @r"
    plainLines
    tap: in Kitchen
    sink: in Kitchen
    tiles: in Bath
    dig: in Garden
    Pay rent: 
    ");
}

#[test]
fn a_heading_that_ends_with_a_colon_comes_before_others_with_one() {
    let text = "# Plan\n## **Phase 1:**\n### Done\n- [ ] a\n## **Phase 2:**\n### Done\n- [ ] b\n\
                ## __Later__ :\n### Done\n- [ ] c\n";
    let titles: Vec<_> = read("list", text).tasks.into_iter().map(|task| task.title).collect();
    assert_eq!(titles, ["**Phase 1**: Done", "**Phase 2**: Done", "__Later__: Done"]);
    let reading = read("list", "# Scale *\n## Done\n- [ ] a\n# Other\n## Done\n- [ ] b\n");
    assert_eq!(reading.tasks[0].title, "Scale *: Done");
    let reading = read("list", "# Scale :*\n## a\n* [ ] 0\n");
    assert_eq!(reading.tasks[0].category.as_deref(), Some("Scale :*"));
    let reading = read("list", "# Do\n## Done\n- [ ] a\n# Other\n## Done\n- [ ] b\n");
    assert_eq!(reading.tasks[0].title, "Do: Done", "it begins with other words");
}

#[test]
fn a_row_without_a_title_is_titled_by_its_first_text() {
    let sheet = "Task,Notes,Where,Done,Due\nRoof,,,,\n,Bring the papers,,,2026-12-01\n\
                 ,,Cellar,x,\n,,,FALSE,2026-12-02\n,,,FALSE,\n";
    assert_snapshot!(tasks(sheet), @"
    csv
    Roof:
    Bring the papers: due 2026-12-01
    Cellar: DONE | - Where: Cellar
    ");
    let remarks = read("list", sheet).remarks;
    let of_rows = remarks.iter().filter(|remark| remark.message.starts_with("a row"));
    let of_rows: Vec<String> = of_rows.map(|at| format!("{}: {}", at.line, at.message)).collect();
    assert_snapshot!(of_rows.join("\n"), @"
    3: a row without a title: its first text is the title (also on one more line)
    5: a row without a title or any text is left out: “FALSE”, “2026-12-02”
    6: a row without a title or any text is left out: “FALSE”
    ");
}

#[test]
fn no_text_of_todoists_template_is_left_out() {
    let sheet = "TYPE,CONTENT,DESCRIPTION,PRIORITY,INDENT,AUTHOR\n\
                 note,Ask Ana first,,,,\ntask,,Only a description,,1,\nidea,A pond,,,,\n\
                 task,Roof,,,1,\n,,A row without a type,,,\n";
    assert_snapshot!(tasks(sheet), @"
    csv
    Ask Ana first:
    Only a description:
    A pond:
    Roof:
    A row without a type:
    ");
}

#[test]
fn plain_bullets_below_a_heading_that_says_so_are_items() {
    let notes = "# Weekly\n\n## Attendees\n- Ana\n- Bob\n\n## Action items\n- Ana: book the room\n  \
                 for ten\n- Bob sends the report\n  - with figures\n\n## Notes\n- it rained\n";
    assert_snapshot!(tasks(notes), @"
    markdown
    Weekly: [ ] Ana: book the room for ten | [ ] Bob sends the report | ## Attendees /  / - Ana / - Bob | ## Action items /  / - Bob sends the report /   - with figures | ## Notes /  / - it rained
    ");
    let line = "We met on Monday.\n\n**To-dos:**\n1. call the bank\n2. pay the rent\n\nThat was \
                all.\n\n- not this\n";
    assert_snapshot!(tasks(line), @"
    plainLines
    We met on Monday.:
    call the bank: OPEN
    pay the rent: OPEN
    That was all.:
    not this:
    ");
    let german = "# Umzug\nText.\n\n## Nächste Schritte\n* Kartons holen\n* Strom ummelden\n";
    assert_snapshot!(tasks(german), @"
    markdown
    Umzug: [ ] Kartons holen | [ ] Strom ummelden | Text. /  / ## Nächste Schritte
    ");
}

#[test]
fn plain_bullets_beside_boxes_are_items_and_others_join_the_task_around_them() {
    let mixed = "# Move\n\n## Todo\n- [ ] boxes\n- a van\n\nPrices:\n- 90 a day\n\n## Notes\n- [ ] keys\n- cold\n";
    assert_snapshot!(tasks(mixed), @"
    markdown
    Todo: in Move | [ ] boxes | [ ] a van | Prices: / - 90 a day
    Notes: in Move | [ ] keys | [ ] cold
    ");
    let below = "# Plan\n\n## Roof\n- [ ] tiles\n\n### Next steps\n- ask for a price\n\n## Door\n- [ ] paint\n";
    assert_snapshot!(tasks(below), @"
    markdown
    Roof: in Plan | [ ] tiles | [ ] ask for a price | ### Next steps
    Door: in Plan | [ ] paint
    ");
}

#[test]
fn a_table_of_markdown_with_a_column_of_tasks_is_a_sheet() {
    let table = "| Task | Owner | Due | Done |\n|:-----|:-----:|----:|---|\n| Send the \"report\" | Ana \
                 | 2026-12-01 |   |\n| Book a \\| b |  | 3 Dec 2026 | x |\n\n";
    assert_snapshot!(tasks(table), @r#"
    csv
    Send the "report": due 2026-12-01 | - Owner: Ana
    Book a | b: DONE | due 2026-12-03
    "#);
    let open = "Aufgabe | Fällig\n--- | ---\nFenster putzen | 2026-12-01\n";
    assert_snapshot!(tasks(open), @"
    csv
    Fenster putzen: due 2026-12-01
    ");
    let other = "| Name | Size |\n|---|---|\n| a | 1 |\n";
    assert_snapshot!(tasks(other), @"
    csv
    a: - Size: 1
    ");
}

#[test]
fn plain_bullets_below_the_headings_of_a_list_of_what_is_to_do_are_items() {
    let text = "# TODO\n\n## High priority\n- Limit the rate (#142)\n- Write docs\n\n## Low priority\n\
                - Spanish\n\n## Done\n- Docker image\n\n# About\n- written by hand\n";
    assert_snapshot!(tasks(text), @r#"
    markdown
    list: [ ] Limit the rate (#142) | [ ] Write docs | [ ] Spanish | [x] Docker image | # TODO /  / ## High priority /  / ## Low priority /  / ## Done /  / # About /  / - written by hand
    "#);
}

#[test]
fn the_page_of_a_day_is_no_category() {
    let text = "# 2026-11-24\n\nCoffee with Ana.\n\n- [ ] reply 📅 2026-11-25\n- [ ] laundry 📅 2026-11-26\n";
    assert_snapshot!(tasks(text), @r"
    markdown
    2026-11-24: Coffee with Ana.
    reply: due 2026-11-25
    laundry: due 2026-11-26
    ");
}

#[test]
fn sections_with_the_names_of_a_board_are_status_and_the_project_is_the_category() {
    let text = "Task ID,Name,Section/Column,Assignee,Assignee Email,Projects,Parent task\n\
                1201,Draft survey,Doing,Ana,ana@example.org,Customer study,\n\
                1202,Book a room,Done,,,Customer study,\n\
                1203,Pilot,To do,,,Customer study,Draft survey\n";
    assert_snapshot!(tasks(text), @"
    csv
    Draft survey: IN PROGRESS | in Customer study | [ ] Pilot | - Task ID: 1201 / - Assignee: Ana / - Assignee Email: ana@example.org / - Task ID of “Pilot”: 1203
    Book a room: DONE | in Customer study | - Task ID: 1202
    ");
}

#[test]
fn of_two_columns_for_a_category_the_one_with_words_in_it_counts() {
    let text = "Folder Name,List Name,Title,Due Date\n,Casa,Comprar bombillas,2026-12-02\n\
                ,Casa,Pintar,01/Dec/26\n";
    assert_snapshot!(tasks(text), @r"
    csv
    Comprar bombillas: due 2026-12-02 | in Casa
    Pintar: due 2026-12-01 | in Casa
    ");
}

#[test]
fn a_box_of_what_is_done_leaves_the_other_lines_of_a_plain_list_tasks() {
    assert_snapshot!(tasks("Buy milk\n[x] Call Ana\nPay rent\n"), @"
    plainLines
    Buy milk:
    Call Ana: DONE
    Pay rent:
    ");
    // A line above nothing but boxes names them.
    assert!(tasks("Party\n[x] cake\n[x] balloons\n").contains("[x] cake"));
}

#[test]
fn the_text_of_a_day_is_not_that_of_the_day_above_it() {
    let days = "## 2026-11-29\nToday\n- [ ] rest\n## 2026-11-27\n- called Ana\n- paid\n## 2026-11-28\n- [ ] walk\n";
    assert_snapshot!(tasks(days), @"
    markdown
    2026-11-29: [ ] rest | Today
    2026-11-27: - called Ana / - paid
    2026-11-28: [ ] walk
    ");
    // Below a task that is no day, it says when its text was written.
    let log = "## Roof\n- [ ] rest\n## 2026-11-27\n- called Ana\n## Door\n- [ ] walk\n";
    assert!(!tasks(log).contains("\n2026-11-27"), "{}", tasks(log));
}
