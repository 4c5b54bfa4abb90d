//! Lists of programs that have no format of their own: other JSON, outlines, pages of Logseq, files of Org mode.

use dormouse_formats::csv::Column;
use dormouse_formats::plan::{self, Format, Options, Reading, Role};
use dormouse_types::task::{Priority, Status};
use jiff::civil::date;
use jiff::tz::TimeZone;

use crate::readings::is_whole;

fn read(text: &str) -> Reading {
    let mut options = Options::default();
    options.read.today = Some(date(2026, 11, 25));
    let reading = plan::read("list.txt", text.as_bytes(), &options).unwrap();
    is_whole(&reading, text);
    reading
}

/// Titles with what is below them: `task (item, item)`.
fn titles(reading: &Reading) -> Vec<String> {
    let tasks = reading.tasks.iter().map(|task| {
        let items: Vec<&str> = task.items.iter().map(|item| item.title.as_str()).collect();
        if items.is_empty() {
            task.title.clone()
        } else {
            format!("{} ({})", task.title, items.join(", "))
        }
    });
    tasks.collect()
}

/// All text of a task's entries.
fn text(reading: &Reading, task: usize) -> String {
    let entries = reading.tasks[task].entries.iter().map(|entry| entry.text.as_str());
    entries.collect::<Vec<_>>().join("\n")
}

#[test]
fn objects_without_anything_of_a_task_stay_one_task() {
    for document in [
        r#"{"name":"dormouse","version":"1.2","dependencies":{"a":"1"},"scripts":[{"name":"x"}]}"#,
        r#"[{"name":"Ana","mail":"ana@example.org"},{"name":"Bo","mail":"bo@example.org"}]"#,
        r#"[1,2,{"a":[{"b":"c"}]}]"#,
    ] {
        let reading = read(document);
        assert_eq!((reading.format, reading.tasks.len()), (Format::Markdown, 1), "{document}");
        assert_eq!(text(&reading, 0), document);
    }
}

#[test]
fn a_list_with_numbers_is_githubs_only_if_something_says_so() {
    let own = read(
        r#"[{"number":7,"title":"Paint","status":"IN PROGRESS","dueOn":"2026-12-01","tags":["home"],"weight":"3 kg"},
{"number":8,"title":"Call Ana","status":"DONE","tags":[]}]"#,
    );
    assert_eq!(
        (own.format, titles(&own)),
        (Format::OtherJson, vec!["Paint".into(), "Call Ana".into()])
    );
    let task = &own.tasks[0];
    assert_eq!(
        (task.status, task.due_on, &task.labels[..]),
        (Some(Status::InProgress), Some(date(2026, 12, 1)), &["home".to_owned()][..])
    );
    assert_eq!(text(&own, 0), "- number: 7\n- weight: 3 kg");
    assert!(
        own.remarks.iter().any(|remark| remark.message.contains("`weight` has no matching field"))
    );
    // What is only titles, numbers and labels is a list all the same.
    let titled =
        read(r#"[{"number":1,"title":"Paint","labels":["home"]},{"number":2,"title":"Saw"}]"#);
    assert_eq!((titled.format, titles(&titled).len()), (Format::OtherJson, 2));
    assert_eq!(titled.tasks[0].labels, ["home"]);
    for issues in [
        r#"[{"number":1,"title":"a"},{"number":2,"title":"b","state":"CLOSED"}]"#,
        r#"[{"number":1,"title":"a","url":"https://github.com/o/r/issues/1"}]"#,
        r#"[{"number":1,"title":"a","labels":[]},{"number":2,"title":"b","labels":[{"name":"bug","color":"d73a4a"}]}]"#,
        r#"[{"title":"a","stateReason":"","number":1}]"#,
        r#"[{"number":1,"title":"a","html_url":"https://github.com/o/r/issues/1","state":"open"}]"#,
        r#"[{"number":1,"title":"a","assignees":[{"login":"ana"}]}]"#,
    ] {
        assert_eq!(read(issues).format, Format::GithubIssues, "{issues}");
    }
}

#[test]
fn lists_in_lists_are_categories_and_members_that_are_names_of_lists_too() {
    let reading = read(
        r#"{"Home":[{"task":"Paint","done":false}],"folders":[{"name":"Work","todos":[{"title":"Send bill","due":{"date":"2026-12-04"}}]}]}"#,
    );
    assert_eq!(titles(&reading), ["Paint", "Send bill"]);
    let categories: Vec<_> = reading.tasks.iter().map(|task| task.category.as_deref()).collect();
    assert_eq!(categories, [Some("Home"), Some("Work")]);
    assert_eq!(reading.tasks[1].due_on, Some(date(2026, 12, 4)));
}

#[test]
fn a_task_below_another_is_its_item_unless_it_says_more_and_a_circle_loses_nothing() {
    let reading = read(
        r#"[{"id":"1","title":"Trip","status":"needsAction"},
{"id":"3","parent":"2","title":"print it","status":"needsAction"},
{"id":"2","parent":"1","title":"ticket","status":"completed"},
{"id":"4","parent":"1","title":"visa","status":"needsAction","due":"2026-12-01"},
{"id":"5","parent":"6","title":"hen","status":"needsAction"},
{"id":"6","parent":"5","title":"egg","status":"needsAction"},
{"id":"7","parent":"gone","title":"orphan","status":"needsAction"}]"#,
    );
    assert_eq!(titles(&reading), ["Trip (ticket, print it)", "visa", "hen", "egg", "orphan"]);
    assert_eq!(reading.tasks[0].items[1].depth, 1);
    assert!(reading.tasks[0].items[0].is_checked);
    assert_eq!(text(&reading, 1), "- Part of: Trip");
    assert_eq!(text(&reading, 4), "- Part of: gone");
}

#[test]
fn what_was_thrown_away_is_left_out_and_said() {
    let reading = read(
        "[{\"title\":\"a\",\"done\":false},\n{\"title\":\"b\",\"done\":false,\"deleted\":true}]",
    );
    assert_eq!(titles(&reading), ["a"]);
    assert_eq!(reading.places[1].role, Role::Skipped);
    assert!(
        reading
            .remarks
            .iter()
            .any(|remark| remark.message.contains("deleted in the other program"))
    );
}

#[test]
fn a_note_of_keep_without_a_title_is_known_by_its_first_line() {
    let reading = read(r#"{"isTrashed":false,"title":"","textContent":"Call Ana\nabout the key"}"#);
    assert_eq!(titles(&reading), ["Call Ana"]);
    assert_eq!(text(&reading, 0), "Call Ana\nabout the key");
}

#[test]
fn a_value_that_is_not_understood_is_kept_as_text() {
    let reading = read(
        r#"[{"title":"a","done":false,"due":"some day","priority":7,"status":"in the oven","more":{"x":1}}]"#,
    );
    assert_eq!(
        text(&reading, 0),
        "- due: some day\n- priority: 7\n- status: in the oven\n- more: {\"x\":1}"
    );
}

#[test]
fn points_with_states_are_tasks_and_text_without_one_is_no_neighbours() {
    let reading = read("- TODO a\n\t- of a\n- by itself\n\t- below it\n- DONE b\n");
    assert_eq!(titles(&reading), ["list", "a", "b"]);
    assert_eq!(text(&reading, 0), "- by itself\n  - below it");
    assert_eq!(text(&reading, 1), "- of a");
    assert_eq!(reading.tasks[2].status, Some(Status::Done));
}

#[test]
fn a_heading_of_org_mode_has_state_priority_tags_and_dates() {
    let reading = read(
        "* House\n** TODO [#B] Fix roof :home:dry:\nDEADLINE: <2026-12-04 Fri 10:00>\n- [ ] ladder\nTiles are in the shed.\n** WAITING Quote\n",
    );
    assert_eq!(titles(&reading), ["Fix roof (ladder)", "Quote"]);
    let task = &reading.tasks[0];
    assert_eq!((task.priority, task.due_on), (Some(Priority::P1), Some(date(2026, 12, 4))));
    assert_eq!(
        (task.category.as_deref(), &task.labels[..]),
        (Some("House"), &["home".to_owned(), "dry".to_owned()][..])
    );
    assert_eq!(text(&reading, 0), "Tiles are in the shed.\n- Deadline: 2026-12-04 Fri 10:00");
    assert_eq!(reading.tasks[1].status, Some(Status::OnHold));
    assert!(reading.tasks[1].status_reason.is_some());
}

#[test]
fn without_states_the_lowest_headings_of_org_mode_are_tasks() {
    let reading = read(
        "* Garden\n** Mow :out:\n   DEADLINE: <2026-12-05 Sat>\n** Rake\n   in the back\n* Call Ana\n",
    );
    assert_eq!(titles(&reading), ["Mow", "Rake", "Call Ana"]);
    let mow = &reading.tasks[0];
    assert_eq!(mow.due_on.map(|day| day.to_string()), Some("2026-12-05".to_owned()));
    assert_eq!(
        (mow.category.as_deref(), &mow.labels[..]),
        (Some("Garden"), &["out".to_owned()][..])
    );
    assert_eq!(text(&reading, 1), "in the back");
}

#[test]
fn headings_of_one_star_with_states_are_org_mode_whatever_is_below_them() {
    let reading = read("* TODO A\n  first text\n\n  - [ ] i1\n* DONE B\nmore text\n- [x] i2\n");
    assert_eq!(titles(&reading), ["A (i1)", "B (i2)"]);
    let items: Vec<&str> = reading.tasks.iter().map(|task| task.items[0].title.as_str()).collect();
    assert_eq!(items, ["i1", "i2"]);
    assert_eq!(
        (text(&reading, 0), text(&reading, 1)),
        ("first text".to_owned(), "more text".to_owned())
    );
}

#[test]
fn days_before_the_lines_of_a_list_are_not_those_of_todo_txt() {
    let reading = read("2026-12-01 Pay rent\n2026-12-03 Dentist 9:30\n2026-12-05 Party\n");
    assert_eq!(
        titles(&reading),
        ["2026-12-01 Pay rent", "2026-12-03 Dentist 9:30", "2026-12-05 Party"]
    );
    assert!(reading.tasks.iter().all(|task| task.entries.is_empty()));
}

#[test]
fn a_list_that_only_begins_points_with_capitals_is_no_such_outline() {
    assert_eq!(titles(&read("- TODO list for Ana\n- milk\n")), ["TODO list for Ana", "milk"]);
    assert_eq!(titles(&read("- DO NOT TOUCH\n- NOW\n")), ["DO NOT TOUCH", "NOW"]);
    // Text that is in no list is no outline.
    let mixed = read("# Plan\n\nFirst words.\n\n- TODO a\n- DONE b\n");
    assert_eq!(titles(&mixed), ["Plan"]);
}

#[test]
fn code_below_a_point_is_text_whatever_it_looks_like() {
    let reading = read("- TODO a\n  ```\n- TODO not a task\n  ```\n- DONE b\n");
    assert_eq!(titles(&reading), ["a", "b"]);
    assert_eq!(text(&reading, 0), "```\n- TODO not a task\n```");
}

#[test]
fn an_outline_in_opml_is_tasks_with_checklists_or_categories() {
    let reading = read(
        "<?xml version=\"1.0\"?>\n<!-- <outline text=\"no\"/> -->\n<opml version=\"1.0\"><head><title>Trip</title></head><body>\n<outline text='Bags &gt; boxes'>\n<outline text=\"socks\"/>\n</outline>\n<outline text=\"Papers\"><outline text=\"visa\" dueDate=\"2026-12-01\"/>\n<outline\n text=\"pass\" complete=\"yes\"/></outline>\n</body></opml>\n",
    );
    assert_eq!(reading.format, Format::Opml);
    assert_eq!(titles(&reading), ["Bags > boxes (socks)", "visa", "pass"]);
    let categories: Vec<_> = reading.tasks.iter().map(|task| task.category.as_deref()).collect();
    assert_eq!(categories, [Some("Trip"), Some("Trip: Papers"), Some("Trip: Papers")]);
    assert_eq!(reading.tasks[2].status, Some(Status::Done));
}

#[test]
fn outlines_that_are_never_closed_or_nested_a_thousand_times_are_read_whole() {
    let open = format!("<opml>{}", "<outline text=\"a\">".repeat(1000));
    assert_eq!(read(&open).tasks.len(), 1);
    read("<opml><body><outline text=\"a");
    read("<opml><body></outline></outline><outline/>");
    let deep = (0..300).map(|n| format!("{}- TODO a\n", "\t".repeat(n))).collect::<String>();
    assert_eq!(read(&deep).tasks[0].items.len(), 299);
}

#[test]
fn a_time_of_ticktick_is_a_day_of_the_zone_of_its_row() {
    let reading = read(
        "List Name,Title,Content,Priority,Status,Due Date,Timezone,Is All Day\nA,late,,0,0,2026-12-05T23:00:00+0000,Europe/Berlin,true\nA,hour,,0,0,2026-12-05T23:30:00+0000,Europe/Berlin,false\nA,odd,,0,0,2026-12-05T23:30:00+0000,Europe/Nowhere,false\n",
    );
    let days: Vec<_> = reading.tasks.iter().map(|task| task.due_on).collect();
    assert_eq!(days, [Some(date(2026, 12, 6)), Some(date(2026, 12, 6)), Some(date(2026, 12, 5))]);
    assert_eq!(text(&reading, 0), "");
    assert_eq!(text(&reading, 1), "- Due Date: 2026-12-05T23:30:00+0000");
}

#[test]
fn the_plan_of_todoists_template_says_what_its_columns_are_read_as() {
    let text = "TYPE,CONTENT,PRIORITY,INDENT,AUTHOR,DATE\ntask,a,1,1,Ana,2026-12-01\ntask,b,1,1,Ana,\ntask,c,4,1,Ana,\ntask,d,4,1,Ana,\n";
    let columns = read(text).sheet.unwrap().meanings();
    let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
    assert_eq!(names, ["leftOut", "title", "priority", "leftOut", "leftOut", "due"]);
}

#[test]
fn a_period_with_an_arrow_is_due_on_its_last_day() {
    let reading =
        read("Name,Due\na,\"December 4, 2026 → December 8, 2026\"\nb,\"December 9, 2026\"\n");
    assert_eq!(reading.tasks[0].due_on, Some(date(2026, 12, 8)));
    assert_eq!(text(&reading, 0), "- Due: December 4, 2026 → December 8, 2026");
}

#[test]
fn a_cross_in_a_column_of_what_is_done_says_no() {
    let reading = read("# Fair\n\n| Task | Done |\n|--|--|\n| Band | ✅ |\n| Cake | ❌ |\n");
    assert_eq!(titles(&reading), ["Fair (Band, Cake)"]);
    let ticks: Vec<bool> = reading.tasks[0].items.iter().map(|item| item.is_checked).collect();
    assert_eq!(ticks, [true, false]);
}

#[test]
fn lines_name_the_boxes_and_lists_below_them() {
    let reading = read("🏠 Home\n✅ vacuum\n⬜ windows\n\n💼 Work\n⬜ slides\n🔥 call the bank\n");
    assert_eq!(titles(&reading), ["vacuum", "windows", "slides", "🔥 call the bank"]);
    assert_eq!(reading.tasks[1].category.as_deref(), Some("🏠 Home"));
    assert_eq!(reading.tasks[3].category.as_deref(), Some("💼 Work"));
    let reading = read("Before we leave\n\n1) water the ficus\n2) turn off heating\n");
    assert_eq!(titles(&reading), ["water the ficus", "turn off heating"]);
    // Who only ticks what is done leaves what is open without a box.
    assert_eq!(titles(&read("milk\n✅ bread\neggs\n")), ["milk", "bread", "eggs"]);
    assert_eq!(titles(&read("milk\n\n- bread\n\neggs\n")), ["milk", "bread", "eggs"]);
}

#[test]
fn an_outline_with_one_box_keeps_its_shape() {
    let text = "- Garden\n  - front\n    - [x] cut the hedge\n    - water the rose\n  - back\n    - move the compost\n- Car\n  - winter tyres\n";
    let reading = read(text);
    assert_eq!(
        titles(&reading),
        [
            "Garden (front, cut the hedge, water the rose, back, move the compost)",
            "Car (winter tyres)"
        ]
    );
    let shape: Vec<_> =
        reading.tasks[0].items.iter().map(|item| (item.depth, item.is_checked)).collect();
    assert_eq!(shape, [(0, false), (1, true), (1, false), (0, false), (1, false)]);
}

#[test]
fn points_below_items_and_signs_of_obsidian_are_the_same_text_after_writing() {
    use dormouse_formats::export::{ExportFormat, Task, write};

    let first = read("- TODO a\n\t- DONE b\n\t- of a\n\t\t- more\n- TODO c\n");
    let signed = read("# P\n\n- [ ] d 🛫 2026-12-01 📅 2026-12-10\n- [x] e ✅ 2026-11-14\n");
    for reading in [first, signed] {
        let tasks: Vec<Task> = reading.tasks.iter().map(Task::from).collect();
        let again = read(&write(&tasks, ExportFormat::Markdown).text);
        assert_eq!(titles(&again), titles(&reading));
        for at in 0..reading.tasks.len() {
            assert_eq!(text(&again, at), text(&reading, at));
            let days = |reading: &Reading| {
                reading.tasks[at].entries.iter().map(|entry| entry.on).collect::<Vec<_>>()
            };
            assert_eq!(days(&again), days(&reading));
        }
    }
}

#[test]
fn what_vikunja_says_that_has_no_field_is_text() {
    let reading = read(
        r#"[{"id":1,"title":"Paint","done":false,"project_id":2,"priority":9,"due_date":"2026-12-05T14:30:00Z","start_date":"some day",
"comments":[{"id":4,"comment":"Which blue?","created":"2026-11-20T10:00:00Z","author":{"id":3,"name":"","username":"ana"}}]},
{"id":2,"title":"Saw","done":false,"project_id":2,"due_date":"next full moon"},
{"id":3,"title":"Oil","done":false,"project_id":2,"due_date":"2026-12-05T00:00:00Z"}]"#,
    );
    assert_eq!(reading.format, Format::Vikunja);
    let due: Vec<_> = reading.tasks.iter().map(|task| task.due_on).collect();
    assert_eq!(due, [Some(date(2026, 12, 5)), None, Some(date(2026, 12, 5))]);
    assert_eq!(
        text(&reading, 0),
        "ana:\n\nWhich blue?\n- priority: 9\n- Due: 2026-12-05T14:30:00Z\n- Start: some day"
    );
    assert_eq!(text(&reading, 1), "- Due: next full moon");
    assert_eq!(text(&reading, 2), "");
    for words in ["the time of a due date", "this is not a date"] {
        assert!(reading.remarks.iter().any(|remark| remark.message.contains(words)), "{words}");
    }
}

#[test]
fn a_subtask_of_todoist_that_has_a_duration_stays_a_task() {
    let reading = read(
        "TYPE,CONTENT,PRIORITY,INDENT,DURATION,DURATION_UNIT\ntask,Trip,4,1,,\ntask,pack,4,2,,\ntask,visa,4,2,45,minute\n",
    );
    assert_eq!(titles(&reading), ["Trip (pack)", "visa"]);
    assert_eq!(reading.tasks[1].estimate_minutes, Some(45));
    assert_eq!(text(&reading, 1), "- Part of: Trip");
}

#[test]
fn a_comment_of_a_card_that_is_not_in_the_file_is_said() {
    let reading = read(
        r#"{"name":"Board","lists":[{"id":"l","name":"Home"}],"cards":[{"id":"c","name":"Paint","idList":"l"}],
"checklists":[{"id":"k","idCard":"gone","name":"Steps","checkItems":[{"name":"sand"}]}],
"actions":[{"type":"commentCard","data":{"card":{"id":"gone"},"text":"lost?"}}]}"#,
    );
    let said: Vec<&str> = reading.remarks.iter().map(|remark| remark.message.as_str()).collect();
    assert_eq!(said.len(), 2, "{said:?}");
    assert!(said[0].contains("1 checklist") && said[1].contains("1 comment"), "{said:?}");
    assert_eq!(reading.places[2].role, Role::Skipped);
}

#[test]
fn an_estimate_without_a_unit_is_text_and_said() {
    let reading = read("Title,Estimate,Due\nPaint,5,2026-12-01\nSaw,2 h,\n");
    assert_eq!(text(&reading, 0), "- Estimate: 5");
    assert_eq!(reading.tasks[1].estimate_minutes, Some(120));
    assert!(reading.remarks.iter().any(|remark| remark.message.contains("estimate has no unit")));
}

#[test]
fn a_column_that_is_text_by_what_it_holds_keeps_its_name() {
    let reading = read(
        "Title,Description,Linear Creator\nPaint,The door.,ana.popescu@example.org\nSaw,,bo.lindqvist@example.org\n",
    );
    assert_eq!(text(&reading, 0), "The door.\n\nLinear Creator: ana.popescu@example.org");
    assert_eq!(text(&reading, 1), "Linear Creator: bo.lindqvist@example.org");
}

#[test]
fn a_list_in_brackets_is_its_labels_and_an_empty_one_is_nothing() {
    let reading = read(
        "Task Name,Status,tags,Assignees\nPaint,to do,\"[fair, town hall]\",[]\nSaw,to do,[],\"[Ana, Bo]\"\nOil,to do,\"[\"\"a\"\",\"\"b\"\"]\",[]\n",
    );
    let labels: Vec<String> = reading.tasks.iter().map(|task| task.labels.join("|")).collect();
    assert_eq!(labels, ["fair|town hall", "", "a|b"]);
    assert_eq!(text(&reading, 0), "");
    assert!(text(&reading, 1).contains("Assignees: Ana, Bo"), "{}", text(&reading, 1));
}

#[test]
fn a_time_in_milliseconds_is_a_day() {
    let sheet = read(
        "Task Name,Status,Due Date,Date Done\nPaint,to do,1796428800000,\nSaw,to do,,1795651200000\nOil,to do,1796481000000,\n",
    );
    let due: Vec<_> = sheet.tasks.iter().map(|task| task.due_on).collect();
    assert_eq!(due, [Some(date(2026, 12, 5)), None, Some(date(2026, 12, 5))]);
    assert_eq!(sheet.tasks[1].status, Some(Status::Done));
    assert_eq!(text(&sheet, 0), "");
    assert_eq!(text(&sheet, 2), "- Due Date: 2026-12-05T14:30:00Z");
    let milk = read(
        r#"{"lists":[{"id":"1","name":"Home"}],"tasks":[{"id":"2","name":"Paint","date_due":1796428800000,"date_completed":1795651200000,"priority":"P1"},
{"id":"3","name":"Saw","date_due":1796481000000,"priority":"PN"}]}"#,
    );
    assert_eq!(titles(&milk), ["Paint", "Saw"]);
    let status: Vec<_> = milk.tasks.iter().map(|task| (task.status, task.due_on)).collect();
    let day = Some(date(2026, 12, 5));
    assert_eq!(status, [(Some(Status::Done), day), (None, day)]);
    assert!(milk.remarks.iter().any(|remark| remark.message == "no tasks in `lists`: left out"));
    assert_eq!(text(&milk, 0), "- Completed: 2026-11-26T00:00:00Z");
    assert_eq!(text(&milk, 1), "- date_due: 2026-12-05T14:30:00Z");
}

#[test]
fn the_tag_that_makes_a_line_a_task_in_obsidian_is_no_part_of_its_title() {
    let reading = read(
        "# Notes\n\n- [ ] #task Draft 📅 2026-12-01\n- [ ] Send #task the bill 📅 2026-12-02\n- [ ] Pay #task 📅 2026-12-03\n- [ ] #task 📅 2026-12-03\n",
    );
    assert_eq!(titles(&reading)[..3], ["Draft", "Send the bill", "Pay"]);
    assert_eq!(reading.tasks[0].labels, ["task"]);
}

#[test]
fn boxes_without_bullets_are_tasks_below_the_lines_that_name_them() {
    let text_of = "Saturday\n[ ] mow the lawn\n[x] buy paint\n\nSunday\n[x] visit Ana\n\nSome day\n[ ] sort photos\n";
    let reading = read(text_of);
    assert_eq!(titles(&reading), ["mow the lawn", "buy paint", "visit Ana", "sort photos"]);
    let of: Vec<_> =
        reading.tasks.iter().map(|task| (task.category.as_deref().unwrap(), task.status)).collect();
    assert_eq!(
        of,
        [
            ("Saturday", Some(Status::Open)),
            ("Saturday", Some(Status::Done)),
            ("Sunday", Some(Status::Done)),
            ("Some day", Some(Status::Open)),
        ]
    );
    // Without a line between, too.
    assert_eq!(
        titles(&read("Saturday\n[ ] mow\n[ ] paint\nSunday\n[x] rest\n")),
        ["mow", "paint", "rest"]
    );
    // One name is that of a task with a checklist.
    assert_eq!(titles(&read("Packing list\n\n[ ] socks\n[ ] visa\n")).len(), 1);
}

#[test]
fn an_item_of_taskpaper_is_ticked_by_the_day_on_which_it_was_done() {
    let reading = read(
        "Paint the wall @due(2026-12-01)\n\t- sand it @done(2026-11-20)\n\t- prime it @done @home\n\t- wash it\n",
    );
    let items: Vec<_> =
        reading.tasks[0].items.iter().map(|item| (item.title.as_str(), item.is_checked)).collect();
    assert_eq!(
        items,
        [("sand it @done(2026-11-20)", true), ("prime it @done @home", true), ("wash it", false)]
    );
}

#[test]
fn what_programs_write_for_nothing_is_no_text() {
    let sheet =
        read("Title,Priority,Parent ID,Checklists\nPaint,No priority,null,{}\nSaw,High,86a1,[]\n");
    assert_eq!(text(&sheet, 0), "");
    assert_eq!(text(&sheet, 1), "- Parent ID: 86a1");
    assert!(!sheet.remarks.iter().any(|remark| remark.message.contains("not understood")));
}

#[test]
fn an_item_may_say_what_it_is_in_an_object_of_its_own() {
    let reading = read(
        r#"[{"title":"Trip","deadline":"2026-12-10","checklist-items":[{"type":"checklist-item","attributes":{"title":"visa","completed":true}}]}]"#,
    );
    assert_eq!(titles(&reading), ["Trip (visa)"]);
    assert!(reading.tasks[0].items[0].is_checked);
}

#[test]
fn midnight_in_utc_is_a_day_wherever_its_reader_is() {
    let due = |zone: &str, text: &str| {
        let mut options = Options::default();
        options.read.zone = TimeZone::get(zone).unwrap();
        plan::read("list", text.as_bytes(), &options).unwrap().tasks[0].due_on
    };
    let day = Some(date(2026, 12, 1));
    for text in [
        r#"[{"title":"Rent","status":"needsAction","due":"2026-12-01T00:00:00.000Z"}]"#,
        r#"[{"title":"Rent","status":"open","due":"2026-12-01T00:00:00+00:00"}]"#,
        r#"[{"title":"Rent","status":"open","due":1796083200000}]"#,
        "Task,Due\nRent,2026-12-01 00:00:00+00:00\n",
        "Task,Due\nRent,2026-12-01T00:00:00Z\n",
    ] {
        for zone in ["America/New_York", "UTC", "Europe/Bucharest", "Pacific/Auckland"] {
            assert_eq!(due(zone, text), day, "{zone} {text}");
        }
    }
    // Any other time is one of the reader's day.
    let late = r#"[{"title":"Rent","status":"open","due":"2026-12-01T23:00:00Z"}]"#;
    assert_eq!(due("Europe/Berlin", late), Some(date(2026, 12, 2)));
    assert_eq!(due("America/New_York", late), day);
    // The zone may stand beside the time.
    let apart = r#"[{"title":"Rent","status":"notStarted","dueDateTime":{"dateTime":"2026-11-30T23:00:00.0000000","timeZone":"UTC"}}]"#;
    assert_eq!(due("Europe/Berlin", apart), day);
    assert_eq!(due("UTC", apart), Some(date(2026, 11, 30)));
}

#[test]
fn json_lines_may_begin_with_blank_lines_and_comments() {
    let objects = "{\"title\":\"Roof\",\"done\":false}\n{\"title\":\"Door\",\"done\":true}\n";
    for above in ["", "\n", "\n\n  \n", "# exported today\n", "// exported today\n\n"] {
        let reading = read(&format!("{above}{objects}"));
        assert_eq!(reading.format, Format::OtherJson, "{above:?}");
        assert_eq!(titles(&reading), ["Roof", "Door"], "{above:?}");
        assert_eq!(reading.tasks[0].line, above.lines().count() + 1, "{above:?}");
    }
    // A heading above an object that is no list of lines is Markdown.
    assert_eq!(read("# Settings\n{\n  \"a\": 1\n}\n").format, Format::Markdown);
}

#[test]
fn a_nul_that_json_escapes_is_refused_with_its_line() {
    let refused = |text: &str| {
        let read = plan::read("list.json", text.as_bytes(), &Options::default());
        read.map(|reading| reading.tasks.len()).map_err(|error| error.to_string())
    };
    let text = "[{\"title\":\"a\",\"done\":false},\n{\"title\":\"Z\\u0000b\",\"done\":false}]";
    let error = refused(text).unwrap_err();
    assert!(error.contains("list.json") && error.contains("line 2"), "{error}");
    // A backslash before it makes it the letters that it is written with.
    assert_eq!(refused(r#"[{"title":"Z\\u0000b","done":false}]"#), Ok(1));
}

#[test]
fn a_column_says_what_a_row_is_a_part_of_and_what_became_of_it() {
    let sheet = "Task,Parent task,Resolution,Canceled at\nMove,,,\nBoxes,Move,,\nVan,,Won't Do,\n";
    let columns = |columns: Option<Vec<Column>>| {
        let options = Options { columns, ..Options::default() };
        let reading = plan::read("list.csv", sheet.as_bytes(), &options).unwrap();
        let meanings = reading.sheet.as_ref().unwrap().meanings();
        (meanings, titles(&reading))
    };
    let (guessed, tasks) = columns(None);
    assert_eq!(guessed, [Column::Title, Column::Parent, Column::Outcome, Column::Canceled]);
    assert_eq!(tasks, ["Move (Boxes)", "Van"]);
    // What a person says of the column holds.
    let said = vec![Column::Title, Column::KeptInNote, Column::KeptInNote, Column::KeptInNote];
    assert_eq!(columns(Some(said)).1, ["Move", "Boxes", "Van"]);
}

#[test]
fn columns_of_one_name_keep_the_meaning_that_a_person_gave_each() {
    let sheet = "Task,Date,Date\nRent,2026-12-01,2026-11-01\nGas,2026-12-05,2026-11-02\n";
    let read = |options: Options| plan::read("list.csv", sheet.as_bytes(), &options).unwrap();
    let first = read(Options::default());
    let guessed = first.sheet.unwrap().columns;
    let known = guessed.iter().map(|guess| (guess.name.clone(), guess.column)).collect();
    let again = read(Options { known_columns: known, ..Options::default() });
    assert_eq!(again.sheet.unwrap().columns, guessed);
    assert_eq!(again.tasks, first.tasks);
    let said = [("Task", Column::Title), ("Date", Column::Start), ("Date", Column::Due)];
    let known = said.map(|(name, column)| (name.to_owned(), column)).to_vec();
    let other = read(Options { known_columns: known, ..Options::default() });
    assert_eq!(other.tasks[0].due_on, Some(date(2026, 11, 1)));
}

#[test]
fn a_format_that_a_person_names_is_used_whatever_the_text_looks_like() {
    let mail = "From: Ana\nTo: Ben\nSubject: Deck\nDate: Mon, 2 Nov 2026 10:00:00 +0000\n\n- [ ] oil\n- [ ] nails\n";
    let org = "* TODO Deck\n** TODO oil\n";
    let sheet = "Task,Due\nRoof,2026-12-01\n";
    let read = |text: &str, format| {
        let options = Options { format, ..Options::default() };
        plan::read("list", text.as_bytes(), &options).unwrap()
    };
    for (text, found) in [(mail, Format::Mail), (org, Format::OrgMode), (sheet, Format::Csv)] {
        assert_eq!(read(text, None).format, found);
        for named in [Format::Markdown, Format::PlainLines, Format::TodoTxt] {
            assert_eq!(read(text, Some(named)).format, named, "{text}");
        }
        assert_eq!(read(text, Some(Format::PlainLines)).tasks.len(), filled(text), "{text}");
    }
}

#[test]
fn an_org_file_names_its_own_states_and_gives_its_labels_to_what_is_below() {
    let own = read(
        "#+TODO: TODO NEXT PROJ(p) | DONE SOLD\n* PROJ Build shed\nDEADLINE: <2026-12-05 Sat>\n* SOLD Car\n* TODO Paint\n",
    );
    assert_eq!(titles(&own), ["Build shed", "Car", "Paint"]);
    let status = |at: usize| own.tasks[at].status;
    assert_eq!((status(0), status(1)), (Some(Status::Open), Some(Status::Done)));
    assert_eq!(own.tasks[0].due_on, Some(date(2026, 12, 5)));
    assert_eq!(text(&own, 0), "- State: PROJ");
    let labelled = read("* Home   :home:\n** TODO Water\n** TODO Trip :far:\n*** TODO pack\n");
    assert_eq!(titles(&labelled), ["Water", "Trip (pack)"]);
    assert_eq!(labelled.tasks[0].category.as_deref(), Some("Home"));
    assert_eq!(labelled.tasks[0].labels, ["home"]);
    assert_eq!(labelled.tasks[1].labels, ["far", "home"]);
    // What is due is a task, also next to headings with a state.
    let dated = read("* Lists\n** TODO Paint\n** Buy milk\nDEADLINE: <2026-12-06 Sun>\n");
    assert_eq!(titles(&dated), ["Paint", "Buy milk"]);
    assert_eq!(dated.tasks[1].due_on, Some(date(2026, 12, 6)));
}

#[test]
fn a_description_names_its_row_where_no_column_is_the_title() {
    let title = |text: &str| titles(&read(text));
    assert_eq!(
        title("ID,Type,Description\n1,Bug,Fix login\n2,Feature,Export\n3,Bug,Slow search\n"),
        ["Fix login", "Export", "Slow search"]
    );
    assert_eq!(
        title("ID,Description,Acceptance criteria\n1,Login,It works\n2,Export,All are there\n"),
        ["Login", "Export"]
    );
    // A column of texts before it does, whatever it is called.
    assert_eq!(
        title("ID,Vorgang,Beschreibung\n1,Anmelden,Mit dem Telefon\n2,Ausgabe,In allen Formaten\n"),
        ["Anmelden", "Ausgabe"]
    );
    let rows: String = (1..5).map(|n| format!("E{n},Log in {n},Works {n},{n}\n")).collect();
    let sheet = read(&format!("Epic,User Story,Acceptance Criteria,Story Points\n{rows}"));
    assert_eq!((sheet.format, sheet.tasks.len()), (Format::Csv, 4));
}

#[test]
fn a_list_stays_one_with_a_rule_a_quotation_a_long_line_or_a_box_in_it() {
    let long = format!("- Read https://example.org/{}\n", "a".repeat(220));
    for (text, expected) in [
        ("- Paint\n- Lamp\n---\n- Call Tom\n- Mow\n", 4),
        ("Paint\nLamp\n***\nCall Tom\nMow\n", 4),
        ("- Paint\n- Lamp\n> ask Anna\n- Call Tom\n- Mow\n", 4),
        ("Paint\nLamp\n<3 roses\nCall Tom\nMow\n", 5),
        (&format!("- Paint\n- Lamp\n{long}- Call Tom\n- Mow\n"), 5),
    ] {
        let reading = read(text);
        assert_eq!((reading.format, reading.tasks.len()), (Format::PlainLines, expected), "{text}");
    }
    let quoted = read("- Paint\n- Lamp\n> ask Anna\n- Call Tom\n- Mow\n");
    assert_eq!(text(&quoted, 1), "> ask Anna");
    let boxed =
        read("House:\n\t- Paint @done\n\t- Lamp @due(2026-12-01)\n\t- Form\n\t\t- [ ] sign\n");
    assert_eq!(titles(&boxed), ["Paint", "Lamp", "Form (sign)"]);
    assert_eq!(boxed.tasks[1].due_on, Some(date(2026, 12, 1)));
    // An underlined title makes a document of a text.
    assert_eq!(read("My list\n=======\n\n- a\n- b\n").format, Format::Markdown);
}

#[test]
fn a_query_for_tasks_of_other_notes_is_none_itself() {
    let note = read(
        "# Week\n## Overdue\n```tasks\nnot done\ndue before today\n```\n## Now\n- [ ] one\n- [ ] two\n",
    );
    assert_eq!(titles(&note), ["Now (one, two)"]);
    assert!(note.remarks.iter().any(|remark| remark.line == 3 && remark.message.contains("query")));
    // Text next to it keeps its heading.
    let with_text =
        read("# Week\n## Overdue\nLook here.\n```tasks\nnot done\n```\n## Now\n- [ ] one\n");
    assert_eq!(with_text.tasks.len(), 2);
    assert_eq!(text(&with_text, 0), "Look here.");
}

fn filled(text: &str) -> usize {
    text.lines().filter(|line| !line.trim().is_empty()).count()
}

#[test]
fn the_rows_that_a_person_sees_of_a_sheet_are_those_that_are_read() {
    let rows = |text: &str| -> Vec<(usize, Vec<String>)> {
        let sheet = read(text).sheet.unwrap();
        sheet.sample.into_iter().map(|row| (row.line, row.cells)).collect()
    };
    let cells = |cells: &[&str]| cells.iter().map(|&cell| cell.to_owned()).collect::<Vec<_>>();
    let roof = cells(&["Roof", "2026-12-01", "Ina"]);
    for (above, text) in [
        (1, "Task,Due,Who\nRoof,2026-12-01,Ina\nDoor,,\n"),
        (3, "Summer house\nas of November\nTask,Due,Who\nRoof,2026-12-01,Ina\nDoor,,\n"),
        (2, "sep=;\nTask;Due;Who\nRoof;2026-12-01;Ina\nDoor;;\n"),
        (2, "| Task | Due | Who |\n|---|---|---|\n| Roof | 2026-12-01 | Ina |\n| Door | | |\n"),
    ] {
        let shown = rows(text);
        assert_eq!(shown[0], (above + 1, roof.clone()), "{text}");
        assert_eq!(shown.len(), 2, "{text}");
    }
    let open = rows("Task,Due,Who\nRoof,2026-12-01,Ina\n\"Door,,\nGate,,\n");
    assert_eq!(open.len(), 3);
    assert_eq!(open[1].1[0], "\"Door");
}

#[test]
fn whether_a_task_is_a_parent_names_no_other_task() {
    let reading = read(r#"[{"title":"Move","done":false,"isParent":true}]"#);
    assert!(!text(&reading, 0).contains("Part of"), "{}", text(&reading, 0));
}
