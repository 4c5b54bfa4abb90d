//! What the sanitiser removes, and what it keeps.

use dormouse_formats::sanitise::{block, line};

fn check(text: &str, expected: &str) {
    assert_eq!(block(text), expected, "{text:?}");
}

#[test]
fn escape_sequences_go_with_their_payload() {
    check("\u{1b}[31mred\u{1b}[0m", "red");
    check("\u{9b}2Jcleared", "cleared");
    check("\u{1b}]0;owned\u{7}title", "title");
    check("\u{1b}]8;;https://example.org\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link");
    check("\u{1b}Pq#0\u{1b}\\image", "image");
    check("\u{1b}(Bset\u{1b}creset", "setreset");
    check("\u{1b}\u{1b}[31m[32m", "[32m");
}

#[test]
fn a_sequence_without_end_hides_nothing() {
    check("\u{1b}]0;pay the rent\nnext", "]0;pay the rent\nnext");
    check("\u{1b}[31", "[31");
    check("\u{1b}", "");
}

#[test]
fn controls_and_disguises_go() {
    check("a\u{8}b\u{7f}c\u{80}", "abc");
    check("pay\u{202e}01\u{202c} now", "pay01 now");
    check("zero\u{200b}width\u{feff}\u{2060}", "zerowidth");
    check("tag\u{e0068}\u{e0069}", "tag");
    check(
        "🏴\u{e0068}\u{e0069}\u{e0064}\u{e0065}\u{e0068}\u{e0069}\u{e0064}\u{e0065}\u{e007f}",
        "🏴",
    );
    check("a\u{fe0f}\u{fe0f}\u{fe0e}", "a\u{fe0f}");
    check(&format!("e{}", "\u{301}".repeat(40)), &format!("e{}", "\u{301}".repeat(8)));
}

#[test]
fn what_people_write_stays() {
    for text in [
        "👩‍👩‍👧 👍🏽 ❤️ ❤️‍🔥 🏳️‍🌈 1️⃣",
        "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}",
        "می\u{200c}خواهم",
        "क्\u{200d}ष",
        "naïve Ștefan Straße שלום 漢字 葛\u{e0100}",
        "| a\t| b |\n|---|---|",
    ] {
        check(text, text);
    }
}

#[test]
fn line_breaks_fit_the_form() {
    check("a\r\nb\rc\u{2028}d\u{85}e", "a\nb\nc\nd\ne");
    assert_eq!(line("a\r\nb\t\tc \n d"), "a b c  d");
    assert_eq!(line("one\u{1b}[0m\ntwo"), "one two");
}

#[test]
fn a_joiner_goes_when_its_neighbour_is_one_mark_too_many() {
    let text = format!("ن{}\u{200d}\u{64b}a", "\u{64b}".repeat(7));
    check(&text, &format!("ن{}a", "\u{64b}".repeat(8)));
    crate::properties::survives_terminal(&text);
}
