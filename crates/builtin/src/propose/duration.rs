//! Lengths of time as people write them.

use super::words::{Class, Token};

/// The words a language has for lengths of time.
#[derive(Debug)]
pub struct SpanWords {
    pub hours: &'static [&'static str],
    pub minutes: &'static [&'static str],
    /// Units longer than hours, because it is unclear how many hours they have.
    pub longer: &'static [&'static str],
    /// Numbers in words, up to twelve.
    pub numbers: &'static [(&'static str, u32)],
    /// A half before the unit: "half an hour".
    pub half: &'static [&'static str],
    /// One and a half in one word: "anderthalb".
    pub one_and_half: &'static [&'static str],
    /// After a number or unit: plus a half. Each entry is a phrase.
    pub and_half: &'static [&'static str],
    /// Between number and unit, or between hours and minutes: "of", "and".
    pub joiners: &'static [&'static str],
    /// "An" and "a" meaning one.
    pub one: &'static [&'static str],
    /// Between two lengths: a range or a choice.
    pub between: &'static [&'static str],
}

/// A length of time in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mention {
    /// Its first token.
    pub start: usize,
    /// The token after its last one.
    pub end: usize,
    /// Units: minutes. `None` if the words name no single length.
    pub minutes: Option<u32>,
}

/// Finds the lengths of time in a sentence, in order.
pub fn mentions(tokens: &[Token], words: &SpanWords) -> Vec<Mention> {
    let mut found: Vec<Mention> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let glued_before = at > 0
            && tokens[at].glued
            && !matches!(tokens[at - 1].word.as_str(), ":" | "(" | "~" | "=" | "-" | ",");
        match if glued_before { None } else { mention(tokens, at, words) } {
            Some(mention) => {
                at = mention.end;
                found.push(mention);
            }
            None => at += 1,
        }
    }
    found
}

fn mention(tokens: &[Token], at: usize, words: &SpanWords) -> Option<Mention> {
    if let Some((end, minutes)) = fixed(tokens, at, words) {
        return Some(closed(tokens, at, end, Some(minutes), words));
    }
    let (mut next, halves) = amount(tokens, at, words)?;
    // "2-3 hours", "two or three hours": the unit follows the second number.
    let mut unclear = false;
    while tokens.get(next).is_some_and(|t| t.is("-") || words.between.contains(&t.word.as_str())) {
        let Some((after, _)) = amount(tokens, next + 1, words) else { break };
        unclear = true;
        next = after;
    }
    while tokens.get(next).is_some_and(|t| words.joiners.contains(&t.word.as_str())) {
        next += 1;
    }
    if tokens.get(next).is_some_and(|t| t.is("-")) {
        next += 1;
    }
    let unit = tokens.get(next).filter(|t| t.class == Class::Word)?.word.as_str();
    next += 1;
    if words.longer.contains(&unit) {
        return Some(Mention { start: at, end: next, minutes: None });
    }
    if words.minutes.contains(&unit) {
        let minutes = if halves % 2 == 0 && !unclear { Some(halves / 2) } else { None };
        return Some(closed(tokens, at, next, minutes, words));
    }
    if !words.hours.contains(&unit) {
        return None;
    }
    if tokens.get(next).is_some_and(|t| t.is(".") && t.glued) && next + 1 < tokens.len() {
        next += 1;
    }
    let mut minutes = halves.checked_mul(30);
    if let Some(after) = phrase(tokens, next, words.and_half) {
        next = after;
        minutes = minutes.and_then(|m| m.checked_add(30));
    } else if let Some((after, more)) = minutes_after(tokens, next, words) {
        next = after;
        minutes = minutes.and_then(|m| m.checked_add(more));
    }
    Some(closed(tokens, at, next, if unclear { None } else { minutes }, words))
}

/// Closes a mention, unless a range or a longer unit follows.
fn closed(
    tokens: &[Token],
    start: usize,
    end: usize,
    minutes: Option<u32>,
    words: &SpanWords,
) -> Mention {
    let ranged =
        tokens.get(end).is_some_and(|t| t.is("-") || words.between.contains(&t.word.as_str()))
            && amount(tokens, end + 1, words).is_some();
    let after_longer = start > 0 && words.longer.contains(&tokens[start - 1].word.as_str());
    Mention { start, end, minutes: minutes.filter(|m| *m > 0 && !ranged && !after_longer) }
}

/// Forms without a number before the unit: "half an hour", "an hour", "anderthalb Stunden".
fn fixed(tokens: &[Token], at: usize, words: &SpanWords) -> Option<(usize, u32)> {
    let word = tokens.get(at)?.word.as_str();
    let mut next = at + 1;
    if words.half.contains(&word) {
        if tokens.get(next).is_some_and(|t| words.one.contains(&t.word.as_str()) || t.is("-")) {
            next += 1;
        }
        return words.hours.contains(&tokens.get(next)?.word.as_str()).then_some((next + 1, 30));
    }
    if words.one_and_half.contains(&word) {
        return words.hours.contains(&tokens.get(next)?.word.as_str()).then_some((next + 1, 90));
    }
    None
}

/// Reads a number in halves: "3" is 6, "1.5" is 3, "two and a half" is 5.
fn amount(tokens: &[Token], at: usize, words: &SpanWords) -> Option<(usize, u32)> {
    let token = tokens.get(at)?;
    let mut next = at + 1;
    let whole = match token.class {
        Class::Number => u32::try_from(token.number()?).ok()?,
        Class::Word if words.one.contains(&token.word.as_str()) => 1,
        Class::Word => words.numbers.iter().find(|(word, _)| *word == token.word)?.1,
        Class::Mark if token.is("½") || token.is("1⁄2") => return Some((next, 1)),
        Class::Mark | Class::Sealed => return None,
    };
    let mut halves = whole.checked_mul(2)?;
    if token.class == Class::Number
        && let [sign, fraction, ..] = tokens.get(next..)?
        && (sign.is(".") || sign.is(","))
        && sign.glued
        && fraction.glued
        && fraction.class == Class::Number
    {
        halves = halves.checked_add(match fraction.word.as_str() {
            "5" | "50" => 1,
            "0" | "00" => 0,
            _ => return None,
        })?;
        next += 2;
    } else if let Some(after) = phrase(tokens, next, words.and_half) {
        halves = halves.checked_add(1)?;
        next = after;
    }
    Some((next, halves))
}

/// Reads the minutes after hours: "2h30", "2 hours and 30 minutes".
fn minutes_after(tokens: &[Token], at: usize, words: &SpanWords) -> Option<(usize, u32)> {
    let mut next = at;
    if tokens.get(next).is_some_and(|t| t.is(",") || words.joiners.contains(&t.word.as_str())) {
        next += 1;
    }
    let number = tokens.get(next)?;
    let minutes = u32::try_from(number.number()?).ok().filter(|m| *m < 60)?;
    let unit = tokens.get(next + 1);
    if unit.is_some_and(|t| words.minutes.contains(&t.word.as_str())) {
        return Some((next + 2, minutes));
    }
    // "2h30", "2 h 30".
    let bare = next == at && number.end - number.start == 2;
    let ends = unit.is_none_or(|t| t.class == Class::Mark && !t.is("-") && !t.is("/"));
    (bare && (number.glued || ends)).then_some((next + 1, minutes))
}

/// Returns where a phrase of the list ends, if one begins here.
fn phrase(tokens: &[Token], at: usize, list: &[&str]) -> Option<usize> {
    list.iter().find_map(|phrase| {
        let mut next = at;
        for word in phrase.split(' ') {
            if !tokens.get(next)?.is(word) {
                return None;
            }
            next += 1;
        }
        Some(next)
    })
}

#[cfg(test)]
mod tests {
    use super::super::words::tokens;
    use super::*;
    use crate::lang::en::EN;

    fn check(text: &str, expected: &[Option<u32>]) {
        let found: Vec<_> =
            mentions(&tokens(text), &EN.propose.spans).into_iter().map(|m| m.minutes).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn lengths_in_their_usual_forms() {
        for (text, minutes) in [
            ("3 hours", 180),
            ("3h", 180),
            ("2h 30m", 150),
            ("2h30", 150),
            ("2 hours and 30 minutes", 150),
            ("1.5 hours", 90),
            ("1,5 h", 90),
            ("90 min", 90),
            ("45 minutes", 45),
            ("an hour", 60),
            ("half an hour", 30),
            ("an hour and a half", 90),
            ("one and a half hours", 90),
            ("two hours", 120),
            ("~4h", 240),
            ("a 2-hour job", 120),
            ("90-minute", 90),
        ] {
            check(text, &[Some(minutes)]);
        }
    }

    #[test]
    fn ranges_and_days_name_no_length() {
        for text in [
            "2-3 hours",
            "two or three hours",
            "2h-3h",
            "2 to 3 hours",
            "3 days",
            "half a day or 2 days",
            "1 week",
        ] {
            let found = mentions(&tokens(text), &EN.propose.spans);
            assert!(found.first().is_some_and(|m| m.minutes.is_none()), "{text}: {found:?}");
        }
        check("1 day 2 hours", &[None, None]);
    }

    #[test]
    fn other_figures_are_no_lengths() {
        for text in ["3 houses", "v2h", "room 12", "3 hundred", "1.25 hours"] {
            let found = mentions(&tokens(text), &EN.propose.spans);
            assert!(found.iter().all(|m| m.minutes.is_none()), "{text}: {found:?}");
        }
    }
}
