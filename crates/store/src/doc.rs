//! Documents that keep fields this version does not know.
//!
//! `serialized` columns hold JSON that a newer version may have written. An unchanged entity is
//! stored as its original text. A changed one keeps every unknown key verbatim, including number
//! spelling and duplicates, in every object this version knows.

use serde::Serialize;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A typed value together with the text it was read from.
#[derive(Debug, Clone)]
pub struct Doc<T> {
    /// The part this version knows.
    pub value: T,
    stored: Option<String>,
}

impl<T: Serialize + DeserializeOwned + PartialEq> Doc<T> {
    /// A new document.
    pub fn new(value: T) -> Self {
        Self { value, stored: None }
    }

    /// Reads a stored document.
    ///
    /// Errors: invalid JSON, or a known key with a value this version cannot read.
    pub fn read(text: &str) -> Result<Self, serde_json::Error> {
        Ok(Self { value: serde_json::from_str(text)?, stored: Some(text.to_owned()) })
    }

    /// The text to store.
    pub fn text(&self) -> String {
        let fresh = serde_json::to_string(&self.value).expect("entities are plain data");
        let Some(stored) = &self.stored else { return fresh };
        if serde_json::from_str::<T>(stored).is_ok_and(|value| value == self.value) {
            return stored.clone();
        }
        merged(stored, &fresh)
    }
}

/// An object as written, in order, with duplicates.
struct Pairs(Vec<(Box<RawValue>, Box<RawValue>)>);

/// The name a key spells; `None` if no string can hold it.
fn name(key: &RawValue) -> Option<String> {
    serde_json::from_str(key.get()).ok()
}

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Ordered;
        impl<'de> Visitor<'de> for Ordered {
            type Value = Pairs;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Pairs, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        deserializer.deserialize_map(Ordered)
    }
}

/// Writes `fresh` over `stored`: known keys in place, unknown ones verbatim.
fn merged(stored: &str, fresh: &str) -> String {
    if let (Ok(Pairs(old)), Ok(Pairs(new))) =
        (serde_json::from_str::<Pairs>(stored), serde_json::from_str::<Pairs>(fresh))
    {
        return object(&old, &new);
    }
    if let (Ok(old), Ok(new)) = (
        serde_json::from_str::<Vec<Box<RawValue>>>(stored),
        serde_json::from_str::<Vec<Box<RawValue>>>(fresh),
    ) {
        return array(&old, &new);
    }
    let same = serde_json::from_str::<serde_json::Value>(stored).ok()
        == serde_json::from_str::<serde_json::Value>(fresh).ok();
    if same { stored.to_owned() } else { fresh.to_owned() }
}

fn object(
    old: &[(Box<RawValue>, Box<RawValue>)],
    new: &[(Box<RawValue>, Box<RawValue>)],
) -> String {
    let mut known: Vec<(Option<String>, &RawValue, &RawValue, bool)> =
        new.iter().map(|(key, fresh)| (name(key), &**key, &**fresh, false)).collect();
    let mut parts = Vec::new();
    for (key, value) in old {
        let spelled = name(key);
        match known.iter_mut().find(|(name, ..)| *name == spelled) {
            None => parts.push(member(key, value.get())),
            // A known key is written once, even if it was duplicated.
            Some((.., true)) => {}
            Some((_, _, fresh, written)) => {
                *written = true;
                parts.push(member(key, &merged(value.get(), fresh.get())));
            }
        }
    }
    let added = known.iter().filter(|(.., written)| !written);
    parts.extend(added.map(|(_, key, fresh, _)| member(key, fresh.get())));
    format!("{{{}}}", parts.join(","))
}

fn member(key: &RawValue, value: &str) -> String {
    format!("{}:{value}", key.get())
}

/// Elements with an `id` are matched by it, others by position.
fn array(old: &[Box<RawValue>], new: &[Box<RawValue>]) -> String {
    let id = |value: &RawValue| -> Option<String> {
        let Pairs(pairs) = serde_json::from_str(value.get()).ok()?;
        let (_, id) = pairs.into_iter().find(|(key, _)| name(key).as_deref() == Some("id"))?;
        Some(id.get().to_owned())
    };
    let parts: Vec<String> = new
        .iter()
        .enumerate()
        .map(|(place, fresh)| {
            let before = match id(fresh) {
                Some(wanted) => old.iter().find(|value| id(value).as_ref() == Some(&wanted)),
                None => old.get(place).filter(|value| id(value).is_none()),
            };
            before.map_or_else(|| fresh.get().to_owned(), |old| merged(old.get(), fresh.get()))
        })
        .collect();
    format!("[{}]", parts.join(","))
}
