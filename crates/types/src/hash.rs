//! Hashes and canonical JSON.

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::id::Digest;

/// Hashes bytes with SHA-256.
///
/// Shape: 64 lower-case hex digits.
pub fn sha256(bytes: impl AsRef<[u8]>) -> Digest {
    let sum = Sha256::digest(bytes.as_ref());
    let digit = |value: u8| char::from(b"0123456789abcdef"[usize::from(value)]);
    Digest(sum.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect())
}

/// Hashes parts joined by `|`: the form of run keys and operation ids.
pub fn joined(parts: &[&str]) -> Digest {
    sha256(parts.join("|"))
}

/// Writes a value as canonical JSON.
///
/// Source: RFC 8785. The input's key order and number spelling do not matter.
/// A number that is not finite is written as `null`, as everywhere in this program's JSON.
/// Errors: a map with keys that are not strings.
pub fn canonical(value: &impl Serialize) -> Result<String, serde_json::Error> {
    // Through `Value`, so that `1.0`, `1e0` and `1` become the same number before they are written.
    let mut text = String::new();
    write(&normalised(serde_json::to_value(value)?), &mut text)?;
    Ok(text)
}

/// Every JSON implementation writes integers up to this one alike.
const EXACT: u64 = 1 << 53;

/// Writes a value with normalised numbers.
fn write(value: &serde_json::Value, text: &mut String) -> Result<(), serde_json::Error> {
    use serde_json::Value;
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(value) => text.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => match number.as_i64() {
            Some(whole) if whole.unsigned_abs() <= EXACT => text.push_str(&whole.to_string()),
            Some(_) | None => text.push_str(&serde_jcs::to_string(value)?),
        },
        Value::String(word) => quoted(word, text)?,
        Value::Array(items) => {
            text.push('[');
            for (n, item) in items.iter().enumerate() {
                text.push_str(if n > 0 { "," } else { "" });
                write(item, text)?;
            }
            text.push(']');
        }
        Value::Object(map) => {
            let mut pairs: Vec<_> = map.iter().collect();
            // The order of UTF-16 code units, which differs from UTF-8 for keys outside the first
            // plane.
            pairs.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            text.push('{');
            for (n, (key, value)) in pairs.into_iter().enumerate() {
                text.push_str(if n > 0 { "," } else { "" });
                quoted(key, text)?;
                text.push(':');
                write(value, text)?;
            }
            text.push('}');
        }
    }
    Ok(())
}

fn quoted(word: &str, text: &mut String) -> Result<(), serde_json::Error> {
    if word.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
        text.push('"');
        text.push_str(word);
        text.push('"');
        return Ok(());
    }
    text.push_str(&serde_json::to_string(word)?);
    Ok(())
}

/// Writes whole numbers without fraction or exponent, at every depth.
fn normalised(value: serde_json::Value) -> serde_json::Value {
    use serde_json::{Number, Value};
    match value {
        Value::Number(number) => {
            if let Some(whole) = number.as_i64() {
                return Value::Number(whole.into());
            }
            let float = number.as_f64().filter(|f| f.is_finite());
            match float {
                #[allow(clippy::cast_possible_truncation)]
                Some(float) if float.fract() == 0.0 && float.abs() < 9_007_199_254_740_992.0 => {
                    Value::Number((float as i64).into())
                }
                Some(float) => Number::from_f64(float).map_or(Value::Null, Value::Number),
                None => Value::String(number.to_string()),
            }
        }
        Value::Array(items) => Value::Array(items.into_iter().map(normalised).collect()),
        Value::Object(map) => {
            Value::Object(map.into_iter().map(|(key, value)| (key, normalised(value))).collect())
        }
        Value::Null | Value::Bool(_) | Value::String(_) => value,
    }
}
