//! Finds where sentences end.

use super::dated;
use super::fold::{fold, words};
use crate::lang::{self, stops};

/// Splits a text into its sentences, without surrounding space.
///
/// Does not split after abbreviations, single letters and short numbers, inside code, link words
/// and parentheses, or before a lower-case letter.
pub fn sentences(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut start = 0;
    let mut brackets = Brackets::default();
    let is_small = is_small_style(text);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        brackets.pass(text, at, c);
        // These end a sentence without a space after them.
        if matches!(c, '。' | '！' | '？') && !brackets.are_open() {
            let end = at + c.len_utf8();
            push(&mut found, &text[start..end]);
            start = end;
            continue;
        }
        if !matches!(c, '.' | '!' | '?' | '…') {
            continue;
        }
        let mut end = at + c.len_utf8();
        let mut closed = false;
        while let Some(&(next_at, next)) = chars.peek() {
            if !is_closing(next) {
                break;
            }
            closed |= next == ')';
            brackets.pass(text, next_at, next);
            end = next_at + next.len_utf8();
            chars.next();
        }
        let rest = &text[end..];
        if !rest.starts_with(char::is_whitespace) || brackets.are_open() {
            continue;
        }
        let small = rest.trim_start().starts_with(char::is_lowercase);
        let goes_on = matches!(c, '.' | '…') && (!is_small || leans_back(rest));
        if small && (closed || goes_on) {
            continue;
        }
        if c == '.' && is_abbreviated(&text[start..at], rest) {
            continue;
        }
        push(&mut found, &text[start..end]);
        start = end;
    }
    push(&mut found, &text[start..]);
    found
}

/// Returns whether a text is written in small letters throughout, so that they begin sentences, too.
pub(super) fn is_small_style(text: &str) -> bool {
    let opens_small = text.chars().find(|c| c.is_alphabetic()).is_some_and(char::is_lowercase);
    let after_stop = |is: fn(char) -> bool| {
        text.match_indices(". ").any(|(at, _)| {
            text[at + 2..].starts_with(is)
                && !text[..at].ends_with(|c: char| c.is_ascii_digit())
                && !is_abbreviated(&text[..at], &text[at + 1..])
        })
    };
    // A name after a full stop says nothing: it is capital either way.
    after_stop(char::is_lowercase) && (opens_small || !after_stop(char::is_uppercase))
}

/// Returns whether a sentence says nothing without the one before: "opened it with oil".
fn leans_back(sentence: &str) -> bool {
    let mut words = sentence.split_whitespace().take(3).skip(1);
    words.any(|word| lang::ALL.iter().any(|lang| lang.settle.pronouns.contains(&word)))
}

/// Returns whether a sentence takes back the one before: "Hmm, no wait: …".
pub(super) fn takes_back(sentence: &str) -> bool {
    let folded = fold(sentence);
    let words: Vec<&str> = words(&folded).collect();
    let begins = |phrase: &str| phrase.split(' ').zip(&words).filter(|(a, b)| a == *b).count();
    lang::ALL
        .iter()
        .flat_map(|lang| lang.takes_back)
        .any(|phrase| begins(phrase) == phrase.split(' ').count())
}

fn push<'a>(found: &mut Vec<&'a str>, piece: &'a str) {
    let piece = piece.trim();
    if piece.chars().any(char::is_alphanumeric) {
        found.push(piece);
    }
}

fn is_closing(c: char) -> bool {
    matches!(c, '.' | '!' | '?' | '…' | '"' | '\'' | ')' | ']' | '”' | '’' | '»' | '*' | '_' | '`')
}

/// Returns whether the full stop after `text` belongs to its last word and ends no sentence: that of an
/// abbreviation, or of a day such as "31.1." before a word in small letters.
pub fn keeps_stop(text: &str, rest: &str) -> bool {
    let word = text.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or_default();
    let n_digits = word.chars().filter(char::is_ascii_digit).count();
    let is_figure = (1..=4).contains(&n_digits)
        && word.chars().all(|c| c.is_ascii_digit() || c == '.')
        && (word.contains('.') || n_digits < 3);
    let goes_on = |c: char| c.is_lowercase() || c.is_ascii_digit();
    rest.starts_with(char::is_whitespace)
        && (is_abbreviated(text, rest) || is_figure && rest.trim_start().starts_with(goes_on))
}

/// Returns whether the full stop after `text` belongs to its last word.
fn is_abbreviated(text: &str, rest: &str) -> bool {
    let word = text
        .rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | '.' | '*' | '_'))
        .next()
        .unwrap_or_default();
    // "48 h." and "300 ms." end a sentence before a capital letter.
    let counts = text[..text.len() - word.len()].trim_end().ends_with(|c: char| c.is_ascii_digit());
    if counts && rest.trim_start().starts_with(char::is_uppercase) {
        return dated::opens_with_month(rest);
    }
    let n_chars = word.chars().count();
    if n_chars == 1 && word.chars().all(char::is_alphabetic) && word != "I" {
        return true;
    }
    // "1." starts a line, precedes a month or follows "am"; any other number may end a sentence.
    if (1..=2).contains(&n_chars) && word.chars().all(|c| c.is_ascii_digit()) {
        let before = &text[..text.len() - word.len()];
        return before.is_empty() || dated::opens_with_month(rest) || is_ordinal(before, rest);
    }
    let word = word.to_lowercase();
    stops::ABBREVIATIONS.contains(&word.as_str())
        || lang::ALL.iter().any(|lang| lang.abbreviations.contains(&word.as_str()))
}

/// Returns whether the number between two texts is an ordinal in a language that writes a full stop after it, or
/// the month of such a day: "am 30. Zeit", "am 31.1. Wohnung putzen".
fn is_ordinal(before: &str, rest: &str) -> bool {
    let day =
        before.strip_suffix('.').map(|day| day.trim_end_matches(|c: char| c.is_ascii_digit()));
    let mut words = day.unwrap_or(before).split_whitespace().rev();
    let bare = |word: &str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let leads =
        words.next().is_some_and(|word| stops::BEFORE_ORDINALS.contains(&bare(word).as_str()));
    // "I am 30."
    let is_age = words.next().is_some_and(|word| bare(word) == "i");
    let next = rest.split_whitespace().next().map(bare).unwrap_or_default();
    leads && !is_age && !stops::AFTER_NO_ORDINAL.contains(&next.as_str())
}

/// Code spans and brackets that are open at a position.
#[derive(Default)]
struct Brackets {
    code: bool,
    round: u32,
    square: u32,
    opened_at: usize,
}

impl Brackets {
    fn pass(&mut self, text: &str, at: usize, c: char) {
        match c {
            '`' => self.code = !self.code && text[at + 1..].contains('`'),
            _ if self.code => {}
            '(' | '[' => {
                self.opened_at = at;
                if c == '(' { self.round += 1 } else { self.square += 1 }
            }
            ')' => self.round = self.round.saturating_sub(1),
            ']' => self.square = self.square.saturating_sub(1),
            _ => {}
        }
        // A bracket that is not closed within a few lines was not meant as one.
        if at.saturating_sub(self.opened_at) > 400 {
            self.round = 0;
            self.square = 0;
        }
    }

    fn are_open(&self) -> bool {
        self.code || self.round > 0 || self.square > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_where_a_reader_stops() {
        for (text, expected) in [
            ("One. Two! Three? Four", vec!["One.", "Two!", "Three?", "Four"]),
            ("See TODO.md for it. Then go.", vec!["See TODO.md for it.", "Then go."]),
            (
                "It took 2.5 hours, e.g. Monday. Fine.",
                vec!["It took 2.5 hours, e.g. Monday.", "Fine."],
            ),
            ("Use v0.6.1 now. Done.", vec!["Use v0.6.1 now.", "Done."]),
            ("Moved to 1. March at Mr. Hall.", vec!["Moved to 1. March at Mr. Hall."]),
            (
                "He said (really. Yes.) it works. Ok.",
                vec!["He said (really. Yes.) it works.", "Ok."],
            ),
            ("launched. running again", vec!["launched.", "running again"]),
            ("Launched at 5 p.m. today. Fine.", vec!["Launched at 5 p.m. today.", "Fine."]),
            ("See a. b and so on. Next", vec!["See a. b and so on.", "Next"]),
            ("Run `a. B` twice. End.", vec!["Run `a. B` twice.", "End."]),
            ("It took 300 ms. Search is on.", vec!["It took 300 ms.", "Search is on."]),
            ("After 48 h. Then on.", vec!["After 48 h.", "Then on."]),
            ("Bad **now.** Good.", vec!["Bad **now.**", "Good."]),
            ("... ?", vec![]),
            ("鍵は十日です。水道は？まだです！", vec!["鍵は十日です。", "水道は？", "まだです！"]),
        ] {
            assert_eq!(sentences(text), expected, "{text}");
        }
    }
    #[test]
    fn an_ordinal_ends_no_sentence() {
        for text in [
            "TODO Tom fragen ob er am 30. Zeit hat",
            "Wir ziehen vom 3. Stock in den 5. Stock um",
            "Bitte bis zum 15. Bescheid geben",
            "Bis 30. Kisten packen",
            "Die 2. Mahnung kam heute",
            "Übergabe am 31.1. Wohnung putzen",
            "Im 3. Quartal geht es los",
            "Kautionsrückzahlung an Fr. Weber, Tel. 0341, ggf. Mail",
            "Vorbește cu dl. Popescu, str. Lungă nr. 5",
            "Llama a la Sra. Ruiz",
        ] {
            assert_eq!(sentences(text), [text]);
        }
        for (text, expected) in [
            ("I am 30. She is 28.", vec!["I am 30.", "She is 28."]),
            ("Wir sind 30. Tom kommt auch.", vec!["Wir sind 30.", "Tom kommt auch."]),
            ("Er kommt am 30. Danach fahren wir.", vec!["Er kommt am 30.", "Danach fahren wir."]),
            ("Frist ist der 15. Wir zahlen.", vec!["Frist ist der 15.", "Wir zahlen."]),
            ("We need 12. Then stop.", vec!["We need 12.", "Then stop."]),
            ("Il en reste 12. Puis on verra.", vec!["Il en reste 12.", "Puis on verra."]),
            ("Quedan 12. Luego vemos.", vec!["Quedan 12.", "Luego vemos."]),
            ("Au mai rămas 12. Apoi vedem.", vec!["Au mai rămas 12.", "Apoi vedem."]),
            ("Use Python 3.12. Then build.", vec!["Use Python 3.12.", "Then build."]),
        ] {
            assert_eq!(sentences(text), expected, "{text}");
        }
    }
}
