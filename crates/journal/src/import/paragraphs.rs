//! One entry of a file as the entries here that it consists of.
//!
//! In Markdown nothing sets one entry without a day off from the one above it, so they come back as one.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::content::Entry;

/// The entries here, found by the words of their paragraphs.
///
/// Runs of paragraphs are compared by a hash, so that a place in a file costs a look-up for each number of paragraphs
/// that an entry beginning there may have, however long the entries are.
pub(super) struct Known {
    wholes: HashSet<String>,
    /// A number for the words of each paragraph.
    numbers: HashMap<String, u64>,
    /// Entries by the hash of their paragraphs.
    entries: HashMap<u64, Vec<Vec<u64>>>,
    /// How many paragraphs the entries have that begin with one.
    lengths: HashMap<u64, BTreeSet<usize>>,
}

/// The number of a paragraph that no entry here has.
const UNKNOWN: u64 = 0;

/// Odd and large, so that the powers of it spread over all 64 bits.
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;

impl Known {
    pub(super) fn new(texts: &[String]) -> Self {
        let wholes = texts.iter().map(|text| words(text)).collect();
        let (mut numbers, mut entries) = (HashMap::new(), HashMap::<u64, Vec<Vec<u64>>>::new());
        let mut lengths = HashMap::<u64, BTreeSet<usize>>::new();
        for text in texts {
            let mut entry = Vec::new();
            for paragraph in paragraphs(text) {
                let next = numbers.len() as u64 + 1;
                entry.push(*numbers.entry(words(paragraph)).or_insert(next));
            }
            let Some(first) = entry.first() else { continue };
            lengths.entry(*first).or_default().insert(entry.len());
            entries.entry(Run::new(&entry).hash(0, entry.len())).or_default().push(entry);
        }
        Self { wholes, numbers, entries, lengths }
    }

    /// The entry as those here that it consists of, and what is between them. One that is here as it is stays whole.
    pub(super) fn apart(&self, entry: Entry) -> Vec<Entry> {
        let whole = [entry.text.as_str(), undated(&entry)].map(words);
        if whole.iter().any(|words| self.wholes.contains(words)) {
            return vec![entry];
        }
        let all = paragraphs(&entry.text);
        let number = |words: &str| self.numbers.get(words).copied().unwrap_or(UNKNOWN);
        let run = Run::new(&all.iter().map(|text| number(&words(text))).collect::<Vec<_>>());
        let mut parts: Vec<String> = Vec::new();
        let (mut at, mut is_open) = (0, false);
        while at < all.len() {
            let first = Entry { text: all[at].to_owned(), ..entry.clone_without_text() };
            let first = number(&words(undated(&first)));
            let found = self.longest(&run, at, first);
            let next = all[at..at + found.unwrap_or(1)].join("\n\n");
            match parts.last_mut().filter(|_| found.is_none() && is_open) {
                Some(last) => {
                    last.push_str("\n\n");
                    last.push_str(&next);
                }
                None => parts.push(next),
            }
            is_open = found.is_none();
            at += found.unwrap_or(1);
        }
        let part = |(n, text): (usize, String)| match n {
            0 => Entry { text, ..entry.clone_without_text() },
            n => Entry {
                key: format!("{}/{}", entry.key, n + 1),
                text,
                on: None,
                ..entry.clone_without_text()
            },
        };
        parts.into_iter().enumerate().map(part).collect()
    }

    /// How many paragraphs the longest entry here has that begins at a place, with its first paragraph as it is or
    /// without the day before it.
    fn longest(&self, run: &Run, at: usize, undated: u64) -> Option<usize> {
        let firsts = BTreeSet::from([run.numbers[at], undated]);
        let of = |first: u64| self.tries(run, at, first).find(|&n| self.has(run, at, first, n));
        firsts.into_iter().filter_map(of).max()
    }

    /// The numbers of paragraphs that an entry with this first one may have here, the longest first.
    fn tries(&self, run: &Run, at: usize, first: u64) -> impl Iterator<Item = usize> {
        let most = run.numbers.len() - at;
        let lengths = self.lengths.get(&first).into_iter();
        lengths.flat_map(move |lengths| lengths.range(..=most).rev().copied())
    }

    fn has(&self, run: &Run, at: usize, first: u64, n: usize) -> bool {
        let hash = run.hash_with(first, at, n);
        let is_same =
            |entry: &Vec<u64>| entry.len() == n && entry[1..] == run.numbers[at + 1..at + n];
        self.entries
            .get(&hash)
            .is_some_and(|entries| entries.iter().any(|entry| entry[0] == first && is_same(entry)))
    }
}

/// Paragraphs by their numbers, with a hash of each run of them.
struct Run {
    numbers: Vec<u64>,
    /// The hash of all before a place.
    before: Vec<u64>,
    powers: Vec<u64>,
}

impl Run {
    fn new(numbers: &[u64]) -> Self {
        let (mut before, mut powers) = (vec![0_u64], vec![1_u64]);
        for (at, number) in numbers.iter().enumerate() {
            before.push(before[at].wrapping_mul(BASE).wrapping_add(*number));
            powers.push(powers[at].wrapping_mul(BASE));
        }
        Self { numbers: numbers.to_vec(), before, powers }
    }

    fn hash(&self, at: usize, n: usize) -> u64 {
        self.before[at + n].wrapping_sub(self.before[at].wrapping_mul(self.powers[n]))
    }

    /// The hash of a run with another first paragraph.
    fn hash_with(&self, first: u64, at: usize, n: usize) -> u64 {
        first.wrapping_mul(self.powers[n - 1]).wrapping_add(self.hash(at + 1, n - 1))
    }
}

/// The paragraphs of a text.
fn paragraphs(text: &str) -> Vec<&str> {
    text.split("\n\n").filter(|part| !part.trim().is_empty()).collect()
}

/// The text without the day that a Markdown export puts before it.
pub(super) fn undated(entry: &Entry) -> &str {
    let day = entry.on.map(|day| format!("{day}:"));
    let rest = day.and_then(|day| entry.text.trim_start().strip_prefix(&day));
    rest.map_or(entry.text.as_str(), str::trim_start)
}

/// The words of a text, whatever the level of its headings and the space around them.
pub(super) fn words(text: &str) -> String {
    let words = text.lines().flat_map(|line| line.trim_start_matches('#').split_whitespace());
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn entry(text: String) -> Entry {
        let (key, on) = ("e".to_owned(), Some("2026-12-01".parse().unwrap()));
        Entry {
            key,
            text,
            on,
            kind: dormouse_types::task::EntryKind::Text,
            flags: Default::default(),
        }
    }

    fn texts(known: &Known, text: String) -> Vec<String> {
        known.apart(entry(text)).into_iter().map(|entry| entry.text).collect()
    }

    /// The same by comparing every run of paragraphs with every entry.
    fn by_trying_all(here: &[String], text: &str) -> Vec<String> {
        let entry = entry(text.to_owned());
        if here.iter().any(|h| [text, undated(&entry)].map(words).contains(&words(h))) {
            return vec![text.to_owned()];
        }
        let all = paragraphs(text);
        let mut parts: Vec<(String, bool)> = Vec::new();
        let mut at = 0;
        while at < all.len() {
            let found = (1..=all.len() - at).rev().find(|&n| {
                let part = Entry { text: all[at..at + n].join("\n\n"), ..entry.clone() };
                let each = |text: &str| paragraphs(text).into_iter().map(words).collect::<Vec<_>>();
                let part = [part.text.as_str(), undated(&part)].map(each);
                here.iter().any(|h| part.contains(&each(h)))
            });
            let next = all[at..at + found.unwrap_or(1)].join("\n\n");
            match parts.last_mut() {
                Some((last, false)) if found.is_none() => *last = format!("{last}\n\n{next}"),
                _ => parts.push((next, found.is_some())),
            }
            at += found.unwrap_or(1);
        }
        parts.into_iter().map(|(text, _)| text).collect()
    }

    fn text() -> impl Strategy<Value = String> {
        let paragraph =
            prop::sample::select(vec!["a", "b", "# a", "2026-12-01: a", "a  b", "c\nd"]);
        prop::collection::vec(paragraph, 1..7).prop_map(|parts| parts.join("\n\n"))
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_text_comes_apart_as_if_every_run_of_paragraphs_were_tried(
            here in prop::collection::vec(text(), 0..5),
            text in text(),
        ) {
            prop_assert_eq!(texts(&Known::new(&here), text.clone()), by_trying_all(&here, &text));
        }
    }

    #[test]
    fn a_long_entry_is_looked_up_once_for_each_place() {
        let n = 30_000;
        for paragraph in ["a", "b"] {
            let here = [vec!["a"; n].join("\n\n"), vec!["a"; n / 2].join("\n\n")];
            let known = Known::new(&here);
            let numbers = vec![known.numbers.get(paragraph).copied().unwrap_or(UNKNOWN); n];
            let run = Run::new(&numbers);
            let tries: usize = (0..n).map(|at| known.tries(&run, at, numbers[at]).count()).sum();
            assert!(tries <= here.len() * n, "{tries}");
        }
        // Almost everything of the longest entry is at each place, and nothing is found.
        let here = [[vec!["a"; n].join("\n\n"), "z".to_owned()].join("\n\n")];
        assert_eq!(texts(&Known::new(&here), vec!["a"; n + 5].join("\n\n")).len(), 1);
    }
}
