//! Day and month in figures, in the order that was chosen for the workspace.

use jiff::civil::date;

use crate::case::Case;

/// What is proposed for a note where no order, day first, and month first was chosen.
fn proposed(note: &str) -> [Vec<String>; 3] {
    [None, Some(false), Some(true)].map(|is_month_first| {
        let mut case = Case::new("Repaint the shed", date(2026, 11, 18));
        case.is_month_first = is_month_first;
        case.entry(note);
        case.lines()
    })
}

#[test]
fn a_due_date_with_slashes_is_read_in_the_order_of_the_workspace() {
    let [none, day_first, month_first] = proposed("The shed must be finished by 10/12.");
    assert!(none.is_empty(), "{none:?}");
    assert_eq!(day_first, ["due 2026-12-10"]);
    assert_eq!(month_first, ["due 2027-10-12"]);
}

#[test]
fn a_day_that_only_one_order_has_is_that_day_in_any() {
    for lines in proposed("The shed must be finished by 24/12.") {
        assert_eq!(lines, ["due 2026-12-24"]);
    }
}

#[test]
fn with_full_stops_the_day_comes_first_in_any() {
    for lines in proposed("The shed must be finished by 10.12. at the latest.") {
        assert_eq!(lines, ["due 2026-12-10"]);
    }
}
