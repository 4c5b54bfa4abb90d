//! Boxes with signs of Obsidian and other programs: the state they give, and the sign kept.

use dormouse_formats::export::{ExportFormat, Task, write};
use dormouse_types::draft;

use crate::messy::{read, tasks};
use crate::properties::without_lines;

fn boxes(text: &str) -> Vec<String> {
    let reading = read("list.md", text);
    let items = reading.tasks.iter().flat_map(|task| &task.items);
    items
        .map(|item| format!("{} {}", if item.is_checked { 'x' } else { ' ' }, item.title))
        .collect()
}

const SIGNS: &str = "# Move\n\n- [ ] Boxes\n- [x] Keys\n- [v] Lamp\n- [√] Rug\n- [-] Piano\n- [/] Books\n\
                     - [~] Plates\n- [>] Post\n- [<] Bank\n- [?] Van\n- [!] Gas\n- [*] Party\n";

#[test]
fn a_box_with_a_sign_is_an_item_that_is_ticked_or_keeps_its_sign() {
    let expected = [
        "  Boxes",
        "x Keys",
        "x Lamp",
        "x Rug",
        "  [-] Piano",
        "  [/] Books",
        "  [~] Plates",
        "  [>] Post",
        "  [<] Bank",
        "  [?] Van",
        "  [!] Gas",
        "  [*] Party",
    ];
    assert_eq!(boxes(SIGNS), expected);
}

#[test]
fn a_sign_in_a_box_is_written_back_as_it_was() {
    let reading = read("list.md", SIGNS);
    let tasks: Vec<Task> = reading.tasks.iter().map(Task::from).collect();
    let written = write(&tasks, ExportFormat::Markdown);
    for line in SIGNS.lines().filter(|line| line.starts_with("- [")) {
        let line = line.replace("[v]", "[x]").replace("[√]", "[x]");
        assert!(written.text.lines().any(|one| one == line), "{line} of\n{}", written.text);
    }
    assert_eq!(written.losses, []);
    let again = read("list.md", &written.text);
    let items = |tasks: &[draft::Task]| without_lines(&tasks[0]).items;
    assert_eq!(items(&again.tasks), items(&reading.tasks));
}

#[test]
fn a_sign_that_changes_changes_no_item_into_another() {
    let keys = |text: &str| {
        let items = read("list.md", text).tasks.remove(0).items;
        items.into_iter().map(|item| item.key).collect::<Vec<_>>()
    };
    let before = keys("# Move\n- [?] Van\n- [ ] Post\n- [/] Books\n");
    assert_eq!(keys("# Move\n- [x] Van\n- [>] Post\n- [ ] Books\n"), before);
}

#[test]
fn boxes_that_are_tasks_have_the_state_of_their_sign() {
    let text = "# Week\n\n- [~] Books 📅 2026-12-01\n- [/] Plates 📅 2026-12-02\n- [-] Piano 📅 2026-12-03\n\
                - [v] Lamp 📅 2026-12-04\n- [>] Post 📅 2026-12-05\n";
    insta::assert_snapshot!(tasks(text), @r"
    markdown
    Books: IN PROGRESS | due 2026-12-01 | in Week
    Plates: IN PROGRESS | due 2026-12-02 | in Week
    Piano: REJECTED | due 2026-12-03 | in Week
    Lamp: DONE | due 2026-12-04 | in Week
    Post: due 2026-12-05 | in Week
    ");
}

#[test]
fn lines_with_boxes_without_bullets_are_boxes_whatever_is_in_them() {
    let text = "[ ] Nails\n[v] Glue\n[~] Paint\n[-] Tape\n[>] Brush\n";
    insta::assert_snapshot!(tasks(text), @r"
    markdown
    list: [ ] Nails | [x] Glue | [ ] [~] Paint | [ ] [-] Tape | [ ] [>] Brush
    ");
}

#[test]
fn a_letter_or_a_number_in_brackets_is_no_box() {
    assert_eq!(boxes("# Menu\n\n- [V] Curry\n- [VG] Soup\n"), ["  [V] Curry", "  [VG] Soup"]);
    assert_eq!(boxes("# Books\n\n- [1] Smith\n- [a] Jones\n"), ["  [1] Smith", "  [a] Jones"]);
    let text = "# Notes\n\nA price [*] is without tax.\n\n[*] Since May.\n[!] Mind the step.\n";
    assert_eq!(boxes(text), Vec::<String>::new());
}
