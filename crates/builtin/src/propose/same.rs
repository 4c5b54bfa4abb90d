//! Decides when two titles mean the same work.

use super::words::{Class, tokens};
use crate::lang::Lang;
use crate::read::fold::{content_words, fold, shared};

/// A title, reduced to what matters for comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    folded: String,
    stems: Vec<String>,
    particles: Vec<String>,
    /// Stems that contain a digit, in order.
    numbers: Vec<String>,
}

impl Key {
    /// Reads a title. A number before it ("2.19 ") is ignored.
    pub fn of(title: &str, lang: &Lang) -> Self {
        let title = without_numbering(title);
        let folded = fold(title).trim_matches(|c: char| !c.is_alphanumeric()).to_owned();
        // Only a title with such a word needs a closer look.
        let has_particle = folded.split(' ').any(|word| {
            lang.propose.item.opposites.iter().any(|(one, other)| word == *one || word == *other)
        });
        let particles = if has_particle { tokens(title) } else { Vec::new() };
        let particles = particles
            .into_iter()
            .filter(|t| t.class == Class::Word)
            .map(|t| t.word)
            .filter(|word| {
                lang.propose.item.opposites.iter().any(|(one, other)| word == one || word == other)
            })
            .collect();
        let stems = content_words(title, lang);
        let mut numbers: Vec<String> =
            stems.iter().filter(|s| s.chars().any(|c| c.is_ascii_digit())).cloned().collect();
        numbers.sort();
        Self { folded, stems, particles, numbers }
    }

    /// Returns whether two titles mean the same work: all but one word in five are the same, the
    /// numbers agree, and nothing is reversed.
    pub fn is(&self, other: &Self, lang: &Lang) -> bool {
        if self.folded == other.folded {
            return !self.folded.is_empty();
        }
        // Most pairs differ in numbers or length; comparing words is slower.
        let (few, many) =
            (self.stems.len().min(other.stems.len()), self.stems.len().max(other.stems.len()));
        if few == 0 || self.numbers != other.numbers || few * 5 < many * 4 {
            return false;
        }
        let n_shared = shared(&self.stems, &other.stems);
        let n_all = self.stems.len() + other.stems.len() - n_shared;
        n_shared * 5 >= n_all * 4 && !self.is_opposite(other, lang)
    }

    /// Returns whether this title contains everything in the other one, and the other one is
    /// specific.
    pub fn covers(&self, other: &Self, lang: &Lang) -> bool {
        other.stems.len() >= 3
            && other.numbers.iter().all(|number| self.numbers.contains(number))
            && shared(&other.stems, &self.stems) == other.stems.len()
            && !self.is_opposite(other, lang)
    }

    /// Returns whether the title names nothing.
    pub fn is_empty(&self) -> bool {
        self.stems.is_empty()
    }

    /// Returns whether one switches on what the other switches off.
    pub fn is_opposite(&self, other: &Self, lang: &Lang) -> bool {
        let only = |key: &Self, has: &str, lacks: &str| {
            key.particles.iter().any(|p| p == has) && !key.particles.iter().any(|p| p == lacks)
        };
        lang.propose.item.opposites.iter().any(|(one, two)| {
            only(self, one, two) && only(other, two, one)
                || only(self, two, one) && only(other, one, two)
        })
    }
}

/// Removes "2.19 ", "3. " or "4) " from the start of a title.
pub fn without_numbering(title: &str) -> &str {
    let title = title.trim();
    let end = title.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ')'))).unwrap_or(0);
    let (number, rest) = title.split_at(end);
    let is_numbering = number.starts_with(|c: char| c.is_ascii_digit())
        && number.contains(['.', ')'])
        && rest.starts_with(char::is_whitespace);
    if is_numbering { rest.trim_start() } else { title }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::en::EN;

    #[test]
    fn titles_compare_by_what_they_say() {
        for (one, other, expected) in [
            ("Book the hall", "book a hall.", true),
            ("2.19 Commit phase 1", "Commit phase 1", true),
            ("Commit phase 1", "Commit phase 2", false),
            ("Switch the heating on", "Switch the heating off", false),
            ("Call Anna", "Call Ben", false),
            ("Sort photos of the summer trip", "Sort the photos of our summer trip", true),
            ("Do it", "Do it!", true),
            ("Move files from A12 to B7", "Move files from A12", false),
        ] {
            assert_eq!(
                Key::of(one, &EN).is(&Key::of(other, &EN), &EN),
                expected,
                "{one} / {other}"
            );
        }
    }

    #[test]
    fn a_longer_wording_covers_a_particular_title() {
        let covers = |long: &str, short: &str| Key::of(long, &EN).covers(&Key::of(short, &EN), &EN);
        assert!(covers("Repaint the garden fence green, so it lasts", "Repaint the garden fence"));
        assert!(!covers("Call the bank about the loan", "Call the bank"));
    }
}
