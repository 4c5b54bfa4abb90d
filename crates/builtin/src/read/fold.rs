//! Normalizes words for comparison: case, accents, quotes, endings.

use dormouse_types::address::is_unseen;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::lang::Lang;

/// Folds case, accents, typographic quotes and dashes; drops emphasis marks and backticks;
/// collapses white space.
pub fn fold(text: &str) -> String {
    if text.is_ascii() {
        return fold_all(text.chars(), text.len());
    }
    fold_all(text.nfkd(), text.len())
}

fn fold_all(chars: impl Iterator<Item = char>, length: usize) -> String {
    let mut folded = String::with_capacity(length);
    let mut gap = false;
    for c in chars {
        let c = match c {
            '‐' | '‑' | '‒' | '–' | '—' | '−' => '-',
            '‘' | '’' | '‚' | '‛' => '\'',
            '“' | '”' | '„' | '‟' | '«' | '»' => '"',
            '*' | '`' => continue,
            ' '..='~' => c,
            c if is_combining_mark(c) || is_unseen(c) => continue,
            c => c,
        };
        if c.is_whitespace() {
            gap = true;
            continue;
        }
        if gap && !folded.is_empty() {
            folded.push(' ');
        }
        gap = false;
        if c.is_ascii() {
            folded.push(c.to_ascii_lowercase());
        } else {
            folded.extend(c.to_lowercase());
        }
    }
    folded
}

/// Splits a folded text into words: letters, digits, and the signs that join parts of code words.
pub fn words(folded: &str) -> impl Iterator<Item = &str> {
    folded
        .split(|c: char| {
            !(c.is_alphanumeric() || matches!(c, '_' | '.' | '-' | '/' | '#' | '%' | '\''))
        })
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '#' && c != '%'))
        .filter(|word| !word.is_empty())
}

/// Returns a folded word without its ending.
pub fn stem(word: &str, lang: &Lang) -> String {
    if word.chars().any(|c| !c.is_alphabetic()) {
        return word.to_owned();
    }
    let word =
        lang.short_forms.iter().find(|(short, _)| *short == word).map_or(word, |(_, long)| long);
    for suffix in lang.suffixes {
        if let Some(rest) = word.strip_suffix(suffix)
            && rest.chars().count() >= 3
        {
            // "stopped" and "stop" are the same word.
            let mut chars = rest.chars().rev();
            let (last, before) = (chars.next(), chars.next());
            if last == before && !matches!(last, Some('s' | 'l' | 'e' | 'o')) {
                return rest[..rest.len() - last.map_or(0, char::len_utf8)].to_owned();
            }
            return rest.trim_end_matches('e').to_owned();
        }
    }
    word.trim_end_matches('e').to_owned()
}

/// Returns the stems of a text that carry meaning, in order, each once.
pub fn content_words(text: &str, lang: &Lang) -> Vec<String> {
    let folded = fold(text);
    let mut found: Vec<String> = Vec::new();
    for word in words(&folded) {
        for part in word.split(['/', '-']).filter(|part| !part.is_empty()) {
            let lonely = part.chars().count() < 2 && !part.chars().all(|c| c.is_ascii_digit());
            if lonely || lang.stop_words.contains(&part) {
                continue;
            }
            let stem = stem(part, lang);
            if !found.contains(&stem) {
                found.push(stem);
            }
        }
    }
    found
}

/// Returns the share of the smaller set of words that is also in the other one, from 0 to 1.
pub fn overlap(one: &[String], other: &[String]) -> f32 {
    let (few, many) = if one.len() <= other.len() { (one, other) } else { (other, one) };
    if few.is_empty() {
        return 0.0;
    }
    shared(few, many) as f32 / few.len() as f32
}

/// Returns how many words two texts share.
pub fn shared(one: &[String], other: &[String]) -> usize {
    one.iter().filter(|word| other.contains(word)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::en::EN;

    #[test]
    fn folding_keeps_letters_and_drops_dress() {
        assert_eq!(fold("  “Réunion”\n **du** `3` — mai "), "\"reunion\" du 3 - mai");
        assert_eq!(fold("a\u{202E}b\0c"), "abc");
    }

    #[test]
    fn endings_do_not_make_another_word() {
        for (one, other) in [
            ("updates", "updated"),
            ("restarting", "restart"),
            ("stopped", "stopping"),
            ("notifications", "notification"),
            ("deliveries", "delivery"),
            ("cables", "cable"),
        ] {
            assert_eq!(stem(one, &EN), stem(other, &EN), "{one} and {other}");
        }
        assert_ne!(stem("v0.6", &EN), stem("v0.7", &EN));
    }

    #[test]
    fn content_words_leave_out_filling_words() {
        assert_eq!(
            content_words("The chart is updated to v0.6 by the team", &EN),
            ["chart", "updat", "v0.6", "team"]
        );
    }
}
