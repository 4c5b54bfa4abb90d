//! Plain lists, line by line: what is a task, an item or a category, and what a line says about its own task.

use dormouse_formats::intake::ReadOptions;
use dormouse_formats::plan::{self, Format, Options};
use dormouse_types::draft::Task;
use dormouse_types::task::Status;
use jiff::civil::date;

fn tasks(text: &str) -> Vec<Task> {
    let today = Some(date(2026, 11, 30));
    let read = ReadOptions { today, ..ReadOptions::default() };
    let options = Options { read, format: Some(Format::PlainLines), ..Options::default() };
    plan::read("list.txt", text.as_bytes(), &options).expect("a list").tasks
}

/// Each task with its category and items: `Garden: rake [leaves, twigs]`.
fn shape(text: &str) -> Vec<String> {
    let tasks = tasks(text);
    let one = |task: &Task| {
        let category = task.category.as_ref().map(|name| format!("{name}: ")).unwrap_or_default();
        let items: Vec<&str> = task.items.iter().map(|item| item.title.as_str()).collect();
        let items =
            if items.is_empty() { String::new() } else { format!(" [{}]", items.join(", ")) };
        format!("{category}{}{items}", task.title)
    };
    tasks.iter().map(one).collect()
}

#[test]
fn bullets_below_a_line_between_plain_lines_are_its_items() {
    for (text, expected) in [
        (
            "milk\neggs\n- bread\n- butter\ncall bank\n",
            vec!["milk", "eggs [bread, butter]", "call bank"],
        ),
        (
            "Bank anrufen\nEinkaufen\n* Brot\nMiete zahlen\n",
            vec!["Bank anrufen", "Einkaufen [Brot]", "Miete zahlen"],
        ),
        ("pan\ncompra\n- leche\n\nbanco\n", vec!["pan", "compra: leche", "banco"]),
        // A name has a colon, a blank line before it, or only names beside it.
        ("milk\nshop:\n- bread\ncall bank\n", vec!["milk", "shop: bread", "call bank"]),
        (
            "milk\n\nshop\n- bread\n- butter\ncall bank\n",
            vec!["milk", "shop: bread", "shop: butter", "call bank"],
        ),
        ("kitchen\n- bread\ngarden\n- rake\n", vec!["kitchen: bread", "garden: rake"]),
        ("kitchen\n- bread\n- butter\n", vec!["kitchen: bread", "kitchen: butter"]),
        (
            "Things to do\nkitchen\n- bread\n- butter\n",
            vec!["Things to do", "kitchen: bread", "kitchen: butter"],
        ),
    ] {
        assert_eq!(shape(text), expected, "{text}");
    }
}

#[test]
fn the_day_at_the_end_of_a_line_is_its_due_date() {
    for (line, day) in [
        ("dentist 14 Dec 15:30", Some("2026-12-14")),
        ("call Sarah re: contract by Wednesday", Some("2026-12-02")),
        ("Zahnarzt am 14.12. um 15 Uhr", Some("2026-12-14")),
        ("dentiste 14 décembre", Some("2026-12-14")),
        ("dentista 14 de diciembre", Some("2026-12-14")),
        ("dentist 14 decembrie", Some("2026-12-14")),
        ("pay rent friday", Some("2026-12-04")),
        // Not at the end, just passed, only a time, a number, a start.
        ("the 14 Dec plan for Kim", None),
        ("invoice of 14 Nov", None),
        ("meet Bo 15:30", None),
        ("buy screws 4x40", None),
        ("read chapter 12", None),
        ("pack boxes not before 5 December", None),
    ] {
        let tasks = tasks(&format!("milk\n{line}\nbread\n"));
        let due = tasks[1].due_on.map(|day| day.to_string());
        assert_eq!((tasks.len(), due.as_deref()), (3, day), "{line}");
        assert_eq!(tasks[1].title, line);
    }
}

#[test]
fn a_word_in_capitals_in_front_of_a_line_is_its_state() {
    for (line, status, title) in [
        ("DONE send invoice to ACME", Some(Status::Done), "send invoice to ACME"),
        ("TODO call Ana", Some(Status::Open), "call Ana"),
        ("WAITING reply of the bank", Some(Status::OnHold), "reply of the bank"),
        ("ERLEDIGT: Miete zahlen", Some(Status::Done), "Miete zahlen"),
        ("FAIT payer le loyer", Some(Status::Done), "payer le loyer"),
        ("HECHO pagar el alquiler", Some(Status::Done), "pagar el alquiler"),
        ("FĂCUT plata chiriei", Some(Status::Done), "plata chiriei"),
        ("Done with the invoice", None, "Done with the invoice"),
        ("DONE DEAL contract", None, "DONE DEAL contract"),
        ("TODO LIST APP", None, "TODO LIST APP"),
        ("TODO list for Ana", None, "TODO list for Ana"),
        ("TODOS os santos", None, "TODOS os santos"),
        ("DONE", None, "DONE"),
        ("OPEN air cinema", None, "OPEN air cinema"),
        ("call TODO inc", None, "call TODO inc"),
    ] {
        let tasks = tasks(&format!("milk\n{line}\nbread\n"));
        let one = &tasks[1];
        assert_eq!((one.status, one.title.as_str()), (status, title), "{line}");
    }
}
