//! Parts of a JSON document whose shape is known.

use serde_json::{Map, Value};

pub(super) fn object(value: &mut Value) -> &mut Map<String, Value> {
    value.as_object_mut().expect("the document has an object here")
}

pub(super) fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}
