//! When an instruction says that it is to be done.

use std::ops::Range;

use dormouse_formats::recurrence::read_schedule;
use dormouse_formats::when::{self, Assumption, Reader, Rule, When};
use dormouse_types::work_kind::WorkKind;
use jiff::ToSpan as _;
use jiff::civil::{Date, Time};

use super::phrase::{Token, Values, matches};
use crate::lang::work::{Read, Words};
use crate::read::fold::fold;
use crate::work::wording::{clock, fill};

/// When an instruction is to be done, as far as it says so.
#[derive(Debug, Default)]
pub(super) struct StatedSchedule {
    /// How often, in words that the reader of dates knows; with a time if they have one.
    repeats: Option<String>,
    /// The time of day, if the words above have none.
    time: Option<Time>,
    /// Whether that time could be meant twelve hours earlier.
    is_hour_open: bool,
    /// Whether the words above say when the instruction itself is to be done: it begins with them, or they have
    /// a time. "List what I do every Monday" may be about something else.
    is_of_instruction: bool,
    /// Once, as it is written.
    once: Option<String>,
    /// A day of the week and a time, of work that may happen every week.
    weekday: Option<String>,
    /// Once, on a day that is still to come.
    day: Option<Date>,
    /// Whether a bare word such as "weekly" says how often.
    is_bare: bool,
    /// Where all that is. Units: bytes.
    pub places: Vec<Range<usize>>,
    /// Days still to come that are mentioned: that of the work, or of what it looks at.
    pub days: Vec<NamedDay>,
    /// Where another schedule is stated, which is not used. Units: bytes.
    pub others: Vec<Range<usize>>,
}

/// A day in an instruction.
#[derive(Debug, Clone)]
pub(super) struct NamedDay {
    pub place: Range<usize>,
    day: Date,
    time: Option<Time>,
}

/// Words that say how often.
struct Piece {
    place: Range<usize>,
    words: String,
    /// "At 8" counts more than "in the evening".
    has_time: bool,
    /// The same, or the time is one of [`StatedSchedule::time`].
    is_timed: bool,
    part_of_day: Option<Time>,
    /// "Weekly": how often, and nothing more. "Twice a year": not when.
    is_bare: bool,
}

impl Piece {
    fn new(place: Range<usize>, words: String, has_time: bool) -> Self {
        Self { place, words, has_time, is_timed: has_time, part_of_day: None, is_bare: false }
    }
}

impl StatedSchedule {
    /// Finds it. `masks` are the places of names and quotations, in which nothing is read.
    pub(super) fn find(
        text: &str,
        tokens: &[Token],
        masks: &[Range<usize>],
        words: &'static Words,
        reader: &Reader,
    ) -> Self {
        let read = &words.read;
        let known = Rewritten::new(text, tokens, masks, words);
        let mut stated = Self::default();
        let mut pieces: Vec<Piece> = Vec::new();
        let mut times: Vec<(Range<usize>, Time, bool)> = Vec::new();
        let mut named: Option<Range<usize>> = None;
        let mut weekdays: Vec<Piece> = Vec::new();
        // At the end of the day every time without a day is one of tomorrow, and so differs from "today at 8".
        let reader = Reader { now: reader.now.date().at(23, 59, 59, 0), ..reader.clone() };
        for found in when::find(&known.text, &reader) {
            let of = |is: fn(&Assumption) -> bool| found.assumed.iter().any(is);
            let is_part = of(|it| matches!(it, Assumption::PartOfDay(_)));
            let is_hour_open = of(|it| matches!(it, Assumption::Hour(_)));
            let span = without_due(&known.text, found.span.bytes.clone(), read);
            let written = known.text[span.clone()].trim().to_owned();
            let place = known.place(&span);
            let named_day = |day: Date, time| {
                let place = place.clone();
                (day > reader.now.date()).then_some(NamedDay { place, day, time })
            };
            // "On the first of the month" is one day, and as a schedule that of every month; "due on the first of the
            // month" says what is looked at.
            let is_due = span != found.span.bytes;
            if !is_due && let Some(has_time) = again(&found.when, &written, &reader) {
                pieces.push(Piece::new(place, written, has_time && !is_part));
                continue;
            }
            if !is_due && let Some(day) = weekday(&written, words).filter(|_| !is_part) {
                weekdays.extend(each_week(&found.when, day, place.clone(), is_hour_open, read));
            }
            match &found.when {
                When::Recurring(recurrence) => {
                    // "Täglich um 6:30"
                    let open = match recurrence.at[..] {
                        [at] if is_hour_open => Some(at),
                        _ => None,
                    };
                    let cut = open.and_then(|_| without_time(&written, read, &reader));
                    if let (Some(at), Some(bare)) = (open, cut) {
                        times.push((place.clone(), at, true));
                        pieces.push(Piece { is_timed: true, ..Piece::new(place, bare, false) });
                        continue;
                    }
                    let (written, place) = in_zone(written, place, text, tokens, &reader);
                    let is_one_word = !written.contains(' ')
                        || read.bare.contains(&fold(text[place.clone()].trim()).as_str());
                    pieces.push(Piece {
                        is_bare: recurrence.at.is_empty() && is_one_word || recurrence.times > 1,
                        has_time: !recurrence.at.is_empty() && !is_part,
                        is_timed: !recurrence.at.is_empty() && !is_part,
                        part_of_day: known.part_of_day(&span).filter(|_| recurrence.at.is_empty()),
                        words: written,
                        place,
                    });
                }
                When::At(moment) if is_part && weekday(&written, words).is_none() => {
                    if !of(|it| matches!(it, Assumption::NextTime(_))) {
                        let (day, time) = (moment.at.date(), moment.at.time());
                        stated.days.extend(named_day(day, Some(time)));
                    }
                }
                When::At(moment) if of(|it| matches!(it, Assumption::NextTime(_))) => {
                    times.push((place, moment.at.time(), is_hour_open));
                }
                When::At(moment) => {
                    if let Some(day) = weekday(&written, words) {
                        let at = again_at(moment.at.time(), is_hour_open);
                        stated.weekday =
                            Some(format!("{} {} {at}", fill(read.each, &[("day", day)]), read.at));
                    } else {
                        stated.once.get_or_insert(written);
                    }
                    named.get_or_insert(place);
                }
                // "End of the month" may say anything.
                When::Day(_) if is_vague(&written, read) => {}
                When::Day(day) => stated.days.extend(named_day(*day, None)),
                When::Span(_) => {}
            }
        }
        stated.join_weekly(&mut pieces, weekdays, &reader);
        let is_time_wanted = stated.take_repeats(pieces, named, tokens);
        if is_time_wanted {
            let of_piece = times.iter().position(|(place, _, _)| stated.places.contains(place));
            let time = times.into_iter().nth(of_piece.unwrap_or(0));
            stated.take_time(time.or_else(|| hour(tokens, masks, read)));
        }
        stated
    }

    /// Takes the time of a schedule that has none: where it is, and whether it may be that of the evening too.
    fn take_time(&mut self, found: Option<(Range<usize>, Time, bool)>) {
        let Some((place, time, is_hour_open)) = found else { return };
        self.places.push(place);
        self.time = Some(time);
        self.is_hour_open = is_hour_open;
        self.is_of_instruction |= self.repeats.is_some() && !self.is_bare;
    }

    /// "Weekly on Sunday" is every Sunday.
    fn join_weekly(&mut self, pieces: &mut Vec<Piece>, weekdays: Vec<Piece>, reader: &Reader) {
        if let ([weekly], [day]) = (&pieces[..], &weekdays[..])
            && weekly.is_bare
            && is_every_week(&weekly.words, reader)
        {
            self.days.retain(|it| !overlap(&it.place, &day.place));
            self.places.push(weekly.place.clone());
            *pieces = weekdays;
        }
    }

    /// Takes the words that say best how often, or else the time that was named. Returns whether a time is still
    /// wanted.
    fn take_repeats(
        &mut self,
        mut pieces: Vec<Piece>,
        named: Option<Range<usize>>,
        tokens: &[Token],
    ) -> bool {
        // A weekday says more than "daily", and words that were written say more than a bare "weekly".
        pieces.sort_by_key(|piece| (piece.is_bare, !piece.is_timed, piece.place.start));
        let mut pieces = pieces.into_iter();
        let Some(piece) = pieces.next() else {
            let is_time_wanted = named.is_none();
            self.places.extend(named);
            return is_time_wanted;
        };
        self.once = None;
        self.weekday = None;
        self.time = piece.part_of_day;
        self.repeats = Some(piece.words);
        let begins = tokens.first().is_some_and(|first| piece.place.start <= first.bytes.start);
        self.is_of_instruction = !piece.is_bare && (begins || piece.has_time);
        self.is_bare = piece.is_bare;
        self.places.push(piece.place);
        self.others = pieces.filter(|it| !it.is_bare).map(|it| it.place).collect();
        !piece.has_time
    }

    /// How often an instruction is to be done that is for a language model, in words that the reader of dates
    /// knows; `None` if it does not clearly say that.
    pub(super) fn of_instruction(&self, read: &Read) -> Option<String> {
        let repeats = self.repeats.as_ref().filter(|_| self.is_of_instruction)?;
        let Some(time) = self.time else { return Some(how_often(repeats, read)) };
        Some(format!("{repeats} {} {}", read.at, again_at(time, self.is_hour_open)))
    }

    /// Takes a day as the one on which the work is to be done, once.
    pub(super) fn take_day(&mut self, named: NamedDay) {
        self.day = Some(named.day);
        self.time = self.time.or(named.time);
        self.places.push(named.place);
    }

    /// Whether nothing says on which days.
    pub(super) fn is_without_days(&self) -> bool {
        let is_named = self.weekday.is_some() || self.once.is_some() || self.day.is_some();
        self.repeats.is_none() && !is_named
    }

    /// Whether the instruction says nothing about when.
    pub(super) fn is_silent(&self) -> bool {
        self.is_without_days() && self.time.is_none()
    }

    /// The schedule of a kind in words that the reader of dates knows. What happens again is at the hour that is
    /// written; "on Friday at 3" is once, and in the afternoon, as every date.
    pub(super) fn words(&self, kind: WorkKind, read: &Read) -> String {
        let (_, usual, at) =
            read.usual.iter().find(|(it, _, _)| *it == kind).unwrap_or(&read.usual[0]);
        let timed = |words: &str, time: &str| format!("{words} {} {time}", read.at);
        if let Some(day) = self.day {
            let time = self.time.map(clock);
            return timed(&day.to_string(), time.as_deref().unwrap_or(at));
        }
        let time = self.time.map(|time| again_at(time, self.is_hour_open));
        // "Weekly review" says no more than the usual.
        let is_usual =
            |repeats: &String| self.is_bare && read.usual_words.contains(&(kind, repeats.as_str()));
        match (self.repeats.as_ref().filter(|it| !is_usual(it)), time) {
            (Some(repeats), Some(time)) => timed(repeats, &time),
            (Some(repeats), None) => how_often(repeats, read),
            (None, Some(time)) => timed(usual, &time),
            (None, None) => match (&self.weekday, &self.once) {
                (Some(weekday), _) if kind == WorkKind::Review => weekday.clone(),
                (_, Some(once)) => once.clone(),
                (Some(weekday), None) => weekday.clone(),
                (None, None) => timed(usual, at),
            },
        }
    }
}

/// How often, as a person says it.
fn how_often(repeats: &str, read: &Read) -> String {
    match read.every_hour {
        Some((found, spoken)) if found == repeats => spoken.to_owned(),
        _ => repeats.to_owned(),
    }
}

/// The time of what happens again. Where its half of the day is left open it is the hour that is written. Before 7:00 it
/// has one figure, with which a schedule is read as one that leaves it open.
fn again_at(time: Time, is_hour_open: bool) -> String {
    if !is_hour_open {
        return clock(time);
    }
    let literal = if time.hour() >= 12 { time.wrapping_sub(12.hours()) } else { time };
    let is_early = (1..7).contains(&literal.hour());
    if is_early { literal.strftime("%-H:%M").to_string() } else { clock(literal) }
}

/// An instruction with phrases in place of those that the reader of dates does not know.
struct Rewritten {
    text: String,
    /// In the order of the text: where a phrase is now, where it was, and its time of day.
    phrases: Vec<(Range<usize>, Range<usize>, Option<Time>)>,
}

impl Rewritten {
    fn new(text: &str, tokens: &[Token], masks: &[Range<usize>], words: &'static Words) -> Self {
        let read = &words.read;
        let values = Values { numbers: read.numbers, units: read.units };
        let mut rewritten = Self { text: String::with_capacity(text.len()), phrases: Vec::new() };
        let mut from = 0;
        let mut at = 0;
        while at < tokens.len() {
            let first = &tokens[at];
            if let Some(mask) = masks.iter().find(|mask| overlap(mask, &first.bytes)) {
                if mask.start >= from {
                    rewritten.keep(text, from..mask.start);
                    rewritten.put("x", mask.clone(), None);
                    from = mask.end;
                }
                at += 1;
                continue;
            }
            let here: Vec<&str> = tokens[at..]
                .iter()
                .take_while(|token| token.sentence == first.sentence)
                .take_while(|token| !masks.iter().any(|mask| overlap(mask, &token.bytes)))
                .map(|token| token.word.as_str())
                .collect();
            let plain = read.schedules.iter().filter_map(|(phrase, means, time)| {
                let caught = matches(phrase, &here, values)?;
                Some((caught.len, (*means).to_owned(), *time))
            });
            let found = plain.chain(weekday_part(&here, words)).max_by_key(|(len, _, _)| *len);
            let Some((len, means, time)) = found else {
                at += 1;
                continue;
            };
            let stood = first.bytes.start..tokens[at + len - 1].bytes.end;
            rewritten.keep(text, from..stood.start);
            rewritten.put(&means, stood.clone(), time.and_then(|time| time.parse().ok()));
            from = stood.end;
            at += len;
        }
        rewritten.keep(text, from..text.len());
        rewritten
    }

    fn keep(&mut self, text: &str, place: Range<usize>) {
        self.text.push_str(&text[place]);
    }

    fn put(&mut self, words: &str, stood: Range<usize>, time: Option<Time>) {
        let start = self.text.len();
        self.text.push_str(words);
        self.phrases.push((start..self.text.len(), stood, time));
    }

    /// Where words of the new text stood.
    fn place(&self, now: &Range<usize>) -> Range<usize> {
        self.stood(now.start, |stood| stood.start)..self.stood(now.end, |stood| stood.end)
    }

    fn stood(&self, at: usize, end: impl Fn(&Range<usize>) -> usize) -> usize {
        let before = self.phrases.iter().rev().find(|(now, _, _)| now.start <= at);
        match before {
            None => at,
            Some((now, stood, _)) if at < now.end || (at == now.end && now.start < at) => {
                // Within a phrase all of it is meant.
                if at == now.end { stood.end } else { end(stood) }
            }
            Some((now, stood, _)) => stood.end + (at - now.end),
        }
    }

    fn part_of_day(&self, now: &Range<usize>) -> Option<Time> {
        self.phrases.iter().find(|(it, _, _)| overlap(it, now)).and_then(|(_, _, time)| *time)
    }
}

/// A date without the "due" before it, which says what is looked at.
fn without_due(text: &str, span: Range<usize>, read: &Read) -> Range<usize> {
    let written = &text[span.clone()];
    let Some((first, rest)) = written.split_once(char::is_whitespace) else { return span };
    let is_due = read.due.contains(&fold(first).as_str());
    if is_due { span.end - rest.len()..span.end } else { span }
}

/// Whether a day or a time happens again as a schedule; with whether it has a time of day.
fn again(when: &When, written: &str, reader: &Reader) -> Option<bool> {
    let has_time = match when {
        When::Day(_) => false,
        When::At(_) => true,
        When::Span(_) | When::Recurring(_) => return None,
    };
    let schedule = read_schedule(written, reader).ok()?;
    schedule.series.rule().is_some().then_some(has_time)
}

/// A day of the week as one of each week.
fn each_week(
    when: &When,
    day: &str,
    place: Range<usize>,
    is_hour_open: bool,
    read: &Read,
) -> Option<Piece> {
    let each = fill(read.each, &[("day", day)]);
    match when {
        When::Day(_) => Some(Piece::new(place, each, false)),
        When::At(moment) => {
            let at = again_at(moment.at.time(), is_hour_open);
            Some(Piece::new(place, format!("{each} {} {at}", read.at), true))
        }
        When::Span(_) | When::Recurring(_) => None,
    }
}

fn is_every_week(words: &str, reader: &Reader) -> bool {
    let Ok(When::Recurring(recurrence)) = when::parse(words, reader) else { return false };
    recurrence.every == 1
        && recurrence.times == 1
        && matches!(recurrence.rule, Rule::Weeks(days) if days.is_empty())
}

fn is_vague(written: &str, read: &Read) -> bool {
    fold(written).split(' ').any(|word| read.vague.contains(&word))
}

/// How often, with the zone whose clock it names after the time, if it names one.
fn in_zone(
    written: String,
    place: Range<usize>,
    text: &str,
    tokens: &[Token],
    reader: &Reader,
) -> (String, Range<usize>) {
    let after = tokens.iter().filter(|token| token.bytes.start >= place.end);
    let Some(first) = after.clone().next() else { return (written, place) };
    let ends: Vec<usize> = after
        .take_while(|token| token.part == first.part)
        .take(LONGEST_ZONE)
        .map(|token| token.bytes.end)
        .collect();
    for end in ends.into_iter().rev() {
        let zone = &text[place.end..end];
        let with_zone = format!("{written}{zone}");
        // A number is the beginning of what follows: "daily 5 tasks".
        let is_zone = zone.starts_with(char::is_whitespace)
            && !zone.trim_start().starts_with(|sign: char| sign.is_ascii_digit());
        if is_zone && read_schedule(&with_zone, reader).is_ok() {
            return (with_zone, place.start..end);
        }
    }
    (written, place)
}

/// How many words name a zone: "in New York time". A name with a slash is two.
const LONGEST_ZONE: usize = 4;

/// How often, without the time at the end.
fn without_time(written: &str, read: &Read, reader: &Reader) -> Option<String> {
    let (bare, _) = written.rsplit_once(&format!(" {} ", read.at))?;
    match when::parse(bare, reader) {
        Ok(When::Recurring(recurrence)) if recurrence.at.is_empty() => Some(bare.to_owned()),
        Ok(_) | Err(_) => None,
    }
}

fn overlap(a: &Range<usize>, b: &Range<usize>) -> bool {
    a.start < b.end && b.start < a.end
}

/// "Dienstagabend" and "jeden Dienstagabend".
fn weekday_part(
    here: &[&str],
    words: &'static Words,
) -> Option<(usize, String, Option<&'static str>)> {
    let read = &words.read;
    let is_each = read.each.split(' ').next().is_some_and(|each| here.first() == Some(&each));
    let skip = usize::from(is_each);
    let word = here.get(skip)?;
    words.say.weekdays.iter().find_map(|day| {
        let part = word.strip_prefix(fold(day).as_str())?;
        let part = part.strip_suffix('s').unwrap_or(part);
        let (_, time) = read.parts.iter().find(|(it, _)| *it == part)?;
        Some((skip + 1, fill(read.each, &[("day", day)]), Some(*time)))
    })
}

/// "At 7", where the reader of dates asks for more than that.
fn hour(
    tokens: &[Token],
    masks: &[Range<usize>],
    read: &Read,
) -> Option<(Range<usize>, Time, bool)> {
    tokens.windows(2).find_map(|pair| {
        let is_masked = masks.iter().any(|mask| overlap(mask, &pair[1].bytes));
        let hour: i8 = pair[1].word.parse().ok().filter(|hour| (0..24).contains(hour))?;
        if pair[0].word != read.at || pair[0].sentence != pair[1].sentence || is_masked {
            return None;
        }
        // As everywhere: an hour without more is the one between 7:00 and 18:59.
        let is_open = (1..7).contains(&hour);
        let time = Time::new(if is_open { hour + 12 } else { hour }, 0, 0, 0).ok()?;
        Some((pair[0].bytes.start..pair[1].bytes.end, time, is_open))
    })
}

/// The weekday that words begin with, if they have no other word of a date.
fn weekday(written: &str, words: &'static Words) -> Option<&'static str> {
    let folded = fold(written);
    let mut all = folded.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let first = all.find(|word| !matches!(*word, "on" | "am" | "at"))?;
    let is_day = |day: &&&str| {
        let day = fold(day);
        first.len() >= 2 && (day.starts_with(first) || first.strip_suffix('s') == Some(&day))
    };
    let day = words.say.weekdays.iter().find(is_day)?;
    let is_month = |word: &str| words.say.months.iter().any(|month| fold(month).starts_with(word));
    (!all.any(|word| word.len() >= 3 && is_month(word))).then_some(*day)
}
