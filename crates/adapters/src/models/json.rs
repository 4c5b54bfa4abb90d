//! JSON whose members stay in the order in which they are written.
//!
//! The bytes of a body are the same for the same request, and a grammar that a server makes of a
//! schema asks for the name of a tool before its arguments.

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::Value;

/// A value with ordered members.
#[derive(Debug, Clone)]
pub(crate) enum Json {
    /// Any value; its members are in alphabetical order.
    Value(Value),
    /// The items of an array.
    Array(Vec<Json>),
    /// Members in order.
    Object(Vec<(&'static str, Json)>),
    /// Members in order, with names from elsewhere.
    Map(Vec<(String, Json)>),
}

/// An object of members in order.
pub(crate) fn object<const N: usize>(members: [(&'static str, Json); N]) -> Json {
    Json::Object(Vec::from(members))
}

pub(crate) fn array(items: impl IntoIterator<Item = Json>) -> Json {
    Json::Array(items.into_iter().collect())
}

impl Json {
    /// The bytes of a body.
    pub(crate) fn text(&self) -> String {
        serde_json::to_string(self).expect("values, arrays and objects with text keys serialize")
    }

    /// Adds members at the end of an object.
    pub(crate) fn with(self, more: impl IntoIterator<Item = (&'static str, Json)>) -> Self {
        match self {
            Self::Object(mut members) => {
                members.extend(more);
                Self::Object(members)
            }
            Self::Value(_) | Self::Array(_) | Self::Map(_) => self,
        }
    }

    /// Adds the members of an object that a provider wants back.
    pub(crate) fn with_members(self, more: &Value) -> Self {
        let (Self::Object(members), Value::Object(more)) = (self.clone(), more) else {
            return self;
        };
        let members = members.into_iter().map(|(name, value)| (name.to_owned(), value));
        let more = more.iter().map(|(name, value)| (name.clone(), Self::Value(value.clone())));
        Self::Map(members.chain(more).collect())
    }
}

impl<T: Into<Value>> From<T> for Json {
    fn from(value: T) -> Self {
        Self::Value(value.into())
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Value(value) => value.serialize(serializer),
            Self::Array(items) => items.serialize(serializer),
            Self::Object(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
            Self::Map(members) => {
                let mut map = serializer.serialize_map(Some(members.len()))?;
                for (name, value) in members {
                    map.serialize_entry(name, value)?;
                }
                map.end()
            }
        }
    }
}
