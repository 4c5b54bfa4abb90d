//! Sheets as people keep them: with a title above the columns, and priorities as numbers.

use insta::assert_snapshot;

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
    assert_snapshot!(remarks(text), @"1: the lines above the names of the columns are kept as text of the first task");
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
    2: this priority is not understood: kept as text (also on one more line)
    ");
    assert_snapshot!(priorities(&["0", "1"]), @"
    - -
    2: this priority is not understood: kept as text (also on one more line)
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
