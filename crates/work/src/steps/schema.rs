//! Whether a text is JSON that fits a schema. Which parts a schema may have is checked when the step is
//! saved (`crates/types/src/work_step.rs`): here each of them counts.

use serde_json::Value;

/// Checks a text, which may stand in a code fence.
///
/// Errors: what does not fit, and where.
pub(super) fn fits(text: &str, schema: &Value) -> Result<(), String> {
    let text = text.trim();
    let inner = text
        .strip_prefix("```json")
        .or_else(|| text.strip_prefix("```"))
        .and_then(|text| text.strip_suffix("```"))
        .unwrap_or(text);
    let value: Value =
        serde_json::from_str(inner.trim()).map_err(|e| format!("the result is no JSON: {e}"))?;
    value_fits(&value, schema, "the result")
}

fn value_fits(value: &Value, schema: &Value, place: &str) -> Result<(), String> {
    let wrong = |what: String| Err(format!("{place} {what}"));
    if let Some(name) = schema["type"].as_str()
        && !is_of_type(value, name)
    {
        return wrong(format!("is not of type {name}"));
    }
    if let Some(allowed) = schema["enum"].as_array()
        && !allowed.contains(value)
    {
        return wrong(format!("is none of {}", schema["enum"]));
    }
    let limit = |name: &str| schema[name].as_u64().and_then(|n| usize::try_from(n).ok());
    let within = |n: usize, (least, most): (&str, &str), unit: &str| {
        if let Some(least) = limit(least).filter(|least| n < *least) {
            return wrong(format!("has {n} {unit}, fewer than {least}"));
        }
        if let Some(most) = limit(most).filter(|most| n > *most) {
            return wrong(format!("has {n} {unit}, more than {most}"));
        }
        Ok(())
    };
    match value {
        Value::Object(map) => {
            for name in schema["required"].as_array().into_iter().flatten() {
                let name = name.as_str().unwrap_or_default();
                if !map.contains_key(name) {
                    return wrong(format!("lacks `{name}`"));
                }
            }
            for (name, value) in map {
                match schema["properties"].get(name) {
                    Some(of_name) => value_fits(value, of_name, &format!("{place}, {name},"))?,
                    None if schema["additionalProperties"] == Value::Bool(false) => {
                        return wrong(format!("has `{name}`, which is not allowed"));
                    }
                    None => {}
                }
            }
        }
        Value::Array(items) => {
            within(items.len(), ("minItems", "maxItems"), "items")?;
            if schema["items"].is_object() {
                for (n, item) in items.iter().enumerate() {
                    value_fits(item, &schema["items"], &format!("{place}, item {},", n + 1))?;
                }
            }
        }
        Value::String(text) => {
            within(text.chars().count(), ("minLength", "maxLength"), "characters")?;
        }
        Value::Number(number) => {
            let n = number.as_f64().unwrap_or(f64::NAN);
            let bound = |name: &str| schema[name].as_f64();
            if bound("minimum").is_some_and(|least| n < least) {
                return wrong(format!("is {number}, less than {}", schema["minimum"]));
            }
            if bound("maximum").is_some_and(|most| n > most) {
                return wrong(format!("is {number}, more than {}", schema["maximum"]));
            }
        }
        Value::Bool(_) | Value::Null => {}
    }
    Ok(())
}

fn is_of_type(value: &Value, name: &str) -> bool {
    match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => {
            value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0)
        }
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        // Refused when the step was saved.
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_does_not_fit_is_named_with_its_place() {
        let schema = json!({
            "type": "object",
            "required": ["title", "scores"],
            "additionalProperties": false,
            "properties": {
                "title": { "type": "string", "minLength": 1, "maxLength": 5 },
                "kind": { "enum": ["a", "b"] },
                "scores": {
                    "type": "array", "minItems": 1, "maxItems": 2,
                    "items": { "type": "integer", "minimum": 0, "maximum": 10 },
                },
            },
        });
        let check = |text: &str| fits(text, &schema);
        assert_eq!(check(r#"{"title": "x", "scores": [1, 2.0], "kind": "a"}"#), Ok(()));
        assert_eq!(check("```json\n{\"title\": \"x\", \"scores\": [1]}\n```"), Ok(()));
        for (text, why) in [
            ("nothing", "is no JSON"),
            ("[]", "the result is not of type object"),
            (r#"{"title": "x"}"#, "lacks `scores`"),
            (r#"{"title": "", "scores": [1]}"#, "title, has 0 characters, fewer than 1"),
            (r#"{"title": "longer", "scores": [1]}"#, "more than 5"),
            (r#"{"title": "x", "scores": []}"#, "scores, has 0 items, fewer than 1"),
            (r#"{"title": "x", "scores": [1, 2, 3]}"#, "more than 2"),
            (r#"{"title": "x", "scores": [1, -1]}"#, "item 2, is -1, less than 0"),
            (r#"{"title": "x", "scores": [11]}"#, "is 11, more than 10"),
            (r#"{"title": "x", "scores": [1.5]}"#, "item 1, is not of type integer"),
            (r#"{"title": "x", "scores": [1], "kind": "c"}"#, "kind, is none of"),
            (r#"{"title": "x", "scores": [1], "more": 1}"#, "has `more`, which is not allowed"),
        ] {
            let refusal = check(text).expect_err("it does not fit");
            assert!(refusal.contains(why), "{text}: {refusal}");
        }
    }
}
