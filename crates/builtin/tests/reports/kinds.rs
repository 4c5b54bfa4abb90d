//! One report per kind of text.

use jiff::civil::date;

use crate::desk::Desk;

fn of(title: &str, text: &str) -> Desk {
    Desk::new(title, date(2025, 6, 1)).entry(text)
}

#[test]
fn an_incident() {
    let text = include_str!("texts/incident.md");
    insta::assert_snapshot!(of("Outage of the booking page", text).rendered());
}

#[test]
fn meeting_notes() {
    let text = include_str!("texts/meeting.md");
    insta::assert_snapshot!(of("School garden", text).rendered());
}

#[test]
fn a_diary_of_a_renovation() {
    let text = include_str!("texts/renovation.md");
    insta::assert_snapshot!(of("Bathroom", text).rendered());
}

#[test]
fn a_change_log() {
    let text = include_str!("texts/changes.md");
    insta::assert_snapshot!(of("Ferry", text).rendered());
}

#[test]
fn a_checklist() {
    let text = include_str!("texts/checklist.md");
    insta::assert_snapshot!(of("Moving house", text).rendered());
}

#[test]
fn a_roadmap() {
    let text = include_str!("texts/roadmap.md");
    insta::assert_snapshot!(of("Lantern app", text).rendered());
}

#[test]
fn a_bug() {
    let text = include_str!("texts/bug.md");
    insta::assert_snapshot!(of("Export loses umlauts", text).rendered());
}

#[test]
fn a_log_of_days() {
    let text = include_str!("texts/log.md");
    insta::assert_snapshot!(of("Water in the cellar", text).rendered());
}

#[test]
fn hardly_any_text() {
    let desk = Desk::new("Water the plants", date(2025, 6, 1))
        .item("Buy a can", false)
        .item("Ask Bo", true);
    insta::assert_snapshot!(desk.rendered());
}

#[test]
fn nothing_at_all() {
    insta::assert_snapshot!(Desk::new("", date(2025, 6, 1)).rendered());
}

#[test]
fn an_update_says_what_is_new() {
    let desk = Desk::new("Fence", date(2025, 6, 1))
        .item("Order the posts", false)
        .item("Ask the neighbour", true)
        .entry("We need 14 posts. Make sure the gate is wide enough for the trailer.")
        .entry("Ordered the posts today, they arrive on Friday.")
        .since("One thing is open.");
    insta::assert_snapshot!(desk.rendered());
}
