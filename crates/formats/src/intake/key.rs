//! Keys of tasks and items that a format gives no id.

use std::collections::{BTreeMap, BTreeSet};

use dormouse_types::hash::sha256;

/// Units: characters. A longer part becomes a prefix and a hash of the whole.
const PART: usize = 120;

/// Folds text so that a change of case or spacing does not change the key.
///
/// Shape: no `/`, `#` or `@`, which separate the parts of a key.
pub(crate) fn fold(text: &str) -> String {
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let part = if folded.chars().count() > PART {
        let short: String = folded.chars().take(PART - 20).collect();
        format!("{short}…{}", &sha256(&folded).as_str()[..16])
    } else {
        folded
    };
    // Percent signs too, so that two texts never get the same key.
    part.replace('%', "%25").replace('/', "%2f").replace('#', "%23").replace('@', "%40")
}

/// Makes keys unique: the second use of a key gets the number 2.
///
/// The first stays as it is, so that an id that was written is the id that is read again.
#[derive(Debug, Default)]
pub(crate) struct Keys {
    used: BTreeSet<String>,
    counts: BTreeMap<String, usize>,
}

impl Keys {
    /// The key, with a number if it was used before.
    pub fn unique(&mut self, key: String) -> String {
        let n = self.counts.entry(key.clone()).or_default();
        loop {
            *n += 1;
            let next = if *n == 1 { key.clone() } else { format!("{key}#{n}") };
            if self.used.insert(next.clone()) {
                return next;
            }
        }
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
}
