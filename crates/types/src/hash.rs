//! Hashes and canonical JSON.

use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::id::Digest;

/// Hashes bytes with SHA-256.
///
/// Shape: 64 lower-case hex digits.
pub fn sha256(bytes: impl AsRef<[u8]>) -> Digest {
    let sum = Sha256::digest(bytes.as_ref());
    Digest(sum.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Hashes parts joined by `|`: the form of run keys and operation ids.
pub fn joined(parts: &[&str]) -> Digest {
    sha256(parts.join("|"))
}

/// Writes a value as canonical JSON.
///
/// Source: RFC 8785. Key order and number spelling of the input do not matter.
/// A number that is not finite is written as `null`, as in all JSON of this program.
/// Errors: a map whose keys cannot be texts.
pub fn canonical(value: &impl Serialize) -> Result<String, serde_json::Error> {
    // Through `Value`, so that `1.0`, `1e0` and `1` become one number before they are written.
    let value = normalised(serde_json::to_value(value)?);
    serde_jcs::to_string(&value)
}

/// Spells a whole number without fraction or exponent, at every depth.
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
