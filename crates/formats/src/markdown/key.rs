//! Keys that stay the same when other parts of the file are edited.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_types::hash::sha256;

/// Units: characters. A longer part becomes a prefix and a hash of the whole.
const PART: usize = 120;

/// Folds text so that a change of case or spacing does not change the key.
///
/// Shape: no `/`, `#` or `@`, which separate the parts of a key.
pub(crate) fn fold(text: &str) -> String {
    let words: Vec<_> = text.split_whitespace().collect();
    let folded = words.join(" ").to_lowercase();
    let part = if folded.chars().count() > PART {
        let hash = sha256(&folded);
        let short: String = folded.chars().take(PART - 20).collect();
        format!("{short}…{}", &hash.as_str()[..16])
    } else {
        folded
    };
    // Percent signs too, so that two texts never get the same key.
    part.replace('%', "%25").replace('/', "%2f").replace('#', "%23").replace('@', "%40")
}

/// Numbers equal keys in order of appearance.
#[derive(Default)]
pub(crate) struct Counter {
    numbers: BTreeMap<String, usize>,
    /// Keys that the text itself gives.
    own: BTreeSet<String>,
}

impl Counter {
    /// Returns `base#n` for the n-th use of `base`.
    pub fn next(&mut self, base: String) -> String {
        let n = self.numbers.entry(base.clone()).or_default();
        loop {
            *n += 1;
            let key = format!("{base}#{n}");
            if !self.own.contains(&key) {
                return key;
            }
        }
    }

    /// Takes a key that the text itself gives; none if it is taken already.
    pub fn own(&mut self, key: &str) -> Option<String> {
        let is_numbered = key.rsplit_once('#').is_some_and(|(base, n)| {
            let used = self.numbers.get(base).copied().unwrap_or(0);
            n.parse().is_ok_and(|n: usize| n <= used)
        });
        let is_free = !is_numbered && !key.is_empty() && self.own.insert(key.to_owned());
        is_free.then(|| key.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_texts_never_share_a_key() {
        assert_eq!(fold("A  b\tC"), fold("a b c"));
        assert_ne!(fold("a/b"), fold("a%2fb"));
        let long = "word ".repeat(60);
        assert_ne!(fold(&format!("{long}one")), fold(&format!("{long}two")));
        assert!(fold(&long).chars().count() <= PART);
    }

    #[test]
    fn equal_keys_are_counted_in_order() {
        let mut counter = Counter::default();
        assert_eq!(counter.next("a".into()), "a#1");
        assert_eq!(counter.next("b".into()), "b#1");
        assert_eq!(counter.next("a".into()), "a#2");
        assert_eq!(counter.own("a#3"), Some("a#3".to_owned()));
        assert_eq!((counter.own("a#3"), counter.own("b#1"), counter.own("")), (None, None, None));
        assert_eq!(counter.next("a".into()), "a#4");
    }
}
