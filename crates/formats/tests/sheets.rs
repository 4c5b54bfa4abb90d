//! Sheets as people keep them: with a title above the columns, and priorities as numbers.

use dormouse_formats::plan::{self, Options};
use dormouse_types::task::Status;
use insta::assert_snapshot;
use jiff::civil::date;

use crate::messy::{read, tasks};

fn remarks(text: &str) -> String {
    let said = read("list.csv", text).remarks;
    said.iter().map(|one| format!("{}: {}\n", one.line, one.message)).collect()
}

#[test]
fn the_columns_are_found_below_a_title_that_stays_as_text() {
    let text =
        "Summer house 2026\nkept by Ola\n\nTask,Due,Priority\nRoof,2026-12-01,high\nDoor,,low\n";
    assert_snapshot!(tasks(text), @"
    csv
    Roof: due 2026-12-01 | Summer house 2026 / kept by Ola
    Door:
    ");
    assert_snapshot!(remarks(text), @"1: the lines above the header row are kept in the note of the first task");
    // With the empty cells of a spreadsheet, a comma in the title, and another delimiter.
    for above in ["Haus;;\n;;\n", "Haus, Stand November\n\n", "\"Haus\"\n"] {
        let text = format!("{above}Aufgabe;Fällig;Wer\nDach;1.12.2026;Uwe\nTür, rechts;;Ina\n");
        let reading = read("list.csv", &text);
        let titles: Vec<&str> = reading.tasks.iter().map(|task| task.title.as_str()).collect();
        assert_eq!(titles, ["Dach", "Tür, rechts"], "{above}");
        let text = &reading.tasks[0].entries.last().unwrap().text;
        assert!(text.starts_with("Haus") || text.starts_with("\"Haus"), "{text}");
        assert!(!text.ends_with(';'), "{text}");
    }
}

#[test]
fn a_row_of_data_is_not_taken_for_the_columns() {
    // The second row names columns too, but the first has as many cells.
    let text = "Room,Thing,Xy\nTask,Name,2026-12-01\nHall,Lamp,2026-12-02\nAttic,Box,2026-12-03\n";
    assert_snapshot!(tasks(text), @"
    csv
    Task: due 2026-12-01 | - Thing: Name
    Hall: due 2026-12-02 | - Thing: Lamp
    Attic: due 2026-12-03 | - Thing: Box
    ");
    let prose = "We talked about it,\nTask, due and so on\nand then we left, all of us, for home, at last\n";
    assert!(!tasks(prose).starts_with("csv"), "{}", tasks(prose));
}

#[test]
fn numbers_are_priorities_from_the_highest_and_the_plan_says_so() {
    let priorities = |numbers: &[&str]| {
        let rows: String = numbers.iter().map(|n| format!("a{n},{n}\n")).collect();
        let text = format!("Task,Priority\n{rows}");
        let read = read("list.csv", &text).tasks;
        let all = read.iter().map(|task| task.priority.map_or("-".into(), |p| p.to_string()));
        format!("{}\n{}", all.collect::<Vec<_>>().join(" "), remarks(&text))
    };
    assert_snapshot!(priorities(&["1", "3", "2", ""]), @"
    P1 P3 P2 -
    2: numbers in the column `Priority` are read with 1 as the highest priority
    ");
    assert_snapshot!(priorities(&["1", "4", "low"]), @"
    P0 P3 P3
    2: numbers in the column `Priority` are read with 1 as the highest priority
    ");
    assert_snapshot!(priorities(&["10", "1"]), @"
    - -
    2: this priority is not understood: kept in the note (also on one more line)
    ");
    assert_snapshot!(priorities(&["0", "1"]), @"
    - -
    2: this priority is not understood: kept in the note (also on one more line)
    ");
}

#[test]
fn a_column_of_answers_does_not_say_what_is_done() {
    let text = "Guest;Vegan;Booked\nAnna;yes;x\nBen;no;\n";
    assert_snapshot!(tasks(text), @"
    csv
    Anna: DONE | - Vegan: yes
    Ben: - Vegan: no
    ");
    // Words for a status, and what a spreadsheet writes for a box, do.
    for (done, open) in [("TRUE", "FALSE"), ("erledigt", ""), ("☑", "☐")] {
        let text = format!("Guest;Bench;Cake\nAnna;4;{done}\nBen;5;{open}\n");
        assert!(tasks(&text).contains("Anna: DONE"), "{}", tasks(&text));
    }
    let unnamed = "+ a | |\na |j\n";
    assert!(tasks(unnamed).contains('j'), "{}", tasks(unnamed));
}

#[test]
fn several_columns_of_crosses_do_not_say_what_is_done() {
    let text =
        "Klasse 7b;;;\nName;Elternbrief;Turnbeutel;Bemerkung\nAnna;x;;kommt\nCem;;x;\nLea;x;x;\n";
    assert_snapshot!(tasks(text), @"
    csv
    Anna: kommt | - Elternbrief: x | Klasse 7b
    Cem: - Turnbeutel: x
    Lea: - Elternbrief: x / - Turnbeutel: x
    ");
    let named = "Task,Done,Booked\nHall,x,\nBand,,x\n";
    assert!(tasks(named).contains("Hall: DONE"), "{}", tasks(named));
    assert!(!tasks(named).contains("Band: DONE"), "{}", tasks(named));
}

#[test]
fn a_deadline_is_the_due_date_next_to_a_column_of_days() {
    let text = "Datum;Thema;Hausaufgaben;bis\n23.11.2026;Brüche;S. 12;25.11.2026\n24.11.2026;Ballade;;1.12.2026\n";
    assert_snapshot!(tasks(text), @"
    csv
    Brüche: due 2026-11-25 | - Datum: 23.11.2026 / - Hausaufgaben: S. 12
    Ballade: due 2026-12-01 | - Datum: 24.11.2026
    ");
    // On its own it is the due date, and so it is where the deadlines are empty.
    assert!(tasks("Date,Task\n2026-12-01,Hall\n").contains("due 2026-12-01"));
    assert!(tasks("Date,Task,Deadline\n2026-12-01,Hall,\n").contains("due 2026-12-01"));
}

/// Titles with status and due date, and the remarks.
fn shown(text: &str) -> String {
    let reading = read("list.csv", text);
    let mut out = String::new();
    for task in &reading.tasks {
        let status = task.status.map_or("-".into(), |status| status.to_string());
        let due = task.due_on.map_or("-".into(), |day| day.to_string());
        let line = format!("{} | {status} | {due} | {}", task.title, task.labels.join(", "));
        out += &format!("{}\n", line.trim_end());
    }
    for remark in &reading.remarks {
        out += &format!("{}: {}\n", remark.line, remark.message);
    }
    out
}

#[test]
fn days_are_read_in_the_forms_that_programs_write() {
    let due = |cell: &str| {
        let text = format!("Task,Due date,Completion date\nBuy seeds,{cell},\nDig,,{cell}\n");
        let tasks = read("list.csv", &text).tasks;
        let day = tasks[0].due_on.map(|day| day.to_string());
        (day.unwrap_or_default(), tasks[1].status == Some(Status::Done))
    };
    for cell in [
        "2026-12-24 17:00:00 +0000",
        "2026-12-24 17:00 +0000",
        "2026-12-24 17:00:00.000 +00:00",
        "2026-12-24 17:00:00 UTC",
        "2026-12-24T17:00:00+0000",
        "2026-12-24T17:00:00 Z",
        "Thu Dec 24 2026 17:00:00 GMT+0000 (GMT)",
        "Thu Dec 24 2026 17:00:00 GMT+0000 (Coordinated Universal Time)",
    ] {
        assert_eq!(due(cell), ("2026-12-24".to_owned(), true), "{cell}");
    }
}

#[test]
fn a_time_of_completion_that_is_not_understood_says_that_the_task_is_done() {
    let text = "Task,Completed at\nDig,44/2026?\nRake,0000-00-00\nSow,\nWater,maybe\n";
    assert_snapshot!(shown(text), @"
    Dig | DONE | - |
    Rake | - | - |
    Sow | - | - |
    Water | - | - |
    2: this is not a date, but it marks the task as done: kept in the note
    3: this does not say whether it is done: kept in the note (also on one more line)
    ");
}

#[test]
fn a_day_that_depends_on_when_it_is_read_is_said_to_need_a_plan() {
    let text = "Task,Due\nDig,friday\nRake,10 December\nSow,soon\nWater,2026-12-10\n";
    let reading = plan::read("list.csv", text.as_bytes(), &Options::default()).unwrap();
    let due = reading.tasks.iter().map(|task| task.due_on.map(|day| day.to_string()));
    assert_eq!(due.collect::<Vec<_>>(), [None, None, None, Some("2026-12-10".to_owned())]);
    let remarks = reading.remarks.iter().map(|one| format!("{}: {}\n", one.line, one.message));
    assert_snapshot!(remarks.collect::<String>(), @"
    2: this date depends on the day of the import, so it becomes the due date only if you confirm a plan: kept in the note (also on one more line)
    4: this is not a date, so there is no due date: kept in the note
    ");
}

#[test]
fn a_task_that_is_a_duplicate_or_was_cancelled_is_rejected() {
    let text = "Title,State\na,Duplicate\nb,Removed\nc,Canceled\nd,Won't fix\ne,Not planned\nf,Obsolete\ng,Abgelehnt\nh,New\n";
    let reading = read("list.csv", text);
    let are_rejected = reading.tasks.iter().map(|task| task.status == Some(Status::Rejected));
    assert_eq!(are_rejected.collect::<Vec<_>>(), [true, true, true, true, true, true, true, false]);
    // The day on which it was says so too, whatever the team calls that state.
    let text = "Title,Status,Completed,Canceled\na,Not needed,,2026-11-09\nb,Shipped,2026-11-08,\nc,Open,,\n";
    assert_snapshot!(shown(text), @"
    a | REJECTED | - |
    b | DONE | - |
    c | OPEN | - |
    ");
    let text = "Summary,Status,Resolved\na,Won't do,2026-11-09\nb,Open,2026-11-09\n";
    assert_snapshot!(shown(text), @"
    a | REJECTED | - |
    b | DONE | - |
    ");
}

#[test]
fn the_name_of_a_card_and_not_its_id_is_the_title() {
    let trello = "Card ID,Card Name,Card URL,Card Description,Labels,Due Date,List ID,List Name\n\
                  c1,Order tiles,https://example.org/1,\"Bath, 20 m2\",\"Shopping (green), (red), Team (A)\",2026-12-09T08:00:00.000Z,l1,Site\n\
                  c2,Old plan,https://example.org/2,,,,l2,Done\n";
    assert_snapshot!(tasks(trello), @"
    csv
    Order tiles: due 2026-12-09 | in Site | Bath, 20 m2 | - Card ID: c1 / - Card URL: https://example.org/1 / - Due Date: 2026-12-09T08:00:00.000Z / - List ID: l1
    Old plan: DONE | in Done | - Card ID: c2 / - Card URL: https://example.org/2 / - List ID: l2
    ");
    assert_snapshot!(shown(trello), @"
    Order tiles | - | 2026-12-09 | Shopping, red, Team (A)
    Old plan | DONE | - |
    2: the column `Card URL` has no matching field: kept in the note (also on one more line)
    2: the column `List ID` has no matching field: kept in the note (also on one more line)
    ");
    assert_snapshot!(tasks("Card Name,List Name,Due Date\nFix header,Doing,2026-12-01\nAdd footer,Done,\n"), @"
    csv
    Fix header: IN PROGRESS | due 2026-12-01
    Add footer: DONE
    ");
    // No column has a name that is known.
    let unknown =
        "Ref-ID,Werk,Fällig,Status\nA1,Dach decken,1.12.2026,offen\nA2,Tür ölen,,fertig\n";
    assert_snapshot!(tasks(unknown), @"
    csv
    Dach decken: OPEN | due 2026-12-01 | - Ref-ID: A1
    Tür ölen: DONE | - Ref-ID: A2
    ");
}

#[test]
fn the_names_of_the_columns_between_rows_are_no_task() {
    let text = "Launch board\nThis month\nName\tStatus\tDate\nPlan\tStuck\t2026-12-02\n\nLater\nName\tStatus\tDate\nCopy\tDone\t2026-10-01\n";
    assert_snapshot!(tasks(text), @"
    csv
    Plan: BLOCKED | Marked as “Stuck” in the imported list | due 2026-12-02 | in This month | Launch board / This month
    Copy: DONE | due 2026-10-01 | in Later
    ");
    assert_snapshot!(shown(text), @"
    Plan | BLOCKED | 2026-12-02 |
    Copy | DONE | 2026-10-01 |
    1: the lines above the header row are kept in the note of the first task
    7: repeated header row: left out
    ");
}

#[test]
fn a_sheet_whose_first_column_is_called_by_a_number_sign_is_a_sheet() {
    let text = "#,Project,Status,Subject,% Done,Due date\n501,Shop,New,Checkout broken,40,2026-12-11\n502,Shop,Closed,Add PayPal,100,\n";
    assert_snapshot!(tasks(text), @"
    csv
    Checkout broken: OPEN | due 2026-12-11 | in Shop | - #: 501 / - % Done: 40
    Add PayPal: DONE | in Shop | - #: 502 / - % Done: 100
    ");
    assert!(tasks("# Move, and more\n\n- [ ] pack\n").starts_with("markdown"));
    assert!(tasks("#work, #home\n- [ ] pack\n").starts_with("markdown"));
}

#[test]
fn a_year_of_two_figures_is_of_this_century_on_any_day() {
    for day in ["12/Dec/26", "12-Dec-26", "12 Dec '26", "Dec 12 '26", "12 décembre 26", "12.12.26"]
    {
        let text = format!("Title,Due\nPay,{day}\nCall,{day}\n");
        let read = read("list.csv", &text).tasks;
        let days: Vec<_> = read.iter().map(|task| task.due_on).collect();
        assert_eq!(days, [Some(date(2026, 12, 12)); 2], "{day}");
    }
}

#[test]
fn days_on_which_something_happened_are_not_due() {
    let names = [
        "Bought",
        "Creation date",
        "Date added",
        "Last updated",
        "Angelegt am",
        "Letzte Änderung",
        "Sent on",
        "Last service",
        "Seit",
        "Geburtstag",
        "Invoice date",
        "Date de création",
    ];
    for name in names {
        let text = format!("Item,{name}\nDrill,2025-03-01\nSaw,2025-04-02\n");
        let read = read("list.csv", &text).tasks;
        assert!(read.iter().all(|task| task.due_on.is_none()), "{name}");
        assert!(read[0].entries[0].text.contains("2025-03-01"), "{name}");
    }
    for name in ["By when", "Bis wann", "Határidő", "Needed by"] {
        let text = format!("Item,{name}\nDrill,2027-03-01\nSaw,2027-04-02\n");
        let read = read("list.csv", &text).tasks;
        assert_eq!(read[1].due_on, Some(date(2027, 4, 2)), "{name}");
    }
}

#[test]
fn settings_of_a_program_are_no_labels() {
    let text = "Subject,Due Date,Reminder On/Off,Sensitivity\n\
                Call,2026-12-01,Off,Normal\nWrite,2026-12-02,On,Normal\n\
                Read,2026-12-03,Off,Normal\nPay,2026-12-04,Off,Normal\n";
    let read = read("list.csv", text).tasks;
    assert!(read.iter().all(|task| task.labels.is_empty()), "{read:?}");
}

#[test]
fn what_is_closed_as_not_to_be_done_is_rejected() {
    let jira = "Summary,Issue key,Status,Resolution,Resolved\n\
                Roof,A-1,Done,Done,12/Nov/26\nDoor,A-2,Done,Won't Do,12/Nov/26\n\
                Gate,A-3,Closed,Duplicate,\nPath,A-4,In Progress,Won’t Fix,\nShed,A-5,To Do,Unresolved,\n";
    assert_snapshot!(tasks(jira));
}

#[test]
fn the_board_of_a_card_is_its_category_where_the_lists_are_stages() {
    let head = "Card Name,Board Name,List Name,Due Date,Due Complete\n";
    let stages = "Tiles,House,Doing,,false\nSink,House,Backlog (3),,false\nTap,House,With Bo,,\nOld,House,With Bo,2026-11-02,true\n";
    assert_snapshot!(tasks(&format!("{head}{stages}")));
    let places = "Tiles,House,Bath,,false\nSink,House,Kitchen,2026-12-01,true\n";
    assert_snapshot!(tasks(&format!("{head}{places}")));
}

#[test]
fn words_and_letters_of_programs_for_waiting_and_urgency_are_read() {
    let outlook = "Subject,Status,Priority\nOffer,Waiting on someone else,H\nBill,Not Started,Normal\nCall,Deferred,l\n";
    assert_snapshot!(tasks(outlook));
    assert_snapshot!(shown(outlook));
}

#[test]
fn a_time_with_the_short_name_of_its_zone_is_a_day() {
    let notion = "Name,Due\nRent,\"December 4, 2026 6:00 PM (CET)\"\nTax,\"December 5, 2026\"\nStamp,20261206T080000Z\n";
    assert_snapshot!(tasks(notion));
}

#[test]
fn a_row_that_sums_up_the_others_is_no_task() {
    let budget = "Item,Price,Due\nPaint,40 EUR,2026-12-01\nTotal of the month,1,\nBrushes,12.50,\nTOTAL,52.50,\n\n";
    assert_snapshot!(tasks(budget), @"
    csv
    Paint: due 2026-12-01 | - Price: 40 EUR
    Total of the month: - Price: 1
    Brushes: - Price: 12.50
    ");
    // Neither one in the middle nor one that says more than an amount is a sum.
    assert_snapshot!(tasks("Item,Price,Who\nTotal,3,\nSum,4,Ana checks it\n"), @"
    csv
    Total: - Price: 3
    Sum: - Price: 4 / - Who: Ana checks it
    ");
}

#[test]
fn a_status_that_is_not_understood_is_said() {
    assert_snapshot!(tasks("Task,Status\nA,shipped\nB,Done\nC,w trakcie\n"), @"
    csv
    A: - Status: shipped
    B: DONE
    C: IN PROGRESS
    ");
    assert_snapshot!(remarks("Task,Status\nA,shipped\nB,Done\nC,w trakcie\n"), @"2: this status is not understood: kept in the note");
}

#[test]
fn a_row_that_names_another_as_its_parent_is_an_item_of_it_unless_it_says_more() {
    // By its id, by a title, and by the key of an issue.
    let ids = "Title,taskId,parentId,Due Date\nShed,1,,2026-12-05\nWood,2,1,\nNails,3,2,\nPaint,4,1,2026-12-06\n";
    assert_snapshot!(tasks(ids), @"
    csv
    Shed: due 2026-12-05 | [ ] Wood | [ ] Nails | - taskId: 1 / - taskId of “Wood”: 2 / - taskId of “Nails”: 3
    Paint: due 2026-12-06 | - taskId: 4 / - parentId: 1
    ");
    let titles = "Name,Section,Parent task,Completed At\nShed,,,\nWood,,Shed,\nPlan,,Shed,2026-11-03\nLost,,Barn,\n";
    assert_snapshot!(tasks(titles), @"
    csv
    Shed: [ ] Wood | [x] Plan | - Completed At of “Plan”: 2026-11-03
    Lost: - Parent task: Barn
    ");
    assert!(
        remarks(titles).contains("5: the column `Parent task` has no matching field"),
        "{}",
        remarks(titles)
    );
    // Two rows of one title name no parent, and rows that name each other stay tasks.
    let twice = "Name,Parent\nShed,\nShed,\nWood,Shed\nA,B\nB,A\n";
    assert_eq!(read("list.csv", twice).tasks.len(), 5);
}

#[test]
fn words_of_status_and_columns_are_read_in_many_languages() {
    for (text, due) in [
        ("Задача,Статус,Срок\nКрыша,Готово,2026-12-01\nДверь,В работе,\n", true),
        ("タスク,状態,期限\n屋根,完了,2026-12-01\nドア,進行中,\n", true),
        ("任务,状态,截止日期\n屋顶,已完成,2026-12-01\n门,进行中,\n", true),
        ("작업,상태,마감일\n지붕,완료,2026-12-01\n문,진행 중,\n", true),
        ("Tarefa,Situação,Prazo\nTelhado,Concluído,2026-12-01\nPorta,Em andamento,\n", true),
        ("Zadanie,Status,Termin\nDach,Zrobione,2026-12-01\nDrzwi,W toku,\n", true),
        ("Görev,Durum,Son tarih\nÇatı,Tamamlandı,2026-12-01\nKapı,Devam ediyor,\n", true),
        ("Tehtävä,Tila,Määräaika\nKatto,Valmis,2026-12-01\nOvi,Kesken,\n", true),
        ("المهمة,الحالة\nسقف,مكتمل\nباب,قيد التنفيذ\n", false),
        ("Taak,Status\nDak,Afgerond\nDeur,In uitvoering\n", false),
    ] {
        let read = read("list.csv", text).tasks;
        let status: Vec<_> = read.iter().map(|task| task.status).collect();
        assert_eq!(status, [Some(Status::Done), Some(Status::InProgress)], "{text}");
        assert_eq!(read[0].due_on, due.then(|| date(2026, 12, 1)), "{text}");
        assert!(read.iter().all(|task| !task.title.is_empty()), "{text}");
    }
}

#[test]
fn pages_of_notion_name_their_parent_with_its_address() {
    let text = "Name,Parent-task,Sub-tasks\nDesign,,\"Sketch (https://www.notion.so/S-1), Mock (https://www.notion.so/M-2)\"\n\
                Sketch,Design (https://www.notion.so/D-1),\nMock,Design (https://www.notion.so/D-1),\n";
    let read = read("list.csv", text).tasks;
    let items: Vec<&str> = read[0].items.iter().map(|item| item.title.as_str()).collect();
    assert_eq!((read.len(), items), (1, vec!["Sketch", "Mock"]));
}
