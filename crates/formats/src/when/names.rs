//! Names and numbers of other things that have the form of a date: streets, titles of works, versions, papers.

use super::figure::Figure;
use super::grammar::{Parser, PointHit};
use super::table::{Key, List};
use super::token::Kind as TokenKind;
use super::words::Means;

impl Parser<'_> {
    /// "Rue du 4 septembre", "calle 2 de mayo": the day is the name of a street or square.
    pub(super) fn names_street(&self, point: &PointHit) -> bool {
        // "Du 8 mai 1945": what is left of it after the day is part of the name as well.
        let start = match point.means {
            Some(Means::DayMonth) => point.start,
            Some(Means::Month)
                if point.start.checked_sub(1).is_some_and(|at| self.is_bare_number(at)) =>
            {
                point.start - 1
            }
            _ => return false,
        };
        let before = start.checked_sub(1);
        let link = before.filter(|&at| self.matcher.is_in(at, List::StreetLink));
        let street = match link {
            Some(link) => link.checked_sub(1),
            None => before,
        };
        !point.has_time && street.is_some_and(|at| self.matcher.is_in(at, List::Street))
    }

    /// "Saturday Night Fever", "The Thursday Murder Club": a weekday among words with capitals is part of
    /// the name of a film, a song or a group.
    pub(super) fn names_work(&self, point: &PointHit) -> bool {
        if self.table.words.nouns_have_capitals || point.means != Some(Means::Weekday) {
            return false;
        }
        let is_titled = |at: usize| {
            !self.matcher.is_in(at, List::Function)
                && self.matcher.token(at).is_some_and(|token| {
                    let text = self.matcher.tokens.text_of(token);
                    matches!(token.class, TokenKind::Word { .. })
                        && text.starts_with(char::is_uppercase)
                })
        };
        let day = point.start;
        let is_part = point.end == day + 2 && point.caught.shift.is_none();
        let has_part = is_part && is_titled(day) && is_titled(day + 1) && is_titled(point.end);
        let has_article = point.end == day + 1
            && day.checked_sub(1).is_some_and(|at| self.matcher.is_in(at, List::Article))
            && is_titled(day)
            && is_titled(day + 1)
            && is_titled(day + 2);
        has_part || has_article
    }

    /// "The Day After Tomorrow", "The Nightmare Before Christmas": in the middle of a sentence, an article with a
    /// capital begins a name, which goes on as long as the words have capitals. It is one only if a small word
    /// of the date has a capital too, for "The Ivy Friday" is a place and a day; and not where small words
    /// have capitals anyway.
    pub(super) fn is_in_title(&self, point: &PointHit) -> bool {
        if self.table.words.nouns_have_capitals {
            return false;
        }
        let is_small = |at: usize| {
            self.matcher.entry(at).senses.is_empty()
                && (self.matcher.is_in(at, List::Function) || self.matcher.is_in(at, List::Article))
        };
        // "I" always has one.
        let is_capital = |at: usize| {
            self.matcher.token(at).is_some_and(|token| {
                token.end - token.start > 1
                    && matches!(token.class, TokenKind::Word { .. })
                    && self.matcher.tokens.text_of(token).starts_with(char::is_uppercase)
            })
        };
        let is_article = |at: usize| self.matcher.is_in(at, List::Article) && is_capital(at);
        if !(point.start..point.end).all(is_capital) {
            return false;
        }
        let before = |from: usize| (0..from).rev().take_while(|at| is_capital(*at));
        let Some(begin) = std::iter::once(point.start)
            .chain(before(point.start))
            .find(|at| is_article(*at) && !self.is_first(*at))
        else {
            return false;
        };
        let joint = point.start.saturating_sub(1).max(begin + 1);
        let has_small = (joint..point.end).any(is_small);
        let is_usual = self
            .clause_before(begin)
            .any(|at| is_small(at) && is_capital(at) && !self.is_first(at));
        has_small && !is_usual
    }

    /// "Invoice 11/2026", "ticket no. 4/2019": the number of a paper.
    pub(super) fn numbers_paper(&self, start: usize) -> bool {
        let before = start.checked_sub(1);
        let word = match before {
            Some(at) if self.matcher.is_mark(at, &['.', ':']) => at.checked_sub(1),
            before => before,
        };
        let is_number_sign =
            |at: usize| ["n°", "nº", "№"].iter().any(|sign| self.is_word(at, sign));
        word.is_some_and(|at| self.matcher.is_in(at, List::Paper) || is_number_sign(at))
    }

    /// "In 12.4 before 12.5": a figure of the same major version came before in the clause, and is no date.
    pub(super) fn follows_version(&self, point: &PointHit, figure: Figure) -> bool {
        let is_short = |figure: Figure| figure.sign == '.' && figure.lengths[2] == 0;
        let mut earlier = self.clause_before(point.start).filter_map(|at| {
            match self.matcher.token(at).map(|token| token.class) {
                Some(TokenKind::Figure(figure)) => Some((at, figure)),
                _ => None,
            }
        });
        is_short(figure)
            && earlier.any(|(at, other)| {
                is_short(other)
                    && !other.is_closed
                    && other.parts[0] == figure.parts[0]
                    && other.parts[1] != figure.parts[1]
                    && !self.is_dated(at)
            })
    }

    /// Whether a word right before a figure makes it a date: "on 12.4", but not "in 12.4".
    fn is_dated(&self, at: usize) -> bool {
        let Some(before) = at.checked_sub(1) else { return false };
        let is_lead = match self.matcher.token(before).map(|token| token.class) {
            Some(TokenKind::Word { id, .. }) => {
                self.table.leads.beginning_with(Key::Word(id)).next().is_some()
            }
            _ => false,
        };
        is_lead && !self.is_word(before, "in") && !self.is_word(before, "at")
    }

    /// "Bump from 2.3 to 2.4": a range of figures after a word that makes the first one a part of something.
    pub(super) fn is_row_of_versions(&self, first: &PointHit, second: &PointHit) -> bool {
        let is_short = |point: &PointHit| {
            point.means == Some(Means::Figure)
                && point.caught.figure.is_some_and(|figure| {
                    figure.sign == '.' && figure.lengths[2] == 0 && !figure.is_closed
                })
        };
        let named = first.start.checked_sub(2);
        is_short(first)
            && is_short(second)
            && named.is_some_and(|at| self.matcher.is_in(at, List::Reference))
    }
}
