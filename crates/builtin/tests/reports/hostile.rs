//! Reports of pathological texts.

use dormouse_builtin::Input;
use dormouse_builtin::report::report;
use jiff::civil::date;
use proptest::prelude::*;

use crate::desk::Desk;
use crate::yardstick::faults;

fn check(text: &str) {
    let desk = Desk::new("Task", date(2025, 6, 1)).entry(text);
    check_desk(&desk, text);
}

fn check_desk(desk: &Desk, source: &str) {
    let request = desk.request();
    let written = || report(&Input::of(&request).expect("a task and an instruction"));
    let first = written();
    let found = faults(&first.tldr, &first.content, source);
    assert!(found.is_empty(), "{found:#?}\n{}\n{}", first.tldr, first.content);
    assert_eq!(written(), first, "the same request gives the same report");
}

#[test]
fn long_lines_and_long_words() {
    check(&"word ".repeat(2_000));
    check(&format!("- [ ] {}", "x".repeat(10_000)));
    check(&format!("# {}\n\n- [x] {}", "h".repeat(10_000), "We fixed it, ".repeat(800)));
    check(&format!("TODO: {}", "a.b ".repeat(3_000)));
    check(&"The pump is fixed. ".repeat(500));
}

#[test]
fn an_entry_as_long_as_an_entry_may_be() {
    let mixed = "- [ ] fix door A of house B\n- [x] paint door C of house D\n\nFixed the door of house E. We reverted it.\n\n";
    let text = mixed.repeat(100 * 1024 / mixed.len());
    check(&text);
    let numbered: String =
        (0..3_000).map(|n| format!("- [ ] check valve {n} of house\n")).collect();
    check(&numbered);
}

#[test]
fn only_code_only_addresses_only_marks() {
    check("```\n- [ ] no\nhttps://a.example/in-code\n```");
    check(
        &(0..200).map(|n| format!("https://h{}.example/p/{n}?q=(a\n", n % 7)).collect::<String>(),
    );
    check(
        &(0..200)
            .map(|n| format!("- [ ] see [x{n}](https://a.example/{n}_(z))\n"))
            .collect::<String>(),
    );
    check("- [ ]\n- [x]\n# \n> \n| | |\n|-|-|\n***\n[]()\n![]()");
    check(&"[".repeat(20_000));
    check(&"> ".repeat(5_000));
    check(&"<b ".repeat(10_000));
    check(&"`` ` ``` ".repeat(3_000));
}

#[test]
fn controls_and_directions() {
    check("- [ ] buy\0 mi\u{202E}lk\u{2066} \u{200B}now\n- [x] paid\u{7}");
    check("\u{FEFF}# Title\r\n\r\n- [ ] one\r\n- [x] two\r\n");
    check("\0");
}

#[test]
fn a_first_report_where_no_rules_sort_the_sentences() {
    let text = "1. %:0ก🌀𐿠🫎a ## Action items# # # . ue[# # root cause: rust l## Action items b✅ a🫎￼প￼A# - [ ] ## Lessons# ";
    check(text);
}

#[test]
fn an_item_that_is_ticked_and_open() {
    check(
        "- [x] Order the boxes for the move\n- [ ] Order the boxes for the move\n- [ ] order the boxes for the move.",
    );
    let text = "- [ ] Paint the whole kitchen wall\n\nPainted the whole kitchen wall.";
    check_desk(
        &Desk::new("Task", date(2025, 6, 1)).item("Paint the whole kitchen wall", true).entry(text),
        text,
    );
}

#[test]
fn more_boxes_than_a_reader_takes_in() {
    let boxes = |mark: &str, n: usize| {
        (0..n).map(|at| format!("- [{mark}] thing number {at}\n")).collect::<String>()
    };
    check(&boxes(" ", 300));
    check(&boxes("x", 300));
    check(
        &(0..60)
            .map(|n| format!("## Part {n}\n\n{}{}", boxes(" ", 3), boxes("x", 2)))
            .collect::<String>(),
    );
}

#[test]
fn reasons_and_titles_of_items_are_guarded_too() {
    let mut desk = Desk::new("Task", date(2025, 6, 1))
        .item("See https://a.example/very/long/path?token=1 and [this](https://b.example/x)", false)
        .item("https://c.example/only", false);
    desk.state.status = dormouse_types::task::Status::Blocked;
    desk.state.status_reason =
        Some(format!("Waiting. For. Many! Things? {}", "and more ".repeat(90)));
    let source =
        "https://a.example/very/long/path?token=1 https://b.example/x https://c.example/only";
    check_desk(&desk, source);
}

/// Pieces of Markdown, combined in unusual ways.
fn piece() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "# ",
        "## Action items",
        "### 12:30",
        "## Lessons",
        "\n",
        "\n\n",
        "- [ ] ",
        "- [x] ",
        "- [~] ",
        "1. ",
        "> ",
        "```",
        "~~",
        "**",
        "_",
        "`",
        "[",
        "](",
        ")",
        "<!--",
        "-->",
        "|",
        "|---|",
        "https://a.example/b_(c)",
        "http://x.example/?q=1&r=",
        "(https://a.example/1).",
        "\\_",
        "????",
        "TODO: ",
        "We fixed the door. ",
        "It is done",
        "root cause: rust",
        "2025-03-04",
        "Feb 30",
        "password is x",
        "/home/anna/x",
        "…",
        ". ",
        "? ",
        "✅ ",
        "\u{202E}",
        "\0",
        "\t",
        "    ",
        "e.g. ",
        "123e4567-e89b-42d3-a456-426614174000",
        "[a](https://b.example/c)",
        "## 1.2.3 - 2024-01-02",
    ]);
    prop_oneof![4 => fixed.prop_map(str::to_owned), 1 => "[a-z ]{1,30}", 1 => "\\PC{0,12}"]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_gets_a_report_within_bounds(pieces in prop::collection::vec(piece(), 0..60)) {
        check(&pieces.concat());
    }
}
