//! Readable names for ids and hashes, by first appearance: two runs that differ only in their ids
//! read the same.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_types::id::PREFIXES;

/// Gives names and remembers them.
#[derive(Debug, Default)]
pub struct Names {
    given: BTreeMap<String, String>,
    count: BTreeMap<String, usize>,
    hashes: BTreeSet<String>,
}

impl Names {
    /// Replaces every id and every hash of a text.
    ///
    /// An id becomes its prefix and a number (`jt-1`); a hash of 64 digits `#1`, and its first
    /// eight digits the same where they stand alone.
    pub fn in_text(&mut self, text: &str) -> String {
        let words = text.split(|c: char| !c.is_ascii_alphanumeric());
        let hashes = words.filter(|word| word.len() == 64 && is_hex(word));
        self.hashes.extend(hashes.map(ToOwned::to_owned));
        let mut out = String::with_capacity(text.len());
        let mut word = String::new();
        for c in text.chars() {
            if c.is_ascii_alphanumeric() || c == '-' {
                word.push(c);
                continue;
            }
            out.push_str(&self.word(&word));
            word.clear();
            out.push(c);
        }
        out.push_str(&self.word(&word));
        out
    }

    fn word(&mut self, word: &str) -> String {
        if let Some((prefix, rest)) = word.split_once('-')
            && rest.len() == 26
            && PREFIXES.iter().any(|(known, _)| *known == prefix)
        {
            return self.name(word, &format!("{prefix}-"));
        }
        if word.len() == 64 && is_hex(word) {
            return self.name(word, "#");
        }
        if word.len() == 8 && is_hex(word) {
            let whole = self.hashes.iter().find(|hash| hash.starts_with(word)).cloned();
            if let Some(whole) = whole {
                return self.name(&whole, "#");
            }
        }
        word.to_owned()
    }

    fn name(&mut self, id: &str, stem: &str) -> String {
        if let Some(name) = self.given.get(id) {
            return name.clone();
        }
        let count = self.count.entry(stem.to_owned()).or_default();
        *count += 1;
        let name = format!("{stem}{count}");
        self.given.insert(id.to_owned(), name.clone());
        name
    }
}

fn is_hex(word: &str) -> bool {
    word.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_numbered_as_they_appear_and_keep_their_names() {
        let (a, b) = ("a".repeat(26), "b".repeat(26));
        let hash = "0123456789abcdef".repeat(4);
        let mut names = Names::default();
        let text = format!("jt-{b} and jt-{a}, su-{a}; fp=01234567 ({hash}), jt-{b}!");
        assert_eq!(names.in_text(&text), "jt-1 and jt-2, su-1; fp=#1 (#1), jt-1!");
        assert_eq!(names.in_text(&format!("jt-{a}")), "jt-2");
    }

    #[test]
    fn what_is_no_id_stays() {
        let mut names = Names::default();
        let text = "2026-03-20, a well-known word, zz-01234567890123456789012345, deadbeef";
        assert_eq!(names.in_text(text), text);
    }
}
