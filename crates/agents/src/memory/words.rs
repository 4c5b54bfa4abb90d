//! Words that are removed wherever they stand: in which forms they are looked for, and what is left of
//! a text without them.

use std::collections::BTreeSet;
use std::ops::Range;

use dormouse_types::fold::folded;
pub use dormouse_types::memory::REMOVED as MARK;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Units: characters. Shorter words are parts of too many others to be looked for by themselves.
pub const SHORTEST: usize = 8;
/// Units: characters. Shorter sentences of a text are searched for only where another part of it was found.
const SHORTEST_SENTENCE: usize = 24;
/// The most sentences of one text that are looked for by themselves.
const SENTENCES: usize = 64;

/// Words in all forms in which rows may have them, longest first.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Stored")]
pub struct Words {
    /// Looked for in every text.
    anywhere: Vec<String>,
    /// Looked for in texts that have others of these words: alone they could be anybody's.
    #[serde(rename = "beside")]
    with_others: Vec<String>,
}

/// Words as they are stored with a removal that goes on.
#[derive(Deserialize)]
#[serde(untagged)]
enum Stored {
    /// Before short sentences were looked for.
    Anywhere(Vec<String>),
    Both {
        anywhere: Vec<String>,
        #[serde(rename = "beside")]
        with_others: Vec<String>,
    },
}

impl From<Stored> for Words {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::Anywhere(anywhere) => Self { anywhere, with_others: Vec::new() },
            Stored::Both { anywhere, with_others } => Self { anywhere, with_others },
        }
    }
}

impl Words {
    /// Takes texts that are looked for as a whole, and texts whose sentences are looked for as well.
    pub fn new(whole: &[String], quoted: &[String]) -> Self {
        let sentences =
            quoted.iter().flat_map(|text| sentences_of(text, SHORTEST_SENTENCE..usize::MAX));
        let all = whole.iter().chain(quoted).map(String::as_str).chain(sentences);
        let short = quoted.iter().flat_map(|text| sentences_of(text, SHORTEST..SHORTEST_SENTENCE));
        Self { anywhere: forms(all), with_others: forms(short) }
    }

    /// Returns whether there is nothing to look for.
    pub fn is_empty(&self) -> bool {
        self.anywhere.is_empty()
    }

    /// Returns whether a text has any of the words.
    pub fn are_in(&self, text: &str) -> bool {
        self.anywhere.iter().any(|form| text.contains(form.as_str()))
    }

    /// Returns a text without the words; `None` if it has none of them. What was JSON is JSON
    /// afterwards.
    pub fn removed_from(&self, text: &str) -> Option<String> {
        let plain = self.replaced(text)?;
        let is_json = |text: &str| serde_json::from_str::<Value>(text).is_ok();
        if !text.starts_with(['{', '[']) || !is_json(text) || is_json(&plain) {
            return Some(plain);
        }
        // A form began inside of an escape sequence.
        let mut value = serde_json::from_str(text).ok()?;
        if !self.remove_from_value(&mut value) {
            return None;
        }
        serde_json::to_string(&value).ok()
    }

    fn replaced(&self, text: &str) -> Option<String> {
        let left = without(&self.anywhere, text)?;
        Some(without(&self.with_others, &left).unwrap_or(left))
    }

    /// Returns whether a text in the value had any of the words.
    fn remove_from_value(&self, value: &mut Value) -> bool {
        match value {
            Value::String(text) => {
                let left = self.replaced(text);
                let has_any = left.is_some();
                *text = left.unwrap_or_else(|| std::mem::take(text));
                has_any
            }
            Value::Array(values) => {
                // Each of them, so not `any`, which would stop at the first.
                let removed =
                    values.iter_mut().filter_map(|one| self.remove_from_value(one).then_some(()));
                removed.count() > 0
            }
            Value::Object(members) => {
                let removed = members
                    .values_mut()
                    .filter_map(|one| self.remove_from_value(one).then_some(()));
                removed.count() > 0
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => false,
        }
    }
}

/// Returns a text without some words; `None` if it has none of them.
fn without(forms: &[String], text: &str) -> Option<String> {
    let mut left: Option<String> = None;
    for form in forms {
        let current = left.as_deref().unwrap_or(text);
        if current.contains(form.as_str()) {
            left = Some(current.replace(form.as_str(), MARK));
        }
    }
    left
}

/// The forms in which rows may have some texts, longest first.
fn forms<'a>(texts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut forms = BTreeSet::new();
    for text in texts.map(str::trim).filter(|text| text.chars().count() >= SHORTEST) {
        let plain = text.replace("<\u{200b}", "<");
        for form in [text.to_owned(), folded(&plain), plain] {
            let in_json = escaped(&form);
            forms.insert(escaped(&in_json));
            forms.insert(in_json);
            forms.insert(form);
        }
    }
    let mut forms: Vec<String> = forms.into_iter().collect();
    forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
    forms
}

/// A text as it is written between the quotes of a JSON string.
fn escaped(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap_or_default();
    quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default().to_owned()
}

/// The sentences of a text that are so long; of too many, the longest.
fn sentences_of(text: &str, length: Range<usize>) -> Vec<&str> {
    let ends = |c: char| matches!(c, '\n' | '.' | '!' | '?' | '。' | '！' | '？');
    let all = text.split_inclusive(ends).map(|one| one.trim().trim_end_matches(ends));
    let mut all: Vec<&str> = all.filter(|one| length.contains(&one.chars().count())).collect();
    all.sort_by_key(|one| std::cmp::Reverse(one.len()));
    all.truncate(SENTENCES);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(words: &str, text: &str, expected: Option<&str>) {
        let words = Words::new(&[], &[words.to_owned()]);
        assert_eq!(words.removed_from(text).as_deref(), expected, "{words:?}");
    }

    #[test]
    fn words_are_found_as_written_folded_and_inside_of_json() {
        check("The PIN is 1234", "Note: The PIN is 1234.", Some("Note: [removed]."));
        check("The PIN is 1234", "note: the pin is 1234", Some("note: [removed]"));
        check(
            "a \"quoted\" pin",
            r#"{"text":"a \"quoted\" pin"}"#,
            Some(r#"{"text":"[removed]"}"#),
        );
        let twice =
            serde_json::json!({ "a": serde_json::json!({ "b": "a \"quoted\" pin" }).to_string() });
        check("a \"quoted\" pin", &twice.to_string(), Some(r#"{"a":"{\"b\":\"[removed]\"}"}"#));
        check("The PIN is 1234", "Nothing of it", None);
    }

    #[test]
    fn a_long_sentence_of_a_text_is_found_without_the_rest() {
        let text = "We met. The code of the safe is under the lamp! Ok.";
        check(
            text,
            "It said: The code of the safe is under the lamp.",
            Some("It said: [removed]."),
        );
        check(text, "We met.", None);
    }

    #[test]
    fn a_short_sentence_of_a_text_is_found_with_the_rest() {
        let text = "Bring a rope. The code of the safe is under the lamp.";
        check(
            text,
            "The code of the safe is under the lamp; bring a rope",
            Some("[removed]; [removed]"),
        );
        check(text, "Bring a rope.", None);
    }

    #[test]
    fn words_of_a_removal_that_an_older_version_began_are_read() {
        let words: Words = serde_json::from_str(r#"["The PIN is 1234"]"#).expect("words");
        assert_eq!(words.removed_from("The PIN is 1234").as_deref(), Some("[removed]"));
        let stored = serde_json::to_string(&words).expect("JSON");
        assert_eq!(serde_json::from_str::<Words>(&stored).expect("words"), words);
    }

    #[test]
    fn words_that_are_too_short_are_not_looked_for() {
        assert!(Words::new(&["Call Bo".into()], &["Bank".into()]).is_empty());
    }

    #[test]
    fn what_was_json_stays_json_where_words_begin_inside_of_an_escape() {
        check("nothing to do here", r#"{"a":"\nothing to do here"}"#, None);
        let json = serde_json::json!({ "a": "line\nn is the secret" }).to_string();
        let words = Words::new(&["n is the secret".into()], &[]);
        let left = words.removed_from(&json).expect("found");
        assert_eq!(serde_json::from_str::<Value>(&left).expect("JSON")["a"], "line\n[removed]");
        let words = Words::new(&["nn is the secret".into()], &[]);
        assert_eq!(words.removed_from(&json), None, "the n of the escape is no letter");
    }
}
