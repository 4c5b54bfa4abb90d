//! Proposals keep their form for any text.

use proptest::prelude::*;

use crate::case::{Case, data};

fn case(text: &str) -> Case {
    let mut case = Case::new("", "2026-03-02".parse().expect("a day"));
    for item in ["Send the parcel", "x", "", "Book the hall"] {
        case.item(item, false);
    }
    for label in ["errands", "it", "a b", "", "-"] {
        case.label(label);
    }
    case.entry(text);
    case
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_keeps_the_form(text in "\\PC{0,300}") {
        case(&text).check_form();
    }

    #[test]
    fn any_mixture_of_what_rules_look_for_keeps_the_form(
        parts in prop::collection::vec(
            prop::sample::select(vec![
                "- [ ] ", "- [x] ", "TODO: ", "Deadline: ", "due ", "by Friday", "2026-02-30", "2026-03-20", "\n",
                "\n\n", "# ", "## To do\n", "- ", "1. ", "> ", "```\n", "`", "~~", "\"", "“", "”", "(", ")", "[a](",
                "http://a.example/x", "3 hours", "½", "estimate ", "urgent", "high priority", "blocked by ",
                "waiting for ", "on hold until ", "sent the parcel", "not ", "if ", "?", "!", ". ", ", ", "| ", " |",
                "é", "\u{202E}", "\0", "👩‍👩‍👧", "ß", "İ", "\u{0301}", "\r\n", "\t", "errands", "a b", "99999999999999999999",
                "14:05", "12.5", "March 10-12", "i started", "_", "*", "x", "9h", "and a half ", " — ", "…", "'",
            ]),
            0..40,
        )
    ) {
        case(&parts.concat()).check_form();
    }
}

#[test]
fn the_naughty_strings_keep_the_form() {
    let Some(file) = data().map(|data| data.join("hostile/blns.txt")) else {
        eprintln!("not tested: no development data next to the checkout");
        return;
    };
    let text = std::fs::read_to_string(file).expect("blns.txt");
    assert!(text.lines().count() > 100);
    for line in text.lines() {
        case(line).check_form();
        case(&format!("TODO: {line}\n- [ ] {line}\n# {line}\nDeadline: {line}\nBlocked by {line}"))
            .check_form();
    }
    case(&text).check_form();
}

#[test]
fn long_lines_are_read_in_bounded_time() {
    for unit in [
        "the ",
        "due ",
        "- [ ] a\n",
        "and ",
        "\"",
        "TODO: ",
        "it is ",
        "3 hours ",
        "2026-03-20 ",
        "(",
        "> ",
    ] {
        case(&unit.repeat(20_000 / unit.len())).check_form();
    }
}

#[test]
fn thousands_of_boxes_are_read_at_once() {
    let things = ["shelf", "door", "lamp", "window", "chair", "drawer", "mirror"];
    let boxes: Vec<String> = (0..3_000)
        .map(|n| {
            let mark = if n % 3 == 0 { "x" } else { " " };
            format!("- [{mark}] Paint the {} of room {n}", things[n % 7])
        })
        .collect();
    let mut case = Case::new("House", "2026-03-02".parse().expect("a day"));
    for n in 0..200 {
        case.item(&format!("Paint the {} of room {n}", things[n % 7]), false);
    }
    case.entry(&boxes.join("\n"));
    case.check_form();
    let lines = case.lines();
    // Items on the list are ticked if the text ticks them; of the others a first batch is added.
    assert_eq!(lines.iter().filter(|line| line.starts_with("tick")).count(), 67);
    assert_eq!(lines.iter().filter(|line| line.starts_with("item")).count(), 40);
}
