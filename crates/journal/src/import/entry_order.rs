//! Which entry here an entry of a file is, where neither has the words of the other.
//!
//! Entries keep their order in an export. Of the ways to set what is left of both next to each other in that order,
//! the one is taken in which somebody did the least to the file. An entry that was changed here has
//! words in the file that nobody has any more, and took no change there.

use std::collections::HashSet;

use jiff::civil::Date;

use super::content::Entry;

/// An entry here that none of the file has the words of.
pub(super) struct Candidate<'a> {
    pub(super) words: &'a str,
    /// The day that it was given.
    pub(super) on: Option<Date>,
    pub(super) since: Since,
}

/// What was done here to an entry since the file was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Since {
    Nothing,
    Changed,
    Deleted,
}

/// The most pairs that are compared; with more, none is the other.
const PAIRS: usize = 40_000;

/// The most words of an entry that are compared.
const WORDS: usize = 200;

/// What was done to a file, and then how little what is taken for one has in common.
type Cost = (u32, u32);

/// The pairs of an entry of the file and one here, by their places.
pub(super) fn in_order(file: &[&Entry], here: &[Candidate<'_>]) -> Vec<(usize, usize)> {
    // As many on both sides: nothing was added or removed.
    if file.len() == here.len() && here.iter().all(|here| here.since != Since::Deleted) {
        return (0..file.len()).map(|at| (at, at)).collect();
    }
    if file.is_empty() || here.is_empty() || file.len().saturating_mul(here.len()) > PAIRS {
        return Vec::new();
    }
    let file_words: Vec<HashSet<&str>> = file.iter().map(|entry| some_words(&entry.text)).collect();
    let here_words: Vec<HashSet<&str>> = here.iter().map(|here| some_words(here.words)).collect();
    let pair = |f: usize, h: usize| pair_cost(file[f], &file_words[f], &here[h], &here_words[h]);
    // The least cost of what is left from a place in the file and one here.
    let mut least: Vec<Vec<(Cost, Step)>> =
        vec![vec![((0, 0), Step::End); here.len() + 1]; file.len() + 1];
    for f in (0..=file.len()).rev() {
        for h in (0..=here.len()).rev() {
            let pair = (f < file.len() && h < here.len()).then(|| pair(f, h)).flatten();
            let pair = pair.map(|cost| (sum(cost, least[f + 1][h + 1].0), Step::Pair));
            let added = (f < file.len()).then(|| (sum((1, 0), least[f + 1][h].0), Step::Added));
            let removed = (h < here.len()).then(|| (sum((1, 0), least[f][h + 1].0), Step::Removed));
            if let Some(best) = [pair, removed, added].into_iter().flatten().min_by_key(|it| it.0) {
                least[f][h] = best;
            }
        }
    }
    let (mut f, mut h, mut pairs) = (0, 0, Vec::new());
    loop {
        match least[f][h].1 {
            Step::Pair => {
                pairs.push((f, h));
                (f, h) = (f + 1, h + 1);
            }
            Step::Added => f += 1,
            Step::Removed => h += 1,
            Step::End => return pairs,
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Step {
    Pair,
    /// Somebody wrote it in the file.
    Added,
    /// Somebody took it out of the file.
    Removed,
    End,
}

fn sum(a: Cost, b: Cost) -> Cost {
    (a.0 + b.0, a.1 + b.1)
}

/// What it means that two are the same; none if they are not. A text that nobody changed here gives way to that of the
/// file, and one that is deleted here hides it, so both need words in common.
fn pair_cost(
    file: &Entry,
    file_words: &HashSet<&str>,
    here: &Candidate<'_>,
    here_words: &HashSet<&str>,
) -> Option<Cost> {
    if file.on.zip(here.on).is_some_and(|(file, here)| file != here) {
        return None;
    }
    let n_common = file_words.intersection(here_words).count();
    let n_all = file_words.len() + here_words.len();
    let is_like = n_common * 8 >= n_all;
    let unlike = 1_000 - n_common * 2_000 / n_all.max(1);
    let n_changes = match here.since {
        Since::Changed => 0,
        Since::Nothing | Since::Deleted if is_like => 1,
        Since::Nothing | Since::Deleted => return None,
    };
    Some((n_changes, u32::try_from(unlike).unwrap_or(0)))
}

fn some_words(text: &str) -> HashSet<&str> {
    text.split_whitespace().take(WORDS).collect()
}
