use dormouse_types::limits;
use serde_json::{Value, json};

use super::PartialReport;

fn read(pieces: &[&str]) -> (String, String) {
    let mut report = PartialReport::default();
    for piece in pieces {
        report.push(piece);
    }
    (report.tldr().to_owned(), report.content().to_owned())
}

/// Reads a document in every two pieces and character by character: wherever it is cut, it says the
/// same in the end, and never something that the end takes back.
#[track_caller]
fn check(document: &str, tldr: &str, content: &str) {
    let expected = (tldr.to_owned(), content.to_owned());
    assert_eq!(read(&[document]), expected);
    let cuts: Vec<usize> = document.char_indices().map(|(at, _)| at).collect();
    for at in cuts {
        let (start, rest) = document.split_at(at);
        assert_eq!(read(&[start, rest]), expected, "cut at {at}");
        let (shown, written) = read(&[start]);
        assert!(tldr.starts_with(&shown), "{shown:?} at {at}");
        assert!(content.starts_with(&written), "{written:?} at {at}");
    }
    let mut report = PartialReport::default();
    document.chars().for_each(|char| report.push(char.encode_utf8(&mut [0; 4])));
    assert_eq!((report.tldr(), report.content()), (tldr, content));
    assert!(report.is_over());
}

#[test]
fn a_report_grows_wherever_its_document_is_cut() {
    check(r#"{"tldr":"All quiet.","content":"Nothing *yet*."}"#, "All quiet.", "Nothing *yet*.");
    check(" \n{ \"content\" :\t\"A\" , \"tldr\" : \"B\" } and more", "B", "A");
    check(r#"{"tldr":"","content":""}"#, "", "");
}

#[test]
fn escapes_and_surrogate_pairs_are_decoded() {
    check(
        r#"{"tldr":"a\"b\\c\/d\n\t\r\b\f","content":"caf\u00e9 \ud83d\ude80 日本 🚀"}"#,
        "a\"b\\c/d\n\t\r\u{8}\u{c}",
        "café 🚀 日本 🚀",
    );
}

#[test]
fn half_a_surrogate_pair_is_replaced() {
    let lone = char::REPLACEMENT_CHARACTER;
    check(r#"{"content":"\ud83d!"}"#, "", &format!("{lone}!"));
    check(r#"{"content":"\ude80!"}"#, "", &format!("{lone}!"));
    check(r#"{"content":"\ud83d\n"}"#, "", &format!("{lone}\n"));
    check(r#"{"content":"\ud83d\ud83d\ude80"}"#, "", &format!("{lone}🚀"));
    check(r#"{"content":"\ud83d\u0041"}"#, "", &format!("{lone}A"));
    check(r#"{"content":"\ud83d"}"#, "", &format!("{lone}"));
}

#[test]
fn what_serde_reads_is_read_the_same() {
    for text in ["", "plain", "\"quoted\" \\ / \u{7}\u{1f}\u{7f}", "mixed 日本 🚀\u{2028}\n\r\n\t"]
    {
        let document = json!({ "tldr": text, "other": [text, {"content": text}], "content": text });
        check(&document.to_string(), text, text);
    }
}

#[test]
fn values_of_other_fields_are_passed_over() {
    let before = r#"{"a":{"content":"no","b":[1,"}",{"c":"]\\"}]},"d":null,"e":-1.5e3,"tldr":"T","f":"x\",y","#;
    check(&format!("{before}\"report\":\"R\"}}"), "T", "R");
    check(r#"{"tldr":7,"content":["x"],"\u0074ldr":"T"}"#, "T", "");
}

#[test]
fn a_field_that_is_given_again_replaces_the_first() {
    assert_eq!(read(&[r#"{"content":"one","content":"tw"#]).1, "tw");
}

#[test]
fn what_is_no_report_says_nothing() {
    for document in [
        "[\"content\"]",
        "\"{}\"",
        "null",
        "content",
        r#"{"content":"a\x"}"#,
        r#"{"content":"\u00g0"}"#,
    ] {
        let mut report = PartialReport::default();
        report.push(document);
        assert!(report.is_over(), "{document}");
        let so_far = (report.tldr().to_owned(), report.content().to_owned());
        report.push(r#"{"tldr":"T","content":"C"}"#);
        assert_eq!((report.tldr(), report.content()), (&*so_far.0, &*so_far.1));
    }
    assert!(serde_json::from_str::<Value>(r#"{"content":"a\x"}"#).is_err());
}

#[test]
fn no_more_is_kept_than_a_report_may_have() {
    let mut report = PartialReport::default();
    report.push("{\"");
    report.push(&"k".repeat(1_000_000));
    report.push("\":1,\"tldr\":\"");
    (0..1000).for_each(|_| report.push(&"é".repeat(1000)));
    report.push("\",\"content\":\"");
    (0..1000).for_each(|_| report.push(&"é".repeat(1000)));
    assert_eq!(report.tldr().len(), limits::TLDR.max * 4);
    assert_eq!(report.content().len(), limits::REPORT.max);
    assert!(report.key.len() <= super::KEY_BYTES);
    let mut deep = PartialReport::default();
    deep.push("{\"a\":");
    (0..100).for_each(|_| deep.push(&"[{".repeat(10_000)));
    assert!(!deep.is_over());
}
