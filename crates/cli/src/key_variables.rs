//! The variables of the environment that give keys of providers, unread.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;

/// (provider, variables that hold its key, the first one that is set wins). Each can have `_FILE` at
/// its end and then names a file.
pub const KEY_VARIABLES: &[(&str, &[&str])] = &[
    ("openai", &["OPENAI_API_KEY"]),
    ("anthropic", &["ANTHROPIC_API_KEY"]),
    ("gemini", &["GEMINI_API_KEY", "GOOGLE_API_KEY"]),
    ("mistral", &["MISTRAL_API_KEY"]),
    ("openrouter", &["OPENROUTER_API_KEY"]),
    ("deepseek", &["DEEPSEEK_API_KEY"]),
    ("groq", &["GROQ_API_KEY"]),
];
/// The start of the variable that holds the key of a provider that a person added.
pub const KEY_PREFIX: &str = "DORMOUSE_KEY_";

/// The variable that holds the key which seals the secrets of hooks; with `_FILE` at its end it names a
/// file.
pub const HOOK_KEY: &str = "DORMOUSE_HOOK_KEY";

/// A variable of the environment that gives a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeyVariable {
    /// Its name, without `_FILE`.
    pub name: String,
    /// What it gives.
    pub key: KeyText,
}

/// A key as the environment gives it, unchecked.
#[derive(Clone, PartialEq, Eq)]
pub enum KeyText {
    /// The key.
    Text(OsString),
    /// A file that contains the key.
    File(PathBuf),
}

// Keeps the key out of logs.
impl fmt::Debug for KeyText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(_) => f.write_str("Text(…)"),
            Self::File(path) => f.debug_tuple("File").field(path).finish(),
        }
    }
}

/// Finds the variables that give keys. A variable goes before the one with `_FILE`; an empty one
/// counts as not set.
pub fn find(all: impl Iterator<Item = (OsString, OsString)>) -> Vec<KeyVariable> {
    let is_key = |name: &str| {
        name.strip_prefix(KEY_PREFIX).is_some_and(|rest| !rest.is_empty())
            || KEY_VARIABLES.iter().any(|(_, names)| names.contains(&name))
    };
    let mut keys = BTreeMap::new();
    for (name, value) in all.filter(|(_, value)| !value.is_empty()) {
        let Ok(name) = name.into_string() else { continue };
        match name.strip_suffix("_FILE") {
            Some(name) if is_key(name) => {
                keys.entry(name.to_owned()).or_insert(KeyText::File(value.into()));
            }
            None if is_key(&name) => {
                keys.insert(name, KeyText::Text(value));
            }
            Some(_) | None => {}
        }
    }
    keys.into_iter().map(|(name, key)| KeyVariable { name, key }).collect()
}

/// Finds the variable that gives the key of hooks. It goes before the one with `_FILE`; an empty one counts as not
/// set.
pub fn find_hook_key(all: impl Iterator<Item = (OsString, OsString)>) -> Option<KeyText> {
    let (mut text, mut file) = (None, None);
    for (name, value) in all.filter(|(_, value)| !value.is_empty()) {
        match name.to_str() {
            Some(HOOK_KEY) => text = Some(KeyText::Text(value)),
            Some(name) if name.strip_suffix("_FILE") == Some(HOOK_KEY) => {
                file = Some(KeyText::File(value.into()));
            }
            Some(_) | None => {}
        }
    }
    text.or(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_from_their_variables_and_from_no_others() {
        let all = [
            ("OPENAI_API_KEY", "sk-0123"),
            ("OPENAI_API_KEY_FILE", "/run/openai"),
            ("GROQ_API_KEY", ""),
            ("GROQ_API_KEY_FILE", "/run/groq"),
            ("DORMOUSE_KEY_ACME", "sk-4567"),
            ("DORMOUSE_KEY_", "sk-nobody"),
            ("OTHER_API_KEY", "sk-other"),
        ];
        let found = find(all.into_iter().map(|(name, value)| (name.into(), value.into())));
        assert!(!format!("{found:?}").contains("sk-"), "{found:?}");
        let file = |name: &str, path: &str| KeyVariable {
            name: name.into(),
            key: KeyText::File(path.into()),
        };
        let text = |name: &str, text: &str| KeyVariable {
            name: name.into(),
            key: KeyText::Text(text.into()),
        };
        let expected = [
            text("DORMOUSE_KEY_ACME", "sk-4567"),
            file("GROQ_API_KEY", "/run/groq"),
            text("OPENAI_API_KEY", "sk-0123"),
        ];
        assert_eq!(found, expected);
    }
}
