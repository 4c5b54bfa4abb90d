//! Keys that stay the same when other parts of the file are edited.

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use crate::intake::fold;

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
