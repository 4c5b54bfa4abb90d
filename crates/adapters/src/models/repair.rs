//! JSON as models write it: once repaired where the intention is plain, else kept as text.

use serde_json::{Map, Value};

/// The arguments of a call. Nothing at all is an empty object; text that is no JSON, even after one
/// repair, stays text, which the tool refuses with what to fix.
pub(crate) fn arguments(text: &str) -> Value {
    if text.trim().is_empty() {
        return Value::Object(Map::new());
    }
    let value = serde_json::from_str(text).ok().or_else(|| repaired(text));
    match value {
        // An object that was encoded twice.
        Some(Value::String(inner)) => match serde_json::from_str(&inner) {
            Ok(object @ Value::Object(_)) => object,
            Ok(_) | Err(_) => Value::String(inner),
        },
        Some(value) => value,
        None => Value::String(text.to_owned()),
    }
}

/// Whether arguments are complete as they were written, without any repair.
pub(crate) fn is_complete(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

/// Reads JSON after leaving out commas before a closing bracket and adding missing brackets at the
/// end. A string that does not end is not repaired: the rest of it is unknown.
///
/// Errors: `None` if it is still no JSON.
pub(crate) fn repaired(text: &str) -> Option<Value> {
    let mut out = String::with_capacity(text.len());
    let mut open = Vec::new();
    let mut in_string = false;
    let mut is_escaped = false;
    // A comma waits until it is clear that something follows it.
    let mut comma = None;
    for c in text.trim().chars() {
        if in_string {
            out.push(c);
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match c {
            ',' if comma.is_none() => {
                comma = Some(c);
                continue;
            }
            '}' | ']' => {
                comma = None;
                if open.pop() != Some(c) {
                    return None;
                }
            }
            c if c.is_whitespace() => {}
            _ => out.extend(comma.take()),
        }
        match c {
            '{' => open.push('}'),
            '[' => open.push(']'),
            '"' => in_string = true,
            _ => {}
        }
        out.push(c);
    }
    if in_string {
        return None;
    }
    out.extend(open.into_iter().rev());
    serde_json::from_str(&out).ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn arguments_are_repaired_where_the_intention_is_plain() {
        let cases = [
            ("", json!({})),
            (" \n", json!({})),
            (r#"{"a":1}"#, json!({"a": 1})),
            (r#"{"a":[1,2,],}"#, json!({"a": [1, 2]})),
            (r#"{"a":{"b":[1"#, json!({"a": {"b": [1]}})),
            (r#"{"a":"x, ]}",}"#, json!({"a": "x, ]}"})),
            (r#""{\"a\":1}""#, json!({"a": 1})),
            (r#"{"a":"never ends"#, json!(r#"{"a":"never ends"#)),
            (r#"{"a":1]"#, json!(r#"{"a":1]"#)),
            ("title: Milk", json!("title: Milk")),
            ("[1,,2]", json!("[1,,2]")),
        ];
        for (text, expected) in cases {
            assert_eq!(arguments(text), expected, "{text}");
        }
    }

    #[test]
    fn deep_nesting_stays_text() {
        let deep = "[".repeat(100_000);
        assert_eq!(arguments(&deep), json!(deep));
    }
}
