//! Arguments of a call that Gemini streams as paths and values.
//!
//! Each piece names a place by a JSON path such as `$.items[0].title`, and a value; the pieces of a
//! string are joined while the last one said that it continues. Source: the API's `PartialArg`.

use dormouse_types::limits;
use serde_json::{Map, Value};

use super::failure::WireError;

/// Arguments so far.
#[derive(Debug, Default)]
pub(crate) struct Arguments {
    root: Option<Value>,
    /// The path of a string that continues.
    open: Option<String>,
    n_bytes: usize,
}

/// Deeper than any tool's arguments.
const MAX_DEPTH: usize = 32;
/// More items than any tool accepts.
const MAX_ITEMS: usize = 1000;

enum Step {
    Member(String),
    Item(usize),
}

impl Arguments {
    pub(crate) fn is_empty(&self) -> bool {
        self.root.is_none()
    }

    pub(crate) fn into_value(self) -> Value {
        self.root.unwrap_or_else(no_arguments)
    }

    /// Adds one piece.
    ///
    /// Errors: its path leads nowhere, or the arguments are beyond a limit.
    pub(crate) fn apply(&mut self, piece: &Value) -> Result<(), WireError> {
        let bad =
            || WireError::malformed("the answer has arguments with a path that leads nowhere");
        let path = piece.get("jsonPath").and_then(Value::as_str).ok_or_else(bad)?;
        let value = ["stringValue", "numberValue", "boolValue", "nullValue"]
            .iter()
            .find_map(|name| piece.get(*name).map(|value| (*name, value)));
        let value = match value {
            Some(("nullValue", _)) => Value::Null,
            Some((_, value)) => value.clone(),
            None => return Err(bad()),
        };
        self.n_bytes += path.len() + value.to_string().len();
        if self.n_bytes > limits::CALL_ARGS_BYTES {
            return Err(WireError::refused(format!(
                "the model wrote more than {} bytes of arguments for one call",
                limits::CALL_ARGS_BYTES
            )));
        }
        let steps = steps(path).ok_or_else(bad)?;
        let slot = reach(self.root.get_or_insert_with(no_arguments), &steps).ok_or_else(bad)?;
        let continues = self.open.as_deref() == Some(path);
        match (slot, value) {
            (Value::String(text), Value::String(more)) if continues => text.push_str(&more),
            (slot, value) => *slot = value,
        }
        let will_continue = piece.get("willContinue").and_then(Value::as_bool) == Some(true);
        self.open = will_continue.then(|| path.to_owned());
        Ok(())
    }
}

/// Reads `$.name`, `['name']`, `["name"]` and `[0]`.
fn steps(path: &str) -> Option<Vec<Step>> {
    let mut rest = path.strip_prefix('$')?;
    let mut steps = Vec::new();
    while !rest.is_empty() {
        if steps.len() == MAX_DEPTH {
            return None;
        }
        if let Some(after) = rest.strip_prefix('.') {
            let end = after.find(['.', '[']).unwrap_or(after.len());
            let (name, next) = after.split_at(end);
            if name.is_empty() {
                return None;
            }
            steps.push(Step::Member(name.to_owned()));
            rest = next;
        } else {
            let after = rest.strip_prefix('[')?;
            let quote = after.chars().next().filter(|c| matches!(c, '\'' | '"'));
            let (inner, next) = match quote {
                Some(quote) => after[1..].split_once(&format!("{quote}]"))?,
                None => after.split_once(']')?,
            };
            steps.push(match quote {
                Some(_) => Step::Member(inner.to_owned()),
                None => Step::Item(inner.parse().ok().filter(|at| *at < MAX_ITEMS)?),
            });
            rest = next;
        }
    }
    Some(steps)
}

/// The place that `steps` lead to. Items are begun in order.
fn reach<'a>(root: &'a mut Value, steps: &[Step]) -> Option<&'a mut Value> {
    let mut at = root;
    for step in steps {
        at = match step {
            Step::Member(name) => {
                if at.is_null() {
                    *at = Value::Object(Map::new());
                }
                at.as_object_mut()?.entry(name.as_str()).or_insert(Value::Null)
            }
            Step::Item(n) => {
                if at.is_null() {
                    *at = Value::Array(Vec::new());
                }
                let items = at.as_array_mut()?;
                if *n == items.len() {
                    items.push(Value::Null);
                }
                items.get_mut(*n)?
            }
        };
    }
    Some(at)
}

/// An empty object, for calls without arguments.
pub(crate) fn no_arguments() -> Value {
    Value::Object(Map::new())
}
