//! Limits on the structure of a JSON text: depth, number of members, length of strings. They are
//! checked before parsing, so that a small text cannot cost much.

use dormouse_types::limits::{Beyond, JSON_DEPTH, JSON_MEMBERS, JSON_STRING};

/// Checks the structure of a text in one pass over its bytes. Text that is not JSON passes; the
/// parser reports it.
///
/// Errors: the limit that is exceeded. Depth and members are reported as far as they were counted.
pub(crate) fn check(text: &[u8]) -> Result<(), Beyond> {
    let (mut depth, mut members) = (0_usize, 0_usize);
    let mut rest = text;
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        match byte {
            b'"' => {
                let length = length(rest);
                JSON_STRING.check(length)?;
                rest = rest.get(length + 1..).unwrap_or_default();
            }
            b'[' | b'{' => {
                depth += 1;
                JSON_DEPTH.check(depth)?;
                // A container that is not empty has one more member than commas.
                let first = rest.iter().find(|byte| !byte.is_ascii_whitespace());
                members += usize::from(!matches!(first, Some(b']' | b'}')));
                JSON_MEMBERS.check(members)?;
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            b',' => {
                members += 1;
                JSON_MEMBERS.check(members)?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// The bytes up to the closing quote of a string, or to the end of the text.
fn length(rest: &[u8]) -> usize {
    let mut at = 0;
    while let Some(byte) = rest.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use dormouse_types::limits::ENTRY_TEXT;

    use super::*;

    fn beyond(text: &str) -> Option<(&'static str, usize)> {
        check(text.as_bytes()).err().map(|beyond| (beyond.limit.name, beyond.actual))
    }

    fn nested(depth: usize) -> String {
        format!("{}{}", "[".repeat(depth), "]".repeat(depth))
    }

    fn items(count: usize) -> String {
        format!("[{}]", vec!["1"; count].join(","))
    }

    #[test]
    fn each_limit_is_the_last_shape_that_is_accepted() {
        assert_eq!(beyond(&nested(32)), None);
        assert_eq!(beyond(&nested(33)), Some((JSON_DEPTH.name, 33)));
        assert_eq!(beyond(&items(10_000)), None);
        assert_eq!(beyond(&items(10_001)), Some((JSON_MEMBERS.name, 10_001)));
        assert_eq!(beyond(&format!("\"{}\"", "x".repeat(320 * 1024))), None);
        let long = format!("{{\"{}\": 1}}", "x".repeat(320 * 1024 + 1));
        assert_eq!(beyond(&long), Some((JSON_STRING.name, 320 * 1024 + 1)));
    }

    #[test]
    fn the_longest_text_may_be_written_in_escapes() {
        let signs = ENTRY_TEXT.max / '😀'.len_utf8();
        assert_eq!(beyond(&format!("\"{}\"", r"\ud83d\ude00".repeat(signs))), None);
    }

    #[test]
    fn objects_side_by_side_are_not_deep_and_all_members_count() {
        let many = format!("[{}]", vec![r#"{"a": [ ], "b": 1}"#; 3333].join(", "));
        assert_eq!(beyond(&many), None, "3333 + 2 * 3333 members");
        let more = format!("[{}]", vec![r#"{"a": [ ], "b": 1}"#; 3334].join(", "));
        assert_eq!(beyond(&more), Some((JSON_MEMBERS.name, 10_001)));
        assert_eq!(beyond(&format!("[{}]", vec!["[[]]"; 3000].join(","))), None);
    }

    #[test]
    fn the_content_of_a_string_is_text() {
        let brackets = "[".repeat(40);
        assert_eq!(beyond(&format!(r#"["{brackets}"]"#)), None);
        assert_eq!(beyond(&format!(r#"["\"{brackets}"]"#)), None, "an escaped quote ends nothing");
        let after = format!(r#"["\\", {}]"#, nested(32));
        assert_eq!(beyond(&after), Some((JSON_DEPTH.name, 33)), "an escaped backslash escapes not");
    }

    #[test]
    fn what_is_no_json_is_left_to_its_reader() {
        for text in ["", "\"", "\"\\", "]]]}}}", "{", "nul", "\u{feff}[]"] {
            assert_eq!(beyond(text), None, "{text}");
        }
    }
}
