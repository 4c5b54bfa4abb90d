//! The dates of a file, read by [`when`] in the order, zone and day of its reader.
//!
//! A file says "by 24.11." or "Friday" and no year: the person means the next such day from the day
//! on which the file is read first. Read again later, the same words would mean a later day, and an
//! unchanged file would move its tasks. So a day that depends on when it is read is distinguished
//! ([`Dated::moves`]) and kept with the import key of its task
//! ([`KeptDay`](crate::plan::KeptDay)): as long as the task says the same words it keeps its day.
//! Without a day of reading ([`ReadOptions::today`]) such words stay text.

use std::ops::Range;

use jiff::civil::{Date, DateTime, Time, date};
use jiff::tz::TimeZone;
use jiff::{Timestamp, ToSpan};

use super::ReadOptions;
use crate::when::{self, Assumption, Found, Kind, LANGUAGES, Language, Reader, When};

/// Units: bytes. So much of a line is searched for a deadline; what is longer is no line of a list.
const SEARCHED: usize = 4096;

/// Units: days. A longer period is no deadline.
const LONGEST_SPAN: i32 = 100;

/// Units: days. A day without a year that is further ahead is more likely one that just passed.
const LONGEST_WAIT: i32 = 300;

/// Days that no list has outside of these years are a program's word for none.
const YEARS: std::ops::RangeInclusive<i16> = 1900..=2200;

/// A day that a text names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Dated {
    pub day: Date,
    /// The words that name it.
    pub words: String,
    /// Whether the words name another day on another day of reading.
    pub moves: bool,
    /// Whether they name a day and no more: no time, no period, no repetition, no other weekday.
    pub is_exact: bool,
    /// Whether they name a weekday that is not that of the day.
    pub has_other_weekday: bool,
    /// Whether they say when something may begin.
    is_begin: bool,
    /// Whether they name a time and no day: "08:00" is today or tomorrow.
    is_only_time: bool,
}

impl Dated {
    /// What its person should look at.
    pub fn doubt(&self) -> Option<&'static str> {
        self.has_other_weekday.then_some("the weekday does not match the date: the date is used")
    }
}

/// Reads the dates of a file.
pub(crate) struct Dates<'a> {
    options: &'a ReadOptions,
    now: DateTime,
    /// Another time of reading, on which other days come next.
    later: DateTime,
    reads: Reads,
}

/// Which days are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reads {
    /// Those that mean the same on any day of reading; with a day of reading, all.
    Known,
    /// All, to tell where a day is named, and not which day it is.
    Named,
}

impl<'a> Dates<'a> {
    pub fn new(options: &'a ReadOptions) -> Self {
        // Any day does where only words count that do not depend on it, if years of two figures are those of this
        // century.
        let today = options.today.unwrap_or_else(|| date(2030, 1, 1));
        // In more than a year, and on another weekday.
        let later = today.checked_add(1.year().days(100)).unwrap_or_else(|_| date(2031, 4, 11));
        let (now, later) =
            (today.to_datetime(Time::midnight()), later.to_datetime(Time::midnight()));
        Self { options, now, later, reads: Reads::Known }
    }

    /// Reads also days that depend on a day of reading which is not known: which day they are then is of no use
    /// ([`Dated::moves`]).
    pub fn named(options: &'a ReadOptions) -> Self {
        Self { reads: Reads::Named, ..Self::new(options) }
    }

    /// The first day that can be meant as the deadline of something still to do.
    fn earliest(&self) -> Date {
        let today = self.now.date();
        match self.options.today {
            Some(_) => today.checked_sub(1.year()).unwrap_or(today),
            None => Date::MIN,
        }
    }

    /// How the text is read.
    pub fn options(&self) -> &'a ReadOptions {
        self.options
    }

    /// The day that a text as a whole names, as in a cell or a field.
    pub fn day(&self, text: &str) -> Option<Dated> {
        let text = text.trim();
        if let Some(at) = of_milliseconds(text) {
            let utc = at.to_zoned(TimeZone::UTC);
            let is_day = utc.time() == Time::midnight();
            let at = if is_day { utc } else { at.to_zoned(self.options.zone.clone()) };
            return Some(Dated {
                day: at.date(),
                words: text.to_owned(),
                moves: false,
                // Midnight is how a program writes a day.
                is_exact: at.time() == Time::midnight(),
                has_other_weekday: false,
                is_begin: false,
                is_only_time: false,
            });
        }
        // Any other number alone is an amount, wherever it is.
        if text.is_empty() || text.bytes().all(|byte| byte.is_ascii_digit()) {
            return compact(text).map(|day| Dated {
                day,
                words: text.to_owned(),
                moves: false,
                is_exact: true,
                has_other_weekday: false,
                is_begin: false,
                is_only_time: false,
            });
        }
        let text = &*with_t(without_short_zone(text));
        let text = without_utc_midnight(text);
        LANGUAGES.iter().find_map(|&language| {
            let read = |now| when::explain(text, &self.reader(now, language)).ok();
            self.dated(text, read)
        })
    }

    /// The day that the text of a field for due dates names. What is said to begin then ("not before 5 December")
    /// is not due then.
    pub fn due(&self, text: &str) -> Option<Dated> {
        let says_since = || {
            let text = text.trim();
            LANGUAGES
                .iter()
                .any(|&language| when::says_since(text, &self.reader(self.now, language)))
        };
        self.day(text).filter(|dated| !dated.is_begin && !dated.is_only_time && !says_since())
    }

    /// Why [`due`](Self::due) answers none, for its person.
    pub fn why_not_due(&self, text: &str) -> &'static str {
        match Dates::named(self.options).day(text).filter(|_| self.due(text).is_none()) {
            Some(dated) if dated.is_only_time => {
                "this is a time without a day, so there is no due date: kept in the note"
            }
            Some(dated) if dated.moves && self.options.today.is_none() && !dated.is_begin => {
                self.why_no_day(text)
            }
            Some(_) => "this says when something may begin, not when it is due: kept in the note",
            None => self.why_no_day(text),
        }
    }

    /// Why a text as a whole names no day, for its person: one whose day depends on the day of reading is a
    /// guess, and those are made only where a person sees them.
    fn why_no_day(&self, text: &str) -> &'static str {
        if self.options.today.is_none() && Dates::named(self.options).day(text).is_some() {
            return "this date depends on the day of the import, so it becomes the due date only if you \
                    confirm a plan: kept in the note";
        }
        "this is not a date, so there is no due date: kept in the note"
    }

    /// Whether a cell surely holds a day, as in a column that nothing else says the meaning of.
    pub fn is_day(&self, text: &str) -> bool {
        let text = text.trim();
        let is_number = || text.replace([',', ' '], ".").parse::<f64>().is_ok();
        if !text.bytes().any(|byte| byte.is_ascii_digit()) || is_number() {
            return false;
        }
        let text = &*with_t(without_short_zone(text));
        LANGUAGES.iter().any(|&language| {
            let found = when::find(text, &self.reader(self.now, language));
            let is_whole = |found: &Found| {
                found.span.bytes == (0..text.len())
                    && matches!(found.when, When::Day(_) | When::At(_))
            };
            matches!(&found[..], [found] if is_whole(found))
        })
    }

    /// The first day in a line that is said to be a deadline, with its place.
    pub fn due_in(&self, line: &str) -> Option<(Range<usize>, Dated)> {
        let line = &*plain(searched(line));
        let mut languages = due_languages(line);
        languages.find_map(|language| {
            self.first_of(line, language, |found| {
                self.is_deadline(found) && self.has_day(found, line, language)
            })
        })
    }

    /// Whether a time has its day: without one it is that of tomorrow at the end of today.
    fn has_day(&self, found: &Found, line: &str, language: Language) -> bool {
        if !matches!(found.when, When::At(_)) {
            return true;
        }
        let night = self.now.date().at(23, 59, 59, 0);
        let zone = &self.options.zone;
        let day = |found: &Found| found.when.last_day(zone, night.date());
        let again = when::find(line, &self.reader(night, language));
        let same = again.iter().find(|other| other.span == found.span);
        same.is_some_and(|same| day(same) == day(found))
    }

    /// Whether a date that is said to be a deadline is one for a task. "Until 2019" tells of a time,
    /// "until 8 pm" of opening hours.
    fn is_deadline(&self, found: &Found) -> bool {
        let is_short = match &found.when {
            When::Day(_) | When::At(_) => true,
            When::Span(span) => {
                let zone = &self.options.zone;
                let days = span.from.day_in(zone).until(span.to.day_in(zone));
                days.is_ok_and(|days| days.get_days() <= LONGEST_SPAN)
            }
            When::Recurring(_) => false,
        };
        let day = found.when.last_day(&self.options.zone, self.now.date());
        found.kind == Kind::Due && is_short && day.is_some_and(|day| day >= self.earliest())
    }

    /// The day that a person means who says of a line that it is about when a task is due: its
    /// deadline, else any day in it.
    pub fn any_in(&self, line: &str) -> Option<Dated> {
        let whole = &*plain(searched(line));
        let first = |is: fn(&Found) -> bool| {
            LANGUAGES.iter().find_map(|&language| {
                let found = self.first_of(whole, language, |found| {
                    is(found) && self.has_day(found, whole, language)
                });
                found.map(|(_, dated)| dated)
            })
        };
        self.due_in(line)
            .map(|(_, dated)| dated)
            .or_else(|| first(|found| found.kind == Kind::Mention))
            .or_else(|| first(|_| true))
            .or_else(|| self.day(line).filter(|dated| !dated.is_only_time))
    }

    /// The day that a line of a plain list ends with, read as somebody means it who adds a task in one line: "dentist
    /// 14 Dec 15:30". A day that just passed is no day of next year.
    pub fn at_end(
        &self,
        line: &str,
        due_of: impl Fn(&str, &Reader) -> Option<Found>,
    ) -> Option<Dated> {
        let line = &*plain(searched(line));
        let end = line.trim_end_matches([' ', '.', '!', ')']).len();
        LANGUAGES.iter().find_map(|&language| {
            let read = |now| {
                let due = due_of(line, &self.reader(now, language))?;
                let is_day = matches!(due.when, When::Day(_) | When::At(_));
                (due.span.bytes.end == end && due.kind != Kind::Start && is_day).then_some(due)
            };
            let words = line.get(read(self.now)?.span.bytes)?;
            let dated = self.dated(words, read).filter(|dated| !dated.is_only_time)?;
            let ahead = dated.day.since(self.now.date()).ok()?.get_days();
            (ahead >= 0 && (!dated.moves || ahead <= LONGEST_WAIT)).then_some(dated)
        })
    }

    /// The day and time that a line begins with, if it names the day itself, not only its weekday.
    pub fn appointment(&self, line: &str) -> Option<Dated> {
        if !line.bytes().take(SEARCHED).any(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let line = &*plain(line);
        let start = line.len() - line.trim_start_matches(|c: char| !c.is_alphanumeric()).len();
        let (bytes, dated) = self.first(line, |found| {
            let named = found.assumed.iter().all(|assumed| {
                !matches!(
                    assumed,
                    Assumption::NextTime(_) | Assumption::InAWeek(_) | Assumption::NextWeek(_)
                )
            });
            found.span.bytes.start == start
                && found.kind == Kind::Mention
                && matches!(found.when, When::At(_))
                && named
        })?;
        let names_a_day = dated.words.chars().any(|c| c.is_ascii_digit())
            && (!dated.moves || self.is_of_year(&line[bytes]));
        let is_ahead = self.options.today.is_none_or(|today| dated.day >= today);
        (names_a_day && is_ahead).then_some(dated)
    }

    /// Whether words leave only the year open.
    fn is_of_year(&self, words: &str) -> bool {
        let found = when::find(words, &self.reader(self.now, LANGUAGES[0]));
        let is_year = |assumed: &Assumption| matches!(assumed, Assumption::Year(_));
        found.iter().any(|found| found.assumed.iter().any(is_year))
    }

    /// What in a line has the form of a deadline, but is not in the calendar.
    pub fn impossible_in<'t>(&self, line: &'t str) -> Option<&'t str> {
        let line = searched(line);
        let language = due_languages(line).next()?;
        let scan = when::scan(line, &self.reader(self.now, language));
        scan.impossible.first().map(|impossible| &line[impossible.span.bytes.clone()])
    }

    fn first(&self, line: &str, is: impl Fn(&Found) -> bool) -> Option<(Range<usize>, Dated)> {
        let line = &*plain(searched(line));
        LANGUAGES.iter().find_map(|&language| self.first_of(line, language, &is))
    }

    fn first_of(
        &self,
        line: &str,
        language: Language,
        is: impl Fn(&Found) -> bool,
    ) -> Option<(Range<usize>, Dated)> {
        let found = when::find(line, &self.reader(self.now, language));
        let found = found.into_iter().find(is)?;
        let bytes = found.span.bytes.clone();
        let words = &line[bytes.clone()];
        let read = |now| {
            if now == self.now {
                return Some(found.clone());
            }
            // The same place of the same line: words around a date tell what it is for.
            let again = when::find(line, &self.reader(now, language));
            again.into_iter().find(|other| other.span == found.span)
        };
        self.dated(words, read).map(|dated| (bytes, dated))
    }

    fn dated(&self, words: &str, read: impl Fn(DateTime) -> Option<Found>) -> Option<Dated> {
        let day = |now: DateTime| {
            let found = read(now)?;
            let day = found.when.last_day(&self.options.zone, now.date())?;
            YEARS.contains(&day.year()).then_some((day, found))
        };
        let (first, found) = day(self.now)?;
        let moves = day(self.later).is_none_or(|(second, _)| second != first);
        if moves && self.options.today.is_none() && self.reads == Reads::Known {
            return None;
        }
        let differs = |assumed: &Assumption| matches!(assumed, Assumption::WeekdayDiffers(_));
        let has_other_weekday = found.assumed.iter().any(differs);
        let is_exact = matches!(found.when, When::Day(_)) && !has_other_weekday;
        let is_begin = found.kind == Kind::Start;
        let night = self.now.date().at(23, 59, 59, 0);
        let is_only_time = matches!(found.when, When::At(_))
            && day(night).is_some_and(|(at_night, _)| at_night != first);
        let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
        Some(Dated {
            day: first,
            words,
            moves,
            is_exact,
            has_other_weekday,
            is_begin,
            is_only_time,
        })
    }

    fn reader(&self, now: DateTime, language: Language) -> Reader {
        Reader {
            now,
            zone: self.options.zone.clone(),
            order: self.options.order,
            language,
            week_starts: when::Weekday::Monday,
        }
    }
}

/// The day that a text as a whole names and that does not depend on the day of reading.
pub(crate) fn day_of(text: &str, options: &ReadOptions) -> Option<Date> {
    Dates::new(options).day(text).map(|dated| dated.day)
}

/// The languages in which a line can name a deadline.
fn due_languages(line: &str) -> impl Iterator<Item = Language> + '_ {
    let words = line.split(|c: char| !c.is_alphabetic() && !matches!(c, '\'' | '’'));
    let mut can = [false; LANGUAGES.len()];
    for word in words.filter(|word| !word.is_empty() && word.len() <= 24) {
        let word = word.to_lowercase().replace('’', "'");
        for (can, language) in can.iter_mut().zip(LANGUAGES) {
            *can |= language.may_be_due(&word);
        }
    }
    let languages = LANGUAGES.iter().zip(can);
    languages.filter(|(_, can)| *can).map(|(language, _)| *language)
}

/// A line without the marks of emphasis, of the same length. An underscore inside of a name stays.
fn plain(line: &str) -> std::borrow::Cow<'_, str> {
    if !line.contains(['*', '`', '_']) {
        return line.into();
    }
    let mut before = ' ';
    let mut chars = line.chars().peekable();
    let mut plain = String::with_capacity(line.len());
    while let Some(c) = chars.next() {
        let is_inside =
            before.is_alphanumeric() && chars.peek().is_some_and(|c| c.is_alphanumeric());
        let is_mark = matches!(c, '*' | '`') || c == '_' && !is_inside;
        plain.push(if is_mark { ' ' } else { c });
        before = c;
    }
    plain.into()
}

fn searched(line: &str) -> &str {
    &line[..line.floor_char_boundary(SEARCHED)]
}

/// The time that a program writes as milliseconds since 1970, of 2001 and later: `1796428800000`. No person
/// writes such a number for a time, so only what is said to be one is tried.
pub(crate) fn of_milliseconds(text: &str) -> Option<Timestamp> {
    let is_count = text.len() == 13 && text.bytes().all(|byte| byte.is_ascii_digit());
    let at = Timestamp::from_millisecond(is_count.then(|| text.parse().ok()).flatten()?).ok()?;
    text.starts_with('1').then_some(at)
}

/// `20261103`
fn compact(text: &str) -> Option<Date> {
    if text.len() != 8 {
        return None;
    }
    let day: Date = format!("{}-{}-{}", &text[..4], &text[4..6], &text[6..]).parse().ok()?;
    YEARS.contains(&day.year()).then_some(day)
}

/// A time without the short name of its zone in brackets, which is no name of a zone in the IANA database, as Notion
/// writes it: `December 4, 2026 6:00 PM (CET)`. The time is that of the person whose list it is.
fn without_short_zone(text: &str) -> &str {
    let Some((time, zone)) = text.strip_suffix(')').and_then(|text| text.rsplit_once(" (")) else {
        return text;
    };
    let is_short = (2..=5).contains(&zone.len()) && zone.bytes().all(|c| c.is_ascii_uppercase());
    if is_short && !time.contains(" GMT") { time.trim_end() } else { text }
}

/// `20261210T230000Z`, as calendars and Taskwarrior write a time, with signs between its parts.
fn of_stamp(text: &str) -> Option<String> {
    let is_stamp = matches!(text.len(), 15 | 16)
        && text.is_ascii()
        && text.as_bytes()[8] == b'T'
        && matches!(&text[15..], "" | "Z")
        && text[..8].bytes().chain(text[9..15].bytes()).all(|byte| byte.is_ascii_digit());
    let (day, time) = (is_stamp.then(|| &text[..8])?, &text[9..15]);
    let day = format!("{}-{}-{}", &day[..4], &day[4..6], &day[6..]);
    Some(format!("{day}T{}:{}:{}{}", &time[..2], &time[2..4], &time[4..], &text[15..]))
}

/// A day and a time as programs write them, in the form of ISO 8601 in one piece: with a space before the
/// time or the offset (`2026-12-24 17:00:00 +0000`), without signs (`20261224T170000Z`), or as JavaScript prints it
/// (`Thu Dec 24 2026 17:00:00 GMT+0000 (GMT)`).
fn with_t(text: &str) -> std::borrow::Cow<'_, str> {
    if let Some(day) = of_east_asia(text) {
        return day.into();
    }
    let bytes = text.as_bytes();
    let is_stamp = bytes.len() > 15
        && text.is_ascii()
        && bytes[4] == b'-'
        && bytes[7] == b'-'
        && matches!(bytes[10], b' ' | b'T')
        && bytes[13] == b':';
    if !is_stamp {
        return of_javascript(text).or_else(|| of_stamp(text)).map_or(text.into(), Into::into);
    }
    let (time, zone) = match text[11..].split_once(' ') {
        Some((time, zone)) => (time, zone.trim()),
        None => {
            let end = text[11..].find(['+', '-']).unwrap_or(text.len() - 11);
            text[11..].split_at(end)
        }
    };
    let zone = match zone {
        "" => "".into(),
        "Z" | "UTC" | "GMT" => "Z".into(),
        zone => match offset(zone) {
            Some(zone) => zone,
            None => return text.into(),
        },
    };
    format!("{}T{time}{zone}", &text[..10]).into()
}

/// The day of a time that is midnight in UTC, which is how many programs write a day without a time: Google Tasks
/// `2026-12-01T00:00:00.000Z`. West of Greenwich it would be the day before.
fn without_utc_midnight(text: &str) -> &str {
    let midnight = || {
        let (day, time) = text.split_once('T').filter(|(day, _)| day.len() == 10)?;
        let time = time.strip_suffix('Z').or_else(|| time.strip_suffix("+00:00"))?;
        let figures = time.strip_prefix("00:00")?;
        figures.bytes().all(|byte| matches!(byte, b'0' | b':' | b'.')).then_some(day)
    };
    midnight().unwrap_or(text)
}

/// `2026年12月5日`, `2026년 12월 5일`, and without a year.
fn of_east_asia(text: &str) -> Option<String> {
    let parts = [['年', '년'], ['月', '월'], ['日', '일']];
    let mut rest = text.trim();
    let mut numbers: [Option<u16>; 3] = [None; 3];
    for (number, signs) in numbers.iter_mut().zip(parts) {
        if let Some((before, after)) = rest.split_once(signs) {
            *number = Some(before.trim().parse().ok()?);
            rest = after.trim_start();
        }
    }
    let [year, Some(month), Some(day)] = numbers else { return None };
    let name = Date::new(2000, i8::try_from(month).ok()?, 1).ok()?.strftime("%B").to_string();
    // A weekday in brackets may follow.
    let is_over = rest.is_empty() || rest.starts_with(['(', '（']) && rest.chars().count() <= 5;
    let year = year.map(|year| format!(" {year}")).unwrap_or_default();
    is_over.then(|| format!("{day} {name}{year}"))
}

/// `+0100` and `+01:00` as the second.
fn offset(zone: &str) -> Option<String> {
    let digits = zone.strip_prefix(['+', '-'])?.replace(':', "");
    let is_offset = digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_offset.then(|| format!("{}{}:{}", &zone[..1], &digits[..2], &digits[2..]))
}

/// `Thu Dec 24 2026 17:00:00 GMT+0000 (Coordinated Universal Time)`
fn of_javascript(text: &str) -> Option<String> {
    let (stamp, zone) = text.split_once(" GMT")?;
    let zone = offset(zone.split(" (").next()?)?;
    let at = DateTime::strptime("%a %b %d %Y %H:%M:%S", stamp).ok()?;
    Some(format!("{at}{zone}"))
}
