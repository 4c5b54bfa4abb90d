use unicode_width::UnicodeWidthStr as _;

use super::*;

fn plain(text: &str) -> String {
    render(text, 40, Style::new(false))
}

#[test]
fn headings_lists_and_boxes() {
    let text = "## Done\n- first, which is long enough to be broken\n- [x] second\n- [ ] third\n\n\
                ## Left\n1. one\n   - nested\n2. two";
    assert_eq!(
        plain(text),
        "Done\n\
         - first, which is long enough to be\n  broken\n\
         [x] second\n\
         [ ] third\n\n\
         Left\n\
         1. one\n   - nested\n\
         2. two"
    );
}

#[test]
fn a_link_shows_its_words_and_its_address() {
    assert_eq!(plain("[the plan](https://a.example/p)"), "the plan (https://a.example/p)");
    assert_eq!(plain("<https://a.example/p>"), "https://a.example/p");
    assert_eq!(plain("![](https://a.example/i.png)"), "https://a.example/i.png");
}

#[test]
fn paragraphs_are_apart_and_code_is_not_wrapped() {
    let code = "let a_rather_long_line = of_code(that_is_wider, than_the_page);";
    let text = format!("one\n\ntwo **bold**, `code`\n\n```rust\n{code}\n```\n\n> quoted");
    assert_eq!(plain(&text), format!("one\n\ntwo bold, `code`\n\nrust\n    {code}\n\n│ quoted"));
}

#[test]
fn a_table_keeps_its_cells_apart() {
    assert_eq!(plain("| a | b |\n|---|---|\n| 1 | 2 |"), "a | b\n1 | 2");
}

#[test]
fn prose_fits_every_width() {
    let text = "# A heading that is quite long for such a page\n\n- a list\n  - with 日本語のとても長い文章 in \
                it\n    - [ ] and a box that nests deeper\n\n> a quote that goes on for a while, too";
    for width in 40..=200 {
        for line in render(text, width, Style::new(false)).lines() {
            assert!(line.width() <= width, "at {width}: {line}");
        }
    }
}

#[test]
fn escape_sequences_of_a_text_do_not_reach_the_terminal() {
    let text = "a \u{1b}[31mred\u{1b}[0m word \u{9b}2J\u{202e}";
    assert_eq!(plain(text), "a red word");
    assert!(!plain("&#27;[31m").contains('\u{1b}'), "an entity becomes no escape either");
}
