//! Days as people write them.

use jiff::civil::{Date, Weekday};

use super::words::{Class, Token};
use crate::lang::Lang;

/// The words a language has for days.
#[derive(Debug)]
pub struct DayWords {
    /// Monday to Sunday, each with its short forms.
    pub weekdays: [&'static [&'static str]; 7],
    /// What may be attached to the number of a day: "3rd", "1er".
    pub ordinals: &'static [&'static str],
    /// What may precede the number of a day: "the 21st of April".
    pub articles: &'static [&'static str],
    /// What may come between day, month and year: "of", "de".
    pub joiners: &'static [&'static str],
    /// The day of the entry.
    pub today: &'static [&'static str],
    /// The day after the entry.
    pub tomorrow: &'static [&'static str],
    /// Before a weekday: the next one.
    pub coming: &'static [&'static str],
    /// Before a weekday: not the next one, or not certainly.
    pub other: &'static [&'static str],
    /// Whether the number of a day is usually followed by a full stop ("3. März", "20.3.").
    pub dotted: bool,
    /// Between two days: a choice, so no day is read.
    pub between: &'static [&'static str],
    /// Between two days: a range, unless `from` makes it a move from one to the other.
    pub through: &'static [&'static str],
    /// Before the day that something is moved away from.
    pub from: &'static [&'static str],
}

/// Result of reading a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// One day.
    Day(Date),
    /// It has the form of a day but names no single one.
    Unclear,
}

/// A day in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mention {
    /// Its first token.
    pub start: usize,
    /// The token after its last one.
    pub end: usize,
    /// The day.
    pub reading: Reading,
}

/// Finds the days in a sentence, in order.
///
/// `on` is the day on which the sentence was written: a day without a year is the next such day
/// after it.
pub fn mentions(tokens: &[Token], on: Date, lang: &Lang) -> Vec<Mention> {
    let words = &lang.propose.days;
    let mut found: Vec<Mention> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        match mention(tokens, at, on, lang) {
            Some(mention) => {
                at = mention.end;
                found.push(mention);
            }
            None => at += 1,
        }
    }
    seal_ranges(tokens, &mut found, words);
    found
}

/// Marks both ends of a choice or range as unclear.
fn seal_ranges(tokens: &[Token], found: &mut [Mention], words: &DayWords) {
    for n in 1..found.len() {
        let between = &tokens[found[n - 1].end..found[n].start];
        let is_move = found[n - 1].start > 0
            && words.from.contains(&tokens[found[n - 1].start - 1].word.as_str());
        let joined = match between {
            [one] if words.through.contains(&one.word.as_str()) => !is_move,
            [one] => is_between(one, words),
            _ => false,
        };
        if joined {
            found[n - 1].reading = Reading::Unclear;
            found[n].reading = Reading::Unclear;
        }
    }
}

fn is_dash(token: &Token) -> bool {
    matches!(token.word.as_str(), "-" | "/" | "~")
}

fn mention(tokens: &[Token], at: usize, on: Date, lang: &Lang) -> Option<Mention> {
    let words = &lang.propose.days;
    if at > 0 && joins_left(&tokens[at - 1], &tokens[at]) {
        return None;
    }
    let read = |end: usize, reading: Reading| Mention { start: at, end, reading };
    if let Some((end, reading)) =
        numeric(tokens, at, words).or_else(|| with_month(tokens, at, on, lang))
    {
        return Some(read(end, reading));
    }
    let token = &tokens[at];
    if token.class != Class::Word {
        return None;
    }
    let word = token.word.as_str();
    if words.articles.contains(&word) {
        let (end, reading) = with_month(tokens, at + 1, on, lang)?;
        return Some(read(end, reading));
    }
    if words.today.contains(&word) {
        return Some(read(at + 1, Reading::Day(on)));
    }
    if words.tomorrow.contains(&word) {
        return Some(read(at + 1, on.tomorrow().map_or(Reading::Unclear, Reading::Day)));
    }
    if words.coming.contains(&word) && weekday(tokens.get(at + 1)?, words).is_some() {
        let rest = mention(tokens, at + 1, on, lang)?;
        return Some(read(rest.end, rest.reading));
    }
    if words.other.contains(&word) && weekday(tokens.get(at + 1)?, words).is_some() {
        return Some(read(at + 2, Reading::Unclear));
    }
    let day = weekday(token, words)?;
    // "Friday, 20 March 2026" is the date, if that day is a Friday.
    let mut rest = at + 1;
    while tokens
        .get(rest)
        .is_some_and(|t| t.is(",") || t.is(".") || words.joiners.contains(&t.word.as_str()))
    {
        rest += 1;
    }
    if rest < tokens.len()
        && let Some((end, reading)) =
            numeric(tokens, rest, words).or_else(|| with_month(tokens, rest, on, lang))
    {
        let agrees = matches!(reading, Reading::Day(date) if date.weekday() == day);
        return Some(read(end, if agrees { reading } else { Reading::Unclear }));
    }
    Some(read(at + 1, next_weekday(on, day).map_or(Reading::Unclear, Reading::Day)))
}

/// Returns whether a token continues the one before: part of a version, an address or a figure.
fn joins_left(before: &Token, token: &Token) -> bool {
    token.glued
        && (before.class == Class::Number
            || matches!(before.word.as_str(), "." | "-" | "/" | "#" | "_" | "$" | "€" | "@"))
        || token.glued && before.class == Class::Word && token.class == Class::Number
}

/// Returns whether the text attached after a number makes it part of a longer one.
fn joins_right(tokens: &[Token], end: usize) -> bool {
    let Some(after) = tokens.get(end).filter(|t| t.glued) else { return false };
    match after.class {
        Class::Number => true,
        // The time of a timestamp.
        Class::Word => after.word != "t" && !after.word.starts_with('\''),
        Class::Mark => {
            matches!(after.word.as_str(), "." | "-" | "/" | "_" | "%")
                && tokens
                    .get(end + 1)
                    .is_some_and(|t| t.glued && matches!(t.class, Class::Number | Class::Word))
        }
        Class::Sealed => false,
    }
}

/// `2026-03-20`, `20.03.2026`, `25/03/2026`, and `20.3.` if the language writes dates like that.
fn numeric(tokens: &[Token], at: usize, words: &DayWords) -> Option<(usize, Reading)> {
    let [one, sign, two, rest @ ..] = tokens.get(at..)? else { return None };
    if one.class != Class::Number || two.class != Class::Number || !sign.glued || !two.glued {
        return None;
    }
    let sign = sign.word.as_str();
    let third = match rest {
        [again, three, ..]
            if again.is(sign) && again.glued && three.glued && three.class == Class::Number =>
        {
            Some(three)
        }
        _ => None,
    };
    let len = |token: &Token| token.end - token.start;
    let day = |year: i16, month: i16, day: i16| {
        let made = i8::try_from(month).ok().zip(i8::try_from(day).ok());
        made.and_then(|(month, day)| Date::new(year, month, day).ok())
            .map_or(Reading::Unclear, Reading::Day)
    };
    let Some(three) = third else {
        // "20.3." without a year: resolved to the next such day only if the language uses this
        // form.
        let unclear =
            words.dotted && sign == "." && rest.first().is_some_and(|t| t.is(".") && t.glued);
        return unclear.then_some((at + 4, Reading::Unclear));
    };
    let end = at + 5;
    if joins_right(tokens, end) || !matches!(sign, "-" | "/" | ".") {
        return None;
    }
    match (len(one), len(two), len(three)) {
        // A version number can have this form too.
        (4, _, 1..=2) if sign == "." => None,
        (4, 1..=2, 1..=2) => Some((end, day(one.number()?, two.number()?, three.number()?))),
        (1..=2, 1..=2, 4) => {
            let (first, second, year) = (one.number()?, two.number()?, three.number()?);
            let european = day(year, second, first);
            let american = day(year, first, second);
            let reading = match (european, american) {
                _ if sign == "." => european,
                (Reading::Day(one), Reading::Day(other)) if one != other => Reading::Unclear,
                (Reading::Day(date), _) | (_, Reading::Day(date)) => Reading::Day(date),
                _ => Reading::Unclear,
            };
            Some((end, reading))
        }
        // Two-digit years: it is unclear which part is the year.
        (1..=2, 1..=2, 2) if sign == "/" => Some((end, Reading::Unclear)),
        _ => None,
    }
}

/// "15 March 2026", "March 15, 2026", "3rd of March", "1er avril".
fn with_month(tokens: &[Token], at: usize, on: Date, lang: &Lang) -> Option<(usize, Reading)> {
    let words = &lang.propose.days;
    let mut next = at;
    let (month, day);
    if let Some(found) = month_of(tokens.get(next)?, lang) {
        next += 1;
        skip_dot(tokens, &mut next);
        month = found;
        day = day_number(tokens, &mut next, words)?;
    } else {
        if tokens[at].class != Class::Number {
            return None;
        }
        day = day_number(tokens, &mut next, words)?;
        if words.dotted {
            skip_dot(tokens, &mut next);
        }
        skip_joiners(tokens, &mut next, words);
        month = month_of(tokens.get(next)?, lang)?;
        next += 1;
        if tokens.get(next).is_some_and(|t| t.is(".") && t.glued)
            && year(tokens.get(next + 1)).is_some()
        {
            next += 1;
        }
    }
    let ranged = is_second_of_range(tokens, at, words) || is_first_of_range(tokens, next, lang);
    let mut end = next;
    let mut following = next;
    if tokens.get(following).is_some_and(|t| t.is(",")) {
        following += 1;
    }
    skip_joiners(tokens, &mut following, words);
    let year = year(tokens.get(following)).filter(|_| !joins_right(tokens, following + 1));
    if year.is_some() {
        end = following + 1;
    }
    let date = match year {
        Some(year) => Date::new(year, month, day).ok(),
        None => [on.year(), on.year() + 1]
            .into_iter()
            .filter_map(|year| Date::new(year, month, day).ok())
            .find(|date| *date >= on),
    };
    let reading = date.filter(|_| !ranged).map_or(Reading::Unclear, Reading::Day);
    Some((end, reading))
}

///  "20 or 21 March".
fn is_second_of_range(tokens: &[Token], at: usize, words: &DayWords) -> bool {
    let [.., number, sign] = &tokens[..at] else { return false };
    is_between(sign, words) && number.number().is_some_and(|day| (1..=31).contains(&day))
}

/// "March 10-12", but not "10 March to 17 March".
fn is_first_of_range(tokens: &[Token], next: usize, lang: &Lang) -> bool {
    let [sign, number, rest @ ..] = &tokens[next..] else { return false };
    let is_day_itself = rest.iter().take(3).any(|t| month_of(t, lang).is_some());
    is_between(sign, &lang.propose.days)
        && number.number().is_some_and(|day| (1..=31).contains(&day))
        && !is_day_itself
}

fn is_between(token: &Token, words: &DayWords) -> bool {
    let word = token.word.as_str();
    is_dash(token) || words.between.contains(&word) || words.through.contains(&word)
}

fn skip_dot(tokens: &[Token], next: &mut usize) {
    if tokens.get(*next).is_some_and(|t| t.is(".") && t.glued) {
        *next += 1;
    }
}

fn skip_joiners(tokens: &[Token], next: &mut usize, words: &DayWords) {
    while tokens.get(*next).is_some_and(|t| words.joiners.contains(&t.word.as_str())) {
        *next += 1;
    }
}

fn day_number(tokens: &[Token], next: &mut usize, words: &DayWords) -> Option<i8> {
    if tokens.get(*next).is_some_and(|t| words.joiners.contains(&t.word.as_str())) {
        *next += 1;
    }
    let token = tokens.get(*next)?;
    if token.end - token.start > 2 {
        return None;
    }
    let day = i8::try_from(token.number()?).ok().filter(|day| (1..=31).contains(day))?;
    *next += 1;
    let ordinal = tokens.get(*next).filter(|t| t.glued && t.class == Class::Word);
    if let Some(ordinal) = ordinal {
        if !words.ordinals.contains(&ordinal.word.as_str()) {
            return None;
        }
        *next += 1;
    }
    // "15:30" and "1.5" are not days; neither is the first half of a longer number.
    let glued =
        tokens.get(*next).is_some_and(|t| t.glued && matches!(t.word.as_str(), ":" | "." | "%"))
            && tokens.get(*next + 1).is_some_and(|t| t.glued && t.class == Class::Number);
    (!glued).then_some(day)
}

fn month_of(token: &Token, lang: &Lang) -> Option<i8> {
    if token.class != Class::Word {
        return None;
    }
    lang.months.iter().find(|(name, _)| *name == token.word).map(|(_, month)| *month)
}

fn weekday(token: &Token, words: &DayWords) -> Option<Weekday> {
    if token.class != Class::Word {
        return None;
    }
    let at = words.weekdays.iter().position(|names| names.contains(&token.word.as_str()))?;
    Weekday::from_monday_zero_offset(i8::try_from(at).ok()?).ok()
}

fn year(token: Option<&Token>) -> Option<i16> {
    let token = token?;
    token.number().filter(|year| token.end - token.start == 4 && (1970..=2999).contains(year))
}

/// Returns the next such weekday after a day.
fn next_weekday(on: Date, day: Weekday) -> Option<Date> {
    let ahead = i64::from(on.weekday().until(day));
    let ahead = if ahead == 0 { 7 } else { ahead };
    on.checked_add(jiff::Span::new().days(ahead)).ok()
}

#[cfg(test)]
mod tests {
    use super::super::words::tokens;
    use super::*;
    use crate::lang::en::EN;

    fn check(text: &str, expected: &[&str]) {
        let on: Date = "2026-03-02".parse().expect("a day");
        let found: Vec<String> = mentions(&tokens(text), on, &EN)
            .into_iter()
            .map(|m| match m.reading {
                Reading::Day(date) => date.to_string(),
                Reading::Unclear => "?".into(),
            })
            .collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn days_with_a_year() {
        for (text, expected) in [
            ("2026-03-20", "2026-03-20"),
            ("2026/3/20", "2026-03-20"),
            ("2026-03-20T10:00", "2026-03-20"),
            ("20.03.2026", "2026-03-20"),
            ("25/03/2026", "2026-03-25"),
            ("03/25/2026", "2026-03-25"),
            ("05/05/2026", "2026-05-05"),
            ("15 March 2026", "2026-03-15"),
            ("the 15th of March, 2026", "2026-03-15"),
            ("March 15, 2026", "2026-03-15"),
            ("Mar. 15th 2026", "2026-03-15"),
            ("Friday, 20 March 2026", "2026-03-20"),
        ] {
            check(text, &[expected]);
        }
    }

    #[test]
    fn days_without_a_year_are_the_next_ones() {
        check("3 March", &["2026-03-03"]);
        check("2 March", &["2026-03-02"]);
        check("1 March", &["2027-03-01"]);
        check("Friday", &["2026-03-06"]);
        check("Monday", &["2026-03-09"]);
        check("this Friday at 5", &["2026-03-06"]);
        check("tomorrow", &["2026-03-03"]);
        check("from 10 March to 17 March", &["2026-03-10", "2026-03-17"]);
    }

    #[test]
    fn forms_that_name_no_single_day() {
        check("10-12 March", &[]);
        for text in [
            "03/04/2026",
            "2026-02-30",
            "31.04.2026",
            "30 February",
            "next Friday",
            "last Friday",
            "Thursday, 20 March 2026",
            "25/03/26",
            "March 10-12",
        ] {
            check(text, &["?"]);
        }
        check("20 or 21 March", &["?"]);
        check("20 March or 21 March", &["?", "?"]);
    }

    #[test]
    fn other_figures_are_no_days() {
        for text in [
            "2026.3.20",
            "v2026-03-20-1",
            "1.2.3",
            "15:30",
            "room 3",
            "#2026-03-20",
            "3 marches",
            "2026",
            "build-2026-03-20",
            "10.12.8.137",
            "INV-2026-03-20",
        ] {
            check(text, &[]);
        }
    }
}
