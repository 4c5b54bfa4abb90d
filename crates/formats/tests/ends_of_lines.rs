//! Ticks and boxes that phones draw, at both ends of the lines of a plain list.

use dormouse_formats::plain_lines;
use dormouse_types::task::Status;

#[test]
fn a_tick_at_the_end_of_a_line_says_that_it_is_done() {
    let text = "robe\nalliances ✔\n- DJ ✅\n  - contrat ✓\n  - acompte\nfaire-part ✗\n✔";
    let read = plain_lines::read("mariage.txt", text);
    let tasks: Vec<_> = read.tasks.iter().map(|task| (task.title.as_str(), task.status)).collect();
    let done = Some(Status::Done);
    let expected =
        [("robe", None), ("alliances", done), ("DJ", done), ("faire-part ✗", None), ("✔", None)];
    assert_eq!(tasks, expected);
    let items: Vec<_> =
        read.tasks[2].items.iter().map(|item| (item.title.as_str(), item.is_checked)).collect();
    assert_eq!(items[0], ("contrat", true));
}

#[test]
fn the_squares_of_a_phone_are_boxes() {
    let read = plain_lines::read("list.txt", "⬜ Badge\n✅ Laptop\n🔲 Key\n◻️ Desk");
    let tasks: Vec<_> =
        read.tasks.iter().map(|task| format!("{}: {:?}", task.title, task.status)).collect();
    let expected =
        ["Badge: Some(Open)", "Laptop: Some(Done)", "Key: Some(Open)", "Desk: Some(Open)"];
    assert_eq!(tasks, expected);
}
